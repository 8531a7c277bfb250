//! An item more in a list of a text, by what stands above it or where there is only one: `add "call Bob" to LATER in
//! todo.md`. It is offered with its line, as the last item of that list is written.

use super::lines::Lines;
use crate::quoted::in_quotes;
use crate::rules::refusal::{Offer, Refusal};
use crate::rules::words::pattern;
use regex::Regex;
use std::ops::Range;
use std::sync::LazyLock;

/// The sign of an item, with its box.
static ITEM: LazyLock<Option<Regex>> =
    LazyLock::new(|| pattern(r"^(?P<sign>[ \t]*[-*+][ \t]+(?:\[[ xX]\][ \t]+)?)\S"));

impl Lines<'_> {
    /// The refusal of an item for a list, with the line that adds it.
    pub(super) fn listed_under(&self, item: &str, list: &str) -> Refusal {
        let path = self.shown_path();
        let Some(last) = self.last_item_of(list) else {
            let why = format!("Which list `{list}` is in {} is not clear.", self.path);
            let advice = format!(
                "Name a line that it goes behind, as in `insert {} after line 3 of {path}`.",
                in_quotes(item)
            );
            return Refusal::ambiguous(why, Vec::new()).advised(advice);
        };
        let number = self.text[..last.start].matches('\n').count() + 1;
        let line = self.as_item(item, &last);
        let why = format!(
            "`{list}` may be the list in {} that ends with line {number} (`{}`).",
            self.path,
            self.text[last.clone()].trim()
        );
        let rest = &self.text[last.end..];
        let offer = Offer {
            forms: vec![format!(
                "insert {} after line {number} of {path}",
                in_quotes(&line)
            )],
            after: format!("{}\n{line}{rest}", &self.text[..last.end]),
            otherwise: format!("Add it below line {number} of {} in an editor.", self.path),
        };
        Refusal::ambiguous(why, Vec::new()).offering(vec![offer])
    }

    /// An item with the sign of the last one, once: one that has a sign itself gets that of the list, and keeps its box.
    fn as_item(&self, item: &str, last: &Range<usize>) -> String {
        let sign = self.sign_of(last);
        let bare = ["- ", "* ", "+ "]
            .iter()
            .find_map(|own| item.strip_prefix(own));
        let bare = bare.unwrap_or(item).trim_start();
        let has_box = ["[ ] ", "[x] ", "[X] "]
            .iter()
            .any(|own| bare.starts_with(own));
        let sign = match has_box {
            true => sign.replace("[ ] ", ""),
            false => sign,
        };
        format!("{sign}{bare}")
    }

    /// The sign that a new item has behind the last one: its box is empty.
    fn sign_of(&self, last: &Range<usize>) -> String {
        let found = ITEM
            .as_ref()
            .and_then(|item| item.captures(&self.text[last.clone()]));
        let sign = found.map_or("", |found| {
            found.name("sign").map_or("", |sign| sign.as_str())
        });
        sign.replace("[x]", "[ ]").replace("[X]", "[ ]")
    }

    /// The last line of the list that an order names: the only one, or what stands right below the only line that
    /// says its name and nothing else.
    fn last_item_of(&self, list: &str) -> Option<Range<usize>> {
        let all: Vec<Range<usize>> = self.lines().collect();
        let text = |at: usize| &self.text[all[at].clone()];
        let is_item = |at: usize| ITEM.as_ref().is_some_and(|item| item.is_match(text(at)));
        let is_empty = |at: usize| text(at).trim().is_empty();
        if list.eq_ignore_ascii_case("list") {
            let ends = (0..all.len())
                .filter(|at| is_item(*at) && !(at + 1 < all.len() && is_item(at + 1)));
            let mut ends = ends.filter(|at| at + 1 == all.len() || is_empty(at + 1));
            return ends
                .next()
                .filter(|_| ends.next().is_none())
                .map(|at| all[at].clone());
        }
        let named = (0..all.len()).filter(|at| {
            let line = text(*at).trim().trim_start_matches('#');
            let line = line.trim_matches(|c: char| " *_:".contains(c));
            line.to_lowercase() == list.to_lowercase() && !is_item(*at)
        });
        let named: Vec<usize> = named.collect();
        let [above] = named.as_slice() else {
            return None;
        };
        let first = (above + 1..all.len())
            .find(|at| !is_empty(*at))
            .filter(|at| is_item(*at))?;
        let last = (first..all.len()).take_while(|at| is_item(*at)).last()?;
        (last + 1 == all.len() || is_empty(last + 1)).then(|| all[last].clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::by_rules::FileState;
    use crate::offers::proven;

    #[test]
    fn an_item_has_one_sign() {
        let text = "## Now\n* [x] call\n\n## Later\n- mow\n";
        let lines = Lines { path: "t.md", text };
        for (item, list, line) in [
            ("- Who?", "Later", "- Who?"),
            ("* Who?", "Later", "- Who?"),
            ("- [x] Who?", "Now", "* [x] Who?"),
            ("Who?", "Now", "* [ ] Who?"),
            ("-5 degrees", "Later", "- -5 degrees"),
        ] {
            let last = lines.last_item_of(list).unwrap();
            assert_eq!(lines.as_item(item, &last), line, "{item}");
        }
    }

    #[test]
    fn an_item_is_offered_at_the_end_of_its_list() {
        let todo = "# Todo\n\n## Now\n- [ ] call Ann\n\n## Later\n- [ ] mow\n- [x] mail\n\nEnd.\n";
        let plain = "NOW\n- a\n\nLATER\n- b";
        let one = "# Spices\n\n- salt\n- pepper\n\nBuy more.\n";
        for (text, list, order) in [
            (
                todo,
                "LATER",
                Some("insert \"- [ ] call Bob\" after line 8 of t.md"),
            ),
            (
                plain,
                "later",
                Some("insert \"- call Bob\" after line 5 of t.md"),
            ),
            (
                one,
                "list",
                Some("insert \"- call Bob\" after line 4 of t.md"),
            ),
            (todo, "list", None),
            (todo, "Soon", None),
            ("## A\n- a\n## A\n- b\n", "A", None),
            ("## A\ntext\n", "A", None),
        ] {
            let lines = Lines { path: "t.md", text };
            let files = [("t.md".to_owned(), FileState::Text(text.to_owned()))];
            let refusal = proven(
                lines.listed_under("call Bob", list),
                &files.into_iter().collect(),
            );
            assert_eq!(
                refusal.nearest.first().map(String::as_str),
                order,
                "{list}: {refusal:?}"
            );
        }
    }
}
