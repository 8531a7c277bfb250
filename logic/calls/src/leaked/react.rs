//! Calls as two lines, after Yao and others, "ReAct: Synergizing Reasoning and Acting in Language
//! Models" (2022), and the prompts made after it: `Action: name`, `Action Input: {…}`.

use super::found::LeakedCall;
use super::input::{Input, Match};
use super::json;
use super::offered::Offered;

/// What stands before the name, and before the arguments.
const ACTION: &str = "Action:";
pub(super) const ACTION_INPUT: &str = "Action Input:";

/// One call.
pub(super) fn call(input: Input<'_>, offered: &Offered) -> Match<Vec<LeakedCall>> {
    let mut taken = match input.literal(ACTION) {
        Match::Yes((), bytes) => bytes,
        Match::More => return Match::More,
        Match::No => return Match::No,
    };
    let Some((line, _)) = input.after(taken).text.split_once('\n') else {
        return input.after(taken).more();
    };
    let name = line.trim().trim_matches('`');
    if !offered.has(name) {
        return Match::No;
    }
    taken += line.len();
    taken += input.after(taken).space();
    match input.after(taken).literal(ACTION_INPUT) {
        Match::Yes((), bytes) => taken += bytes,
        Match::More => return Match::More,
        Match::No => return Match::No,
    }
    match json::object(input.after(taken)) {
        Match::Yes(arguments, bytes) => match offered.call(name, arguments) {
            Some(call) => Match::Yes(vec![call], taken + bytes),
            None => Match::No,
        },
        Match::More => Match::More,
        Match::No => Match::No,
    }
}
