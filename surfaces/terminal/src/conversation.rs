//! A conversation as its commands see it: what line mode and the terminal UI have in common.

use crate::exit::Failure;
use crate::host::Host;
use crate::undo::FileHistory;
use anyhow::Result;
use api::sessions::{Follow, SendRequest, SessionSummary};
use async_trait::async_trait;
use domain::drive::Origin;
use domain::event::Event;
use domain::settings::SessionProfile;
use session::{Exchange, SessionView};
use std::path::Path;

/// A session that somebody holds, and where they are told what commands come to.
// A conversation is held on the thread that began it.
#[async_trait(?Send)]
pub trait Conversation {
    /// What serves it.
    fn host(&self) -> &dyn Host;

    /// The session.
    fn session(&self) -> &SessionSummary;

    /// By what the session is held here.
    fn profile(&self) -> &SessionProfile;

    /// The folder that it is held in.
    fn workspace(&self) -> &Path;

    /// What can be taken back of the files.
    fn changes(&self) -> &dyn FileHistory;

    /// Whether answers are remembered.
    fn captures(&self) -> bool;

    /// Tells lines.
    ///
    /// # Errors
    /// When they cannot be written.
    fn tell(&mut self, text: &str) -> Result<()>;

    /// Tells lines that are not to be broken at words.
    ///
    /// # Errors
    /// When they cannot be written.
    fn tell_as_it_is(&mut self, text: &str) -> Result<()>;

    /// Has the session work on a request to its end.
    ///
    /// # Errors
    /// When the session does not take it, or its end cannot be seen.
    async fn work_on(&mut self, send: SendRequest) -> Result<()>;

    /// The conversation was taken back from here, and this says so itself.
    ///
    /// # Errors
    /// When the session cannot be read.
    async fn rewound(&mut self) -> Result<()>;
}

/// Every event of the session so far, without the pieces in which answers came.
///
/// # Errors
/// When the session cannot be read.
pub async fn events(on: &dyn Conversation) -> Result<Vec<Event>> {
    let id = on.session().session_id;
    crate::sessions::events_of(on.host().sessions(), id, Follow::Outline).await
}

/// What the session has come to so far.
///
/// # Errors
/// When the session cannot be read.
pub async fn so_far(on: &dyn Conversation) -> Result<SessionView> {
    crate::sessions::view_of(on.host().sessions(), on.session().session_id).await
}

/// The last request to the agent of the user's that has ended: no turn that the session took by itself, no
/// `/undo` and no line for the shell.
pub(crate) async fn last_answered(on: &dyn Conversation, wish: &str) -> Result<Exchange> {
    let view = so_far(on).await?;
    let mut newest_first = view.exchanges().standing().iter().rev();
    let found = newest_first.find(|one| {
        let is_asked = one.origin == Origin::User && !one.is_undo && !one.is_command;
        is_asked && one.finished_seq.is_some()
    });
    let none = || {
        Failure::usage(
            format!("there is no answer to {wish} yet"),
            "Ask something first.",
        )
    };
    Ok(found.ok_or_else(none)?.clone())
}
