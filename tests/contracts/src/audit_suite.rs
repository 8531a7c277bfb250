//! What every audit log promises.

use super::{fresh_uuid, within};
use api::audit::{Action, Audit, Durability, Entry, Error, ModelCall};
use domain::Timestamp;
use domain::decision::{Layer, Verdict};
use domain::event::CallStatus;
use domain::hash::Digest;
use domain::id::{AgentId, CallId, SessionId};
use domain::label::Label;
use domain::lineage::{AgentType, Ancestor};
use domain::model::ModelRef;
use domain::tool::ToolName;
use futures::future::join_all;
use std::sync::Arc;

/// Writers at one time.
const WRITERS: usize = 8;
/// Appends of each.
const APPENDS: usize = 25;

/// An entry with every field filled in.
#[must_use]
pub fn full_entry() -> Entry {
    let agent_id = AgentId::from_uuid(fresh_uuid());
    let agent_type = AgentType::new("assistant").unwrap();
    Entry {
        time: Timestamp::now(),
        session_id: Some(SessionId::from_uuid(fresh_uuid())),
        agent_id: Some(agent_id),
        agent_type: Some(agent_type.clone()),
        lineage: vec![Ancestor {
            agent_id,
            agent_type,
        }],
        action: Action::ModelCall,
        call_id: Some(CallId::from_uuid(fresh_uuid())),
        tool: Some(ToolName::new("read_file").unwrap()),
        params_hash: Some(Digest::of(b"params")),
        decision: Some((Verdict::Confirm, Layer::SafetyGate)),
        label: Some(Label::untrusted("file:ä")),
        status: Some(CallStatus::Ok),
        duration_ms: Some(u64::MAX),
        model_call: Some(ModelCall {
            model: ModelRef {
                provider: "fake".to_owned(),
                model: "a/b:c".to_owned(),
            },
            prompt_tokens: 1,
            completion_tokens: 2,
            prompt_hash: Digest::of(b"prompt"),
            answer_hash: Digest::of(b"answer"),
        }),
        detail: "every field ☑".to_owned(),
    }
}

fn plain(action: Action) -> Entry {
    Entry::new(Timestamp::now(), action)
}

/// The whole suite. `subject` gives a fresh, empty log each time.
pub async fn conformance(subject: impl AsyncFn() -> Arc<dyn Audit>) {
    sequences_begin_at_one_and_grow_by_one(&*subject().await).await;
    concurrent_appends_leave_no_gap(subject().await).await;
}

async fn sequences_begin_at_one_and_grow_by_one(audit: &dyn Audit) {
    let entries = [
        (plain(Action::Start), Durability::Grouped),
        (full_entry(), Durability::Durable),
        (plain(Action::Intent), Durability::Durable),
        (plain(Action::Outcome), Durability::Grouped),
    ];
    for (expected, (entry, durability)) in (1..).zip(entries) {
        let ack = within("an append", audit.append(entry, durability)).await;
        assert_eq!(ack.unwrap().sequence, expected);
    }
}

async fn concurrent_appends_leave_no_gap(audit: Arc<dyn Audit>) {
    let writers = (0..WRITERS).map(|writer| {
        let audit = Arc::clone(&audit);
        tokio::spawn(async move {
            let mut own = Vec::new();
            for append in 0..APPENDS {
                let durability = match (writer + append) % 5 {
                    0 => Durability::Durable,
                    _ => Durability::Grouped,
                };
                let ack = audit.append(full_entry(), durability).await.unwrap();
                own.push(ack.sequence);
            }
            own
        })
    });
    let acks = within("all appends", join_all(writers)).await;
    let mut sequences = Vec::new();
    for own in acks {
        let own = own.unwrap();
        assert!(
            own.is_sorted(),
            "a writer's later append came before its earlier one: {own:?}"
        );
        sequences.extend(own);
    }
    sequences.sort_unstable();
    let expected: Vec<u64> = (1..=(WRITERS * APPENDS) as u64).collect();
    assert_eq!(sequences, expected, "gaps or doubles");
}

/// What a log promises that cannot be written any more, and that keeps answering so: no append is
/// acknowledged, with either durability, even if the disk has room again.
pub async fn a_broken_log_stays_shut(audit: &dyn Audit, mend: impl AsyncFnOnce()) {
    let refused = |error: &Error| {
        assert!(
            matches!(error, Error::Unwritable { .. } | Error::Poisoned { .. }),
            "{error:?}"
        );
    };
    let first = audit
        .append(plain(Action::Intent), Durability::Durable)
        .await;
    refused(&first.unwrap_err());
    mend().await;
    for durability in [Durability::Durable, Durability::Grouped] {
        let next = audit.append(plain(Action::Intent), durability).await;
        refused(&next.unwrap_err());
    }
}
