//! The checks of a project: what its `.housecarl.toml` names runs after each batch of changes, once the
//! user accepted that very file.

use scenarios::{Outcome, Scene, of_kind};
use serde_json::{Value, json};
use testkit::Reply;

const CHECK: &str = "if grep -q wrong a.txt b.txt; then echo 'a word is wrong'; exit 1; fi\n\
                     echo ran >> runs.txt\n";
const OPEN: [&str; 5] = ["--allow-write", ".", "--yes", "write", "mend it"];

fn edit(path: &str, old: &str, new: &str) -> (&'static str, Value) {
    ("edit_file", json!({"path": path, "old": old, "new": new}))
}

/// A project with two files and a check of both; the model changes both, then one of them again.
fn project(accepts: bool) -> (Scene, String) {
    let ((tool, a), (_, b)) = (edit("a.txt", "one", "wrong"), edit("b.txt", "two", "three"));
    let (_, mended) = edit("a.txt", "wrong", "right");
    let scene = Scene::new([
        Reply::call(tool, a).and_call(tool, b),
        Reply::call(tool, mended),
        Reply::text("Both are changed, and the check passes."),
    ]);
    scene.house.write("a.txt", "one\n");
    scene.house.write("b.txt", "two\n");
    scene.house.write("check.sh", CHECK);
    scene
        .house
        .write(".housecarl.toml", "check = [\"sh check.sh\"]\n");
    let told = match accepts {
        true => trust(&scene).run().expect(0).stdout,
        false => String::new(),
    };
    (scene, told)
}

fn trust(scene: &Scene) -> testkit::Carl {
    scene.house.ask(["policy", "trust", ".housecarl.toml"])
}

/// What the model was last told before each call but the first.
fn told_last(scene: &Scene) -> Vec<String> {
    let chats = scene.server.chats();
    let last = chats.iter().skip(1).map(|chat| {
        let messages = chat.body["messages"].as_array().unwrap();
        messages.last().unwrap()["content"].to_string()
    });
    last.collect()
}

fn runs(scene: &Scene, outcome: &Outcome) -> usize {
    let log = scene.log(outcome);
    let requested = of_kind(&log, "tool_requested");
    let runs = requested.iter().filter(|one| one["tool"] == "run_command");
    runs.count()
}

#[test]
fn an_accepted_check_runs_after_each_batch_of_changes_and_the_model_sees_it() {
    let (scene, told) = project(true);
    assert!(told.contains("run in the sandbox"), "{told}");
    assert!(told.contains("  sh check.sh\n"), "{told}");
    let outcome = scene.run(&OPEN);
    outcome.assert_ends(0, "success");
    let told = told_last(&scene);
    let [after_both, after_one] = told.as_slice() else {
        panic!("{told:#?}");
    };
    assert!(
        after_both.contains("A check of the project"),
        "{after_both}"
    );
    assert!(after_both.contains("a word is wrong"), "{after_both}");
    assert!(
        after_both.contains("[TOOL_RESULT: UNTRUSTED"),
        "{after_both}"
    );
    assert!(!after_one.contains("a word is wrong"), "{after_one}");
    assert_eq!(runs(&scene, &outcome), 2, "once a batch");
    assert_eq!(scene.house.read("runs.txt"), "ran\n", "it may write here");
    assert!(of_kind(&scene.log(&outcome), "confirmation_asked").is_empty());
}

#[test]
fn a_check_that_nobody_accepted_does_not_run_and_that_is_said() {
    let (scene, _) = project(false);
    let outcome = scene.run(&OPEN);
    let said = &outcome.finished.stderr;
    assert!(said.contains("do not run: you have not accepted this version"));
    assert!(said.contains("carl policy trust "), "{said}");
    assert_eq!(runs(&scene, &outcome), 0);
    // Another version is another file.
    let (scene, _) = project(true);
    scene
        .house
        .write(".housecarl.toml", "check = [\"sh check.sh now\"]\n");
    assert_eq!(runs(&scene, &scene.run(&OPEN)), 0);
    // What the user takes back runs no more.
    let (scene, _) = project(true);
    let taken_back = scene.house.ask(["policy", "distrust", ".housecarl.toml"]);
    taken_back.run().expect(0);
    assert_eq!(runs(&scene, &scene.run(&OPEN)), 0);
}

