//! Rows of numbers, for people and for programs.

use anyhow::{Context as _, Result};
use serde_json::{Value, json};
use std::io::Write as _;
use std::path::Path;
use std::time::Duration;

/// The measurements so far.
#[derive(Debug, Default)]
pub struct Table {
    rows: Vec<Row>,
}

#[derive(Debug)]
struct Row {
    name: String,
    unit: &'static str,
    p50: f64,
    p99: f64,
    rounds: usize,
    mark: &'static str,
}

impl Table {
    /// Adds times, shown in milliseconds.
    pub fn times(&mut self, name: impl Into<String>, mark: &'static str, times: &[Duration]) {
        let values = times.iter().map(|time| time.as_secs_f64() * 1e3).collect();
        self.add(name, "ms", mark, values);
    }

    /// Adds times, shown in microseconds.
    pub fn short_times(&mut self, name: impl Into<String>, mark: &'static str, times: &[Duration]) {
        let values = times.iter().map(|time| time.as_secs_f64() * 1e6).collect();
        self.add(name, "µs", mark, values);
    }

    /// Adds numbers of any unit.
    pub fn add(
        &mut self,
        name: impl Into<String>,
        unit: &'static str,
        mark: &'static str,
        mut values: Vec<f64>,
    ) {
        values.sort_by(f64::total_cmp);
        let (p50, p99) = (at(&values, 50), at(&values, 99));
        self.rows.push(Row {
            name: name.into(),
            unit,
            p50,
            p99,
            rounds: values.len(),
            mark,
        });
    }

    /// Prints them.
    ///
    /// # Errors
    /// When standard output is closed.
    pub fn print(&self) -> Result<()> {
        let mut out = std::io::stdout().lock();
        writeln!(
            out,
            "{:<52} {:>10} {:>10}      {:>6}  mark",
            "", "p50", "p99", "rounds"
        )?;
        for row in &self.rows {
            writeln!(
                out,
                "{:<52} {:>10.3} {:>10.3} {:<4} {:>6}  {}",
                row.name, row.p50, row.p99, row.unit, row.rounds, row.mark
            )?;
        }
        Ok(())
    }

    /// Writes them as JSON.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn write(&self, path: &Path) -> Result<()> {
        let rows: Vec<Value> = self
            .rows
            .iter()
            .map(|row| {
                json!({
                    "name": row.name,
                    "unit": row.unit,
                    "p50": row.p50,
                    "p99": row.p99,
                    "rounds": row.rounds,
                    "mark": row.mark,
                })
            })
            .collect();
        let text = serde_json::to_string_pretty(&json!({ "measurements": rows }))?;
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)
                .with_context(|| format!("cannot make {}", folder.display()))?;
        }
        std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
    }
}

/// A percentile of sorted values: the smallest that is at least as large as that share of them.
fn at(sorted: &[f64], percent: usize) -> f64 {
    let rank = (sorted.len() * percent).div_ceil(100).max(1);
    sorted.get(rank - 1).copied().unwrap_or(f64::NAN)
}

/// The median of some times.
pub fn median(times: &[Duration]) -> Duration {
    let mut sorted = times.to_vec();
    sorted.sort_unstable();
    sorted.get(sorted.len() / 2).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_values_that_were_measured() {
        let values: Vec<f64> = (1..=200).map(f64::from).collect();
        assert_eq!((at(&values, 50), at(&values, 99)), (100.0, 198.0));
        assert_eq!(at(&[7.0], 99), 7.0);
        assert!(at(&[], 50).is_nan());
    }
}
