//! Whether a call spends all that an order says.
//!
//! An order frees a call only where nothing of it is left over: a name, a day or any other word that
//! the call has no use for may be another recipient, a condition or a part of the thing that was
//! meant. So each word of the order is one of the call's own, a word for the kind of thing that the
//! tool deals with, or one of the few that join others. English only.

use super::forms::{ADDRESSED, CONDITIONAL, CONTENT, FIELDS, POLITE, SUBORDINATE};
use super::text::{singular, spaced, words_of};
use super::words::THINGS;
use crate::flow::{exact, is_whole_lead, stands_whole, unfolded};
use domain::tool::ToolSpec;
use std::collections::BTreeSet;

/// Words that join others and say nothing by themselves.
const JOINING: [&str; 48] = [
    "a",
    "an",
    "the",
    "my",
    "our",
    "your",
    "their",
    "this",
    "that",
    "these",
    "those",
    "all",
    "each",
    "both",
    "to",
    "with",
    "in",
    "into",
    "on",
    "at",
    "for",
    "from",
    "of",
    "via",
    "and",
    ",",
    "please",
    "also",
    "new",
    "direct",
    "following",
    "titled",
    "named",
    "called",
    "same",
    "them",
    "him",
    "her",
    "it",
    "use",
    "there",
    "attached",
    "attach",
    "first",
    "necessary",
    "relevant",
    "second",
    "another",
];
/// Words by which the text that somebody is told begins; a text of the user's has to follow.
const SAYING: [&str; 7] = [
    "that", "saying", "says", "stating", "reading", "write", "say",
];
/// Words behind which the first part of a name may stand alone: `the channel starting with External`.
const STARTING: [&str; 3] = ["starting", "beginning", "starts"];
/// Those who may stand before the name of the one who is meant.
const PEOPLE: [&str; 16] = [
    "wife",
    "husband",
    "partner",
    "friend",
    "colleague",
    "boss",
    "manager",
    "mother",
    "father",
    "brother",
    "sister",
    "son",
    "daughter",
    "assistant",
    "teacher",
    "doctor",
];
/// Words by which goes on what describes a text that the agent is to write.
const OPEN: [&str; 6] = ["about", "regarding", "what", "how", "why", "where"];
/// Prepositions before those whom a call goes to.
const TOWARDS: [&str; 3] = ["to", "with", "for"];
/// Lengths of time, for tools that are given times.
const LENGTHS: [&str; 12] = [
    "one", "two", "three", "half", "hour", "hours", "minute", "minutes", "day", "days", "from",
    "until",
];

/// Longest order that is read, words.
const ORDER_WORDS: usize = 400;

/// What a call uses of the user's words.
#[derive(Debug, Default)]
pub(crate) struct Spending {
    /// What it lands on, and what that is called.
    pub(crate) names: Vec<String>,
    /// What the things that it hands on are called.
    pub(crate) objects: Vec<String>,
    /// What it says in the user's own words, its times and its settings.
    pub(crate) texts: Vec<String>,
    /// Whether the order may describe what the call says, as the agent words it, or what it lands on.
    pub(crate) is_worded: bool,
    /// What the platform itself says of what it lands on.
    pub(crate) facts: Vec<String>,
    /// Whether it fills in the blanks of a text that the user gave.
    pub(crate) fills_blanks: bool,
    /// Whether it is given a time.
    pub(crate) has_time: bool,
    /// Words for what the tool deals with.
    kinds: BTreeSet<String>,
}

impl Spending {
    /// Nothing yet, for a call of a tool.
    pub(crate) fn of(tool: &ToolSpec) -> Self {
        let names = [tool.definition.name.as_str(), &tool.capability];
        let names = names
            .into_iter()
            .chain(tool.arguments.keys().map(String::as_str));
        let own: BTreeSet<String> = names
            .flat_map(|name| words_of(&spaced(name)))
            .map(|word| singular(&word))
            .collect();
        let alike = THINGS
            .iter()
            .filter(|group| group.iter().any(|word| own.contains(*word)));
        let alike = alike.flat_map(|group| group.iter());
        let alike = alike.map(|word| (*word).to_owned());
        Self {
            kinds: alike.chain(own.iter().cloned()).collect(),
            ..Self::default()
        }
    }

