//! What people are told of a drive's decisions. The session log has every one of them; a screen has
//! those that change what the reader can expect.

use domain::drive::{DriveDecision, DriveReason};
use text::escape::visible;

/// The words for a decision; `None` where nothing need be said.
pub fn told(decision: &DriveDecision) -> Option<String> {
    let Some(cause) = decision.cause else {
        return Some(visible(&decision.reason));
    };
    let words = match cause {
        // Bookkeeping to a reader: what led to it is on the screen already.
        DriveReason::Began
        | DriveReason::UserSpoke
        | DriveReason::ToolsUsed
        | DriveReason::NoTools
        | DriveReason::Momentum
        | DriveReason::SignalsCame
        | DriveReason::NothingNew
        | DriveReason::Dreamt => return None,
        DriveReason::Ended => "auto mode is off",
        DriveReason::Stored => "waiting until something comes in",
        DriveReason::Yielded => "waiting for you, or until something comes in",
        DriveReason::TimeToDream => "putting journal and memory in order",
        DriveReason::Stopped
        | DriveReason::Failed
        | DriveReason::BackingOff
        | DriveReason::TurnsUsed
        | DriveReason::BudgetUsed
        | DriveReason::QuietBegan
        | DriveReason::QuietEnded => return Some(visible(&decision.reason)),
    };
    Some(words.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::drive::DriveState;

    #[test]
    fn decisions_are_told_in_plain_words_or_not_at_all() {
        let said = |cause| told(&DriveDecision::new(DriveState::Resting, cause, 1));
        assert_eq!(said(DriveReason::Began), None);
        assert_eq!(said(DriveReason::NoTools), None);
        let stored = said(DriveReason::Stored).unwrap();
        assert_eq!(stored, "waiting until something comes in");
        let yielded = said(DriveReason::Yielded).unwrap();
        assert!(yielded.starts_with("waiting for you"), "{yielded}");
        let stopped = DriveReason::TurnsUsed.sentence();
        assert_eq!(said(DriveReason::TurnsUsed).as_deref(), Some(stopped));
        let reason = "a reason\u{1b}[2J of tomorrow".to_owned();
        let unknown = told(&DriveDecision::recorded(DriveState::Resting, None, reason)).unwrap();
        assert!(unknown.starts_with("a reason") && !unknown.contains('\u{1b}'));
    }
}
