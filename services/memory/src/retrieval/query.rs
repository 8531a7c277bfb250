//! The stages of a query, each told as an event. Every leg nominates generously, scores are fused,
//! and no stage drops what a leg found.

use super::ranking::{Legged, Ranked, Ranking, texts};
use super::shared::Shared;
use super::{recall, stages};
use crate::cache::{Asked, Wanted, left_out};
use crate::embedding::{QUERY_WAIT, USER_WAIT, Vector};
use crate::index::{Found, Likeness, Limits};
use api::memory::{Candidate, Error, QueryEvent, QueryRequest, Recall, Stage};
use retrieval::fusion::{Hit, Leg, Legs};
use retrieval::question::{self, Question};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::mpsc;

/// Entries that a leg nominates.
const NOMINATED: usize = 200;
/// Rows of vectors that the comparison of signs nominates.
const ROWS: usize = 600;

type Tell = mpsc::Sender<Result<QueryEvent, Error>>;

/// Answers a question, telling each stage. It ends early when nobody listens.
pub(super) async fn run(shared: Arc<Shared>, request: QueryRequest, tell: Tell) {
    let query = Query {
        question: question::read(&request.text),
        shared,
        request,
        tell,
    };
    if let Err(error) = query.answer().await {
        // Whoever asked may be gone, and then there is nobody to tell.
        drop(query.tell.send(Err(error)).await);
    }
}

struct Query {
    shared: Arc<Shared>,
    request: QueryRequest,
    question: Question,
    tell: Tell,
}

/// How much of what there is a leg looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Looked {
    AtAll,
    AtSome,
}

/// What the leg of words found, and how long it took.
struct Lexical {
    found: Result<Found<(u32, f32)>, Error>,
    duration: Duration,
}

/// What the leg of vectors found, and how long it took once it had the question's.
struct Nearest {
    vector: Option<Vector>,
    found: Found<Likeness>,
    duration: Duration,
}

impl Nearest {
    fn nothing(reason: String) -> Self {
        Self {
            vector: None,
            found: Found::nothing(reason),
            duration: Duration::ZERO,
        }
    }
}

impl Query {
    async fn answer(&self) -> Result<(), Error> {
        let began = Instant::now();
        let epoch = self.shared.indexes.directory(|directory| {
            let within = directory.within(&self.request.scope);
            directory.epoch(&within, left_out(&self.request))
        });
        let asked = Asked::new(&self.question, Wanted::of(&self.request), epoch);
        let known = self.shared.cache().by_words(&asked, began);
        if let Some(answer) = known {
            return self.remembered(answer, "the same words", began).await;
        }
        if self.request.context.is_none() {
            self.shared.fed().await;
        }
        let (lexical, nearest) = tokio::join!(self.lexical(), self.nearest());
        if let Some(vector) = &nearest.vector {
            let known = self.shared.cache().by_meaning(&asked, vector, began);
            if let Some(answer) = known {
                return self.remembered(answer, "the same meaning", began).await;
            }
        }
        let (lexical, by_words) = self.words(lexical).await;
        let (legged, by_meaning) = self.legs(lexical, nearest).await;
        let vector = legged.vector.clone();
        let recalls = self.ranked(legged).await?;
        // What a leg could not look at it may find the next time, and whoever asks then is told of
        // what is lacking then.
        if (by_words, by_meaning) == (Looked::AtAll, Looked::AtAll) {
            let now = Instant::now();
            self.shared.cache().keep(asked, vector, &recalls, now);
        }
        self.event(QueryEvent::Results(recalls)).await;
        Ok(())
    }

