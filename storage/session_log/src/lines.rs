//! Reading a session log: line by line, from any event on, and its two ends for listings.

use crate::file_error::{corrupt, never_begun, newer, unreadable};
use crate::outline::{Gap, Outlines};
use api::sessions::Error;
use domain::event::Event;
use domain::limits::LOG_LINE_BYTES;
use rustix::fs::OFlags;
use std::collections::VecDeque;
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// How much of a log's beginning and end a listing reads at first, bytes.
const LISTING_WINDOW: u64 = 64 << 10;

/// How much of a log is read in a row to find an event, bytes.
const SEEK_WINDOW: u64 = 16 << 10;
/// How a line begins: with the number of its event.
const SEQ_PREFIX: &[u8] = b"{\"seq\":";
/// The longest such beginning, bytes.
const SEQ_BYTES: u64 = 32;
/// What stands before the kind of an event. Only its number, time and ids are before that, so that no
/// text of anybody's can look like it.
const KIND_PREFIX: &[u8] = b"\"type\":\"";
/// The kinds of events that are pieces of an answer.
const PIECES: [&[u8]; 2] = [b"text_delta\"", b"thinking_delta\""];
/// Where the kind of an event ends at the latest, bytes.
const KIND_BYTES: usize = 512;

/// Reads a log line by line.
#[derive(Debug)]
pub struct Lines {
    reader: BufReader<File>,
    path: PathBuf,
    number: u64,
    /// Where the last line that was an event ends, bytes.
    good_bytes: u64,
    /// The number of that event; 0 before the first.
    good_seq: u64,
    /// How pieces of answers are passed over; `None`: they are read.
    outline: Option<Outline>,
    line: Vec<u8>,
}

/// How the pieces of answers are passed over.
#[derive(Debug)]
struct Outline {
    /// What all readers know of where they stand.
    all: Outlines,
    /// What was known of this log when it was opened: what is yet to come, in order.
    ahead: VecDeque<Gap>,
    /// Where the pieces that are passed over now begin, bytes.
    begin: Option<u64>,
}

