//! The questions of a request, put to the user one after the other.

use super::asker::Asker;
use super::view::{Meanwhile, UNREADABLE, View};
use anyhow::{Context, Error, Result};
use api::sessions::Sessions;
use domain::event::{ConfirmationAnswer, ConfirmationRequest, Event, EventBody};
use domain::fault::Coded;
use domain::id::{ConfirmationId, SessionId};
use domain::settings::Attendance;
use domain::token::Answerer;
use rendering::confirm::{COVERING, GATHERING, Listener, Memory, Patience, Questions, Reply, Said};
use rendering::{Paint, confirm, print_error};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::task::JoinHandle;
use tokio::time::Instant;

/// The questions that wait, and the one that is being asked.
#[derive(Default)]
pub(super) struct PromptQueue {
    waiting: Questions,
    /// Those that are to be asked now.
    due: Option<Vec<ConfirmationRequest>>,
    pub(super) asking: Option<Asking>,
    /// Whether the plan that was proposed last is no agent's, but takes back what the user said to.
    is_own: bool,
    /// What happened since a question stands on the terminal: nothing is printed into its prompt.
    held: Vec<Event>,
    /// A yes for the session was given last, which may cover what waits: the broker has until then to
    /// say so.
    covering_until: Option<Instant>,
}

/// Most events that wait until a question is answered; then they are shown after all.
const HELD_EVENTS: usize = 10_000;

impl PromptQueue {
    /// Shows what waited for a question to be answered.
    pub(super) fn show_held(&mut self, view: &mut dyn View) -> Result<()> {
        let held = std::mem::take(&mut self.held);
        held.iter().try_for_each(|event| view.show(event))
    }

