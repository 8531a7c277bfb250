//! Model servers and what comes from them: providers, faults, limits, pictures.
#![allow(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test is allowed to fail loudly"
)]

mod adaptive;
mod certificates;
mod embedded;
mod endings;
mod faults;
mod known;
mod llama_server;
mod named;
mod offered;
mod ollama;
mod parts;
mod pictures;
mod plain_questions;
mod prompts;
mod providers;
mod rated_memory;
mod repetition;
mod small_talk;
mod tiny;
mod token_limits;
