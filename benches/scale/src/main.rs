//! How memory behaves when it is large: what `cargo xtask bench memory-scale` runs.
//!
//! Entries are generated, vectors are noise in clusters: times and sizes are measured, not how good
//! the answers are (`cargo xtask bench memory` does that). Every question is a new one, so that no
//! answer comes from the cache; making its vector costs next to nothing here and much with a model.

mod baseline;
mod made;
mod percentile;

use anyhow::{Context as _, Result, ensure};
use api::memory::{
    Curator as _, Detail, Memory as _, QueryEvent, QueryRequest, Scope, Source, WriteAnswer,
    WriteEntry, WriteRequest,
};
use clap::Parser;
use domain::Timestamp;
use domain::label::Label;
use domain::rights::Namespace;
use futures::{StreamExt as _, TryStreamExt as _};
use made::{Clusters, Nowhere, Numbers};
use memory::{Config, Service};
use percentile::at;
use serde_json::{Value, json};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Entries that are on their way at one time while the memory is filled.
const AT_ONCE: usize = 256;
/// Results of a question.
const RESULTS: u32 = 10;
/// Durable writes that are timed.
const WRITES: usize = 500;
/// What the disk alone is timed with: as much as a small entry's pages in a write-ahead log.
const APPENDED_BYTES: usize = 20 << 10;

/// Measures memory with many entries
#[derive(Debug, Parser)]
struct Options {
    /// Where the numbers go, JSON
    #[arg(long, default_value = "memory-scale.json")]
    out: PathBuf,
    /// How many entries, one run after the other
    #[arg(long, value_delimiter = ',', default_value = "10000,100000,1000000")]
    entries: Vec<usize>,
    /// Questions of a run
    #[arg(long, default_value_t = 500)]
    questions: usize,
    /// Ten thousand entries and no more
    #[arg(long)]
    quick: bool,
    /// Keep the filled memories in folders beneath this one, and use those that are there
    #[arg(long, value_name = "FOLDER")]
    keep: Option<PathBuf>,
    /// Measure a filled memory: what a run starts in a process of its own, so that nothing of the
    /// filling is counted
    #[arg(long, hide = true)]
    filled: Option<PathBuf>,
}

fn main() -> Result<()> {
    let mut options = Options::parse();
    if options.quick {
        options.entries = vec![10_000];
    }
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    if let Some(folder) = &options.filled {
        let entries = options.entries.first().copied().unwrap_or_default();
        let row = runtime.block_on(measure(folder, entries as u64, options.questions))?;
        writeln!(std::io::stdout(), "{row}")?;
        return Ok(());
    }
    let mut rows = Vec::new();
    for entries in &options.entries {
        let keep = options.keep.as_deref();
        let row = runtime.block_on(run(*entries, options.questions, keep))?;
        print(&row)?;
        rows.push(row);
    }
    let text = serde_json::to_string_pretty(&json!({ "runs": rows }))?;
    std::fs::write(&options.out, text)
        .with_context(|| format!("cannot write {}", options.out.display()))
}

async fn open(folder: &Path) -> Result<Service> {
    let models = Arc::new(Clusters::default());
    let clock = Arc::new(|| Timestamp::UNIX_EPOCH);
    let audit = Arc::new(Nowhere::default());
    Ok(Service::open(folder, &Config::default(), audit, models, clock).await?)
}

/// Fills a memory, unless that is done, and has another process measure it.
async fn run(entries: usize, questions: usize, keep: Option<&Path>) -> Result<Value> {
    let temporary = tempfile::tempdir()?;
    let folder = match keep {
        Some(keep) => keep.join(entries.to_string()),
        None => temporary.path().to_owned(),
    };
    let is_filled = keep.is_some() && folder.exists();
    let began = Instant::now();
    let mut times = (Duration::ZERO, Duration::ZERO);
    if !is_filled {
        let service = open(&folder).await?;
        fill(&service, entries).await?;
        times.0 = began.elapsed();
        indexed(&service, entries as u64).await?;
        times.1 = began.elapsed();
        drop(service);
        closed(&folder).await?;
    }
    let mut row = measured(&folder, entries, questions)?;
    let files = sizes(&folder)?;
    drop(temporary);
    let baseline = baseline::words(entries, questions)?;
    if let Some(row) = row.as_object_mut() {
        row.insert("filled_s".to_owned(), json!(times.0.as_secs()));
        row.insert("indexed_s".to_owned(), json!(times.1.as_secs()));
        row.insert("files_mb".to_owned(), files);
        row.insert("fts5_p50_ms".to_owned(), json!(at(&baseline, 50)));
        row.insert("fts5_p99_ms".to_owned(), json!(at(&baseline, 99)));
    }
    Ok(row)
}

