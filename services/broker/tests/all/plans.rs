//! Plans: approved as a whole, and then exactly that runs, in order, each step once.

use crate::support;
use crate::support::{House, assert_denied, next, path, settings, write};
use api::audit::Action;
use api::broker::{Broker, Control, PlanApproval, PlanEvent};
use api::executor::FailureKind;
use contracts::{FakeTool, fresh_uuid};
use domain::decision::{Decision, Layer, Verdict};
use domain::event::{CallStatus, ConfirmationAnswer, ConfirmationKind, ConfirmationRequest};
use domain::hash::Digest;
use domain::id::{PlanId, TraceId};
use domain::settings::{Attendance, OverrideLevel, SessionSettings};
use domain::tool::EffectClass;
use serde_json::{Value, json};
use std::path::PathBuf;

fn unattended() -> SessionSettings {
    let mut settings = settings(Attendance::Unattended);
    settings.allow_write.insert(PathBuf::from("/w"));
    settings
}

fn attended() -> SessionSettings {
    let mut settings = unattended();
    settings.attendance = Attendance::Attended;
    settings
}

fn steps() -> Vec<(&'static str, Value)> {
    vec![
        ("read_file", path("a")),
        ("write_file", write("b")),
        ("delete_file", path("c")),
    ]
}

/// How a plan ended.
#[derive(Debug)]
enum End {
    Pinned(PlanId, String),
    Refused(Decision),
}

async fn pin(house: &House, calls: &[(&str, Value)], answer: Option<ConfirmationAnswer>) -> End {
    let mut stream = house.plan(calls).await;
    loop {
        match next(&mut stream).await {
            PlanEvent::ConfirmationAsked(asked) => {
                let answer = answer.clone().expect("no question");
                house.answer(&asked, answer).await;
            }
            PlanEvent::Pinned { plan_id, by, .. } => return End::Pinned(plan_id, by),
            PlanEvent::Refused { decision } => return End::Refused(decision),
            PlanEvent::Proposed { .. } | PlanEvent::ConfirmationAnswered { .. } => {}
        }
    }
}

async fn pinned(house: &House, calls: &[(&str, Value)]) -> (PlanId, String) {
    match pin(house, calls, Some(ConfirmationAnswer::Once)).await {
        End::Pinned(plan_id, by) => (plan_id, by),
        End::Refused(decision) => panic!("{decision:?}"),
    }
}

#[tokio::test]
async fn a_plan_that_only_reads_asks_nothing() {
    let house = House::new(settings(Attendance::Unattended)).await;
    match pin(&house, &[("read_file", path("a"))], None).await {
        End::Pinned(plan_id, by) => {
            assert_eq!(by, "read_only");
            let result = house.planned(plan_id, "read_file", path("a")).await;
            assert_eq!(result.status, CallStatus::Ok);
        }
        other => panic!("{other:?}"),
    }
    assert!(house.actions().contains(&Action::PlanApproval));
}

/// A plan that only looks and needs approval all the same, as tasks for agents do.
#[tokio::test]
async fn a_plan_that_only_looks_and_always_asks_is_approved_by_any_yes_in_advance() {
    for given in [None, Some(EffectClass::SharedWrite)] {
        let mut settings = settings(Attendance::Unattended);
        settings.auto_approve = given.into_iter().collect();
        let house = House::new(settings).await;
        let calls = [("read_file", path("a"))];
        let mut stream = house.plan_asking(&calls, PlanApproval::Always).await;
        let last = loop {
            match next(&mut stream).await {
                PlanEvent::Proposed { .. } => {}
                last => break last,
            }
        };
        match (given, last) {
            (Some(_), PlanEvent::Pinned { by, .. }) => assert_eq!(by, "yes_flag"),
            (None, PlanEvent::Refused { decision }) => {
                assert_eq!(decision.rule, "nobody_to_ask");
            }
            other => panic!("{other:?}"),
        }
    }
}

#[tokio::test]
async fn an_approved_plan_runs_exactly_its_steps() {
    let house = House::new(attended()).await;
    let (plan_id, by) = pinned(&house, &steps()).await;
    assert_eq!(by, "user");
    for (tool, arguments) in steps() {
        let result = house.planned(plan_id, tool, arguments).await;
        assert_eq!(result.status, CallStatus::Ok, "{tool}: {}", result.text);
    }
    let again = house.planned(plan_id, "delete_file", path("c")).await;
    assert_eq!(again.status, CallStatus::Denied, "each step once");
    assert_eq!(house.executor.calls().len(), 3);
}

