//! What the fake broker knows: tools, sessions, agents, questions, plans.

use super::super::Gate;
use api::CallContext;
use api::broker::{CallRequest, Error, ErrorKind, GrantListing, PlannedCall, Registered};
use api::executor::{Progress, ToolFailure};
use api::programs::Program;
use domain::decision::{Decision, Finding, Layer, Verdict};
use domain::event::{CallStatus, ConfirmationAnswer};
use domain::hash::Digest;
use domain::id::{AgentId, AgentToken, CallId, ConfirmationId, PlanId, SessionId, TraceId};
use domain::label::Label;
use domain::lineage::{AgentType, Ancestor, Lineage};
use domain::settings::SessionSettings;
use domain::token::Answerer;
use domain::tool::{EffectClass, ToolDefinition, ToolName, ToolOutput};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use tokio::sync::oneshot;

/// A scripted tool with a fixed verdict.
#[derive(Debug, Clone)]
pub struct BrokerTool {
    /// What a model is told.
    pub definition: ToolDefinition,
    pub(super) verdict: Verdict,
    pub(super) effect: EffectClass,
    pub(super) status: CallStatus,
    pub(super) text: String,
    pub(super) data: Value,
    pub(super) label: Label,
    pub(super) progress: Vec<Progress>,
    pub(super) gate: Option<Gate>,
    /// Whether whoever calls it runs it.
    pub(super) is_own: bool,
}

impl BrokerTool {
    /// A tool that takes any arguments and returns its own name.
    ///
    /// # Panics
    /// When the name cannot name a tool.
    #[must_use]
    pub fn new(name: &str, verdict: Verdict, effect: EffectClass) -> Self {
        Self {
            definition: ToolDefinition {
                name: ToolName::new(name).unwrap(),
                description: format!("Does {name}."),
                parameters: json!({"type": "object"}),
            },
            verdict,
            effect,
            status: CallStatus::Ok,
            text: name.to_owned(),
            data: json!({"tool": name}),
            label: Label::untrusted("fake"),
            progress: Vec::new(),
            gate: None,
            is_own: false,
        }
    }

    /// It returns this text.
    #[must_use]
    pub fn returns(mut self, text: impl Into<String>) -> Self {
        self.text = text.into();
        self
    }

    /// It returns this data for programs.
    #[must_use]
    pub fn with_data(mut self, data: Value) -> Self {
        self.data = data;
        self
    }

    /// What it returns has this label.
    #[must_use]
    pub fn labelled(mut self, label: Label) -> Self {
        self.label = label;
        self
    }

    /// It fails with this text.
    #[must_use]
    pub fn fails(mut self, text: impl Into<String>) -> Self {
        self.status = CallStatus::Failed;
        self.text = text.into();
        self
    }

    /// It reports progress before it ends.
    #[must_use]
    pub fn reports(mut self, message: &str, percent: Option<u8>) -> Self {
        self.progress.push(Progress {
            message: message.to_owned(),
            percent,
        });
        self
    }

    /// Whoever calls it runs it, and says what came of it.
    #[must_use]
    pub fn run_by_caller(mut self) -> Self {
        self.is_own = true;
        self
    }

    /// It waits at the gate before it ends.
    #[must_use]
    pub fn waits(mut self, gate: &Gate) -> Self {
        self.gate = Some(gate.clone());
        self
    }
}

#[derive(Debug, Clone)]
pub(super) struct Agent {
    pub(super) token: AgentToken,
    pub(super) session_id: SessionId,
    pub(super) agent_type: AgentType,
    pub(super) lineage: Lineage,
}

#[derive(Debug)]
pub(super) struct Question {
    pub(super) session_id: SessionId,
    pub(super) binding: Digest,
    pub(super) reply: oneshot::Sender<(ConfirmationAnswer, Answerer)>,
}

/// Where what a caller reports of a call goes.
pub(super) type Report = oneshot::Sender<Result<ToolOutput, ToolFailure>>;

