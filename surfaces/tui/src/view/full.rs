//! A frame as high as the terminal: what stands on the alternate screen.

use super::{Frame, saying};
use crate::lines::{cut, faint, strong};
use crate::list::PROMPT;
use crate::overlay::{Overlay, room};
use crate::page::Page;
use crate::picker::{Offer, Picker};
use crate::state::State;
use crate::subject::Subject;
use crate::transcript::pieces;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::Line;
use text::escape::visible_line;
use unicode_width::UnicodeWidthStr;

/// What is said while a question waits behind it.
const WAITS: &str = "! a question waits: Esc closes this and shows it";
/// The keys of a page.
const OF_PAGE: &str = "Esc closes; / searches, n N next; w wraps; v marks";
/// The keys of the sessions.
const OF_SESSIONS: &str =
    "Enter goes on there; Ctrl+F forks, Ctrl+R renames, Ctrl+E exports; Esc closes";
/// The same on a narrow terminal.
const OF_SESSIONS_SHORT: &str = "Enter; Ctrl+F fork, +R name, +E export";
/// The keys of a name.
const OF_NAMING: &str = "Enter gives it this name; Esc does not";

/// The keys of the earlier messages.
const OF_EARLIER: &str =
    "Enter: a copy from before it; Ctrl+R: take it back with files; Esc closes";
/// The same on a narrow terminal.
const OF_EARLIER_SHORT: &str = "Enter forks, Ctrl+R rewinds, Esc closes";
/// The keys of the palette.
const OF_PALETTE: &str = "Enter runs it; Esc closes";

/// The keys of models and modes.
const OF_OPTIONS: &str = "Enter chooses it; Esc closes";

/// The keys of what was typed before.
const OF_RECALL: &str = "Enter puts it into the input; Esc closes";
/// The keys of the programs.
const OF_JOBS: &str = "Enter shows it, d stops it; Esc closes";
/// The keys of what waits.
const OF_QUEUE: &str = "Enter edits, d removes, K and J move; Esc closes";

/// The keys of the sessions before one is held.
const OF_CHOOSING: &str = "Enter goes on there; Esc closes";

/// What waits behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Waiting {
    /// Nothing.
    None,
    /// A question.
    Question,
}

/// The frame of what stands on the alternate screen; `None`: nothing does.
#[must_use]
pub fn full(state: &State) -> Option<Frame> {
    let overlay = state.overlay.as_ref()?;
    let waits = match state.view.questions().is_empty() {
        true => Waiting::None,
        false => Waiting::Question,
    };
    let size = state.size;
    let (width, height) = room(size);
    let (title, body, foot, cursor) = match overlay {
        Overlay::Page(_, page) | Overlay::Output(page) => {
            let (foot, cursor) = foot_of_page(page, height);
            (title_of_page(state, overlay), page.shown(), foot, cursor)
        }
        Overlay::Sessions(picker) => return Some(sessions(picker, size, waits)),
        Overlay::Jobs(jobs) => (
            "jobs: programs that run or ran, and what they say".to_owned(),
            jobs.rows(state.programs.all.as_deref(), (width, height)),
            match jobs.said.as_str() {
                "" => OF_JOBS.to_owned(),
                said => said.to_owned(),
            },
            None,
        ),
        Overlay::Editor => return None,
        Overlay::Queue(queue) => (
            "messages that wait, by their place".to_owned(),
            queue.rows(&state.waits(), (width, height)),
            match queue.refusal {
                "" => OF_QUEUE.to_owned(),
                refusal => refusal.to_owned(),
            },
            None,
        ),
        Overlay::Recall(_) | Overlay::Earlier(_) | Overlay::Options(_) | Overlay::Palette(_) => {
            return searched(overlay, size, waits);
        }
    };
    // What is typed stays in sight; a question is announced above it then.
    let head = match waits == Waiting::Question && cursor.is_some() {
        true => Line::styled(cut(WAITS, width), warning()),
        false => Line::styled(cut(&title, width), strong()),
    };
    let foot = match waits == Waiting::Question && cursor.is_none() {
        true => Line::styled(cut(WAITS, width), warning()),
        false => Line::styled(cut(&foot, width), faint()),
    };
    Some(laid(size, (head, body, foot), cursor))
}

