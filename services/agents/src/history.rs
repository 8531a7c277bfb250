//! A session as a fold over its log: it composes the view that everybody shares, what the drive
//! goes by, and for each agent its conversation with the tasks that it handed out.
//!
//! The running session and a resumed one use the same fold on the same events, so that what a
//! model sees after a crash is what it would have seen without one.

use session_log::{Fold, Scope, title_of};
mod agent;

pub(crate) use agent::{AgentState, Unfinished};

use api::models::THINKING_NOT_TAKEN_CODE;
use context::{Budget, Closing, Conversation, Ends, Received, Shape, Speaker, StandingText};
use domain::drive::Origin;
use domain::event::{CallStatus, Event, EventBody};
use domain::id::{AgentId, QueryId};
use domain::label::Label;
use domain::limits::USER_TEXT_BYTES;
use domain::model::Usage;
use domain::settings::{Mode, SessionProfile, SessionSettings};
use session::SessionView;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use turn::drive::Trail;

/// The writer of a session's log, with the session as the log has it.
pub(crate) type Emitter = session_log::Emitter<History>;

/// What happened so far, as far as the future needs it.
#[derive(Debug, Default)]
pub(crate) struct History {
    /// What everybody may know of the session.
    pub(crate) view: SessionView,
    /// The beginning of the first request.
    pub(crate) title: String,
    /// What the broker has to be told when the session is taken up again.
    pub(crate) past: Past,
    /// What the drive goes by.
    pub(crate) drive: Trail,
    /// What was said of levels of thinking that models do not take: each is said once.
    pub(crate) levels_told: BTreeSet<String>,
    /// The conversation with the user. A resumed session's root has another id than before, so
    /// every event that is no child's is the root's.
    pub(crate) root: AgentState,
    /// Agents at work for others, each with the agent that started it.
    children: BTreeMap<AgentId, (Option<AgentId>, AgentState)>,
}

/// What the broker has to know of a session that it did not see: the newest words of the user,
/// and how far what the model was shown may be trusted.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Past {
    pub(crate) said: VecDeque<String>,
    pub(crate) shown: Label,
    bytes: usize,
}

impl Default for Past {
    fn default() -> Self {
        Self {
            said: VecDeque::new(),
            shown: Label::nothing(),
            bytes: 0,
        }
    }
}

impl Past {
    /// Takes the label of something that the model was shown; without one it may be anybody's.
    fn recalled(&mut self, label: Option<&Label>) {
        let unknown = || Label::untrusted("memory");
        self.shown = self.shown.join(&label.cloned().unwrap_or_else(unknown));
    }

    fn said(&mut self, text: &str) {
        self.bytes += text.len();
        self.said.push_back(text.to_owned());
        while self.bytes > USER_TEXT_BYTES
            && let Some(oldest) = self.said.pop_front()
        {
            self.bytes -= oldest.len();
        }
    }

    /// The words of a tool that failed may be anybody's.
    fn saw(&mut self, status: CallStatus, label: Option<&Label>) {
        match label {
            Some(label) => self.shown = self.shown.join(label),
            None if status == CallStatus::Failed => {
                self.shown = self.shown.join(&Label::untrusted("tool error"));
            }
            None => {}
        }
    }
}

