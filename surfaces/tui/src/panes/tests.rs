//! Panes: what stands where, and scrolling against a simple model.

use super::*;
use crate::fixture::{Seat, request};
use crate::message::{Command, Message};
use crossterm::event::{KeyCode, KeyModifiers};
use domain::decision::{Layer, Verdict};
use domain::event::{CallStatus, ConfirmationKind, EventBody, QueryStatus};
use domain::settings::Mode;
use proptest::prelude::*;
use rendering::slash::Slash;

/// The text of a pane, its rows as they are shown on a page of so many.
fn text(seat: &Seat, pane: Pane) -> String {
    let page = seat.state.panes.page(pane);
    let below = seat.state.panes.below(pane);
    let rows = page.shown_before(&below, 1_000).into_iter();
    rows.map(|row| format!("{row}\n")).collect()
}

/// In panes on a terminal of a size.
fn open(size: (u16, u16)) -> Seat {
    let mut seat = Seat::at(size);
    seat.press(KeyCode::F(2));
    seat
}

fn decided(seat: &mut Seat, query: u128, call: u128) {
    let body = EventBody::BrokerDecision {
        verdict: Verdict::Allow,
        layer: Layer::Path,
        rule: "reads".to_owned(),
        reason: "reading is free".to_owned(),
    };
    seat.happens_to(Some(query), Some(call), body);
}

fn result(seat: &mut Seat, query: u128, call: u128, text: &str) {
    let body = EventBody::ToolResult {
        tool: "read_file".to_owned(),
        status: CallStatus::Ok,
        value_id: None,
        label: None,
        text: text.to_owned(),
        truncated: false,
        duration_ms: 3,
        artifacts: Vec::new(),
        edited: None,
    };
    seat.happens_to(Some(query), Some(call), body);
}

fn thinks(seat: &mut Seat, query: u128, text: &str) {
    let text = text.to_owned();
    seat.happens(Some(query), EventBody::ThinkingDelta { text });
}

#[test]
fn each_pane_has_what_it_is_for() {
    let mut seat = open((120, 40));
    seat.asks(10, "what is in it?");
    thinks(&mut seat, 10, "First I read.\nThen I tell.");
    seat.calls(10, 30, "read_file");
    decided(&mut seat, 10, 30);
    result(&mut seat, 10, 30, "line one\nline two");
    seat.says(10, "It has *two* lines.\n\nNo more.");
    seat.cost(10, 100);
    seat.ends(10, QueryStatus::Success);
    let conversation = text(&seat, Pane::Conversation);
    assert_eq!(
        conversation,
        "▎ > what is in it?\n\nIt has two lines.\n\nNo more.\n\n"
    );
    let activity = text(&seat, Pane::Activity);
    // A thought that is over is one line, until all of it is asked for.
    assert!(
        activity.starts_with("▎ · thought (2 lines; Ctrl+O shows them): First I read."),
        "{activity}"
    );
    assert!(!activity.contains("\nThen I tell."), "{activity}");
    assert!(
        activity.contains("▎ → read_file path=notes.md"),
        "{activity}"
    );
    assert!(!activity.contains("line two"), "{activity}");
    let tools = text(&seat, Pane::Tools);
    assert!(
        tools.contains("read_file\n  | {\n  |   \"path\": \"notes.md\"\n"),
        "{tools}"
    );
    assert!(tools.contains("  decision: allow by layer"), "{tools}");
    assert!(tools.ends_with("  | line one\n  | line two\n"), "{tools}");
    seat.key(KeyCode::Char('o'), KeyModifiers::CONTROL);
    let activity = text(&seat, Pane::Activity);
    assert!(
        activity.ends_with("First I read.\nThen I tell.\n"),
        "{activity}"
    );
}

#[test]
fn calls_at_the_same_time_are_told_apart() {
    let mut seat = open((120, 40));
    seat.asks(10, "read both");
    seat.calls(10, 30, "read_file");
    seat.calls(10, 31, "list_files");
    result(&mut seat, 10, 30, "of the first");
    let tools = text(&seat, Pane::Tools);
    assert!(
        tools.contains("read_file goes on\n  result: done in 3 ms\n  | of the first"),
        "{tools}"
    );
}

#[test]
fn a_narrow_pane_breaks_prose_by_its_own_width() {
    let paragraph: String = (0..60).map(|n| format!("word{n} ")).collect();
    let mut seat = open((120, 40));
    seat.asks(10, "go");
    for piece in paragraph.split_inclusive(' ') {
        seat.says(10, piece);
    }
    let rows = text(&seat, Pane::Conversation);
    let full = rows.lines().filter(|row| row.starts_with("word"));
    let full: Vec<&str> = full.collect();
    for row in &full[..full.len() - 1] {
        assert!(row.len() > 50, "a ragged row: {rows}");
    }
}

