//! Why a model server cannot be reached, in words that say what to do.

use crate::error::{Error, ErrorKind};
use reqwest::Url;
use rustls::{CertificateError, InvalidMessage};
use std::error::Error as Cause;
use text::escape::visible_line;

/// Turns a connection that did not come about into the contract's error.
pub(crate) fn unreachable(provider: &str, endpoint: &Url, source: reqwest::Error) -> Error {
    let source = source.without_url();
    let section = format!("[models.providers.{provider}]");
    let (detail, hint) = match tls_error(&source).map(Refused::of) {
        Some(Refused::Untrusted) => (
            format!("the certificate of {provider} at {endpoint} is not trusted on this machine"),
            "trust who signed it: name the file with that certificate in the environment, \
             SSL_CERT_FILE=FILE.pem, or add it to the system's (docs/models.md)"
                .to_owned(),
        ),
        Some(Refused::SignedByItself) => (
            format!(
                "the certificate of {provider} at {endpoint} is that of an authority, and none of \
                 a server"
            ),
            "make one for the server with basicConstraints CA:FALSE, and trust it or who signed \
             it (docs/models.md)"
                .to_owned(),
        ),
        Some(Refused::NoTls) => (
            format!("{provider} at {endpoint} answers without encryption"),
            format!("write http:// in `endpoint` of {section}, or the port where it speaks TLS"),
        ),
        Some(Refused::Otherwise) | None => (
            format!(
                "{provider} does not answer at {endpoint}: {}",
                first_cause(&source)
            ),
            format!("start the model server, or correct `endpoint` in {section}"),
        ),
    };
    Error::new(ErrorKind::Unreachable, detail)
        .with_hint(hint)
        .with_source(source)
}

/// What a TLS connection failed by.
enum Refused {
    /// Nobody known here signed the certificate.
    Untrusted,
    /// It is an authority's own.
    SignedByItself,
    /// The server does not speak TLS.
    NoTls,
    /// Anything else, which its own words tell.
    Otherwise,
}

impl Refused {
    fn of(error: &rustls::Error) -> Self {
        match error {
            rustls::Error::InvalidCertificate(CertificateError::UnknownIssuer) => Self::Untrusted,
            // The library's name for it is the only thing that tells it apart.
            rustls::Error::InvalidCertificate(CertificateError::Other(other))
                if format!("{other:?}").contains("CaUsedAsEndEntity") =>
            {
                Self::SignedByItself
            }
            rustls::Error::InvalidMessage(InvalidMessage::InvalidContentType) => Self::NoTls,
            _ => Self::Otherwise,
        }
    }
}

/// The TLS library's error in a chain. What an error of input and
/// output wraps is none of its sources.
fn tls_error<'a>(error: &'a (dyn Cause + 'static)) -> Option<&'a rustls::Error> {
    let mut one = error;
    loop {
        if let Some(found) = one.downcast_ref() {
            return Some(found);
        }
        let io = one.downcast_ref::<std::io::Error>();
        one = match io.and_then(std::io::Error::get_ref) {
            Some(inside) => inside,
            None => one.source()?,
        };
    }
}

/// What began a chain of errors: refused, no such name, no TLS.
fn first_cause(error: &dyn Cause) -> String {
    let mut cause = error;
    while let Some(deeper) = cause.source() {
        cause = deeper;
    }
    visible_line(&cause.to_string())
}
