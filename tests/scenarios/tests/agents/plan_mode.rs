//! Plan mode with a scripted planner: approved by hash, run exactly, refused after any change.

use scenarios::{Outcome, Scene, of_kind};
use serde_json::{Value, json};
use testkit::{House, Reply, Server};

fn edit(new: &str) -> Value {
    json!({
        "intent": "Replace draft with another word.",
        "actions": [{"kind": "replace_text", "path": "notes.md", "old": "draft", "new": new}],
    })
}

fn planner(plans: impl IntoIterator<Item = Value>) -> Scene {
    let scene = Scene::new(plans.into_iter().map(|plan| Reply::text(plan.to_string())));
    scene.house.write("notes.md", "Status: draft\n");
    scene
}

const TASK: [&str; 5] = [
    "--mode",
    "plan",
    "--allow-write",
    ".",
    "replace draft with final in notes.md",
];

/// Planning looks at the folder to name real files; nothing else may have run.
fn only_looked(summary: &Value) -> bool {
    let calls = summary["tool_calls"].as_array().unwrap();
    calls.iter().all(|call| call["tool"] == "list_files")
}

fn proposed_hash(scene: &Scene, outcome: &Outcome) -> String {
    let log = scene.log(outcome);
    let proposed = of_kind(&log, "plan_proposed");
    proposed[0]["hash"].as_str().unwrap().to_owned()
}

#[test]
fn nobody_is_asked_about_a_plan_whose_later_step_is_known_to_fail() {
    let plan = json!({
        "intent": "Note the news and mend the notes.",
        "actions": [
            {"kind": "create_file", "path": "news.md", "content": "News\n"},
            {"kind": "replace_text", "path": "notes.md", "old": "nowhere", "new": "there"},
        ],
    });
    let scene = planner([plan]);
    let outcome = scene.run(&TASK);
    outcome.assert_ends(4, "failed");
    assert_eq!(outcome.code(), "plan.would_fail");
    assert!(!scene.house.has("news.md"));
    let told = outcome.summary["error"]["message"].as_str().unwrap();
    assert!(
        told.contains("Step 2 (edit_file): The text is not in "),
        "{told}"
    );
}

#[test]
fn a_plan_waits_for_approval_and_runs_once_approved_by_its_hash() {
    let scene = planner([edit("final"), edit("final")]);
    let first = scene.run(&TASK);
    first.assert_ends(5, "denied");
    assert_eq!(scene.house.read("notes.md"), "Status: draft\n");
    let hash = proposed_hash(&scene, &first);
    let second = scene.run(&[&TASK[..], &["--approve", &hash]].concat());
    second.assert_ends(0, "success");
    assert_eq!(scene.house.read("notes.md"), "Status: final\n");
    let log = scene.log(&second);
    assert_eq!(of_kind(&log, "plan_approved")[0]["hash"], hash.as_str());
    assert_eq!(second.summary["artifacts"].as_array().unwrap().len(), 1);
}

#[test]
fn a_changed_plan_is_not_the_approved_one() {
    let scene = planner([edit("final"), edit("FINAL")]);
    let hash = proposed_hash(&scene, &scene.run(&TASK));
    let changed = scene.run(&[&TASK[..], &["--approve", &hash]].concat());
    changed.assert_ends(5, "denied");
    assert_eq!(scene.house.read("notes.md"), "Status: draft\n");
    assert!(of_kind(&scene.log(&changed), "plan_approved").is_empty());
}

#[test]
fn a_confirmed_effect_runs_the_plan_and_a_refused_class_does_not() {
    let delete = json!({
        "intent": "Delete the notes.",
        "actions": [{"kind": "delete_file", "path": "notes.md"}],
    });
    let scene = planner([delete, edit("final")]);
    let refused = scene.run(&[&TASK[..], &["--yes", "write"]].concat());
    refused.assert_ends(5, "denied");
    assert!(
        scene.house.has("notes.md"),
        "`--yes write` covered a deletion"
    );
    let done = scene.run(&[&TASK[..], &["--yes", "write"]].concat());
    done.assert_ends(0, "success");
    assert_eq!(scene.house.read("notes.md"), "Status: final\n");
}

#[test]
fn a_refused_plan_offers_only_flags_that_help() {
    let delete = json!({
        "intent": "Delete the notes.",
        "actions": [{"kind": "delete_file", "path": "notes.md"}],
    });
    let scene = planner([delete.clone(), delete]);
    let task = ["--mode", "plan", "--allow-write", ".", "tidy up"];
    let refused = scene.run(&[&task[..], &["--yes", "destructive"]].concat());
    refused.assert_ends(5, "denied");
    let message = refused.summary["error"]["message"].as_str().unwrap();
    assert!(message.contains("`--yes` does not cover it"), "{message}");
    assert!(!message.contains("--yes destructive"), "{message}");
    let hash = proposed_hash(&scene, &refused);
    let approved = scene.run(&[&task[..], &["--approve", &hash]].concat());
    approved.assert_ends(0, "success");
    assert!(!scene.house.has("notes.md"));
}

