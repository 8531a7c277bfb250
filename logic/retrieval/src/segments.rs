//! Cutting a text: sentences, and segments of sentences that fit an embedding model, with how long
//! such a one is. How much of an entry a search shows stands in `services/memory/src/config.rs`.

use std::ops::Range;

/// Bytes that a token of English text has at least, by the estimate used here. Models' own counts
/// differ; short tokens (digits, rare scripts) make the estimate too low, hence a wide margin in the limits.
const BYTES_PER_TOKEN: usize = 3;

/// Segments that are embedded have at most this many tokens: what the smallest embedding model in
/// use (MiniLM, 256 tokens) reads to the end. Models that read more find better in short segments too.
pub const EMBEDDED_TOKENS: usize = 240;

/// Tokens of a text, estimated without a model, rounded up.
#[must_use]
pub fn estimated_tokens(text: &str) -> usize {
    text.len().div_ceil(BYTES_PER_TOKEN)
}

/// The sentences of a text, as byte ranges without the space around them. Ends are `.`, `!`, `?` and
/// their like before a space, and line breaks.
#[must_use]
pub fn sentences(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = 0;
    let mut ended = false;
    for (at, letter) in text.char_indices() {
        if matches!(letter, '.' | '!' | '?' | '…' | '。' | '！' | '？') {
            ended = true;
        } else if letter == '\n'
            || (ended && letter.is_whitespace() && !abbreviates(&text[start..at]))
        {
            push(text, start..at, &mut found);
            start = at;
            ended = false;
        } else if !matches!(letter, '"' | '\'' | ')' | ']' | '”' | '’') {
            ended = false;
        }
    }
    push(text, start..text.len(), &mut found);
    found
}

/// Segments of at most `max_tokens` (1 and up) by [`estimated_tokens`]: as many whole sentences as
/// fit; a sentence that is longer by itself is cut between words, and a word between characters.
#[must_use]
pub fn segments(text: &str, max_tokens: usize) -> Vec<Range<usize>> {
    let most = max_tokens.max(1).saturating_mul(BYTES_PER_TOKEN).max(4);
    let mut found: Vec<Range<usize>> = Vec::new();
    for sentence in sentences(text) {
        match found.last_mut() {
            Some(last) if sentence.end - last.start <= most => last.end = sentence.end,
            _ => cut(text, sentence, most, &mut found),
        }
    }
    found
}

/// Cuts a range into pieces of at most `most` bytes (4 and up).
fn cut(text: &str, whole: Range<usize>, most: usize, found: &mut Vec<Range<usize>>) {
    let mut start = whole.start;
    while whole.end - start > most {
        let limit = text.floor_char_boundary(start + most);
        let space = text[start..limit].rfind(char::is_whitespace);
        let end = match space {
            Some(space) if space > 0 => start + space,
            _ => limit,
        };
        push(text, start..end, found);
        start = end;
    }
    push(text, start..whole.end, found);
}

/// Keeps a range without the space around it, unless nothing is left.
fn push(text: &str, range: Range<usize>, found: &mut Vec<Range<usize>>) {
    let part = &text[range.clone()];
    let start = range.start + (part.len() - part.trim_start().len());
    let end = start + part.trim().len();
    if start < end {
        found.push(start..end);
    }
}

/// Whether what ends in a full stop is an initial or a short form and the sentence goes on.
fn abbreviates(sentence: &str) -> bool {
    let Some(body) = sentence.strip_suffix('.') else {
        return false;
    };
    let last = body
        .rsplit(|letter: char| !letter.is_alphanumeric())
        .next()
        .unwrap_or_default();
    let initial = last.chars().count() == 1 && last.starts_with(char::is_uppercase) && last != "I";
    initial || ["Dr", "Mr", "Mrs", "Ms", "St", "vs", "etc", "approx"].contains(&last)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn cut_at(text: &str) -> Vec<&str> {
        sentences(text)
            .into_iter()
            .map(|range| &text[range])
            .collect()
    }

    #[test]
    fn sentences_end_where_they_end() {
        let cases: [(&str, &[&str]); 6] = [
            ("One. Two! Three?", &["One.", "Two!", "Three?"]),
            ("It cost 3.50 at home.", &["It cost 3.50 at home."]),
            (
                "Dr. Vogel came. So did J. Roth.",
                &["Dr. Vogel came.", "So did J. Roth."],
            ),
            (
                "\"Stop!\" he said. (Really.) Yes",
                &["\"Stop!\"", "he said.", "(Really.)", "Yes"],
            ),
            ("- one\n- two\n\n", &["- one", "- two"]),
            ("  \n ", &[]),
        ];
        for (text, expected) in cases {
            assert_eq!(cut_at(text), expected, "{text}");
        }
    }

    #[test]
    fn segments_hold_whole_sentences_and_cut_only_what_is_too_long() {
        let text = "One two. Three four. Five six.";
        let cut = |tokens| -> Vec<&str> {
            segments(text, tokens)
                .into_iter()
                .map(|range| &text[range])
                .collect()
        };
        assert_eq!(cut(100), [text]);
        assert_eq!(cut(7), ["One two. Three four.", "Five six."]);
        assert_eq!(cut(2), ["One", "two.", "Three", "four.", "Five", "six."]);
    }

    proptest! {
        #[test]
        fn every_range_is_text_in_order_within_the_limit_and_nothing_is_lost(
            text in "[ a-zA-Z.!?\n\"üß日😀…\u{301}]{0,200}", tokens in 0_usize..20,
        ) {
            let most = (tokens.max(1) * BYTES_PER_TOKEN).max(4);
            for ranges in [sentences(&text), segments(&text, tokens)] {
                let mut end = 0;
                for range in &ranges {
                    prop_assert!(text.get(range.clone()).is_some_and(|part| part.trim() == part));
                    prop_assert!(range.start >= end && range.start < range.end);
                    prop_assert!(text[end..range.start].trim().is_empty());
                    end = range.end;
                }
                prop_assert!(text[end..].trim().is_empty());
            }
            for range in segments(&text, tokens) {
                prop_assert!(range.len() <= most);
            }
        }
    }
}
