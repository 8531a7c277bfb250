//! Normal forms of text, so that the same words are found however they are spelled.
//!
//! Two forms, because a miss costs differently on either side. Trust is given for [`exact`] only:
//! what an odd spelling reaches may be another place than the one the user named. Distrust follows
//! [`folded`]: an odd spelling of what an outsider wrote is still what he wrote.

use base64::Engine;
use base64::engine::DecodePaddingMode;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig};
use percent_encoding::percent_decode_str;
use unicode_normalization::UnicodeNormalization;

/// Shortest run of letters that is tried as base64 or hexadecimal, characters.
const ENCODED_CHARS: usize = 8;
/// Most text that is decoded out of one text, bytes.
const DECODED_BYTES: usize = 1 << 20;

/// Canonical composition, lower case, single spaces.
pub(crate) fn exact(text: &str) -> String {
    if text.is_ascii() {
        return spaced(text.chars().map(|c| c.to_ascii_lowercase()));
    }
    spaced(text.nfc().flat_map(char::to_lowercase))
}

/// As [`exact`], and with compatible forms (full width, ligatures) made plain and what nobody sees
/// left out.
pub(crate) fn folded(text: &str) -> String {
    if text.is_ascii() {
        return exact(text);
    }
    let seen = text.nfkc().filter(|c| !is_unseen(*c));
    spaced(seen.flat_map(char::to_lowercase))
}

/// Compatible forms made plain and what nobody sees left out, with case and spaces as they are.
pub(crate) fn unmasked(text: &str) -> String {
    text.nfkc().filter(|c| !is_unseen(*c)).collect()
}

/// Canonical composition and single spaces, in the case as it is.
pub(crate) fn unfolded(text: &str) -> String {
    if text.is_ascii() {
        return spaced(text.chars());
    }
    spaced(text.nfc())
}

/// A text about which nothing is odd, in the forms in which it is looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Plain {
    /// As it was written.
    pub(crate) written: String,
    /// With single spaces, in the case as it is.
    pub(crate) same: String,
    /// With single spaces, in lower case.
    pub(crate) folded: String,
}

impl Plain {
    /// Whether single spaces stand between its words and nothing around them: other white space
    /// can carry a message. One line break may end it.
    pub(crate) fn is_evenly_spaced(&self) -> bool {
        let written = self.written.strip_suffix('\n').unwrap_or(&self.written);
        self.same == written
    }
}

/// The forms of a text without any character that hides or that stands for another. `None` for the
/// rest, which is given no trust.
pub(crate) fn plain(text: &str) -> Option<Plain> {
    let exact = exact(text);
    (text.is_ascii() || exact == folded(text)).then(|| Plain {
        written: text.to_owned(),
        same: unfolded(text),
        folded: exact,
    })
}

/// A number as text, the same for `7` and `7.0`.
pub(crate) fn number(number: &serde_json::Number) -> String {
    match number.as_f64() {
        Some(value) if value.fract() == 0.0 && value.abs() < 1e15 => format!("{value:.0}"),
        _ => number.to_string(),
    }
}

/// What the text holds in other clothes: percent escapes, base64 and hexadecimal runs that come to
/// readable text. Without the text itself.
pub(crate) fn decoded(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    if text.contains('%')
        && let Ok(plain) = percent_decode_str(text).decode_utf8()
        && plain != text
    {
        found.push(plain.into_owned());
    }
    if text.contains('&')
        && let plain = html_escape::decode_html_entities(text)
        && plain != text
    {
        found.push(plain.into_owned());
    }
    let mut room = DECODED_BYTES;
    let is_run = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '-' | '_');
    for run in text.split(|c: char| !is_run(c)) {
        if run.len() < ENCODED_CHARS || run.len() > room {
            continue;
        }
        if let Some(plain) = unwrapped(run) {
            room -= run.len();
            found.push(plain);
        }
    }
    found
}

fn unwrapped(run: &str) -> Option<String> {
    let config = GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true);
    let bytes = if run.bytes().all(|b| b.is_ascii_hexdigit()) && run.len().is_multiple_of(2) {
        hex(run)
    } else {
        let alphabet = if run.contains(['-', '_']) {
            &base64::alphabet::URL_SAFE
        } else {
            &base64::alphabet::STANDARD
        };
        GeneralPurpose::new(alphabet, config).decode(run).ok()
    };
    let text = String::from_utf8(bytes?).ok()?;
    let is_readable = !text.is_empty() && !text.chars().any(|c| c.is_control() && c != '\n');
    is_readable.then_some(text)
}

fn hex(run: &str) -> Option<Vec<u8>> {
    let digits: Vec<u8> = run
        .chars()
        .map(|c| c.to_digit(16).and_then(|d| u8::try_from(d).ok()))
        .collect::<Option<_>>()?;
    Some(
        digits
            .chunks_exact(2)
            .map(|pair| pair[0] << 4 | pair[1])
            .collect(),
    )
}

fn spaced(chars: impl Iterator<Item = char>) -> String {
    let (least, most) = chars.size_hint();
    let mut out = String::with_capacity(most.unwrap_or(least));
    let mut is_gap = false;
    for c in chars {
        if c.is_whitespace() {
            is_gap = !out.is_empty();
            continue;
        }
        if is_gap {
            out.push(' ');
            is_gap = false;
        }
        out.push(c);
    }
    out
}

/// Characters without a shape of their own. Source: the Unicode property
/// Default_Ignorable_Code_Point, and control characters.
fn is_unseen(c: char) -> bool {
    c.is_control() && !c.is_whitespace()
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
            | '\u{ffa0}' | '\u{fff0}'..='\u{fff8}' | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odd_spellings_fold_to_the_plain_one_and_are_not_plain() {
        for odd in ["Ａlice", "al\u{200b}ice", "alice\u{e0041}", "\u{202e}alice"] {
            assert_eq!(folded(odd), "alice", "{odd:?}");
            assert_eq!(plain(odd), None, "{odd:?}");
        }
        let uneven = plain(" Alice \n B ").unwrap();
        assert_eq!(
            (uneven.same.as_str(), uneven.folded.as_str()),
            ("Alice B", "alice b")
        );
        assert!(!uneven.is_evenly_spaced() && plain("Alice B\n").unwrap().is_evenly_spaced());
        // Composed and decomposed are the same letter to every reader.
        let same = |text: &str| plain(text).map(|plain| plain.same);
        assert_eq!(same("Jos\u{e9}"), same("Jose\u{301}"));
    }

    #[test]
    fn wrapped_text_is_unwrapped() {
        for wrapped in [
            "evil%40example.org",
            "see ZXZpbEBleGFtcGxlLm9yZw== now",
            "ZXZpbEBleGFtcGxlLm9yZw",
            "x=6576696c406578616d706c652e6f7267",
        ] {
            let found = decoded(wrapped);
            assert!(
                found.iter().any(|t| t.contains("evil@example.org")),
                "{wrapped}: {found:?}"
            );
        }
        assert!(decoded("an ordinary sentence of words").is_empty());
    }

    #[test]
    fn numbers_have_one_spelling() {
        let of = |text: &str| number(&text.parse().unwrap());
        assert_eq!(
            (of("7"), of("7.0"), of("98.7")),
            ("7".into(), "7".into(), "98.7".into())
        );
    }
}
