//! A chat and the process that serves it: the first to start serves those that come later. When it
//! ends, one of them goes on in its place.

use super::Chat;
use super::slash::is_command;
use crate::commands::onlooker::{Onlooker, SharedPrinter};
use crate::exit::{OrFail, describe, not_opened};
use crate::render::Paint;
use crate::signals::Signals;
use crate::wiring::House;
use anyhow::Result;
use api::sessions::{Follow, OpenRequest, SessionSummary, Sessions};
use domain::drive::Origin;
use domain::event::{Event, EventBody};
use domain::id::{QueryId, SessionId};
use futures::{StreamExt, TryStreamExt};
use std::collections::BTreeMap;
use std::io;
use text::escape::visible;

/// What is said of a process that is no more.
const GONE: &str = "the carl that served this chat has ended; going on without it";

impl Chat<'_> {
    /// Goes on where what served this chat has ended, if it has.
    ///
    /// # Errors
    /// When it cannot; the next line tries again.
    pub(super) async fn be_served(&mut self) -> Result<()> {
        if !self.house.is_gone().await {
            return Ok(());
        }
        self.tell(GONE)?;
        self.take_over().await?;
        self.see_what_was_left().await
    }

    /// Opens the session as it stands on disk: in this process, or in another that was faster.
    async fn take_over(&mut self) -> Result<()> {
        let mut house = House::open(self.setting, self.flags).await?;
        house.share(self.setting).await;
        house.remembrance.open_ahead();
        let request = OpenRequest::Resume {
            session_id: self.session.session_id,
            profile: Some(self.profile.clone()),
        };
        let opened = house.sessions.open(request).await;
        self.session = opened.map_err(|error| not_opened(&error))?;
        self.house = house;
        self.onlooker = None;
        Ok(())
    }

    /// Says what went wrong, and goes on without what is gone: a line that did not get there after
    /// the event with the number `shown_seq` is said again.
    ///
    /// # Errors
    /// When the terminal cannot be written.
    pub(super) async fn complain_of(
        &mut self,
        error: &anyhow::Error,
        (typed, shown_seq): (&str, u64),
    ) -> Result<()> {
        if !self.house.is_gone().await {
            return self.complain(error);
        }
        self.tell(GONE)?;
        let taken = match self.take_over().await {
            Ok(()) => self.ask_what_was_not_heard(typed, shown_seq).await,
            failed => failed,
        };
        self.or_complain(taken)
    }

    /// Shows what was left, and says what was typed unless the session has it already.
    async fn ask_what_was_not_heard(&mut self, typed: &str, shown_seq: u64) -> Result<()> {
        self.see_what_was_left().await?;
        let events = self.events().await?;
        let was_heard = |event: &Event| {
            let is_it =
                matches!(&event.body, EventBody::QueryReceived { text, .. } if text == typed);
            event.seq > shown_seq && is_it
        };
        if is_command(typed) || typed.is_empty() || events.iter().any(was_heard) {
            return Ok(());
        }
        self.say(typed).await
    }

    /// Looks on anew when what the drive does is no longer seen: without what is gone, if that is why.
    pub(super) async fn look_again(&mut self, printer: &SharedPrinter) {
        let seen = self.onlooker.take().map_or(0, |onlooker| onlooker.seen());
        let seen = seen.max(self.view.last_seq);
        let taken = match self.house.is_gone().await {
            true => {
                printer.print(format!("{GONE}\n"));
                self.take_over().await
            }
            false => Ok(()),
        };
        let begun = match taken {
            Ok(()) => {
                let id = self.session.session_id;
                Onlooker::begin(self.house.sessions.as_ref(), id, printer.clone(), seen).await
            }
            Err(error) => Err(error),
        };
        match begun {
            Ok(onlooker) => {
                self.view.told = Some(onlooker.shown_elsewhere());
                self.onlooker = Some(onlooker);
            }
            Err(error) => {
                let (_, fault) = describe(&error);
                let head = Paint::for_stream(&io::stderr()).bad("error:");
                let (what, how) = (visible(&fault.message), visible(&fault.hint));
                printer.print(format!("{head} {what}\n  {how}\n"));
            }
        }
    }

    /// Waits for the requests of others that are worked on in this process, since they would be cut
    /// off, and for those that users ask meanwhile; then nobody is served here any more. Ctrl-C ends
    /// that. Those who asked go on by themselves afterwards.
    pub(super) async fn see_guests_off(&mut self) -> Result<()> {
        if !self.house.serves() {
            return Ok(());
        }
        let mut signals = Signals::ctrl_c()?;
        let mut busy = self.busy(|_| true).await?;
        let is_waited_for = !busy.is_empty();
        if is_waited_for {
            let count = busy.len();
            self.view.terminal.note(&format!(
                "{count} other carl{} waited for here; Ctrl-C cuts {} off",
                if count == 1 { " is" } else { "s are" },
                if count == 1 { "it" } else { "them" },
            ))?;
        }
        loop {
            let sessions = self.house.sessions.as_ref();
            for work in std::mem::take(&mut busy) {
                tokio::select! {
                    ended = work.end(sessions) => ended?,
                    _stopped = signals.next() => return Ok(()),
                }
            }
            // The drive goes on wherever its session is opened next; a user's line would be lost.
            let still_serves = self.house.serves();
            busy = self.busy(|origin| origin == Origin::User).await?;
            if !busy.is_empty() {
                continue;
            }
            if !still_serves {
                return Ok(());
            }
            // What came in before it took effect is seen in a last round.
            self.house.serve_no_longer();
        }
    }

    /// The sessions in this process with requests of such origin that are not finished.
    async fn busy(&self, counts: impl Fn(Origin) -> bool) -> Result<Vec<Work>> {
        let sessions = self.house.sessions.as_ref();
        let known = sessions.list().await.or_fail()?;
        let mut busy = Vec::new();
        for guest in known.iter().filter(|session| session.live) {
            let mut work = Work::of(sessions, guest).await?;
            work.open.retain(|_, origin| counts(*origin));
            busy.extend((!work.open.is_empty()).then_some(work));
        }
        Ok(busy)
    }
}

