//! The file of rounded vectors: a head, then rows of one size, each with its own checksum.
//!
//! ```text
//! head   magic 8 · form u32 · dimensions u32 · model digest 32 · epoch u64 · mark i64 · crc32c u32
//! row    number u32 · field u8 · 0 u8 · segment u16 · start u32 · end u32 · scale f32
//!        · one i8 a dimension · crc32c u32
//! ```
//! All little-endian. Epoch and mark name the newest state of the store that the file knows. Rows are
//! appended and never changed. What a crash left half written fails its
//! checksum and is cut off; the store has it.

use super::kernel::Rounded;
use crate::store::Point;
use std::fs::{File, OpenOptions};
use std::io::{self, BufReader, Read};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

const MAGIC: &[u8; 8] = b"carlvecs";
/// The form of the file; another one is made anew.
const FORM: u32 = 1;
const HEAD_BYTES: usize = 68;
/// Where the state stands in the head.
const STATE_AT: usize = 48;
/// What a row has beside its steps, bytes.
const ROW_EXTRA_BYTES: usize = 24;
/// Read at a time when the file is opened, bytes.
const READ_BYTES: usize = 1 << 20;
/// Most of the first rows that stay in memory, bytes: a small store is compared without reading.
const NEAR_BYTES: usize = 16 << 20;

/// What a file was made from and for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Origin {
    /// Numbers of a vector.
    pub(crate) dimensions: usize,
    /// Which model, with its digest.
    pub(crate) model: String,
}

/// Which text of an entry a vector is of, and which part of that text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Part {
    /// The entry.
    pub(crate) number: u32,
    /// 0 name, 1 description, 2 corpus.
    pub(crate) field: u8,
    /// Which segment, from 0.
    pub(crate) segment: u16,
    /// Where it stands in the text, bytes.
    pub(crate) range: (u32, u32),
}

/// The open file.
#[derive(Debug)]
pub(super) struct Rows {
    file: File,
    path: PathBuf,
    origin: Origin,
    point: Point,
    count: usize,
    /// The first rows as they stand in the file, up to [`NEAR_BYTES`].
    near: Vec<u8>,
}

/// What stood in the way of using a file as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    /// There was none.
    Missing,
    /// It is of another model or form, or its head is damaged.
    Foreign,
    /// From some row on it is damaged or cut short.
    Cut,
}

impl Rows {
    /// Opens the file, handing every good row to `each`. What cannot be used is cut off or begun
    /// anew, and named.
    pub(super) fn open(
        path: &Path,
        origin: &Origin,
        mut each: impl FnMut(Part, &[u8]),
    ) -> io::Result<(Self, Option<Fault>)> {
        let existed = path.exists();
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .open(path)?;
        let mut rows = Self {
            file,
            path: path.to_owned(),
            origin: origin.clone(),
            point: Point::default(),
            count: 0,
            near: Vec::new(),
        };
        let length = rows.file.metadata()?.len();
        let mut head = [0; HEAD_BYTES];
        if length >= HEAD_BYTES as u64 {
            rows.file.read_exact_at(&mut head, 0)?;
        }
        match point_of(&head) {
            Some(point) if head == head_of(origin, point) => rows.point = point,
            _ => {
                rows.clear()?;
                let fault = if existed {
                    Fault::Foreign
                } else {
                    Fault::Missing
                };
                return Ok((rows, Some(fault)));
            }
        }
        rows.read(&mut each)?;
        let whole = rows.place(rows.count);
        let fault = (whole != length).then_some(Fault::Cut);
        if fault.is_some() {
            rows.file.set_len(whole)?;
        }
        Ok((rows, fault))
    }

    fn read(&mut self, each: &mut impl FnMut(Part, &[u8])) -> io::Result<()> {
        let mut from = BufReader::with_capacity(READ_BYTES, self.file.try_clone()?);
        io::copy(&mut (&mut from).take(HEAD_BYTES as u64), &mut io::sink())?;
        let mut row = vec![0; self.row_bytes()];
        loop {
            match from.read_exact(&mut row) {
                Ok(()) => {}
                Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(()),
                Err(error) => return Err(error),
            }
            let Some((part, _, steps)) = parse(&row) else {
                return Ok(());
            };
            each(part, steps);
            self.keep_near(&row);
            self.count += 1;
        }
    }

    /// The newest state of the store that the file knows.
    pub(super) const fn point(&self) -> Point {
        self.point
    }

    /// Takes out every row.
    pub(super) fn clear(&mut self) -> io::Result<()> {
        self.file.set_len(0)?;
        self.count = 0;
        self.near.clear();
        self.point = Point::default();
        self.file
            .write_all_at(&head_of(&self.origin, self.point), 0)
    }

    /// Appends rows, made when the store had come to `point`.
    pub(super) fn append(&mut self, rows: &[(Part, Rounded)], point: Point) -> io::Result<()> {
        if point != self.point {
            self.file.write_all_at(&head_of(&self.origin, point), 0)?;
            self.point = point;
        }
        let mut bytes = Vec::with_capacity(rows.len() * self.row_bytes());
        for (part, rounded) in rows {
            write(&mut bytes, part, rounded);
        }
        self.file.write_all_at(&bytes, self.place(self.count))?;
        for row in bytes.chunks_exact(self.row_bytes()) {
            self.keep_near(row);
            self.count += 1;
        }
        Ok(())
    }

    /// Keeps the next row in memory, as long as every one before it is there and there is room.
    fn keep_near(&mut self, row: &[u8]) {
        let is_next = self.near.len() == self.count * self.row_bytes();
        if is_next && self.near.len() + row.len() <= NEAR_BYTES {
            self.near.extend_from_slice(row);
        }
    }

