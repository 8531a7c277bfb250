//! What the operating system says about a path, worded for whoever has to act on it: a model, or a
//! person whose plan is made by rules.

use api::failure::{ToolFailure, broken, mendable, refused};
use rustix::io::Errno;

/// The rule of what is not there.
pub(crate) const NOT_FOUND: &str = "not_found";
/// The rule of a path in none of the folders of a call.
pub(crate) const OUTSIDE: &str = "outside_roots";
/// The rule of a path with a link in it that is not followed.
pub(crate) const LINK: &str = "magic_link";

pub(crate) fn not_found(shown: &str) -> ToolFailure {
    mendable(
        NOT_FOUND,
        format!("There is no `{shown}`. A list of the folder shows how its files are called."),
    )
}

pub(crate) fn is_a_folder(shown: &str) -> ToolFailure {
    mendable(
        "is_a_folder",
        format!("`{shown}` is a folder, not a file. Name one file in it."),
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
        Errno::ISDIR => is_a_folder(shown),
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
            LINK,
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
