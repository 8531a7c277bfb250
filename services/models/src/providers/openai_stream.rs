//! Reads a streamed chat completion, in all the ways that servers spell it.

use super::{Decoder, error_text};
use crate::assemble::{Assembler, Fragment};
use crate::call::{Counted, Piece, unwrap_arguments};
use crate::error::{self, Error};
use crate::framing::Frame;
use calls::json_calls::{self, AnswerForm};
use domain::model::{FinishReason, PromptProgress};
use serde_json::Value;

/// One answer.
pub(super) struct Reader {
    name: String,
    calls: Assembler,
    saw_call: bool,
    reason: Option<FinishReason>,
    done: bool,
}

impl Reader {
    pub(super) fn new(name: String) -> Self {
        Self {
            name,
            calls: Assembler::default(),
            saw_call: false,
            reason: None,
            done: false,
        }
    }

    fn choice(&mut self, choice: &Value, pieces: &mut Vec<Piece>) {
        // A server that does not stream puts the whole answer under `message`.
        if let Some(delta) = choice.get("delta").or_else(|| choice.get("message")) {
            reasoning(delta, pieces);
            content(delta.get("content"), pieces);
            if let Some(text) = delta.get("refusal").and_then(Value::as_str) {
                pieces.push(Piece::Text(text.to_owned()));
            }
            for call in delta
                .get("tool_calls")
                .and_then(Value::as_array)
                .into_iter()
                .flatten()
            {
                self.fragment(call, pieces);
            }
        }
        if let Some(reason) = choice.get("finish_reason").and_then(Value::as_str) {
            self.reason = Some(match reason {
                "length" => FinishReason::Length,
                "content_filter" => FinishReason::ContentFilter,
                "tool_calls" | "function_call" => FinishReason::ToolCalls,
                _ => FinishReason::Stop,
            });
        }
    }

    fn fragment(&mut self, call: &Value, pieces: &mut Vec<Piece>) {
        let function = call.get("function").unwrap_or(call);
        let text = |value: Option<&'_ Value>| -> String {
            value.and_then(Value::as_str).unwrap_or_default().to_owned()
        };
        self.saw_call = true;
        self.calls.add(
            &Fragment {
                index: call.get("index").and_then(Value::as_u64),
                id: &text(call.get("id")),
                name: &text(function.get("name")),
                arguments: function.get("arguments"),
            },
            pieces,
        );
    }

    fn finish(&mut self, reason: FinishReason, pieces: &mut Vec<Piece>) {
        self.done = true;
        self.calls.finish(pieces);
        let reason = match reason {
            FinishReason::Stop if self.saw_call => FinishReason::ToolCalls,
            other => other,
        };
        pieces.push(Piece::Finished(reason));
    }
}

impl Decoder for Reader {
    fn frame(&mut self, frame: &Frame, pieces: &mut Vec<Piece>) -> Result<(), Error> {
        if frame.data.trim() == "[DONE]" {
            self.finish(self.reason.unwrap_or(FinishReason::Stop), pieces);
            return Ok(());
        }
        let body: Value = serde_json::from_str(&frame.data).map_err(|source| {
            error::protocol(&self.name, "an event that is not JSON").with_source(source)
        })?;
        if let Some(text) = error_text(&body) {
            return Err(error::reported(&self.name, &text));
        }
        if frame.event == "error" {
            return Err(error::reported(&self.name, &frame.data));
        }
        pieces.extend(body.get("prompt_progress").and_then(prompt_read));
        if let Some(choice) = body.pointer("/choices/0") {
            self.choice(choice, pieces);
        }
        if let Some(usage) = body.get("usage").filter(|usage| usage.is_object()) {
            let count = |path: &str| usage.pointer(path).and_then(Value::as_u64);
            pieces.push(Piece::Counted(Counted {
                prompt: count("/prompt_tokens"),
                cached: count("/prompt_tokens_details/cached_tokens").unwrap_or(0),
                completion: count("/completion_tokens").unwrap_or(0),
            }));
        }
        Ok(())
    }

    fn end(&mut self, pieces: &mut Vec<Piece>) -> Result<(), Error> {
        match (self.done, self.reason) {
            (true, _) => Ok(()),
            // Some servers close without the closing mark; the reason is enough.
            (false, Some(reason)) => {
                self.finish(reason, pieces);
                Ok(())
            }
            (false, None) => Err(error::interrupted(&self.name)),
        }
    }

    fn is_done(&self) -> bool {
        self.done
    }
}

/// One answer whose text is one JSON object: a call or an answer.
pub(super) struct JsonReader {
    inner: Reader,
    /// `None` once the answer has ended.
    json: Option<json_calls::Reader>,
    calls: u32,
    unread: Option<String>,
}

