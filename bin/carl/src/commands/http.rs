//! What `carl serve --http` and `carl web` have to offer to whoever asks.

use super::Setting;
use super::session;
use crate::wiring::{House, answers};
use anyhow::{Context as _, Result};
use api::broker::{AgentListing, Control, ToolListing};
use api::memory::{Forgotten, Recall, Stage, WriteAnswer};
use api::models::{ModelInfo, Models, ProviderHealth};
use async_trait::async_trait;
use command_line::{Ceiling, ModeArg, SessionFlags, ThinkingArg};
use domain::decision::Decision;
use domain::fault::{Coded as _, Fault};
use domain::id::{MemoryId, SessionId};
use domain::model::Think;
use domain::settings::{Attendance, Mode, SessionProfile};
use http_api::login_codes::LoginCodes;
use http_api::tokens::Tokens;
use http_api::{Certificate, Host, Known, Parts, Server, Wanted};
use observers::observations;
use serde_json::Value;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use terminal::exit::{Failure, OrFail, describe};
use terminal::memory::{self, Memories};

/// Most records of the audit log that are told of a session.
const AUDIT_RECORDS: usize = 500;

/// A server at an address, for the sessions of this house.
///
/// # Errors
/// When the address cannot be served at, or others can reach it and the air gap is on.
pub async fn server(
    house: &House,
    setting: &Setting,
    (address, certificate): (SocketAddr, Option<Certificate>),
) -> Result<Server> {
    if setting.loaded.config.models.air_gap && !address.ip().is_loopback() {
        let said = format!("{address} can be reached from other machines, and the air gap is on");
        return Err(Failure::usage(said, "Serve at 127.0.0.1.").into());
    }
    open_all_files();
    let host = Hosting {
        setting: setting.clone(),
        control: Arc::clone(&house.guard.control),
        gateway: Arc::clone(&house.gateway),
        memories: house.remembrance.sides.clone(),
    };
    let parts = Parts {
        sessions: Arc::clone(&house.sessions),
        host: Arc::new(host),
        gateway: Arc::clone(&house.gateway),
        audit: Arc::clone(&house.audit),
        tokens: Tokens::below(&setting.paths.state),
        codes: LoginCodes::below(&setting.paths.state),
        certificate,
    };
    Server::bind(address, parts).await.or_fail()
}

/// Takes what open files there are to be had: each connection is one, and each session some.
fn open_all_files() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let most = getrlimit(Resource::Nofile).maximum;
    let all = Rlimit {
        current: most,
        maximum: most,
    };
    if let Err(error) = setrlimit(Resource::Nofile, all) {
        tracing::warn!(%error, "fewer connections are served than might be");
    }
}

/// The program that serves, as the server asks it.
struct Hosting {
    setting: Setting,
    control: Arc<dyn Control>,
    gateway: Arc<dyn Models>,
    memories: Memories,
}

impl Hosting {
    fn built(&self, wanted: &Wanted) -> Result<SessionProfile> {
        let flags = SessionFlags {
            agent: wanted.agent.clone(),
            mode: wanted.mode.map(typed_mode),
            model: wanted.model.clone(),
            thinking: wanted.think.map(typed_thinking),
            ceiling: Ceiling {
                workspace: wanted.ceiling.workspace.clone(),
                allow_write: wanted.ceiling.allow_write.clone(),
                allow_read: wanted.ceiling.allow_read.clone(),
                disable_tool: wanted
                    .disabled_tools
                    .iter()
                    .map(ToString::to_string)
                    .collect(),
                ..Ceiling::default()
            },
            air_gap: self.setting.loaded.config.models.air_gap,
            ..SessionFlags::default()
        };
        let attendance = match wanted.attended {
            true => Attendance::Attended,
            false => Attendance::Unattended,
        };
        match &wanted.ceiling.workspace {
            // Another folder may have a project's file of its own.
            Some(_) => self.setting.again(&flags)?.profile(&flags, attendance),
            None => self.setting.profile(&flags, attendance),
        }
    }
}

#[async_trait]
impl Host for Hosting {
    fn profile(&self, wanted: &Wanted) -> Result<SessionProfile, Fault> {
        let relative = |path: &&PathBuf| path.is_relative();
        let ceiling = &wanted.ceiling;
        let mut named = ceiling
            .workspace
            .iter()
            .chain(&ceiling.allow_write)
            .chain(&ceiling.allow_read);
        if let Some(path) = named.find(relative) {
            let said = format!("`{}` is not a full path", path.display());
            let failure = Failure::usage(said, "Write it from the root on.");
            return Err(failure.fault);
        }
        self.built(wanted).map_err(told)
    }

