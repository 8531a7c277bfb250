//! The conformance suite through the service, and what the service adds.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test is allowed to fail loudly"
)]

use api::audit::Action;
use api::secrets::{Error, Refusals, SECRET_TIME, SecretValue, Secrets};
use async_trait::async_trait;
use contracts::{FakeAudit, FakeSecrets, secrets_suite};
use domain::Timestamp;
use domain::event::CallStatus;
use domain::fault::Coded;
use secrets::Service;
use std::sync::Arc;
use std::time::Duration;

fn service(store: Option<Arc<dyn Secrets>>, audit: &Arc<FakeAudit>) -> Service {
    let clock = || Timestamp::from_second(1_900_000_000).unwrap();
    Service::new(store, audit.clone(), Arc::new(clock))
}

async fn code(service: &Service, name: &str) -> &'static str {
    match service.get_secret(name).await {
        Ok(_) => panic!("a secret was given"),
        Err(error) => error.code(),
    }
}

#[tokio::test]
async fn conformance() {
    let store = Arc::new(FakeSecrets::default());
    secrets_suite::conformance(&*store, &*store).await;
    let audit = Arc::new(FakeAudit::new());
    let service = service(Some(store.clone()), &audit);
    secrets_suite::conformance(&service, &*store).await;
}

#[tokio::test]
async fn every_reading_is_recorded_by_name_and_a_value_never() {
    let audit = Arc::new(FakeAudit::new());
    let store = FakeSecrets::default().with("work", "hunter2-horse");
    let service = service(Some(Arc::new(store)), &audit);
    service.get_secret("work").await.unwrap();
    assert_eq!(code(&service, "absent").await, "secrets.not_found");
    // What cannot be a name may be the secret itself, and is recorded without it.
    assert_eq!(
        code(&service, "hunter2 horse").await,
        "secrets.invalid_name"
    );
    assert_eq!(code(&service, "ghp_hunter2").await, "secrets.invalid_name");
    let entries = audit.entries();
    let told: Vec<_> = entries
        .iter()
        .map(|e| (e.action, e.detail.as_str(), e.status))
        .collect();
    assert_eq!(
        told,
        [
            (Action::SecretRead, "work", Some(CallStatus::Ok)),
            (Action::SecretRead, "absent", Some(CallStatus::Failed)),
            (
                Action::SecretRead,
                "what is no name",
                Some(CallStatus::Failed)
            ),
            (
                Action::SecretRead,
                "what is no name",
                Some(CallStatus::Failed)
            ),
        ]
    );
    assert!(!format!("{entries:?}").contains("hunter2"));
}

#[tokio::test]
async fn who_asks_over_a_socket_is_recorded_so_and_a_flood_of_strangers_once() {
    let audit = Arc::new(FakeAudit::new());
    let store = FakeSecrets::default().with("work", "hunter2-horse");
    let service = service(Some(Arc::new(store)), &audit).over_a_socket();
    service.get_secret("work").await.unwrap();
    for _ in 0..50 {
        service.refused().await;
    }
    let entries = audit.entries();
    assert_eq!(entries[0].detail, "work, over the socket");
    assert_eq!(entries[1].detail, "no token was shown over the socket");
    assert_eq!(entries[1].status, Some(CallStatus::Denied));
    // One a second: fifty take less than ten of them.
    assert!(entries.len() < 12, "{}", entries.len());
}

#[tokio::test]
async fn what_cannot_be_recorded_is_not_given() {
    let audit = Arc::new(FakeAudit::new());
    audit.fail();
    let store = FakeSecrets::default().with("work", "hunter2-horse");
    let service = service(Some(Arc::new(store)), &audit);
    assert_eq!(code(&service, "work").await, "secrets.unavailable");
}

#[tokio::test]
async fn without_a_store_the_error_says_how_to_choose_one() {
    let audit = Arc::new(FakeAudit::new());
    let Err(error) = service(None, &audit).get_secret("work").await else {
        panic!("a secret was given");
    };
    assert_eq!(error.code(), "secrets.not_chosen");
    assert!(error.hint().contains("secret-service") && error.hint().contains("kernel-keyring"));
}

struct Endless;

#[async_trait]
impl Secrets for Endless {
    async fn get_secret(&self, _: &str) -> Result<SecretValue, Error> {
        std::future::pending().await
    }
}

#[tokio::test(start_paused = true)]
async fn a_store_that_never_answers_is_given_up_after_two_seconds() {
    let audit = Arc::new(FakeAudit::new());
    let service = service(Some(Arc::new(Endless)), &audit);
    let began = tokio::time::Instant::now();
    assert_eq!(code(&service, "work").await, "secrets.unavailable");
    let took = began.elapsed();
    assert!(
        took >= SECRET_TIME && took < SECRET_TIME + Duration::from_millis(100),
        "{took:?}"
    );
}