impl Lines {
    /// Opens a log for reading; the lock of a writer does not matter.
    ///
    /// # Errors
    /// `NotFound` or `Corrupt` of [`ErrorKind`](api::sessions::ErrorKind) when it cannot be opened.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let file = open_regular(OpenOptions::new().read(true), path)
            .map_err(|source| unreadable(path, source))?;
        Ok(Self {
            reader: BufReader::new(file),
            path: path.to_owned(),
            number: 0,
            good_bytes: 0,
            good_seq: 0,
            outline: None,
            line: Vec::new(),
        })
    }

    /// Passes over the pieces in which answers and thinking came, which are nearly all of a long log.
    /// They are not parsed, and not even read where it is known that nothing else stands there.
    #[must_use]
    pub fn in_outline(self, outlines: &Outlines) -> Self {
        let outline = Outline {
            all: outlines.clone(),
            ahead: outlines.of(&self.path).into(),
            begin: None,
        };
        Self {
            outline: Some(outline),
            ..self
        }
    }

    /// The same, from the event `seq` or from not far before it. The place is found by halving the
    /// file, so what stands before it is not read.
    ///
    /// # Errors
    /// As [`Lines::open`].
    pub fn open_at(path: &Path, seq: u64) -> Result<Self, Error> {
        let mut lines = Self::open(path)?;
        if seq > 1 {
            lines
                .go_to(seq)
                .map_err(|source| unreadable(path, source))?;
        }
        Ok(lines)
    }

    fn go_to(&mut self, wanted: u64) -> std::io::Result<()> {
        let (mut low, mut before_low) = (0, 0);
        let mut high = self.reader.get_ref().metadata()?.len();
        while high - low > SEEK_WINDOW {
            let middle = low + (high - low) / 2;
            match self.line_after(middle)? {
                Some((offset, seq)) if offset < high && (1..=wanted).contains(&seq) => {
                    (low, before_low) = (offset, seq - 1);
                }
                // Later, or nothing that tells: then it is looked for before.
                _ => high = middle,
            }
        }
        self.reader.seek(SeekFrom::Start(low))?;
        (self.number, self.good_seq, self.good_bytes) = (before_low, before_low, low);
        Ok(())
    }

    /// The first line that begins behind an offset, and the number of the event in it.
    fn line_after(&mut self, offset: u64) -> std::io::Result<Option<(u64, u64)>> {
        self.reader.seek(SeekFrom::Start(offset))?;
        let limit = LOG_LINE_BYTES as u64 + 1;
        let rest = (&mut self.reader).take(limit).skip_until(b'\n')?;
        let mut head = Vec::new();
        (&mut self.reader).take(SEQ_BYTES).read_to_end(&mut head)?;
        Ok(seq_of(&head).map(|seq| (offset + rest as u64, seq)))
    }

    /// The next event; `None` at the end and at a torn last line.
    ///
    /// # Errors
    /// `Corrupt` of [`ErrorKind`](api::sessions::ErrorKind) for a line that is no event, or out of order,
    /// with its number, and for a log without any event.
    pub fn next_event(&mut self) -> Result<Option<Event>, Error> {
        loop {
            self.jump()
                .map_err(|source| unreadable(&self.path, source))?;
            self.line.clear();
            let read = (&mut self.reader)
                .take(LOG_LINE_BYTES as u64 + 1)
                .read_until(b'\n', &mut self.line)
                .map_err(|source| unreadable(&self.path, source))?;
            if read == 0 {
                return self.end();
            }
            self.number += 1;
            // The last line may be one that the machine did not finish.
            let is_passed_over = self.outline.is_some()
                && piece(&self.line) == Some(self.number)
                && !self.at_end()?;
            if !is_passed_over {
                self.end_gap();
                return self.event(read);
            }
            let begin = self.good_bytes;
            if let Some(outline) = &mut self.outline {
                outline.begin.get_or_insert(begin);
            }
            self.good(read);
        }
    }

    /// Goes past the pieces that are known to stand here.
    fn jump(&mut self) -> std::io::Result<()> {
        let here = self.good_bytes;
        let Some(outline) = &mut self.outline else {
            return Ok(());
        };
        while outline.ahead.pop_front_if(|gap| gap.end <= here).is_some() {}
        let Some(gap) = outline.ahead.pop_front_if(|gap| gap.begin <= here) else {
            return Ok(());
        };
        self.end_gap();
        self.reader.seek(SeekFrom::Start(gap.end))?;
        if seq_of(self.reader.fill_buf()?) == Some(gap.last_seq + 1) {
            (self.number, self.good_seq, self.good_bytes) = (gap.last_seq, gap.last_seq, gap.end);
            return Ok(());
        }
        // Somebody else has changed the file: it is read as if nothing were known of it.
        if let Some(outline) = &mut self.outline {
            outline.all.forget(&self.path);
            outline.ahead.clear();
        }
        self.reader.seek(SeekFrom::Start(here)).map(drop)
    }

    /// The pieces that were passed over end here.
    fn end_gap(&mut self) {
        let (end, last_seq) = (self.good_bytes, self.good_seq);
        if let Some(outline) = &mut self.outline
            && let Some(begin) = outline.begin.take()
        {
            let gap = Gap {
                begin,
                end,
                last_seq,
            };
            outline.all.note(&self.path, gap);
        }
    }

    fn good(&mut self, bytes: usize) {
        self.good_bytes += bytes as u64;
        self.good_seq = self.number;
    }

    /// The event of the line that was read.
    fn event(&mut self, read: usize) -> Result<Option<Event>, Error> {
        let mut line = std::mem::take(&mut self.line);
        if line.pop_if(|last| *last == b'\n').is_none() {
            return if read > LOG_LINE_BYTES {
                Err(self.corrupt("the line is too long"))
            } else {
                self.end()
            };
        }
        match serde_json::from_slice::<Event>(&line) {
            Ok(event) if event.seq == self.number => {
                self.good(read);
                self.line = line;
                Ok(Some(event))
            }
            Ok(event) => Err(self.corrupt(&format!(
                "it holds event {} where {} belongs",
                event.seq, self.number
            ))),
            // A last line of bytes that are not even JSON is a write the machine did not finish.
            // JSON of an unknown shape may come from a later version and is not ours to cut.
            Err(_)
                if serde_json::from_slice::<serde_json::Value>(&line).is_err()
                    && self.at_end()? =>
            {
                self.end()
            }
            Err(source) => {
                if let Some(kind) = unknown_kind(&source) {
                    let newer = newer(&self.path, self.number, &kind);
                    return Err(newer.with_source(source));
                }
                Err(self.corrupt(&source.to_string()).with_source(source))
            }
        }
    }

    /// Where nothing more can be read: the end, unless it is the beginning as well.
    fn end(&self) -> Result<Option<Event>, Error> {
        match self.good_seq {
            0 => Err(never_begun(&self.path)),
            _ => Ok(None),
        }
    }

    /// What is wrong with the line that was read.
    fn corrupt(&self, what: &str) -> Error {
        corrupt(&self.path, self.number, self.good_bytes, what)
    }

    fn at_end(&mut self) -> Result<bool, Error> {
        let rest = self
            .reader
            .fill_buf()
            .map_err(|source| unreadable(&self.path, source))?;
        Ok(rest.is_empty())
    }

    /// Where the last line that was an event ends, bytes.
    pub(crate) const fn good_bytes(&self) -> u64 {
        self.good_bytes
    }

    /// The number of that event; 0 before the first.
    pub(crate) const fn good_seq(&self) -> u64 {
        self.good_seq
    }

    /// The size of the file.
    pub(crate) fn total_bytes(&self) -> Result<u64, Error> {
        let metadata = self
            .reader
            .get_ref()
            .metadata()
            .map_err(|source| unreadable(&self.path, source))?;
        Ok(metadata.len())
    }
}

