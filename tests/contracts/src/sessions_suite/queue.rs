//! The promises about requests that wait, and about calls that run.

use super::subject::{Subject, all, kind, log, open, send, status};
use crate::{fresh_uuid, within};
use api::Streaming;
use api::programs::{ProgramId, Programs};
use api::sessions::{Error, ErrorKind, QueueChange};
use domain::event::{Event, EventBody, QueryStatus};
use domain::id::{CallId, QueryId, SessionId};
use futures::StreamExt;

pub(super) async fn promises(subject: impl AsyncFn() -> Subject) {
    a_request_that_waits_is_taken_out(&subject().await).await;
    requests_that_wait_are_moved(&subject().await).await;
    stopping_calls_stops_no_request(&subject().await).await;
    programs_are_told_of_open_sessions_only(&subject().await).await;
    jobs_are_stopped_in_open_sessions_only(&subject().await).await;
}

type Sent = (QueryId, Streaming<Event, Error>);

/// Sends a request, and tells which it became.
async fn sent(subject: &Subject, id: SessionId, text: &str) -> Sent {
    let mut events = send(subject, id, text).await;
    let first = within("it is taken", events.next()).await;
    let first = first.expect("it is taken").expect("no error");
    (first.query_id.expect("it is of a request"), events)
}

async fn a_request_that_waits_is_taken_out(subject: &Subject) {
    let id = open(subject).await;
    let (runs, its_events) = sent(subject, id, &subject.runs_on).await;
    let (waits, waited) = sent(subject, id, &subject.ends).await;
    let (stays, stayed) = sent(subject, id, &subject.ends).await;
    let change = async |query_id, change| subject.sessions.change_queue(id, query_id, change).await;
    let remove = async |query_id| change(query_id, QueueChange::Remove).await;
    assert_eq!(remove(waits).await.ok(), Some(true));
    assert_eq!(status(&all(waited).await), QueryStatus::Interrupted);
    // What has ended, runs or is not there is left alone.
    let nobody = QueryId::from_uuid(fresh_uuid());
    for gone in [waits, runs, nobody] {
        assert_eq!(remove(gone).await.ok(), Some(false));
        assert_eq!(change(gone, QueueChange::Last).await.ok(), Some(false));
        let before = QueueChange::Before(gone);
        assert_eq!(change(stays, before).await.ok(), Some(false));
    }
    let interrupted = subject.sessions.interrupt(id, Some(runs)).await;
    assert!(interrupted.is_ok());
    assert_eq!(status(&all(its_events).await), QueryStatus::Interrupted);
    assert_eq!(status(&all(stayed).await), QueryStatus::Success);
    let nowhere = SessionId::from_uuid(fresh_uuid());
    let changed = subject
        .sessions
        .change_queue(nowhere, stays, QueueChange::Remove);
    assert_eq!(kind(changed.await), ErrorKind::NotFound);
}

async fn requests_that_wait_are_moved(subject: &Subject) {
    let id = open(subject).await;
    let (runs, its_events) = sent(subject, id, &subject.runs_on).await;
    let mut waiting = Vec::new();
    for _ in 0..4 {
        waiting.push(sent(subject, id, &subject.ends).await);
    }
    let [a, b, c, d] = [0, 1, 2, 3].map(|at: usize| waiting[at].0);
    let moves = [
        (c, QueueChange::Before(a)), // c a b d
        (a, QueueChange::Last),      // c b d a
        (c, QueueChange::Before(d)), // b c d a
        (b, QueueChange::Before(b)), // where it is
    ];
    for (query_id, change) in moves {
        let moved = subject.sessions.change_queue(id, query_id, change).await;
        assert_eq!(moved.ok(), Some(true), "{change:?}");
    }
    let interrupted = subject.sessions.interrupt(id, Some(runs)).await;
    assert!(interrupted.is_ok());
    all(its_events).await;
    for (_, events) in waiting {
        assert_eq!(status(&all(events).await), QueryStatus::Success);
    }
    let log = log(subject, id, 1).await;
    let ends = log.iter().filter_map(|event| match &event.body {
        EventBody::QueryFinished { .. } => event.query_id,
        _ => None,
    });
    assert_eq!(ends.collect::<Vec<_>>(), [runs, b, c, d, a]);
    let moved = log.iter().filter_map(|event| match &event.body {
        EventBody::QueryMoved { before } => Some((event.query_id?, *before)),
        _ => None,
    });
    let moved: Vec<_> = moved.collect();
    assert_eq!(moved, [(c, Some(a)), (a, None), (c, Some(d)), (b, Some(b))]);
}

async fn stopping_calls_stops_no_request(subject: &Subject) {
    let id = open(subject).await;
    let (runs, its_events) = sent(subject, id, &subject.runs_on).await;
    let sessions = &subject.sessions;
    // One that is not there.
    let nobody = CallId::from_uuid(fresh_uuid());
    assert_eq!(sessions.stop_calls(id, Some(nobody)).await.ok(), Some(0));
    let (_, next) = sent(subject, id, &subject.ends).await;
    assert!(sessions.interrupt(id, Some(runs)).await.is_ok());
    assert_eq!(status(&all(its_events).await), QueryStatus::Interrupted);
    assert_eq!(status(&all(next).await), QueryStatus::Success);
    let nowhere = SessionId::from_uuid(fresh_uuid());
    assert_eq!(
        kind(sessions.stop_calls(nowhere, None).await),
        ErrorKind::NotFound
    );
}

async fn jobs_are_stopped_in_open_sessions_only(subject: &Subject) {
    let id = open(subject).await;
    for name in [None, Some("nobody".to_owned())] {
        let stopped = subject.sessions.stop_jobs(id, name.clone()).await;
        assert_eq!(stopped.ok(), Some(Vec::new()));
        let nowhere = SessionId::from_uuid(fresh_uuid());
        let refused = subject.sessions.stop_jobs(nowhere, name).await;
        assert_eq!(kind(refused), ErrorKind::NotFound);
    }
}

async fn programs_are_told_of_open_sessions_only(subject: &Subject) {
    let id = open(subject).await;
    let nobody = Programs::One(ProgramId::Job("nobody".to_owned()));
    for wanted in [Programs::All, nobody] {
        let told = subject.sessions.programs(id, wanted.clone()).await;
        assert_eq!(told.ok(), Some(Vec::new()));
        let nowhere = SessionId::from_uuid(fresh_uuid());
        let refused = subject.sessions.programs(nowhere, wanted).await;
        assert_eq!(kind(refused), ErrorKind::NotFound);
    }
}
