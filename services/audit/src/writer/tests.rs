//! The writer on a disk that fails on purpose, and the log that a restart finds afterwards.

use super::*;
use crate::disk::Files;
use crate::read::{Log, Query};
use crate::service::Service;
use crate::verify::{Against, Report, verify};
use crate::{key, segment};
use api::audit::{Action, Audit as _, Entry};
use domain::Timestamp;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// What fails, and when.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fault {
    None,
    /// The write takes so many bytes and then fails.
    ShortWrite(usize, rustix::io::Errno),
    Sync(rustix::io::Errno),
    Note,
    Begin,
}

/// A disk in memory in front of the real one: what was not synced is lost with the power.
struct Faulty {
    files: Files,
    /// Written and not yet durable.
    cache: Vec<u8>,
    state: Arc<Mutex<State>>,
}

#[derive(Debug)]
struct State {
    fault: Fault,
    syncs: u32,
    notes: u32,
    marks: u32,
    segments: u32,
}

impl Faulty {
    fn fault(&self) -> Fault {
        self.state.lock().unwrap().fault
    }
}

impl Disk for Faulty {
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        if let Fault::ShortWrite(count, error) = self.fault() {
            self.cache
                .extend_from_slice(&bytes[..count.min(bytes.len())]);
            return Err(error.into());
        }
        self.cache.extend_from_slice(bytes);
        Ok(())
    }

    fn sync(&mut self) -> io::Result<()> {
        self.state.lock().unwrap().syncs += 1;
        if let Fault::Sync(error) = self.fault() {
            return Err(error.into());
        }
        self.files.write(&self.cache)?;
        self.cache.clear();
        self.files.sync()
    }

    fn begin(&mut self, first: u64, header: &[u8]) -> io::Result<()> {
        self.state.lock().unwrap().segments += 1;
        if self.fault() == Fault::Begin {
            return Err(rustix::io::Errno::NOSPC.into());
        }
        self.files.begin(first, header)
    }

    fn note(&mut self, text: &[u8]) -> io::Result<()> {
        self.state.lock().unwrap().notes += 1;
        if self.fault() == Fault::Note {
            return Err(rustix::io::Errno::NOSPC.into());
        }
        self.files.note(text)
    }

    fn sync_notes(&mut self) -> io::Result<()> {
        self.files.sync_notes()
    }

    fn mark(&mut self, text: &[u8]) -> io::Result<()> {
        self.state.lock().unwrap().marks += 1;
        self.files.mark(text)
    }
}

/// A house for a log.
struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
        }
    }

    fn config(&self) -> Config {
        let root = self.folder.path();
        let mut config = Config::new(root.join("audit"), root.join("keys"));
        config.group_commit = Duration::from_secs(3_600);
        config.checkpoint_every = Duration::from_secs(3_600);
        config
    }

    /// A writer over a fresh log, or one that was left whole.
    fn writer(&self, config: Config) -> (Writer<Faulty>, Arc<Mutex<State>>) {
        drop(Service::open(config.clone()).unwrap());
        let tail = crate::tail::survey(&config).unwrap().unwrap();
        let lock = std::fs::File::open(crate::config::lock(&config.folder)).unwrap();
        let state = Arc::new(Mutex::new(State {
            fault: Fault::None,
            syncs: 0,
            notes: 0,
            marks: 0,
            segments: 0,
        }));
        let log = tail.segment.header.log;
        let writer = Writer {
            disk: Faulty {
                files: Files::open(&config.folder, tail.segment.header.first(), lock).unwrap(),
                cache: Vec::new(),
                state: state.clone(),
            },
            log,
            key: key::read(&config.keys, log).unwrap(),
            path: config.folder.clone(),
            monotonic: || 7,
            wall: || 0,
            segment: tail.segment.header.first(),
            offset: tail.offset,
            times: tail.times,
            chain: tail.chain,
            before: tail.place(),
            signed: 0,
            frontier: tail.frontier,
            pending: Pending::default(),
            poison: None,
            config,
        };
        (writer, state)
    }

    fn verify(&self) -> Report {
        let config = self.config();
        verify(&config.folder, &config.keys, &Against::default())
            .unwrap()
            .unwrap()
    }

    fn details(&self) -> Vec<String> {
        details(&self.config().folder)
    }
}

fn details(folder: &Path) -> Vec<String> {
    let log = Log::open(folder).unwrap().unwrap();
    log.records(Query::default())
        .map(|placed| placed.unwrap().record.detail)
        .collect()
}

