//! Local model servers that answer what a test says, byte for byte, and what the tests share.
#![allow(dead_code, reason = "each test file uses a part of it")]

pub mod dialect;
pub mod ollama;
pub mod server;

use api::models::{ChatChunk, ChatRequest, Error, Models};
use domain::fault::Fault;
use domain::message::{Message, ToolCall};
use domain::model::{FinishReason, ModelChoice, ModelRef, ModelRole, Usage};
use domain::tool::{ToolDefinition, ToolName};
use futures::StreamExt;
use models::{
    Config, DiscoveryConfig, EngineSettings, LimitsConfig, ProviderConfig, ProviderType, Service,
};
use serde_json::{Value, json};
use std::time::Duration;

/// Short waiting times, so that tests of time-outs are quick.
pub fn limits() -> LimitsConfig {
    LimitsConfig {
        connect_ms: 1_000,
        first_byte_ms: Some(5_000),
        stall_ms: Some(5_000),
        call_ms: 20_000,
        queue_ms: 20_000,
        tries: 3,
        retry_pause_ms: 4,
        circuit_failures: 100,
        circuit_pause_ms: 60_000,
    }
}

/// A configuration with one provider called `test`.
pub fn config(kind: ProviderType, url: &str) -> Config {
    let mut config = Config {
        limits: limits(),
        discovery: DiscoveryConfig {
            enabled: false,
            embedded: false,
            ..DiscoveryConfig::default()
        },
        ..Config::default()
    };
    config.providers.insert("test".into(), provider(kind, url));
    config
}

pub fn provider(kind: ProviderType, url: &str) -> ProviderConfig {
    let mut provider = ProviderConfig::new(kind, Some(url.to_owned()));
    provider.default_model = Some("m".into());
    provider
}

/// An engine that is not there.
pub fn no_engine() -> EngineSettings {
    EngineSettings {
        program: Some("/nonexistent/carl-engine".into()),
        models_folder: "/nonexistent/models".into(),
        socket_folder: "/nonexistent/run".into(),
        idle_exit: Duration::from_secs(1),
        connect: |_| unreachable!("there is no engine"),
    }
}

pub fn service(config: Config) -> Service {
    Service::new(config, None, no_engine()).unwrap()
}

/// A service with one provider of a kind at a place.
pub fn gateway(kind: ProviderType, url: &str) -> Service {
    service(config(kind, url))
}

pub fn exact() -> ModelChoice {
    ModelChoice::Exact(ModelRef {
        provider: "test".into(),
        model: "m".into(),
    })
}

pub fn role(role: ModelRole) -> ModelChoice {
    ModelChoice::Role(role)
}

/// A question to the model `test/m`.
pub fn question() -> ChatRequest {
    ChatRequest::new(
        exact(),
        vec![
            Message::System {
                text: "You are a test.".into(),
            },
            Message::User {
                text: "Say hello.".into(),
            },
        ],
    )
}

pub fn tool(name: &str) -> ToolDefinition {
    ToolDefinition {
        name: ToolName::new(name).unwrap(),
        description: "Reads a file.".into(),
        parameters: json!({
            "type": "object",
            "properties": {"path": {"type": "string"}},
            "required": ["path"],
        }),
    }
}

/// A whole answer.
#[derive(Debug, Default)]
pub struct Answer {
    pub model: String,
    pub reason: String,
    pub text: String,
    pub thinking: String,
    pub signatures: Vec<String>,
    pub calls: Vec<(ToolCall, bool)>,
    pub deltas: String,
    pub notices: Vec<Fault>,
    pub usage: Option<Usage>,
    pub finish: Option<FinishReason>,
    /// Tokens of the prompt that were said to be read, as they came.
    pub read: Vec<u64>,
    pub error: Option<Error>,
    pub text_pieces: usize,
}

impl Answer {
    pub fn codes(&self) -> Vec<&str> {
        self.notices.iter().map(|one| one.code.as_str()).collect()
    }

    pub fn kind(&self) -> Option<api::models::ErrorKind> {
        self.error.as_ref().map(|error| error.kind)
    }

    pub fn arguments(&self) -> Vec<(&str, &Value)> {
        self.calls
            .iter()
            .map(|(call, _)| (call.name.as_str(), &call.arguments))
            .collect()
    }

    fn add(&mut self, chunk: ChatChunk) {
        match chunk {
            ChatChunk::Started { model, reason } => {
                self.model = model.to_string();
                self.reason = reason;
            }
            ChatChunk::PromptRead(progress) => self.read.push(progress.read_tokens),
            ChatChunk::Text(text) => {
                self.text_pieces += 1;
                self.text.push_str(&text);
            }
            ChatChunk::Thinking(text) => self.thinking.push_str(&text),
            ChatChunk::ThinkingBlock(block) => self.signatures.extend(block.signature),
            ChatChunk::TextReplaced(text) => self.text = text,
            ChatChunk::ToolCallDelta { arguments, .. } => self.deltas.push_str(&arguments),
            ChatChunk::ToolCall { call, recovered } => self.calls.push((call, recovered)),
            ChatChunk::Usage(usage) => self.usage = Some(usage),
            ChatChunk::Notice(fault) => self.notices.push(fault),
            ChatChunk::Finished(reason) => self.finish = Some(reason),
        }
    }
}

/// Asks and reads to the end; an error before the first byte or in the stream ends it alike.
pub async fn ask(service: &Service, request: ChatRequest) -> Answer {
    let mut answer = Answer::default();
    match service.chat(request).await {
        Ok(mut stream) => {
            while let Some(chunk) = stream.next().await {
                match chunk {
                    Ok(chunk) => answer.add(chunk),
                    Err(error) => {
                        answer.error = Some(error);
                        assert!(stream.next().await.is_none(), "an error ends the stream");
                        break;
                    }
                }
            }
        }
        Err(error) => answer.error = Some(error),
    }
    answer
}
