//! Routing: chooses the model of a request by what the list of observations says.

use crate::observations;
use api::routing::{Ask, Route, Router};
use async_trait::async_trait;
use disk::private;
use disk::private::Durability;
use domain::Timestamp;
use domain::model::{ModelRef, ModelRole};
use domain::quality::Observation;
use quality::{Arm, Findings, choose};
use std::collections::BTreeMap;
use std::io::{Error, ErrorKind, Result};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The file that says from when on observations count for routes: a time in the form of RFC 3339.
const RESET: &str = "routes-since";

/// By how much a clock may be set back after a reset.
const AHEAD: Duration = Duration::from_hours(1);

/// For how long a model that did not answer is chosen for no request: a server that is started again is there
/// after minutes, and each request that tries it before waits for nothing.
const COOLDOWN: Duration = Duration::from_mins(5);

/// What routing needs to know.
#[derive(Debug, Clone, PartialEq)]
pub struct RoutingConfig {
    /// Where observations live, absolute.
    pub folder: PathBuf,
    /// The models of each role that is routed.
    pub routes: BTreeMap<ModelRole, Vec<ModelRef>>,
    /// Least share of answers, 0 to 1, of which a judge has to say what the user says before its words count.
    pub agreement: f64,
}

/// Lets what was observed up to now count for routes no more. It stays on the list.
///
/// # Errors
/// Whatever the file system says.
pub fn reset(folder: &Path, now: Timestamp) -> Result<()> {
    private::folder(folder)?;
    private::replace(
        &folder.join(RESET),
        now.to_string().as_bytes(),
        Durability::Durable,
    )
}

/// From when on observations count; the beginning of time where nothing was reset.
fn since(folder: &Path) -> Result<Timestamp> {
    let path = folder.join(RESET);
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Timestamp::MIN),
        Err(error) => return Err(error),
    };
    let unusable = |why: String| {
        let file = path.display();
        Error::other(format!(
            "{file} {why}; `carl quality routes --reset` writes it anew"
        ))
    };
    let since = text.trim().parse::<Timestamp>();
    let since = since.map_err(|error| unusable(format!("has no time ({error})")))?;
    // The clock was ahead when it was written. Nothing that is rated before then would count, and nobody would know.
    if since > Timestamp::now() + AHEAD {
        return Err(unusable(format!("has a time to come ({since})")));
    }
    Ok(since)
}

/// What is known for routes.
///
/// # Errors
/// Whatever the file system says, and where `routes-since` has no time, or one to come.
pub fn findings(config: &RoutingConfig) -> Result<Findings> {
    let observations: Vec<Observation> = observations::read(&config.folder)?.all;
    let since = since(&config.folder)?;
    Ok(Findings::of(&observations, since, config.agreement))
}

/// What was read last: how long the list was, from when on it counted, and what it said.
type Known = (u64, Timestamp, Arc<Findings>);

/// Chooses the models of requests.
#[derive(Debug)]
pub struct Routed {
    config: RoutingConfig,
    known: Mutex<Option<Known>>,
    /// Models that did not answer, and when.
    unavailable: Mutex<BTreeMap<ModelRef, Instant>>,
}

impl Routed {
    /// One with this configuration; nothing is read before the first request.
    #[must_use]
    pub const fn new(config: RoutingConfig) -> Self {
        Self {
            config,
            known: Mutex::new(None),
            unavailable: Mutex::new(BTreeMap::new()),
        }
    }

    /// Those of these models that may be chosen.
    fn available(&self, models: &[ModelRef]) -> Vec<ModelRef> {
        let mut unavailable = self
            .unavailable
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        unavailable.retain(|_, since| since.elapsed() < COOLDOWN);
        let available = models
            .iter()
            .filter(|model| !unavailable.contains_key(model));
        available.cloned().collect()
    }

    /// What is known, read again where the list grew or was reset.
    async fn findings(&self) -> Result<Arc<Findings>> {
        let config = self.config.clone();
        let known = self
            .known
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        let read = tokio::task::spawn_blocking(move || {
            let (length, since) = (
                observations::length(&config.folder)?,
                since(&config.folder)?,
            );
            match known {
                Some(known) if (known.0, known.1) == (length, since) => Ok(known),
                _ => Ok((length, since, Arc::new(findings(&config)?))),
            }
        });
        let read: Result<Known> = read.await.map_err(Error::other)?;
        let known = read?;
        *self.known.lock().unwrap_or_else(PoisonError::into_inner) = Some(known.clone());
        Ok(known.2)
    }
}

#[async_trait]
impl Router for Routed {
    async fn route(&self, ask: Ask) -> Option<Route> {
        let all = self.config.routes.get(&ask.role)?;
        let models = self.available(all);
        let findings = match self.findings().await {
            Ok(findings) => findings,
            Err(error) => {
                tracing::warn!(%error, "what is known of answers cannot be read; nothing is routed");
                return None;
            }
        };
        let arms = findings.arms(&models, ask.kind);
        let (_, seed) = ask.query_id.as_uuid().as_u64_pair();
        let arm = arms.get(choose(&arms, seed))?;
        Some(Route {
            model: arm.model.clone(),
            reason: reason(arm, ask, (arms.len(), all.len())),
        })
    }

    fn mark_unavailable(&self, model: &ModelRef) {
        let mut unavailable = self
            .unavailable
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        unavailable.insert(model.clone(), Instant::now());
    }
}

fn reason(arm: &Arm, ask: Ask, (available, all): (usize, usize)) -> String {
    let (role, kind) = (ask.role.as_str(), ask.kind);
    let known = match arm.good + arm.bad > 0.0 {
        true => format!("{} good and {} bad", amount(arm.good), amount(arm.bad)),
        false => "none was rated".to_owned(),
    };
    let skipped = match all - available {
        0 => String::new(),
        count => format!(" ({count} skipped, which did not answer)"),
    };
    format!("routed, one of {all} for {role}{skipped}; its answers to {kind}: {known}")
}

/// A number without a fraction where it has none, else with one digit of it.
fn amount(number: f64) -> String {
    let rounded = format!("{number:.1}");
    rounded
        .strip_suffix(".0")
        .map_or(rounded.clone(), str::to_owned)
}
