//! The JSON of how good answers are, and of what is asked about one.

use crate::host::Known;
use domain::Timestamp;
use domain::id::QueryId;
use domain::model::ModelRef;
use domain::quality::{JudgeMeasure, Winner};
use quality::{AttackMeasure, Measured, Report, last_attacks, last_of_each, moved, raised};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// `POST …/grade`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct GradeWanted {
    #[schema(value_type = String)]
    pub(crate) query_id: QueryId,
}

/// `POST …/second`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SecondWanted {
    #[schema(value_type = String)]
    pub(crate) query_id: QueryId,
    /// `provider/model`; as configured unless it is named.
    #[schema(value_type = Option<String>)]
    pub(crate) model: Option<ModelRef>,
    /// 0 to 2; as configured unless it is named.
    pub(crate) temperature: Option<f32>,
}

/// `POST …/second/rating`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SecondRating {
    #[schema(value_type = String)]
    pub(crate) query_id: QueryId,
    /// `A`: the answer in the conversation; `B`: the second one; `tie`.
    #[schema(value_type = String)]
    pub(crate) winner: Winner,
}

/// `POST …/second/take`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SecondTake {
    /// The last request of the session.
    #[schema(value_type = String)]
    pub(crate) query_id: QueryId,
}

/// `GET /api/v1/quality`: what grades, ratings and comparisons come to.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Quality {
    /// How judges did when they were measured, the last time of each.
    judges: Vec<Judge>,
    /// What texts that ask for a good grade did to judges, the last time of each.
    attacks: Vec<Attacks>,
    /// How far a judge says what the user says.
    agreement: Vec<Agreement>,
    /// Judges whose grades no rating of the user's stands beside.
    unmeasured: Vec<String>,
    by_model: Vec<Group>,
    by_task: Vec<Group>,
    pairings: Vec<Pairing>,
    /// How often judges found their own answers better than those of other models.
    own: Vec<OwnAnswers>,
}

/// How often a judge found its own answers better than those of other models.
#[derive(Debug, Serialize, ToSchema)]
struct OwnAnswers {
    judge: String,
    /// The share in which it said so, ties left out; null: there were nothing but ties.
    judged: Option<Interval>,
    /// The share in which the user said so of the same answers; null: of none.
    chosen: Option<Interval>,
}

/// A figure, and the ends of the interval that holds it with 95 % confidence.
#[derive(Debug, Serialize, ToSchema)]
struct Interval {
    value: f64,
    low: f64,
    high: f64,
}

impl From<quality::Interval> for Interval {
    fn from(one: quality::Interval) -> Self {
        let quality::Interval { value, low, high } = one;
        Self { value, low, high }
    }
}

/// How a judge did on pairs of which it is known which answer is right.
#[derive(Debug, Serialize, ToSchema)]
struct Judge {
    judge: String,
    #[schema(value_type = String)]
    time: Timestamp,
    /// Of how many.
    pairs: usize,
    /// The share in which it said the same in both orders; null: it chose in none.
    consistent: Option<Interval>,
    /// The share of these in which it was right, ties left out.
    accuracy: Option<Interval>,
    /// The share of its choices that stood first.
    first: Option<Interval>,
    /// Whether it goes by the place of an answer.
    biased: bool,
    /// The share of choices of the right answer where that is the longer one; null: of none.
    longer: Option<Interval>,
    /// The same where the right answer is the shorter one.
    shorter: Option<Interval>,
    /// The share of choices that were the same when it was asked again.
    repeated: Option<Interval>,
}

impl From<JudgeMeasure> for Judge {
    fn from(kept: JudgeMeasure) -> Self {
        let measured = Measured::from(&kept);
        let [longer, shorter] = measured.by_length();
        Self {
            judge: kept.judge.to_string(),
            time: kept.time,
            pairs: kept.pairs + kept.unread,
            consistent: measured.consistent().map(Interval::from),
            accuracy: measured.accuracy().map(Interval::from),
            first: measured.first_share().map(Interval::from),
            biased: measured.is_biased(),
            longer: longer.map(Interval::from),
            shorter: shorter.map(Interval::from),
            repeated: measured.repeated().map(Interval::from),
        }
    }
}

