//! Memory: entries, what is found of them, and what becomes of them.

mod curated;

use super::{
    InvalidField, WireEnum, each, name, names, number, optional, optional_text, required, text,
    time, wire_enum, wire_time,
};
use crate::generated as proto;
use api::memory::{
    Annotation, Candidate, CorrelatedRequest, Detail, Kind, QueryEvent, QueryRequest, Recall,
    Refusal, Scope, Source, Stage, WriteAnswer, WriteEntry, WriteRequest,
};
use domain::Timestamp;
use domain::id::MemoryId;
use proto::annotate_request::Annotation as WireAnnotation;
use proto::memory_entry::{CuratedMemory, Engram, Entry};
use proto::memory_query_event::{self, Event};
use proto::memory_write_response::{Outcome, Rejected};

wire_enum!(
    Detail,
    proto::MemoryDetail {
        Description,
        Segment
    }
);
wire_enum!(Kind, proto::MemoryKind { Memory, Engram });
wire_enum!(
    Source,
    proto::MemorySource {
        User,
        Agent,
        External
    }
);
wire_enum!(
    Refusal,
    proto::MemoryRefusal {
        Empty,
        TooLarge,
        Secret,
        Instruction,
        NothingToCorrect,
        LessTrusted,
        Forgotten
    }
);

/// A time that may be absent.
fn maybe_time(
    value: Option<prost_types::Timestamp>,
    field: &str,
) -> Result<Option<Timestamp>, InvalidField> {
    value.map(|value| time(Some(value), field)).transpose()
}

/// An enum whose value 0 means that there is none.
fn maybe_enum<D: WireEnum>(value: i32, field: &str) -> Result<Option<D>, InvalidField> {
    match value {
        0 => Ok(None),
        value => D::from_wire(value, field).map(Some),
    }
}

fn ids(values: &[String], field: &str) -> Result<Vec<MemoryId>, InvalidField> {
    let convert = |(index, value): (usize, &String)| text(value, &format!("{field}[{index}]"));
    values.iter().enumerate().map(convert).collect()
}

fn wire_ids(ids: &[MemoryId]) -> Vec<String> {
    ids.iter().map(ToString::to_string).collect()
}

impl From<Scope> for proto::MemoryScope {
    fn from(scope: Scope) -> Self {
        let (kind, namespaces) = match scope {
            Scope::All => (proto::memory_scope::Kind::All, Vec::new()),
            Scope::Only(names) => (proto::memory_scope::Kind::Only, names),
        };
        Self {
            kind: kind.into(),
            namespaces: namespaces.into_iter().map(Into::into).collect(),
        }
    }
}

impl TryFrom<proto::MemoryScope> for Scope {
    type Error = InvalidField;

    fn try_from(wire: proto::MemoryScope) -> Result<Self, InvalidField> {
        match wire.kind() {
            proto::memory_scope::Kind::Unspecified => Err(InvalidField::missing("kind")),
            proto::memory_scope::Kind::All => Ok(Self::All),
            proto::memory_scope::Kind::Only => names(wire.namespaces, "namespaces").map(Self::Only),
        }
    }
}

impl From<QueryRequest> for proto::MemoryQueryRequest {
    fn from(request: QueryRequest) -> Self {
        Self {
            context: request.context.map(Into::into),
            text: request.text,
            limit: request.limit,
            scope: Some(request.scope.into()),
            detail: request.detail.to_wire(),
            at_least: request.at_least,
        }
    }
}

impl TryFrom<proto::MemoryQueryRequest> for QueryRequest {
    type Error = InvalidField;

    fn try_from(wire: proto::MemoryQueryRequest) -> Result<Self, InvalidField> {
        Ok(Self {
            context: optional(wire.context, "context")?,
            text: wire.text,
            scope: required(wire.scope, "scope")?,
            limit: wire.limit,
            detail: WireEnum::from_wire(wire.detail, "detail")?,
            at_least: wire.at_least,
        })
    }
}

impl From<Recall> for proto::Recall {
    fn from(recall: Recall) -> Self {
        Self {
            id: recall.id.to_string(),
            name: recall.name,
            description: recall.description,
            segment: recall.segment,
            byte_start: recall.byte_range.0,
            byte_end: recall.byte_range.1,
            score: recall.score,
            label: Some(recall.label.into()),
            kind: recall.kind.to_wire(),
            namespace: recall.namespace.into(),
            relevance: recall.relevance,
            source: recall.source.to_wire(),
            created_at: Some(wire_time(recall.created_at)),
            correlating_ids: wire_ids(&recall.correlating_ids),
            feedback: recall.feedback.map(Into::into),
        }
    }
}

