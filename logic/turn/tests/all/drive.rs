//! The drive's invariants, over any order of events and over simulated days.

use domain::Timestamp;
use domain::drive::{DriveReason, DriveState, Origin, Presence, Signal};
use domain::id::QueryId;
use proptest::prelude::*;
use std::time::Duration;
use turn::drive::{
    Action, Brief, Budget, Dreams, Drive, Ending, Event, Limits, Notification, Past, Spent, Why,
    interval,
};

const DAY: i64 = 86_400;

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(20 * 365 * DAY + second).unwrap()
}

fn message(text: &str) -> Signal {
    Signal::Message {
        channel: "inbox".to_owned(),
        text: text.to_owned(),
    }
}

fn limits() -> Limits {
    Limits {
        turns: 20,
        day: Budget {
            tokens: Some(10_000),
            cost_micros: None,
        },
        dreams: Dreams::Daily,
    }
}

/// What a turn of the drive does in the simulation.
#[derive(Debug, Clone, Copy)]
struct Conduct {
    called_tools: bool,
    yields: Option<bool>,
    ending: Ending,
    tokens: u64,
    /// Seconds it takes.
    lasts: i64,
}

const TALKS: Conduct = Conduct {
    called_tools: false,
    yields: None,
    ending: Ending::Done,
    tokens: 10,
    lasts: 2,
};

const WORKS: Conduct = Conduct {
    called_tools: true,
    ..TALKS
};

/// Performs what the drive says, with a clock of its own.
struct World {
    drive: Drive,
    now: i64,
    conduct: Conduct,
    acts: Vec<(i64, Brief)>,
    notes: Vec<(DriveState, DriveReason, u32)>,
    told: Vec<Notification>,
    cuts: usize,
}

impl World {
    fn new(limits: Limits, past: Past) -> Self {
        let mut world = Self {
            drive: Drive::new(limits, past, at(0)),
            now: 0,
            conduct: TALKS,
            acts: Vec::new(),
            notes: Vec::new(),
            told: Vec::new(),
            cuts: 0,
        };
        world.on(Event::Began);
        world
    }

    fn on(&mut self, event: Event) {
        for action in self.drive.on(event, at(self.now)) {
            match action {
                Action::Act(brief) => self.act(brief),
                Action::Note {
                    state,
                    reason,
                    times,
                } => self.notes.push((state, reason, times)),
                Action::Tell(notification) => {
                    assert!(!self.drive.is_quiet(), "told while quiet");
                    self.told.push(notification);
                }
                Action::Cut => self.cuts += 1,
            }
        }
    }

    fn act(&mut self, brief: Brief) {
        self.acts.push((self.now, brief));
        self.now += self.conduct.lasts;
        let cuts = self.cuts;
        self.on(Event::Paid(Spent {
            tokens: self.conduct.tokens,
            cost_micros: 0,
        }));
        if let Some(until_signal) = self.conduct.yields {
            self.on(Event::Yielded { until_signal });
        }
        let ending = if self.cuts > cuts {
            Ending::Stopped
        } else {
            self.conduct.ending
        };
        self.on(Event::Finished {
            origin: Origin::Drive,
            called_tools: self.conduct.called_tools,
            ending,
        });
    }

    fn user(&mut self, called_tools: bool) {
        self.on(Event::UserSpoke);
        self.now += 3;
        self.on(Event::Finished {
            origin: Origin::User,
            called_tools,
            ending: Ending::Done,
        });
    }

    /// Lets time pass, and wakes the drive whenever it asks for that.
    fn pass(&mut self, seconds: i64) {
        let end = self.now + seconds;
        while let Some(due) = self
            .drive
            .wake_at()
            .map(|due| due.as_second() - at(0).as_second())
        {
            if due > end {
                break;
            }
            self.now = self.now.max(due);
            self.on(Event::Tick);
        }
        self.now = self.now.max(end);
    }

    fn noted(&self, reason: DriveReason) -> usize {
        self.notes.iter().filter(|note| note.1 == reason).count()
    }
}

