//! How calls end, in lines: those of a request that is shown here, and of one of another window.

use super::words::{amount, gist};
use crate::Paint;
use crate::agents::named;
use crate::calls::{Calls, failed_program, said_by_program};
use crate::changes::Changes;
use crate::values::milliseconds;
use domain::decision::Verdict;
use domain::event::{CallStatus, ConfirmationAnswer, Event, EventBody};
use domain::id::CallId;
use session::AgentTree;
use text::escape::visible_line;

/// The lines for a call that is over: how it ended, and how much came of it.
pub(super) fn of_call(
    calls: &mut Calls,
    paint: Paint,
    (call_id, body): (Option<CallId>, &EventBody),
) -> Vec<String> {
    let EventBody::ToolResult {
        tool,
        status,
        text,
        truncated,
        duration_ms,
        artifacts,
        edited,
        ..
    } = body
    else {
        return Vec::new();
    };
    let (name, said_why) = calls.end(call_id);
    if *status == CallStatus::Denied {
        calls.note_denied();
    }
    match status {
        CallStatus::Ok => {
            let failed = failed_program(tool, text);
            let amount = amount(tool, (*edited, artifacts), (text, *truncated));
            let took = milliseconds(*duration_ms);
            let amount = amount.map_or(took.clone(), |amount| format!("{amount}, {took}"));
            let amount = paint.faint(&amount);
            let mark = match failed {
                Some(how) => paint.warn(&format!("  ✗ {name}{how}, ")),
                None => format!("{}{name}", paint.good("  ✓ ")),
            };
            let said = said_by_program(tool, text, calls.are_of_user());
            let said = said.iter().map(|line| paint.faint(line));
            [format!("{mark}{amount}")]
                .into_iter()
                .chain(said)
                .collect()
        }
        CallStatus::Failed => {
            let head = paint.warn(&format!("  ✗ {name}failed: "));
            vec![head + &visible_line(gist(text))]
        }
        CallStatus::Denied if said_why => Vec::new(),
        CallStatus::Denied => {
            let why = text.strip_prefix("[DENIED]").unwrap_or(text).trim();
            vec![paint.bad(&format!("  ✗ {name}denied: ")) + &visible_line(why)]
        }
        CallStatus::Cancelled => {
            let took = match duration_ms {
                0 => String::new(),
                ms => paint.faint(&format!(" after {}", milliseconds(*ms))),
            };
            let said = said_by_program(tool, text, calls.are_of_user());
            let said = said.iter().map(|line| paint.faint(line));
            let head = paint.warn(&format!("  ✗ {name}stopped")) + &took;
            [head].into_iter().chain(said).collect()
        }
    }
}

/// The calls of requests that something else shows in full, as far as a window beside it tells of them.
#[derive(Debug, Default)]
pub struct CallsElsewhere {
    calls: Calls,
    changes: Changes,
    agents: AgentTree,
}

impl CallsElsewhere {
    /// Takes in the next event of the session: the lines for a call that is over, or at the end of a
    /// request for the files that it made or changed.
    pub fn lines(&mut self, event: &Event) -> Vec<String> {
        self.agents.apply(event);
        let whose = named(&self.agents, event.agent_id);
        self.changes.add(event, whose.as_deref());
        let call_id = event.call_id;
        match &event.body {
            EventBody::ToolRequested {
                tool, arguments, ..
            } => self.calls.begin((call_id, whose), tool, arguments),
            EventBody::BrokerDecision {
                verdict: Verdict::Deny,
                ..
            }
            | EventBody::ConfirmationAnswered {
                answer: ConfirmationAnswer::Deny { .. },
                ..
            } => self.calls.said_why(call_id),
            body @ EventBody::ToolResult { .. } => {
                return of_call(&mut self.calls, Paint::Plain, (call_id, body));
            }
            EventBody::QueryFinished { artifacts, .. } => {
                let files = self.changes.told(artifacts).into_iter();
                return files.map(|file| format!("· {file}")).collect();
            }
            _ => {}
        }
        Vec::new()
    }
}