#[derive(Debug, Default)]
pub(super) struct State {
    pub(super) tools: BTreeMap<String, BrokerTool>,
    pub(super) sessions: BTreeMap<SessionId, SessionSettings>,
    pub(super) agents: Vec<Agent>,
    pub(super) questions: BTreeMap<ConfirmationId, Question>,
    pub(super) plans: BTreeMap<PlanId, (SessionId, Vec<PlannedCall>)>,
    pub(super) always: BTreeSet<(SessionId, Digest)>,
    /// Chains of work that the user's words began.
    pub(super) begun: BTreeSet<(SessionId, TraceId)>,
    /// Calls with a yes of the user's before they are made, each in its chain of work.
    pub(super) approved: Vec<(SessionId, TraceId, PlannedCall)>,
    pub(super) grants: Vec<(SessionId, GrantListing)>,
    pub(super) calls: Vec<CallRequest>,
    pub(super) shown: Vec<(AgentId, Label)>,
    /// Calls that their callers run, by the token of the caller.
    pub(super) own_calls: HashMap<(AgentToken, CallId), Report>,
    /// Calls whose tools run.
    pub(super) running: HashMap<(AgentToken, CallId), oneshot::Sender<()>>,
    pub(super) is_audit_broken: bool,
    /// Of every session.
    pub(super) programs: Vec<Program>,
}

/// The agent types there are, and what each may spawn.
pub(super) const AGENT_TYPES: [(&str, &[&str]); 2] =
    [("assistant", &["helper"]), ("helper", &["helper"])];

/// A decision that one layer made.
pub(super) fn decide(verdict: Verdict, layer: Layer, rule: &str) -> Decision {
    Decision::strictest(vec![Finding {
        layer,
        verdict,
        rule: rule.to_owned(),
        model_reason: format!("{}: {rule}", verdict.as_str()),
        user_reason: format!("{layer} says {}: {rule}", verdict.as_str()),
    }])
}

/// What an approval of one call binds.
pub(super) fn binding(tool: &str, arguments: &Value) -> Digest {
    Digest::of_json(&json!({"tool": tool, "arguments": arguments}))
}

impl State {
    pub(super) fn check_audit(&self) -> Result<(), Error> {
        if self.is_audit_broken {
            let detail = "the audit log cannot be written: no space left on device";
            return Err(Error::new(ErrorKind::AuditUnwritable, detail));
        }
        Ok(())
    }

    pub(super) fn agent(&self, context: &CallContext) -> Result<&Agent, Error> {
        let is_it = |agent: &&Agent| {
            agent.token == context.agent_token && agent.session_id == context.session_id
        };
        let unknown = || Error::new(ErrorKind::UnknownAgent, "the token names no agent here");
        self.agents.iter().find(is_it).ok_or_else(unknown)
    }

    pub(super) fn settings(&self, session_id: SessionId) -> Result<&SessionSettings, Error> {
        let unknown = || {
            Error::new(
                ErrorKind::UnknownSession,
                format!("no session {session_id}"),
            )
        };
        self.sessions.get(&session_id).ok_or_else(unknown)
    }

    pub(super) fn register(
        &mut self,
        session_id: SessionId,
        parent: Lineage,
        agent_type: AgentType,
        id: uuid::Uuid,
    ) -> Registered {
        let agent_id = AgentId::from_uuid(id);
        let mut lineage = parent;
        lineage.push(Ancestor {
            agent_id,
            agent_type: agent_type.clone(),
        });
        let token = AgentToken::from_text(format!("fake-token-{id}"));
        self.agents.push(Agent {
            token: token.clone(),
            session_id,
            agent_type,
            lineage: lineage.clone(),
        });
        Registered {
            token,
            agent_id,
            lineage,
        }
    }

