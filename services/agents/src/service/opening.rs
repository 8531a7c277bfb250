//! How a session comes to be held: opened fresh, or folded from its log and taken up again.

use crate::blocking;
use crate::history::{Emitter, History, Past, scope_of};
use crate::service::{Opened, Opening, Service};
use crate::session::holders::{Holders, left};
use crate::session::profile::{check, check_auto};
use crate::session::refused::refused;
use crate::session::{Root, Session};
use crate::work::resources::SessionShared;
use api::broker;
use api::sessions::{Error, ErrorKind};
use context::Closing;
use domain::event::EventBody;
use domain::fault::Fault;
use domain::id::{SessionId, TraceId};
use domain::model::{ModelRole, Usage};
use domain::settings::SessionProfile;
use session_log::{Durability, Earlier, Scope, SessionLog};
use std::collections::BTreeMap;
use std::sync::Arc;
use uuid::Uuid;

impl Service {
    pub(crate) async fn open_new(&self, profile: SessionProfile) -> Result<Opened, Error> {
        check(&profile)?;
        let opening = self.reserve().await?;
        let session_id = SessionId::from_uuid(Uuid::now_v7());
        let root = self
            .register(session_id, &profile, Usage::default())
            .await?;
        let folder = &self.shared.config.sessions_folder;
        let opened = match SessionLog::create(folder, session_id) {
            Ok(log) => {
                let emitter = self.emitter(session_id, log, History::default());
                let body = EventBody::SessionOpened {
                    profile: profile.clone(),
                    forked_from: None,
                };
                let emitted = emitter.emit(Scope::default(), body, Durability::Written);
                emitted.await.map(|event| (emitter, event.time))
            }
            Err(error) => Err(error),
        };
        match opened {
            Ok((emitter, created)) => self.hold(opening, emitter, (root, created), profile).await,
            Err(error) => Err(self.abandon(session_id, error).await),
        }
    }

    pub(crate) async fn resume(
        &self,
        session_id: SessionId,
        profile: Option<SessionProfile>,
    ) -> Result<Opened, Error> {
        if let Some(profile) = &profile {
            check(profile)?;
        }
        let opening = self.reserve().await?;
        let folder = self.shared.config.sessions_folder.clone();
        let outlines = self.shared.config.outlines.clone();
        let reading = move || session_log::reopened::<History>(&folder, session_id, &outlines);
        let reading = blocking::run(reading);
        let session_log::Earlier {
            log,
            cut,
            history,
            created,
        } = reading.await?;
        let Some(profile) = profile.or_else(|| history.view.profile().cloned().map(left)) else {
            return Err(Error::new(
                ErrorKind::Corrupt,
                format!("The log of session {session_id} does not begin with its opening."),
            ));
        };
        let root = self
            .register(session_id, &profile, history.view.used())
            .await?;
        let trace_id = TraceId::from_uuid(Uuid::now_v7());
        let unfinished = history.unfinished();
        let goes_on = unfinished.as_ref().map(|it| (it.text.as_str(), trace_id));
        let reminded = self.remind(session_id, history.past.clone(), goes_on);
        if let Err(error) = reminded.await {
            return Err(self.abandon(session_id, error).await);
        }
        let closings = history.closings();
        let emitter = self.emitter(session_id, log, history);
        let resumed = profile.clone();
        let written = write_resumption(&emitter, resumed, cut, closings).await;
        match written {
            Ok(()) => {
                let created = created.unwrap_or_else(|| (self.shared.clock)());
                let opened = self
                    .hold(opening, emitter, (root, created), profile)
                    .await?;
                if let Some(unfinished) = unfinished {
                    let session = &opened.session;
                    let now = (self.shared.clock)();
                    session.go_on(unfinished, trace_id, now).await;
                }
                Ok(opened)
            }
            Err(error) => Err(self.abandon(session_id, error).await),
        }
    }

    /// The log of a session that nobody holds, for something to be added to it. Nobody works in it for
    /// that: one with a request that was cut off is refused.
    pub(crate) async fn at_rest(&self, session_id: SessionId) -> Result<Earlier<History>, Error> {
        let folder = self.shared.config.sessions_folder.clone();
        let outlines = self.shared.config.outlines.clone();
        let reading = move || session_log::reopened::<History>(&folder, session_id, &outlines);
        let earlier = blocking::run(reading).await?;
        if earlier.history.unfinished().is_none() {
            return Ok(earlier);
        }
        let detail =
            "A request of this session was cut off, and goes on when the session is opened.";
        let hint = format!("Let it end first: carl session resume {session_id}");
        Err(Error::new(ErrorKind::Busy, detail).with_hint(hint))
    }

    pub(crate) fn emitter(
        &self,
        session_id: SessionId,
        log: SessionLog,
        history: History,
    ) -> Emitter {
        let (clock, bus) = (&self.shared.clock, &self.shared.bus);
        Emitter::new(
            session_id,
            log,
            history,
            (Arc::clone(clock), Arc::clone(bus)),
        )
    }

    async fn hold(
        &self,
        opening: Opening,
        emitter: Emitter,
        root: (Root, domain::Timestamp),
        profile: SessionProfile,
    ) -> Result<Opened, Error> {
        let mut holders = Holders::default();
        let holder_id = holders.add(Some(profile.clone()))?;
        let place = (holders, profile);
        let session = Session::start(&self.shared, emitter, root, place).await;
        tracing::info!(session = %session.id, "a session is open");
        let mut live = self.live.lock().await;
        live.insert(session.id, Arc::clone(&session));
        // In the same breath: it counts once.
        drop(opening);
        Ok(Opened { session, holder_id })
    }

