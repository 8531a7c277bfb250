//! The terminal UI as a person has it: the shipped program in a window of tmux.
#![allow(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test is allowed to fail loudly"
)]

mod answers;
mod commands;
mod hostile;
mod leaving;
mod pages;
mod panes;
mod questions;
mod screens;

use scenarios::Scene;
use testkit::Window;

/// Where an answer is typed, once keys count as one.
const ANSWER: &str = "┃ >";

/// A window in which `carl tui` shows its first frame.
fn seat(scene: &Scene, args: &[&str], size: (u16, u16)) -> Window {
    let carl = scene.house.ask(["tui"]).args(args.iter().copied());
    let mut window = carl.in_window(size);
    window.starts();
    window
}

/// How often a text stands in another.
fn count(text: &str, part: &str) -> usize {
    text.matches(part).count()
}
