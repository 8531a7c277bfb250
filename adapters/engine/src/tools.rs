//! Tool calls: how a model is told about tools, and what it may write.
//!
//! Two forms exist. Models whose template shows tools and speaks of `<tool_call>` were trained on
//! [`CallForm::Tagged`] and keep it. For all others, among them the smallest, tools are described
//! in the system message and every reply is one JSON object ([`CallForm::Json`], which
//! [`calls::json_calls`] owns). In both forms a grammar rules out unknown names, arguments outside
//! the tool's schema, and half a call.

use crate::constraint::{Grammar, with_layout};
use api::models::held_to;
use calls::bounds::bounded;
use calls::json_calls::{self, call_schemas, spaced};
use domain::tool::{ToolDefinition, ToolName};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

pub use calls::json_calls::Reply;

/// Most tools offered in one request.
pub const MAX_TOOLS: usize = 128;

/// How a model writes tool calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallForm {
    /// `<tool_call>` around `{"name": …, "arguments": …}`; anything else is an answer.
    Tagged,
    /// One JSON object: a call or an answer.
    Json,
}

impl CallForm {
    /// The form that models with this template were trained on.
    #[must_use]
    pub fn of_template(source: &str) -> Self {
        let shows_tools = source.contains("tools");
        if shows_tools && source.contains("<tool_call>") {
            Self::Tagged
        } else {
            Self::Json
        }
    }

    /// A call as the model would have written it, for the history.
    #[must_use]
    pub fn write_call(self, name: &str, arguments: &Value) -> String {
        match self {
            Self::Tagged => {
                let call = spaced(&json!({ "name": name, "arguments": arguments }));
                format!("<tool_call>\n{call}\n</tool_call>")
            }
            Self::Json => json_calls::write_call(name, arguments),
        }
    }
}

/// Tools on offer in one request, and what may be replied.
#[derive(Debug, Clone, PartialEq)]
pub struct Offer {
    tools: Vec<ToolDefinition>,
    /// The same with the parameters that a call is held to.
    held: Vec<ToolDefinition>,
    reply: Reply,
    answer: Option<Value>,
}

/// Why tools cannot be offered.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// More than [`MAX_TOOLS`].
    #[error("{count} tools are offered; the limit is {MAX_TOOLS}")]
    TooMany {
        /// How many there are.
        count: usize,
    },
    /// A tool's parameters or the answer's schema cannot be used.
    #[error(transparent)]
    Schema(#[from] json_calls::Error),
}

impl Offer {
    /// Offers `tools`; a call must fit the parameters that `narrowed` has for its tool, which the model
    /// is not shown; an answer, where one is allowed, must fit `answer` if that is given.
    ///
    /// # Errors
    /// [`Error::TooMany`].
    pub fn new(
        tools: Vec<ToolDefinition>,
        narrowed: &BTreeMap<ToolName, Value>,
        reply: Reply,
        answer: Option<Value>,
    ) -> Result<Self, Error> {
        if tools.len() > MAX_TOOLS {
            return Err(Error::TooMany { count: tools.len() });
        }
        Ok(Self {
            held: held_to(&tools, narrowed),
            tools,
            reply,
            answer,
        })
    }

    /// The same tools in the prompt, of which none may be called. A model that wrote its calls as JSON goes
    /// on with them otherwise.
    #[must_use]
    pub fn without_calls(mut self) -> Self {
        self.held.clear();
        self
    }

    /// Whether any of them may be called.
    #[must_use]
    pub const fn may_call(&self) -> bool {
        !self.held.is_empty()
    }

    /// The tools as templates expect them.
    #[must_use]
    pub fn wire_tools(&self) -> Value {
        let tools = self.tools.iter().map(|tool| {
            json!({
                "type": "function",
                "function": {
                    "name": tool.name.as_str(),
                    "description": tool.description,
                    "parameters": tool.parameters,
                },
            })
        });
        tools.collect()
    }

    /// The tools in plain words, for models whose template knows none.
    #[must_use]
    pub fn description(&self) -> String {
        json_calls::describe(&self.tools, self.reply)
    }

    /// The grammar of the reply.
    ///
    /// # Errors
    /// [`Error::Schema`].
    pub fn grammar(&self, form: CallForm) -> Result<Grammar, Error> {
        match form {
            CallForm::Json => {
                let answer = self.answer.as_ref();
                let schema = json_calls::reply_schema(&self.held, self.reply, answer)?;
                Ok(Grammar::Schema(schema))
            }
            CallForm::Tagged => self.tagged_grammar(),
        }
    }

    fn tagged_grammar(&self) -> Result<Grammar, Error> {
        let mut definitions = Map::new();
        let calls = call_schemas(&self.held, "name", &mut definitions)?;
        let call = with_layout(&json!({ "anyOf": calls, "$defs": definitions }));
        let call = format!("call: \"<tool_call>\\n\" %json {call} \"\\n</tool_call>\"\n");
        let grammar = match (self.reply, &self.answer) {
            (Reply::Call, _) => format!("start: call\n{call}"),
            (Reply::CallOrAnswer, None) => {
                format!("start: call | ANSWER\nANSWER: /[^<](.|\\n)*/\n{call}")
            }
            (Reply::CallOrAnswer, Some(schema)) => {
                let answer = with_layout(&bounded(schema).map_err(json_calls::Error::Answer)?);
                format!("start: call | answer\nanswer: %json {answer}\n{call}")
            }
        };
        Ok(Grammar::Lark(grammar))
    }
}
