//! The invariants of a turn, checked over random worlds: whatever a model, its tools and the user
//! do, a turn ends, keeps its limits and runs no call twice.

use domain::event::{CallStatus, QueryStatus};
use domain::id::CallId;
use domain::model::FinishReason;
use domain::tool::EffectClass;
use proptest::prelude::*;
use std::collections::BTreeSet;
use turn::{Action, Answer, BrokenCall, Call, Event, Limits, Nudge, Reason, State, ToolUse, Turn};
use uuid::Uuid;

fn id(number: u128) -> CallId {
    CallId::from_uuid(Uuid::from_u128(number))
}

fn call(number: u128, effect: Option<EffectClass>) -> Call {
    Call {
        call_id: id(number),
        effect,
    }
}

fn effects() -> impl Strategy<Value = Option<EffectClass>> {
    prop_oneof![
        3 => Just(Some(EffectClass::Read)),
        1 => Just(Some(EffectClass::SharedWrite)),
        1 => Just(None),
    ]
}

fn calls() -> impl Strategy<Value = Vec<Call>> {
    // Few ids, so that models repeat them.
    proptest::collection::vec((0_u128..60, effects()), 0..8).prop_map(|calls| {
        calls
            .into_iter()
            .map(|(n, effect)| call(n, effect))
            .collect()
    })
}

fn finishes() -> impl Strategy<Value = FinishReason> {
    prop_oneof![
        Just(FinishReason::Stop),
        Just(FinishReason::ToolCalls),
        Just(FinishReason::Length),
        Just(FinishReason::ContentFilter),
        Just(FinishReason::Cancelled),
        Just(FinishReason::Repetition),
    ]
}

fn broken_calls() -> impl Strategy<Value = Option<BrokenCall>> {
    prop_oneof![
        Just(None),
        Just(Some(BrokenCall::Cut)),
        Just(Some(BrokenCall::NotOffered)),
    ]
}

fn answers() -> impl Strategy<Value = Answer> {
    (any::<(bool, bool)>(), broken_calls(), finishes(), calls()).prop_map(
        |((has_text, is_untrue), broken_call, finish, calls)| Answer {
            has_text,
            is_untrue,
            broken_call,
            finish,
            calls,
        },
    )
}

fn statuses() -> impl Strategy<Value = CallStatus> {
    prop_oneof![
        Just(CallStatus::Ok),
        Just(CallStatus::Failed),
        Just(CallStatus::Denied),
        Just(CallStatus::Cancelled),
    ]
}

fn events() -> impl Strategy<Value = Event> {
    prop_oneof![
        1 => Just(Event::Received),
        2 => Just(Event::Assembled),
        6 => answers().prop_map(Event::Answered),
        1 => Just(Event::Overflowed),
        1 => any::<bool>().prop_map(|shrunk| Event::Compacted { shrunk }),
        12 => (0_u128..60, statuses(), any::<(bool, bool)>()).prop_map(|(n, status, (circles, completes))| {
            Event::CallEnded { call_id: id(n), status, circles, completes }
        }),
        1 => Just(Event::Published),
    ]
}

fn small() -> Limits {
    Limits {
        model_calls: 4,
        calls_per_reply: 3,
        nudges: 1,
        compactions: 2,
        circles: 2,
    }
}

/// What one turn has done, counted from its actions alone.
#[derive(Default)]
struct Watch {
    offered: u32,
    withheld: u32,
    compactions: u32,
    empty_nudges: u32,
    corrections: u32,
    run: BTreeSet<CallId>,
    running: BTreeSet<CallId>,
}

impl Watch {
    fn see(&mut self, actions: &[Action], limits: Limits) -> Result<(), TestCaseError> {
        for action in actions {
            match action {
                Action::AskModel(tools) => {
                    prop_assert!(self.running.is_empty(), "asked while calls run");
                    match tools {
                        ToolUse::Offered => self.offered += 1,
                        ToolUse::Withheld => self.withheld += 1,
                    }
                }
                Action::Compact => self.compactions += 1,
                Action::Nudge(
                    Nudge::EmptyReply | Nudge::CutReply | Nudge::CutCall | Nudge::UnknownTool,
                ) => self.empty_nudges += 1,
                Action::Nudge(Nudge::NotDone | Nudge::Refused) => self.corrections += 1,
                Action::Run(calls) => {
                    prop_assert_eq!(self.withheld, 0, "ran a call after tools were withheld");
                    for call in calls {
                        prop_assert!(self.run.insert(*call), "ran {} twice", call);
                        self.running.insert(*call);
                    }
                    prop_assert!(self.running.len() <= limits.calls_per_reply);
                }
                Action::RefuseExcess(calls) => {
                    for call in calls {
                        prop_assert!(!self.run.contains(call));
                    }
                }
                Action::Stop => self.running.clear(),
                Action::Publish(_) => prop_assert!(self.running.is_empty()),
                Action::Assemble | Action::Nudge(_) => {}
            }
        }
        prop_assert!(self.offered <= limits.model_calls + limits.compactions);
        prop_assert!(self.withheld <= 1 + limits.compactions);
        prop_assert!(self.compactions <= limits.compactions);
        prop_assert!(self.empty_nudges <= limits.nudges);
        prop_assert!(self.corrections <= 1);
        Ok(())
    }
}

