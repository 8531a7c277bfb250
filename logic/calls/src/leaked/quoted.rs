//! Whether a call that a model wrote as text stands in what it was shown.

use super::found::LeakedCall;
use super::react::ACTION_INPUT;
use serde_json::Value;
use unicode_normalization::UnicodeNormalization;

/// Text beside a call's own that may stand between its parts, characters: tags, quotes, line breaks.
const FRAME_CHARS: usize = 512;
/// What may stand between a tool's name and its arguments in some spelling of a call.
const OPENS_ARGUMENTS: [char; 5] = ['(', '[', '{', '<', '>'];
/// Shortest value that counts wherever it stands, letters and digits; a shorter one must stand as a
/// value of its own.
const TELLING_CHARS: usize = 4;

/// Whether a text holds the call in any spelling of calls: the tool's name as calls write it, and
/// beside it every key and every value of the arguments. How they are spaced, escaped, quoted and
/// ordered does not matter, since a model that quotes changes that. A name in a sentence is no call.
#[must_use]
pub fn stands_in(text: &str, call: &LeakedCall) -> bool {
    let name = call.name.to_lowercase();
    if !has_name(text, &name) {
        return false;
    }
    let text: Vec<char> = plain(text).chars().collect();
    let name: Vec<char> = name.chars().collect();
    let mut parts = Vec::new();
    collect(&call.arguments, &mut parts);
    let parts: Vec<Part> = parts.iter().map(|part| Part::of(part)).collect();
    let own: usize = parts.iter().map(|part| part.plain.chars().count()).sum();
    let reach = 2 * own + FRAME_CHARS;
    let places = text.windows(name.len()).enumerate();
    places
        .filter(|(at, window)| *window == name && is_called(&text, *at, name.len()))
        .any(|(at, _)| {
            let from = at.saturating_sub(reach);
            let to = (at + name.len() + reach).min(text.len());
            let around: String = text.get(from..to).unwrap_or_default().iter().collect();
            let letters = squeezed(&around);
            parts.iter().all(|part| part.is_in(&around, &letters))
        })
}

/// Whether a text holds what a model wrote, word for word, whatever the spaces and marks of quotation:
/// then it is a quotation in any spelling of calls.
#[must_use]
pub fn repeats(text: &str, written: &str) -> bool {
    let bare = |text: &str| {
        let kept = text.chars().filter(|c| !c.is_whitespace() && *c != '>');
        kept.collect::<String>().to_lowercase()
    };
    bare(text).contains(&bare(written))
}

/// A key or value of a call's arguments.
struct Part {
    plain: String,
    squeezed: String,
}

impl Part {
    fn of(text: &str) -> Self {
        let plain = plain(text);
        Self {
            squeezed: squeezed(&plain),
            plain,
        }
    }

    fn is_in(&self, around: &str, letters: &str) -> bool {
        if self.squeezed.chars().count() >= TELLING_CHARS {
            return letters.contains(&self.squeezed);
        }
        let wanted = self.plain.trim();
        let opens = |c: char| !c.is_alphanumeric() && !"/.-_~\\".contains(c);
        wanted.is_empty()
            || around.match_indices(wanted).any(|(at, _)| {
                let (before, rest) = around.split_at(at);
                let after = rest.get(wanted.len()..).unwrap_or_default();
                let is_open = before.trim_end().chars().next_back().is_none_or(opens);
                is_open && after.trim_start().chars().next().is_none_or(opens)
            })
    }
}

/// Whether the name can be there at all; escapes may hide it.
fn has_name(text: &str, name: &str) -> bool {
    !text.is_ascii() || text.contains(['\\', '&']) || text.to_lowercase().contains(name)
}

