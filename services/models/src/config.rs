//! What `[models]` in the configuration says, and the default of each key.

use crate::egress::is_loopback;
use crate::error::{Error, configuration};
use api::secrets::KEEP_THE_KEY;
pub use api::secrets::SecretRef;
use domain::limits;
use domain::model::{ModelClass, ModelRef, ModelRole, Think};
use reqwest::Url;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::time::Duration;

/// The `[models]` table.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// The provider that roles without a mapping go to. `None`: the only one configured, of several
    /// the first by name that answers, without any what [`DiscoveryConfig`] finds.
    pub default_provider: Option<String>,
    /// Named instances.
    pub providers: BTreeMap<String, ProviderConfig>,
    /// Which model each role uses.
    #[schemars(with = "BTreeMap<String, String>")]
    pub roles: BTreeMap<ModelRole, ModelRef>,
    /// Tried in order, each written provider/model, when the request named a role and the chosen
    /// provider is out of reach, overloaded, failing or too slow before its first byte. A key that
    /// is refused or missing, a missing model and a refused request are told instead: no other
    /// provider takes their place. Each use is announced. Empty: no fallback.
    #[schemars(with = "Vec<String>")]
    pub fallbacks: Vec<ModelRef>,
    /// Refuse every connection but loopback.
    pub air_gap: bool,
    /// What set `air_gap`, as a file, a variable or a flag, for whoever is refused by it.
    #[serde(skip)]
    pub air_gap_from: Option<String>,
    /// Looking for model servers on this machine.
    pub discovery: DiscoveryConfig,
    /// How long to wait and how often to try.
    pub limits: LimitsConfig,
}

/// The address in an endpoint. One that cannot be read may hold a key all the same, so none is
/// repeated.
pub(crate) fn address(name: &str, text: &str) -> Result<Url, Error> {
    const WRITE: &str = "Write it as `http://127.0.0.1:11434`, or as `https://` and a name.";
    let wrong = |why: &str| {
        let detail = format!("models.providers.{name}.endpoint {why}");
        configuration(detail, WRITE)
    };
    // Without it a host is read as a path, or as a scheme of its own.
    let lower = text.trim_start().to_ascii_lowercase();
    if !["http://", "https://"]
        .iter()
        .any(|begin| lower.starts_with(begin))
    {
        return Err(wrong("must begin with http:// or https://"));
    }
    let url = Url::parse(text).map_err(|source| wrong(&format!("is not an address: {source}")))?;
    without_keys(name, &url)?;
    Ok(url)
}

/// Whether an address holds nothing that could be a key.
fn without_keys(name: &str, url: &Url) -> Result<(), Error> {
    if !url.username().is_empty() || url.password().is_some() {
        return Err(configuration(
            format!("models.providers.{name}.endpoint must hold no user name or password"),
            format!("remove them: {KEEP_THE_KEY}"),
        ));
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err(configuration(
            format!("models.providers.{name}.endpoint must have nothing after its path"),
            format!("remove what begins with `?` or `#`; if it holds a key, {KEEP_THE_KEY}"),
        ));
    }
    Ok(())
}

/// Which protocol an instance speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ProviderType {
    /// Ollama's native API.
    Ollama,
    /// Chat completions: llama.cpp, vLLM, LM Studio, OpenRouter and others.
    OpenAi,
    /// Anthropic's messages API.
    Anthropic,
    /// The engine that ships with Housecarl.
    Embedded,
    /// Word tables in the engine's models folder: embeddings only.
    Static,
}

impl ProviderType {
    /// The name in configuration.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ollama => "ollama",
            Self::OpenAi => "openai",
            Self::Anthropic => "anthropic",
            Self::Embedded => "embedded",
            Self::Static => "static",
        }
    }
}

/// How the models of a provider are offered tools.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ToolCalls {
    /// As `native`, until a model answers twice with calls that cannot be run; from then on as `json`, where
    /// its server is OpenAI-compatible.
    #[default]
    Auto,
    /// By the protocol's own means; the server puts them into the form its model was trained on.
    Native,
    /// As text, for models without such training: each reply is one JSON object, a call or an
    /// answer, and the server decodes it under a schema.
    Json,
}

/// How much the models of a provider think before they answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Thinking {
    /// Not at all.
    Off,
    /// As much as the model or its server holds right.
    On,
    /// A little.
    Low,
    /// Some.
    Medium,
    /// A lot.
    High,
}

impl From<Thinking> for Think {
    fn from(thinking: Thinking) -> Self {
        match thinking {
            Thinking::Off => Self::Off,
            Thinking::On => Self::On,
            Thinking::Low => Self::Low,
            Thinking::Medium => Self::Medium,
            Thinking::High => Self::High,
        }
    }
}

