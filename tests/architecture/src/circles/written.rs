//! What a file writes: its `use`s, the paths in its code, and the words that a `*` may supply.

use crate::source::{line_of, words_of};
use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use std::collections::BTreeSet;
use syn::visit::{self, Visit};
use syn::{Expr, Item, Lit, Meta, UseTree, Visibility};

/// One leaf of a `use`.
#[derive(Debug, Clone)]
pub(super) struct Import {
    /// The name it is known by here, or `None` for `*`.
    pub(super) name: Option<String>,
    pub(super) said: Said,
    /// Whether it only offers the name to others.
    pub(super) is_offer: bool,
}

impl Import {
    /// Whether what it names is needed here, used or not: a `use` of one name for this file alone.
    pub(super) fn is_plain(&self) -> bool {
        !self.is_offer && (self.name.is_some() || self.is_of_variants())
    }

    /// Whether its `*` stands behind a type.
    fn is_of_variants(&self) -> bool {
        let last = self.said.path.last();
        last.is_some_and(|part| part.starts_with(char::is_uppercase))
    }
}

/// A path as it is written in a file.
#[derive(Debug, Clone)]
pub(super) struct Said {
    /// Its parts, without the `*` of a `use`.
    pub(super) path: Vec<String>,
    pub(super) line: usize,
    /// How many inline modules it stands in.
    pub(super) depth: usize,
}

/// What the `use`s of a file bring in, outside functions and inline modules.
pub(super) fn imports(items: &[Item]) -> Vec<Import> {
    let uses = items.iter().filter_map(|item| match item {
        Item::Use(item) => Some(item),
        _ => None,
    });
    uses.flat_map(|item| imports_of(item, 0)).collect()
}

fn imports_of(item: &syn::ItemUse, depth: usize) -> Vec<Import> {
    // What `::` sends to another crate begins with a name that no file has.
    let before: Vec<String> = item
        .leading_colon
        .map(|_| String::new())
        .into_iter()
        .collect();
    let is_offer = !matches!(item.vis, Visibility::Inherited);
    let mut found = Vec::new();
    leaves(&item.tree, &before, &mut |name, path, line| {
        let said = Said { path, line, depth };
        found.push(Import {
            name,
            said,
            is_offer,
        });
    });
    found
}

/// The leaves of a `use`: the name here, the path, the line.
fn leaves(
    tree: &UseTree,
    before: &[String],
    give: &mut impl FnMut(Option<String>, Vec<String>, usize),
) {
    let with = |part: &syn::Ident| [before, &[part.to_string()]].concat();
    match tree {
        UseTree::Path(path) => leaves(&path.tree, &with(&path.ident), give),
        UseTree::Group(group) => {
            for part in &group.items {
                leaves(part, before, give);
            }
        }
        UseTree::Glob(glob) => {
            give(None, before.to_vec(), line_of(glob.star_token.spans[0]));
        }
        UseTree::Name(name) => {
            let line = line_of(name.ident.span());
            if name.ident == "self" {
                give(before.last().cloned(), before.to_vec(), line);
            } else {
                give(Some(name.ident.to_string()), with(&name.ident), line);
            }
        }
        UseTree::Rename(name) => {
            let line = line_of(name.ident.span());
            let path = if name.ident == "self" {
                before.to_vec()
            } else {
                with(&name.ident)
            };
            give(Some(name.rename.to_string()), path, line);
        }
    }
}

/// Every path that a file writes outside its offers, and every word outside its `use`s.
#[derive(Default)]
pub(super) struct Written {
    depth: usize,
    /// Paths of the code, of plain `use`s, and of texts in attributes.
    pub(super) paths: Vec<Said>,
    /// Every `*` that this file alone sees, also in functions and inline modules.
    pub(super) globs: Vec<Import>,
    /// Macros that are called by their name alone, with the line.
    pub(super) macros: Vec<(String, usize)>,
    pub(super) words: BTreeSet<String>,
}

impl Written {
    /// What a file's items write.
    pub(super) fn of(items: &[Item]) -> Self {
        let mut written = Self::default();
        items.iter().for_each(|item| written.visit_item(item));
        written
    }

