//! `apply_patch`: several files by one call, with one question, taken back as one step.

use scenarios::{Outcome, Scene, of_kind};
use serde_json::json;
use testkit::flags::CHANGES;
use testkit::{Reply, Server};

/// Two files that change and one in a folder that is not there.
const PATCH: &str = "--- a/src/one.rs\n+++ b/src/one.rs\n@@ -1,2 +1,2 @@\n fn one() {\n-    draft();\n+    \
                     done();\n--- a/two.txt\n+++ b/two.txt\n@@ -1 +1 @@\n-draft\n+final\n--- \
                     /dev/null\n+++ b/notes/deep/new.md\n@@ -0,0 +1 @@\n+# New\n";

fn patch(text: &str) -> Reply {
    Reply::call("apply_patch", json!({"patch": text}))
}

/// A house with two files, and a model that makes these patches, one after the other.
fn scene(patches: &[&str]) -> Scene {
    let calls = patches.iter().map(|text| patch(text));
    let scene = Scene::new(calls.chain([Reply::text("That is all.")]));
    scene
        .house
        .write("src/one.rs", "fn one() {\n    draft();\n}\n");
    scene.house.write("two.txt", "draft\r\nlast\r\n");
    scene
}

fn run(scene: &Scene) -> Outcome {
    scene.run(&[&CHANGES[..], &["change them"]].concat())
}

fn assert_as_before(scene: &Scene) {
    let one = scene.house.read("src/one.rs");
    assert_eq!(one, "fn one() {\n    draft();\n}\n");
    assert_eq!(scene.house.read("two.txt"), "draft\r\nlast\r\n");
    assert!(!scene.house.has("notes"));
}

fn assert_changed(scene: &Scene) {
    let one = scene.house.read("src/one.rs");
    assert_eq!(one, "fn one() {\n    done();\n}\n");
    assert_eq!(scene.house.read("two.txt"), "final\r\nlast\r\n");
    assert_eq!(scene.house.read("notes/deep/new.md"), "# New\n");
}

#[test]
fn one_question_shows_all_files_of_a_patch_and_one_undo_takes_them_back() {
    let scene = scene(&[PATCH]);
    let carl = ["run", "--agent", "coder", "--allow-write", "."];
    let carl = scene.house.ask(carl).arg("change them");
    let attended = carl.at_terminal(|_, _| "y".to_owned());
    assert_eq!(attended.finished.code, Some(0), "{attended:#?}");
    let [question] = attended.questions.as_slice() else {
        panic!("{attended:#?}");
    };
    assert!(
        question.contains("apply_patch (effect: write)"),
        "{question}"
    );
    // The model gave the patch alone; the files are told from it.
    let work = scene.house.work();
    for file in ["src/one.rs", "two.txt", "notes/deep/new.md"] {
        let path = work.join(file);
        let mut lines = question.lines().map(str::trim);
        assert!(lines.any(|line| path.as_os_str() == line), "{question}");
    }
    // One diff: below the call, each file once and in the order of the patch.
    let (_, mut diff) = question.split_once("make the folder ").unwrap();
    for part in [
        "--- a/src/one.rs",
        "-    draft();",
        "+    done();",
        "--- a/two.txt",
        "-draft",
        "+final",
        "+++ b/notes/deep/new.md",
        "+# New",
    ] {
        let found = diff.split_once(part);
        diff = found.unwrap_or_else(|| panic!("{part}\n{question}")).1;
    }
    assert!(!diff.contains("+++ "), "{question}");
    assert!(question.contains("In short: apply_patch"), "{question}");
    let screen = format!("{}{}", attended.finished.stdout, attended.finished.stderr);
    for (verb, file) in [
        ("changed", "src/one.rs"),
        ("changed", "two.txt"),
        ("created", "notes/deep/new.md"),
    ] {
        let line = format!("{verb} {}", work.join(file).display());
        assert!(screen.contains(&line), "{line}\n{screen}");
    }
    assert_changed(&scene);
    let shown = scene.house.ask(["diff", "--stat"]).run().expect(0).stdout;
    assert_eq!(shown.lines().count(), 3, "{shown}");
    let undo = scene.house.ask(["undo"]);
    let attended = undo.at_terminal(|_, _| "y".to_owned());
    let [question] = attended.questions.as_slice() else {
        panic!("{attended:#?}");
    };
    let short = question.rsplit_once("In short: ").unwrap().1;
    for file in ["src/one.rs", "two.txt", "notes/deep/new.md"] {
        let path = work.join(file);
        assert!(short.contains(path.to_str().unwrap()), "{question}");
    }
    assert_as_before(&scene);
    let nothing = scene.house.ask(["undo"]).run();
    assert_eq!(nothing.code, Some(2), "{nothing:#?}");
}

