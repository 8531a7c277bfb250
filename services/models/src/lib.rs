//! The model gateway: one contract, several model servers.
//!
//! What it is: the only place in Housecarl that talks to a model. It implements
//! [`api::models::Models`] over Ollama, OpenAI-compatible servers, Anthropic, the embedded engine and
//! word tables, and does everything they have in common once: choosing, retrying, time-outs, limits,
//! schemas, tool calls leaked as text, counting.
//! What it owns: the connections to model servers, the circuit breakers, the engine's process, and
//! the estimate of how many tokens a text is.
//! What it never does: send a byte to a host that is neither loopback nor configured (one function
//! in [`egress`] opens every connection), follow a redirect, take a key from configuration as
//! text, switch provider without saying so, or run a tool.
//! Where to start: [`service`] (the contract), [`answer`] (one answer from first byte to last),
//! [`providers`] (what each server's protocol looks like).

mod answer;
mod assemble;
mod body;
mod breaker;
mod call;
mod choose;
mod class;
mod config;
mod discovery;
mod egress;
mod engine;
mod error;
mod estimate;
mod framing;
mod http;
mod instance;
mod learnt;
mod levels;
mod opening;
mod owner;
mod planned;
mod providers;
mod queue;
mod quiet;
mod reading;
mod record;
mod registry;
mod repetition;
mod roots;
mod schema;
mod service;
mod spoken;
mod table;
mod temperature;
mod unreachable;
mod waiting;

pub use choose::is_embedder;
pub use config::{
    Config, DiscoveryConfig, LimitsConfig, ProviderConfig, ProviderType, SecretRef, ToolCalls,
};
pub use engine::EngineSettings;
pub use error::{Error, ErrorKind};
pub use planned::UnusableProvider;
pub use service::Service;
