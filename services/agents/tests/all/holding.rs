//! Holding sessions in memory: how many, and letting go of one.

use crate::support;
use crate::support::{House, all, answer, error_kind, kinds, request, status, until};
use api::sessions::{ErrorKind, OpenRequest, SendRequest, Sessions};
use contracts::{Reply, within};
use domain::event::{EventBody, QueryStatus};
use domain::settings::OverrideLevel;

#[tokio::test]
async fn at_the_limit_nobody_is_put_out() {
    let house = House::with([], support::broker(), |config| config.open_sessions = 3);
    let (idle, leaving) = (house.open().await, house.held().await);
    house.open().await;
    let opening = house.service.open(OpenRequest::New(house.profile())).await;
    let refused = opening.unwrap_err();
    assert_eq!(refused.kind, ErrorKind::Refused);
    assert!(refused.hint.contains("open_sessions"), "{refused:?}");
    let resumed = house.resume(idle).await;
    assert_eq!(resumed.unwrap(), idle, "one that is open takes no room");
    house.service.close(leaving.0, leaving.1).await.unwrap();
    house.resume(leaving.0).await.unwrap();
    house.models.push(Reply::says("Still here."));
    assert_eq!(answer(&house.ask(idle, "Hello").await), "Still here.");
}

#[tokio::test]
async fn an_opening_waits_for_a_close_under_way() {
    let house = House::new([]);
    let (id, mut holder) = house.held().await;
    for _ in 0..50 {
        let again = OpenRequest::Resume {
            session_id: id,
            profile: None,
        };
        let (closed, opened) =
            tokio::join!(house.service.close(id, holder), house.service.open(again));
        closed.unwrap();
        holder = opened.unwrap().holder_id.unwrap();
    }
}

#[tokio::test]
async fn who_leaves_takes_their_requests_along() {
    let house = House::new([Reply::says("hm").hang(), Reply::says("Mine.")]);
    let id = house.open().await;
    let mut wide = house.profile();
    wide.settings.override_level = OverrideLevel::All;
    let again = OpenRequest::Resume {
        session_id: id,
        profile: Some(wide),
    };
    let other = house.service.open(again).await.unwrap().holder_id.unwrap();
    let mut running = house.send(id, "Think").await;
    let theirs = SendRequest {
        holder_id: Some(other),
        ..request(id, "Theirs")
    };
    let waiting = house.service.send(theirs).await.unwrap();
    until(&mut running, |body| {
        matches!(body, EventBody::TextDelta { .. }).then_some(())
    })
    .await;
    house.service.close(id, other).await.unwrap();
    house.service.interrupt(id, None).await.unwrap();
    assert_eq!(status(&all(running).await), QueryStatus::Interrupted);
    assert_eq!(status(&all(waiting).await), QueryStatus::Interrupted);
    assert_eq!(answer(&house.ask(id, "Mine").await), "Mine.");
    let configured = kinds(&house.events(id).await);
    assert!(!configured.contains(&"session.configured".to_owned()));
}

#[tokio::test]
async fn closing_stops_what_runs_and_ends_its_streams() {
    let house = House::new([Reply::says("hm").hang()]);
    let (id, holder) = house.held().await;
    let mut running = house.send(id, "Think").await;
    let waiting = house.send(id, "Wait").await;
    until(&mut running, |body| {
        matches!(body, EventBody::TextDelta { .. }).then_some(())
    })
    .await;
    within("closing", house.service.close(id, holder))
        .await
        .unwrap();
    assert_eq!(status(&all(running).await), QueryStatus::Interrupted);
    assert_eq!(status(&all(waiting).await), QueryStatus::Interrupted);
    assert_eq!(
        error_kind(house.service.close(id, holder).await),
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
