//! Packages with their versions in data: the range sign before a version (`"^18.2.0"`), and lists whose items name
//! a package each (`dependencies = ["click==8.1.7"]`).

use super::lines::Lines;
use super::tree::{Kind, Node, Tree};
use super::value::{NewValue, Value};
use super::written::is_version;
use crate::quoted::in_quotes;
use crate::rules::refusal::{Offer, Refusal};
use crate::rules::words::pattern;
use regex::Regex;
use std::sync::LazyLock;

/// An item of a list of packages: its name, and what follows with the sign and the version.
static ITEM: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"^(?P<name>[A-Za-z0-9][\w.-]*)(?:\[[^\]]*\])?\s*(?:(?P<sign>===|==|~=|>=|<=|>|<)\s*(?P<version>[^;]+?)\s*)?(?:;.*)?$",
    )
});
/// Signs of the versions from one on, which a newer one keeps.
static RANGE: LazyLock<Option<Regex>> = LazyLock::new(|| pattern(r"^(?:\^|~=|~|>=|===|==|=)\s*"));

/// A name of a package as all its spellings are one: `Foo_Bar` is `foo-bar`.
fn plain(name: &str) -> String {
    name.to_lowercase().replace(['_', '.'], "-")
}

/// Whether a list is one of packages, by its path.
fn is_of_packages(node: &Node) -> bool {
    let mut names = node.path.iter();
    names.any(|name| {
        let name = name.to_lowercase();
        name.contains("dependenc") || name == "requires" || name == "requirements"
    })
}

/// A version that takes the place of another with the range sign of that, where it has none itself and was not
/// given in quotes.
pub(super) fn with_range(is: &str, (to, is_quoted): NewValue<'_>) -> Option<String> {
    let sign = RANGE.as_ref()?.find(is)?.as_str();
    let has_none = to.starts_with(|c: char| c.is_ascii_digit()) && is_version(to);
    let is_one = is[sign.len()..].starts_with(|c: char| c.is_ascii_digit())
        && !is.contains([',', '|'])
        && !is[sign.len()..].contains(' ');
    (has_none && is_one && !is_quoted).then(|| format!("{sign}{to}"))
}

impl Lines<'_> {
    /// The versions that items of lists of packages have of one. Of several bounds (`>=8,<9`) all the list is
    /// given, which is no plain value.
    pub(super) fn packages(&self, key: &str) -> Vec<Value> {
        let owner = key.to_lowercase();
        let owner = owner.strip_prefix("version of ").unwrap_or(&owner);
        let owner = owner.strip_suffix(" version").unwrap_or(owner);
        let mut versions = self.all_packages();
        versions.retain(|value| {
            let name = value.path.last();
            name.is_some_and(|name| plain(name) == plain(owner))
        });
        versions
    }

    /// The versions of all packages that lists name.
    pub(super) fn all_packages(&self) -> Vec<Value> {
        let Some(tree) = Tree::of(self) else {
            return Vec::new();
        };
        let items = tree.nodes.iter().filter(|node| self.is_item(&tree, node));
        let versions = items.filter_map(|node| {
            let item = node.value(self.text);
            let found = ITEM.as_ref()?.captures(&self.text[item.place.clone()])?;
            let version = found.name("version")?;
            let mut path = node.path.clone();
            path.push(found["name"].to_owned());
            let (place, quote) = match version.as_str().contains(',') {
                true => (tree.nodes.get(node.parent?)?.place.clone(), None),
                false => {
                    let start = item.place.start;
                    (start + version.start()..start + version.end(), item.quote)
                }
            };
            Some(Value { place, quote, path })
        });
        versions.collect()
    }

    /// Whether an item of a list of packages is of the one of this name.
    pub(super) fn is_package(&self, tree: &Tree, node: &Node, name: &str) -> bool {
        let place = node.value(self.text).place;
        let found = ITEM
            .as_ref()
            .and_then(|form| form.captures(&self.text[place]));
        self.is_item(tree, node) && found.is_some_and(|found| plain(&found["name"]) == plain(name))
    }

    fn is_item(&self, tree: &Tree, node: &Node) -> bool {
        let list = node.parent.and_then(|at| tree.nodes.get(at));
        node.kind == Kind::Plain
            && self.text[node.place.clone()].starts_with(['"', '\''])
            && list.is_some_and(|list| list.kind == Kind::List && is_of_packages(list))
    }

    /// Refuses a package in a list that has it, with another version or the same.
    pub(super) fn is_no_package_of(
        &self,
        tree: &Tree,
        list: usize,
        item: &str,
    ) -> Result<(), Refusal> {
        let name = |item: &str| {
            let found = ITEM.as_ref()?.captures(item)?;
            Some(plain(&found["name"]))
        };
        let Some(new) = name(item) else { return Ok(()) };
        let mut items = tree.within(list).into_iter();
        let Some(node) = items.find(|node| self.is_package(tree, node, &new)) else {
            return Ok(());
        };
        let place = node.value(self.text).place;
        let is = &self.text[place.clone()];
        let why = format!("{} has `{is}` in that list already.", self.path);
        if is == item || plain(item) == new {
            let shows = format!("show {}", self.shown_path());
            return Err(Refusal::ambiguous(why, vec![shows]));
        }
        let order = format!(
            "replace {} with {} in {}",
            in_quotes(is),
            in_quotes(item),
            self.shown_path()
        );
        let offer = Offer {
            forms: vec![order],
            after: format!(
                "{}{item}{}",
                &self.text[..place.start],
                &self.text[place.end..]
            ),
            otherwise: format!("Change it in {} in an editor.", self.path),
        };
        Err(Refusal::ambiguous(why, Vec::new()).offering(vec![offer]))
    }
}
