//! What a listing needs of each session log, kept beside the logs, so that a listing reads only the
//! logs that changed since. It holds nothing that the logs do not: lost or damaged, it is made anew.

mod record;

use crate::lines::{open_regular, read_ends};
use crate::place::path_of;
use crate::summary::{summarise, unopened, without_event};
use api::sessions::SessionSummary;
use disk::private::{self, Durability};
use domain::id::SessionId;
use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use record::{Entry, Index, Listed, SHAPE};

/// The name of its file, which no log can have.
const NAME: &str = "index.json";

/// What is listed of these logs. One that cannot be read is listed as that, and read again next time.
pub(crate) fn summaries(
    folder: &Path,
    logs: impl Iterator<Item = (SessionId, PathBuf)>,
) -> Vec<SessionSummary> {
    let path = folder.join(NAME);
    let mut known = read(&path);
    let known_before = known.len();
    let mut is_new = false;
    let mut kept = BTreeMap::new();
    let mut unread = Vec::new();
    for (session_id, log) in logs {
        let entry = match current(&log, known.remove(&session_id)) {
            Ok((entry, is_read)) => {
                is_new |= is_read;
                entry
            }
            Err(error) => {
                tracing::warn!(path = %log.display(), %error, "session log cannot be read");
                unread.extend(unopened(session_id, &log, &error));
                continue;
            }
        };
        kept.insert(session_id, entry);
    }
    let listed = kept.iter();
    let summaries = listed
        .filter_map(|(session_id, entry)| match &entry.listed {
            Some(listed) => Some(summary(*session_id, listed.clone())),
            None => without_event(*session_id, &path_of(folder, *session_id)),
        })
        .chain(unread)
        .collect();
    // A log that was deleted is not remembered here either.
    if is_new || kept.len() != known_before {
        let index = Index {
            shape: SHAPE,
            logs: kept,
        };
        if let Err(error) = write(&path, &index) {
            // The next listing is slower, and that is all.
            tracing::debug!(%error, "the index of the session logs is not written");
        }
    }
    summaries
}

fn read(path: &Path) -> BTreeMap<SessionId, Entry> {
    let index = open_regular(OpenOptions::new().read(true), path)
        .and_then(std::io::read_to_string)
        .ok()
        .and_then(|text| serde_json::from_str::<Index>(&text).ok());
    let index = index.filter(|index| index.shape == SHAPE);
    index.unwrap_or_default().logs
}

/// A log's entry, and whether the log had to be read for it.
fn current(log: &Path, known: Option<Entry>) -> std::io::Result<(Entry, bool)> {
    let now = log.metadata()?;
    let is_same = |entry: &Entry| {
        entry.bytes == now.len()
            && entry.modified == (now.mtime(), now.mtime_nsec())
            && entry.inode == now.ino()
    };
    if let Some(entry) = known.filter(is_same) {
        return Ok((entry, false));
    }
    let session_id = SessionId::from_uuid(uuid::Uuid::nil());
    let listed = read_ends(log)?.and_then(|ends| summarise(session_id, ends));
    let entry = Entry {
        bytes: now.len(),
        modified: (now.mtime(), now.mtime_nsec()),
        inode: now.ino(),
        listed: listed.map(|listed| Listed {
            title: listed.title,
            workspace: listed.workspace,
            created: listed.created,
            updated: listed.updated,
            last_seq: listed.last_seq,
            forked_from: listed.forked_from,
        }),
    };
    Ok((entry, true))
}

fn summary(session_id: SessionId, listed: Listed) -> SessionSummary {
    SessionSummary {
        session_id,
        title: listed.title,
        workspace: listed.workspace,
        created: listed.created,
        updated: listed.updated,
        last_seq: listed.last_seq,
        live: false,
        holder_id: None,
        holders: 0,
        forked_from: listed.forked_from,
    }
}

