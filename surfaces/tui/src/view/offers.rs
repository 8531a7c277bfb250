//! What can stand for the word at the cursor, above the input.

use crate::completion::Offer;
use crate::lines::{OWN, cut, faint, own, strong};
use crate::state::State;
use ratatui::style::Modifier;
use ratatui::text::{Line, Span};
use unicode_width::UnicodeWidthStr;

/// Most rows of the list.
const ROWS: usize = 6;
/// Most columns of a command before what it does is said.
const NAME_COLUMNS: usize = 24;

/// At most so many rows of the list, around the entry that is marked.
pub(super) fn lines(state: &State, width: usize, most: usize) -> Vec<Line<'static>> {
    if !state.completes() {
        return Vec::new();
    }
    let (offers, at) = state.completion.offers();
    let rows = most.clamp(1, ROWS);
    let from = (at + 1).saturating_sub(rows);
    let shown = offers.iter().enumerate().skip(from).take(rows);
    let names = shown.clone().map(|(_, offer)| offer.shown.width());
    let column = names.max().unwrap_or_default().min(NAME_COLUMNS);
    shown
        .flat_map(|(number, offer)| own(&row(offer, (number == at, column), width), 0, width))
        .collect()
}

fn row(offer: &Offer, (is_marked, column): (bool, usize), width: usize) -> Line<'static> {
    let room = width.saturating_sub(OWN.width() + 2);
    let name = cut(&offer.shown, room);
    let pad = " ".repeat(column.saturating_sub(name.width()));
    let left = room.saturating_sub(name.width() + pad.len() + 2);
    let about = match offer.about.as_str() {
        "" => String::new(),
        about => format!("{pad}  {}", cut(about, left)),
    };
    let (mark, style) = match is_marked {
        true => ("* ", strong().add_modifier(Modifier::REVERSED)),
        false => ("  ", ratatui::style::Style::new()),
    };
    Line::from(vec![
        Span::raw(mark),
        Span::styled(name, style),
        Span::styled(about, faint()),
    ])
}
