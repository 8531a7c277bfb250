//! Long outputs: what is shown of one, and the lines that are asked for.
//!
//! A model's context holds a few pages. Of a long output it is shown the beginning, the end and the lines
//! between that look like errors; the whole is kept with the session's jobs, to be read by lines.

use api::executor::ToolFailure;
use api::failure::mendable;
use std::collections::BTreeSet;

/// Longest output that is shown whole, bytes.
const WHOLE: usize = 8_000;
/// How much is shown of the beginning, of what looks like errors, and of the end, bytes.
const BEGINNING: usize = 2_000;
const ERRORS: usize = 2_500;
const END: usize = 3_500;
/// Longest line, characters; a longer one counts as several.
const LINE_CHARS: usize = 400;
/// Lines behind one that looks like an error, which say where it is.
const BEHIND_ERRORS: usize = 2;
/// Most lines that are read at a time, and how much they may come to, bytes.
const PAGE_LINES: usize = 200;
const PAGE: usize = 12_000;
/// What lines that look like errors have in them, as compilers, test runners and interpreters write it.
const SIGNS: [&str; 14] = [
    "error",
    "Error",
    "ERROR",
    "FAIL",
    "Failed",
    "panicked",
    "Traceback",
    "Exception",
    "fatal",
    "Segmentation fault",
    "undefined reference",
    "not ok ",
    "assertion",
    "No such file",
];

/// Whether an output is too long to be shown whole.
pub(crate) const fn is_long(text: &str) -> bool {
    text.len() > WHOLE
}

/// What is shown of an output, where it is too long to be shown whole; `name` is what it is kept as.
pub(crate) fn shortened(text: &str, name: &str) -> Option<String> {
    if !is_long(text) {
        return None;
    }
    let lines: Vec<&str> = text.lines().flat_map(pieces).collect();
    let shown = shown_lines(&lines);
    let first_left_out = (0..lines.len()).find(|at| !shown.contains(at));
    let mut short = String::new();
    let mut next = 0;
    for &at in &shown {
        short.push_str(&gap(next, at, lines.len()));
        short.push_str(&format!("{}\n", lines[at]));
        next = at + 1;
    }
    short.push_str(&gap(next, lines.len(), lines.len()));
    let from = first_left_out.map_or(1, |at| at + 1);
    short.push_str(&format!(
        "[kept whole as {name}: job_output with job \"{name}\" and from_line, such as {from}]\n"
    ));
    Some(short)
}

/// The lines of an output from one on, counted from 1.
///
/// # Errors
/// Where it has no such line.
pub(crate) fn page(text: &str, from_line: u64) -> Result<String, ToolFailure> {
    let lines: Vec<&str> = text.lines().flat_map(pieces).collect();
    let count = lines.len();
    let start = usize::try_from(from_line.saturating_sub(1)).unwrap_or(usize::MAX);
    if start >= count {
        return Err(mendable(
            "no_such_line",
            format!("The output has {count} lines: from_line is from 1 to {count}."),
        ));
    }
    let mut page = String::new();
    let mut end = start;
    for line in lines.iter().skip(start).take(PAGE_LINES) {
        if !page.is_empty() && page.len() + line.len() > PAGE {
            break;
        }
        page.push_str(&format!("{line}\n"));
        end += 1;
    }
    Ok(format!("[lines {} to {end} of {count}]\n{page}", start + 1))
}

/// The lines that are shown, in order.
fn shown_lines(lines: &[&str]) -> BTreeSet<usize> {
    let mut shown = BTreeSet::new();
    take(&mut shown, 0..lines.len(), BEGINNING, lines);
    take(&mut shown, (0..lines.len()).rev(), END, lines);
    let is_error = |at: &usize| SIGNS.iter().any(|sign| lines[*at].contains(sign));
    let errors = (0..lines.len()).filter(is_error);
    let errors = errors.flat_map(|at| at..(at + 1 + BEHIND_ERRORS).min(lines.len()));
    take(&mut shown, errors, ERRORS, lines);
    shown
}

/// Takes lines in their order until they come to more than there is room for.
fn take(
    shown: &mut BTreeSet<usize>,
    order: impl Iterator<Item = usize>,
    room: usize,
    lines: &[&str],
) {
    let mut left = room;
    for at in order {
        if shown.contains(&at) {
            continue;
        }
        let length = lines[at].len() + 1;
        if length > left {
            return;
        }
        left -= length;
        shown.insert(at);
    }
}

/// What stands for lines that are left out; nothing where there are none.
fn gap(from: usize, to: usize, count: usize) -> String {
    match from < to {
        true => format!("[lines {} to {to} of {count} left out]\n", from + 1),
        false => String::new(),
    }
}

/// A line, in pieces where it is very long, each of which counts as a line.
fn pieces(line: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = line;
    while let Some((end, _)) = rest.char_indices().nth(LINE_CHARS) {
        let (piece, behind) = rest.split_at(end);
        pieces.push(piece);
        rest = behind;
    }
    pieces.push(rest);
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbered(count: usize, error: usize) -> String {
        let line = |number: usize| match number == error {
            true => "error[E0308]: mismatched types\n  --> src/lib.rs:7\n".to_owned(),
            false => format!("   Compiling part {number}\n"),
        };
        (1..=count).map(line).collect()
    }

    #[test]
    fn of_a_long_output_the_ends_and_the_errors_are_shown() {
        let text = numbered(2_000, 1_000);
        let short = shortened(&text, "output-1").unwrap();
        assert!(short.len() < WHOLE + 1_000, "{}", short.len());
        for has in [
            "Compiling part 1\n",
            "error[E0308]",
            "src/lib.rs:7",
            "Compiling part 2000\n",
            "of 2001 left out]",
            "job_output with job \"output-1\"",
        ] {
            assert!(short.contains(has), "{has}: {short}");
        }
        assert!(!short.contains("Compiling part 500\n"));
        assert_eq!(shortened("exit code 0\nstdout:\nok\n", "output-1"), None);
    }

    #[test]
    fn each_line_that_is_left_out_can_be_read() {
        let text = numbered(2_000, 1_000);
        let page = page(&text, 480).unwrap();
        assert!(page.starts_with("[lines 480 to 679 of 2001]\n"), "{page}");
        assert!(page.contains("Compiling part 500\n"));
        let failure = super::page(&text, 3_000).unwrap_err();
        assert!(failure.message.contains("2001"), "{}", failure.message);
        assert!(super::page(&text, 0).unwrap().contains("[lines 1 to"));
    }

    #[test]
    fn a_very_long_line_is_read_in_pieces_and_nothing_is_shown_twice() {
        let text = format!("exit code 1\n{}the end\nError: x\n", "y".repeat(100_000));
        let short = shortened(&text, "output-1").unwrap();
        assert!(short.len() < WHOLE + 1_000, "{}", short.len());
        assert_eq!(short.matches("Error: x").count(), 1);
        let last = text.lines().flat_map(pieces).count() as u64;
        let page = page(&text, last - 1).unwrap();
        assert!(page.contains("the end\nError: x"), "{page}");
        let many = "Error\n".repeat(10_000);
        assert!(shortened(&many, "output-1").unwrap().len() < WHOLE + 1_000);
        let wide = "ä".repeat(900);
        assert_eq!(pieces(&wide).concat(), wide);
        assert_eq!(pieces(""), [""]);
    }
}