fn body(detail: &str) -> Vec<u8> {
    let mut entry = Entry::new(Timestamp::UNIX_EPOCH, Action::Decide);
    entry.detail = detail.to_owned();
    serde_json::to_vec(&crate::record::Record::from(entry)).unwrap()
}

fn put(writer: &mut Writer<Faulty>, records: &[(&str, Durability)]) -> Vec<Result<Ack, Error>> {
    let mut receivers = Vec::new();
    let jobs: Vec<Job> = records
        .iter()
        .map(|(detail, durability)| {
            let (done, receiver) = oneshot::channel();
            receivers.push(receiver);
            Job {
                body: body(detail),
                time: 0,
                durability: *durability,
                done,
            }
        })
        .collect();
    writer.write(jobs.into_iter());
    receivers
        .into_iter()
        .map(|mut receiver| receiver.try_recv().unwrap())
        .collect()
}

const DURABLE: Durability = Durability::Durable;
const GROUPED: Durability = Durability::Grouped;

#[test]
fn one_sync_serves_a_whole_batch_and_grouped_records_need_none() {
    let place = Place::new();
    let (mut writer, state) = place.writer(place.config());
    assert!(
        put(&mut writer, &[("a", GROUPED), ("b", GROUPED)])
            .iter()
            .all(Result::is_ok)
    );
    assert_eq!(state.lock().unwrap().syncs, 0);
    let mixed = put(
        &mut writer,
        &[("c", GROUPED), ("d", DURABLE), ("e", DURABLE)],
    );
    let sequences: Vec<u64> = mixed.into_iter().map(|ack| ack.unwrap().sequence).collect();
    assert_eq!(sequences, [3, 4, 5]);
    assert_eq!(state.lock().unwrap().syncs, 1);
}

#[test]
fn a_grouped_record_is_durable_when_its_time_is_up_and_not_before() {
    let place = Place::new();
    let mut config = place.config();
    config.group_commit = Duration::from_millis(100);
    let (mut writer, state) = place.writer(config);
    assert_eq!(writer.due(), None);
    put(&mut writer, &[("a", GROUPED)]);
    let due = writer.due().unwrap();
    writer.keep_time(due - Duration::from_millis(1));
    assert_eq!(state.lock().unwrap().syncs, 0);
    writer.keep_time(due);
    assert_eq!(state.lock().unwrap().syncs, 1);
    assert!(
        writer.due().unwrap() > due + Duration::from_secs(60),
        "only the checkpoint is due"
    );
}

#[test]
fn checkpoints_come_by_number_by_time_and_at_the_end_and_never_twice() {
    let place = Place::new();
    let mut config = place.config();
    config.checkpoint_records = 3;
    config.checkpoint_every = Duration::from_secs(10);
    let (mut writer, state) = place.writer(config);
    let notes = |expected: u32| {
        let state = state.lock().unwrap();
        assert_eq!((state.notes, state.marks), (expected, expected));
    };
    put(&mut writer, &[("a", GROUPED), ("b", GROUPED)]);
    writer.keep_time(Instant::now());
    notes(0);
    put(&mut writer, &[("c", GROUPED)]);
    writer.keep_time(Instant::now());
    notes(1);
    put(&mut writer, &[("d", GROUPED)]);
    let due = writer.due().unwrap();
    writer.keep_time(due);
    notes(2);
    assert_eq!(writer.due(), None);
    writer.close();
    notes(2);
    put(&mut writer, &[("e", GROUPED)]);
    writer.close();
    notes(3);
    drop(writer);
    let report = place.verify();
    assert_eq!(
        (
            report.records,
            report.checkpoints.good,
            report.checkpoints.covered
        ),
        (5, 3, 5)
    );
}

#[test]
fn a_full_segment_is_closed_and_the_next_one_continues_it() {
    let place = Place::new();
    let mut config = place.config();
    config.segment_bytes = 400;
    let (mut writer, state) = place.writer(config.clone());
    for n in 0..40 {
        put(&mut writer, &[(&format!("record {n}"), DURABLE)]);
        writer.keep_time(Instant::now());
    }
    writer.close();
    drop(writer);
    assert!(state.lock().unwrap().segments > 5);
    let report = place.verify();
    assert!(report.is_whole() && !report.is_incomplete(), "{report:?}");
    assert_eq!(report.records, 40);
    assert_eq!(
        report.segments as usize,
        segment::list(&config.folder).unwrap().len()
    );
    let expected: Vec<String> = (0..40).map(|n| format!("record {n}")).collect();
    assert_eq!(place.details(), expected);
}

