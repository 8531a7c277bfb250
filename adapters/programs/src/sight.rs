//! A way to look at a program, from the moment in which it is started.

use api::sandbox::Glance;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::{oneshot, watch};

/// A program that is being started, for whoever watches it.
pub(crate) struct Sight {
    /// What it has said so far.
    pub(crate) look: Glance,
    /// Resolves when it runs, and goes away when it never comes to that.
    pub(crate) began: oneshot::Receiver<()>,
}

impl Sight {
    pub(crate) const fn new(look: Glance, began: oneshot::Receiver<()>) -> Self {
        Self { look, began }
    }
}

/// Keeps a way to look at a program as soon as there is one, and says when the program runs.
pub(crate) fn look_when_it_can(
    looking: oneshot::Receiver<Sight>,
    glance: Arc<Mutex<Option<Glance>>>,
    begun: watch::Sender<bool>,
) {
    tokio::spawn(async move {
        // Nothing comes of a program that did not start.
        let Ok(Sight { look, began }) = looking.await else {
            return;
        };
        *glance.lock().unwrap_or_else(PoisonError::into_inner) = Some(look);
        if began.await.is_ok() {
            begun.send_replace(true);
        }
    });
}
