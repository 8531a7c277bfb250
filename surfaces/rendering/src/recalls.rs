//! Results of a question to memory as JSON.

use super::memory::{readers, word};
use api::memory::{Recall, Stage};
use serde_json::{Value, json};

/// Results as JSON, with what each stage saw where that is wanted.
#[must_use]
pub fn found_json(recalls: &[Recall], stages: Option<&[Stage]>) -> Value {
    let recall = |recall: &Recall| {
        json!({
            "id": recall.id.to_string(),
            "kind": word(recall.kind),
            "namespace": recall.namespace.as_str(),
            "name": recall.name,
            "description": recall.description,
            "segment": recall.segment,
            "byte_range": [recall.byte_range.0, recall.byte_range.1],
            "score": recall.score,
            "relevance": recall.relevance,
            "source": recall.source.as_str(),
            "label": recall.label,
            "readers": readers(&recall.label),
            "created_at": recall.created_at.to_string(),
            "correlating_ids": recall.correlating_ids.iter().map(ToString::to_string).collect::<Value>(),
        })
    };
    let mut found = json!({"results": recalls.iter().map(recall).collect::<Value>()});
    if let Some(stages) = stages {
        let stage = |stage: &Stage| {
            let candidates = stage.candidates.iter();
            let candidates: Value = candidates
                .map(|candidate| json!({"id": candidate.id.to_string(), "score": candidate.score}))
                .collect();
            json!({
                "name": stage.name,
                "seen": stage.seen,
                "candidates": candidates,
                "duration_us": stage.duration_us,
                "note": stage.note,
            })
        };
        found["stages"] = stages.iter().map(stage).collect();
    }
    found
}
