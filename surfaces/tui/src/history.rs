//! The lines that were typed before, in the file that `carl chat` keeps: rustyline's second form, one
//! entry a line with backslashes and line feeds escaped.

use std::fs::OpenOptions;
use std::io::{self, ErrorKind, Write};
use std::path::PathBuf;

/// The first line of the file.
const HEAD: &str = "#V2";
/// Most entries that are read; older ones are left out.
const ENTRIES: usize = 1_000;
/// Longest entry that is kept, bytes.
const ENTRY_BYTES: usize = 16 << 10;

/// The file of the lines that were typed before.
#[derive(Debug)]
pub struct History(PathBuf);

impl History {
    /// The one in this file, which need not be there yet.
    #[must_use]
    pub const fn at(file: PathBuf) -> Self {
        Self(file)
    }

    /// The entries, oldest first.
    ///
    /// # Errors
    /// When the file is there and cannot be read.
    pub fn read(&self) -> io::Result<Vec<String>> {
        let bytes = match std::fs::read(&self.0) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let text = String::from_utf8_lossy(&bytes);
        let is_escaped = text.lines().next() == Some(HEAD);
        let lines = text.lines().skip(usize::from(is_escaped));
        let entries: Vec<String> = lines
            .filter(|line| !line.is_empty())
            .map(|line| match is_escaped {
                true => unescaped(line),
                false => line.to_owned(),
            })
            .collect();
        let from = entries.len().saturating_sub(ENTRIES);
        Ok(entries.into_iter().skip(from).collect())
    }

    /// Adds an entry. Only its owner may read the file.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn add(&self, entry: &str) -> io::Result<()> {
        use std::os::unix::fs::OpenOptionsExt;
        if entry.len() > ENTRY_BYTES {
            return Ok(());
        }
        let is_empty = std::fs::metadata(&self.0).map_or(true, |file| file.len() == 0);
        let mut options = OpenOptions::new();
        let mut file = options
            .create(true)
            .append(true)
            .mode(0o600)
            .open(&self.0)?;
        let head = match is_empty {
            true => format!("{HEAD}\n"),
            false => String::new(),
        };
        file.write_all(format!("{head}{}\n", escaped(entry)).as_bytes())
    }
}

fn escaped(entry: &str) -> String {
    entry.replace('\\', "\\\\").replace('\n', "\\n")
}

fn unescaped(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        match (letter, letter == '\\') {
            (_, true) => match letters.next() {
                Some('n') => out.push('\n'),
                Some(other) => out.push(other),
                None => out.push('\\'),
            },
            (letter, false) => out.push(letter),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_comes_back_as_it_was() {
        let file = std::env::temp_dir().join(format!("carl-history-{}", std::process::id()));
        let _absent = std::fs::remove_file(&file);
        let history = History::at(file.clone());
        assert!(history.read().unwrap().is_empty());
        let entries = ["one", "two\nlines", "a\\nb \\ c"];
        for entry in entries {
            history.add(entry).unwrap();
        }
        assert_eq!(history.read().unwrap(), entries);
        let text = std::fs::read_to_string(&file).unwrap();
        assert!(text.starts_with("#V2\none\ntwo\\nlines\n"), "{text}");
        std::fs::remove_file(&file).unwrap();
    }
}
