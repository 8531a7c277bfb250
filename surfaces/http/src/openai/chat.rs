//! `POST /v1/chat/completions`.

use super::answering::{Answering, Told};
use super::conversation::{Conversation, key, unsupported};
use super::form::{Form, line};
use super::placing::placed;
use super::wire::{ChatRequest, Delta, Said, Stop, StreamOptions};
use super::{Shaped, calls, error, failed, offered};
use crate::app::{App, Caller};
use crate::conversations::Point;
use crate::events;
use crate::limits::EVENTS_AHEAD;
use crate::problem::Problem;
use crate::wire;
use crate::work::{self, Events, OnHangUp};
use axum::Extension;
use axum::body::Bytes;
use axum::extract::State;
use axum::response::Response;
use tokio::sync::mpsc;

/// `POST /v1/chat/completions`.
pub(crate) async fn chat(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    body: Bytes,
) -> Result<Response, Shaped> {
    let request: ChatRequest = wire::read(&body)?;
    refuse_what_is_not_done(&request)?;
    if offered::are_given(&request) {
        return calls::answer(app, caller, request).await;
    }
    let conversation = Conversation::of(&request.messages)?;
    let known = key(&caller.name, &request.model, &conversation.before);
    let asked = (request.model.as_str(), &conversation);
    let (lease, send) = placed(&app, &caller, asked, &known).await?;
    let session_id = lease.session_id;
    let events = work::begin(&app, lease, send, OnHangUp::Stop).await?;
    let stops = match request.stop {
        None => Vec::new(),
        Some(Stop::One(stop)) => vec![stop],
        Some(Stop::Several(stops)) => stops,
    };
    let chat = Chat {
        app,
        caller,
        session_id,
        form: Form::new(request.model),
        conversation,
        stops,
    };
    match request.stream {
        Some(true) => Ok(chat.streamed(events, request.stream_options)),
        _ => chat.whole(events).await,
    }
}

/// What would change the answer and is not done is refused, and not read over.
fn refuse_what_is_not_done(request: &ChatRequest) -> Result<(), Problem> {
    let named = |all: &Option<Vec<_>>| all.as_ref().is_some_and(|all| !all.is_empty());
    if named(&request.functions) {
        return Err(unsupported("`functions` are given as `tools` here"));
    }
    if request.n.is_some_and(|n| n != 1) {
        return Err(unsupported("one answer is given at a time: `n` is 1"));
    }
    if request.logprobs == Some(true) {
        return Err(unsupported("an agent's answer has no `logprobs`"));
    }
    match &request.response_format {
        Some(format) if format.kind != "text" => Err(unsupported(
            "an agent answers in text: `response_format` is `text`",
        )),
        _ => Ok(()),
    }
}

/// A request that is being answered.
struct Chat {
    app: App,
    caller: Caller,
    session_id: domain::id::SessionId,
    form: Form,
    conversation: Conversation,
    stops: Vec<String>,
}

impl Chat {
    /// Notes how the conversation goes on from here.
    fn note(&self, answering: &Answering, told: &str) {
        let Some(query_id) = answering.query_id else {
            return;
        };
        let turns = self.conversation.answered(told);
        let point = Point {
            session_id: self.session_id,
            query_id,
            seq: answering.last_seq,
            is_taken: false,
        };
        let key = key(&self.caller.name, &self.form.model, &turns);
        self.app.conversations.note(key, point);
    }

    async fn whole(self, mut events: Events) -> Result<Response, Shaped> {
        let mut answering = Answering::new(self.stops.clone());
        while let Some(event) = events.recv().await {
            answering.take(&event.map_err(Problem::from)?);
        }
        answering.content.clear();
        if let Some(fault) = answering.failure() {
            return Err(failed(fault).into());
        }
        let content = answering.whole(self.stops.clone());
        self.note(&answering, &content);
        let message = Said {
            role: "assistant",
            content: &content,
            reasoning_content: &answering.reasoning,
            tool_calls: &[],
            refusal: (),
        };
        let (finish, usage) = (answering.finish_reason(), answering.usage.into());
        Ok(self.form.whole(message, finish, usage))
    }

    fn streamed(self, events: Events, options: Option<StreamOptions>) -> Response {
        let (writer, pieces) = mpsc::channel(EVENTS_AHEAD);
        let of = (self.app.clone(), self.caller.clone());
        let has_usage = options.is_some_and(|options| options.include_usage);
        tokio::spawn(self.write(events, (writer, has_usage)));
        events::streamed(of, events::received(pieces))
    }

    /// Writes the answer as it comes. Without a reader the events are dropped, and with that the request
    /// is stopped.
    async fn write(self, mut events: Events, (writer, has_usage): (mpsc::Sender<Bytes>, bool)) {
        let mut answering = Answering::new(self.stops.clone());
        let begins = Delta {
            role: Some("assistant"),
            content: Some(""),
            ..Delta::default()
        };
        let mut is_read = writer.send(self.form.piece(begins, None)).await.is_ok();
        while is_read {
            let event = tokio::select! {
                biased;
                () = writer.closed() => return,
                event = events.recv() => event,
            };
            let told = match event {
                None => break,
                Some(Ok(event)) => answering.take(&event),
                Some(Err(broken)) => {
                    let problem = Problem::from(broken);
                    let _told = writer.send(line(&error(&problem).to_string())).await;
                    return;
                }
            };
            for told in &told {
                is_read &= writer.send(self.told(told)).await.is_ok();
            }
        }
        let last = match answering.failure() {
            Some(fault) => vec![line(&error(&failed(fault)).to_string())],
            None => {
                self.note(&answering, &answering.content);
                let end = self
                    .form
                    .piece(Delta::default(), Some(answering.finish_reason()));
                let usage =
                    has_usage.then(|| self.form.chunk(Vec::new(), Some(answering.usage.into())));
                [Some(end), usage].into_iter().flatten().collect()
            }
        };
        for piece in last.into_iter().chain([line("[DONE]")]) {
            // Whoever left before the end has all that there is.
            let _read = writer.send(piece).await;
        }
    }

    fn told(&self, told: &Told) -> Bytes {
        let delta = match told {
            Told::Content(text) => Delta {
                content: Some(text),
                ..Delta::default()
            },
            Told::Reasoning(text) => Delta {
                reasoning_content: Some(text),
                ..Delta::default()
            },
        };
        self.form.piece(delta, None)
    }
}
