//! A simulated model server with room for one model, as Ollama behaves on one graphics card.
//!
//! Requests for the model in memory run side by side. One for another model waits until what runs
//! has ended, and so does everything that was sent after it; then loading takes its time.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

/// A request at the server, by its number in the load.
#[derive(Debug, Clone, Copy)]
struct Sent {
    number: usize,
    model: &'static str,
    takes: Duration,
}

/// The server.
#[derive(Debug)]
pub struct Server {
    swap: Duration,
    loaded: Option<&'static str>,
    /// When each running request ends.
    running: BTreeMap<(Duration, usize), ()>,
    /// Sent and not begun, in order.
    pending: VecDeque<Sent>,
    /// Until when a model is being loaded.
    loading: Duration,
    /// How often a model was loaded.
    pub swaps: usize,
}

impl Server {
    /// A server with nothing in memory, where loading a model takes so long.
    #[must_use]
    pub fn new(swap: Duration) -> Self {
        Self {
            swap,
            loaded: None,
            running: BTreeMap::new(),
            pending: VecDeque::new(),
            loading: Duration::ZERO,
            swaps: 0,
        }
    }

    /// A request arrives at the server.
    pub fn send(&mut self, number: usize, model: &'static str, takes: Duration, now: Duration) {
        self.pending.push_back(Sent {
            number,
            model,
            takes,
        });
        self.begin(now);
    }

    /// The next request to end, and when.
    #[must_use]
    pub fn next_end(&self) -> Option<(Duration, usize)> {
        self.running.keys().next().copied()
    }

    /// The next request ends.
    pub fn end(&mut self) -> Option<(Duration, usize)> {
        let ((at, number), ()) = self.running.pop_first()?;
        self.begin(at);
        Some((at, number))
    }

    /// What is in memory.
    pub fn loaded(&self) -> impl Iterator<Item = String> {
        self.loaded.iter().map(|model| (*model).to_owned())
    }

    /// Begins whatever may begin.
    fn begin(&mut self, now: Duration) {
        while let Some(sent) = self.pending.front().copied() {
            if self.loaded != Some(sent.model) {
                if !self.running.is_empty() {
                    return;
                }
                self.loaded = Some(sent.model);
                self.loading = now + self.swap;
                self.swaps += 1;
            }
            self.pending.pop_front();
            let begins = now.max(self.loading);
            self.running.insert((begins + sent.takes, sent.number), ());
        }
    }
}
