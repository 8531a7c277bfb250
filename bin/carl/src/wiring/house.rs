//! All services together, as a command works with them: in this process or in another.

use super::endpoints::{asked, endpoint, remote, served};
use super::knowledge::Remembrance;
use super::log::awaited;
use super::provider::refused_alone;
use super::senses;
use super::services::{
    Guard, Knowledge, OBSERVERS_WAIT, agent_tools, guard, knowledge, let_go, local_tools, mark,
    models, observers, sessions,
};
use super::stores::{secrets, secrets_to_look};
use crate::effective_settings::{self, Agreement};
use crate::lock::StateLock;
use crate::serving::wait_for_stopped;
use crate::setting::Setting;
use anyhow::Result;
use api::audit::{Ack, Action, Audit, Durability, Entry};
use api::bus::Bus;
use api::models::Models;
use api::search::Search;
use api::sessions::Sessions;
use async_trait::async_trait;
use bus::LocalBus;
use command_line::SessionFlags;
use config::paths::private_folder;
use domain::Timestamp;
use grpc::server::Builder;
use grpc::{Endpoint, Host, Listen};
use inbox::LazyInbox;
use observers::Observers;
use settings::By;
use std::sync::Arc;
use std::time::{Duration, Instant};
use terminal::exit::{Failure, OrFail};
use terminal::guests;
use tokio_util::sync::{CancellationToken, DropGuard};

/// How long a command waits for one that works by laxer settings, and is over soon.
const PATIENCE: Duration = Duration::from_secs(20);
/// How often it looks whether that is over.
const LOOKING_FOR_AN_END: Duration = Duration::from_millis(50);
/// How long calls of other commands have to end once this one leaves and none of their requests runs
/// any more: shorter than the end waits for the audit log, which this process may open again.
const DRAIN: Duration = Duration::from_millis(300);

/// The services, wherever they are.
pub struct House {
    /// What surfaces see.
    pub sessions: Arc<dyn Sessions>,
    /// The model gateway.
    pub gateway: Arc<dyn Models>,
    /// The guard.
    pub guard: Guard,
    /// The log.
    pub audit: Arc<dyn Audit>,
    /// What is remembered.
    pub remembrance: Remembrance,
    /// The web.
    pub search: Arc<dyn Search>,
    /// Remembers answers, where sessions are in this process and it is switched on.
    observers: Option<Observers>,
    /// Keeps other writers away for as long as this lives; `None` where the services are elsewhere.
    lock: Option<StateLock>,
    /// Serves these services to other processes until it is dropped.
    shared: Option<DropGuard>,
    /// Where they are, when that is another process.
    elsewhere: Option<Elsewhere>,
    /// Where messages come in, if that is configured and in this process.
    inbox: Option<Arc<LazyInbox>>,
    /// What runs in the background in this process.
    jobs: Option<programs::Jobs>,
}

/// Whether whoever served at an address when `host` was asked does so no more.
async fn has_ended(address: &Endpoint, host: Option<&Host>) -> bool {
    match host {
        Some(before) => !grpc::still_serves(address, Some(&before.instance)).await,
        // Whoever answers by now, and says who they are, came since.
        None => !grpc::answers(address).await || grpc::host(address).await.is_some(),
    }
}

/// Services in another process.
struct Elsewhere {
    endpoint: Endpoint,
    /// Which services those are, where they say.
    instance: Option<String>,
}

/// Where services are.
enum Place {
    /// To be built here, under this lock.
    Here(StateLock),
    /// In another process.
    There(Endpoint),
}

/// Whether a house may write.
#[derive(Debug)]
enum Access {
    /// It has the lock and records what it does.
    Write(StateLock),
    /// It only looks: no lock, and a log that refuses, so that nothing with an effect can run.
    Look,
}

