//! Which words of a line changed.

use similar::{Algorithm, DiffOp, capture_diff_slices};

/// Longest line whose words are compared, bytes.
const LINE_BYTES: usize = 2_000;
/// Most comparisons of one word with another in a difference. Where they are used up, lines are told
/// without their words.
const COMPARISONS: usize = 2_000_000;
/// Of two lines that share less than this part of their bytes all is new, and no word is marked.
const LEAST_SHARED_PERCENT: usize = 30;

/// A part of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// Its text.
    pub text: String,
    /// Whether the line on the other side has other words there.
    pub is_changed: bool,
}

impl Part {
    /// A part that is not marked.
    pub(super) fn same(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            is_changed: false,
        }
    }
}

/// What is left of the work that one difference may take.
pub(super) struct Budget(usize);

impl Budget {
    pub(super) const fn new() -> Self {
        Self(COMPARISONS)
    }

    fn takes(&mut self, comparisons: usize) -> bool {
        match self.0.checked_sub(comparisons) {
            Some(left) => {
                self.0 = left;
                true
            }
            None => false,
        }
    }
}

/// Two lines with the words that differ; `None` where they have too little in common, or are too long.
pub(super) fn compared(
    old: &str,
    new: &str,
    budget: &mut Budget,
) -> Option<(Vec<Part>, Vec<Part>)> {
    if old.len().max(new.len()) > LINE_BYTES {
        return None;
    }
    let (before, after) = (tokens(old), tokens(new));
    if !budget.takes(before.len().saturating_mul(after.len())) {
        return None;
    }
    let steps = capture_diff_slices(Algorithm::Myers, &before, &after);
    let is_same = |step: &&DiffOp| matches!(step, DiffOp::Equal { .. });
    let shared: usize = steps
        .iter()
        .filter(is_same)
        .flat_map(|step| &before[step.old_range()])
        .map(|token| token.trim().len())
        .sum();
    let most = old.trim().len().max(new.trim().len());
    if shared * 100 < most * LEAST_SHARED_PERCENT {
        return None;
    }
    let (mut old, mut new) = (Vec::new(), Vec::new());
    for step in &steps {
        let is_changed = !is_same(&step);
        push(&mut old, &before[step.old_range()], is_changed);
        push(&mut new, &after[step.new_range()], is_changed);
    }
    Some((old, new))
}

fn push(parts: &mut Vec<Part>, tokens: &[&str], is_changed: bool) {
    if !tokens.is_empty() {
        parts.push(Part {
            text: tokens.concat(),
            is_changed,
        });
    }
}

/// Words, runs of spaces, and single signs. What has no width of its own stays with what it follows, so
/// that each part is drawn as it would be in the whole.
fn tokens(line: &str) -> Vec<&str> {
    #[derive(PartialEq)]
    enum Kind {
        Word,
        Space,
        Sign,
    }
    let kind = |letter: char| match letter {
        '_' => Kind::Word,
        _ if letter.is_alphanumeric() => Kind::Word,
        _ if letter.is_whitespace() => Kind::Space,
        _ => Kind::Sign,
    };
    let has_width = |letter: char| unicode_width::UnicodeWidthChar::width(letter) != Some(0);
    let mut all = Vec::new();
    let mut from = 0;
    let mut last = None;
    for (at, letter) in line.char_indices() {
        if !has_width(letter) {
            continue;
        }
        let next = kind(letter);
        if let Some(last) = &last
            && (*last != next || next == Kind::Sign)
        {
            all.push(&line[from..at]);
            from = at;
        }
        last = Some(next);
    }
    all.push(&line[from..]);
    all.retain(|token| !token.is_empty());
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marked(old: &str, new: &str) -> Option<(String, String)> {
        let text = |parts: &[Part]| -> String {
            let parts = parts.iter().map(|part| match part.is_changed {
                true => format!("[{}]", part.text),
                false => part.text.clone(),
            });
            parts.collect()
        };
        compared(old, new, &mut Budget::new()).map(|(old, new)| (text(&old), text(&new)))
    }

    #[test]
    fn the_words_that_differ_are_marked() {
        let both = |old: &str, new: &str| Some((old.to_owned(), new.to_owned()));
        assert_eq!(
            marked("let a = one(1);", "let a = two(1);"),
            both("let a = [one](1);", "let a = [two](1);")
        );
        assert_eq!(marked("a b", "a b c"), both("a b", "a b[ c]"));
        assert_eq!(marked("", ""), both("", ""));
        assert_eq!(marked("all of it", "nothing stays here"), None);
    }

    #[test]
    fn what_has_no_width_stays_with_its_letter() {
        assert_eq!(tokens("e\u{301}+\u{301}x"), ["e\u{301}", "+\u{301}", "x"]);
        assert_eq!(tokens("a_1  (b)"), ["a_1", "  ", "(", "b", ")"]);
        assert!(tokens("").is_empty());
    }

    #[test]
    fn neither_long_lines_nor_many_take_long() {
        let long = "x ".repeat(LINE_BYTES);
        assert_eq!(compared(&long, &long, &mut Budget::new()), None);
        let line = "a,".repeat(LINE_BYTES / 2);
        let mut budget = Budget::new();
        assert_eq!(compared(&line, &line, &mut budget), None);
        let line = "a,".repeat(500);
        assert!(compared(&line, &line, &mut budget).is_some());
        assert!(compared(&line, &line, &mut budget).is_some());
        assert!(compared(&line, &line, &mut budget).is_none());
    }
}
