//! Known secrets in every encoding they could leak in, and texts that have the shape of one.

mod key;

pub use key::is_a_key;

use crate::defuse::strip_hidden;
use crate::hidden::is_no_letter;
use base64::Engine;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use regex::RegexSet;
use std::borrow::Cow;
use std::fmt;
use std::sync::LazyLock;
use zeroize::Zeroizing;

/// Shortest secret that is looked for, bytes: shorter ones stand in half of all texts.
pub const SHORTEST: usize = 6;
/// What stands where a secret was.
const REDACTED: &str = "[REDACTED]";

/// Shapes that credentials of well-known kinds have. Sources: the documentation of each issuer.
static SHAPES: LazyLock<Option<RegexSet>> = LazyLock::new(|| {
    RegexSet::new([
        r"-----BEGIN (?:[A-Z]+ )*PRIVATE KEY(?: BLOCK)?-----",
        r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b",
        r"\bgh[pousr]_[A-Za-z0-9]{36,}\b",
        r"\bgithub_pat_[A-Za-z0-9_]{40,}\b",
        r"\bglpat-[A-Za-z0-9_-]{20,}\b",
        r"\bsk-(?:ant-|proj-)?[A-Za-z0-9_-]{24,}\b",
        r"\bxox[abprs]-[A-Za-z0-9-]{20,}\b",
        r"\bAIza[A-Za-z0-9_-]{35}\b",
        r"\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}",
        r"\bAGE-SECRET-KEY-1[A-Z0-9]{50,}\b",
    ])
    .ok()
});

/// Whether a text has the shape of a credential.
#[must_use]
pub fn has_shape(text: &str) -> bool {
    SHAPES.as_ref().is_none_or(|shapes| shapes.is_match(text))
}

/// What of a text is not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rest {
    /// Whether something stood before it.
    pub is_before: bool,
    /// Whether something comes behind it.
    pub is_behind: bool,
}

/// The forms of known secrets. Never printed; wiped when dropped.
#[derive(Clone, Default)]
pub struct Needles {
    forms: Vec<Zeroizing<String>>,
}

impl fmt::Debug for Needles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Needles").finish_non_exhaustive()
    }
}

impl Needles {
    /// Adds a secret. One shorter than [`SHORTEST`] is left out.
    pub fn add(&mut self, secret: &str) {
        if secret.len() < SHORTEST {
            return;
        }
        let mut forms = vec![
            secret.to_owned(),
            secret.chars().rev().collect(),
            utf8_percent_encode(secret, NON_ALPHANUMERIC).to_string(),
            secret.bytes().map(|b| format!("%{b:02x}")).collect(),
            secret.bytes().map(|b| format!("%{b:02X}")).collect(),
            secret.bytes().map(|b| format!("{b:02x}")).collect(),
            secret.bytes().map(|b| format!("{b:02X}")).collect(),
            serde_json::Value::from(secret)
                .to_string()
                .trim_matches('"')
                .to_owned(),
        ];
        for skip in 0..3 {
            forms.extend(encoded_after(secret, skip));
        }
        forms.sort_by_key(|form| std::cmp::Reverse(form.len()));
        for form in forms {
            if form.len() >= SHORTEST && !self.forms.iter().any(|known| **known == form) {
                self.forms.push(Zeroizing::new(form));
            }
        }
    }

    /// Whether a secret was added before. One shorter than [`SHORTEST`] never is.
    #[must_use]
    pub fn knows(&self, secret: &str) -> bool {
        self.forms.iter().any(|form| **form == secret)
    }

    /// Whether a text holds one, also with white space or what nobody sees put into it.
    #[must_use]
    pub fn is_in(&self, text: &str) -> bool {
        if self.forms.is_empty() {
            return false;
        }
        let seen = Zeroizing::new(bare(text).0);
        let joined: Zeroizing<String> =
            Zeroizing::new(seen.chars().filter(|c| !c.is_whitespace()).collect());
        let is_in = |form: &Zeroizing<String>| {
            let bare: String = form.chars().filter(|c| !c.is_whitespace()).collect();
            text.contains(form.as_str()) || bare.len() >= SHORTEST && joined.contains(&bare)
        };
        self.forms.iter().any(is_in)
    }

    /// Whether a text holds one of these secrets, or has the shape of any.
    #[must_use]
    pub fn may_be_in(&self, text: &str) -> bool {
        has_shape(text) || self.is_in(text)
    }

