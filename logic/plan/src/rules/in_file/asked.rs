//! What is asked of a file.

use super::members::Member;
use super::sound::Edit;

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
        meant: Meant,
    },
    /// Add a setting that is not there.
    AddKey {
        key: String,
        to: String,
        is_quoted: bool,
        /// Whether the order says that it is a key, and not one of some section.
        is_of_a_key: bool,
    },
    /// Add an item to a list.
    AddItem {
        item: String,
        is_quoted: bool,
        list: String,
    },
    /// Turn what is on or off, true or false, to one of them.
    Switch { key: String, is_on: bool },
    /// Mark the only item that says this as done, or as not.
    Tick { item: String, is_done: bool },
    /// Add a task to a list, with a box where the others have one.
    AddTask { text: String },
    /// Mark all items as done, or as not.
    TickAll { is_done: bool },
    /// Give two lines each the text of the other, counted from 1.
    Swap { one: usize, other: usize },
    /// Remove the only comment about something.
    RemoveComment { about: String },
    /// Add a row to a table.
    AddRow { cells: String },
    /// Add a column to a table, with a value in each row.
    AddColumn { name: String, value: String },
    /// Remove an item of a list, or a key of a section.
    RemoveMember(Member),
    /// Give a key of settings, or a name in code, another name.
    Rename { name: String, to: String },
    /// Remove the line, or all lines, about something.
    RemoveLines { about: String, is_many: bool },
    /// Remove the line that says nothing else.
    RemoveItem { text: String },
    /// Remove a text that stands in it once.
    RemoveText { text: String },
    /// Make the only line about something a comment.
    CommentOut {
        about: String,
        /// Whether a line that has it anywhere as words is meant.
        is_by_words: bool,
    },
    /// Set what only a comment has.
    Uncomment { key: String },
    /// Make lines comments, or take the signs of comments from them.
    CommentLines { place: Place, is_out: bool },
    /// Put a line beside one that is there.
    Insert {
        text: String,
        side: Side,
        place: Place,
    },
    /// Give the lines of a place another text.
    Rewrite { text: String, place: Place },
    /// Give the only heading that says this another text.
    RenameHeading { heading: String, text: String },
    /// Something that is nearly known, which is asked back.
    Nearly(Wish),
    /// Give it a title, which is asked back.
    Title { text: Option<String> },
    /// Remove the lines of a place.
    RemovePlace { place: Place },
    /// Put another text, which may be none, in the place of all that it has.
    Clear { text: String },
    /// Put its lines in order, or leave each of them once.
    Sort(Sorting),
    /// Put the rows of a table in order by a column, below its header.
    SortRows { column: String, is_reverse: bool },
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
            | Self::CommentLines { place, .. }
            | Self::RemovePlace { place } => place,
            Self::Swap { .. } => return true,
            _ => return false,
        };
        !matches!(
            place,
            Place::About(_) | Place::Heading(_) | Place::Section(_)
        )
    }

    /// What it may do to the values of the file that is read; `None` where it leaves that as it is, or empty.
    pub(super) fn edit(&self) -> Option<Edit<'_>> {
        match self {
            Self::Set {
                to,
                is_quoted: false,
                ..
            } if to.starts_with('[') => Some(Edit::Any),
            Self::Set { to, .. } => Some(Edit::Value(to)),
            Self::AddKey { .. }
            | Self::AddItem { .. }
            | Self::AddRow { .. }
            | Self::AddTask { .. }
            | Self::Insert { .. }
            | Self::Uncomment { .. } => Some(Edit::Addition),
            Self::Clear { text } if text.is_empty() => None,
            // Each row has one cell more, as the header has.
            Self::AddColumn { .. } => None,
            Self::RemoveLines { .. }
            | Self::RemovePlace { .. }
            | Self::Rewrite { .. }
            | Self::CommentOut { .. }
            | Self::CommentLines { .. } => Some(Edit::Lines),
            Self::RemoveItem { .. }
            | Self::RemoveText { .. }
            | Self::RemoveMember(_)
            | Self::Rename { .. }
            | Self::RenameHeading { .. }
            | Self::Switch { .. }
            | Self::Tick { .. }
            | Self::TickAll { .. }
            | Self::Swap { .. }
            | Self::RemoveComment { .. }
            | Self::Sort(_)
            | Self::SortRows { .. }
            | Self::Clear { .. } => Some(Edit::Any),
            Self::Title { .. }
            | Self::Nearly(_)
            | Self::Copy { .. }
            | Self::AddTo { .. }
            | Self::CopyValue { .. }
            | Self::Convert { .. }
            | Self::Letters { .. } => None,
        }
    }
}

/// What an order that sets something calls so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meant {
    /// A value.
    Value,
    /// In a text a value or a word: `change Tuesday to Monday in days.txt`.
    ValueOrWord,
    /// In a text a value by its article, whatever states it: `change the deadline to Friday in brief.md`.
    NamedValue {
        /// Whether the order says that it is one: `set the deadline to Friday`.
        is_said: bool,
    },
}

/// How the lines of a file are to stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Sorting {
    /// Whether they are put in order at all.
    pub(super) is_sorted: bool,
    /// By the numbers that they begin with.
    pub(super) is_by_number: bool,
    /// From the last to the first.
    pub(super) is_reverse: bool,
    /// Each line once.
    pub(super) is_unique: bool,
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
    /// The first, below the lines that have to be the first of their file.
    Top,
    /// So many at the end.
    Last { count: usize },
    /// The only line about something.
    About(String),
    /// The only heading that says this.
    Heading(String),
    /// What stands under it.
    Section(String),
}

/// What somebody nearly ordered of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Wish {
    /// A name and its value, without a verb.
    Value { key: String, to: String },
    /// Another value in the place of one.
    Instead {
        new: String,
        old: String,
        key: Option<String>,
    },
    /// A word more in a value of words.
    Word { word: String, key: String },
    /// An item more in a list of a text.
    Listed { item: String, list: String },
    /// A line at another place: beside the line about something, under a heading, or at an end of the
    /// file.
    Move { about: String, to: Goal },
    /// A comment beside a line.
    Comment {
        text: String,
        side: Side,
        about: String,
    },
    /// The first lines in a file of their own.
    FirstLines { to_line: usize, into: String },
    /// Another title.
    Title { to: String },
    /// A key with its value, at the edge of a file of JSON.
    Key { name: String, to: String },
    /// One file of two.
    Both { other: String, into: String },
}

/// Where a line is to go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Goal {
    Beside(Side, String),
    /// Under the only heading that says this.
    Under(String),
    Top,
    End,
}

/// How a table is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Json,
    Markdown,
    Csv,
}
