//! Audit entries: what the broker records, and that nothing goes on when it cannot.

use crate::state::{About, Caller};
use api::audit::{Action, Durability, Entry};
use api::broker::{Error, ErrorKind};
use domain::Timestamp;
use domain::decision::{Decision, Finding, Layer, Verdict};
use domain::event::CallStatus;
use domain::hash::{Digest, canonical_json};
use domain::id::{AgentId, CallId};
use domain::label::Label;
use domain::lineage::{AgentType, Lineage};
use domain::tool::{EffectClass, ToolName};
use serde_json::Value;

/// The parts of a call that every record about it repeats.
#[derive(Debug, Clone)]
pub(crate) struct CallRecord {
    pub(crate) caller: Caller,
    pub(crate) call_id: CallId,
    pub(crate) tool: Option<ToolName>,
    pub(crate) params_hash: Digest,
}

impl CallRecord {
    pub(crate) fn entry(&self, now: Timestamp, action: Action) -> Entry {
        let mut entry = agent_entry(&self.caller, now, action);
        entry.call_id = Some(self.call_id);
        entry.tool = self.tool.clone();
        entry.params_hash = Some(self.params_hash);
        entry
    }

    /// A decision, by verdict, layer and rule; never by its reasons, which hold a model's words.
    pub(crate) fn decided(&self, now: Timestamp, action: Action, decision: &Decision) -> Entry {
        let mut entry = self.entry(now, action);
        entry.decision = Some((decision.verdict, decision.layer));
        entry.detail = decision.rule.clone();
        entry
    }

    /// Tells the process log that the call was refused, and nothing of what a model wrote: a tool
    /// that there is not has no name there.
    pub(crate) fn log_refusal(&self, decision: &Decision) {
        let session = self.caller.session_id;
        let tool = self.tool.as_ref().map_or("unknown", ToolName::as_str);
        let (layer, rule) = (decision.layer.as_str(), decision.rule.as_str());
        tracing::info!(%session, tool, layer, rule, "a call was refused");
    }

    /// What an answer about the call is on record with.
    pub(crate) fn about(&self, now: Timestamp, layer: Layer) -> About {
        let entry = self.entry(now, Action::Confirmation);
        About { entry, layer }
    }

    pub(crate) fn intent(&self, now: Timestamp, label: &Label) -> Entry {
        let mut entry = self.entry(now, Action::Intent);
        entry.label = Some(label.clone());
        entry
    }

    pub(crate) fn outcome(
        &self,
        now: Timestamp,
        status: CallStatus,
        duration_ms: u64,
        label: Option<Label>,
        detail: &str,
    ) -> Entry {
        let mut entry = self.entry(now, Action::Outcome);
        entry.status = Some(status);
        entry.duration_ms = Some(duration_ms);
        entry.label = label;
        entry.detail = detail.to_owned();
        entry
    }
}

/// An entry about what an agent asked for.
pub(crate) fn agent_entry(caller: &Caller, now: Timestamp, action: Action) -> Entry {
    registration(
        caller.session_id,
        (caller.agent_id, &caller.agent_type, &caller.lineage),
        now,
        action,
    )
}

/// An entry about an agent that has no token yet.
pub(crate) fn registration(
    session_id: domain::id::SessionId,
    (agent_id, agent_type, lineage): (AgentId, &AgentType, &Lineage),
    now: Timestamp,
    action: Action,
) -> Entry {
    let mut entry = Entry::new(now, action);
    entry.session_id = Some(session_id);
    entry.agent_id = Some(agent_id);
    entry.agent_type = Some(agent_type.clone());
    entry.lineage = lineage.clone();
    entry
}

/// How sure the intent must be before the effect: what cannot be taken back waits for the disk.
pub(crate) const fn durability(effect: EffectClass) -> Durability {
    match effect {
        EffectClass::Read | EffectClass::SelfWrite | EffectClass::SharedWrite => {
            Durability::Grouped
        }
        EffectClass::Destructive
        | EffectClass::Exec
        | EffectClass::Config
        | EffectClass::Egress
        | EffectClass::Money => Durability::Durable,
    }
}

/// A digest of arguments under a key of this process, so that small values cannot be guessed.
pub(crate) fn params_hash(key: &[u8; 32], arguments: &Value) -> Digest {
    let hash = blake3::keyed_hash(key, canonical_json(arguments).as_bytes());
    Digest::from_bytes(*hash.as_bytes())
}

/// The finding when the audit log takes nothing.
pub(crate) fn unwritable(error: &api::audit::Error) -> Finding {
    Finding {
        layer: Layer::Integrity,
        verdict: Verdict::Deny,
        rule: "audit_unwritable".to_owned(),
        model_reason: "Tools are off because of a fault in the system. Report `failed`.".to_owned(),
        user_reason: format!(
            "Nothing runs that cannot be recorded: {error}. `carl doctor` names the folder."
        ),
    }
}

/// The error when the audit log takes nothing.
pub(crate) fn refused(error: api::audit::Error) -> Error {
    Error::new(
        ErrorKind::AuditUnwritable,
        format!("Nothing goes on that cannot be recorded: {error}."),
    )
    .with_source(error)
}
