//! Answers as they stream, what is typed meanwhile, and what stops them.

use crate::{ANSWER, answers, count, first_waits, seat, status};
use scenarios::{Scene, of_kind};
use serde_json::json;
use testkit::{Gate, Reply, Server, TMUX, is_absent};

const MARKDOWN: &str = "# Tides\n\nThe *moon* and the **sun** pull:\n\n- spring tides\n- neap tides\n\n\
                        | when | height |\n|------|-------:|\n| new | 4.1 |\n| half | 2.8 |\n\n\
                        ```sh\ntide --at Bremen\n```\n";

#[test]
fn markdown_streams_and_stays_in_the_scrollback() {
    if is_absent(TMUX) {
        return;
    }
    let gate = Gate::new();
    let scene = Scene::forgetful(Server::openai([Reply::thinking(
        "Bremen lies on the Weser.\nSo look at the tides.",
    )
    .and_text(MARKDOWN)
    .and_wait(&gate)
    .and_text("\nAnd that is *all* of it.")]));
    let mut window = seat(&scene, &[], (80, 24));
    window.enters("how are the tides?");
    let screen = window.until("tide --at Bremen");
    assert!(screen.contains("working"), "{screen}");
    gate.open();
    window.until("that is all of it.");
    window.until("idle");
    let screen = window.everything();
    for part in [
        "> how are the tides?",
        "thought (2 lines; Ctrl+O",
        "# Tides",
        "The moon and the sun pull:",
        "- neap tides",
        "when | height",
        "half |    2.8",
        "```sh\ntide --at Bremen\n```",
    ] {
        assert_eq!(count(&screen, part), 1, "`{part}`:\n{screen}");
    }
    // Thinking can be had whole.
    window.presses(&["C-o"]);
    window.until("Bremen lies on the Weser.");
    let all = window.everything();
    assert!(
        all.lines().all(|line| line == line.trim_end()),
        "no line is padded:\n{all}"
    );
}

#[test]
fn what_is_typed_meanwhile_waits_and_can_be_taken_back() {
    if is_absent(TMUX) {
        return;
    }
    let (scene, gate) = first_waits();
    let mut window = seat(&scene, &[], (80, 24));
    window.enters("question one");
    window.until("Begun.");
    window.enters("question two");
    window.until("waiting (Ctrl+X takes back): question two");
    window.enters("question three");
    window.until("waiting (Ctrl+X takes back): question three");
    window.presses(&["C-x"]);
    window.until("taken back: question three");
    window.until("> question three");
    window.presses(&["C-u"]);
    window.until_gone("> question three");
    gate.open();
    window.until("Second.");
    let screen = window.until("idle");
    let first = screen.find("First.").unwrap();
    let second = screen.find("> question two").unwrap();
    assert!(first < second, "{screen}");
    assert_eq!(scene.server.chats().len(), 2);
}

#[test]
fn a_message_of_another_window_is_not_taken_back() {
    if is_absent(TMUX) {
        return;
    }
    let (scene, gate) = first_waits();
    let mut one = seat(&scene, &[], (80, 24));
    one.enters("question one");
    one.until("Begun.");
    let carl = scene.house.ask(["tui", "--resume", "last"]);
    let mut other = carl.in_window((80, 24));
    other.until("shell$");
    other.types("\"$@\"");
    other.presses(&["Enter"]);
    other.until("working");
    other.enters("from beside");
    other.until("waiting (Ctrl+X takes back): from beside");
    one.until("waiting, of another window: from beside");
    one.presses(&["C-x"]);
    one.until("no message of this window waits");
    gate.open();
    one.until("Second.");
    other.until("Second.");
    assert_eq!(scene.server.chats().len(), 2);
}

