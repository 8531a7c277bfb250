//! The context that lasts: whole turns leave the view at the old end, and something stands for them.

use crate::board::Board;
use crate::entry::{Entry, Part, Speaker};
use crate::estimate::TokenEstimator;
use crate::marks::Shape;
use crate::notes::{JournalEntry, Notes};
use crate::prompt::{self, Layer};
use crate::rebuild::Why;
use crate::show::{REQUEST, is_passing, tools_in_words};
use crate::view::{Checkpoint, ContextManager, TrimmedSince, Trimming};
use domain::context::SummaryLine;
use domain::id::CallId;
use domain::message::{Message, ToolCall};
use domain::tool::ToolDefinition;
use std::collections::VecDeque;

/// What the model is told at the soft mark, once until the view is rebuilt.
pub const JOURNAL_NUDGE: &str = "\
[Housecarl: this conversation will soon be too long to keep in view. Call `journal` now, once: first \
line a title, then what you need to go on (decisions, paths, numbers, what is open). Then go on with \
the request.]";

/// A view of one agent's conversation, folded from events. Between two rebuildings, what is sent is
/// the beginning of what is sent next, but for notes in passing at its end.
#[derive(Debug, Clone, Default)]
pub struct Lasting {
    pub(crate) system: String,
    /// What stands before the user's first words, by name.
    pub(crate) layers: Vec<(&'static str, String)>,
    /// The tools on offer, as text.
    pub(crate) tools: String,
    pub(crate) notes: Notes,
    pub(crate) shape: Shape,
    /// Whether the model sees pictures.
    pub(crate) sees: bool,
    pub(crate) board: Board,
    /// Most characters of reports that are shown.
    pub(crate) board_characters: u64,
    pub(crate) entries: VecDeque<Entry>,
    pub(crate) shortened_through: Option<u64>,
    pub(crate) estimator: TokenEstimator,
    /// How many messages were added, ever.
    added: u64,
    /// Of those, how many have left at the old end, with what came before them.
    left: u64,
    /// The last event taken in.
    position: u64,
    /// The last rebuilding.
    pub(crate) rebuilt_at: u64,
    /// Whether the model was told to write its journal since.
    nudged: bool,
}

impl Lasting {
    /// An empty context.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// What is added from here on comes into view with this event.
    pub fn at(&mut self, seq: u64) {
        self.position = self.position.max(seq);
    }

    /// What stands before the user's first words, each layer cut, all within `max_characters`.
    pub fn set_layers(&mut self, layers: &[Layer], max_characters: u64) {
        self.layers = prompt::in_words(layers, max_characters);
    }

    /// What the agent does, as far as its view depends on it, and the most characters of reports
    /// that it is shown if it hands work out.
    pub const fn set_shape(&mut self, shape: Shape, board_characters: u64) {
        self.shape = shape;
        self.board_characters = board_characters;
    }

    /// Whether the model is shown pictures, or told in words what is there.
    pub const fn set_sight(&mut self, sees: bool) {
        self.sees = sees;
    }

    /// How the model's server counts, as far as that was learnt before: tokens to one for every four
    /// characters, thousandths.
    pub fn set_counting(&mut self, permille: u64) {
        self.estimator = TokenEstimator::learnt(permille);
    }

    /// Where the tasks stand that the agent handed out last, as JSON, by the number of the event.
    /// Shown with the next rebuilding.
    pub fn tasks_stand(&mut self, seq: u64, state: String) {
        self.board.stand(seq, state);
    }

    /// What an agent reported that this one handed a task to, in words, by the number of the event.
    /// Shown with the next rebuilding after the turn.
    pub fn reported(&mut self, seq: u64, words: String) {
        self.board.report(seq, words);
    }

    fn push(&mut self, seq: u64, message: Message, part: Part) {
        let entry = Entry::new((seq, self.position, self.added), message, part);
        self.added += 1;
        self.entries.push_back(entry);
    }

    /// Whether the model has not been told yet to write its journal.
    #[must_use]
    pub const fn may_nudge(&self) -> bool {
        !self.nudged
    }

    /// Takes an entry of the agent's journal. The call that wrote it leaves the view, with its
    /// result, once the model has answered.
    pub fn journal(&mut self, entry: JournalEntry, call_id: Option<CallId>) {
        self.notes.write(entry);
        let Some(call_id) = call_id else { return };
        if let Some(asked) = self.asking(call_id) {
            asked.passing_calls.push(call_id);
        }
    }

