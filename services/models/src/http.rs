//! A model server behind HTTP: sends what a protocol asks, reads what it answers.

use crate::body::{Body, Waits};
use crate::call::{Call, Facts, Listed};
use crate::config::{LimitsConfig, SecretRef};
use crate::egress::{Egress, Patience};
use crate::error::{self, Error, ErrorKind};
use crate::framing::Framing;
use crate::opening::{Backend, Failure, Pieces};
use crate::providers::{Outgoing, Protocol, error_text};
use crate::unreachable::unreachable;
use api::secrets::Secrets;
use async_trait::async_trait;
use domain::limits;
use futures::StreamExt;
use futures::stream;
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderValue, LOCATION, RETRY_AFTER};
use reqwest::{Response, StatusCode, Url};
use serde_json::Value;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use text::secrets::Needles;
use tokio::time::timeout;
use zeroize::Zeroizing;

/// What a text in UTF-8 may begin with.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";
/// Most of an error page that is read, bytes.
const REFUSAL_BYTES: usize = 16 << 10;
/// Models whose facts are remembered; a server with more is asked again.
const REMEMBERED_FACTS: usize = 256;

/// Waiting times of one instance.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Timing {
    first_byte: Duration,
    stall: Duration,
    short: Duration,
}

impl Timing {
    /// The waiting times of a server. `call_time`: longest that a whole call may take there.
    pub(crate) fn new(config: &LimitsConfig, is_near: bool, call_time: Duration) -> Self {
        // The call's own limit then speaks first, with its own hint.
        let whole = call_time.saturating_mul(2);
        let usual = |given: Option<u64>, far: Duration| match given {
            Some(millis) => Duration::from_millis(millis),
            None if is_near => whole,
            None => far,
        };
        let first_byte = usual(config.first_byte_ms, limits::MODEL_FIRST_BYTE);
        Self {
            first_byte,
            stall: usual(config.stall_ms, limits::MODEL_STALL),
            // Lists and facts need no model, so they come at once or not at all.
            short: first_byte.min(Duration::from_secs(10)),
        }
    }
}

/// A provider's key, for one call.
type Key = Zeroizing<String>;

/// One model server.
pub(crate) struct HttpBackend {
    pub(crate) name: String,
    pub(crate) endpoint: Url,
    pub(crate) protocol: Box<dyn Protocol>,
    pub(crate) egress: Arc<Egress>,
    pub(crate) key: Option<SecretRef>,
    pub(crate) secrets: Option<Arc<dyn Secrets>>,
    pub(crate) timing: Timing,
    pub(crate) facts: Mutex<HashMap<String, (Facts, bool)>>,
}

#[async_trait]
impl Backend for HttpBackend {
    async fn open(&self, call: &Call) -> Result<Pieces, Failure> {
        let wait = self.timing.first_byte;
        match timeout(wait, self.first_byte(call)).await {
            Ok(opened) => opened,
            Err(_elapsed) => Err(Failure::last(self.timed_out("the first byte", wait))),
        }
    }

    async fn list(&self, wait: Option<Duration>) -> Result<Vec<Listed>, Error> {
        let wait = wait.unwrap_or(self.timing.short);
        let body = self
            .json(&self.protocol.list(), Patience::Usual, wait)
            .await?;
        let mut listed = self.protocol.read_list(&body)?;
        if let Some(question) = self.protocol.loaded() {
            // Knowing what is in memory is a courtesy; a server that cannot say is still listed.
            if let Ok(body) = self.json(&question, Patience::Usual, wait).await
                && let Ok(loaded) = self.protocol.read_list(&body)
            {
                for model in &mut listed {
                    model.loaded = Some(loaded.iter().any(|one| one.model == model.model));
                }
            }
        }
        Ok(listed)
    }

    async fn probe(&self, wait: Duration) -> Result<Vec<Listed>, Error> {
        let body = self
            .json(&self.protocol.list(), Patience::Probe, wait)
            .await?;
        self.protocol.read_list(&body)
    }

    async fn loaded(&self) -> Result<Option<Vec<String>>, Error> {
        let Some(question) = self.protocol.loaded() else {
            return Ok(None);
        };
        let body = self
            .json(&question, Patience::Usual, self.timing.short)
            .await?;
        let models = self.protocol.read_list(&body)?.into_iter();
        Ok(Some(models.map(|one| one.model).collect()))
    }

    fn name_in_memory(&self, model: &str) -> String {
        self.protocol.name_in_memory(model)
    }

