//! How the two processes of the inside are started and speak with the outside.

use api::sandbox::Refusal;
use std::fmt::Display;
use std::io;

/// The argument of the porter, before the number of the descriptor that holds its job.
pub(super) const PORTER: &str = "porter";

/// The socket to the outside, which both processes have as their standard input.
#[derive(Debug, Clone, Copy)]
pub(super) struct Control;

impl io::Write for Control {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Ok(rustix::io::write(rustix::stdio::stdin(), bytes)?)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl io::Read for Control {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        Ok(rustix::io::read(rustix::stdio::stdin(), bytes)?)
    }
}

/// A step that must not fail did.
pub(super) fn broken(step: &str, error: impl Display) -> Refusal {
    Refusal::Broken(format!("{step}: {error}"))
}
