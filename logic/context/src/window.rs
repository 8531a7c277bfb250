//! The sliding window: the newest turns that fit.

use crate::entry::{MESSAGE_CHARACTERS, Speaker, characters_in};
use crate::estimate::TokenEstimator;
use crate::show::{PICTURE_TOKEN_CHARACTERS, tools_in_words};
use crate::view::{Checkpoint, ContextManager, TrimmedSince, Trimming};
use domain::message::Message;
use domain::tool::ToolDefinition;
use std::collections::VecDeque;

/// A trim goes down to this share of the budget, thousandths, so that the next one is not due at
/// once and the prefix stays the same for a while.
const LOW_WATER_PERMILLE: u64 = 750;
/// What is left of a shortened tool result, characters, besides the note that it was.
const SHORTENED_CHARACTERS: usize = 400;

/// One message and what is known of it.
#[derive(Debug, Clone)]
struct Entry {
    message: Message,
    characters: u64,
    /// Whether a turn begins here.
    begins_turn: bool,
    /// What was recalled for it; empty for nothing.
    recalled: String,
}

impl Entry {
    fn new(message: Message, begins_turn: bool) -> Self {
        Self {
            characters: characters_of(&message),
            message,
            begins_turn,
            recalled: String::new(),
        }
    }
}

/// The simplest [`ContextManager`]: whole turns fall out at the old end.
#[derive(Debug, Clone, Default)]
pub struct SlidingWindow {
    system: String,
    preamble: String,
    fixed_characters: u64,
    entries: VecDeque<Entry>,
    /// Messages that were added and are no longer in `entries`, from the old end.
    dropped: u64,
    estimator: TokenEstimator,
}

impl SlidingWindow {
    /// An empty window.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The conversation without standing text, oldest first.
    #[must_use]
    pub fn conversation(&self) -> Vec<Message> {
        let kept_thinking = self.last_turn_start();
        self.entries
            .iter()
            .enumerate()
            .map(|(index, entry)| match &entry.message {
                Message::Assistant {
                    text, tool_calls, ..
                } if index < kept_thinking => Message::Assistant {
                    text: text.clone(),
                    thinking: None,
                    tool_calls: tool_calls.clone(),
                },
                Message::User { text } if !entry.recalled.is_empty() => Message::User {
                    text: format!("{}{text}", entry.recalled),
                },
                message => message.clone(),
            })
            .collect()
    }

    /// Characters that fit into so many tokens, by the present estimate.
    #[must_use]
    pub const fn characters_in(&self, tokens: u64) -> u64 {
        self.estimator.characters(tokens)
    }

    fn last_turn_start(&self) -> usize {
        self.entries
            .iter()
            .rposition(|entry| entry.begins_turn)
            .unwrap_or(0)
    }

    /// Leaves out what was recalled for requests, the oldest first, until `target_tokens` are kept;
    /// for how many.
    fn drop_recalls(&mut self, target_tokens: u64) -> u32 {
        let mut dropped = 0;
        for index in 0..self.entries.len() {
            if self.estimate() <= target_tokens {
                break;
            }
            if let Some(entry) = self.entries.get_mut(index)
                && !entry.recalled.is_empty()
            {
                entry.characters -= characters_in(&entry.recalled);
                entry.recalled = String::new();
                dropped += 1;
            }
        }
        dropped
    }

    /// Drops the oldest turn unless it is the current one; how many messages went.
    fn drop_oldest_turn(&mut self) -> u32 {
        let next = self
            .entries
            .iter()
            .skip(1)
            .position(|entry| entry.begins_turn);
        let Some(count) = next.map(|position| position + 1) else {
            return 0;
        };
        self.entries.drain(..count);
        self.dropped += count as u64;
        u32::try_from(count).unwrap_or(u32::MAX)
    }

    /// Shortens tool results of the current turn from the oldest on until `fits`; how many.
    fn shorten(&mut self, range: std::ops::Range<usize>, target_tokens: u64) -> u32 {
        let mut shortened = 0;
        for index in range {
            if self.estimate() <= target_tokens {
                break;
            }
            let Some(entry) = self.entries.get_mut(index) else {
                break;
            };
            if let Message::Tool { text, .. } = &mut entry.message
                && let Some(short) = shortened_text(text)
            {
                *text = short;
                entry.characters = characters_of(&entry.message);
                shortened += 1;
            }
        }
        shortened
    }
}

impl ContextManager for SlidingWindow {
    fn set_system(&mut self, text: String) {
        self.system = text;
    }

    fn set_preamble(&mut self, text: String) {
        self.preamble = text;
    }

    fn set_tools(&mut self, tools: &[ToolDefinition]) {
        self.fixed_characters = characters_in(&tools_in_words(tools));
    }

    fn begin_turn(&mut self, _seq: u64, text: String, _speaker: Speaker) {
        self.entries
            .push_back(Entry::new(Message::User { text }, true));
    }

