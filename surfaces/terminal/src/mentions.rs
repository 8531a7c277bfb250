//! Memories and types of agents that a message can name, as in `@memory:ID` and `@agent:TYPE`.
//!
//! The text of a memory goes along as data: fenced, labelled as from outside, and none of the user's words.
//! Only a whole id names one, since what stands in a message may be pasted, and somebody else's.

use crate::exit::{OrFail, not_remembered};
use anyhow::Result;
use api::broker::AgentListing;
use api::memory::{Curator, Error, Kind, ListRequest, Scope, Stored, WriteEntry};
use api::sessions::Input;
use domain::id::MemoryId;
use domain::lineage::AgentType;
use futures::StreamExt;
use rendering::completion::Mentioned;
use std::collections::VecDeque;
use text::escape::visible_line;

/// Most memories that go along with a message.
pub const MEMORIES: usize = 8;
/// Most memories that are offered, the newest.
pub const OFFERED: usize = 2_000;

/// What goes along with a message, and what there is to say of it, lines.
#[derive(Debug, Default)]
pub struct Named {
    /// The memories' texts.
    pub input: Option<Input>,
    /// What there is to say.
    pub said: Vec<String>,
}

/// The memories that a text names.
///
/// # Errors
/// When memory does not answer.
pub async fn memories(curator: &dyn Curator, text: &str) -> Result<Named> {
    let mut named = Named::default();
    let (mut texts, mut ids) = (Vec::new(), Vec::new());
    let names = Mentioned::Memory.names_in(text);
    for name in &names {
        let shown = visible_line(name);
        let Ok(id) = name.parse::<MemoryId>() else {
            let said = format!("@memory:{shown} is no whole id of a memory: nothing goes along");
            named.said.push(said);
            continue;
        };
        if texts.len() == MEMORIES {
            let said = format!("of the memories only the first {MEMORIES} go along");
            named.said.push(said);
            break;
        }
        match curator.show(id).await {
            Ok(stored) => {
                let behind = match stored.valid_until {
                    Some(_) => ", which was corrected since",
                    None => "",
                };
                let title = visible_line(stored.entry.title());
                let said = format!("goes along as data: memory \"{title}\"{behind}");
                named.said.push(said);
                texts.push(quoted(&stored));
                ids.push(id.to_string());
            }
            Err(Error::NotFound { .. }) => {
                let said = format!("no memory has the id {shown}: nothing goes along");
                named.said.push(said);
            }
            Err(error) => return Err(not_remembered(&error).into()),
        }
    }
    named.input = (!texts.is_empty()).then(|| Input {
        name: format!("memory {}", ids.join(", ")),
        text: texts.join("\n\n"),
    });
    Ok(named)
}

/// A memory as a model is shown it.
fn quoted(stored: &Stored) -> String {
    let head = format!(
        "From memory, {} {}, kept {} by {}{}:",
        stored.entry.kind().as_str(),
        stored.id,
        stored.created_at.strftime("%Y-%m-%d"),
        stored.source.as_str(),
        match stored.valid_until {
            Some(_) => ", corrected since",
            None => "",
        }
    );
    let parts = match &stored.entry {
        WriteEntry::Memory {
            name,
            description,
            corpus,
            ..
        } => vec![name, description, corpus],
        WriteEntry::Engram {
            question, answer, ..
        } => vec![question, answer],
    };
    let parts = parts.into_iter().map(|part| part.trim());
    let parts: Vec<&str> = parts.filter(|part| !part.is_empty()).collect();
    format!("{head}\n{}", parts.join("\n"))
}

/// The memories that hold, newest first, at most [`OFFERED`].
///
/// # Errors
/// When memory does not answer.
pub async fn kept(curator: &dyn Curator) -> Result<Vec<Stored>> {
    let request = ListRequest {
        scope: Scope::All,
        kind: Some(Kind::Memory),
    };
    let mut listed = curator.list(request).await.or_fail()?;
    let mut newest = VecDeque::new();
    while let Some(stored) = listed.next().await {
        let stored = stored.or_fail()?;
        if stored.valid_until.is_some() {
            continue;
        }
        if newest.len() == OFFERED {
            newest.pop_front();
        }
        newest.push_back(stored);
    }
    Ok(newest.into_iter().rev().collect())
}

/// The types of agents that one of this type can hand tasks to.
#[must_use]
pub fn startable(known: &[AgentListing], own: &AgentType) -> Vec<AgentListing> {
    let of = |name: &AgentType| known.iter().find(|one| one.agent_type == *name);
    let types = of(own).map(|listing| listing.can_spawn.as_slice());
    let types = types.unwrap_or_default().iter();
    types.filter_map(|name| of(name).cloned()).collect()
}

/// What is to be said of the types of agents that a text names, lines: of one that cannot be started.
#[must_use]
pub fn not_startable(known: &[AgentListing], own: &AgentType, text: &str) -> Vec<String> {
    let startable = startable(known, own);
    let is_one = |name: &&str| startable.iter().any(|one| one.agent_type.as_str() == *name);
    let names = Mentioned::Agent.names_in(text).into_iter();
    let others = names.filter(|name| !is_one(name));
    let said = |name: &str| {
        let name = visible_line(name);
        format!("an agent of type {own} hands no task to one of type `{name}`")
    };
    others.map(said).collect()
}
