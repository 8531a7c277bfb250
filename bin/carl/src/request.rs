//! One request from its text to its end: events to a view, questions to the user, signals to stop
//! to the session, and what is typed meanwhile to the view.

mod keyboard;
mod waiting;

pub use keyboard::{Heard, Keyboard, LINE_BYTES};

use crate::audited::on_record;
use crate::open_folders::OpenFolders;
use anyhow::{Context, Result};
use api::Streaming;
use api::audit::Audit;
use api::sessions::{Error, SendRequest, Sessions};
use domain::event::{ConfirmationKind, ConfirmationRequest, Event, EventBody, QueryStatus};
use domain::fault::Coded;
use domain::id::{ConfirmationId, QueryId, SessionId};
use domain::settings::Attendance;
use futures::StreamExt;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use terminal::exit::OrFail;
use terminal::render::confirm::{Memory, Reply, Said};
use terminal::render::{Paint, confirm};
use terminal::signals::{Caught, Signals};
use tokio::task::JoinHandle;
use waiting::{Patience, Questions};

/// How long a question waits for others that belong to it and were announced.
const GATHERING: Duration = Duration::from_millis(500);

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

    /// Something was typed; only where a [`Keyboard`] is listened to.
    ///
    /// # Errors
    /// When it cannot be shown.
    fn typed(&mut self, _heard: Heard) -> Result<()> {
        Ok(())
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
    fn listen(&mut self) {
        if let Some(keyboard) = &mut self.keyboard {
            keyboard.listen();
        }
    }

    /// Leaves the keyboard to a question, with all shown that was typed before it.
    async fn hush(&mut self, view: &mut dyn View) -> Result<()> {
        let Some(keyboard) = &mut self.keyboard else {
            return Ok(());
        };
        keyboard.pause().await.context(UNREADABLE)?;
        let mut heard = keyboard.heard().into_iter();
        heard.try_for_each(|heard| view.typed(heard))
    }
}

/// What is said of a terminal that is gone.
const UNREADABLE: &str = "the terminal cannot be read";

/// The next line that is typed; waits for ever where nobody listens.
async fn typed(keyboard: &mut Option<Keyboard>) -> Heard {
    match keyboard {
        Some(keyboard) => keyboard.next().await,
        None => std::future::pending().await,
    }
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

/// Sends the request and follows it to its end. The first signal stops it, the second leaves without
/// waiting.
///
/// # Errors
/// When the session refuses the request or its events stop without an end.
pub async fn work_on(
    sessions: &dyn Sessions,
    request: SendRequest,
    asker: &Asker,
    view: &mut dyn View,
    meanwhile: &mut Meanwhile,
) -> Result<QueryStatus> {
    let session_id = request.session_id;
    let events = sessions.send(request).await.or_fail()?;
    let ended = |event: &Event| match &event.body {
        EventBody::QueryFinished { status, .. } => Some(*status),
        _ => None,
    };
    let place = (sessions, session_id, asker);
    follow(place, events, view, meanwhile, ended).await
}

/// Follows events until `ended` says how what they are about went. The first signal stops the request
/// that was received last, or leaves when it has ended; the second leaves without waiting.
///
/// # Errors
/// When the events stop without an end.
pub async fn follow(
    (sessions, session_id, asker): (&dyn Sessions, SessionId, &Asker),
    mut events: Streaming<Event, Error>,
    view: &mut dyn View,
    meanwhile: &mut Meanwhile,
    mut ended: impl FnMut(&Event) -> Option<QueryStatus>,
) -> Result<QueryStatus> {
    let mut running: Option<QueryId> = None;
    let mut desk = Desk::default();
    let mut interrupts = 0_u32;
    loop {
        desk.share_keyboard(asker, view, meanwhile).await?;
        let event = tokio::select! {
            event = events.next() => match event {
                Some(event) => event.or_fail()?,
                None => anyhow::bail!("the session's events ended before the request did"),
            },
            answer = answered(&mut desk.asking) => {
                if let (Some(asking), Some(reply)) = (desk.asking.take(), answer?) {
                    desk.show_held(view)?;
                    for (question, said) in desk.take(asking.questions.clone(), reply) {
                        tell(sessions, session_id, &question, said, asker, view).await?;
                    }
                }
                desk.ask_next(Patience::Left);
                continue;
            }
            heard = typed(&mut meanwhile.keyboard) => {
                view.typed(heard)?;
                continue;
            }
            caught = meanwhile.signals.next() => {
                desk.clear(view)?;
                interrupts += 1;
                if interrupts > 1 {
                    view.left()?;
                }
                if interrupts > 1 || running.is_none() {
                    return Ok(QueryStatus::Interrupted);
                }
                // This request alone: what runs may be somebody else's.
                sessions.interrupt(session_id, running).await.or_fail()?;
                stopping(&caught).map_or(Ok(()), |text| view.remark(text))?;
                continue;
            }
            () = tokio::time::sleep(GATHERING), if desk.is_gathering() => {
                desk.ask_next(Patience::Gone);
                continue;
            }
            () = tokio::time::sleep(view.patience()), if running.is_some() && desk.is_clear() => {
                view.tick();
                continue;
            }
        };
        desk.note(&event, asker, view)?;
        match &event.body {
            EventBody::QueryReceived { .. } => running = event.query_id,
            EventBody::QueryFinished { .. } => running = None,
            _ => {}
        }
        if let Some(status) = ended(&event) {
            return Ok(status);
        }
    }
}

/// What is said to a signal that stops a request.
const fn stopping(caught: &Caught) -> Option<&'static str> {
    match caught {
        Caught::CtrlC => Some("stopping; press Ctrl-C again to leave at once"),
        Caught::Terminate => Some("stopping"),
        // Nobody is left to read a remark.
        Caught::HangUp => None,
    }
}

