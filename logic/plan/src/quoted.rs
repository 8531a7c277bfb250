//! Quoted texts of a request: found, marked, and written so that they are found again.

/// Marks the place of a quoted text. Private-use characters, which are removed from the input
/// first, so that no request can forge one.
pub(crate) const OPEN: char = '\u{E000}';
pub(crate) const CLOSE: char = '\u{E001}';

/// Pairs of marks that a text may be put in, the one that is typed most first.
const PAIRS: [(char, char); 6] = [
    ('"', '"'),
    ('\'', '\''),
    ('`', '`'),
    ('“', '”'),
    ('«', '»'),
    ('‘', '’'),
];

/// What stands in the place of a quoted text.
pub(crate) fn mark(index: usize) -> String {
    format!("{OPEN}{index}{CLOSE}")
}

/// A text in marks that do not stand in it, as it can be typed; in straight ones where it has all.
pub(crate) fn in_quotes(text: &str) -> String {
    let mut pairs = PAIRS.iter();
    let free = pairs.find(|(open, close)| !text.contains([*open, *close]));
    let (open, close) = free.unwrap_or(&PAIRS[0]);
    format!("{open}{text}{close}")
}

/// A path as it can be typed: in quotes where it has spaces.
pub(crate) fn typed_path(path: &str) -> String {
    match path.contains(char::is_whitespace) {
        true => in_quotes(path),
        false => path.to_owned(),
    }
}

/// Replaces quoted texts by marks. An apostrophe inside a word opens nothing.
pub(crate) fn marked(text: &str) -> (String, Vec<String>) {
    let clean: Vec<char> = text.chars().filter(|c| *c != OPEN && *c != CLOSE).collect();
    let mut marked = String::new();
    let mut quotes = Vec::new();
    // Marks that nothing closes from here on: looked for once, since a long text may have many.
    let mut open: Vec<char> = Vec::new();
    let mut at = 0;
    while let Some(&c) = clean.get(at) {
        let starts_word = at == 0
            || clean
                .get(at - 1)
                .is_some_and(|before| before.is_whitespace() || "(:,=".contains(*before));
        let close = closing(c);
        let end = match starts_word && !close.is_empty() && !open.contains(&c) {
            true => {
                let end = find_close(&clean, at + 1, close);
                open.extend(end.is_none().then_some(c));
                end
            }
            false => None,
        };
        match end {
            Some(end) => {
                marked.push_str(&mark(quotes.len()));
                quotes.push(clean[at + 1..end].iter().collect());
                at = end + 1;
            }
            None => {
                marked.push(c);
                at += 1;
            }
        }
    }
    (marked, quotes)
}

/// The marks that end a text that one begins, by the habits of languages; none where it begins none.
const fn closing(open: char) -> &'static [char] {
    match open {
        '"' => &['"'],
        '\'' => &['\''],
        '`' => &['`'],
        '“' => &['”'],
        '„' => &['“', '”', '"'],
        '‘' => &['’'],
        '‚' => &['‘', '’'],
        '«' => &['»'],
        '»' => &['«'],
        _ => &[],
    }
}

/// The end of a quoted text: a closing mark that no letter or digit follows.
fn find_close(text: &[char], from: usize, close: &[char]) -> Option<usize> {
    (from..text.len()).find(|&at| {
        close.contains(&text[at]) && !text.get(at + 1).is_some_and(|next| next.is_alphanumeric())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_put_in_marks_in_which_it_is_found_whole() {
        for text in [
            "plain",
            "\"Come in,\" she said.",
            "it's \"so\"",
            "it's \"so\" `here`",
        ] {
            let (marks, quotes) = marked(&in_quotes(text));
            assert_eq!((marks, quotes), (mark(0), vec![text.to_owned()]));
        }
    }

    #[test]
    fn a_mark_that_nothing_closes_leaves_the_texts_behind_it() {
        let (marks, quotes) = marked("say « and « and \"a b\" and « 'c d' at \" ten");
        assert_eq!(quotes, ["a b", "c d"]);
        assert!(marks.starts_with("say « and « and "), "{marks}");
    }

    #[test]
    fn quotes_of_other_languages_are_quotes() {
        for says in [
            "„a b“",
            "„a b”",
            "»a b«",
            "«a b»",
            "“a b”",
            "‚a b‘",
            "„a b\"",
        ] {
            assert_eq!(marked(says), (mark(0), vec!["a b".to_owned()]), "{says}");
        }
    }
}
