//! Who may ask for what. In this order: for whom the request is, from which page it comes, whose token
//! or login it shows, whether that has the scope, whether it asks too often, and how large its body is.

use crate::app::{App, Caller};
use crate::connections::Admitted;
use crate::limits::{BODY_BYTES, BODY_TIME, LOGIN_BYTES};
use crate::login;
use crate::metrics::Asked;
use crate::problem::{Problem, fault};
use crate::tokens::Scope;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::header::{
    AUTHORIZATION, CACHE_CONTROL, CONTENT_LENGTH, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HOST,
    ORIGIN, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use domain::Timestamp;
use std::net::IpAddr;
use std::time::Instant;

/// What a path asks of whoever asks for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Need {
    /// Nothing: it tells nothing either.
    Nothing,
    /// A login code, in a small body of a request of the page's own.
    Code,
    /// A token with this scope, or a login, which has all of them.
    Token(Scope),
}

/// From which address a connection comes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Peer(pub(crate) IpAddr);

/// How a path says what went wrong.
pub(crate) type Told = fn(Problem) -> Response;

/// What stands before a path.
#[derive(Clone)]
pub(crate) struct Guarded {
    pub(crate) app: App,
    /// As which it is counted.
    pub(crate) asked: Asked,
    pub(crate) need: Need,
    pub(crate) told: Told,
}

/// Checks a request and hands it on, with its body read and who asks.
pub(crate) async fn guard(
    State(guarded): State<Guarded>,
    request: Request,
    next: Next,
) -> Response {
    let began = Instant::now();
    let Guarded {
        app,
        asked: counted,
        need,
        told,
    } = guarded;
    let asked = (request.method().clone(), request.uri().path().to_owned());
    let peer = request.extensions().get::<Peer>().copied();
    let mut response = match checked(&app, need, request).await {
        Ok(request) => next.run(request).await,
        Err(problem) => told(problem),
    };
    if response.status() == StatusCode::METHOD_NOT_ALLOWED {
        let (method, path) = asked;
        let fault = fault(
            "http.method_not_allowed",
            format!("{path} takes no {method}"),
            "",
        );
        response = told(Problem::new(StatusCode::METHOD_NOT_ALLOWED, fault));
    }
    if response.status() == StatusCode::UNAUTHORIZED
        && peer.is_some_and(|peer| !app.strangers.take(&peer.0, began))
    {
        let said =
            "too many requests without a token that counts come from this address".to_owned();
        response = told(too_often(said).closing());
    }
    app.metrics
        .count(counted, response.status(), began.elapsed());
    closed(response.headers_mut());
    response
}

/// What no browser may do with an answer, unless the answer says otherwise.
fn closed(headers: &mut HeaderMap) {
    let mut said = |name: HeaderName, value: &'static str| {
        headers
            .entry(name)
            .or_insert(HeaderValue::from_static(value));
    };
    said(CACHE_CONTROL, "no-store");
    said(X_CONTENT_TYPE_OPTIONS, "nosniff");
    said(REFERRER_POLICY, "no-referrer");
    said(X_FRAME_OPTIONS, "DENY");
    said(
        CONTENT_SECURITY_POLICY,
        "default-src 'none'; frame-ancestors 'none'; sandbox",
    );
    let same = "same-origin";
    said(
        HeaderName::from_static("cross-origin-resource-policy"),
        same,
    );
    said(HeaderName::from_static("cross-origin-opener-policy"), same);
}

/// A problem as itself.
pub(crate) fn plainly(problem: Problem) -> Response {
    problem.into_response()
}

async fn checked(app: &App, need: Need, request: Request) -> Result<Request, Problem> {
    let (mut head, body) = request.into_parts();
    is_for_us(app, &head.headers, &head.uri)?;
    is_from_no_page_but_ours(app, &head.headers)?;
    if let Need::Token(scope) = need {
        let caller = shown(app, &head.method, &head.headers)?;
        if let Some(admitted) = head.extensions.get::<Admitted>() {
            admitted.admit();
        }
        if caller.scope < scope {
            return Err(too_narrow(&caller, scope));
        }
        if !app.rates.take(&caller.name, Instant::now()) {
            let said = format!("the token {} asks too often", caller.name);
            return Err(too_often(said));
        }
        head.extensions.insert(caller);
    }
    if need == Need::Nothing {
        // What needs no token takes nothing, and so nothing is read.
        return Ok(Request::from_parts(head, Body::empty()));
    }
    let mut most = BODY_BYTES;
    if need == Need::Code {
        says_its_page(&head.headers)?;
        most = LOGIN_BYTES;
    }
    let body = read(&head.method, &head.headers, (body, most)).await?;
    Ok(Request::from_parts(head, Body::from(body)))
}

/// A web page can have a name of its own lead here (DNS rebinding): then the request says that name.
fn is_for_us(app: &App, headers: &HeaderMap, uri: &Uri) -> Result<(), Problem> {
    let is_ours = |name: &str| app.names.has(name);
    let mut hosts = headers.get_all(HOST).iter();
    let host = hosts.next().and_then(|host| host.to_str().ok());
    let is_clear = hosts.next().is_none() && host.is_some_and(is_ours);
    let authority = uri.authority().map(|authority| authority.as_str());
    if is_clear && authority.is_none_or(is_ours) {
        return Ok(());
    }
    let said = "the request is for a host that this server is not";
    let names = app.names.told();
    let fault = fault("http.unknown_host", said, format!("It is {names}."));
    Err(Problem::new(StatusCode::FORBIDDEN, fault).closing())
}

