//! Reading a file in one or two passes without holding more of it than was asked for.

use crate::context::{Leash, Leashed};
use crate::failure::from_io;
use api::executor::ToolFailure;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
pub(crate) use text::decode::document_format as closed_format_of;

/// How much of the beginning decides whether a file is text, bytes.
const SNIFF_BYTES: u64 = 8 << 10;
/// Read buffer, bytes.
const BUFFER_BYTES: usize = 128 << 10;

/// Which lines are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lines {
    /// From this line on, from 1, at most so many.
    From(u64, u64),
    /// The last so many.
    Last(u64),
}

/// What was read.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Scan {
    pub(crate) content: Vec<u8>,
    /// Number of the first line in the content; 0 for none.
    pub(crate) from_line: u64,
    pub(crate) line_count: u64,
    pub(crate) total_lines: u64,
    pub(crate) total_words: u64,
    pub(crate) total_bytes: u64,
    /// Whether the content was cut at the limit.
    pub(crate) cut: bool,
}

/// Whether the beginning of the file holds bytes that no text has.
pub(crate) fn is_binary(file: &mut File, shown: &str) -> Result<bool, ToolFailure> {
    Ok(start_of(file, shown)?.contains(&0))
}

/// The format of a document that is no text, by the beginning of its file.
pub(crate) fn closed_format(
    file: &mut File,
    shown: &str,
) -> Result<Option<&'static str>, ToolFailure> {
    start_of(file, shown).map(|start| closed_format_of(&start))
}

/// The beginning of a file, which is at its start afterwards.
pub(crate) fn start_of(file: &mut File, shown: &str) -> Result<Vec<u8>, ToolFailure> {
    let mut start = Vec::new();
    let fault = |e: std::io::Error| from_io(&e, shown);
    file.by_ref()
        .take(SNIFF_BYTES)
        .read_to_end(&mut start)
        .map_err(fault)?;
    file.seek(SeekFrom::Start(0)).map_err(fault)?;
    Ok(start)
}

/// Counts the whole file and keeps the wanted lines, up to `cap` bytes of them.
pub(crate) fn scan(
    file: &mut File,
    lines: Lines,
    cap: usize,
    leash: &Leash,
    shown: &str,
) -> Result<Scan, ToolFailure> {
    let (first, count) = match lines {
        Lines::From(first, count) => (first, count),
        Lines::Last(count) => {
            let total = pass(file, 0, 0, 0, leash, shown)?.total_lines;
            (total.saturating_sub(count) + 1, count)
        }
    };
    pass(file, first, count, cap, leash, shown)
}

fn pass(
    file: &mut File,
    first: u64,
    count: u64,
    cap: usize,
    leash: &Leash,
    shown: &str,
) -> Result<Scan, ToolFailure> {
    let fault = |e: std::io::Error| from_io(&e, shown);
    file.seek(SeekFrom::Start(0)).map_err(fault)?;
    let mut reader = BufReader::with_capacity(BUFFER_BYTES, Leashed { leash, inner: file });
    let mut scan = Scan::default();
    let (mut line, mut in_word, mut starts_line) = (1_u64, false, true);
    loop {
        leash.check()?;
        let chunk = reader.fill_buf().map_err(fault)?;
        if chunk.is_empty() {
            break;
        }
        for piece in chunk.split_inclusive(|byte| *byte == b'\n') {
            if starts_line {
                scan.total_lines += 1;
            }
            let is_wanted = line >= first && line - first < count;
            if is_wanted && !scan.cut {
                if starts_line || scan.from_line == 0 {
                    scan.line_count += 1;
                    scan.from_line = first;
                }
                let room = (cap - scan.content.len()).min(piece.len());
                scan.content.extend_from_slice(&piece[..room]);
                scan.cut = room < piece.len();
            } else if is_wanted {
                scan.cut = true;
            }
            for byte in piece {
                let is_space = byte.is_ascii_whitespace() || *byte == 0xb;
                scan.total_words += u64::from(!is_space && !in_word);
                in_word = !is_space;
            }
            starts_line = piece.ends_with(b"\n");
            line += u64::from(starts_line);
        }
        let used = chunk.len();
        scan.total_bytes += used as u64;
        reader.consume(used);
    }
    Ok(scan)
}

/// The text of some bytes, with replacements where they are not UTF-8, and whether there were any.
/// A character cut at the end of capped content is dropped instead.
pub(crate) fn to_text(mut bytes: Vec<u8>, cut: bool) -> (String, bool) {
    if cut
        && let Err(error) = std::str::from_utf8(&bytes)
        && error.error_len().is_none()
    {
        bytes.truncate(error.valid_up_to());
    }
    match String::from_utf8(bytes) {
        Ok(text) => (text, false),
        Err(error) => (String::from_utf8_lossy(error.as_bytes()).into_owned(), true),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::StopFlag;
    use std::io::Write;
    use std::time::Duration;

    fn scanned(text: &[u8], lines: Lines, cap: usize) -> Scan {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(text).unwrap();
        let leash = Leash::new(StopFlag::default(), Duration::from_secs(60), None);
        scan(&mut file, lines, cap, &leash, "f").unwrap()
    }

    #[test]
    fn lines_words_and_bytes_are_counted_and_parts_cut_out() {
        let text = b"one two\nthree\n\nlast line";
        let cases: [(Lines, &[u8], u64, u64); 7] = [
            (Lines::From(1, u64::MAX), text, 1, 4),
            (Lines::From(2, 1), b"three\n", 2, 1),
            (Lines::From(4, 9), b"last line", 4, 1),
            (Lines::From(5, 1), b"", 0, 0),
            (Lines::Last(2), b"\nlast line", 3, 2),
            (Lines::Last(100), text, 1, 4),
            (Lines::From(1, 0), b"", 0, 0),
        ];
        for (lines, content, from, count) in cases {
            let scan = scanned(text, lines, 1000);
            assert_eq!(
                (scan.content.as_slice(), scan.from_line, scan.line_count),
                (content, from, count)
            );
            assert_eq!(
                (scan.total_lines, scan.total_words, scan.total_bytes),
                (4, 5, 24)
            );
            assert!(!scan.cut);
        }
        assert_eq!(scanned(b"", Lines::From(1, 5), 10), Scan::default());
        assert_eq!(scanned(b"a\n", Lines::Last(1), 10).content, b"a\n");
    }

    #[test]
    fn content_is_cut_at_the_cap_and_counts_go_on() {
        let scan = scanned(b"aaaa\nbbbb\n", Lines::From(1, 9), 5);
        assert_eq!(
            (scan.content.as_slice(), scan.cut, scan.total_lines),
            (&b"aaaa\n"[..], true, 2)
        );
        assert!(!scanned(b"aaaa\n", Lines::From(1, 9), 5).cut);
        assert_eq!(
            to_text("aä".as_bytes()[..2].to_vec(), true),
            ("a".to_owned(), false)
        );
        assert_eq!(
            to_text(b"a\xff".to_vec(), false),
            ("a\u{fffd}".to_owned(), true)
        );
    }

    #[test]
    fn lines_longer_than_the_buffer_are_one_line() {
        let long = vec![b'x'; BUFFER_BYTES * 2 + 7];
        let scan = scanned(&long, Lines::From(1, 1), usize::MAX >> 1);
        assert_eq!(
            (scan.total_lines, scan.line_count, scan.total_words),
            (1, 1, 1)
        );
        assert_eq!(scan.content.len(), long.len());
    }
}
