//! Endpoints: services of this process, offered to others.

use crate::address::Listen;
use crate::socket::{Acceptor, BindError};
use crate::{
    audit, broker, control, guard, memory, models, presence, search, secrets, sessions, signals,
};
use api::audit::Audit;
use api::broker::{Broker, Control};
use api::guard::Guard;
use api::memory::{Curator, Memory};
use api::models::Models;
use api::search::Search;
use api::secrets::{Refusals, Secrets};
use api::sessions::Sessions;
use api::signals::Source;
use domain::limits::{WIRE_DRAIN, WIRE_MESSAGE_BYTES, WIRE_PING, WIRE_PING_ANSWER, WIRE_STREAMS};
use futures::stream::unfold;
use proto::audit_server::AuditServer;
use proto::broker_control_server::BrokerControlServer;
use proto::broker_server::BrokerServer;
use proto::guard_server::GuardServer;
use proto::memory_curator_server::MemoryCuratorServer;
use proto::memory_server::MemoryServer;
use proto::models_server::ModelsServer;
use proto::presence_server::PresenceServer;
use proto::search_server::SearchServer;
use proto::secrets_server::SecretsServer;
use proto::sessions_server::SessionsServer;
use proto::signals_server::SignalsServer;
use std::io;
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;
use tonic::server::NamedService;
use tonic::service::Routes;
use tonic::transport::Server;
use tonic_health::ServingStatus;

/// Why an endpoint does not serve, or no longer.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Nothing listens.
    #[error(transparent)]
    Bind(#[from] BindError),
    /// The server failed.
    #[error("the endpoint {listen} failed")]
    Serve {
        /// Which endpoint.
        listen: Listen,
        /// Why.
        #[source]
        source: tonic::transport::Error,
    },
    /// The compiled-in protocol description is damaged.
    #[error("the protocol description cannot be served")]
    Reflection(#[from] tonic_reflection::server::Error),
    /// The system does not say where the socket is.
    #[error("the socket has no address")]
    Address(#[source] io::Error),
}

/// The services that an endpoint offers. Health and reflection are always among them.
#[derive(Default, Clone)]
pub struct Builder {
    audit: Option<Arc<dyn Audit>>,
    models: Option<Arc<dyn Models>>,
    memory: Option<Arc<dyn Memory>>,
    curator: Option<Arc<dyn Curator>>,
    broker: Option<Arc<dyn Broker>>,
    control: Option<Arc<dyn Control>>,
    sessions: Option<Arc<dyn Sessions>>,
    signals: Option<Arc<dyn Source>>,
    guard: Option<Arc<dyn Guard>>,
    search: Option<Arc<dyn Search>>,
    secrets: Option<secrets::Server>,
    terms: Option<String>,
}

/// Adds each service that is there to routes, and its name to a list.
macro_rules! offer {
    ($routes:ident, $names:ident: $($service:expr => $generated:ident, $adapter:expr;)*) => {$(
        if let Some(service) = $service {
            let service = $generated::new(($adapter)(service))
                .max_decoding_message_size(WIRE_MESSAGE_BYTES)
                .max_encoding_message_size(WIRE_MESSAGE_BYTES);
            $names.push(name_of(&service));
            $routes = $routes.add_service(service);
        }
    )*};
}

impl Builder {
    /// No services yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Offers Audit.
    #[must_use]
    pub fn audit(mut self, audit: Arc<dyn Audit>) -> Self {
        self.audit = Some(audit);
        self
    }

    /// Offers the Broker, to agents.
    #[must_use]
    pub fn broker(mut self, broker: Arc<dyn Broker>) -> Self {
        self.broker = Some(broker);
        self
    }

    /// Offers the user's side of the broker. Only where no agent connects: whoever reaches it can
    /// answer questions in the user's place.
    #[must_use]
    pub fn control(mut self, control: Arc<dyn Control>) -> Self {
        self.control = Some(control);
        self
    }

    /// Offers what sessions hear of what tools began, such as the ends of jobs. For who may use
    /// [`Builder::control`] alone.
    #[must_use]
    pub fn signals(mut self, signals: Arc<dyn Source>) -> Self {
        self.signals = Some(signals);
        self
    }

    /// Offers Guard, to programs that run their own tools.
    #[must_use]
    pub fn guard(mut self, guard: Arc<dyn Guard>) -> Self {
        self.guard = Some(guard);
        self
    }

    /// Offers Sessions.
    #[must_use]
    pub fn sessions(mut self, sessions: Arc<dyn Sessions>) -> Self {
        self.sessions = Some(sessions);
        self
    }

    /// Offers Search.
    #[must_use]
    pub fn search(mut self, search: Arc<dyn Search>) -> Self {
        self.search = Some(search);
        self
    }

    /// Offers Memory.
    #[must_use]
    pub fn memory(mut self, memory: Arc<dyn Memory>) -> Self {
        self.memory = Some(memory);
        self
    }

    /// Offers the user's side of memory. Only where no agent connects: whoever reaches it can
    /// read and forget everything.
    #[must_use]
    pub fn curator(mut self, curator: Arc<dyn Curator>) -> Self {
        self.curator = Some(curator);
        self
    }

    /// Offers Models.
    #[must_use]
    pub fn models(mut self, models: Arc<dyn Models>) -> Self {
        self.models = Some(models);
        self
    }

    /// Offers Secrets, to whoever shows the token; `refusals` hears of the others. Only by itself: beside other roles it would be
    /// reached by those who may use them.
    #[must_use]
    pub fn secrets(
        mut self,
        secrets: Arc<dyn Secrets>,
        refusals: Arc<dyn Refusals>,
        token: secrets::Token,
    ) -> Self {
        self.secrets = Some(secrets::Server {
            secrets,
            refusals,
            token: Arc::new(token),
        });
        self
    }

    /// Says on which terms it serves: the settings in force, as JSON, to whoever connects. Without
    /// secrets. What is bound has a random id of its own, which is told with them.
    #[must_use]
    pub fn terms(mut self, terms_json: String) -> Self {
        self.terms = Some(terms_json);
        self
    }

    /// Binds the socket. From here on clients can connect; they are answered once
    /// [`Bound::serve`] runs. Call it inside a Tokio runtime.
    ///
    /// # Errors
    /// [`Error`] when the address is in use or unsafe, or the system refuses.
    pub async fn bind(self, listen: &Listen) -> Result<Bound, Error> {
        let (cut, stopping) = (CancellationToken::new(), CancellationToken::new());
        let acceptor = Acceptor::bind(listen, cut.clone()).await?;
        let local = acceptor.local().map_err(Error::Address)?;
        let routes = self.routes(stopping.clone()).await?;
        Ok(Bound {
            acceptor,
            local,
            routes,
            stopping,
            cut,
        })
    }

    /// `stopping`: fires when no further call is taken.
    async fn routes(self, stopping: CancellationToken) -> Result<Routes, Error> {
        let (health, health_service) = tonic_health::server::health_reporter();
        let mut names = vec![name_of(&health_service)];
        let mut routes = Routes::new(health_service);
        offer!(routes, names:
            self.audit => AuditServer, audit::Server;
            self.models => ModelsServer, models::Server;
            self.memory => MemoryServer, memory::Server;
            self.curator => MemoryCuratorServer, memory::CuratorServer;
            self.broker => BrokerServer, broker::Server;
            self.control => BrokerControlServer, control::Server;
            self.sessions => SessionsServer, |all| sessions::Server::new(all, stopping);
            self.signals => SignalsServer, signals::Server;
            self.guard => GuardServer, guard::Server;
            self.search => SearchServer, search::Server;
            self.secrets => SecretsServer, std::convert::identity;
            self.terms => PresenceServer, presence::Server::new;
        );
        for name in &names {
            health
                .set_service_status(*name, ServingStatus::Serving)
                .await;
        }
        // Many clients still ask by the version before the first.
        let routes = routes
            .add_service(reflection(&names).build_v1()?)
            .add_service(reflection(&names).build_v1alpha()?);
        Ok(routes.prepare())
    }
}

/// What tells clients of these services, and of no others.
fn reflection(names: &[&str]) -> tonic_reflection::server::Builder<'static> {
    let reflection = tonic_reflection::server::Builder::configure()
        .register_encoded_file_descriptor_set(proto::DESCRIPTORS)
        .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET);
    let all = names.iter();
    all.fold(reflection, |reflection, name| {
        reflection.with_service_name(*name)
    })
}

