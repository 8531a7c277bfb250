//! What `carl serve --http` adds to answers that stream to many sessions at once, and the memory that many
//! readers cost which wait.

use crate::memory::{Memory, mib};
use crate::table::Table;
use crate::token_server::TokenServer;
use anyhow::{Context as _, Result, bail, ensure};
use futures::{StreamExt as _, TryStreamExt as _, stream};
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use testkit::{House, Running};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;

/// Tokens of an answer in a second.
const PACE: u64 = 50;
/// Sessions that share an access token, which may ask 600 times a minute: each asks twice.
const SHARING: usize = 250;
/// Sessions that are opened at the same time.
const AT_ONCE: usize = 16;
/// Longest from one token to the next that is no stall.
const STALL: Duration = Duration::from_secs(1);
/// Longer than a stream is silent.
const SETTLED: Duration = Duration::from_secs(12);
/// Bytes of a megabyte, in mebibytes.
const MB: f64 = 1.048_576;

/// How much is measured.
#[derive(Debug, Clone, Copy)]
pub struct Scope {
    /// Sessions that stream, and readers that wait.
    pub sessions: usize,
    /// How long each streams, seconds.
    pub secs: u64,
}

/// What one answer came to.
struct Streamed {
    /// From the sending of each token to its arrival.
    delays: Vec<Duration>,
    /// The longest time from one to the next.
    longest_gap: Duration,
}

/// A server for programs, in a house of its own.
struct Serving {
    house: House,
    process: Running,
    address: String,
    tokens: Vec<String>,
}

impl Serving {
    fn begin(endpoint: &str, scope: Scope) -> Result<Self> {
        let house = House::new();
        let Scope { sessions, .. } = scope;
        house.configure(&format!(
            "[models]\ndefault_provider = \"scripted\"\n\
             [models.discovery]\nenabled = false\n\
             [models.providers.scripted]\ntype = \"openai\"\nendpoint = \"{endpoint}\"\n\
             default_model = \"scripted-model\"\nmax_parallel = {sessions}\n\
             [agents]\nopen_sessions = {}\n\
             [memory]\nrecall = false\ncapture = false\n",
            sessions + 1
        ));
        let mut process = house.ask(["serve", "--http", "127.0.0.1:0"]).spawn();
        let line = process.until("for programs:");
        let address = line
            .split([' ', ','])
            .find_map(|word| word.strip_prefix("http://"));
        let address = address.context("no address")?.to_owned();
        process.until("serving at");
        let count = sessions.div_ceil(SHARING);
        let tokens = (0..count).map(|number| {
            let name = format!("bench-{number}");
            let made = house.ask(["token", "new", &name, "--scope", "chat"]).run();
            made.expect(0).stdout.trim_end().to_owned()
        });
        Ok(Self {
            tokens: tokens.collect(),
            house,
            process,
            address,
        })
    }

    /// Sends a request, and returns the connection once the head of the answer was read.
    async fn open(
        &self,
        (number, method): (usize, &str),
        path: &str,
        body: &Value,
    ) -> Result<Asked> {
        let mut stream = TcpStream::connect(&self.address).await?;
        stream.set_nodelay(true)?;
        let body = match body {
            Value::Null => String::new(),
            body => body.to_string(),
        };
        let (address, token) = (&self.address, &self.tokens[number / SHARING]);
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {token}\r\n\
             Accept: text/event-stream\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
            body.len()
        );
        stream.write_all(request.as_bytes()).await?;
        let mut reader = BufReader::new(stream);
        let mut status = String::new();
        reader.read_line(&mut status).await?;
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).await?;
            if line.trim_end().is_empty() {
                break;
            }
        }
        if !status.starts_with("HTTP/1.1 20") {
            let mut told = String::new();
            reader.read_to_string(&mut told).await?;
            bail!("{method} {path}: {status}{told}");
        }
        Ok(reader)
    }

    /// Opens a session; its id.
    async fn session(&self, number: usize) -> Result<String> {
        let mut answer = self
            .open((number, "POST"), "/api/v1/sessions", &json!({}))
            .await?;
        let mut text = String::new();
        answer.read_to_string(&mut text).await?;
        let told: Value = serde_json::from_str(&text)?;
        let id = told["session_id"].as_str();
        Ok(id.context("a session without an id")?.to_owned())
    }

    fn megabytes(&self, which: Memory) -> Result<f64> {
        Ok(mib(self.process.pid(), which)? * MB)
    }
}

/// A connection behind the head of its answer.
type Asked = BufReader<TcpStream>;

