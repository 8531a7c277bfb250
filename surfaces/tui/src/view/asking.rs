//! A question: what it is about stays in sight, the rest scrolls.

use super::broken::rows;
use super::difference;
use crate::bindings::Keys;
use crate::input::Edit;
use crate::keys::Action;
use crate::lines::{BAR, cut, faint, wrapped};
use crate::question::{Body, Dialog, Field, Sight, TOO_LOW};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use rendering::confirm::Section;
use std::rc::Rc;
use std::time::Instant;
use text::escape::visible_line;
use unicode_width::UnicodeWidthStr;

/// Most rows of the head, and of what the question is about, on a low terminal.
const LOW_ROWS: usize = 3;
/// Rows of the body and of where it is, where nothing has to give way.
const BODY_ROWS: usize = 4;
/// Fewest rows of both, and which part of a room they have at least.
const LEAST_BODY_ROWS: usize = 2;
const BODY_SHARE: usize = 3;
/// Rooms of fewer rows are low: there the body keeps [`BODY_ROWS`].
const LOW_ROOM: usize = 16;

/// Most rows of what is said of an answer, where there is little room.
const SAID_ROWS: usize = 2;

/// From how many columns on what Esc does is said.
const STOP_COLUMNS: usize = 60;

/// A question in a room.
struct Laid {
    head: Vec<Line<'static>>,
    body: Rc<Body>,
    /// What stands below the body where it scrolls.
    below: Vec<Line<'static>>,
    short: Vec<Line<'static>>,
    prompt: Vec<Line<'static>>,
    cursor: Option<(usize, usize)>,
    sight: Sight,
}

fn laid(dialog: &Dialog, (now, keys): (Instant, &Keys), (inner, room): (usize, usize)) -> Laid {
    let parts = dialog.parts();
    let mut head = rows(&parts.head, inner);
    let mut short = rows(&parts.short, inner);
    let (mut prompt, mut cursor) = asked(dialog, (now, keys), inner, Words::All);
    let body = dialog.body(inner, |sections| laid_body(sections, inner));
    let mut below = Vec::new();
    let mut hides = dialog.leaves_out();
    // Of what it is about nothing is left out while the body can have a row to scroll in.
    if head.len() + short.len() + prompt.len() + BODY_ROWS > room {
        head.truncate(LOW_ROWS);
        short = rows(dialog.shortest(), inner);
        let mut kept = LEAST_BODY_ROWS.max(room / BODY_SHARE);
        if room < LOW_ROOM {
            (prompt, cursor) = asked(dialog, (now, keys), inner, Words::Few);
            head = rows(&parts.brief_head, inner);
            head.truncate(LOW_ROWS);
            kept = BODY_ROWS;
        }
        let left = room.saturating_sub(head.len() + prompt.len() + kept);
        let most = left.max(LOW_ROWS);
        if short.len() > most {
            hides = true;
            below.clone_from(&short);
            short = ends(short, (most, inner), &keys.name_of(Action::PageDown));
        }
    }
    let all = body.rows.len() + below.len();
    // A row of the body, and where it stands where there are more.
    if head.len() + short.len() + prompt.len() + all.min(2) > room {
        return too_low(dialog, (inner, room));
    }
    let fixed = head.len() + short.len() + prompt.len() + 1;
    let shown = room.saturating_sub(fixed).max(1).min(all.max(1));
    let last = all.saturating_sub(shown);
    let diff = body.diff;
    // What has to be read is read from its beginning.
    let begins = if hides { 0 } else { body.begins(shown) };
    Laid {
        head,
        body,
        below,
        short,
        prompt,
        cursor,
        sight: Sight {
            rows: shown,
            last,
            hides,
            is_cut: false,
            diff,
            begins,
        },
    }
}

/// A question in a room that has no place for it: as much as there is of what it is about, and that only a
/// no counts.
fn too_low(dialog: &Dialog, (inner, room): (usize, usize)) -> Laid {
    let mut short = rows(dialog.shortest(), inner);
    short.truncate(room.saturating_sub(1));
    let typed = match dialog.field() {
        Field::Answer => visible_line(dialog.answer()).to_string(),
        Field::Draft => String::new(),
    };
    let typed = cut(&typed, inner / 2);
    let column = 2 + typed.width();
    let said = cut(TOO_LOW, inner.saturating_sub(column + 1));
    let line = Line::from(vec![
        Span::styled("> ", Style::new().add_modifier(Modifier::BOLD)),
        Span::raw(format!("{typed} ")),
        Span::styled(said, faint()),
    ]);
    Laid {
        head: Vec::new(),
        body: Rc::default(),
        below: Vec::new(),
        short,
        prompt: vec![line],
        cursor: (dialog.field() == Field::Answer).then_some((column, 0)),
        sight: Sight {
            rows: 1,
            last: 0,
            hides: true,
            is_cut: true,
            diff: None,
            begins: 0,
        },
    }
}

/// The body in rows of so many columns.
fn laid_body(sections: &[Section], width: usize) -> Body {
    let mut body = Body::default();
    for section in sections {
        match section {
            Section::Lines(lines) => body.rows.extend(rows(lines, width)),
            Section::Difference(pieces) => {
                let above = body.rows.len();
                let difference = difference::laid(pieces, width);
                body.diff = body.diff.or(difference.name.map(|row| above + row));
                if let Some(change) = difference.change {
                    let begins = body
                        .change
                        .as_ref()
                        .map_or(above + change.start, |one| one.start);
                    body.change = Some(begins..above + change.end);
                }
                body.rows.extend(difference.rows);
            }
        }
    }
    body
}

/// What of a question is in sight in a room.
pub(super) fn sight(dialog: &Dialog, at: (Instant, &Keys), (width, room): (usize, usize)) -> Sight {
    let inner = width.saturating_sub(BAR.width()).max(1);
    laid(dialog, at, (inner, room)).sight
}

