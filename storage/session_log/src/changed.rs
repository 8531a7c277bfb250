//! What the requests at work changed, for whoever is told that the log cannot be written: the end of a
//! request, which lists its files, is then told to nobody.

use api::sessions::Error;
use domain::event::{CallStatus, EventBody};
use domain::id::SessionId;
use std::collections::BTreeSet;

/// Most files that an error names.
const NAMED: usize = 5;

/// Files that were changed and that no end of a request has listed yet.
#[derive(Debug, Default)]
pub(crate) struct Changed(BTreeSet<String>);

impl Changed {
    /// Takes in what happened, logged or not.
    pub(crate) fn note(&mut self, body: &EventBody) {
        if let EventBody::ToolResult {
            status: CallStatus::Ok,
            artifacts,
            ..
        } = body
        {
            self.0.extend(artifacts.iter().cloned());
        }
    }

    /// The end of a request is on record, with its files.
    pub(crate) fn listed(&mut self, body: &EventBody) {
        if let EventBody::QueryFinished { artifacts, .. } = body {
            artifacts.iter().for_each(|file| {
                self.0.remove(file);
            });
        }
    }

    /// An error of the log that names them, and what takes the changes back.
    pub(crate) fn told_with(&self, mut error: Error, session_id: SessionId) -> Error {
        let named: Vec<&str> = self.0.iter().take(NAMED).map(String::as_str).collect();
        if named.is_empty() {
            return error;
        }
        let more = match self.0.len() - named.len() {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        error.detail = format!(
            "{} Changed before that: {}{more}.",
            error.detail,
            named.join(", ")
        );
        error.hint = format!(
            "{} `carl undo {session_id}` takes back the last change of a file.",
            error.hint
        );
        error
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use api::sessions::ErrorKind;
    use domain::event::QueryStatus;
    use uuid::Uuid;

    fn result(status: CallStatus, files: &[&str]) -> EventBody {
        EventBody::ToolResult {
            tool: "write_file".to_owned(),
            status,
            value_id: None,
            label: None,
            text: String::new(),
            truncated: false,
            duration_ms: 0,
            artifacts: files.iter().map(|&file| file.to_owned()).collect(),
            edited: None,
        }
    }

    #[test]
    fn an_error_names_the_files_that_nobody_listed() {
        let mut changed = Changed::default();
        let id = SessionId::from_uuid(Uuid::nil());
        let full = || Error::new(ErrorKind::Unwritable, "Full.").with_hint("Make room.");
        changed.note(&result(CallStatus::Failed, &["/w/no"]));
        assert_eq!(changed.told_with(full(), id).detail, "Full.");
        changed.note(&result(CallStatus::Ok, &["/w/a", "/w/b"]));
        let told = changed.told_with(full(), id);
        assert_eq!(told.detail, "Full. Changed before that: /w/a, /w/b.");
        assert!(
            told.hint.contains(&format!("`carl undo {id}`")),
            "{}",
            told.hint
        );
        changed.listed(&EventBody::QueryFinished {
            status: QueryStatus::Success,
            artifacts: vec!["/w/a".to_owned(), "/w/b".to_owned()],
            duration_ms: 0,
            error: None,
        });
        assert_eq!(changed.told_with(full(), id).detail, "Full.");
        let many: Vec<String> = (0..7).map(|n| format!("/w/{n}")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        changed.note(&result(CallStatus::Ok, &many));
        let told = changed.told_with(full(), id).detail;
        assert!(told.ends_with("/w/4 and 2 more."), "{told}");
    }
}
