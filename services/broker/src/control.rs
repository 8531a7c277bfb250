//! The user's side of the broker: ceilings, answers, and the tables for people.

use crate::ledger;
use crate::service::Service;
use crate::state::{Session, lock};
use api::audit::{Action, Durability, Entry};
use api::broker::{
    AgentListing, Control, Error, ErrorKind, GrantListing, PlannedCall, Registered, ToolListing,
};
use api::programs::{Program, Programs};
use async_trait::async_trait;
use domain::decision::Decision;
use domain::event::ConfirmationAnswer;
use domain::hash::Digest;
use domain::id::{AgentId, ConfirmationId, SessionId, TraceId};
use domain::label::Label;
use domain::limits::{AGENT_TIME, AGENT_TOKENS, USER_TEXT_BYTES};
use domain::lineage::{AgentType, Ancestor};
use domain::settings::{OverrideLevel, SessionSettings};
use domain::token::Answerer;
use policy::request::Requested;
use policy::standing::Standing;
use serde_json::Value;
use std::path::PathBuf;
use std::sync::Arc;
use uuid::Uuid;

#[async_trait]
impl Control for Service {
    async fn open_session(
        &self,
        session_id: SessionId,
        root: AgentType,
        settings: SessionSettings,
    ) -> Result<Registered, Error> {
        let inner = &self.inner;
        let settings = inner.settled(settings)?;
        let known = [Ancestor {
            agent_id: AgentId::from_uuid(Uuid::nil()),
            agent_type: root.clone(),
        }];
        inner.standing(&known.to_vec(), &settings)?;
        let revision = inner.policy.revision(&settings);
        inner.start(revision).await?;
        let mut entry = Entry::new((inner.clock)(), Action::Configure);
        entry.session_id = Some(session_id);
        entry.params_hash = Some(revision);
        entry.detail = configured(&settings);
        inner
            .state
            .add_session(session_id, Session::new(settings, revision))?;
        let registered = async {
            inner
                .record(entry, Durability::Grouped)
                .await
                .map_err(ledger::refused)?;
            let session = inner.state.session(session_id)?;
            let ended = lock(&session).ended.child_token();
            let inherited = (Label::nothing(), ended);
            inner
                .register(session_id, &session, Vec::new(), root, inherited)
                .await
        };
        let registered = registered.await;
        if registered.is_err() {
            inner.state.remove_session(session_id);
        }
        registered
    }

    async fn configure(
        &self,
        session_id: SessionId,
        settings: SessionSettings,
    ) -> Result<(), Error> {
        let inner = &self.inner;
        let session = inner.state.session(session_id)?;
        let settings = inner.settled(settings)?;
        let revision = inner.policy.revision(&settings);
        let mut entry = Entry::new((inner.clock)(), Action::Configure);
        entry.session_id = Some(session_id);
        entry.params_hash = Some(revision);
        entry.detail = configured(&settings);
        inner
            .record(entry, Durability::Grouped)
            .await
            .map_err(ledger::refused)?;
        let mut session = lock(&session);
        for agent in session.agents.values_mut() {
            agent.standing = Arc::new(inner.standing(&agent.lineage, &settings)?);
        }
        if session.revision != revision {
            session.approvals.forget();
        }
        session.provenance.work_in(&settings.workspace);
        session.settings = Arc::new(settings);
        session.revision = revision;
        Ok(())
    }

    async fn answer(
        &self,
        session_id: SessionId,
        confirmation_id: ConfirmationId,
        binding: Digest,
        answer: ConfirmationAnswer,
        by: Answerer,
    ) -> Result<(), Error> {
        self.inner
            .take_answer(session_id, confirmation_id, binding, (answer, by))
            .await
    }

    async fn explain(
        &self,
        agent_type: AgentType,
        tool: String,
        arguments: Value,
        settings: SessionSettings,
    ) -> Result<Decision, Error> {
        let inner = &self.inner;
        let settings = inner.settled(settings)?;
        let lineage = vec![Ancestor {
            agent_id: AgentId::from_uuid(Uuid::nil()),
            agent_type,
        }];
        let standing = inner.standing(&lineage, &settings)?;
        let judgement = inner
            .judge_alone(&standing, &settings, &tool, &arguments)
            .await;
        Ok(judgement.decision())
    }

    async fn list_tools(&self) -> Result<Vec<ToolListing>, Error> {
        let policy = &self.inner.policy;
        let by_type: Vec<(AgentType, Standing)> = self.standings()?;
        let listing = policy
            .table()
            .tools()
            .iter()
            .enumerate()
            .map(|(index, tool)| {
                let users = by_type
                    .iter()
                    .filter(|(_, standing)| standing.may_use(index));
                ToolListing {
                    definition: tool.spec.definition.clone(),
                    capability: tool.spec.capability.clone(),
                    effect: tool.spec.effect,
                    agent_types: users.map(|(agent, _)| agent.clone()).collect(),
                }
            });
        Ok(listing.collect())
    }

