//! Every path there is, with what it asks of whoever asks for it, and what it takes and gives.

use crate::access::{self, Guarded, Need, plainly};
use crate::app::App;
use crate::document::document;
use crate::metrics::{METRICS_TYPE, Now};
use crate::openai;
use crate::problem::Problem;
use crate::route::{Route, route};
use crate::tokens::Scope;
use crate::wire;
use crate::{
    grades, history, known, listing, login, memories, page, programs, requests, seed, sessions,
};
use api::sessions::Selection;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderValue, Method, Uri};
use axum::middleware::from_fn_with_state;
use axum::response::IntoResponse;
use axum::routing::{delete, get, post};
use axum::{Json, Router};
use utoipa::openapi::OpenApi;

/// Every path with its scope.
pub(crate) fn all() -> Vec<Route> {
    let mut all = of_server();
    all.extend(of_page());
    all.extend(of_sessions());
    all.extend(of_whole_sessions());
    all.extend(of_requests());
    all.extend(of_quality());
    all.extend(of_programs());
    all.extend(of_memory());
    all.extend(of_known());
    all.extend(of_openai());
    all
}

fn of_server() -> Vec<Route> {
    let read = Need::Token(Scope::Read);
    let text = "text/plain; charset=utf-8";
    vec![
        route(
            "GET",
            "/health",
            Need::Nothing,
            get(health),
            "Says that the server lives.",
        )
        .gives_text(text),
        route(
            "GET",
            "/ready",
            read,
            get(ready),
            "Says that sessions can be had.",
        )
        .gives_text(text),
        route(
            "GET",
            "/metrics",
            read,
            get(metrics),
            "What the server has done, for Prometheus.",
        )
        .gives_text(METRICS_TYPE),
        route(
            "GET",
            "/api/v1/openapi.json",
            read,
            get(described),
            "This description.",
        ),
    ]
}

fn of_page() -> Vec<Route> {
    let read = Need::Token(Scope::Read);
    let file = |path, answer, kind| {
        let summary = "A file of the page for people.";
        route("GET", path, Need::Nothing, answer, summary).gives_text(kind)
    };
    vec![
        file("/", get(page::page), "text/html; charset=utf-8"),
        file(
            "/app.js",
            get(page::script),
            "text/javascript; charset=utf-8",
        ),
        file("/app.css", get(page::style), "text/css; charset=utf-8"),
        file("/icon.svg", get(page::icon), "image/svg+xml"),
        route(
            "POST",
            "/login",
            Need::Code,
            post(login::log_in),
            "Logs a browser in by a code of `carl web`.",
        )
        .takes::<wire::Login>()
        .gives::<wire::LoggedIn>(200),
        route(
            "POST",
            "/logout",
            read,
            post(login::log_out),
            "Logs a browser out.",
        )
        .gives_nothing(),
    ]
}

fn of_sessions() -> Vec<Route> {
    let read = Need::Token(Scope::Read);
    let chat = Need::Token(Scope::Chat);
    let admin = Need::Token(Scope::Admin);
    let one = "/api/v1/sessions/{session}";
    vec![
        route(
            "GET",
            "/api/v1/sessions",
            read,
            get(listing::list),
            "Lists sessions, the last used first.",
        )
        .asked(&["cursor", "limit", "live", "said"])
        .gives::<wire::Page>(200),
        route(
            "POST",
            "/api/v1/sessions",
            chat,
            post(sessions::create),
            "Opens a session.",
        )
        .takes::<wire::Settings>()
        .gives::<wire::Listed>(201),
        route(
            "GET",
            one,
            read,
            get(sessions::show),
            "What a session has come to.",
        )
        .gives::<wire::Detailed>(200),
        route(
            "DELETE",
            one,
            admin,
            delete(sessions::delete),
            "Deletes a session.",
        )
        .gives_nothing(),
        route(
            "POST",
            "/api/v1/sessions/{session}/rename",
            chat,
            post(sessions::rename),
            "Gives a session a name.",
        )
        .takes::<wire::Rename>()
        .gives_nothing(),
    ]
}

/// What is done with a session as a whole.
fn of_whole_sessions() -> Vec<Route> {
    let read = Need::Token(Scope::Read);
    let chat = Need::Token(Scope::Chat);
    vec![
        route(
            "POST",
            "/api/v1/sessions/{session}/fork",
            chat,
            post(sessions::fork),
            "Copies a session.",
        )
        .takes::<wire::Fork>()
        .gives::<wire::Listed>(201),
        route(
            "GET",
            "/api/v1/sessions/{session}/export",
            read,
            get(sessions::export),
            "A session as Markdown or JSON.",
        )
        .asked(&["format"])
        .gives_text("text/markdown; charset=utf-8"),
        route(
            "GET",
            "/api/v1/sessions/{session}/context",
            read,
            get(sessions::context),
            "What a model is shown next, part by part.",
        ),
        route(
            "POST",
            "/api/v1/sessions/{session}/configure",
            chat,
            post(sessions::configure),
            "Changes what a session was opened with.",
        )
        .takes::<wire::Settings>()
        .gives_nothing(),
        route(
            "GET",
            "/api/v1/sessions/{session}/history",
            read,
            get(history::history),
            "A session's requests in pages, the newest page first.",
        )
        .asked(&["before", "limit"])
        .gives::<wire::History>(200),
        route(
            "GET",
            "/api/v1/sessions/{session}/events",
            read,
            get(sessions::attach),
            "A session's events, as they come.",
        )
        .asked(&["after", "follow"])
        .gives_text("text/event-stream"),
    ]
}

