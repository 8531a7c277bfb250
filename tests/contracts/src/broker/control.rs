//! The user's side of the fake broker.

use super::super::fresh_uuid;
use super::FakeBroker;
use super::state::{AGENT_TYPES, agent_types, known_type};
use crate::programs::{chosen, stop};
use api::broker::{
    AgentListing, Control, Error, ErrorKind, GrantListing, PlannedCall, Registered, ToolListing,
};
use api::programs::{Program, Programs};
use async_trait::async_trait;
use domain::decision::Decision;
use domain::event::ConfirmationAnswer;
use domain::hash::Digest;
use domain::id::{ConfirmationId, SessionId, TraceId};
use domain::label::Label;
use domain::lineage::AgentType;
use domain::model::ModelRole;
use domain::settings::SessionSettings;
use domain::token::Answerer;
use serde_json::Value;

#[async_trait]
impl Control for FakeBroker {
    async fn open_session(
        &self,
        session_id: SessionId,
        root: AgentType,
        settings: SessionSettings,
    ) -> Result<Registered, Error> {
        let mut state = self.state.lock().unwrap();
        state.check_audit()?;
        known_type(&root)?;
        if !settings.workspace.is_absolute() {
            let detail = format!("{} is not an absolute path", settings.workspace.display());
            return Err(Error::new(ErrorKind::InvalidSettings, detail));
        }
        state.sessions.insert(session_id, settings);
        Ok(state.register(session_id, Vec::new(), root, fresh_uuid()))
    }

    async fn configure(
        &self,
        session_id: SessionId,
        settings: SessionSettings,
    ) -> Result<(), Error> {
        let mut state = self.state.lock().unwrap();
        state.settings(session_id)?;
        state.sessions.insert(session_id, settings);
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
        let unknown = || {
            let detail = format!("no open question {confirmation_id}");
            Error::new(ErrorKind::UnknownConfirmation, detail)
        };
        let mut state = self.state.lock().unwrap();
        let question = state.questions.get(&confirmation_id).ok_or_else(unknown)?;
        if question.session_id != session_id {
            return Err(unknown());
        }
        if question.binding != binding {
            let detail = "the answer is for something else than what is asked";
            return Err(Error::new(ErrorKind::BindingMismatch, detail));
        }
        let question = state
            .questions
            .remove(&confirmation_id)
            .ok_or_else(unknown)?;
        question
            .reply
            .send((answer, by))
            .map_err(|_unheard| unknown())
    }

    async fn explain(
        &self,
        agent_type: AgentType,
        tool: String,
        arguments: Value,
        settings: SessionSettings,
    ) -> Result<Decision, Error> {
        known_type(&agent_type)?;
        let state = self.state.lock().unwrap();
        Ok(state.judge(&settings, &tool, &arguments))
    }

    async fn list_tools(&self) -> Result<Vec<ToolListing>, Error> {
        let state = self.state.lock().unwrap();
        let listing = |tool: &super::BrokerTool| ToolListing {
            definition: tool.definition.clone(),
            capability: "fake".to_owned(),
            effect: tool.effect,
            agent_types: agent_types(&["assistant", "helper"]),
        };
        Ok(state.tools.values().map(listing).collect())
    }

    async fn list_agents(&self) -> Result<Vec<AgentListing>, Error> {
        let state = self.state.lock().unwrap();
        let tools = state
            .tools
            .values()
            .map(|tool| tool.definition.name.clone());
        let tools: Vec<_> = tools.collect();
        let listing = |(name, spawns): &(&str, &[&str])| AgentListing {
            agent_type: AgentType::new(*name).unwrap(),
            description: format!("The {name}."),
            tools: tools.clone(),
            can_spawn: agent_types(spawns),
            model_role: ModelRole::Fast,
            orchestrates: false,
            tokens: domain::limits::AGENT_TOKENS,
            time: domain::limits::AGENT_TIME,
        };
        Ok(AGENT_TYPES.iter().map(listing).collect())
    }

    async fn hear(
        &self,
        session_id: SessionId,
        _: String,
        begins: Option<TraceId>,
    ) -> Result<(), Error> {
        let mut state = self.state.lock().unwrap();
        state.settings(session_id)?;
        state.begun.extend(begins.map(|trace| (session_id, trace)));
        Ok(())
    }

    async fn approve_call(
        &self,
        session_id: SessionId,
        trace_id: TraceId,
        call: PlannedCall,
    ) -> Result<(), Error> {
        let mut state = self.state.lock().unwrap();
        state.settings(session_id)?;
        if !state.begun.contains(&(session_id, trace_id)) {
            let detail = "no words of the user began this work";
            return Err(Error::new(ErrorKind::UnknownCall, detail));
        }
        state.approved.push((session_id, trace_id, call));
        Ok(())
    }

    async fn recall(&self, session_id: SessionId, _: Label) -> Result<(), Error> {
        self.state.lock().unwrap().settings(session_id).map(drop)
    }

    async fn list_grants(&self, session_id: SessionId) -> Result<Vec<GrantListing>, Error> {
        let state = self.state.lock().unwrap();
        state.settings(session_id)?;
        let grants = state.grants.iter().filter(|(id, _)| *id == session_id);
        Ok(grants.map(|(_, grant)| grant.clone()).collect())
    }

    async fn programs(
        &self,
        session_id: SessionId,
        wanted: Programs,
    ) -> Result<Vec<Program>, Error> {
        let state = self.state.lock().unwrap();
        state.settings(session_id)?;
        Ok(chosen(&state.programs, &wanted))
    }

    async fn stop_jobs(
        &self,
        session_id: SessionId,
        name: Option<String>,
    ) -> Result<Vec<String>, Error> {
        let mut state = self.state.lock().unwrap();
        state.settings(session_id)?;
        Ok(stop(&mut state.programs, name.as_deref()))
    }

    async fn close_session(&self, session_id: SessionId) -> Result<(), Error> {
        let mut state = self.state.lock().unwrap();
        let known = state.sessions.remove(&session_id);
        known.ok_or_else(|| {
            Error::new(
                ErrorKind::UnknownSession,
                format!("no session {session_id}"),
            )
        })?;
        state.agents.retain(|agent| agent.session_id != session_id);
        // A question whose sender is dropped is answered with no.
        state
            .questions
            .retain(|_, question| question.session_id != session_id);
        state.plans.retain(|_, (session, _)| *session != session_id);
        Ok(())
    }
}
