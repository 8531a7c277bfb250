//! One answer from its first byte to its last: limits, schema, tool calls, usage.

mod in_text;

use crate::call::{Call, Counted, Piece, ToolChoice};
use crate::error::{self, Error, ErrorKind, notice};
use crate::estimate::{Estimates, Forecast};
use crate::instance::{Instance, Ticket};
use crate::opening::{Backend, Pieces, Tries};
use crate::quiet::Quiet;
use crate::repetition::{Repeated, Watch};
use crate::schema::{Schema, repair};
use api::models::ChatChunk;
use calls::leaked::{self, Splitter};
use domain::fault::Fault;
use domain::id::CallId;
use domain::limits;
use domain::message::ToolCall;
use domain::model::{FinishReason, ModelRef, Think, Usage};
use futures::StreamExt;
use serde_json::Value;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, timeout_at};

/// What an answer needs to be read.
pub(crate) struct Beginning {
    pub(crate) instance: Arc<Instance>,
    pub(crate) estimates: Arc<Estimates>,
    pub(crate) limits: crate::config::LimitsConfig,
    pub(crate) call: Call,
    pub(crate) schema: Option<Schema>,
    pub(crate) forecast: Forecast,
    pub(crate) ticket: Ticket,
    pub(crate) upstream: Pieces,
    pub(crate) reason: String,
    pub(crate) notices: Vec<Fault>,
    pub(crate) started: Instant,
    pub(crate) deadline: Instant,
}

/// One round: a request and its answer. There is more than one only when an answer is repaired.
struct Round {
    text: String,
    splitter: Splitter,
    watch: Watch,
    /// Whether the text is the answer in the form agreed on with the model.
    is_agreed: bool,
    /// Calls that came the proper way.
    native: Vec<(String, Value)>,
    calls: usize,
    counted: Option<Counted>,
    finished: Option<FinishReason>,
    /// What is said of an answer that is nothing but a call that cannot be run.
    failed_call: Option<Fault>,
}

impl Round {
    fn new(call: &Call, backend: &dyn Backend) -> Self {
        // Under a schema the text is the answer, whatever it looks like; thinking is still sorted
        // out of it. An engine that reads its models' own form has found every call already, but
        // where none may be made: a call is no answer there either.
        let is_read = backend.reads_calls() && call.tool_choice != ToolChoice::None;
        let may_call = call.schema.is_none() && !is_read;
        Self {
            text: String::new(),
            splitter: Splitter::new(if may_call { &call.tools } else { &[] }),
            watch: Watch::default(),
            is_agreed: false,
            native: Vec::new(),
            calls: 0,
            counted: None,
            finished: None,
            failed_call: None,
        }
    }
}

/// An answer being read. Dropping it closes the connection.
pub(crate) struct Answer {
    instance: Arc<Instance>,
    estimates: Arc<Estimates>,
    limits: crate::config::LimitsConfig,
    model: ModelRef,
    call: Call,
    schema: Option<Schema>,
    forecast: Forecast,
    ticket: Ticket,
    upstream: Pieces,
    pending: VecDeque<ChatChunk>,
    round: Round,
    first_round: bool,
    repairs_left: u32,
    may_retry_thinking: bool,
    too_many_calls: bool,
    /// Whether it was said that a call in the text stays text.
    left_calls: bool,
    bytes: usize,
    usage: Usage,
    started: Instant,
    deadline: Instant,
    quiet: Quiet,
    done: bool,
    /// What the answer broke off with, told after what had arrived.
    failed: Option<Error>,
}

