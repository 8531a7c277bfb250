//! The coder at work in a project: it reads, runs the tests, changes a file and runs them again, in the
//! sandbox, without a network and without the user's home.

use scenarios::{Scene, of_kind};
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt as _;
use testkit::{Attended, Reply, is_absent};

const BUG: &str = "pub fn sum(list: &[i32]) -> i32 {\n    list.iter().skip(1).sum()\n}\n\n\
                   #[test]\nfn all_are_counted() {\n    assert_eq!(sum(&[1, 2, 3]), 6);\n}\n";

fn run(command: &str) -> Reply {
    Reply::call("run_command", json!({"command": command}))
}

fn edit(path: &str, old: &str, new: &str) -> Reply {
    let change = json!({"path": path, "old": old, "new": new});
    Reply::call("edit_file", change)
}

fn read(path: &str) -> Reply {
    Reply::call("read_file", json!({"path": path}))
}

fn crate_with_a_bug(replies: impl IntoIterator<Item = Reply>) -> Scene {
    let scene = Scene::new(replies);
    scene.house.give_rust();
    let manifest = "[package]\nname = \"adds\"\nversion = \"0.1.0\"\nedition = \"2021\"\n";
    scene.house.write("Cargo.toml", manifest);
    scene.house.write("src/lib.rs", BUG);
    scene
}

/// Lets the coder work at a terminal; what is asked is answered in turn, and then with no.
fn at_work(scene: &Scene, answers: &[&str]) -> Attended {
    let carl = scene.house.ask(["run", "--agent", "coder", "mend the sum"]);
    carl.at_terminal(|_, asked| (*answers.get(asked).unwrap_or(&"n")).to_owned())
}

/// What a question says of a yes for the session that ended, before it says why.
const ENDED: &str = "Your yes for the session does not count any more: ";

fn results(scene: &Scene) -> Vec<Value> {
    let told = scene.told();
    let last = told.rsplit_once("[{\"role\":\"system\"").unwrap().1;
    let all: Value = serde_json::from_str(&format!("[{{\"role\":\"system\"{last}")).unwrap();
    let messages = all.as_array().unwrap().iter();
    messages
        .filter(|message| message["role"] == "tool")
        .map(|message| message["content"].clone())
        .collect()
}

fn is_question_about(question: &str, what: &str) -> bool {
    question.contains(&format!("In short: {what} (effect:"))
}

#[test]
fn a_failing_test_of_a_crate_is_mended_with_one_question_for_the_program() {
    let scene = crate_with_a_bug([
        read("src/lib.rs"),
        run("cargo test"),
        edit("src/lib.rs", ".skip(1)", ""),
        run("cargo test --quiet 2>&1 | tail -20"),
        Reply::text("The sum counts the first one again, and the test passes."),
    ]);
    let attended = at_work(&scene, &["s", "y"]);
    let [program, change] = attended.questions.as_slice() else {
        panic!("{attended:#?}");
    };
    assert!(is_question_about(program, "run_command"), "{program}");
    assert!(program.contains("`cargo test` in "), "{program}");
    assert!(is_question_about(change, "edit_file"), "{change}");
    assert!(program.contains("(layer safety_gate)."), "{program}");
    assert!(
        change.contains("-    list.iter().skip(1).sum()"),
        "{change}"
    );
    let results = results(&scene);
    let [_, before, _, after] = results.as_slice() else {
        panic!("{results:#?}");
    };
    let (before, after) = (before.as_str().unwrap(), after.as_str().unwrap());
    assert!(before.contains("exit code 101"), "{before}");
    assert!(before.contains("left: 5"), "{before}");
    assert!(after.contains("exit code 0"), "{after}");
    assert!(after.contains("1 passed"), "{after}");
    assert!(!scene.house.read("src/lib.rs").contains("skip"));
}

