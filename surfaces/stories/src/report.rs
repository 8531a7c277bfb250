//! What stories came to, as a table and as JSON.

use rendering::{Paint, table};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::time::Duration;

/// What became of a story.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// All of it is true.
    Passed,
    /// What is not, a sentence each.
    Failed(Vec<String>),
    /// It was not run to its end, since the stack lacks what it needs.
    LeftOut(String),
}

/// A story that was run.
#[derive(Debug, Clone)]
pub struct Ran {
    /// Its name.
    pub name: String,
    /// What it tells.
    pub title: String,
    /// What became of it.
    pub outcome: Outcome,
    /// How long it took.
    pub took: Duration,
    /// Its events, a line each.
    pub timeline: Vec<String>,
}

/// Stories that were run.
#[derive(Debug, Clone, Default)]
pub struct Report {
    /// Each, in order.
    pub ran: Vec<Ran>,
}

impl Ran {
    fn word(&self) -> &'static str {
        match self.outcome {
            Outcome::Passed => "passed",
            Outcome::Failed(_) => "failed",
            Outcome::LeftOut(_) => "left out",
        }
    }

    fn why(&self) -> &[String] {
        match &self.outcome {
            Outcome::Passed => &[],
            Outcome::Failed(why) => why,
            Outcome::LeftOut(why) => std::slice::from_ref(why),
        }
    }

    fn json(&self) -> Value {
        let mut told = json!({
            "name": self.name,
            "title": self.title,
            "outcome": self.word().replace(' ', "_"),
            "why": self.why(),
            "ms": u64::try_from(self.took.as_millis()).unwrap_or(u64::MAX),
        });
        if matches!(self.outcome, Outcome::Failed(_)) {
            told["timeline"] = json!(self.timeline);
        }
        told
    }
}

impl Report {
    /// Whether one failed.
    #[must_use]
    pub fn has_failed(&self) -> bool {
        self.count("failed") > 0
    }

    fn count(&self, word: &str) -> usize {
        self.ran.iter().filter(|ran| ran.word() == word).count()
    }

    /// For programs.
    #[must_use]
    pub fn json(&self) -> Value {
        json!({
            "passed": self.count("passed"),
            "failed": self.count("failed"),
            "left_out": self.count("left out"),
            "stories": self.ran.iter().map(Ran::json).collect::<Vec<_>>(),
        })
    }

    /// For people: a table, and the timeline of each that failed.
    #[must_use]
    pub fn text(&self, paint: Paint) -> String {
        let row = |ran: &Ran| {
            let seconds = format!("{:.1} s", ran.took.as_secs_f64());
            let mut last = ran.title.clone();
            if let Outcome::LeftOut(why) = &ran.outcome {
                let _written = write!(last, " ({why})");
            }
            vec![ran.name.clone(), ran.word().to_owned(), seconds, last]
        };
        let rows: Vec<Vec<String>> = self.ran.iter().map(row).collect();
        let mut told = table(&rows);
        for ran in &self.ran {
            if let Outcome::Failed(why) = &ran.outcome {
                let _written = writeln!(told, "\n{} {}", paint.bad(&ran.name), ran.title);
                for one in why {
                    let _written = writeln!(told, "  not true: {one}");
                }
                for line in &ran.timeline {
                    let _written = writeln!(told, "  {line}");
                }
            }
        }
        let _written = writeln!(
            told,
            "\n{} passed, {} failed, {} left out.",
            self.count("passed"),
            self.count("failed"),
            self.count("left out")
        );
        told
    }
}
