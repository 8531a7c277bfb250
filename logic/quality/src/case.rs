//! What is judged: a question, its answer, and what tools returned on the way, from a session's log.

use domain::drive::Origin;
use domain::event::{CallStatus, Event, EventBody};
use domain::id::QueryId;
use domain::model::ModelRef;
use domain::quality::TaskKind;
use domain::tool::{
    APPLY_PATCH, EDIT_FILE, READ_FILE, RUN_COMMAND, START_JOB, WEB_SEARCH, WRITE_FILE,
};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Most results of tools that a judge is shown: the last ones.
const EVIDENCE: usize = 6;
/// Longest of them, characters.
const EVIDENCE_CHARS: usize = 1_500;

/// What a tool returned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evidence {
    /// The tool.
    pub tool: String,
    /// The beginning of what the model read of its result.
    pub text: String,
    /// How much of it stood behind that, characters.
    pub left_out: usize,
}

impl Evidence {
    /// As a model reads it. That something was left out stands outside of the text, which could say so itself.
    #[must_use]
    pub fn as_json(&self) -> Value {
        match self.left_out {
            0 => json!({"tool": self.tool, "result": self.text}),
            count => json!({
                "tool": self.tool,
                "result": self.text,
                "left_out": format!("{count} characters more, which the assistant read and you do not see"),
            }),
        }
    }
}

/// An answered question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Case {
    /// The user's words.
    pub question: String,
    /// The answer.
    pub answer: String,
    /// What tools returned, oldest first.
    pub evidence: Vec<Evidence>,
    /// What kind of task it was.
    pub kind: TaskKind,
    /// The model that answered; `None` for rules.
    pub model: Option<ModelRef>,
    /// The number of the event that gave the answer.
    pub answered_seq: u64,
    /// Whether it is a second answer that the user took over in the place of the first.
    pub is_taken: bool,
}

#[derive(Debug, Default)]
struct Open {
    question: String,
    is_users: bool,
    evidence: Vec<Evidence>,
    tools: Vec<String>,
    case: Option<Case>,
    /// The second answer, and the model that gave it.
    second: Option<(String, ModelRef)>,
}

/// The questions and answers of a session: a fold over its events.
#[derive(Debug, Default)]
pub struct Cases {
    requests: BTreeMap<QueryId, Open>,
    of: Option<QueryId>,
}

impl Cases {
    /// A fold of one request alone.
    #[must_use]
    pub fn of(query_id: QueryId) -> Self {
        Self {
            requests: BTreeMap::new(),
            of: Some(query_id),
        }
    }

    /// Takes the next event of the log.
    pub fn apply(&mut self, event: &Event) {
        let Some(query_id) = event.query_id else {
            return;
        };
        if self.of.is_some_and(|wanted| wanted != query_id) {
            return;
        }
        match &event.body {
            EventBody::QueryReceived { text, origin, .. } => {
                let open = Open {
                    question: text.clone(),
                    is_users: *origin == Origin::User,
                    ..Open::default()
                };
                self.requests.insert(query_id, open);
            }
            EventBody::ToolResult {
                tool, status, text, ..
            } => {
                if let Some(open) = self.requests.get_mut(&query_id) {
                    open.took(tool, *status, text);
                }
            }
            EventBody::GenerationFinished { answer, model, .. } => {
                if let Some(open) = self.requests.get_mut(&query_id) {
                    open.answered(answer, model.clone(), event.seq);
                }
            }
            EventBody::SecondAnswered { answer, model, .. } => {
                if let Some(open) = self.requests.get_mut(&query_id) {
                    open.second = Some((answer.clone(), model.clone()));
                }
            }
            EventBody::SecondTaken { .. } => {
                if let Some(open) = self.requests.get_mut(&query_id) {
                    open.took_over(event.seq);
                }
            }
            _ => {}
        }
    }

    /// The user's question and its answer, if both are there.
    #[must_use]
    pub fn case(&self, query_id: QueryId) -> Option<&Case> {
        let open = self.requests.get(&query_id).filter(|open| open.is_users);
        open.and_then(|open| open.case.as_ref())
    }

    /// Forgets a request, which nobody asks for any more.
    pub fn forget(&mut self, query_id: QueryId) {
        self.requests.remove(&query_id);
    }
}

impl Open {
    fn took(&mut self, tool: &str, status: CallStatus, text: &str) {
        if status == CallStatus::Ok {
            self.tools.push(tool.to_owned());
        }
        let end = text.char_indices().nth(EVIDENCE_CHARS);
        let (text, behind) = text.split_at(end.map_or(text.len(), |(at, _)| at));
        self.evidence.push(Evidence {
            tool: tool.to_owned(),
            text: text.to_owned(),
            left_out: behind.chars().count(),
        });
        if self.evidence.len() > EVIDENCE {
            self.evidence.remove(0);
        }
    }

    fn answered(&mut self, answer: &str, model: Option<ModelRef>, seq: u64) {
        if answer.trim().is_empty() || self.question.trim().is_empty() {
            return;
        }
        self.case = Some(Case {
            question: self.question.clone(),
            answer: answer.to_owned(),
            evidence: self.evidence.clone(),
            kind: kind_of(&self.tools),
            model,
            answered_seq: seq,
            is_taken: false,
        });
    }

    /// From here on the second answer is the one that stands.
    fn took_over(&mut self, seq: u64) {
        if let (Some(case), Some((answer, model))) = (&mut self.case, self.second.clone()) {
            case.answer = answer;
            case.model = Some(model);
            case.answered_seq = seq;
            case.is_taken = true;
        }
    }
}

/// What kind of task these tools did: the one with the largest effect counts.
fn kind_of(tools: &[String]) -> TaskKind {
    let has = |names: &[&str]| tools.iter().any(|tool| names.contains(&tool.as_str()));
    if has(&[RUN_COMMAND, START_JOB]) {
        TaskKind::Program
    } else if has(&[WRITE_FILE, EDIT_FILE, APPLY_PATCH]) {
        TaskKind::Change
    } else if has(&[WEB_SEARCH, "web_fetch"]) {
        TaskKind::Web
    } else if has(&[READ_FILE]) || !tools.is_empty() {
        TaskKind::Look
    } else {
        TaskKind::Talk
    }
}
