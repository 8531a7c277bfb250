//! Failures, worded for the model that has to act on them. A fixed sentence is in our own words.
//! Any other counts as quoting what the tool met: that a file is there, how long it is and where in
//! it something stands was written by whoever wrote the file. One that only repeats the call says so
//! with [`of_call`].

use api::executor::{FailureKind, ToolFailure, Words};
use rustix::io::Errno;

/// A message with whose words it is in.
#[derive(Debug)]
pub(crate) struct Message {
    text: String,
    words: Words,
}

impl From<&'static str> for Message {
    fn from(text: &'static str) -> Self {
        Self {
            text: text.to_owned(),
            words: Words::Own,
        }
    }
}

impl From<String> for Message {
    fn from(text: String) -> Self {
        Self {
            text,
            words: Words::Met,
        }
    }
}

/// A message of fixed words and what the call itself said: no file, folder or program had a part in
/// it.
pub(crate) const fn of_call(text: String) -> Message {
    Message {
        text,
        words: Words::Own,
    }
}

/// The rule of what is not there.
pub(crate) const NOT_FOUND: &str = "not_found";

fn failure(kind: FailureKind, rule: &'static str, message: Message) -> ToolFailure {
    ToolFailure {
        kind,
        rule,
        message: message.text,
        words: message.words,
    }
}

pub(crate) fn mendable(rule: &'static str, message: impl Into<Message>) -> ToolFailure {
    failure(FailureKind::Mendable, rule, message.into())
}

pub(crate) fn refused(rule: &'static str, message: impl Into<Message>) -> ToolFailure {
    failure(FailureKind::Refused, rule, message.into())
}

pub(crate) fn broken(rule: &'static str, message: impl Into<Message>) -> ToolFailure {
    failure(FailureKind::Broken, rule, message.into())
}

pub(crate) fn timeout(rule: &'static str, message: impl Into<Message>) -> ToolFailure {
    failure(FailureKind::Timeout, rule, message.into())
}

pub(crate) fn not_found(shown: &str) -> ToolFailure {
    mendable(
        NOT_FOUND,
        format!("There is no `{shown}`. Use list_files or glob to see what there is."),
    )
}

/// The failure for what the operating system said about a path.
pub(crate) fn from_errno(errno: Errno, shown: &str) -> ToolFailure {
    match errno {
        Errno::NOENT => not_found(shown),
        Errno::NOTDIR => mendable(
            "not_a_folder",
            format!("A part of `{shown}` is a file, not a folder."),
        ),
        Errno::ISDIR => mendable("is_a_folder", format!("`{shown}` is a folder, not a file.")),
        Errno::EXIST => mendable("exists", format!("`{shown}` exists already.")),
        Errno::NOTEMPTY => mendable(
            "not_empty",
            format!("The folder `{shown}` is not empty. Delete what is in it first."),
        ),
        Errno::NAMETOOLONG => mendable("name_too_long", format!("The name `{shown}` is too long.")),
        Errno::ACCESS | Errno::PERM => mendable(
            "no_permission",
            format!("The operating system does not permit this for `{shown}`."),
        ),
        Errno::XDEV => refused(
            "symlink_escape",
            format!("`{shown}` leads out of the folders this call may touch."),
        ),
        Errno::LOOP => refused(
            "magic_link",
            format!("`{shown}` leads through a link that cannot be followed."),
        ),
        Errno::NOSPC | Errno::DQUOT => broken(
            "disk_full",
            format!("`{shown}` was not changed: the disk is full."),
        ),
        Errno::ROFS => broken(
            "read_only_disk",
            format!("`{shown}` was not changed: it lies on a read-only file system."),
        ),
        Errno::NOSYS => broken(
            "no_openat2",
            "This kernel cannot resolve paths safely (openat2 is missing).",
        ),
        other => broken("io_error", format!("`{shown}` cannot be used: {other}.")),
    }
}

/// The failure for what reading or writing an open file came to.
pub(crate) fn from_io(error: &std::io::Error, shown: &str) -> ToolFailure {
    match Errno::from_io_error(error) {
        Some(errno) => from_errno(errno, shown),
        None => broken("io_error", format!("`{shown}` cannot be used: {error}.")),
    }
}