fn of_requests() -> Vec<Route> {
    let chat = Need::Token(Scope::Chat);
    let approve = Need::Token(Scope::Approve);
    vec![
        route(
            "POST",
            "/api/v1/sessions/{session}/messages",
            chat,
            post(requests::send),
            "Sends a request; what it came to, or with `Accept: text/event-stream` its events.",
        )
        .takes::<wire::Message>(),
        route(
            "POST",
            "/api/v1/sessions/{session}/interrupt",
            chat,
            post(requests::interrupt),
            "Stops a request.",
        )
        .takes::<wire::Interrupt>()
        .gives_nothing(),
        route(
            "POST",
            "/api/v1/sessions/{session}/undo",
            chat,
            post(requests::undo),
            "Takes back the last change of a file; answers as a message does.",
        )
        .takes::<wire::Undo>(),
        route(
            "POST",
            "/api/v1/sessions/{session}/confirmations/{confirmation}",
            approve,
            post(requests::confirm),
            "Answers a question.",
        )
        .takes::<wire::Answer>()
        .gives_nothing(),
        route(
            "POST",
            "/query",
            chat,
            post(seed::query),
            "Asks one thing, with its whole answer.",
        )
        .takes::<wire::Query>()
        .gives::<wire::Queried>(200),
        route(
            "POST",
            "/feedback",
            chat,
            post(seed::feedback),
            "An opinion of an answer.",
        )
        .takes::<wire::Feedback>()
        .gives_nothing(),
    ]
}

/// How good answers are.
fn of_quality() -> Vec<Route> {
    let read = Need::Token(Scope::Read);
    let chat = Need::Token(Scope::Chat);
    vec![
        route(
            "GET",
            "/api/v1/quality",
            read,
            get(grades::quality),
            "What grades, ratings and comparisons come to.",
        )
        .gives::<wire::Quality>(200),
        route(
            "POST",
            "/api/v1/sessions/{session}/grade",
            chat,
            post(grades::grade),
            "Has the judge grade an answer; the events tell what comes of it.",
        )
        .takes::<wire::GradeWanted>()
        .gives_nothing(),
        route(
            "POST",
            "/api/v1/sessions/{session}/second",
            chat,
            post(grades::second),
            "Has a request answered once more; the events tell what comes of it.",
        )
        .takes::<wire::SecondWanted>()
        .gives_nothing(),
        route(
            "POST",
            "/api/v1/sessions/{session}/second/rating",
            chat,
            post(grades::rate_second),
            "Which of both answers is better.",
        )
        .takes::<wire::SecondRating>()
        .gives_nothing(),
        route(
            "POST",
            "/api/v1/sessions/{session}/second/take",
            chat,
            post(grades::take_second),
            "Puts the second answer to the last request in the place of the first one.",
        )
        .takes::<wire::SecondTake>()
        .gives_nothing(),
    ]
}

fn of_programs() -> Vec<Route> {
    vec![
        route(
            "GET",
            "/api/v1/sessions/{session}/programs",
            Need::Token(Scope::Read),
            get(programs::list),
            "The programs of a session and what they say; with `job` or `call_id`, all that one said.",
        )
        .asked(&["job", "call_id"])
        .gives::<wire::Programs>(200),
        route(
            "POST",
            "/api/v1/sessions/{session}/programs/stop",
            Need::Token(Scope::Chat),
            post(programs::stop),
            "Stops a job, or the program that a call waits for.",
        )
        .takes::<wire::Stop>()
        .gives::<wire::Stopped>(200),
    ]
}

/// Memory, which has what was said in all sessions, and so is the user's alone.
fn of_memory() -> Vec<Route> {
    let admin = Need::Token(Scope::Admin);
    let one = "/api/v1/memory/{memory}";
    vec![
        route(
            "POST",
            "/api/v1/memory/search",
            admin,
            post(memories::search),
            "What memory has on a question, and what each stage of the search saw.",
        )
        .takes::<wire::Search>(),
        route(
            "POST",
            "/api/v1/memory",
            admin,
            post(memories::add),
            "Keeps an entry.",
        )
        .takes::<wire::Remember>()
        .gives::<wire::Kept>(200),
        route("GET", one, admin, get(memories::show), "An entry, whole."),
        route(
            "DELETE",
            one,
            admin,
            delete(memories::forget),
            "Forgets an entry with what it corrected.",
        )
        .gives::<wire::Forgot>(200),
        route(
            "POST",
            "/api/v1/memory/{memory}/correct",
            admin,
            post(memories::correct),
            "Keeps an entry in place of another.",
        )
        .takes::<wire::Remember>()
        .gives::<wire::Kept>(200),
    ]
}