    /// Ranks what the legs found, and tells each stage of it.
    async fn ranked(&self, legged: Legged) -> Result<Vec<Recall>, Error> {
        let (shared, request) = (Arc::clone(&self.shared), self.request.clone());
        let ranking = Ranking::new(shared, request, self.question.clone());
        let work = move |from: &_| ranking.run(from, legged);
        let Ranked {
            stages,
            mut found,
            fault,
        } = self.shared.store.read(work).await?;
        if !fault.is_empty() {
            self.shared.embedder.changed.notify_one();
        }
        for stage in stages {
            self.event(QueryEvent::Stage(stage)).await;
        }
        let began = Instant::now();
        let note = recall::extract(&self.shared, &self.question, &mut found).await;
        let cut = texts(&found);
        let count = cut.len() as u64;
        self.stage("extraction", cut, count, began, note).await;
        let numbers = found.iter().map(|(_, entry)| entry.number);
        self.shared.touch(numbers.collect());
        Ok(found.into_iter().map(|(recall, _)| recall).collect())
    }

    /// An answer that was kept, as long as every entry of it still holds.
    async fn remembered(
        &self,
        answer: Vec<Recall>,
        why: &str,
        began: Instant,
    ) -> Result<(), Error> {
        let hits: Vec<Candidate> = answer
            .iter()
            .map(|recall| Candidate {
                id: recall.id,
                score: recall.score,
            })
            .collect();
        self.stage("cache", hits, answer.len() as u64, began, why.to_owned())
            .await;
        let ids = answer.iter().map(|recall| recall.id).collect();
        let entries = self.shared.store.by_ids(ids).await?;
        self.shared
            .touch(entries.iter().map(|entry| entry.number).collect());
        self.event(QueryEvent::Results(answer)).await;
        Ok(())
    }

    async fn lexical(&self) -> Lexical {
        let began = Instant::now();
        let indexes = self.shared.indexes.clone();
        let (text, scope) = (self.question.text.clone(), self.request.scope.clone());
        let found = crate::index::blocking(move || indexes.lexical(&text, &scope, NOMINATED));
        let found = found.await.and_then(|found| found);
        Lexical {
            found,
            duration: began.elapsed(),
        }
    }

    /// Tells the leg of words. Where its index fails, the query goes on without it.
    async fn words(&self, lexical: Lexical) -> (Vec<Hit>, Looked) {
        let found = match lexical.found {
            Ok(found) => found,
            Err(error) => {
                self.shared.indexes.drop_words(&error.to_string()).await;
                Found::nothing(format!("{error}; the index is made anew"))
            }
        };
        let hits: Vec<Hit> = found.best.iter().map(hit).collect();
        let Lexical { duration, .. } = lexical;
        let told = self.told(Stage::LEXICAL, &hits, found.seen, duration, found.note);
        let looked = told.await;
        (hits, looked)
    }

    /// The leg of vectors: the question's, and then the entries nearest to it.
    async fn nearest(&self) -> Nearest {
        let (text, shared) = (&self.question.text, Arc::clone(&self.shared));
        let embedder = &self.shared.embedder;
        let made = if is_asked_for(&self.request) {
            let ready = async move { shared.caught_up().await };
            embedder.query(text, USER_WAIT, ready).await
        } else {
            let ready = async move { shared.identified().await };
            embedder.query(text, QUERY_WAIT, ready).await
        };
        let vector = match made {
            Ok(vector) => vector,
            Err(reason) => return Nearest::nothing(reason),
        };
        let began = Instant::now();
        let limits = Limits {
            rows: ROWS,
            entries: NOMINATED,
        };
        let (indexes, scope) = (self.shared.indexes.clone(), self.request.scope.clone());
        let query = Arc::clone(&vector);
        let found = crate::index::blocking(move || indexes.nearest(&query, &scope, limits));
        let found = found.await.and_then(|found| found);
        let found = found.unwrap_or_else(|error| {
            self.shared.embedder.changed.notify_one();
            Found::nothing(format!("{error}; the vectors are read again"))
        });
        Nearest {
            vector: Some(vector),
            found,
            duration: began.elapsed(),
        }
    }