/// One `[models.providers.NAME]` table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProviderConfig {
    /// The protocol.
    #[serde(rename = "type")]
    pub kind: ProviderType,
    /// Where it is, such as `http://127.0.0.1:11434`. `None`: the protocol's usual place; an
    /// OpenAI-compatible server has none and must say.
    #[serde(default)]
    pub endpoint: Option<String>,
    /// The model for roles that no mapping names. `None`: the best one installed.
    #[serde(default)]
    pub default_model: Option<String>,
    /// Longest a whole call may take, seconds. `None`: [`LimitsConfig::call_ms`].
    #[serde(default)]
    pub timeout_secs: Option<u64>,
    /// The key, by the name of a stored secret.
    #[serde(default)]
    pub api_key: Option<SecretRef>,
    /// Most requests in progress at one time, 1 to [`limits::MODEL_WAITING`]; the others wait their
    /// turn. `None`: 4, and 1 for the embedded engine.
    #[serde(default)]
    pub max_parallel: Option<usize>,
    /// How long Ollama keeps the model in memory, in its own notation (`10m`, `-1`).
    #[serde(default)]
    pub keep_alive: Option<String>,
    /// Context to ask for, tokens. `None`: [`limits::CONTEXT_TOKENS`].
    #[serde(default)]
    pub context_tokens: Option<u32>,
    /// How tools are offered: `native`, `json` for models without tool training behind an
    /// OpenAI-compatible server, or `auto`, which finds out.
    #[serde(default)]
    pub tool_calls: ToolCalls,
    /// How much its models think, where a request does not say. `None`: the server's own default,
    /// which is no thinking at Anthropic.
    #[serde(default)]
    pub think: Option<Thinking>,
    /// How freely its models choose their words, 0 to 2, where a request does not say. `None`: 0.2
    /// for small models that are offered tools and do not think, else the server's own.
    #[serde(default)]
    pub temperature: Option<f32>,
    /// Whether its models see pictures. `None`: as the server says of each.
    #[serde(default)]
    pub vision: Option<bool>,
    /// How large its models are: `tiny` (under 1 billion parameters), `small` (to 4), `medium` or
    /// `large`; small ones have more done for them. `None`: as the server or the name says of each.
    #[serde(default)]
    pub class: Option<ModelClass>,
}

impl ProviderConfig {
    /// An instance of a protocol at an address, everything else at its default.
    #[must_use]
    pub fn new(kind: ProviderType, endpoint: Option<String>) -> Self {
        Self {
            kind,
            endpoint,
            default_model: None,
            timeout_secs: None,
            api_key: None,
            max_parallel: None,
            keep_alive: None,
            context_tokens: None,
            tool_calls: ToolCalls::Auto,
            think: None,
            temperature: None,
            vision: None,
            class: None,
        }
    }

    /// Whether a key goes to another machine without encryption, where whoever is between reads it.
    #[must_use]
    pub fn shows_its_key(&self) -> bool {
        let endpoint = self.endpoint.as_deref().map(Url::parse);
        let is_open = |url: Url| url.scheme() == "http" && !is_loopback(&url);
        self.api_key.is_some() && endpoint.and_then(Result::ok).is_some_and(is_open)
    }
}

/// The `[models.discovery]` table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct DiscoveryConfig {
    /// Whether to look for model servers on loopback when none is configured.
    pub enabled: bool,
    /// Where Ollama listens.
    pub ollama_port: u16,
    /// Where OpenAI-compatible servers listen, best first.
    pub openai_ports: Vec<u16>,
    /// Longest one server may take to accept a connection, milliseconds.
    pub connect_ms: u64,
    /// Longest one server may take to list its models, milliseconds.
    pub answer_ms: u64,
    /// Whether the embedded engine, and for embeddings then a word table, may be chosen when nothing
    /// else is there.
    pub embedded: bool,
}

impl Default for DiscoveryConfig {
    fn default() -> Self {
        Self {
            enabled: true,
            ollama_port: 11_434,
            openai_ports: vec![8080, 1234, 8000],
            connect_ms: 150,
            answer_ms: 1_000,
            embedded: true,
        }
    }
}

/// The `[models.limits]` table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct LimitsConfig {
    /// Longest a server may take to accept a connection, milliseconds.
    pub connect_ms: u64,
    /// Longest wait for the first byte of an answer, milliseconds. `None`: as long as the whole call
    /// may take where the server is on this machine or in its network, which may be slow and is
    /// not dead; else [`limits::MODEL_FIRST_BYTE`].
    pub first_byte_ms: Option<u64>,
    /// Longest pause in the middle of an answer, milliseconds: a server may send nothing while the
    /// model writes a tool call. `None`: as for the first byte; else [`limits::MODEL_STALL`].
    pub stall_ms: Option<u64>,
    /// Longest a whole call may take, milliseconds.
    pub call_ms: u64,
    /// Longest a request waits for its turn at a busy provider, milliseconds.
    pub queue_ms: u64,
    /// Tries before the first byte, in all, 1 and up.
    pub tries: u32,
    /// Pause before the second try, milliseconds; it doubles with each try and is jittered.
    pub retry_pause_ms: u64,
    /// Failures in a row after which a provider is left alone.
    pub circuit_failures: u32,
    /// How long it is left alone, milliseconds.
    pub circuit_pause_ms: u64,
}

