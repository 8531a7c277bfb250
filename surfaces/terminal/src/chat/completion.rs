//! What Tab completes in a chat: commands, and names of files.

use super::slash::COMMANDS;
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
        if typed.starts_with('/') && !typed.contains(char::is_whitespace) {
            let whole = |name: String| Pair {
                display: name.clone(),
                replacement: name,
            };
            return Ok((0, commands(typed).into_iter().map(whole).collect()));
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

/// The commands that begin like this.
fn commands(typed: &str) -> Vec<String> {
    let fitting = COMMANDS.iter().filter(|(name, ..)| name.starts_with(typed));
    fitting
        .map(|(name, arguments, _)| match arguments.is_empty() {
            true => (*name).to_owned(),
            false => format!("{name} "),
        })
        .collect()
}

/// The files and folders that the last word of a line may begin, and where their last part begins. A
/// file's name may stand behind `@`; a hidden one is offered to who typed its dot.
fn files(folder: &Path, typed: &str) -> (usize, Vec<Pair>) {
    let word = typed.rsplit(char::is_whitespace).next().unwrap_or_default();
    let path = word.trim_start_matches(['@', '"', '\'', '`']);
    let (above, begun) = path.rsplit_once('/').unwrap_or(("", path));
    let start = typed.len() - begun.len();
    if path.is_empty() {
        return (start, Vec::new());
    }
    let above = match path.starts_with('/') {
        true => Path::new("/").join(above),
        false => folder.join(above),
    };
    // A folder that cannot be read has nothing to offer.
    let entries = std::fs::read_dir(above).into_iter().flatten().flatten();
    let offered = entries.filter_map(|entry| {
        let name = entry.file_name().into_string().ok()?;
        let is_hidden = name.starts_with('.') && !begun.starts_with('.');
        // What cannot be shown as it is cannot be typed either.
        let is_plain = visible_line(&name) == name;
        if !name.starts_with(begun) || is_hidden || !is_plain {
            return None;
        }
        let end = if entry.path().is_dir() { "/" } else { "" };
        let replacement = format!("{name}{end}");
        Some(Pair {
            display: replacement.clone(),
            replacement,
        })
    });
    let mut offered: Vec<Pair> = offered.take(OFFERED).collect();
    offered.sort_by(|one, other| one.display.cmp(&other.display));
    (start, offered)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_completed_by_its_name() {
        assert_eq!(commands("/re"), ["/retry"]);
        assert_eq!(commands("/mod"), ["/mode ", "/model "]);
    }

    #[test]
    fn a_file_is_completed_by_its_last_part() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path();
        std::fs::create_dir(folder.join("notes")).unwrap();
        for name in ["notes.md", "notes/today.md", ".notes", "no\u{1b}w"] {
            std::fs::write(folder.join(name), "").unwrap();
        }
        let offered = |typed: &str| {
            let (start, found) = files(folder, typed);
            let found = found.into_iter().map(|pair| pair.replacement);
            (start, found.collect::<Vec<_>>())
        };
        let both = vec!["notes.md".to_owned(), "notes/".to_owned()];
        assert_eq!(offered("show no"), (5, both.clone()));
        assert_eq!(offered("/export no"), (8, both.clone()));
        assert_eq!(offered("what is @no"), (9, both));
        let deeper = vec!["today.md".to_owned()];
        assert_eq!(offered("show notes/t"), (11, deeper.clone()));
        let whole = format!("show {}/notes/t", folder.display());
        assert_eq!(offered(&whole), (whole.len() - 1, deeper));
        assert_eq!(offered("show .n").1, [".notes"]);
        assert_eq!(offered("show gone/n").1.len() + offered("show ").1.len(), 0);
    }
}
