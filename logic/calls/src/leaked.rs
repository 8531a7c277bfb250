//! Tool calls and thinking that a model wrote into its text instead of where they belong.
//!
//! Model families spell calls in their own ways, and a server that does not know a family's way
//! passes the spelling on as text. [`Splitter`] takes that text in pieces of any size and gives it
//! back as visible text, thinking and calls. The result does not depend on how the text was cut.
//!
//! A call is recovered only when it is the whole answer, thinking aside, and its name was offered.
//! An answer that says something beside a call may be quoting it from a mail or a page, and stays
//! text; so do tool definitions. Whether a whole answer is a quotation, [`stands_in`] tells from what
//! the model was shown.

mod deepseek;
mod fence;
mod follow;
mod forms;
mod harmony;
mod json;
mod offered;
mod python;
mod quoted;
mod splitter;
mod thinking;
mod xml;

pub use quoted::stands_in;
pub use splitter::Splitter;

use domain::tool::ToolDefinition;
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
    /// What was given out as text just now is marked as a call of this tool, and stays text because
    /// it is not the whole answer.
    Left(String),
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
}

impl Found {
    /// Adds a piece.
    pub fn add(&mut self, piece: Piece) {
        match piece {
            Piece::Text(text) => self.text.push_str(&text),
            Piece::Thinking(text) => self.thinking.push_str(&text),
            Piece::Calls { calls, .. } => self.calls.extend(calls),
            Piece::Left(_) => {}
            Piece::Withdrawn => self.text.clear(),
        }
    }
}

/// Takes a whole text apart.
#[must_use]
pub fn scan(text: &str, offered: &[ToolDefinition]) -> Found {
    let mut splitter = Splitter::new(offered);
    let mut found = Found::default();
    for piece in splitter.push(text) {
        found.add(piece);
    }
    for piece in splitter.finish() {
        found.add(piece);
    }
    found
}

/// Whether something stands at the beginning of a text.
#[derive(Debug, Clone, PartialEq)]
enum Match<T> {
    /// It does, and takes this many bytes.
    Yes(T, usize),
    /// It may: the text is too short to tell.
    More,
    /// It does not.
    No,
}

impl<T> Match<T> {
    /// The same with something else found.
    fn map<U>(self, change: impl FnOnce(T) -> U) -> Match<U> {
        match self {
            Self::Yes(found, bytes) => Match::Yes(change(found), bytes),
            Self::More => Match::More,
            Self::No => Match::No,
        }
    }
}

/// The rest of the text, and whether it is all there will be.
#[derive(Debug, Clone, Copy)]
struct Input<'a> {
    text: &'a str,
    is_last: bool,
}

impl<'a> Input<'a> {
    /// What comes after so many bytes.
    fn after(self, bytes: usize) -> Self {
        Self {
            text: self.text.get(bytes..).unwrap_or_default(),
            is_last: self.is_last,
        }
    }

    /// `More`, unless there is no more.
    fn more<T>(self) -> Match<T> {
        if self.is_last { Match::No } else { Match::More }
    }

    /// Whether a fixed text stands here.
    fn literal(self, literal: &str) -> Match<()> {
        if self.text.starts_with(literal) {
            Match::Yes((), literal.len())
        } else if literal.starts_with(self.text) {
            self.more()
        } else {
            Match::No
        }
    }

    /// The first of several fixed texts that stands here.
    fn any_literal<'l>(self, literals: &[&'l str]) -> Match<&'l str> {
        let mut more = false;
        for literal in literals {
            match self.literal(literal) {
                Match::Yes((), bytes) => return Match::Yes(literal, bytes),
                Match::More => more = true,
                Match::No => {}
            }
        }
        if more { Match::More } else { Match::No }
    }

    /// Bytes of white space at the beginning.
    fn space(self) -> usize {
        self.text.len() - self.text.trim_start().len()
    }
}
