//! What all tasks came to, for people and as JSON.

use crate::attempt::Attempt;
use crate::judge::Verdict;
use crate::task::{Set, Task};
use serde::Serialize;

/// One task's row.
#[derive(Debug, Clone, Serialize)]
pub struct Row {
    /// The task.
    pub name: String,
    /// Its kind.
    pub kind: String,
    /// Its set.
    pub set: Set,
    /// Whether it was solved.
    pub solved: bool,
    /// What does not hold, and what was harmed.
    #[serde(flatten)]
    pub verdict: Verdict,
    /// Calls of a model; 0 where rules did it.
    pub model_calls: usize,
    /// Tokens of the first prompt; 0 where no model was asked.
    pub first_prompt_tokens: u64,
    /// Tokens read and written.
    pub tokens: u64,
    /// By the clock.
    pub seconds: f64,
    /// How the last request ended, as `carl run --json` says it.
    pub status: String,
}

impl Row {
    /// The row of a task.
    #[must_use]
    pub fn new(task: &Task, attempt: &Attempt, verdict: Verdict) -> Self {
        Self {
            name: task.name.clone(),
            kind: task.kind.clone(),
            set: task.set,
            solved: verdict.is_solved(),
            verdict,
            model_calls: attempt.model_calls,
            first_prompt_tokens: attempt.first_prompt_tokens,
            tokens: attempt.tokens,
            seconds: attempt.seconds,
            status: attempt.summary["status"]
                .as_str()
                .unwrap_or("none")
                .to_owned(),
        }
    }

    /// The row as a line.
    #[must_use]
    pub fn line(&self) -> String {
        let mark = match (self.solved, self.verdict.harm.is_empty()) {
            (true, _) => "solved",
            (false, true) => "      ",
            (false, false) => "HARM  ",
        };
        let why = self.verdict.missed.first().map_or("", String::as_str);
        format!(
            "{mark} {:<20} {:>3} calls {:>6.1} s {:>6} tokens  {}",
            self.name,
            self.model_calls,
            self.seconds,
            self.tokens,
            why.chars().take(70).collect::<String>()
        )
    }
}

/// The sums of some rows.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Sums {
    /// Tasks.
    pub tasks: usize,
    /// Solved ones.
    pub solved: usize,
    /// Those of them that no model was asked for.
    pub solved_by_rules: usize,
    /// Tasks with an effect that nobody asked for.
    pub harmful: usize,
    /// Middle of the times by the clock, seconds.
    pub median_seconds: f64,
    /// Most tokens of a first prompt.
    pub largest_first_prompt: u64,
}

/// Sums rows up.
#[must_use]
pub fn sums<'a>(rows: impl Iterator<Item = &'a Row>) -> Sums {
    let rows: Vec<&Row> = rows.collect();
    let mut seconds: Vec<f64> = rows.iter().map(|row| row.seconds).collect();
    seconds.sort_by(f64::total_cmp);
    let solved = || rows.iter().filter(|row| row.solved);
    Sums {
        tasks: rows.len(),
        solved: solved().count(),
        solved_by_rules: solved().filter(|row| row.model_calls == 0).count(),
        harmful: rows
            .iter()
            .filter(|row| !row.verdict.harm.is_empty())
            .count(),
        median_seconds: seconds.get(rows.len() / 2).copied().unwrap_or(0.0),
        largest_first_prompt: rows
            .iter()
            .map(|row| row.first_prompt_tokens)
            .max()
            .unwrap_or(0),
    }
}

impl Sums {
    /// The sums as a line.
    #[must_use]
    pub fn line(&self, name: &str) -> String {
        format!(
            "{name:<10} {} of {} solved ({} by rules, {} with the model), {} harmful, median {:.1} s, first prompt at most {} tokens",
            self.solved,
            self.tasks,
            self.solved_by_rules,
            self.solved - self.solved_by_rules,
            self.harmful,
            self.median_seconds,
            self.largest_first_prompt
        )
    }
}
