//! The settings of the terminal, as this process may keep them to put them back.

use rustix::fd::AsFd;
use rustix::io::retry_on_intr;
use rustix::termios::{Termios, tcdrain, tcgetattr};
use std::io;

/// The settings of a terminal, once this process is in its foreground. In the background, as behind
/// `&`, they are those of the shell's line editor: put back after a question they would leave a
/// terminal in which no line ends. Whoever asks there is stopped by the kernel until `fg`.
///
/// # Errors
/// When it is no terminal, is gone, or its shell is.
pub fn settings(terminal: impl AsFd) -> io::Result<Termios> {
    // Changes nothing and stops a process of the background with SIGTTOU. To change the settings would
    // stop it as well, but with the old ones in hand.
    retry_on_intr(|| tcdrain(&terminal))?;
    Ok(tcgetattr(&terminal)?)
}
