//! Says what setup is doing and how long each step took.

use anyhow::{Context as _, Result};
use std::io::Write as _;
use std::time::Instant;

/// Numbers the steps.
#[derive(Debug)]
pub struct Progress {
    done: usize,
    total: usize,
}

impl Progress {
    /// For `total` steps.
    pub const fn new(total: usize) -> Self {
        Self { done: 0, total }
    }

    /// Runs one step. It returns its result and what to tell about it.
    ///
    /// # Errors
    /// The step's own, with its name.
    pub fn step<T>(
        &mut self,
        title: &str,
        work: impl FnOnce() -> Result<(T, String)>,
    ) -> Result<T> {
        self.done += 1;
        let started = Instant::now();
        say(&format!("[{}/{}] {title}", self.done, self.total));
        let (value, detail) = work().with_context(|| format!("setup stopped at: {title}"))?;
        say(&format!(
            "      {detail} ({:.1} s)",
            started.elapsed().as_secs_f64()
        ));
        Ok(value)
    }
}

/// Writes one line to stderr.
pub fn say(line: &str) {
    // Standard error may be closed; then there is nobody to tell.
    let _ = writeln!(std::io::stderr(), "{line}");
}
