//! What is typed and not sent, in a file of the session: a window that is killed loses a second of it.

use disk::private::{self, Durability};
use disk::read::{self, Links};
use domain::id::SessionId;
use domain::limits::USER_TEXT_BYTES;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How long after a key what is typed is written.
const WRITTEN_AFTER: Duration = Duration::from_secs(1);

/// The file of a session's draft. It is there from the first key until a window is left in order with
/// nothing typed.
#[derive(Debug)]
pub struct Draft {
    file: PathBuf,
    /// What the file holds, where this window wrote it.
    written: Option<String>,
    /// Whether what the file holds is this window's, and not another one's of the same session.
    is_own: bool,
    /// When it is written next.
    due: Option<Instant>,
    /// Whether it cannot be written, which was said.
    has_failed: bool,
}

/// The file of a session's draft in the folder of all drafts.
#[must_use]
pub fn file(folder: &Path, id: SessionId) -> PathBuf {
    folder.join(id.to_string())
}

impl Draft {
    /// The draft of a session in the folder of all drafts, which need not be there.
    #[must_use]
    pub fn of(folder: &Path, id: SessionId) -> Self {
        Self {
            file: file(folder, id),
            written: None,
            is_own: false,
            due: None,
            has_failed: false,
        }
    }

    /// What the window before left; `None` where it had nothing typed and ended in order.
    #[must_use]
    pub fn left(&mut self) -> Option<String> {
        self.is_own = true;
        let limit = u64::try_from(USER_TEXT_BYTES).unwrap_or(u64::MAX);
        read::text(&self.file, limit, Links::Refused).unwrap_or_else(|error| {
            tracing::warn!(%error, "what was typed before cannot be read");
            None
        })
    }

    /// A key was pressed, so that it may be another.
    pub fn touch(&mut self, now: Instant) {
        if !self.has_failed {
            self.due.get_or_insert(now + WRITTEN_AFTER);
        }
    }

    /// When it is to be written.
    #[must_use]
    pub const fn due(&self) -> Option<Instant> {
        self.due
    }

    /// Writes it, where it is another than was written.
    pub fn write(&mut self, text: &str) {
        self.due = None;
        if self.has_failed || self.written.as_deref() == Some(text) {
            return;
        }
        match self.put(text) {
            Ok(()) => {
                self.is_own = true;
                self.written = Some(text.to_owned());
            }
            Err(error) => {
                self.has_failed = true;
                tracing::warn!(%error, "what is typed is not kept in case this window is killed");
            }
        }
    }

    /// The window leaves the session with this draft: where nothing is typed nothing stays.
    pub fn leave(&mut self, text: &str) {
        if !text.trim().is_empty() {
            return self.write(text);
        }
        if !self.is_own {
            return;
        }
        match std::fs::remove_file(&self.file) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                tracing::warn!(%error, "the file of what was typed cannot be removed");
            }
            _ => {}
        }
    }

    fn put(&self, text: &str) -> io::Result<()> {
        if let Some(folder) = self.file.parent() {
            private::folder(folder)?;
        }
        private::replace(&self.file, text.as_bytes(), Durability::Lossy)
    }
}

/// What stands in the input at first: messages that were never begun, above what was typed. One that
/// stands in the draft already came back before.
#[must_use]
pub fn joined(not_begun: &[String], draft: &str) -> String {
    let new = not_begun
        .iter()
        .filter(|text| !draft.contains(text.as_str()));
    let mut parts: Vec<&str> = new.map(String::as_str).collect();
    if !draft.trim().is_empty() {
        parts.push(draft);
    }
    parts.join("\n\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    #[test]
    fn a_draft_outlasts_its_window_and_an_empty_one_leaves_no_file() {
        let folder = tempfile::tempdir().unwrap();
        let id = SessionId::from_uuid(Uuid::from_u128(7));
        let drafts = folder.path().join("drafts");
        let mut draft = Draft::of(&drafts, id);
        assert_eq!(draft.left(), None);
        let now = Instant::now();
        draft.touch(now);
        draft.touch(now + WRITTEN_AFTER);
        assert_eq!(draft.due(), Some(now + WRITTEN_AFTER));
        draft.write("half a\nthought");
        assert_eq!(draft.due(), None);
        // A second window of the session, which says nothing, leaves it.
        Draft::of(&drafts, id).leave("");
        let mut next = Draft::of(&drafts, id);
        assert_eq!(next.left().as_deref(), Some("half a\nthought"));
        next.leave(" ");
        assert_eq!(next.left(), None);
        assert!(!file(&drafts, id).exists());
    }

    #[test]
    fn a_file_that_cannot_be_written_is_given_up() {
        let folder = tempfile::tempdir().unwrap();
        let taken = folder.path().join("drafts");
        std::fs::write(&taken, "no folder").unwrap();
        let mut draft = Draft::of(&taken, SessionId::from_uuid(Uuid::from_u128(7)));
        draft.write("text");
        draft.touch(Instant::now());
        assert_eq!(draft.due(), None);
    }

    #[test]
    fn messages_that_were_never_begun_come_back_once() {
        let not_begun = ["one".to_owned(), "two".to_owned()];
        assert_eq!(joined(&not_begun, "draft"), "one\n\ntwo\n\ndraft");
        assert_eq!(
            joined(&not_begun, "one\n\ntwo\n\ndraft"),
            "one\n\ntwo\n\ndraft"
        );
        assert_eq!(joined(&not_begun, ""), "one\n\ntwo");
        assert_eq!(joined(&[], " "), "");
    }
}
