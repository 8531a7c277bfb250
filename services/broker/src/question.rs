//! Questions to the user: asked once, answered once, for exactly what was shown. Silence is a no.

use crate::inner::Inner;
use crate::ledger;
use crate::state::{About, Caller, OPEN_QUESTIONS, OpenQuestion, Session, lock};
use api::audit::{Durability, Entry};
use api::broker::{Error, ErrorKind};
use domain::Timestamp;
use domain::decision::Verdict;
use domain::event::{Batch, ConfirmationAnswer, ConfirmationKind, ConfirmationRequest};
use domain::hash::Digest;
use domain::id::{BatchId, ConfirmationId, SessionId};
use domain::token::{Answerer, TokenName};
use domain::tool::EffectClass;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

/// How a question ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Answered {
    pub(crate) answer: ConfirmationAnswer,
    /// `user`, `timeout` or [`BY_SESSION`].
    pub(crate) by: &'static str,
    /// The access token by which a program answered in the user's place.
    pub(crate) token: Option<TokenName>,
}

/// Who answers a question that a yes for the session covers which was given meanwhile.
pub(crate) const BY_SESSION: &str = "session";

/// A question put to the user and not answered yet. Dropping it withdraws it.
pub(crate) struct Asked<'a> {
    inner: &'a Inner,
    caller: &'a Caller,
    id: ConfirmationId,
    answer: oneshot::Receiver<(ConfirmationAnswer, Answerer)>,
    about: About,
}

impl Drop for Asked<'_> {
    fn drop(&mut self) {
        lock(&self.caller.session).questions.remove(&self.id);
    }
}

impl Inner {
    /// When a question asked now becomes a no.
    pub(crate) fn expiry(&self) -> Timestamp {
        let now = (self.clock)();
        // A wait beyond the end of time is no wait that ends.
        jiff::SignedDuration::try_from(self.config.confirmation_wait)
            .and_then(|wait| now.checked_add(wait))
            .unwrap_or(Timestamp::MAX)
    }

    /// Opens a question, and has it wait with those of the same kind that wait already, whichever
    /// agent of the session asks. `None` when too many are open.
    pub(crate) fn open_question<'a>(
        &'a self,
        caller: &'a Caller,
        request: &mut ConfirmationRequest,
        mut about: About,
    ) -> Option<Asked<'a>> {
        about.entry.params_hash = Some(request.binding);
        // What is shown is kept in the session's log.
        let needles = self.secrets.needles();
        request.rendering = needles.scrub(&request.rendering).into_owned();
        request.reason = needles.scrub(&request.reason).into_owned();
        let diff = request.diff.take();
        request.diff = diff.map(|diff| needles.scrub(&diff).into_owned());
        for step in &mut request.steps {
            step.diff = needles.scrub(&step.diff).into_owned();
        }
        let (sender, answer) = oneshot::channel();
        let mut session = lock(&caller.session);
        if session.questions.len() >= OPEN_QUESTIONS {
            return None;
        }
        if request.kind == ConfirmationKind::Call && request.batch.is_none() {
            request.batch = Some(joined(&session, request.effect));
        }
        let question = OpenQuestion {
            binding: request.binding,
            related: request.batch.map(|batch| (request.effect, batch)),
            answer: sender,
            about: about.clone(),
        };
        session.questions.insert(request.confirmation_id, question);
        Some(Asked {
            inner: self,
            caller,
            id: request.confirmation_id,
            answer,
            about,
        })
    }

    /// Takes the user's answer to the question it was given for.
    pub(crate) async fn take_answer(
        &self,
        session_id: SessionId,
        id: ConfirmationId,
        binding: Digest,
        (answer, by): (ConfirmationAnswer, Answerer),
    ) -> Result<(), Error> {
        let session = self.state.session(session_id)?;
        let question = {
            let mut session = lock(&session);
            let shown = session.questions.get(&id).map(|q| q.binding);
            match shown {
                None => Err(Error::new(
                    ErrorKind::UnknownConfirmation,
                    "This question is not open: it was answered, withdrawn, or waited too long.",
                )),
                Some(shown) if shown != binding => Err(Error::new(
                    ErrorKind::BindingMismatch,
                    "The answer is for something else than what is asked. Nothing was approved.",
                )),
                Some(_) => Ok(session.questions.remove(&id)),
            }
        }?;
        let about = question.as_ref().map(|question| question.about.clone());
        let entry =
            about.map(|about| about.answered((self.clock)(), &answer, ("user", by.token())));
        // Without a record the question is gone and its sender dropped, which counts as a no.
        if let Some(entry) = entry {
            self.record(entry, Durability::Grouped)
                .await
                .map_err(ledger::refused)?;
        }
        if let Some(question) = question
            && question.answer.send((answer, by)).is_err()
        {
            return Err(Error::new(
                ErrorKind::UnknownConfirmation,
                "The call that asked has ended.",
            ));
        }
        Ok(())
    }
}

