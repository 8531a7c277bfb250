//! Logging in to the page and out of it.

use crate::app::{App, Caller};
use crate::limits::LOGIN_LIFE;
use crate::problem::{Problem, fault};
use crate::tokens::{PAGE_NAME, Scope};
use crate::wire;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::header::{AUTHORIZATION, COOKIE, SET_COOKIE};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use domain::Timestamp;
use domain::token::TokenName;

/// The header in which the page shows the key of its login. No form and no page of another origin can
/// send it without asking first.
const KEY: HeaderName = HeaderName::from_static("x-carl-key");
/// By which a browser says from where a request comes.
const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// `POST /login`.
pub(crate) async fn log_in(State(app): State<App>, body: Bytes) -> Result<Response, Problem> {
    let login: wire::Login = wire::read(&body)?;
    let now = Timestamp::now();
    if !app.codes.take(&login.code, now)? {
        let said = "the login code is wrong, was used or is too old";
        let fault = fault("http.login_code", said, "`carl web` prints another link.");
        return Err(Problem::new(StatusCode::UNAUTHORIZED, fault));
    }
    let begun = app.logins.begin(now);
    let life = LOGIN_LIFE.as_secs();
    let cookie = set(&format!("{}; Max-Age={life}", *begun.cookie), &app)?;
    let key = begun.key.as_str().to_owned();
    Ok(([(SET_COOKIE, cookie)], Json(wire::LoggedIn { key })).into_response())
}

/// `POST /logout`.
pub(crate) async fn log_out(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
) -> Result<Response, Problem> {
    app.log_out(&caller);
    let cookie = set("; Max-Age=0", &app)?;
    Ok((StatusCode::NO_CONTENT, [(SET_COOKIE, cookie)]).into_response())
}

fn set(value: &str, app: &App) -> Result<HeaderValue, Problem> {
    // Where all is encrypted, the browser sends it in no other way.
    let secure = match app.names.scheme() {
        "https" => "; Secure",
        _ => "",
    };
    let cookie = &app.cookie;
    let text = format!("{cookie}={value}; Path=/; HttpOnly; SameSite=Strict{secure}");
    HeaderValue::from_str(&text).map_err(|error| Problem::invalid(error.to_string()))
}

/// Whether a request rests on a login: it shows a cookie of this server and no token.
pub(crate) fn is_by_page(app: &App, headers: &HeaderMap) -> bool {
    !headers.contains_key(AUTHORIZATION) && cookies(app, headers).next().is_some()
}

/// Whether a browser says that the request comes from another site or port.
pub(crate) fn is_from_elsewhere(headers: &HeaderMap) -> bool {
    let mut said = headers.get_all(FETCH_SITE).iter();
    !said.all(|site| site == "same-origin")
}

/// Who is logged in by what a request shows.
pub(crate) fn caller(app: &App, headers: &HeaderMap) -> Option<Caller> {
    let key = headers.get(KEY)?.to_str().ok()?;
    let now = Timestamp::now();
    let found = cookies(app, headers).find_map(|cookie| app.logins.find(cookie, key, now))?;
    let name = TokenName::new(PAGE_NAME).ok()?;
    Some(Caller::logged_in(name, Scope::Admin, found))
}

/// The values of the cookies of this server. Whoever serves another port of this machine can set some of
/// the same name beside ours.
fn cookies<'a>(app: &'a App, headers: &'a HeaderMap) -> impl Iterator<Item = &'a str> {
    let pairs = headers
        .get_all(COOKIE)
        .iter()
        .filter_map(|cookies| cookies.to_str().ok())
        .flat_map(|cookies| cookies.split(';'))
        .filter_map(|pair| pair.trim().split_once('='));
    pairs
        .filter(|(name, _)| *name == app.cookie)
        .map(|(_, value)| value)
}
