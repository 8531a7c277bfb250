//! One writer per state folder.

use anyhow::{Context, Result};
use disk::private;
use disk::read::{Links, text};
use rendering::print_error;
use std::fs::File;
use std::io::{Seek, Write};
use std::path::Path;
use std::time::{Duration, Instant};
use terminal::exit::Failure;
use text::escape::visible_line;

/// Held by the process that writes in a state folder. The kernel lets go of it however the process
/// ends.
#[derive(Debug)]
pub struct StateLock {
    file: File,
}

/// How long one command waits for another to end before it gives up.
pub const PATIENCE: Duration = Duration::from_secs(20);
/// How long it waits without a word.
const MUTE: Duration = Duration::from_millis(300);
/// How often it looks.
pub const LOOK: Duration = Duration::from_millis(50);

impl StateLock {
    /// Takes the lock, waiting a while for a command that is about to end. Who is waited for is
    /// said on standard error, and what to do where that process is stopped. `own` is the socket at
    /// which this process looks for others.
    ///
    /// # Errors
    /// As [`StateLock::take`], once patience is at its end.
    pub async fn wait(state: &Path, own: &Path) -> Result<Self> {
        loop {
            // Without an end to the wait but the lock, or its error.
            if let Some(lock) = Self::wait_unless(state, own, async || false).await? {
                return Ok(lock);
            }
        }
    }

    /// The same, but `None` as soon as the one who has it serves others.
    ///
    /// # Errors
    /// As [`StateLock::take`], once patience is at its end.
    pub async fn wait_unless(
        state: &Path,
        own: &Path,
        is_served: impl AsyncFn() -> bool,
    ) -> Result<Option<Self>> {
        Self::wait_telling(state, own, is_served, |text| Ok(print_error(text)?)).await
    }

    async fn wait_telling(
        state: &Path,
        own: &Path,
        is_served: impl AsyncFn() -> bool,
        mut tell: impl FnMut(&str) -> Result<()>,
    ) -> Result<Option<Self>> {
        let began = Instant::now();
        let (mut is_told, mut is_seen) = (false, false);
        loop {
            let error = match Self::take(state) {
                Err(error) => error,
                taken => return taken.map(Some),
            };
            let stopped = stopped(state);
            // To ask one that is stopped would only take its time.
            if stopped.is_none() && is_served().await {
                return Ok(None);
            }
            // Seen twice: what was bound in the meantime has been asked once more.
            let elsewhere = announced(state).filter(|address| is_there(address));
            if let Some(address) = elsewhere.as_ref().filter(|_| is_seen && stopped.is_none()) {
                return Err(serves(state, address, own));
            }
            is_seen = elsewhere.is_some();
            if !error.is::<Failure>() || began.elapsed() >= PATIENCE {
                return Err(error);
            }
            if !is_told && (stopped.is_some() || began.elapsed() >= MUTE) {
                is_told = true;
                let seconds = PATIENCE.as_secs();
                let text = match stopped {
                    Some(id) => format!("{error}; waiting up to {seconds} s\n  {}\n", wake(id)),
                    None => format!("{error}; waiting up to {seconds} s for it to end\n"),
                };
                tell(&text)?;
            }
            tokio::time::sleep(LOOK).await;
        }
    }

    /// Takes the lock.
    ///
    /// # Errors
    /// A [`Failure`] that names the process that has it.
    pub fn take(state: &Path) -> Result<Self> {
        let path = state.join("lock");
        let cannot = || format!("{} cannot be locked", path.display());
        let Some(mut file) = private::lock(&path).with_context(cannot)? else {
            return Err(taken(state));
        };
        file.set_len(0)
            .and_then(|()| file.rewind())
            .and_then(|()| write!(file, "{}", std::process::id()))
            .with_context(|| format!("{} cannot be written", path.display()))?;
        Ok(Self { file })
    }
}

impl StateLock {
    /// Says where this process serves: not every command looks there, such as one with another
    /// runtime folder.
    ///
    /// # Errors
    /// When the lock file cannot be written.
    pub fn announce(&mut self, address: &str) -> Result<()> {
        self.file.rewind()?;
        write!(self.file, "{}\n{address}", std::process::id())?;
        Ok(())
    }
}

