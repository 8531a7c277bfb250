//! Requests to try a server with.

use domain::model::Priority;
use generated::random::Random;
use std::time::Duration;

/// Requests of a load.
pub const REQUESTS: usize = 200;
/// Shortest and longest answer: what a 7B to 14B model on one card needs for a tool call or a short
/// report.
const ANSWER_MS: (u64, u64) = (1_000, 3_000);

/// A request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// When it comes.
    pub arrives: Duration,
    /// The model.
    pub model: &'static str,
    /// Who waits for it.
    pub priority: Priority,
    /// How long its answer takes once the model is in memory.
    pub takes: Duration,
}

/// A load: what it is called, and how it is made from a seed.
#[derive(Debug, Clone, Copy)]
pub struct Load {
    /// For people.
    pub name: &'static str,
    /// Makes the requests, in the order of their arrival.
    pub make: fn(u64) -> Vec<Request>,
}

/// Every load.
pub const LOADS: [Load; 4] = [
    Load {
        name: "three models, all at once",
        make: |seed| at_once(seed, &["fast", "code", "reason"]),
    },
    Load {
        name: "six models, all at once",
        make: |seed| at_once(seed, &["fast", "code", "reason", "judge", "chat", "look"]),
    },
    Load {
        name: "three models, one rare, one request a second",
        make: one_rare,
    },
    Load {
        name: "the user among sub-agents and grading",
        make: mixed,
    },
];

/// Every model as often, in no order, all of them waiting from the start.
fn at_once(seed: u64, models: &[&'static str]) -> Vec<Request> {
    let mut random = Random::new(seed);
    let made = (0..REQUESTS).map(|_| Request {
        arrives: Duration::ZERO,
        model: one_of(&mut random, models),
        priority: Priority::Agent,
        takes: answer(&mut random),
    });
    made.collect()
}

/// One request a second, of which one in forty is for a model that nothing else asks for.
fn one_rare(seed: u64) -> Vec<Request> {
    let mut random = Random::new(seed);
    let made = (0..REQUESTS).map(|nth| Request {
        arrives: Duration::from_secs(nth as u64),
        model: match nth % 40 {
            20 => "rare",
            _ => one_of(&mut random, &["fast", "code"]),
        },
        priority: Priority::Agent,
        takes: answer(&mut random),
    });
    made.collect()
}

/// Sub-agents ask two models all the time, every answer is graded by a third, and every half minute
/// the user asks for something.
fn mixed(seed: u64) -> Vec<Request> {
    let mut random = Random::new(seed);
    let made = (0..REQUESTS).map(|nth| {
        let (priority, model) = match nth % 10 {
            0 => (Priority::User, "chat"),
            2 | 5 | 8 => (Priority::Background, "judge"),
            _ => (Priority::Agent, one_of(&mut random, &["fast", "code"])),
        };
        Request {
            arrives: Duration::from_secs(3 * nth as u64),
            model,
            priority,
            takes: answer(&mut random),
        }
    });
    made.collect()
}

/// One of some models.
fn one_of(random: &mut Random, all: &[&'static str]) -> &'static str {
    all.get(random.below(all.len()))
        .copied()
        .unwrap_or_default()
}

/// How long an answer takes.
fn answer(random: &mut Random) -> Duration {
    let (least, most) = ANSWER_MS;
    Duration::from_millis(least + random.number() % (most - least))
}
