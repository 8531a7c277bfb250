//! Where a name leads: the tree of a crate's modules, and what each one needs of the others.

use super::graph::Graph;
use super::written::{Import, Said, Written, imports};
use crate::source::SourceFile;
use std::collections::{BTreeMap, BTreeSet};
use syn::Item;

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
            let mut need = |homes: BTreeSet<usize>, line: usize| {
                for home in homes {
                    needs.entry(home).or_insert(line);
                }
            };
            let written = Written::of(&module.file.shipped);
            for said in &written.paths {
                need(self.homes(index, said), said.line);
            }
            for (name, line) in &written.macros {
                need(self.macro_home(index, name).into_iter().collect(), *line);
            }
            let offers = module.imports.iter().filter(|import| import.is_offer);
            for import in offers.chain(&written.globs) {
                need(
                    self.supplied(index, import, &written.words),
                    import.said.line,
                );
            }
            needs.remove(&index);
            graph.files.push(module.file.path.clone());
            graph.needs.push(needs);
        }
        graph
    }

    /// The files in which the words of a file live that an offer or a `*` supplies.
    fn supplied(&self, at: usize, import: &Import, words: &BTreeSet<String>) -> BTreeSet<usize> {
        match &import.name {
            Some(name) if words.contains(name) => self.homes(at, &import.said),
            Some(_) => BTreeSet::new(),
            None => {
                let Some(from) = self.home(at, &import.said, &mut BTreeSet::new()) else {
                    return BTreeSet::new();
                };
                let supplied = words.iter().filter(|word| !self.knows(at, word));
                supplied
                    .flat_map(|word| {
                        let mut homes = BTreeSet::new();
                        let home = self.named(from, word, &[], FOLLOWED, &mut homes);
                        homes.extend(home);
                        homes
                    })
                    .collect()
            }
        }
    }

    /// The file whose `macro_rules!` a file calls by its name alone.
    fn macro_home(&self, at: usize, name: &str) -> Option<usize> {
        let declares = |index: &usize| {
            let mut items = self.modules[*index].file.shipped.iter();
            items.any(|item| {
                matches!(item, Item::Macro(item) if item.ident.as_ref().is_some_and(|i| i == name))
            })
        };
        match self.knows(at, name) {
            true => None,
            false => (0..self.modules.len()).find(declares),
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

    /// The files that a path needs: the one where what it names lives, and those that pass it on.
    /// A file that passes a name on and works with its children is thereby in a circle with a child
    /// that takes the name from it.
    fn homes(&self, index: usize, said: &Said) -> BTreeSet<usize> {
        let mut homes = BTreeSet::new();
        let home = self.home(index, said, &mut homes);
        homes.extend(home);
        homes
    }

    fn home(&self, index: usize, said: &Said, via: &mut BTreeSet<usize>) -> Option<usize> {
        // `super` within an inline module leads to the file itself first.
        let ups = said.path.iter().take_while(|part| *part == "super").count();
        if said.depth > 0 {
            let first = said.path.first()?;
            if ups > 0 && ups <= said.depth {
                let rest = &said.path[ups..];
                let is_file = ups == said.depth && !rest.is_empty();
                return if is_file {
                    self.lead(index, rest, FOLLOWED, via)
                } else {
                    None
                };
            }
            if ups > said.depth {
                return self.lead(index, &said.path[said.depth..], FOLLOWED, via);
            }
            if first != "crate" {
                return None;
            }
        }
        self.lead(index, &said.path, FOLLOWED, via)
    }

    /// The file in which what a path names lives, seen from a file; `None` for other crates. Files
    /// that pass the name on are put into `via`.
    fn lead(
        &self,
        from: usize,
        path: &[String],
        left: usize,
        via: &mut BTreeSet<usize>,
    ) -> Option<usize> {
        let left = left.checked_sub(1)?;
        let (first, rest) = path.split_first()?;
        match first.as_str() {
            "crate" => self.within(0, rest, left, via),
            "self" => self.within(from, rest, left, via),
            "super" => {
                let parent = self.modules[from].parent?;
                if rest.is_empty() {
                    return Some(parent);
                }
                let again: Vec<String> = match rest[0].as_str() {
                    "super" => rest.to_vec(),
                    _ => [&["self".to_owned()], rest].concat(),
                };
                self.lead(parent, &again, left, via)
            }
            _ => self.named(from, first, rest, left, via),
        }
    }

    /// Where a path leads that begins with a name known in a file.
    fn named(
        &self,
        at: usize,
        name: &str,
        rest: &[String],
        left: usize,
        via: &mut BTreeSet<usize>,
    ) -> Option<usize> {
        let left = left.checked_sub(1)?;
        let module = &self.modules[at];
        if let Some(child) = module.children.get(name) {
            return self.within((*child)?, rest, left, via);
        }
        if module.declared.contains(name) {
            return Some(at);
        }
        let is_it = |import: &&Import| import.name.as_deref() == Some(name);
        if let Some(import) = module.imports.iter().find(is_it) {
            via.insert(at);
            let path = &import.said.path;
            // A name that is imported under itself belongs to another crate.
            if path.first().is_some_and(|first| first == name) {
                return None;
            }
            return self.lead(at, &[&path[..], rest].concat(), left, via);
        }
        let globs = module.imports.iter().filter(|import| import.name.is_none());
        for glob in globs {
            if let Some(target) = self.lead(at, &glob.said.path, left, &mut BTreeSet::new())
                && target != at
            {
                let mut passed = BTreeSet::new();
                if let Some(home) = self.named(target, name, rest, left, &mut passed) {
                    via.insert(at);
                    via.extend(passed);
                    return Some(home);
                }
            }
        }
        None
    }

    /// Where the rest of a path leads that has reached a file.
    fn within(
        &self,
        at: usize,
        rest: &[String],
        left: usize,
        via: &mut BTreeSet<usize>,
    ) -> Option<usize> {
        match rest.split_first() {
            None => Some(at),
            Some((name, rest)) => {
                let is_import = |import: &Import| import.name.as_deref() == Some(name.as_str());
                let found = self.named(at, name, rest, left, via);
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
