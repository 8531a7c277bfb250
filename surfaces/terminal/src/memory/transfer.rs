//! `carl memory export` and `carl memory import`.

use super::Memories;
use crate::exit::{Exit, Failure, OrFail};
use anyhow::{Context, Result};
use api::memory::{ListRequest, Scope, Stored, WriteAnswer, WriteEntry};
use domain::label::Integrity;
use futures::StreamExt;
use memory_export::{Faults, Table, to_json};
use rendering::memory::going_on;
use rendering::{print, print_error};
use std::fs::{File, OpenOptions};
use std::io::{BufWriter, ErrorKind, IsTerminal, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use text::escape::{visible_json, visible_line};

/// Largest file that is imported, bytes.
const FILE_BYTES: u64 = 256 << 20;
/// Entries that are kept at one time: they share the wait for the disk.
const AT_ONCE: usize = 64;

/// In which form entries are exported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// One JSON object a line: the backup.
    Lines,
    /// A table for analysis.
    Parquet,
}

/// Where an export goes.
enum Out {
    Standard,
    File(BufWriter<File>),
    Table {
        table: Box<Table<BufWriter<File>>>,
        is_file: bool,
    },
}

impl Out {
    fn open(file: Option<&Path>, form: Form) -> Result<Self> {
        let made = match file {
            None if form == Form::Lines => return Ok(Self::Standard),
            None => standard()?,
            Some(file) => {
                let mut options = OpenOptions::new();
                let options = options.write(true).create_new(true).mode(0o600);
                options.open(file).map_err(|error| unusable(file, error))?
            }
        };
        let made = BufWriter::new(made);
        Ok(match form {
            Form::Lines => Self::File(made),
            Form::Parquet => Self::Table {
                table: Box::new(Table::begin(made)?),
                is_file: file.is_some(),
            },
        })
    }

    fn add(&mut self, entry: &Stored) -> Result<()> {
        let line = || format!("{}\n", visible_json(&to_json(entry).to_string()));
        match self {
            Self::Standard => print(&line())?,
            Self::File(file) => file.write_all(line().as_bytes())?,
            Self::Table { table, .. } => table.add(entry)?,
        }
        Ok(())
    }

    fn end(self) -> Result<()> {
        match self {
            Self::Standard => {}
            Self::File(file) => file.into_inner()?.sync_all()?,
            Self::Table { table, is_file } => {
                let file = table.end()?.into_inner()?;
                if is_file {
                    file.sync_all()?;
                }
            }
        }
        Ok(())
    }
}

/// Standard output for a table, which is nothing to look at.
fn standard() -> Result<File> {
    let out = std::io::stdout();
    if out.is_terminal() {
        let said = "A Parquet table is not for a terminal.";
        return Err(Failure::usage(said, "Name a file, such as memory.parquet.").into());
    }
    Ok(File::from(out.as_fd().try_clone_to_owned()?))
}

/// Writes every entry, oldest first.
///
/// # Errors
/// When memory cannot be read, or the file cannot be made: it must not be there yet.
pub async fn export(
    memories: &Memories,
    scope: Scope,
    (file, form): (Option<&Path>, Form),
) -> Result<Exit> {
    let file = file.filter(|file| *file != Path::new("-"));
    let out = Out::open(file, form)?;
    let written = written(memories, scope, out).await;
    let Some(file) = file else {
        written.context("the export broke off")?;
        return Ok(Exit::Success);
    };
    let name = visible_line(&file.display().to_string());
    let count = match written {
        Ok(count) => count,
        Err(error) => {
            // A part of an export must not be taken for one.
            let left = match std::fs::remove_file(file) {
                Ok(()) => "it was removed again".to_owned(),
                Err(error) => format!("what is in it is no export, and it stays: {error}"),
            };
            return Err(error.context(format!("{name} cannot be written; {left}")));
        }
    };
    print(&match count {
        1 => format!("Wrote 1 entry to {name}.\n"),
        _ => format!("Wrote {count} entries to {name}.\n"),
    })?;
    Ok(Exit::Success)
}

/// Writes every entry, and says how many there were.
async fn written(memories: &Memories, scope: Scope, mut out: Out) -> Result<u64> {
    let request = ListRequest { scope, kind: None };
    let mut entries = memories.curator.list(request).await.or_fail()?;
    let mut count = 0_u64;
    while let Some(entry) = entries.next().await {
        out.add(&entry.or_fail()?)?;
        count += 1;
    }
    out.end()?;
    Ok(count)
}

