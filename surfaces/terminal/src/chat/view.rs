//! What a chat shows, and the lines that were typed while it worked.

use super::line::{PROMPT, Typed};
use crate::request::{Heard, LINE_BYTES, Meanwhile, View};
use crate::signals::{Caught, Signals};
use crate::watcher::ShownElsewhere;
use anyhow::{Context, Result};
use api::sessions::{SessionSummary, Sessions};
use domain::event::{Event, EventBody};
use domain::id::QueryId;
use domain::settings::SessionProfile;
use rendering::agents::gist;
use rendering::confirm::is_answer;
use rendering::in_force::InForce;
use rendering::terminal::{Answer, Silence, Terminal};
use rendering::{Paint, links};
use std::collections::VecDeque;
use std::io::{self, IsTerminal};
use std::sync::PoisonError;
use std::time::{Duration, Instant};
use text::escape::prose;

/// Most lines that wait while something else is worked on.
const QUEUED_LINES: usize = 256;

/// How long a second Ctrl-C belongs to the first.
const SECOND_PRESS: Duration = Duration::from_secs(1);

/// The screen of a chat.
pub struct ChatView {
    pub(super) terminal: Terminal,
    /// The last event that was shown.
    pub(super) last_seq: u64,
    /// Whoever else shows the session learns here what is shown already.
    pub(super) told: Option<ShownElsewhere>,
    /// Whether the next request that comes in is the one that was said here.
    pub(super) asks: bool,
    /// The last request that was said here.
    pub(super) asked: Option<QueryId>,
    /// By what the session works.
    in_force: InForce,
    queued: VecDeque<Typed>,
    /// A line that was begun.
    begun: String,
    /// When Ctrl-C stopped what runs now.
    stopped: Option<Instant>,
    /// Whether a question was closed since the last line, which the next one may be meant for.
    is_question_closed: bool,
}

impl ChatView {
    /// For a session as it stands.
    pub async fn new(
        sessions: &dyn Sessions,
        session: &SessionSummary,
        own: &SessionProfile,
    ) -> Self {
        let answer = if io::stdout().is_terminal() {
            Answer::Streamed
        } else {
            Answer::AtEnd
        };
        let paint = Paint::for_stream(&io::stderr());
        let known = links::past(sessions, session.session_id).await;
        Self {
            terminal: Terminal::new(paint, answer, known).silent_by(Silence::Lines),
            last_seq: session.last_seq,
            told: None,
            asks: false,
            asked: None,
            in_force: InForce::of(own),
            queued: VecDeque::new(),
            begun: String::new(),
            stopped: None,
            is_question_closed: false,
        }
    }

    /// Goes on with another session. What was typed ahead is for that one.
    pub async fn turn_to(
        &mut self,
        sessions: &dyn Sessions,
        session: &SessionSummary,
        own: &SessionProfile,
    ) {
        let next = Self::new(sessions, session, own).await;
        self.terminal = next.terminal;
        self.last_seq = next.last_seq;
        self.in_force = next.in_force;
        self.told = None;
        self.asked = None;
    }

    /// What tells the chat's own settings from others, for who watches the session beside this.
    pub fn in_force(&self) -> InForce {
        self.in_force.beside()
    }

    /// This chat works by another profile now, or is about to.
    pub fn own(&mut self, own: &SessionProfile) {
        self.in_force.own(own);
    }

    /// The line that waits longest, shown as the prompt would have shown it.
    ///
    /// # Errors
    /// When the terminal cannot be written.
    pub fn next_queued(&mut self) -> Result<Option<Typed>> {
        let next = self.queued.pop_front();
        if let Some(Typed::Line(line)) = &next {
            self.terminal.line(&format!("{PROMPT}{}", prose(line)))?;
        }
        Ok(next)
    }

    /// The line that was begun and not ended.
    pub fn take_begun(&mut self) -> String {
        std::mem::take(&mut self.begun)
    }

    /// Whether a line answers a question that was closed just before, and is no message; says so.
    ///
    /// # Errors
    /// When the terminal cannot be written.
    pub fn is_late_answer(&mut self, line: &str) -> Result<bool> {
        if line.trim().is_empty() {
            return Ok(false);
        }
        let is_late = std::mem::take(&mut self.is_question_closed) && is_answer(line);
        if is_late {
            let shown = gist(line);
            self.note(&format!(
                "not sent: \"{shown}\" answers nothing, the question is closed; type it again to send it"
            ))?;
        }
        Ok(is_late)
    }