/// Where the process that has the lock serves, when it said so.
fn announced(state: &Path) -> Option<String> {
    let text = told(state)?;
    let (_, address) = text.split_once('\n')?;
    Some(visible_line(address))
}

/// Whether something may listen at an address: a socket that is not there yet is waited for.
fn is_there(address: &str) -> bool {
    let socket = address.strip_prefix("unix:");
    socket.is_none_or(|socket| Path::new(socket).exists())
}

/// Most that is read of a lock file, bytes.
const LOCK_BYTES: u64 = 4_096;

/// The process that has the lock of a state folder, if it is stopped: it answers nobody until it is
/// told to go on.
#[must_use]
pub fn stopped(state: &Path) -> Option<u32> {
    let id = holder(state)?;
    is_stopped(id).then_some(id)
}

/// Who wrote its number into the lock.
fn holder(state: &Path) -> Option<u32> {
    let text = told(state)?;
    text.lines().next()?.parse().ok()
}

/// What stands in the lock file.
fn told(state: &Path) -> Option<String> {
    text(&state.join("lock"), LOCK_BYTES, Links::Refused).ok()?
}

/// Whether a process is stopped, as by Ctrl-Z.
#[must_use]
pub fn is_stopped(id: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{id}/stat"));
    stat.is_ok_and(|stat| {
        // The name before the state may hold anything.
        let state = stat.rsplit_once(')').map_or("", |(_, rest)| rest.trim());
        state.starts_with('T')
    })
}

/// What to do about a stopped process.
pub fn wake(id: u32) -> String {
    format!(
        "Let it go on with `fg` in its terminal or `kill -CONT {id}`, or end it with `kill -KILL {id}`."
    )
}

/// Another process that is at work in a state folder.
#[derive(Debug)]
pub struct Running {
    /// Its number, where it could be read.
    pub process: Option<u32>,
    /// Where it serves, if it does.
    pub address: Option<String>,
}

/// Who has the lock of a state folder, if somebody has.
#[must_use]
pub fn running(state: &Path) -> Option<Running> {
    let path = state.join("lock");
    // Nothing is made where nobody was yet.
    let is_held = path.exists() && matches!(private::lock(&path), Ok(None));
    is_held.then(|| Running {
        process: holder(state),
        address: announced(state),
    })
}

/// The number of the process that has the lock of a state folder and serves at an address.
#[must_use]
pub fn serving_at(state: &Path, address: &str) -> Option<u32> {
    let other = running(state).filter(|other| other.address.as_deref() == Some(address))?;
    other.process
}

/// Somebody has the lock and serves, at an address where this command did not or may not use it.
fn serves(state: &Path, address: &str, own: &Path) -> anyhow::Error {
    let who = holder(state).map_or("a process".to_owned(), |id| format!("process {id}"));
    let place = state.display();
    let socket = address.strip_prefix("unix:").map(Path::new);
    let hint = if socket == Some(own) {
        "It is a chat or a command, which serves the others for as long as it is at work. End it, \
         and then start this."
            .to_owned()
    } else if let Some(same) = socket.and_then(|socket| same_runtime(state, socket)) {
        format!(
            "It was started with another XDG_RUNTIME_DIR than this has. With the same one every \
             command finds it: write `{same}` before `carl`"
        )
    } else {
        format!("`carl run` and a chat find it with --connect {address}; others once it has ended")
    };
    let message = format!("another carl ({who}) has {place} and serves at {address}");
    locked(message, hint)
}

/// What in the environment gives a command this usual socket; `None` for a socket of its own choice.
fn same_runtime(state: &Path, socket: &Path) -> Option<String> {
    if socket == state.join("run/carl.sock") {
        return Some("env -u XDG_RUNTIME_DIR".to_owned());
    }
    let folder = socket.parent().filter(|_| socket.ends_with("carl.sock"))?;
    let runtime = folder.parent().filter(|_| folder.ends_with("housecarl"))?;
    Some(format!("XDG_RUNTIME_DIR={}", runtime.display()))
}

