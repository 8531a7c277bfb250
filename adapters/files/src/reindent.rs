//! The indentation of new lines in the place of old ones that are indented otherwise.

use crate::context::Leash;
use api::executor::ToolFailure;
use std::collections::{BTreeSet, HashMap};

/// Lines that an edit names, and where each of them is among them.
pub(crate) struct Indentation<'a> {
    wanted: &'a [&'a str],
    known: HashMap<&'a str, Vec<usize>>,
}

impl<'a> Indentation<'a> {
    pub(crate) fn new(wanted: &'a [&'a str]) -> Self {
        let mut known: HashMap<&str, Vec<usize>> = HashMap::new();
        for (at, line) in wanted.iter().enumerate() {
            known.entry(line.trim_end()).or_default().push(at);
        }
        Self { wanted, known }
    }

    /// The new lines with the file's indentation, whose lines stand for the wanted ones. A line that
    /// was there keeps its own; another gets what the lines of the same indentation have in the file;
    /// `None` when those disagree.
    pub(crate) fn of(
        &self,
        file: &[&str],
        new: &[&str],
        leash: &Leash,
    ) -> Result<Option<Vec<String>>, ToolFailure> {
        let moves = Moves::new(self.wanted, file);
        let mut from = 0;
        let mut out = Vec::with_capacity(new.len());
        for line in new {
            leash.check()?;
            let body = line.trim_start();
            if body.trim().is_empty() {
                out.push(String::new());
                continue;
            }
            // The same line further down in the old text, so that a repeated line finds its own.
            let places = self.known.get(line.trim_end());
            let same = places.and_then(|places| {
                let next = places.partition_point(|at| *at < from);
                places.get(next)
            });
            let indent = match same {
                Some(at) => {
                    from = at + 1;
                    Some(indent_of(file[*at]).to_owned())
                }
                None => moves.of(indent_of(line)),
            };
            let Some(indent) = indent else {
                return Ok(None);
            };
            out.push(format!("{indent}{body}"));
        }
        Ok(Some(out))
    }
}

/// Which indentation of the file stands for which asked one.
struct Moves<'a> {
    real: HashMap<&'a str, &'a str>,
    lengths: BTreeSet<usize>,
    first: Option<(&'a str, &'a str)>,
    is_clear: bool,
}

impl<'a> Moves<'a> {
    fn new(wanted: &[&'a str], file: &[&'a str]) -> Self {
        let pairs = wanted.iter().zip(file);
        let mut pairs = pairs
            .filter(|(want, _)| !want.trim().is_empty())
            .map(|(want, line)| (indent_of(want), indent_of(line)))
            .peekable();
        let first = pairs.peek().copied();
        let (mut real, mut is_clear) = (HashMap::new(), true);
        for (asked, found) in pairs {
            is_clear &= *real.entry(asked).or_insert(found) == found;
        }
        Self {
            lengths: real.keys().map(|asked| asked.len()).collect(),
            real,
            first,
            is_clear,
        }
    }

    /// The file's indentation for an asked one: that of the deepest asked indentation it begins with,
    /// and the rest behind it. One further left than all of them moves as the first line did, if that
    /// was a plain move to the left or right.
    fn of(&self, asked: &str) -> Option<String> {
        if !self.is_clear {
            return None;
        }
        let lengths = self.lengths.range(..=asked.len()).rev();
        let deepest = lengths
            .filter_map(|length| asked.split_at_checked(*length))
            .find_map(|(asked, rest)| Some((self.real.get(asked)?, rest)));
        if let Some((real, rest)) = deepest {
            return Some(format!("{real}{rest}"));
        }
        let (from, to) = self.first?;
        match (to.strip_suffix(from), from.strip_suffix(to)) {
            (Some(added), _) => Some(format!("{added}{asked}")),
            (_, Some(taken)) => asked.strip_prefix(taken).map(str::to_owned),
            (None, None) => None,
        }
    }
}

fn indent_of(line: &str) -> &str {
    &line[..line.len() - line.trim_start().len()]
}
