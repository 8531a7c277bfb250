//! `read_file`.

use crate::arguments;
use crate::encoding::{old_text, utf_16};
use crate::job::Job;
use crate::look::document::{no_reader, unread_archive};
use crate::look::scan::{self, Lines, Scan};
use crate::record::ReadFile;
use api::executor::ToolFailure;
use api::failure::mendable;
use domain::limits::FILE_READ_BYTES;
use domain::tool::ToolOutput;

/// What is said of a text with such bytes.
const DAMAGED: &str = "(bytes that are not UTF-8 are shown as \u{fffd})\n";
/// What is said of a text in another encoding than UTF-8.
const OTHER_ENCODING: &str =
    "(not UTF-8: read as windows-1252, and kept in that encoding when it is edited)\n";

/// How rich text begins, and what is said of it.
const RICH_TEXT: &str = "{\\rtf";
const MARKS: &str =
    "(rich text, RTF: shown with its marks, since nothing here reads it as plain text)\n";

pub(crate) fn run(job: &Job<'_>) -> Result<ToolOutput, ToolFailure> {
    let wanted: arguments::ReadFile = job.call.parse_arguments()?;
    let lines = lines(&wanted)?;
    let place = job.read_place("path")?;
    let (found, mut file) = place.reach_file()?;
    let start = scan::start_of(&mut file, &place.shown)?;
    if let Some(format) = scan::closed_format_of(&start) {
        if let Some(unread) = unread_archive(&start) {
            return Err(no_reader(&place.shown, unread));
        }
        return Err(mendable(
            "not_text",
            format!(
                "`{}` is a document ({format}): read_document reads PDF, docx and odt as text.",
                place.shown
            ),
        ));
    }
    if let Some(failure) = utf_16(&start, &place.shown) {
        return Err(failure);
    }
    if scan::is_binary(&mut file, &place.shown)? {
        return Err(mendable(
            "not_text",
            format!(
                "`{}` is not a text file ({} bytes).",
                place.shown,
                found.bytes()
            ),
        ));
    }
    let cap = usize::try_from(FILE_READ_BYTES).unwrap_or(usize::MAX);
    let scan = scan::scan(&mut file, lines, cap, job.leash, &place.shown)?;
    if let Lines::From(first, _) = lines
        && first > scan.total_lines.max(1)
    {
        return Err(mendable(
            "past_the_end",
            format!("`{}` has only {} lines.", place.shown, scan.total_lines),
        ));
    }
    let heading = heading(&place.shown, &scan);
    let typed = job.typed("path");
    let (content, note) = match scan::to_text(scan.content.clone(), scan.cut) {
        (text, false) => (text, ""),
        (damaged, true) => match old_text(&scan.content) {
            Some(text) => (text, OTHER_ENCODING),
            None => (damaged, DAMAGED),
        },
    };
    let marks = if content.starts_with(RICH_TEXT) {
        MARKS
    } else {
        ""
    };
    let text = format!("{heading}\n{note}{marks}{content}");
    let data = ReadFile {
        path: typed.clone(),
        content,
        from_line: scan.from_line,
        line_count: scan.line_count,
        total_lines: scan.total_lines,
        total_words: scan.total_words,
        total_bytes: scan.total_bytes,
        truncated: scan.cut,
    };
    job.output(&data, text, &typed)
}

fn lines(wanted: &arguments::ReadFile) -> Result<Lines, ToolFailure> {
    let count = wanted.line_count.map(i64::unsigned_abs);
    let is_from_end = wanted.from_end || wanted.line_count.is_some_and(i64::is_negative);
    match (is_from_end, wanted.from_line, count) {
        (false, first, count) => Ok(Lines::From(
            first.unwrap_or(1).max(1),
            count.unwrap_or(u64::MAX),
        )),
        (true, None, Some(count)) => Ok(Lines::Last(count)),
        (true, _, _) => Err(mendable(
            "invalid_arguments",
            "To read the end of a file give line_count and from_end, without from_line.",
        )),
    }
}

fn heading(shown: &str, scan: &Scan) -> String {
    if scan.total_bytes == 0 {
        return format!("{shown} is empty.");
    }
    let last = (scan.from_line + scan.line_count).saturating_sub(1);
    let cut = if scan.cut {
        ", cut short: ask for a part by from_line and line_count"
    } else {
        ""
    };
    format!(
        "{shown}, lines {} to {last} of {}{cut}:",
        scan.from_line, scan.total_lines
    )
}
