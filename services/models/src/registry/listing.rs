//! What there is: the models that could be used, and how each provider does.

use super::{Chosen, Registry};
use crate::call::Listed;
use crate::choose;
use crate::config::Config;
use crate::error::Error;
use crate::instance::Instance;
use crate::planned::EMBEDDED;
use api::models::{ModelInfo, ProviderHealth};
use domain::fault::Coded;
use domain::model::{ModelRef, ModelRole};
use futures::future::join_all;
use std::sync::Arc;
use std::time::Duration;

impl Registry {
    /// The instances to show: what is configured; without that, what may be found.
    fn shown(&self) -> Vec<&Arc<Instance>> {
        let configured: Vec<_> = self
            .instances
            .values()
            .filter(|one| one.is_configured)
            .collect();
        if !configured.is_empty() {
            return configured;
        }
        let mut places: Vec<_> = self.places.iter().collect();
        places.extend(self.instances.get(EMBEDDED));
        places
    }

    /// Every model that could be used: what is there of those that answer. Where no configured
    /// provider does, what the embedded engine has.
    ///
    /// # Errors
    /// Of the first configured provider, when none answers and there is nothing to list.
    pub(crate) async fn list(&self, config: &Config) -> Result<Vec<ModelInfo>, Error> {
        let wait = Duration::from_millis(config.discovery.answer_ms);
        let default = self.default(config).await.ok();
        let shown = self.shown();
        let asked = shown.iter().map(|instance| async move {
            let wait = (!instance.is_configured).then_some(wait);
            (*instance, instance.backend.list(wait).await)
        });
        let mut all = Vec::new();
        let (mut has_answer, mut failed) = (false, None);
        for (instance, answer) in join_all(asked).await {
            match answer {
                Ok(listed) => {
                    has_answer = true;
                    let is_default = |one: &Chosen| Arc::ptr_eq(&one.instance, instance);
                    let serving = match default.as_ref().is_some_and(is_default) {
                        true => defaults(instance, &listed, config),
                        false => Vec::new(),
                    };
                    all.extend(
                        listed
                            .into_iter()
                            .map(|one| info(instance, one, config, &serving)),
                    );
                }
                Err(error) => {
                    tracing::debug!(provider = instance.name, %error, "not listed");
                    if instance.is_configured {
                        failed = failed.or(Some(error));
                    }
                }
            }
        }
        match failed {
            Some(error) if !has_answer => self.embedded_only(config, error).await,
            _ => Ok(all),
        }
    }

    /// What the engine on this machine has, when none of the configured providers answers.
    async fn embedded_only(&self, config: &Config, error: Error) -> Result<Vec<ModelInfo>, Error> {
        let embedded = self.instances.get(EMBEDDED);
        let Some(embedded) = embedded.filter(|_| config.discovery.embedded) else {
            return Err(error);
        };
        match embedded.backend.list(None).await {
            Ok(listed) if !listed.is_empty() => Ok(listed
                .into_iter()
                .map(|one| info(embedded, one, config, &[]))
                .collect()),
            _ => Err(error),
        }
    }

    /// The state of every provider.
    pub(crate) async fn health(&self, config: &Config) -> Vec<ProviderHealth> {
        let wait = Duration::from_millis(config.discovery.answer_ms);
        let default = self.default(config).await;
        let shown = self.shown();
        let asked = shown
            .iter()
            .map(|instance| async move { (*instance, instance.backend.probe(wait).await) });
        let mut states = Vec::new();
        for (instance, answer) in join_all(asked).await {
            let note = match &default {
                Ok(default) if Arc::ptr_eq(&default.instance, instance) => {
                    format!("requests go here: {}", default.reason)
                }
                _ => "requests go here only when they name it".to_owned(),
            };
            states.push(ProviderHealth {
                provider: instance.name.clone(),
                endpoint: instance.backend.endpoint(),
                fault: answer.err().map(|error| error.fault()),
                note,
            });
        }
        states
    }
}

/// Which model of the default provider serves each role that no mapping names.
fn defaults(
    instance: &Instance,
    installed: &[Listed],
    config: &Config,
) -> Vec<(ModelRole, String)> {
    let unmapped = ModelRole::ALL
        .into_iter()
        .filter(|role| !config.roles.contains_key(role));
    unmapped
        .filter_map(|role| match &instance.default_model {
            Some(model) if role != ModelRole::Embed => Some((role, model.clone())),
            _ => choose::best(role, installed).map(|one| (role, one.model.clone())),
        })
        .collect()
}

fn info(
    instance: &Instance,
    listed: Listed,
    config: &Config,
    serving: &[(ModelRole, String)],
) -> ModelInfo {
    let serves = |role: &ModelRole| {
        serving
            .iter()
            .any(|(one, name)| one == role && *name == listed.model)
    };
    let model = ModelRef {
        provider: instance.name.clone(),
        model: listed.model.clone(),
    };
    ModelInfo {
        context_tokens: listed.context_tokens,
        size_bytes: listed.size_bytes,
        loaded: listed.loaded,
        roles: ModelRole::ALL
            .into_iter()
            .filter(|role| config.roles.get(role) == Some(&model) || serves(role))
            .collect(),
        model,
    }
}
