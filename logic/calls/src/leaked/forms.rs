//! Every spelling of a call, and runs of them.

use super::fence::FENCE;
use super::follow::LeftOver;
use super::found::LeakedCall;
use super::input::{Input, Match};
use super::json::{self, Place};
use super::offered::Offered;
use super::tags::TAGS;
use super::{deepseek, fence, follow, harmony, python, react, xml};

/// Most places at which a call within a line is looked for in one answer.
const MOST_BEGINNINGS: usize = 64;

/// What code blocks say that they hold: JSON or tags, Python, and tags.
const BLOCKS: [&str; 7] = [
    "",
    "json",
    "jsonc",
    "tool_call",
    "tool_calls",
    "tool",
    "function_call",
];
const PYTHON_BLOCK: &str = "tool_code";
const XML_BLOCK: &str = "xml";

/// Longest word that may be a tool's name, bytes.
const NAME_BYTES: usize = 80;

/// Where a candidate stands.
#[derive(Debug, Clone, Copy)]
pub(super) struct Position {
    /// Nothing but white space is before it on its line.
    pub(super) starts_line: bool,
    /// Nothing but white space is before it at all.
    pub(super) starts_text: bool,
}

/// What calls in a row turned out to be.
pub(super) enum Run {
    /// The whole answer, and how many bytes it takes.
    Calls(Vec<LeakedCall>, usize),
    /// The same, but something behind or between them is no part of any call, and may be what is
    /// left of more.
    Malformed(Vec<LeakedCall>, usize),
    /// Calls by their form, but with other text before or after them: so many bytes are text. With
    /// the tool of the first one.
    Text(usize, Option<String>),
    /// Too early to tell.
    More,
    /// No calls.
    No,
}

/// Calls that stand here. They count when nothing else does: an answer that says something beside
/// them may be quoting.
pub(super) fn run(input: Input<'_>, position: Position, offered: &Offered) -> Run {
    row(input, position, &|input, position| {
        candidate(input, position, offered)
    })
}

/// The same for calls of whatever tool. They are told by the forms that stand for nothing but calls;
/// in a block of code they are an example.
pub(super) fn run_of_others(input: Input<'_>, position: Position, offered: &Offered) -> Run {
    let others = offered.and_others();
    row(input, position, &|input, position| {
        other(input, position, &others)
    })
}

type Candidate<'a> = dyn Fn(Input<'_>, Position) -> Match<Vec<LeakedCall>> + 'a;

fn row(input: Input<'_>, position: Position, candidate: &Candidate<'_>) -> Run {
    let (found, first) = match candidate(input, position) {
        Match::Yes(found, bytes) => (found, bytes),
        Match::More => return Run::More,
        Match::No => return Run::No,
    };
    let named = found.first().map(|call| call.name.clone());
    let left = Run::Text(first, named);
    if !position.starts_text {
        return left;
    }
    let next = Position {
        starts_line: true,
        starts_text: false,
    };
    let mut calls = found;
    let mut taken = first;
    let mut is_well_formed = true;
    loop {
        match follow::end(input.after(taken)) {
            Match::Yes((), more) if is_well_formed => return Run::Calls(calls, taken + more),
            Match::Yes((), more) => return Run::Malformed(calls, taken + more),
            Match::More => return Run::More,
            Match::No => {}
        }
        let gap = input.after(taken).space();
        let rest = input.after(taken + gap);
        match candidate(rest, next) {
            Match::Yes(found, bytes) => {
                calls.extend(found);
                taken += gap + bytes;
                continue;
            }
            Match::More => return Run::More,
            Match::No => {}
        }
        match follow::left_over(rest) {
            Match::Yes(kind, bytes) => {
                is_well_formed &= kind == LeftOver::Closing;
                taken += gap + bytes;
            }
            Match::More => return Run::More,
            Match::No => return left,
        }
    }
}

/// The tool of a call in JSON that stands within a line of the text.
pub(super) fn within_line(text: &str, offered: &Offered) -> Option<String> {
    // Between back-ticks it is spoken of, not made.
    let begins = text.match_indices('{').map(|(at, _)| at);
    let begins = begins.filter(|at| !text.get(..*at).is_some_and(|before| before.ends_with('`')));
    begins.take(MOST_BEGINNINGS).find_map(|at| {
        let text = text.get(at..).unwrap_or_default();
        let input = Input {
            text,
            is_last: true,
        };
        match json::calls(input, Place::Words, offered) {
            Match::Yes(calls, _) => calls.into_iter().next().map(|call| call.name),
            Match::More | Match::No => None,
        }
    })
}

