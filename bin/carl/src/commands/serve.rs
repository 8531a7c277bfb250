//! `carl serve`: one role or all of them, over a socket.

use super::page::{self, Page, Place};
use super::{Setting, http};
use crate::effective_settings;
use crate::lock;
use crate::serving::Announced;
use crate::wiring::{self, House, Remembrance};
use anyhow::{Context, Result};
use api::audit::{Action, Audit};
use api::bus::Bus;
use bus::LocalBus;
use command_line::{RoleArg, ServeArgs, SessionFlags};
use config::Endpoints;
use config::paths::private_folder;
use domain::Timestamp;
use grpc::server::{Bound, Builder};
use grpc::{Endpoint, Listen};
use http_api::Server;
use inbox::LazyInbox;
use observers::Observers;
use rendering::{print, print_error};
use settings::By;
use std::path::Path;
use std::sync::Arc;
use terminal::exit::{Exit, Failure, OrFail, describe};
use terminal::signals::Signals;

/// The configuration under the flags of the command.
fn read(args: &ServeArgs) -> Result<Setting> {
    Setting::read(&SessionFlags {
        provider: args.provider.clone(),
        air_gap: args.air_gap,
        ..SessionFlags::default()
    })
}

/// Serves until Ctrl-C, SIGTERM or SIGHUP.
///
/// # Errors
/// When the address cannot be used or another process serves there.
pub async fn serve(args: ServeArgs) -> Result<Exit> {
    let mut setting = read(&args)?;
    let configured = serve_here(&mut setting.loaded.config.endpoints, args.role);
    let is_unnamed = configured.is_empty() && args.listen.is_none();
    let address = match &args.listen {
        Some(address) => listen(address)?,
        None => {
            private_folder(&setting.paths.runtime)?;
            usual(&setting, args.role, &configured)?
        }
    };
    locked(&address, args.trust_network)?;
    let terms = effective_settings::told(&setting, By::Serve)?;
    if args.role == RoleArg::All {
        let programs = for_clients(&args)?;
        return Box::pin(all(&setting, &address, (terms, programs))).await;
    }
    args.http.map_or(Ok(()), |_| Err(less_than_all()))?;
    let Served {
        mut offer,
        audit,
        observers,
        remembrance,
        inbox,
        jobs,
    } = one(args.role, &setting).await?;
    let own = match (&address, &remembrance) {
        (Listen::Tcp(_), Some(remembrance)) if args.role == RoleArg::Memory => {
            Some(users_own(&setting, remembrance, terms.clone()).await?)
        }
        _ => None,
    };
    offer = offer.terms(terms);
    if let (Listen::Unix(_), Some(remembrance)) = (&address, &remembrance) {
        offer = offer.curator(remembrance.sides.curator.clone());
    }
    if let (RoleArg::Secrets, Listen::Unix(_), Some(audit)) = (args.role, &address, &audit) {
        // The user's own `carl secret` records its changes while this role has the log.
        offer = offer.audit(audit.clone());
    }
    if let Some(inbox) = &inbox {
        wiring::open_inbox(inbox).await?;
    }
    if let Some(audit) = &audit {
        wiring::mark(audit.as_ref(), Action::Start)
            .await
            .or_fail()?;
    }
    let announce = |at: &str| {
        is_unnamed.then(|| unnamed(args.role, at));
        announced(&setting, args.role, at)
    };
    let role = Role {
        what: what_is_served(args.role),
        state: Some(&setting.paths.state),
        announce,
    };
    let stopped = until_all_stopped(offer, &address, role, own).await?;
    ended(observers, jobs).await;
    drop(remembrance);
    if let Some(audit) = audit {
        let_go(audit).await?;
    }
    Ok(stopped)
}

/// Where programs are served and how that is encrypted, where they are.
fn for_clients(args: &ServeArgs) -> Result<Option<Page>> {
    if args.http.is_none() && args.tls.tls_cert.is_some() {
        let said = "--tls-cert encrypts what --http serves, and nothing is served there";
        return Err(Failure::usage(said, "Add --http, if wanted with an address.").into());
    }
    let page = args.http.map(|at| Page::without_link(at, &args.tls));
    page.transpose()
}

