//! Writing what the user asked for into a file of its own.

use crate::exit::Failure;
use anyhow::{Context, Result};
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

/// Writes a file that is not there yet; `how` is what to type to name another.
///
/// # Errors
/// A usage failure when it is there or cannot be made.
pub fn write_new(file: &Path, text: &str, how: &str) -> Result<()> {
    let mut options = OpenOptions::new();
    let opened = options.write(true).create_new(true).open(file);
    let refused = |error: io::Error| {
        let file = file.display();
        match error.kind() {
            io::ErrorKind::AlreadyExists => Failure::usage(
                format!("{file} already exists and is not overwritten"),
                format!("Give another name: {how}"),
            ),
            _ => Failure::usage(
                format!("{file}: {error}"),
                format!("Give a file that can be written: {how}"),
            ),
        }
    };
    let mut opened = opened.map_err(refused)?;
    let written = opened
        .write_all(text.as_bytes())
        .and_then(|()| opened.sync_all());
    if written.is_err() {
        // Half a text must not look like a whole one; what went wrong is what is told.
        let _gone = fs::remove_file(file);
    }
    written.with_context(|| {
        let file = file.display();
        format!("{file} cannot be written; what there was of it was removed again")
    })
}
