//! The keys, from their tables, and the commands.

use crate::bindings::Keys;
use crate::commands::OWN;
use crate::keys::Action;
use crate::lines::{faint, strong, wrapped};
use crate::page::keys;
use crate::vi::Editing;
use crate::{list, vi};
use ratatui::text::{Line, Span};
use rendering::slash::{COMMANDS, SHELL};
use unicode_width::UnicodeWidthStr;

/// Column at which what a key does is said.
const ABOUT_AT: usize = 22;

/// What the help says of the keys that the page of the history alone has.
const OF_HISTORY: (&str, &str) = ("<, >", "in /inspect history: earlier ones, later ones");

/// So many rows of the help, scrolled.
pub(super) fn lines(
    (bound, editing): (&Keys, Editing),
    (width, room): (usize, usize),
    scroll: usize,
) -> Vec<Line<'static>> {
    let (body, most) = extent((bound, editing), (width, room));
    let all = all((bound, editing), width);
    let scroll = scroll.min(most);
    let last = (scroll + body).min(all.len());
    let place = format!(
        "{}–{last} of {}; {}, {} scroll; Esc closes",
        scroll + 1,
        all.len(),
        bound.name_of(Action::PageUp),
        bound.name_of(Action::PageDown)
    );
    let mut shown: Vec<Line<'static>> = all.into_iter().skip(scroll).take(body).collect();
    shown.push(Line::styled(crate::lines::cut(&place, width), faint()));
    shown
}

/// Rows in sight, and how far it scrolls.
pub(super) fn extent(
    (bound, editing): (&Keys, Editing),
    (width, room): (usize, usize),
) -> (usize, usize) {
    let body = room.saturating_sub(1);
    (
        body,
        all((bound, editing), width).len().saturating_sub(body),
    )
}

fn all((bound, editing): (&Keys, Editing), width: usize) -> Vec<Line<'static>> {
    let pair = |name: &str, about: &str| {
        let about_at = ABOUT_AT.min((width / 2).saturating_sub(1));
        let line = Line::from(vec![
            Span::styled(format!("{name:about_at$}"), strong()),
            Span::raw(if name.width() < about_at { "" } else { " " }),
            Span::raw(about.to_owned()),
        ]);
        wrapped(&line, about_at, width)
    };
    let mut lines = Vec::new();
    for (name, about, _) in bound.named() {
        lines.extend(pair(name, about));
    }
    lines.push(Line::default());
    for (name, arguments, about) in COMMANDS.iter().chain(&OWN).chain([&SHELL]) {
        lines.extend(pair(&format!("{name} {arguments}"), about));
    }
    let more = "Everything else is said to the agent.";
    lines.extend(wrapped(&Line::raw(more), 0, width));
    let of_vi: &[_] = match editing {
        Editing::Vi => &vi::NAMED,
        Editing::Emacs => &[],
    };
    let pages: Vec<_> = keys::named().chain([OF_HISTORY]).collect();
    for (place, named) in [
        ("In vi's normal mode:", of_vi),
        ("On pages:", &pages),
        ("While lines are marked:", &keys::OF_MARKS),
        ("In lists:", &list::NAMED),
    ] {
        if !named.is_empty() {
            lines.push(Line::default());
            lines.extend(wrapped(&Line::raw(place), 0, width));
        }
        lines.extend(named.iter().flat_map(|(name, about)| pair(name, about)));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_has_a_space_behind_it() {
        for width in [40, 80, 200] {
            let rows = all((&Keys::default(), Editing::Emacs), width);
            let rows: Vec<String> = rows.iter().map(ToString::to_string).collect();
            for (name, arguments, about) in COMMANDS.iter().chain(&OWN).chain([&SHELL]) {
                let named = format!("{name} {arguments}");
                let row = rows.iter().find(|row| row.starts_with(named.trim_end()));
                let rest = row.and_then(|row| row.strip_prefix(named.trim_end()));
                let first = about.split(' ').next().unwrap();
                let is_told = rest.is_some_and(|rest| {
                    rest.starts_with(' ') && rest.trim_start().starts_with(first)
                });
                assert!(is_told || rest == Some(""), "{width}: {named}: {row:?}");
            }
        }
    }
}
