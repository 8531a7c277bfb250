//! Long conversations from a seed: decisions, paths, numbers, preferences, corrections and pasted
//! text among talk that carries nothing.

use crate::random::Random;

/// What a fact is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Something the user decided.
    Decision,
    /// A file's path.
    Path,
    /// A number with what it counts.
    Number,
    /// Something the user wants kept to, said as a rule.
    Rule,
    /// Something the user likes, said in passing.
    Taste,
    /// Something the user decided, without a number or name in it.
    Choice,
    /// Something said earlier that is no longer so.
    Correction,
    /// A line in the middle of pasted text.
    Pasted,
    /// Something that the assistant found out.
    Found,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Self; 9] = [
        Self::Decision,
        Self::Path,
        Self::Number,
        Self::Rule,
        Self::Taste,
        Self::Choice,
        Self::Correction,
        Self::Pasted,
        Self::Found,
    ];

    /// The name in tables.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Decision => "decision",
            Self::Path => "path",
            Self::Number => "number",
            Self::Rule => "preference, as a rule",
            Self::Taste => "preference, in passing",
            Self::Choice => "decision in plain words",
            Self::Correction => "correction",
            Self::Pasted => "pasted text",
            Self::Found => "found by the agent",
        }
    }
}

/// A fact to look for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fact {
    /// What it is.
    pub kind: Kind,
    /// The words that must be found.
    pub words: String,
    /// For a correction: the words that no longer hold.
    pub replaces: Option<String>,
    /// Whether its message is pinned.
    pub pinned: bool,
}

/// A question, what tools return for it, and its answer; with the facts in question and answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exchange {
    /// The user's words.
    pub question: String,
    /// A tool's result; empty for no call.
    pub result: String,
    /// The agent's answer.
    pub answer: String,
    /// A fact in the question.
    pub asked: Option<Fact>,
    /// A fact in the answer.
    pub found: Option<Fact>,
}

const PROJECTS: [&str; 8] = [
    "Atlas", "Borealis", "Cobalt", "Dovetail", "Ember", "Fjord", "Granite", "Harbor",
];
const PLACES: [&str; 6] = ["billing", "search", "import", "login", "reports", "mail"];
const FILES: [&str; 6] = [
    "main.rs",
    "config.toml",
    "notes.md",
    "schema.sql",
    "index.html",
    "run.sh",
];
const ORDERS: [&str; 5] = [
    "by date",
    "by name",
    "by size",
    "newest first",
    "the other way round",
];
const LOOKS: [&str; 5] = ["narrow", "wide", "blue", "plain", "folded"];
const TALK: [&str; 8] = [
    "That sounds reasonable so far.",
    "Let us go through it step by step and see where it leads.",
    "I had another look at it this morning before the meeting.",
    "It works on my machine, which says little.",
    "We can come back to the details later on.",
    "There is some room for improvement in how it reads.",
    "Nobody complained about it yet, so it is not urgent.",
    "The rest of it looks the way one would expect it to look.",
];

/// A conversation of so many exchanges. The same seed gives the same one.
#[must_use]
pub fn conversation(seed: u64, exchanges: usize) -> Vec<Exchange> {
    let mut random = Random::new(seed);
    let mut ports: Vec<(String, String)> = Vec::new();
    (0..exchanges)
        .map(|turn| exchange(&mut random, turn, &mut ports))
        .collect()
}

fn exchange(random: &mut Random, turn: usize, ports: &mut Vec<(String, String)>) -> Exchange {
    let asked = turn.is_multiple_of(2).then(|| fact(random, turn, ports));
    let found = (turn % 5 == 3).then(|| found(random, turn));
    let said = asked.as_ref().map_or("Go on, please.", |(_, text)| text);
    let before = random.below(3);
    let question = format!("{} {said} {}", talk(random, before), talk(random, 2));
    let question = question.trim_start().to_owned();
    let result = if turn % 3 == 1 {
        format!("{}\n", random.pick(&TALK)).repeat(8)
    } else {
        String::new()
    };
    let answer = match &found {
        Some((_, text)) => format!("{} {text} {}", talk(random, 1), talk(random, 2)),
        None => talk(random, 4),
    };
    Exchange {
        question,
        result,
        answer,
        asked: asked.map(|(fact, _)| fact),
        found: found.map(|(fact, _)| fact),
    }
}

