//! `POST /v1/chat/completions` of a client that has tools of its own: the model of the agent's role is
//! asked with them and with none of ours, and what it calls is handed back.

use super::asking::{Said, ask};
use super::conversation::unsupported;
use super::cut::Cut;
use super::form::{Form, finish_word, line};
use super::offered::{Given, Offered, called};
use super::wire::{self, Called, CalledPiece, Delta, Stop, Usage};
use super::{Shaped, error, failed, models};
use crate::app::{App, Caller};
use crate::events;
use crate::limits::EVENTS_AHEAD;
use crate::problem::{Problem, fault};
use api::models::ChatRequest;
use axum::body::Bytes;
use axum::response::Response;
use domain::fault::Fault;
use domain::model::FinishReason;
use tokio::sync::mpsc;
use uuid::Uuid;

/// Answers a client with tools of its own.
pub(super) async fn answer(
    app: App,
    caller: Caller,
    request: wire::ChatRequest,
) -> Result<Response, Shaped> {
    let said = asked(&app, &caller, (&request.model, Given::of(&request))).await?;
    let stops = match request.stop {
        None => Vec::new(),
        Some(Stop::One(stop)) => vec![stop],
        Some(Stop::Several(stops)) => stops,
    };
    let answer = Answer {
        form: Form::new(request.model),
        cut: Cut::at(stops),
        said: String::new(),
        content: String::new(),
        reasoning: String::new(),
        calls: Vec::new(),
        end: None,
    };
    match request.stream {
        Some(true) => {
            let (writer, pieces) = mpsc::channel(EVENTS_AHEAD);
            let has_usage = request.stream_options.is_some_and(|one| one.include_usage);
            tokio::spawn(answer.write(said, writer, has_usage));
            Ok(events::streamed((app, caller), events::received(pieces)))
        }
        _ => answer.whole(said).await,
    }
}

