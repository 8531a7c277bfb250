//! What a user does to a conversation besides talking: look at it, make it smaller, take exchanges
//! back, pin messages, pass on what may be a reason to act.

use crate::blocking;
use crate::history::{Emitter, History, scope_of};
use crate::prompts;
use crate::service::Service;
use crate::service::next_prompt::next_prompt;
use crate::service::opening::write_closings;
use crate::session::refused::refused;
use crate::work::{compaction, pictures};
use api::broker::AgentListing;
use api::sessions::{Error, ErrorKind, PinChange, RewindTo, TakenBack, Whose};
use context::{Budget, NextPrompt};
use domain::context::ContextView;
use domain::drive::Signal;
use domain::event::{Event, EventBody};
use domain::id::SessionId;
use domain::limits::{PINNED_MESSAGES, SIGNAL_BYTES};
use domain::lineage::AgentType;
use domain::model::{ModelChoice, ModelRole};
use domain::settings::{Mode, SessionProfile};
use session::{Exchange, Exchanges, SessionView, Speech};
use session_log::{Durability, Fold, Lines, Outlines, Scope};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

fn invalid(detail: impl Into<String>) -> Error {
    Error::new(ErrorKind::InvalidRequest, detail)
}

impl Service {
    fn log_of(&self, session_id: SessionId) -> PathBuf {
        session_log::path_of(&self.shared.config.sessions_folder, session_id)
    }

    pub(crate) async fn view(
        &self,
        session_id: SessionId,
        whose: Whose,
    ) -> Result<ContextView, Error> {
        match self.live(session_id).await {
            Some(session) => {
                let profile = session.profile().ok_or_else(|| headless(session_id))?;
                let budget = Budget::of(session.context_of(&profile));
                let agents = self.shared.control.list_agents().await.map_err(refused)?;
                let task = session
                    .emitter
                    .history()
                    .root
                    .conversation
                    .task()
                    .to_owned();
                let next = self
                    .next((&profile, budget), &by_type(agents), &task)
                    .await?;
                view_of(&mut session.emitter.history(), whose, (budget, &next))
            }
            None => self.view_from_disk(session_id, whose).await,
        }
    }

    /// What the session would show if it were taken up again, which it is not.
    async fn view_from_disk(
        &self,
        session_id: SessionId,
        whose: Whose,
    ) -> Result<ContextView, Error> {
        let path = self.log_of(session_id);
        let outlines = self.shared.config.outlines.clone();
        let mut history = blocking::run(move || folded(&path, &outlines)).await?;
        let (budget, next) = self.stand(session_id, &mut history).await?;
        view_of(&mut history, whose, (budget, &next))
    }

    /// Gives a conversation from disk what would stand before it.
    async fn stand(
        &self,
        session_id: SessionId,
        history: &mut History,
    ) -> Result<(Budget, NextPrompt), Error> {
        let profile = history.view.profile().cloned();
        let profile = profile.ok_or_else(|| headless(session_id))?;
        let agents = self.shared.control.list_agents().await.map_err(refused)?;
        let agents = by_type(agents);
        let budget = self.budget(&profile);
        let task = history.root.conversation.task();
        let next = self.next((&profile, budget), &agents, task).await?;
        let agent_type = profile.agent_type.clone();
        let listing = agents.get(&agent_type);
        let about = listing.map_or_else(String::new, |agent| agent.description.clone());
        let shape = compaction::shape_of_root(listing);
        let settings = profile.settings.clone();
        let role = listing.map_or(ModelRole::Fast, |agent| agent.model_role);
        let choice = profile.model.clone().unwrap_or(ModelChoice::Role(role));
        let facts = pictures::facts_of(&*self.shared.models, choice).await;
        pictures::count_as(&mut history.root.conversation.view, &facts);
        let kept = self.shared.config.prompts.clone();
        let reading = blocking::run(move || Ok(prompts::standing(&kept, &profile, &about)));
        let mut standing = reading.await?;
        standing.fit_to_type(Some(&agent_type), &agents);
        history.set_standing(&settings, standing, (budget, shape));
        Ok((budget, next))
    }

