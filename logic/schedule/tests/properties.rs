//! What the queue promises, over random histories of arrivals, answers, failures and givings up.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "test code: a broken promise has to fail loudly"
)]

use domain::model::Priority;
use proptest::prelude::*;
use schedule::{Bounds, Ended, Place, Schedule, Start};
use std::collections::BTreeMap;
use std::time::Duration;

/// Something that happens to a queue.
#[derive(Debug, Clone)]
enum Event {
    Arrives { model: u8, priority: usize },
    Ends { which: usize, ended: Ended },
    IsAnswered { which: usize },
    GivesUp { which: usize },
    SaysLoaded { models: Vec<u8> },
    AsksInstead { which: usize, model: u8 },
    Passes { secs: u64 },
}

fn event() -> impl Strategy<Value = Event> {
    let model = 0..5_u8;
    prop_oneof![
        6 => (model.clone(), 0..3_usize)
            .prop_map(|(model, priority)| Event::Arrives { model, priority }),
        4 => (any::<usize>(), prop_oneof![4 => Just(Ended::Answered), 1 => Just(Ended::Failed)])
            .prop_map(|(which, ended)| Event::Ends { which, ended }),
        2 => any::<usize>().prop_map(|which| Event::IsAnswered { which }),
        1 => any::<usize>().prop_map(|which| Event::GivesUp { which }),
        1 => prop::collection::vec(model.clone(), 0..3)
            .prop_map(|models| Event::SaysLoaded { models }),
        1 => (any::<usize>(), model).prop_map(|(which, model)| Event::AsksInstead { which, model }),
        2 => (0..40_u64).prop_map(|secs| Event::Passes { secs }),
    ]
}

fn bounds() -> impl Strategy<Value = Bounds> {
    (1..4_usize, 0..6_u32, 0..4_u32, 2..5_u32, any::<bool>()).prop_map(
        |(max_parallel, passes, batch, turns, one_model)| Bounds {
            max_parallel,
            waiting: 24,
            passes,
            batch,
            batch_time: Duration::from_secs(30),
            turns,
            one_model,
        },
    )
}

/// A waiting request as an onlooker sees it.
#[derive(Debug)]
struct Seen {
    place: Place,
    passed: u32,
    /// As the oldest of its priority: since when, and how many passed it since.
    oldest: Option<(Duration, u32)>,
}

/// An onlooker with books of its own.
struct Onlooker {
    bounds: Bounds,
    schedule: Schedule,
    now: Duration,
    waiting: [Vec<Seen>; 3],
    others: [u32; 3],
    running: Vec<Place>,
    models: BTreeMap<Place, u8>,
}

impl Onlooker {
    fn new(bounds: Bounds) -> Self {
        Self {
            bounds,
            schedule: Schedule::new(bounds),
            now: Duration::ZERO,
            waiting: Default::default(),
            others: [0; 3],
            running: Vec::new(),
            models: BTreeMap::new(),
        }
    }

    fn sees(&mut self, event: Event) {
        match event {
            Event::Arrives { model, priority } => {
                let waiting: usize = self.waiting.iter().map(Vec::len).sum();
                let arrived = self.schedule.arrive(&name(model), Priority::ALL[priority]);
                assert_eq!(arrived.is_err(), waiting >= self.bounds.waiting);
                if let Ok(place) = arrived {
                    self.models.insert(place, model);
                    self.waiting[priority].push(Seen {
                        place,
                        passed: 0,
                        oldest: None,
                    });
                }
            }
            Event::Ends { which, ended } => {
                if let Some(place) = self.one_running(which) {
                    self.running.retain(|one| *one != place);
                    self.schedule.end(place, ended);
                }
            }
            Event::IsAnswered { which } => {
                if let Some(place) = self.one_running(which) {
                    self.schedule.answering(place);
                }
            }
            Event::GivesUp { which } => {
                let all: Vec<Place> = self.waiting.iter().flatten().map(|one| one.place).collect();
                if !all.is_empty() {
                    let place = all[which % all.len()];
                    for lane in &mut self.waiting {
                        lane.retain(|one| one.place != place);
                    }
                    self.schedule.end(place, Ended::Answered);
                }
            }
            Event::SaysLoaded { models } => {
                self.schedule.says_loaded(models.into_iter().map(name));
            }
            Event::AsksInstead { which, model } => {
                // Only where it cannot break the promise that one model runs at a time: the
                // gateway asks instead before anything else may start.
                if let Some(place) = self.one_running(which).filter(|_| !self.bounds.one_model) {
                    self.schedule.asks_instead(place, &name(model));
                    self.models.insert(place, model);
                }
            }
            Event::Passes { secs } => self.now += Duration::from_secs(secs),
        }
        self.starts();
    }