/// Reads an answer to its end. A piece is a line of its own, whatever chunk it came in.
async fn read(mut answer: Asked, server: &TokenServer, tokens: usize) -> Result<Streamed> {
    let mut delays = Vec::with_capacity(tokens);
    let (mut longest_gap, mut last) = (Duration::ZERO, None::<Instant>);
    let mut line = String::new();
    loop {
        line.clear();
        ensure!(
            answer.read_line(&mut line).await? > 0,
            "an answer broke off"
        );
        if line.starts_with("event: query.finished") {
            break;
        }
        if !line.starts_with("data: ") || !line.contains("\"text_delta\"") {
            continue;
        }
        let now = Instant::now();
        longest_gap = longest_gap.max(last.map_or(Duration::ZERO, |last| now - last));
        last = Some(now);
        let text = line
            .split("\"text\":\"")
            .nth(1)
            .and_then(|rest| rest.split('"').next());
        for word in text.unwrap_or_default().split_whitespace() {
            delays.push(server.age(word)?);
        }
    }
    ensure!(
        delays.len() == tokens,
        "{} of {tokens} tokens came",
        delays.len()
    );
    Ok(Streamed {
        delays,
        longest_gap,
    })
}

/// All sessions stream at once.
async fn stream_all(
    serving: &Serving,
    server: &TokenServer,
    scope: Scope,
) -> Result<Vec<Streamed>> {
    let tokens = usize::try_from(scope.secs * PACE)?;
    let opened = stream::iter(0..scope.sessions).map(|number| async move {
        let id = serving.session(number).await?;
        let path = format!("/api/v1/sessions/{id}/messages");
        let asked = json!({"text": "count", "mode": "loop"});
        serving.open((number, "POST"), &path, &asked).await
    });
    let opened: Vec<Asked> = opened.buffer_unordered(AT_ONCE).try_collect().await?;
    let reading = opened.into_iter().map(|answer| {
        let server = server.clone();
        tokio::spawn(async move { read(answer, &server, tokens).await })
    });
    let reading: Vec<_> = reading.collect();
    server.begin_with(scope.sessions).await;
    let mut streamed = Vec::with_capacity(reading.len());
    for one in reading {
        streamed.push(one.await??);
    }
    Ok(streamed)
}

/// Sessions that stream at 50 tokens a second each: what is added to each token, stalls and memory.
///
/// # Errors
/// When a token is lost or something breaks off.
pub fn streaming(table: &mut Table, scope: Scope) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    let tokens = u32::try_from(scope.secs * PACE)?;
    let server = runtime.block_on(TokenServer::listen(tokens))?;
    let serving = Serving::begin(&server.endpoint(), scope)?;
    let before = serving.megabytes(Memory::Now)?;
    let streamed = runtime.block_on(stream_all(&serving, &server, scope))?;
    let sessions = scope.sessions;
    let delays: Vec<Duration> = streamed.iter().flat_map(|one| one.delays.clone()).collect();
    table.times(
        format!("{sessions} streams: added to a token"),
        "p99 ≤ 20 ms",
        &delays,
    );
    let gaps: Vec<Duration> = streamed.iter().map(|one| one.longest_gap).collect();
    table.times(
        format!("{sessions} streams: longest gap of each"),
        "",
        &gaps,
    );
    let stalls = gaps.iter().filter(|gap| **gap > STALL).count();
    table.add(
        format!("{sessions} streams: stalled over 1 s"),
        "",
        "0",
        vec![stalls as f64],
    );
    table.times(
        format!("{sessions} streams: sent late by the model server"),
        "",
        &server.late(),
    );
    let name = format!("{sessions} streams: memory of carl serve before");
    table.add(name, "MB", "", vec![before]);
    let name = format!("{sessions} streams: most memory of carl serve");
    table.add(name, "MB", "", vec![serving.megabytes(Memory::Most)?]);
    let name = format!("{sessions} streams: memory of carl serve after");
    table.add(name, "MB", "", vec![serving.megabytes(Memory::Now)?]);
    drop(serving.house);
    Ok(())
}

/// Readers of one session in which nothing happens: the memory that they cost.
///
/// # Errors
/// When one is refused.
pub fn waiting(table: &mut Table, scope: Scope) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    let serving = Serving::begin("http://127.0.0.1:9/v1", scope)?;
    let id = runtime.block_on(serving.session(0))?;
    let path = format!("/api/v1/sessions/{id}/events");
    let before = serving.megabytes(Memory::Now)?;
    let readers: Result<Vec<Asked>> = runtime.block_on(async {
        let begun = stream::iter(0..scope.sessions).map(|number| {
            let (serving, path) = (&serving, path.as_str());
            async move {
                let mut reader = serving.open((number, "GET"), path, &Value::Null).await?;
                let mut line = String::new();
                while !line.starts_with("event: session.opened") {
                    line.clear();
                    ensure!(reader.read_line(&mut line).await? > 0, "a reader was left");
                }
                anyhow::Ok(reader)
            }
        });
        let readers = begun.buffer_unordered(AT_ONCE).try_collect().await?;
        tokio::time::sleep(SETTLED).await;
        Ok(readers)
    });
    let readers = readers?;
    let cost = serving.megabytes(Memory::Now)? - before;
    let name = format!("memory of {} idle readers", readers.len());
    table.add(name, "MB", "≤ 40 MB for 1,000", vec![cost]);
    Ok(())
}
