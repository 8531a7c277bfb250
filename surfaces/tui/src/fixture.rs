//! States and events for tests.

use crate::message::{Command, Message};
use crate::state::{Beginning, Facts, State};
use crate::update::update;
use api::programs::{Program, ProgramId, ProgramOutput, ProgramState, StreamText};
use api::sessions::SessionSummary;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use domain::Timestamp;
use domain::decision::{Layer, Verdict};
use domain::event::{Batch, ConfirmationKind, ConfirmationRequest, Event, EventBody, QueryStatus};
use domain::hash::Digest;
use domain::id::{AgentId, BatchId, CallId, ConfirmationId, HolderId, QueryId, SessionId};
use domain::lineage::AgentType;
use domain::model::{FinishReason, Think, Usage};
use domain::settings::{Mode, SessionProfile, SessionSettings};
use domain::tool::EffectClass;
use rendering::confirm::Memory;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use text::links::Known;
use uuid::Uuid;

/// A state, its clock, and what was done so far.
pub struct Seat {
    pub state: State,
    pub now: Instant,
    seq: u64,
    /// Everything that happened.
    pub events: Vec<Event>,
    /// Everything that went into the scrollback.
    pub printed: Vec<String>,
}

pub fn id(number: u128) -> Uuid {
    Uuid::from_u128(number)
}

pub fn profile() -> SessionProfile {
    SessionProfile {
        name: String::new(),
        agent_type: AgentType::new("coder").unwrap(),
        mode: Mode::Loop,
        model: None,
        context_tokens: Some(8_192),
        provider: None,
        think: Think::Default,
        settings: SessionSettings::closed(PathBuf::from("/w")),
    }
}

impl Seat {
    /// At a terminal of so many columns and rows.
    pub fn at(size: (u16, u16)) -> Self {
        let session = SessionSummary {
            session_id: SessionId::from_uuid(id(1)),
            title: String::new(),
            workspace: PathBuf::from("/w"),
            created: Timestamp::UNIX_EPOCH,
            updated: Timestamp::UNIX_EPOCH,
            last_seq: 0,
            live: true,
            holder_id: Some(HolderId::from_uuid(id(2))),
            holders: 1,
            forked_from: None,
        };
        let now = Instant::now();
        let beginning = Beginning {
            session,
            profile: profile(),
            known: Known::default(),
            memory: Memory::None,
            history: Vec::new(),
            size,
            keys: crate::bindings::Keys::default(),
            editing: crate::vi::Editing::Emacs,
            facts: Facts::default(),
        };
        let mut seat = Self {
            state: State::new(beginning, now),
            now,
            seq: 0,
            events: Vec::new(),
            printed: Vec::new(),
        };
        seat.happens(
            None,
            EventBody::SessionOpened {
                profile: profile(),
                forked_from: None,
            },
        );
        seat
    }

    pub fn wait(&mut self, time: u64) {
        self.now += Duration::from_millis(time);
        let _ticked = self.takes(Message::Tick);
    }

    /// Takes a message in; what is to be done but printing.
    pub fn takes(&mut self, message: Message) -> Vec<Command> {
        let all = update(&mut self.state, self.now, message);
        // The driver draws at once.
        self.state.drawn(self.now);
        let mut left = Vec::new();
        for command in all {
            match command {
                Command::Print(lines) => self.printed.extend(lines.iter().map(ToString::to_string)),
                Command::Tell(lines) => {
                    let rows = self.state.told_rows(&lines);
                    self.printed.extend(rows.iter().map(ToString::to_string));
                }
                other => left.push(other),
            }
        }
        left
    }

    pub fn happens(&mut self, query: Option<u128>, body: EventBody) -> Vec<Command> {
        self.happens_to(query, None, body)
    }

    pub fn happens_to(
        &mut self,
        query: Option<u128>,
        call: Option<u128>,
        body: EventBody,
    ) -> Vec<Command> {
        self.happens_by(None, (query, call), body)
    }

    /// The same by an agent of this number.
    pub fn happens_by(
        &mut self,
        agent: Option<u128>,
        (query, call): (Option<u128>, Option<u128>),
        body: EventBody,
    ) -> Vec<Command> {
        self.seq += 1;
        let event = Event {
            seq: self.seq,
            time: Timestamp::UNIX_EPOCH,
            session_id: SessionId::from_uuid(id(1)),
            query_id: query.map(|number| QueryId::from_uuid(id(number))),
            agent_id: agent.map(|number| AgentId::from_uuid(id(number))),
            respondent_id: None,
            call_id: call.map(|number| CallId::from_uuid(id(number))),
            body,
        };
        self.events.push(event.clone());
        self.takes(Message::Happened(Box::new(event)))
    }

    pub fn asks(&mut self, query: u128, text: &str) {
        let body = EventBody::QueryReceived {
            text: text.to_owned(),
            mode: Mode::Loop,
            origin: domain::drive::Origin::User,
        };
        self.happens(Some(query), body);
    }

    pub fn says(&mut self, query: u128, text: &str) {
        let text = text.to_owned();
        self.happens(Some(query), EventBody::TextDelta { text });
    }

