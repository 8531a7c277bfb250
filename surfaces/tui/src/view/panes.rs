//! The panes: each below a row with its name, beside one another where there is room, and the same rows
//! as on the normal screen below them.

use super::full::full as page;
use super::{Frame, bottom, work_text};
use crate::lines::{OWN, cut, faint, strong, wrapped};
use crate::panes::{Layout, Pane};
use crate::state::State;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use text::escape::visible_line;
use unicode_width::UnicodeWidthStr;

/// Fewest columns and rows of a terminal on which panes stand beside one another.
const BESIDE: (u16, u16) = (72, 14);
/// Fewest rows of activity, its name included; where there are fewer, the conversation has them.
const ACTIVITY_ROWS: u16 = 2;
/// What stands between two of them.
const BETWEEN: &str = "│";
/// How much of the height activity has, beside the conversation: one of so many parts.
const ACTIVITY_PART: u16 = 3;
/// The keys of a search.
const OF_SEARCH: &str = "Enter: before, Down: after, Esc ends";
/// Fewest columns of the rule behind a name.
const RULE: usize = 2;

/// Where a pane stands, the row of its name included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Placed {
    pane: Pane,
    area: Rect,
}

/// Whether the pane in focus stands alone.
fn is_alone(state: &State) -> bool {
    let (columns, rows) = state.size;
    state.panes.is_alone() || columns < BESIDE.0 || rows < BESIDE.1
}

fn places(state: &State, (columns, rows): (u16, u16)) -> Vec<Placed> {
    if is_alone(state) {
        let (pane, area) = (state.panes.focus(), Rect::new(0, 0, columns, rows));
        return vec![Placed { pane, area }];
    }
    let left = (columns - 1) / 2;
    let upper = rows / ACTIVITY_PART;
    let upper = if upper < ACTIVITY_ROWS { 0 } else { upper };
    let at = |pane, area| Placed { pane, area };
    vec![
        at(Pane::Activity, Rect::new(0, 0, left, upper)),
        at(Pane::Conversation, Rect::new(0, upper, left, rows - upper)),
        at(
            Pane::Tools,
            Rect::new(left + 1, 0, columns - left - 1, rows),
        ),
    ]
}

/// The columns and rows that all panes have, above so many rows.
fn room(state: &State, below: usize) -> (u16, u16) {
    let (columns, rows) = state.size;
    let below = u16::try_from(below).unwrap_or(u16::MAX);
    (columns.max(4), rows.saturating_sub(below))
}

/// The columns of a pane, which no question changes; `None`: it is not in sight.
#[must_use]
pub fn width(state: &State, pane: Pane) -> Option<usize> {
    let placed = places(state, room(state, 0));
    let found = placed.iter().find(|one| one.pane == pane);
    found.map(|one| one.area.width.into())
}

/// The columns and rows of a pane's text; `None`: it is not in sight.
#[must_use]
pub fn size(state: &State, pane: Pane) -> Option<(usize, usize)> {
    let (rows, _) = bottom(state, Layout::Panes);
    let placed = places(state, room(state, rows.len()));
    let area = placed.iter().find(|one| one.pane == pane)?.area;
    Some((area.width.into(), area.height.saturating_sub(1).into()))
}

/// The pane at a column and row of the screen; `None`: none is there.
#[must_use]
pub fn at(state: &State, (column, row): (u16, u16)) -> Option<Pane> {
    let (rows, _) = bottom(state, Layout::Panes);
    let placed = places(state, room(state, rows.len()));
    let is_in = |one: &&Placed| one.area.contains(Position::new(column, row));
    placed.iter().find(is_in).map(|one| one.pane)
}

/// The frame of the alternate screen: a page, or the panes; `None`: the normal screen is shown.
#[must_use]
pub fn full(state: &State) -> Option<Frame> {
    let panes = || state.panes.is_open().then(|| frame(state));
    page(state).or_else(panes)
}

