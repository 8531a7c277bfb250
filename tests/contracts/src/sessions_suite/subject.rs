//! What a suite is run on, and how it is driven.

use crate::within;
use api::Streaming;
use api::sessions::{Error, ErrorKind, Follow, OpenRequest, SendRequest, SessionSummary, Sessions};
use domain::event::{Event, EventBody, QueryStatus};
use domain::id::{HolderId, SessionId};
use domain::settings::SessionProfile;
use futures::StreamExt;
use std::sync::Arc;

/// What the suite runs against: a service with no sessions yet, and requests whose course is known.
pub struct Subject {
    /// The service.
    pub sessions: Arc<dyn Sessions>,
    /// What sessions are opened with.
    pub profile: SessionProfile,
    /// A request that ends well by itself, any number of times.
    pub ends: String,
    /// A request that runs until it is interrupted, once or more.
    pub runs_on: String,
}

pub(super) async fn open(subject: &Subject) -> SessionId {
    held(subject).await.0
}

/// A fresh session, and who holds it.
pub(super) async fn held(subject: &Subject) -> (SessionId, HolderId) {
    let opening = subject
        .sessions
        .open(OpenRequest::New(subject.profile.clone()));
    let summary = within("a session opens", opening)
        .await
        .expect("a session opens");
    assert!(summary.live);
    assert_eq!(summary.workspace, subject.profile.settings.workspace);
    (summary.session_id, holder(&summary))
}

pub(super) fn holder(summary: &SessionSummary) -> HolderId {
    summary.holder_id.expect("who opens a session holds it")
}

/// Another who holds a session.
pub(super) async fn hold(
    subject: &Subject,
    id: SessionId,
    profile: Option<SessionProfile>,
) -> HolderId {
    let opening = subject.sessions.open(OpenRequest::Resume {
        session_id: id,
        profile,
    });
    let opened = within("a session is held", opening).await;
    holder(&opened.expect("a session is held"))
}

pub(super) async fn send(
    subject: &Subject,
    session_id: SessionId,
    text: &str,
) -> Streaming<Event, Error> {
    send_as(subject, (session_id, None), text).await
}

pub(super) async fn send_as(
    subject: &Subject,
    (session_id, holder_id): (SessionId, Option<HolderId>),
    text: &str,
) -> Streaming<Event, Error> {
    let request = SendRequest {
        holder_id,
        ..SendRequest::new(session_id, text.to_owned())
    };
    let sending = subject.sessions.send(request);
    within("the request is taken", sending)
        .await
        .expect("the request is taken")
}

pub(super) async fn all(stream: Streaming<Event, Error>) -> Vec<Event> {
    let events: Vec<_> = within("the stream ends", stream.collect()).await;
    events
        .into_iter()
        .map(|event| event.expect("no error in the stream"))
        .collect()
}

pub(super) async fn log(subject: &Subject, session_id: SessionId, from_seq: u64) -> Vec<Event> {
    let attaching = subject.sessions.attach(session_id, from_seq, Follow::ToEnd);
    all(attaching.await.expect("the log is readable")).await
}

pub(super) fn seqs(events: &[Event]) -> Vec<u64> {
    events.iter().map(|event| event.seq).collect()
}

pub(super) fn status(events: &[Event]) -> QueryStatus {
    match events.last().map(|event| &event.body) {
        Some(EventBody::QueryFinished { status, .. }) => *status,
        other => panic!("a request's last event is its end, not {other:?}"),
    }
}

pub(super) fn kind<T>(answer: Result<T, Error>) -> ErrorKind {
    match answer {
        Ok(_) => panic!("it was taken"),
        Err(error) => error.kind,
    }
}
