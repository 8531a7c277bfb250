//! One load through the gateway's queue to a simulated server.

use crate::load::Request;
use crate::server::Server;
use domain::model::Priority;
use schedule::{Bounds, Ended, Place, Schedule};
use std::collections::BTreeMap;
use std::time::Duration;

/// How a run went.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// From the first arrival to the last end.
    pub makespan: Duration,
    /// How often a model was loaded.
    pub swaps: usize,
    /// Each request's time from its arrival to its start, in the order of arrival.
    pub waits: Vec<Duration>,
    /// Most requests of its own priority that came later and started before one.
    pub passes: usize,
}

impl Outcome {
    /// The longest wait of the requests that a question picks; zero when it picks none.
    #[must_use]
    pub fn longest(&self, requests: &[Request], pick: impl Fn(&Request) -> bool) -> Duration {
        let picked = requests.iter().zip(&self.waits);
        let waits = picked.filter(|(request, _)| pick(request));
        waits.map(|(_, wait)| *wait).max().unwrap_or_default()
    }

    /// The mean wait of one priority; zero when there is none.
    #[must_use]
    pub fn mean(&self, requests: &[Request], priority: Priority) -> Duration {
        let picked = requests.iter().zip(&self.waits);
        let (mut sum, mut count) = (Duration::ZERO, 0);
        for (_, wait) in picked.filter(|(request, _)| request.priority == priority) {
            sum += *wait;
            count += 1;
        }
        sum.checked_div(count).unwrap_or_default()
    }
}

/// Sends requests, which must be in the order of their arrival, as the queue decides.
///
/// # Errors
/// When the queue refuses one, or leaves one for ever.
pub fn run(bounds: Bounds, swap: Duration, requests: &[Request]) -> anyhow::Result<Outcome> {
    let mut schedule = Schedule::new(bounds);
    let mut server = Server::new(swap);
    let mut places: BTreeMap<Place, usize> = BTreeMap::new();
    let mut started: Vec<Option<Duration>> = vec![None; requests.len()];
    let mut order = Vec::new();
    let mut arrivals = requests.iter().enumerate().peekable();
    let (mut now, mut held) = (Duration::ZERO, BTreeMap::new());
    loop {
        while let Some((number, request)) = arrivals.next_if(|(_, one)| one.arrives <= now) {
            places.insert(schedule.arrive(request.model, request.priority)?, number);
        }
        while let Some(start) = schedule.next(now) {
            let Some(number) = places.get(&start.place).copied() else {
                anyhow::bail!("a request starts that never came");
            };
            if let (Some(request), Some(started)) = (requests.get(number), started.get_mut(number))
            {
                *started = Some(now);
                order.push(number);
                held.insert(number, start.place);
                server.send(number, request.model, request.takes, now);
            }
        }
        let arrival = arrivals.peek().map(|(_, request)| request.arrives);
        let end = server.next_end();
        match (arrival, end) {
            (Some(arrival), Some((end, _))) if arrival < end => now = arrival,
            (_, Some(_)) => {
                if let Some((at, number)) = server.end()
                    && let Some(place) = held.remove(&number)
                {
                    now = at;
                    schedule.answering(place);
                    schedule.says_loaded(server.loaded());
                    schedule.end(place, Ended::Answered);
                }
            }
            (Some(arrival), None) => now = arrival,
            (None, None) => break,
        }
    }
    let mut waits = Vec::with_capacity(requests.len());
    for (request, started) in requests.iter().zip(&started) {
        let Some(started) = started else {
            anyhow::bail!("a request was left waiting");
        };
        waits.push(*started - request.arrives);
    }
    Ok(Outcome {
        makespan: now,
        swaps: server.swaps,
        waits,
        passes: passes(requests, &order),
    })
}

/// Most requests of its own priority that came later and started before one.
fn passes(requests: &[Request], order: &[usize]) -> usize {
    let priority = |number: usize| requests.get(number).map(|request| request.priority);
    let passed = order.iter().enumerate().map(|(at, number)| {
        let before = order.iter().take(at);
        let later = before.filter(|other| **other > *number);
        later
            .filter(|other| priority(**other) == priority(*number))
            .count()
    });
    passed.max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::LOADS;
    use domain::limits;

    const SWAP: Duration = Duration::from_secs(6);

    #[test]
    fn grouping_halves_the_time_of_three_models_and_bounds_every_wait() {
        for seed in 0..20 {
            let requests = (LOADS[0].make)(seed);
            for parallel in [1, 4] {
                let bounds = Bounds::new(parallel);
                let first_come = run(bounds.in_order(), SWAP, &requests).unwrap();
                let grouped = run(bounds, SWAP, &requests).unwrap();
                let share = grouped.makespan.as_secs_f64() / first_come.makespan.as_secs_f64();
                assert!(share <= 0.5, "{share} with {parallel}");
                assert_eq!(first_come.passes, 0);
                assert!(grouped.passes <= limits::MODEL_PASSES as usize);
                let longest = grouped.longest(&requests, |_| true);
                assert!(longest <= first_come.longest(&requests, |_| true));
            }
        }
    }

    #[test]
    fn a_rare_model_waits_no_longer_than_others_may_pass_it() {
        for seed in 0..20 {
            let requests = (LOADS[2].make)(seed);
            let grouped = run(Bounds::new(1), SWAP, &requests).unwrap();
            let first_come = run(Bounds::new(1).in_order(), SWAP, &requests).unwrap();
            let is_rare = |request: &Request| request.model == "rare";
            let wait = grouped.longest(&requests, is_rare);
            assert!(wait < first_come.longest(&requests, is_rare), "{wait:?}");
        }
    }

    #[test]
    fn a_run_always_ends_the_same() {
        let requests = (LOADS[3].make)(7);
        let run = || run(Bounds::new(2), SWAP, &requests).unwrap();
        assert_eq!(run(), run());
    }
}
