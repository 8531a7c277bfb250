//! One module a command. Each takes what was typed and the [`Setting`] it runs in.

pub mod audit;
pub mod chat;
pub mod doctor;
pub mod folders;
mod host;
pub mod inspect;
pub mod memory;
pub mod models;
pub mod notes;
pub mod paperwork;
pub mod policy;
mod replay;
pub mod run;
pub mod secret;
pub mod serve;
pub mod session;
pub mod tools;
pub mod undo;

pub use crate::setting::Setting;
