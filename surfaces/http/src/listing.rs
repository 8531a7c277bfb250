//! Sessions in pages, the last used first. They are listed once for pages that are asked for in a row.

use crate::app::App;
use crate::limits::{PAGE, PAGE_MOST};
use crate::problem::Problem;
use crate::query::Parameters;
use crate::wire::Page;
use api::sessions::{Selection, SessionSummary};
use axum::Json;
use axum::extract::State;
use axum::http::Uri;
use domain::id::SessionId;
use std::sync::Arc;
use tokio::time::Instant;

/// `GET /api/v1/sessions`.
pub(crate) async fn list(State(app): State<App>, uri: Uri) -> Result<Json<Page>, Problem> {
    let parameters = Parameters::of(&uri, &["cursor", "limit", "live", "said"])?;
    let limit = parameters.parsed::<usize>("limit")?.unwrap_or(PAGE);
    if !(1..=PAGE_MOST).contains(&limit) {
        return Err(Problem::invalid(format!("`limit` is 1 to {PAGE_MOST}")));
    }
    let selection = match (parameters.parsed::<bool>("live")?, parameters.get("said")) {
        (Some(true), Some(_)) => {
            return Err(Problem::invalid("`said` and `live` do not go together"));
        }
        (_, Some(words)) => Selection::Said(words.to_owned()),
        (Some(true), None) => Selection::Live,
        _ => Selection::All,
    };
    let after = parameters.get("cursor").map(from_cursor).transpose()?;
    let kept = after.and_then(|_| app.listings.kept(&selection, Instant::now()));
    let all = match kept {
        Some(kept) => kept,
        None => {
            let mut known = app.sessions.list(selection.clone()).await?;
            known.sort_by_key(|one| std::cmp::Reverse(place(one)));
            Arc::new(known)
        }
    };
    let begin = after.map_or(0, |after| all.partition_point(|one| place(one) >= after));
    let page = &all[begin..all.len().min(begin + limit)];
    let has_more = all.len() > begin + limit;
    let next = page.last().filter(|_| has_more).map(cursor);
    let sessions = page.iter().cloned().map(Into::into).collect();
    app.listings.keep(has_more.then_some((selection, all)));
    Ok(Json(Page { sessions, next }))
}

/// Where a session stands among all: what was used last comes first.
fn place(session: &SessionSummary) -> (i128, SessionId) {
    (session.updated.as_nanosecond(), session.session_id)
}

fn cursor(session: &SessionSummary) -> String {
    let (updated, id) = place(session);
    format!("{updated}.{id}")
}

fn from_cursor(cursor: &str) -> Result<(i128, SessionId), Problem> {
    let read = || {
        let (updated, id) = cursor.split_once('.')?;
        Some((updated.parse().ok()?, id.parse().ok()?))
    };
    read().ok_or_else(|| Problem::invalid("the cursor is none that a page gave"))
}
