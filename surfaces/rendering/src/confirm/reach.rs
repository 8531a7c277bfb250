//! What a yes for the session covers, as the broker says it.

use domain::event::{ConfirmationKind, ConfirmationRequest};
use session::CHANGES;
pub(super) use session::SESSION_REACH;
use std::collections::BTreeSet;
use text::escape::visible;

/// Whether a yes may open a folder.
pub(super) fn opens_folder(requests: &[ConfirmationRequest]) -> bool {
    let mut kinds = requests.iter().map(|request| request.kind);
    kinds.any(|kind| kind == ConfirmationKind::WriteRoot)
}

/// What a yes for the session to a request covers, as the broker says it; `None`: no more than this
/// once.
pub(super) fn reach(request: &ConfirmationRequest) -> Option<String> {
    let mut lines = request.rendering.lines();
    let line = lines.find(|line| line.starts_with(SESSION_REACH))?;
    Some(visible(line))
}

/// What a yes for the session covers, where the requests offer one.
pub(super) fn reaches(requests: &[ConfirmationRequest]) -> BTreeSet<String> {
    if requests.len() > 1 && !opens_folder(requests) && !share_reach(requests) {
        return BTreeSet::new();
    }
    requests.iter().filter_map(reach).collect()
}

/// Whether a yes for the session covers the same for each of several requests: the changes in one
/// folder. What else it covers depends on each request.
pub fn share_reach(requests: &[ConfirmationRequest]) -> bool {
    let of_changes = |request| {
        let reach = reach(request)?;
        let folder = reach.strip_prefix(SESSION_REACH)?.strip_prefix(CHANGES)?;
        Some(folder.to_owned())
    };
    let mut folders = requests.iter().map(of_changes);
    let first = folders.next().flatten();
    first.is_some() && folders.all(|other| other == first)
}