fn talk(random: &mut Random, sentences: usize) -> String {
    let all: Vec<&str> = (0..sentences).map(|_| *random.pick(&TALK)).collect();
    all.join(" ")
}

/// A fact in the user's words, with the sentence that holds it.
fn fact(random: &mut Random, turn: usize, ports: &mut Vec<(String, String)>) -> (Fact, String) {
    let pinned = random.below(6) == 0;
    let plain = |kind, words: String, text: String| {
        let fact = Fact {
            kind,
            words,
            replaces: None,
            pinned,
        };
        (fact, text)
    };
    let number = 1_000 + random.below(8_000) + turn;
    let (project, place) = (random.pick(&PROJECTS), random.pick(&PLACES));
    match random.below(8) {
        0 => {
            let words = format!("{project}-{number}");
            let text = format!("We decided to call the {place} release {words}.");
            plain(Kind::Decision, words, text)
        }
        1 => {
            let words = format!("src/{place}/{number}/{}", random.pick(&FILES));
            let text = format!("The part about {place} is in {words} now.");
            plain(Kind::Path, words, text)
        }
        2 => {
            let name = format!("{project}'s {place} service");
            let text = format!("{name} listens on port {number}.");
            ports.push((name, number.to_string()));
            plain(Kind::Number, number.to_string(), text)
        }
        3 => {
            let words = format!("Never restart the {place} job {number} on a Friday.");
            plain(Kind::Rule, words.clone(), words)
        }
        4 => {
            let words = format!("I like the {place} lists sorted {}", random.pick(&ORDERS));
            plain(Kind::Taste, words.clone(), format!("{words}."))
        }
        5 => {
            let words = format!("go with the {} layout for {place}", random.pick(&LOOKS));
            plain(Kind::Choice, words.clone(), format!("Let us {words}."))
        }
        6 if !ports.is_empty() => {
            let (name, old) = ports.remove(random.below(ports.len()));
            let words = format!("{name} uses port {number}");
            let fact = Fact {
                kind: Kind::Correction,
                words: words.clone(),
                replaces: Some(old.clone()),
                pinned,
            };
            (fact, format!("Correction: {words}, not {old}."))
        }
        _ => {
            let words = format!("E{number}");
            let lines = format!("{}\n", random.pick(&TALK)).repeat(5);
            let text = format!(
                "This is what I see:\n```\n{lines}error {words} in {place}\n{lines}```\nWhat is it?"
            );
            plain(Kind::Pasted, words, text)
        }
    }
}

fn found(random: &mut Random, turn: usize) -> (Fact, String) {
    let count = 10_000 + random.below(80_000) + turn;
    let place = random.pick(&PLACES);
    let fact = Fact {
        kind: Kind::Found,
        words: count.to_string(),
        replaces: None,
        pinned: false,
    };
    (
        fact,
        format!("I counted {count} rows in the {place} table."),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_one_conversation_with_every_kind_and_facts_that_are_said() {
        let talk = conversation(7, 80);
        assert_eq!(talk, conversation(7, 80));
        assert_ne!(talk, conversation(8, 80));
        for kind in Kind::ALL {
            let facts = talk.iter().flat_map(|one| [&one.asked, &one.found]);
            assert!(
                facts.flatten().any(|fact| fact.kind == kind),
                "{} is missing",
                kind.name()
            );
        }
        for one in &talk {
            assert!(
                one.asked
                    .iter()
                    .all(|fact| one.question.contains(&fact.words))
            );
            assert!(
                one.found
                    .iter()
                    .all(|fact| one.answer.contains(&fact.words))
            );
        }
    }
}
