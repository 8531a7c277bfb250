//! The line that is typed into, and its history.

use super::completion::Completion;
use crate::printer::SharedPrinter;
use anyhow::{Context, Result};
use rendering::{foreground, pastes, print_error};
use rustix::termios::{OptionalActions, QueueSelector, Termios, tcflush, tcsetattr};
use rustyline::error::ReadlineError;
use rustyline::history::FileHistory;
use rustyline::{Editor, ExternalPrinter};
use std::io::ErrorKind;
use std::path::PathBuf;

/// What stands before what is typed.
pub const PROMPT: &str = "> ";

/// An editor with its history. The editor is away while a line is read: it blocks.
pub struct Line {
    editor: Option<Editor<Completion, FileHistory>>,
    history: PathBuf,
    printer: SharedPrinter,
}

impl Line {
    /// One whose history is kept in this file, in a chat that is held in a folder.
    ///
    /// # Errors
    /// When the terminal cannot be edited on.
    pub fn new(history: PathBuf, folder: PathBuf) -> Result<Self> {
        let mut editor = Editor::new().context("the terminal cannot be edited on")?;
        editor.set_helper(Some(Completion { folder }));
        // No history yet is the ordinary case at the first start.
        let _absent = editor.load_history(&history);
        let printer = match editor.create_external_printer() {
            Ok(mut printer) => SharedPrinter::new(move |line| printer.print(line).is_ok()),
            // Standard output is no terminal: the prompt is not drawn again, but nothing is lost.
            Err(_) => SharedPrinter::new(|line| print_error(&line).is_ok()),
        };
        Ok(Self {
            printer,
            editor: Some(editor),
            history,
        })
    }

    /// The next line, which begins with what was typed of it already, read on a thread of its own.
    ///
    /// # Errors
    /// When the terminal cannot be read.
    pub async fn read(&mut self, begun: &str) -> Result<Typed> {
        let mut editor = self.editor.take().context("the terminal is being read")?;
        let begun = begun.to_owned();
        let reading = move || {
            let line = editor.readline_with_initial(PROMPT, (&begun, ""));
            (line, editor)
        };
        let (line, editor) = tokio::task::spawn_blocking(reading)
            .await
            .context("the terminal could not be read")?;
        self.editor = Some(editor);
        match line {
            Ok(line) => Ok(Typed::Line(line)),
            Err(ReadlineError::Interrupted) => Ok(Typed::Nothing),
            Err(ReadlineError::Eof) => Ok(Typed::End),
            Err(ReadlineError::Io(error)) if error.kind() == ErrorKind::InvalidData => {
                drop_rest();
                Ok(Typed::NotText)
            }
            Err(error) => Err(error).context("the terminal cannot be read"),
        }
    }

    /// What prints above the prompt while it waits.
    pub fn printer(&self) -> SharedPrinter {
        self.printer.clone()
    }

    /// Keeps a line for the arrow keys.
    ///
    /// # Errors
    /// When the history takes no more.
    pub fn keep(&mut self, line: &str) -> Result<()> {
        if let Some(editor) = &mut self.editor {
            editor
                .add_history_entry(line)
                .context("the input history is full")?;
        }
        Ok(())
    }

    /// Saves the history.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn save(&mut self) -> Result<()> {
        match &mut self.editor {
            Some(editor) => editor
                .save_history(&self.history)
                .context("the input history cannot be saved"),
            None => Ok(()),
        }
    }
}

/// How the terminal was before a line was read: where the reading is left in its middle, its editor
/// does not set it back.
pub struct Before(Option<Termios>);

impl Before {
    /// How it is now.
    pub fn now() -> Self {
        Self(foreground::settings(std::io::stdin()).ok())
    }

    /// Sets it back. A terminal that is gone needs nothing.
    pub fn set_back(&self) {
        if let Some(before) = &self.0 {
            let _gone = tcsetattr(std::io::stdin(), OptionalActions::Now, before);
        }
        let _gone = pastes::unmark();
    }
}

/// Whether lines are edited, so that a paste is told from what is typed.
pub fn is_edited() -> bool {
    std::env::var_os("TERM").is_none_or(|kind| kind != "dumb")
}

/// Drops the rest of a line that was given up in the middle. Where lines are not edited, the terminal
/// gives out whole ones, and there is none.
fn drop_rest() {
    if is_edited()
        && let Err(error) = tcflush(std::io::stdin(), QueueSelector::IFlush)
    {
        tracing::debug!(%error, "the rest of a line stays");
    }
}

/// What came of reading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Typed {
    /// A line.
    Line(String),
    /// A line that is no UTF-8; it is left out.
    NotText,
    /// Ctrl-C.
    Nothing,
    /// Ctrl-D.
    End,
    /// The terminal is gone.
    Gone,
    /// SIGTERM.
    Terminated,
}