    /// The text with every form of every secret taken out. Where one stands there but for what nobody
    /// sees (hidden characters, terminal sequences), all of that goes as well.
    #[must_use]
    pub fn scrub<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let out = self.replaced(text);
        if self.forms.is_empty() {
            return out;
        }
        let (seen, hidden) = bare(&out);
        let seen = Zeroizing::new(seen);
        match self.replaced(&seen) {
            Cow::Owned(without) if hidden > 0 => Cow::Owned(without),
            Cow::Owned(_) | Cow::Borrowed(_) => out,
        }
    }

    /// As [`Needles::scrub`], for a part of a text whose rest is not known: what may be the end of a
    /// secret at its beginning, or the beginning of one at its end, is left out.
    #[must_use]
    pub fn scrub_part(&self, text: &str, rest: Rest) -> String {
        if self.forms.is_empty() {
            return text.to_owned();
        }
        let (seen, hidden) = bare(text);
        let seen = Zeroizing::new(seen);
        let from = match rest.is_before {
            true => self.ends_before(&seen),
            false => 0,
        };
        let to = match rest.is_behind {
            true => self.begins_behind(&seen).max(from),
            false => seen.len(),
        };
        let part = match (from, to == seen.len(), hidden) {
            (0, true, _) => text,
            (_, _, 0) => &text[from..to],
            // What nobody sees goes along: it stands between letters of what is left out.
            (_, _, _) => &seen[from..to],
        };
        self.scrub(part).into_owned()
    }

    /// Up to where the end of a secret may stand at the beginning of a text.
    fn ends_before(&self, text: &str) -> usize {
        let ends = self.forms.iter().filter_map(|form| {
            let starts = form.char_indices().map(|(at, _)| at).skip(1);
            let mut ends = starts.map(|at| &form[at..]);
            ends.find(|end| text.starts_with(end)).map(str::len)
        });
        let mut at = ends.max().unwrap_or(0);
        // No secret that stands there whole is cut in two.
        while let Some(end) = self.across(text, at).map(|(_, end)| end).max() {
            at = end;
        }
        at
    }

    /// From where on the beginning of a secret may stand at the end of a text.
    fn begins_behind(&self, text: &str) -> usize {
        let begins = self.forms.iter().filter_map(|form| {
            let ends = form.char_indices().rev().map(|(at, _)| at);
            let mut begins = ends.filter(|at| *at > 0).map(|at| &form[..at]);
            begins.find(|begin| text.ends_with(begin)).map(str::len)
        });
        let mut at = text.len() - begins.max().unwrap_or(0);
        while let Some(begin) = self.across(text, at).map(|(begin, _)| begin).min() {
            at = begin;
        }
        at
    }

    /// The secrets that stand in a text on both sides of a place, each from where to where.
    fn across<'a>(&'a self, text: &'a str, at: usize) -> impl Iterator<Item = (usize, usize)> + 'a {
        self.forms.iter().flat_map(move |form| {
            let first = text.floor_char_boundary((at + 1).saturating_sub(form.len()));
            let starts = text[first..at].char_indices();
            starts
                .map(move |(offset, _)| first + offset)
                .filter(move |start| text[*start..].starts_with(form.as_str()))
                .map(move |start| (start, start + form.len()))
                .filter(move |(_, end)| *end > at)
        })
    }

    fn replaced<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let mut out = Cow::Borrowed(text);
        for form in &self.forms {
            if out.contains(form.as_str()) {
                out = Cow::Owned(out.replace(form.as_str(), REDACTED));
            }
        }
        out
    }
}

/// A text without what nobody sees or misses in it, and how many characters that were.
fn bare(text: &str) -> (String, usize) {
    let (seen, hidden) = strip_hidden(text);
    let all = seen.chars().count();
    let left: String = seen.chars().filter(|c| !is_no_letter(*c)).collect();
    let more = all - left.chars().count();
    drop(Zeroizing::new(seen));
    (left, hidden + more)
}

