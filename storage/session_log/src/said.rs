//! Sessions by what was said in them. Their logs are read from beginning to end, but only events that are
//! messages are parsed.

use crate::lines::{is_of, open_regular};
use api::sessions::{FOUND_SESSIONS, searched_words};
use domain::drive::Origin;
use domain::event::{Event, EventBody};
use domain::id::SessionId;
use domain::limits::LOG_LINE_BYTES;
use std::cmp::Reverse;
use std::fs::OpenOptions;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

/// The kinds of events that are messages.
const MESSAGES: [&[u8]; 3] = [b"query_received\"", b"model_answered\"", b"dialog_turn\""];

/// Those of these logs in which a message has all of the words of a text, the newest first, at most
/// [`FOUND_SESSIONS`]. A log that cannot be read has nothing.
pub(crate) fn found(mut logs: Vec<(SessionId, PathBuf)>, text: &str) -> Vec<SessionId> {
    let words = searched_words(text);
    if words.is_empty() {
        return Vec::new();
    }
    logs.sort_by_cached_key(|(id, path)| {
        let changed = path.metadata().and_then(|metadata| metadata.modified());
        Reverse((changed.ok(), *id))
    });
    let has = |path: &Path| has(path, &words).unwrap_or_default();
    let found = logs.into_iter().filter(|(_, path)| has(path));
    found.map(|(id, _)| id).take(FOUND_SESSIONS).collect()
}

/// Whether a message of a log has all of these words.
fn has(path: &Path, words: &[String]) -> std::io::Result<bool> {
    let file = open_regular(OpenOptions::new().read(true), path)?;
    let mut reader = BufReader::new(file);
    let most = u64::try_from(LOG_LINE_BYTES).unwrap_or(u64::MAX);
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = reader.by_ref().take(most).read_until(b'\n', &mut line)?;
        if read == 0 {
            return Ok(false);
        }
        if is_of(&line, &MESSAGES) && message(&line).is_some_and(|text| has_all(&text, words)) {
            return Ok(true);
        }
    }
}

fn has_all(text: &str, words: &[String]) -> bool {
    let text = text.to_lowercase();
    words.iter().all(|word| text.contains(word))
}

/// What the user or an agent said to the other in the event of a line.
fn message(line: &[u8]) -> Option<String> {
    let event: Event = serde_json::from_slice(line).ok()?;
    match event.body {
        EventBody::QueryReceived {
            text,
            origin: Origin::User,
            ..
        } => Some(text),
        EventBody::ModelAnswered {
            text, aside: false, ..
        } => Some(text),
        EventBody::DialogTurn { answer, .. } => Some(answer),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    fn log(folder: &Path, number: u128, events: &[&str]) -> (SessionId, PathBuf) {
        let id = SessionId::from_uuid(Uuid::from_u128(number));
        let path = folder.join(format!("{id}.jsonl"));
        let lines = events.iter().enumerate().map(|(at, body)| {
            format!(
                "{{\"seq\":{},\"time\":\"2026-01-01T00:00:00Z\",\"session_id\":\"{id}\",{body}}}\n",
                at + 1
            )
        });
        std::fs::write(&path, lines.collect::<String>()).unwrap();
        (id, path)
    }

    #[test]
    fn sessions_are_found_by_messages_and_by_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path();
        let asked = "\"type\":\"query_received\",\"text\":\"Where is the Gr\u{fc}ne LAMP?\",\"mode\":\"loop\"";
        let said =
            "\"type\":\"dialog_turn\",\"query\":\"and?\",\"answer\":\"on the \\\"table\\\"\"";
        let piece = "\"type\":\"text_delta\",\"text\":\"a lamp and a table\"";
        let logs = vec![
            log(at, 1, &[asked]),
            log(at, 2, &[piece, said]),
            log(at, 3, &[piece]),
        ];
        let ids: Vec<SessionId> = logs.iter().map(|(id, _)| *id).collect();
        for (words, expected) in [
            ("gr\u{fc}ne lamp", &ids[..1]),
            ("\"table\"", &ids[1..2]),
            // Not in one message, a name of a field, and nothing.
            ("lamp table", &[][..]),
            ("query_received", &[][..]),
            (" ", &[][..]),
        ] {
            assert_eq!(found(logs.clone(), words), expected, "{words}");
        }
    }
}
