//! Sessions: profiles, requests and summaries.

use super::event::forked;
use super::{
    InvalidField, WireEnum, each, name, number, optional, optional_text, path, path_bytes,
    required, text, time, wire_enum, wire_time,
};
use crate::generated as proto;
use api::sessions::{
    Compared, FeedbackRequest, Finding, Follow, Grade, Input, OpenRequest, PictureFile, PinChange,
    QueueChange, RewindTo, SecondAnswer, Selection, SendRequest, SessionSummary, TakenBack,
};
use domain::context::{ContextPart, ContextView};
use domain::model::Think;
use domain::notes::ShownNotes;
use domain::settings::{Mode, SessionProfile};
use proto::record_finding_request::Finding as WireFinding;

wire_enum!(
    Mode,
    proto::Mode {
        Loop,
        Plan,
        Deterministic,
        Bridge,
        Auto,
        Adaptive,
        Command
    }
);
wire_enum!(
    Follow,
    proto::attach_request::Follow {
        ToEnd,
        Live,
        Outline
    }
);
wire_enum!(PinChange, proto::pin_request::Change { Pin, Unpin });

impl From<QueueChange> for proto::change_queue_request::Change {
    fn from(change: QueueChange) -> Self {
        match change {
            QueueChange::Remove => Self::Remove(proto::change_queue_request::Remove {}),
            QueueChange::Before(other) => Self::Before(other.to_string()),
            QueueChange::Last => Self::Before(String::new()),
        }
    }
}

impl TryFrom<proto::change_queue_request::Change> for QueueChange {
    type Error = InvalidField;

    fn try_from(wire: proto::change_queue_request::Change) -> Result<Self, InvalidField> {
        use proto::change_queue_request::Change;
        Ok(match wire {
            Change::Remove(_) => Self::Remove,
            Change::Before(other) if other.is_empty() => Self::Last,
            Change::Before(other) => Self::Before(text(&other, "before")?),
        })
    }
}

impl From<SessionProfile> for proto::SessionProfile {
    fn from(profile: SessionProfile) -> Self {
        Self {
            name: profile.name,
            agent_type: profile.agent_type.into(),
            mode: profile.mode.to_wire(),
            model: profile.model.map(Into::into),
            context_tokens: profile.context_tokens,
            provider: profile.provider,
            think: (profile.think != Think::Default).then(|| profile.think.to_wire()),
            settings: Some(profile.settings.into()),
        }
    }
}

impl TryFrom<proto::SessionProfile> for SessionProfile {
    type Error = InvalidField;

    fn try_from(wire: proto::SessionProfile) -> Result<Self, InvalidField> {
        Ok(Self {
            name: wire.name,
            agent_type: name(wire.agent_type, "agent_type")?,
            mode: WireEnum::from_wire(wire.mode, "mode")?,
            model: optional(wire.model, "model")?,
            context_tokens: wire.context_tokens,
            provider: wire.provider,
            think: match wire.think {
                Some(think) => WireEnum::from_wire(think, "think")?,
                None => Think::Default,
            },
            settings: required(wire.settings, "settings")?,
        })
    }
}

impl From<OpenRequest> for proto::OpenRequest {
    fn from(request: OpenRequest) -> Self {
        use proto::open_request::{How, Resume};
        let how = match request {
            OpenRequest::New(profile) => How::New(profile.into()),
            OpenRequest::Resume {
                session_id,
                profile,
            } => How::Resume(Resume {
                session_id: session_id.to_string(),
                profile: profile.map(Into::into),
            }),
        };
        Self { how: Some(how) }
    }
}

impl TryFrom<proto::OpenRequest> for OpenRequest {
    type Error = InvalidField;

    fn try_from(wire: proto::OpenRequest) -> Result<Self, InvalidField> {
        use proto::open_request::How;
        match wire.how.ok_or_else(|| InvalidField::missing("how"))? {
            How::New(profile) => Ok(Self::New(required(Some(profile), "new")?)),
            How::Resume(resume) => Ok(Self::Resume {
                session_id: text(&resume.session_id, "resume.session_id")?,
                profile: optional(resume.profile, "resume.profile")?,
            }),
        }
    }
}

impl From<SendRequest> for proto::SendRequest {
    fn from(request: SendRequest) -> Self {
        Self {
            session_id: request.session_id.to_string(),
            text: request.text,
            mode: request.mode.map(WireEnum::to_wire),
            input: request.input.map(Into::into),
            holder_id: request.holder_id.map(|id| id.to_string()),
            pictures: request.pictures.into_iter().map(Into::into).collect(),
        }
    }
}

impl From<PictureFile> for proto::PictureFile {
    fn from(picture: PictureFile) -> Self {
        Self {
            name: picture.name,
            content: picture.bytes,
        }
    }
}

impl TryFrom<proto::PictureFile> for PictureFile {
    type Error = InvalidField;

