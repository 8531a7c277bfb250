//! What was measured, for people and for programs.

use crate::ask::{Asked, Found};
use crate::measures::{Mean, mean};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::time::Duration;

/// What a mean of a run should be at least.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mark {
    /// Of which category; empty for all together.
    pub category: &'static str,
    /// Recall at ten, at least.
    pub recall_10: f64,
}

/// One run: its name, what was found, and its marks.
#[derive(Debug)]
pub struct Run {
    /// What was asked of what.
    pub name: &'static str,
    /// What was found.
    pub found: Found,
    /// What should have been.
    pub marks: Vec<Mark>,
}

impl Run {
    /// Mean recall at ten of all questions, 0 to 1.
    #[must_use]
    pub fn recall(&self) -> Mean {
        self.mean(|_| true, |asked| asked.worth.recall_10)
    }

    /// Mean recall at ten of one stage's candidates; not a number where there is no such stage.
    #[must_use]
    pub fn stage_recall(&self, name: &str) -> f64 {
        let values: Vec<f64> = self
            .found
            .asked
            .iter()
            .filter_map(|asked| asked.stages.iter().find(|stage| stage.0 == name))
            .map(|stage| stage.1.recall_10)
            .collect();
        mean(&values).mean
    }

    fn mean(&self, of: impl Fn(&Asked) -> bool, value: impl Fn(&Asked) -> f64) -> Mean {
        let asked = self.found.asked.iter().filter(|asked| of(asked));
        mean(&asked.map(value).collect::<Vec<f64>>())
    }

    fn categories(&self) -> Vec<&'static str> {
        let known: BTreeSet<&str> = self
            .found
            .asked
            .iter()
            .map(|asked| asked.category)
            .collect();
        std::iter::once("").chain(known).collect()
    }

    fn conversations(&self) -> Vec<f64> {
        let known: BTreeSet<usize> = self
            .found
            .asked
            .iter()
            .map(|one| one.conversation)
            .collect();
        known
            .into_iter()
            .map(|place| {
                self.mean(|one| one.conversation == place, |one| one.worth.recall_10)
                    .mean
            })
            .collect()
    }

    /// The stages in their order, with mean recall at ten and mean time.
    fn stages(&self) -> Vec<(String, f64, Duration)> {
        let mut names: Vec<String> = Vec::new();
        for (name, ..) in self.found.asked.iter().flat_map(|asked| &asked.stages) {
            if !names.contains(name) {
                names.push(name.clone());
            }
        }
        names
            .into_iter()
            .map(|name| {
                let times: Vec<Duration> = self
                    .found
                    .asked
                    .iter()
                    .flat_map(|asked| &asked.stages)
                    .filter(|stage| stage.0 == name)
                    .map(|stage| stage.2)
                    .collect();
                let all: Duration = times.iter().sum();
                let count = u32::try_from(times.len().max(1)).unwrap_or(u32::MAX);
                let recall = self.stage_recall(&name);
                (name, recall, all / count)
            })
            .collect()
    }

    /// A table for people.
    #[must_use]
    pub fn table(&self) -> String {
        let mut out = String::new();
        let _infallible = writeln!(
            out,
            "\n{} ({} questions)\n{:<14} {:>9}  {:<15} {:>6} {:>6} {:>6} {:>7}  mark",
            self.name,
            self.found.asked.len(),
            "",
            "recall@10",
            "95% interval",
            "@5",
            "hit@10",
            "MRR@10",
            "nDCG@10"
        );
        for category in self.categories() {
            let of = |asked: &Asked| category.is_empty() || asked.category == category;
            let recall = self.mean(of, |asked| asked.worth.recall_10);
            let mark = self.marks.iter().find(|mark| mark.category == category);
            let _infallible = writeln!(
                out,
                "{:<14} {:>9.3}  {:.3} to {:.3}  {:>6.3} {:>6.3} {:>6.3} {:>7.3}  {}",
                if category.is_empty() { "all" } else { category },
                recall.mean,
                recall.low,
                recall.high,
                self.mean(of, |asked| asked.worth.recall_5).mean,
                self.mean(of, |asked| asked.worth.hit_10).mean,
                self.mean(of, |asked| asked.worth.mrr_10).mean,
                self.mean(of, |asked| asked.worth.ndcg_10).mean,
                mark.map(|mark| format!("≥ {:.2}", mark.recall_10))
                    .unwrap_or_default(),
            );
        }
        let each: Vec<String> = self
            .conversations()
            .iter()
            .map(|one| format!("{one:.3}"))
            .collect();
        let _infallible = writeln!(out, "by conversation: {}", each.join(" "));
        for (name, recall, took) in self.stages() {
            let took = took.as_secs_f64() * 1e6;
            let _infallible = writeln!(out, "  stage {name:<14} {recall:>6.3}  {took:>8.0} µs");
        }
        for (note, times) in &self.found.notes {
            let _infallible = writeln!(out, "  note, {times} times: {note}");
        }
        out
    }

    /// The same for programs.
    #[must_use]
    pub fn json(&self) -> Value {
        let categories: Vec<Value> = self
            .categories()
            .into_iter()
            .map(|category| {
                let of = |asked: &Asked| category.is_empty() || asked.category == category;
                let recall = self.mean(of, |asked| asked.worth.recall_10);
                let mark = self.marks.iter().find(|mark| mark.category == category);
                json!({
                    "category": if category.is_empty() { "all" } else { category },
                    "recall_10": recall.mean,
                    "interval": [recall.low, recall.high],
                    "recall_5": self.mean(of, |asked| asked.worth.recall_5).mean,
                    "hit_10": self.mean(of, |asked| asked.worth.hit_10).mean,
                    "mrr_10": self.mean(of, |asked| asked.worth.mrr_10).mean,
                    "ndcg_10": self.mean(of, |asked| asked.worth.ndcg_10).mean,
                    "mark": mark.map(|mark| mark.recall_10),
                })
            })
            .collect();
        let stages: Vec<Value> = self
            .stages()
            .into_iter()
            .map(|(name, recall, took)| {
                json!({"stage": name, "recall_10": recall, "mean_us": took.as_secs_f64() * 1e6})
            })
            .collect();
        json!({
            "run": self.name,
            "questions": self.found.asked.len(),
            "results": categories,
            "conversations": self.conversations(),
            "stages": stages,
            "notes": self.found.notes,
        })
    }
}