proptest! {
    #[test]
    fn whatever_happens_limits_hold_and_an_interrupt_ends_it(
        events in proptest::collection::vec(events(), 0..120),
    ) {
        let limits = small();
        let mut turn = Turn::new(limits);
        let mut watch = Watch::default();
        for event in events {
            if turn.state() == State::Idle {
                watch = Watch::default();
            }
            if let Event::CallEnded { call_id, .. } = &event {
                watch.running.remove(call_id);
            }
            let actions = turn.on(event);
            watch.see(&actions, limits)?;
        }
        let stopped = turn.on(Event::Interrupted);
        watch.see(&stopped, limits)?;
        turn.on(Event::Published);
        prop_assert_eq!(turn.state(), State::Idle);
    }

    /// A world that answers every action with something legal always comes to an end.
    #[test]
    fn a_world_that_answers_comes_to_an_end(
        answers in proptest::collection::vec(answers(), 1..6),
        statuses in proptest::collection::vec((statuses(), any::<(bool, bool)>()), 1..6),
        overflow_every in 0_usize..4,
        shrinks in any::<bool>(),
    ) {
        let limits = small();
        let mut turn = Turn::new(limits);
        let mut watch = Watch::default();
        let mut todo = turn.on(Event::Received);
        let (mut asked, mut ended, mut steps, mut fresh) = (0_usize, 0_usize, 0, 1_000_u128);
        while turn.state() != State::Idle {
            steps += 1;
            prop_assert!(steps < 1_000, "no end in sight");
            watch.see(&todo, limits)?;
            let mut next = Vec::new();
            for action in std::mem::take(&mut todo) {
                match action {
                    Action::Assemble => next.extend(turn.on(Event::Assembled)),
                    Action::AskModel(_) => {
                        asked += 1;
                        if overflow_every > 0 && asked % overflow_every == 0 {
                            next.extend(turn.on(Event::Overflowed));
                            continue;
                        }
                        let mut answer = answers[asked % answers.len()].clone();
                        for call in &mut answer.calls {
                            fresh += 1;
                            call.call_id = id(fresh);
                        }
                        next.extend(turn.on(Event::Answered(answer)));
                    }
                    Action::Compact => next.extend(turn.on(Event::Compacted { shrunk: shrinks })),
                    Action::Run(calls) => for call_id in calls {
                        ended += 1;
                        watch.running.remove(&call_id);
                        let (status, (circles, completes)) = statuses[ended % statuses.len()];
                        let event = Event::CallEnded { call_id, status, circles, completes };
                        next.extend(turn.on(event));
                    },
                    Action::Publish(_) => next.extend(turn.on(Event::Published)),
                    Action::Nudge(_) | Action::RefuseExcess(_) | Action::Stop => {}
                }
            }
            todo = next;
        }
    }
}

fn answer(has_text: bool, calls: Vec<Call>) -> Event {
    Event::Answered(Answer {
        has_text,
        is_untrue: false,
        broken_call: None,
        finish: FinishReason::Stop,
        calls,
    })
}

fn ended(number: u128, status: CallStatus) -> Event {
    Event::CallEnded {
        call_id: id(number),
        status,
        circles: false,
        completes: false,
    }
}

fn generating() -> Turn {
    let mut turn = Turn::new(small());
    turn.on(Event::Received);
    turn.on(Event::Assembled);
    turn
}

const READ: Option<EffectClass> = Some(EffectClass::Read);
const WRITE: Option<EffectClass> = Some(EffectClass::SharedWrite);

