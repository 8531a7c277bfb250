//! Names with spaces, which a request may have without quotes.

use crate::question;
use domain::fault::Fault;
use std::ops::Range;

/// Marks that stand around a quoted name.
const QUOTES: &str = "\"'`“”‘’„«»";
/// The paths of a listing and their last parts, without the mark of a folder.
fn known(listing: &[String]) -> impl Iterator<Item = &str> {
    let paths = listing.iter().map(|path| path.trim_end_matches('/'));
    paths.flat_map(|path| [Some(path), path.rsplit('/').next()].into_iter().flatten())
}

/// Those with spaces, the longest first: a path before its last part.
fn spaced(listing: &[String]) -> Vec<&str> {
    let mut spaced: Vec<&str> = known(listing)
        .filter(|name| name.contains(char::is_whitespace))
        .collect();
    spaced.sort_by_key(|name| std::cmp::Reverse(name.len()));
    spaced.dedup();
    spaced
}

/// The fault of a request that has a name with spaces without quotes where another name that is there
/// is a part of it: `delete my notes.txt`, with `my notes.txt` and `notes.txt`. Whoever puts a file into
/// a folder chooses its name, so that neither is taken for the other.
#[must_use]
pub fn ambiguous(listing: &[String], request: &str) -> Option<Fault> {
    let (whole, part) = spaced(listing).into_iter().find_map(|name| {
        let at = whole(request, name)?;
        let before = request[..at].chars().next_back();
        let after = request[at + name.len()..].chars().next();
        let is_mark = |c: Option<char>| c.is_some_and(|c| QUOTES.contains(c));
        if is_mark(before) && is_mark(after) {
            return None;
        }
        let last = name.rsplit('/').next().unwrap_or(name);
        let part = known(listing).find(|other| *other != last && whole(last, other).is_some())?;
        Some((name, part))
    })?;
    Some(which(whole, part, "are both here, and either may be meant"))
}

/// A request with the only name with spaces that it has in quotes, where it is a name that is there and has no
/// quotes yet. [`ambiguous`] tells where another name that is there is a part of it.
#[must_use]
pub fn in_quotes(listing: &[String], request: &str) -> Option<String> {
    if request.contains(|c| QUOTES.contains(c)) {
        return None;
    }
    let mut named = spaced(listing).into_iter();
    let named = named.find_map(|name| Some((whole(request, name)?, name)));
    let (at, name) = named?;
    let (before, after) = (&request[..at], &request[at + name.len()..]);
    Some(format!("{before}\"{name}\"{after}"))
}

/// A request with the paths of the files that it names in words: `chapter 2` is chapter2.md, where that alone is
/// called so. A number makes a name of words; without one they may be any words. `None` where it names none so.
#[must_use]
pub fn spelled(listing: &[String], request: &str) -> Option<String> {
    // Behind a quoted text of a question a name is one: `how often does "x" appear in chapter 4?`.
    if let Some((text, rest)) = request.rsplit_once('"')
        && text.matches('"').count() == 1
        && !rest.contains(|c| QUOTES.contains(c))
        && question::wants_telling(request)
    {
        return spelled_bare(listing, rest).map(|rest| format!("{text}\" {rest}"));
    }
    spelled_bare(listing, request)
}

