//! Writing to standard output and standard error.

use std::io::{self, Write};

/// Writes a whole text to standard output. A reader that went away is not an error worth a
/// message: `carl session list | head` ends quietly.
///
/// # Errors
/// Any other failure to write.
pub fn print(text: &str) -> io::Result<()> {
    quiet_on_broken_pipe(io::stdout().lock(), text)
}

/// Writes a whole text to standard output, for a reader without whom there is nothing to go on for.
///
/// # Errors
/// Any failure to write; a closed pipe is one.
pub fn hand_out(text: &str) -> io::Result<()> {
    let mut stream = io::stdout().lock();
    stream.write_all(text.as_bytes())?;
    stream.flush()
}

/// The same as [`print()`] for standard error.
///
/// # Errors
/// Any failure to write but a closed pipe.
pub fn print_error(text: &str) -> io::Result<()> {
    quiet_on_broken_pipe(io::stderr().lock(), text)
}

fn quiet_on_broken_pipe(mut stream: impl Write, text: &str) -> io::Result<()> {
    match stream
        .write_all(text.as_bytes())
        .and_then(|()| stream.flush())
    {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}
