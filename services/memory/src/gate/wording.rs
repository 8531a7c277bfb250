//! What an entry's texts say: what makes two say the same, and what tells a password.

use api::memory::WriteEntry;
use domain::rights::Namespace;
use regex::Regex;
use std::sync::LazyLock;

/// From so many words on, equal texts say the same whatever they are named.
const TELLING_WORDS: usize = 5;

/// Shortest run of base64 that is looked into, characters: a key of 20 has 27.
const RUN_CHARS: usize = 27;

/// Equal for memories of one namespace that say the same: their texts differ in case, blanks,
/// punctuation around words and articles alone. Short texts say the same only under one name:
/// `8080` may be any port. One word more or less is another text, since it may be the word that
/// counts.
pub(crate) fn likeness(namespace: &Namespace, entry: &WriteEntry) -> [u8; 16] {
    let mut hasher = blake3::Hasher::new();
    hasher.update(namespace.as_str().as_bytes());
    match entry {
        WriteEntry::Memory { name, corpus, .. } => {
            hasher.update(b"\0memory");
            let said: Vec<String> = bare_words(corpus).collect();
            if said.len() < TELLING_WORDS {
                bare_words(name).for_each(|word| add(&mut hasher, &word));
                hasher.update(b"\0\0");
            }
            said.iter().for_each(|word| add(&mut hasher, word));
        }
        WriteEntry::Engram {
            query_id,
            respondent,
            ..
        } => {
            hasher.update(b"\0engram");
            hasher.update(query_id.as_uuid().as_bytes());
            hasher.update(respondent.as_bytes());
        }
    }
    let mut likeness = [0; 16];
    likeness.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
    likeness
}

fn add(hasher: &mut blake3::Hasher, word: &str) {
    hasher.update(b"\0");
    hasher.update(word.as_bytes());
}

/// Words in lower case without the punctuation around them, and without articles. What stands
/// inside a word or before a number says something: `C++`, `-5`, `don't`.
fn bare_words(text: &str) -> impl Iterator<Item = String> {
    text.split_whitespace()
        .map(|word| {
            word.trim_start_matches(['"', '\'', '(', '[', '“', '‘', '«'])
                .trim_end_matches([
                    '.', ',', ';', ':', '!', '?', '"', '\'', ')', ']', '”', '’', '»',
                ])
                .to_lowercase()
        })
        .filter(|word| !word.is_empty() && !matches!(word.as_str(), "a" | "an" | "the"))
}

