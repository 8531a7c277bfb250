//! One provider instance: its way to models, its queue and its circuit breaker.

use crate::breaker::Breaker;
use crate::config::ToolCalls;
use crate::error::{Error, ErrorKind};
use crate::opening::Backend;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout_at};

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
    permits: Arc<Semaphore>,
    breaker: Mutex<Breaker>,
}

/// What an instance is made of beside its name.
pub(crate) struct Parts {
    pub(crate) is_configured: bool,
    pub(crate) default_model: Option<String>,
    pub(crate) context_tokens: u32,
    pub(crate) call_time: Duration,
    pub(crate) max_parallel: usize,
    pub(crate) tool_calls: ToolCalls,
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
            permits: Arc::new(Semaphore::new(parts.max_parallel.max(1))),
            breaker: Mutex::new(parts.breaker),
        }
    }

    /// Waits for a turn, then asks the breaker.
    ///
    /// # Errors
    /// `Timeout` when the turn does not come before the deadline; `CircuitOpen`.
    pub(crate) async fn admit(self: &Arc<Self>, deadline: Instant) -> Result<Ticket, Error> {
        let permits = Arc::clone(&self.permits);
        let permit = match timeout_at(deadline, permits.acquire_owned()).await {
            Ok(Ok(permit)) => permit,
            Ok(Err(closed)) => {
                return Err(
                    Error::new(ErrorKind::Cancelled, "the gateway is shutting down")
                        .with_source(closed),
                );
            }
            Err(_elapsed) => {
                return Err(Error::new(
                    ErrorKind::Timeout,
                    format!(
                        "{} is busy with other requests, and the time for this one is over",
                        self.name
                    ),
                ));
            }
        };
        if let Err(wait) = self.breaker().admit(Instant::now()) {
            return Err(Error::new(
                ErrorKind::CircuitOpen,
                format!(
                    "{} failed several times in a row and is left alone for {} ms more",
                    self.name,
                    wait.as_millis()
                ),
            )
            .with_hint("`carl doctor` says what is wrong with it"));
        }
        Ok(Ticket {
            instance: Arc::clone(self),
            settled: false,
            _permit: permit,
        })
    }

    fn breaker(&self) -> MutexGuard<'_, Breaker> {
        self.breaker.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One request in progress. Dropped without an outcome, it counts as given up by the caller.
pub(crate) struct Ticket {
    instance: Arc<Instance>,
    settled: bool,
    _permit: OwnedSemaphorePermit,
}

impl Ticket {
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
