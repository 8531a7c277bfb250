//! What every Sessions service promises of sessions that last: contexts, compacting, taking back,
//! pins and signals.

use super::subject::{Subject, all, held, kind, log, open, send, status};
use crate::{fresh_uuid, within};
use api::sessions::{ErrorKind, PinChange, RewindTo, Selection, SessionSummary, TakenBack, Whose};
use domain::drive::Signal;
use domain::event::{Event, EventBody, QueryStatus};
use domain::id::{AgentId, QueryId, SessionId};
use domain::limits::{PINNED_MESSAGES, SESSION_NAME_CHARACTERS, SIGNAL_BYTES};
use domain::model::Think;
use domain::settings::Mode;
use futures::StreamExt;

pub(super) async fn promises(subject: impl AsyncFn() -> Subject) {
    a_context_holds_what_counts(&subject().await).await;
    taking_back_goes_back_and_the_log_keeps_all(&subject().await).await;
    a_waiting_request_is_taken_back_with_the_one_before_it(&subject().await).await;
    what_is_taken_back_stays_so_after_closing_and_in_a_fork(&subject().await).await;
    nothing_is_taken_back_or_compacted_while_something_runs(&subject().await).await;
    messages_are_pinned_up_to_the_limit(&subject().await).await;
    what_is_not_there_has_no_commands(&subject().await).await;
    a_session_has_the_name_that_it_is_given(&subject().await).await;
    how_much_models_think_is_configured(&subject().await).await;
}

async fn how_much_models_think_is_configured(subject: &Subject) {
    let (id, holder_id) = held(subject).await;
    let before = log(subject, id, 1).await.len();
    for think in Think::ALL.into_iter().rev() {
        let mut profile = subject.profile.clone();
        profile.think = think;
        let configuring = subject.sessions.configure(id, holder_id, profile);
        configuring.await.expect("it is configured");
    }
    let events = log(subject, id, 1).await;
    let told = events
        .iter()
        .skip(before)
        .filter_map(|event| match &event.body {
            EventBody::SessionConfigured { profile } => Some(profile.think),
            _ => None,
        });
    let wanted: Vec<Think> = Think::ALL.into_iter().rev().collect();
    assert_eq!(told.collect::<Vec<_>>(), wanted);
}

/// What the session is listed as.
async fn title(subject: &Subject, id: SessionId) -> String {
    let selection = Selection::Id(id.to_string());
    let listed = subject.sessions.list(selection).await;
    let listed = listed.expect("it is listed");
    assert_eq!(listed.len(), 1);
    listed[0].title.clone()
}

async fn a_session_has_the_name_that_it_is_given(subject: &Subject) {
    let (id, holder_id) = held(subject).await;
    let sessions = &subject.sessions;
    let rename = async |name: &str| sessions.rename(id, name).await;
    let first = title(subject, id).await;
    assert!(rename(" The Moor ").await.is_ok());
    assert_eq!(title(subject, id).await, "The Moor");
    let live = sessions.list(Selection::Live).await.expect("it is listed");
    let is_named = |one: &SessionSummary| one.session_id == id && one.title == "The Moor";
    assert!(live.iter().any(is_named), "{live:?}");
    sessions.close(id, holder_id).await.expect("it closes");
    assert_eq!(title(subject, id).await, "The Moor", "it lasts");
    assert!(rename("Heath").await.is_ok(), "nobody has it open");
    assert_eq!(title(subject, id).await, "Heath");
    for bad in [
        "one\ntwo",
        "\u{1b}[2J",
        &"x".repeat(SESSION_NAME_CHARACTERS + 1),
    ] {
        assert_eq!(
            kind(rename(bad).await),
            ErrorKind::InvalidRequest,
            "{bad:?}"
        );
    }
    assert_eq!(title(subject, id).await, "Heath");
    assert!(rename("").await.is_ok());
    assert_eq!(title(subject, id).await, first);
    let nobody = SessionId::from_uuid(fresh_uuid());
    let renamed = sessions.rename(nobody, "Heath").await;
    assert_eq!(kind(renamed), ErrorKind::NotFound);
}

async fn ask(subject: &Subject, id: SessionId) -> Vec<Event> {
    let events = all(send(subject, id, &subject.ends).await).await;
    assert_eq!(status(&events), QueryStatus::Success);
    events
}

fn query_of(events: &[Event]) -> QueryId {
    events[0].query_id.expect("a request has an id")
}

/// Everything the model will be shown next, as one text.
async fn context(subject: &Subject, id: SessionId) -> String {
    let looking = subject.sessions.context(id, Whose::Root);
    let view = within("the context is shown", looking)
        .await
        .expect("the context is shown");
    assert!(view.budget_tokens <= view.context_tokens);
    let tokens = view.parts.iter().map(|part| part.tokens);
    assert!(tokens.sum::<u64>() > 0);
    let named = view.parts.iter().all(|part| !part.name.is_empty());
    assert!(named, "{view:?}");
    let texts: Vec<String> = view.parts.into_iter().map(|part| part.text).collect();
    texts.join("\n")
}

