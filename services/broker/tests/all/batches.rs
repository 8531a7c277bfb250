//! Calls and questions that belong together: asked about at one time, answered each for itself, run
//! one after the other.

use crate::support;
use crate::support::{House, agent, file_tools, finish, question, result, service, settings};
use api::audit::Action;
use api::authority::{Authorized, JudgedCall};
use api::broker::{Broker, CallRequest, Control, Error, ErrorKind, ToolEvent};
use api::executor::{Executor, PathRefusal, ReportSink, ToolFailure};
use api::{CallContext, Streaming};
use async_trait::async_trait;
use contracts::{FakeAudit, FakeExecutor, FakeTool, Gate, fresh_uuid, within};
use domain::decision::Verdict;
use domain::event::{Batch, CallStatus, ConfirmationAnswer, ConfirmationKind, ConfirmationRequest};
use domain::id::BatchId;
use domain::label::Label;
use domain::settings::{Attendance, SessionSettings};
use domain::token::Answerer;
use domain::tool::{EffectClass, TargetKind, ToolOutput, ToolSpec};
use futures::future::join_all;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::sync::Arc;

fn attended() -> SessionSettings {
    let mut settings = settings(Attendance::Attended);
    settings.allow_write.insert(PathBuf::from("/w"));
    settings
}

/// Calls of one breath.
fn breath(house: &House, calls: &[(&str, &str)]) -> Vec<CallRequest> {
    let batch_id = BatchId::from_uuid(fresh_uuid());
    let size = u32::try_from(calls.len()).unwrap();
    let each = calls.iter().zip(0..);
    each.map(|((tool, path), position)| {
        let mut arguments = json!({"path": path});
        if *tool == "write_file" {
            arguments["content"] = "x".into();
        }
        let mut request = house.request(tool, arguments);
        request.batch = Some(Batch {
            batch_id,
            position,
            size,
        });
        request
    })
    .collect()
}

async fn begun(house: &House, calls: Vec<CallRequest>) -> Vec<Streaming<ToolEvent, Error>> {
    let begun = calls.into_iter().map(|call| house.broker.execute(call));
    join_all(begun)
        .await
        .into_iter()
        .map(Result::unwrap)
        .collect()
}

async fn questions(streams: &mut [Streaming<ToolEvent, Error>]) -> Vec<ConfirmationRequest> {
    within("the questions", join_all(streams.iter_mut().map(question))).await
}

fn no() -> ConfirmationAnswer {
    ConfirmationAnswer::Deny {
        message: String::new(),
    }
}

fn paths_run(executor: &FakeExecutor) -> Vec<String> {
    let calls = executor.calls().into_iter();
    calls
        .map(|call| call.arguments["path"].as_str().unwrap().to_owned())
        .collect()
}

#[tokio::test]
async fn what_one_answer_asks_for_is_asked_together_and_each_answer_is_its_own() {
    let house = House::new(attended()).await;
    let calls = breath(
        &house,
        &[
            ("write_file", "a"),
            ("write_file", "b"),
            ("write_file", "c"),
        ],
    );
    let mut streams = begun(&house, calls).await;
    // All three wait before any is answered.
    let asked = questions(&mut streams).await;
    let batches: Vec<Batch> = asked.iter().map(|q| q.batch.unwrap()).collect();
    let ids: Vec<BatchId> = batches.iter().map(|b| b.batch_id).collect();
    assert!(ids.iter().all(|id| *id == ids[0]));
    let places: Vec<(u32, u32)> = batches.iter().map(|b| (b.position, b.size)).collect();
    assert_eq!(places, [(0, 3), (1, 3), (2, 3)]);
    assert_ne!(asked[0].binding, asked[1].binding);
    let wrong = house.broker.answer(
        house.session_id,
        asked[0].confirmation_id,
        asked[1].binding,
        ConfirmationAnswer::Once,
        Answerer::User,
    );
    assert_eq!(wrong.await.unwrap_err().kind, ErrorKind::BindingMismatch);
    // Answered last to first; run first to last.
    house.answer(&asked[2], ConfirmationAnswer::Once).await;
    house.answer(&asked[1], no()).await;
    assert!(paths_run(&house.executor).is_empty());
    house.answer(&asked[0], ConfirmationAnswer::Once).await;
    let results = within("the results", join_all(streams.iter_mut().map(result))).await;
    let ended: Vec<CallStatus> = results.iter().map(|r| r.status).collect();
    assert_eq!(ended, [CallStatus::Ok, CallStatus::Denied, CallStatus::Ok]);
    assert_eq!(paths_run(&house.executor), ["a", "c"]);
}

