//! Answers to questions that were asked before, in the same words or with the same meaning.
//!
//! Same words: the normalised text. Same meaning: vectors that are near, and the same names,
//! numbers, dates and denials; nearness alone takes "likes" for "does not like". Either way only as
//! long as nothing was written where the question looked, and not longer than its kind may live, which stands here.

use crate::embedding::{product, unit};
use api::memory::{Detail, Kind, QueryRequest, Recall, Scope};
use domain::id::SessionId;
use retrieval::question::{self, MeaningKey, Question};
use retrieval::words::words;
use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Most answers kept.
pub(crate) const ANSWERS: usize = 512;
/// From this cosine on, two questions with the same names, numbers, dates and denials are one.
pub(crate) const SAME_MEANING: f32 = 0.96;
/// How long an answer lives that holds captured answers.
const ENGRAM_LIFE: Duration = Duration::from_secs(10 * 60);
/// How long an answer of curated memories alone lives.
const MEMORY_LIFE: Duration = Duration::from_secs(60 * 60);

/// The answers, oldest first.
#[derive(Debug, Default)]
pub(crate) struct Cache {
    kept: VecDeque<Kept>,
    hits: u64,
    lookups: u64,
}

#[derive(Debug)]
struct Kept {
    words: String,
    meaning: Meaning,
    /// Of length 1.
    vector: Option<Vec<f32>>,
    wanted: Wanted,
    epoch: u64,
    until: Instant,
    answer: Vec<Recall>,
}

/// What has to be the same besides near vectors: names, numbers, dates and denials, and whatever
/// else holds a digit, as an error's code or a part's number.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Meaning {
    key: MeaningKey,
    codes: BTreeSet<String>,
}

/// Everything but the text that makes an answer what it is.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Wanted {
    scope: Scope,
    limit: u32,
    detail: Detail,
    at_least: f32,
    left_out: Option<SessionId>,
}

impl Wanted {
    /// What a request wants.
    pub(crate) fn of(request: &QueryRequest) -> Self {
        Self {
            scope: request.scope.clone(),
            limit: request.limit,
            detail: request.detail,
            at_least: request.at_least,
            left_out: left_out(request),
        }
    }
}

/// The session whose own exchanges are no answers: one that wants nothing but what bears on its
/// question is told nothing that stands in its conversation anyway.
pub(crate) fn left_out(request: &QueryRequest) -> Option<SessionId> {
    let context = request.context.as_ref()?;
    (request.at_least > 0.0).then_some(context.session_id)
}

/// A question as the cache compares it.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    words: String,
    meaning: Meaning,
    wanted: Wanted,
    /// The newest change where it looks.
    epoch: u64,
}

impl Asked {
    /// A question that was read, with the newest change where it looks.
    pub(crate) fn new(read: &Question, wanted: Wanted, epoch: u64) -> Self {
        Self {
            words: question::normalised(&read.text),
            meaning: Meaning {
                key: read.meaning_key(),
                codes: words(&read.text)
                    .filter(|word| word.text.contains(char::is_numeric))
                    .map(|word| word.text.to_lowercase())
                    .collect(),
            },
            wanted,
            epoch,
        }
    }
}

impl Cache {
    /// An answer to the same words.
    pub(crate) fn by_words(&mut self, asked: &Asked, now: Instant) -> Option<Vec<Recall>> {
        self.lookups += 1;
        self.take(|kept| kept.words == asked.words, asked, now)
    }

    /// An answer to a question with the same meaning. Counted as one look-up with
    /// [`Cache::by_words`].
    pub(crate) fn by_meaning(
        &mut self,
        asked: &Asked,
        vector: &[f32],
        now: Instant,
    ) -> Option<Vec<Recall>> {
        let vector = unit(vector);
        let is_same = |kept: &Kept| {
            let near = |known: &Vec<f32>| {
                known.len() == vector.len() && product(known, &vector) >= SAME_MEANING
            };
            kept.meaning == asked.meaning && kept.vector.as_ref().is_some_and(near)
        };
        self.take(is_same, asked, now)
    }

    fn take(
        &mut self,
        is_same: impl Fn(&Kept) -> bool,
        asked: &Asked,
        now: Instant,
    ) -> Option<Vec<Recall>> {
        let found = self.kept.iter().rev().find(|kept| {
            let is_fresh = kept.epoch == asked.epoch && now < kept.until;
            is_fresh && kept.wanted == asked.wanted && is_same(kept)
        });
        let answer = found.map(|kept| kept.answer.clone());
        self.hits += u64::from(answer.is_some());
        answer
    }

    /// Keeps an answer.
    pub(crate) fn keep(
        &mut self,
        asked: Asked,
        vector: Option<Arc<Vec<f32>>>,
        answer: &[Recall],
        now: Instant,
    ) {
        self.kept.retain(|kept| {
            now < kept.until && !(kept.words == asked.words && kept.wanted == asked.wanted)
        });
        if self.kept.len() >= ANSWERS {
            self.kept.pop_front();
        }
        let is_captured = answer.iter().any(|recall| recall.kind == Kind::Engram);
        let life = if is_captured {
            ENGRAM_LIFE
        } else {
            MEMORY_LIFE
        };
        self.kept.push_back(Kept {
            words: asked.words,
            meaning: asked.meaning,
            vector: vector.map(|vector| unit(&vector)),
            wanted: asked.wanted,
            epoch: asked.epoch,
            until: now + life,
            answer: answer.to_vec(),
        });
    }

    /// Lets go of everything.
    pub(crate) fn clear(&mut self) {
        self.kept.clear();
    }

    /// Answers given, and questions looked up, since the start.
    pub(crate) const fn counts(&self) -> (u64, u64) {
        (self.hits, self.lookups)
    }
}

#[cfg(test)]
mod tests;