    fn try_from(wire: proto::PictureFile) -> Result<Self, InvalidField> {
        Ok(Self {
            name: wire.name,
            bytes: wire.content,
        })
    }
}

impl From<ShownNotes> for proto::ShownNotes {
    fn from(notes: ShownNotes) -> Self {
        Self {
            path: notes.path,
            version: notes.version.to_string(),
            bytes: notes.bytes,
            trusted: notes.trusted,
        }
    }
}

impl TryFrom<proto::ShownNotes> for ShownNotes {
    type Error = InvalidField;

    fn try_from(wire: proto::ShownNotes) -> Result<Self, InvalidField> {
        Ok(Self {
            path: wire.path,
            version: text(&wire.version, "version")?,
            bytes: wire.bytes,
            trusted: wire.trusted,
        })
    }
}

impl From<Input> for proto::Input {
    fn from(input: Input) -> Self {
        Self {
            name: input.name,
            text: input.text,
        }
    }
}

impl TryFrom<proto::Input> for Input {
    type Error = InvalidField;

    fn try_from(wire: proto::Input) -> Result<Self, InvalidField> {
        Ok(Self {
            name: wire.name,
            text: wire.text,
        })
    }
}

impl TryFrom<proto::SendRequest> for SendRequest {
    type Error = InvalidField;

    fn try_from(wire: proto::SendRequest) -> Result<Self, InvalidField> {
        let mode = wire.mode;
        Ok(Self {
            session_id: text(&wire.session_id, "session_id")?,
            text: wire.text,
            mode: mode
                .map(|mode| WireEnum::from_wire(mode, "mode"))
                .transpose()?,
            input: optional(wire.input, "input")?,
            holder_id: optional_text(wire.holder_id.as_deref(), "holder_id")?,
            pictures: each(wire.pictures, "pictures")?,
        })
    }
}

impl From<FeedbackRequest> for proto::FeedbackRequest {
    fn from(request: FeedbackRequest) -> Self {
        Self {
            session_id: request.session_id.to_string(),
            query_id: request.query_id.to_string(),
            score: i32::from(request.score),
            note: request.note,
        }
    }
}

impl TryFrom<proto::FeedbackRequest> for FeedbackRequest {
    type Error = InvalidField;

    fn try_from(wire: proto::FeedbackRequest) -> Result<Self, InvalidField> {
        Ok(Self {
            session_id: text(&wire.session_id, "session_id")?,
            query_id: text(&wire.query_id, "query_id")?,
            score: number(wire.score, "score")?,
            note: wire.note,
        })
    }
}

impl From<Finding> for WireFinding {
    fn from(finding: Finding) -> Self {
        match finding {
            Finding::Graded(grade) => Self::Graded(proto::event::Critique {
                score: grade.score.into(),
                feedback: grade.feedback,
                judge: Some(grade.judge.into()),
                rubric: grade.rubric,
            }),
            Finding::NotGraded(fault) => Self::NotGraded(fault.into()),
            Finding::Rewarded(value) => Self::Rewarded(proto::event::Reward {
                value: value.into(),
            }),
            Finding::Second(second) => Self::Second(proto::event::SecondAnswered {
                answer: second.answer,
                model: Some(second.model.into()),
                temperature: second.temperature,
            }),
            Finding::NoSecond(fault) => Self::NoSecond(fault.into()),
            Finding::Compared(compared) => Self::Compared(proto::event::Pairwise {
                winner: compared.winner.to_wire(),
                feedback: compared.feedback,
                judge: Some(compared.judge.into()),
            }),
        }
    }
}

impl TryFrom<WireFinding> for Finding {
    type Error = InvalidField;

    fn try_from(wire: WireFinding) -> Result<Self, InvalidField> {
        Ok(match wire {
            WireFinding::Graded(grade) => Self::Graded(Grade {
                score: number(grade.score, "finding.score")?,
                feedback: grade.feedback,
                judge: required(grade.judge, "finding.judge")?,
                rubric: grade.rubric,
            }),
            WireFinding::NotGraded(fault) => {
                Self::NotGraded(required(Some(fault), "finding.not_graded")?)
            }
            WireFinding::Rewarded(reward) => Self::Rewarded(number(reward.value, "finding.value")?),
            WireFinding::Second(second) => Self::Second(SecondAnswer {
                answer: second.answer,
                model: required(second.model, "finding.model")?,
                temperature: second.temperature,
            }),
            WireFinding::NoSecond(fault) => {
                Self::NoSecond(required(Some(fault), "finding.no_second")?)
            }
            WireFinding::Compared(compared) => Self::Compared(Compared {
                winner: WireEnum::from_wire(compared.winner, "finding.winner")?,
                feedback: compared.feedback,
                judge: required(compared.judge, "finding.judge")?,
            }),
        })
    }
}

