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

/// Why the drive is in a state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DriveReason {
    /// It was switched on.
    Began,
    /// It was switched off.
    Ended,
    /// The user said something.
    UserSpoke,
    /// The last turn called tools.
    ToolsUsed,
    /// The last turn called none.
    NoTools,
    /// The agent chose to wait.
    Yielded,
    /// The agent chose to wait for a signal.
    Stored,
    /// The last turn was stopped.
    Stopped,
    /// The user's request failed.
    Failed,
    /// The drive's turn failed; the next one waits.
    BackingOff,
    /// Work is under way and goes on.
    Momentum,
    /// Something came in.
    SignalsCame,
    /// There is nothing to do.
    NothingNew,
    /// There is time to put things in order.
    TimeToDream,
    /// Things are in order.
    Dreamt,
    /// All turns without the user are used.
    TurnsUsed,
    /// The day's budget is used.
    BudgetUsed,
    /// Nobody is to be told anything from now on.
    QuietBegan,
    /// Telling is welcome again.
    QuietEnded,
}

impl DriveReason {
    /// Every reason.
    pub const ALL: [Self; 19] = [
        Self::Began,
        Self::Ended,
        Self::UserSpoke,
        Self::ToolsUsed,
        Self::NoTools,
        Self::Yielded,
        Self::Stored,
        Self::Stopped,
        Self::Failed,
        Self::BackingOff,
        Self::Momentum,
        Self::SignalsCame,
        Self::NothingNew,
        Self::TimeToDream,
        Self::Dreamt,
        Self::TurnsUsed,
        Self::BudgetUsed,
        Self::QuietBegan,
        Self::QuietEnded,
    ];

    /// One sentence, for people and logs.
    #[must_use]
    pub const fn sentence(self) -> &'static str {
        match self {
            Self::Began => "the drive is on",
            Self::Ended => "the drive is off",
            Self::UserSpoke => "the user wrote",
            Self::ToolsUsed => "the last turn used tools, so there is work under way",
            Self::NoTools => "the last turn used no tools",
            Self::Yielded => "the agent waits",
            Self::Stored => "the agent waits for a signal",
            Self::Stopped => "the last turn was stopped; not going on by itself",
            Self::Failed => "the last request failed; not going on by itself",
            Self::BackingOff => "the last turn failed; waiting before the next try",
            Self::Momentum => "going on with the work under way",
            Self::SignalsCame => "something came in",
            Self::NothingNew => "looked: nothing to do, so no model was asked",
            Self::TimeToDream => "idle for a while, and there is something to put in order",
            Self::Dreamt => "things are in order",
            Self::TurnsUsed => {
                "stopped: all turns without the user are used; write something to go on"
            }
            Self::BudgetUsed => {
                "stopped: what the drive may spend today is used; UTC's next day goes on"
            }
            Self::QuietBegan => "quiet: nobody is told anything",
            Self::QuietEnded => "quiet is over",
        }
    }

    /// The reason that a sentence states: the longest one that it begins with, since a count may
    /// follow it. `None` for a sentence of another version.
    #[must_use]
    pub fn from_sentence(sentence: &str) -> Option<Self> {
        let stated = |reason: &Self| sentence.starts_with(reason.sentence());
        let candidates = Self::ALL.into_iter().filter(stated);
        candidates.max_by_key(|reason| reason.sentence().len())
    }
}

/// What the drive decided, as the session log has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "RecordedDecision")]
pub struct DriveDecision {
    /// The state from now on; the one before when it decided not to act.
    pub state: DriveState,
    /// Why, also when it decided not to act. `None` for a reason of another version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cause: Option<DriveReason>,
    /// The same in a sentence for people.
    pub reason: String,
}

impl DriveDecision {
    /// A decision that was taken so many times since it was last put on record, 1 or more.
    #[must_use]
    pub fn new(state: DriveState, cause: DriveReason, times: u32) -> Self {
        let mut reason = cause.sentence().to_owned();
        if times > 1 {
            reason.push_str(&format!(" ({times} times since this was last noted)"));
        }
        Self {
            state,
            cause: Some(cause),
            reason,
        }
    }

    /// A decision as it is on record. Logs of earlier versions have the sentence alone; this is the
    /// only place that reads a reason out of one.
    #[must_use]
    pub fn recorded(state: DriveState, cause: Option<DriveReason>, reason: String) -> Self {
        let cause = cause.or_else(|| DriveReason::from_sentence(&reason));
        Self {
            state,
            cause,
            reason,
        }
    }
}

/// A decision as it is written; [`DriveDecision::recorded`] completes it.
#[derive(Deserialize)]
struct RecordedDecision {
    state: DriveState,
    #[serde(default)]
    cause: Option<DriveReason>,
    reason: String,
}

impl From<RecordedDecision> for DriveDecision {
    fn from(written: RecordedDecision) -> Self {
        Self::recorded(written.state, written.cause, written.reason)
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
    /// A judge graded an answer 1 or 2. Information, and no reason to act: a judge may be wrong, and may
    /// have been talked into it.
    Graded {
        /// Which.
        query_id: QueryId,
        /// 1 to 5.
        score: u8,
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
    /// Whether the signal alone is a reason to ask a model. Presence never is, and praise is not:
    /// there is nothing to do about either. A judge's grade is none, since only the user decides
    /// whether an answer is to be given again.
    #[must_use]
    pub const fn is_reason(&self) -> bool {
        match self {
            Self::FilesChanged { .. }
            | Self::JobFinished { .. }
            | Self::Timer { .. }
            | Self::Message { .. } => true,
            Self::Feedback { score, .. } => *score < 0,
            Self::Graded { .. } | Self::Presence { .. } => false,
        }
    }

    /// The bytes of all its texts together; at most [`crate::limits::SIGNAL_BYTES`] are taken.
    #[must_use]
    pub fn bytes(&self) -> usize {
        match self {
            Self::FilesChanged { paths, .. } => paths.iter().map(String::len).sum(),
            Self::JobFinished { name, summary, .. } => name.len() + summary.len(),
            Self::Timer { note } => note.len(),
            Self::Message { channel, text } => channel.len() + text.len(),
            Self::Feedback { .. } | Self::Graded { .. } | Self::Presence { .. } => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_decision_keeps_its_reason_in_json() {
        for reason in DriveReason::ALL {
            for times in [1, 12] {
                let decision = DriveDecision::new(DriveState::Resting, reason, times);
                let written = serde_json::to_value(&decision).unwrap();
                let read: DriveDecision = serde_json::from_value(written).unwrap();
                assert_eq!(read, decision);
            }
        }
        let twelve = DriveDecision::new(DriveState::Resting, DriveReason::NothingNew, 12);
        let written = serde_json::to_value(&twelve).unwrap();
        assert_eq!(written["cause"], "nothing_new");
        assert_eq!(
            written["reason"],
            "looked: nothing to do, so no model was asked (12 times since this was last noted)"
        );
    }

    #[test]
    fn a_sentence_alone_states_its_reason() {
        let read = |sentence: &str| {
            let written = json!({"state": "resting", "reason": sentence});
            let decision: DriveDecision = serde_json::from_value(written).unwrap();
            decision.cause
        };
        for reason in DriveReason::ALL {
            let sentence = reason.sentence();
            assert_eq!(read(sentence), Some(reason));
            let counted = format!("{sentence} (3 times since this was last noted)");
            assert_eq!(read(&counted), Some(reason));
        }
        assert_eq!(read("the moon is full"), None);
    }
}
