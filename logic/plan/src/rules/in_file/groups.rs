//! Lists and tables of a file of settings, with what they have: what a question that names one is told.

use super::lines::Lines;
use super::tree::{Kind, Node, Tree};
use super::unset::unset;
use super::value::Value;
use crate::rules::words::pattern;
use regex::Regex;
use std::ops::Range;
use std::sync::LazyLock;

/// Most entries that an answer names, and lines that it shows.
const TOLD_ENTRIES: usize = 20;
const SHOWN_LINES: usize = 20;

/// A line of YAML that names a value.
static KEY: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r#"^(?P<before>[ ]*(?:-[ ]+)*)["']?(?P<key>[^\s"'#:][^"'#:]*?)["']?[ ]*:(?P<rest>[ ].*)?$"#,
    )
});
/// What stands behind a name that only opens what stands below it.
static NOTHING: LazyLock<Option<Regex>> =
    LazyLock::new(|| pattern(r"^[ \t]*(?:[&!][^\s#]+[ \t]*)*(?:#.*)?$"));

/// A list or a table.
pub(super) struct Group {
    /// All of it, and what names it.
    pub(super) value: Value,
    pub(super) is_list: bool,
    /// Its items, or the names of what it sets.
    pub(super) entries: Vec<String>,
    /// The lines of each entry, as far as they are known.
    pub(super) places: Vec<Range<usize>>,
    /// The line that names it.
    pub(super) head: Range<usize>,
    /// The lines that tell it.
    lines: Vec<Range<usize>>,
}

impl Group {
    /// What it has, by its path.
    pub(super) fn stated(&self) -> String {
        let count = self.entries.len();
        let what = match (self.is_list, count) {
            (true, 1) => "item",
            (true, _) => "items",
            (false, 1) => "entry",
            (false, _) => "entries",
        };
        let entries = self.entries.iter().take(TOLD_ENTRIES).cloned();
        let mut told: Vec<String> = entries.collect();
        if count > TOLD_ENTRIES {
            told.push(format!("and {} more", count - TOLD_ENTRIES));
        }
        let told = told.join(", ");
        format!("`{}` has {count} {what}: {told}", self.value.dotted())
    }

    /// Its lines with their numbers, as deep as they stand in it.
    pub(super) fn numbered(&self, lines: &Lines<'_>) -> String {
        let depth = |line: &str| line.len() - line.trim_start().len();
        let shown = self.lines.iter().take(SHOWN_LINES);
        let shown: Vec<(usize, &str)> = shown
            .map(|line| {
                let number = lines.text[..line.start].matches('\n').count() + 1;
                (number, &lines.text[line.clone()])
            })
            .collect();
        let least = shown.iter().map(|(_, line)| depth(line)).min();
        let least = least.unwrap_or_default();
        let mut told: String = shown
            .iter()
            .map(|(number, line)| format!("\n  {number}: {}", line[least..].trim_end()))
            .collect();
        let more = self.lines.len().saturating_sub(SHOWN_LINES);
        if more > 0 {
            told.push_str(&format!("\n  … and {more} more lines"));
        }
        told
    }
}

