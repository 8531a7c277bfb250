//! The drive: what an agent does when nobody has just spoken to it.

use crate::id::QueryId;
use serde::{Deserialize, Serialize};

/// Who asked for a turn.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// The user: the words carry the user's authority.
    #[default]
    User,
    /// The drive: the words are the harness's, and name nothing on the user's authority.
    Drive,
}

/// How awake the drive is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DriveState {
    /// The user just wrote.
    Engaged,
    /// Tools are running; there is momentum.
    Working,
    /// Looking around; nothing is urgent.
    Foraging,
    /// Idle, with a heartbeat.
    Resting,
    /// Idle by the agent's own choice, until a signal.
    Stored,
    /// Putting memory and journal in order.
    Dreaming,
    /// At work without telling anybody.
    Quiet,
}

impl DriveState {
    /// The word for logs and screens.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Engaged => "engaged",
            Self::Working => "working",
            Self::Foraging => "foraging",
            Self::Resting => "resting",
            Self::Stored => "stored",
            Self::Dreaming => "dreaming",
            Self::Quiet => "quiet",
        }
    }
}

/// Whether somebody is at the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Presence {
    /// Somebody is.
    Active,
    /// The keyboard has been idle for a while.
    Idle,
    /// The screen is locked.
    Locked,
}

/// Something that may be a reason to act.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "signal", rename_all = "snake_case")]
pub enum Signal {
    /// Files under a watched path changed.
    FilesChanged {
        /// Which, absolute; the first few of many.
        paths: Vec<String>,
        /// How many in all.
        count: u32,
    },
    /// Work in the background ended.
    JobFinished {
        /// Which.
        name: String,
        /// Whether it did what it should.
        succeeded: bool,
        /// One line about it.
        summary: String,
    },
    /// A timer that the agent set has run out.
    Timer {
        /// What for, in the agent's words.
        note: String,
    },
    /// The user rated an answer.
    Feedback {
        /// Which.
        query_id: QueryId,
        /// -100 to 100.
        score: i8,
    },
    /// A message came in by a channel. Not the user's word: whoever reaches the channel writes it.
    Message {
        /// Which channel, such as `inbox`.
        channel: String,
        /// What it says.
        text: String,
    },
    /// Somebody came or went.
    Presence {
        /// How it is now.
        presence: Presence,
    },
}

impl Signal {
    /// The bytes of all its texts together; at most [`crate::limits::SIGNAL_BYTES`] are taken.
    #[must_use]
    pub fn bytes(&self) -> usize {
        match self {
            Self::FilesChanged { paths, .. } => paths.iter().map(String::len).sum(),
            Self::JobFinished { name, summary, .. } => name.len() + summary.len(),
            Self::Timer { note } => note.len(),
            Self::Message { channel, text } => channel.len() + text.len(),
            Self::Feedback { .. } | Self::Presence { .. } => 0,
        }
    }
}
