//! What is asked of a file.

/// What a request asks of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InFile {
    /// The file that has to be read.
    pub path: String,
    /// Whether the rules may make a plan of the request without reading anything as well, which is
    /// what counts where the file does not have what this asks for.
    pub may_be_literal: bool,
    pub(super) intent: String,
    pub(super) asked: Asked,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Asked {
    /// Give a setting, an entry or an element another value.
    Set {
        key: String,
        from: Option<String>,
        to: String,
        /// Whether the new value stood in quotes: all of it is meant.
        is_quoted: bool,
        /// Whether it may be a word of a text that is to change: `change Tuesday to Monday in days.txt`.
        may_be_a_word: bool,
    },
    /// Remove the line, or all lines, about something.
    RemoveLines { about: String, is_many: bool },
    /// Remove the line that says nothing else.
    RemoveItem { text: String },
    /// Remove a text that stands in it once.
    RemoveText { text: String },
    /// Make the only line about something a comment.
    CommentOut { about: String },
    /// Set what only a comment has.
    Uncomment { key: String },
    /// Put a line beside one that is there.
    Insert {
        text: String,
        side: Side,
        place: Place,
    },
    /// Give the lines of a place another text.
    Rewrite { text: String, place: Place },
    /// Remove the lines of a place.
    RemovePlace { place: Place },
    /// Put another text, which may be none, in the place of all that it has.
    Clear { text: String },
    /// Write the same to a new file.
    Copy { into: String },
    /// Add what it says to the end of another file.
    AddTo { into: String },
    /// Write a value that stands in it to a new file.
    CopyValue { key: String, into: String },
    /// Write its table in another form to a new file.
    Convert { form: Form, into: String },
    /// Write its text in capital or small letters to a new file.
    Letters { are_capital: bool, into: String },
}

impl Asked {
    /// Whether lines are meant by their numbers.
    pub(super) fn counts_lines(&self) -> bool {
        let place = match self {
            Self::Insert { place, .. }
            | Self::Rewrite { place, .. }
            | Self::RemovePlace { place } => place,
            _ => return false,
        };
        !matches!(place, Place::About(_))
    }

    /// Whether what data holds may be more or less than before.
    pub(super) fn may_add(&self) -> bool {
        matches!(
            self,
            Self::Insert { .. }
                | Self::Rewrite { .. }
                | Self::RemovePlace { .. }
                | Self::CommentOut { .. }
                | Self::Uncomment { .. }
                | Self::Clear { .. }
        )
    }
}

/// On which side of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Before,
    After,
}

/// Which lines of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Place {
    /// From a line to a line, counted from 1.
    Lines { from: usize, to: usize },
    /// These, in order.
    Each(Vec<usize>),
    /// So many at the end.
    Last { count: usize },
    /// The only line about something.
    About(String),
}

/// How a table is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Json,
    Markdown,
    Csv,
}
