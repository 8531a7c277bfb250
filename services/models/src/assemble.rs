//! Puts tool calls together that arrive in fragments.

use crate::call::{Piece, parse_arguments, unwrap_arguments};
use domain::limits;
use serde_json::Value;

/// A call as far as it has arrived.
#[derive(Debug, Default)]
struct Partial {
    index: u64,
    id: String,
    name: String,
    text: String,
    value: Option<Value>,
}

/// A fragment of a call.
#[derive(Debug, Default)]
pub(crate) struct Fragment<'a> {
    /// The place among the calls, where the server says.
    pub(crate) index: Option<u64>,
    /// The server's id, where it gives one; only its change matters.
    pub(crate) id: &'a str,
    /// The name or a piece of it.
    pub(crate) name: &'a str,
    /// The arguments or a piece of their text.
    pub(crate) arguments: Option<&'a Value>,
}

/// The calls of one answer.
#[derive(Debug, Default)]
pub(crate) struct Assembler {
    calls: Vec<Partial>,
}

impl Assembler {
    /// Adds a fragment, and a piece for people to watch.
    pub(crate) fn add(&mut self, fragment: &Fragment<'_>, pieces: &mut Vec<Piece>) {
        let place = self.place(fragment);
        let Some(call) = self.calls.get_mut(place) else {
            return;
        };
        if !fragment.id.is_empty() {
            fragment.id.clone_into(&mut call.id);
        }
        // Some servers repeat the whole name with every fragment, none splits it.
        if !fragment.name.is_empty() && call.name != fragment.name {
            call.name.push_str(fragment.name);
        }
        let shown = match fragment.arguments {
            Some(Value::String(text)) => {
                call.text.push_str(text);
                text.clone()
            }
            Some(Value::Null) | None => String::new(),
            Some(value) => {
                call.value = Some(value.clone());
                value.to_string()
            }
        };
        pieces.push(Piece::CallDelta {
            index: u32::try_from(place).unwrap_or(u32::MAX),
            name: call.name.clone(),
            arguments: shown,
        });
    }

    /// Which call a fragment belongs to; a call is made for one that starts something.
    fn place(&mut self, fragment: &Fragment<'_>) -> usize {
        let last = self.calls.len().saturating_sub(1);
        let found = match fragment.index {
            Some(index) => self
                .calls
                .iter()
                .rposition(|call| call.index == index)
                .filter(|at| !self.starts_another(*at, fragment)),
            None => self
                .calls
                .last()
                .is_some_and(|call| {
                    !self.starts_another(last, fragment)
                        && (fragment.name.is_empty() || call.name.is_empty())
                })
                .then_some(last),
        };
        if let Some(at) = found {
            return at;
        }
        // One beyond the limit is kept, so that the gateway sees there were too many.
        if self.calls.len() <= limits::TOOL_CALLS_HEARD {
            self.calls.push(Partial {
                index: fragment.index.unwrap_or(u64::MAX),
                ..Partial::default()
            });
        }
        self.calls.len().saturating_sub(1)
    }

    /// Some servers give every call the same index; a changed id tells them apart.
    fn starts_another(&self, at: usize, fragment: &Fragment<'_>) -> bool {
        self.calls.get(at).is_some_and(|call| {
            !fragment.id.is_empty() && !call.id.is_empty() && call.id != fragment.id
        })
    }

    /// Every call, whole.
    pub(crate) fn finish(&mut self, pieces: &mut Vec<Piece>) {
        for call in self.calls.drain(..) {
            let arguments = match call.value {
                Some(value) => unwrap_arguments(value),
                None => parse_arguments(&call.text),
            };
            pieces.push(Piece::Call {
                name: call.name,
                arguments,
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn assemble(fragments: &[(Option<u64>, &str, &str, Option<Value>)]) -> Vec<(String, Value)> {
        let mut assembler = Assembler::default();
        let mut pieces = Vec::new();
        for (index, id, name, arguments) in fragments {
            assembler.add(
                &Fragment {
                    index: *index,
                    id,
                    name,
                    arguments: arguments.as_ref(),
                },
                &mut pieces,
            );
        }
        pieces.clear();
        assembler.finish(&mut pieces);
        pieces
            .into_iter()
            .map(|piece| match piece {
                Piece::Call { name, arguments } => (name, arguments),
                other => panic!("{other:?}"),
            })
            .collect()
    }

    #[test]
    fn fragments_of_two_calls_interleave() {
        let calls = assemble(&[
            (Some(0), "a", "read_file", Some(json!(""))),
            (Some(1), "b", "glob", Some(json!("{\"pat"))),
            (Some(0), "", "", Some(json!("{\"path\":"))),
            (Some(1), "", "", Some(json!("tern\":\"*\"}"))),
            (Some(0), "", "", Some(json!("\"x\"}"))),
        ]);
        assert_eq!(calls[0], ("read_file".into(), json!({"path": "x"})));
        assert_eq!(calls[1], ("glob".into(), json!({"pattern": "*"})));
    }

    #[test]
    fn servers_without_ids_or_indexes_and_with_objects() {
        let calls = assemble(&[
            (None, "", "a", Some(json!({"x": 1}))),
            (None, "", "b", Some(json!("{}"))),
        ]);
        assert_eq!(
            calls,
            vec![("a".into(), json!({"x": 1})), ("b".into(), json!({}))]
        );
    }

    #[test]
    fn servers_that_give_every_call_index_zero() {
        let calls = assemble(&[
            (Some(0), "1", "a", Some(json!("{}"))),
            (Some(0), "2", "a", Some(json!("{\"k\":2}"))),
        ]);
        assert_eq!(calls.len(), 2);
        assert_eq!(calls[1].1, json!({"k": 2}));
    }

    #[test]
    fn servers_that_repeat_the_name() {
        let calls = assemble(&[
            (Some(0), "1", "a", Some(json!("{"))),
            (Some(0), "1", "a", Some(json!("}"))),
        ]);
        assert_eq!(calls, vec![("a".into(), json!({}))]);
    }

    #[test]
    fn calls_beyond_the_limit_are_not_collected() {
        let fragments: Vec<_> = (0..200)
            .map(|at| (Some(at), "", "a", Some(json!("{}"))))
            .collect();
        assert_eq!(assemble(&fragments).len(), limits::TOOL_CALLS_HEARD + 1);
    }
}
