//! How files would change: in one column, or old and new side by side where there is room.

use super::broken::broken;
use crate::lines::{faint, line_columns, safe};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use rendering::difference::{Line as Changed, Piece};
use std::iter::zip;
use std::ops::Range;

/// From how many columns on old and new stand side by side.
pub(super) const SIDE_BY_SIDE_COLUMNS: usize = 116;
/// How a line begins that stays.
const STAYS: &str = "│";
/// What stands between them.
const BETWEEN: &str = " │ ";
/// Its columns.
const BETWEEN_COLUMNS: usize = 3;

/// A difference in rows.
#[derive(Default)]
pub(super) struct Difference {
    /// The rows.
    pub(super) rows: Vec<Line<'static>>,
    /// The row at which the first file begins.
    pub(super) name: Option<usize>,
    /// The rows from the first line that goes or comes to the last one.
    pub(super) change: Option<Range<usize>>,
}

/// A difference in rows of so many columns.
pub(super) fn laid(pieces: &[Piece], width: usize) -> Difference {
    let mut laid = Difference::default();
    for file in pieces.chunk_by(|_, next| !is_old_name(next)) {
        let is_beside = width >= SIDE_BY_SIDE_COLUMNS && has_both_sides(file);
        for piece in file {
            let above = laid.rows.len();
            laid.rows.extend(match is_beside {
                true => rows_of_both(piece, width),
                false => rows_of_one(piece, width),
            });
            match piece {
                Piece::Name(_) => laid.name = laid.name.or(Some(above)),
                Piece::Change { .. } => {
                    let begins = laid.change.map_or(above, |change| change.start);
                    laid.change = Some(begins..laid.rows.len());
                }
                _ => {}
            }
        }
    }
    laid
}

fn is_old_name(piece: &Piece) -> bool {
    matches!(piece, Piece::Name(name) if name.starts_with("--- "))
}

/// Whether there is anything to stand side by side: not where a file is new, or goes.
fn has_both_sides(file: &[Piece]) -> bool {
    let is_same = |piece: &Piece| matches!(piece, Piece::Same(_));
    let goes = |piece: &Piece| matches!(piece, Piece::Change { old, .. } if !old.is_empty());
    let comes = |piece: &Piece| matches!(piece, Piece::Change { new, .. } if !new.is_empty());
    file.iter().any(is_same) || (file.iter().any(goes) && file.iter().any(comes))
}

/// A part in one column.
fn rows_of_one(piece: &Piece, width: usize) -> Vec<Line<'static>> {
    match piece {
        Piece::Change { old, new } => {
            let lines = old.iter().chain(new).map(changed);
            lines.flat_map(|line| broken(&line, width)).collect()
        }
        Piece::Same(text) => broken(&same(text), width),
        // What is not known for a part of a difference may be a line of a file as well.
        Piece::Told(text) if text.starts_with(' ') => broken(&same(&text[1..]), width),
        Piece::Told(text) | Piece::Name(text) => broken(&Line::raw(safe(text)), width),
        Piece::Place(text) => broken(&Line::styled(safe(text), faint()), width),
    }
}

/// A part with old and new side by side.
fn rows_of_both(piece: &Piece, width: usize) -> Vec<Line<'static>> {
    match piece {
        Piece::Change { old, new } => beside(old, new, width),
        Piece::Same(text) => {
            let (left, right) = halves(width);
            let line = same(text);
            joined(broken(&line, left), broken(&line, right), left)
        }
        other => rows_of_one(other, width),
    }
}

/// A line of a file that stays. It begins as no sentence of the UI's does.
fn same(text: &str) -> Line<'static> {
    Line::from(vec![Span::styled(STAYS, faint()), Span::raw(safe(text))])
}

/// The columns of the old side and of the new one.
const fn halves(width: usize) -> (usize, usize) {
    let left = width.saturating_sub(BETWEEN_COLUMNS) / 2;
    (left, width.saturating_sub(BETWEEN_COLUMNS + left))
}

/// Lines that go, and beside each the one that comes in its place.
fn beside(old: &[Changed], new: &[Changed], width: usize) -> Vec<Line<'static>> {
    let (left, right) = halves(width);
    let side = |line: Option<&Changed>, width: usize| {
        line.map_or_else(Vec::new, |line| broken(&changed(line), width))
    };
    let rows = (0..old.len().max(new.len())).flat_map(|at| {
        let (old, new) = (side(old.get(at), left), side(new.get(at), right));
        joined(old, new, left)
    });
    rows.collect()
}

/// Rows of both sides, the left ones in so many columns.
fn joined(old: Vec<Line<'static>>, new: Vec<Line<'static>>, left: usize) -> Vec<Line<'static>> {
    let count = old.len().max(new.len());
    let filled = |rows: Vec<Line<'static>>| {
        let rest = count.saturating_sub(rows.len());
        let empty = std::iter::repeat_n(Line::default(), rest);
        rows.into_iter().chain(empty).collect::<Vec<_>>()
    };
    let rows = zip(filled(old), filled(new)).map(|(old, new)| {
        let room = left.saturating_sub(line_columns(&old));
        let mut spans = styled(old);
        spans.push(Span::raw(" ".repeat(room)));
        spans.push(Span::styled(BETWEEN, faint()));
        spans.extend(styled(new));
        Line::from(spans)
    });
    rows.collect()
}

