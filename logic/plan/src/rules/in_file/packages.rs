//! Packages with their versions in data: the range sign before a version (`"^18.2.0"`), and lists whose items name
//! a package each (`dependencies = ["click==8.1.7"]`).

use super::lines::Lines;
use super::tree::{Kind, Node, Tree};
use super::value::{NewValue, Value};
use super::written::{is_package_list, is_version};
use crate::quoted::in_quotes;
use crate::rules::refusal::{Note, Offer, Refusal};
use crate::rules::words::{is_file, pattern};
use domain::plan::Action;
use regex::Regex;
use std::ops::Range;
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

/// A question for all packages that names no file.
static ALL: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(&format!(
        "(?i)^(?:{}){}",
        crate::rules::grammar::DEPENDENCIES,
        r"[ ?.!]*$"
    ))
});

/// Whether a question is for all packages of a project, and names no file.
pub(super) fn are_asked(question: &str) -> bool {
    let all = ALL.as_ref();
    all.is_some_and(|all| all.is_match(question.trim()))
}

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
    let one = || format!("{sign}{to}");
    match has_none && !is_quoted {
        true if is_one => Some(one()),
        true => with_bounds(is, to),
        false => None,
    }
}

/// The numbers of a version, of which those that are missing are 0.
fn numbers(version: &str) -> Option<[u64; 4]> {
    let mut numbers = [0; 4];
    let parts = version.trim().trim_end_matches(".*").split('.');
    for (at, part) in parts.enumerate() {
        *numbers.get_mut(at)? = part.parse().ok()?;
    }
    Some(numbers)
}

/// Several bounds (`>=8,<9`) with a version in the place of the lowest one, where it is within the others.
fn with_bounds(is: &str, to: &str) -> Option<String> {
    let signs = ["===", "==", "~=", ">=", "<=", "!=", ">", "<"];
    let bounds = is.split(',').map(|bound| {
        let sign = signs.iter().find(|sign| bound.trim().starts_with(**sign))?;
        let version = bound.trim().strip_prefix(*sign)?;
        Some((*sign, version.trim(), bound))
    });
    let bounds: Vec<(&str, &str, &str)> = bounds.collect::<Option<_>>()?;
    let new = numbers(to)?;
    let is_lower = |sign: &str| [">=", ">", "~="].contains(&sign);
    let mut lower = bounds.iter().filter(|(sign, _, _)| is_lower(sign));
    let (_, lowest, _) = lower.next().filter(|_| lower.next().is_none())?;
    let mut others = bounds.iter().filter(|(sign, _, _)| !is_lower(sign));
    let fits = others.all(|(sign, version, _)| match (*sign, numbers(version)) {
        ("<", Some(most)) => new < most,
        ("<=", Some(most)) => new <= most,
        ("!=", Some(other)) => new != other,
        _ => false,
    });
    let written = bounds
        .iter()
        .map(|(sign, version, bound)| match is_lower(sign) {
            true => bound.replacen(version, to, 1),
            false => (*bound).to_owned(),
        });
    let written: Vec<String> = written.collect();
    (fits && bounds.len() > 1 && *lowest != to).then(|| written.join(","))
}

/// Whether a version has a sign before it.
pub(super) fn has_sign(to: &str) -> bool {
    to.starts_with(['>', '<', '=', '~', '!'])
}

/// Whether a value is several bounds of the versions of a package.
pub(super) fn are_bounds(is: &str) -> bool {
    is.contains(',') && is.trim_start().starts_with(['>', '<', '=', '~', '!'])
}

/// A package with its versions without the spaces between: `rich >= 14` is `rich>=14`.
pub(super) fn without_spaces(item: &str) -> Option<String> {
    static SPACED: LazyLock<Option<Regex>> = LazyLock::new(|| {
        pattern(
            r"^(?P<name>[A-Za-z0-9][\w.-]*(?:\[[^\]]*\])?)\s*(?P<bounds>(?:===|==|~=|>=|<=|!=|>|<)\s*\d[\w.*]*(?:\s*,\s*(?:===|==|~=|>=|<=|!=|>|<)\s*\d[\w.*]*)*)$",
        )
    });
    let found = SPACED.as_ref()?.captures(item.trim())?;
    let bounds: String = found["bounds"].split_whitespace().collect();
    Some(format!("{}{bounds}", &found["name"]))
}

