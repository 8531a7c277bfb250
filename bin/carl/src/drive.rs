//! One request from its text to its end: events to a view, questions to the user, Ctrl-C to the
//! session.

use crate::exit::OrFail;
use crate::render::{Paint, confirm};
use anyhow::{Context, Result};
use api::sessions::{SendRequest, Sessions};
use domain::event::{ConfirmationAnswer, ConfirmationRequest, Event, EventBody, QueryStatus};
use domain::fault::Coded;
use domain::id::ConfirmationId;
use domain::settings::Attendance;
use futures::StreamExt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::task::JoinHandle;

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
    let mut asking: Option<Asking> = None;
    let mut interrupts = 0_u32;
    loop {
        let event = tokio::select! {
            event = events.next() => match event {
                Some(event) => event.or_fail()?,
                None => anyhow::bail!("the session's events ended before the request did"),
            },
            answer = answered(&mut asking) => {
                let question = asking.take().map(|asking| asking.question.clone());
                if let (Some(question), Some(answer)) = (question, answer?) {
                    let (id, binding) = (question.confirmation_id, question.binding);
                    if let Err(late) = sessions.confirm(session_id, id, binding, answer).await {
                        view.remark(&format!("the answer did not count: {}", late.message()))?;
                    }
                }
                continue;
            }
            signal = tokio::signal::ctrl_c() => {
                signal.context("Ctrl-C cannot be watched for")?;
                asking = None;
                interrupts += 1;
                if interrupts > 1 {
                    return Ok(QueryStatus::Interrupted);
                }
                view.remark("stopping; press Ctrl-C again to leave at once")?;
                sessions.interrupt(session_id).await.or_fail()?;
                continue;
            }
            () = tokio::time::sleep(view.patience()), if asking.is_none() => {
                view.tick();
                continue;
            }
        };
        match &event.body {
            EventBody::ConfirmationAsked(question) if attendance == Attendance::Attended => {
                asking = Some(Asking::begin(question.clone()));
            }
            // Answered elsewhere, or by silence: nobody is asked any longer.
            EventBody::ConfirmationAnswered {
                confirmation_id,
                by,
                ..
            } if asking
                .as_ref()
                .is_some_and(|one| one.is_about(*confirmation_id)) =>
            {
                asking = None;
                view.remark(&format!("the question is closed ({by})"))?;
            }
            _ => {}
        }
        view.show(&event)?;
        if let EventBody::QueryFinished { status, .. } = &event.body {
            return Ok(*status);
        }
    }
}

/// A question on the terminal. Dropping it takes the question back.
struct Asking {
    question: ConfirmationRequest,
    is_closed: Arc<AtomicBool>,
    reading: JoinHandle<std::io::Result<Option<ConfirmationAnswer>>>,
}

impl Asking {
    fn begin(question: ConfirmationRequest) -> Self {
        let is_closed = Arc::new(AtomicBool::new(false));
        let (shown, closed) = (question.clone(), Arc::clone(&is_closed));
        let paint = Paint::for_stream(&std::io::stderr());
        let reading = tokio::task::spawn_blocking(move || confirm::ask(&shown, paint, &closed));
        Self {
            question,
            is_closed,
            reading,
        }
    }

    fn is_about(&self, confirmation_id: ConfirmationId) -> bool {
        self.question.confirmation_id == confirmation_id
    }
}

impl Drop for Asking {
    fn drop(&mut self) {
        self.is_closed.store(true, Ordering::SeqCst);
    }
}

/// The answer to the open question; waits for ever when there is none.
async fn answered(asking: &mut Option<Asking>) -> Result<Option<ConfirmationAnswer>> {
    match asking {
        Some(asking) => {
            let read = (&mut asking.reading)
                .await
                .context("the terminal could not be read")?;
            read.context("the terminal cannot be read")
        }
        None => std::future::pending().await,
    }
}
