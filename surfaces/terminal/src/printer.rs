//! Printing above the prompt while it waits for a line.

use rendering::fit::{prose, width};
use rendering::for_terminal;
use std::sync::{Arc, Mutex, PoisonError};

/// Prints lines while the prompt waits; whether it still can.
type Printer = Box<dyn FnMut(String) -> bool + Send>;

/// A printer that several have.
#[derive(Clone)]
pub struct SharedPrinter(Arc<Mutex<Printer>>);

impl SharedPrinter {
    /// One that prints like this.
    #[must_use]
    pub fn new(print: impl FnMut(String) -> bool + Send + 'static) -> Self {
        Self(Arc::new(Mutex::new(Box::new(print))))
    }

    /// Prints lines, each with its end; whether it could.
    pub fn print(&self, lines: String) -> bool {
        let mut print = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        print(prose(&for_terminal(&lines), width(&std::io::stdout())))
    }
}
