//! Effective settings: what services were begun with, what of it is not what a command wants, and
//! which of that allows more.
//!
//! What it is: a comparison of two sets of settings, key by key, and its wording for people.
//! What it owns: which settings are laxer than others, and the form in which a process tells its own.
//! What it never does: read a file, know where a setting is from, or end a command.
//! Where to start: [`EffectiveSettings::differences`].

mod record;
mod strictness;

pub use record::{By, Record};

use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;

/// Keys that each command brings along itself, in its session's profile or for its own screen.
const OWN: [&str; 5] = [
    "chat.default_agent",
    "chat.default_mode",
    "policy.disabled_tools",
    "tui.theme",
    "tui.mouse",
];
/// The file with what each agent type may do.
pub const RIGHTS: &str = "agents.yaml";
/// Most differences that are listed.
const LISTED: usize = 12;
/// Longest value that is shown, characters.
const SHOWN: usize = 60;
/// What services were begun with.
#[derive(Debug, Clone, PartialEq)]
pub struct EffectiveSettings(Record);

/// A key of which two processes think differently.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    /// The key, or the file.
    pub key: String,
    /// What is in force; nothing for a file.
    pub in_force: Option<Value>,
    /// What is wanted; nothing for a file.
    pub wanted: Option<Value>,
    /// Whether what is in force allows more.
    pub is_less_strict: bool,
}

impl EffectiveSettings {
    /// Those of a record, without what each command brings along itself and what says nothing.
    #[must_use]
    pub fn new(mut record: Record) -> Self {
        record.values.retain(|key, value| {
            !OWN.contains(&key.as_str()) && !value.is_null() && !is_empty_table(value)
        });
        Self(record)
    }

    /// As others are told.
    ///
    /// # Errors
    /// When they have no JSON form.
    pub fn to_json(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string(&self.0)
    }

    /// Those that another process tells.
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn from_json(text: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(text).map(Self)
    }

    /// Whether they are of the Housecarl with this state folder, and not of another one's that shares
    /// a folder for sockets with it.
    #[must_use]
    pub fn are_of(&self, state: &Path) -> bool {
        self.0.state == state
    }

    /// What works by them.
    #[must_use]
    pub const fn by(&self) -> By {
        self.0.by
    }

    /// The process that works by them.
    #[must_use]
    pub const fn process(&self) -> u32 {
        self.0.process
    }

    /// What differs, sorted by key.
    #[must_use]
    pub fn differences(&self, wanted: &Self) -> Vec<Difference> {
        let (ours, theirs) = (&wanted.0, &self.0);
        let keys: BTreeSet<&String> = ours.values.keys().chain(theirs.values.keys()).collect();
        let values = keys.into_iter().filter_map(|key| {
            let sides = (theirs.values.get(key), ours.values.get(key));
            (sides.0 != sides.1).then(|| Difference {
                key: key.clone(),
                in_force: sides.0.cloned(),
                wanted: sides.1.cloned(),
                is_less_strict: strictness::is_less_strict(key, sides, &theirs.values),
            })
        });
        let mut found: Vec<Difference> = values.collect();
        let names: BTreeSet<&String> = ours.files.keys().chain(theirs.files.keys()).collect();
        let differ = names
            .into_iter()
            .filter(|name| ours.files.get(*name) != theirs.files.get(*name));
        found.extend(differ.map(|name| Difference {
            key: name.clone(),
            in_force: None,
            wanted: None,
            // Which of two tables of rights is the stricter one nobody can tell.
            is_less_strict: name == RIGHTS,
        }));
        found
    }

    /// Who works by them.
    #[must_use]
    pub fn holder(&self) -> String {
        let process = self.0.process;
        match self.0.by {
            By::Chat => format!("the chat that serves here (process {process})"),
            By::Command => format!("the command that serves here (process {process})"),
            By::Serve => format!("`carl serve` (process {process})"),
        }
    }

    /// What to do where they are not what a command wants.
    #[must_use]
    pub const fn remedy(&self) -> &'static str {
        match self.0.by {
            By::Chat => "End that chat, and this command works by its own settings",
            By::Command => "Wait for its end, and this command works by its own settings",
            By::Serve => "Stop it and start it again, and it works by the settings of now",
        }
    }
}

impl Difference {
    /// Why it is refused; `place`: where the wanted value is from.
    #[must_use]
    pub fn refused(&self, place: &str) -> String {
        if self.key == RIGHTS {
            return format!("{RIGHTS} is not what it was begun with");
        }
        let (in_force, wanted) = (shown(self.in_force.as_ref()), shown(self.wanted.as_ref()));
        format!(
            "{} = {in_force} is in force there, not {wanted} ({place})",
            self.key
        )
    }
}

/// What a command is told that works by settings which are not its own.
#[must_use]
pub fn note(terms: &EffectiveSettings, differences: &[Difference]) -> String {
    let mut text = format!(
        "note: {} was begun with other settings, and its own are in force:\n",
        terms.holder()
    );
    for one in differences.iter().take(LISTED) {
        let line = match (&one.in_force, &one.wanted) {
            (None, None) => format!("{} as it was then", one.key),
            (in_force, wanted) => format!(
                "{} = {}, not {}",
                one.key,
                shown(in_force.as_ref()),
                shown(wanted.as_ref())
            ),
        };
        text.push_str(&format!("  {line}\n"));
    }
    let more = differences.len().saturating_sub(LISTED);
    if more > 0 {
        text.push_str(&format!("  and {more} more\n"));
    }
    text.push_str(&format!("  {}.\n", terms.remedy()));
    text
}

fn shown(value: Option<&Value>) -> String {
    let Some(value) = value else {
        return "none".to_owned();
    };
    let text = value.to_string();
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

fn is_empty_table(value: &Value) -> bool {
    value.as_object().is_some_and(serde_json::Map::is_empty)
}