async fn take_back(subject: &Subject, id: SessionId, to: RewindTo) -> TakenBack {
    let taking = subject.sessions.rewind(id, to);
    within("it is taken back", taking)
        .await
        .expect("it is taken back")
}

/// How often the words of the request are in the context.
async fn times_shown(subject: &Subject, id: SessionId) -> usize {
    context(subject, id).await.matches(&subject.ends).count()
}

async fn a_context_holds_what_counts(subject: &Subject) {
    let (id, holder_id) = held(subject).await;
    let before = times_shown(subject, id).await;
    ask(subject, id).await;
    let once = times_shown(subject, id).await;
    assert!(once > before, "what was said is shown");
    let seen = log(subject, id, 1).await;
    assert_eq!(times_shown(subject, id).await, once);
    assert_eq!(log(subject, id, 1).await, seen, "looking leaves no trace");
    let stranger = Whose::Agent(AgentId::from_uuid(fresh_uuid()));
    let nobody = subject.sessions.context(id, stranger).await;
    assert_eq!(kind(nobody), ErrorKind::InvalidRequest);
    subject
        .sessions
        .close(id, holder_id)
        .await
        .expect("it closes");
    let closed = log(subject, id, 1).await;
    assert_eq!(times_shown(subject, id).await, once, "from disk as well");
    assert_eq!(log(subject, id, 1).await, closed, "looking leaves no trace");
}

async fn taking_back_goes_back_and_the_log_keeps_all(subject: &Subject) {
    let id = open(subject).await;
    let sessions = &subject.sessions;
    let nothing = sessions.rewind(id, RewindTo::LastRequest).await;
    assert_eq!(kind(nothing), ErrorKind::NothingToDo);
    let none = times_shown(subject, id).await;
    let first = query_of(&ask(subject, id).await);
    let once = times_shown(subject, id).await;
    let second = query_of(&ask(subject, id).await);
    ask(subject, id).await;
    let whole = log(subject, id, 1).await;
    // To before the second: the third goes with it.
    let taken = take_back(subject, id, RewindTo::Request(second)).await;
    assert_eq!((taken.query_id, &taken.text), (second, &subject.ends));
    assert_eq!(times_shown(subject, id).await, once);
    let after = log(subject, id, 1).await;
    assert_eq!(after[..whole.len()], whole, "the log keeps all of it");
    let begins = whole.iter().find(|event| event.query_id == Some(second));
    let to_seq = begins.map_or(0, |event| event.seq - 1);
    let rewound = &after[whole.len()].body;
    assert_eq!(*rewound, EventBody::Rewound { to_seq });
    let again = sessions.rewind(id, RewindTo::Request(second)).await;
    assert_eq!(kind(again), ErrorKind::InvalidRequest, "it is gone already");
    // The last that counts is the first now.
    let taken = take_back(subject, id, RewindTo::LastRequest).await;
    assert_eq!(taken.query_id, first);
    assert_eq!(times_shown(subject, id).await, none);
    let nothing = sessions.rewind(id, RewindTo::LastRequest).await;
    assert_eq!(kind(nothing), ErrorKind::NothingToDo);
    ask(subject, id).await;
    assert_eq!(times_shown(subject, id).await, once, "the session goes on");
}

async fn a_waiting_request_is_taken_back_with_the_one_before_it(subject: &Subject) {
    let id = open(subject).await;
    let none = times_shown(subject, id).await;
    let mut running = send(subject, id, &subject.runs_on).await;
    let first = within("it begins", running.next()).await;
    first.expect("it begins").expect("no error");
    let waiting = send(subject, id, &subject.ends).await;
    subject
        .sessions
        .interrupt(id, None)
        .await
        .expect("it stops");
    all(running).await;
    let waited = query_of(&all(waiting).await);
    let with_both = times_shown(subject, id).await;
    assert!(with_both > none);
    // The one that waited goes alone; what it waited for stays.
    take_back(subject, id, RewindTo::Request(waited)).await;
    let text = context(subject, id).await;
    assert!(text.contains(&subject.runs_on), "{text}");
    assert_eq!(times_shown(subject, id).await, none);
    let taken = take_back(subject, id, RewindTo::LastRequest).await;
    assert_eq!(taken.text, subject.runs_on);
}

async fn what_is_taken_back_stays_so_after_closing_and_in_a_fork(subject: &Subject) {
    let (id, holder_id) = held(subject).await;
    ask(subject, id).await;
    let once = times_shown(subject, id).await;
    let end = log(subject, id, 1).await.len() as u64;
    ask(subject, id).await;
    let both = times_shown(subject, id).await;
    let before = log(subject, id, 1).await.len() as u64;
    take_back(subject, id, RewindTo::LastRequest).await;
    subject
        .sessions
        .close(id, holder_id)
        .await
        .expect("it closes");
    assert_eq!(times_shown(subject, id).await, once, "from disk");
    for (at_seq, expected) in [(0, once), (before, both), (end, once)] {
        let forking = subject.sessions.fork(id, at_seq).await;
        let fork = forking.expect("it is forked").session_id;
        assert_eq!(times_shown(subject, fork).await, expected, "at {at_seq}");
    }
}

