//! The inside of the sandbox: our own program, started once more.
//!
//! Two processes of it stand between Housecarl and the program that was asked for. The *warden*
//! makes the namespaces, waits for the end, and kills everything when Housecarl goes away. The
//! *porter* is the first process in the new namespaces: it builds the view of the file system, takes
//! its own rights away, starts the program, and buries what the program leaves behind. Both are
//! single-threaded, so that what one thread gives up the whole process gives up.

mod fence;
mod filter;
mod porter;
mod rights;
mod view;
mod warden;

pub use crate::config::ENTRY;

use crate::wire::{Event, Spec, Told};
use api::sandbox::Refusal;
use std::fmt::Display;
use std::io;

/// The argument of the porter, before the number of the descriptor that holds its job.
const PORTER: &str = "porter";

/// Becomes the inside. To be called before any thread is started, when the first argument is
/// [`ENTRY`]; returns the exit code.
#[must_use]
pub fn enter() -> i32 {
    let mut arguments = std::env::args().skip_while(|a| a != PORTER).skip(1);
    let done = match arguments.next() {
        Some(number) => porter::run(&number),
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

/// The socket to the outside, which both processes have as their standard input.
#[derive(Debug, Clone, Copy)]
struct Control;

impl io::Write for Control {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Ok(rustix::io::write(rustix::stdio::stdin(), bytes)?)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl io::Read for Control {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        Ok(rustix::io::read(rustix::stdio::stdin(), bytes)?)
    }
}

/// A step that must not fail did.
fn broken(step: &str, error: impl Display) -> Refusal {
    Refusal::Broken(format!("{step}: {error}"))
}

/// What has been put in force so far.
#[derive(Debug)]
struct Ledger(Vec<Told>);

impl Ledger {
    fn of(spec: &Spec) -> Self {
        Self(spec.given.clone())
    }

    fn note<E: Display>(&mut self, name: &str, detail: &str, done: Result<(), E>) {
        self.0.push(Told {
            name: name.to_owned(),
            detail: detail.to_owned(),
            missing: done.err().map(|error| error.to_string()),
        });
    }

    fn has(&self, name: &str) -> bool {
        self.0
            .iter()
            .any(|told| told.name == name && told.missing.is_none())
    }
}
