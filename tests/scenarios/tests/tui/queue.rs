//! Messages that wait: changed, moved and taken out. Tools that run: stopped.

use crate::{ANSWER, answers, count, first_waits, seat};
use scenarios::crew::two_readers;
use scenarios::of_kind;
use serde_json::json;
use testkit::{Gate, Reply, Server, TMUX, is_absent};

/// What stands above the list of messages that wait.
const QUEUE: &str = "messages that wait, by their place";

#[test]
fn any_message_that_waits_is_edited_or_removed() {
    if is_absent(TMUX) {
        return;
    }
    let (scene, gate) = first_waits();
    let mut window = seat(&scene, &[], (80, 24));
    window.presses(&["F6"]);
    window.until("no message of this window waits");
    window.enters("one");
    window.until("Begun.");
    for text in ["two", "three", "four"] {
        window.enters(text);
        window.until(&format!("takes back): {text}"));
    }
    window.enters("/queue");
    let screen = window.until(QUEUE);
    for row in ["* 1. two", "  2. three", "  3. four"] {
        assert!(screen.contains(row), "{screen}");
    }
    window.types("d");
    window.until_gone("two");
    // The one that was marked is gone, so no key means another.
    window.presses(&["Enter"]);
    window.presses(&["Down"]);
    window.until("* 1. three");
    window.presses(&["Down"]);
    window.until("* 2. four");
    window.presses(&["Up", "Enter"]);
    window.until_screen("three in the input", |screen| screen.contains("\n> three"));
    window.until("taken back: three");
    window.types(" and more");
    window.until("> three and more");
    gate.open();
    window.until("Second.");
    window.until("idle");
    let asked = scene.server.chats().last().unwrap().body.to_string();
    assert!(asked.contains("\"four\""), "{asked}");
    for gone in ["\"two\"", "three"] {
        assert!(!asked.contains(gone), "{asked}");
    }
    window.until("> three and more");
}

#[test]
fn a_marked_message_that_begins_meanwhile_is_left_alone() {
    if is_absent(TMUX) {
        return;
    }
    let (gate, second) = (Gate::new(), Gate::new());
    let scene = scenarios::Scene::forgetful(Server::openai([
        Reply::text("Begun.\n\n").and_wait(&gate).and_text("First."),
        Reply::text("Under way.\n\n")
            .and_wait(&second)
            .and_text("Second."),
        Reply::text("Third."),
    ]));
    let mut window = seat(&scene, &[], (80, 24));
    window.enters("one");
    window.until("Begun.");
    for text in ["two", "three"] {
        window.enters(text);
        window.until(&format!("takes back): {text}"));
    }
    window.presses(&["F6"]);
    window.until("* 1. two");
    gate.open();
    window.until("  1. three");
    // Neither the one that runs by now nor the next is meant.
    window.types("d");
    window.presses(&["Enter", "Escape"]);
    window.until("Under way.");
    second.open();
    window.until("Third.");
    window.until("idle");
    let log = &testkit::house::json_lines(&scene.house.session_logs()[0]);
    let ends = of_kind(log, "query_finished");
    let ended: Vec<_> = ends.iter().map(|one| one["status"].to_string()).collect();
    assert_eq!(count(&ended.concat(), "success"), 3, "{ended:?}");
}

