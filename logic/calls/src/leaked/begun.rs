//! Calls that are begun and not whole, and how they are told from other text that is not.

use super::fence;
use super::input::{Input, Match};
use super::json::{self, Place};
use super::offered::Offered;
use super::tags::{TAGS, TOOL};
use super::{deepseek, harmony, xml};
use domain::tool::ToolName;

/// How the calls of Phi begin, and those of Functionary.
const FUNCTOOLS: &str = "functools[";
const FUNCTIONARY: &str = ">>>";

/// A call that ends too early.
pub(super) struct Begun {
    /// Its tool, where the name was there.
    pub(super) tool: Option<String>,
}

/// The call that a text begins with, for one in which a call may have begun and is not whole. Where
/// nothing marks it as a call, it has to name a tool, or to look like nothing else.
pub(super) fn call(text: &str, offered: &Offered) -> Option<Begun> {
    let text = text.trim_start();
    let tool = offered.named_in(text);
    let written = match marked(text, offered) {
        Some(written) => written,
        None => {
            let inside = inside(text);
            let unmarked = json::begun(inside, Place::Open, offered);
            let found = unmarked.or_else(|| ends_in_name(text, inside, offered));
            // The name of a tool alone may be the answer.
            let is_named = tool.is_some() && is_more_than_a_word(text);
            found.or(is_named.then_some(""))?
        }
    };
    let is_whole = ToolName::new(written).is_ok() && !text.ends_with(written);
    Some(Begun {
        tool: tool.or(is_whole.then(|| written.to_owned())),
    })
}

/// What stands for nothing but a call: its tool, as far as it is written.
fn marked<'a>(text: &'a str, offered: &Offered) -> Option<&'a str> {
    if let Some(written) = harmony::begun(text).or_else(|| xml::begun(text)) {
        return Some(bare(written));
    }
    if let Some(mut rest) = deepseek::opened(text) {
        while let Some(inner) = deepseek::opened(rest.trim_start()) {
            rest = inner;
        }
        return Some(bare(deepseek::named(rest)));
    }
    if let Some(rest) = text.strip_prefix(FUNCTIONARY) {
        let (name, rest) = rest.split_once('\n')?;
        return rest.trim_start().starts_with('{').then_some(bare(name));
    }
    let mut opens = TAGS
        .iter()
        .map(|(open, _)| *open)
        .filter(|open| *open != TOOL);
    let is_opening = opens.clone().any(|open| open.starts_with(text)) || deepseek::is_opening(text);
    if is_opening && text.len() > TOOL.len() {
        return Some("");
    }
    let tag = opens.find_map(|open| text.strip_prefix(open));
    let body = tag.or_else(|| text.strip_prefix(FUNCTOOLS))?.trim_start();
    let inner = marked(body, offered).or_else(|| json::begun(body, Place::Marked, offered));
    let word = || bare(body.trim_start_matches('['));
    Some(inner.unwrap_or_else(word))
}

/// What stands in a code block that a text opens, or in a tag that may be anybody's.
fn inside(text: &str) -> &str {
    let input = Input {
        text,
        is_last: true,
    };
    let body = match fence::opening(input) {
        Match::Yes(_, bytes) => text.get(bytes..).unwrap_or_default(),
        Match::More | Match::No => text,
    };
    let body = body.trim_start();
    body.strip_prefix(TOOL).unwrap_or(body)
}

/// A name that is on offer as far as it goes, where a text ends in the middle of it.
fn ends_in_name<'a>(text: &str, inside: &'a str, offered: &Offered) -> Option<&'a str> {
    let is_list = inside.starts_with('[');
    if !is_list && !text.starts_with("```tool_code") && !text.starts_with(FUNCTIONARY) {
        return None;
    }
    let is_part = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
    let begin = inside.trim_end_matches(is_part).len();
    inside.get(begin..).filter(|name| offered.begins(name))
}

fn is_more_than_a_word(text: &str) -> bool {
    text.contains(['{', '[', '<', '(']) || text.starts_with(FUNCTIONARY)
}

/// A name at the beginning of a text, without what templates put before it.
fn bare(text: &str) -> &str {
    let text = text.trim_start();
    let text = text.strip_prefix("call:").unwrap_or(text);
    let text = text.strip_prefix("functions.").unwrap_or(text);
    let is_part = |c: char| c.is_ascii_alphanumeric() || "_-".contains(c);
    let end = text.find(|c: char| !is_part(c)).unwrap_or(text.len());
    text.get(..end).unwrap_or_default()
}