#[test]
fn escape_stops_what_runs() {
    if is_absent(TMUX) {
        return;
    }
    let gate = Gate::new();
    let scene = Scene::forgetful(Server::openai([
        Reply::text("Begun.\n\n").and_wait(&gate),
        Reply::text("Another."),
    ]));
    let mut window = seat(&scene, &[], (80, 24));
    window.enters("question one");
    window.until("Begun.");
    window.presses(&["Escape"]);
    window.until("interrupted");
    window.until("idle");
    scene.server.wait_for_hang_ups(1);
    window.enters("question two");
    window.until("Another.");
}

#[test]
fn an_answer_that_is_stopped_is_not_the_text_before_it() {
    if is_absent(TMUX) {
        return;
    }
    let gate = Gate::new();
    let scene = Scene::forgetful(Server::openai([
        Reply::text("First I look.").and_call("list_files", json!({"path": "."})),
        Reply::text("Then I write").and_wait(&gate),
    ]));
    let mut window = seat(&scene, &["--mode", "loop"], (80, 24));
    window.enters("look and write");
    window.until("Then I write");
    window.presses(&["Escape"]);
    window.until("interrupted");
    window.until("idle");
    let all = window.everything();
    assert_eq!(count(&all, "First I look."), 1, "{all}");
    assert_eq!(count(&all, "Then I write"), 1, "{all}");
    window.presses(&["C-d"]);
    window.until_shell();
    let record = scene.house.ask(["session", "show", "last"]).run().expect(0);
    let record = record.stdout;
    assert!(
        record.contains("## Answer, broken off\n\nThen I write"),
        "{record}"
    );
    assert_eq!(count(&record, "First I look."), 1, "{record}");
    let window = seat(&scene, &["--resume", "last"], (80, 24));
    let screen = window.screen();
    assert!(screen.contains("First I look."), "{screen}");
    assert!(screen.contains("\nThen I write"), "{screen}");
    assert!(
        screen.contains("· stopped; above is what had come"),
        "{screen}"
    );
}

#[test]
fn commands_change_how_it_works_and_unknown_ones_say_so() {
    if is_absent(TMUX) {
        return;
    }
    let scene = Scene::forgetful(Server::openai([Reply::text("Hello.")]));
    let mut window = seat(&scene, &[], (100, 30));
    window.enters("/mode plan");
    window.until("mode: plan");
    window.presses(&["BTab"]);
    window.until("mode: deterministic");
    window.enters("/mode loop");
    window.until("mode: loop");
    window.enters("/nonsense");
    window.until("there is no command /nonsense");
    window.enters("hello");
    window.until("Hello.");
    window.until("idle");
    window.enters("/model scripted-model");
    window.until("· model: scripted/scripted-model");
    window.enters("/model nothing-like-it");
    window.until("there is no model `nothing-like-it`");
    window.enters("/context");
    window.until("identity");
    window.enters("/new");
    // The list of commands says that it is new as well.
    window.until("goes on with the one before");
    window.presses(&["?"]);
    window.until("Alt+Enter, Ctrl+J");
    window.presses(&["Down"; 40]);
    window.until("/agents");
    window.presses(&["Escape"]);
    window.until_gone("PageDown scroll; Esc closes");
    window.enters("/quit");
    window.until_shell();
    assert_eq!(scene.house.session_logs().len(), 2);
}

#[test]
fn a_folder_that_is_remembered_as_open_is_open_in_the_next_session_of_the_window() {
    if is_absent(TMUX) {
        return;
    }
    let note = |path: &str| json!({"path": path, "content": "1", "mode": "overwrite"});
    let scene = Scene::forgetful(Server::openai([
        Reply::call("write_file", note("one.txt")),
        Reply::text("Written."),
        Reply::call("write_file", note("two.txt")),
        Reply::text("Written as well."),
    ]));
    let mut window = seat(&scene, &[], (100, 30));
    window.enters("write one");
    let screen = window.until(ANSWER);
    assert!(screen.contains("not open for writing"), "{screen}");
    answers(&mut window, "r");
    window.until("remembered; `carl policy forget");
    window.until("idle");
    window.enters("/new");
    window.until("goes on with the one before");
    window.enters("write two");
    let screen = window.until(ANSWER);
    assert!(!screen.contains("not open for writing"), "{screen}");
    answers(&mut window, "y");
    window.until("Written as well.");
    assert_eq!(scene.house.read("two.txt"), "1");
}

