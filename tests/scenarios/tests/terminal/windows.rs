//! Several windows on one session: what each is told of what was done in another.

use scenarios::Scene;
use serde_json::{Value, json};
use std::process::Command;
use testkit::{Carl, Gate, House, Reply, Seated, Server};

/// What a model is told to answer with a call.
const WRITE: &str = "please WRITE";
/// The end of a question about a call.
const ANSWERS: &str = "message to the agent: ";

/// A model that writes a file when the last request asks for it, and else answers it.
fn scene() -> Scene {
    let mut files = 0;
    let speak = move |body: &Value, _: usize| {
        let last = body["messages"].as_array().unwrap().last().unwrap().clone();
        if last["role"] == "user" && last["content"].to_string().contains(WRITE) {
            files += 1;
            let arguments = json!({"path": format!("file{files}.txt"), "content": "x"});
            return Reply::call("write_file", arguments);
        }
        Reply::text("That is answered.")
    };
    Scene::with(Server::speak(speak).openai(), "openai")
}

fn chat(house: &House, args: &[&str]) -> Carl {
    house.ask(args.iter().copied()).env("TERM", "dumb")
}

/// Types a line that is answered.
fn says(seat: &mut Seated, line: &str) {
    seat.types(&format!("{line}\n"));
    seat.until("That is answered.");
    seat.until("> ");
}

/// Two windows on one session in which something was said.
fn two_windows(house: &House) -> (Seated, Seated) {
    let mut first = chat(house, &["chat"]).at_prompt();
    says(&mut first, "hello");
    let logs = house.session_logs();
    let id = logs[0].file_stem().unwrap().to_str().unwrap().to_owned();
    let second = chat(house, &["session", "resume", &id]).at_prompt();
    (first, second)
}

#[test]
fn a_question_answered_in_another_window_says_what_was_answered() {
    let scene = scene();
    let (mut first, mut second) = two_windows(&scene.house);
    for (answer, told) in [
        ("n not here", "answered in another window: no: not here"),
        ("s", "answered in another window: yes, for this session"),
    ] {
        first.types(&format!("{WRITE}\n"));
        first.until(ANSWERS);
        second.until("press Enter to see it");
        second.types("\n");
        second.until(ANSWERS);
        second.types(&format!("{answer}\n"));
        first.until(told);
        first.until("> ");
        second.until("> ");
    }
    first.leaves();
    second.leaves();
}

#[test]
fn a_window_that_was_told_of_a_question_hears_its_answer() {
    let scene = scene();
    let (mut first, mut second) = two_windows(&scene.house);
    for (answer, told) in [
        ("n not here", "· answered in another window: no: not here"),
        ("y", "· answered in another window: yes, this once"),
    ] {
        first.types(&format!("{WRITE}\n"));
        first.until(ANSWERS);
        second.until("press Enter to see it");
        first.types(&format!("{answer}\n"));
        second.until(told);
        first.until("> ");
        let asked = scene.server.chats().len();
        second.types("y\n");
        second.until("not sent: \"y\" answers nothing");
        second.until("> ");
        assert_eq!(scene.server.chats().len(), asked, "no model heard of it");
    }
    let own = first.leaves();
    assert!(!own.contains("in another window"), "{own}");
    second.leaves();
}

#[test]
fn an_answer_to_a_stopped_chat_says_what_it_waits_for() {
    let scene = scene();
    let (mut first, mut second) = two_windows(&scene.house);
    first.types(&format!("{WRITE}\n"));
    first.until(ANSWERS);
    second.until("press Enter to see it");
    second.types("\n");
    second.until(ANSWERS);
    let pid = first.pid().to_string();
    let signal = |name: &str| {
        let sent = Command::new("kill").args([name, &pid]).status();
        assert!(sent.unwrap().success());
    };
    signal("-STOP");
    second.types("y\n");
    second.until("the answer waits until it goes on");
    second.until(&format!("kill -CONT {pid}"));
    assert!(!scene.house.has("file1.txt"));
    signal("-CONT");
    second.until("That is answered.");
    second.until("> ");
    assert!(scene.house.has("file1.txt"));
    first.until("> ");
    first.leaves();
    second.leaves();
}

#[test]
fn a_question_ends_with_its_server_and_a_late_answer_is_no_message() {
    let scene = scene();
    let house = &scene.house;
    let mut server = house.ask(["serve"]).spawn();
    server.until("serving at");
    let mut seat = chat(house, &["chat"]).at_prompt();
    seat.types(&format!("{WRITE}\n"));
    seat.until(ANSWERS);
    let asked = scene.server.chats().len();
    let pid = server.pid().to_string();
    let sent = Command::new("kill").args(["-TERM", &pid]).status().unwrap();
    assert!(sent.success());
    seat.until("the question is closed: the carl that asked it has ended");
    seat.types("y\n");
    seat.until("not sent: \"y\" answers nothing");
    seat.leaves();
    assert_eq!(scene.server.chats().len(), asked, "no model heard of it");
    assert!(!house.has("file1.txt"));
    server.finish().expect(0);
}

#[test]
fn what_is_taken_back_in_one_window_is_told_in_the_other() {
    let scene = scene();
    let (mut first, mut second) = two_windows(&scene.house);
    for command in ["/undo", "/retry"] {
        says(&mut first, "how are the bees");
        second.until("asked elsewhere: how are the bees");
        first.types(&format!("{command}\n"));
        second.until("taken back in another window: how are the bees");
        first.until("> ");
    }
    second.until("asked elsewhere: how are the bees");
    let own = first.leaves();
    assert!(!own.contains("in another window: "), "{own}");
    second.leaves();
}

