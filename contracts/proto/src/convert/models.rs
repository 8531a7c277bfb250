//! Models: requests, chunks and answers.

use super::{
    InvalidField, WireEnum, each, each_enum, json, name, number, optional, required, text,
    wire_enum,
};
use crate::generated as proto;
use api::models::{
    ChatChunk, ChatRequest, EmbedPurpose, EmbedRequest, Embeddings, ModelFacts, ModelInfo,
    ProviderHealth, ToolChoice,
};
use domain::message::Message;
use domain::model::{FinishReason, ModelClass, Priority, Think};
use std::time::Duration;

wire_enum!(
    Think,
    proto::Think {
        Default,
        Off,
        On,
        Low,
        Medium,
        High
    }
);
wire_enum!(
    Priority,
    proto::Priority {
        User,
        Agent,
        Background
    }
);
wire_enum!(EmbedPurpose, proto::EmbedPurpose { Query, Document });

impl From<Message> for proto::ChatMessage {
    fn from(message: Message) -> Self {
        use proto::chat_message::{Assistant, Role, Seen, System, Tool, User};
        let role = match message {
            Message::System { text } => Role::System(System { text }),
            Message::User { text } => Role::User(User { text }),
            Message::Assistant {
                text,
                thinking,
                tool_calls,
            } => Role::Assistant(Assistant {
                text,
                thinking: thinking.map(Into::into),
                tool_calls: tool_calls.into_iter().map(Into::into).collect(),
            }),
            Message::Tool {
                call_id,
                name,
                text,
            } => Role::Tool(Tool {
                call_id: call_id.to_string(),
                name: name.into(),
                text,
            }),
            Message::Picture { text, picture } => Role::Seen(Seen {
                text,
                picture: Some(picture.into()),
            }),
        };
        Self { role: Some(role) }
    }
}

impl TryFrom<proto::ChatMessage> for Message {
    type Error = InvalidField;

    fn try_from(wire: proto::ChatMessage) -> Result<Self, InvalidField> {
        use proto::chat_message::Role;
        match wire.role.ok_or_else(|| InvalidField::missing("role"))? {
            Role::System(system) => Ok(Self::System { text: system.text }),
            Role::User(user) => Ok(Self::User { text: user.text }),
            Role::Assistant(assistant) => Ok(Self::Assistant {
                text: assistant.text,
                thinking: optional(assistant.thinking, "assistant.thinking")?,
                tool_calls: each(assistant.tool_calls, "assistant.tool_calls")?,
            }),
            Role::Tool(tool) => Ok(Self::Tool {
                call_id: text(&tool.call_id, "tool.call_id")?,
                name: name(tool.name, "tool.name")?,
                text: tool.text,
            }),
            Role::Seen(seen) => Ok(Self::Picture {
                text: seen.text,
                picture: required(seen.picture, "seen.picture")?,
            }),
        }
    }
}

impl From<ToolChoice> for proto::ToolChoice {
    fn from(choice: ToolChoice) -> Self {
        use proto::tool_choice::Kind;
        let (kind, tool) = match choice {
            ToolChoice::Auto => (Kind::Auto, String::new()),
            ToolChoice::Required => (Kind::Required, String::new()),
            ToolChoice::None => (Kind::None, String::new()),
            ToolChoice::Only(tool) => (Kind::Only, tool.into()),
        };
        Self {
            kind: kind as i32,
            tool,
        }
    }
}

impl TryFrom<proto::ToolChoice> for ToolChoice {
    type Error = InvalidField;

    fn try_from(wire: proto::ToolChoice) -> Result<Self, InvalidField> {
        use proto::tool_choice::Kind;
        match Kind::try_from(wire.kind) {
            Ok(Kind::Auto) => Ok(Self::Auto),
            Ok(Kind::Required) => Ok(Self::Required),
            Ok(Kind::None) => Ok(Self::None),
            Ok(Kind::Only) => Ok(Self::Only(name(wire.tool, "tool")?)),
            Ok(Kind::Unspecified) => Err(InvalidField::missing("kind")),
            Err(unknown) => Err(InvalidField::new("kind", unknown)),
        }
    }
}

fn wire_duration(duration: Duration) -> prost_types::Duration {
    prost_types::Duration {
        // Longer than the age of the universe is as long as can be said.
        seconds: i64::try_from(duration.as_secs()).unwrap_or(i64::MAX),
        nanos: i32::try_from(duration.subsec_nanos()).unwrap_or(0),
    }
}

fn duration(wire: prost_types::Duration, field: &str) -> Result<Duration, InvalidField> {
    let seconds = number::<i64, u64>(wire.seconds, field)?;
    let nanos = number::<i32, u32>(wire.nanos, field)?;
    if nanos >= 1_000_000_000 {
        return Err(InvalidField::new(field, "nanos are out of range"));
    }
    Ok(Duration::new(seconds, nanos))
}