/// One spelling.
fn candidate(input: Input<'_>, position: Position, offered: &Offered) -> Match<Vec<LeakedCall>> {
    let Some(first) = input.text.chars().next() else {
        return input.more();
    };
    match first {
        '<' => first_of(&[
            &|| tagged(input, offered),
            &|| deepseek::calls(input, offered),
            &|| harmony::call(input, offered),
        ]),
        '[' if position.starts_line => first_of(&[
            &|| tagged(input, offered),
            &|| json::calls(input, Place::Open, offered),
            &|| python::list(input, offered),
        ]),
        '[' => tagged(input, offered),
        '{' if position.starts_line => json::calls(input, Place::Open, offered),
        '`' if position.starts_line => block(input, offered),
        'f' if position.starts_line => first_of(&[&|| functools(input, offered), &|| {
            first_name(input, position, offered)
        }]),
        '>' => functionary(input, offered),
        _ => first_name(input, position, offered),
    }
}

/// One spelling of a call of whatever tool.
fn other(input: Input<'_>, position: Position, others: &Offered) -> Match<Vec<LeakedCall>> {
    let Some(first) = input.text.chars().next() else {
        return input.more();
    };
    match first {
        '<' => first_of(&[
            &|| tagged(input, others),
            &|| deepseek::calls(input, others),
            &|| harmony::call(input, others),
        ]),
        '[' => first_of(&[&|| tagged(input, others), &|| {
            json::calls(input, Place::Open, others)
        }]),
        '{' if position.starts_line => json::calls(input, Place::Open, others),
        'f' if position.starts_line => functools(input, others),
        '>' => functionary(input, others),
        _ => Match::No,
    }
}

/// The first that is there; `More` while one may be.
fn first_of(forms: &[&dyn Fn() -> Match<Vec<LeakedCall>>]) -> Match<Vec<LeakedCall>> {
    let mut more = false;
    for form in forms {
        match form() {
            found @ Match::Yes(..) => return found,
            Match::More => more = true,
            Match::No => {}
        }
    }
    if more { Match::More } else { Match::No }
}

/// Calls inside a tag, or a function tag of its own.
pub(super) fn tagged(input: Input<'_>, offered: &Offered) -> Match<Vec<LeakedCall>> {
    let mut more = false;
    for (open, closes) in TAGS {
        match input.literal(open) {
            Match::Yes((), bytes) => {
                let body = inside(input.after(bytes), closes, offered);
                return body.after(bytes);
            }
            Match::More => more = true,
            Match::No => {}
        }
    }
    match xml::function(input, offered) {
        Match::Yes(call, bytes) => Match::Yes(vec![call], bytes),
        Match::No if more => Match::More,
        other => other.map(|_| Vec::new()),
    }
}

/// One or more calls up to a closing tag, which may be missing.
fn inside(input: Input<'_>, closes: &[&str], offered: &Offered) -> Match<Vec<LeakedCall>> {
    let mut all = Vec::new();
    let mut taken = 0;
    loop {
        let rest = input.after(taken);
        let gap = rest.space();
        let rest = rest.after(gap);
        if !all.is_empty() {
            match rest.any_literal(closes) {
                Match::Yes(_, bytes) => return Match::Yes(all, taken + gap + bytes),
                Match::More => return Match::More,
                Match::No => {}
            }
        }
        match body(rest, offered) {
            Match::Yes(calls, bytes) => {
                all.extend(calls);
                taken += gap + bytes;
            }
            Match::More if all.is_empty() || !rest.text.is_empty() => return Match::More,
            Match::More | Match::No if all.is_empty() => return Match::No,
            Match::More | Match::No => return Match::Yes(all, taken),
        }
    }
}

/// What stands between tags: JSON, a list in Python, a function tag, or a name with its arguments.
fn body(input: Input<'_>, offered: &Offered) -> Match<Vec<LeakedCall>> {
    let Some(first) = input.text.chars().next() else {
        return input.more();
    };
    match first {
        '{' => json::calls(input, Place::Marked, offered),
        '[' => match json::calls(input, Place::Marked, offered) {
            Match::No => python::list(input, offered),
            Match::More => match python::list(input, offered) {
                found @ Match::Yes(..) => found,
                Match::More | Match::No => Match::More,
            },
            found @ Match::Yes(..) => found,
        },
        '<' => xml::function(input, offered).map(|call| vec![call]),
        '`' => block(input, offered),
        _ => named(input, offered),
    }
}

