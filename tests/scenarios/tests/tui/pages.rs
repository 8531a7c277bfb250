//! Screens of their own: the sessions, and pages about the one that is held.

use crate::{ANSWER, count, seat};
use scenarios::Scene;
use serde_json::json;
use testkit::{Gate, Reply, Server, TMUX, is_absent};

/// What stands below the list of sessions.
const SESSIONS: &str = "sessions: type to search";

#[test]
fn a_session_is_found_and_gone_on_with() {
    if is_absent(TMUX) {
        return;
    }
    let scene = Scene::forgetful(Server::openai([
        Reply::text("Bees dance."),
        Reply::text("Ants walk."),
        Reply::text("They carry leaves."),
    ]));
    let told = scene.house.ask(["run", "what do bees do?"]).run().expect(0);
    assert!(told.stdout.contains("Bees dance."), "{told:?}");
    let mut window = seat(&scene, &[], (80, 24));
    window.enters("what do ants do?");
    window.until("Ants walk.");
    window.until("idle");
    let before = window.everything();
    // The scrollback is as it was once the list is closed.
    window.presses(&["C-s"]);
    window.until("of 2");
    window.presses(&["Escape"]);
    window.until_gone(SESSIONS);
    window.until("idle");
    assert_eq!(window.everything(), before);
    window.enters("/sessions");
    window.until("of 2");
    window.types("bees");
    window.until("1 of 2");
    // The last exchange of the chosen one.
    let screen = window.until("Bees dance.");
    assert!(!screen.contains("Ants walk."), "{screen}");
    // A session is found by an answer as well, which its title does not have.
    window.presses(&["C-u"]);
    window.until("2 of 2");
    window.types("DANCE");
    window.until("1 of 2");
    window.until("Bees dance.");
    window.presses(&["C-e"]);
    window.until("written to");
    let mut exported = std::fs::read_dir(scene.house.work()).unwrap();
    let exported = exported.find_map(|entry| {
        let name = entry.unwrap().file_name().into_string().unwrap();
        name.ends_with(".md").then_some(name)
    });
    let text = scene.house.read(&exported.unwrap());
    assert!(text.contains("Bees dance."), "{text}");
    window.presses(&["Enter"]);
    window.until_gone(SESSIONS);
    window.until("> what do bees do?");
    window.until("idle");
    window.enters("what do they carry?");
    window.until("They carry leaves.");
    let all = window.everything();
    assert_eq!(count(&all, "Ants walk."), 1, "{all}");
    window.presses(&["C-d"]);
    window.until_shell();
    assert_eq!(scene.house.session_logs().len(), 2);
}

#[test]
fn a_session_is_renamed() {
    if is_absent(TMUX) {
        return;
    }
    let scene = Scene::forgetful(Server::openai([Reply::text("Bees dance.")]));
    scene.house.ask(["run", "what do bees do?"]).run().expect(0);
    let mut window = seat(&scene, &[], (80, 24));
    window.presses(&["C-s"]);
    window.until("of 2");
    window.types("bees");
    window.until("1 of 2");
    window.presses(&["C-r"]);
    window.until("name: what do bees do?");
    window.presses(&["C-u"]);
    window.types("Notes of j");
    window.until("name: Notes of j");
    // Nothing is searched with a name, and Esc leaves the old one.
    window.presses(&["Escape"]);
    window.until("what do bees do?");
    window.presses(&["C-r", "C-u"]);
    window.types("About bees 日本");
    window.presses(&["Enter"]);
    window.until("About bees 日本");
    window.until("> bees  1 of 2");
    window.presses(&["Escape"]);
    window.until("idle");
    let list = || scene.house.ask(["session", "list"]).run().expect(0).stdout;
    let listed = list();
    assert!(listed.contains("About bees 日本"), "{listed}");
    // The session that is open here, by a command.
    window.enters("/rename");
    window.until("what is the session to be called?");
    window.enters("/rename The other");
    window.until("the session is called The other");
    assert!(list().contains("The other"));
    window.presses(&["C-d"]);
    window.until_shell();
}

