//! What every Sessions service promises.

mod findings;
mod lasting;
mod queue;
mod subject;

pub use subject::Subject;

use subject::{all, held, hold, holder, kind, log, open, send, send_as, seqs, status};

use super::{fresh_uuid, within};
use api::sessions::{
    ErrorKind, FeedbackRequest, Follow, OpenRequest, Selection, SendRequest, SessionSummary,
};
use domain::event::{ConfirmationAnswer, Event, EventBody, QueryStatus};
use domain::hash::Digest;
use domain::id::{ConfirmationId, HolderId, QueryId, SessionId};
use domain::limits::USER_TEXT_BYTES;
use domain::settings::OverrideLevel;
use domain::token::Answerer;
use futures::StreamExt;
use std::path::PathBuf;

/// The whole suite. `subject` gives a fresh service each time.
pub async fn conformance(subject: impl AsyncFn() -> Subject) {
    a_request_has_a_beginning_and_an_end(&subject().await).await;
    attaching_shows_every_event_once(&subject().await).await;
    an_attached_reader_sees_what_happens(&subject().await).await;
    interrupting_ends_the_request_and_not_the_session(&subject().await).await;
    dropping_the_stream_does_not_stop_the_work(&subject().await).await;
    a_fork_has_the_past_and_a_life_of_its_own(&subject().await).await;
    a_session_works_until_the_last_who_opened_it_closes(&subject().await).await;
    a_request_is_worked_on_by_the_settings_of_who_sends_it(&subject().await).await;
    closing_keeps_the_log_and_resuming_goes_on(&subject().await).await;
    settings_and_opinions_are_events(&subject().await).await;
    findings::findings_are_events_of_the_request(&subject().await).await;
    findings::bad_findings_are_refused(&subject().await).await;
    sessions_are_listed(&subject().await).await;
    what_is_not_there_is_said_so(&subject().await).await;
    bad_requests_are_refused(&subject().await).await;
}

/// The promises about requests that wait, and about calls that run. `subject` gives a fresh service
/// each time.
pub async fn queue(subject: impl AsyncFn() -> Subject) {
    queue::promises(subject).await;
}

/// The promises of sessions that last. `subject` gives a fresh service each time.
pub async fn lasting(subject: impl AsyncFn() -> Subject) {
    lasting::promises(subject).await;
}

/// The promises about signals, of a service with a drive.
pub async fn signals(subject: impl AsyncFn() -> Subject) {
    lasting::signals_are_for_sessions_in_auto_mode(&subject().await).await;
}

async fn a_request_has_a_beginning_and_an_end(subject: &Subject) {
    let id = open(subject).await;
    for _ in 0..2 {
        let events = all(send(subject, id, &subject.ends).await).await;
        let received = events.iter().find_map(|event| match &event.body {
            EventBody::QueryReceived { text, .. } => Some(text.as_str()),
            _ => None,
        });
        assert_eq!(received, Some(subject.ends.as_str()));
        assert_eq!(status(&events), QueryStatus::Success);
        let query_id = events[0].query_id;
        assert!(query_id.is_some());
        assert!(
            events
                .iter()
                .all(|e| e.query_id == query_id && e.session_id == id)
        );
        assert!(seqs(&events).is_sorted_by(|one, next| one < next));
    }
}

async fn attaching_shows_every_event_once(subject: &Subject) {
    let id = open(subject).await;
    all(send(subject, id, &subject.ends).await).await;
    let whole = log(subject, id, 1).await;
    assert!(matches!(whole[0].body, EventBody::SessionOpened { .. }));
    let expected: Vec<u64> = (1..=whole.len() as u64).collect();
    assert_eq!(seqs(&whole), expected, "from 1, without gap or double");
    assert_eq!(log(subject, id, 0).await, whole, "0 means all, too");
    assert_eq!(log(subject, id, 3).await, whole[2..]);
    let beyond = whole.len() as u64 + 1;
    assert_eq!(log(subject, id, beyond).await, []);
    let outline = subject.sessions.attach(id, 1, Follow::Outline);
    let outline = all(outline.await.expect("the log is readable")).await;
    let mut expected = whole;
    expected.retain(|event| Follow::Outline.has(&event.body));
    assert_eq!(outline, expected);
}

