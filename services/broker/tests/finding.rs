//! What looking for tools answers.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails loudly"
)]

mod support;

use domain::event::CallStatus;
use domain::settings::Attendance;
use serde_json::json;
use support::{House, settings};

#[tokio::test]
async fn where_nothing_was_left_out_nothing_is_promised() {
    let house = House::new(settings(Attendance::Attended)).await;
    let (_, result) = house.call("find_tools", json!({"task": "delete"})).await;
    assert_eq!(result.status, CallStatus::Ok, "{result:?}");
    assert!(result.text.contains("Nothing was left out"), "{result:?}");
    assert!(!result.text.contains("from now on"), "{result:?}");
    assert_eq!(result.data["found"], 0);
}