#[test]
fn what_was_before_is_read_once_they_are_open() {
    let mut past = open((120, 40));
    past.asks(10, "first");
    past.asks(11, "second");
    past.calls(10, 30, "read_file");
    result(&mut past, 10, 30, "inside");
    let events = past.events.clone();
    let mut seat = Seat::at((120, 40));
    events.iter().for_each(|event| seat.state.remember(event));
    assert!(seat.takes(Message::Tick).is_empty());
    let last = events.last().unwrap().seq;
    let asked = seat.press(KeyCode::F(2));
    assert_eq!(asked, [Command::ReadPast(last)]);
    assert!(seat.takes(Message::Tick).is_empty(), "asked once");
    seat.takes(Message::Told(vec!["since".to_owned()]));
    let id = seat.state.session.session_id;
    seat.takes(Message::PastRead(id, events));
    let conversation = text(&seat, Pane::Conversation);
    assert_eq!(conversation, "▎ > first\n\n▎ > second\n\n▎ since\n");
    assert!(text(&seat, Pane::Tools).contains("  | inside"));
}

#[test]
fn notes_of_the_ui_stand_in_the_conversation() {
    let mut seat = open((120, 40));
    seat.takes(Message::Told(vec!["· here".to_owned()]));
    assert_eq!(text(&seat, Pane::Conversation), "▎ · here\n");
    assert_eq!(seat.printed, ["▎ · here"], "and in the scrollback");
}

#[test]
fn keys_move_scroll_and_zoom_the_pane_in_focus() {
    let mut seat = open((120, 40));
    assert_eq!(seat.state.panes.focus(), Pane::Conversation);
    seat.press(KeyCode::Tab);
    assert_eq!(seat.state.panes.focus(), Pane::Tools);
    seat.asks(10, "go");
    seat.calls(10, 30, "read_file");
    let long: String = (0..200).map(|n| format!("row {n}\n")).collect();
    result(&mut seat, 10, 30, &long);
    let rest = |seat: &Seat| seat.state.panes.page(Pane::Tools).rest(0, 37);
    assert_eq!(rest(&seat), None);
    seat.press(KeyCode::PageUp);
    assert_eq!(rest(&seat), Some((37, 0)));
    seat.press(KeyCode::F(3));
    assert!(seat.state.panes.is_alone());
    seat.press(KeyCode::F(3));
    seat.press(KeyCode::End);
    assert_eq!(rest(&seat), None);
    seat.press(KeyCode::Home);
    assert!(rest(&seat).is_some());
    // In a draft they move the cursor.
    seat.types("a draft");
    seat.press(KeyCode::End);
    assert!(rest(&seat).is_some());
    assert_eq!(seat.state.input.text(), "a draft");
    seat.press(KeyCode::F(2));
    assert!(!seat.state.panes.is_open());
    let done = seat.enters("");
    assert_eq!(done.last(), Some(&Command::Send("a draft".to_owned())));
    assert!(
        seat.enters("/panes")
            .iter()
            .all(|one| matches!(one, Command::Keep(_)))
    );
    assert!(seat.state.panes.is_open());
    seat.enters("/panes nonsense");
    assert!(seat.scrollback().contains("/panes takes `zoom` after it"));
}

#[test]
fn a_search_goes_through_the_pane_in_focus_alone() {
    let mut seat = open((120, 40));
    seat.asks(10, "go");
    let text: String = (0..200).map(|n| format!("row {n}\n\n")).collect();
    seat.says(10, &text);
    seat.ctrl('f');
    seat.types("ROW 15");
    seat.press(KeyCode::Enter);
    let first = |seat: &Seat| {
        let page = seat.state.panes.page(Pane::Conversation);
        page.shown_before(&[], 5)[0].to_string()
    };
    assert_eq!(first(&seat), "row 159");
    seat.press(KeyCode::Up);
    assert_eq!(first(&seat), "row 158");
    seat.press(KeyCode::Down);
    assert_eq!(first(&seat), "row 159");
    assert!(seat.state.input.is_empty(), "keys went into the search");
    seat.press(KeyCode::Esc);
    assert!(!seat.state.panes.is_searching());
    assert_eq!(first(&seat), "row 159", "what was found stays");
    seat.types("x");
    assert_eq!(seat.state.input.text(), "x");
}

