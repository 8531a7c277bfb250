//! A session with everything in it, as people read it.

use super::*;
use domain::Timestamp;
use domain::context::SummaryLine;
use domain::decision::{Layer, Verdict};
use domain::event::CallStatus;
use domain::id::{CallId, SessionId};
use domain::lineage::AgentType;
use domain::message::{Thinking, ToolCall};
use domain::model::{FinishReason, Think, Usage};
use domain::report::{Report, ReportSource, ReportStatus, ResultQuality};
use domain::settings::{Mode, SessionProfile, SessionSettings};
use serde_json::json;
use uuid::Uuid;

const ROOT: u128 = 1;
const CHILD: u128 = 2;

fn event(seq: u64, (query, agent): (u128, u128), body: EventBody) -> Event {
    Event {
        seq,
        time: Timestamp::UNIX_EPOCH,
        session_id: SessionId::from_uuid(Uuid::nil()),
        query_id: (query > 0).then(|| QueryId::from_uuid(Uuid::from_u128(query))),
        agent_id: (agent > 0).then(|| AgentId::from_uuid(Uuid::from_u128(agent))),
        respondent_id: None,
        call_id: Some(CallId::from_uuid(Uuid::nil())),
        body,
    }
}

fn answered(text: &str, calls: usize) -> EventBody {
    let call = ToolCall {
        call_id: CallId::from_uuid(Uuid::nil()),
        name: "read_file".to_owned(),
        arguments: json!({"path": "a.txt"}),
    };
    EventBody::ModelAnswered {
        text: text.to_owned(),
        thinking: Some(Thinking {
            text: "I think\nso".to_owned(),
            signature: None,
        }),
        tool_calls: vec![call; calls],
        usage: Usage::default(),
        finish: FinishReason::Stop,
        aside: false,
    }
}

fn asked(text: &str) -> EventBody {
    EventBody::QueryReceived {
        text: text.to_owned(),
        mode: Mode::Loop,
        origin: Origin::User,
    }
}

fn generated(answer: &str) -> EventBody {
    EventBody::GenerationFinished {
        answer: answer.to_owned(),
        thinking: String::new(),
        tool_calls: Vec::new(),
        usage: Usage::default(),
        model: None,
        label: None,
    }
}

fn finished() -> EventBody {
    EventBody::QueryFinished {
        status: QueryStatus::Success,
        artifacts: Vec::new(),
        duration_ms: 0,
        error: None,
    }
}

fn spawned() -> EventBody {
    EventBody::AgentSpawned {
        child: AgentId::from_uuid(Uuid::from_u128(CHILD)),
        agent_type: AgentType::new("researcher").unwrap(),
        task: "look at a".to_owned(),
        task_id: Some("one".to_owned()),
        budget_tokens: None,
    }
}

fn reported() -> EventBody {
    EventBody::AgentFinished {
        child: AgentId::from_uuid(Uuid::from_u128(CHILD)),
        report: Report {
            status: ReportStatus::Partial,
            summary: "a is large".to_owned(),
            artifacts: vec!["a.txt".to_owned()],
            result_quality: ResultQuality::Inferred,
            source: ReportSource::ToolOutput,
            new_memory_candidates: Vec::new(),
            failure_reason: None,
        },
        corrections: vec!["verified → inferred: no tool showed it".to_owned()],
        usage: Usage::default(),
        duration_ms: 3,
    }
}

/// A call that is refused.
fn denied_call() -> [EventBody; 3] {
    let decided = EventBody::BrokerDecision {
        verdict: Verdict::Deny,
        layer: Layer::Path,
        rule: "outside".to_owned(),
        reason: "not yours".to_owned(),
    };
    let resulted = EventBody::ToolResult {
        tool: "read_file".to_owned(),
        status: CallStatus::Denied,
        value_id: None,
        label: None,
        text: "![x](https://evil.example)\nsecond line".to_owned(),
        truncated: false,
        duration_ms: 2,
        artifacts: Vec::new(),
        edited: None,
    };
    let requested = EventBody::ToolRequested {
        tool: "read_file".to_owned(),
        arguments: json!({"path": "a.txt"}),
        recovered: false,
    };
    [requested, decided, resulted]
}

