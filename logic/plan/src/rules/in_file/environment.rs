//! Which environment variables a program reads, told by the lines that read one.

use crate::rules::words::pattern;
use regex::Regex;
use std::sync::LazyLock;

/// Most lines that are told.
const SHOWN_LINES: usize = 20;

static ASKS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?i)^(?:tell me )?(?:which|what|list (?:all )?(?:the )?|show (?:me )?(?:all )?(?:the )?)\s?(?:env(?:ironment)?[ -]?(?:variables?|vars?)|env) (?:does|do|are|is|in|of|that|which)\b.*$",
    )
});
/// What reads one, in the languages that are read most.
static READS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(concat!(
        r#"(?:\bos\.environ(?:\.get|\.pop|\.setdefault)?|\benviron(?:\.get)?|\bgetenv|\bGetenv|\bLookupEnv|\benv::var(?:_os)?|\b(?:option_)?env!|\bENV(?:\.fetch)?|\bprocess\.env|\bimport\.meta\.env)"#,
        r#"\s*(?:[\[(]\s*["'](?P<q>\w+)["']|\.(?P<w>[A-Z_][A-Z0-9_]*)\b)"#,
    ))
});

/// Whether a question is for the environment variables that a file reads.
pub(super) fn may_tell(question: &str) -> bool {
    ASKS.as_ref()
        .is_some_and(|asks| asks.is_match(question.trim()))
}

/// The variables that a program reads, with their lines.
pub(super) fn told(path: &str, text: &str) -> Option<String> {
    let reads = READS.as_ref()?;
    let mut names: Vec<String> = Vec::new();
    let mut lines: Vec<String> = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let mut is_one = false;
        for found in reads.captures_iter(line) {
            let name = found.name("q").or_else(|| found.name("w"))?.as_str();
            is_one = true;
            if !names.iter().any(|known| known == name) {
                names.push(name.to_owned());
            }
        }
        if is_one {
            lines.push(format!("\n  {}: {}", at + 1, line.trim()));
        }
    }
    let more = match lines.len().saturating_sub(SHOWN_LINES) {
        0 => String::new(),
        more => format!("\n  \u{2026} and {more} more lines"),
    };
    lines.truncate(SHOWN_LINES);
    Some(match names.len() {
        0 => format!(
            "I found no line of {path} that reads an environment variable by its name (by rules, no model)."
        ),
        count => format!(
            "{path} reads {count} environment variable{} by name: {} (by rules, no model).\n\nFrom {path}:{}{more}",
            if count == 1 { "" } else { "s" },
            names.join(", "),
            lines.concat()
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_that_reads_a_variable_is_told() {
        let python = "import os\nA = os.environ[\"PORT\"]\nB = os.environ.get('HOST', \"x\")\nC = os.getenv(\"PORT\")\n";
        let is = told("c.py", python).unwrap();
        assert!(
            is.starts_with("c.py reads 2 environment variables by name: PORT, HOST ("),
            "{is}"
        );
        assert_eq!(is.matches("\n  ").count(), 3, "{is}");
        let script = "const p = process.env.PORT || 1;\n";
        assert!(told("c.js", script).unwrap().contains(": PORT ("));
        assert!(
            told("c.py", "x = 1\n")
                .unwrap()
                .starts_with("I found no line")
        );
        assert!(may_tell("which environment variables does c.py read?"));
        assert!(!may_tell("what is the environment of web in compose.yml?"));
    }
}
