//! What a tool does to the world, from its name, description and arguments. Every sign can only
//! make the guess stricter; where nothing is known it is `exec`.

use super::arguments::{is_program, is_recipient, is_url};
use super::strictness::{Confidence, Hints, strictness};
use super::words::{Verb, name_words, sentences, verb};
use domain::tool::{EffectClass, ToolDefinition};
use serde_json::{Map, Value};

/// A guessed effect, with what spoke for it.
pub(super) struct Guess {
    pub(super) effect: EffectClass,
    pub(super) reasons: Vec<String>,
    pub(super) confidence: Confidence,
}

impl Guess {
    /// Makes the guess at least this strict.
    pub(super) fn raise(&mut self, effect: EffectClass, reason: String) {
        if strictness(effect) > strictness(self.effect) {
            self.effect = effect;
            self.reasons.push(reason);
            self.confidence = self.confidence.min(Confidence::Low);
        }
    }
}

/// Things that, when they are made or changed, go out to other people.
const SPOKEN: [&str; 33] = [
    "message",
    "messages",
    "email",
    "emails",
    "mail",
    "comment",
    "comments",
    "post",
    "posts",
    "tweet",
    "reply",
    "review",
    "invitation",
    "invite",
    "notification",
    "issue",
    "issues",
    "pr",
    "pull",
    "discussion",
    "gist",
    "announcement",
    "release",
    "participant",
    "participants",
    "attendee",
    "attendees",
    "reaction",
    "story",
    "webpage",
    "page",
    "letter",
    "status",
];

/// Things that, when they are made or changed, change what a machine or an account allows.
const SETTINGS: [&str; 45] = [
    "user",
    "users",
    "member",
    "members",
    "role",
    "roles",
    "permission",
    "permissions",
    "acl",
    "key",
    "token",
    "credential",
    "credentials",
    "password",
    "policy",
    "rule",
    "rules",
    "setting",
    "settings",
    "config",
    "configuration",
    "webhook",
    "webhooks",
    "firewall",
    "protection",
    "collaborator",
    "access",
    "dns",
    "secret",
    "env",
    "variable",
    "hook",
    "profile",
    "account",
    "cron",
    "job",
    "trigger",
    "automation",
    "alias",
    "proxy",
    "certificate",
    "network",
    "server",
    "admin",
    "filter",
];

/// Things that cost.
const COSTS: [&str; 26] = [
    "payment",
    "payments",
    "invoice",
    "charge",
    "refund",
    "subscription",
    "transfer",
    "transaction",
    "booking",
    "reservation",
    "purchase",
    "payout",
    "bid",
    "trade",
    "donation",
    "money",
    "order",
    "orders",
    "checkout",
    "funds",
    "bill",
    "deposit",
    "withdrawal",
    "ticket",
    "card",
    "appointment",
];

/// Guesses the effect of a tool.
pub(super) fn guess(definition: &ToolDefinition, hints: Hints) -> Guess {
    let words = name_words(definition.name.as_str());
    let verbs: Vec<(usize, Verb)> = words
        .iter()
        .enumerate()
        .filter_map(|(index, word)| Some((index, verb(word)?)))
        .filter(|(index, verb)| *index == 0 || !verb.is_plural_noun)
        .collect();
    let mut guess = from_name(definition, &words, &verbs);
    if let Some((found, word)) = from_description(&definition.description)
        && guess.confidence != Confidence::Unknown
    {
        guess.raise(found, format!("its description says `{word}`"));
    }
    from_arguments(definition, &words, &mut guess);
    if hints.writes {
        let reason = "the server says that it does not only read".to_owned();
        guess.raise(EffectClass::SharedWrite, reason);
    }
    if hints.destroys {
        let reason = "the server says that it may destroy".to_owned();
        guess.raise(EffectClass::Destructive, reason);
    }
    guess
}

