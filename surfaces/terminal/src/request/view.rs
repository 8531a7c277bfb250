//! What shows a request that is worked on, and what the person in front of it can do.

use super::keyboard::{Heard, Keyboard};
use crate::signals::{Caught, Signals};
use anyhow::{Context, Result};
use domain::event::Event;
use std::time::Duration;

/// What is said of a terminal that is gone.
pub(super) const UNREADABLE: &str = "the terminal cannot be read";

/// What shows the events.
pub trait View {
    /// Shows one event.
    ///
    /// # Errors
    /// When it cannot be written.
    fn show(&mut self, event: &Event) -> Result<()>;

    /// Nothing has happened for [`View::patience`].
    fn tick(&mut self) {}

    /// How long to wait before [`View::tick`].
    fn patience(&self) -> Duration {
        Duration::from_secs(3600)
    }

    /// An event is told in a line of its own, and is not shown.
    fn says_itself(&mut self, _seq: u64) {}

    /// A line of the harness's own.
    ///
    /// # Errors
    /// When it cannot be written.
    fn remark(&mut self, text: &str) -> Result<()>;

    /// Something was typed; only where a [`Keyboard`] is listened to.
    ///
    /// # Errors
    /// When it cannot be shown.
    fn typed(&mut self, _heard: Heard) -> Result<()> {
        Ok(())
    }

    /// A question was closed before it was answered here: what is typed next may be meant for it.
    fn question_closed(&mut self) {}

    /// How the user has the whole request asked once more; empty where that is no line to type.
    fn asks_again(&self) -> &'static str {
        ""
    }

    /// A signal stops the request: what is said to it.
    fn stopping(&mut self, caught: Caught) -> Option<String> {
        let text = match caught {
            Caught::CtrlC => "stopping; press Ctrl-C again to leave at once",
            Caught::Terminate => "stopping",
            // Nobody is left to read it.
            Caught::HangUp => return None,
        };
        Some(text.to_owned())
    }

    /// The user leaves without waiting for the end.
    ///
    /// # Errors
    /// When that cannot be shown.
    fn left(&mut self) -> Result<()> {
        Ok(())
    }
}

/// What the person at the terminal can do while a request runs.
#[derive(Debug)]
pub struct Meanwhile {
    /// Stop it.
    pub signals: Signals,
    /// Type what comes next; `None` where that is for another program.
    pub keyboard: Option<Keyboard>,
}

impl Meanwhile {
    pub(super) fn listen(&mut self) {
        if let Some(keyboard) = &mut self.keyboard {
            keyboard.listen();
        }
    }

    /// Leaves the keyboard to a question, with all shown that was typed before it.
    pub(super) async fn hush(&mut self, view: &mut dyn View) -> Result<()> {
        let Some(keyboard) = &mut self.keyboard else {
            return Ok(());
        };
        keyboard.pause().await.context(UNREADABLE)?;
        let mut heard = keyboard.heard().into_iter();
        heard.try_for_each(|heard| view.typed(heard))
    }
}
