//! Files of a kind, each counted and all together: `how many words do the chapters have?`.

use super::superlative;
use crate::rules::words::pattern;
use regex::Regex;
use std::sync::LazyLock;

static COUNTS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(concat!(
        r"(?i)^(?:tell me )?how many (?P<unit>lines|words|characters|bytes) (?:(?:do|are|are there) )?(?:in )?(?:all )?(?:of )?(?:the |my )?",
        r"(?P<thing>[\w-]+?)s(?: have| contain)?(?: together| in total| altogether| all together)?[ ?.!]*$",
    ))
});

/// What a question counts: the unit and what the files are called.
fn asked(question: &str) -> Option<(String, String)> {
    let found = COUNTS.as_ref()?.captures(question.trim())?;
    let part = |name: &str| found[name].to_lowercase();
    Some((part("unit"), part("thing")))
}

/// The files of a folder that such a question is about.
pub(super) fn files_for(question: &str, listing: &[&String]) -> Vec<String> {
    let Some((_, thing)) = asked(question) else {
        return Vec::new();
    };
    let found = listing
        .iter()
        .filter(|path| superlative::is_one(path, &thing));
    found.map(|path| (*path).clone()).collect()
}

/// What files, all that there are, say to such a question; `None` where it is another one.
pub(super) fn told(question: &str, texts: &[(String, String)]) -> Option<String> {
    let (unit, _) = asked(question)?;
    let count = |text: &str| match unit.as_str() {
        "lines" => text.lines().count(),
        "words" => text.split_whitespace().count(),
        "characters" => text.chars().count(),
        _ => text.len(),
    };
    let counts: Vec<usize> = texts.iter().map(|(_, text)| count(text)).collect();
    let each = texts.iter().zip(&counts);
    let each: String = each
        .map(|((path, _), count)| format!("\n  {path}: {count}"))
        .collect();
    let sum: usize = counts.iter().sum();
    (!texts.is_empty()).then(|| format!("{sum} {unit} together (by rules, no model).\n{each}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_a_kind_are_counted_together() {
        let here = ["c/chapter1.md", "c/chapter2.md", "todo.md"].map(str::to_owned);
        let here: Vec<&String> = here.iter().collect();
        for (question, files) in [
            ("how many words do the chapters have?", 2),
            ("how many lines are in the chapters", 2),
            ("how many words do all my chapters have together?", 2),
            ("how many words do the poems have?", 0),
            ("how many words does todo.md have?", 0),
        ] {
            assert_eq!(files_for(question, &here).len(), files, "{question}");
        }
        let texts = [("a.md", "one two\n"), ("b.md", "three\n")];
        let texts = texts.map(|(path, text)| (path.to_owned(), text.to_owned()));
        let told = told("how many words do the chapters have?", &texts).unwrap();
        assert_eq!(
            told,
            "3 words together (by rules, no model).\n\n  a.md: 2\n  b.md: 1"
        );
    }
}
