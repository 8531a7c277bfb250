//! What the harness says to a model in the user's place.

/// Why the model is spoken to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Nudge {
    /// It said nothing and called nothing.
    EmptyReply,
    /// It has used all its model calls.
    IterationsUsed,
    /// It keeps asking for what was refused as a repetition.
    GoingInCircles,
}

impl Nudge {
    /// The words.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::EmptyReply => {
                "Your reply was empty. Answer the request now in plain words, or call a tool."
            }
            Self::IterationsUsed => {
                "You have used all your steps and tools are off now. Answer with what you have: say \
                 what you found and did, and what is left undone."
            }
            Self::GoingInCircles => {
                "You are repeating calls that were refused, so tools are off now. Answer with what \
                 you have: say what you found and did, and what stopped you."
            }
        }
    }
}
