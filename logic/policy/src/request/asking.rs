//! What one order of the user's is about: the words that belong to it, and what they name.
//!
//! An order stands in for a call only where it names everything that the call lands on. What the
//! user says elsewhere, to ask about it or to forbid it, names nothing for it.

use super::text::{cut, masked, placed, told};
use super::words::{
    AFTER_A_NOUN, ASKING, BEFORE_TO, COMPLEMENTS, CONDITIONS, DEEDS, DESCRIBING, INTRODUCING,
    OF_THE_AGENT, OPENERS, REPORTING, TELLING,
};
use crate::flow::{exact, leads, quoted, stands_whole, unfolded};
use std::collections::BTreeSet;

/// An order, and what it says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asking {
    /// The word that orders: it names nothing.
    verb: String,
    /// From the order up to the next one.
    order: Words,
    /// The same, and what describes it in the sentences behind it.
    described: Words,
}

/// A part of the user's words.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Words {
    same: String,
    folded: String,
    /// What stands in quotes and is no address, in lower case.
    quotes: Vec<String>,
    /// Mail addresses, in lower case; `None` for more than can be looked at.
    addresses: Option<BTreeSet<String>>,
}

impl Words {
    fn of(text: &str) -> Self {
        let folded = exact(text);
        let quotes = quoted(&folded);
        let quotes = quotes.into_iter().filter_map(|range| folded.get(range));
        let quotes = quotes.filter(|quote| !quote.contains('@'));
        Self {
            same: unfolded(text),
            quotes: quotes.map(str::to_owned).collect(),
            addresses: leads(&folded).map(|found| {
                let found = found.into_iter();
                found.filter(|lead| lead.contains('@')).collect()
            }),
            folded,
        }
    }

    fn names(&self, text: &str) -> bool {
        stands_whole(&self.folded, &exact(text))
    }

    /// Whether a thing is called by its title. Where something stands in quotes, that is what is
    /// meant. A common word is no title: one word needs a capital, a digit or a dot.
    fn names_thing(&self, title: &str) -> bool {
        if !self.quotes.is_empty() {
            return self.quotes.iter().any(|quote| quote == title);
        }
        let is_marked = |c: char| c.is_numeric() || matches!(c, '.' | '_' | ' ');
        let has_capital = || {
            let words = self.same.split(' ').skip(1);
            let mut words = words.map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()));
            words.any(|word| exact(word) == title && word.chars().any(char::is_uppercase))
        };
        self.names(title) && (title.chars().any(is_marked) || has_capital())
    }
}

impl Asking {
    /// Whether the order, or what describes it, has the text whole, in any case.
    pub(crate) fn names(&self, text: &str) -> bool {
        exact(text) != self.verb && self.described.names(text)
    }

    /// Whether the order itself has the text whole, in any case.
    pub(crate) fn has(&self, text: &str) -> bool {
        exact(text) != self.verb && self.order.names(text)
    }

    /// Whether the order itself calls a thing by its title, given in lower case.
    pub(crate) fn names_thing(&self, title: &str) -> bool {
        self.order.names_thing(title)
    }

    /// Whether the order, or what describes it, calls a thing by its title.
    pub(crate) fn describes_thing(&self, title: &str) -> bool {
        self.described.names_thing(title)
    }

    /// Whether those whom the call goes to are all whom the order has: of several, none may be
    /// picked.
    pub(crate) fn leaves_out_nobody(&self, parties: &BTreeSet<String>) -> bool {
        let addresses = self.described.addresses.as_ref();
        addresses.is_some_and(|all| all.len() <= 1 || all.is_subset(parties))
    }
}

/// A part of a request with at most one order, which it begins with.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) order: Option<String>,
    text: String,
    first: String,
    /// Whether another order stands before it in its sentence.
    is_behind_another: bool,
    /// Whether it is a question, or somebody else's words.
    is_mute: bool,
}

/// The parts of a request. A question orders nothing unless it is put to the agent, and what
/// somebody said orders nothing.
pub(super) fn parts(request: &str, verbs: &BTreeSet<String>) -> Vec<Part> {
    let mut found = Vec::new();
    let mut is_reported = false;
    for (text, mark) in cut(request) {
        let (mut words, places): (Vec<String>, Vec<usize>) =
            placed(&masked(text)).into_iter().unzip();
        words = told(words);
        let opens_to_agent = words.iter().any(|word| word == "please")
            || words
                .windows(2)
                .any(|pair| ASKING.contains(&pair[0].as_str()) && pair[1] == "you");
        let is_mute = is_reported || mark == '?' && !opens_to_agent;
        is_reported = mark == ':'
            && words
                .last()
                .is_some_and(|word| REPORTING.contains(&word.as_str()));
        let mut orders = Vec::new();
        for at in (0..words.len()).filter(|_| !is_mute) {
            let order = order_at(&words, at, (!orders.is_empty(), verbs));
            let is_for_user = || at > 0 && begins_a_report(&words, at);
            let order = match order {
                Some(order) => Some(Some(order)),
                None => is_for_user().then_some(None),
            };
            orders.extend(order.zip(places.get(at).copied()));
        }
        let first = words.first().cloned().unwrap_or_default();
        found.extend(divided(text, &first, orders, is_mute));
    }
    found
}

