//! Whether an order says a call, part by part.
//!
//! An order frees a call only where it has a fixed form, every word of it has one role in it, and
//! every part of the call stands in the role that is its own: who gets it behind `to`, `with` or
//! `for`, or right behind the verb; a thing by its title; a text in quotation marks or behind `that`
//! up to the end; a setting behind `as`; a moment behind `at`, `on`, `from` or `to`. A name in any other role (`the file from
//! Eve`), a word without one (`tomorrow`, `the notes on`) and a part of the call that is not said
//! leave the call to be asked about. English only.

use super::text::{singular, spaced, words_of};
use super::words::THINGS;
use crate::flow::{exact, quoted, unfolded};
use domain::tool::ToolSpec;
use std::collections::BTreeSet;

/// Prepositions before those whom a call goes to.
const TOWARDS: [&str; 3] = ["to", "with", "for"];
/// Prepositions before where something is.
const WITHIN: [&str; 4] = ["in", "into", "on", "at"];
/// Prepositions before a moment.
const WHEN: [&str; 4] = ["at", "on", "from", "to"];
/// Words for a thing that any tool may hand on.
const THING: [&str; 2] = ["file", "document"];
/// Words behind which a text in quotation marks stands.
const SAYING: [&str; 7] = [
    "saying", "titled", "named", "called", "reading", "says", "stating",
];
/// Words behind which a text without quotation marks may stand, up to the end.
const TELLING: [&str; 2] = ["that", "saying"];
/// Words for a part that is a text: `with the subject "Lunch"`.
const CONTENT: [&str; 12] = [
    "subject",
    "title",
    "body",
    "text",
    "message",
    "content",
    "caption",
    "description",
    "note",
    "comment",
    "name",
    "words",
];
const ARTICLES: [&str; 3] = ["the", "my", "our"];
/// Verbs for one deed. A tool that is named after one of them is ordered by all of its group.
const ALIKE: [&[&str]; 9] = [
    &[
        "send", "mail", "email", "e-mail", "message", "text", "dm", "write", "tell",
    ],
    &["create", "add", "make", "schedule"],
    &["invite", "add"],
    &["reply", "respond", "answer"],
    &["post", "publish", "send", "write"],
    &["move", "reschedule", "postpone"],
    &["remove", "delete"],
    &["book", "reserve"],
    &["append", "add"],
];
/// Words in a tool's name that make its deed a wider one: they have to be said.
const WIDENING: [&str; 6] = [
    "all",
    "everyone",
    "everybody",
    "public",
    "force",
    "permanently",
];

/// Longest order that is read, words.
const ORDER_WORDS: usize = 200;

/// A part of a call, by each of the texts that it may be called.
pub(crate) type Called = Vec<String>;

/// The parts of a call that an order has to say.
#[derive(Debug, Default)]
pub(crate) struct CallParts {
    /// Who gets it, or where it goes.
    pub(crate) targets: Vec<Called>,
    /// The things that it hands on.
    pub(crate) objects: Vec<Called>,
    /// What it says.
    pub(crate) texts: Vec<Called>,
    /// What it sets, beyond what the schema says.
    pub(crate) settings: Vec<Called>,
    /// Its days and times.
    pub(crate) moments: Vec<String>,
    /// The words of the tool's name.
    name: Vec<String>,
    /// Words for what the tool deals with.
    kinds: BTreeSet<String>,
}

impl CallParts {
    /// None yet, for a call of a tool.
    pub(crate) fn of(tool: &ToolSpec) -> Self {
        let name = words_of(&spaced(tool.definition.name.as_str()));
        let capability = words_of(&spaced(&tool.capability));
        let own: BTreeSet<String> = name
            .iter()
            .chain(&capability)
            .map(|word| singular(word))
            .collect();
        let alike = THINGS
            .iter()
            .filter(|group| group.iter().any(|word| own.contains(*word)));
        let alike = alike.flat_map(|group| group.iter());
        let alike = alike.map(|word| (*word).to_owned());
        Self {
            kinds: alike.chain(own.iter().cloned()).collect(),
            name,
            ..Self::default()
        }
    }

    /// Whether an order says the call, all of it and nothing else. `order` begins with its verb.
    pub(super) fn are_said_by(&self, order: &str) -> bool {
        let tokens = tokens(order);
        let Some(Token::Word(verb, _)) = tokens.first() else {
            return false;
        };
        // Of two moments either may be the other's.
        if tokens.len() > ORDER_WORDS || self.moments.len() > 1 || !self.is_deed(verb, &tokens) {
            return false;
        }
        let mut reading = Reading {
            call: self,
            order,
            tokens: &tokens,
            at: 1,
            used: BTreeSet::new(),
        };
        reading.is_read() && reading.has_all()
    }

