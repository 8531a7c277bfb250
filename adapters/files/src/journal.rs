//! A session's undo history on disk: an append-only journal of changes, and the content that was
//! there before, named by its digest.
//!
//! A change is written down before it is made. When a session has kept more than its limit, later
//! changes of a file are merged into the one before: what was there first can always be brought back,
//! and so can what somebody else saved between two changes. Where nothing is left to merge, and for a
//! single file larger than the limit, the change is refused.

pub(crate) use crate::changes::{Change, Kept, Open};

use crate::atomic::{self, Written};
use crate::attributes::Rights;
use crate::context::Leash;
use crate::failure::from_io;
use crate::merging::{Merge, mergeable, used};
use api::executor::ToolFailure;
use api::failure::{broken, mendable};
use disk::private;
use domain::hash::Digest;
use domain::id::CallId;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use text::escape::quoted_argv;

/// Why a change is closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Closing {
    /// It was taken back.
    Undone,
    /// It did not happen.
    Void,
    /// It made room for later ones: what it kept was merged into the change before.
    Dropped,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "record", rename_all = "snake_case")]
pub(crate) enum Record {
    Opened {
        number: u64,
        time: jiff::Timestamp,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        call: Option<CallId>,
        tool: String,
        #[serde(flatten)]
        change: Change,
    },
    Closed {
        number: u64,
        why: Closing,
    },
    /// Undo goes on to older changes. Nothing that was kept is lost.
    PassedOver {
        number: u64,
    },
    /// A later change of the same file is part of this one now.
    Merged {
        number: u64,
        after: Digest,
    },
}

/// What a history comes to.
#[derive(Debug, Default)]
pub(crate) struct Folded {
    /// Every change that can be taken back, oldest first.
    pub(crate) open: Vec<Open>,
    /// The others, and why.
    pub(crate) closed: Vec<(Open, Closing)>,
}

/// The history of one session.
#[derive(Debug)]
pub(crate) struct Journal {
    folder: PathBuf,
    limit: u64,
}

/// How failures of our own folder are told; its path is not the model's business.
const SHOWN: &str = "the undo history";

pub(crate) fn fault(error: io::Error) -> ToolFailure {
    from_io(&error, SHOWN)
}

impl Journal {
    pub(crate) fn new(folder: PathBuf, limit: u64) -> Self {
        Self { folder, limit }
    }

    /// Every change that can be taken back, oldest first.
    pub(crate) fn open_changes(&self) -> Result<Vec<Open>, ToolFailure> {
        self.folded().map(|folded| folded.open)
    }

    /// Every change that was written down.
    pub(crate) fn folded(&self) -> Result<Folded, ToolFailure> {
        let Some(file) = self.written()? else {
            return Ok(Folded::default());
        };
        let mut open = BTreeMap::new();
        let mut closed = Vec::new();
        let mut reader = BufReader::new(file);
        let mut line = Vec::new();
        loop {
            line.clear();
            if reader.read_until(b'\n', &mut line).map_err(fault)? == 0 || !line.ends_with(b"\n") {
                // A last line without its end was never acknowledged.
                let open = open.into_values().collect();
                return Ok(Folded { open, closed });
            }
            match serde_json::from_slice(&line) {
                Ok(Record::Opened {
                    number,
                    time,
                    call,
                    tool,
                    change,
                }) => {
                    open.insert(
                        number,
                        Open {
                            number,
                            time,
                            call,
                            tool,
                            change,
                            is_passed: false,
                        },
                    );
                }
                Ok(Record::PassedOver { number }) => {
                    if let Some(one) = open.get_mut(&number) {
                        one.is_passed = true;
                    }
                }
                Ok(Record::Closed { number, why }) => {
                    let ended = open.remove(&number);
                    closed.extend(ended.map(|one| (one, why)));
                }
                Ok(Record::Merged {
                    number,
                    after: later,
                }) => {
                    if let Some(one) = open.get_mut(&number) {
                        one.leaves(later);
                    }
                }
                Err(error) => {
                    return Err(broken(
                        "undo_unreadable",
                        format!("The undo history cannot be read: {error}."),
                    ));
                }
            }
        }
    }