/// The same of a request without quotes.
fn spelled_bare(listing: &[String], request: &str) -> Option<String> {
    let plain = |text: &str| -> String {
        let letters = text.to_lowercase();
        letters.chars().filter(|c| c.is_alphanumeric()).collect()
    };
    let files = listing.iter().filter(|path| !path.ends_with('/'));
    let stems: Vec<(String, &String)> = files
        .map(|path| {
            let name = path.rsplit('/').next().unwrap_or(path);
            let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
            (plain(stem), path)
        })
        .filter(|(stem, _)| {
            stem.contains(|c: char| c.is_ascii_digit()) && stem.contains(char::is_alphabetic)
        })
        .collect();
    let called = |words: &[&str]| {
        let name = plain(&words.concat());
        let mut found = stems.iter().filter(|(stem, _)| *stem == name);
        found
            .next()
            .filter(|_| found.next().is_none())
            .map(|(_, path)| (*path).clone())
    };
    let is_plain = |word: &str| {
        let word = word.trim_end_matches(['?', '.', '!', ',']);
        !word.is_empty()
            && word
                .chars()
                .all(|c| c.is_alphanumeric() || "-_".contains(c))
    };
    if request.contains(|c| QUOTES.contains(c)) {
        return None;
    }
    let words: Vec<&str> = request.split_whitespace().collect();
    let (mut spelled, mut at, mut is_other) = (Vec::new(), 0, false);
    while at < words.len() {
        let most = words.len().min(at + 3);
        let longest = (at + 1..=most).rev().find_map(|end| {
            let some = &words[at..end];
            // A sign at the end of a word ends a name.
            let inner = some[..some.len() - 1].iter();
            let is_one = inner
                .clone()
                .all(|word| word.chars().all(char::is_alphanumeric));
            let path = called(some).filter(|_| is_one && some.iter().all(|word| is_plain(word)))?;
            Some((end, path))
        });
        match longest {
            Some((end, path)) => {
                let last = words[end - 1];
                let mark = &last[last.trim_end_matches(['?', '.', '!', ',']).len()..];
                spelled.push(format!("{path}{mark}"));
                (at, is_other) = (end, true);
            }
            None => {
                spelled.push(words[at].to_owned());
                at += 1;
            }
        }
    }
    is_other.then(|| spelled.join(" "))
}

/// Whether a request names anything that is there: by its path, or a file by its name.
#[must_use]
pub fn any(listing: &[String], request: &str) -> bool {
    let mut paths = listing.iter().map(|path| path.trim_end_matches('/'));
    paths.any(|path| {
        let name = path.rsplit('/').next().unwrap_or(path);
        let is_path = path.contains(['.', '/']) && whole(request, path).is_some();
        is_path || (name.contains('.') && whole(request, name).is_some())
    })
}

/// The only name that another was misspelt for: one that is a letter or two away, where at least two thirds of
/// the letters before the ending are as they were typed.
#[must_use]
pub fn nearest<'a>(known: impl Iterator<Item = &'a str>, typed: &str) -> Option<&'a str> {
    let lower = typed.to_lowercase();
    let far = |name: &str| strsim::osa_distance(&name.to_lowercase(), &lower);
    let stem = lower
        .rsplit_once('.')
        .map_or(lower.as_str(), |(stem, _)| stem);
    let most = (stem.chars().count() / 3).min(2);
    let near = known.map(|name| (far(name), name));
    let mut near: Vec<(usize, &str)> = near.filter(|(far, _)| *far <= most).collect();
    near.sort_unstable();
    near.dedup();
    match near.as_slice() {
        [(0, _), ..] | [] => None,
        [(_, only)] => Some(only),
        [(first, name), (second, _), ..] => (first < second).then_some(*name),
    }
}

/// The fault of two names of which either may be meant.
pub(crate) fn which(whole: &str, part: &str, how: &str) -> Fault {
    Fault {
        code: "plan.ambiguous".to_owned(),
        message: format!("`{whole}` and `{part}` {how}. Nothing was done."),
        hint: format!("Put the name in quotes: \"{whole}\" or \"{part}\"."),
    }
}

/// The names in a request.
pub(crate) struct Names {
    /// Known names with spaces first, then every other word.
    pub(crate) found: Vec<String>,
    /// The request without the known names with spaces, whose words say nothing of what to do.
    pub(crate) rest: String,
}

/// Takes a request apart where names end. A name with spaces is one where the listing has it, by its
/// path or by its last part; of any other name each word stands by itself.
pub(crate) fn of(listing: &[String], request: &str) -> Names {
    let mut rest = request.to_owned();
    let mut found = Vec::new();
    for name in spaced(listing) {
        while let Some(at) = whole(&rest, name) {
            rest.replace_range(at..at + name.len(), " ");
            if !found.iter().any(|known| known == name) {
                found.push(name.to_owned());
            }
        }
    }
    found.extend(words_like_paths(&rest));
    Names { found, rest }
}

