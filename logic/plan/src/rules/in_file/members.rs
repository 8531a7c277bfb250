//! Keys of tables and items of lists: added, removed and renamed where the data of a file has them, with the
//! commas between them.

use super::keys::{self, Reading, are_alike};
use super::lines::Lines;
use super::packages;
use super::tree::{Kind, Node, Tree};
use super::value::NewValue;
use super::written;
use crate::quoted::in_quotes;
use crate::rules::refusal::Refusal;
use domain::plan::Action;

/// The name of something that is removed, with where it is: `"DOM"` of `lib`, `timeout` of `[backup]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Member {
    pub(super) name: String,
    pub(super) of: String,
}

impl Tree {
    /// The lists that words mean.
    pub(super) fn lists_called(&self, said: &str) -> Vec<usize> {
        self.holders(said, Kind::List)
    }

    /// The tables and lists that words mean.
    fn holders(&self, said: &str, kind: Kind) -> Vec<usize> {
        let readings = keys::readings(said);
        let is_meant = |at: &usize| {
            let node = &self.nodes[*at];
            let named = readings.iter().any(|reading| is_named(reading, node));
            node.kind == kind && node.key.is_some() && named
        };
        (0..self.nodes.len()).filter(is_meant).collect()
    }
}

/// Whether a reading means a node. A list of features is named by each of them.
fn is_named(reading: &Reading, node: &Node) -> bool {
    let own = node.path.last();
    own.is_some_and(|own| are_alike(own, &reading.name)) && reading.means(&node.path)
}

