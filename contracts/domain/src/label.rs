//! Labels: how far a value may be trusted, and who may read it.

use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// How far a value's content may steer an effect. Ordered from most to least trusted, so that the
/// join of two is their maximum.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Integrity {
    /// Written by the user or by configuration.
    Trusted,
    /// From outside, but unable to carry instructions, or released by the user's gesture.
    Endorsed,
    /// Anything else, and everything unknown.
    Untrusted,
}

impl Integrity {
    /// The word for it, the same as in its serialised form.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Trusted => "trusted",
            Self::Endorsed => "endorsed",
            Self::Untrusted => "untrusted",
        }
    }
}

/// Who may learn a value.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind", content = "names")]
pub enum Readers {
    /// Anyone.
    Public,
    /// Only the named parties.
    Only(BTreeSet<String>),
    /// No one outside the session.
    Nobody,
}

impl Readers {
    /// The parties who may read both: an intersection.
    #[must_use]
    pub fn join(&self, other: &Self) -> Self {
        match (self, other) {
            (Self::Public, readers) | (readers, Self::Public) => readers.clone(),
            (Self::Only(left), Self::Only(right)) => {
                let both: BTreeSet<String> = left.intersection(right).cloned().collect();
                if both.is_empty() {
                    Self::Nobody
                } else {
                    Self::Only(both)
                }
            }
            (Self::Nobody, _) | (_, Self::Nobody) => Self::Nobody,
        }
    }
}

/// Integrity, readers and origins of a value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Label {
    /// How far the content may steer effects.
    pub integrity: Integrity,
    /// Who may learn the content.
    pub readers: Readers,
    /// Where it came from, for people: `user`, `file:notes.md`, `web:example.org`.
    pub origins: BTreeSet<String>,
    /// Those of the origins that nothing untrusted came from, where the whole is untrusted. Words
    /// for people, and no ground for a decision: see [`Label::suspects`].
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub trusted_origins: BTreeSet<String>,
    /// Whether the label stays on the object when it is stored and read back.
    pub persistent: bool,
}

impl Label {
    /// What the user or configuration wrote.
    #[must_use]
    pub fn trusted(origin: impl Into<String>) -> Self {
        Self {
            integrity: Integrity::Trusted,
            readers: Readers::Nobody,
            origins: BTreeSet::from([origin.into()]),
            trusted_origins: BTreeSet::new(),
            persistent: false,
        }
    }

    /// What came from outside, or from an unknown place: believed in nothing, shown to nobody.
    #[must_use]
    pub fn untrusted(origin: impl Into<String>) -> Self {
        Self {
            integrity: Integrity::Untrusted,
            readers: Readers::Nobody,
            origins: BTreeSet::from([origin.into()]),
            trusted_origins: BTreeSet::new(),
            persistent: true,
        }
    }

    /// What takes nothing from trust and is nobody's to read.
    #[must_use]
    pub fn private() -> Self {
        Self {
            readers: Readers::Nobody,
            ..Self::nothing()
        }
    }

    /// The identity of [`Label::join`]: nothing has been seen yet.
    #[must_use]
    pub fn nothing() -> Self {
        Self {
            integrity: Integrity::Trusted,
            readers: Readers::Public,
            origins: BTreeSet::new(),
            trusted_origins: BTreeSet::new(),
            persistent: false,
        }
    }

    /// The origins that untrusted content may have come from.
    #[must_use]
    pub fn suspects(&self) -> BTreeSet<String> {
        match self.integrity {
            Integrity::Trusted | Integrity::Endorsed => BTreeSet::new(),
            // A label that does not say which are trusted has none.
            Integrity::Untrusted => &self.origins - &self.trusted_origins,
        }
    }

    /// The origins as people are told them. What the file tools bring names its file, so that `files`
    /// beside it says nothing, and a file named `.` is the folder that the session works in.
    #[must_use]
    pub fn origins_in_words(&self) -> Vec<&str> {
        let names_file = self.origins.iter().any(|one| one.starts_with("file:"));
        let told = self.origins.iter().filter_map(|one| match one.as_str() {
            "files" if names_file => None,
            "files" => Some("files of this machine"),
            "file:." => Some("this folder"),
            other => Some(other),
        });
        told.collect()
    }

    /// The label of a value made from two: least trusted, fewest readers, all origins.
    #[must_use]
    pub fn join(&self, other: &Self) -> Self {
        let integrity = self.integrity.max(other.integrity);
        let origins = &self.origins | &other.origins;
        let trusted_origins = match integrity {
            Integrity::Trusted | Integrity::Endorsed => BTreeSet::new(),
            // An origin that gave both is a suspect.
            Integrity::Untrusted => &origins - &(&self.suspects() | &other.suspects()),
        };
        Self {
            integrity,
            readers: self.readers.join(&other.readers),
            origins,
            trusted_origins,
            persistent: self.persistent || other.persistent,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_word_for_trust_is_the_one_that_is_written() {
        for integrity in [
            Integrity::Trusted,
            Integrity::Endorsed,
            Integrity::Untrusted,
        ] {
            let written = serde_json::to_value(integrity).unwrap();
            assert_eq!(written, integrity.as_str());
        }
    }

    fn readers() -> impl Strategy<Value = Readers> {
        prop_oneof![
            Just(Readers::Public),
            Just(Readers::Nobody),
            proptest::collection::btree_set("[abc]", 1..3).prop_map(Readers::Only),
        ]
    }

    fn label() -> impl Strategy<Value = Label> {
        let integrity = prop_oneof![
            Just(Integrity::Trusted),
            Just(Integrity::Endorsed),
            Just(Integrity::Untrusted)
        ];
        let origins = || proptest::collection::btree_set("[xyz]", 0..3);
        (integrity, readers(), origins(), origins(), any::<bool>()).prop_map(
            |(integrity, readers, origins, trusted, persistent)| Label {
                integrity,
                readers,
                trusted_origins: match integrity {
                    Integrity::Untrusted => &origins & &trusted,
                    Integrity::Trusted | Integrity::Endorsed => BTreeSet::new(),
                },
                origins,
                persistent,
            },
        )
    }

    proptest! {
        #[test]
        fn join_is_a_semilattice(a in label(), b in label(), c in label()) {
            prop_assert_eq!(a.join(&b), b.join(&a));
            prop_assert_eq!(a.join(&b).join(&c), a.join(&b.join(&c)));
            prop_assert_eq!(a.join(&a), a.clone());
            prop_assert_eq!(a.join(&Label::nothing()), a);
        }

        #[test]
        fn join_never_raises_trust(a in label(), b in label()) {
            prop_assert!(a.join(&b).integrity >= a.integrity);
        }

        #[test]
        fn join_clears_nobody_of_suspicion(a in label(), b in label()) {
            let both = &a.suspects() | &b.suspects();
            prop_assert_eq!(a.join(&b).suspects(), both);
        }
    }
}
