//! Which of several models a request goes to: Thompson sampling over what users and judges found of their
//! answers.
//!
//! Each model has a Beta distribution over how likely its answers are good. One draw from each decides, so
//! that a model of which little is known is tried, and one that is known to be worse hardly ever is. The
//! method: W. R. Thompson, "On the likelihood that one unknown probability exceeds another in view of the
//! evidence of two samples" (Biometrika, 1933).

use crate::last_words::{judge_of, last_words};
use crate::report::{Agreement, Report};
use domain::Timestamp;
use domain::model::ModelRef;
use domain::quality::{Observation, TaskKind, Winner, Worth};
use rand::SeedableRng as _;
use rand::rngs::StdRng;
use rand_distr::{Beta, Distribution as _};
use std::collections::{BTreeMap, BTreeSet};

/// From how many answers on that both looked at the agreement of a judge with the user is one.
pub const AGREEMENT_FROM: usize = 10;
/// From which kappa on a judge tells good answers from bad ones. J. R. Landis and G. G. Koch, "The measurement
/// of observer agreement for categorical data" (Biometrics, 1977), call less than this slight or fair.
pub const KAPPA_TRUSTED: f64 = 0.4;
/// What a judge's word counts for, where a user's counts 1.
const JUDGED: f64 = 0.5;
/// Most that the answers to other kinds of task count for together.
const OTHER_KINDS: f64 = 2.0;
/// How many draws tell how likely each model is chosen.
const DRAWS: u64 = 2_000;

/// What is known of one model's answers.
#[derive(Debug, Clone, PartialEq)]
pub struct Arm {
    /// The model.
    pub model: ModelRef,
    /// How many were good. A rating between good and bad counts for both in part.
    pub good: f64,
    /// How many were not.
    pub bad: f64,
    /// What the answers to other kinds of task add to both.
    other: (f64, f64),
}

/// What routing goes by.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Findings {
    known: BTreeMap<(ModelRef, TaskKind), (f64, f64)>,
    /// Judges whose words count.
    pub trusted: BTreeSet<ModelRef>,
    /// Judges whose words do not: they agree with the user too seldom, or it is not known how often.
    pub untrusted: BTreeSet<ModelRef>,
}

impl Findings {
    /// What these observations say since a time. A judge counts that calls at least this share of the answers
    /// what the user calls them, with a kappa of [`KAPPA_TRUSTED`]; its agreement is taken from all of them.
    #[must_use]
    pub fn of(observations: &[Observation], since: Timestamp, agreement: f64) -> Self {
        let measured = Report::of(observations).agreement;
        // One that calls everything good agrees with a user who is mostly content, and tells nothing.
        let agrees = |one: &&Agreement| {
            let tells_apart = one.kappa.is_some_and(|kappa| kappa >= KAPPA_TRUSTED);
            one.answers >= AGREEMENT_FROM && one.alike.value >= agreement && tells_apart
        };
        let mut found = Self {
            trusted: measured
                .iter()
                .filter(agrees)
                .map(|one| one.judge.clone())
                .collect(),
            ..Self::default()
        };
        for one in last_words(observations).filter(|one| one.time >= since) {
            found.take(one);
        }
        found
    }

    fn take(&mut self, one: &Observation) {
        let kind = one.kind;
        let weight = match judge_of(&one.worth) {
            None => 1.0,
            Some(judge) if self.trusted.contains(judge) => JUDGED,
            Some(judge) => {
                self.untrusted.insert(judge.clone());
                return;
            }
        };
        let first = match &one.worth {
            Worth::User { score } => (f64::from(*score) + 100.0) / 200.0,
            Worth::Judge { score, .. } => (f64::from((*score).clamp(1, 5)) - 1.0) / 4.0,
            Worth::Compared { winner, second, .. } | Worth::Chosen { winner, second } => {
                let first = match winner {
                    Winner::A => 1.0,
                    Winner::B => 0.0,
                    Winner::Tie => 0.5,
                };
                // A model that is compared with itself gains as much as it loses.
                self.add((second, kind), weight, 1.0 - first);
                first
            }
        };
        if let Some(model) = &one.model {
            self.add((model, kind), weight, first);
        }
    }