    /// A call was refused or failed: its long arguments are shown shortened from now on.
    pub fn call_failed(&mut self, call_id: CallId) {
        if let Some(asked) = self.asking(call_id) {
            asked.failed_calls.push(call_id);
        }
    }

    /// The reply that asked for a call.
    fn asking(&mut self, call_id: CallId) -> Option<&mut Entry> {
        self.entries.iter_mut().rev().find(|entry| {
            let calls = calls_of(&entry.message);
            calls.iter().any(|call| call.call_id == call_id)
        })
    }

    /// The model has answered: notes in passing have been seen and leave the view. A reminder to
    /// write the journal leaves when it was followed.
    pub fn seen(&mut self) {
        let gone: Vec<CallId> = self
            .entries
            .iter_mut()
            .flat_map(|entry| std::mem::take(&mut entry.passing_calls))
            .collect();
        if gone.is_empty() {
            return;
        }
        for entry in &mut self.entries {
            if let Message::Assistant { tool_calls, .. } = &mut entry.message {
                tool_calls.retain(|call| !gone.contains(&call.call_id));
            }
        }
        self.entries.retain(|entry| match &entry.message {
            Message::Tool { call_id, .. } => !gone.contains(call_id),
            Message::Assistant {
                text, tool_calls, ..
            } => !(text.trim().is_empty() && tool_calls.is_empty()),
            Message::User { .. } | Message::System { .. } | Message::Picture { .. } => {
                !is_passing(entry)
            }
        });
    }

    /// Applies a rebuilding as its event says it: whole turns up to `through` leave, the lines stand
    /// for them, results up to `shortened_through` are shown shortened.
    pub fn compacted(
        &mut self,
        through: Option<u64>,
        lines: Option<Vec<SummaryLine>>,
        shortened_through: Option<u64>,
        journal_characters: u64,
    ) {
        let cut = through.map_or(0, |through| self.turns_covered(through));
        for entry in self.entries.drain(..cut) {
            let has_words = matches!(
                entry.message,
                Message::User { .. } | Message::Assistant { .. }
            );
            self.left = entry.number + 1;
            if has_words && !is_passing(&entry) {
                self.notes.leaves(entry.seq, entry.message.text());
            }
        }
        self.shortened_through = self.shortened_through.max(shortened_through);
        self.notes.rebuild(lines, journal_characters);
        let turn = self.entries.get(self.last_turn());
        self.board.rebuild(turn.map_or(u64::MAX, |entry| entry.at));
        self.rebuilt_at = self.position;
        self.nudged = false;
    }

    /// Where the last turn begins.
    pub(crate) fn last_turn(&self) -> usize {
        self.entries
            .iter()
            .rposition(Entry::begins_turn)
            .unwrap_or(0)
    }

    /// Pins a message by the number of its event, or takes the pin away.
    pub fn pin(&mut self, seq: u64, pinned: bool) {
        self.notes.pin(seq, pinned);
    }

    /// Whether a message can be pinned: it is in view, or its words are still known.
    #[must_use]
    pub fn can_pin(&self, seq: u64) -> bool {
        let in_view = self.entries.iter().any(|entry| {
            let has_words = matches!(
                entry.message,
                Message::User { .. } | Message::Assistant { .. }
            );
            entry.seq == seq && has_words && !is_passing(entry)
        });
        in_view || self.notes.knows(seq)
    }

    /// The numbers of what is pinned.
    #[must_use]
    pub fn pinned(&self) -> Vec<u64> {
        self.notes.pinned().iter().copied().collect()
    }

    /// Goes back to where it was after an event. What had left the view by then stays out; what
    /// stands for it stays as far as it does not speak of later things.
    pub fn rewind(&mut self, to_seq: u64) {
        // A request that waited came in before the turn that it begins.
        self.entries.retain(|entry| {
            let waited = entry.begins_turn() && entry.seq < entry.at && entry.at >= to_seq;
            entry.at <= to_seq && !waited
        });
        self.notes.rewind(to_seq);
        self.board.rewind(to_seq);
        self.nudged &= self.entries.iter().any(is_passing);
    }

    /// The conversation without standing text, oldest first.
    #[must_use]
    pub fn conversation(&self) -> Vec<Message> {
        let bare = Self {
            system: String::new(),
            layers: Vec::new(),
            notes: Notes::default(),
            board: Board::default(),
            ..self.clone()
        };
        bare.sent_messages()
    }

