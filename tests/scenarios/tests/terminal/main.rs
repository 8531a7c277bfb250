//! What a person types and sees: chats, questions, commands, what stands in the documentation.
#![allow(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test is allowed to fail loudly"
)]

mod auto_chat;
mod chat;
mod command_line;
mod commands;
mod daily;
mod differences;
mod encodings;
mod finding;
mod holding;
mod job_control;
mod leaving;
mod newcomer;
mod orders;
mod outlines;
mod patches;
mod questions;
mod readme;
mod sharing;
mod taking_back;
mod terminal;
mod texts;
mod thinking;
mod typing;
mod user;
mod windows;
