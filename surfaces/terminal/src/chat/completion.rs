//! What Tab completes in a chat: commands, and names of files.

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

/// A name that is being typed at the end of a line.
struct Begun<'a> {
    /// Where it begins, with its mark and quote.
    start: usize,
    /// Whether `@` stands before it.
    is_marked: bool,
    /// Whether a quote is open.
    is_quoted: bool,
    path: &'a str,
}

impl<'a> Begun<'a> {
    /// The last word, or what stands behind a quote that is still open.
    fn of(typed: &'a str) -> Self {
        let (mut start, mut is_quoted) = (0, false);
        for (at, c) in typed.char_indices() {
            match c {
                '"' if is_quoted => is_quoted = false,
                '"' => is_quoted = matches!(&typed[start..at], "" | "@"),
                _ if c.is_whitespace() && !is_quoted => start = at + c.len_utf8(),
                _ => {}
            }
        }
        let word = &typed[start..];
        let path = word.strip_prefix('@');
        let (is_marked, path) = (path.is_some(), path.unwrap_or(word));
        let path = path.strip_prefix('"').unwrap_or(path);
        Self {
            start,
            is_marked,
            is_quoted,
            path,
        }
    }

    /// The word with a name in its place. One with spaces stands in quotes, as it has to behind `@`; those of
    /// a folder stay open.
    fn with(&self, above: &str, name: &str, is_folder: bool) -> String {
        let mark = if self.is_marked { "@" } else { "" };
        let is_plain = |c: char| !c.is_whitespace() && c != '\'';
        let is_quoted = self.is_quoted || !above.chars().chain(name.chars()).all(is_plain);
        let quote = if is_quoted { "\"" } else { "" };
        let end = if is_folder { "/" } else { quote };
        format!("{mark}{quote}{above}{name}{end}")
    }
}

/// The files and folders that the last word of a line may begin, and where that begins. A hidden one is
/// offered to who typed its dot.
fn files(folder: &Path, typed: &str) -> (usize, Vec<Pair>) {
    let word = Begun::of(typed);
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
        let is_plain = visible_line(&name) == name && !name.contains('"');
        if !name.starts_with(begun) || is_hidden || !is_plain {
            return None;
        }
        let is_folder = entry.path().is_dir();
        let end = if is_folder { "/" } else { "" };
        Some(Pair {
            display: format!("{name}{end}"),
            replacement: word.with(above, &name, is_folder),
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
    fn a_command_is_completed_by_its_name() {
        assert_eq!(commands("/re"), ["/retry", "/rewind "]);
        assert_eq!(commands("/mod"), ["/mode ", "/model "]);
    }

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