impl From<ChatRequest> for proto::ChatRequest {
    fn from(request: ChatRequest) -> Self {
        Self {
            context: request.context.map(Into::into),
            model: Some(request.model.into()),
            messages: request.messages.into_iter().map(Into::into).collect(),
            tools: request.tools.into_iter().map(Into::into).collect(),
            tool_choice: Some(request.tool_choice.into()),
            think: request.think.to_wire(),
            context_tokens: request.context_tokens,
            max_tokens: request.max_tokens,
            temperature: request.temperature,
            seed: request.seed,
            response_schema_json: request.response_schema.map(|schema| schema.to_string()),
            stable_messages: request.stable_messages as u64,
            deadline: request.deadline.map(wire_duration),
            priority: request.priority.to_wire(),
            narrowed_json: request
                .narrowed
                .into_iter()
                .map(|(tool, schema)| (tool.into(), schema.to_string()))
                .collect(),
        }
    }
}

impl TryFrom<proto::ChatRequest> for ChatRequest {
    type Error = InvalidField;

    fn try_from(wire: proto::ChatRequest) -> Result<Self, InvalidField> {
        let schema = wire.response_schema_json.as_deref();
        let narrowed = wire.narrowed_json.into_iter().map(|(tool, schema)| {
            let schema = json(&schema, "narrowed_json")?;
            Ok((name(tool, "narrowed_json")?, schema))
        });
        Ok(Self {
            narrowed: narrowed.collect::<Result<_, InvalidField>>()?,
            context: optional(wire.context, "context")?,
            model: required(wire.model, "model")?,
            priority: WireEnum::from_wire(wire.priority, "priority")?,
            messages: each(wire.messages, "messages")?,
            tools: each(wire.tools, "tools")?,
            tool_choice: required(wire.tool_choice, "tool_choice")?,
            think: WireEnum::from_wire(wire.think, "think")?,
            context_tokens: wire.context_tokens,
            max_tokens: wire.max_tokens,
            temperature: wire.temperature,
            seed: wire.seed,
            response_schema: schema
                .map(|schema| json(schema, "response_schema_json"))
                .transpose()?,
            stable_messages: number(wire.stable_messages, "stable_messages")?,
            deadline: wire
                .deadline
                .map(|deadline| duration(deadline, "deadline"))
                .transpose()?,
        })
    }
}

impl From<ChatChunk> for proto::ChatChunk {
    fn from(chunk: ChatChunk) -> Self {
        use proto::chat_chunk::{Chunk, Started, ToolCallDelta, WholeToolCall};
        let chunk = match chunk {
            ChatChunk::Started { model, reason } => Chunk::Started(Started {
                model: Some(model.into()),
                reason,
            }),
            ChatChunk::PromptRead(progress) => Chunk::PromptRead(progress.into()),
            ChatChunk::Text(text) => Chunk::Text(text),
            ChatChunk::Thinking(text) => Chunk::Thinking(text),
            ChatChunk::ThinkingBlock(thinking) => Chunk::ThinkingBlock(thinking.into()),
            ChatChunk::TextReplaced(text) => Chunk::TextReplaced(text),
            ChatChunk::ToolCallDelta {
                index,
                name,
                arguments,
            } => Chunk::ToolCallDelta(ToolCallDelta {
                index,
                name,
                arguments,
            }),
            ChatChunk::ToolCall { call, recovered } => Chunk::ToolCall(WholeToolCall {
                call: Some(call.into()),
                recovered,
            }),
            ChatChunk::Usage(usage) => Chunk::Usage(usage.into()),
            ChatChunk::Notice(fault) => Chunk::Notice(fault.into()),
            ChatChunk::Finished(reason) => Chunk::Finished(reason.to_wire()),
        };
        Self { chunk: Some(chunk) }
    }
}

impl TryFrom<proto::ChatChunk> for ChatChunk {
    type Error = InvalidField;

