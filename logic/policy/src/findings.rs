//! How a layer states what it found.

use domain::decision::{Finding, Layer, Verdict};
use std::path::Path;

/// A finding with its reasons: for the model, and for the user.
pub(crate) fn finding(
    layer: Layer,
    verdict: Verdict,
    rule: &str,
    model_reason: impl Into<String>,
    user_reason: impl Into<String>,
) -> Finding {
    Finding {
        layer,
        verdict,
        rule: rule.to_owned(),
        model_reason: model_reason.into(),
        user_reason: user_reason.into(),
    }
}

/// A finding that lets the call pass, with what the user is told.
pub(crate) fn allow(layer: Layer, rule: &str, user_reason: impl Into<String>) -> Finding {
    finding(layer, Verdict::Allow, rule, "", user_reason)
}

/// What asks the user for a folder to write in.
pub(crate) fn closed_folder(folder: &Path) -> Finding {
    finding(
        Layer::Path,
        Verdict::Confirm,
        "open_write_root",
        "The user must first open the working folder for writing.",
        format!("{} is not open for writing yet.", folder.display()),
    )
}
