//! The list of observations: one line of JSON for each grade and each rating, in the order in which
//! they came. It holds no text of anybody's, and can be made again from the session logs.

use disk::private;
use domain::quality::Observation;
use std::fs::OpenOptions;
use std::io::{BufRead, BufReader, ErrorKind, Read, Result, Seek, SeekFrom, Write};
use std::path::Path;

/// The list's file.
const FILE: &str = "observations.jsonl";

/// What is on the list.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Listed {
    /// The observations, oldest first.
    pub observations: Vec<Observation>,
    /// Lines that say nothing: a crash cut them off, or a later version wrote them.
    pub unreadable: usize,
}

/// Adds an observation.
///
/// # Errors
/// Whatever the file system says.
pub fn add(folder: &Path, observation: &Observation) -> Result<()> {
    private::folder(folder)?;
    let mut line = serde_json::to_vec(observation)?;
    line.push(b'\n');
    let mut options = OpenOptions::new();
    options.create(true).read(true).append(true);
    let mut file = private::open(&folder.join(FILE), &mut options)?;
    if is_cut_off(&mut file)? {
        line.insert(0, b'\n');
    }
    // One write, so that a crash leaves at most one line without its end.
    file.write_all(&line)
}

/// Whether the last line has no end.
fn is_cut_off(file: &mut std::fs::File) -> Result<bool> {
    if file.metadata()?.len() == 0 {
        return Ok(false);
    }
    file.seek(SeekFrom::End(-1))?;
    let mut last = [0];
    file.read_exact(&mut last)?;
    Ok(last != [b'\n'])
}

/// What is on the list; nothing where there is none.
///
/// # Errors
/// Whatever the file system says.
pub fn read(folder: &Path) -> Result<Listed> {
    let file = match std::fs::File::open(folder.join(FILE)) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Listed::default()),
        Err(error) => return Err(error),
    };
    let mut listed = Listed::default();
    for line in BufReader::new(file).split(b'\n') {
        let line = line?;
        if line.is_empty() {
            continue;
        }
        match serde_json::from_slice(&line) {
            Ok(observation) => listed.observations.push(observation),
            Err(_) => listed.unreadable += 1,
        }
    }
    Ok(listed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::Timestamp;
    use domain::id::{QueryId, SessionId};
    use domain::quality::{TaskKind, Worth};
    use uuid::Uuid;

    fn observation(seq: u64) -> Observation {
        Observation {
            time: Timestamp::UNIX_EPOCH,
            session_id: SessionId::from_uuid(Uuid::from_u128(1)),
            seq,
            query_id: QueryId::from_uuid(Uuid::from_u128(2)),
            model: None,
            kind: TaskKind::Talk,
            worth: Worth::User { score: -100 },
        }
    }

    #[test]
    fn a_line_that_a_crash_cut_off_costs_itself_alone() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().join("quality");
        assert_eq!(read(&folder).unwrap(), Listed::default());
        add(&folder, &observation(1)).unwrap();
        let path = folder.join(FILE);
        let whole = std::fs::read(&path).unwrap();
        let cut = [&whole[..], &whole[..whole.len() / 2]].concat();
        std::fs::write(&path, cut).unwrap();
        add(&folder, &observation(2)).unwrap();
        let listed = read(&folder).unwrap();
        assert_eq!(listed.observations, [observation(1), observation(2)]);
        assert_eq!(listed.unreadable, 1);
    }
}