impl TryFrom<proto::Recall> for Recall {
    type Error = InvalidField;

    fn try_from(wire: proto::Recall) -> Result<Self, InvalidField> {
        let feedback = wire.feedback;
        let feedback = feedback.map(|feedback| number(feedback, "feedback"));
        Ok(Self {
            id: text(&wire.id, "id")?,
            kind: WireEnum::from_wire(wire.kind, "kind")?,
            namespace: name(wire.namespace, "namespace")?,
            name: wire.name,
            description: wire.description,
            segment: wire.segment,
            byte_range: (wire.byte_start, wire.byte_end),
            score: wire.score,
            relevance: wire.relevance,
            source: WireEnum::from_wire(wire.source, "source")?,
            label: required(wire.label, "label")?,
            created_at: time(wire.created_at, "created_at")?,
            correlating_ids: ids(&wire.correlating_ids, "correlating_ids")?,
            feedback: feedback.transpose()?,
        })
    }
}

impl From<Stage> for memory_query_event::Stage {
    fn from(stage: Stage) -> Self {
        let candidate = |candidate: Candidate| memory_query_event::Candidate {
            id: candidate.id.to_string(),
            score: candidate.score,
        };
        Self {
            name: stage.name,
            candidates: stage.candidates.into_iter().map(candidate).collect(),
            duration_us: stage.duration_us,
            seen: stage.seen,
            note: stage.note,
        }
    }
}

impl TryFrom<memory_query_event::Candidate> for Candidate {
    type Error = InvalidField;

    fn try_from(wire: memory_query_event::Candidate) -> Result<Self, InvalidField> {
        Ok(Self {
            id: text(&wire.id, "id")?,
            score: wire.score,
        })
    }
}

impl From<QueryEvent> for proto::MemoryQueryEvent {
    fn from(event: QueryEvent) -> Self {
        let event = match event {
            QueryEvent::Stage(stage) => Event::Stage(stage.into()),
            QueryEvent::Results(recalls) => Event::Results(memory_query_event::Results {
                recalls: recalls.into_iter().map(Into::into).collect(),
            }),
        };
        Self { event: Some(event) }
    }
}

impl TryFrom<proto::MemoryQueryEvent> for QueryEvent {
    type Error = InvalidField;

    fn try_from(wire: proto::MemoryQueryEvent) -> Result<Self, InvalidField> {
        let event = wire.event.ok_or_else(|| InvalidField::missing("event"))?;
        Ok(match event {
            Event::Stage(stage) => Self::Stage(Stage {
                candidates: each(stage.candidates, "stage.candidates")?,
                name: stage.name,
                seen: stage.seen,
                duration_us: stage.duration_us,
                note: stage.note,
            }),
            Event::Results(results) => Self::Results(each(results.recalls, "results.recalls")?),
        })
    }
}

impl From<WriteEntry> for proto::MemoryEntry {
    fn from(entry: WriteEntry) -> Self {
        let entry = match entry {
            WriteEntry::Memory {
                name,
                description,
                tags,
                correlating_ids,
                corpus,
            } => Entry::Memory(CuratedMemory {
                name,
                description,
                tags,
                correlating_ids: wire_ids(&correlating_ids),
                corpus,
            }),
            WriteEntry::Engram {
                question,
                answer,
                intent,
                entities,
                session_id,
                query_id,
                respondent,
                tools_used,
            } => Entry::Engram(Engram {
                question,
                answer,
                intent,
                entities,
                session_id: session_id.to_string(),
                query_id: query_id.to_string(),
                respondent,
                tools_used: tools_used.into_iter().map(Into::into).collect(),
            }),
        };
        Self { entry: Some(entry) }
    }
}

impl TryFrom<proto::MemoryEntry> for WriteEntry {
    type Error = InvalidField;

    fn try_from(wire: proto::MemoryEntry) -> Result<Self, InvalidField> {
        let entry = wire.entry.ok_or_else(|| InvalidField::missing("entry"))?;
        Ok(match entry {
            Entry::Memory(memory) => Self::Memory {
                correlating_ids: ids(&memory.correlating_ids, "memory.correlating_ids")?,
                name: memory.name,
                description: memory.description,
                tags: memory.tags,
                corpus: memory.corpus,
            },
            Entry::Engram(engram) => Self::Engram {
                session_id: text(&engram.session_id, "engram.session_id")?,
                query_id: text(&engram.query_id, "engram.query_id")?,
                tools_used: names(engram.tools_used, "engram.tools_used")?,
                question: engram.question,
                answer: engram.answer,
                intent: engram.intent,
                entities: engram.entities,
                respondent: engram.respondent,
            },
        })
    }
}

