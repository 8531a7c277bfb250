//! What a drive does while its session's log cannot be written: it says so once, rests, and tries
//! again.

use super::driver::Driver;
use domain::event::EventBody;
use session_log::{Durability, Scope};
use std::fmt::Display;
use std::time::Duration;

/// How long the drive rests after the first write to the log that failed.
const UNWRITTEN_REST: Duration = Duration::from_secs(1);
/// How long it rests at most; each further failure doubles the rest.
const UNWRITTEN_REST_MOST: Duration = Duration::from_secs(300);

impl Driver {
    pub(super) async fn emit(&mut self, scope: Scope, body: EventBody) {
        let emitter = &self.session.emitter();
        match emitter.emit(scope, body, Durability::Written).await {
            Ok(_event) => self.unwritten = Duration::ZERO,
            Err(error) if self.unwritten.is_zero() => self.could_not_write(&error),
            Err(_known) => self.rest_longer(),
        }
    }

    /// Something of this session, its own turn's perhaps, was not written.
    pub(super) fn could_not_write(&mut self, error: &(dyn Display + Sync)) {
        if !self.unwritten.is_zero() {
            return;
        }
        self.unwritten = UNWRITTEN_REST;
        let session = self.session.emitter().session_id();
        // Whoever waits for a request is told; by itself a session works with nobody there.
        match self.drive.is_on() {
            true => tracing::error!(
                %session,
                %error,
                "the session log cannot be written; auto mode tries again from time to time"
            ),
            false => tracing::warn!(%session, %error, "the session log cannot be written"),
        }
    }

    /// Logs the end of a turn that could not be logged before: until then nothing else begins.
    /// Whether none is left.
    pub(super) async fn log_ends(&mut self) -> bool {
        if self.unwritten.is_zero() {
            return true;
        }
        match self.session.log_ends().await {
            // What else was not written is tried by whoever has it.
            Ok(0) => {
                self.rest_longer();
                true
            }
            Ok(_) => {
                self.unwritten = Duration::ZERO;
                true
            }
            Err(_known) => {
                self.rest_longer();
                false
            }
        }
    }

    fn rest_longer(&mut self) {
        self.unwritten = (self.unwritten * 2).min(UNWRITTEN_REST_MOST);
    }
}
