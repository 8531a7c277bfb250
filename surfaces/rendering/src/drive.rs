//! What people are told of a drive's decisions. The session log has every one of them; a screen has
//! those that change what the reader can expect.

use domain::Timestamp;
use domain::drive::{DriveDecision, DriveReason};
use session::Background;
use text::escape::visible_line;

/// Most things that are named of those that a session waits for.
const NAMED: usize = 6;

/// The words for a decision at a time; `None` where nothing need be said. `background`: what the
/// session has running, which is what it waits for.
pub fn told(decision: &DriveDecision, background: &Background, now: Timestamp) -> Option<String> {
    let Some(cause) = decision.cause else {
        return Some(visible_line(&decision.reason));
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
        DriveReason::Stored => return Some(format!("waiting {}", until(background, now))),
        DriveReason::Yielded => {
            return Some(format!("waiting for you, or {}", until(background, now)));
        }
        DriveReason::TimeToDream => "putting journal and memory in order",
        DriveReason::Stopped
        | DriveReason::Failed
        | DriveReason::BackingOff
        | DriveReason::TurnsUsed
        | DriveReason::BudgetUsed
        | DriveReason::QuietBegan
        | DriveReason::QuietEnded => return Some(visible_line(&decision.reason)),
    };
    Some(words.to_owned())
}

/// Until when a session waits: what it has running, by name.
fn until(background: &Background, now: Timestamp) -> String {
    let jobs = background
        .jobs()
        .iter()
        .map(|name| format!("the job {name} ends"));
    let timers = background.timers().iter().map(|timer| {
        let left = timer.due.duration_since(now).as_secs();
        let minutes = u64::try_from(left).unwrap_or(0).div_ceil(60);
        match timer.note.trim() {
            "" => format!("a timer runs out in {minutes} min"),
            note => format!("the timer \"{note}\" runs out in {minutes} min"),
        }
    });
    let watched = background.watched().iter();
    let watched = watched.map(|path| format!("something changes in {path}"));
    let all: Vec<String> = jobs.chain(timers).chain(watched).collect();
    let mut named: Vec<String> = all
        .iter()
        .take(NAMED)
        .map(|one| visible_line(one))
        .collect();
    if let more @ 1.. = all.len() - named.len() {
        named.push(format!("one of {more} others comes in"));
    }
    match named.is_empty() {
        true => "until something comes in".to_owned(),
        false => format!("until {}", named.join(", or ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::drive::DriveState;

    #[test]
    fn decisions_are_told_in_plain_words_or_not_at_all() {
        let nothing = Background::default();
        let told = |decision: &DriveDecision| told(decision, &nothing, Timestamp::UNIX_EPOCH);
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
