//! What a UI begins with, and how it ended.

use crate::background::Theme;
use crate::bindings::Keys;
use crate::modes::Mouse;
use crate::panes::Layout;
use crate::state::Facts;
use crate::vi::Editing;
use api::sessions::SessionSummary;
use domain::id::SessionId;
use domain::settings::SessionProfile;
use std::path::PathBuf;

/// What a UI begins with.
#[derive(Debug)]
pub struct Start {
    /// The session, opened.
    pub session: SessionSummary,
    /// By what it is held.
    pub profile: SessionProfile,
    /// The file of the lines that were typed before.
    pub history: PathBuf,
    /// What stands in the input at first.
    pub draft: String,
    /// How the session is shown at first.
    pub layout: Layout,
    /// Whether the mouse is for the UI, where it stands on the alternate screen.
    pub mouse: Mouse,
    /// How it is known whether the terminal is light.
    pub theme: Theme,
    /// What the configuration says of every session.
    pub facts: Facts,
    /// The keys in force.
    pub keys: Keys,
    /// Which keys edit what is typed.
    pub editing: Editing,
}

/// What comes after a UI that ended.
#[derive(Debug)]
pub enum GoOn {
    /// The user chose this session.
    In(SessionId),
    /// Whoever served the session has ended: it is to be opened again, with what is typed here.
    Anew(HandedOver),
}

/// What the next UI takes over from one whose session is gone.
#[derive(Debug)]
pub struct HandedOver {
    /// The session.
    pub session_id: SessionId,
    /// By what it was held.
    pub profile: Box<SessionProfile>,
    /// What stands in the input.
    pub draft: String,
}

/// How a UI ended.
#[derive(Debug)]
pub struct Ended {
    /// The session that is to be closed.
    pub session: SessionSummary,
    /// What comes after it; nothing where the user left.
    pub next: Option<GoOn>,
    /// How the session was shown at last.
    pub layout: Layout,
}
