//! A provider that a command names while another process serves: what that works by is its own, so
//! only a model can be named to it.

use anyhow::Result;
use api::models::{ModelInfo, Models};
use domain::model::ModelRole;
use grpc::Endpoint;
use models::is_embedder;
use terminal::exit::{Failure, OrFail};
use text::escape::visible_line;

/// Most models that are named as examples.
const EXAMPLES: usize = 3;

/// Refuses `--provider` without a model where services answer at `address`, with what to write in its
/// place. `is_of_session`: nobody typed it, and the session was begun with it.
pub(super) async fn refused_alone(
    address: &Endpoint,
    gateway: &dyn Models,
    (provider, is_of_session): (&str, bool),
) -> Failure {
    let known = models_there(gateway, provider).await;
    let known = known.unwrap_or_else(|error| {
        tracing::debug!("the models there are not known: {error:#}");
        Vec::new()
    });
    let stop = "stop it, so that this command starts one of its own";
    let hint = match known.as_slice() {
        [] => format!("`carl models` lists those that it has. Or {stop}."),
        [only] => format!("Write --model {only}, or {stop}."),
        several => format!(
            "Write --model with one of {}, or {stop}.",
            several.join(", ")
        ),
    };
    let message = match is_of_session {
        true => format!(
            "this session was begun with `--provider {}`, which Housecarl, served at {address}, cannot be \
             told alone: name the model that it goes on with, with --model",
            visible_line(provider)
        ),
        false => format!(
            "Housecarl is served at {address}, and cannot be told `--provider` alone: name the model as \
             well, with --model"
        ),
    };
    Failure::usage(message, hint)
}

async fn models_there(gateway: &dyn Models, provider: &str) -> Result<Vec<String>> {
    let known = gateway.list_models().await.or_fail()?.into_iter();
    let own = known.filter(|one| one.model.provider == provider && answers(one));
    Ok(own
        .take(EXAMPLES)
        .map(|one| visible_line(&one.model.to_string()))
        .collect())
}

/// Whether a model can be talked to: those that make embeddings cannot.
pub fn answers(info: &ModelInfo) -> bool {
    let only_embeds = !info.roles.is_empty() && info.roles.iter().all(|r| *r == ModelRole::Embed);
    !only_embeds && !is_embedder(&info.model.model)
}