/// The frame of a list that is searched.
fn searched(overlay: &Overlay, size: (u16, u16), waits: Waiting) -> Option<Frame> {
    let (width, height) = room(size);
    match overlay {
        Overlay::Recall(recall) => {
            let parts = ("typed before: type to search", recall.rows(width, height));
            let said = ((PROMPT, recall.query()), OF_RECALL, recall.refusal);
            Some(list(parts, said, size, waits))
        }
        Overlay::Earlier(earlier) => {
            let keys = if width < OF_EARLIER.width() {
                OF_EARLIER_SHORT
            } else {
                OF_EARLIER
            };
            let parts = (
                "earlier messages: type to search",
                earlier.rows(width, height),
            );
            let said = ((PROMPT, earlier.query()), keys, earlier.refusal);
            Some(list(parts, said, size, waits))
        }
        Overlay::Options(options) => {
            let parts = (options.title, options.rows(width, height));
            let said = ((PROMPT, options.query()), OF_OPTIONS, "");
            Some(list(parts, said, size, waits))
        }
        Overlay::Palette(palette) => {
            let parts = (
                "all commands and keys: type to search",
                palette.rows(width, height),
            );
            let said = ((PROMPT, palette.query()), OF_PALETTE, palette.refusal);
            Some(list(parts, said, size, waits))
        }
        _ => None,
    }
}

/// What stands above a page.
fn title_of_page(state: &State, overlay: &Overlay) -> String {
    match overlay {
        Overlay::Page(Subject::History, _) => {
            let pieces = pieces(&state.view);
            let all = pieces.first().map_or(0, |newest| newest.places.1);
            let (first, last) = pieces.get(state.piece).map_or((0, 0), |piece| piece.places);
            let keys = match pieces.len() {
                0 | 1 => "",
                _ => "; < earlier, > later",
            };
            format!("history: exchanges {first} to {last} of {all}{keys}")
        }
        Overlay::Page(subject, _) => format!("{}: {}", subject.name(), subject.about()),
        _ => saying::title(state),
    }
}

/// What stands below a page, and the cursor where something is typed there.
fn foot_of_page(page: &Page, height: usize) -> (String, Option<(usize, usize)>) {
    match page.typed() {
        Some(typed) => {
            let text = format!("/{}", visible_line(typed));
            let column = text.width();
            (text, Some((column, height + 1)))
        }
        None => {
            let keys = || format!("{}; {OF_PAGE}", page.place());
            (page.note().unwrap_or_else(keys), None)
        }
    }
}

/// The frame of the list of sessions.
#[must_use]
pub fn sessions(picker: &Picker, size: (u16, u16), waits: Waiting) -> Frame {
    let (width, height) = room(size);
    let is_short = width < OF_SESSIONS.width();
    let keys = match picker.offer() {
        _ if picker.is_renaming() => OF_NAMING,
        Offer::All if is_short => OF_SESSIONS_SHORT,
        Offer::All => OF_SESSIONS,
        Offer::Resume => OF_CHOOSING,
    };
    let title = match picker.is_renaming() {
        true => "sessions: an empty name takes it away",
        false => "sessions: type to search",
    };
    let parts = (title, picker.rows(width, height));
    list(parts, (picker.typed(), keys, picker.said()), size, waits)
}

/// The frame of a list that is searched: its title and rows; what is typed, its keys, and what is said of
/// the last one.
fn list(
    (title, rows): (&str, Vec<Line<'static>>),
    (typed, keys, said): ((&str, &str), &str, &str),
    size: (u16, u16),
    waits: Waiting,
) -> Frame {
    let (width, _) = room(size);
    let foot = match (waits, said) {
        (Waiting::Question, _) => Line::styled(cut(WAITS, width), warning()),
        (Waiting::None, "") => Line::styled(cut(keys, width), faint()),
        (Waiting::None, said) => Line::styled(cut(said, width), warning()),
    };
    let column = typed.0.width() + visible_line(typed.1).width();
    let head = Line::styled(cut(title, width), strong());
    laid(size, (head, rows, foot), Some((column, 1)))
}

fn warning() -> Style {
    Style::new().fg(Color::Yellow).add_modifier(Modifier::BOLD)
}

type Parts = (Line<'static>, Vec<Line<'static>>, Line<'static>);

fn laid((columns, rows): (u16, u16), parts: Parts, cursor: Option<(usize, usize)>) -> Frame {
    let (head, body, foot) = parts;
    let area = Rect::new(0, 0, columns.max(4), rows.max(3));
    let mut buffer = Buffer::empty(area);
    buffer.set_line(0, 0, &head, area.width);
    for (row, line) in (1..area.height - 1).zip(&body) {
        buffer.set_line(0, row, line, area.width);
    }
    buffer.set_line(0, area.height - 1, &foot, area.width);
    let place = |at: usize, end: u16| u16::try_from(at).unwrap_or(u16::MAX).min(end - 1);
    let cursor = cursor
        .map(|(column, row)| Position::new(place(column, area.width), place(row, area.height)));
    Frame { buffer, cursor }
}
