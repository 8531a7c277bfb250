//! The terminal UI as a person has it: the shipped program in a window of tmux.
#![allow(
    clippy::panic,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "a test is allowed to fail loudly"
)]

mod answers;
mod background;
mod commands;
mod completion;
mod drafts;
mod earlier;
mod editing;
mod gallery;
mod hostile;
mod judged;
mod keys;
mod leaving;
mod marking;
mod outcomes;
mod overrides;
mod pages;
mod panes;
mod pasting;
mod pictures;
mod programs;
mod quality;
mod questions;
mod queue;
mod screens;
mod shell;
mod small_changes;
mod stories;
mod terminals;
mod thinking;
mod vi;
mod work;

use scenarios::Scene;
use testkit::{Gate, Reply, Server, Window};

/// Where an answer is typed, once keys count as one.
const ANSWER: &str = "┃ >";

/// A window in which `carl tui` shows its first frame.
fn seat(scene: &Scene, args: &[&str], size: (u16, u16)) -> Window {
    let carl = scene.house.ask(["tui"]).args(args.iter().copied());
    let mut window = carl.in_window(size);
    window.starts();
    window
}

/// A session in which an answer has begun and does not go on, held by a job of a shell whose terminal was
/// set like this before.
fn begun_in_a_shell() -> (Scene, Window, String) {
    let gate = Gate::new();
    let scene = Scene::forgetful(Server::openai([Reply::text("Begun.\n\n").and_wait(&gate)]));
    let mut window = scene.house.ask(["tui"]).in_window((80, 24));
    window.until("shell$");
    let before = window.shell("stty -a");
    window.presses(&["C-l"]);
    window.starts();
    window.enters("go");
    window.until("Begun.");
    window.presses(&["C-z"]);
    window.until("Stopped");
    (scene, window, before)
}

/// Has the job of [`begun_in_a_shell`] go on, and waits until it has ended.
fn goes_on_and_ends(window: &mut Window) {
    window.types("fg");
    window.presses(&["Enter"]);
    window.until_shell();
}

/// A scene whose first answer begins and waits for the gate, and whose second comes at once.
fn first_waits() -> (Scene, Gate) {
    let gate = Gate::new();
    let scene = Scene::forgetful(Server::openai([
        Reply::text("Begun.\n\n").and_wait(&gate).and_text("First."),
        Reply::text("Second."),
    ]));
    (scene, gate)
}

/// Types an answer as a person does.
fn answers(window: &mut Window, answer: &str) {
    window.until(ANSWER);
    window.types(answer);
    window.until(&format!("{ANSWER} {answer}"));
    window.presses(&["Enter"]);
}

/// How often a text stands in another.
fn count(text: &str, part: &str) -> usize {
    text.matches(part).count()
}

/// The last row of a screen.
fn status(screen: &str) -> &str {
    screen.trim_end().lines().last().unwrap_or_default()
}
