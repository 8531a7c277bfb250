//! The listing of sessions of which the next page may be asked for.

use crate::limits::LISTING_TIME;
use api::sessions::{Selection, SessionSummary};
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
    pub(crate) fn kept(
        &self,
        selection: &Selection,
        now: Instant,
    ) -> Option<Arc<Vec<SessionSummary>>> {
        let last = self.last();
        let of_it = last.as_ref().filter(|last| last.selection == *selection);
        let fresh = of_it.filter(|last| now.saturating_duration_since(last.made) < LISTING_TIME);
        fresh.map(|last| Arc::clone(&last.sessions))
    }

    /// Keeps a listing that has more pages; `None`: nobody asks for more.
    pub(crate) fn keep(&self, listing: Option<(Selection, Arc<Vec<SessionSummary>>)>) {
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
