//! `POST /v1/embeddings`: vectors of texts, by the model that memory uses.

use super::conversation::unsupported;
use super::models::{EMBED, unknown};
use super::wire::{Embedded, EmbeddingsRequest, Texts, Vector, Vectors, VectorsUsage};
use super::{Shaped, failed};
use crate::app::{App, Caller};
use crate::limits::EMBEDDED_TEXTS;
use crate::problem::Problem;
use crate::wire;
use api::audit::{Action, Durability, Entry, ModelCall};
use api::models::{EmbedPurpose, EmbedRequest, Embeddings, Error};
use axum::body::Bytes;
use axum::extract::State;
use axum::{Extension, Json};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use domain::Timestamp;
use domain::event::CallStatus;
use domain::fault::{Coded as _, Fault};
use domain::hash::Digest;
use domain::model::{ModelChoice, ModelRole};

/// `POST /v1/embeddings`.
pub(crate) async fn embeddings(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    body: Bytes,
) -> Result<Json<Vectors>, Shaped> {
    let request: EmbeddingsRequest = wire::read(&body)?;
    let is_packed = refuse_what_is_not_done(&request)?;
    let texts = texts(request.input)?;
    let model = ModelChoice::Role(ModelRole::Embed);
    let counted = app.gateway.count_tokens(model.clone(), texts.join("\n"));
    // It is an estimate for whoever asks, and no reason to give no vectors.
    let prompt_tokens = counted.await.unwrap_or_default();
    let task = tokio::spawn(embed(app, caller, texts, (model, prompt_tokens)));
    let embedded = match task.await {
        Ok(embedded) => embedded.map_err(failed)?,
        Err(error) => return Err(failed(broken_down(&error)).into()),
    };
    let vectors = embedded.vectors.into_iter().enumerate();
    let data = vectors.map(|(index, numbers)| Vector {
        object: "embedding",
        index,
        embedding: match is_packed {
            true => Embedded::Packed(packed(&numbers)),
            false => Embedded::Numbers(numbers),
        },
    });
    Ok(Json(Vectors {
        object: "list",
        data: data.collect(),
        model: embedded.model.to_string(),
        usage: VectorsUsage {
            prompt_tokens,
            total_tokens: prompt_tokens,
        },
    }))
}

/// Whether vectors are wanted as bytes; what would change them and is not done is refused.
fn refuse_what_is_not_done(request: &EmbeddingsRequest) -> Result<bool, Problem> {
    if request.model != EMBED {
        return Err(unknown(&request.model));
    }
    if request.dimensions.is_some() {
        let said = "vectors are as long as the model makes them: `dimensions` is not taken";
        return Err(unsupported(said));
    }
    match request.encoding_format.as_deref() {
        None | Some("float") => Ok(false),
        Some("base64") => Ok(true),
        Some(other) => Err(unsupported(format!("`encoding_format` of `{other}`"))),
    }
}

fn texts(input: Texts) -> Result<Vec<String>, Problem> {
    let texts = match input {
        Texts::One(text) => vec![text],
        Texts::Several(texts) => texts,
        Texts::Other(_) => return Err(unsupported("`input` is a text or several")),
    };
    if texts.is_empty() || texts.len() > EMBEDDED_TEXTS {
        let said = format!("a request has 1 to {EMBEDDED_TEXTS} texts here");
        return Err(Problem::invalid(said));
    }
    match texts.iter().any(|text| text.trim().is_empty()) {
        true => Err(Problem::invalid("a text says nothing")),
        false => Ok(texts),
    }
}

/// Asks the model, and puts that on record also where the client has left meanwhile.
async fn embed(
    app: App,
    caller: Caller,
    texts: Vec<String>,
    (model, prompt_tokens): (ModelChoice, u64),
) -> Result<Embeddings, Fault> {
    let prompt_hash = Digest::of(texts.join("\n").as_bytes());
    let request = EmbedRequest {
        model,
        purpose: EmbedPurpose::Document,
        texts,
    };
    let embedded = app.gateway.embed(request).await;
    let mut entry = Entry::new(Timestamp::now(), Action::ModelCall);
    entry.detail = format!("vectors for a client, token {}", caller.name);
    entry.status = Some(match &embedded {
        Ok(_) => CallStatus::Ok,
        Err(_) => CallStatus::Failed,
    });
    entry.model_call = embedded.as_ref().ok().map(|embedded| ModelCall {
        model: embedded.model.clone(),
        prompt_tokens,
        completion_tokens: 0,
        prompt_hash,
        answer_hash: Digest::of(&bytes(embedded.vectors.iter().flatten())),
    });
    let recorded = app.audit.append(entry, Durability::Grouped).await;
    let embedded = embedded.map_err(|error: Error| error.fault())?;
    recorded.map_err(|error| error.fault())?;
    Ok(embedded)
}

fn broken_down(error: &tokio::task::JoinError) -> Fault {
    let said = format!("the request for vectors broke down: {error}");
    crate::problem::fault("models.interrupted", said, "")
}

/// As OpenAI packs them: four bytes a number, the lowest first.
fn packed(numbers: &[f32]) -> String {
    STANDARD.encode(bytes(numbers.iter()))
}

fn bytes<'a>(numbers: impl Iterator<Item = &'a f32>) -> Vec<u8> {
    numbers.flat_map(|number| number.to_le_bytes()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_at_most_so_many_texts() {
        let several = |count: usize| texts(Texts::Several(vec!["a".to_owned(); count]));
        assert!(several(EMBEDDED_TEXTS).is_ok());
        for count in [0, EMBEDDED_TEXTS + 1] {
            assert!(several(count).is_err());
        }
        assert!(texts(Texts::One(" ".to_owned())).is_err());
    }
}