/// The questions that wait, and the one that is being asked.
#[derive(Default)]
struct Desk {
    waiting: Questions,
    /// Those that are to be asked now.
    due: Option<Vec<ConfirmationRequest>>,
    asking: Option<Asking>,
    /// What happened since a question stands on the terminal: nothing is printed into its prompt.
    held: Vec<Event>,
}

/// Most events that wait until a question is answered; then they are shown after all.
const HELD_EVENTS: usize = 10_000;

impl Desk {
    /// Shows what waited for a question to be answered.
    fn show_held(&mut self, view: &mut dyn View) -> Result<()> {
        let held = std::mem::take(&mut self.held);
        held.iter().try_for_each(|event| view.show(event))
    }

    /// Asks nothing any longer.
    fn clear(&mut self, view: &mut dyn View) -> Result<()> {
        self.show_held(view)?;
        *self = Self::default();
        Ok(())
    }

    /// Shows an event, once no question stands on the terminal; an end waits for none.
    fn show(&mut self, event: &Event, view: &mut dyn View) -> Result<()> {
        let is_end = matches!(event.body, EventBody::QueryFinished { .. });
        if self.asking.is_some() && !is_end && self.held.len() < HELD_EVENTS {
            self.held.push(event.clone());
            return Ok(());
        }
        self.show_held(view)?;
        view.show(event)
    }

    /// Shows an event, and asks or stops asking because of it.
    fn note(&mut self, event: &Event, asker: &Asker, view: &mut dyn View) -> Result<()> {
        match &event.body {
            EventBody::ConfirmationAsked(question) if asker.attendance == Attendance::Attended => {
                self.waiting.put(question.clone());
            }
            // Answered elsewhere, or by silence: nobody is asked any longer.
            EventBody::ConfirmationAnswered {
                confirmation_id,
                by,
                ..
            } if self.close(*confirmation_id) => {
                self.show_held(view)?;
                view.remark(&format!("the question is closed ({by})"))?;
            }
            _ => return self.show(event, view),
        }
        self.show(event, view)?;
        self.ask_next(Patience::Left);
        Ok(())
    }

