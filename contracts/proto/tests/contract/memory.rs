//! Memory's messages come back the same, and a bad field is named.

use crate::round_trip::comes_back;
use crate::samples::{Seed, seeds};
use crate::schema::oneof_fields;
use api::memory::{
    Candidate, CorrelatedRequest, Detail, IndexState, Kind, ListRequest, QueryEvent, QueryRequest,
    Recall, Refusal, Scope, Source, Stage, Stats, Stored, WriteAnswer, WriteEntry, WriteRequest,
};
use domain::id::{MemoryId, QueryId, SessionId};
use domain::quality::Winner;
use domain::rights::Namespace;
use proptest::prelude::*;
use proto::InvalidField;
use std::collections::BTreeSet;

fn id(seed: &Seed) -> MemoryId {
    MemoryId::from_uuid(seed.uuid())
}

fn scope(seed: &Seed) -> Scope {
    let two = vec![Namespace::user(), Namespace::new("project:/ü").unwrap()];
    [Scope::All, Scope::Only(Vec::new()), Scope::Only(two)][usize::from(seed.byte) % 3].clone()
}

fn detail(seed: &Seed) -> Detail {
    seed.pick(&[Detail::Description, Detail::Segment])
}

fn source(seed: &Seed) -> Source {
    seed.pick(&[Source::User, Source::Agent, Source::External])
}

fn entry(seed: &Seed) -> WriteEntry {
    if seed.flag {
        WriteEntry::Memory {
            name: seed.text.clone(),
            description: seed.text.clone(),
            tags: seed.strings(),
            correlating_ids: vec![id(seed); 2],
            corpus: seed.text.clone(),
        }
    } else {
        WriteEntry::Engram {
            question: seed.text.clone(),
            answer: seed.text.clone(),
            intent: seed.text.clone(),
            entities: seed.strings(),
            session_id: SessionId::from_uuid(seed.uuid()),
            query_id: QueryId::from_uuid(seed.uuid()),
            respondent: seed.text.clone(),
            tools_used: vec![seed.tool_name()],
        }
    }
}

fn recall(seed: &Seed) -> Recall {
    Recall {
        id: id(seed),
        kind: seed.pick(&[Kind::Memory, Kind::Engram]),
        namespace: Namespace::user(),
        name: seed.text.clone(),
        description: seed.text.clone(),
        segment: seed.text.clone(),
        byte_range: (seed.number, u64::MAX),
        score: -1.5,
        relevance: 0.25,
        source: source(seed),
        label: seed.label(),
        created_at: seed.time(),
        correlating_ids: vec![id(seed)],
        feedback: seed.maybe(seed.byte.cast_signed()),
    }
}

fn stored(seed: &Seed) -> Stored {
    Stored {
        id: id(seed),
        namespace: Namespace::user(),
        entry: entry(seed),
        source: source(seed),
        label: seed.label(),
        created_at: seed.time(),
        valid_from: seed.maybe(seed.time()),
        valid_until: seed.maybe(seed.time()),
        superseded_by: seed.maybe(id(seed)),
        last_accessed: seed.maybe(seed.time()),
        access_count: seed.number,
        critic_score: seed.maybe(seed.byte),
        pairwise_winner: seed.maybe(seed.pick(&[Winner::A, Winner::B, Winner::Tie])),
        feedback: seed.maybe(seed.byte.cast_signed()),
    }
}

proptest! {
    #[test]
    fn what_memory_is_asked_and_answers_comes_back(seed in seeds()) {
        comes_back::<QueryRequest, proto::MemoryQueryRequest>(QueryRequest {
            context: None,
            text: seed.text.clone(),
            scope: scope(&seed),
            limit: u32::from(seed.byte),
            detail: detail(&seed),
            at_least: 0.5,
        });
        comes_back::<QueryEvent, proto::MemoryQueryEvent>(QueryEvent::Stage(Stage {
            name: seed.text.clone(),
            candidates: vec![Candidate { id: id(&seed), score: 0.5 }; 2],
            seen: seed.number,
            duration_us: seed.number,
            note: seed.text.clone(),
        }));
        let results = QueryEvent::Results(vec![recall(&seed); 2]);
        comes_back::<QueryEvent, proto::MemoryQueryEvent>(results);
        comes_back::<WriteRequest, proto::MemoryWriteRequest>(WriteRequest {
            context: None,
            namespace: Namespace::user(),
            entry: entry(&seed),
            source: source(&seed),
            label: seed.label(),
            valid_from: seed.maybe(seed.time()),
            supersedes: seed.maybe(id(&seed)),
        });
        for answer in [
            WriteAnswer::Stored { id: id(&seed) },
            WriteAnswer::Duplicate { id: id(&seed) },
            WriteAnswer::Rejected { refusal: Refusal::LessTrusted, detail: seed.text.clone() },
        ] {
            comes_back::<WriteAnswer, proto::MemoryWriteResponse>(answer);
        }
        comes_back::<CorrelatedRequest, proto::GetCorrelatedRequest>(CorrelatedRequest {
            context: None,
            ids: vec![id(&seed)],
            scope: scope(&seed),
            text: seed.text.clone(),
            detail: detail(&seed),
        });
        comes_back::<Stored, proto::StoredMemory>(stored(&seed));
        comes_back::<ListRequest, proto::ListMemoriesRequest>(ListRequest {
            scope: scope(&seed),
            kind: seed.maybe(Kind::Engram),
        });
        comes_back::<Stats, proto::MemoryStats>(Stats {
            memories: seed.number,
            engrams: 2,
            superseded: 3,
            namespaces: vec![(Namespace::user(), seed.number)],
            disk_bytes: 4,
            embedder: seed.text.clone(),
            indexes: vec![IndexState {
                name: seed.text.clone(),
                entries: seed.number,
                of: 5,
                note: seed.text.clone(),
            }],
            refused: vec![id(&seed)],
            cache_hits: 6,
            cache_lookups: 7,
        });
    }

    #[test]
    fn random_bytes_are_no_entry_or_are_refused_by_field(
        bytes in proptest::collection::vec(any::<u8>(), 0..200)
    ) {
        if let Ok(wire) = <proto::StoredMemory as prost::Message>::decode(bytes.as_slice())
            && let Err(error) = Stored::try_from(wire)
        {
            assert!(!error.field.is_empty() && !error.problem.is_empty());
        }
    }
}

#[test]
fn nothing_absent_becomes_a_default() {
    let refused = |error: InvalidField| error.field;
    let query = QueryRequest::try_from(proto::MemoryQueryRequest::default());
    assert_eq!(refused(query.unwrap_err()), "scope");
    let write = WriteRequest::try_from(proto::MemoryWriteRequest::default());
    assert_eq!(refused(write.unwrap_err()), "namespace");
    let entry = WriteEntry::try_from(proto::MemoryEntry::default());
    assert_eq!(refused(entry.unwrap_err()), "entry");
    let kinds = BTreeSet::from(["memory", "engram"].map(str::to_owned));
    assert_eq!(oneof_fields("MemoryEntry"), kinds);
}
