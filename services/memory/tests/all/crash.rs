//! Kills at any moment: the test starts itself as a process of writers, which says on a pipe what
//! was answered as stored, and kills it two hundred times.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test fails loudly, and the writers' process speaks on its standard output"
)]

use crate::place::{ask, close, everything, keep, memory, opened};
use domain::id::MemoryId;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};

/// Kills in all, in folders of so many each.
const ROUNDS: usize = 200;
const ROUNDS_A_FOLDER: usize = 40;
const WRITERS: usize = 4;
/// Where the writers' process finds its folder.
const FOLDER: &str = "MEMORY_KILL_FOLDER";

fn text(writer: usize, n: u64) -> String {
    let process = std::process::id();
    format!("Writer w{writer}p{process} says number n{n}x{writer}x{process} of many.")
}

/// The process that is killed. It is a test, because a test program has no other entry, and one
/// that does nothing unless it is asked to.
#[test]
fn writers() {
    let Some(folder) = std::env::var_os(FOLDER) else {
        return;
    };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    let out = Arc::new(Mutex::new(std::io::stdout()));
    runtime.block_on(async {
        let service = opened(Path::new(&folder)).await;
        let writers = (0..WRITERS).map(|writer| {
            let (service, out) = (service.clone(), Arc::clone(&out));
            tokio::spawn(async move {
                let mut last: Option<MemoryId> = None;
                for n in 0_u64.. {
                    let mut request = memory(&format!("note {n}"), &text(writer, n));
                    // Every third corrects the one before it.
                    request.supersedes = last.filter(|_| n % 3 == 2);
                    let corrects = request.supersedes;
                    let id = keep(&service, request).await;
                    last = Some(id);
                    let corrects = corrects.map_or(String::new(), |id| id.to_string());
                    // A line is one write: whole, or not there.
                    let line = format!("\nack {id} {corrects}|{}\n", text(writer, n));
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

fn start(folder: &Path) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "crash::writers",
            "--nocapture",
            "--test-threads=1",
        ])
        .env(FOLDER, folder)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Said {
    text: String,
    corrects: Option<MemoryId>,
}

/// Starts the writers, lets them come so far, kills them, and adds what was answered as stored.
fn killed(folder: &Path, after: usize, said: &mut BTreeMap<MemoryId, Said>) {
    let mut child = start(folder);
    let reader = BufReader::new(child.stdout.take().unwrap());
    let (mut answers, mut is_killed) = (0, false);
    for line in reader.lines() {
        let line = line.unwrap();
        if let Some((head, text)) = line.strip_prefix("ack ").and_then(|l| l.split_once('|')) {
            let (id, corrects) = head.split_once(' ').unwrap();
            let text = text.to_owned();
            let corrects = corrects.parse().ok();
            said.insert(id.parse().unwrap(), Said { text, corrects });
            answers += 1;
        }
        if answers >= after && !is_killed {
            // What is still in the pipe was answered too, and is read to its end.
            child.kill().unwrap();
            is_killed = true;
        }
    }
    child.wait().unwrap();
    assert!(is_killed, "the writers ended by themselves");
}

async fn check(folder: &Path, said: &BTreeMap<MemoryId, Said>) {
    let service = opened(folder).await;
    let kept: BTreeMap<MemoryId, _> = everything(&service)
        .await
        .into_iter()
        .map(|stored| (stored.id, stored))
        .collect();
    for (id, said) in said {
        let stored = kept.get(id);
        let stored =
            stored.unwrap_or_else(|| panic!("answered as stored, and not there: {said:?}"));
        let api::memory::WriteEntry::Memory { corpus, .. } = &stored.entry else {
            panic!("another kind");
        };
        assert_eq!(corpus, &said.text);
        if let Some(corrected) = said.corrects {
            assert_eq!(kept[&corrected].superseded_by, Some(*id), "{said:?}");
        }
    }
    // The indexes have caught up: the newest that holds is found, by a word that it alone has.
    let holds = |id: &MemoryId| kept[id].valid_until.is_none();
    for (id, said) in said.iter().rev().filter(|(id, _)| holds(id)).take(5) {
        let word = said
            .text
            .split(' ')
            .find(|word| word.starts_with('n') && word.contains('x'));
        let found = ask(&service, word.unwrap()).await.unwrap();
        assert!(
            found.iter().any(|recall| recall.id == *id),
            "not found: {said:?}"
        );
    }
    close(service, folder).await;
    let file = rusqlite::Connection::open(folder.join("memory.db")).unwrap();
    let whole: String = file
        .query_row("PRAGMA integrity_check", [], |row| row.get(0))
        .unwrap();
    assert_eq!(whole, "ok");
}

#[test]
fn two_hundred_kills_lose_nothing_that_was_answered_as_stored() {
    if std::env::var_os(FOLDER).is_some() {
        return;
    }
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let mut all = 0;
    for house in 0..ROUNDS / ROUNDS_A_FOLDER {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("memory");
        let mut said = BTreeMap::new();
        for round in 0..ROUNDS_A_FOLDER {
            // From the first answer to well into the flow.
            killed(&folder, (house * 7 + round * 13) % 30 + 1, &mut said);
            if round % 10 == 9 {
                runtime.block_on(check(&folder, &said));
            }
        }
        all += said.len();
    }
    assert!(all >= ROUNDS, "{all}");
}
