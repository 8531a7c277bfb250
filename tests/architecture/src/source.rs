//! A Rust source file, split into what ships and what only tests see.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::ToTokens;
use std::collections::BTreeSet;
use syn::{Attribute, Item, Meta};

/// A word of the code with its line. Words are identifiers and keywords, never comments or texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// The identifier or keyword.
    pub text: String,
    /// Its line, from 1.
    pub line: usize,
}

/// A parsed source file.
pub struct SourceFile {
    /// Path from the root of the repository, with `/`.
    pub path: String,
    /// The whole text.
    pub text: String,
    /// The whole syntax tree.
    pub tree: syn::File,
    /// The items that ship: everything outside `#[cfg(test)]`; none in a test file.
    pub shipped: Vec<Item>,
    /// The items that only tests see.
    pub tests: Vec<Item>,
}

impl SourceFile {
    /// Parses a file. `is_test` says that the whole file belongs to tests.
    ///
    /// # Errors
    /// The parser's message when the text is not Rust.
    pub fn parse(path: &str, text: &str, is_test: bool) -> Result<Self, syn::Error> {
        let tree = syn::parse_file(text)?;
        let (mut shipped, mut tests) = (Vec::new(), Vec::new());
        if is_test {
            tests.clone_from(&tree.items);
        } else {
            split(&tree.items, &mut shipped, &mut tests);
        }
        Ok(Self {
            path: path.to_owned(),
            text: text.to_owned(),
            tree,
            shipped,
            tests,
        })
    }

    /// The crate folder it lies in: its first two path segments, or one for `xtask`.
    #[must_use]
    pub fn crate_folder(&self) -> String {
        let depth = if self.path.starts_with("xtask/") {
            1
        } else {
            2
        };
        self.path
            .split('/')
            .take(depth)
            .collect::<Vec<_>>()
            .join("/")
    }

    /// Every word of the file.
    #[must_use]
    pub fn words(&self) -> Vec<Word> {
        words_of(self.tree.to_token_stream())
    }

    /// The words that ship.
    #[must_use]
    pub fn shipped_words(&self) -> Vec<Word> {
        words_of(self.shipped.iter().map(ToTokens::to_token_stream).collect())
    }

    /// The words that only tests see.
    #[must_use]
    pub fn test_words(&self) -> Vec<Word> {
        words_of(self.tests.iter().map(ToTokens::to_token_stream).collect())
    }

    /// Files that this one declares as `#[cfg(test)] mod name;`, as paths without `.rs`.
    #[must_use]
    pub fn test_modules(&self) -> BTreeSet<String> {
        let folder = match self.path.strip_suffix(".rs") {
            Some(stem) => match stem.rsplit_once('/') {
                Some((folder, "lib" | "main" | "mod")) => folder.to_owned(),
                _ => stem.to_owned(),
            },
            None => self.path.clone(),
        };
        let declared = self.tests.iter().filter_map(|item| match item {
            Item::Mod(module) if module.content.is_none() => {
                Some(format!("{folder}/{}", module.ident))
            }
            _ => None,
        });
        declared.collect()
    }
}

fn split(items: &[Item], shipped: &mut Vec<Item>, tests: &mut Vec<Item>) {
    for item in items {
        if attributes(item).iter().any(is_test_attribute) {
            tests.push(item.clone());
            continue;
        }
        match item {
            Item::Mod(module) => match &module.content {
                Some((brace, inner)) => {
                    let mut kept = Vec::new();
                    split(inner, &mut kept, tests);
                    let mut module = module.clone();
                    module.content = Some((*brace, kept));
                    shipped.push(Item::Mod(module));
                }
                None => shipped.push(item.clone()),
            },
            _ => shipped.push(item.clone()),
        }
    }
}

fn is_test_attribute(attribute: &Attribute) -> bool {
    let name = attribute
        .path()
        .segments
        .last()
        .map(|s| s.ident.to_string());
    match name.as_deref() {
        Some("test") => true,
        Some("cfg") => match &attribute.meta {
            Meta::List(list) => {
                let words = words_of(list.tokens.clone());
                let has = |text: &str| words.iter().any(|w| w.text == text);
                has("test") && !has("not")
            }
            _ => false,
        },
        _ => false,
    }
}

fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(i) => &i.attrs,
        Item::Enum(i) => &i.attrs,
        Item::Fn(i) => &i.attrs,
        Item::Impl(i) => &i.attrs,
        Item::Macro(i) => &i.attrs,
        Item::Mod(i) => &i.attrs,
        Item::Static(i) => &i.attrs,
        Item::Struct(i) => &i.attrs,
        Item::Trait(i) => &i.attrs,
        Item::Type(i) => &i.attrs,
        Item::Use(i) => &i.attrs,
        _ => &[],
    }
}

/// The words of a token stream, macros included.
#[must_use]
pub fn words_of(stream: TokenStream) -> Vec<Word> {
    let mut found = Vec::new();
    collect(stream, &mut found);
    found
}

fn collect(stream: TokenStream, found: &mut Vec<Word>) {
    for token in stream {
        match token {
            TokenTree::Ident(ident) => found.push(Word {
                text: ident.to_string(),
                line: line_of(ident.span()),
            }),
            TokenTree::Group(group) => collect(group.stream(), found),
            TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
    }
}

/// The line a span begins at, from 1.
#[must_use]
pub fn line_of(span: Span) -> usize {
    span.start().line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_items_are_told_from_shipped_ones() {
        let text = "fn a() {}\n#[cfg(test)]\nmod tests { fn b() {} }\nmod m { #[test] fn c() {} fn d() {} }\n#[cfg(not(test))] fn e() {}\n#[cfg(test)] mod far;";
        let file = SourceFile::parse("services/x/src/lib.rs", text, false).unwrap();
        let names = |words: Vec<Word>| -> Vec<String> {
            let single = words.into_iter().filter(|w| w.text.len() == 1);
            single.map(|w| w.text).collect()
        };
        assert_eq!(names(file.shipped_words()), ["a", "m", "d", "e"]);
        assert_eq!(names(file.test_words()), ["b", "c"]);
        assert_eq!(
            file.test_modules(),
            BTreeSet::from(["services/x/src/far".to_owned()])
        );
        assert_eq!(file.crate_folder(), "services/x");
    }

    #[test]
    fn words_in_comments_and_texts_do_not_count() {
        let file = SourceFile::parse(
            "a/b/src/c.rs",
            "// unsafe\nconst A: &str = \"unsafe\";",
            false,
        );
        assert!(!file.unwrap().words().iter().any(|w| w.text == "unsafe"));
    }
}