    /// Takes over what was typed and not shown yet.
    ///
    /// # Errors
    /// When the terminal cannot be read or written.
    pub async fn keep(&mut self, meanwhile: Meanwhile) -> Result<()> {
        let Meanwhile {
            keyboard,
            mut signals,
        } = meanwhile;
        let Some(keyboard) = keyboard else {
            return Ok(());
        };
        let ended = keyboard.end().await;
        let (heard, begun) = ended.context("the terminal cannot be read")?;
        self.begun = begun;
        heard.into_iter().try_for_each(|heard| self.typed(heard))?;
        self.second_press(&mut signals).await
    }

    /// After Ctrl-C what waits begins only when there was time for a second one, which drops it: it
    /// does the same whether the request has ended by then or not.
    async fn second_press(&mut self, signals: &mut Signals) -> Result<()> {
        let Some(stopped) = self.stopped.take().filter(|_| !self.queued.is_empty()) else {
            return Ok(());
        };
        let left = SECOND_PRESS.saturating_sub(stopped.elapsed());
        match tokio::time::timeout(left, signals.next()).await {
            Ok(_pressed) => self.left(),
            Err(_nothing) => Ok(()),
        }
    }

    /// Says what was typed ahead and is not done, since the chat ends.
    ///
    /// # Errors
    /// When the terminal cannot be written.
    pub fn tell_unheard(&mut self) -> Result<()> {
        for typed in std::mem::take(&mut self.queued) {
            if let Typed::Line(line) = typed {
                self.note(&format!("not done: {}", gist(&line)))?;
            }
        }
        Ok(())
    }

    fn note(&mut self, text: &str) -> Result<()> {
        Ok(self.terminal.note(text)?)
    }

    fn queue(&mut self, line: String) -> Result<()> {
        let shown = gist(&line);
        if self.queued.len() >= QUEUED_LINES {
            return self.note(&format!(
                "not queued, {QUEUED_LINES} lines wait already: {shown}"
            ));
        }
        self.queued.push_back(Typed::Line(line));
        match self.queued.len() {
            1 => self.note(&format!("queued: {shown}")),
            count => self.note(&format!("queued as number {count}: {shown}")),
        }
    }
}

impl View for ChatView {
    fn show(&mut self, event: &Event) -> Result<()> {
        self.last_seq = self.last_seq.max(event.seq);
        // One in passing has the number of another event, which may still be untold.
        if !event.body.is_passing() {
            self.says_itself(event.seq);
        }
        if matches!(event.body, EventBody::QueryReceived { .. }) && std::mem::take(&mut self.asks) {
            self.asked = event.query_id;
        }
        if let Some(change) = self.in_force.note(event) {
            self.terminal.note(&change)?;
        }
        Ok(self.terminal.draw(event)?)
    }

    fn says_itself(&mut self, seq: u64) {
        if let Some(told) = &self.told {
            let mut told = told.lock().unwrap_or_else(PoisonError::into_inner);
            told.insert(seq);
        }
    }

    fn tick(&mut self) {
        self.terminal.tick();
    }

    fn patience(&self) -> Duration {
        self.terminal.patience()
    }

    fn remark(&mut self, text: &str) -> Result<()> {
        Ok(self.terminal.line(&prose(text))?)
    }

    fn typed(&mut self, heard: Heard) -> Result<()> {
        match heard {
            // Enter alone asks for nothing.
            Heard::Line(line) if line.trim().is_empty() => Ok(()),
            Heard::Line(line) => match self.is_late_answer(&line)? {
                true => Ok(()),
                false => self.queue(line),
            },
            Heard::Cut => self.note(&format!(
                "not queued: the terminal cuts lines of {LINE_BYTES} bytes or more while \
                 something runs; enter it at the prompt"
            )),
            Heard::End => {
                self.queued.push_back(Typed::End);
                self.note("the chat ends after this")
            }
        }
    }

    fn question_closed(&mut self) {
        self.is_question_closed = true;
    }

    fn asks_again(&self) -> &'static str {
        "/retry"
    }

    fn stopping(&mut self, caught: Caught) -> Option<String> {
        if caught == Caught::HangUp {
            // Nobody is left for what waits.
            self.queued = VecDeque::from([Typed::Gone]);
            return None;
        }
        if caught == Caught::Terminate {
            // The chat ends behind this, and says then what was queued and is not done.
            self.stopped = None;
            return Some("stopping".to_owned());
        }
        self.stopped = Some(Instant::now());
        Some(match self.queued.len() {
            0 => "stopping".to_owned(),
            count => format!("stopping; press Ctrl-C again to drop the {count} queued as well"),
        })
    }

    fn left(&mut self) -> Result<()> {
        self.stopped = None;
        let dropped = std::mem::take(&mut self.queued).len();
        if dropped > 0 {
            self.note(&format!("{dropped} queued dropped"))?;
        }
        Ok(())
    }
}
