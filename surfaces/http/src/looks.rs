//! Sessions that nobody has open, and that streams wait for: each is looked at once for all that wait.

use crate::limits::WAITING_LOOK;
use domain::id::SessionId;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::time::Instant;

/// What was found when sessions were last looked at.
#[derive(Debug)]
pub(crate) struct Looks<T>(Mutex<HashMap<SessionId, Last<T>>>);

type Last<T> = Arc<tokio::sync::Mutex<Option<(Instant, T)>>>;

impl<T> Default for Looks<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T: Clone> Looks<T> {
    /// What a session is now, or was less than [`WAITING_LOOK`] ago and not before `since`, when whoever
    /// asks last knew it. `look` looks at it.
    ///
    /// # Errors
    /// Those of `look`; the next one who waits looks again.
    pub(crate) async fn at<E>(
        &self,
        (session_id, since): (SessionId, Instant),
        look: impl Future<Output = Result<T, E>>,
    ) -> Result<T, E> {
        let last = self.last(session_id);
        // Whoever comes while one looks waits for what that finds.
        let mut last = last.lock().await;
        if let Some((at, found)) = &*last
            && *at >= since
            && at.elapsed() < WAITING_LOOK
        {
            return Ok(found.clone());
        }
        let found = look.await?;
        *last = Some((Instant::now(), found.clone()));
        Ok(found)
    }

    fn last(&self, session_id: SessionId) -> Last<T> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !known.contains_key(&session_id) {
            // Of those that nobody waits for any more nothing is kept.
            known.retain(|_, last| {
                let found = last.try_lock().ok();
                let is_old = |(at, _): &(Instant, T)| at.elapsed() >= WAITING_LOOK;
                found.is_none_or(|found| !found.as_ref().is_none_or(is_old))
            });
        }
        Arc::clone(known.entry(session_id).or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use uuid::Uuid;

    #[tokio::test(start_paused = true)]
    async fn a_thousand_who_wait_cost_one_look_a_second() {
        let (looks, count) = (Looks::default(), AtomicUsize::new(0));
        let waited = SessionId::from_uuid(Uuid::from_u128(1));
        let since = Instant::now();
        let look = |since| {
            let counted = async { Ok::<_, ()>(count.fetch_add(1, Ordering::Relaxed)) };
            looks.at((waited, since), counted)
        };
        for _ in 0..2 {
            futures::future::join_all((0..1_000).map(|_| look(since))).await;
            tokio::time::advance(WAITING_LOOK).await;
        }
        assert_eq!(count.load(Ordering::Relaxed), 2);
        // Who read to its end after a look has to know whether there is more since.
        assert_eq!(look(since).await, Ok(2));
        tokio::time::advance(WAITING_LOOK / 4).await;
        assert_eq!(look(since).await, Ok(2));
        assert_eq!(look(Instant::now()).await, Ok(3));
        tokio::time::advance(WAITING_LOOK).await;
        // What nobody waits for is forgotten, and a look that fails is made again.
        let other = (SessionId::from_uuid(Uuid::from_u128(2)), since);
        assert_eq!(looks.at(other, async { Err(()) }).await, Err(()));
        assert_eq!(looks.0.lock().unwrap().len(), 1);
        assert_eq!(looks.at(other, async { Ok::<_, ()>(7) }).await, Ok(7));
    }
}
