//! What comes of working on what is due.

use api::sessions::{Compared, Grade, SecondAnswer};
use domain::fault::Fault;
use quality::Case;

/// What came of it.
#[derive(Debug)]
pub(super) enum Outcome {
    /// A grade of this answer.
    Graded(Box<Case>, Grade),
    /// A second answer. It is not compared yet.
    Answered(SecondAnswer),
    /// Both answers, compared.
    Compared(Compared),
    /// Nothing, and the user is told why.
    Missed(Fault),
    /// Nothing, and nobody asked for it.
    Nothing,
}
