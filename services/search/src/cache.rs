//! Pages on disk, in a private folder of bounded size. Losing any of it costs a request.

use crate::error::Error;
use crate::record::{self, FORM, Head};
use disk::private::{self, Durability};
use domain::hash::Digest;
use domain::limits::PAGE_UNPACKED_BYTES;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Most pages that are kept, whatever their size.
const PAGES: usize = 4_096;
/// Longest line before a page's bytes, bytes.
const HEAD_BYTES: usize = 64 << 10;

/// A page as it came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Stored {
    pub(crate) content_type: Option<String>,
    pub(crate) etag: Option<String>,
    pub(crate) last_modified: Option<String>,
    /// When it was fetched or found unchanged, seconds since 1970.
    pub(crate) checked: i64,
    pub(crate) body: Vec<u8>,
}

/// The cache. Its calls read and write files and belong on a thread that may wait.
#[derive(Debug, Clone)]
pub(crate) struct Cache {
    folder: PathBuf,
    max_bytes: u64,
}

impl Cache {
    /// Makes the folder, for the user alone.
    pub(crate) fn open(folder: &Path, max_bytes: u64) -> Result<Self, Error> {
        private::folder(folder).map_err(|source| Error::Folder {
            path: folder.to_owned(),
            source,
        })?;
        Ok(Self {
            folder: folder.to_owned(),
            max_bytes,
        })
    }

    /// The page of an address, if it is there and whole.
    pub(crate) fn get(&self, url: &str) -> Option<Stored> {
        let limit = (HEAD_BYTES + PAGE_UNPACKED_BYTES) as u64;
        let mut bytes = Vec::new();
        // A file that cannot be read is as good as none.
        let read =
            File::open(self.place(url)).and_then(|file| file.take(limit).read_to_end(&mut bytes));
        if let Err(error) = read {
            if error.kind() != io::ErrorKind::NotFound {
                tracing::debug!(%error, "a cached page cannot be read");
            }
            return None;
        }
        let (head, body) = record::read(&bytes, url)?;
        Some(Stored {
            content_type: head.content_type,
            etag: head.etag,
            last_modified: head.last_modified,
            checked: head.checked,
            body,
        })
    }

    /// Keeps a page, in place of an older one, and lets the oldest go when there is no room.
    pub(crate) fn put(&self, url: &str, page: &Stored) {
        if page.body.len() as u64 > self.max_bytes / 4 {
            return;
        }
        if let Err(error) = self.write(url, page).and_then(|()| self.make_room()) {
            tracing::debug!(%error, "a page is not cached");
        }
    }

    /// Forgets a page.
    pub(crate) fn remove(&self, url: &str) {
        match std::fs::remove_file(self.place(url)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                tracing::debug!(%error, "a cached page cannot be removed");
            }
            _ => {}
        }
    }

    fn place(&self, url: &str) -> PathBuf {
        self.folder.join(Digest::of(url.as_bytes()).to_string())
    }

    fn write(&self, url: &str, page: &Stored) -> io::Result<()> {
        let head = Head {
            form: FORM,
            url: url.to_owned(),
            content_type: page.content_type.clone(),
            etag: page.etag.clone(),
            last_modified: page.last_modified.clone(),
            checked: page.checked,
            digest: Digest::of(&page.body),
        };
        let bytes = record::write(&head, &page.body)?;
        private::replace(&self.place(url), &bytes, Durability::Lossy)
    }

    /// Removes the oldest pages until a quarter of the room is free, if it is used up.
    fn make_room(&self) -> io::Result<()> {
        let mut files = Vec::new();
        for entry in std::fs::read_dir(&self.folder)? {
            let entry = entry?;
            let facts = entry.metadata()?;
            if facts.is_file() {
                let changed = facts.modified().unwrap_or(SystemTime::UNIX_EPOCH);
                files.push((changed, facts.len(), entry.path()));
            }
        }
        let mut bytes: u64 = files.iter().map(|(_, bytes, _)| bytes).sum();
        let mut count = files.len();
        if bytes <= self.max_bytes && count <= PAGES {
            return Ok(());
        }
        files.sort();
        for (_, size, path) in files {
            if bytes <= self.max_bytes / 4 * 3 && count <= PAGES / 4 * 3 {
                break;
            }
            std::fs::remove_file(path)?;
            bytes -= size;
            count -= 1;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn page(body: &str) -> Stored {
        Stored {
            content_type: Some("text/plain".to_owned()),
            etag: None,
            last_modified: None,
            checked: 7,
            body: body.as_bytes().to_vec(),
        }
    }

    #[test]
    fn a_page_is_kept_privately_and_a_damaged_file_is_written_again() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::open(&folder.path().join("a/pages"), 1 << 20).unwrap();
        assert_eq!(cache.get("http://x/"), None);
        cache.put("http://x/", &page("one"));
        assert_eq!(cache.get("http://x/"), Some(page("one")));
        let file = cache.place("http://x/");
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&file), mode(&cache.folder)), (0o600, 0o700));
        std::fs::write(&file, "rubbish").unwrap();
        assert_eq!(cache.get("http://x/"), None);
        cache.put("http://x/", &page("two"));
        assert_eq!(cache.get("http://x/"), Some(page("two")));
        cache.remove("http://x/");
        assert_eq!(cache.get("http://x/"), None);
        assert_eq!(std::fs::read_dir(&cache.folder).unwrap().count(), 0);
    }

    #[test]
    fn the_folder_stays_within_its_size() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::open(folder.path(), 20_000).unwrap();
        for number in 0..60 {
            cache.put(&format!("http://x/{number}"), &page(&"x".repeat(1_000)));
        }
        let files = std::fs::read_dir(folder.path()).unwrap();
        let bytes: u64 = files
            .map(|file| file.unwrap().metadata().unwrap().len())
            .sum();
        assert!((10_000..=20_000).contains(&bytes), "{bytes}");
        cache.put("http://large/", &page(&"x".repeat(5_001)));
        assert_eq!(
            cache.get("http://large/"),
            None,
            "one page does not push out all others"
        );
    }
}
