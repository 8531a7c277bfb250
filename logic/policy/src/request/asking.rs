//! What one order of the user's is about: the words that belong to it, and what they name.
//!
//! An order stands in for a call only where it names everything that the call lands on. What the
//! user says elsewhere, to ask about it or to forbid it, names nothing for it.

use super::sentences::{self, Shape};
use super::text::{cut, masked, placed, told, without_asides};
use super::words::{COMPLEMENTS, DEEDS, OF_THE_AGENT, TELLING, TELLING_SOMEBODY};
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
    /// Whether another order stands before it in its sentence.
    is_behind_another: bool,
    /// Whether it says more of what was ordered before it.
    is_description: bool,
}

/// The parts of a request, and whether something in it may take back what it orders.
#[derive(Debug, Default)]
pub(super) struct Parts {
    pub(super) parts: Vec<Part>,
    pub(super) is_taken_back: bool,
}

/// The parts of a request. Only a sentence that opens with an order, said to the agent, orders
/// anything; what stands behind a colon, or behind a sentence that may hand over a text, does not.
pub(super) fn parts(request: &str, verbs: &BTreeSet<String>) -> Parts {
    let is_order = |word: &str| is_deed(word) || verbs.contains(word);
    let mut found = Parts::default();
    let (mut is_content, mut is_text, mut has_ordered) = (false, false, false);
    // Whether all before was ordered, and whether a new line has begun.
    let (mut is_all_ordered, mut is_new_line) = (true, false);
    let request = without_asides(request);
    for (text, mark) in cut(&request) {
        let (mut words, places): (Vec<String>, Vec<usize>) =
            placed(&masked(text)).into_iter().unzip();
        if words.is_empty() {
            is_content &= mark != '\n';
            is_new_line |= mark == '\n';
            continue;
        }
        // A text that was pasted begins on a line of its own.
        is_text |= is_new_line && !is_all_ordered && !sentences::goes_on(&words);
        is_new_line = mark == '\n';
        words = told(words);
        let shape = sentences::shape(&words, mark, is_order);
        found.is_taken_back |= has_ordered && !is_content && shape == Shape::Other;
        let is_mute = is_content || is_text || sentences::has_condition(&words, shape);
        let orders = match shape {
            Shape::Command(at) if !is_mute => orders_from(&words, at, is_order),
            _ => Vec::new(),
        };
        let acts = |order: &str| !sentences::is_looking(order);
        has_ordered |= orders
            .iter()
            .filter_map(|(order, _)| order.as_deref())
            .any(acts);
        is_text |= sentences::hands_over_text(&words, shape, mark);
        is_all_ordered &= matches!(shape, Shape::Command(_) | Shape::Courtesy);
        let opens_tasks = shape == Shape::Courtesy && words.iter().any(|word| word == "following");
        let is_opened = mark == ':' && !opens_tasks;
        is_content = is_opened || is_content && mark != '\n';
        let orders = orders.into_iter();
        let placed = orders.filter_map(|(order, at)| Some((order, *places.get(at)?)));
        let describes = !is_mute && shape == Shape::Description;
        found
            .parts
            .extend(divided(text, placed.collect(), describes));
    }
    found
}

/// The orders of a sentence that tells the agent to do something from a word on: that word, where it
/// is one, and what `and` adds to it. A part in which somebody else acts adds nothing.
fn orders_from(
    words: &[String],
    from: usize,
    is_order: impl Fn(&str) -> bool,
) -> Vec<(Option<String>, usize)> {
    let word = |at: usize| words.get(at).map_or("", String::as_str);
    let mut found = Vec::new();
    for at in from..words.len() {
        if at > from && sentences::ends_command(words, from, at) {
            break;
        }
        let asks_somebody = TELLING_SOMEBODY.contains(&word(from)) && word(at) == "to";
        if asks_somebody {
            break;
        }
        let is_open =
            at == from || matches!(word(at - 1), "and" | "then" | "also" | "," | "please");
        let is_told_to_user = TELLING.contains(&word(at)) && matches!(word(at + 1), "me" | "us");
        let is_verb = is_order(word(at)) && !sentences::is_noun(word(at), word(at + 1));
        let is_added = at == from || sentences::may_be_added(words, from, at);
        if is_open && is_verb && !is_told_to_user && is_added {
            found.push((Some(word(at).to_owned()), at));
        } else if at > from && begins_a_report(words, at) {
            found.push((None, at));
        }
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

/// A sentence at its orders.
fn divided(text: &str, orders: Vec<(Option<String>, usize)>, is_description: bool) -> Vec<Part> {
    let part = |order: Option<String>, text: &str| Part {
        order,
        text: text.to_owned(),
        is_behind_another: false,
        is_description,
    };
    if orders.is_empty() {
        return vec![part(None, text)];
    }
    let ends: Vec<usize> = orders.iter().skip(1).map(|(_, at)| *at).collect();
    let ends = ends.into_iter().chain([text.len()]);
    let mut found: Vec<Part> = Vec::new();
    for ((order, at), end) in orders.into_iter().zip(ends) {
        found.push(Part {
            is_behind_another: !found.is_empty(),
            ..part(order, text.get(at..end).unwrap_or(""))
        });
    }
    found
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

/// The words of an order that may name what it lands on.
fn within_scope(order: &str) -> String {
    let parts = sentences::scope(&placed(&masked(order)), order.len());
    let parts: Vec<&str> = parts
        .into_iter()
        .filter_map(|part| order.get(part))
        .collect();
    parts.join(" ")
}

/// What a description says that a part of the order is.
fn value_of(description: &str) -> String {
    let words = placed(&masked(description));
    let value = sentences::described(&words).and_then(|from| description.get(from..));
    value.map_or_else(String::new, within_scope)
}

/// What the order at a place is about.
fn asking(parts: &[Part], at: usize) -> Option<Asking> {
    let order = parts.get(at)?;
    let describes = |part: &&Part| match &part.order {
        Some(order) => COMPLEMENTS.contains(&order.as_str()),
        None => part.is_description,
    };
    let behind = parts.iter().skip(at + 1).take_while(describes);
    // `Visit the page of Eve and message her`: whom, the order before it says.
    let before = at.checked_sub(1).and_then(|at| parts.get(at));
    let before = before.filter(|_| order.is_behind_another);
    let before = before.filter(|_| points_back(&order.text));
    let own = within_scope(&order.text);
    let mut described = before.map_or(String::new(), |part| {
        format!("{}\n", within_scope(&part.text))
    });
    described.push_str(&own);
    for part in behind {
        let said = match part.order {
            Some(_) => within_scope(&part.text),
            None => value_of(&part.text),
        };
        described.push('\n');
        described.push_str(&said);
    }
    Some(Asking {
        verb: order.order.clone()?,
        order: Words::of(&own),
        described: Words::of(&described),
    })
}

pub(super) fn is_deed(word: &str) -> bool {
    DEEDS.iter().any(|deed| deed.orders.contains(&word))
}
