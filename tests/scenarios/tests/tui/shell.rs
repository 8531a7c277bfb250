//! Lines for the shell that a user types behind `!`, and files that a message names.

use crate::{ANSWER, answers, seat, status};
use scenarios::{Scene, of_kind};
use serde_json::Value;
use testkit::{Gate, House, Reply, Server, TMUX, Window, is_absent};

/// An agent that runs programs, in loop mode.
const RUNS: [&str; 4] = ["--agent", "sysadmin", "--mode", "loop"];

fn scene(replies: impl IntoIterator<Item = Reply>) -> Scene {
    Scene::forgetful(Server::openai(replies))
}

/// Waits until nothing is worked on.
fn idle(window: &mut Window) -> String {
    window.until_screen("idle", |screen| status(screen).contains("idle"))
}

/// The events of the one session of a house.
fn log(house: &House) -> Vec<Value> {
    let logs = house.session_logs();
    testkit::house::json_lines(&logs[0])
}

/// What the model was told last, a message each.
fn told(scene: &Scene) -> Vec<Value> {
    let chats = scene.server.chats();
    let last = chats.last().unwrap();
    last.body["messages"].as_array().unwrap().clone()
}

#[test]
fn a_line_for_the_shell_runs_unasked_and_the_agent_reads_it() {
    if is_absent(TMUX) {
        return;
    }
    let scene = scene([Reply::text("Bees, I see.")]);
    let mut window = seat(&scene, &RUNS, (100, 30));
    window.enters("!echo bees; echo honey > made.txt; exit 3");
    window.until("exit code 3");
    let screen = idle(&mut window);
    assert!(screen.contains("> !echo bees"), "{screen}");
    assert!(!screen.contains(ANSWER), "nobody is asked:\n{screen}");
    assert!(scene.server.chats().is_empty(), "no model is asked");
    assert_eq!(scene.house.read("made.txt"), "honey\n");
    window.enters("what did it say?");
    window.until("Bees, I see.");
    // The model has it as a program's output behind a fence, and not as words of the user.
    let messages = told(&scene);
    let texts = messages.iter().filter_map(|one| one["content"].as_str());
    let texts: Vec<&str> = texts.filter(|text| text.contains("bees")).collect();
    assert_eq!(texts.len(), 1, "{messages:#?}");
    let fence = texts[0]
        .find("[TOOL_RESULT: UNTRUSTED run_command")
        .unwrap();
    assert!(fence < texts[0].find("bees").unwrap(), "{}", texts[0]);
    assert!(texts[0].contains("exit code 3"), "{}", texts[0]);
    let last = messages.last().unwrap()["content"].as_str().unwrap();
    assert_eq!(last, "what did it say?");
    // The decision is on record as the user's own.
    let events = log(&scene.house);
    let decided = of_kind(&events, "broker_decision");
    assert_eq!(decided.len(), 1, "{decided:#?}");
    assert!(of_kind(&events, "confirmation_asked").is_empty());
    let kept = scene.house.audit();
    let of_call = |record: &&Value| record["tool"] == "run_command";
    let allowed = kept.iter().filter(of_call);
    assert!(
        allowed.count() >= 3,
        "decision, intent and outcome: {kept:#?}"
    );
}

#[test]
fn escape_stops_a_line_for_the_shell() {
    if is_absent(TMUX) {
        return;
    }
    let scene = scene([Reply::text("It had begun.")]);
    let mut window = seat(&scene, &RUNS, (100, 30));
    window.enters("!echo begun; echo half > made.txt; sleep 600");
    // It says what it says while it runs, as every program does.
    window.until("▎   | begun");
    window.until_screen("the file is there", |_| scene.house.has("made.txt"));
    window.presses(&["Escape"]);
    // What it had done by then is told, to the user and to the agent.
    window.until("✗ stopped after");
    let screen = idle(&mut window);
    assert!(screen.contains("made.txt"), "{screen}");
    let events = log(&scene.house);
    let ended = of_kind(&events, "tool_result");
    assert_eq!(ended[0]["status"], "cancelled", "{ended:#?}");
    assert_eq!(ended[0]["artifacts"].as_array().unwrap().len(), 1);
    window.enters("what did it say?");
    window.until("It had begun.");
    idle(&mut window);
    let messages = told(&scene);
    let told = messages.iter().filter_map(|one| one["content"].as_str());
    assert!(
        told.clone()
            .any(|text| text.contains("stopped by the user") && text.contains("begun")),
        "{messages:#?}"
    );
    // And it is taken back as what a program did to its end.
    window.enters("/rewind 2");
    window.until(ANSWER);
    window.types("y");
    window.until(&format!("{ANSWER} y"));
    window.presses(&["Enter"]);
    window.until("1 file change taken back");
    assert!(!scene.house.has("made.txt"));
}