#[tokio::test]
async fn any_change_to_an_approved_plan_is_refused() {
    let changes = [
        ("read_file", path("other")),
        ("read_file", json!({"path": "a "})),
        ("write_file", write("b")),
        ("delete_file", path("a")),
    ];
    for (tool, arguments) in changes {
        let house = House::new(attended()).await;
        let (plan_id, _) = pinned(&house, &steps()).await;
        let result = house.planned(plan_id, tool, arguments).await;
        assert_eq!(result.status, CallStatus::Denied, "{tool}");
        assert!(house.executor.calls().is_empty());
    }
    let house = House::new(attended()).await;
    let (plan_id, _) = pinned(&house, &steps()).await;
    house.planned(plan_id, "read_file", path("a")).await;
    let changed = json!({"path": "b", "content": "y"});
    let mut request = house.request("write_file", changed);
    request.plan_id = Some(plan_id);
    let decision = house.broker.validate(request).await.unwrap();
    assert_eq!(
        (decision.layer, decision.verdict),
        (Layer::InformationFlow, Verdict::Deny)
    );
    let result = house.planned(plan_id, "write_file", write("b")).await;
    assert_eq!(result.status, CallStatus::Ok, "looking uses nothing up");
    let foreign = PlanId::from_uuid(contracts::fresh_uuid());
    let result = house.planned(foreign, "delete_file", path("c")).await;
    assert_eq!(result.status, CallStatus::Denied);
}