#[test]
fn the_intervals_are_those_of_the_specification() {
    let seconds = |state| interval(state).map(|pause| pause.as_secs());
    assert_eq!(seconds(DriveState::Engaged), Some(5));
    assert_eq!(seconds(DriveState::Working), Some(3));
    assert_eq!(seconds(DriveState::Foraging), Some(30));
    assert_eq!(seconds(DriveState::Resting), Some(300));
    assert_eq!(seconds(DriveState::Stored), None);
}

#[test]
fn an_idle_day_asks_no_model_and_says_so_once_an_hour() {
    let mut world = World::new(limits(), Past::default());
    world.pass(DAY);
    assert!(world.acts.is_empty());
    assert_eq!(world.noted(DriveReason::NothingNew), 24);
    let times: u32 = world.notes.iter().map(|note| note.2).sum();
    assert!(times > 250, "every heartbeat is counted: {times}");
    assert_eq!(world.drive.spent(at(world.now)), Spent::default());
}

#[test]
fn after_a_plain_answer_it_steps_down_to_rest_without_a_model() {
    let mut world = World::new(limits(), Past::default());
    world.user(false);
    assert_eq!(world.drive.state(), DriveState::Foraging);
    world.pass(31);
    assert_eq!(world.drive.state(), DriveState::Resting);
    assert!(world.acts.is_empty());
}

#[test]
fn work_under_way_goes_on_after_three_seconds_and_ends_by_stepping_down() {
    let mut world = World::new(limits(), Past::default());
    world.user(true);
    assert_eq!(world.drive.state(), DriveState::Working);
    world.pass(60);
    assert_eq!(world.acts.len(), 1);
    assert_eq!(world.acts[0].0, 6);
    assert_eq!(world.acts[0].1.why, Why::Momentum);
    assert_eq!(world.drive.state(), DriveState::Resting);
    assert_eq!(world.told, [Notification::Rested]);
}

#[test]
fn yielding_ends_the_momentum() {
    for (until_signal, state) in [(false, DriveState::Resting), (true, DriveState::Stored)] {
        let mut world = World::new(limits(), Past::default());
        world.on(Event::UserSpoke);
        world.on(Event::Yielded { until_signal });
        world.on(Event::Finished {
            origin: Origin::User,
            called_tools: true,
            ending: Ending::Done,
        });
        assert_eq!(world.drive.state(), state);
        world.pass(1_000);
        assert!(world.acts.is_empty());
        world.on(Event::Signalled(message("hello")));
        world.pass(2);
        assert_eq!(world.acts.len(), 1, "a signal ends {state:?}");
        assert_eq!(world.acts[0].1.state, DriveState::Foraging);
    }
}

#[test]
fn a_loop_that_runs_away_stops_at_the_limit_and_says_so_once() {
    let mut world = World::new(limits(), Past::default());
    world.conduct = WORKS;
    world.user(true);
    world.pass(DAY);
    assert_eq!(world.acts.len(), 20);
    assert_eq!(world.told, [Notification::TurnsUsed]);
    world.on(Event::Signalled(message("hello")));
    world.pass(DAY);
    assert_eq!(world.acts.len(), 20, "a signal gives no further turns");
    assert_eq!(world.told, [Notification::TurnsUsed]);
    assert!(world.drive.is_at_rest(at(world.now)));
    world.conduct = TALKS;
    world.user(false);
    world.pass(10);
    assert_eq!(world.acts.len(), 21, "the user does");
}

#[test]
fn a_used_budget_stops_the_turn_that_runs_and_holds_until_the_next_day() {
    let mut world = World::new(limits(), Past::default());
    world.conduct = Conduct {
        tokens: 6_000,
        ..WORKS
    };
    world.user(true);
    world.pass(600);
    assert_eq!((world.acts.len(), world.cuts), (2, 1));
    assert_eq!(world.told, [Notification::BudgetUsed]);
    world.on(Event::Signalled(message("hello")));
    world.pass(DAY - world.now - 10);
    assert_eq!(world.acts.len(), 2);
    assert_eq!(world.told.len(), 1);
    world.conduct = TALKS;
    world.pass(320);
    assert_eq!(world.acts.len(), 3, "the next day has a budget of its own");
}

