//! What is found about answers: asking for a grade, and recording what observers found.

use super::{FakeSessions, State};
use api::sessions::{Error, ErrorKind, Finding};
use domain::event::EventBody;
use domain::id::{QueryId, SessionId};

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
