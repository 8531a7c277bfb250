//! The queue of one provider.

use crate::bounds::Bounds;
use domain::model::Priority;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt;
use std::time::Duration;

/// A request in the queue, from its arrival to its end. Later ones are larger.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place(u64);

/// A request that starts now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Start {
    /// Which one.
    pub place: Place,
    /// Whether its model is not in memory, as far as is known.
    pub swaps: bool,
}

/// How a request ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// The model answered, or the caller gave up while it did.
    Answered,
    /// There was no answer: the model may not be in memory.
    Failed,
}

/// Where a waiting request stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ahead {
    /// Requests that run now.
    pub running: usize,
    /// Those of them that nobody waits for.
    pub in_background: usize,
    /// Waiting requests that came before it or have a higher priority.
    pub waiting: usize,
}

/// As many requests wait as may.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Full {
    /// How many those are.
    pub waiting: usize,
}

impl fmt::Display for Full {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} requests wait already", self.waiting)
    }
}

impl std::error::Error for Full {}

/// A request that runs.
#[derive(Debug)]
struct Running {
    model: String,
    /// Whether nobody waits for it.
    is_in_background: bool,
}

/// A request that has not started.
#[derive(Debug)]
struct Waiting {
    place: Place,
    model: String,
    /// Later requests of its priority that started before it.
    passed: u32,
}

/// The requests of one priority.
#[derive(Debug, Default)]
struct Lane {
    /// In the order of their arrival.
    waiting: VecDeque<Waiting>,
    /// Requests of other priorities that started while one waited here, since the last start here.
    others: u32,
    /// What the oldest has let pass so far.
    oldest: Option<Oldest>,
}

/// The oldest waiting request of a lane.
#[derive(Debug, Clone, Copy)]
struct Oldest {
    place: Place,
    /// Since when it is the oldest.
    since: Duration,
    /// Requests that passed it since.
    passed: u32,
}

impl Lane {
    /// Notes which request is the oldest now.
    fn note_oldest(&mut self, now: Duration) {
        let place = self.waiting.front().map(|one| one.place);
        if self.oldest.map(|oldest| oldest.place) != place {
            self.oldest = place.map(|place| Oldest {
                place,
                since: now,
                passed: 0,
            });
        }
    }
}

/// One provider's queue. Times are since any one moment in the past.
#[derive(Debug)]
pub struct Schedule {
    bounds: Bounds,
    /// By priority, highest first.
    lanes: [Lane; Priority::ALL.len()],
    running: BTreeMap<Place, Running>,
    /// Models in memory, as far as is known: what the server said, else what was asked for last.
    loaded: BTreeSet<String>,
    /// The running request whose model is being loaded. What the server says meanwhile is of the
    /// time before.
    loading: Option<Place>,
    next_place: u64,
}

impl Schedule {
    /// An empty queue.
    #[must_use]
    pub fn new(bounds: Bounds) -> Self {
        Self {
            bounds,
            lanes: Default::default(),
            running: BTreeMap::new(),
            loaded: BTreeSet::new(),
            loading: None,
            next_place: 0,
        }
    }

    /// A request arrives and waits.
    ///
    /// # Errors
    /// [`Full`].
    pub fn arrive(&mut self, model: &str, priority: Priority) -> Result<Place, Full> {
        let waiting = self.lanes.iter().map(|lane| lane.waiting.len()).sum();
        if waiting >= self.bounds.waiting {
            return Err(Full { waiting });
        }
        let place = Place(self.next_place);
        self.next_place += 1;
        let Some(lane) = self.lanes.get_mut(lane_of(priority)) else {
            return Err(Full { waiting });
        };
        lane.waiting.push_back(Waiting {
            place,
            model: model.to_owned(),
            passed: 0,
        });
        Ok(place)
    }

    /// The request that starts now, if one may; ask again until there is none.
    ///
    /// The priority comes first, then within it a model that is in memory, then the oldest.
    pub fn next(&mut self, now: Duration) -> Option<Start> {
        for lane in &mut self.lanes {
            lane.note_oldest(now);
        }
        if self.running.len() >= self.bounds.max_parallel.max(1) {
            return None;
        }
        let lane = self.lane()?;
        let index = self.choose(lane, now)?;
        let chosen = self.lanes.get_mut(lane)?.waiting.remove(index)?;
        self.count(lane, index);
        let swaps = !self.loaded.contains(&chosen.model);
        if swaps {
            self.loaded = BTreeSet::from([chosen.model.clone()]);
            self.loading = Some(chosen.place);
        }
        let running = Running {
            model: chosen.model,
            is_in_background: lane == lane_of(Priority::Background),
        };
        self.running.insert(chosen.place, running);
        Some(Start {
            place: chosen.place,
            swaps,
        })
    }

