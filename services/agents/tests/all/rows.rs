//! Calls of one answer: changes that follow one another are handed to the broker together.

use crate::support::{House, status};
use contracts::Reply;
use domain::event::{CallStatus, EventBody, QueryStatus};
use serde_json::json;

#[tokio::test]
async fn changes_go_in_one_breath_and_a_look_between_them_parts_them() {
    let reply = ["save", "save", "look", "save", "save"]
        .into_iter()
        .enumerate()
        .fold(Reply::new(), |reply, (index, tool)| {
            reply.tool_call(tool, json!({"index": index}))
        });
    let house = House::new([reply, Reply::says("Done.")]);
    let id = house.open().await;
    let events = house.ask(id, "Do five things").await;
    assert_eq!(status(&events), QueryStatus::Success);
    let calls = house.broker.calls();
    let places: Vec<Option<(u32, u32)>> = calls
        .iter()
        .map(|call| call.batch.map(|batch| (batch.position, batch.size)))
        .collect();
    assert_eq!(
        places,
        [Some((0, 2)), Some((1, 2)), None, Some((0, 2)), Some((1, 2))]
    );
    assert_ne!(
        calls[0].batch.unwrap().batch_id,
        calls[3].batch.unwrap().batch_id
    );
    // Each call's events stand together, in the order in which they were asked for.
    let told: Vec<String> = events
        .iter()
        .filter_map(|event| match &event.body {
            EventBody::ToolRequested { arguments, .. } => Some(format!("{}?", arguments["index"])),
            EventBody::ToolResult {
                status: CallStatus::Ok,
                tool,
                ..
            } => Some(tool.clone()),
            _ => None,
        })
        .collect();
    assert_eq!(
        told,
        [
            "0?", "save", "1?", "save", "2?", "look", "3?", "save", "4?", "save"
        ]
    );
    let summary = events.iter().find_map(|event| match &event.body {
        EventBody::GenerationFinished { tool_calls, .. } => Some(tool_calls.len()),
        _ => None,
    });
    assert_eq!(summary, Some(5));
}
