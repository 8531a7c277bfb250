//! What every part of the broker works with, and what they all do: the record, the ceilings, and
//! agents' registration.

use crate::config::{Clock, Config};
use crate::credentials::KnownSecrets;
use crate::ledger;
use crate::state::{Agent, Session, State, lock};
use api::audit::{Action, Audit, Durability, Entry};
use api::authority::Authority;
use api::broker::{Error, ErrorKind, Registered};
use api::executor::Executor;
use domain::hash::Digest;
use domain::id::{AgentId, AgentToken, SessionId};
use domain::label::Label;
use domain::lineage::{AgentType, Ancestor, Lineage};
use domain::settings::SessionSettings;
use policy::Policy;
use policy::paths::normalise;
use policy::standing::Standing;
use serde_json::Value;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use tokio::sync::OnceCell;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

/// Everything the broker works with.
pub(crate) struct Inner {
    pub(crate) policy: Policy,
    pub(crate) config: Config,
    pub(crate) executor: Arc<dyn Executor>,
    pub(crate) clock: Clock,
    pub(crate) authority: Authority,
    pub(crate) state: State,
    pub(crate) audit: Arc<dyn Audit>,
    pub(crate) secrets: KnownSecrets,
    pub(crate) params_key: [u8; 32],
    /// Set once the broker's start is on record.
    pub(crate) started: OnceCell<()>,
}

impl Inner {
    /// Appends to the audit log.
    pub(crate) async fn record(
        &self,
        entry: Entry,
        durability: Durability,
    ) -> Result<(), api::audit::Error> {
        self.audit.append(entry, durability).await.map(|_| ())
    }

    /// Puts the broker's start on record, with the policy it starts with, before anything else.
    pub(crate) async fn start(&self, revision: Digest) -> Result<(), Error> {
        let record = || async {
            let mut entry = Entry::new((self.clock)(), Action::Start);
            entry.params_hash = Some(revision);
            entry.detail = "broker".to_owned();
            self.record(entry, Durability::Grouped)
                .await
                .map_err(ledger::refused)
        };
        self.started.get_or_try_init(record).await.copied()
    }

    pub(crate) fn params_hash(&self, arguments: &Value) -> Digest {
        ledger::params_hash(&self.params_key, arguments)
    }

    /// Gives an agent a token and a place in its session.
    pub(crate) async fn register(
        &self,
        session_id: SessionId,
        session: &Arc<Mutex<Session>>,
        mut lineage: Lineage,
        agent_type: AgentType,
        inherited: (Label, CancellationToken),
    ) -> Result<Registered, Error> {
        let agent_id = AgentId::from_uuid(Uuid::now_v7());
        lineage.push(Ancestor {
            agent_id,
            agent_type: agent_type.clone(),
        });
        let settings = lock(session).settings.clone();
        let standing = self.standing(&lineage, &settings)?;
        let who = (agent_id, &agent_type, &lineage);
        let entry = ledger::registration(session_id, who, (self.clock)(), Action::RegisterAgent);
        self.record(entry, Durability::Grouped)
            .await
            .map_err(ledger::refused)?;
        let token = fresh_token();
        let (label, ended) = inherited;
        let agent = Agent::new(lineage.clone(), agent_type, standing, label, ended, &token);
        self.state.add_agent(session_id, session, agent_id, agent)?;
        Ok(Registered {
            token,
            agent_id,
            lineage,
        })
    }

    pub(crate) fn standing(
        &self,
        lineage: &Lineage,
        settings: &SessionSettings,
    ) -> Result<Standing, Error> {
        let types: Vec<AgentType> = lineage.iter().map(|a| a.agent_type.clone()).collect();
        self.policy
            .standing(&types, &settings.grants)
            .map_err(|e| Error::new(ErrorKind::UnknownAgentType, format!("{e}.")).with_source(e))
    }

    /// Checks a ceiling and brings its paths into their normal form.
    pub(crate) fn settled(&self, mut settings: SessionSettings) -> Result<SessionSettings, Error> {
        let invalid = |detail: String| Error::new(ErrorKind::InvalidSettings, detail);
        let absolute = |path: &Path| -> Result<PathBuf, Error> {
            if !path.is_absolute() {
                let detail = format!("{} is not an absolute path.", path.display());
                return Err(invalid(detail));
            }
            let root = Path::new("/");
            normalise(root, &self.config.home, OsStr::new(path))
                .map_err(|e| invalid(format!("{}: {e}.", path.display())))
        };
        settings.workspace = absolute(&settings.workspace)?;
        for opened in [&mut settings.allow_write, &mut settings.allow_read] {
            let paths = opened.iter().map(|path| absolute(path));
            *opened = paths.collect::<Result<_, Error>>()?;
        }
        let table = self.policy.table();
        let disabled = settings.disabled_tools.iter();
        let disabled = disabled.map(|tool| ("`disabled_tools`", tool));
        let granted = settings.grants.iter().map(|grant| ("A grant", &grant.tool));
        for (place, tool) in disabled.chain(granted) {
            if table.find(tool.as_str()).is_none() {
                let detail = format!("{place} names `{tool}`, and there is no such tool.");
                return Err(invalid(detail));
            }
        }
        for grant in &settings.grants {
            if !self
                .policy
                .manifest()
                .agents
                .contains_key(&grant.agent_type)
            {
                let detail = format!("No agent type is named `{}`.", grant.agent_type);
                return Err(invalid(detail));
            }
        }
        Ok(settings)
    }
}

/// 256 random bits as 64 hexadecimal digits.
fn fresh_token() -> AgentToken {
    let bits: [u8; 32] = rand::random();
    AgentToken::from_text(Digest::from_bytes(bits).to_string())
}
