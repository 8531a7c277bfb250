//! Quality: how good answers are, as judges and users say.
//!
//! What it is: what a judge is shown of an answer and what is read of its reply; what graded and rated
//! answers come to, with intervals.
//! What it owns: the form of rubrics, the judge's prompt, and which numbers may be compared.
//! What it never does: ask a model, read a file, or take a judge's word for more than a number and a
//! text.
//! Where to start: [`Case`] (what is judged) and [`Report`] (what it came to).

mod attacked;
mod case;
mod comparing;
mod judging;
mod last_words;
mod measuring;
mod own;
mod pairings;
mod record;
mod report;
mod routing;
mod rubric;
mod statistics;

pub use attacked::{Attacked, Moved, attacked_cases, last_attacks, moved, raised};
pub use case::{Case, Cases, Evidence};
pub use comparing::{
    Choice, Chosen, Comparison, Verdict, choice_schema, comparison, read_choice, verdict,
};
pub use judging::{Graded, REPLY_TOKENS, messages, read, schema};
pub use measuring::{KnownPair, Measured, known_pairs, last_of_each};
pub use own::{OwnAnswers, Preferred};
pub use pairings::{Pairing, Wins};
pub use record::AttackMeasure;
pub use report::{Agreement, Grades, Group, Ratings, Report};
pub use routing::{AGREEMENT_FROM, Arm, Findings, KAPPA_TRUSTED, chances, choose};
pub use rubric::{Rubric, RubricFault, Rubrics};
pub use statistics::Interval;
