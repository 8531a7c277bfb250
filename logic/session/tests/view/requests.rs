//! Which requests are open, which question waits, and what was cut off.

use crate::{asked, ended, event, of, process_ended, query, resumed, view};
use domain::event::{ConfirmationAnswer, ConfirmationKind, ConfirmationRequest, Event, EventBody};
use domain::hash::Digest;
use domain::id::ConfirmationId;
use domain::lineage::AgentType;
use domain::tool::EffectClass;
use session::SessionView;
use uuid::Uuid;

fn confirmation(number: u128) -> ConfirmationId {
    ConfirmationId::from_uuid(Uuid::from_u128(number))
}

fn question(request: u128, number: u128) -> Event {
    let body = EventBody::ConfirmationAsked(ConfirmationRequest {
        confirmation_id: confirmation(number),
        kind: ConfirmationKind::Call,
        agent_type: AgentType::new("coder").unwrap(),
        lineage: Vec::new(),
        batch: None,
        effect: EffectClass::Read,
        reason: String::new(),
        rendering: String::new(),
        diff: None,
        binding: Digest::of(b""),
        expires: domain::Timestamp::UNIX_EPOCH,
    });
    of(request, body)
}

fn answer(request: u128, number: u128) -> Event {
    let body = EventBody::ConfirmationAnswered {
        confirmation_id: confirmation(number),
        answer: ConfirmationAnswer::Once,
        by: "user".to_owned(),
    };
    of(request, body)
}

fn rewound(to_seq: u64) -> Event {
    event(EventBody::Rewound { to_seq })
}

#[test]
fn requests_are_open_until_they_end() {
    let open = |view: &SessionView| -> Vec<u64> {
        view.open_requests().map(|one| one.received_seq).collect()
    };
    let mut events = vec![asked(1), asked(2)];
    assert_eq!(open(&view(events.clone())), [1, 2]);
    events.push(ended(1, None));
    let later = view(events.clone());
    assert_eq!(open(&later), [2]);
    assert!(later.open_request(query(1)).is_none());
    assert!(later.open_request(query(2)).is_some());
    events.push(ended(2, None));
    assert!(open(&view(events)).is_empty());
}

#[test]
fn a_question_waits_until_answer_end_or_resume() {
    let two = [asked(1), question(1, 7), question(1, 8)];
    let rows: [(&[Event], &[u64]); 6] = [
        (&[], &[2, 3]),
        (&[answer(1, 7)], &[3]),
        (&[answer(1, 8)], &[2]),
        (&[answer(1, 7), answer(1, 8)], &[]),
        (&[ended(1, None)], &[]),
        (&[resumed()], &[]),
    ];
    for (after, expected) in rows {
        let whole = view(two.iter().chain(after).cloned());
        let waiting: Vec<u64> = whole.questions().iter().map(|one| one.asked_seq).collect();
        assert_eq!(waiting, expected, "{after:?}");
    }
    let other = view([asked(1), asked(2), question(1, 7), ended(2, None)]);
    assert_eq!(other.questions().len(), 1, "the end of another request");
}

#[test]
fn a_request_is_cut_off_until_another_comes() {
    let cut = [asked(1), ended(1, process_ended())];
    let rows: [(&[Event], Option<&str>); 5] = [
        (&[], Some("do 1")),
        (&[resumed()], Some("do 1")),
        (&[asked(2)], None),
        (&[asked(2), ended(2, None)], None),
        (&[rewound(0)], None),
    ];
    for (after, expected) in rows {
        let whole = view(cut.iter().chain(after).cloned());
        let found = whole.cut_off().map(|one| one.text.as_str());
        assert_eq!(found, expected, "{after:?}");
    }
    assert!(view([asked(1), ended(1, None)]).cut_off().is_none());
}
