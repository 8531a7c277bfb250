//! One agent's conversation, folded from the session log: what its model is shown, the requests
//! that are open, the tools that it was offered.

use crate::budget::Budget;
use crate::changing::Standing;
use crate::closing::{Closing, Ends};
use crate::elided::JournalEntry;
use crate::entry::Speaker;
use crate::request::{OpenRequest, Received, assistant};
use crate::thresholds::Burn;
use crate::view::View;
use domain::context::ContextView;
use domain::event::{CallStatus, Event, EventBody, QueryStatus};
use domain::hash::Digest;
use domain::id::{AgentId, QueryId};
use domain::label::Label;
use domain::message::Message;
use domain::settings::Mode;
use domain::tool::ToolDefinition;
use std::collections::{BTreeSet, VecDeque};

/// Most of the user's requests whose words are kept for what the next one goes on with.
const WORDS_BEFORE: usize = 8;

/// The part of a view that is asked of an orchestrating agent before anything else.
const TAKING_APART: &str = "taking_apart";

/// What an agent's next model call will hold that no event has said yet.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct NextPrompt {
    /// The tools it will be offered.
    pub tools: Vec<ToolDefinition>,
    /// What it is asked about its next request before anything else, if it is.
    pub question: Option<String>,
}

/// One agent's conversation.
#[derive(Debug, Default)]
pub struct Conversation {
    /// What the model is shown.
    pub view: View,
    /// How fast its prompts grow, as far as this process saw.
    pub burn: Burn,
    /// Tokens of the view, estimated, when it was said that it cannot be made smaller; `None` when
    /// that was not said since the turn began or the view was rebuilt.
    pub full_at: Option<u64>,
    /// The tools last announced to it.
    announced: Option<Digest>,
    /// The same, for as long as they may be offered again.
    tools: Vec<ToolDefinition>,
    /// Names of the tools it called since its view was last rebuilt.
    used: BTreeSet<String>,
    /// Names of the tools of which a call succeeded, from the beginning.
    succeeded: BTreeSet<String>,
    /// The share of the last prompt that was the beginning of the one before.
    reused_permille: Option<u16>,
    /// The last reply.
    replied_seq: u64,
    /// Requests received and not finished: the first is being worked on, the others wait.
    open: VecDeque<OpenRequest>,
    /// The words of the user's last requests that were done, oldest first.
    done_before: VecDeque<String>,
    /// What its requests changed.
    standing: Standing,
}

impl Conversation {
    /// The conversation of an agent that another one started for a request, whose agent started at
    /// event `seq`.
    #[must_use]
    pub fn of_child(query_id: QueryId, seq: u64, child: AgentId, brief: &str) -> Self {
        let mut conversation = Self::default();
        conversation.view.at(seq);
        conversation.receive(Received {
            query_id,
            seq,
            agent_id: Some(child),
            text: brief,
            mode: Mode::Loop,
            speaker: Speaker::Other,
        });
        conversation
    }

    /// Takes a request: it is next, or waits for those before it.
    pub fn receive(&mut self, received: Received<'_>) {
        let request = OpenRequest::new(&received);
        if self.open.is_empty() {
            self.view.at(received.seq);
            request.begin(&mut self.view);
            self.full_at = None;
        }
        self.open.push_back(request);
    }

    /// Exactly what the agent's model would be shown now, with what no event has said yet.
    #[must_use]
    pub fn inspect(&self, budget: Budget, next: &NextPrompt) -> ContextView {
        let question = next.question.as_deref().filter(|_| self.open.is_empty());
        let last = question.map(|question| (TAKING_APART, question));
        if !self.tools.is_empty() {
            return self.view.inspect(budget, self.reused_permille, last);
        }
        let mut view = self.view.clone();
        view.set_tools(&next.tools);
        view.inspect(budget, self.reused_permille, last)
    }

    /// The tools last announced, for as long as they may be offered again.
    #[must_use]
    pub fn tools(&self) -> &[ToolDefinition] {
        &self.tools
    }

    /// Other settings may forbid what was offered before.
    pub fn forget_tools(&mut self) {
        self.tools.clear();
    }

    /// Whether exactly these tools were announced last.
    #[must_use]
    pub fn has_announced(&self, tools: &[ToolDefinition]) -> bool {
        self.announced == Some(digest_of(tools))
    }

    /// Names of the tools called since the view was last rebuilt.
    #[must_use]
    pub const fn used(&self) -> &BTreeSet<String> {
        &self.used
    }

    /// Names of the tools of which a call succeeded, from the beginning.
    #[must_use]
    pub const fn succeeded(&self) -> &BTreeSet<String> {
        &self.succeeded
    }

    /// The words of the request being worked on; empty for none.
    #[must_use]
    pub fn task(&self) -> &str {
        self.open
            .front()
            .map_or("", |request| request.text.as_str())
    }

    /// The words of the user's requests before the one being worked on, oldest first, back to one that was not
    /// done or was taken back: at most [`WORDS_BEFORE`].
    pub fn words_before(&self) -> impl Iterator<Item = &str> {
        self.done_before.iter().map(String::as_str)
    }

