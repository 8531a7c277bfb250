//! The form of a record on disk: one JSON object a line. Every field's name is a promise.

use crate::error::Error;
use api::audit::{Entry, ModelCall};
use domain::Timestamp;
use domain::decision::{Layer, Verdict};
use domain::event::CallStatus;
use domain::hash::Digest;
use domain::id::{AgentId, CallId, SessionId};
use domain::label::Label;
use domain::lineage::{AgentType, Lineage};
use domain::tool::ToolName;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

/// One record. `previous` chains it to the line before: BLAKE3 over that line's bytes without its
/// line feed, and 32 zero bytes for the first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Record {
    /// From 1, without gaps.
    pub sequence: u64,
    /// Wall time, UTC.
    pub time: Timestamp,
    /// Time since the machine started, nanoseconds; shows a wall clock that was turned back.
    pub monotonic_ns: u64,
    /// The session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// The acting agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<AgentId>,
    /// Its type.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_type: Option<AgentType>,
    /// Its lineage, root first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lineage: Lineage,
    /// What was decided or done: the words of [`api::audit::Action::as_str`].
    pub action: String,
    /// The call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call_id: Option<CallId>,
    /// The tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<ToolName>,
    /// Keyed digest of the arguments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub params_hash: Option<Digest>,
    /// The verdict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Verdict>,
    /// The layer that decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layer: Option<Layer>,
    /// The labels in play.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<Label>,
    /// How the call ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<CallStatus>,
    /// How long it took, milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
    /// The model call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model_call: Option<ModelCallForm>,
    /// A few fixed words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub detail: String,
    /// The line before.
    pub previous: Digest,
}

/// A model call on disk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelCallForm {
    /// `provider/model`.
    pub model: String,
    /// Tokens of the prompt.
    pub prompt_tokens: u64,
    /// Tokens of the answer.
    pub completion_tokens: u64,
    /// Digest of the prompt.
    pub prompt_hash: Digest,
    /// Digest of the answer.
    pub answer_hash: Digest,
}

/// Longest `detail` kept, characters: it is for a few fixed words.
const DETAIL_CHARS: usize = 200;

impl Record {
    /// The record of an entry at its place in the chain.
    #[must_use]
    pub fn of(entry: Entry, sequence: u64, monotonic_ns: u64, previous: Digest) -> Self {
        let (verdict, layer) = match entry.decision {
            Some((verdict, layer)) => (Some(verdict), Some(layer)),
            None => (None, None),
        };
        Self {
            sequence,
            time: entry.time,
            monotonic_ns,
            session_id: entry.session_id,
            agent_id: entry.agent_id,
            agent_type: entry.agent_type,
            lineage: entry.lineage,
            action: entry.action.as_str().to_owned(),
            call_id: entry.call_id,
            tool: entry.tool,
            params_hash: entry.params_hash,
            verdict,
            layer,
            label: entry.label,
            status: entry.status,
            duration_ms: entry.duration_ms,
            model_call: entry.model_call.map(model_call_form),
            detail: plain(&entry.detail),
            previous,
        }
    }
}

/// Keeps a terminal that shows the record from being written to by it.
fn plain(detail: &str) -> String {
    let is_plain = |c: &char| !c.is_control();
    detail.chars().filter(is_plain).take(DETAIL_CHARS).collect()
}

fn model_call_form(call: ModelCall) -> ModelCallForm {
    ModelCallForm {
        model: call.model.to_string(),
        prompt_tokens: call.prompt_tokens,
        completion_tokens: call.completion_tokens,
        prompt_hash: call.prompt_hash,
        answer_hash: call.answer_hash,
    }
}

/// Reads a log file, oldest record first, without holding more than one record. A last line that
/// is still being written is left out.
///
/// # Errors
/// [`Error`] when the file cannot be opened; each item, when it cannot be read or is no record.
pub fn read(path: &Path) -> Result<impl Iterator<Item = Result<Record, Error>> + use<>, Error> {
    let io = |path: &Path, source| Error::Io {
        path: path.to_path_buf(),
        doing: "read",
        source,
    };
    let file = File::open(path).map_err(|e| io(path, e))?;
    let mut reader = BufReader::new(file);
    let path = path.to_path_buf();
    let mut number = 0;
    Ok(std::iter::from_fn(move || {
        let mut line = Vec::new();
        number += 1;
        match reader.read_until(b'\n', &mut line) {
            Err(source) => Some(Err(io(&path, source))),
            Ok(_) if line.last() != Some(&b'\n') => None,
            Ok(_) => Some(
                serde_json::from_slice(&line).map_err(|source| Error::Damaged {
                    path: path.clone(),
                    line: number,
                    source,
                }),
            ),
        }
    }))
}
