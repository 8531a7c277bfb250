//! What services say of themselves.

use super::check::{Check, State};
use super::speeds::Speeds;
use crate::exit::OrFail;
use crate::models::{default_choice, measure};
use api::audit::Audit;
use api::memory::{IndexState, Stats};
use api::models::{ErrorKind, Models, ProviderHealth};
use domain::fault::{Coded, Fault};
use domain::model::ModelRole;
use jiff::tz::TimeZone;
use rendering::memory::counted;
use rendering::values::bytes;
use std::path::Path;

/// The index of meanings, by the name that memory gives it.
const VECTOR_INDEX: &str = "vector";

/// What memory holds, and whether it can be found.
pub fn memory(stats: Result<Stats, api::memory::Error>) -> Check {
    let stats = match stats {
        Ok(stats) => stats,
        Err(error) => {
            let fault = error.fault();
            return Check {
                name: "memory",
                state: State::Bad,
                detail: fault.message,
                hint: fault.hint,
            };
        }
    };
    let without_model = stats.embedder.strip_prefix("none: ");
    let found_by = match without_model {
        Some(why) => format!("found by words alone ({why})"),
        None => format!("found by meaning: {}", stats.embedder),
    };
    let detail = format!(
        "{}, {}, {}; {found_by}",
        counted(stats.memories, "memory", "memories"),
        counted(stats.engrams, "conversation", "conversations"),
        bytes(stats.disk_bytes),
    );
    // Where no model embeds there is nothing to wait for.
    let is_made = |name: &str| without_model.is_none() || name != VECTOR_INDEX;
    let is_behind = |index: &&IndexState| index.entries < index.of && is_made(&index.name);
    let behind: Vec<String> = stats
        .indexes
        .iter()
        .filter(is_behind)
        .map(|index| format!("{} {} of {}", index.name, index.entries, index.of))
        .collect();
    if behind.is_empty() && !stats.refused.is_empty() {
        let refused = counted(stats.refused.len() as u64, "entry has", "entries have");
        let detail = format!("{detail}; {refused} a text that the embedding model refuses");
        return Check::note("memory", detail, "`carl memory stats` names them.");
    }
    if behind.is_empty() {
        return Check::ok("memory", detail);
    }
    let detail = format!("{detail}; indexed so far: {}", behind.join(", "));
    let hint =
        "Each search and each session goes on with it; `carl memory reindex` does it at once.";
    Check::note("memory", detail, hint)
}

/// Which model servers answer. `used_first`: the one that requests go to. `store`: what was found of
/// the secret store, which is not said again of each provider whose key lies there.
pub async fn providers(models: &dyn Models, used_first: Option<&str>, store: &Check) -> Vec<Check> {
    let health = match models.health().await.or_fail() {
        Ok(health) => health,
        Err(error) => return vec![Check::bad("models", &error)],
    };
    let mut checks: Vec<Check> = Vec::new();
    let mut absent: Vec<String> = Vec::new();
    let is_used = |name: &str| used_first == Some(name);
    for provider in &health {
        let place = format!("{} at {}", provider.provider, provider.endpoint);
        let fault = provider.fault.clone().map(|fault| unrepeated(fault, store));
        match &fault {
            None => {
                let detail = format!("{place}: ready; {}", provider.note);
                checks.push(Check::ok("model server", detail));
            }
            // Nobody asked for it, so its absence needs no advice of its own.
            Some(fault)
                if fault.code == ErrorKind::Unreachable.code() && !is_used(&provider.provider) =>
            {
                absent.push(place);
            }
            // Each request would fail as this did.
            Some(fault) if is_used(&provider.provider) => checks.push(Check {
                name: "model server",
                state: State::Bad,
                detail: format!("{place}: {}", fault.message),
                hint: fault.hint.clone(),
            }),
            Some(fault) => {
                let detail = format!("{place}: {}", fault.message);
                checks.push(Check::note("model server", detail, fault.hint.clone()));
            }
        }
    }
    if !absent.is_empty() {
        let detail = format!("nothing answers: {}", absent.join(", "));
        checks.push(Check::note("model server", detail, ""));
    }
    // What only makes embeddings answers nobody.
    let known = models.list_models().await.unwrap_or_default();
    if let Some(expected) = crate::models::expected(&known) {
        checks.push(Check::ok("model", expected));
    }
    let only_embeds = |provider: &ProviderHealth| {
        let mut own = known
            .iter()
            .filter(|one| one.model.provider == provider.provider)
            .peekable();
        own.peek().is_some() && own.all(|one| one.roles == [ModelRole::Embed])
    };
    if health
        .iter()
        .all(|provider| provider.fault.is_some() || only_embeds(provider))
    {
        checks.push(Check {
            name: "models",
            state: State::Bad,
            detail: "no model can be used; only --mode deterministic works".to_owned(),
            hint: "Start Ollama (https://ollama.com), or name a server of yours in \
                   config.toml (`carl init` writes that file, with examples). \
                   In a checkout of the source `cargo xtask setup` installs a small stand-in."
                .to_owned(),
        });
    }
    checks
}

/// A fault without what the check of its cause has said.
fn unrepeated(mut fault: Fault, cause: &Check) -> Fault {
    if let Some(before) = fault.message.strip_suffix(&cause.detail) {
        fault.message = format!("{before}see {} above", cause.name);
        fault.hint.clear();
    }
    fault
}

/// How fast the model answers, beside the best that was measured here.
pub async fn speed(models: &dyn Models, audit: &dyn Audit, state: &Path) -> Check {
    const NAME: &str = "model speed";
    let speed = match measure(models, audit, default_choice()).await {
        Ok(speed) => speed,
        Err(error) => return Check::bad(NAME, &error),
    };
    let Some(model) = speed.model().filter(|_| speed.rate() > 0.0) else {
        return Check::ok(NAME, speed.line());
    };
    let speeds = Speeds::below(state);
    match speeds.compare(&model, speed.rate(), jiff::Timestamp::now()) {
        Ok(None) => Check::ok(NAME, speed.line()),
        Ok(Some(best)) => Check::note(
            NAME,
            format!(
                "{}; slower than before: {:.0} tokens/s against {:.0} on {}",
                speed.line(),
                speed.rate(),
                best.rate,
                best.at.to_zoned(TimeZone::system()).strftime("%Y-%m-%d")
            ),
            format!(
                "Something else may use the machine, or the model is no longer on the graphics \
                 card. To begin anew, remove {}.",
                speeds.path().display()
            ),
        ),
        Err(error) => Check::note(NAME, speed.line(), format!("It was not kept: {error:#}.")),
    }
}
