//! The one place that opens connections, and the list of where they may go.

use crate::error::{Error, ErrorKind, configuration};
use crate::roots;
use reqwest::{Client, Url};
use std::collections::BTreeSet;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::OnceLock;
use std::time::Duration;

/// How long a server may take to accept a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Patience {
    /// As configured for requests.
    Usual,
    /// As configured for finding out whether one is there.
    Probe,
}

/// Only this machine is connected to.
#[derive(Debug, Clone, Default)]
pub(crate) struct AirGap {
    /// What set it, where that is known.
    from: Option<String>,
}

impl AirGap {
    /// What set it, where that is known.
    pub(crate) const fn set_by(from: Option<String>) -> Self {
        Self { from }
    }

    fn hint(&self) -> String {
        let otherwise = "use a model server on this machine";
        match self.from.as_deref() {
            Some(flag) if flag.starts_with('-') => format!("leave {flag} out, or {otherwise}"),
            Some(from) => format!("{from} sets `air_gap`: change it there, or {otherwise}"),
            None => format!("leave `air_gap` out where it is set, or {otherwise}"),
        }
    }
}

/// Where this process may connect to, and the clients it does it with.
///
/// Nothing is set up before it is needed: a call to a server on this machine never loads the
/// system's certificates.
pub(crate) struct Egress {
    allowed: BTreeSet<String>,
    air_gap: Option<AirGap>,
    connect: Duration,
    probe_connect: Duration,
    plain: OnceLock<Client>,
    probing: OnceLock<Client>,
    encrypted: OnceLock<Client>,
}

impl Egress {
    /// Allows exactly the given endpoints; under an air gap, of those only loopback ones.
    pub(crate) fn new<'a>(
        endpoints: impl Iterator<Item = &'a Url>,
        air_gap: Option<AirGap>,
        connect: Duration,
        probe_connect: Duration,
    ) -> Self {
        Self {
            allowed: endpoints.map(origin).collect(),
            air_gap,
            connect,
            probe_connect,
            plain: OnceLock::new(),
            probing: OnceLock::new(),
            encrypted: OnceLock::new(),
        }
    }

    /// The client for a URL, if this process may connect there.
    ///
    /// # Errors
    /// `Blocked` for a host that is not configured, or not loopback under an air gap.
    pub(crate) fn client(&self, url: &Url, patience: Patience) -> Result<&Client, Error> {
        self.check(url)?;
        match (url.scheme(), patience) {
            ("https", _) => {
                let built = client_in(&self.encrypted, || self.builder(self.connect).build());
                // With all else fixed, only the certificates of this machine can be at fault.
                built.map_err(|error| roots::none_to_trust().with_source(error))
            }
            (_, Patience::Usual) => client_in(&self.plain, || self.plain_client(self.connect)),
            (_, Patience::Probe) => {
                client_in(&self.probing, || self.plain_client(self.probe_connect))
            }
        }
    }

    /// Whether this process may connect to a URL.
    ///
    /// # Errors
    /// `Blocked`, with the reason.
    pub(crate) fn check(&self, url: &Url) -> Result<(), Error> {
        if let Some(air_gap) = &self.air_gap
            && !is_loopback(url)
        {
            return Err(Error::new(
                ErrorKind::Blocked,
                format!(
                    "{} is not on this machine, and the air gap is on",
                    origin(url)
                ),
            )
            .with_hint(air_gap.hint()));
        }
        if !self.allowed.contains(&origin(url)) {
            return Err(Error::new(
                ErrorKind::Blocked,
                format!("{} is not a configured model endpoint", origin(url)),
            )
            .with_hint("add it under [models.providers.NAME] in the configuration"));
        }
        Ok(())
    }

    fn plain_client(&self, connect: Duration) -> Result<Client, reqwest::Error> {
        // No certificates are given, so none are read from disk.
        self.builder(connect).tls_certs_only([]).build()
    }

    fn builder(&self, connect: Duration) -> reqwest::ClientBuilder {
        install_crypto();
        Client::builder()
            .no_proxy()
            .redirect(reqwest::redirect::Policy::none())
            .connect_timeout(connect)
            .tcp_nodelay(true)
            .user_agent(concat!("housecarl/", env!("CARGO_PKG_VERSION")))
            // The name `localhost` means this machine, whatever a resolver says.
            .resolve_to_addrs(
                "localhost",
                &[
                    SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 0),
                    SocketAddr::new(IpAddr::V6(Ipv6Addr::LOCALHOST), 0),
                ],
            )
    }
}