#[test]
fn resume_without_a_name_lists_the_sessions() {
    if is_absent(TMUX) {
        return;
    }
    let scene = Scene::forgetful(Server::openai([Reply::text("Bees dance.")]));
    scene.house.ask(["run", "what do bees do?"]).run().expect(0);
    for size in [(40, 15), (80, 24)] {
        let carl = scene.house.ask(["tui", "--resume"]);
        let mut window = carl.in_window(size);
        window.until("shell$");
        window.types("\"$@\"");
        window.presses(&["Enter"]);
        window.until("1 of 1");
        window.presses(&["Escape"]);
        window.until_shell();
        window.types("\"$@\"");
        window.presses(&["Enter"]);
        window.until("1 of 1");
        window.presses(&["Enter"]);
        window.until("Bees dance.");
        window.until("idle");
        window.presses(&["C-d"]);
        window.until_shell();
    }
}

#[test]
fn the_list_at_the_start_marks_open_sessions() {
    if is_absent(TMUX) {
        return;
    }
    let scene = Scene::forgetful(Server::openai([
        Reply::text("Ants walk."),
        Reply::text("Bees dance."),
    ]));
    scene.house.ask(["run", "what do ants do?"]).run().expect(0);
    let mut first = seat(&scene, &[], (80, 24));
    first.enters("what do bees do?");
    first.until("Bees dance.");
    first.until("idle");
    let mut second = scene.house.ask(["tui", "--resume"]).in_window((80, 24));
    second.until("shell$");
    second.types("\"$@\"");
    second.presses(&["Enter"]);
    let screen = second.until("of 2");
    let row = |text: &str| {
        let mut rows = screen.lines().filter(|row| row.contains(text));
        rows.next()
            .unwrap_or_default()
            .trim_start_matches('>')
            .to_owned()
    };
    let is_open = |text: &str| row(text).trim_start().starts_with('*');
    assert!(is_open("what do bees do?"), "{screen}");
    assert!(!is_open("what do ants do?"), "{screen}");
    second.presses(&["Escape"]);
    second.until_shell();
    first.presses(&["C-d"]);
    first.until_shell();
}

#[test]
fn a_fork_has_what_was_said_and_goes_its_own_way() {
    if is_absent(TMUX) {
        return;
    }
    let scene = Scene::forgetful(Server::openai([
        Reply::text("Bees dance."),
        Reply::text("They sleep."),
    ]));
    let mut window = seat(&scene, &[], (80, 24));
    window.enters("what do bees do?");
    window.until("Bees dance.");
    window.until("idle");
    window.presses(&["C-s"]);
    window.until("1 of 1");
    window.presses(&["C-f"]);
    window.until_gone(SESSIONS);
    window.until_screen("the fork", |screen| count(screen, "Bees dance.") == 2);
    window.until("idle");
    window.enters("at night?");
    window.until("They sleep.");
    window.presses(&["C-d"]);
    window.until_shell();
    assert_eq!(scene.house.session_logs().len(), 2);
}

