//! A request's events as an answer in OpenAI's form.

use super::cut::Cut;
use super::form::finish_word;
use domain::decision::Verdict;
use domain::event::{CallStatus, Event, EventBody, QueryStatus};
use domain::fault::Fault;
use domain::id::{AgentId, CallId, QueryId};
use domain::model::{FinishReason, Usage};
use domain::settings::Mode;
use std::collections::{BTreeMap, BTreeSet};

/// What of an event the client is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Told {
    /// A piece of the answer.
    Content(String),
    /// A piece of the thinking.
    Reasoning(String),
}

/// An answer that comes.
#[derive(Debug, Default)]
pub(super) struct Answering {
    cut: Cut,
    /// Whether pieces of models' replies are pieces of the answer: not where they plan.
    is_loop: bool,
    /// All that was told of the answer.
    pub(super) content: String,
    pub(super) reasoning: String,
    /// What the model that speaks has said by now.
    reply: String,
    finish: Option<FinishReason>,
    children: BTreeSet<AgentId>,
    /// The tool of each call, and why it was refused.
    calls: BTreeMap<CallId, (String, String)>,
    refused: Vec<String>,
    pub(super) answer: String,
    pub(super) usage: Usage,
    pub(super) query_id: Option<QueryId>,
    pub(super) last_seq: u64,
    pub(super) end: Option<(QueryStatus, Option<Fault>)>,
}

impl Answering {
    pub(super) fn new(stops: Vec<String>) -> Self {
        Self {
            cut: Cut::at(stops),
            ..Self::default()
        }
    }

    /// Takes in one event.
    pub(super) fn take(&mut self, event: &Event) -> Vec<Told> {
        self.query_id = self.query_id.or(event.query_id);
        self.last_seq = self.last_seq.max(event.seq);
        self.note_call(event);
        let is_own = event.agent_id.is_none_or(|id| !self.children.contains(&id));
        match &event.body {
            EventBody::QueryReceived { mode, .. } | EventBody::ModeChosen { mode, .. } => {
                self.is_loop = matches!(mode, Mode::Loop | Mode::Auto | Mode::Adaptive);
            }
            EventBody::AgentSpawned { child, .. } => {
                self.children.insert(*child);
            }
            EventBody::TextDelta { text } if is_own && self.is_loop => return self.say(text),
            EventBody::TextReplaced { text } if is_own => self.reply.clone_from(text),
            EventBody::ThinkingDelta { text } if is_own => {
                self.reasoning.push_str(text);
                return vec![Told::Reasoning(text.clone())];
            }
            EventBody::ModelAnswered {
                tool_calls,
                finish,
                aside: false,
                ..
            } if is_own => {
                self.finish = Some(*finish);
                if !tool_calls.is_empty() {
                    self.reply.clear();
                }
            }
            EventBody::GenerationFinished { answer, usage, .. } => {
                self.usage = *usage;
                self.answer.clone_from(answer);
                // What rules say comes in no pieces, and what was withdrawn was not the answer.
                if self.reply.trim() != answer.trim() {
                    self.reply.clear();
                    return self.say(answer);
                }
            }
            EventBody::QueryFinished { status, error, .. } => {
                self.end = Some((*status, error.clone()));
                return self.last_words();
            }
            _ => {}
        }
        Vec::new()
    }

    /// A piece of what a model says; what it said before a tool ran stands apart.
    fn say(&mut self, text: &str) -> Vec<Told> {
        let begins = self.reply.is_empty() && !self.content.is_empty();
        self.reply.push_str(text);
        match begins {
            true => self.pass(&format!("\n\n{text}")),
            false => self.pass(text),
        }
    }

    fn pass(&mut self, text: &str) -> Vec<Told> {
        let text = self.cut.pass(text);
        self.content.push_str(&text);
        match text.is_empty() {
            true => Vec::new(),
            false => vec![Told::Content(text)],
        }
    }

    /// What is said once the request is over: what was held back, and what was refused.
    fn last_words(&mut self) -> Vec<Told> {
        let mut last = self.cut.rest();
        let notes = self.notes();
        if !notes.is_empty() {
            let is_first = self.content.is_empty() && last.is_empty();
            let gap = if is_first { "" } else { "\n\n" };
            last.push_str(&format!("{gap}{notes}"));
        }
        self.content.push_str(&last);
        match last.is_empty() {
            true => Vec::new(),
            false => vec![Told::Content(last)],
        }
    }

    /// What was refused, since nobody can be asked here. What a model says of it need not be so.
    fn notes(&self) -> String {
        self.refused.join("\n")
    }

    /// The answer alone, with what was refused.
    pub(super) fn whole(&self, stops: Vec<String>) -> String {
        let mut cut = Cut::at(stops);
        let mut whole = cut.pass(&self.answer);
        whole.push_str(&cut.rest());
        let notes = self.notes();
        match (whole.is_empty(), notes.is_empty()) {
            (_, true) => whole,
            (true, false) => notes,
            (false, false) => format!("{whole}\n\n{notes}"),
        }
    }

    /// Why the answer ends.
    pub(super) const fn finish_reason(&self) -> &'static str {
        finish_word(self.finish)
    }

    /// What went wrong, where there is no answer at all.
    pub(super) fn failure(&self) -> Option<Fault> {
        let (status, error) = self.end.as_ref()?;
        let is_told = !self.answer.is_empty() || !self.content.is_empty();
        match status {
            _ if is_told => None,
            QueryStatus::Success => None,
            _ => error.clone(),
        }
    }

    fn note_call(&mut self, event: &Event) {
        let Some(call_id) = event.call_id else {
            return;
        };
        match &event.body {
            EventBody::ToolRequested { tool, .. } => {
                self.calls.insert(call_id, (tool.clone(), String::new()));
            }
            EventBody::BrokerDecision {
                verdict: Verdict::Deny | Verdict::Confirm,
                reason,
                ..
            } => {
                if let Some((_, why)) = self.calls.get_mut(&call_id) {
                    why.clone_from(reason);
                }
            }
            EventBody::ToolResult {
                status: CallStatus::Denied,
                ..
            } => {
                if let Some((tool, why)) = self.calls.get(&call_id) {
                    let line = format!("`{tool}` was refused: {}", why.trim());
                    if !self.refused.contains(&line) {
                        self.refused.push(line);
                    }
                }
            }
            _ => {}
        }
    }
}