#[test]
fn a_chat_takes_a_patch_back_as_one_change_with_its_exchange() {
    for command in ["/undo", "/rewind 1"] {
        let scene = scene(&[PATCH]);
        let mut lines = ["change them", command, "/diff", "/quit"].into_iter();
        let chat = ["chat", "--mode", "loop"];
        let chat = scene.house.ask(chat).args(CHANGES).env("TERM", "dumb");
        let talk = chat.talking(&["> "], |_, _| lines.next().unwrap_or("/quit").to_owned());
        let screen = format!("{}{}", talk.finished.stdout, talk.finished.stderr);
        let told = "taken back: change them (1 file change taken back)";
        assert!(screen.contains(told), "{command}: {screen}");
        assert!(
            screen.contains("changed no file, or took it all back"),
            "{command}: {screen}"
        );
        assert_as_before(&scene);
    }
}

#[test]
fn an_agent_takes_its_patch_back_as_one_change() {
    let scene = Scene::new([
        patch(PATCH),
        Reply::call("undo", json!({})),
        Reply::text("Taken back."),
    ]);
    scene
        .house
        .write("src/one.rs", "fn one() {\n    draft();\n}\n");
    scene.house.write("two.txt", "draft\r\nlast\r\n");
    run(&scene).assert_ends(0, "success");
    let told = scene.told();
    assert!(told.contains("Undid apply_patch of "), "{told}");
    assert!(told.contains("0 more can be undone"), "{told}");
    assert_as_before(&scene);
}

#[test]
fn undo_leaves_one_file_of_a_patch_and_takes_back_the_others() {
    let scene = scene(&[PATCH]);
    run(&scene).assert_ends(0, "success");
    scene.house.write("two.txt", "mine\n");
    let refused = scene.house.ask(["undo", "--yes", "write"]).run().expect(4);
    assert!(refused.stderr.contains("two.txt"), "{refused:#?}");
    assert!(scene.house.read("src/one.rs").contains("done"));
    let undo = scene.house.ask(["undo", "--yes", "write"]);
    let attended = undo.typing(&["[y/N] "], |_, _| "y".to_owned());
    assert_eq!(attended.finished.code, Some(0), "{attended:#?}");
    let question = "take back the other files of that change?";
    assert!(attended.finished.stderr.contains(question), "{attended:#?}");
    assert_eq!(scene.house.read("two.txt"), "mine\n");
    assert!(scene.house.read("src/one.rs").contains("draft"));
    assert!(!scene.house.has("notes"));
}

#[test]
fn a_patch_that_does_not_fit_changes_nothing_and_names_file_and_place() {
    let second = "*** Begin Patch\n*** Update File: src/one.rs\n@@\n-    draft();\n+    done();\n*** Update \
                  File: two.txt\n@@\n-draft\n+final\n@@\n-gone\n+here\n*** End Patch\n";
    let scene = scene(&[second]);
    let outcome = run(&scene);
    let told = scene.told();
    assert!(
        told.contains("Change 2 of 2: The text is not in `two.txt`."),
        "{told}"
    );
    assert!(told.contains("No file of the patch was changed."), "{told}");
    let results = of_kind(&scene.log(&outcome), "tool_result").len();
    assert_eq!(results, 1);
    assert_as_before(&scene);
}

