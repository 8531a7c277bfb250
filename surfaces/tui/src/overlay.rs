//! What stands on the alternate screen. No key that is typed there answers a question.

use crate::earlier::Earlier;
use crate::jobs::Jobs;
use crate::options::Options;
use crate::page::Page;
use crate::palette::Palette;
use crate::picker::Picker;
use crate::queue::Queue;
use crate::recall::Recall;
use crate::subject::Subject;

/// Rows of a page's head and foot.
pub const FRAME_ROWS: usize = 2;

/// A screen of its own.
#[derive(Debug)]
pub enum Overlay {
    /// A page about something of the session.
    Page(Subject, Page),
    /// The programs that run or ran.
    Jobs(Jobs),
    /// What one of them says.
    Output(Page),
    /// The sessions.
    Sessions(Picker),
    /// The models or the modes.
    Options(Options),
    /// The user's earlier messages.
    Earlier(Earlier),
    /// Nothing of ours: an editor has the terminal.
    Editor,
    /// The commands and keys.
    Palette(Palette),
    /// What was typed before.
    Recall(Recall),
    /// What waits.
    Queue(Queue),
}

impl Overlay {
    /// The page that fills it, if one does.
    pub const fn page_mut(&mut self) -> Option<&mut Page> {
        match self {
            Self::Page(_, page) | Self::Output(page) => Some(page),
            _ => None,
        }
    }
}

/// What a page has of a terminal of so many columns and rows.
#[must_use]
pub fn room((columns, rows): (u16, u16)) -> (usize, usize) {
    let rows = usize::from(rows).saturating_sub(FRAME_ROWS);
    (usize::from(columns.max(4)), rows.max(1))
}
