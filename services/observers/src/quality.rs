//! Quality: answers are graded by a judge and compared with second ones, the user's ratings become
//! rewards, and all of it is noted on engrams and in a list of observations.
//!
//! The session log is the truth. What an answer was found to be worth stands there first; noting it on
//! the engram and in the list can be done twice without harm, and is done again for whatever a dead
//! process may have left undone: a note on disk says which session has something left.

mod catching_up;
mod due;
mod grading;
mod noting;
mod outcome;
mod rebuilding;
mod second;

pub(crate) use grading::ask_for_grade;
pub use rebuilding::{Rebuilt, rebuild};

use crate::config::{QualityConfig, Services, When};
use crate::record::{self, Note};
use crate::settling::{Settlers, Settling, settled, settling};
use api::bus::{Bus, Delivery, SubjectPattern};
use api::sessions::Finding;
use domain::Timestamp;
use domain::event::EventBody;
use domain::fault::Fault;
use domain::id::{QueryId, SessionId};
use domain::quality::Observation;
use due::{Due, Task, fault};
use futures::StreamExt;
use futures::stream::BoxStream;
use grading::Judging;
use outcome::Outcome;
use second::Seconding;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Mutex;
use std::time::Duration;
use tokio::time::Instant;
use tokio_util::task::AbortOnDropHandle;

/// Answers that may wait for the judge. Of more, the oldest that nobody asked about is not graded.
const WAITING: usize = 64;

/// Quality at work. It stops when this is dropped; what is not done by then is at the next start.
pub struct Quality {
    settling: Settling,
    _worker: AbortOnDropHandle<()>,
}

impl Quality {
    /// Starts, with what was left behind. Call it inside a Tokio runtime.
    #[must_use]
    pub fn start(
        config: QualityConfig,
        services: Services,
        capture: Option<Settling>,
        bus: &dyn Bus,
    ) -> Self {
        let subjects = [
            "query.received",
            "query.finished",
            "critique.asked",
            "user.feedback",
            "second.asked",
            "second.rated",
        ];
        let deliveries = bus.subscribe(subjects.map(SubjectPattern::new).to_vec());
        let late = "a rating is not noted yet; the next start does it";
        let (settling, settlers) = settling(late);
        let worker = Worker {
            began: (services.clock)(),
            config,
            services,
            capture,
            at_work: BTreeSet::new(),
            due: VecDeque::new(),
            noted: BTreeMap::new(),
            busy: None,
            busy_since: Instant::now(),
            is_slow: false,
            told_slow: BTreeSet::new(),
            unlisted: Mutex::default(),
        };
        let worker = tokio::spawn(worker.run(deliveries, settlers));
        Self {
            settling,
            _worker: AbortOnDropHandle::new(worker),
        }
    }

    /// Waits until everything that was on the bus is taken in, at most so long: ratings are noted then,
    /// and what waits for a model is at the next start.
    pub async fn settle(&self, at_most: Duration) {
        self.settling.settle(at_most).await;
    }
}

struct Worker {
    /// When this observer began.
    began: Timestamp,
    config: QualityConfig,
    services: Services,
    /// Who makes the engrams; `None` where none are made.
    capture: Option<Settling>,
    /// Requests that agents work on.
    at_work: BTreeSet<(SessionId, QueryId)>,
    /// What waits for a model, in the order in which it is done.
    due: VecDeque<Due>,
    /// The notes on disk.
    noted: BTreeMap<SessionId, u64>,
    /// What a model is at.
    busy: Option<(Due, AbortOnDropHandle<Outcome>)>,
    /// When it began.
    busy_since: Instant,
    /// Whether the judge took too long for an answer that nobody asked about.
    is_slow: bool,
    /// Sessions that were told so.
    told_slow: BTreeSet<SessionId>,
    /// What could not be put on the list.
    unlisted: Mutex<VecDeque<Observation>>,
}

impl Worker {
    async fn run(mut self, mut deliveries: BoxStream<'static, Delivery>, mut settlers: Settlers) {
        self.catch_up_with_notes().await;
        loop {
            self.start_next();
            tokio::select! {
                biased;
                delivery = deliveries.next() => {
                    let Some(delivery) = delivery else { return };
                    self.take(delivery).await;
                }
                // Reached only when nothing waits on the bus.
                who = settlers.next() => settled(who),
                outcome = done(&mut self.busy), if self.busy.is_some() => {
                    self.conclude(outcome).await;
                }
            }
        }
    }

