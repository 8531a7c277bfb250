//! The broker: calls, decisions, plans and listings.

use super::{
    InvalidField, WireEnum, each, json, name, names, number, optional, optional_text, required,
    text, time, wire_time,
};
use crate::generated as proto;
use api::broker::{
    AgentListing, CallRequest, GrantListing, PlanApproval, PlanEvent, PlanRequest, PlannedCall,
    Registered, ToolEvent, ToolListing, ToolResult,
};
use domain::decision::{Decision, Finding};
use domain::event::ConfirmationAnswer;
use domain::id::{AgentToken, ConfirmationId};
use domain::lineage::AgentType;
use domain::token::TokenName;
use std::time::Duration;

impl From<Registered> for proto::Registered {
    fn from(registered: Registered) -> Self {
        Self {
            agent_token: registered.token.expose().to_owned(),
            agent_id: registered.agent_id.to_string(),
            lineage: registered.lineage.into_iter().map(Into::into).collect(),
        }
    }
}

impl TryFrom<proto::Registered> for Registered {
    type Error = InvalidField;

    fn try_from(wire: proto::Registered) -> Result<Self, InvalidField> {
        if wire.agent_token.is_empty() {
            return Err(InvalidField::missing("agent_token"));
        }
        Ok(Self {
            token: AgentToken::from_text(wire.agent_token),
            agent_id: text(&wire.agent_id, "agent_id")?,
            lineage: each(wire.lineage, "lineage")?,
        })
    }
}

impl From<CallRequest> for proto::CallRequest {
    fn from(request: CallRequest) -> Self {
        Self {
            context: Some(request.context.into()),
            call_id: request.call_id.to_string(),
            tool: request.tool,
            arguments_json: request.arguments.to_string(),
            plan_id: request.plan_id.map(|id| id.to_string()),
            batch: request.batch.map(Into::into),
            recovered: request.recovered,
        }
    }
}

impl TryFrom<proto::CallRequest> for CallRequest {
    type Error = InvalidField;

    fn try_from(wire: proto::CallRequest) -> Result<Self, InvalidField> {
        Ok(Self {
            context: required(wire.context, "context")?,
            call_id: text(&wire.call_id, "call_id")?,
            tool: wire.tool,
            arguments: json(&wire.arguments_json, "arguments_json")?,
            plan_id: optional_text(wire.plan_id.as_deref(), "plan_id")?,
            batch: optional(wire.batch, "batch")?,
            recovered: wire.recovered,
        })
    }
}

impl From<Finding> for proto::Finding {
    fn from(finding: Finding) -> Self {
        Self {
            layer: finding.layer.to_wire(),
            verdict: finding.verdict.to_wire(),
            rule: finding.rule,
            model_reason: finding.model_reason,
            user_reason: finding.user_reason,
        }
    }
}

impl TryFrom<proto::Finding> for Finding {
    type Error = InvalidField;

    fn try_from(wire: proto::Finding) -> Result<Self, InvalidField> {
        Ok(Self {
            layer: WireEnum::from_wire(wire.layer, "layer")?,
            verdict: WireEnum::from_wire(wire.verdict, "verdict")?,
            rule: wire.rule,
            model_reason: wire.model_reason,
            user_reason: wire.user_reason,
        })
    }
}

impl From<Decision> for proto::Decision {
    fn from(decision: Decision) -> Self {
        Self {
            verdict: decision.verdict.to_wire(),
            layer: decision.layer.to_wire(),
            rule: decision.rule,
            model_reason: decision.model_reason,
            user_reason: decision.user_reason,
            confirmation_id: decision.confirmation_id.map(|id| id.to_string()),
            findings: decision.findings.into_iter().map(Into::into).collect(),
        }
    }
}

impl TryFrom<proto::Decision> for Decision {
    type Error = InvalidField;

    fn try_from(wire: proto::Decision) -> Result<Self, InvalidField> {
        Ok(Self {
            verdict: WireEnum::from_wire(wire.verdict, "verdict")?,
            layer: WireEnum::from_wire(wire.layer, "layer")?,
            rule: wire.rule,
            model_reason: wire.model_reason,
            user_reason: wire.user_reason,
            confirmation_id: optional_text(wire.confirmation_id.as_deref(), "confirmation_id")?,
            findings: each(wire.findings, "findings")?,
        })
    }
}

impl From<ToolResult> for proto::ToolResult {
    fn from(result: ToolResult) -> Self {
        Self {
            status: result.status.to_wire(),
            value_id: result.value_id.map(|id| id.to_string()),
            label: result.label.map(Into::into),
            text: result.text,
            data_json: result.data.to_string(),
            truncated: result.truncated,
            duration_ms: result.duration_ms,
            artifacts: result.artifacts,
        }
    }
}

impl TryFrom<proto::ToolResult> for ToolResult {
    type Error = InvalidField;

