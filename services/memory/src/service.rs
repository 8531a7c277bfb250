//! The service: checks, the record, and the store or the finder behind them.

use crate::config::Config;
use crate::error::broken;
use crate::finder::Finder;
use crate::forget;
use crate::gate::{self, Cleared, Denial};
use crate::ledger::{Clock, Ledger};
use crate::store::Store;
use crate::store::keep::{self, Kept, Remarked};
use api::audit::Audit;
use api::memory::{
    Annotation, CorrelatedRequest, Error, Memory, QueryEvent, QueryRequest, Recall, Refusal,
    Stored, WriteAnswer, WriteEntry, WriteRequest,
};
use api::models::Models;
use api::{CallContext, Streaming};
use async_trait::async_trait;
use domain::Timestamp;
use domain::event::CallStatus;
use domain::id::{MemoryId, QueryId};
use domain::limits::{MEMORY_CORRELATIONS, MEMORY_QUERY_BYTES};
use futures::StreamExt as _;
use std::ops::RangeInclusive;
use std::path::Path;
use std::sync::Arc;
use uuid::Uuid;

/// A critic's scores.
const SCORES: RangeInclusive<u8> = 1..=5;
/// The user's feedback.
const FEEDBACK: RangeInclusive<i8> = -100..=100;

/// The memory service: [`Memory`] for agents and observers, [`api::memory::Curator`] for the user.
/// A cheap handle; the store is closed with the last one.
#[derive(Clone)]
pub struct Service {
    pub(crate) store: Store,
    pub(crate) finder: Arc<dyn Finder>,
    pub(crate) ledger: Ledger,
}

impl Service {
    /// Opens the memory of a folder, or makes it, for the user alone. Call it inside a Tokio
    /// runtime.
    ///
    /// # Errors
    /// [`Error::Unavailable`] when another process has it open, for a store that is another
    /// program's, newer than this one or damaged, and when the folder cannot be written.
    pub async fn open(
        folder: &Path,
        config: &Config,
        audit: Arc<dyn Audit>,
        models: Arc<dyn Models>,
        clock: Clock,
    ) -> Result<Self, Error> {
        let folder = folder.to_path_buf();
        let opening = tokio::task::spawn_blocking(move || Store::open(&folder));
        let store = match opening.await {
            Ok(store) => store?,
            Err(error) => return Err(broken(format!("opening memory broke off: {error}"))),
        };
        forget::begin(&store).await?;
        let ledger = Ledger::new(audit, Arc::clone(&clock));
        let finder = crate::finding(&store, models, config, clock).await?;
        let service = Self {
            store,
            finder,
            ledger,
        };
        if let Err(error) = forget::finish(&service.store, service.finder.as_ref()).await {
            tracing::warn!(%error, "memory's files may still have what was forgotten");
        }
        Ok(service)
    }

    async fn denied(
        &self,
        context: Option<&CallContext>,
        denial: Denial,
    ) -> Result<WriteAnswer, Error> {
        let detail = format!("kept out: {}", denial.refusal.as_str());
        self.ledger
            .write(context, detail, CallStatus::Denied, None)
            .await?;
        Ok(WriteAnswer::Rejected {
            refusal: denial.refusal,
            detail: denial.detail,
        })
    }

