//! Where a name leads: the tree of a crate's modules, and the paths that each one writes.

use super::graph::Graph;
use crate::source::{SourceFile, line_of, words_of};
use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use std::collections::{BTreeMap, BTreeSet};
use syn::visit::{self, Visit};
use syn::{Item, UseTree, Visibility};

/// Most re-exports that are followed from one name.
const FOLLOWED: usize = 16;

/// One file of a crate.
struct Module<'a> {
    file: &'a SourceFile,
    parent: Option<usize>,
    /// Modules in files of their own, by name; `None` for one that only tests see.
    children: BTreeMap<String, Option<usize>>,
    /// What each `use` brings in, outside functions.
    imports: Vec<Import>,
    /// Names that the file itself declares.
    declared: BTreeSet<String>,
}

/// One leaf of a `use`.
#[derive(Debug, Clone)]
struct Import {
    /// The name it is known by here, or `None` for `*`.
    name: Option<String>,
    /// The path that is written, without the `*`.
    path: Vec<String>,
    line: usize,
    /// Whether it only offers the name to others.
    is_offer: bool,
}

impl Import {
    /// Whether what it names is needed here, used or not: a `use` of one name for this file alone.
    fn is_plain(&self) -> bool {
        !self.is_offer && (self.name.is_some() || self.is_of_variants())
    }

    /// Whether its `*` stands behind a type.
    fn is_of_variants(&self) -> bool {
        let last = self.path.last();
        last.is_some_and(|part| part.starts_with(char::is_uppercase))
    }
}

/// A path as it is written in a file.
struct Said {
    path: Vec<String>,
    line: usize,
    /// How many inline modules it stands in.
    depth: usize,
}

/// The modules of one crate.
pub(super) struct Tree<'a> {
    modules: Vec<Module<'a>>,
}

impl<'a> Tree<'a> {
    /// The modules that a root file declares, and theirs.
    pub(super) fn grown(files: &BTreeMap<&str, &'a SourceFile>, root: &str) -> Self {
        let mut tree = Self {
            modules: Vec::new(),
        };
        if let Some(file) = files.get(root) {
            let folder = root.rsplit_once('/').map_or("", |(folder, _)| folder);
            tree.grow(files, file, None, folder);
        }
        tree
    }

    fn grow(
        &mut self,
        files: &BTreeMap<&str, &'a SourceFile>,
        file: &'a SourceFile,
        parent: Option<usize>,
        folder: &str,
    ) -> usize {
        let index = self.modules.len();
        self.modules.push(Module {
            file,
            parent,
            children: BTreeMap::new(),
            imports: imports(&file.shipped),
            declared: file.shipped.iter().filter_map(declared).collect(),
        });
        for item in &file.shipped {
            let Item::Mod(module) = item else { continue };
            if module.content.is_some() {
                continue;
            }
            let name = module.ident.to_string();
            let below = format!("{folder}/{name}");
            let places = [format!("{below}.rs"), format!("{below}/mod.rs")];
            let child = places.iter().find_map(|place| files.get(place.as_str()));
            let child = child.map(|file| self.grow(files, file, Some(index), &below));
            self.modules[index].children.insert(name, child);
        }
        index
    }

    /// Which file needs which.
    pub(super) fn graph(&self) -> Graph {
        let mut graph = Graph::default();
        for (index, module) in self.modules.iter().enumerate() {
            let mut needs = BTreeMap::new();
            let mut search = Search::default();
            module
                .file
                .shipped
                .iter()
                .for_each(|item| search.visit_item(item));
            for said in search.found {
                if let Some(home) = self.home(index, &said) {
                    needs.entry(home).or_insert(said.line);
                }
            }
            for import in module.imports.iter().filter(|import| !import.is_plain()) {
                for home in self.supplied(index, import, &search.words) {
                    needs.entry(home).or_insert(import.line);
                }
            }
            needs.remove(&index);
            graph.files.push(module.file.path.clone());
            graph.needs.push(needs);
        }
        graph
    }

    /// Where the words of a file live that an offer or a `*` supplies.
    fn supplied(&self, at: usize, import: &Import, words: &BTreeSet<String>) -> BTreeSet<usize> {
        match &import.name {
            Some(name) if words.contains(name) => {
                self.lead(at, &import.path, FOLLOWED).into_iter().collect()
            }
            Some(_) => BTreeSet::new(),
            None => {
                let from = self.lead(at, &import.path, FOLLOWED);
                let homes = words.iter().filter(|word| !self.knows(at, word));
                homes
                    .filter_map(|word| self.named(from?, word, &[], FOLLOWED))
                    .collect()
            }
        }
    }

    /// Whether a file has a name without any `*`.
    fn knows(&self, at: usize, name: &str) -> bool {
        let module = &self.modules[at];
        let is_it = |import: &Import| import.name.as_deref() == Some(name);
        module.declared.contains(name)
            || module.children.contains_key(name)
            || module.imports.iter().any(is_it)
    }

