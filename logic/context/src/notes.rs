//! Project notes: what files such as `AGENTS.md` of a project say to agents, and how far that may be
//! trusted.
//!
//! Whoever writes in a project's folder is not the user. A version of such a file is the user's word
//! from when the user says so; until then it stands in a prompt as content from outside, and the
//! broker hears of it before a model does.

use domain::event::EventBody;
use domain::fault::Fault;
use domain::hash::Digest;
use domain::label::Label;
use domain::notes::ShownNotes;

/// Longest name of a file in a label, characters.
const NAME_CHARS: usize = 200;
/// Where the user's own instructions are from, for a label.
const OWN_ORIGIN: &str = "your instructions";

/// How far a version of a file may be trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// The user said that it is to be trusted.
    Trusted,
    /// Nobody said anything, or the user said that it is not.
    Untrusted,
}

/// One file of project notes, as it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notes {
    /// Where it lies, as the project names it: `AGENTS.md`.
    pub name: String,
    /// Of its place and its content.
    pub version: Digest,
    /// Its size, bytes.
    pub bytes: u64,
    /// What it says.
    pub text: String,
    /// How far it may be trusted.
    pub standing: Standing,
}

/// What a project has for agents.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Found {
    /// The files to be shown, in order.
    pub notes: Vec<Notes>,
    /// What was left out although it is there, and why: one line each.
    pub left_out: Vec<String>,
}

/// The notes that stand in an agent's prompt.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct InPrompt {
    shown: Vec<ShownNotes>,
    left_out: Vec<String>,
    /// Whether the user's own instructions or notes for all projects stand there as well.
    has_own: bool,
}

impl InPrompt {
    /// Those that were found; `has_own`: whether the user's own instructions or notes for all projects
    /// stand in the prompt as well.
    #[must_use]
    pub fn of(found: &Found, has_own: bool) -> Self {
        let shown = found.notes.iter().map(|notes| ShownNotes {
            path: notes.name.clone(),
            version: notes.version,
            bytes: notes.bytes,
            trusted: notes.standing == Standing::Trusted,
        });
        Self {
            shown: shown.collect(),
            left_out: found.left_out.clone(),
            has_own,
        }
    }

    /// The label of what the user wrote for every session, where that stands in the prompt: it may
    /// steer, and is nobody's to read.
    #[must_use]
    pub fn own(&self) -> Option<Label> {
        self.has_own.then(|| Label::trusted(OWN_ORIGIN))
    }

    /// What is to be told of it before a model is shown it, when `told` was told last.
    #[must_use]
    pub fn due(&self, told: &[ShownNotes]) -> Option<EventBody> {
        (!self.shown.is_empty() && self.shown != told).then(|| EventBody::NotesShown {
            label: label_of(&self.shown),
            notes: self.shown.clone(),
        })
    }

    /// What the user is to know of files that were left out; once.
    pub fn take_left_out(&mut self) -> Vec<EventBody> {
        let lines = std::mem::take(&mut self.left_out).into_iter();
        lines
            .map(|line| EventBody::Notice(left_out(line)))
            .collect()
    }
}

/// That a version is trusted means that its words may steer. It makes nobody a reader of them.
fn label_of(shown: &[ShownNotes]) -> Label {
    let labels = shown.iter().map(|notes| {
        let name: String = notes.path.chars().take(NAME_CHARS).collect();
        let origin = format!("project notes:{}", text::escape::visible_line(&name));
        match notes.trusted {
            true => Label::trusted(origin),
            false => Label::untrusted(origin),
        }
    });
    labels.fold(Label::nothing(), |all, label| all.join(&label))
}

fn left_out(message: String) -> Fault {
    Fault {
        code: "agents.notes_left_out".to_owned(),
        message,
        hint: "Agents work without it.".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::label::{Integrity, Readers};

    fn notes(name: &str, text: &str, standing: Standing) -> Notes {
        Notes {
            name: name.to_owned(),
            version: Digest::of(text.as_bytes()),
            bytes: text.len() as u64,
            text: text.to_owned(),
            standing,
        }
    }

    fn in_prompt(notes: Vec<Notes>) -> InPrompt {
        let left_out = vec!["a line".to_owned()];
        InPrompt::of(&Found { notes, left_out }, false)
    }

    fn label(body: Option<EventBody>) -> (Label, Vec<ShownNotes>) {
        match body {
            Some(EventBody::NotesShown { label, notes }) => (label, notes),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn one_untrusted_file_makes_all_of_them_untrusted() {
        let trusted = in_prompt(vec![notes("AGENTS.md", "a", Standing::Trusted)]);
        let (all_trusted, _) = label(trusted.due(&[]));
        assert_eq!(all_trusted.integrity, Integrity::Trusted);
        assert_eq!(all_trusted.readers, Readers::Nobody, "a file stays private");
        let mixed = in_prompt(vec![
            notes("AGENTS.md", "a", Standing::Trusted),
            notes("b/CLAUDE.md", "b", Standing::Untrusted),
        ]);
        let (mixed, _) = label(mixed.due(&[]));
        assert_eq!(mixed.integrity, Integrity::Untrusted);
        assert!(mixed.origins.contains("project notes:b/CLAUDE.md"));
    }

    #[test]
    fn notes_are_told_again_when_anything_of_them_changes() {
        let first = in_prompt(vec![notes("AGENTS.md", "a", Standing::Trusted)]);
        let (_, told) = label(first.due(&[]));
        assert_eq!(first.due(&told), None);
        for other in [
            notes("AGENTS.md", "b", Standing::Trusted),
            notes("AGENTS.md", "a", Standing::Untrusted),
        ] {
            assert!(in_prompt(vec![other]).due(&told).is_some());
        }
        assert_eq!(in_prompt(Vec::new()).due(&told), None);
    }

    #[test]
    fn what_was_left_out_is_said_once() {
        let mut some = in_prompt(Vec::new());
        assert_eq!(some.take_left_out().len(), 1);
        assert_eq!(some.take_left_out(), []);
    }
}
