//! How a symbol and a file look, and what that takes.

use domain::limits::SIGNATURE_CHARS;
use domain::source::Symbol;
use text::escape::visible_line;

/// Characters of a token, by the estimate of `logic/context`.
const CHARACTERS_PER_TOKEN: usize = 4;
/// Kept for what is said of what is left out, characters.
const NOTE_CHARACTERS: usize = 60;
/// Levels that are indented; deeper ones stand under one another.
const INDENTED_LEVELS: usize = 8;

/// Characters that symbols may take in so many tokens.
pub(crate) const fn room(tokens: usize) -> usize {
    tokens
        .saturating_mul(CHARACTERS_PER_TOKEN)
        .saturating_sub(NOTE_CHARACTERS)
}

/// The line of a symbol: where it is named and its signature, with its line end.
pub(crate) fn line(symbol: &Symbol) -> String {
    let indent = "  ".repeat(symbol.depth.min(INDENTED_LEVELS) + 1);
    let mut signature = visible_line(&symbol.signature);
    if let Some((end, _)) = signature.char_indices().nth(SIGNATURE_CHARS) {
        signature.truncate(end);
        signature.push('…');
    }
    format!("{indent}{}: {signature}\n", symbol.line)
}

/// The line of a file, with its line end.
pub(crate) fn heading(path: &str) -> String {
    visible_line(path) + "\n"
}

/// What the line of a symbol takes, characters.
pub(crate) fn cost(symbol: &Symbol) -> usize {
    line(symbol).chars().count()
}
