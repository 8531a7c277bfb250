//! Where in a file nothing is set, whatever it looks like: comments and texts of several lines.
//!
//! What is found by marks may be wrong for a file that is not sound, so that nothing is left out for
//! it: a value that stands there is refused.

use crate::rules::words::pattern;
use std::ops::Range;

/// How the kinds of files that are known here mark what is no setting.
struct Marks {
    /// What begins and ends a comment or a text of several lines.
    pairs: &'static [(&'static str, &'static str)],
    /// What begins a comment up to the end of the line.
    line: Option<&'static str>,
    /// Whether texts of one line stand in quotes, which hide marks.
    has_quotes: bool,
}

const TEXTS: Marks = Marks {
    pairs: &[("\"\"\"", "\"\"\""), ("'''", "'''")],
    line: Some("#"),
    has_quotes: true,
};
const PROGRAM: Marks = Marks {
    pairs: &[("/*", "*/")],
    line: Some("//"),
    has_quotes: true,
};
const SCRIPT: Marks = Marks {
    pairs: &[("/*", "*/"), ("`", "`")],
    ..PROGRAM
};
const STYLE: Marks = Marks {
    line: None,
    ..PROGRAM
};
const PAGE: Marks = Marks {
    pairs: &[("<!--", "-->")],
    line: None,
    has_quotes: false,
};

/// The parts of a text in which nothing is set, by the ending of its file's name.
pub(super) fn unset(ending: &str, text: &str) -> Vec<Range<usize>> {
    match ending {
        "yaml" | "yml" => blocks(text),
        "toml" | "py" | "pyi" => TEXTS.parts(text),
        "js" | "mjs" | "cjs" | "ts" | "jsx" | "tsx" | "go" => SCRIPT.parts(text),
        "c" | "h" | "cc" | "cpp" | "hpp" | "cs" | "java" | "kt" | "swift" | "rs" | "php"
        | "json" | "jsonc" | "json5" | "scss" | "less" => PROGRAM.parts(text),
        "css" => STYLE.parts(text),
        "html" | "htm" | "xhtml" | "xml" | "svg" | "md" | "vue" => PAGE.parts(text),
        _ => Vec::new(),
    }
}

impl Marks {
    fn parts(&self, text: &str) -> Vec<Range<usize>> {
        let mut parts = Vec::new();
        let mut at = 0;
        while let Some(first) = text[at..].chars().next() {
            let rest = &text[at..];
            let mut pairs = self.pairs.iter();
            let end = if let Some((open, close)) = pairs.find(|(open, _)| rest.starts_with(open)) {
                let inside = &rest[open.len()..];
                let length = inside.find(close).map(|end| open.len() + end + close.len());
                let end = at + length.unwrap_or(rest.len());
                parts.push(at..end);
                end
            } else if self.line.is_some_and(|mark| rest.starts_with(mark)) {
                at + rest.find('\n').unwrap_or(rest.len())
            } else if self.has_quotes && matches!(first, '"' | '\'') {
                at + quoted(rest, first).unwrap_or(1)
            } else {
                at + first.len_utf8()
            };
            at = end;
        }
        parts
    }
}

/// The length of the text in quotes with which a line begins.
pub(super) fn quoted(line: &str, quote: char) -> Option<usize> {
    let mut is_escaped = false;
    for (at, c) in line.char_indices().skip(1) {
        match c {
            '\n' => return None,
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            _ if c == quote => return Some(at + 1),
            _ => {}
        }
    }
    None
}

/// The texts of several lines in YAML: what stands deeper than the line that ends with `|` or `>`.
fn blocks(text: &str) -> Vec<Range<usize>> {
    let begins = pattern(r"^[^#]*(?:^|[:\s-])[|>][-+0-9]*\s*(?:#.*)?$");
    let depth = |line: &str| line.len() - line.trim_start_matches(' ').len();
    // Of `- key: |`, the depth of the key.
    let outer = |line: &str| match line.trim_start_matches([' ', '-']) {
        item if item.starts_with(['|', '>']) => depth(line),
        item => line.len() - item.len(),
    };
    let mut parts: Vec<Range<usize>> = Vec::new();
    let mut above = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let place = at..at + line.len();
        at = place.end;
        let is_empty = line.trim().is_empty();
        match above {
            Some(outer) if is_empty || depth(line) > outer => parts.push(place),
            _ => {
                let is_begun = begins.as_ref().is_some_and(|begins| begins.is_match(line));
                above = is_begun.then(|| outer(line));
            }
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What of a text is set nowhere.
    fn found(ending: &str, text: &str) -> String {
        let parts = unset(ending, text).into_iter();
        parts.map(|part| &text[part]).collect()
    }

    #[test]
    fn comments_and_texts_of_several_lines_set_nothing() {
        for (ending, text, part) in [
            (
                "toml",
                "a = \"\"\"\nport = 1\n\"\"\"\nport = 2\n",
                "\"\"\"\nport = 1\n\"\"\"",
            ),
            ("py", "# don't \"\"\"\nport = 1\n", ""),
            ("py", "a = \"'''\"\nport = 1\n", ""),
            ("py", "'''\nport = 1", "'''\nport = 1"),
            ("rs", "/* a\nport = 1 */ x\n", "/* a\nport = 1 */"),
            ("js", "a = \"src/*\";\nport = 1;\n", ""),
            ("js", "// a /* b\nport = 1;\n", ""),
            (
                "html",
                "don't <!-- <b>1</b> --> <b>2</b>",
                "<!-- <b>1</b> -->",
            ),
            ("ini", "a = /*\nport = 1\n", ""),
            (
                "yaml",
                "a: |\n  port: 1\n\n  b\nport: 2\n",
                "  port: 1\n\n  b\n",
            ),
            ("yml", "- a: >-\n    port: 1\n  port: 2\n", "    port: 1\n"),
            ("yml", "a: x | y\n  port: 2\n", ""),
        ] {
            assert_eq!(found(ending, text), part, "{ending}: {text}");
        }
    }
}
