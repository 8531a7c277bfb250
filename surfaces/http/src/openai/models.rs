//! Agents as models.

use super::Shaped;
use super::wire::{Model, Models};
use crate::app::{App, Caller};
use crate::host::Wanted;
use crate::problem::{Problem, fault};
use crate::sessions::profile;
use api::broker::AgentListing;
use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use domain::model::{ModelChoice, Think};
use domain::settings::Mode;

/// How every agent's name begins.
const PREFIX: &str = "carl/";
/// What makes vectors of texts. It is no agent's name, since those begin otherwise.
pub(super) const EMBED: &str = "embed";
/// How the name of one ends that plans first.
const PLAN: &str = ":plan";

/// `GET /v1/models`.
pub(crate) async fn list(State(app): State<App>) -> Result<Json<Models>, Shaped> {
    Ok(Json(Models {
        object: "list",
        data: all(&app).await?,
    }))
}

/// `GET /v1/models/{model}`.
pub(crate) async fn show(
    State(app): State<App>,
    Path(name): Path<String>,
) -> Result<Json<Model>, Shaped> {
    let mut all = all(&app).await?.into_iter();
    let found = all.find(|one| one.id == name);
    Ok(Json(found.ok_or_else(|| unknown(&name))?))
}

async fn agents(app: &App) -> Result<Vec<AgentListing>, Problem> {
    let agents = app.host.agents().await;
    agents.map_err(|fault| Problem::new(StatusCode::SERVICE_UNAVAILABLE, fault))
}

async fn all(app: &App) -> Result<Vec<Model>, Problem> {
    let agents = agents(app).await?;
    let names = agents.iter().flat_map(|agent| {
        let name = format!("{PREFIX}{}", agent.agent_type);
        [name.clone(), format!("{name}{PLAN}")]
    });
    let models = names.chain([EMBED.to_owned()]).map(|id| Model {
        id,
        object: "model",
        created: 0,
        owned_by: "housecarl",
    });
    Ok(models.collect())
}

pub(super) fn unknown(name: &str) -> Problem {
    let said = format!("there is no model `{name}`");
    let hint = "GET /v1/models lists them, such as carl/assistant.";
    Problem::new(
        StatusCode::NOT_FOUND,
        fault("http.unknown_model", said, hint),
    )
}

/// What a session for this model is opened with. Nobody answers questions there.
pub(super) async fn meant(app: &App, name: &str) -> Result<Wanted, Problem> {
    let agent = name.strip_prefix(PREFIX).unwrap_or_default();
    let (agent, mode) = match agent.strip_suffix(PLAN) {
        Some(agent) => (agent, Some(Mode::Plan)),
        None => (agent, None),
    };
    let known = agents(app).await?;
    let mut known = known.iter();
    if !known.any(|one| one.agent_type.to_string() == agent) {
        return Err(unknown(name));
    }
    Ok(Wanted {
        agent: Some(agent.to_owned()),
        mode,
        ..Wanted::default()
    })
}

/// The model of an agent's role, as a session of it would be asked.
pub(super) struct Asked {
    pub(super) model: ModelChoice,
    pub(super) think: Think,
    pub(super) context_tokens: Option<u32>,
}

/// The model that answers by itself for an agent of this name; `None` for one that plans first.
pub(super) async fn asked_for(
    app: &App,
    caller: &Caller,
    name: &str,
) -> Result<Option<Asked>, Problem> {
    let wanted = meant(app, name).await?;
    if wanted.mode == Some(Mode::Plan) {
        return Ok(None);
    }
    let profile = profile(app, caller, &wanted)?;
    let mut known = agents(app).await?.into_iter();
    let agent = known.find(|one| one.agent_type == profile.agent_type);
    let role = agent.ok_or_else(|| unknown(name))?.model_role;
    Ok(Some(Asked {
        model: profile.model.unwrap_or(ModelChoice::Role(role)),
        think: profile.think,
        context_tokens: profile.context_tokens,
    }))
}