#[test]
fn a_yes_to_a_check_is_one_to_no_other_program() {
    let run = |argv: &[&str]| Reply::call("run_command", json!({"argv": argv}));
    let elsewhere = json!({"argv": ["sh", "check.sh"], "cwd": "sub"});
    let scene = Scene::new([
        run(&["sh", "check.sh"]),
        run(&["sh", "check.sh", "x"]),
        run(&["sh", "other.sh"]),
        Reply::call("run_command", elsewhere),
        Reply::text("I ran what I could."),
    ]);
    scene.house.write("a.txt", "one\n");
    scene.house.write("b.txt", "two\n");
    scene.house.write("sub/check.sh", "echo sub > ../sub.txt\n");
    scene.house.write("check.sh", CHECK);
    scene.house.write("other.sh", "echo other > other.txt\n");
    scene
        .house
        .write(".housecarl.toml", "check = [\"sh check.sh\"]\n");
    trust(&scene).run().expect(0);
    let outcome = scene.run(&["run what you like"]);
    let status: Vec<&Value> = outcome.calls().iter().map(|call| &call["status"]).collect();
    assert_eq!(status, ["ok", "denied", "denied", "denied"], "{outcome:#?}");
    assert!(!scene.house.has("other.txt") && !scene.house.has("sub.txt"));
}

#[test]
fn a_check_that_is_none_is_named_with_its_file() {
    let scene = Scene::new([Reply::text("Hello.")]);
    for (check, why) in [
        ("cargo check && cargo test", "is a line for a shell"),
        ("cargo 'check", "has a quote that is not closed"),
        ("", "is empty"),
    ] {
        let text = format!("check = [\"{check}\"]\n");
        scene.house.write(".housecarl.toml", &text);
        for told in [scene.house.ask(["run", "hello"]), trust(&scene)] {
            let told = told.run().expect(2).stderr;
            assert!(
                told.contains(why) && told.contains(".housecarl.toml"),
                "{told}"
            );
        }
    }
    scene.house.write(
        ".housecarl.toml",
        "check = [\"a\", \"b\", \"c\", \"d\", \"e\", \"f\"]\n",
    );
    let told = trust(&scene).run().expect(2).stderr;
    assert!(told.contains("check has 6, at most 5"), "{told}");
}

#[test]
fn a_check_runs_in_its_own_folder_alone() {
    let (scene, _) = project(true);
    scene.house.write("sub/check.sh", "echo sub > ran.txt\n");
    scene.house.write("sub/a.txt", "one\n");
    let run = scene.run(&[&["-C", "sub"], &OPEN[..]].concat());
    let said = &run.finished.stderr;
    assert!(said.contains("run in its own folder alone"), "{said}");
    assert!(!scene.house.has("sub/ran.txt"));
}

/// A project whose check looks for a wrong word; without a model.
fn small_project() -> Scene {
    let scene = Scene::new([]);
    scene.house.write("a.txt", "one\n");
    scene.house.write("b.txt", "two\n");
    scene.house.write("check.sh", CHECK);
    scene
        .house
        .write(".housecarl.toml", "check = [\"sh check.sh\"]\n");
    trust(&scene).run().expect(0);
    scene
}

fn order(scene: &Scene, says: &str) -> testkit::Finished {
    let args = ["run", "--mode", "deterministic"];
    let open = ["--allow-write", ".", "--yes", "write"];
    scene.house.ask(args).args(open).arg(says).run()
}

