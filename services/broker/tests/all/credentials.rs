//! Secrets: filled in at execution, given to the executor alone, and found in nothing that comes
//! back.

use crate::support::{House, service_with_secrets, settings};
use api::broker::Control as _;
use api::programs::{ProgramId, Programs};
use contracts::{FakeAudit, FakeExecutor, FakeSecrets, FakeTool};
use domain::decision::{Layer, Verdict};
use domain::event::CallStatus;
use domain::settings::Attendance;
use domain::tool::{ArgumentRole, ArgumentSpec, EffectClass};
use serde_json::json;
use std::sync::Arc;

const SECRET: &str = "hunter2-horse-battery";

/// A tool whose `token` is filled with the secret `bank`, and what it returns.
fn tool(text: &str) -> FakeTool {
    let mut tool = FakeTool::new("balance", "fs_read", EffectClass::Read).returns(text);
    let slot = ArgumentSpec {
        role: ArgumentRole::Secret,
        target: None,
    };
    tool.spec.arguments.insert("token".to_owned(), slot);
    tool.spec
        .secrets
        .insert("token".to_owned(), "bank".to_owned());
    tool
}

async fn house(text: &str, secrets: FakeSecrets) -> House {
    let executor = Arc::new(FakeExecutor::new([tool(text)]));
    let audit = Arc::new(FakeAudit::new());
    let broker = service_with_secrets(executor.clone(), audit.clone(), secrets);
    House::over(broker, executor, audit, settings(Attendance::Unattended)).await
}

#[tokio::test]
async fn the_executor_gets_the_secret_and_nothing_else_does() {
    let hex: String = SECRET.bytes().map(|b| format!("{b:02x}")).collect();
    let said = format!("token {SECRET}, in hex {hex}, and 12.50 in the account");
    let house = house(&said, FakeSecrets::default().with("bank", SECRET)).await;
    let (decision, result) = house.call("balance", json!({"path": "/w/a"})).await;
    assert_eq!(
        (decision.verdict, result.status),
        (Verdict::Allow, CallStatus::Ok)
    );
    let given = vec![("token".to_owned(), SECRET.as_bytes().to_vec())];
    assert_eq!(house.executor.secrets(), given);
    assert!(
        result.text.contains("12.50 in the account"),
        "{}",
        result.text
    );
    let everything = format!(
        "{result:?}{:?}{:?}",
        house.executor.calls(),
        house.audit.entries()
    );
    for form in [SECRET, hex.as_str()] {
        assert!(!everything.contains(form), "{everything}");
    }
}

#[tokio::test]
async fn a_model_cannot_fill_the_slot() {
    let house = house("ok", FakeSecrets::default().with("bank", SECRET)).await;
    let (decision, result) = house
        .call("balance", json!({"path": "/w/a", "token": "mine"}))
        .await;
    assert_eq!(
        (decision.verdict, decision.layer),
        (Verdict::Deny, Layer::Schema)
    );
    assert_eq!(result.status, CallStatus::Denied);
    assert!(house.executor.calls().is_empty());
}

#[tokio::test]
async fn without_the_secret_nothing_runs_and_it_is_said_why() {
    let house = house("ok", FakeSecrets::default()).await;
    let (_, result) = house.call("balance", json!({"path": "/w/a"})).await;
    assert_eq!(result.status, CallStatus::Failed);
    assert!(result.text.contains("`bank`"), "{}", result.text);
    assert!(house.executor.calls().is_empty());
}

/// What a program says while it runs is the user's to see, without the secrets that its result would
/// be without.
#[tokio::test]
async fn no_secret_stands_in_what_a_program_says_while_it_runs() {
    let house = house("ok", FakeSecrets::default().with("bank", SECRET)).await;
    house.call("balance", json!({"path": "/w/a"})).await;
    let one = Programs::One(ProgramId::Job("fake".to_owned()));
    for (said, shown) in [
        (
            format!("a {SECRET}, then {SECRET}!"),
            "a [REDACTED], then [REDACTED]!",
        ),
        (
            format!("a {SECRET}, then {}", &SECRET[..11]),
            "a [REDACTED], then ",
        ),
    ] {
        house.executor.says(&said);
        for wanted in [Programs::All, one.clone()] {
            let told = house.broker.programs(house.session_id, wanted).await;
            let told = told.unwrap();
            let output = told[0].output.as_ref().unwrap();
            assert_eq!(output.stdout.text, shown);
            assert!(!format!("{told:?}").contains(SECRET));
        }
    }
}
