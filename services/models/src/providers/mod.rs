//! What each server's protocol looks like: requests out, pieces of an answer in. No I/O here; the
//! connection is [`crate::http`]'s.

pub(crate) mod anthropic;
mod anthropic_stream;
pub(crate) mod ollama;
pub(crate) mod openai;
mod openai_stream;

use crate::call::{Call, Facts, Listed, Piece};
use crate::error::Error;
use crate::framing::{Frame, Framing};
use reqwest::Url;
use serde_json::Value;

/// A request to send.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Outgoing {
    /// Below the endpoint, without a leading `/`.
    pub(crate) path: &'static str,
    /// The JSON body; `None` for GET.
    pub(crate) body: Option<Value>,
}

impl Outgoing {
    pub(crate) fn get(path: &'static str) -> Self {
        Self { path, body: None }
    }

    pub(crate) fn post(path: &'static str, body: Value) -> Self {
        Self {
            path,
            body: Some(body),
        }
    }
}

/// One server protocol.
pub(crate) trait Protocol: Send + Sync {
    /// The endpoint in the form that [`Outgoing::path`] is joined to.
    fn base(&self, endpoint: &Url) -> Url;
    /// Headers beside `content-type`, given the key if there is one. Values are secret.
    fn headers(&self, key: Option<&str>) -> Vec<(&'static str, String)>;
    /// The request for a streamed answer.
    fn chat(&self, call: &Call) -> Outgoing;
    /// How an answer's body is cut.
    fn framing(&self) -> Framing;
    /// Reads one answer.
    fn decoder(&self, call: &Call) -> Box<dyn Decoder>;
    /// Asks for the installed models.
    fn list(&self) -> Outgoing;
    /// Reads them.
    fn read_list(&self, body: &Value) -> Result<Vec<Listed>, Error>;
    /// Asks which models are in memory, where there is such a question.
    fn loaded(&self) -> Option<Outgoing> {
        None
    }
    /// The name under which a model stands in that list.
    fn name_in_memory(&self, model: &str) -> String {
        model.to_owned()
    }
    /// Asks for embeddings, where there are any.
    fn embed(&self, model: &str, texts: &[String]) -> Option<Outgoing>;
    /// Reads them, in the order of the texts.
    fn read_embeddings(&self, body: &Value) -> Result<Vec<Vec<f32>>, Error>;
    /// What holds for all models there, whatever a server says.
    fn known_facts(&self) -> Facts {
        Facts::default()
    }
    /// What must be asked of a model before a chat, where there is such a question.
    fn facts(&self, model: &str) -> Option<Outgoing> {
        let _ = model;
        None
    }
    /// What else can be asked of it. The answer to one goes before those to the later ones.
    fn more_facts(&self) -> Vec<Outgoing> {
        Vec::new()
    }
    /// Reads an answer to any of them.
    fn read_facts(&self, model: &str, body: &Value) -> Facts {
        let _ = (model, body);
        Facts::default()
    }
    /// Whether no answer to these questions means that there is no such model.
    fn facts_tell_missing(&self) -> bool {
        false
    }
    /// Whether the prompt tokens it reports always include those from a cache.
    fn counts_cached(&self) -> bool;
    /// Whether a second try with thinking on can make it keep to a schema.
    fn ignores_schema_without_thinking(&self) -> bool {
        false
    }
}

/// Reads one streamed answer, frame by frame.
pub(crate) trait Decoder: Send {
    /// Takes a frame and adds the pieces in it.
    fn frame(&mut self, frame: &Frame, pieces: &mut Vec<Piece>) -> Result<(), Error>;
    /// The body has ended. Adds what was still held back.
    ///
    /// # Errors
    /// `Interrupted` when the answer had not ended.
    fn end(&mut self, pieces: &mut Vec<Piece>) -> Result<(), Error>;
    /// Whether the answer is complete, so that nothing more need be read.
    fn is_done(&self) -> bool;
}

/// The text of an error that a server put into a body: `{"error": "…"}` or
/// `{"error": {"message": "…"}}`, and the field `detail` or `message` alone.
pub(crate) fn error_text(body: &Value) -> Option<String> {
    let error = body
        .get("error")
        .or_else(|| body.get("detail"))
        .filter(|error| !error.is_null())?;
    if let Some(text) = error.as_str() {
        return Some(text.to_owned());
    }
    if let Some(text) = error.get("message").and_then(Value::as_str) {
        let kind = error
            .get("type")
            .and_then(Value::as_str)
            .unwrap_or_default();
        return Some(if kind.is_empty() {
            text.to_owned()
        } else {
            format!("{text} ({kind})")
        });
    }
    Some(error.to_string())
}

/// A list of vectors of one length, all numbers.
pub(crate) fn read_vectors<'a>(
    provider: &str,
    vectors: impl Iterator<Item = &'a Value>,
) -> Result<Vec<Vec<f32>>, Error> {
    let mut read = Vec::new();
    for vector in vectors {
        let vector: Vec<f32> = serde_json::from_value(vector.clone()).map_err(|source| {
            crate::error::protocol(provider, "an embedding that is not a list of numbers")
                .with_source(source)
        })?;
        read.push(vector);
    }
    let first = read.first().map_or(0, Vec::len);
    if read
        .iter()
        .any(|vector| vector.len() != first || first == 0)
    {
        return Err(crate::error::protocol(
            provider,
            "embeddings of different or no length",
        ));
    }
    Ok(read)
}
