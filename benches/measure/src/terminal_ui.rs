//! The terminal UI as a person meets it: how soon it is there, how soon a key is, and what it costs when
//! nothing happens and when much does.

use crate::pty::Terminal;
use crate::session_logs::Pattern;
use crate::table::Table;
use anyhow::{Context as _, Result, ensure};
use std::fmt::Write as _;
use std::process::Command;
use std::time::{Duration, Instant};
use testkit::{Gate, House, Reply, Server};
use uuid::Uuid;

/// Bytes of a session among many.
const SHORT: usize = 15 << 10;
/// Tokens a second that stream in.
const RATE: u32 = 200;
/// Tokens of an answer: ten seconds of them.
const TOKENS: u32 = 2_000;
/// Answers after which the panes hold as many lines as they keep, and the conversation was compacted.
const FULL: u32 = 150;
/// Signs on a screen that make a first frame.
const FRAME: usize = 40;
/// What is typed while an answer streams: a sign that nothing else on the screen has.
const TYPED: char = '§';
/// How long a key is waited for before the next one, while an answer streams.
const BETWEEN_KEYS: Duration = Duration::from_millis(173);
/// How long a program may go on with its start before it counts as idle.
const SETTLING: Duration = Duration::from_secs(5);
/// Ticks of processor time a second, as `/proc` counts them on Linux.
const TICKS: f64 = 100.0;

/// How long to measure, and what else.
#[derive(Debug, Clone)]
pub struct Scope {
    /// Sessions that the home holds.
    pub sessions: usize,
    /// How often each start is timed.
    pub rounds: usize,
    /// How long it stands idle.
    pub idle: Duration,
    /// How long answers stream.
    pub streaming: Duration,
    /// Other programs, each a name and what starts it: `codex=/usr/bin/codex`.
    pub others: Vec<String>,
}

/// Measures it, and the first frame and memory of the others in the same run.
///
/// # Errors
/// When a program does not start or shows nothing.
pub fn costs(table: &mut Table, scope: &Scope) -> Result<()> {
    let server = Server::speak(|_, _| Reply::text("Hello, all of you.")).openai();
    let house = House::new();
    house.configure(&server.config("openai"));
    let first = house.ask(["run", "hello"]).run();
    ensure!(first.code == Some(0), "{first:?}");
    let pattern = Pattern::of(&house)?;
    for _ in 0..scope.sessions {
        pattern.write(Uuid::now_v7(), SHORT)?;
    }
    let carl = || house.ask(["tui"]).into_command();
    let name = format!("carl, {} sessions", scope.sessions);
    starts(table, &name, "≤ 100 ms", scope, carl)?;
    for other in &scope.others {
        let (name, words) = other
            .split_once('=')
            .context("no `=` in a program's name")?;
        starts(table, name, "", scope, || plain(&house, words))?;
    }
    idle(table, scope, &carl())?;
    streams(table, scope)
}

/// Another program, in an empty home.
fn plain(house: &House, words: &str) -> Command {
    let mut parts = words.split_whitespace();
    let mut command = Command::new(parts.next().unwrap_or_default());
    command.args(parts).current_dir(house.work());
    command.env("HOME", house.home());
    command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
    command
}

/// How soon the first frame is there, and how much memory it takes five seconds later.
fn starts(
    table: &mut Table,
    name: &str,
    mark: &'static str,
    scope: &Scope,
    program: impl Fn() -> Command,
) -> Result<()> {
    let (mut times, mut memory) = (Vec::new(), Vec::new());
    for _ in 0..scope.rounds {
        let mut terminal = Terminal::start(&program())?;
        let is_frame = |shown: &str| shown.chars().filter(|c| !c.is_whitespace()).count() >= FRAME;
        let shown = terminal.until(is_frame)?;
        times.push(shown.duration_since(terminal.began()));
        terminal.read_for(SETTLING)?;
        memory.push(session(terminal.pid())?.mib);
    }
    table.times(format!("first frame: {name}"), mark, &times);
    table.add(format!("memory at the input: {name}"), "MiB", "", memory);
    Ok(())
}

/// What it costs to stand there.
fn idle(table: &mut Table, scope: &Scope, program: &Command) -> Result<()> {
    let mut terminal = Terminal::start(program)?;
    terminal.until(|shown| shown.contains("idle"))?;
    terminal.read_for(SETTLING)?;
    let before = session(terminal.pid())?.ticks;
    terminal.read_for(scope.idle)?;
    let after = session(terminal.pid())?.ticks;
    let share = (after - before) / TICKS / scope.idle.as_secs_f64() * 100.0;
    let name = format!("processor, idle for {} s", scope.idle.as_secs());
    table.add(name, "%", "0", vec![share]);
    Ok(())
}