async fn nothing_is_taken_back_or_compacted_while_something_runs(subject: &Subject) {
    let id = open(subject).await;
    let sessions = &subject.sessions;
    assert_eq!(kind(sessions.compact(id).await), ErrorKind::NothingToDo);
    let mut running = send(subject, id, &subject.runs_on).await;
    let first = within("it begins", running.next()).await;
    first.expect("it begins").expect("no error");
    let taken = sessions.rewind(id, RewindTo::LastRequest).await;
    assert_eq!(kind(taken), ErrorKind::Busy);
    assert_eq!(kind(sessions.compact(id).await), ErrorKind::Busy);
    sessions.interrupt(id, None).await.expect("it stops");
    all(running).await;
    take_back(subject, id, RewindTo::LastRequest).await;
}

/// The event with the words of a request.
fn received(events: &[Event]) -> u64 {
    let found = events
        .iter()
        .find(|event| matches!(event.body, EventBody::QueryReceived { .. }));
    found.expect("a request is received").seq
}

async fn messages_are_pinned_up_to_the_limit(subject: &Subject) {
    let id = open(subject).await;
    let sessions = &subject.sessions;
    let mut words = Vec::new();
    for _ in 0..=PINNED_MESSAGES {
        words.push(received(&ask(subject, id).await));
    }
    let pin = async |seq| sessions.pin(id, seq, PinChange::Pin).await;
    for seq in &words[..PINNED_MESSAGES] {
        pin(*seq).await.expect("it is pinned");
    }
    let before = log(subject, id, 1).await;
    pin(words[0]).await.expect("pinned as it is");
    assert_eq!(log(subject, id, 1).await, before, "nothing changed");
    let last = words[PINNED_MESSAGES];
    assert_eq!(kind(pin(last).await), ErrorKind::InvalidRequest);
    let unpinning = sessions.pin(id, words[0], PinChange::Unpin).await;
    unpinning.expect("the pin is taken away");
    pin(last).await.expect("there is room again");
    let whole = log(subject, id, 1).await;
    let pinned = EventBody::Pinned {
        seq: words[0],
        pinned: false,
    };
    assert!(whole.iter().any(|event| event.body == pinned));
    // An opening is no message, and neither is what is not there or was taken back.
    for seq in [0, 1, u64::MAX] {
        assert_eq!(kind(pin(seq).await), ErrorKind::InvalidRequest, "{seq}");
    }
    take_back(subject, id, RewindTo::LastRequest).await;
    let gone = sessions.pin(id, last, PinChange::Unpin).await;
    assert_eq!(kind(gone), ErrorKind::InvalidRequest);
}

pub(super) async fn signals_are_for_sessions_in_auto_mode(subject: &Subject) {
    let timer = |bytes: usize| Signal::Timer {
        note: "x".repeat(bytes),
    };
    let signal = async |id, signal| subject.sessions.signal(id, signal).await;
    let nowhere = SessionId::from_uuid(fresh_uuid());
    assert_eq!(kind(signal(nowhere, timer(1)).await), ErrorKind::NotFound);
    let (id, holder_id) = held(subject).await;
    assert_eq!(kind(signal(id, timer(1)).await), ErrorKind::NotAuto);
    let mut profile = subject.profile.clone();
    profile.mode = Mode::Auto;
    let configuring = subject.sessions.configure(id, holder_id, profile);
    configuring.await.expect("it is in auto mode");
    let too_long = signal(id, timer(SIGNAL_BYTES + 1)).await;
    assert_eq!(kind(too_long), ErrorKind::InvalidRequest);
    let taken = signal(id, timer(SIGNAL_BYTES)).await;
    taken.expect("a signal at the limit is taken");
    let received = EventBody::SignalReceived {
        signal: timer(SIGNAL_BYTES),
    };
    let whole = log(subject, id, 1).await;
    assert!(whole.iter().any(|event| event.body == received));
}

async fn what_is_not_there_has_no_commands(subject: &Subject) {
    let id = SessionId::from_uuid(fresh_uuid());
    let sessions = &subject.sessions;
    let context = sessions.context(id, Whose::Root).await;
    assert_eq!(kind(context), ErrorKind::NotFound);
    assert_eq!(kind(sessions.compact(id).await), ErrorKind::NotFound);
    let taken = sessions.rewind(id, RewindTo::LastRequest).await;
    assert_eq!(kind(taken), ErrorKind::NotFound);
    let pinned = sessions.pin(id, 1, PinChange::Pin).await;
    assert_eq!(kind(pinned), ErrorKind::NotFound);
}