impl From<Selection> for proto::ListRequest {
    fn from(selection: Selection) -> Self {
        match selection {
            Selection::All => Self::default(),
            Selection::Live => Self {
                live: true,
                ..Self::default()
            },
            Selection::Id(id_part) => Self {
                id_part,
                ..Self::default()
            },
            Selection::Said(said) => Self {
                said,
                ..Self::default()
            },
        }
    }
}

impl TryFrom<proto::ListRequest> for Selection {
    type Error = InvalidField;

    fn try_from(wire: proto::ListRequest) -> Result<Self, InvalidField> {
        match (wire.live, wire.id_part.as_str(), wire.said.as_str()) {
            (false, "", "") => Ok(Self::All),
            (true, "", "") => Ok(Self::Live),
            (false, _, "") => Ok(Self::Id(wire.id_part)),
            (false, "", _) => Ok(Self::Said(wire.said)),
            (true, _, "") => Err(InvalidField::new("id_part", "not together with `live`")),
            _ => Err(InvalidField::new("said", "not together with the others")),
        }
    }
}

impl From<SessionSummary> for proto::SessionSummary {
    fn from(summary: SessionSummary) -> Self {
        Self {
            session_id: summary.session_id.to_string(),
            title: summary.title,
            workspace: path_bytes(&summary.workspace),
            created: Some(wire_time(summary.created)),
            updated: Some(wire_time(summary.updated)),
            last_seq: summary.last_seq,
            live: summary.live,
            holder_id: summary.holder_id.map(|id| id.to_string()),
            holders: summary.holders,
            forked_from_session: summary.forked_from.map(|(session, _)| session.to_string()),
            forked_from_seq: summary.forked_from.map(|(_, seq)| seq),
        }
    }
}

impl TryFrom<proto::SessionSummary> for SessionSummary {
    type Error = InvalidField;

    fn try_from(wire: proto::SessionSummary) -> Result<Self, InvalidField> {
        Ok(Self {
            session_id: text(&wire.session_id, "session_id")?,
            title: wire.title,
            workspace: path(wire.workspace),
            created: time(wire.created, "created")?,
            updated: time(wire.updated, "updated")?,
            last_seq: wire.last_seq,
            live: wire.live,
            holder_id: optional_text(wire.holder_id.as_deref(), "holder_id")?,
            holders: wire.holders,
            forked_from: forked(wire.forked_from_session, wire.forked_from_seq)?,
        })
    }
}

impl From<RewindTo> for proto::rewind_request::To {
    fn from(to: RewindTo) -> Self {
        match to {
            RewindTo::LastRequest => Self::LastRequest(proto::rewind_request::LastRequest {}),
            RewindTo::Request(query_id) => Self::QueryId(query_id.to_string()),
        }
    }
}

impl TryFrom<proto::rewind_request::To> for RewindTo {
    type Error = InvalidField;

    fn try_from(wire: proto::rewind_request::To) -> Result<Self, InvalidField> {
        match wire {
            proto::rewind_request::To::LastRequest(_) => Ok(Self::LastRequest),
            proto::rewind_request::To::QueryId(id) => Ok(Self::Request(text(&id, "query_id")?)),
        }
    }
}

impl From<TakenBack> for proto::RewindResponse {
    fn from(taken: TakenBack) -> Self {
        Self {
            query_id: taken.query_id.to_string(),
            text: taken.text,
        }
    }
}

impl TryFrom<proto::RewindResponse> for TakenBack {
    type Error = InvalidField;

    fn try_from(wire: proto::RewindResponse) -> Result<Self, InvalidField> {
        Ok(Self {
            query_id: text(&wire.query_id, "query_id")?,
            text: wire.text,
        })
    }
}

impl From<ContextPart> for proto::context_view::Part {
    fn from(part: ContextPart) -> Self {
        Self {
            name: part.name,
            tokens: part.tokens,
            text: part.text,
        }
    }
}

impl TryFrom<proto::context_view::Part> for ContextPart {
    type Error = InvalidField;

    fn try_from(wire: proto::context_view::Part) -> Result<Self, InvalidField> {
        Ok(Self {
            name: wire.name,
            tokens: wire.tokens,
            text: wire.text,
        })
    }
}

impl From<ContextView> for proto::ContextView {
    fn from(view: ContextView) -> Self {
        Self {
            context_tokens: view.context_tokens,
            budget_tokens: view.budget_tokens,
            reused_permille: view.reused_permille.map(u32::from),
            parts: view.parts.into_iter().map(Into::into).collect(),
        }
    }
}

impl TryFrom<proto::ContextView> for ContextView {
    type Error = InvalidField;

    fn try_from(wire: proto::ContextView) -> Result<Self, InvalidField> {
        let reused = wire.reused_permille;
        Ok(Self {
            context_tokens: wire.context_tokens,
            budget_tokens: wire.budget_tokens,
            reused_permille: reused
                .map(|permille| number(permille, "reused_permille"))
                .transpose()?,
            parts: each(wire.parts, "parts")?,
        })
    }
}
