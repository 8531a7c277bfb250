//! What is thought of answers: the user's opinion, the wish for a grade, and what observers found.
//! Each is an event of the request that was answered.

use crate::blocking;
use crate::history::{Emitter, History};
use crate::service::Service;
use crate::service::opening::write_closings;
use api::sessions::{Error, ErrorKind, FeedbackRequest, Finding, SecondRequest};
use domain::Timestamp;
use domain::event::EventBody;
use domain::id::{QueryId, SessionId};
use domain::limits::USER_TEXT_BYTES;
use domain::model::HOTTEST;
use domain::quality::Winner;
use session_log::{Durability, Scope};
use std::time::Duration;

/// How long a second answer that was asked for is waited for before it can be asked for again: whoever was to
/// give it may have been killed.
const SECOND_TIME: Duration = Duration::from_secs(600);
const NOT_ENDED: &str = "is not there, was taken back, or has not ended";

fn has_ended(history: &History, query_id: QueryId) -> bool {
    let found = history.view.exchanges().find(query_id);
    found.is_some_and(|one| one.finished_seq.is_some())
}

fn invalid(detail: impl Into<String>) -> Error {
    Error::new(ErrorKind::InvalidRequest, detail)
}

impl Service {
    pub(crate) async fn keep_opinion(&self, request: FeedbackRequest) -> Result<(), Error> {
        let session = self.expect_live(request.session_id).await?;
        let score = request.score;
        if !(-100..=100).contains(&score) {
            return Err(invalid(format!(
                "A score goes from -100 to 100, not {score}."
            )));
        }
        if request.note.len() > USER_TEXT_BYTES {
            return Err(invalid(format!(
                "A note has at most {USER_TEXT_BYTES} bytes."
            )));
        }
        self.expect_query(request.session_id, request.query_id)
            .await?;
        let is_under_way = {
            let history = session.emitter.history();
            let found = history.view.exchanges().find(request.query_id);
            found.is_some_and(|one| one.finished_seq.is_none())
        };
        if is_under_way {
            let query_id = request.query_id;
            return Err(invalid(format!("The request {query_id} has not ended.")));
        }
        let body = EventBody::Feedback {
            score,
            note: request.note,
        };
        let emitting = session
            .emitter
            .emit(of(request.query_id), body, Durability::Written);
        emitting.await.map(|_| ())
    }

    pub(crate) async fn want_grade(
        &self,
        session_id: SessionId,
        query_id: QueryId,
    ) -> Result<(), Error> {
        let asked = (query_id, EventBody::GradeAsked);
        self.append_if_ended(session_id, asked).await
    }

    pub(crate) async fn want_second(
        &self,
        session_id: SessionId,
        query_id: QueryId,
        wanted: SecondRequest,
    ) -> Result<(), Error> {
        let SecondRequest { model, temperature } = wanted;
        if temperature.is_some_and(|one| !(0.0..=HOTTEST).contains(&one)) {
            return Err(invalid(format!("A temperature goes from 0 to {HOTTEST}.")));
        }
        let now = (self.shared.clock)();
        let may_be_asked = |history: &History| {
            if !has_ended(history, query_id) {
                return Err(NOT_ENDED);
            }
            let second = history.view.second(query_id);
            let waited = second.filter(|second| second.is_waited_for());
            let is_fresh = |asked: Timestamp| {
                let waited = Duration::try_from(now.duration_since(asked));
                waited.unwrap_or_default() < SECOND_TIME
            };
            match waited
                .and_then(|second| second.asked_at)
                .is_some_and(is_fresh)
            {
                true => Err("waits for its second answer or the comparison already"),
                false => Ok(vec![EventBody::SecondAsked { model, temperature }]),
            }
        };
        self.append_all(session_id, query_id, may_be_asked).await
    }

    pub(crate) async fn keep_choice(
        &self,
        session_id: SessionId,
        query_id: QueryId,
        winner: Winner,
    ) -> Result<(), Error> {
        let has_second = |history: &History| {
            let second = history.view.second(query_id);
            second.is_some_and(|second| second.answer.is_some())
        };
        let rated = (query_id, EventBody::SecondRated { winner });
        let why = "is not there, was taken back, or has no second answer";
        self.append(session_id, rated, (has_second, why)).await
    }

