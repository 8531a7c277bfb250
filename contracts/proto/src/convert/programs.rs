//! The programs of a session.

use super::{InvalidField, each, optional, required, text};
use crate::generated as proto;
use crate::generated::program_id as wire;
use api::programs::{Program, ProgramId, ProgramOutput, ProgramState, Programs, StreamText};
use std::time::Duration;

impl From<ProgramId> for proto::ProgramId {
    fn from(id: ProgramId) -> Self {
        let program = match id {
            ProgramId::Call(call_id) => wire::Program::CallId(call_id.to_string()),
            ProgramId::Job(name) => wire::Program::Job(name),
        };
        Self {
            program: Some(program),
        }
    }
}

impl TryFrom<proto::ProgramId> for ProgramId {
    type Error = InvalidField;

    fn try_from(wire: proto::ProgramId) -> Result<Self, InvalidField> {
        match wire.program {
            Some(wire::Program::CallId(id)) => text(&id, "call_id").map(Self::Call),
            Some(wire::Program::Job(name)) => Ok(Self::Job(name)),
            None => Err(InvalidField::missing("program")),
        }
    }
}

/// Of which programs is asked, on the wire.
#[must_use]
pub fn wire_wanted(wanted: Programs) -> Option<proto::ProgramId> {
    match wanted {
        Programs::All => None,
        Programs::One(id) => Some(id.into()),
    }
}

/// Of which programs is asked.
///
/// # Errors
/// [`InvalidField`] when it cannot be understood.
pub fn wanted(wire: Option<proto::ProgramId>) -> Result<Programs, InvalidField> {
    let one = optional(wire, "program")?;
    Ok(one.map_or(Programs::All, Programs::One))
}

impl From<Vec<Program>> for proto::ProgramsResponse {
    fn from(programs: Vec<Program>) -> Self {
        Self {
            programs: programs.into_iter().map(Into::into).collect(),
        }
    }
}

impl TryFrom<proto::ProgramsResponse> for Vec<Program> {
    type Error = InvalidField;

    fn try_from(wire: proto::ProgramsResponse) -> Result<Self, InvalidField> {
        each(wire.programs, "programs")
    }
}

impl From<Program> for proto::Program {
    fn from(program: Program) -> Self {
        Self {
            id: Some(program.id.into()),
            command: program.command,
            ended: match program.state {
                ProgramState::Running => None,
                ProgramState::Ended(how) => Some(how),
            },
            age_ms: u64::try_from(program.age.as_millis()).unwrap_or(u64::MAX),
            output: program.output.map(Into::into),
        }
    }
}

impl TryFrom<proto::Program> for Program {
    type Error = InvalidField;

    fn try_from(wire: proto::Program) -> Result<Self, InvalidField> {
        Ok(Self {
            id: required(wire.id, "id")?,
            command: wire.command,
            state: wire
                .ended
                .map_or(ProgramState::Running, ProgramState::Ended),
            age: Duration::from_millis(wire.age_ms),
            output: optional(wire.output, "output")?,
        })
    }
}

impl From<ProgramOutput> for proto::ProgramOutput {
    fn from(output: ProgramOutput) -> Self {
        Self {
            stdout: Some(output.stdout.into()),
            stderr: Some(output.stderr.into()),
        }
    }
}

impl TryFrom<proto::ProgramOutput> for ProgramOutput {
    type Error = InvalidField;

    fn try_from(wire: proto::ProgramOutput) -> Result<Self, InvalidField> {
        Ok(Self {
            stdout: required(wire.stdout, "stdout")?,
            stderr: required(wire.stderr, "stderr")?,
        })
    }
}

impl From<StreamText> for proto::StreamText {
    fn from(stream: StreamText) -> Self {
        Self {
            text: stream.text,
            is_cut: stream.is_cut,
            said_bytes: stream.said_bytes,
        }
    }
}

impl TryFrom<proto::StreamText> for StreamText {
    type Error = InvalidField;

    fn try_from(wire: proto::StreamText) -> Result<Self, InvalidField> {
        Ok(Self {
            text: wire.text,
            is_cut: wire.is_cut,
            said_bytes: wire.said_bytes,
        })
    }
}