#[tokio::test]
async fn only_neighbours_of_one_effect_are_asked_together() {
    let house = House::new(attended()).await;
    let calls = breath(
        &house,
        &[
            ("write_file", "a"),
            ("write_file", "b"),
            ("delete_file", "c"),
            ("write_file", "d"),
        ],
    );
    let mut streams = begun(&house, calls).await;
    let mut batches = Vec::new();
    for stream in &mut streams[..2] {
        let asked = within("the first questions", question(stream)).await;
        batches.push(asked.batch.unwrap());
        house.answer(&asked, ConfirmationAnswer::Once).await;
    }
    assert_eq!(batches[0].batch_id, batches[1].batch_id);
    assert_eq!((batches[0].size, batches[1].position), (2, 1));
    // The others are asked when their turn has come.
    for stream in &mut streams[2..] {
        let asked = within("a question alone", question(stream)).await;
        assert_ne!(asked.batch.unwrap().batch_id, batches[0].batch_id);
        house.answer(&asked, ConfirmationAnswer::Once).await;
        within("its end", result(stream)).await;
    }
    assert_eq!(paths_run(&house.executor), ["a", "b", "c", "d"]);
}

#[tokio::test]
async fn calls_that_ask_nothing_run_one_after_the_other_as_well() {
    let gate = Gate::new();
    let mut tools = file_tools();
    tools[1] = tools.remove(1).waits(&gate);
    let mut settings = attended();
    settings.auto_approve.insert(EffectClass::SharedWrite);
    let house = House::with(tools, settings).await;
    let calls = breath(&house, &[("write_file", "a"), ("write_file", "b")]);
    let mut streams = begun(&house, calls).await;
    within("the first to begin", async {
        while paths_run(&house.executor).is_empty() {
            tokio::task::yield_now().await;
        }
    })
    .await;
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    assert_eq!(paths_run(&house.executor), ["a"]);
    gate.open();
    let ended = within(
        "the end",
        join_all(streams.iter_mut().map(|stream| finish(stream, None))),
    );
    assert!(ended.await.iter().all(|(_, r)| r.status == CallStatus::Ok));
    assert_eq!(paths_run(&house.executor), ["a", "b"]);
}

#[tokio::test(start_paused = true)]
async fn a_call_that_never_comes_holds_up_nobody_for_long() {
    let house = House::new(attended()).await;
    let mut calls = breath(&house, &[("write_file", "a"), ("write_file", "b")]);
    let late = calls.remove(0);
    let mut streams = begun(&house, calls).await;
    let asked = question(&mut streams[0]).await;
    house.answer(&asked, ConfirmationAnswer::Once).await;
    assert_eq!(result(&mut streams[0]).await.status, CallStatus::Ok);
    // Its place is gone; it is a call by itself.
    let mut stream = house.broker.execute(late).await.unwrap();
    let asked = question(&mut stream).await;
    house.answer(&asked, ConfirmationAnswer::Once).await;
    assert_eq!(result(&mut stream).await.status, CallStatus::Ok);
}

#[tokio::test]
async fn who_withdraws_a_call_does_not_hold_up_the_others() {
    let house = House::new(attended()).await;
    let calls = breath(&house, &[("write_file", "a"), ("write_file", "b")]);
    let mut streams = begun(&house, calls).await;
    let asked = questions(&mut streams).await;
    house.answer(&asked[1], ConfirmationAnswer::Once).await;
    drop(streams.remove(0));
    let ended = within("the second", result(&mut streams[0])).await;
    assert_eq!(ended.status, CallStatus::Ok);
    assert_eq!(paths_run(&house.executor), ["b"]);
}

