//! How a run is shown: as it happens for a person, or as JSON.

use super::again::{Missing, approving};
use super::request::{RunForm, RunRequest};
use crate::exit::{Exit, describe};
use crate::request::View;
use anyhow::{Context, Result};
use api::sessions::Sessions;
use domain::event::{Event, EventBody, QueryStatus};
use domain::fault::Fault;
use domain::hash::Digest;
use domain::id::SessionId;
use rendering::fit::width;
use rendering::summary::RunSummary;
use rendering::terminal::{Answer, Terminal};
use rendering::{Paint, hand_out, links, print, print_error, print_error_as_it_is};
use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::time::{Duration, Instant};
use text::escape::{visible_json, visible_lines};

/// The one JSON object of a run that did not begin.
///
/// # Errors
/// When it cannot be written.
pub fn print_failure(fault: Fault) -> Result<()> {
    print_summary(&RunSummary::failed(fault))
}

fn print_summary(summary: &RunSummary) -> Result<()> {
    let text =
        serde_json::to_string_pretty(summary).context("the result cannot be written as JSON")?;
    Ok(print(&visible_json(&format!("{text}\n")))?)
}

/// How this run is shown.
enum Form {
    Terminal(Box<Terminal>),
    Json,
    Events,
}

pub(super) struct RunView {
    form: Form,
    pub(super) summary: RunSummary,
    remarks: Paint,
    began: Instant,
    /// The last event that was shown.
    pub(super) last_seq: u64,
    /// The plan that waits for a yes.
    proposed: Option<Digest>,
    /// The folder that the session works in.
    workspace: PathBuf,
    /// The command line, after the program's name, with the task in words.
    typed: Vec<String>,
}

impl RunView {
    pub(super) async fn new(
        sessions: &dyn Sessions,
        session_id: SessionId,
        request: &RunRequest,
        workspace: PathBuf,
    ) -> Self {
        let form = match request.form {
            RunForm::Json => Form::Json,
            RunForm::Events => Form::Events,
            RunForm::Text => {
                let answer = match io::stdout().is_terminal() {
                    true => Answer::Streamed,
                    false => Answer::AtEnd,
                };
                Form::Terminal(Box::new(Terminal::new(
                    Paint::for_stream(&io::stderr()),
                    answer,
                    links::past(sessions, session_id).await,
                )))
            }
        };
        let remarks = Paint::for_stream(&io::stderr());
        Self {
            form,
            summary: RunSummary::new(Some(session_id)),
            remarks,
            began: Instant::now(),
            last_seq: 0,
            proposed: None,
            workspace,
            typed: request.typed_in_words(),
        }
    }

    /// Whether one JSON object is all that is printed.
    pub(super) const fn is_json(&self) -> bool {
        matches!(self.form, Form::Json)
    }

    /// How it ended, for a request whose own end was not waited for, as after a second Ctrl-C.
    pub(super) fn ended(&mut self, status: QueryStatus) {
        if self.summary.status != status {
            self.summary.status = status;
            self.summary.duration_ms = self.took();
        }
    }

    /// Since it began, milliseconds.
    fn took(&self) -> u64 {
        u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    /// Prints what there is of a request that failed with this error, and how the process ends.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(super) fn broke_off(&mut self, error: &anyhow::Error) -> Result<Exit> {
        let (exit, fault) = describe(error);
        self.summary.broke_off(fault, self.took());
        self.finish()?;
        Ok(exit)
    }

    /// Prints what comes at the end.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(super) fn finish(&self) -> Result<()> {
        let again = self.again();
        match self.form {
            Form::Json => {
                let mut summary = self.summary.clone();
                if let (Some(fault), Some(line)) = (&mut summary.error, again) {
                    fault.hint = format!("{}\n{}", fault.hint, line.trim_start());
                }
                print_summary(&summary)
            }
            Form::Terminal(_) => {
                // No line of it is broken: it is there to be copied.
                let line = again.map_or(Ok(()), |line| print_error_as_it_is(&format!("{line}\n")));
                Ok(line?)
            }
            Form::Events => Ok(()),
        }
    }

    /// The command that approves the plan that was refused, if one does.
    fn again(&self) -> Option<String> {
        let hash = self.proposed?;
        if self.summary.status != QueryStatus::Denied {
            return None;
        }
        let why = self.summary.error.as_ref();
        let why = why.map_or("", |fault| fault.message.as_str());
        let missing = Missing::of(why, hash, &self.workspace)?;
        let columns = match self.form {
            Form::Terminal(_) => width(&io::stderr()),
            Form::Json | Form::Events => None,
        };
        approving(&self.typed, hash, missing, columns)
    }
}

impl View for RunView {
    fn show(&mut self, event: &Event) -> Result<()> {
        self.last_seq = event.seq;
        match &event.body {
            EventBody::PlanProposed { hash, .. } | EventBody::TasksProposed { hash, .. } => {
                self.proposed = Some(*hash);
            }
            EventBody::PlanApproved { .. } => self.proposed = None,
            _ => {}
        }
        // The summary is that of the user's request, not of what the drive made of it.
        let first = self.summary.query_id;
        if first.is_none() || first == event.query_id {
            self.summary.add(event);
        }
        match &mut self.form {
            Form::Terminal(terminal) => Ok(terminal.draw(event)?),
            // What is no event of the log is none for a program that reads them.
            Form::Events if event.body.is_passing() => Ok(()),
            Form::Events => {
                let line = serde_json::to_string(event).context("an event cannot be written")?;
                Ok(hand_out(&visible_json(&format!("{line}\n")))?)
            }
            Form::Json => match &event.body {
                // Standard error may be watched by a person even when a program reads the object.
                EventBody::Notice(fault) => {
                    let text = format!("note: {} [{}]", fault.message, fault.code);
                    Ok(print_error(&format!(
                        "{}\n",
                        self.remarks.warn(&visible_lines(&text))
                    ))?)
                }
                _ => Ok(()),
            },
        }
    }

    fn tick(&mut self) {
        if let Form::Terminal(terminal) = &mut self.form {
            terminal.tick();
        }
    }

    fn patience(&self) -> Duration {
        match &self.form {
            Form::Terminal(terminal) => terminal.patience(),
            Form::Json | Form::Events => Duration::from_secs(3600),
        }
    }

    fn remark(&mut self, text: &str) -> Result<()> {
        let text = visible_lines(text);
        Ok(print_error(&format!("{}\n", self.remarks.warn(&text)))?)
    }
}
