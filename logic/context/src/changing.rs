//! What the requests of a conversation changed and undo did not take back, as far as its events tell: how many
//! undos take back the last of them.

use domain::event::{CallStatus, EventBody};
use domain::tool::UNDO;

/// The calls of one request that changed something.
#[derive(Debug)]
struct Changing {
    /// The event that the request came in with.
    seq: u64,
    /// The tools of its calls.
    tools: Vec<String>,
}

/// The changes that stand.
#[derive(Debug, Default)]
pub(crate) struct Standing {
    /// The newest last.
    requests: Vec<Changing>,
    /// Whether an undo was asked for since the last of them: what it left out is not in the events.
    is_undone_since: bool,
}

impl Standing {
    /// Takes the result of a call of the request that came in with event `seq`.
    pub(crate) fn note(&mut self, seq: u64, body: &EventBody) {
        let EventBody::ToolResult {
            tool,
            status,
            artifacts,
            ..
        } = body
        else {
            return;
        };
        if tool == UNDO {
            self.is_undone_since = true;
        }
        // A call that was stopped may have changed some.
        let is_done = matches!(status, CallStatus::Ok | CallStatus::Cancelled);
        if !is_done || artifacts.is_empty() {
            return;
        }
        match self.requests.last_mut() {
            Some(last) if tool == UNDO => {
                last.tools.pop();
                self.requests.retain(|one| !one.tools.is_empty());
            }
            None if tool == UNDO => {}
            Some(last) if last.seq == seq => last.tools.push(tool.clone()),
            _ => {
                self.is_undone_since = false;
                let tools = vec![tool.clone()];
                self.requests.push(Changing { seq, tools });
            }
        }
    }

    /// Takes note of a request that came to its end.
    pub(crate) fn finished(&mut self, text: &str) {
        self.is_undone_since |= text.split("; ").all(|step| step == UNDO);
    }

    /// Forgets what was taken back with its requests.
    pub(crate) fn rewind(&mut self, to_seq: u64) {
        self.requests.retain(|one| one.seq <= to_seq);
    }

    /// The tools of the calls by which the last request changed something; none where an undo came since.
    pub(crate) fn of_last(&self) -> &[String] {
        let last = self.requests.last().filter(|_| !self.is_undone_since);
        last.map_or(&[], |last| &last.tools)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(tool: &str, changed: usize) -> EventBody {
        EventBody::ToolResult {
            tool: tool.to_owned(),
            status: CallStatus::Ok,
            value_id: None,
            label: None,
            text: String::new(),
            truncated: false,
            duration_ms: 0,
            edited: None,
            artifacts: vec!["/a".to_owned(); changed],
        }
    }

    #[test]
    fn the_last_request_counts_until_an_undo_comes() {
        let mut standing = Standing::default();
        standing.note(1, &result("edit_file", 1));
        standing.note(1, &result("edit_file", 2));
        standing.note(1, &result("read_file", 0));
        standing.finished("replace a with b in a.md and b.md");
        standing.finished("show a.md");
        assert_eq!(standing.of_last().len(), 2);
        standing.note(9, &result(UNDO, 1));
        assert!(standing.of_last().is_empty(), "one of two is back");
        standing.note(12, &result("write_file", 1));
        assert_eq!(standing.of_last().len(), 1);
        standing.rewind(10);
        assert_eq!(standing.requests.len(), 1);
        standing.finished("undo; undo");
        assert!(standing.of_last().is_empty(), "it may have left some");
    }
}