/// Whether the agent is told there to tell the user something: `and tell me what Bob wrote`. What
/// stands behind it belongs to no order before it.
fn begins_a_report(words: &[String], at: usize) -> bool {
    let word = |at: usize| words.get(at).map_or("", String::as_str);
    let is_behind = matches!(word(at - 1), "and" | "then" | "also" | "," | "please");
    let tells_user = TELLING.contains(&word(at)) && matches!(word(at + 1), "me" | "us");
    is_behind && (tells_user || OF_THE_AGENT.contains(&word(at)))
}

/// A clause at its orders. What stands before the first belongs to it where it only introduces it.
fn divided(
    text: &str,
    first: &str,
    orders: Vec<(Option<String>, usize)>,
    is_mute: bool,
) -> Vec<Part> {
    if orders.is_empty() {
        return vec![Part {
            order: None,
            text: text.to_owned(),
            first: first.to_owned(),
            is_behind_another: false,
            is_mute,
        }];
    }
    let ends: Vec<usize> = orders.iter().skip(1).map(|(_, at)| *at).collect();
    let ends = ends.into_iter().chain([text.len()]);
    let parts = orders.into_iter().zip(ends).enumerate();
    parts
        .map(|(index, ((order, at), end))| {
            let from = match index == 0 && INTRODUCING.contains(&first) {
                true => 0,
                false => at,
            };
            Part {
                first: order.clone().unwrap_or_default(),
                order,
                text: text.get(from..end).unwrap_or("").to_owned(),
                is_behind_another: index > 0,
                is_mute,
            }
        })
        .collect()
}

/// What each of the orders is about that is one of these.
pub(super) fn with_one_of(parts: &[Part], orders: &BTreeSet<String>) -> Vec<Asking> {
    let is_one = |at: &usize| {
        let order = parts.get(*at).and_then(|part| part.order.as_ref());
        order.is_some_and(|order| orders.contains(order))
    };
    let places = (0..parts.len()).filter(is_one);
    places.filter_map(|at| asking(parts, at)).collect()
}

/// Whether an order goes to somebody, or is about something, that was said before it.
fn points_back(order: &str) -> bool {
    let mut words = placed(&masked(order)).into_iter().skip(1);
    let object = words.next();
    object.is_some_and(|(word, _)| matches!(word.as_str(), "them" | "him" | "her" | "it"))
}

/// What the order at a place is about.
fn asking(parts: &[Part], at: usize) -> Option<Asking> {
    let order = parts.get(at)?;
    let describes = |part: &&Part| match &part.order {
        Some(order) => COMPLEMENTS.contains(&order.as_str()),
        None => DESCRIBING.contains(&part.first.as_str()),
    };
    let behind = parts.iter().skip(at + 1);
    let behind = behind.filter(|part| !part.text.trim().is_empty());
    let behind = behind.take_while(|part| !part.is_mute && describes(part));
    // `Visit the page of Eve and message her`: whom, the order before it says.
    let before = at.checked_sub(1).and_then(|at| parts.get(at));
    let before = before.filter(|part| order.is_behind_another && !part.is_mute);
    let before = before.filter(|_| points_back(&order.text));
    let mut described = before.map_or(String::new(), |part| format!("{}\n", part.text));
    described.push_str(&order.text);
    for part in behind {
        described.push('\n');
        described.push_str(&part.text);
    }
    Some(Asking {
        verb: order.order.clone()?,
        order: Words::of(&order.text),
        described: Words::of(&described),
    })
}

/// The order at a place of a clause: a word for a deed where an order stands. `is_later`: an order
/// stands before it. `verbs`: what tools are named after.
fn order_at(
    words: &[String],
    at: usize,
    (is_later, verbs): (bool, &BTreeSet<String>),
) -> Option<String> {
    let word = words.get(at)?;
    let mut orders = DEEDS.iter().flat_map(|deed| deed.orders);
    let is_order = orders.any(|order| *order == word) || verbs.contains(word);
    let word_at = |back: usize| {
        at.checked_sub(back)
            .and_then(|at| words.get(at))
            .map(String::as_str)
    };
    let (before, before_that) = (word_at(1), word_at(2));
    let is_open = match before {
        // The first word, or the first after the number of an item.
        None => true,
        Some(number) if at == 1 && number.bytes().all(|b| b.is_ascii_digit()) => true,
        Some("to") => before_that.is_some_and(|word| BEFORE_TO.contains(&word)),
        // `If it is late, send …`, `read it, send …`.
        Some(",") => {
            let first = words.first().map_or("", String::as_str);
            is_later || CONDITIONS.contains(&first)
        }
        Some("you") => before_that.is_some_and(|word| ASKING.contains(&word)),
        Some(word) => OPENERS.contains(&word),
    };
    let after = words.get(at + 1).map_or("", String::as_str);
    let is_told_to_user = TELLING.contains(&word.as_str()) && matches!(after, "me" | "us");
    let is_noun = AFTER_A_NOUN.contains(&after);
    (is_order && is_open && !is_told_to_user && !is_noun).then(|| word.clone())
}
