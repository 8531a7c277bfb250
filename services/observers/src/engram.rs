//! Which answered questions are kept, and what is: an engram, with what rules understand of the
//! question.

use crate::again::Given;
use api::memory::{Source, WriteEntry, WriteRequest};
use domain::event::{CallStatus, Event, EventBody, ToolCallSummary};
use domain::id::RespondentId;
use domain::label::{Integrity, Label};
use domain::limits::MEMORY_TAGS;
use domain::model::ModelRef;
use domain::rights::Namespace;
use domain::tool::ToolName;
use retrieval::question::{Wants, is_asked, is_statement, read};
use retrieval::relevance::is_small_talk;
use std::collections::BTreeSet;
use turn::{claims_change, claims_forgetting, claims_result, claims_run};

/// Who answered when no model did.
const RULES: &str = "rules";

/// What stands for an answer that never came to something the user stated. A model is shown the same
/// in the place of an empty answer of its own, and small ones repeat it.
const NO_ANSWER: &str = "(no answer)";

/// The engram of a finished generation; `None` when there is nothing to keep: no question, small
/// talk, or no answer to what is no statement of the user's.
pub(crate) fn of(question: &str, event: &Event) -> Option<WriteRequest> {
    let EventBody::GenerationFinished {
        answer,
        tool_calls,
        model,
        label,
        ..
    } = &event.body
    else {
        return None;
    };
    let query_id = event.query_id?;
    let answer = match answer.trim() {
        // What the user told is worth keeping, whatever became of the model.
        "" | NO_ANSWER if is_statement(question) => NO_ANSWER,
        "" | NO_ANSWER => return None,
        // A model may say that it changed what it was refused, or never asked for.
        _ if !is_false_claim(question, answer, tool_calls) => answer,
        _ if is_statement(question) => NO_ANSWER,
        _ => return None,
    };
    let asked = read(question);
    if question.trim().is_empty() || is_small_talk(&asked) {
        return None;
    }
    let used = tool_calls
        .iter()
        .filter(|call| call.status == CallStatus::Ok);
    let tools_used: BTreeSet<ToolName> = used.map(|call| ToolName::nearest(&call.tool)).collect();
    // An order that rules carried out is no conversation: hundreds would crowd out what was said.
    let is_by_rules = event.respondent_id.is_none() && model.is_none();
    if is_by_rules && !tools_used.is_empty() && answer != NO_ANSWER {
        return None;
    }
    let label = match (answer, label) {
        // The user's own words, and nothing that was read.
        (NO_ANSWER, _) => Label::trusted("user"),
        (_, Some(label)) => label.clone(),
        (_, None) => Label::untrusted("session log"),
    };
    Some(WriteRequest {
        // Nobody asked for it: it is the user's own record.
        context: None,
        namespace: namespace(&label),
        source: match label.integrity {
            Integrity::Trusted => Source::Agent,
            Integrity::Endorsed | Integrity::Untrusted => Source::External,
        },
        label,
        entry: WriteEntry::Engram {
            question: question.to_owned(),
            answer: answer.to_owned(),
            intent: intent(question).to_owned(),
            entities: asked.entities.into_iter().take(MEMORY_TAGS).collect(),
            session_id: event.session_id,
            query_id,
            respondent: respondent_of(event.respondent_id, model.as_ref()),
            tools_used: tools_used.into_iter().take(MEMORY_TAGS).collect(),
        },
        valid_from: Some(event.time),
        supersedes: None,
    })
}

/// The engram of a second answer to the request that this event answered; `None` when there is nothing to
/// keep.
pub(crate) fn second_of(
    question: &str,
    answered: &Event,
    given: &Given,
    respondent: &str,
) -> Option<WriteRequest> {
    let mut event = answered.clone();
    if let EventBody::GenerationFinished { answer, .. } = &mut event.body {
        answer.clone_from(&given.text);
    }
    let mut request = of(question, &event)?;
    if let WriteEntry::Engram {
        respondent: named, ..
    } = &mut request.entry
    {
        respondent.clone_into(named);
    }
    Some(request)
}

/// Who answered, as an engram names it.
pub(crate) fn respondent_of(respondent: Option<RespondentId>, model: Option<&ModelRef>) -> String {
    match (respondent, model) {
        (Some(respondent), Some(model)) => format!("{model} {respondent}"),
        (Some(respondent), None) => respondent.to_string(),
        (None, Some(model)) => model.to_string(),
        (None, None) => RULES.to_owned(),
    }
}

