//! The log keeps the contract's promises.

use api::audit::Audit;
use audit::{Config, Service};
use contracts::audit_suite;
use std::sync::Arc;

#[tokio::test]
async fn the_log_on_disk_conforms() {
    let folder = tempfile::tempdir().unwrap();
    let count = std::sync::atomic::AtomicU32::new(0);
    audit_suite::conformance(async || {
        let number = count.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let own = folder.path().join(number.to_string());
        let config = Config::new(own.join("audit"), own.join("keys"));
        Arc::new(Service::open(config).unwrap()) as Arc<dyn Audit>
    })
    .await;
}
