//! Every provider there is, and which one a request goes to.

mod listing;

use crate::call::Listed;
use crate::choose;
use crate::config::Config;
use crate::discovery;
use crate::egress::{AirGap, Egress};
use crate::engine::EngineSettings;
use crate::error::{Error, ErrorKind, configuration, in_short, notice};
use crate::instance::Instance;
use crate::planned::{EMBEDDED, PROPOSED, STATIC, backend, instance, plan};
use api::secrets::Secrets;
use domain::fault::Fault;
use domain::model::{ModelChoice, ModelRef, ModelRole};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Longest a look at what is on this machine may take.
const ONE_LOOK: Duration = Duration::from_secs(1);

/// Longest that a configured provider, perhaps a far one, may take to list its models before the
/// next one is tried.
const CONFIGURED_LOOK: Duration = Duration::from_secs(5);

/// Where a request goes.
pub(crate) struct Target {
    pub(crate) instance: Arc<Instance>,
    pub(crate) model: String,
    /// Why, for people.
    pub(crate) reason: String,
    /// The role that was asked for; `None` when the request named the model.
    pub(crate) role: Option<ModelRole>,
}

impl Target {
    pub(crate) fn model_ref(&self) -> ModelRef {
        ModelRef {
            provider: self.instance.name.clone(),
            model: self.model.clone(),
        }
    }
}

/// A provider chosen for roles without a mapping, and why.
#[derive(Clone)]
struct Chosen {
    instance: Arc<Instance>,
    reason: String,
}

/// What is remembered between requests.
#[derive(Default)]
struct Memory {
    /// The provider that discovery found.
    found: Option<Chosen>,
    /// The installed model picked for a role of a provider.
    picked: HashMap<(String, ModelRole), String>,
    /// Missing models that were reported.
    warned: HashSet<ModelRef>,
}

/// Every provider.
pub(crate) struct Registry {
    instances: BTreeMap<String, Arc<Instance>>,
    /// Where discovery looks, best first.
    places: Vec<Arc<Instance>>,
    memory: Mutex<Memory>,
}

impl Registry {
    /// Makes every instance, connecting to none.
    ///
    /// # Errors
    /// `NotConfigured` when the configuration contradicts itself.
    pub(crate) fn new(
        config: &Config,
        secrets: Option<Arc<dyn Secrets>>,
        engine: EngineSettings,
    ) -> Result<Self, Error> {
        let plan = plan(config)?;
        let egress = Arc::new(Egress::new(
            plan.iter().filter_map(|planned| planned.endpoint.as_ref()),
            config
                .air_gap
                .then(|| AirGap::set_by(config.air_gap_from.clone())),
            Duration::from_millis(config.limits.connect_ms),
            Duration::from_millis(config.discovery.connect_ms),
        ));
        let engine = Arc::new(engine);
        let mut instances = BTreeMap::new();
        let mut places = Vec::new();
        for planned in plan {
            let backend = backend(&planned, config, &egress, secrets.clone(), &engine)?;
            let instance = Arc::new(instance(&planned, config, backend));
            if planned.is_place {
                places.push(Arc::clone(&instance));
            }
            instances.insert(planned.name, instance);
        }
        let registry = Self {
            instances,
            places,
            memory: Mutex::default(),
        };
        registry.check(config)?;
        Ok(registry)
    }

    /// Every name in the configuration must exist.
    fn check(&self, config: &Config) -> Result<(), Error> {
        let named = config
            .roles
            .iter()
            .map(|(role, model)| (format!("models.roles.{}", role.as_str()), &model.provider))
            .chain(
                config
                    .fallbacks
                    .iter()
                    .map(|model| ("models.fallbacks".to_owned(), &model.provider)),
            )
            .chain(
                config
                    .default_provider
                    .iter()
                    .map(|name| ("models.default_provider".to_owned(), name)),
            );
        for (place, name) in named {
            self.named(name)
                .map_err(|error| configuration(format!("{place}: {}", error.detail), error.hint))?;
        }
        Ok(())
    }

    fn named(&self, name: &str) -> Result<&Arc<Instance>, Error> {
        self.instances.get(name).ok_or_else(|| {
            let known = self.instances.values();
            let known =
                known.filter(|one| one.is_configured || PROPOSED.contains(&one.name.as_str()));
            let known: Vec<&str> = known.map(|one| one.name.as_str()).collect();
            configuration(
                format!("there is no provider `{name}`"),
                format!(
                    "Write one of {}, or add [models.providers.{name}] to config.toml.",
                    known.join(", ")
                ),
            )
        })
    }