#[test]
fn a_yes_to_the_tests_with_a_variable_covers_them_again_and_no_other_variable() {
    let scene = crate_with_a_bug([
        read("src/lib.rs"),
        run("RUST_BACKTRACE=1 cargo test 2>&1 | tail -n 30"),
        edit("src/lib.rs", ".skip(1)", ""),
        run("RUST_BACKTRACE=1 cargo test --quiet"),
        run("RUST_BACKTRACE=full cargo test --quiet"),
        run("RUSTC_WRAPPER=./evil cargo test"),
        Reply::text("Done."),
    ]);
    let attended = at_work(&scene, &["s", "y", "n", "n"]);
    let asked: Vec<&str> = attended.questions.iter().map(String::as_str).collect();
    let [first, change, other, evil] = asked.as_slice() else {
        panic!("{attended:#?}");
    };
    assert!(
        first.contains("`RUST_BACKTRACE=1 cargo test` in "),
        "{first}"
    );
    assert!(is_question_about(change, "edit_file"), "{change}");
    assert!(other.contains("RUST_BACKTRACE=full"), "{other}");
    assert!(evil.contains("RUSTC_WRAPPER"), "{evil}");
    assert!(!evil.contains("also with other arguments"), "{evil}");
}

#[test]
fn a_failing_test_of_a_python_project_is_mended() {
    if is_absent("pytest") {
        return;
    }
    let scene = Scene::new([
        read("adds.py"),
        run("pytest -q"),
        edit("adds.py", "numbers[1:]", "numbers"),
        run("python -m pytest -q tests"),
        run("pytest -q tests"),
        Reply::text("Done."),
    ]);
    scene.house.write(
        "adds.py",
        "def add(numbers):\n    return sum(numbers[1:])\n",
    );
    let test = "from adds import add\n\n\ndef test_all():\n    assert add([1, 2, 3]) == 6\n";
    scene.house.write("tests/test_adds.py", test);
    scene.house.write(
        "pyproject.toml",
        "[tool.pytest.ini_options]\npythonpath = [\".\"]\n",
    );
    scene.house.give_pytest();
    let attended = at_work(&scene, &["s", "y", "y"]);
    // The second way to say it is another program.
    let asked: Vec<bool> = attended
        .questions
        .iter()
        .map(|question| is_question_about(question, "run_command"))
        .collect();
    assert_eq!(asked, [true, false, true], "{attended:#?}");
    let results = results(&scene);
    assert!(
        results[1].as_str().unwrap().contains("assert 5 == 6"),
        "{results:#?}"
    );
    for after in &results[3..5] {
        assert!(after.as_str().unwrap().contains("1 passed"), "{results:#?}");
    }
}

#[test]
fn a_failing_test_of_a_typescript_project_is_mended() {
    if is_absent("node-22") {
        return;
    }
    let command = "node --experimental-strip-types --test";
    let scene = Scene::new([
        read("adds.ts"),
        run(command),
        edit("adds.ts", "let total = 1", "let total = 0"),
        run(command),
        Reply::text("Done."),
    ]);
    scene.house.give_node();
    scene
        .house
        .write("package.json", "{\"type\": \"module\"}\n");
    let adds = "export function add(numbers: number[]): number {\n    let total = 1;\n    \
                for (const one of numbers) total += one;\n    return total;\n}\n";
    scene.house.write("adds.ts", adds);
    let test = "import test from \"node:test\";\nimport assert from \"node:assert\";\n\
                import { add } from \"./adds.ts\";\n\
                test(\"all\", () => assert.equal(add([1, 2, 3]), 6));\n";
    scene.house.write("adds.test.ts", test);
    let attended = at_work(&scene, &["s", "y"]);
    assert_eq!(attended.questions.len(), 2, "{attended:#?}");
    let results = results(&scene);
    assert!(
        results[1].as_str().unwrap().contains("# fail 1"),
        "{results:#?}"
    );
    assert!(
        results[3].as_str().unwrap().contains("# fail 0"),
        "{results:#?}"
    );
}

