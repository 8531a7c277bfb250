//! Forgetting: everything of an entry goes, and then every file is searched for what is left.
//!
//! A trace is a piece of the entry's texts, of [`PIECE_BYTES`] or a whole short text, as it was
//! written or in lower case, in any file of memory's folder, that no other entry holds as well.

use crate::entry::Entry;
use crate::error::{broken, unavailable};
use crate::finder::Finder;
use crate::ledger::Ledger;
use crate::said::Said;
use crate::store::{Store, keep};
use aho_corasick::AhoCorasick;
use api::memory::{Error, Forgotten, HeldBy, Part};
use domain::id::MemoryId;
use rusqlite::Connection;
use std::collections::BTreeSet;
use std::fs::File;
use std::io::{ErrorKind, Read as _};
use std::path::{Path, PathBuf};

/// Length of the pieces that are looked for, bytes; a database may cut a text anywhere, and pieces
/// this short survive between two cuts.
const PIECE_BYTES: usize = 24;
/// Distance from one piece to the next, bytes.
const STEP_BYTES: usize = 12;
/// A text shorter than this is found everywhere by chance, and is not looked for.
const SHORTEST_BYTES: usize = 6;
/// Most pieces that are looked for; of a longer text, evenly spread ones.
const PIECES: usize = 20_000;
/// How much of a file is looked at together, bytes.
const WINDOW_BYTES: usize = 1 << 20;

/// Removes an entry with those that it corrected, and searches every file.
///
/// # Errors
/// [`Error::NotFound`]; [`Error::StillThere`]; [`Error::Unavailable`].
pub(crate) async fn forget(
    store: &Store,
    finder: &dyn Finder,
    ledger: &Ledger,
    id: MemoryId,
) -> Result<Forgotten, Error> {
    let numbers = store
        .read(move |from| keep::with_corrected(from, id))
        .await?;
    let entries = store.entries(numbers.clone()).await?;
    if entries.is_empty() {
        // Perhaps it is gone from the store alone.
        finish(store, finder).await?;
        return Err(Error::NotFound { id });
    }
    ledger.forgets(id, entries.len()).await?;
    let removed = store.write(move |to| keep::remove(to, &numbers)).await?;
    finish(store, finder).await?;
    let pieces = pieces(&entries);
    let (files, found) = search(store, pieces).await?;
    match found {
        Some(file) => Err(Error::StillThere {
            file: file.display().to_string(),
        }),
        None => Ok(Forgotten {
            entries: removed,
            files: files.len() as u64,
            bytes: files.iter().map(|(_, bytes)| bytes).sum(),
            held_by: held_by(store, ledger, &entries).await,
        }),
    }
}

/// Who else says it; `None` when that cannot be looked up: what was to go is gone all the same.
async fn held_by(store: &Store, ledger: &Ledger, entries: &[Entry]) -> Option<HeldBy> {
    match looked_up(store, ledger, entries).await {
        Ok(held_by) => Some(held_by),
        Err(error) => {
            tracing::warn!(%error, "who else says what was forgotten is not known");
            None
        }
    }
}

async fn looked_up(store: &Store, ledger: &Ledger, entries: &[Entry]) -> Result<HeldBy, Error> {
    let held_by = Said::by(entries)?.held_by(store).await?;
    let named: Vec<MemoryId> = held_by.named.iter().map(|holder| holder.id).collect();
    if !named.is_empty() {
        let why = "named, since they say what was forgotten";
        ledger.read(None, why, &named).await?;
    }
    Ok(held_by)
}

/// Takes what was removed from the store out of every file: now, or after a crash or a failure at
/// the next start. Nothing is done, and quickly, where nothing waits for it.
///
/// # Errors
/// [`Error::Unavailable`]; it still waits then.
pub(crate) async fn finish(store: &Store, finder: &dyn Finder) -> Result<(), Error> {
    let numbers = store.read(keep::forgotten).await?;
    if numbers.is_empty() {
        return Ok(());
    }
    store.remove_vectors(numbers.clone()).await?;
    finder.forget(&numbers).await?;
    store.clean().await?;
    store.write(move |to| keep::cleaned(to, &numbers)).await
}

/// Before anything looks at the index: where something waits to be taken out, the index's copies of
/// vectors go, which it makes again. They are in use later, or not, as there is a model.
///
/// # Errors
/// [`Error::Unavailable`].
pub(crate) async fn begin(store: &Store) -> Result<(), Error> {
    if store.read(keep::forgotten).await?.is_empty() {
        return Ok(());
    }
    for (path, _) in files(&store.folder().join("index"))? {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if name.starts_with("vectors-") {
            existing(&path, std::fs::remove_file(&path))?;
        }
    }
    Ok(())
}