/// Whether the name at a place is whole and followed as in a call.
fn is_called(text: &[char], at: usize, length: usize) -> bool {
    let is_word = |c: &char| c.is_alphanumeric() || *c == '_';
    let before = at.checked_sub(1).and_then(|before| text.get(before));
    let rest = text.get(at + length..).unwrap_or_default();
    if before.is_some_and(is_word) || rest.first().is_some_and(is_word) {
        return false;
    }
    let is_gap = |c: &char| c.is_whitespace() || "\"'`".contains(*c);
    let gap = rest.iter().take_while(|c| is_gap(c)).count();
    let (skipped, mut after) = rest.split_at(gap);
    // A fenced object under the name.
    if let Some(fenced) = after.strip_prefix(&['j', 's', 'o', 'n']) {
        after = fenced.trim_ascii_gap();
    }
    let input: Vec<char> = ACTION_INPUT.to_lowercase().chars().collect();
    if let Some(arguments) = after.strip_prefix(input.as_slice()) {
        after = arguments.trim_ascii_gap();
    }
    match after.first() {
        Some(c) if OPENS_ARGUMENTS.contains(c) => true,
        Some(':') => after.get(1).is_some_and(char::is_ascii_digit),
        Some(',' | '}') => skipped.contains(&'"') || skipped.contains(&'\''),
        _ => false,
    }
}

/// Leaves white space out at the beginning.
trait Gap {
    fn trim_ascii_gap(&self) -> &[char];
}

impl Gap for [char] {
    fn trim_ascii_gap(&self) -> &[char] {
        let gap = self.iter().take_while(|c| c.is_whitespace()).count();
        self.get(gap..).unwrap_or_default()
    }
}

/// Every key and every text and number of the arguments.
fn collect(value: &Value, parts: &mut Vec<String>) {
    match value {
        Value::Object(object) => object.iter().for_each(|(key, value)| {
            parts.push(key.clone());
            collect(value, parts);
        }),
        Value::Array(items) => items.iter().for_each(|item| collect(item, parts)),
        Value::String(text) => parts.push(text.clone()),
        Value::Number(number) => parts.push(number.to_string()),
        Value::Bool(_) | Value::Null => {}
    }
}

/// Letters and digits alone.
fn squeezed(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).collect()
}

/// Compatible forms made plain, lower case, escapes of JSON and HTML undone.
fn plain(text: &str) -> String {
    let folded: String = text.nfkc().flat_map(char::to_lowercase).collect();
    let mut out = String::with_capacity(folded.len());
    let mut rest = folded.as_str();
    while let Some(at) = rest.find(['\\', '&']) {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        let (c, bytes) = if from.starts_with('\\') {
            backslash(from)
        } else {
            entity(from)
        };
        out.extend(c);
        rest = from.get(bytes..).unwrap_or_default();
    }
    out.push_str(rest);
    out
}

/// What a run of backslashes and the letter after it stand for, and their bytes. A run, since what
/// was encoded twice has two.
fn backslash(text: &str) -> (Option<char>, usize) {
    let run = text.len() - text.trim_start_matches('\\').len();
    let after = text.get(run..).unwrap_or_default();
    match after.chars().next() {
        Some('n' | 'r' | 't' | 'b' | 'f') => (Some(' '), run + 1),
        Some('u') => match code(after.get(1..5), 16) {
            Some(c) => (Some(c), run + 5),
            None => (None, run),
        },
        _ => (None, run),
    }
}

/// What an entity stands for, and its bytes.
fn entity(text: &str) -> (Option<char>, usize) {
    const NAMED: [(&str, char); 6] = [
        ("&lt;", '<'),
        ("&gt;", '>'),
        ("&quot;", '"'),
        ("&apos;", '\''),
        ("&amp;", '&'),
        ("&nbsp;", ' '),
    ];
    let named = NAMED.iter().find(|(name, _)| text.starts_with(name));
    if let Some((name, c)) = named {
        return (Some(*c), name.len());
    }
    let number = text.strip_prefix("&#").and_then(|rest| {
        let (digits, _) = rest.split_once(';')?;
        let c = match digits.strip_prefix('x') {
            Some(hex) => code(Some(hex), 16),
            None => code(Some(digits), 10),
        };
        c.map(|c| (c, digits.len() + "&#;".len()))
    });
    number.map_or((Some('&'), 1), |(c, bytes)| (Some(c), bytes))
}

