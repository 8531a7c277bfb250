//! Questions to the user, and their answers.

use crate::hash::Digest;
use crate::id::{BatchId, ConfirmationId};
use crate::lineage::{AgentType, Lineage};
use crate::tool::EffectClass;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// What a question to the user is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ConfirmationKind {
    /// One tool call.
    Call,
    /// A whole plan.
    Plan,
    /// One tool call in a folder that is not open for writing. A yes once is for the call alone; a
    /// yes for the session opens the folder as well.
    WriteRoot,
}

/// A place among things that belong together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Batch {
    /// Which things.
    pub batch_id: BatchId,
    /// Which of them this is, from 0.
    pub position: u32,
    /// How many there are, as far as is known by now; 1 or more.
    pub size: u32,
}

/// A question to the user, in the broker's own rendering.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ConfirmationRequest {
    /// Answer with this id.
    pub confirmation_id: ConfirmationId,
    /// What it is about.
    pub kind: ConfirmationKind,
    /// Who asks.
    pub agent_type: AgentType,
    /// The chain from the root to who asks; empty when it is not known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lineage: Lineage,
    /// The related questions it waits with: a surface shows them as one, and each is still answered
    /// for itself, with its own binding. `None` for what stands alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub batch: Option<Batch>,
    /// What it does to the world: the strictest class of all calls in question.
    pub effect: EffectClass,
    /// Why it is asked.
    pub reason: String,
    /// Everything that will happen: tool and full arguments (or the whole plan), with unprintable
    /// and bidirectional characters escaped. Plain text, several lines.
    pub rendering: String,
    /// A unified diff of the change that a call would make, when one can be computed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
    /// The same for each step of a plan that changes something, in the order of the steps. The rendering
    /// has the steps by their numbers: the first line of each begins with it, as in `3. `.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<StepChange>,
    /// What the answer approves. An answer that names another binding is refused.
    pub binding: Digest,
    /// When silence becomes a no, UTC.
    pub expires: Timestamp,
}

impl ConfirmationRequest {
    /// All changes of files that it shows: that of a call, or those of a plan's steps in their order.
    pub fn diffs(&self) -> impl Iterator<Item = &str> {
        let steps = self.steps.iter().map(|step| step.diff.as_str());
        self.diff.as_deref().into_iter().chain(steps)
    }
}

/// What a step of a plan would change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepChange {
    /// Which step, from 0.
    pub step: u32,
    /// A unified diff, or in a sentence why none is shown.
    pub diff: String,
}

/// The user's answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "answer")]
pub enum ConfirmationAnswer {
    /// Yes, this once.
    Once,
    /// Yes, and again in this session for the same tool on the same target.
    Session,
    /// No.
    Deny {
        /// What to tell the agent; empty for nothing.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        message: String,
    },
}