/// Builds a client once.
fn client_in(
    cell: &OnceLock<Client>,
    build: impl FnOnce() -> Result<Client, reqwest::Error>,
) -> Result<&Client, Error> {
    if let Some(client) = cell.get() {
        return Ok(client);
    }
    let client = build().map_err(|source| {
        configuration("the HTTP client could not be set up", "").with_source(source)
    })?;
    Ok(cell.get_or_init(|| client))
}

/// Chooses ring for TLS, once a process. Another part of the program may have done so already,
/// with the same provider, which is as good.
fn install_crypto() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        if rustls::crypto::ring::default_provider()
            .install_default()
            .is_err()
        {
            tracing::debug!("a TLS crypto provider was installed before");
        }
    });
}

/// Scheme, host and port: what the allowlist compares.
fn origin(url: &Url) -> String {
    format!(
        "{}://{}:{}",
        url.scheme(),
        url.host_str().unwrap_or_default(),
        url.port_or_known_default().unwrap_or_default()
    )
}

/// Whether a URL names this machine by loopback address or as `localhost`.
pub(crate) fn is_loopback(url: &Url) -> bool {
    let Some(host) = url.host_str() else {
        return false;
    };
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    bare == "localhost"
        || bare
            .parse::<IpAddr>()
            .is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        text.parse().unwrap()
    }

    fn egress(endpoints: &[&str], air_gap: bool) -> Egress {
        let urls: Vec<Url> = endpoints.iter().map(|text| url(text)).collect();
        Egress::new(
            urls.iter(),
            air_gap.then(AirGap::default),
            Duration::from_secs(1),
            Duration::from_secs(1),
        )
    }

    #[test]
    fn only_configured_origins_are_allowed() {
        let egress = egress(
            &["http://127.0.0.1:11434", "https://models.example/v1"],
            false,
        );
        for allowed in [
            "http://127.0.0.1:11434/api/chat",
            "https://models.example:443/v1/x",
        ] {
            assert!(egress.check(&url(allowed)).is_ok(), "{allowed}");
        }
        for refused in [
            "http://127.0.0.1:11435/api/chat",
            "http://models.example/v1",
            "https://models.example.evil.test/v1",
            "https://user@evil.test/models.example",
        ] {
            let error = egress.check(&url(refused)).unwrap_err();
            assert_eq!(error.kind, ErrorKind::Blocked, "{refused}");
        }
    }

    #[test]
    fn an_air_gap_leaves_loopback_only() {
        let egress = egress(
            &[
                "https://models.example",
                "http://localhost:1",
                "http://[::1]:2",
                "http://127.8.8.8:3",
            ],
            true,
        );
        assert!(egress.check(&url("https://models.example/")).is_err());
        for local in [
            "http://localhost:1/",
            "http://[::1]:2/",
            "http://127.8.8.8:3/",
        ] {
            assert!(egress.check(&url(local)).is_ok(), "{local}");
        }
    }

    #[test]
    fn loopback_is_not_a_matter_of_spelling() {
        for far in [
            "http://127.0.0.1.evil.test/",
            "http://localhost.evil.test/",
            "http://0.0.0.0/",
            "http://10.0.0.1/",
        ] {
            assert!(!is_loopback(&url(far)), "{far}");
        }
    }
}
