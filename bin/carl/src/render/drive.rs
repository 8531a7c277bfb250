//! What people are told of a drive's decisions. The session log has every one of them; a screen has
//! those that change what the reader can expect.

use text::escape::visible;
use turn::drive::Reason;

/// Decisions that are bookkeeping to a reader: what led to them is on the screen already.
const UNSAID: [Reason; 8] = [
    Reason::Began,
    Reason::UserSpoke,
    Reason::ToolsUsed,
    Reason::NoTools,
    Reason::Momentum,
    Reason::SignalsCame,
    Reason::NothingNew,
    Reason::Dreamt,
];

/// The words for a decision, by the reason on record; `None` where nothing need be said.
pub fn told(reason: &str) -> Option<String> {
    let is = |one: &Reason| reason.starts_with(one.sentence());
    if UNSAID.iter().any(is) {
        return None;
    }
    let words = match reason {
        _ if is(&Reason::Ended) => "auto mode is off",
        // Before the shorter sentence that it begins with.
        _ if is(&Reason::Stored) => "waiting until something comes in",
        _ if is(&Reason::Yielded) => "waiting for you, or until something comes in",
        _ if is(&Reason::TimeToDream) => "putting journal and memory in order",
        other => return Some(visible(other)),
    };
    Some(words.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decisions_are_told_in_plain_words_or_not_at_all() {
        assert_eq!(told(Reason::Began.sentence()), None);
        assert_eq!(told(Reason::NoTools.sentence()), None);
        let stored = told(Reason::Stored.sentence()).unwrap();
        assert_eq!(stored, "waiting until something comes in");
        let yielded = told(Reason::Yielded.sentence()).unwrap();
        assert!(yielded.starts_with("waiting for you"), "{yielded}");
        let stopped = Reason::TurnsUsed.sentence();
        assert_eq!(told(stopped).as_deref(), Some(stopped));
    }
}
