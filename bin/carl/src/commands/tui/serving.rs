//! The services of a command as the terminal UI sees them.

use crate::commands::host::CommandHost;
use anyhow::Result;
use api::broker::AgentListing;
use api::memory::{Stored, WriteEntry};
use api::models::ModelInfo;
use api::sessions::{SendRequest, SessionSummary, Sessions};
use async_trait::async_trait;
use domain::Timestamp;
use domain::fault::Fault;
use domain::id::SessionId;
use domain::model::{ModelChoice, ModelRef};
use domain::settings::SessionProfile;
use futures::StreamExt;
use rendering::completion::Mentioned;
use rendering::confirm::Memory;
use rendering::slash::Slash;
use rendering::{Paint, memory, models};
use std::cell::Cell;
use std::path::{Path, PathBuf};
use terminal::commands::{Done, act};
use terminal::conversation::Conversation;
use terminal::exit::{OrFail, describe};
use terminal::host::Host;
use terminal::mentions::{self, Named};
use terminal::notes::Seen;
use terminal::pictures::{self, NamedPicture};
use terminal::session_commands::{Chosen, ExportForm};
use terminal::undo::FileHistory;
use text::escape::quoted_argv;
use tui::Theme;
use tui::host::{Mention, Next, Outcome, Outgoing};

/// Most records of the audit log that a page shows.
const AUDIT_RECORDS: usize = 5_000;

/// How it is known whether the terminal is light.
pub(super) const fn theme(tui: &config::Tui) -> Theme {
    match tui.theme {
        config::Theme::Auto => Theme::Auto,
        config::Theme::Light => Theme::Light,
        config::Theme::Dark => Theme::Dark,
    }
}

/// The services of a command, as the terminal UI sees them.
pub(super) struct Serving<'a> {
    pub(super) host: &'a CommandHost,
    pub(super) workspace: PathBuf,
    pub(super) changes: Box<dyn FileHistory>,
    pub(super) captures: bool,
    /// The project's notes as the session began with them.
    pub(super) notes: Cell<Option<Seen>>,
}

impl Serving<'_> {
    /// The pictures that a message names, where they may be shown.
    fn pictures(&self, profile: &SessionProfile, text: &str) -> Result<Outgoing> {
        let named = pictures::named_in(text, &self.workspace)?;
        let settings = &profile.settings;
        let opened = settings.allow_read.iter().chain(&settings.allow_write);
        let opened: Vec<PathBuf> = opened.chain([&self.workspace]).cloned().collect();
        let (pictures, outside): (Vec<_>, Vec<_>) =
            named.into_iter().partition(|one| one.is_in(&opened));
        let list = |pictures: &[NamedPicture]| {
            let names = pictures.iter().map(|one| format!("@{}", one.file.name));
            let names: Vec<String> = names.collect();
            (!names.is_empty()).then(|| names.join(", "))
        };
        let mut said: Vec<String> = pictures::missing(text, &self.workspace)
            .into_iter()
            .flat_map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>())
            .collect();
        said.extend(list(&pictures).map(|names| format!("shown to the model: {names}")));
        said.extend(list(&outside).map(|names| {
            format!(
                "not shown to the model, from outside of this session's folders: {names}; \
                 --allow-read opens a folder"
            )
        }));
        Ok(Outgoing {
            pictures: pictures.into_iter().map(|one| one.file).collect(),
            input: None,
            said,
        })
    }

    /// What goes along of the memories and types of agents that a message names.
    async fn named(&self, profile: &SessionProfile, text: &str) -> Result<Named> {
        let mut named = mentions::memories(self.host.curator(), text).await?;
        if !Mentioned::Agent.names_in(text).is_empty() {
            let known = self.host.list_agents().await?;
            let said = mentions::not_startable(&known, &profile.agent_type, text);
            named.said.extend(said);
        }
        Ok(named)
    }

    /// The model that is asked next by a profile; `None` where nothing that is known would answer.
    async fn model_of(&self, profile: &SessionProfile) -> Result<Option<ModelRef>> {
        let role = match &profile.model {
            Some(ModelChoice::Exact(model)) => return Ok(Some(model.clone())),
            Some(ModelChoice::Role(role)) => *role,
            None => {
                let known = self.host.list_agents().await?.into_iter();
                let mut own = known.filter(|one| one.agent_type == profile.agent_type);
                let Some(own) = own.next() else {
                    return Ok(None);
                };
                own.model_role
            }
        };
        let known = self.host.list_models().await?;
        let provider = profile.provider.as_deref();
        Ok(models::answering(&known, role, provider).cloned())
    }

    /// What a message can name of this kind.
    async fn mentioned(&self, profile: &SessionProfile, of: Mentioned) -> Result<Vec<Mention>> {
        Ok(match of {
            Mentioned::Memory => {
                let kept = mentions::kept(self.host.curator()).await?;
                kept.iter().map(memory_mention).collect()
            }
            Mentioned::Agent => {
                let known = self.host.list_agents().await?;
                let agents = mentions::startable(&known, &profile.agent_type).into_iter();
                let mention = |one: AgentListing| Mention {
                    name: one.agent_type.to_string(),
                    title: one.agent_type.to_string(),
                    about: one.description,
                };
                agents.map(mention).collect()
            }
        })
    }
}

/// A memory as it is offered.
fn memory_mention(stored: &Stored) -> Mention {
    let about = match &stored.entry {
        WriteEntry::Memory { description, .. } => description.clone(),
        WriteEntry::Engram { .. } => String::new(),
    };
    Mention {
        name: stored.id.to_string(),
        title: stored.entry.title().to_owned(),
        about,
    }
}

