//! Sessions: made, listed, looked at, renamed, copied, exported, changed and deleted.

use crate::app::{App, Caller};
use crate::events;
use crate::host::{Ceiling, Wanted};
use crate::lookup;
use crate::problem::{Problem, fault};
use crate::query::Parameters;
use crate::tags::is_known;
use crate::tokens::Scope;
use crate::wire::{self, Detailed, Drive, Listed, Profile, Settings};
use api::sessions::{Follow, SessionSummary, Whose};
use axum::Json;
use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::header::{CONTENT_TYPE, ETAG, LOCATION};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use axum::{Extension, body::Bytes};
use domain::context::ContextView;
use domain::hash::Digest;
use domain::id::SessionId;
use domain::settings::{Attendance, SessionProfile};
use rendering::transcript::{Extent, markdown};

/// The name of no model: what suits the agent type.
const AGENTS_OWN: &str = "default";

/// What a session is called in an address.
pub(crate) fn id(text: &str) -> Result<SessionId, Problem> {
    text.parse()
        .map_err(|error: domain::id::ParseIdError| Problem::not_found(error.to_string()))
}

fn wanted(settings: &Settings) -> Wanted {
    Wanted {
        agent: settings.agent.clone(),
        mode: settings.mode,
        model: settings.model.clone().filter(|name| name != AGENTS_OWN),
        think: settings.thinking,
        attended: settings.attended.unwrap_or_default(),
        disabled_tools: settings.disabled_tools.clone().unwrap_or_default(),
        ceiling: Ceiling {
            workspace: settings.workspace.clone(),
            allow_write: settings.allow_write.clone(),
            allow_read: settings.allow_read.clone(),
        },
    }
}

/// A profile as it is wanted, if the caller may open what that opens.
pub(crate) fn profile(
    app: &App,
    caller: &Caller,
    wanted: &Wanted,
) -> Result<SessionProfile, Problem> {
    if !wanted.ceiling.is_closed() && caller.scope < Scope::Admin {
        let said = "a folder to work in and what is opened beyond it are the user's to say";
        let hint = "They need a token with the scope `admin`.";
        return Err(Problem::new(
            StatusCode::FORBIDDEN,
            fault("http.scope", said, hint),
        ));
    }
    let built = app.host.profile(wanted);
    built.map_err(|fault| Problem::new(StatusCode::UNPROCESSABLE_ENTITY, fault))
}

/// `POST /api/v1/sessions`.
pub(crate) async fn create(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    body: Bytes,
) -> Result<Response, Problem> {
    let settings: Settings = wire::read(&body)?;
    let profile = profile(&app, &caller, &wanted(&settings))?;
    let lease = app.held.open(app.sessions.as_ref(), profile).await?;
    made(&app, lease.session_id).await
}

async fn made(app: &App, id: SessionId) -> Result<Response, Problem> {
    let listed = Listed::from(lookup::listed(app.sessions.as_ref(), id).await?);
    let place = header(&format!("/api/v1/sessions/{id}"))?;
    Ok((StatusCode::CREATED, [(LOCATION, place)], Json(listed)).into_response())
}

fn header(text: &str) -> Result<HeaderValue, Problem> {
    HeaderValue::from_str(text).map_err(|error| Problem::invalid(error.to_string()))
}

/// `GET /api/v1/sessions/{id}`.
pub(crate) async fn show(
    State(app): State<App>,
    Path(session): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let id = id(&session)?;
    let listed = lookup::listed(app.sessions.as_ref(), id).await?;
    let tag = header(&tag(&listed))?;
    if is_known(&headers, &tag) {
        return Ok((StatusCode::NOT_MODIFIED, [(ETAG, tag)]).into_response());
    }
    let looked = lookup::look(app.sessions.as_ref(), id).await?;
    let detailed = Detailed {
        listed: listed.into(),
        profile: looked.view.profile().map(Profile::from),
        running: looked
            .view
            .open_requests()
            .map(|one| one.query_id)
            .collect(),
        drive: Drive::of(&looked.view),
        questions: looked.questions,
    };
    Ok(([(ETAG, tag)], Json(detailed)).into_response())
}

/// What a session's state is known by: another one once anything of it changed.
fn tag(session: &SessionSummary) -> String {
    let state = format!("{}\n{}\n{}", session.last_seq, session.live, session.title);
    format!("\"{}\"", Digest::of(state.as_bytes()).short())
}

/// `GET /api/v1/sessions/{id}/context`.
pub(crate) async fn context(
    State(app): State<App>,
    Path(session): Path<String>,
) -> Result<Json<ContextView>, Problem> {
    let shown = app.sessions.context(id(&session)?, Whose::Root).await?;
    Ok(Json(shown))
}

/// `DELETE /api/v1/sessions/{id}`.
pub(crate) async fn delete(
    State(app): State<App>,
    Path(session): Path<String>,
) -> Result<StatusCode, Problem> {
    let id = id(&session)?;
    lookup::listed(app.sessions.as_ref(), id).await?;
    app.held.let_go(app.sessions.as_ref(), id).await;
    let deleted = app.host.delete(id).await;
    deleted.map_err(|fault| Problem::new(StatusCode::CONFLICT, fault))?;
    Ok(StatusCode::NO_CONTENT)
}

