//! What became of files in a request, by the tools that did it: created, changed, deleted, moved.

use domain::event::{CallStatus, Event, EventBody};
use domain::id::CallId;
use domain::tool::{APPLY_PATCH, UNDO};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use text::escape::visible_line;

/// Most calls and files that are kept in mind; of what is more it is said that it changed.
const MOST: usize = 4_096;

/// How a line of a result begins that names a file that was not there.
const CREATED: &str = "Created ";
/// How the result of an undo begins that brought a file back to its old place.
const MOVED_BACK: &str = "Undid move_file of ";

/// What a file has come to.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Fate {
    Created,
    Changed,
    Deleted,
    /// It is at this place now.
    MovedTo(String),
    /// It came from another place, at which that is said.
    MovedHere,
    Restored,
}

/// What the calls of a request did to files.
#[derive(Debug, Default)]
pub(super) struct Changes {
    /// Calls without a result yet that make a file where none is.
    creating: Vec<CallId>,
    fates: BTreeMap<String, Became>,
}

/// What a file has come to, and by which agent, where that is not the session's own.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Became {
    fate: Fate,
    by: Option<String>,
}

impl Changes {
    /// Takes in one event. `by`: the agent that it is of, where that is not the session's own.
    pub(super) fn add(&mut self, event: &Event, by: Option<&str>) {
        match &event.body {
            EventBody::ToolRequested {
                tool, arguments, ..
            } => self.begin(event.call_id, tool, arguments),
            EventBody::ToolResult {
                tool,
                status,
                artifacts,
                text,
                ..
            } => {
                // An addition to a file that was not there says so.
                if tool == "write_file" && text.lines().any(|line| line.starts_with(CREATED)) {
                    self.creating.extend(event.call_id);
                }
                self.end((event.call_id, by), (tool, *status), (artifacts, text));
            }
            _ => {}
        }
    }

    fn begin(&mut self, call_id: Option<CallId>, tool: &str, arguments: &Value) {
        // `create`, which is what it does unasked, fails where something is.
        let mode = arguments.get("mode").and_then(Value::as_str);
        let creates = match tool {
            "write_file" => mode.unwrap_or("create") == "create",
            "make_dir" => true,
            _ => false,
        };
        if creates && self.creating.len() < MOST {
            self.creating.extend(call_id);
        }
    }

    fn end(
        &mut self,
        (call_id, by): (Option<CallId>, Option<&str>),
        (tool, status): (&str, CallStatus),
        (artifacts, text): (&[String], &str),
    ) {
        let waiting = self.creating.len();
        self.creating.retain(|id| Some(*id) != call_id);
        let creates = self.creating.len() < waiting;
        // A program that was stopped may have changed files until then.
        if !matches!(status, CallStatus::Ok | CallStatus::Cancelled) {
            return;
        }
        match (tool, artifacts) {
            ("move_file", [from, to]) => {
                self.note(from, by, Fate::MovedTo(to.clone()));
                self.note(to, by, Fate::MovedHere);
            }
            ("delete_file", all) => all
                .iter()
                .for_each(|path| self.note(path, by, Fate::Deleted)),
            // A file that was moved is at its old place again, and at the other there is none.
            (UNDO, [left, back]) if text.lines().any(|line| line.starts_with(MOVED_BACK)) => {
                self.note(left, by, Fate::MovedHere);
                self.note(back, by, Fate::Restored);
            }
            (UNDO, all) => all
                .iter()
                .for_each(|path| self.note(path, by, Fate::Restored)),
            (APPLY_PATCH, all) => {
                let created = created_by(text);
                for path in all {
                    let is_new = created.iter().any(|name| Path::new(path).ends_with(name));
                    self.note(path, by, if is_new { Fate::Created } else { Fate::Changed });
                }
            }
            (_, all) if creates => all
                .iter()
                .for_each(|path| self.note(path, by, Fate::Created)),
            (_, all) => all
                .iter()
                .for_each(|path| self.note(path, by, Fate::Changed)),
        }
    }

    fn note(&mut self, path: &str, by: Option<&str>, fate: Fate) {
        let before = self.fates.get(path).map(|became| &became.fate);
        let is_new = matches!(before, Some(Fate::Created | Fate::MovedHere));
        // A file that is new and was edited is new.
        if (fate == Fate::Changed && is_new) || self.fates.len() >= MOST {
            return;
        }
        let by = by.map(str::to_owned);
        self.fates.insert(path.to_owned(), Became { fate, by });
    }