/// What a process of its own measures of a filled memory.
fn measured(folder: &Path, entries: usize, questions: usize) -> Result<Value> {
    let output = std::process::Command::new(std::env::current_exe()?)
        .arg("--filled")
        .arg(folder)
        .args(["--entries", &entries.to_string()])
        .args(["--questions", &questions.to_string()])
        .stderr(std::process::Stdio::inherit())
        .output()?;
    ensure!(
        output.status.success(),
        "the measurement ended with {}",
        output.status
    );
    Ok(serde_json::from_slice(&output.stdout)?)
}

async fn measure(folder: &Path, entries: u64, questions: usize) -> Result<Value> {
    let began = Instant::now();
    let service = open(folder).await?;
    let opened = began.elapsed();
    indexed(&service, entries).await?;
    let usable = began.elapsed();
    let warm = ask(&service, 50, 1).await?;
    ensure!(warm.len() == 50, "not every question was answered");
    let busy = processor()?;
    let times = ask(&service, questions, 2).await?;
    let busy = (processor()? - busy) / questions as f64;
    let stages = stages(&service).await?;
    let memory = resident()?;
    let (writes, disk) = write(&service, folder, WRITES).await?;
    let mixed = ask(&service, questions / 5, 3).await?;
    let stats = service.stats().await?;
    Ok(json!({
        "entries": entries,
        "query_p50_ms": at(&times, 50), "query_p99_ms": at(&times, 99),
        "processor_ms_a_query": busy,
        "stages_us": stages,
        "query_after_writes_p50_ms": at(&mixed, 50), "query_after_writes_p99_ms": at(&mixed, 99),
        "write_p50_ms": at(&writes, 50), "write_p99_ms": at(&writes, 99),
        "disk_p50_ms": at(&disk, 50), "disk_p99_ms": at(&disk, 99),
        "load": load()?,
        "open_ms": opened.as_millis() as u64, "open_with_vectors_ms": usable.as_millis() as u64,
        "resident_mb": memory.0 / 1e6, "resident_without_files_mb": memory.1 / 1e6,
        "disk_mb": stats.disk_bytes as f64 / 1e6,
    }))
}

async fn fill(service: &Service, entries: usize) -> Result<()> {
    let mut numbers = Numbers::new(1);
    let made = (0..entries).map(|number| Ok(made::entry(&mut numbers, number)));
    futures::stream::iter(made)
        .try_for_each_concurrent(AT_ONCE, |entry| async {
            match service.restore(entry).await? {
                WriteAnswer::Stored { .. } => anyhow::Ok(()),
                other => anyhow::bail!("an entry was not kept: {other:?}"),
            }
        })
        .await
}

/// Waits until every index holds every entry: each look works on what they lack, for as long as the
/// service gives a look, and lets its other work go on.
async fn indexed(service: &Service, entries: u64) -> Result<()> {
    loop {
        let stats = service.stats().await?;
        if stats.indexes.iter().all(|index| index.entries >= entries) {
            return Ok(());
        }
        tokio::task::yield_now().await;
    }
}

/// Waits until nothing has the memory open.
async fn closed(folder: &Path) -> Result<()> {
    let lock = std::fs::File::open(folder.join("lock"))?;
    Ok(tokio::task::spawn_blocking(move || lock.lock()).await??)
}

fn question(numbers: &mut Numbers) -> QueryRequest {
    QueryRequest {
        context: None,
        text: format!("What about {}?", numbers.words(6)),
        scope: Scope::All,
        limit: RESULTS,
        detail: Detail::Segment,
        at_least: 0.0,
    }
}