impl Answer {
    pub(crate) fn new(beginning: Beginning) -> Self {
        let Beginning {
            instance,
            estimates,
            limits,
            call,
            schema,
            forecast,
            ticket,
            upstream,
            reason,
            notices,
            started,
            deadline,
        } = beginning;
        let model = ModelRef {
            provider: instance.name.clone(),
            model: call.model.clone(),
        };
        let mut pending = VecDeque::from([ChatChunk::Started {
            model: model.clone(),
            reason,
        }]);
        pending.extend(notices.into_iter().map(ChatChunk::Notice));
        let may_retry_thinking = schema.is_some()
            && call.think == Think::Off
            && call.can_think != Some(false)
            && instance.backend.ignores_schema_without_thinking();
        Self {
            round: Round::new(&call, instance.backend.as_ref()),
            usage: Usage {
                prefix_reuse_permille: forecast.reuse_permille,
                ..Usage::default()
            },
            instance,
            estimates,
            limits,
            model,
            call,
            schema,
            forecast,
            ticket,
            upstream,
            pending,
            first_round: true,
            repairs_left: limits::SCHEMA_REPAIRS,
            may_retry_thinking,
            too_many_calls: false,
            left_calls: false,
            bytes: 0,
            started,
            deadline,
            quiet: Quiet::begin(),
            done: false,
            failed: None,
        }
    }

    /// The next piece; `None` after the last one or an error.
    pub(crate) async fn next(&mut self) -> Option<Result<ChatChunk, Error>> {
        loop {
            if let Some(chunk) = self.pending.pop_front() {
                return Some(Ok(chunk));
            }
            if let Some(error) = self.failed.take() {
                return Some(Err(error));
            }
            if self.done {
                return None;
            }
            if let Err(error) = self.advance().await {
                self.done = true;
                self.ticket.failed(error.kind);
                self.release_held_text();
                self.failed = Some(error);
            }
        }
    }

    /// Hands out the text that was held back because a call might have begun in it, of an answer that
    /// broke off. What looks like the beginning of a call is no part of an answer.
    fn release_held_text(&mut self) {
        let splitter = std::mem::replace(&mut self.round.splitter, Splitter::new(&[]));
        for piece in splitter.finish() {
            if let leaked::Piece::Text(text) = piece
                && !text.trim_start().starts_with(['{', '[', '<', '`'])
            {
                self.sorted(leaked::Piece::Text(text));
            }
        }
    }

    async fn advance(&mut self) -> Result<(), Error> {
        let until = self.deadline.min(self.quiet.due());
        match timeout_at(until, self.upstream.next()).await {
            Ok(Some(piece)) => {
                let piece = piece?;
                // Neither a count nor the prompt's progress is anything of the answer.
                if !matches!(piece, Piece::Counted(_) | Piece::Prompt(_)) {
                    self.quiet = Quiet::within();
                }
                self.take(piece)
            }
            Ok(None) => Box::pin(self.end_round()).await,
            Err(_elapsed) if until < self.deadline => {
                let said = self.quiet.say(&self.instance.name, self.instance.call_time);
                self.pending.push_back(ChatChunk::Notice(said));
                Ok(())
            }
            Err(_elapsed) => Err(Error::new(
                ErrorKind::Timeout,
                format!(
                    "{} did not finish its answer within the time allowed",
                    self.model
                ),
            )
            .with_hint(error::raise_timeout(&self.instance.name))),
        }
    }

    fn take(&mut self, piece: Piece) -> Result<(), Error> {
        self.bytes = self.bytes.saturating_add(piece.bytes());
        if self.bytes > limits::MODEL_ANSWER_BYTES {
            return Err(error::answer_too_large(&self.instance.name));
        }
        if piece.bytes() > 0 && self.usage.first_token_ms == 0 {
            self.usage.first_token_ms = millis(self.started.elapsed()).max(1);
        }
        let repeated = self.round.watch.take(&piece);
        self.sort(piece);
        if let Some(repeated) = repeated {
            self.stop(repeated);
        }
        Ok(())
    }

    /// Hears no more of a model that repeats itself: closing the connection stops the server, too.
    fn stop(&mut self, repeated: Repeated) {
        self.upstream = futures::stream::empty().boxed();
        self.round.finished = Some(FinishReason::Repetition);
        if let Repeated::Call { name, arguments } = repeated {
            self.call(name, arguments, false);
        }
    }

