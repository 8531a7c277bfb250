//! Where a service listens and where a client finds it: `unix:/path` or `tcp:host:port`.

use std::fmt;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::str::FromStr;

/// Where to listen. Transport is configuration, never code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Listen {
    /// A unix socket at this path. Only processes of the same user get in.
    Unix(PathBuf),
    /// A TCP port; port 0 takes a free one. Whoever reaches it gets in: for loopback and private
    /// networks only.
    Tcp(SocketAddr),
}

/// Where to connect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Endpoint {
    /// A unix socket at this path, held by a process of the same user.
    Unix(PathBuf),
    /// A TCP port.
    Tcp {
        /// Name or address, without brackets.
        host: String,
        /// 1 to 65535.
        port: u16,
    },
}

/// A text that is no address.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is no address: {problem}; write unix:/path/to.sock or tcp:host:port")]
pub struct InvalidAddress {
    text: String,
    problem: String,
}

impl InvalidAddress {
    fn new(text: &str, problem: impl fmt::Display) -> Self {
        Self {
            text: text.chars().take(200).collect(),
            problem: problem.to_string(),
        }
    }
}

fn unix_path(text: &str) -> Result<Option<PathBuf>, InvalidAddress> {
    let Some(path) = text.strip_prefix("unix:") else {
        return Ok(None);
    };
    // The two-slash spelling of other programs, so that a copied address works.
    let path = PathBuf::from(path.strip_prefix("//").unwrap_or(path));
    if path.is_absolute() {
        Ok(Some(path))
    } else {
        Err(InvalidAddress::new(text, "the path must be absolute"))
    }
}

fn tcp_rest(text: &str) -> Result<&str, InvalidAddress> {
    text.strip_prefix("tcp:")
        .map(|rest| rest.strip_prefix("//").unwrap_or(rest))
        .ok_or_else(|| InvalidAddress::new(text, "it begins with neither `unix:` nor `tcp:`"))
}

impl FromStr for Listen {
    type Err = InvalidAddress;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if let Some(path) = unix_path(text)? {
            return Ok(Self::Unix(path));
        }
        let rest = tcp_rest(text)?;
        // A name would have to be looked up, and could mean other interfaces than its writer thinks.
        let rest = rest
            .strip_prefix("localhost:")
            .map_or_else(|| rest.to_owned(), |port| format!("127.0.0.1:{port}"));
        rest.parse()
            .map(Self::Tcp)
            .map_err(|error| InvalidAddress::new(text, error))
    }
}

impl fmt::Display for Listen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unix(path) => write!(f, "unix:{}", path.display()),
            Self::Tcp(address) => write!(f, "tcp:{address}"),
        }
    }
}

impl FromStr for Endpoint {
    type Err = InvalidAddress;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if let Some(path) = unix_path(text)? {
            return Ok(Self::Unix(path));
        }
        let (host, port) = tcp_rest(text)?
            .rsplit_once(':')
            .ok_or_else(|| InvalidAddress::new(text, "the port is missing"))?;
        let host = host
            .strip_prefix('[')
            .and_then(|host| host.strip_suffix(']'))
            .unwrap_or(host);
        let port = port
            .parse()
            .map_err(|error| InvalidAddress::new(text, format_args!("port: {error}")))?;
        if host.is_empty() || port == 0 {
            return Err(InvalidAddress::new(text, "host or port is missing"));
        }
        Ok(Self::Tcp {
            host: host.to_owned(),
            port,
        })
    }
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unix(path) => write!(f, "unix:{}", path.display()),
            Self::Tcp { host, port } if host.contains(':') => write!(f, "tcp:[{host}]:{port}"),
            Self::Tcp { host, port } => write!(f, "tcp:{host}:{port}"),
        }
    }
}

impl From<&Listen> for Endpoint {
    /// The endpoint under which a listener is found from the same machine.
    fn from(listen: &Listen) -> Self {
        match listen {
            Listen::Unix(path) => Self::Unix(path.clone()),
            Listen::Tcp(address) if address.ip().is_unspecified() => Self::Tcp {
                host: if address.is_ipv4() {
                    "127.0.0.1"
                } else {
                    "::1"
                }
                .to_owned(),
                port: address.port(),
            },
            Listen::Tcp(address) => Self::Tcp {
                host: address.ip().to_string(),
                port: address.port(),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_survive_their_text_form() {
        for text in [
            "unix:/run/housecarl/models.sock",
            "tcp:127.0.0.1:50051",
            "tcp:[::1]:50051",
        ] {
            assert_eq!(text.parse::<Listen>().unwrap().to_string(), text);
            assert_eq!(text.parse::<Endpoint>().unwrap().to_string(), text);
        }
        let named: Endpoint = "tcp:models.internal:50051".parse().unwrap();
        assert_eq!(named.to_string(), "tcp:models.internal:50051");
        assert_eq!(
            "tcp:localhost:0".parse::<Listen>().unwrap().to_string(),
            "tcp:127.0.0.1:0"
        );
        assert_eq!(
            "unix:///run/a.sock"
                .parse::<Endpoint>()
                .unwrap()
                .to_string(),
            "unix:/run/a.sock"
        );
    }

    #[test]
    fn what_is_no_address_is_refused_with_the_two_forms() {
        for text in [
            "",
            "unix:relative",
            "tcp:",
            "tcp:host",
            "tcp::1",
            "tcp:h:0",
            "http://h:1",
        ] {
            let error = text.parse::<Endpoint>().unwrap_err().to_string();
            assert!(error.contains("tcp:host:port"), "{error}");
        }
        assert!("tcp:models.internal:50051".parse::<Listen>().is_err());
    }

    #[test]
    fn a_listener_on_every_interface_is_found_on_loopback() {
        let listen: Listen = "tcp:0.0.0.0:9".parse().unwrap();
        assert_eq!(Endpoint::from(&listen).to_string(), "tcp:127.0.0.1:9");
    }
}
