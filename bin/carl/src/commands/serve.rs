//! `carl serve`: one role or all of them, over a socket.

use super::Setting;
use crate::cli::{RoleArg, ServeArgs, SessionFlags};
use crate::exit::{Exit, Failure, OrFail};
use crate::paths::private_folder;
use crate::render::print;
use crate::wiring::{self, House};
use anyhow::{Context, Result};
use api::audit::{Action, Audit};
use bus::LocalBus;
use std::sync::Arc;
use wire::Listen;
use wire::server::Builder;

/// Serves until Ctrl-C or SIGTERM.
///
/// # Errors
/// When the address cannot be used or another process serves there.
pub async fn serve(args: ServeArgs) -> Result<Exit> {
    let flags = SessionFlags {
        air_gap: args.air_gap,
        ..SessionFlags::default()
    };
    let setting = Setting::read(&flags)?;
    let address = match &args.listen {
        Some(address) => listen(address)?,
        None => {
            private_folder(&setting.paths.runtime)?;
            match args.role {
                // Commands look for everything at the other one.
                RoleArg::Secrets => Listen::Unix(wiring::secrets_socket(&setting)),
                _ => Listen::Unix(setting.paths.socket()),
            }
        }
    };
    locked(&address, args.trust_network)?;
    if args.role == RoleArg::All {
        // The house is kept until the end: it holds the lock of the state folder.
        let house = House::in_process(&setting).await?;
        let stopped = until_stopped(house.offer(), &address).await;
        return house.close(stopped).await;
    }
    let (mut offer, audit) = one(args.role, &setting).await?;
    if let (RoleArg::Secrets, Listen::Unix(_), Some(audit)) = (args.role, &address, &audit) {
        // The user's own `carl secret` records its changes while this role has the log.
        offer = offer.audit(audit.clone());
    }
    if let Some(audit) = &audit {
        wiring::mark(audit.as_ref(), Action::Start)
            .await
            .or_fail()?;
    }
    let stopped = until_stopped(offer, &address).await?;
    if let Some(audit) = &audit {
        wiring::mark(audit.as_ref(), Action::Stop).await.or_fail()?;
    }
    Ok(stopped)
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

/// Serves until Ctrl-C or SIGTERM, and says where.
///
/// # Errors
/// When the address cannot be used or serving fails.
pub(super) async fn until_stopped(offer: Builder, listen: &Listen) -> Result<Exit> {
    let bound = offer
        .bind(listen)
        .await
        .context("the address cannot be served at")?;
    // On standard output, for whoever starts it and waits for it.
    print(&format!("serving at {}; Ctrl-C stops\n", bound.local()))?;
    bound
        .serve(stop_signal()?)
        .await
        .context("serving failed")?;
    Ok(Exit::Success)
}

/// One role alone, and the log it writes to, if it does; the others it needs are where `[endpoints]`
/// says, or in this process.
async fn one(role: RoleArg, setting: &Setting) -> Result<(Builder, Option<Arc<dyn Audit>>)> {
    let offer = Builder::new();
    let providers = &setting.loaded.config.models.providers;
    if role == RoleArg::Models && providers.values().all(|it| it.api_key.is_none()) {
        // It records nothing, so it needs no log: that is another role's to write.
        let secrets = wiring::secrets_to_look(setting).await?;
        return Ok((offer.models(wiring::models(setting, secrets)?), None));
    }
    let audit = wiring::audit(setting)?;
    let offer = match role {
        RoleArg::Models => {
            let secrets = wiring::secrets(setting, audit.clone()).await?;
            offer.models(wiring::models(setting, secrets)?)
        }
        RoleArg::Secrets => {
            let secrets = wiring::served_secrets(setting, audit.clone()).await?;
            offer.secrets(secrets.clone(), secrets, wiring::token(setting)?)
        }
        RoleArg::Broker => {
            let secrets = wiring::secrets(setting, audit.clone()).await?;
            let guard = wiring::guard(setting, audit.clone(), secrets)?;
            offer.broker(guard.broker).control(guard.control)
        }
        RoleArg::Agents => {
            let secrets = wiring::secrets(setting, audit.clone()).await?;
            let guard = wiring::guard(setting, audit.clone(), secrets.clone())?;
            let models = wiring::models(setting, secrets)?;
            let bus = Arc::new(LocalBus::new());
            let sessions = wiring::sessions(setting, &models, &guard, audit.clone(), bus)?;
            offer.sessions(sessions)
        }
        RoleArg::All | RoleArg::Audit => offer.audit(audit.clone()),
    };
    Ok((offer, Some(audit)))
}

/// Ends with the first of Ctrl-C and SIGTERM.
fn stop_signal() -> Result<impl Future<Output = ()> + Send + 'static> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut interrupt = signal(SignalKind::interrupt()).context("Ctrl-C cannot be watched for")?;
    let mut terminate = signal(SignalKind::terminate()).context("SIGTERM cannot be watched for")?;
    Ok(async move {
        tokio::select! {
            _received = interrupt.recv() => {}
            _received = terminate.recv() => {}
        }
    })
}
