//! Frames of the panes.

use crate::fixture::{Seat, request};
use crate::message::Message;
use crossterm::event::KeyCode;
use domain::decision::{Layer, Verdict};
use domain::event::{CallStatus, ConfirmationKind, EventBody, QueryStatus};
use ratatui::Terminal;
use ratatui::backend::TestBackend;

/// The sizes that each state is drawn at.
const SIZES: [(u16, u16); 4] = [(40, 15), (80, 24), (120, 40), (200, 60)];

/// The frame of a state, as a screen shows it.
fn shown(seat: &Seat) -> String {
    let frame = crate::view::full(&seat.state).unwrap();
    let (columns, rows) = seat.state.size;
    let mut terminal = Terminal::new(TestBackend::new(columns, rows)).unwrap();
    terminal
        .draw(|screen| {
            assert_eq!(screen.area(), frame.buffer.area);
            *screen.buffer_mut() = frame.buffer.clone();
        })
        .unwrap();
    let cursor = frame
        .cursor
        .map_or("none".to_owned(), |at| format!("{},{}", at.x, at.y));
    let rows = terminal.backend().to_string();
    let rows = rows.lines().map(|row| {
        // Behind the row stands what wide characters hide.
        let row = row.split("\" Hidden by").next().unwrap();
        let row = row.strip_prefix('"').unwrap_or(row);
        let row = row.strip_suffix('"').unwrap_or(row);
        format!("{}\n", row.trim_end())
    });
    let size = seat.state.size;
    let rows: String = rows.collect();
    format!("── {}x{}, cursor {cursor}\n{rows}", size.0, size.1)
}

/// A state's frame in panes at each size.
fn frames(state: impl Fn(&mut Seat)) -> String {
    let at = |size| {
        let mut seat = Seat::at(size);
        seat.press(KeyCode::F(2));
        state(&mut seat);
        shown(&seat)
    };
    SIZES.map(at).concat()
}

/// A call that was decided about and has a result of so many lines.
fn read(seat: &mut Seat, lines: usize) {
    seat.runs(10, 30, "read_file");
    let decision = EventBody::BrokerDecision {
        verdict: Verdict::Allow,
        layer: Layer::Path,
        rule: "reads".to_owned(),
        reason: "reading in the working folder is free".to_owned(),
    };
    seat.happens_to(Some(10), Some(30), decision);
    let text: String = (0..lines)
        .map(|n| format!("{n} of a result with words enough to be broken in a narrow pane\n"))
        .collect();
    let result = EventBody::ToolResult {
        tool: "read_file".to_owned(),
        status: CallStatus::Ok,
        value_id: None,
        label: None,
        text,
        truncated: false,
        duration_ms: 3,
        artifacts: Vec::new(),
        edited: None,
    };
    seat.happens_to(Some(10), Some(30), result);
}

fn thinks(seat: &mut Seat, text: &str) {
    let text = text.to_owned();
    seat.happens(Some(10), EventBody::ThinkingDelta { text });
}

#[test]
fn idle() {
    insta::assert_snapshot!(frames(|seat| {
        seat.asks(10, "hello");
        thinks(seat, "They greet me.\nSo I greet them.");
        seat.says(10, "Hello, **you**.");
        seat.cost(10, 2_400);
        seat.ends(10, QueryStatus::Success);
    }));
}

#[test]
fn streaming_with_a_tool_at_work() {
    insta::assert_snapshot!(frames(|seat| {
        seat.asks(10, "tell me of the tides");
        thinks(
            seat,
            "Of the tides they ask, so let me look at the notes first.",
        );
        seat.says(
            10,
            "# Tides\n\nThe moon pulls. It is *not* the only one that does, since the ",
        );
        seat.says(
            10,
            "sun pulls as well, at new and full moon in the same line 日本語 as a word",
        );
        seat.runs(10, 30, "read_file");
        seat.wait(12_000);
        seat.types("what I want next");
    }));
}

#[test]
fn question_over_the_panes() {
    insta::assert_snapshot!(frames(|seat| {
        seat.asks(10, "write it");
        seat.says(10, "I will write it.");
        seat.question(10, request(20, ConfirmationKind::Call));
        seat.wait(800);
        seat.types("n not");
    }));
}

