//! What a dead process left undone, and what the bus could not tell.

use super::Worker;
use super::due::{Due, Task};
use super::noting::{comparison_of, grade_of};
use crate::record;
use api::sessions::{ErrorKind, Finding, Follow, Selection};
use domain::Timestamp;
use domain::event::{Event, EventBody};
use domain::id::{QueryId, SessionId};
use futures::StreamExt;
use quality::Cases;
use std::collections::BTreeMap;

/// Most sessions that are caught up with at one time, the newest.
const CAUGHT_UP: usize = 20;

/// Which events of a log are looked at again.
#[derive(Debug, Clone, Copy)]
pub(super) enum Reach {
    /// Those from this one on.
    From(u64),
    /// Those that came since then.
    Since(Timestamp),
}

impl Reach {
    fn has(self, event: &Event) -> bool {
        match self {
            Self::From(seq) => event.seq >= seq,
            Self::Since(began) => event.time >= began,
        }
    }
}

/// What a log says is left to do about a request.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Left {
    /// The user asked for a grade by this event, and has none.
    asked: Option<u64>,
    /// The request ended by this event, within reach, and its answer has no grade.
    ended: Option<u64>,
    /// The user rated it, by this event and so, and nothing came of it.
    rated: Option<(u64, i8)>,
    /// The user asked for a second answer by this event, and has none or no comparison.
    second_asked: Option<u64>,
    /// The request ended by this event, within reach, and has no second answer or no comparison.
    second_ended: Option<u64>,
}

impl Left {
    /// By which event a finding that comes now is noted: the one that asked for it, as where nothing was cut
    /// off, so that what is noted twice is known to be the same.
    pub(super) fn noted_by(&self, seq: u64) -> impl Fn(Task) -> u64 + use<> {
        let grade = self.asked.or(self.ended).unwrap_or(seq);
        let second = self.second_asked.or(self.second_ended).unwrap_or(seq);
        move |task| match task {
            Task::Grade => grade,
            Task::Second => second,
        }
    }

    pub(super) fn apply(&mut self, event: &Event, reach: Reach) {
        match &event.body {
            EventBody::QueryFinished { .. } => {
                self.ended = reach.has(event).then_some(event.seq);
                self.second_ended = self.ended;
            }
            EventBody::SecondAsked { .. } => self.second_asked = Some(event.seq),
            EventBody::Pairwise { .. } | EventBody::SecondMissed(_) => {
                (self.second_asked, self.second_ended) = (None, None);
            }
            EventBody::GradeAsked => self.asked = Some(event.seq),
            EventBody::Critique { .. } | EventBody::NotGraded(_) => {
                (self.asked, self.ended) = (None, None);
            }
            EventBody::Feedback { score, .. } => self.rated = Some((event.seq, *score)),
            EventBody::Reward { .. } => self.rated = None,
            _ => {}
        }
    }
}

impl Worker {
    /// What earlier processes left behind.
    pub(super) async fn catch_up_with_notes(&mut self) {
        let folder = self.config.open_folder();
        let reading = tokio::task::spawn_blocking(move || record::read(&folder)).await;
        let notes = match reading {
            Ok(Ok(notes)) => notes,
            Ok(Err(error)) => return tracing::warn!(%error, "what is left to grade is unknown"),
            Err(error) => return tracing::warn!(%error, "what is left to grade is unknown"),
        };
        for note in notes.into_iter().take(CAUGHT_UP) {
            self.noted.insert(note.session_id, note.from_seq);
            let reach = Reach::From(note.from_seq);
            self.catch_up(note.session_id, reach).await;
        }
    }

    /// What the bus could not tell.
    pub(super) async fn catch_up_with_live_sessions(&mut self) {
        let listed = match self.services.sessions.list(Selection::Live).await {
            Ok(listed) => listed,
            Err(error) => return tracing::warn!(%error, "missed answers are not graded"),
        };
        self.at_work.clear();
        for session in listed.into_iter().filter(|one| one.live).take(CAUGHT_UP) {
            let reach = Reach::Since(self.began);
            self.catch_up(session.session_id, reach).await;
        }
    }

    /// Reads a session's log, notes again every grade within reach, and takes up what is left.
    async fn catch_up(&mut self, session_id: SessionId, reach: Reach) {
        match self.left_of(session_id, reach).await {
            Ok(left) => {
                for (query_id, left) in left {
                    self.take_up(session_id, query_id, left).await;
                }
            }
            // It was deleted, and what was left of it with it.
            Err(error) if error.kind == ErrorKind::NotFound => {}
            // A log that is damaged will not be better at the next start.
            Err(error) => tracing::warn!(session = %session_id, %error, "answers are not graded"),
        }
        self.note(session_id).await;
    }

    async fn left_of(
        &self,
        session_id: SessionId,
        reach: Reach,
    ) -> Result<BTreeMap<QueryId, Left>, api::sessions::Error> {
        let sessions = &self.services.sessions;
        let mut events = sessions.attach(session_id, 1, Follow::Outline).await?;
        let (mut cases, mut all) = (Cases::default(), BTreeMap::<QueryId, Left>::new());
        while let Some(event) = events.next().await {
            let event = event?;
            cases.apply(&event);
            let Some(query_id) = event.query_id else {
                continue;
            };
            let left = all.entry(query_id).or_default();
            let seqs = left.noted_by(event.seq);
            left.apply(&event, reach);
            if !reach.has(&event) {
                continue;
            }
            let due = |task| Due {
                session_id,
                query_id,
                task,
                seq: seqs(task),
                is_asked: false,
            };
            if let (Some(grade), Some(case)) = (grade_of(&event), cases.case(query_id)) {
                let due = due(Task::Grade);
                self.note_grade(due, case, grade, due.seq).await;
            }
            if let Some(compared) = comparison_of(&event) {
                self.note_comparison(due(Task::Second), compared).await;
            }
            if let EventBody::Feedback { score, .. } = &event.body {
                let due = Due {
                    seq: event.seq,
                    ..due(Task::Grade)
                };
                self.note_rating(due, *score).await;
            }
            if let EventBody::SecondRated { winner } = &event.body {
                let due = Due {
                    seq: event.seq,
                    ..due(Task::Second)
                };
                self.note_choice(due, *winner).await;
            }
        }
        Ok(all)
    }

    async fn take_up(&mut self, session_id: SessionId, query_id: QueryId, left: Left) {
        let due = |task, seq, is_asked| Due {
            session_id,
            query_id,
            task,
            seq,
            is_asked,
        };
        if let Some((seq, score)) = left.rated {
            let due = due(Task::Grade, seq, true);
            self.recorded(due, Finding::Rewarded(score)).await;
        }
        let ended = left.ended.filter(|_| self.config.is_automatic(query_id));
        let second = left.second_ended;
        let second = second.filter(|_| self.config.is_second_automatic(query_id));
        for (task, asked, ended) in [
            (Task::Grade, left.asked, ended),
            (Task::Second, left.second_asked, second),
        ] {
            match (asked, ended) {
                (Some(seq), _) => self.enqueue(due(task, seq, true)).await,
                (None, Some(seq)) => self.enqueue_unasked(due(task, seq, false)).await,
                (None, None) => {}
            }
        }
    }
}
