//! One request from its text to its end: events to a view, questions to the user, signals to stop
//! to the session.

use crate::commands::folders::on_record;
use crate::exit::OrFail;
use crate::open_folders::OpenFolders;
use crate::render::confirm::{Memory, Said};
use crate::render::{Paint, confirm};
use crate::signals::{Caught, Signals};
use anyhow::{Context, Result};
use api::audit::Audit;
use api::sessions::{SendRequest, Sessions};
use domain::event::{ConfirmationRequest, Event, EventBody, QueryStatus};
use domain::fault::Coded;
use domain::id::{ConfirmationId, SessionId};
use domain::settings::Attendance;
use futures::StreamExt;
use std::path::PathBuf;
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

/// Who is there to be asked, and what they want remembered.
#[derive(Clone)]
pub struct Asker {
    /// Whether anyone is.
    pub attendance: Attendance,
    /// The folder that a session writes in.
    pub folder: PathBuf,
    /// Where a yes to it is kept.
    pub open_folders: OpenFolders,
    /// Where it is on record that it is kept.
    pub audit: Arc<dyn Audit>,
}

impl Asker {
    fn memory(&self) -> Memory {
        if self.open_folders.may_hold(&self.folder) {
            Memory::Offered
        } else {
            Memory::None
        }
    }

    /// Keeps a yes, and says so; a list that cannot be written takes nothing from the yes itself.
    async fn remember(&self, view: &mut dyn View) -> Result<()> {
        let folder = self.folder.display();
        let change = "a folder is open for good";
        let recorded = on_record(self.audit.as_ref(), change).await;
        view.remark(
            &match recorded.and_then(|()| self.open_folders.add(&self.folder)) {
                Ok(()) => format!("remembered; `carl policy forget {folder}` takes it back"),
                Err(error) => format!("open for this session, but not remembered: {error:#}"),
            },
        )
    }
}

/// Sends the request and follows it to its end. The first of `signals` stops it, the second leaves
/// without waiting.
///
/// # Errors
/// When the session refuses the request or its events stop without an end.
pub async fn drive(
    sessions: &dyn Sessions,
    request: SendRequest,
    asker: &Asker,
    view: &mut dyn View,
    signals: &mut Signals,
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
                if let (Some(question), Some(said)) = (question, answer?) {
                    tell(sessions, session_id, &question, said, asker, view).await?;
                }
                continue;
            }
            caught = signals.next() => {
                asking = None;
                interrupts += 1;
                if interrupts > 1 {
                    return Ok(QueryStatus::Interrupted);
                }
                sessions.interrupt(session_id).await.or_fail()?;
                match caught {
                    Caught::CtrlC => view.remark("stopping; press Ctrl-C again to leave at once")?,
                    Caught::Terminate => view.remark("stopping")?,
                    // Nobody is left to read a remark.
                    Caught::HangUp => {}
                }
                continue;
            }
            () = tokio::time::sleep(view.patience()), if asking.is_none() => {
                view.tick();
                continue;
            }
        };
        match &event.body {
            EventBody::ConfirmationAsked(question) if asker.attendance == Attendance::Attended => {
                asking = Some(Asking::begin(question.clone(), asker.memory()));
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

/// Passes the user's answer on, and keeps it where they asked for that.
async fn tell(
    sessions: &dyn Sessions,
    session_id: SessionId,
    question: &ConfirmationRequest,
    said: Said,
    asker: &Asker,
    view: &mut dyn View,
) -> Result<()> {
    let (id, binding) = (question.confirmation_id, question.binding);
    match sessions.confirm(session_id, id, binding, said.answer).await {
        Ok(()) if said.remember => asker.remember(view).await,
        Ok(()) => Ok(()),
        Err(late) => view.remark(&format!("the answer did not count: {}", late.message())),
    }
}

/// A question on the terminal. Dropping it takes the question back.
struct Asking {
    question: ConfirmationRequest,
    is_closed: Arc<AtomicBool>,
    reading: JoinHandle<std::io::Result<Option<Said>>>,
}

impl Asking {
    fn begin(question: ConfirmationRequest, memory: Memory) -> Self {
        let is_closed = Arc::new(AtomicBool::new(false));
        let (shown, closed) = (question.clone(), Arc::clone(&is_closed));
        let paint = Paint::for_stream(&std::io::stderr());
        let reading =
            tokio::task::spawn_blocking(move || confirm::ask(&shown, paint, memory, &closed));
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
async fn answered(asking: &mut Option<Asking>) -> Result<Option<Said>> {
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