    /// One verdict a tool, after what no tool may be: unknown, disabled, outside its plan.
    pub(super) fn judge(
        &self,
        settings: &SessionSettings,
        tool: &str,
        arguments: &Value,
    ) -> Decision {
        let Some(known) = self.tools.get(tool) else {
            return decide(Verdict::Deny, Layer::Schema, "unknown_tool");
        };
        if !arguments.is_object() {
            return decide(Verdict::Deny, Layer::Schema, "invalid_arguments");
        }
        if settings.disabled_tools.contains(&known.definition.name) {
            return decide(Verdict::Deny, Layer::SessionOverride, "disabled_tool");
        }
        match known.verdict {
            Verdict::Allow => decide(Verdict::Allow, Layer::Manifest, "permitted"),
            Verdict::Deny => decide(Verdict::Deny, Layer::Manifest, "not_permitted"),
            Verdict::Confirm if settings.auto_approve.contains(&known.effect) => {
                decide(Verdict::Allow, Layer::SafetyGate, "approved_in_advance")
            }
            Verdict::Confirm => decide(Verdict::Confirm, Layer::SafetyGate, "asks"),
        }
    }

    /// The decision on a whole request, with its plan and earlier answers.
    pub(super) fn judge_request(&self, request: &CallRequest) -> Result<Decision, Error> {
        self.agent(&request.context)?;
        let session_id = request.context.session_id;
        let settings = self.settings(session_id)?;
        let decision = self.judge(settings, &request.tool, &request.arguments);
        if decision.verdict == Verdict::Deny {
            return Ok(decision);
        }
        if let Some(plan_id) = request.plan_id {
            let pinned = self.plans.get(&plan_id).is_some_and(|(session, calls)| {
                let is_it = |call: &PlannedCall| {
                    call.tool == request.tool && call.arguments == request.arguments
                };
                *session == session_id && calls.iter().any(is_it)
            });
            return Ok(if pinned {
                decide(Verdict::Allow, Layer::SafetyGate, "in_plan")
            } else {
                decide(Verdict::Deny, Layer::SafetyGate, "not_in_plan")
            });
        }
        let bound = (session_id, binding(&request.tool, &request.arguments));
        if decision.verdict == Verdict::Confirm && self.always.contains(&bound) {
            return Ok(decide(
                Verdict::Allow,
                Layer::SafetyGate,
                "approved_for_session",
            ));
        }
        Ok(decision)
    }

    /// Uses up the yes of the user's to a call that the root agent makes, if there is one.
    pub(super) fn use_approval(&mut self, request: &CallRequest) -> bool {
        let context = &request.context;
        let is_root = |agent: &Agent| agent.lineage.len() == 1;
        if !self.agent(context).is_ok_and(is_root) {
            return false;
        }
        let found = self.approved.iter().position(|(session, trace, call)| {
            (*session, *trace) == (context.session_id, context.trace_id)
                && (&call.tool, &call.arguments) == (&request.tool, &request.arguments)
        });
        found.map(|at| self.approved.remove(at)).is_some()
    }

    /// Takes a pinned call out of its plan: each runs once.
    pub(super) fn use_plan(&mut self, request: &CallRequest) {
        let calls = request.plan_id.and_then(|id| self.plans.get_mut(&id));
        if let Some((_, calls)) = calls {
            let position = calls
                .iter()
                .position(|call| call.tool == request.tool && call.arguments == request.arguments);
            if let Some(position) = position {
                calls.remove(position);
            }
        }
    }
}

/// Refuses a type that nobody knows.
pub(super) fn known_type(agent_type: &AgentType) -> Result<(), Error> {
    let is_known = AGENT_TYPES
        .iter()
        .any(|(name, _)| *name == agent_type.as_str());
    if is_known {
        Ok(())
    } else {
        let detail = format!("there is no agent type {agent_type}");
        Err(Error::new(ErrorKind::UnknownAgentType, detail))
    }
}

pub(super) fn agent_types(names: &[&str]) -> Vec<AgentType> {
    names
        .iter()
        .map(|name| AgentType::new(*name).unwrap())
        .collect()
}
