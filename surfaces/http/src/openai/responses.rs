//! `POST /v1/responses`: the same in OpenAI's newer form.

use super::answering::{Answering, Told};
use super::conversation::{Conversation, Turn, key, unsupported};
use super::placing::{instructed, known_to, placed};
use super::wire::{Item, ResponsesRequest, Role, Spoken};
use super::{Shaped, failed};
use crate::app::{App, Caller};
use crate::conversations::Point;
use crate::events;
use crate::limits::EVENTS_AHEAD;
use crate::problem::{Problem, fault};
use crate::wire;
use crate::work::{self, Events, OnHangUp};
use api::sessions::SendRequest;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use domain::Timestamp;
use domain::fault::Fault;
use domain::hash::Digest;
use domain::id::SessionId;
use serde_json::{Value, json};
use tokio::sync::mpsc;
use uuid::Uuid;

/// `POST /v1/responses`.
pub(crate) async fn responses(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    body: Bytes,
) -> Result<Response, Shaped> {
    let request: ResponsesRequest = wire::read(&body)?;
    refuse_what_is_not_done(&request)?;
    let conversation = Conversation::of_turns(turns(&request)?)?;
    let model = request.model.as_str();
    let (lease, send) = match &request.previous_response_id {
        Some(previous) => {
            let known = known_to(&app, &named(&caller, previous)).await;
            let lease = known.ok_or_else(|| unknown(previous))?;
            let send = SendRequest::new(lease.session_id, instructed(&conversation));
            (lease, send)
        }
        None => {
            let known = key(&caller.name, model, &conversation.before);
            placed(&app, &caller, (model, &conversation), &known).await?
        }
    };
    let session_id = lease.session_id;
    let events = work::begin(&app, lease, send, OnHangUp::Stop).await?;
    let id = Uuid::now_v7().simple();
    let answer = Answer {
        app,
        caller,
        session_id,
        id: format!("resp_{id}"),
        item: format!("msg_{id}"),
        created: Timestamp::now().as_second(),
        conversation,
        request,
    };
    match answer.request.stream {
        Some(true) => Ok(answer.streamed(events)),
        _ => answer.whole(events).await,
    }
}

fn refuse_what_is_not_done(request: &ResponsesRequest) -> Result<(), Problem> {
    if request
        .tools
        .as_ref()
        .is_some_and(|tools| !tools.is_empty())
    {
        return Err(unsupported(
            "tools of the client's own are not taken here: an agent has its own",
        ));
    }
    if request.background == Some(true) || request.conversation.is_some() {
        return Err(unsupported(
            "neither `background` nor `conversation` is taken here",
        ));
    }
    let format = request.text.as_ref().and_then(|text| text.format.as_ref());
    match format {
        Some(format) if format.kind != "text" => Err(unsupported(
            "an agent answers in text: `text.format` is `text`",
        )),
        _ => Ok(()),
    }
}

/// The conversation as who says what.
fn turns(request: &ResponsesRequest) -> Result<Vec<Turn>, Problem> {
    let instructions = request.instructions.iter();
    let mut turns: Vec<Turn> = instructions
        .map(|text| (Role::System, text.clone()))
        .collect();
    match &request.input {
        Spoken::Text(text) => turns.push((Role::User, text.clone())),
        Spoken::Items(items) => {
            for Item {
                kind,
                role,
                content,
            } in items
            {
                let (true, Some(role)) = (matches!(kind.as_str(), "" | "message"), role) else {
                    return Err(unsupported(format!("`{kind}` is not taken as input here")));
                };
                turns.push((*role, super::conversation::text(content)?));
            }
        }
    }
    Ok(turns)
}

/// What a response is known by.
fn named(caller: &Caller, id: &str) -> Digest {
    Digest::of_json(&json!(["response", caller.name.as_str(), id]))
}

fn unknown(previous: &str) -> Problem {
    let said = format!("the response `{previous}` is not known here any more");
    let hint = "Send the whole conversation as `input`.";
    Problem::new(
        StatusCode::NOT_FOUND,
        fault("http.unknown_response", said, hint),
    )
}

/// A request that is being answered.
struct Answer {
    app: App,
    caller: Caller,
    session_id: SessionId,
    id: String,
    item: String,
    created: i64,
    conversation: Conversation,
    request: ResponsesRequest,
}

impl Answer {
    /// Notes how the conversation goes on from here: by the response, and by what was said.
    fn note(&self, answering: &Answering, told: &str) {
        let Some(query_id) = answering.query_id else {
            return;
        };
        let point = Point {
            session_id: self.session_id,
            query_id,
            seq: answering.last_seq,
            is_taken: false,
        };
        let known = &self.app.conversations;
        known.note(named(&self.caller, &self.id), point);
        if self.request.previous_response_id.is_none() {
            let turns = self.conversation.answered(told);
            known.note(key(&self.caller.name, &self.request.model, &turns), point);
        }
    }

    async fn whole(self, mut events: Events) -> Result<Response, Shaped> {
        let mut answering = Answering::new(Vec::new());
        while let Some(event) = events.recv().await {
            answering.take(&event.map_err(Problem::from)?);
        }
        answering.content.clear();
        if let Some(fault) = answering.failure() {
            return Err(failed(fault).into());
        }
        let text = answering.whole(Vec::new());
        self.note(&answering, &text);
        Ok(Json(self.ended(&answering, &text)).into_response())
    }

