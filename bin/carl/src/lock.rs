//! One writer a state folder.

use crate::exit::Failure;
use crate::render::print_error;
use anyhow::{Context, Result};
use rustix::fs::{FlockOperation, flock};
use std::fs::File;
use std::io::{Read, Seek, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::{Duration, Instant};

/// Held by the process that writes in a state folder. The kernel lets go of it however the process
/// ends.
#[derive(Debug)]
pub struct StateLock {
    _file: File,
}

/// How long one command waits for another to end before it gives up.
const PATIENCE: Duration = Duration::from_secs(20);
/// How long it waits without a word.
const MUTE: Duration = Duration::from_millis(300);
/// How often it looks.
const LOOK: Duration = Duration::from_millis(50);

impl StateLock {
    /// Takes the lock, waiting a while for a command that is about to end. Who is waited for is
    /// said on standard error.
    ///
    /// # Errors
    /// As [`StateLock::take`], once patience is at its end.
    pub async fn wait(state: &Path) -> Result<Self> {
        loop {
            // Without an end to the wait but the lock, or its error.
            if let Some(lock) = Self::wait_unless(state, async || false).await? {
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
        is_served: impl AsyncFn() -> bool,
    ) -> Result<Option<Self>> {
        Self::wait_telling(state, is_served, |text| Ok(print_error(text)?)).await
    }

    async fn wait_telling(
        state: &Path,
        is_served: impl AsyncFn() -> bool,
        mut tell: impl FnMut(&str) -> Result<()>,
    ) -> Result<Option<Self>> {
        let began = Instant::now();
        let mut is_told = false;
        loop {
            match Self::take(state) {
                Err(_) if is_served().await => return Ok(None),
                Err(error) if error.is::<Failure>() && began.elapsed() < PATIENCE => {
                    if !is_told && began.elapsed() >= MUTE {
                        is_told = true;
                        let seconds = PATIENCE.as_secs();
                        tell(&format!(
                            "{error}; waiting up to {seconds} s for it to end\n"
                        ))?;
                    }
                    tokio::time::sleep(LOOK).await;
                }
                taken => return taken.map(Some),
            }
        }
    }

    /// Takes the lock.
    ///
    /// # Errors
    /// A [`Failure`] that names the process that has it.
    pub fn take(state: &Path) -> Result<Self> {
        let path = state.join("lock");
        let mut file = File::options()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .open(&path)
            .with_context(|| format!("{} cannot be opened", path.display()))?;
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => {}
            Err(rustix::io::Errno::WOULDBLOCK) => return Err(taken(&mut file, state)),
            Err(error) => {
                return Err(error).with_context(|| format!("{} cannot be locked", path.display()));
            }
        }
        file.set_len(0)
            .and_then(|()| file.rewind())
            .and_then(|()| write!(file, "{}", std::process::id()))
            .with_context(|| format!("{} cannot be written", path.display()))?;
        Ok(Self { _file: file })
    }
}

fn taken(file: &mut File, state: &Path) -> anyhow::Error {
    let mut holder = String::new();
    let who = match file.take(20).read_to_string(&mut holder) {
        Ok(_) if !holder.is_empty() => format!("process {holder}"),
        _ => "another process".to_owned(),
    };
    let mut failure = Failure::usage(
        format!("another carl ({who}) works in {}", state.display()),
        "Wait for it to end; or start `carl serve` once, which any number of carls can share.",
    );
    failure.fault.code = "carl.locked".to_owned();
    failure.exit = crate::exit::Exit::Failed;
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
    async fn nobody_waits_for_one_who_serves() {
        let state = tempfile::tempdir().unwrap();
        let _first = StateLock::take(state.path()).unwrap();
        let asked = std::cell::Cell::new(0);
        let is_served = async || {
            asked.set(asked.get() + 1);
            asked.get() > 1
        };
        let waited = StateLock::wait_unless(state.path(), is_served).await;
        assert!(waited.unwrap().is_none());
        assert_eq!(asked.get(), 2);
    }
}
