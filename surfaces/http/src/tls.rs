//! TLS: the certificate that the server shows, and for which names it is.

use crate::error::Error;
use crate::limits::{HEAD_TIME, TLS_FILE_BYTES};
use disk::read::{Links, bytes};
use rustls::client::verify_server_name;
use rustls::crypto::ring::default_provider;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::server::ParsedCertificate;
use std::path::Path;
use std::sync::Arc;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

/// A certificate with its key.
#[derive(Clone)]
pub struct Certificate {
    acceptor: TlsAcceptor,
    own: CertificateDer<'static>,
}

impl Certificate {
    /// Reads a certificate, with those that vouch for it behind it, and its key; both in PEM.
    ///
    /// # Errors
    /// When a file cannot be read, or the two do not go together.
    pub fn read(certificate: &Path, key: &Path) -> Result<Self, Error> {
        let chain: Result<Vec<_>, _> =
            CertificateDer::pem_slice_iter(&file(certificate)?).collect();
        let chain = chain.map_err(|error| cannot(certificate, error.to_string()))?;
        let Some(own) = chain.first().cloned() else {
            let said = "no certificate in PEM stands in it";
            return Err(cannot(certificate, said.to_owned()));
        };
        let secret = PrivateKeyDer::from_pem_slice(&file(key)?);
        let secret = secret.map_err(|error| cannot(key, error.to_string()))?;
        let mut config = rustls::ServerConfig::builder_with_provider(Arc::new(default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(|error| cannot(certificate, error.to_string()))?
            .with_no_client_auth()
            .with_single_cert(chain, secret)
            .map_err(|error| cannot(certificate, error.to_string()))?;
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(Self {
            acceptor: TlsAcceptor::from(Arc::new(config)),
            own,
        })
    }

    /// Whether it is for a host: a name, or an address as it stands in a URL.
    pub(crate) fn is_for(&self, host: &str) -> bool {
        let host = host.trim_start_matches('[').trim_end_matches(']');
        let (Ok(certificate), Ok(name)) = (
            ParsedCertificate::try_from(&self.own),
            ServerName::try_from(host),
        ) else {
            return false;
        };
        verify_server_name(&certificate, &name).is_ok()
    }

    /// The first name that it is for and that leads to one machine from everywhere.
    pub(crate) fn name(&self) -> Option<String> {
        let certificate = webpki::EndEntityCert::try_from(&self.own).ok()?;
        let mut names = certificate.valid_dns_names();
        names
            .find(|name| !name.contains('*') && *name != "localhost")
            .map(str::to_owned)
    }

    /// Takes a connection in; `None` where the other end did not do its part in time.
    pub(crate) async fn accept<S>(&self, stream: S) -> Option<TlsStream<S>>
    where
        S: AsyncRead + AsyncWrite + Unpin,
    {
        match timeout(HEAD_TIME, self.acceptor.accept(stream)).await {
            Ok(Ok(stream)) => Some(stream),
            Ok(Err(error)) => {
                tracing::debug!(%error, "a connection could not be encrypted");
                None
            }
            Err(_late) => None,
        }
    }
}

fn file(path: &Path) -> Result<Vec<u8>, Error> {
    match bytes(path, TLS_FILE_BYTES, Links::Followed) {
        Ok(Some(bytes)) => Ok(bytes),
        Ok(None) => Err(cannot(path, "it is not there".to_owned())),
        Err(error) => Err(cannot(path, error.to_string())),
    }
}

fn cannot(path: &Path, detail: String) -> Error {
    Error::Certificate {
        path: path.to_owned(),
        detail,
    }
}
