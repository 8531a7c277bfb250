//! The outside: starts the inside, hands it the job, keeps the time and the output, and lets
//! nothing outlive the call.

use crate::Config;
use crate::cgroup::Groups;
use crate::hold::{Hearing, Holding};
use crate::output::{self, Kept};
use crate::wire::{self, EVENT_BYTES, Event, Spec, Told};
use api::sandbox::{
    Captured, Ended, Finished, Glance, Job, JobLimits, Mechanism, Network, Refusal, Said, Sandbox,
    Started,
};
use async_trait::async_trait;
use futures::future::BoxFuture;
use rustix::fd::{AsFd, OwnedFd};
use rustix::net::{AddressFamily, Shutdown, SocketFlags, SocketType};
use std::collections::BTreeMap;
use std::fmt::Display;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::process::{Child, Command};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

/// How long killing everything and burying it may take.
const BURIAL: Duration = Duration::from_secs(10);

/// The limits of a trial in which nothing runs.
const TRIAL: JobLimits = JobLimits {
    wall: Duration::from_secs(10),
    cpu: Duration::from_secs(5),
    memory_bytes: 64 << 20,
    processes: 8,
    file_bytes: 1 << 20,
    open_files: 64,
    output_bytes: 4 << 10,
};

/// The sandbox. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct Service {
    config: Arc<Config>,
}

impl Service {
    /// A sandbox whose inside is the configured program.
    #[must_use]
    pub fn new(config: Config) -> Self {
        Self {
            config: Arc::new(config),
        }
    }
}

impl Service {
    /// Tries every restriction without running anything, and says what is in force.
    ///
    /// # Errors
    /// [`Refusal`] when a promise cannot be kept here: then no program runs.
    pub async fn report(&self) -> Result<Vec<Mechanism>, Refusal> {
        let job = Job {
            argv: Vec::new(),
            folder: PathBuf::from("/"),
            read: Vec::new(),
            write: Vec::new(),
            scratch: None,
            links: Vec::new(),
            held: Vec::new(),
            frozen: Vec::new(),
            hidden: Vec::new(),
            expendable: Vec::new(),
            environment: BTreeMap::new(),
            input: Vec::new(),
            network: Network::None,
            limits: TRIAL,
        };
        let finished = self.run(job, Box::pin(std::future::pending())).await?;
        Ok(finished.mechanisms)
    }
}

#[async_trait]
impl Sandbox for Service {
    async fn run(&self, job: Job, stop: BoxFuture<'static, ()>) -> Result<Finished, Refusal> {
        let (unasked, nobody) = oneshot::channel();
        drop(nobody);
        self.run_seen(job, stop, unasked).await
    }

    async fn run_seen(
        &self,
        job: Job,
        stop: BoxFuture<'static, ()>,
        started: oneshot::Sender<Started>,
    ) -> Result<Finished, Refusal> {
        let dropped = CancellationToken::new();
        let _guard = dropped.clone().drop_guard();
        let stop = async move {
            tokio::select! {
                () = stop => {}
                () = dropped.cancelled() => {}
            }
        };
        let config = Arc::clone(&self.config);
        // In a task of its own, so that the burial is finished also when nobody waits for it.
        let task = tokio::spawn(async move { run(&config, job, stop, started).await });
        task.await.map_err(|e| broken("the run", e))?
    }
}

fn broken(step: &str, error: impl Display) -> Refusal {
    Refusal::Broken(format!("{step}: {error}"))
}

/// Our end of the socket. Shutting it down tells the inside to kill everything.
#[derive(Debug)]
struct Line(Arc<OwnedFd>);

impl Line {
    fn cut(&self) {
        cut(&*self.0);
    }

    fn file(&self) -> Result<File, Refusal> {
        let copy = self.0.try_clone();
        copy.map(File::from).map_err(|e| broken("the socket", e))
    }
}

fn cut(line: impl AsFd) {
    // Already cut by the other side: that is what was wanted.
    let _cut = rustix::net::shutdown(line, Shutdown::Both);
}

impl Drop for Line {
    fn drop(&mut self) {
        self.cut();
    }
}

/// What the inside told, in the end.
#[derive(Debug, Default)]
struct Account {
    mechanisms: Vec<Mechanism>,
    ended: Option<Ended>,
    refusal: Option<Refusal>,
}

