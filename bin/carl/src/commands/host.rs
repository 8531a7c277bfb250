//! The services of a chat or a run, as the terminal sees them.

use super::{Setting, named};
use crate::serving::{Announced, stopped};
use crate::wiring::{House, answers, asked};
use anyhow::Result;
use api::broker::{AgentListing, ToolListing};
use api::memory::{Curator, Recall, Stage, Stats};
use api::models::ModelInfo;
use api::sessions::Sessions;
use async_trait::async_trait;
use command_line::SessionFlags;
use domain::settings::Attendance;
use settings::By;
use std::path::PathBuf;
use std::sync::Arc;
use terminal::exit::{Failure, OrFail};
use terminal::host::Host;
use terminal::notes::Vouched;
use terminal::request::Asker;

/// The services that a command works with, and what it takes to find them anew.
pub struct CommandHost {
    house: House,
    setting: Setting,
    flags: SessionFlags,
    by: By,
    attendance: Attendance,
    /// Shows that this command is at work, wherever its services are.
    _announced: Option<Announced>,
}

impl CommandHost {
    /// The keys of the terminal UI.
    ///
    /// # Errors
    /// When the configuration names some that cannot be.
    pub fn keys(&self) -> Result<tui::Keys> {
        let keys = self.setting.loaded.config.tui.keys();
        keys.map_err(|mistake| Failure::usage(mistake.why, mistake.how).into())
    }

    /// Which keys edit what is typed there.
    #[must_use]
    pub fn editing(&self) -> tui::Editing {
        self.setting.loaded.config.tui.editing.into()
    }

    /// The folder of what is typed in the terminal UI and not sent.
    #[must_use]
    pub fn drafts(&self) -> PathBuf {
        self.setting.paths.drafts()
    }

    /// The services to work with, as [`House::open`] finds them.
    ///
    /// # Errors
    /// As [`House::open`].
    pub async fn open(
        setting: Setting,
        flags: SessionFlags,
        (by, attendance): (By, Attendance),
    ) -> Result<Self> {
        let house = House::open(&setting, &flags, by).await?;
        house.remembrance.open_ahead();
        let announced = Announced::command(&setting.paths.state)
            .inspect_err(|error| tracing::debug!("other commands do not see this one: {error:#}"));
        Ok(Self {
            _announced: announced.ok(),
            house,
            setting,
            flags,
            by,
            attendance,
        })
    }

    /// What the status line says of every session.
    ///
    /// # Errors
    /// A failure of usage when prices cannot be used.
    pub fn facts(&self) -> Result<tui::Facts> {
        let config = &self.setting.loaded.config;
        Ok(tui::Facts {
            is_air_gapped: config.models.air_gap,
            prices: config.drive.settings()?.prices,
        })
    }

    /// The models, also those that only make embeddings.
    ///
    /// # Errors
    /// When the gateway cannot list them.
    pub async fn all_models(&self) -> Result<Vec<ModelInfo>> {
        self.house.gateway.list_models().await.or_fail()
    }

    /// The terminal UI as it is configured.
    pub const fn tui(&self) -> &config::Tui {
        &self.setting.loaded.config.tui
    }

    /// Checks the tools that the configuration takes away, and the agent type that a session of
    /// these flags begins with.
    ///
    /// # Errors
    /// As [`named::check_tools`] and [`named::check_agent`].
    pub async fn check_agent(&self) -> Result<()> {
        match self.check_named().await {
            // Whoever served has ended meanwhile: those who serve in its place are asked the same
            // when the session is opened.
            Err(_) if self.is_gone().await => Ok(()),
            checked => checked,
        }
    }

    async fn check_named(&self) -> Result<()> {
        let control = self.house.guard.control.as_ref();
        named::check_tools(&self.setting, control).await?;
        named::check_agent(&self.setting, control, self.flags.agent.as_deref()).await
    }

    /// Ends the work here.
    ///
    /// # Errors
    /// As [`House::close`].
    pub async fn close<T>(self, outcome: Result<T>) -> Result<T> {
        self.house.close(outcome).await
    }
}

#[async_trait(?Send)]
impl Host for CommandHost {
    fn sessions(&self) -> &dyn Sessions {
        self.house.sessions.as_ref()
    }

    fn asker(&self) -> Asker {
        let (state, addresses) = (self.setting.paths.state.clone(), asked(&self.setting));
        Asker {
            stopped: Arc::new(move || stopped(&state, &addresses)),
            attendance: self.attendance,
            folder: self.setting.workspace.clone(),
            remembered: self.setting.open_folders(),
            audit: self.house.audit.clone(),
        }
    }

    async fn is_gone(&self) -> bool {
        self.house.is_gone().await
    }

    async fn reopen(&mut self) -> Result<()> {
        self.house = House::open(&self.setting, &self.flags, self.by).await?;
        self.house.remembrance.open_ahead();
        Ok(())
    }

    fn notes(&self) -> Vouched {
        Vouched::below(&self.setting.paths.state)
    }

    async fn list_models(&self) -> Result<Vec<ModelInfo>> {
        let mut known = self.all_models().await?;
        known.retain(answers);
        Ok(known)
    }

    async fn list_agents(&self) -> Result<Vec<AgentListing>> {
        self.house.guard.control.list_agents().await.or_fail()
    }

    async fn list_tools(&self) -> Result<Vec<ToolListing>> {
        self.house.guard.control.list_tools().await.or_fail()
    }

    async fn recall(&self, question: &str) -> Result<(Vec<Stage>, Vec<Recall>)> {
        terminal::memory::found(self.house.remembrance.sides.memory.as_ref(), question).await
    }

    fn curator(&self) -> &dyn Curator {
        self.house.remembrance.sides.curator.as_ref()
    }

    async fn memory_stats(&self) -> Result<Stats> {
        let curator = &self.house.remembrance.sides.curator;
        curator.stats().await.or_fail()
    }
}
