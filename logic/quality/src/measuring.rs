//! How good a judge is: asked about pairs of which it is known which answer is right.

use crate::case::Evidence;
use crate::comparing::{Choice, Verdict, verdict};
use crate::statistics::{Interval, share, share_of_pairs};
use domain::Timestamp;
use domain::model::ModelRef;
use domain::quality::{Choices, JudgeMeasure, TaskKind};
use serde_json::Value;
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// Two hundred questions with a right and a wrong answer, from tasks whose result is certain.
const PAIRS: &str = include_str!("../data/pairs.jsonl");

/// A question with a right and a wrong answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownPair {
    /// What kind of task it is.
    pub kind: TaskKind,
    /// The user's words.
    pub question: String,
    /// The right answer.
    pub right: String,
    /// The wrong one.
    pub wrong: String,
    /// What tools returned.
    pub evidence: Vec<Evidence>,
}

impl KnownPair {
    /// How long the right answer is beside the wrong one.
    #[must_use]
    pub fn right_length(&self) -> Ordering {
        let [right, wrong] = [&self.right, &self.wrong].map(|text| text.chars().count());
        right.cmp(&wrong)
    }
}

/// The pairs that come along, in the order in which they are asked.
#[must_use]
pub fn known_pairs() -> Vec<KnownPair> {
    PAIRS.lines().filter_map(pair).collect()
}

fn pair(line: &str) -> Option<KnownPair> {
    let Ok(line) = serde_json::from_str::<Value>(line) else {
        return None;
    };
    let text = |key: &str| line[key].as_str().map(str::to_owned);
    let evidence = |one: &Value| {
        Some(Evidence {
            tool: one["tool"].as_str()?.to_owned(),
            text: one["text"].as_str()?.to_owned(),
            left_out: 0,
        })
    };
    let kind = line["kind"].as_str()?;
    Some(KnownPair {
        kind: TaskKind::ALL.into_iter().find(|one| one.as_str() == kind)?,
        question: text("question")?,
        right: text("right")?,
        wrong: text("wrong")?,
        evidence: line["evidence"]
            .as_array()?
            .iter()
            .filter_map(evidence)
            .collect(),
    })
}

/// The last measurement of each judge, of those given, oldest first.
pub fn last_of_each(measures: Vec<JudgeMeasure>) -> impl Iterator<Item = JudgeMeasure> {
    let last: BTreeMap<_, _> = measures
        .into_iter()
        .map(|one| (one.judge.clone(), one))
        .collect();
    last.into_values()
}

impl From<&JudgeMeasure> for Measured {
    fn from(kept: &JudgeMeasure) -> Self {
        Self {
            pairs: kept.pairs,
            right: kept.right,
            wrong: kept.wrong,
            ties: kept.ties,
            first: kept.first,
            second: kept.second,
            unread: kept.unread,
            longer: kept.longer,
            shorter: kept.shorter,
            again: kept.again,
            same: kept.same,
        }
    }
}

/// What a judge said of pairs: a fold over its choices.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Measured {
    /// Pairs of which the judge chose in both orders.
    pub pairs: usize,
    /// Of these, the right answer was preferred in both.
    pub right: usize,
    /// Of these, the wrong answer was preferred in both.
    pub wrong: usize,
    /// Of these, neither was in both.
    pub ties: usize,
    /// Choices of the answer that stood first, in any order.
    pub first: usize,
    /// Choices of the answer that stood second.
    pub second: usize,
    /// Pairs of which it gave no choice that can be read.
    pub unread: usize,
    /// Choices, in any order, where the right answer is the longer one.
    pub longer: Choices,
    /// Choices where it is the shorter one.
    pub shorter: Choices,
    /// Choices that it was asked for once more.
    pub again: usize,
    /// Of these, it chose the same.
    pub same: usize,
}

