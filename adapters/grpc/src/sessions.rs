//! Sessions over gRPC.

mod client;
mod server;

pub use client::Client;
pub(crate) use server::Server;
