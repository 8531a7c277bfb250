//! Whether an order says a call, part by part.
//!
//! An order frees a call only where it has one fixed form and every word of it has one role: the verb
//! of the tool's name; things, by a title that a platform set or by their key; at most one target,
//! right behind the verb or behind `to`, `with` or `in`; texts in quotation marks, or behind `that` up
//! to the end. Every part of the call has to be said so, nothing may be set beside it, and whoever is
//! told is named by an address. Names of people, times, settings and descriptions have no role here:
//! what an order says with them is asked about. English only.

use super::text::{singular, spaced, words_of};
use crate::flow::{exact, quoted, unfolded};
use domain::tool::ToolSpec;

/// Words before whom a call goes to, or what it lands on.
const TOWARDS: [&str; 3] = ["to", "with", "in"];
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
const ARTICLES: [&str; 5] = ["the", "my", "our", "a", "an"];
/// Words for a thing that any tool may hand on.
const THING: [&str; 2] = ["file", "document"];
/// Words for one deed, and for what is sent by it.
const ALIKE: [&[&str]; 2] = [
    &["send", "mail", "email", "e-mail", "message", "text"],
    &["reply", "respond", "answer"],
];

/// Longest order that is read, words.
const ORDER_WORDS: usize = 200;

/// A part of a call, by each of the texts that it may be called.
pub(crate) type Called = Vec<String>;

/// The parts of a call that an order has to say.
#[derive(Debug, Default)]
pub(crate) struct CallParts {
    /// Who gets it, or what it lands on.
    pub(crate) target: Option<Called>,
    /// The things that it hands on.
    pub(crate) objects: Vec<Called>,
    /// What it says.
    pub(crate) texts: Vec<String>,
    /// The words of the tool's name.
    name: Vec<String>,
}

impl CallParts {
    /// None yet, for a call of a tool.
    pub(crate) fn of(tool: &ToolSpec) -> Self {
        Self {
            name: words_of(&spaced(tool.definition.name.as_str())),
            ..Self::default()
        }
    }

    /// Adds a thing that it hands on, once.
    pub(crate) fn add_object(&mut self, called: Called) {
        if !self.objects.contains(&called) {
            self.objects.push(called);
        }
    }

    /// Whether an order says the call, all of it and nothing else. `order` begins with its verb.
    pub(super) fn are_said_by(&self, order: &str) -> bool {
        let tokens = tokens(order);
        if tokens.len() > ORDER_WORDS || !self.is_deed(&tokens) {
            return false;
        }
        let mut reading = Reading {
            call: self,
            order,
            tokens: &tokens,
            at: 1 + self.particle(&tokens),
            has_target: false,
            objects: vec![false; self.objects.len()],
            texts: vec![false; self.texts.len()],
        };
        reading.is_read() && reading.has_all()
    }

    /// Whether the order says all of the tool's name, which begins with its deed: `add member` does
    /// not order `add_admin_member`, and `publish` not `post_unpublish`. That a file is one is seen.
    fn is_deed(&self, tokens: &[Token]) -> bool {
        let Some(Token::Word(verb, _)) = tokens.first() else {
            return false;
        };
        let is_alike = |word: &String| {
            let mut groups = ALIKE.iter();
            groups.any(|group| group.contains(&word.as_str()) && group.contains(&verb.as_str()))
        };
        let is_said = |word: &String| {
            let mut tokens = tokens.iter();
            is_alike(word)
                || THING.contains(&word.as_str())
                || tokens.any(
                    |token| matches!(token, Token::Word(said, _) if singular(said) == singular(word)),
                )
        };
        let is_first = |word: &String| word == verb || is_alike(word);
        self.name.first().is_some_and(is_first) && self.name.iter().all(is_said)
    }

    /// How many words behind the verb belong to it: `turn off`.
    fn particle(&self, tokens: &[Token]) -> usize {
        let is_next = match (tokens.get(1), self.name.get(1)) {
            (Some(Token::Word(said, _)), Some(word)) => said == word,
            _ => false,
        };
        usize::from(is_next)
    }

    /// Whether a word is one for what the tool deals with.
    fn is_kind(&self, word: &str) -> bool {
        let is_own = |own: &String| {
            let mut groups = ALIKE.iter();
            own == word
                || groups.any(|group| group.contains(&own.as_str()) && group.contains(&word))
        };
        self.name.iter().any(is_own)
    }
}

