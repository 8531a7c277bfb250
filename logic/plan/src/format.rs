//! From results to text for people: one short text an action, honest about what is missing.
//!
//! Results come as the tools' structured data. What a tool left out (`truncated`) and what this
//! module leaves out are both said in the text.

mod content;
mod data;
mod difference;
mod document;
mod finding;

pub use content::SHOWN_BYTES;
pub use difference::DIFF_LINES;
pub(crate) use document::{found_in as found_in_document, is_one as is_document};

use content::{Wording, content, counts, excerpt};
use data::{bytes, count, grouped, is_cut, items, number, quoted, text};
use domain::plan::Action;
use serde_json::Value;
use text::escape::visible_line;

/// The text for one action whose calls all succeeded. `results` are the data of its calls, in the
/// order of [`crate::compile::action`]. For [`Action::Answer`] the text is empty: the answer is a
/// model's.
#[must_use]
pub fn step(action: &Action, results: &[Value]) -> String {
    let first = results.first().unwrap_or(&Value::Null);
    if let Some(text) = document::step(action, first) {
        return text;
    }
    match action {
        Action::ListFiles { path } => listing(path, first),
        Action::Tree { path, .. } => tree(path, first),
        Action::FileSizes { path } => sizes(path, first),
        Action::ReadFile { path } => content(path, first, Wording::Whole),
        Action::Head { path, .. } => content(path, first, Wording::Part),
        Action::Tail { path, .. } => content(path, first, Wording::End),
        Action::Excerpt {
            path, from_line, ..
        } => excerpt(path, *from_line, first),
        Action::FindFiles { pattern, path } => found_files(pattern, path, first),
        Action::SearchText { query, path } if is_document(first) => {
            found_in_text(query, path, first)
        }
        Action::SearchText { query, path } => found_lines(query, path, first),
        Action::CountLines { path } => counts(path, first),
        Action::CompareFiles { left, right } => {
            let second = results.get(1).unwrap_or(&Value::Null);
            let cut = is_cut(first) || is_cut(second);
            difference::between(
                (left, text(first, "content")),
                (right, text(second, "content")),
                cut,
            )
        }
        Action::CreateFile { path, .. } => {
            format!("Created {path} ({}).", bytes(number(first, "bytes")))
        }
        Action::AppendText { path, content } => appended(path, content, first),
        Action::ReplaceText { path, old, new } => replaced(path, old, new, first),
        Action::MakeDir { path } if first.get("created") == Some(&Value::Bool(false)) => {
            format!("The folder {path} was there already.")
        }
        Action::MakeDir { path } => format!("Made the folder {path}."),
        Action::MoveFile { from, to } => format!("Moved {from} to {to}."),
        Action::DeleteFile { path } => format!("Deleted {path}."),
        Action::Undo {} => undone(first),
        Action::Remember { text } => finding::kept(text, first),
        Action::Recall { query } => finding::recalled(query, first),
        Action::WebSearch { query } => finding::searched(query, first),
        Action::Answer { .. } => String::new(),
    }
}

/// How people name a folder: `.` is where they are.
fn place(path: &str) -> &str {
    if path == "." { "this folder" } else { path }
}

const IGNORED: &str = "Files that .gitignore names are left out.";

fn not_everything(data: &Value, text: &mut String) {
    if is_cut(data) {
        text.push_str("\n(Not everything is here: a limit was reached. Ask for a smaller folder.)");
    }
}

/// Whether an entry is a folder.
fn is_folder(entry: &Value) -> bool {
    text(entry, "kind") == "folder"
}

fn tally(entries: &[Value]) -> String {
    let folders = entries.iter().filter(|entry| is_folder(entry)).count() as u64;
    let others = entries.len() as u64 - folders;
    match (others, folders) {
        (files, 0) => count(files, "file"),
        (0, folders) => count(folders, "folder"),
        (files, folders) => format!("{}, {}", count(files, "file"), count(folders, "folder")),
    }
}

/// One entry's name with what it is and how large.
fn described(name: &str, entry: &Value) -> String {
    match text(entry, "kind") {
        "folder" => format!("{name}/"),
        "file" => format!("{name}  ({})", bytes(number(entry, "bytes"))),
        "link" => format!("{name}  (link)"),
        _ => format!("{name}  (neither file nor folder)"),
    }
}

fn listing(path: &str, data: &Value) -> String {
    let entries = items(data, "entries");
    if entries.is_empty() {
        return format!("{} is empty.", capital(place(path)));
    }
    let mut out = format!("{}: {}", capital(place(path)), tally(entries));
    for entry in entries {
        out.push_str(&format!("\n  {}", described(&name(entry, "name"), entry)));
    }
    not_everything(data, &mut out);
    out
}