    /// The files of a request at its end, a line each, and behind them those that agents below changed. The
    /// next one begins anew.
    pub(super) fn told(&mut self, artifacts: &[String]) -> Vec<String> {
        let fates = std::mem::take(self).fates;
        let of_agents_below = fates
            .iter()
            .filter(|(path, became)| became.by.is_some() && !artifacts.contains(path))
            .map(|(path, _)| path);
        let all = artifacts.iter().chain(of_agents_below);
        let lines = all.filter_map(|path| {
            let shown = visible_line(path);
            let became = fates.get(path);
            let line = match became.map_or(&Fate::Changed, |became| &became.fate) {
                Fate::Created => format!("created {shown}"),
                Fate::Changed => format!("changed {shown}"),
                Fate::Deleted => format!("deleted {shown}"),
                Fate::MovedTo(to) => format!("moved {shown} to {}", visible_line(to)),
                Fate::MovedHere => return None,
                // A file that is gone again is as it was, too.
                Fate::Restored => format!("as it was before: {shown}"),
            };
            Some(match became.and_then(|became| became.by.as_ref()) {
                Some(by) => format!("{line} (by {by})"),
                None => line,
            })
        });
        lines.collect()
    }
}

/// The files that a patch made, by the names that its result gives them.
fn created_by(text: &str) -> Vec<&str> {
    let named = text.lines().filter_map(|line| line.strip_prefix(CREATED));
    named.filter_map(|name| name.strip_suffix('.')).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use uuid::Uuid;

    /// What is told of calls with their arguments and files.
    fn told(calls: &[(&str, Value, &[&str])]) -> Vec<String> {
        let calls = calls
            .iter()
            .map(|(tool, arguments, files)| (*tool, arguments.clone(), *files, ""));
        told_with_text(&calls.collect::<Vec<_>>())
    }

    /// The same, with the text of each result.
    fn told_with_text(calls: &[(&str, Value, &[&str], &str)]) -> Vec<String> {
        let mut changes = Changes::default();
        let mut all: Vec<String> = Vec::new();
        for (number, (tool, arguments, files, text)) in calls.iter().enumerate() {
            let id = Some(CallId::from_uuid(Uuid::from_u128(number as u128)));
            let files: Vec<String> = files.iter().map(|&file| file.to_owned()).collect();
            changes.begin(id, tool, arguments);
            changes.end((id, None), (tool, CallStatus::Ok), (&files, text));
            all.extend(files);
        }
        all.sort();
        all.dedup();
        changes.told(&all)
    }

    #[test]
    fn each_file_is_told_by_what_became_of_it() {
        let lines = told(&[
            ("write_file", json!({"path": "a"}), &["/a"]),
            ("edit_file", json!({"path": "a"}), &["/a"]),
            (
                "write_file",
                json!({"path": "b", "mode": "overwrite"}),
                &["/b"],
            ),
            ("delete_file", json!({"path": "c"}), &["/c"]),
            ("move_file", json!({"from": "d", "to": "e"}), &["/d", "/e"]),
            ("undo", json!({}), &["/f"]),
            ("another", json!({}), &["/g\u{1b}[2J"]),
        ]);
        let escaped = visible_line("/g\u{1b}[2J");
        assert_eq!(
            lines,
            [
                "created /a".to_owned(),
                "changed /b".to_owned(),
                "deleted /c".to_owned(),
                "moved /d to /e".to_owned(),
                "as it was before: /f".to_owned(),
                format!("changed {escaped}"),
            ]
        );
    }

    #[test]
    fn files_of_agents_below_are_told_behind_those_of_the_session() {
        let mut changes = Changes::default();
        let mut end = |by, tool: &str, path: &str| {
            let files = [path.to_owned()];
            changes.end((None, by), (tool, CallStatus::Ok), (&files, ""));
        };
        end(None, "edit_file", "/a");
        end(Some("coder …12ab"), "edit_file", "/b");
        end(Some("coder …12ab"), "delete_file", "/c");
        end(None, "edit_file", "/not told");
        assert_eq!(
            changes.told(&["/a".to_owned()]),
            [
                "changed /a",
                "changed /b (by coder …12ab)",
                "deleted /c (by coder …12ab)"
            ]
        );
        assert!(changes.told(&[]).is_empty());
    }

    #[test]
    fn an_undo_of_a_rename_is_none_of_a_patch_of_two_files() {
        let back = "Undid move_file of /h/new. 0 more can be undone.";
        let moved = ("undo", json!({}), &["/h/new", "/h/old"][..], back);
        assert_eq!(told_with_text(&[moved]), ["as it was before: /h/old"]);
        let back = "Undid apply_patch of /a, /b. 0 more can be undone.";
        let patch = ("undo", json!({}), &["/a", "/b"][..], back);
        assert_eq!(
            told_with_text(&[patch]),
            ["as it was before: /a", "as it was before: /b"]
        );
    }

    #[test]
    fn what_a_patch_made_is_told_as_new() {
        let text = "Changed a.\nCreated new/b.";
        let files = &["/w/a", "/w/new/b"][..];
        let patch = ("apply_patch", json!({}), files, text);
        assert_eq!(
            told_with_text(&[patch]),
            ["changed /w/a", "created /w/new/b"]
        );
    }

    #[test]
    fn the_last_that_became_of_a_file_counts() {
        let made = ("write_file", json!({}), &["/a"][..]);
        let gone = ("delete_file", json!({}), &["/a"][..]);
        assert_eq!(told(&[made.clone(), gone.clone()]), ["deleted /a"]);
        assert_eq!(told(&[gone, made]), ["created /a"]);
    }
}
