//! What a scripted model says, and when.

use serde_json::Value;
use tokio::sync::watch;

/// A barrier in the middle of a reply. The server stops at it until the test opens it.
#[derive(Debug, Clone)]
pub struct Gate {
    open: watch::Sender<bool>,
}

impl Gate {
    /// A closed gate.
    #[must_use]
    pub fn new() -> Self {
        Self {
            open: watch::Sender::new(false),
        }
    }

    /// Lets everyone through, now and later.
    pub fn open(&self) {
        self.open.send_replace(true);
    }

    pub(crate) async fn pass(&self) {
        let mut state = self.open.subscribe();
        // The sender lives as long as this gate, so the wait ends with the gate's opening.
        let _opened = state.wait_for(|open| *open).await;
    }
}

impl Default for Gate {
    fn default() -> Self {
        Self::new()
    }
}

/// One thing a reply does.
#[derive(Debug, Clone)]
pub enum Step {
    /// A piece of the answer.
    Text(String),
    /// A piece of the thinking.
    Thinking(String),
    /// A tool call; the arguments are an object, or a text that is sent as it is.
    Call(String, Value),
    /// So many tokens of so many of the prompt are read: llama.cpp's server says so if it was asked to.
    Read {
        /// Those that are read.
        read: u64,
        /// All of them.
        of: u64,
    },
    /// Waits at a gate.
    Wait(Gate),
    /// An error in the middle of the stream, in the server's own form.
    Error(String),
    /// Ends the connection without ending the stream.
    Cut,
    /// Bytes that belong to no protocol.
    Raw(Vec<u8>),
}

/// One reply of a scripted model.
#[derive(Debug, Clone, Default)]
pub struct Reply {
    /// What it does, in order.
    pub steps: Vec<Step>,
    /// An HTTP status and body in place of a stream.
    pub refusal: Option<(u16, String)>,
    /// Ends with this reason instead of the natural one.
    pub finish: Option<String>,
    /// The content type that it is said to have, in place of the usual one.
    pub content_type: Option<String>,
    /// Whether it is one document although a stream was asked for.
    pub is_whole: bool,
    /// So many tokens more are counted for the prompt than a token for every four characters.
    pub more_prompt_tokens: u64,
}

impl Reply {
    /// A reply that says something.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self::default().and_text(text)
    }

    /// A reply that calls a tool.
    #[must_use]
    pub fn call(tool: &str, arguments: Value) -> Self {
        Self::default().and_call(tool, arguments)
    }

    /// A reply before which so much of the prompt is read.
    #[must_use]
    pub fn reading(read: u64, of: u64) -> Self {
        Self::default().and_read(read, of)
    }

    /// A reply that thinks first.
    #[must_use]
    pub fn thinking(text: impl Into<String>) -> Self {
        let mut reply = Self::default();
        reply.steps.push(Step::Thinking(text.into()));
        reply
    }

    /// A refusal: an HTTP status with a body.
    #[must_use]
    pub fn refuse(status: u16, body: impl Into<String>) -> Self {
        Self {
            refusal: Some((status, body.into())),
            ..Self::default()
        }
    }

    /// Says more.
    #[must_use]
    pub fn and_text(mut self, text: impl Into<String>) -> Self {
        self.steps.push(Step::Text(text.into()));
        self
    }

    /// Calls a tool.
    #[must_use]
    pub fn and_call(mut self, tool: &str, arguments: Value) -> Self {
        self.steps.push(Step::Call(tool.to_owned(), arguments));
        self
    }

    /// Has read so much of the prompt.
    #[must_use]
    pub fn and_read(mut self, read: u64, of: u64) -> Self {
        self.steps.push(Step::Read { read, of });
        self
    }

    /// Waits at a gate.
    #[must_use]
    pub fn and_wait(mut self, gate: &Gate) -> Self {
        self.steps.push(Step::Wait(gate.clone()));
        self
    }

    /// Fails in mid-stream.
    #[must_use]
    pub fn and_error(mut self, message: &str) -> Self {
        self.steps.push(Step::Error(message.to_owned()));
        self
    }

    /// Breaks off.
    #[must_use]
    pub fn and_cut(mut self) -> Self {
        self.steps.push(Step::Cut);
        self
    }

    /// Sends bytes of no protocol.
    #[must_use]
    pub fn and_raw(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.steps.push(Step::Raw(bytes.into()));
        self
    }

    /// Ends for this reason.
    #[must_use]
    pub fn finishing(mut self, reason: &str) -> Self {
        self.finish = Some(reason.to_owned());
        self
    }

    /// Says that it is of this content type.
    #[must_use]
    pub fn sent_as(mut self, content_type: &str) -> Self {
        self.content_type = Some(content_type.to_owned());
        self
    }

    /// Comes as one document, behind what bytes it has; a stream was asked for.
    #[must_use]
    pub fn in_one(mut self) -> Self {
        self.is_whole = true;
        self
    }

    /// Counts so many tokens more for the prompt.
    #[must_use]
    pub fn counting_more(mut self, tokens: u64) -> Self {
        self.more_prompt_tokens = tokens;
        self
    }

    pub(crate) fn has_calls(&self) -> bool {
        self.steps.iter().any(|step| matches!(step, Step::Call(..)))
    }

    pub(crate) fn tokens(&self) -> u64 {
        let length: usize = self
            .steps
            .iter()
            .map(|step| match step {
                Step::Text(text) | Step::Thinking(text) => text.len(),
                Step::Call(name, arguments) => name.len() + arguments.to_string().len(),
                _ => 0,
            })
            .sum();
        (length as u64).div_ceil(4)
    }
}
