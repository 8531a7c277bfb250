//! What a user waits for when the program starts.

use crate::table::Table;
use anyhow::{Result, ensure};
use std::time::Instant;
use testkit::{House, Reply, Server};

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
