//! How two texts differ, as a unified diff.

use similar::TextDiff;

/// Most differing lines of either text that are compared line by line. The time for a diff grows
/// with their square.
pub const DIFF_LINES: usize = 5_000;
/// Lines of context around a change.
const CONTEXT_LINES: usize = 3;

/// The difference between two named texts. `cut` says that a text is only the beginning of its
/// file.
pub(super) fn between(left: (&str, &str), right: (&str, &str), cut: bool) -> String {
    let note = if cut {
        "\n(Only the first part of the files was compared: they are large.)"
    } else {
        ""
    };
    if left.0 == right.0 {
        return format!(
            "{} is one file: that is no comparison. What requests changed in it is shown by `carl diff`, and by \
             `/diff` in a chat.",
            left.0
        );
    }
    if left.1 == right.1 {
        return format!("{} and {} are the same.{note}", left.0, right.0);
    }
    let (left_lines, right_lines): (Vec<&str>, Vec<&str>) = (
        left.1.split_inclusive('\n').collect(),
        right.1.split_inclusive('\n').collect(),
    );
    let pairs = || left_lines.iter().zip(&right_lines);
    let same_start = pairs().take_while(|(left, right)| left == right).count();
    let shorter = left_lines.len().min(right_lines.len());
    let same_end = left_lines
        .iter()
        .rev()
        .zip(right_lines.iter().rev())
        .take(shorter - same_start)
        .take_while(|(left, right)| left == right)
        .count();
    let differing = left_lines.len().max(right_lines.len()) - same_start - same_end;
    if differing > DIFF_LINES {
        return format!(
            "{} and {} differ from line {} on, in {differing} lines: too many to show one by one.{note}",
            left.0,
            right.0,
            same_start + 1,
        );
    }
    // A carriage return alone ends no line.
    let diff = TextDiff::configure()
        .newline_terminated(true)
        .diff_slices(&left_lines, &right_lines);
    let shown = diff
        .unified_diff()
        .context_radius(CONTEXT_LINES)
        .header(left.0, right.0)
        .to_string();
    let end = shown.floor_char_boundary(super::content::SHOWN_BYTES);
    let rest = if end < shown.len() {
        "\n(The rest of the difference is not shown.)"
    } else {
        ""
    };
    format!("{}{rest}{note}", shown[..end].trim_end_matches('\n'))
}
