//! What every command prints in a house with a few sessions, memories and rules, held as one text.
//! `cargo xtask bless` writes it anew, and a person reads the difference.

use scenarios::Scene;
use scenarios::tour::Tour;
use serde_json::json;
use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use testkit::flags::WRITES;
use testkit::{House, Reply};

/// Commands that are not in the text, and why.
const LEFT_OUT: [(&str, &str); 8] = [
    (
        "doctor",
        "it tells of the machine; scenarios `newcomer` and bin/carl `doctor` hold it",
    ),
    ("completions", "clap makes it of the command table"),
    ("man", "clap makes it of the command table"),
    ("help", "bin/carl `help` holds the help of every command"),
    (
        "config schema",
        "it is generated from the types that read the configuration",
    ),
    (
        "stories",
        "it runs servers and tells how long each story took; acceptance `stories` and `command` hold it",
    ),
    ("session resume", "it is a chat, which is held once"),
    (
        "web",
        "it serves as `carl serve` does, with another link each time; scenarios `browser` hold it",
    ),
];

/// A table of one tool, and its definition.
const TABLE: &str = "version: 1\ntools:\n  send_mail:\n    effect: egress\n    capability: mail\n    \
                     audience: targets\n    arguments: {to: target, body: payload}\n";

fn definitions() -> String {
    let text = json!({"type": "string"});
    json!([{
        "name": "send_mail",
        "description": "Sends a mail.",
        "parameters": {"type": "object", "properties": {"to": text, "body": text}}
    }])
    .to_string()
}

/// A model that looks, changes a file, and asks for a file that is closed.
fn replies() -> Vec<Reply> {
    let note = json!({"path": "note.txt", "content": "hello\n", "mode": "create"});
    let edit = json!({"path": "notes.md", "old": "8080", "new": "9090"});
    vec![
        Reply::call("read_file", json!({"path": "notes.md"})),
        Reply::text("The port is 8080."),
        Reply::call("read_file", json!({"path": "notes.md"})).and_text("I look first."),
        Reply::call("edit_file", edit),
        Reply::text("The port is 9090 now."),
        Reply::call("read_file", json!({"path": "/etc/shadow"})),
        Reply::text("I may not read that file."),
        Reply::text("Good morning."),
        Reply::call("write_file", note),
        Reply::text("Noted."),
    ]
}

fn snapshot() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/data/commands.txt"))
}

#[test]
fn the_snapshot_of_all_commands_reads_as_agreed() {
    let mut tour = Tour::new(Scene {
        house: House::new(),
        server: testkit::Server::openai(replies()),
    });
    setup(&mut tour);
    work(&mut tour);
    sessions(&mut tour);
    undo(&mut tour);
    policy(&mut tour);
    tool_tables(&mut tour);
    memory(&mut tour);
    audit(&mut tour);
    secrets(&mut tour);
    tokens(&mut tour);
    mistakes(&mut tour);
    let file = snapshot();
    if std::env::var_os("CARL_BLESS").is_some() {
        fs::write(&file, tour.text()).unwrap();
    }
    let kept = fs::read_to_string(&file).unwrap_or_default();
    for (number, (is, was)) in tour.text().lines().zip(kept.lines()).enumerate() {
        assert_eq!(is, was, "line {}; cargo xtask bless", number + 1);
    }
    assert_eq!(tour.text(), kept, "cargo xtask bless");
}

fn setup(tour: &mut Tour) {
    tour.part("Setting up");
    let _made = tour.run(&["init"]).expect(0);
    let _there = tour.run(&["init"]);
    let _none = tour.run(&["quality"]).expect(0);
    let _none = tour.run(&["quality", "routes"]).expect(0);
    let _none = tour.run(&["quality", "rebuild"]).expect(0);
    // What is recalled in time must not depend on how busy the machine is.
    let config = tour.scene.server.config("openai") + "\n[memory]\nrecall_ms = 10000\n";
    tour.scene.house.configure(&config);
    tour.scene
        .house
        .write("notes.md", "# Notes\n\nThe port is 8080.\n");
    tour.scene.house.write("AGENTS.md", "Be brief.\n");
    let _shown = tour.run(&["config", "show"]).expect(0);
    let _listed = tour.run(&["models"]).expect(0);
    let _listed = tour.run(&["agents"]).expect(0);
    let _listed = tour.run(&["tools"]).expect(0);
    tour.start(&["serve"], "serving at ");
}