#[test]
fn a_no_with_words_is_planned_anew_and_a_plain_no_ends() {
    let scene = planner([edit("FINAL"), edit("final"), edit("FINAL")]);
    let mut answers = ["n in small letters, please", "y", "n"].into_iter();
    let mut ask = || {
        let task = "replace draft with final in notes.md";
        let carl = scene.house.ask(["run", "--mode", "plan", task]);
        carl.at_terminal(|_, _| answers.next().unwrap().to_owned())
    };
    let run = ask();
    assert_eq!(run.finished.code, Some(0), "{run:#?}");
    assert_eq!(run.questions.len(), 2, "{run:#?}");
    assert_eq!(scene.house.read("notes.md"), "Status: final\n");
    let chats = scene.server.chats();
    assert!(!chats[0].body.to_string().contains("small letters"));
    assert!(chats[1].body.to_string().contains("small letters, please"));
    scene.house.write("notes.md", "Status: draft\n");
    let run = ask();
    assert_eq!(run.finished.code, Some(5), "{run:#?}");
    assert_eq!(run.questions.len(), 1, "{run:#?}");
    assert_eq!(scene.house.read("notes.md"), "Status: draft\n");
}

#[test]
fn a_plan_reads_a_document_as_text() {
    let read = json!({
        "intent": "Read the paper.",
        "actions": [{"kind": "read_file", "path": "paper.pdf"}],
    });
    let scene = planner([read]);
    scene
        .house
        .write("paper.pdf", "%PDF-1.4 no more than its beginning");
    let outcome = scene.run(&["--mode", "plan", "what is in paper.pdf?"]);
    let call = outcome
        .calls()
        .iter()
        .find(|call| call["tool"] != "list_files");
    assert_eq!(
        call.unwrap()["tool"],
        "read_document",
        "{:#}",
        outcome.summary
    );
}

#[test]
fn a_plan_outside_the_schema_is_refused_before_anything_runs() {
    let wild = json!({"intent": "x", "actions": [{"kind": "run_command", "command": "rm -rf /"}]});
    let scene = planner([wild.clone(), wild.clone(), wild.clone(), wild]);
    let outcome = scene.run(&[&TASK[..], &["--yes", "write"]].concat());
    assert_eq!(outcome.finished.code, Some(4), "{:#}", outcome.summary);
    assert!(only_looked(&outcome.summary), "{:#}", outcome.summary);
    assert!(scene.server.chats().len() <= 3, "at most two repairs");
}

#[test]
fn the_planner_is_asked_under_a_schema() {
    let scene = planner([edit("final")]);
    let _outcome = scene.run(&TASK);
    let asked = &scene.server.chats()[0].body;
    assert!(
        asked["response_format"]
            .to_string()
            .contains("replace_text"),
        "{asked}"
    );
}

#[test]
fn without_a_model_plan_mode_fails_with_that_error_and_does_not_fall_back() {
    let house = House::new();
    house.write("notes.md", "Status: draft\n");
    house.configure("[models.discovery]\nenabled = false\nembedded = false\n");
    let finished = house
        .ask(["run", "--json"])
        .args(TASK)
        .args(["--yes", "write"])
        .run();
    assert_eq!(finished.code, Some(4), "{finished:#?}");
    let summary = finished.json();
    assert_eq!(
        summary["error"]["code"], "models.not_configured",
        "{summary:#}"
    );
    assert!(only_looked(&summary), "{summary:#}");
    assert_eq!(house.read("notes.md"), "Status: draft\n");
}

#[test]
fn a_planner_that_fails_is_not_replaced_by_rules() {
    let server = Server::openai([Reply::refuse(400, "{\"error\":{\"message\":\"no\"}}")]);
    let scene = Scene::with(server, "openai");
    scene.house.write("notes.md", "Status: draft\n");
    let outcome = scene.run(&[&TASK[..], &["--yes", "write"]].concat());
    outcome.assert_ends(4, "failed");
    assert_eq!(outcome.code(), "models.rejected");
    assert_eq!(scene.house.read("notes.md"), "Status: draft\n");
}

#[test]
fn a_planner_of_the_users_plans_in_bridge_mode() {
    let house = House::new();
    let reference = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../examples/plan-bridge/bridge.py"
    );
    house.configure(&format!(
        "[bridge]\ncommand = [\"python3\", \"{reference}\"]"
    ));
    house.write("docs/notes.txt", "milk\n");
    let ask = |task| house.ask(["run", "--mode", "bridge", task]).run();
    let shown = ask("show notes.txt").expect(0);
    assert!(shown.stdout.contains("milk"), "{shown:#?}");
    let declined = ask("sing a song").expect(4);
    let words = "I plan only `list` and `show FILE`.";
    assert!(declined.stderr.contains(words), "{declined:#?}");
}

fn makes(count: usize) -> Value {
    let one = |n| json!({"kind": "create_file", "path": format!("z{n}.md"), "content": "hello"});
    json!({"intent": "Create files.", "actions": (0..count).map(one).collect::<Vec<_>>()})
}

#[test]
fn a_plan_has_as_many_steps_as_documented_and_the_limit_is_told() {
    let task = ["--mode", "plan", "--yes", "write", "create the files"];
    let task = [&["--allow-write", "."][..], &task].concat();
    let scene = planner([makes(12)]);
    scene.run(&task).assert_ends(0, "success");
    assert!(scene.house.has("z11.md"));
    let scene = planner([makes(13), makes(13), makes(13)]);
    let outcome = scene.run(&task);
    outcome.assert_ends(4, "failed");
    assert_eq!(outcome.code(), "models.schema_unmet");
    let error = &outcome.summary["error"];
    assert!(error["message"].to_string().contains("more than 12 items"));
    assert!(error["hint"].to_string().contains("loop mode"), "{error}");
    assert!(scene.told().contains("more than 12 items"));
}