    /// On record first, then in the store; what the record says and did not happen is put right on
    /// record too.
    pub(crate) async fn keep(
        &self,
        context: Option<&CallContext>,
        stored: Stored,
        how: How,
    ) -> Result<WriteAnswer, Error> {
        let (id, label) = (stored.id, stored.label.clone());
        let detail = format!("keeps {id}");
        self.ledger
            .write(context, detail, CallStatus::Ok, Some(label))
            .await?;
        let likeness = gate::likeness(&stored.namespace, &stored.entry);
        let kept = self
            .store
            .write(move |to| match how {
                How::New { supersedes } => keep::keep(to, &stored, &likeness, supersedes),
                How::Again => keep::restore(to, &stored, &likeness),
            })
            .await;
        let (correction, answer) = match kept {
            Ok(Kept::Stored) => return Ok(WriteAnswer::Stored { id }),
            Ok(Kept::Duplicate(same)) => (
                format!("{id} is not kept: {same} says the same"),
                Ok(WriteAnswer::Duplicate { id: same }),
            ),
            Ok(Kept::NothingToCorrect) => (
                format!("{id} is not kept: nothing to correct"),
                Ok(rejected(
                    Refusal::NothingToCorrect,
                    "there is no such entry to correct in this namespace",
                )),
            ),
            Ok(Kept::LessTrusted) => (
                format!("{id} is not kept: less trusted than what it corrects"),
                Ok(rejected(
                    Refusal::LessTrusted,
                    "what it would correct is more trusted than what it was made from, or the \
                     user's own; tell the user, who corrects it with `carl memory add … \
                     --supersedes ID`",
                )),
            ),
            Ok(Kept::Forgotten) => (
                format!("{id} is not kept: it was forgotten"),
                Ok(rejected(Refusal::Forgotten, "the user forgot it")),
            ),
            Err(error) => (format!("{id} is not kept: the store failed"), Err(error)),
        };
        let recorded = self
            .ledger
            .write(context, correction, CallStatus::Failed, None)
            .await;
        // The store's own failure says more than the record's.
        let answer = answer?;
        recorded?;
        Ok(answer)
    }
}

/// How an entry comes in.
#[derive(Debug, Clone, Copy)]
pub(crate) enum How {
    /// For the first time, perhaps in place of another.
    New { supersedes: Option<MemoryId> },
    /// From an export.
    Again,
}

fn rejected(refusal: Refusal, detail: &str) -> WriteAnswer {
    WriteAnswer::Rejected {
        refusal,
        detail: detail.to_owned(),
    }
}

fn invalid(detail: impl Into<String>) -> Error {
    Error::Invalid {
        detail: detail.into(),
    }
}

fn micro(time: Timestamp) -> Timestamp {
    Timestamp::from_microsecond(time.as_microsecond()).unwrap_or(time)
}

fn check_question(text: &str) -> Result<(), Error> {
    if text.trim().is_empty() {
        return Err(invalid("it asks nothing"));
    }
    check_words(text)
}

fn check_words(text: &str) -> Result<(), Error> {
    match text.len() {
        0..=MEMORY_QUERY_BYTES => Ok(()),
        size => Err(invalid(format!(
            "the question has {size} bytes; at most {MEMORY_QUERY_BYTES} are taken"
        ))),
    }
}

/// A remark as it may be kept.
fn checked(annotation: Annotation) -> Result<Annotation, Error> {
    match annotation {
        Annotation::Score(score) if !SCORES.contains(&score) => {
            Err(invalid(format!("a critic's score is 1 to 5, not {score}")))
        }
        Annotation::Feedback(feedback) if !FEEDBACK.contains(&feedback) => {
            Err(invalid(format!("feedback is -100 to 100, not {feedback}")))
        }
        Annotation::Score(_)
        | Annotation::Winner(_)
        | Annotation::Feedback(_)
        | Annotation::Understood { .. } => Ok(annotation),
    }
}

/// What a model made of an engram passes the gate as the engram would with it.
fn understood(stored: &Stored, annotation: Annotation) -> Result<Annotation, Error> {
    let (
        Annotation::Understood { intent, entities },
        WriteEntry::Engram {
            question,
            answer,
            session_id,
            query_id,
            respondent,
            tools_used,
            ..
        },
    ) = (&annotation, &stored.entry)
    else {
        return Ok(annotation);
    };
    let whole = WriteEntry::Engram {
        question: question.clone(),
        answer: answer.clone(),
        intent: intent.clone(),
        entities: entities.clone(),
        session_id: *session_id,
        query_id: *query_id,
        respondent: respondent.clone(),
        tools_used: tools_used.clone(),
    };
    match gate::judge(whole, stored.source, stored.label.clone()) {
        Ok(Cleared {
            entry: WriteEntry::Engram {
                intent, entities, ..
            },
            ..
        }) => Ok(Annotation::Understood { intent, entities }),
        Ok(_) => Ok(annotation),
        Err(denial) => Err(invalid(denial.detail)),
    }
}