fn from_name(definition: &ToolDefinition, words: &[String], verbs: &[(usize, Verb)]) -> Guess {
    let Some((index, first)) = verbs.first().copied() else {
        return unknown("no word of its name says what it does");
    };
    let described = leading_verb(&definition.description);
    if index > 0 && described.is_none() {
        // A word that says nothing to us stands before: it may be the verb.
        return unknown("its name does not begin with a known verb");
    }
    let is_joined = words
        .iter()
        .any(|w| ["and", "or", "then", "with"].contains(&w.as_str()));
    if first.effect == EffectClass::Read {
        let is_read = described.is_some_and(|verb| verb.effect == EffectClass::Read);
        if index > 0 && !is_read {
            return unknown("its name does not begin with a known verb");
        }
        let followed = verbs
            .iter()
            .skip(1)
            .find(|(_, v)| is_joined && strictness(v.effect) > strictness(EffectClass::Read));
        let mut guess = known(first, index == 0 && is_read);
        if let Some((_, second)) = followed {
            guess.raise(
                second.effect,
                format!("its name also says `{}`", second.base),
            );
        }
        return guess;
    }
    // A noun can look like a verb (`order_list`): the strictest of them counts.
    let strictest = verbs
        .iter()
        .map(|(_, verb)| *verb)
        .max_by_key(|verb| strictness(verb.effect))
        .unwrap_or(first);
    let is_same = described.is_some_and(|verb| verb.effect == strictest.effect);
    let mut guess = known(strictest, is_same);
    if strictness(guess.effect) < strictness(EffectClass::Exec) && changes(strictest.effect) {
        raise_by_object(words, &mut guess);
    }
    guess
}

fn changes(effect: EffectClass) -> bool {
    !matches!(effect, EffectClass::Read | EffectClass::SelfWrite)
}

fn raise_by_object(words: &[String], guess: &mut Guess) {
    let lists: [(&[&str], EffectClass, &str); 3] = [
        (&SPOKEN, EffectClass::Egress, "others are told"),
        (
            &SETTINGS,
            EffectClass::Config,
            "it changes what is allowed or set up",
        ),
        (&COSTS, EffectClass::Money, "it costs"),
    ];
    for (list, effect, why) in lists {
        if let Some(word) = words.iter().find(|word| list.contains(&word.as_str())) {
            guess.raise(effect, format!("it changes `{word}`: {why}"));
        }
    }
}

fn known(verb: Verb, is_sure: bool) -> Guess {
    Guess {
        effect: verb.effect,
        reasons: vec![format!("its name says `{}`", verb.base)],
        confidence: if is_sure {
            Confidence::High
        } else {
            Confidence::Low
        },
    }
}

fn unknown(reason: &str) -> Guess {
    Guess {
        effect: EffectClass::Exec,
        reasons: vec![format!("{reason}, so the strictest")],
        confidence: Confidence::Unknown,
    }
}

/// The verb that a description begins with.
fn leading_verb(description: &str) -> Option<Verb> {
    let first = sentences(description).into_iter().next()?;
    first.iter().take(2).find_map(|word| verb(word))
}

/// Words after which a verb says what the tool does.
const BEFORE_A_DEED: [&str; 15] = [
    "and",
    "or",
    "then",
    "also",
    "will",
    ",",
    "it",
    "automatically",
    "can",
    "may",
    "immediately",
    "permanently",
    "optionally",
    "which",
    "this",
];

/// What begins an object: before it stands a verb and no noun ("and emails it", "and shares a copy").
const OBJECTS: [&str; 11] = [
    "it", "them", "a", "an", "the", "this", "that", "these", "those", "each", "every",
];

/// The strictest thing that a description says the tool does, with the word that says it.
fn from_description(description: &str) -> Option<(EffectClass, String)> {
    let mut found: Option<(EffectClass, String)> = None;
    for sentence in sentences(description) {
        for (index, word) in sentence.iter().enumerate() {
            let Some(verb) = verb(word) else { continue };
            let is_stricter =
                |(effect, _): &(EffectClass, String)| strictness(verb.effect) > strictness(*effect);
            if is_deed(&sentence, index, verb) && found.as_ref().is_none_or(is_stricter) {
                found = Some((verb.effect, word.clone()));
            }
        }
    }
    found
}

