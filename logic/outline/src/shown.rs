//! Files with their symbols, before and after the choice of what is shown.

use crate::line;
use domain::source::Symbol;

/// A source file with what it defines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceFile {
    /// The path that it is shown by.
    pub path: String,
    /// Its text, in which the names of other files' symbols are looked for.
    pub text: String,
    /// Its symbols, in the order of their lines.
    pub symbols: Vec<Symbol>,
}

impl SourceFile {
    /// A file with its text and symbols.
    #[must_use]
    pub const fn new(path: String, text: String, symbols: Vec<Symbol>) -> Self {
        Self {
            path,
            text,
            symbols,
        }
    }
}

/// What of one file is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownFile {
    /// As given.
    pub path: String,
    /// In the order of their lines; each stands behind those that it stands in.
    pub symbols: Vec<Symbol>,
}

/// What is shown, and how much is not.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outline {
    /// The files, the most referred to first.
    pub files: Vec<ShownFile>,
    /// Files with symbols of which none is shown.
    pub files_left: usize,
    /// Symbols that are not shown, also of files that are.
    pub symbols_left: usize,
}

impl Outline {
    /// The lines of the symbols, those of a file behind a line with its path.
    #[must_use]
    pub fn lines(&self) -> String {
        let mut text = String::new();
        for file in &self.files {
            text.push_str(&line::heading(&file.path));
            for symbol in &file.symbols {
                text.push_str(&line::line(symbol));
            }
        }
        text
    }

    /// The lines of the symbols alone, where there is one file.
    #[must_use]
    pub fn lines_of_symbols(&self) -> String {
        let symbols = self.files.iter().flat_map(|file| &file.symbols);
        symbols.map(line::line).collect()
    }

    /// What is said of what is left out; empty when nothing is.
    #[must_use]
    pub fn left_out(&self) -> String {
        let count = |count: usize, what: &str| match count {
            1 => format!("1 more {what}"),
            more => format!("{more} more {what}s"),
        };
        match (self.files_left, self.symbols_left) {
            (_, 0) => String::new(),
            (0, symbols) => format!("({})\n", count(symbols, "symbol")),
            (files, symbols) => {
                format!("({}, {})\n", count(files, "file"), count(symbols, "symbol"))
            }
        }
    }
}
