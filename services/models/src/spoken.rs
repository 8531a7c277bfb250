//! Tools and their calls as text, for models that were not trained on them: a call to a server is
//! rewritten so that its messages hold everything and its reply is one JSON object.

use crate::call::{Call, Form, ToolChoice};
use crate::error::{Error, ErrorKind};
use api::models::held_to;
use calls::json_calls::{Reply, describe, reply_schema, write_call, write_result};
use domain::message::Message;
use domain::tool::ToolDefinition;
use serde_json::{Value, json};

/// Longest bound on a string that servers are sent, characters, and the bound of an answer: without
/// one a small model repeats itself to the token limit. Some servers write out every repetition of
/// a bounded string, and refuse or crawl at more; an argument that may be longer is left to the
/// token limit, and its real bound to whoever runs the tool.
const BOUND_CHARS: u64 = 2_000;

/// Puts tools, calls and results into the messages, and the schema of the reply into the form.
///
/// # Errors
/// `Rejected` when the tool that must be called is not on offer, or a schema cannot be used.
pub(crate) fn rewrite(call: &mut Call) -> Result<(), Error> {
    let messages = std::mem::take(&mut call.messages);
    for message in messages {
        add(said(message), &mut call.messages);
    }
    if call.tools.is_empty() {
        return Ok(());
    }
    let described = offered(call)?;
    // What the model reads stays the same from call to call, whatever files there are.
    let held = held_to(&described, &call.narrowed);
    let (reply, callable) = match call.tool_choice {
        ToolChoice::Auto => (Reply::CallOrAnswer, held.as_slice()),
        ToolChoice::Required | ToolChoice::Only(_) => (Reply::Call, held.as_slice()),
        // What was said before stays as it is, so that a server finds it in its cache.
        ToolChoice::None => (Reply::CallOrAnswer, [].as_slice()),
    };
    let text = json!({"type": "string", "maxLength": BOUND_CHARS});
    let answer = call.schema.as_ref().unwrap_or(&text);
    let mut schema = reply_schema(callable, reply, Some(answer)).map_err(|source| {
        Error::new(
            ErrorKind::Rejected,
            "the tools cannot be offered to the model as text",
        )
        .with_source(source)
    })?;
    loosen(&mut schema);
    let description = describe(&described, reply);
    match call.messages.first_mut() {
        Some(Message::System { text }) => *text = format!("{text}\n\n{description}"),
        _ => call
            .messages
            .insert(0, Message::System { text: description }),
    }
    // What decides between a call and an answer is one token, and chance is no help there.
    call.temperature = call.temperature.or(Some(0.0));
    call.form = Form::Json(schema);
    Ok(())
}

/// The tools that may be called.
fn offered(call: &Call) -> Result<Vec<ToolDefinition>, Error> {
    let ToolChoice::Only(name) = &call.tool_choice else {
        return Ok(call.tools.clone());
    };
    let only: Vec<ToolDefinition> = call
        .tools
        .iter()
        .filter(|tool| tool.name == *name)
        .cloned()
        .collect();
    if only.is_empty() {
        return Err(Error::new(
            ErrorKind::Rejected,
            format!("the tool `{name}` must be called but is not on offer"),
        ));
    }
    Ok(only)
}

/// A message in roles and words that every chat template knows.
fn said(message: Message) -> Message {
    match message {
        Message::Assistant {
            tool_calls,
            thinking,
            ..
        } if !tool_calls.is_empty() => {
            let written: Vec<String> = tool_calls
                .iter()
                .map(|call| write_call(&call.name, &call.arguments))
                .collect();
            Message::Assistant {
                text: written.join("\n"),
                thinking,
                tool_calls: Vec::new(),
            }
        }
        Message::Tool { name, text, .. } => Message::User {
            text: write_result(name.as_str(), &text),
        },
        other => other,
    }
}

/// Adds a message; neighbours from the user become one, since templates may insist on turns.
fn add(message: Message, messages: &mut Vec<Message>) {
    match (message, messages.last_mut()) {
        (Message::User { text }, Some(Message::User { text: before })) => {
            before.push_str("\n\n");
            before.push_str(&text);
        }
        (message, _) => messages.push(message),
    }
}

/// Takes bounds away that are beyond [`BOUND_CHARS`].
fn loosen(schema: &mut Value) {
    match schema {
        Value::Object(object) => {
            let is_long = object
                .get("maxLength")
                .and_then(Value::as_u64)
                .is_some_and(|most| most > BOUND_CHARS);
            if is_long {
                object.remove("maxLength");
            }
            object.values_mut().for_each(loosen);
        }
        Value::Array(items) => items.iter_mut().for_each(loosen),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_long_bounds_are_taken_away() {
        let mut schema =
            json!({"anyOf": [{"maxLength": BOUND_CHARS}, {"maxLength": BOUND_CHARS + 1}]});
        loosen(&mut schema);
        assert_eq!(schema, json!({"anyOf": [{"maxLength": BOUND_CHARS}, {}]}));
    }
}
