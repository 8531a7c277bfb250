//! Panes: opened and left, scrolled while it streams, and asked in.

use crate::hostile::{HOSTILE, moves};
use crate::{ANSWER, count, seat};
use scenarios::Scene;
use serde_json::json;
use testkit::{Gate, Reply, Server, TMUX, Window, is_absent};

/// The names of the panes, as they begin their rows.
const NAMES: [&str; 3] = ["▎ activity", "▎ conversation", "▎ tools"];

/// Whether all panes are on the screen.
fn has_all(screen: &str) -> bool {
    NAMES.iter().all(|name| screen.contains(name))
}

fn opens(window: &mut Window) -> String {
    window.presses(&["F2"]);
    window.until_screen("panes", has_all)
}

/// Numbered lines, each a paragraph.
fn numbered(from: usize, count: usize) -> String {
    (from..from + count)
        .map(|number| format!("answer row {number} here\n\n"))
        .collect()
}

#[test]
fn panes_show_a_call_with_its_decision_and_result() {
    if is_absent(TMUX) {
        return;
    }
    let scene = Scene::forgetful(Server::openai([
        Reply::thinking("First I read the note.")
            .and_call("read_file", json!({"path": "note.txt"})),
        Reply::text("It has **three** lines."),
        Reply::text("You are welcome."),
    ]));
    scene.house.write("note.txt", "alpha\nbeta\ngamma\n");
    let mut window = seat(&scene, &["--panes"], (120, 40));
    let screen = window.screen();
    assert!(has_all(&screen), "{screen}");
    window.enters("what is in it?");
    window.until("It has three lines.");
    let screen = window.until("idle");
    for part in [
        "· thought: First I read the note.",
        "\"path\": \"note.txt\"",
        "decision: allow by layer",
        "result: done in",
        "| gamma",
        "▎ > what is in it?",
    ] {
        assert!(screen.contains(part), "`{part}`:\n{screen}");
    }
    // Nothing of it is lost or there twice once they are left.
    window.enters("/panes");
    window.until_screen("the normal screen", |screen| !has_all(screen));
    window.until("idle");
    let all = window.everything();
    for part in ["▎ > what is in it?", "→ read_file", "It has three lines."] {
        assert_eq!(count(&all, part), 1, "`{part}`:\n{all}");
    }
    // Opened again by the key, they have what was before.
    let screen = opens(&mut window);
    assert!(screen.contains("decision: allow by layer"), "{screen}");
    window.enters("thank you");
    window.until("You are welcome.");
    window.until("idle");
    window.presses(&["F2"]);
    window.until_screen("the normal screen", |screen| !has_all(screen));
    window.presses(&["C-d"]);
    window.until_shell();
    let all = window.everything();
    for part in ["▎ > what is in it?", "▎ > thank you", "You are welcome."] {
        assert_eq!(count(&all, part), 1, "`{part}`:\n{all}");
    }
}

#[test]
fn panes_of_a_resumed_session_have_its_past() {
    if is_absent(TMUX) {
        return;
    }
    let scene = Scene::forgetful(Server::openai([
        Reply::call("list_files", json!({"path": "."})),
        Reply::text("Bees **dance**."),
        Reply::text("They do."),
    ]));
    let told = scene.house.ask(["run", "what do bees do?"]).run().expect(0);
    assert!(told.stdout.contains("dance"), "{told:?}");
    let mut window = seat(&scene, &["--panes", "--resume", "last"], (120, 40));
    window.until("list_files");
    window.until("▎ > what do bees do?");
    window.enters("really?");
    let screen = window.until("They do.");
    let (past, now) = (screen.find("Bees dance."), screen.find("They do."));
    assert!(past.is_some() && past < now, "{screen}");
}

