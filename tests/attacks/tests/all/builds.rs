//! What a project's own build script and tests may reach, when the coder builds it.

use attacks::probe::Findings;
use attacks::script::{recast, results};
use scenarios::Outcome;
use serde_json::json;
use std::fs;
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::Command;
use testkit::House;

/// Tries everything in turn; what it prints is read as a probe's.
const PROBE: &str = r#"
fn attempts() -> Vec<String> {
    use std::{fs, net::TcpStream};
    let home = "HOME_PLACE";
    let attempt = |name: &str, done: bool| {
        let what = if done { "REACHED" } else { "refused" };
        format!("{name} {what}")
    };
    vec![
        attempt("net", TcpStream::connect("127.0.0.1:PORT").is_ok()),
        attempt("keys", fs::read(format!("{home}/.ssh/id_ed25519")).is_ok()),
        attempt("tokens", fs::read(format!("{home}/.cargo/credentials.toml")).is_ok()),
        attempt("settings", fs::read(format!("{home}/.cargo/config.toml")).is_ok()),
        attempt("home", fs::read(format!("{home}/letter.txt")).is_ok()),
        attempt("variable", std::env::var("MY_TOKEN").is_ok()),
        attempt("outside", fs::write(format!("{home}/made.txt"), "x").is_ok()),
        attempt("hook", fs::write("WORK/.git/hooks/pre-commit", "x").is_ok()),
        attempt("alias", fs::write("WORK/.cargo/config.toml", "[alias]").is_ok()),
        attempt("poison", fs::write(format!("{home}/.cargo/registry/src/a/lib.rs"), "x").is_ok()),
        attempt("crates", fs::read(format!("{home}/.cargo/registry/src/a/lib.rs")).is_ok()),
        attempt("project", fs::write("WORK/target/made.txt", "x").is_ok()),
    ]
}
"#;

/// What a build and the tests of a project are for.
const HONEST: [&str; 2] = ["crates", "project"];

fn project(house: &House, port: u16) {
    let (home, work) = (house.home(), house.work());
    let put = |path: PathBuf, text: &str| {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    put(home.join(".ssh/id_ed25519"), "a key");
    put(
        home.join(".cargo/credentials.toml"),
        "[registry]\ntoken = \"hush\"\n",
    );
    put(home.join(".cargo/config.toml"), "[net]\nretry = 2\n");
    put(home.join(".cargo/registry/src/a/lib.rs"), "// a crate\n");
    put(home.join("letter.txt"), "Dear Ada");
    let probe = PROBE
        .replace("HOME_PLACE", &home.to_string_lossy())
        .replace("WORK", &work.to_string_lossy())
        .replace("PORT", &port.to_string());
    put(work.join("probe.rs"), &probe);
    put(
        work.join("Cargo.toml"),
        "[package]\nname = \"adds\"\nversion = \"0.1.0\"\nedition = \"2021\"\nbuild = \"build.rs\"\n",
    );
    put(
        work.join("build.rs"),
        "include!(\"probe.rs\");\nfn main() {\n    std::fs::create_dir_all(\"target\").unwrap();\n    \
         for line in attempts() { println!(\"cargo:warning=build-{line}\"); }\n}\n",
    );
    put(
        work.join("src/lib.rs"),
        "#[cfg(test)]\ninclude!(\"../probe.rs\");\n#[test]\nfn tries() {\n    \
         for line in attempts() { println!(\"\\ntest-{line}\"); }\n}\n",
    );
    put(work.join(".git/hooks/sample"), "");
    put(work.join(".git/config"), "[core]\n");
    put(work.join(".cargo/config.toml"), "[term]\nquiet = false\n");
}

/// What was tried, whichever way it was told.
fn findings(text: &str) -> Findings {
    let lines = text.lines().filter_map(|line| {
        let at = line.find("build-").or_else(|| line.find("test-"))?;
        Some(&line[at..])
    });
    Findings::read(&lines.collect::<Vec<_>>().join("\n"))
}

#[test]
fn a_build_script_and_a_test_reach_what_the_sandbox_gives_and_nothing_else() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let command = ["test", "--", "--nocapture", "--test-threads", "1"];
    // The control: outside, both reach all of it.
    let free = House::new();
    project(&free, port);
    let ran = Command::new("cargo")
        .args(command)
        .current_dir(free.work())
        .env("MY_TOKEN", "hush")
        .output()
        .unwrap();
    let told = [ran.stdout, ran.stderr].concat();
    let outside = findings(&String::from_utf8_lossy(&told));
    assert_eq!(outside.reached.len(), 24, "{outside:#?}");
    // A build that is up to date does not run its script again, so the house is another one.
    let house = House::new();
    project(&house, port);
    house.give_rust();
    let line = format!("cargo {}", command.join(" "));
    let scene = recast(house, &[("run_command", json!({"command": line}))]);
    let flags = [
        "--agent",
        "coder",
        "--allow-write",
        ".",
        "--yes",
        "exec",
        "test it",
    ];
    let carl = scene.house.ask(["run", "--json"]).args(flags);
    let finished = carl.env("MY_TOKEN", "hush").run();
    let summary = finished.json();
    let outcome = Outcome { finished, summary };
    let inside = findings(&results(&scene, &outcome)[0]);
    let expected: Vec<String> = ["build", "test"]
        .iter()
        .flat_map(|by| HONEST.map(|what| format!("{by}-{what}")))
        .collect();
    // A command has a /tmp of its own, and there the houses of tests lie: what it writes beside the
    // project is gone with it, and nothing of it is on the disk.
    let mut reached = inside.reached.clone();
    reached.retain(|name| !name.ends_with("-outside"));
    reached.sort();
    assert_eq!(reached, expected, "{}", inside.text);
    assert!(inside.refused.len() >= 18, "{}", inside.text);
    assert!(!scene.house.home().join("made.txt").exists());
    assert_eq!(
        scene.house.read(".cargo/config.toml"),
        "[term]\nquiet = false\n"
    );
}