    /// Whether a verb is one for what the tool is named after.
    fn is_deed(&self, verb: &str, tokens: &[Token]) -> bool {
        let is_of = |word: &String| {
            word == verb
                || ALIKE
                    .iter()
                    .any(|group| group.contains(&word.as_str()) && group.contains(&verb))
        };
        let is_said = |word: &&String| tokens.iter().any(|token| token.is_word(word));
        let mut widening = self
            .name
            .iter()
            .filter(|word| WIDENING.contains(&word.as_str()));
        self.name.first().is_some_and(is_of) && widening.all(|word| is_said(&word))
    }

    fn is_kind(&self, word: &str) -> bool {
        self.kinds.contains(word) || self.kinds.contains(&singular(word))
    }
}

/// A part of an order.
#[derive(Debug)]
enum Token {
    /// A word in lower case, and where it begins.
    Word(String, usize),
    Comma,
    /// What stands in quotation marks, in lower case.
    Quote(String),
}

impl Token {
    fn is_word(&self, word: &str) -> bool {
        matches!(self, Self::Word(text, _) if text == word)
    }
}

fn tokens(order: &str) -> Vec<Token> {
    let mut found = Vec::new();
    let mut from = 0;
    for quote in quoted(order) {
        words_into(order, from..quote.start, &mut found);
        let text = order.get(quote.clone()).unwrap_or("");
        found.push(Token::Quote(same(text)));
        from = quote.end;
    }
    words_into(order, from..order.len(), &mut found);
    found
}

fn words_into(order: &str, range: std::ops::Range<usize>, found: &mut Vec<Token>) {
    let is_edge = |c: char| !c.is_alphanumeric() && !matches!(c, '#' | '@' | '$' | '€' | '%' | '/');
    let text = order.get(range.clone()).unwrap_or("");
    let mut at = range.start;
    for part in text.split_inclusive(char::is_whitespace) {
        let word = part.trim_end();
        let bare = word.trim_matches(is_edge);
        let lead = word.len() - word.trim_start_matches(is_edge).len();
        if !bare.is_empty() {
            found.push(Token::Word(same(bare), at + lead));
        }
        if word.ends_with(',') {
            found.push(Token::Comma);
        }
        at += part.len();
    }
}

/// A text as it is compared.
fn same(text: &str) -> String {
    exact(&unfolded(text.trim()))
}

/// A text without the marks at its end.
fn without_end(text: &str) -> &str {
    text.trim_end_matches(['.', '!', '?'])
}

/// What an order uses a name for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Role {
    Target,
    Object,
    Text,
    Setting,
    Moment,
}

/// What stood last in an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Last {
    Verb,
    /// A part in this role.
    Part(Role),
    /// `a message`.
    Kind,
}

/// An order that is being read.
struct Reading<'a> {
    call: &'a CallParts,
    order: &'a str,
    tokens: &'a [Token],
    at: usize,
    /// The parts that are said: their role, and which of it.
    used: BTreeSet<(Role, usize)>,
}