/// The requests of a session that have no end yet.
struct Work {
    session_id: SessionId,
    last_seq: u64,
    open: BTreeMap<QueryId, Origin>,
}

impl Work {
    async fn of(sessions: &dyn Sessions, session: &SessionSummary) -> Result<Self> {
        let mut work = Self {
            session_id: session.session_id,
            last_seq: 0,
            open: BTreeMap::new(),
        };
        let past = sessions.attach(work.session_id, 1, Follow::ToEnd).await;
        let mut past = past.or_fail()?;
        while let Some(event) = past.try_next().await.or_fail()? {
            work.note(event.seq, event.query_id, &event.body);
        }
        Ok(work)
    }

    fn note(&mut self, seq: u64, query_id: Option<QueryId>, body: &EventBody) {
        self.last_seq = seq;
        match (query_id, body) {
            (Some(id), EventBody::QueryReceived { origin, .. }) => {
                self.open.insert(id, *origin);
            }
            (Some(id), EventBody::QueryFinished { .. }) => drop(self.open.remove(&id)),
            _ => {}
        }
    }

    /// Waits until none is open.
    async fn end(mut self, sessions: &dyn Sessions) -> Result<()> {
        let later = sessions.attach(self.session_id, self.last_seq + 1, Follow::Live);
        let mut later = later.await.or_fail()?;
        while !self.open.is_empty() {
            match later.next().await {
                Some(event) => {
                    let event = event.or_fail()?;
                    self.note(event.seq, event.query_id, &event.body);
                }
                None => return Ok(()),
            }
        }
        Ok(())
    }
}
