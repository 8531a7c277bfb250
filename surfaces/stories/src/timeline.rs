//! What a story that fails prints: each event on one line, with the time since the first.

use crate::client::Seen;
use domain::Timestamp;
use serde_json::Value;
use text::escape::visible_line;

/// Most characters of what an event says.
const SAID_CHARS: usize = 160;
/// What is the same in every event, and on the line already.
const COMMON: [&str; 8] = [
    "seq",
    "time",
    "session_id",
    "query_id",
    "agent_id",
    "respondent_id",
    "call_id",
    "type",
];

/// The lines of the sessions of a story, by their names.
pub(crate) fn lines(sessions: &[(String, Vec<Seen>)]) -> Vec<String> {
    let begin = sessions
        .iter()
        .flat_map(|(_, seen)| seen)
        .filter_map(at)
        .min();
    let begin = begin.unwrap_or_default();
    let is_one = sessions.len() == 1;
    let mut all: Vec<(i64, String)> = Vec::new();
    for (name, seen) in sessions {
        let session = match is_one {
            true => String::new(),
            false => format!(" [{name}]"),
        };
        // Pieces of an answer say nothing that its end does not say.
        let mut pieces = 0;
        for event in seen {
            if event.name == "response.delta" {
                pieces += 1;
                continue;
            }
            let time = at(event).unwrap_or(begin);
            let mut put = |said: String| all.push((time, said));
            let since = seconds(time.saturating_sub(begin));
            if pieces > 0 {
                put(format!("{since}{session}      response.delta × {pieces}"));
                pieces = 0;
            }
            let said = said(&event.value);
            let line = format!("{since}{session} {:>4} {} {said}", event.seq(), event.name);
            put(visible_line(line.trim_end()));
        }
        if pieces > 0 {
            all.push((i64::MAX, format!("{session}response.delta × {pieces}")));
        }
    }
    all.sort_by_key(|(time, _)| *time);
    all.into_iter().map(|(_, line)| line).collect()
}

fn at(seen: &Seen) -> Option<i64> {
    let time: Timestamp = seen.value["time"].as_str()?.parse().ok()?;
    Some(time.as_millisecond())
}

fn seconds(milliseconds: i64) -> String {
    let (whole, rest) = (milliseconds / 1_000, milliseconds % 1_000);
    format!("+{:>7}", format!("{whole}.{rest:03}"))
}

/// What an event says beside what every event says.
fn said(value: &Value) -> String {
    let fields = value.as_object().into_iter().flatten();
    let own = fields.filter(|(key, _)| !COMMON.contains(&key.as_str()));
    let all: Vec<String> = own.map(|(key, value)| format!("{key}={value}")).collect();
    let all = all.join(" ");
    let mut cut: String = all.chars().take(SAID_CHARS).collect();
    if cut.len() < all.len() {
        cut.push('…');
    }
    cut
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn event(seq: u64, second: u64, name: &str, more: &str) -> Seen {
        let time = format!("2026-01-01T00:00:{second:02}Z");
        Seen {
            name: name.to_owned(),
            value: json!({"seq": seq, "time": time, "type": "x", "text": more}),
        }
    }

    #[test]
    fn each_event_stands_on_one_line_that_shows_what_is_hidden() {
        let seen = vec![
            event(1, 0, "query.received", "a\nb\u{202e}"),
            event(2, 1, "response.delta", "a"),
            event(3, 1, "response.delta", "b"),
            event(4, 2, "query.finished", &"x".repeat(400)),
        ];
        let told = lines(&[("main".to_owned(), seen)]);
        assert_eq!(told.len(), 3, "{told:#?}");
        assert!(
            told[0].starts_with("+  0.000    1 query.received text="),
            "{told:#?}"
        );
        assert!(!told[0].contains('\u{202e}') && !told[0].contains('\n'));
        assert!(told[1].ends_with("response.delta × 2"), "{told:#?}");
        assert!(
            told[2].ends_with('…') && told[2].starts_with("+  2.000"),
            "{told:#?}"
        );
    }
}
