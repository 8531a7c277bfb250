//! What is found about answers: asking for a grade, and recording what observers found.

use super::{FakeSessions, State};
use api::sessions::{Error, ErrorKind, Finding, SecondRequest};
use domain::event::{Event, EventBody};
use domain::id::{QueryId, SessionId};
use domain::model::HOTTEST;
use domain::quality::Winner;

fn invalid(detail: &str) -> Error {
    Error::new(ErrorKind::InvalidRequest, detail)
}

impl FakeSessions {
    pub(super) fn want_grade(&self, id: SessionId, query_id: QueryId) -> Result<(), Error> {
        let is_end = |body: &EventBody| matches!(body, EventBody::QueryFinished { .. });
        if !self.state.lock().unwrap().has(id, query_id, is_end)? {
            return Err(invalid("no request that has ended"));
        }
        self.emit(id, Some(query_id), EventBody::GradeAsked);
        Ok(())
    }

    pub(super) fn want_second(
        &self,
        id: SessionId,
        query_id: QueryId,
        wanted: SecondRequest,
    ) -> Result<(), Error> {
        let is_end = |body: &EventBody| matches!(body, EventBody::QueryFinished { .. });
        let has_ended = self.state.lock().unwrap().has(id, query_id, is_end)?;
        let SecondRequest { model, temperature } = wanted;
        if !has_ended || temperature.is_some_and(|one| !(0.0..=HOTTEST).contains(&one)) {
            return Err(invalid("no request that has ended, or no temperature"));
        }
        if self.waits_for_second(id, query_id)? {
            return Err(invalid("a second answer is waited for already"));
        }
        let asked = EventBody::SecondAsked { model, temperature };
        self.emit(id, Some(query_id), asked);
        Ok(())
    }

    fn waits_for_second(&self, id: SessionId, query_id: QueryId) -> Result<bool, Error> {
        let mut state = self.state.lock().unwrap();
        let events = state.session(id)?.events.iter().rev();
        let mut of_query = events.filter(|one| one.query_id == Some(query_id));
        Ok(of_query.find_map(|event| match event.body {
            EventBody::SecondAsked { .. } => Some(true),
            EventBody::Pairwise { .. } | EventBody::SecondMissed(_) => Some(false),
            _ => None,
        }) == Some(true))
    }

    pub(super) fn keep_choice(
        &self,
        id: SessionId,
        query_id: QueryId,
        winner: Winner,
    ) -> Result<(), Error> {
        let is_second = |body: &EventBody| matches!(body, EventBody::SecondAnswered { .. });
        if !self.state.lock().unwrap().has(id, query_id, is_second)? {
            return Err(invalid("no second answer"));
        }
        self.emit(id, Some(query_id), EventBody::SecondRated { winner });
        Ok(())
    }

    pub(super) fn put_second_in_place(
        &self,
        id: SessionId,
        query_id: QueryId,
    ) -> Result<(), Error> {
        let answer = {
            let mut state = self.state.lock().unwrap();
            let events = &state.session(id)?.events;
            let is_received =
                |event: &&Event| matches!(event.body, EventBody::QueryReceived { .. });
            let last = events.iter().rfind(is_received);
            let is_last = last.is_some_and(|event| event.query_id == Some(query_id));
            // The newest of both: an answer that was taken over is not taken over once more.
            let text = |event: &Event| match &event.body {
                EventBody::SecondAnswered { answer, .. } => Some(Some(answer.clone())),
                EventBody::SecondTaken { .. } => Some(None),
                _ => None,
            };
            let of_query = events.iter().filter(|one| one.query_id == Some(query_id));
            of_query.rev().find_map(text).flatten().filter(|_| is_last)
        };
        let answer = answer.ok_or_else(|| invalid("not the last, no second answer, or taken"))?;
        let winner = Winner::B;
        self.emit(id, Some(query_id), EventBody::SecondRated { winner });
        self.emit(id, Some(query_id), EventBody::SecondTaken { answer });
        Ok(())
    }

    pub(super) fn keep_finding(
        &self,
        id: SessionId,
        query_id: QueryId,
        finding: Finding,
    ) -> Result<(), Error> {
        let is_known = self.state.lock().unwrap().has(id, query_id, |_| true)?;
        if !is_known || !finding.is_in_range() {
            return Err(invalid("no such request, or a number out of range"));
        }
        self.emit(id, Some(query_id), finding.into());
        Ok(())
    }
}

impl State {
    /// Whether a session, open or not, has such an event of a request.
    fn has(
        &mut self,
        id: SessionId,
        query_id: QueryId,
        is_such: impl Fn(&EventBody) -> bool,
    ) -> Result<bool, Error> {
        let events = &self.session(id)?.events;
        let mut of_query = events.iter().filter(|one| one.query_id == Some(query_id));
        Ok(of_query.any(|event| is_such(&event.body)))
    }
}
