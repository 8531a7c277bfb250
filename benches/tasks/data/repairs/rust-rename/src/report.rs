use crate::text::{longest_word, word_count};

/// A line about a text.
pub fn line(text: &str) -> String {
    let words = word_count(text);
    match longest_word(text) {
        Some(longest) => format!("{words} words, the longest is {longest}"),
        None => "no words".to_string(),
    }
}
