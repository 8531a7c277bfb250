//! What may be kept: nothing empty, nothing too large, no secret, nothing that speaks to a model.
//!
//! The user's own words are taken as they are. What an agent nominates may not read like an order.
//! What came from outside loses its disguises and its orders, is untrusted, and stays so.

mod denial;
mod orders;
mod wording;

pub(crate) use denial::Denial;
pub(crate) use wording::likeness;

use api::memory::{Kind, Part, Refusal, Source, WriteEntry};
use domain::label::{Integrity, Label};
use domain::limits::{
    MEMORY_CORRELATIONS, MEMORY_DESCRIPTION_BYTES, MEMORY_NAME_BYTES, MEMORY_TAG_BYTES,
    MEMORY_TAGS, MEMORY_TEXT_BYTES,
};

/// An entry as it may be kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Cleared {
    pub entry: WriteEntry,
    pub source: Source,
    pub label: Label,
}

/// Judges a nomination; duplicates and corrections are the store's to see.
///
/// # Errors
/// [`Denial`].
pub(crate) fn judge(
    mut entry: WriteEntry,
    source: Source,
    label: Label,
) -> Result<Cleared, Denial> {
    tidy(&mut entry);
    check_form(&entry)?;
    let label = settled(source, label);
    if source == Source::External || label.integrity == Integrity::Untrusted {
        orders::take_out(&mut entry)?;
        check_form(&entry)?;
    } else if source == Source::Agent {
        orders::refuse(&entry)?;
    }
    Ok(Cleared {
        entry,
        source,
        label,
    })
}

/// Judges an exported entry, whose words were judged when it was first kept.
///
/// # Errors
/// [`Denial`].
pub(crate) fn judge_again(
    entry: WriteEntry,
    source: Source,
    label: Label,
) -> Result<Cleared, Denial> {
    check_form(&entry)?;
    Ok(Cleared {
        entry,
        source,
        label: settled(source, label),
    })
}

/// What came from outside is untrusted whatever its label says, and what is untrusted stays so.
fn settled(source: Source, mut label: Label) -> Label {
    if source == Source::External {
        label.integrity = Integrity::Untrusted;
    }
    label.persistent |= label.integrity == Integrity::Untrusted;
    label
}

/// Takes away blanks around texts, and what is named twice.
fn tidy(entry: &mut WriteEntry) {
    let trim = |text: &mut String| *text = text.trim().to_owned();
    let list = |texts: &mut Vec<String>| {
        let mut known = std::collections::BTreeSet::new();
        texts.iter_mut().for_each(trim);
        texts.retain(|text| !text.is_empty() && known.insert(text.clone()));
    };
    match entry {
        WriteEntry::Memory {
            name,
            description,
            tags,
            correlating_ids,
            corpus,
        } => {
            [name, description, corpus].into_iter().for_each(trim);
            list(tags);
            correlating_ids.sort_unstable();
            correlating_ids.dedup();
        }
        WriteEntry::Engram {
            question,
            answer,
            intent,
            entities,
            ..
        } => {
            [question, answer, intent].into_iter().for_each(trim);
            list(entities);
        }
    }
}

fn check_form(entry: &WriteEntry) -> Result<(), Denial> {
    check_emptiness(entry)?;
    check_size(entry)?;
    let secret = |text: &str| text::secrets::has_shape(text) || wording::tells_a_password(text);
    match entry.texts().into_iter().find(|(_, text)| secret(text)) {
        Some((part, _)) => Err(Denial::new(
            Refusal::Secret,
            format!(
                "the {} holds what looks like a key or a password; nothing was kept",
                part.as_str()
            ),
        )),
        None => Ok(()),
    }
}

fn check_emptiness(entry: &WriteEntry) -> Result<(), Denial> {
    let missing = match entry {
        WriteEntry::Memory { name, corpus, .. } => [("name", name), ("text", corpus)],
        WriteEntry::Engram {
            question, answer, ..
        } => [("question", question), ("answer", answer)],
    }
    .into_iter()
    .find(|(_, text)| !text.chars().any(char::is_alphanumeric));
    match missing {
        Some((field, _)) => Err(Denial::new(
            Refusal::Empty,
            format!("the {field} says nothing"),
        )),
        None => Ok(()),
    }
}

fn check_size(entry: &WriteEntry) -> Result<(), Denial> {
    let too_large = |what: String| Err(Denial::new(Refusal::TooLarge, what));
    for (part, text) in entry.texts() {
        let most = match part {
            Part::Name => MEMORY_NAME_BYTES,
            Part::Description | Part::Intent => MEMORY_DESCRIPTION_BYTES,
            Part::Tag | Part::Entity | Part::Respondent => MEMORY_TAG_BYTES,
            Part::Text | Part::Question | Part::Answer => MEMORY_TEXT_BYTES,
        };
        if text.len() > most {
            let (field, size) = (part.as_str(), text.len());
            return too_large(format!(
                "the {field} has {size} bytes; at most {most} are kept"
            ));
        }
    }
    let (listed, linked) = match entry {
        WriteEntry::Memory {
            tags,
            correlating_ids,
            ..
        } => (tags.len(), correlating_ids.len()),
        WriteEntry::Engram {
            entities,
            tools_used,
            ..
        } => (entities.len().max(tools_used.len()), 0),
    };
    let lists = match entry.kind() {
        Kind::Memory => "tags",
        Kind::Engram => "entities or tools",
    };
    if listed > MEMORY_TAGS {
        return too_large(format!(
            "it has {listed} {lists}; at most {MEMORY_TAGS} are kept"
        ));
    }
    if linked > MEMORY_CORRELATIONS {
        return too_large(format!(
            "it belongs with {linked} entries; at most {MEMORY_CORRELATIONS} are kept"
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests;