fn work(tour: &mut Tour) {
    tour.part("Working");
    let _answered = tour
        .run(&["run", "which port do the notes name?"])
        .expect(0);
    let change = [&["run"], &WRITES[..], &["set the port to 9090"]].concat();
    let _changed = tour.run(&change).expect(0);
    let _refused = tour.run(&["run", "print /etc/shadow"]);
    let rules = ["run", "--mode", "deterministic"];
    let task = "replace \"9090\" with \"9091\" in notes.md";
    let _changed = tour.run(&[&rules, &WRITES[..], &[task]].concat()).expect(0);
    let _not_understood = tour.run(&[&rules[..], &["make it nicer"]].concat());
    let _a_dash = tour.run_with(&["run", "summarise this", "-"], "good morning\n");
    let _no_terminal = tour.run_with(&["chat"], "good morning\n");
    let _no_terminal = tour.run_with(&["tui"], "good morning\n");
    let said = ["u", "good morning", "/help", "/nonsense", "/quit"];
    at_terminal(tour, &["chat"], &said);
}

/// Runs a command at a terminal, where its questions are answered in this order.
fn at_terminal(tour: &mut Tour, args: &[&str], answers: &[&str]) {
    let carl = tour.scene.house.ask(args.iter().copied());
    let carl = carl.env("TZ", "UTC").env("TERM", "dumb");
    let prompts = ["[i]gnore: ", "message to the agent: ", "[n]o: ", "> "];
    let seen = carl.talking(&prompts, |_, number| {
        answers.get(number).copied().unwrap_or("n").to_owned()
    });
    tour.note(args, &answers.join("\n"), &seen.finished);
}

fn sessions(tour: &mut Tour) {
    tour.part("Sessions");
    for args in [
        &["session", "list"][..],
        &["session", "search", "notes"],
        &["session", "show"],
        &["session", "context"],
        &["session", "compact"],
        &["session", "fork"],
        &["session", "export"],
        &["session", "export", "--out", "notes.md"],
    ] {
        let _seen = tour.run(args);
    }
    let forked = tour.run(&["session", "fork"]).expect(0).stdout;
    tour.run(&["session", "rename", forked.trim(), "a copy"])
        .expect(0);
    let deleted = ["session", "delete", "--yes", forked.trim()];
    let _deleted = tour.run(&deleted).expect(0);
}

fn undo(tour: &mut Tour) {
    tour.part("Taking back");
    for args in [
        &["diff"][..],
        &["diff", "--stat"],
        &["undo", "--print"],
        &["undo"],
        &["undo", "--yes", "write"],
        &["undo", "--yes", "write"],
        &["undo", "--yes", "write"],
    ] {
        let _seen = tour.run(args);
    }
}

fn policy(tour: &mut Tour) {
    tour.part("Policy");
    let write = r#"{"path": "notes.md", "content": "x"}"#;
    at_terminal(tour, &["run", "note hello"], &["maybe", "r"]);
    for args in [
        &["policy", "explain", "coder", "write_file", write][..],
        &[
            "policy",
            "explain",
            "assistant",
            "read_file",
            r#"{"path": "/etc/shadow"}"#,
        ],
        &["policy", "replay"],
        &["policy", "grants"],
        &["policy", "folders"],
        &["policy", "forget", "."],
        &["policy", "trust", "AGENTS.md"],
        &["policy", "trusted"],
        &["policy", "distrust", "AGENTS.md"],
        &["policy", "trusted"],
    ] {
        let _seen = tour.run(args);
    }
}

fn tool_tables(tour: &mut Tour) {
    tour.part("Tools of other programs");
    tour.scene.house.write("tools.yaml", TABLE);
    tour.scene.house.write("tools.json", definitions());
    let _drafted = tour.run(&["tools", "classify", "tools.json"]);
    let _checked = tour.run(&["tools", "check", "tools.yaml", "--tools", "tools.json"]);
    tour.scene
        .house
        .write("wrong.yaml", TABLE.replace("effect", "efect"));
    let _checked = tour.run(&["tools", "check", "wrong.yaml"]);
    let begin = json!({"op": "begin", "prompt": "Mail Ada that I am late.",
        "tools": serde_json::from_str::<serde_json::Value>(&definitions()).unwrap()});
    let arguments = json!({"to": "eve@example.org", "body": "late"});
    let check = json!({"op": "check", "id": 1, "tool": "send_mail", "args": arguments});
    let lines = format!("{begin}\n{check}\nnonsense\n");
    let _judged = tour.run_with(&["policy", "serve", "--tools", "tools.yaml"], &lines);
}

fn memory(tour: &mut Tour) {
    tour.part("Memory");
    let tea = [
        "memory",
        "add",
        "Tea is kept in the blue tin.",
        "--tag",
        "kitchen",
    ];
    let added = tour.run(&tea).expect(0);
    let _again = tour.run(&tea);
    let id: String = added
        .stdout
        .split_whitespace()
        .find(|word| word.len() == 36)
        .map(str::to_owned)
        .unwrap_or_else(|| panic!("{added:?}"));
    for args in [
        &["memory", "list"][..],
        &["memory", "list", "--kind", "memory", "--json"],
        &["memory", "search", "where is the tea?", "--limit", "1"],
        &[
            "memory",
            "search",
            "who feeds the cat?",
            "--namespace",
            "project",
        ],
        &["memory", "show", &id],
        &["memory", "export", "kept.jsonl", "--namespace", "user"],
        &["memory", "import", "kept.jsonl"],
        &["memory", "stats"],
        &["memory", "reindex"],
        &["memory", "forget", &id],
        &["memory", "forget", "--yes", &id],
    ] {
        let _seen = tour.run(args);
    }
}

