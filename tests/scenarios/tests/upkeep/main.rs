//! What lasts and what serves: logs, memory, audit, roles, configuration, pages.
#![allow(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test is allowed to fail loudly"
)]

mod addresses;
mod audit;
mod crash;
mod described;
mod http;
mod http_beside;
mod http_load;
mod http_memory;
mod http_page;
mod logs;
mod memory;
mod misconfigured;
mod openai;
mod owners;
mod pages;
mod pdf;
mod readers;
mod remembering;
mod roles;
mod routes;
mod second_answers;
mod tls;
mod tokens;
mod toolchains;
mod upkeep;
mod vectors;
