//! By which settings a session works, what is pinned, and what it cost.

use crate::{asked, ended, event, of, profile, resumed, view};
use domain::event::EventBody;
use domain::model::{FinishReason, Usage};
use domain::settings::Mode;

fn answered(text: &str, tokens: u64) -> EventBody {
    EventBody::ModelAnswered {
        text: text.to_owned(),
        thinking: None,
        tool_calls: Vec::new(),
        usage: Usage {
            completion_tokens: tokens,
            ..Usage::default()
        },
        finish: FinishReason::Stop,
        aside: false,
    }
}

#[test]
fn the_last_profile_is_in_force() {
    let mut planning = profile();
    planning.mode = Mode::Plan;
    let opened = EventBody::SessionOpened {
        profile: profile(),
        forked_from: None,
    };
    let configured = EventBody::SessionConfigured {
        profile: planning.clone(),
    };
    let mut events = vec![event(opened)];
    assert_eq!(view(events.clone()).profile(), Some(&profile()));
    events.push(event(configured));
    events.push(asked(1));
    let changed = view(events.clone());
    assert_eq!(changed.profile(), Some(&planning));
    assert_eq!((changed.profile_seq(), changed.last_seq()), (2, 3));
    events.push(resumed());
    assert_eq!(view(events).profile(), Some(&profile()));
    assert_eq!(view([]).profile(), None);
}

#[test]
fn every_model_call_counts_towards_the_cost() {
    let events = [
        asked(1),
        of(1, answered("half", 7)),
        of(1, answered("whole", 5)),
        ended(1, None),
    ];
    assert_eq!(view(events).used().completion_tokens, 12);
}

#[test]
fn a_pin_holds_until_it_is_taken_away() {
    let pin = |seq, pinned| event(EventBody::Pinned { seq, pinned });
    let events = [pin(1, true), pin(2, true), pin(1, false)];
    assert!(view(events).pinned().iter().eq(&[2]));
}

#[test]
fn pieces_of_answers_leave_nothing_in_the_view() {
    let piece = |text: &str| {
        of(
            1,
            EventBody::TextDelta {
                text: text.to_owned(),
            },
        )
    };
    let with = |pieces: usize| {
        let pieces = (0..pieces).map(|_| piece(&"word ".repeat(100)));
        let mut whole = view(std::iter::once(asked(1)).chain(pieces));
        let seq_only = whole.last_seq();
        whole.apply(&domain::event::Event {
            seq: 99_999,
            ..piece("")
        });
        (seq_only, whole)
    };
    let (few, many) = (with(1), with(2_000));
    assert_ne!(few.0, many.0);
    assert_eq!(few.1, many.1);
}