#[test]
fn a_restart_knows_what_was_used() {
    let spent = Spent {
        tokens: 10_000,
        cost_micros: 0,
    };
    let past = Past {
        turns: 3,
        spent: Some((at(-10), spent)),
        dreamt: None,
        news: 0,
        signals: vec![message("hello")],
    };
    let mut world = World::new(limits(), past.clone());
    world.pass(100);
    assert_eq!(world.acts.len(), 1, "the day before does not count");
    assert_eq!(world.acts[0].1.turn, 4);
    let today = Past {
        spent: Some((at(0), spent)),
        ..past.clone()
    };
    let mut world = World::new(limits(), today);
    world.pass(1_000);
    assert!(world.acts.is_empty());
    let mut world = World::new(limits(), Past { turns: 20, ..past });
    world.pass(1_000);
    assert!(world.acts.is_empty());
}

#[test]
fn failures_back_off_and_what_came_in_is_not_lost() {
    let mut world = World::new(limits(), Past::default());
    world.conduct = Conduct {
        ending: Ending::Failed,
        lasts: 0,
        ..TALKS
    };
    world.on(Event::Signalled(message("hello")));
    world.pass(30 * 60);
    let times: Vec<i64> = world.acts.iter().map(|act| act.0).collect();
    assert_eq!(times, [1, 31, 91, 211, 451, 931]);
    world.conduct = TALKS;
    world.pass(600);
    assert_eq!(world.acts.len(), 7);
    let given = &world.acts[6].1.waiting;
    assert_eq!(given.iter().collect::<Vec<_>>(), [&message("hello")]);
    assert!(world.drive.is_at_rest(at(world.now)));
}

#[test]
fn dreams_come_once_a_day_when_idle_and_only_with_something_new() {
    let mut world = World::new(limits(), Past::default());
    world.user(false);
    world.pass(29 * 60);
    assert!(world.acts.is_empty(), "too soon");
    world.conduct = WORKS;
    world.pass(3 * DAY);
    assert_eq!(world.acts.len(), 1, "nothing new, no second dream");
    assert_eq!(world.acts[0].1.why, Why::Dream);
    assert!(world.told.is_empty(), "nobody is told of dreams");
    world.user(false);
    world.user(false);
    world.pass(3 * DAY);
    assert_eq!(world.acts.len(), 2);
    let never = Limits {
        dreams: Dreams::Never,
        ..limits()
    };
    let mut world = World::new(never, Past::default());
    world.user(false);
    world.pass(3 * DAY);
    assert!(world.acts.is_empty());
}

#[test]
fn the_user_comes_first() {
    let mut world = World::new(limits(), Past::default());
    world.on(Event::Signalled(message("hello")));
    world.now += 1;
    let actions = world.drive.on(Event::Tick, at(world.now));
    assert!(actions.iter().any(|act| matches!(act, Action::Act(_))));
    world.on(Event::UserSpoke);
    world.on(Event::Declined);
    world.pass(100);
    assert!(world.acts.is_empty(), "the user's request runs");
    world.on(Event::Finished {
        origin: Origin::User,
        called_tools: false,
        ending: Ending::Done,
    });
    world.pass(10);
    assert_eq!(world.acts.len(), 1);
    assert_eq!(world.acts[0].1.turn, 1);
    assert!(!world.acts[0].1.waiting.is_empty(), "nothing is lost");
}

#[test]
fn what_the_user_stops_does_not_go_on_by_itself() {
    let mut world = World::new(limits(), Past::default());
    world.on(Event::UserSpoke);
    world.on(Event::Finished {
        origin: Origin::User,
        called_tools: true,
        ending: Ending::Stopped,
    });
    assert_eq!(world.drive.state(), DriveState::Resting);
    world.pass(1_000);
    assert!(world.acts.is_empty());
}

