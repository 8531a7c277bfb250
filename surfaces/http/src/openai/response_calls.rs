//! `POST /v1/responses` of a client that has tools of its own, asked and answered as a chat is with them.

use super::asking::Said;
use super::calls::{asked, broken_off};
use super::conversation::unsupported;
use super::form::finish_word;
use super::offered::{Given, called};
use super::response_form::{Ending, Left, ResponseForm, Writing, part};
use super::wire::{
    self, Called, CalledFunction, Content, FlatChoice, FlatTool, Item, Message, ResponsesRequest,
    Role, Spoken, Tool,
};
use super::{Shaped, failed};
use crate::app::{App, Caller};
use crate::events;
use crate::limits::EVENTS_AHEAD;
use crate::problem::Problem;
use axum::Json;
use axum::response::{IntoResponse, Response};
use domain::fault::Fault;
use domain::message::ToolCall;
use domain::model::{FinishReason, Usage};
use serde_json::{Value, json};
use tokio::sync::mpsc;

/// A call of a tool, as input and as output.
const CALL: &str = "function_call";
/// What one came to.
const OUTPUT: &str = "function_call_output";

/// Whether the client has tools of its own, or says what one of them came to.
pub(super) fn are_given(request: &ResponsesRequest) -> bool {
    let has_tools = request
        .tools
        .as_ref()
        .is_some_and(|tools| !tools.is_empty());
    let last = match &request.input {
        Spoken::Items(items) => items.last(),
        Spoken::Text(_) => None,
    };
    has_tools || last.is_some_and(|item| item.kind == OUTPUT)
}

/// Answers a client with tools of its own.
pub(super) async fn answer(
    app: App,
    caller: Caller,
    request: ResponsesRequest,
) -> Result<Response, Shaped> {
    if request.previous_response_id.is_some() {
        let said = "with tools of the client's own, all of the conversation is given as `input`, \
                    and no `previous_response_id`";
        return Err(unsupported(said).into());
    }
    let (messages, tools) = (messages(&request)?, tools(&request)?);
    let choice = request.tool_choice.as_ref().map(choice);
    let given = Given {
        messages: &messages,
        tools: &tools,
        choice: choice.as_ref(),
    };
    let said = asked(&app, &caller, (&request.model, given)).await?;
    let answer = Answer {
        form: ResponseForm::new(&request),
        said: String::new(),
        open: None,
        output: Vec::new(),
        end: None,
    };
    match request.stream {
        Some(true) => {
            let (writer, pieces) = mpsc::channel(EVENTS_AHEAD);
            tokio::spawn(async move {
                // Without a reader what is said is dropped, and with that the model is stopped.
                let _left = answer.write(said, Writing::to(writer)).await;
            });
            Ok(events::streamed((app, caller), events::received(pieces)))
        }
        _ => answer.whole(said).await,
    }
}

fn tools(request: &ResponsesRequest) -> Result<Vec<Tool>, Problem> {
    let tools = request.tools.iter().flatten().map(|tool| {
        let tool: FlatTool = serde_json::from_value(tool.clone())
            .map_err(|error| Problem::invalid(format!("a tool cannot be used: {error}")))?;
        Ok(Tool {
            kind: tool.kind,
            function: tool.function,
        })
    });
    tools.collect()
}

fn choice(choice: &FlatChoice) -> wire::ToolChoice {
    match choice {
        FlatChoice::Word(word) => wire::ToolChoice::Word(word.clone()),
        FlatChoice::Named(function) => wire::ToolChoice::Named {
            function: function.clone(),
        },
    }
}

/// The conversation as a chat has it: calls stand with what the model said before them.
fn messages(request: &ResponsesRequest) -> Result<Vec<Message>, Problem> {
    let of = |role: Role, content: Content| Message {
        role,
        content,
        tool_calls: None,
        tool_call_id: None,
    };
    let instructions = request.instructions.iter();
    let mut messages: Vec<Message> = instructions
        .map(|text| of(Role::System, Content::Text(text.clone())))
        .collect();
    let items = match &request.input {
        Spoken::Text(text) => {
            messages.push(of(Role::User, Content::Text(text.clone())));
            return Ok(messages);
        }
        Spoken::Items(items) => items,
    };
    for item in items {
        match (item.spoken_by(), item.kind.as_str()) {
            (Some(role), _) => messages.push(of(role, item.content.clone())),
            (None, CALL) => {
                if !matches!(messages.last(), Some(last) if last.role == Role::Assistant) {
                    messages.push(of(Role::Assistant, Content::None));
                }
                if let Some(last) = messages.last_mut() {
                    let calls = last.tool_calls.get_or_insert_default();
                    calls.push(made(item));
                }
            }
            (None, OUTPUT) => messages.push(Message {
                tool_call_id: Some(item.call_id.clone()),
                ..of(Role::Tool, item.output.clone())
            }),
            // What the model thought is not asked back.
            (None, "reasoning") => {}
            (None, kind) => {
                return Err(unsupported(format!("`{kind}` is not taken as input here")));
            }
        }
    }
    Ok(messages)
}

fn made(item: &Item) -> Called {
    Called {
        id: item.call_id.clone(),
        kind: Called::kind(),
        function: CalledFunction {
            name: item.name.clone(),
            arguments: item.arguments.clone(),
        },
    }
}

/// An answer that comes.
struct Answer {
    form: ResponseForm,
    /// All that the model said.
    said: String,
    /// The message that it is saying: its text until now.
    open: Option<String>,
    /// What is done.
    output: Vec<Value>,
    end: Option<Result<(FinishReason, Usage), Fault>>,
}

