//! BERT's tokenizer: words, cut into the longest pieces that the vocabulary knows.
//!
//! Follows the uncased tokenizer of the original BERT (Devlin et al. 2018): control characters go,
//! white space and punctuation separate words, Chinese characters are words, letters lose case and
//! accents; then each word is cut greedily from the left.

use std::collections::HashMap;
use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

/// Longest word that is cut into pieces, characters; a longer one is unknown, as in the original.
const MAX_WORD_CHARS: usize = 100;

/// The vocabulary lacks a mark that every text needs.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the vocabulary has no `{0}`")]
pub struct MissingMark(&'static str);

/// The tokenizer of one vocabulary.
#[derive(Debug)]
pub struct WordPiece {
    pieces: HashMap<String, u32>,
    begin: u32,
    end: u32,
    unknown: u32,
}

impl WordPiece {
    /// Reads a vocabulary: one piece a line, its number is the line's.
    ///
    /// # Errors
    /// [`MissingMark`].
    pub fn new(vocabulary: &str) -> Result<Self, MissingMark> {
        let pieces: HashMap<String, u32> =
            vocabulary.lines().map(str::to_owned).zip(0_u32..).collect();
        let mark = |name: &'static str| pieces.get(name).copied().ok_or(MissingMark(name));
        let (begin, end, unknown) = (mark("[CLS]")?, mark("[SEP]")?, mark("[UNK]")?);
        Ok(Self {
            pieces,
            begin,
            end,
            unknown,
        })
    }

    /// The tokens of `text` between its marks, at most `limit` in all.
    #[must_use]
    pub fn encode(&self, text: &str, limit: usize) -> Vec<u32> {
        let mut tokens = vec![self.begin];
        let room = limit.saturating_sub(1);
        for word in words(text) {
            if tokens.len() >= room {
                break;
            }
            self.cut(&word, &mut tokens);
        }
        tokens.truncate(room.max(1));
        tokens.push(self.end);
        tokens
    }

    fn cut(&self, word: &str, tokens: &mut Vec<u32>) {
        let before = tokens.len();
        let mut rest = word;
        if word.chars().count() > MAX_WORD_CHARS {
            tokens.push(self.unknown);
            return;
        }
        while !rest.is_empty() {
            let prefix = if rest.len() == word.len() { "" } else { "##" };
            let ends = rest.char_indices().map(|(at, c)| at + c.len_utf8()).rev();
            let longest = ends.into_iter().find_map(|end| {
                let (piece, after) = rest.split_at(end);
                let token = self.pieces.get(&format!("{prefix}{piece}"))?;
                Some((*token, after))
            });
            let Some((token, after)) = longest else {
                tokens.truncate(before);
                tokens.push(self.unknown);
                return;
            };
            tokens.push(token);
            rest = after;
        }
    }
}

/// The words of a text, lower case and without accents.
fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut close = |word: &mut String| {
        if !word.is_empty() {
            words.push(std::mem::take(word));
        }
    };
    let plain = text
        .chars()
        .filter(|c| (!c.is_control() || c.is_whitespace()) && !is_ignored(*c))
        .nfd()
        .filter(|c| !is_combining_mark(*c))
        .flat_map(char::to_lowercase);
    for character in plain {
        if character.is_whitespace() {
            close(&mut word);
        } else if is_punctuation(character) || is_chinese(character) {
            close(&mut word);
            word.push(character);
            close(&mut word);
        } else {
            word.push(character);
        }
    }
    close(&mut word);
    words
}

/// The replacement character and invisible format characters.
const fn is_ignored(c: char) -> bool {
    matches!(c, '\u{0}' | '\u{FFFD}' | '\u{AD}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}'
        | '\u{2060}'..='\u{2064}' | '\u{2066}'..='\u{206F}' | '\u{FEFF}')
}

/// ASCII symbols all count; beyond ASCII, Unicode's punctuation blocks.
const fn is_punctuation(c: char) -> bool {
    c.is_ascii_punctuation()
        || matches!(c, '¡' | '§' | '«' | '¶' | '·' | '»' | '¿' | '\u{2010}'..='\u{2027}'
            | '\u{2030}'..='\u{2043}' | '\u{2045}'..='\u{2051}' | '\u{2053}'..='\u{205E}'
            | '\u{2E00}'..='\u{2E5D}' | '\u{3001}'..='\u{3003}' | '\u{3008}'..='\u{3011}'
            | '\u{3014}'..='\u{301F}' | '\u{FF01}'..='\u{FF03}' | '\u{FF05}'..='\u{FF0A}'
            | '\u{FF0C}'..='\u{FF0F}' | '\u{FF1A}' | '\u{FF1B}' | '\u{FF1F}' | '\u{FF20}')
}

/// The CJK ideograph blocks that BERT separates.
const fn is_chinese(c: char) -> bool {
    matches!(c, '\u{4E00}'..='\u{9FFF}' | '\u{3400}'..='\u{4DBF}' | '\u{20000}'..='\u{2A6DF}'
        | '\u{2A700}'..='\u{2CEAF}' | '\u{F900}'..='\u{FAFF}' | '\u{2F800}'..='\u{2FA1F}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokenizer() -> WordPiece {
        let pieces = [
            "[PAD]", "[UNK]", "[CLS]", "[SEP]", "un", "##aff", "##able", "cafe", "!", "漢",
        ];
        WordPiece::new(&pieces.join("\n")).unwrap()
    }

    #[test]
    fn words_are_cut_into_the_longest_known_pieces() {
        assert_eq!(tokenizer().encode("Unaffable", 100), vec![2, 4, 5, 6, 3]);
        assert_eq!(tokenizer().encode("unknown", 100), vec![2, 1, 3]);
    }

    #[test]
    fn case_accents_punctuation_and_ideographs() {
        assert_eq!(
            tokenizer().encode("CAFÉ!漢cafe", 100),
            vec![2, 7, 8, 9, 7, 3]
        );
    }

    #[test]
    fn the_limit_counts_the_marks() {
        assert_eq!(tokenizer().encode("cafe cafe cafe", 4), vec![2, 7, 7, 3]);
        assert_eq!(tokenizer().encode("unaffable", 4), vec![2, 4, 5, 3]);
    }

    #[test]
    fn a_vocabulary_without_marks_is_refused() {
        assert_eq!(WordPiece::new("a\nb").err(), Some(MissingMark("[CLS]")));
    }
}