async fn an_attached_reader_sees_what_happens(subject: &Subject) {
    let id = open(subject).await;
    all(send(subject, id, &subject.ends).await).await;
    let attaching = subject.sessions.attach(id, 2, Follow::Live);
    let mut attached = attaching.await.expect("a reader attaches");
    let sent = all(send(subject, id, &subject.ends).await).await;
    let last = sent.last().map(|event| event.seq).unwrap_or_default();
    let mut seen = Vec::new();
    while seen.last().is_none_or(|event: &Event| event.seq < last) {
        let event = within("the next event", attached.next()).await;
        seen.push(event.expect("it goes on").expect("no error"));
    }
    let expected: Vec<u64> = (2..=last).collect();
    assert_eq!(
        seqs(&seen),
        expected,
        "past and present, without gap or double"
    );
    assert_eq!(seen, log(subject, id, 2).await[..seen.len()]);
}

async fn interrupting_ends_the_request_and_not_the_session(subject: &Subject) {
    let id = open(subject).await;
    let mut running = send(subject, id, &subject.runs_on).await;
    let first = within("it begins", running.next()).await;
    first.expect("it begins").expect("no error");
    let interrupting = subject.sessions.interrupt(id, None);
    interrupting.await.expect("it is interrupted");
    assert_eq!(status(&all(running).await), QueryStatus::Interrupted);
    let next = all(send(subject, id, &subject.ends).await).await;
    assert_eq!(status(&next), QueryStatus::Success);
}

async fn dropping_the_stream_does_not_stop_the_work(subject: &Subject) {
    let id = open(subject).await;
    drop(send(subject, id, &subject.ends).await);
    let attaching = subject.sessions.attach(id, 1, Follow::Live);
    let mut attached = attaching.await.expect("a reader attaches");
    loop {
        let event = within("the request ends without its caller", attached.next()).await;
        let event = event.expect("it goes on").expect("no error");
        if let EventBody::QueryFinished { status, .. } = event.body {
            assert_eq!(status, QueryStatus::Success);
            break;
        }
    }
}

async fn a_fork_has_the_past_and_a_life_of_its_own(subject: &Subject) {
    let id = open(subject).await;
    let end = all(send(subject, id, &subject.ends).await).await;
    let end = end.last().map(|event| event.seq).unwrap_or_default();
    all(send(subject, id, &subject.ends).await).await;
    let whole = log(subject, id, 1).await;
    for (at_seq, kept) in [(end, end), (0, whole.len() as u64)] {
        let forking = subject.sessions.fork(id, at_seq);
        let fork = forking.await.expect("the session is forked").session_id;
        assert_ne!(fork, id);
        let copy = log(subject, fork, 1).await;
        assert!(copy.iter().all(|event| event.session_id == fork));
        let EventBody::SessionOpened { forked_from, .. } = &copy[0].body else {
            panic!("a fork begins with its opening");
        };
        assert_eq!(*forked_from, Some((id, kept)));
        let named = Selection::Id(fork.to_string());
        let listed = subject.sessions.list(named).await.expect("a listing");
        assert_eq!(listed[0].forked_from, Some((id, kept)));
        let bodies = |events: &[Event]| -> Vec<EventBody> {
            let kept = usize::try_from(kept).unwrap_or(usize::MAX);
            events
                .iter()
                .take(kept)
                .skip(1)
                .map(|event| event.body.clone())
                .collect()
        };
        assert_eq!(bodies(&copy), bodies(&whole));
        hold(subject, fork, None).await;
        let next = all(send(subject, fork, &subject.ends).await).await;
        assert_eq!(status(&next), QueryStatus::Success);
    }
    assert_eq!(log(subject, id, 1).await, whole, "the origin is untouched");
    let beyond = subject.sessions.fork(id, whole.len() as u64 + 1).await;
    assert_eq!(kind(beyond), ErrorKind::InvalidRequest);
}

async fn a_session_works_until_the_last_who_opened_it_closes(subject: &Subject) {
    let (id, first) = held(subject).await;
    let second = hold(subject, id, None).await;
    assert_ne!(first, second);
    let close = async |holder| subject.sessions.close(id, holder).await;
    close(first).await.expect("one leaves");
    assert_eq!(kind(close(first).await), ErrorKind::NotFound, "once");
    all(send(subject, id, &subject.ends).await).await;
    close(second).await.expect("the other leaves");
    let nobody = close(second).await;
    assert_eq!(kind(nobody), ErrorKind::NotFound, "nobody is left");
}

/// How far the gate is open at each change of settings, the last of which is in force.
fn gates(events: &[Event]) -> Vec<OverrideLevel> {
    let profiles = events.iter().filter_map(|event| match &event.body {
        EventBody::SessionOpened { profile, .. }
        | EventBody::SessionResumed { profile }
        | EventBody::SessionConfigured { profile } => Some(profile.settings.override_level),
        _ => None,
    });
    profiles.collect()
}

