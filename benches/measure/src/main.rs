//! Measures the whole program: what `cargo xtask bench` runs.
//!
//! Every number is a median and a 99th percentile over rounds of one run on one machine. Numbers
//! of different machines, or of a busy and an idle one, are not to be compared.

mod audit_log;
mod daemon;
mod guard;
mod http_streams;
mod memory;
mod program;
mod pty;
mod recording;
mod session_logs;
mod table;
mod terminal_ui;
mod token_server;

use anyhow::Result;
use clap::Parser;
use std::path::PathBuf;
use std::time::Duration;
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
    /// Only the terminal UI
    #[arg(long)]
    tui_only: bool,
    /// Only the first token of an answer while a judge grades another
    #[arg(long)]
    judge_only: bool,
    /// Only sessions that stream over HTTP, and readers that wait
    #[arg(long)]
    http_only: bool,
    /// How many of them
    #[arg(long, default_value_t = 1_000)]
    http_sessions: usize,
    /// How long each streams, seconds
    #[arg(long, default_value_t = 20)]
    http_secs: u64,
    /// Another terminal agent to measure beside it: `codex=/usr/bin/codex`
    #[arg(long, value_name = "NAME=COMMAND")]
    other: Vec<String>,
    /// How long the terminal UI stands idle, seconds
    #[arg(long, default_value_t = 600)]
    idle_secs: u64,
    /// How long answers stream into it, seconds
    #[arg(long, default_value_t = 3_600)]
    stream_secs: u64,
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
    if options.tui_only {
        terminal_ui::costs(&mut table, &scope(&options, rounds))?;
        table.print()?;
        return table.write(&options.out);
    }
    if options.judge_only {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .enable_all()
            .build()?;
        daemon::first_token_beside_a_judge(&mut table, &runtime, 10 * rounds)?;
        table.print()?;
        return table.write(&options.out);
    }
    if options.http_only {
        let scope = http_streams::Scope {
            sessions: options.http_sessions,
            secs: options.http_secs,
        };
        http_streams::waiting(&mut table, scope)?;
        http_streams::streaming(&mut table, scope)?;
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
    daemon::first_token_beside_a_judge(&mut table, &runtime, 10 * rounds)?;
    daemon::memory(&mut table, &runtime, 4 * rounds)?;
    table.print()?;
    table.write(&options.out)
}

/// How much of the terminal UI is measured: a tenth, where it is to be quick.
fn scope(options: &Options, rounds: usize) -> terminal_ui::Scope {
    let part = if options.quick { 10 } else { 1 };
    terminal_ui::Scope {
        sessions: 10_000 / part,
        rounds,
        idle: Duration::from_secs(options.idle_secs / part as u64),
        streaming: Duration::from_secs(options.stream_secs / part as u64),
        others: options.other.clone(),
    }
}
