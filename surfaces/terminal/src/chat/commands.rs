//! What each command of a chat does.

use super::conversation::Chat;
use super::slash::{Rating, Slash, help, mode_in_words, modes};
use crate::exit::{Failure, OrFail, not_opened};
use crate::new_file::write_new;
use crate::notes::{Seen, ask_about};
use crate::pictures;
use crate::session_changes::lines_of;
use crate::session_commands::ExportForm;
use crate::sessions;
use anyhow::Result;
use api::models::ModelInfo;
use api::sessions::{
    ErrorKind, FeedbackRequest, Follow, OpenRequest, PinChange, SessionSummary, Whose,
};
use domain::model::{ModelChoice, ModelRef};
use domain::settings::{Mode, OverrideLevel, SessionProfile};
use rendering::context::Depth;
use rendering::messages::{Who, spoken};
use rendering::transcript::{self, Extent};
use rendering::values::model_in_words;
use rendering::{Paint, agents, context, memory, override_warning, print_error_as_it_is};
use std::io;
use std::path::{Path, PathBuf};
use text::escape::visible_line;

/// Messages that `/pin` lists.
const LISTED: usize = 20;

/// Whether the chat goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// It does.
    Stay,
    /// The user leaves.
    Leave,
}

impl Chat<'_> {
    /// Does what was typed.
    ///
    /// # Errors
    /// When it cannot be done; the chat goes on.
    pub(super) async fn act(&mut self, slash: Slash) -> Result<Next> {
        match slash {
            Slash::Quit => return Ok(Next::Leave),
            Slash::Help => self.tell(help().trim_end())?,
            Slash::New => self.begin_anew().await?,
            Slash::Compact => self.compact().await?,
            Slash::Retry => self.retry().await?,
            Slash::Undo => self.undo().await?,
            Slash::Rewind(exchanges) => self.rewind_by(exchanges).await?,
            Slash::Diff => self.diff()?,
            Slash::Mode(mode) => self.mode(mode).await?,
            Slash::Override(level) => self.override_once(level)?,
            Slash::Model(name) => self.model(name).await?,
            Slash::Agents => self.agents().await?,
            Slash::Memory(question) => self.memory(question).await?,
            Slash::Context(depth) => self.context(depth).await?,
            Slash::Rate(rating) => self.rate(rating).await?,
            Slash::Pin(None) => self.list_messages().await?,
            Slash::Pin(Some((seq, change))) => self.pin(seq, change).await?,
            Slash::Fork(seq) => self.fork(seq).await?,
            Slash::Export(file) => self.export(file).await?,
        }
        Ok(Next::Stay)
    }

    /// Shows what the session changed in files and did not take back.
    fn diff(&mut self) -> Result<()> {
        let folder = self.profile.settings.workspace.clone();
        let changes = self.changes.changes(self.session.session_id, &folder)?;
        if changes.is_empty() {
            return self.tell("this session changed no file, or took it all back");
        }
        for said in changes.iter().flat_map(|change| change.said()) {
            self.tell(&said)?;
        }
        let paint = Paint::for_stream(&std::io::stderr());
        // Not broken at words: a line of a file stands behind its sign as it is.
        Ok(print_error_as_it_is(&lines_of(&changes, paint))?)
    }

    async fn begin_anew(&mut self) -> Result<()> {
        let mut profile = SessionProfile {
            name: String::new(),
            ..self.profile.clone()
        };
        // A yes in the session before may have been for later ones.
        let workspace = profile.settings.workspace.clone();
        if self.host.asker().remembered.read()?.contains(&workspace) {
            profile.settings.allow_write.insert(workspace);
        }
        ask_about(self.host, &profile).await?;
        let opening = OpenRequest::New(profile.clone());
        let opened = self.host.sessions().open(opening).await;
        let opened = opened.map_err(|error| not_opened(&error))?;
        let old = self.go_to(opened, profile).await?;
        let new = self.session.session_id;
        self.tell(&format!(
            "new session {new}; `carl session resume {old}` goes on with the one before"
        ))?;
        match self.profile.mode {
            mode @ Mode::Deterministic => self.tell(&mode_in_words(mode)),
            _ => Ok(()),
        }
    }

    /// Goes on in another session; the one before is closed and named.
    async fn go_to(
        &mut self,
        next: SessionSummary,
        profile: SessionProfile,
    ) -> Result<domain::id::SessionId> {
        let ending = self.ending_jobs().await;
        let old = std::mem::replace(&mut self.session, next);
        let sessions = self.host.sessions();
        self.view.turn_to(sessions, &self.session, &profile).await;
        self.profile = profile;
        self.notes = Seen::now(&self.workspace);
        self.watcher = None;
        // The chat is in the next one already, whatever becomes of this one.
        let closed = self.close(&old).await;
        self.or_complain(closed)?;
        self.tell_stopped(&ending)?;
        Ok(old.session_id)
    }

    async fn compact(&mut self) -> Result<()> {
        let id = self.session.session_id;
        match self.host.sessions().compact(id).await {
            // As small as it gets is no failure.
            Err(error) if error.kind == ErrorKind::NothingToDo => self.tell(&error.detail),
            done => {
                done.or_fail()?;
                self.show_new().await
            }
        }
    }

    async fn mode(&mut self, mode: Option<Mode>) -> Result<()> {
        let Some(mode) = mode else {
            let now = self.profile.mode.as_str();
            return self.tell(&format!("mode: {now}; there are {}", modes()));
        };
        self.configure(SessionProfile {
            mode,
            ..self.profile.clone()
        })
        .await?;
        if mode == Mode::Auto && self.once.take().is_some() {
            self.tell("the override is over: in auto mode none holds for one message alone")?;
        }
        self.tell(&format!("mode: {}", mode.as_str()))
    }

    /// Opens the gate for the next message, which closes it behind itself.
    fn override_once(&mut self, level: Option<OverrideLevel>) -> Result<()> {
        // What the drive does meanwhile would go through the same gate.
        if self.profile.mode == Mode::Auto {
            return Err(Failure::usage(
                "in auto mode an override cannot hold for one message alone",
                "Choose another mode first: /mode loop",
            )
            .into());
        }
        if let Some(level) = level {
            self.once = (level != self.profile.settings.override_level).then_some(level);
        }
        let in_force = self.profile.settings.override_level;
        let next = self.once.unwrap_or(in_force);
        let warning = override_warning(next).unwrap_or_else(|| "no override".to_owned());
        match self.once {
            Some(_) => self.tell(&format!("{warning}; for your next message alone")),
            None => self.tell(&warning),
        }
    }

    async fn model(&mut self, name: Option<String>) -> Result<()> {
        let known = self.host.list_models().await?;
        let Some(name) = name else {
            let now = self.chosen();
            let mut text = format!("model: {now}\n");
            for info in &known {
                text.push_str(&format!("  {}\n", visible_line(&info.model.to_string())));
            }
            text.push_str("/model NAME chooses one; /model default leaves it to the agent's type");
            return self.tell(&text);
        };
        let model = match name.as_str() {
            "default" => None,
            name => Some(ModelChoice::Exact(chosen(name, &known)?)),
        };
        self.configure(SessionProfile {
            model,
            ..self.profile.clone()
        })
        .await?;
        let now = self.chosen();
        self.tell(&format!("model: {now}"))
    }

    fn chosen(&self) -> String {
        match &self.profile.model {
            Some(model) => model_in_words(model),
            None => format!("what suits the agent type {}", self.profile.agent_type),
        }
    }

    async fn agents(&mut self) -> Result<()> {
        let types = self.host.list_agents().await?;
        let view = self.so_far().await?;
        let paint = Paint::for_stream(&io::stderr());
        let tree = agents::tree(view.agents(), paint);
        let own = paint.strong(self.profile.agent_type.as_str());
        let below = match tree.is_empty() {
            true => "  has started no other agent\n".to_owned(),
            false => tree,
        };
        let types = agents::types(&types);
        self.tell(format!("{types}\n{own} (this session's)\n{below}").trim_end())
    }

    async fn memory(&mut self, question: String) -> Result<()> {
        let text = match question.as_str() {
            "" => memory::stats(&self.host.memory_stats().await?, false)?,
            question => {
                let recalls = self.host.recall(question).await?;
                let paint = Paint::for_stream(&io::stderr());
                match recalls.is_empty() {
                    true => "nothing is remembered about that".to_owned(),
                    false => memory::results(&recalls, paint),
                }
            }
        };
        self.tell(text.trim_end())
    }

    async fn context(&mut self, depth: Depth) -> Result<()> {
        let id = self.session.session_id;
        let view = self.host.sessions().context(id, Whose::Root).await;
        let view = view.or_fail()?;
        let paint = Paint::for_stream(&io::stderr());
        self.tell(context::text(&view, depth, paint).trim_end())
    }

    async fn rate(&mut self, rating: Rating) -> Result<()> {
        let view = self.so_far().await?;
        let rated = view
            .exchanges()
            .standing()
            .iter()
            .rfind(|one| one.finished_seq.is_some())
            .ok_or_else(|| {
                Failure::usage("there is no answer to rate yet", "Ask something first.")
            })?;
        let request = FeedbackRequest {
            session_id: self.session.session_id,
            query_id: rated.query_id,
            score: rating.score,
            note: rating.note,
        };
        self.host.sessions().feedback(request).await.or_fail()?;
        let about = agents::gist(&rated.text);
        self.tell(&format!("rated {:+}: {about}", rating.score))
    }

    async fn list_messages(&mut self) -> Result<()> {
        let events = self.events().await?;
        let all = spoken(&events);
        if all.is_empty() {
            return self.tell("nothing has been said yet");
        }
        let mut text = String::new();
        for (index, message) in all.iter().enumerate() {
            let is_old = index + LISTED < all.len();
            if is_old && !message.is_pinned {
                continue;
            }
            let who = match message.who {
                Who::User => "you",
                Who::Agent => "agent",
            };
            let mark = if message.is_pinned { "pinned" } else { "" };
            let seq = format!("#{}", message.seq);
            let said: String = agents::gist(message.text).chars().take(55).collect();
            text.push_str(format!("{seq:>6} {who:5} {mark:6} {said}").trim_end());
            text.push('\n');
        }
        text.push_str("/pin N keeps one in view for good, /pin -N no longer");
        self.tell(&text)
    }

    async fn pin(&mut self, seq: u64, change: PinChange) -> Result<()> {
        let id = self.session.session_id;
        self.host.sessions().pin(id, seq, change).await.or_fail()?;
        self.tell(&match change {
            PinChange::Pin => format!("message #{seq} is pinned"),
            PinChange::Unpin => format!("message #{seq} is not pinned"),
        })
    }

    async fn fork(&mut self, seq: u64) -> Result<()> {
        let id = self.session.session_id;
        let at = sessions::fork_point(self.host.sessions(), id, seq).await?;
        let forked = self.host.sessions().fork(id, at).await.or_fail()?;
        let profile = self.profile.clone();
        let opening = OpenRequest::Resume {
            session_id: forked.session_id,
            profile: Some(profile.clone()),
        };
        let opened = self.host.sessions().open(opening).await.or_fail()?;
        let old = self.go_to(opened, profile).await?;
        let new = self.session.session_id;
        self.tell(&format!(
            "forked: this is session {new} now; `carl session resume {old}` goes on with the other"
        ))
    }

    async fn export(&mut self, file: Option<PathBuf>) -> Result<()> {
        let id = self.session.session_id;
        let id = id.to_string();
        let end = id.get(id.len().saturating_sub(12)..).unwrap_or(&id);
        let file = file.unwrap_or_else(|| PathBuf::from(format!("carl-{end}.md")));
        let file = pictures::placed(&file.to_string_lossy(), &self.workspace);
        let text = self.exported(&file).await?;
        write_new(&file, &text, "/export NAME.md")?;
        let shown = visible_line(&file.display().to_string());
        self.tell(&format!("written to {shown}"))
    }

    /// The session as a document, or as events where the name asks for them.
    async fn exported(&self, file: &Path) -> Result<String> {
        let (all, id) = (self.host.sessions(), self.session.session_id);
        if ExportForm::of(file) == ExportForm::Json {
            return sessions::as_json(&sessions::events_of(all, id, Follow::ToEnd).await?);
        }
        if !ExportForm::Markdown.fits(file) {
            let ending = file.extension().unwrap_or_default().to_ascii_lowercase();
            let ending = visible_line(&ending.to_string_lossy());
            return Err(Failure::usage(
                format!("a session is written as Markdown or as JSON, and not as {ending}"),
                "Type /export NAME.md, or /export NAME.json for the events.",
            )
            .into());
        }
        let events = sessions::events_of_document(all, id).await?;
        Ok(transcript::markdown(&events, Extent::Whole))
    }
}