/// Milliseconds of each question, smallest first.
async fn ask(service: &Service, count: usize, seed: u64) -> Result<Vec<f64>> {
    let mut numbers = Numbers::new(seed << 32);
    let mut times = Vec::with_capacity(count);
    for _ in 0..count {
        let request = question(&mut numbers);
        let began = Instant::now();
        let mut events = service.query(request).await?;
        let mut found = None;
        while let Some(event) = events.next().await {
            if let QueryEvent::Results(recalls) = event? {
                found = Some(recalls.len());
            }
        }
        times.push(began.elapsed().as_secs_f64() * 1e3);
        ensure!(found == Some(RESULTS as usize), "{found:?} results");
    }
    times.sort_by(f64::total_cmp);
    Ok(times)
}

/// What each stage of one question took, microseconds: the medians of a few.
async fn stages(service: &Service) -> Result<Value> {
    let mut numbers = Numbers::new(9 << 32);
    let mut times: Vec<(String, Vec<u64>)> = Vec::new();
    for _ in 0..51 {
        let events = service.query(question(&mut numbers)).await?;
        for event in events.try_collect::<Vec<_>>().await? {
            let QueryEvent::Stage(stage) = event else {
                continue;
            };
            match times.iter_mut().find(|(name, _)| *name == stage.name) {
                Some((_, known)) => known.push(stage.duration_us),
                None => times.push((stage.name, vec![stage.duration_us])),
            }
        }
    }
    let medians = times.into_iter().map(|(name, mut known)| {
        known.sort_unstable();
        (name, json!(known.get(known.len() / 2)))
    });
    Ok(Value::Object(medians.collect()))
}

/// Milliseconds of each durable write, one after the other, and of as many appends to a file that the
/// disk alone makes durable, one between every two writes; smallest first.
async fn write(service: &Service, folder: &Path, count: usize) -> Result<(Vec<f64>, Vec<f64>)> {
    // Other texts than those of an earlier run in the same folder.
    let mut numbers = Numbers::new((4 << 32) + service.stats().await?.memories);
    let beside = folder.join("bare");
    let mut disk = std::fs::File::create(&beside)?;
    let (mut times, mut bare) = (Vec::with_capacity(count), Vec::with_capacity(count));
    for _ in 0..count {
        let began = Instant::now();
        disk.write_all(&[7; APPENDED_BYTES])?;
        disk.sync_data()?;
        bare.push(began.elapsed().as_secs_f64() * 1e3);

        let request = written(&mut numbers);
        let began = Instant::now();
        let answer = service.write(request).await?;
        times.push(began.elapsed().as_secs_f64() * 1e3);
        ensure!(matches!(answer, WriteAnswer::Stored { .. }), "{answer:?}");
    }
    std::fs::remove_file(&beside)?;
    times.sort_by(f64::total_cmp);
    bare.sort_by(f64::total_cmp);
    Ok((times, bare))
}

fn written(numbers: &mut Numbers) -> WriteRequest {
    WriteRequest {
        context: None,
        namespace: Namespace::user(),
        entry: WriteEntry::Memory {
            name: numbers.words(3),
            description: numbers.words(8),
            tags: Vec::new(),
            correlating_ids: Vec::new(),
            corpus: numbers.words(40),
        },
        source: Source::User,
        label: Label::trusted("user"),
        valid_from: None,
        supersedes: None,
    }
}

/// How many processes wanted a processor at one time in the last minute, on average.
fn load() -> Result<f64> {
    let text = std::fs::read_to_string("/proc/loadavg")?;
    let first = text.split(' ').next().unwrap_or_default();
    Ok(first.parse()?)
}

/// Memory of this process, bytes: all of it with mapped files, and without those.
fn resident() -> Result<(f64, f64)> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let field = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name));
        let kilobytes =
            line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<f64>().ok());
        let kilobytes = kilobytes.with_context(|| format!("/proc/self/status has no {name}"))?;
        anyhow::Ok(kilobytes * 1024.0)
    };
    let all = field("VmRSS:")?;
    Ok((all, all - field("RssFile:")?))
}

