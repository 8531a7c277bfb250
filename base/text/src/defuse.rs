//! Taking out of outside content what a person would not see and a model would read.

use crate::hidden;

/// Longest terminal string command (a window title, a link) that is taken as one sequence, bytes.
/// A longer or unfinished one loses only its introducer, so that it cannot swallow the text.
const TERMINAL_STRING_BYTES: usize = 4_096;

/// Removes terminal escape sequences, control characters other than line feed and tab, and
/// invisible, reordering and tag characters; returns the rest and how many were removed. Emoji
/// sequences, accents and letters of every script, joiners where they join, and `\r\n` stay. A
/// carriage return alone becomes a line feed, since a terminal would overwrite the line.
#[must_use]
pub fn strip_hidden(text: &str) -> (String, usize) {
    let mut out = String::with_capacity(text.len());
    let mut removed = 0;
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let after = &rest[c.len_utf8()..];
        if let Some(length) = terminal_sequence(rest) {
            removed += 1;
            rest = &rest[length..];
            continue;
        }
        if c == '\r' {
            let pairs = after.starts_with('\n');
            removed += usize::from(!pairs);
            out.push(if pairs { '\r' } else { '\n' });
        } else if hidden::hides(&out, c, after) {
            removed += 1;
        } else {
            out.push(c);
        }
        rest = after;
    }
    (out, removed)
}

/// The text as far as all terminal sequences in it have an end. Of a text that is not all there yet,
/// what follows may be more of the last one.
#[must_use]
pub fn without_open_sequence(text: &str) -> &str {
    let mut from = 0;
    while let Some(at) = text[from..].find(begins_sequence).map(|at| from + at) {
        if is_open(&text[at..]) {
            return &text[..at];
        }
        from = at + terminal_sequence(&text[at..]).unwrap_or(1).max(1);
    }
    text
}

/// Whether a character may begin a terminal sequence.
const fn begins_sequence(c: char) -> bool {
    matches!(
        c,
        '\u{1b}' | '\u{9b}' | '\u{9d}' | '\u{90}' | '\u{98}' | '\u{9e}' | '\u{9f}'
    )
}

/// Whether the sequence that a text begins with may have its end behind the text.
fn is_open(text: &str) -> bool {
    let (kind, body) = match text.strip_prefix('\u{1b}') {
        Some(body) => (body.chars().next(), body.get(1..)),
        None => {
            let mut letters = text.chars();
            let kind = match letters.next() {
                Some('\u{9b}') => '[',
                _ => ']',
            };
            (Some(kind), Some(letters.as_str()))
        }
    };
    let (Some(kind), Some(body)) = (kind, body) else {
        return kind.is_none();
    };
    match kind {
        '[' => body.bytes().all(|b| (0x20..=0x3f).contains(&b)),
        ']' | 'P' | 'X' | '^' | '_' => {
            body.len() < TERMINAL_STRING_BYTES && terminal_string(body) == 0
        }
        ' '..='/' => body.bytes().all(|b| (0x20..=0x2f).contains(&b)),
        _ => false,
    }
}

/// The length in bytes of the terminal sequence `text` begins with (ECMA-48, 7 and 8 bit forms).
fn terminal_sequence(text: &str) -> Option<usize> {
    let (kind, body) = match text.strip_prefix('\u{1b}') {
        Some(body) => (body.chars().next(), body.get(1..)),
        None => {
            let first = text.chars().next()?;
            let kind = match first {
                '\u{9b}' => '[',
                '\u{9d}' => ']',
                '\u{90}' | '\u{98}' | '\u{9e}' | '\u{9f}' => 'P',
                _ => return None,
            };
            (Some(kind), text.get(first.len_utf8()..))
        }
    };
    let (Some(kind), Some(body)) = (kind, body) else {
        // An escape at the end, or in front of a character that no sequence begins with.
        return Some(1);
    };
    let introducer = text.len() - body.len();
    let length = match kind {
        '[' => introducer + control_sequence(body),
        ']' | 'P' | 'X' | '^' | '_' => introducer + terminal_string(body),
        ' '..='/' => introducer + intermediate_sequence(body),
        '0'..='~' => introducer,
        _ => 1,
    };
    Some(length)
}

/// Parameters, intermediates and the final byte; nothing when there is no final byte.
fn control_sequence(body: &str) -> usize {
    let inner = body
        .bytes()
        .position(|b| !(0x20..=0x3f).contains(&b))
        .unwrap_or(body.len());
    match body.as_bytes().get(inner) {
        Some(0x40..=0x7e) => inner + 1,
        _ => 0,
    }
}

fn terminal_string(body: &str) -> usize {
    let window = &body[..body.floor_char_boundary(TERMINAL_STRING_BYTES)];
    let ends = ["\u{7}", "\u{1b}\\", "\u{9c}"];
    ends.iter()
        .filter_map(|end| window.find(end).map(|at| at + end.len()))
        .min()
        .unwrap_or(0)
}