#[test]
fn no_key_of_a_search_answers_a_question() {
    let mut seat = open((120, 40));
    seat.asks(10, "write it");
    seat.ctrl('f');
    seat.question(10, request(20, ConfirmationKind::Call));
    assert!(
        seat.state.dialog.is_none(),
        "it waits for the search to end"
    );
    seat.wait(2_000);
    seat.types("y");
    assert!(seat.gives("").is_empty());
    seat.takes(Message::Paste("y\n".to_owned()));
    seat.press(KeyCode::Esc);
    assert!(seat.state.dialog.is_some());
    // And it is put with the same silence as any other.
    let done = seat.gives("y");
    let is_answer = |one: &Command| matches!(one, Command::Answer(_));
    assert!(!done.iter().any(is_answer), "a message at most: {done:?}");
}

#[test]
fn another_layout_puts_a_question_anew() {
    let mut seat = Seat::at((120, 40));
    seat.asks(10, "write it");
    seat.question(10, request(20, ConfirmationKind::Call));
    seat.wait(2_000);
    seat.types("y");
    assert_eq!(seat.state.dialog.as_ref().unwrap().answer(), "y");
    seat.press(KeyCode::F(2));
    assert_eq!(seat.state.dialog.as_ref().unwrap().answer(), "");
    seat.ctrl('f');
    assert!(
        !seat.state.panes.is_searching(),
        "keys are for the question"
    );
    seat.wait(2_000);
    let done = seat.gives("y");
    assert!(matches!(done.as_slice(), [Command::Answer(_)]), "{done:?}");
}

#[test]
fn another_session_stands_in_the_same_panes() {
    let mut seat = open((120, 40));
    seat.press(KeyCode::F(3));
    seat.asks(10, "go");
    let (session, profile) = (seat.state.session.clone(), seat.state.profile.clone());
    seat.state.turn_to(session, profile);
    assert!(seat.state.panes.is_open() && seat.state.panes.is_alone());
    assert_eq!(text(&seat, Pane::Conversation), "");
    assert_eq!(seat.state.profile.mode, Mode::Loop);
    assert!(!matches!(
        seat.enters("/help").last(),
        Some(Command::Run(Slash::Help))
    ));
}

#[derive(Debug, Clone)]
enum Step {
    Push(Vec<usize>),
    Turn(Turn),
    Lay(usize, usize),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let turn = prop_oneof![
        Just(Turn::Up),
        Just(Turn::Down),
        Just(Turn::PageUp),
        Just(Turn::PageDown),
        Just(Turn::HalfUp),
        Just(Turn::HalfDown),
        Just(Turn::Top),
        Just(Turn::End),
    ];
    let step = prop_oneof![
        3 => prop::collection::vec(0_usize..30, 0..12).prop_map(Step::Push),
        3 => turn.prop_map(Step::Turn),
        1 => (1_usize..20, 1_usize..9).prop_map(|(width, height)| Step::Lay(width, height)),
    ];
    prop::collection::vec(step, 1..60)
}

/// A list of all rows, and the place of the first in sight; `None`: the end is.
#[derive(Debug, Default)]
struct Model {
    lines: Vec<usize>,
    reading: Option<usize>,
}

impl Model {
    /// Every row that a page may show, each with the number of its line.
    fn rows(&self, width: usize, most: usize) -> Vec<(usize, String)> {
        let over = self.lines.len().saturating_sub(most);
        let mut rows = Vec::new();
        if over > 0 {
            rows.push((over, format!("▎ · {over} lines before are left out")));
        }
        for (number, length) in self.lines.iter().enumerate().skip(over) {
            let letter = char::from(b'a' + u8::try_from(number % 26).unwrap());
            let all = vec![letter; *length];
            match all.is_empty() {
                true => rows.push((number, String::new())),
                false => rows.extend(
                    all.chunks(width)
                        .map(|part| (number, part.iter().collect())),
                ),
            }
        }
        rows
    }
}