#[tokio::test]
async fn calls_in_a_folder_that_is_not_open_are_asked_about_together() {
    let house = House::new(settings(Attendance::Attended)).await;
    let all = [("write_file", "a"), ("write_file", "b")];
    let mut streams = begun(&house, breath(&house, &all)).await;
    let asked = questions(&mut streams).await;
    let is_folder = |one: &ConfirmationRequest| one.kind == ConfirmationKind::WriteRoot;
    assert!(asked.iter().all(is_folder));
    house.answer(&asked[0], no()).await;
    house.answer(&asked[1], ConfirmationAnswer::Session).await;
    within("the end", join_all(streams.iter_mut().map(result))).await;
    assert_eq!(paths_run(&house.executor), ["b"]);
    let mut again = begun(&house, breath(&house, &all)).await;
    let asked = questions(&mut again).await;
    assert!(asked.iter().all(|one| one.kind == ConfirmationKind::Call));
}

/// Tools of this machine, of which one reads what is from outside.
fn local_tools() -> Vec<FakeTool> {
    let mut tools = file_tools();
    for tool in &mut tools {
        let is_read = tool.spec.effect == EffectClass::Read;
        let origin = if is_read { "web" } else { "files" };
        tool.spec.result_label = Label::untrusted(origin);
    }
    tools
}

/// Who answered a question, and the result of the call.
async fn answered(stream: &mut Streaming<ToolEvent, Error>) -> (String, CallStatus) {
    let mut who = String::new();
    loop {
        match support::next(stream).await {
            ToolEvent::ConfirmationAnswered { by, .. } => who = by,
            ToolEvent::Finished(result) => return (who, result.status),
            ToolEvent::ConfirmationAsked(asked) => panic!("asked again: {}", asked.rendering),
            _ => {}
        }
    }
}

#[tokio::test]
async fn a_yes_for_the_session_answers_what_it_covers_of_the_same_row() {
    let mut settings = attended();
    settings.allow_write.insert(PathBuf::from("/elsewhere"));
    let house = House::with(local_tools(), settings).await;
    let all = [
        ("write_file", "a"),
        ("write_file", "b"),
        ("write_file", "/elsewhere/c"),
    ];
    let mut streams = begun(&house, breath(&house, &all)).await;
    let asked = questions(&mut streams).await;
    house.answer(&asked[0], ConfirmationAnswer::Session).await;
    for (stream, by) in streams.iter_mut().zip(["user", "session"]) {
        let ended = within("its end", answered(stream)).await;
        assert_eq!(ended, (by.to_owned(), CallStatus::Ok));
    }
    // What is elsewhere waits for an answer of its own.
    house.answer(&asked[2], no()).await;
    let ended = within("the last", answered(&mut streams[2])).await;
    assert_eq!(ended, ("user".to_owned(), CallStatus::Denied));
    assert_eq!(paths_run(&house.executor), ["a", "b"]);
}

#[tokio::test]
async fn a_yes_for_the_session_answers_nothing_that_would_be_asked_later() {
    let house = House::with(local_tools(), attended()).await;
    let all = [
        ("write_file", "a"),
        ("read_file", "page"),
        ("write_file", "b"),
    ];
    let mut streams = begun(&house, breath(&house, &all)).await;
    let first = within("the first question", question(&mut streams[0])).await;
    let last = within("the last question", question(&mut streams[2])).await;
    assert_eq!(first.batch.unwrap().batch_id, last.batch.unwrap().batch_id);
    house.answer(&first, ConfirmationAnswer::Session).await;
    // What was read in between may choose what is written from then on: somebody looks.
    let again = within("the last question once more", question(&mut streams[2])).await;
    assert_ne!(again.confirmation_id, last.confirmation_id);
    assert_eq!(paths_run(&house.executor), ["a", "page"]);
    house.answer(&again, no()).await;
    assert_eq!(result(&mut streams[2]).await.status, CallStatus::Denied);
}

#[tokio::test]
async fn each_answer_in_a_batch_is_on_record_with_its_call() {
    let house = House::new(attended()).await;
    let calls = breath(&house, &[("write_file", "a"), ("write_file", "b")]);
    let ids: Vec<_> = calls.iter().map(|call| Some(call.call_id)).collect();
    let mut streams = begun(&house, calls).await;
    let asked = questions(&mut streams).await;
    house.answer(&asked[0], no()).await;
    house.answer(&asked[1], ConfirmationAnswer::Once).await;
    within("the end", join_all(streams.iter_mut().map(result))).await;
    let entries = house.audit.entries();
    let answers = entries.iter().filter(|e| e.action == Action::Confirmation);
    let answers: Vec<_> = answers
        .map(|e| (e.call_id, e.decision.map(|(verdict, _)| verdict)))
        .collect();
    assert_eq!(
        answers,
        [
            (ids[0], Some(Verdict::Deny)),
            (ids[1], Some(Verdict::Allow))
        ]
    );
}

