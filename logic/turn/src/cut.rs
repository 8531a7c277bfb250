//! What is said when a model's reply was stopped: at a token limit, or because it repeated itself.

use crate::reply::Reply;
use domain::fault::Fault;
use domain::id::CallId;
use domain::model::FinishReason;

/// The call that a token limit broke off: the last one of a reply that was cut, if its arguments
/// never became a JSON object.
pub fn call_of(reply: &Reply) -> Option<CallId> {
    let (call, _) = reply.tool_calls.last()?;
    let is_cut = reply.finish.is_cut() && !call.arguments.is_object();
    is_cut.then_some(call.call_id)
}

/// What the model is told in place of the result of such a call.
pub fn for_the_model(reply: &Reply) -> String {
    if reply.finish == FinishReason::Repetition {
        return "Not run: the call repeated the same words without end and was stopped before its \
                arguments were complete."
            .to_owned();
    }
    format!(
        "Not run: the call was cut off at the token limit{} before its arguments were complete. \
         Do it in smaller parts, such as a file in several writes.",
        spent(reply)
    )
}

/// Where the most that an answer may have comes from.
#[derive(Debug, Clone, Copy)]
pub enum Room {
    /// The part of a context of this size, tokens, that is kept for it.
    Context(u32),
    /// It is the same for every answer of a plan.
    Plan,
    /// What a tiny model may write at a time.
    Tiny,
}

/// Why the answer is not whole, and what to change. `asked` is what the caller wanted at most,
/// tokens.
pub fn fault(reply: &Reply, asked: Option<u32>, room: Room) -> Fault {
    if reply.finish == FinishReason::Repetition {
        return repeated(reply);
    }
    let generated = reply.usage.completion_tokens;
    let reached = |limit: Option<u32>| limit.is_some_and(|limit| generated >= u64::from(limit));
    let (why, hint) = if reply.max_tokens < asked && reached(reply.max_tokens) {
        (
            format!(
                "that is what was left of a token budget{}",
                thought_only(reply)
            ),
            "Raise `agent_tokens` in agents.yaml or `session_tokens` under `[agents]`.".to_owned(),
        )
    } else if reached(reply.max_tokens) {
        let (why, hint) = match room {
            Room::Context(context) => (
                format!("that is what a context of {context} tokens leaves for an answer"),
                "Ask for the rest, or raise `context_tokens` of the provider in config.toml \
                 (`--context-tokens` for one command) if the model and its server have more.",
            ),
            Room::Tiny => (
                "that is the most that a model with fewer than a billion parameters writes at a time"
                    .to_owned(),
                "Ask for less at a time, or use a larger model (`carl models`).",
            ),
            Room::Plan => (
                "that is the most that the answer of a plan may have".to_owned(),
                "Ask a narrower question, or use `--mode loop`.",
            ),
        };
        (why + thought_only(reply), hint.to_owned())
    } else {
        (
            format!("the model server ended it there{}", thought_only(reply)),
            "Ask for the rest, or raise the server's own limit on generated tokens or its context."
                .to_owned(),
        )
    };
    Fault {
        code: "agents.answer_cut".to_owned(),
        message: format!(
            "The answer was cut off at the token limit{}: {why}.",
            spent(reply)
        ),
        hint,
    }
}

fn repeated(reply: &Reply) -> Fault {
    Fault {
        code: "agents.answer_cut".to_owned(),
        message: format!(
            "The answer was stopped{}: the model repeated itself.",
            spent(reply)
        ),
        hint: "Ask in other words, or use a larger model (`carl models`).".to_owned(),
    }
}

/// How much was generated, where the server counts.
fn spent(reply: &Reply) -> String {
    match reply.usage.completion_tokens {
        0 => String::new(),
        tokens => format!(", after {tokens} tokens"),
    }
}

/// Thinking counts too, and may take everything.
fn thought_only(reply: &Reply) -> &'static str {
    if reply.text.trim().is_empty() && reply.thinking.is_some() {
        ", and all of it went into thinking"
    } else {
        ""
    }
}