/// The rows of a question in a room, and where its answer is typed.
pub(super) fn lines(
    dialog: &Dialog,
    (now, keys): (Instant, &Keys),
    (width, room): (usize, usize),
) -> (Vec<Line<'static>>, Option<(usize, usize)>) {
    let inner = width.saturating_sub(BAR.width()).max(1);
    let Laid {
        head,
        body,
        below,
        short,
        prompt,
        cursor,
        sight,
    } = laid(dialog, (now, keys), (inner, room));
    let (scroll, rows) = (dialog.top(sight), sight.rows);
    let count = body.rows.len() + below.len();
    let place = place((scroll, rows, count), sight.diff.is_some(), keys, inner);
    let mut all = head;
    let scrolled = body.rows.iter().chain(&below);
    all.extend(scrolled.skip(scroll).take(rows).cloned());
    if sight.last > 0 {
        all.push(Line::styled(cut(&place, inner), faint()));
    }
    all.extend(short);
    let at = all.len();
    all.extend(prompt);
    let bar = Style::new().fg(Color::Yellow).add_modifier(Modifier::BOLD);
    let barred = all.into_iter().map(|line| {
        let mut spans = vec![Span::styled(BAR, bar)];
        spans.extend(
            line.spans
                .into_iter()
                .map(|span| span.patch_style(line.style)),
        );
        Line::from(spans)
    });
    let cursor = cursor.map(|(column, row)| (column + BAR.width(), at + row));
    (barred.collect(), cursor)
}

/// Which rows of the body are in sight, and which keys lead to the others, as far as that fits.
fn place(
    (scroll, rows, all): (usize, usize, usize),
    has_diff: bool,
    keys: &Keys,
    width: usize,
) -> String {
    let name = |action| keys.name_of(action);
    let shown = format!("{}–{} of {all}", scroll + 1, scroll + rows);
    let (up, down) = (name(Action::PageUp), name(Action::PageDown));
    let ends = format!(
        "{}, {}",
        name(Action::Edit(Edit::Head)),
        name(Action::Edit(Edit::End))
    );
    let diff = match has_diff {
        true => format!(", {}: diff", name(Action::DiffOrEditor)),
        false => String::new(),
    };
    let forms = [
        format!("lines {shown}; {up}, {down} scroll, {ends}{diff}"),
        format!("lines {shown}; {up}, {down} scroll"),
        format!("{shown}; {up}, {down} scroll"),
    ];
    let last = format!("{shown}; {down}: more");
    let fits = |form: &String| form.width() <= width;
    forms.into_iter().find(fits).unwrap_or(last)
}

/// The first rows and the last one, where a path has the file's name, with a mark between them for what
/// is left out, which this key shows. `most` is at least [`LOW_ROWS`], and there are more rows.
fn ends(rows: Vec<Line<'static>>, (most, width): (usize, usize), key: &str) -> Vec<Line<'static>> {
    let left_out = rows.len() + 1 - most;
    let text = format!("… {left_out} rows more: {key} to the end shows them");
    let mut shown: Vec<Line<'static>> = rows.iter().take(most - 2).cloned().collect();
    shown.push(Line::styled(cut(&text, width), faint()));
    shown.extend(rows.into_iter().next_back());
    shown
}

/// In how many words it is said which answers there are, and what was wrong with the last one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Words {
    /// In all of them.
    All,
    /// In few, since the text needs the room.
    Few,
}

/// The answers there are, and the one that is typed.
fn asked(
    dialog: &Dialog,
    (now, keys): (Instant, &Keys),
    width: usize,
    words: Words,
) -> (Vec<Line<'static>>, Option<(usize, usize)>) {
    let mut lines = Vec::new();
    if let Some(said) = dialog.said() {
        let said = Line::styled(said.trim().to_owned(), Style::new().fg(Color::Yellow));
        match words {
            Words::All => lines.extend(wrapped(&said, 2, width)),
            Words::Few => lines.extend(wrapped(&said, 2, width).into_iter().take(SAID_ROWS)),
        }
    }
    if dialog.field() == Field::Draft {
        let tab = keys.name_of(Action::OtherField);
        let text = format!("{tab}: answer this question. What you type now is your next message.");
        lines.extend(wrapped(&Line::styled(text, faint()), 2, width));
        return (lines, None);
    }
    let text = match words {
        Words::All => dialog.offer().prompt(),
        Words::Few => dialog.offer().brief_prompt(),
    };
    let text = text.split_whitespace();
    let mut text = text.collect::<Vec<_>>().join(" ");
    if width >= STOP_COLUMNS {
        text = format!("{}; Esc: stop the request", text.trim_end_matches(':'));
    }
    let is_waiting = dialog.waits_until(now).is_some();
    let style = if is_waiting { faint() } else { Style::new() };
    let text = Line::styled(text.trim_end_matches(':').to_owned(), style);
    lines.extend(wrapped(&text, 2, width));
    let typed = visible_line(dialog.answer());
    let room = width.saturating_sub(3);
    let over = typed.width().saturating_sub(room);
    let mut skipped = 0;
    let end: String = typed
        .chars()
        .skip_while(|one| {
            let is_over = skipped < over;
            skipped += unicode_width::UnicodeWidthChar::width(*one).unwrap_or(0);
            is_over
        })
        .collect();
    let column = 2 + end.width();
    let mark = if is_waiting { "… " } else { "> " };
    lines.push(Line::from(vec![
        Span::styled(mark, Style::new().add_modifier(Modifier::BOLD)),
        Span::raw(end),
    ]));
    let row = lines.len() - 1;
    (lines, Some((column, row)))
}
