//! Questions: what is shown, who may answer what, how often, and what silence means.

use crate::support;
use crate::support::{House, assert_denied, next, path, question, result, settings, write};
use api::audit::Action;
use api::broker::{Broker, Control, ErrorKind, ToolEvent};
use api::executor::FailureKind;
use contracts::FakeTool;
use domain::decision::Verdict;
use domain::event::{CallStatus, ConfirmationAnswer, ConfirmationKind};
use domain::hash::Digest;
use domain::label::Label;
use domain::settings::{Attendance, SessionSettings};
use domain::token::Answerer;
use domain::tool::EffectClass;
use serde_json::json;
use std::path::PathBuf;

/// Attended, with `~/projects` open by manifest.
fn attended() -> SessionSettings {
    settings(Attendance::Attended)
}

fn deny(message: &str) -> ConfirmationAnswer {
    ConfirmationAnswer::Deny {
        message: message.to_owned(),
    }
}

#[tokio::test]
async fn a_yes_runs_exactly_what_was_shown_once() {
    let house = House::new(attended()).await;
    let arguments = json!({"path": "~/projects/a.txt", "content": "evil\u{202e}\n  path: b"});
    let mut stream = house.start("write_file", arguments).await;
    let ToolEvent::Decided(decision) = next(&mut stream).await else {
        panic!("the decision comes first")
    };
    assert_eq!(decision.verdict, Verdict::Confirm);
    let asked = question(&mut stream).await;
    assert_eq!(decision.confirmation_id, Some(asked.confirmation_id));
    assert_eq!(
        (asked.kind, asked.effect),
        (ConfirmationKind::Call, EffectClass::SharedWrite)
    );
    assert!(
        asked.rendering.contains("/home/u/projects/a.txt"),
        "{}",
        asked.rendering
    );
    assert!(
        asked.rendering.contains("| evil\\u{202e}\n    |   path: b"),
        "{}",
        asked.rendering
    );
    let lines: Vec<&str> = asked.rendering.lines().rev().take(2).collect();
    assert!(
        lines[1].starts_with("A yes for the session covers every change of files in "),
        "{lines:?}"
    );
    assert!(lines[0].starts_with("In short: "), "{lines:?}");
    assert!(lines[0].contains("(effect: write)"), "{lines:?}");
    assert!(lines[0].contains("/home/u/projects/a.txt"), "{lines:?}");
    assert_eq!(asked.diff.as_deref(), Some("--- a\n+++ b\n"));
    assert!(house.executor.calls().is_empty());

    let answer = |binding| {
        let id = asked.confirmation_id;
        house.broker.answer(
            house.session_id,
            id,
            binding,
            ConfirmationAnswer::Once,
            Answerer::User,
        )
    };
    let wrong = answer(Digest::of(b"other")).await.unwrap_err();
    assert_eq!(wrong.kind, ErrorKind::BindingMismatch);
    answer(asked.binding).await.unwrap();
    let replay = answer(asked.binding).await.unwrap_err();
    assert_eq!(replay.kind, ErrorKind::UnknownConfirmation);
    match next(&mut stream).await {
        ToolEvent::ConfirmationAnswered { by, .. } => assert_eq!(by, "user"),
        other => panic!("{other:?}"),
    }
    assert_eq!(next(&mut stream).await, ToolEvent::Started);
    assert_eq!(result(&mut stream).await.status, CallStatus::Ok);
    assert_eq!(house.executor.calls().len(), 1);

    let mut again = house.start("write_file", write("~/projects/a.txt")).await;
    question(&mut again).await;
}

#[tokio::test]
async fn an_answer_for_the_session_covers_that_tool_on_that_target_only() {
    let house = House::new(attended()).await;
    let mut stream = house.start("delete_file", path("~/projects/a")).await;
    let asked = question(&mut stream).await;
    house.answer(&asked, ConfirmationAnswer::Session).await;
    assert_eq!(result(&mut stream).await.status, CallStatus::Ok);
    let (_, again) = house.call("delete_file", path("/home/u/projects/a")).await;
    assert_eq!(again.status, CallStatus::Ok);
    question(&mut house.start("delete_file", path("~/projects/b")).await).await;
    question(&mut house.start("write_file", write("~/projects/a")).await).await;
}