fn audit(tour: &mut Tour) {
    tour.part("The audit log");
    for args in [
        &["audit", "tail", "--lines", "3"][..],
        &["audit", "show", "1"],
        &["audit", "query", "--tool", "edit_file"],
        &[
            "audit",
            "query",
            "--tool",
            "edit_file",
            "--since",
            "yesterday",
        ],
        &[
            "audit",
            "export",
            "--form",
            "csv",
            "--tool",
            "edit_file",
            "--action",
            "intent",
        ],
        &["audit", "verify"],
        &["audit", "anchor"],
        &["audit", "anchor", "--key"],
        &["audit", "archive"],
        &["audit", "archive", "--yes"],
        &["audit", "tail"],
    ] {
        let _seen = tour.run(args);
    }
}

fn tokens(tour: &mut Tour) {
    tour.part("Access tokens");
    let _made = tour.run(&[
        "token",
        "new",
        "phone",
        "--scope",
        "approve",
        "--expires",
        "30d",
    ]);
    let _made = tour.run(&["token", "new", "editor", "--scope", "chat"]);
    let _refused = tour.run(&["token", "new", "editor", "--scope", "chat"]);
    for args in [&["token", "list"] as &[&str], &["token", "list", "--json"]] {
        let _listed = tour.run(args);
    }
    let _revoked = tour.run(&["token", "revoke", "phone"]);
    let _refused = tour.run(&["token", "revoke", "phone"]);
}

fn secrets(tour: &mut Tour) {
    tour.part("Secrets, where no store is configured");
    let _refused = tour.run_with(&["secret", "set", "openai-work"], "not-a-real-key\n");
    for args in [["secret", "list"], ["secret", "unlock"], ["secret", "lock"]] {
        let _refused = tour.run(&args);
    }
    let _refused = tour.run(&["secret", "rm", "openai-work"]);
    let _refused = tour.run(&["secret", "set", "openai-work", "on-the-command-line"]);
}

fn mistakes(tour: &mut Tour) {
    tour.part("Mistakes");
    for args in [
        &["sesion", "list"][..],
        &["run"],
        &["run", "--colour", "hello"],
        &["run", "--mode", "fast", "hello"],
        &["session", "show", "nothing-like-it"],
        &["memory", "show", "zzzz"],
        &["audit", "show", "999999"],
        &["policy", "explain", "cook", "read_file"],
        &["policy", "explain", "coder", "read_fil"],
        &["policy", "explain", "coder", "read_file", "{path}"],
        &["tools", "check", "none.yaml"],
        &["memory", "import", "none.jsonl"],
        &["run", "--input", "none.txt", "what does it say?"],
        &["run", "--agent", "cook", "hello"],
        &["run", "--provider", "none", "hello"],
    ] {
        let _refused = tour.run(args);
    }
    let config = tour.scene.server.config("openai");
    tour.scene
        .house
        .configure(&config.replace("endpoint", "endpont"));
    let _refused = tour.run(&["session", "list"]);
}

/// The commands below one, as its help lists them, without those that only hold others.
fn leaves(house: &House, above: &[String]) -> Vec<String> {
    let asked = above.iter().map(String::as_str).chain(["--help"]);
    let help = house.ask(asked).run().expect(0).stdout;
    let Some((_, below)) = help.split_once("\nCommands:\n") else {
        return vec![above.join(" ")];
    };
    let names = below
        .lines()
        .take_while(|line| !line.is_empty())
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next());
    let below = names.flat_map(|name| leaves(house, &[above, &[name.to_owned()]].concat()));
    below.collect()
}

#[test]
fn every_command_is_shown_or_left_out_for_a_reason() {
    let all: BTreeSet<String> = leaves(&House::new(), &[]).into_iter().collect();
    assert!(all.len() > 40, "{all:?}");
    let text = fs::read_to_string(snapshot()).unwrap();
    let is_shown = |command: &str| {
        let typed = format!("$ carl {command}");
        let mut lines = text.lines();
        lines.any(|line| {
            line.strip_prefix(&typed).is_some_and(|rest| {
                !rest.starts_with('-') && (rest.is_empty() || rest.starts_with(' '))
            })
        })
    };
    for command in &all {
        let is_left_out = LEFT_OUT.iter().any(|(one, _)| one == command);
        assert!(
            is_shown(command) != is_left_out,
            "`carl {command}` is neither in data/commands.txt nor left out for a reason, or both"
        );
    }
    for (command, _) in LEFT_OUT {
        assert!(all.contains(command), "there is no `carl {command}`");
    }
}