    /// The tools of the calls by which the last request changed something, one for each undo that takes it back;
    /// none where an undo came since.
    #[must_use]
    pub fn changed_by_last(&self) -> &[String] {
        self.standing.of_last()
    }

    /// Whether the words of the request being worked on are the user's.
    #[must_use]
    pub fn is_of_user(&self) -> bool {
        let front = self.open.front();
        front.is_some_and(|request| request.speaker == Speaker::User)
    }

    /// The mode of the request being worked on.
    #[must_use]
    pub fn mode(&self) -> Option<Mode> {
        self.open.front().map(|request| request.mode)
    }

    /// Whether data came with the request being worked on.
    #[must_use]
    pub fn is_given_input(&self) -> bool {
        let front = self.open.front();
        front.is_some_and(|request| request.input.is_some())
    }

    /// Whether pictures came with the request being worked on.
    #[must_use]
    pub fn is_given_pictures(&self) -> bool {
        let front = self.open.front();
        front.is_some_and(|request| !request.pictures.is_empty())
    }

    /// The agent that works on it, as far as an event has said so.
    #[must_use]
    pub fn agent_id(&self) -> Option<AgentId> {
        self.open.front().and_then(|request| request.agent_id)
    }

    /// Whether memories were recalled for the request being worked on.
    #[must_use]
    pub fn has_recalled(&self) -> bool {
        self.open
            .front()
            .is_some_and(|request| request.has_recalled)
    }

    /// The label of the data that came with the request being worked on, and its size, characters.
    #[must_use]
    pub fn input(&self) -> Option<(Label, u64)> {
        let (shown, label) = self.open.front()?.input.as_ref()?;
        Some((label.clone(), shown.chars().count() as u64))
    }

    /// The labels of the pictures that came with the request being worked on.
    #[must_use]
    pub fn picture_labels(&self) -> Vec<Label> {
        let request = self.open.front().into_iter();
        request
            .flat_map(|request| &request.pictures)
            .map(|(_, _, label)| label.clone())
            .collect()
    }

    /// The last event that the agent had seen when it last replied.
    #[must_use]
    pub const fn seen_through(&self) -> u64 {
        self.replied_seq.saturating_sub(1)
    }

    /// Whether a request was received and is not finished.
    #[must_use]
    pub fn is_open(&self, query_id: Option<QueryId>) -> bool {
        self.position(query_id).is_some()
    }

    fn position(&self, query_id: Option<QueryId>) -> Option<usize> {
        let mut open = self.open.iter();
        open.position(|request| Some(request.query_id) == query_id)
    }

    /// Takes the next event of this agent.
    pub fn apply(&mut self, event: &Event) {
        self.view.at(event.seq);
        match &event.body {
            EventBody::Rewound { to_seq } => {
                self.view.rewind(*to_seq);
                self.done_before.clear();
                self.standing.rewind(*to_seq);
            }
            EventBody::Pinned { seq, pinned } => self.view.pin(*seq, *pinned),
            EventBody::ToolSchema { tools } => {
                self.announced = Some(digest_of(tools));
                self.tools.clone_from(tools);
                self.view.set_tools(tools);
            }
            EventBody::ContextCompacted {
                through,
                summary,
                shortened_through,
                journal_characters,
                newest_characters,
                ..
            } => {
                let lines = summary.as_ref().map(|summary| summary.lines.clone());
                self.view
                    .compacted(*through, lines, *shortened_through, *journal_characters);
                self.view.show_of_newest(*newest_characters);
                self.full_at = None;
                self.used.clear();
            }
            EventBody::JournalWritten {
                title,
                text,
                through,
            } => {
                let entry = JournalEntry {
                    seq: event.seq,
                    time: event.time,
                    title: title.clone(),
                    text: text.clone(),
                    through: *through,
                };
                self.view.journal(entry, event.call_id);
            }
            body => self.apply_to_request(event, body),
        }
    }