    fn one_running(&self, which: usize) -> Option<Place> {
        (!self.running.is_empty()).then(|| self.running[which % self.running.len()])
    }

    /// Everything that may start does, and each start keeps the promises.
    fn starts(&mut self) {
        loop {
            for lane in 0..3 {
                if self.waiting[lane].is_empty() {
                    self.others[lane] = 0;
                } else if self.waiting[lane][0].oldest.is_none() {
                    self.waiting[lane][0].oldest = Some((self.now, 0));
                }
            }
            let Some(start) = self.schedule.next(self.now) else {
                break;
            };
            self.check(start);
        }
        assert_eq!(self.schedule.running(), self.running.len());
        let waits = self.waiting.iter().any(|lane| !lane.is_empty());
        assert_eq!(self.schedule.waiting() > 0, waits, "a place is lost");
        if waits && !self.bounds.one_model {
            assert_eq!(
                self.running.len(),
                self.bounds.max_parallel,
                "a slot is empty while a request waits"
            );
        }
        assert!(
            !waits || !self.running.is_empty(),
            "nothing runs although a request waits"
        );
    }

    fn check(&mut self, start: Start) {
        let (lane, index) = (0..3)
            .find_map(|lane| {
                let at = |one: &Seen| one.place == start.place;
                self.waiting[lane].iter().position(at).map(|i| (lane, i))
            })
            .expect("it waited");
        self.waiting[lane].remove(index);
        self.running.push(start.place);
        assert!(self.running.len() <= self.bounds.max_parallel, "too many");
        if self.bounds.one_model && start.swaps {
            let model = self.models[&start.place];
            let others = self.running.iter().filter(|one| self.models[one] != model);
            assert_eq!(others.count(), 0, "loading stops an answer");
        }
        for passed in &mut self.waiting[lane][..index] {
            passed.passed += 1;
            assert!(passed.passed <= self.bounds.passes, "passed too often");
        }
        if index > 0 {
            let (since, passed) = self.waiting[lane][0].oldest.as_mut().unwrap();
            *passed += 1;
            assert!(*passed <= self.bounds.batch, "too many in a row");
            assert!(self.now - *since < self.bounds.batch_time, "too long");
        }
        for other in 0..3 {
            if other == lane {
                self.others[other] = 0;
            } else if !self.waiting[other].is_empty() {
                self.others[other] += 1;
                let most = if other == 0 { 2 } else { self.bounds.turns + 1 };
                assert!(self.others[other] <= most, "a priority starves");
            }
        }
    }
}

fn name(model: u8) -> String {
    format!("model-{model}")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn every_history_keeps_every_promise(
        bounds in bounds(),
        events in prop::collection::vec(event(), 0..200),
    ) {
        let mut onlooker = Onlooker::new(bounds);
        for event in events {
            onlooker.sees(event);
        }
        // Whatever came before, everything is served once the answers end.
        let mut left = onlooker.schedule.waiting() + onlooker.running.len();
        while left > 0 {
            onlooker.sees(Event::Ends { which: left, ended: Ended::Failed });
            let now = onlooker.schedule.waiting() + onlooker.running.len();
            prop_assert!(now < left, "nothing ends");
            left = now;
        }
    }

    #[test]
    fn without_grouping_they_start_as_they_came(
        models in prop::collection::vec(0..4_u8, 1..60),
        max_parallel in 1..4_usize,
    ) {
        let mut schedule = Schedule::new(Bounds::new(max_parallel).in_order());
        let places: Vec<Place> = models
            .iter()
            .map(|model| schedule.arrive(&name(*model), Priority::Agent).unwrap())
            .collect();
        let mut started = Vec::new();
        while started.len() < places.len() {
            while let Some(start) = schedule.next(Duration::ZERO) {
                started.push(start.place);
            }
            schedule.end(started[started.len() - 1], Ended::Answered);
            for place in &started {
                schedule.end(*place, Ended::Answered);
            }
        }
        prop_assert_eq!(started, places);
    }
}
