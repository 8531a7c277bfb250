//! Files and folders for the user alone.

use rustix::fs::OFlags;
use std::fs::{DirBuilder, File, OpenOptions, Permissions, TryLockError};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::Path;
use zeroize::Zeroizing;

/// The rights of a private file: its owner reads and writes it.
const FILE_MODE: u32 = 0o600;
/// The rights of a private folder: its owner may enter it.
const FOLDER_MODE: u32 = 0o700;
/// The rights of everybody else.
const OTHERS: u32 = 0o077;

/// What has to outlast a power cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// Content and name are on the disk when the call returns.
    Durable,
    /// Nothing: what is lost is made anew.
    Lossy,
}

/// Makes a folder that only its owner may enter, with those above it; one that is there already is
/// closed to others.
///
/// # Errors
/// Whatever the file system says.
pub fn folder(path: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true).mode(FOLDER_MODE).create(path)?;
    if path.metadata()?.permissions().mode() & OTHERS != 0 {
        std::fs::set_permissions(path, Permissions::from_mode(FOLDER_MODE))?;
    }
    Ok(())
}

/// Opens a file, which only its owner may read if it is made here: never through a symbolic link,
/// and nothing that is no file, such as a pipe that would be waited on for ever.
///
/// # Errors
/// Whatever the file system says, and for what is no ordinary file.
pub fn open(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed();
    let file = options.mode(FILE_MODE).custom_flags(flags).open(path)?;
    if file.metadata()?.is_file() {
        Ok(file)
    } else {
        Err(io::Error::other("it is no ordinary file; move it away"))
    }
}

/// Replaces a file as a whole, so that a reader sees the old content or the new one. Only its owner
/// may read it.
///
/// # Errors
/// When it cannot be written; the old content stands then.
pub fn replace(path: &Path, content: &[u8], durability: Durability) -> io::Result<()> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let mut prefix = path.file_name().unwrap_or_default().to_owned();
    prefix.push(".");
    let mut draft = tempfile::Builder::new()
        .prefix(&prefix)
        .suffix(DRAFT)
        .permissions(Permissions::from_mode(FILE_MODE))
        .tempfile_in(folder)?;
    draft.write_all(content)?;
    if durability == Durability::Durable {
        draft.as_file().sync_all()?;
    }
    draft.persist(path)?;
    if durability == Durability::Durable {
        File::open(folder)?.sync_all()?;
    }
    Ok(())
}

/// Makes a file of random hexadecimal digits where there is none: whoever can read it can show it.
///
/// # Errors
/// Whatever the file system says.
pub fn make_token(path: &Path, digits: usize) -> io::Result<()> {
    if let Some(parent) = path.parent() {
        folder(parent)?;
    }
    let mut file = match open(path, OpenOptions::new().write(true).create_new(true)) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Ok(()),
        opened => opened?,
    };
    let mut text = Zeroizing::new(String::with_capacity(digits));
    while text.len() < digits {
        let digit = rand::random::<u32>() % 16;
        text.extend(char::from_digit(digit, 16));
    }
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

/// How the name of a file ends that [`replace`] has not put in place yet.
pub const DRAFT: &str = ".draft";

/// Takes a lock, which lasts for as long as the file is held; `None` while another has it.
///
/// # Errors
/// When the lock file cannot be opened or locked.
pub fn lock(path: &Path) -> io::Result<Option<File>> {
    let file = lock_file(path)?;
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// The same, once nobody else has it.
///
/// # Errors
/// When the lock file cannot be opened or locked.
pub fn wait_for_lock(path: &Path) -> io::Result<File> {
    let file = lock_file(path)?;
    file.lock()?;
    Ok(file)
}

/// The lock file, made if need be and closed to others, who could keep the lock otherwise.
fn lock_file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    let file = open(
        path,
        options.read(true).write(true).create(true).truncate(false),
    )?;
    if file.metadata()?.permissions().mode() & OTHERS != 0 {
        file.set_permissions(Permissions::from_mode(FILE_MODE))?;
    }
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    fn mode(path: &Path) -> u32 {
        path.metadata().unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn folders_are_closed_to_others_made_or_found() {
        let root = tempfile::tempdir().unwrap();
        let made = root.path().join("a/b");
        folder(&made).unwrap();
        assert_eq!(mode(&made), FOLDER_MODE);
        std::fs::set_permissions(&made, Permissions::from_mode(0o755)).unwrap();
        folder(&made).unwrap();
        assert_eq!(mode(&made), FOLDER_MODE);
        std::fs::write(root.path().join("file"), "").unwrap();
        assert!(folder(&root.path().join("file")).is_err());
    }

    #[test]
    fn a_replaced_file_is_whole_private_and_alone() {
        let root = tempfile::tempdir().unwrap();
        let file = root.path().join("list.json");
        let elsewhere = root.path().join("elsewhere");
        std::fs::write(&elsewhere, "kept").unwrap();
        symlink(&elsewhere, &file).unwrap();
        for durability in [Durability::Durable, Durability::Lossy] {
            replace(&file, b"new", durability).unwrap();
            assert_eq!(std::fs::read(&file).unwrap(), b"new");
            assert_eq!(mode(&file), FILE_MODE);
        }
        assert_eq!(std::fs::read(&elsewhere).unwrap(), b"kept");
        assert_eq!(std::fs::read_dir(root.path()).unwrap().count(), 2);
        assert!(replace(&root.path().join("none/x"), b"", Durability::Lossy).is_err());
    }

    #[test]
    fn only_ordinary_files_are_opened() {
        let root = tempfile::tempdir().unwrap();
        let link = root.path().join("link");
        symlink("/dev/null", &link).unwrap();
        let writing = |path: &Path| open(path, OpenOptions::new().append(true).create(true));
        assert!(writing(&link).is_err());
        assert!(writing(Path::new("/dev/null")).is_err());
        let file = root.path().join("file");
        drop(writing(&file).unwrap());
        assert_eq!(mode(&file), FILE_MODE);
    }

    #[test]
    fn a_token_is_made_once() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("run/token");
        make_token(&path, 64).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(text.len(), 64);
        assert!(text.bytes().all(|byte| byte.is_ascii_hexdigit()), "{text}");
        make_token(&path, 64).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        assert_eq!(mode(&path), FILE_MODE);
    }

    #[test]
    fn one_holder_at_a_time_has_the_lock() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("lock");
        std::fs::write(&path, "17").unwrap();
        std::fs::set_permissions(&path, Permissions::from_mode(0o644)).unwrap();
        let held = lock(&path).unwrap().unwrap();
        assert_eq!(mode(&path), FILE_MODE);
        assert!(lock(&path).unwrap().is_none());
        drop(held);
        drop(wait_for_lock(&path).unwrap());
        assert_eq!(std::fs::read(&path).unwrap(), b"17");
    }
}