/// Time that processors spent on this process, milliseconds: other programs do not change it much.
fn processor() -> Result<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    let (_, fields) = stat
        .rsplit_once(") ")
        .context("/proc/self/stat has no name")?;
    let ticks = fields.split(' ').skip(11).take(2).map(str::parse::<f64>);
    let ticks: f64 = ticks.collect::<Result<Vec<f64>, _>>()?.iter().sum();
    // Linux counts in hundredths of a second.
    Ok(ticks * 10.0)
}

fn sizes(folder: &Path) -> Result<Value> {
    let mut sizes = serde_json::Map::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for file in std::fs::read_dir(next)? {
            let file = file?;
            let metadata = file.metadata()?;
            if metadata.is_dir() {
                folders.push(file.path());
                continue;
            }
            let name = match file.path() {
                path if path.parent() != Some(folder)
                    && path.extension() != Some("bin".as_ref()) =>
                {
                    "index of words".to_owned()
                }
                path if path.extension() == Some("bin".as_ref()) => "index of vectors".to_owned(),
                _ => file.file_name().to_string_lossy().into_owned(),
            };
            let known = sizes.get(&name).and_then(Value::as_f64).unwrap_or(0.0);
            sizes.insert(name, json!(known + metadata.len() as f64 / 1e6));
        }
    }
    Ok(Value::Object(sizes))
}

/// The mark of a run, for those that have one.
const fn mark(entries: u64) -> &'static str {
    match entries {
        10_000 => "2 / 8",
        100_000 => "8 / 25",
        1_000_000 => "25 / 80",
        _ => "",
    }
}

fn print(row: &Value) -> Result<()> {
    let mut out = std::io::stdout().lock();
    let number = |name: &str| row.get(name).and_then(Value::as_f64).unwrap_or(f64::NAN);
    let entries = row.get("entries").and_then(Value::as_u64).unwrap_or(0);
    writeln!(
        out,
        "\n{entries} entries, filled in {:.0} s, indexed in {:.0} s",
        number("filled_s"),
        number("indexed_s")
    )?;
    let pairs = [
        ("query", "query_p50_ms", "query_p99_ms", mark(entries)),
        (
            "query, after writes",
            "query_after_writes_p50_ms",
            "query_after_writes_p99_ms",
            "",
        ),
        ("words alone, SQLite FTS5", "fts5_p50_ms", "fts5_p99_ms", ""),
        ("durable write", "write_p50_ms", "write_p99_ms", "- / 10"),
        ("  the disk alone", "disk_p50_ms", "disk_p99_ms", ""),
    ];
    for (name, p50, p99, mark) in pairs {
        let (p50, p99) = (number(p50), number(p99));
        writeln!(out, "  {name:<28} {p50:>9.2} {p99:>9.2} ms   mark {mark}")?;
    }
    print_single(&mut out, row, entries)?;
    for (name, field) in [("stages, µs", "stages_us"), ("files, MB", "files_mb")] {
        let value = row.get(field).unwrap_or(&Value::Null);
        writeln!(out, "  {name}: {value}")?;
    }
    Ok(())
}

/// The figures that have one value.
fn print_single(out: &mut impl std::io::Write, row: &Value, entries: u64) -> Result<()> {
    let number = |name: &str| row.get(name).and_then(Value::as_f64).unwrap_or(f64::NAN);
    let is_marked = entries == 100_000;
    let single = [
        ("load", "load", "", ""),
        ("processor time a query", "processor_ms_a_query", "ms", ""),
        (
            "open until it answers",
            "open_ms",
            "ms",
            if is_marked { "2000" } else { "" },
        ),
        (
            "open until vectors are used",
            "open_with_vectors_ms",
            "ms",
            "",
        ),
        (
            "memory of the process",
            "resident_mb",
            "MB",
            if is_marked { "150" } else { "" },
        ),
        (
            "  without mapped files",
            "resident_without_files_mb",
            "MB",
            "",
        ),
        ("on the disk", "disk_mb", "MB", ""),
    ];
    for (name, field, unit, mark) in single {
        writeln!(
            out,
            "  {name:<28} {:>9.1} {unit:<12} mark {mark}",
            number(field)
        )?;
    }
    Ok(())
}