#[test]
fn calls_that_only_look_run_together_and_others_in_order() {
    let mut turn = generating();
    let together = turn.on(answer(false, vec![call(1, READ), call(2, READ)]));
    assert_eq!(together, [Action::Run(vec![id(1), id(2)])]);
    assert_eq!(turn.state(), State::AwaitingTools);
    assert_eq!(turn.on(ended(2, CallStatus::Ok)), []);
    assert_eq!(
        turn.on(ended(1, CallStatus::Ok)),
        [Action::AskModel(ToolUse::Offered)]
    );
    let mixed = turn.on(answer(false, vec![call(3, READ), call(4, WRITE)]));
    assert_eq!(mixed, [Action::Run(vec![id(3)])]);
    assert_eq!(turn.state(), State::Dispatching);
    assert_eq!(
        turn.on(ended(3, CallStatus::Ok)),
        [Action::Run(vec![id(4)])]
    );
    assert_eq!(turn.state(), State::AwaitingTools);
    let mut turn = generating();
    let unknown = turn.on(answer(false, vec![call(1, None), call(2, READ)]));
    assert_eq!(unknown, [Action::Run(vec![id(1)])]);
}

#[test]
fn a_reply_with_too_many_calls_is_capped() {
    let mut turn = generating();
    let actions = turn.on(answer(false, (1..=5).map(|n| call(n, READ)).collect()));
    assert_eq!(
        actions,
        [
            Action::RefuseExcess(vec![id(4), id(5)]),
            Action::Run(vec![id(1), id(2), id(3)])
        ]
    );
}

#[test]
fn an_empty_reply_is_nudged_once() {
    let mut turn = generating();
    assert_eq!(
        turn.on(answer(false, Vec::new())),
        [
            Action::Nudge(Nudge::EmptyReply),
            Action::AskModel(ToolUse::Offered)
        ]
    );
    let [Action::Publish(ending)] = turn.on(answer(false, Vec::new()))[..] else {
        panic!("the second empty reply must end the turn");
    };
    assert_eq!(
        (ending.status, ending.reason),
        (QueryStatus::Failed, Reason::NoAnswer)
    );
}

#[test]
fn a_turn_ends_with_the_call_that_does_all_that_was_asked_for() {
    let mut turn = generating();
    turn.on(answer(false, vec![call(1, WRITE), call(2, WRITE)]));
    let completing = |number| Event::CallEnded {
        call_id: id(number),
        status: CallStatus::Ok,
        circles: false,
        completes: true,
    };
    // What else the reply asked for is done first.
    assert_eq!(turn.on(completing(1)), [Action::Run(vec![id(2)])]);
    let [Action::Publish(ending)] = turn.on(completing(2))[..] else {
        panic!("the model must not be asked again");
    };
    let ended = (ending.status, ending.reason);
    assert_eq!(ended, (QueryStatus::Success, Reason::Done));
}

#[test]
fn an_answer_that_no_call_bears_out_is_asked_for_once_more() {
    let untrue = |finish| {
        Event::Answered(Answer {
            has_text: true,
            is_untrue: true,
            broken_call: None,
            finish,
            calls: Vec::new(),
        })
    };
    let mut turn = generating();
    assert_eq!(
        turn.on(untrue(FinishReason::Stop)),
        [
            Action::Nudge(Nudge::NotDone),
            Action::AskModel(ToolUse::Offered)
        ]
    );
    let insisted = turn.on(untrue(FinishReason::Stop));
    assert!(matches!(insisted[..], [Action::Publish(_)]), "{insisted:?}");
    // What was refused is not to be tried again.
    let mut turn = generating();
    turn.on(answer(false, vec![call(1, WRITE)]));
    turn.on(ended(1, CallStatus::Denied));
    let refused = turn.on(untrue(FinishReason::Stop));
    assert_eq!(refused[0], Action::Nudge(Nudge::Refused));
    // Of an answer that broke off the rest is not known.
    let cut = generating().on(untrue(FinishReason::Length));
    assert!(matches!(cut[..], [Action::Publish(_)]), "{cut:?}");
}

#[test]
fn a_call_that_is_none_is_told_once_what_is_wrong() {
    for (broken, nudge) in [
        (BrokenCall::Cut, Nudge::CutCall),
        (BrokenCall::NotOffered, Nudge::UnknownTool),
    ] {
        let mut turn = generating();
        let reply = Event::Answered(Answer {
            has_text: false,
            is_untrue: false,
            broken_call: Some(broken),
            finish: FinishReason::Stop,
            calls: Vec::new(),
        });
        let told = [Action::Nudge(nudge), Action::AskModel(ToolUse::Offered)];
        assert_eq!(turn.on(reply.clone()), told);
        let [Action::Publish(ending)] = turn.on(reply)[..] else {
            panic!("the second one must end the turn");
        };
        let ended = (ending.status, ending.reason);
        assert_eq!(ended, (QueryStatus::Failed, Reason::BrokenCalls));
    }
}