#[test]
fn a_stale_answer_about_notes_takes_no_newer_one_back() {
    let scene = scene();
    let house = &scene.house;
    house.write("AGENTS.md", "Answer in French.\n");
    let asks = "[i]gnore: ";
    let mut stale = chat(house, &["chat"]).seated();
    stale.until(asks);
    let mut newer = chat(house, &["chat"]).seated();
    newer.until(asks);
    newer.types("t\n");
    newer.until("> ");
    stale.types("i\n");
    stale.until("answered in another window meanwhile: trusted; that holds");
    stale.until("> ");
    let listed = house.ask(["policy", "trusted"]).run().expect(0).stdout;
    assert!(listed.starts_with("trusted"), "{listed}");
    newer.leaves();
    stale.leaves();
}

#[test]
fn an_undo_waits_for_one_in_another_window() {
    let scene = scene();
    let (mut first, mut second) = two_windows(&scene.house);
    first.types(&format!("{WRITE}\n"));
    first.until(ANSWERS);
    first.types("y\n");
    first.until("That is answered.");
    first.until("> ");
    first.types("/undo\n");
    first.until("[y]es, [n]o: ");
    second.until("asked elsewhere: take back the last change");
    second.types("/undo\n");
    second.until("something is being taken back in this session already");
    first.types("y\n");
    first.until("taken back: please WRITE");
    first.until("> ");
    assert!(!scene.house.has("file1.txt"));
    first.leaves();
    second.leaves();
}

/// A chat that changed a file, by a model whose last answer waits, and the id of its session.
fn changed(scene: &Scene) -> (Seated, String) {
    let house = &scene.house;
    house.write("one.txt", "draft\n");
    let mut chat = chat(house, &["chat", "--allow-write", "."]).at_prompt();
    chat.types("polish one.txt\n");
    chat.until(ANSWERS);
    chat.types("y\n");
    chat.until("It reads final now.");
    chat.until("> ");
    let logs = house.session_logs();
    let id = logs[0].file_stem().unwrap().to_str().unwrap().to_owned();
    (chat, id)
}

fn polishing(gate: &Gate) -> Scene {
    let edit = json!({"path": "one.txt", "old": "draft", "new": "final"});
    Scene::new([
        Reply::call("edit_file", edit),
        Reply::text("It reads final now."),
        Reply::text("It is ").and_wait(gate).and_text("well."),
        Reply::text("More."),
    ])
}

#[test]
fn an_undo_beside_the_work_of_another_window_is_refused_before_it_begins() {
    let gate = Gate::new();
    let scene = polishing(&gate);
    let (mut chat, id) = changed(&scene);
    let run = scene.house.ask(["run", "--session-id", &id, "how is it?"]);
    let run = run.spawn();
    scene.server.wait_for_chats(3);
    chat.types("/undo\n");
    let told = chat.until("when that has ended");
    assert!(told.contains("nothing was taken back"), "{told}");
    assert_eq!(scene.house.read("one.txt"), "final\n");
    gate.open();
    run.finish().expect(0);
    chat.leaves();
}

#[test]
fn an_undo_that_another_request_overtakes_says_what_stays() {
    let gate = Gate::new();
    let scene = polishing(&gate);
    let (mut chat, id) = changed(&scene);
    chat.types("/undo\n");
    chat.until("[n]o: ");
    let run = scene
        .house
        .ask(["run", "--events", "--session-id", &id, "how is it?"]);
    let mut run = run.spawn();
    run.until("query_received");
    chat.types("y\n");
    let told = chat.until("what it did to files");
    let told = told.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        told.contains("1 file change taken back; the exchange stays"),
        "{told}"
    );
    assert!(told.contains("another request came meanwhile"), "{told}");
    assert_eq!(scene.house.read("one.txt"), "draft\n");
    gate.open();
    run.finish().expect(0);
    chat.leaves();
}

#[test]
fn a_call_in_another_window_is_told_with_its_end() {
    let scene = scene();
    let (mut first, mut second) = two_windows(&scene.house);
    first.types(&format!("{WRITE}\n"));
    first.until(ANSWERS);
    second.until("→ write_file ");
    first.types("y\n");
    second.until("  ✓ ");
    second.until("· created ");
    second.until("file1.txt");
    first.until("> ");
    let own = first.leaves();
    assert_eq!(own.matches("  ✓ ").count(), 1, "{own}");
    second.leaves();
}

#[test]
fn each_window_names_and_asks_again_what_was_cut_off_of_its_own() {
    let gate = Gate::new();
    let scene = Scene::forgetful(Server::openai([
        Reply::text("That is answered."),
        Reply::text("Begun it. ").and_wait(&gate),
        Reply::text("Again for the first."),
        Reply::text("Again for the second."),
    ]));
    let house = &scene.house;
    let mut server = house.ask(["serve"]).spawn();
    server.until("serving at");
    let (mut first, mut second) = two_windows(house);
    first.types("words of the first\n");
    first.until("Begun ");
    second.types("words of the second\n");
    second.until("another request of this session is worked on first");
    let pid = server.pid().to_string();
    let sent = Command::new("kill").args(["-KILL", &pid]).status().unwrap();
    assert!(sent.success());
    for (seat, own) in [(&mut first, "first"), (&mut second, "second")] {
        seat.until(&format!("cut off before its end: words of the {own}"));
        seat.until("> ");
    }
    for (seat, own) in [(&mut first, "first"), (&mut second, "second")] {
        seat.types("/retry\n");
        seat.until(&format!("again: words of the {own}"));
        seat.until(&format!("Again for the {own}."));
        seat.until("> ");
    }
    second.leaves();
    first.leaves();
}
