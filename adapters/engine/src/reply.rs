//! Reads a model's reply while it is being written: visible text, thinking, tool calls.
//!
//! The grammar of a request fixes the shape of the reply, so this reader never guesses.

use calls::json_calls::{self, AnswerForm};
use serde_json::Value;

const CALL_OPENING: &str = "<tool_call>";
const CALL_CLOSING: &str = "</tool_call>";
const THINK_OPENING: &str = "<think>";
const THINK_CLOSING: &str = "</think>";

/// What the reader recognised.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// Visible text.
    Text(String),
    /// Thinking.
    Thinking(String),
    /// A piece of a tool call as the model writes it.
    CallPiece(String),
    /// A whole tool call.
    Call {
        /// The tool's name.
        name: String,
        /// Its arguments.
        arguments: Value,
    },
}

/// What shape the reply has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Text, perhaps after thinking.
    Text,
    /// One JSON value, handed over whole.
    Schema,
    /// A tool call between tags, or text.
    TaggedCalls,
    /// A tool call between tags, or one JSON value, handed over whole.
    TaggedCallsOrSchema,
    /// A JSON object with a tool call or an answer that is text.
    JsonCalls,
    /// A JSON object with a tool call or an answer that is JSON.
    JsonCallsOrSchema,
}

/// The reader.
#[derive(Debug)]
pub struct Reader {
    form: Form,
    state: State,
    /// Text whose meaning is not decided yet, or that is kept to the end.
    held: String,
    /// Reads the JSON forms of calls, in place of all else here.
    json: Option<json_calls::Reader>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Undecided,
    Text,
    Thinking,
    Call,
    Held,
}

impl Reader {
    /// A reader for a reply of the given form. `in_thinking`: the prompt has opened the thinking.
    #[must_use]
    pub const fn new(form: Form, in_thinking: bool) -> Self {
        let state = match form {
            Form::Schema => State::Held,
            Form::Text if in_thinking => State::Thinking,
            _ => State::Undecided,
        };
        let json = match form {
            Form::JsonCalls => Some(json_calls::Reader::new(AnswerForm::Text)),
            Form::JsonCallsOrSchema => Some(json_calls::Reader::new(AnswerForm::Json)),
            Form::Text | Form::Schema | Form::TaggedCalls | Form::TaggedCallsOrSchema => None,
        };
        Self {
            form,
            state,
            held: String::new(),
            json,
        }
    }

    /// Takes the next piece and returns what became clear.
    pub fn push(&mut self, piece: &str) -> Vec<Event> {
        if let Some(json) = &mut self.json {
            return from_json(json.push(piece), self.form);
        }
        self.held.push_str(piece);
        if self.state == State::Undecided {
            self.decide();
        }
        match self.state {
            State::Undecided | State::Held => Vec::new(),
            State::Text => text(std::mem::take(&mut self.held)),
            State::Thinking => self.think(),
            State::Call => vec![Event::CallPiece(piece.to_owned())],
        }
    }

    /// The reply is over: returns what was held back.
    #[must_use]
    pub fn finish(self) -> Vec<Event> {
        if let Some(json) = self.json {
            return from_json(json.finish(), self.form);
        }
        match self.state {
            State::Undecided | State::Text | State::Held => text(self.held),
            State::Thinking => vec![Event::Thinking(self.held)],
            State::Call => read_call(&self.held),
        }
    }

    fn decide(&mut self) {
        let (opening, state) = match self.form {
            Form::Text => (THINK_OPENING, State::Thinking),
            Form::TaggedCalls | Form::TaggedCallsOrSchema => (CALL_OPENING, State::Call),
            Form::Schema | Form::JsonCalls | Form::JsonCallsOrSchema => ("", State::Held),
        };
        if self.held.starts_with(opening) {
            self.state = state;
            if state == State::Thinking {
                self.held.drain(..opening.len());
            }
        } else if !opening.starts_with(self.held.as_str()) {
            self.state = match self.form {
                Form::Text | Form::TaggedCalls => State::Text,
                _ => State::Held,
            };
        }
    }

    /// Hands out thinking, keeping back what may be the beginning of the closing tag.
    fn think(&mut self) -> Vec<Event> {
        if let Some(end) = self.held.find(THINK_CLOSING) {
            let rest = self.held.split_off(end);
            let thought = std::mem::take(&mut self.held);
            let after = rest
                .get(THINK_CLOSING.len()..)
                .unwrap_or_default()
                .trim_start();
            self.state = State::Text;
            let mut events = vec![Event::Thinking(thought)];
            events.extend(text(after.to_owned()));
            return events;
        }
        let safe = self.held.len() - partial_suffix(&self.held, THINK_CLOSING);
        if safe == 0 {
            return Vec::new();
        }
        let rest = self.held.split_off(safe);
        vec![Event::Thinking(std::mem::replace(&mut self.held, rest))]
    }
}

