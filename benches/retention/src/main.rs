//! Prints what survives 1, 3 and 10 compactions: `cargo xtask bench retention`.
#![allow(clippy::print_stdout, reason = "a measurement is there to be read")]

use anyhow::Result;
use clap::Parser;
use generated::exchanges::Kind;
use retention::measure::{Count, Kept, measure};
use retention::summariser::Summariser;
use serde_json::json;
use std::path::PathBuf;

/// How often a conversation is compacted, and for how large a context, tokens.
const ROUNDS: [(usize, u32); 4] = [(1, 32_768), (3, 32_768), (10, 32_768), (10, 4_096)];

/// How many of them the embedded model takes part in.
const ENGINE_ROUNDS: usize = 3;

#[derive(Parser)]
struct Options {
    /// Conversations a round, from as many seeds
    #[arg(long, default_value_t = 50)]
    seeds: u64,
    /// Conversations a round for the embedded model, which takes its time
    #[arg(long, default_value_t = 1)]
    engine_seeds: u64,
    /// Where the numbers go, JSON
    #[arg(long)]
    out: Option<PathBuf>,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    let options = Options::parse();
    let mut rows = Vec::new();
    for summariser in [Summariser::Rules, Summariser::Liar] {
        table(summariser, options.seeds, &mut rows).await;
    }
    match (
        std::env::var_os("HOUSE_ENGINE"),
        std::env::var_os("HOUSE_MODELS"),
    ) {
        (Some(program), Some(models)) => {
            let sockets = tempfile::tempdir()?;
            let engine =
                Summariser::embedded(program.into(), models.into(), sockets.path().to_owned())?;
            table(engine, options.engine_seeds, &mut rows).await;
        }
        _ => println!(
            "HOUSE_ENGINE and HOUSE_MODELS name no engine: the embedded model was not measured."
        ),
    }
    if let Some(path) = options.out {
        std::fs::write(path, serde_json::to_string_pretty(&rows)?)?;
    }
    Ok(())
}

async fn table(mut summariser: Summariser, seeds: u64, rows: &mut Vec<serde_json::Value>) {
    let rounds = match summariser {
        Summariser::Rules | Summariser::Liar => &ROUNDS[..],
        Summariser::Model { .. } => &ROUNDS[..ENGINE_ROUNDS],
    };
    for round in rounds.iter().copied() {
        let mut kept = Kept::default();
        for seed in 0..seeds {
            kept.add(&measure(seed, round, &mut summariser).await);
        }
        println!(
            "{}, {} compaction(s), a context of {} tokens, {seeds} conversation(s) of {} -> {} tokens",
            summariser.name(),
            round.0,
            round.1,
            kept.tokens.0 / seeds.max(1),
            kept.tokens.1 / seeds.max(1),
        );
        line("pinned", &kept.pinned);
        for kind in Kind::ALL {
            line(
                kind.name(),
                &kept.unpinned.get(&kind).copied().unwrap_or_default(),
            );
        }
        println!(
            "  {:<24} {} of {} still shown as if they held; {} invented\n",
            "corrected facts", kept.outdated.1, kept.outdated.0, kept.invented
        );
        rows.push(row(&summariser, round, &kept));
    }
    if let Summariser::Model {
        usable, failure, ..
    } = summariser
    {
        println!(
            "{} of {} answers of the model were a summary. {failure}",
            usable.0, usable.1
        );
    }
}

fn line(name: &str, count: &Count) {
    let share = |part: usize| 100.0 * part as f64 / count.all.max(1) as f64;
    println!(
        "  {name:<24} {:>4} facts  shown {:>5.1} %  shown or recallable {:>5.1} %",
        count.all,
        share(count.shown),
        share(count.recallable)
    );
}

fn row(summariser: &Summariser, round: (usize, u32), kept: &Kept) -> serde_json::Value {
    let count = |count: &Count| json!({"all": count.all, "shown": count.shown, "recallable": count.recallable});
    let unpinned: serde_json::Map<String, serde_json::Value> = kept
        .unpinned
        .iter()
        .map(|(kind, one)| (kind.name().to_owned(), count(one)))
        .collect();
    json!({
        "summariser": summariser.name(),
        "compactions": round.0,
        "context_tokens": round.1,
        "pinned": count(&kept.pinned),
        "unpinned": unpinned,
        "corrected": kept.outdated.0,
        "outdated_shown": kept.outdated.1,
        "invented": kept.invented,
    })
}