/// The frame, as high as the terminal.
fn frame(state: &State) -> Frame {
    let (rows, cursor) = bottom(state, Layout::Panes);
    let room = room(state, rows.len());
    let height = room.1 + u16::try_from(rows.len()).unwrap_or(0);
    let mut buffer = Buffer::empty(Rect::new(0, 0, room.0, height));
    let mut search = None;
    for placed in places(state, room) {
        if placed.area.height == 0 {
            continue;
        }
        let Rect { x, y, width, .. } = placed.area;
        let still = state.panes.below(placed.pane);
        let (title, column) = title(state, placed, still.len());
        buffer.set_line(x, y, &title, width);
        search = search.or(column.map(|column| Position::new((x + column).min(x + width - 1), y)));
        let text_height = usize::from(placed.area.height - 1);
        for (row, line) in (y + 1..).zip(text(state, placed.pane, &still, text_height)) {
            buffer.set_line(x, row, &line, width);
        }
        if x > 0 {
            for row in y..y + placed.area.height {
                buffer.set_line(x - 1, row, &Line::styled(BETWEEN, faint()), 1);
            }
        }
    }
    for (row, line) in (room.1..height).zip(&rows) {
        buffer.set_line(0, row, line, room.0);
    }
    let below = cursor.map(|(column, row)| {
        let column = u16::try_from(column).unwrap_or(u16::MAX).min(room.0 - 1);
        let row = u16::try_from(row).unwrap_or(u16::MAX);
        Position::new(column, room.1.saturating_add(row).min(height - 1))
    });
    Frame {
        buffer,
        cursor: search.or(below),
    }
}

/// So many rows of a pane, above those of what still comes.
fn text(state: &State, pane: Pane, below: &[Line<'static>], height: usize) -> Vec<Line<'static>> {
    let page = state.panes.page(pane);
    if page.is_empty() && below.is_empty() {
        let told = match state.panes.is_past_missing() {
            true => "what was before is being read…",
            false => pane.nothing(),
        };
        return vec![Line::styled(told, faint())];
    }
    page.shown_before(below, height)
}

/// The row of a pane's name, and the column at which a search is typed. It begins with the mark that no
/// text of others has: nothing in a pane looks like the name of another.
fn title(state: &State, placed: Placed, below: usize) -> (Line<'static>, Option<u16>) {
    let Placed { pane, area } = placed;
    let width = usize::from(area.width);
    let page = state.panes.page(pane);
    let is_focused = state.panes.focus() == pane;
    if let Some(typed) = page.typed().filter(|_| is_focused) {
        return search_row(typed, page.is_missing(), width);
    }
    let rule = if is_focused { "━" } else { "─" };
    let style = if is_focused { strong() } else { faint() };
    let mut spans = vec![Span::styled(OWN, faint())];
    match is_alone(state) {
        true => spans.extend(names(pane)),
        false => spans.push(Span::styled(format!("{} ", pane.name()), style)),
    }
    let used: usize = spans.iter().map(Span::width).sum();
    let left = width.saturating_sub(used + RULE + 1);
    let height = usize::from(area.height - 1);
    let rest = page.rest(below, height);
    let said = page.note().filter(|_| is_focused);
    let note = match (rest, pane) {
        _ if said.is_some() => (said.unwrap_or_default(), warning()),
        (Some((rows, 0)), _) => (format!("↓ {rows} more below"), faint()),
        (Some((rows, new)), _) => (format!("↓ {rows} more below, {new} new"), warning()),
        (None, Pane::Activity) => (work_text(state).unwrap_or_default(), faint()),
        (None, _) => (String::new(), faint()),
    };
    let text = cut(&note.0, left);
    let fill = width.saturating_sub(used + text.width() + usize::from(!text.is_empty()));
    spans.push(Span::styled(rule.repeat(fill), style));
    if !text.is_empty() {
        spans.push(Span::raw(" "));
        spans.push(Span::styled(text, note.1));
    }
    (Line::from(spans), None)
}

/// The names of all panes, that of the one in sight in brackets.
fn names(shown: Pane) -> impl Iterator<Item = Span<'static>> {
    Pane::ALL.into_iter().map(move |pane| match pane == shown {
        true => Span::styled(format!("[{}] ", pane.name()), strong()),
        false => Span::styled(format!("{} ", pane.name()), faint()),
    })
}

fn search_row(typed: &str, is_missing: bool, width: usize) -> (Line<'static>, Option<u16>) {
    let typed = visible_line(typed);
    let mut spans = vec![
        Span::styled(OWN, faint()),
        Span::styled("search: ", strong()),
    ];
    let used: usize = spans.iter().map(Span::width).sum();
    // The end of what is typed stays in sight.
    let room = width.saturating_sub(used + 1).max(1);
    let rows = wrapped(&Line::raw(typed), 0, room);
    let end = rows.last().map(ToString::to_string).unwrap_or_default();
    let column = used + end.width();
    spans.push(Span::raw(end));
    let note = if is_missing { "not found" } else { OF_SEARCH };
    let left = width.saturating_sub(column + 3);
    if left > RULE {
        spans.push(Span::styled(format!("   {}", cut(note, left)), faint()));
    }
    (Line::from(spans), u16::try_from(column).ok())
}

fn warning() -> Style {
    Style::new().fg(Color::Yellow).add_modifier(Modifier::BOLD)
}

#[cfg(test)]
mod tests;
