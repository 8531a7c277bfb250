//! What scenario tests drive the shipped program with.
//!
//! What it is: a home of its own for `carl`, a way to run it, and model servers that say what a
//! script tells them.
//! What it owns: [`house::House`], [`program::Carl`], the scripted OpenAI-compatible server and
//! the local stand-ins for Ollama and Anthropic.
//! What it never does: reach into a service. It sees what a user sees: arguments, output, exit
//! codes and the files on disk.
//! Where to start: [`house::House::new`], then [`reply::Reply`] and [`server::Server::openai`].

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a test is allowed to fail loudly, and so is what only tests use"
)]

pub mod absent;
pub mod anthropic;
pub mod browser;
pub mod desktop;
pub mod flags;
pub mod house;
pub mod http;
pub mod ollama;
pub mod openai;
pub mod program;
pub mod reply;
pub mod searx;
pub mod server;
mod shared;
pub mod terminal;
pub mod toolchains;
pub mod window;

pub use absent::{
    CURL, DESKTOP_KEYRING, KERNEL_KEYRING, OPENAI_CLIENT, PROMTOOL, SCHEMATHESIS, SCREEN, TMUX,
    checker, is_absent,
};
pub use browser::{BROWSER, Story};
pub use desktop::Desktop;
pub use house::House;
pub use program::{Carl, Finished, Running, limit_files};
pub use reply::{Gate, Reply};
pub use searx::{Hit, Searx};
pub use server::{Recorded, Server};
pub use terminal::{Attended, Seated};
pub use toolchains::{Toolchain, openai_client};
pub use window::Window;
