//! The answers that a question offers, how they are offered, and what was answered.

use super::reach::{opens_folder, reach, share_reach};
use domain::event::{ConfirmationAnswer, ConfirmationKind, ConfirmationRequest};

/// Whether the working folder may be remembered as open for writing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Memory {
    /// It may.
    Offered,
    /// It is the home or a folder above it, or nobody keeps a list.
    None,
}

/// Who reads what the user says beside a no.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Listener {
    /// The agent that asked.
    Agent,
    /// Nobody: what is asked about was no agent's idea.
    Nobody,
}

/// What the user said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said {
    /// To the question.
    pub answer: ConfirmationAnswer,
    /// Whether it is to hold for later sessions in this folder.
    pub remember: bool,
}

impl Said {
    pub(super) const fn once(answer: ConfirmationAnswer) -> Self {
        Self {
            answer,
            remember: false,
        }
    }

    /// The same answer, where a yes is for this once.
    #[must_use]
    pub fn at_most_once(self) -> Self {
        match self.answer {
            ConfirmationAnswer::Session => Self::once(ConfirmationAnswer::Once),
            _ => self,
        }
    }
}

/// What the user said to questions that were put as one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    /// The same to each of them.
    All(Said),
    /// Each is to be asked by itself.
    OneByOne,
}

/// What each of some questions is answered with that were put as one.
#[must_use]
pub fn to_each(
    questions: Vec<ConfirmationRequest>,
    said: &Said,
) -> Vec<(ConfirmationRequest, Said)> {
    let is_alike = questions.len() == 1 || share_reach(&questions);
    let mut remember = said.remember;
    let mut answer = |question: &ConfirmationRequest| match question.kind {
        // Of several, a yes for the session is offered for a folder alone.
        ConfirmationKind::Call if !is_alike => said.clone().at_most_once(),
        // It is one folder: it is remembered once.
        _ => Said {
            remember: std::mem::take(&mut remember),
            ..said.clone()
        },
    };
    let answers = questions.into_iter().map(|q| (answer(&q), q));
    answers.map(|(said, question)| (question, said)).collect()
}

/// The answers that questions offer which are put as one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Offer(Asked);

impl Offer {
    /// Those of some questions.
    #[must_use]
    pub fn of(requests: &[ConfirmationRequest], memory: Memory, listener: Listener) -> Self {
        Self(Asked::of(requests, memory, listener))
    }

    /// The answers, each with the letter that gives it in brackets.
    #[must_use]
    pub const fn prompt(self) -> &'static str {
        prompt(self.0)
    }

    /// The same in fewer words, where there is little room.
    #[must_use]
    pub const fn brief_prompt(self) -> &'static str {
        brief(self.0)
    }

    /// What a line answers; `None` for what is no answer.
    #[must_use]
    pub fn parse(self, line: &str) -> Option<Reply> {
        parse(line, self.0)
    }

    /// What is said to a line that is no answer.
    #[must_use]
    pub const fn unclear(self) -> &'static str {
        unclear(self.0)
    }
}

/// Which answers there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Asked {
    /// Several calls.
    Batch(Several),
    Call,
    /// A plan, or a call that no yes for the session covers.
    Once,
    /// What the user had proposed themselves.
    Own,
    /// A call in a folder that is not open.
    Folder(Memory),
}

/// Which answers there are to several calls, besides all of them once, one by one and none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Several {
    /// No others.
    Once,
    /// Yes for the session.
    Session,
    /// Yes for the session, and to remember the folder as open.
    Folder,
}

impl Asked {
    pub(super) fn of(requests: &[ConfirmationRequest], memory: Memory, listener: Listener) -> Self {
        match requests {
            [one] if one.kind == ConfirmationKind::Plan && listener == Listener::Nobody => {
                Self::Own
            }
            [one] if one.kind == ConfirmationKind::Call && reach(one).is_none() => Self::Once,
            [one] => Self::about(one.kind, memory),
            _ if opens_folder(requests) => Self::Batch(match memory {
                Memory::Offered => Several::Folder,
                Memory::None => Several::Session,
            }),
            _ if share_reach(requests) => Self::Batch(Several::Session),
            _ => Self::Batch(Several::Once),
        }
    }

