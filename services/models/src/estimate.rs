//! How many tokens a text is, which share of a prompt was sent before, and whether a server cut it.

use crate::call::{Call, Counted, Form};
use crate::learnt::Learnt;
use crate::record::ModelRecord;
use domain::message::Message;
use domain::picture::Picture;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hasher};
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Characters of a text that make a token, before a model's own usage is known.
const CHARACTERS_PER_TOKEN: f64 = 4.0;
/// What a message counts as besides its text, characters.
const MESSAGE_CHARACTERS: usize = 16;
/// How much one report moves the drift.
const LEARNING_RATE: f64 = 0.3;
/// A report further from the estimate than this says something else (a cache, a cut).
const DRIFT_RANGE: std::ops::RangeInclusive<f64> = 0.5..=2.5;
/// Prompts below this, tokens, are too short to judge by.
const JUDGED_TOKENS: f64 = 256.0;
/// No server's default context is smaller, tokens: a prompt below it is never cut.
const NEVER_CUT_TOKENS: f64 = 2_000.0;
/// How far a server's count may fall below the estimate before it must have cut something.
const CUT_SHARE: f64 = 0.6;
/// Bytes that are compared as one when looking for a common start.
const BLOCK_BYTES: usize = 64;
/// The factor of a model of which nothing was counted, thousandths.
const UNKNOWN_PERMILLE: u32 = 1_000;
/// So many answers that are nothing but a call that cannot be run, and no call that worked between them, show that a model does not call tools in
/// the form that its server gives them.
const FAILED_CALLS: u32 = 2;
/// Agents whose last prompt is remembered.
const REMEMBERED_AGENTS: usize = 256;
/// The same, as long as less than this of the prompt was sent before, thousandths: then it is of no
/// matter whether the server counts what it has in a cache.
const FRESH_PERMILLE: u16 = 100;

/// A prompt as bytes, and its fingerprint.
#[derive(Debug, Clone)]
pub(crate) struct Prompt {
    bytes: usize,
    characters: usize,
    blocks: Vec<u64>,
    /// Whether pictures are in it, which servers count in ways of their own.
    has_pictures: bool,
}

/// What a prompt is compared with.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Forecast {
    /// Tokens the prompt should be.
    pub(crate) tokens: f64,
    /// Thousandths of its bytes that this agent's previous call began with as well.
    pub(crate) reuse_permille: u16,
    /// Whether nothing can be learnt from what is counted.
    has_pictures: bool,
}

#[derive(Debug, Default)]
struct Store {
    learnt: Learnt,
    /// The last prompt of each agent, with the turn of a counter at which it was used.
    agents: HashMap<String, (u64, Prompt)>,
    turn: u64,
    /// How often calls of a model did not work in its own form.
    failed_calls: HashMap<String, u32>,
}

/// What prompts were, and what was learnt of models.
#[derive(Debug, Default)]
pub(crate) struct Estimates {
    store: Mutex<Store>,
}

impl Prompt {
    /// The prompt of a call: tools first, as chat templates put them, then the messages.
    pub(crate) fn of(call: &Call) -> Self {
        let mut prompt = Fingerprint::default();
        let apart = match call.form {
            Form::Native => call.tools.as_slice(),
            // The messages describe them.
            Form::Json(_) => &[],
        };
        for tool in apart {
            prompt.add(tool.name.as_str());
            prompt.add(&tool.description);
            prompt.add(&tool.parameters.to_string());
        }
        for message in &call.messages {
            prompt.add(match message {
                Message::System { .. } => "\u{1}s",
                Message::User { .. } => "\u{1}u",
                Message::Assistant { .. } => "\u{1}a",
                Message::Tool { .. } => "\u{1}t",
                Message::Picture { .. } => "\u{1}p",
            });
            prompt.characters += MESSAGE_CHARACTERS;
            prompt.add(message.text());
            if let Message::Picture { picture, .. } = message {
                prompt.add(as_text(picture));
            }
            if let Message::Assistant { tool_calls, .. } = message {
                for call in tool_calls {
                    prompt.add(&call.name);
                    prompt.add(&call.arguments.to_string());
                }
            }
        }
        let has_pictures = |one: &Message| matches!(one, Message::Picture { .. });
        Self {
            has_pictures: call.messages.iter().any(has_pictures),
            ..prompt.finish()
        }
    }

    /// Thousandths of these bytes that another prompt began with.
    fn shared_permille(&self, before: &Self) -> u16 {
        let shared = self
            .blocks
            .iter()
            .zip(&before.blocks)
            .take_while(|(now, then)| now == then)
            .count();
        let bytes = (shared * BLOCK_BYTES).min(self.bytes);
        u16::try_from(bytes * 1_000 / self.bytes.max(1)).unwrap_or(1_000)
    }
}

/// So much of a picture's file as a text of as many tokens has bytes.
fn as_text(picture: &Picture) -> &str {
    let bytes = picture.tokens() as f64 * CHARACTERS_PER_TOKEN;
    let base64 = picture.base64.as_str();
    base64.get(..bytes as usize).unwrap_or(base64)
}

