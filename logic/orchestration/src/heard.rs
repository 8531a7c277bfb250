//! What an agent's calls gave it, kept until it has reported.

use serde_json::Value;
use std::collections::VecDeque;

/// Most text of an agent's results and of its calls that is kept until it has reported, bytes; of
/// more, the newest. The limits on calls and results leave room for all by default.
const HEARD_BYTES: usize = 1 << 20;

/// What one call gave an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heard {
    /// The tool.
    pub tool: String,
    /// The event with its result.
    pub seq: u64,
    /// What the agent was shown.
    pub text: String,
    /// What the agent itself wrote into the call.
    pub written: String,
}

impl Heard {
    /// Of a call of `tool` with these arguments, whose result stands in the event `seq`.
    #[must_use]
    pub fn of(tool: &str, seq: u64, text: &str, arguments: &Value) -> Self {
        let mut written = String::new();
        strings_in(arguments, &mut written);
        Self {
            tool: tool.to_owned(),
            seq,
            text: text.to_owned(),
            written,
        }
    }
}

/// What an agent's calls showed it, oldest first.
#[derive(Debug, Default)]
pub struct ResultHistory {
    all: VecDeque<Heard>,
    bytes: usize,
}

impl ResultHistory {
    /// Takes one more; the oldest make room.
    pub fn take(&mut self, heard: Heard) {
        let size = |heard: &Heard| heard.text.len() + heard.written.len();
        self.bytes += size(&heard);
        self.all.push_back(heard);
        while self.bytes > HEARD_BYTES
            && let Some(oldest) = self.all.pop_front()
        {
            self.bytes -= size(&oldest);
        }
    }

    /// All of it, oldest first.
    #[must_use]
    pub fn into_all(self) -> Vec<Heard> {
        self.all.into()
    }
}

/// Every text in the arguments of a call, one a line.
fn strings_in(value: &Value, into: &mut String) {
    match value {
        Value::String(text) => {
            into.push_str(text);
            into.push('\n');
        }
        Value::Array(all) => all.iter().for_each(|one| strings_in(one, into)),
        Value::Object(all) => all.values().for_each(|one| strings_in(one, into)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_what_an_agent_heard_the_newest_is_kept_within_its_bytes() {
        let mut heard = ResultHistory::default();
        let one = |seq, bytes| Heard {
            tool: "read_file".to_owned(),
            seq,
            text: "x".repeat(bytes),
            written: String::new(),
        };
        heard.take(one(1, HEARD_BYTES / 2));
        heard.take(one(2, HEARD_BYTES / 2));
        assert_eq!(heard.all.len(), 2, "at the limit");
        heard.take(one(3, 1));
        let kept: Vec<u64> = heard.all.iter().map(|heard| heard.seq).collect();
        assert_eq!((kept, heard.bytes), (vec![2, 3], HEARD_BYTES / 2 + 1));
        let mut texts = String::new();
        strings_in(&serde_json::json!({"a": "b", "c": [1, "d"]}), &mut texts);
        assert_eq!(texts, "b\nd\n");
    }
}
