//! Events of a session. One function each way a family of events, so that each stays readable.

use super::broker::{answered, percent, wire_answered};
use super::{
    InvalidField, WireEnum, each, json, name, number, optional, optional_text, required, text,
    time, wire_enum, wire_time,
};
use crate::generated as proto;
use crate::generated::event as wire;
use crate::generated::event::Body;
use domain::event::{Event, EventBody, QueryStatus, ToolCallSummary};
use domain::id::SessionId;
use domain::tool::Edited;

wire_enum!(
    QueryStatus,
    proto::QueryStatus {
        Success,
        Partial,
        Failed,
        Denied,
        Interrupted
    }
);

impl From<ToolCallSummary> for proto::ToolCallSummary {
    fn from(summary: ToolCallSummary) -> Self {
        Self {
            call_id: summary.call_id.to_string(),
            tool: summary.tool,
            args_json: summary.args.to_string(),
            decision: summary.decision.to_wire(),
            layer: summary.layer.to_wire(),
            status: summary.status.to_wire(),
            duration_ms: summary.duration_ms,
            exit_code: summary.exit_code,
        }
    }
}

impl TryFrom<proto::ToolCallSummary> for ToolCallSummary {
    type Error = InvalidField;

    fn try_from(wire: proto::ToolCallSummary) -> Result<Self, InvalidField> {
        Ok(Self {
            call_id: text(&wire.call_id, "call_id")?,
            tool: wire.tool,
            args: json(&wire.args_json, "args_json")?,
            decision: WireEnum::from_wire(wire.decision, "decision")?,
            layer: WireEnum::from_wire(wire.layer, "layer")?,
            status: WireEnum::from_wire(wire.status, "status")?,
            duration_ms: wire.duration_ms,
            exit_code: wire.exit_code,
        })
    }
}

impl From<Edited> for wire::Edited {
    fn from(edited: Edited) -> Self {
        Self {
            places: edited.places,
            first_line: edited.first_line,
            last_line: edited.last_line,
        }
    }
}

impl TryFrom<wire::Edited> for Edited {
    type Error = InvalidField;

    fn try_from(wire: wire::Edited) -> Result<Self, InvalidField> {
        Ok(Self {
            places: wire.places,
            first_line: wire.first_line,
            last_line: wire.last_line,
        })
    }
}

impl From<Event> for proto::Event {
    fn from(event: Event) -> Self {
        Self {
            seq: event.seq,
            time: Some(wire_time(event.time)),
            session_id: event.session_id.to_string(),
            query_id: event.query_id.map(|id| id.to_string()),
            agent_id: event.agent_id.map(|id| id.to_string()),
            respondent_id: event.respondent_id.map(|id| id.to_string()),
            call_id: event.call_id.map(|id| id.to_string()),
            body: Some(wire_body(event.body)),
        }
    }
}

impl TryFrom<proto::Event> for Event {
    type Error = InvalidField;

    fn try_from(event: proto::Event) -> Result<Self, InvalidField> {
        let body = event.body.ok_or_else(|| InvalidField::missing("body"))?;
        Ok(Self {
            seq: event.seq,
            time: time(event.time, "time")?,
            session_id: text(&event.session_id, "session_id")?,
            query_id: optional_text(event.query_id.as_deref(), "query_id")?,
            agent_id: optional_text(event.agent_id.as_deref(), "agent_id")?,
            respondent_id: optional_text(event.respondent_id.as_deref(), "respondent_id")?,
            call_id: optional_text(event.call_id.as_deref(), "call_id")?,
            body: body_from(body)?,
        })
    }
}

/// One field to the wire, by what kind of field it is.
macro_rules! put {
    (plain $value:expr) => {
        $value
    };
    (id $value:expr) => {
        $value.to_string()
    };
    (maybe_id $value:expr) => {
        $value.map(|id| id.to_string())
    };
    (name $value:expr) => {
        $value.into()
    };
    (json $value:expr) => {
        $value.to_string()
    };
    (choice $value:expr) => {
        WireEnum::to_wire($value)
    };
    (small $value:expr) => {
        $value.into()
    };
    (percent $value:expr) => {
        $value.map(u32::from)
    };
    (message $value:expr) => {
        Some($value.into())
    };
    (maybe $value:expr) => {
        $value.map(Into::into)
    };
    (list $value:expr) => {
        $value.into_iter().map(Into::into).collect()
    };
}

