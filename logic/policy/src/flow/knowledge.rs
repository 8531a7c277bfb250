//! What the rules know of a call: where its parts come from, and what was fixed before.

use crate::flow::provenance::Provenance;
use crate::request::Requested;
use crate::table::Tool;
use domain::Timestamp;
use domain::hash::Digest;
use domain::label::{Label, Readers};
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// What of a call was fixed before anything untrusted could have a say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pinned {
    /// Nothing.
    Nothing,
    /// Nothing yet, but it is about to be shown to the user as part of a plan.
    Draft,
    /// That the tool is called: a step of an approved plan that names no arguments.
    Choice,
    /// The whole call: a step of an approved plan, or a call the user allowed as it stands.
    Call,
}

/// What is known of where a call's parts come from.
#[derive(Clone, Copy)]
pub struct Knowledge<'a> {
    /// Where values came from.
    pub provenance: &'a Provenance,
    /// The join of everything the agent has been shown.
    pub context: &'a Label,
    /// Who may learn everything that any agent of the session has been shown: whose model is told by
    /// the same server may be told by it what others read.
    pub company: &'a Readers,
    /// Whether a text holds a secret, which must not leave, or has the shape of one.
    pub is_secret: &'a (dyn Fn(&str) -> bool + Sync),
    /// Labels of the parts that references brought, by JSON pointer into the arguments.
    pub referenced: &'a BTreeMap<String, Label>,
    /// Choices of the turn that rule C questioned and the user did not allow, see
    /// [`crate::Bound::choice_key`].
    pub refused_choices: &'a HashSet<Digest>,
    /// Which effects the user's newest words ask for.
    pub requested: &'a Requested,
    /// The time, UTC.
    pub now: Timestamp,
    /// Whether the call was found in the text of an answer: it may be a quotation.
    pub is_recovered: bool,
    /// Whether rules made the call of the user's newest words, and nothing else chose it.
    pub is_typed: bool,
}

/// A call's standing with the rules.
#[derive(Clone, Copy)]
pub(crate) struct Flow<'a> {
    pub(crate) known: Knowledge<'a>,
    pub(crate) pinned: Pinned,
    /// Targets that lie where the user opened a place for change: named, and thereby endorsed.
    pub(crate) opened: &'a BTreeSet<String>,
    pub(crate) tool: &'a Tool,
    /// Whether the task may still ask others this after something private was read.
    pub(crate) may_inquire: bool,
}