    fn try_from(wire: proto::ToolResult) -> Result<Self, InvalidField> {
        Ok(Self {
            status: WireEnum::from_wire(wire.status, "status")?,
            value_id: optional_text(wire.value_id.as_deref(), "value_id")?,
            label: optional(wire.label, "label")?,
            text: wire.text,
            data: json(&wire.data_json, "data_json")?,
            truncated: wire.truncated,
            duration_ms: wire.duration_ms,
            artifacts: wire.artifacts,
        })
    }
}

/// An answer with the question it answers, as both event streams carry it.
pub fn wire_answered(
    confirmation_id: ConfirmationId,
    answer: ConfirmationAnswer,
    by: String,
    token: Option<TokenName>,
) -> proto::ConfirmationAnswered {
    proto::ConfirmationAnswered {
        confirmation_id: confirmation_id.to_string(),
        answer: Some(answer.into()),
        by,
        token: token.map(String::from),
    }
}

/// The parts of such an answer.
pub fn answered(
    wire: proto::ConfirmationAnswered,
) -> Result<
    (
        ConfirmationId,
        ConfirmationAnswer,
        String,
        Option<TokenName>,
    ),
    InvalidField,
> {
    let within = |error: InvalidField| error.inside("confirmation_answered");
    Ok((
        text(&wire.confirmation_id, "confirmation_id").map_err(within)?,
        required(wire.answer, "answer").map_err(within)?,
        wire.by,
        optional_text(wire.token.as_deref(), "token").map_err(within)?,
    ))
}

/// A share in percent, if known.
pub fn percent(value: Option<u32>, field: &str) -> Result<Option<u8>, InvalidField> {
    value.map(|value| number(value, field)).transpose()
}

impl From<ToolEvent> for proto::ToolEvent {
    fn from(event: ToolEvent) -> Self {
        use proto::tool_event::{Event, Progress, Started};
        let event = match event {
            ToolEvent::Decided(decision) => Event::Decided(decision.into()),
            ToolEvent::ConfirmationAsked(request) => Event::ConfirmationAsked(request.into()),
            ToolEvent::ConfirmationAnswered {
                confirmation_id,
                answer,
                by,
                token,
            } => Event::ConfirmationAnswered(wire_answered(confirmation_id, answer, by, token)),
            ToolEvent::Started => Event::Started(Started {}),
            ToolEvent::Progress { message, percent } => Event::Progress(Progress {
                message,
                percent: percent.map(u32::from),
            }),
            ToolEvent::CallerRuns(call) => Event::CallerRuns(call.into()),
            ToolEvent::Notice(fault) => Event::Notice(fault.into()),
            ToolEvent::Finished(result) => Event::Finished(result.into()),
        };
        Self { event: Some(event) }
    }
}

impl TryFrom<proto::ToolEvent> for ToolEvent {
    type Error = InvalidField;

    fn try_from(wire: proto::ToolEvent) -> Result<Self, InvalidField> {
        use proto::tool_event::Event;
        Ok(
            match wire.event.ok_or_else(|| InvalidField::missing("event"))? {
                Event::Decided(decision) => Self::Decided(required(Some(decision), "decided")?),
                Event::ConfirmationAsked(request) => {
                    Self::ConfirmationAsked(required(Some(request), "confirmation_asked")?)
                }
                Event::ConfirmationAnswered(wire) => {
                    let (confirmation_id, answer, by, token) = answered(wire)?;
                    Self::ConfirmationAnswered {
                        confirmation_id,
                        answer,
                        by,
                        token,
                    }
                }
                Event::Started(_) => Self::Started,
                Event::Progress(progress) => Self::Progress {
                    message: progress.message,
                    percent: percent(progress.percent, "progress.percent")?,
                },
                Event::CallerRuns(call) => Self::CallerRuns(required(Some(call), "caller_runs")?),
                Event::Notice(fault) => Self::Notice(required(Some(fault), "notice")?),
                Event::Finished(result) => Self::Finished(required(Some(result), "finished")?),
            },
        )
    }
}

impl From<PlannedCall> for proto::PlannedCall {
    fn from(call: PlannedCall) -> Self {
        Self {
            tool: call.tool,
            arguments_json: call.arguments.to_string(),
        }
    }
}

impl TryFrom<proto::PlannedCall> for PlannedCall {
    type Error = InvalidField;

    fn try_from(wire: proto::PlannedCall) -> Result<Self, InvalidField> {
        Ok(Self {
            tool: wire.tool,
            arguments: json(&wire.arguments_json, "arguments_json")?,
        })
    }
}

impl From<PlanRequest> for proto::PinPlanRequest {
    fn from(request: PlanRequest) -> Self {
        Self {
            context: Some(request.context.into()),
            intent: request.intent,
            calls: request.calls.into_iter().map(Into::into).collect(),
            always_asks: request.approval == PlanApproval::Always,
        }
    }
}

impl TryFrom<proto::PinPlanRequest> for PlanRequest {
    type Error = InvalidField;

    fn try_from(wire: proto::PinPlanRequest) -> Result<Self, InvalidField> {
        Ok(Self {
            context: required(wire.context, "context")?,
            intent: wire.intent,
            calls: each(wire.calls, "calls")?,
            approval: match wire.always_asks {
                true => PlanApproval::Always,
                false => PlanApproval::Changes,
            },
        })
    }
}

