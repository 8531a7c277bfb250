//! Other carls that this process serves: before it ends, it waits for what they asked for.

use crate::exit::OrFail;
use crate::signals::Signals;
use anyhow::Result;
use api::sessions::{Follow, Selection, SessionSummary, Sessions};
use domain::drive::Origin;
use domain::event::EventBody;
use domain::id::{ConfirmationId, QueryId, SessionId};
use futures::{StreamExt, TryStreamExt};
use rendering::{Paint, agents, print_error};
use std::collections::{BTreeMap, BTreeSet};
use text::escape::visible_line;
use tokio_util::sync::DropGuard;

/// Waits for the requests of others that are worked on in this process, since they would be cut off,
/// and for those that users ask meanwhile; then nobody is served here any more. Ctrl-C or SIGTERM ends
/// that.
/// Those who asked go on by themselves afterwards. `shared` is what serves others until it is dropped.
///
/// # Errors
/// When the sessions here cannot be read.
pub async fn see_off(sessions: &dyn Sessions, shared: &mut Option<DropGuard>) -> Result<()> {
    if shared.is_none() {
        return Ok(());
    }
    let mut signals = Signals::all()?;
    let mut busy = busy(sessions, |_| true).await?;
    if !busy.is_empty() {
        say(&waited_for(&busy));
    }
    loop {
        for work in std::mem::take(&mut busy) {
            tokio::select! {
                ended = work.end(sessions) => ended?,
                () = signals.next_of_user() => return Ok(()),
            }
        }
        // The drive goes on wherever its session is opened next; a user's line would be lost.
        let still_serves = shared.is_some();
        busy = self::busy(sessions, |origin| origin == Origin::User).await?;
        if !busy.is_empty() {
            continue;
        }
        if !still_serves {
            return Ok(());
        }
        // What came in before it took effect is seen in a last round.
        *shared = None;
    }
}

/// Who is waited for, what each of them waits for in its turn, and the way out.
fn waited_for(busy: &[Work]) -> String {
    let count = busy.len();
    let mut text = format!(
        "{count} other carl{} waited for here; Ctrl-C cuts {} off. What is typed here is not read.\n",
        if count == 1 { " is" } else { "s are" },
        if count == 1 { "it" } else { "them" },
    );
    for work in busy {
        text.push_str(&work.told());
    }
    text
}

/// Says it on the terminal. Others are waited for as well where that is gone.
fn say(text: &str) {
    let _told = print_error(&Paint::for_stream(&std::io::stderr()).faint(text));
}

/// The sessions in this process with requests of such origin that are not finished.
async fn busy(sessions: &dyn Sessions, counts: impl Fn(Origin) -> bool) -> Result<Vec<Work>> {
    let known = sessions.list(Selection::Live).await.or_fail()?;
    let mut busy = Vec::new();
    for guest in &known {
        let mut work = Work::of(sessions, guest).await?;
        work.open.retain(|_, origin| counts(*origin));
        busy.extend((!work.open.is_empty()).then_some(work));
    }
    Ok(busy)
}

/// The requests of a session that have no end yet.
struct Work {
    session_id: SessionId,
    last_seq: u64,
    /// The session as a person knows it: its title and folder.
    name: String,
    open: BTreeMap<QueryId, Origin>,
    /// Questions that wait for an answer.
    questions: BTreeSet<ConfirmationId>,
}

impl Work {
    async fn of(sessions: &dyn Sessions, session: &SessionSummary) -> Result<Self> {
        let mut work = Self {
            session_id: session.session_id,
            last_seq: 0,
            name: format!(
                "\"{}\" in {}",
                agents::gist(&session.title),
                visible_line(&session.workspace.to_string_lossy())
            ),
            open: BTreeMap::new(),
            questions: BTreeSet::new(),
        };
        let past = sessions.attach(work.session_id, 1, Follow::Outline).await;
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
            (_, EventBody::ConfirmationAsked(question)) => {
                self.questions.insert(question.confirmation_id);
            }
            (
                _,
                EventBody::ConfirmationAnswered {
                    confirmation_id, ..
                },
            ) => {
                self.questions.remove(confirmation_id);
            }
            _ => {}
        }
        if self.open.is_empty() {
            self.questions.clear();
        }
    }

    /// A line that says which it is and what it waits for.
    fn told(&self) -> String {
        let name = &self.name;
        match self.questions.is_empty() {
            true => format!("  {name}: at work\n"),
            false => format!("  {name}: waits for the answer to a question, in its own window\n"),
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
                    let asked_before = self.questions.len();
                    self.note(event.seq, event.query_id, &event.body);
                    if self.questions.len() > asked_before {
                        say(&self.told());
                    }
                }
                None => return Ok(()),
            }
        }
        Ok(())
    }
}
