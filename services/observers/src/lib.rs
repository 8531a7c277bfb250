//! Observers: watch the events on the bus and never hold up a turn.
//!
//! What it is: what happens after an answer. Capture makes an engram of every answered question;
//! quality has a judge grade answers, and notes grades and the user's ratings.
//! What it owns: what is understood of a question (intent, entities), what an answer was found to be
//! worth, and that neither is missed: a note on disk of each session with something left ([`record`]).
//! What it never does: change a conversation, call a tool, keep a turn waiting, remember a session
//! that ran while capture was off.
//! Where to start: [`Capture`] and [`Quality`].

mod again;
mod asking;
mod capture;
mod comparing;
mod config;
mod engram;
mod measuring;
pub mod observations;
mod quality;
pub mod record;
mod routing;
mod settling;
mod understanding;

pub use crate::quality::{Quality, Rebuilt, rebuild};
pub use capture::Capture;
pub use config::{Clock, Config, IsOnBattery, QualityConfig, SecondConfig, Services, When};
pub use measuring::{measure, measure_attacks};
pub use routing::{Routed, RoutingConfig, findings, reset};
pub use settling::Settling;

use api::bus::Bus;
use std::time::Duration;

/// The observers of a process.
pub struct Observers {
    capture: Option<Capture>,
    quality: Quality,
}

impl Observers {
    /// Starts them, each with what was left behind; without `capture`, nothing is remembered. Call it
    /// inside a Tokio runtime.
    #[must_use]
    pub fn start(
        capture: Option<Config>,
        quality: QualityConfig,
        services: &Services,
        bus: &dyn Bus,
    ) -> Self {
        let capture = capture.map(|config| Capture::start(config, services.clone(), bus));
        let settling = capture.as_ref().map(Capture::settling);
        let quality = Quality::start(quality, services.clone(), settling, bus);
        Self { capture, quality }
    }

    /// Waits until everything that was on the bus is taken in, at most so long. What is not, is at the
    /// next start.
    pub async fn settle(&self, at_most: Duration) {
        // Quality notes on engrams, so they come first.
        if let Some(capture) = &self.capture {
            capture.settle(at_most).await;
        }
        self.quality.settle(at_most).await;
    }
}
