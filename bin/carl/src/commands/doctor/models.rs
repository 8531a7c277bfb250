//! What the configuration says of models, against what the servers list.

use crate::commands::Setting;
use crate::wiring::routing;
use api::models::{ModelInfo, Models};
use domain::model::{ModelRef, ModelRole};
use models::Config;
use std::collections::BTreeMap;
use terminal::doctor::Check;

/// Models that the configuration names and their server does not list, and keys that go out in the
/// clear.
pub(super) async fn named(
    models: &dyn Models,
    config: &Config,
    routes: &BTreeMap<ModelRole, Vec<ModelRef>>,
) -> Vec<Check> {
    // A server that does not answer is told of in its own line.
    let listed = models.list_models().await.unwrap_or_default();
    let routed = routes.iter().flat_map(|(role, models)| {
        let key = format!("observers.routes.{}", role.as_str());
        models.iter().map(move |model| (key.clone(), model.clone()))
    });
    let mut checks: Vec<Check> = given(config)
        .into_iter()
        .chain(routed)
        .filter(|(_, model)| is_missing(model, &listed))
        .map(|(key, model)| {
            let provider = &model.provider;
            Check::note(
                "models",
                format!("{key} names {model}, which {provider} does not list"),
                format!(
                    "Install it, or correct {key}: `carl models` lists what {provider} has. A server \
                     that takes any name answers all the same."
                ),
            )
        })
        .collect();
    let open = config
        .providers
        .iter()
        .filter(|(_, one)| one.shows_its_key());
    checks.extend(open.map(|(name, _)| {
        Check::note(
            "model server",
            format!("the key of {name} goes over the network unencrypted: its endpoint is http"),
            "Use https, or a tunnel that ends on this machine.",
        )
    }));
    checks
}

/// Why requests are not routed where the configuration says that they are; nothing where they can be.
pub(super) fn routes(setting: &Setting) -> Option<Check> {
    let config = routing(setting);
    if config.routes.is_empty() {
        return None;
    }
    let error = observers::findings(&config).err()?;
    let hint = "Until then the model of the role answers.";
    Some(Check::note(
        "routes",
        format!("no request is routed: {error}"),
        hint,
    ))
}

/// Every model that is named, with the key that names it.
fn given(config: &Config) -> Vec<(String, ModelRef)> {
    let roles = config.roles.iter();
    let roles =
        roles.map(|(role, model)| (format!("models.roles.{}", role.as_str()), model.clone()));
    let defaults = config.providers.iter().filter_map(|(name, provider)| {
        let model = ModelRef {
            provider: name.clone(),
            model: provider.default_model.clone()?,
        };
        Some((format!("models.providers.{name}.default_model"), model))
    });
    let fallbacks = config.fallbacks.iter();
    let fallbacks = fallbacks.map(|model| ("models.fallbacks".to_owned(), model.clone()));
    roles.chain(defaults).chain(fallbacks).collect()
}

/// Whether a server lists models, and this one is not among them.
fn is_missing(model: &ModelRef, listed: &[ModelInfo]) -> bool {
    let own = listed.iter().map(|one| &one.model);
    let mut own = own.filter(|one| one.provider == model.provider).peekable();
    // Ollama lists a model without a tag under this one.
    let latest = format!("{}:latest", model.model);
    own.peek().is_some() && own.all(|one| one.model != model.model && one.model != latest)
}
