//! The stages of a query, each told as an event. Every leg nominates generously, scores are fused,
//! and no stage drops what a leg found.

use super::{Shared, recall};
use crate::cache::{Asked, Wanted};
use crate::embedding::{QUERY_WAIT, USER_WAIT, Vector};
use crate::entry::Entry;
use crate::index::glance::{self, Glance};
use crate::index::{Found, Likeness, Limits};
use api::memory::{
    Candidate, Error, QueryEvent, QueryRequest, Recall, STAGE_CANDIDATES, Scope, Stage,
};
use retrieval::facts;
use retrieval::fusion::{Fusion, Hit, Leg, Legs, Traits, Weights, standing};
use retrieval::question::{self, Question};
use retrieval::repeats::{self, Said};
use retrieval::speech;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::mpsc;

/// Entries that a leg nominates.
const NOMINATED: usize = 200;
/// Rows of vectors that the comparison of signs nominates.
const ROWS: usize = 600;
/// The best so many are looked at more closely than by text alone.
const WEIGHED: usize = 100;
/// A relevance below this is shown as 0.00.
const LEAST_SHOWN: f32 = 0.005;
/// Microseconds of a day.
const DAY_US: f32 = 86_400e6;

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

/// What both legs found.
struct Legged {
    legs: Legs,
    likenesses: BTreeMap<u64, Likeness>,
    vector: Option<Vector>,
}

