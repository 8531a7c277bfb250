//! The inside of the sandbox: our own program, started once more.
//!
//! Two processes of it stand between Housecarl and the program that was asked for. The *warden*
//! makes the namespaces, waits for the end, and kills everything when Housecarl goes away. The
//! *porter* is the first process in the new namespaces: it builds the view of the file system, takes
//! its own rights away, starts the program, and buries what the program leaves behind. Both are
//! single-threaded, so that what one thread gives up the whole process gives up.

mod control;
mod covers;
mod fence;
mod filter;
mod ledger;
mod porter;
mod rights;
mod still;
mod view;
mod warden;

pub use crate::config::ENTRY;

use crate::wire::Event;
use control::{Control, PORTER};

/// Becomes the inside. To be called before any thread is started, when the first argument is
/// [`ENTRY`]; returns the exit code.
#[must_use]
pub fn enter() -> i32 {
    let mut arguments = std::env::args_os()
        .skip_while(|argument| argument != PORTER)
        .skip(1);
    let done = match arguments.next() {
        Some(number) => porter::run(&number.to_string_lossy()),
        None => warden::run(),
    };
    match done {
        Ok(code) => code,
        Err(refusal) => {
            // With nobody at the other end there is nobody to tell.
            let _told = Event::of(refusal).send(Control);
            1
        }
    }
}
