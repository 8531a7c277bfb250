//! Which requests are open, which question waits, and what was cut off.

use crate::{asked, ended, event, of, process_ended, profile, query, resumed, view};
use domain::event::{
    CallStatus, ConfirmationAnswer, ConfirmationKind, ConfirmationRequest, Event, EventBody,
};
use domain::hash::Digest;
use domain::id::ConfirmationId;
use domain::lineage::AgentType;
use domain::settings::OverrideLevel;
use domain::tool::EffectClass;
use session::{CHANGES, SESSION_REACH, SessionView, YesEnded};
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
        steps: Vec::new(),
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
        token: None,
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
        let own = cut[0].query_id.and_then(|id| whole.as_cut_off(id));
        let is_back = matches!(
            after,
            [Event {
                body: EventBody::Rewound { .. },
                ..
            }]
        );
        assert_eq!(own.is_none(), is_back, "{after:?}");
    }
    assert!(view([asked(1), ended(1, None)]).cut_off().is_none());
}

/// A question with an offer of a yes for the session, as the broker words it.
fn offer(number: u128, effect: EffectClass, (call, reach): (&str, &str)) -> ConfirmationRequest {
    let EventBody::ConfirmationAsked(mut request) = question(1, number).body else {
        unreachable!()
    };
    request.effect = effect;
    request.rendering = format!("{call}\n{SESSION_REACH}{reach}\nIn short: {call}\n");
    request
}

/// A call that changed a file.
fn changed_a_file() -> Event {
    let body = EventBody::ToolResult {
        tool: "write_file".to_owned(),
        status: CallStatus::Ok,
        value_id: None,
        label: None,
        text: String::new(),
        truncated: false,
        duration_ms: 0,
        artifacts: vec!["/w/a".to_owned()],
        edited: None,
    };
    of(1, body)
}

#[test]
fn a_yes_for_the_session_knows_what_ended_it() {
    let folder = format!("{CHANGES}/w, until the session ends");
    let write = |number, call| offer(number, EffectClass::SharedWrite, (call, &folder));
    let command = |number, call| offer(number, EffectClass::Exec, (call, "exactly this command"));
    let said = |number| EventBody::ConfirmationAnswered {
        confirmation_id: confirmation(number),
        answer: ConfirmationAnswer::Session,
        by: "user".to_owned(),
        token: None,
    };
    let ask = |request| of(1, EventBody::ConfirmationAsked(request));
    let configured = |profile| event(EventBody::SessionConfigured { profile });
    let mut wide = profile();
    wide.settings.override_level = OverrideLevel::Relax;
    let begun = [
        event(EventBody::SessionOpened {
            profile: profile(),
            forked_from: None,
        }),
        asked(1),
        ask(write(7, "write a")),
        of(1, said(7)),
        ask(command(8, "make")),
        of(1, said(8)),
        // A yes for this once is none for the session.
        ask(command(9, "ls")),
        answer(1, 9),
    ];
    let rows = [
        (vec![], [None, None]),
        (vec![configured(profile())], [None, None]),
        (vec![changed_a_file()], [None, Some(YesEnded::Files)]),
        (
            vec![configured(wide), configured(profile())],
            [Some(YesEnded::Settings); 2],
        ),
        (vec![resumed()], [Some(YesEnded::Process); 2]),
        // The first that ended it.
        (
            vec![changed_a_file(), resumed()],
            [Some(YesEnded::Process), Some(YesEnded::Files)],
        ),
    ];
    for (after, expected) in rows {
        let view = view(begun.iter().cloned().chain(after));
        let ended =
            [write(17, "write another"), command(18, "make")].map(|one| view.ended_yes(&one));
        assert_eq!(ended, expected);
        for none in [command(19, "ls"), command(20, "make all")] {
            assert_eq!(view.ended_yes(&none), None);
        }
    }
    let again = [resumed(), ask(write(27, "write a")), of(1, said(27))];
    let view = view(begun.into_iter().chain(again));
    assert_eq!(
        view.ended_yes(&write(28, "write b")),
        None,
        "it was given again"
    );
}

