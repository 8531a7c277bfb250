//! One agent as the session log has it: its conversation, the tasks that it handed out, the notes
//! that stand in its prompt.

use context::notes::InPrompt;
use context::{Closing, Conversation, Ends, stopped};
use domain::event::{Event, EventBody};
use domain::id::{AgentId, QueryId};
use domain::label::Label;
use domain::notes::ShownNotes;
use domain::report::Report;
use domain::settings::Mode;
use orchestration::TaskLog;

/// What one agent has been through, as far as its future needs it.
#[derive(Debug, Default)]
pub(crate) struct AgentState {
    /// What it was asked and shown.
    pub(crate) conversation: Conversation,
    /// What it has handed out last, whatever became of the request.
    pub(crate) tasks: TaskLog,
    /// A project's notes that stand in its prompt.
    notes: InPrompt,
    /// Those that the log last said so of.
    notes_told: Vec<ShownNotes>,
}

impl AgentState {
    /// An agent that another one started, with the conversation that begins there.
    pub(crate) fn of_child(conversation: Conversation) -> Self {
        Self {
            conversation,
            ..Self::default()
        }
    }

    /// Sets which notes stand in the prompt.
    pub(crate) fn set_notes(&mut self, notes: InPrompt) {
        self.notes = notes;
    }

    /// The label of what stands in the prompt and is told to the broker each time.
    pub(crate) fn own_label(&self) -> Option<Label> {
        self.notes.own()
    }

    /// What is to be told before the prompt, as it stands now, is shown to a model.
    pub(crate) fn due(&mut self) -> Vec<EventBody> {
        let mut due = self.notes.take_left_out();
        due.extend(self.notes.due(&self.notes_told));
        due
    }

    /// Takes the next event of this agent.
    pub(crate) fn apply(&mut self, event: &Event) {
        let is_current = event.query_id.is_some() && event.query_id == self.conversation.query_id();
        self.conversation.apply(event);
        match &event.body {
            EventBody::NotesShown { notes, .. } => self.notes_told.clone_from(notes),
            EventBody::TasksPlanned { .. } | EventBody::TaskMoved { .. }
                if self.conversation.is_open(event.query_id) =>
            {
                self.apply_to_tasks(event.seq, &event.body);
            }
            EventBody::QueryFinished { .. } if is_current => self.tasks.request_ended(),
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
        self.show_tasks(seq);
    }

    /// Tells the view where the tasks stand.
    fn show_tasks(&mut self, seq: u64) {
        if let Some(state) = self.tasks.state() {
            let state = text::firewall::defuse(&state.to_string()).text;
            self.conversation.view.tasks_stand(seq, state);
        }
    }

    /// An agent that this one started has reported.
    pub(crate) fn agent_ended(&mut self, seq: u64, child: AgentId, report: &Report) {
        let words = self.tasks.agent_reported(child, report);
        let words = text::firewall::defuse(&words).text;
        self.conversation.view.reported(seq, words);
        self.show_tasks(seq);
    }

    /// The request being worked on, when it goes on after a crash: it was taken apart, and the log
    /// says what was done.
    pub(crate) fn unfinished(&self) -> Option<Unfinished> {
        self.tasks.open()?;
        Some(Unfinished {
            query_id: self.conversation.query_id()?,
            text: self.conversation.task().to_owned(),
            mode: self.conversation.mode()?,
        })
    }

    /// The end of that request, where nobody is to take it up.
    pub(crate) fn ending(&self) -> Option<Closing> {
        let unfinished = self.unfinished()?;
        Some(Closing {
            query_id: unfinished.query_id,
            agent_id: self.conversation.agent_id(),
            call_id: None,
            body: stopped(),
        })
    }

    /// The events that close every call left open, in order; those of whole requests follow them.
    pub(crate) fn closings(&self, ends: Ends) -> Vec<Closing> {
        let goes_on = self.unfinished().map(|unfinished| unfinished.query_id);
        self.conversation.closings(ends, goes_on)
    }
}

/// A request that a dead process left, and that goes on by itself.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Unfinished {
    pub(crate) query_id: QueryId,
    pub(crate) text: String,
    pub(crate) mode: Mode,
}