    /// Puts the questions that are due, which have the keyboard then; else what is typed is heard.
    async fn share_keyboard(
        &mut self,
        asker: &Asker,
        view: &mut dyn View,
        meanwhile: &mut Meanwhile,
    ) -> Result<()> {
        if let Some(questions) = self.due.take() {
            meanwhile.hush(view).await?;
            self.asking = Some(Asking::begin(questions, asker.memory()));
        } else if self.asking.is_none() {
            meanwhile.listen();
        }
        Ok(())
    }

    /// Nothing is asked and nothing waits.
    fn is_clear(&self) -> bool {
        self.asking.is_none() && self.waiting.is_empty()
    }

    /// Something waits for what belongs to it.
    fn is_gathering(&self) -> bool {
        self.asking.is_none() && !self.waiting.is_empty()
    }

    /// Asks what is next, unless something is being asked.
    fn ask_next(&mut self, patience: Patience) {
        if self.asking.is_none() && self.due.is_none() {
            self.due = self.waiting.next(patience);
        }
    }

    /// What each question is answered with; questions that are to be asked one by one go back.
    fn take(
        &mut self,
        questions: Vec<ConfirmationRequest>,
        reply: Reply,
    ) -> Vec<(ConfirmationRequest, Said)> {
        match reply {
            Reply::All(said) => {
                let is_one = questions.len() == 1;
                let mut remember = said.remember;
                let mut answer = |question: &ConfirmationRequest| match question.kind {
                    // Of several, a yes for the session is offered for the folder alone.
                    ConfirmationKind::Call if !is_one => said.clone().at_most_once(),
                    // It is one folder: it is remembered once.
                    _ => Said {
                        remember: std::mem::take(&mut remember),
                        ..said.clone()
                    },
                };
                let answers = questions.into_iter().map(|q| (answer(&q), q));
                answers.map(|(said, question)| (question, said)).collect()
            }
            Reply::OneByOne => {
                self.waiting.part(questions);
                Vec::new()
            }
        }
    }

    /// Takes out a question that was answered elsewhere; whether it was the one on the terminal.
    /// What was asked with it is asked again without it.
    fn close(&mut self, confirmation_id: ConfirmationId) -> bool {
        self.waiting.close(confirmation_id);
        let is_shown = |asking: &Asking| asking.is_about(confirmation_id);
        let Some(mut asking) = self.asking.take_if(|asking| is_shown(asking)) else {
            return false;
        };
        let mut left = std::mem::take(&mut asking.questions);
        left.retain(|question| question.confirmation_id != confirmation_id);
        self.waiting.part(left);
        true
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

/// Questions on the terminal, as one. Dropping it takes them back.
struct Asking {
    questions: Vec<ConfirmationRequest>,
    is_closed: Arc<AtomicBool>,
    reading: JoinHandle<std::io::Result<Option<Reply>>>,
}

impl Asking {
    fn begin(questions: Vec<ConfirmationRequest>, memory: Memory) -> Self {
        let is_closed = Arc::new(AtomicBool::new(false));
        let (shown, closed) = (questions.clone(), Arc::clone(&is_closed));
        let paint = Paint::for_stream(&std::io::stderr());
        let reading =
            tokio::task::spawn_blocking(move || confirm::ask(&shown, paint, memory, &closed));
        Self {
            questions,
            is_closed,
            reading,
        }
    }

    fn is_about(&self, confirmation_id: ConfirmationId) -> bool {
        let mut questions = self.questions.iter();
        questions.any(|question| question.confirmation_id == confirmation_id)
    }
}

impl Drop for Asking {
    fn drop(&mut self) {
        self.is_closed.store(true, Ordering::SeqCst);
    }
}

/// The answer to what is asked; waits for ever when nothing is.
async fn answered(asking: &mut Option<Asking>) -> Result<Option<Reply>> {
    match asking {
        Some(asking) => {
            let read = (&mut asking.reading)
                .await
                .context("the terminal could not be read")?;
            read.context(UNREADABLE)
        }
        None => std::future::pending().await,
    }
}