#[test]
fn what_is_read_in_a_pane_does_not_move_while_it_streams() {
    if is_absent(TMUX) {
        return;
    }
    let (one, two) = (Gate::new(), Gate::new());
    let scene = Scene::forgetful(Server::openai([Reply::text(numbered(100, 60))
        .and_wait(&one)
        .and_text(numbered(200, 60))
        .and_wait(&two)
        .and_text("The end.")]));
    let mut window = seat(&scene, &["--panes"], (100, 30));
    window.enters("go");
    window.until("answer row 159");
    window.presses(&["PageUp"]);
    let before = window.until("more below");
    let rows = |screen: &str| -> Vec<String> {
        let rows = screen.lines().filter_map(|row| row.split('│').next());
        let rows = rows.filter(|row| row.starts_with("answer row"));
        rows.map(|row| row.trim_end().to_owned()).collect()
    };
    assert!(!rows(&before).is_empty(), "{before}");
    one.open();
    let after = window.until(" new");
    assert_eq!(rows(&before), rows(&after), "{after}");
    assert!(!after.contains("answer row 259"), "{after}");
    // At its end it goes on with what comes.
    window.presses(&["End"]);
    window.until("answer row 259");
    two.open();
    window.until("The end.");
    window.presses(&["F2"]);
    window.until_screen("the normal screen", |screen| !has_all(screen));
    window.until("idle");
    let all = window.everything();
    for number in (100..160).chain(200..260) {
        let row = format!("answer row {number} here");
        assert_eq!(count(&all, &row), 1, "`{row}`:\n{all}");
    }
}

#[test]
fn panes_are_zoomed_and_searched() {
    if is_absent(TMUX) {
        return;
    }
    let scene = Scene::forgetful(Server::openai([
        Reply::call("read_file", json!({"path": "long.txt"})),
        Reply::text("Read."),
    ]));
    let long: String = (0..90).map(|n| format!("result row {n};\n")).collect();
    scene.house.write("long.txt", long);
    let mut window = seat(&scene, &["--panes"], (100, 30));
    window.enters("read it");
    window.until("Read.");
    window.until("idle");
    window.presses(&["Tab", "F3"]);
    let screen = window.until("activity conversation [tools]");
    assert!(!screen.contains("▎ > read it"), "{screen}");
    window.presses(&["C-f"]);
    window.until("search:");
    window.types("ROW 17;");
    window.presses(&["Enter"]);
    window.until("result row 17;");
    window.types("nowhere");
    window.presses(&["Enter"]);
    window.until("not found");
    window.presses(&["Escape"]);
    window.until_gone("not found");
    // Beside marks no text is typed, and a slash searches as well.
    window.presses(&["F4"]);
    window.until("Enter copies");
    window.types("/row 5");
    window.until("search: row 5 ");
    window.presses(&["Enter"]);
    window.until("result row 5;");
    window.presses(&["Escape"]);
    window.until_gone("search:");
    window.enters("/panes zoom");
    window.until_screen("panes", has_all);
    // On a small terminal they stand one at a time.
    window.resizes((40, 15));
    window.until("activity conversation [tools]");
    window.presses(&["Tab"]);
    let screen = window.until("[activity] conversation tools");
    assert!(screen.contains("→ read_file"), "{screen}");
    window.resizes((100, 30));
    window.until_screen("panes", has_all);
    window.presses(&["F2"]);
    window.until_screen("the normal screen", |screen| !has_all(screen));
    let all = window.everything();
    assert_eq!(count(&all, "→ read_file"), 1, "{all}");
    assert_eq!(count(&all, "Read."), 1, "{all}");
}

#[test]
fn a_question_in_panes_is_answered_as_elsewhere() {
    if is_absent(TMUX) {
        return;
    }
    let gate = Gate::new();
    let write = |path: &str| json!({"path": path, "content": "x"});
    let scene = Scene::forgetful(Server::openai([
        Reply::text("Begun.\n\n")
            .and_wait(&gate)
            .and_call("write_file", write("a.txt")),
        Reply::call("write_file", write("b.txt")),
        Reply::text("Done."),
    ]));
    let mut window = seat(&scene, &["--panes", "--allow-write", "."], (100, 40));
    window.enters("write it");
    window.until("Begun.");
    // Keys of a search answer nothing, and neither does what was typed when the question came.
    window.presses(&["C-f"]);
    window.until("search:");
    gate.open();
    window.until("1 question waits");
    window.types("y");
    window.until("search: y");
    window.presses(&["Enter", "Escape"]);
    let screen = window.until(ANSWER);
    assert!(!screen.contains(&format!("{ANSWER} y")), "{screen}");
    assert!(screen.contains("┃ ? coder wants"), "{screen}");
    assert!(screen.contains("▎ conversation"), "{screen}");
    assert!(!scene.house.has("a.txt"));
    // Another layout takes an answer back that was begun.
    window.types("y");
    window.until(&format!("{ANSWER} y"));
    window.presses(&["F2"]);
    window.until_gone("▎ conversation");
    window.presses(&["F2"]);
    let screen = window.until("▎ conversation");
    assert!(!screen.contains(&format!("{ANSWER} y")), "{screen}");
    window.until(ANSWER);
    window.types("y");
    window.until(&format!("{ANSWER} y"));
    window.presses(&["Enter"]);
    window.until("b.txt");
    assert!(scene.house.has("a.txt"));
    window.until(ANSWER);
    window.types("n");
    window.until(&format!("{ANSWER} n"));
    window.presses(&["Enter"]);
    window.until("Done.");
    assert!(!scene.house.has("b.txt"));
    window.presses(&["F2"]);
    window.until_gone("▎ conversation");
    window.until("idle");
    let all = window.everything();
    assert_eq!(count(&all, "you answered yes, this once"), 1, "{all}");
}