    async fn embed(&self, model: &str, texts: &[String]) -> Result<Vec<Vec<f32>>, Failure> {
        let outgoing = self.protocol.embed(model, texts).ok_or_else(|| {
            Failure::last(Error::new(
                ErrorKind::Rejected,
                format!("{} has no embeddings", self.name),
            ))
        })?;
        let wait = self.timing.first_byte;
        let body = match timeout(wait, self.document(&outgoing, Patience::Usual)).await {
            Ok(body) => body?,
            Err(_elapsed) => return Err(Failure::last(self.timed_out("embeddings", wait))),
        };
        self.protocol.read_embeddings(&body).map_err(Failure::last)
    }

    async fn facts(&self, model: &str) -> Result<Facts, Error> {
        self.known(model, false).await
    }

    async fn describe(&self, model: &str) -> Result<Facts, Error> {
        self.known(model, true).await
    }

    fn counts_cached(&self) -> bool {
        self.protocol.counts_cached()
    }

    fn ignores_schema_without_thinking(&self) -> bool {
        self.protocol.ignores_schema_without_thinking()
    }

    fn endpoint(&self) -> String {
        self.endpoint.to_string()
    }
}

impl HttpBackend {
    /// What is known of a model; `all`: also what no chat needs.
    async fn known(&self, model: &str, all: bool) -> Result<Facts, Error> {
        if let Some((known, was_all)) = self.remembered().get(model)
            && *was_all >= all
        {
            return Ok(*known);
        }
        let mut facts = self.protocol.known_facts();
        let more = all.then(|| self.protocol.more_facts());
        for question in self
            .protocol
            .facts(model)
            .into_iter()
            .chain(more.into_iter().flatten())
        {
            let asked = self.json(&question, Patience::Usual, self.timing.short);
            match asked.await {
                Ok(body) => facts = facts.or(self.protocol.read_facts(model, &body)),
                Err(error) if error.kind == ErrorKind::UnknownModel => {
                    if self.protocol.facts_tell_missing() {
                        return Err(error);
                    }
                }
                // The chat itself will say what is wrong with the server, and is retried.
                Err(error) => {
                    tracing::debug!(provider = self.name, %error, "no facts about the model");
                    return Ok(facts);
                }
            }
        }
        let mut remembered = self.remembered();
        if remembered.len() < REMEMBERED_FACTS {
            remembered.insert(model.to_owned(), (facts, all));
        }
        Ok(facts)
    }

    fn remembered(&self) -> std::sync::MutexGuard<'_, HashMap<String, (Facts, bool)>> {
        self.facts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn timed_out(&self, what: &str, wait: Duration) -> Error {
        let hint = match wait < self.timing.first_byte {
            true => {
                "its short questions are not answered: see whether it is well, and the right address"
            }
            false => {
                "a large model may still be loading: try again, or raise `first_byte_ms` in [models.limits]"
            }
        };
        let ms = wait.as_millis();
        let detail = format!("{} did not send {what} within {ms} ms", self.name);
        Error::new(ErrorKind::Timeout, detail).with_hint(hint)
    }

