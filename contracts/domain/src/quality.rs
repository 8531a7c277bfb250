//! What is known of how good an answer was: one observation for each grade and each opinion.

use crate::id::{QueryId, SessionId};
use crate::model::ModelRef;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The best of the grades 1 to 5 that are low: of an answer with one, the user is offered to try again.
pub const LOW_GRADE: u8 = 2;

/// What kind of task a request was, by the tools that were used for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskKind {
    /// Nothing but words.
    Talk,
    /// Something was read or looked up on this machine.
    Look,
    /// The web was searched or read.
    Web,
    /// Files were changed.
    Change,
    /// Programs were run.
    Program,
}

impl TaskKind {
    /// Every kind, the one with the least effect first.
    pub const ALL: [Self; 5] = [
        Self::Talk,
        Self::Look,
        Self::Web,
        Self::Change,
        Self::Program,
    ];

    /// Its name in rubrics, tables and exports.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Talk => "talk",
            Self::Look => "look",
            Self::Web => "web",
            Self::Change => "change",
            Self::Program => "program",
        }
    }
}

impl fmt::Display for TaskKind {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.pad(self.as_str())
    }
}

/// Which of two answers to a request is better. A is the one that stands in the conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Winner {
    /// The first.
    A,
    /// The second.
    B,
    /// Neither.
    #[serde(rename = "tie")]
    Tie,
}

impl Winner {
    /// Every one.
    pub const ALL: [Self; 3] = [Self::A, Self::B, Self::Tie];

    /// The word in records, events and exports.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::A => "A",
            Self::B => "B",
            Self::Tie => "tie",
        }
    }
}

/// What somebody found an answer to be worth.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "by", rename_all = "snake_case")]
pub enum Worth {
    /// A judge's grade.
    Judge {
        /// 1 to 5.
        score: u8,
        /// The model that judged.
        judge: ModelRef,
        /// The rubric's name.
        rubric: String,
    },
    /// The user's rating.
    User {
        /// -100 to 100.
        score: i8,
    },
    /// A comparison with a second answer, in which a judge said the same in both orders.
    Compared {
        /// The better one; A is the answer that stands in the conversation.
        winner: Winner,
        /// The model of the second answer.
        second: ModelRef,
        /// The model that judged.
        judge: ModelRef,
    },
    /// The user's choice between both.
    Chosen {
        /// The better one.
        winner: Winner,
        /// The model of the second answer.
        second: ModelRef,
    },
}

/// One grade or rating of one answer. It holds no text of anybody's.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Observation {
    /// When, UTC.
    pub time: Timestamp,
    /// The session of the answer.
    pub session_id: SessionId,
    /// The event that says so.
    pub seq: u64,
    /// The request that was answered.
    pub query_id: QueryId,
    /// The model that answered; `None` for rules.
    pub model: Option<ModelRef>,
    /// Whether the answer is a second one that was taken over; the same model may have given both. Earlier
    /// versions did not write it.
    #[serde(default)]
    pub is_second: bool,
    /// What kind of task it was.
    pub kind: TaskKind,
    /// What the answer is worth.
    #[serde(flatten)]
    pub worth: Worth,
}

/// How a judge did on pairs of which it is known which answer is right.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JudgeMeasure {
    /// When, UTC.
    pub time: Timestamp,
    /// The judge.
    pub judge: ModelRef,
    /// Pairs of which it chose in both orders.
    pub pairs: usize,
    /// Of these, the right answer was preferred in both.
    pub right: usize,
    /// Of these, the wrong answer was preferred in both.
    pub wrong: usize,
    /// Of these, neither was in both.
    pub ties: usize,
    /// Choices of the answer that stood first, in any order.
    pub first: usize,
    /// Choices of the answer that stood second.
    pub second: usize,
    /// Pairs of which it gave no choice that can be read.
    pub unread: usize,
    /// Choices, in any order, where the right answer is the longer one.
    #[serde(default)]
    pub longer: Choices,
    /// Choices where it is the shorter one.
    #[serde(default)]
    pub shorter: Choices,
    /// Choices that it was asked for once more.
    #[serde(default)]
    pub again: usize,
    /// Of these, it chose the same.
    #[serde(default)]
    pub same: usize,
}

/// A judge's choices between a right answer and a wrong one, ties left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Choices {
    /// Of the right one.
    pub right: usize,
    /// Of the wrong one.
    pub wrong: usize,
}