/// Where a password stands, as `value`: behind a word for one, or where programs expect one. A
/// `value` counts as a password if it is no plain word; a `bare` one whatever it is.
static PASSWORDS: LazyLock<Option<Vec<Regex>>> = LazyLock::new(|| {
    let forms = [
        // `password: hunter2`, `the PIN of my card is 4711`.
        r"(?ix)\b(?:pass(?:word|wd|phrase|code)|api[\ _-]?key|secret[\ _-]?key|access[\ _-]?token|
        auth[\ _-]?token|pin(?:\ code|\ number)?|
        (?:wi-?fi|wlan|network|alarm|door|gate|entry|access|safe|lock|unlock)[\ _-]?(?:key|code))\b
        (?:\ (?:for|of|to|on|at)\ [\w.@\ -]{1,40}?)?
        \s*(?::|=|\bis\b:?)\s*(?P<value>[^\s,;]{4,})",
        // `pin code 4711`.
        r"(?i)\b(?:pin|door|alarm|gate|entry|access) code (?P<value>\d[\d -]{2,10}\d)\b",
        // `Mein Passwort lautet …`, `die PIN meiner Karte ist 4711`.
        r"(?ix)\b(?:[\w-]*(?:passwor[td]|kennwort|zugangscode|zugangsschlüssel|türcode|geheimzahl|
        wlan-?schlüssel)|pin|[\w-]+-pin)\b
        (?:\ (?:für|von|der|des|meiner|meines|zu|zum|zur|am|im)\ [a-zA-Z0-9_.@äöüßÄÖÜ\ -]{1,40}?)?
        \s*(?::|=|\b(?:ist|lautet|heißt|heisst)\b:?)\s*(?P<value>[^\s,;]{4,})",
        // `DB_PASS=…`, `export GITHUB_TOKEN: …`.
        r#"(?x)\b[A-Za-z0-9]+_(?i:pass|passwd|password|pwd|token|secret|key)\b
        ["']?\s*[:=]\s*["']?(?P<value>[^\s,;"']{4,})"#,
        // `postgres://user:secret@host`.
        r"(?i)\b[a-z][a-z0-9+.-]{1,20}://[^\s/:@]*:(?P<bare>[^\s/@]+)@",
        // `Authorization: Basic …`, `Bearer …`.
        r"(?i)\bauthorization\s*[:=]\s*(?:[a-z]+\s+)?(?P<value>[^\s,;]{6,})",
        r"(?i)\bbearer\s+(?P<value>[a-z0-9._~+/=-]{16,})",
        // `mysql -uroot -psecret`, `sshpass -p secret`, `curl -u user:secret`.
        r"\b(?:mysql|mysqldump|mysqladmin|mariadb)\b[^\n|;]*?\s-p(?P<bare>[^\s|;]{3,})",
        r"\bsshpass\s+-p\s*(?P<bare>[^\s|;]{3,})",
        r"\bcurl\b[^\n|;]*?\s(?:-u|--user)[ =]?[^\s:]+:(?P<bare>[^\s|;]{3,})",
    ];
    forms
        .into_iter()
        .map(|form| Regex::new(form).ok())
        .collect()
});

/// Whether a text says what a password is, as it is or in base64. A plain word, as in `the password
/// is stored elsewhere`, is none, nor is a place for one: `DB_PASS=$PASS`, `https://USER:<PASS>@`.
pub(super) fn tells_a_password(text: &str) -> bool {
    let Some(passwords) = PASSWORDS.as_ref() else {
        return true;
    };
    let is_told = passwords.iter().any(|form| {
        form.captures_iter(text).any(|found| {
            let value = found.name("value").map(|value| value.as_str());
            let bare = found.name("bare").map(|value| value.as_str());
            value.is_some_and(is_no_word) || bare.is_some_and(|bare| !is_a_place(bare))
        })
    });
    is_told || runs(text).any(|run| plain(run).is_some_and(|text| text::secrets::has_shape(&text)))
}

fn is_no_word(value: &str) -> bool {
    let value = value.trim_end_matches(['.', '!', '?', ')', '"', '\'']);
    let is_long = value.chars().count() >= 4;
    is_long && !is_a_place(value) && value.chars().any(|c| !c.is_alphabetic() && c != '-')
}

/// Where a password is to be put, or was taken out.
fn is_a_place(value: &str) -> bool {
    value.starts_with(['$', '<', '{', '[', '%'])
        || value
            .chars()
            .all(|c| matches!(c, '*' | '.' | '…' | '•' | 'x' | 'X'))
}

/// Runs of base64 that are long enough to hold a key, of either alphabet.
fn runs(text: &str) -> impl Iterator<Item = &str> {
    let is_letter = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '-' | '_');
    text.split(move |c| !is_letter(c))
        .filter(|run| run.len() >= RUN_CHARS)
}

/// The text that a run of base64 comes to; bytes that are no text come to `�`.
fn plain(run: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(run.len() * 3 / 4);
    let (mut bits, mut held) = (0_u32, 0_u32);
    for letter in run.bytes() {
        let six = match letter {
            b'A'..=b'Z' => letter - b'A',
            b'a'..=b'z' => letter - b'a' + 26,
            b'0'..=b'9' => letter - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        };
        bits = (bits << 6 | u32::from(six)) & 0xffff;
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.extend(u8::try_from(bits >> held & 0xff));
        }
    }
    Some(String::from_utf8_lossy(&bytes).into_owned())
}
