//! `POST /v1/responses`: the same in OpenAI's newer form.

use super::answering::{Answering, Told};
use super::conversation::{Conversation, Turn, key, unsupported};
use super::placing::{instructed, known_to, placed};
use super::response_form::{Ending, Left, ResponseForm, Writing, part};
use super::wire::{ResponsesRequest, Role, Spoken};
use super::{Shaped, failed, response_calls};
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
use domain::hash::Digest;
use domain::id::SessionId;
use serde_json::{Value, json};
use tokio::sync::mpsc;

/// `POST /v1/responses`.
pub(crate) async fn responses(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    body: Bytes,
) -> Result<Response, Shaped> {
    let request: ResponsesRequest = wire::read(&body)?;
    refuse_what_is_not_done(&request)?;
    if response_calls::are_given(&request) {
        return response_calls::answer(app, caller, request).await;
    }
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
    let form = ResponseForm::new(&request);
    let answer = Answer {
        app,
        caller,
        session_id,
        item: form.item("msg"),
        form,
        conversation,
        request,
    };
    match answer.request.stream {
        Some(true) => Ok(answer.streamed(events)),
        _ => answer.whole(events).await,
    }
}

fn refuse_what_is_not_done(request: &ResponsesRequest) -> Result<(), Problem> {
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
            for item in items {
                let Some(role) = item.spoken_by() else {
                    let kind = &item.kind;
                    return Err(unsupported(format!("`{kind}` is not taken as input here")));
                };
                turns.push((role, super::conversation::text(&item.content)?));
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
    form: ResponseForm,
    item: String,
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
        known.note(named(&self.caller, &self.form.id), point);
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
            let mut writing = Writing::to(writer);
            // Without a reader the events are dropped, and with that the request is stopped.
            let _left = self.write(events, &mut writing).await;
        });
        events::streamed(of, events::received(pieces))
    }

    async fn write(self, mut events: Events, out: &mut Writing) -> Result<(), Left> {
        let begun = self.form.object("in_progress", Vec::new());
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
                    return out.send("response.failed", self.form.failed(&fault)).await;
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
            return out.send("response.failed", self.form.failed(&fault)).await;
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
        out.end(ended).await
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

    fn ended(&self, answering: &Answering, text: &str) -> Value {
        let ending = Ending::of(answering.finish_reason());
        let output = vec![self.message(ending.status(), Some(text))];
        self.form.ended(ending, output, answering.usage)
    }
}
