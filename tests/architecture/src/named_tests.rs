//! The tests that docs/testing.md names for what holds in daily use: each is there.

use crate::Violation;
use crate::source::SourceFile;
use std::collections::BTreeSet;

/// What a document may name: crates, modules and functions.
#[derive(Debug, Default)]
pub struct Known {
    names: BTreeSet<String>,
    crates: BTreeSet<String>,
}

impl Known {
    /// All that stands in the workspace's files.
    #[must_use]
    pub fn of(files: &[SourceFile]) -> Self {
        let mut known = Self::default();
        for file in files {
            let folder = file.crate_folder();
            let name = folder.rsplit('/').next().unwrap_or(&folder);
            known.crates.insert(name.to_owned());
            let modules = file.path.trim_end_matches(".rs").split('/');
            known.names.extend(modules.map(str::to_owned));
            let words = file.words();
            let functions = words.windows(2).filter(|pair| pair[0].text == "fn");
            known
                .names
                .extend(functions.map(|pair| pair[1].text.clone()));
            let modules = words.windows(2).filter(|pair| pair[0].text == "mod");
            known.names.extend(modules.map(|pair| pair[1].text.clone()));
        }
        known
    }

    /// What the last cells of the tables below a heading name and nothing in the workspace is called.
    #[must_use]
    pub fn check(&self, path: &str, text: &str, heading: &str) -> Vec<Violation> {
        let mut found = Vec::new();
        let section = text.lines().enumerate();
        let section = section.skip_while(|(_, line)| *line != heading).skip(1);
        let section = section.take_while(|(_, line)| !line.starts_with("## "));
        for (at, line) in section.filter(|(_, line)| line.starts_with('|')) {
            let cell = line.trim_end_matches('|').rsplit(" | ").next();
            for unknown in self.unknown(cell.unwrap_or_default().trim()) {
                let rule = format!("nothing is called `{unknown}`");
                found.push(Violation::at(path, at + 1, rule));
            }
        }
        found
    }

    /// The unknown names of a cell: of what stands in backticks each part of a path, and of the words
    /// between them the crate right before a module.
    fn unknown<'c>(&self, cell: &'c str) -> Vec<&'c str> {
        let mut unknown = Vec::new();
        for (at, piece) in cell.split('`').enumerate() {
            let is_quoted = at % 2 == 1;
            let name = match is_quoted {
                true => Some(piece),
                // `scenarios `holding`` names a crate; `, ` and `: ` between two names none.
                false => piece
                    .strip_suffix(' ')
                    .and_then(|words| words.rsplit([' ', ';']).next())
                    .filter(|word| word.chars().all(char::is_alphabetic) && !word.is_empty()),
            };
            let parts = name.into_iter().flat_map(|name| name.split("::"));
            let is_known = |part: &&str| {
                self.crates.contains(*part) || is_quoted && self.names.contains(*part)
            };
            unknown.extend(parts.filter(|part| !is_known(part)));
        }
        unknown
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_of_nothing_is_found() {
        let source = "mod index { fn a_test_of_it() {} }";
        let file = SourceFile::parse("services/memory/tests/search.rs", source, true);
        let known = Known::of(&[file.unwrap_or_else(|e| panic!("{e}"))]);
        let named = |cell: &str| {
            let text = format!("## Daily use\n| What | Test |\n|---|---|\n| it `is` | {cell} |\n");
            let found = known.check("docs/testing.md", &text, "## Daily use");
            found.into_iter().map(|v| v.rule).collect::<Vec<_>>()
        };
        assert!(named("memory `search`: `a_test_of_it`").is_empty());
        assert!(named("`memory` `index::a_test_of_it`; memory `search`").is_empty());
        assert_eq!(
            named("wire `search`: `a_test`"),
            ["nothing is called `wire`", "nothing is called `a_test`"]
        );
    }
}
