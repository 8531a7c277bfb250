//! What is said of what runs, below the scrollback.

use super::super::{frame, work_text};
use crate::fixture::{Seat, id, request};
use domain::decision::Verdict;
use domain::event::{CallStatus, ConfirmationAnswer, ConfirmationKind, EventBody, QueryStatus};
use domain::hash::Digest;
use domain::id::{AgentId, ConfirmationId};
use domain::lineage::AgentType;
use domain::plan::{Action, Plan};
use ratatui::buffer::Cell;

/// What is drawn below the scrollback.
fn below(seat: &Seat) -> String {
    let frame = frame(&seat.state);
    let width = usize::from(frame.buffer.area.width);
    let cells: Vec<&str> = frame.buffer.content.iter().map(Cell::symbol).collect();
    let rows = cells.chunks(width).map(|row| row.concat());
    rows.map(|row| format!("{}\n", row.trim_end())).collect()
}

#[test]
fn what_runs_says_whose_it_is() {
    let mut seat = Seat::at((100, 24));
    seat.asks(10, "read both");
    let spawned = |child, agent_type: &str| EventBody::AgentSpawned {
        child: AgentId::from_uuid(id(child)),
        agent_type: AgentType::new(agent_type).unwrap(),
        task: "look".to_owned(),
        task_id: None,
        budget_tokens: None,
    };
    seat.happens(Some(10), spawned(0x1a_2b3c, "researcher"));
    let calls = |tool: &str| EventBody::ToolRequested {
        tool: tool.to_owned(),
        arguments: serde_json::json!({"path": "a.txt"}),
        recovered: false,
    };
    seat.happens_by(Some(0x1a_2b3c), (Some(10), Some(30)), calls("read_file"));
    seat.happens_to(Some(10), Some(31), calls("list_files"));
    assert!(below(&seat).contains("working, "));
    seat.decides((10, 30), Verdict::Allow);
    seat.decides((10, 31), Verdict::Allow);
    let rows = below(&seat);
    assert!(
        rows.contains("running read_file (researcher …2b3c), list_files, "),
        "{rows}"
    );
    let printed = seat.scrollback();
    assert!(
        printed.contains("→ read_file (researcher …2b3c) path=a.txt"),
        "{printed}"
    );
    assert!(printed.contains("→ list_files path=a.txt"), "{printed}");
}

#[test]
fn a_call_that_waits_for_an_answer_does_not_run() {
    let mut seat = Seat::at((100, 24));
    seat.asks(10, "change three");
    for (call, verdict) in [
        (30, Verdict::Confirm),
        (31, Verdict::Confirm),
        (32, Verdict::Allow),
    ] {
        seat.calls(10, call, "edit_file");
        seat.decides((10, call), verdict);
    }
    // No question stands yet.
    let rows = below(&seat);
    assert!(rows.contains("running edit_file, "), "{rows}");
    assert!(!rows.contains("for your answer"), "{rows}");
    assert!(rows.contains("1 tool runs"), "{rows}");
    seat.question(10, request(40, ConfirmationKind::Call));
    let text = work_text(&seat.state).unwrap();
    let both = "running edit_file; 2 calls wait for your answer, ";
    assert!(text.contains(both), "{text}");
    let rows = below(&seat);
    assert!(rows.contains("1 tool runs"), "{rows}");
    let answered = |answer| EventBody::ConfirmationAnswered {
        confirmation_id: ConfirmationId::from_uuid(id(40)),
        answer,
        by: "user".to_owned(),
        token: None,
    };
    seat.happens_to(Some(10), Some(30), answered(ConfirmationAnswer::Once));
    let no = ConfirmationAnswer::Deny {
        message: String::new(),
    };
    seat.happens_to(Some(10), Some(31), answered(no));
    let rows = below(&seat);
    assert!(rows.contains("running edit_file, edit_file, "), "{rows}");
    assert!(rows.contains("2 tools run"), "{rows}");
}

#[test]
fn what_a_call_does_is_told_while_it_runs() {
    let mut seat = Seat::at((100, 24));
    seat.asks(10, "look");
    seat.runs(10, 30, "web_fetch");
    seat.runs(10, 31, "run_command");
    let progress = |message: &str, percent| EventBody::ToolProgress {
        message: message.to_owned(),
        percent,
    };
    seat.happens_to(
        Some(10),
        Some(30),
        progress("reads the page\u{1b}[2J", Some(40)),
    );
    seat.happens_to(Some(10), Some(31), progress("/bin/sh runs, 4 s", None));
    let rows = below(&seat);
    assert!(
        rows.contains("running web_fetch: reads the page\\u{1b}[2J 40%, run_command, "),
        "{rows}"
    );
    let printed = seat.scrollback();
    assert!(printed.contains("reads the page"), "{printed}");
    // That a program runs is told by the row alone.
    assert!(!printed.contains("/bin/sh runs"), "{printed}");
}

#[test]
fn a_plan_shows_how_far_it_is_as_far_as_there_is_room() {
    let step = |path: &str| Action::ReadFile {
        path: path.to_owned(),
    };
    let plan = Plan {
        intent: "look\u{1b}[2J".to_owned(),
        actions: vec![step("a"), step("b\u{1b}[2J"), step("c")],
    };
    let hash = Digest::of(b"plan");
    let rows = |size, is_approved: bool| {
        let mut seat = Seat::at(size);
        seat.asks(10, "look");
        let plan = plan.clone();
        seat.happens(Some(10), EventBody::PlanProposed { plan, hash });
        if is_approved {
            let by = "user".to_owned();
            seat.happens(Some(10), EventBody::PlanApproved { hash, by });
            let ended = EventBody::PlanStep {
                index: 0,
                status: CallStatus::Ok,
                text: String::new(),
            };
            seat.happens(Some(10), ended);
        }
        let during = below(&seat);
        seat.ends(10, QueryStatus::Success);
        assert!(!below(&seat).contains("read_file"));
        during
    };
    assert!(!rows((80, 24), false).contains("read_file"));
    let all = rows((80, 24), true);
    for row in [
        "  done    1. read_file path=a\n",
        "  runs    2. read_file path=\"b",
        "  left    3. read_file path=c\n",
    ] {
        assert!(all.contains(row), "{row}:\n{all}");
    }
    assert!(!all.contains('\u{1b}'), "{all}");
    let short = rows((80, 11), true);
    assert!(
        short.contains("  step 2 of 3: read_file path=\"b"),
        "{short}"
    );
    assert!(!short.contains("path=a"), "{short}");
}
