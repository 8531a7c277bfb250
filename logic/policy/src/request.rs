//! What the user's words ask for: which tools an honest reader would expect to be used.
//!
//! A plan that nobody had to write. It is made by rules from the user's newest words and the tools'
//! own names, before any result is in view, and no model and no outside text has a part in it. A
//! tool is asked for when an order in the user's words names its deed and the words name the kind
//! of thing that it deals with. What stands in quotes is content and orders nothing, a question and
//! what somebody else said order nothing, and a request that forbids, excepts or wants to see
//! anything first asks for nothing: the cost of each doubt is a question.

mod asking;
mod doubts;
mod forms;
mod sentences;
mod text;
mod words;

pub use asking::Asking;

use asking::Parts;

use doubts::{
    ALL, ASKING, ASSENTING, DEPENDING, EXCEPTION_WORDS, FORBIDDING, FOREIGN, HARMLESS,
    HOLDING_BACK, HOLDING_BACK_TOGETHER, OWN, is_time,
};
use text::{WORDS, cut, singular, spaced, tokens, told, without_pasted, without_quotes, words_of};
use words::{
    ARTICLES, DEEDS, FOLLOWED, FOLLOWING, NO_PERSON, OF_THE_AGENT, Scope, TELLING_ANYTHING,
    TELLING_SOMEBODY, THINGS,
};

use domain::tool::{EffectClass, ToolName, ToolSpec};
use std::collections::{BTreeMap, BTreeSet};

/// By which a message is asked for, in lower case.
const WRITE_TO: &str = "rite to ";
/// How many words behind the beginning of a condition are looked at.
const DEPENDING_WORDS: usize = 6;
/// How many words may stand between following something and what is followed.
const DELEGATION_WORDS: usize = 6;

/// What a request asks for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Requested {
    /// For each tool the orders that ask for it.
    tools: BTreeMap<ToolName, Vec<Asking>>,
    /// For each tool the orders of its deed, whatever they are about.
    deeds: BTreeMap<ToolName, Vec<Asking>>,
    /// The part of the request in which the user speaks, in lower case.
    own: String,
    /// Tools whose deed the request has in whatever way, as an order, a question or a ban.
    mentioned: BTreeSet<ToolName>,
    is_delegated: bool,
    /// Whether it is in another language than the one whose words are known.
    is_foreign: bool,
    /// Whether it forbids, excepts or wants to see something first.
    is_held_back: bool,
}

impl Requested {
    /// Reads a request. `tools`: every tool that there is.
    #[must_use]
    pub fn of<'a>(request: &str, tools: impl IntoIterator<Item = &'a ToolSpec>) -> Self {
        let tools: Vec<&ToolSpec> = tools.into_iter().collect();
        let verbs = verbs_of(&tools);
        let own = without_pasted(request);
        let bare = without_quotes(request);
        let words = Vocabulary::of(&bare);
        // What was not looked at may forbid anything.
        let Parts {
            parts,
            is_taken_back,
        } = asking::parts(own, &verbs);
        let is_held_back = words.is_cut || is_taken_back || is_foreign(&bare) || holds_back(&bare);
        let parts = match is_held_back {
            true => Vec::new(),
            false => parts,
        };
        let mut requested = Self {
            own: own.to_lowercase(),
            is_held_back,
            is_delegated: is_delegated(&words_of(&bare)),
            is_foreign: is_foreign(&bare) || has_foreign_letters(&bare),
            ..Self::default()
        };
        for tool in tools {
            let name = &tool.definition.name;
            let orders = orders_for(tool, &words, false);
            if !orders.is_disjoint(&words.all) {
                requested.mentioned.insert(name.clone());
            }
            let asking = asking::with_one_of(&parts, &orders);
            if !asking.is_empty() {
                requested.tools.insert(name.clone(), asking);
            }
            let deeds = asking::with_one_of(&parts, &orders_for(tool, &words, true));
            if !deeds.is_empty() {
                requested.deeds.insert(name.clone(), deeds);
            }
        }
        requested
    }

    /// Whether the request asks for the tool.
    #[must_use]
    pub fn asks_for(&self, tool: &ToolName) -> bool {
        self.tools.contains_key(tool)
    }

    /// The orders that ask for the tool.
    #[must_use]
    pub fn asking(&self, tool: &ToolName) -> &[Asking] {
        self.tools.get(tool).map_or(&[], Vec::as_slice)
    }

    /// The orders of the tool's deed, whatever they are about: which of them a step of an approved
    /// plan carries out.
    #[must_use]
    pub fn deeds(&self, tool: &ToolName) -> &[Asking] {
        self.deeds.get(tool).map_or(&[], Vec::as_slice)
    }

    /// Whether the user named a page to read: an address that stands in the request, which holds
    /// nothing back.
    #[must_use]
    pub fn names_page(&self, address: &str) -> bool {
        !self.is_held_back && self.is_own(address)
    }

    /// Whether the user said the text and did not merely paste it.
    #[must_use]
    pub fn is_own(&self, text: &str) -> bool {
        self.own.contains(&text.to_lowercase())
    }

    /// Whether the user speaks of something in the newest words, but only to forbid or to ask about it.
    #[must_use]
    pub(crate) fn only_forbids(&self, text: &str) -> bool {
        let wanted = text.to_lowercase();
        let holds_back = |(sentence, mark): &(&str, char)| {
            let words = words_of(&without_quotes(sentence));
            let is = |list: &[&str], word: &String| list.contains(&word.as_str());
            let asks = *mark == '?' && words.first().is_some_and(|word| is(&ASKING, word));
            asks || words.iter().any(|word| is(&FORBIDDING, word))
        };
        let sentences = cut(&self.own);
        let mut naming = sentences
            .iter()
            .filter(|(sentence, _)| sentence.contains(&wanted))
            .peekable();
        naming.peek().is_some() && naming.all(holds_back)
    }

    /// Whether the user may expect a question about the tool: the request speaks of what it does,
    /// says to do what some text says, or is in another language, in which nothing is known of what
    /// it speaks of.
    #[must_use]
    pub fn may_lead_to(&self, tool: &ToolName) -> bool {
        self.is_delegated || self.is_foreign || self.mentioned.contains(tool)
    }
}

