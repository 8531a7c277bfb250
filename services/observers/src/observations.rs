//! Lists of what is known of quality, a line of JSON each, in the order in which it came: observations
//! (grades and ratings), and how judges did when they were measured. They hold no text of anybody's.

use disk::private;
use domain::quality::{JudgeMeasure, Observation, Worth};
use quality::AttackMeasure;
use serde::de::DeserializeOwned;
use std::collections::HashSet;
use std::fs::OpenOptions;
use std::hash::Hash;
use std::io::{BufRead, BufReader, Error, ErrorKind, Read, Result, Seek, SeekFrom, Write};
use std::path::Path;

/// The file of grades and ratings.
const OBSERVATIONS: &str = "observations.jsonl";
/// The file of what attacks did to judges.
const ATTACKS: &str = "attacks.jsonl";
/// The file of measured judges.
const JUDGES: &str = "judges.jsonl";

/// What is on a list.
#[derive(Debug, Clone, PartialEq)]
pub struct Listed<T> {
    /// What can be read.
    pub all: Vec<T>,
    /// Lines that say nothing: a crash cut them off, or a later version wrote them.
    pub unreadable: usize,
}

/// Adds an observation.
///
/// # Errors
/// Whatever the file system says.
pub fn add(folder: &Path, observation: &Observation) -> Result<()> {
    append(folder, OBSERVATIONS, serde_json::to_vec(observation)?)
}

/// Adds how a judge did.
///
/// # Errors
/// Whatever the file system says.
pub fn add_measure(folder: &Path, measure: &JudgeMeasure) -> Result<()> {
    append(folder, JUDGES, serde_json::to_vec(measure)?)
}

/// Adds what attacks did to a judge.
///
/// # Errors
/// Whatever the file system says.
pub fn add_attacks(folder: &Path, measure: &AttackMeasure) -> Result<()> {
    append(folder, ATTACKS, serde_json::to_vec(measure)?)
}

fn append(folder: &Path, file: &str, mut line: Vec<u8>) -> Result<()> {
    private::folder(folder)?;
    line.push(b'\n');
    let mut options = OpenOptions::new();
    options.create(true).read(true).append(true);
    let mut file = private::open(&folder.join(file), &mut options)?;
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

/// Grades and ratings by session, oldest first; none where there is no list. What was noted twice, since a
/// process was killed while it noted it, is there once.
///
/// # Errors
/// Whatever the file system says.
pub fn read(folder: &Path) -> Result<Listed<Observation>> {
    let mut listed: Listed<Observation> = listed(&folder.join(OBSERVATIONS))?;
    let before = listed.all.len();
    listed.all.retain(|one| is_possible(&one.worth));
    listed.unreadable += before - listed.all.len();
    let mut known = HashSet::new();
    listed.all.retain(|one| known.insert(identity(one)));
    // What was listed late may be of an earlier event than what stands before it.
    listed.all.sort_by_key(|one| (one.session_id, one.seq));
    Ok(listed)
}

/// By what an observation is known to be the same as another one.
pub(crate) fn identity(one: &Observation) -> impl Hash + Eq + use<> {
    let what = std::mem::discriminant(&one.worth);
    (one.session_id, one.query_id, one.seq, what)
}

/// Whether a judge or a user can have said this.
fn is_possible(worth: &Worth) -> bool {
    match worth {
        Worth::Judge { score, .. } => (1..=5).contains(score),
        Worth::User { score } => (-100..=100).contains(score),
        Worth::Compared { .. } | Worth::Chosen { .. } => true,
    }
}

/// How judges did; none where there is no list.
///
/// # Errors
/// Whatever the file system says.
pub fn read_measures(folder: &Path) -> Result<Listed<JudgeMeasure>> {
    listed(&folder.join(JUDGES))
}

/// What attacks did to judges; none where there is no list.
///
/// # Errors
/// Whatever the file system says.
pub fn read_attacks(folder: &Path) -> Result<Listed<AttackMeasure>> {
    listed(&folder.join(ATTACKS))
}

/// How long the list of grades and ratings is, bytes; 0 where there is none.
///
/// # Errors
/// Whatever the file system says.
pub fn length(folder: &Path) -> Result<u64> {
    match std::fs::metadata(folder.join(OBSERVATIONS)) {
        Ok(found) => Ok(found.len()),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(0),
        Err(error) => Err(error),
    }
}

fn listed<T: DeserializeOwned>(path: &Path) -> Result<Listed<T>> {
    let mut listed = Listed {
        all: Vec::new(),
        unreadable: 0,
    };
    match std::fs::metadata(path) {
        Ok(found) if found.is_file() => {}
        // A pipe or a device would be read for ever.
        Ok(_) => {
            let what = format!("{} is not a regular file", path.display());
            return Err(Error::other(what));
        }
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(listed),
        Err(error) => return Err(error),
    }
    for line in BufReader::new(std::fs::File::open(path)?).split(b'\n') {
        let line = line?;
        if line.is_empty() {
            continue;
        }
        match serde_json::from_slice(&line) {
            Ok(one) => listed.all.push(one),
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
    use domain::quality::TaskKind;
    use uuid::Uuid;

    fn observation(seq: u64) -> Observation {
        Observation {
            time: Timestamp::UNIX_EPOCH,
            session_id: SessionId::from_uuid(Uuid::from_u128(1)),
            seq,
            query_id: QueryId::from_uuid(Uuid::from_u128(2)),
            model: None,
            is_second: false,
            kind: TaskKind::Talk,
            worth: Worth::User { score: -100 },
        }
    }

    #[test]
    fn a_line_that_a_crash_cut_off_costs_itself_alone() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().join("quality");
        assert!(read(&folder).unwrap().all.is_empty());
        add(&folder, &observation(1)).unwrap();
        let path = folder.join(OBSERVATIONS);
        let whole = std::fs::read(&path).unwrap();
        let cut = [&whole[..], &whole[..whole.len() / 2]].concat();
        std::fs::write(&path, cut).unwrap();
        add(&folder, &observation(2)).unwrap();
        let listed = read(&folder).unwrap();
        assert_eq!(listed.all, [observation(1), observation(2)]);
        assert_eq!(listed.unreadable, 1);
        // Noted again after a crash, later.
        let again = Observation {
            time: Timestamp::from_second(9).unwrap(),
            ..observation(2)
        };
        add(&folder, &again).unwrap();
        assert_eq!(read(&folder).unwrap().all, [observation(1), observation(2)]);
        // What nobody can have said.
        let strange = Observation {
            worth: Worth::User { score: 127 },
            ..observation(3)
        };
        add(&folder, &strange).unwrap();
        let listed = read(&folder).unwrap();
        assert_eq!((listed.all.len(), listed.unreadable), (2, 2));
    }

    #[cfg(unix)]
    #[test]
    fn what_is_no_file_is_not_read() {
        let folder = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink("/dev/zero", folder.path().join(OBSERVATIONS)).unwrap();
        let error = read(folder.path()).unwrap_err();
        assert!(
            error.to_string().contains("is not a regular file"),
            "{error}"
        );
    }
}