    async fn take(&mut self, delivery: Delivery) {
        let event = match delivery {
            Delivery::Event(event) => event,
            Delivery::Missed { count } => {
                tracing::info!(count, "events were missed; the session logs are read");
                return self.catch_up_with_live_sessions().await;
            }
        };
        let Some(query_id) = event.query_id else {
            return;
        };
        let session_id = event.session_id;
        let due = |task, is_asked| Due {
            session_id,
            query_id,
            task,
            seq: event.seq,
            is_asked,
        };
        match &event.body {
            EventBody::QueryReceived { .. } => {
                self.at_work.insert((session_id, query_id));
                self.give_way();
            }
            EventBody::QueryFinished { .. } => {
                self.at_work.remove(&(session_id, query_id));
                if self.config.is_automatic(query_id) {
                    self.enqueue_unasked(due(Task::Grade, false)).await;
                }
                if self.config.is_second_automatic(query_id) {
                    self.enqueue_unasked(due(Task::Second, false)).await;
                }
            }
            EventBody::GradeAsked => self.enqueue(due(Task::Grade, true)).await,
            EventBody::SecondAsked { .. } => self.enqueue(due(Task::Second, true)).await,
            EventBody::SecondRated { winner } => {
                self.chose(due(Task::Second, true), *winner).await;
            }
            EventBody::Feedback { score, .. } => self.rated(&event, query_id, *score).await,
            _ => {}
        }
    }

    /// Takes in an answer that nobody asked about. A judge that keeps the machine busy for too long is asked
    /// no more, neither for a grade nor for a comparison, which the first of these answers of a session says.
    async fn enqueue_unasked(&mut self, due: Due) {
        if !self.is_slow {
            return self.enqueue(due).await;
        }
        if self.told_slow.insert(due.session_id) {
            let slow = self.slow();
            self.missed(due, slow).await;
        }
    }

    /// Looks at how long the judge took for what nobody asked about.
    async fn watch_pace(&mut self, due: Due) {
        if !due.is_asked && self.busy_since.elapsed() > self.config.longest {
            self.slow_down().await;
        }
    }

    /// The judge was slow. What waits for it and nobody asked about is left out, each with its word.
    async fn slow_down(&mut self) {
        let (mut left_out, rest): (Vec<Due>, _) = self.due.drain(..).partition(|one| !one.is_asked);
        self.due = rest.into();
        // Of an answer that waits for a grade and for a comparison it is said once.
        left_out.sort_by_key(|one| (one.session_id, one.query_id, one.task == Task::Second));
        left_out.dedup_by_key(|one| (one.session_id, one.query_id));
        self.is_slow = true;
        for due in left_out {
            self.told_slow.insert(due.session_id);
            let slow = self.slow();
            self.missed(due, slow).await;
            self.note(due.session_id).await;
        }
    }

    fn slow(&self) -> Fault {
        let longest = self.config.longest.as_secs();
        fault(
            "quality.slow",
            format!(
                "The judge took longer than {longest} s; from here on it is asked by /grade and /b alone."
            ),
            "Use a faster judge (`judge` under [models.roles]), or let it take longer \
             (`critic_secs` under [observers]).",
        )
    }

    /// Takes in what is due. What the user asks for comes first.
    async fn enqueue(&mut self, due: Due) {
        let (when, what, key) = match due.task {
            Task::Grade => (self.config.when, "Grading is", "critic"),
            Task::Second => (
                self.config.second.when,
                "Second answers are",
                "respondent_b",
            ),
        };
        if due.is_asked && when == When::Off {
            let hint =
                format!("Set `{key} = \"on_demand\"` under [observers] in the configuration file.");
            let fault = fault("quality.off", format!("{what} switched off."), &hint);
            return self.missed(due, fault).await;
        }
        let key = |one: &Due| (one.session_id, one.query_id, one.task);
        self.due.retain(|one| key(one) != key(&due));
        // What a model is at for nobody's wish gives way to what the user wants instead.
        let is_superseded = |one: &Due| one.task == Task::Second && key(one) == key(&due);
        if due.is_asked
            && self
                .busy
                .as_ref()
                .is_some_and(|(one, _)| is_superseded(one))
        {
            self.busy = None;
        }
        match due.is_asked {
            true => {
                let behind = self.due.iter().take_while(|one| one.is_asked).count();
                self.due.insert(behind, due);
            }
            false => self.due.push_back(due),
        }
        if self.due.len() > WAITING {
            self.drop_one().await;
        }
        self.note(due.session_id).await;
    }

    /// Gives up the oldest that nobody asked about, or the newest that somebody did.
    async fn drop_one(&mut self) {
        let oldest = self.due.iter().position(|one| !one.is_asked);
        let dropped = match oldest {
            Some(at) => self.due.remove(at),
            None => self.due.pop_back(),
        };
        if let Some(dropped) = dropped {
            let fault = fault(
                "quality.busy",
                format!("{WAITING} answers wait for a model already; this one is left out."),
                "Use a faster judge (`judge` under [models.roles]), or grade a share of the answers \
                 (`critic_share` under [observers]).",
            );
            self.missed(dropped, fault).await;
            self.note(dropped.session_id).await;
        }
    }