    /// Asks nothing any longer.
    pub(super) fn clear(&mut self, view: &mut dyn View) -> Result<()> {
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
    pub(super) async fn note(
        &mut self,
        event: &Event,
        asker: &Asker,
        view: &mut dyn View,
    ) -> Result<()> {
        match &event.body {
            EventBody::PlanProposed { plan, .. } => {
                self.is_own = plan.only_takes_back();
                return self.show(event, view);
            }
            EventBody::ConfirmationAsked(question) if asker.attendance == Attendance::Attended => {
                self.waiting.put(question.clone());
            }
            // Answered elsewhere, or by silence: nobody is asked any longer.
            EventBody::ConfirmationAnswered {
                confirmation_id,
                answer,
                by,
                ..
            } if self.close(*confirmation_id, view).await? => {
                self.show_held(view)?;
                view.remark(&confirm::closed(answer, by, view.asks_again()))?;
                view.says_itself(event.seq);
            }
            _ => return self.show(event, view),
        }
        self.show(event, view)?;
        self.ask_next(Patience::Left);
        Ok(())
    }

    /// Puts the questions that are due, which have the keyboard then; else what is typed is heard.
    pub(super) async fn share_keyboard(
        &mut self,
        asker: &Asker,
        view: &mut dyn View,
        meanwhile: &mut Meanwhile,
    ) -> Result<()> {
        if let Some(questions) = self.due.take() {
            meanwhile.hush(view).await?;
            let listener = match self.is_own {
                true => Listener::Nobody,
                false => Listener::Agent,
            };
            let place = match questions.as_slice() {
                [one] => self.waiting.place_of(one),
                _ => None,
            };
            self.asking = Some(Asking::begin((questions, place), asker.memory(), listener));
        } else if self.asking.is_none() && self.covering_until.is_none() {
            meanwhile.listen();
        }
        Ok(())
    }

    /// Nothing is asked and nothing waits.
    pub(super) fn is_clear(&self) -> bool {
        self.asking.is_none() && self.waiting.is_empty()
    }

    /// Something waits for what belongs to it.
    pub(super) fn is_gathering(&self) -> bool {
        self.asking.is_none() && !self.waiting.is_empty()
    }

    /// Until when what waits is waited with.
    pub(super) fn gathers_until(&self) -> Instant {
        let now = Instant::now();
        self.covering_until.unwrap_or(now + GATHERING)
    }

    /// Asks what is next, unless something is being asked.
    pub(super) fn ask_next(&mut self, patience: Patience) {
        let waits = self.covering_until.is_some() && patience == Patience::Left;
        if self.asking.is_none() && self.due.is_none() && !waits {
            self.covering_until = None;
            self.due = self.waiting.next(patience);
        }
    }

    /// Passes on what the user answered, after what happened while the question stood there.
    pub(super) async fn pass_on(
        &mut self,
        reply: Option<Reply>,
        (sessions, session_id, asker): (&dyn Sessions, SessionId, &Asker),
        view: &mut dyn View,
    ) -> Result<()> {
        if let (Some(asking), Some(reply)) = (self.asking.take(), reply) {
            self.show_held(view)?;
            asker.tell_of_stopped(view)?;
            let mut is_covering = false;
            for (question, said) in self.take(asking.questions.clone(), reply) {
                let is_covered = is_covering;
                is_covering |= said.answer == ConfirmationAnswer::Session;
                let place = (sessions, session_id, asker);
                tell(place, (&question, said), is_covered, view).await?;
            }
            if is_covering && !self.waiting.is_empty() {
                self.covering_until = Some(Instant::now() + COVERING);
            }
        }
        Ok(())
    }

    /// What each question is answered with; questions that are to be asked one by one go back.
    fn take(
        &mut self,
        questions: Vec<ConfirmationRequest>,
        reply: Reply,
    ) -> Vec<(ConfirmationRequest, Said)> {
        match reply {
            Reply::All(said) => confirm::to_each(questions, &said),
            Reply::OneByOne => {
                self.waiting.part(questions);
                Vec::new()
            }
        }
    }

    /// Takes out a question that was answered elsewhere; whether it was the one on the terminal.
    /// What was asked with it is asked again without it.
    async fn close(
        &mut self,
        confirmation_id: ConfirmationId,
        view: &mut dyn View,
    ) -> Result<bool> {
        if self.waiting.close(confirmation_id) {
            // What is typed by habit may be meant for it.
            view.question_closed();
            self.covering_until = self.covering_until.filter(|_| !self.waiting.is_empty());
        }
        let is_shown = |asking: &Asking| asking.is_about(confirmation_id);
        let Some(mut asking) = self.asking.take_if(|asking| is_shown(asking)) else {
            return Ok(false);
        };
        let mut left = std::mem::take(&mut asking.questions);
        left.retain(|question| question.confirmation_id != confirmation_id);
        self.waiting.part(left);
        asking.end(view).await?;
        Ok(true)
    }

    /// The events have ended, and with them whoever would take an answer. Gives back why, or what came in
    /// its way.
    pub(super) async fn break_off(&mut self, ended: Error, view: &mut dyn View) -> Error {
        let closing = async {
            if let Some(asking) = self.asking.take() {
                asking.end(view).await?;
                view.remark("the question is closed: the carl that asked it has ended")?;
            }
            self.show_held(view)
        };
        closing.await.err().unwrap_or(ended)
    }
}

/// Passes the user's answer on, and keeps it where they asked for that. `is_covered`: a yes for the
/// session before it may have answered the question already.
async fn tell(
    (sessions, session_id, asker): (&dyn Sessions, SessionId, &Asker),
    (question, said): (&ConfirmationRequest, Said),
    is_covered: bool,
    view: &mut dyn View,
) -> Result<()> {
    let (id, binding) = (question.confirmation_id, question.binding);
    let by = Answerer::User;
    let confirmed = sessions.confirm(session_id, id, binding, said.answer, by);
    match confirmed.await {
        Ok(()) if said.remember => asker.remember(view).await,
        Ok(()) => Ok(()),
        Err(_) if is_covered => Ok(()),
        Err(late) => view.remark(&format!("the answer did not count: {}", late.message())),
    }
}

/// Questions on the terminal, as one. Dropping it takes them back.
pub(super) struct Asking {
    questions: Vec<ConfirmationRequest>,
    is_closed: Arc<AtomicBool>,
    reading: JoinHandle<std::io::Result<Option<Reply>>>,
}

impl Asking {
    /// `place`: which of how many the question is, where they are put one by one.
    fn begin(
        (questions, place): (Vec<ConfirmationRequest>, Option<(usize, usize)>),
        memory: Memory,
        listener: Listener,
    ) -> Self {
        let is_closed = Arc::new(AtomicBool::new(false));
        let (shown, closed) = (questions.clone(), Arc::clone(&is_closed));
        let paint = Paint::for_stream(&std::io::stderr());
        let reading = tokio::task::spawn_blocking(move || {
            confirm::ask((&shown, place), paint, memory, listener, &closed)
        });
        Self {
            questions,
            is_closed,
            reading,
        }
    }

    /// Takes the questions back without an answer. Nothing else may read the terminal before that is
    /// done.
    async fn end(mut self, view: &mut dyn View) -> Result<()> {
        self.is_closed.store(true, Ordering::SeqCst);
        // An answer that comes in this moment is too late.
        let read = (&mut self.reading).await;
        read.context("the terminal could not be read")?
            .context(UNREADABLE)?;
        view.question_closed();
        Ok(print_error("\n")?)
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
pub(super) async fn answered(asking: &mut Option<Asking>) -> Result<Option<Reply>> {
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
