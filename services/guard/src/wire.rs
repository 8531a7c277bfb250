//! The lines: one JSON object each. Programs send [`Request`]s; only `check` is answered.

use api::guard;
use domain::arguments::Arguments;
use domain::decision::Decision;
use domain::tool::ToolDefinition;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What a program says. Fields that are not named here are its own notes and are left alone.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(tag = "op", rename_all = "snake_case")]
pub enum Request {
    /// A conversation begins; what was known of another is forgotten.
    Begin {
        /// What the user asked for.
        prompt: String,
        /// The tools there are.
        tools: Vec<ToolDefinition>,
        /// The plan that the user approved before any result was read.
        #[serde(default)]
        plan: Option<Vec<Step>>,
    },
    /// The user said something more.
    Say {
        /// The words.
        text: String,
    },
    /// May this call run?
    Check {
        /// Comes back with the answer.
        id: u64,
        /// The tool.
        tool: String,
        /// Its arguments. A call in which a key stands twice is denied.
        args: Arguments,
    },
    /// A call ran, and this came of it.
    Observe {
        /// The check that let it run.
        id: u64,
        /// The tool.
        tool: String,
        /// What it returned: JSON, or a text, which is read as JSON or YAML where the table labels
        /// parts of it.
        result: Arguments,
    },
    /// The conversation is over.
    End,
}

/// A step of an approved plan.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(untagged)]
pub enum Step {
    /// A tool, to be called once with arguments that the plan leaves open.
    Tool(String),
    /// A whole call.
    Call {
        /// The tool.
        tool: String,
        /// Its arguments, all of them.
        args: Value,
    },
}

impl From<Request> for guard::Request {
    fn from(request: Request) -> Self {
        match request {
            Request::Begin {
                prompt,
                tools,
                plan,
            } => Self::Begin {
                prompt,
                tools,
                plan: plan.map(|steps| steps.into_iter().map(Into::into).collect()),
            },
            Request::Say { text } => Self::Say { text },
            Request::Check { id, tool, args } => Self::Check { id, tool, args },
            Request::Observe { id, tool, result } => Self::Observe {
                id,
                tool,
                // Where a key stands twice, parts of it were thrown away: it counts as one text.
                result: match result.twice {
                    None => result.value,
                    Some(_) => Value::String(result.value.to_string()),
                },
            },
            Request::End => Self::End,
        }
    }
}

impl From<Step> for guard::Step {
    fn from(step: Step) -> Self {
        match step {
            Step::Tool(tool) => Self::Tool(tool),
            Step::Call { tool, args } => Self::Call { tool, args },
        }
    }
}

/// The answer to a check.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Answer {
    /// The id of the check.
    pub id: u64,
    /// `allow`, `confirm` or `deny`.
    pub decision: &'static str,
    /// The layer that decided.
    pub layer: &'static str,
    /// Its rule.
    pub rule: String,
    /// For the user.
    pub reason: String,
    /// For the model, when the call may not run.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub advice: String,
}

impl Answer {
    /// The answer that a decision comes to.
    #[must_use]
    pub fn of(id: u64, decision: Decision) -> Self {
        Self {
            id,
            decision: decision.verdict.as_str(),
            layer: decision.layer.as_str(),
            rule: decision.rule,
            reason: decision.user_reason,
            advice: decision.model_reason,
        }
    }
}

/// The answer to a line that cannot be taken.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Refusal {
    /// What is wrong, where, and what to send instead.
    pub error: String,
}