/// Whether a request has words of another language: its bans and conditions are not understood.
fn is_foreign(bare: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '\'' | '’' | '@' | '.' | '/');
    let mut words = bare.split(|c: char| !is_part(c));
    words.any(|word| FOREIGN.contains(&word))
}

/// Whether a request has letters that English words do not have.
fn has_foreign_letters(bare: &str) -> bool {
    bare.chars().any(|c| c.is_alphabetic() && !c.is_ascii())
}

/// Whether a request forbids, excepts or wants to see anything first.
fn holds_back(bare: &str) -> bool {
    let mut text = words_of(bare).join(" ");
    for harmless in HARMLESS {
        text = text.replace(harmless, "");
    }
    let words: Vec<&str> = text.split(' ').collect();
    let excepts = |at: usize| {
        let before = words
            .get(at.saturating_sub(EXCEPTION_WORDS)..at)
            .unwrap_or(&[]);
        words.get(at) == Some(&"but") && before.iter().any(|word| ALL.contains(word))
    };
    let holds = |(at, word): (usize, &&str)| {
        let behind = words.get(at + 1..).unwrap_or(&[]);
        let is_time = || matches!(*word, "before" | "until" | "till") && is_time(behind);
        HOLDING_BACK.contains(word) && !is_time() || depends_on_somebody(word, behind)
    };
    (0..words.len()).any(excepts)
        || words.iter().enumerate().any(holds)
        || words
            .windows(2)
            .any(|pair| HOLDING_BACK_TOGETHER.contains(&(pair[0], pair[1])))
}

/// Whether a word begins a condition that the user, or somebody who writes, is to fulfil first: `once
/// I agree`, `if Anna says yes`.
fn depends_on_somebody(word: &str, behind: &[&str]) -> bool {
    let near = |words: usize| behind.get(..words.min(behind.len())).unwrap_or(behind);
    let is_own = || near(3).iter().any(|word| OWN.contains(word));
    let is_assent = || {
        near(DEPENDING_WORDS)
            .iter()
            .any(|word| ASSENTING.contains(word))
    };
    // `I am in Paris soon, and I look for a hotel` is no condition.
    let begins = DEPENDING.contains(&word) || word == "as" && near(1) == ["soon"];
    begins && (is_own() || is_assent())
}

/// The words of a request, looked up once for all tools.
struct Vocabulary {
    all: BTreeSet<String>,
    /// Without their plurals.
    singular: BTreeSet<String>,
    /// The kinds of thing that they point at.
    things: BTreeSet<usize>,
    /// Whether there are more words than are looked at.
    is_cut: bool,
}

impl Vocabulary {
    fn of(text: &str) -> Self {
        let words = words_of(text);
        let is_cut = words.len() >= WORDS;
        let tokens = told(tokens(text));
        let all: BTreeSet<String> = words.into_iter().chain(tokens.iter().cloned()).collect();
        let mut singular: BTreeSet<String> = all.iter().map(|word| singular(word)).collect();
        if tokens.windows(2).any(|pair| tells(&pair[0], &pair[1])) || text.contains(WRITE_TO) {
            singular.insert("message".to_owned());
        }
        if has_reference(text) {
            singular.extend(["issue".to_owned(), "pr".to_owned()]);
        }
        let things = things_of(&singular);
        Self {
            all,
            singular,
            things,
            is_cut,
        }
    }
}