#[test]
fn what_a_line_has_git_ignore_is_told_and_taken_back_as_well() {
    if is_absent(TMUX) {
        return;
    }
    let scene = scene([]);
    scene.house.write("kept.txt", "kept\n");
    let mut window = seat(&scene, &RUNS, (100, 50));
    window.enters("!echo '*' > .gitignore; echo new > new.txt; echo lost > kept.txt");
    window.until("run_command");
    let screen = idle(&mut window);
    for told in [".gitignore", "new.txt", "kept.txt"] {
        assert!(screen.contains(told), "{told}:\n{screen}");
    }
    window.enters("/undo");
    window.until(ANSWER);
    // What is typed meanwhile waits in sight, and is not sent by itself.
    window.presses(&["Tab"]);
    window.enters("hello");
    window.until("not sent: something is being taken back");
    window.until("> hello");
    // The question has the keys again.
    window.until(ANSWER);
    window.types("y");
    window.until(&format!("{ANSWER} y"));
    window.presses(&["Enter"]);
    window.until("(3 file changes taken");
    assert!(!scene.house.has(".gitignore") && !scene.house.has("new.txt"));
    assert_eq!(scene.house.read("kept.txt"), "kept\n");
    window.until("> hello");
    assert!(scene.server.chats().is_empty());
}

#[test]
fn a_session_that_goes_on_shows_what_a_line_for_the_shell_did() {
    if is_absent(TMUX) {
        return;
    }
    let scene = scene([]);
    let mut window = seat(&scene, &RUNS, (100, 30));
    window.enters("!echo bees; echo honey > made.txt; exit 3");
    window.until("exit code 3");
    idle(&mut window);
    window.enters("/mode deterministic");
    window.until("deterministic ·");
    window.enters("replace nowhere with somewhere in made.txt");
    window.until("The text is not in `made.txt`");
    idle(&mut window);
    window.presses(&["C-d"]);
    window.until_shell();
    let mut window = seat(&scene, &["--resume", "last"], (100, 30));
    let screen = idle(&mut window);
    for shown in [
        "> !echo bees",
        "exit code 3",
        "│ bees",
        "· changed ",
        "The text is not in `made.txt`",
    ] {
        assert!(screen.contains(shown), "{shown}:\n{screen}");
    }
}

#[test]
fn what_the_policy_denies_stays_denied_behind_the_mark() {
    if is_absent(TMUX) {
        return;
    }
    let off = ["--agent", "sysadmin", "--disable-tool", "run_command"];
    for (args, layer) in [
        (&["--agent", "researcher"][..], "manifest"),
        (&off, "session"),
    ] {
        let scene = scene([]);
        let mut window = seat(&scene, args, (100, 30));
        window.enters("!touch made.txt");
        window.until(layer);
        let screen = idle(&mut window);
        assert!(!screen.contains(ANSWER), "{screen}");
        assert!(!scene.house.has("made.txt"), "{screen}");
    }
}

#[test]
fn a_line_for_the_shell_waits_its_turn_and_can_be_edited() {
    if is_absent(TMUX) {
        return;
    }
    let gate = Gate::new();
    let scene = scene([Reply::text("Begun.\n\n").and_wait(&gate).and_text("Done.")]);
    let mut window = seat(&scene, &RUNS, (100, 30));
    window.enters("go");
    window.until("Begun.");
    window.enters("!touch one.txt");
    window.until("waiting (Ctrl+X");
    window.presses(&["C-x"]);
    window.until_screen("the line in the input", |screen| {
        screen.contains("\n> !touch one.txt") && !screen.contains("waiting (Ctrl+X")
    });
    assert!(!scene.house.has("one.txt"));
    window.types(" two.txt");
    window.presses(&["Enter"]);
    gate.open();
    window.until("Done.");
    window.until("run_command");
    idle(&mut window);
    assert!(scene.house.has("one.txt") && scene.house.has("two.txt"));
    // What was typed before comes back by the arrow keys, and /retry says no message of it.
    window.enters("/retry");
    window.until("a line for the shell");
    assert_eq!(scene.server.chats().len(), 1);
}