/// A session of the terminal UI as the commands of a conversation see it: the UI shows what happens in
/// it, and asks its questions.
struct Aside<'a> {
    serving: &'a Serving<'a>,
    session: &'a SessionSummary,
    profile: &'a SessionProfile,
    lines: Vec<String>,
}

#[async_trait(?Send)]
impl Conversation for Aside<'_> {
    fn host(&self) -> &dyn Host {
        self.serving.host
    }

    fn session(&self) -> &SessionSummary {
        self.session
    }

    fn profile(&self) -> &SessionProfile {
        self.profile
    }

    fn workspace(&self) -> &Path {
        &self.serving.workspace
    }

    fn changes(&self) -> &dyn FileHistory {
        self.serving.changes.as_ref()
    }

    fn captures(&self) -> bool {
        self.serving.captures
    }

    fn tell(&mut self, text: &str) -> Result<()> {
        self.lines.extend(text.lines().map(str::to_owned));
        Ok(())
    }

    fn tell_as_it_is(&mut self, text: &str) -> Result<()> {
        self.tell(text)
    }

    async fn work_on(&mut self, send: SendRequest) -> Result<()> {
        let mut events = self.host().sessions().send(send).await.or_fail()?;
        while let Some(event) = events.next().await {
            event.or_fail()?;
        }
        Ok(())
    }

    async fn rewound(&mut self) -> Result<()> {
        Ok(())
    }
}

#[async_trait(?Send)]
impl tui::host::Host for Serving<'_> {
    fn sessions(&self) -> &dyn Sessions {
        self.host.sessions()
    }

    fn memory(&self) -> Memory {
        self.host.asker().memory()
    }

    async fn remember(&self) -> Result<String, Fault> {
        let asker = self.host.asker();
        let folder = quoted_argv(&[asker.folder.to_string_lossy()]);
        match asker.keep().await {
            Ok(()) => Ok(format!(
                "remembered; `carl policy forget {folder}` takes it back"
            )),
            Err(error) => {
                let fault = describe(&error).1;
                let message = format!(
                    "open for this session, but not remembered: {}",
                    fault.message
                );
                Err(Fault { message, ..fault })
            }
        }
    }

    fn anew(&self, profile: &SessionProfile) -> Result<SessionProfile, Fault> {
        let anew = self.host.asker().anew(profile);
        anew.map_err(|error| describe(&error).1)
    }

    async fn outgoing(&self, profile: &SessionProfile, text: &str) -> Result<Outgoing, Fault> {
        let fault = |error: anyhow::Error| describe(&error).1;
        let mut said = Vec::new();
        if let Some(mut notes) = self.notes.take() {
            let change = notes.change(self.host, profile).await;
            self.notes.set(Some(notes));
            said.extend(change.map_err(fault)?);
        }
        let outgoing = self.pictures(profile, text).map_err(fault)?;
        let named = self.named(profile, text).await.map_err(fault)?;
        said.extend(outgoing.said.into_iter().chain(named.said));
        Ok(Outgoing {
            said,
            input: named.input,
            ..outgoing
        })
    }

    async fn mentions(
        &self,
        profile: &SessionProfile,
        of: Mentioned,
    ) -> Result<Vec<Mention>, Fault> {
        let mentioned = self.mentioned(profile, of).await;
        mentioned.map_err(|error| describe(&error).1)
    }

    async fn command(
        &self,
        session: &SessionSummary,
        profile: &SessionProfile,
        slash: Slash,
    ) -> Outcome {
        let mut aside = Aside {
            serving: self,
            session,
            profile,
            lines: Vec::new(),
        };
        let next = match act(&mut aside, slash).await {
            Ok(Done::Told | Done::NotHere(_)) => Ok(Next::Nothing),
            Ok(Done::Again(text)) => Ok(Next::Ask(text)),
            Ok(Done::Forked(opened)) => Ok(Next::GoOnIn(opened)),
            Err(error) => Err(describe(&error).1),
        };
        Outcome {
            lines: aside.lines,
            next,
        }
    }

    async fn list_models(&self) -> Result<Vec<ModelInfo>, Fault> {
        let listed = self.host.list_models().await;
        listed.map_err(|error| describe(&error).1)
    }

    async fn all_models(&self) -> Result<Vec<ModelInfo>, Fault> {
        let listed = self.host.all_models().await;
        listed.map_err(|error| describe(&error).1)
    }

    async fn next_model(&self, profile: &SessionProfile) -> Result<Option<ModelRef>, Fault> {
        let next = self.model_of(profile).await;
        next.map_err(|error| describe(&error).1)
    }

    async fn explain_recall(&self, question: &str) -> Result<Vec<String>, Fault> {
        let found = self.host.recall(question).await;
        let (stages, recalls) = found.map_err(|error| describe(&error).1)?;
        let text = memory::explained((&stages, &recalls), Timestamp::now(), Paint::Colour);
        Ok(text.lines().map(str::to_owned).collect())
    }

    async fn audit(&self, session_id: SessionId) -> Result<Vec<String>, Fault> {
        let read = crate::commands::audit::of_session(session_id, AUDIT_RECORDS);
        read.map_err(|error| describe(&error).1)
    }

    async fn export(&self, session_id: SessionId) -> Result<String, Fault> {
        let id = session_id.to_string();
        let end = id.get(id.len().saturating_sub(12)..).unwrap_or(&id);
        let file = self.workspace.join(format!("carl-{end}.md"));
        let chosen = Chosen {
            sessions: self.sessions(),
            workspace: &self.workspace,
            part: &id,
        };
        let form = Some(ExportForm::Markdown);
        match terminal::session_commands::export(chosen, form, Some(&file)).await {
            Ok(()) => Ok(format!("written to {}", file.display())),
            Err(error) => Err(describe(&error).1),
        }
    }
}