    /// Hands a piece on as what it is.
    fn sort(&mut self, piece: Piece) {
        match piece {
            Piece::Prompt(progress) => {
                let told = self.quiet.heard(progress).then_some(progress);
                self.pending.extend(told.map(ChatChunk::PromptRead));
            }
            Piece::Text(text) => self.text(&text),
            Piece::Answered(text) => {
                if !std::mem::replace(&mut self.round.is_agreed, true) {
                    self.round.splitter = Splitter::new(&[]);
                }
                self.text(&text);
            }
            Piece::Thinking(text) => self.pending.push_back(ChatChunk::Thinking(text)),
            Piece::ThinkingBlock(block) => self.pending.push_back(ChatChunk::ThinkingBlock(block)),
            Piece::CallDelta {
                index,
                name,
                arguments,
            } => self.pending.push_back(ChatChunk::ToolCallDelta {
                index,
                name,
                arguments,
            }),
            Piece::Call { name, arguments } if self.is_quoted_json(&name, &arguments) => {
                let written = calls::json_calls::write_call(&name, &arguments);
                self.sorted(leaked::Piece::Text(written));
                self.left(&name);
            }
            Piece::Call { name, arguments } => {
                self.round.native.push((name.clone(), arguments.clone()));
                self.estimates.call_worked(&self.model.to_string());
                let meant = leaked::on_offer(&self.call.tools, &name);
                let name = meant.map_or(name, |tool| tool.name.to_string());
                self.call(name, arguments, false);
            }
            Piece::Counted(counted) => self.round.counted = Some(counted.bounded()),
            Piece::Notice(fault) => self.pending.push_back(ChatChunk::Notice(fault)),
            Piece::Finished(reason) => self.round.finished = Some(reason),
        }
    }

    /// Sorts text into what it is.
    fn text(&mut self, text: &str) {
        for piece in self.round.splitter.push(text) {
            self.sorted(piece);
        }
    }

    fn sorted(&mut self, piece: leaked::Piece) {
        match piece {
            leaked::Piece::Text(text) => {
                self.round.text.push_str(&text);
                if self.schema.is_none() {
                    self.pending.push_back(ChatChunk::Text(text));
                }
            }
            leaked::Piece::Thinking(text) => self.pending.push_back(ChatChunk::Thinking(text)),
            leaked::Piece::Calls { calls, written } => self.leaked(calls, written),
            leaked::Piece::Left(tool) => self.left(&tool),
            leaked::Piece::NotOffered {
                calls,
                tool,
                written,
            } => self.not_offered(&calls, &tool, written),
            leaked::Piece::Malformed { calls, written } => self.malformed(&calls, written),
            leaked::Piece::Broken(tool) => self.broken(tool.as_deref()),
            leaked::Piece::Withdrawn => {
                self.round.text.clear();
                if self.schema.is_none() {
                    self.pending
                        .push_back(ChatChunk::TextReplaced(String::new()));
                }
            }
        }
    }

    fn call(&mut self, name: String, arguments: Value, recovered: bool) {
        if self.round.calls >= limits::TOOL_CALLS_HEARD {
            if !self.too_many_calls {
                self.too_many_calls = true;
                self.pending.push_back(ChatChunk::Notice(notice(
                    "models.too_many_calls",
                    format!(
                        "{} asked for more than {} tools in one reply; the rest is left out",
                        self.model,
                        limits::TOOL_CALLS_HEARD
                    ),
                    "",
                )));
            }
            return;
        }
        self.round.calls += 1;
        self.pending.push_back(ChatChunk::ToolCall {
            call: ToolCall {
                call_id: CallId::from_uuid(uuid::Uuid::now_v7()),
                name,
                arguments,
            },
            recovered,
        });
    }

    /// The server has said everything.
    async fn end_round(&mut self) -> Result<(), Error> {
        let Some(mut reason) = self.round.finished else {
            return Err(error::interrupted(&self.instance.name));
        };
        let splitter = std::mem::replace(&mut self.round.splitter, Splitter::new(&[]));
        let rest = match reason.is_cut() {
            true => splitter.finish_cut(),
            false => splitter.finish(),
        };
        for piece in rest {
            self.sorted(piece);
        }
        self.count();
        if let Some(failed) = self.round.failed_call.take() {
            if self.should_ask_as_json() {
                return self.ask_as_json().await;
            }
            self.pending.push_back(ChatChunk::Notice(failed));
        } else if !self.left_calls {
            self.estimates.call_worked(&self.model.to_string());
        }
        if self.round.calls > 0 && reason == FinishReason::Stop {
            reason = FinishReason::ToolCalls;
        }
        // A reply that calls tools is not the answer that the schema is for.
        if self.round.calls == 0
            && let Some(schema) = &self.schema
        {
            match schema.check(&self.round.text) {
                Ok(text) => self.pending.push_back(ChatChunk::Text(text)),
                Err(problems) => return self.repair(&problems, reason).await,
            }
        }
        self.done = true;
        self.ticket.succeeded();
        self.usage.total_ms = millis(self.started.elapsed());
        self.pending.push_back(ChatChunk::Usage(self.usage));
        self.pending.push_back(ChatChunk::Finished(reason));
        Ok(())
    }