/// The refusal of programs where one role is served.
fn less_than_all() -> Failure {
    Failure::usage(
        "--http serves sessions with all that they need, and one role has less than that",
        "Leave --role out.",
    )
}

/// Puts the end on record and lets go of the log.
async fn let_go(audit: Arc<dyn Audit>) -> Result<()> {
    told_to_end(wiring::mark(audit.as_ref(), Action::Stop).await)?;
    wiring::let_go(audit).await;
    Ok(())
}

/// Waits for what is still remembered, and ends the jobs.
async fn ended(observers: Option<Observers>, jobs: Option<programs::Jobs>) {
    if let Some(observers) = &observers {
        observers.settle(wiring::OBSERVERS_WAIT).await;
    }
    if let Some(jobs) = &jobs {
        jobs.end_all().await;
    }
}

/// Where the audit role has ended before this one, as when all of them are stopped at once, it is only
/// said: what was done is on record, and nothing is done any more.
fn told_to_end(recorded: Result<(), api::audit::Error>) -> Result<()> {
    match recorded {
        Err(error @ api::audit::Error::Unreachable { .. }) => Ok(print_error(&format!(
            "warning: the end of this role is not on record: {error}\n"
        ))?),
        recorded => recorded.or_fail(),
    }
}

/// Memory on the user's own socket, for a role that serves agents over a network.
async fn users_own(setting: &Setting, remembrance: &Remembrance, terms: String) -> Result<Bound> {
    private_folder(&setting.paths.runtime)?;
    let sides = remembrance.sides.clone();
    let offer = Builder::new().terms(terms).memory(sides.memory);
    let socket = Listen::Unix(wiring::memory_socket(setting));
    let bound = offer.curator(sides.curator).bind(&socket).await;
    bound.context("memory cannot be served to your own commands")
}

/// The refusal of an address, with what to do where a process has it: after the end of a service a
/// chat that was open serves the others in its place.
fn not_bound(error: grpc::server::Error, address: &Listen, state: Option<&Path>) -> anyhow::Error {
    let is_taken = matches!(
        error,
        grpc::server::Error::Bind(grpc::BindError::InUse { .. })
    );
    let error = anyhow::Error::from(error).context("the address cannot be served at");
    let (exit, mut fault) = describe(&error);
    if is_taken {
        fault.hint = match state.and_then(|state| lock::serving_at(state, &address.to_string())) {
            Some(id) => format!(
                "It is process {id}: a chat or a command, which serves the others for as long as it \
                 is at work, or `carl serve`. End it, and then start this."
            ),
            None => "It is a chat, a command or a service; `carl doctor` names those of your own. \
                     End it, and then start this."
                .to_owned(),
        };
    }
    Failure { exit, fault }.into()
}

/// Serves as [`until_stopped`], and at the user's own socket for as long.
async fn until_all_stopped(
    offer: Builder,
    listen: &Listen,
    role: Role<'_, impl FnOnce(&str) -> Option<Announced>>,
    own: Option<Bound>,
) -> Result<Exit> {
    let Some(own) = own else {
        return until_stopped(offer, listen, role).await;
    };
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let (ended, served) = tokio::join!(
        async {
            let ended = until_stopped(offer, listen, role).await;
            drop(stop);
            ended
        },
        // That the other end is gone is the sign.
        own.serve(async {
            let _gone = stopped.await;
        })
    );
    served.context("serving failed")?;
    ended
}

/// Where a role listens if it is not told: at the socket that `[endpoints]` names for it, else at one
/// of its own. Commands look for sessions, and for all of it, at the usual one.
fn usual(setting: &Setting, role: RoleArg, configured: &str) -> Result<Listen> {
    let name = match role {
        RoleArg::All | RoleArg::Agents => return Ok(Listen::Unix(setting.paths.socket())),
        RoleArg::Audit => "audit.sock",
        RoleArg::Models => "models.sock",
        RoleArg::Broker => "broker.sock",
        RoleArg::Memory => "memory.sock",
        RoleArg::Search => "search.sock",
        RoleArg::Secrets => "secrets.sock",
    };
    let own = || Listen::Unix(setting.paths.runtime.join(name));
    if configured.is_empty() {
        return Ok(own());
    }
    let role = name.trim_end_matches(".sock");
    match wiring::endpoint(&format!("endpoints.{role}"), configured)? {
        Endpoint::Unix(socket) => Ok(Listen::Unix(socket)),
        // What it means to serve a network is said on the command line.
        Endpoint::Tcp { .. } => Err(Failure::usage(
            format!(
                "endpoints.{role} is {configured}: an address of a network is not served by itself"
            ),
            format!("Type: carl serve --role {role} --listen {configured} --trust-network"),
        )
        .into()),
    }
}

