//! What the policy is asked and what it answers.

use crate::flow::Knowledge;
use crate::history::TaskHistory;
use crate::layers;
use crate::standing::Standing;
use domain::Timestamp;
use domain::decision::{Decision, Finding, Verdict};
use domain::hash::Digest;
use domain::settings::SessionSettings;
use domain::tool::{EffectClass, TargetKind};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::PathBuf;

/// What the user has already said yes to, where this call is concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cover {
    /// Nothing.
    Nothing,
    /// Exactly this call.
    ThisCall,
    /// Nothing yet, but the call is a step of a plan about to be shown as a whole.
    PlanDraft,
    /// The call's tool is a step of an approved plan that names no arguments.
    PlanTool,
    /// The call is a step of an approved plan.
    PlanStep,
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
    /// What the user allowed for the whole session: tools with their targets, see
    /// [`Bound::approval_key`], and whole calls, see [`Bound::repeat_key`].
    pub approvals: &'a HashSet<Digest>,
    /// What the user has said about this call.
    pub cover: Cover,
    /// Where the call's parts come from.
    pub flow: Knowledge<'a>,
    /// What the task has called so far.
    pub history: &'a TaskHistory,
    /// The time, UTC.
    pub now: Timestamp,
}

/// A call whose tool and arguments are understood.
#[derive(Debug, Clone, PartialEq)]
pub struct Bound {
    /// The tool's place in the table.
    pub tool: usize,
    /// What it does to the world.
    pub effect: EffectClass,
    /// Arguments that name paths, absolute and normalised, by argument name.
    pub targets: BTreeMap<String, (TargetKind, PathBuf)>,
    /// Folders and files that may be looked at, absolute; the workspace first.
    pub read_roots: Vec<PathBuf>,
    /// Folders and files that may be changed, absolute.
    pub write_roots: Vec<PathBuf>,
    /// Equal for calls that do the same: what loops are found by.
    pub repeat_key: Digest,
    /// Where the call tells something: what an order of the user's stands in for once.
    pub places: BTreeSet<Digest>,
    /// Equal for calls of one tool on the same targets, and for calls without a target where all
    /// arguments are equal: what a no to a choice covers.
    pub choice_key: Digest,
    /// Equal for changes of the same files by one tool, for commands of one program and subcommand,
    /// and for other effects only where [`Bound::repeat_key`] is: what an answer for the session
    /// covers.
    pub approval_key: Digest,
}

/// Every layer's view of a call.
#[derive(Debug, Clone, PartialEq)]
pub struct Judgement {
    /// In layer order.
    pub findings: Vec<Finding>,
    /// The call as understood; `None` when its tool or arguments are not.
    pub bound: Option<Bound>,
    /// The folder to open for writing, when that is to be asked.
    pub write_root: Option<PathBuf>,
    /// Whether an agent that read untrusted content chose it, be that the rule that decided or not.
    pub is_untrusted_choice: bool,
    /// Whether the user's own words stand in for an answer to it.
    pub is_as_requested: bool,
    /// Whether it asks others something after what is not theirs was read.
    pub is_private_inquiry: bool,
}

impl Judgement {
    /// Whether the call was understood and only reads.
    #[must_use]
    pub fn only_looks(&self) -> bool {
        let bound = self.bound.as_ref();
        bound.is_some_and(|bound| bound.effect == EffectClass::Read)
    }

    /// Has the user asked to open a folder for the call, which names no path itself.
    pub fn ask_to_open(&mut self, folder: PathBuf) {
        self.add(layers::places::closed_folder(&folder));
        self.write_root = Some(folder);
    }

    /// The strictest verdict so far.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        self.findings
            .iter()
            .map(|finding| finding.verdict)
            .max()
            .unwrap_or(Verdict::Deny)
    }

    /// Adds what another check found: it takes the place of the layer's finding when it is
    /// stricter.
    pub fn add(&mut self, finding: Finding) {
        let place = self.findings.iter_mut().find(|f| f.layer == finding.layer);
        match place {
            Some(found) if found.verdict >= finding.verdict => {}
            Some(found) => *found = finding,
            None => {
                self.findings.push(finding);
                self.findings.sort_by_key(|f| f.layer);
            }
        }
    }

    /// The decision: the strictest finding.
    #[must_use]
    pub fn decision(&self) -> Decision {
        Decision::strictest(self.findings.clone())
    }
}
