//! What a program that runs its own tools says to the guard.

use crate::arguments::Arguments;
use crate::tool::ToolDefinition;
use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// What a program says. Only [`Request::Check`] is answered, unless something cannot be taken.
///
/// As JSON, `op` names it; fields that are not named here are the program's own notes and are left
/// alone.
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
        /// Its arguments. A call in which a key stands twice is denied, and so is one whose
        /// arguments cannot be read.
        args: Arguments,
    },
    /// A call ran, and this came of it.
    Observe {
        /// The check that let it run.
        id: u64,
        /// The tool.
        tool: String,
        /// What it returned: JSON, or a text, which is read as JSON or YAML where the user's table
        /// labels parts of it. In JSON, one in which a key stands twice counts as one text.
        #[serde(deserialize_with = "whole")]
        result: Value,
    },
    /// The user said no to a call that was to be confirmed.
    Refuse {
        /// The check that was answered with `confirm`.
        id: u64,
    },
    /// The conversation is over.
    End,
}

/// A step of an approved plan. As JSON: a text, or an object.
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

/// Where a key stands twice, parts were thrown away.
fn whole<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Value, D::Error> {
    let Arguments { value, twice, .. } = Arguments::deserialize(deserializer)?;
    Ok(match twice {
        None => value,
        Some(_) => Value::String(value.to_string()),
    })
}

/// A line that is a check, whatever its arguments are.
#[derive(Deserialize)]
struct AnyCheck {
    op: String,
    id: u64,
    tool: String,
    /// Only there: what is skipped may nest as deep as it likes.
    #[serde(rename = "args")]
    _args: IgnoredAny,
}

impl Request {
    /// Reads a request from a line. A check whose arguments cannot be read is still a check, and
    /// says so: a model that writes such arguments ends no conversation.
    ///
    /// # Errors
    /// What stands in the way, where the line is no request.
    pub fn of_line(line: &[u8]) -> Result<Self, serde_json::Error> {
        serde_json::from_slice(line).or_else(|error| {
            match serde_json::from_slice::<AnyCheck>(line) {
                Ok(check) if check.op == "check" => Ok(Self::Check {
                    id: check.id,
                    tool: check.tool,
                    args: Arguments::unread(error),
                }),
                _ => Err(error),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Request {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn requests_have_one_form() {
        let begin = r#"{"op": "begin", "suite": "x", "prompt": "p", "tools": [{"name": "a",
            "description": "", "parameters": {"type": "object"}}],
            "plan": ["a", {"tool": "b", "args": {"x": 1}}]}"#;
        let Request::Begin {
            prompt,
            tools,
            plan,
        } = read(begin)
        else {
            panic!("not a beginning")
        };
        assert_eq!((prompt.as_str(), tools.len()), ("p", 1));
        assert!(matches!(
            plan.unwrap().as_slice(),
            [Step::Tool(_), Step::Call { .. }]
        ));
        assert_eq!(
            read(r#"{"op": "refuse", "id": 7}"#),
            Request::Refuse { id: 7 }
        );
        assert_eq!(read(r#"{"op": "end"}"#), Request::End);
        for bad in [r#"{"op": "sing"}"#, r#"{"op": "refuse"}"#, r#"{"id": 7}"#] {
            assert!(serde_json::from_str::<Request>(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_check_with_unreadable_arguments_is_a_check() {
        let line =
            |args: &str| format!(r#"{{"op": "check", "id": 7, "tool": "t", "args": {args}}}"#);
        let deep = format!("{}1{}", "[".repeat(5_000), "]".repeat(5_000));
        for args in [r#"{"a": 1e400}"#, r#"{"a": "\ud800"}"#, deep.as_str()] {
            match Request::of_line(line(args).as_bytes()) {
                Ok(Request::Check { id: 7, args, .. }) => assert!(args.unreadable.is_some()),
                other => panic!("{other:?}"),
            }
        }
        let Ok(Request::Check { args, .. }) = Request::of_line(line("{}").as_bytes()) else {
            panic!("not a check")
        };
        assert_eq!(args, serde_json::json!({}).into());
        for no_line in [line("{} {}"), line("{}") + "x", line(r#"1e400, "id": 8"#)] {
            assert!(Request::of_line(no_line.as_bytes()).is_err(), "{no_line}");
        }
    }

    #[test]
    fn a_result_in_which_a_key_stands_twice_is_one_text() {
        let observed = |result: &str| {
            let line = format!(r#"{{"op": "observe", "id": 1, "tool": "t", "result": {result}}}"#);
            match read(&line) {
                Request::Observe { result, .. } => result,
                other => panic!("{other:?}"),
            }
        };
        assert!(observed(r#"{"a": 1}"#).is_object());
        assert!(observed(r#"{"a": 1, "a": 2}"#).is_string());
    }
}