/// One configuration serves every process of a machine: the role that is served here is not asked for
/// elsewhere. Where it would have been.
fn serve_here(endpoints: &mut Endpoints, role: RoleArg) -> String {
    let own = match role {
        RoleArg::Audit => &mut endpoints.audit,
        RoleArg::Models => &mut endpoints.models,
        RoleArg::Broker => &mut endpoints.broker,
        RoleArg::Memory => &mut endpoints.memory,
        RoleArg::Search => &mut endpoints.search,
        RoleArg::Secrets => &mut endpoints.secrets,
        RoleArg::All | RoleArg::Agents => return String::new(),
    };
    std::mem::take(own)
}

/// Everything at the usual socket, with the page.
///
/// # Errors
/// As [`serve`].
pub(super) async fn with_page(setting: &Setting, page: Page) -> Result<Exit> {
    private_folder(&setting.paths.runtime)?;
    let terms = effective_settings::told(setting, By::Serve)?;
    let address = Listen::Unix(setting.paths.socket());
    Box::pin(all(setting, &address, (terms, Some(page)))).await
}

/// Every role, from this process.
async fn all(
    setting: &Setting,
    address: &Listen,
    (terms, page): (String, Option<Page>),
) -> Result<Exit> {
    if let Some(endpoint) = wiring::served(setting, setting.paths.socket()).await
        && let Some(terms) = effective_settings::at(&endpoint).await
    {
        let wants_http = page.is_some();
        effective_settings::refuse_a_second(&terms, &endpoint, wants_http)?;
    }
    // The house is kept until the end: it holds the lock of the state folder.
    let mut house = House::in_process(setting).await?;
    house.announce(&address.to_string())?;
    house.remembrance.open_ahead();
    if let Err(error) = house.open_inbox().await {
        return house.close(Err(error)).await;
    }
    let programs = match for_programs(&house, setting, page).await {
        Ok(programs) => programs,
        Err(error) => return house.close(Err(error)).await,
    };
    let offer = || house.offer().terms(terms.clone());
    // The user's own socket; over a network others would read and forget.
    let users = || offer().curator(house.remembrance.sides.curator.clone());
    let usual = Listen::Unix(setting.paths.socket());
    let served = match address {
        Listen::Unix(_) => users(),
        Listen::Tcp(_) => offer(),
    };
    let stopped = async {
        // The commands of this machine look there, wherever else all is served.
        let own = match *address == usual {
            true => None,
            false => {
                private_folder(&setting.paths.runtime)?;
                let bound = users().bind(&usual).await;
                let state = Some(setting.paths.state.as_path());
                Some(bound.map_err(|error| not_bound(error, &usual, state))?)
            }
        };
        // The lock of the state folder says it already.
        let role = Role {
            what: what_is_served(RoleArg::All),
            state: Some(&setting.paths.state),
            announce: |_: &str| None,
        };
        until_all_stopped(served, address, role, own).await
    };
    let (programs, _announced) = programs.unzip();
    let stopped = Box::pin(beside(programs, stopped)).await;
    house.close(stopped).await
}

/// The server for programs and the page, where there is to be one. It listens, and begins to answer once
/// it is served. It is told in the state folder for as long as what is given beside it is kept.
async fn for_programs(
    house: &House,
    setting: &Setting,
    wanted: Option<Page>,
) -> Result<Option<(Server, Option<Announced>)>> {
    let Some(wanted) = wanted else {
        return Ok(None);
    };
    let at = (wanted.address, wanted.certificate.clone());
    let server = http::server(house, setting, at).await?;
    let place = Place::of(&server);
    let announced = page::announced(setting, &place);
    let (scheme, address) = (server.scheme(), server.address());
    print(&format!(
        "for programs: {scheme}://{address}, for whoever shows a token (`carl token new`)\n"
    ))?;
    wanted.show(setting, &place)?;
    Ok(Some((server, announced)))
}

