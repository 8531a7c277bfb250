//! One request from its text to its end: events to a view, questions to the user, Ctrl-C to the
//! session.

use crate::exit::OrFail;
use crate::render::{Paint, confirm};
use anyhow::{Context, Result};
use api::sessions::{SendRequest, Sessions};
use domain::event::{ConfirmationAnswer, ConfirmationRequest, Event, EventBody, QueryStatus};
use domain::fault::Coded;
use domain::settings::Attendance;
use futures::StreamExt;
use std::time::Duration;

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

    /// A line of the harness's own.
    ///
    /// # Errors
    /// When it cannot be written.
    fn remark(&mut self, text: &str) -> Result<()>;
}

/// Sends the request and follows it to its end.
///
/// # Errors
/// When the session refuses the request or its events stop without an end.
pub async fn drive(
    sessions: &dyn Sessions,
    request: SendRequest,
    attendance: Attendance,
    view: &mut dyn View,
) -> Result<QueryStatus> {
    let session_id = request.session_id;
    let mut events = sessions.send(request).await.or_fail()?;
    let mut interrupts = 0_u32;
    loop {
        let next = tokio::select! {
            event = events.next() => event,
            signal = tokio::signal::ctrl_c() => {
                signal.context("Ctrl-C cannot be watched for")?;
                interrupts += 1;
                if interrupts > 1 {
                    return Ok(QueryStatus::Interrupted);
                }
                view.remark("stopping; press Ctrl-C again to leave at once")?;
                sessions.interrupt(session_id).await.or_fail()?;
                continue;
            }
            () = tokio::time::sleep(view.patience()) => {
                view.tick();
                continue;
            }
        };
        let event = match next {
            Some(event) => event.or_fail()?,
            None => anyhow::bail!("the session's events ended before the request did"),
        };
        view.show(&event)?;
        match &event.body {
            EventBody::QueryFinished { status, .. } => return Ok(*status),
            EventBody::ConfirmationAsked(question) if attendance == Attendance::Attended => {
                let answer = match ask(question).await? {
                    Some(answer) => answer,
                    None => {
                        sessions.interrupt(session_id).await.or_fail()?;
                        continue;
                    }
                };
                let id = question.confirmation_id;
                if let Err(late) = sessions
                    .confirm(session_id, id, question.binding, answer)
                    .await
                {
                    view.remark(&format!("the answer did not count: {}", late.message()))?;
                }
            }
            _ => {}
        }
    }
}

/// Asks on the terminal without stopping the session; `None` when the user pressed Ctrl-C.
async fn ask(question: &ConfirmationRequest) -> Result<Option<ConfirmationAnswer>> {
    let question = question.clone();
    let paint = Paint::for_stream(&std::io::stderr());
    let reading = tokio::task::spawn_blocking(move || confirm::ask(&question, paint));
    tokio::select! {
        answer = reading => Ok(Some(answer.context("the terminal could not be read")??)),
        signal = tokio::signal::ctrl_c() => {
            signal.context("Ctrl-C cannot be watched for")?;
            Ok(None)
        }
    }
}
