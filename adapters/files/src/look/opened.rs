//! What a look comes to: its result, or what the sandbox has to read first.

use crate::look::outline::Collected;
use domain::tool::ToolOutput;

/// What a look came to.
#[derive(Debug)]
pub(crate) enum Opened {
    /// To its result.
    Done(ToolOutput),
    /// To a whole document, to be read in the sandbox.
    Closed {
        format: &'static str,
        bytes: Vec<u8>,
        shown: String,
    },
    /// To source files, to be read there as well.
    Sources(Collected),
}
