//! One provider instance: its way to models, its queue and its circuit breaker.

use crate::breaker::Breaker;
use crate::config::ToolCalls;
use crate::error::{Error, ErrorKind, notice};
use crate::opening::Backend;
use crate::queue::{Queue, Slot, Waiting};
use api::models::ChatChunk;
use domain::fault::Fault;
use domain::model::{ModelClass, Priority, Think};
use schedule::Bounds;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::{Instant, timeout, timeout_at};

/// How long a request waits for its turn before its caller is told why.
const TELLS_AFTER: Duration = Duration::from_secs(1);

/// Where a request tells what it waits for.
pub(crate) type Teller = mpsc::Sender<ChatChunk>;

/// A request that wants its turn.
pub(crate) struct Wants<'a> {
    pub(crate) model: &'a str,
    pub(crate) priority: Priority,
    /// When it gives up.
    pub(crate) until: Instant,
    pub(crate) teller: Option<&'a Teller>,
}

/// A named provider.
pub(crate) struct Instance {
    pub(crate) name: String,
    /// Whether the configuration names it, as opposed to a place where one may be found.
    pub(crate) is_configured: bool,
    pub(crate) default_model: Option<String>,
    /// Context to ask for, tokens.
    pub(crate) context_tokens: u32,
    /// Longest a whole call may take.
    pub(crate) call_time: Duration,
    pub(crate) backend: Box<dyn Backend>,
    /// How its models are offered tools.
    pub(crate) tool_calls: ToolCalls,
    /// How much they think where a request does not say.
    pub(crate) think: Think,
    /// How freely they choose their words, where the configuration says.
    pub(crate) temperature: Option<f32>,
    /// Whether they see pictures, where the configuration says.
    pub(crate) vision: Option<bool>,
    /// How large they are, where the configuration says.
    pub(crate) class: Option<ModelClass>,
    /// Whether it is the engine that comes along.
    pub(crate) is_embedded: bool,
    queue: Arc<Queue>,
    breaker: Mutex<Breaker>,
}

/// What an instance is made of beside its name.
pub(crate) struct Parts {
    pub(crate) is_configured: bool,
    pub(crate) default_model: Option<String>,
    pub(crate) context_tokens: u32,
    pub(crate) call_time: Duration,
    pub(crate) bounds: Bounds,
    pub(crate) tool_calls: ToolCalls,
    pub(crate) think: Think,
    pub(crate) temperature: Option<f32>,
    pub(crate) vision: Option<bool>,
    pub(crate) class: Option<ModelClass>,
    pub(crate) is_embedded: bool,
    pub(crate) breaker: Breaker,
    pub(crate) backend: Box<dyn Backend>,
}

impl Instance {
    pub(crate) fn new(name: String, parts: Parts) -> Self {
        Self {
            name,
            is_configured: parts.is_configured,
            default_model: parts.default_model,
            context_tokens: parts.context_tokens,
            call_time: parts.call_time,
            backend: parts.backend,
            tool_calls: parts.tool_calls,
            think: parts.think,
            temperature: parts.temperature,
            vision: parts.vision,
            class: parts.class,
            is_embedded: parts.is_embedded,
            queue: Queue::new(parts.bounds),
            breaker: Mutex::new(parts.breaker),
        }
    }

    /// Waits for a turn, then asks the breaker.
    ///
    /// # Errors
    /// `Busy` when too many wait already; `Timeout` when the turn does not come in time;
    /// `CircuitOpen`.
    pub(crate) async fn admit(self: &Arc<Self>, wants: Wants<'_>) -> Result<Ticket, Error> {
        let model = self.backend.name_in_memory(wants.model);
        let mut waiting = self.queue.join(&model, wants.priority).map_err(|full| {
            Error::new(ErrorKind::Busy, format!("{} is busy: {full}", self.name))
                .with_hint("ask again later, or give fewer agents work at one time")
                .with_source(full)
        })?;
        let swaps = self.turn(&mut waiting, &wants).await?;
        if swaps {
            tracing::debug!(provider = self.name, model, "a model has to be loaded");
        }
        let slot = waiting.into_slot();
        if let Err(wait) = self.breaker().admit(Instant::now()) {
            return Err(Error::new(
                ErrorKind::CircuitOpen,
                format!(
                    "{} failed several times in a row and is asked again in {} s",
                    self.name,
                    wait.as_secs().saturating_add(1)
                ),
            )
            .with_hint(
                "the errors before this one say why; `carl doctor` asks it at once, and says whether \
                 it answers by now",
            ));
        }
        Ok(Ticket {
            instance: Arc::clone(self),
            settled: false,
            swaps,
            slot,
        })
    }