    /// Keeps a copy of content that is about to go, merging changes when there is no room for it.
    pub(crate) fn keep(
        &self,
        content: &mut dyn Read,
        size: u64,
        rights: Rights,
        leash: &Leash,
    ) -> Result<Kept, ToolFailure> {
        self.make_room(size)?;
        let copies = self.copies();
        private::folder(&copies).map_err(fault)?;
        let temporary = copies.join(format!("{}.tmp", uuid::Uuid::now_v7().simple()));
        let written = self.write_copy(&temporary, content, leash);
        let Written { digest, bytes } = match written {
            Ok(written) => written,
            Err(failure) => {
                // The failure that matters is the first one.
                let _ = fs::remove_file(&temporary);
                return Err(failure);
            }
        };
        fs::rename(&temporary, self.copy_of(digest)).map_err(fault)?;
        Ok(Kept {
            digest,
            bytes,
            rights,
        })
    }

    fn write_copy(
        &self,
        path: &Path,
        content: &mut dyn Read,
        leash: &Leash,
    ) -> Result<Written, ToolFailure> {
        let mut file =
            private::open(path, OpenOptions::new().write(true).create_new(true)).map_err(fault)?;
        // A file that grows while it is copied must not outgrow the limit.
        let mut bounded = content.take(self.limit.saturating_add(1));
        let written = atomic::copy(&mut bounded, &mut file, leash, SHOWN)?;
        if written.bytes > self.limit {
            return Err(too_large(self.limit));
        }
        file.sync_all().map_err(fault)?;
        Ok(written)
    }

    /// The content of a file that was kept, once it is certain that it is what the file held.
    pub(crate) fn read(&self, kept: &Kept, shown: &str) -> Result<File, ToolFailure> {
        let opened = private::open(&self.copy_of(kept.digest), OpenOptions::new().read(true));
        let whole = opened.and_then(|mut copy| {
            let mut hasher = blake3::Hasher::new();
            let bytes = io::copy(&mut copy, &mut hasher)?;
            let digest = Digest::from_bytes(*hasher.finalize().as_bytes());
            copy.rewind()?;
            Ok((digest == kept.digest && bytes == kept.bytes).then_some(copy))
        });
        match whole {
            Ok(Some(copy)) => Ok(copy),
            Ok(None) => Err(damaged(shown, "is damaged")),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Err(damaged(shown, "is not there any more"))
            }
            Err(error) => Err(damaged(shown, &format!("cannot be read ({error})"))),
        }
    }

    /// Writes a change down, before it is made. Returns its number.
    pub(crate) fn begin(
        &self,
        tool: &str,
        call: CallId,
        change: Change,
    ) -> Result<u64, ToolFailure> {
        let number = self.next_number()?;
        self.append(&Record::Opened {
            number,
            time: jiff::Timestamp::now(),
            call: Some(call),
            tool: tool.to_owned(),
            change,
        })?;
        Ok(number)
    }

    /// Closes a change: it can no longer be taken back.
    pub(crate) fn close(&self, number: u64, why: Closing) -> Result<(), ToolFailure> {
        self.append(&Record::Closed { number, why })?;
        self.sweep()
    }

    /// One more than the whole lines there are: every record has its own line.
    pub(crate) fn next_number(&self) -> Result<u64, ToolFailure> {
        let Some(mut file) = self.written()? else {
            return Ok(1);
        };
        let mut text = Vec::new();
        file.read_to_end(&mut text).map_err(fault)?;
        Ok(text.iter().filter(|byte| **byte == b'\n').count() as u64 + 1)
    }

    fn make_room(&self, size: u64) -> Result<(), ToolFailure> {
        if size > self.limit {
            return Err(too_large(self.limit));
        }
        let mut open = self.open_changes()?;
        let mut merges = Vec::new();
        // Nothing is given up for a change that is refused all the same.
        while used(&open).saturating_add(size) > self.limit {
            let merge = mergeable(&open).ok_or_else(|| full(self.limit))?;
            merge.apply(&mut open);
            merges.push(merge);
        }
        for Merge { into, later, after } in merges {
            self.append(&Record::Merged {
                number: into,
                after,
            })?;
            self.close(later, Closing::Dropped)?;
        }
        Ok(())
    }

    /// Removes copies that no open change needs.
    fn sweep(&self) -> Result<(), ToolFailure> {
        let open = self.open_changes()?;
        let needed: Vec<PathBuf> = open
            .iter()
            .filter_map(|open| open.change.kept())
            .map(|kept| self.copy_of(kept.digest))
            .collect();
        let copies = match fs::read_dir(self.copies()) {
            Ok(copies) => copies,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(fault(error)),
        };
        for copy in copies {
            let path = copy.map_err(fault)?.path();
            if !needed.contains(&path) {
                fs::remove_file(&path).map_err(fault)?;
            }
        }
        Ok(())
    }

    pub(crate) fn append(&self, record: &Record) -> Result<(), ToolFailure> {
        private::folder(&self.folder).map_err(fault)?;
        // The user's own command may write while a session is at work in another process.
        let _held = private::wait_for_lock(&self.folder.join("lock")).map_err(fault)?;
        let mut line = match serde_json::to_vec(record) {
            Ok(line) => line,
            Err(error) => {
                return Err(broken(
                    "undo_unwritable",
                    format!("The undo history cannot be written: {error}."),
                ));
            }
        };
        line.push(b'\n');
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let mut file = private::open(&self.journal(), &mut options).map_err(fault)?;
        let end = whole_lines(&mut file).map_err(fault)?;
        file.set_len(end).map_err(fault)?;
        file.seek(SeekFrom::Start(end)).map_err(fault)?;
        file.write_all(&line).map_err(fault)?;
        file.sync_data().map_err(fault)
    }

    /// The journal, open for reading; `None` before the first change.
    fn written(&self) -> Result<Option<File>, ToolFailure> {
        match private::open(&self.journal(), OpenOptions::new().read(true)) {
            Ok(file) => Ok(Some(file)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(fault(error)),
        }
    }

    fn journal(&self) -> PathBuf {
        self.folder.join("journal.jsonl")
    }

    fn copies(&self) -> PathBuf {
        self.folder.join("copies")
    }

    fn copy_of(&self, digest: Digest) -> PathBuf {
        self.copies().join(digest.to_string())
    }
}

