//! Kills at any moment, against an oracle: the test starts itself as a process of writers, which
//! says on a pipe what was acknowledged, and kills it a thousand times.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test fails loudly, and the writers' process speaks on its standard output"
)]

use crate::place::{Place, entry};
use api::audit::{Audit, Durability};
use audit::read::{Log, Query};
use audit::verify::{Against, verify};
use audit::{Config, Service};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};

/// Kills in all, in houses of so many each, so that no log grows long.
const ROUNDS: u64 = 1_000;
const ROUNDS_A_LOG: u64 = 100;
const WRITERS: usize = 8;
/// Where the writers' process finds its log.
const FOLDER: &str = "AUDIT_KILL_FOLDER";

fn config(root: &Path) -> Config {
    let mut config = Config::new(root.join("audit"), root.join("keys"));
    // Small, so that kills meet rotations and checkpoints too.
    config.segment_bytes = 20_000;
    config.checkpoint_records = 50;
    config.group_commit = std::time::Duration::from_millis(1);
    config
}

/// The process that is killed. It is a test, because a test program has no other entry, and one
/// that does nothing unless it is asked to.
#[test]
fn writers() {
    let Some(root) = std::env::var_os(FOLDER) else {
        return;
    };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .build()
        .unwrap();
    let service = match Service::open(config(Path::new(&root))) {
        Ok(service) => service,
        Err(error) => {
            println!("refused: {error}");
            return;
        }
    };
    let out = Arc::new(Mutex::new(std::io::stdout()));
    runtime.block_on(async {
        let writers = (0..WRITERS).map(|writer| {
            let (service, out) = (service.clone(), Arc::clone(&out));
            tokio::spawn(async move {
                for n in 0_u64.. {
                    let durability = if n % 2 == 0 {
                        Durability::Durable
                    } else {
                        Durability::Grouped
                    };
                    let text = format!("{writer}:{n}:{}", std::process::id());
                    let ack = service.append(entry(&text), durability).await.unwrap();
                    // A line is one write: whole, or not there.
                    let line = format!("\nack {} {text}\n", ack.sequence);
                    if out.lock().unwrap().write_all(line.as_bytes()).is_err() {
                        return;
                    }
                }
            })
        });
        for writer in writers.collect::<Vec<_>>() {
            writer.await.unwrap();
        }
    });
}

fn start(root: &Path) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "kill::writers",
            "--nocapture",
            "--test-threads=1",
        ])
        .env(FOLDER, root)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// Starts the writers, lets them come so far, kills them, and returns what was acknowledged. Even
/// a record that need not be durable has reached the system, which the kill leaves standing.
fn killed(root: &Path, after: u64) -> BTreeMap<u64, String> {
    let mut child = start(root);
    let mut acknowledged = BTreeMap::new();
    let reader = BufReader::new(child.stdout.take().unwrap());
    let mut is_killed = false;
    for line in reader.lines() {
        let line = line.unwrap();
        assert!(!line.contains("refused"), "{line}");
        if let Some((sequence, text)) = line.strip_prefix("ack ").and_then(|l| l.split_once(' ')) {
            acknowledged.insert(sequence.parse().unwrap(), text.to_owned());
        }
        if acknowledged.len() as u64 >= after && !is_killed {
            // What is still in the pipe was acknowledged too, and is read to its end.
            child.kill().unwrap();
            is_killed = true;
        }
    }
    child.wait().unwrap();
    assert!(is_killed, "the writers ended by themselves");
    acknowledged
}

fn check(root: &Path, oracle: &BTreeMap<u64, String>, round: u64) {
    let log = Log::open(&root.join("audit")).unwrap().unwrap();
    let mut expected = oracle.iter().peekable();
    for (placed, sequence) in log.records(Query::default()).zip(1_u64..) {
        let placed = placed.unwrap();
        assert_eq!(placed.sequence, sequence);
        if let Some((_, text)) = expected.next_if(|(acked, _)| **acked == sequence) {
            assert_eq!(
                &placed.record.detail, text,
                "round {round}: record {sequence}"
            );
        }
    }
    assert_eq!(
        expected.next(),
        None,
        "round {round}: acknowledged, and not there"
    );
}

#[test]
fn a_thousand_kills_lose_nothing_acknowledged_and_show_nothing_half() {
    if std::env::var_os(FOLDER).is_some() {
        return;
    }
    let mut recoveries = 0;
    for house in 0..ROUNDS / ROUNDS_A_LOG {
        let place = Place::new();
        let root = place.root();
        let mut oracle = BTreeMap::new();
        for round in 0..ROUNDS_A_LOG {
            // From before the first acknowledgement to well into the flow.
            let after = (house * 7 + round * 13) % 60 + 1;
            oracle.extend(killed(root, after));
            if round % 10 == 9 {
                check(root, &oracle, house * ROUNDS_A_LOG + round);
            }
        }
        let service = Service::open(config(root)).unwrap();
        drop(service);
        check(root, &oracle, (house + 1) * ROUNDS_A_LOG);
        let own = config(root);
        let report = verify(&own.folder, &own.keys, &Against::default())
            .unwrap()
            .unwrap();
        assert!(report.is_whole() && !report.is_incomplete(), "{report:?}");
        assert!(report.records >= oracle.len() as u64 && report.segments > 1);
        let log = Log::open(&own.folder).unwrap().unwrap();
        let query = Query {
            action: Some("recovery".to_owned()),
            ..Query::default()
        };
        recoveries += log.records(query).count();
    }
    println!("{recoveries} torn ends were cut off");
}
