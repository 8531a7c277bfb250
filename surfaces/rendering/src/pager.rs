//! A long text at a terminal, in the user's pager: the one that `PAGER` names, or `less`.
//!
//! The pager is given what would be printed, with everything spelled out that would move a terminal.

use super::print::{for_terminal, print_error_as_it_is};
use rustix::process::{Pid, Signal, kill_process};
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

/// How often it is looked whether the pager is done, or has to be.
const LOOK: Duration = Duration::from_millis(50);
/// How a shell tells that it does not find a program.
const NOT_FOUND: i32 = 127;

/// Shows a text in the pager, until the user leaves that or `is_closed`; where there is no pager, and
/// on a terminal that draws nothing, the text is printed.
///
/// # Errors
/// When standard error cannot be written.
pub fn show(text: &str, is_closed: &AtomicBool) -> io::Result<()> {
    let shown = match program().map(|mut program| begin(&mut program)) {
        Some(Ok(child)) => see_through(child, &for_terminal(text), is_closed)?,
        // It is not there, or may not be run.
        Some(Err(_)) | None => false,
    };
    match shown {
        true => Ok(()),
        false => print_error_as_it_is(text),
    }
}

/// The pager; `None` where the text is to be printed.
fn program() -> Option<Command> {
    let set = |name: &str| std::env::var(name).ok();
    if matches!(set("TERM").as_deref(), None | Some("" | "dumb")) {
        return None;
    }
    let mut program = match set("PAGER") {
        Some(own) if own.trim().is_empty() => return None,
        Some(own) => {
            let mut shell = Command::new("sh");
            shell.args(["-c", &own]);
            shell
        }
        None => {
            let mut less = Command::new("less");
            less.arg("-R");
            less
        }
    };
    if set("LESS").is_none() {
        // What fits the screen stays on it, and so does what was looked at last.
        program.env("LESS", "FRX");
    }
    Some(program)
}

/// Starts it on the terminal of standard error: standard output may be a file.
fn begin(program: &mut Command) -> io::Result<Child> {
    let terminal = io::stderr().as_fd().try_clone_to_owned()?;
    program.stdin(Stdio::piped()).stdout(terminal).spawn()
}

/// Hands the text over and waits for the end; false where there was no such program.
fn see_through(mut child: Child, text: &str, is_closed: &AtomicBool) -> io::Result<bool> {
    let input = child.stdin.take();
    thread::scope(|scope| {
        scope.spawn(move || {
            // Who leaves the pager before the end reads no more.
            let _gone = input.map(|mut input| input.write_all(text.as_bytes()));
        });
        loop {
            if let Some(ended) = child.try_wait()? {
                return Ok(ended.code() != Some(NOT_FOUND));
            }
            if is_closed.load(Ordering::Relaxed)
                && let Some(pid) = i32::try_from(child.id()).ok().and_then(Pid::from_raw)
            {
                // It gives the terminal back as it was; it may have ended just now.
                let _gone = kill_process(pid, Signal::TERM);
            }
            thread::sleep(LOOK);
        }
    })
}
