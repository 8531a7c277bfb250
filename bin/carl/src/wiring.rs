//! Building the services and connecting them. The only place that knows which service is in this
//! process and which is behind a socket. It decides nothing else.

mod endpoints;
mod house;
mod knowledge;
mod log;
mod memory;
mod notes;
mod provider;
mod rubrics;
mod senses;
mod services;
mod stores;
mod unrecorded;

pub use self::memory::{memories, memory_socket};
pub use endpoints::{asked, endpoint, served};
pub use house::House;
pub use knowledge::Remembrance;
pub use log::{audit, log};
pub use provider::answers;
pub use rubrics::read as rubrics;
pub use senses::open as open_inbox;
pub use services::{
    Knowledge, OBSERVERS_WAIT, agent_tools, guard, knowledge, let_go, local_tools, mark, models,
    observers, routing, sessions,
};
pub use stores::{Store, chosen, secrets, secrets_to_look, served_secrets, token, try_credential};
pub use unrecorded::Unrecorded;
