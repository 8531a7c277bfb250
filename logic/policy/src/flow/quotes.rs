//! What the user put in quotes: names, of which a part is no name, and forms with blanks.

use std::ops::Range;

/// Longest text in quotes that is looked at, bytes.
const QUOTED_BYTES: usize = 200;
/// Longest name in quotes, words. What is longer is a text that holds names.
const NAME_WORDS: usize = 6;
/// Longest name of a blank, and longest filling of one, bytes.
const BLANK_BYTES: usize = 80;
/// Most blanks of a form.
const BLANKS: usize = 4;
/// Fewest letters and digits that a form fixes.
const FIXED_CHARS: usize = 4;

/// Marks that open a quoted text, each with the one that closes it.
const MARKS: [(char, char); 6] = [
    ('"', '"'),
    ('\'', '\''),
    ('“', '”'),
    ('„', '“'),
    ('‘', '’'),
    ('«', '»'),
];

/// A text with blanks, as the user gave it: `'Dinner at {restaurant}'`.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Form {
    /// What stands before, between and after the blanks.
    fixed: Vec<String>,
}

/// The places of all quoted texts in a text, without their marks.
pub(crate) fn quoted(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some((start, end)) = next_quoted(text, from) {
        // The mark that closes one quotation opens no other.
        let mark = text.get(end..).and_then(|rest| rest.chars().next());
        from = end + mark.map_or(0, char::len_utf8);
        found.push(start..end);
    }
    found
}

fn next_quoted(text: &str, from: usize) -> Option<(usize, usize)> {
    let rest = text.get(from..)?;
    let mut before = text.get(..from)?.chars().next_back();
    for (offset, c) in rest.char_indices() {
        let opens = before.is_none_or(|b| !b.is_alphanumeric());
        before = Some(c);
        let Some((_, close)) = MARKS.iter().find(|(open, _)| opens && *open == c) else {
            continue;
        };
        let start = from + offset + c.len_utf8();
        if let Some(end) = closing(text, start, *close) {
            return Some((start, end));
        }
    }
    None
}

/// Where the quoted text that begins at `start` ends: at a mark with no letter behind it.
fn closing(text: &str, start: usize, close: char) -> Option<usize> {
    let rest = text.get(start..)?;
    let ends = rest
        .char_indices()
        .take_while(|(offset, _)| *offset <= QUOTED_BYTES)
        .filter(|(_, c)| *c == close);
    let mut whole = ends.filter(|(offset, c)| {
        let inner = rest.get(..*offset).unwrap_or("");
        let after = rest.get(offset + c.len_utf8()..).unwrap_or("");
        !after.chars().next().is_some_and(char::is_alphanumeric)
            && !inner.is_empty()
            && !inner.starts_with(' ')
            && !inner.ends_with(' ')
    });
    whole.next().map(|(offset, _)| start + offset)
}

/// Whether a find is words cut out of a name in quotes: `photos 2019` in `"photos 2019 copies"`. An
/// address is whole wherever it stands.
pub(super) fn is_cut_out(text: &str, found: &Range<usize>, quoted: &[Range<usize>]) -> bool {
    let wanted = text.get(found.clone()).unwrap_or("");
    if wanted.contains(['@', '/', ':', '.']) {
        return false;
    }
    // They stand in order and none within another.
    let first = quoted.partition_point(|quote| quote.end < found.end);
    let Some(quote) = quoted.get(first).filter(|q| q.start <= found.start) else {
        return false;
    };
    let name = text.get(quote.clone()).unwrap_or("");
    if name.split(' ').count() > NAME_WORDS {
        return false;
    }
    // A blank stands for words.
    let is_word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || "{}<>[]".contains(c));
    let before = text.get(quote.start..found.start).unwrap_or("");
    let after = text.get(found.end..quote.end).unwrap_or("");
    is_word(before.trim_end().chars().next_back()) || is_word(after.trim_start().chars().next())
}

impl Form {
    /// What stands before, between and after the blanks.
    pub(super) fn fixed(&self) -> &[String] {
        &self.fixed
    }

