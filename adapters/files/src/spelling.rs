//! Names that are stored in another Unicode form than they are written in: macOS stores `é` as two
//! characters, and models and people write it as one.

use crate::beneath::{FOLDER, LOOK, Place, Spelling};
use crate::failure::NOT_FOUND;
use rustix::fd::OwnedFd;
use rustix::fs::{OFlags, ResolveFlags};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use unicode_normalization::UnicodeNormalization;

impl Place<'_> {
    /// The path beneath a root as the file system spells it. A part that is not there is taken for
    /// the one name in its folder that reads the same; everything else stays as it is written.
    pub(crate) fn as_stored(&self, root: &OwnedFd, rest: &Path, resolve: ResolveFlags) -> PathBuf {
        if self.spelling == Spelling::Stored || rest.as_os_str().as_bytes().is_ascii() {
            return rest.to_owned();
        }
        let mut stored = PathBuf::new();
        for part in rest {
            let written = stored.join(part);
            let look = LOOK | OFlags::NOFOLLOW;
            let found = self.open_beneath(root, &written, look, resolve);
            let is_missing = found.is_err_and(|failure| failure.rule == NOT_FOUND);
            stored = match is_missing {
                true => match self.read_the_same(root, &stored, part, resolve) {
                    Some(name) => stored.join(name),
                    None => written,
                },
                false => written,
            };
        }
        stored
    }

    /// The one name in a folder that reads as `part` does; `None` for none or several.
    fn read_the_same(
        &self,
        root: &OwnedFd,
        folder: &Path,
        part: &OsStr,
        resolve: ResolveFlags,
    ) -> Option<OsString> {
        let wanted = composed(part.to_str()?);
        let here = match folder.as_os_str().is_empty() {
            true => Path::new("."),
            false => folder,
        };
        let folder = self.open_beneath(root, here, FOLDER, resolve).ok()?;
        let names = self.ground.unseen(&folder).ok()?.into_iter();
        let mut same = names
            .map(|(name, _)| name)
            .filter(|name| name.to_str().is_some_and(|name| composed(name) == wanted));
        let name = same.next()?;
        same.next().is_none().then_some(name)
    }
}

/// A name in its composed form (NFC).
pub(crate) fn composed(name: &str) -> String {
    name.nfc().collect()
}