/// Asks the model of an agent's role with what a client gives.
pub(super) async fn asked(
    app: &App,
    caller: &Caller,
    (name, given): (&str, Given<'_>),
) -> Result<mpsc::Receiver<Said>, Problem> {
    let mark = Uuid::new_v4().simple().to_string();
    let Offered {
        messages,
        tools,
        choice,
    } = Offered::of(given, &mark)?;
    let Some(asked) = models::asked_for(app, caller, name).await? else {
        let said = "a model that plans first takes no tools of the client's own";
        return Err(unsupported(said));
    };
    let request = ChatRequest {
        tools,
        tool_choice: choice,
        think: asked.think,
        context_tokens: asked.context_tokens,
        ..ChatRequest::new(asked.model, messages)
    };
    Ok(ask(app, caller, request))
}

/// An answer that comes.
struct Answer {
    form: Form,
    cut: Cut,
    /// All that the model said, also behind where the answer ends.
    said: String,
    content: String,
    reasoning: String,
    calls: Vec<Called>,
    end: Option<Result<(FinishReason, Usage), Fault>>,
}

impl Answer {
    async fn whole(mut self, mut said: mpsc::Receiver<Said>) -> Result<Response, Shaped> {
        let mut cut = std::mem::take(&mut self.cut);
        while let Some(one) = said.recv().await {
            match one {
                Said::Text(text) => self.said.push_str(&text),
                Said::Instead(text) => self.said = text,
                Said::Thinking(text) => self.reasoning.push_str(&text),
                Said::Call(call) => self.calls.push(called(&call)),
                Said::Ended(finish, usage) => self.end = Some(Ok((finish, usage.into()))),
                Said::Failed(fault) => self.end = Some(Err(fault)),
            }
        }
        self.content = cut.pass(&self.said);
        self.content.push_str(&cut.rest());
        let (finish, usage) = match &self.end {
            Some(Ok((finish, usage))) => (*finish, *usage),
            Some(Err(fault)) => return Err(failed(fault.clone()).into()),
            None => return Err(failed(broken_off()).into()),
        };
        let message = wire::Said {
            role: "assistant",
            content: &self.content,
            reasoning_content: &self.reasoning,
            tool_calls: &self.calls,
            refusal: (),
        };
        Ok(self.form.whole(message, self.finish_reason(finish), usage))
    }

    /// Writes the answer as it comes. Without a reader what is said is dropped, and with that the model
    /// is stopped.
    async fn write(
        mut self,
        mut said: mpsc::Receiver<Said>,
        writer: mpsc::Sender<Bytes>,
        has_usage: bool,
    ) {
        let begins = Delta {
            role: Some("assistant"),
            content: Some(""),
            ..Delta::default()
        };
        let mut next = vec![self.form.piece(begins, None)];
        loop {
            for piece in next.drain(..) {
                if writer.send(piece).await.is_err() {
                    return;
                }
            }
            let one = tokio::select! {
                biased;
                () = writer.closed() => return,
                one = said.recv() => one,
            };
            match one {
                Some(one) => next.extend(self.take(one)),
                None => break,
            }
        }
        for piece in self.last(has_usage) {
            // Whoever left before the end has all that there is.
            let _read = writer.send(piece).await;
        }
    }

    /// What is told of a piece.
    fn take(&mut self, one: Said) -> Option<Bytes> {
        match one {
            Said::Text(text) => self.pass(&text),
            Said::Instead(text) => {
                // What was told stays told; what goes on from there is new.
                let new = text.strip_prefix(self.said.as_str());
                let new = self.cut.pass(new.unwrap_or_default());
                self.said = text;
                self.content(&new)
            }
            Said::Thinking(text) => Some(self.form.piece(
                Delta {
                    reasoning_content: Some(&text),
                    ..Delta::default()
                },
                None,
            )),
            Said::Call(call) => {
                let index = self.calls.len();
                let called = called(&call);
                let piece = CalledPiece {
                    index,
                    called: &called,
                };
                let delta = Delta {
                    tool_calls: Some([piece]),
                    ..Delta::default()
                };
                let piece = self.form.piece(delta, None);
                self.calls.push(called);
                Some(piece)
            }
            Said::Ended(finish, usage) => {
                self.end = Some(Ok((finish, usage.into())));
                None
            }
            Said::Failed(fault) => {
                self.end = Some(Err(fault));
                None
            }
        }
    }

    fn pass(&mut self, text: &str) -> Option<Bytes> {
        self.said.push_str(text);
        let text = self.cut.pass(text);
        self.content(&text)
    }

    fn content(&self, text: &str) -> Option<Bytes> {
        let delta = Delta {
            content: Some(text),
            ..Delta::default()
        };
        (!text.is_empty()).then(|| self.form.piece(delta, None))
    }

    /// How a stream ends.
    fn last(&mut self, has_usage: bool) -> Vec<Bytes> {
        let rest = self.cut.rest();
        let mut last: Vec<Bytes> = self.content(&rest).into_iter().collect();
        let end = self.end.take().unwrap_or_else(|| Err(broken_off()));
        match end {
            Ok((finish, usage)) => {
                last.push(
                    self.form
                        .piece(Delta::default(), Some(self.finish_reason(finish))),
                );
                last.extend(has_usage.then(|| self.form.chunk(Vec::new(), Some(usage))));
            }
            Err(fault) => last.push(line(&error(&failed(fault)).to_string())),
        }
        last.push(line("[DONE]"));
        last
    }

    /// Why the answer ends.
    fn finish_reason(&self, finish: FinishReason) -> &'static str {
        match finish_word(Some(finish)) {
            "stop" if !self.calls.is_empty() => "tool_calls",
            word => word,
        }
    }
}

/// What is said where the model ended without a word of it.
pub(super) fn broken_off() -> Fault {
    fault("models.interrupted", "the model's answer broke off", "")
}