impl JsonReader {
    pub(super) fn new(inner: Reader, answer: AnswerForm) -> Self {
        Self {
            inner,
            json: Some(json_calls::Reader::new(answer)),
            calls: 0,
            unread: None,
        }
    }

    /// Sorts the text among pieces into calls and answer.
    fn sort(&mut self, read: Vec<Piece>, pieces: &mut Vec<Piece>) {
        for piece in read {
            match piece {
                Piece::Text(text) => {
                    let events = self.json.as_mut().map(|json| json.push(&text));
                    self.take(events.unwrap_or_default(), pieces);
                }
                Piece::Finished(reason) => self.finish(reason, pieces),
                other => pieces.push(other),
            }
        }
    }

    fn finish(&mut self, reason: FinishReason, pieces: &mut Vec<Piece>) {
        let json = self.json.take();
        let events = json.map(json_calls::Reader::finish).unwrap_or_default();
        self.take(events, pieces);
        // What the token limit cut is neither a call nor an answer. In any other case the server
        // did not keep to the schema, and its words are shown as they are.
        if let Some(text) = self.unread.take()
            && reason != FinishReason::Length
        {
            pieces.push(Piece::Text(text));
        }
        pieces.push(Piece::Finished(match reason {
            FinishReason::Stop if self.calls > 0 => FinishReason::ToolCalls,
            other => other,
        }));
    }

    fn take(&mut self, events: Vec<json_calls::Event>, pieces: &mut Vec<Piece>) {
        for event in events {
            match event {
                json_calls::Event::Text(text) => pieces.push(Piece::Answered(text)),
                json_calls::Event::Plain(text) => pieces.push(Piece::Text(text)),
                json_calls::Event::CallPiece(arguments) => pieces.push(Piece::CallDelta {
                    index: 0,
                    name: String::new(),
                    arguments,
                }),
                json_calls::Event::Call { name, arguments } => {
                    self.calls += 1;
                    pieces.push(Piece::Call {
                        name,
                        arguments: unwrap_arguments(arguments),
                    });
                }
                json_calls::Event::Unread(text) => self.unread = Some(text),
            }
        }
    }
}

impl Decoder for JsonReader {
    fn frame(&mut self, frame: &Frame, pieces: &mut Vec<Piece>) -> Result<(), Error> {
        let mut read = Vec::new();
        let outcome = self.inner.frame(frame, &mut read);
        self.sort(read, pieces);
        outcome
    }

    fn end(&mut self, pieces: &mut Vec<Piece>) -> Result<(), Error> {
        let mut read = Vec::new();
        let outcome = self.inner.end(&mut read);
        self.sort(read, pieces);
        outcome
    }

    fn is_done(&self) -> bool {
        self.inner.is_done()
    }
}

/// How far llama.cpp's server is with the prompt; `processed` counts what its cache had, too.
fn prompt_read(progress: &Value) -> Option<Piece> {
    let count = |field: &str| progress.get(field).and_then(Value::as_u64);
    let total_tokens = count("total")?;
    Some(Piece::Prompt(PromptProgress {
        read_tokens: count("processed")?.min(total_tokens),
        total_tokens,
    }))
}

/// Thinking has several spellings; a server that uses two says the same in both.
fn reasoning(delta: &Value, pieces: &mut Vec<Piece>) {
    for field in ["reasoning_content", "reasoning", "thinking"] {
        if let Some(text) = delta.get(field).and_then(Value::as_str)
            && !text.is_empty()
        {
            pieces.push(Piece::Thinking(text.to_owned()));
            return;
        }
    }
    for detail in delta
        .get("reasoning_details")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
    {
        let text = detail.get("text").or_else(|| detail.get("summary"));
        if let Some(text) = text.and_then(Value::as_str)
            && !text.is_empty()
        {
            pieces.push(Piece::Thinking(text.to_owned()));
        }
    }
}

/// Content is text, or a list of parts.
fn content(content: Option<&Value>, pieces: &mut Vec<Piece>) {
    match content {
        Some(Value::String(text)) if !text.is_empty() => pieces.push(Piece::Text(text.clone())),
        Some(Value::Array(parts)) => {
            for part in parts {
                if let Some(text) = part.get("text").and_then(Value::as_str) {
                    pieces.push(Piece::Text(text.to_owned()));
                }
                for thought in part
                    .get("thinking")
                    .and_then(Value::as_array)
                    .into_iter()
                    .flatten()
                {
                    if let Some(text) = thought.get("text").and_then(Value::as_str) {
                        pieces.push(Piece::Thinking(text.to_owned()));
                    }
                }
            }
        }
        _ => {}
    }
}
