//! The terminal while an editor has it: nothing is drawn and no key is read, and the session goes on.

use super::Ui;
use crate::editor::Editor;
use crate::error::Error;
use crate::keyboard::{Keyboard, Paused};
use crate::message::Message;
use crate::modes;
use domain::fault::Fault;
use std::io;
use std::process::ExitStatus;
use std::time::Instant;

/// How an editor ended.
pub(super) type Ended = io::Result<ExitStatus>;

/// Waits for the end of the editor, if there is one.
pub(super) async fn end(editing: &mut Option<(Editor, Paused)>) -> Ended {
    match editing {
        Some((editor, _)) => editor.end().await,
        None => std::future::pending().await,
    }
}

impl Ui<'_> {
    /// Opens a draft in the user's editor.
    pub(super) fn edit(&mut self, draft: &str, keyboard: &mut Keyboard) -> Result<(), Error> {
        self.close_alternate()?;
        self.draw_normal()?;
        self.screen.clear().map_err(Error::of("written"))?;
        let Some(paused) = keyboard.pause() else {
            let fault = Fault {
                code: "carl.failed".to_owned(),
                message: "the keyboard cannot be left to an editor".to_owned(),
                hint: "The draft is as it was.".to_owned(),
            };
            self.take(Instant::now(), Message::Edited(Err(fault)));
            return self.draw();
        };
        modes::set_back();
        match Editor::begin(draft) {
            Ok(editor) => {
                self.editing = Some((editor, paused));
                Ok(())
            }
            Err(fault) => {
                self.set_again()?;
                self.take(Instant::now(), Message::Edited(Err(fault)));
                self.draw()
            }
        }
    }

    /// Takes the terminal and the draft back.
    pub(super) fn end_editing(&mut self, ended: Ended) -> Result<(), Error> {
        let Some((editor, _paused)) = self.editing.take() else {
            return Ok(());
        };
        let edited = editor.take(ended);
        self.set_again()?;
        self.take(Instant::now(), Message::Edited(edited));
        self.draw()
    }
}
