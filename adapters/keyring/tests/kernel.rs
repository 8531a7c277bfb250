//! The kernel's keyring for real.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test is allowed to fail loudly"
)]

use api::secrets::{Error, Keeper, SecretName, SecretValue, Secrets};
use contracts::secrets_suite;
use domain::fault::Coded;
use keyring::{KernelKeyring, State};
use std::os::unix::fs::PermissionsExt;
use std::process::Command;
use tempfile::TempDir;
use testkit::{KERNEL_KEYRING, is_absent};

const PASSPHRASE: &[u8] = b"correct horse battery";

fn value(bytes: &[u8]) -> SecretValue {
    SecretValue::new(bytes.to_vec())
}

fn name(text: &str) -> SecretName {
    text.parse().unwrap()
}

fn code<T>(answer: Result<T, Error>) -> &'static str {
    match answer {
        Ok(_) => panic!("it worked"),
        Err(error) => error.code(),
    }
}

/// A store in a folder of its own. What it leaves in the kernel goes at the end.
struct House {
    store: KernelKeyring,
    folder: TempDir,
}

impl House {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = KernelKeyring::new(folder.path().join("secrets.sealed"));
        Self { store, folder }
    }

    async fn open() -> Self {
        let house = Self::new();
        match house.store.create(value(PASSPHRASE)).await {
            Ok(()) => house,
            Err(error) => panic!(
                "this kernel gives no keyring, and these tests prove nothing without one: {error}"
            ),
        }
    }

    /// As after a restart of the machine: the kernel has forgotten everything.
    async fn reboot(&self) {
        self.store.lock().await.unwrap();
    }

    async fn done(self) {
        self.store.lock().await.unwrap();
    }
}

#[tokio::test]
async fn the_kernels_keyring_keeps_every_promise_of_a_store() {
    if is_absent(KERNEL_KEYRING) {
        return;
    }
    let house = House::open().await;
    secrets_suite::conformance(&house.store, &house.store).await;
    house.done().await;
}

#[tokio::test]
async fn it_is_absent_then_open_then_locked_and_open_again() {
    if is_absent(KERNEL_KEYRING) {
        return;
    }
    let house = House::new();
    let store = &house.store;
    assert_eq!(store.state().await.unwrap(), State::Absent);
    assert_eq!(code(store.get_secret("a").await), "secrets.locked");
    assert_eq!(
        code(store.unlock(value(PASSPHRASE)).await),
        "secrets.unavailable"
    );
    assert_eq!(
        code(store.create(value(b"short")).await),
        "secrets.invalid_value"
    );
    store.create(value(PASSPHRASE)).await.unwrap();
    assert_eq!(store.state().await.unwrap(), State::Open(0));
    assert_eq!(
        code(store.create(value(PASSPHRASE)).await),
        "secrets.unavailable"
    );
    store.set(&name("a"), value(b"one")).await.unwrap();
    assert_eq!(store.state().await.unwrap(), State::Open(1));

    house.reboot().await;
    assert_eq!(store.state().await.unwrap(), State::Locked);
    assert_eq!(code(store.get_secret("a").await), "secrets.locked");
    assert_eq!(code(store.names().await), "secrets.locked");
    assert_eq!(
        code(store.set(&name("b"), value(b"x")).await),
        "secrets.locked"
    );
    assert_eq!(code(store.remove(&name("a")).await), "secrets.locked");
    assert_eq!(
        code(store.unlock(value(b"wrong horse battery")).await),
        "secrets.sealed"
    );
    assert_eq!(store.state().await.unwrap(), State::Locked);
    assert_eq!(store.unlock(value(PASSPHRASE)).await.unwrap(), 1);
    assert!(store.get_secret("a").await.unwrap().matches(b"one"));
    house.done().await;
}

#[tokio::test]
async fn the_file_is_the_owners_alone_and_holds_nothing_in_the_clear() {
    if is_absent(KERNEL_KEYRING) {
        return;
    }
    let house = House::open().await;
    house
        .store
        .set(&name("plain-name"), value(b"plain-value"))
        .await
        .unwrap();
    let bytes = std::fs::read(house.store.file()).unwrap();
    for clear in [&b"plain-name"[..], b"plain-value"] {
        assert!(!bytes.windows(clear.len()).any(|window| window == clear));
    }
    for entry in std::fs::read_dir(house.folder.path()).unwrap() {
        let mode = entry.unwrap().metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    house.done().await;
}

#[tokio::test]
async fn a_changed_file_is_refused_and_what_the_kernel_holds_stays() {
    if is_absent(KERNEL_KEYRING) {
        return;
    }
    let house = House::open().await;
    let store = &house.store;
    store.set(&name("a"), value(b"one")).await.unwrap();
    let good = std::fs::read(store.file()).unwrap();
    // One in the magic, the version, the cost, the salt, the nonce, the text and the seal; every
    // single bit is tried beside the form itself.
    for at in [0, 8, 9, 20, 21, 40, 62, good.len() - 1] {
        let mut bad = good.clone();
        bad[at] ^= 1;
        std::fs::write(store.file(), &bad).unwrap();
        assert_eq!(
            code(store.unlock(value(PASSPHRASE)).await),
            "secrets.sealed",
            "byte {at}"
        );
        assert_eq!(
            code(store.set(&name("b"), value(b"x")).await),
            "secrets.sealed"
        );
        assert!(store.get_secret("a").await.unwrap().matches(b"one"));
        assert_eq!(
            std::fs::read(store.file()).unwrap(),
            bad,
            "a bad file is not written over"
        );
    }
    house.done().await;
}

/// What a shell prints in a session keyring of its own, as every program in the sandbox has one.
fn in_a_fresh_session(script: &str) -> String {
    let done = Command::new("keyctl")
        .args(["session", "-", "sh", "-c", script])
        .output()
        .unwrap_or_else(|error| panic!("`keyctl` (package keyutils) does not start: {error}"));
    String::from_utf8_lossy(&done.stdout).into_owned()
}

#[tokio::test]
async fn a_key_is_for_its_possessor_alone() {
    if is_absent(KERNEL_KEYRING) {
        return;
    }
    let house = House::open().await;
    house
        .store
        .set(&name("shown"), value(b"plain-value"))
        .await
        .unwrap();
    // Whoever links the user's keyring possesses what is in it: that is how `carl` gets there.
    let all = in_a_fresh_session("keyctl link @u @s; keyctl show @s");
    let ours = format!("{}:secret:shown", house.store.file().display());
    let line = all.lines().find(|line| line.ends_with(&ours)).unwrap();
    let id = line.split_whitespace().next().unwrap();
    let linked = in_a_fresh_session(&format!("keyctl link @u @s; keyctl print {id}"));
    assert!(linked.contains("plain-value"), "{linked}");
    // To be the same user is not enough, even with the number of the key known.
    let unlinked = in_a_fresh_session(&format!("keyctl show @s; keyctl print {id} 2>&1"));
    assert!(!unlinked.contains("plain-value") && !unlinked.contains(&ours));
    assert!(unlinked.contains("Permission denied"), "{unlinked}");
    house.done().await;
}