    fn say(&mut self, path: Vec<String>, line: usize) {
        let depth = self.depth;
        self.paths.push(Said { path, line, depth });
    }

    /// Paths in the arguments of a macro, which are tokens alone.
    fn tokens(&mut self, stream: TokenStream) {
        self.words
            .extend(words_of(stream.clone()).into_iter().map(|word| word.text));
        let mut path: Vec<String> = Vec::new();
        let (mut line, mut colons) = (0, 0);
        for token in stream {
            match token {
                TokenTree::Punct(sign) if sign.as_char() == ':' => colons += 1,
                TokenTree::Ident(ident) => {
                    if colons != 2 || path.is_empty() {
                        self.end(&mut path, line);
                        line = line_of(ident.span());
                    }
                    path.push(ident.to_string());
                    colons = 0;
                }
                TokenTree::Group(group) => {
                    self.end(&mut path, line);
                    colons = 0;
                    self.tokens(group.stream());
                }
                TokenTree::Punct(sign) => {
                    if sign.as_char() == '!' && path.len() == 1 {
                        self.macros.push((path[0].clone(), line));
                    }
                    self.end(&mut path, line);
                    colons = 0;
                }
                TokenTree::Literal(_) => {
                    self.end(&mut path, line);
                    colons = 0;
                }
            }
        }
        self.end(&mut path, line);
    }

    fn end(&mut self, path: &mut Vec<String>, line: usize) {
        let path = std::mem::take(path);
        if path.len() > 1 {
            self.say(path, line);
        }
    }

    /// A text of an attribute that is a path, as in `#[serde(with = "super::form")]`.
    fn text(&mut self, text: &str, line: usize) {
        if let Ok(path) = syn::parse_str::<syn::Path>(text)
            && path.segments.len() > 1
        {
            let parts = path.segments.iter().map(|s| s.ident.to_string());
            self.say(parts.collect(), line);
        }
    }

    fn texts(&mut self, stream: TokenStream) {
        for token in stream {
            match token {
                TokenTree::Group(group) => self.texts(group.stream()),
                TokenTree::Literal(literal) => {
                    let line = line_of(literal.span());
                    if let Lit::Str(text) = Lit::new(literal) {
                        self.text(&text.value(), line);
                    }
                }
                TokenTree::Ident(_) | TokenTree::Punct(_) => {}
            }
        }
    }
}

impl<'ast> Visit<'ast> for Written {
    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        self.depth += 1;
        visit::visit_item_mod(self, item);
        self.depth -= 1;
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        for import in imports_of(item, self.depth) {
            if import.is_plain() {
                self.paths.push(import.said);
            } else if import.name.is_none() && !import.is_offer {
                self.globs.push(import);
            }
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let parts: Vec<String> = path.segments.iter().map(|s| s.ident.to_string()).collect();
        let line = path.segments.first().map_or(0, |s| line_of(s.ident.span()));
        self.words.extend(parts.iter().cloned());
        if parts.len() > 1 && path.leading_colon.is_none() {
            self.say(parts, line);
        }
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        if let Some(name) = call.path.get_ident() {
            self.macros.push((name.to_string(), line_of(name.span())));
        }
        self.visit_path(&call.path);
        self.tokens(call.tokens.to_token_stream());
    }

    fn visit_visibility(&mut self, _: &'ast Visibility) {}

    fn visit_attribute(&mut self, attribute: &'ast syn::Attribute) {
        match &attribute.meta {
            Meta::Path(_) => {}
            Meta::List(list) => {
                self.tokens(list.tokens.clone());
                self.texts(list.tokens.clone());
            }
            // Documentation is the one attribute whose text is prose.
            Meta::NameValue(pair) if !pair.path.is_ident("doc") => {
                if let Expr::Lit(value) = &pair.value
                    && let Lit::Str(text) = &value.lit
                {
                    self.text(&text.value(), line_of(text.span()));
                }
            }
            Meta::NameValue(_) => {}
        }
    }
}