/// Serves programs for as long as all the rest is served.
async fn beside(
    programs: Option<Server>,
    served: impl Future<Output = Result<Exit>>,
) -> Result<Exit> {
    let Some(programs) = programs else {
        return served.await;
    };
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let (ended, ()) = tokio::join!(
        async {
            let ended = served.await;
            drop(stop);
            ended
        },
        // That the other end is gone is the sign.
        programs.serve(async {
            let _gone = stopped.await;
        })
    );
    ended
}

/// The address that `--listen` names.
///
/// # Errors
/// When it is none.
pub(super) fn listen(address: &str) -> Result<Listen> {
    let listen = address.parse::<Listen>().map_err(|error| {
        Failure::usage(
            format!("--listen: {error}"),
            "Write unix:/path/to.sock or tcp:127.0.0.1:50051.",
        )
    })?;
    Ok(listen)
}

/// Refuses an address that others can reach, unless the user said that they may.
///
/// # Errors
/// When it is TCP and the network is not trusted.
pub(super) fn locked(address: &Listen, trusts_network: bool) -> Result<()> {
    if matches!(address, Listen::Tcp(_)) && !trusts_network {
        return Err(Failure::usage(
            format!("{address} has no lock: whoever reaches it may act as you"),
            "Serve on unix:/path/to.sock, which only you can open; or add --trust-network where \
             everything that reaches the address is yours.",
        )
        .into());
    }
    Ok(())
}

/// Says in the state folder that a role is served. Where that cannot be written it is served all the
/// same.
fn announced(setting: &Setting, role: RoleArg, address: &str) -> Option<Announced> {
    Announced::role(&setting.paths.state, role.as_str(), address)
        .inspect_err(|error| tracing::warn!("it is not told that this is served: {error:#}"))
        .ok()
}

/// Says of a role that no command will ask for it, until the configuration names its address.
fn unnamed(role: RoleArg, address: &str) {
    if role == RoleArg::Agents {
        return;
    }
    let name = role.as_str();
    let text = format!(
        "note: nobody uses this yet, since `[endpoints]` in config.toml has no `{name}`\n  Write \
         there: {name} = \"{address}\"\n"
    );
    if let Err(error) = print_error(&text) {
        tracing::warn!(%error, "standard error is closed");
    }
}

/// What a role serves, for who starts it.
const fn what_is_served(role: RoleArg) -> &'static str {
    match role {
        RoleArg::All => "everything",
        RoleArg::Audit => "the audit log",
        RoleArg::Models => "models",
        RoleArg::Broker => "the broker and its tools",
        RoleArg::Agents => "sessions and agents",
        RoleArg::Memory => "memory",
        RoleArg::Search => "search",
        RoleArg::Secrets => "secrets",
    }
}

/// What is served, and for which state folder.
pub(super) struct Role<'a, A> {
    /// What it is, for who starts it.
    pub what: &'a str,
    /// The state folder that it is of, if it is of one.
    pub state: Option<&'a Path>,
    /// Called with the address; what it gives back is held until the end.
    pub announce: A,
}

/// Serves until Ctrl-C, SIGTERM or SIGHUP, and says what and where.
///
/// # Errors
/// When the address cannot be used or serving fails.
pub(super) async fn until_stopped<A: FnOnce(&str) -> Option<Announced>>(
    offer: Builder,
    listen: &Listen,
    role: Role<'_, A>,
) -> Result<Exit> {
    let Role {
        what,
        state,
        announce,
    } = role;
    // Before the socket is there: who waited for it may stop this process at once.
    let stopped = stop_signal()?;
    let bound = offer.bind(listen).await;
    let bound = bound.map_err(|error| not_bound(error, listen, state))?;
    let address = bound.local().to_string();
    let _announced = announce(&address);
    // On standard output, for whoever starts it and waits for it.
    print(&format!("{what}: serving at {address}; Ctrl-C stops\n"))?;
    tracing::info!(
        "carl {} serves {what} at {address}",
        env!("CARGO_PKG_VERSION")
    );
    let served = bound.serve(stopped).await;
    tracing::info!("carl serves no more");
    served.context("serving failed")?;
    Ok(Exit::Success)
}

