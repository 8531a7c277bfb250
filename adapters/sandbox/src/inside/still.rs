//! Standing still: everything in the process namespace but its first process is stopped, so that the
//! outside can look at files that nothing inside changes meanwhile.

use rustix::io::Errno;
use rustix::process::{Pid, Signal, getpid, kill_process_group};
use std::fs;
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

/// How long everything may take to stop, before it is let go and stopped again: who has begun another
/// program stands still only when that one has come as far as its own first step.
const TRY: Duration = Duration::from_millis(200);
/// How often that is tried.
const TRIES: u32 = 20;
/// Between two looks.
const STEP: Duration = Duration::from_millis(1);
/// What is waited where there is no /proc to look at.
const UNSEEN: Duration = Duration::from_millis(100);

/// Stops everything. To be called by the first process of its namespace alone: it is all that is
/// spared.
pub(super) fn pause() -> bool {
    if getpid() != Pid::INIT {
        return false;
    }
    for _ in 0..TRIES {
        if send(Signal::STOP).is_err() {
            return false;
        }
        let since = Instant::now();
        while since.elapsed() < TRY {
            match stands_still() {
                Ok(true) => return true,
                Ok(false) => std::thread::sleep(STEP),
                Err(_) => {
                    std::thread::sleep(UNSEEN);
                    return true;
                }
            }
        }
        go_on();
        std::thread::sleep(STEP);
    }
    false
}

/// Lets everything go on.
pub(super) fn go_on() {
    if getpid() == Pid::INIT {
        // Nobody left is nobody to tell.
        let _told = send(Signal::CONT);
    }
}

/// Sends a signal to every process of the namespace but this one.
fn send(signal: Signal) -> Result<(), Errno> {
    // Minus one names all, as kill(2) has it.
    match kill_process_group(Pid::INIT, signal) {
        Ok(()) | Err(Errno::SRCH) => Ok(()),
        Err(errno) => Err(errno),
    }
}

/// Whether no thread of another process runs, or waits for something after which it goes on.
fn stands_still() -> io::Result<bool> {
    for entry in fs::read_dir("/proc")? {
        let entry = entry?;
        let name = entry.file_name();
        let number = name.to_str().and_then(|name| name.parse::<u32>().ok());
        if number.is_none_or(|number| number == 1) {
            continue;
        }
        // One that has ended meanwhile acts no more.
        let threads = fs::read_dir(entry.path().join("task"))
            .into_iter()
            .flatten();
        let mut threads = threads.flatten();
        if threads.any(|thread| acts(&thread.path())) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether a thread is neither stopped nor ended, after proc_pid_stat(5).
fn acts(thread: &Path) -> bool {
    let Ok(line) = fs::read(thread.join("stat")) else {
        return false;
    };
    let after_name = line.iter().rposition(|byte| *byte == b')');
    let state = after_name.and_then(|end| line.get(end + 2));
    !matches!(state, Some(b'T' | b't' | b'Z' | b'X' | b'x'))
}
