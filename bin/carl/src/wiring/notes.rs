//! The project notes that agents are shown.

use agents::notes::{Found, Notes, Standing};
use std::path::Path;
use terminal::notes::{self, Used, Vouched};

/// What an agent in this folder is shown, by what the user said of each version.
#[must_use]
pub fn found(workspace: &Path, vouched: &Vouched) -> Found {
    let Used { files, left_out } = notes::used(workspace, vouched);
    let notes = files.into_iter().map(|(file, is_trusted)| Notes {
        name: file.name,
        version: file.version,
        bytes: file.bytes,
        text: file.text,
        standing: match is_trusted {
            true => Standing::Trusted,
            false => Standing::Untrusted,
        },
    });
    Found {
        notes: notes.collect(),
        left_out,
    }
}
