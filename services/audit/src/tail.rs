//! The end of an existing log: found, mended and chained on to.

use crate::error::Error;
use crate::record::Record;
use domain::hash::Digest;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

/// How much is read at a time while looking for the last line, bytes.
const CHUNK: u64 = 64 << 10;

/// Where the log goes on.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Tail {
    /// The last record's sequence; 0 for none.
    pub(crate) sequence: u64,
    /// The digest of the last line.
    pub(crate) last: Digest,
    /// Bytes of an unfinished line that were cut off.
    pub(crate) cut: u64,
}

/// Finds the last whole record and cuts off what a crash left after it.
pub(crate) fn recover(file: &mut File, path: &Path) -> Result<Tail, Error> {
    let io = |doing| {
        move |source| Error::Io {
            path: path.to_path_buf(),
            doing,
            source,
        }
    };
    let length = file.seek(SeekFrom::End(0)).map_err(io("read"))?;
    let whole = after_last_feed(file, length).map_err(io("read"))?;
    if whole < length {
        file.set_len(whole).map_err(io("cut"))?;
        file.sync_all().map_err(io("cut"))?;
    }
    let cut = length - whole;
    if whole == 0 {
        return Ok(Tail {
            sequence: 0,
            last: Digest::from_bytes([0; 32]),
            cut,
        });
    }
    let start = after_last_feed(file, whole - 1).map_err(io("read"))?;
    let mut line = Vec::new();
    file.seek(SeekFrom::Start(start)).map_err(io("read"))?;
    let bytes = whole - 1 - start;
    file.take(bytes)
        .read_to_end(&mut line)
        .map_err(io("read"))?;
    let record: Record = serde_json::from_slice(&line).map_err(|source| Error::Damaged {
        path: path.to_path_buf(),
        line: 0,
        source,
    })?;
    Ok(Tail {
        sequence: record.sequence,
        last: Digest::of(&line),
        cut,
    })
}

/// The place after the last line feed before `end`; 0 when there is none.
fn after_last_feed(file: &mut File, end: u64) -> std::io::Result<u64> {
    let mut end = end;
    while end > 0 {
        let start = end.saturating_sub(CHUNK);
        file.seek(SeekFrom::Start(start))?;
        let mut chunk = Vec::new();
        file.by_ref().take(end - start).read_to_end(&mut chunk)?;
        if let Some(index) = chunk.iter().rposition(|byte| *byte == b'\n') {
            return Ok(start + index as u64 + 1);
        }
        end = start;
    }
    Ok(0)
}
