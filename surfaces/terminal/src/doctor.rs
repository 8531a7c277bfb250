//! `carl doctor`: checks that need no service of a certain kind, and how all of them are told.

mod check;
mod hardware;
mod machine;
mod services;
mod speeds;

pub use check::{Check, State};
pub use hardware::checks as hardware;
pub use machine::{clock, folder, foreign, kernel, state_folder};
pub use services::{memory, providers, speed};

use crate::exit::Exit;
use anyhow::Result;
use rendering::fit::{width, wrapped};
use rendering::{Paint, print};
use std::io::IsTerminal;
use text::escape::{visible_json, visible_lines};

/// What the checks came to: each is printed as soon as it is known, or all of them as JSON.
pub struct Report {
    checks: Vec<Check>,
    json: bool,
    printed: std::io::Result<()>,
}

impl Report {
    /// Before the first one.
    #[must_use]
    pub const fn begin(json: bool) -> Self {
        Self {
            checks: Vec::new(),
            json,
            printed: Ok(()),
        }
    }

    /// One more.
    pub fn add(&mut self, check: Check) {
        if !self.json && self.printed.is_ok() {
            self.printed = print(&shown(&check, Paint::for_stream(&std::io::stdout())));
        }
        self.checks.push(check);
    }

    /// Several more.
    pub fn extend(&mut self, checks: impl IntoIterator<Item = Check>) {
        for check in checks {
            self.add(check);
        }
    }

    /// The end of all checks; ends with [`Exit::Failed`] when one is bad.
    ///
    /// # Errors
    /// When standard output cannot be written.
    pub fn end(self) -> Result<Exit> {
        self.printed?;
        let rest = match self.json {
            true => {
                let text = serde_json::to_string_pretty(&self.checks)?;
                visible_json(&format!("{text}\n"))
            }
            false => at_a_terminal(),
        };
        print(&rest)?;
        let is_bad = self.checks.iter().any(|check| check.state == State::Bad);
        Ok(if is_bad { Exit::Failed } else { Exit::Success })
    }
}

/// Where the text beside a check's name begins, columns.
const BESIDE: usize = 20;

/// A check on a line of its own, with what to do below it.
fn shown(check: &Check, paint: Paint) -> String {
    let width = width(&std::io::stdout());
    let mark = match check.state {
        State::Ok => paint.good("ok  "),
        State::Note => paint.warn("note"),
        State::Bad => paint.bad("bad "),
    };
    let detail = visible_lines(&check.detail);
    let line = format!("{mark} {:<14} {detail}", check.name);
    let mut text = wrapped(&line, BESIDE, width);
    if !check.hint.is_empty() {
        let hint = format!("     {:<14} {}", "", visible_lines(&check.hint));
        for line in wrapped(&hint, BESIDE, width).lines() {
            text.push_str(&format!("{}\n", paint.faint(line)));
        }
    }
    text
}

/// What is to be known where nobody can be asked.
fn at_a_terminal() -> String {
    if std::io::stdin().is_terminal() {
        return String::new();
    }
    let line = "note terminal       none here: confirmations are refused unless --yes covers them";
    wrapped(line, BESIDE, width(&std::io::stdout()))
}
