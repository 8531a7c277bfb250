//! The providers that the configuration and the command line name, checked against those there are.

use super::{Config, VARIABLES, usage};
use anyhow::Result;
use configuration::nearest;
use domain::model::ModelRef;
use figment::Figment;
use terminal::exit::Failure;

/// What to write instead of a name that is no provider's.
pub fn instead_of(models: &models::Config, name: &str) -> String {
    let known = models.proposed_providers();
    let known: Vec<&str> = known.iter().map(String::as_str).collect();
    let hint = nearest(&known, name).filter(|hint| hint.starts_with("Did you"));
    let near = hint.map_or_else(String::new, |hint| format!("{hint} "));
    format!(
        "{near}Write one of {}, or add [models.providers.{name}] to config.toml.",
        known.join(", ")
    )
}

/// Refuses a model named on the command line at a provider that is none.
///
/// # Errors
/// A usage failure that names the providers there are.
pub fn check_model(config: &Config, model: &ModelRef) -> Result<()> {
    // A gateway elsewhere has a configuration of its own.
    let is_here = config.endpoints.models.is_empty();
    let name = &model.provider;
    if is_here && !config.models.has_provider(name) {
        let why = format!("--model: there is no provider `{name}`");
        return Err(Failure::usage(why, instead_of(&config.models, name)).into());
    }
    Ok(())
}

/// Refuses a name of the configuration that no provider has.
///
/// # Errors
/// A usage failure that names the key, where it stands and the providers there are.
pub fn check(config: &Config, layers: &Figment) -> Result<()> {
    let models = &config.models;
    let prices = config.drive.prices.keys().map(|name| {
        (
            format!("drive.prices.{name}"),
            name,
            ", so nothing would be counted",
        )
    });
    let default = models
        .default_provider
        .iter()
        .map(|name| ("models.default_provider".to_owned(), name, ""));
    // A gateway elsewhere has a configuration of its own, with the roles that count.
    let is_here = config.endpoints.models.is_empty();
    let roles = models
        .roles
        .iter()
        .filter(|_| is_here)
        .map(|(role, model)| {
            let key = format!("models.roles.{}", role.as_str());
            (key, &model.provider, "")
        });
    let fallbacks = models
        .fallbacks
        .iter()
        .filter(|_| is_here)
        .map(|model| ("models.fallbacks".to_owned(), &model.provider, ""));
    let second = config.observers.model_b.iter().filter(|_| is_here);
    let second = second.map(|model| ("observers.model_b".to_owned(), &model.provider, ""));
    let routes = config.observers.routes.iter().filter(|_| is_here);
    let routed = routes.flat_map(|(role, models)| {
        let key = format!("observers.routes.{}", role.as_str());
        models
            .iter()
            .map(move |model| (key.clone(), &model.provider, ""))
    });
    let named = default
        .chain(roles)
        .chain(fallbacks)
        .chain(second)
        .chain(routed);
    for (key, name, so) in named.chain(prices) {
        if !models.has_provider(name) {
            let why = format!("there is no provider `{name}`{so}");
            let how = instead_of(models, name);
            return Err(usage(VARIABLES.wrong(layers, &key, &why, &how)));
        }
    }
    Ok(())
}