impl From<WriteRequest> for proto::MemoryWriteRequest {
    fn from(request: WriteRequest) -> Self {
        Self {
            context: request.context.map(Into::into),
            namespace: request.namespace.into(),
            source: request.source.to_wire(),
            label: Some(request.label.into()),
            valid_from: request.valid_from.map(wire_time),
            supersedes: request.supersedes.map(|id| id.to_string()),
            entry: Some(request.entry.into()),
        }
    }
}

impl TryFrom<proto::MemoryWriteRequest> for WriteRequest {
    type Error = InvalidField;

    fn try_from(wire: proto::MemoryWriteRequest) -> Result<Self, InvalidField> {
        Ok(Self {
            context: optional(wire.context, "context")?,
            namespace: name(wire.namespace, "namespace")?,
            entry: required(wire.entry, "entry")?,
            source: WireEnum::from_wire(wire.source, "source")?,
            label: required(wire.label, "label")?,
            valid_from: maybe_time(wire.valid_from, "valid_from")?,
            supersedes: optional_text(wire.supersedes.as_deref(), "supersedes")?,
        })
    }
}

impl From<WriteAnswer> for proto::MemoryWriteResponse {
    fn from(answer: WriteAnswer) -> Self {
        let outcome = match answer {
            WriteAnswer::Stored { id } => Outcome::StoredId(id.to_string()),
            WriteAnswer::Duplicate { id } => Outcome::DuplicateId(id.to_string()),
            WriteAnswer::Rejected { refusal, detail } => Outcome::Rejected(Rejected {
                refusal: refusal.to_wire(),
                detail,
            }),
        };
        Self {
            outcome: Some(outcome),
        }
    }
}

impl TryFrom<proto::MemoryWriteResponse> for WriteAnswer {
    type Error = InvalidField;

    fn try_from(wire: proto::MemoryWriteResponse) -> Result<Self, InvalidField> {
        let outcome = wire
            .outcome
            .ok_or_else(|| InvalidField::missing("outcome"))?;
        Ok(match outcome {
            Outcome::StoredId(id) => Self::Stored {
                id: text(&id, "stored_id")?,
            },
            Outcome::DuplicateId(id) => Self::Duplicate {
                id: text(&id, "duplicate_id")?,
            },
            Outcome::Rejected(rejected) => Self::Rejected {
                refusal: WireEnum::from_wire(rejected.refusal, "rejected.refusal")?,
                detail: rejected.detail,
            },
        })
    }
}

impl From<CorrelatedRequest> for proto::GetCorrelatedRequest {
    fn from(request: CorrelatedRequest) -> Self {
        Self {
            context: request.context.map(Into::into),
            ids: wire_ids(&request.ids),
            detail: request.detail.to_wire(),
            scope: Some(request.scope.into()),
            text: request.text,
        }
    }
}

impl TryFrom<proto::GetCorrelatedRequest> for CorrelatedRequest {
    type Error = InvalidField;

    fn try_from(wire: proto::GetCorrelatedRequest) -> Result<Self, InvalidField> {
        Ok(Self {
            context: optional(wire.context, "context")?,
            ids: ids(&wire.ids, "ids")?,
            scope: required(wire.scope, "scope")?,
            text: wire.text,
            detail: WireEnum::from_wire(wire.detail, "detail")?,
        })
    }
}

impl From<Annotation> for WireAnnotation {
    fn from(annotation: Annotation) -> Self {
        match annotation {
            Annotation::Score(score) => Self::Score(score.into()),
            Annotation::Winner(winner) => Self::Winner(winner.to_wire()),
            Annotation::Feedback(feedback) => Self::Feedback(feedback.into()),
            Annotation::Understood { intent, entities } => {
                Self::Understood(proto::annotate_request::Understood { intent, entities })
            }
        }
    }
}

impl TryFrom<WireAnnotation> for Annotation {
    type Error = InvalidField;

    fn try_from(wire: WireAnnotation) -> Result<Self, InvalidField> {
        Ok(match wire {
            WireAnnotation::Score(score) => Self::Score(number(score, "score")?),
            WireAnnotation::Winner(winner) => Self::Winner(WireEnum::from_wire(winner, "winner")?),
            WireAnnotation::Feedback(feedback) => Self::Feedback(number(feedback, "feedback")?),
            WireAnnotation::Understood(understood) => Self::Understood {
                intent: understood.intent,
                entities: understood.entities,
            },
        })
    }
}