impl Query {
    async fn answer(&self) -> Result<(), Error> {
        let began = Instant::now();
        let epoch = self
            .shared
            .indexes
            .directory(|directory| directory.epoch(&directory.within(&self.request.scope)));
        let asked = Asked::new(&self.question, Wanted::of(&self.request), epoch);
        let known = self.shared.cache().by_words(&asked, began);
        if let Some(answer) = known {
            return self.remembered(answer, "the same words", began).await;
        }
        let (lexical, nearest) = tokio::join!(self.lexical(), self.nearest());
        if let Some(vector) = &nearest.vector {
            let known = self.shared.cache().by_meaning(&asked, vector, began);
            if let Some(answer) = known {
                return self.remembered(answer, "the same meaning", began).await;
            }
        }
        let lexical = self.words(lexical).await;
        let mut legged = self.legs(lexical, nearest).await;
        let ranked = self.fuse(&legged).await?;
        let recalls = self.read(&ranked, &mut legged).await?;
        let now = Instant::now();
        self.shared
            .cache()
            .keep(asked, legged.vector, &recalls, now);
        self.results(recalls).await;
        Ok(())
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
        self.results(answer).await;
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
    async fn words(&self, lexical: Lexical) -> Vec<Hit> {
        let found = match lexical.found {
            Ok(found) => found,
            Err(error) => {
                self.shared.indexes.drop_words(&error.to_string()).await;
                Found::nothing(format!("{error}; the index is made anew"))
            }
        };
        let hits: Vec<Hit> = found.best.iter().map(hit).collect();
        self.told("lexical", &hits, found.seen, lexical.duration, found.note)
            .await;
        hits
    }

    /// The leg of vectors: the question's, and then the entries nearest to it.
    async fn nearest(&self) -> Nearest {
        let (text, shared) = (&self.question.text, Arc::clone(&self.shared));
        let embedder = &self.shared.embedder;
        let made = if self.request.context.is_none() {
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
    async fn legs(&self, lexical: Vec<Hit>, nearest: Nearest) -> Legged {
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
        self.told("vector", &best, found.seen, duration, found.note)
            .await;
        let likenesses = found.best.into_iter();
        Legged {
            legs,
            likenesses: likenesses
                .map(|like| (u64::from(like.number), like))
                .collect(),
            vector,
        }
    }

    /// Compares what words alone found as well, so that its relevance is known by meaning too.
    async fn compare(&self, chosen: &[(Entry, f32)], legged: &mut Legged) -> Result<(), Error> {
        let Some(vector) = legged.vector.clone() else {
            return Ok(());
        };
        let numbers = chosen.iter().map(|(entry, _)| entry.number);
        let others: Vec<u32> = numbers
            .filter(|number| !legged.likenesses.contains_key(number))
            .map(small)
            .collect();
        if others.is_empty() {
            return Ok(());
        }
        let indexes = self.shared.indexes.clone();
        let compared = crate::index::blocking(move || indexes.compare(&vector, &others)).await??;
        let pairs = compared.into_iter();
        legged
            .likenesses
            .extend(pairs.map(|like| (u64::from(like.number), like)));
        Ok(())
    }

    /// Fuses, stage by stage.
    async fn fuse(&self, legged: &Legged) -> Result<Vec<Hit>, Error> {
        let weights = Weights::from(&self.shared.config.weights);
        let began = Instant::now();
        let mut fusion = Fusion::of(&legged.legs, weights);
        self.fused("fusion", &fusion, began).await;

        let began = Instant::now();
        fusion.describe(&legged.legs);
        self.fused("prior", &fusion, began).await;

        let began = Instant::now();
        let scope = &self.request.scope;
        self.shared.indexes.directory(|directory| {
            let within = directory.within(scope);
            fusion.spread(|number| {
                let linked = directory.linked(small(number), &within);
                linked.map(u64::from).collect::<Vec<u64>>()
            });
        });
        self.fused("neighbours", &fusion, began).await;

        let began = Instant::now();
        let glances = self.glances(&fusion.ranked()).await?;
        fusion.facts(|number| self.covered(number, &glances));
        self.fused("facts", &fusion, began).await;

        let began = Instant::now();
        let now = (self.shared.clock)().as_microsecond();
        fusion.weigh(self.question.about_now, |number| {
            self.traits(glances.get(&number), now)
        });
        let said = |number| {
            let glance: &Glance = glances.get(&number)?;
            Some(Said {
                question: glance.question.as_deref(),
                text: &glance.says,
                external: glance.is_external,
            })
        };
        let ranked = repeats::settled(&self.question, fusion.ranked(), said);
        let count = ranked.len() as u64;
        self.told("feedback", &ranked, count, began.elapsed(), String::new())
            .await;
        Ok(ranked)
    }

    /// A closer look at the best, and at what each of them goes on from.
    async fn glances(&self, best: &[Hit]) -> Result<BTreeMap<u64, Glance>, Error> {
        let best = best.iter().take(WEIGHED).map(|hit| hit.number);
        let numbers: BTreeSet<u32> = best
            .flat_map(|number| [Some(number), self.before(number)])
            .flatten()
            .map(small)
            .collect();
        let numbers: Vec<u32> = numbers.into_iter().collect();
        let read = move |from: &_| glance::glances(from, &numbers);
        let glances = self.shared.store.read(read).await?;
        Ok(glances
            .into_iter()
            .map(|glance| (u64::from(glance.number), glance))
            .collect())
    }

    /// The newest older entry that an entry belongs with.
    fn before(&self, number: u64) -> Option<u64> {
        self.shared.indexes.directory(|directory| {
            let within = directory.within(&self.request.scope);
            let linked = directory.linked(small(number), &within).map(u64::from);
            linked.filter(|&other| other < number).max()
        })
    }

    /// How much of the question an entry's facts cover.
    fn covered(&self, number: u64, glances: &BTreeMap<u64, Glance>) -> f32 {
        let Some(glance) = glances.get(&number) else {
            return 0.0;
        };
        let before = self.before(number).and_then(|other| glances.get(&other));
        let before = before.map(|glance| glance.opening.as_str());
        facts::covered(&self.question, &glance.opening, before)
    }

    fn traits(&self, glance: Option<&Glance>, now: i64) -> Traits {
        let Some(glance) = glance else {
            return Traits {
                speaks: false,
                asking: 0.0,
                standing: 0.0,
                age_days: f32::INFINITY,
                external: false,
            };
        };
        let speaker = speech::read(&glance.opening).speaker;
        #[expect(
            clippy::cast_precision_loss,
            reason = "an age in days needs few digits"
        )]
        let age_us = now.saturating_sub(glance.created_at) as f32;
        Traits {
            speaks: !speaker.is_empty() && self.question.names(speaker),
            asking: speech::asking(&glance.opening),
            standing: standing(glance.critic_score, glance.outcome, glance.feedback),
            age_days: age_us / DAY_US,
            external: glance.is_external,
        }
    }

    /// Reads the best from the store, which alone says what holds, and cuts the segments that
    /// answer.
    async fn read(&self, ranked: &[Hit], legged: &mut Legged) -> Result<Vec<Recall>, Error> {
        let began = Instant::now();
        let wanted = self.request.limit as usize;
        let mut chosen: Vec<(Entry, f32)> = Vec::new();
        for hits in ranked.chunks(wanted.clamp(1, NOMINATED)) {
            if chosen.len() >= wanted {
                break;
            }
            let numbers = hits.iter().map(|hit| hit.number).collect();
            let entries = self.shared.store.entries(numbers).await?;
            chosen.extend(
                entries
                    .into_iter()
                    .filter(|entry| self.may_see(entry))
                    .filter_map(|entry| {
                        let hit = hits.iter().find(|hit| hit.number == entry.number)?;
                        Some((entry, hit.score))
                    }),
            );
        }
        chosen.truncate(wanted);
        self.compare(&chosen, legged).await?;
        self.chosen("descriptions", &chosen, began).await;

        let began = Instant::now();
        let (mut recalls, mut numbers) = (Vec::with_capacity(chosen.len()), Vec::new());
        for (at, (entry, score)) in chosen.iter().enumerate() {
            let like = legged.likenesses.get(&entry.number);
            let is_read = at < self.shared.config.texts as usize;
            let recall = recall::of(
                entry,
                &recall::Asked {
                    question: &self.question,
                    detail: self.request.detail,
                    is_read,
                    score: *score,
                    like,
                },
                &self.shared.config,
            );
            if recall.relevance >= self.request.at_least {
                numbers.push(entry.number);
                recalls.push((recall, entry));
            }
        }
        // What belongs with an answer, and answers nothing itself, never stands before one.
        recalls.sort_by_key(|(recall, _)| recall.relevance < LEAST_SHOWN);
        self.cut(&mut recalls, began).await;
        self.shared.touch(numbers);
        Ok(recalls.into_iter().map(|(recall, _)| recall).collect())
    }

    /// Tells the stages of texts, after a model chose the segments where it is asked to.
    async fn cut(&self, recalls: &mut [(Recall, &Entry)], began: Instant) {
        let hits = |recalls: &[(Recall, &Entry)]| -> Vec<Candidate> {
            let read = recalls
                .iter()
                .filter(|(recall, _)| !recall.segment.is_empty());
            read.map(|(recall, _)| Candidate {
                id: recall.id,
                score: recall.relevance,
            })
            .collect()
        };
        let texts = hits(recalls);
        let count = texts.len() as u64;
        self.stage("text", texts, count, began, String::new()).await;
        let began = Instant::now();
        let note = recall::extract(&self.shared, &self.question, recalls).await;
        let cut = hits(recalls);
        self.stage("extraction", cut, count, began, note).await;
    }

    fn may_see(&self, entry: &Entry) -> bool {
        let scope: &Scope = &self.request.scope;
        entry.stored.valid_until.is_none() && scope.contains(&entry.stored.namespace)
    }

    async fn chosen(&self, name: &str, chosen: &[(Entry, f32)], began: Instant) {
        let hits = chosen.iter().map(|(entry, score)| Candidate {
            id: entry.stored.id,
            score: *score,
        });
        let seen = chosen.len() as u64;
        self.stage(name, hits.collect(), seen, began, String::new())
            .await;
    }

    async fn fused(&self, name: &str, fusion: &Fusion, began: Instant) {
        let ranked = fusion.ranked();
        let seen = ranked.len() as u64;
        self.told(name, &ranked, seen, began.elapsed(), String::new())
            .await;
    }

    async fn told(&self, name: &str, hits: &[Hit], seen: u64, duration: Duration, note: String) {
        let candidates = self.shared.indexes.directory(|directory| {
            let best = hits.iter().take(STAGE_CANDIDATES);
            best.filter_map(|hit| {
                Some(Candidate {
                    id: directory.id(small(hit.number))?,
                    score: hit.score,
                })
            })
            .collect()
        });
        let stage = Stage {
            name: name.to_owned(),
            candidates,
            seen,
            duration_us: u64::try_from(duration.as_micros()).unwrap_or(u64::MAX),
            note,
        };
        self.event(QueryEvent::Stage(stage)).await;
    }

    async fn stage(
        &self,
        name: &str,
        mut candidates: Vec<Candidate>,
        seen: u64,
        began: Instant,
        note: String,
    ) {
        candidates.truncate(STAGE_CANDIDATES);
        let stage = Stage {
            name: name.to_owned(),
            candidates,
            seen,
            duration_us: u64::try_from(began.elapsed().as_micros()).unwrap_or(u64::MAX),
            note,
        };
        self.event(QueryEvent::Stage(stage)).await;
    }

    async fn results(&self, recalls: Vec<Recall>) {
        self.event(QueryEvent::Results(recalls)).await;
    }

    async fn event(&self, event: QueryEvent) {
        // A reader that went away is no failure: the answer is still kept for the next one.
        drop(self.tell.send(Ok(event)).await);
    }
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

fn small(number: u64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