    const fn about(kind: ConfirmationKind, memory: Memory) -> Self {
        match kind {
            ConfirmationKind::Call => Self::Call,
            ConfirmationKind::WriteRoot => Self::Folder(memory),
            ConfirmationKind::Plan => Self::Once,
        }
    }
}

/// What is said to an answer that is none.
pub(super) const fn unclear(asked: Asked) -> &'static str {
    match asked {
        Asked::Batch(Several::Once) => {
            "  Type a for all of them, o for one by one, or n for none.\n"
        }
        Asked::Own => "  Please answer with one of the letters in brackets.\n",
        Asked::Batch(_) | Asked::Call | Asked::Once | Asked::Folder(_) => {
            "  Please answer with one of the letters in brackets; after n you can add a message to the \
             agent.\n"
        }
    }
}

pub(super) const fn prompt(asked: Asked) -> &'static str {
    match asked {
        Asked::Batch(Several::Once) => {
            "[a]ll of them once, [o]ne by one,\n  [n]one, or n and a message to the agent: "
        }
        Asked::Batch(Several::Session) => {
            "[a]ll of them once, all for this [s]ession, [o]ne by one,\n  \
             [n]one, or n and a message to the agent: "
        }
        Asked::Batch(Several::Folder) => {
            "[a]ll of them once, all for this [s]ession, [o]ne by one,\n  \
             all and [r]emember this folder as open,\n  [n]one, or n and a message to the agent: "
        }
        Asked::Own => "[y]es, [n]o: ",
        Asked::Once => "[y]es, [n]o, or n and a message to the agent: ",
        Asked::Call | Asked::Folder(Memory::None) => {
            "[y]es once, yes for this [s]ession,\n  [n]o, or n and a message to the agent: "
        }
        Asked::Folder(Memory::Offered) => {
            "[y]es once, yes for this [s]ession,\n  \
             yes and [r]emember this folder as open,\n  [n]o, or n and a message to the agent: "
        }
    }
}

/// The same answers in fewer words, where there is little room.
pub(super) const fn brief(asked: Asked) -> &'static str {
    match asked {
        Asked::Batch(Several::Once) => "[a]ll once, [o]ne by one, [n]one",
        Asked::Batch(Several::Session) => {
            "[a]ll once, all for this [s]ession, [o]ne by one, [n]one"
        }
        Asked::Batch(Several::Folder) => {
            "[a]ll once, all for this [s]ession, [o]ne by one, [r]emember this folder, [n]one"
        }
        Asked::Own => "[y]es, [n]o",
        Asked::Once => "[y]es, [n]o, n and a message",
        Asked::Call | Asked::Folder(Memory::None) => "[y]es once, [s]ession, [n]o, n message",
        Asked::Folder(Memory::Offered) => {
            "[y]es once, [s]ession, yes and [r]emember this folder, [n]o, n message"
        }
    }
}

