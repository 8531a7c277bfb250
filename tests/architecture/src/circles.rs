//! Circles: modules of one crate that need each other, so that none can be read alone.
//!
//! A module is a file. It needs another when it names an item that lives there: in a `use`, in a
//! path, in a macro's arguments, or in an attribute's text. A name that another module passes on
//! needs both the item's home and the module that passes it on. A re-export alone needs nothing, so
//! that a parent may offer what its children hold, as long as it does not work with them as well.

use crate::Violation;
use crate::source::SourceFile;
use std::collections::{BTreeMap, BTreeSet};

mod graph;
mod names;
mod rings;
mod written;

pub use graph::Graph;

/// The graphs of all crates, by folder. A crate with a library and a program has one for each root.
#[must_use]
pub fn graphs(files: &[SourceFile]) -> Vec<(String, Graph)> {
    let mut crates: BTreeMap<String, BTreeMap<&str, &SourceFile>> = BTreeMap::new();
    for file in files.iter().filter(|file| !file.shipped.is_empty()) {
        let folder = file.crate_folder();
        if file.path.starts_with(&format!("{folder}/src/")) {
            crates.entry(folder).or_default().insert(&file.path, file);
        }
    }
    let mut found = Vec::new();
    for (folder, files) in crates {
        for root in ["lib.rs", "main.rs"] {
            let root = format!("{folder}/src/{root}");
            if files.contains_key(root.as_str()) {
                found.push((folder.clone(), names::Tree::grown(&files, &root).graph()));
            }
        }
    }
    found
}

/// Every circle of modules, and every file that no module leads to.
#[must_use]
pub fn check(files: &[SourceFile]) -> Vec<Violation> {
    let mut found = unreached(files);
    for (folder, graph) in graphs(files) {
        for ring in rings::rings(&graph.needs) {
            found.push(Violation::of(&folder, story(&graph, &ring)));
        }
    }
    found
}

/// Every file of a crate that its roots do not lead to: its needs would go unseen.
fn unreached(files: &[SourceFile]) -> Vec<Violation> {
    let graphs = graphs(files);
    let reached: BTreeSet<&String> = graphs.iter().flat_map(|(_, graph)| &graph.files).collect();
    let folders: BTreeSet<String> = graphs.iter().map(|(folder, _)| folder.clone()).collect();
    let lies_in_src = |file: &&SourceFile| {
        let folder = file.crate_folder();
        folders.contains(&folder) && file.path.starts_with(&format!("{folder}/src/"))
    };
    files
        .iter()
        .filter(|file| !file.shipped.is_empty() && !reached.contains(&file.path))
        .filter(lies_in_src)
        .map(|file| {
            Violation::of(
                &file.path,
                "no `mod` leads to it by its own name".to_owned(),
            )
        })
        .collect()
}

