//! The log after a writer that failed.

use super::*;

#[tokio::test]
async fn until_it_is_open_again_every_record_is_told_why_it_failed() {
    let folder = tempfile::tempdir().expect("a folder");
    let config = Config::new(folder.path().join("audit"), folder.path().join("keys"));
    let service = Service::open(config).expect("a log");
    // Whoever still waits for the failed writer holds its lock.
    let failed = service.line().expect("a writer");
    service.failed(&failed, "no space left".to_owned());
    // The first tries to open the log; the second comes too early for that.
    for _ in 0..2 {
        let entry = Entry::new(Timestamp::now(), Action::Recovery);
        let refused = service.append(entry, Durability::Durable).await;
        let told = refused.expect_err("nothing is written").to_string();
        assert!(told.contains("no space left"), "{told}");
    }
}