impl Default for LimitsConfig {
    fn default() -> Self {
        Self {
            connect_ms: 5_000,
            first_byte_ms: None,
            stall_ms: None,
            call_ms: millis(limits::MODEL_CALL),
            queue_ms: millis(limits::MODEL_QUEUE),
            tries: limits::MODEL_TRIES,
            retry_pause_ms: 250,
            circuit_failures: 5,
            circuit_pause_ms: 30_000,
        }
    }
}

/// A duration in whole milliseconds, capped at what fits.
fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::fault::Coded;

    fn parse(json: serde_json::Value) -> Result<Config, String> {
        serde_json::from_value(json).map_err(|error| error.to_string())
    }

    #[test]
    fn a_full_table_is_read() {
        let config = parse(serde_json::json!({
            "default_provider": "work",
            "providers": {"work": {
                "type": "openai", "endpoint": "https://models.example/v1", "default_model": "m",
                "timeout_secs": 30, "api_key": {"secret": "work-key"}, "max_parallel": 2,
                "context_tokens": 8192, "tool_calls": "json"
            }},
            "roles": {"fast": "work/m"},
            "fallbacks": ["ollama/q"],
            "air_gap": true,
        }))
        .unwrap();
        assert_eq!(config.providers["work"].kind, ProviderType::OpenAi);
        assert_eq!(config.providers["work"].tool_calls, ToolCalls::Json);
        assert_eq!(config.roles[&ModelRole::Fast].model, "m");
        assert_eq!(config.fallbacks.len(), 1);
    }

    #[test]
    fn a_literal_key_is_refused_without_repeating_it() {
        for key in [
            serde_json::json!("sk-very-secret"),
            serde_json::json!(9_876_543_210_u64),
            serde_json::json!(-9_876_543_210_i64),
            serde_json::json!(98_765.432_1),
            serde_json::json!({"secret": "sk-very-secret"}),
        ] {
            let message = parse(serde_json::json!({
                "providers": {"x": {"type": "openai", "api_key": key}}
            }))
            .unwrap_err();
            assert!(message.contains("carl secret set"), "{message}");
            assert!(
                !message.contains("sk-very") && !message.contains("765"),
                "{message}"
            );
        }
        let message = parse(serde_json::json!({
            "providers": {"x": {"type": "openai", "api_key": {"secret": "sk very secret"}}}
        }))
        .unwrap_err();
        assert!(message.contains("no name for a secret"), "{message}");
        assert!(!message.contains("sk very"), "{message}");
    }

    #[test]
    fn an_endpoint_with_a_key_is_refused_unrepeated_whether_it_can_be_read_or_not() {
        let with = |endpoint: &str| {
            let provider = serde_json::json!({"type": "openai", "endpoint": endpoint});
            let config = parse(serde_json::json!({"providers": {"x": provider}})).unwrap();
            config
                .check_providers()
                .map_err(|unusable| unusable.error.fault())
        };
        assert!(with("http://127.0.0.1:8080/v1").is_ok());
        for endpoint in [
            "http://me:hunter2@host/v1",
            "http://hunter2@host/v1",
            "http://host/v1?key=hunter2",
            "http://host/v1#hunter2",
            "http://me:hunter2@host:99999/v1",
            "http://host:hunter2/v1",
            "me:hunter2@host/v1",
            "hunter2@host/v1",
        ] {
            let error = with(endpoint).unwrap_err();
            let said = format!("{} {}", error.message, error.hint);
            assert!(said.contains("models.providers.x.endpoint"), "{said}");
            assert!(!said.contains("hunter2"), "{said}");
        }
    }

    #[test]
    fn unknown_fields_are_refused() {
        for json in [
            serde_json::json!({"provders": {}}),
            serde_json::json!({"providers": {"x": {"type": "ollama", "endpont": "y"}}}),
            serde_json::json!({"providers": {"x": {"type": "ollama", "api_key": {"file": "y"}}}}),
            serde_json::json!({"providers": {"x": {"type": "cohere"}}}),
            serde_json::json!({"providers": {"x": {"type": "openai", "tool_calls": "text"}}}),
        ] {
            assert!(parse(json).is_err());
        }
    }
}
