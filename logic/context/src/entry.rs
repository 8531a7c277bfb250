//! One message of a context, with what is known of it.

use crate::words::one_line;
use domain::drive::Origin;
use domain::id::CallId;
use domain::message::{Message, ToolCall};
use serde_json::{Value, json};

/// What a message costs besides its text, characters: role and separators.
pub(crate) const MESSAGE_CHARACTERS: u64 = 16;
/// What is left of a shortened tool result or argument, characters, besides the note that it was.
const SHORTENED_CHARACTERS: usize = 400;
/// What is left of a tool result of which one line is left, characters, besides the note.
const RESULT_LINE_CHARACTERS: usize = 160;
/// Longest argument that stays whole in a shortened call, characters.
pub(crate) const LONG_ARGUMENT: usize = 2 * SHORTENED_CHARACTERS;
/// The same in a call that came to nothing: more, because the model may want to mend it.
pub(crate) const LONG_FAILED_ARGUMENT: usize = 4_000;

/// Whose words a turn begins with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Speaker {
    /// The user: the words bind, and are kept to after they have left the view.
    User,
    /// The program in the user's place, or another agent.
    Other,
}

impl From<Origin> for Speaker {
    fn from(origin: Origin) -> Self {
        match origin {
            Origin::User => Self::User,
            Origin::Drive => Self::Other,
        }
    }
}

/// What a message is to the context.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// It begins a turn.
    Request(Speaker),
    /// It leaves the view as soon as the model has seen it.
    Passing,
    /// Anything else.
    Other,
}

/// One message.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    /// The number of its event: what a summary cites, and what it is pinned by.
    pub(crate) seq: u64,
    /// The event with which it came into view. Never smaller than that of the message before.
    pub(crate) at: u64,
    pub(crate) message: Message,
    pub(crate) part: Part,
    /// What was recalled for it; empty for nothing.
    pub(crate) recalled: String,
    /// Data that came with it; empty for none.
    pub(crate) input: String,
    /// Files that it names, as they were read before any model was asked; empty for none.
    pub(crate) named: String,
    /// Calls of it that leave the view, with their results, once the model has answered.
    pub(crate) passing_calls: Vec<CallId>,
    /// Calls of it that came to nothing: nothing has their long arguments.
    pub(crate) failed_calls: Vec<CallId>,
    /// Most characters of it that are shown where it is shortened; 0: the usual.
    pub(crate) shown_characters: u64,
}

impl Entry {
    /// `seq`: the number of its event; `at`: the event it came into view with.
    pub(crate) const fn new(seq: u64, at: u64, message: Message, part: Part) -> Self {
        Self {
            seq,
            at,
            message,
            part,
            recalled: String::new(),
            input: String::new(),
            named: String::new(),
            passing_calls: Vec::new(),
            failed_calls: Vec::new(),
            shown_characters: 0,
        }
    }

    pub(crate) const fn begins_turn(&self) -> bool {
        matches!(self.part, Part::Request(_))
    }

    /// Whether it is no more than a call or result that leaves once it was seen.
    pub(crate) const fn is_passing(&self) -> bool {
        matches!(self.part, Part::Passing)
    }

    /// The words of the user, if it is the user who speaks.
    pub(crate) fn users_words(&self) -> Option<&str> {
        match (&self.message, self.part) {
            (Message::User { text }, Part::Request(Speaker::User)) => Some(text),
            _ => None,
        }
    }
}

/// The line that ends a fenced result, so that what is added below stands outside.
fn end_of_fence(text: &str) -> String {
    let last = text
        .lines()
        .next_back()
        .filter(|line| line.starts_with(text::fence::END));
    last.map_or_else(String::new, |line| format!("\n{line}"))
}

/// A tool result as it is shown once there is no room for it.
pub(crate) fn shortened_text(text: &str, seq: u64) -> Option<String> {
    let total = text.chars().count();
    let kept: String = text.chars().take(SHORTENED_CHARACTERS).collect();
    let note = shortened_note(text, seq, total.saturating_sub(SHORTENED_CHARACTERS));
    // What would hardly become smaller stays as it is.
    (total > SHORTENED_CHARACTERS + 2 * note.len()).then(|| kept + &note)
}

