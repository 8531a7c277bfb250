//! Renders a conversation the way one model was trained to read it.
//!
//! The template is the model's own, a Jinja program in its GGUF metadata. It is untrusted: it runs
//! with a limited number of steps, sees nothing but the conversation, and can call nothing.
//!
//! Templates differ in what they accept. One refuses system messages, one insists that user and
//! assistant alternate, and many know nothing of tools. [`ChatTemplate::render`] tries the
//! conversation as it is and then in the simpler shapes of [`Shape`], in that order.

use crate::tools::{CallForm, Offer};
use calls::json_calls::{spaced, write_result};
use domain::message::Message;
use minijinja::syntax::SyntaxConfig;
use minijinja::value::{Kwargs, Serde};
use minijinja::{Environment, ErrorKind, Value};
use minijinja_contrib::pycompat::unknown_method_callback;
use serde_json::json;

/// Steps a template may take. A conversation of a few hundred messages needs some ten thousand.
pub const MAX_STEPS: u64 = 2_000_000;

/// Most bytes of a template.
pub const MAX_TEMPLATE_BYTES: usize = 256 * 1024;

/// The template for models that bring none: ChatML, which most small models follow.
pub const DEFAULT_TEMPLATE: &str = "{% for message in messages %}{{ '<|im_start|>' + \
    message['role'] + '\n' + message['content'] + '<|im_end|>\n' }}{% endfor %}\
    {% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}";

const NAME: &str = "chat";

/// Why a template cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Larger than [`MAX_TEMPLATE_BYTES`].
    #[error("the chat template has {bytes} bytes; the limit is {MAX_TEMPLATE_BYTES}")]
    TooLarge {
        /// Size of the template, bytes.
        bytes: usize,
    },
    /// The template is not valid.
    #[error("the model's chat template is not valid")]
    Syntax(#[source] minijinja::Error),
    /// No shape of the conversation could be rendered; the first failure.
    #[error("the model's chat template refuses this conversation")]
    Render(#[source] minijinja::Error),
}

/// A shape of the conversation, from the most faithful to the most widely accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// As it is.
    Faithful,
    /// System text moved to the front of the first user message.
    SystemInUser,
    /// Also, neighbours of one role merged, so that user and assistant alternate.
    Alternating,
}

/// What a conversation is rendered with.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// The conversation, oldest first.
    pub messages: &'a [Message],
    /// The tools on offer, if any.
    pub offer: Option<&'a Offer>,
    /// For models that can think or not: whether they should. `None` leaves it to the template.
    pub thinking: Option<bool>,
}

/// One model's chat template, compiled.
#[derive(Debug)]
pub struct ChatTemplate {
    environment: Environment<'static>,
    bos: String,
    eos: String,
    form: CallForm,
}

/// One message as a template sees it.
#[derive(Debug, Clone, PartialEq)]
struct Line {
    role: &'static str,
    text: String,
    /// Tool calls in the wire form that templates expect; empty for all but assistants.
    calls: Vec<serde_json::Value>,
    /// The tool's name; for tool results only.
    name: Option<String>,
}

impl ChatTemplate {
    /// Compiles `source`. `bos` and `eos` are the texts of the model's begin and end tokens.
    ///
    /// # Errors
    /// [`Error::TooLarge`] and [`Error::Syntax`].
    pub fn new(source: &str, bos: &str, eos: &str) -> Result<Self, Error> {
        if source.len() > MAX_TEMPLATE_BYTES {
            return Err(Error::TooLarge {
                bytes: source.len(),
            });
        }
        let mut environment = Environment::new();
        environment.set_fuel(Some(MAX_STEPS));
        let syntax = SyntaxConfig::builder()
            .trim_blocks(true)
            .lstrip_blocks(true)
            .build();
        environment.set_syntax(syntax.map_err(Error::Syntax)?);
        environment.set_unknown_method_callback(unknown_method_callback);
        environment.add_function("raise_exception", raise_exception);
        environment.add_filter("tojson", to_json);
        environment
            .add_template_owned(NAME, source.to_owned())
            .map_err(Error::Syntax)?;
        let form = CallForm::of_template(source);
        Ok(Self {
            environment,
            bos: bos.to_owned(),
            eos: eos.to_owned(),
            form,
        })
    }

    /// How this model writes tool calls.
    #[must_use]
    pub const fn call_form(&self) -> CallForm {
        self.form
    }

    /// The prompt for the next assistant message.
    ///
    /// # Errors
    /// [`Error::Render`] when the template refuses every shape of the conversation.
    pub fn render(&self, request: Request<'_>) -> Result<String, Error> {
        let lines = self.lines(request);
        let mut first_failure = None;
        for shape in [Shape::Faithful, Shape::SystemInUser, Shape::Alternating] {
            match self.render_lines(&reshape(lines.clone(), shape), request) {
                Ok(prompt) => return Ok(prompt),
                Err(error) => first_failure = first_failure.or(Some(error)),
            }
        }
        let unknown = || minijinja::Error::new(ErrorKind::InvalidOperation, "nothing was tried");
        Err(Error::Render(first_failure.unwrap_or_else(unknown)))
    }