impl Lines<'_> {
    /// The change that adds an item to a list.
    pub(super) fn add_item(
        &self,
        (item, is_quoted): NewValue<'_>,
        list: &str,
    ) -> Result<Action, Refusal> {
        if ["yaml", "yml"].contains(&self.ending().as_str()) {
            return self.add_yaml_item((item, is_quoted), list);
        }
        let Some(tree) = Tree::of(self) else {
            return Err(self.absent(&format!("no list `{list}` that I can read")));
        };
        // `the feature net` of tokio is one of its features.
        let of_kind = item.split_once(' ').filter(|_| !is_quoted);
        let of_kind = of_kind.and_then(|(kind, item)| {
            let lists = tree.holders(&format!("{kind} of {list}"), Kind::List);
            (!lists.is_empty()).then_some((lists, item))
        });
        let (lists, item) = of_kind.unwrap_or_else(|| (tree.holders(list, Kind::List), item));
        if lists.is_empty()
            && let Some(refusal) = self.needs_a_version(item, list)
        {
            return Err(refusal);
        }
        if lists.is_empty()
            && let Some(refusal) = self.nearly_a_list((item, is_quoted), list, &tree)
        {
            return Err(refusal);
        }
        let spaceless = packages::without_spaces(item);
        let item = spaceless.as_deref().unwrap_or(item);
        let at = self.only(&tree, &lists, &format!("list `{list}`"))?;
        if !is_quoted && item.contains(char::is_whitespace) {
            let why = format!("`{item}` may say more than the item.");
            return Err(Refusal::ambiguous(why, Vec::new()).advised("Put the item in quotes."));
        }
        self.is_no_package_of(&tree, at, item)?;
        let items = tree.within(at);
        let have_quotes = |node: &&Node| self.text[node.place.clone()].starts_with(['"', '\'']);
        let is_bare = !is_quoted && written::is_literal(item) && !items.iter().any(have_quotes);
        let written = match is_bare {
            true => item.to_owned(),
            false => serde_json::Value::from(item).to_string(),
        };
        let is_it = |node: &&Node| self.text[node.place.clone()] == written;
        if items.iter().any(is_it) {
            let why = format!("`{list}` of {} has `{item}` already.", self.path);
            return Err(Refusal::ambiguous(why, Vec::new()).advised("Nothing is to be changed."));
        }
        self.put_within(&tree, at, &written)
    }

    /// The refusal of an item for what is no list by that name: a table whose keys are packages, or a list that is
    /// called by a word of it (`dev dependencies`).
    fn nearly_a_list(
        &self,
        (item, is_quoted): NewValue<'_>,
        list: &str,
        tree: &Tree,
    ) -> Option<Refusal> {
        let path = self.shown_path();
        let tables = tree.holders(list, Kind::Table);
        let pair = item.split_once(' ').filter(|_| !is_quoted);
        if let (Some((name, version)), false) = (pair, tables.is_empty()) {
            let sign = if self.ending() == "toml" { " =" } else { ":" };
            let why = format!("`{list}` of {} has names with their versions.", self.path);
            let (name, version) = (in_quotes(name), in_quotes(version));
            let order = format!("add {name}{sign} {version} to {list} in {path}");
            return Some(Refusal::ambiguous(why, vec![order]));
        }
        let (word, rest) = list.split_once(' ')?;
        let is_called = !tree.holders(word, Kind::List).is_empty();
        (is_called && rest.starts_with("dependenc")).then(|| {
            let why = format!(
                "{} has no list `{list}`, and one that is called `{word}`.",
                self.path
            );
            Refusal::ambiguous(why, vec![format!("add {item} to {word} in {path}")])
        })
    }

    /// The change that adds a key to a table within brackets; `None` where none is meant.
    pub(super) fn add_member(
        &self,
        section: Option<&str>,
        name: &str,
        (to, is_quoted): NewValue<'_>,
    ) -> Option<Result<Action, Refusal>> {
        let tree = Tree::of(self)?;
        let tables = match section {
            Some(section) => tree.holders(section, Kind::Table),
            None => vec![0],
        };
        let is_root = |at: usize| {
            let node = tree.nodes.get(at);
            node.is_some_and(|node| node.path.is_empty() && node.kind == Kind::Table)
        };
        let [at] = tables.as_slice() else {
            return None;
        };
        if section.is_none() && !is_root(*at) {
            return None;
        }
        let is_json = self.ending() == "json";
        let is_bare = !is_quoted && is_bare(to, is_json);
        let value = match is_bare {
            true => to.to_owned(),
            false => serde_json::Value::from(to).to_string(),
        };
        let written = match is_json {
            false => format!("{name} = {value}"),
            true => {
                let inside = tree.within(*at);
                let is_close = |node: &&Node| {
                    let between = node.key.as_ref().map(|key| key.end..node.place.start);
                    between.is_some_and(|between| &self.text[between] == ":")
                };
                let gap = if inside.iter().any(is_close) { "" } else { " " };
                format!("{}:{gap}{value}", serde_json::Value::from(name))
            }
        };
        Some(self.put_within(&tree, *at, &written))
    }

    /// The change that removes an item of a list or a key, with the comma that parts it from others.
    pub(super) fn remove_member(&self, member: &Member) -> Result<Action, Refusal> {
        let Member { name, of } = member;
        if let Some(removed) = self.remove_yaml_item(name, of) {
            return removed;
        }
        if let Some(tree) = Tree::of(self) {
            let (kind, item) = name.split_once(' ').unwrap_or(("", name));
            let lists = tree.holders(of, Kind::List).into_iter();
            let lists = lists.map(|at| (at, name.as_str()));
            let of_kind = tree.holders(&format!("{kind} of {of}"), Kind::List);
            let of_kind = of_kind.into_iter().map(|at| (at, item));
            let all = lists.chain(of_kind.filter(|_| !kind.is_empty()));
            let found: Vec<usize> = all
                .flat_map(|(at, item)| self.items(&tree, at, item))
                .collect();
            if let [at] = found.as_slice() {
                return self.without_node(&tree, *at);
            }
        }
        self.remove_key(&format!("{name} of {of}"))
            .unwrap_or_else(|| Err(self.without_word(name, of)))
    }

    /// Why a name has no such member: its value may have it as one of several words, and the order that writes the
    /// others is offered.
    fn without_word(&self, word: &str, key: &str) -> Refusal {
        let values = self.values(key);
        let value = match values.as_slice() {
            [value] => self.text.get(value.place.clone()).unwrap_or_default(),
            _ => "",
        };
        let all: Vec<&str> = value.split_whitespace().collect();
        let others: Vec<&str> = all.iter().copied().filter(|one| *one != word).collect();
        if others.is_empty() || others.len() + 1 != all.len() {
            return self.absent(&format!("no `{word}` of `{key}`"));
        }
        let why = format!("`{key}` of {} is `{}`.", self.path, all.join(" "));
        let order = format!(
            "change {key} to {} in {}",
            others.join(" "),
            self.shown_path()
        );
        Refusal::ambiguous(why, vec![order])
    }

    /// The items of a list that say this.
    fn items(&self, tree: &Tree, list: usize, item: &str) -> Vec<usize> {
        let is_it = |at: &usize| {
            let node = &tree.nodes[*at];
            let value = node.value(self.text);
            let is_said = &self.text[value.place] == item || self.is_package(tree, node, item);
            node.parent == Some(list) && is_said
        };
        (0..tree.nodes.len()).filter(is_it).collect()
    }

    /// The change that gives a key another name; `None` where none is meant, or more than one.
    pub(super) fn rename_key(&self, key: &str, to: &str) -> Option<Result<Action, Refusal>> {
        let value = self.key_named(key)?;
        let name = value.path.last()?;
        // `mail.port` to `mail.smtp_port` stays where it is.
        let section = value.path[..value.path.len() - 1].join(".");
        let to = match to.strip_prefix(&format!("{section}.")) {
            Some(own) if key.contains('.') => own,
            _ => to,
        };
        if to.contains('.') && ["toml", "yaml", "yml"].contains(&self.ending().as_str()) {
            let why = format!("`{to}` would stand in another section of {}.", self.path);
            let advice = "Name the key alone, such as `rename port to smtp_port`.";
            return Some(Err(Refusal::ambiguous(why, Vec::new()).advised(advice)));
        }
        let mut sibling = value.path.clone();
        sibling.pop();
        sibling.push(to.to_owned());
        if self.values(to).iter().any(|other| other.path == sibling) {
            let why = format!("{} sets `{to}` already.", self.path);
            return Some(Err(Refusal::ambiguous(why, Vec::new())
                .advised("Remove one of them, or choose another name.")));
        }
        let tree = Tree::of(self);
        let node = tree.iter().flat_map(|tree| &tree.nodes);
        let mut node = node.filter(|node| node.key.is_some());
        let place = match node.find(|node| node.value(self.text).place == value.place) {
            Some(node) => node.key.clone()?,
            None => {
                let line = self.line_place(&value);
                let before = self.text.get(line.start..value.place.start)?;
                let at = line.start + before.rfind(name.as_str())?;
                at..at + name.len()
            }
        };
        let is_quoted = self.text[place.clone()].starts_with('"');
        let written = match is_quoted {
            true => serde_json::Value::from(to).to_string(),
            false => to.to_owned(),
        };
        Some(self.replace(place, &written))
    }

    /// The one of several that words mean.
    fn only(&self, tree: &Tree, found: &[usize], what: &str) -> Result<usize, Refusal> {
        match found {
            [only] => Ok(*only),
            [] => Err(self.absent(&format!("no {what}"))),
            many => {
                let paths = many
                    .iter()
                    .map(|at| format!("`{}`", tree.nodes[*at].path.join(".")));
                let paths: Vec<String> = paths.collect();
                let why = format!(
                    "{} has the {what} in several places: {}. Which of them is not clear.",
                    self.path,
                    paths.join(", ")
                );
                Err(Refusal::ambiguous(why, Vec::new()).advised("Name it by its path."))
            }
        }
    }

    /// The change that puts something behind the last thing within brackets.
    fn put_within(&self, tree: &Tree, at: usize, written: &str) -> Result<Action, Refusal> {
        let node = &tree.nodes[at];
        let close = node.place.end - 1;
        let inside = tree.within(at);
        let Some(last) = inside.last() else {
            let is_spaced = self.ending() == "toml" && node.kind == Kind::Table;
            let written = match is_spaced {
                true => format!(" {written} "),
                false => written.to_owned(),
            };
            return self.replace(node.place.start + 1..close, &written);
        };
        let start = begin(last);
        let before = self.text[..start].trim_end();
        let gap = &self.text[before.len()..start];
        let gap = match gap.rfind('\n') {
            Some(end) => format!("{}{}", self.line_end(), &gap[end + 1..]),
            None if inside.len() > 1 => gap.to_owned(),
            None => " ".to_owned(),
        };
        let rest = &self.text[last.place.end..close];
        let end = last.place.end + rest.len() - rest.trim_start().len();
        match self.text[end..close].starts_with(',') {
            true => self.replace(end + 1..end + 1, &format!("{gap}{written},")),
            false => self.replace(last.place.end..last.place.end, &format!(",{gap}{written}")),
        }
    }

    pub(super) fn without_node(&self, tree: &Tree, at: usize) -> Result<Action, Refusal> {
        let node = &tree.nodes[at];
        let Some(parent) = node.parent else {
            // On lines of its own.
            let line = self.lines().find(|line| line.contains(&begin(node)));
            let last = self.lines().find(|line| line.end >= node.place.end);
            let (Some(line), Some(last)) = (line, last) else {
                return Err(self.absent("no such line"));
            };
            return self.without(&(line.start..last.end));
        };
        let inside = tree.within(parent);
        let number = inside
            .iter()
            .position(|other| other.place == node.place)
            .unwrap_or_default();
        let before = number.checked_sub(1).map(|number| inside[number]);
        let place = match (inside.get(number + 1), before) {
            (Some(next), _) => begin(node)..begin(next),
            (None, Some(before)) => before.place.end..node.place.end,
            (None, None) => {
                let whole = &tree.nodes[parent].place;
                whole.start + 1..whole.end - 1
            }
        };
        self.replace(place, "")
    }
}

