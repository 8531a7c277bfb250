//! From what the legs found to results: one order, a closer look at the best, and the segments that
//! answer. All of it on one thread and on one view of the store; what it does is told stage by stage.

use super::recall;
use super::shared::Shared;
use super::stages::{self, small};
use crate::cache::left_out;
use crate::embedding::Vector;
use crate::entry::Entry;
use crate::index::Likeness;
use crate::index::glance::{self, Glance};
use crate::store::read;
use api::memory::{Candidate, QueryRequest, Recall, Stage, Stored, WriteEntry};
use domain::label::Integrity;
use retrieval::facts;
use retrieval::fusion::{Fusion, Hit, Legs, Traits, Weights, standing};
use retrieval::question::{Question, is_asked, is_statement};
use retrieval::repeats::{self, Said};
use retrieval::speech;
use rusqlite::Connection;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The best so many are looked at more closely than by text alone.
const WEIGHED: usize = 100;
/// Entries that are read at a time.
const READ_AT_ONCE: usize = 200;
/// So many times as many as are wanted are read where some of them may not be relevant enough.
const READ_FOR_ONE: usize = 4;
/// The share of the least relevance that is enough for what the user states: a preference shares
/// few words with what it is a preference about.
const STATEMENT_SHARE: f32 = 0.6;
/// A relevance below this is shown as 0.00.
const LEAST_SHOWN: f32 = 0.005;
/// Microseconds of a day.
const DAY_US: f32 = 86_400e6;

/// What both legs found.
pub(super) struct Legged {
    pub(super) legs: Legs,
    pub(super) likenesses: BTreeMap<u64, Likeness>,
    pub(super) vector: Option<Vector>,
}

/// Results with what they were made of.
pub(super) struct Ranked {
    /// The stages up to the texts.
    pub(super) stages: Vec<Stage>,
    /// Results, best first, each with its entry.
    pub(super) found: Vec<(Recall, Entry)>,
    /// Why vectors could not be compared; empty where they could.
    pub(super) fault: String,
}

/// One question's way from the legs to results.
pub(super) struct Ranking {
    pub(super) shared: Arc<Shared>,
    pub(super) request: QueryRequest,
    pub(super) question: Question,
    stages: Vec<Stage>,
}

impl Ranking {
    pub(super) const fn new(
        shared: Arc<Shared>,
        request: QueryRequest,
        question: Question,
    ) -> Self {
        Self {
            shared,
            request,
            question,
            stages: Vec::new(),
        }
    }

    /// Ranks, reads and cuts.
    ///
    /// # Errors
    /// What SQLite says.
    pub(super) fn run(mut self, from: &Connection, mut legged: Legged) -> rusqlite::Result<Ranked> {
        let ranked = self.fuse(from, &legged.legs)?;
        let began = Instant::now();
        let chosen = self.chosen(from, &ranked)?;
        let fault = self.compare(&chosen, &mut legged);
        let candidates = chosen.iter().map(|(entry, score)| Candidate {
            id: entry.stored.id,
            score: *score,
        });
        let (candidates, read) = (candidates.collect(), chosen.len() as u64);
        self.told("descriptions", candidates, read, began, fault.clone());

        let began = Instant::now();
        let found = self.cut(chosen, &legged);
        let texts = texts(&found);
        let count = texts.len() as u64;
        self.told("text", texts, count, began, String::new());
        Ok(Ranked {
            stages: self.stages,
            found,
            fault,
        })
    }

    /// Fuses, stage by stage.
    fn fuse(&mut self, from: &Connection, legs: &Legs) -> rusqlite::Result<Vec<Hit>> {
        let weights = Weights::from(&self.shared.config.weights);
        let began = Instant::now();
        let mut fusion = Fusion::of(legs, weights);
        self.fused("fusion", &fusion, began);

        let began = Instant::now();
        fusion.describe(legs);
        self.fused("prior", &fusion, began);

        let began = Instant::now();
        let scope = &self.request.scope;
        self.shared.indexes.directory(|directory| {
            let within = directory.within(scope);
            fusion.spread(|number| {
                let linked = directory.linked(small(number), &within);
                linked.map(u64::from).collect::<Vec<u64>>()
            });
        });
        let best = self.fused("neighbours", &fusion, began);

        let began = Instant::now();
        let glances = self.glances(from, &best)?;
        fusion.facts(|number| self.covered(number, &glances));
        self.fused("facts", &fusion, began);

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
        self.hits("feedback", &ranked, began.elapsed());
        Ok(ranked)
    }

