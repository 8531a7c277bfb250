//! `recall_event`: an original of the agent's own conversation, by the number of its event.

use super::tool::{AgentTool, SELF, VERSION, failed};
use crate::blocking;
use crate::work::{PermittedCall, Work};
use api::executor::{FailureKind, ReportSink, ToolFailure};
use async_trait::async_trait;
use domain::drive::Origin;
use domain::event::{Event, EventBody};
use domain::label::Label;
use domain::tool::{
    Audience, BuiltInTool, EffectClass, ResultField, ResultSource, ToolOutput, ToolSpec,
    closed_object,
};
use serde_json::json;

const NAME: &str = "recall_event";

/// The tool.
pub(super) struct RecallEvent;

#[async_trait]
impl AgentTool for RecallEvent {
    fn spec(&self) -> ToolSpec {
        BuiltInTool {
            name: NAME,
            version: VERSION,
            description: "The original message behind a number like #42 in a summary.",
            capability: SELF,
            effect: EffectClass::Read,
            parameters: closed_object(json!({"id": {"type": "integer", "minimum": 1}}), &["id"]),
            arguments: &[],
            audience: Audience::User,
            result_label: Label::untrusted("session log"),
            result_source: ResultSource::Stored,
            names_pages: &[],
            is_wait: false,
            calls_per_minute: None,
        }
        .spec()
    }

    async fn run(
        &self,
        work: &Work,
        call: PermittedCall,
        _progress: ReportSink,
    ) -> Result<ToolOutput, ToolFailure> {
        let unknown = |what: String| failed(FailureKind::Mendable, "not_found", what);
        let Some(seq) = call.arguments["id"].as_u64() else {
            return Err(unknown("`id` must be a number, such as 42.".to_owned()));
        };
        let path = work.log_path();
        let found = blocking::run(move || session_log::event(&path, seq)).await;
        let event = found.map_err(|error| {
            failed(FailureKind::Broken, "log_unreadable", error.to_string()).quoting()
        })?;
        let own = (!work.is_root()).then_some(work.agent.id);
        let original = event
            .filter(|(_, whose)| *whose == own)
            .and_then(|(event, _)| original(&event));
        let Some((text, label)) = original else {
            return Err(unknown(format!(
                "No message of this conversation has the number {seq}."
            )));
        };
        Ok(ToolOutput {
            data: json!({"id": seq, "text": text}),
            text,
            origin: "session log".to_owned(),
            artifacts: Vec::new(),
            labels: vec![ResultField {
                path: "/text".to_owned(),
                label,
                format: None,
            }],
        })
    }
}

/// What a message said, and how far it may be trusted.
fn original(event: &Event) -> Option<(String, Label)> {
    match &event.body {
        EventBody::QueryReceived {
            text,
            origin: Origin::User,
            ..
        } => Some((text.clone(), Label::trusted("user"))),
        EventBody::QueryReceived { text, .. }
        | EventBody::ModelAnswered { text, .. }
        | EventBody::JournalWritten { text, .. }
        | EventBody::DialogTurn { answer: text, .. } => {
            Some((text.clone(), Label::untrusted("session log")))
        }
        EventBody::ToolResult { text, label, .. }
        | EventBody::MemoryRecalled { text, label, .. } => {
            let unknown = || Label::untrusted("session log");
            Some((text.clone(), label.clone().unwrap_or_else(unknown)))
        }
        EventBody::InputGiven { text, label, .. } => Some((text.clone(), label.clone())),
        EventBody::PictureShown {
            name,
            picture,
            label,
        } => Some((context::picture_caption(name, picture), label.clone())),
        _ => None,
    }
}
