//! Whether a request wants a part of a file that the rules can tell, so that no more than that part is shown.
//!
//! A model of a few million parameters shows the whole file for `show app.env without the passwords`.

use super::in_file::counted;
use super::in_file::line_filter::{self, Reading};
use super::in_file::rows_turned;
use super::refusal::{Refusal, RefusalKind};
use crate::{named, orders, question};
use regex::Regex;
use std::sync::LazyLock;

/// What leaves something out. A verb behind it says what is not to be done: `without changing it`.
static LEAVES_OUT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?i)\b(?:(?P<without>without|except|excluding|omitting|hiding|masking|skipping|minus|apart from|leaving out|leave out|other than)(?: for)?|(?P<but>but)(?: not| no| without)?)(?: (?:the|its|any|all|a|an|my|those|these))* (?P<next>[\w\x{E000}-]+)",
    )
    .ok()
});

/// The only file that a request names.
fn only_file(request: &str) -> Option<String> {
    let mut files = named::files_of(request);
    files.pop().filter(|_| files.is_empty())
}

fn reading(request: &str) -> Reading {
    let file = only_file(request);
    file.map_or(Reading::Other, |file| {
        line_filter::read(request, Some(&file))
    })
}

/// Whether a request is for lines of the only file that it names, by what they say.
pub(crate) fn asks_lines(request: &str) -> bool {
    matches!(reading(request), Reading::Lines(_))
}

/// Whether a request is for rows of the only file that it names, by what they do not say.
pub(crate) fn asks_rows(request: &str) -> bool {
    only_file(request).is_some_and(|file| rows_turned::is_asked(request, &file))
}

/// Whether a request says more of lines than is known here, which a plan of other rules may be of.
pub(crate) fn may_be_planned(request: &str) -> bool {
    matches!(reading(request), Reading::Left)
}

/// What a request for lines of a log by their words is.
fn reading_words(request: &str) -> Reading {
    let file = only_file(request);
    file.map_or(Reading::Other, |file| {
        line_filter::read_words(request, &file)
    })
}

/// Whether a request, which no other rule reads, is for lines of a log by their words.
pub(crate) fn asks_words(request: &str) -> bool {
    matches!(reading_words(request), Reading::Lines(_))
}

/// What is said to such a request, so that no model shows the whole log in its place.
pub(crate) fn refusal_of_words(request: &str) -> Option<Refusal> {
    match reading_words(request) {
        Reading::Lines(_) => Some(by_what_they_say()),
        Reading::Unknown => Some(not_known()),
        Reading::Other | Reading::Left => None,
    }
}

/// Whether a look at a file leaves something of it out.
fn leaves_out(request: &str) -> bool {
    let bare = orders::without_quotes(request);
    let found = LEAVES_OUT.as_ref().and_then(|form| form.captures(&bare));
    let is_look = orders::looks(request) || question::wants_telling(request);
    let is_one = found.is_some_and(|found| {
        let next = found["next"].to_lowercase();
        let is_verb = next.ends_with("ing") && next.len() > 5;
        let joins = ["do", "don", "then", "also", "it", "keep", "change"].contains(&next.as_str());
        let goes_on = found.name("but").is_some() && joins;
        !is_verb && !goes_on
    });
    // Rows of a table are told by what they do not say, or by none of their words.
    let is_of_rows = asks_rows(request);
    is_one
        && is_look
        && !is_of_rows
        && !orders::acts(request)
        && !named::files_of(request).is_empty()
}

/// A refusal that counts for small models as well.
fn of_a_part(kind: RefusalKind, why: String) -> Refusal {
    Refusal::new(kind, why, Vec::new()).for_no_model()
}

/// What the rules tell once they read the file.
fn by_what_they_say() -> Refusal {
    let why =
        "Lines by what they say are of the text of one file, which is named by its whole name.";
    of_a_part(RefusalKind::Question, why.to_owned())
}

/// What is said of a condition on lines that is not known.
fn not_known() -> Refusal {
    let why = "I know lines by words that they have or lack, and by a time of day, and this says something else: nothing was shown or counted.";
    let refusal = of_a_part(RefusalKind::Unavailable, why.to_owned());
    refusal.advised("Such as `lines with ERROR and without retry in FILE`, `how many lines between 03:00 and 04:00 in FILE`.")
}

/// What is said to a request for a part of a file: where the rules tell it, that they do once they read the file;
/// where they cannot, that the whole is not shown in its place.
pub(crate) fn refusal(request: &str) -> Option<Refusal> {
    match reading(request) {
        Reading::Lines(_) => {
            return Some(by_what_they_say());
        }
        Reading::Unknown | Reading::Left if !counted::may_count(request) && !asks_rows(request) => {
            return Some(not_known());
        }
        Reading::Other | Reading::Unknown | Reading::Left => {}
    }
    leaves_out(request).then(|| {
        let why = "What is to be left out I cannot tell from the rest, so nothing was shown.";
        let refusal = of_a_part(RefusalKind::Unavailable, why.to_owned());
        refusal.advised(
            "Lines go by a word that they have: `show the lines without PASSWORD in FILE`.",
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_look_that_leaves_something_out_is_refused() {
        for says in [
            "show app.env without the passwords",
            "show me app.env except the secrets",
            "print app.env but not the passwords",
            "show everything in app.env but the passwords",
            "cat app.env excluding DB_HOST",
            "what does app.env say without the passwords?",
        ] {
            let refused = refusal(says).unwrap();
            assert_eq!(refused.kind, RefusalKind::Unavailable, "{says}");
            assert!(refused.stands(false), "{says}");
        }
        for says in [
            "show app.env",
            "summarise a.txt without changing it",
            "show notes.txt, but don't change it",
            "search for \"without the\" in a.txt",
        ] {
            assert!(refusal(says).is_none(), "{says}");
        }
        assert!(asks_lines("show the lines without PASSWORD in app.env"));
    }
}
