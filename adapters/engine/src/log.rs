//! Logging to stderr, and a short memory of what llama.cpp complained about.

use std::collections::VecDeque;
use std::fmt::Write as _;
use std::io::{IsTerminal as _, stderr};
use std::sync::{Arc, Mutex, PoisonError};
use tracing::field::{Field, Visit};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::layer::{Context, SubscriberExt as _};
use tracing_subscriber::util::{SubscriberInitExt as _, TryInitError};
use tracing_subscriber::{EnvFilter, Layer};

/// The variable that chooses what is logged, such as `debug` or `engine=trace`.
pub const LOG_VARIABLE: &str = "CARL_ENGINE_LOG";

const DEFAULT_FILTER: &str = "warn,engine=info";

/// The target that llama.cpp's own messages carry.
const LLAMA_TARGET: &str = "llama-cpp-2";

/// Complaints kept.
const MAX_COMPLAINTS: usize = 4;

/// Remembers llama.cpp's last complaints, so that an error can quote them.
#[derive(Debug, Clone, Default)]
pub struct Recorder {
    complaints: Arc<Mutex<VecDeque<String>>>,
}

impl Recorder {
    /// Sends the log of this process, llama.cpp's included, to stderr.
    ///
    /// # Errors
    /// When a log was set up before.
    pub fn install() -> Result<Self, TryInitError> {
        let recorder = Self::default();
        let filter = EnvFilter::try_from_env(LOG_VARIABLE)
            .unwrap_or_else(|_unset_or_invalid| EnvFilter::new(DEFAULT_FILTER));
        let to_stderr = tracing_subscriber::fmt::layer()
            .with_writer(stderr)
            .with_ansi(stderr().is_terminal())
            .without_time()
            .with_filter(filter);
        tracing_subscriber::registry()
            .with(to_stderr)
            .with(recorder.clone())
            .try_init()?;
        llama_cpp_2::send_logs_to_tracing(llama_cpp_2::LogOptions::default());
        Ok(recorder)
    }

    /// Forgets what was said so far.
    pub fn clear(&self) {
        self.complaints
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clear();
    }

    /// The first complaint since [`Self::clear`]: the ones after it are its consequences.
    #[must_use]
    pub fn last_words(&self) -> Option<String> {
        self.complaints
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .front()
            .cloned()
    }
}

impl<S: Subscriber> Layer<S> for Recorder {
    fn on_event(&self, event: &Event<'_>, _context: Context<'_, S>) {
        let metadata = event.metadata();
        if metadata.target() != LLAMA_TARGET || *metadata.level() != Level::ERROR {
            return;
        }
        let mut message = Message::default();
        event.record(&mut message);
        let mut complaints = self
            .complaints
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if complaints.len() < MAX_COMPLAINTS {
            complaints.push_back(message.0.trim().to_owned());
        }
    }
}

#[derive(Default)]
struct Message(String);

impl Visit for Message {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        if field.name() == "message" {
            // Writing to a string cannot fail.
            let _ = write!(self.0, "{value:?}");
        }
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        if field.name() == "message" {
            self.0.push_str(value);
        }
    }
}
