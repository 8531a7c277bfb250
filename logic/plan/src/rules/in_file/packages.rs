//! Packages with their versions in data: the range sign before a version (`"^18.2.0"`), and lists whose items name
//! a package each (`dependencies = ["click==8.1.7"]`).

use super::lines::Lines;
use super::tree::{Kind, Node, Tree};
use super::value::{NewValue, Value};
use super::written::{is_package_list, is_version};
use crate::quoted::in_quotes;
use crate::rules::refusal::{Offer, Refusal};
use crate::rules::words::{is_file, pattern};
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

/// A question for the version of a package that names no file.
static ASKED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(concat!(
        r"(?i)^(?:(?:can|could) you )?(?:tell me )?(?:",
        r"(?:which|what) version of (?:the )?(?P<a>[\w@/.-]+)(?: (?:package|crate|library|module))?",
        r" (?:do|does|are|am|is) (?:we|i|you|it|this|(?:the|this|my|our) project)(?: \w+)?(?: on)?",
        r"|(?:which|what) (?P<b>[\w@/.-]+) version (?:do|does|are|am|is) (?:we|i|you|it|this|(?:the|this|my|our) project)(?: \w+)?(?: on)?",
        r"|(?:which|what) version of (?P<c>[\w@/.-]+) is (?:used|installed|required|in use|pinned)",
        r"|(?:what is|what['’]s) (?:the|our) version of (?P<d>[\w@/.-]+?)(?: (?:that )?(?:we|i) (?:use|have|need))?",
        r")(?: here)?[ ?.!]*$",
    ))
});

/// Files that say which packages a project needs.
const LISTS: [&str; 4] = [
    "cargo.toml",
    "package.json",
    "pyproject.toml",
    "composer.json",
];

/// The package for whose version a question is, where it names no file.
pub(super) fn asked(question: &str) -> Option<String> {
    let found = ASKED.as_ref()?.captures(question.trim())?;
    let mut names = ["a", "b", "c", "d"].into_iter();
    let name = names.find_map(|name| found.name(name))?.as_str();
    (!is_file(name)).then(|| name.to_owned())
}

/// Whether a file says which packages a project needs, by its name.
pub(super) fn is_list_of_them(name: &str) -> bool {
    LISTS.contains(&name.to_lowercase().as_str()) || is_package_list(name)
}

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

    /// What a file says of the version of a package, with its line; `None` where it is not one of its packages.
    pub(super) fn told_package(&self, name: &str) -> Option<String> {
        let key = format!("version of {name}");
        let mut found = self.packages(&key);
        if found.is_empty() {
            found = self.keys_named(&key);
        }
        if found.is_empty() {
            let plain = |value: &Value| is_version(&self.text[value.place.clone()]);
            found = self.keys_named(name).into_iter().filter(plain).collect();
        }
        let told = found.iter().map(|value| {
            let is = self.text[value.place.clone()].trim();
            format!("`{}` is {is}", value.dotted())
        });
        let told: Vec<String> = told.collect();
        let shown = found.iter().map(|value| {
            format!(
                "\n  {}: {}",
                self.number_of(value),
                self.line_of(value).trim()
            )
        });
        let shown: String = shown.collect();
        (!told.is_empty()).then(|| {
            let told = told.join(", and ");
            format!("{told} (by rules, no model).\n\nFrom {}:{shown}", self.path)
        })
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
