//! The gateway behind the contract.

use crate::answer::{Answer, Beginning};
use crate::call::{Call, Facts, Form};
use crate::class::{Size, class};
use crate::config::{Config, ToolCalls};
use crate::error::{self, Error, ErrorKind, notice};
use crate::estimate::{Estimates, Prompt};
use crate::instance::{Instance, Teller, Ticket, Wants};
use crate::levels::{self, Levels};
use crate::opening::{Failure, Pieces, Tries};
use crate::registry::{Registry, Target};
use crate::schema::Schema;
use crate::{EngineSettings, choose, quiet, reading, spoken, temperature, waiting};
use api::Streaming;
use api::models::{
    ChatChunk, ChatRequest, EmbedPurpose, EmbedRequest, Embeddings, ModelFacts, ModelInfo, Models,
    ProviderHealth,
};
use api::secrets::Secrets;
use async_trait::async_trait;
use domain::fault::{Coded, Fault};
use domain::model::{ModelChoice, Priority, PromptProgress, Think};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, timeout_at};

/// Texts sent to an embedding server in one request.
const EMBED_BATCH: usize = 64;

/// What a request waits for, as far as its caller need not have heard it yet.
const TOLD: usize = 16;

/// The model gateway. Cheap to make: nothing is connected, started or loaded before it is needed.
#[derive(Clone)]
pub struct Service {
    inner: Arc<Inner>,
}

struct Inner {
    config: Config,
    registry: Registry,
    estimates: Arc<Estimates>,
    levels: Levels,
}

impl Service {
    /// Builds the gateway from its configuration. `secrets` gives provider keys; `engine` says how
    /// to start the embedded engine.
    ///
    /// # Errors
    /// `NotConfigured` when an endpoint is no URL, or a role, fallback or default names a provider
    /// that does not exist.
    pub fn new(
        config: Config,
        secrets: Option<Arc<dyn Secrets>>,
        engine: EngineSettings,
    ) -> Result<Self, Error> {
        let registry = Registry::new(&config, secrets, engine)?;
        let estimates = Estimates::default();
        Ok(Self::of(config, registry, estimates))
    }

    /// The same, with what is learnt of models kept in this file, and what earlier processes learnt.
    ///
    /// # Errors
    /// As [`Service::new`].
    pub fn remembering(
        config: Config,
        secrets: Option<Arc<dyn Secrets>>,
        engine: EngineSettings,
        file: PathBuf,
    ) -> Result<Self, Error> {
        let registry = Registry::new(&config, secrets, engine)?;
        Ok(Self::of(config, registry, Estimates::kept_in(file)))
    }

    fn of(config: Config, registry: Registry, estimates: Estimates) -> Self {
        Self {
            inner: Arc::new(Inner {
                config,
                registry,
                estimates: Arc::new(estimates),
                levels: Levels::default(),
            }),
        }
    }
}

#[async_trait]
impl Models for Service {
    async fn chat(&self, request: ChatRequest) -> Result<Streaming<ChatChunk, Error>, Error> {
        let inner = Arc::clone(&self.inner);
        let (teller, told) = mpsc::channel(TOLD);
        let opening = async move { inner.chat(request, &teller).await };
        waiting::stream(Box::pin(opening), told).await
    }

    async fn embed(&self, request: EmbedRequest) -> Result<Embeddings, Error> {
        self.inner.embed(request).await
    }

    async fn list_models(&self) -> Result<Vec<ModelInfo>, Error> {
        self.inner.registry.list(&self.inner.config).await
    }

    async fn describe(&self, model: ModelChoice) -> Result<ModelFacts, Error> {
        self.inner.describe(&model).await
    }

    async fn count_tokens(&self, model: ModelChoice, text: String) -> Result<u64, Error> {
        self.inner.count_tokens(model, &text).await
    }

    async fn health(&self) -> Result<Vec<ProviderHealth>, Error> {
        Ok(self.inner.registry.health(&self.inner.config).await)
    }
}

impl Inner {
    /// Longest a request waits for its turn.
    fn longest_wait(&self) -> Duration {
        Duration::from_millis(self.config.limits.queue_ms)
    }

