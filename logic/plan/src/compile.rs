//! From actions to tool calls: the only place where an action becomes something that runs.

use domain::plan::{Action, Plan};
use domain::tool::{SAVE_MEMORY, SEARCH_MEMORY, UNDO, WEB_SEARCH};
use serde_json::{Value, json};

/// Levels a size listing goes down.
pub const SIZES_DEPTH: u32 = 8;

/// Words of a text that become its name in memory.
const NAME_WORDS: usize = 8;
/// Longest such name, characters.
const NAME_CHARS: usize = 80;

/// One tool call of a plan, with its final arguments.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    /// The tool's name.
    pub tool: &'static str,
    /// Its arguments.
    pub arguments: Value,
}

/// The calls of a whole plan: one list an action, in order. [`Action::Answer`] has none.
#[must_use]
pub fn plan(plan: &Plan) -> Vec<Vec<Call>> {
    plan.actions.iter().map(action).collect()
}

/// The calls of one action.
#[must_use]
pub fn action(action: &Action) -> Vec<Call> {
    match action {
        Action::ListFiles { path } => one("list_files", json!({ "path": path, "depth": 1 })),
        Action::Tree { path, depth } => one("list_files", json!({ "path": path, "depth": depth })),
        Action::FileSizes { path } => one(
            "list_files",
            json!({ "path": path, "depth": SIZES_DEPTH, "sort": "size" }),
        ),
        // Of a document as much is read for a part, or to search it, as for the whole.
        Action::ReadFile { path }
        | Action::CountLines { path }
        | Action::Head { path, .. }
        | Action::Tail { path, .. }
        | Action::Excerpt { path, .. }
        | Action::SearchText { path, .. }
            if is_document(path) =>
        {
            one("read_document", json!({ "path": path }))
        }
        Action::ReadFile { path } | Action::CountLines { path } => vec![read_whole(path)],
        Action::Head { path, lines } => one(
            "read_file",
            json!({ "path": path, "from_line": 1, "line_count": lines }),
        ),
        Action::Tail { path, lines } => one(
            "read_file",
            json!({ "path": path, "line_count": lines, "from_end": true }),
        ),
        Action::Excerpt {
            path,
            from_line,
            lines,
        } => one(
            "read_file",
            json!({ "path": path, "from_line": from_line, "line_count": lines }),
        ),
        Action::CompareFiles { left, right } => vec![read_whole(left), read_whole(right)],
        Action::FindFiles { pattern, path } => {
            one("glob", json!({ "pattern": pattern, "path": path }))
        }
        Action::SearchText { query, path } => {
            let looking = json!({
                "pattern": query, "path": path, "literal": true, "ignore_case": true,
            });
            one("grep", looking)
        }
        Action::CreateFile { path, content } => vec![write_file(path, content, "create")],
        Action::AppendText { path, content } => vec![write_file(path, content, "append")],
        Action::ReplaceText { path, old, new } => one(
            "edit_file",
            json!({ "path": path, "old": old, "new": new, "all": true }),
        ),
        Action::MakeDir { path } => one("make_dir", json!({ "path": path })),
        Action::MoveFile { from, to } => one("move_file", json!({ "from": from, "to": to })),
        Action::DeleteFile { path } => one("delete_file", json!({ "path": path })),
        Action::Undo {} => one(UNDO, json!({})),
        Action::Remember { text } => one(
            SAVE_MEMORY,
            json!({ "name": first_words(text), "content": text }),
        ),
        Action::Recall { query } => one(SEARCH_MEMORY, json!({ "query": query })),
        Action::WebSearch { query } => one(WEB_SEARCH, json!({ "query": query })),
        Action::Answer { .. } => Vec::new(),
    }
}

/// A name for a text that has none: its beginning, in whole words.
/// The paths that an action changes.
#[must_use]
pub fn changed(action: &Action) -> Vec<String> {
    match action {
        Action::CreateFile { path, .. }
        | Action::AppendText { path, .. }
        | Action::ReplaceText { path, .. }
        | Action::MakeDir { path }
        | Action::DeleteFile { path } => vec![path.clone()],
        Action::MoveFile { from, to } => vec![from.clone(), to.clone()],
        _ => Vec::new(),
    }
}

fn first_words(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let mut name = String::new();
    for word in words.iter().take(NAME_WORDS) {
        if name.chars().count() + word.chars().count() >= NAME_CHARS {
            break;
        }
        if !name.is_empty() {
            name.push(' ');
        }
        name.push_str(word);
    }
    if name.is_empty() {
        // A single word that is longer than a name.
        name = text.trim().chars().take(NAME_CHARS).collect();
    }
    name
}

fn one(tool: &'static str, arguments: Value) -> Vec<Call> {
    vec![Call { tool, arguments }]
}

/// Whether a file is a document (PDF, docx, odt) that is no text, by its name.
#[must_use]
pub fn is_document(path: &str) -> bool {
    let extension = path
        .rsplit_once('.')
        .map(|(_, end)| end.to_ascii_lowercase());
    matches!(extension.as_deref(), Some("pdf" | "docx" | "odt"))
}

fn read_whole(path: &str) -> Call {
    Call {
        tool: "read_file",
        arguments: json!({ "path": path }),
    }
}

/// A text file ends with a line end, so that the next text appended starts on a line of its own.
fn write_file(path: &str, content: &str, mode: &str) -> Call {
    let content = if content.is_empty() || content.ends_with('\n') {
        content.to_owned()
    } else {
        format!("{content}\n")
    };
    Call {
        tool: "write_file",
        arguments: json!({ "path": path, "content": content, "mode": mode }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_ends_with_a_line_end_unless_there_is_none() {
        let content = |text: &str| {
            let create = Action::CreateFile {
                path: "a".to_owned(),
                content: text.to_owned(),
            };
            action(&create)[0].arguments["content"].clone()
        };
        assert_eq!(content("one"), "one\n");
        assert_eq!(content("one\n"), "one\n");
        assert_eq!(content(""), "");
    }

    #[test]
    fn what_is_remembered_is_named_by_its_first_words() {
        let call = |text: &str| {
            let text = text.to_owned();
            action(&Action::Remember { text })[0].clone()
        };
        let kept = call("Ann takes her coffee black, without sugar, every morning.");
        assert_eq!(kept.tool, "save_memory");
        assert_eq!(
            kept.arguments["name"],
            "Ann takes her coffee black, without sugar, every"
        );
        let long = call(&"x".repeat(4_000)).arguments["name"].clone();
        assert_eq!(long.as_str().unwrap().len(), NAME_CHARS);
    }

    #[test]
    fn replacing_replaces_every_occurrence_and_tail_reads_from_the_end() {
        let text = || "x".to_owned();
        let replace = Action::ReplaceText {
            path: text(),
            old: text(),
            new: text(),
        };
        assert_eq!(action(&replace)[0].arguments["all"], true);
        let tail = Action::Tail {
            path: text(),
            lines: 3,
        };
        assert_eq!(
            action(&tail)[0],
            Call {
                tool: "read_file",
                arguments: json!({ "path": "x", "line_count": 3, "from_end": true }),
            }
        );
    }
}
