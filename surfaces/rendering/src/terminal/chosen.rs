//! Who works on a request and how, said when it is news.

use domain::settings::Mode;
use std::collections::{BTreeMap, BTreeSet};
use text::escape::visible_line;

/// What was said of models and modes so far.
#[derive(Debug, Default)]
pub(super) struct Chosen {
    /// The model that answered last at each depth.
    models: BTreeMap<usize, String>,
    /// Every reason that was shown.
    reasons: BTreeSet<String>,
}

impl Chosen {
    /// Which model answers, when that changes, and why, when that was not said before.
    pub(super) fn model(&mut self, depth: usize, model: &str, reason: &str) -> Option<String> {
        let shown = visible_line(model);
        let line = format!("{shown} ({})", visible_line(reason));
        let is_other = self.models.insert(depth, shown.clone()).as_ref() != Some(&shown);
        match (self.reasons.insert(line.clone()), is_other) {
            (true, _) => Some(line),
            (false, true) => Some(shown),
            (false, false) => None,
        }
    }

    /// Which mode was chosen. That the rules do a request is said each time: no model is named then.
    pub(super) fn mode(&mut self, mode: Mode, reason: &str) -> Option<String> {
        let line = visible_line(reason);
        let is_new = self.reasons.insert(line.clone());
        (is_new || mode == Mode::Deterministic).then_some(line)
    }
}
