//! The programs of a session over the wire and back.

use crate::round_trip::comes_back;
use crate::samples::{Seed, seeds};
use api::programs::{Program, ProgramId, ProgramOutput, ProgramState, Programs, StreamText};
use domain::id::CallId;
use proptest::prelude::*;
use proto::convert::programs::{wanted, wire_wanted};
use std::time::Duration;

fn program_ids(seed: &Seed) -> [ProgramId; 2] {
    [
        ProgramId::Call(CallId::from_uuid(seed.uuid())),
        ProgramId::Job(seed.text.clone()),
    ]
}

fn program(seed: &Seed, id: ProgramId) -> Program {
    let stream = |text: &str| StreamText {
        text: text.to_owned(),
        is_cut: seed.flag,
        said_bytes: seed.number,
    };
    Program {
        id,
        command: seed.text.clone(),
        state: match seed.flag {
            true => ProgramState::Running,
            false => ProgramState::Ended(seed.text.clone()),
        },
        age: Duration::from_millis(seed.number),
        output: seed.flag.then(|| ProgramOutput {
            stdout: stream(&seed.text),
            stderr: stream("ä"),
        }),
    }
}

proptest! {
    #[test]
    fn programs_come_back(seed in seeds()) {
        for id in program_ids(&seed) {
            comes_back::<_, proto::Program>(program(&seed, id.clone()));
            let one = Programs::One(id);
            prop_assert_eq!(wanted(wire_wanted(one.clone())).unwrap(), one);
        }
        prop_assert_eq!(wanted(wire_wanted(Programs::All)).unwrap(), Programs::All);
    }
}

#[test]
fn a_program_without_a_name_is_refused() {
    let error = wanted(Some(proto::ProgramId { program: None })).unwrap_err();
    assert_eq!(error.field, "program.program");
}