    /// Whether nothing of an order is left over. `order` begins with its verb.
    pub(super) fn uses_up(&self, order: &str) -> bool {
        let mut words = self.words(order);
        // Why it is done is no part of what is done.
        let is_reason = |word: &Word| word.used.is_none() && word.text == "because";
        words.truncate(words.iter().position(is_reason).unwrap_or(words.len()));
        Reading {
            spending: self,
            words: &words,
        }
        .is_used_up()
    }

    /// Whether nothing is left over of what stands before an order in its sentence.
    pub(super) fn uses_up_opening(&self, opening: &str) -> bool {
        let is_polite = |word: &str| {
            POLITE.contains(&word)
                || ADDRESSED.iter().any(|form| form.contains(&word))
                || word.bytes().all(|byte| byte.is_ascii_digit())
        };
        let words = self.words(opening);
        let mut words = words.iter();
        words.all(|word| match word.used {
            None => {
                is_polite(&word.text) || self.is_joining(&word.text) || self.is_kind(&word.text)
            }
            Some(Use::Name | Use::Text) => true,
            Some(Use::Object) => false,
        })
    }

    /// Whether a value that a sentence gives for a part of the order is used, and nothing beside it.
    pub(super) fn uses_up_value(&self, value: &str) -> bool {
        let words = self.words(value);
        let mut words = words.iter();
        words.all(|word| word.used.is_some() || matches!(word.text.as_str(), "," | "and" | "the"))
    }

    fn is_joining(&self, word: &str) -> bool {
        JOINING.contains(&word) || self.has_time && LENGTHS.contains(&word)
    }

    /// Whether a word is one for what the tool deals with, or for a part of it.
    fn is_kind(&self, word: &str) -> bool {
        FIELDS.contains(&word) || CONTENT.contains(&word) || self.is_thing(word)
    }

    /// Whether a word is one for what the tool deals with.
    fn is_thing(&self, word: &str) -> bool {
        self.kinds.contains(word) || self.kinds.contains(&singular(word))
    }

    /// The words of a text, each with what the call uses it for.
    fn words(&self, text: &str) -> Vec<Word> {
        let mut words: Vec<Word> = tokens(&unfolded(text)).collect();
        let uses = [
            (&self.texts, Use::Text),
            (&self.objects, Use::Object),
            (&self.names, Use::Name),
        ];
        let mut phrases: Vec<(Vec<String>, Use)> = Vec::new();
        for (texts, used) in uses {
            for text in texts {
                let phrase: Vec<String> = tokens(&unfolded(text)).map(|word| word.text).collect();
                phrases.extend((!phrase.is_empty()).then_some((phrase, used)));
            }
        }
        phrases.sort_by_key(|(phrase, _)| std::cmp::Reverse(phrase.len()));
        for (phrase, used) in &phrases {
            mark(&mut words, phrase, *used);
        }
        for at in 0..words.len() {
            if words[at].used.is_none() {
                words[at].used = self.part_of_name(&words, at);
            }
        }
        words
    }

    /// Whether a word is a part of a name or a time of the call: the day of a moment, the first name in
    /// an address.
    fn part_of_name(&self, words: &[Word], at: usize) -> Option<Use> {
        let word = words.get(at)?;
        let before = |back: usize| at.checked_sub(back).and_then(|at| words.get(at));
        let is_beginning = before(1).is_some_and(|word| word.text == "with")
            && before(2).is_some_and(|word| STARTING.contains(&word.text.as_str()));
        if is_beginning
            && self
                .names
                .iter()
                .any(|name| exact(name).starts_with(&word.text))
        {
            return Some(Use::Name);
        }
        // What stands in the braces is an aside, and left out.
        if self.fills_blanks && word.text.ends_with('}') {
            return Some(Use::Text);
        }
        // Whom an address is of stands before its host: `Sarah` for `sarah.connor@…`.
        let is_owner = |name: &String| {
            let owner = name.split_once('@').map_or("", |(owner, _)| owner);
            words_of(&owner.replace(['.', '_', '-'], " ")).contains(&word.text)
        };
        if word.is_naming && self.names.iter().any(is_owner) {
            return Some(Use::Text);
        }
        let stands_in = |texts: &[String]| {
            let mut texts = texts.iter();
            texts.any(|text| stands_whole(&exact(text), &word.text))
        };
        let is_digit = word.text.starts_with(|c: char| c.is_ascii_digit());
        let is_fact = stands_in(&self.facts) || self.has_time && stands_in(&self.texts);
        (is_digit && is_fact).then_some(Use::Text)
    }
}