impl Fold for History {
    fn apply(&mut self, event: &Event) {
        match &event.body {
            EventBody::ToolResult { status, label, .. } => self.past.saw(*status, label.as_ref()),
            EventBody::MemoryRecalled { text, label, .. } if !text.is_empty() => {
                self.past.recalled(label.as_ref());
            }
            EventBody::NotesShown { label, .. }
            | EventBody::InputGiven { label, .. }
            | EventBody::PictureShown { label, .. } => {
                self.past.recalled(Some(label));
            }
            EventBody::QueryReceived {
                origin: Origin::Drive,
                ..
            } => self.past.recalled(Some(&self.drive.label())),
            EventBody::Notice(told) if told.code == THINKING_NOT_TAKEN_CODE => {
                self.levels_told.insert(told.message.clone());
            }
            _ => {}
        }
        self.drive.apply(event);
        if let EventBody::SessionOpened { profile, .. }
        | EventBody::SessionResumed { profile }
        | EventBody::SessionConfigured { profile } = &event.body
        {
            self.configured(profile);
        }
        self.view.apply(event);
        match &event.body {
            EventBody::SessionOpened { .. }
            | EventBody::SessionResumed { .. }
            | EventBody::SessionConfigured { .. } => {}
            EventBody::QueryReceived { text, mode, origin } => {
                self.received(event, text, (*mode, *origin));
            }
            EventBody::AgentSpawned {
                child,
                task,
                agent_type,
                task_id,
                ..
            } => {
                self.agent_mut(event.agent_id).tasks.agent_started(
                    *child,
                    agent_type,
                    task_id.as_deref(),
                );
                if let Some(query_id) = event.query_id {
                    let conversation = Conversation::of_child(query_id, event.seq, *child, task);
                    let agent = AgentState::of_child(conversation);
                    self.children.insert(*child, (event.agent_id, agent));
                }
            }
            EventBody::AgentFinished { child, report, .. } => {
                self.agent_mut(event.agent_id)
                    .agent_ended(event.seq, *child, report);
                self.children.remove(child);
            }
            EventBody::SecondTaken { answer } => self.answer_taken(event.query_id, answer),
            _ => {
                if let EventBody::ToolResult { artifacts, .. } = &event.body {
                    self.wrote(event.agent_id, artifacts);
                }
                self.called(event);
                self.agent_mut(event.agent_id).apply(event);
            }
        }
    }

    fn endings(&self) -> Vec<(Scope, EventBody)> {
        let closings = self.closings().into_iter();
        let closings = closings.chain(self.root.ending());
        closings
            .map(|closing| (scope_of(&closing), closing.body))
            .collect()
    }
}

impl History {
    /// Another answer stands in the place of the one that was given to a request.
    fn answer_taken(&mut self, query_id: Option<QueryId>, answer: &str) {
        let request = query_id.and_then(|id| self.view.exchanges().find(id));
        if let Some(request) = request {
            let view = &mut self.root.conversation.view;
            view.replace_answer(request.received_seq, answer);
        }
    }

    /// What an agent wrote counts for its task, and for that of every agent above it.
    fn wrote(&mut self, agent_id: Option<AgentId>, files: &[String]) {
        let mut below = agent_id.filter(|_| !files.is_empty());
        while let Some(child) = below
            && let Some((parent, _)) = self.children.get(&child)
        {
            let parent = *parent;
            self.agent_mut(parent).tasks.wrote(child, files);
            below = parent;
        }
    }

    /// What becomes of an agent's own calls counts for its task.
    fn called(&mut self, event: &Event) {
        if let Some(child) = event.agent_id
            && let Some((parent, _)) = self.children.get(&child)
        {
            let parent = *parent;
            self.agent_mut(parent).tasks.called(child, event);
        }
    }

    /// Other settings may forbid what was offered before.
    fn configured(&mut self, profile: &SessionProfile) {
        let same = self.view.profile().is_some_and(|before| {
            before.agent_type == profile.agent_type && before.settings == profile.settings
        });
        if !same {
            self.root.conversation.forget_tools();
        }
    }

    /// An agent: the child, else the root.
    pub(crate) fn agent_mut(&mut self, agent_id: Option<AgentId>) -> &mut AgentState {
        let child = agent_id.and_then(|id| self.children.get_mut(&id));
        child.map_or(&mut self.root, |(_, agent)| agent)
    }

    /// An agent at work for another.
    pub(crate) fn child(&mut self, agent_id: AgentId) -> Option<&mut AgentState> {
        self.children.get_mut(&agent_id).map(|(_, agent)| agent)
    }

