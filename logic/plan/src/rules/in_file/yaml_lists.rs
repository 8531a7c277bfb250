//! Items of lists in YAML, added and removed as the list is written: on lines of their own, or within brackets.

use super::groups::Group;
use super::keys::{self, are_alike};
use super::lines::Lines;
use super::sound;
use super::value::{NewValue, Value};
use super::written;
use crate::rules::refusal::Refusal;
use crate::rules::words::pattern;
use domain::plan::Action;
use regex::Regex;
use std::ops::Range;
use std::sync::LazyLock;

/// A name of a value, whichever.
const NAMES: &str = r"[\w.-]+";

/// An item that has names of its own: `name: x`.
static HAS_NAMES: LazyLock<Option<Regex>> =
    LazyLock::new(|| pattern(r#"^["']?[\w.-]+["']?:(?:[ ]|$)"#));
/// A bare text that YAML would read as something else.
static NEEDS_QUOTES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r#"^[-?:,\[\]{}#&*!|>'"%@`]|: |:$| #|^\s|\s$|^\d+:\d+$|^(?i:true|false|null|yes|no|on|off|~)$"#,
    )
});

/// A list, as it is written.
enum List {
    /// On lines of their own.
    Lines(Group),
    /// Within brackets on one line.
    Brackets(Value),
}

impl List {
    fn path(&self) -> &[String] {
        match self {
            Self::Lines(group) => &group.value.path,
            Self::Brackets(value) => &value.path,
        }
    }
}

