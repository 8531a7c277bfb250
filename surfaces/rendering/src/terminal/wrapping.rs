//! An answer broken at words while it comes: a terminal breaks it at any letter.

use crate::fit::shown_width;

/// What stands around a block of code.
const FENCE: &str = "```";

/// Where an answer stands on the screen.
#[derive(Debug, Default)]
pub(super) struct Wrapping {
    /// Columns that the line has already.
    column: usize,
    /// Whether it is code, whose lines are kept as they are.
    is_code: bool,
    /// Whether this line is kept: a fence, or a row of a table.
    is_kept: bool,
}

impl Wrapping {
    /// The next words, each whole, as they are printed on a screen of a width.
    pub(super) fn take(&mut self, text: &str, width: Option<usize>) -> String {
        let Some(width) = width else {
            return text.to_owned();
        };
        let words = text.split_inclusive(char::is_whitespace);
        words.fold(String::new(), |mut out, word| {
            self.word(word, width, &mut out);
            out
        })
    }

    fn word(&mut self, word: &str, width: usize, out: &mut String) {
        let letters = word.trim_end();
        if self.column == 0 && !letters.is_empty() {
            let is_fence = letters.starts_with(FENCE);
            self.is_code ^= is_fence;
            self.is_kept = self.is_code || is_fence || letters.starts_with('|');
        }
        let size = shown_width(letters);
        if !self.is_kept && self.column > 0 && self.column + size > width {
            out.push('\n');
            self.column = 0;
        }
        self.column += size;
        // At the edge the line end stands for the space, which would begin the next line.
        if !self.is_kept && self.column >= width && word.len() > letters.len() {
            out.push_str(letters);
            out.push('\n');
            self.column = 0;
            return;
        }
        out.push_str(word);
        match word.ends_with('\n') {
            true => self.column = 0,
            false => self.column += word.len() - letters.len(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrapped(pieces: &[&str]) -> String {
        let mut wrapping = Wrapping::default();
        let taken = pieces.iter().map(|piece| wrapping.take(piece, Some(12)));
        taken.collect()
    }

    #[test]
    fn lines_are_broken_at_words_however_they_come() {
        assert_eq!(
            wrapped(&["one two ", "three ", "four\n", "five"]),
            "one two \nthree four\nfive"
        );
        assert_eq!(wrapped(&["twelve chars goes on"]), "twelve chars\ngoes on");
        assert_eq!(
            wrapped(&["averyveryverylongword so"]),
            "averyveryverylongword\nso"
        );
        assert_eq!(
            wrapped(&["\u{1b}[33mone\u{1b}[0m two three"]),
            "\u{1b}[33mone\u{1b}[0m two \nthree"
        );
    }

    #[test]
    fn code_and_tables_keep_their_lines() {
        let code = "```sh\nls -l a/long/path here\n```\n";
        assert_eq!(wrapped(&[code]), code);
        let table = "| one | two | three |\n";
        assert_eq!(wrapped(&[table]), table);
        let after = wrapped(&[code, "one two three four"]);
        assert_eq!(after, format!("{code}one two \nthree four"));
    }
}