/// Where the last whole line ends: a torn one after it is dropped.
fn whole_lines(file: &mut File) -> io::Result<u64> {
    let length = file.metadata()?.len();
    let mut last = [b'\n'];
    if length > 0 {
        file.seek(SeekFrom::Start(length - 1))?;
        file.read_exact(&mut last)?;
    }
    if last == *b"\n" {
        return Ok(length);
    }
    file.seek(SeekFrom::Start(0))?;
    let mut text = Vec::new();
    file.read_to_end(&mut text)?;
    let end = text
        .iter()
        .rposition(|b| *b == b'\n')
        .map_or(0, |at| at + 1);
    Ok(end as u64)
}

/// What is said of a copy that is not what the file held.
fn damaged(shown: &str, what: &str) -> ToolFailure {
    mendable(
        "copy_damaged",
        format!(
            "The copy that undo kept of `{shown}` {what}, so what the file held cannot be brought \
             back. Nothing was undone. The user can type `{}` to leave it as it is and take back the \
             older change of another file.",
            skipping(shown)
        ),
    )
}

/// The command that leaves a file as it is, as a shell takes it.
pub(crate) fn skipping(shown: &str) -> String {
    quoted_argv(&["carl", "undo", "--skip", shown])
}

fn full(limit: u64) -> ToolFailure {
    mendable(
        "undo_full",
        format!(
            "The undo history of this session holds its {limit} bytes, and dropping what was there \
             first would lose it for good, so nothing was changed. Ask the user to start a new \
             session, or to change the file."
        ),
    )
}