/// One role alone.
#[derive(Default)]
struct Served {
    /// What it offers.
    offer: Builder,
    /// The log it writes to, if it does.
    audit: Option<Arc<dyn Audit>>,
    /// What remembers answers, where sessions are served.
    observers: Option<Observers>,
    /// Both sides of memory, where it is served.
    remembrance: Option<Remembrance>,
    /// Where messages come in, where sessions are served.
    inbox: Option<Arc<LazyInbox>>,
    /// What programs run in the background, where tools are.
    jobs: Option<programs::Jobs>,
}

/// One role alone; the others it needs are where `[endpoints]` says, or in this process.
async fn one(role: RoleArg, setting: &Setting) -> Result<Served> {
    let offer = Builder::new();
    let mut served = Served::default();
    let providers = &setting.loaded.config.models.providers;
    if role == RoleArg::Models && providers.values().all(|it| it.api_key.is_none()) {
        // It records nothing, so it needs no log: that is another role's to write.
        let secrets = wiring::secrets_to_look(setting).await?;
        served.offer = offer.models(wiring::models(setting, &secrets)?);
        return Ok(served);
    }
    let audit = wiring::audit(setting)?;
    served.audit = Some(audit.clone());
    if matches!(role, RoleArg::All | RoleArg::Audit) {
        served.offer = offer.audit(audit);
        return Ok(served);
    }
    if role == RoleArg::Secrets {
        let secrets = wiring::served_secrets(setting, audit).await?;
        served.offer = offer.secrets(secrets.clone(), secrets, wiring::token(setting)?);
        return Ok(served);
    }
    let secrets = wiring::secrets(setting, audit.clone()).await?;
    let models = wiring::models(setting, &secrets)?;
    if role == RoleArg::Models {
        served.offer = offer.models(models);
        return Ok(served);
    }
    let local = wiring::local_tools(setting)?;
    served.jobs = Some(local.programs.jobs());
    let knowledge = wiring::knowledge(setting, &audit, &models, (&secrets, &local))?;
    served.offer = match role {
        RoleArg::Memory => {
            knowledge.remembrance.open_ahead();
            served.remembrance = Some(knowledge.remembrance.clone());
            offer.memory(knowledge.remembrance.sides.memory)
        }
        RoleArg::Search => offer.search(knowledge.search),
        RoleArg::Agents => {
            let (agent_tools, inbox) = wiring::agent_tools(setting, &local)?;
            served.inbox = inbox;
            let guard = wiring::guard(setting, audit.clone(), secrets, (local, &knowledge))?;
            let bus = Arc::new(LocalBus::new());
            let outside = (audit.clone(), bus.clone() as Arc<dyn Bus>);
            let sessions = wiring::sessions(setting, &models, &guard, outside, agent_tools)?;
            let services = observers::Services {
                sessions: sessions.clone(),
                memory: knowledge.remembrance.sides.memory,
                models,
                audit,
                clock: Arc::new(Timestamp::now),
            };
            let started = wiring::observers(setting, &services, bus.as_ref())?;
            served.observers = Some(started);
            offer.sessions(sessions)
        }
        RoleArg::Broker | RoleArg::All | RoleArg::Audit | RoleArg::Models | RoleArg::Secrets => {
            let jobs = Arc::new(local.programs.jobs());
            let guard = wiring::guard(setting, audit, secrets, (local, &knowledge))?;
            let offer = offer.broker(guard.broker).control(guard.control);
            offer.signals(jobs)
        }
    };
    Ok(served)
}

/// Ends with the first signal that asks the process to end.
fn stop_signal() -> Result<impl Future<Output = ()> + Send + 'static> {
    let mut signals = Signals::all()?;
    Ok(async move {
        signals.next().await;
    })
}
