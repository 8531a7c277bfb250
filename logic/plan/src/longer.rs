//! Longer names than those that the rules read: of words beside a name that an order does not need.

use crate::names::{goes_on, which};
use crate::rules;
use domain::fault::Fault;
use domain::plan::{Action, Plan};
use std::ops::Range;

/// A name that may be meant where the rules read a shorter one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Longer {
    /// The name that the rules read.
    read: String,
    /// That name with words beside it.
    pub whole: String,
}

impl Longer {
    /// What is wrong: both names may be meant.
    #[must_use]
    pub fn fault(&self) -> Fault {
        which(&self.whole, &self.read, "may both be the name")
    }
}

/// The longer names that a change may mean. A word beside the name without which the rules make the
/// same of the request says nothing to them, so that it may be of the name: in `delete the notes.txt`
/// `the` is such a word, and `delete` is none.
#[must_use]
pub fn names(request: &str, plan: &Plan) -> Vec<Longer> {
    let changed = plan.actions.iter().filter_map(|action| match action {
        Action::AppendText { path, .. }
        | Action::ReplaceText { path, .. }
        | Action::DeleteFile { path }
        | Action::MoveFile { from: path, .. } => Some(path.as_str()),
        _ => None,
    });
    let mut found = Vec::new();
    for read in changed {
        for (at, _) in request.match_indices(read) {
            let place = at..at + read.len();
            for wider in around(request, &place, plan) {
                found.push(Longer {
                    read: read.to_owned(),
                    whole: request[wider].to_owned(),
                });
            }
        }
    }
    found
}

/// A place with ever more of the words beside it that the order does not need.
fn around(request: &str, place: &Range<usize>, plan: &Plan) -> Vec<Range<usize>> {
    let is_same = |without: String| {
        let made = rules::plan(&without);
        made.is_ok_and(|made| made.actions == plan.actions)
    };
    let mut starts = vec![place.start];
    while let Some(start) = starts.last().and_then(|at| word_before(&request[..*at]))
        && is_same(format!("{}{}", &request[..start], &request[place.start..]))
    {
        starts.push(start);
    }
    let mut ends = vec![place.end];
    while let Some(end) = ends.last().and_then(|at| word_behind(request, *at))
        && is_same(format!("{}{}", &request[..place.end], &request[end..]))
    {
        ends.push(end);
    }
    let wider = starts
        .iter()
        .flat_map(|start| ends.iter().map(|end| *start..*end));
    wider.skip(1).collect()
}

/// Where the last word of a text begins, if white space of the same line is behind it.
fn word_before(text: &str) -> Option<usize> {
    let words = text.trim_end();
    let gap = &text[words.len()..];
    let last = words.split_whitespace().next_back()?;
    (!gap.is_empty() && !gap.contains('\n')).then(|| words.len() - last.len())
}

/// Where the next word ends, if white space of the same line is before it.
fn word_behind(text: &str, at: usize) -> Option<usize> {
    let rest = &text[at..];
    let words = rest.trim_start();
    let gap = &rest[..rest.len() - words.len()];
    let next = words.split_whitespace().next()?;
    let name = next.trim_end_matches(['.', ',', '!', '?', ':', ';']);
    let is_word = !goes_on(rest) && !gap.is_empty() && !gap.contains('\n');
    is_word.then(|| text.len() - words.len() + name.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn longer(request: &str) -> Vec<String> {
        let plan = rules::plan(request).unwrap();
        let found = names(request, &plan).into_iter();
        found.map(|longer| longer.whole).collect()
    }

    #[test]
    fn a_word_that_the_order_does_not_need_may_be_of_the_name() {
        assert_eq!(longer("delete my notes.txt"), ["my notes.txt"]);
        assert_eq!(longer("delete the notes.txt."), ["the notes.txt"]);
        assert_eq!(
            longer("Delete the old file notes.txt"),
            [
                "file notes.txt",
                "old file notes.txt",
                "the old file notes.txt"
            ]
        );
        assert_eq!(longer("delete notes.txt file"), ["notes.txt file"],);
        let twice = "create notes.txt with 'x' then delete my notes.txt";
        assert_eq!(longer(twice), ["my notes.txt"]);
        assert_eq!(
            longer("delete a.txt\nremove the b.txt"),
            ["the b.txt"],
            "a line is a step"
        );
        for clear in [
            "delete notes.txt",
            "delete \"my notes.txt\"",
            "delete the \"notes.txt\"",
            "append 'the notes.txt' to notes.txt",
            "show the notes.txt",
            "create notes.txt with 'x' then append 'y' to it",
        ] {
            assert_eq!(longer(clear), [""; 0], "{clear}");
        }
    }
}
