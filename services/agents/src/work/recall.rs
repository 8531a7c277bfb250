//! What memory has on a request, before a model sees the request.
//!
//! The harness asks the broker's own tool, with the agent's token: whether the agent may look, at
//! which memories, what is on record and how the answer is fenced and labelled is the guard's
//! business here as everywhere. Nothing relevant shows nothing, and a small context is left to the
//! conversation: fewer memories are shown, or none. A memory that is slow or broken is gone without.

use crate::work::{Work, small_talk};
use api::broker::{CallRequest, ToolEvent, ToolResult};
use context::Budget;
use domain::decision::Verdict;
use domain::event::{CallStatus, EventBody};
use domain::fault::{Coded, Fault};
use domain::id::CallId;
use domain::limits::{MEMORY_QUESTION_CHARS, RECALLED_MEMORIES};
use domain::message::Message;
use domain::settings::Mode;
use domain::tool::SEARCH_MEMORY;
use futures::StreamExt;
use plan::prompt::covers;
use serde_json::json;
use text::escape::prose;
use text::fence;
use uuid::Uuid;

/// The most of a prompt that may be taken by what nobody asked for, thousandths.
const SHARE_PERMILLE: u64 = 100;

/// What begins the line that says where a memory that was kept on purpose is from.
const MEMORY: &str = "(memory, ";

/// Looks once a request, before it is taken apart, planned or answered, so that whatever is made of
/// it is made under the label of what was recalled. What an earlier process recalled for it stays.
/// The rules that need no model have no use for it.
pub(crate) async fn before(work: &Work) {
    let has_recalled = || work.with_state(|state| state.conversation.has_recalled());
    if work.request.mode == Mode::Deterministic || small_talk::is(work) || has_recalled() {
        return;
    }
    if let Some(recalled) = for_request(work).await {
        work.emit(recalled, None).await;
    }
}

/// What was recalled for the request, or a notice that nothing could be; `None` when there is
/// nothing to show.
async fn for_request(work: &Work) -> Option<EventBody> {
    let disabled = &work.request.profile.settings.disabled_tools;
    if !work.request.may_recall || disabled.iter().any(|tool| tool.as_str() == SEARCH_MEMORY) {
        return None;
    }
    // A turn of the drive is about its signals; what the harness says around them finds nothing.
    let signals = {
        let history = work.services.events.history();
        history
            .drive
            .question(work.request.query_id)
            .map(str::to_owned)
    };
    let text = signals.unwrap_or_else(|| work.request.text.clone());
    if text.is_empty() {
        return None;
    }
    let question: String = text.chars().take(MEMORY_QUESTION_CHARS).collect();
    let found = tokio::select! {
        biased;
        () = work.cancel.cancelled() => return None,
        found = tokio::time::timeout(work.services.recall_wait, fitting(work, &question)) => found,
    };
    match found {
        Ok(Ok(result)) => recalled(question, result?),
        Ok(Err(fault)) => Some(gone_without(&fault.message)),
        Err(_) => Some(gone_without(&format!(
            "it did not answer within {} ms",
            work.services.recall_wait.as_millis()
        ))),
    }
}

/// Whether what was recalled for the request is something that was kept on purpose, and not only said.
pub(crate) fn holds_a_memory(work: &Work) -> bool {
    work.with_state(|state| {
        state
            .conversation
            .view
            .given()
            .contains(&format!("\n{MEMORY}"))
    })
}

/// What somebody kept on purpose that answers a question: the first memory that was recalled and has all words
/// that say what the question is about, in its own words.
pub(crate) fn told(work: &Work, question: &str) -> Option<String> {
    let given = work.with_state(|state| state.conversation.view.given().to_owned());
    told_by(&given, question)
}

/// As [`told`], of what stands before a request.
fn told_by(given: &str, question: &str) -> Option<String> {
    let lines: Vec<&str> = given.lines().collect();
    let facts = lines.iter().enumerate();
    let mut facts = facts.filter(|(_, line)| line.starts_with(MEMORY) && line.contains(") id "));
    facts.find_map(|(at, facts)| {
        let is_end = |line: &&str| line.trim().is_empty() || fence::is_mark(line);
        let first = lines[..at].iter().rposition(is_end);
        let text = lines[first.map_or(0, |first| first + 1)..at].join("\n");
        if !covers(&text, question) {
            return None;
        }
        let is_of_the_user = !facts.contains("untrusted") && !facts.contains("from outside");
        let who = match is_of_the_user {
            true => "You told me",
            false => "Memory has",
        };
        Some(prose(&format!("{who}: {text}\n{facts}")))
    })
}

/// A question to a model that is not the conversation, with what was recalled and the data that came
/// with the request before its last words, where the conversation has them.
pub(crate) fn shown_in(work: &Work, mut messages: Vec<Message>) -> Vec<Message> {
    if let Some(Message::User { text }) = messages.last_mut() {
        text.insert_str(0, &work.with_state(|state| state.conversation.view.given()));
    }
    messages
}

/// The best that fit in their share of the prompt, whole; `None` when not even the best one does, or
/// the guard says no.
async fn fitting(work: &Work, question: &str) -> Result<Option<ToolResult>, Fault> {
    let tokens = Budget::of(work.agent.context_tokens).prompt_tokens * SHARE_PERMILLE / 1_000;
    let room = work.with_state(|state| state.conversation.view.characters_in(tokens));
    let mut limit = RECALLED_MEMORIES;
    while limit > 0 {
        let Some(result) = ask(work, question, limit).await? else {
            return Ok(None);
        };
        match fewer(&result, limit, room) {
            None => return Ok(Some(result)),
            Some(left) => limit = left,
        }
    }
    Ok(None)
}