    /// Takes back the registration of a session that could not be opened.
    async fn abandon(&self, session_id: SessionId, error: Error) -> Error {
        if let Err(error) = self.shared.control.close_session(session_id).await {
            tracing::warn!(session = %session_id, %error, "the broker could not close the session");
        }
        error
    }

    /// Tells the broker what it did not see, so that a resumed session is trusted no further than
    /// the one it goes on with.
    /// `goes_on`: the words of the request that is taken up, and the chain of work that they begin.
    async fn remind(
        &self,
        session_id: SessionId,
        past: Past,
        goes_on: Option<(&str, TraceId)>,
    ) -> Result<(), Error> {
        let control = &self.shared.control;
        for text in past.said {
            let begins = goes_on.filter(|(words, _)| *words == text);
            let heard = control.hear(session_id, text, begins.map(|(_, trace)| trace));
            heard.await.map_err(refused)?;
        }
        control
            .recall(session_id, past.shown)
            .await
            .map_err(refused)
    }

    /// `used`: what the session has cost so far.
    async fn register(
        &self,
        id: SessionId,
        profile: &SessionProfile,
        used: Usage,
    ) -> Result<Root, Error> {
        let control = &self.shared.control;
        let tools = control.list_tools().await.map_err(refused)?;
        let agents = control.list_agents().await.map_err(refused)?;
        let capabilities = tools
            .iter()
            .map(|tool| (tool.definition.name.to_string(), tool.capability.clone()))
            .collect();
        let effects = tools
            .into_iter()
            .map(|tool| (tool.definition.name.into(), tool.effect))
            .collect();
        let agents: BTreeMap<_, _> = agents
            .into_iter()
            .map(|agent| (agent.agent_type.clone(), agent))
            .collect();
        let listing = agents.get(&profile.agent_type);
        let may_recall = self.shared.config.recall
            && listing.is_some_and(|agent| {
                let mut names = agent.tools.iter();
                names.any(|name| name.as_str() == domain::tool::SEARCH_MEMORY)
            });
        let (role, about) = listing.map_or((ModelRole::Fast, String::new()), |agent| {
            (agent.model_role, agent.description.clone())
        });
        check_auto(&*self.shared.models, profile, role).await?;
        let settings = profile.settings.clone();
        let open = || control.open_session(id, profile.agent_type.clone(), settings.clone());
        let registered = match open().await {
            // Whoever opened it has ended without a word: its log is held here.
            Err(error) if error.kind == broker::ErrorKind::SessionOpen => {
                control.close_session(id).await.map_err(refused)?;
                open().await
            }
            opened => opened,
        };
        let registered = registered.map_err(refused)?;
        let config = &self.shared.config;
        let shared = SessionShared::new(
            config.prompts.clone(),
            capabilities,
            config.agents_at_work,
            (config.session_tokens, used),
        );
        Ok(Root {
            shared: Arc::new(shared),
            registered,
            role,
            about,
            effects: Arc::new(effects),
            agents: Arc::new(agents),
            may_recall,
        })
    }

    /// Room for one more session. One that somebody holds is never closed for another.
    async fn reserve(&self) -> Result<Opening, Error> {
        let most = self.shared.config.open_sessions;
        let live = self.live.lock().await;
        let open = live.len() + Arc::strong_count(&self.opening) - 1;
        if open < most {
            return Ok(Opening(Arc::clone(&self.opening)));
        }
        Err(Error::new(
            ErrorKind::Refused,
            format!(
                "No more sessions may be open here: {open} of {most} are (`agents.open_sessions`)."
            ),
        )
        .with_hint(
            "End one, or wait until one ends. To allow more, set `open_sessions` under [agents] in \
             config.toml and start what serves here again.",
        ))
    }
}

/// Says that the session goes on, what was lost, and how what was open ended.
async fn write_resumption(
    emitter: &Emitter,
    profile: SessionProfile,
    cut: Option<session_log::Cut>,
    closings: Vec<Closing>,
) -> Result<(), Error> {
    let resumed = EventBody::SessionResumed { profile };
    emitter
        .emit(Scope::default(), resumed, Durability::Written)
        .await?;
    write_closings(emitter, cut, closings).await
}

/// Says what was lost, and how what was open ended.
pub(crate) async fn write_closings(
    emitter: &Emitter,
    cut: Option<session_log::Cut>,
    closings: Vec<Closing>,
) -> Result<(), Error> {
    if let Some(cut) = cut {
        let notice = EventBody::Notice(Fault {
            code: "sessions.torn_tail".to_owned(),
            message: format!(
                "The last line of this session's log was unfinished or damaged ({} bytes) and was \
                 left out: the machine or the process stopped while it was written. It is kept in {}.",
                cut.bytes,
                cut.kept_in.display()
            ),
            hint: String::new(),
        });
        emitter
            .emit(Scope::default(), notice, Durability::Written)
            .await?;
    }
    for closing in closings {
        emitter
            .emit(scope_of(&closing), closing.body, Durability::Synchronised)
            .await?;
    }
    Ok(())
}
