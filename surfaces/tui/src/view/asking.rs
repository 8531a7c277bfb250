//! A question: what it is about stays in sight, the rest scrolls.

use crate::lines::{BAR, TAB, cut, faint, painted, wrapped};
use crate::question::{Dialog, Field};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use std::time::Instant;
use text::escape::visible_line;
use unicode_width::UnicodeWidthStr;

/// What lines go on behind, columns.
const GOES_ON: usize = 4;
/// Most rows of the head, and of what the question is about, on a low terminal.
const LOW_ROWS: usize = 3;
/// Rows of the body and of where it is, where nothing has to give way.
const BODY_ROWS: usize = 4;
/// Fewest rows of both.
const LEAST_BODY_ROWS: usize = 2;

/// The rows of a question in a room, and where its answer is typed.
pub(super) fn lines(
    dialog: &Dialog,
    now: Instant,
    (width, room): (usize, usize),
) -> (Vec<Line<'static>>, Option<(usize, usize)>) {
    let inner = width.saturating_sub(BAR.width()).max(1);
    let parts = dialog.parts();
    let mut head = rows(&parts.head, inner);
    let mut short = rows(&parts.short, inner);
    let (prompt, cursor) = prompt(dialog, now, inner);
    let body = rows(&parts.body, inner);
    // Of what it is about nothing is left out while the body can have a row to scroll in.
    if head.len() + short.len() + prompt.len() + BODY_ROWS > room {
        head.truncate(LOW_ROWS);
        let left = room.saturating_sub(head.len() + prompt.len() + LEAST_BODY_ROWS);
        short = without_middle(short, left.max(LOW_ROWS));
    }
    let fixed = head.len() + short.len() + prompt.len() + 1;
    let left = room.saturating_sub(fixed).max(1).min(body.len());
    let scroll = dialog.scroll.min(body.len().saturating_sub(left));
    let is_cut = left < body.len();
    let place = match is_cut {
        true => format!(
            "lines {}–{} of {}; PageUp, PageDown scroll",
            scroll + 1,
            scroll + left,
            body.len()
        ),
        false => String::new(),
    };
    let mut all = head;
    all.extend(body.into_iter().skip(scroll).take(left));
    if is_cut {
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

/// Lines of `rendering` in rows.
fn rows(text: &str, width: usize) -> Vec<Line<'static>> {
    let lines = text.lines().map(|line| painted(&line.replace('\t', TAB)));
    lines
        .flat_map(|line| wrapped(&line, GOES_ON, width))
        .collect()
}

/// The rows at both ends: where a call begins, and the end of the path that tells it apart.
fn without_middle(mut rows: Vec<Line<'static>>, most: usize) -> Vec<Line<'static>> {
    if rows.len() > most {
        let tail = rows.len() - 1;
        rows.drain(most - 1..tail);
    }
    rows
}

/// The answers there are, and the one that is typed.
fn prompt(
    dialog: &Dialog,
    now: Instant,
    width: usize,
) -> (Vec<Line<'static>>, Option<(usize, usize)>) {
    let mut lines = Vec::new();
    if let Some(said) = dialog.said() {
        let said = Line::styled(said.trim().to_owned(), Style::new().fg(Color::Yellow));
        lines.extend(wrapped(&said, 2, width));
    }
    if dialog.field() == Field::Draft {
        let text = "Tab: answer this question. What you type now is your next message.";
        lines.extend(wrapped(&Line::styled(text, faint()), 2, width));
        return (lines, None);
    }
    let text = dialog.offer().prompt().split_whitespace();
    let text = text.collect::<Vec<_>>().join(" ");
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