/// Tools whose preview tells how many calls have run.
struct Counting(Arc<FakeExecutor>);

#[async_trait]
impl Executor for Counting {
    fn table(&self) -> Vec<ToolSpec> {
        self.0.table()
    }

    async fn locate(
        &self,
        path: &Path,
        kind: TargetKind,
        roots: &[PathBuf],
    ) -> Result<Option<PathBuf>, PathRefusal> {
        self.0.locate(path, kind, roots).await
    }

    async fn preview(&self, _call: &JudgedCall) -> Result<Option<String>, ToolFailure> {
        Ok(Some(format!("+ after {}\n", self.0.calls().len())))
    }

    async fn run(&self, call: Authorized, progress: ReportSink) -> Result<ToolOutput, ToolFailure> {
        self.0.run(call, progress).await
    }
}

#[tokio::test]
async fn a_yes_does_not_cover_what_an_earlier_call_has_changed_since() {
    let fake = Arc::new(FakeExecutor::new(file_tools()));
    let audit = Arc::new(FakeAudit::new());
    let broker = service(Arc::new(Counting(fake.clone())), audit.clone());
    let house = House::over(broker, fake, audit, attended()).await;
    let calls = breath(&house, &[("write_file", "a"), ("write_file", "b")]);
    let mut streams = begun(&house, calls).await;
    let asked = questions(&mut streams).await;
    for one in &asked {
        assert_eq!(one.diff.as_deref(), Some("+ after 0\n"));
        house.answer(one, ConfirmationAnswer::Once).await;
    }
    result(&mut streams[0]).await;
    let again = within("the second question", async {
        loop {
            match support::next(&mut streams[1]).await {
                ToolEvent::ConfirmationAsked(request) => return request,
                ToolEvent::ConfirmationAnswered { .. } => {}
                // Judged anew, and on record as that.
                ToolEvent::Decided(decision) => assert_eq!(decision.verdict, Verdict::Confirm),
                other => panic!("{other:?}"),
            }
        }
    })
    .await;
    assert_eq!(again.diff.as_deref(), Some("+ after 1\n"));
    assert_eq!(paths_run(&house.executor), ["a"]);
    house.answer(&again, ConfirmationAnswer::Once).await;
    result(&mut streams[1]).await;
    assert_eq!(paths_run(&house.executor), ["a", "b"]);
}

#[tokio::test]
async fn questions_of_sub_agents_wait_together_and_say_who_asks() {
    let mut tools = file_tools();
    tools.push(FakeTool::new("look_up", "web_search", EffectClass::Egress));
    let house = House::with(tools, attended()).await;
    let mut asked = Vec::new();
    let mut streams = Vec::new();
    for path in ["a", "b"] {
        let child = house
            .broker
            .register_agent(house.context(), agent("researcher"))
            .await
            .unwrap();
        let context = CallContext {
            agent_token: child.token.clone(),
            ..house.context()
        };
        let request = CallRequest {
            context,
            ..house.request("look_up", json!({"path": path}))
        };
        let mut stream = house.broker.execute(request).await.unwrap();
        let question = within("a question", question(&mut stream)).await;
        assert_eq!(question.lineage, child.lineage);
        assert_eq!(question.lineage.len(), 2);
        asked.push(question);
        streams.push(stream);
    }
    let (one, two) = (asked[0].batch.unwrap(), asked[1].batch.unwrap());
    assert_eq!(one.batch_id, two.batch_id);
    assert_eq!((one.position, one.size), (0, 1));
    assert_eq!((two.position, two.size), (1, 2));
    assert_ne!(asked[0].lineage, asked[1].lineage);
    house.answer(&asked[1], ConfirmationAnswer::Once).await;
    assert_eq!(result(&mut streams[1]).await.status, CallStatus::Ok);
    house.answer(&asked[0], no()).await;
    assert_eq!(result(&mut streams[0]).await.status, CallStatus::Denied);
}
