//! The bus within one process.
//!
//! What it is: an [`api::bus::Bus`] over one mailbox a subscriber.
//! What it owns: how far a slow subscriber may lag.
//! What it never does: wait for a subscriber, keep events, reach another process.
//! Where to start: [`LocalBus`].

mod mailbox;

use api::bus::{Bus, Delivery, SubjectPattern};
use domain::event::Event;
use domain::limits::EVENT_BACKLOG;
use futures::StreamExt;
use futures::stream::{self, BoxStream};
use mailbox::Mailbox;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// Hands events to the subscribers of this process. A subscriber that is [`EVENT_BACKLOG`] events
/// of its subjects behind is told how many it missed.
#[derive(Debug, Default)]
pub struct LocalBus {
    mailboxes: Mutex<Vec<Weak<Mailbox>>>,
}

impl LocalBus {
    /// A bus without subscribers.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    fn mailboxes(&self) -> MutexGuard<'_, Vec<Weak<Mailbox>>> {
        // The list is whole at every step: a panic elsewhere leaves nothing half done.
        self.mailboxes
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl Bus for LocalBus {
    fn publish(&self, event: Arc<Event>) {
        let mut mailboxes = self.mailboxes();
        if mailboxes.is_empty() {
            return;
        }
        let subject = event.body.subject();
        // The list is held until every mailbox has the event, so that all see the same order.
        mailboxes.retain(|mailbox| {
            let Some(mailbox) = mailbox.upgrade() else {
                return false;
            };
            mailbox.offer(&subject, &event);
            true
        });
    }

    fn subscribe(&self, patterns: Vec<SubjectPattern>) -> BoxStream<'static, Delivery> {
        let mailbox = Arc::new(Mailbox::new(patterns, EVENT_BACKLOG));
        self.mailboxes().push(Arc::downgrade(&mailbox));
        stream::unfold(mailbox, |mailbox| async move {
            let delivery = mailbox.take().await?;
            Some((delivery, mailbox))
        })
        .boxed()
    }
}

impl Drop for LocalBus {
    fn drop(&mut self) {
        for mailbox in self.mailboxes().drain(..) {
            if let Some(mailbox) = mailbox.upgrade() {
                mailbox.close();
            }
        }
    }
}