/// The base64 forms of a secret that stands `skip` bytes into a group of three: only the letters
/// that depend on nothing but the secret.
fn encoded_after(secret: &str, skip: usize) -> Vec<String> {
    let padded = Zeroizing::new([&b"\0\0"[..skip], secret.as_bytes()].concat());
    let first = match skip {
        0 => 0,
        1 => 2,
        _ => 3,
    };
    let bits = padded.len() * 8;
    let last = bits / 6;
    [
        STANDARD_NO_PAD.encode(&*padded),
        URL_SAFE_NO_PAD.encode(&*padded),
    ]
    .into_iter()
    .filter_map(|text| text.get(first..last).map(str::to_owned))
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use base64::engine::general_purpose::STANDARD;

    const SECRET: &str = "hunter2/horse+battery";

    fn needles() -> Needles {
        let mut needles = Needles::default();
        needles.add(SECRET);
        needles
    }

    #[test]
    fn every_form_is_found_and_taken_out() {
        let hex: String = SECRET.bytes().map(|b| format!("{b:02x}")).collect();
        let mut texts = vec![
            format!("token={SECRET}"),
            format!("x{}", hex.to_uppercase()),
            hex,
            "hunter2%2Fhorse%2Bbattery".to_owned(),
            SECRET.bytes().map(|b| format!("%{b:02X}")).collect(),
            "hunter2/\u{200b}horse+battery".to_owned(),
            "\u{1b}[31mhunter2\u{1b}[0m/horse+bat\u{ad}tery".to_owned(),
            "hunter2\u{fe0f}/horse+battery".to_owned(),
            "hunter2\u{fe0f}\u{20e3}/horse\u{e000}+bat\u{fffe}tery".to_owned(),
            "hunte\u{301}r2/horse+battery".to_owned(),
            SECRET.chars().rev().collect(),
        ];
        for lead in ["", "a", "ab", "abc"] {
            texts.push(STANDARD.encode(format!("{lead}{SECRET} tail")));
        }
        for text in texts {
            assert!(needles().is_in(&text), "{text}");
            assert!(!needles().is_in(&needles().scrub(&text)), "{text}");
            assert!(needles().scrub(&text).contains(REDACTED), "{text}");
        }
        assert!(needles().is_in("hunter2/ horse+\nbattery"));
    }

    #[test]
    fn no_letter_of_a_secret_that_comes_in_pieces_is_shown() {
        let rest = Rest {
            is_before: false,
            is_behind: true,
        };
        let texts = [
            format!("a {SECRET} !"),
            format!("x{SECRET}{SECRET}!"),
            "hunter2\u{fe0f}/horse\u{200b}+battery!".to_owned(),
            "hunter2%2Fhorse%2Bbattery!".to_owned(),
            format!("{}!", SECRET.chars().rev().collect::<String>()),
            format!("{}!", STANDARD.encode(SECRET)),
        ];
        for text in texts {
            let whole = needles().scrub(&text).into_owned();
            let ends = text.char_indices().map(|(at, _)| at).chain([text.len()]);
            for end in ends {
                let shown = needles().scrub_part(&text[..end], rest);
                assert!(whole.starts_with(&shown), "{shown:?} of {whole:?}");
            }
            assert_eq!(needles().scrub_part(&text, rest), whole, "{text:?}");
        }
    }

    #[test]
    fn no_letter_of_a_secret_whose_beginning_is_gone_is_shown() {
        let rest = Rest {
            is_before: true,
            is_behind: false,
        };
        let text = format!("key {SECRET}, and {SECRET} again");
        let whole = needles().scrub(&text).into_owned();
        for (start, _) in text.char_indices() {
            let shown = needles().scrub_part(&text[start..], rest);
            assert!(whole.ends_with(&shown), "{shown:?} of {whole:?}");
        }
    }

    #[test]
    fn a_secret_within_a_longer_one_waits_for_it() {
        let mut needles = Needles::default();
        needles.add("abcdefgh");
        needles.add("abcdefghIJKLMN");
        let rest = Rest {
            is_before: false,
            is_behind: true,
        };
        assert_eq!(needles.scrub_part("- abcdefghIJK", rest), "- ");
        assert_eq!(needles.scrub_part("- abcdefghx", rest), "- [REDACTED]x");
        assert_eq!(Needles::default().scrub_part("- abc", rest), "- abc");
    }

    #[test]
    fn ordinary_text_is_left_alone() {
        let text = "the horse has a battery";
        assert!(!needles().is_in(text) && matches!(needles().scrub(text), Cow::Borrowed(_)));
        assert_eq!(format!("{:?}", needles()), "Needles { .. }");
    }

    #[test]
    fn shapes_of_credentials() {
        assert!(has_shape("-----BEGIN OPENSSH PRIVATE KEY-----"));
        assert!(has_shape("key AKIAABCDEFGHIJKLMNOP."));
        assert!(has_shape("sk-proj-abcdefghijklmnopqrstuvwxyz0123"));
        assert!(!has_shape("the key is under the mat; task sk-1"));
    }
}
