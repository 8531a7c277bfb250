//! Requests to try a server with.

use domain::model::Priority;
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
    let mut dice = Dice(seed);
    let made = (0..REQUESTS).map(|_| Request {
        arrives: Duration::ZERO,
        model: dice.one_of(models),
        priority: Priority::Agent,
        takes: dice.answer(),
    });
    made.collect()
}

/// One request a second, of which one in forty is for a model that nothing else asks for.
fn one_rare(seed: u64) -> Vec<Request> {
    let mut dice = Dice(seed);
    let made = (0..REQUESTS).map(|nth| Request {
        arrives: Duration::from_secs(nth as u64),
        model: match nth % 40 {
            20 => "rare",
            _ => dice.one_of(&["fast", "code"]),
        },
        priority: Priority::Agent,
        takes: dice.answer(),
    });
    made.collect()
}

/// Sub-agents ask two models all the time, every answer is graded by a third, and every half minute
/// the user asks for something.
fn mixed(seed: u64) -> Vec<Request> {
    let mut dice = Dice(seed);
    let made = (0..REQUESTS).map(|nth| {
        let (priority, model) = match nth % 10 {
            0 => (Priority::User, "chat"),
            2 | 5 | 8 => (Priority::Background, "judge"),
            _ => (Priority::Agent, dice.one_of(&["fast", "code"])),
        };
        Request {
            arrives: Duration::from_secs(3 * nth as u64),
            model,
            priority,
            takes: dice.answer(),
        }
    });
    made.collect()
}

/// Chance with a seed: splitmix64, after Steele, Lea and Flood, "Fast splittable pseudorandom
/// number generators" (2014).
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn one_of(&mut self, all: &[&'static str]) -> &'static str {
        let at = self.roll() % all.len().max(1) as u64;
        all.get(at as usize).copied().unwrap_or_default()
    }

    fn answer(&mut self) -> Duration {
        let (least, most) = ANSWER_MS;
        Duration::from_millis(least + self.roll() % (most - least))
    }
}