    /// What stands before the conversation with the user, within the budget of its model.
    pub(crate) fn set_standing(
        &mut self,
        settings: &SessionSettings,
        standing: StandingText,
        (budget, shape): (Budget, Shape),
    ) {
        self.root.set_notes(standing.notes);
        let view = &mut self.root.conversation.view;
        let characters = view.characters_in(budget.preamble_tokens);
        view.set_layers(&standing.layers, characters);
        view.set_shape(shape, budget.reports_characters());
        view.set_system(context::prompt::system(settings));
    }

    /// How far an answer may be trusted that is made of everything the model was shown so far: the
    /// user's words, which are no one else's to read, and what came from tools, memory, a project's
    /// notes and data given with requests.
    pub(crate) fn shown_label(&self) -> Label {
        Label::trusted("user").join(&self.past.shown)
    }

    fn received(&mut self, event: &Event, text: &str, (mode, origin): (Mode, Origin)) {
        let Some(query_id) = event.query_id else {
            return;
        };
        if self.title.is_empty() {
            self.title = title_of(text);
        }
        if origin == Origin::User {
            self.past.said(text);
        }
        self.root.conversation.receive(Received {
            query_id,
            seq: event.seq,
            agent_id: event.agent_id,
            text,
            mode,
            speaker: Speaker::from(origin),
        });
    }

    /// The request that goes on by itself after a crash, if there is one.
    pub(crate) fn unfinished(&self) -> Option<Unfinished> {
        self.root.unfinished()
    }

    /// The events that close everything left open, in order: the youngest agents first.
    pub(crate) fn closings(&self) -> Vec<Closing> {
        let mut closings = Vec::new();
        for (child, (parent, agent)) in self.children.iter().rev() {
            let open = agent.closings(Ends::Nothing);
            closings.extend(open);
            closings.extend(agent.conversation.query_id().map(|query_id| Closing {
                query_id,
                agent_id: *parent,
                call_id: None,
                body: cut_short(*child, agent),
            }));
        }
        closings.extend(self.root.closings(Ends::Request));
        closings
    }
}

/// What the end of something left open belongs to.
pub(crate) const fn scope_of(closing: &Closing) -> Scope {
    Scope {
        query_id: Some(closing.query_id),
        agent_id: closing.agent_id,
        call_id: closing.call_id,
    }
}

