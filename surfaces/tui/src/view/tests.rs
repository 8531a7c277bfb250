//! Frames as they are drawn.

mod work;

use super::frame;
use crate::fixture::{Seat, program, request, said};
use crate::message::Message;
use crate::state::Facts;
use crate::subject::Subject;
use api::programs::{Program, ProgramId, ProgramState, Programs};
use crossterm::event::KeyCode;
use domain::drive::{DriveDecision, DriveReason, DriveState};
use domain::event::{ConfirmationKind, EventBody, QueryStatus, StepChange};
use domain::fault::Fault;
use domain::model::{ModelRef, Usage};
use domain::settings::{Mode, OverrideLevel};
use domain::tool::EffectClass;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Cell;
use ratatui::layout::Rect;
use rendering::costs::{Price, Prices};

/// The sizes that each state is drawn at.
const SIZES: [(u16, u16); 4] = [(40, 15), (80, 24), (120, 40), (200, 60)];

/// A state's frame at each size, as a screen shows it.
fn frames(state: impl Fn(&mut Seat)) -> String {
    let mut all = String::new();
    for size in SIZES {
        let mut seat = Seat::at(size);
        state(&mut seat);
        let frame = frame(&seat.state);
        let area = frame.buffer.area;
        assert!(
            area.height < size.1,
            "a row of the scrollback stays in sight"
        );
        let mut terminal = Terminal::new(TestBackend::new(size.0, area.height)).unwrap();
        terminal
            .draw(|screen| {
                let target = screen.buffer_mut();
                for row in 0..area.height {
                    for column in 0..area.width {
                        target[(column, row)] = frame.buffer[(column, row)].clone();
                    }
                }
                assert_eq!(screen.area(), Rect::new(0, 0, size.0, area.height));
            })
            .unwrap();
        let cursor = frame
            .cursor
            .map_or("none".to_owned(), |at| format!("{},{}", at.x, at.y));
        let rows = terminal.backend().to_string();
        let rows = rows.lines().map(|row| {
            // Behind the row stands what wide characters hide.
            let row = row.trim_start_matches('"').split('"').next().unwrap();
            format!("{}\n", row.trim_end())
        });
        all.push_str(&format!(
            "── {}x{}, cursor {cursor}\n{}",
            size.0,
            size.1,
            rows.collect::<String>()
        ));
    }
    all
}

#[test]
fn completion() {
    insta::assert_snapshot!(frames(|seat| seat.types("/")));
}

#[test]
fn status_of_an_escape_and_of_an_override() {
    insta::assert_snapshot!(frames(|seat| {
        seat.enters("/override all");
    }));
    insta::assert_snapshot!(frames(|seat| {
        seat.press(KeyCode::Esc);
    }));
}

#[test]
fn idle() {
    insta::assert_snapshot!(frames(|seat| {
        seat.asks(10, "hello");
        seat.cost(10, 2_400);
        seat.ends(10, QueryStatus::Success);
    }));
}

#[test]
fn status_with_all_that_is_known() {
    insta::assert_snapshot!(frames(|seat| {
        let price = Price {
            prompt_micros: 3_000_000,
            completion_micros: 15_000_000,
        };
        seat.state.facts = Facts {
            is_air_gapped: true,
            prices: Prices([("claude".to_owned(), price)].into()),
        };
        seat.state.profile.mode = Mode::Auto;
        seat.asks(10, "hello");
        let model = ModelRef {
            provider: "claude".to_owned(),
            model: "sonnet".to_owned(),
        };
        let reason = "named in the request\u{1b}[2J".to_owned();
        seat.happens(
            Some(10),
            EventBody::ModelChosen {
                model,
                reason,
                context_tokens: 20_000,
            },
        );
        let decision = DriveDecision::new(DriveState::Working, DriveReason::ToolsUsed, 1);
        seat.happens(None, EventBody::DriveState(decision));
        seat.used(
            10,
            Usage {
                prompt_tokens: 2_400,
                cached_tokens: 1_800,
                completion_tokens: 120,
                first_token_ms: 300,
                total_ms: 2_700,
                prefix_reuse_permille: 900,
            },
        );
    }));
}