/// A line of so many letters, which breaks anywhere and goes on without an indent.
fn line(number: usize, length: usize) -> PageLine {
    let letter = char::from(b'a' + u8::try_from(number % 26).unwrap());
    PageLine::of(crate::markdown::DocumentLine {
        line: Line::raw(letter.to_string().repeat(length)),
        may_break: crate::markdown::Break::Words(0),
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// What is in sight is what a list of all rows has there, and stays there while more comes.
    #[test]
    fn scrolling_is_that_of_a_list(steps in steps()) {
        let most = 40;
        let mut page = Page::live_of(most);
        let (mut width, mut height) = (10, 5);
        page.lay((width, height));
        let mut model = Model::default();
        for step in steps {
            let before = model.rows(width, most);
            let old_over = model.lines.len().saturating_sub(most);
            match step {
                Step::Push(lengths) => {
                    let first = model.lines.len();
                    let lines = lengths.iter().enumerate();
                    page.push(lines.map(|(at, length)| line(first + at, *length)));
                    model.lines.extend(lengths);
                    let over = model.lines.len().saturating_sub(most);
                    if let Some(top) = &mut model.reading {
                        let is_head = |over: usize| usize::from(over > 0);
                        let gone = before.iter().skip(is_head(old_over)).filter(|(line, _)| *line < over).count();
                        *top = (*top + is_head(over) - is_head(old_over)).saturating_sub(gone);
                    }
                }
                Step::Turn(turn) => {
                    page.turn(turn);
                    let last = before.len().saturating_sub(height);
                    let from = model.reading.unwrap_or(last).min(last);
                    let to = match turn {
                        Turn::Up => from.saturating_sub(1),
                        Turn::Down => from + 1,
                        Turn::PageUp => from.saturating_sub(height),
                        Turn::PageDown => from + height,
                        Turn::HalfUp => from.saturating_sub((height / 2).max(1)),
                        Turn::HalfDown => from + (height / 2).max(1),
                        Turn::Top => 0,
                        Turn::End => last,
                    };
                    model.reading = (to < last).then_some(to);
                }
                Step::Lay(columns, rows) => {
                    let last = before.len().saturating_sub(rows);
                    let from = model.reading.unwrap_or(last).min(last);
                    let head = usize::from(old_over > 0);
                    let at = before.iter().skip(head).nth(from.saturating_sub(head));
                    let line = at.map(|(line, _)| *line);
                    page.lay((columns, rows));
                    if columns != width {
                        let after = model.rows(columns, most);
                        let last = after.len().saturating_sub(rows);
                        let top = after.iter().skip(head).position(|(number, _)| Some(*number) == line);
                        if model.reading.is_some() {
                            model.reading = Some((head + top.unwrap_or(0)).min(last));
                        }
                    }
                    (width, height) = (columns, rows);
                }
            }
            let rows = model.rows(width, most);
            let last = rows.len().saturating_sub(height);
            let first = model.reading.unwrap_or(last).min(last);
            let mut wanted: Vec<String> = rows.iter().skip(first).take(height).map(|(_, row)| row.clone()).collect();
            let mut shown: Vec<String> = page.shown().iter().map(ToString::to_string).collect();
            // How much was left out has no room of its own on a narrow page.
            for rows in [&mut wanted, &mut shown] {
                if let Some(head) = rows.first_mut().filter(|row| row.starts_with('▎')) {
                    head.truncate('▎'.len_utf8());
                }
            }
            prop_assert_eq!(&shown, &wanted);
            prop_assert!(shown.len() <= height);
        }
    }
}

#[test]
fn a_slash_beside_marks_searches_the_pane() {
    let mut seat = open((80, 24));
    seat.asks(10, "go");
    seat.says(10, "one line\n\nand two");
    // Without marks it begins a command.
    seat.types("/mo");
    assert!(!seat.state.panes.is_searching());
    assert_eq!(seat.state.input.text(), "/mo");
    seat.ctrl('u');
    seat.press(KeyCode::F(4));
    seat.types("/one");
    assert!(seat.state.panes.is_searching() && !seat.state.panes.is_marking());
    assert!(seat.state.input.is_empty());
    // A question that comes is put once the search is over, and no letter of it answers.
    seat.question(10, request(20, ConfirmationKind::Call));
    seat.wait(5_000);
    assert!(seat.state.dialog.is_none());
    assert_eq!(seat.gives("y"), []);
    seat.press(KeyCode::Esc);
    assert!(seat.state.dialog.is_some());
    seat.types("/");
    assert!(!seat.state.panes.is_searching());
}

#[test]
fn a_slash_in_normal_mode_searches_the_pane() {
    let mut seat = open((80, 24));
    seat.state.input.edit_by_vi();
    seat.types("draft/");
    assert!(!seat.state.panes.is_searching());
    seat.press(KeyCode::Esc);
    seat.types("/x");
    assert!(seat.state.panes.is_searching());
    seat.press(KeyCode::Esc);
    assert_eq!(seat.state.input.text(), "draft/");
}
