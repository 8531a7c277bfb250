//! Nouns that several services speak.

use super::{
    InvalidField, WireEnum, each, json, name, number, optional, required, text, time, wire_enum,
    wire_time,
};
use crate::generated as proto;
use api::CallContext;
use domain::decision::{Layer, Verdict};
use domain::event::{
    Batch, CallStatus, ConfirmationAnswer, ConfirmationKind, ConfirmationRequest, StepChange,
};
use domain::fault::Fault;
use domain::id::AgentToken;
use domain::label::{Integrity, Label, Readers};
use domain::lineage::Ancestor;
use domain::message::{Thinking, ToolCall};
use domain::model::{
    FinishReason, ModelChoice, ModelClass, ModelRef, ModelRole, PromptProgress, Usage,
};
use domain::picture::{Picture, PictureKind};
use domain::quality::Winner;
use domain::tool::{EffectClass, ToolDefinition};

wire_enum!(
    Integrity,
    proto::Integrity {
        Trusted,
        Endorsed,
        Untrusted
    }
);
wire_enum!(
    PictureKind,
    proto::PictureKind {
        Png,
        Jpeg,
        Gif,
        Webp
    }
);
wire_enum!(
    Verdict,
    proto::Verdict {
        Allow,
        Confirm,
        Deny
    }
);
wire_enum!(
    Layer,
    proto::Layer {
        Schema,
        SessionOverride,
        Manifest,
        Lineage,
        Path,
        Egress,
        InformationFlow,
        SafetyGate,
        Limits,
        Integrity,
    }
);
wire_enum!(
    EffectClass,
    proto::EffectClass {
        Read,
        SelfWrite,
        SharedWrite,
        Destructive,
        Exec,
        Config,
        Egress,
        Money,
    }
);
wire_enum!(
    CallStatus,
    proto::CallStatus {
        Ok,
        Failed,
        Denied,
        Cancelled
    }
);
wire_enum!(
    ConfirmationKind,
    proto::ConfirmationKind {
        Call,
        Plan,
        WriteRoot
    }
);
wire_enum!(Winner, proto::Winner { A, B, Tie });
wire_enum!(
    ModelRole,
    proto::ModelRole {
        Fast,
        Reason,
        Code,
        Judge,
        Extract,
        Embed
    }
);
wire_enum!(
    ModelClass,
    proto::ModelClass {
        Tiny,
        Small,
        Medium,
        Large
    }
);
wire_enum!(
    FinishReason,
    proto::FinishReason {
        Stop,
        ToolCalls,
        Length,
        ContentFilter,
        Cancelled,
        Repetition,
    }
);

impl From<CallContext> for proto::CallContext {
    fn from(context: CallContext) -> Self {
        Self {
            session_id: context.session_id.to_string(),
            agent_token: context.agent_token.expose().to_owned(),
            trace_id: context.trace_id.to_string(),
        }
    }
}

impl TryFrom<proto::CallContext> for CallContext {
    type Error = InvalidField;

    fn try_from(wire: proto::CallContext) -> Result<Self, InvalidField> {
        Ok(Self {
            session_id: text(&wire.session_id, "session_id")?,
            agent_token: AgentToken::from_text(wire.agent_token),
            trace_id: text(&wire.trace_id, "trace_id")?,
        })
    }
}

impl From<Fault> for proto::Fault {
    fn from(fault: Fault) -> Self {
        Self {
            code: fault.code,
            message: fault.message,
            hint: fault.hint,
        }
    }
}

impl TryFrom<proto::Fault> for Fault {
    type Error = InvalidField;

    fn try_from(wire: proto::Fault) -> Result<Self, InvalidField> {
        Ok(Self {
            code: wire.code,
            message: wire.message,
            hint: wire.hint,
        })
    }
}

impl From<Label> for proto::Label {
    fn from(label: Label) -> Self {
        use proto::readers::Kind;
        let (kind, names) = match label.readers {
            Readers::Public => (Kind::Public, Vec::new()),
            Readers::Only(names) => (Kind::Only, names.into_iter().collect()),
            Readers::Nobody => (Kind::Nobody, Vec::new()),
        };
        Self {
            integrity: label.integrity.to_wire(),
            readers: Some(proto::Readers {
                kind: kind as i32,
                names,
            }),
            origins: label.origins.into_iter().collect(),
            trusted_origins: label.trusted_origins.into_iter().collect(),
            persistent: label.persistent,
        }
    }
}

impl TryFrom<proto::Readers> for Readers {
    type Error = InvalidField;

    fn try_from(wire: proto::Readers) -> Result<Self, InvalidField> {
        use proto::readers::Kind;
        match Kind::try_from(wire.kind) {
            Ok(Kind::Public) => Ok(Self::Public),
            Ok(Kind::Only) => Ok(Self::Only(wire.names.into_iter().collect())),
            Ok(Kind::Nobody) => Ok(Self::Nobody),
            Ok(Kind::Unspecified) => Err(InvalidField::missing("kind")),
            Err(unknown) => Err(InvalidField::new("kind", unknown)),
        }
    }
}

