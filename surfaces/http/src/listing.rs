//! Sessions in pages, the last used first. They are listed once for pages that are asked for in a row.

use crate::app::App;
use crate::limits::{LISTING_TIME, PAGE, PAGE_MOST};
use crate::problem::Problem;
use crate::query::Parameters;
use crate::wire::Page;
use api::sessions::{Selection, SessionSummary};
use axum::Json;
use axum::extract::State;
use axum::http::Uri;
use domain::id::SessionId;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::time::Instant;

/// The listing of which the next page may be asked for.
#[derive(Debug, Default)]
pub(crate) struct Listings(Mutex<Option<Listing>>);

#[derive(Debug)]
struct Listing {
    made: Instant,
    selection: Selection,
    sessions: Arc<Vec<SessionSummary>>,
}

impl Listings {
    /// The sessions of a selection as they were listed for the page before, if that was not long ago.
    fn kept(&self, selection: &Selection, now: Instant) -> Option<Arc<Vec<SessionSummary>>> {
        let last = self.last();
        let of_it = last.as_ref().filter(|last| last.selection == *selection);
        let fresh = of_it.filter(|last| now.saturating_duration_since(last.made) < LISTING_TIME);
        fresh.map(|last| Arc::clone(&last.sessions))
    }

    /// Keeps a listing that has more pages; `None`: nobody asks for more.
    fn keep(&self, listing: Option<(Selection, Arc<Vec<SessionSummary>>)>) {
        let mut last = self.last();
        let made = last
            .as_ref()
            .map(|last| (last.made, Arc::clone(&last.sessions)));
        *last = listing.map(|(selection, sessions)| Listing {
            // One page more makes it no younger.
            made: match made {
                Some((made, before)) if Arc::ptr_eq(&before, &sessions) => made,
                _ => Instant::now(),
            },
            selection,
            sessions,
        });
    }

    fn last(&self) -> MutexGuard<'_, Option<Listing>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// `GET /api/v1/sessions`.
pub(crate) async fn list(State(app): State<App>, uri: Uri) -> Result<Json<Page>, Problem> {
    let parameters = Parameters::of(&uri, &["cursor", "limit", "live"])?;
    let limit = parameters.parsed::<usize>("limit")?.unwrap_or(PAGE);
    if !(1..=PAGE_MOST).contains(&limit) {
        return Err(Problem::invalid(format!("`limit` is 1 to {PAGE_MOST}")));
    }
    let selection = match parameters.parsed::<bool>("live")? {
        Some(true) => Selection::Live,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn pages_in_a_row_are_of_one_listing_for_a_while() {
        let listings = Listings::default();
        let all = Arc::new(Vec::new());
        listings.keep(Some((Selection::All, Arc::clone(&all))));
        tokio::time::advance(LISTING_TIME / 2).await;
        let kept = listings.kept(&Selection::All, Instant::now());
        assert!(kept.is_some_and(|kept| Arc::ptr_eq(&kept, &all)));
        assert!(listings.kept(&Selection::Live, Instant::now()).is_none());
        listings.keep(Some((Selection::All, all)));
        tokio::time::advance(LISTING_TIME / 2).await;
        assert!(listings.kept(&Selection::All, Instant::now()).is_none());
        listings.keep(None);
        assert!(listings.last().is_none());
    }
}