    async fn delete(&self, session_id: SessionId) -> Result<(), Fault> {
        session::remove(&self.setting, session_id).map_err(told)
    }

    async fn tools(&self) -> Result<Vec<ToolListing>, Fault> {
        let tools = self.control.list_tools().await;
        tools.map_err(|error| error.fault())
    }

    async fn agents(&self) -> Result<Vec<AgentListing>, Fault> {
        self.control
            .list_agents()
            .await
            .map_err(|error| error.fault())
    }

    async fn models(&self) -> Result<(Vec<ProviderHealth>, Vec<ModelInfo>), Fault> {
        let fault = |error: api::models::Error| error.fault();
        let health = self.gateway.health().await.map_err(fault)?;
        // Where no provider answers there is none, and each says why.
        let mut known = self.gateway.list_models().await.unwrap_or_default();
        known.retain(answers);
        Ok((health, known))
    }

    async fn recall(&self, question: &str) -> Result<(Vec<Stage>, Vec<Recall>), Fault> {
        let found = memory::found(self.memories.memory.as_ref(), question).await;
        found.map_err(told)
    }

    async fn entry(&self, id: MemoryId) -> Result<Value, Fault> {
        let stored = memory::shown(&self.memories, id).await;
        stored
            .map(|stored| memory_export::to_json(&stored))
            .map_err(told)
    }

    async fn remember(&self, addition: http_api::Addition) -> Result<WriteAnswer, Fault> {
        let place = addition.namespace.as_deref();
        let place = place.map(|name| super::memory::namespace(&self.setting, name));
        let addition = memory::Addition {
            text: addition.text,
            name: addition.name,
            description: addition.description,
            tags: addition.tags,
            supersedes: addition.corrects.map(|id| id.to_string()),
            namespace: place.transpose().map_err(told)?,
        };
        let kept = memory::keep(&self.memories, addition).await;
        kept.map(|kept| kept.answer).map_err(told)
    }

    async fn forget(&self, id: MemoryId) -> Result<Forgotten, Fault> {
        let forgotten = self.memories.curator.forget(id).await;
        forgotten.map_err(|error| error.fault())
    }

    async fn explain(
        &self,
        profile: &SessionProfile,
        tool: &str,
        arguments: Value,
    ) -> Result<Decision, Fault> {
        let (agent, settings) = (profile.agent_type.clone(), profile.settings.clone());
        let control = self.control.as_ref();
        let explained = super::explained::explained(control, agent, (tool, arguments), settings);
        explained.await.map_err(told)
    }

    async fn audit(&self, session_id: SessionId) -> Result<(Vec<Value>, Option<Fault>), Fault> {
        let read = move || super::audit::records_of(session_id, AUDIT_RECORDS);
        match tokio::task::spawn_blocking(read).await {
            Ok(read) => read.map_err(told),
            Err(error) => Err(describe(&error.into()).1),
        }
    }

    async fn quality(&self) -> Result<Known, Fault> {
        let folder = self.setting.paths.quality();
        let read = move || {
            let what = || format!("what is in {} cannot be read", folder.display());
            observed(&folder).with_context(what)
        };
        match tokio::task::spawn_blocking(read).await {
            Ok(read) => read.map_err(told),
            Err(error) => Err(describe(&error.into()).1),
        }
    }
}

/// What can be read of the lists of quality.
fn observed(folder: &Path) -> std::io::Result<Known> {
    Ok(Known {
        observations: observations::read(folder)?.all,
        measures: observations::read_measures(folder)?.all,
        attacks: observations::read_attacks(folder)?.all,
    })
}

fn told(error: anyhow::Error) -> Fault {
    describe(&error).1
}

const fn typed_mode(mode: Mode) -> ModeArg {
    match mode {
        Mode::Loop => ModeArg::Loop,
        Mode::Plan => ModeArg::Plan,
        Mode::Deterministic => ModeArg::Deterministic,
        Mode::Bridge => ModeArg::Bridge,
        Mode::Auto => ModeArg::Auto,
        // No session is held in the mode of a command, which the service refuses.
        Mode::Adaptive | Mode::Command => ModeArg::Adaptive,
    }
}

const fn typed_thinking(think: Think) -> ThinkingArg {
    match think {
        Think::Default => ThinkingArg::Default,
        Think::Off => ThinkingArg::Off,
        Think::On => ThinkingArg::On,
        Think::Low => ThinkingArg::Low,
        Think::Medium => ThinkingArg::Medium,
        Think::High => ThinkingArg::High,
    }
}