/// Whether a verb tells the one behind it something.
fn tells(verb: &str, behind: &str) -> bool {
    let is_person = !NO_PERSON.contains(&behind);
    TELLING_SOMEBODY.contains(&verb) && (is_person || ARTICLES.contains(&behind))
        || TELLING_ANYTHING.contains(&verb) && is_person
}

/// Whether a text has a number as issues and changes are named by: `#12`.
fn has_reference(text: &str) -> bool {
    let mut behind = text.split('#').skip(1);
    behind.any(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

/// The verbs that tools are named after and that are no deed in the list: `renew_prescription`.
fn verbs_of(tools: &[&ToolSpec]) -> BTreeSet<String> {
    tools.iter().filter_map(|tool| own_verb(tool)).collect()
}

fn own_verb(tool: &ToolSpec) -> Option<String> {
    let name = words_of(&spaced(tool.definition.name.as_str()));
    let is_deed = |word: &String| DEEDS.iter().any(|deed| deed.names.contains(&word.as_str()));
    if name.len() < 2 || name.iter().any(is_deed) {
        return None;
    }
    name.into_iter().next()
}

/// The orders by which a request with these words asks for the tool; none where it does not speak
/// of what the tool deals with, unless `is_planned`: then that is known already.
fn orders_for(tool: &ToolSpec, request: &Vocabulary, is_planned: bool) -> BTreeSet<String> {
    if matches!(tool.effect, EffectClass::Read | EffectClass::SelfWrite) {
        return BTreeSet::new();
    }
    let name = words_of(&spaced(tool.definition.name.as_str()));
    // A tool is named after its deed first: `delete_mail` mails nothing.
    let is_deed = |word: &&String| DEEDS.iter().any(|deed| deed.names.contains(&word.as_str()));
    let first = name.iter().find(is_deed);
    let verb = own_verb(tool);
    let others = name
        .iter()
        .filter(|word| Some(*word) != first && Some(*word) != verb.as_ref());
    let objects: BTreeSet<String> = others.map(|word| singular(word)).collect();
    let capability = words_of(&spaced(&tool.capability));
    let capability = capability.iter().map(|word| singular(word));
    let dealt_with = things_of(&objects.iter().cloned().chain(capability).collect());
    let is_named = !objects.is_disjoint(&request.singular);
    let is_about = objects.is_empty() || is_named || !dealt_with.is_disjoint(&request.things);
    let pays = |word: &&String| matches!(word.as_str(), "money" | "payment");
    let own: Vec<&String> = first.into_iter().chain(name.iter().filter(pays)).collect();
    let mut found = BTreeSet::new();
    for deed in &DEEDS {
        // `Leave a comment`: the word for the deed is the thing that is asked for.
        let is_thing = |word: &&&String| request.singular.contains(word.as_str());
        let of_tool = own
            .iter()
            .filter(|word| deed.names.contains(&word.as_str()));
        let as_thing = of_tool.clone().find(is_thing);
        let is_meant = match deed.scope {
            Scope::Any => true,
            Scope::About => is_about || is_planned,
            Scope::Named => is_named || is_planned,
        };
        if of_tool.count() == 0 || !is_meant && as_thing.is_none() {
            continue;
        }
        let orders = deed.orders.iter().map(|order| (*order).to_owned());
        let other = |order: &String| is_meant || as_thing.is_none_or(|thing| **thing != *order);
        found.extend(orders.filter(other));
    }
    let is_clear = |verb: &String| is_named || !OF_THE_AGENT.contains(&verb.as_str());
    found.extend(verb.filter(is_clear));
    found
}

fn is_delegated(words: &[String]) -> bool {
    words.iter().enumerate().any(|(at, word)| {
        let ahead = words.iter().skip(at + 1).take(DELEGATION_WORDS);
        FOLLOWING.contains(&word.as_str())
            && ahead
                .into_iter()
                .any(|word| FOLLOWED.contains(&word.as_str()))
    })
}

/// The kinds of thing that words without their plurals point at.
fn things_of(words: &BTreeSet<String>) -> BTreeSet<usize> {
    let points_at = |line: &&[&str]| line.iter().any(|thing| words.contains(&singular(thing)));
    let lines = THINGS.iter().enumerate();
    let lines = lines.filter(|(_, line)| points_at(line));
    lines.map(|(line, _)| line).collect()
}