fn intermediate_sequence(body: &str) -> usize {
    let inner = body
        .bytes()
        .position(|b| !(0x20..=0x2f).contains(&b))
        .unwrap_or(body.len());
    match body.as_bytes().get(inner) {
        Some(0x30..=0x7e) => inner + 1,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn disguises_go() {
        let tags: String = "ignore"
            .chars()
            .filter_map(|c| char::from_u32(0xe0000 + u32::from(c)))
            .collect();
        let cases = [
            ("\u{1b}[31mred\u{1b}[0m".to_owned(), "red", 2),
            (
                "\u{1b}]8;;http://x\u{7}link\u{1b}]8;;\u{1b}\\".to_owned(),
                "link",
                2,
            ),
            ("\u{9b}2Jx".to_owned(), "x", 1),
            ("\u{1b}(Bx\u{1b}cy".to_owned(), "xy", 2),
            ("\u{1b}]never ends".to_owned(), "never ends", 1),
            ("\u{1b}\u{1b}[1mx".to_owned(), "x", 2),
            ("\u{1b}äx\u{1b}".to_owned(), "äx", 2),
            ("a\u{8}b\u{0}c".to_owned(), "abc", 2),
            ("a\rb\r\nc".to_owned(), "a\nb\r\nc", 1),
            (format!("hi{tags}"), "hi", 6),
            (format!("🏴{tags}"), "🏴", 6),
            (
                "a\u{200b}b\u{202e}c\u{2066}d\u{ad}e\u{feff}f".to_owned(),
                "abcdef",
                5,
            ),
            ("a\u{200d}b".to_owned(), "ab", 1),
            ("😀\u{fe0f}\u{fe01}\u{fe0f}x".to_owned(), "😀\u{fe0f}x", 2),
            ("😀\u{e0100}\u{e0101}".to_owned(), "😀", 2),
        ];
        for (text, left, count) in cases {
            assert_eq!(strip_hidden(&text), (left.to_owned(), count), "{text:?}");
        }
    }

    #[test]
    fn a_sequence_without_its_end_is_left_out() {
        let cases = [
            ("plain", "plain"),
            ("red \u{1b}[31mword", "red \u{1b}[31mword"),
            ("half\u{1b}", "half"),
            ("half\u{1b}[3", "half"),
            ("one\u{1b}[1mtwo\u{9b}3;", "one\u{1b}[1mtwo"),
            ("title\u{1b}]0;my", "title"),
            ("title\u{1b}]0;my\u{1b}", "title"),
            ("title\u{1b}]0;my\u{1b}\\end", "title\u{1b}]0;my\u{1b}\\end"),
            ("set\u{1b}(", "set"),
            ("set\u{1b}(B", "set\u{1b}(B"),
            ("\u{1b}ä", "\u{1b}ä"),
        ];
        for (text, whole) in cases {
            assert_eq!(without_open_sequence(text), whole, "{text:?}");
        }
        let long = format!("\u{1b}]{}", "x".repeat(TERMINAL_STRING_BYTES));
        assert_eq!(without_open_sequence(&long), long);
    }

    #[test]
    fn honest_writing_stays() {
        let flag: String = "gbsct"
            .chars()
            .filter_map(|c| char::from_u32(0xe0000 + u32::from(c)))
            .chain(['\u{e007f}'])
            .collect();
        let texts = [
            "👨\u{200d}👩\u{200d}👧\u{200d}👦 👩🏽\u{200d}💻 ❤\u{fe0f}\u{200d}🔥 🏳\u{fe0f}\u{200d}🌈 1\u{fe0f}\u{20e3}".to_owned(),
            format!("🏴{flag}"),
            "می\u{200c}خواهم क्\u{200d}ष שָׁלוֹם العربية e\u{301} ไทย 한국어".to_owned(),
            "line\r\nline\ttab \\x1b[0m 🇩🇪".to_owned(),
        ];
        for text in texts {
            assert_eq!(strip_hidden(&text), (text.clone(), 0));
        }
    }

    proptest! {
        #[test]
        fn stripping_twice_is_stripping_once(
            text in "([a-z😀🏴\u{200d}\u{fe0f}\u{e0067}\u{e0062}\u{e007f}\u{1b}\u{9b}\\[\\]P(;\r\n\u{200c}ی\u{200b}0m]){0,40}"
        ) {
            let (once, removed) = strip_hidden(&text);
            prop_assert_eq!(strip_hidden(&once), (once.clone(), 0));
            prop_assert_eq!(removed == 0, once == text);
        }

        #[test]
        fn any_text_is_taken(text in any::<String>()) {
            let (once, _) = strip_hidden(&text);
            let hidden = ['\u{1b}', '\u{9b}', '\u{202e}', '\u{200b}'];
            prop_assert!(!once.contains(hidden));
        }
    }
}