    fn streamed(self, events: Events) -> Response {
        let (writer, pieces) = mpsc::channel(EVENTS_AHEAD);
        let of = (self.app.clone(), self.caller.clone());
        tokio::spawn(async move {
            let mut writing = Writing { writer, number: 0 };
            // Without a reader the events are dropped, and with that the request is stopped.
            let _left = self.write(events, &mut writing).await;
        });
        events::streamed(of, pieces)
    }

    async fn write(self, mut events: Events, out: &mut Writing) -> Result<(), Left> {
        let begun = self.object("in_progress", Vec::new());
        for kind in ["response.created", "response.in_progress"] {
            out.send(kind, json!({"response": begun})).await?;
        }
        let item = json!({"output_index": 0, "item": self.message("in_progress", None)});
        out.send("response.output_item.added", item).await?;
        out.send(
            "response.content_part.added",
            self.at(json!({"part": part("")})),
        )
        .await?;
        let mut answering = Answering::new(Vec::new());
        loop {
            let event = tokio::select! {
                biased;
                () = out.writer.closed() => return Err(Left),
                event = events.recv() => event,
            };
            let told = match event {
                None => break,
                Some(Ok(event)) => answering.take(&event),
                Some(Err(broken)) => {
                    let fault = Problem::from(broken).fault;
                    return out.send("response.failed", self.failed(&fault)).await;
                }
            };
            for told in told {
                if let Told::Content(delta) = told {
                    let delta = self.at(json!({"delta": delta, "logprobs": []}));
                    out.send("response.output_text.delta", delta).await?;
                }
            }
        }
        if let Some(fault) = answering.failure() {
            return out.send("response.failed", self.failed(&fault)).await;
        }
        let text = answering.content.clone();
        self.note(&answering, &text);
        let done = self.at(json!({"text": text, "logprobs": []}));
        out.send("response.output_text.done", done).await?;
        out.send(
            "response.content_part.done",
            self.at(json!({"part": part(&text)})),
        )
        .await?;
        let ended = self.ended(&answering, &text);
        let item = json!({"output_index": 0, "item": ended["output"][0]});
        out.send("response.output_item.done", item).await?;
        let kind = match ended["status"] == "incomplete" {
            true => "response.incomplete",
            false => "response.completed",
        };
        out.send(kind, json!({"response": ended})).await
    }

    /// What of the answer an event is about.
    fn at(&self, mut more: Value) -> Value {
        more["item_id"] = json!(self.item);
        more["output_index"] = json!(0);
        more["content_index"] = json!(0);
        more
    }

    fn message(&self, status: &str, text: Option<&str>) -> Value {
        let content: Vec<Value> = text.map(part).into_iter().collect();
        json!({
            "id": self.item, "type": "message", "role": "assistant",
            "status": status, "content": content,
        })
    }

    fn object(&self, status: &str, output: Vec<Value>) -> Value {
        json!({
            "id": self.id, "object": "response", "created_at": self.created, "status": status,
            "model": self.request.model, "output": output, "error": null,
            "incomplete_details": null, "instructions": self.request.instructions,
            "metadata": {}, "parallel_tool_calls": true, "temperature": null, "top_p": null,
            "tool_choice": "auto", "tools": [],
            "previous_response_id": self.request.previous_response_id,
        })
    }

    fn ended(&self, answering: &Answering, text: &str) -> Value {
        let (status, why) = match answering.finish_reason() {
            "length" => ("incomplete", json!({"reason": "max_output_tokens"})),
            "content_filter" => ("incomplete", json!({"reason": "content_filter"})),
            _ => ("completed", Value::Null),
        };
        let mut object = self.object(status, vec![self.message(status, Some(text))]);
        object["incomplete_details"] = why;
        let usage = answering.usage;
        object["usage"] = json!({
            "input_tokens": usage.prompt_tokens, "output_tokens": usage.completion_tokens,
            "total_tokens": usage.prompt_tokens.saturating_add(usage.completion_tokens),
            "input_tokens_details": {"cached_tokens": usage.cached_tokens},
            "output_tokens_details": {"reasoning_tokens": 0},
        });
        object
    }

    fn failed(&self, fault: &Fault) -> Value {
        let mut object = self.object("failed", Vec::new());
        object["error"] = json!({"code": "server_error", "message": fault.message});
        json!({"response": object})
    }
}

fn part(text: &str) -> Value {
    json!({"type": "output_text", "text": text, "annotations": [], "logprobs": []})
}

/// Whoever read is gone.
struct Left;

/// Numbered events on their way out.
struct Writing {
    writer: mpsc::Sender<Bytes>,
    number: u64,
}

impl Writing {
    async fn send(&mut self, kind: &str, mut data: Value) -> Result<(), Left> {
        data["type"] = json!(kind);
        data["sequence_number"] = json!(self.number);
        self.number += 1;
        let piece = Bytes::from(format!("event: {kind}\ndata: {data}\n\n"));
        self.writer.send(piece).await.map_err(|_gone| Left)
    }
}
