//! Cutting a long text to its beginning and its end.

/// A text within a limit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Capped {
    /// The whole text, or its head, a note on what is missing, and its tail.
    pub text: String,
    /// Whether anything was left out.
    pub truncated: bool,
    /// How much of the body was left out, bytes.
    pub omitted_bytes: usize,
}

/// The note never gets longer than this, bytes: three 20-digit numbers and its fixed words.
const NOTE_BYTES: usize = 240;

/// Keeps the first two thirds and the last third of what fits into `max_bytes`, cut at line ends
/// where one is near, never inside a character. Between them a line says how much is missing and
/// how to see it. The text is never longer than `max_bytes`; where not even the note fits, only
/// the beginning is kept.
#[must_use]
pub fn head_and_tail(body: &str, max_bytes: usize) -> Capped {
    if body.len() <= max_bytes {
        return Capped {
            text: body.to_owned(),
            truncated: false,
            omitted_bytes: 0,
        };
    }
    if max_bytes < NOTE_BYTES * 2 {
        let head = &body[..body.floor_char_boundary(max_bytes)];
        return Capped {
            text: head.to_owned(),
            truncated: true,
            omitted_bytes: body.len() - head.len(),
        };
    }
    let room = max_bytes - NOTE_BYTES;
    let head = head_of(body, room - room / 3);
    let tail = tail_of(body, room / 3);
    let missing = &body[head.len()..body.len() - tail.len()];
    let lines = missing.lines().count();
    let gap = if head.ends_with('\n') { "" } else { "\n" };
    let note = format!(
        "{gap}[... {} of {} bytes ({lines} lines) left out here; to see them ask for a part: a \
         range of lines, a narrower pattern or one folder ...]\n",
        missing.len(),
        body.len(),
    );
    Capped {
        text: format!("{head}{note}{tail}"),
        truncated: true,
        omitted_bytes: missing.len(),
    }
}

/// The longest beginning within `max` that ends after a line, unless that would give up more than
/// half of it.
fn head_of(body: &str, max: usize) -> &str {
    let head = &body[..body.floor_char_boundary(max)];
    match head.rfind('\n') {
        Some(end) if end >= max / 2 => &head[..=end],
        _ => head,
    }
}

/// The longest end within `max` that begins with a line, unless that would give up more than half
/// of it.
fn tail_of(body: &str, max: usize) -> &str {
    let start = body.ceil_char_boundary(body.len() - max);
    let tail = &body[start..];
    let begins_a_line = body[..start].ends_with('\n');
    match tail.find('\n') {
        Some(end) if !begins_a_line && end < max / 2 => &tail[end + 1..],
        _ => tail,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_text_at_the_limit_is_whole_and_one_byte_more_is_cut_at_line_ends() {
        let body = "0123456789abcde\n".repeat(100);
        assert_eq!(head_and_tail(&body, 1600).text, body);
        let capped = head_and_tail(&format!("{body}x"), 1600);
        assert!(capped.truncated && capped.text.len() <= 1600);
        assert!(capped.text.contains("of 1601 bytes"), "{}", capped.text);
        let whole_lines = capped
            .text
            .lines()
            .all(|l| l == "0123456789abcde" || l == "x" || l.starts_with("[... "));
        assert!(whole_lines, "{}", capped.text);
    }

    #[test]
    fn the_largest_note_fits_its_room() {
        let longest = format!("{0} of {0} bytes ({0} lines)", u64::MAX).len();
        assert!(longest + 130 < NOTE_BYTES);
    }

    proptest! {
        #[test]
        fn nothing_is_longer_than_the_limit_or_lost_unnoticed(
            body in "(\\PC|\n){0,2000}", max in 0_usize..3000
        ) {
            let capped = head_and_tail(&body, max);
            prop_assert!(capped.text.len() <= max);
            prop_assert_eq!(capped.truncated, body.len() > max);
            prop_assert_eq!(capped.truncated, capped.omitted_bytes > 0);
            if max >= NOTE_BYTES * 2 && capped.truncated {
                let start = capped.text.find("[... ").unwrap();
                let tail_len = body.len() - capped.omitted_bytes;
                prop_assert!(tail_len < max);
                prop_assert!(body.starts_with(capped.text[..start].trim_end_matches('\n')));
            }
        }
    }
}
