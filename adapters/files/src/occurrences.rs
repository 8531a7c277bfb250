//! Finding one row of things in another in a time that grows with both and no faster (Knuth, Morris
//! and Pratt, Fast pattern matching in strings, 1977).

use crate::context::Leash;
use api::executor::ToolFailure;
use std::ops::{ControlFlow, Range};

/// Most places told about.
pub(crate) const PLACES: usize = 20;
/// How many things are compared between two looks at the leash.
pub(crate) const STRIDE: usize = 1 << 16;

/// Places as they are found: with `all` those that overlap none before, else the first ones, also
/// where they overlap, since those are in doubt as well.
#[derive(Debug)]
pub(crate) struct Places {
    all: bool,
    pub(crate) found: Vec<Range<usize>>,
}

impl Places {
    pub(crate) const fn new(all: bool) -> Self {
        let found = Vec::new();
        Self { all, found }
    }

    /// Whether to look for more.
    pub(crate) fn take(&mut self, place: Range<usize>) -> ControlFlow<()> {
        let end = self.found.last().map_or(0, |last| last.end);
        if !self.all || place.start >= end {
            self.found.push(place);
        }
        match !self.all && self.found.len() >= PLACES {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }
}

/// Tells `take` where each occurrence begins, overlapping ones too, until it breaks off.
pub(crate) fn occurrences<T: PartialEq>(
    text: impl IntoIterator<Item = T>,
    wanted: &[T],
    leash: &Leash,
    mut take: impl FnMut(usize) -> ControlFlow<()>,
) -> Result<(), ToolFailure> {
    leash.check()?;
    if wanted.is_empty() {
        return Ok(());
    }
    let borders = borders(wanted, leash)?;
    let mut matched = 0;
    for (at, next) in text.into_iter().enumerate() {
        if at % STRIDE == 0 {
            leash.check()?;
        }
        while matched > 0 && (matched == wanted.len() || wanted[matched] != next) {
            matched = borders[matched - 1];
        }
        if wanted[matched] == next {
            matched += 1;
        }
        if matched == wanted.len() && take(at + 1 - matched).is_break() {
            break;
        }
    }
    Ok(())
}

/// For each beginning of the wanted row, how long the longest beginning is that it also ends with.
fn borders<T: PartialEq>(wanted: &[T], leash: &Leash) -> Result<Vec<usize>, ToolFailure> {
    let mut borders = vec![0];
    for at in 1..wanted.len() {
        if at % STRIDE == 0 {
            leash.check()?;
        }
        let mut border = borders[at - 1];
        while border > 0 && wanted[border] != wanted[at] {
            border = borders[border - 1];
        }
        let is_longer = wanted[border] == wanted[at];
        borders.push(border + usize::from(is_longer));
    }
    Ok(borders)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::StopFlag;
    use std::cell::Cell;
    use std::time::Duration;

    fn leash() -> Leash {
        Leash::new(StopFlag::default(), Duration::from_secs(600), None)
    }

    #[test]
    fn every_occurrence_is_found() {
        let found = |text: &str, wanted: &str| {
            let mut found = Vec::new();
            let take = |at| {
                found.push(at);
                ControlFlow::Continue(())
            };
            occurrences(text.bytes(), wanted.as_bytes(), &leash(), take).unwrap();
            found
        };
        let texts = ["", "a", "aaaa", "abab", "abaabab", "aabaabaaab", "bbabab"];
        for text in texts {
            for wanted in ["a", "aa", "ab", "aba", "aab", "aabaab", "bb"] {
                let places = 0..text.len();
                let wanted_places: Vec<usize> = places
                    .filter(|at| text[*at..].starts_with(wanted))
                    .collect();
                assert_eq!(found(text, wanted), wanted_places, "{text} {wanted}");
            }
        }
        let mut first = None;
        let take = |at| {
            first = Some(at);
            ControlFlow::Break(())
        };
        occurrences("xaa".bytes(), b"a", &leash(), take).unwrap();
        assert_eq!(first, Some(1));
    }

    #[test]
    fn the_work_grows_with_the_texts() {
        struct Counted<'a>(char, &'a Cell<usize>);
        impl PartialEq for Counted<'_> {
            fn eq(&self, other: &Self) -> bool {
                self.1.set(self.1.get() + 1);
                self.0 == other.0
            }
        }
        let work = Cell::new(0);
        let row = |text: String| -> Vec<Counted<'_>> {
            text.chars().map(|c| Counted(c, &work)).collect()
        };
        let (long, short) = (20_000, 5_000);
        for end in ["", "b"] {
            work.set(0);
            let text = row("a".repeat(long));
            let wanted = row("a".repeat(short) + end);
            occurrences(text, &wanted, &leash(), |_| ControlFlow::Continue(())).unwrap();
            assert!(work.get() < 4 * (long + short), "{}", work.get());
        }
    }
}
