//! One module a command. Each takes what was typed and the [`Setting`] it runs in.

pub mod audit;
mod changed;
pub mod chat;
pub mod diff;
pub mod doctor;
mod explained;
mod host;
pub mod http;
pub mod init;
pub mod memory;
pub mod models;
mod named;
mod page;
pub mod policy;
pub mod quality;
mod replay;
pub mod run;
pub mod secret;
pub mod serve;
pub mod session;
pub mod stories;
pub mod token;
pub mod tools;
pub mod tui;
pub mod undo;
pub mod web;

pub use crate::setting::Setting;
