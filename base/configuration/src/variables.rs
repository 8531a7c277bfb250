//! The environment: which variable sets which key, and where each value came from.

use crate::error::Error;
use crate::lines::line_of;
use crate::parse::{IsKey, SECRET_WORDS, Told, hint};
use figment::error::Kind;
use figment::providers::Env;
use figment::{Figment, Metadata};
use serde::Serialize;
use serde_json::Value;

/// Every value by its key, such as `chat.default_agent`, sorted.
///
/// # Errors
/// When a value has no JSON form.
pub fn flattened(config: &impl Serialize) -> Result<Vec<(String, Value)>, serde_json::Error> {
    let value = serde_json::to_value(config)?;
    let mut lines = Vec::new();
    flatten(&value, "", &mut lines);
    Ok(lines)
}

/// The variables that a program takes configuration from: `PREFIX`, section, two underscores, key.
#[derive(Debug, Clone, Copy)]
pub struct Variables {
    /// How they begin, in capitals.
    pub prefix: &'static str,
    /// Those that begin like a section and are no configuration.
    pub others: &'static [&'static str],
    /// What lists every key, for people.
    pub listed_by: &'static str,
    /// Which words of a value are not shown again.
    pub is_key: IsKey,
}

impl Variables {
    /// Where the value of a key comes from: a file, a variable of the environment, or `default`.
    #[must_use]
    pub fn place(&self, layers: &Figment, key: &str) -> String {
        let found = layers.find_metadata(key);
        found.map_or_else(|| "default".to_owned(), |found| self.source_of(found, key))
    }

    /// Where a value came from: a file, the variable that sets the key, or `default`.
    fn source_of(&self, metadata: &Metadata, key: &str) -> String {
        match &metadata.source {
            Some(figment::Source::File(file)) => file.display().to_string(),
            Some(figment::Source::Code(_)) => "default".to_owned(),
            _ => self.variable(key),
        }
    }

    /// The variable of the environment that sets a key, as it is written there.
    fn variable(&self, key: &str) -> String {
        let usual = format!("{}{}", self.prefix, key.replace('.', "__").to_uppercase());
        let is_it = |name: &String| {
            let name = name.to_uppercase();
            let rest = name.strip_prefix(&usual);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with("__"))
        };
        let names = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
        // A whole section is set by the keys in it; the key itself goes first.
        let found = names.filter(is_it).min_by_key(String::len);
        found.unwrap_or(usual)
    }

    /// Refuses a variable that would be configuration if its section had two underscores after it.
    ///
    /// # Errors
    /// What it should be called.
    pub fn check(
        &self,
        keys: &[(String, Value)],
        names: impl Iterator<Item = String>,
    ) -> Result<(), Error> {
        for name in names {
            let upper = name.to_uppercase();
            let Some(rest) = upper.strip_prefix(self.prefix) else {
                continue;
            };
            if rest.contains("__") || self.others.contains(&upper.as_str()) {
                continue;
            }
            let begins = |section: &&str| {
                let rest = rest.strip_prefix(section.to_uppercase().as_str());
                rest.is_some_and(|rest| rest.len() > 1 && rest.starts_with('_'))
            };
            let mut sections = keys.iter().filter_map(|(key, _)| key.split('.').next());
            let Some(section) = sections.find(begins) else {
                continue;
            };
            let is_it = |key: &&str| key.replace('.', "_").eq_ignore_ascii_case(rest);
            let key = keys.iter().map(|(key, _)| key.as_str()).find(is_it);
            let right = key.map_or_else(
                || {
                    format!(
                        "{}{}_{}",
                        self.prefix,
                        section.to_uppercase(),
                        &rest[section.len()..]
                    )
                },
                |key| format!("{}{}", self.prefix, key.to_uppercase().replace('.', "__")),
            );
            return Err(Error::new(
                format!("{name}: it sets nothing: section and key are parted by two underscores"),
                format!("Did you mean {right}? {} lists every key.", self.listed_by),
            ));
        }
        Ok(())
    }

    /// Variables with a double underscore are configuration; others are not.
    #[must_use]
    pub fn environment(&self) -> Env {
        Env::prefixed(self.prefix)
            .filter(|key| key.as_str().contains("__"))
            .split("__")
    }

    /// What is wrong with variables that do not fit; `note`: where to look.
    #[must_use]
    pub fn misfit(&self, error: &figment::Error, note: &str) -> Error {
        let mut messages: Vec<String> = Vec::new();
        for error in error.clone() {
            let mut path = error.path.clone();
            if let Kind::UnknownField(field, _) = &error.kind
                && path.last() != Some(field)
            {
                path.push(field.clone());
            }
            // Files were read by themselves before: what cannot be used now was set by a variable.
            let name = self.variable(&path.join("."));
            let said = in_words(&error.kind);
            messages.push(format!("{name}: {}", unrepeated(&name, &said)));
        }
        let detail = messages.join("; ");
        let told = Told::of_a_value(&detail, &hint(&detail, note), self.is_key);
        let what = format!("the configuration cannot be used: {}", told.what);
        Error::new(what, told.hint)
    }

    /// The refusal of a value, with the place where it stands.
    #[must_use]
    pub fn wrong(&self, layers: &Figment, key: &str, why: &str, how: &str) -> Error {
        let place = layers.find_metadata(key).map_or_else(String::new, |found| {
            let line = match &found.source {
                Some(figment::Source::File(file)) => line_of(file, key),
                _ => None,
            };
            let line = line.map_or_else(String::new, |line| format!("line {line}: "));
            format!("{}: {line}", self.source_of(found, key))
        });
        let told = Told::of_a_value(&format!("{key}: {why}"), how, self.is_key);
        Error::new(format!("{place}{}", told.what), told.hint)
    }
}

fn flatten(value: &Value, prefix: &str, lines: &mut Vec<(String, Value)>) {
    match value {
        Value::Object(members) if !members.is_empty() => {
            for (name, member) in members {
                let key = if prefix.is_empty() {
                    name.clone()
                } else {
                    format!("{prefix}.{name}")
                };
                flatten(member, &key, lines);
            }
        }
        other => lines.push((prefix.to_owned(), other.clone())),
    }
}

/// What is wrong with a value, in the words that the parser of files has.
fn in_words(kind: &Kind) -> String {
    let names = |known: &[&str]| format!("`{}`", known.join("`, `"));
    match kind {
        Kind::UnknownField(found, known) => {
            format!("unknown field `{found}`, expected one of {}", names(known))
        }
        Kind::UnknownVariant(found, known) => {
            format!(
                "unknown variant `{found}`, expected one of {}",
                names(known)
            )
        }
        Kind::InvalidType(found, expected) => {
            let wanted = match expected.as_str() {
                "a boolean" | "bool" => "true or false",
                "f32" | "f64" => "a number",
                "u8" | "u16" | "u32" | "u64" | "usize" => "a whole number, 0 or more",
                "a sequence" => "a list, such as [\"…\"]",
                other => other,
            };
            format!("found {found}, expected {wanted}")
        }
        other => other.to_string(),
    }
}

/// What is wrong with a variable, without the value of one that may hold a key.
fn unrepeated(name: &str, said: &str) -> String {
    let lower = name.to_lowercase();
    let is_about_keys = SECRET_WORDS.iter().any(|word| lower.contains(word));
    match (is_about_keys, said.split_once('"'), said.rsplit_once('"')) {
        (true, Some((before, _)), Some((_, after))) => format!("{before}\"…\"{after}"),
        _ => said.to_owned(),
    }
}
