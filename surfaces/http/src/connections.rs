//! Who is connected. Whoever has shown no token makes room for others when there is none left.

use crate::limits::{CONNECTION_GRACE, CONNECTIONS};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// Whether a connection has shown a token.
#[derive(Debug, Clone, Default)]
pub(crate) struct Admitted(Arc<AtomicBool>);

impl Admitted {
    pub(crate) fn admit(&self) {
        self.0.store(true, Ordering::Release);
    }

    fn is_admitted(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}

/// The connections there are, the oldest first.
#[derive(Debug, Clone, Default)]
pub(crate) struct Connections(Arc<Places>);

#[derive(Debug, Default)]
struct Places {
    taken: Mutex<VecDeque<Taken>>,
    freed: Notify,
}

#[derive(Debug)]
struct Taken {
    admitted: Admitted,
    since: Instant,
    leave: CancellationToken,
}

/// A connection's place, which is free again once this is dropped.
#[derive(Debug)]
pub(crate) struct Place {
    /// To be told when it has shown a token.
    pub(crate) admitted: Admitted,
    /// Cancelled when it is to make room.
    pub(crate) leave: CancellationToken,
    places: Arc<Places>,
}

impl Drop for Place {
    fn drop(&mut self) {
        self.places
            .taken()
            .retain(|one| !Arc::ptr_eq(&one.admitted.0, &self.admitted.0));
        self.places.freed.notify_one();
    }
}

impl Places {
    fn taken(&self) -> MutexGuard<'_, VecDeque<Taken>> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Connections {
    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        self.0.taken().len()
    }

    /// A place, once there is one.
    pub(crate) async fn place(&self) -> Place {
        loop {
            match self.try_place(CONNECTIONS) {
                Ok(place) => return place,
                Err(wait) => {
                    // Either way it is looked again.
                    let _freed = tokio::time::timeout(wait, self.0.freed.notified()).await;
                }
            }
        }
    }

    /// A place at once, or how long to wait before asking again.
    fn try_place(&self, most: usize) -> Result<Place, Duration> {
        let mut taken = self.0.taken();
        if taken.len() >= most {
            let oldest = taken.iter().position(|one| !one.admitted.is_admitted());
            let Some(oldest) = oldest else {
                return Err(CONNECTION_GRACE);
            };
            let wait = CONNECTION_GRACE.saturating_sub(taken[oldest].since.elapsed());
            if !wait.is_zero() {
                return Err(wait);
            }
            if let Some(gone) = taken.remove(oldest) {
                gone.leave.cancel();
            }
        }
        let (admitted, leave) = (Admitted::default(), CancellationToken::new());
        taken.push_back(Taken {
            admitted: admitted.clone(),
            since: Instant::now(),
            leave: leave.clone(),
        });
        Ok(Place {
            admitted,
            leave,
            places: Arc::clone(&self.0),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn who_showed_no_token_makes_room_and_nobody_else() {
        let connections = Connections::default();
        let first = connections.try_place(2).unwrap();
        let second = connections.try_place(2).unwrap();
        first.admitted.admit();
        assert_eq!(connections.try_place(2).unwrap_err(), CONNECTION_GRACE);
        tokio::time::advance(CONNECTION_GRACE).await;
        let third = connections.try_place(2).unwrap();
        assert!(second.leave.is_cancelled() && !first.leave.is_cancelled());
        third.admitted.admit();
        tokio::time::advance(CONNECTION_GRACE).await;
        assert!(connections.try_place(2).is_err());
        drop(first);
        assert!(connections.try_place(2).is_ok());
    }
}
