//! The view of a session, driven by logs of a few events each.
#![allow(clippy::unwrap_used, reason = "a test says what failed by failing")]

mod agents;
mod background;
mod drive;
mod plans;
mod requests;
mod settings;

use domain::Timestamp;
use domain::event::{CallStatus, Event, EventBody, QueryStatus};
use domain::fault::{Fault, PROCESS_ENDED_CODE};
use domain::id::{CallId, QueryId, SessionId};
use domain::lineage::AgentType;
use domain::model::Think;
use domain::settings::{Mode, SessionProfile, SessionSettings};
use serde_json::Value;
use session::SessionView;
use std::path::PathBuf;
use uuid::Uuid;

fn query(number: u128) -> QueryId {
    QueryId::from_uuid(Uuid::from_u128(number))
}

fn call(number: u128) -> CallId {
    CallId::from_uuid(Uuid::from_u128(number))
}

/// An event of no request.
fn event(body: EventBody) -> Event {
    Event {
        seq: 0,
        time: Timestamp::UNIX_EPOCH,
        session_id: SessionId::from_uuid(Uuid::nil()),
        query_id: None,
        agent_id: None,
        respondent_id: None,
        call_id: None,
        body,
    }
}

/// An event of a request.
fn of(number: u128, body: EventBody) -> Event {
    Event {
        query_id: Some(query(number)),
        ..event(body)
    }
}

/// The view of these events, numbered from 1.
fn view(events: impl IntoIterator<Item = Event>) -> SessionView {
    let numbered = events.into_iter().zip(1..);
    let numbered: Vec<Event> = numbered
        .map(|(event, seq)| Event { seq, ..event })
        .collect();
    SessionView::of(&numbered)
}

fn profile() -> SessionProfile {
    SessionProfile {
        name: String::new(),
        agent_type: AgentType::new("coder").unwrap(),
        mode: Mode::Loop,
        model: None,
        context_tokens: None,
        provider: None,
        think: Think::Default,
        settings: SessionSettings::closed(PathBuf::from("/w")),
    }
}

fn resumed() -> Event {
    event(EventBody::SessionResumed { profile: profile() })
}

fn asked(number: u128) -> Event {
    let body = EventBody::QueryReceived {
        text: format!("do {number}"),
        mode: Mode::Loop,
        origin: domain::drive::Origin::User,
    };
    of(number, body)
}

fn ended(number: u128, error: Option<Fault>) -> Event {
    let body = EventBody::QueryFinished {
        status: QueryStatus::Success,
        artifacts: Vec::new(),
        duration_ms: 0,
        error,
    };
    of(number, body)
}

fn process_ended() -> Option<Fault> {
    Some(Fault {
        code: PROCESS_ENDED_CODE.to_owned(),
        message: String::new(),
        hint: String::new(),
    })
}

/// A call of a tool and what came of it.
fn called(number: u128, tool: &str, arguments: Value, status: CallStatus) -> Vec<Event> {
    let requested = EventBody::ToolRequested {
        tool: tool.to_owned(),
        arguments,
        recovered: false,
    };
    let result = EventBody::ToolResult {
        tool: tool.to_owned(),
        status,
        value_id: None,
        label: None,
        text: String::new(),
        truncated: false,
        duration_ms: 0,
        artifacts: Vec::new(),
        edited: None,
    };
    [requested, result]
        .map(|body| Event {
            call_id: Some(call(number)),
            ..event(body)
        })
        .to_vec()
}
