//! What may come after a call, so that it counts as one; and before it, so that it does not.

use super::Input;

/// Tokens that end a reply in some template. After calls they are part of the leak.
const STOPS: [&str; 12] = [
    "<|im_end|>",
    "<|eot_id|>",
    "<|eom_id|>",
    "<|end|>",
    "<|call|>",
    "<|return|>",
    "<|endoftext|>",
    "<|end_of_text|>",
    "<｜end▁of▁sentence｜>",
    "<end_of_turn>",
    "<turn|>",
    "</s>",
];

/// Words before a call that make it an example. In lower case.
const EXAMPLE_WORDS: [&str; 9] = [
    "for example",
    "for instance",
    "e.g.",
    "example",
    "looks like",
    "look like",
    "sample",
    "such as",
    "syntax",
];

/// How sure a spelling makes us, and so how strict its place is judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Strength {
    /// A token of a template that people do not write. Counts anywhere.
    Token,
    /// A tag. Counts when its line ends with it.
    Tag,
    /// Fenced or bare JSON, Python: only at the very end.
    Trailing,
}

/// What the text after a run of calls says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// They count; so many bytes after them belong to the leak.
    Counts(usize),
    /// It is too early to tell.
    More,
    /// They do not count.
    Text,
}

/// Judges what comes after a run of calls.
pub(super) fn judge(after: Input<'_>, strength: Strength) -> Verdict {
    let mut taken = 0;
    loop {
        let rest = after.after(taken);
        let line_space = rest.text.len() - rest.text.trim_start_matches([' ', '\t']).len();
        let space = if strength == Strength::Trailing {
            rest.space()
        } else {
            line_space
        };
        let next = rest.after(space);
        if next.text.is_empty() {
            return if next.is_last {
                Verdict::Counts(taken)
            } else {
                Verdict::More
            };
        }
        match next.any_literal(&STOPS) {
            super::Match::Yes(_, bytes) => taken += space + bytes,
            super::Match::More => return Verdict::More,
            super::Match::No => {
                let counts = match strength {
                    Strength::Token => true,
                    Strength::Tag => next.text.starts_with(['\n', '\r']),
                    Strength::Trailing => false,
                };
                return if counts {
                    Verdict::Counts(taken)
                } else {
                    Verdict::Text
                };
            }
        }
    }
}

/// Whether the line before a call introduces an example.
pub(super) fn introduces_example(before: &str) -> bool {
    let line = before.trim_end().rsplit('\n').next().unwrap_or_default();
    let lower = line.to_lowercase();
    EXAMPLE_WORDS.iter().any(|words| lower.contains(words))
}
