//! Programs that a model runs through the shipped `carl`: they do their work, and reach nothing
//! beyond what they were given.

use scenarios::{Outcome, Scene, of_kind};
use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead, BufReader, Read};
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
            Reply::call("run_command", json!({"argv": ["/bin/sh", "-c", script]})),
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

/// A house in which the first call is made with this prepared.
fn prepared(tool: &str, arguments: Value, prepare: impl FnOnce(&Scene)) -> Scene {
    let scene = asks(tool, arguments);
    prepare(&scene);
    scene
}

#[test]
fn every_installed_language_runs() {
    let cases = [
        ("shell", "echo $((40 + 2)); pwd", "sh"),
        ("javascript", "console.log(40 + 2)", "node"),
        ("rust", "fn main() { println!(\"{}\", 40 + 2) }", "rustc"),
    ];
    for (language, code, program) in cases {
        let scene = asks("run_code", json!({"language": language, "code": code}));
        // The tests' own Rust is lent to the house, as its installer would have put it there.
        let lent = std::env::home_dir().unwrap().join(".rustup");
        if lent.join("toolchains").is_dir() {
            std::os::unix::fs::symlink(&lent, scene.house.home().join(".rustup")).unwrap();
        }
        let outcome = scene.run(&["--agent", "coder", "--yes", "exec", "what is 40 + 2?"]);
        let is_installed = ["/usr/bin", "/usr/local/bin"]
            .iter()
            .any(|folder| std::path::Path::new(folder).join(program).exists())
            || language == "rust" && lent.join("toolchains").is_dir();
        if is_installed {
            let text = result(&scene, &outcome);
            assert!(text.contains("42"), "{language}: {text}");
        } else {
            let told = scene.told();
            assert!(told.contains("not installed"), "{language}: {told}");
        }
    }
}

#[test]
fn a_program_is_stopped_when_its_time_is_up() {
    let flags = ["--agent", "sysadmin", "--yes", "exec", "wait"];
    let told = |scene: &Scene| {
        let text = result(scene, &scene.run(&flags));
        assert!(text.contains("stopped after 1 s"), "{text}");
        for key in [
            "timeout_secs",
            "start_job",
            "`command_secs` under `[tools]`",
        ] {
            assert!(text.contains(key), "{key}: {text}");
        }
    };
    told(&asks(
        "run_command",
        json!({"argv": ["/bin/sleep", "1000"], "timeout_secs": 1}),
    ));
    let set = asks("run_command", json!({"command": "sleep 1000"}));
    let config = format!(
        "{}\n[tools]\ncommand_secs = 1\n",
        set.server.config("openai")
    );
    set.house.configure(&config);
    told(&set);
}

#[test]
fn a_script_runs_in_the_working_folder() {
    let text = "read first < notes.txt\necho \"first: $first\"\nfor i in 1 2 3; do echo $i; done | tail -1";
    let scene = prepared("run_command", json!({"command": text}), |scene| {
        scene.house.write("notes.txt", "the notes\n");
    });
    let outcome = scene.run(&["--agent", "sysadmin", "--yes", "exec", "do it"]);
    let text = result(&scene, &outcome);
    assert!(text.contains("first: the notes\n3"), "{text}");
}

#[test]
fn a_picture_is_looked_at_and_a_text_is_none() {
    // The smallest GIF: one pixel.
    let gif =
        b"GIF89a\x01\0\x01\0\x80\0\0\0\0\0\xff\xff\xff,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;";
    let scene = prepared("view_image", json!({"path": "dot.gif"}), |scene| {
        scene.house.write("dot.gif", gif);
    });
    let outcome = scene.run(&["look"]);
    let text = result(&scene, &outcome);
    assert!(text.contains("image/gif, 1 × 1 pixels"), "{text}");
    let scene = prepared("view_image", json!({"path": "dot.gif"}), |scene| {
        scene.house.write("dot.gif", "GIF, honestly");
    });
    let outcome = scene.run(&["look"]);
    assert_eq!(outcome.calls()[0]["status"], "failed");
}

