//! A temporary place for a log, and ways to harm it.
#![allow(dead_code, reason = "each test file uses a part of it")]

use api::audit::{Action, Audit, Durability, Entry};
use audit::checkpoint::PublicKey;
use audit::read::{Log, Placed, Query};
use audit::verify::{Against, Report, verify};
use audit::{Config, Service};
use domain::Timestamp;
use std::fs::OpenOptions;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// The place.
pub struct Place {
    root: TempDir,
}

/// A small record.
pub fn entry(detail: &str) -> Entry {
    let mut entry = Entry::new(Timestamp::UNIX_EPOCH, Action::Decide);
    entry.detail = detail.to_owned();
    entry
}

impl Place {
    pub fn new() -> Self {
        Self {
            root: tempfile::tempdir().unwrap(),
        }
    }

    pub fn root(&self) -> &Path {
        self.root.path()
    }

    pub fn config(&self) -> Config {
        Config::new(
            self.root().join("state/audit"),
            self.root().join("state/keys"),
        )
    }

    pub fn open(&self) -> Service {
        Service::open(self.config()).unwrap()
    }

    /// Appends so many records and stops cleanly.
    pub async fn fill(&self, count: usize) {
        self.append(&self.open(), 0..count).await;
    }

    /// Appends records that are named after these numbers.
    pub async fn append(&self, service: &Service, numbers: Range<usize>) {
        for n in numbers {
            service
                .append(entry(&n.to_string()), Durability::Grouped)
                .await
                .unwrap();
        }
    }

    /// Gives every segment the id of another log, with a right checksum, as a forger would.
    pub fn rename_log(&self, key: &PublicKey) {
        let id = key.name().rsplit_once('/').unwrap().1;
        let digit = |at: usize| u8::from_str_radix(&id[at..at + 2], 16).unwrap();
        let id: Vec<u8> = (0..16).map(|n| digit(2 * n)).collect();
        for path in self.segments() {
            let mut bytes = std::fs::read(&path).unwrap();
            bytes[16..32].copy_from_slice(&id);
            let nodes = usize::from(u16::from_le_bytes([bytes[96], bytes[97]]));
            let rest = &bytes[16..100 + 32 * nodes];
            let sum = crc32c::crc32c_append(crc32c::crc32c(&bytes[..12]), rest);
            bytes[12..16].copy_from_slice(&sum.to_le_bytes());
            std::fs::write(&path, bytes).unwrap();
        }
    }

    /// Puts another place's log here. This log's key stays.
    pub fn replace_log_by(&self, other: &Self) {
        let folder = self.config().folder;
        std::fs::remove_dir_all(&folder).unwrap();
        std::fs::rename(other.config().folder, &folder).unwrap();
    }

    /// Writes a note as the only checkpoint.
    pub fn put_checkpoint(&self, note: &str) {
        let sum = crc32c::crc32c(note.as_bytes());
        let text = format!("@ {} {sum:08x}\n{note}", note.len());
        std::fs::write(self.config().folder.join("checkpoints"), text).unwrap();
    }

    pub fn log(&self) -> Log {
        Log::open(&self.config().folder).unwrap().unwrap()
    }

    pub fn records(&self) -> Vec<Placed> {
        self.log()
            .records(Query::default())
            .map(Result::unwrap)
            .collect()
    }

    pub fn segments(&self) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(self.config().folder).unwrap();
        let mut paths: Vec<PathBuf> = entries
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.extension().is_some_and(|e| e == "seg"))
            .collect();
        paths.sort();
        paths
    }

    pub fn verify(&self, anchor: Option<&str>) -> Report {
        self.verify_by(anchor, None)
    }

    pub fn verify_by(&self, anchor: Option<&str>, key: Option<&PublicKey>) -> Report {
        let against = Against {
            anchor: anchor.map(|text| text.parse().unwrap()),
            key: key.cloned(),
        };
        let config = self.config();
        verify(&config.folder, &config.keys, &against)
            .unwrap()
            .unwrap()
    }

    /// Takes checkpoints and mark away, as if the log had not been stopped cleanly.
    pub fn forget_checkpoints(&self) {
        for name in ["checkpoints", "mark"] {
            let path = self.config().folder.join(name);
            if path.exists() {
                std::fs::remove_file(path).unwrap();
            }
        }
    }

    /// Flips a bit.
    pub fn bend(&self, file: &Path, offset: u64) {
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .open(file)
            .unwrap();
        let mut byte = [0];
        file.read_exact_at(&mut byte, offset).unwrap();
        file.write_all_at(&[byte[0] ^ 1], offset).unwrap();
    }

    /// Cuts a file off.
    pub fn cut(&self, file: &Path, length: u64) {
        OpenOptions::new()
            .write(true)
            .open(file)
            .unwrap()
            .set_len(length)
            .unwrap();
        // The mark points behind the cut; someone who cuts would take it away as well.
        let mark = self.config().folder.join("mark");
        if mark.exists() {
            std::fs::remove_file(mark).unwrap();
        }
    }
}
