//! Which symbols a source file defines: functions, types, constants, and the parts that hold others.
//!
//! What it is: a pure function from a text in a known language to its [`Symbol`]s, by the parsers of
//! tree-sitter.
//! What it owns: which nodes of each grammar are symbols, and the one line that each is shown by.
//! What it never does: read a file, choose what is shown, run in the process of the broker. The parsers
//! are C and the texts are anyone's, so the reader of sources in the sandbox alone calls it.
//! Where to start: [`read`], then `grammar.rs`.

#[cfg(feature = "grammars")]
mod grammar;
#[cfg(feature = "grammars")]
mod reach;
#[cfg(feature = "grammars")]
mod signature;
#[cfg(feature = "grammars")]
mod walk;

use domain::source::{Source, Symbol};

/// Whether this program was built with the grammars.
pub const HAS_GRAMMARS: bool = cfg!(feature = "grammars");

/// The symbols of a source file in the order of their lines, at most
/// [`SOURCE_SYMBOLS`](domain::limits::SOURCE_SYMBOLS) of them; `None` when its parser gives nothing, as
/// none does without the grammars. What is no valid text of its language is passed over.
#[must_use]
pub fn read(source: &Source) -> Option<Vec<Symbol>> {
    #[cfg(feature = "grammars")]
    let found = walk::symbols(source);
    #[cfg(not(feature = "grammars"))]
    let found = {
        let _unread = source;
        None
    };
    found
}