impl TryFrom<proto::Label> for Label {
    type Error = InvalidField;

    fn try_from(wire: proto::Label) -> Result<Self, InvalidField> {
        Ok(Self {
            integrity: Integrity::from_wire(wire.integrity, "integrity")?,
            readers: required(wire.readers, "readers")?,
            origins: wire.origins.into_iter().collect(),
            trusted_origins: wire.trusted_origins.into_iter().collect(),
            persistent: wire.persistent,
        })
    }
}

impl From<Ancestor> for proto::Ancestor {
    fn from(ancestor: Ancestor) -> Self {
        Self {
            agent_id: ancestor.agent_id.to_string(),
            agent_type: ancestor.agent_type.into(),
        }
    }
}

impl TryFrom<proto::Ancestor> for Ancestor {
    type Error = InvalidField;

    fn try_from(wire: proto::Ancestor) -> Result<Self, InvalidField> {
        Ok(Self {
            agent_id: text(&wire.agent_id, "agent_id")?,
            agent_type: name(wire.agent_type, "agent_type")?,
        })
    }
}

impl From<ConfirmationRequest> for proto::ConfirmationRequest {
    fn from(request: ConfirmationRequest) -> Self {
        Self {
            confirmation_id: request.confirmation_id.to_string(),
            kind: request.kind.to_wire(),
            agent_type: request.agent_type.into(),
            effect: request.effect.to_wire(),
            reason: request.reason,
            rendering: request.rendering,
            diff: request.diff,
            binding: request.binding.to_string(),
            expires: Some(wire_time(request.expires)),
            lineage: request.lineage.into_iter().map(Into::into).collect(),
            batch: request.batch.map(Into::into),
            steps: request.steps.into_iter().map(Into::into).collect(),
        }
    }
}

impl TryFrom<proto::ConfirmationRequest> for ConfirmationRequest {
    type Error = InvalidField;

    fn try_from(wire: proto::ConfirmationRequest) -> Result<Self, InvalidField> {
        Ok(Self {
            confirmation_id: text(&wire.confirmation_id, "confirmation_id")?,
            kind: WireEnum::from_wire(wire.kind, "kind")?,
            agent_type: name(wire.agent_type, "agent_type")?,
            effect: WireEnum::from_wire(wire.effect, "effect")?,
            reason: wire.reason,
            rendering: wire.rendering,
            diff: wire.diff,
            binding: text(&wire.binding, "binding")?,
            expires: time(wire.expires, "expires")?,
            lineage: each(wire.lineage, "lineage")?,
            batch: optional(wire.batch, "batch")?,
            steps: wire.steps.into_iter().map(Into::into).collect(),
        })
    }
}

impl From<StepChange> for proto::StepChange {
    fn from(change: StepChange) -> Self {
        Self {
            step: change.step,
            diff: change.diff,
        }
    }
}

impl From<proto::StepChange> for StepChange {
    fn from(wire: proto::StepChange) -> Self {
        Self {
            step: wire.step,
            diff: wire.diff,
        }
    }
}

impl From<Batch> for proto::Batch {
    fn from(batch: Batch) -> Self {
        Self {
            batch_id: batch.batch_id.to_string(),
            position: batch.position,
            size: batch.size,
        }
    }
}

impl TryFrom<proto::Batch> for Batch {
    type Error = InvalidField;

    fn try_from(wire: proto::Batch) -> Result<Self, InvalidField> {
        Ok(Self {
            batch_id: text(&wire.batch_id, "batch_id")?,
            position: wire.position,
            size: wire.size,
        })
    }
}

impl From<ConfirmationAnswer> for proto::ConfirmationAnswer {
    fn from(answer: ConfirmationAnswer) -> Self {
        use proto::confirmation_answer::Choice;
        let (choice, message) = match answer {
            ConfirmationAnswer::Once => (Choice::Once, String::new()),
            ConfirmationAnswer::Session => (Choice::Session, String::new()),
            ConfirmationAnswer::Deny { message } => (Choice::Deny, message),
        };
        Self {
            choice: choice as i32,
            message,
        }
    }
}

impl TryFrom<proto::ConfirmationAnswer> for ConfirmationAnswer {
    type Error = InvalidField;

    fn try_from(wire: proto::ConfirmationAnswer) -> Result<Self, InvalidField> {
        use proto::confirmation_answer::Choice;
        match Choice::try_from(wire.choice) {
            Ok(Choice::Once) => Ok(Self::Once),
            Ok(Choice::Session) => Ok(Self::Session),
            Ok(Choice::Deny) => Ok(Self::Deny {
                message: wire.message,
            }),
            Ok(Choice::Unspecified) => Err(InvalidField::missing("choice")),
            Err(unknown) => Err(InvalidField::new("choice", unknown)),
        }
    }
}

impl From<ToolDefinition> for proto::ToolDefinition {
    fn from(definition: ToolDefinition) -> Self {
        Self {
            name: definition.name.into(),
            description: definition.description,
            parameters_json: definition.parameters.to_string(),
        }
    }
}

