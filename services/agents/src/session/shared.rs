//! What every session of a service shares.

use crate::config::Config;
use crate::tools::AgentTools;
use api::audit::Audit;
use api::broker::{Broker, Control};
use api::bus::Bus;
use api::models::Models;
use session_log::Clock;
use std::path::Path;
use std::sync::Arc;

/// What every session of a service shares.
pub(crate) struct Shared {
    pub(crate) config: Config,
    pub(crate) models: Arc<dyn Models>,
    pub(crate) broker: Arc<dyn Broker>,
    pub(crate) control: Arc<dyn Control>,
    pub(crate) audit: Arc<dyn Audit>,
    pub(crate) bus: Arc<dyn Bus>,
    pub(crate) tools: Arc<AgentTools>,
    pub(crate) sessions_folder: Arc<Path>,
    pub(crate) clock: Clock,
}
