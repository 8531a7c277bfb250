//! The structured results of the tools, `ToolOutput::data`. These shapes are promises: programs
//! and the plan pipeline read them.

use domain::picture::Picture;
use serde::{Deserialize, Serialize};

/// What something in a folder is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EntryKind {
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A symbolic link, whatever it leads to.
    Link,
    /// A pipe, socket or device.
    Other,
}

/// One line of a listing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListedEntry {
    /// Its name; bytes that are not UTF-8 are replaced.
    pub name: String,
    /// The path to use in the next call: the asked path with the rest behind it.
    pub path: String,
    /// What it is.
    pub kind: EntryKind,
    /// Size, bytes; 0 for a folder.
    pub bytes: u64,
    /// Last change, RFC 3339, UTC.
    pub modified: Option<String>,
}

/// Result of `list_files`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListFiles {
    /// The folder, as asked.
    pub path: String,
    /// What is in it, by path or, if asked, by size, largest first.
    pub entries: Vec<ListedEntry>,
    /// Whether a limit left something out.
    pub truncated: bool,
}

/// Result of `read_file`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadFile {
    /// The file, as asked.
    pub path: String,
    /// The lines asked for, with their line ends; what is not UTF-8 is read as windows-1252.
    pub content: String,
    /// Number of the first line in `content`, from 1; 0 when there is none.
    pub from_line: u64,
    /// Lines in `content`.
    pub line_count: u64,
    /// Lines in the file; a last line without line end counts.
    pub total_lines: u64,
    /// Words in the file: runs without ASCII white space.
    pub total_words: u64,
    /// Size of the file, bytes.
    pub total_bytes: u64,
    /// Whether a limit cut the content short.
    pub truncated: bool,
}

/// Result of `glob`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Glob {
    /// Files that match, by path.
    pub paths: Vec<String>,
    /// Whether a limit left something out.
    pub truncated: bool,
}

/// One line that matches.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GrepMatch {
    /// The file.
    pub path: String,
    /// The line's number, from 1.
    pub line: u64,
    /// The line without its end; of a long one the places that match, with `…` for what is left out.
    pub text: String,
    /// Whether more places of the line match than stand in `text`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_part: bool,
}

/// Result of `grep`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grep {
    /// Lines that match, by path and number.
    pub matches: Vec<GrepMatch>,
    /// Documents (PDF, docx, odt) that were passed over.
    #[serde(default)]
    pub documents: u64,
    /// Whether a limit left something out.
    pub truncated: bool,
}

/// Something that a source file defines.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutlinedSymbol {
    /// The line where it is named, from 1.
    pub line: usize,
    /// How many symbols it stands in.
    pub depth: usize,
    /// Its first lines without its body, as one line.
    pub signature: String,
}

/// What of a source file is shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutlinedFile {
    /// The file.
    pub path: String,
    /// Its symbols, by line.
    pub symbols: Vec<OutlinedSymbol>,
}

/// Result of `outline`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outline {
    /// The file or folder, as asked.
    pub path: String,
    /// The files that are shown, the most referred to first.
    pub files: Vec<OutlinedFile>,
    /// Files with symbols of which none is shown.
    pub files_left: usize,
    /// Symbols that are not shown.
    pub symbols_left: usize,
    /// Files whose parser gave nothing, or that are too large to be parsed.
    pub unread: Vec<String>,
    /// Whether a limit left files out that were not looked at.
    pub truncated: bool,
}

/// Result of `read_document`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadDocument {
    /// The file, as asked.
    pub path: String,
    /// `text`, `html` or `pdf`.
    pub format: String,
    /// Its text; for HTML what a reader sees, headings and lists marked as in Markdown.
    pub content: String,
    /// Whether a limit cut it short.
    pub truncated: bool,
}

/// Result of `write_file`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WriteFile {
    /// The file, as asked.
    pub path: String,
    /// Whether it was not there before.
    pub created: bool,
    /// Its size now, bytes.
    pub bytes: u64,
}

/// Result of `edit_file`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EditFile {
    /// The file, as asked.
    pub path: String,
    /// Numbers of the lines where text was replaced, before the change, from 1.
    pub lines: Vec<u64>,
    /// Whether the text matched to the letter; else white space at line ends differed, or in some
    /// places its typesetting.
    pub exact: bool,
    /// In how many places quotation marks, dashes or kinds of spaces differed.
    pub typeset: u64,
}

/// Result of `apply_patch`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ApplyPatch {
    /// The files that it changed or made, in its order.
    pub files: Vec<PatchedFile>,
}

/// A file of a patch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PatchedFile {
    /// As the patch names it.
    pub path: String,
    /// Whether it was not there before.
    pub created: bool,
    /// How many of its places fitted but for white space.
    #[serde(default, skip_serializing_if = "is_none")]
    pub loose: usize,
}

fn is_none(count: &usize) -> bool {
    *count == 0
}

/// Result of `make_dir`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MakeDir {
    /// The folder, as asked.
    pub path: String,
    /// Whether it was not there before.
    pub created: bool,
}

/// Result of `move_file`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MoveFile {
    /// Where it was, as asked.
    pub from: String,
    /// Where it is, as asked.
    pub to: String,
}

/// Result of `delete_file`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeleteFile {
    /// What was there, as asked.
    pub path: String,
    /// What it was.
    pub kind: EntryKind,
}

/// Result of `undo`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Undo {
    /// The tool whose change was taken back.
    pub tool: String,
    /// What it had changed, absolute; of a patch, its first file.
    pub path: String,
    /// The other files of a patch, absolute.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<String>,
    /// Changes that can still be taken back.
    pub left: usize,
    /// Whether it was as before already, so that nothing was changed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub was_back: bool,
    /// Folders made for the change that stay, since others put something into them; absolute.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stays: Vec<String>,
}

/// Result of `view_image`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ViewImage {
    /// The file, as asked.
    pub path: String,
    /// What is in it.
    #[serde(flatten)]
    pub picture: Picture,
}