#[test]
fn a_session_goes_on_with_its_last_exchange_shown() {
    if is_absent(TMUX) {
        return;
    }
    let scene = Scene::forgetful(Server::openai([
        Reply::text("Bees **dance**."),
        Reply::text("They do."),
    ]));
    let mut window = seat(&scene, &[], (80, 24));
    window.enters("what do bees do?");
    window.until("Bees dance.");
    window.until("idle");
    window.presses(&["C-d"]);
    window.until_shell();
    drop(window);
    let mut window = seat(&scene, &["--resume", "last"], (80, 24));
    let screen = window.screen();
    assert!(screen.contains("> what do bees do?"), "{screen}");
    assert!(screen.contains("Bees dance."), "{screen}");
    // What was typed before is there as well.
    window.presses(&["Up"]);
    window.until_screen("history", |screen| count(screen, "> what do bees do?") == 2);
    window.presses(&["C-u"]);
    window.enters("really?");
    window.until("They do.");
    let logs = scene.house.session_logs();
    assert_eq!(logs.len(), 1);
    let log = testkit::house::json_lines(&logs[0]);
    assert_eq!(of_kind(&log, "query_received").len(), 2);
}

#[test]
fn a_model_and_a_mode_are_chosen_from_lists() {
    if is_absent(TMUX) {
        return;
    }
    let scene = Scene::forgetful(Server::openai([]));
    let mut window = seat(&scene, &[], (100, 30));
    // What would be asked is known before anything is.
    let has_model = |screen: &str| status(screen).contains("scripted/scripted-model");
    window.until_screen("the model in the status line", has_model);
    assert!(scene.server.chats().is_empty());
    window.enters("/model");
    window.until("models: type to search");
    let page = window.until("  scripted/scripted-model");
    assert!(
        page.contains("* default: what suits the agent type coder, now scripted/scripted-model"),
        "{page}"
    );
    window.types("no such");
    window.until("0 of ");
    window.presses(&["C-u", "Down", "Enter"]);
    window.until("· model: scripted/scripted-model");
    window.enters("/model");
    window.until("* scripted/scripted-model");
    window.presses(&["Escape"]);
    window.until_gone("models: type to search");
    window.enters("/mode");
    let page = window.until("modes: type to search");
    assert!(page.contains("* adaptive"), "{page}");
    window.types("approve");
    window.until("1 of 6");
    window.presses(&["Enter"]);
    window.until("· mode: plan");
    window.enters("/mode");
    window.until("* plan");
    window.presses(&["Escape"]);
    window.until_gone("modes: type to search");
    // Where no model is asked none is named.
    window.enters("/model default");
    window.until("model: what suits the agent type coder");
    window.until_screen("the model in the status line", has_model);
    window.enters("/mode deterministic");
    window.until_screen("no model", |screen| !has_model(screen));
}

