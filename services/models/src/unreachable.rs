//! Why a model server cannot be reached, in words that say what to do.

use crate::error::{Error, ErrorKind};
use crate::roots;
use reqwest::Url;
use rustls::{CertificateError, InvalidMessage};
use std::error::Error as Cause;
use text::escape::visible_line;

/// Turns a connection that did not come about into the contract's error.
pub(crate) fn unreachable(provider: &str, endpoint: &Url, source: reqwest::Error) -> Error {
    let source = source.without_url();
    let section = format!("[models.providers.{provider}]");
    let (detail, hint) = match tls_error(&source).map(Refused::of) {
        Some(refused) => refused.told(provider, endpoint),
        None => (
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
    /// The signature is not that of the authority of that name which is known here.
    BadSignature,
    /// It is an authority's own.
    SignedByItself,
    /// It is over, or not valid yet.
    OutOfTime,
    /// It is for other names.
    OtherName,
    /// The server does not speak TLS.
    NoTls,
    /// Anything else, in the library's words.
    Otherwise(String),
}

impl Refused {
    fn of(error: &rustls::Error) -> Self {
        use CertificateError as Bad;
        let bad = match error {
            rustls::Error::InvalidCertificate(bad) => bad,
            rustls::Error::InvalidMessage(InvalidMessage::InvalidContentType) => {
                return Self::NoTls;
            }
            other => return Self::Otherwise(visible_line(&other.to_string())),
        };
        match bad {
            Bad::UnknownIssuer => Self::Untrusted,
            Bad::BadSignature => Self::BadSignature,
            Bad::Expired
            | Bad::ExpiredContext { .. }
            | Bad::NotValidYet
            | Bad::NotValidYetContext { .. } => Self::OutOfTime,
            Bad::NotValidForName | Bad::NotValidForNameContext { .. } => Self::OtherName,
            // The library's name for it is the only thing that tells it apart.
            Bad::Other(other) if format!("{other:?}").contains("CaUsedAsEndEntity") => {
                Self::SignedByItself
            }
            other => Self::Otherwise(visible_line(&other.to_string())),
        }
    }

    /// What is wrong where, and what to do.
    fn told(self, provider: &str, endpoint: &Url) -> (String, String) {
        let section = format!("[models.providers.{provider}]");
        let certificate = format!("the certificate of {provider} at {endpoint}");
        let trust = "name the file with that certificate in the environment, \
                     SSL_CERT_FILE=FILE.pem, or add it to the system's (docs/models.md)";
        match self {
            Self::Untrusted => match roots::named_file() {
                Some(fault) => (
                    format!("{certificate} is not trusted on this machine: {fault}"),
                    roots::own_file_hint(),
                ),
                None => (
                    format!("{certificate} is not trusted on this machine"),
                    format!("trust who signed it: {trust}"),
                ),
            },
            Self::BadSignature => (
                format!(
                    "{certificate} is not signed by the authority that is trusted here under the \
                     name it gives"
                ),
                format!(
                    "if that authority's certificate was made anew, {trust}; if not, somebody else \
                     may be answering there"
                ),
            ),
            Self::SignedByItself => (
                format!("{certificate} is that of an authority, and none of a server"),
                "make one for the server with basicConstraints CA:FALSE, and trust it or who \
                 signed it (docs/models.md)"
                    .to_owned(),
            ),
            Self::OutOfTime => (
                format!("{certificate} is not valid at the time that this machine's clock shows"),
                "renew it there, or set the clock here: `carl doctor` shows it".to_owned(),
            ),
            Self::OtherName => (
                format!("{certificate} is for other names than that"),
                format!(
                    "write a name that it is for in `endpoint` of {section}, or make one with this \
                     name (subjectAltName)"
                ),
            ),
            Self::NoTls => (
                format!("{provider} at {endpoint} answers without encryption"),
                format!(
                    "write http:// in `endpoint` of {section}, or the port where it speaks TLS"
                ),
            ),
            Self::Otherwise(why) => (
                format!("{provider} at {endpoint} cannot be spoken to with encryption: {why}"),
                format!("mend the server, or correct `endpoint` in {section}"),
            ),
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
