//! Lines of a question in rows. A row that goes on with a line says so, whatever stands in it: no part
//! of a text looks like a line of its own.

use crate::lines::{TAB, faint, painted, wrapped};
use ratatui::text::{Line, Span};

/// What lines go on behind, columns.
const GOES_ON: usize = 4;
/// What stands there.
const GOES_ON_MARK: &str = "  … ";

/// Lines of `rendering` in rows.
pub(super) fn rows(text: &str, width: usize) -> Vec<Line<'static>> {
    let lines = text.lines().map(|line| painted(&line.replace('\t', TAB)));
    lines.flat_map(|line| broken(&line, width)).collect()
}

/// A line in rows.
pub(super) fn broken(line: &Line<'static>, width: usize) -> Vec<Line<'static>> {
    let goes_on = |(row, mut line): (usize, Line<'static>)| {
        if let Some(first) = line.spans.first_mut().filter(|_| row > 0)
            && first.content.chars().all(|one| one == ' ')
            && first.content.len() == GOES_ON
        {
            *first = Span::styled(GOES_ON_MARK, faint());
        }
        line
    };
    let rows = wrapped(line, GOES_ON, width).into_iter().enumerate();
    rows.map(goes_on).collect()
}
