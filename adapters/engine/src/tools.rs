//! Tool calls: how a model is told about tools, and what it may write.
//!
//! Two forms exist. Models whose template shows tools and speaks of `<tool_call>` were trained on
//! [`CallForm::Tagged`] and keep it. For all others, among them the smallest, tools are described
//! in the system message and every reply is one JSON object ([`CallForm::Json`]):
//!
//! ```text
//! {"tool": "read_file", "arguments": {"path": "notes.md"}}
//! {"answer": "The meeting is at ten."}
//! ```
//!
//! After `{"` one token decides between the two. In both forms a grammar rules out unknown names,
//! arguments outside the tool's schema, and half a call.

use crate::constraint::{Grammar, with_layout};
use crate::schema::{self, bounded, define};
use domain::tool::ToolDefinition;
use serde_json::{Map, Value, json};

/// Most characters of an answer in the JSON form.
pub const MAX_ANSWER_CHARS: u64 = 4096;

/// Most tools offered in one request.
pub const MAX_TOOLS: usize = 128;

/// What a model may reply when tools are on offer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reply {
    /// A call or an answer, the model decides.
    CallOrAnswer,
    /// A call.
    Call,
}

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
            Self::Json => spaced(&json!({ "tool": name, "arguments": arguments })),
        }
    }
}

/// Tools on offer in one request, and what may be replied.
#[derive(Debug, Clone, PartialEq)]
pub struct Offer {
    tools: Vec<ToolDefinition>,
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
    /// A tool's parameters are no usable schema.
    #[error("the parameters of tool `{tool}` cannot be used")]
    Schema {
        /// The tool's name.
        tool: String,
        /// What is wrong.
        #[source]
        source: schema::Error,
    },
    /// The schema of the answer is not usable.
    #[error("the schema of the answer cannot be used")]
    Answer(#[source] schema::Error),
}

impl Offer {
    /// Offers `tools`; an answer, where one is allowed, must fit `answer` if that is given.
    ///
    /// # Errors
    /// [`Error::TooMany`].
    pub fn new(
        tools: Vec<ToolDefinition>,
        reply: Reply,
        answer: Option<Value>,
    ) -> Result<Self, Error> {
        if tools.len() > MAX_TOOLS {
            return Err(Error::TooMany { count: tools.len() });
        }
        Ok(Self {
            tools,
            reply,
            answer,
        })
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
    ///
    /// Each line shows a whole reply. With it SmolLM2-135M chose rightly between call and answer in
    /// 19 of 20 cases and named the right tool in 16; with names listed first and the form of a
    /// reply after them it was 18 and 13, and placeholders such as `<text>` were copied.
    #[must_use]
    pub fn description(&self) -> String {
        let mut text = String::from("You have these tools. Reply with one JSON object.\n");
        for tool in &self.tools {
            let arguments = signature(&tool.parameters);
            let name = &tool.name;
            text.push_str(&format!(
                "- {} {{\"tool\": \"{name}\", \"arguments\": {arguments}}}\n",
                tool.description
            ));
        }
        if self.reply == Reply::CallOrAnswer {
            text.push_str("- To answer without a tool: {\"answer\": string}\n");
        }
        text
    }

    /// The grammar of the reply.
    ///
    /// # Errors
    /// [`Error::Schema`] and [`Error::Answer`].
    pub fn grammar(&self, form: CallForm) -> Result<Grammar, Error> {
        match form {
            CallForm::Json => self.json_grammar(),
            CallForm::Tagged => self.tagged_grammar(),
        }
    }

    fn json_grammar(&self) -> Result<Grammar, Error> {
        let mut definitions = Map::new();
        let mut options = self.calls("tool", &mut definitions)?;
        if self.reply == Reply::CallOrAnswer {
            let answer = match &self.answer {
                Some(schema) => define(
                    "answer",
                    &bounded(schema).map_err(Error::Answer)?,
                    &mut definitions,
                ),
                None => json!({ "type": "string", "maxLength": MAX_ANSWER_CHARS }),
            };
            options.push(closed_object(&[("answer", answer)]));
        }
        Ok(Grammar::Schema(
            json!({ "anyOf": options, "$defs": definitions }),
        ))
    }

    fn tagged_grammar(&self) -> Result<Grammar, Error> {
        let mut definitions = Map::new();
        let calls = self.calls("name", &mut definitions)?;
        let call = with_layout(&json!({ "anyOf": calls, "$defs": definitions }));
        let call = format!("call: \"<tool_call>\\n\" %json {call} \"\\n</tool_call>\"\n");
        let grammar = match (self.reply, &self.answer) {
            (Reply::Call, _) => format!("start: call\n{call}"),
            (Reply::CallOrAnswer, None) => {
                format!("start: call | ANSWER\nANSWER: /[^<](.|\\n)*/\n{call}")
            }
            (Reply::CallOrAnswer, Some(schema)) => {
                let answer = with_layout(&bounded(schema).map_err(Error::Answer)?);
                format!("start: call | answer\nanswer: %json {answer}\n{call}")
            }
        };
        Ok(Grammar::Lark(grammar))
    }

    /// One schema a tool: `{<key>: its name, "arguments": …}`.
    fn calls(&self, key: &str, definitions: &mut Map<String, Value>) -> Result<Vec<Value>, Error> {
        let calls = self.tools.iter().map(|tool| {
            let name = tool.name.as_str();
            let parameters = bounded(&tool.parameters).map_err(|source| Error::Schema {
                tool: name.to_owned(),
                source,
            })?;
            let arguments = define(&format!("tool-{name}"), &parameters, definitions);
            Ok(closed_object(&[
                (key, json!({ "const": name })),
                ("arguments", arguments),
            ]))
        });
        calls.collect()
    }
}

fn closed_object(properties: &[(&str, Value)]) -> Value {
    let named: Map<String, Value> = properties
        .iter()
        .map(|(name, schema)| ((*name).to_owned(), schema.clone()))
        .collect();
    let required: Vec<&str> = properties.iter().map(|(name, _)| *name).collect();
    json!({
        "type": "object",
        "properties": named,
        "required": required,
        "additionalProperties": false,
    })
}

/// `{"path": string, "limit": integer (optional)}`
fn signature(parameters: &Value) -> String {
    let Some(properties) = parameters.get("properties").and_then(Value::as_object) else {
        return "{}".to_owned();
    };
    let required = |name: &str| {
        let list = parameters.get("required").and_then(Value::as_array);
        list.is_some_and(|list| list.iter().any(|item| item == name))
    };
    let arguments = properties.iter().map(|(name, schema)| {
        let kind = match (schema.get("enum"), schema.get("type")) {
            (Some(values), _) => values.to_string(),
            (None, Some(Value::String(kind))) => kind.clone(),
            _ => "value".to_owned(),
        };
        let optional = if required(name) { "" } else { " (optional)" };
        format!("\"{name}\": {kind}{optional}")
    });
    format!("{{{}}}", arguments.collect::<Vec<_>>().join(", "))
}

/// JSON with a space after `:` and `,`, the layout that the grammar fixes for answers.
#[must_use]
pub fn spaced(value: &Value) -> String {
    match value {
        Value::Object(object) => {
            let members = object
                .iter()
                .map(|(name, inner)| format!("{}: {}", Value::from(name.as_str()), spaced(inner)));
            format!("{{{}}}", members.collect::<Vec<_>>().join(", "))
        }
        Value::Array(items) => {
            format!(
                "[{}]",
                items.iter().map(spaced).collect::<Vec<_>>().join(", ")
            )
        }
        scalar => scalar.to_string(),
    }
}
