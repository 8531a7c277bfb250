//! What reaches a terminal, read by one that holds a screen.

use super::{Colours, Narrowed, Screen};
use crate::background::Background;
use crate::lines::painted;
use crate::links::Links;
use crate::view::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::Line;

fn frame(columns: u16, rows: &[&str]) -> Frame {
    let height = u16::try_from(rows.len()).unwrap();
    let mut buffer = Buffer::empty(Rect::new(0, 0, columns, height));
    for (at, row) in (0..height).zip(rows) {
        buffer.set_line(0, at, &painted(row), columns);
    }
    let cursor = Some(Position::new(2, height - 1));
    Frame { buffer, cursor }
}

/// A screen, and the terminal that shows what was written to it.
struct Shown {
    screen: Screen<Vec<u8>>,
    terminal: vt100::Parser,
    written: usize,
}

impl Shown {
    fn new(rows: u16, columns: u16) -> Self {
        Self {
            screen: Screen::new(
                Vec::new(),
                Colours::Sixteen(Background::Dark),
                Narrowed::Wraps,
            ),
            terminal: vt100::Parser::new(
                rows.try_into().unwrap(),
                columns.try_into().unwrap(),
                1_000,
            ),
            written: 0,
        }
    }

    fn draw(&mut self, finished: &[&str], frame: &Frame) -> String {
        let finished: Vec<Line<'static>> = finished.iter().map(|line| painted(line)).collect();
        self.screen.draw(&finished, frame).unwrap();
        self.terminal.process(&self.screen.out[self.written..]);
        self.written = self.screen.out.len();
        self.terminal.screen().contents()
    }
}

#[test]
fn finished_lines_stay_and_rows_below_are_drawn_in_place() {
    let mut shown = Shown::new(10, 20);
    shown.draw(&["one"], &frame(20, &["tail", "> ", "status"]));
    let screen = shown.draw(&[], &frame(20, &["tail more", "> ", "status"]));
    assert_eq!(
        screen.trim_end(),
        "one\ntail more\n> \nstatus".replace("> ", ">").as_str()
    );
    let screen = shown.draw(&["two", "three"], &frame(20, &["> x", "status"]));
    assert_eq!(screen.trim_end(), "one\ntwo\nthree\n> x\nstatus");
    assert_eq!(shown.terminal.screen().cursor_position(), (4, 2));
}

#[test]
fn what_leaves_the_screen_is_in_the_scrollback() {
    let mut shown = Shown::new(6, 20);
    for number in 0..20 {
        shown.draw(&[&format!("line {number}")], &frame(20, &["> ", "status"]));
    }
    let screen = shown.terminal.screen().contents();
    assert_eq!(
        screen.trim_end(),
        "line 16\nline 17\nline 18\nline 19\n>\nstatus"
    );
    shown.terminal.screen_mut().set_scrollback(1_000);
    assert!(shown.terminal.screen().contents().starts_with("line 0\n"));
}

#[test]
fn a_long_line_wraps_as_one_and_a_full_row_moves_nothing() {
    let mut shown = Shown::new(8, 10);
    let screen = shown.draw(
        &["abcdefghijklmno"],
        &frame(10, &["0123456789", "日本語日本"]),
    );
    assert_eq!(screen.trim_end(), "abcdefghijklmno\n0123456789\n日本語日本");
    assert!(shown.terminal.screen().row_wrapped(0));
    let screen = shown.draw(&[], &frame(10, &["9876543210", "日本語日本"]));
    assert_eq!(screen.trim_end(), "abcdefghijklmno\n9876543210\n日本語日本");
}

#[test]
fn only_our_own_codes_reach_the_terminal() {
    let mut shown = Shown::new(8, 60);
    let hostile = "a\u{1b}[2J\u{9b}H\u{1b}]0;t\u{7}\r\u{8}\u{90}q\u{9c}\u{202e}b";
    // A cell that was not made by way of the escapes.
    let mut drawn = frame(60, &["status"]);
    drawn.buffer[(0, 0)].set_symbol("\u{1b}");
    shown.draw(&[hostile], &drawn);
    let text = String::from_utf8(shown.screen.out.clone()).unwrap();
    let ours = regex_free(&text);
    assert!(!ours.contains(char::is_control), "{ours:?}");
    assert!(shown.terminal.screen().contents().contains("\\u{1b}[2J"));
    assert!(ours.contains('\u{fffd}'), "{ours:?}");
}

