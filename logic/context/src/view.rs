//! What a model is shown of one agent's conversation: whole turns leave at the old end, and
//! something stands for them.

use crate::elided::{Elided, JournalEntry};
use crate::entry::{Entry, Part, Speaker};
use crate::estimate::TokenEstimator;
use crate::prompt::{self, Layer};
use crate::task_board::TaskBoard;
use crate::thresholds::Shape;
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

/// What a model is shown of one agent's conversation. Between two rebuildings, what is sent is
/// the beginning of what is sent next, but for notes in passing at its end.
#[derive(Debug, Clone, Default)]
pub struct View {
    pub(crate) system: String,
    /// What stands before the user's first words, by name.
    pub(crate) layers: Vec<(&'static str, String)>,
    /// The tools on offer, as text.
    pub(crate) tools: String,
    pub(crate) elided: Elided,
    pub(crate) shape: Shape,
    /// Whether the model sees pictures.
    pub(crate) sees: bool,
    pub(crate) tasks: TaskBoard,
    /// Most characters of reports that are shown.
    pub(crate) report_characters: u64,
    pub(crate) entries: VecDeque<Entry>,
    pub(crate) shortened_through: Option<u64>,
    pub(crate) estimator: TokenEstimator,
    /// The last event taken in.
    position: u64,
    /// The last rebuilding.
    pub(crate) rebuilt_at: u64,
    /// Whether the model was told to write its journal since.
    nudged: bool,
}

impl View {
    /// An empty view.
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
    pub const fn set_shape(&mut self, shape: Shape, report_characters: u64) {
        self.shape = shape;
        self.report_characters = report_characters;
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
        self.tasks.stand(seq, state);
    }

    /// What an agent reported that this one handed a task to, in words, by the number of the event.
    /// Shown with the next rebuilding after the turn.
    pub fn reported(&mut self, seq: u64, words: String) {
        self.tasks.report(seq, words);
    }

    fn push(&mut self, seq: u64, message: Message, part: Part) {
        let entry = Entry::new(seq, self.position, message, part);
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
        self.elided.write(entry);
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
                !entry.is_passing()
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
            if has_words && !entry.is_passing() {
                self.elided.leaves(entry.seq, entry.message.text());
            }
        }
        self.shortened_through = self.shortened_through.max(shortened_through);
        for entry in &mut self.entries {
            entry.shown_characters = 0;
        }
        self.elided.rebuild(lines, journal_characters);
        let turn = self.entries.get(self.last_turn());
        self.tasks.rebuild(turn.map_or(u64::MAX, |entry| entry.at));
        self.rebuilt_at = self.position;
        self.nudged = false;
    }

    /// Shows so many characters of each result of the newest reply, where those are shortened, until
    /// the next rebuilding; 0: as many as of older ones.
    pub fn show_of_newest(&mut self, characters: u64) {
        let start = self.newest_results();
        for entry in self.entries.iter_mut().skip(start) {
            entry.shown_characters = characters;
        }
    }

    /// Where the results of the newest reply that asked for tools begin.
    pub(crate) fn newest_results(&self) -> usize {
        let mut entries = self.entries.iter();
        let asking = entries.rposition(|entry| !calls_of(&entry.message).is_empty());
        asking.map_or(self.entries.len(), |index| index + 1)
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
        self.elided.pin(seq, pinned);
    }

    /// Whether a message can be pinned: it is in view, or its words are still known.
    #[must_use]
    pub fn can_pin(&self, seq: u64) -> bool {
        let in_view = self.entries.iter().any(|entry| {
            let has_words = matches!(
                entry.message,
                Message::User { .. } | Message::Assistant { .. }
            );
            entry.seq == seq && has_words && !entry.is_passing()
        });
        in_view || self.elided.knows(seq)
    }

    /// The numbers of what is pinned.
    #[must_use]
    pub fn pinned(&self) -> Vec<u64> {
        self.elided.pinned().iter().copied().collect()
    }

    /// Goes back to where it was after an event. What had left the view by then stays out; what
    /// stands for it stays as far as it does not speak of later things.
    pub fn rewind(&mut self, to_seq: u64) {
        // A request that waited came in before the turn that it begins.
        self.entries.retain(|entry| {
            let waited = entry.begins_turn() && entry.seq < entry.at && entry.at >= to_seq;
            entry.at <= to_seq && !waited
        });
        self.elided.rewind(to_seq);
        self.tasks.rewind(to_seq);
        self.nudged &= self.entries.iter().any(Entry::is_passing);
    }