    /// Waits, and tells why where it takes long; whether the model has to be loaded.
    async fn turn(
        self: &Arc<Self>,
        waiting: &mut Waiting,
        wants: &Wants<'_>,
    ) -> Result<bool, Error> {
        if let Ok(swaps) = timeout(Duration::ZERO, waiting.turn()).await {
            return Ok(swaps);
        }
        if self.queue.should_look() {
            self.look();
        }
        let told = (Instant::now() + TELLS_AFTER).min(wants.until);
        if let Ok(swaps) = timeout_at(told, waiting.turn()).await {
            return Ok(swaps);
        }
        let why = self.why(waiting, wants.model);
        tracing::debug!(provider = self.name, "{}", why.message);
        if let Some(teller) = wants.teller {
            // A caller that does not listen is not waited for.
            let _unheard = teller.try_send(ChatChunk::Notice(why));
        }
        timeout_at(wants.until, waiting.turn())
            .await
            .map_err(|elapsed| {
                Error::new(
                    ErrorKind::Timeout,
                    format!(
                        "{} is busy with other requests, and the time for this one is over",
                        self.name
                    ),
                )
                .with_hint("raise models.limits.queue_ms, or max_parallel of the provider")
                .with_source(elapsed)
            })
    }

    /// Why a request waits.
    fn why(&self, waiting: &Waiting, model: &str) -> Fault {
        let before = match waiting.ahead() {
            // Nobody else is at work: the user is not told of other requests.
            Some(ahead) if ahead.waiting == 0 && ahead.in_background == ahead.running => {
                let why = format!(
                    "{} is at work for memory, in the background; {model} is asked when that has ended",
                    self.name
                );
                return notice("models.waiting", why, "");
            }
            Some(ahead) if ahead.waiting > 0 => {
                format!("{} run and {} wait", ahead.running, ahead.waiting)
            }
            Some(ahead) => format!("{} run", ahead.running),
            None => "others end".to_owned(),
        };
        notice(
            "models.waiting",
            format!(
                "{} is busy; {model} is asked in its turn: before this request {before}",
                self.name
            ),
            "",
        )
    }

    /// Asks the server, on the side, which models it has in memory.
    fn look(self: &Arc<Self>) {
        // A question on the side does not keep a provider, and with it an engine, alive.
        let instance = Arc::downgrade(self);
        tokio::spawn(async move {
            let Some(instance) = instance.upgrade() else {
                return;
            };
            match instance.backend.loaded().await {
                Ok(Some(models)) => {
                    let backend = &instance.backend;
                    let names = models.iter().map(|one| backend.name_in_memory(one));
                    instance.queue.says_loaded(names.collect());
                }
                // What was asked for last is what is known then.
                Ok(None) => {}
                Err(error) => tracing::debug!(provider = instance.name, %error, "not looked"),
            }
        });
    }

    fn breaker(&self) -> MutexGuard<'_, Breaker> {
        self.breaker.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One request in progress. Dropped without an outcome, it counts as given up by the caller.
pub(crate) struct Ticket {
    instance: Arc<Instance>,
    settled: bool,
    /// Whether the model had to be loaded for it.
    swaps: bool,
    slot: Slot,
}

impl Ticket {
    /// The first byte is there, so the model is in memory.
    pub(crate) fn answering(&mut self) {
        self.slot.answering();
        if std::mem::take(&mut self.swaps) {
            // Whether others stayed in memory beside it, only the server knows.
            self.instance.look();
        }
    }

    /// The model that was waited for is not there, and another is asked.
    pub(crate) fn asks_instead(&mut self, model: &str) {
        self.swaps = true;
        let name = self.instance.backend.name_in_memory(model);
        self.slot.asks_instead(&name);
    }

    /// The provider answered.
    pub(crate) fn succeeded(&mut self) {
        self.settled = true;
        self.instance.breaker().succeeded();
    }

    /// The request failed; what is the provider's fault counts against it.
    pub(crate) fn failed(&mut self, kind: ErrorKind) {
        self.settled = true;
        let mut breaker = self.instance.breaker();
        match kind {
            ErrorKind::Unreachable
            | ErrorKind::Server
            | ErrorKind::Timeout
            | ErrorKind::Interrupted
            | ErrorKind::Protocol
            | ErrorKind::TooLarge => breaker.failed(Instant::now()),
            ErrorKind::NotConfigured
            | ErrorKind::UnknownModel
            | ErrorKind::Blocked
            | ErrorKind::Unauthorised
            | ErrorKind::KeyMissing
            | ErrorKind::KeyLocked
            | ErrorKind::KeyUnavailable
            | ErrorKind::Busy
            | ErrorKind::Rejected
            | ErrorKind::ContextOverflow
            | ErrorKind::SchemaUnmet
            | ErrorKind::CircuitOpen
            | ErrorKind::Cancelled => breaker.abandoned(),
        }
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        if !self.settled {
            self.instance.breaker().abandoned();
        }
    }
}
