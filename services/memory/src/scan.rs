//! Finds entries by looking at every one: no index, words alone.

use crate::entry::Entry;
use crate::finder::{Finder, FinderState};
use crate::store::Store;
use api::Streaming;
use api::memory::{
    Candidate, CorrelatedRequest, Detail, Error, QueryEvent, QueryRequest, Recall,
    STAGE_CANDIDATES, Stage, WriteEntry,
};
use async_trait::async_trait;
use futures::StreamExt as _;
use retrieval::words::informative;
use std::collections::BTreeSet;
use std::time::Instant;

/// Looks at every entry.
pub(crate) struct Scan(pub(crate) Store);

fn recall(entry: &Entry, score: f32, detail: Detail) -> Recall {
    let stored = &entry.stored;
    let segment = match detail {
        Detail::Description => String::new(),
        Detail::Segment => entry.corpus().into_owned(),
    };
    Recall {
        id: stored.id,
        kind: stored.entry.kind(),
        namespace: stored.namespace.clone(),
        name: entry.name().into_owned(),
        description: entry.description().into_owned(),
        byte_range: (0, segment.len() as u64),
        segment,
        score,
        relevance: score.clamp(0.0, 1.0),
        source: stored.source,
        label: stored.label.clone(),
        created_at: stored.created_at,
        correlating_ids: match &stored.entry {
            WriteEntry::Memory {
                correlating_ids, ..
            } => correlating_ids.clone(),
            WriteEntry::Engram { .. } => Vec::new(),
        },
    }
}

#[async_trait]
impl Finder for Scan {
    async fn query(&self, request: QueryRequest) -> Result<Streaming<QueryEvent, Error>, Error> {
        let began = Instant::now();
        let wanted: BTreeSet<String> = informative(&request.text).into_iter().collect();
        let mut found: Vec<(f32, Entry)> = Vec::new();
        let mut after = Some(0);
        while let Some(from) = after {
            let (entries, next) = self.0.page(from, request.scope.clone(), None).await?;
            after = next;
            for entry in entries {
                let text = format!(
                    "{} {} {}",
                    entry.name(),
                    entry.description(),
                    entry.corpus()
                );
                let words: BTreeSet<String> = informative(&text)
                    .into_iter()
                    .chain(entry.tags().iter().flat_map(|tag| informative(tag)))
                    .collect();
                let shared = wanted.intersection(&words).count();
                let score = shared as f32 / wanted.len().max(1) as f32;
                let is_wanted = shared > 0 && score >= request.at_least;
                if is_wanted && entry.stored.valid_until.is_none() {
                    found.push((score, entry));
                }
            }
        }
        found.sort_by(|(one, _), (other, _)| other.total_cmp(one));
        let stage = Stage {
            name: "scan".to_owned(),
            candidates: found
                .iter()
                .take(STAGE_CANDIDATES)
                .map(|(score, entry)| Candidate {
                    id: entry.stored.id,
                    score: *score,
                })
                .collect(),
            seen: found.len() as u64,
            duration_us: u64::try_from(began.elapsed().as_micros()).unwrap_or(u64::MAX),
            note: "no index: every entry was looked at".to_owned(),
        };
        let results: Vec<Recall> = found
            .iter()
            .take(request.limit as usize)
            .map(|(score, entry)| recall(entry, *score, request.detail))
            .collect();
        let events = [QueryEvent::Stage(stage), QueryEvent::Results(results)];
        Ok(futures::stream::iter(events.map(Ok)).boxed())
    }

    async fn correlated(&self, request: CorrelatedRequest) -> Result<Vec<Recall>, Error> {
        let given = self.0.by_ids(request.ids).await?;
        let numbers: Vec<u64> = given.iter().map(|entry| entry.number).collect();
        let pairs = self.0.correlated(numbers.clone()).await?;
        let others: BTreeSet<u64> = pairs
            .into_iter()
            .map(|(_, other)| other)
            .filter(|other| !numbers.contains(other))
            .collect();
        let entries = self.0.entries(others.into_iter().collect()).await?;
        let is_in_scope = |entry: &&Entry| request.scope.contains(&entry.stored.namespace);
        Ok(entries
            .iter()
            .filter(is_in_scope)
            .map(|entry| recall(entry, 0.0, request.detail))
            .collect())
    }

    async fn forget(&self, _numbers: &[u64]) -> Result<(), Error> {
        Ok(())
    }

    async fn state(&self) -> Result<FinderState, Error> {
        Ok(FinderState::default())
    }

    async fn reindex(&self) -> Result<(), Error> {
        Ok(())
    }
}