/// Hashes a growing text in blocks, each hash covering everything before it.
#[derive(Default)]
struct Fingerprint {
    bytes: usize,
    characters: usize,
    hasher: DefaultHasher,
    blocks: Vec<u64>,
}

impl Fingerprint {
    fn add(&mut self, text: &str) {
        self.characters += text.chars().count();
        let mut rest = text.as_bytes();
        while !rest.is_empty() {
            let room = BLOCK_BYTES - self.bytes % BLOCK_BYTES;
            let (now, later) = rest.split_at(room.min(rest.len()));
            self.hasher.write(now);
            self.bytes += now.len();
            if self.bytes.is_multiple_of(BLOCK_BYTES) {
                self.blocks.push(self.hasher.finish());
            }
            rest = later;
        }
    }

    fn finish(mut self) -> Prompt {
        if !self.bytes.is_multiple_of(BLOCK_BYTES) {
            self.blocks.push(self.hasher.finish());
        }
        Prompt {
            bytes: self.bytes,
            characters: self.characters,
            blocks: self.blocks,
            has_pictures: false,
        }
    }
}

impl Estimates {
    /// With what earlier processes learnt, kept in a file.
    pub(crate) fn kept_in(file: PathBuf) -> Self {
        Self {
            store: Mutex::new(Store {
                learnt: Learnt::kept_in(file),
                ..Store::default()
            }),
        }
    }

    /// Tokens of a model's texts to one for every four characters, thousandths; `None`: nothing was
    /// learnt yet.
    pub(crate) fn permille(&self, model: &str) -> Option<u32> {
        let known = self.lock().learnt.of(model)?;
        Some(known.permille)
    }

    /// Whether a model is offered tools as JSON, since its calls in its own form did not work.
    pub(crate) fn calls_as_json(&self, model: &str) -> bool {
        let known = self.lock().learnt.of(model);
        known.is_some_and(|known| known.calls_as_json)
    }

    /// Takes note that a model called a tool in its own form.
    pub(crate) fn call_worked(&self, model: &str) {
        self.lock().failed_calls.remove(model);
    }

    /// Takes note that an answer was nothing but a call that cannot be run. Whether that is once too often,
    /// from when on the model is offered tools as JSON.
    pub(crate) fn call_failed(&self, model: &str, counts_cached: bool) -> bool {
        let mut store = self.lock();
        let failed = store.failed_calls.entry(model.to_owned()).or_default();
        *failed += 1;
        if *failed < FAILED_CALLS {
            return false;
        }
        let known = store.learnt.of(model).unwrap_or(ModelRecord {
            permille: UNKNOWN_PERMILLE,
            counts_cached,
            calls_as_json: false,
        });
        let as_json = ModelRecord {
            calls_as_json: true,
            ..known
        };
        store.learnt.set(model, as_json);
        true
    }

    /// Tokens of a text for a model.
    pub(crate) fn tokens(&self, model: &str, characters: usize) -> f64 {
        let drift = self.permille(model).map_or(1.0, drift);
        characters as f64 / CHARACTERS_PER_TOKEN * drift
    }

    /// What to expect of a prompt, and remembers it as the agent's latest.
    pub(crate) fn forecast(&self, agent: Option<String>, model: &str, prompt: Prompt) -> Forecast {
        let tokens = self.tokens(model, prompt.characters);
        let has_pictures = prompt.has_pictures;
        let Some(agent) = agent else {
            return Forecast {
                tokens,
                reuse_permille: 0,
                has_pictures,
            };
        };
        let mut store = self.lock();
        store.turn += 1;
        let turn = store.turn;
        let before = store.agents.insert(agent, (turn, prompt.clone()));
        if store.agents.len() > REMEMBERED_AGENTS {
            let oldest = store
                .agents
                .iter()
                .min_by_key(|(_, (turn, _))| *turn)
                .map(|(agent, _)| agent.clone());
            if let Some(oldest) = oldest {
                store.agents.remove(&oldest);
            }
        }
        Forecast {
            tokens,
            reuse_permille: before.map_or(0, |(_, before)| prompt.shared_permille(&before)),
            has_pictures,
        }
    }