fn styled(line: Line<'static>) -> Vec<Span<'static>> {
    let style = line.style;
    let spans = line.spans.into_iter();
    spans
        .map(|span| Span::styled(span.content, style.patch(span.style)))
        .collect()
}

/// A line that goes or comes, with its words marked: by a line below them and bold letters as well, so
/// that it takes no colour to see them.
fn changed(line: &Changed) -> Line<'static> {
    let style = match line.sign {
        '-' => Style::new().fg(Color::Red),
        '+' => Style::new().fg(Color::Green),
        _ => Style::new(),
    };
    let mark = Modifier::BOLD | Modifier::UNDERLINED;
    let whole: String = line.parts.iter().map(|part| part.text.as_str()).collect();
    let whole = safe(&whole);
    let parts = line.parts.iter().map(|part| {
        let style = match part.is_changed {
            true => style.add_modifier(mark),
            false => style,
        };
        Span::styled(safe(&part.text), style)
    });
    let parts: Vec<Span<'static>> = parts.collect();
    // What is spelled out may depend on what stands before it: then the line is drawn as a whole.
    let is_same = parts
        .iter()
        .map(|part| part.content.as_ref())
        .collect::<String>()
        == whole;
    let mut spans = vec![Span::styled(line.sign.to_string(), style)];
    match is_same {
        true => spans.extend(parts),
        false => spans.push(Span::styled(whole, style)),
    }
    Line::from(spans)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rendering::difference::pieces;

    fn text(lines: &[Line<'static>]) -> Vec<String> {
        lines.iter().map(ToString::to_string).collect()
    }

    /// A difference of one line for another.
    fn one(old: &str, new: &str) -> Vec<Piece> {
        pieces(&format!("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-{old}\n+{new}\n"))
    }

    #[test]
    fn old_and_new_stand_side_by_side_with_their_words_marked() {
        let pieces = pieces(
            "--- a/x\n+++ b/x\n@@ -1,3 +1,4 @@\n one\n-let a = 1;\n+let a = 2;\n+more\n two\n",
        );
        let width = SIDE_BY_SIDE_COLUMNS;
        let wide = laid(&pieces, width).rows;
        let (left, _) = halves(width);
        let row = |old: &str, new: &str| format!("{old:left$} │ {new}");
        let expected = [
            "--- a/x".to_owned(),
            "+++ b/x".to_owned(),
            "@@ -1,3 +1,4 @@".to_owned(),
            row("│one", "│one"),
            row("-let a = 1;", "+let a = 2;"),
            row("", "+more"),
            row("│two", "│two"),
        ];
        assert_eq!(text(&wide), expected);
        let marked = |line: &Line<'static>| -> Vec<String> {
            let is_marked =
                |span: &&Span<'static>| span.style.add_modifier.contains(Modifier::UNDERLINED);
            let marked = line.spans.iter().filter(is_marked);
            marked.map(|span| span.content.to_string()).collect()
        };
        assert_eq!(marked(&wide[4]), ["1", "2"]);
        let narrow = laid(&pieces, width - 1).rows;
        let expected = ["-let a = 1;", "+let a = 2;", "+more"];
        assert_eq!(text(&narrow[4..7]), expected);
        assert_eq!(marked(&narrow[4]), ["1"]);
        assert_eq!(laid(&pieces, width).name, Some(0));
    }

    #[test]
    fn a_new_file_has_the_whole_width() {
        let all = "make the folder n\n--- /dev/null\n+++ b/n/x\n@@ -0,0 +1,2 @@\n+one\n+two\n";
        let pieces = pieces(&format!("{all}--- a/y\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n"));
        let shown = text(&laid(&pieces, SIDE_BY_SIDE_COLUMNS).rows);
        assert_eq!(shown[..6].join("\n"), all.trim_end());
        assert!(
            shown[9].starts_with("-a ") && shown[9].ends_with(" │ +b"),
            "{shown:?}"
        );
        assert_eq!(laid(&pieces, SIDE_BY_SIDE_COLUMNS).name, Some(1));
    }

    #[test]
    fn a_long_line_goes_on_within_its_half() {
        let long = "word ".repeat(40);
        let rows = laid(&one(&long, &format!("{long}end")), 120).rows;
        let (left, _) = halves(120);
        assert!(rows.len() > 6);
        for row in &text(&rows[3..]) {
            let letters: Vec<char> = row.chars().collect();
            assert_eq!(letters[left + 1], '│', "{row}");
        }
        assert!(text(&rows)[4].starts_with("  … word"));
    }

    /// What stands on the cells of a row.
    fn cells(line: &Line<'static>, width: u16) -> String {
        let area = ratatui::layout::Rect::new(0, 0, width, 1);
        let mut buffer = ratatui::buffer::Buffer::empty(area);
        buffer.set_line(0, 0, line, width);
        buffer
            .content
            .iter()
            .map(ratatui::buffer::Cell::symbol)
            .collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn nothing_of_a_line_is_out_of_sight(
            old in "([a-z0-9 ._(]|日|é|e\u{301}|ل|ا|👩|\u{200d}|🔬|❤\u{fe0f}|🇩|🇪|\t){0,90}",
            new in "([a-z0-9 ._(]|日|é|e\u{301}|ل|ا|👩|\u{200d}|🔬|❤\u{fe0f}|🇩|🇪|\t){0,90}",
            width in prop_oneof![Just(40_u16), Just(116), Just(121)],
        ) {
            let pieces = one(&old, &new);
            let letters = |text: &str| -> Vec<char> {
                let mut all: Vec<char> = text.chars().filter(|one| !" …│".contains(*one)).collect();
                all.sort_unstable();
                all
            };
            let rows = laid(&pieces, usize::from(width)).rows;
            let drawn: String = rows.iter().map(|row| cells(row, width)).collect();
            let head = "--- a/x+++ b/x@@ -1 +1 @@";
            let expected = format!("{head}-{}+{}", safe(&old), safe(&new));
            prop_assert_eq!(letters(&drawn), letters(&expected));
        }
    }
}