    /// A request gives up or ends, whether it waits or runs. One that is not there any more is no
    /// error.
    pub fn end(&mut self, place: Place, ended: Ended) {
        if let Some(running) = self.running.remove(&place) {
            if ended == Ended::Failed && self.loading == Some(place) {
                self.loaded.remove(&running.model);
            }
            self.loading = self.loading.filter(|loading| *loading != place);
            return;
        }
        for lane in &mut self.lanes {
            lane.waiting.retain(|waiting| waiting.place != place);
            if lane.waiting.is_empty() {
                lane.others = 0;
            }
        }
    }

    /// A running request is being answered, so its model is in memory.
    pub fn answering(&mut self, place: Place) {
        self.loading = self.loading.filter(|loading| *loading != place);
    }

    /// A running request asks another model than it came for.
    pub fn asks_instead(&mut self, place: Place, model: &str) {
        if let Some(running) = self.running.get_mut(&place) {
            model.clone_into(&mut running.model);
            self.loaded = BTreeSet::from([model.to_owned()]);
            self.loading = Some(place);
        }
    }

    /// The server says which models are in memory. While one is being loaded this changes nothing.
    pub fn says_loaded(&mut self, models: impl IntoIterator<Item = String>) {
        if self.loading.is_none() {
            self.loaded = models.into_iter().collect();
        }
    }

    /// Whether what the server has in memory would make a difference to what runs next.
    #[must_use]
    pub fn has_choice(&self) -> bool {
        let waiting = || self.lanes.iter().flat_map(|lane| &lane.waiting);
        waiting()
            .next()
            .is_some_and(|first| waiting().any(|other| other.model != first.model))
    }

    /// What is before a waiting request; `None` when it does not wait.
    #[must_use]
    pub fn ahead(&self, place: Place) -> Option<Ahead> {
        let mut waiting = 0;
        for lane in &self.lanes {
            if let Some(index) = lane.waiting.iter().position(|one| one.place == place) {
                let in_background = self.running.values();
                let in_background = in_background.filter(|one| one.is_in_background);
                return Some(Ahead {
                    running: self.running.len(),
                    in_background: in_background.count(),
                    waiting: waiting + index,
                });
            }
            waiting += lane.waiting.len();
        }
        None
    }

    /// Models that are in memory, as far as is known.
    pub fn loaded(&self) -> impl Iterator<Item = &str> {
        self.loaded.iter().map(String::as_str)
    }

    /// How many requests run.
    #[must_use]
    pub fn running(&self) -> usize {
        self.running.len()
    }

    /// How many requests wait.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.lanes.iter().map(|lane| lane.waiting.len()).sum()
    }

    /// The lane whose turn it is: one that others went before too often, the lowest first; else the
    /// highest in which something waits.
    fn lane(&self) -> Option<usize> {
        let mut waiting = self
            .lanes
            .iter()
            .enumerate()
            .filter(|(_, lane)| !lane.waiting.is_empty());
        let is_due = |lane: &Lane| lane.others >= self.bounds.turns.max(2);
        waiting
            .clone()
            .rfind(|(index, lane)| *index > 0 && is_due(lane))
            .or_else(|| waiting.next())
            .map(|(index, _)| index)
    }

    /// Which request of a lane starts; `None` when all must wait until another model's are done.
    fn choose(&self, lane: usize, now: Duration) -> Option<usize> {
        let lane = self.lanes.get(lane)?;
        let waiting = &lane.waiting;
        let is_loaded = |one: &Waiting| self.loaded.contains(&one.model);
        let index = if !is_loaded(waiting.front()?) && self.may_be_passed(lane, now) {
            waiting.iter().position(is_loaded).unwrap_or(0)
        } else {
            0
        };
        let chosen = waiting.get(index)?;
        let must_drain = self.bounds.one_model
            && !is_loaded(chosen)
            && self.running.values().any(|one| one.model != chosen.model);
        (!must_drain).then_some(index)
    }

    fn may_be_passed(&self, lane: &Lane, now: Duration) -> bool {
        let (Some(oldest), Some(first)) = (lane.oldest, lane.waiting.front()) else {
            return false;
        };
        first.passed < self.bounds.passes
            && oldest.passed < self.bounds.batch
            && now.saturating_sub(oldest.since) < self.bounds.batch_time
    }

    /// Counts what a start at a place of a lane means for those that go on waiting.
    fn count(&mut self, chosen: usize, index: usize) {
        for (at, lane) in self.lanes.iter_mut().enumerate() {
            if at == chosen {
                lane.others = 0;
                if let Some(oldest) = lane.oldest.as_mut().filter(|_| index > 0) {
                    oldest.passed = oldest.passed.saturating_add(1);
                }
                for passed in lane.waiting.iter_mut().take(index) {
                    passed.passed = passed.passed.saturating_add(1);
                }
            } else if !lane.waiting.is_empty() {
                lane.others = lane.others.saturating_add(1);
            }
        }
    }
}

/// The lane of a priority.
const fn lane_of(priority: Priority) -> usize {
    match priority {
        Priority::User => 0,
        Priority::Agent => 1,
        Priority::Background => 2,
    }
}
