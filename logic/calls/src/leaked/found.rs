//! What a text really was.

use serde_json::Value;

/// A call found in text.
#[derive(Debug, Clone, PartialEq)]
pub struct LeakedCall {
    /// The name, one of those offered.
    pub name: String,
    /// The arguments, an object.
    pub arguments: Value,
}

/// A piece of what a text really was.
#[derive(Debug, Clone, PartialEq)]
pub enum Piece {
    /// Visible text.
    Text(String),
    /// Thinking.
    Thinking(String),
    /// Calls that are the whole answer.
    Calls {
        /// The calls, in order; at least one.
        calls: Vec<LeakedCall>,
        /// The text they were written as, for whoever finds that it is a quotation.
        written: String,
    },
    /// What was given out as text is a call of this tool by its form, and stays text because it is
    /// not the whole answer.
    Left(String),
    /// Calls that are the whole answer, and not all of tools on offer: none may run.
    NotOffered {
        /// The calls, in order; at least one.
        calls: Vec<LeakedCall>,
        /// The tool that is not on offer.
        tool: String,
        /// The text they were written as, for whoever finds that it is a quotation.
        written: String,
    },
    /// Calls that are the whole answer but for marks that belong to none of them, so that something
    /// may be missing: none may run.
    Malformed {
        /// The calls, in order; at least one.
        calls: Vec<LeakedCall>,
        /// The text they were written as, for whoever finds that it is a quotation.
        written: String,
    },
    /// The reply ended in the middle of a call, which was all that it was: its tool, where the name
    /// was there.
    Broken(Option<String>),
    /// All visible text so far is withdrawn: it was thinking, which follows.
    Withdrawn,
}

/// What a whole text really was.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Found {
    /// Visible text.
    pub text: String,
    /// Thinking.
    pub thinking: String,
    /// Calls, in order.
    pub calls: Vec<LeakedCall>,
    /// The tool of what is nothing but a call, and none that can be run; empty where it ended before
    /// the name.
    pub unusable: Option<String>,
}

impl Found {
    /// Adds a piece.
    pub fn add(&mut self, piece: Piece) {
        match piece {
            Piece::Text(text) => self.text.push_str(&text),
            Piece::Thinking(text) => self.thinking.push_str(&text),
            Piece::Calls { calls, .. } => self.calls.extend(calls),
            Piece::Left(_) => {}
            Piece::NotOffered { tool, .. } => self.unusable = Some(tool),
            Piece::Malformed { calls, .. } => {
                self.unusable = calls.into_iter().next().map(|call| call.name);
            }
            Piece::Broken(tool) => self.unusable = Some(tool.unwrap_or_default()),
            Piece::Withdrawn => self.text.clear(),
        }
    }
}
