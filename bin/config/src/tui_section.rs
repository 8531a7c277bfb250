//! `[tui]`: the terminal UI.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use tui::{Keys, Mistake};

/// The terminal UI.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Tui {
    /// Whether the terminal is light or dark.
    pub theme: Theme,
    /// Whether the mouse is for panes and pages there. The terminal's own selection then takes Shift, or
    /// Option on a Mac.
    pub mouse: bool,
    /// Which keys edit what is typed: "emacs", or "vi" with a normal mode beside the typing one.
    pub editing: Editing,
    /// Keys of your own, by the names of actions: `panes = "f5"`, `palette = ["ctrl+q", "f1"]`. They take
    /// the place of those that the action has.
    pub keys: BTreeMap<String, Bound>,
}

/// Whether the terminal is light or dark.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Theme {
    /// It is asked, and dark where it does not answer.
    #[default]
    Auto,
    /// Light.
    Light,
    /// Dark.
    Dark,
}

/// Which keys edit what is typed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Editing {
    /// Like those of Emacs and shells.
    #[default]
    Emacs,
    /// Those and vi's.
    Vi,
}

impl From<Editing> for tui::Editing {
    fn from(editing: Editing) -> Self {
        match editing {
            Editing::Emacs => Self::Emacs,
            Editing::Vi => Self::Vi,
        }
    }
}

/// One key, or several.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(
    untagged,
    expecting = "it takes a key such as \"f5\", or a list of keys"
)]
pub enum Bound {
    /// One.
    One(String),
    /// Several, which all do the same.
    Several(Vec<String>),
}

impl Tui {
    /// The keys in force.
    ///
    /// # Errors
    /// When a name is no action's, or a key cannot be bound.
    pub fn keys(&self) -> Result<Keys, Mistake> {
        let keys = self.keys.iter().map(|(name, bound)| {
            let keys = match bound {
                Bound::One(key) => vec![key.clone()],
                Bound::Several(keys) => keys.clone(),
            };
            (name.clone(), keys)
        });
        Keys::bound(&keys.collect())
    }
}
