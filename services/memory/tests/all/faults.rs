//! What is in the way of a store: another process, a full disk, damage, another version.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test fails loudly, and the writer's process speaks on its standard output"
)]

use crate::place::{ask, close, everything, keep, memory, open, opened};
use api::memory::{Curator as _, Error, Memory as _, WriteAnswer};
use contracts::FakeAudit;
use domain::fault::Coded as _;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use tempfile::TempDir;

/// Where the writer's process finds its folder.
const FOLDER: &str = "MEMORY_FULL_FOLDER";

async fn refused(folder: &Path) -> String {
    match open(folder, &Arc::new(FakeAudit::new())).await {
        Ok(_) => panic!("it was opened"),
        Err(error) => {
            let codes = ["memory.unavailable", "memory.damaged"];
            assert!(codes.contains(&error.code()), "{error}");
            error.to_string()
        }
    }
}

/// A store with a few entries, closed.
async fn closed() -> (TempDir, Vec<domain::id::MemoryId>) {
    let root = tempfile::tempdir().unwrap();
    let service = opened(root.path()).await;
    let mut ids = Vec::new();
    for n in 0..50 {
        let text = format!("Entry {n} of the store, {}", "long and wide ".repeat(40));
        ids.push(keep(&service, memory(&format!("entry {n}"), &text)).await);
    }
    close(service, root.path()).await;
    // A read in the background may go on for a moment and keep the writes out of the file.
    let file = rusqlite::Connection::open(root.path().join("memory.db")).unwrap();
    contracts::within("the file has every write", async {
        let checkpoint = || file.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0));
        while checkpoint() != Ok(0) {
            tokio::task::yield_now().await;
        }
    })
    .await;
    (root, ids)
}

#[tokio::test]
async fn one_process_has_it_and_the_next_is_told() {
    let root = tempfile::tempdir().unwrap();
    let first = opened(root.path()).await;
    match open(root.path(), &Arc::new(FakeAudit::new())).await {
        Err(Error::InUse { folder }) => assert_eq!(Path::new(&folder), root.path()),
        other => panic!("{:?}", other.err()),
    }
    drop(first);
    // Background work of the first may hold it for a moment.
    contracts::within("the lock is let go", async {
        while open(root.path(), &Arc::new(FakeAudit::new()))
            .await
            .is_err()
        {
            tokio::task::yield_now().await;
        }
    })
    .await;
}

#[tokio::test]
async fn it_is_for_the_user_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join("state").join("memory");
    let service = opened(&folder).await;
    keep(&service, memory("one", "entry")).await;
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&folder), 0o700);
    for file in ["memory.db", "memory.db-wal", "vectors.db", "lock"] {
        assert_eq!(mode(&folder.join(file)) & 0o077, 0, "{file}");
    }
}

#[tokio::test]
async fn a_damaged_file_is_named_and_left_as_it_is() {
    let (root, _) = closed().await;
    let file = root.path().join("memory.db");
    let whole = fs::read(&file).unwrap();
    let mut no_header = whole.clone();
    no_header[..16].fill(b'x');
    let mut no_tables = whole.clone();
    no_tables[100..4096].fill(0xff);
    for damaged in [no_header, no_tables] {
        fs::write(&file, &damaged).unwrap();
        let told = refused(root.path()).await;
        assert!(
            told.contains("memory is damaged") && told.contains("nothing was changed"),
            "{told}"
        );
        assert_eq!(fs::read(&file).unwrap(), damaged);
    }
    fs::write(&file, &whole).unwrap();
    assert_eq!(everything(&opened(root.path()).await).await.len(), 50);
}

#[tokio::test]
async fn damage_that_shows_later_is_an_error_and_never_an_empty_answer() {
    let (root, ids) = closed().await;
    let file = root.path().join("memory.db");
    let mut bytes = fs::read(&file).unwrap();
    let middle = bytes.len() / 2;
    for byte in &mut bytes[8_192..middle] {
        *byte = 0xa5;
    }
    fs::write(&file, &bytes).unwrap();
    let Ok(service) = open(root.path(), &Arc::new(FakeAudit::new())).await else {
        return;
    };
    let mut lost = 0;
    for id in ids {
        match service.show(id).await {
            Ok(stored) => assert_eq!(stored.id, id),
            Err(error) => {
                assert!(error.to_string().contains("memory.db"), "{error}");
                lost += 1;
            }
        }
    }
    assert!(lost > 0, "the damage met nothing");
}

