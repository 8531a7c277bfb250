//! Reads a streamed message, block by block.

use super::{Decoder, error_text};
use crate::call::{Counted, Piece, parse_arguments};
use crate::error::{self, Error};
use crate::framing::Frame;
use domain::message::Thinking;
use domain::model::FinishReason;
use serde_json::Value;

/// The tool that a schema-constrained answer is given through.
pub(super) const ANSWER_TOOL: &str = "give_answer";

/// The block that is arriving.
enum Block {
    None,
    Text,
    Thinking {
        text: String,
        signature: String,
    },
    Tool {
        name: String,
        json: String,
    },
    /// The answer under a schema: its input is the answer's text.
    Answer {
        json: String,
    },
}

/// One answer.
pub(super) struct Reader {
    name: String,
    has_schema: bool,
    block: Block,
    calls: u32,
    counted: Counted,
    reason: Option<FinishReason>,
    done: bool,
}

impl Reader {
    pub(super) fn new(name: String, has_schema: bool) -> Self {
        Self {
            name,
            has_schema,
            block: Block::None,
            calls: 0,
            counted: Counted::default(),
            reason: None,
            done: false,
        }
    }

    fn start(&mut self, block: &Value, pieces: &mut Vec<Piece>) {
        let text = |key: &str| {
            block
                .get(key)
                .and_then(Value::as_str)
                .unwrap_or_default()
                .to_owned()
        };
        self.block = match block.get("type").and_then(Value::as_str) {
            Some("text") => {
                push_text(pieces, text("text"));
                Block::Text
            }
            Some("thinking") => Block::Thinking {
                text: text("thinking"),
                signature: text("signature"),
            },
            Some("tool_use") if self.has_schema && text("name") == ANSWER_TOOL => Block::Answer {
                json: String::new(),
            },
            Some("tool_use") => Block::Tool {
                name: text("name"),
                json: String::new(),
            },
            _ => Block::None,
        };
    }

    fn delta(&mut self, delta: &Value, pieces: &mut Vec<Piece>) {
        let text = |key: &str| delta.get(key).and_then(Value::as_str).unwrap_or_default();
        match (&mut self.block, delta.get("type").and_then(Value::as_str)) {
            (Block::Text, Some("text_delta")) => push_text(pieces, text("text").to_owned()),
            (Block::Thinking { text: all, .. }, Some("thinking_delta")) => {
                all.push_str(text("thinking"));
                pieces.push(Piece::Thinking(text("thinking").to_owned()));
            }
            (Block::Thinking { signature, .. }, Some("signature_delta")) => {
                signature.push_str(text("signature"));
            }
            (Block::Tool { name, json }, Some("input_json_delta")) => {
                json.push_str(text("partial_json"));
                pieces.push(Piece::CallDelta {
                    index: self.calls,
                    name: name.clone(),
                    arguments: text("partial_json").to_owned(),
                });
            }
            (Block::Answer { json }, Some("input_json_delta")) => {
                json.push_str(text("partial_json"));
            }
            _ => {}
        }
    }

    fn stop(&mut self, pieces: &mut Vec<Piece>) {
        match std::mem::replace(&mut self.block, Block::None) {
            Block::Thinking { text, signature } if !signature.is_empty() => {
                pieces.push(Piece::ThinkingBlock(Thinking {
                    text,
                    signature: Some(signature),
                }));
            }
            Block::Tool { name, json } => {
                self.calls += 1;
                pieces.push(Piece::Call {
                    name,
                    arguments: parse_arguments(&json),
                });
            }
            Block::Answer { json } => push_text(pieces, json),
            Block::None | Block::Text | Block::Thinking { .. } => {}
        }
    }

    fn usage(&mut self, usage: Option<&Value>) {
        let Some(usage) = usage else { return };
        let count = |key: &str| usage.get(key).and_then(Value::as_u64);
        if let Some(fresh) = count("input_tokens") {
            let cached = count("cache_read_input_tokens").unwrap_or(0);
            let stored = count("cache_creation_input_tokens").unwrap_or(0);
            let prompt = fresh.saturating_add(cached).saturating_add(stored);
            // The closing event may repeat the input as zero.
            if prompt > 0 {
                self.counted.prompt = Some(prompt);
                self.counted.cached = cached;
            }
        }
        if let Some(completion) = count("output_tokens") {
            self.counted.completion = completion;
        }
    }

    fn message_delta(&mut self, event: &Value) {
        self.usage(event.get("usage"));
        if let Some(reason) = event.pointer("/delta/stop_reason").and_then(Value::as_str) {
            self.reason = Some(match reason {
                "max_tokens" | "model_context_window_exceeded" => FinishReason::Length,
                "refusal" => FinishReason::ContentFilter,
                "tool_use" if self.calls > 0 => FinishReason::ToolCalls,
                _ => FinishReason::Stop,
            });
        }
    }

    fn finish(&mut self, pieces: &mut Vec<Piece>) {
        self.done = true;
        pieces.push(Piece::Counted(self.counted));
        pieces.push(Piece::Finished(self.reason.unwrap_or(FinishReason::Stop)));
    }
}

impl Decoder for Reader {
    fn frame(&mut self, frame: &Frame, pieces: &mut Vec<Piece>) -> Result<(), Error> {
        let event: Value = serde_json::from_str(&frame.data).map_err(|source| {
            error::protocol(&self.name, "an event that is not JSON").with_source(source)
        })?;
        match event.get("type").and_then(Value::as_str) {
            Some("error") => {
                let text = error_text(&event).unwrap_or_else(|| frame.data.clone());
                return Err(error::reported(&self.name, &text));
            }
            Some("message_start") => self.usage(event.pointer("/message/usage")),
            Some("content_block_start") => {
                if let Some(block) = event.get("content_block") {
                    self.start(block, pieces);
                }
            }
            Some("content_block_delta") => {
                if let Some(delta) = event.get("delta") {
                    self.delta(delta, pieces);
                }
            }
            Some("content_block_stop") => self.stop(pieces),
            Some("message_delta") => self.message_delta(&event),
            Some("message_stop") => self.finish(pieces),
            // `ping`, and event types that the API may add.
            _ => {}
        }
        Ok(())
    }

    fn end(&mut self, _pieces: &mut Vec<Piece>) -> Result<(), Error> {
        if self.done {
            Ok(())
        } else {
            Err(error::interrupted(&self.name))
        }
    }

    fn is_done(&self) -> bool {
        self.done
    }
}

fn push_text(pieces: &mut Vec<Piece>, text: String) {
    if !text.is_empty() {
        pieces.push(Piece::Text(text));
    }
}