impl House {
    /// The services to work with: those at `connect`, else those of a running daemon, else this
    /// process's own. In another process they work by its settings: what differs is said.
    ///
    /// # Errors
    /// When another process works here, or serves by laxer settings than this command's, or a part
    /// cannot start.
    pub async fn open(setting: &Setting, flags: &SessionFlags, by: By) -> Result<Self> {
        let began = Instant::now();
        loop {
            let address = match &flags.connect {
                Some(address) => endpoint("--connect", address)?,
                None => match Self::served_or_locked(setting).await? {
                    Place::Here(lock) => return Self::shared(setting, lock, by).await,
                    Place::There(address) => address,
                },
            };
            let host = grpc::host(&address).await;
            let agreed = match Self::attach(&address, host.as_ref(), setting).await {
                Ok(house) => {
                    if let (Some(name), None) = (&flags.provider, &flags.model) {
                        let gateway = house.gateway.as_ref();
                        let is_of_session = flags.is_provider_of_session;
                        let named = (name.as_str(), is_of_session);
                        return Err(refused_alone(&address, gateway, named).await.into());
                    }
                    let agreed =
                        effective_settings::agree(&address, host.as_ref(), setting, flags).await;
                    agreed.map(|agreed| (house, agreed))
                }
                Err(error) => Err(error),
            };
            let (house, agreed) = match agreed {
                Ok(agreed) => agreed,
                // An address that was typed is not looked for anywhere else.
                Err(_gone)
                    if flags.connect.is_none()
                        && began.elapsed() < PATIENCE
                        && has_ended(&address, host.as_ref()).await =>
                {
                    continue;
                }
                Err(error) => return Err(error),
            };
            match agreed {
                Agreement::Made => return Ok(house),
                // A command is over soon, and then this one works by its own settings.
                Agreement::Later(_) if began.elapsed() < PATIENCE => {
                    tokio::time::sleep(LOOKING_FOR_AN_END).await;
                }
                Agreement::Later(refusal) => return Err(refusal.into()),
            }
        }
    }

    /// The same for the user's own commands, which have no agent work and so no terms to agree on.
    ///
    /// # Errors
    /// When another process works here, or a part cannot start.
    pub async fn open_for_upkeep(setting: &Setting) -> Result<Self> {
        let began = Instant::now();
        loop {
            let address = match Self::served_or_locked(setting).await? {
                Place::Here(lock) => return Self::shared(setting, lock, By::Command).await,
                Place::There(address) => address,
            };
            let host = grpc::host(&address).await;
            match Self::attach(&address, host.as_ref(), setting).await {
                Err(_gone) if began.elapsed() < PATIENCE => {}
                attached => return attached,
            }
        }
    }

    /// This process's own, for every other command as well while it works.
    async fn shared(setting: &Setting, lock: StateLock, by: By) -> Result<Self> {
        let mut house = Self::build(setting, Access::Write(lock)).await?;
        house.share(setting, by).await;
        Ok(house)
    }

    async fn served_or_locked(setting: &Setting) -> Result<Place> {
        wait_for_stopped(&setting.paths.state, &asked(setting)).await?;
        let address = async || served(setting, setting.paths.socket()).await;
        private_folder(&setting.paths.state)?;
        loop {
            if let Some(address) = address().await {
                return Ok(Place::There(address));
            }
            let is_served = async || address().await.is_some();
            // Whoever was seen to serve may have ended since.
            if let Some(lock) =
                StateLock::wait_unless(&setting.paths.state, &setting.paths.socket(), is_served)
                    .await?
            {
                return Ok(Place::Here(lock));
            }
        }
    }

    /// The services of a running daemon, which know what is in memory there, else those to look with.
    ///
    /// # Errors
    /// When a part cannot start.
    pub async fn watch(setting: &Setting) -> Result<Self> {
        match served(setting, setting.paths.socket()).await {
            Some(address) => match Self::attach(&address, None, setting).await {
                Ok(house) => Ok(house),
                // It has ended since it was found.
                Err(_gone) => Self::look(setting).await,
            },
            None => Self::look(setting).await,
        }
    }

    /// The services to look with: nothing is changed, and no other process is in the way.
    ///
    /// # Errors
    /// When a part cannot start.
    pub async fn look(setting: &Setting) -> Result<Self> {
        Self::build(setting, Access::Look).await
    }

    /// All services in this process, but those that `[endpoints]` places elsewhere.
    ///
    /// # Errors
    /// When another process works here, or a part cannot start.
    pub async fn in_process(setting: &Setting) -> Result<Self> {
        private_folder(&setting.paths.state)?;
        let lock = StateLock::wait(&setting.paths.state, &setting.paths.socket()).await?;
        Self::build(setting, Access::Write(lock)).await
    }

