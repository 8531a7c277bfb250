//! Ways out and back in: the terminal is as it was.

use crate::{ANSWER, begun_in_a_shell, count, goes_on_and_ends, seat};
use scenarios::Scene;
use serde_json::json;
use std::fs;
use std::io::Write as _;
use std::process::Command;
use testkit::{Gate, Reply, Server, TMUX, is_absent, limit_files};

#[test]
fn a_stopped_ui_goes_on_where_it_was() {
    if is_absent(TMUX) {
        return;
    }
    let gate = Gate::new();
    let scene = Scene::forgetful(Server::openai([Reply::text("Begun.\n\n")
        .and_wait(&gate)
        .and_text("Done.")]));
    let mut window = seat(&scene, &[], (80, 24));
    window.enters("go");
    window.until("Begun.");
    window.types("a draft");
    window.until("> a draft");
    window.presses(&["C-z"]);
    window.until("Stopped");
    let modes = window.shell("stty -a");
    assert!(
        modes.contains(" icanon") && modes.contains(" echo "),
        "{modes}"
    );
    window.types("fg");
    window.presses(&["Enter"]);
    window.until("> a draft");
    gate.open();
    window.until("Done.");
    let screen = window.until("idle");
    assert_eq!(count(&screen, "> a draft"), 1, "{screen}");
    assert_eq!(count(&screen, "idle"), 1, "{screen}");
}

/// Who stops it from outside leaves the terminal to the shell as it is.
#[test]
fn keys_are_read_again_after_kill_stop_and_fg() {
    if is_absent(TMUX) {
        return;
    }
    for signal in ["STOP", "TSTP"] {
        let scene = Scene::forgetful(Server::openai([Reply::text("Hello.")]));
        let mut window = seat(&scene, &[], (80, 24));
        let lock = fs::read_to_string(scene.house.state().join("lock")).unwrap();
        let process = lock.lines().next().unwrap();
        let stop = Command::new("kill")
            .args([&format!("-{signal}"), process])
            .status();
        assert!(stop.unwrap().success());
        window.until("Stopped");
        window.presses(&["Enter"]);
        window.types("fg");
        window.presses(&["Enter"]);
        window.until("idle");
        // A terminal that is not the UI's own would tell no key before the end of its line.
        window.presses(&["?"]);
        window.until("F6");
        window.presses(&["Escape"]);
        window.until_gone("F6");
        window.enters("hi");
        window.until("Hello.");
        window.until("idle");
        window.presses(&["C-d"]);
        window.until_shell();
    }
}

/// Where the session cannot be opened again, the window is its user's until they give it up: what is
/// typed goes to no shell.
#[test]
fn a_full_disk_asks_whether_to_try_again() {
    if is_absent(TMUX) {
        return;
    }
    let scene = Scene::forgetful(Server::openai([
        Reply::text("Hello."),
        Reply::text("With room again."),
    ]));
    let mut window = seat(&scene, &[], (80, 24));
    window.enters("hi");
    window.until("Hello.");
    window.until("idle");
    let lock = fs::read_to_string(scene.house.state().join("lock")).unwrap();
    let process: u32 = lock.lines().next().unwrap().parse().unwrap();
    limit_files(process, Some(1));
    window.enters("words without room");
    let screen = window.until("Try again? [y/N]");
    assert!(screen.contains("error: "), "{screen}");
    window.types("touch made-by-a-shell\r");
    window.until("Please answer y or n.");
    limit_files(process, None);
    window.types("y\r");
    // What was not put on record stands in the input again.
    window.until("idle");
    window.until("> words without room");
    window.presses(&["Enter"]);
    window.until("With room again.");
    window.until("idle");

    limit_files(process, Some(1));
    window.enters("more words");
    window.until_screen("second question", |screen| count(screen, "Try again?") == 2);
    window.types("n\r");
    window.until_shell();
    assert!(!scene.house.has("made-by-a-shell"));
}