    async fn chat(&self, request: ChatRequest, teller: &Teller) -> Result<Box<Answer>, Error> {
        let schema = match &request.response_schema {
            Some(schema) => Some(Schema::new(schema)?),
            None => None,
        };
        let (mut failed, mut silent) =
            match self.registry.resolve(&self.config, &request.model).await {
                Ok(target) => {
                    let asked = target.model_ref().to_string();
                    match Box::pin(self.ask(&request, target, schema, Vec::new(), teller)).await {
                        Ok(answer) => return Ok(answer),
                        Err(error) => (error, asked),
                    }
                }
                // Where no model is named, a server that is down does not say which it has.
                Err(error) => (error, "the default provider".to_owned()),
            };
        if matches!(request.model, ModelChoice::Exact(_)) {
            return Err(failed);
        }
        let (mut earlier, mut told) = (Vec::new(), Vec::new());
        for fallback in &self.config.fallbacks {
            if !is_outage(failed.kind) {
                break;
            }
            let target = self.registry.standing_in(fallback, &silent)?;
            // Each that did not answer is named, the first above all: it is the one that was wanted.
            told.push(notice(
                "models.fallback",
                format!(
                    "{silent} did not answer ({}); {fallback} answers instead, as models.fallbacks \
                     says.",
                    failed.message().trim_end_matches('.')
                ),
                failed.hint(),
            ));
            let schema = match &request.response_schema {
                Some(schema) => Some(Schema::new(schema)?),
                None => None,
            };
            match Box::pin(self.ask(&request, target, schema, told.clone(), teller)).await {
                Ok(answer) => return Ok(answer),
                Err(error) => {
                    let (before, name) = (failed, silent);
                    earlier.push(format!("{name} did not answer ({})", before.message()));
                    (failed, silent) = (error, fallback.to_string());
                }
            }
        }
        if !earlier.is_empty() {
            let told = earlier.join("; ");
            failed.detail = format!("{}. Before that {told}", failed.detail);
        }
        Err(failed)
    }

    /// Asks one provider.
    async fn ask(
        &self,
        request: &ChatRequest,
        mut target: Target,
        schema: Option<Schema>,
        mut notices: Vec<Fault>,
        teller: &Teller,
    ) -> Result<Box<Answer>, Error> {
        let started = Instant::now();
        let until = request.deadline.map(|wait| started + wait);
        let wants = Wants {
            model: &target.model,
            priority: request.priority,
            until: until.unwrap_or_else(|| started + self.longest_wait()),
            teller: Some(teller),
        };
        let mut ticket = target.instance.admit(wants).await?;
        let most = Instant::now() + target.instance.call_time;
        let deadline = until.map_or(most, |until| until.min(most));
        let (call, upstream) = match self
            .open(
                request,
                &mut target,
                (&mut ticket, teller),
                deadline,
                &mut notices,
            )
            .await
        {
            Ok(opened) => opened,
            Err(error) => {
                ticket.failed(error.kind);
                self.registry.forget(&target.instance);
                return Err(error);
            }
        };
        ticket.answering();
        let agent = request
            .context
            .as_ref()
            .map(|context| format!("{} {}", context.session_id, context.agent_token.expose()));
        let model = target.model_ref().to_string();
        let forecast = self.estimates.forecast(agent, &model, Prompt::of(&call));
        Ok(Box::new(Answer::new(Beginning {
            instance: target.instance,
            estimates: Arc::clone(&self.estimates),
            limits: self.config.limits.clone(),
            call,
            schema,
            forecast,
            ticket,
            upstream,
            reason: target.reason,
            notices,
            started,
            deadline,
        })))
    }

    /// Opens an answer; where the model of a role is missing, from the best installed one.
    async fn open(
        &self,
        request: &ChatRequest,
        target: &mut Target,
        (ticket, teller): (&mut Ticket, &Teller),
        deadline: Instant,
        notices: &mut Vec<Fault>,
    ) -> Result<(Call, Pieces), Error> {
        match Box::pin(self.try_open(request, target, (deadline, teller), notices)).await {
            Err(error) if error.kind == ErrorKind::UnknownModel && target.role.is_some() => {
                self.registry.substitute(target, error, notices).await?;
                ticket.asks_instead(&target.model);
                Box::pin(self.try_open(request, target, (deadline, teller), notices)).await
            }
            other => other,
        }
    }

