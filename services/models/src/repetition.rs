//! Notices a model that repeats itself without end, on any server.
//!
//! Small models fall into it, and only the token limit would end it, minutes later. The engine that comes
//! along counts tokens and stops sooner; here are only bytes, from models of every size.

use crate::call::Piece;
use serde_json::Value;

/// What one part repeats in before an answer is stopped, bytes: far more than a rule of dashes, a table of
/// equal rows or a refrain.
const TEXT_BYTES: usize = 8_000;

/// The same for the arguments of a call: files hold more equal rows than answers do.
const ARGUMENT_BYTES: usize = 32_000;

/// A piece of more than this share of them is written by no model as it goes: what comes in such pieces is
/// there already, and nothing is gained by stopping it.
const PIECES: usize = 16;

/// Repeats that make a repetition. The longest part that is noticed is this share of the bytes above.
const REPEATS: usize = 4;

/// Watches one answer.
#[derive(Debug)]
pub(crate) struct Watch {
    said: Tail,
    call: Option<BeginningCall>,
}

/// A call as far as it has arrived.
#[derive(Debug)]
struct BeginningCall {
    index: u32,
    name: String,
    arguments: String,
    tail: Tail,
}

/// Where a model was found to repeat itself.
#[derive(Debug, PartialEq)]
pub(crate) enum Repeated {
    /// In what it says or thinks.
    Said,
    /// In this call, whose arguments will never be whole.
    Call { name: String, arguments: Value },
}

impl Default for Watch {
    fn default() -> Self {
        Self {
            said: Tail::new(TEXT_BYTES),
            call: None,
        }
    }
}

impl Watch {
    /// Takes note of a piece. `Some` when the model goes round in it.
    pub(crate) fn take(&mut self, piece: &Piece) -> Option<Repeated> {
        match piece {
            Piece::Text(text) | Piece::Answered(text) | Piece::Thinking(text) => {
                self.said.push(text).then_some(Repeated::Said)
            }
            Piece::CallDelta {
                index,
                name,
                arguments,
            } => self.call(*index, name, arguments),
            _ => None,
        }
    }

    fn call(&mut self, index: u32, name: &str, arguments: &str) -> Option<Repeated> {
        let known = self.call.take().filter(|call| call.index == index);
        let mut call = known.unwrap_or_else(|| BeginningCall {
            index,
            name: String::new(),
            arguments: String::new(),
            tail: Tail::new(ARGUMENT_BYTES),
        });
        name.clone_into(&mut call.name);
        call.arguments.push_str(arguments);
        if call.tail.push(arguments) {
            return Some(Repeated::Call {
                name: call.name,
                arguments: Value::String(call.arguments),
            });
        }
        self.call = Some(call);
        None
    }
}

/// The last bytes of a text.
#[derive(Debug)]
struct Tail {
    bytes: Vec<u8>,
    /// How many of them are looked at.
    window: usize,
    /// How many came since they were.
    unseen: usize,
}

impl Tail {
    fn new(window: usize) -> Self {
        Self {
            bytes: Vec::new(),
            window,
            unseen: 0,
        }
    }

    /// Adds a text; whether the end is one part over and over now.
    fn push(&mut self, text: &str) -> bool {
        if text.len() > self.window / PIECES {
            self.bytes.clear();
            return false;
        }
        self.bytes.extend_from_slice(text.as_bytes());
        self.unseen += text.len();
        let beyond = self.bytes.len().saturating_sub(self.window);
        self.bytes.drain(..beyond);
        // Looking costs as much as the window is long.
        if self.bytes.len() < self.window || self.unseen < self.window / 8 {
            return false;
        }
        self.unseen = 0;
        shortest_part(&self.bytes) <= self.window / REPEATS
    }
}