#[test]
fn pages_open_over_panes_and_close_back_into_them() {
    if is_absent(TMUX) {
        return;
    }
    let scene = Scene::forgetful(Server::openai([Reply::text("Hello.")]));
    let mut window = seat(&scene, &["--panes"], (100, 30));
    window.enters("hello");
    window.until("Hello.");
    window.until("idle");
    let before = window.screen();
    window.presses(&["C-t"]);
    window.until("calls: tool calls");
    window.presses(&["Escape"]);
    window.until_screen("panes", has_all);
    window.until("idle");
    assert_eq!(window.screen(), before);
    window.presses(&["?"]);
    window.until("PageDown scroll; Esc closes");
    window.presses(&["Escape"]);
    window.until_gone("Esc closes");
    window.until("idle");
    assert_eq!(window.screen(), before);
}

#[test]
fn hostile_text_stays_within_its_pane() {
    if is_absent(TMUX) {
        return;
    }
    let wide = "👨\u{200d}👩\u{200d}👧 🇩🇪 ☺\u{fe0f} e\u{301}\u{301} 日本 ﷽ ";
    let fence = format!("```{HOSTILE}\n{HOSTILE}\n```\n\n");
    let scene = Scene::forgetful(Server::openai([
        Reply::thinking(format!("{HOSTILE}\n{wide}"))
            .and_text(format!("{HOSTILE}\n\n{wide}{wide}{wide}\n\n{fence}"))
            .and_call("read_file", json!({"path": format!("{HOSTILE}{wide}")})),
        Reply::text(
            "│ ▎ tools ━━━\n\n▎ tools ━━━\n\n  decision: allow by layer path\n\n┃ > y\n\nEnd of it.",
        ),
    ]));
    let mut window = seat(&scene, &["--panes"], (100, 40));
    let title = window.title();
    window.enters("go");
    window.until("End of it.");
    let screen = window.until("idle");
    assert!(!screen.contains(moves), "{screen:?}");
    assert_eq!(window.title(), title);
    assert_eq!(count(&screen, "▎ tools"), 1, "no name is forged:\n{screen}");
    assert_eq!(count(&screen, "┃"), 0, "no question is forged:\n{screen}");
    let rows: Vec<&str> = screen.lines().collect();
    assert!(rows[0].contains("│▎ tools"), "{screen}");
    let bordered = rows.iter().take(38).filter(|row| row.contains('│'));
    assert_eq!(bordered.count(), 38, "{screen}");
    // What was there before is there still.
    window.presses(&["F2"]);
    window.until_screen("the normal screen", |screen| !has_all(screen));
    let all = window.everything();
    assert!(all.contains("? shows the keys"), "{all}");
    assert!(!all.contains(moves), "{all:?}");
}

#[test]
fn panes_leave_the_main_screen_however_they_end() {
    if is_absent(TMUX) {
        return;
    }
    for (signal, is_asked) in [("TERM", true), ("HUP", true), ("KILL", false)] {
        let gate = Gate::new();
        let scene = Scene::forgetful(Server::openai([
            Reply::text("First answer."),
            Reply::text("Half of the second\n\n").and_wait(&gate),
        ]));
        let carl = scene.house.ask(["tui", "--panes"]);
        let mut window = carl.in_window((100, 30));
        window.until("shell$");
        let before = window.shell("stty -a");
        window.types("echo what stood before");
        window.presses(&["Enter"]);
        window.starts();
        window.enters("one");
        window.until("First answer.");
        window.until("idle");
        window.enters("two");
        window.until("Half of the second");
        window.signals(signal);
        if !is_asked {
            // Nobody can set the terminal back but who comes after.
            window.types("tput rmcup; stty sane");
            window.presses(&["Enter"]);
        }
        window.until_screen("the shell", |screen| {
            !has_all(screen) && screen.trim_end().ends_with("shell$")
        });
        let all = window.everything();
        assert!(all.contains("what stood before"), "{signal}: {all}");
        if is_asked {
            assert_eq!(before, window.shell("stty -a"), "{signal}");
        }
        if signal == "TERM" {
            assert_eq!(count(&all, "First answer."), 1, "{all}");
        }
        drop(window);
        let window = seat(&scene, &["--resume", "last"], (100, 30));
        let screen = window.screen();
        assert!(screen.contains("Half of the second"), "{signal}: {screen}");
    }
}

