//! Tool calls and thinking that a model wrote into its text instead of where they belong.
//!
//! Model families spell calls in their own ways, and a server that does not know a family's way
//! passes the spelling on as text. [`Splitter`] takes that text in pieces of any size and gives it
//! back as visible text, thinking and calls. The result does not depend on how the text was cut.
//!
//! A call is recovered only when it is the whole answer, thinking aside, and its name was offered.
//! A bracket or a closing tag too many is no word and takes nothing from it, and brackets that are
//! missing at its end are added. An answer that says
//! something beside a call may be quoting it from a mail or a page, and stays text; so do tool
//! definitions. What is nothing but a call and cannot be run, since its tool is not on offer or it is
//! not whole, is no text either, unless it stands in a code block. Whether a whole answer is a
//! quotation, [`stands_in`] tells from what the model was shown.

mod begun;
mod deepseek;
mod fence;
mod follow;
mod forms;
mod found;
mod harmony;
mod input;
mod json;
mod offered;
mod python;
mod quoted;
mod react;
mod repair;
mod splitter;
mod tags;
mod thinking;
mod unusable;
mod xml;

pub use found::{Found, LeakedCall, Piece};
pub use offered::on_offer;
pub use quoted::{repeats, stands_in};
pub use splitter::Splitter;

use domain::tool::ToolDefinition;

/// Takes a whole text apart.
#[must_use]
pub fn scan(text: &str, offered: &[ToolDefinition]) -> Found {
    let mut splitter = Splitter::new(offered);
    let mut found = Found::default();
    for piece in splitter.push(text) {
        found.add(piece);
    }
    for piece in splitter.finish() {
        found.add(piece);
    }
    found
}
