//! What the two sides of the sandbox tell each other: one job down, a few events up, over a socket
//! that both hold.

mod names;

use api::sandbox::{Enforcement, Job, JobLimits, Mechanism, Network, Refusal};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Longest path that can be covered, bytes: the view is put together beneath another folder, with a name
/// of four bytes at most, and the kernel takes 4,095 (path_resolution(7)).
const COVERED_PATH_BYTES: usize = 4_091;
/// Largest job, bytes, without its input.
const SPEC_BYTES: u32 = 8 << 20;
/// Largest standard input of a job, bytes.
const INPUT_BYTES: u32 = 64 << 20;
/// Longest event, bytes.
pub(crate) const EVENT_BYTES: u64 = 1 << 20;

/// What the outside says to have everything inside stand still.
pub(crate) const PAUSE: u8 = b'p';
/// What it says to know whether everything has stood still since.
pub(crate) const CHECK: u8 = b'c';
/// What it says to let everything go on.
pub(crate) const GO_ON: u8 = b'g';
/// What it says to have the program started, once the inside is ready.
pub(crate) const START: u8 = b's';

/// A job as it travels.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Spec {
    pub(crate) argv: Vec<String>,
    #[serde(with = "names")]
    pub(crate) folder: PathBuf,
    #[serde(with = "names")]
    pub(crate) read: Vec<PathBuf>,
    #[serde(with = "names")]
    pub(crate) write: Vec<PathBuf>,
    #[serde(with = "names")]
    pub(crate) scratch: Option<PathBuf>,
    pub(crate) files: BTreeMap<PathBuf, Vec<u8>>,
    #[serde(with = "names")]
    pub(crate) scratch_links: Vec<(PathBuf, PathBuf)>,
    #[serde(with = "names")]
    pub(crate) links: Vec<(PathBuf, PathBuf)>,
    #[serde(with = "names")]
    pub(crate) held: Vec<PathBuf>,
    #[serde(with = "names")]
    pub(crate) frozen: Vec<PathBuf>,
    #[serde(with = "names")]
    pub(crate) hidden: Vec<PathBuf>,
    #[serde(with = "names")]
    pub(crate) expendable: Vec<PathBuf>,
    pub(crate) environment: BTreeMap<String, String>,
    pub(crate) has_network: bool,
    pub(crate) cpu_secs: u64,
    pub(crate) memory_bytes: u64,
    pub(crate) processes: u32,
    pub(crate) file_bytes: u64,
    pub(crate) open_files: u32,
    /// Mechanisms that the outside has put in force already.
    pub(crate) given: Vec<Told>,
}

impl Spec {
    /// Whether it works on no files of the user's and has no network: what it makes counts as made
    /// of its own text, so it is shown nothing of who uses the machine.
    pub(crate) fn is_alone(&self) -> bool {
        self.write.is_empty() && self.scratch.as_ref() == Some(&self.folder) && !self.has_network
    }

    pub(crate) fn of(job: &Job, given: &[Mechanism]) -> Self {
        let JobLimits {
            wall: _,
            cpu,
            memory_bytes,
            processes,
            file_bytes,
            open_files,
            output_bytes: _,
        } = job.limits;
        Self {
            argv: job.argv.clone(),
            folder: job.folder.clone(),
            read: job.read.clone(),
            write: job.write.clone(),
            scratch: job.scratch.as_ref().map(|s| s.folder.clone()),
            files: job
                .scratch
                .as_ref()
                .map(|s| s.files.clone())
                .unwrap_or_default(),
            scratch_links: job.scratch.iter().flat_map(|s| s.links.clone()).collect(),
            links: job.links.clone(),
            held: job.held.clone(),
            frozen: job.frozen.clone(),
            hidden: job.hidden.clone(),
            expendable: job.expendable.clone(),
            environment: job.environment.clone(),
            has_network: job.network == Network::Host,
            cpu_secs: cpu.max(Duration::from_secs(1)).as_secs(),
            memory_bytes,
            processes,
            file_bytes,
            open_files,
            given: given.iter().map(Told::of).collect(),
        }
    }
}