async fn a_request_is_worked_on_by_the_settings_of_who_sends_it(subject: &Subject) {
    let (id, first) = held(subject).await;
    let mut open_wide = subject.profile.clone();
    open_wide.settings.override_level = OverrideLevel::All;
    let second = hold(subject, id, Some(open_wide.clone())).await;
    let before = log(subject, id, 1).await;
    assert_eq!(gates(&before).last(), Some(&OverrideLevel::None));
    for holder in [first, second, first] {
        all(send_as(subject, (id, Some(holder)), &subject.ends).await).await;
    }
    let closing = subject.sessions.close(id, second);
    closing.await.expect("the other leaves");
    all(send(subject, id, &subject.ends).await).await;
    let gone = SendRequest {
        holder_id: Some(second),
        ..SendRequest::new(id, subject.ends.clone())
    };
    assert_eq!(
        kind(subject.sessions.send(gone).await),
        ErrorKind::NotFound,
        "who left sends nothing"
    );
    let events = log(subject, id, 1).await;
    let changes = gates(&events[before.len()..]);
    assert_eq!(changes, [OverrideLevel::All, OverrideLevel::None]);
    // Nor is anything left of it for whoever comes later without settings of their own.
    let (alone, only) = {
        let opening = OpenRequest::New(open_wide);
        let opened = subject.sessions.open(opening).await.expect("it opens");
        (opened.session_id, holder(&opened))
    };
    let leaving = subject.sessions.close(alone, only);
    leaving.await.expect("it closes");
    hold(subject, alone, None).await;
    let events = log(subject, alone, 1).await;
    assert_eq!(gates(&events), [OverrideLevel::All, OverrideLevel::None]);
}

async fn closing_keeps_the_log_and_resuming_goes_on(subject: &Subject) {
    let (id, holder_id) = held(subject).await;
    all(send(subject, id, &subject.ends).await).await;
    let before = log(subject, id, 1).await;
    let closing = subject.sessions.close(id, holder_id);
    closing.await.expect("the session closes");
    let after = log(subject, id, 1).await;
    assert_eq!(after[..before.len()], before, "the log stays");
    let request = SendRequest::new(id, subject.ends.clone());
    let refused = subject.sessions.send(request).await;
    assert_eq!(
        kind(refused),
        ErrorKind::NotFound,
        "a closed session works no more"
    );

    let resuming = subject.sessions.open(OpenRequest::Resume {
        session_id: id,
        profile: None,
    });
    let resumed = resuming.await.expect("the session goes on");
    assert_eq!(resumed.session_id, id);
    let next = all(send(subject, id, &subject.ends).await).await;
    assert_eq!(status(&next), QueryStatus::Success);
    let whole = log(subject, id, 1).await;
    let expected: Vec<u64> = (1..=whole.len() as u64).collect();
    assert_eq!(seqs(&whole), expected, "the numbers go on");
    assert!(
        whole
            .iter()
            .any(|e| matches!(e.body, EventBody::SessionResumed { .. }))
    );
}

async fn settings_and_opinions_are_events(subject: &Subject) {
    let (id, holder_id) = held(subject).await;
    let sent = all(send(subject, id, &subject.ends).await).await;
    let query_id = sent[0].query_id.expect("a request has an id");
    let mut profile = subject.profile.clone();
    profile.name = "renamed ä".to_owned();
    let configuring = subject.sessions.configure(id, holder_id, profile.clone());
    configuring.await.expect("the settings change");
    let feedback = FeedbackRequest {
        session_id: id,
        query_id,
        score: -100,
        note: "no ☹".to_owned(),
    };
    let giving = subject.sessions.feedback(feedback.clone());
    giving.await.expect("the opinion is kept");
    let events = log(subject, id, 1).await;
    let configured = EventBody::SessionConfigured { profile };
    assert!(events.iter().any(|event| event.body == configured));
    let given = EventBody::Feedback {
        score: feedback.score,
        note: feedback.note.clone(),
    };
    let kept = events.iter().find(|event| event.body == given);
    assert_eq!(
        kept.expect("the opinion is in the log").query_id,
        Some(query_id)
    );
    let unknown = FeedbackRequest {
        query_id: QueryId::from_uuid(fresh_uuid()),
        ..feedback.clone()
    };
    let beyond = FeedbackRequest {
        score: 101,
        ..feedback
    };
    for bad in [unknown, beyond] {
        let refused = subject.sessions.feedback(bad).await;
        assert_eq!(kind(refused), ErrorKind::InvalidRequest);
    }
}