/// What is known beside sessions.
fn of_known() -> Vec<Route> {
    let read = Need::Token(Scope::Read);
    // The policy and the audit log tell of more than one session, and so are the user's alone.
    let admin = Need::Token(Scope::Admin);
    vec![
        route(
            "GET",
            "/api/v1/agents",
            read,
            get(known::agents),
            "The types of agents.",
        )
        .gives::<wire::Agents>(200),
        route(
            "GET",
            "/api/v1/tools",
            read,
            get(known::tools),
            "The tools, and which types of agents may use them.",
        )
        .gives::<wire::Tools>(200),
        route(
            "GET",
            "/api/v1/models",
            read,
            get(known::models),
            "The providers with how each stands, and the models there are.",
        ),
        route(
            "POST",
            "/api/v1/policy/explain",
            admin,
            post(known::explain),
            "What each layer of the policy says to a call; nothing is run.",
        )
        .takes::<wire::Call>(),
        route(
            "GET",
            "/api/v1/sessions/{session}/audit",
            admin,
            get(known::audit),
            "What the audit log has of a session.",
        )
        .gives::<wire::Audited>(200),
    ]
}

fn of_openai() -> Vec<Route> {
    let read = Need::Token(Scope::Read);
    let chat = Need::Token(Scope::Chat);
    let all = [
        route(
            "GET",
            "/v1/models",
            read,
            get(openai::list),
            "Agents as models of OpenAI's interface.",
        ),
        route(
            "GET",
            "/v1/models/{*model}",
            read,
            get(openai::show),
            "One of them.",
        ),
        route(
            "POST",
            "/v1/chat/completions",
            chat,
            post(openai::chat),
            "Answers as OpenAI's chat completions do.",
        ),
        route(
            "POST",
            "/v1/responses",
            chat,
            post(openai::responses),
            "Answers as OpenAI's responses do.",
        ),
        route(
            "POST",
            "/v1/embeddings",
            chat,
            post(openai::embeddings),
            "Vectors of texts, as OpenAI's embeddings are.",
        ),
    ];
    all.into_iter()
        .map(|route| route.told_by(openai::told))
        .collect()
}

/// All of them, each behind its checks; what there is not is told to whoever has a token.
pub(crate) fn router(app: &App) -> Router {
    let guarded = |asked, need, told| Guarded {
        app: app.clone(),
        asked,
        need,
        told,
    };
    let mut router = Router::new();
    for route in all() {
        let state = guarded((route.method, route.path), route.need, route.told);
        let guard = from_fn_with_state(state, access::guard);
        router = router.route(route.path, route.answer.layer(guard));
    }
    let state = guarded(("", "other"), Need::Token(Scope::Read), plainly);
    let missing = Router::new()
        .fallback(nothing_here)
        .layer(from_fn_with_state(state, access::guard));
    router
        .fallback_service(missing.with_state(app.clone()))
        // The guard has read the body, within its bounds.
        .layer(DefaultBodyLimit::disable())
        .with_state(app.clone())
}

/// That it lives, and nothing else.
async fn health() -> &'static str {
    "alive\n"
}

/// Whether sessions can be had.
async fn ready(State(app): State<App>) -> Result<&'static str, Problem> {
    app.sessions.list(Selection::Live).await?;
    Ok("ready\n")
}

/// What the server has done.
async fn metrics(State(app): State<App>) -> Result<impl IntoResponse, Problem> {
    let live = app.sessions.list(Selection::Live).await?.len();
    let now = Now {
        connections: app.connections.count(),
        held: app.held.count(),
        live,
    };
    let kind = HeaderValue::from_static(METRICS_TYPE);
    Ok(([(CONTENT_TYPE, kind)], app.metrics.text(now)))
}

/// What there is.
async fn described() -> Json<OpenApi> {
    Json(document(&all()))
}

async fn nothing_here(method: Method, uri: Uri) -> Problem {
    Problem::not_found(format!("there is no {method} {}", uri.path()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{SCHEME, path};

    #[test]
    fn every_route_stands_in_the_description_once() {
        let routes = all();
        let document = serde_json::to_value(document(&routes)).unwrap();
        let mut described = 0;
        for methods in document["paths"].as_object().unwrap().values() {
            described += methods.as_object().unwrap().len();
        }
        assert_eq!(described, routes.len());
        for route in &routes {
            let method = route.method.to_lowercase();
            let about = &document["paths"][path(route)][&method];
            let summary = about["summary"].as_str().unwrap();
            assert!(summary.starts_with(route.about.summary), "{}", route.path);
            let has_token = about["security"][0].get(SCHEME).is_some();
            assert_eq!(
                has_token,
                matches!(route.need, Need::Token(_)),
                "{}",
                route.path
            );
        }
    }
}
