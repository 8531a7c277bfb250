//! Cutting a text: sentences, and segments of sentences that fit an embedding model.

use std::ops::Range;

/// Bytes that a token of English text has at least, by the estimate used here. Models' own counts
/// differ; short tokens (digits, rare scripts) make the estimate too low, hence a wide margin in the limits.
const BYTES_PER_TOKEN: usize = 3;

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
    let mut letters = text.char_indices().peekable();
    let mut ended = false;
    while let Some((at, letter)) = letters.next() {
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
