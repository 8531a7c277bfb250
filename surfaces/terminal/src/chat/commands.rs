//! What each command of a chat does.

use super::conversation::Chat;
use crate::commands::{self, Done};
use crate::exit::{Failure, OrFail, not_opened};
use crate::notes::{Seen, ask_about};
use crate::taking_back;
use anyhow::Result;
use api::sessions::{ErrorKind, OpenRequest, SessionSummary, Whose};
use domain::model::{ModelChoice, Think};
use domain::settings::{Mode, OverrideLevel, SessionProfile};
use rendering::context::Depth;
use rendering::models;
use rendering::slash::{Slash, help, levels, mode_in_words, modes_listed, thinking_in_words};
use rendering::{Paint, context, override_warning};
use session::SessionView;
use std::io;

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
            Slash::Mode(mode) => self.mode(mode).await?,
            Slash::Override(level) => self.override_once(level)?,
            Slash::Thinking(level) => self.thinking(level).await?,
            Slash::Model(name) => self.model(name).await?,
            Slash::Context(depth) => self.context(depth).await?,
            other => match commands::act(self, other).await? {
                Done::Told | Done::NotHere(_) => {}
                Done::Again(text) => self.ask_again(text).await?,
                Done::Forked(forked) => self.go_on_in(*forked).await?,
            },
        }
        Ok(Next::Stay)
    }

    async fn begin_anew(&mut self) -> Result<()> {
        let profile = self.host.asker().anew(&self.profile)?;
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

    /// Takes the last exchange back and asks it again. What was said here and cut off is asked again alone
    /// where another window has said something since.
    async fn retry(&mut self) -> Result<()> {
        let events = self.events().await?;
        let view = SessionView::of(&events);
        let last = view.exchanges().last_of_user().map(|last| last.query_id);
        let own = self.own_cut_off(&view).filter(|own| !own.is_command);
        let own = own.map(|own| own.text.clone());
        if let Some(own) = own.filter(|_| last.is_some() && self.view.asked != last) {
            self.tell(&format!("again: {}", rendering::agents::gist(&own)))?;
            self.tell("  the first try stays in the conversation: another window came after it")?;
            return self.ask_again(own).await;
        }
        let text = taking_back::retry(self).await?;
        self.ask_again(text).await
    }

    async fn ask_again(&mut self, text: String) -> Result<()> {
        self.asks_again = Some(text.clone());
        self.say(&text).await
    }

    async fn go_on_in(&mut self, forked: SessionSummary) -> Result<()> {
        let old = self.go_to(forked, self.profile.clone()).await?;
        let new = self.session.session_id;
        self.tell(&format!(
            "forked: this is session {new} now, without what was allowed for the session; `carl session \
             resume {old}` goes on with the other"
        ))
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
            return self.tell(&modes_listed(self.profile.mode).join("\n"));
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

    async fn thinking(&mut self, level: Option<Think>) -> Result<()> {
        let Some(think) = level else {
            let now = thinking_in_words(self.profile.think);
            return self.tell(&format!("{now}; there are {}", levels()));
        };
        self.configure(SessionProfile {
            think,
            ..self.profile.clone()
        })
        .await?;
        self.tell(&thinking_in_words(think))
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
            return self.tell(&models::listed(&self.profile, &known).join("\n"));
        };
        let model = match name.as_str() {
            "default" => None,
            name => Some(ModelChoice::Exact(
                models::named(name, &known)
                    .map_err(|fault| Failure::usage(fault.message, fault.hint))?,
            )),
        };
        self.configure(SessionProfile {
            model,
            ..self.profile.clone()
        })
        .await?;
        let now = models::chosen(&self.profile);
        self.tell(&format!("model: {now}"))
    }

    async fn context(&mut self, depth: Depth) -> Result<()> {
        let id = self.session.session_id;
        let view = self.host.sessions().context(id, Whose::Root).await;
        let view = view.or_fail()?;
        let paint = Paint::for_stream(&io::stderr());
        self.tell(context::text(&view, depth, paint).trim_end())
    }
}
