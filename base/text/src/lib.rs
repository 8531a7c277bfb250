//! What text from outside must pass before a model or a person sees it.
//!
//! What it is: pure functions from text to text.
//! What it owns: which encoding a file is in, the fence around tool results, the cap on their size,
//! the visible form of characters that hide, and their removal; what gives away an order to an AI;
//! what secrets look like, in every encoding that they could leak in.
//! What it never does: input or output, deciding whether a call may run. Nothing here is a
//! boundary; it takes away disguises, and the broker decides.
//! Where to start: [`firewall`] and [`fence`] for what a model reads, [`escape`], [`links`] and
//! [`markdown`] for what a person reads.

pub mod cap;
pub mod decode;
pub mod defuse;
pub mod escape;
pub mod fence;
pub mod firewall;
mod hidden;
pub mod links;
pub mod markdown;
pub mod mentions;
pub mod secrets;
