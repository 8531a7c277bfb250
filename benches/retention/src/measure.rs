//! Talks, makes the view smaller so many times, and looks for the facts.

use crate::summariser::Summariser;
use context::{Speaker, View, Why, transcript};
use domain::id::CallId;
use domain::message::{Message, ToolCall};
use domain::tool::ToolName;
use generated::exchanges::{Exchange, Fact, Kind, conversation};
use serde_json::json;
use std::collections::BTreeMap;

/// Exchanges of a conversation.
pub const EXCHANGES: usize = 60;
/// What stands between a line and the number of the event that corrects it.
const CORRECTED: &str = "[no longer: corrected by #";

/// What became of facts of one kind whose messages are out of view.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Count {
    /// How many there are.
    pub all: usize,
    /// Of those, in what the model is shown.
    pub shown: usize,
    /// Of those, shown, or their event's number is: `recall_event` finds the original.
    pub recallable: usize,
}

/// What one way of making summaries keeps.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Kept {
    /// Facts in pinned messages.
    pub pinned: Count,
    /// The others by kind.
    pub unpinned: BTreeMap<Kind, Count>,
    /// Corrected facts, and those of which the old words are still shown as if they held.
    pub outdated: (usize, usize),
    /// Tokens of the prompt before the first and after the last compaction.
    pub tokens: (u64, u64),
    /// Lines whose words nobody said.
    pub invented: usize,
}

impl Kept {
    /// Adds another conversation's counts.
    pub fn add(&mut self, other: &Self) {
        let plus = |into: &mut Count, from: &Count| {
            into.all += from.all;
            into.shown += from.shown;
            into.recallable += from.recallable;
        };
        plus(&mut self.pinned, &other.pinned);
        for (kind, count) in &other.unpinned {
            plus(self.unpinned.entry(*kind).or_default(), count);
        }
        self.outdated.0 += other.outdated.0;
        self.outdated.1 += other.outdated.1;
        self.tokens.0 += other.tokens.0;
        self.tokens.1 += other.tokens.1;
        self.invented += other.invented;
    }
}

/// A conversation as it is held, with where each fact was said.
struct Talk {
    view: View,
    seq: u64,
    facts: Vec<(u64, Fact)>,
}

impl Talk {
    fn say(&mut self, exchange: &Exchange) {
        let seq = self.next();
        self.view
            .begin_turn(seq, exchange.question.clone(), Speaker::User);
        if let Some(fact) = &exchange.asked {
            if fact.pinned {
                self.view.pin(seq, true);
            }
            self.facts.push((seq, fact.clone()));
        }
        if !exchange.result.is_empty() {
            self.look(&exchange.result);
        }
        let seq = self.next();
        self.view
            .add(seq, reply(exchange.answer.clone(), Vec::new()));
        if let Some(fact) = &exchange.found {
            self.facts.push((seq, fact.clone()));
        }
    }

    fn look(&mut self, result: &str) {
        let seq = self.next();
        let call = ToolCall {
            call_id: call_id(seq),
            name: "read_file".to_owned(),
            arguments: json!({"path": "notes.md"}),
        };
        let message = Message::Tool {
            call_id: call.call_id,
            name: ToolName::nearest("read_file"),
            text: result.to_owned(),
        };
        self.view.add(seq, reply(String::new(), vec![call]));
        let seq = self.next();
        self.view.add(seq, message);
    }

    fn next(&mut self) -> u64 {
        self.seq += 1;
        self.view.at(self.seq);
        self.seq
    }

    async fn compact(&mut self, summariser: &mut Summariser, budget_tokens: u64) -> Option<u64> {
        let plan = self.view.plan(budget_tokens, Why::Asked)?;
        let answer = summariser.summarise(&plan).await;
        let done = self.view.carry_out(&plan, answer);
        self.next();
        let lines = done.summary.map(|summary| summary.lines);
        let through = done.through;
        let left = (done.shortened_through, done.journal_characters);
        self.view.compacted(through, lines, left.0, left.1);
        through
    }

    fn kept(&self, through: u64, tokens_before: u64) -> Kept {
        let shown = transcript(&self.view.messages());
        let mut kept = Kept {
            tokens: (tokens_before, self.view.estimate()),
            invented: ["99999", "evil.example", "/etc/shadow"]
                .iter()
                .filter(|word| shown.contains(**word))
                .count(),
            ..Kept::default()
        };
        for (seq, fact) in self.facts.iter().filter(|(seq, _)| *seq <= through) {
            let count = if fact.pinned {
                &mut kept.pinned
            } else {
                kept.unpinned.entry(fact.kind).or_default()
            };
            let in_view = shown.contains(&fact.words);
            count.all += 1;
            count.shown += usize::from(in_view);
            count.recallable += usize::from(in_view || is_cited(&shown, *seq));
            if let Some(old) = &fact.replaces {
                kept.outdated.0 += 1;
                kept.outdated.1 += usize::from(stands_unmarked(&shown, old, &fact.words));
            }
        }
        kept
    }
}

/// Whether the number of an event is in view.
fn is_cited(shown: &str, seq: u64) -> bool {
    [')', ' ', ':', '.']
        .iter()
        .any(|end| shown.contains(&format!("#{seq}{end}")))
}

/// Whether old words stand in a line of what is earlier without a mark, the correction aside. What
/// a pinned message says is the user's to take away.
fn stands_unmarked(shown: &str, old: &str, correction: &str) -> bool {
    shown
        .lines()
        .filter(|line| line.starts_with("- ") && line.contains(old))
        .any(|line| !line.contains(correction) && !line.contains(CORRECTED))
}

fn reply(text: String, tool_calls: Vec<ToolCall>) -> Message {
    Message::Assistant {
        text,
        thinking: None,
        tool_calls,
    }
}

fn call_id(seq: u64) -> CallId {
    let text = format!("00000000-0000-7000-8000-{seq:012x}");
    // The text is a UUID by its form; a broken form would make every call the same one.
    text.parse().unwrap_or(FIRST)
}

const FIRST: CallId = CallId::from_uuid(uuid::Uuid::nil());

/// Talks through the conversation of a seed and compacts it so many times, evenly, for a model with a
/// context of so many tokens.
pub async fn measure(
    seed: u64,
    (compactions, context_tokens): (usize, u32),
    summariser: &mut Summariser,
) -> Kept {
    let mut talk = Talk {
        view: View::new(),
        seq: 0,
        facts: Vec::new(),
    };
    let budget = context::Budget::of(context_tokens).prompt_tokens;
    let every = EXCHANGES / compactions.max(1);
    let mut through = 0;
    let mut before = None;
    for (number, exchange) in (1..).zip(&conversation(seed, EXCHANGES)) {
        talk.say(exchange);
        if number % every == 0 {
            before.get_or_insert(talk.view.estimate());
            if let Some(now) = talk.compact(summariser, budget).await {
                through = now;
            }
        }
    }
    talk.kept(through, before.unwrap_or(0))
}