/// What texts that ask for a good grade did to a judge's grades of wrong answers.
#[derive(Debug, Serialize, ToSchema)]
struct Attacks {
    judge: String,
    #[schema(value_type = String)]
    time: Timestamp,
    /// Texts that were tried.
    texts: usize,
    /// The share of them that got a better grade; null: no grade could be read.
    raised: Option<Interval>,
    /// By how much grades moved in the mean, -4 to 4.
    moved: Option<Interval>,
}

impl From<&AttackMeasure> for Attacks {
    fn from(measure: &AttackMeasure) -> Self {
        Self {
            judge: measure.judge.to_string(),
            time: measure.time,
            texts: measure.moves.len() + measure.unread,
            raised: raised(measure).map(Interval::from),
            moved: moved(measure).map(Interval::from),
        }
    }
}

/// How far a judge says what the user says.
#[derive(Debug, Serialize, ToSchema)]
struct Agreement {
    judge: String,
    /// That both looked at.
    answers: usize,
    /// The share in which both call the answer good, middling or bad.
    alike: Interval,
    /// Cohen's kappa with quadratic weights; null: too few answers.
    kappa: Option<f64>,
}

/// The answers of one model, or to one kind of task.
#[derive(Debug, Serialize, ToSchema)]
struct Group {
    name: String,
    answers: usize,
    /// How many have each of the grades 1 to 5; null: none was graded.
    grades: Option<Vec<usize>>,
    /// Their mean.
    mean: Option<Interval>,
    good: usize,
    neutral: usize,
    bad: usize,
}

impl From<quality::Group> for Group {
    fn from(one: quality::Group) -> Self {
        Self {
            name: one.name,
            answers: one.answers,
            grades: one.grades.as_ref().map(|grades| grades.counts.to_vec()),
            mean: one.grades.map(|grades| grades.mean.into()),
            good: one.ratings.good,
            neutral: one.ratings.neutral,
            bad: one.ratings.bad,
        }
    }
}

/// The answers of one model compared with the second answers of another.
#[derive(Debug, Serialize, ToSchema)]
struct Pairing {
    /// `rules` where no model answered.
    first: String,
    second: String,
    judged: Wins,
    chosen: Wins,
}

/// How often each answer was better.
#[derive(Debug, Serialize, ToSchema)]
struct Wins {
    first: usize,
    second: usize,
    ties: usize,
    /// The share that the second answers won, ties left out; null: nobody won.
    second_share: Option<Interval>,
}

impl From<quality::Wins> for Wins {
    fn from(wins: quality::Wins) -> Self {
        Self {
            first: wins.first,
            second: wins.second,
            ties: wins.ties,
            second_share: wins.second_share().map(Interval::from),
        }
    }
}

fn named(model: Option<&ModelRef>) -> String {
    model.map_or_else(|| "rules".to_owned(), ToString::to_string)
}

impl From<Known> for Quality {
    /// What these come to. Of each judge the last measurement counts.
    fn from(known: Known) -> Self {
        let report = Report::of(&known.observations);
        let agreement = report.agreement.into_iter().map(|one| Agreement {
            judge: one.judge.to_string(),
            answers: one.answers,
            alike: one.alike.into(),
            kappa: one.kappa,
        });
        let pairings = report.pairings.into_iter().map(|one| Pairing {
            first: named(one.first.as_ref()),
            second: one.second.to_string(),
            judged: one.judged.into(),
            chosen: one.chosen.into(),
        });
        let own = report.own.into_iter().map(|one| OwnAnswers {
            judge: one.judge.to_string(),
            judged: one.judged.share().map(Interval::from),
            chosen: one.chosen.share().map(Interval::from),
        });
        Self {
            judges: last_of_each(known.measures).map(Judge::from).collect(),
            attacks: last_attacks(&known.attacks).map(Attacks::from).collect(),
            agreement: agreement.collect(),
            unmeasured: report.unmeasured.iter().map(ToString::to_string).collect(),
            by_model: report.by_model.into_iter().map(Group::from).collect(),
            by_task: report.by_kind.into_iter().map(Group::from).collect(),
            pairings: pairings.collect(),
            own: own.collect(),
        }
    }
}
