//! Segments: the files of the log, named after their first record, each opening with a header that
//! says where in the whole it stands. Little-endian.
//!
//! | Bytes | What |
//! |---|---|
//! | 0..8 | `hc-audit` |
//! | 8..12 | version of the form: 1 |
//! | 12..16 | CRC32C of bytes 0..12 and of the header's bytes from 16 on |
//! | 16..32 | the log's id, random |
//! | 32..40 | sequence of the first record |
//! | 40..72 | chain hash of the record before it; zeros for the first |
//! | 72..80 | when the segment was begun, nanoseconds since 1970, signed |
//! | 80..88 | earliest time of a record in the segment before, the same way |
//! | 88..96 | latest time of a record in the segment before, the same way |
//! | 96..98 | number of nodes of the Merkle frontier before the first record |
//! | 98..100 | zero |
//! | 100.. | these nodes, 32 bytes each, largest subtree first |
//!
//! Frames follow without gaps: see [`crate::frame`].

use crate::error::Error;
use crate::frame::{self, Flaw, Frame, Parsed};
use crate::tree::{Frontier, Node};
use disk::private;
use domain::hash::Digest;
use std::fs::{File, OpenOptions};
use std::io::Read;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};

const MAGIC: &[u8; 8] = b"hc-audit";
const VERSION: u32 = 1;
/// Bytes of a header without its nodes.
const FIXED: usize = 100;
/// Bytes of the longest header.
const LONGEST: usize = FIXED + 64 * 32;
/// The name that a log has in its checkpoints, before its id.
const ORIGIN: &str = "housecarl.local/audit/";

/// A log's id: random, 16 bytes, made with its first segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct LogId(pub(crate) [u8; 16]);

impl LogId {
    /// 32 hexadecimal digits.
    pub(crate) fn text(self) -> String {
        self.0.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// The log of this name in checkpoints, if it is one that [`Self::origin`] gives.
    pub(crate) fn named(origin: &str) -> Option<Self> {
        let digits = origin.strip_prefix(ORIGIN)?;
        let Ok(id) = u128::from_str_radix(digits, 16) else {
            return None;
        };
        // Only the one way of writing it: no sign, no capitals, all digits.
        Some(Self(id.to_be_bytes())).filter(|log| log.text() == digits)
    }

    /// The name in checkpoints.
    pub(crate) fn origin(self) -> String {
        format!("{ORIGIN}{}", self.text())
    }
}

/// Earliest and latest wall time, nanoseconds since 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Times {
    pub(crate) earliest: i64,
    pub(crate) latest: i64,
}

impl Times {
    /// Of no record.
    pub(crate) const NONE: Self = Self {
        earliest: i64::MAX,
        latest: i64::MIN,
    };

    /// Takes in one more time.
    pub(crate) fn add(&mut self, time: i64) {
        self.earliest = self.earliest.min(time);
        self.latest = self.latest.max(time);
    }
}

/// What a segment says of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Header {
    pub(crate) log: LogId,
    /// The chain hash of the record before the first.
    pub(crate) previous: Digest,
    pub(crate) begun: i64,
    /// Of the segment before.
    pub(crate) times_before: Times,
    /// Before the first record.
    pub(crate) frontier: Frontier,
}

impl Header {
    /// The sequence of the first record.
    pub(crate) const fn first(&self) -> u64 {
        self.frontier.size() + 1
    }

    /// Bytes of the header, where the first frame stands.
    pub(crate) fn len(&self) -> u64 {
        (FIXED + self.frontier.peaks().len() * 32) as u64
    }

