//! What is typed while a chat works, and what becomes of a chat whose service ends.

use scenarios::Scene;
use serde_json::{Value, json};
use testkit::{Gate, Reply, Seated, Server};

/// Where a line is typed.
const PROMPT: &str = "> ";

/// A chat at its first prompt.
fn seat(scene: &Scene, args: &[&str]) -> Seated {
    let carl = scene.house.ask(["chat"]).args(args.iter().copied());
    carl.env("TERM", "xterm").at_prompt()
}

/// Two chats, the first of which works on a request of the second that waits at its gate.
fn at_work_for_another(scene: &Scene) -> (Seated, Seated) {
    let host = seat(scene, &[]);
    let mut guest = seat(scene, &[]);
    guest.types("question one\n");
    guest.until("Begun ");
    (host, guest)
}

/// What was asked in each request for a chat, by its last message.
fn asked(scene: &Scene) -> Vec<String> {
    let last = |body: &Value| body["messages"].as_array().unwrap().last().cloned();
    let chats = scene.server.chats();
    let last = chats.iter().map(|chat| last(&chat.body).unwrap());
    last.map(|message| message["content"].to_string()).collect()
}

/// A chat whose model writes a file after the gate, and what is at work before that.
fn writes_after(gate: &Gate) -> Scene {
    Scene::forgetful(Server::openai([
        Reply::text("Begun it. ")
            .and_wait(gate)
            .and_call("write_file", json!({"path": "evil.txt", "content": "x"})),
        Reply::text("Done."),
        Reply::text("Done."),
    ]))
}

#[test]
fn lines_typed_while_it_works_are_queued_shown_and_done_in_order() {
    let gate = Gate::new();
    let scene = Scene::forgetful(Server::openai([
        Reply::text("Begun it. ").and_wait(&gate).and_text("First."),
        Reply::text("Second."),
        Reply::text("Third."),
    ]));
    let mut seat = seat(&scene, &[]);
    seat.types("question one\n");
    seat.until("Begun ");
    seat.types("question two\n/mode\nquestion ");
    seat.until("queued: question two");
    seat.until("queued as number 2: /mode");
    // The rest of a line that was begun.
    seat.types("three\n");
    seat.until("queued as number 3: question three");
    gate.open();
    seat.until("First.");
    seat.until("> question two");
    seat.until("Second.");
    seat.until("> /mode");
    seat.until("mode: adaptive");
    seat.until("> question three");
    seat.until("Third.");
    seat.until(PROMPT);
    seat.leaves();
    let asked = asked(&scene);
    assert_eq!(asked.len(), 3);
    for (said, part) in asked
        .iter()
        .zip(["question one", "question two", "question three"])
    {
        assert!(said.contains(part), "{asked:#?}");
    }
}

#[test]
fn ctrl_c_stops_the_one_that_runs_and_twice_drops_the_queue() {
    let (one, two) = (Gate::new(), Gate::new());
    let scene = Scene::forgetful(Server::openai([
        Reply::text("Begun it. ").and_wait(&one),
        Reply::text("Begun it. ").and_wait(&two),
        Reply::text("Three."),
    ]));
    let mut seat = seat(&scene, &[]);
    seat.types("question one\n");
    seat.until("Begun ");
    seat.types("question two\nquestion three\nquestion four\n");
    seat.until("queued as number 3");
    seat.interrupts();
    seat.until("stopping");
    // It goes on with what waits.
    seat.until("> question two");
    seat.until("Begun ");
    seat.interrupts();
    seat.until("> question three");
    seat.until("Three.");
    seat.until("> question four");
    seat.until("The script is over.");
    seat.until(PROMPT);
    seat.leaves();
}

#[test]
fn what_is_typed_before_a_question_waits_and_answers_nothing() {
    let gate = Gate::new();
    let scene = writes_after(&gate);
    let mut seat = seat(&scene, &["--allow-write", "."]);
    seat.types("write it\n");
    seat.until("Begun ");
    seat.types("y\n");
    seat.until("queued: y");
    gate.open();
    seat.until("message to the agent: ");
    seat.types("n\n");
    seat.until("Done.");
    seat.until("> y");
    seat.until("Done.");
    seat.until(PROMPT);
    // Ctrl-D.
    seat.types("\u{4}");
    assert_eq!(seat.finish().code, Some(0));
    assert!(!scene.house.has("evil.txt"));
}

