//! One agent's conversation, folded from the session log.

mod request;

pub(crate) use request::Ends;

use crate::ahead::Ahead;
use crate::notes::InPrompt;
use context::{Budget, Burn, JournalEntry, Speaker, View};
use domain::context::ContextView;
use domain::drive::Origin;
use domain::event::{CallStatus, Event, EventBody, QueryStatus};
use domain::fault::{Fault, PROCESS_ENDED_CODE};
use domain::hash::Digest;
use domain::id::{AgentId, CallId, QueryId};
use domain::label::Label;
use domain::message::{Message, ToolCall};
use domain::notes::ShownNotes;
use domain::report::Report;
use domain::settings::Mode;
use domain::tool::ToolDefinition;
use orchestration::TaskLog;
use request::OpenQuery;
use std::collections::{BTreeSet, VecDeque};

/// What one agent has been through, as far as its future needs it.
#[derive(Debug, Default)]
pub(crate) struct Thread {
    /// What the model is shown.
    pub(crate) window: View,
    /// The tools last announced to it.
    pub(crate) announced: Option<Digest>,
    /// The same, for as long as they may be offered again.
    pub(crate) tools: Vec<ToolDefinition>,
    /// Names of the tools it called since its view was last rebuilt.
    pub(crate) used: BTreeSet<String>,
    /// How fast its prompts grow, as far as this process saw.
    pub(crate) burn: Burn,
    /// Tokens of the view, estimated, when it was said that it cannot be made smaller; `None` when
    /// that was not said since the turn began or the view was rebuilt.
    pub(crate) full_at: Option<u64>,
    /// The share of the last prompt that was the beginning of the one before.
    reused_permille: Option<u16>,
    /// The last reply.
    replied_seq: u64,
    /// Requests received and not finished: the first is being worked on, the others wait.
    open: VecDeque<OpenQuery>,
    /// What it has handed out last, whatever became of the request.
    pub(crate) tasks: TaskLog,
    /// A project's notes that stand in its prompt.
    notes: InPrompt,
    /// Those that the log last said so of.
    notes_told: Vec<ShownNotes>,
}

/// An event that closes what a dead process left open.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Closing {
    pub(crate) query_id: QueryId,
    pub(crate) agent_id: Option<AgentId>,
    pub(crate) call_id: Option<CallId>,
    pub(crate) body: EventBody,
}

impl Thread {
    /// The conversation of an agent that another one started for this request.
    pub(crate) fn of_child(request: (QueryId, u64), child: AgentId, brief: &str) -> Self {
        let mut thread = Self::default();
        thread.window.at(request.1);
        thread.begin(request, Some(child), (brief, Mode::Loop, Speaker::House));
        thread
    }

    /// Takes a request, with the number of its event: it is next, or waits for those before it.
    pub(crate) fn begin(
        &mut self,
        (query_id, seq): (QueryId, u64),
        agent_id: Option<AgentId>,
        (text, mode, speaker): (&str, Mode, Speaker),
    ) {
        let query = OpenQuery::new((query_id, seq), agent_id, (text, mode, speaker));
        if self.open.is_empty() {
            self.window.at(seq);
            query.begin(&mut self.window);
            self.full_at = None;
        }
        self.open.push_back(query);
    }

    /// Exactly what the agent's model would be shown now, with what no event has said yet.
    pub(crate) fn view(&self, budget: Budget, ahead: &Ahead) -> ContextView {
        let question = ahead.question.as_deref().filter(|_| self.open.is_empty());
        let last = question.map(|question| (TAKING_APART, question));
        if !self.tools.is_empty() {
            return self.window.inspect(budget, self.reused_permille, last);
        }
        let mut window = self.window.clone();
        window.set_tools(&ahead.tools);
        window.inspect(budget, self.reused_permille, last)
    }

    /// The words of the request being worked on; empty for none.
    pub(crate) fn task(&self) -> &str {
        self.open.front().map_or("", |query| query.text.as_str())
    }

    /// Whether memories were recalled for the request being worked on.
    pub(crate) fn has_recalled(&self) -> bool {
        self.open.front().is_some_and(|query| query.has_recalled)
    }

    /// The label of the data that came with the request being worked on, and its size, characters.
    pub(crate) fn input(&self) -> Option<(Label, u64)> {
        let (shown, label) = self.open.front()?.input.as_ref()?;
        Some((label.clone(), shown.chars().count() as u64))
    }

    /// The labels of the pictures that came with the request being worked on.
    pub(crate) fn picture_labels(&self) -> Vec<Label> {
        let query = self.open.front().into_iter();
        query
            .flat_map(|query| &query.pictures)
            .map(|(_, _, label)| label.clone())
            .collect()
    }