/// A result that no model has seen, as much of it as there is room for. The head line comes first:
/// what the result says of itself is true of the whole.
pub(crate) fn begun_text(text: &str, seq: u64, characters: u64) -> Option<String> {
    let total = text.chars().count();
    let most = usize::try_from(characters).unwrap_or(usize::MAX);
    let (cut, _) = text.char_indices().nth(most)?;
    // A line that is cut says something else.
    let begin = &text[..cut];
    let begin = begin.rfind('\n').map_or(begin, |end| match end * 2 > cut {
        true => &begin[..end],
        false => begin,
    });
    let kept = begin.chars().count();
    let head = format!(
        "[Shown are the first {kept} of {total} characters of this result, since the context has no \
         room for more. Lines and counts that it names are those of the whole. Call the tool again \
         for a part to see the rest, as read_file with from_line and line_count.]\n"
    );
    let note = shortened_note(text, seq, total - kept);
    Some(format!("{head}{begin}{note}"))
}

fn shortened_note(text: &str, seq: u64, left_out: usize) -> String {
    format!(
        "{}\n[Shortened to fit the context: {left_out} more characters were here, in event #{seq}.]",
        end_of_fence(text)
    )
}

/// A tool result as an agent at work for another is shown it once it has gone on: one line.
pub(crate) fn line_of_result(text: &str, seq: u64) -> Option<String> {
    let total = text.chars().count();
    let line = format!(
        "{}{}\n[One line of {total} characters; recall_event({seq}) shows them all.]",
        one_line(text, RESULT_LINE_CHARACTERS),
        end_of_fence(text)
    );
    (total > 2 * RESULT_LINE_CHARACTERS).then_some(line)
}

/// A call whose arguments longer than so many characters are cut, for the same reason.
pub(crate) fn shortened_call(call: &ToolCall, longest: usize) -> ToolCall {
    let arguments = shortened_value(&call.arguments, longest);
    let total = call.arguments.to_string().chars().count();
    let written = arguments.to_string();
    // Many short ones are long as well.
    let arguments = if written.chars().count() > 8 * longest {
        let begin: String = written.chars().take(SHORTENED_CHARACTERS).collect();
        let left = total.saturating_sub(SHORTENED_CHARACTERS);
        json!({"shortened": format!("{begin} [{left} more characters]")})
    } else {
        arguments
    };
    ToolCall {
        call_id: call.call_id,
        name: call.name.clone(),
        arguments,
    }
}

fn shortened_value(value: &Value, longest: usize) -> Value {
    match value {
        Value::String(text) => {
            let total = text.chars().count();
            if total <= longest {
                return value.clone();
            }
            let kept: String = text.chars().take(SHORTENED_CHARACTERS).collect();
            let left = total.saturating_sub(SHORTENED_CHARACTERS);
            Value::String(format!("{kept} [{left} more characters]"))
        }
        Value::Array(items) => Value::Array(
            items
                .iter()
                .map(|item| shortened_value(item, longest))
                .collect(),
        ),
        Value::Object(fields) => Value::Object(
            fields
                .iter()
                .map(|(name, value)| (name.clone(), shortened_value(value, longest)))
                .collect(),
        ),
        other => other.clone(),
    }
}

/// Characters of a text, as estimates count them.
pub(crate) fn characters_in(text: &str) -> u64 {
    text.chars().count() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shortened_result_still_ends_its_fence_before_our_note() {
        let text = format!(
            "[TOOL_RESULT: UNTRUSTED read 77]\n{}\n[END 77]",
            "é ".repeat(900)
        );
        for short in [shortened_text(&text, 5), line_of_result(&text, 5)] {
            let short = short.unwrap();
            let (fenced, ours) = short.split_once("\n[END 77]\n").unwrap();
            assert!(
                fenced.starts_with("[TOOL_RESULT") && ours.ends_with(']'),
                "{short}"
            );
        }
        let lines = format!("[TOOL_RESULT]\n{}[END 77]", "a line\n".repeat(300));
        let begun = begun_text(&lines, 5, 1_000).unwrap();
        assert!(
            begun.starts_with("[Shown are the first 993 of 2122 characters"),
            "{begun}"
        );
        assert!(begun.contains("a line\n[END 77]\n[Shortened"), "{begun}");
        assert_eq!(begun_text(&lines, 5, 3_000), None, "all of it fits");
        let plain = line_of_result(&"é ".repeat(900), 5).unwrap();
        assert!(plain.contains("…\n[One line of 1800"), "{plain}");
        assert_eq!(line_of_result("short", 5), None);
    }
}
