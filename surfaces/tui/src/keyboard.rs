//! What is pressed and pasted.

use crossterm::event::Event;
use std::io;
use std::time::Instant;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

/// Something that came from the terminal, and when.
pub type Pressed = (Instant, io::Result<Event>);

/// The reader of the terminal: one for the process, since two would take keys from one another.
#[derive(Debug, Default)]
pub struct Keyboard(Option<UnboundedReceiver<Pressed>>);

impl Keyboard {
    /// The next, once it comes.
    pub async fn next(&mut self) -> Option<Pressed> {
        self.0.get_or_insert_with(begin).recv().await
    }

    /// The next, if it is there already.
    pub fn now(&mut self) -> Option<Pressed> {
        self.0.as_mut()?.try_recv().ok()
    }
}

/// Reads on a thread of its own: reading blocks until something comes.
fn begin() -> UnboundedReceiver<Pressed> {
    let (sender, keys) = unbounded_channel();
    std::thread::spawn(move || {
        loop {
            let read = crossterm::event::read();
            let is_over = read.is_err();
            if sender.send((Instant::now(), read)).is_err() || is_over {
                return;
            }
        }
    });
    keys
}