    async fn list_agents(&self) -> Result<Vec<AgentListing>, Error> {
        let policy = &self.inner.policy;
        let listing = self
            .standings()?
            .into_iter()
            .filter_map(|(agent_type, standing)| {
                let rule = policy.manifest().agents.get(&agent_type)?;
                let tools = policy.table().tools().iter().enumerate();
                Some(AgentListing {
                    description: rule.description.clone(),
                    tools: tools
                        .filter(|(index, _)| standing.may_use(*index))
                        .map(|(_, tool)| tool.spec.definition.name.clone())
                        .collect(),
                    can_spawn: rule.can_spawn.iter().cloned().collect(),
                    model_role: rule.model_role,
                    orchestrates: rule.orchestrates,
                    tokens: rule.agent_tokens.unwrap_or(AGENT_TOKENS),
                    time: rule.agent_time.unwrap_or(AGENT_TIME),
                    agent_type,
                })
            });
        Ok(listing.collect())
    }

    async fn hear(
        &self,
        session_id: SessionId,
        text: String,
        begins: Option<TraceId>,
    ) -> Result<(), Error> {
        if text.len() > USER_TEXT_BYTES {
            let detail = format!("A message may have {USER_TEXT_BYTES} bytes.");
            return Err(Error::new(ErrorKind::LimitReached, detail));
        }
        let session = self.inner.state.session(session_id)?;
        let tools = self.inner.policy.table().tools().iter();
        let requested = Requested::of(&text, tools.map(|tool| &tool.spec));
        lock(&session).hear(text, requested, begins);
        Ok(())
    }

    async fn approve_call(
        &self,
        session_id: SessionId,
        trace_id: TraceId,
        call: PlannedCall,
    ) -> Result<(), Error> {
        let session = self.inner.state.session(session_id)?;
        let call = self.inner.step_key(&call.tool, &call.arguments);
        match lock(&session).approve(trace_id, call) {
            true => Ok(()),
            false => Err(Error::new(
                ErrorKind::UnknownCall,
                "No words of the user began this work.",
            )),
        }
    }

    async fn recall(&self, session_id: SessionId, label: Label) -> Result<(), Error> {
        let session = self.inner.state.session(session_id)?;
        let mut session = lock(&session);
        let roots = session
            .agents
            .values_mut()
            .filter(|agent| agent.lineage.len() == 1);
        roots.for_each(|root| root.takes_in(&label));
        Ok(())
    }

    async fn list_grants(&self, session_id: SessionId) -> Result<Vec<GrantListing>, Error> {
        let session = self.inner.state.session(session_id)?;
        let session = lock(&session);
        let outside = |id| session.agents.get(&id).map(|agent| agent.outside);
        Ok(session.approvals.listed(outside))
    }

    async fn programs(
        &self,
        session_id: SessionId,
        wanted: Programs,
    ) -> Result<Vec<Program>, Error> {
        self.inner.programs(session_id, wanted).await
    }

    async fn stop_jobs(
        &self,
        session_id: SessionId,
        name: Option<String>,
    ) -> Result<Vec<String>, Error> {
        self.inner.stop_jobs(session_id, name.as_deref()).await
    }

    async fn close_session(&self, session_id: SessionId) -> Result<(), Error> {
        let inner = &self.inner;
        let Some(session) = inner.state.remove_session(session_id) else {
            return inner.state.session(session_id).map(|_| ());
        };
        lock(&session).ended.cancel();
        inner.executor.session_closed(session_id).await;
        let mut entry = Entry::new((inner.clock)(), Action::Configure);
        entry.session_id = Some(session_id);
        entry.detail = "closed".to_owned();
        inner
            .record(entry, Durability::Grouped)
            .await
            .map_err(ledger::refused)
    }
}

impl Service {
    fn standings(&self) -> Result<Vec<(AgentType, Standing)>, Error> {
        let closed = SessionSettings::closed(PathBuf::from("/"));
        let types = self.inner.policy.manifest().agents.keys();
        types
            .map(|agent_type| {
                let lineage = vec![Ancestor {
                    agent_id: AgentId::from_uuid(Uuid::nil()),
                    agent_type: agent_type.clone(),
                }];
                Ok((agent_type.clone(), self.inner.standing(&lineage, &closed)?))
            })
            .collect()
    }
}

/// A ceiling in a few fixed words.
fn configured(settings: &SessionSettings) -> String {
    let level = match settings.override_level {
        OverrideLevel::None => "none",
        OverrideLevel::Relax => "relax",
        OverrideLevel::All => "all",
    };
    format!(
        "override={level} grants={} disabled={} allow_write={} allow_read={} yes={}",
        settings.grants.len(),
        settings.disabled_tools.len(),
        settings.allow_write.len(),
        settings.allow_read.len(),
        settings.auto_approve.len()
    )
}