    /// The header's bytes.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(LONGEST);
        out.extend_from_slice(MAGIC);
        out.extend_from_slice(&VERSION.to_le_bytes());
        out.extend_from_slice(&[0; 4]);
        out.extend_from_slice(&self.log.0);
        out.extend_from_slice(&self.first().to_le_bytes());
        out.extend_from_slice(self.previous.as_bytes());
        out.extend_from_slice(&self.begun.to_le_bytes());
        out.extend_from_slice(&self.times_before.earliest.to_le_bytes());
        out.extend_from_slice(&self.times_before.latest.to_le_bytes());
        // A frontier has at most 64 nodes.
        out.extend_from_slice(&(self.frontier.peaks().len() as u16).to_le_bytes());
        out.extend_from_slice(&[0; 2]);
        for node in self.frontier.peaks() {
            out.extend_from_slice(node);
        }
        let sum = sum(&out).to_le_bytes();
        out[12..16].copy_from_slice(&sum);
        out
    }

    /// Reads a header from the start of a segment's bytes.
    pub(crate) fn decode(bytes: &[u8]) -> Result<Self, &'static str> {
        let Some(fixed) = bytes.first_chunk::<FIXED>() else {
            return Err("its header is cut off");
        };
        if &fixed[..8] != MAGIC {
            return Err("it does not begin as a segment does");
        }
        let count = usize::from(u16::from_le_bytes(array(fixed, 96)));
        let Some(whole) = bytes.get(..FIXED + count * 32) else {
            return Err("its header is cut off");
        };
        if sum(whole) != u32::from_le_bytes(array(fixed, 12)) {
            return Err("its header's checksum does not fit");
        }
        if u32::from_le_bytes(array(fixed, 8)) != VERSION {
            return Err("its form is of another version of this program");
        }
        let nodes: Vec<Node> = whole[FIXED..]
            .chunks_exact(32)
            .map(|node| array(node, 0))
            .collect();
        let first = u64::from_le_bytes(array(fixed, 32));
        let frontier = first
            .checked_sub(1)
            .and_then(|size| Frontier::stored(size, nodes));
        Ok(Self {
            log: LogId(array(fixed, 16)),
            previous: Digest::from_bytes(array(fixed, 40)),
            begun: i64::from_le_bytes(array(fixed, 72)),
            times_before: Times {
                earliest: i64::from_le_bytes(array(fixed, 80)),
                latest: i64::from_le_bytes(array(fixed, 88)),
            },
            frontier: frontier.ok_or("its header's tree does not fit its first sequence")?,
        })
    }
}

fn array<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    let mut array = [0; N];
    if let Some(part) = bytes.get(at..at + N) {
        array.copy_from_slice(part);
    }
    array
}

fn sum(header: &[u8]) -> u32 {
    crc32c::crc32c_append(crc32c::crc32c(&header[..12]), &header[16..])
}

/// The file of the segment that begins with this record.
pub(crate) fn path(folder: &Path, first: u64) -> PathBuf {
    folder.join(format!("{first:020}.seg"))
}

/// The first sequences of the segments of a folder, in order; empty when there is no folder.
///
/// # Errors
/// [`Error::Io`] when the folder cannot be read.
pub(crate) fn list(folder: &Path) -> Result<Vec<u64>, Error> {
    let io = |source| Error::io(folder, "read", source);
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(io(error)),
    };
    let mut firsts = Vec::new();
    for entry in entries {
        let name = entry.map_err(io)?.file_name();
        let digits = name.to_str().and_then(|name| name.strip_suffix(".seg"));
        let first = digits
            .filter(|d| d.len() == 20)
            .and_then(|d| d.parse::<u64>().ok());
        firsts.extend(first);
    }
    firsts.sort_unstable();
    Ok(firsts)
}

/// An open segment and its header.
#[derive(Debug)]
pub(crate) struct Segment {
    pub(crate) path: PathBuf,
    pub(crate) file: File,
    pub(crate) header: Header,
    /// Bytes of the file when it was opened.
    pub(crate) length: u64,
}

impl Segment {
    /// Opens the segment that begins with this record, to read.
    ///
    /// # Errors
    /// [`Error::Io`] when it cannot be read, [`Error::Segment`] when its header is damaged or
    /// belongs to another place.
    pub(crate) fn open(folder: &Path, first: u64) -> Result<Self, Error> {
        let path = path(folder, first);
        let read = |source| Error::io(&path, "read", source);
        let file = private::open(&path, OpenOptions::new().read(true)).map_err(read)?;
        let length = file.metadata().map_err(read)?.len();
        let mut bytes = Vec::new();
        (&file)
            .take(LONGEST as u64)
            .read_to_end(&mut bytes)
            .map_err(read)?;
        let wrong = |what| Error::Segment {
            path: path.clone(),
            what,
        };
        let header = Header::decode(&bytes).map_err(wrong)?;
        if header.first() != first {
            return Err(wrong(
                "its name and its header name different first records",
            ));
        }
        Ok(Self {
            path,
            file,
            header,
            length,
        })
    }
}

