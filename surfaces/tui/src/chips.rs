//! Long texts that were pasted. In the input each is one character, which no key and no paste can bring
//! there: so nothing that is typed or pasted can pass for one, and it is deleted as one.

use std::ops::RangeInclusive;

/// Most lines of a paste that stands in the input as it is.
pub const PASTED_LINES: usize = 5;
/// The same, characters.
pub const PASTED_CHARS: usize = 600;

/// The characters that stand for a text: control characters (C1 without NEL, which is a space). What is
/// typed and pasted comes in without control characters.
const MARKS: RangeInclusive<char> = '\u{86}'..='\u{9f}';

/// The pasted texts of a draft, each with its character.
#[derive(Debug, Default)]
pub struct Chips {
    texts: Vec<(char, String)>,
    /// Characters of [`MARKS`] that stand in the draft for themselves: it came from elsewhere.
    foreign: Vec<char>,
}

/// Whether a paste is too long to stand in the input as it is.
#[must_use]
pub fn is_long(text: &str) -> bool {
    text.lines().count() > PASTED_LINES || text.chars().nth(PASTED_CHARS).is_some()
}

impl Chips {
    /// None yet, for a draft that begins with this text.
    #[must_use]
    pub fn beside(text: &str) -> Self {
        Self {
            texts: Vec::new(),
            foreign: text.chars().filter(|one| MARKS.contains(one)).collect(),
        }
    }

    /// Whether there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// Keeps a text; the character that stands for it. It comes back where no character is left.
    ///
    /// # Errors
    /// The text, where there are as many as can be.
    pub fn keep(&mut self, text: String) -> Result<char, String> {
        let is_free = |mark: &char| {
            let is_taken = self.texts.iter().any(|(taken, _)| taken == mark);
            !is_taken && !self.foreign.contains(mark)
        };
        match MARKS.clone().find(is_free) {
            Some(mark) => {
                self.texts.push((mark, text));
                Ok(mark)
            }
            None => Err(text),
        }
    }

    /// The text that a character stands for.
    #[must_use]
    pub fn text_of(&self, mark: char) -> Option<&str> {
        let mut texts = self.texts.iter();
        let found = texts.find(|(one, _)| *one == mark);
        found.map(|(_, text)| text.as_str())
    }

    /// What the input shows for a character.
    #[must_use]
    pub fn label_of(&self, mark: char) -> Option<String> {
        let at = self.texts.iter().position(|(one, _)| *one == mark)?;
        let text = &self.texts.get(at)?.1;
        let number = at + 1;
        Some(match text.lines().count() {
            1 => format!("[pasted #{number}: {} characters]", text.chars().count()),
            lines => format!("[pasted #{number}: {lines} lines]"),
        })
    }

    /// A text with what its characters stand for.
    #[must_use]
    pub fn spelled_out(&self, text: &str) -> String {
        let mut whole = String::with_capacity(text.len());
        for letter in text.chars() {
            match self.text_of(letter) {
                Some(pasted) => whole.push_str(pasted),
                None => whole.push(letter),
            }
        }
        whole
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_paste_is_long_from_its_limits_on() {
        assert!(!is_long(&"x\n".repeat(PASTED_LINES)));
        assert!(is_long(&"x\n".repeat(PASTED_LINES + 1)));
        assert!(!is_long(&"ä".repeat(PASTED_CHARS)));
        assert!(is_long(&"ä".repeat(PASTED_CHARS + 1)));
    }

    #[test]
    fn a_character_of_the_draft_stands_for_no_paste() {
        let mut chips = Chips::beside("from elsewhere: \u{86}\u{88}");
        let count = MARKS.count() - 2;
        for number in 0..count {
            let mark = chips.keep(format!("text {number}")).unwrap();
            assert!(!['\u{86}', '\u{88}'].contains(&mark));
        }
        assert_eq!(
            chips.keep("one more".to_owned()),
            Err("one more".to_owned())
        );
        assert_eq!(chips.spelled_out("\u{86}|\u{87}"), "\u{86}|text 0");
    }
}