    /// Adds the round's tokens, learns from them, and says when the server cut the prompt.
    fn count(&mut self) {
        let Some(counted) = self.round.counted else {
            return;
        };
        self.usage.prompt_tokens += counted.prompt.unwrap_or(0);
        self.usage.cached_tokens += counted.cached;
        self.usage.completion_tokens += counted.completion;
        if !self.first_round {
            return;
        }
        let missing = self.estimates.learn(
            &self.model.to_string(),
            self.forecast,
            counted,
            self.instance.backend.counts_cached(),
        );
        if let Some(missing) = missing.filter(|_| self.instance.backend.may_cut()) {
            self.pending.push_back(ChatChunk::Notice(notice(
                "context.truncated",
                format!(
                    "{} read {} tokens of a prompt of about {:.0}: some {missing} at its beginning, \
                     where the instructions are, were cut",
                    self.model,
                    counted.prompt.unwrap_or(0),
                    self.forecast.tokens,
                ),
                error::fit_context(&self.instance.name),
            )));
        }
    }

    /// Asks again: with thinking on where its absence may be the reason, then with the problems
    /// shown.
    async fn repair(&mut self, problems: &str, reason: FinishReason) -> Result<(), Error> {
        if self.may_retry_thinking {
            self.may_retry_thinking = false;
            self.call.think = Think::On;
            self.call.can_think = Some(true);
            self.pending.push_back(ChatChunk::Notice(notice(
                "models.schema_retry",
                format!(
                    "{} does not keep to a schema with thinking off; asking again with it on",
                    self.model
                ),
                "",
            )));
        } else if self.repairs_left > 0 {
            self.repairs_left -= 1;
            let answer = std::mem::take(&mut self.round.text);
            self.call.messages.extend(repair(&answer, problems));
            self.pending.push_back(ChatChunk::Notice(notice(
                "models.schema_repair",
                format!(
                    "{} gave an answer that does not fit its schema; asking it to correct that",
                    self.model
                ),
                "",
            )));
        } else {
            let cut = if reason.is_cut() {
                "; the last answer was cut"
            } else {
                ""
            };
            return Err(Error::new(
                ErrorKind::SchemaUnmet,
                format!(
                    "{} did not give an answer that fits its schema in {} tries{cut}: {}",
                    self.model,
                    limits::SCHEMA_REPAIRS + 1,
                    // On one line each is told from the next by more than its dash.
                    error::quote(&problems.trim_start_matches("- ").replace("\n- ", "; "))
                ),
            )
            .with_hint("use a larger model for this"));
        }
        self.round = Round::new(&self.call, self.instance.backend.as_ref());
        self.first_round = false;
        self.reopen().await
    }

    async fn reopen(&mut self) -> Result<(), Error> {
        let mut tries = Tries::new(&self.limits, self.deadline);
        let mut notices = Vec::new();
        loop {
            let opened =
                match timeout_at(self.deadline, self.instance.backend.open(&self.call)).await {
                    Ok(opened) => opened,
                    Err(_elapsed) => {
                        return Err(Error::new(
                            ErrorKind::Timeout,
                            format!(
                                "{} did not finish its answer within the time allowed",
                                self.model
                            ),
                        ));
                    }
                };
            match opened {
                Ok(upstream) => {
                    self.upstream = upstream;
                    self.pending
                        .extend(notices.into_iter().map(ChatChunk::Notice));
                    return Ok(());
                }
                Err(failure) => tries.next(failure, &mut notices).await?,
            }
        }
    }
}

/// A duration in whole milliseconds.
fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
