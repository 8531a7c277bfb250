/// How many words a text has.
pub fn count_words(text: &str) -> usize {
    text.split_whitespace().count()
}

/// The longest word of a text, the first of those of one length.
pub fn longest_word(text: &str) -> Option<&str> {
    let words = text.split_whitespace().rev();
    words.max_by_key(|word| word.chars().count())
}
