//! Calls that their callers run, and what came of them, over the wire and back.

use crate::round_trip::comes_back;
use crate::samples::{Seed, seeds};
use api::broker::OwnCall;
use api::executor::{FailureKind, ToolFailure, Words};
use domain::tool::{ResultField, ToolName, ToolOutput};
use proptest::prelude::*;
use proto::convert::own_calls::{outcome, wire_outcome};
use std::collections::BTreeMap;
use std::path::PathBuf;

pub(crate) fn own_call(seed: &Seed) -> OwnCall {
    OwnCall {
        tool: ToolName::new("spawn_agent").unwrap(),
        arguments: seed.json.clone(),
        targets: BTreeMap::from([(seed.text.clone(), PathBuf::from(&seed.text))]),
    }
}

fn outcomes(seed: &Seed) -> Vec<Result<ToolOutput, ToolFailure>> {
    let output = ToolOutput {
        data: seed.json.clone(),
        text: seed.text.clone(),
        origin: seed.text.clone(),
        artifacts: vec![seed.text.clone()],
        labels: vec![ResultField {
            path: seed.text.clone(),
            label: seed.label(),
            format: None,
        }],
    };
    use FailureKind::{Broken, Mendable, Refused, Timeout};
    let failure = |kind| ToolFailure {
        kind,
        rule: seed.text.clone().into(),
        message: seed.text.clone(),
        words: if seed.flag { Words::Met } else { Words::Own },
    };
    let failures = [Broken, Mendable, Refused, Timeout].map(|kind| Err(failure(kind)));
    std::iter::once(Ok(output)).chain(failures).collect()
}

proptest! {
    #[test]
    fn what_the_caller_runs_and_reports_comes_back(seed in seeds()) {
        comes_back::<OwnCall, proto::OwnCall>(own_call(&seed));
        for reported in outcomes(&seed) {
            let wire = wire_outcome(reported.clone());
            prop_assert_eq!(outcome(Some(wire)).unwrap(), reported);
        }
    }
}

#[test]
fn a_report_of_nothing_is_named() {
    assert_eq!(outcome(None).unwrap_err().field, "outcome");
}