/// One field from the wire, by what kind of field it is.
macro_rules! take {
    (plain $value:expr, $field:expr) => {
        $value
    };
    (id $value:expr, $field:expr) => {
        text(&$value, $field)?
    };
    (maybe_id $value:expr, $field:expr) => {
        optional_text($value.as_deref(), $field)?
    };
    (name $value:expr, $field:expr) => {
        name($value, $field)?
    };
    (json $value:expr, $field:expr) => {
        json(&$value, $field)?
    };
    (choice $value:expr, $field:expr) => {
        WireEnum::from_wire($value, $field)?
    };
    (small $value:expr, $field:expr) => {
        number($value, $field)?
    };
    (percent $value:expr, $field:expr) => {
        percent($value, $field)?
    };
    (message $value:expr, $field:expr) => {
        required($value, $field)?
    };
    (maybe $value:expr, $field:expr) => {
        optional($value, $field)?
    };
    (list $value:expr, $field:expr) => {
        each($value, $field)?
    };
}

/// Pairs each event with its message, field by field: kind, our name, the wire's name. Both
/// matches are exhaustive, so a new event on either side does not compile until it has a partner.
macro_rules! events {
    (
        to_wire { $($to:tt)* }
        from_wire { $($from:tt)* }
        $($ours:ident = $theirs:ident { $($kind:ident $field:ident = $wire:ident),* $(,)? })*
    ) => {
        fn wire_body(body: EventBody) -> Body {
            match body {
                $($to)*
                $(EventBody::$ours { $($field),* } => Body::$ours(wire::$theirs {
                    $($wire: put!($kind $field)),*
                }),)*
            }
        }

        fn body_from(body: Body) -> Result<EventBody, InvalidField> {
            Ok(match body {
                $($from)*
                $(Body::$ours(wire::$theirs { $($wire),* }) => EventBody::$ours {
                    $($field: take!(
                        $kind $wire,
                        concat!(stringify!($ours), ".", stringify!($wire))
                    )),*
                },)*
            })
        }
    };
}

/// The session that another is a copy of, and the last event that was taken over.
pub(crate) fn forked(
    session: Option<String>,
    seq: Option<u64>,
) -> Result<Option<(SessionId, u64)>, InvalidField> {
    match (session, seq) {
        (None, None) => Ok(None),
        (Some(session), Some(seq)) => Ok(Some((text(&session, "forked_from_session")?, seq))),
        (Some(_), None) => Err(InvalidField::missing("forked_from_seq")),
        (None, Some(_)) => Err(InvalidField::missing("forked_from_session")),
    }
}

