//! `carl serve --http` tried by programs of others: by the description of its paths, and its figures.

use scenarios::Scene;
use scenarios::serving::{Serving, session, token};
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use testkit::{PROMTOOL, SCHEMATHESIS, checker};

/// Nothing but what a description says is a fault: an answer of 5xx, a status, a type or a form that is
/// not described.
const CHECKS: &str = "not_a_server_error,status_code_conformance,content_type_conformance,\
                      response_schema_conformance";
/// Cases of each path beside those at the bounds of its description.
const CASES: &str = "4";

/// Tries the paths that begin so, or with `is_rest` all others, in a session.
fn tried(
    program: &Path,
    (scene, serving): (&Scene, &Serving),
    id: &str,
    (begin, is_rest): (&str, bool),
) {
    let name = if is_rest { "rest" } else { "first" };
    let shown = format!("Authorization: Bearer {}", token(scene, name, "admin"));
    let config = scene.house.write(
        "schemathesis.toml",
        format!("[parameters]\nsession = \"{id}\"\n"),
    );
    let mut program = Command::new(program);
    program.arg("--config-file").arg(config).arg("run");
    program.arg(format!("{}/api/v1/openapi.json", serving.url));
    program.args(["--header", &shown, "--phases", "coverage,fuzzing"]);
    program.args(["--checks", CHECKS, "--max-examples", CASES, "--seed", "1"]);
    program.args(["--continue-on-failure", "--no-color"]);
    let chosen = if is_rest {
        "--exclude-path-regex"
    } else {
        "--include-path-regex"
    };
    program.args([chosen, begin]);
    // A stream has no end, and whoever is logged out or deletes its session has nothing to try.
    for left in ["/api/v1/sessions/{session}/events", "/logout"] {
        program.args(["--exclude-path", left]);
    }
    program.args(["--exclude-method", "DELETE"]);
    program
        .env("NO_PROXY", "127.0.0.1")
        .env("no_proxy", "127.0.0.1");
    let output = program.current_dir(scene.house.home()).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}");
}

#[test]
fn nothing_that_the_description_allows_breaks_the_server() {
    let Some(program) = checker(SCHEMATHESIS) else {
        return;
    };
    let scene = Scene::new([]);
    let config = scene.server.config("openai");
    let address = scene.server.url();
    // No model answers, so that nothing that is tried takes long.
    scene
        .house
        .configure(&config.replace(&address, "http://127.0.0.1:9"));
    let serving = Serving::begin(&scene);
    let id = session(&serving.client(&scene, "chat"), false);
    for half in [("^/api/v1/sessions", false), ("^/api/v1/sessions", true)] {
        tried(&program, (&scene, &serving), &id, half);
    }
}

#[test]
fn promtool_finds_nothing_in_the_figures() {
    let Some(program) = checker(PROMTOOL) else {
        return;
    };
    let scene = Scene::new([]);
    let serving = Serving::begin(&scene);
    let reader = serving.client(&scene, "read");
    reader.get("/nowhere").expect(404);
    let figures = reader.get("/metrics").expect(200).body;
    let mut program = Command::new(program);
    program.args(["check", "metrics"]).stdin(Stdio::piped());
    let mut checking = program.stderr(Stdio::piped()).spawn().unwrap();
    let mut input = checking.stdin.take().unwrap();
    input.write_all(figures.as_bytes()).unwrap();
    drop(input);
    let output = checking.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.is_empty(), "{said}");
}
