//! From a name to addresses that were checked. What connects asks here, so that nothing is
//! connected to but what passed, and a name cannot mean one thing when it is checked and another
//! when it is used.

use crate::address::{Exceptions, check_ip};
use crate::error::Fault;
use async_trait::async_trait;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

/// Turns names into addresses.
#[async_trait]
pub trait Names: Send + Sync {
    /// Every address of a name.
    ///
    /// # Errors
    /// When it has none.
    async fn lookup(&self, name: &str) -> io::Result<Vec<IpAddr>>;
}

/// The system's own way.
pub(crate) struct SystemNames;

#[async_trait]
impl Names for SystemNames {
    async fn lookup(&self, name: &str) -> io::Result<Vec<IpAddr>> {
        let found = tokio::net::lookup_host((name, 0)).await?;
        Ok(found.map(|socket| socket.ip()).collect())
    }
}

/// A name that leads where nothing is fetched from.
#[derive(Debug, thiserror::Error)]
#[error("{}", .0.detail)]
pub(crate) struct Refused(pub(crate) Fault);

/// Looks names up and refuses those with any address that is not public.
#[derive(Clone)]
pub(crate) struct CheckedNames {
    names: Arc<dyn Names>,
    exceptions: Exceptions,
}

impl CheckedNames {
    pub(crate) fn new(names: Arc<dyn Names>, exceptions: Exceptions) -> Self {
        Self { names, exceptions }
    }

    /// The addresses of a name, if all of them may be connected to.
    async fn addresses(&self, name: &str) -> Result<Vec<SocketAddr>, Lookup> {
        let found = self.names.lookup(name).await.map_err(Lookup::Unknown)?;
        let own = own_addresses().map_err(Lookup::Unknown)?;
        for ip in &found {
            check_ip(*ip, &own, &self.exceptions)
                .map_err(|fault| Lookup::Refused(Refused(fault)))?;
        }
        Ok(found.into_iter().map(|ip| SocketAddr::new(ip, 0)).collect())
    }

    /// An address that stands in a URL itself and so is never looked up.
    pub(crate) fn check_literal(&self, ip: IpAddr) -> Result<(), Fault> {
        let own = own_addresses()
            .map_err(|error| Fault::blocked(&format!("own addresses are unknown: {error}")))?;
        check_ip(ip, &own, &self.exceptions)
    }
}

enum Lookup {
    Unknown(io::Error),
    Refused(Refused),
}

/// The addresses of this machine's interfaces, at this moment.
fn own_addresses() -> io::Result<Vec<IpAddr>> {
    let interfaces = nix::ifaddrs::getifaddrs().map_err(io::Error::from)?;
    Ok(interfaces
        .filter_map(|interface| interface.address)
        .filter_map(|address| {
            let v4 = address.as_sockaddr_in().map(|v4| IpAddr::V4(v4.ip()));
            v4.or_else(|| address.as_sockaddr_in6().map(|v6| IpAddr::V6(v6.ip())))
        })
        .collect())
}

impl Resolve for CheckedNames {
    fn resolve(&self, name: Name) -> Resolving {
        let this = self.clone();
        Box::pin(async move {
            match this.addresses(name.as_str()).await {
                Ok(found) => Ok(Box::new(found.into_iter()) as Addrs),
                Err(Lookup::Refused(refused)) => Err(refused.into()),
                Err(Lookup::Unknown(error)) => Err(error.into()),
            }
        })
    }
}
