//! The data of JSON and TOML with the place of each part in the text: what values, keys and items are changed
//! by.

use super::lines::Lines;
use super::value::Value;
use serde_json::Value as Data;
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// What a part of data is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Plain,
    List,
    Table,
}

/// A value of data, with its key where it has one.
#[derive(Debug, Clone)]
pub(super) struct Node {
    /// The names that lead to it. An item has those of its list.
    pub(super) path: Vec<String>,
    /// Its key as it is written. Items have none.
    pub(super) key: Option<Range<usize>>,
    /// Its value as it is written.
    pub(super) place: Range<usize>,
    pub(super) kind: Kind,
    /// The node within whose brackets it stands; none of what stands on lines of its own.
    pub(super) parent: Option<usize>,
}

/// All values of a text, each behind those it stands in.
pub(super) struct Tree {
    pub(super) nodes: Vec<Node>,
}

impl Tree {
    /// The data of a text by its file's ending; `None` where that is of another format, or not sound.
    pub(super) fn of(lines: &Lines<'_>) -> Option<Self> {
        let mut tree = Self { nodes: Vec::new() };
        match lines.ending().as_str() {
            "json" => {
                serde_json::from_str::<Data>(lines.text).ok()?;
                let start = lines.text.len() - lines.text.trim_start().len();
                Json { text: lines.text }.read(start, (Vec::new(), None, None), &mut tree)?;
            }
            "toml" => {
                let table = DeTable::parse(lines.text).ok()?;
                toml_table(lines.text, table.get_ref(), (&[], None), &mut tree);
            }
            _ => return None,
        }
        Some(tree)
    }

    /// The nodes that stand directly within the brackets of another, in order.
    pub(super) fn within(&self, parent: usize) -> Vec<&Node> {
        let nodes = self.nodes.iter();
        nodes.filter(|node| node.parent == Some(parent)).collect()
    }
}

impl Tree {
    /// The version that a table has, which is what is set of a package: `serde = { version = "1" }`.
    pub(super) fn version_in(&self, text: &str, table: &Value) -> Option<Value> {
        let is_it = |node: &Node| node.place == table.place && node.kind == Kind::Table;
        let at = self.nodes.iter().position(is_it)?;
        let is_version = |node: &&Node| node.path.last().is_some_and(|name| name == "version");
        let inner = self.within(at).into_iter().find(is_version)?;
        (inner.kind == Kind::Plain).then(|| inner.value(text))
    }
}

impl Node {
    /// Its value as it is set: without the quotes of a text of one line.
    pub(super) fn value(&self, text: &str) -> Value {
        let written = &text[self.place.clone()];
        let quote = match written.chars().next() {
            Some(quote @ ('"' | '\'')) if !written.starts_with(&quote.to_string().repeat(3)) => {
                Some(quote)
            }
            // Of two quotes alone there is nothing between.
            Some(quote @ ('"' | '\'')) if written.len() == 2 => Some(quote),
            _ => None,
        };
        let place = match quote {
            Some(_) => self.place.start + 1..self.place.end - 1,
            None => self.place.clone(),
        };
        let path = self.path.clone();
        Value { place, quote, path }
    }
}

/// A text that is sound JSON.
struct Json<'a> {
    text: &'a str,
}

/// What leads to a value: its path, its key and what it stands in.
type Above = (Vec<String>, Option<Range<usize>>, Option<usize>);

