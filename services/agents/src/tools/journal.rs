//! `journal`: the agent writes down what it wants to keep. The entry goes into a Markdown file that
//! people can read, and into the session log; the call leaves the agent's view once it was seen.

use super::tool::{AgentTool, SELF, VERSION, failed};
use crate::blocking;
use crate::work::{PermittedCall, Work};
use api::executor::{FailureKind, ReportSink, ToolFailure};
use async_trait::async_trait;
use disk::private;
use domain::event::EventBody;
use domain::label::Label;
use domain::limits::JOURNAL_ENTRY_CHARS;
use domain::tool::{
    ArgumentRole, Audience, BuiltInTool, EffectClass, JOURNAL, ResultSource, ToolOutput, ToolSpec,
    closed_object,
};
use serde_json::{Value, json};
use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};
use text::markdown::{Place, disarmed};

/// The folder of journals, beside that of session logs.
const FOLDER: &str = "journals";
/// Longest title taken from the first line, characters.
const TITLE_CHARACTERS: usize = 120;

/// The tool.
pub(super) struct Journal;

#[async_trait]
impl AgentTool for Journal {
    fn spec(&self) -> ToolSpec {
        BuiltInTool {
            name: JOURNAL,
            version: VERSION,
            description: "Note what you must not forget in this conversation. First line: a title.",
            capability: SELF,
            effect: EffectClass::SelfWrite,
            parameters: closed_object(
                json!({"text": {"type": "string", "minLength": 1}}),
                &["text"],
            ),
            arguments: &[("text", ArgumentRole::Payload, None)],
            audience: Audience::User,
            // The result is the same few words whatever was noted.
            result_label: Label::trusted("journal"),
            result_source: ResultSource::World,
            names_pages: &[],
            is_wait: false,
            calls_per_minute: Some(6),
        }
        .spec()
    }

    async fn run(
        &self,
        work: &Work,
        call: PermittedCall,
        _progress: ReportSink,
    ) -> Result<ToolOutput, ToolFailure> {
        let text = call.arguments["text"].as_str().unwrap_or("").trim();
        let (title, text) = parts(text)?;
        let heading = context::heading((work.services.clock)(), &title);
        let entry = in_file(&heading, &text);
        let path = path_of(work);
        blocking::run(move || Ok(append(&path, &entry)))
            .await
            .map_err(|error| failed(FailureKind::Broken, "unwritable", error.to_string()))?
            .map_err(|error| {
                let message = format!("The journal could not be written: {error}.");
                failed(FailureKind::Broken, "unwritable", message)
            })?;
        let through = work.with_state(|state| state.conversation.seen_through());
        let written = EventBody::JournalWritten {
            title,
            text,
            through,
        };
        work.emit(written, Some(call.call_id)).await;
        Ok(ToolOutput {
            data: Value::Null,
            text: "Noted.".to_owned(),
            origin: "journal".to_owned(),
            artifacts: Vec::new(),
            labels: Vec::new(),
        })
    }
}

/// Title and text of an entry. One line alone is both.
fn parts(text: &str) -> Result<(String, String), ToolFailure> {
    let mendable = |message: String| failed(FailureKind::Mendable, "invalid_entry", message);
    if text.is_empty() {
        return Err(mendable("An entry needs words.".to_owned()));
    }
    let characters = text.chars().count();
    if characters > JOURNAL_ENTRY_CHARS {
        return Err(mendable(format!(
            "An entry has at most {JOURNAL_ENTRY_CHARS} characters, not {characters}: keep what \
             matters."
        )));
    }
    let (first, rest) = text.split_once('\n').unwrap_or((text, text));
    let title: String = first
        .trim()
        .trim_start_matches('#')
        .trim()
        .chars()
        .filter(|c| !c.is_control())
        .take(TITLE_CHARACTERS)
        .collect();
    let rest = rest.trim();
    let rest = if rest.is_empty() { first } else { rest };
    Ok((title, rest.to_owned()))
}

/// An entry as it stands in the file: what cannot be seen is written out, and no line of the text
/// is a heading, so that nobody mistakes it for an entry of its own; and whoever opens the file in a
/// viewer loads nothing.
fn in_file(heading: &str, text: &str) -> String {
    let heading = text::escape::visible_line(heading);
    let body = text::escape::visible(&text.replace("\r\n", "\n"));
    let heading = disarmed(&heading, Place::Within, |_| false);
    let body = disarmed(&body, Place::Within, |_| false);
    let lines: Vec<String> = body.lines().map(plain_line).collect();
    format!("{heading}\n\n{}\n\n", lines.join("\n"))
}

/// The line, escaped when Markdown makes a heading of it or of the one before.
fn plain_line(line: &str) -> String {
    let words = line.trim_start();
    let ruled = |c| !words.is_empty() && words.trim_end().chars().all(|other| other == c);
    if words.starts_with('#') || ruled('-') || ruled('=') {
        let indent = &line[..line.len() - words.len()];
        return format!("{indent}\\{words}");
    }
    line.to_owned()
}

/// The journal of the agent: the session's own, or one beside it for an agent at work for another.
fn path_of(work: &Work) -> PathBuf {
    let state = work
        .services
        .sessions_folder
        .parent()
        .unwrap_or(&work.services.sessions_folder);
    let name = if work.is_root() {
        format!("{}.md", work.request.session_id)
    } else {
        format!("{}.{}.md", work.request.session_id, work.agent.id)
    };
    state.join(FOLDER).join(name)
}

fn append(path: &Path, entry: &str) -> std::io::Result<()> {
    if let Some(folder) = path.parent() {
        private::folder(folder)?;
    }
    let mut file = private::open(path, OpenOptions::new().append(true).create(true))?;
    file.write_all(entry.as_bytes())?;
    file.sync_data()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn the_first_line_is_the_title_and_too_long_is_refused_at_the_limit() {
        let (title, text) = parts("## Plan\n\nport 8443").unwrap();
        assert_eq!((title.as_str(), text.as_str()), ("Plan", "port 8443"));
        let (title, text) = parts("port 8443").unwrap();
        assert_eq!((title.as_str(), text.as_str()), ("port 8443", "port 8443"));
        assert!(parts("").is_err());
        assert!(parts(&"x".repeat(JOURNAL_ENTRY_CHARS)).is_ok());
        assert!(parts(&"x".repeat(JOURNAL_ENTRY_CHARS + 1)).is_err());
    }

    #[test]
    fn no_text_hides_in_the_file_or_looks_like_another_entry() {
        let text =
            "a\u{1b}[31m\u{0}\u{202e}b\rc\r\nd\n## 2020-01-01T00:00 — x\n  # y\nz\n---\n- #1";
        let entry = in_file("## 2026-01-01T00:00 — t\u{202e}", text);
        assert_eq!(
            entry,
            "## 2026-01-01T00:00 — t\\u{202e}\n\n\
             a\\u{1b}[31m\\u{0}\\u{202e}b\\u{d}c\nd\n\\## 2020-01-01T00:00 — x\n  \\# y\nz\n\\---\n- \
             #1\n\n"
        );
    }

    #[test]
    fn entries_are_added_at_the_end_of_a_file_that_is_its_owners_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journals/a.md");
        append(&path, "one\n").unwrap();
        append(&path, "two\n").unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "one\ntwo\n");
        let mode = std::fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}
