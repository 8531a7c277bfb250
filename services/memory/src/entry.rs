//! An entry as indexes see it: a number, and three texts whatever its kind.

use api::memory::{Stored, WriteEntry};
use std::borrow::Cow;

/// Longest name made of a question, characters.
const NAME_CHARS: usize = 120;

/// An entry with its place in the store.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Entry {
    /// Its row: small, never given twice, what indexes keep instead of the id.
    pub number: u64,
    /// Everything kept of it.
    pub stored: Stored,
}

impl Entry {
    /// A line that names it; an engram's is its question.
    pub(crate) fn name(&self) -> Cow<'_, str> {
        match &self.stored.entry {
            WriteEntry::Memory { name, .. } => Cow::Borrowed(name),
            WriteEntry::Engram { question, .. } => line(question),
        }
    }

    /// What it is about; an engram's is its entities. What was wanted is left out: the few words that
    /// it is put in are the same for unrelated requests, and would make them seem related.
    pub(crate) fn description(&self) -> Cow<'_, str> {
        match &self.stored.entry {
            WriteEntry::Memory { description, .. } => Cow::Borrowed(description),
            WriteEntry::Engram { entities, .. } => Cow::Owned(entities.join(", ")),
        }
    }

    /// The full text; an engram's is its question and its answer.
    pub(crate) fn corpus(&self) -> Cow<'_, str> {
        match &self.stored.entry {
            WriteEntry::Memory { corpus, .. } => Cow::Borrowed(corpus),
            WriteEntry::Engram {
                question, answer, ..
            } => Cow::Owned(format!("Q: {question}\nA: {answer}")),
        }
    }

    /// The texts that words are taken from.
    pub(crate) fn texts(&self) -> Vec<Cow<'_, str>> {
        let mut texts = vec![self.name(), self.description(), self.corpus()];
        // An engram's tags are in its description.
        if let WriteEntry::Memory { tags, .. } = &self.stored.entry {
            texts.extend(tags.iter().map(|tag| Cow::Borrowed(tag.as_str())));
        }
        if let Some(since) = self.stored.valid_from {
            texts.push(Cow::Owned(since.strftime("%Y %B %-d %A").to_string()));
        }
        texts
    }
}

/// The first line of a text, cut.
fn line(text: &str) -> Cow<'_, str> {
    let first = text.trim().lines().next().unwrap_or_default().trim_end();
    match first.char_indices().nth(NAME_CHARS) {
        Some((end, _)) => Cow::Owned(format!("{}…", &first[..end])),
        None => Cow::Borrowed(first),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_wanted_is_no_part_of_what_is_found_by() {
        use domain::rights::Namespace;
        let stored = Stored {
            id: domain::id::MemoryId::from_uuid(uuid::Uuid::nil()),
            namespace: Namespace::user(),
            entry: WriteEntry::Engram {
                question: "Where is the boiler?".to_owned(),
                answer: "In the cellar.".to_owned(),
                intent: "asks something".to_owned(),
                entities: vec!["boiler".to_owned()],
                session_id: domain::id::SessionId::from_uuid(uuid::Uuid::nil()),
                query_id: domain::id::QueryId::from_uuid(uuid::Uuid::nil()),
                respondent: "m".to_owned(),
                tools_used: Vec::new(),
            },
            source: api::memory::Source::Agent,
            label: domain::label::Label::trusted("user"),
            created_at: domain::Timestamp::UNIX_EPOCH,
            valid_from: None,
            valid_until: None,
            superseded_by: None,
            last_accessed: None,
            access_count: 0,
            critic_score: None,
            pairwise_winner: None,
            feedback: None,
        };
        let entry = Entry { number: 1, stored };
        assert_eq!(entry.description(), "boiler");
        let all = [entry.name(), entry.description(), entry.corpus()];
        assert!(all.iter().all(|text| !text.contains("asks")), "{all:?}");
    }

    #[test]
    fn a_question_becomes_a_name_of_one_line() {
        assert_eq!(line("  Where?\nTell me.  "), "Where?");
        assert_eq!(line(""), "");
        let long = "ü".repeat(NAME_CHARS + 1);
        assert_eq!(line(&long).chars().count(), NAME_CHARS + 1);
        assert!(line(&long).ends_with('…'));
        assert_eq!(line(&long[2..]), long[2..]);
    }
}