/// A text without codes of the forms that are written here.
fn regex_free(text: &str) -> String {
    let mut left = String::new();
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\u{1b}' => {
                assert_eq!(letters.next(), Some('['), "{text:?}");
                let last = letters.by_ref().find(char::is_ascii_alphabetic);
                assert!(
                    matches!(last, Some('h' | 'l' | 'J' | 'K' | 'A' | 'B' | 'C' | 'm')),
                    "{last:?}"
                );
            }
            '\r' | '\n' => {}
            letter => left.push(letter),
        }
    }
    left
}

#[test]
fn no_colour_keeps_what_is_bold() {
    let mut screen = Screen::new(Vec::new(), Colours::None, Narrowed::Wraps);
    let line = painted("\u{1b}[31mred\u{1b}[0m \u{1b}[1mbold\u{1b}[0m");
    screen.draw(&[line], &frame(20, &["status"])).unwrap();
    let text = String::from_utf8(screen.out).unwrap();
    assert!(
        !text.contains("31m") && text.contains("\u{1b}[0;1mbold"),
        "{text:?}"
    );
}

#[test]
fn rows_that_a_narrow_terminal_wraps_are_counted() {
    let mut screen = Screen::new(Vec::new(), Colours::None, Narrowed::Wraps);
    screen
        .draw(&[], &frame(20, &["0123456789abcde", "> ", "status"]))
        .unwrap();
    screen.resized(6);
    // Three rows of the first, one of the second, and the cursor in the last.
    assert_eq!(screen.cursor, Position::new(2, 4));
    // What was wrapped for a width in between lies as if it had not been.
    screen.resized(4);
    screen.resized(10);
    assert_eq!(screen.cursor, Position::new(2, 3));
    screen.resized(30);
    assert_eq!(screen.cursor, Position::new(2, 2));
    let mut cut = Screen::new(Vec::new(), Colours::None, Narrowed::Cuts);
    cut.draw(&[], &frame(20, &["0123456789abcde", "> ", "status"]))
        .unwrap();
    cut.resized(6);
    assert_eq!(cut.cursor, Position::new(2, 2));
}

#[test]
fn an_address_leads_to_what_stands_there() {
    let mut shown = Shown::new(8, 60);
    shown.screen.mark_links(Links::Osc8);
    let rows = [
        "see \u{1b}[2m(https://a.example/x)\u{1b}[0m.",
        "no \u{1b}[1mhttps://a.exa\u{1b}[0mmple/ break",
    ];
    let hostile = "https://a.example/\u{1b}]8;;https://evil.example\u{7}";
    let finished = [rows[0], rows[1], hostile];
    let screen = shown.draw(&finished, &frame(60, &["> https://b.example"]));
    let bytes = String::from_utf8(shown.screen.out.clone()).unwrap();
    let marks: Vec<&str> = bytes
        .split("\u{1b}]8;;")
        .skip(1)
        .map(|part| part.split("\u{1b}\\").next().unwrap())
        .collect();
    assert_eq!(marks, ["https://a.example/x", "", "https://a.example/", ""]);
    assert!(screen.starts_with("see (https://a.example/x).\nno https://a.example/ break\n"));
    assert!(!bytes.contains("evil.example\u{1b}"), "{bytes:?}");
}

/// Terminals do not agree on how wide an emoji is: what stands behind one has its column anyway.
#[test]
fn what_follows_a_wide_character_has_its_column() {
    let mut shown = Shown::new(4, 20);
    shown.draw(&[], &frame(20, &["a👨b│", "日本│", "abc│"]));
    let bytes = String::from_utf8(shown.screen.out.clone()).unwrap();
    for part in ["a👨\u{1b}[4Gb│", "日\u{1b}[3G本\u{1b}[5G│", "abc│"] {
        assert!(bytes.contains(part), "`{part}`: {bytes:?}");
    }
    let screen = shown.terminal.screen().contents();
    assert_eq!(screen.trim_end(), "a👨b│\n日本│\nabc│");
}