impl Asked<'_> {
    /// Waits for the answer, or until nobody has to be asked any more; `None` when `cancel` comes
    /// first.
    pub(crate) async fn wait(
        mut self,
        cancel: &CancellationToken,
        covered: impl Future<Output = ()>,
    ) -> Option<Answered> {
        let silence = tokio::time::sleep(self.inner.config.confirmation_wait);
        tokio::select! {
            biased;
            () = cancel.cancelled() => None,
            answer = &mut self.answer => Some(match answer {
                Ok(given) => of_user(given),
                // The answer could not be recorded.
                Err(_) => no("user"),
            }),
            () = covered => Some(self.closed().await.unwrap_or(Answered {
                answer: ConfirmationAnswer::Session,
                by: BY_SESSION,
                token: None,
            })),
            () = silence => Some(self.silence().await),
        }
    }

    /// Closes the question; the answer that is being recorded at this very moment, if there is one.
    async fn closed(&mut self) -> Option<Answered> {
        let was_open = lock(&self.caller.session)
            .questions
            .remove(&self.id)
            .is_some();
        if was_open {
            return None;
        }
        Some(match (&mut self.answer).await {
            Ok(given) => of_user(given),
            Err(_) => no("user"),
        })
    }

    async fn silence(&mut self) -> Answered {
        if let Some(answered) = self.closed().await {
            return answered;
        }
        let ended = no("timeout");
        let about = self.about.clone();
        let entry = about.answered((self.inner.clock)(), &ended.answer, (ended.by, None));
        if let Err(error) = self.inner.record(entry, Durability::Grouped).await {
            tracing::warn!(%error, "a question's end could not be recorded");
        }
        ended
    }
}

impl About {
    /// The entry on an answer: a yes is on record as an allow, a no as a deny, of what asked.
    fn answered(
        self,
        now: Timestamp,
        answer: &ConfirmationAnswer,
        (by, token): (&str, Option<&TokenName>),
    ) -> Entry {
        let verdict = match answer {
            ConfirmationAnswer::Once | ConfirmationAnswer::Session => Verdict::Allow,
            ConfirmationAnswer::Deny { .. } => Verdict::Deny,
        };
        let mut entry = self.entry;
        entry.time = now;
        entry.decision = Some((verdict, self.layer));
        entry.detail = format!("{} by {by}", word(answer));
        if let Some(token) = token {
            entry.detail.push_str(&format!(", token {token}"));
        }
        entry
    }
}

/// A place beside the open questions about the same kind of effect; a batch of one where there are
/// none.
fn joined(session: &Session, effect: EffectClass) -> Batch {
    let open = session.questions.values().filter_map(|q| q.related);
    let alike = open.filter(|(known, _)| *known == effect);
    let widest = alike.map(|(_, batch)| batch).max_by_key(|batch| batch.size);
    match widest {
        Some(batch) => Batch {
            batch_id: batch.batch_id,
            position: batch.size,
            size: batch.size.saturating_add(1),
        },
        None => Batch {
            batch_id: BatchId::from_uuid(Uuid::now_v7()),
            position: 0,
            size: 1,
        },
    }
}

fn of_user((answer, by): (ConfirmationAnswer, Answerer)) -> Answered {
    Answered {
        answer,
        by: "user",
        token: by.token().cloned(),
    }
}

fn no(by: &'static str) -> Answered {
    Answered {
        answer: ConfirmationAnswer::Deny {
            message: String::new(),
        },
        by,
        token: None,
    }
}

const fn word(answer: &ConfirmationAnswer) -> &'static str {
    match answer {
        ConfirmationAnswer::Once => "once",
        ConfirmationAnswer::Session => "session",
        ConfirmationAnswer::Deny { .. } => "deny",
    }
}