#[tokio::test]
async fn an_answer_for_the_session_covers_once_what_only_a_preview_tells() {
    let mut undo = FakeTool::new("delete_file", "fs_write", EffectClass::Destructive)
        .previews("take back what write_file did to /home/u/projects/a\n");
    undo.spec.arguments.clear();
    undo.spec.definition.parameters = json!({"type": "object", "additionalProperties": false});
    let house = House::with(vec![undo], attended()).await;
    for _ in 0..2 {
        let mut stream = house.start("delete_file", json!({})).await;
        let asked = question(&mut stream).await;
        assert!(!asked.rendering.contains("for the session"), "{asked:?}");
        let end = "In short: delete_file (effect: destructive): take back what write_file did to /home/u/projects/a\n";
        assert!(asked.rendering.ends_with(end), "{asked:?}");
        house.answer(&asked, ConfirmationAnswer::Session).await;
        assert_eq!(result(&mut stream).await.status, CallStatus::Ok);
    }
}

#[tokio::test]
async fn a_no_is_told_with_the_users_words() {
    let house = House::new(attended()).await;
    for (message, expected) in [("", "said no"), ("use trash instead", "use trash instead")] {
        let mut stream = house.start("delete_file", path("~/projects/a")).await;
        let asked = question(&mut stream).await;
        house.answer(&asked, deny(message)).await;
        let result = result(&mut stream).await;
        assert_eq!(result.status, CallStatus::Denied);
        assert!(result.text.contains(expected), "{}", result.text);
    }
    assert!(house.executor.calls().is_empty());
}

