//! Programs that a model runs through the shipped `carl`: they do their work, and reach nothing
//! beyond what they were given.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test is allowed to fail loudly"
)]

use scenarios::{Outcome, Scene, of_kind};
use serde_json::{Value, json};
use std::fs;
use std::net::TcpListener;
use std::process::Command;
use testkit::Reply;

const SECRET: &str = "the-silver-is-under-the-stairs";

fn asks(tool: &str, arguments: Value) -> Scene {
    Scene::new([Reply::call(tool, arguments), Reply::text("Done.")])
}

fn result(scene: &Scene, outcome: &Outcome) -> String {
    let log = scene.log(outcome);
    let results = of_kind(&log, "tool_result");
    let result = results[0];
    assert_eq!(result["status"], "ok", "{result:#}");
    result["text"].as_str().unwrap().to_owned()
}

#[test]
fn code_runs_and_its_output_comes_back() {
    let code = "import json, helper\nprint(json.dumps({'sum': helper.add(40, 2)}))";
    let files = json!({"helper.py": "def add(a, b):\n    return a + b\n"});
    let scene = asks(
        "run_code",
        json!({"language": "python", "code": code, "files": files}),
    );
    let outcome = scene.run(&["--agent", "coder", "--yes", "exec", "what is 40 + 2?"]);
    outcome.assert_ends(0, "success");
    let text = result(&scene, &outcome);
    assert!(text.contains("exit code 0"), "{text}");
    assert!(text.contains(r#"{"sum": 42}"#), "{text}");
    let audit = scene.audit(&outcome);
    assert!(audit.iter().any(|record| record["action"] == "intent"));
}

#[test]
fn code_reaches_neither_the_network_nor_the_users_files() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let probe = |file: &str| {
        format!(
            "import socket, sys\n\
             def attempt(name, work):\n    \
                 try:\n        work(); print(name, 'REACHED')\n    \
                 except Exception as error:\n        print(name, 'refused', type(error).__name__)\n\
             attempt('net', lambda: socket.create_connection(('127.0.0.1', {port}), 5))\n\
             attempt('file', lambda: open({file:?}).read())\n\
             attempt('write', lambda: open({file:?}, 'a').write('x'))\n"
        )
    };
    let scene = asks(
        "run_code",
        json!({"language": "python", "code": "print(1)"}),
    );
    let file = scene.house.write("secret.txt", SECRET);
    let code = probe(&file.to_string_lossy());
    // The same probe outside the sandbox reaches everything.
    let free = Command::new("python3")
        .args(["-c", &code])
        .output()
        .unwrap();
    let free = String::from_utf8(free.stdout).unwrap();
    assert_eq!(free.matches("REACHED").count(), 3, "{free}");
    fs::write(&file, SECRET).unwrap();
    let scene = Scene {
        server: testkit::Server::openai([
            Reply::call("run_code", json!({"language": "python", "code": code})),
            Reply::text("Done."),
        ]),
        house: scene.house,
    };
    scene.house.configure(&scene.server.config("openai"));
    let outcome = scene.run(&["--agent", "coder", "--yes", "exec", "look around"]);
    let text = result(&scene, &outcome);
    assert_eq!(text.matches("refused").count(), 3, "{text}");
    assert!(!text.contains("REACHED"), "{text}");
    assert_eq!(fs::read_to_string(&file).unwrap(), SECRET);
}

#[test]
fn a_program_is_not_run_without_a_yes() {
    let scene = asks(
        "run_code",
        json!({"language": "python", "code": "print(1)"}),
    );
    let outcome = scene.run(&["--agent", "coder", "run it"]);
    outcome.assert_denied(0, "safety_gate");
}

#[test]
fn a_command_changes_only_what_is_open_and_never_a_protected_place() {
    let script = "echo honest > made.txt; echo evil > .git/hooks/pre-commit; \
                  echo evil > sub/.envrc; cat $OUTSIDE; cat notes.txt; true";
    let outside = |scene: &Scene| scene.house.home().join("outside.txt");
    let scene = Scene::new([]);
    fs::write(outside(&scene), SECRET).unwrap();
    let script = script.replace("$OUTSIDE", &outside(&scene).to_string_lossy());
    scene.house.write("notes.txt", "the notes");
    scene.house.write(".git/config", "[core]");
    scene.house.write("sub/x", "");
    let scene = Scene {
        server: testkit::Server::openai([
            Reply::call("run_shell", json!({"argv": ["/bin/sh", "-c", script]})),
            Reply::text("Done."),
        ]),
        house: scene.house,
    };
    scene.house.configure(&scene.server.config("openai"));
    let flags = ["--agent", "sysadmin", "--yes", "exec", "--allow-write", "."];
    let outcome = scene.run(&[&flags[..], &["do it"]].concat());
    let text = result(&scene, &outcome);
    assert!(text.contains("the notes"), "{text}");
    assert_eq!(scene.house.read("made.txt"), "honest\n");
    assert!(!scene.house.has(".git/hooks/pre-commit"));
    assert!(!scene.house.has("sub/.envrc"), "{text}");
    assert!(text.contains("is a protected place"), "{text}");
}