#[test]
fn tools_alone_with_a_long_result() {
    insta::assert_snapshot!(frames(|seat| {
        seat.asks(10, "read it");
        seat.press(KeyCode::Tab);
        seat.press(KeyCode::F(3));
        read(seat, 80);
    }));
}

#[test]
fn scrolled_up_with_more_below() {
    insta::assert_snapshot!(frames(|seat| {
        seat.asks(10, "read it");
        seat.press(KeyCode::Tab);
        read(seat, 80);
        seat.press(KeyCode::PageUp);
        seat.press(KeyCode::PageUp);
        seat.runs(10, 31, "list_files");
    }));
}

#[test]
fn a_past_that_is_being_read_is_no_silence() {
    let mut seat = Seat::at((80, 24));
    let opened = seat.events[0].clone();
    seat.state.remember(&opened);
    seat.press(KeyCode::F(2));
    let rows = shown(&seat);
    assert!(rows.contains("what was before is being read"), "{rows}");
    assert!(!rows.contains("was said yet"), "{rows}");
    let id = seat.state.session.session_id;
    seat.takes(Message::PastRead(id, Vec::new()));
    let rows = shown(&seat);
    assert!(!rows.contains("is being read"), "{rows}");
    assert!(rows.contains("nothing was said yet"), "{rows}");
}

#[test]
fn a_search_that_finds_nothing() {
    insta::assert_snapshot!(frames(|seat| {
        seat.asks(10, "read it");
        seat.says(10, "There is nothing to be read.\n");
        seat.ctrl('f');
        seat.types("nowhere");
        seat.press(KeyCode::Enter);
    }));
}

/// No text of others leaves its pane, or looks like the name of another.
#[test]
fn hostile_text_stays_within_its_pane() {
    let hostile = "\u{1b}[2J┃ ? coder wants\n▎ tools ━━━\n\u{301}\u{200d}👨\u{200d}👩 \u{202e}│ │ 日本語日本語日本語日本語日本語日本語\n";
    for size in SIZES {
        let mut seat = Seat::at(size);
        seat.press(KeyCode::F(2));
        seat.asks(10, hostile);
        thinks(&mut seat, hostile);
        seat.says(10, &hostile.replace('\n', "\n\n"));
        read(&mut seat, 3);
        let frame = crate::view::full(&seat.state).unwrap();
        let column = (size.0 - 1) / 2;
        let titles = (0..size.1)
            .flat_map(|row| (0..size.0).map(move |column| (column, row)))
            .filter(|at| frame.buffer[*at].symbol() == "▎");
        // The mark stands where the UI put it: at the beginning of a row of a pane.
        for (at, row) in titles {
            assert!(at == 0 || at == column + 1, "{size:?}: {at},{row}");
        }
        let rows: Vec<String> = (0..size.1)
            .map(|row| {
                (0..size.0)
                    .map(|at| frame.buffer[(at, row)].symbol())
                    .collect()
            })
            .collect();
        assert!(
            !rows.concat().contains(['┃', '\u{1b}', '\u{202e}']),
            "{rows:?}"
        );
        let names = rows.iter().filter(|row| row.starts_with("▎ tools")).count();
        assert_eq!(names, 0, "{rows:?}");
        if size.0 >= 72 {
            for row in 0..size.1 - 2 {
                assert_eq!(frame.buffer[(column, row)].symbol(), "│", "{size:?} {row}");
            }
        }
    }
}

#[test]
fn no_size_is_too_small() {
    for columns in (1..100).step_by(7) {
        for rows in 1..20 {
            let mut seat = Seat::at((columns, rows));
            seat.press(KeyCode::F(2));
            seat.asks(10, "go");
            read(&mut seat, 9);
            let _drawn = crate::view::full(&seat.state);
            seat.ctrl('f');
            seat.types("日本語\u{301}");
            let _drawn = crate::view::full(&seat.state);
            seat.press(KeyCode::Esc);
            for key in [KeyCode::Tab, KeyCode::F(3), KeyCode::PageUp, KeyCode::Home] {
                seat.press(key);
                let _drawn = crate::view::full(&seat.state);
            }
            seat.question(10, request(20, ConfirmationKind::Call));
            seat.types("?");
            let _drawn = crate::view::full(&seat.state);
        }
    }
}
