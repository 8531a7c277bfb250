//! The protocol: what is generated of it, and the conversions to and from the contracts' nouns.
//!
//! What it is: the messages and services of `proto/housecarl/v1` as Rust, at the root of this crate.
//! What it owns: the protocol, every conversion in both directions, and how an error travels.
//! What it never does: open or accept a connection, decide anything, replace a bad field by a default.
//! Where to start: [`convert`], then the files in `proto/housecarl/v1`.

pub mod convert;
pub mod status;

/// Generated from `proto/housecarl/v1`.
#[allow(
    missing_docs,
    clippy::all,
    clippy::large_futures,
    reason = "generated; the protocol files carry the documentation"
)]
mod generated {
    tonic::include_proto!("housecarl.v1");
}

pub use convert::InvalidField;
pub use generated::*;
pub use status::INVALID_REQUEST;

/// The encoded descriptor set of every protocol file, without comments: what reflection serves.
pub const DESCRIPTORS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/descriptors.bin"));
