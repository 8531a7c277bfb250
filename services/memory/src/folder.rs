//! Folders for the user alone, made anew in place of whatever stands there.

use crate::error::unavailable;
use api::memory::Error;
use disk::private;
use std::fs::Permissions;
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

/// Removes whatever is there: a folder, a file, a link.
pub(crate) fn clear(path: &Path) -> io::Result<()> {
    match std::fs::symlink_metadata(path) {
        Ok(found) if found.is_dir() => std::fs::remove_dir_all(path),
        Ok(_) => std::fs::remove_file(path),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}

/// Makes a folder for the user alone, in place of anything that is no folder.
pub(crate) fn make_private(folder: &Path) -> Result<(), Error> {
    let of = |error| unavailable(format!("{}", folder.display()), error);
    if !folder.is_dir() {
        clear(folder).map_err(of)?;
    }
    private::folder(folder).map_err(of)?;
    restrict(folder)
}

/// A folder and the files in it are the user's alone.
pub(crate) fn restrict(folder: &Path) -> Result<(), Error> {
    let of = |error| unavailable(format!("{}", folder.display()), error);
    let mode =
        |path: &Path, mode| match std::fs::set_permissions(path, Permissions::from_mode(mode)) {
            // A merge removes files meanwhile.
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(of(error)),
            _ => Ok(()),
        };
    mode(folder, 0o700)?;
    for file in std::fs::read_dir(folder).map_err(of)? {
        let path = file.map_err(of)?.path();
        if path.is_file() {
            mode(&path, 0o600)?;
        }
    }
    Ok(())
}
