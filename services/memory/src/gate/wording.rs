//! The texts of an entry: what makes two say the same, and what tells a password.

use api::memory::WriteEntry;
use domain::rights::Namespace;
use regex::Regex;
use std::sync::LazyLock;

/// From so many words on, equal texts say the same whatever they are named.
const TELLING_WORDS: usize = 5;

/// Every text of an entry with the name of its field.
pub(super) fn texts(entry: &WriteEntry) -> Vec<(&'static str, &str)> {
    let mut texts: Vec<(&'static str, &str)> = Vec::new();
    match entry {
        WriteEntry::Memory {
            name,
            description,
            tags,
            corpus,
            ..
        } => {
            texts.extend([
                ("name", name.as_str()),
                ("description", description),
                ("text", corpus),
            ]);
            texts.extend(tags.iter().map(|tag| ("tag", tag.as_str())));
        }
        WriteEntry::Engram {
            question,
            answer,
            intent,
            entities,
            respondent,
            ..
        } => {
            texts.extend([
                ("question", question.as_str()),
                ("answer", answer),
                ("intent", intent),
                ("respondent", respondent),
            ]);
            texts.extend(entities.iter().map(|entity| ("entity", entity.as_str())));
        }
    }
    texts
}

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

/// A word for a password, and what it is said to be.
static PASSWORD: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?ix)\b(?:pass(?:word|wd|phrase|code)|api[\ _-]?key|secret[\ _-]?key|access[\ _-]?token|
        auth[\ _-]?token|pin(?:\ code|\ number)?)\b
        (?:\ (?:for|of|to|on)\ [\w.@\ -]{1,40}?)?
        \s*(?::|=|\bis\b:?)\s*(?P<value>[^\s,;]{4,})",
    )
    .ok()
});

/// Whether a text says what a password is: `password: hunter2`, `the PIN of my card is 4711`. A
/// plain word, as in `the password is stored elsewhere`, is none.
pub(super) fn tells_a_password(text: &str) -> bool {
    let Some(password) = PASSWORD.as_ref() else {
        return true;
    };
    password.captures_iter(text).any(|found| {
        let value = found.name("value").map_or("", |value| value.as_str());
        let value = value.trim_end_matches(['.', '!', '?', ')', '"', '\'']);
        value.chars().count() >= 4 && value.chars().any(|c| !c.is_alphabetic() && c != '-')
    })
}
