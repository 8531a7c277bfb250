//! gRPC for the contracts: the same traits, with the service in another process.
//!
//! What it is: for Audit, Models, Memory (and its user's side, the curator), Broker (and its user's
//! side, Control), Sessions, Signals, Guard, Search and Secrets, a client that implements the trait of `api`
//! and a server that offers any implementation of it, over unix sockets and TCP.
//! What it owns: connections, and who may connect: on a unix socket only processes of the same user;
//! on TCP whoever reaches it, which is why TCP is for loopback and private networks; secrets only for
//! who shows the service's token. Which peer opened which session, so that a peer that is gone holds
//! none.
//! What it never does: decide anything, know a field of the protocol (`proto` does).
//! Where to start: [`server`] (offer services), [`models::Client`] (use one).

mod address;
mod answerable;
pub mod audit;
pub mod broker;
mod channel;
pub mod control;
pub mod guard;
pub mod memory;
pub mod models;
mod openings;
mod presence;
pub mod search;
pub mod secrets;
pub mod server;
pub mod sessions;
pub mod signals;
mod socket;
mod stream;

pub use address::{Endpoint, InvalidAddress, Listen};
pub use presence::{Host, answers, host, still_serves};
pub use server::serve;
pub use socket::BindError;