impl Lines<'_> {
    /// The lists that stand on several lines: one of a single line is a value like others.
    pub(super) fn lists(&self) -> Vec<Group> {
        let mut groups = self.groups();
        groups.retain(|group| group.is_list);
        groups
    }

    /// The tables, by what they set.
    pub(super) fn tables(&self, values: &[Value]) -> Vec<Group> {
        let mut groups = self.groups();
        let of_lists: Vec<Vec<String>> = groups
            .iter()
            .filter(|group| group.is_list)
            .map(|group| group.value.path.clone())
            .collect();
        groups.retain(|group| !group.is_list);
        // Those that stand nowhere as a value: `[server]`.
        for value in values {
            let Some((name, above)) = value.path.split_last() else {
                continue;
            };
            if above.is_empty() || of_lists.iter().any(|list| list == above) {
                continue;
            }
            let line = self.line_place(value);
            let known = groups.iter_mut().find(|group| group.value.path == above);
            match known {
                Some(group) if group.lines.contains(&line) => {}
                Some(group) => {
                    if !group.entries.contains(name) {
                        group.entries.push(name.clone());
                    }
                    group.lines.push(line);
                }
                None => groups.push(Group {
                    value: Value {
                        place: line.clone(),
                        quote: None,
                        path: above.to_vec(),
                    },
                    is_list: false,
                    entries: vec![name.clone()],
                    places: Vec::new(),
                    head: line.clone(),
                    lines: vec![line],
                }),
            }
        }
        groups
    }

    fn groups(&self) -> Vec<Group> {
        match self.ending().as_str() {
            "yaml" | "yml" => self.groups_by_depth(),
            _ => Tree::of(self).map_or_else(Vec::new, |tree| self.groups_of(&tree)),
        }
    }

    /// Those that stand within brackets, on several lines.
    fn groups_of(&self, tree: &Tree) -> Vec<Group> {
        let is_one = |node: &Node| {
            let is_long = self.text[node.place.clone()].contains('\n');
            node.key.is_some() && node.kind != Kind::Plain && is_long
        };
        let at = (0..tree.nodes.len()).filter(|at| is_one(&tree.nodes[*at]));
        let groups = at.filter_map(|at| {
            let node = &tree.nodes[at];
            let inside = tree.within(at);
            let entry = |inner: &&Node| match (inner.kind, &inner.key) {
                (_, Some(_)) => inner.path.last().cloned().unwrap_or_default(),
                (Kind::Plain, None) => self.text[inner.value(self.text).place].to_owned(),
                (_, None) => "…".to_owned(),
            };
            let place = node.key.as_ref()?.start..node.place.end;
            let is_of = |line: &Range<usize>| line.end > place.start && line.start < place.end;
            Some(Group {
                value: node.value(self.text),
                is_list: node.kind == Kind::List,
                entries: inside.iter().map(entry).collect(),
                places: Vec::new(),
                head: place.clone(),
                lines: self.lines().filter(is_of).collect(),
            })
        });
        groups.filter(|group| !group.entries.is_empty()).collect()
    }

    /// Those of YAML, by how deep their lines stand.
    fn groups_by_depth(&self) -> Vec<Group> {
        let unset = unset("yaml", self.text);
        let says = |line: &Range<usize>| {
            let text = self.text[line.clone()].trim();
            let is_set = !unset.iter().any(|part| part.contains(&line.start));
            is_set && !text.is_empty() && !text.starts_with('#')
        };
        let all: Vec<Range<usize>> = self.lines().filter(says).collect();
        let mut open: Vec<(usize, String)> = Vec::new();
        let mut groups = Vec::new();
        for (at, line) in all.iter().enumerate() {
            let text = &self.text[line.clone()];
            if text.starts_with("---") {
                open.clear();
            }
            let Some(found) = KEY.as_ref().and_then(|key| key.captures(text)) else {
                continue;
            };
            let depth = found["before"].len();
            open.retain(|(other, _)| *other < depth);
            let path = open.iter().map(|(_, name)| name.clone());
            let path: Vec<String> = path.chain([found["key"].to_owned()]).collect();
            open.push((depth, found["key"].to_owned()));
            let rest = found.name("rest").map_or("", |rest| rest.as_str());
            if NOTHING
                .as_ref()
                .is_some_and(|nothing| nothing.is_match(rest))
            {
                groups.extend(self.group_below(&all[at..], depth, path));
            }
        }
        groups
    }

    /// What stands below the first of these lines, of which the name stands at a depth.
    fn group_below(&self, all: &[Range<usize>], depth: usize, path: Vec<String>) -> Option<Group> {
        let (head, rest) = all.split_first()?;
        let deep = |line: &Range<usize>| {
            let text = &self.text[line.clone()];
            text.len() - text.trim_start_matches(' ').len()
        };
        let is_item = |line: &Range<usize>| {
            let text = self.text[line.clone()].trim();
            text == "-" || text.starts_with("- ")
        };
        let first = rest.first()?;
        let own = deep(first);
        let is_list = is_item(first) && own >= depth;
        if !is_list && own <= depth {
            return None;
        }
        let is_inside = |line: &&Range<usize>| {
            deep(line) > own || (deep(line) == own && (!is_list || is_item(line)))
        };
        let inside: Vec<&Range<usize>> = rest.iter().take_while(is_inside).collect();
        let direct = inside
            .iter()
            .filter(|line| deep(line) == own && is_list == is_item(line));
        let entry = |line: &&&Range<usize>| {
            let text = self.text[(**line).clone()].trim();
            match is_list {
                true => item(text).to_owned(),
                false => text
                    .split(':')
                    .next()
                    .unwrap_or(text)
                    .trim_matches(['"', '\'', ' '])
                    .to_owned(),
            }
        };
        let entries: Vec<String> = direct.clone().map(|line| entry(&line)).collect();
        let shown = match is_list {
            true => inside.clone(),
            false => direct.copied().collect(),
        };
        let end = inside.last().map_or(head.end, |line| line.end);
        let places = places_of(&inside, |line| {
            deep(line) == own && is_list == is_item(line)
        });
        let lines = std::iter::once(head).chain(shown).cloned();
        Some(Group {
            value: Value {
                place: first.start..end,
                quote: None,
                path,
            },
            is_list,
            entries,
            places,
            head: head.clone(),
            lines: lines.collect(),
        })
    }
}