    /// Whoever asks an agent something has the models to themselves: the judge starts again later.
    fn give_way(&mut self) {
        if let Some((due, _stopped)) = self.busy.take() {
            self.due.push_front(due);
        }
    }

    fn start_next(&mut self) {
        if self.busy.is_some() || !self.at_work.is_empty() {
            return;
        }
        let Some(due) = self.due.pop_front() else {
            return;
        };
        let services = self.services.clone();
        let task = match due.task {
            Task::Grade => {
                let rubrics = self.config.rubrics.clone();
                let judging = Judging { services, rubrics };
                tokio::spawn(async move { judging.judge(due).await })
            }
            Task::Second => {
                let config = self.config.second.clone();
                let seconding = Seconding { services, config };
                tokio::spawn(async move { seconding.step(due).await })
            }
        };
        self.busy = Some((due, AbortOnDropHandle::new(task)));
        self.busy_since = Instant::now();
    }

    /// Records what came of it. This is not given up for a request that comes in meanwhile.
    async fn conclude(&mut self, outcome: Option<Outcome>) {
        let Some((due, _)) = self.busy.take() else {
            return;
        };
        match outcome {
            Some(Outcome::Graded(case, grade)) => {
                let finding = Finding::Graded(grade.clone());
                if self.recorded(due, finding).await {
                    self.note_grade(due, &case, grade, due.seq).await;
                }
                self.watch_pace(due).await;
            }
            Some(Outcome::Answered(second)) => {
                if self.recorded(due, Finding::Second(second)).await {
                    // The comparison is next.
                    self.due.push_front(due);
                }
            }
            Some(Outcome::Compared(compared)) => {
                if self
                    .recorded(due, Finding::Compared(compared.clone()))
                    .await
                {
                    self.note_comparison(due, compared).await;
                }
                self.watch_pace(due).await;
            }
            Some(Outcome::Missed(fault)) => self.missed(due, fault).await,
            // Nobody asked for it, or the task died, which was told.
            Some(Outcome::Nothing) | None => {}
        }
        self.note(due.session_id).await;
    }

    async fn missed(&self, due: Due, fault: Fault) {
        let finding = match due.task {
            Task::Grade => Finding::NotGraded(fault),
            Task::Second => Finding::NoSecond(fault),
        };
        self.recorded(due, finding).await;
    }

    /// Puts a finding into the session's log; whether that worked.
    async fn recorded(&self, due: Due, finding: Finding) -> bool {
        let (session, query_id) = (due.session_id, due.query_id);
        let recording = self
            .services
            .sessions
            .record_finding(session, query_id, finding);
        let recorded = recording.await;
        if let Err(error) = &recorded {
            tracing::warn!(%session, %error, "what an answer is worth is not on record");
        }
        recorded.is_ok()
    }

    /// Brings the note on disk in line with what is left of a session.
    async fn note(&mut self, session_id: SessionId) {
        self.keep_note(session_id, None).await;
    }

    /// The same, with something that is being done just now.
    async fn note_with(&mut self, under_way: Due) {
        self.keep_note(under_way.session_id, Some(under_way)).await;
    }

    async fn keep_note(&mut self, session_id: SessionId, under_way: Option<Due>) {
        let busy = self.busy.iter().map(|(due, _)| due);
        let left = self.due.iter().chain(busy).chain(&under_way);
        let left = left.filter(|due| due.session_id == session_id);
        let left = left.map(|due| due.seq).min();
        let from_seq = left
            .into_iter()
            .chain(self.first_unlisted(session_id))
            .min();
        if self.noted.get(&session_id).copied() == from_seq {
            return;
        }
        match from_seq {
            Some(from_seq) => self.noted.insert(session_id, from_seq),
            None => self.noted.remove(&session_id),
        };
        let folder = self.config.open_folder();
        let written = tokio::task::spawn_blocking(move || match from_seq {
            Some(from_seq) => {
                let note = Note {
                    session_id,
                    from_seq,
                };
                record::write(&folder, note)
            }
            None => record::remove(&folder, session_id),
        });
        if !matches!(written.await, Ok(Ok(()))) {
            tracing::warn!(session = %session_id, "a crash now would lose a grade");
        }
    }
}

/// Waits for what a model is at; `None` where its task died.
async fn done(busy: &mut Option<(Due, AbortOnDropHandle<Outcome>)>) -> Option<Outcome> {
    let (due, task) = busy.as_mut()?;
    match task.await {
        Ok(outcome) => Some(outcome),
        Err(error) => {
            tracing::warn!(session = %due.session_id, %error, "an answer is not looked at");
            None
        }
    }
}