    fn render_lines(
        &self,
        lines: &[Line],
        request: Request<'_>,
    ) -> Result<String, minijinja::Error> {
        let mut context = json!({
            "messages": lines.iter().map(Line::to_json).collect::<Vec<_>>(),
            "add_generation_prompt": true,
            "bos_token": self.bos,
            "eos_token": self.eos,
        });
        if let Some(offer) = request.offer
            && self.form == CallForm::Tagged
        {
            context["tools"] = offer.wire_tools();
        }
        if let Some(thinking) = request.thinking {
            context["enable_thinking"] = json!(thinking);
        }
        self.environment
            .get_template(NAME)?
            .render(Value::from(Serde(context)))
    }

    /// The conversation in the roles this template knows.
    fn lines(&self, request: Request<'_>) -> Vec<Line> {
        let native = self.form == CallForm::Tagged;
        let mut lines: Vec<Line> = request
            .messages
            .iter()
            .map(|message| to_line(message, native))
            .collect();
        if let Some(offer) = request.offer
            && !native
        {
            let description = offer.description();
            match lines.first_mut() {
                Some(first) if first.role == "system" => {
                    first.text = format!("{}\n\n{description}", first.text);
                }
                _ => lines.insert(0, Line::new("system", description)),
            }
        }
        lines
    }
}

impl Line {
    const fn new(role: &'static str, text: String) -> Self {
        Self {
            role,
            text,
            calls: Vec::new(),
            name: None,
        }
    }

    fn to_json(&self) -> serde_json::Value {
        let mut json = json!({ "role": self.role, "content": self.text });
        if !self.calls.is_empty() {
            json["tool_calls"] = json!(self.calls);
        }
        if let Some(name) = &self.name {
            json["name"] = json!(name);
        }
        json
    }
}

/// `native`: the template knows tool calls and results; otherwise they are written out as text.
fn to_line(message: &Message, native: bool) -> Line {
    match message {
        Message::System { text } => Line::new("system", text.clone()),
        Message::User { text } | Message::Picture { text, .. } => Line::new("user", text.clone()),
        Message::Assistant {
            text, tool_calls, ..
        } if native || tool_calls.is_empty() => {
            let calls = tool_calls.iter().map(|call| {
                json!({
                    "type": "function",
                    "id": call.call_id.to_string(),
                    "function": { "name": call.name, "arguments": call.arguments },
                })
            });
            Line {
                calls: calls.collect(),
                ..Line::new("assistant", text.clone())
            }
        }
        Message::Assistant { tool_calls, .. } => {
            let written: Vec<String> = tool_calls
                .iter()
                .map(|call| CallForm::Json.write_call(&call.name, &call.arguments))
                .collect();
            Line::new("assistant", written.join("\n"))
        }
        Message::Tool { name, text, .. } if native => Line {
            name: Some(name.to_string()),
            ..Line::new("tool", text.clone())
        },
        Message::Tool { name, text, .. } => Line::new("user", write_result(name.as_str(), text)),
    }
}

fn reshape(lines: Vec<Line>, shape: Shape) -> Vec<Line> {
    if shape == Shape::Faithful {
        return lines;
    }
    let mut system = Vec::new();
    let mut rest: Vec<Line> = Vec::new();
    for line in lines {
        match rest.last_mut() {
            _ if line.role == "system" => system.push(line.text),
            Some(last)
                if shape == Shape::Alternating
                    && last.role == line.role
                    && last.calls.is_empty()
                    && line.calls.is_empty() =>
            {
                last.text = format!("{}\n\n{}", last.text, line.text);
            }
            _ => rest.push(line),
        }
    }
    if !system.is_empty() {
        let system = system.join("\n\n");
        match rest.iter_mut().find(|line| line.role == "user") {
            Some(user) => user.text = format!("{system}\n\n{}", user.text),
            None => rest.insert(0, Line::new("user", system)),
        }
    }
    rest
}

/// JSON as Python writes it. minijinja's own filter escapes `<` and `>` for web pages, which models
/// have never seen in their training.
fn to_json(value: &Value, options: Kwargs) -> Result<Value, minijinja::Error> {
    let failed = |error: serde_json::Error| {
        minijinja::Error::new(ErrorKind::InvalidOperation, "no JSON for this value")
            .with_source(error)
    };
    let indent: Option<usize> = options.get("indent")?;
    // Python's other options change nothing here: text is not escaped, keys keep their order.
    let _: (Option<Value>, Option<Value>, Option<Value>) = (
        options.get("ensure_ascii")?,
        options.get("separators")?,
        options.get("sort_keys")?,
    );
    options.assert_all_used()?;
    let json = serde_json::to_value(value).map_err(failed)?;
    let text = match indent {
        None => spaced(&json),
        Some(_) => serde_json::to_string_pretty(&json).map_err(failed)?,
    };
    Ok(Value::from(text))
}

/// What templates call to refuse a conversation.
fn raise_exception(message: String) -> Result<Value, minijinja::Error> {
    Err(minijinja::Error::new(ErrorKind::InvalidOperation, message))
}