#[test]
fn a_stop_takes_back_an_answer_that_was_begun() {
    if is_absent(TMUX) {
        return;
    }
    let scene = Scene::forgetful(Server::openai([
        Reply::call("write_file", json!({"path": "a.txt", "content": "x"})),
        Reply::text("Left alone."),
    ]));
    let mut window = seat(&scene, &["--allow-write", "."], (80, 24));
    window.enters("write it");
    window.until(ANSWER);
    window.types("y");
    window.until(&format!("{ANSWER} y"));
    window.presses(&["C-z"]);
    window.until("Stopped");
    window.types("fg");
    window.presses(&["Enter"]);
    window.presses(&["Enter"]);
    // A key that comes just before the question keeps what is typed from it.
    let later = "Tab: answer this question";
    let is_there = |screen: &str| screen.contains(ANSWER) || screen.contains(later);
    let screen = window.until_screen("the question", is_there);
    if screen.contains(later) {
        window.presses(&["Tab"]);
    }
    window.until(ANSWER);
    window.presses(&["Enter"]);
    let screen = window.until(ANSWER);
    assert!(!screen.contains(&format!("{ANSWER} y")), "{screen}");
    window.types("n");
    window.until(&format!("{ANSWER} n"));
    window.presses(&["Enter"]);
    window.until("Left alone.");
    assert!(!scene.house.has("a.txt"));
}

#[test]
fn sigterm_leaves_the_terminal_as_it_was() {
    if is_absent(TMUX) {
        return;
    }
    for signal in ["TERM", "QUIT", "USR1", "USR2", "ALRM"] {
        let (_scene, mut window, before) = begun_in_a_shell();
        window.shell(&format!("kill -{signal} %1"));
        goes_on_and_ends(&mut window);
        let after = window.shell("stty -a");
        assert_eq!(before, after, "{signal}");
        let screen = window.screen();
        assert!(!screen.contains("working,"), "{screen}");
        // What is typed is shown, and a paste has no marks.
        window.types("echo typed");
        window.until("echo typed");
    }
}

/// What is drawn stands still for longer than anybody waits, and so does what sets the terminal back.
#[test]
fn sigterm_ends_a_ui_whose_terminal_takes_no_output() {
    let long: String = (0..4_000)
        .map(|at| format!("Line {at} of a long answer.\n\n"))
        .collect();
    let scene = Scene::forgetful(Server::openai([Reply::text(long)]));
    let carl = scene.house.ask(["tui"]).env("TERM", "xterm-256color");
    let mut seat = carl.seated_far_away(960);
    seat.until("idle");
    seat.types("go");
    seat.until("go");
    seat.types("\r");
    seat.until("Line 3 of");
    seat.terminates();
    assert_eq!(seat.ends_unread(), Some(128 + 15));
}

#[test]
fn leaving_takes_two_presses_or_an_empty_input() {
    if is_absent(TMUX) {
        return;
    }
    let scene = Scene::forgetful(Server::openai([]));
    let mut window = seat(&scene, &[], (80, 24));
    window.types("half a thought");
    window.until("half a thought");
    window.presses(&["C-c"]);
    window.until_gone("half a thought");
    window.presses(&["C-c"]);
    window.until("Ctrl+C again leaves");
    window.until_gone("Ctrl+C again leaves");
    window.presses(&["C-c"]);
    window.until("Ctrl+C again leaves");
    window.presses(&["C-c"]);
    window.until_shell();
    let all = window.everything();
    assert!(!all.contains("idle"), "what was drawn is gone:\n{all}");
}

#[test]
fn leaving_says_what_is_left_behind() {
    if is_absent(TMUX) {
        return;
    }
    let gate = Gate::new();
    let scene = Scene::forgetful(Server::openai([
        Reply::text("Begun.\n\n").and_wait(&gate),
        Reply::text("Again."),
    ]));
    let mut window = seat(&scene, &[], (80, 24));
    window.enters("question one");
    window.until("Begun.");
    window.enters("question two");
    window.until("waiting (Ctrl+X takes back): question two");
    window.presses(&["C-d"]);
    let shown = window.until_shell();
    let told = ["Begun.", "▎ · stopped: question one"].map(|part| shown.find(part));
    assert!(
        told.iter().all(Option::is_some) && told.is_sorted(),
        "{shown}"
    );
    assert!(shown.contains("▎ · not done: question two"), "{shown}");
    let end = shown.split("carl tui --resume ").nth(1).unwrap();
    let end = end.split_whitespace().next().unwrap();
    let mut window = seat(&scene, &["--resume", end], (80, 24));
    window.until("▎ > question one");
    window.presses(&["C-d"]);
    window.until_shell();
}