    fn home(&self, index: usize, said: &Said) -> Option<usize> {
        // `super` within an inline module leads to the file itself first.
        let ups = said.path.iter().take_while(|part| *part == "super").count();
        if said.depth > 0 {
            let first = said.path.first()?;
            if ups > 0 && ups <= said.depth {
                let rest = &said.path[ups..];
                let is_file = ups == said.depth && !rest.is_empty();
                return if is_file {
                    self.lead(index, rest, FOLLOWED)
                } else {
                    None
                };
            }
            if ups > said.depth {
                return self.lead(index, &said.path[said.depth..], FOLLOWED);
            }
            if first != "crate" {
                return None;
            }
        }
        self.lead(index, &said.path, FOLLOWED)
    }

    /// The file in which what a path names lives, seen from a file; `None` for other crates.
    fn lead(&self, from: usize, path: &[String], left: usize) -> Option<usize> {
        let left = left.checked_sub(1)?;
        let (first, rest) = path.split_first()?;
        match first.as_str() {
            "crate" => self.within(0, rest, left),
            "self" => self.within(from, rest, left),
            "super" => {
                let parent = self.modules[from].parent?;
                if rest.is_empty() {
                    return Some(parent);
                }
                let again: Vec<String> = match rest[0].as_str() {
                    "super" => rest.to_vec(),
                    _ => [&["self".to_owned()], rest].concat(),
                };
                self.lead(parent, &again, left)
            }
            _ => self.named(from, first, rest, left),
        }
    }

    /// Where a path leads that begins with a name known in a file.
    fn named(&self, at: usize, name: &str, rest: &[String], left: usize) -> Option<usize> {
        let left = left.checked_sub(1)?;
        let module = &self.modules[at];
        if let Some(child) = module.children.get(name) {
            return self.within((*child)?, rest, left);
        }
        if module.declared.contains(name) {
            return Some(at);
        }
        let is_it = |import: &&Import| import.name.as_deref() == Some(name);
        if let Some(import) = module.imports.iter().find(is_it) {
            // A name that is imported under itself belongs to another crate.
            if import.path.first().is_some_and(|first| first == name) {
                return None;
            }
            return self.lead(at, &[&import.path[..], rest].concat(), left);
        }
        let globs = module.imports.iter().filter(|import| import.name.is_none());
        for glob in globs {
            if let Some(target) = self.lead(at, &glob.path, left)
                && target != at
                && self.modules[target].declared.contains(name)
            {
                return Some(target);
            }
        }
        None
    }

    /// Where the rest of a path leads that has reached a file.
    fn within(&self, at: usize, rest: &[String], left: usize) -> Option<usize> {
        match rest.split_first() {
            None => Some(at),
            Some((name, rest)) => {
                let is_import = |import: &Import| import.name.as_deref() == Some(name.as_str());
                let found = self.named(at, name, rest, left);
                let module = &self.modules[at];
                let is_elsewhere =
                    module.imports.iter().any(is_import) || module.children.contains_key(name);
                // What cannot be found by name, such as a macro's work, is at home here.
                if found.is_none() && !is_elsewhere {
                    return Some(at);
                }
                found
            }
        }
    }
}

fn declared(item: &Item) -> Option<String> {
    let name = match item {
        Item::Const(i) => &i.ident,
        Item::Enum(i) => &i.ident,
        Item::Fn(i) => &i.sig.ident,
        Item::Mod(i) if i.content.is_some() => &i.ident,
        Item::Static(i) => &i.ident,
        Item::Struct(i) => &i.ident,
        Item::Trait(i) => &i.ident,
        Item::Type(i) => &i.ident,
        Item::Union(i) => &i.ident,
        Item::Macro(i) => i.ident.as_ref()?,
        _ => return None,
    };
    Some(name.to_string())
}

fn imports(items: &[Item]) -> Vec<Import> {
    let mut found = Vec::new();
    for item in items {
        if let Item::Use(item) = item {
            let is_offer = !matches!(item.vis, Visibility::Inherited);
            leaves(&item.tree, &outer(item), &mut |name, path, line| {
                found.push(Import {
                    name,
                    path,
                    line,
                    is_offer,
                });
            });
        }
    }
    found
}

/// What a path begins with that `::` sends to another crate: a name that no file has.
fn outer(item: &syn::ItemUse) -> Vec<String> {
    item.leading_colon
        .map(|_| String::new())
        .into_iter()
        .collect()
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
struct Search {
    depth: usize,
    found: Vec<Said>,
    words: BTreeSet<String>,
}

impl Search {
    fn say(&mut self, path: Vec<String>, line: usize) {
        let depth = self.depth;
        self.found.push(Said { path, line, depth });
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
                TokenTree::Punct(_) | TokenTree::Literal(_) => {
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
}

impl<'ast> Visit<'ast> for Search {
    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        self.depth += 1;
        visit::visit_item_mod(self, item);
        self.depth -= 1;
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        if matches!(item.vis, Visibility::Inherited) {
            leaves(&item.tree, &outer(item), &mut |name, path, line| {
                let import = Import {
                    name,
                    path,
                    line,
                    is_offer: false,
                };
                if import.is_plain() {
                    self.say(import.path, line);
                }
            });
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
        self.visit_path(&call.path);
        self.tokens(call.tokens.to_token_stream());
    }

    fn visit_visibility(&mut self, _: &'ast Visibility) {}

    fn visit_attribute(&mut self, _: &'ast syn::Attribute) {}
}
