//! The tools that look and change nothing.

pub(crate) mod document;
mod encoded;
mod excerpt;
pub(crate) mod glob;
pub(crate) mod grep;
pub(crate) mod html;
pub(crate) mod image;
pub(crate) mod list;
pub(crate) mod opened;
pub(crate) mod outline;
pub(crate) mod read;
pub(crate) mod scan;

use crate::record::EntryKind;
use rustix::fs::FileType;
use std::path::Path;
use text::escape::visible_line;

/// The path to use in the next call: the asked folder with the rest behind it.
pub(crate) fn joined(typed: &str, rest: &Path) -> String {
    let rest = rest.to_string_lossy();
    match typed {
        "." | "./" | "" => rest.into_owned(),
        _ if rest.is_empty() => typed.to_owned(),
        _ => format!("{}/{rest}", typed.trim_end_matches('/')),
    }
}

pub(crate) fn entry_kind(kind: FileType) -> EntryKind {
    match kind {
        FileType::RegularFile => EntryKind::File,
        FileType::Directory => EntryKind::Folder,
        FileType::Symlink => EntryKind::Link,
        _ => EntryKind::Other,
    }
}

/// Paths one a line, safe to show, or the sentence for none, and a note when some are missing.
pub(crate) fn lines_or(lines: impl Iterator<Item = String>, none: &str, truncated: bool) -> String {
    let mut text: String = lines.map(|line| visible_line(&line) + "\n").collect();
    if text.is_empty() {
        text = format!("{none}\n");
    }
    if truncated {
        text.push_str("(not everything: a limit was reached; ask for less)\n");
    }
    text
}