/// What a circle is made of: its files, and the needs between them.
fn story(graph: &Graph, ring: &BTreeSet<usize>) -> String {
    let name = |index: &usize| {
        let path = &graph.files[*index];
        path.split_once("/src/").map_or(path.as_str(), |(_, p)| p)
    };
    let mut text = format!("{} modules need each other:", ring.len());
    for index in ring {
        let inside = graph.needs[*index]
            .iter()
            .filter(|(to, _)| ring.contains(to));
        let list: Vec<String> = inside
            .map(|(to, line)| format!("{} (line {line})", name(to)))
            .collect();
        text.push_str(&format!("\n    {} needs {}", name(index), list.join(", ")));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(list: &[(&str, &str)]) -> Vec<SourceFile> {
        let parse = |(path, text): &(&str, &str)| {
            SourceFile::parse(&format!("services/x/src/{path}"), text, false).unwrap()
        };
        list.iter().map(parse).collect()
    }

    fn circles(list: &[(&str, &str)]) -> Vec<String> {
        let found = check(&files(list));
        found.into_iter().map(|violation| violation.rule).collect()
    }

    #[test]
    fn a_circle_is_caught_however_it_is_written() {
        let root = ("lib.rs", "mod a; mod b; pub use a::A;");
        let a = ("a.rs", "use crate::b::B; pub struct A;");
        let ways_back = [
            "use crate::a::A; pub struct B;",
            "use super::{a::A}; pub struct B;",
            "use crate::A; pub struct B;",
            "use super::*; pub struct B(A);",
            "use crate::a; pub struct B(a::A);",
            "pub struct B(crate::a::A);",
            "pub struct B; fn f() { use super::a::A; }",
            "pub struct B; fn f() { vec![super::a::A]; }",
            "pub struct B; mod inner { use super::super::a::A; }",
        ];
        for back in ways_back {
            let found = circles(&[root, a, ("b.rs", back)]);
            assert_eq!(found.len(), 1, "{back}: {found:?}");
            assert!(found[0].starts_with("2 modules"), "{}", found[0]);
        }
    }

    #[test]
    fn a_parent_that_works_with_its_child_is_a_circle_with_it() {
        let child = ("a/b.rs", "use super::A; pub struct B(A); pub fn g() {}");
        let root = ("lib.rs", "mod a;");
        for parent in [
            "mod b; pub struct A; fn f() { b::g() }",
            "mod b; pub use b::B; pub struct A; fn f() -> B { todo() }",
            "mod b; use b::B; pub struct A; fn f() -> B { todo() }",
        ] {
            assert_eq!(
                circles(&[root, ("a.rs", parent), child]).len(),
                1,
                "{parent}"
            );
            assert_eq!(circles(&[root, ("a/mod.rs", parent), child]).len(), 1);
        }
    }

    #[test]
    fn a_name_that_a_working_parent_passes_on_is_a_circle() {
        let root = ("lib.rs", "mod a; mod c;");
        let parent = "mod b; mod d; pub use d::D; use crate::c::C; fn f() { b::g() } fn h(c: C) {}";
        let c = ("c.rs", "pub struct C;");
        let d = ("a/d.rs", "pub struct D;");
        let ways = [
            "use super::D; pub fn g() {}",
            "use crate::a::D; pub fn g() {}",
            "pub fn g() -> super::D { todo() }",
            "use super::*; pub fn g() -> D { todo() }",
            "pub fn g() { use super::*; D }",
            "mod inner { use crate::a::*; fn i(d: D) {} } pub fn g() {}",
            "use super::C; pub fn g() {}",
            "use super::*; pub fn g(c: C) {}",
            "pub fn g() { vec![crate::a::D] }",
            "#[serde(with = \"super::D\")] pub struct G; pub fn g() {}",
            "#[serde(default = \"crate::a::D::new\")] pub struct G; pub fn g() {}",
        ];
        for way in ways {
            let found = circles(&[root, ("a.rs", parent), ("a/b.rs", way), c, d]);
            assert_eq!(found.len(), 1, "{way}: {found:?}");
            assert!(found[0].starts_with("2 modules"), "{way}: {}", found[0]);
        }
        let far = [
            ("lib.rs", "mod a; mod c;"),
            ("a.rs", "mod b; mod d; pub use d::D; fn f() { b::g() }"),
            ("a/b.rs", "use crate::c::C; pub fn g(c: C) {}"),
            ("a/d.rs", "pub struct D;"),
            ("c.rs", "use crate::a::D; pub struct C(D);"),
        ];
        assert!(circles(&far)[0].starts_with("3 modules"), "{far:?}");
    }

    #[test]
    fn a_macro_called_by_its_name_is_a_need() {
        for call in ["fn g() { m!() }", "m! {}", "fn g() { vec![m!()] }"] {
            let found = circles(&[
                (
                    "lib.rs",
                    "macro_rules! m { () => {} } mod a; fn f() { a::g() }",
                ),
                ("a.rs", call),
            ]);
            assert_eq!(found.len(), 1, "{call}");
        }
    }

    #[test]
    fn a_file_that_no_module_declares_is_reported() {
        let found = circles(&[
            ("lib.rs", "#[path = \"b.rs\"] mod a;"),
            ("b.rs", "pub struct B;"),
        ]);
        assert!(found[0].contains("no `mod`"), "{found:?}");
    }

    #[test]
    fn what_is_no_circle_passes() {
        let root = ("lib.rs", "mod a; mod b; pub use a::A; pub use b::B;");
        let cases: [&[(&str, &str)]; 6] = [
            &[
                root,
                ("a.rs", "use crate::B; pub struct A;"),
                ("b.rs", "pub struct B;"),
            ],
            // A parent that only offers what its child holds.
            &[
                ("lib.rs", "mod a;"),
                ("a.rs", "mod b; pub use b::B; pub struct A;"),
                ("a/b.rs", "use super::A; pub struct B(A);"),
            ],
            // Tests may look around.
            &[
                root,
                (
                    "a.rs",
                    "pub struct A; #[cfg(test)] mod tests { use crate::B; }",
                ),
                ("b.rs", "use crate::A; pub struct B;"),
            ],
            // An inline module is part of its file.
            &[(
                "lib.rs",
                "mod a { use super::b::B; } mod b { use super::a; pub struct B; }",
            )],
            // Words in comments and of other crates.
            &[
                root,
                ("a.rs", "//! See [`crate::b::B`].\nuse b::B; pub struct A;"),
                ("b.rs", "use crate::A; use ::a::C; pub struct B;"),
            ],
            // A file that only tests see.
            &[
                ("lib.rs", "mod a; mod tests; use a::A;"),
                ("a.rs", "use crate::tests; pub struct A;"),
            ],
        ];
        for case in cases {
            assert_eq!(circles(case), Vec::<String>::new(), "{case:?}");
        }
    }
}