    /// Tells the leg of vectors, and puts both together.
    async fn legs(&self, lexical: Vec<Hit>, nearest: Nearest) -> (Legged, Looked) {
        let Nearest {
            vector,
            found,
            duration,
        } = nearest;
        let legs = Legs {
            lexical: Leg {
                cut: lexical.len() >= NOMINATED,
                hits: lexical,
            },
            vector: leg(&found.best, text_cosine),
            description: leg(&found.best, about_cosine),
        };
        let mut best = legs.vector.hits.clone();
        best.sort_by(|a, b| b.score.total_cmp(&a.score));
        let told = self.told(Stage::VECTOR, &best, found.seen, duration, found.note);
        let looked = told.await;
        let likenesses = found.best.into_iter();
        let legged = Legged {
            legs,
            likenesses: likenesses
                .map(|like| (u64::from(like.number), like))
                .collect(),
            vector,
        };
        (legged, looked)
    }

    async fn told(
        &self,
        name: &str,
        hits: &[Hit],
        seen: u64,
        duration: Duration,
        note: String,
    ) -> Looked {
        let indexes = &self.shared.indexes;
        let stage = stages::of_hits(indexes, name, hits, seen, duration, note);
        let looked = match stage.lacking() {
            None => Looked::AtAll,
            Some(_) => Looked::AtSome,
        };
        self.event(QueryEvent::Stage(stage)).await;
        looked
    }

    async fn stage(
        &self,
        name: &str,
        candidates: Vec<Candidate>,
        seen: u64,
        began: Instant,
        note: String,
    ) {
        let stage = stages::of(name, candidates, seen, began.elapsed(), note);
        self.event(QueryEvent::Stage(stage)).await;
    }

    async fn event(&self, event: QueryEvent) {
        // A reader that went away is no failure: the answer is still kept for the next one.
        drop(self.tell.send(Ok(event)).await);
    }
}

/// Whether somebody wants the best there is, and waits for it: the user's own command, or a search
/// of an agent or a plan. A recall that nobody asked for wants what is relevant, and no delay.
fn is_asked_for(request: &QueryRequest) -> bool {
    request.context.is_none() || request.at_least <= 0.0
}

fn hit((number, score): &(u32, f32)) -> Hit {
    Hit {
        number: u64::from(*number),
        score: *score,
    }
}

/// One leg of the vectors.
fn leg(nearest: &[Likeness], score: fn(&Likeness) -> Option<f32>) -> Leg {
    let hits = nearest.iter().filter_map(|like| {
        let score = score(like)?;
        Some(Hit {
            number: u64::from(like.number),
            score,
        })
    });
    let mut hits: Vec<Hit> = hits.collect();
    hits.sort_by(|a, b| b.score.total_cmp(&a.score));
    let cut = hits.len() >= NOMINATED;
    hits.truncate(NOMINATED);
    Leg { hits, cut }
}

/// How like the question the text is; where it has no vector, name or description.
fn text_cosine(like: &Likeness) -> Option<f32> {
    Some(like.text()).filter(|cosine| *cosine >= -1.0)
}

/// How like the question name or description is.
fn about_cosine(like: &Likeness) -> Option<f32> {
    Some(like.about()).filter(|cosine| *cosine >= -1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use api::CallContext;
    use api::memory::{Detail, Scope};
    use domain::id::{AgentToken, SessionId, TraceId};
    use uuid::Uuid;

    #[test]
    fn only_a_recall_that_nobody_asked_for_is_short_of_time() {
        let id = Uuid::from_u128(1);
        let agent = CallContext {
            session_id: SessionId::from_uuid(id),
            agent_token: AgentToken::from_text(String::new()),
            trace_id: TraceId::from_uuid(id),
        };
        let asked_for = |context: Option<&CallContext>, at_least| {
            is_asked_for(&QueryRequest {
                context: context.cloned(),
                text: "my cat".to_owned(),
                scope: Scope::All,
                limit: 5,
                detail: Detail::Segment,
                at_least,
            })
        };
        assert!(asked_for(None, 0.0) && asked_for(None, 0.5));
        assert!(asked_for(Some(&agent), 0.0));
        assert!(!asked_for(Some(&agent), 0.5));
    }
}