    fn set_recalled(&mut self, text: String) {
        let newest = self.entries.iter_mut().rev().find(|e| e.begins_turn);
        if let Some(entry) = newest
            && matches!(entry.message, Message::User { .. })
        {
            entry.characters -= characters_in(&entry.recalled);
            entry.characters += characters_in(&text);
            entry.recalled = text;
        }
    }

    fn add(&mut self, _seq: u64, message: Message) {
        let begins_turn = self.entries.is_empty();
        self.entries.push_back(Entry::new(message, begins_turn));
    }

    fn messages(&self) -> Vec<Message> {
        let mut messages = self.conversation();
        if let Some(Message::User { text }) = messages.first_mut()
            && !self.preamble.is_empty()
        {
            text.insert_str(0, &self.preamble);
        }
        if !self.system.is_empty() {
            let text = self.system.clone();
            messages.insert(0, Message::System { text });
        }
        messages
    }

    fn estimate(&self) -> u64 {
        self.estimator.tokens(self.characters())
    }

    fn characters(&self) -> u64 {
        let standing = characters_in(&self.system) + characters_in(&self.preamble);
        let messages: u64 = self.entries.iter().map(|entry| entry.characters).sum();
        standing + self.fixed_characters + messages + 2 * MESSAGE_CHARACTERS
    }

    fn calibrate(&mut self, characters: u64, prompt_tokens: u64) {
        self.estimator.observe(characters, prompt_tokens);
    }

    fn trim(&mut self, budget_tokens: u64) -> Trimming {
        let before_tokens = self.estimate();
        let mut trimming = Trimming::nothing(before_tokens);
        if before_tokens <= budget_tokens {
            return trimming;
        }
        let low_water = budget_tokens.saturating_mul(LOW_WATER_PERMILLE) / 1_000;
        trimming.dropped_recalls = self.drop_recalls(low_water);
        while self.estimate() > low_water {
            match self.drop_oldest_turn() {
                0 => break,
                count => trimming.dropped_messages += count,
            }
        }
        if self.estimate() > budget_tokens {
            // The results of the last reply are what the model is about to read: they go last.
            let newest = self
                .entries
                .iter()
                .rposition(|entry| matches!(entry.message, Message::Assistant { .. }))
                .unwrap_or(0);
            trimming.shortened_results = self.shorten(0..newest, low_water);
            trimming.shortened_results += self.shorten(newest..self.entries.len(), budget_tokens);
        }
        trimming.after_tokens = self.estimate();
        trimming
    }

    fn clear(&mut self) {
        self.dropped += self.entries.len() as u64;
        self.entries.clear();
    }

    fn checkpoint(&self) -> Checkpoint {
        Checkpoint(self.dropped + self.entries.len() as u64)
    }

    fn rollback(&mut self, to: Checkpoint) -> Result<(), TrimmedSince> {
        let kept = to.0.checked_sub(self.dropped).ok_or(TrimmedSince)?;
        self.entries
            .truncate(usize::try_from(kept).unwrap_or(usize::MAX));
        Ok(())
    }

    fn pop(&mut self) -> Vec<Message> {
        let mut popped = VecDeque::new();
        while let Some(entry) = self.entries.pop_back() {
            let is_result = matches!(
                entry.message,
                Message::Tool { .. } | Message::Picture { .. }
            );
            popped.push_front(entry.message);
            if !is_result {
                break;
            }
        }
        popped.into()
    }
}

fn shortened_text(text: &str) -> Option<String> {
    let total = text.chars().count();
    let kept: String = text.chars().take(SHORTENED_CHARACTERS).collect();
    let note = format!(
        "\n[Shortened to fit the context: {} more characters were here. Call the tool again if you need them.]",
        total.saturating_sub(SHORTENED_CHARACTERS)
    );
    // A result that was shortened before, or would hardly become smaller, stays as it is.
    (total > SHORTENED_CHARACTERS + 2 * note.len()).then(|| kept + &note)
}

fn characters_of(message: &Message) -> u64 {
    let text = characters_in(message.text()) + MESSAGE_CHARACTERS;
    match message {
        Message::Assistant {
            thinking,
            tool_calls,
            ..
        } => {
            let thinking = thinking.as_ref().map_or(0, |block| {
                characters_in(&block.text) + block.signature.as_deref().map_or(0, characters_in)
            });
            let calls: u64 = tool_calls
                .iter()
                .map(|call| {
                    MESSAGE_CHARACTERS
                        + characters_in(&call.name)
                        + characters_in(&call.arguments.to_string())
                })
                .sum();
            text + thinking + calls
        }
        Message::Tool { name, .. } => text + characters_in(name.as_str()),
        Message::System { .. } | Message::User { .. } => text,
        Message::Picture { picture, .. } => text + picture.tokens() * PICTURE_TOKEN_CHARACTERS,
    }
}
