//! Observers: watch the events on the bus and never hold up a turn.
//!
//! What it is: what happens after an answer. Capture makes an engram of every answered question.
//! What it owns: what is understood of a question (intent, entities), and that no answer is missed.
//! What it never does: change a conversation, call a tool, keep a turn waiting.
//! Where to start: `capture.rs`.