    /// Says in the lock where these services are served, for commands that look elsewhere.
    ///
    /// # Errors
    /// When the lock cannot be written.
    pub fn announce(&mut self, address: &str) -> Result<()> {
        match &mut self.lock {
            Some(lock) => lock.announce(address),
            None => Ok(()),
        }
    }

    /// Serves these services to the user's other commands for as long as this house stands, so that
    /// none keeps them out. Where that does not work, they are told who has the lock.
    async fn share(&mut self, setting: &Setting, by: By) {
        let listen = Listen::Unix(setting.paths.socket());
        let bound = match private_folder(&setting.paths.runtime) {
            Ok(()) => {
                let curator = self.remembrance.sides.curator.clone();
                let terms = match effective_settings::told(setting, by) {
                    Ok(terms) => terms,
                    Err(error) => return tracing::warn!(%error, "not shared"),
                };
                let offer = self.offer().curator(curator).terms(terms);
                offer.bind(&listen).await
            }
            Err(error) => return tracing::warn!(%error, "not shared"),
        };
        match bound {
            Ok(bound) => {
                if let Err(error) = self.announce(&listen.to_string()) {
                    tracing::warn!(%error, "where this is shared is not told");
                }
                let stop = CancellationToken::new();
                let stopped = stop.clone().cancelled_owned();
                tokio::spawn(bound.serve_draining(stopped, DRAIN));
                self.shared = Some(stop.drop_guard());
            }
            Err(error) => tracing::warn!(%error, "not shared"),
        }
    }

    /// Opens the inbox, if there is one, before a session in auto mode needs it.
    ///
    /// # Errors
    /// When it cannot be opened.
    pub async fn open_inbox(&self) -> Result<()> {
        match &self.inbox {
            Some(inbox) => senses::open(inbox).await,
            None => Ok(()),
        }
    }

    /// Whether the services were in another process that does not answer, or that others have taken
    /// the place of: with those nothing is agreed on, and they have nothing open for this one.
    pub async fn is_gone(&self) -> bool {
        let Some(Elsewhere { endpoint, instance }) = &self.elsewhere else {
            return false;
        };
        !grpc::still_serves(endpoint, instance.as_deref()).await
    }

    /// Everything, to be served.
    #[must_use]
    pub fn offer(&self) -> Builder {
        let offer = match self.jobs.clone() {
            Some(jobs) => Builder::new().signals(Arc::new(jobs)),
            None => Builder::new(),
        };
        offer
            .audit(self.audit.clone())
            .models(self.gateway.clone())
            .broker(self.guard.broker.clone())
            .control(self.guard.control.clone())
            .sessions(self.sessions.clone())
            .memory(self.remembrance.sides.memory.clone())
            .search(self.search.clone())
    }

    /// Ends the work here, once whoever else is served here is done, and puts that on record. What
    /// the work came to is given back.
    ///
    /// # Errors
    /// The outcome's, else that the end cannot be recorded.
    pub async fn close<T>(mut self, outcome: Result<T>) -> Result<T> {
        if self.lock.is_none() {
            // Another process's services go on.
            return outcome;
        }
        if let Err(error) = guests::see_off(self.sessions.as_ref(), &mut self.shared).await {
            tracing::warn!("others may be cut off: {error:#}");
        }
        if let Some(observers) = &self.observers {
            observers.settle(OBSERVERS_WAIT).await;
        }
        if let Some(jobs) = &self.jobs {
            // Of sessions that nobody closed: what their programs left is looked through.
            jobs.end_all().await;
        }
        let stopped = mark(self.audit.as_ref(), Action::Stop).await;
        let Self {
            sessions,
            gateway,
            guard,
            audit,
            remembrance,
            search,
            observers,
            lock,
            shared,
            elsewhere: _,
            inbox,
            jobs,
        } = self;
        drop((
            sessions,
            gateway,
            guard,
            remembrance,
            search,
            observers,
            shared,
            inbox,
            jobs,
        ));
        let_go(audit).await;
        // Only now may another process begin.
        drop(lock);
        let value = outcome?;
        stopped.or_fail()?;
        Ok(value)
    }

