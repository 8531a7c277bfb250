//! Why the server cannot serve.

use domain::fault::Coded;
use std::net::SocketAddr;
use std::path::PathBuf;

/// Why the server cannot serve.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The address can be reached from other machines.
    #[error(
        "{address} can be reached from other machines, and HTTP is served there with TLS alone"
    )]
    NotLoopback {
        /// The address.
        address: SocketAddr,
    },
    /// The certificate or its key cannot be used.
    #[error("{} cannot be used for TLS: {detail}", path.display())]
    Certificate {
        /// The file.
        path: PathBuf,
        /// Why.
        detail: String,
    },
    /// The address cannot be listened at.
    #[error("{address} cannot be listened at: {source}")]
    Bind {
        /// The address.
        address: SocketAddr,
        /// What the operating system says.
        source: std::io::Error,
    },
}

impl Coded for Error {
    fn code(&self) -> &'static str {
        match self {
            Self::NotLoopback { .. } => "http.not_loopback",
            Self::Certificate { .. } => "http.certificate",
            Self::Bind { .. } => "http.address",
        }
    }

    fn message(&self) -> String {
        self.to_string()
    }

    fn hint(&self) -> String {
        match self {
            Self::NotLoopback { .. } => {
                "Give a certificate and its key with --tls-cert FILE and --tls-key FILE; or serve at \
                 127.0.0.1, and reach it from elsewhere through a tunnel: ssh -L \
                 7433:127.0.0.1:7433 HOST."
            }
            Self::Certificate { .. } => {
                "--tls-cert has the certificate and behind it those that vouch for it, --tls-key its \
                 key; both in PEM."
            }
            Self::Bind { .. } => {
                "Another program may have the port: name another (`carl web 127.0.0.1:PORT`, or \
                 --http 127.0.0.1:PORT)."
            }
        }
        .to_owned()
    }
}
