//! Reads addresses of services: from the configuration, and from sockets that somebody serves at. What
//! is done with them stands with each service: `services.rs`, `knowledge.rs`, `log.rs`, `stores.rs`.

use crate::effective_settings;
use crate::lock::stopped;
use crate::setting::Setting;
use anyhow::Result;
use grpc::Endpoint;
use std::path::PathBuf;
use terminal::exit::Failure;

/// Where somebody serves this Housecarl's services, if it is at this socket. Another one, with folders
/// of its own, may have the same folder for sockets.
pub async fn served(setting: &Setting, socket: PathBuf) -> Option<Endpoint> {
    let endpoint = Endpoint::Unix(socket.clone());
    // One that is stopped would be waited for in vain.
    if socket == setting.paths.socket() && stopped(&setting.paths.state).is_some() {
        return None;
    }
    if !socket.exists() || !grpc::answers(&endpoint).await {
        return None;
    }
    let terms = effective_settings::at(&endpoint).await;
    terms
        .is_none_or(|terms| terms.are_of(&setting.paths.state))
        .then_some(endpoint)
}

/// The addresses of other processes that a command asks: the usual socket, and those of `[endpoints]`.
pub fn asked(setting: &Setting) -> Vec<String> {
    let elsewhere = &setting.loaded.config.endpoints;
    let socket = format!("unix:{}", setting.paths.socket().display());
    let all = [
        &socket,
        &elsewhere.audit,
        &elsewhere.models,
        &elsewhere.broker,
        &elsewhere.memory,
        &elsewhere.search,
        &elsewhere.secrets,
    ];
    let given = all.into_iter().filter(|address| !address.is_empty());
    given.cloned().collect()
}

/// A path that was configured; an empty one was not.
pub(super) fn given(path: PathBuf) -> Option<PathBuf> {
    Some(path).filter(|path| !path.as_os_str().is_empty())
}

pub(super) fn remote(key: &str, address: &str) -> Result<Option<Endpoint>> {
    if address.is_empty() {
        Ok(None)
    } else {
        endpoint(key, address).map(Some)
    }
}

/// The address under a key.
///
/// # Errors
/// A usage failure that names the key.
pub fn endpoint(key: &str, address: &str) -> Result<Endpoint> {
    address.parse::<Endpoint>().map_err(|error| {
        let message = format!("{key}: {error}");
        Failure::usage(message, "Write unix:/path/to.sock or tcp:127.0.0.1:50051.").into()
    })
}