/// After each failure: no append is acknowledged any more, though the disk is well again; a restart
/// finds everything acknowledged as durable, nothing half, and goes on.
#[tokio::test]
async fn after_any_failure_nothing_is_taken_until_a_restart_which_finds_what_was_acknowledged() {
    use rustix::io::Errno;
    let faults = [
        Fault::ShortWrite(0, Errno::NOSPC),
        Fault::ShortWrite(1, Errno::NOSPC),
        Fault::ShortWrite(70, Errno::IO),
        Fault::ShortWrite(130, Errno::IO),
        Fault::Sync(Errno::IO),
        Fault::Sync(Errno::NOSPC),
    ];
    for fault in faults {
        let place = Place::new();
        let (mut writer, state) = place.writer(place.config());
        put(&mut writer, &[("kept", DURABLE)])[0].as_ref().unwrap();
        state.lock().unwrap().fault = fault;
        for failed in put(&mut writer, &[("lost", DURABLE), ("lost", DURABLE)]) {
            let Err(Error::Unwritable { detail }) = failed else {
                panic!("{fault:?}: {failed:?}")
            };
            assert!(
                detail.contains(place.config().folder.to_str().unwrap()),
                "{detail}"
            );
        }
        state.lock().unwrap().fault = Fault::None;
        for durability in [DURABLE, GROUPED] {
            let refused = put(&mut writer, &[("refused", durability)]);
            assert!(
                matches!(refused[0], Err(Error::Poisoned { .. })),
                "{fault:?}"
            );
        }
        // The power fails, and the disk keeps what it happened to have of the rest.
        let torn = writer.disk.cache.clone();
        writer.disk.files.write(&torn).unwrap();
        drop(writer);

        let service = Service::open(place.config()).unwrap();
        let mut entry = Entry::new(Timestamp::now(), Action::Decide);
        entry.detail = "after".to_owned();
        service.append(entry, DURABLE).await.unwrap();
        drop(service);
        let details = place.details();
        assert_eq!(
            details.first().map(String::as_str),
            Some("kept"),
            "{fault:?}"
        );
        assert_eq!(
            details.last().map(String::as_str),
            Some("after"),
            "{fault:?}"
        );
        assert!(!details.contains(&"refused".to_owned()), "{details:?}");
        let report = place.verify();
        assert!(
            report.is_whole() && !report.is_incomplete(),
            "{fault:?}: {report:?}"
        );
    }
}

#[test]
fn a_checkpoint_or_segment_that_cannot_be_written_stops_the_log_too() {
    for fault in [Fault::Note, Fault::Begin] {
        let place = Place::new();
        let mut config = place.config();
        config.segment_bytes = 1;
        let (mut writer, state) = place.writer(config);
        put(&mut writer, &[("kept", DURABLE)])[0].as_ref().unwrap();
        state.lock().unwrap().fault = fault;
        writer.keep_time(Instant::now());
        state.lock().unwrap().fault = Fault::None;
        let refused = put(&mut writer, &[("refused", DURABLE)]);
        assert!(
            matches!(refused[0], Err(Error::Poisoned { .. })),
            "{fault:?}"
        );
        drop(writer);
        drop(Service::open(place.config()).unwrap());
        assert_eq!(place.details(), ["kept"], "{fault:?}");
    }
}

/// Everything that was not synced vanishes with the power: no durable record does, and no
/// checkpoint covers one that did.
#[test]
fn a_power_cut_takes_no_durable_record_and_leaves_no_checkpoint_without_its_records() {
    let place = Place::new();
    let mut config = place.config();
    config.checkpoint_records = 2;
    let (mut writer, _) = place.writer(config);
    put(&mut writer, &[("a", DURABLE), ("b", GROUPED)]);
    put(
        &mut writer,
        &[("c", GROUPED), ("d", GROUPED), ("e", GROUPED)],
    );
    writer.keep_time(Instant::now());
    put(&mut writer, &[("vanishes", GROUPED)]);
    drop(writer);
    let report = place.verify();
    assert!(report.is_whole() && !report.is_incomplete(), "{report:?}");
    assert_eq!(report.checkpoints.covered, 5);
    drop(Service::open(place.config()).unwrap());
    assert_eq!(place.details(), ["a", "b", "c", "d", "e"]);
}