/// The length of the shortest part that the bytes are repeats of, the last one cut or not: all of them
/// where there is none. By the prefix function of Knuth, Morris and Pratt (1977), in linear time.
fn shortest_part(bytes: &[u8]) -> usize {
    let mut borders = vec![0_usize; bytes.len()];
    let mut border = 0;
    for (at, byte) in bytes.iter().enumerate().skip(1) {
        while border > 0 && bytes[border] != *byte {
            border = borders[border - 1];
        }
        border += usize::from(bytes[border] == *byte);
        borders[at] = border;
    }
    bytes.len() - border
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// How many bytes of a text are heard before it is stopped, a few at a time.
    fn stopped(text: &str, piece: impl Fn(&str) -> Piece) -> Option<usize> {
        let mut watch = Watch::default();
        let pieces = text.as_bytes().chunks(7);
        let mut heard = 0;
        for bytes in pieces {
            heard += bytes.len();
            let text = std::str::from_utf8(bytes).expect("the tests are in ASCII");
            if watch.take(&piece(text)).is_some() {
                return Some(heard);
            }
        }
        None
    }

    fn said(text: &str) -> Piece {
        Piece::Text(text.to_owned())
    }

    fn argument(text: &str) -> Piece {
        Piece::CallDelta {
            index: 0,
            name: "write_file".to_owned(),
            arguments: text.to_owned(),
        }
    }

    #[test]
    fn the_shortest_part_is_found() {
        for (text, length) in [
            ("aaaa", 1),
            ("abab", 2),
            ("ababa", 2),
            ("abcab", 3),
            ("abcd", 4),
        ] {
            assert_eq!(shortest_part(text.as_bytes()), length, "{text}");
        }
    }

    #[test]
    fn an_endless_sentence_is_stopped_soon_after_the_bound() {
        let sentence = "The balcony of the house has a balcony. ";
        let text = format!("Here is what I found.\n{}", sentence.repeat(1_200));
        let heard = stopped(&text, said).unwrap();
        assert!(
            (TEXT_BYTES..TEXT_BYTES + TEXT_BYTES / 4).contains(&heard),
            "{heard}"
        );
        let thought = stopped(&text, |text| Piece::Thinking(text.to_owned()));
        assert_eq!(thought, Some(heard));
        let written = stopped(&text, argument).unwrap();
        assert!(
            (ARGUMENT_BYTES..ARGUMENT_BYTES + ARGUMENT_BYTES / 4).contains(&written),
            "{written}"
        );
    }

    #[test]
    fn a_long_part_is_noticed_too() {
        let paragraph: String = (0..180).map(|at| format!("sentence {at}. ")).collect();
        assert!(
            paragraph.len() > TEXT_BYTES / REPEATS
                && stopped(&paragraph.repeat(20), said).is_none()
        );
        assert!(stopped(&paragraph[..1_900].repeat(20), said).is_some());
    }

    #[test]
    fn equal_rows_and_rules_are_left_alone() {
        let rows = "| yes | no | maybe |\n".repeat(300);
        assert_eq!(stopped(&format!("{rows}{}", "-".repeat(300)), said), None);
        let numbered: String = (0..2_000).map(|at| format!("{at}. the same\n")).collect();
        assert_eq!(stopped(&numbered, said), None);
        assert_eq!(stopped(&"0,0,0,0\n".repeat(3_000), argument), None);
    }

    #[test]
    fn a_call_that_repeats_itself_is_handed_on_with_what_came() {
        let mut watch = Watch::default();
        assert_eq!(watch.take(&argument("{\"content\": \"")), None);
        let found = (0..140).find_map(|_| watch.take(&argument(&"la ".repeat(100))));
        let Some(Repeated::Call { name, arguments }) = found else {
            panic!("{found:?}");
        };
        assert_eq!(name, "write_file");
        assert!(
            arguments
                .as_str()
                .unwrap()
                .starts_with("{\"content\": \"la la ")
        );
        assert_ne!(arguments, json!({}));
    }

    #[test]
    fn what_comes_at_once_is_left_alone() {
        let mut watch = Watch::default();
        for piece in [said(&"x".repeat(200_000)), argument(&"x".repeat(200_000))] {
            assert_eq!(watch.take(&piece), None);
            assert_eq!(watch.take(&piece), None);
        }
    }

    #[test]
    fn calls_are_watched_one_by_one() {
        let mut watch = Watch::default();
        for index in 0..40 {
            let piece = Piece::CallDelta {
                index,
                name: "read_file".to_owned(),
                arguments: "{\"path\": \"notes.md\"}".repeat(10),
            };
            assert_eq!(watch.take(&piece), None);
        }
    }
}
