//! The files of the lexical index: the user's alone from the moment that they are made, whatever
//! makes them, a commit, a merge behind it or a lock, and whatever the umask.

use disk::private;
use std::fs::{OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tantivy::directory::error::{
    DeleteError, LockError, OpenDirectoryError, OpenReadError, OpenWriteError,
};
use tantivy::directory::{
    Directory, DirectoryLock, FileHandle, Lock, MmapDirectory, WatchCallback, WatchHandle, WritePtr,
};

/// The index's folder.
#[derive(Debug, Clone)]
pub(super) struct Files {
    root: PathBuf,
    inner: MmapDirectory,
}

impl Files {
    /// # Errors
    /// When the folder is not there.
    pub(super) fn open(root: &Path) -> Result<Self, OpenDirectoryError> {
        Ok(Self {
            inner: MmapDirectory::open(root)?,
            root: root.to_owned(),
        })
    }
}

impl Directory for Files {
    fn get_file_handle(&self, path: &Path) -> Result<Arc<dyn FileHandle>, OpenReadError> {
        self.inner.get_file_handle(path)
    }

    fn delete(&self, path: &Path) -> Result<(), DeleteError> {
        self.inner.delete(path)
    }

    fn exists(&self, path: &Path) -> Result<bool, OpenReadError> {
        self.inner.exists(path)
    }

    fn open_write(&self, path: &Path) -> Result<WritePtr, OpenWriteError> {
        let writer = self.inner.open_write(path)?;
        // Nothing stands in it yet.
        std::fs::set_permissions(self.root.join(path), Permissions::from_mode(0o600))
            .map_err(|error| OpenWriteError::wrap_io_error(error, path.to_owned()))?;
        Ok(writer)
    }

    fn atomic_read(&self, path: &Path) -> Result<Vec<u8>, OpenReadError> {
        self.inner.atomic_read(path)
    }

    /// Writes a draft, which is private, and puts it in place.
    fn atomic_write(&self, path: &Path, data: &[u8]) -> io::Result<()> {
        self.inner.atomic_write(path, data)
    }

    fn sync_directory(&self) -> io::Result<()> {
        self.inner.sync_directory()
    }

    fn acquire_lock(&self, lock: &Lock) -> Result<DirectoryLock, LockError> {
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(false);
        private::open(&self.root.join(&lock.filepath), &mut options)
            .map_err(LockError::wrap_io_error)?;
        self.inner.acquire_lock(lock)
    }

    fn watch(&self, callback: WatchCallback) -> tantivy::Result<WatchHandle> {
        self.inner.watch(callback)
    }
}