    /// The services at an address, but those that `[endpoints]` places elsewhere.
    async fn attach(endpoint: &Endpoint, host: Option<&Host>, setting: &Setting) -> Result<Self> {
        if host.is_none() && !grpc::answers(endpoint).await {
            return Err(Failure::usage(
                format!("no Housecarl answers at {endpoint}"),
                "Start one there with `carl serve --listen ADDRESS`, or leave --connect out.",
            )
            .into());
        }
        let elsewhere = &setting.loaded.config.endpoints;
        let at = |key: &str, address: &str| -> Result<Endpoint> {
            Ok(remote(key, address)?.unwrap_or_else(|| endpoint.clone()))
        };
        let (models, audit) = (
            at("endpoints.models", &elsewhere.models)?,
            at("endpoints.audit", &elsewhere.audit)?,
        );
        let (memory, search) = (
            at("endpoints.memory", &elsewhere.memory)?,
            at("endpoints.search", &elsewhere.search)?,
        );
        Ok(Self {
            sessions: Arc::new(grpc::sessions::Client::connect(endpoint)),
            gateway: Arc::new(grpc::models::Client::connect(&models)),
            guard: Guard::at(&at("endpoints.broker", &elsewhere.broker)?),
            audit: Arc::new(grpc::audit::Client::connect(&audit)),
            remembrance: Remembrance::at(&memory),
            search: Arc::new(grpc::search::Client::connect(&search)),
            observers: None,
            lock: None,
            shared: None,
            inbox: None,
            jobs: None,
            elsewhere: Some(Elsewhere {
                endpoint: endpoint.clone(),
                instance: host.map(|host| host.instance.clone()),
            }),
        })
    }

    async fn build(setting: &Setting, access: Access) -> Result<Self> {
        private_folder(&setting.paths.state)?;
        let (lock, audit, secrets) = match access {
            Access::Write(lock) => {
                let audit = awaited(setting).await?;
                let secrets = secrets(setting, audit.clone()).await?;
                (Some(lock), audit, secrets)
            }
            Access::Look => {
                let secrets = secrets_to_look(setting).await?;
                (None, Arc::new(NoAudit) as Arc<dyn Audit>, secrets)
            }
        };
        let gateway = models(setting, &secrets)?;
        let local = local_tools(setting)?;
        let knowledge = knowledge(setting, &audit, &gateway, (&secrets, &local))?;
        let (agent_tools, inbox) = agent_tools(setting, &local)?;
        let jobs = Some(local.programs.jobs());
        let guard = guard(setting, audit.clone(), secrets, (local, &knowledge))?;
        let bus = Arc::new(LocalBus::new());
        let outside = (audit.clone(), bus.clone() as Arc<dyn Bus>);
        let sessions = sessions(setting, &gateway, &guard, outside, agent_tools)?;
        let Knowledge {
            remembrance,
            search,
        } = knowledge;
        let observers = match lock {
            None => None,
            Some(_) => {
                let services = observers::Services {
                    sessions: sessions.clone(),
                    memory: remembrance.sides.memory.clone(),
                    models: gateway.clone(),
                    audit: audit.clone(),
                    clock: Arc::new(Timestamp::now),
                };
                Some(observers(setting, &services, bus.as_ref())?)
            }
        };
        if lock.is_some() {
            mark(audit.as_ref(), Action::Start).await.or_fail()?;
        }
        Ok(Self {
            sessions,
            gateway,
            guard,
            audit,
            remembrance,
            search,
            observers,
            lock,
            shared: None,
            elsewhere: None,
            inbox,
            jobs,
        })
    }
}

/// The log of a process that only looks: it takes nothing, so the guard lets nothing run.
struct NoAudit;

#[async_trait]
impl Audit for NoAudit {
    async fn append(
        &self,
        _entry: Entry,
        _durability: Durability,
    ) -> Result<Ack, api::audit::Error> {
        let detail = "this command only looks and records nothing".to_owned();
        Err(api::audit::Error::Unwritable { detail })
    }
}