    /// A closer look at the best, and at what each of them goes on from.
    fn glances(&self, from: &Connection, best: &[Hit]) -> rusqlite::Result<BTreeMap<u64, Glance>> {
        let best = best.iter().take(WEIGHED).map(|hit| hit.number);
        let numbers: BTreeSet<u32> = best
            .flat_map(|number| [Some(number), self.before(number)])
            .flatten()
            .map(small)
            .collect();
        let glances = glance::glances(from, &numbers)?;
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
                is_kept: false,
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
            is_kept: glance.question.is_none(),
        }
    }

    /// Reads the best from the store, which alone says what holds.
    fn chosen(&self, from: &Connection, ranked: &[Hit]) -> rusqlite::Result<Vec<(Entry, f32)>> {
        let limit = self.request.limit as usize;
        let wanted = if self.request.at_least > 0.0 {
            limit.saturating_mul(READ_FOR_ONE)
        } else {
            limit
        };
        let mut chosen: Vec<(Entry, f32)> = Vec::new();
        for hits in ranked.chunks(wanted.clamp(1, READ_AT_ONCE)) {
            if chosen.len() >= wanted {
                break;
            }
            let numbers: Vec<u64> = hits.iter().map(|hit| hit.number).collect();
            let entries = read::entries(from, &numbers)?.into_iter();
            let seen = entries.filter(|entry| self.may_see(entry));
            chosen.extend(seen.filter_map(|entry| {
                let hit = hits.iter().find(|hit| hit.number == entry.number)?;
                Some((entry, hit.score))
            }));
        }
        chosen.truncate(wanted);
        Ok(chosen)
    }

    fn may_see(&self, entry: &Entry) -> bool {
        let scope = &self.request.scope;
        let holds = entry.stored.valid_until.is_none();
        let session = left_out(&self.request);
        let is_in_view = match &entry.stored.entry {
            WriteEntry::Engram { session_id, .. } => session == Some(*session_id),
            WriteEntry::Memory { .. } => false,
        };
        holds && scope.contains(&entry.stored.namespace) && !is_in_view
    }

    /// Compares what words alone found as well, so that its relevance is known by meaning too. Says
    /// why it could not; a question goes on without.
    fn compare(&self, chosen: &[(Entry, f32)], legged: &mut Legged) -> String {
        let Some(vector) = &legged.vector else {
            return String::new();
        };
        let numbers = chosen.iter().map(|(entry, _)| entry.number);
        let others: Vec<u32> = numbers
            .filter(|number| !legged.likenesses.contains_key(number))
            .map(small)
            .collect();
        match self.shared.indexes.compare(vector, &others) {
            Ok(compared) => {
                let pairs = compared.into_iter();
                legged
                    .likenesses
                    .extend(pairs.map(|like| (u64::from(like.number), like)));
                String::new()
            }
            Err(error) => format!("{error}; the vectors are read again"),
        }
    }

    /// The results, with the segments that answer.
    fn cut(&self, chosen: Vec<(Entry, f32)>, legged: &Legged) -> Vec<(Recall, Entry)> {
        let config = &self.shared.config;
        let results = chosen.into_iter().enumerate().map(|(at, (entry, score))| {
            let asked = recall::Asked {
                question: &self.question,
                detail: self.request.detail,
                is_read: at < config.texts as usize,
                score,
                like: legged.likenesses.get(&entry.number),
            };
            (recall::of(&entry, &asked, config), entry)
        });
        let mut found: Vec<(Recall, Entry)> = results
            .filter(|(recall, entry)| self.is_worth_showing(recall, &entry.stored))
            .collect();
        // What belongs with an answer, and answers nothing itself, never stands before one.
        found.sort_by_key(|(recall, _)| recall.relevance < LEAST_SHOWN);
        found.truncate(self.request.limit as usize);
        found
    }

    /// Whether a result is relevant enough. To who did not ask, a question is worth nothing unless
    /// it was answered, and an answer from outside is not shown unasked.
    fn is_worth_showing(&self, recall: &Recall, stored: &Stored) -> bool {
        let at_least = self.request.at_least;
        if at_least <= 0.0 {
            return true;
        }
        let (said, is_told) = match &stored.entry {
            WriteEntry::Memory { corpus, .. } => (corpus, true),
            WriteEntry::Engram {
                question, answer, ..
            } => {
                let is_shown = stored.label.integrity == Integrity::Trusted;
                let is_answered = is_shown && repeats::is_answered(question, answer);
                (question, is_answered || !is_asked(question))
            }
        };
        let enough = if is_statement(said) {
            at_least * STATEMENT_SHARE
        } else {
            at_least
        };
        is_told && recall.relevance >= enough
    }

    fn told(
        &mut self,
        name: &str,
        candidates: Vec<Candidate>,
        seen: u64,
        began: Instant,
        note: String,
    ) {
        let stage = stages::of(name, candidates, seen, began.elapsed(), note);
        self.stages.push(stage);
    }

    fn fused(&mut self, name: &str, fusion: &Fusion, began: Instant) -> Vec<Hit> {
        let ranked = fusion.ranked();
        self.hits(name, &ranked, began.elapsed());
        ranked
    }

    fn hits(&mut self, name: &str, ranked: &[Hit], duration: Duration) {
        let (indexes, seen) = (&self.shared.indexes, ranked.len() as u64);
        let stage = stages::of_hits(indexes, name, ranked, seen, duration, String::new());
        self.stages.push(stage);
    }
}

/// The results whose text was read.
pub(super) fn texts(found: &[(Recall, Entry)]) -> Vec<Candidate> {
    let read = found
        .iter()
        .filter(|(recall, _)| !recall.segment.is_empty());
    read.map(|(recall, _)| Candidate {
        id: recall.id,
        score: recall.relevance,
    })
    .collect()
}
