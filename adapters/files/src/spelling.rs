//! Names and text that are stored in another Unicode form than they are written in: macOS stores
//! `é` as two characters, and models and people write it as one.

use crate::beneath::{FOLDER, LOOK, Place, Spelling};
use crate::context::Leash;
use crate::failure::NOT_FOUND;
use crate::occurrences::{Places, STRIDE, occurrences};
use api::executor::ToolFailure;
use disk::stored::spelled;
use rustix::fd::OwnedFd;
use rustix::fs::{OFlags, ResolveFlags};
use std::borrow::Cow;
use std::ops::{ControlFlow, Range};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use unicode_normalization::char::canonical_combining_class;
use unicode_normalization::{UnicodeNormalization, is_nfc, is_nfd};

impl Place<'_> {
    /// The path beneath a root as the file system spells it. A part that is not there is taken for
    /// the one name in its folder that reads the same; everything else stays as it is written.
    pub(crate) fn as_stored(&self, root: &OwnedFd, rest: &Path, resolve: ResolveFlags) -> PathBuf {
        if self.spelling == Spelling::Stored || rest.as_os_str().as_bytes().is_ascii() {
            return rest.to_owned();
        }
        let is_missing = |written: &Path| {
            let look = LOOK | OFlags::NOFOLLOW;
            let found = self.open_beneath(root, written, look, resolve);
            found.is_err_and(|failure| failure.rule == NOT_FOUND)
        };
        let names = |folder: &Path| {
            let folder = self.open_beneath(root, folder, FOLDER, resolve).ok()?;
            let names = self.ground.unseen(&folder).ok()?.into_iter();
            Some(names.map(|(name, _)| name).collect())
        };
        spelled(rest, is_missing, names)
    }
}

/// A name in its composed form (NFC).
pub(crate) fn composed(name: &str) -> String {
    name.nfc().collect()
}

/// A text as it reads, in whichever form it is: texts that read the same have the same.
pub(crate) fn reading_of(text: &str) -> (bool, Cow<'_, str>) {
    match text.is_ascii() {
        true => (true, Cow::Borrowed(text)),
        false => (false, Cow::Owned(composed(text))),
    }
}

/// The places of a content that read as `wanted` does, as far as they are asked for. A place holds
/// whole characters: none begins or ends between a letter and its accent.
pub(crate) fn places_that_read_as(
    content: &str,
    wanted: &str,
    mut places: Places,
    leash: &Leash,
) -> Result<Vec<Range<usize>>, ToolFailure> {
    leash.check()?;
    let wanted: String = wanted.nfd().collect();
    let mut apart = String::with_capacity(content.len());
    // Where each character begins, apart and as it is stored.
    let mut starts = Vec::new();
    let mut rest = content;
    while !rest.is_empty() {
        if starts.len() % STRIDE == 0 {
            leash.check()?;
        }
        let (whole, behind) = rest.split_at(length_of_first(rest));
        starts.push((apart.len(), content.len() - rest.len()));
        apart.extend(whole.nfd());
        rest = behind;
    }
    starts.push((apart.len(), content.len()));
    let stored = |at: usize| {
        let known = starts.binary_search_by_key(&at, |(apart, _)| *apart);
        known.ok().map(|known| starts[known].1)
    };
    occurrences(apart.bytes(), wanted.as_bytes(), leash, |at| {
        match (stored(at), stored(at + wanted.len())) {
            (Some(start), Some(end)) => places.take(start..end),
            _ => ControlFlow::Continue(()),
        }
    })?;
    Ok(places.found)
}

/// How many bytes the first character has with all its accents.
fn length_of_first(text: &str) -> usize {
    let mut later = text.char_indices().skip(1);
    let next = later.find(|(_, letter)| canonical_combining_class(*letter) == 0);
    next.map_or(text.len(), |(at, _)| at)
}

/// A text in the form that another one is stored in.
pub(crate) fn in_form_of(stored: &str, text: &str) -> String {
    match (is_nfc(stored), is_nfd(stored)) {
        (true, false) => text.nfc().collect(),
        (false, true) => text.nfd().collect(),
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::StopFlag;
    use std::time::Duration;

    fn places(content: &str, wanted: &str) -> Vec<(usize, usize)> {
        let leash = Leash::new(StopFlag::default(), Duration::from_secs(600), None);
        let places = Places::new(false);
        let places = places_that_read_as(content, wanted, places, &leash).unwrap();
        places
            .iter()
            .map(|place| (place.start, place.end))
            .collect()
    }

    #[test]
    fn a_place_holds_whole_characters() {
        let apart = "Cafe\u{301} Cafe";
        assert_eq!(places(apart, "Caf\u{e9}"), [(0, 6)]);
        assert_eq!(places("Caf\u{e9}", "Cafe\u{301}"), [(0, 5)]);
        assert_eq!(places("\u{e9}e\u{301}", "\u{e9}"), [(0, 2), (2, 5)]);
        assert!(places("\u{fc}\u{304}", "\u{fc}").is_empty());
        assert_eq!(places("\u{1112}\u{1161}", "\u{d558}"), [(0, 6)]);
    }

    #[test]
    fn a_text_takes_the_form_of_what_it_stands_for() {
        assert_eq!(in_form_of("e\u{301}", "\u{fc}"), "u\u{308}");
        assert_eq!(in_form_of("\u{e9}", "u\u{308}"), "\u{fc}");
        assert_eq!(in_form_of("plain", "\u{fc}"), "\u{fc}");
    }
}