fn too_large(limit: u64) -> ToolFailure {
    mendable(
        "too_large_to_undo",
        format!(
            "The file is larger than the {limit} bytes that can be kept for undo, so it was not \
             changed. Ask the user to do it."
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::StopFlag;
    use std::time::Duration;

    fn leash() -> Leash {
        Leash::new(StopFlag::default(), Duration::from_secs(60), None)
    }

    /// A change of `/w/a` from one content to the next.
    fn put(journal: &Journal, before: &[u8], after: &[u8]) -> Result<u64, ToolFailure> {
        let rights = Rights {
            mode: 0o644,
            owner: None,
        };
        let before = journal.keep(&mut &*before, before.len() as u64, rights, &leash())?;
        journal.begin(
            "write_file",
            CallId::from_uuid(uuid::Uuid::nil()),
            Change::Put {
                path: PathBuf::from("/w/a"),
                before: Some(before),
                after: Digest::of(after),
                made: Vec::new(),
            },
        )
    }

    fn kept_bytes(journal: &Journal) -> Vec<u64> {
        let open = journal.open_changes().unwrap();
        open.iter()
            .map(|o| o.change.kept().unwrap().bytes)
            .collect()
    }

    #[test]
    fn what_was_there_first_is_never_dropped() {
        let folder = tempfile::tempdir().unwrap();
        let journal = Journal::new(folder.path().join("s"), 10);
        assert_eq!(put(&journal, b"0123", b"456789").unwrap(), 1);
        assert_eq!(put(&journal, b"456789", b"ab").unwrap(), 2);
        assert_eq!(journal.open_changes().unwrap().len(), 2);
        put(&journal, b"ab", b"0123456").unwrap();
        assert_eq!(
            kept_bytes(&journal),
            [4, 2],
            "the second is part of the first"
        );
        assert_eq!(fs::read_dir(journal.copies()).unwrap().count(), 2);
        // The first one leaves no room for this, and stays.
        let full = put(&journal, b"0123456", b"x").unwrap_err();
        assert_eq!(full.rule, "undo_full");
        assert_eq!(kept_bytes(&journal)[0], 4);
        assert_eq!(
            put(&journal, b"0123456789a", b"x").unwrap_err().rule,
            "too_large_to_undo"
        );
        let other = Journal::new(folder.path().join("t"), 10);
        put(&other, b"0123456789", b"x").unwrap();
    }

    #[test]
    fn what_was_saved_between_two_changes_is_never_dropped() {
        let folder = tempfile::tempdir().unwrap();
        let journal = Journal::new(folder.path().join("s"), 11);
        put(&journal, b"v0", b"v1").unwrap();
        // Somebody else wrote this where the change left `v1`.
        put(&journal, b"theirs", b"v2").unwrap();
        put(&journal, b"v2", b"v3").unwrap();
        put(&journal, b"v3", b"v4").unwrap();
        assert_eq!(kept_bytes(&journal), [2, 6, 2], "v2 is part of theirs");
        let full = put(&journal, b"0123456", b"x").unwrap_err();
        assert_eq!(full.rule, "undo_full");
        assert_eq!(kept_bytes(&journal), [2, 6, 2], "nothing is merged in vain");
    }

    #[test]
    fn nothing_becomes_part_of_what_is_passed_over() {
        let folder = tempfile::tempdir().unwrap();
        let journal = Journal::new(folder.path().join("s"), 6);
        let number = put(&journal, b"v0", b"v1").unwrap();
        journal.append(&Record::PassedOver { number }).unwrap();
        put(&journal, b"v1", b"v2").unwrap();
        let full = put(&journal, b"0123", b"x").unwrap_err();
        assert_eq!(full.rule, "undo_full");
        put(&journal, b"v2", b"v3").unwrap();
        put(&journal, b"v3", b"v4").unwrap();
        assert_eq!(kept_bytes(&journal), [2, 2, 2], "v2 is part of v1");
    }

    #[test]
    fn changes_on_both_sides_of_a_move_are_not_merged() {
        let folder = tempfile::tempdir().unwrap();
        let journal = Journal::new(folder.path().join("s"), 10);
        put(&journal, b"01234", b"56789").unwrap();
        let moved = Change::Moved {
            from: PathBuf::from("/w/a"),
            to: PathBuf::from("/w/b"),
            what: None,
            made: Vec::new(),
        };
        let call = CallId::from_uuid(uuid::Uuid::nil());
        journal.begin("move_file", call, moved).unwrap();
        put(&journal, b"56789", b"x").unwrap();
        assert_eq!(put(&journal, b"x", b"y").unwrap_err().rule, "undo_full");
    }

    #[test]
    fn a_torn_last_line_is_forgotten_and_the_next_record_is_whole() {
        let folder = tempfile::tempdir().unwrap();
        let journal = Journal::new(folder.path().join("s"), 100);
        put(&journal, b"one", b"1").unwrap();
        let mut file = OpenOptions::new()
            .append(true)
            .open(journal.journal())
            .unwrap();
        file.write_all(b"{\"record\":\"opened\",\"num").unwrap();
        assert_eq!(journal.open_changes().unwrap().len(), 1);
        put(&journal, b"two", b"2").unwrap();
        let numbers: Vec<u64> = journal
            .open_changes()
            .unwrap()
            .iter()
            .map(|o| o.number)
            .collect();
        assert_eq!(numbers, [1, 2]);
        journal.close(2, Closing::Undone).unwrap();
        assert_eq!(journal.open_changes().unwrap().len(), 1);
    }
}