impl Lines<'_> {
    /// The versions that items of lists of packages have of one. Of several bounds (`>=8,<9`) it is all of them with
    /// their signs.
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
        if is_package_list(self.path) {
            return self.bounds_of_lines();
        }
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
            let first = match version.as_str().contains(',') {
                true => found.name("sign")?.start(),
                false => version.start(),
            };
            let start = item.place.start;
            let place = start + first..start + version.end();
            Some(Value {
                place,
                quote: item.quote,
                path,
            })
        });
        versions.collect()
    }

    /// The several bounds that lines of a list of packages have; of a line with one, the line sets a value.
    fn bounds_of_lines(&self) -> Vec<Value> {
        let lines = self.lines().filter_map(|line| {
            let text = self.text[line.clone()]
                .split(" #")
                .next()
                .unwrap_or_default();
            let found = ITEM.as_ref()?.captures(text.trim_end())?;
            let (sign, version) = (found.name("sign")?, found.name("version")?);
            let place = line.start + sign.start()..line.start + version.end();
            version.as_str().contains(',').then(|| Value {
                place,
                quote: None,
                path: vec![found["name"].to_owned()],
            })
        });
        lines.collect()
    }

    /// Refuses a package that a line of this list of packages has.
    pub(super) fn is_no_line_of(&self, added: &str) -> Result<(), Refusal> {
        let name = |line: &str| {
            let bare = line.split(" #").next().unwrap_or_default().trim();
            let found = ITEM.as_ref()?.captures(bare)?;
            Some(plain(&found["name"]))
        };
        let Some(new) = name(added) else {
            return Ok(());
        };
        let is_it =
            |line: &std::ops::Range<usize>| name(&self.text[line.clone()]).as_ref() == Some(&new);
        let Some(line) = self.lines().find(is_it) else {
            return Ok(());
        };
        let is = &self.text[line.clone()];
        let number = self.text[..line.start].matches('\n').count() + 1;
        let why = format!("{} has `{}` (line {number}) already.", self.path, is.trim());
        let path = self.shown_path();
        if is.trim() == added.trim() || plain(added) == new {
            return Err(Refusal::ambiguous(why, vec![format!("show {path}")]));
        }
        let offer = Offer {
            forms: vec![format!(
                "replace line {number} of {path} with {}",
                in_quotes(added)
            )],
            after: format!(
                "{}{added}{}",
                &self.text[..line.start],
                &self.text[line.end..]
            ),
            otherwise: format!("Change it in {} in an editor.", self.path),
        };
        Err(Refusal::ambiguous(why, Vec::new()).offering(vec![offer]))
    }

    /// What is said of a package that another list of the file has as well.
    pub(super) fn is_in_another_list(&self, item: &str, list: &str) -> Option<Note> {
        let tree = Tree::of(self)?;
        let name = ITEM.as_ref()?.captures(item)?["name"].to_owned();
        let own = tree.lists_called(list);
        let others = tree.nodes.iter().filter(|node| {
            let is_own = node.parent.is_some_and(|parent| own.contains(&parent));
            !is_own && self.is_package(&tree, node, &name)
        });
        let told = others.map(|node| {
            format!(
                "`{}` of `{}`",
                &self.text[node.value(self.text).place],
                node.path.join(".")
            )
        });
        let told: Vec<String> = told.collect();
        (!told.is_empty()).then(|| Note {
            code: "plan.package_there",
            message: format!(
                "{} has it in another list too: {}.",
                self.path,
                told.join(", ")
            ),
            before_offer: "",
            offer: None,
        })
    }

    /// The refusal of a package without its version, where the file needs one.
    pub(super) fn needs_a_version(&self, name: &str, list: &str) -> Option<Refusal> {
        let list = match list {
            "dependency" | "requirement" => "dependencies",
            list => list,
        };
        let names_packages = list.contains("dependenc");
        let is_manifest = ["cargo.toml", "package.json"]
            .iter()
            .any(|file| self.path.to_lowercase().ends_with(file));
        let is_name = !name.is_empty()
            && name
                .chars()
                .all(|c| c.is_alphanumeric() || "_-/@.".contains(c));
        if !names_packages || !is_manifest || !is_name {
            return None;
        }
        let (path, file) = (self.path, self.shown_path());
        if let Some(told) = self.keys_named(&format!("{name} of {list}")).first() {
            let why = format!(
                "{path} has `{}` already.",
                self.line_of(told).trim().trim_end_matches(',')
            );
            return Some(Refusal::ambiguous(why, vec![format!("show {file}")]));
        }
        let why = format!("What `{list}` of {path} has needs a version, and none is said.");
        let advice = format!("Type it: `add {name} = \"VERSION\" to the {list} in {file}`.");
        Some(Refusal::ambiguous(why, Vec::new()).advised(advice))
    }

    /// Whether an item of a list of packages is of the one of this name.
    pub(super) fn is_package(&self, tree: &Tree, node: &Node, name: &str) -> bool {
        let place = node.value(self.text).place;
        let found = ITEM
            .as_ref()
            .and_then(|form| form.captures(&self.text[place]));
        self.is_item(tree, node) && found.is_some_and(|found| plain(&found["name"]) == plain(name))
    }

    /// The change that removes a package that its name names: its item of the only list that has it, or its line
    /// of a list of packages. `None` where none is meant.
    pub(super) fn remove_package(&self, name: &str) -> Option<Result<Action, Refusal>> {
        if is_package_list(self.path) {
            let is_it = |line: &Range<usize>| {
                let says = self.text[line.clone()].trim();
                let found = ITEM.as_ref().and_then(|form| form.captures(says));
                !says.starts_with('#') && found.is_some_and(|it| plain(&it["name"]) == plain(name))
            };
            let mut lines = self.lines().filter(is_it);
            let only = lines.next().filter(|_| lines.next().is_none())?;
            return Some(self.without(&only));
        }
        let tree = Tree::of(self)?;
        let is_it = |at: &usize| self.is_package(&tree, &tree.nodes[*at], name);
        let mut found = (0..tree.nodes.len()).filter(is_it);
        let only = found.next().filter(|_| found.next().is_none())?;
        Some(self.without_node(&tree, only))
    }

    /// Whether a place is a part of an item in quotes of a list, which says nothing without it.
    pub(super) fn is_part_of_item(&self, place: &Range<usize>) -> bool {
        let Some(tree) = Tree::of(self) else {
            return false;
        };
        tree.nodes.iter().any(|node| {
            let list = node.parent.and_then(|at| tree.nodes.get(at));
            let is_quoted = self.text[node.place.clone()].starts_with(['"', '\'']);
            let value = node.value(self.text).place;
            node.key.is_none()
                && is_quoted
                && list.is_some_and(|list| list.kind == Kind::List)
                && value.start <= place.start
                && place.end <= value.end
                && value != *place
        })
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_takes_the_place_of_the_lowest_bound() {
        for (is, to, after) in [
            (">=8,<9", "8.3", Some(">=8.3,<9")),
            (">=8, !=8.2, <9", "8.3", Some(">=8.3, !=8.2, <9")),
            (">=8,<9", "9.1", None),
            (">=8,<=9", "9", Some(">=9,<=9")),
            (">=8,!=8.3", "8.3", None),
            ("<9,<10", "8", None),
            (">=8,<9", "8.3rc1", None),
        ] {
            assert_eq!(with_range(is, (to, false)).as_deref(), after, "{is} {to}");
        }
        assert_eq!(
            with_range("^18.2.0", ("18.3.1", false)).as_deref(),
            Some("^18.3.1")
        );
    }

    #[test]
    fn a_package_of_another_list_is_told() {
        let text = "[project]\ndependencies = [\"rich>=13\"]\n[project.optional-dependencies]\ndev = [\"pytest>=8\"]\n";
        let lines = Lines {
            path: "pyproject.toml",
            text,
        };
        let note = lines.is_in_another_list("PyTest", "dependencies");
        let told = note.map(|note| note.message).unwrap_or_default();
        let says = "`pytest>=8` of `project.optional-dependencies.dev`";
        assert!(told.contains(says), "{told}");
        assert!(lines.is_in_another_list("rich", "dependencies").is_none());
        assert!(lines.is_in_another_list("attrs", "dependencies").is_none());
    }
}