/// The lines of each entry: from one that begins an entry up to the line before the next.
fn places_of(lines: &[&Range<usize>], begins: impl Fn(&Range<usize>) -> bool) -> Vec<Range<usize>> {
    let mut places: Vec<Range<usize>> = Vec::new();
    for line in lines {
        match places.last_mut() {
            Some(last) if !begins(line) => last.end = line.end,
            _ => places.push((*line).clone()),
        }
    }
    places
}

/// An item of a list in YAML, without its mark, its quotes and the comment behind it.
pub(super) fn item(line: &str) -> &str {
    let text = line.trim_start().strip_prefix('-').unwrap_or(line).trim();
    let quote = text
        .chars()
        .next()
        .filter(|first| ['"', '\''].contains(first));
    match quote.and_then(|quote| Some((quote, text[1..].find(quote)?))) {
        Some((_, end)) => &text[1..=end],
        None => text.split(" #").next().unwrap_or(text).trim_end(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(path: &str, text: &str) -> Vec<String> {
        let lines = Lines { path, text };
        let lists = lines.lists();
        let values = lines.values_of(r"[\w.-]+");
        let groups = lists.iter().map(Group::stated);
        let tables = lines.tables(&values);
        groups.chain(tables.iter().map(Group::stated)).collect()
    }

    #[test]
    fn lists_and_tables_are_told_by_what_they_have() {
        assert_eq!(
            told(
                "a.yaml",
                "web:\n  ports: # out\n  - \"80:8080\" # a\n  - 443\n  env:\n    A: 1\n    B:\n      - x: 1\n        y: 2\ntext: |\n  k:\n    - 1\n"
            ),
            [
                "`web.ports` has 2 items: 80:8080, 443",
                "`web.env.B` has 1 item: x: 1",
                "`web` has 2 entries: ports, env",
                "`web.env` has 2 entries: A, B",
            ]
        );
        assert_eq!(
            told(
                "a.json",
                "{\n  \"l\": [\n    \"x\",\n    1\n  ],\n  \"t\": {\n    \"k\": 1\n  }\n}\n"
            ),
            ["`l` has 2 items: x, 1", "`t` has 1 entry: k"]
        );
        assert_eq!(
            told("a.toml", "l = [\n  1,\n]\n[a.b]\nk = 1\nm = 2\n"),
            ["`l` has 1 item: 1", "`a.b` has 2 entries: k, m"]
        );
    }
}
