//! Calls that their callers run: what is to be run, and what came of it.

use super::{InvalidField, WireEnum, each, json, name, path, path_bytes, required, wire_enum};
use crate::generated as proto;
use api::broker::OwnCall;
use api::executor::{FailureKind, ToolFailure, Words};
use domain::tool::{ResultField, ToolOutput};

wire_enum!(
    FailureKind,
    proto::tool_failure::Kind {
        Refused,
        Mendable,
        Broken,
        Timeout
    }
);

impl From<OwnCall> for proto::OwnCall {
    fn from(call: OwnCall) -> Self {
        let targets = call.targets.iter();
        Self {
            tool: call.tool.into(),
            arguments_json: call.arguments.to_string(),
            targets: targets
                .map(|(name, path)| (name.clone(), path_bytes(path)))
                .collect(),
        }
    }
}

impl TryFrom<proto::OwnCall> for OwnCall {
    type Error = InvalidField;

    fn try_from(wire: proto::OwnCall) -> Result<Self, InvalidField> {
        let targets = wire.targets.into_iter();
        Ok(Self {
            tool: name(wire.tool, "tool")?,
            arguments: json(&wire.arguments_json, "arguments_json")?,
            targets: targets.map(|(name, bytes)| (name, path(bytes))).collect(),
        })
    }
}

/// What came of a call, on the wire.
#[must_use]
pub fn wire_outcome(
    outcome: Result<ToolOutput, ToolFailure>,
) -> proto::report_call_request::Outcome {
    use proto::report_call_request::Outcome;
    match outcome {
        Ok(output) => Outcome::Output(output.into()),
        Err(failure) => Outcome::Failure(failure.into()),
    }
}

/// What came of a call.
///
/// # Errors
/// [`InvalidField`] when it cannot be understood.
pub fn outcome(
    wire: Option<proto::report_call_request::Outcome>,
) -> Result<Result<ToolOutput, ToolFailure>, InvalidField> {
    use proto::report_call_request::Outcome;
    match wire.ok_or_else(|| InvalidField::missing("outcome"))? {
        Outcome::Output(output) => required(Some(output), "output").map(Ok),
        Outcome::Failure(failure) => required(Some(failure), "failure").map(Err),
    }
}

impl From<ToolOutput> for proto::ToolOutput {
    fn from(output: ToolOutput) -> Self {
        let part = |field: ResultField| proto::tool_output::Part {
            path: field.path,
            label: Some(field.label.into()),
        };
        Self {
            data_json: output.data.to_string(),
            text: output.text,
            origin: output.origin,
            artifacts: output.artifacts,
            labels: output.labels.into_iter().map(part).collect(),
        }
    }
}

impl TryFrom<proto::ToolOutput> for ToolOutput {
    type Error = InvalidField;

    fn try_from(wire: proto::ToolOutput) -> Result<Self, InvalidField> {
        Ok(Self {
            data: json(&wire.data_json, "data_json")?,
            text: wire.text,
            origin: wire.origin,
            artifacts: wire.artifacts,
            labels: each(wire.labels, "labels")?,
        })
    }
}

impl TryFrom<proto::tool_output::Part> for ResultField {
    type Error = InvalidField;

    /// Parts with labels of their own come from stores, which ask no form of them.
    fn try_from(wire: proto::tool_output::Part) -> Result<Self, InvalidField> {
        Ok(Self {
            path: wire.path,
            label: required(wire.label, "label")?,
            format: None,
        })
    }
}

impl From<ToolFailure> for proto::ToolFailure {
    fn from(failure: ToolFailure) -> Self {
        Self {
            kind: failure.kind.to_wire(),
            rule: failure.rule.into_owned(),
            message: failure.message,
            quotes: failure.words == Words::Met,
        }
    }
}

impl TryFrom<proto::ToolFailure> for ToolFailure {
    type Error = InvalidField;

    fn try_from(wire: proto::ToolFailure) -> Result<Self, InvalidField> {
        Ok(Self {
            kind: WireEnum::from_wire(wire.kind, "kind")?,
            rule: wire.rule.into(),
            message: wire.message,
            words: match wire.quotes {
                true => Words::Met,
                false => Words::Own,
            },
        })
    }
}