#[test]
fn a_line_that_was_begun_before_a_question_and_what_is_pasted_at_it_answer_nothing() {
    let gate = Gate::new();
    let scene = writes_after(&gate);
    let mut seat = seat(&scene, &["--allow-write", "."]);
    seat.types("write it\n");
    seat.until("Begun ");
    seat.types("show me the test");
    seat.until("show me the test");
    gate.open();
    seat.until("message to the agent: ");
    seat.types("s\n");
    seat.until("it answers nothing");
    seat.until("message to the agent: ");
    seat.types("\u{1b}[200~Dear all,\ny\nEve\u{1b}[201~\n");
    seat.until("it answers nothing");
    seat.until("message to the agent: ");
    // An unclear answer is most likely the beginning of a text.
    seat.types("Dear all,\ny\n");
    seat.until("message to the agent: ");
    seat.types("n\n");
    seat.until("Done.");
    seat.until(PROMPT);
    seat.leaves();
    assert!(!scene.house.has("evil.txt"));
}

#[test]
fn lines_pasted_at_the_prompt_of_a_plain_terminal_are_all_said() {
    let scene = Scene::forgetful(Server::openai([
        Reply::text("First."),
        Reply::text("Second."),
        Reply::text("Third."),
    ]));
    let mut seat = seat(&scene, &[]);
    seat.types("question one\nquestion two\nquestion three\n");
    seat.until("First.");
    seat.until("Second.");
    seat.until("Third.");
    seat.until(PROMPT);
    seat.leaves();
    assert_eq!(asked(&scene).len(), 3);
}

#[test]
fn a_question_that_a_chat_waits_for_before_it_ends_is_named() {
    let write = json!({"path": "a.txt", "content": "x\n", "mode": "create"});
    let scene = Scene::forgetful(Server::openai([
        Reply::call("write_file", write),
        Reply::text("As you like."),
    ]));
    let mut host = seat(&scene, &[]);
    let mut guest = seat(&scene, &[]);
    guest.types("question one\n");
    guest.until("n and a message");
    host.types("/quit\n");
    host.until("What is typed here is not read.");
    host.until("\"question one\" in ");
    host.until("waits for the answer to a question");
    guest.types("n\n");
    guest.until("As you like.");
    assert_eq!(host.finish().code, Some(0));
    guest.until(PROMPT);
    guest.leaves();
}

#[test]
fn a_chat_goes_on_when_the_one_that_served_it_quits() {
    let gate = Gate::new();
    let scene = Scene::forgetful(Server::openai([
        Reply::text("Begun it. ").and_wait(&gate).and_text("Whole."),
        Reply::text("Alone."),
    ]));
    let (mut first, mut second) = at_work_for_another(&scene);
    first.types("/quit\n");
    // What it works on for others is not cut off.
    first.until("1 other carl is waited for here");
    gate.open();
    second.until("Whole.");
    assert_eq!(first.finish().code, Some(0));
    second.until(PROMPT);
    second.types("question two\n");
    second.until("going on without it");
    second.until("Alone.");
    second.until(PROMPT);
    // It serves others in its turn.
    let third = seat(&scene, &[]);
    third.leaves();
    second.leaves();
    assert!(
        scene.told().contains("question one"),
        "it is one conversation"
    );
}

/// Asks question one again, has the answer, and leaves.
fn retries(mut seat: Seated) {
    seat.until(PROMPT);
    seat.types("/retry\n");
    seat.until("again: question one");
    seat.until("Again.");
    seat.until(PROMPT);
    seat.leaves();
}

#[test]
fn a_chat_whose_service_is_killed_says_so_and_goes_on() {
    let gate = Gate::new();
    let scene = Scene::forgetful(Server::openai([
        Reply::text("Begun it. ").and_wait(&gate),
        Reply::text("Again."),
    ]));
    let (first, mut second) = at_work_for_another(&scene);
    first.kill();
    second.until("the carl that served this chat has ended");
    second.until("/retry asks it again");
    retries(second);
}

#[test]
fn what_was_cut_off_is_named_when_the_chat_is_opened_again() {
    let gate = Gate::new();
    let scene = Scene::forgetful(Server::openai([
        Reply::text("Begun it. ").and_wait(&gate),
        Reply::text("Again."),
    ]));
    let mut first = seat(&scene, &[]);
    first.types("question one\n");
    first.until("Begun ");
    first.kill();
    let carl = scene.house.ask(["session", "resume"]);
    let carl = carl.env("TERM", "xterm");
    let mut second = carl.seated();
    second.until("cut off before its end: question one");
    retries(second);
}