impl Measured {
    /// Takes in what the judge chose with the right answer first, and with the wrong one first; `right` says
    /// how long the right answer is beside the wrong one.
    pub fn take(&mut self, straight: Option<Choice>, turned: Option<Choice>, right: Ordering) {
        let (Some(straight), Some(turned)) = (straight, turned) else {
            self.unread += 1;
            return;
        };
        self.pairs += 1;
        self.chose(straight);
        self.chose(turned);
        let by_length = match right {
            Ordering::Greater => Some(&mut self.longer),
            Ordering::Less => Some(&mut self.shorter),
            Ordering::Equal => None,
        };
        if let Some(choices) = by_length {
            let chosen = [(straight, Choice::First), (turned, Choice::Second)];
            for (choice, right) in chosen.into_iter().filter(|(one, _)| *one != Choice::Tie) {
                match choice == right {
                    true => choices.right += 1,
                    false => choices.wrong += 1,
                }
            }
        }
        match verdict(straight, turned) {
            Verdict::One => self.right += 1,
            Verdict::Other => self.wrong += 1,
            Verdict::Tie => self.ties += 1,
            Verdict::ByPlace => {}
        }
    }

    /// Takes in what the judge chose when it was asked the same twice; what cannot be read counts as another
    /// choice.
    pub fn take_again(&mut self, before: Choice, now: Option<Choice>) {
        self.again += 1;
        self.same += usize::from(now == Some(before));
    }

    /// What is kept of it.
    #[must_use]
    pub const fn of(self, judge: ModelRef, time: Timestamp) -> JudgeMeasure {
        JudgeMeasure {
            time,
            judge,
            pairs: self.pairs,
            right: self.right,
            wrong: self.wrong,
            ties: self.ties,
            first: self.first,
            second: self.second,
            unread: self.unread,
            longer: self.longer,
            shorter: self.shorter,
            again: self.again,
            same: self.same,
        }
    }

    const fn chose(&mut self, choice: Choice) {
        match choice {
            Choice::First => self.first += 1,
            Choice::Second => self.second += 1,
            Choice::Tie => {}
        }
    }

    /// The share of pairs of which its word counts, since it was the same in both orders.
    #[must_use]
    pub fn consistent(&self) -> Option<Interval> {
        share(self.right + self.wrong + self.ties, self.pairs)
    }

    /// The share of right answers among those that it preferred in both orders.
    #[must_use]
    pub fn accuracy(&self) -> Option<Interval> {
        share(self.right, self.right + self.wrong)
    }

    /// The share of choices of the answer that stood first, among those that chose one.
    #[must_use]
    pub fn first_share(&self) -> Option<Interval> {
        share_of_pairs(self.first, self.first + self.second)
    }

    /// The shares of choices of the right answer where that is the longer one, and where it is the shorter.
    #[must_use]
    pub fn by_length(&self) -> [Option<Interval>; 2] {
        [self.longer, self.shorter].map(|one| share_of_pairs(one.right, one.right + one.wrong))
    }

    /// Whether it goes by the length: [`Ordering::Greater`] where it prefers what is longer, that is, where
    /// the intervals of [`Measured::by_length`] do not meet.
    #[must_use]
    pub fn prefers(&self) -> Ordering {
        match self.by_length() {
            [Some(longer), Some(shorter)] if longer.low > shorter.high => Ordering::Greater,
            [Some(longer), Some(shorter)] if shorter.low > longer.high => Ordering::Less,
            _ => Ordering::Equal,
        }
    }

    /// The share of choices that were the same when it was asked again.
    #[must_use]
    pub fn repeated(&self) -> Option<Interval> {
        share(self.same, self.again)
    }

    /// Whether it goes by the place: a half is not in the interval of [`Measured::first_share`].
    #[must_use]
    pub fn is_biased(&self) -> bool {
        let share = self.first_share();
        share.is_some_and(|share| share.low > 0.5 || share.high < 0.5)
    }
}
