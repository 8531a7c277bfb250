//! Dependencies: each is named by the crate that declares it, and the graph of ours is written down.

use crate::Violation;
use crate::arrows::{Arrow, Need, is_outside};
use crate::source::SourceFile;
use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use std::collections::BTreeSet;

/// One line of a crate's `[dependencies]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Declared {
    /// The crate's folder.
    pub folder: String,
    /// The name in its Cargo.toml.
    pub name: String,
    /// What for; what a build script needs is shipped, too.
    pub need: Need,
}

/// Dependencies that no source names: crate, dependency, reason.
pub type Unnamed = (&'static str, &'static str, &'static str);

/// Those of this workspace.
pub const UNNAMED: &[Unnamed] = &[(
    "contracts/proto",
    "tonic-prost",
    "the code that is generated from proto/ names it",
)];

/// Dependencies that nothing in their crate names. What is shipped counts for `[dependencies]`, and
/// everything for `[dev-dependencies]` and for crates outside the layers, which are tests themselves.
#[must_use]
pub fn check_named(
    declared: &[Declared],
    files: &[SourceFile],
    unnamed: &[Unnamed],
) -> Vec<Violation> {
    let mut found = Vec::new();
    let folders: BTreeSet<&String> = declared.iter().map(|one| &one.folder).collect();
    for folder in folders {
        let own: Vec<&SourceFile> = files
            .iter()
            .filter(|f| f.crate_folder() == *folder)
            .collect();
        let everything = named(own.iter().map(|f| f.tree.to_token_stream()));
        let shipped = named(own.iter().map(|file| shipped(file)));
        for one in declared.iter().filter(|one| one.folder == *folder) {
            let is_test = one.need == Need::Test || folder != "xtask" && is_outside(folder);
            let names = if is_test { &everything } else { &shipped };
            let is_named = names.contains(&one.name.replace('-', "_"));
            let is_listed = unnamed
                .iter()
                .any(|(at, name, _)| *at == folder.as_str() && *name == one.name);
            let rule = match (is_named, is_listed) {
                (false, false) if !is_test && everything.contains(&one.name.replace('-', "_")) => {
                    format!("only tests name `{}`: it is a dev-dependency", one.name)
                }
                (false, false) => format!("nothing names `{}`: leave it out", one.name),
                (true, true) => format!("`{}` is named now: take it off the list", one.name),
                _ => continue,
            };
            found.push(Violation::of(folder, rule));
        }
    }
    found
}

/// What is built without `#[cfg(test)]`.
fn shipped(file: &SourceFile) -> TokenStream {
    if file.path.ends_with("/build.rs") {
        return file.tree.to_token_stream();
    }
    file.shipped.iter().map(ToTokens::to_token_stream).collect()
}

/// Every word with `::` behind it or `use` before it.
fn named(streams: impl Iterator<Item = TokenStream>) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    streams.for_each(|stream| collect(stream, &mut found));
    found
}

fn collect(stream: TokenStream, found: &mut BTreeSet<String>) {
    let tokens: Vec<TokenTree> = stream.into_iter().collect();
    let is_colon = |index: usize| matches!(tokens.get(index), Some(TokenTree::Punct(sign)) if sign.as_char() == ':');
    let is_use = |index: Option<usize>| matches!(index.and_then(|i| tokens.get(i)), Some(TokenTree::Ident(word)) if word == "use");
    for (index, token) in tokens.iter().enumerate() {
        match token {
            TokenTree::Ident(word) => {
                let is_path = is_colon(index + 1) && is_colon(index + 2);
                if is_path || is_use(index.checked_sub(1)) {
                    found.insert(word.to_string());
                }
            }
            TokenTree::Group(group) => collect(group.stream(), found),
            TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
    }
}

/// The edges between shipped crates, sorted, one a line.
#[must_use]
pub fn graph(arrows: &[Arrow]) -> String {
    let shipped = arrows.iter().filter(|arrow| {
        let is_shipped = !is_outside(&arrow.from);
        arrow.need == Need::Ship && is_shipped
    });
    let lines: BTreeSet<String> = shipped
        .map(|arrow| format!("{} -> {}\n", arrow.from, arrow.to))
        .collect();
    lines.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(text: &str, need: Need, listed: &[Unnamed]) -> Vec<String> {
        let file = SourceFile::parse("services/x/src/lib.rs", text, false).unwrap();
        let declared = Declared {
            folder: "services/x".to_owned(),
            name: "serde-json".to_owned(),
            need,
        };
        let found = check_named(&[declared], &[file], listed);
        found.into_iter().map(|violation| violation.rule).collect()
    }

    #[test]
    fn a_dependency_that_is_named_passes() {
        for text in [
            "use serde_json::Value;",
            "use serde_json;",
            "fn f() { serde_json::from_str(s) }",
            "fn f() { println!(\"{}\", serde_json::json!(1)) }",
            "#[serde_json::magic] fn f() {}",
        ] {
            assert_eq!(rules(text, Need::Ship, &[]), Vec::<String>::new(), "{text}");
        }
        let test = "#[cfg(test)] mod tests { use serde_json::Value; }";
        assert_eq!(rules(test, Need::Test, &[]), Vec::<String>::new());
    }

    #[test]
    fn a_dependency_that_nothing_names_is_caught() {
        for text in [
            "//! serde_json::Value",
            "fn f() { let serde_json = 1; }",
            "const A: &str = \"serde_json::Value\";",
        ] {
            assert!(
                rules(text, Need::Ship, &[])[0].starts_with("nothing names"),
                "{text}"
            );
            assert_eq!(rules(text, Need::Test, &[]).len(), 1, "{text}");
        }
        let test = "#[cfg(test)] mod tests { use serde_json::Value; }";
        assert!(rules(test, Need::Ship, &[])[0].starts_with("only tests name"));
    }

    #[test]
    fn an_exception_holds_only_while_it_is_needed() {
        let listed: &[Unnamed] = &[("services/x", "serde-json", "a reason")];
        assert_eq!(rules("fn f() {}", Need::Ship, listed), Vec::<String>::new());
        assert_eq!(rules("use serde_json::Value;", Need::Ship, listed).len(), 1);
    }

    #[test]
    fn the_graph_has_shipped_edges_alone() {
        let arrow = |from: &str, to: &str, need| Arrow {
            from: from.to_owned(),
            to: to.to_owned(),
            need,
        };
        let all = [
            arrow("services/b", "logic/x", Need::Ship),
            arrow("bin/carl", "services/b", Need::Ship),
            arrow("services/b", "tests/testkit", Need::Test),
            arrow("tests/scenarios", "bin/carl", Need::Ship),
        ];
        assert_eq!(
            graph(&all),
            "bin/carl -> services/b\nservices/b -> logic/x\n"
        );
    }
}