#[test]
fn a_line_for_the_shell_is_offered_and_in_the_help() {
    if is_absent(TMUX) {
        return;
    }
    let scene = scene([]);
    let mut window = seat(&scene, &RUNS, (100, 40));
    window.types("!");
    window.until("run a line for the shell");
    window.presses(&["C-c"]);
    window.until_gone("run a line for the shell");
    window.types("?");
    window.until("closes");
    for _ in 0..20 {
        window.presses(&["PageDown"]);
    }
    window.until("run a line for the shell");
}

#[test]
fn the_text_of_a_file_that_a_message_names_goes_along() {
    if is_absent(TMUX) {
        return;
    }
    let scene = scene([Reply::text("About quokkas.")]);
    scene.house.write("notes.md", "quokka\n");
    scene.house.write("docs/a.txt", "x");
    let secret = scene.house.home().join(".ssh/id_ed25519");
    std::fs::create_dir_all(secret.parent().unwrap()).unwrap();
    std::fs::write(&secret, "PRIVATE wombat").unwrap();
    let mut window = seat(&scene, &["--mode", "loop"], (100, 40));
    window.enters("what is in @notes.md, @docs and @~/.ssh/id_ed25519?");
    window.until("About quokkas.");
    let screen = idle(&mut window);
    // A file that is refused is said with its layer, and nothing of it goes along.
    assert!(screen.contains("path"), "{screen}");
    let messages = told(&scene);
    let last = messages.last().unwrap()["content"].as_str().unwrap();
    assert!(last.contains("[TOOL_RESULT: UNTRUSTED read_file"), "{last}");
    assert!(last.contains("quokka") && last.contains("a.txt"), "{last}");
    assert!(last.ends_with("@~/.ssh/id_ed25519?"), "{last}");
    let all = Value::from(messages).to_string();
    assert!(!all.contains("wombat"), "{all}");
}

#[test]
fn of_a_long_file_as_much_goes_along_as_there_is_room_for() {
    if is_absent(TMUX) {
        return;
    }
    let scene = scene([Reply::text("Long."), Reply::text("Longer.")]);
    let lines: String = (1..=4_000).map(|n| format!("line {n}\n")).collect();
    scene.house.write("long.txt", &lines);
    scene.house.write("wide.txt", "x".repeat(300_000));
    let args = ["--mode", "loop", "--context-tokens", "8192"];
    let mut window = seat(&scene, &args, (100, 30));
    window.enters("what is in @long.txt?");
    window.until("of 4000 lines go along");
    window.until("Long.");
    idle(&mut window);
    let said = told(&scene).pop().unwrap()["content"].to_string();
    assert!(
        said.contains("line 1\\n") && !said.contains("line 4000"),
        "{said}"
    );
    window.enters("and in @wide.txt?");
    window.until("Longer.");
    let screen = idle(&mut window);
    assert!(screen.contains("wide.txt"), "{screen}");
    let answered = told(&scene).pop().unwrap()["content"].to_string();
    assert!(answered.chars().count() < 30_000, "{}", answered.len());
}

#[test]
fn a_file_from_elsewhere_is_asked_about_before_it_goes_along() {
    if is_absent(TMUX) {
        return;
    }
    let scene = scene([Reply::text("Nothing there.")]);
    let other = scene.house.home().join("elsewhere.txt");
    std::fs::write(&other, "wombat").unwrap();
    let mut window = seat(&scene, &["--mode", "loop"], (100, 40));
    window.enters("what is in @~/elsewhere.txt?");
    let screen = window.until_screen("a question or a refusal", |screen| {
        screen.contains(ANSWER) || screen.contains("Nothing there.")
    });
    if screen.contains(ANSWER) {
        answers(&mut window, "n");
        window.until("Nothing there.");
    }
    idle(&mut window);
    let all = Value::from(told(&scene)).to_string();
    assert!(!all.contains("wombat"), "{all}");
}
