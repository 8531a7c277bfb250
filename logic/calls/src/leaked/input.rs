//! The text that is looked at, and whether something stands at its beginning.

/// Whether something stands at the beginning of a text.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Match<T> {
    /// It does, and takes this many bytes.
    Yes(T, usize),
    /// It may: the text is too short to tell.
    More,
    /// It does not.
    No,
}

impl<T> Match<T> {
    /// The same, found so many bytes further on.
    pub(super) fn after(self, gap: usize) -> Self {
        match self {
            Self::Yes(found, bytes) => Self::Yes(found, gap + bytes),
            other => other,
        }
    }

    /// The same with something else found.
    pub(super) fn map<U>(self, change: impl FnOnce(T) -> U) -> Match<U> {
        match self {
            Self::Yes(found, bytes) => Match::Yes(change(found), bytes),
            Self::More => Match::More,
            Self::No => Match::No,
        }
    }
}

/// The rest of the text, and whether it is all there will be.
#[derive(Debug, Clone, Copy)]
pub(super) struct Input<'a> {
    pub(super) text: &'a str,
    pub(super) is_last: bool,
}

impl<'a> Input<'a> {
    /// What comes after so many bytes.
    pub(super) fn after(self, bytes: usize) -> Self {
        Self {
            text: self.text.get(bytes..).unwrap_or_default(),
            is_last: self.is_last,
        }
    }

    /// `More`, unless there is no more.
    pub(super) fn more<T>(self) -> Match<T> {
        if self.is_last { Match::No } else { Match::More }
    }

    /// Whether a fixed text stands here.
    pub(super) fn literal(self, literal: &str) -> Match<()> {
        if self.text.starts_with(literal) {
            Match::Yes((), literal.len())
        } else if literal.starts_with(self.text) {
            self.more()
        } else {
            Match::No
        }
    }

    /// The first of several fixed texts that stands here.
    pub(super) fn any_literal<'l>(self, literals: &[&'l str]) -> Match<&'l str> {
        let mut more = false;
        for literal in literals {
            match self.literal(literal) {
                Match::Yes((), bytes) => return Match::Yes(literal, bytes),
                Match::More => more = true,
                Match::No => {}
            }
        }
        if more { Match::More } else { Match::No }
    }

    /// Bytes of white space at the beginning.
    pub(super) fn space(self) -> usize {
        self.text.len() - self.text.trim_start().len()
    }
}
