//! Comparisons and arrows in what is replaced: `change < LIMIT to <= LIMIT in a.py`, `in a.py old.name -> new.name`.
//! Their signs are those of a shell elsewhere, so that the order with quotes is shown.

use super::refusal::Refusal;
use super::words::{Request, is_file, pattern};
use crate::quoted::{in_quotes, typed_path};
use regex::Regex;
use std::sync::LazyLock;

static FORMS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    let forms = [
        r"(?i)^in (?:the )?(?:file )?(?P<p>\S+?),? (?:change|replace|substitute|turn) (?P<old>\S.*?) (?:to|with|by|into) (?P<new>\S.*)$",
        r"(?i)^(?:change|replace|substitute|turn) (?P<old>\S.*?) (?:to|with|by|into) (?P<new>\S.*) in (?:the )?(?:file )?(?P<p>\S+)$",
        r"(?i)^in (?:the )?(?:file )?(?P<p>\S+?),? (?P<old>\S+) (?:->|=>|→) (?P<new>\S+)$",
    ];
    forms.into_iter().filter_map(pattern).collect()
});

/// The refusal with the order in quotes; `None` of any other request.
pub(super) fn replaced(request: &Request, text: &str) -> Option<Refusal> {
    let found = FORMS.iter().find_map(|form| form.captures(text))?;
    let (old, new) = (found["old"].trim(), found["new"].trim());
    let is_bare = |text: &str| {
        let is_word = |c: char| c.is_alphanumeric() || c.is_ascii_whitespace();
        text.chars()
            .all(|c| is_word(c) || "<>=!_.-+*/%()[],:".contains(c))
    };
    let path = request.piece(&found["p"])?.text;
    if !is_bare(old) || !is_bare(new) || !is_file(&path) {
        return None;
    }
    let order = format!(
        "replace {} with {} in {}",
        in_quotes(old),
        in_quotes(new),
        typed_path(&path)
    );
    let why = "It has signs of a shell: a text with them needs quotes.".to_owned();
    Some(Refusal::ambiguous(why, vec![order]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offered(text: &str) -> Option<Vec<String>> {
        replaced(&Request::read(text), text).map(|refusal| refusal.nearest)
    }

    #[test]
    fn comparisons_and_arrows_are_offered_in_quotes() {
        let compared = "replace \"< LIMIT\" with \"<= LIMIT\" in a.py";
        for (says, order) in [
            ("in a.py change < LIMIT to <= LIMIT", compared),
            ("change < LIMIT to <= LIMIT in a.py", compared),
            ("in a.py a.b -> a.c", "replace \"a.b\" with \"a.c\" in a.py"),
        ] {
            assert_eq!(offered(says), Some(vec![order.to_owned()]), "{says}");
        }
        for says in [
            "cat a.py > b.py",
            "change a to b in c.py | sh",
            "in a.py change $(x) to < y",
            "echo a -> b",
        ] {
            assert_eq!(offered(says), None, "{says}");
        }
        assert_eq!(FORMS.len(), 3);
    }
}
