//! Measures the whole program: what `cargo xtask bench` runs.
//!
//! Every number is a median and a 99th percentile over rounds of one run on one machine. Numbers
//! of different machines, or of a busy and an idle one, are not to be compared.

mod audit_log;
mod daemon;
mod guard;
mod memory;
mod program;
mod recording;
mod session_logs;
mod table;

use anyhow::Result;
use clap::Parser;
use std::path::PathBuf;
use table::Table;

/// Measures the `carl` that CARL_PROGRAM names
#[derive(Debug, Parser)]
struct Options {
    /// Where the numbers go, JSON
    #[arg(long, default_value = "bench.json")]
    out: PathBuf,
    /// A tenth of the rounds
    #[arg(long)]
    quick: bool,
    /// Only the audit log
    #[arg(long)]
    audit_only: bool,
    /// Only many sessions and a long one
    #[arg(long)]
    sessions_only: bool,
}

fn main() -> Result<()> {
    let options = Options::parse();
    let rounds = if options.quick { 1 } else { 10 };
    let mut table = Table::default();
    if options.audit_only {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .enable_all()
            .build()?;
        audit_log::rates(&mut table, &runtime, 100_000 * rounds)?;
        recording::added(&mut table, &runtime, 5 * rounds)?;
        table.print()?;
        return table.write(&options.out);
    }
    if options.sessions_only {
        session_logs::costs(&mut table, rounds, options.quick)?;
        table.print()?;
        return table.write(&options.out);
    }
    program::weight(&mut table)?;
    program::cold_start(&mut table, 10 * rounds)?;
    program::first_byte(&mut table, 5 * rounds)?;
    session_logs::costs(&mut table, rounds, options.quick)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    guard::decisions(&mut table, &runtime, 200 * rounds)?;
    audit_log::rates(&mut table, &runtime, 100_000 * rounds)?;
    recording::added(&mut table, &runtime, 5 * rounds)?;
    daemon::first_token(&mut table, &runtime, 10 * rounds)?;
    daemon::memory(&mut table, &runtime, 4 * rounds)?;
    table.print()?;
    table.write(&options.out)
}
