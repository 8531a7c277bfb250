//! What still changes, drawn from the state: a few rows below the scrollback.

mod asking;
mod broken;
mod difference;
mod full;
mod help;
mod offers;
mod panes;
mod planned;
mod saying;
mod status;

pub use full::{Waiting, sessions};
pub use panes::{at as pane_at, full, size as pane_size, width as pane_width};
pub use planned::word as standing_of_step;
pub use saying::{said, says};

use crate::keys::Action;
use crate::lines::{OWN, cut, faint, own, strong, wrapped};
use crate::panes::Layout;
use crate::question::{Field, Sight};
use crate::state::State;
use api::programs::awaits_a_program;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span};
use rendering::agents::{gist, named};
use rendering::values::grouped;
use session::OpenCall;
use text::escape::visible_line;
use unicode_width::UnicodeWidthStr;

/// What stands before what is typed.
const PROMPT: &str = "> ";
/// Most rows of the input.
const INPUT_ROWS: usize = 8;
/// Most waiting messages that are named.
const WAITING_ROWS: usize = 3;
/// Fewest rows that a question is shown in, where the terminal has so many.
const LEAST_ROWS: usize = 6;

/// What is drawn.
#[derive(Debug, Clone, PartialEq)]
pub struct Frame {
    /// The cells.
    pub buffer: Buffer,
    /// Where the cursor stands; `None`: nowhere.
    pub cursor: Option<Position>,
}

/// The rows below the question, the help or what goes on, and the room that they leave it.
struct Below {
    waiting: Vec<Line<'static>>,
    offers: Vec<Line<'static>>,
    input: Vec<Line<'static>>,
    cursor: (usize, usize),
    width: usize,
    room: usize,
}

fn below(state: &State) -> Below {
    let (columns, rows) = state.size;
    let width = usize::from(columns.max(4));
    // One row of the scrollback stays in sight, and one is the status line.
    let room = usize::from(rows).saturating_sub(1).max(2) - 1;
    let (input, cursor) = input(state, width, (room / 3).clamp(1, INPUT_ROWS));
    let offers = offers::lines(state, width, room / 3);
    let room = room.saturating_sub(input.len() + offers.len());
    let waiting = waiting(
        state,
        width,
        room.saturating_sub(LEAST_ROWS).min(WAITING_ROWS),
    );
    Below {
        room: room.saturating_sub(waiting.len()),
        waiting,
        offers,
        input,
        cursor,
        width,
    }
}

/// What of the question that stands is in sight; `None` without one.
#[must_use]
pub fn sight(state: &State) -> Option<Sight> {
    let Below { width, room, .. } = below(state);
    let dialog = state.dialog.as_ref()?;
    Some(asking::sight(
        dialog,
        (state.now, &state.keys),
        (width, room),
    ))
}

/// Rows of the help in sight, and how far it scrolls.
#[must_use]
pub fn help_extent(state: &State) -> (usize, usize) {
    let Below { width, room, .. } = below(state);
    help::extent((&state.keys, state.input.editing()), (width, room))
}

/// The rows below the scrollback or the panes, and the cursor in them.
fn bottom(state: &State, layout: Layout) -> (Vec<Line<'static>>, Option<(usize, usize)>) {
    let Below {
        waiting,
        offers,
        input,
        cursor: input_cursor,
        width,
        room,
    } = below(state);
    let status = status::line(state, width);
    let (top, top_cursor) = top(state, layout, (width, room));
    let cursor = match top_cursor {
        Some(place) => Some(place),
        None if state.help.is_some() => None,
        None => Some((
            input_cursor.0,
            top.len() + waiting.len() + offers.len() + input_cursor.1,
        )),
    };
    let rows = top
        .into_iter()
        .chain(waiting)
        .chain(offers)
        .chain(input)
        .chain([status]);
    (rows.collect(), cursor)
}

/// Draws the state on the normal screen.
#[must_use]
pub fn frame(state: &State) -> Frame {
    let (columns, _) = state.size;
    let (all, cursor) = bottom(state, Layout::Focus);
    let height = u16::try_from(all.len()).unwrap_or(u16::MAX);
    let area = Rect::new(0, 0, columns.max(4), height);
    let mut buffer = Buffer::empty(area);
    for (row, line) in (0..height).zip(&all) {
        buffer.set_line(0, row, line, area.width);
    }
    let cursor = cursor.map(|(column, row)| {
        let column = u16::try_from(column)
            .unwrap_or(u16::MAX)
            .min(area.width - 1);
        let row = u16::try_from(row).unwrap_or(u16::MAX).min(height - 1);
        Position::new(column, row)
    });
    Frame { buffer, cursor }
}

/// The help, the question, or what goes on; with the cursor, where it stands there.
fn top(
    state: &State,
    layout: Layout,
    (width, room): (usize, usize),
) -> (Vec<Line<'static>>, Option<(usize, usize)>) {
    if let Some(scroll) = state.help {
        return (
            help::lines((&state.keys, state.input.editing()), (width, room), scroll),
            None,
        );
    }
    if let Some(dialog) = &state.dialog {
        return asking::lines(dialog, (state.now, &state.keys), (width, room));
    }
    if layout == Layout::Panes {
        // What streams and what runs stands in the panes.
        return (Vec::new(), None);
    }
    let plan = planned::rows(state).into_iter();
    let mut work: Vec<Line<'static>> = plan.flat_map(|row| own_row(&row, width)).collect();
    work.extend(at_work(state, width));
    let said = saying::said(state).into_iter();
    work.extend(said.flat_map(|line| own_row(&line, width)));
    let room = room.saturating_sub(work.len());
    let tail = state.stream.tail(state.terminal.known(), state.is_expanded);
    let is_own = !state.is_expanded && state.stream.is_thinking();
    let rows: Vec<Line<'static>> = tail
        .into_iter()
        .flat_map(|one| match is_own {
            true => own(&one.line, 2, width),
            false => wrapped(&one.line, 0, width),
        })
        .collect();
    let from = rows.len().saturating_sub(room);
    let shown = rows.into_iter().skip(from);
    (shown.chain(work).collect(), None)
}

