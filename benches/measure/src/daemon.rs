//! What the daemon adds to a model's answer, and how much memory it takes.

use crate::memory::{Memory, mib};
use crate::table::{Table, median};
use anyhow::{Context as _, Result, bail, ensure};
use api::sessions::{OpenRequest, SendRequest, Sessions};
use domain::event::EventBody;
use domain::id::{HolderId, SessionId};
use domain::lineage::AgentType;
use domain::model::Think;
use domain::settings::{Mode, SessionProfile, SessionSettings};
use futures::StreamExt as _;
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};
use testkit::{Gate, House, Recorded, Reply, Running, Server};
use tokio::runtime::Runtime;

/// Tool calls of one request; below the limits on calls a task and model calls a turn.
const CALLS: usize = 20;

/// The word in a request that the model answers with tool calls. It stands in no path, so that
/// what the model is told of the folder does not count.
const CALL_TOOLS: &str = "please-call-tools";

/// Longest that a judge is waited for.
const JUDGE_WAIT: Duration = Duration::from_secs(30);
/// How often it is looked whether the judge was asked.
const LOOK_AGAIN: Duration = Duration::from_millis(2);

/// A running `carl serve` and a client of it.
pub struct Daemon {
    /// Its house.
    pub house: House,
    /// The model.
    pub server: Server,
    /// Its process.
    pub process: Running,
    /// The client.
    pub sessions: grpc::sessions::Client,
    /// Where it listens.
    pub endpoint: grpc::Endpoint,
}

impl Daemon {
    /// Starts one whose model answers at once: with tool calls if the request says
    /// [`CALL_TOOLS`]. Not to
    /// be called, nor its result dropped, by a task of `runtime`: the model server has a runtime of
    /// its own. `runtime` is the one that the client will be used on.
    ///
    /// # Errors
    /// When its address is none.
    ///
    /// # Panics
    /// When it does not come up.
    pub fn start(runtime: &Runtime) -> Result<Self> {
        Self::with(runtime, "")
    }

    /// The same with more configuration.
    fn with(runtime: &Runtime, more: &str) -> Result<Self> {
        let server = Server::speak(|request, _| answer(request)).openai();
        let house = House::new();
        house.configure(&format!("{}\n{more}", server.config("openai")));
        for number in 0..CALLS {
            house.write(&format!("file-{number}.txt"), "some text\n".repeat(20));
        }
        let socket = house.run_dir().join("bench.sock");
        let listen = format!("unix:{}", socket.display());
        let mut process = house.ask(["serve", "--listen", &listen]).spawn();
        process.until("serving at");
        let endpoint: grpc::Endpoint = listen.parse().context("the address of the daemon")?;
        let _entered = runtime.enter();
        let sessions = grpc::sessions::Client::connect(&endpoint);
        Ok(Self {
            house,
            server,
            process,
            sessions,
            endpoint,
        })
    }

    /// Settings for the folder, read only.
    pub fn settings(&self) -> SessionSettings {
        SessionSettings::closed(self.house.work())
    }

    async fn open(&self) -> Result<(SessionId, HolderId)> {
        let profile = SessionProfile {
            name: String::new(),
            agent_type: AgentType::new("coder")?,
            mode: Mode::Loop,
            model: None,
            context_tokens: None,
            provider: None,
            think: Think::Default,
            settings: self.settings(),
        };
        let opened = self.sessions.open(OpenRequest::New(profile)).await?;
        let holder_id = opened.holder_id.context("nobody holds it")?;
        Ok((opened.session_id, holder_id))
    }

    /// Sends a request; returns the time to the first piece of text and the number of tool calls.
    async fn ask(&self, session_id: SessionId, text: &str) -> Result<(Duration, usize)> {
        let started = Instant::now();
        let request = SendRequest::new(session_id, text.to_owned());
        let mut events = self.sessions.send(request).await?;
        let (mut first, mut calls) = (None, 0);
        while let Some(event) = events.next().await {
            match event?.body {
                EventBody::TextDelta { .. } if first.is_none() => first = Some(started.elapsed()),
                EventBody::ToolResult { .. } => calls += 1,
                EventBody::QueryFinished {
                    error: Some(fault), ..
                } => bail!("{fault:?}"),
                EventBody::QueryFinished { .. } => break,
                _ => {}
            }
        }
        Ok((first.context("no text came")?, calls))
    }

    fn memory_mib(&self) -> Result<f64> {
        mib(self.process.pid(), Memory::Now)
    }
}

fn answer(request: &Value) -> Reply {
    let messages = request["messages"].as_array().cloned().unwrap_or_default();
    let since_user: Vec<&Value> = messages
        .iter()
        .rev()
        .take_while(|message| message["role"] != "user")
        .collect();
    let done = since_user
        .iter()
        .filter(|message| message["role"] == "tool")
        .count();
    let asked = messages
        .iter()
        .rev()
        .find(|message| message["role"] == "user");
    let wants_work =
        asked.is_some_and(|message| message["content"].to_string().contains(CALL_TOOLS));
    if wants_work && done < CALLS {
        Reply::call("read_file", json!({"path": format!("file-{done}.txt")}))
    } else {
        Reply::text("Done.")
    }
}

