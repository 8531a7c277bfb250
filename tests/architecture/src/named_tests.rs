//! The tests that docs/testing.md names for what holds in daily use: each is there.

use crate::Violation;
use crate::source::SourceFile;
use std::collections::{BTreeMap, BTreeSet};

/// What a document may name: crates, and the modules and functions of each.
#[derive(Debug, Default)]
pub struct Known {
    names: BTreeMap<String, BTreeSet<String>>,
}

impl Known {
    /// All that stands in the workspace's files.
    #[must_use]
    pub fn of(files: &[SourceFile]) -> Self {
        let mut known = Self::default();
        for file in files {
            let folder = file.crate_folder();
            let name = folder.rsplit('/').next().unwrap_or(&folder);
            let names = known.names.entry(name.to_owned()).or_default();
            let modules = file.path.trim_end_matches(".rs").split('/');
            names.extend(modules.map(str::to_owned));
            let words = file.words();
            let named = words.windows(2);
            let named = named.filter(|pair| ["fn", "mod"].contains(&pair[0].text.as_str()));
            names.extend(named.map(|pair| pair[1].text.clone()));
        }
        known
    }

    /// Whether this is in a crate; in any where none was named.
    fn is_in(&self, crate_name: Option<&str>, name: &str) -> bool {
        match crate_name {
            Some(crate_name) => self.names[crate_name].contains(name),
            None => self.names.values().any(|names| names.contains(name)),
        }
    }

    /// What the last cells of the tables below a heading name and nothing there is called, and the rows
    /// that stand twice.
    #[must_use]
    pub fn check(&self, path: &str, text: &str, heading: &str) -> Vec<Violation> {
        let mut found = Vec::new();
        let mut rows = BTreeSet::new();
        let section = text.lines().enumerate();
        let section = section.skip_while(|(_, line)| *line != heading).skip(1);
        let section = section.take_while(|(_, line)| !line.starts_with("## "));
        for (at, line) in section.filter(|(_, line)| line.starts_with('|')) {
            if !rows.insert(line) {
                found.push(Violation::at(path, at + 1, "this row stands twice"));
            }
            let cell = line.trim_end_matches('|').rsplit(" | ").next();
            for unknown in self.unknown(cell.unwrap_or_default().trim()) {
                let rule = format!("nothing is called `{unknown}` there");
                found.push(Violation::at(path, at + 1, rule));
            }
        }
        found
    }

    /// The unknown names of a cell: of what stands in backticks each part of a path, and of the words
    /// between them the crate right before a module. What follows a crate's name is in that crate.
    fn unknown<'c>(&self, cell: &'c str) -> Vec<&'c str> {
        let mut unknown = Vec::new();
        let mut crate_name = None;
        for (at, piece) in cell.split('`').enumerate() {
            let is_quoted = at % 2 == 1;
            let name = match is_quoted {
                true => Some(piece),
                // `scenarios `holding`` names a crate; `, ` and `: ` between two names none.
                false => piece
                    .strip_suffix(' ')
                    .and_then(|words| words.rsplit([' ', ';']).next())
                    .filter(|word| is_name(word)),
            };
            for part in name.into_iter().flat_map(|name| name.split("::")) {
                if is_quoted && self.is_in(crate_name, part) {
                    continue;
                }
                match self.names.contains_key(part) {
                    true => crate_name = Some(part),
                    false => unknown.push(part),
                }
            }
        }
        unknown
    }
}

fn is_name(word: &str) -> bool {
    !word.is_empty() && word.chars().all(|c| c.is_alphabetic() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_of_nothing_is_found() {
        let file =
            |path, source| SourceFile::parse(path, source, true).unwrap_or_else(|e| panic!("{e}"));
        let known = Known::of(&[
            file(
                "services/memory/tests/search.rs",
                "mod index { fn a_test_of_it() {} }",
            ),
            file("adapters/text_files/tests/looking.rs", "fn another() {}"),
        ]);
        let named = |cell: &str| {
            let text = format!("## Daily use\n| What | Test |\n|---|---|\n| it `is` | {cell} |\n");
            let found = known.check("docs/testing.md", &text, "## Daily use");
            found.into_iter().map(|v| v.rule).collect::<Vec<_>>()
        };
        assert!(named("memory `search`: `a_test_of_it`").is_empty());
        assert!(named("`memory` `index::a_test_of_it`; memory `search`").is_empty());
        assert!(named("memory `search`; text_files `looking`: `another`").is_empty());
        assert_eq!(
            named("memory `search`: `another`; text_files `index`"),
            [
                "nothing is called `another` there",
                "nothing is called `index` there"
            ]
        );
        assert_eq!(
            named("wire `search`: `a_test`"),
            [
                "nothing is called `wire` there",
                "nothing is called `a_test` there"
            ]
        );
        let row = "| it `is` | memory |";
        let twice = known.check("a.md", &format!("## A\n{row}\n{row}\n"), "## A");
        assert_eq!(twice.len(), 1);
    }
}