/// That work goes on, what runs, and for how long.
fn at_work(state: &State, width: usize) -> Vec<Line<'static>> {
    work_text(state).map_or_else(Vec::new, |text| own_row(&text, width))
}

/// The same in words; `None`: nothing goes on.
fn work_text(state: &State) -> Option<String> {
    let seconds = state.worked()?.as_secs();
    let time = match seconds {
        0..60 => format!("{seconds} s"),
        _ => format!("{} min {} s", seconds / 60, seconds % 60),
    };
    let work = state.view.work();
    let names: Vec<String> = work.running().map(|call| name(state, call)).collect();
    let asked = match work.asked() {
        // What will be asked about waits for its question first.
        _ if state.view.questions().is_empty() => None,
        0 => None,
        1 => Some("a call waits for your answer".to_owned()),
        count => Some(format!("{count} calls wait for your answer")),
    };
    let doing = match (&state.reading, names.as_slice()) {
        (Some(progress), _) => format!(
            "reading the prompt: {} of {} tokens",
            grouped(progress.read_tokens),
            grouped(progress.total_tokens)
        ),
        (None, []) => asked.unwrap_or_else(|| "working".to_owned()),
        (None, names) => {
            let running = format!("running {}", names.join(", "));
            [running]
                .into_iter()
                .chain(asked)
                .collect::<Vec<_>>()
                .join("; ")
        }
    };
    // In the panes the steps themselves are not in sight.
    let place = planned::place(state).filter(|_| state.panes.is_open());
    let doing = match place {
        Some(place) => format!("{place}, {doing}"),
        None => doing,
    };
    let sign = ['|', '/', '-', '\\'][usize::try_from(seconds % 4).unwrap_or(0)];
    let more = match saying::said(state).is_empty() {
        true => "",
        false => "; /inspect jobs shows all it says",
    };
    Some(format!("{sign} {doing}, {time} (Esc stops it{more})"))
}

/// One faint row of ours.
fn own_row(text: &str, width: usize) -> Vec<Line<'static>> {
    let room = width.saturating_sub(OWN.width());
    own(&Line::styled(cut(text, room), faint()), 0, width)
}

/// A call that runs, with the agent that it is of where that is not the session's own.
fn name(state: &State, call: &OpenCall) -> String {
    let tool = visible_line(&call.tool);
    let name = match named(state.view.agents(), call.agent_id) {
        Some(whose) => format!("{tool} ({whose})"),
        None => tool,
    };
    // What a program says of itself stands below, and its time here.
    match &call.progress {
        Some((message, percent)) if !awaits_a_program(&call.tool) => {
            let share = percent.map_or_else(String::new, |percent| format!(" {percent}%"));
            format!("{name}: {}{share}", visible_line(message))
        }
        _ => name,
    }
}

/// The messages that wait.
fn waiting(state: &State, width: usize, most: usize) -> Vec<Line<'static>> {
    let all: Vec<(bool, String)> = state
        .waiting_requests()
        .map(|one| (state.sent.contains(&one.query_id), gist(&one.text)))
        .collect();
    if all.is_empty() || most == 0 {
        return Vec::new();
    }
    let is_all = all.len() <= most;
    let take_back = state.keys.name_of(Action::TakeBack);
    let named = if is_all { most } else { most.saturating_sub(1) };
    let mut shown: Vec<Line<'static>> = all
        .iter()
        .take(named)
        .flat_map(|(is_own, text)| match is_own {
            true => own_row(&format!("waiting ({take_back} takes back): {text}"), width),
            false => own_row(&format!("waiting, of another window: {text}"), width),
        })
        .collect();
    if !is_all {
        let left = all.len() - named;
        shown.extend(own_row(&format!("waiting: {left} more"), width));
    }
    shown
}

/// What is typed, at most so many rows around the cursor, and the cursor in them.
fn input(state: &State, width: usize, most: usize) -> (Vec<Line<'static>>, (usize, usize)) {
    let indent = PROMPT.len();
    let (rows, (column, row)) = state.input.rows(width.saturating_sub(indent));
    let from = (row + 1).saturating_sub(most);
    let is_answering = state
        .dialog
        .as_ref()
        .is_some_and(|dialog| dialog.field() == Field::Answer);
    let hint = match (state.input.is_empty(), is_answering) {
        (true, false) => format!(
            "a message; {} shows the keys",
            state.keys.name_of(Action::Help)
        ),
        (true, true) => format!(
            "{}: a message instead",
            state.keys.name_of(Action::OtherField)
        ),
        (false, _) => String::new(),
    };
    let lines = rows.into_iter().enumerate().skip(from).take(most);
    let lines = lines.map(|(at, text)| {
        let mark = if at == 0 { PROMPT } else { "  " };
        let before = [Span::styled(mark, strong())].into_iter();
        let all = before.chain(text.spans);
        Line::from_iter(all.chain([Span::styled(hint.clone(), faint())]))
    });
    (lines.collect(), (indent + column, row - from))
}

#[cfg(test)]
mod tests;