impl Spec {
    /// The job as bytes.
    ///
    /// # Errors
    /// [`Refusal::BadJob`] when it is too large, with what takes the room, or a place in it cannot be
    /// covered.
    pub(crate) fn packed(&self) -> Result<Vec<u8>, Refusal> {
        let mut kept = self.held.iter().chain(&self.frozen).chain(&self.hidden);
        if let Some(long) = kept.find(|path| path.as_os_str().len() > COVERED_PATH_BYTES) {
            return Err(Refusal::BadJob(format!(
                "the path of a key or another protected place is too long for it to be guarded; it lies \
                 in {}. Ask the user to look at that folder",
                long.parent().unwrap_or(long).display()
            )));
        }
        let packed = serde_json::to_vec(self);
        let packed = packed.map_err(|e| Refusal::Broken(format!("writing the job: {e}")))?;
        match packed.len() > as_size(SPEC_BYTES) {
            true => Err(Refusal::BadJob(self.crowd(packed.len()))),
            false => Ok(packed),
        }
    }

    /// What makes a job of so many bytes too large: the folder with the most of what is kept from the
    /// program, or else what the call brings.
    fn crowd(&self, bytes: usize) -> String {
        let mut by_folder: BTreeMap<&Path, usize> = BTreeMap::new();
        let kept = self.held.iter().chain(&self.frozen).chain(&self.hidden);
        for place in kept {
            let length = place.as_os_str().len();
            *by_folder
                .entry(place.parent().unwrap_or(place))
                .or_default() += length;
        }
        let all: usize = by_folder.values().sum();
        let most = by_folder.into_iter().max_by_key(|(_, length)| *length);
        match most.filter(|_| all > bytes / 4) {
            Some((folder, _)) => format!(
                "the names of keys and other protected places come to more than {SPEC_BYTES} bytes, so \
                 they cannot be guarded; most of it lies in {}. Ask the user to look at that folder, \
                 or to open a narrower one",
                folder.display()
            ),
            None => format!(
                "the command with its files comes to {bytes} bytes, more than {SPEC_BYTES}; \
                 write what is large to a file first"
            ),
        }
    }
}

/// A mechanism as it travels.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Told {
    pub(crate) name: String,
    pub(crate) detail: String,
    /// Why it is not in force; `None` when it is.
    pub(crate) missing: Option<String>,
}

impl Told {
    pub(crate) fn of(mechanism: &Mechanism) -> Self {
        let missing = match &mechanism.enforcement {
            Enforcement::Enforced => None,
            Enforcement::Unavailable(why) => Some(why.clone()),
        };
        Self {
            name: mechanism.name.clone(),
            detail: mechanism.detail.clone(),
            missing,
        }
    }

    pub(crate) fn into_mechanism(self) -> Mechanism {
        Mechanism {
            name: self.name,
            detail: self.detail,
            enforcement: match self.missing {
                None => Enforcement::Enforced,
                Some(why) => Enforcement::Unavailable(why),
            },
        }
    }
}

/// What the inside tells.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub(crate) enum Event {
    /// Every promised restriction is in force; the program is about to start.
    Ready { mechanisms: Vec<Told> },
    /// A promise cannot be kept; nothing was started.
    Refused { promise: String, why: String },
    /// The job makes no sense.
    BadJob { why: String },
    /// The program is not there or cannot be started.
    NotStarted { program: String, why: String },
    /// The program itself runs.
    Began,
    /// A cover fell off a protected file while the program ran.
    Uncovered,
    /// The answer to [`PAUSE`] and [`CHECK`]: whether everything inside stands still.
    Paused { done: bool },
    /// Something failed that should not.
    Broken { why: String },
    /// The program ended.
    Ended {
        code: Option<i32>,
        signal: Option<i32>,
    },
}

impl Event {
    /// The event for a refusal.
    pub(crate) fn of(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Promise { promise, why } => Self::Refused { promise, why },
            Refusal::BadJob(why) => Self::BadJob { why },
            Refusal::NotStarted { program, why } => Self::NotStarted { program, why },
            Refusal::Uncovered => Self::Uncovered,
            Refusal::Broken(why) => Self::Broken { why },
        }
    }

    /// Writes the event as one line.
    pub(crate) fn send(&self, mut to: impl Write) -> io::Result<()> {
        let mut line = serde_json::to_vec(self)?;
        line.push(b'\n');
        to.write_all(&line)
    }
}

/// Writes a packed job and its input.
pub(crate) fn write_job(mut to: impl Write, packed: &[u8], input: &[u8]) -> io::Result<()> {
    to.write_all(&length(packed.len(), SPEC_BYTES)?)?;
    to.write_all(&length(input.len(), INPUT_BYTES)?)?;
    to.write_all(packed)?;
    to.write_all(input)
}

