//! What the harness says to a model in the user's place.

/// Why the model is spoken to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Nudge {
    /// It said nothing and called nothing.
    EmptyReply,
    /// A token limit ended its reply before it said or called anything.
    CutReply,
    /// Its reply was nothing but a call that ended in the middle, or that is not well-formed.
    CutCall,
    /// Its reply was nothing but a call of a tool that there is not.
    UnknownTool,
    /// It says that something was done, and no call did it.
    NotDone,
    /// The same, and a call was refused: it is not to be tried again.
    Refused,
    /// It has used all its model calls.
    IterationsUsed,
    /// It keeps asking for what was refused as a repetition.
    GoingInCircles,
    /// The reply was nothing but a repetition; tools are off now.
    RepeatedReply,
}

impl Nudge {
    /// The words.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::EmptyReply => {
                "Your reply was empty. Answer the request now in plain words, or call a tool."
            }
            Self::CutReply => {
                "Your reply reached the token limit before it said anything. Think less and answer \
                 in few words, or make the call with shorter arguments."
            }
            Self::CutCall => {
                "Your reply was a tool call that broke off before it was complete, or that has marks \
                 in it which belong to no call, so nothing was run. Make the whole call again and \
                 write nothing beside it, or answer the request in plain words."
            }
            Self::UnknownTool => {
                "Your reply was a call of a tool that you do not have: there is none of that name, \
                 and nothing was run. Call one of your tools by its exact name, or answer the \
                 request in plain words. JSON that is itself the answer belongs in a code block."
            }
            Self::NotDone => {
                "If it is still to be done, do it now with a tool. Else say plainly what was done and \
                 what was not."
            }
            Self::Refused => "Say plainly what was done and what was not.",
            Self::IterationsUsed => {
                "You have used all your steps and tools are off now. Answer with what you have: say \
                 what you found and did, and what is left undone."
            }
            Self::GoingInCircles => {
                "You are repeating calls that were refused, so tools are off now. Answer with what \
                 you have: say what you found and did, and what stopped you."
            }
            Self::RepeatedReply => {
                "Your reply repeated the same words without end and was stopped. Tools are off now. \
                 Answer in a few words."
            }
        }
    }
}
