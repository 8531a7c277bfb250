//! `carl memory export` and `carl memory import`.

use super::exported::{from_line, to_json};
use crate::exit::{Exit, Failure, OrFail};
use crate::render::{print, print_error};
use crate::wiring::Memories;
use anyhow::{Context, Result};
use api::memory::{ListRequest, Scope, Stored, WriteAnswer};
use futures::StreamExt;
use std::fs::{File, OpenOptions};
use std::io::{BufWriter, ErrorKind, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use text::escape::visible;

/// Most lines whose faults are told.
const FAULTS: usize = 20;
/// Entries that are kept at one time: they share the wait for the disk.
const AT_ONCE: usize = 64;

/// Where an export goes.
enum Out {
    Standard,
    File(BufWriter<File>),
}

/// Writes every entry, oldest first.
///
/// # Errors
/// When memory cannot be read, or the file cannot be made: it must not be there yet.
pub async fn export(memories: &Memories, scope: Scope, file: Option<&Path>) -> Result<Exit> {
    let file = file.filter(|file| *file != Path::new("-"));
    let mut out = match file {
        None => Out::Standard,
        Some(file) => {
            let mut options = OpenOptions::new();
            let options = options.write(true).create_new(true).mode(0o600);
            let made = options.open(file).map_err(|error| unusable(file, error))?;
            Out::File(BufWriter::new(made))
        }
    };
    let request = ListRequest { scope, kind: None };
    let mut entries = memories.curator.list(request).await.or_fail()?;
    let mut count = 0_u64;
    while let Some(entry) = entries.next().await {
        let line = format!("{}\n", to_json(&entry.or_fail()?));
        match &mut out {
            Out::Standard => print(&line)?,
            Out::File(file) => file.write_all(line.as_bytes())?,
        }
        count += 1;
    }
    if let (Out::File(written), Some(file)) = (out, file) {
        let written = written
            .into_inner()
            .with_context(|| format!("{} cannot be written", file.display()))?;
        written.sync_all()?;
        let file = file.display();
        print(&match count {
            1 => format!("1 entry is in {file}.\n"),
            _ => format!("{count} entries are in {file}.\n"),
        })?;
    }
    Ok(Exit::Success)
}

/// Checks every line, then keeps every entry.
///
/// # Errors
/// When the file cannot be read, a line is no entry (nothing is kept then), or memory fails; how far
/// it came is said.
pub async fn import(memories: &Memories, file: &Path) -> Result<Exit> {
    let text = read(file)?;
    let entries = checked(&text)?;
    let total = match entries.len() {
        0 => {
            print_error("No entry is in it, so nothing was imported.\n")?;
            return Ok(Exit::Success);
        }
        1 => "1 entry".to_owned(),
        more => format!("{more} entries"),
    };
    let mut kept = futures::stream::iter(entries)
        .map(|(line, entry)| async move { (line, memories.curator.restore(entry).await) })
        .buffered(AT_ONCE);
    let (mut new, mut known, mut refused) = (0_u64, 0_u64, 0_u64);
    while let Some((line, answer)) = kept.next().await {
        match answer {
            Ok(WriteAnswer::Stored { .. }) => new += 1,
            Ok(WriteAnswer::Duplicate { .. }) => known += 1,
            Ok(WriteAnswer::Rejected { detail, .. }) => {
                refused += 1;
                print_error(&format!("line {line}: not kept: {}\n", visible(&detail)))?;
            }
            Err(error) => {
                print_error(&format!(
                    "line {line}: memory failed. Of {total} {new} kept and {known} there \
                     already; import the file again to go on.\n"
                ))?;
                return Err(error).or_fail();
            }
        }
    }
    print(&format!(
        "Of {total}: {new} kept, {known} there already, {refused} refused.\n"
    ))?;
    Ok(match refused {
        0 => Exit::Success,
        _ => Exit::Partial,
    })
}

fn read(file: &Path) -> Result<String> {
    let mut text = String::new();
    if file == Path::new("-") {
        std::io::stdin()
            .lock()
            .read_to_string(&mut text)
            .context("standard input cannot be read as text")?;
    } else {
        text = std::fs::read_to_string(file).map_err(|error| unusable(file, error))?;
    }
    Ok(text)
}

/// A file that was named and cannot be used: the wrong name is a mistake of usage.
fn unusable(file: &Path, error: std::io::Error) -> anyhow::Error {
    let name = file.display();
    match error.kind() {
        ErrorKind::AlreadyExists => Failure::usage(
            format!("{name} is there already"),
            "An export writes over nothing: name another file, or remove that one.",
        )
        .into(),
        ErrorKind::NotFound | ErrorKind::IsADirectory | ErrorKind::NotADirectory => Failure::usage(
            format!("{name} cannot be used: {error}"),
            "Name a file, or `-` for standard input or output.",
        )
        .into(),
        _ => anyhow::Error::from(error).context(format!("{name} cannot be used")),
    }
}

/// Every entry with its line's number, from 1; empty lines are left out.
fn checked(text: &str) -> Result<Vec<(usize, Stored)>> {
    let lines = text.lines().enumerate().map(|(at, line)| (at + 1, line));
    let mut entries = Vec::new();
    let mut faults = Vec::new();
    for (number, line) in lines.filter(|(_, line)| !line.trim().is_empty()) {
        match from_line(line) {
            Ok(entry) => entries.push((number, entry)),
            Err(error) => faults.push(format!("line {number}: {}", visible(&error.to_string()))),
        }
    }
    if faults.is_empty() {
        return Ok(entries);
    }
    let more = faults.len().saturating_sub(FAULTS);
    faults.truncate(FAULTS);
    if more > 0 {
        faults.push(format!("and {more} more lines"));
    }
    Err(Failure::usage(
        faults.join("\n"),
        "Nothing was imported. Mend these lines, or take them out.",
    )
    .into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bad_line_is_named_up_to_a_limit_and_nothing_comes_of_the_others() {
        let text = "{}\n\n".repeat(FAULTS + 2);
        let said = checked(&text).unwrap_err().to_string();
        assert!(
            said.starts_with("line 1: field `kind`: is missing\nline 3: "),
            "{said}"
        );
        assert!(said.ends_with("and 2 more lines"), "{said}");
        assert_eq!(checked("\n \n").unwrap(), []);
    }
}
