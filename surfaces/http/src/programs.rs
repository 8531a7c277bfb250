//! The programs of a session: which run, what they say, and stopping one.

use crate::app::App;
use crate::lookup;
use crate::problem::Problem;
use crate::query::Parameters;
use crate::sessions::id;
use crate::wire::{self, Program, Programs, Stop, Stopped};
use api::programs;
use axum::Json;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::Uri;
use domain::id::CallId;

/// `GET /api/v1/sessions/{id}/programs`. A session that nobody has open has none that run.
pub(crate) async fn list(
    State(app): State<App>,
    Path(session): Path<String>,
    uri: Uri,
) -> Result<Json<Programs>, Problem> {
    let id = id(&session)?;
    let parameters = Parameters::of(&uri, &["job", "call_id"])?;
    let call_id = parameters.parsed::<CallId>("call_id")?;
    let job = parameters.get("job").map(str::to_owned);
    let wanted = match (job, call_id) {
        (None, None) => programs::Programs::All,
        (Some(name), None) => programs::Programs::One(programs::ProgramId::Job(name)),
        (None, Some(call)) => programs::Programs::One(programs::ProgramId::Call(call)),
        (Some(_), Some(_)) => return Err(Problem::invalid("a `job` or a `call_id`, not both")),
    };
    let listed = lookup::listed(app.sessions.as_ref(), id).await?;
    let known = match listed.live {
        true => app.sessions.programs(id, wanted).await?,
        false => Vec::new(),
    };
    let programs = known.into_iter().map(Program::from).collect();
    Ok(Json(Programs { programs }))
}

/// `POST /api/v1/sessions/{id}/programs/stop`.
pub(crate) async fn stop(
    State(app): State<App>,
    Path(session): Path<String>,
    body: Bytes,
) -> Result<Json<Stopped>, Problem> {
    let id = id(&session)?;
    let stop: Stop = wire::read(&body)?;
    let stopped = match (stop.job, stop.call_id) {
        (Some(name), None) => {
            let stopped = app.sessions.stop_jobs(id, Some(name)).await?;
            u32::try_from(stopped.len()).unwrap_or(u32::MAX)
        }
        (None, Some(call)) => app.sessions.stop_calls(id, Some(call)).await?,
        _ => return Err(Problem::invalid("either a `job` or a `call_id` is stopped")),
    };
    Ok(Json(Stopped { stopped }))
}
