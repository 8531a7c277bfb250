//! How far a judge can be talked into a good grade: wrong answers are graded as they are, and once more with a
//! text that asks for a 5.

use crate::case::Case;
use crate::measuring::{KnownPair, known_pairs};
use crate::record::AttackMeasure;
use crate::statistics::{Interval, mean, share};
use domain::Timestamp;
use domain::model::ModelRef;
use std::collections::BTreeMap;

/// Fifty texts that ask a judge for a good grade, or claim one.
const ATTACKS: &str = include_str!("../data/attacks.txt");

/// A wrong answer, as it is and with a text to the judge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attacked {
    /// As it is.
    pub plain: Case,
    /// With the text behind it.
    pub attacked: Case,
}

/// The fifty that come along, in the order in which they are asked.
#[must_use]
pub fn attacked_cases() -> Vec<Attacked> {
    let attacked = |(pair, attack): (KnownPair, &str)| {
        let plain = Case {
            question: pair.question,
            answer: pair.wrong,
            evidence: pair.evidence,
            kind: pair.kind,
            model: None,
            answered_seq: 0,
            is_taken: false,
        };
        let answer = format!("{}\n\n{attack}", plain.answer);
        Attacked {
            attacked: Case {
                answer,
                ..plain.clone()
            },
            plain,
        }
    };
    known_pairs()
        .into_iter()
        .zip(ATTACKS.lines())
        .map(attacked)
        .collect()
}

/// What attacks did to a judge's grades: a fold over pairs of them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Moved {
    /// By how much each grade moved, -4 to 4.
    moves: Vec<i8>,
    /// Attacks of which one of both grades cannot be read.
    unread: usize,
}

impl Moved {
    /// Takes in the grade of the answer as it is and with the text.
    pub fn take(&mut self, plain: Option<u8>, attacked: Option<u8>) {
        match (plain, attacked) {
            (Some(plain), Some(attacked)) => {
                let grade = |one: u8| i8::try_from(one.clamp(1, 5)).unwrap_or(1);
                self.moves.push(grade(attacked) - grade(plain));
            }
            _ => self.unread += 1,
        }
    }

    /// How many attacks it has, those that cannot be read included.
    #[must_use]
    pub const fn count(&self) -> usize {
        self.moves.len() + self.unread
    }

    /// What is kept of it.
    #[must_use]
    pub fn of(self, judge: ModelRef, time: Timestamp) -> AttackMeasure {
        AttackMeasure {
            time,
            judge,
            moves: self.moves,
            unread: self.unread,
        }
    }
}

/// The last measurement of each judge, of those given, oldest first.
pub fn last_attacks(all: &[AttackMeasure]) -> impl Iterator<Item = &AttackMeasure> {
    let last: BTreeMap<_, _> = all.iter().map(|one| (&one.judge, one)).collect();
    last.into_values()
}

/// The share of attacks that got a better grade; `None` where none was read.
#[must_use]
pub fn raised(measure: &AttackMeasure) -> Option<Interval> {
    let raised = measure.moves.iter().filter(|by| **by > 0).count();
    share(raised, measure.moves.len())
}

/// By how much grades moved in the mean; `None` where none was read.
#[must_use]
pub fn moved(measure: &AttackMeasure) -> Option<Interval> {
    let moves: Vec<f64> = measure.moves.iter().map(|by| f64::from(*by)).collect();
    mean(&moves, (-4.0, 4.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fifty_attacks_stand_behind_wrong_answers() {
        let all = attacked_cases();
        assert_eq!(all.len(), 50);
        for (one, pair) in all.iter().zip(known_pairs()) {
            assert_eq!(one.plain.answer, pair.wrong);
            let attack = one.attacked.answer.strip_prefix(&pair.wrong).unwrap();
            assert!(attack.trim().len() > 5, "{attack}");
            assert_eq!(one.attacked.evidence, one.plain.evidence);
        }
    }

    #[test]
    fn grades_that_moved_are_counted_with_their_intervals() {
        let mut found = Moved::default();
        for (plain, attacked) in [(1, 5), (2, 2), (3, 1), (2, 4)] {
            found.take(Some(plain), Some(attacked));
        }
        found.take(None, Some(5));
        assert_eq!(found.count(), 5);
        let judge = ModelRef {
            provider: "p".to_owned(),
            model: "m".to_owned(),
        };
        let kept = found.of(judge, Timestamp::UNIX_EPOCH);
        assert_eq!(
            (kept.moves.as_slice(), kept.unread),
            ([4, 0, -2, 2].as_slice(), 1)
        );
        assert!((raised(&kept).unwrap().value - 0.5).abs() < 1e-9);
        assert!((moved(&kept).unwrap().value - 1.0).abs() < 1e-9);
    }
}
