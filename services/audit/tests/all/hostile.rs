//! Files of the log that someone else put there: nothing hangs, nothing is believed, nothing breaks.

use crate::place::{Place, entry};
use api::audit::{Audit, Durability};
use audit::{Service, anchor};
use domain::hash::Digest;
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// Longest anything may take with a file of another making. Reached only by what would hang.
const PATIENCE: Duration = Duration::from_secs(30);

async fn filled() -> Place {
    let place = Place::new();
    place.fill(28).await;
    place
}

fn mark(place: &Place) -> PathBuf {
    place.config().folder.join("mark")
}

/// Changes a field of the mark and gives it the digest that anyone can make.
fn forge(path: &Path, field: &str, value: Value) {
    let text = fs::read_to_string(path).unwrap();
    let (_seal, line) = text.split_once('\n').unwrap();
    let mut mark: Value = serde_json::from_str(line).unwrap();
    assert!(mark.get(field).is_some(), "{mark:#}");
    mark[field] = value;
    let line = mark.to_string();
    let seal = Digest::of(line.as_bytes());
    fs::write(path, format!("{seal}\n{line}\n")).unwrap();
}

#[tokio::test]
async fn a_forged_mark_is_not_believed_nor_signed() {
    let peak = Digest::from_bytes([0xcd; 32]).to_string();
    let other = Digest::from_bytes([7; 32]).to_string();
    for (field, value) in [
        ("size", json!(0)),
        ("peaks", json!([peak])),
        ("chain", json!(other)),
        ("offset", json!(100)),
    ] {
        let place = filled().await;
        forge(&mark(&place), field, value);
        let signed = anchor::sign(&place.config()).unwrap().unwrap();
        assert!(signed.contains("\n28\n"), "{field}: {signed}");
        let ack = place.open().append(entry("x"), Durability::Durable).await;
        assert_eq!(ack.unwrap().sequence, 29, "{field}");
        assert!(place.verify(None).is_whole(), "{field}");
    }
}

#[tokio::test]
async fn a_start_looks_at_the_newest_records_again() {
    let place = filled().await;
    let segment = place.segments().pop().unwrap();
    let mut bytes = fs::read(&segment).unwrap();
    let last = bytes.len() - 5;
    bytes[last] ^= 1;
    fs::write(&segment, bytes).unwrap();
    assert!(Service::open(place.config()).is_err());
    assert!(anchor::sign(&place.config()).is_err());
}

/// Does it in a thread, and fails if it does not end.
fn ends(what: String, work: impl FnOnce() + Send + 'static) {
    let (done, ended) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        work();
        let _listening = done.send(());
    });
    assert!(ended.recv_timeout(PATIENCE).is_ok(), "{what}");
}

#[tokio::test]
async fn pipes_and_links_in_place_of_files_are_waited_on_by_nothing() {
    let dress: [fn(&Path); 2] = [
        |path| {
            let made = Command::new("mkfifo").arg(path).status().unwrap();
            assert!(made.success());
        },
        |path| symlink("/dev/zero", path).unwrap(),
    ];
    for put in dress {
        let place = filled().await;
        let folder = place.config().folder;
        let key = fs::read_dir(place.config().keys).unwrap().next();
        let key = key.unwrap().unwrap().path();
        let segment = place.segments().pop().unwrap();
        let names = ["mark", "mark.draft", "checkpoints", "lock"].map(|name| folder.join(name));
        for path in names.into_iter().chain([segment, key]) {
            let kept = fs::read(&path);
            let _absent = fs::remove_file(&path);
            put(&path);
            let (config, at) = (place.config(), path.display().to_string());
            ends(at, move || {
                let _refused = anchor::sign(&config);
                let _refused = Service::open(config.clone());
                let against = audit::verify::Against::default();
                let _refused = audit::verify::verify(&config.folder, &config.keys, &against);
            });
            fs::remove_file(&path).unwrap();
            if let Ok(bytes) = kept {
                fs::write(&path, bytes).unwrap();
            }
        }
    }
}

#[tokio::test]
async fn any_number_of_badly_signed_checkpoints_is_read_to_the_end() {
    let place = filled().await;
    let path = place.config().folder.join("checkpoints");
    let text = fs::read_to_string(&path).unwrap();
    let start = text.rfind("@ ").unwrap();
    let note = text[start..].split_once('\n').unwrap().1;
    // One letter of the signature.
    let at = note.trim_end().len() - 20;
    let other = if &note[at..=at] == "A" { "B" } else { "A" };
    let forged = format!("{}{other}{}", &note[..at], &note[at + 1..]);
    let sum = crc32c::crc32c(forged.as_bytes());
    let entry = format!("@ {} {sum:08x}\n{forged}", forged.len());
    fs::write(&path, entry.repeat(20_000)).unwrap();
    let report = place.verify(None);
    assert!(!report.is_whole(), "a wrong signature is told");
}

#[tokio::test]
async fn without_its_key_a_log_is_not_said_to_be_signed() {
    let place = filled().await;
    assert!(!place.verify(None).checkpoints.are_unsigned);
    fs::remove_dir_all(place.config().keys).unwrap();
    assert!(place.verify(None).checkpoints.are_unsigned);
}
