//! Tool calls in text: how they are found there, and how they are written for models that know
//! text alone.
//!
//! What it is: pure functions from text to text, thinking and calls, and from tools to text and
//! schemas.
//! What it owns: the recovery of calls that leaked into text, the JSON form of tool calls, and the
//! bounds that make a schema safe for a small model.
//! What it never does: input or output, or deciding whether a call may run (the broker does).
//! Where to start: [`leaked::Splitter`] for what a model wrote, [`json_calls`] for what it is asked
//! to write.

pub mod bounds;
pub mod json_calls;
pub mod leaked;
