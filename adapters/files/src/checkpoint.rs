//! What a program changes in the working folder, put into the undo history: the folder is looked
//! through before it begins and after it has ended, as git sees it, and what differs is a change like
//! any other.
//!
//! The content of before is held in a file without a name until then, so a process that is killed
//! meanwhile leaves nothing behind, and that program's changes without an undo.

mod difference;
mod survey;

use crate::job::Workshop;
use crate::journal::Journal;
use api::authority::JudgedCall;
use api::checkpoints::{Checkpoint, ProgramChanges};
use async_trait::async_trait;
use difference::Difference;
use disk::private;
use std::fs::OpenOptions;
use std::io;
use std::sync::Arc;
use survey::{Before, add_new_files, born, look_through};

/// What a folder held before a program ran.
pub(crate) struct Held {
    workshop: Arc<Workshop>,
    call: JudgedCall,
    /// Else why there is none.
    before: Result<Before, String>,
}

impl Held {
    /// Looks through the working folder of a call, if its program may change it.
    pub(crate) fn of(workshop: Arc<Workshop>, call: JudgedCall) -> Self {
        let before = hold(&workshop, &call);
        Self {
            workshop,
            call,
            before,
        }
    }

    fn end(self) -> ProgramChanges {
        let mut changes = ProgramChanges::default();
        let mut not_all = None;
        let done = self.before.and_then(|before| {
            let mut after = look_through(
                &self.workshop,
                &self.call,
                (Some(&before.survey), &mut io::sink()),
            )?;
            if after.ignores_otherwise(&before.survey) {
                let place = (&*self.workshop, &self.call);
                not_all = add_new_files(&mut after, place, before.began).err();
            }
            let _lane = self.workshop.lane(self.call.session_id);
            let journal = journal(&self.workshop, &self.call);
            Difference::new((journal, &self.call), before, after).record(&mut changes.files)
        });
        changes.left_out = done.err().or(not_all);
        changes
    }
}

#[async_trait]
impl Checkpoint for Held {
    async fn end(self: Box<Self>) -> ProgramChanges {
        let broke_off = |error| ProgramChanges {
            files: Vec::new(),
            left_out: Some(format!("Looking for what it changed broke off: {error}.")),
        };
        let done = tokio::task::spawn_blocking(move || (*self).end()).await;
        done.unwrap_or_else(broke_off)
    }
}

/// A folder of which nothing is held, and why.
pub(crate) struct Unheld(pub(crate) String);

#[async_trait]
impl Checkpoint for Unheld {
    async fn end(self: Box<Self>) -> ProgramChanges {
        ProgramChanges {
            files: Vec::new(),
            left_out: Some(self.0),
        }
    }
}

fn journal(workshop: &Workshop, call: &JudgedCall) -> Journal {
    let folder = workshop.undo_folder.join(call.session_id.to_string());
    Journal::new(folder, workshop.undo_bytes)
}

fn hold(workshop: &Workshop, call: &JudgedCall) -> Result<Before, String> {
    let place = workshop
        .undo_folder
        .join(format!("held-{}", uuid::Uuid::now_v7().simple()));
    let mut options = OpenOptions::new();
    let opened = private::open(&place, options.read(true).write(true).create_new(true));
    let content = opened.and_then(|file| std::fs::remove_file(&place).map(|()| file));
    let mut content = content.map_err(|e| format!("Nothing can be kept of it: {e}."))?;
    let began = born(&content).ok_or("This file system does not keep when files were made.")?;
    let next = journal(workshop, call).next_number();
    let survey = look_through(workshop, call, (None, &mut content))?;
    Ok(Before {
        survey,
        content,
        began,
        next: next.map_err(|failure| failure.message)?,
    })
}