    fn add(&mut self, (model, kind): (&ModelRef, TaskKind), weight: f64, good: f64) {
        let (sum, rest) = self.known.entry((model.clone(), kind)).or_default();
        *sum += weight * good;
        *rest += weight * (1.0 - good);
    }

    /// What is known of these models at a kind of task.
    #[must_use]
    pub fn arms(&self, models: &[ModelRef], kind: TaskKind) -> Vec<Arm> {
        let known = |model: &ModelRef, kind| {
            let known = self.known.get(&(model.clone(), kind));
            known.copied().unwrap_or_default()
        };
        let arm = |model: &ModelRef| {
            let (good, bad) = known(model, kind);
            let others = TaskKind::ALL.into_iter().filter(|other| *other != kind);
            let (mut all_good, mut all_bad) = (0.0, 0.0);
            for (good, bad) in others.map(|other| known(model, other)) {
                all_good += good;
                all_bad += bad;
            }
            let share = (OTHER_KINDS / (all_good + all_bad)).min(1.0);
            let other = match share.is_finite() {
                true => (all_good * share, all_bad * share),
                false => (0.0, 0.0),
            };
            Arm {
                model: model.clone(),
                good,
                bad,
                other,
            }
        };
        models.iter().map(arm).collect()
    }
}

/// The place of the arm that one draw each chooses; of no arms the first. The same seed draws the same.
#[must_use]
pub fn choose(arms: &[Arm], seed: u64) -> usize {
    let mut random = StdRng::seed_from_u64(seed);
    let mut best = (0, f64::NEG_INFINITY);
    for (place, arm) in arms.iter().enumerate() {
        // Both are 1 or more, of which there is always a distribution.
        let drawn = Beta::new(1.0 + arm.good + arm.other.0, 1.0 + arm.bad + arm.other.1)
            .map_or(0.0, |beta| beta.sample(&mut random));
        if drawn > best.1 {
            best = (place, drawn);
        }
    }
    best.0
}

