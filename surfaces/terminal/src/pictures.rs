//! Pictures that a request names with `@`, as in `what is wrong on @shot.png?`.

use crate::exit::Failure;
use anyhow::Result;
use api::sessions::PictureFile;
use disk::read::{self, Links};
use disk::stored::as_stored;
use domain::limits::PICTURE_BYTES;
use picture::is_named_as_one;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use text::mentions::{AFTER_A_NAME, names_in, places_in};

/// Words that a name with spaces is looked for in.
const WORDS_OF_A_NAME: usize = 8;

/// A picture that a text names.
#[derive(Debug)]
pub struct NamedPicture {
    /// It, by the name that was typed.
    pub file: PictureFile,
    /// Where the file is that was read.
    place: PathBuf,
}

impl NamedPicture {
    /// Whether it lies in one of these folders, by where they really are.
    #[must_use]
    pub fn is_in(&self, opened: &[PathBuf]) -> bool {
        let real = |path: &PathBuf| path.canonicalize().unwrap_or_else(|_| path.clone());
        opened.iter().any(|one| self.place.starts_with(real(one)))
    }

    /// Where it is.
    #[must_use]
    pub fn place(&self) -> &Path {
        &self.place
    }
}

/// The pictures that a text names, each once. Names are looked up from `folder`.
///
/// # Errors
/// When one is not there or cannot be read.
pub fn named_in(text: &str, folder: &Path) -> Result<Vec<NamedPicture>> {
    let mut seen = BTreeSet::new();
    let names = names_in(text).into_iter();
    let pictures = names.filter(|name| is_named_as_one(Path::new(name)));
    pictures
        .filter(|name| seen.insert(name.clone()))
        .map(|name| opened(&name, &placed(&name, folder), AT_HINT))
        .collect()
}

/// What is to be said of names behind `@` that no file has: with a word more one may have it. `None`
/// where there is nothing of the kind.
pub fn missing(text: &str, folder: &Path) -> Option<String> {
    let is_there = |name: &str| placed(name, folder).exists();
    places_in(text).into_iter().find_map(|(name, after)| {
        if name.is_empty() || is_there(&name) {
            return None;
        }
        let mut longer = name.clone();
        for word in after.split(' ').skip(1).take(WORDS_OF_A_NAME) {
            longer = format!("{longer} {word}");
            let longer = longer.trim_end_matches(AFTER_A_NAME);
            if is_there(longer) {
                return Some(format!("a name with spaces goes in quotes: @\"{longer}\""));
            }
        }
        let is_like_a_file = Path::new(&name).extension().is_some_and(|ending| {
            let ending = ending.as_encoded_bytes();
            ending.len() <= 4 && ending.iter().all(u8::is_ascii_alphanumeric)
        });
        let is_said_later = is_named_as_one(Path::new(&name));
        (is_like_a_file && !is_said_later).then(|| format!("there is no file `{name}`"))
    })
}

/// What would do where a task names a picture.
const AT_HINT: &str = "Give a readable PNG, JPEG, GIF or WebP file; or leave the `@` out where no picture \
                       is meant.";

/// A picture, by the name that was typed for it.
///
/// # Errors
/// When it is not there, cannot be read, or is none that a model can be shown; `hint` says what would
/// do.
pub fn read(name: &str, path: &Path, hint: &str) -> Result<PictureFile> {
    opened(name, path, hint).map(|picture| picture.file)
}

/// The same, with where it is: told by the file that was opened, since the name may lead elsewhere a
/// moment later.
fn opened(name: &str, path: &Path, hint: &str) -> Result<NamedPicture> {
    let refuse = |problem: String| Failure::usage(problem, hint);
    let (bytes, place) = read::placed_bytes(path, PICTURE_BYTES, Links::Followed)
        .map_err(|error| refuse(format!("the picture: {error:#}")))?
        .ok_or_else(|| refuse(format!("there is no picture {}", path.display())))?;
    picture::read(&bytes)
        .map_err(|why| refuse(format!("{} cannot be shown: {why}", path.display())))?;
    let name = name.to_owned();
    let file = PictureFile { name, bytes };
    Ok(NamedPicture { file, place })
}

/// Where a name that was typed leads: into the home for `~/`, else from `folder`.
pub fn placed(name: &str, folder: &Path) -> PathBuf {
    as_stored(&match (name.strip_prefix("~/"), std::env::home_dir()) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => folder.join(name),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_lies_where_the_file_is_that_was_read() {
        let (inside, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let gif = b"GIF89a\x01\0\x01\0\0\0\0;";
        let (link, secret) = (inside.path().join("a.png"), outside.path().join("b.png"));
        std::fs::write(&secret, gif).unwrap();
        std::os::unix::fs::symlink(&secret, &link).unwrap();
        let read = named_in("look at @a.png", inside.path()).unwrap();
        // The name leads elsewhere by now.
        std::fs::remove_file(&link).unwrap();
        std::fs::write(&link, gif).unwrap();
        let opened = [inside.path().to_owned()];
        assert!(!read[0].is_in(&opened), "{:?}", read[0].place());
        assert!(read[0].is_in(&[outside.path().to_owned()]));
        let read = named_in("look at @a.png", inside.path()).unwrap();
        assert!(read[0].is_in(&opened));
    }

    #[test]
    fn each_picture_is_read_once_and_other_files_are_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let gif = b"GIF89a\x01\0\x01\0\0\0\0;";
        std::fs::write(folder.path().join("a.png"), gif).unwrap();
        let text = "look at @a.png and @a.png, not @notes.md or @alice";
        let read = named_in(text, folder.path()).unwrap();
        assert_eq!(read.len(), 1);
        assert_eq!(
            (read[0].file.name.as_str(), read[0].file.bytes.as_slice()),
            ("a.png", &gif[..])
        );
        assert_eq!(missing("ask @alice or a@b.com", folder.path()), None);
        let said = missing(text, folder.path()).unwrap();
        assert_eq!(said, "there is no file `notes.md`");
        std::fs::write(folder.path().join("my shot.png"), gif).unwrap();
        let said = missing("what is on @my shot.png?", folder.path()).unwrap();
        assert_eq!(said, "a name with spaces goes in quotes: @\"my shot.png\"");
        std::fs::write(folder.path().join("notes.md"), "words").unwrap();
        assert_eq!(missing(text, folder.path()), None);
        let missing = named_in("look at @b.png", folder.path()).unwrap_err();
        assert!(missing.to_string().contains("b.png"), "{missing:#}");
    }
}
