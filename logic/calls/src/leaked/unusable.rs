//! Replies that are nothing but a call, and none that can be run: its tool is not on offer, or it is
//! not whole. They are no text for people either.

use super::begun::{self, Begun};
use super::forms::{self, Position, Run};
use super::found::Piece;
use super::input::{Input, Match};
use super::offered::Offered;

/// Calls that are the whole answer, and name a tool that is not on offer.
pub(super) fn of_others(input: Input<'_>, position: Position, offered: &Offered) -> Match<Piece> {
    let (calls, bytes) = match forms::run_of_others(input, position, offered) {
        Run::Calls(calls, bytes) | Run::Malformed(calls, bytes) => (calls, bytes),
        Run::More => return Match::More,
        Run::Text(..) | Run::No => return Match::No,
    };
    let mut names = calls.iter().map(|call| &call.name);
    let Some(tool) = names.find(|name| !offered.offers(name)).cloned() else {
        return Match::No;
    };
    let written = input.text.get(..bytes).unwrap_or_default();
    let found = Piece::NotOffered {
        calls,
        tool,
        written: written.trim().to_owned(),
    };
    Match::Yes(found, bytes)
}

/// The call that a text begins with, and with which it ends before the call is whole.
pub(super) fn broken(text: &str, position: Position, offered: &Offered) -> Option<Begun> {
    let looks = |is_last| {
        let input = Input { text, is_last };
        [
            forms::run(input, position, offered),
            forms::run_of_others(input, position, offered),
        ]
    };
    let is_begun = looks(false).iter().any(|run| matches!(run, Run::More));
    let is_whole = |run: &Run| matches!(run, Run::Calls(..) | Run::Malformed(..));
    if !is_begun || looks(true).iter().any(is_whole) {
        return None;
    }
    begun::call(text, offered)
}