/// How an agent ends whose process died. What is on record as done is named, so that nobody does it
/// a second time.
fn cut_short(child: AgentId, agent: &AgentState) -> EventBody {
    let done = match agent.conversation.done() {
        done if done.is_empty() => String::new(),
        done => format!("on record as done: {}; ", done.join(", ")),
    };
    let rest = match agent.conversation.is_calling() {
        true => "whether its last step took effect is not known: look first",
        false => "no step of it was under way: look first, then do what is missing",
    };
    EventBody::AgentFinished {
        child,
        report: orchestration::failed_report(&format!(
            "cut short when Housecarl stopped; {done}{rest}"
        )),
        corrections: Vec::new(),
        usage: Usage::default(),
        duration_ms: 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::Timestamp;
    use domain::id::{QueryId, SessionId};
    use domain::lineage::AgentType;
    use domain::model::FinishReason;
    use uuid::Uuid;

    struct Log {
        history: History,
        seq: u64,
    }

    impl Log {
        fn add(&mut self, agent: u128, body: EventBody) {
            self.seq += 1;
            self.history.apply(&Event {
                seq: self.seq,
                time: Timestamp::UNIX_EPOCH,
                session_id: SessionId::from_uuid(Uuid::nil()),
                query_id: Some(QueryId::from_uuid(Uuid::nil())),
                agent_id: Some(agent_id(agent)),
                respondent_id: None,
                call_id: None,
                body,
            });
        }
    }

    fn agent_id(number: u128) -> AgentId {
        AgentId::from_uuid(Uuid::from_u128(number))
    }

    fn spawned(child: u128, task: &str) -> EventBody {
        EventBody::AgentSpawned {
            child: agent_id(child),
            agent_type: AgentType::new("researcher").unwrap(),
            task: task.to_owned(),
            task_id: None,
            budget_tokens: None,
        }
    }

    fn said(text: &str) -> EventBody {
        EventBody::ModelAnswered {
            text: text.to_owned(),
            thinking: None,
            tool_calls: Vec::new(),
            usage: Usage::default(),
            finish: FinishReason::Stop,
            aside: false,
        }
    }

    fn words(agent: &AgentState) -> Vec<String> {
        let messages = agent.conversation.view.messages();
        messages.iter().map(|m| m.text().to_owned()).collect()
    }

    fn with_two_generations() -> Log {
        let mut log = Log {
            history: History::default(),
            seq: 0,
        };
        log.add(
            1,
            EventBody::QueryReceived {
                text: "compare them".to_owned(),
                mode: Mode::Loop,
                origin: Origin::User,
            },
        );
        log.add(1, spawned(2, "look at a"));
        log.add(2, spawned(3, "look at a's parts"));
        log.add(2, said("a is large"));
        log.add(3, said("parts are small"));
        log
    }

    #[test]
    fn every_agent_has_a_conversation_of_its_own_and_it_goes_with_the_agent() {
        let mut log = with_two_generations();
        assert_eq!(words(&log.history.root), ["compare them"]);
        let child = log.history.agent_mut(Some(agent_id(2)));
        assert_eq!(words(child), ["look at a", "a is large"]);
        let grandchild = log.history.agent_mut(Some(agent_id(3)));
        assert_eq!(words(grandchild), ["look at a's parts", "parts are small"]);
        log.add(2, cut_short(agent_id(3), &AgentState::default()));
        assert_eq!(log.history.children.len(), 1);
        // The root of a resumed session has another id.
        log.add(9, said("both are fine"));
        assert_eq!(words(&log.history.root), ["compare them", "both are fine"]);
    }

    #[test]
    fn what_is_on_record_as_done_is_named_when_its_agent_was_cut_short() {
        let mut log = with_two_generations();
        let wrote = EventBody::ToolResult {
            tool: "write_file".to_owned(),
            status: domain::event::CallStatus::Ok,
            value_id: None,
            label: None,
            text: String::new(),
            truncated: false,
            duration_ms: 0,
            artifacts: vec!["/w/log.txt".to_owned()],
            edited: None,
        };
        log.add(3, wrote);
        let closings = log.history.closings();
        let why = closings.iter().find_map(|closing| match &closing.body {
            EventBody::AgentFinished { child, report, .. } if *child == agent_id(3) => {
                report.failure_reason.clone()
            }
            _ => None,
        });
        let why = why.unwrap();
        assert!(
            why.contains("on record as done: write_file log.txt;"),
            "{why}"
        );
        assert!(why.contains("no step of it was under way"), "{why}");
    }

    #[test]
    fn what_a_dead_process_left_open_is_closed_from_the_youngest_agent_up() {
        let mut log = with_two_generations();
        let closings = log.history.closings();
        let ended: Vec<(Option<AgentId>, String)> = closings
            .iter()
            .map(|closing| (closing.agent_id, closing.body.subject()))
            .collect();
        assert_eq!(
            ended,
            [
                (Some(agent_id(2)), "agent.finished".to_owned()),
                (Some(agent_id(1)), "agent.finished".to_owned()),
                (Some(agent_id(1)), "query.finished".to_owned()),
            ]
        );
        for closing in closings {
            let agent = closing.agent_id.map_or(0, |id| id.as_uuid().as_u128());
            log.add(agent, closing.body);
        }
        assert!(log.history.children.is_empty());
        assert!(log.history.closings().is_empty());
    }
}
