//! The list of observations made anew from the session logs, which are the truth.

use super::catching_up::{Left, Reach};
use super::due::Task;
use super::noting::{comparison_of, grade_of};
use crate::observations;
use api::sessions::{Error, Follow, Selection, Sessions};
use domain::event::{Event, EventBody};
use domain::id::{QueryId, SessionId};
use domain::model::ModelRef;
use domain::quality::{Observation, Worth};
use futures::StreamExt;
use quality::{Case, Cases};
use std::collections::{BTreeMap, HashSet};
use std::path::Path;

/// What came of making the list anew.
#[derive(Debug, Default, Clone, PartialEq)]
pub struct Rebuilt {
    /// Session logs that were read.
    pub sessions: usize,
    /// Observations that were not on the list and are now.
    pub added: usize,
    /// Sessions whose log could not be read to its end, with the reason.
    pub unread: Vec<(SessionId, String)>,
}

/// Adds to the list in `folder` what the session logs have and it does not. Nothing is taken from it: what it
/// has of sessions that were deleted stays. It may be done beside a process that adds to the list.
///
/// # Errors
/// When the sessions cannot be listed, or the list cannot be read or written.
pub async fn rebuild(sessions: &dyn Sessions, folder: &Path) -> std::io::Result<Rebuilt> {
    let listed = observations::read(folder)?.all;
    let mut known: HashSet<_> = listed.iter().map(observations::identity).collect();
    let all = sessions.list(Selection::All).await;
    let all = all.map_err(std::io::Error::other)?;
    let mut rebuilt = Rebuilt::default();
    for session in all {
        let (found, fault) = observed(sessions, session.session_id).await;
        for one in found {
            if known.insert(observations::identity(&one)) {
                observations::add(folder, &one)?;
                rebuilt.added += 1;
            }
        }
        match fault {
            Some(fault) => rebuilt.unread.push((session.session_id, fault.to_string())),
            None => rebuilt.sessions += 1,
        }
    }
    Ok(rebuilt)
}

/// What a session's log says was found of its answers, as far as it can be read.
async fn observed(
    sessions: &dyn Sessions,
    session_id: SessionId,
) -> (Vec<Observation>, Option<Error>) {
    let mut found = Vec::new();
    let mut events = match sessions.attach(session_id, 1, Follow::Outline).await {
        Ok(events) => events,
        Err(error) => return (found, Some(error)),
    };
    let mut observed = Observed::default();
    while let Some(event) = events.next().await {
        match event {
            Ok(event) => found.extend(observed.apply(&event)),
            Err(error) => return (found, Some(error)),
        }
    }
    (found, None)
}

/// What is known of a request's answers.
#[derive(Debug, Default)]
struct Answers {
    left: Left,
    /// The answer that stood before the user took a second one over by this event.
    before: Option<(u64, Case)>,
    /// The second answer's model, and the answer that it stands beside.
    second: Option<(ModelRef, Case)>,
}

/// Which observations the events of a session are: a fold over them.
#[derive(Debug, Default)]
struct Observed {
    cases: Cases,
    answers: BTreeMap<QueryId, Answers>,
    /// The last event that was copied from another session, where it is counted; 0 for none.
    copied_until: u64,
}

impl Observed {
    fn apply(&mut self, event: &Event) -> Option<Observation> {
        if let EventBody::SessionOpened { forked_from, .. } = &event.body {
            self.copied_until = forked_from.map_or(0, |(_, seq)| seq);
        }
        let query_id = event.query_id?;
        let answers = self.answers.entry(query_id).or_default();
        if let EventBody::SecondTaken { .. } = &event.body {
            let before = self.cases.case(query_id).cloned();
            answers.before = before.map(|case| (event.seq, case));
        }
        self.cases.apply(event);
        let noted_by = answers.left.noted_by(event.seq);
        answers.left.apply(event, Reach::From(0));
        if let EventBody::SecondAnswered { model, .. } = &event.body {
            let first = self.cases.case(query_id).cloned();
            answers.second = first.map(|first| (model.clone(), first));
        }
        let observation = |seq, case: &Case, worth| Observation {
            time: event.time,
            session_id: event.session_id,
            seq,
            query_id,
            model: case.model.clone(),
            is_second: case.is_taken,
            kind: case.kind,
            worth,
        };
        let found = if let Some(grade) = grade_of(event) {
            let seq = noted_by(Task::Grade);
            let before = answers.before.as_ref();
            let before = before.filter(|(taken, _)| *taken > seq);
            let before = before.map(|(_, case)| case);
            let case = before.or_else(|| self.cases.case(query_id))?;
            let worth = Worth::Judge {
                score: grade.score,
                judge: grade.judge,
                rubric: grade.rubric,
            };
            observation(seq, case, worth)
        } else if let Some(compared) = comparison_of(event) {
            let (second, first) = answers.second.clone()?;
            let worth = Worth::Compared {
                winner: compared.winner,
                second,
                judge: compared.judge,
            };
            observation(noted_by(Task::Second), &first, worth)
        } else if let EventBody::SecondRated { winner } = &event.body {
            let (second, first) = answers.second.clone()?;
            let winner = *winner;
            observation(event.seq, &first, Worth::Chosen { winner, second })
        } else if let EventBody::Feedback { score, .. } = &event.body {
            let case = self.cases.case(query_id)?;
            observation(event.seq, case, Worth::User { score: *score })
        } else {
            return None;
        };
        (event.seq > self.copied_until).then_some(found)
    }
}
