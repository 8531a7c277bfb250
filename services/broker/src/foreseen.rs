//! What a step of a plan came to when the user was asked about the plan. The yes was for that: a step
//! that comes to something else when its turn is there, since an earlier step or somebody else has
//! put other files in its way, is asked about by itself.

use api::executor::ToolFailure;
use domain::decision::{Finding, Layer, Verdict};
use domain::hash::Digest;

/// How a preview's line begins that says which folder is made. No line of a diff begins so.
const MAKES_FOLDER: &str = "make the folder ";

const DIFFERS: &str = "Your yes did not show this change: it builds on an earlier one, or the files \
                       have changed since.";

/// What a step comes to with the files as they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Foreseen {
    /// A change that was shown, by its digest, or one that its arguments tell whole.
    Change(Option<Digest>),
    /// Where it lands, by [`crate::approvals::in_truth`]; what it comes to builds on an earlier step.
    Lands(Digest),
    /// Nothing could be shown: it builds on an earlier step.
    Unknown,
}

impl Foreseen {
    pub(crate) fn of(preview: &Result<Option<String>, ToolFailure>) -> Self {
        match preview {
            Ok(change) => Self::Change(change.as_ref().map(|it| digest(it))),
            Err(_fails_or_builds_on_another) => Self::Unknown,
        }
    }

    /// Whether what it comes to now is what was shown.
    pub(crate) fn is_still(self, now: Self) -> bool {
        self == now && now != Self::Unknown
    }
}

/// Whether a change is the one that was shown, but for folders that it made then and that are there by
/// now.
pub(crate) fn is_same_change(shown: Option<&str>, now: Option<&str>) -> bool {
    shown.map(digest) == now.map(digest)
}

/// The digest of a change, but for the folders that it makes, which an earlier step may have made.
fn digest(change: &str) -> Digest {
    let is_change = |line: &&str| !line.starts_with(MAKES_FOLDER);
    let lines: Vec<&str> = change.lines().filter(is_change).collect();
    Digest::of(lines.join("\n").as_bytes())
}

/// Why a step of an approved plan, or one of several calls with a yes, is asked about by itself.
pub(crate) fn differs_from_shown() -> Finding {
    Finding {
        layer: Layer::Integrity,
        verdict: Verdict::Confirm,
        rule: "differs_from_shown".to_owned(),
        model_reason: "The user is asked about this by itself.".to_owned(),
        user_reason: DIFFERS.to_owned(),
    }
}