    /// Sets which notes stand in the prompt.
    pub(crate) fn set_notes(&mut self, notes: InPrompt) {
        self.notes = notes;
    }

    /// What is to be told before the prompt, as it stands now, is shown to a model.
    pub(crate) fn due(&mut self) -> Vec<EventBody> {
        let mut due = self.notes.take_left_out();
        due.extend(self.notes.due(&self.notes_told));
        due
    }

    /// The last event that the agent had seen when it last replied.
    pub(crate) const fn seen_through(&self) -> u64 {
        self.replied_seq.saturating_sub(1)
    }

    /// Takes the next event of this agent.
    pub(crate) fn apply(&mut self, event: &Event) {
        self.window.at(event.seq);
        match &event.body {
            EventBody::Rewound { to_seq } => self.window.rewind(*to_seq),
            EventBody::Pinned { seq, pinned } => self.window.pin(*seq, *pinned),
            EventBody::ToolSchema { tools } => {
                self.announced = Some(digest_of(tools));
                self.tools.clone_from(tools);
                self.window.set_tools(tools);
            }
            EventBody::ContextCompacted {
                through,
                summary,
                shortened_through,
                journal_characters,
                ..
            } => {
                let lines = summary.as_ref().map(|summary| summary.lines.clone());
                self.window
                    .compacted(*through, lines, *shortened_through, *journal_characters);
                self.full_at = None;
                self.used.clear();
            }
            EventBody::NotesShown { notes, .. } => self.notes_told.clone_from(notes),
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
                self.window.journal(entry, event.call_id);
            }
            body => self.apply_to_request(event, body),
        }
    }

    fn apply_to_request(&mut self, event: &Event, body: &EventBody) {
        let position = self
            .open
            .iter()
            .position(|query| Some(query.query_id) == event.query_id);
        let Some(position) = position else {
            return;
        };
        let window = &mut self.window;
        let query = &mut self.open[position];
        if event.agent_id.is_some() {
            query.agent_id = event.agent_id;
        }
        match body {
            EventBody::TextDelta { text } => query.streamed.0.push_str(text),
            EventBody::TextReplaced { text } => query.streamed.0.clone_from(text),
            EventBody::ThinkingDelta { text } => query.streamed.1.push_str(text),
            EventBody::ModelAnswered { aside: true, .. } => {
                query.streamed = (String::new(), String::new());
            }
            EventBody::ModelAnswered { usage, .. } => {
                query.streamed = (String::new(), String::new());
                if query.mode.is_loop() {
                    self.reused_permille =
                        Some(usage.prefix_reuse_permille).filter(|_| self.replied_seq > 0);
                    self.replied_seq = event.seq;
                    query.model_answered(window, event);
                }
            }
            EventBody::InputGiven { .. } | EventBody::MemoryRecalled { .. } => {
                query.was_shown(window, body, position == 0);
            }
            EventBody::PictureShown { .. } => {
                query.picture_shown(window, event, position == 0);
            }
            EventBody::ModelNudged { text } if query.mode.is_loop() => {
                query.settle(window, event.seq);
                window.add(event.seq, Message::User { text: text.clone() });
                query.answered = false;
            }
            EventBody::ToolRequested { tool, .. } => {
                // Names that no tool has are none of its uses.
                if self.tools.iter().any(|known| known.name.as_str() == tool) {
                    self.used.insert(tool.clone());
                }
                if let Some(call_id) = event.call_id {
                    query.running.insert(call_id, tool.clone());
                }
            }
            EventBody::ToolResult { text, status, .. } => {
                query.did(body);
                if let Some(call_id) = event.call_id {
                    query.running.remove(&call_id);
                    if *status != CallStatus::Ok {
                        window.call_failed(call_id);
                    }
                    query.result_came(window, call_id, (event.seq, text));
                }
            }
            EventBody::TasksPlanned { .. } | EventBody::TaskMoved { .. } => {
                self.apply_to_tasks(event.seq, body);
            }
            EventBody::DialogTurn { answer, .. } if !query.mode.is_loop() => {
                query.planned_answer(window, (event.seq, answer));
            }
            EventBody::QueryFinished { status, .. } => self.finished(position, event.seq, *status),
            _ => {}
        }
    }

    /// What the request was taken apart into, and where a part of it stands.
    fn apply_to_tasks(&mut self, seq: u64, body: &EventBody) {
        match body {
            EventBody::TasksPlanned { tasks: planned } => {
                self.tasks.planned(planned);
            }
            EventBody::TaskMoved {
                task_id,
                status,
                reason,
            } => {
                self.tasks.moved(task_id, *status, reason);
            }
            _ => {}
        }
        self.tasks_stand(seq);
    }

    fn finished(&mut self, position: usize, seq: u64, status: QueryStatus) {
        let Some(mut query) = self.open.remove(position) else {
            return;
        };
        query.settle(&mut self.window, seq);
        if position > 0 {
            return;
        }
        self.tasks.request_ended();
        if !query.answered {
            let note = assistant(ended_note(status).to_owned(), Vec::new());
            self.window.add(seq, note);
        }
        if let Some(next) = self.open.front() {
            next.begin(&mut self.window);
            self.full_at = None;
        }
    }

    /// Tells the view where the tasks stand.
    fn tasks_stand(&mut self, seq: u64) {
        if let Some(state) = self.tasks.state() {
            let state = text::firewall::defuse(&state.to_string()).text;
            self.window.tasks_stand(seq, state);
        }
    }

    /// An agent that this one started has reported.
    pub(crate) fn agent_ended(&mut self, seq: u64, child: AgentId, report: &Report) {
        let words = self.tasks.agent_reported(child, report);
        let words = text::firewall::defuse(&words).text;
        self.window.reported(seq, words);
        self.tasks_stand(seq);
    }

    /// The request being worked on, when it goes on after a crash: it was taken apart, and the log
    /// says what was done.
    pub(crate) fn unfinished(&self) -> Option<Unfinished> {
        let query = self.open.front()?;
        self.tasks.open().map(|_| Unfinished {
            query_id: query.query_id,
            text: query.text.clone(),
            mode: query.mode,
        })
    }

    /// The end of that request, where nobody is to take it up.
    pub(crate) fn ending(&self) -> Option<Closing> {
        self.unfinished()?;
        let query = self.open.front()?;
        Some(Closing {
            query_id: query.query_id,
            agent_id: query.agent_id,
            call_id: None,
            body: stopped(),
        })
    }

    /// What the agent did last on the request, one call each.
    pub(crate) fn done(&self) -> Vec<&str> {
        let query = self.open.front();
        let done = query.into_iter().flat_map(|query| &query.done);
        done.map(String::as_str).collect()
    }

    /// Whether a call was begun that has no result.
    pub(crate) fn is_calling(&self) -> bool {
        let query = self.open.front();
        query.is_some_and(|query| !query.running.is_empty())
    }

    /// The request being worked on.
    pub(crate) fn query_id(&self) -> Option<QueryId> {
        self.open.front().map(|query| query.query_id)
    }

    /// The events that close every call left open, in order; those of whole requests follow them.
    pub(crate) fn closings(&self, ends: Ends) -> Vec<Closing> {
        let goes_on = self.unfinished().map(|unfinished| unfinished.query_id);
        let closings = self.open.iter().map(|query| {
            let ends = match goes_on == Some(query.query_id) {
                true => Ends::Nothing,
                false => ends,
            };
            query.closings(ends)
        });
        closings.flatten().collect()
    }
}

