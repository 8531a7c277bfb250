//! Why a request that ended is not done in full, for people.

use crate::ending::Reason;
use crate::outcome::CallRecord;
use crate::untrue::{Missed, Untrue};
use domain::event::{CallStatus, ToolCallSummary};
use domain::fault::Fault;
use text::cap::without_middle;
use text::escape::visible_line;

/// Most of a tool's own words that a reason repeats, characters.
const WHY_CHARS: usize = 600;

/// The last call that would have changed something did not, and why. `None` for one that did, and
/// for one to which the user said no: that is their decision and no error.
pub fn change_not_made(record: &CallRecord, status: CallStatus) -> Option<Fault> {
    if record.declined {
        return None;
    }
    if status == CallStatus::Ok {
        return None;
    }
    let how = ended(status);
    let told = record.plain();
    let first = told.lines().next().unwrap_or_default();
    // The broker's words end with what would let it run. A tool's may be of any length.
    let why = match record.refusal {
        Some(_) => first.to_owned(),
        None => without_middle(first, WHY_CHARS),
    };
    Some(Fault {
        code: "agents.change_failed".to_owned(),
        message: format!(
            "The last call that would have changed something, `{}`, {how}: {}",
            record.summary.tool,
            visible_line(&why)
        ),
        hint: "What was done before it stands. Ask for what is left.".to_owned(),
    })
}

/// How a call ended, in words.
const fn ended(status: CallStatus) -> &'static str {
    match status {
        CallStatus::Failed => "failed",
        CallStatus::Cancelled => "was stopped",
        CallStatus::Denied => "was refused",
        CallStatus::Ok => "was done",
    }
}

/// What is said of a request that ended for this reason; `None` where the reason alone says nothing.
/// `limit` is how many model calls a request may have.
#[must_use]
pub fn because(reason: Reason, limit: u32) -> Option<Fault> {
    match reason {
        Reason::NoAnswer => Some(no_answer()),
        Reason::BrokenCalls => Some(broken_calls()),
        Reason::IterationsUsed => Some(calls_used(limit)),
        Reason::WentInCircles => Some(went_in_circles()),
        Reason::Withheld => Some(withheld()),
        Reason::Answered
        | Reason::Done
        | Reason::Cut
        | Reason::Interrupted
        | Reason::Failed
        | Reason::DoesNotFit => None,
    }
}

/// The provider ended the answer by its own rules.
fn withheld() -> Fault {
    Fault {
        code: "agents.answer_withheld".to_owned(),
        message:
            "The provider withheld the answer, or the rest of it, by its own rules on content."
                .to_owned(),
        hint: "Ask in other words, or use another model (`carl models`).".to_owned(),
    }
}

/// The model had all the calls that a request may have; what it says then is not the whole of it.
fn calls_used(limit: u32) -> Fault {
    Fault {
        code: "agents.calls_used".to_owned(),
        message: format!(
            "The request reached its limit of {limit} model calls (`[agents] tool_iterations`) \
             before the model was done."
        ),
        hint: "Raise `tool_iterations` under `[agents]` in config.toml, or ask for what is left."
            .to_owned(),
    }
}

/// What the answer says, and the calls do not bear out; `None` where they bear out all of it.
#[must_use]
pub fn not_true(claims: &[Untrue], calls: &[ToolCallSummary]) -> Option<Fault> {
    let mut faults = claims.iter().map(|claim| claimed(claim, calls));
    let mut first = faults.next()?;
    for other in faults {
        first.message = format!("{} {}", first.message, other.message);
    }
    Some(first)
}

/// What the calls say to one claim.
fn claimed(claim: &Untrue, calls: &[ToolCallSummary]) -> Fault {
    let (message, hint) = match claim {
        Untrue::Change => {
            let refused = calls.iter().rev().find(|c| c.status == CallStatus::Denied);
            let why = match refused {
                Some(call) => format!("`{}` was denied", call.tool),
                None => "no tool that changes anything did its work".to_owned(),
            };
            let message =
                format!("The answer says that something was changed. Nothing was: {why}.");
            (message, COUNTS)
        }
        Untrue::Run(missed) => {
            let how = missed.as_ref().map(how);
            let how = how.map_or("None was.".to_owned(), |how| format!("It was not: {how}."));
            let message = format!("The answer says that a command was run. {how}");
            (message, COUNTS)
        }
        Untrue::Passed(missed) => {
            let how = missed.as_ref().map(how);
            let how = how.unwrap_or_else(|| "none ran to its end".to_owned());
            let message = format!(
                "The answer says that tests or a build went well. No program of this request shows \
                 it: {how}."
            );
            (message, COUNTS)
        }
        Untrue::Success { tool, exit_code } => {
            let message = format!(
                "The answer says that all went well. The last program that ran, by `{tool}`, ended \
                 with exit code {exit_code}."
            );
            let hint = "What the program said stands above the answer. Ask again for what is left.";
            (message, hint)
        }
        Untrue::Deletion { tool, status } => {
            let message = format!(
                "The answer says that something was deleted. It was not: `{tool}` {}.",
                ended(*status)
            );
            (message, COUNTS)
        }
        Untrue::Forgetting => {
            let message = "The answer says that something was forgotten. Nothing was: no tool \
                           forgets what is remembered."
                .to_owned();
            let hint =
                "`carl memory search WORDS` finds it, and `carl memory forget ID` forgets it.";
            (message, hint)
        }
        Untrue::Reminder => {
            let message =
                "The answer says that a reminder is set. None is: no timer was set.".to_owned();
            let hint = "Agents set timers in auto mode: `/mode auto` in a chat, and ask again.";
            (message, hint)
        }
    };
    Fault {
        code: claim.code().to_owned(),
        message,
        hint: hint.to_owned(),
    }
}

/// How a call ended whose program did not do its work.
fn how(missed: &Missed) -> String {
    let how = match (missed.exit_code, missed.status) {
        (Some(code), _) => format!("ended with exit code {code}"),
        (None, CallStatus::Ok) => "did not end".to_owned(),
        (None, status) => ended(status).to_owned(),
    };
    format!("`{}` {how}", missed.tool)
}

/// What is done about an answer that the calls do not bear out.
const COUNTS: &str = "The calls are what counts. Ask again in other words, or use a larger model.";

/// The model asked for the same again and again, and the limits on that refused it; or it wrote
/// the same words without end.
fn went_in_circles() -> Fault {
    Fault {
        code: "agents.went_in_circles".to_owned(),
        message: "The model repeated itself until its tools were turned off.".to_owned(),
        hint: "Say in other words what you want, name the file or folder, or use a larger model \
               (`carl models`)."
            .to_owned(),
    }
}

/// The model wrote calls as text that are none, and went on when it was told.
fn broken_calls() -> Fault {
    Fault {
        code: "agents.broken_calls".to_owned(),
        message: "The model answered with nothing but a tool call that cannot be run, and again \
                  when it was told what was wrong with it."
            .to_owned(),
        hint:
            "Try the request in other words, or another model (`carl models`). If the model often \
               does so, set `tool_calls = \"json\"` for its provider in config.toml."
                .to_owned(),
    }
}

/// The model said nothing, twice.
pub fn no_answer() -> Fault {
    Fault {
        code: "agents.no_answer".to_owned(),
        message: "The model gave an empty reply, and again when it was asked once more.".to_owned(),
        hint: "Try the request in other words, or another model (`carl models`).".to_owned(),
    }
}
