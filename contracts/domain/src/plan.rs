//! Plans: typed actions with bounded fields. There is no field for a raw command.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A plan: what the user wants, in one sentence, and the steps that do it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// What the user wants, in the planner's words.
    #[schemars(length(min = 1, max = 200))]
    pub intent: String,
    /// The steps, in order.
    #[schemars(length(min = 1, max = 12))]
    pub actions: Vec<Action>,
}

impl Plan {
    /// Whether it takes changes of files back and does nothing else.
    #[must_use]
    pub fn only_takes_back(&self) -> bool {
        let mut actions = self.actions.iter();
        !self.actions.is_empty() && actions.all(|action| *action == Action::Undo {})
    }
}

/// One step of a plan. Paths are relative to the workspace or absolute; `~` is the user's home.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Action {
    /// List a folder.
    ListFiles {
        /// The folder.
        #[schemars(length(min = 1, max = 400))]
        path: String,
    },
    /// Show a folder and what is below it.
    Tree {
        /// The folder.
        #[schemars(length(min = 1, max = 400))]
        path: String,
        /// Levels to go down.
        #[schemars(range(min = 1, max = 8))]
        depth: u32,
    },
    /// Show a whole file, up to the read limit.
    ReadFile {
        /// The file.
        #[schemars(length(min = 1, max = 400))]
        path: String,
    },
    /// Show the first lines of a file.
    Head {
        /// The file.
        #[schemars(length(min = 1, max = 400))]
        path: String,
        /// Number of lines.
        #[schemars(range(min = 1, max = 1000))]
        lines: u32,
    },
    /// Show the last lines of a file.
    Tail {
        /// The file.
        #[schemars(length(min = 1, max = 400))]
        path: String,
        /// Number of lines.
        #[schemars(range(min = 1, max = 1000))]
        lines: u32,
    },
    /// Show lines of a file from one on.
    Excerpt {
        /// The file.
        #[schemars(length(min = 1, max = 400))]
        path: String,
        /// The first of them, counted from 1.
        #[schemars(range(min = 1, max = 100_000_000))]
        from_line: u32,
        /// Number of lines.
        #[schemars(range(min = 1, max = 1000))]
        lines: u32,
    },
    /// Find files whose name matches a pattern with `*` and `?`.
    FindFiles {
        /// The pattern, matched against the file name or, if it has a `/`, the path.
        #[schemars(length(min = 1, max = 200))]
        pattern: String,
        /// The folder to search.
        #[schemars(length(min = 1, max = 400))]
        path: String,
    },
    /// Find lines that contain a text.
    SearchText {
        /// The text, literally.
        #[schemars(length(min = 1, max = 200))]
        query: String,
        /// The folder or file to search.
        #[schemars(length(min = 1, max = 400))]
        path: String,
    },
    /// Count the lines, words and bytes of a file.
    CountLines {
        /// The file.
        #[schemars(length(min = 1, max = 400))]
        path: String,
    },
    /// Show the sizes of files in a folder, largest first.
    FileSizes {
        /// The folder.
        #[schemars(length(min = 1, max = 400))]
        path: String,
    },
    /// Show how two files differ.
    CompareFiles {
        /// The first file.
        #[schemars(length(min = 1, max = 400))]
        left: String,
        /// The second file.
        #[schemars(length(min = 1, max = 400))]
        right: String,
    },
    /// Make a file that does not exist yet.
    CreateFile {
        /// The file.
        #[schemars(length(min = 1, max = 400))]
        path: String,
        /// Its whole content.
        #[schemars(length(max = 4000))]
        content: String,
    },
    /// Add text at the end of a file.
    AppendText {
        /// The file.
        #[schemars(length(min = 1, max = 400))]
        path: String,
        /// The text to add.
        #[schemars(length(min = 1, max = 4000))]
        content: String,
    },
    /// Replace every occurrence of a text in a file.
    ReplaceText {
        /// The file.
        #[schemars(length(min = 1, max = 400))]
        path: String,
        /// The text to find, literally.
        #[schemars(length(min = 1, max = 1000))]
        old: String,
        /// The text to put in its place.
        #[schemars(length(max = 1000))]
        new: String,
    },
    /// Make a folder.
    MakeDir {
        /// The folder.
        #[schemars(length(min = 1, max = 400))]
        path: String,
    },
    /// Move or rename a file or folder.
    MoveFile {
        /// What to move.
        #[schemars(length(min = 1, max = 400))]
        from: String,
        /// Where to.
        #[schemars(length(min = 1, max = 400))]
        to: String,
    },
    /// Delete a file or an empty folder.
    DeleteFile {
        /// What to delete.
        #[schemars(length(min = 1, max = 400))]
        path: String,
    },
    /// Take back this session's last file change.
    Undo {},
    /// Keep something in memory for later sessions.
    Remember {
        /// What to keep, in the user's words.
        #[schemars(length(min = 1, max = 4000))]
        text: String,
    },
    /// Show what memory holds about something.
    Recall {
        /// What it is about.
        #[schemars(length(min = 1, max = 400))]
        query: String,
    },
    /// Search the web. The query leaves the house.
    WebSearch {
        /// What to look for.
        #[schemars(length(min = 1, max = 200))]
        query: String,
    },
    /// Answer a question from what the steps before it showed.
    Answer {
        /// The question.
        #[schemars(length(min = 1, max = 400))]
        question: String,
    },
}

impl Action {
    /// The `kind` tag.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::ListFiles { .. } => "list_files",
            Self::Tree { .. } => "tree",
            Self::ReadFile { .. } => "read_file",
            Self::Head { .. } => "head",
            Self::Tail { .. } => "tail",
            Self::Excerpt { .. } => "excerpt",
            Self::FindFiles { .. } => "find_files",
            Self::SearchText { .. } => "search_text",
            Self::CountLines { .. } => "count_lines",
            Self::FileSizes { .. } => "file_sizes",
            Self::CompareFiles { .. } => "compare_files",
            Self::CreateFile { .. } => "create_file",
            Self::AppendText { .. } => "append_text",
            Self::ReplaceText { .. } => "replace_text",
            Self::MakeDir { .. } => "make_dir",
            Self::MoveFile { .. } => "move_file",
            Self::DeleteFile { .. } => "delete_file",
            Self::Undo {} => "undo",
            Self::Remember { .. } => "remember",
            Self::Recall { .. } => "recall",
            Self::WebSearch { .. } => "web_search",
            Self::Answer { .. } => "answer",
        }
    }
}
