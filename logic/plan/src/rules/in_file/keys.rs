//! What an order calls a value: by its name alone, by a section and a name, or by a dotted path.

use crate::rules::words::pattern;
use regex::Regex;
use std::sync::LazyLock;

/// Where a value has to stand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Within {
    /// Anywhere.
    Anywhere,
    /// In no section.
    Top,
    /// Directly in a section of this name.
    Section(String),
    /// At this place counted from the top.
    Path(String),
    /// Directly in a section of this name, which stands behind the name of the value: `the dev script`.
    Behind(String),
    /// Directly in a section whose name is one of these words: `the mail server` where `[mail]` is.
    OneOf(String),
}

/// One way to read what an order calls a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Reading {
    pub(super) within: Within,
    /// The name of the value itself.
    pub(super) name: String,
    /// Whether the order can mean nothing but a place.
    pub(super) is_explicit: bool,
}

static TOP: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?i)^top[- ]level (?P<n>.+)$|^(?P<m>.+?) (?:at|on) (?:the )?top(?:[- ]level)?$|^(?P<o>.+?) outside (?:of )?(?:any|every|all) sections?$",
    )
});
static SECTION: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(concat!(
        r"(?i)^\[(?P<s1>[^\[\]]+)\][. ](?:the )?(?P<n1>.+)$",
        r"|^(?P<n2>.+?) (?:in|of|below|under|inside|within|for|from) (?:the )?(?:(?:section|table|block) )?\[(?P<s2>[^\[\]]+)\](?: (?:section|table|block))?$",
        r"|^(?P<n3>.+?) (?:in|of|below|under|inside|within|for|from) (?:the )?(?:section|table|block) (?P<s3>.+)$",
        r"|^(?P<n4>.+?) (?:in|of|below|under|inside|within|for|from) (?:the )?(?P<s4>.+?) (?:section|table|block)$",
    ))
});
static OF: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(concat!(
        r"(?i)^(?P<n1>.+?) (?:in|of|below|under|inside|within|for|from) (?:the )?(?P<s1>.+)$",
        r"|^(?P<s2>.+)['’]s (?P<n2>.+)$",
    ))
});

/// A name as files write it in several ways: `log level`, `log-level` and `LOG_LEVEL` are one.
pub(super) fn plain(name: &str) -> String {
    let words = name.split(|c: char| c.is_whitespace() || c == '-' || c == '_');
    let words: Vec<String> = words
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    words.join("_")
}

/// Whether two names are one, whatever their number: `script` and `scripts`, `dependency` and `dependencies`.
pub(super) fn are_alike(one: &str, other: &str) -> bool {
    let singular = |name: &str| {
        let name = plain(name).replace('_', "");
        match (name.strip_suffix("ies"), name.strip_suffix('s')) {
            (Some(stem), _) => format!("{stem}y"),
            (None, Some(stem)) if stem.len() > 2 && !stem.ends_with('s') => stem.to_owned(),
            _ => name,
        }
    };
    singular(one) == singular(other)
}

/// Whether words name a section, whatever they may also be.
pub(super) fn names_a_section(key: &str) -> bool {
    let said = readings(key);
    said.iter().any(|reading| reading.is_explicit)
}

/// The ways to read what an order calls a value; as the name of a value first.
pub(super) fn readings(key: &str) -> Vec<Reading> {
    let key = key.trim();
    let reading = |within, name: &str, is_explicit| Reading {
        within,
        name: name.trim().to_owned(),
        is_explicit,
    };
    let mut found = vec![reading(Within::Anywhere, key, false)];
    let two = |form: &LazyLock<Option<Regex>>| {
        let captures = form.as_ref()?.captures(key)?;
        let first = |names: [&str; 4]| {
            let named = names.into_iter().find_map(|name| captures.name(name));
            named.map(|named| named.as_str().to_owned())
        };
        let name = first(["n1", "n2", "n3", "n4"])?;
        Some((first(["s1", "s2", "s3", "s4"])?, name))
    };
    if let Some(captures) = TOP.as_ref().and_then(|top| top.captures(key)) {
        let name = ["n", "m", "o"]
            .into_iter()
            .find_map(|name| captures.name(name));
        found.extend(name.map(|name| reading(Within::Top, name.as_str(), true)));
        return found;
    }
    if let Some((section, name)) = two(&SECTION) {
        found.push(reading(Within::Section(section), &name, true));
        return found;
    }
    if let Some((section, name)) = two(&OF) {
        if section.contains(' ') {
            found.push(reading(Within::OneOf(section.clone()), &name, false));
        }
        found.push(reading(Within::Section(section), &name, false));
    }
    let is_path = !key.contains(char::is_whitespace) && key.split('.').all(|part| !part.is_empty());
    if let Some((_, name)) = key.rsplit_once('.').filter(|_| is_path) {
        found.push(reading(Within::Path(key.to_owned()), name, true));
    }
    for (at, _) in key.match_indices(' ') {
        let (section, name) = (&key[..at], &key[at + 1..]);
        found.push(reading(Within::Section(section.to_owned()), name, false));
        // `the dev script` is `scripts.dev`.
        found.push(reading(Within::Behind(name.to_owned()), section, false));
    }
    found
}

impl Reading {
    /// Whether a value at this path is meant, whose own name is the one that was called.
    pub(super) fn means(&self, path: &[String]) -> bool {
        let Some((_, sections)) = path.split_last() else {
            return false;
        };
        match &self.within {
            Within::Anywhere => true,
            Within::Top => sections.is_empty(),
            Within::Path(said) => plain(&path.join(".")) == plain(said),
            Within::Section(said) | Within::Behind(said) => (0..sections.len()).any(|from| {
                let tail = &sections[from..];
                are_alike(&tail.join(" "), &said.replace('.', " "))
                    || are_alike(&tail.join("."), said)
            }),
            Within::OneOf(said) => sections.last().is_some_and(|own| {
                let mut words = said.split_whitespace();
                words.any(|word| are_alike(word, own))
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_meant_by_its_section_its_path_or_its_name() {
        let path = |path: &str| -> Vec<String> { path.split('.').map(str::to_owned).collect() };
        for (key, at, is_meant) in [
            ("database.port", "database.port", true),
            ("database.port", "prod.database.port", false),
            ("Database.Port", "database.port", true),
            ("port below [database]", "prod.database.port", true),
            ("port in the database section", "database.port", true),
            ("port of the database", "database.port", true),
            ("database port", "database.port", true),
            ("database's port", "database.port", true),
            ("[database] port", "database.port", true),
            ("database port", "my_database.port", false),
            ("top-level port", "port", true),
            ("top-level port", "database.port", false),
            ("port at the top", "port", true),
            ("log level", "app.log.level", true),
        ] {
            let said = readings(key);
            let mut said = said.iter().skip(1);
            let meant = said.any(|reading| reading.means(&path(at)));
            assert_eq!(meant, is_meant, "{key} and {at}");
        }
    }
}