#[test]
fn streaming() {
    insta::assert_snapshot!(frames(|seat| {
        seat.asks(10, "tell me of the tides");
        seat.says(10, "# Tides\n\nThe moon pulls. ");
        seat.says(10, "It is *not* the only one that does, since the sun pulls as well, at new and full moon in the same line");
        seat.runs(10, 30, "read_file");
        seat.wait(12_000);
        seat.says(10, "日本語 ends with a word that is drawn");
        seat.types("what I want next");
    }));
}

#[test]
fn thinking() {
    insta::assert_snapshot!(frames(|seat| {
        seat.asks(10, "why?");
        let text = "The user asks why.\nPerhaps because of the moon".to_owned();
        seat.happens(Some(10), EventBody::ThinkingDelta { text });
    }));
}

#[test]
fn question() {
    insta::assert_snapshot!(frames(|seat| {
        seat.asks(10, "write it");
        seat.question(10, request(20, ConfirmationKind::Call));
        seat.wait(800);
        seat.types("n not");
    }));
}

#[test]
fn question_before_it_takes_keys() {
    insta::assert_snapshot!(frames(|seat| {
        seat.asks(10, "write it");
        seat.types("a draft");
        seat.question(10, request(20, ConfirmationKind::WriteRoot));
    }));
}

#[test]
fn question_that_is_long_and_scrolled() {
    insta::assert_snapshot!(frames(|seat| {
        let mut long = request(20, ConfirmationKind::Call);
        let lines: String = (0..80).map(|n| format!("+line {n}\n")).collect();
        long.diff = Some(format!(
            "--- /dev/null\n+++ b/notes.md\n@@ -0,0 +1,80 @@\n{lines}"
        ));
        seat.asks(10, "write it");
        seat.question(10, long);
        seat.wait(800);
        for _ in 0..3 {
            seat.press(KeyCode::PageDown);
        }
        seat.enters("maybe");
    }));
}

#[test]
fn plan() {
    insta::assert_snapshot!(frames(|seat| {
        let mut plan = request(20, ConfirmationKind::Plan);
        plan.rendering = "Plan: change the port\n1. edit_file (effect: write)\n  path: /w/a.toml\n\
                          2. edit_file (effect: write)\n  path: /w/b.toml\n\
                          In short: 2 steps\n  1. edit_file /w/a.toml\n  2. edit_file /w/b.toml"
            .to_owned();
        plan.diff = None;
        let change = |step, name: &str| StepChange {
            step,
            diff: format!("--- a/{name}\n+++ b/{name}\n@@ -1 +1 @@\n-port = 80\n+port = 90\n"),
        };
        plan.steps = vec![change(0, "a.toml"), change(1, "b.toml")];
        seat.asks(10, "change the port");
        seat.question(10, plan);
        seat.wait(800);
    }));
}

#[test]
fn the_name_of_a_file_stays_in_sight_on_a_low_terminal() {
    let mut seat = Seat::at((40, 15));
    let mut edit = request(20, ConfirmationKind::Call);
    let path = format!(
        "/home/somebody/{}/notes.md",
        "projects/of-this-year/".repeat(4)
    );
    edit.rendering = format!(
        "edit_file (effect: write)\n  path: {path}\n  old: one\n  new: two\nIn short: edit_file (effect: \
         write), path: {path}, all: true, and opens {path}"
    );
    seat.asks(10, "change it");
    seat.question(10, edit);
    seat.wait(800);
    let shown = format!("{:?}", frame(&seat.state).buffer);
    assert!(shown.contains("┃   edit_file, path:"), "{shown}");
    assert!(shown.contains("notes.md"), "{shown}");
    assert!(shown.contains("rows more"), "{shown}");
    // Of a file in the session's folder that is not named.
    let mut seat = Seat::at((40, 15));
    let mut edit = request(20, ConfirmationKind::Call);
    let path = format!("/w/{}notes.md", "folder/".repeat(12));
    edit.rendering = format!(
        "edit_file (effect: write)\n  path: {path}\n  old: one\n  new: two\nIn short: edit_file (effect: \
         write), path: {path}, all: true"
    );
    seat.question(10, edit);
    seat.wait(800);
    let shown = format!("{:?}", frame(&seat.state).buffer);
    let short = shown.rsplit_once("scroll").unwrap().1;
    assert!(short.contains("edit_file, path:"), "{shown}");
    assert!(!short.contains("/w/"), "{shown}");
}