#[test]
fn installing_takes_names_only_and_begins_with_a_trial() {
    let flags = [
        "--agent",
        "sysadmin",
        "--yes",
        "config",
        "--allow-write",
        ".",
    ];
    for name in [
        "--index-url=http://evil",
        "git+https://evil/x",
        "./x",
        "a;b",
    ] {
        let scene = asks(
            "package_install",
            json!({"manager": "pip", "names": [name]}),
        );
        let outcome = scene.run(&[&flags[..], &["install it"]].concat());
        assert_ne!(outcome.calls()[0]["status"], "ok", "{name}");
        assert!(!scene.house.has(".venv"), "{name}");
    }
    let scene = asks(
        "package_install",
        json!({"manager": "apt", "names": ["bash"], "dry_run": false}),
    );
    let outcome = scene.run(&[&flags[..], &["install it"]].concat());
    assert_eq!(outcome.calls()[0]["status"], "failed");
    assert!(
        scene.told().contains("Ask the user to run"),
        "{}",
        scene.told()
    );
    if std::path::Path::new("/usr/bin/apt-get").exists() {
        let scene = asks(
            "package_install",
            json!({"manager": "apt", "names": ["bash"]}),
        );
        let outcome = scene.run(&[&flags[..], &["install it"]].concat());
        let text = result(&scene, &outcome);
        assert!(text.contains("exit code 0"), "{text}");
    }
}

#[test]
fn a_command_sees_nothing_of_housecarls_own_folders() {
    let scene = Scene::new([]);
    let home = scene.house.home();
    fs::write(home.join("plain.txt"), "in plain sight").unwrap();
    let script = format!(
        "cat {0}/plain.txt; find {0} -name '*.jsonl' -o -name 'config.toml' | head; \
         echo evil > {0}/.config/housecarl/agents.yaml; true",
        home.display()
    );
    let scene = Scene {
        server: testkit::Server::openai([
            Reply::call("run_command", json!({"argv": ["/bin/sh", "-c", script]})),
            Reply::text("Done."),
        ]),
        house: scene.house,
    };
    scene.house.configure(&scene.server.config("openai"));
    let outcome = scene.run(&["--agent", "sysadmin", "--yes", "exec", "look around"]);
    let text = result(&scene, &outcome);
    // The home itself may be read by this type of agent; the session log, which exists by then, and
    // the configuration are in it.
    assert!(text.contains("in plain sight"), "{text}");
    assert!(
        !text.contains(".jsonl") && !text.contains("config.toml"),
        "{text}"
    );
    let free = Command::new("find").arg(&home).output().unwrap();
    let free = String::from_utf8_lossy(&free.stdout).into_owned();
    assert!(
        free.contains(".jsonl") && free.contains("config.toml"),
        "{free}"
    );
    assert!(!free.contains("agents.yaml"), "{free}");
}

/// A program that runs for long with a child of its own, and the pipe both hold open.
fn long_program() -> (Scene, std::path::PathBuf) {
    let script = "exec 3> alive; (setsid sleep 1000 &); echo up >&3; sleep 1000";
    let scene = asks("run_command", json!({"argv": ["/bin/sh", "-c", script]}));
    let pipe = scene.house.work().join("alive");
    let made = Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    (scene, pipe)
}

#[test]
fn a_program_is_gone_after_an_interrupt_and_the_chat_stays() {
    let (scene, pipe) = long_program();
    let flags = ["--agent", "sysadmin", "--yes", "exec", "--allow-write", "."];
    let chat = scene.house.ask(["chat"]).args(flags).env("TERM", "xterm");
    let mut seat = chat.at_prompt();
    seat.types("wait\n");
    let mut reader = BufReader::new(fs::File::open(&pipe).unwrap());
    let mut line = String::new();
    reader.read_line(&mut line).unwrap();
    assert_eq!(line, "up\n");
    seat.interrupts();
    // Ends when the last of them is gone; the chat is still there.
    reader.read_to_string(&mut line).unwrap();
    seat.until("interrupted");
    seat.until("> ");
    seat.leaves();
    let log = testkit::house::json_lines(&scene.house.session_logs()[0]);
    assert_eq!(of_kind(&log, "tool_result")[0]["status"], "cancelled");
    assert_eq!(of_kind(&log, "query_finished")[0]["status"], "interrupted");
}