    /// Learns from what a server counted. Returns the tokens that are missing, when it must have
    /// cut the prompt: it counted fewer than the prompt is less what it can have had in a cache.
    pub(crate) fn learn(
        &self,
        model: &str,
        forecast: Forecast,
        counted: Counted,
        counts_cached: bool,
    ) -> Option<u64> {
        let reported = counted.prompt? as f64;
        if forecast.tokens < JUDGED_TOKENS || forecast.has_pictures {
            return None;
        }
        let mut store = self.lock();
        let before = store.learnt.of(model);
        let mut known = before.unwrap_or(ModelRecord {
            permille: UNKNOWN_PERMILLE,
            counts_cached,
            calls_as_json: false,
        });
        let ratio = reported / forecast.tokens;
        let reused = f64::from(forecast.reuse_permille) / 1_000.0;
        // A full count for a prompt that was mostly in the cache shows that the server counts all.
        if reused > 0.5 && ratio > CUT_SHARE && forecast.tokens < NEVER_CUT_TOKENS {
            known.counts_cached = true;
        }
        let cached = if known.counts_cached { 0.0 } else { reused };
        let missing = forecast.tokens * (1.0 - cached) * CUT_SHARE - reported;
        if missing > 0.0 && forecast.tokens > NEVER_CUT_TOKENS {
            return Some((forecast.tokens - reported).max(0.0) as u64);
        }
        let counts_all = known.counts_cached || forecast.reuse_permille < FRESH_PERMILLE;
        let seen = drift(known.permille) * ratio;
        if counts_all && DRIFT_RANGE.contains(&ratio) && DRIFT_RANGE.contains(&seen) {
            // The first count is all there is to go by.
            let rate = before.map_or(1.0, |_| LEARNING_RATE);
            let factor = drift(known.permille) + rate * (seen - drift(known.permille));
            known.permille = (factor * 1_000.0).round() as u32;
        }
        store.learnt.set(model, known);
        None
    }

    fn lock(&self) -> MutexGuard<'_, Store> {
        self.store.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A factor in thousandths as a number.
fn drift(permille: u32) -> f64 {
    f64::from(permille) / 1_000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prompt(text: &str) -> Prompt {
        let mut fingerprint = Fingerprint::default();
        fingerprint.add(text);
        fingerprint.finish()
    }

    fn counted(prompt: u64) -> Counted {
        Counted {
            prompt: Some(prompt),
            ..Counted::default()
        }
    }

    #[test]
    fn reuse_is_the_share_of_bytes_that_begin_alike() {
        let estimates = Estimates::default();
        let ask = |text: &str| {
            estimates
                .forecast(Some("a".into()), "m", prompt(text))
                .reuse_permille
        };
        let first = "x".repeat(6_400);
        assert_eq!(ask(&first), 0);
        assert_eq!(ask(&first), 1_000);
        assert_eq!(ask(&format!("{first}{}", "y".repeat(6_400))), 500);
        assert_eq!(
            ask(&format!("!{first}")),
            0,
            "a changed start reuses nothing"
        );
    }

    #[test]
    fn agents_beyond_the_limit_are_forgotten_oldest_first() {
        let estimates = Estimates::default();
        let text = "x".repeat(640);
        for agent in 0..=REMEMBERED_AGENTS {
            estimates.forecast(Some(agent.to_string()), "m", prompt(&text));
        }
        assert_eq!(estimates.lock().agents.len(), REMEMBERED_AGENTS);
        let again = |agent: usize| {
            estimates
                .forecast(Some(agent.to_string()), "m", prompt(&text))
                .reuse_permille
        };
        assert_eq!(again(REMEMBERED_AGENTS), 1_000);
        assert_eq!(again(0), 0);
    }

    #[test]
    fn the_drift_follows_what_the_server_counts() {
        let estimates = Estimates::default();
        for _ in 0..20 {
            let forecast = Forecast {
                tokens: estimates.tokens("m", 40_000),
                reuse_permille: 0,
                has_pictures: false,
            };
            assert_eq!(estimates.learn("m", forecast, counted(13_000), true), None);
        }
        let tokens = estimates.tokens("m", 40_000);
        assert!((12_800.0..13_200.0).contains(&tokens), "{tokens}");
        assert_eq!(estimates.tokens("other", 400), 100.0);
    }

    #[test]
    fn a_count_far_below_the_prompt_is_a_cut() {
        let estimates = Estimates::default();
        let forecast = Forecast {
            tokens: 10_000.0,
            reuse_permille: 0,
            has_pictures: false,
        };
        assert_eq!(
            estimates.learn("m", forecast, counted(4_096), false),
            Some(5_904)
        );
        assert_eq!(
            estimates.tokens("m", 400),
            100.0,
            "nothing is learned from a cut"
        );
    }

    #[test]
    fn a_low_count_that_a_cache_explains_is_not_a_cut() {
        let estimates = Estimates::default();
        let forecast = Forecast {
            tokens: 10_000.0,
            reuse_permille: 900,
            has_pictures: false,
        };
        assert_eq!(estimates.learn("m", forecast, counted(1_000), false), None);
    }

    #[test]
    fn a_server_that_was_seen_to_count_its_cache_has_no_such_excuse() {
        let estimates = Estimates::default();
        let short = Forecast {
            tokens: 1_500.0,
            reuse_permille: 900,
            has_pictures: false,
        };
        assert_eq!(estimates.learn("m", short, counted(1_500), false), None);
        let long = Forecast {
            tokens: 10_000.0,
            reuse_permille: 900,
            has_pictures: false,
        };
        assert!(estimates.learn("m", long, counted(4_096), false).is_some());
    }
}