/// With how many memories less it may fit in so many characters; `None` when it does.
fn fewer(result: &ToolResult, limit: u32, room: u64) -> Option<u32> {
    if result.status != CallStatus::Ok || result.text.chars().count() as u64 <= room {
        return None;
    }
    let found = result.data["results"].as_array().map_or(0, Vec::len);
    let found = u32::try_from(found).unwrap_or(u32::MAX).min(limit);
    found.checked_sub(1)
}

/// Asks the tool; `None` when the guard does not simply allow it. Dropping the future withdraws the
/// call.
async fn ask(work: &Work, question: &str, limit: u32) -> Result<Option<ToolResult>, Fault> {
    let request = CallRequest {
        context: work.agent.caller.clone(),
        call_id: CallId::from_uuid(Uuid::now_v7()),
        tool: SEARCH_MEMORY.to_owned(),
        arguments: json!({
            "query": question,
            "limit": limit,
            "relevant_only": true,
        }),
        plan_id: None,
        batch: None,
        recovered: false,
    };
    let stream = work.services.broker.execute(request).await;
    let mut stream = stream.map_err(|error| error.fault())?;
    while let Some(next) = stream.next().await {
        match next.map_err(|error| error.fault())? {
            // Nobody is asked about something that they did not ask for.
            ToolEvent::Decided(decision) if decision.verdict != Verdict::Allow => return Ok(None),
            ToolEvent::Finished(result) => return Ok(Some(result)),
            _ => {}
        }
    }
    Ok(None)
}

fn recalled(question: String, result: ToolResult) -> Option<EventBody> {
    match result.status {
        CallStatus::Ok => {}
        CallStatus::Failed => {
            return Some(gone_without(reason(&result.text)));
        }
        CallStatus::Denied | CallStatus::Cancelled => return None,
    }
    let found = result.data["results"].as_array()?;
    let ids = found.iter().filter_map(|one| one["id"].as_str());
    let memories: Vec<String> = ids.map(str::to_owned).collect();
    if memories.is_empty() {
        return None;
    }
    Some(EventBody::MemoryRecalled {
        memories,
        query: question,
        text: result.text,
        label: result.label,
        value_id: result.value_id,
    })
}

/// What a failed call says of its reason, without what is meant for the model alone.
fn reason(text: &str) -> &str {
    let mut lines = text.lines().filter(|line| !fence::is_mark(line));
    let line = lines.next().unwrap_or("the tool failed");
    let line = line.strip_prefix("[tool unavailable] ").unwrap_or(line);
    let line = line.strip_suffix("Go on without memory.").unwrap_or(line);
    line.trim_end().trim_end_matches('.')
}

fn gone_without(why: &str) -> EventBody {
    EventBody::Notice(Fault {
        code: "agents.recall_failed".to_owned(),
        message: format!("Memory was not asked for this request: {why}."),
        hint: "`carl doctor` says what is wrong with it; where it has a process of its own, `carl \
               serve --role memory` starts that. Answers given meanwhile are not remembered before \
               it is back; recall = false under [memory] leaves it out."
            .to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;
    use turn::nothing_ran;

    fn result(data: Value) -> ToolResult {
        ToolResult {
            data,
            ..nothing_ran(CallStatus::Ok, "fenced".to_owned())
        }
    }

    #[test]
    fn nothing_found_shows_nothing_and_a_failure_a_notice() {
        let asked = || "coffee?".to_owned();
        let none = recalled(asked(), result(json!({"results": []})));
        assert_eq!(none, None);
        let found = recalled(asked(), result(json!({"results": [{"id": "7"}]})));
        let Some(EventBody::MemoryRecalled { memories, text, .. }) = found else {
            panic!("{found:?}");
        };
        assert_eq!((memories, text.as_str()), (vec!["7".to_owned()], "fenced"));
        let said = "[FAILED]\n[tool unavailable] memory is gone. Go on without memory.";
        let failed = nothing_ran(CallStatus::Failed, said.to_owned());
        let notice = recalled(asked(), failed);
        let Some(EventBody::Notice(fault)) = notice else {
            panic!("{notice:?}");
        };
        let told = "Memory was not asked for this request: memory is gone.";
        assert_eq!(fault.message, told);
        let denied = nothing_ran(CallStatus::Denied, "no".to_owned());
        assert_eq!(recalled(asked(), denied), None);
    }

    #[test]
    fn a_memory_that_has_all_words_of_a_question_answers_it() {
        let given = "From memory:\n\nthe cat is called Mia\n(memory, 2026-11-22, from an agent) id 0190\n\n\
                     the dog is called Rex\n(memory, 2026-11-22, from the user, untrusted: web:x) id 0191\n\n\
                     the printer is old\n(conversation, 2026-11-22, from the user) id 0192\n";
        let told = |question: &str| told_by(given, question).unwrap_or_default();
        let of_cat = told("what is the cat called?");
        assert!(
            of_cat.starts_with("You told me: the cat is called Mia\n(memory, "),
            "{of_cat}"
        );
        assert!(told("what is the dog called?").starts_with("Memory has: the dog"));
        assert_eq!(told("where is the printer?"), "");
        assert_eq!(told("where is the horse?"), "");
    }

    #[test]
    fn what_does_not_fit_is_asked_for_with_one_less() {
        let ids = json!({"results": [{"id": "7"}, {"id": "8"}]});
        let two = result(ids);
        assert_eq!(fewer(&two, 3, 6), None);
        assert_eq!(fewer(&two, 3, 5), Some(1));
        assert_eq!(fewer(&two, 1, 5), Some(0));
        assert_eq!(fewer(&result(json!({"results": []})), 3, 5), None);
    }
}
