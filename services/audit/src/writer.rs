//! The one writer: takes entries from a queue, chains them, writes many at once, and answers when
//! each is as safe as was asked. After the first failure it writes nothing more.

use crate::record::Record;
use api::audit::{Ack, Durability, Entry, Error};
use domain::hash::Digest;
use std::io::Write;
use std::path::PathBuf;
use tokio::sync::{mpsc, oneshot};

/// Most entries written and made durable together.
const BATCH: usize = 256;

/// An entry on its way to the log.
#[derive(Debug)]
pub(crate) struct Job {
    pub(crate) entry: Entry,
    pub(crate) durability: Durability,
    pub(crate) done: oneshot::Sender<Result<Ack, Error>>,
}

/// What is written to: a file, or something that fails on purpose in a test.
pub(crate) trait Sink: Send {
    /// Writes all the bytes.
    fn write_all(&mut self, bytes: &[u8]) -> std::io::Result<()>;
    /// Waits until they would survive a power cut.
    fn sync(&mut self) -> std::io::Result<()>;
}

impl Sink for std::fs::File {
    fn write_all(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        Write::write_all(self, bytes)
    }

    fn sync(&mut self) -> std::io::Result<()> {
        self.sync_data()
    }
}

/// The writer's state.
pub(crate) struct Writer<S> {
    pub(crate) sink: S,
    pub(crate) path: PathBuf,
    /// Nanoseconds since the machine started.
    pub(crate) monotonic: fn() -> u64,
    pub(crate) sequence: u64,
    pub(crate) last: Digest,
    /// The first failure, after which nothing is written.
    pub(crate) poison: Option<String>,
}

impl<S: Sink> Writer<S> {
    /// Works until every sender is gone.
    pub(crate) fn run(mut self, mut jobs: mpsc::Receiver<Job>) {
        while let Some(first) = jobs.blocking_recv() {
            let mut batch = vec![first];
            while batch.len() < BATCH {
                match jobs.try_recv() {
                    Ok(job) => batch.push(job),
                    Err(_) => break,
                }
            }
            self.write(batch);
        }
    }

    fn write(&mut self, batch: Vec<Job>) {
        if let Some(detail) = self.poison.clone() {
            answer(batch, |_| {
                Err(Error::Poisoned {
                    detail: detail.clone(),
                })
            });
            return;
        }
        let is_durable = batch
            .iter()
            .any(|job| job.durability == Durability::Durable);
        let mut bytes = Vec::new();
        let mut waiting = Vec::with_capacity(batch.len());
        for job in batch {
            match self.line(job.entry) {
                Ok(line) => {
                    bytes.extend_from_slice(line.as_bytes());
                    bytes.push(b'\n');
                    waiting.push((self.sequence, job.done));
                }
                Err(detail) => {
                    // A record that has no JSON form does not get into the log, nor does it count.
                    let _ = job.done.send(Err(Error::Unwritable { detail }));
                }
            }
        }
        let written = self
            .sink
            .write_all(&bytes)
            .and_then(|()| if is_durable { self.sink.sync() } else { Ok(()) });
        match written {
            Ok(()) => waiting.into_iter().for_each(|(sequence, done)| {
                let _ = done.send(Ok(Ack { sequence }));
            }),
            Err(error) => {
                let detail = format!("{}: {error}", self.path.display());
                self.poison = Some(detail.clone());
                waiting.into_iter().for_each(|(_, done)| {
                    let _ = done.send(Err(Error::Unwritable {
                        detail: detail.clone(),
                    }));
                });
            }
        }
    }

    fn line(&mut self, entry: Entry) -> Result<String, String> {
        let sequence = self.sequence + 1;
        let record = Record::of(entry, sequence, (self.monotonic)(), self.last);
        let line = serde_json::to_string(&record).map_err(|e| e.to_string())?;
        self.sequence = sequence;
        self.last = Digest::of(line.as_bytes());
        Ok(line)
    }
}

fn answer(batch: Vec<Job>, with: impl Fn(&Job) -> Result<Ack, Error>) {
    for job in batch {
        let result = with(&job);
        // A caller that no longer waits has already taken silence for a refusal.
        let _ = job.done.send(result);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use api::audit::Action;
    use domain::Timestamp;
    use std::sync::{Arc, Mutex};

    /// Fails from a given call on, and notes what came through.
    #[derive(Clone, Default)]
    struct Faulty {
        written: Arc<Mutex<Vec<u8>>>,
        syncs: Arc<Mutex<u32>>,
        fail_write: bool,
        fail_sync: bool,
    }

    impl Sink for Faulty {
        fn write_all(&mut self, bytes: &[u8]) -> std::io::Result<()> {
            if self.fail_write {
                return Err(std::io::Error::from(std::io::ErrorKind::StorageFull));
            }
            self.written.lock().unwrap().extend_from_slice(bytes);
            Ok(())
        }

        fn sync(&mut self) -> std::io::Result<()> {
            *self.syncs.lock().unwrap() += 1;
            if self.fail_sync {
                return Err(std::io::Error::other("lost"));
            }
            Ok(())
        }
    }

    fn writer(sink: Faulty) -> Writer<Faulty> {
        Writer {
            sink,
            path: PathBuf::from("audit.jsonl"),
            monotonic: || 7,
            sequence: 0,
            last: Digest::from_bytes([0; 32]),
            poison: None,
        }
    }

    fn put(writer: &mut Writer<Faulty>, durabilities: &[Durability]) -> Vec<Result<Ack, Error>> {
        let mut receivers = Vec::new();
        let jobs = durabilities.iter().map(|durability| {
            let (done, receiver) = oneshot::channel();
            receivers.push(receiver);
            Job {
                entry: Entry::new(Timestamp::UNIX_EPOCH, Action::Decide),
                durability: *durability,
                done,
            }
        });
        writer.write(jobs.collect());
        receivers
            .into_iter()
            .map(|mut r| r.try_recv().unwrap())
            .collect()
    }

    #[test]
    fn one_sync_serves_a_whole_batch_and_grouped_entries_need_none() {
        let sink = Faulty::default();
        let mut writer = writer(sink.clone());
        assert!(
            put(&mut writer, &[Durability::Grouped; 3])
                .iter()
                .all(Result::is_ok)
        );
        assert_eq!(*sink.syncs.lock().unwrap(), 0);
        let mixed = [
            Durability::Grouped,
            Durability::Durable,
            Durability::Durable,
        ];
        let acks: Vec<u64> = put(&mut writer, &mixed)
            .into_iter()
            .map(|ack| ack.unwrap().sequence)
            .collect();
        assert_eq!(acks, [4, 5, 6]);
        assert_eq!(*sink.syncs.lock().unwrap(), 1);
    }

    #[test]
    fn after_a_failed_write_or_sync_nothing_is_taken() {
        let failing = [
            Faulty {
                fail_write: true,
                ..Faulty::default()
            },
            Faulty {
                fail_sync: true,
                ..Faulty::default()
            },
        ];
        for sink in failing {
            let mut writer = writer(sink);
            let first = put(&mut writer, &[Durability::Durable]);
            assert!(
                matches!(first[0], Err(Error::Unwritable { .. })),
                "{first:?}"
            );
            writer.sink.fail_write = false;
            writer.sink.fail_sync = false;
            let before = writer.sink.written.lock().unwrap().len();
            let second = put(&mut writer, &[Durability::Grouped]);
            assert!(
                matches!(second[0], Err(Error::Poisoned { .. })),
                "{second:?}"
            );
            assert_eq!(writer.sink.written.lock().unwrap().len(), before);
        }
    }
}