async fn sessions_are_listed(subject: &Subject) {
    let (first, (second, holder_id)) = (open(subject).await, held(subject).await);
    all(send(subject, first, &subject.ends).await).await;
    let closing = subject.sessions.close(second, holder_id);
    closing.await.expect("it closes");
    let listed = list(subject, Selection::All).await;
    let find = |id: SessionId| -> &SessionSummary {
        let found = listed.iter().find(|summary| summary.session_id == id);
        found.expect("every session is listed")
    };
    assert!(find(first).live && !find(second).live);
    assert_eq!((find(first).holders, find(second).holders), (1, 0));
    assert_eq!(
        find(first).last_seq,
        log(subject, first, 1).await.len() as u64
    );
    assert!(find(first).created <= find(first).updated);
    let live = list(subject, Selection::Live).await;
    assert!(live.iter().all(|summary| summary.live));
    let ids = |listed: &[SessionSummary]| -> Vec<SessionId> {
        listed.iter().map(|summary| summary.session_id).collect()
    };
    assert!(ids(&live).contains(&first));
    let whole = second.to_string();
    let named = list(subject, Selection::Id(whole.clone())).await;
    assert_eq!(named, [find(second).clone()]);
    for part in [&whole[..8], &whole[whole.len() - 8..]] {
        let named = list(subject, Selection::Id(part.to_owned())).await;
        let mut expected = ids(&listed);
        expected.retain(|id| id.to_string().starts_with(part) || id.to_string().ends_with(part));
        assert_eq!(ids(&named), expected);
    }
    let nothing = list(subject, Selection::Id("no such id".to_owned())).await;
    assert_eq!(nothing, []);
    // Of both, only the first was asked something.
    let words = subject.ends.to_uppercase();
    let said = ids(&list(subject, Selection::Said(words)).await);
    assert!(said.contains(&first) && !said.contains(&second));
    let words = format!("{} zxqv", subject.ends);
    assert_eq!(list(subject, Selection::Said(words)).await, []);
}

async fn list(subject: &Subject, selection: Selection) -> Vec<SessionSummary> {
    let listing = subject.sessions.list(selection);
    listing.await.expect("sessions are listed")
}

async fn what_is_not_there_is_said_so(subject: &Subject) {
    let id = SessionId::from_uuid(fresh_uuid());
    let sessions = &subject.sessions;
    let resume = OpenRequest::Resume {
        session_id: id,
        profile: None,
    };
    let request = SendRequest::new(id, subject.ends.clone());
    assert_eq!(kind(sessions.open(resume).await), ErrorKind::NotFound);
    assert_eq!(kind(sessions.send(request).await), ErrorKind::NotFound);
    assert_eq!(
        kind(sessions.interrupt(id, None).await),
        ErrorKind::NotFound
    );
    assert_eq!(kind(sessions.fork(id, 0).await), ErrorKind::NotFound);
    let nobody = HolderId::from_uuid(fresh_uuid());
    assert_eq!(kind(sessions.close(id, nobody).await), ErrorKind::NotFound);
    let profile = subject.profile.clone();
    let configured = sessions.configure(id, nobody, profile).await;
    assert_eq!(kind(configured), ErrorKind::NotFound);
    for follow in [Follow::ToEnd, Follow::Live, Follow::Outline] {
        assert_eq!(
            kind(sessions.attach(id, 1, follow).await),
            ErrorKind::NotFound
        );
    }
    let live = open(subject).await;
    let question = ConfirmationId::from_uuid(fresh_uuid());
    let binding = Digest::of(b"nothing");
    let (yes, by) = (ConfirmationAnswer::Once, Answerer::User);
    let answering = sessions.confirm(live, question, binding, yes, by);
    assert_eq!(kind(answering.await), ErrorKind::InvalidAnswer);
}

async fn bad_requests_are_refused(subject: &Subject) {
    let id = open(subject).await;
    for text in [
        String::new(),
        " \n".to_owned(),
        "x".repeat(USER_TEXT_BYTES + 1),
    ] {
        let request = SendRequest::new(id, text);
        let refused = subject.sessions.send(request).await;
        assert_eq!(kind(refused), ErrorKind::InvalidRequest);
    }
    let mut profile = subject.profile.clone();
    profile.settings.workspace = PathBuf::from("not/absolute");
    let refused = subject.sessions.open(OpenRequest::New(profile)).await;
    assert_eq!(kind(refused), ErrorKind::InvalidRequest);
}
