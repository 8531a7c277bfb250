//! The conversation over lines: read, judge, answer.

use crate::guard::{Guard, Problem, Rules};
use crate::wire::{Answer, Refusal, Request};
use domain::Timestamp;
use domain::decision::{Decision, Finding, Layer, Verdict};
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
    let mut state = State::Idle;
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
        match serde_json::from_slice::<Request>(&line) {
            Ok(request) => take(rules, request, &mut state, &mut output, &clock)?,
            Err(error) => {
                state = State::Broken(format!("a line could not be read: {error}"));
                let error = format!(
                    "this line is no request: {error}. Requests are begin, say, check, observe and \
                     end, one JSON object a line"
                );
                put(&mut output, &Refusal { error })?;
            }
        }
    }
}

/// Where the conversation stands.
enum State {
    Idle,
    Open(Box<Guard>),
    /// Something was said that was not understood.
    Broken(String),
}

fn take(
    rules: &Rules,
    request: Request,
    state: &mut State,
    output: &mut impl Write,
    clock: &impl Fn() -> Timestamp,
) -> Result<(), ServeError> {
    match request {
        Request::Begin {
            prompt,
            tools,
            plan,
        } => match Guard::begin(rules, &prompt, &tools, plan) {
            Ok(guard) => *state = State::Open(Box::new(guard)),
            Err(problem) => {
                put(
                    output,
                    &Refusal {
                        error: problem.to_string(),
                    },
                )?;
                *state = State::Broken(problem.to_string());
            }
        },
        Request::Check { id, tool, args } => {
            let decision = match state {
                State::Open(guard) => match &args.twice {
                    Some(key) => ambiguous(key),
                    None => guard.check(id, &tool, &args.value, clock()),
                },
                State::Idle => unjudged(&Problem::NotBegun.to_string()),
                State::Broken(why) => unjudged(why),
            };
            put(output, &Answer::of(id, decision))?;
        }
        Request::Say { text } => match state {
            State::Open(guard) => guard.say(&text),
            State::Idle => put(
                output,
                &Refusal {
                    error: Problem::NotBegun.to_string(),
                },
            )?,
            State::Broken(_) => {}
        },
        Request::Observe { id, tool, result } => match state {
            State::Open(guard) => guard.observe(id, &tool, result),
            State::Idle => put(
                output,
                &Refusal {
                    error: Problem::NotBegun.to_string(),
                },
            )?,
            State::Broken(_) => {}
        },
        Request::End => *state = State::Idle,
    }
    Ok(())
}

fn ambiguous(key: &str) -> Decision {
    Decision::strictest(vec![Finding {
        layer: Layer::Schema,
        verdict: Verdict::Deny,
        rule: "duplicate_key".to_owned(),
        model_reason: "An argument is given twice. Give each once.".to_owned(),
        user_reason: format!("`{key}` stands in the arguments twice: which of the two counts?"),
    }])
}

fn unjudged(why: &str) -> Decision {
    Decision::strictest(vec![Finding {
        layer: Layer::Integrity,
        verdict: Verdict::Deny,
        rule: "not_judged".to_owned(),
        model_reason: "The call could not be judged, so it was refused.".to_owned(),
        user_reason: format!("Refused, because {why}."),
    }])
}

fn put(output: &mut impl Write, answer: &impl Serialize) -> Result<(), ServeError> {
    serde_json::to_writer(&mut *output, answer).map_err(io::Error::from)?;
    output.write_all(b"\n")?;
    output.flush()?;
    Ok(())
}
