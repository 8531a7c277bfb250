//! How often the drive looks, and how much it may do.

use super::budget::Budget;
use domain::drive::DriveState;
use domain::limits;
use std::time::Duration;

/// How soon after a signal the drive looks: what comes together is looked at together.
pub const SETTLING: Duration = Duration::from_secs(1);
/// How long after the last request the drive may dream.
pub const DREAM_AFTER: Duration = Duration::from_secs(1_800);
/// The pause after a turn that failed; it doubles with each further one.
pub const BACK_OFF: Duration = Duration::from_secs(30);
/// The longest such pause.
pub const BACK_OFF_MOST: Duration = Duration::from_secs(3_600);

/// How long the drive stays in a state before it looks again; `None`: until a signal.
#[must_use]
pub const fn interval(state: DriveState) -> Option<Duration> {
    match state {
        DriveState::Engaged => Some(Duration::from_secs(5)),
        DriveState::Working => Some(Duration::from_secs(3)),
        DriveState::Foraging => Some(Duration::from_secs(30)),
        DriveState::Resting | DriveState::Dreaming | DriveState::Quiet => {
            Some(Duration::from_secs(300))
        }
        DriveState::Stored => None,
    }
}

/// Whether the drive puts memory and journal in order by itself.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Dreams {
    /// Once a day at most, and only when there is something new.
    #[default]
    Daily,
    /// Never.
    Never,
}

/// How much the drive may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Most turns in a row without the user.
    pub turns: u32,
    /// Most of a day, which is UTC's.
    pub day: Budget,
    /// Whether it dreams.
    pub dreams: Dreams,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            turns: limits::DRIVE_TURNS,
            day: Budget::default(),
            dreams: Dreams::Daily,
        }
    }
}

/// The pause after so many failures in a row, 1 or more.
pub(super) fn back_off(failures: u32) -> Duration {
    let doublings = failures.saturating_sub(1).min(16);
    BACK_OFF.saturating_mul(1 << doublings).min(BACK_OFF_MOST)
}
