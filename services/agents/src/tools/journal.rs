//! `journal`: the agent writes down what it wants to keep. The entry goes into a Markdown file that
//! people can read, and into the session log; the call leaves the agent's view once it was seen.

use super::tool::{AgentTool, SELF, VERSION, failed};
use crate::blocking;
use crate::work::{PermittedCall, Work};
use api::executor::{FailureKind, ReportSink, ToolFailure};
use async_trait::async_trait;
use context::journal;
use disk::private;
use domain::event::EventBody;
use domain::label::Label;
use domain::tool::{
    ArgumentRole, Audience, BuiltInTool, EffectClass, JOURNAL, ResultSource, ToolOutput, ToolSpec,
    closed_object,
};
use serde_json::{Value, json};
use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The folder of journals, beside that of session logs.
const FOLDER: &str = "journals";

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
        let entry = journal::parts(text)
            .map_err(|unfit| failed(FailureKind::Mendable, "invalid_entry", unfit.to_string()))?;
        let in_file = entry.in_file((work.services.clock)());
        let path = path_of(work);
        blocking::run(move || Ok(append(&path, &in_file)))
            .await
            .map_err(|error| failed(FailureKind::Broken, "unwritable", error.to_string()))?
            .map_err(|error| {
                let message = format!("The journal could not be written: {error}.");
                failed(FailureKind::Broken, "unwritable", message)
            })?;
        let through = work.with_state(|state| state.conversation.seen_through());
        let written = EventBody::JournalWritten {
            title: entry.title,
            text: entry.text,
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
