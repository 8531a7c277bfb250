//! The sandbox: runs a program with fewer rights than Housecarl has, or refuses.

use async_trait::async_trait;
use futures::future::BoxFuture;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::oneshot;

/// What a program may reach beyond this machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Network {
    /// Nothing: no socket of any family, not even to this machine. A pair of connected sockets
    /// inside the program is all there is.
    None,
    /// What the machine reaches, by IPv4 and IPv6. For package installers only.
    Host,
}

/// How much a program may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JobLimits {
    /// Longest life of the program and of everything it started.
    pub wall: Duration,
    /// Processor time of each process, whole seconds, at least one.
    pub cpu: Duration,
    /// Memory of each process, bytes; of all together where a control group can be made.
    pub memory_bytes: u64,
    /// Most processes and threads at one time.
    pub processes: u32,
    /// Largest file it writes, bytes.
    pub file_bytes: u64,
    /// Most open files of each process.
    pub open_files: u32,
    /// Most that is kept of each output stream, bytes; the middle of a longer one is dropped.
    pub output_bytes: usize,
}

/// A folder that is the program's own: empty but for the given files, gone afterwards.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Scratch {
    /// Where; absolute, an empty folder that exists. Where the machine allows it, it lies in memory
    /// while the program runs, so that nothing of it reaches the disk.
    pub folder: PathBuf,
    /// Files in it before the program starts: relative path and content.
    pub files: BTreeMap<PathBuf, Vec<u8>>,
    /// Links in it: relative path, and what it leads to, absolute. They open nothing by themselves.
    pub links: BTreeMap<PathBuf, PathBuf>,
}

/// A program to run and everything it is given. What is not listed it does not have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Job {
    /// Program and arguments; no shell reads them. Empty: nothing runs, only the restrictions are
    /// tried.
    pub argv: Vec<String>,
    /// Where it starts; absolute, beneath a readable or writable path.
    pub folder: PathBuf,
    /// Files and folders it may read, besides the machine's programs and libraries; absolute, by
    /// their real paths: one that is reached through a link is refused.
    pub read: Vec<PathBuf>,
    /// Files and folders it may change, in the same way.
    pub write: Vec<PathBuf>,
    /// Links that it sees, each with what it leads to: other names of places that it may reach.
    pub links: Vec<(PathBuf, PathBuf)>,
    /// Folders beneath those that it may change as well, and that keep their names.
    pub held: Vec<PathBuf>,
    /// A folder of its own, which it may change.
    pub scratch: Option<Scratch>,
    /// Places beneath those that it may not change all the same.
    pub frozen: Vec<PathBuf>,
    /// Places beneath those that it may not even see.
    pub hidden: Vec<PathBuf>,
    /// Those of the held, frozen and hidden places that another program, which still runs, may have
    /// made: when one is removed or replaced, the program is not ended.
    pub expendable: Vec<PathBuf>,
    /// Its environment, whole: nothing is inherited.
    pub environment: BTreeMap<String, String>,
    /// Its standard input.
    pub input: Vec<u8>,
    /// What it reaches beyond this machine.
    pub network: Network,
    /// How much it may use.
    pub limits: JobLimits,
}

/// How one way of restricting a program went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Enforcement {
    /// In force.
    Enforced,
    /// Not to be had here, and why.
    Unavailable(String),
}

/// One way of restricting a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mechanism {
    /// Stable name: `landlock`, `mount_view`, `seccomp`.
    pub name: String,
    /// What it does, and in which form.
    pub detail: String,
    /// How it went.
    pub enforcement: Enforcement,
}

/// What is kept of an output stream.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Captured {
    /// The beginning.
    pub head: Vec<u8>,
    /// The end, when something was dropped between.
    pub tail: Vec<u8>,
    /// How much was dropped between, bytes.
    pub dropped: u64,
}

/// What a program has said so far.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Said {
    /// Standard output.
    pub stdout: Captured,
    /// Standard error.
    pub stderr: Captured,
}

