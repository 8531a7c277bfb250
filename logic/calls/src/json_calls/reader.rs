//! Reads a reply in the JSON form while it is being written.

use serde_json::Value;

/// Longest a key may be before the object is taken for something else, bytes.
const KEY_BYTES: usize = 64;

/// What an answer is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnswerForm {
    /// Text, handed out as it comes.
    Text,
    /// A JSON value of any type, handed out whole and as JSON.
    Json,
}

/// What the reader recognised.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// A piece of the answer.
    Text(String),
    /// A piece of a reply that is no JSON object at all.
    Plain(String),
    /// A piece of a tool call as the model writes it.
    CallPiece(String),
    /// A whole tool call.
    Call {
        /// The tool's name.
        name: String,
        /// Its arguments.
        arguments: Value,
    },
    /// An object that is neither a call nor an answer, or that was cut.
    Unread(String),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Opening,
    /// The reply is no object.
    Plain,
    /// Inside the text of an answer.
    Answer,
    Call,
    /// Kept to the end.
    Held,
    Done,
}

/// The reader of one reply. White space may stand wherever JSON allows it.
#[derive(Debug)]
pub struct Reader {
    answer: AnswerForm,
    state: State,
    /// Text whose meaning is not decided yet, or that is kept to the end.
    held: String,
}

impl Reader {
    /// A reader for one reply.
    #[must_use]
    pub const fn new(answer: AnswerForm) -> Self {
        Self {
            answer,
            state: State::Opening,
            held: String::new(),
        }
    }

    /// Takes the next piece and returns what became clear.
    pub fn push(&mut self, piece: &str) -> Vec<Event> {
        self.held.push_str(piece);
        match self.state {
            State::Opening => self.decide(),
            State::Plain => plain(std::mem::take(&mut self.held)),
            State::Answer => self.read_answer(),
            State::Call => vec![Event::CallPiece(piece.to_owned())],
            State::Held | State::Done => Vec::new(),
        }
    }

    /// The reply is over: returns what was held back.
    #[must_use]
    pub fn finish(self) -> Vec<Event> {
        match self.state {
            State::Plain => plain(self.held),
            State::Opening if self.held.trim().is_empty() => Vec::new(),
            State::Opening | State::Call | State::Held => vec![whole(self.held, self.answer)],
            State::Answer | State::Done => Vec::new(),
        }
    }

    fn decide(&mut self) -> Vec<Event> {
        match opening(&self.held) {
            Opening::Undecided => Vec::new(),
            Opening::Plain => {
                self.state = State::Plain;
                plain(std::mem::take(&mut self.held))
            }
            Opening::Answer { text_at } if self.answer == AnswerForm::Text => {
                self.state = State::Answer;
                self.held.drain(..text_at);
                self.read_answer()
            }
            Opening::Answer { .. } | Opening::Other => {
                self.state = State::Held;
                Vec::new()
            }
            Opening::Call => {
                self.state = State::Call;
                vec![Event::CallPiece(self.held.clone())]
            }
        }
    }

    /// Decodes the inside of a JSON string up to its closing quote.
    fn read_answer(&mut self) -> Vec<Event> {
        let mut decoded = String::new();
        let mut at = 0;
        while let Some(next) = self.held.get(at..).and_then(|rest| rest.chars().next()) {
            let length = match next {
                '"' => {
                    self.state = State::Done;
                    break;
                }
                '\\' => match escape_length(self.held.get(at..).unwrap_or_default()) {
                    Some(length) => length,
                    None => break,
                },
                other => other.len_utf8(),
            };
            let unit = self.held.get(at..at + length).unwrap_or_default();
            if next == '\\' {
                let quoted: Option<String> = serde_json::from_str(&format!("\"{unit}\"")).ok();
                decoded.push_str(quoted.as_deref().unwrap_or_default());
            } else {
                decoded.push_str(unit);
            }
            at += length;
        }
        self.held.drain(..at);
        text(decoded)
    }
}

/// What the beginning of a reply says of the rest.
enum Opening {
    Undecided,
    Plain,
    /// An answer that is text, which begins at this byte.
    Answer {
        text_at: usize,
    },
    Call,
    Other,
}

fn opening(held: &str) -> Opening {
    let rest = held.trim_start();
    if rest.is_empty() {
        return Opening::Undecided;
    }
    let Some(rest) = rest.strip_prefix('{') else {
        return Opening::Plain;
    };
    let rest = rest.trim_start();
    if rest.is_empty() {
        return Opening::Undecided;
    }
    let Some(rest) = rest.strip_prefix('"') else {
        return Opening::Other;
    };
    let Some((key, rest)) = rest.split_once('"') else {
        return if rest.len() > KEY_BYTES {
            Opening::Other
        } else {
            Opening::Undecided
        };
    };
    match key {
        "tool" => return Opening::Call,
        "answer" => {}
        _ => return Opening::Other,
    }
    let rest = rest.trim_start();
    let value = rest.strip_prefix(':').map(str::trim_start);
    match value {
        _ if rest.is_empty() => Opening::Undecided,
        Some("") => Opening::Undecided,
        Some(value) => match value.strip_prefix('"') {
            Some(inside) => Opening::Answer {
                text_at: held.len() - inside.len(),
            },
            None => Opening::Other,
        },
        None => Opening::Other,
    }
}

