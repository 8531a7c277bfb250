//! What looking for tools answers.

use crate::support::{House, settings};
use api::broker::Broker;
use domain::event::CallStatus;
use domain::settings::Attendance;
use serde_json::json;

#[tokio::test]
async fn where_nothing_was_left_out_nothing_is_promised() {
    let house = House::new(settings(Attendance::Attended)).await;
    let (_, result) = house.call("find_tools", json!({"task": "delete"})).await;
    assert_eq!(result.status, CallStatus::Ok, "{result:?}");
    assert!(result.text.contains("Nothing was left out"), "{result:?}");
    assert!(!result.text.contains("from now on"), "{result:?}");
    assert_eq!(result.data["found"], 0);
}

#[tokio::test]
async fn an_agent_with_little_room_is_offered_less_and_a_search_that_finds_the_rest() {
    let house = House::new(settings(Attendance::Attended)).await;
    let offered = async |room: u64| {
        let asked =
            house
                .broker
                .discover_tools(house.context(), "delete a file".to_owned(), room.into());
        let tools = asked.await.unwrap();
        let size: u64 = tools.iter().map(discovery::tokens).sum();
        assert!(size <= room, "{size} of {room}");
        let names = tools.into_iter().map(|tool| tool.name.to_string());
        names.collect::<Vec<_>>()
    };
    let all = offered(3_000).await;
    assert!(!all.iter().any(|name| name == "find_tools"), "{all:?}");
    // Room for the search and little else.
    let few = offered(90).await;
    assert!(few.len() < all.len(), "{few:?}");
    assert!(few.iter().any(|name| name == "find_tools"), "{few:?}");
    let (_, result) = house.call("find_tools", json!({"task": "delete"})).await;
    assert!(!result.text.contains("Nothing was left out"), "{result:?}");
}
