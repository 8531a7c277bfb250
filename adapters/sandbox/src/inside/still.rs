//! Standing still: everything in the process namespace but its first process is stopped, so that the
//! outside can look at files that nothing inside changes meanwhile. A program may have the kernel wake
//! it (a timer that sends SIGCONT): so what counts is that, in the end, nothing has run.

use rustix::io::Errno;
use rustix::process::{Pid, Signal, getpid, kill_process, kill_process_group};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How long everything may take to stop, before it is let go and stopped again: who has begun another
/// program stands still only when that one has come as far as its own first step.
const TRY: Duration = Duration::from_millis(200);
/// How often that is tried.
const TRIES: u32 = 20;
/// Between two looks.
const STEP: Duration = Duration::from_millis(1);

/// What shows whether anything has run.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Stillness {
    /// The number that a process was given last: one that is born and gone again is known by it.
    last: String,
    /// How often each thread has been let run and stopped again, by its folder in /proc; `None` for
    /// one that has ended.
    threads: BTreeMap<PathBuf, Option<u64>>,
}

/// Stops everything; `None` where that cannot be done, or not be seen. To be called by the first
/// process of its namespace alone: it is all that is spared.
pub(super) fn pause() -> Option<Stillness> {
    if getpid() != Pid::INIT {
        return None;
    }
    for _ in 0..TRIES {
        send(Signal::STOP).ok()?;
        let since = Instant::now();
        while since.elapsed() < TRY {
            // What is born while one look goes on is in the next.
            match (look(), look()) {
                (Some(first), Some(still)) if first == still => return Some(still),
                _ => std::thread::sleep(STEP),
            }
        }
        go_on();
        std::thread::sleep(STEP);
    }
    None
}

/// Lets everything go on, the youngest first: a shell that finds the program it waits for stopped would
/// go on without it.
pub(super) fn go_on() {
    if getpid() != Pid::INIT {
        return;
    }
    let mut numbers = numbers().unwrap_or_default();
    numbers.sort_unstable_by_key(|number| std::cmp::Reverse(*number));
    for pid in numbers.into_iter().filter_map(Pid::from_raw) {
        // One that has ended needs no waking.
        let _woken = kill_process(pid, Signal::CONT);
    }
    // Nobody left is nobody to tell.
    let _told = send(Signal::CONT);
}

/// The processes of the namespace but this one; `None` where they cannot be seen.
fn numbers() -> Option<Vec<i32>> {
    let entries = fs::read_dir("/proc").ok()?;
    let mut all = Vec::new();
    let mut is_seen = false;
    for entry in entries {
        let name = entry.ok()?.file_name();
        let Some(number) = name.to_str().and_then(|name| name.parse().ok()) else {
            continue;
        };
        match number {
            1 => is_seen = true,
            other => all.push(other),
        }
    }
    is_seen.then_some(all)
}

impl Stillness {
    /// Whether nothing has run since.
    pub(super) fn holds(&self) -> bool {
        look().as_ref() == Some(self)
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

/// Every thread of the other processes; `None` where one acts, or waits for something after which it
/// goes on, or nothing can be seen.
fn look() -> Option<Stillness> {
    // Its last field, after proc_loadavg(5), in this namespace.
    let load = fs::read_to_string("/proc/loadavg").ok()?;
    let last = load.split_whitespace().last()?.to_owned();
    let mut threads = BTreeMap::new();
    for number in numbers()? {
        // One that has ended meanwhile acts no more.
        let tasks = fs::read_dir(format!("/proc/{number}/task"));
        for thread in tasks.into_iter().flatten().flatten() {
            let runs = match standing(&thread.path()) {
                Standing::Stopped(runs) => Some(runs),
                Standing::Ended => None,
                Standing::Acts => return None,
            };
            threads.insert(thread.path(), runs);
        }
    }
    Some(Stillness { last, threads })
}

enum Standing {
    /// With how often it was taken off a processor.
    Stopped(u64),
    Ended,
    Acts,
}

/// How a thread stands, after proc_pid_status(5).
fn standing(thread: &Path) -> Standing {
    let Ok(status) = fs::read_to_string(thread.join("status")) else {
        return Standing::Ended;
    };
    let value = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name));
        line.map(str::trim).unwrap_or_default()
    };
    let count = |name: &str| value(name).parse::<u64>().unwrap_or_default();
    match value("State:").chars().next() {
        Some('T') => Standing::Stopped(
            count("voluntary_ctxt_switches:") + count("nonvoluntary_ctxt_switches:"),
        ),
        Some('Z' | 'X' | 'x') => Standing::Ended,
        _ => Standing::Acts,
    }
}
