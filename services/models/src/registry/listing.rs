//! What there is: the models that could be used, and how each provider does.

use super::{Chosen, Registry, Target};
use crate::call::Listed;
use crate::choose;
use crate::class::{Size, class};
use crate::config::Config;
use crate::error::Error;
use crate::instance::Instance;
use crate::planned::{EMBEDDED, STATIC};
use api::models::{ModelInfo, ProviderHealth};
use domain::fault::Coded;
use domain::model::{ModelChoice, ModelRef, ModelRole};
use futures::future::join_all;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;

impl Registry {
    /// The instances to show: what is configured; without that, what may be found; and what makes
    /// embeddings.
    fn shown<'a>(&'a self, embedder: Option<&'a Target>) -> Vec<&'a Arc<Instance>> {
        let mut shown: Vec<_> = self
            .instances
            .values()
            .filter(|one| one.is_configured)
            .collect();
        if shown.is_empty() {
            shown.extend(&self.places);
            shown.extend(self.instances.get(EMBEDDED));
        }
        if let Some(embedder) = embedder
            && !shown.iter().any(|one| Arc::ptr_eq(one, &embedder.instance))
        {
            shown.push(&embedder.instance);
        }
        shown
    }

    /// What makes embeddings, if anything does.
    async fn embedder(&self, config: &Config) -> Option<Target> {
        let role = ModelChoice::Role(ModelRole::Embed);
        let wait = Duration::from_millis(config.discovery.answer_ms);
        match timeout(wait, self.resolve(config, &role)).await {
            Ok(Ok(target)) => return Some(target),
            Ok(Err(error)) => tracing::debug!(%error, "nothing makes embeddings"),
            Err(elapsed) => tracing::debug!(%elapsed, "what makes embeddings is not known yet"),
        }
        None
    }

    /// Every model that could be used: what is there of those that answer. Where no configured
    /// provider does, what the embedded engine has.
    ///
    /// # Errors
    /// Of the first configured provider, when none answers and there is nothing to list.
    pub(crate) async fn list(&self, config: &Config) -> Result<Vec<ModelInfo>, Error> {
        let wait = Duration::from_millis(config.discovery.answer_ms);
        let default = self.default(config).await.ok();
        let embedder = self.embedder(config).await;
        let shown = self.shown(embedder.as_ref());
        let asked = shown.iter().map(|instance| async move {
            let wait = (!instance.is_configured).then_some(wait);
            (*instance, instance.backend.list(wait).await)
        });
        let mut all = Vec::new();
        let (mut has_answer, mut failed) = (false, None);
        for (instance, answer) in join_all(asked).await {
            match answer {
                Ok(listed) => {
                    // A table that is always there is no answer of a provider that is not.
                    has_answer |= instance.is_configured || instance.name != STATIC;
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
        let embeds = |one: &&mut ModelInfo| {
            let makes = |embedder: &Target| embedder.model_ref() == one.model;
            embedder.as_ref().is_some_and(makes) && !one.roles.contains(&ModelRole::Embed)
        };
        if let Some(one) = all.iter_mut().find(embeds) {
            one.roles.push(ModelRole::Embed);
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
        let embedder = self.embedder(config).await;
        let shown = self.shown(embedder.as_ref());
        let asked = shown
            .iter()
            .map(|instance| async move { (*instance, instance.backend.probe(wait).await) });
        let mut states = Vec::new();
        for (instance, answer) in join_all(asked).await {
            let note = match &default {
                Ok(default) if Arc::ptr_eq(&default.instance, instance) => {
                    format!("requests go here: {}", default.reason)
                }
                _ => match &embedder {
                    Some(embedder) if Arc::ptr_eq(&embedder.instance, instance) => {
                        format!("embeddings come from here: {}", embedder.reason)
                    }
                    _ => "requests go here only when they name it".to_owned(),
                },
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
        context_tokens: listed.context_tokens.or_else(|| {
            let provider = config.providers.get(instance.name.as_str());
            provider.and_then(|provider| provider.context_tokens)
        }),
        size_bytes: listed.size_bytes,
        loaded: listed.loaded,
        class: class(Size {
            configured: instance.class,
            parameters: listed.parameters,
            name: &listed.model,
            bytes: listed.size_bytes,
        }),
        roles: ModelRole::ALL
            .into_iter()
            .filter(|role| config.roles.get(role) == Some(&model) || serves(role))
            .collect(),
        model,
    }
}
