//! Stopping, leaving and coming back: Ctrl-C, a closed window, and what the session says afterwards.

use scenarios::documents::GIF;
use scenarios::{Scene, of_kind};
use serde_json::{Value, json};
use testkit::{Gate, Reply, Seated, Server};

/// A chat at its first prompt.
fn seat(scene: &Scene, args: &[&str]) -> Seated {
    let carl = scene.house.ask(args.iter().copied());
    carl.env("TERM", "xterm").at_prompt()
}

/// A model whose first answers wait, each at its gate, and that answers the rest.
fn waiting(gates: &[&Gate]) -> Scene {
    let begun = |gate: &&Gate| Reply::text("Begun it. ").and_wait(gate).and_text("Whole.");
    Scene::forgetful(Server::openai(gates.iter().map(begun)))
}

/// Goes on with the session: its request is told as one that had no end. What was shown.
fn told_of_its_request(scene: &Scene, how: &str) -> String {
    let shown = seat(scene, &["session", "resume"]).leaves();
    for part in ["last asked: question one", how, "/retry asks it again"] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    shown
}

#[test]
fn an_interrupted_request_is_said_to_be_one_when_the_chat_goes_on() {
    let gate = Gate::new();
    let scene = waiting(&[&gate]);
    let mut first = seat(&scene, &["chat"]);
    first.types("question one\n");
    first.until("Begun ");
    first.interrupts();
    first.until("stopping");
    first.until("> ");
    first.leaves();
    let shown = told_of_its_request(&scene, "interrupted before its end");
    assert!(!shown.contains("answered:"), "{shown}");
}

#[test]
fn a_window_that_is_closed_beside_another_leaves_a_request_said_to_be_cut_off() {
    for killed in [false, true] {
        let gate = Gate::new();
        let scene = waiting(&[&gate]);
        let host = seat(&scene, &["chat"]);
        let mut guest = seat(&scene, &["chat"]);
        guest.types("question one\n");
        guest.until("Begun ");
        match killed {
            true => guest.kill(),
            false => {
                guest.hangs_up();
                drop(guest.finish());
            }
        }
        scene.server.wait_for_hang_ups(1);
        told_of_its_request(&scene, "before its end");
        host.leaves();
    }
}

#[test]
fn a_second_ctrl_c_drops_what_waits_however_fast_it_comes() {
    for is_late in [false, true] {
        let (one, two) = (Gate::new(), Gate::new());
        let scene = waiting(&[&one, &two]);
        let mut seat = seat(&scene, &["chat"]);
        seat.types("question one\n");
        seat.until("Begun ");
        seat.types("question two\nquestion three\n");
        seat.until("queued as number 2");
        seat.interrupts();
        seat.until("press Ctrl-C again to drop the 2 queued as well");
        if is_late {
            seat.until("interrupted");
        }
        seat.interrupts();
        seat.until("2 queued dropped");
        seat.until("> ");
        seat.leaves();
        assert_eq!(scene.server.chats().len(), 1, "{is_late}");
    }
}

#[test]
fn a_chat_whose_window_is_closed_waits_for_those_that_it_serves() {
    for ends in [Seated::hangs_up, Seated::terminates] {
        let gate = Gate::new();
        let scene = waiting(&[&gate]);
        let mut host = seat(&scene, &["chat"]);
        let mut run = scene.house.ask(["run", "--events", "question one"]).spawn();
        run.until("Begun ");
        ends(&mut host);
        // A shell passes it on once more.
        host.until("1 other carl is waited for here");
        host.hangs_up();
        gate.open();
        let finished = run.finish().expect(0);
        assert!(finished.stdout.contains("Whole."), "{finished:?}");
        assert_eq!(host.finish().code, Some(0));
    }
}

#[test]
fn retry_asks_what_was_said_whatever_was_undone_since() {
    let scene = Scene::new(["Hello.", "Again.", "Once more."].map(Reply::text));
    scene.house.write("one.txt", "draft\n");
    let mut seat = seat(&scene, &["chat", "--allow-write", "."]);
    seat.types("hello there\n");
    seat.until("Hello.");
    seat.until("> ");
    let edit = [
        "--mode",
        "deterministic",
        "--session-id",
        "last",
        "--allow-write",
        ".",
        "--yes",
        "write",
    ];
    let task = "replace draft with final in one.txt";
    scene
        .house
        .ask(["run"])
        .args(edit)
        .arg(task)
        .run()
        .expect(0);
    // One that is refused, and one that is done.
    scene.house.ask(["undo"]).run().expect(5);
    scene.house.ask(["undo", "--yes", "write"]).run().expect(0);
    assert_eq!(scene.house.read("one.txt"), "draft\n");
    scene.house.ask(["undo"]).run().expect(2);
    seat.types("/retry\n");
    seat.until(&format!("again: {task}"));
    seat.leaves();
}