#[tokio::test]
async fn a_newer_file_and_a_foreign_one_are_refused() {
    let (root, _) = closed().await;
    let file = root.path().join("memory.db");
    let set = |pragma: &str, value: i32| {
        let connection = rusqlite::Connection::open(&file).unwrap();
        connection.pragma_update(None, pragma, value).unwrap();
    };
    set("user_version", 99);
    let told = refused(root.path()).await;
    assert!(
        told.contains("newer version") && told.contains("99"),
        "{told}"
    );
    set("user_version", 1);
    set("application_id", 7);
    let told = refused(root.path()).await;
    assert!(told.contains("another program's"), "{told}");
}

#[tokio::test]
async fn a_folder_that_cannot_be_made_is_named() {
    let root = tempfile::tempdir().unwrap();
    let file = root.path().join("file");
    fs::write(&file, "").unwrap();
    let told = refused(&file.join("memory")).await;
    assert!(told.contains("file/memory"), "{told}");
}

#[tokio::test]
async fn vectors_that_are_damaged_are_made_anew() {
    let (root, ids) = closed().await;
    let file = root.path().join("vectors.db");
    fs::write(&file, "no database at all, but some bytes").unwrap();
    let service = opened(root.path()).await;
    assert!(service.show(ids[0]).await.is_ok());
    assert!(fs::read(&file).unwrap().starts_with(b"SQLite format 3\0"));
}

/// The process whose files may not grow. It does nothing unless it is asked to.
#[test]
fn writer_of_a_full_disk() {
    let Some(folder) = std::env::var_os(FOLDER) else {
        return;
    };
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let service = opened(Path::new(&folder)).await;
        for n in 0..10_000 {
            let text = format!("Entry {n}: {}", "quite a lot of text ".repeat(200));
            match service.write(memory(&format!("entry {n}"), &text)).await {
                Ok(WriteAnswer::Stored { id }) => println!("\nack {id}"),
                Ok(other) => panic!("{other:?}"),
                Err(error) => {
                    println!("\nfull {} {error}", error.code());
                    // What is there can still be read.
                    println!("\nread {}", everything(&service).await.len());
                    return;
                }
            }
        }
    });
}

#[tokio::test]
async fn a_full_disk_is_an_error_and_loses_nothing_that_was_answered() {
    let root = tempfile::tempdir().unwrap();
    let program = std::env::current_exe().unwrap();
    // A limit on the size of files, without the signal that would end the process: what a full disk
    // is to a program.
    let output = Command::new("sh")
        .args(["-c", "trap '' XFSZ; ulimit -f 4096; exec \"$0\" \"$@\""])
        .arg(program)
        .args([
            "--exact",
            "faults::writer_of_a_full_disk",
            "--nocapture",
            "--test-threads=1",
        ])
        .env(FOLDER, root.path())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let answered: Vec<&str> = said
        .lines()
        .filter_map(|l| l.strip_prefix("ack "))
        .collect();
    let full = said.lines().find(|line| line.starts_with("full "));
    let full = full.unwrap_or_else(|| panic!("it never was full: {said}"));
    assert!(full.contains("memory.unavailable"), "{full}");
    assert_eq!(full.matches("memory is unavailable").count(), 1, "{full}");
    assert!(!answered.is_empty());
    let service = opened(root.path()).await;
    let kept = everything(&service).await;
    for id in &answered {
        assert!(
            kept.iter().any(|stored| stored.id.to_string() == *id),
            "{id}"
        );
    }
    let id = keep(
        &service,
        memory("afterwards", "There is room again for zebras."),
    )
    .await;
    let found = ask(&service, "zebras").await.unwrap();
    assert!(found.iter().any(|recall| recall.id == id));
}