    async fn try_open(
        &self,
        request: &ChatRequest,
        target: &Target,
        (deadline, teller): (Instant, &Teller),
        notices: &mut Vec<Fault>,
    ) -> Result<(Call, Pieces), Error> {
        let backend = &target.instance.backend;
        let facts = timeout_at(deadline, backend.facts(&target.model))
            .await
            .unwrap_or_else(|_elapsed| Err(out_of_time(target)))?;
        let model = target.model_ref().to_string();
        let mut call = call_of(request, target, &facts);
        let mut level = self.levels.begin(&model, call.think);
        call.think = level.sent;
        let usual = temperature::usual(&call, class(size(target, &facts)));
        call.temperature = call.temperature.or(usual);
        if self.offers_as_json(&target.instance, &model) {
            spoken::rewrite(&mut call)?;
        }
        let mut tries = Tries::new(&self.config.limits, deadline);
        let (heard, _) = watch::channel(PromptProgress::default());
        loop {
            let whose = (target.instance.name.as_str(), target.instance.call_time);
            let opening = timeout_at(deadline, async {
                let upstream = backend.open(&call).await?;
                match call.tells_progress {
                    true => reading::until_answer(whose.0, upstream, &heard).await,
                    false => Ok(upstream),
                }
            });
            let opened = quiet::told(opening, heard.subscribe(), whose, |chunk| {
                // A caller that does not listen is not waited for.
                let _unheard = teller.try_send(chunk);
            })
            .await
            .unwrap_or_else(|_elapsed| Err(Failure::last(out_of_time(target))));
            match opened {
                Ok(upstream) => {
                    notices.extend(self.levels.taken(&model, &level));
                    let known = (facts.thinks, backend.is_told_how_much_to_think());
                    notices.extend(levels::of_no_use(&model, request.think, known));
                    return Ok((call, upstream));
                }
                Err(failure) if level.lower(&failure.error) => call.think = level.sent,
                Err(failure) => tries.next(failure, notices).await?,
            }
        }
    }

    /// Whether tools are offered as JSON to a model of an instance.
    fn offers_as_json(&self, instance: &Instance, model: &str) -> bool {
        match instance.tool_calls {
            ToolCalls::Json => true,
            ToolCalls::Native => false,
            ToolCalls::Auto => self.estimates.calls_as_json(model),
        }
    }

    async fn describe(&self, model: &ModelChoice) -> Result<ModelFacts, Error> {
        let target = self.registry.resolve(&self.config, model).await?;
        let instance = &target.instance;
        let facts = match instance.backend.describe(&target.model).await {
            Ok(facts) => facts,
            // The chat says so, and takes another model where it may.
            Err(error) => {
                tracing::debug!(model = %target.model_ref(), %error, "not described");
                Facts::default()
            }
        };
        let usual = instance.context_tokens;
        Ok(ModelFacts {
            context_tokens: Some(facts.context_tokens.map_or(usual, |most| usual.min(most))),
            sees: instance.vision.or(facts.sees),
            tokens_permille: self.estimates.permille(&target.model_ref().to_string()),
            class: class(size(&target, &facts)),
            is_stand_in: instance.is_embedded,
            holds_calls: instance.backend.reads_calls()
                || self.offers_as_json(instance, &target.model_ref().to_string()),
        })
    }

