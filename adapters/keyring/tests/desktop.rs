//! The Secret Service for real: a GNOME Keyring on a bus of its own, open, locked, missing, mute.
//!
//! The environment names the bus, and only a new process can be given another one. So each test
//! starts this program again for the one case that it is about.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test is allowed to fail loudly"
)]

use api::secrets::{Keeper, SecretValue, Secrets};
use contracts::secrets_suite;
use domain::fault::Coded;
use keyring::SecretService;
use std::os::unix::net::UnixListener;
use std::process::Command;
use testkit::{DESKTOP_KEYRING, Desktop, is_absent};

/// Says to a process started again what it is there for.
const CASE: &str = "HOUSE_KEYRING_CASE";
/// What a case prints once it is through.
const THROUGH: &str = "the case is through";

/// Runs a case with a bus.
fn run(case: &str, address: &str) {
    let done = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "a_case", "--nocapture"])
        .env(CASE, case)
        .env("DBUS_SESSION_BUS_ADDRESS", address)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&done.stdout);
    let complaint = String::from_utf8_lossy(&done.stderr);
    assert!(
        done.status.success() && text.contains(THROUGH),
        "{case}: {text}{complaint}"
    );
}

/// Both sides say the same, and nothing is waited for without end.
async fn refused(code: &str, words: &str) {
    let store = SecretService::new();
    let name = "canary".parse().unwrap();
    for round in 0..4 {
        let error = match round {
            0 => store.get_secret("canary").await.map(|_| ()),
            1 => store.names().await.map(|_| ()),
            2 => {
                let value = SecretValue::new(b"x".to_vec());
                store.set(&name, value).await.map(|_| ())
            }
            _ => store.remove(&name).await,
        }
        .unwrap_err();
        assert_eq!(error.code(), code, "{round}: {error}");
        assert!(error.to_string().contains(words), "{round}: {error}");
    }
}

/// What a process started again does. By itself it has no case and nothing to prove.
#[tokio::test]
async fn a_case() {
    let case = std::env::var(CASE).unwrap_or_default();
    match case.as_str() {
        "" => return,
        "open" => {
            let store = SecretService::new();
            secrets_suite::conformance(&store, &store).await;
        }
        "locked" => refused("secrets.locked", "default collection").await,
        "nobody" => refused("secrets.unavailable", "no program on the session bus").await,
        "no bus" => refused("secrets.unavailable", "no D-Bus session bus").await,
        "program" => refused("secrets.unavailable", "is no unix socket").await,
        "mute" => refused("secrets.unavailable", "did not answer").await,
        other => panic!("no such case: {other}"),
    }
    println!("{THROUGH}");
}

#[test]
fn a_real_keyring_keeps_every_promise_of_a_store() {
    if is_absent(DESKTOP_KEYRING) {
        return;
    }
    run("open", Desktop::new().address());
}

#[test]
fn a_locked_keyring_is_said_to_be_locked() {
    if is_absent(DESKTOP_KEYRING) {
        return;
    }
    run("locked", Desktop::locked().address());
}

#[test]
fn a_bus_without_a_keyring_is_told_from_none_at_all() {
    if is_absent(DESKTOP_KEYRING) {
        return;
    }
    run("nobody", Desktop::bare().address());
    run("no bus", "unix:path=/nonexistent/bus");
}

#[test]
fn a_bus_address_starts_no_program() {
    let folder = tempfile::tempdir().unwrap();
    let made = folder.path().join("made");
    let address = format!(
        "unixexec:path=/bin/sh,argv1=-c,argv2=touch {}",
        made.display()
    );
    run("program", &address);
    assert!(!made.exists());
}

#[test]
fn a_bus_that_never_answers_is_given_up() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bus");
    // It accepts in the kernel's queue, and nobody ever reads.
    let _listener = UnixListener::bind(&path).unwrap();
    run("mute", &format!("unix:path={}", path.display()));
}
