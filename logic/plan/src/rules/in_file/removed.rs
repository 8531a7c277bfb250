//! What sets a key, removed: its line or lines, its member of a table, or its directive among others of a line.

use super::comments::end_of_block;
use super::keys::plain;
use super::lines::Lines;
use super::sections;
use super::tree::{Node, Tree};
use super::value::Value;
use crate::rules::refusal::Refusal;
use domain::plan::Action;
use std::ops::Range;

/// Most values that a refusal offers an order for.
const OFFERED_VALUES: usize = 4;

impl Lines<'_> {
    /// The change that removes what sets a key; `None` where none is meant.
    pub(super) fn remove_key(&self, key: &str) -> Option<Result<Action, Refusal>> {
        let mut values = self.keys_named(key);
        let Some(value) = values.pop() else {
            return self.remove_block(key);
        };
        if !values.is_empty() {
            values.push(value);
            return Some(Err(self.several_keys(key, &values)));
        }
        let tree = Tree::of(self);
        let node = tree.as_ref().and_then(|tree| {
            let is_it =
                |node: &Node| node.key.is_some() && node.value(self.text).place == value.place;
            tree.nodes.iter().position(is_it).map(|at| (tree, at))
        });
        Some(match node {
            Some((tree, at)) => self.without_node(tree, at),
            None => self.without_directive(&value),
        })
    }

    /// The refusal of a removal that several keys may be meant by.
    fn several_keys(&self, key: &str, values: &[Value]) -> Refusal {
        let why = format!(
            "{} has `{key}` in {} lines: {}. Which of them is not clear.",
            self.path,
            values.len(),
            self.told(values)
        );
        let path = self.shown_path();
        let offered = values.iter().take(OFFERED_VALUES).filter_map(Value::said);
        let orders: Vec<String> = offered
            .map(|said| format!("remove {said} from {path}"))
            .collect();
        Refusal::ambiguous(why, orders)
    }

    /// The change that removes the line of a value, or of a line with several directives that one.
    fn without_directive(&self, value: &Value) -> Result<Action, Refusal> {
        self.ends_here(value)?;
        let line = self.line_place(value);
        if !self.has_several(&line) {
            return self.without(&line);
        }
        let name = value.path.last().map_or("", String::as_str);
        let before = self.text[line.start..value.place.start].rfind(name);
        let start = before.map_or(line.start, |at| line.start + at);
        let rest = &self.text[value.place.end..line.end];
        let end = value.place.end + rest.find(';').map_or(0, |at| at + 1);
        let behind = &self.text[end..line.end];
        // The space before the last one goes with it.
        let start = match behind.trim().is_empty() {
            true => self.text[..start].trim_end_matches([' ', '\t']).len(),
            false => start,
        };
        self.replace(start..line.end - behind.trim_start().len(), "")
    }

    /// Whether a line has several directives: `root /srv; index a.html;`.
    pub(super) fn has_several(&self, line: &Range<usize>) -> bool {
        let line = &self.text[line.clone()];
        let says = line.split(" #").next().unwrap_or_default().trim();
        self.ending() == "conf" && says.trim_end_matches(';').contains("; ")
    }

    /// The change that removes a key or an item that a text in quotes names; `None` where none does, or more than
    /// one. Without its name a value is none.
    pub(super) fn remove_named(&self, text: &str) -> Option<Result<Action, Refusal>> {
        let tree = Tree::of(self)?;
        let is_it = |at: &usize| {
            let node = &tree.nodes[*at];
            match &node.key {
                Some(_) => node.path.last().is_some_and(|name| name == text),
                None => {
                    node.value(self.text).place.len() == text.len()
                        && self.text[node.value(self.text).place] == *text
                }
            }
        };
        let mut found = (0..tree.nodes.len()).filter(is_it);
        let only = found.next().filter(|_| found.next().is_none())?;
        let is_alone = self.text.matches(text).count() == 1;
        (tree.nodes[only].key.is_some() || is_alone).then(|| self.without_node(&tree, only))
    }

    /// The section that an order names: `[mail]`, `the mail section`.
    fn section_said(said: &str) -> Option<&str> {
        let inner = said
            .strip_prefix('[')
            .and_then(|said| said.strip_suffix(']'));
        let behind = said.strip_suffix(" section");
        inner.or(behind).or_else(|| said.strip_prefix("section "))
    }

    /// The change that removes a section with all that is in it; `None` where none is named.
    pub(super) fn remove_section(&self, said: &str) -> Option<Result<Action, Refusal>> {
        let name = Self::section_said(said)?.trim_matches(['[', ']']);
        let place = self.header_named(name)?;
        let places: Vec<Range<usize>> = self.lines().collect();
        let texts: Vec<&str> = places.iter().map(|line| &self.text[line.clone()]).collect();
        let first = places.iter().position(|line| line.contains(&place.start))?;
        let last = end_of_block(&texts, first, &self.ending())?;
        // The empty line behind it goes with it.
        let is_empty = |line: &Range<usize>| self.text[line.clone()].trim().is_empty();
        let last = match places.get(last + 1) {
            Some(next) if is_empty(next) => last + 1,
            _ => last,
        };
        Some(self.without_block(places[first].start..places[last].end))
    }

    /// The change that removes whole lines; of the last ones the empty lines above them go too.
    fn without_block(&self, block: Range<usize>) -> Result<Action, Refusal> {
        let is_last = self.text[block.end..].trim().is_empty();
        let above = self.text[..block.start].trim_end_matches(['\n', '\r', ' ', '\t']);
        if !is_last || above.is_empty() {
            return self.without(&block);
        }
        self.replace(above.len()..block.end, "")
    }

    /// The lines of YAML that open the block of a key.
    pub(super) fn openers(&self, key: &str) -> Vec<Range<usize>> {
        let opens = |line: &Range<usize>| {
            let name = self.text[line.clone()].trim().strip_suffix(':');
            name.is_some_and(|name| plain(name) == plain(key))
        };
        match self.ending().as_str() {
            "yaml" | "yml" => self.lines().filter(opens).collect(),
            _ => Vec::new(),
        }
    }

    /// The lines of YAML that open the block of a key that is named with what it stands in: `depends_on of web`.
    fn openers_within(&self, key: &str) -> Vec<Range<usize>> {
        let ending = self.ending();
        let mut found: Vec<Range<usize>> = Vec::new();
        for reading in super::keys::readings(key).iter().skip(1) {
            for line in self.openers(&reading.name) {
                let mut path = sections::around(&ending, self.text, line.start);
                path.push(reading.name.clone());
                if reading.means(&path) && !found.contains(&line) {
                    found.push(line);
                }
            }
        }
        found
    }

    /// The change that removes a key of YAML with the block below it.
    fn remove_block(&self, key: &str) -> Option<Result<Action, Refusal>> {
        let openers = match self.openers(key) {
            found if found.is_empty() => self.openers_within(key),
            found => found,
        };
        let [opener] = openers.as_slice() else {
            return None;
        };
        let places: Vec<Range<usize>> = self.lines().collect();
        let texts: Vec<&str> = places.iter().map(|line| &self.text[line.clone()]).collect();
        let first = places.iter().position(|line| line == opener)?;
        let last = end_of_block(&texts, first, &self.ending())?;
        Some(self.without_block(opener.start..places[last].end))
    }
}