#[test]
fn pages_show_the_session_and_are_searched() {
    if is_absent(TMUX) {
        return;
    }
    let scene = Scene::forgetful(Server::openai([
        Reply::call("list_files", json!({"path": "."})),
        Reply::text("Nothing there."),
    ]));
    let mut window = seat(&scene, &[], (80, 24));
    window.enters("look around");
    window.until("Nothing there.");
    window.until("idle");
    let before = window.everything();
    window.presses(&["C-t"]);
    let screen = window.until("decision: allow by layer");
    assert!(screen.contains("\"path\": \".\""), "{screen}");
    assert!(screen.contains("result: done in"), "{screen}");
    window.types("/result");
    window.until("/result");
    window.presses(&["Enter"]);
    window.types("nN");
    window.types("/nowhere");
    window.presses(&["Enter"]);
    window.until("not found");
    window.resizes((40, 15));
    window.resizes((80, 24));
    window.types("q");
    window.until_gone("calls: tool calls");
    window.until("idle");
    for (name, shown) in [
        ("context", "system"),
        ("audit", "list_files"),
        ("agents", "no agent was started"),
        ("jobs", "no program runs"),
        ("plan", "no plan and no tasks yet"),
        ("memory", "nothing was recalled in this session"),
        ("models", "scripted-model"),
        ("quality", "no answer was graded, rated or compared yet"),
    ] {
        window.enters(&format!("/inspect {name}"));
        window.until(&format!("{name}: "));
        window.until(shown);
        window.presses(&["Escape"]);
        window.until_gone("Esc closes");
    }
    // The last row is drawn last.
    window.until("idle");
    assert_eq!(window.everything(), before);
    window.enters("/mode plan");
    window.until("mode: plan");
    window.enters("/inspect context");
    window.until("In plan mode a model is sent the task");
    window.presses(&["Escape"]);
    window.until_gone("Esc closes");
    window.enters("/inspect nothing");
    window.until("Type /inspect and one of context");
}

#[test]
fn keys_lead_through_a_long_page_and_turn_its_lines() {
    if is_absent(TMUX) {
        return;
    }
    let content: String = (0..300).map(|n| format!("row {n}\n")).collect();
    let arguments = json!({"path": "a.txt", "content": content});
    let scene = Scene::forgetful(Server::openai([
        Reply::call("write_file", arguments),
        Reply::text("Left alone."),
    ]));
    let mut window = seat(&scene, &["--allow-write", "."], (80, 24));
    window.enters("write it");
    window.until(ANSWER);
    window.types("n");
    window.until(&format!("{ANSWER} n"));
    window.presses(&["Enter"]);
    window.until("Left alone.");
    window.until("idle");
    window.presses(&["C-t"]);
    window.until("calls: tool calls");
    let is_first = |screen: &str| screen.lines().any(|row| row.starts_with('#'));
    // It opens at the newest, which stands last.
    let end = window.until("result: ");
    assert!(!is_first(&end), "{end}");
    window.types("g");
    let top = window.until_screen("its beginning", is_first);
    window.types("G");
    window.until_screen("its end", |screen| !is_first(screen));
    assert_eq!(window.screen(), end);
    window.types("g");
    window.until_screen("its beginning", is_first);
    assert_eq!(window.screen(), top);
    // A line is cut at the edge, or broken.
    let is_broken = |screen: &str| screen.contains("row 60");
    assert!(is_broken(&top), "{top}");
    window.types("w");
    window.until_screen("a line that is cut", |screen| !is_broken(screen));
    window.types("w");
    window.until_screen("a line that is broken", is_broken);
}

#[test]
fn no_key_on_a_page_answers_a_question() {
    if is_absent(TMUX) {
        return;
    }
    let gate = Gate::new();
    let write = json!({"path": "a.txt", "content": "x"});
    let scene = Scene::forgetful(Server::openai([
        Reply::text("")
            .and_wait(&gate)
            .and_call("write_file", write),
        Reply::text("Left alone."),
    ]));
    let mut window = seat(&scene, &["--allow-write", "."], (80, 24));
    window.enters("write it");
    window.until("working");
    window.presses(&["C-s"]);
    window.until("of 1");
    gate.open();
    window.until("! a question waits");
    window.types("y");
    window.until("> y");
    window.presses(&["Escape"]);
    window.until("┃ ? coder wants");
    window.until(ANSWER);
    assert!(!scene.house.has("a.txt"));
    window.presses(&["C-t"]);
    window.until("! a question waits");
    window.types("y");
    window.presses(&["Enter"]);
    window.presses(&["Escape"]);
    let screen = window.until(ANSWER);
    assert!(!screen.contains(&format!("{ANSWER} y")), "{screen}");
    assert!(!scene.house.has("a.txt"));
    window.types("n");
    window.until(&format!("{ANSWER} n"));
    window.presses(&["Enter"]);
    window.until("Left alone.");
    assert!(!scene.house.has("a.txt"));
}
