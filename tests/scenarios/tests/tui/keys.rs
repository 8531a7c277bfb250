//! Keys of one's own, by the user's configuration.

use crate::seat;
use scenarios::Scene;
use testkit::{House, Reply, Server, TMUX, is_absent};

/// A scene with this beside its models.
fn configured(more: &str) -> Scene {
    let scene = Scene::forgetful(Server::openai([]));
    let file = scene.house.home().join(".config/housecarl/config.toml");
    let before = std::fs::read_to_string(file).unwrap();
    scene.house.configure(&format!("{before}\n{more}"));
    scene
}

#[test]
fn keys_of_ones_own_are_in_force_and_shown() {
    if is_absent(TMUX) {
        return;
    }
    let scene = configured(
        "[tui.keys]\npanes = \"f5\"\npalette = [\"ctrl+q\", \"alt+p\"]\nhelp = \"f1\"\nleave = \"ctrl+y\"\n",
    );
    let mut window = seat(&scene, &[], (80, 24));
    window.until("▎ F1 shows the keys; Ctrl+Y leaves");
    window.until("a message; F1 shows the keys");
    window.presses(&["F5"]);
    window.until("▎ activity");
    window.presses(&["F5"]);
    window.until_gone("▎ activity");
    // The keys of before do nothing, or are typed.
    window.presses(&["F2", "C-p"]);
    window.types("?");
    window.until("> ?");
    assert!(!window.screen().contains("▎ activity"));
    window.presses(&["C-u", "F1"]);
    window.until("Ctrl+Y                leave, from an empty input");
    window.presses(&["Down"; 5]);
    window.until("F5                    panes: activity");
    window.presses(&["Down"; 5]);
    window.until("Ctrl+Q, Alt+P         all commands and keys");
    window.presses(&["Escape"]);
    window.until_gone("Esc closes");
    window.presses(&["C-q"]);
    window.until("all commands and keys: type to search");
    window.types("panes: activity");
    window.until(" F5 ");
    window.presses(&["Escape"]);
    window.until("a message; F1 shows the keys");
    window.presses(&["M-p"]);
    window.until("all commands and keys: type to search");
    window.presses(&["Escape"]);
    window.until("a message; F1 shows the keys");
    window.presses(&["C-d"]);
    window.presses(&["C-y"]);
    window.until_shell();
}

#[test]
fn keys_that_cannot_be_bound_are_told_before_the_ui_begins() {
    for (line, told) in [
        (
            "pans = \"f5\"",
            ["there is no action of this name", "Did you mean `panes`?"],
        ),
        ("panes = \"x\"", ["`x` types a letter", "Write another key"]),
        (
            "panes = \"f77\"",
            ["`f77` is no key", "Write a key such as"],
        ),
        (
            "panes = \"ctrl+p\"",
            ["Ctrl+P is bound to `palette` as well", "give `palette` one"],
        ),
        (
            "panes = \"f3\"",
            ["F3 is bound to `zoom` as well", "give `zoom` one"],
        ),
        (
            "panes = [\"f5\", \"f5\"]",
            ["F5 stands there twice", "Write it once"],
        ),
        (
            "panes = \"esc\"",
            ["Enter, Esc and Ctrl+C always keep", "Write another key"],
        ),
        (
            "panes = \"ctrl+c\"",
            ["Enter, Esc and Ctrl+C always keep", "Write another key"],
        ),
        ("panes = 5", ["it takes a key such as", "config.toml"]),
    ] {
        let house = House::new();
        house.configure(&format!("[tui.keys]\n{line}\n"));
        let refused = house.ask(["config", "show"]).run().expect(2).stderr;
        for part in told.iter().chain(&["config.toml", "line 2"]) {
            assert!(refused.contains(part), "{line}: no `{part}`: {refused}");
        }
    }
    if is_absent(TMUX) {
        return;
    }
    let house = House::new();
    house.configure("[tui.keys]\npanes = \"f3\"\n");
    let mut window = house.ask(["tui"]).in_window((140, 24));
    window.until("shell$");
    window.types("\"$@\"");
    window.presses(&["Enter"]);
    let screen = window.until("`zoom` as well");
    assert!(screen.contains("line 2: tui.keys.panes"), "{screen}");
    window.until_shell();
}

#[test]
fn a_project_binds_no_key() {
    if is_absent(TMUX) {
        return;
    }
    let scene = configured("");
    let file = scene
        .house
        .write(".housecarl.toml", "[tui.keys]\npanes = \"f5\"\n");
    let refused = scene.house.ask(["config", "show"]).run().expect(2).stderr;
    for part in [".housecarl.toml", "tui", "belongs in your own config.toml"] {
        assert!(refused.contains(part), "no `{part}`: {refused}");
    }
    std::fs::remove_file(file).unwrap();
    scene
        .house
        .write(".housecarl.toml", "disabled_tools = []\n");
    let mut window = seat(&scene, &[], (80, 24));
    window.presses(&["F5"]);
    window.types("x");
    window.until("> x");
    assert!(!window.screen().contains("▎ activity"));
    window.presses(&["F2"]);
    window.until("▎ activity");
}

#[test]
fn keys_that_came_while_it_stood_still_are_all_typed() {
    let scene = Scene::forgetful(Server::openai([Reply::text("Hello.")]));
    let carl = scene.house.ask(["tui", "--mode", "loop"]);
    let mut seat = carl.env("TERM", "xterm-256color").seated();
    seat.until("idle");
    let numbers: Vec<String> = (100..400).map(|number| format!("n{number}")).collect();
    let numbers = numbers.join(" ");
    seat.stands_still();
    seat.types(&format!("{numbers} §"));
    seat.continues();
    seat.until("§");
    seat.types("\r");
    seat.until("Hello.");
    let asked = scene.server.chats().last().unwrap().body.to_string();
    assert!(asked.contains(&format!("{numbers} §")), "{asked}");
}
