//! What the policy answers.

use crate::findings::closed_folder;
use domain::decision::{Decision, Finding, Verdict};
use domain::hash::Digest;
use domain::tool::{EffectClass, TargetKind};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A call whose tool and arguments are understood.
#[derive(Debug, Clone, PartialEq)]
pub struct Bound {
    /// The tool's place in the table.
    pub tool: usize,
    /// What it does to the world.
    pub effect: EffectClass,
    /// Arguments that name paths, absolute and normalised, by argument name; those of a list by
    /// `NAME/INDEX`.
    pub targets: BTreeMap<String, (TargetKind, PathBuf)>,
    /// Folders and files that may be looked at, absolute; the workspace first.
    pub read_roots: Vec<PathBuf>,
    /// Folders and files that may be changed, absolute.
    pub write_roots: Vec<PathBuf>,
    /// Equal for calls that do the same: what loops are found by.
    pub repeat_key: Digest,
    /// Equal for calls of one tool on the same targets, and for programs that are run and calls
    /// without a target where all arguments are equal: what a no to a choice covers.
    pub choice_key: Digest,
    /// Equal for changes of the same files by one tool, and for other effects only where
    /// [`Bound::repeat_key`] is: what an answer for the session covers.
    pub approval_key: Digest,
}

impl Bound {
    /// Whether the call changes files by their names and does nothing else to the world, each of
    /// them within one of the folders. A deletion is no such change.
    pub fn changes_within<F: AsRef<Path>>(&self, folders: impl IntoIterator<Item = F>) -> bool {
        let folders: Vec<F> = folders.into_iter().collect();
        let is_within = |path: &Path| folders.iter().any(|folder| path.starts_with(folder));
        let mut changed = self.changed_files().peekable();
        self.effect == EffectClass::SharedWrite
            && changed.peek().is_some()
            && changed.all(is_within)
    }

    /// The files and folders that it changes, by the names of the call.
    pub fn changed_files(&self) -> impl Iterator<Item = &Path> {
        let named = self.targets.values();
        named
            .filter(|(kind, _)| *kind == TargetKind::WritePath)
            .map(|(_, path)| path.as_path())
    }
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
    /// Whether it asks others something after what is not theirs was read.
    pub is_private_inquiry: bool,
}

impl Judgement {
    /// The judgement of a call that is not understood.
    pub(crate) fn not_understood(finding: Finding) -> Self {
        Self {
            findings: vec![finding],
            bound: None,
            write_root: None,
            is_untrusted_choice: false,
            is_private_inquiry: false,
        }
    }

    /// Whether the call was understood and only reads.
    #[must_use]
    pub fn only_looks(&self) -> bool {
        let bound = self.bound.as_ref();
        bound.is_some_and(|bound| bound.effect == EffectClass::Read)
    }

    /// Has the user asked to open a folder for the call, which names no path itself.
    pub fn ask_to_open(&mut self, folder: PathBuf) {
        self.add(closed_folder(&folder));
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