    /// What was recalled for the current turn and the data that came with it, as they stand before
    /// its words; empty for neither.
    #[must_use]
    pub fn given(&self) -> String {
        let turn = self.entries.get(self.last_turn());
        turn.map_or_else(String::new, |entry| {
            format!("{}{}", entry.recalled, entry.input)
        })
    }

    /// The data that came with the current turn, as it stands before its words; empty for none.
    #[must_use]
    pub fn input(&self) -> &str {
        let turn = self.entries.get(self.last_turn());
        turn.map_or("", |entry| entry.input.as_str())
    }

    /// Sets the data that came with the newest request, as it stands before its words.
    pub fn set_input(&mut self, text: String) {
        let newest = self.entries.iter_mut().rev();
        if let Some(entry) = newest.into_iter().find(|entry| entry.begins_turn()) {
            entry.input = text;
        }
    }

    /// Characters that fit into so many tokens, by the present estimate.
    #[must_use]
    pub const fn characters_in(&self, tokens: u64) -> u64 {
        self.estimator.characters(tokens)
    }
}

impl ContextManager for Lasting {
    fn set_system(&mut self, text: String) {
        self.system = text;
    }

    fn set_preamble(&mut self, text: String) {
        let text = text.strip_suffix(REQUEST).unwrap_or(&text).to_owned();
        self.layers = if text.is_empty() {
            Vec::new()
        } else {
            vec![("identity", text)]
        };
    }

    fn set_tools(&mut self, tools: &[ToolDefinition]) {
        self.tools = tools_in_words(tools);
    }

    fn begin_turn(&mut self, seq: u64, text: String, speaker: Speaker) {
        self.push(seq, Message::User { text }, Part::Request(speaker));
    }

    fn set_recalled(&mut self, text: String) {
        let newest = self.entries.iter_mut().rev();
        if let Some(entry) = newest.into_iter().find(|entry| entry.begins_turn()) {
            entry.recalled = text;
        }
    }

    fn add(&mut self, seq: u64, message: Message) {
        let part = match (&message, self.entries.is_empty()) {
            (Message::User { text }, _) if text == JOURNAL_NUDGE => {
                self.nudged = true;
                Part::Passing
            }
            (_, true) => Part::Request(Speaker::House),
            _ => Part::Other,
        };
        self.push(seq, message, part);
    }

    fn messages(&self) -> Vec<Message> {
        self.sent_messages()
    }

    fn estimate(&self) -> u64 {
        self.estimator.tokens(self.sent_characters())
    }

    fn characters(&self) -> u64 {
        self.sent_characters()
    }

    fn calibrate(&mut self, characters: u64, prompt_tokens: u64) {
        self.estimator.observe(characters, prompt_tokens);
    }

    /// As a rebuilding without a model. Who keeps a log plans, writes the event and applies that.
    fn trim(&mut self, budget_tokens: u64) -> Trimming {
        let before_tokens = self.estimate();
        let mut trimming = Trimming::nothing(before_tokens);
        if before_tokens <= budget_tokens {
            return trimming;
        }
        if let Some(plan) = self.plan(budget_tokens, Why::Overflow) {
            let done = self.carry_out(&plan, None);
            let lines = done.summary.map(|summary| summary.lines);
            let left = (done.shortened_through, done.journal_characters);
            self.compacted(done.through, lines, left.0, left.1);
            trimming.after_tokens = self.estimate();
            trimming.dropped_messages = done.dropped_messages;
            trimming.shortened_results = u32::from(done.shortened_through.is_some());
        }
        trimming
    }

    fn clear(&mut self) {
        self.left = self.added;
        self.entries.clear();
        self.notes.clear();
        self.board.clear();
        self.shortened_through = None;
        self.nudged = false;
    }

    fn checkpoint(&self) -> Checkpoint {
        Checkpoint(self.added)
    }

    fn rollback(&mut self, to: Checkpoint) -> Result<(), TrimmedSince> {
        if to.0 < self.left {
            return Err(TrimmedSince);
        }
        self.entries.retain(|entry| entry.number < to.0);
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

/// The calls of a message, if it is a reply.
pub(crate) fn calls_of(message: &Message) -> &[ToolCall] {
    match message {
        Message::Assistant { tool_calls, .. } => tool_calls,
        _ => &[],
    }
}