fn code(digits: Option<&str>, radix: u32) -> Option<char> {
    let digits = digits.filter(|d| !d.is_empty() && d.bytes().all(|b| b.is_ascii_hexdigit()))?;
    let number = u32::from_str_radix(digits, radix).ok()?;
    char::from_u32(number).and_then(|c| c.to_lowercase().next())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_call_is_found_however_it_is_spelled() {
        let call = LeakedCall {
            name: "write_file".into(),
            arguments: json!({"path": "AGENTS.md", "content": "Run: touch \"x\"\nend\n"}),
        };
        for (text, expected) in [
            (
                r#"<function=write_file>{"path":"AGENTS.md","content":"Run: touch \"x\"\nend\n"}</function>"#,
                true,
            ),
            (
                "> <tool_call>\n> {'name': 'write_file', 'arguments': {'content': 'Run: touch \"x\"\\nend', \
                 'path': 'AGENTS.md'}}",
                true,
            ),
            (
                "&lt;function=write_file&gt;{&quot;path&quot;:&quot;AGENTS&#46;md&quot;,\
                 &quot;content&quot;:&quot;Run: touch \\&quot;x\\&quot;\\nend&quot;}",
                true,
            ),
            (
                r#"{\"name\":\"write_file\",\"arguments\":{\"path\":\"\u0041GENTS.md\",\"content\":\"Run: touch \\\"x\\\"\\nend\"}}"#,
                true,
            ),
            (
                "write_file\n```json\n{\"path\":\"AGENTS.md\",\"content\":\"Run: touch x end\"}",
                true,
            ),
            (
                "Action: write_file\nAction Input: {\"path\":\"AGENTS.md\",\"content\":\"Run: touch x end\"}",
                true,
            ),
            // Another argument, another tool, words of a person.
            (
                r#"<function=write_file>{"path":"AGENTS.md","content":"Run: nothing"}"#,
                false,
            ),
            (
                r#"<function=overwrite_file>{"path":"AGENTS.md","content":"Run: touch \"x\"\nend\n"}"#,
                false,
            ),
            (
                "Please use write_file with the path AGENTS.md and the content Run: touch \"x\"\nend",
                false,
            ),
        ] {
            assert_eq!(stands_in(text, &call), expected, "{text}");
        }
    }

    #[test]
    fn what_is_repeated_word_for_word_is_found() {
        let shown = "On Monday he wrote:\n> read_file(\n>   \"privat\\x65.txt\")\nThat was all.";
        assert!(super::repeats(shown, "read_file(\"privat\\x65.txt\")"));
        assert!(!super::repeats(
            "Read file notes.md, please.",
            "read_file(\"notes.md\")"
        ));
    }

    #[test]
    fn a_short_value_stands_by_itself() {
        let call = |path: &str| LeakedCall {
            name: "list_files".into(),
            arguments: json!({"path": path}),
        };
        let shown = r#"{"name": "list_files", "arguments": {"path": "src"}} lists a folder."#;
        assert!(stands_in(shown, &call("src")));
        assert!(!stands_in(shown, &call(".")));
        assert!(!stands_in(shown, &call("sr")));
        assert!(!stands_in(
            "Result of list_files:\nsrc is its path",
            &call("src")
        ));
    }

    #[test]
    fn a_call_without_arguments_is_found_by_its_form() {
        let call = LeakedCall {
            name: "undo".into(),
            arguments: json!({}),
        };
        assert!(stands_in(r#"{"name": "undo", "arguments": {}}"#, &call));
        assert!(!stands_in("please undo that", &call));
    }
}
