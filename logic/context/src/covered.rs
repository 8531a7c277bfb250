//! Messages that leave the view, as a summary is made of them.

/// What the beginning of a request is noted with.
pub(crate) const ASKED: &str = "Asked: ";
/// What a call of a tool begins with, in what is covered.
pub(crate) const CALLED: &str = "called ";
/// Longest line of a summary, characters.
pub(crate) const LINE_CHARACTERS: usize = 400;

/// Who said what is covered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Said {
    /// The user.
    ByUser,
    /// The agent.
    ByAgent,
    /// A tool, or memory.
    ByTool,
}

/// A message that leaves the view.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Covered {
    /// The number of its event.
    pub seq: u64,
    /// Who said it.
    pub said: Said,
    /// What.
    pub text: String,
}
