//! Which symbols of source files are shown within a budget of tokens.
//!
//! What it is: pure functions from files with their [`Symbol`]s to an [`Outline`]: of one file by how
//! deep its symbols stand, of many by how often their names are met in the other files.
//! What it owns: the ranking, what a line costs, and how an outline looks as text.
//! What it never does: read a file or parse one (`logic/symbols` does, in the sandbox); believe what
//! it is told of symbols to be well formed.
//! Where to start: [`of_folder`], then `rank.rs`.

mod choice;
mod rank;

use choice::Choice;
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
            text.push_str(&choice::heading(&file.path));
            for symbol in &file.symbols {
                text.push_str(&choice::line(symbol));
            }
        }
        text
    }

    /// The lines of the symbols alone, where there is one file.
    #[must_use]
    pub fn lines_of_symbols(&self) -> String {
        let symbols = self.files.iter().flat_map(|file| &file.symbols);
        symbols.map(choice::line).collect()
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

/// The outline of one file within so many tokens: the symbols down to the level down to which all fit,
/// and where not even the first one does, as many of that as fit.
#[must_use]
pub fn of_file(path: &str, symbols: &[Symbol], tokens: usize) -> Outline {
    let costs: Vec<usize> = symbols.iter().map(choice::cost).collect();
    let room = choice::room(tokens);
    let mut levels: Vec<usize> = symbols.iter().map(|symbol| symbol.depth).collect();
    levels.sort_unstable();
    levels.dedup();
    let down_to = |level: usize| {
        let of_level = symbols.iter().zip(&costs);
        let of_level = of_level.filter(move |(symbol, _)| symbol.depth <= level);
        of_level.map(|(_, cost)| *cost).sum::<usize>()
    };
    let level = levels.iter().rev().find(|level| down_to(**level) <= room);
    let level = level.or(levels.first()).copied().unwrap_or(0);
    let (mut left, mut shown) = (room, Vec::new());
    for (symbol, cost) in symbols.iter().zip(costs) {
        if symbol.depth <= level && cost <= left {
            left -= cost;
            shown.push(symbol.clone());
        }
    }
    Outline {
        files_left: 0,
        symbols_left: symbols.len() - shown.len(),
        files: vec![ShownFile {
            path: path.to_owned(),
            symbols: shown,
        }],
    }
}

/// The outline of many files within so many tokens: first the symbols whose names the other files use
/// most, each with its file and the symbols that it stands in.
#[must_use]
pub fn of_folder(files: &[SourceFile], tokens: usize) -> Outline {
    let ranking = rank::rank(files);
    let mut choice = Choice::of(files, choice::room(tokens));
    for (file, symbol) in ranking.symbols {
        if choice.is_full() {
            break;
        }
        choice.take(file, symbol);
    }
    choice.outline(&ranking.files)
}
