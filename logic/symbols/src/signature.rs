//! The one line that a symbol is shown by.

use domain::limits::SIGNATURE_CHARS;

/// What a line does not end with: what would begin its body or value, or end its statement.
const ENDS: [char; 5] = ['{', '=', ':', ';', '\\'];
/// Behind a line that goes on, and before a name that stands in what is left out.
const GAP: char = '…';

/// A text as one line: runs of white space as one space, up to `stop` and at most
/// [`SIGNATURE_CHARS`].
pub(crate) fn one_line(text: &str, stop: Option<char>) -> String {
    let mut line = String::new();
    let (mut count, mut is_spaced) = (0, false);
    for letter in text.chars() {
        if Some(letter) == stop {
            break;
        }
        if letter.is_whitespace() {
            is_spaced = count > 0;
            continue;
        }
        if count + 2 > SIGNATURE_CHARS {
            line.push(GAP);
            return line;
        }
        if is_spaced {
            line.push(' ');
            count += 1;
            is_spaced = false;
        }
        line.push(letter);
        count += 1;
    }
    let ended = line.trim_end();
    let ended = ended.strip_suffix("=>").unwrap_or(ended);
    let ended = ended.trim_end_matches(|c: char| ENDS.contains(&c) || c.is_whitespace());
    ended.to_owned()
}

/// The line with a name that was left out of it.
pub(crate) fn with_name(line: String, name: &str) -> String {
    match name.is_empty() || line.contains(name) || line.ends_with(GAP) {
        true => line,
        false => one_line(&format!("{line} {GAP} {name}"), None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_joined_and_their_open_ends_dropped() {
        let cases = [
            ("fn a(\n    b: u8,\n) -> u8 ", None, "fn a( b: u8, ) -> u8"),
            ("def a(b):", None, "def a(b)"),
            ("a = (b) =>", None, "a = (b)"),
            ("int a = 3;", Some('='), "int a"),
            ("typedef struct { int a; } b;", Some('{'), "typedef struct"),
            ("  \n ", None, ""),
            ("{", None, ""),
        ];
        for (text, stop, line) in cases {
            assert_eq!(one_line(text, stop), line);
        }
        assert_eq!(
            with_name("typedef struct".into(), "b"),
            "typedef struct … b"
        );
        assert_eq!(with_name("struct b".into(), "b"), "struct b");
    }

    #[test]
    fn a_line_at_the_limit_is_whole_and_a_longer_one_is_cut() {
        let most = "ü".repeat(SIGNATURE_CHARS - 1);
        assert_eq!(one_line(&most, None), most);
        let longer = one_line(&"ü ".repeat(SIGNATURE_CHARS), None);
        assert!(longer.ends_with(GAP));
        assert!(longer.chars().count() <= SIGNATURE_CHARS, "{longer}");
        let long = one_line(&"ü".repeat(SIGNATURE_CHARS * 2), None);
        assert_eq!(long.chars().count(), SIGNATURE_CHARS);
    }
}