    /// Opens an answer and waits for its first byte.
    async fn first_byte(&self, call: &Call) -> Result<Pieces, Failure> {
        let mut response = self
            .send(&self.protocol.chat(call), Patience::Usual)
            .await?;
        let is_said = response
            .headers()
            .get(CONTENT_TYPE)
            .and_then(|value| value.to_str().ok())
            .is_some_and(|kind| kind.starts_with("application/json"));
        let mut first = Vec::new();
        // A mark that comes alone tells nothing of what follows.
        while BYTE_ORDER_MARK.starts_with(&first) {
            match response.chunk().await {
                Ok(Some(bytes)) => first.extend_from_slice(&bytes),
                Ok(None) => return Err(Failure::again(error::interrupted(&self.name))),
                Err(source) => return Err(Failure::again(self.broken(source))),
            }
        }
        // What an answer begins with tells what it is, whatever the server says that it sends.
        let unmarked = first.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&first);
        let is_document = match unmarked.trim_ascii_start().first() {
            Some(b'<') => return Err(Failure::last(self.web_page())),
            Some(b'{' | b'[') => true,
            // A field of an event or a comment.
            Some(b'a'..=b'z' | b':') => false,
            _ => is_said,
        };
        let framing = match self.protocol.framing() {
            // A server that does not stream answers with one document.
            Framing::Events if is_document => Framing::Whole,
            other => other,
        };
        let decoder = self.protocol.decoder(call);
        let mut body = Body::new(
            self.name.clone(),
            response,
            framing,
            decoder,
            Waits {
                reading: self.timing.first_byte,
                stall: self.timing.stall,
            },
        );
        body.take(&first);
        Ok(stream::unfold(body, |mut body| async move {
            body.next().await.map(|piece| (piece, body))
        })
        .boxed())
    }

    /// A short question with a JSON answer, within a time.
    async fn json(
        &self,
        outgoing: &Outgoing,
        patience: Patience,
        wait: Duration,
    ) -> Result<Value, Error> {
        match timeout(wait, self.document(outgoing, patience)).await {
            Ok(answer) => answer.map_err(|failure| failure.error),
            Err(_elapsed) => Err(self.timed_out("an answer", wait)),
        }
    }

    /// Sends and reads one JSON document.
    async fn document(&self, outgoing: &Outgoing, patience: Patience) -> Result<Value, Failure> {
        let response = self.send(outgoing, patience).await?;
        let bytes = self.read(response, limits::MODEL_ANSWER_BYTES).await?;
        if bytes.trim_ascii_start().starts_with(b"<") {
            return Err(Failure::last(self.web_page()));
        }
        serde_json::from_slice(&bytes).map_err(|source| {
            Failure::last(
                error::protocol(&self.name, "an answer that is not JSON").with_source(source),
            )
        })
    }

    async fn read(&self, mut response: Response, limit: usize) -> Result<Vec<u8>, Failure> {
        let mut bytes = Vec::new();
        while let Some(chunk) = response
            .chunk()
            .await
            .map_err(|source| Failure::again(self.broken(source)))?
        {
            if bytes.len() + chunk.len() > limit {
                return Err(Failure::last(error::too_large(
                    &self.name,
                    "an answer",
                    limit,
                )));
            }
            bytes.extend_from_slice(&chunk);
        }
        Ok(bytes)
    }

    /// Sends a request and checks the status of the answer.
    async fn send(&self, outgoing: &Outgoing, patience: Patience) -> Result<Response, Failure> {
        let base = self.protocol.base(&self.endpoint);
        let url = base.join(outgoing.path).map_err(|source| {
            Failure::last(
                error::configuration(format!("the endpoint of {} is not usable", self.name), "")
                    .with_source(source),
            )
        })?;
        let client = self.egress.client(&url, patience).map_err(Failure::last)?;
        let request = match &outgoing.body {
            Some(body) => client.post(url).json(body),
            None => client.get(url),
        };
        let key = self.key().await.map_err(Failure::last)?;
        let headers = self.headers(key.as_ref()).map_err(Failure::last)?;
        let response =
            request.headers(headers).send().await.map_err(|source| {
                Failure::again(unreachable(&self.name, &self.endpoint, source))
            })?;
        if response.status().is_success() {
            return Ok(response);
        }
        let mut failure = self.refused(response).await;
        if let Some(key) = key {
            // Some servers repeat the key they refuse, and their words are shown and logged.
            let mut needles = Needles::default();
            needles.add(&key);
            failure.error.detail = needles.scrub(&failure.error.detail).into_owned();
        }
        Err(failure)
    }

    async fn key(&self) -> Result<Option<Key>, Error> {
        match &self.key {
            Some(name) => self.fetch(&name.secret).await.map(Some),
            None => Ok(None),
        }
    }

    fn headers(&self, key: Option<&Key>) -> Result<HeaderMap, Error> {
        let mut headers = HeaderMap::new();
        for (name, value) in self.protocol.headers(key.map(|key| key.as_str())) {
            let value = Zeroizing::new(value);
            let mut value = HeaderValue::try_from(value.as_str()).map_err(|source| {
                error::configuration(
                    format!(
                        "the key of {} has characters that a header cannot carry",
                        self.name
                    ),
                    "store it again, without a line break at its end",
                )
                .with_source(source)
            })?;
            value.set_sensitive(true);
            headers.insert(name, value);
        }
        Ok(headers)
    }

    /// Fetches the key. It is asked for with each call and not kept.
    async fn fetch(&self, secret: &str) -> Result<Key, Error> {
        let Some(secrets) = &self.secrets else {
            return Err(error::configuration(
                format!(
                    "{} needs the secret `{secret}`, and there is no secret store",
                    self.name
                ),
                error::KEEP_THE_KEY,
            ));
        };
        let value = secrets.get_secret(secret).await;
        let value = value.map_err(|source| error::of_the_key(&self.name, source))?;
        let text = std::str::from_utf8(value.expose()).map_err(|source| {
            error::configuration(format!("the secret `{secret}` is not text"), "")
                .with_source(source)
        })?;
        Ok(Zeroizing::new(text.trim().to_owned()))
    }

    /// A page for people came where a model's answer was due: no protocol's bytes begin with `<`.
    fn web_page(&self) -> Error {
        let name = &self.name;
        Error::new(
            ErrorKind::Protocol,
            format!("{name} sent a web page, not an answer of a model"),
        )
        .with_hint(format!(
            "another program or a login page of a proxy may be at {}: correct `endpoint` in \
             [models.providers.{name}], or let the proxy pass",
            self.endpoint
        ))
    }

    fn broken(&self, source: reqwest::Error) -> Error {
        error::interrupted(&self.name).with_source(source.without_url())
    }

    /// Turns an unsuccessful status into an error, and says whether a second try makes sense.
    async fn refused(&self, response: Response) -> Failure {
        let status = response.status();
        if status.is_redirection() {
            let place = response
                .headers()
                .get(LOCATION)
                .and_then(|value| value.to_str().ok())
                .unwrap_or("another place");
            return Failure::last(
                Error::new(
                    ErrorKind::Blocked,
                    format!(
                        "{} redirects to {}; redirects are not followed",
                        self.name,
                        error::quote(place)
                    ),
                )
                .with_hint("if that is the right server, write its address as the endpoint"),
            );
        }
        let after = retry_after(response.headers());
        let text = match self.read(response, REFUSAL_BYTES).await {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(failure) => failure.error.detail,
        };
        let said = serde_json::from_str::<Value>(&text)
            .map_or(None, |body| error_text(&body))
            .unwrap_or(text);
        let kind = kind_of(status, &said);
        let what = match kind {
            ErrorKind::Server => "failed",
            _ => "refused the request",
        };
        let error = Error::new(
            kind,
            format!(
                "{} {what} ({}): {}",
                self.name,
                status.as_u16(),
                error::quote(&said)
            ),
        )
        .with_hint(match (kind, &self.key) {
            (ErrorKind::Unauthorised, Some(key)) => another_key(&key.secret),
            _ => hint_for(kind, &self.name),
        });
        if matches!(kind, ErrorKind::Busy | ErrorKind::Server) {
            Failure::again(error).after(after)
        } else {
            Failure::last(error)
        }
    }
}