#[test]
fn queue() {
    insta::assert_snapshot!(frames(|seat| {
        seat.asks(10, "one");
        for number in 11..16 {
            seat.asks(
                number,
                &format!("message {number} that waits for the one before it to be done"),
            );
        }
    }));
}

#[test]
fn help() {
    insta::assert_snapshot!(frames(|seat| seat.types("?")));
}

#[test]
fn error_and_override() {
    insta::assert_snapshot!(frames(|seat| {
        let mut open = crate::fixture::profile();
        open.settings.override_level = OverrideLevel::All;
        seat.happens(None, EventBody::SessionConfigured { profile: open });
        seat.asks(10, "go");
        let fault = Fault {
            code: "models.unreachable".to_owned(),
            message: "no model answers\u{1b}[2J".to_owned(),
            hint: "Start one.".to_owned(),
        };
        seat.happens(Some(10), EventBody::Error(fault));
        seat.ends(10, QueryStatus::Failed);
        seat.ctrl('c');
    }));
}

#[test]
fn no_size_is_too_small() {
    for columns in 1..30 {
        for rows in 1..12 {
            let mut seat = Seat::at((columns, rows));
            seat.asks(10, "go");
            seat.question(10, request(20, ConfirmationKind::Call));
            seat.types("日本語\u{301}");
            let _drawn = frame(&seat.state);
            seat.types("?");
            seat.ctrl('c');
            seat.types("?");
            let _drawn = frame(&seat.state);
            for letter in ['s', 't'] {
                seat.ctrl(letter);
                let _drawn = super::full(&seat.state);
                seat.press(KeyCode::Esc);
            }
        }
    }
}

/// What stands on the alternate screen, at the two sizes that are tight.
fn full_frames(state: impl Fn(&mut Seat)) -> String {
    let mut all = String::new();
    for size in [(40, 15), (80, 24)] {
        let mut seat = Seat::at(size);
        state(&mut seat);
        let frame = super::full(&seat.state).unwrap();
        assert_eq!(frame.buffer.area, Rect::new(0, 0, size.0, size.1));
        all.push_str(&format!("── {}x{}\n", size.0, size.1));
        for row in 0..size.1 {
            let row: String = (0..size.0)
                .map(|column| frame.buffer[(column, row)].symbol())
                .collect();
            all.push_str(&format!("{}\n", row.trim_end()));
        }
    }
    all
}

#[test]
fn sessions() {
    let time = "2026-11-25T12:00:00Z".parse().unwrap();
    let frames = full_frames(|seat| {
        seat.ctrl('s');
        let one = seat.state.session.clone();
        let titled = |title: &str| api::sessions::SessionSummary {
            title: title.to_owned(),
            updated: time,
            ..one.clone()
        };
        let all = vec![titled("what do bees do?"), titled("日本語\u{202e} of bees")];
        seat.takes(Message::Listed(all));
        let lines = vec!["> what do bees do?".into(), "  They dance.".into()];
        let id = seat.state.session.session_id;
        seat.takes(Message::Previewed(id, lines));
        seat.types("bees");
    });
    // The same everywhere.
    let here = rendering::moments::here(time);
    insta::assert_snapshot!(frames.replace(&here, "2026-11-25 12:00"));
}

