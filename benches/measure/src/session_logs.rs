//! What many sessions cost, and a long one: opening by id, listing, continuing, a line in a chat.

use crate::table::Table;
use anyhow::{Context as _, Result, bail, ensure};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use testkit::{Carl, House, Reply, Server};
use uuid::Uuid;

/// Bytes of a session among many.
const SHORT: usize = 15 << 10;
/// Bytes of a long session.
const LONG: usize = 100 << 20;
/// What `/help` in a chat ends with: the prompt.
const PROMPT: &str = "> ";

/// With 10,000 sessions and one of 100 MB; with a tenth of both where it is to be quick.
///
/// # Errors
/// When a session cannot be made or a command fails.
pub fn costs(table: &mut Table, rounds: usize, is_quick: bool) -> Result<()> {
    let server = Server::speak(|_, _| Reply::text("Hello, all of you.")).openai();
    let house = House::new();
    house.configure(&server.config("openai"));
    expect_success(house.ask(["run", "hello"]))?;
    let pattern = Pattern::of(&house)?;
    let (part, many, large) = match is_quick {
        true => (10, "1,000 sessions", "10 MB"),
        false => (1, "10,000 sessions", "100 MB"),
    };
    let ids: Vec<Uuid> = (0..10_000 / part).map(|_| Uuid::now_v7()).collect();
    for id in &ids {
        pattern.write(*id, SHORT)?;
    }
    let some = ids.get(ids.len() / 2).context("no session")?.to_string();
    let show = time(rounds, || house.ask(["session", "show", some.as_str()]))?;
    table.times(format!("carl session show ID, {many}"), "≤ 50 ms", &show);
    let first = time(1, || house.ask(["session", "list"]))?;
    table.times("carl session list, without an index", "", &first);
    let listed = time(rounds, || house.ask(["session", "list"]))?;
    table.times(format!("carl session list, {many}"), "≤ 200 ms", &listed);
    let long = Uuid::now_v7();
    pattern.write(long, LONG / part)?;
    let long = long.to_string();
    let go_on = || house.ask(["run", "--session-id", long.as_str(), "go on"]);
    let times = time(rounds, go_on)?;
    table.times(format!("carl run --session-id, {large}"), "≤ 1 s", &times);
    let mut seat = house
        .ask(["session", "resume", long.as_str()])
        .env("TERM", "dumb")
        .seated();
    seat.until("/help");
    seat.until(PROMPT);
    let mut lines = Vec::new();
    for _ in 0..rounds {
        let started = Instant::now();
        seat.types("/help\n");
        seat.until("/quit");
        seat.until(PROMPT);
        lines.push(started.elapsed());
    }
    seat.types("/quit\n");
    let finished = seat.finish();
    ensure!(finished.code == Some(0), "{finished:?}");
    table.times(format!("a line in a chat, {large}"), "≤ 20 ms", &lines);
    Ok(())
}

fn time(rounds: usize, carl: impl Fn() -> Carl) -> Result<Vec<Duration>> {
    let mut times = Vec::with_capacity(rounds);
    for _ in 0..rounds {
        let carl = carl();
        let started = Instant::now();
        expect_success(carl)?;
        times.push(started.elapsed());
    }
    Ok(times)
}

fn expect_success(carl: Carl) -> Result<()> {
    let finished = carl.run();
    ensure!(finished.code == Some(0), "{finished:?}");
    Ok(())
}

/// A session that the shipped program made, from which others are made.
pub struct Pattern {
    folder: PathBuf,
    id: String,
    lines: Vec<String>,
    /// The first piece of its answer, among its lines.
    piece: usize,
}

impl Pattern {
    /// Of the one session that a home holds.
    ///
    /// # Errors
    /// When there is another number of sessions, or its answer came in no pieces.
    pub fn of(house: &House) -> Result<Self> {
        let logs = house.session_logs();
        let [log] = logs.as_slice() else {
            bail!("{} sessions", logs.len());
        };
        let text = std::fs::read_to_string(log)?;
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let is_piece = |line: &String| line.contains("\"type\":\"text_delta\"");
        let piece = lines.iter().position(is_piece);
        let stem = log.file_stem().and_then(|stem| stem.to_str());
        Ok(Self {
            folder: log.parent().unwrap_or(Path::new("/")).to_owned(),
            id: stem.context("a log without a name")?.to_owned(),
            piece: piece.context("an answer without pieces")?,
            lines,
        })
    }

    /// The same session under another id, whose answer came in as many pieces as it takes.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write(&self, id: Uuid, bytes: usize) -> Result<()> {
        let id = id.to_string();
        let (before, after) = self.lines.split_at(self.piece);
        let piece = after.first().context("no piece")?;
        let fixed: usize = self.lines.iter().map(|line| line.len() + 1).sum();
        let pieces = bytes.saturating_sub(fixed) / (piece.len() + 1);
        let lines = before.iter();
        let lines = lines.chain(std::iter::repeat_n(piece, pieces)).chain(after);
        let mut text = String::with_capacity(bytes + fixed);
        for (line, seq) in lines.zip(1_u64..) {
            let (_, rest) = line.split_once(',').context("a line without a number")?;
            writeln!(text, "{{\"seq\":{seq},{}", rest.replace(&self.id, &id))?;
        }
        std::fs::write(self.folder.join(format!("{id}.jsonl")), text)?;
        Ok(())
    }
}
