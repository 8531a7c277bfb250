//! What a UI begins with, and how it ended.

use super::past::Past;
use crate::background::Theme;
use crate::bindings::Keys;
use crate::error::Error;
use crate::history::History;
use crate::host::Host;
use crate::modes::{self, Mouse};
use crate::panes::Layout;
use crate::state::{Beginning, Facts, State};
use crate::vi::Editing;
use api::sessions::SessionSummary;
use domain::id::SessionId;
use domain::settings::SessionProfile;
use rendering::links;
use std::path::PathBuf;
use std::time::Instant;

/// What a UI begins with.
#[derive(Debug)]
pub struct Start {
    /// The session, opened.
    pub session: SessionSummary,
    /// By what it is held.
    pub profile: SessionProfile,
    /// The file of the lines that were typed before.
    pub history: PathBuf,
    /// The folder of what is typed and not sent, a file for each session.
    pub drafts: PathBuf,
    /// What stands in the input at first; where that is empty, what the window before left.
    pub draft: String,
    /// The last event of the session that the terminal shows already; 0: none.
    pub shown_seq: u64,
    /// Where the user is.
    pub attention: Attention,
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

impl Start {
    /// The session as the window begins with it, with nothing typed.
    pub(super) async fn state(
        &self,
        host: &dyn Host,
        past: &Past,
        history: &History,
    ) -> Result<State, Error> {
        let typed_before = history.read().unwrap_or_else(|error| {
            tracing::warn!(%error, "what was typed before cannot be read");
            Vec::new()
        });
        let mut state = State::new(
            Beginning {
                session: self.session.clone(),
                profile: self.profile.clone(),
                known: links::past(host.sessions(), self.session.session_id).await,
                memory: host.memory(),
                history: typed_before,
                size: modes::size().map_err(Error::of("measured"))?,
                keys: self.keys.clone(),
                editing: self.editing,
                facts: self.facts.clone(),
            },
            Instant::now(),
        );
        past.before.iter().for_each(|event| state.remember(event));
        state.last_message = past.last_message();
        state.panes.show(self.layout);
        state.has_focus = self.attention.has_focus;
        state.is_list_closed = self.attention.is_on_list;
        Ok(state)
    }
}

/// Where the user was when a UI ended that another goes on with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Attention {
    /// Whether its window had the focus: a terminal that is asked to tell it does not say so again.
    pub has_focus: bool,
    /// Whether a list or a page had the keys.
    pub is_on_list: bool,
}

impl Default for Attention {
    /// In the window, with the keys for the input.
    fn default() -> Self {
        Self {
            has_focus: true,
            is_on_list: false,
        }
    }
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
#[derive(Debug, Clone)]
pub struct HandedOver {
    /// The session.
    pub session_id: SessionId,
    /// By what it was held.
    pub profile: Box<SessionProfile>,
    /// What stands in the input.
    pub draft: String,
    /// The last event that was shown.
    pub shown_seq: u64,
    /// Where the user was.
    pub attention: Attention,
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