#[test]
fn bytes_of_another_encoding_cost_a_line_and_not_the_chat() {
    for kind in ["dumb", "xterm"] {
        let scene = Scene::forgetful(Server::openai([Reply::text("Heard.")]));
        let carl = scene.house.ask(["chat"]).env("TERM", kind);
        let mut seat = carl.env("LC_ALL", "C").seated();
        seat.until(PROMPT);
        seat.types_bytes(b"caf\xe9 bitte\n");
        seat.until("that line is not UTF-8");
        seat.until(PROMPT);
        seat.types("question one\n");
        seat.until("Heard.");
        seat.until(PROMPT);
        seat.leaves();
        assert!(!scene.told().contains("bitte"), "{kind}");
    }
}

#[test]
fn the_next_line_of_a_guest_is_not_cut_off_by_a_host_that_leaves() {
    let gate = Gate::new();
    let scene = Scene::forgetful(Server::openai([
        Reply::text("Begun it. ").and_wait(&gate).and_text("Whole."),
        Reply::text("Second."),
        Reply::text("Third."),
    ]));
    let (mut host, mut guest) = at_work_for_another(&scene);
    guest.types("question two\nquestion three\n");
    guest.until("queued as number 2");
    host.types("/quit\n");
    host.until("1 other carl is waited for here");
    gate.open();
    guest.until("Whole.");
    guest.until("Second.");
    guest.until("Third.");
    assert_eq!(host.finish().code, Some(0));
    guest.until(PROMPT);
    guest.leaves();
    assert_eq!(asked(&scene).len(), 3, "each was asked once");
}

#[test]
fn a_paste_while_it_works_is_one_message_and_keys_leave_no_codes() {
    let gate = Gate::new();
    let scene = Scene::forgetful(Server::openai([
        Reply::text("Begun it. ").and_wait(&gate).and_text("First."),
        Reply::text("Second."),
    ]));
    let mut seat = seat(&scene, &[]);
    seat.types("question one\n");
    seat.until("Begun ");
    seat.types("\u{1b}[200~question two\n/quit\nthree\u{1b}[201~\n");
    seat.until("queued: question two");
    seat.types("\u{1b}[D/mode\n");
    seat.until("queued as number 2: /mode");
    // Ctrl-U takes the mark out of the line.
    seat.types("\u{1b}[200~x\u{15}/override all\nregards\u{1b}[201~\n");
    seat.until("queued as number 3: /override all");
    gate.open();
    seat.until("Second.");
    seat.until("loop");
    // One text, which is no command; its first line alone would be.
    seat.until("there is no override");
    seat.until(PROMPT);
    seat.leaves();
    let asked = asked(&scene);
    assert_eq!(asked.len(), 2, "{asked:?}");
    assert!(
        asked[1].contains(r"question two\n/quit\nthree"),
        "{asked:?}"
    );
}

/// The same with the gate open, at the question whether it may.
fn at_its_question() -> (Scene, Seated) {
    let gate = Gate::new();
    gate.open();
    let scene = writes_after(&gate);
    let mut seat = seat(&scene, &["--allow-write", "."]);
    seat.types("go\n");
    seat.until("message to the agent: ");
    (scene, seat)
}

#[test]
fn no_paste_answers_a_question_whatever_the_terminal_takes_out_of_it() {
    for paste in [
        // Ctrl-U, the backspace and Ctrl-W take the mark out of the line.
        "\u{1b}[200~\u{15}y\n\u{1b}[201~",
        "\u{1b}[200~\u{7f}\u{7f}\u{7f}\u{7f}\u{7f}\u{7f}\u{7f}y\n\u{1b}[201~",
        "\u{1b}[200~harmless\u{17}\u{17}\u{17}\u{17}y\n\u{1b}[201~",
        "\u{1b}[200~\u{1b}[201~\ny\n\u{1b}[201~",
    ] {
        let (scene, mut seat) = at_its_question();
        seat.types(paste);
        seat.until("it answers nothing");
        seat.types("n\n");
        seat.until("denied by you");
        seat.until(PROMPT);
        seat.leaves();
        assert!(!scene.house.has("evil.txt"), "{paste:?}");
    }
}