fn remark(annotation: &Annotation) -> &'static str {
    match annotation {
        Annotation::Score(_) => "a critic's score",
        Annotation::Winner(_) => "the outcome of a comparison",
        Annotation::Feedback(_) => "the user's feedback",
        Annotation::Understood { .. } => "what a model made of it",
    }
}

#[async_trait]
impl Memory for Service {
    async fn query(&self, request: QueryRequest) -> Result<Streaming<QueryEvent, Error>, Error> {
        check_question(&request.text)?;
        if request.limit == 0 {
            return Err(invalid("it wants no results"));
        }
        let context = request.context.clone();
        let ledger = self.ledger.clone();
        let events = self.finder.query(request).await?;
        let recorded = events.then(move |event| {
            let (ledger, context) = (ledger.clone(), context.clone());
            async move {
                if let Ok(QueryEvent::Results(recalls)) = &event {
                    let ids: Vec<MemoryId> = recalls.iter().map(|recall| recall.id).collect();
                    ledger.read(context.as_ref(), "recalled", &ids).await?;
                }
                event
            }
        });
        Ok(recorded.boxed())
    }

    async fn write(&self, request: WriteRequest) -> Result<WriteAnswer, Error> {
        let context = request.context.as_ref();
        let cleared = match gate::judge(request.entry, request.source, request.label) {
            Ok(cleared) => cleared,
            Err(denial) => return self.denied(context, denial).await,
        };
        let stored = Stored {
            id: MemoryId::from_uuid(Uuid::now_v7()),
            namespace: request.namespace,
            entry: cleared.entry,
            source: cleared.source,
            label: cleared.label,
            created_at: self.ledger.now(),
            valid_from: request.valid_from.map(micro),
            valid_until: None,
            superseded_by: None,
            last_accessed: None,
            access_count: 0,
            critic_score: None,
            pairwise_winner: None,
            feedback: None,
        };
        let supersedes = request.supersedes;
        self.keep(context, stored, How::New { supersedes }).await
    }

    async fn get_correlated(&self, request: CorrelatedRequest) -> Result<Vec<Recall>, Error> {
        check_words(&request.text)?;
        if request.ids.len() > MEMORY_CORRELATIONS {
            return Err(invalid(format!(
                "it asks about {} entries; at most {MEMORY_CORRELATIONS} at one time",
                request.ids.len()
            )));
        }
        let context = request.context.clone();
        let recalls = self.finder.correlated(request).await?;
        let ids: Vec<MemoryId> = recalls.iter().map(|recall| recall.id).collect();
        self.ledger
            .read(context.as_ref(), "recalled as correlating", &ids)
            .await?;
        Ok(recalls)
    }

    async fn engram_of(
        &self,
        query_id: QueryId,
        respondent: &str,
    ) -> Result<Option<MemoryId>, Error> {
        let respondent = respondent.to_owned();
        self.store
            .read(move |from| keep::engram_of(from, query_id, &respondent))
            .await
    }

    async fn annotate(
        &self,
        context: Option<CallContext>,
        id: MemoryId,
        annotation: Annotation,
    ) -> Result<(), Error> {
        let annotation = checked(annotation)?;
        let Some(entry) = self.store.by_ids(vec![id]).await?.pop() else {
            return Err(Error::NotFound { id });
        };
        let annotation = understood(&entry.stored, annotation)?;
        let detail = format!("remarks on {id}: {}", remark(&annotation));
        self.ledger
            .write(context.as_ref(), detail, CallStatus::Ok, None)
            .await?;
        let remarked = self
            .store
            .write(move |to| keep::annotate(to, id, &annotation))
            .await?;
        match remarked {
            Remarked::Done => Ok(()),
            Remarked::Unknown => Err(Error::NotFound { id }),
            Remarked::NoEngram => Err(invalid("it remarks on a memory that is no engram")),
        }
    }
}
