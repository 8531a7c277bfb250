//! What people and programs see of a session. Every renderer is a projection of its events and
//! holds nothing that could not be rebuilt from them.

pub mod agents;
mod calls;
pub mod confirm;
pub mod context;
mod delegation;
pub mod drive;
pub mod fit;
pub mod in_force;
pub mod links;
pub mod memory;
pub mod messages;
pub mod notes;
pub mod summary;
pub mod terminal;
pub mod transcript;
pub mod values;

use domain::settings::OverrideLevel;
use std::io::{self, IsTerminal, Write};

/// Where and how text is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Paint {
    /// With colours.
    Colour,
    /// Without.
    Plain,
}

impl Paint {
    /// Colours for a terminal that wants them: `NO_COLOR` and `TERM=dumb` are respected.
    #[must_use]
    pub fn for_stream(stream: &impl IsTerminal) -> Self {
        let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
            || std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        if stream.is_terminal() && !refused {
            Self::Colour
        } else {
            Self::Plain
        }
    }

    fn wrap(self, code: &str, text: &str) -> String {
        match self {
            Self::Colour => format!("\u{1b}[{code}m{text}\u{1b}[0m"),
            Self::Plain => text.to_owned(),
        }
    }

    /// Faint: thinking, details.
    #[must_use]
    pub fn faint(self, text: &str) -> String {
        self.wrap("2", text)
    }

    /// Good news.
    #[must_use]
    pub fn good(self, text: &str) -> String {
        self.wrap("32", text)
    }

    /// Bad news.
    #[must_use]
    pub fn bad(self, text: &str) -> String {
        self.wrap("31", text)
    }

    /// Something to notice.
    #[must_use]
    pub fn warn(self, text: &str) -> String {
        self.wrap("33", text)
    }

    /// A heading.
    #[must_use]
    pub fn strong(self, text: &str) -> String {
        self.wrap("1", text)
    }

    /// A unified diff, added lines green and removed ones red.
    #[must_use]
    pub fn diff(self, diff: &str) -> String {
        let mut out = String::with_capacity(diff.len());
        for line in diff.lines() {
            let painted = match line.as_bytes().first() {
                Some(b'+') if !line.starts_with("+++") => self.good(line),
                Some(b'-') if !line.starts_with("---") => self.bad(line),
                Some(b'@') => self.faint(line),
                _ => line.to_owned(),
            };
            out.push_str(&painted);
            out.push('\n');
        }
        out
    }
}

/// Writes a whole text to standard output. A reader that went away is not an error worth a
/// message: `carl session list | head` ends quietly.
///
/// # Errors
/// Any other failure to write.
pub fn print(text: &str) -> io::Result<()> {
    quiet_on_broken_pipe(io::stdout().lock(), text)
}

/// Writes a whole text to standard output, for a reader without whom there is nothing to go on for.
///
/// # Errors
/// Any failure to write; a closed pipe is one.
pub fn hand_out(text: &str) -> io::Result<()> {
    let mut stream = io::stdout().lock();
    stream.write_all(text.as_bytes())?;
    stream.flush()
}

/// The same as [`print()`] for standard error.
///
/// # Errors
/// Any failure to write but a closed pipe.
pub fn print_error(text: &str) -> io::Result<()> {
    quiet_on_broken_pipe(io::stderr().lock(), text)
}

fn quiet_on_broken_pipe(mut stream: impl Write, text: &str) -> io::Result<()> {
    match stream
        .write_all(text.as_bytes())
        .and_then(|()| stream.flush())
    {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}

/// What every surface says when the gate is open.
#[must_use]
pub fn override_warning(level: OverrideLevel) -> Option<String> {
    match level {
        OverrideLevel::None => None,
        OverrideLevel::Relax => {
            Some("! override relax: high-risk tools run without asking".to_owned())
        }
        OverrideLevel::All => Some(
            "! override all: everything passes but Housecarl's own folders; every call is on record"
                .to_owned(),
        ),
    }
}

/// A table for standard output: its last column is wrapped to the width of a terminal.
#[must_use]
pub fn table(rows: &[Vec<String>]) -> String {
    fit::table(rows, fit::width(&io::stdout()))
}

/// A table with columns as wide as their widest cell; the last one is not padded.
fn whole_table(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        rows.iter()
            .filter_map(|row| row.get(column))
            .map(|cell| cell.chars().count())
            .max()
    };
    let widths: Vec<usize> = (0..columns)
        .map(|column| width(column).unwrap_or(0))
        .collect();
    let mut out = String::new();
    for row in rows {
        let mut line = String::new();
        for (cell, width) in row.iter().zip(&widths) {
            line.push_str(cell);
            line.extend(std::iter::repeat_n(' ', width - cell.chars().count() + 2));
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_pads_all_but_the_last_column() {
        let rows = vec![
            vec!["a".to_owned(), "long".to_owned()],
            vec!["grün".to_owned(), "b".to_owned()],
        ];
        assert_eq!(whole_table(&rows), "a     long\ngrün  b\n");
    }

    #[test]
    fn a_diff_is_painted_by_line_and_plain_text_is_left_alone() {
        assert_eq!(Paint::Plain.diff("+a\n-b\n"), "+a\n-b\n");
        assert_eq!(Paint::Colour.diff("+a"), "\u{1b}[32m+a\u{1b}[0m\n");
    }
}