/// What a call uses a word of an order for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Use {
    Name,
    Object,
    Text,
}

/// A word of an order, in lower case.
#[derive(Debug)]
struct Word {
    text: String,
    /// Whether it may name something: it has a capital, a digit or a mark in it.
    is_naming: bool,
    used: Option<Use>,
}

/// The words of a text, and the commas between them.
fn tokens(text: &str) -> impl Iterator<Item = Word> {
    let is_edge =
        |c: char| !c.is_alphanumeric() && !matches!(c, '#' | '@' | '$' | '€' | '%' | '{' | '}');
    let parts = text.split_whitespace().flat_map(move |word| {
        let bare = word.trim_matches(is_edge);
        let tail = word.trim_end_matches(['"', '\'', '”', '’', ')', '.']);
        let comma = tail.ends_with(',').then_some(",");
        [(!bare.is_empty()).then_some(bare), comma]
    });
    parts.flatten().map(|word| Word {
        is_naming: word
            .chars()
            .any(|c| c.is_uppercase() || c.is_numeric() || matches!(c, '@' | '_' | '.' | '/')),
        text: exact(word),
        used: None,
    })
}

/// Marks where a phrase stands among words of which nothing is used yet.
fn mark(words: &mut [Word], phrase: &[String], used: Use) {
    let mut at = 0;
    while let Some(window) = words.get_mut(at..at + phrase.len()) {
        let is_here = window
            .iter()
            .zip(phrase)
            .all(|(word, of)| word.used.is_none() && word.text == *of);
        if is_here {
            window.iter_mut().for_each(|word| word.used = Some(used));
            at += phrase.len();
        } else {
            at += 1;
        }
    }
}

/// An order, as it is read from its verb on.
struct Reading<'a> {
    spending: &'a Spending,
    words: &'a [Word],
}

