//! Which symbols of source files are shown within a budget of tokens.
//!
//! What it is: pure functions from files with their [`Symbol`]s to an [`Outline`]: of one file by how
//! deep its symbols stand, of many by how often their names are met in the other files.
//! What it owns: the ranking, what a line costs, and how an outline looks as text.
//! What it never does: read a file or parse one (`logic/symbols` does, in the sandbox); believe what
//! it is told of symbols to be well formed.
//! Where to start: [`of_folder`], then `rank.rs`.

mod choice;
mod line;
mod rank;
mod shown;

pub use shown::{Outline, ShownFile, SourceFile};

use choice::Choice;
use domain::source::Symbol;

/// The outline of one file within so many tokens: the symbols down to the level down to which all fit,
/// and where not even the first one does, as many of that as fit.
#[must_use]
pub fn of_file(path: &str, symbols: &[Symbol], tokens: usize) -> Outline {
    let costs: Vec<usize> = symbols.iter().map(line::cost).collect();
    let room = line::room(tokens);
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
    let mut choice = Choice::of(files, line::room(tokens));
    for (file, symbol) in ranking.symbols {
        if choice.is_full() {
            break;
        }
        choice.take(file, symbol);
    }
    choice.outline(&ranking.files)
}