/// Whether a name goes on in what stands behind a part of it.
pub(crate) fn goes_on(rest: &str) -> bool {
    let mut rest = rest.chars();
    match rest.next() {
        Some('.') => rest.next().is_some_and(char::is_alphanumeric),
        Some(next) => next.is_alphanumeric() || "/_-".contains(next),
        None => false,
    }
}

/// Where a name stands that is no part of a longer one.
pub(crate) fn whole(text: &str, name: &str) -> Option<usize> {
    text.match_indices(name).map(|(at, _)| at).find(|at| {
        let before = text[..*at].chars().next_back();
        let is_begun = before.is_some_and(|c| c.is_alphanumeric() || "/_-.".contains(c));
        !is_begun && !goes_on(&text[at + name.len()..])
    })
}

/// Whether a text stands in another one where it is no part of a longer word.
pub(crate) fn has_words(text: &str, part: &str) -> bool {
    let mut places = text.match_indices(part);
    places.any(|(at, _)| is_words(text, at..at + part.len()))
}

fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Whether a place in a text is one of whole words.
pub(crate) fn is_words(text: &str, place: Range<usize>) -> bool {
    word_around(text, place.clone()).len() == place.len()
}

/// A place in a text with the rest of the words that it begins or ends within.
pub(crate) fn word_around(text: &str, place: Range<usize>) -> String {
    let part = &text[place.clone()];
    let mut start = place.start;
    if part.starts_with(is_of_word) {
        start = text[..start].trim_end_matches(is_of_word).len();
    }
    let mut end = place.end;
    if part.ends_with(is_of_word) {
        end = text.len() - text[end..].trim_start_matches(is_of_word).len();
    }
    text[start..end].to_owned()
}

fn words_like_paths(request: &str) -> Vec<String> {
    request
        .split(|c: char| c.is_whitespace() || "\"'`“”‘’,;()".contains(c))
        .map(|word| word.trim_end_matches(['.', '?', '!', ':']))
        .filter(|word| !word.is_empty() && word.chars().count() <= 400)
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_listed_name_with_spaces_is_taken_out_whole() {
        let listing = ["docs/my first notes.md", "notes.md", "my plan/"].map(str::to_owned);
        assert_eq!(of(&listing, "show my first notes.md.bak").found.len(), 4);
        let names = of(&listing, "show my first notes.md, please");
        assert_eq!(names.found, ["my first notes.md", "show", "please"]);
        assert_eq!(names.rest, "show  , please");
    }

    #[test]
    fn names_in_words_are_those_of_the_files_that_are_there() {
        let listing = [
            "chapter2.md",
            "chapter 3.md",
            "a/part-4.md",
            "notes.md",
            "b/part_4.md",
        ];
        let listing = listing.map(str::to_owned);
        for (says, is) in [
            (
                "show me chapter 2 and chapter3.",
                Some("show me chapter2.md and chapter 3.md."),
            ),
            (
                "which headings does Chapter 2 have?",
                Some("which headings does chapter2.md have?"),
            ),
            ("show part 4", None),
            ("show notes and chapter2.md", None),
            ("what is in chapters 2 to 4?", None),
            ("who says \"chapter 2\"?", None),
            (
                "how often does \"lamp\" appear in chapter 2?",
                Some("how often does \"lamp\" appear in chapter2.md?"),
            ),
            ("add \"lamp\" to chapter 2", None),
        ] {
            assert_eq!(spelled(&listing, says).as_deref(), is, "{says}");
        }
    }

    #[test]
    fn a_name_that_is_part_of_another_is_ambiguous_without_quotes() {
        let listing = [
            "my notes.txt",
            "notes.txt",
            "a b.md",
            "draft with final in notes.txt",
        ];
        let listing = listing.map(str::to_owned);
        let fault = |request: &str| ambiguous(&listing, request).map(|fault| fault.message);
        let told = fault("delete my notes.txt").unwrap();
        assert!(told.contains("`my notes.txt` and `notes.txt`"), "{told}");
        assert!(fault("replace draft with final in notes.txt").is_some());
        for clear in [
            "delete \"my notes.txt\"",
            "delete notes.txt",
            "show a b.md",
            "replace \"draft\" with \"final\" in notes.txt",
        ] {
            assert_eq!(fault(clear), None, "{clear}");
        }
    }
}