pub(super) fn parse(line: &str, asked: Asked) -> Option<Reply> {
    let line = line.trim();
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    // `no, leave it` and `n: too long` are a no with a message.
    let word = word.trim_end_matches([',', ':', ';', '.', '!']);
    let word = word.to_lowercase();
    let answer = match (word.as_str(), asked) {
        ("n" | "no" | "none", _) => Said::once(ConfirmationAnswer::Deny {
            message: rest.trim().to_owned(),
        }),
        _ if !rest.is_empty() => return None,
        ("a" | "all", Asked::Batch(_)) => Said::once(ConfirmationAnswer::Once),
        ("o" | "one", Asked::Batch(_)) => return Some(Reply::OneByOne),
        ("r" | "remember", Asked::Folder(Memory::Offered) | Asked::Batch(Several::Folder)) => {
            Said {
                answer: ConfirmationAnswer::Session,
                remember: true,
            }
        }
        (
            "s" | "session",
            Asked::Call | Asked::Folder(_) | Asked::Batch(Several::Session | Several::Folder),
        ) => Said::once(ConfirmationAnswer::Session),
        // A yes out of habit is no yes to all.
        ("y" | "yes", Asked::Call | Asked::Once | Asked::Own | Asked::Folder(_)) => {
            Said::once(ConfirmationAnswer::Once)
        }
        _ => return None,
    };
    Some(Reply::All(answer))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_clear_answer_counts() {
        let once = |answer| Some(Reply::All(Said::once(answer)));
        assert_eq!(parse("y\n", Asked::Call), once(ConfirmationAnswer::Once));
        assert_eq!(parse(" YES ", Asked::Call), once(ConfirmationAnswer::Once));
        assert_eq!(parse("s", Asked::Call), once(ConfirmationAnswer::Session));
        assert_eq!(parse("s", Asked::Once), None);
        assert_eq!(parse("yes please do", Asked::Call), None);
        assert_eq!(parse("yes, but shorter", Asked::Call), None);
        for line in ["no, leave it", "n: leave it"] {
            let message = "leave it".to_owned();
            let no = once(ConfirmationAnswer::Deny { message });
            assert_eq!(parse(line, Asked::Call), no, "{line}");
        }
        assert_eq!(parse("", Asked::Call), None);
        let message = "use the other file".to_owned();
        assert_eq!(
            parse("n use the other file", Asked::Call),
            once(ConfirmationAnswer::Deny { message })
        );
    }

    #[test]
    fn a_folder_is_remembered_only_where_that_is_offered_and_asked_for() {
        let remembered = |kind, memory, line| {
            let reply = parse(line, Asked::about(kind, memory));
            matches!(reply, Some(Reply::All(said)) if said.remember)
        };
        let folder = ConfirmationKind::WriteRoot;
        assert!(remembered(folder, Memory::Offered, "r"));
        for line in ["y", "s", "n", "n r", "r it", "a"] {
            assert!(!remembered(folder, Memory::Offered, line), "{line}");
        }
        let offered = Asked::about(folder, Memory::Offered);
        assert_eq!(
            parse("y", offered),
            Some(Reply::All(Said::once(ConfirmationAnswer::Once)))
        );
        let session = Said::once(ConfirmationAnswer::Session);
        assert_eq!(parse("s", offered), Some(Reply::All(session.clone())));
        let home = Asked::about(folder, Memory::None);
        assert_eq!(parse("r", home), None);
        assert_eq!(parse("s", home), Some(Reply::All(session.clone())));
        let several = Asked::Batch(Several::Folder);
        assert_eq!(parse("s", several), Some(Reply::All(session)));
        assert_eq!(parse("y", several), None);
        assert_eq!(parse("r", Asked::Batch(Several::Session)), None);
        for kind in [ConfirmationKind::Call, ConfirmationKind::Plan] {
            assert_eq!(parse("r", Asked::about(kind, Memory::Offered)), None);
        }
    }

    #[test]
    fn of_several_all_none_or_one_by_one_is_said_clearly() {
        let batch = |line| parse(line, Asked::Batch(Several::Once));
        let once = Some(Reply::All(Said::once(ConfirmationAnswer::Once)));
        assert_eq!(batch("a"), once);
        assert_eq!(batch(" ALL "), once);
        assert_eq!(batch("o"), Some(Reply::OneByOne));
        for unclear in ["y", "Yes", "s", "", "all but one", "one please", "y a"] {
            assert_eq!(batch(unclear), None, "{unclear}");
        }
        for (line, message) in [("n", ""), ("none", ""), ("n not there", "not there")] {
            let message = message.to_owned();
            let no = Said::once(ConfirmationAnswer::Deny { message });
            assert_eq!(batch(line), Some(Reply::All(no.clone())), "{line}");
            assert_eq!(parse(line, Asked::Call), Some(Reply::All(no)), "{line}");
        }
        assert_eq!(parse("a", Asked::Call), None);
        assert_eq!(parse("o", Asked::Call), None);
    }
}