/// The model that is meant: by its whole name, or by an end of it that only one has.
fn chosen(name: &str, known: &[ModelInfo]) -> Result<ModelRef> {
    let has = |info: &&ModelInfo| info.model.to_string() == name;
    if let Some(info) = known.iter().find(has) {
        return Ok(info.model.clone());
    }
    let ends = |info: &&ModelInfo| info.model.to_string().ends_with(name);
    let mut fitting = known.iter().filter(ends);
    match (fitting.next(), fitting.next()) {
        (Some(only), None) => Ok(only.model.clone()),
        (Some(_), Some(_)) => Err(Failure::usage(
            format!("several models' names end with `{name}`"),
            "/model lists them; give the whole name.",
        )
        .into()),
        // A provider need not list what it has.
        (None, _) => name.parse().map_err(|_not_a_whole_name| {
            let hint = format!("{}/model lists what is there.", perhaps(name, known));
            Failure::usage(format!("there is no model `{name}`"), hint).into()
        }),
    }
}

/// Most models that are named where one may have been meant.
const MODELS_NAMED: usize = 3;

/// The models in whose names what was typed stands, as a question.
fn perhaps(typed: &str, known: &[ModelInfo]) -> String {
    let typed = typed.to_lowercase();
    let names = known.iter().map(|info| info.model.to_string());
    let fitting = names.filter(|name| name.to_lowercase().contains(&typed));
    let named: Vec<String> = fitting
        .take(MODELS_NAMED)
        .map(|name| format!("`{name}`"))
        .collect();
    match named.is_empty() {
        true => String::new(),
        false => format!("Did you mean {}? ", named.join(" or ")),
    }
}