#[test]
fn messages_that_wait_are_moved_and_begin_in_their_new_order() {
    if is_absent(TMUX) {
        return;
    }
    let gate = Gate::new();
    let scene = scenarios::Scene::forgetful(Server::openai([
        Reply::text("Begun.\n\n").and_wait(&gate).and_text("First."),
        Reply::text("Second."),
        Reply::text("Third."),
        Reply::text("Fourth."),
    ]));
    let mut window = seat(&scene, &[], (80, 24));
    window.enters("one");
    window.until("Begun.");
    for text in ["two", "three", "four"] {
        window.enters(text);
        window.until(&format!("takes back): {text}"));
    }
    window.presses(&["F6"]);
    window.until("* 1. two");
    window.types("J");
    window.until("* 2. two");
    window.types("J");
    window.until("* 3. two");
    window.presses(&["Up"]);
    window.until("* 2. four");
    window.presses(&["M-Up"]);
    window.until("* 1. four");
    window.presses(&["Escape"]);
    gate.open();
    window.until("Fourth.");
    let screen = window.until("idle");
    let places = [
        "First.", "> four", "Second.", "> three", "Third.", "> two", "Fourth.",
    ];
    let places = places.map(|part| screen.find(part));
    assert!(
        places.iter().all(Option::is_some) && places.is_sorted(),
        "{screen}"
    );
    // The model sees the conversation as it went.
    let asked = scene.server.chats().last().unwrap().body.to_string();
    let order = ["\"four\"", "\"three\"", "\"two\""].map(|text| asked.find(text));
    assert!(
        order.iter().all(Option::is_some) && order.is_sorted(),
        "{asked}"
    );
}

#[test]
fn a_message_that_is_edited_keeps_its_place() {
    if is_absent(TMUX) {
        return;
    }
    let gate = Gate::new();
    let scene = scenarios::Scene::forgetful(Server::openai([
        Reply::text("Begun.\n\n").and_wait(&gate).and_text("First."),
        Reply::text("Second."),
        Reply::text("Third."),
        Reply::text("Fourth."),
    ]));
    let mut window = seat(&scene, &[], (80, 24));
    window.enters("one");
    window.until("Begun.");
    for text in ["two", "three", "four"] {
        window.enters(text);
        window.until(&format!("takes back): {text}"));
    }
    // Nothing joins a draft.
    window.types("draft");
    window.presses(&["C-x"]);
    window.until("not taken back: the input is not empty");
    window.presses(&["F6"]);
    window.until("* 1. two");
    window.presses(&["Enter"]);
    window.until("the input is not empty: send or empty it first");
    window.presses(&["Escape"]);
    window.until("> draft");
    window.presses(&["C-u"]);
    window.until_gone("> draft");
    window.presses(&["F6"]);
    window.until("* 1. two");
    window.presses(&["Enter"]);
    window.until_screen("two in the input", |screen| screen.contains("\n> two"));
    window.until("taken back: two");
    window.enters(" and more");
    window.until("takes back): two and more");
    window.presses(&["F6"]);
    let screen = window.until("  3. four");
    for row in ["* 1. two and more", "  2. three"] {
        assert!(screen.contains(row), "{screen}");
    }
    window.presses(&["Escape"]);
    gate.open();
    window.until("Fourth.");
    let screen = window.until("idle");
    let places = ["First.", "> two and more", "Second.", "> three", "Third."];
    let places = places.map(|part| screen.find(part));
    assert!(
        places.iter().all(Option::is_some) && places.is_sorted(),
        "{screen}"
    );
}

#[test]
fn tools_are_stopped_and_the_request_goes_on() {
    if is_absent(TMUX) {
        return;
    }
    let scene = scenarios::Scene::forgetful(Server::openai([
        Reply::call(
            "run_command",
            json!({"argv": ["sh", "-c", "touch begun; sleep 600"]}),
        ),
        Reply::text("It was stopped."),
    ]));
    let mut window = seat(&scene, &["--agent", "sysadmin", "--mode", "loop"], (80, 24));
    window.enters("build it");
    window.until(ANSWER);
    // One that waits for an answer does not run.
    window.presses(&["C-k"]);
    window.until("no tool runs that can be stopped");
    answers(&mut window, "y");
    window.until_screen("the program begins", |_| scene.house.has("begun"));
    // In a draft the key is an editor's.
    window.types("later on");
    window.presses(&["C-a", "C-k"]);
    window.until_gone("later on");
    assert!(!window.screen().contains("was stopped"));
    window.presses(&["C-k"]);
    window.until("one tool was stopped; the request goes on");
    window.until("It was stopped.");
    window.until("idle");
    let told = scene.server.chats().last().unwrap().body.to_string();
    assert!(told.contains("stopped by the user"), "{told}");
    let log = &testkit::house::json_lines(&scene.house.session_logs()[0]);
    assert_eq!(of_kind(log, "tool_result")[0]["status"], "cancelled");
    assert_eq!(of_kind(log, "query_finished")[0]["status"], "partial");
}

