//! Lines that become comments, or stop being some, by their numbers.

use super::asked::Place;
use super::comments::without_mark;
use super::lines::Lines;
use crate::rules::refusal::Refusal;
use domain::plan::Action;

impl Lines<'_> {
    /// The change that makes lines comments, or takes the signs of comments from them. Those of several that are
    /// so already stay.
    pub(super) fn comment_lines(&self, place: &Place, is_out: bool) -> Result<Action, Refusal> {
        let path = self.path;
        let mark = self.comment_mark().ok_or_else(|| self.no_comments())?;
        let range = self.placed(place)?;
        let first = self.text[..range.start].matches('\n').count() + 1;
        let is_meant = |number: usize| match place {
            Place::Each(lines) => lines.contains(&number),
            _ => true,
        };
        let is_other = |line: &str| {
            // The line that names the program to run a file is neither.
            let is_text = !line.trim().is_empty() && !line.starts_with("#!");
            is_text && is_comment(line, mark) != is_out
        };
        let lines: Vec<&str> = self.text[range.clone()].split('\n').collect();
        let meant = lines.iter().enumerate();
        let meant = meant.filter(|(at, line)| is_meant(first + at) && is_other(line));
        let meant: Vec<usize> = meant.map(|(at, _)| at).collect();
        if meant.is_empty() {
            let why = match is_out {
                true => format!("There is nothing to make a comment of in {path}: "),
                false => format!("There is no comment to take the sign from in {path}: "),
            };
            let shown = self.text[range].trim();
            let shown: String = shown.chars().take(SHOWN_CHARS).collect();
            let why = format!("{why}line {first} is `{shown}`.");
            return Err(Refusal::ambiguous(
                why,
                vec![format!("show {}", self.shown_path())],
            ));
        }
        let depth = |at: &usize| lines[*at].len() - lines[*at].trim_start().len();
        let least = meant.iter().map(depth).min().unwrap_or_default();
        let changed = lines.iter().enumerate().map(|(at, line)| match is_out {
            _ if !meant.contains(&at) => (*line).to_owned(),
            true => format!("{}{mark} {}", &line[..least], &line[least..]),
            false => without_mark(line),
        });
        let changed: Vec<String> = changed.collect();
        self.replace(range, &changed.join("\n"))
    }

    /// Why nothing in the file can become a comment.
    pub(super) fn no_comments(&self) -> Refusal {
        let why = format!(
            "I know no comments of single lines in a file like {}.",
            self.path
        );
        Refusal::unavailable(&why, vec![format!("show {}", self.shown_path())])
    }
}

/// Most characters of a line that a refusal shows.
const SHOWN_CHARS: usize = 60;

/// Whether a line is a comment of a file with this sign. Files of settings may have
/// either of two.
fn is_comment(line: &str, mark: &str) -> bool {
    let line = line.trim_start();
    let marks: &[&str] = if mark.len() == 1 {
        &["#", ";"]
    } else {
        &[mark]
    };
    marks.iter().any(|mark| line.starts_with(mark))
}