#[test]
fn a_killed_ui_loses_nothing_that_was_said() {
    if is_absent(TMUX) {
        return;
    }
    let scene = Scene::forgetful(Server::openai([
        Reply::text("One."),
        Reply::call("write_file", json!({"path": "a.txt", "content": "x"})),
        Reply::text("Two."),
    ]));
    let mut window = seat(&scene, &["--allow-write", "."], (80, 24));
    window.enters("first");
    window.until("One.");
    window.until("idle");
    window.enters("second");
    window.until(ANSWER);
    drop(window);
    let mut window = seat(&scene, &["--resume", "last"], (80, 24));
    let screen = window.screen();
    assert!(screen.contains("second"), "{screen}");
    assert!(!scene.house.has("a.txt"));
    window.presses(&["C-d"]);
    window.until_shell();
}

#[test]
fn an_answer_of_before_is_shown_as_the_users_own() {
    if is_absent(TMUX) {
        return;
    }
    let scene = Scene::forgetful(Server::openai([
        Reply::call("write_file", json!({"path": "a.txt", "content": "x"})),
        Reply::text("Written."),
    ]));
    let mut window = seat(&scene, &[], (80, 24));
    window.enters("write it");
    window.until(ANSWER);
    window.types("y");
    window.until(&format!("{ANSWER} y"));
    window.presses(&["Enter"]);
    window.until("Written.");
    window.until("idle");
    window.presses(&["C-d"]);
    window.until_shell();
    let mut window = seat(&scene, &["--resume", "last"], (80, 24));
    window.presses(&["C-t"]);
    let page = window.until("you answered yes, this once");
    assert!(!page.contains("another window"), "{page}");
    window.presses(&["Escape"]);
    window.until("idle");
    window.presses(&["C-d"]);
    window.until_shell();
}

#[test]
fn what_had_come_of_an_answer_survives_a_kill() {
    if is_absent(TMUX) {
        return;
    }
    let gate = Gate::new();
    let scene = Scene::forgetful(Server::openai([
        Reply::text("Half **of** it is").and_wait(&gate)
    ]));
    let mut window = seat(&scene, &[], (80, 24));
    window.enters("tell me all");
    window.until("Half of it is");
    window.presses(&["C-z"]);
    window.until("Stopped");
    window.shell("kill -KILL %1");
    drop(window);
    let mut window = seat(&scene, &["--resume", "last"], (80, 24));
    let screen = window.screen();
    assert!(screen.contains("▎ > tell me all"), "{screen}");
    assert!(screen.contains("\nHalf of it is"), "{screen}");
    assert!(
        screen.contains("cut off when the program ended; above is what had come"),
        "{screen}"
    );
    window.presses(&["C-d"]);
    window.until_shell();
}

