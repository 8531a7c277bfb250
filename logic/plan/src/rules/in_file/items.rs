//! Items of a list that are done: `check off "draw the map" in todo.md`, `mark call Ann as done in todo.md`.

use super::asked::Asked;
use super::lines::Lines;
use super::saying::{Built, Saying};
use crate::names;
use crate::quoted::in_quotes;
use crate::rules::building::Match;
use crate::rules::refusal::Refusal;
use crate::rules::words::{is_file, ordinal, pattern};
use domain::plan::Action;
use regex::Regex;
use std::ops::Range;
use std::sync::LazyLock;

/// Most bare words that name an item.
const MOST_WORDS: usize = 12;

/// The parts of the sayings by name.
pub(super) const PARTS: [(&str, &str); 3] = [
    (
        "{TICKS}",
        r"(?:check off|tick off|tick|(?P<undo>uncheck|untick))",
    ),
    (
        "{ITEM}",
        r"(?:the )?(?:(?:item|task|todo|entry|line|box) )?{text:about}",
    ),
    (
        "{STATE}",
        r"(?:as )?(?:done|complete|completed|finished|ticked|checked|(?P<open>undone|open|unfinished|unticked|unchecked|not (?:yet )?(?:done|complete|completed|finished|ticked|checked)))",
    ),
];

pub(super) static SAYINGS: [Saying; 7] = [
    (r"(?P<check>check) {ITEM} (?:in|on) {FILE}", tick),
    (r"{TICKS} {ITEM} (?:in|from|on|of) {FILE}", tick),
    (r"(?:check|tick) {ITEM} off (?:in|from|on|of) {FILE}", tick),
    (r"(?:in|on) {FILE},? {TICKS} {ITEM}", tick),
    (r"mark {ITEM} {STATE} (?:in|on|of) {FILE}", tick),
    (r"(?:in|on) {FILE},? mark {ITEM} {STATE}", tick),
    (r"mark {ITEM} (?:in|on|of) {FILE} {STATE}", tick),
];

fn tick(found: &Match<'_>) -> Built {
    let path = found.target("p", "noun")?;
    let about = found.text("about")?;
    // Bare words tick nothing but an item that says them.
    // `check the spelling in a.md` is of something else.
    let may_be_bare = !found.has("check") && about.split_whitespace().count() <= MOST_WORDS;
    let is_clear = found.is_quoted("about") || may_be_bare;
    let is_one = is_file(&path) || found.is_quoted("p");
    let is_done = !found.has("undo") && !found.has("open");
    let asked = Asked::Tick {
        item: about,
        is_done,
    };
    Ok((is_clear && is_one).then_some((path, asked)))
}

/// An item of a list with a box: what stands before the sign in the box, the sign, and what it says.
static ITEM: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(r"^(?P<before>\s*(?:[-*+]|\d+[.)])\s+\[)(?P<sign>[ xX])\]\s+(?P<says>.*?)\s*$")
});

/// An item of a list with a box.
pub(super) struct Item {
    /// Where its line is.
    pub(super) line: Range<usize>,
    /// Where the sign in the box is.
    pub(super) sign: Range<usize>,
    pub(super) says: String,
}

