//! The policy: may this call run? Allow, confirm or deny, with every layer's reason.
//!
//! What it is: a pure function from a call, an agent's standing, the user's settings and the
//! task's history to findings.
//! What it owns: the manifest's meaning, the algebra of lineages, the normal form of paths, the
//! loop detection, and the wording of refusals for models and for people.
//! What it never does: input or output. It does not read the clock, the file system or a
//! configuration file, and it cannot run anything.
//! Where to start: [`Policy::judge`], then `layers` for each rule and [`standing`] for lineages.

mod call_keys;
mod findings;
pub mod flow;
pub mod history;
mod judge;
mod judgement;
mod layers;
pub mod manifest;
pub mod paths;
mod question;
pub mod request;
mod schema;
pub mod standing;
pub mod table;
mod view;

pub use judge::{Parts, Policy};
pub use judgement::{Bound, Judgement};
pub use question::{Allowed, Cover, Question};