#[test]
fn what_had_come_stays_with_its_own_request_after_a_kill() {
    if is_absent(TMUX) {
        return;
    }
    let gate = Gate::new();
    let scene = Scene::forgetful(Server::openai([
        Reply::text("Half **of** it is").and_wait(&gate)
    ]));
    let mut window = seat(&scene, &[], (80, 24));
    window.enters("tell me all");
    window.until("Half of it is");
    window.enters("and then this");
    window.until("waiting (Ctrl+X takes back): and then this");
    window.enters("and not this");
    window.until("waiting (Ctrl+X takes back): and not this");
    window.presses(&["C-x"]);
    window.until("taken back: and not this");
    window.presses(&["C-u"]);
    window.until_gone("> and not this");
    window.presses(&["C-z"]);
    window.until("Stopped");
    window.shell("kill -KILL %1");
    drop(window);
    let mut window = seat(&scene, &["--resume", "last"], (80, 24));
    let screen = window.screen();
    for (part, after) in [
        ("▎ > tell me all", "\nHalf of it is"),
        ("\nHalf of it is", "above is what had come of its answer"),
        ("above is what had come", "▎ > and then this"),
        ("▎ > and then this", "not begun when the program ended"),
        ("not begun when", "/retry asks the last message again"),
    ] {
        let at = |text: &str| {
            screen
                .find(text)
                .unwrap_or_else(|| panic!("{text}\n{screen}"))
        };
        assert!(at(part) < at(after), "{screen}");
    }
    assert!(!screen.contains("and not this"), "{screen}");
    assert!(!screen.contains("error:"), "{screen}");
    window.presses(&["C-s"]);
    let list = window.until("of 1");
    assert!(!list.contains("and not this"), "{list}");
    window.presses(&["Escape"]);
    window.until("idle");
    // What waited is in the input again.
    window.until("\n> and then this");
    window.presses(&["C-u"]);
    window.until_gone("\n> and then this");
    window.presses(&["C-d"]);
    window.until_shell();
    let record = scene.house.ask(["session", "show", "last"]).run();
    let record = record.stdout;
    let part = |text: &str| {
        record
            .find(text)
            .unwrap_or_else(|| panic!("{text}\n{record}"))
    };
    assert!(
        part("not begun)\n\nand then this") < part("*To #2:*"),
        "{record}"
    );
    assert!(part("*To #2:*") < part("## Answer, broken off"), "{record}");
    assert!(part("## Answer, broken off") < part("*To #6:*"), "{record}");
    part("taken back)\n\nand not this");
}

#[test]
fn the_ui_goes_on_when_the_process_that_serves_it_is_killed() {
    if is_absent(TMUX) {
        return;
    }
    let gate = Gate::new();
    let scene = Scene::forgetful(Server::openai([
        Reply::text("First."),
        Reply::text("Half of it").and_wait(&gate),
        Reply::text("Third."),
    ]));
    let mut server = seat(&scene, &[], (80, 24));
    server.enters("one");
    server.until("First.");
    server.until("idle");
    let mut guest = seat(
        &scene,
        &["--resume", "last", "--allow-write", "."],
        (80, 24),
    );
    guest.enters("/mode loop");
    guest.until("mode: loop");
    guest.enters("two");
    guest.until("Half of it");
    guest.types("a draft");
    guest.until("> a draft");
    server.presses(&["C-z"]);
    server.until("Stopped");
    server.shell("kill -KILL %1");
    guest.until("the carl that served this session has ended; going on without it");
    guest.until("▎ > two");
    guest.until("above is what had come of its answer");
    let screen = guest.until("> a draft");
    // What ended before stands above already.
    assert_eq!(count(&guest.everything(), "First."), 1);
    assert!(
        screen.contains("this folder is open for writing"),
        "{screen}"
    );
    assert!(screen.contains("coder · loop"), "{screen}");
    guest.presses(&["C-u"]);
    guest.until_gone("> a draft");
    guest.enters("three");
    guest.until("Third.");
    guest.until("idle");
    let chats = scene.server.chats();
    let shown = format!("{:?}", chats[2]);
    assert!(shown.contains("Half of it"), "{shown}");
    guest.presses(&["C-d"]);
    guest.until_shell();
}

#[test]
fn a_window_that_waits_for_another_process_is_left_by_a_key() {
    if is_absent(TMUX) {
        return;
    }
    let scene = Scene::forgetful(Server::openai([Reply::text("First.")]));
    let mut server = seat(&scene, &[], (80, 24));
    server.enters("one");
    server.until("First.");
    server.until("idle");
    let mut guest = seat(&scene, &["--resume", "last"], (80, 24));
    guest.types("a draft");
    guest.until("> a draft");
    // Another process has the state folder from the moment in which the server ends.
    let path = scene.house.state().join("lock");
    let waits = std::thread::spawn(move || {
        let file = fs::File::options().read(true).write(true).open(path);
        let file = file.unwrap();
        file.lock().unwrap();
        file.set_len(0).unwrap();
        (&file).write_all(b"1").unwrap();
        file
    });
    server.presses(&["C-z"]);
    server.until("Stopped");
    server.shell("kill -KILL %1");
    let held = waits.join().unwrap();
    guest.until("waiting up to 20 s");
    // The end of the input, for a terminal that reads by lines: no key of the UI's.
    guest.presses(&["C-d"]);
    guest.presses(&["C-c"]);
    let screen = guest.until_shell();
    let told = screen.replace('\n', "");
    assert!(told.contains("was left before it was open"), "{screen}");
    assert!(
        told.contains("not sent: a draft") || told.contains("typed and not sent: a"),
        "{screen}"
    );
    drop(held);
}

