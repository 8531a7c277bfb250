//! The contract's error, and the few ways this crate makes one.

pub use api::models::{Error, ErrorKind};
use api::secrets;
pub(crate) use api::secrets::KEEP_THE_KEY;
use domain::fault::{Coded as _, Fault};
use domain::limits;

/// Longest piece of a server's own words that is shown, characters.
const QUOTE_CHARS: usize = 300;

/// The configuration cannot work as it stands.
pub(crate) fn configuration(detail: impl Into<String>, hint: impl Into<String>) -> Error {
    Error::new(ErrorKind::NotConfigured, detail).with_hint(hint)
}

/// The key of a provider cannot be had, for the reason that the store gives.
pub(crate) fn of_the_key(provider: &str, source: secrets::Error) -> Error {
    let kind = match source {
        secrets::Error::NotFound { .. } => ErrorKind::KeyMissing,
        secrets::Error::Locked { .. } => ErrorKind::KeyLocked,
        secrets::Error::Unavailable { .. } | secrets::Error::Sealed { .. } => {
            ErrorKind::KeyUnavailable
        }
        secrets::Error::InvalidName { .. }
        | secrets::Error::InvalidValue { .. }
        | secrets::Error::NotChosen
        | secrets::Error::NotPermitted => ErrorKind::NotConfigured,
    };
    Error::new(
        kind,
        format!("the key of {provider} cannot be read: {source}"),
    )
    .with_hint(source.hint())
    .with_source(source)
}

/// What an error says where it is told in full beside: of a key that cannot be had not the reason.
pub(crate) fn in_short(error: &Error) -> &str {
    let sentence = error.detail.split(": ").next();
    let sentence = sentence.filter(|_| error.kind.is_of_the_key());
    sentence.unwrap_or(&error.detail)
}

/// The server's bytes are not what its protocol says.
pub(crate) fn protocol(provider: &str, what: impl std::fmt::Display) -> Error {
    Error::new(
        ErrorKind::Protocol,
        format!("{provider} sent something its protocol does not allow: {what}"),
    )
    .with_hint(format!(
        "check that `type` and `endpoint` in [models.providers.{provider}] fit the server"
    ))
}

/// The stream ended before the answer did.
pub(crate) fn interrupted(provider: &str) -> Error {
    Error::new(
        ErrorKind::Interrupted,
        format!("{provider} broke off in the middle of the answer"),
    )
    .with_hint("ask again; if it happens often, look at the model server's log")
}

/// A line, event or answer beyond its limit.
pub(crate) fn too_large(provider: &str, what: &str, limit_bytes: usize) -> Error {
    Error::new(
        ErrorKind::TooLarge,
        format!("{provider} sent {what} of more than {limit_bytes} bytes"),
    )
}

/// An error object that the server sent where a piece of the answer was due.
pub(crate) fn reported(provider: &str, message: &str) -> Error {
    let kind = kind_of_report(message);
    let detail = format!("{provider} reported an error: {}", quote(message));
    let error = Error::new(kind, detail);
    if kind == ErrorKind::ContextOverflow {
        error.with_hint(fit_context(provider))
    } else {
        error
    }
}

/// Sorts a server's own error text into the kinds that callers act on.
fn kind_of_report(message: &str) -> ErrorKind {
    let lower = message.to_ascii_lowercase();
    if is_context_overflow(&lower) {
        ErrorKind::ContextOverflow
    } else if lower.contains("overloaded") || lower.contains("rate limit") {
        ErrorKind::Busy
    } else {
        ErrorKind::Server
    }
}

/// Whether a server's words, in lower case, say that the prompt does not fit.
pub(crate) fn is_context_overflow(lower: &str) -> bool {
    [
        "context length",
        "context size",
        "context window",
        "maximum context",
        "exceeds the available context",
        "prompt is too long",
    ]
    .iter()
    .any(|words| lower.contains(words))
}

/// A server's words, shortened for people.
pub(crate) fn quote(text: &str) -> String {
    let one_line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if one_line.chars().count() <= QUOTE_CHARS {
        return one_line;
    }
    let mut short: String = one_line.chars().take(QUOTE_CHARS).collect();
    short.push('…');
    short
}

/// What to do where a prompt is larger than the server's context.
pub(crate) fn fit_context(provider: &str) -> String {
    format!(
        "set `context_tokens` in [models.providers.{provider}] (`--context-tokens` for one \
         command) to what the server has, or start the server with a larger context"
    )
}

/// What to do where a call took all the time that it has.
pub(crate) fn raise_timeout(provider: &str) -> String {
    format!("raise `timeout_secs` in [models.providers.{provider}], or ask for less")
}

/// Something the user should know that is not the end of the call.
pub(crate) fn notice(code: &str, message: impl Into<String>, hint: impl Into<String>) -> Fault {
    Fault {
        code: code.to_owned(),
        message: message.into(),
        hint: hint.into(),
    }
}

/// The whole answer is beyond its limit.
pub(crate) fn answer_too_large(provider: &str) -> Error {
    too_large(provider, "an answer", limits::MODEL_ANSWER_BYTES)
}