#[test]
fn a_program_dies_with_a_killed_carl() {
    let (scene, pipe) = long_program();
    let flags = [
        "run",
        "--agent",
        "sysadmin",
        "--yes",
        "exec",
        "--allow-write",
        ".",
    ];
    let running = scene.house.ask(flags).arg("wait").spawn();
    // Opening waits for the first writer, reading for the last to go.
    let mut reader = BufReader::new(fs::File::open(&pipe).unwrap());
    let mut line = String::new();
    reader.read_line(&mut line).unwrap();
    assert_eq!(line, "up\n");
    running.kill();
    reader.read_to_string(&mut line).unwrap();
}

#[test]
fn a_program_that_may_not_change_a_place_is_told_whose_it_is() {
    let told = |script: &str, ceiling: &[&str]| {
        let scene = asks("run_command", json!({"argv": ["sh", "-c", script]}));
        fs::create_dir(scene.house.work().join(".git")).unwrap();
        scene.house.write(".git/HEAD", "ref: refs/heads/main\n");
        let args = [
            &["--agent", "sysadmin", "--yes", "exec"],
            ceiling,
            &["do it"],
        ];
        let outcome = scene.run(&args.concat());
        result(&scene, &outcome)
    };
    let open = ["--allow-write", "."];
    let commit = told("echo x > .git/index.lock", &open);
    let place = ".git is a protected place, which no program of an agent changes; the user does";
    assert!(commit.contains(place), "{commit}");
    let closed = told("echo x > a.txt", &[]);
    assert!(closed.contains("not open for writing"), "{closed}");
    // To open the folder would not help.
    for script in [
        "echo x > .git/index.lock",
        "cd .git && echo x > $PWD/index.lock",
    ] {
        let commit = told(script, &[]);
        assert!(commit.contains(place), "{commit}");
    }
    let beside = told("echo x > .gitignore", &[]);
    assert!(beside.contains("not open for writing"), "{beside}");
    for fine in ["echo x > a.txt", "echo Read-only file system >&2"] {
        let fine = told(fine, &open);
        assert!(
            !fine.contains("note: ") || fine.contains("note: changed "),
            "{fine}"
        );
        assert!(!fine.contains("not open"), "{fine}");
    }
}

#[test]
fn a_question_tells_folders_that_are_not_there_apart() {
    let scene = asks("run_command", json!({"argv": ["true"]}));
    let flags = ["run", "--agent", "sysadmin", "--allow-write", ".", "do it"];
    let run = scene.house.ask(flags).at_terminal(|_, _| "n".to_owned());
    let question = &run.questions[0];
    let (_, changed) = question.split_once("; changes ").unwrap();
    let (there, missing) = changed.split_once(" (not there yet: ").unwrap();
    assert_eq!(there, scene.house.work().to_string_lossy(), "{question}");
    let projects = scene.house.home().join("projects");
    assert!(missing.contains(&*projects.to_string_lossy()), "{question}");
    let names = question.matches(&*projects.to_string_lossy()).count();
    assert_eq!(names, 1, "{question}");
    assert!(missing.contains("`undo` takes back"), "{question}");
    // Where the folder is not open, the question is for that as well.
    let flags = ["run", "--agent", "sysadmin", "do it"];
    let run = asks("run_command", json!({"argv": ["true"]}));
    let run = run.house.ask(flags).at_terminal(|_, _| "n".to_owned());
    let question = &run.questions[0];
    assert!(
        question.contains("is not open for writing yet"),
        "{question}"
    );
    assert!(question.contains("; changes /"), "{question}");
}

#[test]
fn a_command_after_the_output_of_another_is_not_approved_in_advance() {
    let command = |word: &str| Reply::call("run_command", json!({"argv": ["/bin/echo", word]}));
    for (flags, ends) in [
        (["--yes", "exec"], ["ok", "denied"]),
        (["--override", "all"], ["ok", "ok"]),
    ] {
        let scene = Scene::new([command("one"), command("two"), Reply::text("Done.")]);
        let outcome = scene.run(&[&["--agent", "sysadmin"][..], &flags, &["echo twice"]].concat());
        let calls = outcome.calls();
        let statuses: Vec<&str> = calls
            .iter()
            .filter_map(|call| call["status"].as_str())
            .collect();
        assert_eq!(statuses, ends, "{:#}", outcome.summary);
    }
}
