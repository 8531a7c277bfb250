//! What every form of context can do.

use crate::entry::Speaker;
use domain::message::Message;
use domain::tool::ToolDefinition;

/// What a trim did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Trimming {
    /// Tokens before, estimated.
    pub before_tokens: u64,
    /// Tokens after, estimated.
    pub after_tokens: u64,
    /// Messages left out.
    pub dropped_messages: u32,
    /// Tool results shortened.
    pub shortened_results: u32,
    /// Requests whose recalled memories were left out.
    pub dropped_recalls: u32,
}

impl Trimming {
    /// Nothing done at so many tokens.
    pub(crate) const fn nothing(tokens: u64) -> Self {
        Self {
            before_tokens: tokens,
            after_tokens: tokens,
            dropped_messages: 0,
            shortened_results: 0,
            dropped_recalls: 0,
        }
    }

    /// Whether anything changed.
    #[must_use]
    pub const fn changed(&self) -> bool {
        self.dropped_messages > 0 || self.shortened_results > 0 || self.dropped_recalls > 0
    }
}

/// A place to go back to: how many messages had been added by then.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Checkpoint(pub(crate) u64);

/// The messages after a checkpoint are still there, but some before it were trimmed away since, so
/// going back would not restore what was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the context was trimmed past this checkpoint")]
pub struct TrimmedSince;

/// Keeps what a model is shown. Between two trims, the messages of one call are the beginning of
/// the messages of the next, so that a server can reuse what it computed.
pub trait ContextManager {
    /// The standing instructions. Changing them gives up the server's cache.
    fn set_system(&mut self, text: String);
    /// What stands before the user's words in the first message, however much is trimmed.
    fn set_preamble(&mut self, text: String);
    /// The tools on offer, which are sent with every prompt.
    fn set_tools(&mut self, tools: &[ToolDefinition]);
    /// A request, by the number of its event: what came before may be trimmed away from here on.
    fn begin_turn(&mut self, seq: u64, text: String, speaker: Speaker);
    /// What was recalled from memory for the newest request: it stands before the user's words, and
    /// is the first to be left out when there is no room.
    fn set_recalled(&mut self, text: String);
    /// Anything after the request, by the number of its event. A tool result follows the reply that
    /// asked for it.
    fn add(&mut self, seq: u64, message: Message);
    /// What to send, oldest first.
    fn messages(&self) -> Vec<Message>;
    /// Tokens of everything to be sent.
    fn estimate(&self) -> u64;
    /// Characters of everything to be sent.
    fn characters(&self) -> u64;
    /// Corrects the estimate by what a server counted for a prompt of so many characters.
    fn calibrate(&mut self, characters: u64, prompt_tokens: u64);
    /// Leaves out what does not fit, the oldest turns first, never the current one. Afterwards
    /// [`Self::estimate`] is above `budget_tokens` only if nothing more can go.
    fn trim(&mut self, budget_tokens: u64) -> Trimming;
    /// Leaves out the whole conversation; standing text stays.
    fn clear(&mut self);
    /// Where it stands now.
    fn checkpoint(&self) -> Checkpoint;
    /// Takes back everything added after the checkpoint.
    ///
    /// # Errors
    /// [`TrimmedSince`] when what stood at the checkpoint is no longer there; nothing changes then.
    fn rollback(&mut self, to: Checkpoint) -> Result<(), TrimmedSince>;
    /// Takes away the last message; with a tool result go its siblings and the reply that asked
    /// for them. Returned oldest first; empty when there is nothing.
    fn pop(&mut self) -> Vec<Message>;
}
