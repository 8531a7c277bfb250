//! The page: files that `web/` builds, which stand in the program itself.

use crate::tags::is_known;
use axum::body::Body;
use axum::http::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG,
    VARY,
};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use domain::hash::Digest;

/// What the page may do: run and draw what this server has, ask this server, and nothing else. No text
/// becomes a document (`require-trusted-types-for`), and no page has it in a frame.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
                      connect-src 'self'; base-uri 'none'; form-action 'none'; \
                      frame-ancestors 'none'; require-trusted-types-for 'script'; \
                      trusted-types 'none'";

/// A file of the page.
struct File {
    kind: &'static str,
    plain: &'static [u8],
    /// The same by gzip.
    packed: &'static [u8],
}

macro_rules! file {
    ($kind:literal, $name:literal) => {
        File {
            kind: $kind,
            plain: include_bytes!(concat!("../../../web/dist/", $name)),
            packed: include_bytes!(concat!("../../../web/dist/", $name, ".gz")),
        }
    };
}

const PAGE: File = file!("text/html; charset=utf-8", "index.html");
const SCRIPT: File = file!("text/javascript; charset=utf-8", "app.js");
const STYLE: File = file!("text/css; charset=utf-8", "app.css");
const ICON: File = file!("image/svg+xml", "icon.svg");

/// `GET /`.
pub(crate) async fn page(headers: HeaderMap) -> Response {
    given(&PAGE, &headers)
}

/// `GET /app.js`.
pub(crate) async fn script(headers: HeaderMap) -> Response {
    given(&SCRIPT, &headers)
}

/// `GET /app.css`.
pub(crate) async fn style(headers: HeaderMap) -> Response {
    given(&STYLE, &headers)
}

/// `GET /icon.svg`.
pub(crate) async fn icon(headers: HeaderMap) -> Response {
    given(&ICON, &headers)
}

fn given(file: &File, headers: &HeaderMap) -> Response {
    let is_packed = takes_gzip(headers);
    let bytes = match is_packed {
        true => file.packed,
        false => file.plain,
    };
    let tag = HeaderValue::from_str(&format!("\"{}\"", Digest::of(bytes).short()));
    let Ok(tag) = tag else {
        return StatusCode::INTERNAL_SERVER_ERROR.into_response();
    };
    let mut response = match is_known(headers, &tag) {
        true => StatusCode::NOT_MODIFIED.into_response(),
        false => Response::new(Body::from(bytes)),
    };
    let told = response.headers_mut();
    told.insert(ETAG, tag);
    told.insert(CONTENT_TYPE, HeaderValue::from_static(file.kind));
    told.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    // It is asked for each time, and told in a word that nothing changed.
    told.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    told.insert(VARY, HeaderValue::from_static("Accept-Encoding"));
    if is_packed {
        told.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    response
}

fn takes_gzip(headers: &HeaderMap) -> bool {
    let accepted = headers.get_all(ACCEPT_ENCODING).iter();
    accepted
        .filter_map(|one| one.to_str().ok())
        .flat_map(|one| one.split(','))
        .any(|one| one.trim().eq_ignore_ascii_case("gzip"))
}
