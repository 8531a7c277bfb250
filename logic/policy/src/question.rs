//! What the policy is asked.

use crate::flow::Knowledge;
use crate::history::TaskHistory;
use crate::standing::Standing;
use domain::Timestamp;
use domain::hash::Digest;
use domain::settings::SessionSettings;
use serde_json::Value;
use std::collections::{BTreeSet, HashSet};
use std::path::PathBuf;

/// What the user has already said yes to, where this call is concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cover {
    /// Nothing.
    Nothing,
    /// Exactly this call.
    ThisCall,
    /// Exactly this call, which the user typed: no agent chose it.
    Typed,
    /// Nothing yet, but the call is a step of a plan about to be shown as a whole.
    PlanDraft,
    /// The call's tool is a step of an approved plan that names no arguments.
    PlanTool,
    /// The call is a step of an approved plan.
    PlanStep,
}

/// What the user allowed for a whole session.
#[derive(Debug, Clone, Default)]
pub struct Allowed {
    /// Tools with their targets, see [`crate::Bound::approval_key`], and whole calls, see
    /// [`crate::Bound::repeat_key`].
    pub calls: HashSet<Digest>,
    /// Folders whose files may be changed without a further question of the safety gate.
    pub folders: BTreeSet<PathBuf>,
}

/// A call to be judged, with everything the decision depends on.
#[derive(Clone, Copy)]
pub struct Question<'a> {
    /// The tool asked for.
    pub tool: &'a str,
    /// Its arguments.
    pub arguments: &'a Value,
    /// Who asks.
    pub standing: &'a Standing,
    /// The user's ceiling.
    pub settings: &'a SessionSettings,
    /// Folders the user opened for writing when asked.
    pub opened: &'a BTreeSet<PathBuf>,
    /// What the user allowed for the whole session.
    pub allowed: &'a Allowed,
    /// What the user has said about this call.
    pub cover: Cover,
    /// Where the call's parts come from.
    pub flow: Knowledge<'a>,
    /// What the task has called so far.
    pub history: &'a TaskHistory,
    /// The time, UTC.
    pub now: Timestamp,
}
