//! What the steps of a plan before a given one change. A step whose files none of them touches finds
//! them as they are now, so that what it would come to is known before anyone is asked.

use crate::approvals::Places;
use domain::tool::{EffectClass, TargetKind};
use policy::Bound;
use std::path::{Path, PathBuf};

/// What the steps so far change.
#[derive(Debug, Default)]
pub(super) struct Earlier {
    paths: Vec<PathBuf>,
    /// Whether one of them may change anything, such as a program.
    is_open: bool,
}

impl Earlier {
    /// Takes a step in, with where its paths really lead.
    pub(super) fn add(&mut self, bound: &Bound, places: &Places) {
        match bound.effect {
            EffectClass::Read | EffectClass::SelfWrite => {}
            EffectClass::SharedWrite | EffectClass::Destructive if is_of_files(bound) => {
                self.paths.extend(paths(bound, places).map(Path::to_owned));
            }
            _ => self.is_open = true,
        }
    }

    /// Whether a step may come to something else once those before it are done.
    pub(super) fn may_matter_to(&self, bound: &Bound, places: &Places) -> bool {
        if self.is_open || (!self.paths.is_empty() && !is_of_files(bound)) {
            return true;
        }
        let is_related =
            |one: &Path, other: &Path| one.starts_with(other) || other.starts_with(one);
        paths(bound, places).any(|path| self.paths.iter().any(|earlier| is_related(path, earlier)))
    }

    /// Whether what a step deletes is not what is there now: an earlier step of the plan changes it.
    pub(super) fn hides(&self, bound: &Bound, places: &Places) -> bool {
        let is_deletion = bound.effect == EffectClass::Destructive && is_of_files(bound);
        is_deletion && self.may_matter_to(bound, places)
    }
}

/// Whether a call names the files that it is about.
fn is_of_files(bound: &Bound) -> bool {
    let mut kinds = bound.targets.values().map(|(kind, _)| kind);
    let is_file = |kind: &TargetKind| matches!(kind, TargetKind::ReadPath | TargetKind::WritePath);
    !bound.targets.is_empty() && kinds.all(is_file)
}

/// The paths of a call as it names them, and in truth: a link may lead two names to one file.
fn paths<'a>(bound: &'a Bound, places: &'a Places) -> impl Iterator<Item = &'a Path> {
    let named = bound.targets.values().map(|(_, path)| path.as_path());
    named.chain(places.values().map(PathBuf::as_path))
}