/// Where a node begins, with its key.
fn begin(node: &Node) -> usize {
    node.key.as_ref().map_or(node.place.start, |key| key.start)
}

/// Whether a new value stands without quotes.
fn is_bare(to: &str, is_json: bool) -> bool {
    match is_json {
        true => serde_json::from_str::<serde_json::Value>(to).is_ok(),
        false => written::is_toml(to),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::in_file::lines::applied;

    fn edited(
        path: &str,
        text: &str,
        edit: impl Fn(&Lines<'_>) -> Result<Action, Refusal>,
    ) -> String {
        match edit(&Lines { path, text }) {
            Ok(action) => applied(text, &action),
            Err(refusal) => refusal.message,
        }
    }

    #[test]
    fn an_item_is_added_as_the_list_is_written() {
        for (path, text, after) in [
            ("a.json", "{\"l\":[1,2]}", "{\"l\":[1,2,3]}"),
            ("a.json", "{\"l\": []}", "{\"l\": [3]}"),
            (
                "a.json",
                "{\r\n  \"l\": [\r\n    1\r\n  ]\r\n}",
                "{\r\n  \"l\": [\r\n    1,\r\n    3\r\n  ]\r\n}",
            ),
            (
                "a.toml",
                "l = [\n  1,\n  2,\n]\n",
                "l = [\n  1,\n  2,\n  3,\n]\n",
            ),
            ("a.toml", "l = [ 1, 2 ]\n", "l = [ 1, 2, 3 ]\n"),
            ("a.toml", "l = [\"1\"]\n", "l = [\"1\", \"3\"]\n"),
            ("a.json", "{\"l\": [3]}", "`l` of a.json has `3` already."),
            (
                "a.json",
                "{\"a\": {\"l\": []}, \"b\": {\"l\": []}}",
                "a.json has the list `l` in several places: `a.l`, `b.l`. Which of them is not clear.",
            ),
        ] {
            let is = edited(path, text, |lines| lines.add_item(("3", false), "l"));
            assert!(is.starts_with(after), "{text}: {is}");
        }
    }

    #[test]
    fn a_member_is_removed_with_its_comma_and_added_at_the_end() {
        let remove = |name: &str, of: &str| Member {
            name: name.to_owned(),
            of: of.to_owned(),
        };
        for (path, text, member, after) in [
            (
                "a.json",
                "{\"l\": [1, 2, 3]}",
                remove("1", "l"),
                "{\"l\": [2, 3]}",
            ),
            (
                "a.json",
                "{\"l\": [1, 2, 3]}",
                remove("3", "l"),
                "{\"l\": [1, 2]}",
            ),
            ("a.json", "{\"l\": [ 1 ]}", remove("1", "l"), "{\"l\": []}"),
            (
                "a.toml",
                "l = [\n  1, # one\n  2,\n]\n",
                remove("1", "l"),
                "l = [\n  2,\n]\n",
            ),
            (
                "a.json",
                "{\"o\": {\"a\": 1, \"b\": {}}}",
                remove("b", "o"),
                "{\"o\": {\"a\": 1}}",
            ),
            (
                "a.toml",
                "o = { a = 1, b = 2 }\n",
                remove("a", "o"),
                "o = { b = 2 }\n",
            ),
            (
                "a.toml",
                "[o]\na = [\n  1,\n]\nb = 2\n",
                remove("a", "o"),
                "[o]\nb = 2\n",
            ),
        ] {
            let is = edited(path, text, |lines| lines.remove_member(&member));
            assert_eq!(is, after, "{text}");
        }
        for (path, text, section, after) in [
            ("a.json", "{}\n", None, "{\"k\": 1}\n"),
            ("a.json", "{\"a\":1}", None, "{\"a\":1, \"k\":1}"),
            (
                "a.json",
                "{\n\t\"o\": {}\n}\n",
                Some("o"),
                "{\n\t\"o\": {\"k\": 1}\n}\n",
            ),
            ("a.toml", "o = {}\n", Some("o"), "o = { k = 1 }\n"),
        ] {
            let add = |lines: &Lines<'_>| lines.add_member(section, "k", ("1", false)).unwrap();
            assert_eq!(edited(path, text, add), after, "{text}");
        }
    }

    #[test]
    fn a_word_of_a_value_is_removed_by_the_order_that_writes_the_others() {
        let text = "server {\n    ssl_protocols       TLSv1.2 TLSv1.3;\n}\n";
        let lines = Lines {
            path: "a.conf",
            text,
        };
        let refusal = |name: &str| {
            let member = Member {
                name: name.to_owned(),
                of: "ssl_protocols".to_owned(),
            };
            lines.remove_member(&member).unwrap_err()
        };
        let order = "change ssl_protocols to TLSv1.3 in a.conf".to_owned();
        assert_eq!(refusal("TLSv1.2").nearest, [order]);
        let absent = refusal("TLSv1.1");
        assert!(absent.message.contains("has no `TLSv1.1`"), "{absent:?}");
    }
}
