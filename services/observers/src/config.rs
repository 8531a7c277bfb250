//! What the observers are built with.

use api::audit::Audit;
use api::memory::Memory;
use api::models::Models;
use api::sessions::Sessions;
use domain::Timestamp;
use domain::id::QueryId;
use domain::model::ModelRef;
use quality::Rubrics;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Tells the time, UTC. A value, so that tests choose it.
pub type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// What observers work with.
#[derive(Clone)]
pub struct Services {
    /// Where logs are read, and what is found about answers is recorded.
    pub sessions: Arc<dyn Sessions>,
    /// Where engrams are kept.
    pub memory: Arc<dyn Memory>,
    /// The models that are asked what a question was about, and what an answer is worth.
    pub models: Arc<dyn Models>,
    /// Where those calls are recorded.
    pub audit: Arc<dyn Audit>,
    /// The time.
    pub clock: Clock,
}

/// How long nobody must have asked anything before a model is asked what a question was about.
const IDLE: Duration = Duration::from_secs(20);

/// What capture needs to know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    /// Where the notes of open requests live, absolute. Made with mode 0700 when it is not there.
    pub folder: PathBuf,
    /// Whether a model on a server is asked, when the house is idle, what questions were about.
    pub understand: bool,
    /// How long nobody must have asked anything before that.
    pub idle: Duration,
}

impl Config {
    /// The usual, with notes in `folder`.
    #[must_use]
    pub const fn new(folder: PathBuf) -> Self {
        Self {
            folder,
            understand: true,
            idle: IDLE,
        }
    }
}

/// Which answers are graded without anybody asking for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum When {
    /// None, and none that somebody asks about.
    Off,
    /// None.
    #[default]
    OnDemand,
    /// All that a model gave, or the share of them that is set.
    Every,
}

/// Whether this machine runs on its battery.
pub type IsOnBattery = Arc<dyn Fn() -> bool + Send + Sync>;

/// What grading needs to know.
#[derive(Clone)]
pub struct QualityConfig {
    /// Where observations live, absolute. Made with mode 0700 when it is not there.
    pub folder: PathBuf,
    /// Which answers are graded by themselves.
    pub when: When,
    /// The share of answers that is graded by itself, 0 to 1.
    pub share: f64,
    /// Whether answers are graded by themselves on battery as well.
    pub on_battery: bool,
    /// Whether this machine runs on its battery.
    pub is_on_battery: IsOnBattery,
    /// Longest a judge may take for an answer that nobody asked about: one that took longer is not asked
    /// unasked any more.
    pub longest: Duration,
    /// What judges look for.
    pub rubrics: Arc<Rubrics>,
    /// Which answers get a second one.
    pub second: SecondConfig,
}

/// What a second answer needs to know.
#[derive(Debug, Clone, PartialEq)]
pub struct SecondConfig {
    /// Which answers get one.
    pub when: When,
    /// The share of answers that gets one by itself, 0 to 1.
    pub share: f64,
    /// The model that gives it; `None`: the one that gave the first answer.
    pub model: Option<ModelRef>,
    /// Its sampling temperature, 0 to 2.
    pub temperature: f32,
}

impl fmt::Debug for QualityConfig {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.debug_struct("QualityConfig")
            .field("folder", &self.folder)
            .field("when", &self.when)
            .field("share", &self.share)
            .field("on_battery", &self.on_battery)
            .field("second", &self.second)
            .finish_non_exhaustive()
    }
}

impl QualityConfig {
    /// Where the notes of sessions with something left are.
    pub(crate) fn open_folder(&self) -> PathBuf {
        self.folder.join("open")
    }

    /// Whether the answer to a request is graded without anybody asking for it. Of one request it is
    /// always the same.
    pub(crate) fn is_automatic(&self, query_id: QueryId) -> bool {
        // The last bytes of an id are random.
        let [.., a, b] = *query_id.as_uuid().as_bytes();
        self.is_every((self.when, self.share), [a, b])
    }

    /// The same of a second answer. Other bytes decide, so that shares of both do not go together.
    pub(crate) fn is_second_automatic(&self, query_id: QueryId) -> bool {
        let [.., a, b, _, _] = *query_id.as_uuid().as_bytes();
        self.is_every((self.second.when, self.second.share), [a, b])
    }

    fn is_every(&self, (when, share): (When, f64), random: [u8; 2]) -> bool {
        when == When::Every
            && (self.on_battery || !(self.is_on_battery)())
            && f64::from(u16::from_be_bytes(random)) < share * 65_536.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    #[test]
    fn a_share_of_answers_is_chosen_by_their_requests() {
        let chosen = |share: f64| {
            let config = QualityConfig {
                folder: PathBuf::new(),
                when: When::Every,
                share,
                on_battery: true,
                is_on_battery: Arc::new(|| true),
                longest: Duration::MAX,
                rubrics: Arc::new(Rubrics::shipped()),
                second: SecondConfig {
                    when: When::Every,
                    share,
                    model: None,
                    temperature: 1.0,
                },
            };
            let ids = (0..65_536_u128).map(|n| QueryId::from_uuid(Uuid::from_u128(n)));
            ids.filter(|id| config.is_automatic(*id)).count()
        };
        assert_eq!(chosen(0.0), 0);
        assert_eq!(chosen(0.25), 65_536 / 4);
        assert_eq!(chosen(1.0), 65_536);
    }
}