async fn run(
    config: &Config,
    mut job: Job,
    stop: impl Future<Output = ()>,
    started: oneshot::Sender<Started>,
) -> Result<Finished, Refusal> {
    check(&job)?;
    let groups = Groups::make(&job.limits);
    // What cannot be handed over is refused before anybody waits for it.
    let packed = Spec::of(&job, &groups.mechanisms).packed()?;
    let input = std::mem::take(&mut job.input);
    let (mut child, line) = start(config)?;
    let pid = child
        .id()
        .ok_or_else(|| broken("starting", "it ended at once"))?;
    // The inside waits for its job, so nothing runs before the limits hold.
    groups
        .take_in(pid)
        .map_err(|e| broken("the control group", e))?;
    let began = Instant::now();
    let kept = [(); 2].map(|()| Kept::new(job.limits.output_bytes));
    let [out, err] = kept.clone();
    let stdout = tokio::spawn(output::drain(child.stdout.take(), out));
    let stderr = tokio::spawn(output::drain(child.stderr.take(), err));
    let (mut hearing, heard) = Hearing::new();
    let now = Started {
        look: glance(kept),
        hold: Arc::new(Holding::new(line.file()?, heard.answers)),
        ready: heard.ready,
        began: heard.began,
    };
    if started.send(now).is_err() {
        // Nobody else says when.
        hearing.start_when_ready(line.file()?);
    }
    let late = tokio::time::sleep(job.limits.wall);
    let tried = job.argv.is_empty().then_some(Ended::Exited(0));
    tokio::pin!(late, stop);
    let talk = talk(&line, packed, input, hearing)?;
    tokio::pin!(talk);
    let (mut is_late, mut is_stopped) = (false, false);
    let mut account = None;
    tokio::select! {
        told = &mut talk => account = Some(told),
        () = &mut late => is_late = true,
        () = &mut stop => is_stopped = true,
    }
    line.cut();
    bury(&mut child).await?;
    let account = match account {
        Some(account) => account,
        None => talk.await,
    };
    let account = account.map_err(|e| broken("listening", e))?;
    let took = began.elapsed();
    let (stdout, stderr) = (rest_of(stdout).await?, rest_of(stderr).await?);
    drop(groups);
    let fate = match (is_late, is_stopped) {
        (true, _) => Some(Ended::TimedOut),
        (_, true) => Some(Ended::Stopped),
        _ => None,
    };
    told(account, (fate, tried), stdout, stderr, took)
}

fn glance([out, err]: [Kept; 2]) -> Glance {
    Arc::new(move || Said {
        stdout: out.so_far(),
        stderr: err.so_far(),
    })
}

/// Refuses what no restriction could be made of.
fn check(job: &Job) -> Result<(), Refusal> {
    let scratch = job.scratch.iter().map(|s| &s.folder);
    let places = job.read.iter().chain(&job.write).chain(&job.frozen);
    let mut places = places.chain(&job.hidden).chain(scratch);
    // The whole root, and a place that is not named from it, are no places.
    match places.find(|place| !place.is_absolute() || place.parent().is_none()) {
        Some(place) => Err(Refusal::BadJob(format!(
            "{} cannot be given to a program",
            place.display()
        ))),
        None if !job.folder.is_absolute() => Err(Refusal::BadJob(
            "the folder to start in is not absolute".to_owned(),
        )),
        None => Ok(()),
    }
}

fn start(config: &Config) -> Result<(Child, Line), Refusal> {
    let (ours, theirs) = rustix::net::socketpair(
        AddressFamily::UNIX,
        SocketType::STREAM,
        SocketFlags::CLOEXEC,
        None,
    )
    .map_err(|e| broken("a socket pair", e))?;
    let child = Command::new(&config.program)
        .args(&config.arguments)
        .env_clear()
        .current_dir("/")
        .stdin(Stdio::from(theirs))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|e| broken("starting the inside", e))?;
    Ok((child, Line(Arc::new(ours))))
}

