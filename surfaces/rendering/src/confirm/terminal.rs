//! Waiting at the terminal for a line, or for the end of the question that it would answer.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::io::{self, BufRead};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// How often a waiting reader looks whether its question is still open.
const LOOK: Timespec = Timespec {
    tv_sec: 0,
    tv_nsec: 100_000_000,
};

/// One line, with its line feed; empty at the end of input; `None` once `is_closed` is set, or when
/// there is none in time.
pub(super) fn read_line(
    is_closed: &AtomicBool,
    until: Option<Instant>,
) -> io::Result<Option<String>> {
    let stdin = io::stdin();
    let is_late = || until.is_some_and(|until| Instant::now() >= until);
    while !is_closed.load(Ordering::SeqCst) && !is_late() {
        if poll(&mut [PollFd::new(&stdin, PollFlags::IN)], Some(&LOOK))? > 0 {
            let mut line = String::new();
            stdin.lock().read_line(&mut line)?;
            return Ok(Some(line));
        }
    }
    Ok(None)
}

/// Whether standard input is a terminal that is gone.
pub(super) fn is_hung_up() -> io::Result<bool> {
    let stdin = io::stdin();
    let mut look = [PollFd::new(&stdin, PollFlags::IN)];
    let now = Timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    poll(&mut look, Some(&now))?;
    Ok(look[0].revents().contains(PollFlags::HUP))
}

/// Waits until the question is closed: by the signal that the terminal is gone, or by silence.
pub(super) fn wait_closed(is_closed: &AtomicBool) -> io::Result<()> {
    while !is_closed.load(Ordering::SeqCst) {
        poll(&mut [], Some(&LOOK))?;
    }
    Ok(())
}
