//! Memory filled with conversations, through the product's service, as a user's own entries.

use crate::conversation::Text;
use anyhow::{Context as _, Result};
use api::audit::{Ack, Audit, Durability, Entry, Error};
use api::memory::{
    Curator as _, Memory as _, Source, Stats, WriteAnswer, WriteEntry, WriteRequest,
};
use api::models::Models;
use async_trait::async_trait;
use domain::Timestamp;
use domain::id::{MemoryId, QueryId, SessionId};
use domain::label::Label;
use domain::rights::Namespace;
use generated::dialogue::Conversation;
use memory::{Config, Service};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use uuid::Uuid;

/// Memory with texts in it.
pub struct Filled {
    /// The service.
    pub memory: Service,
    /// The namespace of each conversation.
    pub namespaces: Vec<Namespace>,
    /// What holds each text; `None` for one that the gate kept out.
    pub ids: Vec<Option<MemoryId>>,
    /// The texts.
    pub texts: Vec<Text>,
    /// What the gate said to texts that it kept out, each sentence once.
    pub refusals: BTreeSet<String>,
    folder: PathBuf,
}

/// Takes every record and keeps none: what is measured is memory.
struct Unrecorded;

#[async_trait]
impl Audit for Unrecorded {
    async fn append(&self, _: Entry, _: Durability) -> Result<Ack, Error> {
        Ok(Ack { sequence: 1 })
    }
}

impl Filled {
    /// Writes texts into a memory in an empty folder, one after the other.
    ///
    /// # Errors
    /// When memory fails.
    pub async fn new(
        folder: &Path,
        config: &Config,
        models: Arc<dyn Models>,
        conversations: &[Conversation],
        texts: Vec<Text>,
    ) -> Result<Self> {
        let namespaces: Result<Vec<Namespace>, _> = conversations
            .iter()
            .map(|conversation| Namespace::new(conversation.name.clone()))
            .collect();
        let mut filled = Self {
            memory: open(folder, config, models).await?,
            namespaces: namespaces?,
            ids: Vec::with_capacity(texts.len()),
            texts: Vec::new(),
            refusals: BTreeSet::new(),
            folder: folder.to_path_buf(),
        };
        for text in &texts {
            let id = filled.write(text).await?;
            filled.ids.push(id);
        }
        filled.texts = texts;
        filled.memory.reindex().await?;
        Ok(filled)
    }

    /// Closes it and opens it with another configuration.
    ///
    /// # Errors
    /// When memory fails.
    pub async fn again(self, config: &Config, models: Arc<dyn Models>) -> Result<Self> {
        let Self {
            memory,
            namespaces,
            ids,
            texts,
            refusals,
            folder,
        } = self;
        drop(memory);
        let memory = open(&folder, config, models).await?;
        memory.reindex().await?;
        Ok(Self {
            memory,
            namespaces,
            ids,
            texts,
            refusals,
            folder,
        })
    }

    /// What memory says of itself.
    ///
    /// # Errors
    /// When memory fails.
    pub async fn stats(&self) -> Result<Stats> {
        Ok(self.memory.stats().await?)
    }

    /// The entries that hold any of a conversation's turns.
    #[must_use]
    pub fn holding(&self, conversation: usize, turns: &[usize]) -> BTreeSet<MemoryId> {
        let texts = self.texts.iter().zip(&self.ids);
        texts
            .filter(|(text, _)| {
                text.conversation == conversation
                    && turns.iter().any(|turn| text.turns.contains(turn))
            })
            .filter_map(|(_, id)| *id)
            .collect()
    }

    async fn write(&mut self, text: &Text) -> Result<Option<MemoryId>> {
        let before = self.ids.last().copied().flatten().filter(|_| text.goes_on);
        let namespace = self.namespaces.get(text.conversation).cloned();
        let request = WriteRequest {
            context: None,
            namespace: namespace.context("a text of no conversation")?,
            entry: entry(text, before, self.ids.len()),
            source: Source::User,
            label: Label::trusted("user"),
            valid_from: None,
            supersedes: None,
        };
        match self.memory.write(request).await? {
            WriteAnswer::Stored { id } | WriteAnswer::Duplicate { id } => Ok(Some(id)),
            WriteAnswer::Rejected { detail, .. } => {
                self.refusals.insert(detail);
                Ok(None)
            }
        }
    }
}

/// A text as it is kept: `number` tells it from all others.
fn entry(text: &Text, before: Option<MemoryId>, number: usize) -> WriteEntry {
    let Some(question) = &text.question else {
        return WriteEntry::Memory {
            name: text.name.clone(),
            description: String::new(),
            tags: Vec::new(),
            correlating_ids: before.into_iter().collect(),
            corpus: text.corpus.clone(),
        };
    };
    let uuid = Uuid::from_u128(number as u128 + 1);
    WriteEntry::Engram {
        question: question.clone(),
        answer: text.corpus.clone(),
        intent: String::new(),
        entities: Vec::new(),
        session_id: SessionId::from_uuid(uuid),
        query_id: QueryId::from_uuid(uuid),
        respondent: "A".to_owned(),
        tools_used: Vec::new(),
    }
}

async fn open(folder: &Path, config: &Config, models: Arc<dyn Models>) -> Result<Service> {
    let clock = Arc::new(Timestamp::now);
    let opened = Service::open(folder, config, Arc::new(Unrecorded), models, clock).await;
    opened.with_context(|| format!("memory in {} does not open", folder.display()))
}