    fn memory(&self) -> MutexGuard<'_, Memory> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Exactly this model.
    ///
    /// # Errors
    /// `NotConfigured` for an unknown provider.
    pub(crate) fn exact(&self, model: &ModelRef) -> Result<Target, Error> {
        Ok(Target {
            instance: Arc::clone(self.named(&model.provider)?),
            model: model.model.clone(),
            reason: "named in the request".to_owned(),
            role: None,
        })
    }

    /// The model that answers in the place of another, which did not.
    pub(crate) fn standing_in(&self, model: &ModelRef, other: &str) -> Result<Target, Error> {
        Ok(Target {
            reason: format!("instead of {other}, which did not answer"),
            ..self.exact(model)?
        })
    }

    /// Where a request goes.
    ///
    /// # Errors
    /// `NotConfigured` when nothing is configured and nothing found, `UnknownModel` when no
    /// installed model can do it, and whatever stops the provider from listing its models.
    pub(crate) async fn resolve(
        &self,
        config: &Config,
        choice: &ModelChoice,
    ) -> Result<Target, Error> {
        let role = match choice {
            ModelChoice::Exact(model) => return self.exact(model),
            ModelChoice::Role(role) => *role,
        };
        if let Some(model) = config.roles.get(&role) {
            let mut target = self.exact(model)?;
            target.reason = format!("models.roles.{} names it", role.as_str());
            target.role = Some(role);
            return Ok(target);
        }
        let default = match self.default(config).await {
            Ok(default) => default,
            Err(error) => return self.own_embedder(config, role, error).await,
        };
        if role == ModelRole::Embed
            && let Some(absent) = default.instance.backend.missing()
        {
            return self.own_embedder(config, role, absent).await;
        }
        if let Some(model) = &default.instance.default_model
            && choose::is_embedder(model) == (role == ModelRole::Embed)
        {
            return Ok(Target {
                model: model.clone(),
                reason: format!("{}; its default_model", default.reason),
                role: Some(role),
                instance: default.instance,
            });
        }
        match self.pick(&default.instance, role).await {
            Ok(model) => Ok(Target {
                model,
                reason: format!(
                    "{}; the best model there for {}",
                    default.reason,
                    role.as_str()
                ),
                role: Some(role),
                instance: default.instance,
            }),
            Err(error) => self.own_embedder(config, role, error).await,
        }
    }

    /// A provider without an embedding model leaves that work to this machine: to the engine, and
    /// without it to a word table.
    async fn own_embedder(
        &self,
        config: &Config,
        role: ModelRole,
        error: Error,
    ) -> Result<Target, Error> {
        if role != ModelRole::Embed || !config.discovery.embedded {
            return Err(error);
        }
        for (name, what) in [
            (EMBEDDED, "the embedded engine has an embedding model"),
            (STATIC, "the word table needs neither"),
        ] {
            let Some(instance) = self.instances.get(name) else {
                continue;
            };
            // Weights without the program that reads them make no embeddings.
            let found = match instance.backend.missing() {
                None => self.pick(instance, role).await,
                Some(absent) => Err(absent),
            };
            match found {
                Ok(model) => {
                    return Ok(Target {
                        instance: Arc::clone(instance),
                        model,
                        reason: format!("{}; {what}", in_short(&error)),
                        role: Some(role),
                    });
                }
                Err(absent) => tracing::debug!(provider = name, %absent, "makes no embeddings"),
            }
        }
        Err(error)
    }

    /// The provider for roles without a mapping.
    async fn default(&self, config: &Config) -> Result<Chosen, Error> {
        if let Some(name) = &config.default_provider {
            return Ok(Chosen {
                instance: Arc::clone(self.named(name)?),
                reason: "the chosen provider".to_owned(),
            });
        }
        let configured = self.instances.values().filter(|one| one.is_configured);
        let configured: Vec<Arc<Instance>> = configured.cloned().collect();
        if let [only] = configured.as_slice() {
            return Ok(Chosen {
                instance: Arc::clone(only),
                reason: "the only provider in the configuration".to_owned(),
            });
        }
        if let Some(found) = self.memory().found.clone() {
            return Ok(found);
        }
        let found = match configured.first() {
            Some(first) => among(&configured, first).await,
            None => self.discover(config).await?,
        };
        self.memory().found = Some(found.clone());
        Ok(found)
    }