/// Who gave a second answer, as its engram names it.
pub(crate) fn second_respondent(model: &ModelRef) -> String {
    format!("{model} B")
}

/// Whether an answer claims a change, and the calls say that it was refused or that nothing was done.
fn is_false_claim(question: &str, answer: &str, calls: &[ToolCallSummary]) -> bool {
    let did_nothing = || !calls.iter().any(|call| call.status == CallStatus::Ok);
    // The calls are asked first: what tells claims is compiled at its first use.
    (did_nothing() || was_refused(calls))
        && (claims_change(question, answer, false)
            || claims_result(question, answer)
            || claims_forgetting(question, answer, false)
            || claims_run(question, answer))
}

/// Whether a call was refused and none of that tool was done afterwards.
fn was_refused(calls: &[ToolCallSummary]) -> bool {
    let is_done = |tool: &str, after: usize| {
        let mut later = calls.iter().skip(after);
        later.any(|call| call.tool == tool && call.status == CallStatus::Ok)
    };
    let mut refused = calls.iter().enumerate();
    refused.any(|(at, call)| call.status == CallStatus::Denied && !is_done(&call.tool, at))
}

/// The part of memory that an answer belongs to: the user's, unless it was made of what another part
/// holds. What came from two of them is for readers of neither.
fn namespace(label: &Label) -> Namespace {
    let parts = label.origins.iter();
    let mut parts = parts.filter_map(|origin| Namespace::of_origin(origin));
    match (parts.next(), parts.next()) {
        (None, _) => Namespace::user(),
        (Some(part), None) => part,
        (Some(_), Some(_)) => Namespace::apart(),
    }
}