impl Reading<'_> {
    fn is_used_up(&self) -> bool {
        if self.words.len() > ORDER_WORDS {
            return false;
        }
        let recipients = (1..self.words.len()).filter(|at| self.begins_recipient(*at));
        // Of two recipients each may be meant for another thing.
        recipients.count() <= 1 && (1..self.words.len()).all(|at| self.is_used(at))
    }

    fn is_used(&self, at: usize) -> bool {
        let Some(word) = self.words.get(at) else {
            return false;
        };
        match word.used {
            Some(Use::Name | Use::Text) => true,
            Some(Use::Object) => self.is_handed_on(at),
            None => self.has_role(at, word),
        }
    }

    fn has_role(&self, at: usize, word: &Word) -> bool {
        let text = word.text.as_str();
        let is_name = |at: usize| self.used(at) == Some(Use::Name);
        self.spending.is_joining(text)
            || self.spending.is_kind(text)
            || STARTING.contains(&text)
            || SAYING.contains(&text) && self.used(at + 1) == Some(Use::Text)
            || self.is_alongside(at, word)
            || PEOPLE.contains(&text) && (is_name(at + 1) || is_name(at + 2))
            || self.describes(at, word)
    }

    fn used(&self, at: usize) -> Option<Use> {
        self.words.get(at)?.used
    }

    fn text(&self, at: usize) -> &str {
        self.words.get(at).map_or("", |word| word.text.as_str())
    }

    /// Whether a preposition stands there before whom the call goes to.
    fn begins_recipient(&self, at: usize) -> bool {
        let mut behind = at + 1;
        while self.used(behind).is_none() && self.is_skipped(behind) {
            behind += 1;
        }
        TOWARDS.contains(&self.text(at)) && self.used(behind) == Some(Use::Name)
    }

    /// Whether a word may stand between what is named and what says how.
    fn is_skipped(&self, at: usize) -> bool {
        let text = self.text(at);
        let is_article = matches!(
            text,
            "the" | "a" | "an" | "my" | "our" | "this" | "that" | "new" | "at"
        );
        is_article || self.spending.is_kind(text) || PEOPLE.contains(&text)
    }

    /// Whether a word names one more of those whom the call goes to, who gets a call of his own: `Ann`
    /// in `to Bob and Ann`, `random` in `in the channels general and random`.
    fn is_alongside(&self, at: usize, word: &Word) -> bool {
        let mut first = at;
        while first > 2 && matches!(self.text(first - 1), "and" | ",") {
            first -= if self.text(first - 2) == "," { 3 } else { 2 };
        }
        let is_many = self.text(first.saturating_sub(1)).ends_with('s')
            && self.spending.is_kind(self.text(first.saturating_sub(1)));
        let is_next = |at: usize| self.used(at) == Some(Use::Name);
        let is_joined = |at: usize| matches!(self.text(at), "and" | ",");
        let is_listed =
            at > 1 && is_joined(at - 1) && is_next(at - 2) || is_joined(at + 1) && is_next(at + 2);
        is_listed && (word.is_naming || is_many)
    }

    /// Whether a word describes what the agent is to write: what it is about, or a text before the
    /// recipient. It begins no condition, and names something only where the text is of that or about
    /// it.
    fn describes(&self, at: usize, word: &Word) -> bool {
        let text = word.text.as_str();
        let is_open =
            OPEN.contains(&text) || !SUBORDINATE.contains(&text) && !CONDITIONAL.contains(&text);
        let is_page = is_whole_lead(text) && !text.contains('@');
        let is_topic = |text: &str| matches!(text, "about" | "regarding");
        let leading = match matches!(self.text(at - 1), "the" | "a" | "my" | "our") {
            true => at.saturating_sub(2),
            false => at - 1,
        };
        let is_plain = !word.is_naming
            || is_page
            || is_topic(self.text(leading))
            || self.text(leading) == "of";
        let recipient = (1..at).rev().find(|before| self.begins_recipient(*before));
        let about = (1..=at).rev().find(|before| is_topic(self.text(*before)));
        let is_text = self.spending.is_worded && recipient.is_none();
        is_plain && is_open && (is_text || about.is_some() && about >= recipient)
    }

    /// Whether a thing is what the order hands on itself, and not what something is about or a part of.
    fn is_handed_on(&self, at: usize) -> bool {
        let mut before = at;
        while before > 1
            && (self.used(before - 1) == Some(Use::Object) || self.is_skipped(before - 1))
        {
            before -= 1;
        }
        let leading = self.text(before - 1);
        // Behind a word for a kind of thing, `the participants of the event` is the event.
        let is_of_kind = || {
            let owner = before.checked_sub(2).map_or("", |at| self.text(at));
            matches!(leading, "of" | "to" | "in" | "into" | "from" | "on")
                && self.spending.is_thing(owner)
        };
        before == 1
            || matches!(
                leading,
                "and" | "," | "with" | "attach" | "attached" | "also" | "please"
            )
            || matches!(self.used(before - 1), Some(Use::Name | Use::Text))
            || is_of_kind()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::panic, reason = "a test is allowed to fail loudly")]

    use super::Spending;

    fn call(names: &[&str], texts: &[&str]) -> Spending {
        let own = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
        let kinds = ["event", "description", "participant", "title", "file"];
        Spending {
            names: own(names),
            texts: own(texts),
            kinds: kinds.iter().map(|kind| (*kind).to_owned()).collect(),
            ..Spending::default()
        }
    }

    #[test]
    fn times_titles_and_first_names_of_the_call_are_used() {
        let mut lunch = call(
            &["sarah.connor@gmail.com"],
            &["Lunch", "Catch up over lunch.", "2024-05-19 12:00"],
        );
        let order = "create an event with Sarah at 12:00 for one hour, titled 'Lunch' and with \
                     description Catch up over lunch";
        assert!(!lunch.uses_up(order), "an hour is nothing without a time");
        lunch.has_time = true;
        assert!(lunch.uses_up(order), "{:?}", lunch.words(order));
        for more in [
            " if she likes",
            " and Bob",
            " on Friday",
            " with Ann",
            " at 13:00",
        ] {
            assert!(!lunch.uses_up(&format!("{order}{more}")), "{more}");
        }
    }

    #[test]
    fn two_recipients_each_with_a_thing_are_left_over() {
        let mut call = call(&["bob@corp.example", "eve@evil.example"], &[]);
        call.objects = vec!["Payroll.xlsx".to_owned(), "Q3 report.docx".to_owned()];
        let (first, second) = ("bob@corp.example", "eve@evil.example");
        let mixed = format!("mail Payroll.xlsx to {first} and Q3 report.docx to {second}");
        assert!(!call.uses_up(&mixed));
        let both = format!("mail Payroll.xlsx and Q3 report.docx to {first} and {second}");
        assert!(call.uses_up(&both));
    }
}
