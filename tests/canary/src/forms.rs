//! The forms of one text, as bytes to look for.

use base64::Engine;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

/// One text in every form it is looked for in.
#[derive(Debug, Clone)]
pub struct Forms {
    forms: Vec<(&'static str, Vec<u8>)>,
}

impl Forms {
    /// The forms of a text.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let bytes = text.as_bytes();
        let each = |form: &dyn Fn(u8) -> String, between: &str| {
            let all: Vec<String> = bytes.iter().map(|byte| form(*byte)).collect();
            all.join(between).into_bytes()
        };
        let mut forms = vec![
            ("as it is", bytes.to_vec()),
            ("reversed", text.chars().rev().collect::<String>().into()),
            ("upper case", text.to_uppercase().into()),
            ("lower case", text.to_lowercase().into()),
            ("hexadecimal", each(&|b| format!("{b:02x}"), "")),
            ("hexadecimal, upper case", each(&|b| format!("{b:02X}"), "")),
            (
                "hexadecimal with blanks",
                each(&|b| format!("{b:02x}"), " "),
            ),
            (
                "hexadecimal with colons",
                each(&|b| format!("{b:02x}"), ":"),
            ),
            ("escaped bytes", each(&|b| format!("\\x{b:02x}"), "")),
            ("octal with blanks", each(&|b| format!("{b:03o}"), " ")),
            ("numbers in a list", each(&|b| b.to_string(), ", ")),
            ("numbers in JSON", each(&|b| b.to_string(), ",")),
            ("binary", each(&|b| format!("{b:08b}"), "")),
            ("one a line", each(&|b| char::from(b).to_string(), "\n")),
            ("with blanks", each(&|b| char::from(b).to_string(), " ")),
            ("percent, all", each(&|b| format!("%{b:02X}"), "")),
            (
                "percent",
                utf8_percent_encode(text, NON_ALPHANUMERIC)
                    .to_string()
                    .into(),
            ),
            (
                "turned by 13",
                text.chars().map(turned).collect::<String>().into(),
            ),
            (
                "UTF-16, little-endian",
                text.encode_utf16().flat_map(u16::to_le_bytes).collect(),
            ),
            (
                "UTF-16, big-endian",
                text.encode_utf16().flat_map(u16::to_be_bytes).collect(),
            ),
            ("base32", base32(bytes)),
        ];
        let half = bytes.len() / 2;
        forms.push(("its first half", bytes[..half].to_vec()));
        forms.push(("its second half", bytes[half..].to_vec()));
        for before in 0..3 {
            forms.push(("base64", within(bytes, before, &STANDARD_NO_PAD)));
            forms.push((
                "base64 for addresses",
                within(bytes, before, &URL_SAFE_NO_PAD),
            ));
        }
        Self { forms }
    }

    /// The forms that are in these bytes.
    #[must_use]
    pub fn found_in(&self, bytes: &[u8]) -> Vec<&'static str> {
        let has = |form: &[u8]| bytes.windows(form.len()).any(|window| window == form);
        let there = self.forms.iter().filter(|(_, form)| has(form));
        there.map(|(name, _)| *name).collect()
    }

    /// Every form with its name.
    #[must_use]
    pub fn all(&self) -> &[(&'static str, Vec<u8>)] {
        &self.forms
    }
}

fn turned(letter: char) -> char {
    let base = match letter {
        'a'..='z' => b'a',
        'A'..='Z' => b'A',
        other => return other,
    };
    char::from(base + (letter as u8 - base + 13) % 26)
}

/// The part of the encoding that does not depend on what stands before and after, with `before`
/// bytes before it.
fn within(bytes: &[u8], before: usize, engine: &impl Engine) -> Vec<u8> {
    let padded = [&vec![0; before][..], bytes].concat();
    let encoded = engine.encode(&padded);
    let first = (before * 8).div_ceil(6);
    let last = padded.len() * 8 / 6;
    encoded.as_bytes()[first..last].to_vec()
}

/// RFC 4648 base32, up to the last whole group of five bits.
fn base32(bytes: &[u8]) -> Vec<u8> {
    const LETTERS: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    let bits: Vec<u8> = bytes
        .iter()
        .flat_map(|byte| (0..8).rev().map(move |bit| byte >> bit & 1))
        .collect();
    let value = |group: &[u8]| group.iter().fold(0, |value, bit| value << 1 | bit);
    let groups = bits.chunks_exact(5);
    groups
        .map(|group| LETTERS[usize::from(value(group))])
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{KEY, MARKER};

    #[test]
    fn every_form_is_found_amid_other_bytes_and_only_its_own() {
        let forms = Forms::of(KEY);
        assert!(forms.all().len() >= 25);
        for (name, form) in forms.all() {
            let amid = [b"\0before ", form.as_slice(), b" after\xff"].concat();
            assert!(forms.found_in(&amid).contains(name), "{name}");
            assert!(Forms::of(MARKER).found_in(&amid).is_empty(), "{name}");
        }
        for before in 0..6 {
            let text = format!("{}{KEY}{}", "x".repeat(before), "y".repeat(before));
            let encoded = STANDARD_NO_PAD.encode(text);
            assert!(
                forms.found_in(encoded.as_bytes()).contains(&"base64"),
                "{before}"
            );
        }
    }
}