/// What stands at a place of a segment.
#[derive(Debug)]
pub(crate) enum Step<'a> {
    /// A frame whose checksum is right.
    Whole(Frame<'a>),
    /// The end, after a whole frame.
    End,
    /// The bytes end before the frame does.
    Unfinished,
    /// Bytes that are no frame.
    Damaged(Flaw),
}

/// Bytes read at a time.
const CHUNK: usize = 1 << 20;

/// Walks over a segment's frames, holding a chunk and at most one frame more.
#[derive(Debug)]
pub(crate) struct Walk {
    buffer: Vec<u8>,
    /// Where in the buffer the next frame begins.
    start: usize,
    /// Where in the file the next frame begins.
    offset: u64,
    /// Where in the file to stop.
    end: u64,
}

impl Walk {
    /// From one offset to another.
    pub(crate) const fn new(offset: u64, end: u64) -> Self {
        Self {
            buffer: Vec::new(),
            start: 0,
            offset,
            end,
        }
    }

    /// Where the next frame begins.
    pub(crate) const fn offset(&self) -> u64 {
        self.offset
    }

    /// Lets it go on to a later end.
    pub(crate) fn extend(&mut self, end: u64) {
        self.end = self.end.max(end);
    }

    /// The next frame. After anything but a whole one it stays where it is.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub(crate) fn next(&mut self, file: &File) -> std::io::Result<Step<'_>> {
        let have = self.buffer.len() - self.start;
        if have < frame::reach(&self.buffer[self.start..]) && self.offset + (have as u64) < self.end
        {
            self.fill(file)?;
        }
        let rest = &self.buffer[self.start..];
        if rest.is_empty() {
            return Ok(Step::End);
        }
        match frame::parse(rest) {
            Parsed::Whole(frame) => {
                self.start += frame.len();
                self.offset += frame.len() as u64;
                Ok(Step::Whole(frame))
            }
            Parsed::Unfinished => Ok(Step::Unfinished),
            Parsed::Damaged(flaw) => Ok(Step::Damaged(flaw)),
        }
    }

    /// Drops what was walked over and reads the next chunk.
    fn fill(&mut self, file: &File) -> std::io::Result<()> {
        self.buffer.drain(..self.start);
        self.start = 0;
        let have = self.buffer.len();
        let from = self.offset + have as u64;
        let wanted = usize::try_from(self.end.saturating_sub(from))
            .unwrap_or(CHUNK)
            .min(CHUNK);
        self.buffer.resize(have + wanted, 0);
        let mut filled = have;
        while filled < self.buffer.len() {
            match file.read_at(&mut self.buffer[filled..], self.offset + filled as u64) {
                Ok(0) => break,
                Ok(count) => filled += count,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        self.buffer.truncate(filled);
        Ok(())
    }
}

/// The farthest that [`follower`] looks, bytes.
const SEARCH: u64 = 64 << 20;

/// The most that [`follower`] checksums, bytes.
const SEARCH_WORK: u64 = 256 << 20;

/// The sequence of a whole frame further on than `offset`, if one is there: what stands at `offset`
/// is then damage within the log and not an unfinished end.
///
/// # Errors
/// When the file cannot be read.
pub(crate) fn follower(
    segment: &Segment,
    offset: u64,
    sequence: u64,
) -> std::io::Result<Option<u64>> {
    let wanted = segment.length.saturating_sub(offset).min(SEARCH);
    let mut bytes = vec![0; usize::try_from(wanted).unwrap_or(0)];
    segment.file.read_exact_at(&mut bytes, offset)?;
    // Every record takes at least a frame's head, so no later one can be numbered higher.
    let most = sequence.saturating_add(bytes.len() as u64 / frame::HEAD as u64 + 1);
    let mut work = SEARCH_WORK;
    for start in 1..bytes.len().saturating_sub(frame::HEAD) {
        let rest = &bytes[start..];
        let claimed = frame::claimed_sequence(rest);
        if claimed > sequence && claimed <= most {
            match frame::parse(rest) {
                Parsed::Whole(_) => return Ok(Some(claimed)),
                // Whoever laid out so many near-frames did not leave an unfinished record.
                Parsed::Damaged(Flaw::Checksum) if work == 0 => return Ok(Some(claimed)),
                Parsed::Damaged(Flaw::Checksum) => {
                    work = work.saturating_sub(frame::reach(rest) as u64);
                }
                _ => {}
            }
        }
    }
    Ok(None)
}
