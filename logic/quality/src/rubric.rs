//! Rubrics: what a judge is told to look for, one Markdown text for each kind of task.

use domain::quality::TaskKind;
use std::collections::BTreeMap;

/// The rubric for kinds of tasks that have none of their own.
const GENERAL: &str = "general";
/// Longest rubric, bytes.
const RUBRIC_BYTES: usize = 8 * 1024;
/// The scores that a rubric has to describe.
const SCORES: std::ops::RangeInclusive<u8> = 1..=5;

/// What a judge is told to look for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rubric {
    /// Its name: that of its file, without the ending.
    pub name: String,
    /// Its text, Markdown.
    pub text: String,
}

/// Why a text is no rubric.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RubricFault {
    /// Nothing stands in it.
    #[error("it is empty")]
    Empty,
    /// It is longer than a judge should read.
    #[error("it has {0} bytes; at most {RUBRIC_BYTES} are taken")]
    TooLong(usize),
    /// It does not say what a score means.
    #[error("no line begins with `- {0}:` or `{0}.` to say what a grade of {0} means")]
    NoScore(u8),
}

impl Rubric {
    /// The rubric of this name and text.
    ///
    /// # Errors
    /// [`RubricFault`], where the text does not say what each of the grades 1 to 5 means, or is too
    /// long.
    pub fn new(name: &str, text: &str) -> Result<Self, RubricFault> {
        if text.trim().is_empty() {
            return Err(RubricFault::Empty);
        }
        if text.len() > RUBRIC_BYTES {
            return Err(RubricFault::TooLong(text.len()));
        }
        let describes = |score: u8| {
            text.lines().any(|line| {
                let line = line.trim_start().trim_start_matches(['-', '*', ' ']);
                let rest = line.strip_prefix(&score.to_string());
                rest.is_some_and(|rest| rest.starts_with([':', '.', ' ']))
            })
        };
        match SCORES.into_iter().find(|score| !describes(*score)) {
            Some(score) => Err(RubricFault::NoScore(score)),
            None => Ok(Self {
                name: name.to_owned(),
                text: text.trim().to_owned(),
            }),
        }
    }
}

/// The rubrics by their names. There is always a general one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rubrics {
    general: Rubric,
    others: BTreeMap<String, Rubric>,
}

impl Rubrics {
    /// Those that come along.
    #[must_use]
    pub fn shipped() -> Self {
        let shipped = |name: &str, text: &str| Rubric {
            name: name.to_owned(),
            text: text.trim().to_owned(),
        };
        let others = [
            ("change", include_str!("../../../config/rubrics/change.md")),
            (
                "program",
                include_str!("../../../config/rubrics/program.md"),
            ),
            ("web", include_str!("../../../config/rubrics/web.md")),
        ];
        let general = include_str!("../../../config/rubrics/general.md");
        Self {
            general: shipped(GENERAL, general),
            others: others
                .into_iter()
                .map(|(name, text)| (name.to_owned(), shipped(name, text)))
                .collect(),
        }
    }

    /// Adds a rubric, or puts it in the place of the one of that name.
    pub fn put(&mut self, rubric: Rubric) {
        if rubric.name == GENERAL {
            self.general = rubric;
        } else {
            self.others.insert(rubric.name.clone(), rubric);
        }
    }

    /// That of a kind of task; the general one where it has none.
    #[must_use]
    pub fn of(&self, kind: TaskKind) -> &Rubric {
        self.others.get(kind.as_str()).unwrap_or(&self.general)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shipped_rubrics_describe_every_grade() {
        let shipped = Rubrics::shipped();
        for kind in TaskKind::ALL {
            let rubric = shipped.of(kind);
            assert_eq!(Rubric::new(&rubric.name, &rubric.text).as_ref(), Ok(rubric));
        }
        assert_eq!(shipped.of(TaskKind::Talk).name, "general");
        assert_eq!(shipped.of(TaskKind::Change).name, "change");
    }

    #[test]
    fn a_users_rubric_takes_the_place_of_one_that_comes_along() {
        let text = "- 1: no\n- 2: hardly\n- 3: half\n- 4: mostly\n- 5: yes";
        let mut rubrics = Rubrics::shipped();
        for name in ["general", "change", "talk"] {
            rubrics.put(Rubric::new(name, text).unwrap());
        }
        assert_eq!(rubrics.of(TaskKind::Look).text, text);
        assert_eq!(rubrics.of(TaskKind::Change).text, text);
        assert_eq!(rubrics.of(TaskKind::Talk).name, "talk");
    }

    #[test]
    fn a_rubric_without_a_grade_is_refused() {
        assert_eq!(Rubric::new("a", " \n"), Err(RubricFault::Empty));
        let long = "x".repeat(RUBRIC_BYTES + 1);
        assert_eq!(
            Rubric::new("a", &long),
            Err(RubricFault::TooLong(RUBRIC_BYTES + 1))
        );
        assert_eq!(
            Rubric::new("a", "1: no\n2: hardly\n3: half\n5: yes"),
            Err(RubricFault::NoScore(4))
        );
    }
}
