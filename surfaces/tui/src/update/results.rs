//! Results of calls, shown whole.

use crate::lines::{faint, safe};
use crate::markdown::{Break, DocumentLine};
use crate::message::Command;
use crate::state::State;
use ratatui::text::Line;
use text::fence;

/// Most lines of a result that are shown whole.
const RESULT_LINES: usize = 200;

/// The last result, line by line behind a bar.
pub(super) fn whole_result(state: &State) -> Option<Command> {
    let (tool, text) = state.last_result.as_ref()?;
    let text = fence::body(text);
    let count = text.lines().count();
    let mut lines = vec![Line::styled(
        format!("· result of {}:", safe(tool)),
        faint(),
    )];
    let body = text.lines().take(RESULT_LINES);
    lines.extend(body.map(|line| Line::styled(safe(&format!("  | {line}")), faint())));
    if count > RESULT_LINES {
        let left = count - RESULT_LINES;
        let id = state.session.session_id;
        let more = format!("  … {left} more lines: carl session show {id} --events");
        lines.push(Line::styled(more, faint()));
    }
    let line = |line| DocumentLine {
        line,
        may_break: Break::Words(4),
    };
    Some(Command::Print(
        state.own(lines.into_iter().map(line).collect()),
    ))
}
