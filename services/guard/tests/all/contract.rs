//! The guard keeps the promises of its contract.

use contracts::guard_suite::{Subject, conformance};
use domain::Timestamp;
use domain::tool::{ToolDefinition, ToolName};
use guard::{Rules, Service};
use serde_json::json;
use std::sync::Arc;
use tooltable::Table;

const TABLE: &str = "version: 1\ntools: {look: {effect: read, capability: look}}\n";

fn tool(name: &str) -> ToolDefinition {
    ToolDefinition {
        name: ToolName::new(name).unwrap(),
        description: String::new(),
        parameters: json!({"type": "object", "properties": {}, "additionalProperties": false}),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn conforms() {
    let rules = Rules {
        table: Table::parse(TABLE, "table").unwrap(),
        ..Rules::default()
    };
    conformance(&Subject {
        guard: Arc::new(Service::new(rules, Timestamp::now)),
        tools: vec![tool("look")],
        allowed: ("look".to_owned(), json!({})),
        denied: ("elsewhere".to_owned(), json!({})),
    })
    .await;
}