impl TryFrom<proto::ToolDefinition> for ToolDefinition {
    type Error = InvalidField;

    fn try_from(wire: proto::ToolDefinition) -> Result<Self, InvalidField> {
        Ok(Self {
            name: name(wire.name, "name")?,
            description: wire.description,
            parameters: json(&wire.parameters_json, "parameters_json")?,
        })
    }
}

impl From<ToolCall> for proto::ToolCall {
    fn from(call: ToolCall) -> Self {
        Self {
            call_id: call.call_id.to_string(),
            name: call.name,
            arguments_json: call.arguments.to_string(),
        }
    }
}

impl TryFrom<proto::ToolCall> for ToolCall {
    type Error = InvalidField;

    fn try_from(wire: proto::ToolCall) -> Result<Self, InvalidField> {
        Ok(Self {
            call_id: text(&wire.call_id, "call_id")?,
            name: wire.name,
            arguments: json(&wire.arguments_json, "arguments_json")?,
        })
    }
}

impl From<Picture> for proto::Picture {
    fn from(picture: Picture) -> Self {
        Self {
            kind: picture.kind.to_wire(),
            width: picture.width,
            height: picture.height,
            base64: picture.base64.into(),
        }
    }
}

impl TryFrom<proto::Picture> for Picture {
    type Error = InvalidField;

    fn try_from(wire: proto::Picture) -> Result<Self, InvalidField> {
        Ok(Self {
            kind: WireEnum::from_wire(wire.kind, "kind")?,
            width: wire.width,
            height: wire.height,
            base64: wire.base64.into(),
        })
    }
}

impl From<Thinking> for proto::Thinking {
    fn from(thinking: Thinking) -> Self {
        Self {
            text: thinking.text,
            signature: thinking.signature,
        }
    }
}

impl TryFrom<proto::Thinking> for Thinking {
    type Error = InvalidField;

    fn try_from(wire: proto::Thinking) -> Result<Self, InvalidField> {
        Ok(Self {
            text: wire.text,
            signature: wire.signature,
        })
    }
}

impl From<ModelRef> for proto::ModelRef {
    fn from(model: ModelRef) -> Self {
        Self {
            provider: model.provider,
            model: model.model,
        }
    }
}

impl TryFrom<proto::ModelRef> for ModelRef {
    type Error = InvalidField;

    fn try_from(wire: proto::ModelRef) -> Result<Self, InvalidField> {
        if wire.provider.is_empty() || wire.provider.contains('/') {
            let problem = "must not be empty or contain `/`";
            return Err(InvalidField::new("provider", problem));
        }
        if wire.model.is_empty() {
            return Err(InvalidField::missing("model"));
        }
        Ok(Self {
            provider: wire.provider,
            model: wire.model,
        })
    }
}

impl From<ModelChoice> for proto::ModelChoice {
    fn from(choice: ModelChoice) -> Self {
        use proto::model_choice::Choice;
        let choice = match choice {
            ModelChoice::Role(role) => Choice::Role(role.to_wire()),
            ModelChoice::Exact(model) => Choice::Exact(model.into()),
        };
        Self {
            choice: Some(choice),
        }
    }
}

impl TryFrom<proto::ModelChoice> for ModelChoice {
    type Error = InvalidField;

    fn try_from(wire: proto::ModelChoice) -> Result<Self, InvalidField> {
        use proto::model_choice::Choice;
        match wire.choice {
            Some(Choice::Role(role)) => Ok(Self::Role(ModelRole::from_wire(role, "role")?)),
            Some(Choice::Exact(model)) => Ok(Self::Exact(required(Some(model), "exact")?)),
            None => Err(InvalidField::missing("choice")),
        }
    }
}

impl From<PromptProgress> for proto::PromptProgress {
    fn from(progress: PromptProgress) -> Self {
        Self {
            read_tokens: progress.read_tokens,
            total_tokens: progress.total_tokens,
        }
    }
}

impl From<proto::PromptProgress> for PromptProgress {
    fn from(wire: proto::PromptProgress) -> Self {
        Self {
            read_tokens: wire.read_tokens,
            total_tokens: wire.total_tokens,
        }
    }
}

impl From<Usage> for proto::Usage {
    fn from(usage: Usage) -> Self {
        Self {
            prompt_tokens: usage.prompt_tokens,
            cached_tokens: usage.cached_tokens,
            completion_tokens: usage.completion_tokens,
            first_token_ms: usage.first_token_ms,
            total_ms: usage.total_ms,
            prefix_reuse_permille: u32::from(usage.prefix_reuse_permille),
        }
    }
}

impl TryFrom<proto::Usage> for Usage {
    type Error = InvalidField;

    fn try_from(wire: proto::Usage) -> Result<Self, InvalidField> {
        Ok(Self {
            prompt_tokens: wire.prompt_tokens,
            cached_tokens: wire.cached_tokens,
            completion_tokens: wire.completion_tokens,
            first_token_ms: wire.first_token_ms,
            total_ms: wire.total_ms,
            prefix_reuse_permille: number(wire.prefix_reuse_permille, "prefix_reuse_permille")?,
        })
    }
}
