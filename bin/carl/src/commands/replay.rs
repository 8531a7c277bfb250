//! `carl policy replay`: a past session's calls, judged by today's policy. Nothing runs.

use super::Setting;
use crate::cli::ReplayArgs;
use crate::wiring::{self, Guard, House, Knowledge};
use anyhow::{Context, Result};
use api::CallContext;
use api::audit::{Ack, Audit, Durability, Entry};
use api::broker::{CallRequest, Registered};
use api::sessions::Follow;
use async_trait::async_trait;
use domain::decision::Decision;
use domain::event::{CallStatus, Event, EventBody};
use domain::id::{CallId, SessionId, TraceId};
use domain::label::Label;
use domain::settings::SessionProfile;
use serde_json::{Value, json};
use std::sync::Arc;
use terminal::exit::{Exit, OrFail};
use terminal::render::{print, table};
use terminal::sessions::{events_of, find};
use text::escape::visible;
use uuid::Uuid;

/// One call of the session: what was decided then, and what would be now.
struct Replayed {
    tool: String,
    arguments: Value,
    then: String,
    now: Decision,
}

/// Judges every call of a session again, in order, after the same words of the user and the same
/// labels of results.
///
/// # Errors
/// When the session is not found or its calls cannot be judged.
pub async fn replay(args: ReplayArgs) -> Result<Exit> {
    let setting = Setting::plain()?;
    let house = House::look(&setting).await?;
    let sessions = house.sessions.as_ref();
    let found = find(sessions, &args.session, &setting.workspace).await?;
    let events = events_of(sessions, found.session_id, Follow::Outline).await?;
    let secrets = wiring::secrets_to_look(&setting).await?;
    let knowledge = Knowledge {
        remembrance: house.remembrance.clone(),
        search: house.search.clone(),
    };
    let local = wiring::local_tools(&setting)?;
    let tools = (local, &knowledge);
    let guard = wiring::guard(&setting, Arc::new(Rehearsal), secrets, tools)?;
    let mut stage = Stage::open(&guard, &events).await?;
    let played = stage.play(&events).await;
    stage.close().await?;
    let played = played?;
    let is_changed = |r: &&Replayed| r.then != r.now.verdict.as_str();
    if args.json {
        let rows: Vec<Value> = played.iter().map(as_json).collect();
        print(&format!("{}\n", serde_json::to_string_pretty(&rows)?))?;
    } else {
        let mut rows = vec![
            ["then", "now", "layer", "rule", "call"]
                .map(str::to_owned)
                .to_vec(),
        ];
        rows.extend(played.iter().map(|r| {
            vec![
                r.then.clone(),
                r.now.verdict.as_str().to_owned(),
                r.now.layer.to_string(),
                r.now.rule.clone(),
                visible(&format!("{} {}", r.tool, r.arguments))
                    .chars()
                    .take(120)
                    .collect(),
            ]
        }));
        let changed = played.iter().filter(is_changed).count();
        let end = format!(
            "{} calls; {changed} decided otherwise today.\n",
            played.len()
        );
        print(&format!("{}{end}", table(&rows)))?;
    }
    Ok(Exit::Success)
}

fn as_json(replayed: &Replayed) -> Value {
    json!({
        "tool": replayed.tool,
        "arguments": replayed.arguments,
        "then": replayed.then,
        "now": replayed.now,
    })
}

/// The log of a rehearsal: what is judged here happens to no one, and is not on record.
struct Rehearsal;

#[async_trait]
impl Audit for Rehearsal {
    async fn append(&self, _: Entry, _: Durability) -> Result<Ack, api::audit::Error> {
        Ok(Ack { sequence: 0 })
    }
}

/// A session of its own in the broker, in which nothing is ever executed.
struct Stage<'a> {
    guard: &'a Guard,
    session_id: SessionId,
    root: Registered,
    trace_id: TraceId,
}

impl<'a> Stage<'a> {
    async fn open(guard: &'a Guard, events: &[Event]) -> Result<Self> {
        let profile = events.iter().find_map(profile_of);
        let profile = profile.context("the session's log does not begin with its opening")?;
        let session_id = SessionId::from_uuid(Uuid::now_v7());
        let control = &guard.control;
        let root = control
            .open_session(
                session_id,
                profile.agent_type.clone(),
                profile.settings.clone(),
            )
            .await
            .or_fail()?;
        Ok(Self {
            guard,
            session_id,
            root,
            trace_id: TraceId::from_uuid(Uuid::now_v7()),
        })
    }

    async fn play(&mut self, events: &[Event]) -> Result<Vec<Replayed>> {
        let control = &self.guard.control;
        let mut played: Vec<Replayed> = Vec::new();
        for event in events {
            match &event.body {
                EventBody::SessionConfigured { profile } => {
                    let settings = profile.settings.clone();
                    control
                        .configure(self.session_id, settings)
                        .await
                        .or_fail()?;
                }
                EventBody::QueryReceived { text, .. } => {
                    self.trace_id = TraceId::from_uuid(Uuid::now_v7());
                    control
                        .hear(self.session_id, text.clone())
                        .await
                        .or_fail()?;
                }
                EventBody::ToolRequested {
                    tool, arguments, ..
                } => {
                    played.push(Replayed {
                        tool: tool.clone(),
                        arguments: arguments.clone(),
                        then: "none".to_owned(),
                        now: self.judge(tool, arguments).await?,
                    });
                }
                EventBody::BrokerDecision { verdict, .. } => {
                    // What follows an answer is not what the call met at first.
                    if let Some(last) = played.last_mut()
                        && last.then == "none"
                    {
                        last.then = verdict.as_str().to_owned();
                    }
                }
                EventBody::ToolResult { status, label, .. } => {
                    if let Some(seen) = seen(*status, label.as_ref()) {
                        control.recall(self.session_id, seen).await.or_fail()?;
                    }
                }
                EventBody::MemoryRecalled { text, label, .. } if !text.is_empty() => {
                    let unknown = || Label::untrusted("memory");
                    let seen = label.clone().unwrap_or_else(unknown);
                    control.recall(self.session_id, seen).await.or_fail()?;
                }
                EventBody::NotesShown { label, .. }
                | EventBody::InputGiven { label, .. }
                | EventBody::PictureShown { label, .. } => {
                    control
                        .recall(self.session_id, label.clone())
                        .await
                        .or_fail()?;
                }
                _ => {}
            }
        }
        Ok(played)
    }

    async fn judge(&self, tool: &str, arguments: &Value) -> Result<Decision> {
        let request = CallRequest {
            context: CallContext {
                session_id: self.session_id,
                agent_token: self.root.token.clone(),
                trace_id: self.trace_id,
            },
            call_id: CallId::from_uuid(Uuid::now_v7()),
            tool: tool.to_owned(),
            arguments: arguments.clone(),
            plan_id: None,
            batch: None,
            recovered: false,
        };
        self.guard.broker.validate(request).await.or_fail()
    }

    async fn close(self) -> Result<()> {
        self.guard
            .control
            .close_session(self.session_id)
            .await
            .or_fail()
    }
}

fn profile_of(event: &Event) -> Option<&SessionProfile> {
    match &event.body {
        EventBody::SessionOpened { profile, .. } => Some(profile),
        _ => None,
    }
}

/// What the agent took in from a call.
fn seen(status: CallStatus, label: Option<&Label>) -> Option<Label> {
    match label {
        Some(label) => Some(label.clone()),
        None if status == CallStatus::Failed => Some(Label::untrusted("tool error")),
        None => None,
    }
}