#[test]
fn what_was_typed_for_a_list_is_not_sent_when_its_server_ended() {
    if is_absent(TMUX) {
        return;
    }
    let scene = Scene::forgetful(Server::openai([Reply::text("First."), Reply::text("Two.")]));
    let mut server = seat(&scene, &[], (80, 24));
    server.enters("one");
    server.until("First.");
    server.until("idle");
    let mut guest = seat(&scene, &["--resume", "last"], (80, 24));
    guest.presses(&["C-s"]);
    guest.until("type to search");
    server.presses(&["C-d"]);
    server.until_shell();
    guest.until("the carl that served this session has ended; going on without it");
    guest.until("idle");
    guest.enters("two");
    guest.until("not sent: a list was open here, which closed with its server");
    assert_eq!(scene.server.chats().len(), 1);
    // It is still there, to be sent or not.
    guest.presses(&["Enter"]);
    guest.until("Two.");
}

#[test]
fn a_hang_up_leaves_the_terminal_as_it_was() {
    if is_absent(TMUX) {
        return;
    }
    let (scene, mut window, before) = begun_in_a_shell();
    window.shell("kill -HUP %1");
    goes_on_and_ends(&mut window);
    assert_eq!(before, window.shell("stty -a"));
    let log = &testkit::house::json_lines(&scene.house.session_logs()[0]);
    assert_eq!(scenarios::of_kind(log, "query_received").len(), 1);
}

#[test]
fn carl_alone_opens_the_ui_where_it_can_draw() {
    if is_absent(TMUX) {
        return;
    }
    let scene = Scene::forgetful(Server::openai([Reply::text("Hello.")]));
    let mut window = scene.house.ask([]).in_window((80, 24));
    window.starts();
    window.enters("first");
    window.until("Hello.");
    window.until("idle");
    window.presses(&["C-d"]);
    window.until_shell();
    let mut window = scene.house.ask(["--resume"]).in_window((80, 24));
    window.until("shell$");
    window.types("\"$@\"");
    window.presses(&["Enter"]);
    window.until("1 of 1");
    window.presses(&["Enter"]);
    window.until("▎ > first");
    window.presses(&["C-d"]);
    window.until_shell();
    // On a terminal that cannot be drawn on it is line mode, which goes on with the last session.
    let mut window = scene.house.ask(["--resume"]).in_window((80, 24));
    window.until("shell$");
    window.types("TERM=dumb \"$@\"");
    window.presses(&["Enter"]);
    window.until("/help");
    window.enters("/quit");
    window.until_shell();
    assert!(!window.everything().contains('▎'));
    assert_eq!(scene.house.session_logs().len(), 1, "no other one begins");
    let piped = scene.house.ask([]).stdin("/quit\n").run().expect(2);
    assert!(
        piped.stderr.contains("a chat needs a terminal"),
        "{piped:#?}"
    );
}

#[test]
fn a_session_goes_on_by_its_name() {
    if is_absent(TMUX) {
        return;
    }
    let replies = ["Oolong.", "Assam.", "Black."].map(Reply::text);
    let scene = Scene::forgetful(Server::openai(replies));
    for text in ["which tea?", "which coffee?", "Which Coffee?"] {
        scene.house.ask(["run", text]).run().expect(0);
    }
    let mut window = scene
        .house
        .ask(["--resume", "Which tea?"])
        .in_window((80, 24));
    window.starts();
    let screen = window.until("▎ > which tea?");
    assert!(screen.contains("Oolong."), "{screen}");
    window.enters("/rename Tea party");
    window.until("the session is called Tea party");
    window.presses(&["C-d"]);
    window.until_shell();
    let mut window = seat(&scene, &["--resume", "tea party"], (80, 24));
    window.until("▎ > which tea?");
    window.presses(&["C-d"]);
    window.until_shell();
    let show = |name: &str| scene.house.ask(["session", "show", name]).run();
    let several = show("which coffee?").expect(2).stderr;
    let said = "2 sessions are called `which coffee?`:";
    assert!(several.contains(said), "{several}");
    let listed = scene
        .house
        .ask(["session", "list", "--json"])
        .run()
        .expect(0);
    let ids = several.lines().filter(|line| {
        let id = line
            .trim()
            .trim_start_matches("│ ")
            .split(' ')
            .next()
            .unwrap_or_default();
        id.len() == 36 && listed.stdout.contains(id)
    });
    assert_eq!(ids.count(), 2, "{several}");
    let none = show("which cocoa?").expect(2).stderr;
    assert!(none.contains("and none is called that"), "{none}");
}

