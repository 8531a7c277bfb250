//! Decoding under a grammar: which tokens may come next.
//!
//! llguidance turns a JSON Schema or a Lark grammar into a matcher that yields a mask over the
//! vocabulary for every step. The table of all tokens takes a fraction of a second to build and is
//! made once a model; a grammar is compiled for each request.

use llama_cpp_2::model::LlamaModel;
use llama_cpp_2::sampling::LlamaSampler;
use llguidance::api::TopLevelGrammar;
use llguidance::earley::SlicedBiasComputer;
use llguidance::toktrie::{InferenceCapabilities, SimpleVob};
use llguidance::{Matcher, ParserFactory};
use serde_json::{Value, json};

/// What the answer must look like.
#[derive(Debug, Clone, PartialEq)]
pub enum Grammar {
    /// One JSON value that fits this schema, already bounded by [`calls::bounds::bounded`].
    Schema(Value),
    /// A Lark grammar as llguidance reads it.
    Lark(String),
}

/// Why a grammar cannot be used, in llguidance's words.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Error(String);

/// The token table of one model.
pub struct TokenTable {
    factory: ParserFactory,
}

impl TokenTable {
    /// Reads every token of the vocabulary: 0.1 to 2 seconds, depending on its size.
    ///
    /// # Errors
    /// [`Error`] when the vocabulary cannot be used for constrained decoding.
    pub fn build(model: &LlamaModel) -> Result<Self, Error> {
        let tokens = LlamaSampler::llguidance_tok_env(model);
        let mut factory = ParserFactory::new(
            &tokens,
            InferenceCapabilities::default(),
            &SlicedBiasComputer::json_slices(),
        )
        .map_err(|error| Error(error.to_string()))?;
        factory.quiet();
        factory.limits_mut().verbose_errors = false;
        Ok(Self { factory })
    }

    /// Prepares decoding under `grammar`.
    ///
    /// # Errors
    /// [`Error`] when the grammar is invalid, unsupported, or allows nothing at all.
    pub fn compile(&self, grammar: &Grammar) -> Result<Constraint, Error> {
        let top = match grammar {
            Grammar::Schema(schema) => TopLevelGrammar::from_json_schema(with_layout(schema)),
            Grammar::Lark(text) => TopLevelGrammar::from_lark(text.clone()),
        };
        let matcher = Matcher::new(self.factory.create_parser(top));
        match matcher.get_error() {
            Some(error) => Err(Error(error)),
            None => Ok(Constraint { matcher }),
        }
    }
}

/// Fixes the white space of the JSON that comes out. Free white space is another place where a
/// small model gets stuck, and one layout makes the answer's structure known to the byte.
#[must_use]
pub fn with_layout(schema: &Value) -> Value {
    let mut schema = schema.clone();
    if let Value::Object(object) = &mut schema {
        let layout = json!({
            "whitespace_flexible": false,
            "item_separator": ", ",
            "key_separator": ": ",
            "coerce_one_of": true,
            "lenient": true,
        });
        object.insert("x-guidance".to_owned(), layout);
    }
    schema
}

/// One answer being written under a grammar.
pub struct Constraint {
    matcher: Matcher,
}

impl Constraint {
    /// The tokens allowed next.
    ///
    /// # Errors
    /// [`Error`] when the grammar became too complex to follow.
    pub fn mask(&mut self) -> Result<SimpleVob, Error> {
        self.matcher
            .compute_mask_or_eos()
            .map_err(|error| Error(error.to_string()))
    }

    /// Records the token that was chosen.
    ///
    /// # Errors
    /// [`Error`] when the token was not allowed.
    pub fn accept(&mut self, token: u32) -> Result<(), Error> {
        self.matcher
            .consume_token(token)
            .map_err(|error| Error(error.to_string()))
    }

    /// Whether the answer is complete and nothing may follow.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.matcher.is_stopped()
    }
}