#[test]
fn a_patch_that_fails_on_its_way_leaves_no_file_changed() {
    // Only the disk tells that the third file has no place beside the second.
    let text = "*** Begin Patch\n*** Update File: src/one.rs\n@@\n-    draft();\n+    done();\n*** Add File: \
                notes\n+a file\n*** Add File: notes/new.md\n+# New\n*** Update File: \
                two.txt\n@@\n-draft\n+final\n*** End Patch\n";
    let scene = scene(&[text]);
    let outcome = run(&scene);
    assert_eq!(outcome.calls()[0]["status"], "failed", "{outcome:#?}");
    let told = scene.told();
    assert!(told.contains("No file of the patch was changed."), "{told}");
    assert_as_before(&scene);
    let undo = scene.house.ask(["undo", "--yes", "write"]).run();
    assert_ne!(undo.code, Some(0), "{undo:#?}");
}

#[test]
fn each_form_of_a_patch_is_applied() {
    let blocks = "src/one.rs\n```rust\n<<<<<<< SEARCH\n    draft();\n=======\n    done();\n>>>>>>> \
                  REPLACE\n```\n\ntwo.txt\n<<<<<<< SEARCH\ndraft\n=======\nfinal\n>>>>>>> \
                  REPLACE\n\nnotes/deep/new.md\n<<<<<<< SEARCH\n=======\n# New\n>>>>>>> REPLACE\n";
    let envelope = "*** Begin Patch\n*** Update File: src/one.rs\n@@ fn one() {\n-    draft();\n+    \
                    done();\n*** Update File: two.txt\n@@\n-draft\n+final\n*** Add File: \
                    notes/deep/new.md\n+# New\n*** End Patch\n";
    let git = format!("diff --git a/src/one.rs b/src/one.rs\nindex 1..2 100644\n{PATCH}");
    for text in [PATCH, blocks, envelope, &git] {
        let scene = scene(&[text]);
        run(&scene).assert_ends(0, "success");
        assert_changed(&scene);
        let undo = scene.house.ask(["undo", "--yes", "write"]);
        undo.run().expect(0);
        assert_as_before(&scene);
    }
}

#[test]
fn a_deletion_or_rename_by_a_patch_names_the_tool_for_it() {
    for (text, tool) in [
        (
            "*** Begin Patch\n*** Delete File: two.txt\n*** End Patch\n",
            "use delete_file",
        ),
        (
            "--- a/two.txt\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-draft\n-last\n",
            "use delete_file",
        ),
        (
            "diff --git a/two.txt b/three.txt\nrename from two.txt\nrename to three.txt\n",
            "use move_file",
        ),
        (
            "*** Begin Patch\n*** Update File: two.txt\n*** Move to: three.txt\n*** End Patch\n",
            "use move_file",
        ),
    ] {
        let scene = scene(&[text]);
        let outcome = run(&scene);
        assert_eq!(outcome.calls()[0]["status"], "failed", "{outcome:#?}");
        let told = scene.told();
        assert!(told.contains(tool), "{told}");
        assert_as_before(&scene);
    }
}

#[test]
fn the_events_tell_the_files_that_a_patch_names() {
    let all = json!(["src/one.rs", "two.txt", "notes/deep/new.md"]);
    // Left out, or as good as that, and as it stands in the patch.
    for given in [
        json!({"patch": PATCH}),
        json!({"patch": PATCH, "files": null}),
        json!({"patch": PATCH, "files": []}),
        json!({"patch": PATCH, "files": all}),
    ] {
        let scene = Scene {
            server: Server::openai([
                Reply::call("apply_patch", given),
                Reply::text("That is all."),
            ]),
            ..scene(&[])
        };
        scene.house.configure(&scene.server.config("openai"));
        let outcome = run(&scene);
        outcome.assert_ends(0, "success");
        let log = scene.log(&outcome);
        let requested = of_kind(&log, "tool_requested");
        assert_eq!(requested[0]["arguments"]["files"], all);
        assert_changed(&scene);
    }
}