#[test]
fn a_yes_to_the_tests_covers_neither_another_program_nor_other_settings() {
    let scene = crate_with_a_bug([
        read("src/lib.rs"),
        run("cargo test"),
        run("cargo test -q -- --nocapture"),
        run("cargo run"),
        run("cargo test --config build.rustc-wrapper"),
        run("cargo test; touch made"),
        run("cargo check"),
        edit("Cargo.toml", "2021", "2018"),
        run("cargo test"),
        Reply::text("Done."),
    ]);
    let attended = at_work(&scene, &["s", "n", "n", "n", "n", "y", "n"]);
    let asked: Vec<&str> = attended
        .questions
        .iter()
        .map(|question| {
            let short = question.rsplit_once("In short: ").unwrap().1;
            let named = short.split_once("command: ").map(|(_, rest)| rest);
            let named = named.and_then(|rest| rest.split_once(", cwd"));
            named.map_or("edit", |(command, _)| command)
        })
        .collect();
    let expected = [
        "cargo test",
        "cargo run",
        "cargo test --config build.rustc-wrapper",
        "cargo test; touch made",
        "cargo check",
        "edit",
        "cargo test",
    ];
    assert_eq!(asked, expected, "{attended:#?}");
    assert!(!scene.house.work().join("made").exists());
    let why = format!("{ENDED}the settings of this program have changed since.");
    let says_why = |question: &String| question.replace('\n', " ").contains(&why);
    let told: Vec<bool> = attended.questions.iter().map(says_why).collect();
    assert_eq!(told, [false, false, false, false, false, false, true]);
}

#[test]
fn a_question_says_why_a_yes_to_the_same_command_ended() {
    let scene = crate_with_a_bug([
        read("src/lib.rs"),
        run("sh -c 'echo one'"),
        run("sh -c 'echo one'"),
        edit("src/lib.rs", ".skip(1)", ""),
        run("sh -c 'echo one'"),
        run("sh -c 'echo two'"),
        Reply::text("Done."),
    ]);
    let attended = at_work(&scene, &["s", "s", "y", "n", "n"]);
    let why =
        format!("{ENDED}a file was changed, or a program ran that may have changed some since.");
    let says_why = |question: &String| question.replace('\n', " ").contains(&why);
    let told: Vec<bool> = attended.questions.iter().map(says_why).collect();
    assert_eq!(told, [false, false, false, true, false], "{attended:#?}");
}

#[test]
fn a_less_trusted_agent_is_asked_about_the_tests_again() {
    let scene = crate_with_a_bug([
        run("cargo check"),
        read("src/lib.rs"),
        run("cargo check"),
        Reply::text("Done."),
    ]);
    let attended = at_work(&scene, &["s", "n"]);
    // The yes was given before the agent read a file that somebody else may have written.
    assert_eq!(attended.questions.len(), 2, "{attended:#?}");
    let why = format!("{ENDED}the agent has read its first file, or something from outside");
    let again = attended.questions[1].replace('\n', " ");
    assert!(again.contains(&why), "{again}");
}

#[test]
fn a_script_runs_the_tests_without_a_question() {
    let scene = crate_with_a_bug([run("cargo test"), Reply::text("Done.")]);
    let flags = [
        "--agent",
        "coder",
        "--yes",
        "exec",
        "--allow-write",
        ".",
        "test it",
    ];
    let outcome = scene.run(&flags);
    outcome.assert_ends(0, "success");
    let log = scene.log(&outcome);
    let result = of_kind(&log, "tool_result")[0].clone();
    assert!(
        result["text"].as_str().unwrap().contains("1 failed"),
        "{result:#}"
    );
}

#[test]
fn of_a_long_output_the_ends_and_errors_are_shown_and_all_can_be_read() {
    let script = "for n in $(seq 1 3000); do echo \"step $n\"; \
                  [ $n = 1500 ] && echo 'error: disk quota of step 1500'; done; exit 4";
    let page = json!({"job": "output-1", "from_line": 1_000});
    let replies = [
        run(script),
        Reply::call("job_output", page),
        Reply::text("Step 1500 failed."),
    ];
    let scene = Scene::new(replies);
    let attended = at_work(&scene, &["y", "y"]);
    let results = results(&scene);
    let [short, page] = results.as_slice() else {
        panic!("{results:#?} {attended:#?}");
    };
    let (short, page) = (short.as_str().unwrap(), page.as_str().unwrap());
    for has in [
        "exit code 4",
        "step 1\n",
        "error: disk quota",
        "step 3000",
        "left out]",
    ] {
        assert!(short.contains(has), "{has}: {short}");
    }
    assert!(
        !short.contains("step 900\n") && short.len() < 10_000,
        "{}",
        short.len()
    );
    assert!(page.contains("[lines 1000 to 1199 of 3003]"), "{page}");
    assert!(
        page.contains("step 1001\n") && !page.contains("step 900\n"),
        "{page}"
    );
}

