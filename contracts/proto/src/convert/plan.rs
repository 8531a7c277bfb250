//! Plans and reports.

use super::{InvalidField, WireEnum, each, wire_enum};
use crate::generated as proto;
use domain::plan::{Action, Plan};
use domain::report::{Report, ReportSource, ReportStatus, ResultQuality};

wire_enum!(
    ReportStatus,
    proto::report::Status {
        Success,
        Partial,
        Failed
    }
);
wire_enum!(
    ResultQuality,
    proto::report::Quality {
        Verified,
        Inferred,
        Uncertain
    }
);
wire_enum!(
    ReportSource,
    proto::report::Source {
        ToolOutput,
        ModelKnowledge,
        Web
    }
);

/// Pairs each action with its message of the same fields.
macro_rules! actions {
    ($($action:ident { $($field:ident),* })*) => {
        impl From<Action> for proto::PlanAction {
            fn from(action: Action) -> Self {
                use proto::plan_action as wire;
                let kind = match action {
                    $(Action::$action { $($field),* } => {
                        wire::Kind::$action(wire::$action { $($field),* })
                    })*
                };
                Self { kind: Some(kind) }
            }
        }

        impl TryFrom<proto::PlanAction> for Action {
            type Error = InvalidField;

            fn try_from(wire: proto::PlanAction) -> Result<Self, InvalidField> {
                use proto::plan_action as wire;
                match wire.kind.ok_or_else(|| InvalidField::missing("kind"))? {
                    $(wire::Kind::$action(wire::$action { $($field),* }) => {
                        Ok(Self::$action { $($field),* })
                    })*
                }
            }
        }
    };
}

actions! {
    ListFiles { path }
    Tree { path, depth }
    ReadFile { path }
    Head { path, lines }
    Tail { path, lines }
    Excerpt { path, from_line, lines }
    FindFiles { pattern, path }
    SearchText { query, path }
    CountLines { path }
    FileSizes { path }
    CompareFiles { left, right }
    CreateFile { path, content }
    AppendText { path, content }
    ReplaceText { path, old, new }
    MakeDir { path }
    MoveFile { from, to }
    DeleteFile { path }
    Undo {}
    Remember { text }
    Recall { query }
    WebSearch { query }
    Answer { question }
}

impl From<Plan> for proto::Plan {
    fn from(plan: Plan) -> Self {
        Self {
            intent: plan.intent,
            actions: plan.actions.into_iter().map(Into::into).collect(),
        }
    }
}

impl TryFrom<proto::Plan> for Plan {
    type Error = InvalidField;

    fn try_from(wire: proto::Plan) -> Result<Self, InvalidField> {
        Ok(Self {
            intent: wire.intent,
            actions: each(wire.actions, "actions")?,
        })
    }
}

impl From<Report> for proto::Report {
    fn from(report: Report) -> Self {
        Self {
            status: report.status.to_wire(),
            summary: report.summary,
            artifacts: report.artifacts,
            result_quality: report.result_quality.to_wire(),
            source: report.source.to_wire(),
            new_memory_candidates: report.new_memory_candidates,
            failure_reason: report.failure_reason,
        }
    }
}

impl TryFrom<proto::Report> for Report {
    type Error = InvalidField;

    fn try_from(wire: proto::Report) -> Result<Self, InvalidField> {
        Ok(Self {
            status: WireEnum::from_wire(wire.status, "status")?,
            summary: wire.summary,
            artifacts: wire.artifacts,
            result_quality: WireEnum::from_wire(wire.result_quality, "result_quality")?,
            source: WireEnum::from_wire(wire.source, "source")?,
            new_memory_candidates: wire.new_memory_candidates,
            failure_reason: wire.failure_reason,
        })
    }
}