/// The number of the event in a line that begins so.
fn seq_of(head: &[u8]) -> Option<u64> {
    let digits = head.strip_prefix(SEQ_PREFIX)?;
    let end = digits.iter().position(|byte| !byte.is_ascii_digit())?;
    std::str::from_utf8(&digits[..end]).ok()?.parse().ok()
}

/// The number of the event in a line, if it is a piece of an answer.
fn piece(line: &[u8]) -> Option<u64> {
    seq_of(line).filter(|_| is_of(line, &PIECES))
}

/// Whether the event in a line is of one of these kinds, each with the quotation mark behind its name.
pub(crate) fn is_of(line: &[u8], kinds: &[&[u8]]) -> bool {
    let head = &line[..line.len().min(KIND_BYTES)];
    let mut places = head.windows(KIND_PREFIX.len());
    let place = places.position(|place| place == KIND_PREFIX);
    let kind = place.map(|place| &head[place + KIND_PREFIX.len()..]);
    kind.is_some_and(|kind| kinds.iter().any(|name| kind.starts_with(name)))
}

/// The beginning and the end of a log, for listings: the cost does not depend on what is between.
#[derive(Debug)]
pub(crate) struct Ends {
    /// Events from the first on, as far as a listing looks.
    pub(crate) head: Vec<Event>,
    /// The last whole event.
    pub(crate) last: Event,
}

/// Reads the ends of a log; `None` when it holds no whole event.
///
/// # Errors
/// Whatever the file system says.
pub(crate) fn read_ends(path: &Path) -> std::io::Result<Option<Ends>> {
    let mut file = open_regular(OpenOptions::new().read(true), path)?;
    let length = file.metadata()?.len();
    let mut head = Vec::new();
    let mut window = LISTING_WINDOW;
    while head.is_empty() {
        head = events_in(&read_range(&mut file, 0, window.min(length))?);
        if window >= length.min(LOG_LINE_BYTES as u64) {
            break;
        }
        window *= 2;
    }
    if head.is_empty() {
        return Ok(None);
    }
    let mut window = LISTING_WINDOW;
    loop {
        let start = length.saturating_sub(window);
        let bytes = read_range(&mut file, start, length - start)?;
        // Unless it starts the file, the first line of the window is cut and fails to parse.
        if let Some(last) = events_in(&bytes).pop() {
            return Ok(Some(Ends { head, last }));
        }
        if start == 0 || window > LOG_LINE_BYTES as u64 {
            return Ok(None);
        }
        window *= 2;
    }
}

/// Opens a regular file and nothing else; a pipe in its place is not waited for.
pub(crate) fn open_regular(options: &mut OpenOptions, path: &Path) -> std::io::Result<File> {
    let without_waiting = OFlags::NONBLOCK.bits().cast_signed();
    let file = options.custom_flags(without_waiting).open(path)?;
    if file.metadata()?.is_file() {
        Ok(file)
    } else {
        Err(std::io::Error::other("it is no regular file"))
    }
}

fn read_range(file: &mut File, start: u64, length: u64) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(start))?;
    file.take(length).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn events_in(bytes: &[u8]) -> Vec<Event> {
    bytes
        .split_inclusive(|byte| *byte == b'\n')
        .filter(|line| line.ends_with(b"\n"))
        .filter_map(|line| serde_json::from_slice(line).ok())
        .collect()
}
/// The name of a kind of event, or of a value in one, that a later version has. Nothing but such a
/// version writes one: a damaged line has no whole name in its place.
fn unknown_kind(error: &serde_json::Error) -> Option<String> {
    let told = error.to_string();
    let (kind, _) = told.strip_prefix("unknown variant `")?.split_once('`')?;
    let is_name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    (error.is_data() && kind.chars().all(is_name)).then(|| kind.to_owned())
}
