//! `cargo xtask bench swap`: what grouping requests by model saves on a server with room for one.

use anyhow::Result;
use clap::Parser;
use domain::model::Priority;
use schedule::Bounds;
use serde_json::json;
use std::io::Write as _;
use std::path::PathBuf;
use std::time::Duration;
use swap::load::{LOADS, Load};
use swap::run::{Outcome, run};

/// Compares the gateway's queue with first come, first served, on a simulated server
#[derive(Debug, Parser)]
struct Options {
    /// How long loading a model takes, seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 6)]
    swap_secs: u64,
    /// Where the numbers go, JSON
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// The most that the first load may take, as a share of first come, first served.
const MARK: f64 = 0.5;
/// Loads of each kind.
const SEEDS: u64 = 21;

fn main() -> Result<()> {
    let options = Options::parse();
    let swap = Duration::from_secs(options.swap_secs);
    let mut out = std::io::stdout().lock();
    writeln!(
        out,
        "200 requests of 1 to 3 s, loading a model takes {} s, simulated; medians of {SEEDS} loads. \
         First come, first served → grouped.\nMark for the first load: at most {MARK} of the time.",
        options.swap_secs
    )?;
    let mut rows = Vec::new();
    for load in LOADS {
        writeln!(out, "\n{}", load.name)?;
        for parallel in [1, 4] {
            let row = Row::new(load, parallel, swap)?;
            row.show(&mut out)?;
            rows.push(row.json());
        }
    }
    if let Some(path) = options.out {
        std::fs::write(path, serde_json::to_string_pretty(&rows)?)?;
    }
    Ok(())
}

/// One load with one number of requests at a time.
struct Row {
    load: Load,
    parallel: usize,
    /// First come, first served, and grouped.
    makespan: [f64; 2],
    swaps: [f64; 2],
    longest: [f64; 2],
    /// The longest wait for the model or by the people that the load is about.
    special: Option<(&'static str, [f64; 2])>,
    /// Over all loads, most later requests that started before one.
    passes: usize,
    share: f64,
}

impl Row {
    fn new(load: Load, parallel: usize, swap: Duration) -> Result<Self> {
        let (mut pairs, mut passes) = (Vec::new(), 0);
        for seed in 0..SEEDS {
            let requests = (load.make)(seed);
            let bounds = Bounds::new(parallel);
            let first_come = run(bounds.in_order(), swap, &requests)?;
            let grouped = run(bounds, swap, &requests)?;
            passes = passes.max(grouped.passes);
            pairs.push((requests, [first_come, grouped]));
        }
        let median = |what: &dyn Fn(&[_], &Outcome) -> f64| {
            let of = |which: usize| {
                let values = pairs
                    .iter()
                    .map(|(requests, both)| what(requests, &both[which]));
                middle(values.collect())
            };
            [of(0), of(1)]
        };
        let special = pairs.first().and_then(|(requests, _)| {
            let has = |pick: &dyn Fn(&swap::load::Request) -> bool| requests.iter().any(pick);
            if has(&|one| one.model == "rare") {
                let rare = median(&|requests, run| {
                    run.longest(requests, |one| one.model == "rare")
                        .as_secs_f64()
                });
                Some(("longest wait for the rare model", rare))
            } else if has(&|one| one.priority == Priority::User) {
                let user =
                    median(&|requests, run| run.mean(requests, Priority::User).as_secs_f64());
                Some(("the user's mean wait", user))
            } else {
                None
            }
        });
        Ok(Self {
            makespan: median(&|_, run| run.makespan.as_secs_f64()),
            swaps: median(&|_, run| run.swaps as f64),
            longest: median(&|requests, run| run.longest(requests, |_| true).as_secs_f64()),
            share: middle(
                pairs
                    .iter()
                    .map(|(_, [first, grouped])| {
                        grouped.makespan.as_secs_f64() / first.makespan.as_secs_f64()
                    })
                    .collect(),
            ),
            load,
            parallel,
            special,
            passes,
        })
    }

    fn show(&self, out: &mut impl std::io::Write) -> std::io::Result<()> {
        let arrow = |[before, after]: [f64; 2]| format!("{before:.0} → {after:.0}");
        write!(
            out,
            "  {} at a time: {} s in all ({:.2}), {} swaps, longest wait {} s, at most {} passed one",
            self.parallel,
            arrow(self.makespan),
            self.share,
            arrow(self.swaps),
            arrow(self.longest),
            self.passes,
        )?;
        if let Some((what, values)) = self.special {
            write!(out, ", {what} {} s", arrow(values))?;
        }
        writeln!(out)
    }

    fn json(&self) -> serde_json::Value {
        json!({
            "load": self.load.name,
            "parallel": self.parallel,
            "makespan_s": self.makespan,
            "share": self.share,
            "swaps": self.swaps,
            "longest_wait_s": self.longest,
            "passes": self.passes,
            "special": self.special.map(|(what, values)| json!({ what: values })),
        })
    }
}

/// The median; 0 of nothing.
fn middle(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or_default()
}
