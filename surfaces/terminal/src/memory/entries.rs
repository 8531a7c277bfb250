//! Entries: found, shown and listed.

use super::Memories;
use crate::exit::{Exit, Failure, OrFail, not_remembered};
use anyhow::Result;
use api::memory::{
    Detail, Error, ListRequest, Memory, QueryEvent, QueryRequest, Recall, Scope, Stage, Stored,
    WriteEntry,
};
use domain::id::MemoryId;
use futures::StreamExt;
use memory_export::to_json;
use rendering::fit::width;
use rendering::memory as render;
use rendering::recalls::found_json;
use rendering::{Paint, print, print_error};
use std::collections::VecDeque;
use text::escape::{visible_json, visible_line};
use unicode_normalization::UnicodeNormalization;

/// Least of an id that names an entry, characters.
const LEAST_OF_ID: usize = 4;
/// Entries that are listed where an id may mean several.
const CANDIDATES: usize = 5;
/// Entries that a chat is shown for a question.
const CHAT_RESULTS: u32 = 5;
/// Both kinds, everywhere.
const EVERYTHING: ListRequest = ListRequest {
    scope: Scope::All,
    kind: None,
};

/// The entry of an id.
///
/// # Errors
/// A usage failure when there is none.
pub async fn shown(memories: &Memories, id: MemoryId) -> Result<Stored> {
    let stored = memories.curator.show(id).await;
    Ok(stored.map_err(|error| not_remembered(&error))?)
}

/// The entry whose id begins or ends like this, or the one memory of this name.
///
/// # Errors
/// A usage failure when none or several do.
pub async fn resolve(memories: &Memories, text: &str) -> Result<MemoryId> {
    // Tables show an id as `…` and its end.
    let wanted = text.trim().trim_matches('…').to_lowercase();
    if let Ok(id) = wanted.parse() {
        return Ok(id);
    }
    let no_id = |what: String| {
        let hint = "Give at least 4 characters of the beginning or the end of an id (0-9, a-f); `carl \
                    memory list` and `carl memory search` show ids.";
        Failure::usage(what, hint)
    };
    let is_part = (LEAST_OF_ID..36).contains(&wanted.len())
        && wanted.bytes().all(|b| b.is_ascii_hexdigit() || b == b'-');
    if !is_part {
        let named = every(memories, |stored| has_name(stored, text)).await?;
        return match named.as_slice() {
            [one] => Ok(one.id),
            [] => Err(no_id(format!(
                "`{}` is not the id or the name of a memory",
                visible_line(text)
            ))
            .into()),
            more => Err(several(&format!("are called `{}`", visible_line(text)), more).into()),
        };
    }
    let found = every(memories, |stored| {
        let id = stored.id.to_string();
        id.starts_with(&wanted) || id.ends_with(&wanted)
    });
    let found = found.await?;
    match found.as_slice() {
        [one] => Ok(one.id),
        [] => {
            let what = format!("no memory has an id that begins or ends with `{wanted}`");
            Err(no_id(what).into())
        }
        more => {
            let what = format!("have an id that begins or ends with `{wanted}`");
            Err(several(&what, more).into())
        }
    }
}

/// The entries that fit, corrected ones too.
async fn every(memories: &Memories, fits: impl Fn(&Stored) -> bool) -> Result<Vec<Stored>> {
    let mut entries = memories.curator.list(EVERYTHING).await.or_fail()?;
    let mut found = Vec::new();
    while let Some(entry) = entries.next().await {
        found.extend(Some(entry.or_fail()?).filter(&fits));
    }
    Ok(found)
}

/// Whether a memory that holds is called like this, in small or capital letters, and in whichever
/// Unicode form either is.
fn has_name(stored: &Stored, text: &str) -> bool {
    let is_memory = matches!(stored.entry, WriteEntry::Memory { .. });
    let reading = |name: &str| name.trim().nfc().collect::<String>().to_lowercase();
    let name = reading(stored.entry.title());
    is_memory && stored.valid_until.is_none() && name == reading(text)
}