/// What a complete object is.
fn whole(held: String, answer: AnswerForm) -> Event {
    // A reply cut by the token limit is no JSON; the caller sees how it ended.
    let Some(mut reply) = serde_json::from_str::<Value>(held.trim()).ok() else {
        return Event::Unread(held);
    };
    let name = reply.get("tool").and_then(Value::as_str).map(str::to_owned);
    if let (Some(name), Some(arguments)) = (name, reply.get_mut("arguments").map(Value::take)) {
        return Event::Call { name, arguments };
    }
    match (reply.get_mut("answer").map(Value::take), answer) {
        (Some(Value::String(text)), AnswerForm::Text) => Event::Text(text),
        (Some(value), _) => Event::Text(value.to_string()),
        (None, _) => Event::Unread(held),
    }
}

fn plain(text: String) -> Vec<Event> {
    if text.is_empty() {
        Vec::new()
    } else {
        vec![Event::Plain(text)]
    }
}

fn text(text: String) -> Vec<Event> {
    if text.is_empty() {
        Vec::new()
    } else {
        vec![Event::Text(text)]
    }
}

/// Bytes of the escape at the beginning of `text`; `None` while it is not complete.
fn escape_length(text: &str) -> Option<usize> {
    let unit = match text.as_bytes().get(1)? {
        b'u' => 6,
        _ => 2,
    };
    let is_high_surrogate = unit == 6
        && text.get(2..6).is_some_and(|hex| {
            u32::from_str_radix(hex, 16).is_ok_and(|code| (0xD800..0xDC00).contains(&code))
        });
    let length = if is_high_surrogate { 12 } else { unit };
    (text.len() >= length).then_some(length)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(form: AnswerForm, reply: &str, step: usize) -> Vec<Event> {
        let mut reader = Reader::new(form);
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
            Event::Text(text) | Event::Plain(text) => Some(text.as_str()),
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
    fn an_answer_streams_as_text_whatever_the_pieces_and_the_white_space() {
        let text = "Line \"one\"\n\ttab \\ é 🚀 end";
        let inside = r#""Line \"one\"\n\ttab \\ é \ud83d\ude80 end""#;
        for reply in [
            format!("{{\"answer\": {inside}}}"),
            format!("{{\"answer\":{inside}}}"),
            format!("\n{{\n    \"answer\"\n\n:\n  {inside}\n}}\n"),
        ] {
            for step in 1..reply.len() {
                let events = read(AnswerForm::Text, &reply, step);
                assert_eq!(visible(&events), text, "step {step} of {reply}");
                assert_eq!(call(&events), None);
            }
        }
    }

    #[test]
    fn a_call_is_read_whole_whatever_the_pieces_and_the_white_space() {
        for reply in [
            r#"{"tool": "read_file", "arguments": {"path": "a.md"}}"#,
            "{\n  \"tool\"\n\n:\n\n\"read_file\",\"arguments\":{\"path\"\n:\"a.md\"}\n}\n",
            r#"{"arguments": {"path": "a.md"}, "tool": "read_file"}"#,
        ] {
            for step in 1..reply.len() {
                let events = read(AnswerForm::Text, reply, step);
                let expected = ("read_file".to_owned(), json!({ "path": "a.md" }));
                assert_eq!(call(&events), Some(expected), "step {step} of {reply}");
                assert_eq!(visible(&events), "");
            }
        }
    }

    #[test]
    fn the_pieces_of_a_call_are_the_whole_of_it() {
        let reply = r#"{"tool": "read_file", "arguments": {"path": "a.md"}}"#;
        for step in 1..reply.len() {
            let events = read(AnswerForm::Text, reply, step);
            let pieces = events.iter().filter_map(|event| match event {
                Event::CallPiece(piece) => Some(piece.as_str()),
                _ => None,
            });
            assert_eq!(pieces.collect::<String>(), reply, "step {step}");
        }
    }

    #[test]
    fn what_was_cut_is_no_call_and_no_answer() {
        for cut in [r#"{"tool": "read_file", "argum"#, r#"{"ans"#, "{"] {
            let events = read(AnswerForm::Text, cut, 4);
            assert_eq!(events.last(), Some(&Event::Unread(cut.to_owned())));
        }
        assert_eq!(
            visible(&read(AnswerForm::Text, r#"{"answer": "half a"#, 3)),
            "half a"
        );
        assert_eq!(read(AnswerForm::Text, " \n", 1), []);
    }

    #[test]
    fn a_reply_that_is_no_object_is_text() {
        let reply = "Hello, {\"answer\": 1}";
        assert_eq!(visible(&read(AnswerForm::Text, reply, 2)), reply);
    }

    #[test]
    fn an_answer_under_a_schema_is_handed_out_as_json() {
        let events = read(AnswerForm::Json, r#"{"answer": {"n": 3}}"#, 2);
        assert_eq!(visible(&events), r#"{"n":3}"#);
        let events = read(AnswerForm::Json, r#"{"answer": "text"}"#, 2);
        assert_eq!(visible(&events), r#""text""#);
    }
}