impl Lines<'_> {
    /// The change that adds an item to a list of YAML.
    pub(super) fn add_yaml_item(
        &self,
        (item, is_quoted): NewValue<'_>,
        said: &str,
    ) -> Result<Action, Refusal> {
        self.is_readable_yaml()?;
        let of_kind = item.split_once(' ').filter(|_| !is_quoted);
        let of_kind = of_kind.and_then(|(kind, item)| {
            let lists = self.lists_called(&format!("{kind} of {said}"));
            (!lists.is_empty()).then_some((lists, item))
        });
        let (lists, item) = of_kind.unwrap_or_else(|| (self.lists_called(said), item));
        if lists.is_empty()
            && let Some((key, to)) = item.split_once(':').filter(|_| !is_quoted)
            && key.starts_with(char::is_alphabetic)
            && !said.contains(char::is_whitespace)
        {
            // `port:80` names a value where no list is meant.
            return self.add_key(&format!("{key} in [{said}]"), (to, false), false);
        }
        let list = self.only_list(lists, said)?;
        if !is_quoted && item.contains(char::is_whitespace) && !is_pair(item) {
            let why = format!("`{item}` may say more than the item.");
            return Err(Refusal::ambiguous(why, Vec::new()).advised("Put the item in quotes."));
        }
        match &list {
            List::Lines(group) => self.add_line_item(group, (item, is_quoted), said),
            List::Brackets(value) => self.add_bracket_item(value, (item, is_quoted), said),
        }
    }

    /// The change that removes an item of a list of YAML; `None` where no list that is meant has it.
    pub(super) fn remove_yaml_item(&self, name: &str, of: &str) -> Option<Result<Action, Refusal>> {
        if !["yaml", "yml"].contains(&self.ending().as_str()) {
            return None;
        }
        let (kind, rest) = name.split_once(' ').unwrap_or(("", name));
        let lists = self.lists_called(of).into_iter().map(|list| (list, name));
        let of_kind = match kind {
            "" => Vec::new(),
            kind => self.lists_called(&format!("{kind} of {of}")),
        };
        let of_kind = of_kind.into_iter().map(|list| (list, rest));
        let mut found: Vec<(List, usize)> = Vec::new();
        for (list, item) in lists.chain(of_kind) {
            let items = self.items_of(&list);
            let at = items.iter().position(|(_, text)| text == item);
            found.extend(at.map(|at| (list, at)));
        }
        let (list, at) = match found.as_slice() {
            [(list, at)] => (list, *at),
            [] => return None,
            many => {
                let paths = many
                    .iter()
                    .map(|(list, _)| format!("`{}`", list.path().join(".")));
                let paths: Vec<String> = paths.collect();
                let why = format!(
                    "{} has `{name}` in several lists: {}. Which of them is not clear.",
                    self.path,
                    paths.join(", ")
                );
                return Some(Err(
                    Refusal::ambiguous(why, Vec::new()).advised("Name the list by its path.")
                ));
            }
        };
        if let Err(refusal) = self.is_readable_yaml() {
            return Some(Err(refusal));
        }
        Some(match list {
            List::Lines(group) => self.without_line_item(group, at),
            List::Brackets(value) => self.without_bracket_item(value, at),
        })
    }

    /// Refuses a file of which it is not known what it says: a template, or one that is not sound.
    fn is_readable_yaml(&self) -> Result<(), Refusal> {
        if sound::leaves(&self.ending(), self.text).is_some() {
            return Ok(());
        }
        let path = self.path;
        let why = match self.text.contains("{{") || self.text.contains("{%") {
            true => {
                format!("{path} is a template: what its lists have is known once it is filled.")
            }
            false => format!("{path} is not sound as YAML, so that its lists cannot be read."),
        };
        let advice = format!(
            "Insert the line yourself: `insert \"- …\" after line 3 of {}`.",
            self.shown_path()
        );
        Err(Refusal::ambiguous(why, Vec::new()).advised(advice))
    }

    /// The lists that words mean.
    fn lists_called(&self, said: &str) -> Vec<List> {
        let readings = keys::readings(said);
        let is_meant = |path: &[String]| {
            let named = |reading: &keys::Reading| {
                let own = path.last();
                own.is_some_and(|own| are_alike(own, &reading.name)) && reading.means(path)
            };
            readings.iter().any(named)
        };
        let groups = self.lists().into_iter().map(List::Lines);
        let is_list = |value: &Value| {
            let text = &self.text[value.place.clone()];
            value.quote.is_none() && text.starts_with('[') && text.ends_with(']')
        };
        let values = self.values_of(NAMES).into_iter().filter(is_list);
        let all = groups.chain(values.map(List::Brackets));
        all.filter(|list| is_meant(list.path())).collect()
    }

    fn only_list(&self, mut lists: Vec<List>, said: &str) -> Result<List, Refusal> {
        match lists.len() {
            0 => Err(self.absent(&format!("no list `{said}` that has items"))),
            1 => Ok(lists.remove(0)),
            _ => {
                let paths = lists
                    .iter()
                    .map(|list| format!("`{}`", list.path().join(".")));
                let paths: Vec<String> = paths.collect();
                let why = format!(
                    "{} has the list `{said}` in several places: {}. Which of them is not clear.",
                    self.path,
                    paths.join(", ")
                );
                Err(Refusal::ambiguous(why, Vec::new()).advised("Name it by its path."))
            }
        }
    }

    /// The items of a list with their places, each without its quotes.
    fn items_of(&self, list: &List) -> Vec<(Range<usize>, String)> {
        match list {
            List::Lines(group) => {
                let places = group.places.iter().cloned();
                places.zip(group.entries.iter().cloned()).collect()
            }
            List::Brackets(value) => {
                let items = bracket_items(self.text, value);
                let bare = |place: Range<usize>| {
                    let text = self.text[place.clone()]
                        .trim_matches(['"', '\''])
                        .to_owned();
                    (place, text)
                };
                items.into_iter().map(bare).collect()
            }
        }
    }

    fn has_it_already(&self, said: &str, item: &str) -> Refusal {
        let why = format!("`{said}` of {} has `{item}` already.", self.path);
        Refusal::ambiguous(why, Vec::new()).advised("Nothing is to be changed.")
    }

    fn add_line_item(
        &self,
        group: &Group,
        (item, is_quoted): NewValue<'_>,
        said: &str,
    ) -> Result<Action, Refusal> {
        if group.entries.iter().any(|entry| entry == item) {
            return Err(self.has_it_already(said, item));
        }
        let has_names = |text: &str| HAS_NAMES.as_ref().is_some_and(|form| form.is_match(text));
        let Some(last) = group.places.last() else {
            return Err(self.absent(&format!("no list `{said}` that has items")));
        };
        let line = self.text[last.clone()].lines().next().unwrap_or_default();
        let dash = line.find('-').unwrap_or_default();
        let text = line[dash + 1..].trim_start();
        let are_tables =
            group.entries.iter().any(|entry| has_names(entry)) && !text.starts_with(['"', '\'']);
        if are_tables && !has_names(item) {
            let why = format!(
                "The items of `{said}` in {} have names of their own (`{text}`).",
                self.path
            );
            return Err(
                Refusal::ambiguous(why, Vec::new()).advised("Insert its lines with their names.")
            );
        }
        let begin = &line[..line.len() - text.len()];
        let quote = text
            .chars()
            .next()
            .filter(|first| ['"', '\''].contains(first));
        let is_text = is_quoted && written::is_literal(item);
        let written = match quote {
            _ if has_names(item) && !is_quoted => item.to_owned(),
            Some('\'') if !item.contains('\'') => format!("'{item}'"),
            Some(_) => serde_json::Value::from(item).to_string(),
            None => bare_item(item, is_text),
        };
        let end = self.line_end();
        self.replace(last.end..last.end, &format!("{end}{begin}{written}"))
    }

    fn without_line_item(&self, group: &Group, at: usize) -> Result<Action, Refusal> {
        let place = &group.places[at];
        if group.places.len() > 1 {
            return self.without(place);
        }
        // Without its last item a list is an empty one, and not nothing.
        let head = &self.text[group.head.clone()];
        let key = group.value.path.last().map_or("", String::as_str);
        let after = head.find(key).map_or(0, |at| at + key.len());
        let colon = head[after..]
            .find(':')
            .map_or(head.len(), |at| after + at + 1);
        let written = format!("{} []{}", &head[..colon], &head[colon..]);
        self.replace(group.head.start..place.end, written.trim_end())
    }

    fn add_bracket_item(
        &self,
        value: &Value,
        (item, is_quoted): NewValue<'_>,
        said: &str,
    ) -> Result<Action, Refusal> {
        let items = bracket_items(self.text, value);
        let bare = |place: &Range<usize>| {
            self.text[place.clone()]
                .trim_matches(['"', '\''])
                .to_owned()
        };
        if items.iter().any(|place| bare(place) == item) {
            return Err(self.has_it_already(said, item));
        }
        let have_quotes = items
            .iter()
            .any(|place| self.text[place.clone()].starts_with(['"', '\'']));
        let is_text = is_quoted && written::is_literal(item);
        let written = match have_quotes || item.contains([',', '[', ']', '{', '}']) {
            true => serde_json::Value::from(item).to_string(),
            false => bare_item(item, is_text),
        };
        match items.last() {
            Some(last) => self.replace(last.end..last.end, &format!(", {written}")),
            None => self.replace(value.place.clone(), &format!("[{written}]")),
        }
    }

    fn without_bracket_item(&self, value: &Value, at: usize) -> Result<Action, Refusal> {
        let items = bracket_items(self.text, value);
        let place = match (items.get(at + 1), at.checked_sub(1)) {
            (Some(next), _) => items[at].start..next.start,
            (None, Some(before)) => items[before].end..items[at].end,
            (None, None) => value.place.start + 1..value.place.end - 1,
        };
        self.replace(place, "")
    }
}

