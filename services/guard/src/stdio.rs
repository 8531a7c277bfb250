//! The conversation over lines: read, judge, answer.

use crate::conversation::Conversation;
use crate::guard::Rules;
use crate::wire::{Answer, Refusal, Request};
use api::guard;
use domain::Timestamp;
use serde::Serialize;
use std::io::{self, BufRead, Read, Write};

/// Longest line, bytes.
pub const LINE_BYTES: u64 = 64 << 20;

/// Why serving ended early.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// Input or output is broken.
    #[error("reading or writing failed")]
    Io(#[from] io::Error),
    /// Without the rest of the line nothing after it can be told apart.
    #[error("a line is longer than {LINE_BYTES} bytes; send less at once")]
    LongLine,
}

/// Serves one program until its output ends. `clock` tells the time in UTC.
///
/// A line that cannot be taken is answered with its error. One that would have told the guard
/// something leaves the conversation unjudgeable: every check is denied until the next `begin`.
///
/// # Errors
/// [`ServeError`] when input or output fails.
pub fn serve(
    rules: &Rules,
    mut input: impl BufRead,
    mut output: impl Write,
    clock: impl Fn() -> Timestamp,
) -> Result<(), ServeError> {
    let mut conversation = Conversation::default();
    let mut line = Vec::new();
    loop {
        line.clear();
        let length = (&mut input)
            .take(LINE_BYTES + 1)
            .read_until(b'\n', &mut line)?;
        if length == 0 {
            return Ok(());
        }
        if line.len() as u64 > LINE_BYTES {
            return Err(ServeError::LongLine);
        }
        if line.trim_ascii().is_empty() {
            continue;
        }
        match Request::of_line(&line) {
            Ok(request) => match conversation.take(rules, request, clock()) {
                Some(guard::Answer::Decided { id, decision }) => {
                    put(&mut output, &Answer::of(id, decision))?;
                }
                Some(guard::Answer::Refused { problem: error }) => {
                    put(&mut output, &Refusal { error })?;
                }
                None => {}
            },
            Err(error) => {
                conversation.lose(format!("a line could not be read: {error}"));
                let error = format!(
                    "this line is not a request: {error}. Requests are begin, say, check, observe, \
                     refuse and end, one JSON object a line"
                );
                put(&mut output, &Refusal { error })?;
            }
        }
    }
}

fn put(output: &mut impl Write, answer: &impl Serialize) -> Result<(), ServeError> {
    serde_json::to_writer(&mut *output, answer).map_err(io::Error::from)?;
    output.write_all(b"\n")?;
    output.flush()?;
    Ok(())
}