#[test]
fn after_the_last_step_a_final_answer_is_asked_for_without_tools() {
    let mut turn = generating();
    for step in 1..=3 {
        turn.on(answer(false, vec![call(step, READ)]));
        let next = turn.on(ended(step, CallStatus::Ok));
        assert_eq!(next, [Action::AskModel(ToolUse::Offered)], "step {step}");
    }
    turn.on(answer(false, vec![call(4, READ)]));
    assert_eq!(
        turn.on(ended(4, CallStatus::Ok)),
        [
            Action::Nudge(Nudge::IterationsUsed),
            Action::AskModel(ToolUse::Withheld)
        ]
    );
    let [Action::Publish(ending)] = turn.on(answer(true, vec![call(5, READ)]))[..] else {
        panic!("a call without tools must not run");
    };
    assert_eq!(
        (ending.status, ending.reason),
        (QueryStatus::Partial, Reason::IterationsUsed)
    );
}

#[test]
fn a_model_that_goes_in_circles_is_told_to_report() {
    let mut turn = generating();
    for step in 1..=2 {
        turn.on(answer(false, vec![call(step, READ)]));
        let next = turn.on(Event::CallEnded {
            call_id: id(step),
            status: CallStatus::Denied,
            circles: true,
            completes: false,
        });
        if step == 2 {
            assert_eq!(
                next,
                [
                    Action::Nudge(Nudge::GoingInCircles),
                    Action::AskModel(ToolUse::Withheld)
                ]
            );
        }
    }
}

#[test]
fn tools_that_nobody_has_are_asked_for_three_times_at_most() {
    let mut turn = generating();
    let mut offered = Vec::new();
    for step in 1..=3 {
        turn.on(answer(false, vec![call(step, None)]));
        let next = turn.on(ended(step, CallStatus::Failed));
        offered.push(next == [Action::AskModel(ToolUse::Offered)]);
    }
    assert_eq!(offered, [true, true, false]);
}

#[test]
fn a_reply_that_only_repeats_itself_is_asked_for_once_more_without_tools() {
    let mut turn = generating();
    let mut repeated = |calls| {
        turn.on(Event::Answered(Answer {
            has_text: false,
            is_untrue: false,
            broken_call: None,
            finish: FinishReason::Repetition,
            calls,
        }))
    };
    assert_eq!(
        repeated(Vec::new()),
        [
            Action::Nudge(Nudge::RepeatedReply),
            Action::AskModel(ToolUse::Withheld)
        ]
    );
    let [Action::Publish(ending)] = repeated(Vec::new())[..] else {
        panic!("the second repetition must end the turn");
    };
    assert_eq!(ending.reason, Reason::WentInCircles);
}

#[test]
fn a_prompt_that_does_not_fit_is_made_smaller_at_most_twice() {
    let mut turn = generating();
    for _ in 0..2 {
        assert_eq!(turn.on(Event::Overflowed), [Action::Compact]);
        assert_eq!(
            turn.on(Event::Compacted { shrunk: true }),
            [Action::AskModel(ToolUse::Offered)]
        );
    }
    let [Action::Publish(ending)] = turn.on(Event::Overflowed)[..] else {
        panic!("the third overflow must end the turn");
    };
    assert_eq!(ending.reason, Reason::DoesNotFit);
    let mut turn = generating();
    turn.on(Event::Overflowed);
    let stuck = turn.on(Event::Compacted { shrunk: false });
    assert!(matches!(stuck[..], [Action::Publish(_)]));
}

#[test]
fn an_interrupt_stops_what_runs_and_late_results_change_nothing() {
    let mut turn = generating();
    turn.on(answer(false, vec![call(1, WRITE), call(2, WRITE)]));
    let actions = turn.on(Event::Interrupted);
    let [Action::Stop, Action::Publish(ending)] = actions[..] else {
        panic!("{actions:?}");
    };
    assert_eq!(ending.status, QueryStatus::Interrupted);
    assert_eq!(turn.on(ended(1, CallStatus::Ok)), []);
    turn.on(Event::Published);
    assert_eq!(turn.state(), State::Idle);
    assert_eq!(turn.on(Event::Received), [Action::Assemble]);
}