#[tokio::test]
async fn the_question_shows_every_step() {
    let house = House::new(attended()).await;
    let mut stream = house.plan(&steps()).await;
    let asked: ConfirmationRequest = loop {
        match next(&mut stream).await {
            PlanEvent::ConfirmationAsked(asked) => break asked,
            PlanEvent::Proposed { decisions, .. } => assert_eq!(decisions.len(), 3),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(
        (asked.kind, asked.effect),
        (ConfirmationKind::Plan, EffectClass::Destructive)
    );
    for part in [
        "1. read_file",
        "2. write_file",
        "/w/b",
        "content: x",
        "3. delete_file",
        "/w/c",
    ] {
        assert!(
            asked.rendering.contains(part),
            "{part} in {}",
            asked.rendering
        );
    }
    let changing: Vec<u32> = asked.steps.iter().map(|change| change.step).collect();
    assert_eq!((&asked.diff, changing.is_empty()), (&None, false));
    assert!(
        changing.is_sorted() && !changing.contains(&0),
        "{changing:?}"
    );
    let no = ConfirmationAnswer::Deny {
        message: "not c".to_owned(),
    };
    house.answer(&asked, no).await;
    assert!(matches!(
        next(&mut stream).await,
        PlanEvent::ConfirmationAnswered { .. }
    ));
    match next(&mut stream).await {
        PlanEvent::Refused { decision } => assert_eq!(
            decision.user_reason,
            "The user said no to the plan, and says: not c."
        ),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn approval_in_advance_by_flag_or_hash() {
    let house = House::new(unattended()).await;
    let End::Refused(decision) = pin(&house, &steps(), None).await else {
        panic!("nobody is there to ask")
    };
    assert_eq!(decision.rule, "nobody_to_ask");
    let told = decision.user_reason;
    let hash: Digest = told
        .split(|c: char| !c.is_ascii_hexdigit())
        .find(|word| word.len() == 64)
        .unwrap()
        .parse()
        .unwrap();

    let mut by_hash = unattended();
    by_hash.approved_plans.insert(hash);
    let house = House::new(by_hash).await;
    assert_eq!(pinned(&house, &steps()).await.1, "approved_hash");
    let mut other = steps();
    other[1].1 = json!({"path": "b", "content": "z"});
    assert!(matches!(pin(&house, &other, None).await, End::Refused(_)));

    let mut by_flag = unattended();
    by_flag.auto_approve = [EffectClass::SharedWrite].into();
    let house = House::new(by_flag.clone()).await;
    assert!(
        matches!(pin(&house, &steps(), None).await, End::Refused(_)),
        "delete is not covered"
    );
    by_flag.auto_approve.insert(EffectClass::Destructive);
    house
        .broker
        .configure(house.session_id, by_flag)
        .await
        .unwrap();
    assert_eq!(pinned(&house, &steps()).await.1, "yes_flag");
}

#[tokio::test]
async fn what_an_override_lets_pass_is_not_put_down_to_a_flag() {
    for level in [OverrideLevel::Relax, OverrideLevel::All] {
        let mut relaxed = unattended();
        relaxed.override_level = level;
        let house = House::new(relaxed).await;
        assert_eq!(pinned(&house, &steps()).await.1, "override", "{level:?}");
    }
}

fn failing(kind: FailureKind, rule: &'static str, message: &str) -> Vec<FakeTool> {
    let mut tools = support::file_tools();
    tools.retain(|tool| tool.spec.definition.name.as_str() != "delete_file");
    let delete = FakeTool::new("delete_file", "fs_write", EffectClass::Destructive);
    tools.push(delete.fails(kind, rule, message));
    tools
}

#[tokio::test]
async fn nobody_is_asked_about_a_plan_that_cannot_run() {
    let refused = (FailureKind::Refused, "symlink_escape", "`c` leads to /etc.");
    let mendable = (FailureKind::Mendable, "not_found", "There is no `c`.");
    let delete = ("delete_file", path("c"));
    let first = vec![("read_file", path("a")), delete.clone()];
    let later = vec![("write_file", write("b")), delete.clone()];
    let made = vec![("write_file", write("c/b")), delete];
    for ((kind, rule, message), calls, expected) in [
        (refused, &first, Some("symlink_escape")),
        (refused, &later, Some("symlink_escape")),
        (mendable, &first, Some("would_fail")),
        (mendable, &later, Some("would_fail")),
        (mendable, &made, None),
    ] {
        for settings in [attended(), unattended()] {
            let is_attended = settings.attendance == Attendance::Attended;
            let house = House::with(failing(kind, rule, message), settings).await;
            let answer = expected.is_none().then_some(ConfirmationAnswer::Once);
            match (pin(&house, calls, answer).await, expected) {
                (End::Refused(decision), Some(expected)) => {
                    assert_eq!(decision.rule, expected);
                    let told = format!("Step 2 (delete_file): {message}");
                    assert!(decision.user_reason.starts_with(&told), "{decision:?}");
                    assert!(!decision.model_reason.contains(message), "{decision:?}");
                }
                // An earlier step may make what this one needs.
                (End::Pinned(_, by), None) if is_attended => assert_eq!(by, "user"),
                (End::Refused(decision), None) if !is_attended => {
                    assert_eq!(decision.rule, "nobody_to_ask");
                }
                (end, _) => panic!("{expected:?}: {end:?}"),
            }
        }
    }
}

#[tokio::test]
async fn one_refused_step_refuses_the_plan() {
    let house = House::new(attended()).await;
    let calls = [("read_file", path("a")), ("write_file", write("/etc/x"))];
    let End::Refused(decision) = pin(&house, &calls, None).await else {
        panic!("a step is outside")
    };
    assert!(
        decision.user_reason.starts_with("Step 2 (write_file)"),
        "{}",
        decision.user_reason
    );
    assert!(matches!(pin(&house, &[], None).await, End::Refused(_)));
}

#[tokio::test]
async fn a_plan_opens_the_workspace_with_its_approval() {
    let mut closed = attended();
    closed.allow_write.clear();
    let house = House::new(closed).await;
    let (plan_id, _) = pinned(&house, &[("write_file", write("b"))]).await;
    let result = house.planned(plan_id, "write_file", write("b")).await;
    assert_eq!(result.status, CallStatus::Ok, "{}", result.text);
}

#[tokio::test]
async fn other_layers_still_judge_a_planned_call() {
    let house = House::new(attended()).await;
    let (plan_id, _) = pinned(&house, &steps()).await;
    let mut off = attended();
    off.disabled_tools
        .insert(domain::tool::ToolName::new("read_file").unwrap());
    house.broker.configure(house.session_id, off).await.unwrap();
    let mut request = house.request("read_file", path("a"));
    request.plan_id = Some(plan_id);
    let mut stream = house.broker.execute(request).await.unwrap();
    assert_denied(&support::finish(&mut stream, None).await, "disabled_tool");
}

/// What a question about the plan that the rules make of a text says, after a file was read.
async fn asked_about(house: &House, typed: &str) -> String {
    let planned = plan::rules::plan(typed).unwrap();
    let calls: Vec<_> = plan::compile::plan(&planned)
        .into_iter()
        .flatten()
        .map(|call| (call.tool, call.arguments))
        .collect();
    let mut stream = house.plan(&calls).await;
    match next(&mut stream).await {
        PlanEvent::Proposed { .. } => {}
        other => panic!("{other:?}"),
    }
    match next(&mut stream).await {
        PlanEvent::ConfirmationAsked(asked) => format!("{asked:?}"),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn the_words_of_a_request_that_waits_are_not_those_of_the_one_that_runs() {
    let house = House::new(attended()).await;
    house.call("read_file", path("a.txt")).await;
    let typed = "delete b.txt";
    house.hear(typed.to_owned()).await;
    let waiting = Some(TraceId::from_uuid(fresh_uuid()));
    let other = "delete c.txt".to_owned();
    let heard = house.broker.hear(house.session_id, other.clone(), waiting);
    heard.await.unwrap();
    let own = asked_about(&house, typed).await;
    assert!(own.contains("You typed this"), "{own}");
    let foreign = asked_about(&house, &other).await;
    assert!(foreign.contains("The agent chose this"), "{foreign}");
    assert!(!foreign.contains("You typed this"), "{foreign}");
}

#[tokio::test]
async fn it_is_the_file_that_the_users_words_before_name_and_no_other() {
    let house = House::new(attended()).await;
    house.call("read_file", path("a.txt")).await;
    let earlier = Some(TraceId::from_uuid(fresh_uuid()));
    let before = "create b.txt with the text hi".to_owned();
    let heard = house.broker.hear(house.session_id, before, earlier);
    heard.await.unwrap();
    house.hear("delete it again".to_owned()).await;
    let own = asked_about(&house, "delete b.txt").await;
    assert!(own.contains("You typed this"), "{own}");
    let other = asked_about(&house, "delete c.txt").await;
    assert!(!other.contains("You typed this"), "{other}");
}