    fn try_from(wire: proto::ChatChunk) -> Result<Self, InvalidField> {
        use proto::chat_chunk::Chunk;
        Ok(
            match wire.chunk.ok_or_else(|| InvalidField::missing("chunk"))? {
                Chunk::Started(started) => Self::Started {
                    model: required(started.model, "started.model")?,
                    reason: started.reason,
                },
                Chunk::PromptRead(progress) => Self::PromptRead(progress.into()),
                Chunk::Text(text) => Self::Text(text),
                Chunk::Thinking(text) => Self::Thinking(text),
                Chunk::ThinkingBlock(thinking) => {
                    Self::ThinkingBlock(required(Some(thinking), "thinking_block")?)
                }
                Chunk::TextReplaced(text) => Self::TextReplaced(text),
                Chunk::ToolCallDelta(delta) => Self::ToolCallDelta {
                    index: delta.index,
                    name: delta.name,
                    arguments: delta.arguments,
                },
                Chunk::ToolCall(whole) => Self::ToolCall {
                    call: required(whole.call, "tool_call.call")?,
                    recovered: whole.recovered,
                },
                Chunk::Usage(usage) => Self::Usage(required(Some(usage), "usage")?),
                Chunk::Notice(fault) => Self::Notice(required(Some(fault), "notice")?),
                Chunk::Finished(reason) => {
                    Self::Finished(FinishReason::from_wire(reason, "finished")?)
                }
            },
        )
    }
}

impl From<EmbedRequest> for proto::EmbedRequest {
    fn from(request: EmbedRequest) -> Self {
        Self {
            model: Some(request.model.into()),
            purpose: request.purpose.to_wire(),
            texts: request.texts,
        }
    }
}

impl TryFrom<proto::EmbedRequest> for EmbedRequest {
    type Error = InvalidField;

    fn try_from(wire: proto::EmbedRequest) -> Result<Self, InvalidField> {
        Ok(Self {
            model: required(wire.model, "model")?,
            purpose: WireEnum::from_wire(wire.purpose, "purpose")?,
            texts: wire.texts,
        })
    }
}

impl From<Embeddings> for proto::EmbedResponse {
    fn from(embeddings: Embeddings) -> Self {
        let vectors = embeddings.vectors.into_iter();
        Self {
            model: Some(embeddings.model.into()),
            vectors: vectors.map(|values| proto::Vector { values }).collect(),
        }
    }
}

impl TryFrom<proto::EmbedResponse> for Embeddings {
    type Error = InvalidField;

    fn try_from(wire: proto::EmbedResponse) -> Result<Self, InvalidField> {
        Ok(Self {
            model: required(wire.model, "model")?,
            vectors: wire
                .vectors
                .into_iter()
                .map(|vector| vector.values)
                .collect(),
        })
    }
}

fn class_of(wire: Option<i32>) -> Result<Option<ModelClass>, InvalidField> {
    wire.map(|class| WireEnum::from_wire(class, "class"))
        .transpose()
}

impl From<ModelFacts> for proto::DescribeModelResponse {
    fn from(facts: ModelFacts) -> Self {
        Self {
            context_tokens: facts.context_tokens,
            sees: facts.sees,
            tokens_permille: facts.tokens_permille,
            class: facts.class.map(WireEnum::to_wire),
            is_stand_in: facts.is_stand_in,
            holds_calls: facts.holds_calls,
        }
    }
}

impl TryFrom<proto::DescribeModelResponse> for ModelFacts {
    type Error = InvalidField;

    fn try_from(wire: proto::DescribeModelResponse) -> Result<Self, InvalidField> {
        Ok(Self {
            context_tokens: wire.context_tokens,
            sees: wire.sees,
            tokens_permille: wire.tokens_permille,
            class: class_of(wire.class)?,
            is_stand_in: wire.is_stand_in,
            holds_calls: wire.holds_calls,
        })
    }
}

impl From<ModelInfo> for proto::ModelInfo {
    fn from(info: ModelInfo) -> Self {
        Self {
            model: Some(info.model.into()),
            context_tokens: info.context_tokens,
            size_bytes: info.size_bytes,
            loaded: info.loaded,
            class: info.class.map(WireEnum::to_wire),
            roles: info.roles.into_iter().map(WireEnum::to_wire).collect(),
        }
    }
}

impl TryFrom<proto::ModelInfo> for ModelInfo {
    type Error = InvalidField;

    fn try_from(wire: proto::ModelInfo) -> Result<Self, InvalidField> {
        Ok(Self {
            model: required(wire.model, "model")?,
            context_tokens: wire.context_tokens,
            size_bytes: wire.size_bytes,
            loaded: wire.loaded,
            class: class_of(wire.class)?,
            roles: each_enum(wire.roles, "roles")?,
        })
    }
}

impl From<ProviderHealth> for proto::ProviderHealth {
    fn from(health: ProviderHealth) -> Self {
        Self {
            provider: health.provider,
            endpoint: health.endpoint,
            fault: health.fault.map(Into::into),
            note: health.note,
        }
    }
}

impl TryFrom<proto::ProviderHealth> for ProviderHealth {
    type Error = InvalidField;

    fn try_from(wire: proto::ProviderHealth) -> Result<Self, InvalidField> {
        Ok(Self {
            provider: wire.provider,
            endpoint: wire.endpoint,
            fault: optional(wire.fault, "fault")?,
            note: wire.note,
        })
    }
}