/// The same request to the same server without us: time to the first piece of text.
fn bare(server: &Server, like: &Recorded) -> Result<Duration> {
    let address = server.url().trim_start_matches("http://").to_owned();
    let body = like.body.to_string();
    let started = Instant::now();
    let mut stream = TcpStream::connect(&address)?;
    stream.set_nodelay(true)?;
    let head = format!(
        "POST /v1/chat/completions HTTP/1.1\r\nhost: {address}\r\n\
         content-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes())?;
    stream.write_all(body.as_bytes())?;
    for line in BufReader::new(stream).lines() {
        if line?.contains("\"content\"") {
            return Ok(started.elapsed());
        }
    }
    bail!("the server sent no text")
}

/// Time to first token through the daemon against a bare request, in turns.
///
/// # Errors
/// When either side fails.
pub fn first_token(table: &mut Table, runtime: &Runtime, rounds: usize) -> Result<()> {
    let daemon = Daemon::start(runtime)?;
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        ours.push(runtime.block_on(async {
            let (session, holder) = daemon.open().await?;
            let first = daemon.ask(session, "hello").await?.0;
            daemon.sessions.close(session, holder).await?;
            anyhow::Ok(first)
        })?);
        let chats = daemon.server.chats();
        let like = chats.last().context("the daemon asked the model nothing")?;
        theirs.push(bare(&daemon.server, like)?);
    }
    table.times("first token: bare request", "", &theirs);
    table.times("first token: through carl serve", "", &ours);
    let added = median(&ours).saturating_sub(median(&theirs));
    table.times(
        "first token: added (difference of medians)",
        "≤ 3 ms",
        &[added],
    );
    Ok(())
}

/// Time to first token while a judge is at work on an earlier answer, against one without a judge, in turns.
/// The judge never comes to an end, so that it is at work whenever a request comes in.
///
/// # Errors
/// When either side fails, or the judge is not asked.
pub fn first_token_beside_a_judge(
    table: &mut Table,
    runtime: &Runtime,
    rounds: usize,
) -> Result<()> {
    let gate = Gate::new();
    let judge = Server::speak(move |_, _| Reply::text("{").and_wait(&gate)).openai();
    let graded = format!(
        "[models.providers.judge]\ntype = \"openai\"\nendpoint = \"{}/v1\"\n\
         [models.roles]\njudge = \"judge/scripted-model\"\n\
         [observers]\ncritic = \"every\"\ncritic_on_battery = true\n",
        judge.url()
    );
    let (quiet, busy) = (Daemon::start(runtime)?, Daemon::with(runtime, &graded)?);
    let [in_quiet, in_busy] =
        [&quiet, &busy].map(|daemon| runtime.block_on(daemon.open()).map(|(session, _)| session));
    let (in_quiet, in_busy) = (in_quiet?, in_busy?);
    let first = |daemon: &Daemon, session| {
        let asked = runtime.block_on(daemon.ask(session, "hello"));
        anyhow::Ok(asked?.0)
    };
    // The first answers of both, of which the one is graded then.
    first(&quiet, in_quiet)?;
    first(&busy, in_busy)?;
    let (mut without, mut with, mut asked) = (Vec::new(), Vec::new(), 0);
    for _ in 0..rounds {
        let until = Instant::now() + JUDGE_WAIT;
        while judge.chats().len() <= asked {
            ensure!(Instant::now() < until, "the judge was not asked");
            std::thread::sleep(LOOK_AGAIN);
        }
        asked = judge.chats().len();
        without.push(first(&quiet, in_quiet)?);
        with.push(first(&busy, in_busy)?);
    }
    table.times("first token: no judge", "", &without);
    table.times("first token: beside a judge at work", "", &with);
    let added = median(&with).saturating_sub(median(&without));
    table.times(
        "first token: added by a judge (difference of medians)",
        "≤ 1 ms",
        &[added],
    );
    Ok(())
}

/// Resident memory of the daemon, fresh and after tool calls: 1,000 in a full run.
///
/// # Errors
/// When the daemon fails.
pub fn memory(table: &mut Table, runtime: &Runtime, sessions: usize) -> Result<()> {
    let daemon = Daemon::start(runtime)?;
    let fresh = daemon.memory_mib()?;
    let wanted = sessions * 25;
    runtime.block_on(async {
        let mut calls = 0;
        while calls < wanted {
            let (session, holder) = daemon.open().await?;
            let (_, made) = daemon.ask(session, CALL_TOOLS).await?;
            ensure!(made > 0, "the model's tool calls did not run");
            calls += made;
            daemon.sessions.close(session, holder).await?;
        }
        anyhow::Ok(())
    })?;
    let after = daemon.memory_mib()?;
    table.add(
        "memory of carl serve, fresh",
        "MiB",
        "≤ 25 MiB",
        vec![fresh],
    );
    let name = if wanted >= 1_000 {
        "memory added by 1,000 tool calls"
    } else {
        "memory added by 100 tool calls (quick run)"
    };
    table.add(name, "MiB", "≤ 50 MiB", vec![after - fresh]);
    Ok(())
}