#[test]
fn a_session_goes_on_with_what_was_said_shown() {
    if is_absent(TMUX) {
        return;
    }
    let long = |sign: &str| {
        let lines = (0..1_100).map(|number| format!("{sign}{number}\n"));
        format!("```\n{}```\n", lines.collect::<String>())
    };
    let scene = Scene::forgetful(Server::openai([
        Reply::call("read_file", json!({"path": "a.txt"})),
        Reply::text("It is about bees."),
        Reply::text("Ants walk."),
        Reply::text(long("a")),
        Reply::text(long("b")),
    ]));
    scene.house.write("a.txt", "bees");
    let mut window = seat(&scene, &["--mode", "loop"], (200, 40));
    window.enters("read a.txt");
    window.until("It is about bees.");
    window.until("idle");
    window.enters("and ants?");
    window.until("Ants walk.");
    window.until("idle");
    window.presses(&["C-d"]);
    window.until_shell();
    drop(window);
    let mut window = seat(&scene, &["--resume", "last", "--mode", "loop"], (200, 40));
    let screen = window.screen();
    let parts = [
        "> read a.txt",
        "→ read_file path=a.txt: done",
        "It is about bees.",
        "> and ants?",
        "Ants walk.",
    ];
    let places = parts.map(|part| screen.find(part));
    assert!(
        places.iter().all(Option::is_some) && places.is_sorted(),
        "{screen}"
    );
    assert!(!screen.contains("not shown"), "{screen}");
    for end in ["a1099", "b1099"] {
        window.enters("more words");
        window.until(end);
        window.until("idle");
    }
    window.presses(&["C-d"]);
    window.until_shell();
    drop(window);
    // There is no room for all of it.
    let mut window = seat(&scene, &["--resume", "last", "--mode", "loop"], (200, 40));
    window.enters("/inspect history");
    window.until("history: exchanges 1 to 4 of 4");
    window.until(" you, ");
    window.types("/about bees");
    window.presses(&["Enter"]);
    window.until("It is about bees.");
    window.types("g");
    window.until("→ read_file path=a.txt");
    window.presses(&["Escape", "Escape"]);
    window.until_gone("history: exchanges");
    let all = window.everything();
    let note = "3 earlier exchanges are not shown: /inspect history has them";
    assert!(all.contains(note) && all.contains("b1099"), "{all}");
    assert!(!all.contains("a1099"), "{all}");
}

#[test]
fn code_has_colours_and_copies_as_it_is() {
    if is_absent(TMUX) {
        return;
    }
    let code: String = (0..30)
        .map(|n| match n {
            4 => "    /* a comment that\n".to_owned(),
            5 => "       goes on */\n".to_owned(),
            n => format!("    let a{n} = \"text\";\n"),
        })
        .collect();
    let gate = Gate::new();
    let scene = Scene::forgetful(Server::openai([Reply::text(format!("```rust\n{code}"))
        .and_wait(&gate)
        .and_text("```\n\n```unheard-of\nlet b;\n```\n")]));
    let mut window = seat(&scene, &[], (80, 24));
    window.enters("code, please");
    // Lines leave while the block goes on.
    window.until("let a29 = \"text\";");
    gate.open();
    window.until("let b;");
    window.until("idle");
    let all = window.everything();
    assert!(all.contains(&format!("```rust\n{code}```\n")), "{all}");
    let coloured = window.coloured();
    for part in [
        "\u{1b}[35mlet",
        "\u{1b}[32m\"text\"",
        "\u{1b}[2m/* a comment that\n       goes on */\n",
        "\u{1b}[36mlet b;",
    ] {
        let found = ["[0m", "[39m", "[49m"]
            .iter()
            .fold(coloured.clone(), |found, code| {
                found.replace(&format!("\u{1b}{code}"), "")
            });
        assert!(found.contains(part), "{part:?}: {found:?}");
    }
}

#[test]
fn the_next_model_is_that_of_the_provider_that_was_named() {
    if is_absent(TMUX) {
        return;
    }
    let other = Server::openai([Reply::text("Hello from there.")]);
    let scene = Scene::forgetful(Server::openai([]));
    let second = other.config("openai");
    let at = second.find("[models.providers.scripted]").unwrap();
    let second = second[at..].replace("providers.scripted", "providers.second");
    let first = scene.server.config("openai");
    scene.house.configure(&format!(
        "{first}\n{second}\n[memory]\nrecall = false\ncapture = false\n"
    ));
    let mut window = seat(&scene, &["--provider", "second"], (100, 30));
    let has_model = |screen: &str| status(screen).contains("second/scripted-model");
    let screen = window.until_screen("the model in the status line", has_model);
    assert!(!screen.contains("scripted/"), "{screen}");
    assert!(
        other.chats().is_empty(),
        "it is known before anything is asked"
    );
    window.enters("hello");
    window.until("Hello from there.");
    window.until_screen("the same model", has_model);
}

