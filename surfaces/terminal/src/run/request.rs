//! What a run is asked to do.

use super::source::TaskSource;
use crate::profile::RequestedProfile;
use api::sessions::{Input, PictureFile, SendRequest};
use domain::id::{HolderId, SessionId};
use domain::settings::{Attendance, Mode};
use std::io::{self, IsTerminal};

/// How a run is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunForm {
    /// As it happens, for a person.
    Text,
    /// One JSON object at the end.
    Json,
    /// One JSON event a line as it happens.
    Events,
}

/// A task and how it is worked on.
#[derive(Debug, Clone)]
pub struct RunRequest {
    /// Where the task and its data come from.
    pub source: TaskSource,
    /// The task.
    pub text: String,
    /// Its data.
    pub input: Option<Input>,
    /// Its pictures.
    pub pictures: Vec<PictureFile>,
    /// How the session is to be held.
    pub profile: RequestedProfile,
    /// The session that is continued; `None` for one of its own.
    pub session_id: Option<SessionId>,
    /// How it is shown.
    pub form: RunForm,
    /// The command line, after the program's name.
    pub typed: Vec<String>,
}

impl RunRequest {
    /// The command line with the task in words, where it came by standard input: whoever types the line
    /// again has nothing there.
    pub(super) fn typed_in_words(&self) -> Vec<String> {
        let mut typed = self.typed.clone();
        let words = &self.source.words;
        if words == &["-"]
            && let Some(dash) = typed.iter().rposition(|word| word == "-")
        {
            typed.remove(dash);
        }
        if words.is_empty() || words == &["-"] {
            let is_flag = self.text.trim().starts_with('-') && !typed.iter().any(|it| it == "--");
            typed.extend(is_flag.then(|| "--".to_owned()));
            typed.push(self.text.trim().to_owned());
        }
        typed
    }

    /// What is sent in a session that was opened for it.
    pub(super) fn sent(
        &self,
        session_id: SessionId,
        holder_id: HolderId,
        mode: Mode,
    ) -> SendRequest {
        SendRequest {
            mode: Some(mode),
            input: self.input.clone(),
            pictures: self.pictures.clone(),
            holder_id: Some(holder_id),
            ..SendRequest::new(session_id, self.text.clone())
        }
    }
}

/// Someone can answer only where both the question and the answer meet a person.
#[must_use]
pub fn attendance(source: &TaskSource, form: RunForm) -> Attendance {
    let reads_task_from_stdin =
        source.words.iter().any(|word| word == "-") || source.input_is_piped();
    if io::stdin().is_terminal()
        && io::stderr().is_terminal()
        && form == RunForm::Text
        && !reads_task_from_stdin
    {
        Attendance::Attended
    } else {
        Attendance::Unattended
    }
}
