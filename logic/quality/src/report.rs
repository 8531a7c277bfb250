//! What graded and rated answers come to.

use crate::last_words::{Answer, answer_of};
use crate::own::{OwnAnswers, own_answers};
use crate::pairings::{Pairing, pairings};
use crate::statistics::{Interval, mean, share, weighted_kappa};
use domain::model::ModelRef;
use domain::quality::{Observation, TaskKind, Worth};
use std::collections::BTreeMap;

/// From how many answers on a kappa is told.
const KAPPA_FROM: usize = 10;

/// Grades of several answers.
#[derive(Debug, Clone, PartialEq)]
pub struct Grades {
    /// How many have each of the grades 1 to 5.
    pub counts: [usize; 5],
    /// Their mean.
    pub mean: Interval,
}

/// The user's ratings of several answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Ratings {
    /// Above 0.
    pub good: usize,
    /// Below 0.
    pub bad: usize,
    /// Neither.
    pub neutral: usize,
}

/// The answers of one model, or to one kind of task.
#[derive(Debug, Clone, PartialEq)]
pub struct Group {
    /// What they have in common.
    pub name: String,
    /// How many were graded or rated.
    pub answers: usize,
    /// Their grades; `None` where none was graded.
    pub grades: Option<Grades>,
    /// The user's ratings.
    pub ratings: Ratings,
}

/// How far a judge says what the user says, of the answers that both looked at.
#[derive(Debug, Clone, PartialEq)]
pub struct Agreement {
    /// The judge.
    pub judge: ModelRef,
    /// Answers with a grade of this judge's and a rating.
    pub answers: usize,
    /// The share in which both call the answer good (4, 5), middling (3) or bad (1, 2).
    pub alike: Interval,
    /// Cohen's kappa, weighted by the square of the difference; `None` where all say the same, or of
    /// too few answers to say anything.
    pub kappa: Option<f64>,
}

/// What is known of the quality of answers.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Report {
    /// What the grades are worth, a judge each.
    pub agreement: Vec<Agreement>,
    /// Judges whose grades no rating of the user's stands beside.
    pub unmeasured: Vec<ModelRef>,
    /// By the model that answered.
    pub by_model: Vec<Group>,
    /// By the kind of task.
    pub by_kind: Vec<Group>,
    /// Comparisons with second answers, by the models of both.
    pub pairings: Vec<Pairing>,
    /// How judges did where one of both answers was their own.
    pub own: Vec<OwnAnswers>,
}

/// What is known of one answer: the last grade and the last rating count.
#[derive(Debug, Clone)]
struct Known {
    model: Option<ModelRef>,
    kind: TaskKind,
    grade: Option<(u64, u8, ModelRef)>,
    rating: Option<(u64, i8)>,
}

impl Report {
    /// The report on these observations, in any order; one that is there twice counts once.
    #[must_use]
    pub fn of(observations: &[Observation]) -> Self {
        let known = known(observations);
        let by_model = |one: &Known| match &one.model {
            Some(model) => model.to_string(),
            None => "rules".to_owned(),
        };
        let (agreement, unmeasured) = agreements(&known);
        Self {
            agreement,
            unmeasured,
            by_model: groups(&known, by_model),
            by_kind: groups(&known, |one| one.kind.to_string()),
            pairings: pairings(observations),
            own: own_answers(observations),
        }
    }

    /// Whether nothing was graded, rated or compared.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.by_model.is_empty() && self.pairings.is_empty()
    }
}

fn known(observations: &[Observation]) -> Vec<Known> {
    let mut answers: BTreeMap<Answer<'_>, Known> = BTreeMap::new();
    let is_of_one =
        |one: &&Observation| matches!(one.worth, Worth::Judge { .. } | Worth::User { .. });
    for one in observations.iter().filter(is_of_one) {
        let known = answers.entry(answer_of(one)).or_insert_with(|| Known {
            model: one.model.clone(),
            kind: one.kind,
            grade: None,
            rating: None,
        });
        match &one.worth {
            Worth::Judge { score, judge, .. } => {
                if known.grade.as_ref().is_none_or(|(seq, ..)| *seq < one.seq) {
                    known.grade = Some((one.seq, *score, judge.clone()));
                }
            }
            Worth::User { score } => {
                if known.rating.is_none_or(|(seq, _)| seq < one.seq) {
                    known.rating = Some((one.seq, *score));
                }
            }
            Worth::Compared { .. } | Worth::Chosen { .. } => {}
        }
    }
    answers.into_values().collect()
}

fn groups(known: &[Known], name_of: impl Fn(&Known) -> String) -> Vec<Group> {
    let mut by_name: BTreeMap<String, Vec<&Known>> = BTreeMap::new();
    for one in known {
        by_name.entry(name_of(one)).or_default().push(one);
    }
    let group = |(name, members): (String, Vec<&Known>)| Group {
        name,
        answers: members.len(),
        grades: grades(&members),
        ratings: ratings(&members),
    };
    by_name.into_iter().map(group).collect()
}

fn grades(members: &[&Known]) -> Option<Grades> {
    let scores = members.iter().filter_map(|one| one.grade.as_ref());
    let scores: Vec<u8> = scores.map(|(_, score, _)| *score).collect();
    let mut counts = [0; 5];
    for score in &scores {
        counts[usize::from((*score).clamp(1, 5)) - 1] += 1;
    }
    let values: Vec<f64> = scores.into_iter().map(f64::from).collect();
    Some(Grades {
        counts,
        mean: mean(&values, (1.0, 5.0))?,
    })
}

fn ratings(members: &[&Known]) -> Ratings {
    let mut counted = Ratings::default();
    for (_, score) in members.iter().filter_map(|one| one.rating) {
        match score {
            1.. => counted.good += 1,
            0 => counted.neutral += 1,
            _ => counted.bad += 1,
        }
    }
    counted
}

/// A rating from -100 to 100 as a grade from 1 to 5.
fn as_grade(rating: i8) -> u8 {
    match rating {
        ..=-75 => 1,
        -74..=-25 => 2,
        -24..=24 => 3,
        25..=74 => 4,
        75.. => 5,
    }
}

fn agreements(known: &[Known]) -> (Vec<Agreement>, Vec<ModelRef>) {
    let mut by_judge: BTreeMap<&ModelRef, Vec<(u8, u8)>> = BTreeMap::new();
    for one in known {
        let Some((_, score, judge)) = &one.grade else {
            continue;
        };
        let pairs = by_judge.entry(judge).or_default();
        pairs.extend(one.rating.map(|(_, rating)| (*score, as_grade(rating))));
    }
    let verdict = |grade: u8| grade.cmp(&3);
    let (mut measured, mut unmeasured) = (Vec::new(), Vec::new());
    for (judge, pairs) in by_judge {
        let alike = |(ours, theirs): &&(u8, u8)| verdict(*ours) == verdict(*theirs);
        match share(pairs.iter().filter(alike).count(), pairs.len()) {
            None => unmeasured.push(judge.clone()),
            Some(alike) => measured.push(Agreement {
                judge: judge.clone(),
                answers: pairs.len(),
                alike,
                kappa: weighted_kappa(&pairs).filter(|_| pairs.len() >= KAPPA_FROM),
            }),
        }
    }
    (measured, unmeasured)
}