    /// What the root agent's next model call will hold that no event has said yet.
    async fn next(
        &self,
        (profile, budget): (&SessionProfile, Budget),
        agents: &BTreeMap<AgentType, AgentListing>,
        task: &str,
    ) -> Result<NextPrompt, Error> {
        let tools = self.shared.control.list_tools().await.map_err(refused)?;
        let room = budget.tools_tokens;
        let own = agents.get(&profile.agent_type);
        let role = own.map_or(ModelRole::Fast, |own| own.model_role);
        let choice = profile.model.clone().unwrap_or(ModelChoice::Role(role));
        let facts = pictures::facts_of(&*self.shared.models, choice).await;
        Ok(next_prompt(
            (profile, facts.class),
            agents,
            (tools, task, room),
        ))
    }

    fn budget(&self, profile: &SessionProfile) -> Budget {
        let tokens = profile.context_tokens;
        Budget::of(tokens.unwrap_or(self.shared.config.context_tokens))
    }

    pub(crate) async fn make_smaller(&self, session_id: SessionId) -> Result<(), Error> {
        let _turn = self.turn(session_id).await;
        let Some(session) = self.live(session_id).await else {
            return self.make_smaller_at_rest(session_id).await;
        };
        let profile = session.profile().ok_or_else(|| headless(session_id))?;
        let budget = Budget::of(session.context_of(&profile));
        let compacting = async || compact(&session.emitter, budget).await;
        session.while_idle(compacting).await
    }

    /// The same for a session that nobody holds. Nobody works in it for that: what a dead process
    /// left to go on is still there for whoever opens it.
    async fn make_smaller_at_rest(&self, session_id: SessionId) -> Result<(), Error> {
        let session_log::Earlier {
            log,
            cut,
            mut history,
            ..
        } = self.at_rest(session_id).await?;
        let closings = history.closings();
        let budget = self.stand(session_id, &mut history).await?.0;
        let emitter = self.emitter(session_id, log, history);
        write_closings(&emitter, cut, closings).await?;
        let compacted = compact(&emitter, budget).await;
        emitter.close().await;
        compacted
    }

    pub(crate) async fn take_back(
        &self,
        session_id: SessionId,
        to: RewindTo,
    ) -> Result<TakenBack, Error> {
        let session = self.expect_live(session_id).await?;
        let rewinding = async || {
            let found = {
                let history = session.emitter.history();
                sought(history.view.exchanges(), to)?.clone()
            };
            let body = EventBody::Rewound {
                to_seq: found.begins_after,
            };
            // Who took something back must not find it there again after a power cut.
            emit(&session.emitter, body, Durability::Synchronised).await?;
            Ok(TakenBack {
                query_id: found.query_id,
                text: found.text,
            })
        };
        session.while_idle(rewinding).await
    }

    pub(crate) async fn change_pin(
        &self,
        session_id: SessionId,
        seq: u64,
        change: PinChange,
    ) -> Result<(), Error> {
        let session = self.expect_live(session_id).await?;
        let path = self.log_of(session_id);
        let outlines = self.shared.config.outlines.clone();
        // One at a time, so that two do not both find the last free place.
        let _alone = session.pinning.lock().await;
        let view = session.emitter.history().view.clone();
        let pins = blocking::run(move || pins(&path, &outlines, &view, seq)).await?;
        if !pins.is_message {
            return Err(invalid(format!(
                "Event {seq} of this session holds no message of yours or the agent's that still \
                 counts."
            ))
            .with_hint("`carl session show` prints the number of each message."));
        }
        let pinned = change == PinChange::Pin;
        if pins.pinned.contains(&seq) == pinned {
            return Ok(());
        }
        if pinned && pins.pinned.len() >= PINNED_MESSAGES {
            return Err(invalid(format!(
                "{PINNED_MESSAGES} messages are pinned already, and no more can be."
            ))
            .with_hint("Take a pin away first."));
        }
        let body = EventBody::Pinned { seq, pinned };
        emit(&session.emitter, body, Durability::Written).await
    }