/// What may mean more than one entry, with the entries.
fn several(said: &str, found: &[Stored]) -> Failure {
    let count = found.len();
    let mut what = format!("{count} memories {said}:\n");
    for stored in found.iter().take(CANDIDATES) {
        what.push_str(&render::line(stored, Paint::Plain, None));
    }
    if count > CANDIDATES {
        what.push_str(&format!("and {} more\n", count - CANDIDATES));
    }
    Failure::usage(
        what.trim_end(),
        "Type more of the id of the one that is meant.",
    )
}

/// Prints what answers a question.
///
/// # Errors
/// When memory does not answer, or cannot use the question.
pub async fn search(
    memories: &Memories,
    request: QueryRequest,
    explain: bool,
    json: bool,
) -> Result<Exit> {
    let answer = ask(memories.memory.as_ref(), request).await;
    let (stages, recalls) = answer.map_err(|error| not_remembered(&error))?;
    let paint = Paint::for_stream(&std::io::stdout());
    if !explain {
        print_error(&render::missed(&stages))?;
    }
    if json {
        let found = found_json(&recalls, explain.then_some(stages.as_slice()));
        print(&visible_json(&format!("{found:#}\n")))?;
        return Ok(Exit::Success);
    }
    print(&render::results(&recalls, paint))?;
    if explain {
        print(&render::stages(&stages, &recalls, paint))?;
    }
    Ok(Exit::Success)
}

/// What memory has on a question, for a chat.
///
/// # Errors
/// When memory does not answer.
pub async fn found(memory: &dyn Memory, question: &str) -> Result<(Vec<Stage>, Vec<Recall>)> {
    let request = QueryRequest {
        context: None,
        text: question.to_owned(),
        scope: Scope::All,
        limit: CHAT_RESULTS,
        detail: Detail::Segment,
        at_least: 0.0,
    };
    let answer = ask(memory, request).await;
    Ok(answer.map_err(|error| not_remembered(&error))?)
}

async fn ask(
    memory: &dyn Memory,
    request: QueryRequest,
) -> Result<(Vec<Stage>, Vec<Recall>), Error> {
    let mut events = memory.query(request).await?;
    let (mut stages, mut recalls) = (Vec::new(), Vec::new());
    while let Some(event) = events.next().await {
        match event? {
            QueryEvent::Stage(stage) => stages.push(stage),
            QueryEvent::Results(results) => recalls = results,
        }
    }
    Ok((stages, recalls))
}

/// Prints entries.
///
/// # Errors
/// When memory cannot be read.
pub async fn list(
    memories: &Memories,
    request: ListRequest,
    limit: Option<usize>,
    json: bool,
) -> Result<Exit> {
    let mut entries = memories.curator.list(request.clone()).await.or_fail()?;
    let paint = Paint::for_stream(&std::io::stdout());
    let columns = width(&std::io::stdout());
    let line = |stored: &Stored| match json {
        true => format!("{}\n", visible_json(&to_json(stored).to_string())),
        false => render::line(stored, paint, columns),
    };
    let mut page = String::new();
    let mut newest = VecDeque::new();
    let mut count = 0_usize;
    while let Some(entry) = entries.next().await {
        let stored = entry.or_fail()?;
        count += 1;
        if let Some(limit) = limit {
            newest.push_back(line(&stored));
            newest.drain(..newest.len().saturating_sub(limit));
            continue;
        }
        page.push_str(&line(&stored));
        if page.len() > 64 << 10 {
            print(&page)?;
            page.clear();
        }
    }
    page.extend(newest);
    print(&page)?;
    let left_out = limit.map_or(0, |limit| count.saturating_sub(limit));
    if left_out > 0 && !json {
        print_error(&format!("{left_out} older are left out\n"))?;
    }
    if count == 0 && !json {
        print_error(nothing(memories, &request).await?)?;
    }
    Ok(Exit::Success)
}

/// Why a list is empty.
async fn nothing(memories: &Memories, request: &ListRequest) -> Result<&'static str> {
    let is_narrow = *request != EVERYTHING;
    let mut others = memories.curator.list(EVERYTHING).await.or_fail()?;
    Ok(match others.next().await {
        Some(_) if is_narrow => {
            "Nothing of the kind is kept there. `carl memory stats` counts what is kept.\n"
        }
        _ => "Nothing is remembered yet. `carl memory add TEXT` keeps something.\n",
    })
}
