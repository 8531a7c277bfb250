//! Cutting a long text to its beginning, or to that and its end.

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

/// The first `most` characters of a text at most, in whole words, with `…` where it goes on.
#[must_use]
pub fn first_words(text: &str, most: usize) -> String {
    let Some((end, _)) = text.char_indices().nth(most) else {
        return text.to_owned();
    };
    let head = whole_words_before(text, end);
    format!("{}…", head.trim_end())
}

/// The beginning and the end of a text of more than `most` characters, in whole words, with `…` between
/// them: where something is told, what to do about it comes last.
#[must_use]
pub fn without_middle(text: &str, most: usize) -> String {
    let count = text.chars().count();
    let at = |place: usize| text.char_indices().nth(place).map(|(at, _)| at);
    let half = most / 2;
    let (Some(end), Some(start)) = (at(half), at(count.saturating_sub(half))) else {
        return text.to_owned();
    };
    if count <= most {
        return text.to_owned();
    }
    let head = whole_words_before(text, end).trim_end();
    let tail = &text[start..];
    let tail = match text[..start].ends_with(char::is_whitespace) {
        true => tail,
        false => tail
            .split_once(char::is_whitespace)
            .map_or(tail, |(_, whole)| whole),
    };
    format!("{head} … {}", tail.trim_start())
}

/// What of a text ends before `end`, without a word that goes on there, unless it is one alone.
fn whole_words_before(text: &str, end: usize) -> &str {
    let (head, rest) = text.split_at(end);
    if rest.starts_with(char::is_whitespace) {
        return head;
    }
    let last = head.rfind(char::is_whitespace);
    last.map_or(head, |last| &head[..last])
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
    fn no_word_is_cut_in_two() {
        assert_eq!(first_words("one two three", 13), "one two three");
        assert_eq!(first_words("one two three", 12), "one two…");
        assert_eq!(first_words("one two three", 7), "one two…");
        assert_eq!(first_words("onetwothree", 6), "onetwo…");
        assert_eq!(
            without_middle("one two three four", 18),
            "one two three four"
        );
        assert_eq!(without_middle("one two three four", 14), "one two … four");
        assert_eq!(without_middle("ünë twö thrëë föur", 12), "ünë … föur");
        assert_eq!(without_middle("onetwothreefour", 6), "one … our");
        assert_eq!(without_middle("", 0), "");
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