#[test]
fn pieces_that_came_while_it_stood_still_are_all_shown() {
    if is_absent(TMUX) {
        return;
    }
    let gate = Gate::new();
    let mut reply = Reply::text("Begun. ").and_wait(&gate);
    for number in 1_000..3_000 {
        reply = reply.and_text(format!("n{number}\n\n"));
    }
    let scene = Scene::forgetful(Server::openai([reply.and_text("\n\nThe end.")]));
    let mut serving = seat(&scene, &[], (80, 24));
    serving.enters("go");
    serving.until("Begun.");
    let carl = scene.house.ask(["tui", "--resume", "last"]);
    let mut other = carl.env("TERM", "xterm-256color").seated();
    other.until("Begun.");
    other.stands_still();
    gate.open();
    serving.until("The end.");
    other.continues();
    other.until("The end.");
    for number in 1_000..3_000 {
        let word = format!("n{number}");
        assert!(other.shown().contains(&word), "`{word}`");
    }
}

#[test]
fn a_session_without_a_word_is_not_gone_on_with() {
    if is_absent(TMUX) {
        return;
    }
    let scene = Scene::forgetful(Server::openai([Reply::text("Hello.")]));
    let mut window = seat(&scene, &[], (80, 24));
    window.enters("hi there");
    window.until("Hello.");
    window.until("idle");
    window.presses(&["C-d"]);
    window.until_shell();
    let mut window = seat(&scene, &[], (80, 24));
    window.presses(&["C-d"]);
    window.until_shell();
    assert_eq!(scene.house.session_logs().len(), 2);
    let mut window = seat(&scene, &["--resume", "last"], (80, 24));
    let screen = window.until("hi there");
    assert!(screen.contains("Hello."), "{screen}");
}

#[test]
fn what_rules_show_of_files_stands_as_it_is() {
    if is_absent(TMUX) {
        return;
    }
    let scene = Scene::forgetful(Server::openai([]));
    let text = "* glob\n__init__ _x_\n\n    indented  twice\n# no heading\n- [ ] *a*";
    scene.house.write("notes.cfg", text);
    scene.house.write("shop/__init__.py", "");
    let mut window = seat(&scene, &["--mode", "deterministic"], (80, 40));
    window.enters("show notes.cfg");
    let screen = window.until("- [ ] *a*");
    assert!(screen.contains(text), "{screen}");
    window.enters("list the files in shop");
    window.until("__init__.py");
    window.presses(&["C-d"]);
    window.until_shell();
    // Also where it goes on, and in the panes.
    for args in [&["--resume", "last"][..], &["--resume", "last", "--panes"]] {
        let mut window = seat(&scene, args, (160, 40));
        let screen = window.until("__init__.py");
        for row in [
            "* glob",
            "__init__ _x_",
            "    indented  twice",
            "# no heading",
        ] {
            assert!(screen.contains(row), "`{row}`:\n{screen}");
        }
        window.presses(&["C-d"]);
        window.until_shell();
    }
}

#[test]
fn lines_that_a_plan_quotes_stand_as_they_are() {
    if is_absent(TMUX) {
        return;
    }
    // The plan of a tiny model is told by rules as well, though its mode is another.
    let scene = Scene::of_class("tiny", []);
    let text = "call __init__ of *tea*\ncall __init__ of *milk*\ncall __init__ of *rum*\n";
    scene.house.write("calls.txt", text);
    let mut window = seat(&scene, &[], (100, 40));
    window.enters("which __init__ should Ann call in calls.txt?");
    let screen = window.until("__init__ of *rum*");
    for row in ["tea", "milk", "rum"] {
        let row = format!("call __init__ of *{row}*");
        let is_alone = |line: &&str| line.contains(&row) && line.matches("call").count() == 1;
        assert_eq!(screen.lines().filter(is_alone).count(), 1, "{screen}");
    }
    assert!(
        screen.contains("plan mode, since the model is tiny"),
        "{screen}"
    );
}
