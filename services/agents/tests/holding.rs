//! Holding sessions in memory: how many, and letting go of one.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test is allowed to fail loudly"
)]

mod support;

use api::sessions::{Error, ErrorKind, OpenRequest, Sessions};
use api::test_support::{Reply, within};
use domain::event::{Event, EventBody, QueryStatus};
use domain::id::SessionId;
use domain::limits::LIVE_SESSIONS;
use domain::settings::{Attendance, OverrideLevel, SessionProfile};
use support::{House, all, answer, error_kind, kinds, status, until};

#[tokio::test]
async fn a_session_that_somebody_holds_is_taken_from_nobody() {
    let house = House::new([Reply::says("Still here.")]);
    let first = house.open().await;
    for _ in 1..LIVE_SESSIONS {
        house.open().await;
    }
    let refused = house.service.open(OpenRequest::New(house.profile())).await;
    let error = refused.unwrap_err();
    assert_eq!(error.kind, ErrorKind::Refused);
    assert!(error.hint.contains("`sessions` in [agents]"), "{error}");
    assert_eq!(answer(&house.ask(first, "Hello").await), "Still here.");
    house.service.close(first).await.unwrap();
    house.open().await;
}

/// What two hold at the same time, with what the second wants.
async fn held_twice(house: &House, wanted: SessionProfile) -> (SessionId, Result<(), Error>) {
    let id = house.open().await;
    let second = OpenRequest::Resume {
        session_id: id,
        profile: Some(wanted),
    };
    (id, house.service.open(second).await.map(|_| ()))
}

async fn configured(house: &House, id: SessionId) -> usize {
    let log = house.events(id).await;
    let is_configured = |event: &&Event| matches!(event.body, EventBody::SessionConfigured { .. });
    log.iter().filter(is_configured).count()
}

#[tokio::test]
async fn who_joins_a_held_session_adds_nothing_to_its_rights() {
    let house = House::new([]);
    let mut wanted = house.profile();
    wanted.settings.override_level = OverrideLevel::All;
    let (id, joined) = held_twice(&house, wanted).await;
    assert_eq!(joined.unwrap_err().kind, ErrorKind::Busy);
    assert_eq!(configured(&house, id).await, 0);
    // Without somebody to ask it is joined all the same, and stays as it is.
    let mut unattended = house.profile();
    unattended.settings.attendance = Attendance::Unattended;
    let (id, joined) = held_twice(&house, unattended).await;
    joined.unwrap();
    assert_eq!(configured(&house, id).await, 0);
}

#[tokio::test]
async fn an_override_ends_with_the_first_of_those_who_hold_its_session() {
    let house = House::new([]);
    let mut opened = house.profile();
    opened.settings.override_level = OverrideLevel::All;
    let first = house.service.open(OpenRequest::New(opened)).await.unwrap();
    let id = first.session_id;
    let second = OpenRequest::Resume {
        session_id: id,
        profile: Some(house.profile()),
    };
    house.service.open(second).await.unwrap();
    house.service.close(id).await.unwrap();
    let log = house.events(id).await;
    let last = log.iter().rev().find_map(|event| match &event.body {
        EventBody::SessionConfigured { profile } => Some(profile.settings.override_level),
        _ => None,
    });
    assert_eq!(last, Some(OverrideLevel::None));
}

#[tokio::test]
async fn closing_stops_what_runs_and_ends_its_streams() {
    let house = House::new([Reply::says("hm").hang()]);
    let id = house.open().await;
    let mut running = house.send(id, "Think").await;
    let waiting = house.send(id, "Wait").await;
    until(&mut running, |body| {
        matches!(body, EventBody::TextDelta { .. }).then_some(())
    })
    .await;
    within("closing", house.service.close(id)).await.unwrap();
    assert_eq!(status(&all(running).await), QueryStatus::Interrupted);
    assert_eq!(status(&all(waiting).await), QueryStatus::Interrupted);
    assert_eq!(
        error_kind(house.service.close(id).await),
        ErrorKind::NotFound
    );
    house.resume(id).await.unwrap();
    let kinds = kinds(&house.events(id).await);
    assert_eq!(
        kinds.last().unwrap(),
        "session.resumed",
        "nothing was left open"
    );
}