impl From<PlanEvent> for proto::PlanEvent {
    fn from(event: PlanEvent) -> Self {
        use proto::plan_event::{Event, Pinned, Proposed, Refused};
        let event = match event {
            PlanEvent::Proposed { hash, decisions } => Event::Proposed(Proposed {
                hash: hash.to_string(),
                decisions: decisions.into_iter().map(Into::into).collect(),
            }),
            PlanEvent::ConfirmationAsked(request) => Event::ConfirmationAsked(request.into()),
            PlanEvent::ConfirmationAnswered {
                confirmation_id,
                answer,
                by,
                token,
            } => Event::ConfirmationAnswered(wire_answered(confirmation_id, answer, by, token)),
            PlanEvent::Pinned { plan_id, hash, by } => Event::Pinned(Pinned {
                plan_id: plan_id.to_string(),
                hash: hash.to_string(),
                by,
            }),
            PlanEvent::Refused { decision } => Event::Refused(Refused {
                decision: Some(decision.into()),
            }),
        };
        Self { event: Some(event) }
    }
}

impl TryFrom<proto::PlanEvent> for PlanEvent {
    type Error = InvalidField;

    fn try_from(wire: proto::PlanEvent) -> Result<Self, InvalidField> {
        use proto::plan_event::Event;
        Ok(
            match wire.event.ok_or_else(|| InvalidField::missing("event"))? {
                Event::Proposed(proposed) => Self::Proposed {
                    hash: text(&proposed.hash, "proposed.hash")?,
                    decisions: each(proposed.decisions, "proposed.decisions")?,
                },
                Event::ConfirmationAsked(request) => {
                    Self::ConfirmationAsked(required(Some(request), "confirmation_asked")?)
                }
                Event::ConfirmationAnswered(wire) => {
                    let (confirmation_id, answer, by, token) = answered(wire)?;
                    Self::ConfirmationAnswered {
                        confirmation_id,
                        answer,
                        by,
                        token,
                    }
                }
                Event::Pinned(pinned) => Self::Pinned {
                    plan_id: text(&pinned.plan_id, "pinned.plan_id")?,
                    hash: text(&pinned.hash, "pinned.hash")?,
                    by: pinned.by,
                },
                Event::Refused(refused) => Self::Refused {
                    decision: required(refused.decision, "refused.decision")?,
                },
            },
        )
    }
}

fn type_names(types: Vec<AgentType>) -> Vec<String> {
    types.into_iter().map(Into::into).collect()
}

impl From<ToolListing> for proto::ToolListing {
    fn from(listing: ToolListing) -> Self {
        Self {
            definition: Some(listing.definition.into()),
            capability: listing.capability,
            effect: listing.effect.to_wire(),
            agent_types: type_names(listing.agent_types),
        }
    }
}

impl TryFrom<proto::ToolListing> for ToolListing {
    type Error = InvalidField;

    fn try_from(wire: proto::ToolListing) -> Result<Self, InvalidField> {
        Ok(Self {
            definition: required(wire.definition, "definition")?,
            capability: wire.capability,
            effect: WireEnum::from_wire(wire.effect, "effect")?,
            agent_types: names(wire.agent_types, "agent_types")?,
        })
    }
}

impl From<GrantListing> for proto::GrantListing {
    fn from(listing: GrantListing) -> Self {
        Self {
            tool: listing.tool.into(),
            scope: listing.scope,
            given: Some(wire_time(listing.given)),
        }
    }
}

impl TryFrom<proto::GrantListing> for GrantListing {
    type Error = InvalidField;

    fn try_from(wire: proto::GrantListing) -> Result<Self, InvalidField> {
        Ok(Self {
            tool: name(wire.tool, "tool")?,
            scope: wire.scope,
            given: time(wire.given, "given")?,
        })
    }
}

impl From<AgentListing> for proto::AgentListing {
    fn from(listing: AgentListing) -> Self {
        Self {
            agent_type: listing.agent_type.into(),
            description: listing.description,
            tools: listing.tools.into_iter().map(Into::into).collect(),
            can_spawn: type_names(listing.can_spawn),
            model_role: listing.model_role.to_wire(),
            orchestrates: listing.orchestrates,
            tokens: listing.tokens,
            time_ms: u64::try_from(listing.time.as_millis()).unwrap_or(u64::MAX),
        }
    }
}

impl TryFrom<proto::AgentListing> for AgentListing {
    type Error = InvalidField;

    fn try_from(wire: proto::AgentListing) -> Result<Self, InvalidField> {
        Ok(Self {
            agent_type: name(wire.agent_type, "agent_type")?,
            description: wire.description,
            tools: names(wire.tools, "tools")?,
            can_spawn: names(wire.can_spawn, "can_spawn")?,
            model_role: WireEnum::from_wire(wire.model_role, "model_role")?,
            orchestrates: wire.orchestrates,
            tokens: wire.tokens,
            time: Duration::from_millis(wire.time_ms),
        })
    }
}