#[test]
fn agents_are_stopped_and_the_request_goes_on() {
    if is_absent(TMUX) {
        return;
    }
    let gate = Gate::new();
    let held = gate.clone();
    let server = Server::speak(move |body, _| two_readers(body, Some(&held))).openai();
    let scene = scenarios::Scene::with(server, "openai");
    let config = scene.server.config("openai");
    let config = format!("{config}\n[chat]\ndefault_agent = \"orchestrator\"\n");
    scene.house.configure(&config);
    scene.house.write("a.txt", "MARKER-A");
    scene.house.write("b.txt", "MARKER-B");
    let mut window = seat(&scene, &[], (100, 24));
    window.enters("Are a.txt and b.txt short?");
    let log = || testkit::house::json_lines(&scene.house.session_logs()[0]);
    // The one has reported, and the model of the other thinks for ever.
    window.until_screen("one report is in", |screen| {
        let is_begun = !scene.house.session_logs().is_empty();
        is_begun && of_kind(&log(), "agent_finished").len() == 1 && screen.contains("1 agent below")
    });
    window.presses(&["C-k"]);
    window.until("one tool was stopped, and so was an agent; the request goes on");
    window.until("Both are short.");
    window.until("idle");
    let log = log();
    let reports = of_kind(&log, "agent_finished");
    let said = |at: usize| reports[at]["report"].to_string();
    assert_eq!(reports.len(), 2, "{reports:?}");
    assert!(said(0).contains("It is short."), "{reports:?}");
    assert!(said(1).contains("interrupted"), "{reports:?}");
    let answered = scene.server.chats().last().unwrap().body.to_string();
    assert!(
        answered.contains("The user stopped this call."),
        "{answered}"
    );
    assert_eq!(of_kind(&log, "query_finished")[0]["status"], "partial");
    gate.open();
}

#[test]
fn what_never_began_is_nothing_that_the_agent_goes_on_with() {
    if is_absent(TMUX) {
        return;
    }
    let (scene, _gate) = first_waits();
    let mut window = seat(&scene, &[], (80, 24));
    window.enters("one");
    window.until("Begun.");
    window.enters("delete all of it");
    window.until("takes back): delete all of it");
    window.presses(&["C-d"]);
    window.until_shell();
    let mut window = seat(&scene, &["--resume", "last"], (80, 24));
    window.until("not begun when the program ended");
    window.enters("three");
    window.until_screen("the next request is worked on", |_| {
        scene.server.chats().len() == 2
    });
    let asked = scene.server.chats()[1].body.to_string();
    let (_, behind) = asked.split_once("delete all of it").unwrap();
    let note = "(This was not begun, and the user does not wait for it any more.)";
    assert!(behind.contains(note), "{asked}");
}

#[test]
fn what_is_taken_back_after_a_message_left_the_queue_reaches_no_model() {
    if is_absent(TMUX) {
        return;
    }
    let (scene, gate) = first_waits();
    let mut window = seat(&scene, &[], (80, 24));
    window.enters("the wrong order");
    window.until("Begun.");
    window.enters("two");
    window.until("takes back): two");
    window.presses(&["F6"]);
    window.until("* 1. two");
    window.types("d");
    window.until_gone("two");
    window.presses(&["Escape"]);
    gate.open();
    window.until("idle");
    window.enters("/rewind");
    window.until("taken back: the wrong order");
    window.enters("another");
    window.until("Second.");
    let asked = scene.server.chats().last().unwrap().body.to_string();
    assert!(
        asked.contains("another") && !asked.contains("wrong order"),
        "{asked}"
    );
}