/// Keys while an answer streams in, and memory from the first answer to the last.
fn streams(table: &mut Table, scope: &Scope) -> Result<()> {
    let gates: Vec<Gate> = (0..TOKENS).map(|_| Gate::new()).collect();
    let paced = paced(&gates);
    let server = Server::speak(move |_, _| paced.clone()).openai();
    let house = House::new();
    house.configure(&server.config("openai"));
    let mut terminal = Terminal::start(&house.ask(["tui"]).into_command())?;
    terminal.until(|shown| shown.contains("idle"))?;
    // The first answer at its pace, with keys in between.
    terminal.types("begin\r")?;
    server.wait_for_chats(1);
    std::thread::spawn(move || {
        let began = Instant::now();
        for (gate, at) in gates.iter().zip(0..) {
            let due = Duration::from_secs(1) * at / RATE;
            std::thread::sleep(due.saturating_sub(began.elapsed()));
            gate.open();
        }
    });
    let times = keys(&mut terminal)?;
    let name = format!("a key on the screen, {RATE} tokens a second");
    table.times(name, "≤ 16 ms", &times);
    terminal.until(|shown| shown.contains("idle"))?;
    // The rest as fast as it comes: the gates are open.
    let began = Instant::now();
    let first = session(terminal.pid())?.mib;
    let (mut answers, mut full) = (0_u32, None);
    while began.elapsed() < scope.streaming {
        terminal.types("again\r")?;
        terminal.until(|shown| !shown.contains("idle"))?;
        terminal.until(|shown| shown.contains("idle"))?;
        answers += 1;
        if answers == FULL {
            full = Some(session(terminal.pid())?.mib);
        }
    }
    let last = session(terminal.pid())?.mib;
    let name = format!("memory after an answer of {TOKENS} tokens");
    table.add(name, "MiB", "", vec![first]);
    if let Some(full) = full {
        let name = format!("memory after {FULL} more, everything full that has a limit");
        table.add(name, "MiB", "", vec![full]);
    }
    let name = format!("memory after {answers} more");
    table.add(name, "MiB", "the same as full", vec![last]);
    Ok(())
}

/// A long answer, a token at each gate.
fn paced(gates: &[Gate]) -> Reply {
    let mut reply = Reply::text("Here it comes.\n\n");
    for (gate, at) in gates.iter().zip(1_u32..) {
        let mut token = format!("word{at} ");
        if at.is_multiple_of(40) {
            let _infallible = write!(token, "\n\n");
        }
        reply = reply.and_wait(gate).and_text(token);
    }
    reply
}

/// Types while an answer streams, and times each key until it is on the screen.
fn keys(terminal: &mut Terminal) -> Result<Vec<Duration>> {
    let mut times = Vec::new();
    let enough = (TOKENS / RATE).saturating_sub(2);
    let until = Instant::now() + Duration::from_secs(1) * enough;
    while Instant::now() < until {
        terminal.read_for(BETWEEN_KEYS)?;
        let typed = |shown: &str| shown.matches(TYPED).count();
        let before = typed(&terminal.shown());
        let pressed = Instant::now();
        terminal.types(&TYPED.to_string())?;
        let shown = terminal.until(|shown| typed(shown) > before)?;
        times.push(shown.saturating_duration_since(pressed));
    }
    // Nothing of it is sent.
    terminal.types("\x03")?;
    Ok(times)
}

/// What all processes of a session take.
struct Taken {
    /// Memory, MiB: pages that are shared count in part.
    mib: f64,
    /// Processor time since their start.
    ticks: f64,
}

/// The processes that a program started, and itself.
fn session(leader: u32) -> Result<Taken> {
    let mut taken = Taken {
        mib: 0.0,
        ticks: 0.0,
    };
    for entry in std::fs::read_dir("/proc")? {
        let folder = entry?.path();
        // A process may end while it is looked at.
        let Ok(stat) = std::fs::read_to_string(folder.join("stat")) else {
            continue;
        };
        let Some((_, rest)) = stat.rsplit_once(')') else {
            continue;
        };
        // After the name: state, parent, group, session, …, user and system time (proc_pid_stat(5)).
        let fields: Vec<&str> = rest.split_whitespace().collect();
        if fields.get(3).and_then(|id| id.parse().ok()) != Some(leader) {
            continue;
        }
        let number = |at: usize| fields.get(at).and_then(|one| one.parse::<f64>().ok());
        taken.ticks += number(11).unwrap_or(0.0) + number(12).unwrap_or(0.0);
        let Ok(rollup) = std::fs::read_to_string(folder.join("smaps_rollup")) else {
            continue;
        };
        let line = rollup.lines().find_map(|line| line.strip_prefix("Pss:"));
        let kib = line.and_then(|rest| rest.split_whitespace().next()?.parse::<f64>().ok());
        taken.mib += kib.unwrap_or(0.0) / 1024.0;
    }
    ensure!(taken.mib > 0.0, "the program ended");
    Ok(taken)
}
