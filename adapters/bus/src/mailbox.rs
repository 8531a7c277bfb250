//! What waits for one subscriber: its events in order, and how many were left out between them.

use api::bus::{Delivery, SubjectPattern};
use domain::event::Event;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;

/// The waiting deliveries of one subscriber, bounded.
#[derive(Debug)]
pub(crate) struct Mailbox {
    patterns: Vec<SubjectPattern>,
    /// Most deliveries that wait, besides a last one that counts what was missed.
    backlog: usize,
    waiting: Mutex<Waiting>,
    /// Signalled when something came or the bus ended. There is one reader.
    came: Notify,
}

#[derive(Debug, Default)]
struct Waiting {
    deliveries: VecDeque<Delivery>,
    is_closed: bool,
}

impl Mailbox {
    pub(crate) fn new(patterns: Vec<SubjectPattern>, backlog: usize) -> Self {
        Self {
            patterns,
            backlog,
            waiting: Mutex::default(),
            came: Notify::new(),
        }
    }

    /// Takes the event in if it is wanted. Where there is no room it is counted instead.
    pub(crate) fn offer(&self, subject: &str, event: &Arc<Event>) {
        let is_wanted = |pattern: &SubjectPattern| pattern.matches(subject);
        if !self.patterns.iter().any(is_wanted) {
            return;
        }
        {
            let deliveries = &mut self.waiting().deliveries;
            if deliveries.len() < self.backlog {
                deliveries.push_back(Delivery::Event(Arc::clone(event)));
            } else if let Some(Delivery::Missed { count }) = deliveries.back_mut() {
                *count += 1;
            } else {
                deliveries.push_back(Delivery::Missed { count: 1 });
            }
        }
        self.came.notify_one();
    }

    /// Nothing more will come; what waits can still be taken.
    pub(crate) fn close(&self) {
        self.waiting().is_closed = true;
        self.came.notify_one();
    }

    /// The next delivery; `None` when the bus has ended and nothing waits.
    pub(crate) async fn take(&self) -> Option<Delivery> {
        loop {
            {
                let mut waiting = self.waiting();
                if let Some(next) = waiting.deliveries.pop_front() {
                    return Some(next);
                }
                if waiting.is_closed {
                    return None;
                }
            }
            // A signal given before this line is kept for it.
            self.came.notified().await;
        }
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        // Each change is one push or pop: a panic elsewhere leaves nothing half done.
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
