//! The drive's tools: to wait, to be woken later, and to have files watched.
//!
//! None of them does anything by itself. The call and its result are in the session log, and the
//! drive acts by the log: what it knows after a crash is what it would have known without one.

use super::tool::{AgentTool, SELF, VERSION, failed};
use crate::drive::may_watch;
use crate::work::{PermittedCall, Work};
use api::executor::{FailureKind, ReportSink, ToolFailure};
use async_trait::async_trait;
use domain::label::Label;
use domain::limits::{DRIVE_TIMER, DRIVE_TIMERS, WATCHED_PATHS};
use domain::settings::Mode;
use domain::tool::{
    ArgumentRole, Audience, BuiltInArgument, BuiltInTool, CANCEL_TIMER, EffectClass, ResultSource,
    SET_TIMER, TargetKind, ToolOutput, ToolSpec, WATCH_PATH, YIELD_TO_USER, closed_object,
};
use serde_json::{Value, json};

/// Longest note of a timer, characters.
const NOTE_CHARS: usize = 500;
/// Longest reason for waiting, characters.
const REASON_CHARS: usize = 500;

/// One of them.
#[derive(Debug, Clone, Copy)]
pub(super) enum DriveTool {
    Yield,
    SetTimer,
    CancelTimer,
    WatchPath,
}

impl DriveTool {
    pub(super) const ALL: [Self; 4] = [
        Self::Yield,
        Self::SetTimer,
        Self::CancelTimer,
        Self::WatchPath,
    ];

    const fn name(self) -> &'static str {
        match self {
            Self::Yield => YIELD_TO_USER,
            Self::SetTimer => SET_TIMER,
            Self::CancelTimer => CANCEL_TIMER,
            Self::WatchPath => WATCH_PATH,
        }
    }

    const fn description(self) -> &'static str {
        match self {
            Self::Yield => {
                "Wait: nothing is left to do now, or the user is needed. With until_signal, until \
                 something comes in."
            }
            Self::SetTimer => "Be woken in so many minutes, with this note.",
            Self::CancelTimer => "Take back the timers with exactly this note.",
            Self::WatchPath => "Be told when files at or below this path change.",
        }
    }

    fn parameters(self) -> Value {
        let minutes = DRIVE_TIMER.as_secs() / 60;
        let note = json!({"type": "string", "minLength": 1, "maxLength": NOTE_CHARS});
        let (properties, required): (_, &[&str]) = match self {
            Self::Yield => (
                json!({
                    "reason": {"type": "string", "maxLength": REASON_CHARS},
                    "until_signal": {"type": "boolean"},
                }),
                &["reason"],
            ),
            Self::SetTimer => (
                json!({
                    "minutes": {"type": "integer", "minimum": 1, "maximum": minutes},
                    "note": note,
                }),
                &["minutes", "note"],
            ),
            Self::CancelTimer => (json!({"note": note}), &["note"]),
            Self::WatchPath => (
                json!({"path": {"type": "string", "minLength": 1}}),
                &["path"],
            ),
        };
        closed_object(properties, required)
    }

    const fn arguments(self) -> &'static [BuiltInArgument<'static>] {
        match self {
            Self::Yield => &[("reason", ArgumentRole::Payload, None)],
            Self::SetTimer | Self::CancelTimer => &[("note", ArgumentRole::Payload, None)],
            Self::WatchPath => &[("path", ArgumentRole::Target, Some(TargetKind::ReadPath))],
        }
    }

    fn result(self, work: &Work, call: &PermittedCall) -> Result<String, ToolFailure> {
        let history = work.services.events.history();
        let background = history.view.background();
        match self {
            Self::Yield => Ok("Waiting begins when this turn ends.".to_owned()),
            Self::SetTimer if background.timers().len() >= DRIVE_TIMERS => Err(failed(
                FailureKind::Mendable,
                "too_many_timers",
                format!("{DRIVE_TIMERS} timers run already. Take one back with {CANCEL_TIMER}."),
            )),
            Self::SetTimer => {
                let minutes = call.arguments["minutes"].as_u64().unwrap_or(0);
                Ok(format!("The timer runs out in {minutes} minutes."))
            }
            Self::CancelTimer => {
                let note = call.arguments["note"].as_str().unwrap_or_default();
                let same = background
                    .timers()
                    .iter()
                    .filter(|timer| timer.note == note);
                match same.count() {
                    0 => {
                        let notes: Vec<&str> = background
                            .timers()
                            .iter()
                            .map(|t| t.note.as_str())
                            .collect();
                        Err(failed(
                            FailureKind::Mendable,
                            "not_found",
                            format!("No timer has this note. There are: {notes:?}"),
                        ))
                    }
                    count => Ok(format!("{count} taken back.")),
                }
            }
            Self::WatchPath if background.watched().len() >= WATCHED_PATHS => Err(failed(
                FailureKind::Mendable,
                "too_many_paths",
                format!("{WATCHED_PATHS} paths are watched already: watch a folder above them."),
            )),
            Self::WatchPath => {
                drop(history);
                let watched = call.targets.get("path");
                let watched = watched.ok_or_else(|| {
                    failed(
                        FailureKind::Broken,
                        "no_path",
                        "No path was judged.".to_owned(),
                    )
                })?;
                let path = call.arguments["path"].as_str().unwrap_or_default();
                if path.starts_with('~') || path.split('/').any(|part| part == "..") {
                    // What is watched is kept as it was written, and read without a home; and where
                    // `..` comes after a link, it leads elsewhere than the text says.
                    let why = format!("Write the path in full: {}", watched.display());
                    return Err(failed(FailureKind::Mendable, "not_watched", why));
                }
                may_watch(work.services.watcher.as_deref(), watched).map_err(|error| {
                    failed(FailureKind::Mendable, "not_watched", error.to_string())
                })?;
                Ok(format!("Watching {}.", watched.display()))
            }
        }
    }
}

#[async_trait]
impl AgentTool for DriveTool {
    fn spec(&self) -> ToolSpec {
        let effect = match self {
            // To end a turn changes nothing.
            Self::WatchPath | Self::Yield => EffectClass::Read,
            Self::SetTimer | Self::CancelTimer => EffectClass::SelfWrite,
        };
        BuiltInTool {
            name: self.name(),
            version: VERSION,
            description: self.description(),
            capability: SELF,
            effect,
            parameters: self.parameters(),
            arguments: self.arguments(),
            audience: Audience::User,
            result_label: Label::untrusted("drive"),
            result_source: ResultSource::Arguments,
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
        if work.request.profile.mode != Mode::Auto {
            let message = "This session is not in auto mode: nothing goes on by itself. Answer the \
                user instead.";
            return Err(failed(
                FailureKind::Mendable,
                "not_auto",
                message.to_owned(),
            ));
        }
        if !work.is_root() {
            let message = "Only the agent that the user talks to waits and sets timers. Report \
                instead.";
            return Err(failed(
                FailureKind::Mendable,
                "not_root",
                message.to_owned(),
            ));
        }
        let text = self.result(work, &call)?;
        Ok(ToolOutput {
            data: json!({"text": text}),
            text,
            origin: "drive".to_owned(),
            artifacts: Vec::new(),
            labels: Vec::new(),
        })
    }
}