#[test]
fn a_window_closed_over_a_question_is_nobodys_no() {
    // Which comes first, the end of input or the signal, is left to chance.
    for _ in 0..4 {
        leaves_a_question_open(|seat| {
            let _code = seat.closes_window();
        });
    }
}

#[test]
fn a_chat_terminated_over_a_question_leaves_it_unanswered() {
    leaves_a_question_open(|mut seat| {
        seat.terminates();
        seat.until("asked to end (SIGTERM)");
        assert_eq!(seat.finish().code, Some(0));
    });
}

/// The chat asks it itself, before anything is sent.
#[test]
fn a_chat_stopped_over_its_own_question_sends_nothing() {
    let scene = Scene::new([Reply::text("Hello.")]);
    let picture = scene.house.home().join("dot.gif");
    std::fs::write(&picture, GIF).unwrap();
    let line = format!("what is on @{}?\n", picture.display());
    let mut seat = seat(&scene, &["chat"]);
    seat.types(&line);
    seat.until("[y/N] ");
    seat.interrupts();
    seat.until("nothing was sent");
    seat.until("> ");
    seat.types("hello\n");
    seat.until("Hello.");
    seat.until("> ");
    seat.types(&line);
    seat.until("[y/N] ");
    seat.terminates();
    let shown = seat.until("asked to end (SIGTERM)");
    assert!(shown.contains("nothing was sent"), "{shown}");
    assert!(!shown.contains("error:"), "{shown}");
    assert_eq!(seat.finish().code, Some(0));
    assert_eq!(scene.server.chats().len(), 1);
}

#[test]
fn a_chat_terminated_at_its_prompt_ends_in_order() {
    let scene = Scene::new([]);
    let mut seat = seat(&scene, &["chat"]);
    seat.terminates();
    seat.until("asked to end (SIGTERM)");
    assert_eq!(seat.finish().code, Some(0));
}

#[test]
fn a_terminated_chat_stops_its_request_and_begins_nothing_more() {
    let gate = Gate::new();
    let scene = waiting(&[&gate]);
    let mut first = seat(&scene, &["chat"]);
    first.types("question one\n");
    first.until("Begun ");
    first.types("question two\n");
    first.until("queued");
    first.terminates();
    first.until("asked to end (SIGTERM)");
    first.until("not done: question two");
    assert_eq!(first.finish().code, Some(0));
    assert_eq!(scene.server.chats().len(), 1);
    let shown = seat(&scene, &["session", "resume"]).leaves();
    assert!(shown.contains("interrupted before its end"), "{shown}");
}

/// Ends a chat while a question stands: that is nobody's answer.
fn leaves_a_question_open(ends: impl FnOnce(Seated)) {
    let arguments = json!({"path": "a.txt", "content": "x"});
    let scene = Scene::new([Reply::call("write_file", arguments), Reply::text("Done.")]);
    let house = &scene.house;
    let mut seat = house.ask(["chat"]).env("TERM", "dumb").seated();
    seat.until("> ");
    seat.types("please write\n");
    seat.until("message to the agent: ");
    ends(seat);
    let log = testkit::house::json_lines(&house.session_logs()[0]);
    assert_eq!(of_kind(&log, "confirmation_asked").len(), 1);
    assert!(of_kind(&log, "confirmation_answered").is_empty(), "{log:?}");
    let result = of_kind(&log, "tool_result").remove(0);
    assert_eq!(result["status"], "cancelled");
    let audit = house.audit();
    let is_said = |record: &&Value| record["detail"] == "deny by user";
    assert_eq!(audit.iter().filter(is_said).count(), 0, "{audit:?}");
    assert!(!house.has("a.txt"));
}

#[test]
fn after_an_undo_memory_is_named_only_where_it_may_have_something() {
    let gate = Gate::new();
    let begun = Reply::text("Begun it. ").and_wait(&gate).and_text("Whole.");
    let scene = Scene::with(Server::openai([begun, Reply::text("Paris.")]), "openai");
    let mut chat = seat(&scene, &["chat"]);
    chat.types("what is the capital of Norway?\n");
    chat.until("Begun ");
    chat.interrupts();
    chat.until("> ");
    chat.types("/undo\n");
    chat.until("taken back: what is the capital of Norway?");
    chat.until("> ");
    chat.types("what is the capital of France?\n");
    chat.until("Paris.");
    chat.until("> ");
    chat.types("/undo\n");
    chat.until("taken back: what is the capital of France?");
    chat.until("memory keeps what it remembered of it");
    let shown = chat.leaves();
    assert_eq!(shown.matches("memory keeps").count(), 1, "{shown}");
}
