//! Taking symbols one by one as long as there is room.

use crate::line::{cost, heading};
use crate::shown::{Outline, ShownFile, SourceFile};
use domain::source::Symbol;

/// The shortest line that a symbol may have, characters.
const LEAST_LINE: usize = 6;

/// What is taken so far.
pub(crate) struct Choice<'f> {
    files: &'f [SourceFile],
    taken: Vec<Taken>,
    room: usize,
}

/// What is taken of a file.
struct Taken {
    /// For each symbol the one that it stands in.
    above: Vec<Option<usize>>,
    is_taken: Vec<bool>,
    is_shown: bool,
}

impl<'f> Choice<'f> {
    pub(crate) fn of(files: &'f [SourceFile], room: usize) -> Self {
        let taken = |file: &SourceFile| Taken {
            above: above(&file.symbols),
            is_taken: vec![false; file.symbols.len()],
            is_shown: false,
        };
        Self {
            files,
            taken: files.iter().map(taken).collect(),
            room,
        }
    }

    pub(crate) const fn is_full(&self) -> bool {
        self.room < LEAST_LINE
    }

    /// Takes a symbol with all that it stands in, if there is room for all of it.
    pub(crate) fn take(&mut self, file: usize, symbol: usize) {
        let (source, taken) = (&self.files[file], &mut self.taken[file]);
        let mut chain = Vec::new();
        let mut next = Some(symbol);
        while let Some(at) = next.filter(|at| !taken.is_taken[*at]) {
            chain.push(at);
            next = taken.above[at];
        }
        let heading = match taken.is_shown {
            true => 0,
            false => heading(&source.path).chars().count(),
        };
        let mut needed = heading;
        for at in &chain {
            needed += cost(&source.symbols[*at]);
            if needed > self.room {
                return;
            }
        }
        self.room -= needed;
        taken.is_shown = true;
        for at in chain {
            taken.is_taken[at] = true;
        }
    }

    /// What was taken, with the files in this order.
    pub(crate) fn outline(self, order: &[usize]) -> Outline {
        let mut outline = Outline::default();
        for file in order {
            let (source, taken) = (&self.files[*file], &self.taken[*file]);
            let shown = source.symbols.iter().zip(&taken.is_taken);
            let shown = shown.filter(|(_, is_taken)| **is_taken);
            let symbols: Vec<Symbol> = shown.map(|(symbol, _)| symbol.clone()).collect();
            outline.symbols_left += source.symbols.len() - symbols.len();
            match symbols.is_empty() {
                true => outline.files_left += usize::from(!source.symbols.is_empty()),
                false => outline.files.push(ShownFile {
                    path: source.path.clone(),
                    symbols,
                }),
            }
        }
        outline
    }
}

/// For each symbol the last one before it that is less deep.
fn above(symbols: &[Symbol]) -> Vec<Option<usize>> {
    let mut open: Vec<usize> = Vec::new();
    let mut above = Vec::with_capacity(symbols.len());
    for (at, symbol) in symbols.iter().enumerate() {
        while open
            .pop_if(|last| symbols[*last].depth >= symbol.depth)
            .is_some()
        {}
        above.push(open.last().copied());
        open.push(at);
    }
    above
}
