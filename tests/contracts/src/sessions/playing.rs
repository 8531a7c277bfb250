//! Playing the script of a request, act by act.

use super::{Act, FakeSessions, Waiting};
use domain::drive::Origin;
use domain::event::{ConfirmationRequest, EventBody, QueryStatus};
use domain::id::{HolderId, QueryId, SessionId};
use tokio::sync::{oneshot, watch};

impl FakeSessions {
    /// Works on requests of a session until none waits.
    pub(super) async fn work(self, session_id: SessionId) {
        loop {
            let next = {
                let mut state = self.state.lock().unwrap();
                let Ok(session) = state.session(session_id) else {
                    return;
                };
                let next = session.waiting.pop_front();
                session.is_busy = next.is_some();
                next.map(|next| (next, session.interrupts.subscribe()))
            };
            let Some((next, interrupts)) = next else {
                return;
            };
            let Waiting {
                query_id,
                text,
                mode,
                holder_id,
            } = next;
            self.force(session_id, holder_id);
            let received = EventBody::QueryReceived {
                text: text.clone(),
                mode,
                origin: Origin::User,
            };
            self.emit(session_id, Some(query_id), received);
            let status = self.play(session_id, query_id, &text, interrupts).await;
            let finished = EventBody::QueryFinished {
                status,
                artifacts: Vec::new(),
                duration_ms: 0,
                error: None,
            };
            self.force(session_id, None);
            // In one breath, so that who sees the end finds the session free.
            let mut state = self.state.lock().unwrap();
            state.emit(session_id, Some(query_id), finished);
            let is_busy = state.session(session_id).is_ok_and(|session| {
                session.is_busy = !session.waiting.is_empty();
                session.is_busy
            });
            drop(state);
            self.grown.send_modify(|count| *count += 1);
            if !is_busy {
                return;
            }
        }
    }

    /// Has a holder's profile count, or again that of the one who holds the session longest.
    fn force(&self, session_id: SessionId, holder_id: Option<HolderId>) {
        let mut state = self.state.lock().unwrap();
        let changed = state.session(session_id).ok();
        if let Some(body) = changed.and_then(|session| session.put_in_force(holder_id)) {
            state.emit(session_id, None, body);
        }
    }

    async fn play(
        &self,
        session_id: SessionId,
        query_id: QueryId,
        text: &str,
        mut interrupts: watch::Receiver<u64>,
    ) -> QueryStatus {
        let acts = self.state.lock().unwrap().scripts.get(text).cloned();
        let echo = || {
            let text = format!("You said: {text}");
            vec![Act::Emit(EventBody::TextDelta { text })]
        };
        for act in acts.unwrap_or_else(echo) {
            let step = async {
                match act {
                    Act::Emit(body) => self.emit(session_id, Some(query_id), body),
                    Act::Ask(request) => self.ask(session_id, query_id, request).await,
                    Act::Wait(gate) => gate.pass().await,
                    Act::Hang => std::future::pending().await,
                }
            };
            tokio::select! {
                biased;
                _ = interrupts.changed() => return QueryStatus::Interrupted,
                () = step => {}
            }
        }
        QueryStatus::Success
    }

    async fn ask(&self, session_id: SessionId, query_id: QueryId, request: ConfirmationRequest) {
        let confirmation_id = request.confirmation_id;
        let (reply, answer) = oneshot::channel();
        let question = (session_id, request.binding, reply);
        self.state
            .lock()
            .unwrap()
            .questions
            .insert(confirmation_id, question);
        self.emit(
            session_id,
            Some(query_id),
            EventBody::ConfirmationAsked(request),
        );
        if let Ok((answer, by)) = answer.await {
            let answered = EventBody::ConfirmationAnswered {
                confirmation_id,
                answer,
                by: "user".to_owned(),
                token: by.token().cloned(),
            };
            self.emit(session_id, Some(query_id), answered);
        }
    }
}