/// Whether an item names what it says: `name: x`.
fn is_pair(item: &str) -> bool {
    HAS_NAMES.as_ref().is_some_and(|form| form.is_match(item))
}

/// An item as it stands without others that show how.
fn bare_item(item: &str, is_text: bool) -> String {
    let needs = NEEDS_QUOTES
        .as_ref()
        .is_some_and(|form| form.is_match(item));
    let is_literal = written::is_literal(item) && !is_text;
    match (needs && !is_literal) || is_text {
        true => serde_json::Value::from(item).to_string(),
        false => item.to_owned(),
    }
}

/// The items within the brackets of a list on one line.
fn bracket_items(text: &str, value: &Value) -> Vec<Range<usize>> {
    let (start, end) = (value.place.start + 1, value.place.end - 1);
    let mut items: Vec<Range<usize>> = Vec::new();
    let (mut begin, mut depth, mut quote) = (start, 0_usize, None);
    let mut push = |part: Range<usize>| {
        let inner = &text[part.clone()];
        let trimmed = inner.trim();
        let at = part.start + inner.len() - inner.trim_start().len();
        if !trimmed.is_empty() {
            items.push(at..at + trimmed.len());
        }
    };
    for (at, sign) in text[start..end].char_indices() {
        match (sign, quote) {
            (_, Some(open)) if sign == open => quote = None,
            (_, Some(_)) => {}
            ('"' | '\'', None) => quote = Some(sign),
            ('[' | '{', None) => depth += 1,
            (']' | '}', None) => depth = depth.saturating_sub(1),
            (',', None) if depth == 0 => {
                push(begin..start + at);
                begin = start + at + 1;
            }
            _ => {}
        }
    }
    push(begin..end);
    items
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::in_file::lines::applied;
    use crate::rules::in_file::members::Member;

    fn edited(text: &str, edit: impl Fn(&Lines<'_>) -> Result<Action, Refusal>) -> String {
        let lines = Lines {
            path: "a.yml",
            text,
        };
        match edit(&lines) {
            Ok(action) => applied(text, &action),
            Err(refusal) => refusal.message,
        }
    }

    #[test]
    fn an_item_is_added_as_the_list_is_written() {
        for (text, item, after) in [
            (
                "web:\n  ports: # out\n    - \"80:80\" # a\n  x: 1\n",
                "443:443",
                "web:\n  ports: # out\n    - \"80:80\" # a\n    - \"443:443\"\n  x: 1\n",
            ),
            (
                "web:\n  ports:\n  -   '80:80'\n# end\n",
                "443:443",
                "web:\n  ports:\n  -   '80:80'\n  -   '443:443'\n# end\n",
            ),
            ("ports:\n- 80\n", "443", "ports:\n- 80\n- 443\n"),
            ("ports:\n- a\n", "80:80", "ports:\n- a\n- \"80:80\"\n"),
            ("ports: [80, 443]\n", "8080", "ports: [80, 443, 8080]\n"),
            (
                "ports: [\"80:80\"] # x\n",
                "a",
                "ports: [\"80:80\", \"a\"] # x\n",
            ),
            ("ports: []\n", "a", "ports: [a]\n"),
            ("ports:\r\n  - a\r\n", "b", "ports:\r\n  - a\r\n  - b\r\n"),
            (
                "ports:\n  - 80\n",
                "80",
                "`ports` of a.yml has `80` already.",
            ),
            (
                "ports:\n  - name: a\n    port: 1\n",
                "b",
                "The items of `ports` in a.yml have names of their own",
            ),
            ("ports:\n  - {{ port }}\n", "b", "a.yml is a template"),
            (
                "a:\n  ports:\n    - 1\nb:\n  ports:\n    - 2\n",
                "3",
                "a.yml has the list `ports` in several places: `a.ports`, `b.ports`",
            ),
            ("x: 1\n", "b", "a.yml has no list `ports`"),
        ] {
            let is = edited(text, |lines| lines.add_yaml_item((item, false), "ports"));
            assert!(is.starts_with(after), "{text}: {is}");
        }
    }

    #[test]
    fn an_item_is_removed_and_the_last_one_leaves_an_empty_list() {
        for (text, item, after) in [
            (
                "web:\n  ports:\n    - \"80:80\" # a\n    - 443\n",
                "80:80",
                "web:\n  ports:\n    - 443\n",
            ),
            (
                "web:\n  ports:\n    - 443\n  x: 1\n",
                "443",
                "web:\n  ports: []\n  x: 1\n",
            ),
            (
                "web:\n  ports: # out\n    - 443\n",
                "443",
                "web:\n  ports: [] # out\n",
            ),
            ("ports: [80, \"443\", 1]\n", "443", "ports: [80, 1]\n"),
            ("ports: [80, 443]\n", "443", "ports: [80]\n"),
            ("ports: [80]\n", "80", "ports: []\n"),
            ("ports:\n  - 1\n", "2", "a.yml has no"),
        ] {
            let member = Member {
                name: item.to_owned(),
                of: "ports".to_owned(),
            };
            let is = edited(text, |lines| lines.remove_member(&member));
            assert!(is.starts_with(after), "{text}: {is}");
        }
    }
}
