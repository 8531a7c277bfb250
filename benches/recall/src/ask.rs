//! Asks memory every question and measures what it finds: in the end, and after each stage.

use crate::kept::Filled;
use crate::measures::{Worth, worth};
use anyhow::{Context as _, Result};
use api::memory::{Detail, Memory as _, QueryEvent, QueryRequest, Scope};
use domain::id::MemoryId;
use futures::StreamExt as _;
use generated::dialogue::Conversation;
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

/// Where each question is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Among {
    /// Among its own conversation's entries.
    Own,
    /// Among all conversations' entries.
    All,
}

/// How one question was answered.
#[derive(Debug, Clone, PartialEq)]
pub struct Asked {
    /// In which conversation it is asked.
    pub conversation: usize,
    /// What kind it is.
    pub category: &'static str,
    /// What the results are worth.
    pub worth: Worth,
    /// What each stage's candidates are worth, and how long it took, in their order.
    pub stages: Vec<(String, Worth, Duration)>,
    /// How long the whole query took.
    pub took: Duration,
}

/// Results wanted of a query.
const RESULTS: u32 = 10;

/// Everything found out, and what stages remarked, with how often.
#[derive(Debug, Default)]
pub struct Found {
    /// Each question.
    pub asked: Vec<Asked>,
    /// Stages' notes.
    pub notes: BTreeMap<String, usize>,
}

/// Asks all questions.
///
/// # Errors
/// When memory fails.
pub async fn ask(filled: &Filled, conversations: &[Conversation], among: Among) -> Result<Found> {
    let mut found = Found::default();
    for (place, conversation) in conversations.iter().enumerate() {
        let own = filled
            .namespaces
            .get(place)
            .context("a conversation without a namespace")?;
        for question in &conversation.questions {
            let evidence = filled.holding(place, &question.evidence);
            let request = QueryRequest {
                context: None,
                text: question.text.clone(),
                scope: match among {
                    Among::Own => Scope::Only(vec![own.clone()]),
                    Among::All => Scope::All,
                },
                limit: RESULTS,
                detail: Detail::Description,
                at_least: 0.0,
            };
            let started = Instant::now();
            let (results, stages) = results(filled, request, &evidence, &mut found.notes).await?;
            found.asked.push(Asked {
                conversation: place,
                category: question.category,
                worth: of(&results, &evidence),
                stages,
                took: started.elapsed(),
            });
        }
    }
    Ok(found)
}

type Stages = Vec<(String, Worth, Duration)>;

async fn results(
    filled: &Filled,
    request: QueryRequest,
    evidence: &BTreeSet<MemoryId>,
    notes: &mut BTreeMap<String, usize>,
) -> Result<(Vec<MemoryId>, Stages)> {
    let mut events = filled.memory.query(request).await?;
    let (mut stages, mut results) = (Vec::new(), Vec::new());
    while let Some(event) = events.next().await {
        match event? {
            QueryEvent::Stage(stage) => {
                if !stage.note.is_empty() {
                    *notes
                        .entry(format!("{}: {}", stage.name, stage.note))
                        .or_default() += 1;
                }
                let ids: Vec<MemoryId> = stage.candidates.iter().map(|one| one.id).collect();
                let took = Duration::from_micros(stage.duration_us);
                stages.push((stage.name, of(&ids, evidence), took));
            }
            QueryEvent::Results(found) => results = found.iter().map(|one| one.id).collect(),
        }
    }
    Ok((results, stages))
}

fn of(ids: &[MemoryId], evidence: &BTreeSet<MemoryId>) -> Worth {
    let found: Vec<Option<usize>> = ids
        .iter()
        .map(|id| evidence.iter().position(|known| known == id))
        .collect();
    // Evidence that the gate kept out cannot be found, and counts as not found.
    worth(&found, evidence.len().max(1))
}
