//! What the calls of a session made or changed: what stands in there now may have been put in by
//! anybody.

use std::collections::BTreeSet;

/// Most texts that are known to name something made or changed.
const CHANGED: usize = 10_000;
/// Shortest name that is looked for within another one, characters.
const PART_CHARS: usize = 3;

/// Names of things that were made or changed, in folded form.
#[derive(Debug, Default)]
pub(super) struct Changed {
    /// What calls landed on, and what their results say was made.
    landed: BTreeSet<String>,
    /// What calls wrote: a thing may be made anew under its title.
    written: BTreeSet<String>,
    /// Groups of tools in which something was changed of which nobody can say what it is.
    groups: BTreeSet<String>,
    /// Whether there was more than is kept.
    is_full: bool,
}

impl Changed {
    pub(super) fn land_on(&mut self, name: String) {
        self.is_full |= self.landed.len() >= CHANGED;
        if !self.is_full {
            self.landed.insert(name);
        }
    }

    pub(super) fn write(&mut self, text: String) {
        self.is_full |= self.written.len() >= CHANGED;
        if !self.is_full {
            self.written.insert(text);
        }
    }

    pub(super) fn change_group(&mut self, capability: &str) {
        self.groups.insert(capability.to_owned());
    }

    pub(super) fn has_group(&self, capability: &str) -> bool {
        self.groups.contains(capability)
    }

    /// Whether a thing of this name may be among them. Where a call landed on `/team/q3.docx`, that
    /// may be the `q3.docx` of a list.
    pub(super) fn has(&self, name: &str) -> bool {
        let is_long = |text: &str| text.chars().count() >= PART_CHARS;
        let holds = |whole: &str, part: &str| is_long(part) && has_part(whole, part);
        let is_it = |one: &String| one == name || holds(one, name) || holds(name, one);
        self.is_full || self.written.contains(name) || self.landed.iter().any(is_it)
    }
}

/// Whether a name has another one in it, between marks.
fn has_part(whole: &str, part: &str) -> bool {
    let is_edge = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
    let mut places = whole.match_indices(part);
    places.any(|(at, _)| {
        let before = whole.get(..at).and_then(|text| text.chars().next_back());
        let after = whole.get(at + part.len()..);
        is_edge(before) && is_edge(after.and_then(|text| text.chars().next()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_changed_is_known_by_every_name() {
        let mut changed = Changed::default();
        changed.land_on("/team/q3 report.docx".to_owned());
        changed.land_on("f7".to_owned());
        changed.write("offer".to_owned());
        for name in [
            "q3 report.docx",
            "/team/q3 report.docx",
            "report.docx",
            "f7",
            "offer",
        ] {
            assert!(changed.has(name), "{name}");
        }
        for name in ["q4 report.docx", "f71", "an offer", "team_notes"] {
            assert!(!changed.has(name), "{name}");
        }
    }

    #[test]
    fn what_no_longer_fits_is_everything() {
        let mut changed = Changed::default();
        (0..=CHANGED).for_each(|n| changed.land_on(n.to_string()));
        assert!(changed.has("something else"));
    }
}
