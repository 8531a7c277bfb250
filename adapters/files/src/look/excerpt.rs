//! What a search shows of a long line: the places where the pattern matches, with the words around them.

use domain::limits::{SEARCH_LINE_BYTES, SEARCH_LINE_PLACES};
use grep_matcher::Matcher;
use grep_regex::RegexMatcher;
use std::ops::Range;

/// Part of a line.
pub(super) struct Excerpt {
    /// The whole line if it is short, else its places, with `…` for what is left out.
    pub(super) text: String,
    /// Whether the pattern matches in more places of the line than are shown.
    pub(super) is_part: bool,
}

pub(super) fn of(line: &str, matcher: &RegexMatcher) -> Excerpt {
    if line.len() <= SEARCH_LINE_BYTES {
        return Excerpt {
            text: line.to_owned(),
            is_part: false,
        };
    }
    let mut places = Vec::new();
    // One place more than is shown tells whether there are more; the search ends there.
    let searched = matcher.find_iter(line.as_bytes(), |found| {
        places.push(found.start()..found.end());
        places.len() <= SEARCH_LINE_PLACES
    });
    if searched.is_err() || places.is_empty() {
        // The line was found in other bytes than in its text, where a bad byte is replaced.
        places = vec![Range { start: 0, end: 0 }];
    }
    let is_part = places.len() > SEARCH_LINE_PLACES;
    places.truncate(SEARCH_LINE_PLACES);
    let share = SEARCH_LINE_BYTES / places.len();
    let mut parts: Vec<Range<usize>> = Vec::new();
    for place in &places {
        let part = around(line, place, share);
        match parts.last_mut() {
            Some(last) if part.start <= last.end => last.end = part.end.max(last.end),
            _ => parts.push(part),
        }
    }
    Excerpt {
        text: joined(line, &parts),
        is_part,
    }
}

/// A place and what stands around it, in no more than so many bytes, of which the line has more.
fn around(line: &str, place: &Range<usize>, share: usize) -> Range<usize> {
    let shown = place.start..place.end.min(place.start + share);
    let side = (share - shown.len()) / 2;
    let from = shown
        .start
        .saturating_sub(side)
        .min(line.len().saturating_sub(share));
    let to = line.floor_char_boundary(from + share);
    let from = line.ceil_char_boundary(from);
    // Words are whole where there are spaces.
    let before = line.get(from..shown.start).filter(|_| from > 0);
    let after = line.get(shown.end..to).filter(|_| to < line.len());
    let skipped = before.and_then(|before| before.find(' '));
    let kept = after.and_then(|after| after.rfind(' '));
    skipped.map_or(from, |at| from + at + 1)..kept.map_or(to, |at| shown.end + at)
}

fn joined(line: &str, parts: &[Range<usize>]) -> String {
    let mut text = String::new();
    let mut end = 0;
    for part in parts {
        if part.start > end {
            text.push_str(if text.is_empty() { "… " } else { " … " });
        }
        text.push_str(&line[part.clone()]);
        end = part.end;
    }
    if end < line.len() {
        text.push_str(" …");
    }
    text
}