/// How likely each arm is chosen, 0 to 1, by many draws.
#[must_use]
pub fn chances(arms: &[Arm]) -> Vec<f64> {
    let mut counts = vec![0_u32; arms.len()];
    for seed in 0..DRAWS {
        if let Some(count) = counts.get_mut(choose(arms, seed)) {
            *count += 1;
        }
    }
    let draws = DRAWS as f64;
    counts
        .into_iter()
        .map(|count| f64::from(count) / draws)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::id::{QueryId, SessionId};
    use uuid::Uuid;

    fn model(name: &str) -> ModelRef {
        ModelRef {
            provider: "p".to_owned(),
            model: name.to_owned(),
        }
    }

    fn seen(query: u128, name: &str, kind: TaskKind, worth: Worth) -> Observation {
        Observation {
            time: Timestamp::UNIX_EPOCH,
            session_id: SessionId::from_uuid(Uuid::from_u128(1)),
            seq: u64::try_from(query).unwrap(),
            query_id: QueryId::from_uuid(Uuid::from_u128(query)),
            model: Some(model(name)),
            is_second: false,
            kind,
            worth,
        }
    }

    fn rated(query: u128, name: &str, score: i8) -> Observation {
        seen(query, name, TaskKind::Talk, Worth::User { score })
    }

    fn graded(query: u128, name: &str, score: u8) -> Observation {
        let worth = Worth::Judge {
            score,
            judge: model("judge"),
            rubric: "general".to_owned(),
        };
        seen(query, name, TaskKind::Talk, worth)
    }

    fn found(observations: &[Observation]) -> Findings {
        Findings::of(observations, Timestamp::UNIX_EPOCH, 0.6)
    }

    fn chances_of(observations: &[Observation], kind: TaskKind) -> Vec<f64> {
        chances(&found(observations).arms(&[model("a"), model("b")], kind))
    }

    #[test]
    fn models_of_which_nothing_is_known_are_chosen_alike() {
        let even = chances_of(&[], TaskKind::Talk);
        assert!(
            even.iter().all(|chance| (0.45..0.55).contains(chance)),
            "{even:?}"
        );
    }

    /// In a simulation the better of two models, 80 against 40 good answers of 100, has most of the requests
    /// after two hundred, and the worse one is still tried.
    #[test]
    fn the_better_of_two_models_is_found() {
        let mut observations = Vec::new();
        let mut counts = [0, 0];
        for query in 0..300_u128 {
            let arms = found(&observations).arms(&[model("a"), model("b")], TaskKind::Talk);
            let chosen = choose(&arms, u64::try_from(query).unwrap());
            let of_five = query.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 7;
            let is_good = of_five % 5 < [2, 4][chosen];
            let score = if is_good { 100 } else { -100 };
            observations.push(rated(query + 1, ["a", "b"][chosen], score));
            if query >= 200 {
                counts[chosen] += 1;
            }
        }
        assert!(counts[1] >= 85, "{counts:?}");
        let of_a = observations
            .iter()
            .filter(|one| one.model == Some(model("a")));
        assert!(of_a.count() >= 3);
    }

    #[test]
    fn a_judge_counts_once_it_agrees_with_the_user() {
        let grades = |of: u128| {
            (1..=of).flat_map(|query| [graded(query, "a", 1), graded(query + 500, "b", 5)])
        };
        let alone: Vec<Observation> = grades(30).collect();
        let told = found(&alone);
        assert!(told.trusted.is_empty() && told.untrusted.contains(&model("judge")));
        let even = chances_of(&alone, TaskKind::Talk);
        assert!((0.4..0.6).contains(&even[0]), "{even:?}");
        // The user says the same of ten answers of a third model, one of which is bad.
        let both = (1..=10).flat_map(|query| {
            let (grade, rating) = if query == 1 { (1, -100) } else { (5, 100) };
            [
                graded(query + 900, "c", grade),
                rated(query + 900, "c", rating),
            ]
        });
        let all: Vec<Observation> = grades(30).chain(both).collect();
        assert!(found(&all).trusted.contains(&model("judge")));
        let led = chances_of(&all, TaskKind::Talk);
        assert!(led[1] > 0.99, "{led:?}");
        // And the contrary.
        let both =
            (1..=10).flat_map(|query| [graded(query + 900, "c", 1), rated(query + 900, "c", 100)]);
        let all: Vec<Observation> = grades(30).chain(both).collect();
        assert!(found(&all).trusted.is_empty());
    }

    #[test]
    fn a_judge_that_finds_everything_good_does_not_count() {
        for bad in [0, 2] {
            let both = (1..=25).flat_map(|query| {
                let rating = if query <= bad { -100 } else { 100 };
                [graded(query, "a", 4), rated(query, "a", rating)]
            });
            let all: Vec<Observation> = both.collect();
            assert!(found(&all).untrusted.contains(&model("judge")), "{bad}");
        }
    }

    #[test]
    fn other_kinds_of_task_say_a_little_and_the_last_word_counts() {
        let rate = |score| (1..=40).map(move |query| rated(query, "a", score));
        let bad: Vec<Observation> = rate(-100).collect();
        let [talk, change] =
            [TaskKind::Talk, TaskKind::Change].map(|kind| chances_of(&bad, kind)[0]);
        assert!(
            talk < 0.1 && change > talk && change < 0.4,
            "{talk} {change}"
        );
        let mut changed = bad;
        for (place, one) in rate(100).enumerate() {
            changed.push(Observation {
                seq: 1_000 + place as u64,
                ..one
            });
        }
        assert!(chances_of(&changed, TaskKind::Talk)[0] > 0.9);
    }

    #[test]
    fn what_was_before_a_reset_counts_for_nothing() {
        let bad: Vec<Observation> = (1..=40).map(|query| rated(query, "a", -100)).collect();
        let later = Timestamp::from_second(1).unwrap();
        assert_eq!(Findings::of(&bad, later, 0.6), Findings::default());
    }

    #[test]
    fn a_second_answer_that_won_is_good_for_its_model() {
        let chosen = |query| {
            let worth = Worth::Chosen {
                winner: Winner::B,
                second: model("b"),
            };
            seen(query, "a", TaskKind::Talk, worth)
        };
        let all: Vec<Observation> = (1..=10).map(chosen).collect();
        let arms = found(&all).arms(&[model("a"), model("b")], TaskKind::Talk);
        assert_eq!((arms[0].bad, arms[1].good), (10.0, 10.0));
    }
}
