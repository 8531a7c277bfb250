//! What a scripted model is asked for by the agents of an orchestration, and tasks for it to give.

use serde_json::{Value, json};
use testkit::{Gate, Reply};

/// What a request to the model wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// The user's request taken apart into tasks.
    Tasks,
    /// An agent's report.
    Report,
    /// What a page says, of one that sees nothing else.
    Digest,
    /// Something else under a schema: what is worth keeping, a summary.
    Other,
    /// The orchestrating agent's answer.
    Answer,
    /// A step of an agent that does a task.
    Step,
}

/// What a request is for, told by its schema and by who asks.
#[must_use]
pub fn wanted(body: &Value) -> Wanted {
    let schema = body["response_format"].to_string();
    if schema.contains("depends_on") {
        Wanted::Tasks
    } else if schema.contains("result_quality") {
        Wanted::Report
    } else if schema.contains("claims") {
        Wanted::Digest
    } else if body["response_format"].is_object() {
        Wanted::Other
    } else if is_orchestrating(body) {
        Wanted::Answer
    } else {
        Wanted::Step
    }
}

/// Whether it is the orchestrating agent that asks, under a schema or not.
#[must_use]
pub fn is_orchestrating(body: &Value) -> bool {
    let said = body["messages"].to_string();
    said.contains("You are the agent `orchestrator`")
}

/// A task for a researcher that leaves no file.
#[must_use]
pub fn task(id: &str, goal: &str, needs: &[&str]) -> Value {
    json!({
        "id": id, "agent_type": "researcher", "goal": goal, "inputs": [],
        "depends_on": needs, "expected_artifacts": [],
    })
}

/// Reads two files by two agents, and has a third one put it together. The reader of the right file
/// waits at `gate`, if there is one.
#[must_use]
pub fn two_readers(body: &Value, gate: Option<&Gate>) -> Reply {
    let said = body["messages"].to_string();
    let read = said.contains("\"role\":\"tool\"");
    match wanted(body) {
        Wanted::Tasks if said.contains("two and two") => {
            Reply::text(json!({"tasks": []}).to_string())
        }
        Wanted::Tasks => {
            let parts = json!({"tasks": [
                task("left", "Read LEFT in a.txt", &[]),
                task("right", "Read RIGHT in b.txt", &[]),
                task("join", "JOIN both", &["left", "right"]),
            ]});
            Reply::text(parts.to_string())
        }
        Wanted::Report => {
            let report = json!({
                "status": "success", "summary": "It is short.", "artifacts": [],
                "result_quality": "verified", "source": "tool_output", "new_memory_candidates": [],
            });
            Reply::text(report.to_string())
        }
        Wanted::Other | Wanted::Digest => Reply::text(json!({"keep": []}).to_string()),
        Wanted::Answer => Reply::text("Both are short."),
        _ if read => Reply::text("I have read it."),
        _ if said.contains("RIGHT") && !said.contains("JOIN") => {
            let call = |reply: Reply| reply.and_call("read_file", json!({"path": "b.txt"}));
            match gate {
                Some(gate) => call(Reply::default().and_wait(gate)),
                None => call(Reply::default()),
            }
        }
        _ => Reply::call("read_file", json!({"path": "a.txt"})),
    }
}