    pub fn calls(&mut self, query: u128, call: u128, tool: &str) {
        let body = EventBody::ToolRequested {
            tool: tool.to_owned(),
            arguments: serde_json::json!({"path": "notes.md"}),
            recovered: false,
        };
        self.happens_to(Some(query), Some(call), body);
    }

    /// A call that passes without a question.
    pub fn runs(&mut self, query: u128, call: u128, tool: &str) {
        self.calls(query, call, tool);
        self.decides((query, call), Verdict::Allow);
    }

    pub fn decides(&mut self, (query, call): (u128, u128), verdict: Verdict) {
        let body = EventBody::BrokerDecision {
            verdict,
            layer: Layer::SafetyGate,
            rule: "effect".to_owned(),
            reason: String::new(),
        };
        self.happens_to(Some(query), Some(call), body);
    }

    pub fn cost(&mut self, query: u128, tokens: u64) {
        let usage = Usage {
            prompt_tokens: tokens,
            completion_tokens: 40,
            total_ms: 1_300,
            ..Usage::default()
        };
        self.used(query, usage);
    }

    pub fn used(&mut self, query: u128, usage: Usage) {
        let body = EventBody::ModelAnswered {
            text: String::new(),
            thinking: None,
            tool_calls: Vec::new(),
            usage,
            finish: FinishReason::Stop,
            aside: false,
        };
        self.happens(Some(query), body);
    }

    pub fn ends(&mut self, query: u128, status: QueryStatus) -> Vec<Command> {
        let body = EventBody::QueryFinished {
            status,
            artifacts: Vec::new(),
            duration_ms: 5,
            error: None,
        };
        self.happens(Some(query), body)
    }

    pub fn moves(&mut self, query: u128, before: Option<u128>) -> Vec<Command> {
        let before = before.map(|other| QueryId::from_uuid(id(other)));
        self.happens(Some(query), EventBody::QueryMoved { before })
    }

    pub fn question(&mut self, query: u128, request: ConfirmationRequest) -> Vec<Command> {
        self.happens(Some(query), EventBody::ConfirmationAsked(request))
    }

    pub fn key(&mut self, code: KeyCode, modifiers: KeyModifiers) -> Vec<Command> {
        // As a person types.
        self.now += Duration::from_millis(100);
        self.takes(Message::Key(KeyEvent::new(code, modifiers)))
    }

    pub fn press(&mut self, code: KeyCode) -> Vec<Command> {
        self.key(code, KeyModifiers::NONE)
    }

    pub fn ctrl(&mut self, letter: char) -> Vec<Command> {
        self.key(KeyCode::Char(letter), KeyModifiers::CONTROL)
    }

    pub fn types(&mut self, text: &str) {
        for letter in text.chars() {
            self.press(KeyCode::Char(letter));
        }
    }

    pub fn enters(&mut self, text: &str) -> Vec<Command> {
        self.types(text);
        self.press(KeyCode::Enter)
    }

    /// Enters an answer, behind which nothing follows.
    pub fn gives(&mut self, text: &str) -> Vec<Command> {
        let mut done = self.enters(text);
        self.now += crate::question::FOLLOWED;
        done.extend(self.takes(Message::Tick));
        done
    }

    pub fn scrollback(&self) -> String {
        self.printed.join("\n")
    }
}

/// A question about a call that writes a file.
pub fn request(number: u128, kind: ConfirmationKind) -> ConfirmationRequest {
    ConfirmationRequest {
        confirmation_id: ConfirmationId::from_uuid(id(number)),
        kind,
        agent_type: AgentType::new("coder").unwrap(),
        lineage: Vec::new(),
        batch: None,
        effect: EffectClass::SharedWrite,
        reason: "write_file has the effect `write`, which needs your approval.".to_owned(),
        rendering:
            "write_file (effect: write)\n  path: /w/notes.md\n  content:\n    | one\n    | TWO\n\
                    A yes for the session covers every change of files in /w\n\
                    In short: write_file (effect: write), path: /w/notes.md"
                .to_owned(),
        diff: Some(
            "--- a/notes.md\n+++ b/notes.md\n@@ -1,2 +1,2 @@\n one\n-two\n+TWO\n".to_owned(),
        ),
        steps: Vec::new(),
        binding: Digest::of(&[u8::try_from(number % 256).unwrap()]),
        expires: Timestamp::UNIX_EPOCH,
    }
}

/// The same as one of several that belong together.
pub fn of_batch(number: u128, position: u32, size: u32) -> ConfirmationRequest {
    ConfirmationRequest {
        batch: Some(Batch {
            batch_id: BatchId::from_uuid(id(99)),
            position,
            size,
        }),
        ..request(number, ConfirmationKind::Call)
    }
}

/// What a program said on both streams.
pub fn said(stdout: &str, stderr: &str) -> ProgramOutput {
    let stream = |text: &str| StreamText {
        text: text.to_owned(),
        is_cut: false,
        said_bytes: text.len() as u64,
    };
    ProgramOutput {
        stdout: stream(stdout),
        stderr: stream(stderr),
    }
}

/// A program that the call of this number waits for.
pub fn program(call: u128, output: ProgramOutput) -> Program {
    Program {
        id: ProgramId::Call(CallId::from_uuid(id(call))),
        command: "make all".to_owned(),
        state: ProgramState::Running,
        age: Duration::from_secs(4),
        output: Some(output),
    }
}
