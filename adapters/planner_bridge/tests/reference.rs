//! The reference bridge of examples/plan-bridge, as a program and at a socket.
#![allow(clippy::unwrap_used, reason = "a test fails loudly")]

use api::planner::{Error, Planner, Request};
use contracts::within;
use domain::fault::Coded;
use planner_bridge::Bridge;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

fn reference() -> PathBuf {
    PathBuf::from(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../examples/plan-bridge/bridge.py"
    ))
}

async fn ask(bridge: &Bridge, workspace: &Path, input: &str) -> Result<Value, Error> {
    let request = Request {
        input: input.to_owned(),
        memory: String::new(),
        workspace: workspace.to_owned(),
        listing: vec!["docs/".to_owned(), "docs/notes.txt".to_owned()],
    };
    bridge.plan(request).await
}

#[tokio::test]
async fn the_reference_bridge_plans_what_it_knows_and_declines_the_rest() {
    let folder = tempfile::tempdir().unwrap();
    let bridge = Bridge::Stdio {
        command: vec!["python3".to_owned(), reference().display().to_string()],
    };
    let plan = ask(&bridge, folder.path(), "show notes.txt").await.unwrap();
    let wanted = json!([{ "kind": "read_file", "path": "docs/notes.txt" }]);
    assert_eq!(plan["actions"], wanted);
    let declined = ask(&bridge, folder.path(), "sing a song").await;
    let declined = declined.unwrap_err();
    assert_eq!(declined.code(), "bridge.declined");
    let words = "I plan only `list` and `show FILE`.";
    assert!(declined.message().contains(words), "{declined}");
}

#[tokio::test]
async fn the_reference_bridge_serves_a_socket_too() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bridge.sock");
    let mut server = tokio::process::Command::new("python3")
        .arg(reference())
        .arg("--socket")
        .arg(&path)
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    within("the bridge to listen", async {
        while tokio::net::UnixStream::connect(&path).await.is_err() {
            tokio::task::yield_now().await;
        }
    })
    .await;
    let bridge = Bridge::Socket { path };
    let plan = ask(&bridge, folder.path(), "list").await.unwrap();
    assert_eq!(plan["actions"][0]["kind"], "list_files");
    server.kill().await.unwrap();
}