/// Reads a job and its input.
pub(crate) fn read_job(mut from: impl Read) -> io::Result<(Spec, Vec<u8>)> {
    let spec_bytes = read_length(&mut from, SPEC_BYTES)?;
    let input_bytes = read_length(&mut from, INPUT_BYTES)?;
    let mut spec = vec![0; spec_bytes];
    from.read_exact(&mut spec)?;
    let mut input = vec![0; input_bytes];
    from.read_exact(&mut input)?;
    Ok((serde_json::from_slice(&spec)?, input))
}

/// A limit as a size in memory, which is no smaller on any machine that this runs on.
fn as_size(limit: u32) -> usize {
    usize::try_from(limit).unwrap_or(usize::MAX)
}

fn length(len: usize, most: u32) -> io::Result<[u8; 4]> {
    match u32::try_from(len) {
        Ok(len) if len <= most => Ok(len.to_be_bytes()),
        _ => Err(io::Error::other(format!(
            "{len} bytes are more than the {most} a job may have"
        ))),
    }
}

fn read_length(mut from: impl Read, most: u32) -> io::Result<usize> {
    let mut bytes = [0; 4];
    from.read_exact(&mut bytes)?;
    let len = u32::from_be_bytes(bytes);
    if len > most {
        return Err(io::Error::other("the job is too large"));
    }
    usize::try_from(len).map_err(io::Error::other)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec() -> Spec {
        Spec {
            argv: vec!["true".to_owned()],
            folder: PathBuf::from("/"),
            read: Vec::new(),
            write: Vec::new(),
            scratch: None,
            files: BTreeMap::new(),
            scratch_links: Vec::new(),
            links: Vec::new(),
            held: Vec::new(),
            frozen: Vec::new(),
            hidden: Vec::new(),
            expendable: Vec::new(),
            environment: BTreeMap::new(),
            has_network: false,
            cpu_secs: 1,
            memory_bytes: 1,
            processes: 1,
            file_bytes: 1,
            open_files: 1,
            given: Vec::new(),
        }
    }

    #[test]
    fn a_job_and_its_input_arrive_as_sent() {
        let mut sent = Vec::new();
        write_job(&mut sent, &spec().packed().unwrap(), b"in\0put").unwrap();
        let (got, input) = read_job(&sent[..]).unwrap();
        assert_eq!((got.argv, input), (spec().argv, b"in\0put".to_vec()));
        assert!(read_job(&sent[..sent.len() - 1]).is_err());
    }

    #[test]
    fn what_is_longer_than_a_job_may_be_is_refused_on_both_sides() {
        let at_limit = vec![0; INPUT_BYTES as usize];
        let packed = spec().packed().unwrap();
        assert!(write_job(io::sink(), &packed, &at_limit).is_ok());
        let over = vec![0; INPUT_BYTES as usize + 1];
        assert!(write_job(io::sink(), &packed, &over).is_err());
        assert!(write_job(io::sink(), &over[..=SPEC_BYTES as usize], b"").is_err());
        let mut forged = (SPEC_BYTES + 1).to_be_bytes().to_vec();
        forged.extend([0; 4]);
        assert!(read_job(&forged[..]).is_err());
    }

    #[test]
    fn too_large_a_job_names_what_takes_the_room() {
        let refusal = |spec: Spec| match spec.packed() {
            Err(Refusal::BadJob(why)) => why,
            other => panic!("{other:?}"),
        };
        let long = "n".repeat(4_000);
        let place = |name: usize| PathBuf::from(format!("/work/{long}/{name}.kdbx"));
        let crowded = Spec {
            frozen: (0..3_000).map(place).collect(),
            ..spec()
        };
        assert!(refusal(crowded).contains(&format!("lies in /work/{long}.")));
        let wordy = Spec {
            argv: vec!["x".repeat(SPEC_BYTES as usize)],
            ..spec()
        };
        assert!(refusal(wordy).starts_with("the command with its files"));
        let hidden = |bytes: usize| Spec {
            hidden: vec![PathBuf::from(format!("/{}/x", "n".repeat(bytes - 3)))],
            ..spec()
        };
        assert!(hidden(COVERED_PATH_BYTES).packed().is_ok());
        assert!(refusal(hidden(COVERED_PATH_BYTES + 1)).contains("it lies in /nnn"));
        assert!(spec().packed().is_ok());
    }
}
