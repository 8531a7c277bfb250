//! `carl doctor`: what could not be used is not called ok.

use std::net::TcpListener;
use std::path::Path;
use std::process::Command;

/// What it says of search, with `[search]` set to this.
fn search(home: &Path, settings: &[(&str, &str)]) -> (String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_carl"))
        .args(["doctor", "--json"])
        .current_dir(home)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", home)
        .env("CARL_MODELS__AIR_GAP", "true")
        .envs(settings.iter().copied())
        .output()
        .unwrap();
    let checks: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let named = |check: &&serde_json::Value| check["name"] == "search";
    let check = checks.as_array().unwrap().iter().find(named).unwrap();
    let text = |key: &str| check[key].as_str().unwrap().to_owned();
    (text("state"), text("detail"))
}

/// On a disk of its own that is full. Needs user namespaces, as the sandbox does.
const FULL: &str = "mkdir -p $HOME/.local/state && mount -t tmpfs -o size=$SIZE none $HOME/.local/state \
    && mkdir $HOME/.local/state/housecarl && cd $HOME && \
    { \"$CARL\" run --mode deterministic 'list files' || true; } >$HOME/begun 2>&1; \
    cat /dev/zero >$HOME/.local/state/filler 2>$HOME/full; \"$CARL\" doctor --json";

#[test]
fn a_full_disk_is_said_of_everything_that_is_on_it() {
    // The last block of the log has room left on the first disk, and none on the second.
    for size in ["64k", "2m"] {
        let home = tempfile::tempdir().unwrap();
        let output = Command::new("unshare")
            .args(["-rm", "sh", "-c", FULL])
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", home.path())
            .env("SIZE", size)
            .env("CARL", env!("CARGO_BIN_EXE_carl"))
            .env("CARL_MODELS__AIR_GAP", "true")
            .output()
            .unwrap();
        let told = String::from_utf8(output.stdout).unwrap();
        let failed = String::from_utf8_lossy(&output.stderr);
        assert!(!told.is_empty(), "{size}: {failed}");
        let checks: serde_json::Value = serde_json::from_str(&told).unwrap();
        let checks = checks.as_array().unwrap();
        let state = |name: &str| {
            let named = checks.iter().find(|check| check["name"] == name);
            named.map_or("none", |check| check["state"].as_str().unwrap())
        };
        assert_eq!(state("state folder"), "bad", "{told}");
        assert_ne!(state("audit log"), "ok", "{told}");
        assert_ne!(state("whole path"), "ok", "{told}");
        for check in checks.iter().filter(|check| check["state"] == "bad") {
            assert_ne!(check["hint"], "", "{check}");
        }
        let folder = checks.iter().find(|check| check["name"] == "state folder");
        let hint = folder.unwrap()["hint"].as_str().unwrap();
        assert!(hint.contains("Make room"), "{hint}");
    }
}

#[test]
fn what_was_not_looked_at_is_said() {
    let home = tempfile::tempdir().unwrap();
    // Where the folder would be there is a file.
    std::fs::create_dir_all(home.path().join(".local")).unwrap();
    std::fs::write(home.path().join(".local/state"), "").unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_carl"))
        .args(["doctor", "--json"])
        .current_dir(home.path())
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", home.path())
        .env("CARL_MODELS__AIR_GAP", "true")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(4));
    let checks: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let named = |name: &str| {
        let mut all = checks.as_array().unwrap().iter();
        all.find(|check| check["name"] == name).unwrap().clone()
    };
    let folder = named("state folder");
    assert!(
        folder["hint"].as_str().unwrap().contains("XDG_STATE_HOME"),
        "{folder}"
    );
    let services = named("services");
    assert!(
        services["hint"].as_str().unwrap().contains("state folder"),
        "{services}"
    );
    for name in ["audit log", "models", "memory", "whole path"] {
        let check = named(name);
        assert!(check["state"] == "note", "{check}");
        let detail = check["detail"].as_str().unwrap();
        assert!(detail.starts_with("not looked at"), "{check}");
    }
    named("search");
}

#[test]
fn a_search_server_that_cannot_be_asked_is_told_with_the_reason() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let here = [("CARL_SEARCH__URL", url.as_str())];
    // Something listens, and is no search server.
    let (state, detail) = search(home, &here);
    assert!(
        state == "note" && detail.contains("cannot be searched"),
        "{detail}"
    );
    drop(listener);
    let (state, detail) = search(home, &here);
    assert!(
        state == "note" && detail.contains("nothing listens"),
        "{detail}"
    );
    let (state, detail) = search(home, &[("CARL_SEARCH__URL", "https://search.example")]);
    assert!(state == "bad" && detail.contains("air gap"), "{detail}");
    let (state, detail) = search(home, &[("CARL_SEARCH__PROVIDER", "brave")]);
    assert!(
        state == "bad" && detail.contains("search.api_key"),
        "{detail}"
    );
}