/// What is said of a stopped process that has the lock of a state folder, and what to do.
#[must_use]
pub fn told_of(id: u32, state: &Path) -> (String, String) {
    let place = state.display();
    let message = format!(
        "another carl (process {id}) has {place} and does not answer: it is stopped, as by Ctrl-Z"
    );
    (message, wake(id))
}

fn taken(state: &Path) -> anyhow::Error {
    let place = state.display();
    let (message, hint) = match holder(state) {
        Some(id) if is_stopped(id) => told_of(id, state),
        known => {
            let who = known.map_or("another process".to_owned(), |id| format!("process {id}"));
            (
                format!("another carl ({who}) works in {place}"),
                "Wait for it to end; or start `carl serve` once, which any number of carls can \
                 share."
                    .to_owned(),
            )
        }
    };
    locked(message, hint)
}

/// The refusal for somebody who is in the way.
pub fn locked(message: String, hint: String) -> anyhow::Error {
    let mut failure = Failure::usage(message, hint);
    failure.fault.code = "carl.locked".to_owned();
    failure.exit = terminal::exit::Exit::Failed;
    failure.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_writer_is_told_who_has_the_lock_and_the_next_one_gets_it() {
        let state = tempfile::tempdir().unwrap();
        let first = StateLock::take(state.path()).unwrap();
        let refused = StateLock::take(state.path()).unwrap_err();
        assert!(
            refused
                .to_string()
                .contains(&std::process::id().to_string()),
            "{refused}"
        );
        drop(first);
        StateLock::take(state.path()).unwrap();
    }

    #[tokio::test]
    async fn who_waits_says_once_for_whom() {
        let state = tempfile::tempdir().unwrap();
        let mut first = Some(StateLock::take(state.path()).unwrap());
        let mut told = Vec::new();
        let waiting = StateLock::wait_telling(
            state.path(),
            Path::new("/none"),
            async || false,
            |text| {
                told.push(text.to_owned());
                first = None;
                Ok(())
            },
        );
        assert!(waiting.await.unwrap().is_some());
        let holder = format!("process {}", std::process::id());
        assert!(
            matches!(told.as_slice(), [text] if text.contains(&holder) && text.contains("waiting")),
            "{told:?}"
        );
    }

    #[tokio::test]
    async fn of_one_that_is_stopped_it_is_said_how_to_have_it_go_on() {
        use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};
        let state = tempfile::tempdir().unwrap();
        let mut child = std::process::Command::new("cat")
            .stdin(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let pid = Pid::from_child(&child);
        let mut held = Some(StateLock::take(state.path()).unwrap());
        std::fs::write(state.path().join("lock"), child.id().to_string()).unwrap();
        assert_eq!(stopped(state.path()), None, "it runs");
        kill_process(pid, Signal::STOP).unwrap();
        waitpid(Some(pid), WaitOptions::UNTRACED).unwrap();
        assert_eq!(stopped(state.path()), Some(child.id()));
        let cont = format!("kill -CONT {}", child.id());
        let refused = StateLock::take(state.path()).unwrap_err();
        let (exit, fault) = terminal::exit::describe(&refused);
        assert_eq!(exit, terminal::exit::Exit::Failed);
        assert!(fault.message.contains("stopped"), "{fault:?}");
        assert!(fault.hint.contains(&cont), "{fault:?}");
        let mut told = String::new();
        let unasked = async || panic!("who is stopped is asked nothing");
        let waiting = StateLock::wait_telling(state.path(), Path::new("/none"), unasked, |text| {
            told.push_str(text);
            held = None;
            Ok(())
        });
        assert!(waiting.await.unwrap().is_some());
        assert!(told.contains(&cont), "{told}");
        child.kill().unwrap();
        child.wait().unwrap();
    }

    #[tokio::test]
    async fn nobody_waits_for_one_who_serves() {
        let state = tempfile::tempdir().unwrap();
        let _first = StateLock::take(state.path()).unwrap();
        let asked = std::cell::Cell::new(0);
        let is_served = async || {
            asked.set(asked.get() + 1);
            asked.get() > 1
        };
        let waited = StateLock::wait_unless(state.path(), Path::new("/none"), is_served).await;
        assert!(waited.unwrap().is_none());
        assert_eq!(asked.get(), 2);
    }
}
