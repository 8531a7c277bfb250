//! Runs everyday tasks through `carl run` and prints what came of them: `cargo xtask bench tasks`.
#![allow(clippy::print_stdout, reason = "a measurement is there to be read")]

use anyhow::{Context as _, Result};
use clap::Parser;
use serde_json::json;
use std::path::PathBuf;
use std::time::Duration;
use tasks::attempt::{Setting, attempt};
use tasks::judge::judge;
use tasks::repair;
use tasks::report::{Row, sums};
use tasks::task::{self, Set, Task};

#[derive(Parser)]
struct Options {
    /// One half of the everyday tasks, or the repairs; both halves without
    #[arg(long, alias = "half")]
    set: Option<Set>,
    /// Only tasks with this in their name or kind
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
    /// A configuration file that names who answers; the engine that comes along without
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// A flag of `carl run`, as often as there are some: --flag=--mode --flag=plan
    #[arg(long = "flag", value_name = "FLAG", allow_hyphen_values = true)]
    flags: Vec<String>,
    /// Longest a request may take, seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 180)]
    limit: u64,
    /// Where the numbers go, JSON; of several, the last
    #[arg(long, value_name = "FILE", overrides_with = "out")]
    out: Option<PathBuf>,
    /// Prints the answers too
    #[arg(long)]
    answers: bool,
}

fn main() -> Result<()> {
    let options = Options::parse();
    let config = options
        .config
        .as_ref()
        .map(|path| std::fs::read_to_string(path).with_context(|| path.display().to_string()));
    let setting = Setting {
        config: config.transpose()?,
        flags: options.flags.clone(),
        limit: Duration::from_secs(options.limit),
    };
    let mut rows: Vec<Row> = Vec::new();
    for task in wanted(options.set)? {
        let is_wanted = |text: &String| task.name.contains(text) || task.kind.contains(text);
        let is_left_out = options.only.as_ref().is_some_and(|text| !is_wanted(text));
        if is_left_out {
            continue;
        }
        let attempt = attempt(&task, &setting)?;
        let row = Row::new(&task, &attempt, judge(&task, &attempt));
        println!("{}", row.line());
        if options.answers {
            let summary = &attempt.summary;
            println!(
                "       {} | {}",
                summary["answer"], summary["error"]["message"]
            );
        }
        rows.push(row);
    }
    println!();
    let of = |sets: &[Set]| sums(rows.iter().filter(|row| sets.contains(&row.set)));
    let (tuning, published) = (of(&[Set::Tuning]), of(&[Set::Published]));
    let both = of(&[Set::Tuning, Set::Published]);
    let repairs = of(&[Set::Repairs]);
    for (name, sums) in [
        ("tuning", &tuning),
        ("published", &published),
        ("both", &both),
        ("repairs", &repairs),
    ] {
        if sums.tasks > 0 {
            println!("{}", sums.line(name));
        }
    }
    if let Some(path) = options.out {
        let numbers = json!({
            "tuning": tuning, "published": published, "both": both, "repairs": repairs,
            "tasks": rows,
        });
        std::fs::write(&path, serde_json::to_string_pretty(&numbers)?)
            .with_context(|| path.display().to_string())?;
    }
    Ok(())
}

/// The tasks of a set.
fn wanted(set: Option<Set>) -> Result<Vec<Task>> {
    if set == Some(Set::Repairs) {
        let repairs = repair::all()?.into_iter();
        return Ok(repairs.map(|repair| repair.task).collect());
    }
    let mut tasks = task::all()?;
    tasks.retain(|task| set.is_none_or(|set| set == task.set));
    Ok(tasks)
}