impl Json<'_> {
    /// Reads the value at a place, and gives where it ends.
    fn read(&self, start: usize, (path, key, parent): Above, tree: &mut Tree) -> Option<usize> {
        let first = self.text[start..].chars().next()?;
        let kind = match first {
            '{' => Kind::Table,
            '[' => Kind::List,
            _ => Kind::Plain,
        };
        let number = tree.nodes.len();
        tree.nodes.push(Node {
            path: path.clone(),
            key,
            place: start..start,
            kind,
            parent,
        });
        let end = match first {
            '{' | '[' => self.read_within(start, first, (&path, number), tree)?,
            '"' => self.end_of_text(start)?,
            _ => {
                let is_end = |c: char| c.is_whitespace() || ",]}".contains(c);
                let rest = &self.text[start..];
                start + rest.find(is_end).unwrap_or(rest.len())
            }
        };
        tree.nodes[number].place.end = end;
        Some(end)
    }

    fn read_within(
        &self,
        start: usize,
        open: char,
        (path, number): (&[String], usize),
        tree: &mut Tree,
    ) -> Option<usize> {
        let mut at = self.next(start + 1);
        while !self.text[at..].starts_with(['}', ']']) {
            let mut path = path.to_vec();
            let mut key = None;
            if open == '{' {
                let end = self.end_of_text(at)?;
                path.push(serde_json::from_str(&self.text[at..end]).ok()?);
                key = Some(at..end);
                at = self.next(self.next(end) + 1);
            }
            at = self.next(self.read(at, (path, key, Some(number)), tree)?);
            if self.text[at..].starts_with(',') {
                at = self.next(at + 1);
            }
        }
        Some(at + 1)
    }

    /// The next place that is no white space.
    fn next(&self, at: usize) -> usize {
        let rest = &self.text[at..];
        at + rest.len() - rest.trim_start().len()
    }

    fn end_of_text(&self, start: usize) -> Option<usize> {
        let mut is_escaped = false;
        for (at, c) in self.text[start + 1..].char_indices() {
            match c {
                _ if is_escaped => is_escaped = false,
                '\\' => is_escaped = true,
                '"' => return Some(start + 1 + at + 1),
                _ => {}
            }
        }
        None
    }
}

fn toml_table(
    text: &str,
    table: &DeTable<'_>,
    (path, parent): (&[String], Option<usize>),
    tree: &mut Tree,
) {
    let mut members: Vec<_> = table.iter().collect();
    members.sort_by_key(|(_, value)| value.span().start);
    for (key, value) in members {
        let mut path = path.to_vec();
        path.push(key.get_ref().to_string());
        toml_value(text, value, (path, Some(key.span()), parent), tree);
    }
}

fn toml_value(
    text: &str,
    value: &Spanned<DeValue<'_>>,
    (path, key, parent): Above,
    tree: &mut Tree,
) {
    let place = value.span();
    let kind = match value.get_ref() {
        DeValue::Array(_) => Kind::List,
        DeValue::Table(_) => Kind::Table,
        _ => Kind::Plain,
    };
    // `[server]` and `a` of `a.b = 1` are written nowhere as a value.
    let is_written = match &key {
        Some(key) => text
            .get(key.end..place.start)
            .is_some_and(|between| between.trim() == "="),
        None => parent.is_some(),
    };
    let number = is_written.then(|| {
        tree.nodes.push(Node {
            path: path.clone(),
            key,
            place,
            kind,
            parent,
        });
        tree.nodes.len() - 1
    });
    match value.get_ref() {
        DeValue::Array(items) => items
            .iter()
            .for_each(|item| toml_value(text, item, (path.clone(), None, number), tree)),
        DeValue::Table(table) => toml_table(text, table, (&path, number), tree),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(path: &str, text: &str) -> Vec<String> {
        let tree = Tree::of(&Lines { path, text }).unwrap();
        let nodes = tree.nodes.iter().filter(|node| !node.path.is_empty());
        let told = nodes.map(|node| {
            let key = node.key.clone().map_or("", |key| &text[key]);
            format!(
                "{} {key} {}",
                node.path.join("."),
                &text[node.place.clone()]
            )
        });
        told.collect()
    }

    #[test]
    fn each_value_has_its_place_and_its_key() {
        assert_eq!(
            told("a.json", "{\"a\": {\"b\\\"\": [1, \"}\"]}, \"c\":null}"),
            [
                "a \"a\" {\"b\\\"\": [1, \"}\"]}",
                "a.b\" \"b\\\"\" [1, \"}\"]",
                "a.b\"  1",
                "a.b\"  \"}\"",
                "c \"c\" null",
            ]
        );
        assert_eq!(
            told(
                "a.toml",
                "x.y = 1 # z\n[a]\nb = { c = \"d\", \"e f\" = [1, 2] }\n[[t]]\nn = 1\n[[t]]\nn = 2\n"
            ),
            [
                "x.y y 1",
                "a.b b { c = \"d\", \"e f\" = [1, 2] }",
                "a.b.c c \"d\"",
                "a.b.e f \"e f\" [1, 2]",
                "a.b.e f  1",
                "a.b.e f  2",
                "t.n n 1",
                "t.n n 2",
            ]
        );
        for (path, text) in [
            ("a.json", "{\"a\": }"),
            ("a.toml", "a ="),
            ("a.yaml", "a: 1\n"),
        ] {
            assert!(Tree::of(&Lines { path, text }).is_none(), "{text}");
        }
    }
}