#[test]
fn a_no_takes_several_pasted_lines_as_its_reason() {
    let long = "y\n".repeat(12_000);
    let long = format!("n\u{1b}[200~not here:\nelsewhere\n{long}\u{1b}[201~\n");
    for (typed, said) in [
        (long.as_str(), true),
        // Nothing between the `n` and what is pasted.
        ("n\u{1b}[200~not here:\nelsewhere\u{1b}[201~\n", true),
        ("n \u{1b}[200~not here:\ny\nelsewhere\u{1b}[201~\n", true),
        (
            "n \u{1b}[200~not here:\ny\nelsewhere\u{1b}[201~, please\n",
            true,
        ),
        // What breaks out of the paste is no answer to anything.
        (
            "n \u{1b}[200~not here:\nelsewhere\u{1b}[201~\ny\ny\n\u{1b}[201~",
            true,
        ),
        ("y \u{1b}[200~not here:\nelsewhere\u{1b}[201~\n", false),
        ("\u{1b}[200~n not here:\nelsewhere\u{1b}[201~\n", false),
    ] {
        let (scene, mut seat) = at_its_question();
        seat.types(typed);
        if !said {
            seat.until("it answers nothing");
            seat.types("n\n");
        }
        seat.until("denied by you");
        seat.until(PROMPT);
        seat.leaves();
        let log = testkit::house::json_lines(&scene.house.session_logs()[0]);
        let answered = scenarios::of_kind(&log, "confirmation_answered").remove(0);
        let reason = answered["answer"]["message"].as_str().unwrap_or_default();
        assert_eq!(reason.starts_with("not here:\n"), said, "{answered}");
        assert_eq!(reason.contains("elsewhere"), said, "{answered}");
        assert!(!scene.house.has("evil.txt"), "{typed:?}");
    }
}

#[test]
fn a_question_in_the_middle_of_a_paste_is_answered_by_none_of_its_lines() {
    let gate = Gate::new();
    let scene = writes_after(&gate);
    let mut seat = seat(&scene, &["--allow-write", "."]);
    seat.types("go\n");
    seat.until("Begun ");
    seat.types("\u{1b}[200~first line\n");
    gate.open();
    seat.until("message to the agent: ");
    seat.types("y\n");
    seat.until("it answers nothing");
    seat.types("last\u{1b}[201~\n");
    seat.until("it answers nothing");
    seat.types("n\n");
    seat.until("denied by you");
    seat.until("Done.");
    seat.kill();
    assert!(!scene.house.has("evil.txt"));
}

#[test]
fn the_rest_of_a_paste_is_no_command_when_the_request_ends() {
    let gate = Gate::new();
    let scene = Scene::forgetful(Server::openai([
        Reply::text("Begun it. ").and_wait(&gate).and_text("First."),
        Reply::text("Second."),
    ]));
    let mut seat = seat(&scene, &[]);
    seat.types("question one\n");
    seat.until("Begun ");
    seat.types("\u{1b}[200~Dear all\n");
    gate.open();
    seat.types("/mode auto\nbye\u{1b}[201~");
    seat.until("First.");
    seat.until("bye");
    seat.types("\n");
    seat.until("Second.");
    seat.until(PROMPT);
    seat.leaves();
    let asked = asked(&scene);
    assert_eq!(asked.len(), 2, "{asked:?}");
    assert!(asked[1].contains(r"Dear all\n/mode auto\nbye"), "{asked:?}");
}

#[test]
fn tab_completes_names_of_files() {
    let scene = Scene::forgetful(Server::openai([Reply::text("Seen.")]));
    scene.house.write("reports/minutes.md", "words\n");
    let mut seat = seat(&scene, &[]);
    seat.types("what is in rep\tmin\t?\n");
    seat.until("Seen.");
    seat.until(PROMPT);
    seat.leaves();
    let asked = asked(&scene);
    assert!(
        asked[0].contains("what is in reports/minutes.md?"),
        "{asked:#?}"
    );
}

#[test]
fn a_chat_runs_a_line_for_the_shell() {
    let gate = Gate::new();
    let scene = Scene::forgetful(Server::openai([
        Reply::text("Begun.").and_wait(&gate).and_text(" Done."),
        Reply::text("Bees."),
    ]));
    let carl = scene
        .house
        .ask(["chat", "--agent", "sysadmin", "--mode", "loop"]);
    let mut chat = carl.env("TERM", "xterm").at_prompt();
    chat.types("!echo bees; echo honey > made.txt\n");
    chat.until("│ bees");
    chat.until("> ");
    assert_eq!(scene.house.read("made.txt"), "honey\n");
    assert!(scene.server.chats().is_empty(), "no model is asked");
    // What is typed while something else runs may be a line of a paste: it is said, and runs nothing.
    chat.types("go\n");
    chat.until("what you type now is queued");
    chat.types("!touch early.txt\n");
    gate.open();
    chat.until("Done.");
    chat.until("not run: ");
    chat.until("> ");
    // Nor does a text of several lines, whatever it begins with.
    chat.types("\u{1b}[200~!touch pasted.txt\nand more\u{1b}[201~\n");
    chat.until("Bees.");
    chat.until("> ");
    chat.types("/quit\n");
    assert_eq!(chat.finish().code, Some(0));
    assert!(!scene.house.has("early.txt") && !scene.house.has("pasted.txt"));
    let asked = scene.server.chats()[0].body["messages"].to_string();
    assert!(asked.contains("UNTRUSTED run_command"), "{asked}");
}
