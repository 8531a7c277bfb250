//! The user's side of memory: entries as they are kept, lists, forgetting, counts.

use super::{maybe_enum, maybe_time};
use crate::convert::{
    InvalidField, WireEnum, name, number, optional_text, required, text, time, wire_time,
};
use crate::generated as proto;
use api::memory::{Forgotten, HeldBy, Holder, IndexState, ListRequest, Stats, Stored};
use proto::forget_response;

impl From<Stored> for proto::StoredMemory {
    fn from(stored: Stored) -> Self {
        Self {
            id: stored.id.to_string(),
            namespace: stored.namespace.into(),
            entry: Some(stored.entry.into()),
            source: stored.source.to_wire(),
            label: Some(stored.label.into()),
            created_at: Some(wire_time(stored.created_at)),
            valid_from: stored.valid_from.map(wire_time),
            valid_until: stored.valid_until.map(wire_time),
            superseded_by: stored.superseded_by.map(|id| id.to_string()),
            last_accessed: stored.last_accessed.map(wire_time),
            access_count: stored.access_count,
            critic_score: stored.critic_score.map(Into::into),
            pairwise_winner: stored.pairwise_winner.map_or(0, WireEnum::to_wire),
            feedback: stored.feedback.map(Into::into),
        }
    }
}

impl TryFrom<proto::StoredMemory> for Stored {
    type Error = InvalidField;

    fn try_from(wire: proto::StoredMemory) -> Result<Self, InvalidField> {
        let critic_score = wire.critic_score.map(|score| number(score, "critic_score"));
        let feedback = wire.feedback.map(|feedback| number(feedback, "feedback"));
        Ok(Self {
            id: text(&wire.id, "id")?,
            namespace: name(wire.namespace, "namespace")?,
            entry: required(wire.entry, "entry")?,
            source: WireEnum::from_wire(wire.source, "source")?,
            label: required(wire.label, "label")?,
            created_at: time(wire.created_at, "created_at")?,
            valid_from: maybe_time(wire.valid_from, "valid_from")?,
            valid_until: maybe_time(wire.valid_until, "valid_until")?,
            superseded_by: optional_text(wire.superseded_by.as_deref(), "superseded_by")?,
            last_accessed: maybe_time(wire.last_accessed, "last_accessed")?,
            access_count: wire.access_count,
            critic_score: critic_score.transpose()?,
            pairwise_winner: maybe_enum(wire.pairwise_winner, "pairwise_winner")?,
            feedback: feedback.transpose()?,
        })
    }
}

impl From<ListRequest> for proto::ListMemoriesRequest {
    fn from(request: ListRequest) -> Self {
        Self {
            scope: Some(request.scope.into()),
            kind: request.kind.map_or(0, WireEnum::to_wire),
        }
    }
}

impl TryFrom<proto::ListMemoriesRequest> for ListRequest {
    type Error = InvalidField;

    fn try_from(wire: proto::ListMemoriesRequest) -> Result<Self, InvalidField> {
        Ok(Self {
            scope: required(wire.scope, "scope")?,
            kind: maybe_enum(wire.kind, "kind")?,
        })
    }
}

impl From<Forgotten> for proto::ForgetResponse {
    fn from(forgotten: Forgotten) -> Self {
        let holder = |holder: Holder| forget_response::Holder {
            id: holder.id.to_string(),
            kind: holder.kind.to_wire(),
            title: holder.title,
        };
        Self {
            entries: forgotten.entries,
            files: forgotten.files,
            bytes: forgotten.bytes,
            held_by: forgotten.held_by.map(|held_by| forget_response::HeldBy {
                named: held_by.named.into_iter().map(holder).collect(),
                entries: held_by.entries,
            }),
        }
    }
}

impl TryFrom<proto::ForgetResponse> for Forgotten {
    type Error = InvalidField;

    fn try_from(wire: proto::ForgetResponse) -> Result<Self, InvalidField> {
        let holder = |holder: forget_response::Holder| {
            Ok(Holder {
                id: text(&holder.id, "held_by.named.id")?,
                kind: WireEnum::from_wire(holder.kind, "held_by.named.kind")?,
                title: holder.title,
            })
        };
        let held_by = |held_by: forget_response::HeldBy| {
            let named = held_by.named.into_iter().map(holder);
            Ok(HeldBy {
                named: named.collect::<Result<_, InvalidField>>()?,
                entries: held_by.entries,
            })
        };
        Ok(Self {
            entries: wire.entries,
            files: wire.files,
            bytes: wire.bytes,
            held_by: wire.held_by.map(held_by).transpose()?,
        })
    }
}

impl From<Stats> for proto::MemoryStats {
    fn from(stats: Stats) -> Self {
        let count = |(namespace, entries): (domain::rights::Namespace, u64)| {
            proto::memory_stats::NamespaceCount {
                namespace: namespace.into(),
                entries,
            }
        };
        let index = |index: IndexState| proto::memory_stats::IndexState {
            name: index.name,
            entries: index.entries,
            of: index.of,
            note: index.note,
        };
        Self {
            memories: stats.memories,
            engrams: stats.engrams,
            superseded: stats.superseded,
            namespaces: stats.namespaces.into_iter().map(count).collect(),
            disk_bytes: stats.disk_bytes,
            embedder: stats.embedder,
            indexes: stats.indexes.into_iter().map(index).collect(),
            refused: stats.refused.iter().map(ToString::to_string).collect(),
            cache_hits: stats.cache_hits,
            cache_lookups: stats.cache_lookups,
        }
    }
}

impl TryFrom<proto::MemoryStats> for Stats {
    type Error = InvalidField;

    fn try_from(wire: proto::MemoryStats) -> Result<Self, InvalidField> {
        let count = |(place, count): (usize, proto::memory_stats::NamespaceCount)| {
            let field = format!("namespaces[{place}].namespace");
            name(count.namespace, &field).map(|namespace| (namespace, count.entries))
        };
        let index = |index: proto::memory_stats::IndexState| IndexState {
            name: index.name,
            entries: index.entries,
            of: index.of,
            note: index.note,
        };
        let refused = |(place, id): (usize, String)| text(&id, &format!("refused[{place}]"));
        let namespaces = wire.namespaces.into_iter().enumerate().map(count);
        let ids = wire.refused.into_iter().enumerate().map(refused);
        Ok(Self {
            memories: wire.memories,
            engrams: wire.engrams,
            superseded: wire.superseded,
            namespaces: namespaces.collect::<Result<_, _>>()?,
            disk_bytes: wire.disk_bytes,
            embedder: wire.embedder,
            indexes: wire.indexes.into_iter().map(index).collect(),
            refused: ids.collect::<Result<_, _>>()?,
            cache_hits: wire.cache_hits,
            cache_lookups: wire.cache_lookups,
        })
    }
}
