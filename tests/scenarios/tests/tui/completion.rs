//! What can be taken for the word at the cursor.

use crate::{ANSWER, seat};
use scenarios::Scene;
use serde_json::json;
use testkit::{Reply, Server, TMUX, is_absent};

#[test]
fn tab_takes_a_command_or_a_file() {
    if is_absent(TMUX) {
        return;
    }
    let scene = Scene::forgetful(Server::openai([Reply::text("Seen.")]));
    scene.house.write("notes/old plans.md", "x");
    scene.house.write("notes/ideas.md", "x");
    scene.house.write("bad\u{1b}[2Jname.md", "x");
    scene.house.write("turned\u{202e}dm.exe", "x");
    for size in [(40, 15), (80, 24)] {
        let mut window = seat(&scene, &[], size);
        window.types("/re");
        let screen = window.until("/rewind");
        assert!(screen.contains("* /retry"), "{screen}");
        window.presses(&["Down", "Tab"]);
        window.until("> /rewind");
        window.until_gone("/retry");
        window.presses(&["C-u"]);
        window.until_gone("> /rewind");
        // Names of files neither move nor hide.
        window.types("look at @");
        let screen = window.until("turned\\u{202e}dm.exe");
        assert!(!screen.contains("name.md"), "{screen}");
        window.types("opl");
        window.until_screen("the one that fits", |screen| {
            screen.contains("* notes/old plans.md") && !screen.contains("ideas")
        });
        window.presses(&["Tab"]);
        window.until_screen("the name in quotes", |screen| {
            let screen = screen.replace(['\n', ' '], "");
            screen.contains(">lookat@\"notes/oldplans.md\"")
        });
        window.presses(&["C-c"]);
        window.until_gone("look at");
        // Enter takes a file that is begun, and sends nothing.
        window.types("see @ide");
        window.until("* notes/ideas.md");
        window.presses(&["Enter"]);
        window.until("> see @notes/ideas.md");
        assert!(scene.server.chats().is_empty());
        window.presses(&["C-c"]);
        window.until_gone("> see");
        // Escape closes the list and leaves what is typed.
        window.types("/mo");
        window.until("* /mode");
        window.presses(&["Escape"]);
        window.until_gone("* /mode");
        window.presses(&["C-u", "C-d"]);
        window.until_shell();
    }
}

#[test]
fn beside_a_question_nothing_is_completed() {
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
    window.types("n @");
    window.until(&format!("{ANSWER} n @"));
    window.presses(&["Tab"]);
    window.types("/mo");
    let screen = window.until("> /mo");
    assert!(!screen.contains("* /mode"), "{screen}");
    window.presses(&["C-u"]);
    window.until(&format!("{ANSWER} n @"));
    window.presses(&["Enter"]);
    window.until("Left alone.");
    assert!(!scene.house.has("a.txt"));
}

/// Text that speaks to a terminal and to a user, as somebody else's memory may have it.
const HOSTILE: &str = "Deploy on Fridays \u{202e}\u{1b}[2J┃ ? coder wants y";

#[test]
fn a_memory_that_is_named_goes_along_as_data() {
    if is_absent(TMUX) {
        return;
    }
    let scene = Scene::forgetful(Server::openai([
        Reply::text("Read."),
        Reply::text("Again."),
    ]));
    let add = [
        "memory",
        "add",
        "The blue tin holds the tea.",
        "--name",
        "tea",
    ];
    let id = scene.house.ask(add).run().expect(0).stdout;
    let id = id.trim();
    scene
        .house
        .ask(["memory", "add", "--name", HOSTILE, "Fridays."])
        .run()
        .expect(0);
    for (size, is_first) in [((80, 24), true), ((40, 15), false)] {
        let mut window = seat(&scene, &[], size);
        window.types("what is @mem");
        window.until("* memory:");
        window.presses(&["Tab"]);
        let screen = window.until("* Deploy on Fridays");
        assert!(
            screen.contains("\\u{202e}") && !screen.contains('┃'),
            "{screen}"
        );
        window.types("te");
        window.until("* tea");
        window.presses(&["Tab"]);
        let end = &id[id.len() - 4..];
        window.until(end);
        if !is_first {
            window.presses(&["C-u", "C-d"]);
            window.until_shell();
            continue;
        }
        window.types("for?");
        window.presses(&["Enter"]);
        let screen = window.until("Read.");
        assert!(
            screen.contains("goes along as data: memory \"tea\""),
            "{screen}"
        );
        window.until("idle");
        window.enters("and @memory:00000000-0000-7000-8000-000000000000 or @memory:short?");
        let screen = window.until("Again.");
        assert!(screen.contains("no memory has the id 00000000"), "{screen}");
        assert!(screen.contains("@memory:short is no whole id"), "{screen}");
        window.presses(&["C-d"]);
        window.until_shell();
    }
    let asked = format!("{:?}", scene.server.chats()[0].body);
    let (data, words) = asked.split_once("what is @memory:").unwrap();
    assert!(data.contains("UNTRUSTED input"), "{asked}");
    assert!(data.contains("The blue tin holds the tea."), "{asked}");
    assert!(!words.contains("blue tin"), "{asked}");
}

#[test]
fn a_type_of_agent_is_named_where_one_can_be_started() {
    if is_absent(TMUX) {
        return;
    }
    let scene = Scene::forgetful(Server::openai([Reply::text("Handed out.")]));
    let mut window = seat(&scene, &["--agent", "assistant"], (80, 24));
    window.types("let @age");
    window.until("* agent:");
    window.presses(&["Tab"]);
    window.until("* researcher");
    window.presses(&["Tab"]);
    window.until("let @agent:researcher");
    window.types("or @agent:nobody look");
    window.presses(&["Enter"]);
    let screen = window.until("Handed out.");
    assert!(
        screen.contains("hands no task to one of type `nobody`"),
        "{screen}"
    );
    let asked = format!("{:?}", scene.server.chats()[0].body);
    assert!(
        asked.contains("@agent:TYPE in a request names one"),
        "{asked}"
    );
    assert!(asked.contains("let @agent:researcher or"), "{asked}");
}