/// A request that a dead process left, and that goes on by itself.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Unfinished {
    pub(crate) query_id: QueryId,
    pub(crate) text: String,
    pub(crate) mode: Mode,
}

/// The part of a view that is asked of an orchestrating agent before anything else.
const TAKING_APART: &str = "taking_apart";
/// Whose words a request is.
pub(crate) const fn speaker_of(origin: Origin) -> Speaker {
    match origin {
        Origin::User => Speaker::User,
        Origin::Drive => Speaker::House,
    }
}

/// What tells one set of tools from another.
pub(crate) fn digest_of(tools: &[ToolDefinition]) -> Digest {
    // Definitions hold strings and JSON values only, which always serialise.
    Digest::of(&serde_json::to_vec(tools).unwrap_or_default())
}

fn assistant(text: String, tool_calls: Vec<ToolCall>) -> Message {
    Message::Assistant {
        text,
        thinking: None,
        tool_calls,
    }
}

const fn ended_note(status: QueryStatus) -> &'static str {
    match status {
        QueryStatus::Interrupted => "(stopped before an answer was given)",
        QueryStatus::Success | QueryStatus::Partial | QueryStatus::Failed | QueryStatus::Denied => {
            "(ended without an answer)"
        }
    }
}

fn stopped() -> EventBody {
    EventBody::QueryFinished {
        status: QueryStatus::Interrupted,
        artifacts: Vec::new(),
        duration_ms: 0,
        error: Some(Fault {
            code: PROCESS_ENDED_CODE.to_owned(),
            message: "Housecarl stopped before this request was finished.".to_owned(),
            hint: "Send it again to have it done.".to_owned(),
        }),
    }
}