fn name_of<S: NamedService>(_: &S) -> &'static str {
    S::NAME
}

/// An endpoint that is bound and not yet served.
pub struct Bound {
    acceptor: Acceptor,
    local: Listen,
    routes: Routes,
    stopping: CancellationToken,
    cut: CancellationToken,
}

impl Bound {
    /// Where it listens, with the port that was given for port 0.
    #[must_use]
    pub fn local(&self) -> &Listen {
        &self.local
    }

    /// Serves until `shutdown` completes; then running calls have [`WIRE_DRAIN`] to end before
    /// their connections are cut. Events end at once where a question among them stands.
    ///
    /// # Errors
    /// [`Error::Serve`] when the server fails.
    pub async fn serve(self, shutdown: impl Future<Output = ()> + Send) -> Result<(), Error> {
        self.serve_draining(shutdown, WIRE_DRAIN).await
    }

    /// The same, where running calls have this long to end.
    ///
    /// # Errors
    /// [`Error::Serve`] when the server fails.
    pub async fn serve_draining(
        self,
        shutdown: impl Future<Output = ()> + Send,
        drain: Duration,
    ) -> Result<(), Error> {
        let Self {
            acceptor,
            local,
            routes,
            stopping,
            cut,
        } = self;
        let incoming = unfold(acceptor, |acceptor| async move {
            let connection = acceptor.accept().await;
            Some((connection, acceptor))
        });
        let mut server = Server::builder()
            .max_concurrent_streams(WIRE_STREAMS)
            .concurrency_limit_per_connection(WIRE_STREAMS as usize)
            .http2_keepalive_interval(Some(WIRE_PING))
            .http2_keepalive_timeout(Some(WIRE_PING_ANSWER));
        let serving = server
            .add_routes(routes)
            .serve_with_incoming_shutdown(incoming, stopping.cancelled());
        let stop = async {
            shutdown.await;
            stopping.cancel();
            tokio::time::sleep(drain).await;
            // Connection tasks end by themselves once their sockets fail.
            cut.cancel();
            std::future::pending::<()>().await;
        };
        tokio::select! {
            served = serving => served.map_err(|source| Error::Serve { listen: local, source }),
            () = stop => Ok(()),
        }
    }
}

/// Binds and serves until `shutdown` completes.
///
/// # Errors
/// [`Error`] when the address is in use or unsafe, or the server fails.
pub async fn serve(
    listen: &Listen,
    services: Builder,
    shutdown: impl Future<Output = ()> + Send,
) -> Result<(), Error> {
    services.bind(listen).await?.serve(shutdown).await
}