/// A page of another origin says which it is.
fn is_from_no_page_but_ours(app: &App, headers: &HeaderMap) -> Result<(), Problem> {
    let ours = |origin: &HeaderValue| app.names.has_origin(origin.to_str().unwrap_or_default());
    match headers.get_all(ORIGIN).iter().all(ours) {
        true => Ok(()),
        false => Err(foreign()),
    }
}

fn foreign() -> Problem {
    let said = "the request does not come from this server's own page";
    let fault = fault(
        "http.foreign_origin",
        said,
        "No page may ask here but this server's own.",
    );
    Problem::new(StatusCode::FORBIDDEN, fault).closing()
}

/// A request of the page's own says that it is one. What it says is right: it was looked at before.
fn says_its_page(headers: &HeaderMap) -> Result<(), Problem> {
    match headers.contains_key(ORIGIN) && !login::is_from_elsewhere(headers) {
        true => Ok(()),
        false => Err(foreign()),
    }
}

/// Who asks, by the login or the token that the request shows.
fn shown(app: &App, method: &Method, headers: &HeaderMap) -> Result<Caller, Problem> {
    if !login::is_by_page(app, headers) {
        return by_token(app, headers);
    }
    // A cookie is sent by the browser, whichever page asks; what changes nothing has no origin there.
    if method != Method::GET {
        says_its_page(headers)?;
    }
    if login::is_from_elsewhere(headers) {
        return Err(foreign());
    }
    login::caller(app, headers).ok_or_else(|| {
        let said = "this browser is not logged in, or the server was started anew";
        let fault = fault(
            "http.logged_out",
            said,
            "`carl web` prints a link that logs in.",
        );
        Problem::new(StatusCode::UNAUTHORIZED, fault).closing()
    })
}

/// The token that the request shows.
fn by_token(app: &App, headers: &HeaderMap) -> Result<Caller, Problem> {
    let mut all = headers.get_all(AUTHORIZATION).iter();
    let shown = match (all.next(), all.next()) {
        (Some(only), None) => only.to_str().unwrap_or_default(),
        _ => "",
    };
    let (scheme, secret) = shown.split_once(' ').unwrap_or_default();
    let secret = match scheme.eq_ignore_ascii_case("bearer") {
        true => secret.trim(),
        false => "",
    };
    let found = app.tokens.find(secret, Timestamp::now())?;
    found.map(Caller::by).ok_or_else(|| {
        let said = "the access token is missing, wrong, expired or taken back";
        let hint =
            "Send `Authorization: Bearer TOKEN`; `carl token new NAME --scope chat` makes one.";
        Problem::new(
            StatusCode::UNAUTHORIZED,
            fault("http.unauthenticated", said, hint),
        )
        .closing()
    })
}

fn too_often(said: String) -> Problem {
    let fault = fault("http.rate_limited", said, "Wait a moment.");
    Problem::new(StatusCode::TOO_MANY_REQUESTS, fault)
}

fn too_narrow(token: &Caller, scope: Scope) -> Problem {
    let said = format!(
        "this needs a token with the scope `{scope}`, and {} has `{}`",
        token.name, token.scope
    );
    let hint = format!("`carl token new NAME --scope {scope}` makes one.");
    Problem::new(StatusCode::FORBIDDEN, fault("http.scope", said, hint))
}

/// The whole body, within its bounds.
async fn read(
    method: &Method,
    headers: &HeaderMap,
    (body, most): (Body, usize),
) -> Result<bytes::Bytes, Problem> {
    let length = headers.get(CONTENT_LENGTH);
    let length = length.and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
    if length.is_some_and(|length| length > most as u64) {
        return Err(too_large(most));
    }
    let bytes = match tokio::time::timeout(BODY_TIME, to_bytes(body, most)).await {
        Ok(Ok(bytes)) => bytes,
        Ok(Err(error)) => {
            tracing::debug!(%error, "a body was not read to its end");
            return Err(too_large(most));
        }
        Err(_elapsed) => {
            let seconds = BODY_TIME.as_secs();
            let said = format!("the body did not come within {seconds} s");
            let fault = fault("http.too_slow", said, "");
            return Err(Problem::new(StatusCode::REQUEST_TIMEOUT, fault).closing());
        }
    };
    if !bytes.is_empty() && *method != Method::GET && !is_json(headers) {
        // A form of a web page cannot send this type without asking first.
        let fault = fault(
            "http.not_json",
            "the body is not said to be JSON",
            "Send `Content-Type: application/json`.",
        );
        return Err(Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, fault));
    }
    Ok(bytes)
}

fn is_json(headers: &HeaderMap) -> bool {
    let kind = headers
        .get(CONTENT_TYPE)
        .and_then(|kind| kind.to_str().ok());
    let kind = kind.and_then(|kind| kind.split(';').next());
    kind.is_some_and(|kind| kind.trim().eq_ignore_ascii_case("application/json"))
}

fn too_large(most: usize) -> Problem {
    let most = most >> 10;
    let said = format!("the body has more than {most} KiB, or broke off");
    let fault = fault("http.too_large", said, "");
    Problem::new(StatusCode::PAYLOAD_TOO_LARGE, fault).closing()
}