    /// Puts a text in the place of the answer to the request that came in with an event; a request that has
    /// left the view, or has no answer in it, stays as it is.
    pub fn replace_answer(&mut self, received_seq: u64, answer: &str) {
        let is_it = |entry: &Entry| entry.begins_turn() && entry.seq == received_seq;
        let Some(begin) = self.entries.iter().position(is_it) else {
            return;
        };
        let turn = self.entries.iter_mut().skip(begin + 1);
        let turn = turn.take_while(|entry| !entry.begins_turn());
        let is_answer = |entry: &&mut Entry| matches!(&entry.message, Message::Assistant { tool_calls, .. } if tool_calls.is_empty());
        if let Some(entry) = turn.filter(is_answer).last() {
            entry.message = Message::Assistant {
                text: answer.to_owned(),
                thinking: None,
                tool_calls: Vec::new(),
            };
        }
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

    /// Adds a file that the newest request names, which stands before its words.
    pub(crate) fn add_named(&mut self, text: &str) {
        let newest = self.entries.iter_mut().rev();
        if let Some(entry) = newest.into_iter().find(|entry| entry.begins_turn()) {
            entry.named.push_str(text);
        }
    }

    /// Characters that fit into so many tokens, by the present estimate.
    #[must_use]
    pub const fn characters_in(&self, tokens: u64) -> u64 {
        self.estimator.characters(tokens)
    }

    /// The standing instructions. Changing them gives up the server's cache.
    pub fn set_system(&mut self, text: String) {
        self.system = text;
    }

    /// The tools on offer, which are sent with every prompt.
    pub fn set_tools(&mut self, tools: &[ToolDefinition]) {
        self.tools = tools_in_words(tools);
    }

    /// A request, by the number of its event: what came before may leave from here on.
    pub fn begin_turn(&mut self, seq: u64, text: String, speaker: Speaker) {
        self.push(seq, Message::User { text }, Part::Request(speaker));
    }

    /// What was recalled from memory for the newest request: it stands before the user's words.
    pub fn set_recalled(&mut self, text: String) {
        let newest = self.entries.iter_mut().rev();
        if let Some(entry) = newest.into_iter().find(|entry| entry.begins_turn()) {
            entry.recalled = text;
        }
    }

    /// Anything after the request, by the number of its event. A tool result follows the reply that
    /// asked for it.
    pub fn add(&mut self, seq: u64, message: Message) {
        let part = match (&message, self.entries.is_empty()) {
            (Message::User { text }, _) if text == JOURNAL_NUDGE => {
                self.nudged = true;
                Part::Passing
            }
            (_, true) => Part::Request(Speaker::Other),
            _ => Part::Other,
        };
        self.push(seq, message, part);
    }

    /// Corrects the estimate by what a server counted for a prompt of so many characters.
    pub fn calibrate(&mut self, characters: u64, prompt_tokens: u64) {
        self.estimator.observe(characters, prompt_tokens);
    }

    /// Where turns begin that something could leave before.
    pub(crate) fn turn_starts(&self) -> Vec<usize> {
        let entries = self.entries.iter().enumerate();
        entries
            .filter(|(index, entry)| *index > 0 && entry.begins_turn())
            .map(|(index, _)| index)
            .collect()
    }

    /// How many entries whole turns up to an event have. The last turn is never among them.
    pub(crate) fn turns_covered(&self, through: u64) -> usize {
        let starts = self.turn_starts().into_iter();
        starts
            .take_while(|start| {
                let before = start.checked_sub(1).and_then(|last| self.entries.get(last));
                before.is_some_and(|entry| entry.at <= through)
            })
            .last()
            .unwrap_or(0)
    }
}

/// Tool definitions as they are counted and shown.
fn tools_in_words(tools: &[ToolDefinition]) -> String {
    if tools.is_empty() {
        return String::new();
    }
    // Definitions hold strings and JSON values only, which always serialise.
    serde_json::to_string(tools).unwrap_or_default()
}

/// The calls of a message, if it is a reply.
pub(crate) fn calls_of(message: &Message) -> &[ToolCall] {
    match message {
        Message::Assistant { tool_calls, .. } => tool_calls,
        _ => &[],
    }
}