/// A name and its arguments: Mistral's `name[ARGS]{…}`, Gemma's `call:name{…}`, GLM's tags,
/// Python.
fn named(input: Input<'_>, offered: &Offered) -> Match<Vec<LeakedCall>> {
    let start = match input.literal("call:") {
        Match::Yes((), bytes) => bytes,
        Match::More => return Match::More,
        Match::No => 0,
    };
    let at_name = input.after(start);
    let forms: [Match<Vec<LeakedCall>>; 3] = [
        name_and_object(at_name, offered).after(start),
        xml::keys_and_values(at_name, offered)
            .map(|call| vec![call])
            .after(start),
        python::statements(at_name, offered).after(start),
    ];
    let mut more = false;
    for form in forms {
        match form {
            found @ Match::Yes(..) => return found,
            Match::More => more = true,
            Match::No => {}
        }
    }
    if more { Match::More } else { Match::No }
}

/// The word that a text begins with, as names of tools are written, and how many bytes it has.
fn name_of(input: Input<'_>) -> Match<&str> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
    match input.text.find(|c: char| !is_name(c)) {
        Some(end) => Match::Yes(input.text.get(..end).unwrap_or_default(), end),
        None if input.text.len() > NAME_BYTES => Match::No,
        None => input.more(),
    }
}

