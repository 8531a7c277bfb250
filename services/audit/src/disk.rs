//! What the writer writes to: the files of the log, or something that fails on purpose in a test.

use crate::config;
use crate::segment;
use disk::private;
use disk::private::Durability;
use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// The writer's view of a disk.
pub(crate) trait Disk: Send {
    /// Appends to the newest segment.
    fn write(&mut self, bytes: &[u8]) -> io::Result<()>;
    /// Waits until the newest segment's content would survive a power cut.
    fn sync(&mut self) -> io::Result<()>;
    /// Begins a segment. Its header and its name are durable before this returns.
    fn begin(&mut self, first: u64, header: &[u8]) -> io::Result<()>;
    /// Appends to the checkpoints.
    fn note(&mut self, text: &[u8]) -> io::Result<()>;
    /// Waits until the checkpoints would survive a power cut.
    fn sync_notes(&mut self) -> io::Result<()>;
    /// Replaces the mark.
    fn mark(&mut self, text: &[u8]) -> io::Result<()>;
}

/// The real files.
#[derive(Debug)]
pub(crate) struct Files {
    folder: PathBuf,
    segment: File,
    /// Where the newest segment lies.
    path: PathBuf,
    /// How much it holds, bytes.
    length: u64,
    notes: File,
    /// Keeps other writers away for as long as this lives.
    _lock: File,
}

impl Files {
    /// Over the segment that begins with this record.
    ///
    /// # Errors
    /// When a file cannot be opened.
    pub(crate) fn open(folder: &Path, first: u64, lock: File) -> io::Result<Self> {
        let path = segment::path(folder, first);
        let segment = private::open(&path, OpenOptions::new().append(true))?;
        Ok(Self {
            folder: folder.to_path_buf(),
            length: segment.metadata()?.len(),
            segment,
            path,
            notes: private::open(
                &config::checkpoints(folder),
                OpenOptions::new().append(true).create(true),
            )?,
            _lock: lock,
        })
    }
}

impl Files {
    /// What is written to a file without its name is on record for nobody, and behind a tail that
    /// somebody cut off nothing can be shown to be whole.
    fn is_in_place(&self) -> io::Result<()> {
        in_place(&self.segment, &self.path)?;
        match self.segment.metadata()?.len() == self.length {
            true => Ok(()),
            false => Err(gone(&self.path, "has another length than was written")),
        }
    }
}

/// Whether a file still has its name.
fn in_place(file: &File, path: &Path) -> io::Result<()> {
    let identity = |facts: Metadata| (facts.dev(), facts.ino());
    let named = std::fs::symlink_metadata(path).map(identity);
    match named.is_ok_and(|named| file.metadata().map(identity).ok() == Some(named)) {
        true => Ok(()),
        false => Err(gone(path, "was moved or removed")),
    }
}

fn gone(path: &Path, how: &str) -> io::Error {
    let text = format!("{} {how}", path.display());
    io::Error::new(io::ErrorKind::NotFound, text)
}

impl Disk for Files {
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.is_in_place()?;
        self.segment.write_all(bytes)?;
        self.length += bytes.len() as u64;
        Ok(())
    }

    fn sync(&mut self) -> io::Result<()> {
        self.segment.sync_data()
    }

    fn begin(&mut self, first: u64, header: &[u8]) -> io::Result<()> {
        let path = segment::path(&self.folder, first);
        private::replace(&path, header, Durability::Durable)?;
        self.segment = private::open(&path, OpenOptions::new().append(true))?;
        self.path = path;
        self.length = header.len() as u64;
        Ok(())
    }

    fn note(&mut self, text: &[u8]) -> io::Result<()> {
        in_place(&self.notes, &config::checkpoints(&self.folder))?;
        self.notes.write_all(text)
    }

    fn sync_notes(&mut self) -> io::Result<()> {
        self.notes.sync_data()
    }

    fn mark(&mut self, text: &[u8]) -> io::Result<()> {
        let path = config::mark(&self.folder);
        // Nothing depends on it after a power cut.
        private::replace(&path, text, Durability::Lossy)
    }
}
