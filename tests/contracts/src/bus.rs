//! A bus that remembers everything that was published.

use api::bus::{Bus, Delivery, SubjectPattern};
use domain::event::Event;
use futures::StreamExt;
use futures::stream::{BoxStream, unfold};
use std::sync::{Arc, Mutex};
use tokio::sync::mpsc;

type Subscriber = (Vec<SubjectPattern>, mpsc::UnboundedSender<Delivery>);

/// A bus in memory. No subscriber of it ever misses anything, unless a test says so.
#[derive(Debug, Default)]
pub struct FakeBus {
    published: Mutex<Vec<Arc<Event>>>,
    subscribers: Mutex<Vec<Subscriber>>,
}

impl FakeBus {
    /// A bus without subscribers.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Everything published so far, oldest first.
    #[must_use]
    pub fn published(&self) -> Vec<Arc<Event>> {
        self.published.lock().unwrap().clone()
    }

    /// Tells every subscriber that it missed so many events.
    pub fn lose(&self, count: u64) {
        for (_, sender) in self.subscribers.lock().unwrap().iter() {
            // A subscriber that went away misses nothing.
            let _ = sender.send(Delivery::Missed { count });
        }
    }
}

impl Bus for FakeBus {
    fn publish(&self, event: Arc<Event>) {
        self.published.lock().unwrap().push(Arc::clone(&event));
        let subject = event.body.subject();
        self.subscribers.lock().unwrap().retain(|(wanted, sender)| {
            let is_wanted = wanted.iter().any(|pattern| pattern.matches(&subject));
            !is_wanted || sender.send(Delivery::Event(Arc::clone(&event))).is_ok()
        });
    }

    fn subscribe(&self, patterns: Vec<SubjectPattern>) -> BoxStream<'static, Delivery> {
        let (sender, receiver) = mpsc::unbounded_channel();
        self.subscribers.lock().unwrap().push((patterns, sender));
        unfold(receiver, |mut receiver| async move {
            receiver.recv().await.map(|delivery| (delivery, receiver))
        })
        .boxed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bus_suite;

    #[tokio::test]
    async fn the_fake_keeps_every_promise() {
        bus_suite::conformance(|| Arc::new(FakeBus::new())).await;
    }
}