    async fn embed(&self, request: EmbedRequest) -> Result<Embeddings, Error> {
        let mut target = self.registry.resolve(&self.config, &request.model).await?;
        let wants = Wants {
            model: &target.model,
            priority: match request.purpose {
                EmbedPurpose::Query => Priority::User,
                EmbedPurpose::Document => Priority::Background,
            },
            until: Instant::now() + self.longest_wait(),
            teller: None,
        };
        let mut ticket = target.instance.admit(wants).await?;
        let deadline = Instant::now() + target.instance.call_time;
        let mut embedded = self.embed_at(&target, &request, deadline).await;
        if let Err(error) = embedded {
            if error.kind == ErrorKind::UnknownModel && target.role.is_some() {
                let mut notices = Vec::new();
                self.registry
                    .substitute(&mut target, error, &mut notices)
                    .await?;
                ticket.asks_instead(&target.model);
                for fault in notices {
                    tracing::warn!(code = fault.code, "{}", fault.message);
                }
                embedded = self.embed_at(&target, &request, deadline).await;
            } else {
                embedded = Err(error);
            }
        }
        match embedded {
            Ok(vectors) => {
                ticket.answering();
                ticket.succeeded();
                Ok(Embeddings {
                    model: target.model_ref(),
                    vectors,
                })
            }
            Err(error) => {
                ticket.failed(error.kind);
                self.registry.forget(&target.instance);
                Err(error)
            }
        }
    }

    async fn embed_at(
        &self,
        target: &Target,
        request: &EmbedRequest,
        deadline: Instant,
    ) -> Result<Vec<Vec<f32>>, Error> {
        let prefix = choose::prefix(&target.model, request.purpose);
        let mut vectors = Vec::with_capacity(request.texts.len());
        for batch in request.texts.chunks(EMBED_BATCH) {
            let batch: Vec<String> = batch.iter().map(|text| format!("{prefix}{text}")).collect();
            let mut tries = Tries::new(&self.config.limits, deadline);
            let mut notices = Vec::new();
            let answer = loop {
                let asked = target.instance.backend.embed(&target.model, &batch);
                match timeout_at(deadline, asked)
                    .await
                    .unwrap_or_else(|_elapsed| Err(Failure::last(out_of_time(target))))
                {
                    Ok(answer) => break answer,
                    Err(failure) => tries.next(failure, &mut notices).await?,
                }
            };
            if answer.len() != batch.len() {
                return Err(error::protocol(
                    &target.instance.name,
                    format!("{} embeddings for {} texts", answer.len(), batch.len()),
                ));
            }
            vectors.extend(answer);
        }
        Ok(vectors)
    }

    async fn count_tokens(&self, model: ModelChoice, text: &str) -> Result<u64, Error> {
        let target = self.registry.resolve(&self.config, &model).await?;
        if let Some(exact) = target
            .instance
            .backend
            .count_tokens(&target.model, text)
            .await?
        {
            return Ok(exact);
        }
        let estimate = self
            .estimates
            .tokens(&target.model_ref().to_string(), text.chars().count());
        Ok(estimate.ceil() as u64)
    }
}

/// What is known of the size of a target's model.
fn size<'t>(target: &'t Target, facts: &Facts) -> Size<'t> {
    Size {
        configured: target.instance.class,
        parameters: facts.parameters,
        name: &target.model,
        bytes: facts.size_bytes,
    }
}

fn out_of_time(target: &Target) -> Error {
    Error::new(
        ErrorKind::Timeout,
        format!(
            "{} did not answer within the time allowed",
            target.model_ref()
        ),
    )
    .with_hint(error::raise_timeout(&target.instance.name))
}

/// Whether an error means that another provider may do better.
fn is_outage(kind: ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::Unreachable
            | ErrorKind::Timeout
            | ErrorKind::Busy
            | ErrorKind::Server
            | ErrorKind::Interrupted
            | ErrorKind::CircuitOpen
    )
}

/// The call of a request to a model of which this is known.
fn call_of(request: &ChatRequest, target: &Target, facts: &Facts) -> Call {
    let wanted = request
        .context_tokens
        .unwrap_or(target.instance.context_tokens);
    Call {
        model: target.model.clone(),
        messages: request.messages.clone(),
        tools: request.tools.clone(),
        narrowed: request.narrowed.clone(),
        tool_choice: request.tool_choice.clone(),
        think: match request.think {
            Think::Default => target.instance.think,
            asked => asked,
        },
        context_tokens: facts.context_tokens.map_or(wanted, |most| wanted.min(most)),
        max_tokens: request.max_tokens,
        temperature: request.temperature.or(target.instance.temperature),
        seed: request.seed,
        schema: request.response_schema.clone(),
        stable_messages: request.stable_messages,
        can_think: facts.thinks,
        tells_progress: facts.tells_progress,
        form: Form::Native,
    }
}