#[tokio::test(start_paused = true)]
async fn silence_is_a_no() {
    let house = House::new(attended()).await;
    let mut stream = house.start("delete_file", path("~/projects/a")).await;
    let asked = question(&mut stream).await;
    match next(&mut stream).await {
        ToolEvent::ConfirmationAnswered { by, answer, .. } => {
            assert_eq!((by.as_str(), answer), ("timeout", deny("")));
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(result(&mut stream).await.status, CallStatus::Denied);
    let late = house
        .broker
        .answer(
            house.session_id,
            asked.confirmation_id,
            asked.binding,
            ConfirmationAnswer::Once,
            Answerer::User,
        )
        .await
        .unwrap_err();
    assert_eq!(late.kind, ErrorKind::UnknownConfirmation);
    assert!(house.executor.calls().is_empty());
}

#[tokio::test]
async fn the_workspace_is_opened_once() {
    let mut yes = attended();
    yes.auto_approve.insert(EffectClass::SharedWrite);
    let house = House::new(yes).await;
    let mut stream = house.start("write_file", write("a.txt")).await;
    let asked = question(&mut stream).await;
    assert_eq!(asked.kind, ConfirmationKind::WriteRoot);
    let reach = "every change of files in /w,";
    assert!(asked.rendering.contains(reach), "{}", asked.rendering);
    house.answer(&asked, ConfirmationAnswer::Session).await;
    assert_eq!(result(&mut stream).await.status, CallStatus::Ok);
    assert_eq!(
        house.executor.calls()[0].write_roots[0],
        PathBuf::from("/w")
    );
    let (_, second) = house.call("write_file", write("sub/b.txt")).await;
    assert_eq!(second.status, CallStatus::Ok, "not asked again");
}

#[tokio::test]
async fn a_yes_once_leaves_the_folder_closed() {
    let house = House::new(attended()).await;
    for _ in 0..2 {
        let mut stream = house.start("write_file", write("a.txt")).await;
        let asked = question(&mut stream).await;
        assert_eq!(asked.kind, ConfirmationKind::WriteRoot);
        house.answer(&asked, ConfirmationAnswer::Once).await;
        assert_eq!(result(&mut stream).await.status, CallStatus::Ok);
    }
}

#[tokio::test]
async fn a_yes_for_the_session_to_a_change_covers_the_changes_in_its_folder() {
    let mut tools = support::file_tools();
    for tool in &mut tools {
        let is_read = tool.spec.effect == EffectClass::Read;
        let origin = if is_read { "web" } else { "files" };
        tool.spec.result_label = Label::untrusted(origin);
    }
    let house = House::with(tools, attended()).await;
    let mut stream = house.start("write_file", write("a.txt")).await;
    let first = question(&mut stream).await;
    house.answer(&first, ConfirmationAnswer::Session).await;
    assert_eq!(result(&mut stream).await.status, CallStatus::Ok);
    let (_, second) = house.call("write_file", write("b.txt")).await;
    assert_eq!(second.status, CallStatus::Ok, "not asked again");
    let mut third = house.start("delete_file", path("b.txt")).await;
    let asked = question(&mut third).await;
    assert_eq!(asked.kind, ConfirmationKind::Call, "the folder stays open");
    let reach = "A yes for the session covers this tool on these paths";
    assert!(asked.rendering.contains(reach), "{}", asked.rendering);
    house.answer(&asked, deny("")).await;
    assert_eq!(result(&mut third).await.status, CallStatus::Denied);

    // It is listed as long as it holds.
    let listed = || house.broker.list_grants(house.session_id);
    assert_eq!(listed().await.unwrap().len(), 1);
    let (_, read) = house.call("read_file", path("a.txt")).await;
    assert_eq!(read.status, CallStatus::Ok);
    assert_eq!(listed().await.unwrap(), []);
    question(&mut house.start("write_file", write("c.txt")).await).await;
}

#[tokio::test]
async fn a_yes_for_the_session_to_a_deletion_opens_the_folder_and_covers_no_other() {
    let house = House::new(attended()).await;
    let mut stream = house.start("delete_file", path("a.txt")).await;
    let first = question(&mut stream).await;
    assert_eq!(first.kind, ConfirmationKind::WriteRoot);
    assert!(first.rendering.contains("opens /w "), "{}", first.rendering);
    house.answer(&first, ConfirmationAnswer::Session).await;
    assert_eq!(result(&mut stream).await.status, CallStatus::Ok);
    for (tool, arguments) in [
        ("delete_file", path("b.txt")),
        ("write_file", write("b.txt")),
    ] {
        let mut next = house.start(tool, arguments).await;
        let asked = question(&mut next).await;
        assert_eq!(asked.kind, ConfirmationKind::Call, "the folder stays open");
        house.answer(&asked, deny("")).await;
        assert_eq!(result(&mut next).await.status, CallStatus::Denied);
    }
}

#[tokio::test(start_paused = true)]
async fn an_answer_is_on_record_with_its_call_its_agent_and_what_it_came_to() {
    for (answer, verdict, detail) in [
        (
            Some(ConfirmationAnswer::Once),
            Verdict::Allow,
            "once by user",
        ),
        (Some(deny("no, thanks")), Verdict::Deny, "deny by user"),
        (None, Verdict::Deny, "deny by timeout"),
    ] {
        let house = House::new(attended()).await;
        let mut stream = house.start("delete_file", path("~/projects/a")).await;
        let asked = question(&mut stream).await;
        if let Some(answer) = answer {
            house.answer(&asked, answer).await;
        }
        result(&mut stream).await;
        let entries = house.audit.entries();
        let of = |action| entries.iter().find(|e| e.action == action).unwrap();
        let (decided, answered) = (of(Action::Decide), of(Action::Confirmation));
        assert_eq!(answered.detail, detail);
        assert_eq!(answered.tool.as_ref().unwrap().as_str(), "delete_file");
        assert_eq!(answered.call_id, decided.call_id);
        assert_eq!(answered.agent_id, decided.agent_id);
        assert_eq!(answered.agent_type, decided.agent_type);
        assert_eq!(answered.session_id, decided.session_id);
        assert_eq!(answered.lineage, decided.lineage);
        assert!(!answered.lineage.is_empty() && answered.call_id.is_some());
        assert_eq!(answered.params_hash, Some(asked.binding));
        let layer = decided.decision.unwrap().1;
        assert_eq!(answered.decision, Some((verdict, layer)));
    }
}

#[tokio::test]
async fn a_call_in_a_closed_folder_is_one_question_on_record() {
    let mut yes = attended();
    yes.auto_approve.insert(EffectClass::SharedWrite);
    for settings in [attended(), yes] {
        let house = House::new(settings).await;
        let mut stream = house.start("write_file", write("a.txt")).await;
        let asked = question(&mut stream).await;
        assert!(asked.rendering.contains("a.txt"), "{}", asked.rendering);
        house.answer(&asked, ConfirmationAnswer::Once).await;
        // `result` fails on another question.
        assert_eq!(result(&mut stream).await.status, CallStatus::Ok);
        let entries = house.audit.entries();
        let decided = entries.iter().filter(|e| e.action == Action::Decide);
        let decided: Vec<_> = decided.map(|e| e.decision.map(|(one, _)| one)).collect();
        assert_eq!(decided, [Some(Verdict::Confirm)]);
        let answers = entries.iter().filter(|e| e.action == Action::Confirmation);
        assert_eq!(answers.count(), 1);
    }
}

#[tokio::test]
async fn what_changes_between_question_and_answer_is_not_run() {
    let house = House::new(attended()).await;
    let mut stream = house.start("delete_file", path("~/projects/a")).await;
    let asked = question(&mut stream).await;
    let mut changed = attended();
    changed.allow_write.insert(PathBuf::from("/elsewhere"));
    house
        .broker
        .configure(house.session_id, changed)
        .await
        .unwrap();
    house.answer(&asked, ConfirmationAnswer::Once).await;
    let result = result(&mut stream).await;
    assert_eq!(result.status, CallStatus::Denied);
    assert!(house.executor.calls().is_empty());
}

#[tokio::test]
async fn closing_or_dropping_withdraws_the_question() {
    let house = House::new(attended()).await;
    let mut stream = house.start("delete_file", path("~/projects/a")).await;
    let asked = question(&mut stream).await;
    drop(stream);
    let answered = async {
        loop {
            let answer = deny("");
            let id = asked.confirmation_id;
            let wrong = Digest::of(b"wrong");
            match house
                .broker
                .answer(house.session_id, id, wrong, answer, Answerer::User)
                .await
            {
                Err(error) if error.kind == ErrorKind::UnknownConfirmation => return,
                _ => tokio::task::yield_now().await,
            }
        }
    };
    contracts::within("the question is withdrawn", answered).await;

    let mut stream = house.start("delete_file", path("~/projects/a")).await;
    question(&mut stream).await;
    house.broker.close_session(house.session_id).await.unwrap();
    assert_eq!(result(&mut stream).await.status, CallStatus::Cancelled);
    assert!(house.executor.calls().is_empty());
}

#[tokio::test]
async fn a_call_that_would_fail_is_not_asked_about() {
    let tool = FakeTool::new("delete_file", "fs_write", EffectClass::Destructive).fails(
        FailureKind::Mendable,
        "not_found",
        "There is no such file.",
    );
    let house = House::with(vec![tool], attended()).await;
    let (_, result) = house.call("delete_file", path("~/projects/a")).await;
    assert_eq!(result.status, CallStatus::Failed);
    assert!(result.text.contains("no such file"), "{}", result.text);
}

#[tokio::test]
async fn a_call_that_leads_astray_is_refused_with_the_users_reason() {
    let outside = FailureKind::Refused;
    let mut undo = FakeTool::new("delete_file", "fs_write", EffectClass::Destructive).fails(
        outside,
        "outside_roots",
        "`a` leads to /etc.",
    );
    let asked = House::with(vec![undo.clone()], attended()).await;
    let judged = asked.call("delete_file", path("~/projects/a")).await;
    assert_denied(&judged, "outside_roots");
    assert!(judged.0.user_reason.contains("leads to /etc"), "{judged:?}");
    assert!(!judged.1.text.contains("/etc"), "{judged:?}");
    let (decision, _) = asked.call("delete_file", path("inside")).await;
    assert_eq!(decision.verdict, Verdict::Deny, "before a folder is opened");

    // A tool that names no path is found out although nobody is asked.
    undo.spec.arguments.clear();
    undo.spec.definition.parameters = json!({"type": "object", "additionalProperties": false});
    let mut yes = attended();
    yes.auto_approve.insert(EffectClass::Destructive);
    let house = House::with(vec![undo], yes).await;
    let judged = house.call("delete_file", json!({})).await;
    assert_denied(&judged, "outside_roots");
    assert!(house.executor.calls().is_empty());
}

#[tokio::test]
async fn a_flood_of_questions_is_cut_off() {
    let house = House::new(attended()).await;
    let mut streams = Vec::new();
    for n in 0..64 {
        let target = path(&format!("~/projects/{n}"));
        let mut stream = house.start("delete_file", target).await;
        question(&mut stream).await;
        streams.push(stream);
    }
    let (_, over) = house.call("delete_file", path("~/projects/x")).await;
    assert_eq!(over.status, CallStatus::Denied);
    let listed = house
        .broker
        .discover_tools(house.context(), "delete a file".to_owned(), 3_000.into())
        .await;
    assert_eq!(
        listed.unwrap()[0].name.as_str(),
        "delete_file",
        "best match first"
    );
}
