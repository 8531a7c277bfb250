//! Calls in JSON that lack their last brackets, as small models write them.

use super::forms::{self, Position, Run};
use super::input::Input;
use super::offered::Offered;

/// Brackets that may be missing: those of the arguments, of the call and of a list around it.
const MISSING: usize = 3;

/// A call that is all of a reply but for the brackets at its end. Until the reply is over, more may
/// follow, which makes a text of it.
pub(super) fn run(input: Input<'_>, position: Position, offered: &Offered) -> Option<Run> {
    let text = closed(input.text)?;
    let whole = Input {
        text: &text,
        is_last: input.is_last,
    };
    let is_all = |bytes| text.get(bytes..).is_some_and(|rest| rest.trim().is_empty());
    match forms::run(whole, position, offered) {
        Run::Calls(calls, bytes) if input.is_last && is_all(bytes) => {
            Some(Run::Calls(calls, input.text.len()))
        }
        Run::More => Some(Run::More),
        _ if input.is_last => None,
        _ => {
            let others = forms::run_of_others(whole, position, offered);
            matches!(others, Run::More).then_some(Run::More)
        }
    }
}

/// The text with the brackets that its JSON lacks, in front of whatever closes the call. `None` where it
/// lacks none, or more than brackets: a text or an entry that was begun is not whole, and what stands in
/// it may be half of what was meant.
fn closed(text: &str) -> Option<String> {
    let mut open = Vec::new();
    let mut end = text.len();
    let mut is_text = false;
    // The last character that is no white space.
    let mut last = '{';
    let mut characters = text.char_indices();
    characters.find(|(_, c)| *c == '{')?;
    open.push('}');
    while let Some((at, c)) = characters.next() {
        let is_in_value = !['}', ']', '"'].contains(&last);
        if !c.is_whitespace() {
            last = c;
        }
        match c {
            '\\' if is_text => {
                characters.next();
            }
            '"' => is_text = !is_text,
            _ if is_text => {}
            '{' => open.push('}'),
            '[' => open.push(']'),
            '}' | ']' if open.last() == Some(&c) => {
                open.pop();
            }
            _ if c.is_whitespace() || ",:".contains(c) => {}
            _ if is_in_value && (c.is_ascii_alphanumeric() || "+-.".contains(c)) => {}
            // No JSON goes on with anything else: here begins what closes the call.
            _ => {
                end = at;
                break;
            }
        }
    }
    let (call, rest) = text.split_at(end);
    let call = call.trim_end();
    // A number or a word that the text ends with may go on.
    let is_open = rest.is_empty() && !call.ends_with(['}', ']', '"']);
    let is_begun = is_text || is_open || call.ends_with([',', ':', '{', '[']);
    if is_begun || open.is_empty() || open.len() > MISSING {
        return None;
    }
    let missing: String = open.iter().rev().collect();
    Some(format!("{call}{missing}\n{rest}"))
}

#[cfg(test)]
mod tests {
    use super::closed;

    #[test]
    fn missing_brackets_are_added_where_the_call_ends() {
        for (text, whole) in [
            (
                r#"{"name": "a", "arguments": {"b": 1}"#,
                "{\"name\": \"a\", \"arguments\": {\"b\": 1}}\n",
            ),
            (
                r#"<t>{"a": {"b": [1, "x}"</t>"#,
                "<t>{\"a\": {\"b\": [1, \"x}\"]}}\n</t>",
            ),
            (
                "```json\n{\"a\": {\"b\": 1}\n```",
                "```json\n{\"a\": {\"b\": 1}}\n```",
            ),
            (r#"{"a": {"b": 1]"#, "{\"a\": {\"b\": 1}}\n]"),
            (r#"{"a": "\"{""#, "{\"a\": \"\\\"{\"}\n"),
        ] {
            assert_eq!(closed(text).as_deref(), Some(whole), "{text}");
        }
    }

    #[test]
    fn what_lacks_nothing_or_more_than_brackets_is_left_alone() {
        for text in [
            "no JSON",
            r#"{"a": 1}"#,
            r#"{"a": "b"#,
            r#"{"a": "#,
            r#"{"a": 1, "#,
            r#"{"a": 1"#,
            r#"{"a": {"b": true"#,
            r#"{"a": {"#,
            r#"{"a": [[[1"#,
        ] {
            assert_eq!(closed(text), None, "{text}");
        }
    }
}
