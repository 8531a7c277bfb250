//! What lasting agents add to events: tasks, summaries, signals.

use super::{InvalidField, WireEnum, each, number, text, wire_enum};
use crate::generated as proto;
use crate::generated::signal as wire;
use domain::context::{CompactionCause, Summary, SummaryKind, SummaryLine};
use domain::drive::{DriveDecision, DriveReason, DriveState, Origin, Presence, Signal};
use domain::task::{Task, TaskStatus};

wire_enum!(Origin, proto::Origin { User, Drive });
wire_enum!(
    TaskStatus,
    proto::TaskStatus {
        Waiting,
        Running,
        Done,
        Failed,
        Skipped
    }
);
wire_enum!(
    CompactionCause,
    proto::CompactionCause {
        Trimmed,
        Journal,
        Summary,
        Overflow
    }
);
wire_enum!(
    SummaryKind,
    proto::summary::Kind {
        Decision,
        Artifact,
        OpenQuestion,
        Constraint
    }
);
wire_enum!(
    DriveState,
    proto::DrivePhase {
        Engaged,
        Working,
        Foraging,
        Resting,
        Stored,
        Dreaming,
        Quiet
    }
);
wire_enum!(
    DriveReason,
    proto::DriveReason {
        Began,
        Ended,
        UserSpoke,
        ToolsUsed,
        NoTools,
        Yielded,
        Stored,
        Stopped,
        Failed,
        BackingOff,
        Momentum,
        SignalsCame,
        NothingNew,
        TimeToDream,
        Dreamt,
        TurnsUsed,
        BudgetUsed,
        QuietBegan,
        QuietEnded
    }
);
wire_enum!(
    Presence,
    wire::Presence {
        Active,
        Idle,
        Locked
    }
);

impl From<DriveDecision> for proto::event::DriveState {
    fn from(decision: DriveDecision) -> Self {
        Self {
            state: decision.state.to_wire(),
            reason: decision.reason,
            cause: decision.cause.map(WireEnum::to_wire),
        }
    }
}

impl TryFrom<proto::event::DriveState> for DriveDecision {
    type Error = InvalidField;

    fn try_from(wire: proto::event::DriveState) -> Result<Self, InvalidField> {
        let cause = wire.cause.map(|cause| WireEnum::from_wire(cause, "cause"));
        Ok(Self::recorded(
            WireEnum::from_wire(wire.state, "state")?,
            cause.transpose()?,
            wire.reason,
        ))
    }
}

impl From<Task> for proto::Task {
    fn from(task: Task) -> Self {
        Self {
            id: task.id,
            agent_type: task.agent_type,
            goal: task.goal,
            inputs: task.inputs,
            depends_on: task.depends_on,
            expected_artifacts: task.expected_artifacts,
        }
    }
}

impl TryFrom<proto::Task> for Task {
    type Error = InvalidField;

    fn try_from(wire: proto::Task) -> Result<Self, InvalidField> {
        Ok(Self {
            id: wire.id,
            agent_type: wire.agent_type,
            goal: wire.goal,
            inputs: wire.inputs,
            depends_on: wire.depends_on,
            expected_artifacts: wire.expected_artifacts,
        })
    }
}

impl From<SummaryLine> for proto::summary::Line {
    fn from(line: SummaryLine) -> Self {
        Self {
            kind: line.kind.to_wire(),
            text: line.text,
            cites: line.cites,
        }
    }
}

impl TryFrom<proto::summary::Line> for SummaryLine {
    type Error = InvalidField;

    fn try_from(wire: proto::summary::Line) -> Result<Self, InvalidField> {
        Ok(Self {
            kind: WireEnum::from_wire(wire.kind, "kind")?,
            text: wire.text,
            cites: wire.cites,
        })
    }
}

impl From<Summary> for proto::Summary {
    fn from(summary: Summary) -> Self {
        Self {
            lines: summary.lines.into_iter().map(Into::into).collect(),
        }
    }
}

impl TryFrom<proto::Summary> for Summary {
    type Error = InvalidField;

    fn try_from(wire: proto::Summary) -> Result<Self, InvalidField> {
        Ok(Self {
            lines: each(wire.lines, "lines")?,
        })
    }
}

impl From<Signal> for proto::Signal {
    fn from(signal: Signal) -> Self {
        let kind = match signal {
            Signal::FilesChanged { paths, count } => {
                wire::Kind::FilesChanged(wire::FilesChanged { paths, count })
            }
            Signal::JobFinished {
                name,
                succeeded,
                summary,
            } => wire::Kind::JobFinished(wire::JobFinished {
                name,
                succeeded,
                summary,
            }),
            Signal::Timer { note } => wire::Kind::Timer(wire::Timer { note }),
            Signal::Feedback { query_id, score } => wire::Kind::Feedback(wire::Feedback {
                query_id: query_id.to_string(),
                score: score.into(),
            }),
            Signal::Graded { query_id, score } => wire::Kind::Graded(wire::Graded {
                query_id: query_id.to_string(),
                score: score.into(),
            }),
            Signal::Message { channel, text } => {
                wire::Kind::Message(wire::Message { channel, text })
            }
            Signal::Presence { presence } => wire::Kind::Presence(wire::PresenceChanged {
                presence: presence.to_wire(),
            }),
        };
        Self { kind: Some(kind) }
    }
}

impl TryFrom<proto::Signal> for Signal {
    type Error = InvalidField;

    fn try_from(signal: proto::Signal) -> Result<Self, InvalidField> {
        let kind = signal.kind.ok_or_else(|| InvalidField::missing("kind"))?;
        Ok(match kind {
            wire::Kind::FilesChanged(changed) => Self::FilesChanged {
                paths: changed.paths,
                count: changed.count,
            },
            wire::Kind::JobFinished(job) => Self::JobFinished {
                name: job.name,
                succeeded: job.succeeded,
                summary: job.summary,
            },
            wire::Kind::Timer(timer) => Self::Timer { note: timer.note },
            wire::Kind::Feedback(feedback) => Self::Feedback {
                query_id: text(&feedback.query_id, "feedback.query_id")?,
                score: number(feedback.score, "feedback.score")?,
            },
            wire::Kind::Graded(graded) => Self::Graded {
                query_id: text(&graded.query_id, "graded.query_id")?,
                score: number(graded.score, "graded.score")?,
            },
            wire::Kind::Message(message) => Self::Message {
                channel: message.channel,
                text: message.text,
            },
            wire::Kind::Presence(changed) => Self::Presence {
                presence: WireEnum::from_wire(changed.presence, "presence.presence")?,
            },
        })
    }
}