/// `name{…}`, `name[ARGS]{…}`, `name[CALL_ID]id[ARGS]{…}`, `name` and an object on the next line.
fn name_and_object(input: Input<'_>, offered: &Offered) -> Match<Vec<LeakedCall>> {
    let (name, end) = match name_of(input) {
        Match::Yes(name, end) => (name, end),
        Match::More => return Match::More,
        Match::No => return Match::No,
    };
    if !offered.has(name) {
        return Match::No;
    }
    let mut taken = end;
    match input.after(taken).literal("[CALL_ID]") {
        Match::Yes((), bytes) => {
            let id = input.after(taken + bytes);
            let Some(length) = id.text.find('[') else {
                return input.more();
            };
            taken += bytes + length;
        }
        Match::More => return Match::More,
        Match::No => {}
    }
    match input.after(taken).literal("[ARGS]") {
        Match::Yes((), bytes) => taken += bytes,
        Match::More => return Match::More,
        Match::No => {}
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

/// Phi: `functools[{…}]`.
fn functools(input: Input<'_>, offered: &Offered) -> Match<Vec<LeakedCall>> {
    const WORD: &str = "functools";
    match input.literal("functools[") {
        Match::Yes((), _) => {
            json::calls(input.after(WORD.len()), Place::Marked, offered).after(WORD.len())
        }
        Match::More => Match::More,
        Match::No => Match::No,
    }
}

/// Functionary: `>>>name`, a line break, an object.
fn functionary(input: Input<'_>, offered: &Offered) -> Match<Vec<LeakedCall>> {
    match input.literal(">>>") {
        Match::Yes((), bytes) => on_own_line(input.after(bytes), offered).after(bytes),
        Match::More => Match::More,
        Match::No => Match::No,
    }
}

/// What begins with a word: the same at the very beginning, where the mark is part of the prompt; a
/// call as in a script; and ReAct's.
fn first_name(input: Input<'_>, position: Position, offered: &Offered) -> Match<Vec<LeakedCall>> {
    if !position.starts_line {
        return Match::No;
    }
    let own_line = || match position.starts_text {
        true => on_own_line(input, offered),
        false => Match::No,
    };
    let whole = || match position.starts_text {
        true => at_once(input, offered),
        false => Match::No,
    };
    first_of(&[&own_line, &|| in_brackets(input, offered), &whole, &|| {
        react::call(input, offered)
    }])
}

/// `name(key="value")` or `name {…}`, on one line and without a mark: of a tool on offer alone.
fn at_once(input: Input<'_>, offered: &Offered) -> Match<Vec<LeakedCall>> {
    let start = match input.literal("call:") {
        Match::Yes((), bytes) => bytes,
        Match::More => return Match::More,
        Match::No => 0,
    };
    let at_name = input.after(start);
    let (name, end) = match name_of(at_name) {
        Match::Yes(name, end) => (name, end),
        Match::More => return Match::More,
        Match::No => return Match::No,
    };
    if !offered.offers(name) {
        return Match::No;
    }
    let rest = at_name.after(end).text.trim_start_matches(' ');
    match rest.chars().next() {
        None => input.more(),
        Some('{' | '(') => named(input, offered),
        Some(_) => Match::No,
    }
}

/// `functions.name({…})`, as a script has it.
fn in_brackets(input: Input<'_>, offered: &Offered) -> Match<Vec<LeakedCall>> {
    let (name, end) = match name_of(input) {
        Match::Yes(name, end) => (name, end),
        Match::More => return Match::More,
        Match::No => return Match::No,
    };
    let rest = input.after(end);
    if !rest.text.starts_with('(') || !offered.has(name) {
        return Match::No;
    }
    let mut taken = end + 1;
    let arguments = match json::object(input.after(taken)) {
        Match::Yes(arguments, bytes) => {
            taken += bytes;
            arguments
        }
        Match::More => return Match::More,
        Match::No => return Match::No,
    };
    taken += input.after(taken).space();
    match input.after(taken).literal(")") {
        Match::Yes((), bytes) => taken += bytes,
        Match::More => return Match::More,
        Match::No => return Match::No,
    }
    match offered.call(name, arguments) {
        Some(call) => Match::Yes(vec![call], taken),
        None => Match::No,
    }
}

fn on_own_line(input: Input<'_>, offered: &Offered) -> Match<Vec<LeakedCall>> {
    let (name, end) = match name_of(input) {
        Match::Yes(name, end) => (name, end),
        Match::More => return Match::More,
        Match::No => return Match::No,
    };
    let rest = input.after(end);
    let breaks = rest.text.starts_with(['\n', '\r']);
    if !breaks || !offered.has(name) {
        return Match::No;
    }
    name_and_object(input, offered)
}

/// A block that holds nothing but calls. An open block at the very end counts as closed.
fn block(input: Input<'_>, offered: &Offered) -> Match<Vec<LeakedCall>> {
    let (info, head) = match fence::opening(input) {
        Match::Yes(info, bytes) => (info, bytes),
        // Words behind back-ticks are told from a block before their line is whole.
        Match::More if may_open_block(input.text) => return Match::More,
        Match::More | Match::No => return Match::No,
    };
    let body = input.after(head);
    let inside = match info.as_str() {
        info if BLOCKS.contains(&info) => either(json::calls(body, Place::Open, offered), || {
            tagged(body.after(body.space()), offered).after(body.space())
        }),
        PYTHON_BLOCK => either(python::statements(body, offered), || {
            python::list(body.after(body.space()), offered).after(body.space())
        }),
        XML_BLOCK => tagged(body.after(body.space()), offered).after(body.space()),
        _ => Match::No,
    };
    let (calls, bytes) = match inside {
        Match::Yes(calls, bytes) => (calls, bytes),
        Match::More => return Match::More,
        Match::No => return Match::No,
    };
    let rest = body.after(bytes);
    // A bracket too many is no part of the call, and takes nothing from it.
    let closing = |c: char| c.is_whitespace() || follow::CLOSING.contains(&c);
    let gap = rest.text.len() - rest.text.trim_start_matches(closing).len();
    let end = rest.after(gap);
    if end.text.is_empty() && end.is_last {
        return Match::Yes(calls, head + bytes);
    }
    match end.literal(FENCE) {
        Match::Yes((), fence) => Match::Yes(calls, head + bytes + gap + fence),
        Match::More => Match::More,
        Match::No => Match::No,
    }
}

/// Whether the line that a text consists of may become the first one of such a block.
fn may_open_block(line: &str) -> bool {
    let info = line.trim_start_matches('`').trim().to_lowercase();
    let all = BLOCKS.iter().chain(&[PYTHON_BLOCK, XML_BLOCK]);
    all.into_iter().any(|known| known.starts_with(&info))
}

/// The second where the first is certainly not there.
fn either<T>(first: Match<T>, second: impl FnOnce() -> Match<T>) -> Match<T> {
    match first {
        Match::Yes(..) => first,
        Match::More => match second() {
            found @ Match::Yes(..) => found,
            Match::More | Match::No => Match::More,
        },
        Match::No => second(),
    }
}
