//! An entry of the user's own is added, in place of another where it corrects that.

use super::Memories;
use super::entries::{resolve, shown};
use crate::exit::{Exit, Failure, OrFail};
use anyhow::{Context, Result};
use api::memory::{Refusal, Source, Stored, WriteAnswer, WriteEntry, WriteRequest};
use domain::label::Label;
use domain::limits::MEMORY_TEXT_BYTES;
use domain::rights::Namespace;
use rendering::{print, print_error};
use std::io::Read;
use text::escape::visible_line;

/// Words of a text that become its name.
const NAME_WORDS: usize = 8;

/// What is to be added.
#[derive(Debug, Clone, Default)]
pub struct Addition {
    /// Its text.
    pub text: String,
    /// Its name; without one the first words.
    pub name: Option<String>,
    /// What it is about.
    pub description: String,
    /// Words to find it by.
    pub tags: Vec<String>,
    /// The id of the entry that it corrects, or a part of it.
    pub supersedes: Option<String>,
    /// Where it is kept; without one where what it corrects is, or else with the user's.
    pub namespace: Option<Namespace>,
}

/// What became of an addition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    /// The name that it was given, or got.
    pub name: String,
    /// What memory says.
    pub answer: WriteAnswer,
}

/// Text as it is typed: words, or with `-` alone standard input.
///
/// # Errors
/// When standard input cannot be read as text.
pub fn typed(words: &[String]) -> Result<String> {
    match words {
        [dash] if dash == "-" => from_input(),
        words => Ok(words.join(" ")),
    }
}

/// Adds an entry.
///
/// # Errors
/// When the text says nothing, the entry that it corrects is not found, or memory does not answer.
pub async fn keep(memories: &Memories, addition: Addition) -> Result<Kept> {
    let corpus = addition.text;
    if !corpus.chars().any(char::is_alphanumeric) {
        let hint = "Type it, or give it on standard input with `-`.";
        return Err(Failure::usage("the text says nothing", hint).into());
    }
    let is_named = addition.name.is_some();
    let supersedes = match &addition.supersedes {
        Some(id) => Some(resolve(memories, id).await?),
        None => None,
    };
    let corrected = match supersedes {
        Some(id) => Some(shown(memories, id).await?),
        None => None,
    };
    let namespace = match (addition.namespace, &corrected) {
        (Some(namespace), _) => namespace,
        (None, Some(corrected)) => corrected.namespace.clone(),
        (None, None) => Namespace::user(),
    };
    let given = addition
        .name
        .or_else(|| corrected.as_ref().and_then(given_name));
    let name = given.unwrap_or_else(|| first_words(&corpus));
    let request = WriteRequest {
        context: None,
        namespace,
        entry: WriteEntry::Memory {
            name: name.clone(),
            description: addition.description,
            tags: addition.tags,
            correlating_ids: Vec::new(),
            corpus,
        },
        source: Source::User,
        label: Label::trusted("user"),
        valid_from: None,
        supersedes,
    };
    let mut answer = memories.memory.write(request).await.or_fail()?;
    if let WriteAnswer::Rejected { detail, .. } = &mut answer
        && !is_named
        && let Some(rest) = detail.strip_prefix("the name ")
    {
        // A name that nobody typed is the text's own beginning.
        *detail = format!("the text {rest}");
    }
    Ok(Kept { name, answer })
}

/// Adds an entry, and prints its id.
///
/// # Errors
/// As [`keep`], and when memory refuses.
pub async fn add(memories: &Memories, addition: Addition) -> Result<Exit> {
    let Kept { name, answer } = keep(memories, addition).await?;
    match answer {
        WriteAnswer::Stored { id } => {
            // The id alone is for programs.
            print_error(&format!("Kept: {}\n", visible_line(&name)))?;
            print(&format!("{id}\n"))?;
            Ok(Exit::Success)
        }
        WriteAnswer::Duplicate { id } => {
            print_error("An entry already says this:\n")?;
            print(&format!("{id}\n"))?;
            Ok(Exit::Success)
        }
        WriteAnswer::Rejected { refusal, detail } => {
            Err(Failure::usage(detail, instead_of(refusal)).into())
        }
    }
}

/// What helps with a text that memory refuses.
#[must_use]
pub const fn instead_of(refusal: Refusal) -> &'static str {
    match refusal {
        Refusal::Secret => "`carl secret set NAME` keeps secrets where no model sees them.",
        _ => "Nothing was kept.",
    }
}

/// Standard input, as far as an entry may be long.
fn from_input() -> Result<String> {
    let mut text = String::new();
    std::io::stdin()
        .lock()
        .take(MEMORY_TEXT_BYTES as u64 + 2)
        .read_to_string(&mut text)
        .context("standard input cannot be read as text")?;
    Ok(text)
}

/// The name that somebody gave a memory; one that is its first words alone nobody did.
fn given_name(stored: &Stored) -> Option<String> {
    match &stored.entry {
        WriteEntry::Memory { name, corpus, .. } if *name != first_words(corpus) => {
            Some(name.clone())
        }
        _ => None,
    }
}

fn first_words(text: &str) -> String {
    let mut words = text.split_whitespace();
    let mut name = words
        .by_ref()
        .take(NAME_WORDS)
        .collect::<Vec<_>>()
        .join(" ");
    if words.next().is_some() {
        name.push('…');
    }
    name.chars().take(80).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_the_first_words() {
        assert_eq!(first_words(" one\ntwo "), "one two");
        assert_eq!(first_words("1 2 3 4 5 6 7 8 9"), "1 2 3 4 5 6 7 8…");
        assert_eq!(first_words(&"x".repeat(500)).len(), 80);
    }
}