#[test]
fn a_yes_in_the_session_that_was_copied_is_none_in_the_copy() {
    let folder = format!("{CHANGES}/w, until the session ends");
    let write = |number| offer(number, EffectClass::SharedWrite, ("write a", &folder));
    let opened = |forked_from| {
        event(EventBody::SessionOpened {
            profile: profile(),
            forked_from,
        })
    };
    let said = EventBody::ConfirmationAnswered {
        confirmation_id: confirmation(7),
        answer: ConfirmationAnswer::Session,
        by: "user".to_owned(),
        token: None,
    };
    let asked = EventBody::ConfirmationAsked(write(7));
    let after = |opening| {
        let events = [
            opening,
            of(1, asked.clone()),
            of(1, said.clone()),
            resumed(),
        ];
        view(events).ended_yes(&write(17))
    };
    assert_eq!(after(opened(None)), Some(YesEnded::Process));
    let origin = domain::id::SessionId::from_uuid(Uuid::from_u128(3));
    assert_eq!(after(opened(Some((origin, 3)))), None);
}

fn queued(number: u128) -> Event {
    of(number, EventBody::QueryQueued { position: 1 })
}

#[test]
fn requests_that_wait_stand_in_the_order_that_they_are_given() {
    let moved = |number, before: Option<u128>| {
        let before = before.map(query);
        of(number, EventBody::QueryMoved { before })
    };
    let texts = |moves: &[Event]| {
        let waiting = [asked(1), asked(2), queued(2), asked(3), queued(3)];
        let more = [asked(4), queued(4)];
        let view = view([&waiting[..], &more, moves].concat());
        let open = view.open_requests().map(|one| one.text.clone());
        open.collect::<Vec<_>>().join(", ")
    };
    assert_eq!(texts(&[]), "do 1, do 2, do 3, do 4");
    assert_eq!(texts(&[moved(4, Some(2))]), "do 1, do 4, do 2, do 3");
    assert_eq!(texts(&[moved(2, Some(4))]), "do 1, do 3, do 2, do 4");
    assert_eq!(texts(&[moved(2, None)]), "do 1, do 3, do 4, do 2");
    // What runs stays where it is, and so does what goes nowhere.
    for bad in [moved(1, None), moved(3, Some(1)), moved(3, Some(9))] {
        assert_eq!(texts(&[bad]), "do 1, do 2, do 3, do 4");
    }
    // Each begins after the end of the one before it.
    let waiting = vec![asked(1), asked(2), queued(2), asked(3), queued(3)];
    let after = vec![moved(3, Some(2)), ended(1, None), ended(3, None)];
    let view = view([waiting, after].concat());
    let all = view.exchanges().standing().iter();
    let begins: Vec<(String, u64)> = all
        .map(|one| (one.text.clone(), one.begins_after))
        .collect();
    assert_eq!(
        begins,
        [
            ("do 1".to_owned(), 0),
            ("do 3".to_owned(), 7),
            ("do 2".to_owned(), 8)
        ]
    );
}

#[test]
fn a_request_that_was_taken_back_while_it_waited_does_not_count() {
    let waiting = [asked(1), asked(2), queued(2)];
    let standing = |events: Vec<Event>| {
        let view = view(events);
        let all = view.exchanges().standing().iter();
        all.map(|one| (one.text.clone(), one.has_begun))
            .collect::<Vec<_>>()
    };
    let of_two =
        |first: bool, second: bool| vec![("do 1".to_owned(), first), ("do 2".to_owned(), second)];
    let before = waiting.to_vec();
    assert_eq!(standing(before.clone()), of_two(true, false));
    let taken_back = [before.clone(), vec![ended(2, None)]].concat();
    assert_eq!(standing(taken_back), of_two(true, false)[..1]);
    // Cut off with the one before it, it still waits for an answer.
    let cut_off = vec![ended(1, process_ended()), ended(2, process_ended())];
    assert_eq!(
        standing([before.clone(), cut_off].concat()),
        of_two(true, false)
    );
    // Begun and stopped at once, it counts.
    let stopped = vec![ended(1, None), ended(2, None)];
    assert_eq!(
        standing([before.clone(), stopped].concat()),
        of_two(true, false)
    );
    let begun = of(
        2,
        EventBody::TextDelta {
            text: "a".to_owned(),
        },
    );
    let answered = vec![ended(1, None), begun, ended(2, None)];
    assert_eq!(standing([before, answered].concat()), of_two(true, true));
}
