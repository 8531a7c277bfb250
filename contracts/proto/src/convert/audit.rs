//! Audit: records.

use super::{
    InvalidField, WireEnum, each, name, optional, optional_text, required, text, time, wire_enum,
    wire_time,
};
use crate::generated as proto;
use api::audit::{Action, Durability, Entry, ModelCall};
use domain::decision::{Layer, Verdict};

wire_enum!(
    Action,
    proto::AuditAction {
        Start,
        Stop,
        RegisterAgent,
        ReleaseAgent,
        Validate,
        Decide,
        Intent,
        Outcome,
        Confirmation,
        PlanApproval,
        Configure,
        ModelCall,
        MemoryRead,
        MemoryWrite,
        SecretRead,
        Recovery,
        Fetch,
    }
);
wire_enum!(Durability, proto::Durability { Durable, Grouped });

impl From<ModelCall> for proto::AuditModelCall {
    fn from(call: ModelCall) -> Self {
        Self {
            model: Some(call.model.into()),
            prompt_tokens: call.prompt_tokens,
            completion_tokens: call.completion_tokens,
            prompt_hash: call.prompt_hash.to_string(),
            answer_hash: call.answer_hash.to_string(),
        }
    }
}

impl TryFrom<proto::AuditModelCall> for ModelCall {
    type Error = InvalidField;

    fn try_from(wire: proto::AuditModelCall) -> Result<Self, InvalidField> {
        Ok(Self {
            model: required(wire.model, "model")?,
            prompt_tokens: wire.prompt_tokens,
            completion_tokens: wire.completion_tokens,
            prompt_hash: text(&wire.prompt_hash, "prompt_hash")?,
            answer_hash: text(&wire.answer_hash, "answer_hash")?,
        })
    }
}

impl From<(Entry, Durability)> for proto::Record {
    fn from((entry, durability): (Entry, Durability)) -> Self {
        let decision = |(verdict, layer): (Verdict, Layer)| proto::AuditDecision {
            verdict: verdict.to_wire(),
            layer: layer.to_wire(),
        };
        Self {
            time: Some(wire_time(entry.time)),
            session_id: entry.session_id.map(|id| id.to_string()),
            agent_id: entry.agent_id.map(|id| id.to_string()),
            agent_type: entry.agent_type.map(Into::into),
            lineage: entry.lineage.into_iter().map(Into::into).collect(),
            action: entry.action.to_wire(),
            call_id: entry.call_id.map(|id| id.to_string()),
            tool: entry.tool.map(Into::into),
            params_hash: entry.params_hash.map(|hash| hash.to_string()),
            decision: entry.decision.map(decision),
            label: entry.label.map(Into::into),
            status: entry.status.map(WireEnum::to_wire),
            duration_ms: entry.duration_ms,
            model_call: entry.model_call.map(Into::into),
            detail: entry.detail,
            durability: durability.to_wire(),
        }
    }
}

fn decision(wire: proto::AuditDecision) -> Result<(Verdict, Layer), InvalidField> {
    Ok((
        WireEnum::from_wire(wire.verdict, "decision.verdict")?,
        WireEnum::from_wire(wire.layer, "decision.layer")?,
    ))
}

impl TryFrom<proto::Record> for (Entry, Durability) {
    type Error = InvalidField;

    fn try_from(wire: proto::Record) -> Result<Self, InvalidField> {
        let status = wire.status;
        let entry = Entry {
            time: time(wire.time, "time")?,
            session_id: optional_text(wire.session_id.as_deref(), "session_id")?,
            agent_id: optional_text(wire.agent_id.as_deref(), "agent_id")?,
            agent_type: wire.agent_type.map(|n| name(n, "agent_type")).transpose()?,
            lineage: each(wire.lineage, "lineage")?,
            action: WireEnum::from_wire(wire.action, "action")?,
            call_id: optional_text(wire.call_id.as_deref(), "call_id")?,
            tool: wire.tool.map(|n| name(n, "tool")).transpose()?,
            params_hash: optional_text(wire.params_hash.as_deref(), "params_hash")?,
            decision: wire.decision.map(decision).transpose()?,
            label: optional(wire.label, "label")?,
            status: status
                .map(|s| WireEnum::from_wire(s, "status"))
                .transpose()?,
            duration_ms: wire.duration_ms,
            model_call: optional(wire.model_call, "model_call")?,
            detail: wire.detail,
        };
        Ok((entry, WireEnum::from_wire(wire.durability, "durability")?))
    }
}
