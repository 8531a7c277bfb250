//! The terminal UI.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The terminal UI.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Tui {
    /// Whether the terminal is light or dark.
    pub theme: Theme,
    /// Whether the mouse is for panes and pages there. The terminal's own selection then takes Shift, or
    /// Option on a Mac.
    pub mouse: bool,
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