    async fn discover(&self, config: &Config) -> Result<Chosen, Error> {
        let wait = Duration::from_millis(config.discovery.answer_ms);
        let (found, in_vain) = discovery::first(&self.places, wait).await;
        if let Some((instance, _models)) = found {
            let before = if in_vain.is_empty() {
                String::new()
            } else {
                format!(" (not there: {})", in_vain.join(", "))
            };
            let reason = format!("found at {}{before}", instance.backend.endpoint());
            return Ok(Chosen { instance, reason });
        }
        let looked = if in_vain.is_empty() {
            "no provider is configured".to_owned()
        } else {
            format!(
                "no provider is configured, and none of these answers on this machine: {}",
                in_vain.join(", ")
            )
        };
        let embedded = self
            .instances
            .get(EMBEDDED)
            .filter(|_| config.discovery.embedded);
        let Some(embedded) = embedded else {
            let stranger = self.places.iter().find_map(|place| place.backend.missing());
            let start = "start Ollama, or add [models.providers.NAME] to the configuration";
            let hint = stranger.map_or_else(|| start.to_owned(), |stranger| stranger.hint);
            return Err(configuration(looked, hint));
        };
        match embedded.backend.probe(ONE_LOOK).await {
            Ok(_models) => Ok(Chosen {
                instance: Arc::clone(embedded),
                reason: format!("the embedded engine: {looked}"),
            }),
            Err(error) => Err(configuration(
                format!("{looked}; and {}", error.detail),
                error.hint,
            )),
        }
    }

    /// Forgets what was found or picked at a provider that failed.
    pub(crate) fn forget(&self, instance: &Arc<Instance>) {
        let mut memory = self.memory();
        if memory
            .found
            .as_ref()
            .is_some_and(|found| Arc::ptr_eq(&found.instance, instance))
        {
            memory.found = None;
        }
        memory.picked.retain(|(name, _), _| *name != instance.name);
    }

    /// The best installed model for a role.
    async fn pick(&self, instance: &Arc<Instance>, role: ModelRole) -> Result<String, Error> {
        let key = (instance.name.clone(), role);
        if let Some(model) = self.memory().picked.get(&key) {
            return Ok(model.clone());
        }
        let installed = instance.backend.list(None).await?;
        let model = best(instance, role, &installed)?;
        self.memory().picked.insert(key, model.clone());
        Ok(model)
    }

    /// Replaces a model that a provider does not have by the best one it has, and says so once.
    ///
    /// # Errors
    /// The one given, when there is none.
    pub(crate) async fn substitute(
        &self,
        target: &mut Target,
        error: Error,
        notices: &mut Vec<Fault>,
    ) -> Result<(), Error> {
        let missing = target.model_ref();
        // A model that was chosen and is gone is chosen no more.
        self.memory()
            .picked
            .retain(|_, picked| *picked != missing.model);
        // Another judge than the one that was named would make figures that are not its own.
        let Some(role) = target.role.filter(|role| *role != ModelRole::Judge) else {
            return Err(error);
        };
        let Ok(installed) = target.instance.backend.list(None).await else {
            return Err(error);
        };
        let others: Vec<Listed> = installed
            .into_iter()
            .filter(|one| one.model != missing.model)
            .collect();
        // The server's own words say more than that there is no other.
        let Ok(model) = best(&target.instance, role, &others) else {
            return Err(error);
        };
        if self.memory().warned.insert(missing.clone()) {
            notices.push(notice(
                "models.missing_model",
                format!(
                    "{missing} is not installed; using {model} for {}",
                    role.as_str()
                ),
                "install it, or change the model in the configuration; `carl doctor` explains",
            ));
        }
        target.model = model;
        target.reason = format!(
            "{missing} is not installed; the best one there for {}",
            role.as_str()
        );
        Ok(())
    }
}

/// Of several configured providers the first by name that answers; else the first, whose error
/// then says what is wrong.
async fn among(configured: &[Arc<Instance>], first: &Arc<Instance>) -> Chosen {
    let (found, in_vain) = discovery::first(configured, CONFIGURED_LOOK).await;
    let (instance, why) = match found {
        None => (
            Arc::clone(first),
            "no provider in the configuration answers",
        ),
        Some((instance, _)) if in_vain.is_empty() => {
            (instance, "the first provider in the configuration by name")
        }
        Some((instance, _)) => (
            instance,
            "the first provider in the configuration that answers",
        ),
    };
    let before = match in_vain.as_slice() {
        [] => String::new(),
        missed => format!(" (not there: {})", missed.join(", ")),
    };
    Chosen {
        instance,
        reason: format!("{why}{before}; models.default_provider chooses"),
    }
}

fn best(instance: &Instance, role: ModelRole, installed: &[Listed]) -> Result<String, Error> {
    choose::best(role, installed)
        .map(|one| one.model.clone())
        .ok_or_else(|| {
            Error::new(
                ErrorKind::UnknownModel,
                format!("{} has no model for {}", instance.name, role.as_str()),
            )
            .with_hint("install one, or map the role in [models.roles]")
        })
}