events! {
    to_wire {
        EventBody::SessionOpened { profile, forked_from } => {
            Body::SessionOpened(wire::SessionOpened {
                profile: Some(profile.into()),
                forked_from_session: forked_from.map(|(session, _)| session.to_string()),
                forked_from_seq: forked_from.map(|(_, seq)| seq),
            })
        }
        EventBody::ConfirmationAsked(request) => Body::ConfirmationAsked(request.into()),
        EventBody::ConfirmationAnswered { confirmation_id, answer, by, token } => {
            Body::ConfirmationAnswered(wire_answered(confirmation_id, answer, by, token))
        }
        EventBody::DriveState(decision) => Body::DriveState(decision.into()),
        EventBody::PromptRead(progress) => Body::PromptRead(progress.into()),
        EventBody::Notice(fault) => Body::Notice(fault.into()),
        EventBody::NotGraded(fault) => Body::NotGraded(fault.into()),
        EventBody::SecondMissed(fault) => Body::SecondMissed(fault.into()),
        EventBody::Error(fault) => Body::Error(fault.into()),
    }
    from_wire {
        Body::SessionOpened(opened) => EventBody::SessionOpened {
            profile: required(opened.profile, "SessionOpened.profile")?,
            forked_from: forked(opened.forked_from_session, opened.forked_from_seq)?,
        },
        Body::ConfirmationAsked(request) => {
            EventBody::ConfirmationAsked(required(Some(request), "ConfirmationAsked")?)
        }
        Body::ConfirmationAnswered(wire) => {
            let (confirmation_id, answer, by, token) = answered(wire)?;
            EventBody::ConfirmationAnswered { confirmation_id, answer, by, token }
        }
        Body::DriveState(wire) => {
            EventBody::DriveState(required(Some(wire), "DriveState")?)
        }
        Body::PromptRead(progress) => EventBody::PromptRead(progress.into()),
        Body::Notice(fault) => EventBody::Notice(required(Some(fault), "Notice")?),
        Body::NotGraded(fault) => EventBody::NotGraded(required(Some(fault), "NotGraded")?),
        Body::SecondMissed(fault) => {
            EventBody::SecondMissed(required(Some(fault), "SecondMissed")?)
        }
        Body::Error(fault) => EventBody::Error(required(Some(fault), "Error")?),
    }
    SessionResumed = SessionResumed { message profile = profile }
    SessionConfigured = SessionConfigured { message profile = profile }
    QueryReceived = QueryReceived {
        plain text = text,
        choice mode = mode,
        choice origin = origin,
    }
    QueryQueued = QueryQueued { plain position = position }
    QueryMoved = QueryMoved { maybe_id before = before }
    ModeChosen = ModeChosen { choice mode = mode, plain reason = reason }
    ModelChosen = ModelChosen {
        message model = model,
        plain reason = reason,
        plain context_tokens = context_tokens,
    }
    TextDelta = TextDelta { plain text = text }
    ThinkingDelta = ThinkingDelta { plain text = text }
    TextReplaced = TextReplaced { plain text = text }
    ModelAnswered = ModelAnswered {
        plain text = text,
        maybe thinking = thinking,
        list tool_calls = tool_calls,
        message usage = usage,
        choice finish = finish,
        plain aside = aside,
    }
    ModelNudged = ModelNudged { plain text = text }
    ToolRequested = ToolRequested {
        plain tool = tool,
        json arguments = arguments_json,
        plain recovered = recovered,
    }
    BrokerDecision = BrokerDecision {
        choice verdict = verdict,
        choice layer = layer,
        plain rule = rule,
        plain reason = reason,
    }
    ToolProgress = ToolProgress { plain message = message, percent percent = percent }
    ToolResult = ToolResulted {
        plain tool = tool,
        choice status = status,
        maybe_id value_id = value_id,
        maybe label = label,
        plain text = text,
        plain truncated = truncated,
        plain duration_ms = duration_ms,
        plain artifacts = artifacts,
        maybe edited = edited,
    }
    MemoryRecalled = MemoryRecalled {
        plain memories = memories,
        plain query = query,
        plain text = text,
        maybe label = label,
        maybe_id value_id = value_id,
    }
    NotesShown = NotesShown { list notes = notes, message label = label }
    InputGiven = InputGiven { plain name = name, plain text = text, message label = label }
    PictureShown = PictureShown { plain name = name, message picture = picture, message label = label }
    GenerationFinished = GenerationFinished {
        plain answer = answer,
        plain thinking = thinking,
        list tool_calls = tool_calls,
        message usage = usage,
        maybe model = model,
        maybe label = label,
    }
    DialogTurn = DialogTurn { plain query = query, plain answer = answer }
    QueryFinished = QueryFinished {
        choice status = status,
        plain artifacts = artifacts,
        plain duration_ms = duration_ms,
        maybe error = error,
    }
    GradeAsked = GradeAsked {}
    Critique = Critique {
        small score = score,
        plain feedback = feedback,
        message judge = judge,
        plain rubric = rubric,
    }
    SecondAsked = SecondAsked { maybe model = model, plain temperature = temperature }
    SecondAnswered = SecondAnswered {
        plain answer = answer,
        message model = model,
        plain temperature = temperature,
    }
    Pairwise = Pairwise {
        choice winner = winner,
        plain feedback = feedback,
        message judge = judge,
    }
    SecondRated = SecondRated { choice winner = winner }
    SecondTaken = SecondTaken { plain answer = answer }
    Feedback = UserFeedback { small score = score, plain note = note }
    Reward = Reward { small value = value }
    AgentSpawned = AgentSpawned {
        id child = child,
        name agent_type = agent_type,
        plain task = task,
        plain task_id = task_id,
        plain budget_tokens = budget_tokens,
    }
    AgentFinished = AgentFinished {
        id child = child,
        message report = report,
        plain corrections = corrections,
        message usage = usage,
        plain duration_ms = duration_ms,
    }
    TasksProposed = TasksProposed { list tasks = tasks, id hash = hash }
    TasksPlanned = TasksPlanned { list tasks = tasks }
    TaskMoved = TaskMoved {
        plain task_id = task_id,
        choice status = status,
        plain reason = reason,
    }
    ContextCompacted = ContextCompacted {
        plain before_tokens = before_tokens,
        plain after_tokens = after_tokens,
        plain dropped_messages = dropped_messages,
        choice cause = cause,
        plain through = through,
        maybe summary = summary,
        plain shortened_through = shortened_through,
        plain journal_characters = journal_characters,
        plain newest_characters = newest_characters,
    }
    JournalWritten = JournalWritten {
        plain title = title,
        plain text = text,
        plain through = through,
    }
    Pinned = Pinned { plain seq = seq, plain pinned = pinned }
    Rewound = Rewound { plain to_seq = to_seq }
    PlanProposed = PlanProposed { message plan = plan, id hash = hash }
    PlanApproved = PlanApproved { id hash = hash, plain by = by }
    PlanStep = PlanStep { plain index = index, choice status = status, plain text = text }
    SignalReceived = SignalReceived { message signal = signal }
    ToolSchema = ToolSchema { list tools = tools }
}