#[test]
fn a_call_that_names_no_command_or_two_says_what_to_give() {
    let scene = Scene::new([
        Reply::call("run_command", json!({})),
        Reply::call("run_command", json!({"command": "ls", "argv": ["ls"]})),
        Reply::text("Done."),
    ]);
    let flags = ["--agent", "coder", "--yes", "exec", "list it"];
    let outcome = scene.run(&flags);
    let told = scene.told();
    outcome.assert_ends(3, "partial");
    assert!(
        told.contains("There is no command. Give either `command`"),
        "{told}"
    );
    assert!(
        told.contains("Both `argv` and `command` are given."),
        "{told}"
    );
}

/// A script that changes, makes, deletes and moves, in folders too.
const WORK: &str = "echo two > a.txt; mkdir -p new/deep; echo made > new/deep/b.txt; rm -r old; \
                    echo cache > ignored.log; touch -r /etc/passwd same.txt";

fn folder_with(script: &str) -> Scene {
    let scene = Scene::new([run(script), Reply::text("Done.")]);
    scene.house.write("a.txt", "one\n");
    scene.house.write("old/c.txt", "gone\n");
    scene.house.write("same.txt", "same\n");
    scene.house.write(".gitignore", "*.log\n");
    scene
}

const OPEN: [&str; 7] = [
    "--agent",
    "coder",
    "--yes",
    "exec",
    "--allow-write",
    ".",
    "change it",
];

#[test]
fn what_a_command_changed_is_told_and_taken_back() {
    let scene = folder_with(WORK);
    let outcome = scene.run(&OPEN);
    outcome.assert_ends(0, "success");
    let changed: Vec<String> = outcome.summary["artifacts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|path| {
            path.as_str()
                .unwrap()
                .rsplit_once("/work/")
                .unwrap()
                .1
                .to_owned()
        })
        .collect();
    assert_eq!(
        changed,
        ["old/c.txt", "a.txt", "new/deep/b.txt"],
        "{outcome:#?}"
    );
    assert_eq!(scene.house.read("a.txt"), "two\n");
    assert!(!scene.house.has("old"));
    while scene
        .house
        .carl()
        .args(["undo", "--yes", "write"])
        .run()
        .code
        == Some(0)
    {}
    assert_eq!(scene.house.read("a.txt"), "one\n");
    assert_eq!(scene.house.read("old/c.txt"), "gone\n");
    assert!(!scene.house.has("new"));
    // What git ignores is nobody's work.
    assert!(scene.house.has("ignored.log"));
}

#[test]
fn a_chat_takes_commands_back_with_their_exchanges() {
    let scene = Scene::new([
        run("echo two > a.txt; echo new > d.txt"),
        Reply::text("That was one."),
        run("echo three > a.txt"),
        Reply::text("That was two."),
    ]);
    scene.house.write("a.txt", "one\n");
    let flags = [
        "chat",
        "--agent",
        "coder",
        "--mode",
        "loop",
        "--allow-write",
        ".",
    ];
    let mut seat = scene.house.ask(flags).env("TERM", "xterm").seated();
    seat.until("/help");
    for (request, end) in [("change it", "That was one."), ("again", "That was two.")] {
        seat.types(&format!("{request}\n"));
        seat.until("a message to the agent: ");
        seat.types("y\n");
        seat.until(end);
    }
    assert_eq!(scene.house.read("a.txt"), "three\n");
    seat.types("/rewind 2\n");
    for told in [
        "again (1 file change taken back",
        "change it (2 file changes taken back",
    ] {
        seat.until("  [y]es");
        seat.types("y\n");
        seat.until(&format!("taken back: {told}"));
    }
    seat.types("/rewind 0\n");
    seat.until("is no number of exchanges");
    seat.types("/quit\n");
    assert_eq!(seat.finish().code, Some(0));
    assert_eq!(scene.house.read("a.txt"), "one\n");
    assert!(!scene.house.has("d.txt"));
}

