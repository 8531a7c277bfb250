//! What Tab completes in a chat: commands, and names of files.

use rendering::completion::{Named, Word, can_be_typed, commands, in_input, is_command_begun};
use rendering::slash::COMMANDS;
use rustyline::Helper;
use rustyline::completion::{Completer, Pair};
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::validate::Validator;
use std::path::{Path, PathBuf};
use text::escape::visible_line;

/// Most names that are offered for one word.
const OFFERED: usize = 100;

/// Completes the names of commands, and those of files as they are seen from a folder.
#[derive(Debug, Clone)]
pub struct Completion {
    /// The folder that the chat is held in.
    pub folder: PathBuf,
}

impl Completer for Completion {
    type Candidate = Pair;

    fn complete(
        &self,
        line: &str,
        position: usize,
        _: &rustyline::Context<'_>,
    ) -> rustyline::Result<(usize, Vec<Pair>)> {
        let typed = line.get(..position).unwrap_or_default();
        if is_command_begun(typed) {
            let fitting = commands(&COMMANDS, typed).map(in_input);
            let whole = |name: String| Pair {
                display: name.clone(),
                replacement: name,
            };
            return Ok((0, fitting.map(whole).collect()));
        }
        Ok(files(&self.folder, typed))
    }
}

impl Hinter for Completion {
    type Hint = String;
}

impl Highlighter for Completion {}
impl Validator for Completion {}
impl Helper for Completion {}

/// The files and folders that the last word of a line may begin, and where that begins. A hidden one is
/// offered to who typed its dot.
fn files(folder: &Path, typed: &str) -> (usize, Vec<Pair>) {
    let word = Word::of(typed);
    let part = word.path.rfind('/').map_or(0, |at| at + 1);
    let (above, begun) = word.path.split_at(part);
    if word.path.is_empty() {
        return (word.start, Vec::new());
    }
    // A folder that cannot be read has nothing to offer.
    let entries = std::fs::read_dir(folder.join(above)).into_iter();
    let offered = entries.flatten().flatten().filter_map(|entry| {
        let name = entry.file_name().into_string().ok()?;
        let is_hidden = name.starts_with('.') && !begun.starts_with('.');
        // What cannot be shown as it is cannot be typed either.
        let is_plain = visible_line(&name) == name && can_be_typed(&name);
        if !name.starts_with(begun) || is_hidden || !is_plain {
            return None;
        }
        let is_folder = entry.path().is_dir();
        let (named, end) = match is_folder {
            true => (Named::Folder, "/"),
            false => (Named::File, ""),
        };
        Some(Pair {
            display: format!("{name}{end}"),
            replacement: word.with(&format!("{above}{name}"), named),
        })
    });
    let mut offered: Vec<Pair> = offered.take(OFFERED).collect();
    offered.sort_by(|one, other| one.display.cmp(&other.display));
    (word.start, offered)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_completed_by_its_last_part() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path();
        for name in ["notes", "my plans"] {
            std::fs::create_dir(folder.join(name)).unwrap();
        }
        for name in [
            "notes.md",
            "notes/today.md",
            "my plans/a b.md",
            "it's.png",
            ".notes",
            "no\u{1b}w",
        ] {
            std::fs::write(folder.join(name), "").unwrap();
        }
        // The line with each that is offered.
        let offered = |typed: &str| {
            let (start, found) = files(folder, typed);
            let whole = |pair: Pair| format!("{}{}", &typed[..start], pair.replacement);
            found.into_iter().map(whole).collect::<Vec<_>>()
        };
        for (typed, whole) in [
            ("show notes.", "show notes.md"),
            ("/export notes.", "/export notes.md"),
            ("what is @notes.", "what is @notes.md"),
            ("show notes/t", "show notes/today.md"),
            ("show .n", "show .notes"),
            // A name with spaces is quoted, and goes on behind the quote.
            ("show my", "show \"my plans/"),
            ("show \"my plans/a", "show \"my plans/a b.md\""),
            ("see @\"my plans/a b", "see @\"my plans/a b.md\""),
            ("see @it", "see @\"it's.png\""),
            ("it is \"quoted\" in notes.", "it is \"quoted\" in notes.md"),
        ] {
            assert_eq!(offered(typed), [whole]);
        }
        assert_eq!(offered("show no"), ["show notes.md", "show notes/"]);
        let whole = format!("show {}/notes/", folder.display());
        assert_eq!(offered(&format!("{whole}t")), [format!("{whole}today.md")]);
        assert_eq!(offered("show gone/n").len() + offered("show ").len(), 0);
    }
}