/// A name of a file, which may hold line ends: it stays on its line.
fn name(data: &Value, field: &str) -> String {
    visible_line(text(data, field))
}

fn capital(name: &str) -> String {
    // Only our own words get a capital; a path keeps its letters.
    if name == "this folder" {
        "This folder".to_owned()
    } else {
        name.to_owned()
    }
}

fn tree(path: &str, data: &Value) -> String {
    let entries = items(data, "entries");
    if entries.is_empty() {
        return format!("{} is empty.", capital(place(path)));
    }
    let base = if path == "." {
        String::new()
    } else {
        format!("{}/", path.trim_end_matches('/'))
    };
    let mut out = format!("{}/", path.trim_end_matches('/'));
    for entry in entries {
        let full = text(entry, "path");
        let below = full.strip_prefix(&base).unwrap_or(full);
        let indent = "  ".repeat(1 + below.matches('/').count());
        out.push_str(&format!(
            "\n{indent}{}",
            described(&name(entry, "name"), entry)
        ));
    }
    out.push_str(&format!("\n{}. {IGNORED}", tally(entries)));
    not_everything(data, &mut out);
    out
}

fn sizes(path: &str, data: &Value) -> String {
    let files: Vec<&Value> = items(data, "entries")
        .iter()
        .filter(|entry| text(entry, "kind") == "file")
        .collect();
    if files.is_empty() {
        return format!("There are no files in {}.", place(path));
    }
    let total = files
        .iter()
        .map(|file| number(file, "bytes"))
        .fold(0, u64::saturating_add);
    let width = files
        .iter()
        .map(|file| grouped(number(file, "bytes")).len())
        .max()
        .unwrap_or(0);
    let mut out = format!(
        "{} in {}, {} in all, largest first:",
        count(files.len() as u64, "file"),
        place(path),
        bytes(total)
    );
    for file in files {
        out.push_str(&format!(
            "\n  {:>width$}  {}",
            grouped(number(file, "bytes")),
            name(file, "path")
        ));
    }
    out.push_str(&format!("\n{IGNORED}"));
    not_everything(data, &mut out);
    out
}

fn found_files(pattern: &str, path: &str, data: &Value) -> String {
    let paths = items(data, "paths");
    if paths.is_empty() {
        return format!("No file in {} matches {pattern}. {IGNORED}", place(path));
    }
    let matching = if paths.len() == 1 { "matches" } else { "match" };
    let mut out = format!(
        "{} {matching} {pattern}:",
        count(paths.len() as u64, "file")
    );
    for path in paths {
        out.push_str(&format!(
            "\n  {}",
            visible_line(path.as_str().unwrap_or_default())
        ));
    }
    not_everything(data, &mut out);
    out
}

fn found_lines(query: &str, path: &str, data: &Value) -> String {
    let matches = items(data, "matches");
    if matches.is_empty() {
        let rest = if is_cut(data) {
            " Some files could not be searched."
        } else {
            ""
        };
        return format!(
            "No line in {} contains \"{query}\", in small or capital letters. {IGNORED}{rest}{}",
            place(path),
            documents(data)
        );
    }
    let mut files: Vec<&str> = matches.iter().map(|one| text(one, "path")).collect();
    files.dedup();
    let contain = if matches.len() == 1 {
        "contains"
    } else {
        "contain"
    };
    let least = if is_cut(data) { "At least " } else { "" };
    let mut out = format!(
        "{least}{} in {} {contain} \"{query}\":",
        count(matches.len() as u64, "line"),
        count(files.len() as u64, "file"),
    );
    for one in matches {
        out.push_str(&format!(
            "\n  {}:{}: {}{}",
            name(one, "path"),
            number(one, "line"),
            text(one, "text").trim(),
            more_places(one)
        ));
    }
    out.push_str(&within_words(query, matches));
    out.push_str(&documents(data));
    not_everything(data, &mut out);
    out
}

/// How many of the lines with a word have it within longer words alone.
fn within_words(query: &str, matches: &[Value]) -> String {
    let query = query.to_lowercase();
    if query.is_empty() || !query.chars().all(char::is_alphanumeric) {
        return String::new();
    }
    let is_within = |one: &&Value| {
        let line = text(one, "text").to_lowercase();
        let is_part = one.get("is_part") == Some(&Value::Bool(true));
        !is_part && line.contains(&query) && !crate::names::has_words(&line, &query)
    };
    match matches.iter().filter(is_within).count() {
        0 => String::new(),
        1 => "\n(1 of them has it within a longer word alone.)".to_owned(),
        count => format!(
            "\n({} of them have it within longer words alone.)",
            grouped(count as u64)
        ),
    }
}