#[test]
fn earlier_messages_and_palette() {
    let time = "2026-11-25T12:00:00Z".parse().unwrap();
    let frames = full_frames(|seat| {
        seat.press(KeyCode::Esc);
        seat.press(KeyCode::Esc);
        let sent = |number: u8, text: &str| crate::earlier::Sent {
            query_id: domain::id::QueryId::from_uuid(crate::fixture::id(number.into())),
            text: text.to_owned(),
            time,
            begins_after: 1,
            is_first: false,
            exchanges: 1,
        };
        let text = "and at night?\nIn winter, I \u{202e} mean.";
        let all = vec![sent(11, text), sent(10, "what do bees do?")];
        seat.takes(Message::Earlier(all));
    });
    let here = rendering::moments::here(time);
    insta::assert_snapshot!(frames.replace(&here, "2026-11-25 12:00"));
    insta::assert_snapshot!(full_frames(|seat| {
        seat.ctrl('p');
        seat.types("mode");
    }));
}

#[test]
fn typed_before_and_what_waits() {
    insta::assert_snapshot!(full_frames(|seat| {
        let text = "see\nthese lines \u{202e} of \u{1b}[2J mine";
        for text in ["what do bees do?", text] {
            seat.state.input.keep(text);
        }
        seat.types("draft");
        seat.ctrl('r');
        seat.press(KeyCode::Enter);
    }));
    insta::assert_snapshot!(full_frames(|seat| {
        for (number, text) in [
            (10, "go"),
            (11, "another's"),
            (12, "then this\nand that"),
            (13, "last"),
        ] {
            seat.asks(number, text);
        }
        for own in [12, 13] {
            let id = crate::fixture::id(own);
            seat.takes(Message::Sent(domain::id::QueryId::from_uuid(id)));
        }
        seat.press(KeyCode::F(6));
    }));
}

#[test]
fn page_while_a_question_waits() {
    insta::assert_snapshot!(full_frames(|seat| {
        seat.asks(10, "write it");
        seat.ctrl('t');
        let lines = (0..60).map(|n| format!("a line {n} {}", "word ".repeat(9)).into());
        seat.takes(Message::Inspected(Subject::Calls, lines.collect()));
        seat.press(KeyCode::PageDown);
        seat.question(10, request(20, ConfirmationKind::Call));
        seat.types("/line 4");
    }));
}

/// A call that waits for a program, and what that says.
fn running(seat: &mut Seat) {
    seat.asks(10, "build it");
    seat.runs(10, 5, "run_command");
    let said = said(
        "",
        "   Compiling one\n   Compiling two\nwarning: x\n   Compiling three\n",
    );
    tells(seat, vec![program(5, said)]);
}

fn tells(seat: &mut Seat, programs: Vec<Program>) {
    let id = seat.state.session.session_id;
    seat.takes(Message::ProgramsRead(id, Programs::All, Ok(programs)));
}

#[test]
fn what_a_command_says_below_its_call() {
    insta::assert_snapshot!(frames(running));
}

#[test]
fn programs_that_run_and_ran() {
    insta::assert_snapshot!(full_frames(|seat| {
        running(seat);
        seat.enters("/inspect jobs");
        let job = |name: &str, state| Program {
            id: ProgramId::Job(name.to_owned()),
            state,
            ..program(5, said("", ""))
        };
        let ended = ProgramState::Ended("exit code 3 after 75 s".to_owned());
        let all = vec![
            job("tests", ended),
            job("watch", ProgramState::Running),
            program(5, said("", "")),
        ];
        tells(seat, all);
    }));
}

#[test]
fn what_a_command_would_do_is_not_taken_for_a_difference() {
    for (effect, is_beside) in [
        (EffectClass::SharedWrite, true),
        (EffectClass::Exec, false),
        (EffectClass::Egress, false),
    ] {
        let mut seat = Seat::at((140, 40));
        let mut asked = request(20, ConfirmationKind::Call);
        asked.effect = effect;
        seat.asks(10, "write it");
        seat.question(10, asked);
        let frame = frame(&seat.state);
        let text: String = frame.buffer.content.iter().map(Cell::symbol).collect();
        assert_eq!(text.contains(" │ +TWO"), is_beside, "{effect:?}: {text}");
        assert!(text.contains("-two"), "{text}");
    }
}