/// Checks every line, then keeps every entry.
///
/// # Errors
/// When the file cannot be read, a line is no entry (nothing is kept then), or memory fails; how far
/// it came is said.
pub async fn import(memories: &Memories, file: &Path) -> Result<Exit> {
    let entries = entries_of(file)?;
    let total = match entries.len() {
        0 => {
            print_error("No entry is in it, so nothing was imported.\n")?;
            return Ok(Exit::Success);
        }
        1 => "1 entry".to_owned(),
        more => format!("{more} entries"),
    };
    let mut kept = futures::stream::iter(entries)
        .map(|(line, entry)| async move {
            let restored = memories.curator.restore(entry.clone()).await;
            (line, entry, restored)
        })
        .buffered(AT_ONCE);
    let (mut new, mut own, mut known, mut differ, mut refused) =
        (0_u64, 0_u64, 0_u64, 0_u64, 0_u64);
    while let Some((line, entry, answer)) = kept.next().await {
        match answer {
            Ok(WriteAnswer::Stored { .. }) => {
                new += 1;
                own += u64::from(entry.label.integrity == Integrity::Trusted);
            }
            Ok(WriteAnswer::Duplicate { id }) => {
                if id == entry.id && !is_there(memories, &entry).await? {
                    differ += 1;
                    print_error(&format!(
                        "line {line}: {id} is there with another text, which stays\n"
                    ))?;
                } else {
                    known += 1;
                }
            }
            Ok(WriteAnswer::Rejected { detail, .. }) => {
                refused += 1;
                print_error(&not_kept(line, &detail))?;
            }
            Err(error) => {
                print_error(&format!(
                    "line {line}: memory failed. Of {total}, at least {new} were added and {known} \
                     were already there; import the file again to go on.\n"
                ))?;
                return Err(error).or_fail();
            }
        }
    }
    let differing = match differ {
        0 => String::new(),
        1 => ", 1 differs and stays as it is".to_owned(),
        more => format!(", {more} differ and stay as they are"),
    };
    print(&format!(
        "Of {total}: {new} added, {known} already there{differing}, {refused} refused.\n"
    ))?;
    if new > 0 {
        let stats = memories.curator.stats().await.or_fail()?;
        print_error(&going_on(&stats))?;
    }
    if own > 0 {
        print(&format!(
            "{own} of these are trusted, as the file says: they count as your own words.\n"
        ))?;
    }
    Ok(match refused + differ {
        0 => Exit::Success,
        _ => Exit::Partial,
    })
}

/// The entries of a file with their lines.
fn entries_of(file: &Path) -> Result<Vec<(usize, Stored)>> {
    let bytes = read(file)?;
    if bytes.starts_with(memory_export::TABLE_MARK) {
        let said = format!(
            "{} is a Parquet table",
            visible_line(&file.display().to_string())
        );
        let hint =
            "A table is for analysis. `carl memory export memory.jsonl` is what import reads.";
        return Err(Failure::usage(said, hint).into());
    }
    Ok(memory_export::read(&bytes).map_err(unreadable)?)
}

fn not_kept(line: usize, why: &str) -> String {
    format!("line {line}: not kept: {}\n", visible_line(why))
}

/// Whether the entry that memory has under the same id says the same.
async fn is_there(memories: &Memories, entry: &Stored) -> Result<bool> {
    let there = memories.curator.show(entry.id).await.or_fail()?;
    Ok(is_same(&there.entry, &entry.entry))
}

/// Whether two entries have the same texts.
fn is_same(one: &WriteEntry, other: &WriteEntry) -> bool {
    let texts = |entry: &WriteEntry| match entry.clone() {
        WriteEntry::Memory {
            name,
            description,
            corpus,
            ..
        } => [name, description, corpus],
        WriteEntry::Engram {
            question,
            answer,
            intent,
            ..
        } => [question, answer, intent],
    };
    one.kind() == other.kind() && texts(one) == texts(other)
}

fn read(file: &Path) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if file == Path::new("-") {
        std::io::stdin()
            .lock()
            .take(FILE_BYTES + 1)
            .read_to_end(&mut bytes)
            .context("standard input cannot be read")?;
    } else {
        let of = |error| unusable(file, error);
        let metadata = std::fs::metadata(file).map_err(of)?;
        // Opening a pipe would wait for whoever writes to it.
        if !metadata.is_file() {
            return Err(Failure::usage(
                format!("{} is no file", visible_line(&file.display().to_string())),
                "`carl memory import -` reads standard input.",
            )
            .into());
        }
        if metadata.len() > FILE_BYTES {
            return Err(too_large(file));
        }
        File::open(file)
            .map_err(of)?
            .take(FILE_BYTES + 1)
            .read_to_end(&mut bytes)
            .map_err(of)?;
    }
    match bytes.len() as u64 > FILE_BYTES {
        true => Err(too_large(file)),
        false => Ok(bytes),
    }
}

fn unreadable(faults: Faults) -> Failure {
    Failure::usage(
        faults.to_string(),
        "Nothing was imported. Mend these lines, or take them out.",
    )
}

fn too_large(file: &Path) -> anyhow::Error {
    let name = match file == Path::new("-") {
        true => "standard input".to_owned(),
        false => visible_line(&file.display().to_string()),
    };
    Failure::usage(
        format!("{name} is larger than {} MiB", FILE_BYTES >> 20),
        "Nothing was imported. Import it in parts: `split -C 200M FILE` keeps lines whole.",
    )
    .into()
}

/// A file that was named and cannot be used: the wrong name is a mistake of usage.
fn unusable(file: &Path, error: std::io::Error) -> anyhow::Error {
    let name = file.display();
    match error.kind() {
        ErrorKind::AlreadyExists => Failure::usage(
            format!("{name} already exists"),
            "An export overwrites nothing: name another file, or remove that one.",
        )
        .into(),
        ErrorKind::NotFound => Failure::usage(
            format!("{name}: no such file or folder"),
            "Name a file, or `-` for standard input or output.",
        )
        .into(),
        ErrorKind::IsADirectory | ErrorKind::NotADirectory => Failure::usage(
            format!("{name} cannot be used: {error}"),
            "Name a file, or `-` for standard input or output.",
        )
        .into(),
        _ => anyhow::Error::from(error).context(format!("{name} cannot be used")),
    }
}