    fn apply_to_request(&mut self, event: &Event, body: &EventBody) {
        let Some(position) = self.position(event.query_id) else {
            return;
        };
        let view = &mut self.view;
        let request = &mut self.open[position];
        request.is_touched |= position == 0 && !is_of_queue(body);
        if event.agent_id.is_some() {
            request.agent_id = event.agent_id;
        }
        match body {
            EventBody::QueryMoved { before } => self.moved(position, *before),
            EventBody::ModeChosen { mode, .. } => request.mode = *mode,
            EventBody::TextDelta { text } => request.streamed.0.push_str(text),
            EventBody::TextReplaced { text } => request.streamed.0.clone_from(text),
            EventBody::ThinkingDelta { text } => request.streamed.1.push_str(text),
            EventBody::ModelAnswered { aside: true, .. } => request.streamed = Default::default(),
            EventBody::ModelAnswered { usage, .. } => {
                request.streamed = (String::new(), String::new());
                if request.mode.is_loop() {
                    self.reused_permille =
                        Some(usage.prefix_reuse_permille).filter(|_| self.replied_seq > 0);
                    self.replied_seq = event.seq;
                    request.model_answered(view, event);
                }
            }
            EventBody::InputGiven { .. } | EventBody::MemoryRecalled { .. } => {
                request.was_shown(view, body, position == 0);
            }
            EventBody::PictureShown { .. } => {
                request.picture_shown(view, event, position == 0);
            }
            EventBody::ModelNudged { text } if request.mode.is_loop() => {
                request.settle(view, event.seq);
                view.add(event.seq, Message::User { text: text.clone() });
                request.answered = false;
            }
            EventBody::ToolRequested { tool, .. } => {
                // Names that no tool has are none of its uses.
                if self.tools.iter().any(|known| known.name.as_str() == tool) {
                    self.used.insert(tool.clone());
                }
                if let Some(call_id) = event.call_id {
                    request.running.insert(call_id, tool.clone());
                }
            }
            EventBody::ToolResult {
                tool, text, status, ..
            } => {
                if *status == CallStatus::Ok {
                    self.succeeded.insert(tool.clone());
                }
                request.did(body);
                self.standing.note(request.seq, body);
                if let Some(call_id) = event.call_id {
                    request.running.remove(&call_id);
                    if *status != CallStatus::Ok {
                        view.call_failed(call_id);
                    }
                    request.result_came(view, (call_id, tool, *status), (event.seq, text));
                }
            }
            EventBody::DialogTurn { answer, .. } => {
                request.answer_came(view, (event.seq, answer));
            }
            EventBody::QueryFinished { status, .. } => self.finished(position, event.seq, *status),
            _ => {}
        }
    }

    /// Puts a request that waits before another, or behind all.
    fn moved(&mut self, from: usize, before: Option<QueryId>) {
        let Some(request) = self.open.remove(from) else {
            return;
        };
        let to = match before {
            None => self.open.len(),
            Some(_) => self.position(before).unwrap_or(from),
        };
        self.open.insert(to, request);
    }

    fn finished(&mut self, position: usize, seq: u64, status: QueryStatus) {
        let Some(mut request) = self.open.remove(position) else {
            return;
        };
        request.settle(&mut self.view, seq);
        self.standing.finished(&request.text);
        if position > 0 {
            return;
        }
        let is_done = status == QueryStatus::Success && request.speaker == Speaker::User;
        match is_done {
            true => self.done_before.push_back(request.text.clone()),
            false => self.done_before.clear(),
        }
        if self.done_before.len() > WORDS_BEFORE {
            self.done_before.pop_front();
        }
        if !request.answered {
            let note = match request.mode {
                Mode::Command => "(read)",
                _ if status == QueryStatus::Interrupted && !request.is_touched => NOT_BEGUN,
                _ => ended_note(status),
            };
            let note = assistant(note.to_owned(), Vec::new());
            self.view.add(seq, note);
        }
        if let Some(next) = self.open.front() {
            next.begin(&mut self.view);
            self.full_at = None;
        }
    }

    /// What the agent did last on the request, one call each.
    #[must_use]
    pub fn done(&self) -> Vec<&str> {
        let request = self.open.front();
        let done = request.into_iter().flat_map(|request| &request.done);
        done.map(String::as_str).collect()
    }

    /// Whether a call was begun that has no result.
    #[must_use]
    pub fn is_calling(&self) -> bool {
        let request = self.open.front();
        request.is_some_and(|request| !request.running.is_empty())
    }

    /// The request being worked on.
    #[must_use]
    pub fn query_id(&self) -> Option<QueryId> {
        self.open.front().map(|request| request.query_id)
    }

    /// The events that close every call left open, in order; those of whole requests follow them.
    /// The request being worked on `goes_on` where it is taken up again.
    #[must_use]
    pub fn closings(&self, ends: Ends, goes_on: Option<QueryId>) -> Vec<Closing> {
        let closings = self.open.iter().map(|request| {
            let ends = match goes_on == Some(request.query_id) {
                true => Ends::Nothing,
                false => ends,
            };
            request.closings(ends)
        });
        closings.flatten().collect()
    }
}

/// What tells one set of tools from another.
fn digest_of(tools: &[ToolDefinition]) -> Digest {
    // Definitions hold strings and JSON values only, which always serialise.
    Digest::of(&serde_json::to_vec(tools).unwrap_or_default())
}

/// Whether an event says of a request only that it waits, where, or that it has ended: one that is
/// withdrawn has the last two of these.
const fn is_of_queue(body: &EventBody) -> bool {
    matches!(
        body,
        EventBody::QueryQueued { .. }
            | EventBody::QueryMoved { .. }
            | EventBody::GenerationFinished { .. }
            | EventBody::QueryFinished { .. }
    )
}

/// What stands below a request that waited, and ended with the program or was taken out before it began.
const NOT_BEGUN: &str = "(This was not begun, and the user does not wait for it any more.)";

const fn ended_note(status: QueryStatus) -> &'static str {
    match status {
        QueryStatus::Interrupted => "(stopped before an answer was given)",
        QueryStatus::Success | QueryStatus::Partial | QueryStatus::Failed | QueryStatus::Denied => {
            "(ended without an answer)"
        }
    }
}