/// What the reader of the JSON forms saw, in the words of this one.
fn from_json(events: Vec<json_calls::Event>, form: Form) -> Vec<Event> {
    let event = |event| match event {
        json_calls::Event::Text(text) | json_calls::Event::Plain(text) => Some(Event::Text(text)),
        json_calls::Event::CallPiece(piece) => Some(Event::CallPiece(piece)),
        json_calls::Event::Call { name, arguments } => Some(Event::Call { name, arguments }),
        // The grammar allows nothing else, so it was cut. An answer under a schema is handed over
        // as it is: the gateway says what does not fit.
        json_calls::Event::Unread(text) => {
            (form == Form::JsonCallsOrSchema).then_some(Event::Text(text))
        }
    };
    events.into_iter().filter_map(event).collect()
}

fn text(text: String) -> Vec<Event> {
    if text.is_empty() {
        Vec::new()
    } else {
        vec![Event::Text(text)]
    }
}

/// Bytes at the end of `text` that may be the beginning of `tag`.
fn partial_suffix(text: &str, tag: &str) -> usize {
    (1..tag.len())
        .rev()
        .find(|&length| text.ends_with(&tag[..length]))
        .unwrap_or(0)
}

/// The call in a complete reply; nothing when the reply was cut.
fn read_call(held: &str) -> Vec<Event> {
    let inner = held
        .trim()
        .trim_start_matches(CALL_OPENING)
        .trim_end_matches(CALL_CLOSING);
    let parsed: Option<Value> = serde_json::from_str(inner.trim()).ok();
    let call = parsed.and_then(|mut call| {
        let name = call.get("name")?.as_str()?.to_owned();
        let arguments = call.get_mut("arguments")?.take();
        Some(Event::Call { name, arguments })
    });
    call.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(form: Form, reply: &str, step: usize) -> Vec<Event> {
        let mut reader = Reader::new(form, false);
        let characters: Vec<char> = reply.chars().collect();
        let mut events = Vec::new();
        for chunk in characters.chunks(step) {
            events.extend(reader.push(&chunk.iter().collect::<String>()));
        }
        events.extend(reader.finish());
        events
    }

    fn visible(events: &[Event]) -> String {
        let texts = events.iter().filter_map(|event| match event {
            Event::Text(text) => Some(text.as_str()),
            _ => None,
        });
        texts.collect()
    }

    fn call(events: &[Event]) -> Option<(String, Value)> {
        events.iter().find_map(|event| match event {
            Event::Call { name, arguments } => Some((name.clone(), arguments.clone())),
            _ => None,
        })
    }

    #[test]
    fn the_json_form_is_read_as_its_owner_reads_it() {
        let answer = r#"{"answer": "Line \"one\" \ud83d\ude80"}"#;
        let asked = r#"{"tool": "read_file", "arguments": {"path": "a.md"}}"#;
        for step in 1..asked.len() {
            let events = read(Form::JsonCalls, answer, step);
            assert_eq!(visible(&events), "Line \"one\" 🚀", "step {step}");
            let events = read(Form::JsonCalls, asked, step);
            assert_eq!(
                call(&events),
                Some(("read_file".to_owned(), json!({ "path": "a.md" })))
            );
            assert_eq!(visible(&events), "");
        }
    }

    #[test]
    fn a_tagged_call_is_read_and_text_is_not_mistaken_for_one() {
        let reply = "<tool_call>\n{\"name\": \"ls\", \"arguments\": {}}\n</tool_call>";
        assert_eq!(
            call(&read(Form::TaggedCalls, reply, 3)),
            Some(("ls".to_owned(), json!({})))
        );
        let events = read(Form::TaggedCalls, "<to be honest> no", 1);
        assert_eq!(
            (visible(&events).as_str(), call(&events)),
            ("<to be honest> no", None)
        );
    }

    #[test]
    fn thinking_is_kept_apart() {
        for step in 1..20 {
            let events = read(Form::Text, "<think>2 < 3 </thin</think>\n\nYes.", step);
            let thinking = events.iter().filter_map(|event| match event {
                Event::Thinking(text) => Some(text.as_str()),
                _ => None,
            });
            assert_eq!(thinking.collect::<String>(), "2 < 3 </thin", "step {step}");
            assert_eq!(visible(&events).trim_start(), "Yes.", "step {step}");
        }
    }

    #[test]
    fn a_call_cut_by_the_limit_is_no_call() {
        let events = read(Form::JsonCalls, r#"{"tool": "read_file", "argum"#, 4);
        assert_eq!(call(&events), None);
    }

    #[test]
    fn an_answer_under_a_schema_is_unwrapped() {
        let events = read(Form::JsonCallsOrSchema, r#"{"answer": {"n": 3}}"#, 2);
        assert_eq!(visible(&events), r#"{"n":3}"#);
    }
}