/// What is said of a long line that has more places than are shown.
fn more_places(found: &Value) -> &'static str {
    if found.get("is_part") == Some(&Value::Bool(true)) {
        " (more places in this line)"
    } else {
        ""
    }
}

/// How many lines, words and bytes there are, in words.
pub(crate) fn counted(sums: [u64; 3]) -> String {
    content::counted(sums)
}

/// What is said of documents that a search passed over.
fn documents(data: &Value) -> String {
    match number(data, "documents") {
        0 => String::new(),
        1 => "\n(1 document (PDF, docx, odt) was not searched.)".to_owned(),
        more => format!(
            "\n({} (PDF, docx, odt) were not searched.)",
            count(more, "document")
        ),
    }
}

fn appended(path: &str, content: &str, data: &Value) -> String {
    let lines = count(content.lines().count().max(1) as u64, "line");
    let now = bytes(number(data, "bytes"));
    if data.get("created") == Some(&Value::Bool(true)) {
        return format!("{path} was not there; made it with {lines} ({now}).");
    }
    format!("Added {lines} to {path}, now {now}.")
}

fn replaced(path: &str, old: &str, new: &str, data: &Value) -> String {
    // A line with the text in it twice is named twice.
    let found = items(data, "lines").iter().filter_map(Value::as_u64);
    let found: Vec<u64> = found.collect();
    let mut lines: Vec<String> = found.iter().map(u64::to_string).collect();
    lines.dedup();
    let places = match lines.as_slice() {
        [] => String::new(),
        [one] if found.len() > 1 => format!(" in {} places of line {one}", found.len()),
        [one] => format!(" in line {one}"),
        more if more.len() <= 20 => format!(" in lines {}", more.join(", ")),
        _ => format!(" in {} places", found.len()),
    };
    let inexact = match (data.get("exact"), number(data, "typeset")) {
        (Some(Value::Bool(true)) | None, _) => String::new(),
        (_, 0) => " White space at line ends was not the same.".to_owned(),
        (_, places) => format!(
            " In {} quotation marks, dashes or spaces were written otherwise.",
            count(places, "place")
        ),
    };
    let line = old.trim_matches(['\r', '\n']);
    if new.is_empty() && line.len() < old.len() && !line.contains('\n') {
        let line = match line.trim().is_empty() {
            true => "an empty line".to_owned(),
            false => format!("the line {}", quoted(line)),
        };
        return format!("Removed {line}{places} of {path}.{inexact}");
    }
    let (old, new) = (quoted(old), quoted(new));
    format!("Replaced {old} with {new}{places} of {path}.{inexact}")
}

fn undone(data: &Value) -> String {
    let left = match number(data, "left") {
        0 => "No other change of this session is left to take back.".to_owned(),
        left => format!("{} can still be taken back.", count(left, "change")),
    };
    let others = items(data, "others").iter().filter_map(Value::as_str);
    let paths: Vec<&str> = std::iter::once(text(data, "path")).chain(others).collect();
    let (paths, is_one) = (paths.join(", "), paths.len() == 1);
    if data.get("was_back") == Some(&Value::Bool(true)) {
        let (are, tool) = match is_one {
            true => ("is as it was", text(data, "tool")),
            false => ("are as they were", text(data, "tool")),
        };
        return format!("{paths} {are} before {tool} already; nothing was changed. {left}");
    }
    let stays = items(data, "stays").iter().filter_map(Value::as_str);
    let stays: String = stays
        .map(|folder| format!("The folder {folder} stays: it is not empty. "))
        .collect();
    format!(
        "Took back the change that {} made to {paths}. {stays}{left}",
        text(data, "tool")
    )
}

/// What a search in a document came to.
fn found_in_text(query: &str, path: &str, data: &Value) -> String {
    if text(data, "content").trim().is_empty() {
        return document::without_text(path, data);
    }
    let found = found_in_document(query, path, data);
    let part = match is_cut(data) {
        true => format!("\n(Only the beginning of {path} was read.)"),
        false => String::new(),
    };
    match items(&found, "matches") {
        [] => format!("No line in {path} contains \"{query}\", in small or capital letters.{part}"),
        _ => format!("{}{part}", found_lines(query, path, &found)),
    }
}

#[cfg(test)]
mod tests;
