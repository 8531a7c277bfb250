//! What was under way in a session when a chat comes to it: what goes on is shown to its end, and
//! what was cut off is named.

use super::conversation::{Chat, listening};
use crate::exit::OrFail;
use crate::request::follow;
use crate::undo::{in_words, only_takes_back};
use anyhow::Result;
use api::sessions::Follow;
use domain::event::{Event, EventBody, QueryStatus};
use domain::settings::Mode;
use futures::{StreamExt, stream};
use rendering::agents::gist;
use session::{Exchange, SessionView};

impl Chat<'_> {
    /// Shows what was left to the session: the requests that are under way, with their questions,
    /// and those that ended with the process that worked on them.
    ///
    /// # Errors
    /// When the events cannot be read or the terminal cannot be used.
    pub(super) async fn see_what_was_left(&mut self) -> Result<()> {
        let events = self.events().await?;
        let view = SessionView::of(&events);
        // Of several that were, each window names its own.
        let cut_off = self.own_cut_off(&view).or_else(|| view.cut_off());
        let cut_off = cut_off.map(|one| match only_takes_back(&one.text) {
            true => ("the undo".to_owned(), "/undo tries again"),
            false => (gist(&one.text), "/retry asks it again"),
        });
        if cut_off.is_none() {
            self.tell_last_exchange(&view, &events)?;
        }
        // In auto mode what goes on is shown above the prompt, and a question waits there.
        if self.profile.mode != Mode::Auto {
            let asked_seq = view.questions().first().map(|one| one.asked_seq);
            let is_open = |seq| view.open_requests().any(|one| one.received_seq == seq);
            for received in events.iter().filter(|event| is_open(event.seq)) {
                if !self.see_through(received.clone(), asked_seq).await? {
                    return Ok(());
                }
            }
            self.show_new().await?;
        }
        if let Some((about, again)) = cut_off {
            self.tell(&format!("cut off before its end: {about}"))?;
            self.tell(&format!("  {again}; what was said is kept"))?;
        }
        Ok(())
    }

    /// The last request that was said here, if it was cut off.
    pub(super) fn own_cut_off<'v>(&self, view: &'v SessionView) -> Option<&'v Exchange> {
        view.as_cut_off(self.view.asked?)
    }

    /// Says where a conversation that goes on was: its last finished exchange, in two lines.
    fn tell_last_exchange(&mut self, view: &SessionView, events: &[Event]) -> Result<()> {
        let finished = view
            .exchanges()
            .last_of_user()
            .filter(|last| last.finished_seq.is_some());
        let Some(last) = finished else {
            return Ok(());
        };
        self.tell(&format!("last asked: {}", gist(&last.text)))?;
        let answers = events.iter().rev().filter_map(|event| match &event.body {
            // A second answer that was taken over stands in the place of the first.
            EventBody::GenerationFinished { answer, .. } | EventBody::SecondTaken { answer } => {
                Some((event.query_id, answer))
            }
            _ => None,
        });
        let mut own = answers.filter(|(query_id, _)| *query_id == Some(last.query_id));
        if let Some((_, answer)) = own.next().filter(|(_, answer)| !answer.is_empty()) {
            self.tell(&format!("  answered: {}", gist(answer)))?;
        }
        self.tell_how_it_ended(last.finished_seq, events)?;
        let id = self.session.session_id;
        self.tell(&format!("  `carl session show {id}` shows all of it"))
    }

    /// Says of a request that came to less than was asked how it ended, and the way on.
    fn tell_how_it_ended(&mut self, seq: Option<u64>, events: &[Event]) -> Result<()> {
        let Some(EventBody::QueryFinished { status, error, .. }) = events
            .iter()
            .find(|event| Some(event.seq) == seq)
            .map(|event| &event.body)
        else {
            return Ok(());
        };
        let how = match (status, error) {
            (QueryStatus::Interrupted, _) => "interrupted before its end".to_owned(),
            (QueryStatus::Failed, Some(fault)) => format!("failed: {}", gist(&fault.message)),
            _ => return Ok(()),
        };
        self.tell(&format!("  {how}"))?;
        self.tell("  /retry asks it again; what was said is kept")
    }

    /// Shows a request that is under way to its end; false when the user did not wait for that.
    async fn see_through(&mut self, received: Event, asked_seq: Option<u64>) -> Result<bool> {
        if let EventBody::QueryReceived { text, .. } = &received.body {
            self.tell(&format!("going on with: {}", gist(&in_words(text))))?;
        }
        let (id, query_id) = (self.session.session_id, received.query_id);
        let next = self.view.last_seq + 1;
        let from_seq = asked_seq.map_or(next, |asked| asked.min(next));
        let sessions = self.host.sessions();
        let later = sessions
            .attach(id, from_seq, Follow::Live)
            .await
            .or_fail()?;
        // What it begins with is known; the rest is as if it had been asked here.
        let events = Box::pin(stream::iter([Ok(received)]).chain(later));
        let asker = self.host.asker();
        let mut meanwhile = listening(self.entered.take(), &self.termination)?;
        let mut is_over = false;
        let ended = |event: &Event| match &event.body {
            EventBody::QueryFinished { status, .. } if event.query_id == query_id => {
                is_over = true;
                Some(*status)
            }
            _ => None,
        };
        let place = (sessions, id, &asker);
        let followed = follow(place, events, &mut self.view, &mut meanwhile, ended).await;
        self.view.keep(meanwhile).await?;
        followed.map(|_| is_over)
    }
}