impl Answer {
    async fn whole(mut self, mut said: mpsc::Receiver<Said>) -> Result<Response, Shaped> {
        let mut calls = Vec::new();
        while let Some(one) = said.recv().await {
            match one {
                Said::Text(text) => self.said.push_str(&text),
                Said::Instead(text) => self.said = text,
                Said::Thinking(_) => {}
                Said::Call(call) => calls.push(call),
                Said::Ended(finish, usage) => self.end = Some(Ok((finish, usage))),
                Said::Failed(fault) => self.end = Some(Err(fault)),
            }
        }
        if !self.said.is_empty() {
            self.output
                .push(self.message("completed", Some(&self.said)));
        }
        for call in &calls {
            let call = self.call(&called(call), "completed");
            self.output.push(call);
        }
        match self.ended() {
            Ok(ended) => Ok(Json(ended).into_response()),
            Err(fault) => Err(failed(fault).into()),
        }
    }

    /// It as it ended.
    fn ended(&mut self) -> Result<Value, Fault> {
        let (finish, usage) = self.end.take().unwrap_or_else(|| Err(broken_off()))?;
        let ending = Ending::of(finish_word(Some(finish)));
        let output = std::mem::take(&mut self.output);
        Ok(self.form.ended(ending, output, usage))
    }

    async fn write(mut self, mut said: mpsc::Receiver<Said>, mut out: Writing) -> Result<(), Left> {
        let begun = self.form.object("in_progress", Vec::new());
        for kind in ["response.created", "response.in_progress"] {
            out.send(kind, json!({"response": begun})).await?;
        }
        loop {
            let one = tokio::select! {
                biased;
                () = out.writer.closed() => return Err(Left),
                one = said.recv() => one,
            };
            match one {
                None => break,
                Some(Said::Text(text)) => {
                    self.said.push_str(&text);
                    self.say(&text, &mut out).await?;
                }
                Some(Said::Instead(text)) => {
                    // What was told stays told; what goes on from there is new.
                    let new = text.strip_prefix(self.said.as_str()).unwrap_or_default();
                    self.say(new, &mut out).await?;
                    self.said = text;
                }
                Some(Said::Thinking(_)) => {}
                Some(Said::Call(call)) => self.hand_back(&call, &mut out).await?,
                Some(Said::Ended(finish, usage)) => self.end = Some(Ok((finish, usage))),
                Some(Said::Failed(fault)) => self.end = Some(Err(fault)),
            }
        }
        self.close(&mut out).await?;
        match self.ended() {
            Ok(ended) => out.end(ended).await,
            Err(fault) => out.send("response.failed", self.form.failed(&fault)).await,
        }
    }

    /// A piece of a message, which begins with it.
    async fn say(&mut self, text: &str, out: &mut Writing) -> Result<(), Left> {
        if text.is_empty() {
            return Ok(());
        }
        if self.open.is_none() {
            self.open = Some(String::new());
            let item = self.message("in_progress", None);
            let item = json!({"output_index": self.output.len(), "item": item});
            out.send("response.output_item.added", item).await?;
            let begun = self.at(json!({"part": part("")}));
            out.send("response.content_part.added", begun).await?;
        }
        if let Some(open) = &mut self.open {
            open.push_str(text);
        }
        let delta = self.at(json!({"delta": text, "logprobs": []}));
        out.send("response.output_text.delta", delta).await
    }

    /// Ends the message that is being said.
    async fn close(&mut self, out: &mut Writing) -> Result<(), Left> {
        let Some(text) = self.open.take() else {
            return Ok(());
        };
        let done = self.at(json!({"text": text, "logprobs": []}));
        out.send("response.output_text.done", done).await?;
        let done = self.at(json!({"part": part(&text)}));
        out.send("response.content_part.done", done).await?;
        let item = self.message("completed", Some(&text));
        self.done(item, out).await
    }

    /// A call, whole.
    async fn hand_back(&mut self, call: &ToolCall, out: &mut Writing) -> Result<(), Left> {
        self.close(out).await?;
        let called = called(call);
        let item = self.call(&called, "completed");
        let mut begun = self.call(&called, "in_progress");
        begun["arguments"] = json!("");
        let begun = json!({"output_index": self.output.len(), "item": begun});
        out.send("response.output_item.added", begun).await?;
        let arguments = &called.function.arguments;
        let place = json!({"item_id": item["id"], "output_index": self.output.len()});
        let mut delta = place.clone();
        delta["delta"] = json!(arguments);
        out.send("response.function_call_arguments.delta", delta)
            .await?;
        let mut done = place;
        done["arguments"] = json!(arguments);
        done["name"] = json!(called.function.name);
        out.send("response.function_call_arguments.done", done)
            .await?;
        self.done(item, out).await
    }

    async fn done(&mut self, item: Value, out: &mut Writing) -> Result<(), Left> {
        let done = json!({"output_index": self.output.len(), "item": item});
        self.output.push(item);
        out.send("response.output_item.done", done).await
    }

    /// What of the answer an event is about.
    fn at(&self, mut more: Value) -> Value {
        more["item_id"] = json!(self.item("msg"));
        more["output_index"] = json!(self.output.len());
        more["content_index"] = json!(0);
        more
    }

    /// The id of the item that comes next.
    fn item(&self, kind: &str) -> String {
        format!("{}_{}", self.form.item(kind), self.output.len())
    }

    fn message(&self, status: &str, text: Option<&str>) -> Value {
        let content: Vec<Value> = text.map(part).into_iter().collect();
        json!({
            "id": self.item("msg"), "type": "message", "role": "assistant",
            "status": status, "content": content,
        })
    }

    fn call(&self, called: &Called, status: &str) -> Value {
        json!({
            "id": self.item("fc"), "type": CALL, "status": status, "call_id": called.id,
            "name": called.function.name, "arguments": called.function.arguments,
        })
    }
}