#[test]
fn while_quiet_it_works_and_tells_afterwards() {
    let mut world = World::new(limits(), Past::default());
    let presence = |presence| Event::Signalled(Signal::Presence { presence });
    world.on(presence(Presence::Locked));
    assert_eq!(world.drive.state(), DriveState::Quiet);
    world.on(Event::Signalled(message("hello")));
    world.pass(100);
    assert_eq!(world.acts.len(), 1);
    assert_eq!(world.drive.state(), DriveState::Quiet);
    assert!(world.told.is_empty());
    world.on(presence(Presence::Active));
    assert_eq!(world.drive.state(), DriveState::Resting);
    assert_eq!(world.told, [Notification::Rested]);
    world.on(Event::QuietHours(true));
    assert_eq!(world.drive.state(), DriveState::Quiet);
}

#[test]
fn coming_and_going_alone_asks_no_model() {
    let mut world = World::new(limits(), Past::default());
    for _ in 0..1_000 {
        for presence in [Presence::Idle, Presence::Locked, Presence::Active] {
            world.on(Event::Signalled(Signal::Presence { presence }));
            world.pass(29);
        }
    }
    assert!(world.acts.is_empty());
}

#[derive(Debug, Clone)]
enum Step {
    Pass(i64),
    User { called_tools: bool, ending: Ending },
    Signal(Signal),
    Quiet(bool),
    Switch(bool),
    Yield(bool),
    Conduct(Conduct),
}

fn ending() -> impl Strategy<Value = Ending> {
    prop_oneof![
        4 => Just(Ending::Done),
        1 => Just(Ending::Failed),
        1 => Just(Ending::Stopped),
    ]
}

fn conduct() -> impl Strategy<Value = Conduct> {
    (
        any::<bool>(),
        proptest::option::of(any::<bool>()),
        ending(),
        0_u64..3_000,
        0_i64..600,
    )
        .prop_map(|(called_tools, yields, ending, tokens, lasts)| Conduct {
            called_tools,
            yields,
            ending,
            tokens,
            lasts,
        })
}

fn signal() -> impl Strategy<Value = Signal> {
    prop_oneof![
        "[a-c]{1,2}".prop_map(|text| message(&text)),
        "[a-c]".prop_map(|name| Signal::FilesChanged {
            paths: vec![name],
            count: 1
        }),
        "[a-c]".prop_map(|note| Signal::Timer { note }),
        (-100_i8..=100).prop_map(|score| Signal::Feedback {
            query_id: QueryId::from_uuid(uuid::Uuid::nil()),
            score
        }),
        prop_oneof![
            Just(Presence::Active),
            Just(Presence::Idle),
            Just(Presence::Locked)
        ]
        .prop_map(|presence| Signal::Presence { presence }),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (0_i64..4_000).prop_map(Step::Pass),
        1 => (any::<bool>(), ending())
            .prop_map(|(called_tools, ending)| Step::User { called_tools, ending }),
        3 => signal().prop_map(Step::Signal),
        1 => any::<bool>().prop_map(Step::Quiet),
        1 => any::<bool>().prop_map(Step::Switch),
        1 => any::<bool>().prop_map(Step::Yield),
        2 => conduct().prop_map(Step::Conduct),
    ]
}