    pub(crate) async fn take_signal(
        &self,
        session_id: SessionId,
        signal: Signal,
    ) -> Result<(), Error> {
        let session = self.expect_live(session_id).await?;
        if signal.bytes() > SIGNAL_BYTES {
            return Err(invalid(format!(
                "A signal has at most {SIGNAL_BYTES} bytes, not {}.",
                signal.bytes()
            )));
        }
        if session.profile().map(|profile| profile.mode) != Some(Mode::Auto) {
            return Err(Error::new(
                ErrorKind::NotAuto,
                "The session is not in auto mode: it does nothing by itself.",
            )
            .with_hint("`/mode auto` in its chat, or open it with `--mode auto`."));
        }
        let body = EventBody::SignalReceived { signal };
        emit(&session.emitter, body, Durability::Written).await
    }
}

/// What an agent's model is shown next.
fn view_of(
    history: &mut History,
    whose: Whose,
    (budget, next): (Budget, &NextPrompt),
) -> Result<ContextView, Error> {
    match whose {
        Whose::Root => Ok(history.root.conversation.inspect(budget, next)),
        Whose::Agent(agent_id) => {
            let agent = history.child(agent_id).ok_or_else(|| {
                invalid(format!("No agent {agent_id} is at work in this session."))
                    .with_hint("`carl session show` prints what one that ended has done.")
            })?;
            Ok(agent.conversation.inspect(budget, &NextPrompt::default()))
        }
    }
}

fn by_type(agents: Vec<AgentListing>) -> BTreeMap<AgentType, AgentListing> {
    let agents = agents.into_iter();
    agents.map(|one| (one.agent_type.clone(), one)).collect()
}

fn headless(session_id: SessionId) -> Error {
    Error::new(
        ErrorKind::Corrupt,
        format!("The log of session {session_id} does not begin with its opening."),
    )
}

/// Emits an event that belongs to no request.
async fn emit(emitter: &Emitter, body: EventBody, durability: Durability) -> Result<(), Error> {
    let emitting = emitter.emit(Scope::default(), body, durability);
    emitting.await.map(|_| ())
}

/// Makes the view of the conversation smaller by rule: no agent works, so no model is asked.
async fn compact(emitter: &Emitter, budget: Budget) -> Result<(), Error> {
    let made = compaction::by_rule(&emitter.history().root, budget);
    let Some(body) = made else {
        return Err(Error::new(
            ErrorKind::NothingToDo,
            "Nothing could be left out: the conversation is as small as it gets.",
        ));
    };
    emit(emitter, body, Durability::Written).await
}

/// The request that is to be taken back.
fn sought(exchanges: &Exchanges, to: RewindTo) -> Result<&Exchange, Error> {
    match to {
        RewindTo::LastRequest => exchanges.last_of_user().ok_or_else(|| {
            Error::new(
                ErrorKind::NothingToDo,
                "There is no request to take back in this session.",
            )
        }),
        RewindTo::Request(query_id) => exchanges.find(query_id).ok_or_else(|| {
            invalid(format!(
                "This session has no request {query_id}, or it was taken back already."
            ))
        }),
    }
}

/// What is pinned, and whether an event can be.
struct Pins {
    pinned: BTreeSet<u64>,
    is_message: bool,
}

fn pins(path: &Path, outlines: &Outlines, view: &SessionView, seq: u64) -> Result<Pins, Error> {
    let mut speech = Speech::default();
    let mut messages = BTreeSet::new();
    let mut lines = Lines::open(path)?.in_outline(outlines);
    while let Some(event) = lines.next_event()? {
        if speech.note(&event).is_some() && view.exchanges().counts(&event) {
            messages.insert(event.seq);
        }
    }
    // What was taken back is pinned no more.
    Ok(Pins {
        pinned: view.pinned().intersection(&messages).copied().collect(),
        is_message: messages.contains(&seq),
    })
}

/// A log as a resumed session would know it: what a dead process left open is closed.
fn folded(path: &Path, outlines: &Outlines) -> Result<History, Error> {
    let (mut history, last) = session_log::folded::<History>(path, outlines)?;
    for (closing, further) in history.closings().into_iter().zip(1..) {
        let Some(last) = &last else { break };
        let scope = scope_of(&closing);
        history.apply(&Event {
            seq: last.seq + further,
            query_id: scope.query_id,
            agent_id: scope.agent_id,
            call_id: scope.call_id,
            body: closing.body,
            ..last.clone()
        });
    }
    Ok(history)
}