    /// Hands `count` rows from `first` on to `each`: from memory, where they were checked, or read
    /// into `buffer` and checked now.
    ///
    /// # Errors
    /// When a row cannot be read or does not fit its checksum.
    pub(super) fn visit(
        &self,
        first: usize,
        count: usize,
        buffer: &mut Vec<u8>,
        mut each: impl FnMut(Part, f32, &[u8]),
    ) -> io::Result<()> {
        let size = self.row_bytes();
        if let Some(rows) = self.near.get(first * size..(first + count) * size) {
            let rows = rows
                .chunks_exact(size)
                .filter_map(<[u8]>::split_last_chunk::<4>);
            rows.filter_map(|(body, _)| split(body))
                .for_each(|(part, scale, steps)| each(part, scale, steps));
            return Ok(());
        }
        buffer.resize(count * size, 0);
        self.file.read_exact_at(buffer, self.place(first))?;
        for row in buffer.chunks_exact(size) {
            let (part, scale, steps) = parse(row).ok_or_else(damaged)?;
            each(part, scale, steps);
        }
        Ok(())
    }

    /// The size of one row, bytes.
    pub(super) const fn row_bytes(&self) -> usize {
        self.origin.dimensions + ROW_EXTRA_BYTES
    }

    /// Replaces the file by one without the rows that `keep` turns down; nothing of those is left
    /// in any file.
    pub(super) fn rewrite(&self, mut keep: impl FnMut(Part) -> bool) -> io::Result<()> {
        let beside = self.path.with_extension("rewritten");
        let kept = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(true)
            .mode(0o600)
            .open(&beside)?;
        kept.write_all_at(&head_of(&self.origin, self.point), 0)?;
        let mut at = HEAD_BYTES as u64;
        let mut buffer = Vec::new();
        for row in 0..self.count {
            buffer.resize(self.row_bytes(), 0);
            self.file.read_exact_at(&mut buffer, self.place(row))?;
            if parse(&buffer).is_some_and(|(part, _, _)| keep(part)) {
                kept.write_all_at(&buffer, at)?;
                at += buffer.len() as u64;
            }
        }
        kept.sync_all()?;
        std::fs::rename(&beside, &self.path)
    }

    const fn place(&self, row: usize) -> u64 {
        (HEAD_BYTES + row * self.row_bytes()) as u64
    }
}

/// A row's part, scale and steps; `None` where it is damaged.
fn parse(row: &[u8]) -> Option<(Part, f32, &[u8])> {
    let (body, sum) = row.split_last_chunk::<4>()?;
    if crc32c::crc32c(body) != u32::from_le_bytes(*sum) {
        return None;
    }
    split(body)
}

/// The same of a row without its checksum.
fn split(body: &[u8]) -> Option<(Part, f32, &[u8])> {
    let (number, rest) = body.split_first_chunk::<4>()?;
    let (kind, rest) = rest.split_first_chunk::<4>()?;
    let (start, rest) = rest.split_first_chunk::<4>()?;
    let (end, rest) = rest.split_first_chunk::<4>()?;
    let (scale, steps) = rest.split_first_chunk::<4>()?;
    let part = Part {
        number: u32::from_le_bytes(*number),
        field: kind[0],
        segment: u16::from_le_bytes([kind[2], kind[3]]),
        range: (u32::from_le_bytes(*start), u32::from_le_bytes(*end)),
    };
    Some((part, f32::from_le_bytes(*scale), steps))
}

fn damaged() -> io::Error {
    io::Error::new(
        io::ErrorKind::InvalidData,
        "a row of the file of vectors does not fit its checksum",
    )
}

fn write(bytes: &mut Vec<u8>, part: &Part, rounded: &Rounded) {
    let begin = bytes.len();
    bytes.extend_from_slice(&part.number.to_le_bytes());
    bytes.extend_from_slice(&[part.field, 0]);
    bytes.extend_from_slice(&part.segment.to_le_bytes());
    bytes.extend_from_slice(&part.range.0.to_le_bytes());
    bytes.extend_from_slice(&part.range.1.to_le_bytes());
    bytes.extend_from_slice(&rounded.scale.to_le_bytes());
    bytes.extend(rounded.steps.iter().map(|step| step.cast_unsigned()));
    let sum = crc32c::crc32c(bytes.get(begin..).unwrap_or_default());
    bytes.extend_from_slice(&sum.to_le_bytes());
}

fn head_of(origin: &Origin, point: Point) -> [u8; HEAD_BYTES] {
    let dimensions = u32::try_from(origin.dimensions).unwrap_or(u32::MAX);
    let mut whole = [0; HEAD_BYTES];
    let model = blake3::hash(origin.model.as_bytes());
    let parts: [&[u8]; 6] = [
        MAGIC,
        &FORM.to_le_bytes(),
        &dimensions.to_le_bytes(),
        model.as_bytes(),
        &point.epoch.to_le_bytes(),
        &point.mark.to_le_bytes(),
    ];
    let body = parts.concat();
    let sum = crc32c::crc32c(&body).to_le_bytes();
    for (place, byte) in whole.iter_mut().zip(body.iter().chain(&sum)) {
        *place = *byte;
    }
    whole
}

/// The state that a head names, if it is one.
fn point_of(head: &[u8; HEAD_BYTES]) -> Option<Point> {
    let (epoch, rest) = head.get(STATE_AT..)?.split_first_chunk::<8>()?;
    let (mark, _sum) = rest.split_first_chunk::<8>()?;
    Some(Point {
        epoch: u64::from_le_bytes(*epoch),
        mark: i64::from_le_bytes(*mark),
    })
}
