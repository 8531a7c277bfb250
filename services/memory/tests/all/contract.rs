//! The conformance suite, through the fake and through the service.

use contracts::{FakeAudit, FakeMemory, FakeModels, memory_suite};
use domain::Timestamp;
use memory::{Config, Service};
use std::sync::Arc;

#[tokio::test]
async fn conformance_of_the_fake() {
    let fake = FakeMemory::new();
    memory_suite::conformance(&fake, &fake).await;
}

#[tokio::test]
async fn conformance_of_the_service() {
    let folder = tempfile::tempdir().unwrap();
    let service = Service::open(
        &folder.path().join("memory"),
        &Config::default(),
        Arc::new(FakeAudit::new()),
        Arc::new(FakeModels::new(Vec::new())),
        Arc::new(Timestamp::now),
    )
    .await
    .unwrap();
    memory_suite::conformance(&service, &service).await;
}