/// A view made smaller, and a journal.
fn left_out() -> [EventBody; 2] {
    let compacted = EventBody::ContextCompacted {
        before_tokens: 900,
        after_tokens: 300,
        dropped_messages: 4,
        cause: CompactionCause::Summary,
        through: Some(5),
        summary: Some(Summary {
            lines: vec![SummaryLine {
                kind: SummaryKind::Constraint,
                text: "never touch b".to_owned(),
                cites: vec![2],
            }],
        }),
        shortened_through: None,
        journal_characters: 0,
        newest_characters: 0,
    };
    let journal = EventBody::JournalWritten {
        title: "So far".to_owned(),
        text: "a first".to_owned(),
        through: 5,
    };
    [compacted, journal]
}

fn log() -> Vec<Event> {
    let profile = SessionProfile {
        name: String::new(),
        agent_type: AgentType::new("assistant").unwrap(),
        mode: Mode::Loop,
        model: None,
        context_tokens: None,
        provider: None,
        think: Think::Default,
        settings: SessionSettings::closed("/work".into()),
    };
    let opened = EventBody::SessionOpened {
        profile,
        forked_from: None,
    };
    let [requested, decided, resulted] = denied_call();
    let [compacted, journal] = left_out();
    let bodies = [
        ((0, 0), opened),
        ((1, ROOT), asked("compare a and b")),
        ((1, ROOT), answered("I look first.", 1)),
        ((1, ROOT), requested),
        ((1, ROOT), decided),
        ((1, ROOT), resulted),
        ((1, ROOT), spawned()),
        ((1, CHILD), answered("the child's words", 0)),
        ((1, ROOT), reported()),
        ((1, ROOT), answered("a is larger", 0)),
        ((1, ROOT), generated("a is larger")),
        ((1, ROOT), finished()),
        (
            (0, ROOT),
            EventBody::Pinned {
                seq: 2,
                pinned: true,
            },
        ),
        ((0, ROOT), compacted),
        ((0, ROOT), journal),
        ((2, ROOT), asked("and c?")),
        ((2, ROOT), answered("c too", 0)),
        ((2, ROOT), generated("c too")),
        ((2, ROOT), finished()),
        ((0, 0), EventBody::Rewound { to_seq: 15 }),
    ];
    let numbered = bodies.into_iter().zip(1..);
    numbered
        .map(|((of, body), seq)| event(seq, of, body))
        .collect()
}

fn assert_has(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "no `{part}` in\n{text}");
    }
}

#[test]
fn a_document_has_all_of_it_with_numbers_to_go_by() {
    let log = log();
    let whole = markdown(&log, Extent::Whole);
    assert_has(
        &whole,
        &[
            "## User #2, pinned (loop,",
            "> *thinking*\n>\n> I think\n> so",
            "> I look first.",
            "- `read_file` {\"path\":\"a.txt\"}",
            "deny by path (outside): not yours",
            "        ![x](https://evil.example)\n        second line",
            "- agent `researcher` 00000000-0000-0000-0000-000000000002 begins, task one: look at a",
            "partial, inferred, from tools: a is large",
            "- corrected: verified → inferred: no tool showed it",
            "- files: a.txt",
            "## Answer #10 (rules)\n\na is larger",
            "*Message #2 was pinned.*",
            "900 → 300 tokens, 4 messages left out",
            "- constraint: never touch b (#2)",
            "> *journal: So far*",
            "taken back)\n\nand c?",
            "taken back to after event 15",
            "\n---\n\n# Agent researcher\n",
            "> the child's words",
        ],
    );
    assert_eq!(whole.matches("a is larger").count(), 1, "{whole}");
    assert!(!whole.contains("> c too"), "{whole}");
    let overview = markdown(&log, Extent::Overview);
    for left_out in ["second line", "the child's words", "# Agent"] {
        assert!(!overview.contains(left_out), "{overview}");
    }
    assert_has(
        &overview,
        &["a is large", "> I look first.", "## Answer #10"],
    );
}

#[test]
fn one_agent_can_be_read_alone() {
    let page = of_agent(&log(), AgentId::from_uuid(Uuid::from_u128(CHILD))).unwrap();
    assert!(page.starts_with("# Agent researcher\n"), "{page}");
    assert_has(
        &page,
        &["look at a", "the child's words", "## Report", "a is large"],
    );
    assert!(!page.contains("a is larger"), "{page}");
    let stranger = AgentId::from_uuid(Uuid::from_u128(ROOT));
    assert_eq!(of_agent(&log(), stranger), None);
}
