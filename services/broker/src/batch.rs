//! Calls asked for together: each runs when the one before it has ended, and what has to be
//! asked about them is asked together.

use crate::lock::lock;
use domain::event::Batch;
use domain::id::{AgentId, BatchId};
use domain::limits::TOOL_CALLS_PER_REPLY;
use domain::tool::EffectClass;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::watch;
use uuid::Uuid;

/// Rows that a session knows at one time; the oldest is forgotten first.
const ROWS: usize = 64;
/// How long the calls of a row may take to come in, before the ones that did go on without.
const GATHERING: Duration = Duration::from_secs(2);

/// How far a call of a row has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// Not handed in yet.
    Absent,
    /// Handed in.
    Here,
    /// Judged.
    Looked,
    /// Over, or given up.
    Ended,
}

/// One call of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Place {
    stage: Stage,
    /// What the user is asked about because of it, if anything.
    asks: Option<EffectClass>,
}

impl Place {
    const EMPTY: Self = Self {
        stage: Stage::Absent,
        asks: None,
    };

    const fn has_ended(&self) -> bool {
        matches!(self.stage, Stage::Ended)
    }

    const fn is_judged(&self) -> bool {
        matches!(self.stage, Stage::Looked | Stage::Ended)
    }
}

/// The calls of one breath.
#[derive(Debug)]
struct Row {
    places: watch::Sender<Vec<Place>>,
    /// What each group of questions goes by: the place of its first call.
    groups: Mutex<Vec<(usize, BatchId)>>,
    /// See [`crate::call::Call::outside`]: what its calls show chose none of them.
    outside: u64,
}

/// A session's rows.
#[derive(Debug, Default)]
pub(crate) struct Rows {
    rows: VecDeque<((AgentId, BatchId), Arc<Row>)>,
}

impl Rows {
    /// The call's place; `None` when it claims one that cannot be or is taken.
    /// `outside`: how often the agent has been shown something from outside this machine so far.
    pub(crate) fn sit(
        &mut self,
        (agent_id, outside): (AgentId, u64),
        batch: Batch,
    ) -> Option<Seat> {
        let size = usize::try_from(batch.size).unwrap_or(usize::MAX);
        let position = usize::try_from(batch.position).unwrap_or(usize::MAX);
        if !(2..=TOOL_CALLS_PER_REPLY).contains(&size) || position >= size {
            return None;
        }
        let key = (agent_id, batch.batch_id);
        let known = self.rows.iter().find(|(known, _)| *known == key);
        let row = match known {
            Some((_, row)) => Arc::clone(row),
            None => {
                if self.rows.len() >= ROWS {
                    self.rows.pop_front();
                }
                let row = Arc::new(Row {
                    places: watch::Sender::new(vec![Place::EMPTY; size]),
                    groups: Mutex::default(),
                    outside,
                });
                self.rows.push_back((key, Arc::clone(&row)));
                row
            }
        };
        let is_free = row.places.send_if_modified(|places| {
            let place = places.get_mut(position);
            let free = place.filter(|place| place.stage == Stage::Absent);
            free.map(|place| place.stage = Stage::Here).is_some()
        });
        is_free.then_some(Seat { row, position })
    }
}

/// A call's place in its row. Dropping it lets the next one begin.
#[derive(Debug)]
pub(crate) struct Seat {
    row: Arc<Row>,
    position: usize,
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.change(|place| place.stage = Stage::Ended);
    }
}

impl Seat {
    /// How often the agent had been shown something from outside this machine when the first call of
    /// the row was handed in.
    pub(crate) fn outside(&self) -> u64 {
        self.row.outside
    }

    /// Waits until every call before this one has been judged.
    pub(crate) async fn turn_to_look(&self) {
        self.gathered().await;
        let before = self.position;
        self.until(|places| places.iter().take(before).all(Place::is_judged))
            .await;
    }

    /// Notes what the user is asked about, if anything.
    pub(crate) fn looked(&self, asks: Option<EffectClass>) {
        self.change(|place| {
            place.stage = Stage::Looked;
            place.asks = asks;
        });
    }

    /// Waits until all have been judged: the place among those next to it that ask about the same
    /// kind of effect, so that questions come in the order of the calls. `None` when there is no
    /// other.
    pub(crate) async fn company(&self, effect: EffectClass) -> Option<Batch> {
        self.until(|places| places.iter().all(Place::is_judged))
            .await;
        let places = self.row.places.borrow().clone();
        let alike = |place: &&Place| place.asks == Some(effect);
        let is_of_group = |place: &&Place| place.asks.is_none_or(|asks| asks == effect);
        let (before, after) = places.split_at_checked(self.position)?;
        let before: Vec<&Place> = before.iter().rev().take_while(is_of_group).collect();
        let first = self.position - before.len();
        let position = before.iter().copied().filter(alike).count();
        let size = position + after.iter().take_while(is_of_group).filter(alike).count();
        if size < 2 {
            return None;
        }
        // What the user says to a call before them, and what it does, comes first: a file may be
        // deleted because it was copied.
        self.until(|places| places.iter().take(first).all(Place::has_ended))
            .await;
        Some(Batch {
            batch_id: self.row.group(first),
            position: u32::try_from(position).unwrap_or(u32::MAX),
            size: u32::try_from(size).unwrap_or(u32::MAX),
        })
    }

    /// Waits until every call before this one has ended.
    pub(crate) async fn turn_to_run(&self) {
        let before = self.position;
        self.until(|places| places.iter().take(before).all(Place::has_ended))
            .await;
    }

    /// Waits until all calls of the row are handed in; those that never come count as over.
    async fn gathered(&self) {
        let here = |places: &[Place]| places.iter().all(|place| place.stage != Stage::Absent);
        let gathered = tokio::time::timeout(GATHERING, self.until(here)).await;
        if gathered.is_err() {
            self.row.places.send_modify(|places| {
                let absent = places.iter_mut().filter(|p| p.stage == Stage::Absent);
                absent.for_each(|place| place.stage = Stage::Ended);
            });
        }
    }

    async fn until(&self, is_so: impl Fn(&[Place]) -> bool) {
        let mut places = self.row.places.subscribe();
        // The sender lives as long as this seat.
        let _ = places.wait_for(|places| is_so(places)).await;
    }

    fn change(&self, change: impl FnOnce(&mut Place)) {
        self.row.places.send_modify(|places| {
            if let Some(place) = places.get_mut(self.position) {
                change(place);
            }
        });
    }
}

impl Row {
    /// What the questions of calls that stand together go by.
    fn group(&self, first: usize) -> BatchId {
        let mut groups = lock(&self.groups);
        let known = groups.iter().find(|(known, _)| *known == first);
        if let Some((_, id)) = known {
            return *id;
        }
        let id = BatchId::from_uuid(Uuid::now_v7());
        groups.push((first, id));
        id
    }
}
