//! The queue before one provider: requests wait here for their turn, in the order that [`schedule`]
//! decides.

use domain::model::Priority;
use schedule::{Ahead, Bounds, Ended, Full, Place, Schedule, Start};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::oneshot;
use tokio::time::Instant;

/// How long what a server said of its memory is taken for true while there is a choice.
const STALE: Duration = Duration::from_secs(10);

/// One provider's queue.
#[derive(Debug)]
pub(crate) struct Queue {
    state: Mutex<State>,
    opened: Instant,
}

#[derive(Debug)]
struct State {
    schedule: Schedule,
    turns: HashMap<Place, oneshot::Sender<Start>>,
    /// When the server was last asked what it has in memory.
    looked: Option<Instant>,
}

impl State {
    /// Starts every request that may start now.
    fn start(&mut self, now: Duration) {
        while let Some(start) = self.schedule.next(now) {
            // One whose caller has just gone frees its place with its `Slot`.
            let _gone = self
                .turns
                .remove(&start.place)
                .map(|turn| turn.send(start).is_err());
        }
    }
}

impl Queue {
    pub(crate) fn new(bounds: Bounds) -> Arc<Self> {
        Arc::new(Self {
            state: Mutex::new(State {
                schedule: Schedule::new(bounds),
                turns: HashMap::new(),
                looked: None,
            }),
            opened: Instant::now(),
        })
    }

    /// A request arrives. It holds its place until what is returned is dropped.
    ///
    /// # Errors
    /// [`Full`].
    pub(crate) fn join(self: &Arc<Self>, model: &str, priority: Priority) -> Result<Waiting, Full> {
        let mut state = self.state();
        let place = state.schedule.arrive(model, priority)?;
        let (turn, comes) = oneshot::channel();
        state.turns.insert(place, turn);
        state.start(self.now());
        drop(state);
        Ok(Waiting {
            turn: comes,
            slot: Slot {
                queue: Arc::clone(self),
                place,
                ended: Ended::Failed,
            },
        })
    }

    /// Whether it is worth asking the server which models it has in memory: it has been a while,
    /// and what runs next depends on it. Says so once.
    pub(crate) fn should_look(&self) -> bool {
        let mut state = self.state();
        let is_stale = state.looked.is_none_or(|when| when.elapsed() >= STALE);
        let worth_it = is_stale && state.schedule.has_choice();
        if worth_it {
            state.looked = Some(Instant::now());
        }
        worth_it
    }

    /// The server said which models it has in memory.
    pub(crate) fn says_loaded(&self, models: Vec<String>) {
        let mut state = self.state();
        state.looked = Some(Instant::now());
        state.schedule.says_loaded(models);
        state.start(self.now());
    }

    fn now(&self) -> Duration {
        self.opened.elapsed()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A request that waits for its turn. Dropping it gives the place up.
#[derive(Debug)]
pub(crate) struct Waiting {
    turn: oneshot::Receiver<Start>,
    slot: Slot,
}

impl Waiting {
    /// Waits for the turn; whether the model has to be loaded, as far as is known. Losing the race
    /// against another future loses nothing.
    pub(crate) async fn turn(&mut self) -> bool {
        // The sender lives as long as the place does, and the place as long as `self`.
        (&mut self.turn).await.is_ok_and(|start| start.swaps)
    }

    /// What is before it.
    pub(crate) fn ahead(&self) -> Option<Ahead> {
        self.slot.queue.state().schedule.ahead(self.slot.place)
    }

    /// What holds the place from now on.
    pub(crate) fn into_slot(self) -> Slot {
        self.slot
    }
}

/// A place in a queue, waiting or running. Dropping it frees the place.
#[derive(Debug)]
pub(crate) struct Slot {
    queue: Arc<Queue>,
    place: Place,
    ended: Ended,
}

impl Slot {
    /// The model answers.
    pub(crate) fn answering(&mut self) {
        self.ended = Ended::Answered;
        self.queue.state().schedule.answering(self.place);
    }

    /// Another model is asked than the one that was waited for.
    pub(crate) fn asks_instead(&self, model: &str) {
        let mut state = self.queue.state();
        state.schedule.asks_instead(self.place, model);
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        let mut state = self.queue.state();
        state.turns.remove(&self.place);
        state.schedule.end(self.place, self.ended);
        state.start(self.queue.now());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::FutureExt;

    fn queue(max_parallel: usize) -> Arc<Queue> {
        Queue::new(Bounds::new(max_parallel))
    }

    fn join(queue: &Arc<Queue>, model: &str) -> Waiting {
        queue.join(model, Priority::User).unwrap()
    }

    fn has_turn(waiting: &mut Waiting) -> bool {
        waiting.turn().now_or_never().is_some()
    }

    #[tokio::test]
    async fn a_slot_that_is_dropped_starts_the_next_for_the_same_model() {
        let queue = queue(1);
        let mut first = join(&queue, "a");
        assert!(first.turn().await, "nothing is in memory yet");
        let mut slot = first.into_slot();
        slot.answering();
        let (mut other, mut same) = (join(&queue, "b"), join(&queue, "a"));
        assert!(!has_turn(&mut other) && !has_turn(&mut same));
        drop(slot);
        assert!(!same.turn().await, "its model is in memory");
        assert!(!has_turn(&mut other));
        drop(same);
        assert!(other.turn().await);
    }

    #[tokio::test]
    async fn a_waiting_request_that_is_cancelled_frees_its_place() {
        let queue = queue(1);
        let running = join(&queue, "a");
        let gone = join(&queue, "a");
        let mut last = join(&queue, "a");
        assert_eq!(last.ahead().map(|ahead| ahead.waiting), Some(1));
        drop(gone);
        assert_eq!(last.ahead().map(|ahead| ahead.waiting), Some(0));
        drop(running);
        assert!(has_turn(&mut last));
        assert_eq!(queue.state().turns.len(), 0, "nothing is kept of any");
    }

    #[tokio::test]
    async fn a_turn_that_nobody_takes_any_more_is_passed_on() {
        let queue = queue(1);
        let running = join(&queue, "a");
        let granted = join(&queue, "a");
        let mut last = join(&queue, "a");
        drop(running);
        // It has its turn and never looked.
        drop(granted);
        assert!(has_turn(&mut last));
    }

    #[tokio::test(start_paused = true)]
    async fn the_server_is_asked_only_where_it_matters_and_not_all_the_time() {
        let queue = queue(1);
        let _running = join(&queue, "a");
        let _one = join(&queue, "a");
        assert!(!queue.should_look(), "there is no choice");
        let _other = join(&queue, "b");
        assert!(queue.should_look());
        assert!(!queue.should_look());
        tokio::time::advance(STALE).await;
        assert!(queue.should_look());
    }
}
