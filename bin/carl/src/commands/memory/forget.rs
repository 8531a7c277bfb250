//! `carl memory forget`: what goes, what was searched for it, and what is not memory's to remove.

use super::EVERYTHING;
use crate::commands::Setting;
use crate::exit::{Exit, Failure, OrFail, not_remembered};
use crate::render::memory as render;
use crate::render::{Paint, print, print_error};
use crate::wiring::Memories;
use anyhow::{Context, Result};
use api::memory::{Stored, WriteEntry};
use domain::id::MemoryId;
use futures::StreamExt;
use std::collections::BTreeSet;
use std::io::{BufRead, IsTerminal};

/// Shortest text of a memory that is looked for in what is left, bytes: shorter ones stand everywhere.
const LEAST_OF_TEXT: usize = 6;
/// Shortest other text that is looked for: names and answers such as `noted` say nothing alone.
const LEAST_OF_OTHERS: usize = 16;

/// Asks, forgets, and tells.
///
/// # Errors
/// When nobody is there to ask, or a trace is left.
pub async fn forget(
    setting: &Setting,
    memories: &Memories,
    id: MemoryId,
    is_sure: bool,
) -> Result<Exit> {
    let stored = memories.curator.show(id).await;
    let stored = stored.map_err(|error| not_remembered(&error))?;
    if !is_sure && !asked(&stored)? {
        print_error("Nothing was forgotten.\n")?;
        return Ok(Exit::Denied);
    }
    let going = going(memories, &stored).await?;
    let forgotten = memories.curator.forget(id).await;
    let forgotten = forgotten.map_err(|error| not_remembered(&error))?;
    let entries = match forgotten.entries {
        1 => "1 entry".to_owned(),
        more => format!("{more} entries (it, and what it corrected)"),
    };
    let searched = format!(
        "Forgotten: {entries}. {} files of memory ({}) were searched",
        forgotten.files,
        render::bytes(forgotten.bytes),
    );
    let others = still_holding(memories, &going).await.with_context(|| {
        format!("{searched}; whether other entries hold the same words is not known")
    })?;
    print(&match others.is_empty() {
        true => format!("{searched}, and nothing of the text is left in them.\n"),
        false => format!(
            "{searched}: what is left of the text is in other entries.\n{}",
            render::holding(&others)
        ),
    })?;
    print_error(&elsewhere(setting, &stored))?;
    Ok(Exit::Success)
}

/// An entry with those that it corrected.
async fn going(memories: &Memories, stored: &Stored) -> Result<Vec<Stored>> {
    let mut going = vec![stored.clone()];
    let mut corrected = Vec::new();
    let mut all = memories.curator.list(EVERYTHING).await.or_fail()?;
    while let Some(one) = all.next().await {
        let one = one.or_fail()?;
        if one.superseded_by.is_some() {
            corrected.push(one);
        }
    }
    let mut at = 0;
    while let Some(by) = going.get(at).map(|one| one.id) {
        let (more, left) = corrected
            .into_iter()
            .partition(|one| one.superseded_by == Some(by));
        let more: Vec<Stored> = more;
        going.extend(more);
        corrected = left;
        at += 1;
    }
    Ok(going)
}

/// Entries that say word for word what the forgotten ones said, oldest first.
async fn still_holding(memories: &Memories, forgotten: &[Stored]) -> Result<Vec<Stored>> {
    let wanted: BTreeSet<String> = forgotten
        .iter()
        .flat_map(|one| wanted(&one.entry))
        .collect();
    let mut holding = Vec::new();
    let mut left = memories.curator.list(EVERYTHING).await.or_fail()?;
    while let Some(one) = left.next().await {
        let one = one.or_fail()?;
        let all = plain(&texts(&one.entry).join("\n"));
        if wanted.iter().any(|text| all.contains(text)) {
            holding.push(one);
        }
    }
    Ok(holding)
}

/// What is looked for: each text as a whole, and each of its sentences.
fn wanted(entry: &WriteEntry) -> BTreeSet<String> {
    let own = match entry {
        WriteEntry::Memory { corpus, .. } => corpus.as_str(),
        WriteEntry::Engram { .. } => "",
    };
    let mut wanted: BTreeSet<String> = [plain(own)].into();
    wanted.retain(|text| text.len() >= LEAST_OF_TEXT);
    for text in texts(entry) {
        let sentences = text.split_inclusive(['.', '!', '?', '\n']);
        let texts = sentences.chain([text]).map(plain);
        wanted.extend(texts.filter(|text| text.len() >= LEAST_OF_OTHERS));
    }
    wanted
}

fn texts(entry: &WriteEntry) -> Vec<&str> {
    match entry {
        WriteEntry::Memory {
            name,
            description,
            tags,
            corpus,
            ..
        } => [name.as_str(), description, corpus]
            .into_iter()
            .chain(tags.iter().map(String::as_str))
            .collect(),
        WriteEntry::Engram {
            question,
            answer,
            entities,
            ..
        } => [question.as_str(), answer]
            .into_iter()
            .chain(entities.iter().map(String::as_str))
            .collect(),
    }
}

/// In lower case, its words one blank apart, without the sign at its end.
fn plain(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let plain = words.join(" ").to_lowercase();
    plain.trim_end_matches(['.', '!', '?']).trim().to_owned()
}

fn asked(stored: &Stored) -> Result<bool> {
    let stdin = std::io::stdin();
    if !stdin.is_terminal() {
        return Err(Failure::usage(
            "forgetting cannot be undone, and nobody is here to be asked",
            "Add --yes.",
        )
        .into());
    }
    let paint = Paint::for_stream(&std::io::stderr());
    print_error(&render::entry(stored, paint))?;
    print_error("Forget this, with what it corrected? It cannot be undone. [y/N] ")?;
    let mut line = String::new();
    stdin
        .lock()
        .read_line(&mut line)
        .context("the answer cannot be read")?;
    Ok(matches!(line.trim(), "y" | "Y" | "yes"))
}

/// Where the same words may stand that are no memory: what was said stays said.
fn elsewhere(setting: &Setting, stored: &Stored) -> String {
    let sessions = setting.paths.sessions();
    match &stored.entry {
        WriteEntry::Engram { session_id, .. } => {
            format!(
                "  What was said is still in the log of session {session_id}, and in the logs of \
                 sessions in which it was recalled, under {}.\n",
                sessions.display()
            )
        }
        WriteEntry::Memory { .. } => format!(
            "  Logs of sessions in which it was saved or recalled are under {}; they are no memory \
             and stay.\n",
            sessions.display()
        ),
    }
}