impl Lines<'_> {
    /// The change that ticks the only item that says something, or that takes its tick away.
    pub(super) fn tick(&self, about: &str, is_done: bool) -> Result<Action, Refusal> {
        let items = self.boxed_items();
        let about = about.trim().trim_end_matches(['.', '!']);
        let lower = about.to_lowercase();
        let whole = |item: &&Item| item.says.to_lowercase() == lower;
        let having = |item: &&Item| names::has_words(&item.says.to_lowercase(), &lower);
        let mut found: Vec<&Item> = items.iter().filter(whole).collect();
        if found.is_empty() {
            found = items.iter().filter(having).collect();
        }
        if found.is_empty() {
            found = self.nth_item(&lower, &items);
        }
        // `the hotel task` is the one about the hotel.
        let nouns = [" task", " item", " todo", " entry", " one"];
        let noun = nouns.iter().find_map(|noun| lower.strip_suffix(noun));
        if let Some(subject) = noun.filter(|_| found.is_empty()) {
            let is_it = |item: &&Item| names::has_words(&item.says.to_lowercase(), subject);
            found = items.iter().filter(is_it).collect();
        }
        match found.as_slice() {
            [] => Err(self.no_item(about, items.len())),
            [item] if (&self.text[item.sign.clone()] == " ") == is_done => {
                let sign = if is_done { "x" } else { " " };
                self.replace(item.sign.clone(), sign)
            }
            [_] => {
                let state = if is_done { "ticked" } else { "open" };
                let why = format!("The item `{about}` of {} is {state} already.", self.path);
                let shows = format!("show {}", self.shown_path());
                Err(Refusal::ambiguous(why, vec![shows]))
            }
            many => {
                let lines: Vec<Range<usize>> = many.iter().map(|item| item.line.clone()).collect();
                Err(self.several(&lines, &format!("`{about}`")))
            }
        }
    }

    /// The item that is named by its place alone: `the second task`, `the last open item`.
    fn nth_item<'a>(&self, about: &str, items: &'a [Item]) -> Vec<&'a Item> {
        static NTH: LazyLock<Option<Regex>> = LazyLock::new(|| {
            pattern(
                r"^(?:the )?(?P<nth>\w+) (?P<open>open |unticked |unchecked )?(?:task|item|todo|entry|box|one|point)$",
            )
        });
        let Some(named) = NTH.as_ref().and_then(|nth| nth.captures(about)) else {
            return Vec::new();
        };
        let is_open = |item: &&Item| &self.text[item.sign.clone()] == " ";
        let all = items.iter();
        let all: Vec<&Item> = all
            .filter(|item| named.name("open").is_none() || is_open(item))
            .collect();
        let item = match (&named["nth"], ordinal(&named["nth"])) {
            ("last", _) => all.last(),
            (_, Some(at)) => at.checked_sub(1).and_then(|at| all.get(at)),
            _ => None,
        };
        item.copied().into_iter().collect()
    }

    fn no_item(&self, about: &str, items: usize) -> Refusal {
        let has_line = names::has_words(&self.text.to_lowercase(), &about.to_lowercase());
        let what = match (has_line, items) {
            (true, _) => {
                format!("no item with a box, `- [ ] …`, that says `{about}`, and a line that does")
            }
            (false, 0) => "no items with a box, `- [ ] …`".to_owned(),
            (false, _) => format!("no item `- [ ] …` that says `{about}`"),
        };
        let refusal = self.absent(&what);
        match has_line {
            true => refusal.advised(format!(
                "To take the line out: `remove the line about {} from {}`.",
                in_quotes(about),
                self.shown_path()
            )),
            false => refusal,
        }
    }

    pub(super) fn boxed_items(&self) -> Vec<Item> {
        let lines = self.lines();
        let items = lines.filter_map(|line| {
            let found = ITEM.as_ref()?.captures(&self.text[line.clone()])?;
            let sign = found.name("sign")?.range();
            Some(Item {
                sign: line.start + sign.start..line.start + sign.end,
                says: found["says"].to_owned(),
                line,
            })
        });
        items.collect()
    }
}

#[cfg(test)]
mod tests {
    use crate::rules::in_file;
    use crate::rules::in_file::lines::applied;

    const LIST: &str =
        "# Todo\n- [ ] draw the map\n- [ ] call Ann\n- [x] pay rent\n* [ ] call Bob\nbuy milk\n";

    fn after(says: &str) -> Result<String, String> {
        let asked = in_file::read(says).ok_or("no order")?;
        let plan = asked.plan(LIST).map_err(|refusal| refusal.message)?;
        let mut text = LIST.to_owned();
        for action in &plan.actions {
            text = applied(&text, action);
        }
        Ok(text)
    }

    #[test]
    fn the_item_that_says_it_is_ticked() {
        for says in [
            "check off \"draw the map\" in todo.md",
            "check off draw the map in todo.md",
            "tick \"draw the map\" in todo.md",
            "tick off the item draw the map in todo.md",
            "check draw the map off in todo.md",
            "mark \"draw the map\" as done in todo.md",
            "mark draw the map done in todo.md",
            "in todo.md, mark the task \"draw the map\" as done",
            "mark the map in todo.md as done",
        ] {
            let ticked = LIST.replace("[ ] draw", "[x] draw");
            assert_eq!(after(says), Ok(ticked), "{says}");
        }
    }

    #[test]
    fn a_tick_is_taken_away() {
        for says in [
            "uncheck \"pay rent\" in todo.md",
            "untick pay rent in todo.md",
            "mark pay rent as open in todo.md",
        ] {
            let open = LIST.replace("[x] pay", "[ ] pay");
            assert_eq!(after(says), Ok(open), "{says}");
        }
    }

    #[test]
    fn what_is_no_open_item_or_several_is_told() {
        for (says, told) in [
            ("tick pay rent in todo.md", "ticked already"),
            ("mark call Ann as open in todo.md", "open already"),
            (
                "mark the call Ann task as not done in todo.md",
                "open already",
            ),
            ("tick call in todo.md", "in 2 lines"),
            ("tick buy milk in todo.md", "and a line that does"),
            ("tick sing in todo.md", "no item `- [ ] …` that says `sing`"),
        ] {
            let refused = after(says).unwrap_err();
            assert!(refused.contains(told), "{says}: {refused}");
        }
    }
}
