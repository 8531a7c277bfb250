//! The log on a real disk: chain, permissions, lock, torn tails.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails loudly"
)]

use api::audit::{Action, Audit, Durability, Entry};
use audit::record::{Record, read};
use audit::{Config, Error, Service};
use domain::Timestamp;
use domain::hash::Digest;
use std::io::Write;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

fn config(folder: &Path) -> Config {
    Config {
        folder: folder.join("state/audit"),
    }
}

fn entry(detail: &str) -> Entry {
    let mut entry = Entry::new(Timestamp::UNIX_EPOCH, Action::Decide);
    entry.detail = detail.to_owned();
    entry
}

fn records(config: &Config) -> Vec<Record> {
    read(&config.file()).unwrap().map(Result::unwrap).collect()
}

/// Opens again once the writer of a dropped service has let go of the lock.
fn reopen(config: &Config) -> Service {
    loop {
        match Service::open(config.clone()) {
            Err(Error::Locked { .. }) => std::thread::yield_now(),
            other => return other.unwrap(),
        }
    }
}

#[tokio::test]
async fn records_are_numbered_and_chained_across_restarts() {
    let folder = tempfile::tempdir().unwrap();
    let config = config(folder.path());
    for round in 0..2_u64 {
        let service = reopen(&config);
        for n in 0..3_u64 {
            let ack = service
                .append(entry("x"), Durability::Durable)
                .await
                .unwrap();
            assert_eq!(ack.sequence, round * 3 + n + 1);
        }
    }
    let text = std::fs::read_to_string(config.file()).unwrap();
    let mut previous = Digest::from_bytes([0; 32]);
    for (line, record) in text.lines().zip(records(&config)) {
        assert_eq!(record.previous, previous);
        previous = Digest::of(line.as_bytes());
    }
    assert_eq!(text.lines().count(), 6);
}

#[tokio::test]
async fn only_the_user_can_read_it_and_no_link_is_followed() {
    let folder = tempfile::tempdir().unwrap();
    let config = config(folder.path());
    drop(Service::open(config.clone()).unwrap());
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&config.file()), 0o600);
    assert_eq!(mode(&config.folder), 0o700);

    let elsewhere = Config {
        folder: folder.path().join("other"),
    };
    std::fs::create_dir(&elsewhere.folder).unwrap();
    symlink("/dev/full", elsewhere.file()).unwrap();
    assert!(matches!(Service::open(elsewhere), Err(Error::Io { .. })));
}

#[tokio::test]
async fn two_writers_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let config = config(folder.path());
    let first = Service::open(config.clone()).unwrap();
    assert!(matches!(
        Service::open(config.clone()),
        Err(Error::Locked { .. })
    ));
    first
        .append(entry("still works"), Durability::Grouped)
        .await
        .unwrap();
}

#[tokio::test]
async fn a_torn_tail_is_cut_at_every_byte_and_recorded() {
    let folder = tempfile::tempdir().unwrap();
    let config = config(folder.path());
    let service = Service::open(config.clone()).unwrap();
    service
        .append(entry("kept"), Durability::Durable)
        .await
        .unwrap();
    service
        .append(entry("torn"), Durability::Durable)
        .await
        .unwrap();
    drop(service);
    let whole = std::fs::read(config.file()).unwrap();
    let torn_at = whole[..whole.len() - 1]
        .iter()
        .rposition(|b| *b == b'\n')
        .unwrap()
        + 1;
    for length in torn_at..whole.len() {
        std::fs::write(config.file(), &whole[..length]).unwrap();
        let service = reopen(&config);
        let ack = service
            .append(entry("after"), Durability::Durable)
            .await
            .unwrap();
        drop(service);
        let records = records(&config);
        let details: Vec<&str> = records.iter().map(|r| r.detail.as_str()).collect();
        assert_eq!(details[0], "kept");
        // Cut at the end of a line, there is nothing to recover and nothing to tell.
        let is_torn = length > torn_at;
        assert_eq!(
            details[1].contains("recovered: cut"),
            is_torn,
            "{details:?}"
        );
        assert_eq!(details.last(), Some(&"after"));
        assert_eq!(ack.sequence, if is_torn { 3 } else { 2 });
    }
}

#[tokio::test]
async fn a_damaged_last_record_stops_the_start() {
    let folder = tempfile::tempdir().unwrap();
    let config = config(folder.path());
    std::fs::create_dir_all(&config.folder).unwrap();
    let mut file = std::fs::File::create(config.file()).unwrap();
    file.write_all(b"{\"sequence\":1}\n").unwrap();
    assert!(matches!(Service::open(config), Err(Error::Damaged { .. })));
}

#[tokio::test]
async fn many_writers_at_once_lose_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let config = config(folder.path());
    let service = Service::open(config.clone()).unwrap();
    let tasks: Vec<_> = (0..8)
        .map(|n| {
            let service = service.clone();
            tokio::spawn(async move {
                for _ in 0..50 {
                    let detail = format!("{n}");
                    service
                        .append(entry(&detail), Durability::Grouped)
                        .await
                        .unwrap();
                }
            })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
    let sequences: Vec<u64> = records(&config).iter().map(|r| r.sequence).collect();
    assert_eq!(sequences, (1..=400).collect::<Vec<u64>>());
}

#[tokio::test]
async fn what_could_steer_a_terminal_stays_out() {
    let folder = tempfile::tempdir().unwrap();
    let config = config(folder.path());
    let service = Service::open(config.clone()).unwrap();
    service
        .append(entry("a\u{1b}[2Jb\nc"), Durability::Grouped)
        .await
        .unwrap();
    assert_eq!(records(&config)[0].detail, "a[2Jbc");
}