impl Reading<'_> {
    /// Reads it to its end; whether every word has a role.
    fn is_read(&mut self) -> bool {
        let mut last = Last::Verb;
        while self.at < self.tokens.len() {
            let is_joined = self.skips_and();
            let Some(next) = self.item(last, is_joined) else {
                return false;
            };
            last = next;
        }
        true
    }

    /// Whether every part of the call is said.
    fn has_all(&self) -> bool {
        let counts = [
            (Role::Target, self.call.targets.len()),
            (Role::Object, self.call.objects.len()),
            (Role::Text, self.call.texts.len()),
            (Role::Setting, self.call.settings.len()),
        ];
        let said =
            |(role, count): (Role, usize)| (0..count).all(|at| self.used.contains(&(role, at)));
        let moments = self.call.moments.iter().flat_map(|text| moment_words(text));
        let count = moments.count();
        counts.into_iter().all(said) && said((Role::Moment, count))
    }

    fn word(&self, ahead: usize) -> &str {
        match self.tokens.get(self.at + ahead) {
            Some(Token::Word(word, _)) => word,
            _ => "",
        }
    }

    fn skips_and(&mut self) -> bool {
        let from = self.at;
        if matches!(self.tokens.get(self.at), Some(Token::Comma)) {
            self.at += 1;
        }
        if self.word(0) == "and" {
            self.at += 1;
        }
        self.at > from
    }

    /// Reads one item; `None` where what stands there has no role.
    fn item(&mut self, last: Last, is_joined: bool) -> Option<Last> {
        let word = self.word(0).to_owned();
        if is_joined && last == Last::Verb {
            return None;
        }
        if TELLING.contains(&word.as_str()) && self.takes_rest() {
            return Some(Last::Part(Role::Text));
        }
        if let Some(skipped) = self.introduction() {
            self.at += skipped;
            return self
                .takes_quote(Role::Text)
                .then_some(Last::Part(Role::Text));
        }
        if WHEN.contains(&word.as_str()) && self.takes_moment(1) {
            return Some(Last::Part(Role::Moment));
        }
        if word == "as" {
            self.at += 1 + usize::from(matches!(self.word(1), "a" | "an" | "the"));
            let is_set = self.takes_name(Role::Setting);
            return is_set.then_some(Last::Part(Role::Setting));
        }
        if TOWARDS.contains(&word.as_str()) && !is_joined {
            self.at += 1;
            let roles: &[Role] = match (word.as_str(), self.call.targets.is_empty()) {
                // `Reply to it with 'yes'`.
                ("with", _) => &[Role::Target, Role::Text],
                // `Append 'x' to notes.txt`: nobody gets it.
                ("to", true) => &[Role::Object],
                _ => &[Role::Target],
            };
            return self.takes(roles).map(Last::Part);
        }
        if WITHIN.contains(&word.as_str()) && !is_joined {
            self.at += 1;
            return self.takes_place().then_some(Last::Part(Role::Target));
        }
        let roles: &[Role] = match (last, is_joined) {
            (Last::Verb, _) => &[Role::Object, Role::Target, Role::Text],
            // `Mail Bob the file`, `message Bob 'hi'`.
            (Last::Part(Role::Target), false) => &[Role::Object, Role::Text],
            // `A message 'hi'`.
            (Last::Kind, false) => &[Role::Text],
            (Last::Part(role @ (Role::Target | Role::Object)), true) => match role {
                Role::Target => &[Role::Target],
                _ => &[Role::Object],
            },
            _ => return None,
        };
        if let Some(role) = self.takes(roles) {
            return Some(Last::Part(role));
        }
        let may_be_kind = matches!(last, Last::Verb | Last::Part(Role::Target)) && !is_joined;
        (may_be_kind && self.takes_kind()).then_some(Last::Kind)
    }

    /// How many words introduce a text in quotation marks here: `saying`, `with the subject`.
    fn introduction(&self) -> Option<usize> {
        if SAYING.contains(&self.word(0)) {
            return Some(1);
        }
        if self.word(0) == "that" && self.word(1) == "says" {
            return Some(2);
        }
        let with = usize::from(self.word(0) == "with");
        let article = usize::from(matches!(self.word(with), "the" | "a"));
        let is_content = CONTENT.contains(&self.word(with + article));
        let at = self.at + with + article + 1;
        let is_quoted = matches!(self.tokens.get(at), Some(Token::Quote(_)));
        (is_content && is_quoted && with + article > 0).then_some(with + article + 1)
    }

    /// Reads a text that goes up to the end.
    fn takes_rest(&mut self) -> bool {
        let Some(Token::Word(word, at)) = self.tokens.get(self.at) else {
            return false;
        };
        let rest = same(self.order.get(at + word.len()..).unwrap_or(""));
        let texts = self.call.texts.iter().enumerate();
        let is_rest = |called: &Called| {
            let mut called = called.iter();
            called.any(|text| without_end(&same(text)) == without_end(&rest))
        };
        let found: Vec<usize> = texts
            .filter(|(_, one)| is_rest(one))
            .map(|(at, _)| at)
            .collect();
        if rest.is_empty() || found.is_empty() {
            return false;
        }
        self.at = self.tokens.len();
        self.used
            .extend(found.into_iter().map(|at| (Role::Text, at)));
        true
    }

    fn takes_quote(&mut self, role: Role) -> bool {
        let Some(Token::Quote(quote)) = self.tokens.get(self.at) else {
            return false;
        };
        let parts = self.parts(role).iter().enumerate();
        let is_it = |called: &Called| called.iter().any(|text| same(text) == *quote);
        let found: Vec<usize> = parts
            .filter(|(_, one)| is_it(one))
            .map(|(at, _)| at)
            .collect();
        if found.is_empty() {
            return false;
        }
        self.at += 1;
        self.used.extend(found.into_iter().map(|at| (role, at)));
        true
    }

    /// Reads a moment behind so many words.
    fn takes_moment(&mut self, behind: usize) -> bool {
        let words: Vec<String> = self
            .call
            .moments
            .iter()
            .flat_map(|text| moment_words(text))
            .collect();
        let from = self.at + behind;
        let mut at = from;
        let place = |at: usize| match self.tokens.get(at) {
            Some(Token::Word(word, _)) => words.iter().position(|one| one == word),
            _ => None,
        };
        let mut found = Vec::new();
        while let Some(place) = place(at) {
            found.push((Role::Moment, place));
            at += 1;
        }
        if at > from {
            self.at = at;
            self.used.extend(found);
        }
        at > from
    }

    fn parts(&self, role: Role) -> &[Called] {
        match role {
            Role::Target => &self.call.targets,
            Role::Object => &self.call.objects,
            Role::Text => &self.call.texts,
            Role::Setting => &self.call.settings,
            Role::Moment => &[],
        }
    }

    /// Reads a place: one that has a word for its kind, or is no address.
    fn takes_place(&mut self) -> bool {
        let has_kind = (0..3).any(|ahead| self.call.is_kind(self.word(ahead)));
        let is_address = (0..3).any(|ahead| self.word(ahead).contains('@'));
        (has_kind || !is_address) && self.takes(&[Role::Target]).is_some()
    }

    /// Reads what a part of the call is called, with an article and words for its kind before it.
    /// A place may have the word for its kind behind it: `the general channel`.
    fn takes(&mut self, roles: &[Role]) -> Option<Role> {
        let from = self.at;
        let has_article = ARTICLES.contains(&self.word(0));
        self.at += usize::from(has_article);
        loop {
            for role in roles {
                if self.takes_quote(*role) || self.takes_name(*role) {
                    let is_place = *role == Role::Target && has_article;
                    self.at += usize::from(is_place && self.call.is_kind(self.word(0)));
                    return Some(*role);
                }
            }
            let is_thing = roles.contains(&Role::Object) && THING.contains(&self.word(0));
            if !is_thing && !self.call.is_kind(self.word(0)) {
                self.at = from;
                return None;
            }
            self.at += 1;
        }
    }

    /// Reads a name without quotation marks, the longest that fits. A text has marks around it.
    fn takes_name(&mut self, role: Role) -> bool {
        if role == Role::Text {
            return false;
        }
        let length = |name: &String| {
            let words: Vec<String> = name.split(' ').map(str::to_owned).collect();
            let mut places = words.iter().enumerate();
            let is_here = places.all(|(ahead, word)| {
                self.tokens
                    .get(self.at + ahead)
                    .is_some_and(|token| token.is_word(word))
            });
            is_here.then_some(words.len())
        };
        let mut found: Vec<(usize, usize)> = Vec::new();
        for (at, called) in self.parts(role).iter().enumerate() {
            let names = called.iter().map(|name| same(name));
            let names = names.filter(|name| !name.is_empty());
            found.extend(
                names
                    .filter_map(|name| length(&name))
                    .map(|length| (length, at)),
            );
        }
        let Some(longest) = found.iter().map(|(length, _)| *length).max() else {
            return false;
        };
        self.at += longest;
        let longest = found.into_iter().filter(|(length, _)| *length == longest);
        self.used.extend(longest.map(|(_, at)| (role, at)));
        true
    }

    /// Reads a word for what is made: `a message`, `an event`.
    fn takes_kind(&mut self) -> bool {
        let from = self.at;
        if !matches!(self.word(0), "a" | "an" | "new") {
            return false;
        }
        while matches!(self.word(0), "a" | "an" | "new" | "direct") {
            self.at += 1;
        }
        let before = self.at;
        while self.call.is_kind(self.word(0)) {
            self.at += 1;
        }
        let is_taken = self.at > before;
        if !is_taken {
            self.at = from;
        }
        is_taken
    }
}

/// The words of a moment, as people write it: its day, and its time without seconds.
fn moment_words(text: &str) -> Vec<String> {
    let parts = text.split(['T', 't', ' ']);
    let parts = parts.map(|part| match part.strip_suffix(":00") {
        Some(time) if time.contains(':') => time,
        _ => part,
    });
    parts.filter(|part| !part.is_empty()).map(same).collect()
}

#[cfg(test)]
mod tests;
