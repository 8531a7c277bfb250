//! Names that are stored in another Unicode form than they are typed in: macOS stores `é` as two
//! characters, and a keyboard gives one.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Component, Path, PathBuf};
use unicode_normalization::UnicodeNormalization;

/// A path that a user typed, as the file system spells it. A part that is not there is taken for the
/// one name in its folder that reads the same; everything else stays as it is typed.
#[must_use]
pub fn as_stored(typed: &Path) -> PathBuf {
    if typed.to_str().is_none_or(str::is_ascii) {
        return typed.to_owned();
    }
    let is_missing = |written: &Path| {
        let part = written.file_name();
        part.is_some_and(|part| !part.is_ascii()) && fs::symlink_metadata(written).is_err()
    };
    let names = |folder: &Path| {
        let entries = fs::read_dir(folder).ok()?.flatten();
        Some(entries.map(|entry| entry.file_name()).collect())
    };
    spelled(typed, is_missing, names)
}

/// The same for a path that is looked up in another way: `is_missing` says whether a beginning of it
/// is not there, `names` what a folder on the way holds, `None` where that cannot be read.
#[must_use]
pub fn spelled(
    written: &Path,
    is_missing: impl Fn(&Path) -> bool,
    names: impl Fn(&Path) -> Option<Vec<OsString>>,
) -> PathBuf {
    let mut stored = PathBuf::new();
    for part in written.components() {
        let whole = stored.join(part);
        let other = match part {
            Component::Normal(name) if is_missing(&whole) => {
                let here = match stored.as_os_str().is_empty() {
                    true => Path::new("."),
                    false => &stored,
                };
                reads_the_same(name, || names(here))
            }
            _ => None,
        };
        stored = match other {
            Some(name) => stored.join(name),
            None => whole,
        };
    }
    stored
}

/// The same path in other Unicode forms, as far as nothing else is there: a model writes a name as it
/// likes, and the file tools take it for the one that reads the same.
pub fn in_other_forms(path: &Path) -> impl Iterator<Item = PathBuf> {
    let typed = path.to_str().filter(|text| !text.is_ascii());
    let forms = typed.map(|text| [text.nfc().collect::<String>(), text.nfd().collect()]);
    let forms = forms.into_iter().flatten().map(PathBuf::from);
    forms.filter(move |form| form != path && fs::symlink_metadata(form).is_err())
}

/// The one of these names that reads as `part` does; `None` for none or several.
fn reads_the_same(part: &OsStr, names: impl FnOnce() -> Option<Vec<OsString>>) -> Option<OsString> {
    let wanted: String = part.to_str()?.nfc().collect();
    let mut same = names()?.into_iter().filter(|name| {
        let name = name.to_str();
        name.is_some_and(|name| name.nfc().eq(wanted.chars()))
    });
    let name = same.next()?;
    same.next().is_none().then_some(name)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test is allowed to fail loudly")]

    use super::*;

    #[test]
    fn a_typed_path_is_found_in_either_form() {
        let folder = tempfile::tempdir().unwrap();
        let apart = folder.path().join("Entwu\u{308}rfe");
        fs::create_dir(&apart).unwrap();
        fs::write(apart.join("Fo\u{308}to.png"), "").unwrap();
        let typed = folder.path().join("Entw\u{fc}rfe/F\u{f6}to.png");
        assert_eq!(as_stored(&typed), apart.join("Fo\u{308}to.png"));
        let new = folder.path().join("Entw\u{fc}rfe/n\u{e9}.md");
        assert_eq!(as_stored(&new), apart.join("n\u{e9}.md"));
    }

    #[test]
    fn other_forms_are_those_where_nothing_is() {
        let folder = tempfile::tempdir().unwrap();
        let (whole, apart) = ("\u{e9}.md", "e\u{301}.md");
        let at = |name: &str| folder.path().join(name);
        let forms = |name: &str| in_other_forms(&at(name)).collect::<Vec<PathBuf>>();
        assert_eq!(forms(whole), [at(apart)]);
        assert_eq!(forms(apart), [at(whole)]);
        assert_eq!(forms("e.md"), [] as [PathBuf; 0]);
        fs::write(at(apart), "").unwrap();
        assert_eq!(forms(whole), [] as [PathBuf; 0]);
    }

    #[test]
    fn a_name_that_is_there_as_typed_is_taken() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["\u{e9}.md", "e\u{301}.md"] {
            fs::write(folder.path().join(name), "").unwrap();
            let typed = folder.path().join(name);
            assert_eq!(as_stored(&typed), typed);
        }
    }
}
