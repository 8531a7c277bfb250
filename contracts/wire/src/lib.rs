//! gRPC for the contracts: the same traits, with the service in another process.
//!
//! What it is: for Audit, Models, Memory (and its user's side, the curator), Broker (and its user's
//! side, Control), Sessions, Guard, Search and Secrets, a client that implements the trait of `api`
//! and a server that offers any implementation of it, over unix sockets and TCP.
//! What it owns: the protocol in `proto/housecarl/v1`, the conversions, and who may connect: on a
//! unix socket only processes of the same user; on TCP whoever reaches it, which is why TCP is for
//! loopback and private networks; secrets only for who shows the service's token.
//! What it never does: deciding anything, keeping anything, replacing a bad field by a default.
//! Where to start: [`server`] (offer services), [`models::Client`] (use one), `convert` (fields).

mod address;
pub mod audit;
pub mod broker;
mod channel;
pub mod control;
mod convert;
pub mod guard;
pub mod memory;
pub mod models;
mod openings;
mod presence;
pub mod search;
pub mod secrets;
pub mod server;
pub mod sessions;
mod socket;
mod status;
mod stream;

pub use address::{Endpoint, InvalidAddress, Listen};
pub use convert::InvalidField;
pub use presence::{Host, answers, host};
pub use server::serve;
pub use socket::BindError;
pub use status::INVALID_REQUEST;

/// Generated from `proto/housecarl/v1`.
#[allow(
    missing_docs,
    clippy::all,
    clippy::large_futures,
    reason = "generated; the protocol files carry the documentation"
)]
pub mod proto {
    tonic::include_proto!("housecarl.v1");
}

/// The encoded descriptor set of every protocol file, without comments: what reflection serves.
pub const DESCRIPTORS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/descriptors.bin"));
