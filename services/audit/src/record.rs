//! The form of a record's body on disk: one JSON object, fields in this order, no white space.
//! Every field's name is a promise. Sequence, monotonic time and chain stand in the frame.

use crate::checkpoint::{NOTE_BYTES, SigningKey};
use crate::place::Place;
use crate::segment::LogId;
use crate::tree::Frontier;
use api::audit::{Entry, ModelCall};
use domain::Timestamp;
use domain::decision::{Layer, Verdict};
use domain::event::CallStatus;
use domain::hash::Digest;
use domain::id::{AgentId, CallId, SessionId};
use domain::label::{Label, Readers};
use domain::limits::{AUDIT_NAME_CHARS, AUDIT_NAMES};
use domain::lineage::{AgentType, Lineage};
use domain::tool::ToolName;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// One record's body.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Record {
    /// Wall time, UTC.
    pub time: Timestamp,
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

impl From<Entry> for Record {
    fn from(entry: Entry) -> Self {
        let (verdict, layer) = match entry.decision {
            Some((verdict, layer)) => (Some(verdict), Some(layer)),
            None => (None, None),
        };
        Self {
            time: entry.time,
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
            label: entry.label.map(short_label),
            status: entry.status,
            duration_ms: entry.duration_ms,
            model_call: entry.model_call.map(model_call_form),
            detail: plain(&entry.detail),
        }
    }
}

/// Keeps a terminal that shows the text from being written to by it, and a record from growing.
fn plain(text: &str) -> String {
    let is_plain = |c: &char| !c.is_control();
    text.chars()
        .filter(is_plain)
        .take(AUDIT_NAME_CHARS)
        .collect()
}

fn short_label(label: Label) -> Label {
    Label {
        readers: match label.readers {
            Readers::Only(names) => Readers::Only(short_names(names)),
            other => other,
        },
        origins: short_names(label.origins),
        // Which of them were trusted is told by the label of each.
        trusted_origins: BTreeSet::new(),
        ..label
    }
}

/// The first names of a list, and how many more there are.
fn short_names(names: BTreeSet<String>) -> BTreeSet<String> {
    let more = names.len().saturating_sub(AUDIT_NAMES);
    let mut kept: BTreeSet<String> = names.iter().take(AUDIT_NAMES).map(|n| plain(n)).collect();
    if more > 0 {
        kept.insert(format!("… and {more} more"));
    }
    kept
}

fn model_call_form(call: ModelCall) -> ModelCallForm {
    ModelCallForm {
        model: plain(&call.model.to_string()),
        prompt_tokens: call.prompt_tokens,
        completion_tokens: call.completion_tokens,
        prompt_hash: call.prompt_hash,
        answer_hash: call.answer_hash,
    }
}

/// The mark: where the next start begins to look at the newest segment, so that it need not read
/// all of it: at the newest batch of records. It is sealed with the log's key, since what a start
/// takes from it is signed in the next checkpoint. `verify` never reads it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Mark {
    log: String,
    /// The segment, by its first record.
    pub(crate) segment: u64,
    /// Where in it the next frame begins, bytes.
    pub(crate) offset: u64,
    /// Records up to there.
    pub(crate) size: u64,
    /// The chain hash of the last of them.
    pub(crate) chain: Digest,
    /// Earliest and latest wall time in this segment, nanoseconds since 1970.
    pub(crate) times: (i64, i64),
    peaks: Vec<Digest>,
}

impl Mark {
    pub(crate) fn new(log: LogId, segment: u64, at: &Place) -> Self {
        let peaks = at
            .frontier
            .peaks()
            .iter()
            .map(|node| Digest::from_bytes(*node))
            .collect();
        Self {
            log: log.text(),
            segment,
            offset: at.offset,
            size: at.frontier.size(),
            chain: at.chain,
            times: (at.times.earliest, at.times.latest),
            peaks,
        }
    }

    /// A line of JSON and, before it, its seal.
    pub(crate) fn to_text(&self, key: &SigningKey) -> Result<String, serde_json::Error> {
        let line = serde_json::to_string(self)?;
        Ok(format!("{}\n{line}\n", key.seal(line.as_bytes())))
    }

    /// Reads a mark of this log; `None` for anything else.
    pub(crate) fn from_text(text: &str, log: LogId, key: &SigningKey) -> Option<(Self, Frontier)> {
        let (digest, line) = text
            .trim_end()
            .split_once('\n')
            .filter(|_| text.len() < NOTE_BYTES)?;
        // Compared as hashes, which takes the same time wherever they differ.
        let seal: Digest = digest.parse().ok()?;
        if blake3::Hash::from_bytes(*seal.as_bytes()) != *key.seal(line.as_bytes()).as_bytes() {
            return None;
        }
        let mark: Self = match serde_json::from_str(line) {
            Ok(mark) => mark,
            Err(error) => {
                tracing::debug!(%error, "the audit log's mark is not understood");
                return None;
            }
        };
        let peaks = mark.peaks.iter().map(|node| *node.as_bytes()).collect();
        let frontier = Frontier::stored(mark.size, peaks)?;
        (mark.log == log.text()).then_some((mark, frontier))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use api::audit::Action;
    use domain::limits::AUDIT_RECORD_BYTES;

    #[test]
    fn a_label_at_the_limit_is_kept_and_a_longer_one_is_counted() {
        let label = |count: usize| {
            let mut label = Label::nothing();
            label.origins = (0..count).map(|n| format!("file:{n:04}")).collect();
            short_label(label).origins
        };
        assert_eq!(label(AUDIT_NAMES).len(), AUDIT_NAMES);
        let more = label(AUDIT_NAMES + 2);
        assert_eq!(more.len(), AUDIT_NAMES + 1);
        assert!(more.contains("… and 2 more"));
    }

    #[test]
    fn the_longest_record_fits() {
        let names: BTreeSet<String> = (0..1_000)
            .map(|n| format!("{n:04}{}", "\"".repeat(500)))
            .collect();
        let mut entry = Entry::new(Timestamp::UNIX_EPOCH, Action::Decide);
        entry.label = Some(Label {
            readers: Readers::Only(names.clone()),
            origins: names,
            ..Label::nothing()
        });
        entry.detail = "\u{1f600}".repeat(10_000);
        let body = serde_json::to_string(&Record::from(entry)).unwrap();
        assert!(body.len() <= AUDIT_RECORD_BYTES, "{}", body.len());
    }
}
