//! What a user waits for when the program starts.

use crate::memory::{Memory, mib};
use crate::table::Table;
use anyhow::{Result, ensure};
use std::io::{Read as _, Write as _};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use testkit::{House, Reply, Server};

/// What a pipe holds; more waits until somebody reads.
const PIPE_BYTES: usize = 64 << 10;

/// How often memory is looked at, and how often it has to be the same.
const LOOK_AGAIN: Duration = Duration::from_millis(5);
const SAME: u32 = 40;

/// The size of the program's file, and the most memory that `carl --version` takes. What is built
/// says which mark counts: that of the size is for `--profile dist`.
pub fn weight(table: &mut Table) -> Result<()> {
    let program = testkit::program::program();
    let bytes = std::fs::metadata(&program)?.len();
    let size = bytes as f64 / f64::from(1 << 20);
    table.add("size of carl", "MiB", "≤ 25 MiB with --dist", vec![size]);
    // It cannot end before its line is read, and so can be looked at.
    let (mut reads, mut writes) = std::io::pipe()?;
    writes.write_all(&[0; PIPE_BYTES])?;
    let mut carl = Command::new(program)
        .arg("--version")
        .stdout(Stdio::from(writes))
        .spawn()?;
    // It waits in that write once its memory no longer grows.
    let (mut most, mut looks) = (0.0, 0);
    while looks < SAME {
        std::thread::sleep(LOOK_AGAIN);
        let now = mib(carl.id(), Memory::Most)?;
        looks = if now > most { 0 } else { looks + 1 };
        most = now;
    }
    reads.read_exact(&mut [0; PIPE_BYTES])?;
    ensure!(carl.wait()?.success(), "`carl --version` failed");
    table.add("memory of carl --version", "MiB", "≤ 10 MiB", vec![most]);
    Ok(())
}

/// `carl --version`, from start to end.
pub fn cold_start(table: &mut Table, rounds: usize) -> Result<()> {
    let house = House::new();
    let mut times = Vec::new();
    for _ in 0..rounds {
        let carl = house.ask(["--version"]);
        let started = Instant::now();
        let finished = carl.run();
        times.push(started.elapsed());
        ensure!(finished.code == Some(0), "{finished:?}");
    }
    table.times("carl --version", "≤ 10 ms", &times);
    Ok(())
}

/// `carl run`, from its start to its request at the model server.
pub fn first_byte(table: &mut Table, rounds: usize) -> Result<()> {
    let server = Server::speak(|_, _| Reply::text("Hello.")).openai();
    let house = House::new();
    house.configure(&server.config("openai"));
    let mut times = Vec::new();
    for round in 0..rounds {
        let carl = house.ask(["run", "--json", "hello"]);
        let started = Instant::now();
        let finished = carl.run();
        ensure!(finished.code == Some(0), "{finished:?}");
        let chats = server.chats();
        let Some(chat) = chats.get(round) else {
            anyhow::bail!("round {round}: `carl run` asked the model nothing");
        };
        times.push(chat.time.duration_since(started));
    }
    table.times(
        "carl run: start to first byte at the model server",
        "≤ 50 ms",
        &times,
    );
    Ok(())
}