    /// The form in a quoted text in its normal form; `None` when it has no blank or fixes next to
    /// nothing.
    pub(super) fn of(quoted: &str) -> Option<Self> {
        let mut fixed = Vec::new();
        let mut rest = quoted;
        while let Some(blank) = next_blank(rest) {
            fixed.push(rest.get(..blank.start)?.to_owned());
            rest = rest.get(blank.end..)?;
        }
        fixed.push(rest.to_owned());
        let touch = fixed.len() > 2 && fixed[1..fixed.len() - 1].iter().any(String::is_empty);
        let letters = fixed.iter().flat_map(|piece| piece.chars());
        let is_form = (2..=BLANKS + 1).contains(&fixed.len())
            && letters.filter(|c| c.is_alphanumeric()).count() >= FIXED_CHARS
            && !touch;
        is_form.then_some(Self { fixed })
    }

    /// Whether a text in its normal form is this form with its blanks filled in.
    pub(super) fn fits(&self, text: &str) -> bool {
        let [first, between @ .., last] = self.fixed.as_slice() else {
            return false;
        };
        let Some(mut rest) = text.strip_prefix(first.as_str()) else {
            return false;
        };
        let is_filling = |filling: &str| !filling.trim().is_empty() && filling.len() <= BLANK_BYTES;
        for piece in between {
            // No piece between two blanks is empty.
            let Some((filling, after)) = rest.split_once(piece.as_str()) else {
                return false;
            };
            if !is_filling(filling) {
                return false;
            }
            rest = after;
        }
        rest.strip_suffix(last.as_str()).is_some_and(is_filling)
    }
}

/// The next blank: `{name}`, `<name>` or `[name]`.
fn next_blank(text: &str) -> Option<Range<usize>> {
    text.char_indices().find_map(|(start, c)| {
        let close = match c {
            '{' => '}',
            '<' => '>',
            '[' => ']',
            _ => return None,
        };
        let rest = text.get(start + 1..)?;
        let end = rest.find(close)?;
        let name = rest.get(..end)?;
        let is_name = name
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | ' ' | '\''));
        (is_name && !name.trim().is_empty() && name.len() <= BLANK_BYTES)
            .then_some(start..start + end + 2)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<&str> {
        quoted(text).into_iter().map(|r| &text[r]).collect()
    }

    #[test]
    fn quoted_texts_are_found_and_apostrophes_are_none() {
        let table: [(&str, &[&str]); 7] = [
            ("say 'it is.'. As in 'a note' of his", &["it is.", "a note"]),
            ("titled 'lunch' and \"a b\"", &["lunch", "a b"]),
            ("the hotel's name and bob's", &[]),
            ("the 'owner's list' of it", &["owner's list"]),
            ("“so” and „so“ and «so»", &["so", "so", "so"]),
            ("5' 6' tall", &[]),
            ("an open 'quote", &[]),
        ];
        for (text, expected) in table {
            assert_eq!(texts(text), expected, "{text}");
        }
    }

    #[test]
    fn a_form_takes_what_fills_its_blanks_and_nothing_else() {
        let form = |text: &str| Form::of(text);
        let dinner = form("dinner at {restaurant_name}").unwrap();
        assert!(dinner.fits("dinner at chez nous"));
        for other in [
            "dinner at ",
            "dinner",
            "lunch at chez nous",
            "a dinner at chez nous",
            &format!("dinner at {}", "x".repeat(BLANK_BYTES + 1)),
        ] {
            assert!(!dinner.fits(other), "{other}");
        }
        let two = form("from <a> to [the place] by train").unwrap();
        assert!(two.fits("from x to y by train"));
        assert!(!two.fits("from x to y by car") && !two.fits("from x by train"));
        for none in [
            "dinner",
            "{a}",
            "{a} at",
            "a {a}{b} long one",
            "{a\"b} and more",
        ] {
            assert_eq!(form(none), None, "{none}");
        }
    }

    #[test]
    fn a_part_of_a_name_in_quotes_is_cut_out() {
        let is_cut = |text: &str, wanted: &str| {
            let start = text.find(wanted).unwrap();
            is_cut_out(text, &(start..start + wanted.len()), &quoted(text))
        };
        assert!(is_cut("wipe 'photos 2019 copies' now", "photos 2019"));
        assert!(is_cut("wipe 'photos 2019 copies' now", "copies"));
        for (text, wanted) in [
            ("wipe 'photos 2019' now", "photos 2019"),
            ("wipe photos 2019 copies now", "photos 2019"),
            ("mail 'bob, carol'", "carol"),
            ("mail 'it goes to bob@x.org today'", "bob@x.org"),
            ("'a long text of very many words with bob'", "bob"),
        ] {
            assert!(!is_cut(text, wanted), "{wanted} in {text}");
        }
    }
}