/// `POST /api/v1/sessions/{id}/rename`.
pub(crate) async fn rename(
    State(app): State<App>,
    Path(session): Path<String>,
    body: Bytes,
) -> Result<StatusCode, Problem> {
    let rename: wire::Rename = wire::read(&body)?;
    app.sessions.rename(id(&session)?, &rename.name).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// `POST /api/v1/sessions/{id}/fork`.
pub(crate) async fn fork(
    State(app): State<App>,
    Path(session): Path<String>,
    body: Bytes,
) -> Result<Response, Problem> {
    let fork: wire::Fork = wire::read(&body)?;
    let forked = app.sessions.fork(id(&session)?, fork.at_seq).await?;
    made(&app, forked.session_id).await
}

/// `GET /api/v1/sessions/{id}/export`.
pub(crate) async fn export(
    State(app): State<App>,
    Path(session): Path<String>,
    uri: Uri,
) -> Result<Response, Problem> {
    let id = id(&session)?;
    let parameters = Parameters::of(&uri, &["format"])?;
    let sessions = app.sessions.as_ref();
    match parameters.get("format") {
        None | Some("markdown") => {
            let events = lookup::of_document(sessions, id).await?;
            let text = markdown(&events, Extent::Whole);
            let kind = HeaderValue::from_static("text/markdown; charset=utf-8");
            Ok(([(CONTENT_TYPE, kind)], Body::from(text)).into_response())
        }
        Some("json") => Ok(Json(lookup::all_from(sessions, id, 1).await?).into_response()),
        Some(other) => {
            let said = format!("`format={other}` is neither markdown nor json");
            Err(Problem::invalid(said))
        }
    }
}

/// `POST /api/v1/sessions/{id}/configure`.
pub(crate) async fn configure(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Path(session): Path<String>,
    body: Bytes,
) -> Result<StatusCode, Problem> {
    let settings: Settings = wire::read(&body)?;
    let lease = app.held.hold(app.sessions.as_ref(), id(&session)?).await?;
    let Some(mut profile) = lease.profile() else {
        return Err(Problem::invalid(
            "the session does not say how it was opened",
        ));
    };
    let mut wanted = wanted(&settings);
    if settings.agent.is_some() || settings.workspace.is_some() {
        let said = "a session keeps its agent type and its folder; open another one";
        return Err(Problem::invalid(said));
    }
    wanted.attended = settings.attended.unwrap_or_default();
    change(
        &mut profile,
        &settings,
        self::profile(&app, &caller, &wanted)?,
    );
    let (session_id, holder_id) = (lease.session_id, lease.holder_id);
    let configured = app
        .sessions
        .configure(session_id, holder_id, profile.clone());
    configured.await?;
    lease.is_now(profile);
    Ok(StatusCode::NO_CONTENT)
}

/// Takes over what was named.
fn change(profile: &mut SessionProfile, settings: &Settings, built: SessionProfile) {
    if settings.mode.is_some() {
        profile.mode = built.mode;
    }
    if settings.model.is_some() {
        profile.model = built.model;
        profile.provider = built.provider;
    }
    if settings.thinking.is_some() {
        profile.think = built.think;
    }
    match settings.attended {
        Some(true) => profile.settings.attendance = Attendance::Attended,
        Some(false) => profile.settings.attendance = Attendance::Unattended,
        None => {}
    }
    if settings.disabled_tools.is_some() {
        profile.settings.disabled_tools = built.settings.disabled_tools;
    }
    if !settings.allow_write.is_empty() {
        profile
            .settings
            .allow_write
            .extend(built.settings.allow_write);
    }
    if !settings.allow_read.is_empty() {
        profile
            .settings
            .allow_read
            .extend(built.settings.allow_read);
    }
}

/// `GET /api/v1/sessions/{id}/events`.
pub(crate) async fn attach(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Path(session): Path<String>,
    headers: HeaderMap,
    uri: Uri,
) -> Result<Response, Problem> {
    let id = id(&session)?;
    let parameters = Parameters::of(&uri, &["after", "follow"])?;
    let named = parameters.parsed::<u64>("after")?.unwrap_or_default();
    let after = match headers.get(HeaderName::from_static("last-event-id")) {
        None => named,
        Some(last) => {
            let last = last.to_str().ok().and_then(|last| last.parse().ok());
            last.ok_or_else(|| Problem::invalid("Last-Event-ID is no number of an event"))?
        }
    };
    let follow = match parameters.parsed::<bool>("follow")? {
        Some(false) => Follow::ToEnd,
        _ => Follow::Live,
    };
    // What is not there is said as such, and not as a stream that ends.
    lookup::listed(app.sessions.as_ref(), id).await?;
    Ok(events::of_session((app, caller), (id, after), follow))
}
