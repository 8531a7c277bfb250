//! Holding sessions in memory: how many, and letting go of one.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test is allowed to fail loudly"
)]

mod support;

use api::sessions::{ErrorKind, Sessions};
use api::test_support::{Reply, within};
use domain::event::{EventBody, QueryStatus};
use domain::limits::LIVE_SESSIONS;
use support::{House, all, answer, error_kind, kinds, request, status, until};

#[tokio::test]
async fn only_so_many_sessions_are_live_and_the_oldest_idle_one_rests() {
    let house = House::new([Reply::says("hm").hang()]);
    let busy = house.open().await;
    let mut stream = house.send(busy, "Think").await;
    until(&mut stream, |body| {
        matches!(body, EventBody::TextDelta { .. }).then_some(())
    })
    .await;
    let second = house.open().await;
    for _ in 2..=LIVE_SESSIONS {
        house.open().await;
    }
    let list = house.service.list().await.unwrap();
    assert_eq!(
        list.iter().filter(|summary| summary.live).count(),
        LIVE_SESSIONS
    );
    let live = |id| {
        list.iter()
            .any(|summary| summary.session_id == id && summary.live)
    };
    assert!(live(busy) && !live(second));
    let gone = house.service.send(request(second, "Hello")).await;
    assert_eq!(error_kind(gone), ErrorKind::NotFound);
    house.models.push(Reply::says("Back."));
    house.resume(second).await.unwrap();
    assert_eq!(answer(&house.ask(second, "Hello").await), "Back.");
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