/// Sorts a status and what came with it.
fn kind_of(status: StatusCode, said: &str) -> ErrorKind {
    let lower = said.to_ascii_lowercase();
    match status.as_u16() {
        401 | 403 => ErrorKind::Unauthorised,
        404 => ErrorKind::UnknownModel,
        408 => ErrorKind::Timeout,
        413 => ErrorKind::ContextOverflow,
        429 | 529 => ErrorKind::Busy,
        500.. if error::is_context_overflow(&lower) => ErrorKind::ContextOverflow,
        500.. => ErrorKind::Server,
        _ if error::is_context_overflow(&lower) => ErrorKind::ContextOverflow,
        _ if lower.contains("model") && lower.contains("not found") => ErrorKind::UnknownModel,
        _ => ErrorKind::Rejected,
    }
}

/// What to do where a server refuses the key that it was shown.
fn another_key(secret: &str) -> String {
    format!(
        "it was shown the secret `{secret}`: `carl secret set {secret}` replaces that, where the key \
         in it is wrong or has run out"
    )
}

fn hint_for(kind: ErrorKind, provider: &str) -> String {
    let hint = match kind {
        ErrorKind::UnknownModel => {
            return format!(
                "`carl models` lists what is installed; where it lists nothing of {provider}, correct \
                 `type` or `endpoint` in [models.providers.{provider}]"
            );
        }
        ErrorKind::ContextOverflow => return error::fit_context(provider),
        ErrorKind::Unauthorised => error::KEEP_THE_KEY,
        ErrorKind::Busy => "wait a little and ask again",
        ErrorKind::Server => "ask again; if it happens again, look at the model server's log",
        _ => "",
    };
    hint.to_owned()
}

/// `Retry-After` in whole seconds; the form with a date is not used by model servers.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let value = headers.get(RETRY_AFTER)?.to_str();
    let text = value.unwrap_or_default().trim();
    text.parse::<u64>()
        .map_or(None, |secs| Some(Duration::from_secs(secs)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_near_server_may_be_quiet_as_long_as_its_call_may_take() {
        let call = Duration::from_secs(600);
        let mut config = LimitsConfig::default();
        let near = Timing::new(&config, true, call);
        assert!(near.first_byte > call && near.stall > call);
        assert_eq!(near.short, Duration::from_secs(10));
        let far = Timing::new(&config, false, call);
        assert_eq!(far.first_byte, limits::MODEL_FIRST_BYTE);
        assert_eq!(far.stall, limits::MODEL_STALL);
        config.first_byte_ms = Some(1_000);
        config.stall_ms = Some(2_000);
        for is_near in [true, false] {
            let set = Timing::new(&config, is_near, call);
            assert_eq!(set.first_byte, Duration::from_secs(1));
            assert_eq!(set.stall, Duration::from_secs(2));
        }
    }
}
