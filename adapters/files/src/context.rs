//! What a running tool checks as it goes: whether it is still wanted, and its time.

use api::executor::{Progress, Report, ReportSink, ToolFailure};
use api::failure::timeout;
use std::cell::Cell;
use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How long a tool is quiet before it says how far it is.
const PROGRESS_EVERY: Duration = Duration::from_secs(1);

/// Raised when the caller no longer waits.
#[derive(Debug, Clone, Default)]
pub(crate) struct StopFlag(Arc<AtomicBool>);

impl StopFlag {
    pub(crate) fn raise(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Raises the flag when the future that waits for the tool goes away.
pub(crate) struct StopOnDrop(pub(crate) StopFlag);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.raise();
    }
}

/// One call's leash.
pub(crate) struct Leash {
    stop: StopFlag,
    deadline: Instant,
    spoke: Cell<Instant>,
    progress: Option<ReportSink>,
}

impl Leash {
    pub(crate) fn new(stop: StopFlag, life: Duration, progress: Option<ReportSink>) -> Self {
        let now = Instant::now();
        Self {
            stop,
            deadline: now + life,
            spoke: Cell::new(now),
            progress,
        }
    }

    /// Fails once the caller has gone or time is up. Every loop over outside data calls this.
    pub(crate) fn check(&self) -> Result<(), ToolFailure> {
        if self.stop.0.load(Ordering::Relaxed) {
            return Err(timeout("cancelled", "The call was stopped."));
        }
        if Instant::now() >= self.deadline {
            return Err(timeout(
                "timeout",
                "This took too long and was stopped. Ask for less: a smaller folder or a narrower \
                 pattern.",
            ));
        }
        Ok(())
    }

    /// Says how far the tool is, at most once a second.
    pub(crate) fn tell(&self, message: impl FnOnce() -> String) {
        let now = Instant::now();
        if now.duration_since(self.spoke.get()) < PROGRESS_EVERY {
            return;
        }
        self.spoke.set(now);
        if let Some(progress) = &self.progress {
            let report = Progress {
                message: message(),
                percent: None,
            };
            // A full or closed channel is no reason to stop.
            let _ = progress.try_send(Report::Progress(report));
        }
    }
}

/// A reader that ends with an error once the leash is pulled.
pub(crate) struct Leashed<'a, R> {
    pub(crate) leash: &'a Leash,
    pub(crate) inner: R,
}

impl<R: Read> Read for Leashed<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.leash.check() {
            Ok(()) => self.inner.read(buffer),
            Err(failure) => Err(io::Error::other(failure)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_raised_flag_and_a_passed_deadline_stop_the_work() {
        let stop = StopFlag::default();
        let leash = Leash::new(stop.clone(), Duration::from_secs(60), None);
        assert!(leash.check().is_ok());
        drop(StopOnDrop(stop));
        assert_eq!(leash.check().unwrap_err().rule, "cancelled");
        let late = Leash::new(StopFlag::default(), Duration::ZERO, None);
        assert_eq!(late.check().unwrap_err().rule, "timeout");
        let mut reader = Leashed {
            leash: &late,
            inner: &b"abc"[..],
        };
        assert!(reader.read(&mut [0; 3]).is_err());
    }
}
