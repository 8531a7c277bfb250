//! Every reading and writing is on record before it is answered, and no text is.

use crate::place::{ask, everything, keep, memory, open};
use api::CallContext;
use api::audit::Action;
use api::memory::{
    Curator as _, ListRequest, Memory as _, QueryEvent, QueryRequest, Scope, WriteAnswer,
};
use contracts::FakeAudit;
use domain::event::CallStatus;
use domain::fault::Coded as _;
use domain::id::{AgentToken, SessionId, TraceId};
use futures::StreamExt as _;
use std::sync::Arc;
use uuid::Uuid;

#[tokio::test]
async fn every_act_is_on_record_with_ids_and_without_texts() {
    let root = tempfile::tempdir().unwrap();
    let audit = Arc::new(FakeAudit::new());
    let service = open(root.path(), &audit).await.unwrap();
    let session_id = SessionId::from_uuid(Uuid::now_v7());
    let context = CallContext {
        session_id,
        agent_token: AgentToken::from_text("token"),
        trace_id: TraceId::from_uuid(Uuid::now_v7()),
    };
    let mut request = memory("pelican", "The pelican eats fish.");
    request.context = Some(context);
    let id = keep(&service, request).await;
    ask(&service, "pelican").await.unwrap();
    let nowhere = QueryRequest {
        context: None,
        text: "pelican".to_owned(),
        scope: Scope::Only(Vec::new()),
        limit: 3,
        detail: api::memory::Detail::Segment,
        at_least: 0.0,
    };
    let events = service.query(nowhere).await.unwrap();
    events.collect::<Vec<_>>().await;
    let again = service
        .write(memory("pelican", "The pelican eats fish."))
        .await
        .unwrap();
    assert_eq!(again, WriteAnswer::Duplicate { id });
    service
        .write(memory("pelican", "AKIAABCDEFGHIJKLMNOP"))
        .await
        .unwrap();
    service.show(id).await.unwrap();
    service.forget(id).await.unwrap();

    let entries = audit.entries();
    let told: Vec<_> = entries
        .iter()
        .map(|entry| (entry.action, entry.status.unwrap(), entry.detail.as_str()))
        .collect();
    let (read, write) = (Action::MemoryRead, Action::MemoryWrite);
    let (ok, denied) = (CallStatus::Ok, CallStatus::Denied);
    let keeps = format!("keeps {id}");
    let recalled = format!("recalled: {id}");
    let [ref shown, ref forgets] = [format!("shown: {id}"), format!("forgets {id}")];
    assert_eq!(told[0], (write, ok, keeps.as_str()));
    assert_eq!(told[1], (read, ok, recalled.as_str()));
    assert_eq!(told[2], (read, ok, "recalled: nothing"));
    assert_eq!(told[3].0, write);
    assert_eq!(told[4].1, CallStatus::Failed);
    assert!(
        told[4].2.ends_with(&format!("{id} says the same")),
        "{told:?}"
    );
    assert_eq!(told[5], (write, denied, "kept out: secret"));
    assert_eq!(told[6], (read, ok, shown.as_str()));
    assert_eq!(told[7], (write, ok, forgets.as_str()));
    assert_eq!(told.len(), 8);
    assert_eq!(entries[0].session_id, Some(session_id));
    for entry in entries {
        assert!(!entry.detail.contains("pelican") && !entry.detail.contains("AKIA"));
    }
}

#[tokio::test]
async fn what_cannot_be_recorded_is_neither_answered_nor_done() {
    let root = tempfile::tempdir().unwrap();
    let audit = Arc::new(FakeAudit::new());
    let service = open(root.path(), &audit).await.unwrap();
    let id = keep(&service, memory("heron", "The heron stands in water.")).await;
    audit.fail();
    let error = service
        .write(memory("stork", "It clatters."))
        .await
        .unwrap_err();
    assert_eq!(error.code(), "memory.not_recorded");
    assert!(ask(&service, "heron").await.is_err());
    assert!(service.show(id).await.is_err());
    assert!(service.forget(id).await.is_err());
    let everywhere = ListRequest {
        scope: Scope::All,
        kind: None,
    };
    assert!(service.list(everywhere).await.is_err());
    audit.heal();
    let kept = everything(&service).await;
    assert_eq!(
        kept.iter().map(|stored| stored.id).collect::<Vec<_>>(),
        [id]
    );
}

#[tokio::test]
async fn no_result_is_told_before_it_is_on_record() {
    let root = tempfile::tempdir().unwrap();
    let audit = Arc::new(FakeAudit::new());
    let service = open(root.path(), &audit).await.unwrap();
    keep(&service, memory("heron", "The heron stands in water.")).await;
    audit.fail();
    let mut events = service
        .query(QueryRequest {
            context: None,
            text: "heron".to_owned(),
            scope: Scope::All,
            limit: 3,
            detail: api::memory::Detail::Segment,
            at_least: 0.0,
        })
        .await
        .unwrap();
    while let Some(event) = events.next().await {
        match event {
            Ok(QueryEvent::Stage(stage)) => assert!(!stage.note.contains("heron")),
            Ok(QueryEvent::Results(recalls)) => panic!("told: {recalls:?}"),
            Err(error) => return assert_eq!(error.code(), "memory.not_recorded"),
        }
    }
    panic!("neither results nor an error");
}