/// Hands the job over and listens until the line is closed, on a thread that may block.
fn talk(
    line: &Line,
    packed: Vec<u8>,
    input: Vec<u8>,
    mut hearing: Hearing,
) -> Result<tokio::task::JoinHandle<Account>, Refusal> {
    let (mut down, up) = (line.file()?, line.file()?);
    Ok(tokio::task::spawn_blocking(move || {
        let mut account = Account::default();
        if let Err(error) = wire::write_job(&mut down, &packed, &input) {
            account.refusal = Some(broken("handing the job over", error));
            // The inside would wait for the rest.
            cut(&down);
        }
        listen(
            BufReader::new(up.take(EVENT_BYTES)),
            &mut account,
            &mut hearing,
        );
        account
    }))
}

fn listen(lines: impl BufRead, account: &mut Account, hearing: &mut Hearing) {
    for line in lines.lines() {
        let Ok(line) = line else { return };
        match serde_json::from_str::<Event>(&line) {
            Ok(event) => {
                hearing.hear(&event);
                account.hear(event);
            }
            Err(error) => account.refusal = Some(broken("an event", error)),
        }
    }
}

impl Account {
    fn hear(&mut self, event: Event) {
        match event {
            Event::Ready { mechanisms } => {
                self.mechanisms = mechanisms.into_iter().map(Told::into_mechanism).collect();
            }
            Event::Refused { promise, why } => {
                self.refusal = Some(Refusal::Promise { promise, why });
            }
            Event::BadJob { why } => self.refusal = Some(Refusal::BadJob(why)),
            Event::NotStarted { program, why } => {
                self.refusal = Some(Refusal::NotStarted { program, why });
            }
            Event::Uncovered => self.refusal = Some(Refusal::Uncovered),
            Event::Began | Event::Paused { .. } => {}
            Event::Broken { why } => self.refusal = Some(Refusal::Broken(why)),
            Event::Ended { code, signal } => {
                self.ended = match (code, signal) {
                    (Some(code), _) => Some(Ended::Exited(code)),
                    (None, Some(signal)) => Some(Ended::Killed(signal)),
                    (None, None) => None,
                };
            }
        }
    }
}

/// Waits until the warden has killed everything; if it does not come to that, it is killed, and
/// with it the process namespace.
async fn bury(child: &mut Child) -> Result<(), Refusal> {
    if let Ok(waited) = tokio::time::timeout(BURIAL, child.wait()).await {
        return waited.map(drop).map_err(|e| broken("waiting", e));
    }
    child.kill().await.map_err(|e| broken("killing", e))
}

/// What a stream came to. Every writer is dead by now, so it ends at once.
async fn rest_of(stream: tokio::task::JoinHandle<Captured>) -> Result<Captured, Refusal> {
    match tokio::time::timeout(BURIAL, stream).await {
        Ok(read) => read.map_err(|e| broken("reading the output", e)),
        Err(late) => Err(broken("somebody still holds the output", late)),
    }
}

fn told(
    account: Account,
    (fate, tried): (Option<Ended>, Option<Ended>),
    stdout: Captured,
    stderr: Captured,
    took: Duration,
) -> Result<Finished, Refusal> {
    if let Some(refusal) = account.refusal {
        return Err(refusal);
    }
    if account.mechanisms.is_empty() {
        let said = String::from_utf8_lossy(&stderr.head).into_owned();
        return Err(broken("the inside ended before it was ready", said.trim()));
    }
    // Where nothing was to run, the restrictions were tried and no more.
    let Some(ended) = account.ended.or(fate).or(tried) else {
        return Err(broken("the program", "it ended without a word"));
    };
    Ok(Finished {
        ended,
        stdout,
        stderr,
        mechanisms: account.mechanisms,
        took,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_job_that_is_not_handed_over_leaves_nobody_waiting() {
        let pair = std::os::unix::net::UnixStream::pair().unwrap();
        let (ours, mut inside) = pair;
        let line = Line(Arc::new(ours.into()));
        let (hearing, _heard) = Hearing::new();
        let too_large = vec![b' '; 16 << 20];
        let account = talk(&line, too_large, Vec::new(), hearing).unwrap();
        let mut heard = Vec::new();
        inside.read_to_end(&mut heard).unwrap();
        assert_eq!(heard, b"");
        let refusal = account.await.unwrap().refusal;
        assert!(matches!(refusal, Some(Refusal::Broken(_))), "{refusal:?}");
    }
}