#[test]
fn what_was_there_before_under_another_name_is_never_removed() {
    let script = "mv kept.log kept.txt; mv one.txt real.txt; rm old/c.txt; \
                  echo two > a.txt";
    let scene = folder_with(script);
    scene.house.write("kept.log", "mine\n");
    scene.house.write("one.txt", "first\n");
    let outcome = scene.run(&OPEN);
    outcome.assert_ends(0, "success");
    let told = scene.told();
    let why = "undo does not take back all of what it did: 1 of what it changed was there before \
               under another name";
    assert!(told.contains(why), "{told}");
    for _ in 0..8 {
        let undo = ["undo", "--yes", "write,destructive"];
        let _ended = scene.house.carl().args(undo).run();
    }
    assert_eq!(scene.house.read("a.txt"), "one\n");
    assert_eq!(scene.house.read("old/c.txt"), "gone\n");
    assert_eq!(scene.house.read("kept.txt"), "mine\n");
    // What comes back under its old name leaves the new one.
    assert_eq!(scene.house.read("one.txt"), "first\n");
    assert!(!scene.house.has("real.txt"));
}

#[test]
fn renames_rights_links_and_folders_of_a_command_are_told_and_taken_back() {
    let script = "mv old new; mv one.txt two.txt; echo more >> two.txt; chmod +x a.txt; \
                  ln -s a.txt link; rm gone; mkdir -p empty/inner; ln -s same.txt sub; mkfifo pipe";
    let scene = folder_with(script);
    scene.house.write("one.txt", "first\n");
    let place = scene.house.work().join("a.txt");
    let folder = place.parent().unwrap();
    std::os::unix::fs::symlink("same.txt", folder.join("gone")).unwrap();
    let mode = || place.metadata().unwrap().permissions().mode() & 0o777;
    let before = mode();
    let outcome = scene.run(&OPEN);
    outcome.assert_ends(0, "success");
    let told = scene.told();
    for name in [
        "old/c.txt",
        "new/c.txt",
        "one.txt",
        "two.txt",
        "a.txt",
        "link",
        "gone",
        "empty/inner",
        "sub",
    ] {
        assert!(told.contains(&format!("/work/{name}")), "{name}: {told}");
    }
    assert!(told.contains("is a pipe or the like"), "{told}");
    assert_ne!(mode(), before);
    let diff = scene.house.carl().args(["diff"]).run();
    for name in ["a.txt", "link", "gone", "empty/inner"] {
        let note = format!("note: {name} cannot stand in a patch");
        assert!(diff.stderr.contains(&note), "{diff:#?}");
    }
    let mut seat = scene.house.ask(["diff"]).env("TERM", "xterm").seated();
    seat.until("permissions of a.txt: ");
    drop(seat.finish());
    let undo = ["undo", "--yes", "write,destructive"];
    let undone = scene.house.carl().args(undo).run();
    assert_eq!(undone.code, Some(0), "{undone:#?}");
    assert_eq!(scene.house.read("old/c.txt"), "gone\n");
    assert_eq!(scene.house.read("one.txt"), "first\n");
    assert_eq!(mode(), before);
    let target = std::fs::read_link(folder.join("gone")).unwrap();
    assert_eq!(target, std::path::Path::new("same.txt"));
    for name in ["new", "two.txt", "link", "empty", "sub"] {
        assert!(folder.join(name).symlink_metadata().is_err(), "{name}");
    }
    assert!(folder.join("pipe").symlink_metadata().is_ok());
}

#[test]
fn what_the_user_wrote_between_two_commands_comes_back() {
    let scene = Scene::new([run("echo made > a.txt"), Reply::text("Done.")]);
    scene.house.write("a.txt", "one\n");
    scene.run(&OPEN).assert_ends(0, "success");
    scene.house.write("a.txt", "by hand\n");
    let scene = Scene {
        server: testkit::Server::openai([run("echo made > a.txt"), Reply::text("Done.")]),
        house: scene.house,
    };
    scene.house.configure(&scene.server.config("openai"));
    scene.run(&OPEN).assert_ends(0, "success");
    let undo = scene.house.carl().args(["undo", "--yes", "write"]).run();
    assert_eq!(undo.code, Some(0), "{undo:#?}");
    assert_eq!(scene.house.read("a.txt"), "by hand\n");
}
