//! One order on several files, values or items, as orders of one each: `set the port to 80 in a.toml and b.ini`,
//! `set a to 1 and b to 2 in c.json`, `tick "one" and "two" in tasks.md`.

use super::languages;
use super::several::listed;
use super::words::{Request, is_file, pattern, trim_word};
use regex::Regex;
use std::sync::LazyLock;

/// Verbs of orders on values and items, each of which can be done for one file alone.
const VERBS: [&str; 17] = [
    "set",
    "bump",
    "change",
    "update",
    "upgrade",
    "enable",
    "disable",
    "remove",
    "delete",
    "unset",
    "uncomment",
    "tick",
    "untick",
    "increase",
    "decrease",
    "rename",
    "replace",
];
/// Several values of one file.
static SETS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(r"(?i)^set (?P<sets>[^,]+? to [^\s,]+(?:,? and |, ).*?) in (?P<file>\S+)$")
});
static SET: LazyLock<Option<Regex>> =
    LazyLock::new(|| pattern(r"(?i)^(?:the )?[\w.-]+(?: [\w.-]+){0,3} to [^\s,]+$"));
/// Several items of one list, in quotes.
static TICKS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?i)^(?P<verb>tick|untick|check off|tick off) (?P<items>\S+(?:(?:,? and |, )\S+)+) (?P<file>in \S+)$",
    )
});

/// The orders of one each; none of any other request.
pub(crate) fn orders(request: &str) -> Vec<String> {
    let request = Request::read(&languages::in_english(request));
    let [step] = request.steps.as_slice() else {
        return Vec::new();
    };
    if step.is_question && !step.is_polite {
        return Vec::new();
    }
    let text = step.text.trim_end_matches(['.', '!']);
    let steps = of_values(text)
        .or_else(|| of_items(&request, text))
        .or_else(|| of_files(&request, text));
    let steps = steps.unwrap_or_default().into_iter();
    steps.map(|step| request.whole(&step)).collect()
}

fn of_values(text: &str) -> Option<Vec<String>> {
    let found = SETS.as_ref()?.captures(text)?;
    let sets: Vec<&str> = found["sets"]
        .split(',')
        .flat_map(|part| part.split(" and "))
        .map(|part| part.trim().trim_start_matches("and "))
        .filter(|part| !part.is_empty())
        .collect();
    let is_one = |set: &&str| SET.as_ref().is_some_and(|one| one.is_match(set));
    let are_sets = sets.len() > 1 && sets.iter().all(is_one) && is_file(trim_word(&found["file"]));
    are_sets.then(|| {
        let sets = sets.iter();
        sets.map(|set| format!("set {set} in {}", &found["file"]))
            .collect()
    })
}

fn of_items(request: &Request, text: &str) -> Option<Vec<String>> {
    let found = TICKS.as_ref()?.captures(text)?;
    let items: Vec<&str> = found["items"]
        .split([',', ' '])
        .filter(|item| !item.is_empty() && *item != "and")
        .collect();
    let is_quoted = |item: &&str| request.piece(item).is_some_and(|piece| piece.is_quoted);
    items.iter().all(is_quoted).then(|| {
        let items = items.iter();
        items
            .map(|item| format!("{} {item} {}", &found["verb"], &found["file"]))
            .collect()
    })
}

fn of_files(request: &Request, text: &str) -> Option<Vec<String>> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let verb = words.first()?.to_lowercase();
    let (place, names) = listed(request, &words)?;
    let (before, after) = (&words[..place.start], &words[place.end..]);
    let is_led = verb == "in" && before.len() == 1;
    let next = after.first().map(|next| next.to_lowercase());
    if is_led && next.is_some_and(|next| VERBS.contains(&next.as_str())) {
        let names = names.iter();
        let one = |name: &&str| format!("in {name}, {}", after.join(" "));
        return Some(names.map(one).collect());
    }
    let leads = before.last()?.to_lowercase();
    // Files before a place, or behind `to`, are of another order.
    let is_of_each = VERBS.contains(&verb.as_str())
        && ["in", "from", "of"].contains(&leads.as_str())
        && place.end == words.len();
    is_of_each.then(|| {
        let names = names.iter();
        names
            .map(|name| format!("{} {name}", before.join(" ")))
            .collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_on_several_is_one_for_each() {
        for (says, orders_of) in [
            (
                "set the port to 80 in a.toml and b.ini",
                vec![
                    "set the port to 80 in a.toml",
                    "set the port to 80 in b.ini",
                ],
            ),
            (
                "set a to 1, b c to 2 and d to x in c.json",
                vec![
                    "set a to 1 in c.json",
                    "set b c to 2 in c.json",
                    "set d to x in c.json",
                ],
            ),
            (
                "in a.py and b.py, rename c to d",
                vec!["in a.py, rename c to d", "in b.py, rename c to d"],
            ),
            (
                "tick \"one and\" and \"two\" in t.md",
                vec!["tick \"one and\" in t.md", "tick \"two\" in t.md"],
            ),
        ] {
            assert_eq!(orders(says), orders_of, "{says}");
        }
        for says in [
            "set the port to 80 in a.toml",
            "set the title to bread and butter in a.toml",
            "move a.toml and b.toml to c",
            "set a.toml and b.toml to 1",
            "add x to a.md and b.md",
        ] {
            assert!(orders(says).is_empty(), "{says}");
        }
    }
}
