//! Secrets over gRPC, for whoever shows the service's token.
//!
//! On a unix socket the same user is asked for before the first byte is read; the token is asked
//! for on every transport. It tells the broker from the user's other processes, and on TCP it is
//! what stands between the secrets and whoever reaches the port inside the overlay network.

use crate::address::Endpoint;
use crate::channel;
use api::secrets::{Error, Refusals, SECRET_TIME, SECRET_VALUE_BYTES, SecretValue, Secrets};
use async_trait::async_trait;
use proto::secrets_client::SecretsClient;
use proto::secrets_server;
use proto::status::{cause, reason, status};
use std::sync::Arc;
use tonic::metadata::{Ascii, MetadataValue};
use tonic::transport::Channel;
use tonic::{Code, Request, Response, Status};

/// The header that carries the token.
const HEADER: &str = "housecarl-service-token";
/// Length of a token, hexadecimal digits.
pub const TOKEN_DIGITS: usize = 64;

/// What a caller must show. Compared in constant time, never printed.
pub struct Token {
    text: SecretValue,
    header: MetadataValue<Ascii>,
}

/// A text that is no token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a token has {TOKEN_DIGITS} hexadecimal digits")]
pub struct InvalidToken;

impl Token {
    /// The token in a text, which may have blanks around it.
    ///
    /// # Errors
    /// [`InvalidToken`], which repeats nothing of the text.
    pub fn new(text: &str) -> Result<Self, InvalidToken> {
        let text = text.trim();
        if text.len() != TOKEN_DIGITS || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(InvalidToken);
        }
        let Ok(mut header) = MetadataValue::try_from(text) else {
            return Err(InvalidToken);
        };
        header.set_sensitive(true);
        Ok(Self {
            text: SecretValue::new(text.as_bytes().to_vec()),
            header,
        })
    }

    fn is_shown_by<T>(&self, request: &Request<T>) -> bool {
        let shown = request.metadata().get(HEADER);
        shown.is_some_and(|shown| self.text.matches(shown.as_bytes()))
    }
}

/// Secrets in another process.
pub struct Client {
    inner: SecretsClient<Channel>,
    endpoint: Endpoint,
    token: Token,
}

impl Client {
    /// A client that connects with its first call, and again after a loss. Call it inside a Tokio
    /// runtime.
    #[must_use]
    pub fn connect(endpoint: &Endpoint, token: Token) -> Self {
        Self {
            inner: SecretsClient::new(channel::open(endpoint)),
            endpoint: endpoint.clone(),
            token,
        }
    }

    /// It says something that helps nobody, or nothing.
    fn unavailable(&self, detail: impl std::fmt::Display) -> Error {
        let hint = "Start it with the same configuration: `carl serve --role secrets` (at a TCP \
                    address with `--listen ADDRESS --trust-network`).";
        self.told(&detail.to_string(), hint.to_owned())
    }

    fn told(&self, detail: &str, hint: String) -> Error {
        Error::Unavailable {
            detail: format!("{}: {detail}", self.endpoint),
            hint,
        }
    }
}

#[async_trait]
impl Secrets for Client {
    async fn get_secret(&self, name: &str) -> Result<SecretValue, Error> {
        let message = proto::GetSecretRequest {
            name: name.to_owned(),
        };
        let mut request = Request::new(message);
        let header = self.token.header.clone();
        request.metadata_mut().insert(HEADER, header);
        let mut client = self.inner.clone();
        match tokio::time::timeout(SECRET_TIME, client.get_secret(request)).await {
            Ok(Ok(answer)) => {
                let value = SecretValue::new(answer.into_inner().value);
                if value.expose().len() > SECRET_VALUE_BYTES {
                    return Err(self.unavailable("it gave more than a secret can have"));
                }
                Ok(value)
            }
            Ok(Err(status)) => Err(self.error(&status, name)),
            Err(_elapsed) => Err(self.unavailable(format!(
                "it did not answer within {} s",
                SECRET_TIME.as_secs()
            ))),
        }
    }
}

impl Client {
    fn error(&self, status: &Status, name: &str) -> Error {
        let Some(reason) = reason(status) else {
            return self.unavailable(cause(status));
        };
        match reason.code.as_str() {
            "secrets.not_found" => Error::NotFound {
                name: name.to_owned(),
            },
            "secrets.invalid_name" => name
                .parse::<api::secrets::SecretName>()
                .map_or_else(|error| error, |_| self.unavailable("it takes no such name")),
            "secrets.not_permitted" => Error::NotPermitted,
            "secrets.not_chosen" => Error::NotChosen,
            "secrets.locked" => Error::Locked {
                detail: reason.detail,
            },
            "secrets.sealed" => Error::Sealed {
                detail: reason.detail,
            },
            _ => self.told(&reason.detail, reason.hint),
        }
    }
}

fn to_status(error: &Error) -> Status {
    let code = match error {
        Error::NotFound { .. } => Code::NotFound,
        Error::InvalidName { .. } | Error::InvalidValue { .. } => Code::InvalidArgument,
        Error::NotChosen | Error::Locked { .. } | Error::Sealed { .. } => Code::FailedPrecondition,
        Error::Unavailable { .. } => Code::Unavailable,
        Error::NotPermitted => Code::PermissionDenied,
    };
    // The client puts the sentence around it again.
    let detail = match error {
        Error::Unavailable { detail, .. } | Error::Locked { detail } | Error::Sealed { detail } => {
            detail
        }
        _ => "",
    };
    status(code, error, detail)
}

/// Secrets served to other processes.
#[derive(Clone)]
pub(crate) struct Server {
    pub(crate) secrets: Arc<dyn Secrets>,
    pub(crate) refusals: Arc<dyn Refusals>,
    pub(crate) token: Arc<Token>,
}

#[async_trait]
impl secrets_server::Secrets for Server {
    async fn get_secret(
        &self,
        request: Request<proto::GetSecretRequest>,
    ) -> Result<Response<proto::GetSecretResponse>, Status> {
        if !self.token.is_shown_by(&request) {
            tracing::warn!("a caller asked for a secret without the service's token");
            self.refusals.refused().await;
            return Err(to_status(&Error::NotPermitted));
        }
        let secret = self.secrets.get_secret(&request.into_inner().name).await;
        let secret = secret.map_err(|error| to_status(&error))?;
        let value = secret.expose().to_vec();
        Ok(Response::new(proto::GetSecretResponse { value }))
    }
}
