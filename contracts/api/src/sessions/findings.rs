//! What is found about answers, and what may be wanted of them.

use domain::event::EventBody;
use domain::fault::Fault;
use domain::model::{HOTTEST, ModelRef};
use domain::quality::Winner;

/// What an observer found about an answer.
#[derive(Debug, Clone, PartialEq)]
pub enum Finding {
    /// A judge's grade.
    Graded(Grade),
    /// Why it is not graded.
    NotGraded(Fault),
    /// A reward for the agent that answered, -100 to 100.
    Rewarded(i8),
    /// Another answer to the request.
    Second(SecondAnswer),
    /// Why there is none, or no comparison with it.
    NoSecond(Fault),
    /// Which of both is better, as a judge found.
    Compared(Compared),
}

impl Finding {
    /// Whether its number is within its range.
    #[must_use]
    pub fn is_in_range(&self) -> bool {
        match self {
            Self::Graded(grade) => (1..=5).contains(&grade.score),
            Self::Rewarded(value) => (-100..=100).contains(value),
            Self::Second(second) => (0.0..=HOTTEST).contains(&second.temperature),
            Self::NotGraded(_) | Self::NoSecond(_) | Self::Compared(_) => true,
        }
    }
}

impl From<Finding> for EventBody {
    fn from(finding: Finding) -> Self {
        match finding {
            Finding::Graded(grade) => Self::Critique {
                score: grade.score,
                feedback: grade.feedback,
                judge: grade.judge,
                rubric: grade.rubric,
            },
            Finding::NotGraded(fault) => Self::NotGraded(fault),
            Finding::Rewarded(value) => Self::Reward { value },
            Finding::Second(second) => Self::SecondAnswered {
                answer: second.answer,
                model: second.model,
                temperature: second.temperature,
            },
            Finding::NoSecond(fault) => Self::SecondMissed(fault),
            Finding::Compared(compared) => Self::Pairwise {
                winner: compared.winner,
                feedback: compared.feedback,
                judge: compared.judge,
            },
        }
    }
}

/// By whom a second answer is wanted.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SecondRequest {
    /// The model; `None`: the one that the configuration names, else the one that answered.
    pub model: Option<ModelRef>,
    /// Its sampling temperature, 0 to [`HOTTEST`]; `None`: the one that the configuration names.
    pub temperature: Option<f32>,
}

/// A second answer to a request.
#[derive(Debug, Clone, PartialEq)]
pub struct SecondAnswer {
    /// Its text.
    pub answer: String,
    /// The model that gave it.
    pub model: ModelRef,
    /// The sampling temperature that it was asked for with, 0 to [`HOTTEST`].
    pub temperature: f32,
}

/// Which of two answers a judge found better, in both orders.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Compared {
    /// The better one.
    pub winner: Winner,
    /// Why, in the judge's words.
    pub feedback: String,
    /// The model that judged.
    pub judge: ModelRef,
}

/// A judge's grade of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grade {
    /// 1 to 5.
    pub score: u8,
    /// Why, in the judge's words.
    pub feedback: String,
    /// The model that judged.
    pub judge: ModelRef,
    /// The name of the rubric that it judged by.
    pub rubric: String,
}