#[test]
fn an_accepted_check_runs_after_an_order_to_the_rules_and_its_end_is_told() {
    let scene = small_project();
    let done = order(&scene, "replace one with three in a.txt").expect(0);
    assert_eq!(scene.house.read("a.txt"), "three\n");
    assert_eq!(scene.house.read("runs.txt"), "ran\n", "{done:#?}");
    let passed = "The project's check `sh check.sh` passed.";
    assert!(done.stdout.contains(passed), "{done:#?}");
    let looked = order(&scene, "show a.txt").expect(0);
    assert!(!looked.stdout.contains("check"), "{looked:#?}");
    assert_eq!(scene.house.read("runs.txt"), "ran\n", "a look is no change");
    // What fails takes no change back.
    let failed = order(&scene, "replace three with wrong in a.txt").expect(3);
    assert_eq!(scene.house.read("a.txt"), "wrong\n");
    for told in [
        "check `sh check.sh` failed with exit code 1, at last with `a word is wrong`. The change stands.",
        "[plan.check_failed]",
        "`carl undo` takes the change back",
    ] {
        assert!(failed.stderr.contains(told), "{told}: {failed:#?}");
    }
    scene.house.ask(["undo", "--yes", "write"]).run().expect(0);
    assert_eq!(scene.house.read("a.txt"), "three\n");
}

#[test]
fn no_check_runs_after_an_undo_which_brings_back_what_stood_before() {
    let scene = small_project();
    scene.house.write("b.txt", "wrong\n");
    let failed = order(&scene, "replace one with three in a.txt").expect(3);
    assert!(failed.stderr.contains("[plan.check_failed]"), "{failed:#?}");
    // The check fails as before, and nothing is said of a change that stands.
    let undone = scene.house.ask(["undo", "--yes", "write"]).run().expect(0);
    assert_eq!(scene.house.read("a.txt"), "one\n");
    for told in ["check", "stands"] {
        assert!(!undone.stdout.contains(told), "{undone:#?}");
        assert!(!undone.stderr.contains(told), "{undone:#?}");
    }
}

#[test]
fn an_accepted_check_runs_after_a_plan_of_a_model() {
    let plan = json!({"intent": "mend", "actions": [
        {"kind": "replace_text", "path": "a.txt", "old": "one", "new": "three"},
    ]});
    let scene = Scene::new([Reply::text(plan.to_string())]);
    for (path, text) in [("a.txt", "one\n"), ("b.txt", "two\n"), ("check.sh", CHECK)] {
        scene.house.write(path, text);
    }
    scene
        .house
        .write(".housecarl.toml", "check = [\"sh check.sh\"]\n");
    let run = scene.run(&[&["--mode", "plan"], &OPEN[..]].concat());
    assert!(!scene.house.has("runs.txt"), "nobody accepted it: {run:#?}");
    let scene = Scene::new([Reply::text(plan.to_string())]);
    for (path, text) in [("a.txt", "one\n"), ("b.txt", "two\n"), ("check.sh", CHECK)] {
        scene.house.write(path, text);
    }
    scene
        .house
        .write(".housecarl.toml", "check = [\"sh check.sh\"]\n");
    trust(&scene).run().expect(0);
    let run = scene.run(&[&["--mode", "plan"], &OPEN[..]].concat());
    run.assert_ends(0, "success");
    assert_eq!(scene.house.read("runs.txt"), "ran\n");
    assert!(run.finished.stdout.contains("check.sh` passed"), "{run:#?}");
}

#[test]
fn what_is_accepted_is_shown_before_and_as_it_is() {
    let scene = Scene::new([]);
    let text = "check = [\"./x.sh \\u001b[2J \\u202ey\"]\n";
    scene.house.write(".housecarl.toml", text);
    let told = trust(&scene).run().expect(0).stdout;
    assert!(
        !told.contains('\u{1b}') && !told.contains('\u{202e}'),
        "{told}"
    );
    let (list, trusted) = (told.find("x.sh").unwrap(), told.find("Trusted:").unwrap());
    assert!(list < trusted, "{told}");
}