/// Whether the word at a place is something the tool does, rather than a noun, something that was
/// done before, or something denied.
fn is_deed(sentence: &[String], index: usize, verb: Verb) -> bool {
    let before = |back: usize| {
        let place = index.checked_sub(back)?;
        sentence.get(place).map(String::as_str)
    };
    let is_denied = (1..=3).any(|back| {
        before(back)
            .is_some_and(|w| ["not", "never", "without", "no", "cannot", "don't"].contains(&w))
    });
    if is_denied {
        return false;
    }
    // "after this function is called" is said of the tool itself.
    let is_of_the_tool = (1..=2)
        .any(|back| before(back).is_some_and(|w| ["function", "tool", "method"].contains(&w)));
    // One of several things in a list.
    let next = sentence.get(index + 1).map(String::as_str);
    let is_listed = before(1) == Some(",") && matches!(next, None | Some("," | "and" | "or"));
    if is_of_the_tool && verb.is_past || is_listed {
        return false;
    }
    let is_adverb =
        before(1).is_some_and(|w| w.ends_with("ly") && w != "only" && !BEFORE_A_DEED.contains(&w));
    let Some(previous) = before(1 + usize::from(is_adverb)) else {
        return true;
    };
    if verb.is_past {
        // "are marked as read", but not "that were sent" or "is sorted" of a result.
        let is_passive = ["is", "are", "be", "gets", "get"].contains(&previous);
        let is_relative = before(2).is_some_and(|w| ["that", "which", "who"].contains(&w))
            && before(3) != Some(",");
        return is_passive && !is_relative;
    }
    let has_object = next.is_some_and(|word| OBJECTS.contains(&word));
    if ["after", "before", "while"].contains(&previous) {
        // "after sending it".
        return has_object;
    }
    if !BEFORE_A_DEED.contains(&previous) {
        return false;
    }
    let says_it = ["also", "will", "it", "automatically", "which", "this"].contains(&previous);
    says_it || has_object || !verb.is_plural_noun
}

fn from_arguments(definition: &ToolDefinition, words: &[String], guess: &mut Guess) {
    let empty = Map::new();
    let listed = definition.parameters.get("properties");
    let listed = listed.and_then(Value::as_object).unwrap_or(&empty);
    let says_sql = definition.description.to_lowercase().contains("sql")
        || words.iter().any(|word| word == "sql");
    for (name, part) in listed {
        if is_program(name, part) || (name == "query" && says_sql) {
            guess.raise(
                EffectClass::Exec,
                format!("`{name}` is something that is run"),
            );
        }
        if is_url(name, part) {
            let reason = format!("`{name}` is an address that learns of the call");
            guess.raise(EffectClass::Egress, reason);
        }
        if changes(guess.effect) && is_recipient(name) {
            guess.raise(EffectClass::Egress, format!("`{name}` is who is told"));
        }
        let cost = ["amount", "price", "currency", "iban", "payment", "card"];
        if changes(guess.effect)
            && name_words(name)
                .iter()
                .any(|word| cost.contains(&word.as_str()))
        {
            guess.raise(EffectClass::Money, format!("`{name}` is about money"));
        }
    }
    let reaches_out = [
        "web",
        "internet",
        "online",
        "google",
        "bing",
        "duckduckgo",
        "brave",
    ];
    let told = sentences(&definition.description);
    let is_web = words
        .iter()
        .chain(told.iter().flatten())
        .any(|word| reaches_out.contains(&word.as_str()));
    if is_web && !listed.is_empty() {
        let reason = "it asks the web, which learns what is asked".to_owned();
        guess.raise(EffectClass::Egress, reason);
    }
}
