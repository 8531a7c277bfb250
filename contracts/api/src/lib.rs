//! The service contracts: one async trait a service, with its requests, answers and errors.
//!
//! What it is: the only thing services know of each other. A caller holds `Arc<dyn Trait>` and
//! cannot tell a service in its own process from one behind a socket.
//! What it owns: the traits, and [`authority`] (permission for one call, as a value). The fake and
//! the conformance suite of each stand in tests/contracts.
//! What it never does: input or output, waiting on a clock, serialising.
//! Where to start: [`sessions`] (what surfaces see) and [`broker`] (what agents see).

pub mod audit;
pub mod authority;
pub mod broker;
pub mod bus;
pub mod checkpoints;
pub mod context;
pub mod documents;
pub mod executor;
pub mod failure;
pub mod guard;
pub mod memory;
pub mod models;
pub mod planner;
pub mod programs;
pub mod routing;
pub mod sandbox;
pub mod search;
pub mod secrets;
pub mod sessions;
pub mod signals;

pub use context::CallContext;

use futures::stream::BoxStream;

/// A stream of answers. Dropping it cancels the work behind it.
pub type Streaming<T, E> = BoxStream<'static, Result<T, E>>;