/// What is looked for.
fn pieces(entries: &[Entry]) -> BTreeSet<Vec<u8>> {
    let mut pieces = BTreeSet::new();
    for entry in entries {
        let texts = entry.stored.entry.texts();
        // Who answered is said of every engram and is none's own.
        let own = texts.iter().filter(|(part, _)| *part != Part::Respondent);
        for (_, text) in own {
            for text in [(*text).to_owned(), text.to_lowercase()] {
                cut(text.as_bytes(), &mut pieces);
                text.split(|c: char| !c.is_alphanumeric())
                    .filter(|word| word.len() >= STEP_BYTES)
                    .for_each(|word| cut(word.as_bytes(), &mut pieces));
            }
        }
    }
    let keep = pieces.len().div_ceil(PIECES).max(1);
    pieces.into_iter().step_by(keep).collect()
}

fn cut(bytes: &[u8], pieces: &mut BTreeSet<Vec<u8>>) {
    if bytes.len() < SHORTEST_BYTES {
        return;
    }
    if bytes.len() <= PIECE_BYTES {
        pieces.insert(bytes.to_vec());
        return;
    }
    let windows = bytes.windows(PIECE_BYTES).step_by(STEP_BYTES);
    pieces.extend(windows.map(<[u8]>::to_vec));
    pieces.insert(bytes[bytes.len() - PIECE_BYTES..].to_vec());
}

type Sizes = Vec<(PathBuf, u64)>;

/// Searches every file; a piece that another entry holds is no trace.
async fn search(
    store: &Store,
    pieces: BTreeSet<Vec<u8>>,
) -> Result<(Sizes, Option<PathBuf>), Error> {
    let folder = store.folder().to_path_buf();
    let searching = tokio::task::spawn_blocking(move || {
        let files = files(&folder)?;
        let found = look(&files, pieces)?;
        Ok::<_, Error>((files, found))
    });
    let (files, found) = match searching.await {
        Ok(result) => result?,
        Err(error) => return Err(broken(format!("the search broke off: {error}"))),
    };
    for (file, piece) in found {
        let held = store.read(move |from| is_held(from, &piece)).await?;
        if !held {
            return Ok((files, Some(file)));
        }
    }
    Ok((files, None))
}

/// Pieces found, with a file each is in.
fn look(
    files: &[(PathBuf, u64)],
    pieces: BTreeSet<Vec<u8>>,
) -> Result<Vec<(PathBuf, Vec<u8>)>, Error> {
    let pieces: Vec<Vec<u8>> = pieces.into_iter().collect();
    let longest = pieces.iter().map(Vec::len).max().unwrap_or(0);
    if longest == 0 {
        return Ok(Vec::new());
    }
    let searcher = AhoCorasick::new(&pieces).map_err(|e| unavailable("the search", e))?;
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for (path, _) in files {
        let Some(mut file) = existing(path, File::open(path))? else {
            continue;
        };
        let mut window = Vec::with_capacity(WINDOW_BYTES + longest);
        loop {
            let before = window.len();
            let read = (&mut file)
                .take(WINDOW_BYTES as u64)
                .read_to_end(&mut window)
                .map_err(|e| unavailable(format!("{} cannot be read", path.display()), e))?;
            for hit in searcher.find_overlapping_iter(&window) {
                let piece = hit.pattern().as_usize();
                if seen.insert(piece) {
                    found.push((path.clone(), pieces[piece].clone()));
                }
            }
            if read == 0 {
                break;
            }
            let keep = (before + read).min(longest - 1);
            window.drain(..before + read - keep);
        }
    }
    Ok(found)
}

/// Whether a text of an entry holds a piece, in whatever case.
fn is_held(from: &Connection, piece: &[u8]) -> rusqlite::Result<bool> {
    let columns = [
        "name",
        "description",
        "tags",
        "corpus",
        "question",
        "answer",
        "intent",
        "entities",
        "respondent",
        "tools",
        "namespace",
        "label",
    ];
    let holds = |column: &str| {
        format!(
            "instr(CAST({column} AS BLOB), ?1) > 0 OR instr(CAST(lower({column}) AS BLOB), ?1) > 0"
        )
    };
    let any = columns.map(holds).join(" OR ");
    from.prepare(&format!("SELECT 1 FROM entries WHERE {any} LIMIT 1"))?
        .exists([piece])
}

/// Every file of a folder with its size, bytes. What is none, as a pipe or a socket, holds no text,
/// and opening it would wait for whoever is at its other end.
///
/// # Errors
/// [`Error::Unavailable`].
pub(crate) fn files(folder: &Path) -> Result<Sizes, Error> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        let Some(entries) = existing(&folder, std::fs::read_dir(&folder))? else {
            continue;
        };
        for entry in entries {
            let entry = entry
                .map_err(|e| unavailable(format!("{} cannot be read", folder.display()), e))?;
            let path = entry.path();
            let is_link = entry.file_type().is_ok_and(|kind| kind.is_symlink());
            let Some(metadata) = existing(&path, std::fs::metadata(&path))? else {
                continue;
            };
            if metadata.is_dir() && !is_link {
                folders.push(path);
            } else if metadata.is_file() {
                found.push((path, metadata.len()));
            }
        }
    }
    found.sort();
    Ok(found)
}

/// An index replaces its files while others look.
fn existing<T>(path: &Path, result: std::io::Result<T>) -> Result<Option<T>, Error> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(unavailable(
            format!("{} cannot be read", path.display()),
            error,
        )),
    }
}