/// Acts since the user last spoke, and what each day cost, as the world sees it.
fn check(world: &World, since_user: usize, today: &[(i64, u64)], most: u64) {
    assert!(world.acts.len() - since_user <= 20, "too many in a row");
    for (day, tokens) in today {
        // One model call of a turn may end beyond the budget; no further one begins.
        assert!(*tokens < 10_000 + most, "day {day} cost {tokens}");
    }
    for (_, brief) in &world.acts {
        let has_reason = brief.waiting.iter().any(Signal::is_reason);
        match brief.why {
            Why::Signals => assert!(has_reason, "a turn without a signal"),
            Why::Momentum | Why::Dream => {}
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn the_limits_hold_in_any_order(steps in proptest::collection::vec(step(), 1..80)) {
        let mut world = World::new(limits(), Past::default());
        let mut since_user = 0;
        let mut days: Vec<(i64, u64)> = Vec::new();
        let mut acts_seen = 0;
        for step in steps {
            match step {
                Step::Pass(seconds) => world.pass(seconds),
                Step::User { called_tools, ending } => {
                    world.on(Event::UserSpoke);
                    since_user = world.acts.len();
                    world.on(Event::Finished { origin: Origin::User, called_tools, ending });
                }
                Step::Signal(signal) => world.on(Event::Signalled(signal)),
                Step::Quiet(quiet) => world.on(Event::QuietHours(quiet)),
                Step::Switch(on) => world.on(if on { Event::Began } else { Event::Ended }),
                Step::Yield(until_signal) => world.on(Event::Yielded { until_signal }),
                Step::Conduct(conduct) => world.conduct = conduct,
            }
            for (time, _) in &world.acts[acts_seen..] {
                let day = at(time + world.conduct.lasts).as_second().div_euclid(DAY);
                match days.last_mut() {
                    Some((last, tokens)) if *last == day => *tokens += world.conduct.tokens,
                    _ => days.push((day, world.conduct.tokens)),
                }
            }
            acts_seen = world.acts.len();
            check(&world, since_user, &days, 3_000);
        }
        // Without signals it always comes to rest, and then asks no model: it dreams at most once.
        world.on(Event::Began);
        world.conduct = TALKS;
        world.pass(6 * 3_600);
        // A day that has just begun lets it act again, which it finds with its next heartbeat.
        world.pass((6 * 3_600 - world.now.rem_euclid(DAY)).max(0));
        prop_assert!(world.drive.is_at_rest(at(world.now)), "{:?}", world.drive.state());
        let before = world.acts.len();
        world.pass(5 * DAY);
        let later = &world.acts[before..];
        prop_assert!(later.iter().all(|(_, brief)| brief.why != Why::Momentum));
        let dreams = later.iter().filter(|(_, brief)| brief.why == Why::Dream).count();
        prop_assert!(dreams <= 1, "{dreams}");
    }
}

#[test]
fn what_waited_for_the_next_day_is_done_with_its_first_heartbeat() {
    let mut world = World::new(limits(), Past::default());
    world.conduct = Conduct {
        tokens: 10_000,
        ..TALKS
    };
    world.on(Event::Signalled(message("first")));
    world.pass(3_600);
    assert_eq!(world.acts.len(), 1, "the day's budget is used");
    world.conduct = TALKS;
    world.on(Event::Signalled(message("second")));
    world.pass(DAY - world.now - 1);
    assert_eq!(world.acts.len(), 1);
    assert!(world.drive.is_at_rest(at(world.now)));
    world.pass(1);
    assert!(!world.drive.is_at_rest(at(world.now)), "a day began");
    world.pass(3_600);
    assert_eq!(world.acts[1].1.why, Why::Signals);
    assert!(world.drive.is_at_rest(at(world.now)));
}

#[test]
fn a_pause_never_outlasts_its_cap() {
    let mut world = World::new(limits(), Past::default());
    world.conduct = Conduct {
        ending: Ending::Failed,
        lasts: 0,
        ..TALKS
    };
    world.on(Event::Signalled(message("hello")));
    world.pass(2 * DAY);
    assert_eq!(world.acts.len(), 20, "failed turns count as well");
    let gaps = world.acts.windows(2).map(|pair| pair[1].0 - pair[0].0);
    let cap = i64::try_from(turn::drive::BACK_OFF_MOST.as_secs()).unwrap();
    assert_eq!(gaps.max(), Some(cap));
    assert!(Duration::from_secs(u64::try_from(cap).unwrap()) <= turn::drive::BACK_OFF_MOST);
}