#[test]
fn notes_of_the_project_that_change_are_named() {
    if is_absent(TMUX) {
        return;
    }
    let scene = Scene::new(["First.", "Second.", "Third."].map(Reply::text));
    let notes = scene.house.write("AGENTS.md", "Use tabs.\n");
    let trusting = scene.house.ask(["policy", "trust", "AGENTS.md"]);
    let _trusted = trusting.run().expect(0);
    let mut window = seat(&scene, &[], (80, 24));
    window.enters("hello");
    window.until("First.");
    window.until("idle");
    std::fs::write(&notes, "Use spaces.\n").unwrap();
    window.enters("again");
    window.until("· AGENTS.md has changed; this session goes on with the version");
    window.until("Second.");
    window.until("idle");
    window.enters("once more");
    window.until("Third.");
    assert_eq!(count(&window.everything(), "has changed"), 1);
    assert!(!scene.told().contains("Use spaces."));
}

#[test]
fn without_a_screen_it_names_line_mode() {
    if is_absent(TMUX) {
        return;
    }
    let scene = Scene::forgetful(Server::openai([]));
    let refused = scene.house.ask(["tui"]).run().expect(2);
    assert!(refused.stderr.contains("carl chat"), "{refused:?}");
    let mut dumb = scene.house.ask(["tui"]).env("TERM", "dumb").seated();
    dumb.until("carl chat");
    assert_eq!(dumb.finish().code, Some(2));
}

/// What is typed right behind it, before there is a new session, is for that one.
#[test]
fn a_message_behind_new_is_for_the_new_session() {
    if is_absent(TMUX) {
        return;
    }
    let scene = Scene::forgetful(Server::openai([
        Reply::text("First."),
        Reply::text("Second."),
    ]));
    let mut window = seat(&scene, &[], (80, 24));
    window.enters("to be left");
    window.until("First.");
    window.until("idle");
    window.enters("/new");
    window.enters("and now");
    let screen = window.until("Second.");
    assert!(!screen.contains("error"), "{screen}");
    let chats = scene.server.chats();
    let asked = chats[1].body["messages"].to_string();
    assert!(
        asked.contains("and now") && !asked.contains("to be left"),
        "{asked}"
    );
}

#[test]
fn another_session_is_chosen_beside_another_window() {
    if is_absent(TMUX) {
        return;
    }
    let scene = Scene::forgetful(Server::openai([
        Reply::text("First."),
        Reply::text("Second."),
        Reply::text("Third."),
        Reply::text("Fourth."),
    ]));
    let mut window = seat(&scene, &[], (80, 24));
    window.enters("to be found");
    window.until("First.");
    window.until("idle");
    window.enters("/new");
    window.until("· new session");
    let mut guest = seat(&scene, &[], (80, 24));
    guest.enters("hi");
    guest.until("Second.");
    guest.until("idle");
    // The window that is served goes on in another session, and still is.
    guest.enters("/new");
    let screen = guest.until("· new session");
    assert!(!screen.contains("has ended"), "{screen}");
    guest.enters("and now");
    guest.until("Third.");
    let screen = guest.until("idle");
    assert!(!screen.contains("has ended"), "{screen}");
    window.presses(&["C-s"]);
    window.types("found");
    window.until("1 of 4");
    window.until("First.");
    window.presses(&["Enter"]);
    window.until_gone("1 of 4");
    window.until("▎ > to be found");
    window.until("idle");
    window.enters("go on");
    window.until("Fourth.");
    for window in [&mut window, &mut guest] {
        window.until("idle");
        window.presses(&["C-d"]);
        window.until_shell();
    }
}