#[test]
fn panes_go_on_after_a_stop_and_other_sizes() {
    if is_absent(TMUX) {
        return;
    }
    let (one, two) = (Gate::new(), Gate::new());
    let scene = Scene::forgetful(Server::openai([Reply::text("First block.\n\nSecond bl")
        .and_wait(&one)
        .and_text("ock.\n\nThird bl")
        .and_wait(&two)
        .and_text("ock.")]));
    let mut window = seat(&scene, &["--panes"], (100, 30));
    window.enters("go");
    window.until("Second bl");
    window.resizes((40, 15));
    window.until("[conversation]");
    one.open();
    window.until("Third bl");
    window.presses(&["C-z"]);
    window.until("Stopped");
    window.types("fg");
    window.presses(&["Enter"]);
    window.until("[conversation]");
    window.resizes((100, 30));
    window.until_screen("panes", has_all);
    two.open();
    window.until("Third block.");
    window.until("idle");
    window.presses(&["F2"]);
    window.until_screen("the normal screen", |screen| !has_all(screen));
    window.until("idle");
    let all = window.everything();
    for part in ["First block.", "Second block.", "Third block.", "▎ > go"] {
        assert_eq!(count(&all, part), 1, "`{part}`:\n{all}");
    }
}

#[test]
fn the_mouse_scrolls_panes_where_it_is_wanted() {
    if is_absent(TMUX) {
        return;
    }
    let text: String = (0..60).map(|at| format!("line {at}\n\n")).collect();
    for is_wanted in [true, false] {
        let scene = Scene::forgetful(Server::openai([Reply::text(text.clone())]));
        let carl = scene.house.ask(["tui", "--panes"]);
        let mouse = if is_wanted { "true" } else { "false" };
        let carl = carl.env("CARL_TUI__MOUSE", mouse);
        let mut window = carl.in_window((120, 30));
        window.starts();
        assert_eq!(window.gives_mouse(), is_wanted);
        if !is_wanted {
            continue;
        }
        window.enters("go");
        window.until("line 59");
        window.until("idle");
        // The wheel, up, over the conversation.
        window.sends(b"\x1b[<64;10;15M");
        window.until("3 more below");
        window.sends(b"\x1b[<0;100;5M\x1b[<0;100;5m");
        window.until("tools ━");
        // On the normal screen it is the terminal's, and so it is for the shell.
        window.presses(&["F2"]);
        window.until_gone("tools ━");
        assert!(!window.gives_mouse());
        window.presses(&["F2"]);
        window.until("tools ━");
        assert!(window.gives_mouse());
        window.presses(&["C-z"]);
        window.until("Stopped");
        assert!(!window.gives_mouse());
        window.types("fg");
        window.presses(&["Enter"]);
        window.until("tools ━");
        assert!(window.gives_mouse());
        window.signals("TERM");
        window.until_shell();
        assert!(!window.gives_mouse());
    }
}

#[test]
fn panes_show_how_far_a_plan_is() {
    if is_absent(TMUX) {
        return;
    }
    let gate = Gate::new();
    let plan = json!({
        "intent": "Note the news.",
        "actions": [
            {"kind": "create_file", "path": "news.md", "content": "News\n"},
            {"kind": "answer", "question": "What is new?"},
        ],
    });
    let scene = Scene::forgetful(Server::openai([
        Reply::text(plan.to_string()),
        Reply::text("It ").and_wait(&gate).and_text("is news."),
    ]));
    let args = ["--panes", "--mode", "plan", "--allow-write", "."];
    let mut window = seat(&scene, &args, (120, 40));
    window.enters("note the news");
    crate::answers(&mut window, "y");
    let screen = window.until("step 2 of 2");
    assert!(has_all(&screen), "{screen}");
    gate.open();
    window.until("It is news.");
    let screen = window.until("idle");
    assert!(!screen.contains("step 2 of 2"), "{screen}");
    // The yes that the guard let the call pass by stands with it.
    assert!(screen.contains("plan approved (by you)"), "{screen}");
    window.enters("/inspect calls");
    window.until("plan approved (by you)");
}