/// Asks what a running program has said so far; when it has ended, what it said in all.
pub type Glance = Arc<dyn Fn() -> Said + Send + Sync>;

/// What came of having a program stand still.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pause {
    /// Nothing of it acts until it is let go on.
    Still,
    /// It ends just now; when it has ended, its run answers.
    Ending,
}

/// Makes a running program stand still, with all that it started.
#[async_trait]
pub trait Hold: Send + Sync {
    /// Has it start, once it is ready. It has been told when this returns.
    ///
    /// # Errors
    /// [`Refusal`] when it has ended before.
    fn start(&self) -> Result<(), Refusal>;

    /// Has it stand still. One that cannot be made to is ended.
    ///
    /// # Errors
    /// [`Refusal`] when it cannot be made to.
    async fn pause(&self) -> Result<Pause, Refusal>;

    /// Whether it has stood still since it was paused. One that did not, since it had itself woken, is
    /// ended.
    ///
    /// # Errors
    /// [`Refusal`] when it did not.
    async fn check(&self) -> Result<(), Refusal>;

    /// Lets it go on.
    fn go_on(&self);
}

/// What can be asked of a program that was started.
pub struct Started {
    /// What it has said so far.
    pub look: Glance,
    /// Makes it stand still.
    pub hold: Arc<dyn Hold>,
    /// Resolves when every restriction is in force, and goes away when it never comes to that.
    pub ready: oneshot::Receiver<()>,
    /// Resolves when the program itself runs, and goes away when it never comes to that.
    pub began: oneshot::Receiver<()>,
}

/// How a program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// By itself, with this code.
    Exited(i32),
    /// By this signal: its own fault, or a limit.
    Killed(i32),
    /// Its time was up; it and all it started were killed.
    TimedOut,
    /// The caller stopped it; it and all it started were killed.
    Stopped,
}

/// What a program came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finished {
    /// How it ended.
    pub ended: Ended,
    /// Standard output.
    pub stdout: Captured,
    /// Standard error.
    pub stderr: Captured,
    /// What was in force while it ran.
    pub mechanisms: Vec<Mechanism>,
    /// How long it ran.
    pub took: Duration,
}

/// Why a program did not run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// A restriction that was promised cannot be had on this machine.
    #[error("the sandbox cannot promise `{promise}` here: {why}")]
    Promise {
        /// Which promise: `files`, `network`, `processes`, `system_calls`, `privileges`, `limits`.
        promise: String,
        /// Why, by mechanism.
        why: String,
    },
    /// The job makes no sense.
    #[error("{0}")]
    BadJob(String),
    /// The program is not there or cannot be started.
    #[error("`{program}` cannot be started: {why}")]
    NotStarted {
        /// The program.
        program: String,
        /// What the operating system said.
        why: String,
    },
    /// A file that was kept from the program was replaced by another program, and with it what
    /// covered it; the program was stopped in that moment, and nothing of it is left running.
    #[error("a protected file in its folders was replaced by another program")]
    Uncovered,
    /// The sandbox itself failed; nothing is left running.
    #[error("the sandbox failed: {0}")]
    Broken(String),
}

/// Runs programs with fewer rights.
#[async_trait]
pub trait Sandbox: Send + Sync {
    /// Runs a program to its end, or until `stop` comes. When this answers, nothing of the program
    /// is left running. Dropping the future kills it too, without waiting for that.
    ///
    /// # Errors
    /// [`Refusal`] when it did not run with every promised restriction.
    async fn run(&self, job: Job, stop: BoxFuture<'static, ()>) -> Result<Finished, Refusal>;

    /// As [`Sandbox::run`], and `started` gets what can be asked of it meanwhile; nothing from a
    /// sandbox that can be asked nothing.
    ///
    /// # Errors
    /// As [`Sandbox::run`].
    async fn run_seen(
        &self,
        job: Job,
        stop: BoxFuture<'static, ()>,
        started: oneshot::Sender<Started>,
    ) -> Result<Finished, Refusal> {
        drop(started);
        self.run(job, stop).await
    }
}
