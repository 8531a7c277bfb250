//! Models that can be chosen: their list, and the one that a name means.

use crate::values::model_in_words;
use api::models::{ModelInfo, ProviderHealth};
use domain::fault::Fault;
use domain::model::{ModelRef, ModelRole};
use domain::settings::SessionProfile;
use serde_json::{Value, json};
use text::escape::visible_line;

/// Most models that are named where one may have been meant.
const NAMED: usize = 3;

/// The model that a session works with, in words.
#[must_use]
pub fn chosen(profile: &SessionProfile) -> String {
    match &profile.model {
        Some(model) => model_in_words(model),
        None => format!("what suits the agent type {}", profile.agent_type),
    }
}

/// The model that a role's requests go to, of those that are known; `provider`: the one that everything is
/// to go to, where there is such a one.
#[must_use]
pub fn answering<'a>(
    known: &'a [ModelInfo],
    role: ModelRole,
    provider: Option<&str>,
) -> Option<&'a ModelRef> {
    let mut serving = known.iter().filter(|info| info.roles.contains(&role));
    let is_meant =
        |info: &&ModelInfo| provider.is_none_or(|name| info.model.provider.as_str() == name);
    serving.find(is_meant).map(|info| &info.model)
}

/// Providers with how each stands, and the models there are, as JSON.
#[must_use]
pub fn as_json(health: &[ProviderHealth], known: &[ModelInfo]) -> Value {
    let providers: Vec<Value> = health
        .iter()
        .map(|provider| {
            json!({
                "provider": provider.provider, "endpoint": provider.endpoint,
                "ready": provider.fault.is_none(), "fault": provider.fault, "note": provider.note,
            })
        })
        .collect();
    let models: Vec<Value> = known
        .iter()
        .map(|model| {
            json!({
                "model": model.model, "context_tokens": model.context_tokens,
                "size_bytes": model.size_bytes, "class": model.class, "loaded": model.loaded, "roles": model.roles,
            })
        })
        .collect();
    json!({ "providers": providers, "models": models })
}

/// The models there are, a line each, below the one that is chosen; it has a mark.
#[must_use]
pub fn listed(profile: &SessionProfile, known: &[ModelInfo]) -> Vec<String> {
    let now = chosen(profile);
    let names = known.iter().map(|info| info.model.to_string());
    let names = names.map(|name| {
        let mark = if name == now { "*" } else { " " };
        format!("{mark} {}", visible_line(&name))
    });
    let mut lines = vec![format!("model: {now}")];
    lines.extend(names);
    lines.push("/model NAME chooses one; /model default leaves it to the agent's type".to_owned());
    lines
}

/// The model that is meant: by its whole name, or by an end of it that only one has. A provider need not
/// list what it has, so that a whole name is taken as it is.
///
/// # Errors
/// When none has the name, or several end with it.
pub fn named(name: &str, known: &[ModelInfo]) -> Result<ModelRef, Fault> {
    let has = |info: &&ModelInfo| info.model.to_string() == name;
    if let Some(info) = known.iter().find(has) {
        return Ok(info.model.clone());
    }
    let shown = visible_line(name);
    let ends = |info: &&ModelInfo| info.model.to_string().ends_with(name);
    let mut fitting = known.iter().filter(ends);
    match (fitting.next(), fitting.next()) {
        (Some(only), None) => Ok(only.model.clone()),
        (Some(_), Some(_)) => Err(refused(
            format!("several models' names end with `{shown}`"),
            "/model lists them; give the whole name.".to_owned(),
        )),
        (None, _) => name.parse().map_err(|_not_a_whole_name| {
            let hint = format!("{}/model lists what is there.", perhaps(name, known));
            refused(format!("there is no model `{shown}`"), hint)
        }),
    }
}

fn refused(message: String, hint: String) -> Fault {
    Fault {
        code: "carl.usage".to_owned(),
        message,
        hint,
    }
}

/// The models in whose names what was typed stands, as a question.
fn perhaps(typed: &str, known: &[ModelInfo]) -> String {
    let typed = typed.to_lowercase();
    let names = known.iter().map(|info| info.model.to_string());
    let fitting = names.filter(|name| name.to_lowercase().contains(&typed));
    let named: Vec<String> = fitting
        .take(NAMED)
        .map(|name| format!("`{}`", visible_line(&name)))
        .collect();
    match named.is_empty() {
        true => String::new(),
        false => format!("Did you mean {}? ", named.join(" or ")),
    }
}