/// What was wanted, as far as the form of the words tells.
pub(crate) fn intent(question: &str) -> &'static str {
    match read(question).wants {
        Wants::Time => "asks when",
        Wants::Place => "asks where",
        Wants::Person => "asks who",
        Wants::Count => "asks how many",
        Wants::Anything if is_asked(question) => "asks something",
        Wants::Anything => "tells or wants something done",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::Timestamp;
    use domain::decision::{Layer, Verdict};
    use domain::id::{CallId, QueryId, SessionId};
    use domain::model::Usage;
    use serde_json::json;
    use uuid::Uuid;

    fn call(tool: &str, status: CallStatus) -> ToolCallSummary {
        ToolCallSummary {
            call_id: CallId::from_uuid(Uuid::nil()),
            tool: tool.to_owned(),
            args: json!({}),
            decision: Verdict::Allow,
            layer: Layer::Manifest,
            status,
            duration_ms: 0,
            exit_code: None,
        }
    }

    fn finished(answer: &str, label: Option<Label>) -> Event {
        Event {
            seq: 5,
            time: Timestamp::UNIX_EPOCH,
            session_id: SessionId::from_uuid(Uuid::from_u128(1)),
            query_id: Some(QueryId::from_uuid(Uuid::from_u128(2))),
            agent_id: None,
            respondent_id: None,
            call_id: None,
            body: EventBody::GenerationFinished {
                answer: answer.to_owned(),
                thinking: "hm".to_owned(),
                tool_calls: vec![
                    call("read_file", CallStatus::Ok),
                    call("read_file", CallStatus::Ok),
                    call("delete_file", CallStatus::Denied),
                ],
                usage: Usage::default(),
                model: Some("ollama/qwen3".parse().unwrap()),
                label,
            },
        }
    }

    #[test]
    fn an_answer_that_claims_what_was_refused_is_not_kept() {
        let finished = |question: &str, calls: &[(&str, CallStatus)]| {
            let mut event = finished("Wrote notes.md.", None);
            let EventBody::GenerationFinished { tool_calls, .. } = &mut event.body else {
                panic!("not a generation")
            };
            *tool_calls = calls
                .iter()
                .map(|(tool, status)| call(tool, *status))
                .collect();
            of(question, &event).map(|request| request.entry)
        };
        let denied = ("write_file", CallStatus::Denied);
        assert!(finished("write notes.md please", &[denied]).is_none());
        let done = [denied, ("write_file", CallStatus::Ok)];
        assert!(finished("write notes.md please", &done).is_some());
        assert!(finished("Where is notes.md?", &[denied]).is_some());
        // What the user states is kept without the answer.
        match finished("I prefer British spelling", &[denied]) {
            Some(WriteEntry::Engram { answer, .. }) => assert_eq!(answer, NO_ANSWER),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn an_answer_is_as_trusted_as_what_it_was_made_from() {
        for (label, source) in [
            (Some(Label::trusted("user")), Source::Agent),
            (Some(Label::untrusted("web:x")), Source::External),
            (None, Source::External),
        ] {
            let engram = of("Where does Ada live?", &finished("Here.", label)).unwrap();
            assert_eq!(engram.source, source);
            assert_eq!(engram.namespace, Namespace::user());
            let WriteEntry::Engram {
                intent,
                entities,
                tools_used,
                respondent,
                ..
            } = engram.entry
            else {
                panic!("no engram");
            };
            assert_eq!(
                (intent.as_str(), respondent.as_str()),
                ("asks where", "ollama/qwen3")
            );
            assert_eq!(entities, ["ada"]);
            assert_eq!(tools_used, [ToolName::new("read_file").unwrap()]);
        }
    }

    #[test]
    fn what_rules_carried_out_is_not_kept() {
        let kept = |tools: &[(&str, CallStatus)], model: Option<&str>| {
            let mut event = finished("1 entry in memory about \"cat\": Minka.", None);
            if let EventBody::GenerationFinished {
                tool_calls,
                model: by,
                ..
            } = &mut event.body
            {
                *tool_calls = tools.iter().map(|(tool, how)| call(tool, *how)).collect();
                *by = model.map(|model| model.parse().unwrap());
            }
            of("recall my cat", &event).is_some()
        };
        let looked = ("search_memory", CallStatus::Ok);
        assert!(!kept(&[looked], None));
        assert!(!kept(
            &[looked, looked, ("read_file", CallStatus::Denied)],
            None
        ));
        assert!(!kept(&[looked, ("read_file", CallStatus::Ok)], None));
        assert!(!kept(&[("save_memory", CallStatus::Ok)], None));
        let undone = ("undo", CallStatus::Ok);
        assert!(!kept(&[undone, undone], None));
        assert!(kept(&[undone], Some("ollama/qwen3")));
        assert!(kept(&[looked], Some("ollama/qwen3")));
        assert!(kept(&[], None));
    }

    #[test]
    fn an_answer_stays_in_the_part_of_memory_it_was_made_from() {
        let kept_in = |origins: &[&str]| {
            let mut label = Label::trusted("user");
            label.origins.extend(origins.iter().map(|&o| o.to_owned()));
            of("Which?", &finished("This.", Some(label)))
                .unwrap()
                .namespace
                .to_string()
        };
        assert_eq!(kept_in(&["web", "web:a.example", "memory"]), "user");
        assert_eq!(kept_in(&["memory:project:/home/u/x"]), "project:/home/u/x");
        assert_eq!(kept_in(&["memory:agent:coder"]), "agent:coder");
        assert_eq!(
            kept_in(&["memory:agent:coder", "memory:project:/home/u/x"]),
            "apart"
        );
    }

    #[test]
    fn a_question_is_one_without_its_mark() {
        assert_eq!(intent("what colour is my badge"), "asks something");
        assert_eq!(intent("My badge is blue?"), "asks something");
        for told in ["My badge is blue", "Delete what is old", "Isolate it"] {
            assert_eq!(intent(told), "tells or wants something done", "{told}");
        }
    }

    #[test]
    fn what_the_user_states_is_kept_without_an_answer_and_small_talk_never() {
        let stated = of("I prefer British spelling.", &finished("", None)).unwrap();
        let WriteEntry::Engram { answer, .. } = stated.entry else {
            panic!("no engram");
        };
        assert_eq!(answer, NO_ANSWER);
        for said in ["y", "yes, do", "Thanks!"] {
            assert!(of(said, &finished("Done.", None)).is_none(), "{said}");
        }
    }

    #[test]
    fn without_an_answer_there_is_nothing_to_keep() {
        assert!(of("Why?", &finished(" ", None)).is_none());
        assert!(of("Delete what is old", &finished("", None)).is_none());
        assert!(of("", &finished("Because.", None)).is_none());
        assert!(of("Why?", &finished(NO_ANSWER, None)).is_none());
    }
}
