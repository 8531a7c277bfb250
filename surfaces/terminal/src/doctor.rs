//! `carl doctor`: checks that need no service of a certain kind, and how all of them are told.

mod check;
mod hardware;
mod machine;
mod services;
mod speeds;

pub use check::{Check, State};
pub use hardware::checks as hardware;
pub use machine::{clock, folder, kernel, state_folder};
pub use services::{memory, providers, speed};

use crate::exit::Exit;
use anyhow::Result;
use rendering::fit::{width, wrapped};
use rendering::{Paint, print};
use std::io::IsTerminal;
use text::escape::{visible_json, visible_lines};

/// Prints all checks; ends with [`Exit::Failed`] when one is bad.
///
/// # Errors
/// When standard output cannot be written.
pub fn tell(checks: &[Check], json: bool) -> Result<Exit> {
    print(&match json {
        true => visible_json(&format!("{}\n", serde_json::to_string_pretty(checks)?)),
        false => shown(checks, Paint::for_stream(&std::io::stdout())),
    })?;
    let is_bad = checks.iter().any(|check| check.state == State::Bad);
    Ok(if is_bad { Exit::Failed } else { Exit::Success })
}

/// Where the text beside a check's name begins, columns.
const BESIDE: usize = 20;

/// The checks, a line each with what to do below it.
fn shown(checks: &[Check], paint: Paint) -> String {
    let width = width(&std::io::stdout());
    let mut text = String::new();
    for check in checks {
        let mark = match check.state {
            State::Ok => paint.good("ok  "),
            State::Note => paint.warn("note"),
            State::Bad => paint.bad("bad "),
        };
        let detail = visible_lines(&check.detail);
        let line = format!("{mark} {:<14} {detail}", check.name);
        text.push_str(&wrapped(&line, BESIDE, width));
        if !check.hint.is_empty() {
            let hint = format!("     {:<14} {}", "", visible_lines(&check.hint));
            let lines = wrapped(&hint, BESIDE, width);
            for line in lines.lines() {
                text.push_str(&format!("{}\n", paint.faint(line)));
            }
        }
    }
    if !std::io::stdin().is_terminal() {
        let line = "note terminal       none here: confirmations are refused unless --yes covers \
                    them";
        text.push_str(&wrapped(line, BESIDE, width));
    }
    text
}