/// Replaces the file as a whole, readable by the user alone.
fn write(path: &Path, index: &Index) -> std::io::Result<()> {
    private::replace(path, &serde_json::to_vec(index)?, Durability::Lossy)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::SessionLog;
    use crate::store;
    use api::sessions::Selection;
    use domain::Timestamp;
    use domain::event::{Event, EventBody};
    use domain::lineage::AgentType;
    use domain::model::Think;
    use domain::settings::{Mode, SessionProfile, SessionSettings};

    fn opened(name: &str) -> EventBody {
        EventBody::SessionOpened {
            profile: SessionProfile {
                name: name.to_owned(),
                agent_type: AgentType::new("coder").unwrap(),
                mode: Mode::Loop,
                model: None,
                context_tokens: None,
                provider: None,
                think: Think::Default,
                settings: SessionSettings::closed(PathBuf::from("/w")),
            },
            forked_from: None,
        }
    }

    fn append(log: &mut SessionLog, id: SessionId, body: EventBody) {
        let event = Event {
            seq: log.last_seq() + 1,
            time: Timestamp::UNIX_EPOCH,
            session_id: id,
            query_id: None,
            agent_id: None,
            respondent_id: None,
            call_id: None,
            body,
        };
        log.append(&event).unwrap();
    }

    fn listed(folder: &Path) -> Vec<(String, u64)> {
        let summaries = store::list(folder, &Selection::All).unwrap();
        let listed = summaries.into_iter();
        listed
            .map(|summary| (summary.title, summary.last_seq))
            .collect()
    }

    #[test]
    fn a_listing_is_the_same_with_and_without_an_index() {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path();
        let ids: Vec<SessionId> = (1..=3)
            .map(|number| SessionId::from_uuid(uuid::Uuid::from_u128(number)))
            .collect();
        let mut logs: Vec<SessionLog> = ids
            .iter()
            .map(|id| SessionLog::create(at, *id).unwrap())
            .collect();
        for ((log, id), name) in logs.iter_mut().zip(&ids).zip(["a", "b", "c"]) {
            append(log, *id, opened(name));
        }
        let first = [("c", 1), ("b", 1), ("a", 1)].map(|(name, seq)| (name.to_owned(), seq));
        assert_eq!(listed(at), first);
        assert_eq!(listed(at), first, "from the index");
        // What changed is read again, and what is gone is forgotten.
        let text = || EventBody::TextDelta {
            text: "x".to_owned(),
        };
        append(&mut logs[0], ids[0], text());
        std::fs::remove_file(path_of(at, ids[2])).unwrap();
        let second = [("b", 1), ("a", 2)].map(|(name, seq)| (name.to_owned(), seq));
        assert_eq!(listed(at), second);
        let index = at.join(NAME);
        assert!(!std::fs::read_to_string(&index).unwrap().contains("\"c\""));
        // A damaged one is made anew.
        for damaged in ["", "{\"shape\":2,\"logs\":{\"", "{\"shape\":9,\"logs\":{}}"] {
            std::fs::write(&index, damaged).unwrap();
            assert_eq!(listed(at), second, "{damaged}");
        }
        assert_eq!(read(&index).len(), 2);
    }

    #[test]
    fn an_unchanged_log_is_not_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path();
        let id = SessionId::from_uuid(uuid::Uuid::from_u128(1));
        let mut log = SessionLog::create(at, id).unwrap();
        append(&mut log, id, opened("the name"));
        assert_eq!(listed(at), [("the name".to_owned(), 1)]);
        let index = at.join(NAME);
        let text = std::fs::read_to_string(&index).unwrap();
        std::fs::write(&index, text.replace("the name", "from the index")).unwrap();
        assert_eq!(listed(at), [("from the index".to_owned(), 1)]);
        // Nor where a part of its id fits another one as well.
        let other = SessionId::from_uuid(uuid::Uuid::from_u128(2));
        append(
            &mut SessionLog::create(at, other).unwrap(),
            other,
            opened("other"),
        );
        let both = store::list(at, &Selection::Id("00000000".to_owned())).unwrap();
        let titles: Vec<&str> = both.iter().map(|one| one.title.as_str()).collect();
        assert_eq!(titles, ["other", "from the index"]);
    }
}