/// A part of an order.
#[derive(Debug)]
enum Token {
    /// A word as it is compared, and where it begins.
    Word(String, usize),
    Comma,
    /// What stands in quotation marks, as it is compared.
    Quote(String),
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

/// Words end at marks that stand behind them; a mark before one is part of it, and no name has it.
fn words_into(order: &str, range: std::ops::Range<usize>, found: &mut Vec<Token>) {
    let is_end = |c: char| matches!(c, '.' | ',' | '!' | '?' | '\'' | '"' | '’' | '“' | '”');
    let is_quote = |c: char| matches!(c, '\'' | '"' | '’' | '“' | '”');
    let text = order.get(range.clone()).unwrap_or("");
    let mut at = range.start;
    for part in text.split_inclusive(char::is_whitespace) {
        let word = part.trim_end();
        let begun = word.trim_start_matches(is_quote);
        let bare = begun.trim_end_matches(is_end);
        if !bare.is_empty() {
            found.push(Token::Word(same(bare), at + word.len() - begun.len()));
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

/// What stood last in an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Last {
    Verb,
    Target,
    Object,
    Text,
    /// `a message`.
    Kind,
}

/// An order that is being read.
struct Reading<'a> {
    call: &'a CallParts,
    order: &'a str,
    tokens: &'a [Token],
    at: usize,
    /// What of the call is said.
    has_target: bool,
    objects: Vec<bool>,
    texts: Vec<bool>,
}

impl Reading<'_> {
    /// Reads it to its end; whether every word has a role.
    fn is_read(&mut self) -> bool {
        let mut last = Last::Verb;
        while self.at < self.tokens.len() {
            let Some(next) = self.item(last) else {
                return false;
            };
            last = next;
        }
        true
    }

    /// Whether every part of the call is said.
    fn has_all(&self) -> bool {
        let mut parts = self.objects.iter().chain(&self.texts);
        self.has_target == self.call.target.is_some() && parts.all(|is_said| *is_said)
    }

    fn word(&self, ahead: usize) -> &str {
        match self.tokens.get(self.at + ahead) {
            Some(Token::Word(word, _)) => word,
            _ => "",
        }
    }

    /// Reads one item; `None` where what stands there has no role.
    fn item(&mut self, last: Last) -> Option<Last> {
        if last == Last::Object && self.skips_and() {
            return self.takes_object().then_some(Last::Object);
        }
        if TELLING.contains(&self.word(0)) && self.takes_rest() {
            return Some(Last::Text);
        }
        if last == Last::Text {
            self.skips_and();
        }
        if let Some(skipped) = self.introduction() {
            self.at += skipped;
            return self.takes_text().then_some(Last::Text);
        }
        if TOWARDS.contains(&self.word(0)) {
            self.at += 1;
            return self.takes_target().then_some(Last::Target);
        }
        match last {
            Last::Verb if self.takes_target() => Some(Last::Target),
            Last::Verb | Last::Target if self.takes_object() => Some(Last::Object),
            Last::Verb | Last::Target | Last::Kind if self.takes_text() => Some(Last::Text),
            Last::Verb | Last::Target => self.takes_kind().then_some(Last::Kind),
            Last::Object | Last::Text | Last::Kind => None,
        }
    }

    fn skips_and(&mut self) -> bool {
        let from = self.at;
        self.at += usize::from(matches!(self.tokens.get(self.at), Some(Token::Comma)));
        self.at += usize::from(self.word(0) == "and");
        self.at > from
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
        let is_rest = |text: &String| without_end(&same(text)) == without_end(&rest);
        let is_taken = !rest.is_empty() && mark(&mut self.texts, &self.call.texts, is_rest);
        if is_taken {
            self.at = self.tokens.len();
        }
        is_taken
    }

    /// Reads a text in quotation marks.
    fn takes_text(&mut self) -> bool {
        let Some(Token::Quote(quote)) = self.tokens.get(self.at) else {
            return false;
        };
        let is_taken = mark(&mut self.texts, &self.call.texts, |text| {
            same(text) == *quote
        });
        self.at += usize::from(is_taken);
        is_taken
    }

    /// Reads the target, once.
    fn takes_target(&mut self) -> bool {
        let from = self.at;
        self.skips_kinds();
        let called = self.call.target.as_ref().filter(|_| !self.has_target);
        let length = called.and_then(|called| self.length(called));
        self.has_target |= length.is_some();
        self.at = length.map_or(from, |length| self.at + length);
        length.is_some()
    }

    /// Reads a thing that the call hands on, once.
    fn takes_object(&mut self) -> bool {
        let from = self.at;
        self.skips_kinds();
        let found = self.call.objects.iter().enumerate();
        let found = found.filter_map(|(at, called)| Some((self.length(called)?, at)));
        let longest = found.max_by_key(|(length, _)| *length);
        let Some((length, at)) = longest.filter(|(_, at)| !self.objects[*at]) else {
            self.at = from;
            return false;
        };
        self.at += length;
        self.objects[at] = true;
        true
    }

    /// Skips an article, and one word for what the tool deals with: `the file`.
    fn skips_kinds(&mut self) {
        self.at += usize::from(ARTICLES.contains(&self.word(0)));
        let is_kind = THING.contains(&self.word(0)) || self.call.is_kind(self.word(0));
        self.at += usize::from(is_kind);
    }

    /// How many tokens from here on are one of these names.
    fn length(&self, called: &Called) -> Option<usize> {
        let lengths = called.iter().filter_map(|name| {
            let name = same(name);
            if let Some(Token::Quote(quote)) = self.tokens.get(self.at) {
                return (*quote == name).then_some(1);
            }
            let words: Vec<&str> = name.split(' ').collect();
            let mut places = words.iter().enumerate();
            let is_here = places.all(|(ahead, word)| self.word(ahead) == *word);
            (!name.is_empty() && is_here).then_some(words.len())
        });
        lengths.max()
    }

    /// Reads words for what is made or sent: `a direct message`.
    fn takes_kind(&mut self) -> bool {
        if !matches!(self.word(0), "a" | "an") {
            return false;
        }
        let from = self.at;
        self.at += 1;
        while self.call.is_kind(self.word(0)) {
            self.at += 1;
        }
        let is_taken = self.at > from + 1;
        if !is_taken {
            self.at = from;
        }
        is_taken
    }
}

/// Marks every part that fits as said; whether there is one. One text may be said for several parts.
fn mark(said: &mut [bool], parts: &[String], fits: impl Fn(&String) -> bool) -> bool {
    let mut is_any = false;
    for (said, part) in said.iter_mut().zip(parts) {
        if fits(part) {
            (*said, is_any) = (true, true);
        }
    }
    is_any
}

#[cfg(test)]
mod tests;