    /// Puts the second answer to the last request in the place of the first one.
    pub(crate) async fn put_second_in_place(
        &self,
        session_id: SessionId,
        query_id: QueryId,
    ) -> Result<(), Error> {
        let taken = |history: &History| {
            let exchanges = history.view.exchanges().standing();
            if exchanges.iter().any(|one| one.finished_seq.is_none()) {
                return Err("has to wait until no request of the session is worked on");
            }
            let mut answered = exchanges.iter().rev();
            let last = answered.find(|one| !one.is_undo && !one.is_command);
            if last.is_none_or(|last| last.query_id != query_id) {
                return Err("is not the last of the session");
            }
            let second = history.view.second(query_id);
            if second.is_some_and(|second| second.is_taken) {
                return Err("has its second answer in the place of the first already");
            }
            let answer = second.and_then(|second| second.answer.as_ref());
            let Some(answer) = answer else {
                return Err("has no second answer");
            };
            let winner = Winner::B;
            let answer = answer.text.clone();
            Ok(vec![
                EventBody::SecondRated { winner },
                EventBody::SecondTaken { answer },
            ])
        };
        self.append_all(session_id, query_id, taken).await
    }

    /// The same as [`Self::append`], of a request that has ended.
    async fn append_if_ended(
        &self,
        session_id: SessionId,
        (query_id, body): (QueryId, EventBody),
    ) -> Result<(), Error> {
        let permitted = (|history: &History| has_ended(history, query_id), NOT_ENDED);
        self.append(session_id, (query_id, body), permitted).await
    }

    pub(crate) async fn keep_finding(
        &self,
        session_id: SessionId,
        query_id: QueryId,
        finding: Finding,
    ) -> Result<(), Error> {
        if !finding.is_in_range() {
            return Err(invalid(
                "A grade goes from 1 to 5, a reward from -100 to 100, a temperature from 0 to 2.",
            ));
        }
        self.expect_query(session_id, query_id).await?;
        let found = (query_id, finding.into());
        self.append(session_id, found, (|_: &History| true, ""))
            .await
    }

    async fn expect_query(&self, session_id: SessionId, query_id: QueryId) -> Result<(), Error> {
        let path = session_log::path_of(&self.shared.config.sessions_folder, session_id);
        let outlines = self.shared.config.outlines.clone();
        let looking = move || session_log::has_query(&path, query_id, &outlines);
        if blocking::run(looking).await? {
            return Ok(());
        }
        Err(invalid(format!("This session has no request {query_id}.")))
    }

    /// Appends an event of a request to a session's log, whether the session is open or not, if its
    /// history permits it; else says why that request will not do.
    async fn append(
        &self,
        session_id: SessionId,
        (query_id, body): (QueryId, EventBody),
        (permits, why): (impl Fn(&History) -> bool, &'static str),
    ) -> Result<(), Error> {
        let one = |history: &History| match permits(history) {
            true => Ok(vec![body]),
            false => Err(why),
        };
        self.append_all(session_id, query_id, one).await
    }

    /// The same with the events that its history asks for, or the reason why there are none.
    async fn append_all(
        &self,
        session_id: SessionId,
        query_id: QueryId,
        wanted: impl FnOnce(&History) -> Result<Vec<EventBody>, &'static str>,
    ) -> Result<(), Error> {
        let _turn = self.turn(session_id).await;
        let refused = |why| invalid(format!("The request {query_id} {why}."));
        if let Some(session) = self.live(session_id).await {
            let bodies = wanted(&session.emitter.history()).map_err(refused)?;
            return emit_all(&session.emitter, query_id, bodies).await;
        }
        let session_log::Earlier {
            log, cut, history, ..
        } = self.at_rest(session_id).await?;
        let bodies = wanted(&history).map_err(refused)?;
        let closings = history.closings();
        let emitter = self.emitter(session_id, log, history);
        write_closings(&emitter, cut, closings).await?;
        let emitted = emit_all(&emitter, query_id, bodies).await;
        emitter.close().await;
        emitted
    }
}

async fn emit_all(
    emitter: &Emitter,
    query_id: QueryId,
    bodies: Vec<EventBody>,
) -> Result<(), Error> {
    for body in bodies {
        let emitting = emitter.emit(of(query_id), body, Durability::Written);
        emitting.await?;
    }
    Ok(())
}

fn of(query_id: QueryId) -> Scope {
    Scope {
        query_id: Some(query_id),
        ..Scope::default()
    }
}
