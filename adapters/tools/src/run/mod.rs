//! The tools that run programs. Every program runs in the sandbox, with what its tool gives it and
//! nothing else; without a sandbox these tools do not exist.

mod background;
mod code;
mod conceal;
mod guard;
mod jobs;
mod office;
mod package;
mod places;
mod reader;
mod scratch;
mod shell;
mod toolchain;

pub(crate) use background::JOB_NAME_CHARS;
pub use jobs::Jobs;
pub(crate) use places::protected_links;
pub(crate) use reader::read;
pub use reader::{READER_ENTRY, enter as read_document_entry};
pub(crate) use scratch::sweep;

use self::conceal::conceal;
use self::guard::Watch;
use self::scratch::Desk;
use crate::failure::{broken, mendable, of_call, refused};
use crate::record::RunProgram;
use crate::table::Tool;
use api::authority::JudgedCall;
use api::executor::{Progress, ProgressSink, ToolFailure};
use api::sandbox::{
    Captured, Ended, Enforcement, Finished, Glance, Job, JobLimits, Refusal, Sandbox,
};
use domain::limits::{
    EXEC_CPU, EXEC_FILE_BYTES, EXEC_MEMORY_BYTES, EXEC_OPEN_FILES, EXEC_OUTPUT_BYTES,
    EXEC_PROCESSES, EXEC_TIME, EXEC_TIME_MOST,
};
use domain::tool::ToolOutput;
use policy::protected::Protected;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::oneshot;

/// How often a running program is reported.
const TICK: Duration = Duration::from_secs(1);

/// What the tools that run programs are built with.
#[derive(Clone)]
pub struct Sandboxed {
    /// Runs the programs.
    pub sandbox: Arc<dyn Sandbox>,
    /// The user's home, where programming languages may be installed.
    pub home: PathBuf,
    /// The program that reads documents, and its arguments: it must call
    /// [`read_document_entry`] when its first argument is [`READER_ENTRY`].
    pub reader: PathBuf,
    /// Longest a program may run where its call does not say.
    pub program_time: Duration,
}

impl fmt::Debug for Sandboxed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sandboxed")
            .field("home", &self.home)
            .field("reader", &self.reader)
            .finish_non_exhaustive()
    }
}

/// The place where programs run.
#[derive(Debug, Clone)]
pub(crate) struct Bay {
    pub(crate) given: Sandboxed,
    /// What runs in the background.
    pub(crate) jobs: Jobs,
    pub(crate) own_folders: Vec<PathBuf>,
    pub(crate) protected: Protected,
}

impl Bay {
    /// Runs a tool that runs a program.
    pub(crate) async fn run(
        &self,
        tool: Tool,
        call: &JudgedCall,
        progress: &ProgressSink,
    ) -> Result<ToolOutput, ToolFailure> {
        match tool {
            Tool::RunCode => code::run(self, call, progress).await,
            Tool::RunShell => shell::run_argv(self, call, progress).await,
            Tool::RunScript => shell::run_script(self, call, progress).await,
            Tool::PackageInstall => package::run(self, call, progress).await,
            Tool::StartJob => background::start(self, call).await,
            Tool::ListJobs => background::list(self, call),
            Tool::JobOutput => background::look(self, call).await,
            Tool::StopJob => background::stop(self, call).await,
            _ => Err(refused("unknown_tool", "This tool runs no program.")),
        }
    }

    /// What would run, for the user to read before saying yes.
    pub(crate) fn preview(
        &self,
        tool: Tool,
        call: &JudgedCall,
    ) -> Result<Option<String>, ToolFailure> {
        let text = match tool {
            Tool::RunCode => code::preview(self, call),
            Tool::RunShell => shell::preview_argv(self, call),
            Tool::RunScript => shell::preview_script(self, call),
            Tool::PackageInstall => package::preview(self, call),
            Tool::StartJob => background::preview(self, call),
            _ => return Ok(None),
        }?;
        Ok(Some(text::escape::visible(&text)))
    }

    /// Runs a job to its end and says every second that it still does. When nobody waits any more,
    /// the program is killed, and what is left to do after it is still done.
    async fn finish(
        &self,
        errand: Errand,
        progress: &ProgressSink,
    ) -> Result<(Finished, Vec<String>), ToolFailure> {
        let program = errand.job.argv.first().cloned().unwrap_or_default();
        let (_wanted, unwanted) = oneshot::channel::<()>();
        let (unseen, _nobody) = oneshot::channel();
        let sandbox = self.given.sandbox.clone();
        let guard = Guarding::of(self);
        let mut task = tokio::spawn(errand.run(sandbox, guard, unwanted, unseen));
        let mut tick = tokio::time::interval(TICK);
        let mut seconds = 0;
        // The first tick comes at once.
        tick.tick().await;
        loop {
            tokio::select! {
                finished = &mut task => {
                    let crashed = |e| broken("tool_crashed", format!("The tool failed: {e}."));
                    return finished.map_err(crashed)?;
                }
                _ = tick.tick() => {
                    seconds += 1;
                    let report = Progress {
                        message: format!("{program} runs, {seconds} s"),
                        percent: None,
                    };
                    // A full or closed channel is no reason to stop.
                    let _told = progress.try_send(report);
                }
            }
        }
    }
}

/// What is kept from a program, and what becomes of what it should not have made.
#[derive(Debug)]
struct Guarding {
    protected: Protected,
    own_folders: Vec<PathBuf>,
}

impl Guarding {
    fn of(bay: &Bay) -> Self {
        Self {
            protected: bay.protected.clone(),
            own_folders: bay.own_folders.clone(),
        }
    }
}

/// A job with what belongs to it.
#[derive(Debug)]
struct Errand {
    job: Job,
    /// Its scratch folder, which is removed when the program has ended.
    desk: Desk,
    /// Folders it may read, which are looked through for keys and passwords before.
    searched: Vec<PathBuf>,
    /// Folders whose protected places are frozen while it runs, and looked through afterwards.
    guarded: Vec<PathBuf>,
}

impl Errand {
    /// Runs it; `unwanted` resolves when nobody waits any more, and `seen` gets a way to look at
    /// the output meanwhile.
    async fn run(
        self,
        sandbox: Arc<dyn Sandbox>,
        guarding: Guarding,
        unwanted: oneshot::Receiver<()>,
        seen: oneshot::Sender<Glance>,
    ) -> Result<(Finished, Vec<String>), ToolFailure> {
        let Self {
            mut job,
            desk,
            searched,
            guarded,
        } = self;
        let Guarding {
            protected,
            own_folders,
        } = guarding;
        let before = protected.clone();
        let (watch, concealed) = blocking(move || {
            let watch = Watch::begin(&before, &guarded)?;
            let concealed = conceal(&before, &searched, &guarded)?;
            Ok((watch, concealed))
        })
        .await?;
        // A folder that is opened by itself cannot be given another name.
        job.write.extend_from_slice(&watch.held);
        job.frozen.extend_from_slice(&watch.frozen);
        job.hidden.extend_from_slice(&watch.hidden);
        job.hidden.extend(concealed.hidden);
        job.hidden.extend(own_folders);
        let stop = async move {
            // The other end speaks or goes away: it is one and the same.
            let _gone = unwanted.await;
        };
        let finished = sandbox.run_seen(job, Box::pin(stop), seen).await;
        // What the program did is told also when nobody could look.
        let found = blocking(move || Ok(watch.end(&protected)))
            .await
            .unwrap_or_else(|_| vec![guard::incomplete("it broke off")]);
        drop(desk);
        match finished {
            Ok(finished) => Ok((finished, concealed.note.into_iter().chain(found).collect())),
            Err(refusal) => Err(with_notes(failure(refusal), &found)),
        }
    }
}

/// A failure that also says what was set aside.
fn with_notes(mut failure: ToolFailure, notes: &[String]) -> ToolFailure {
    if notes.is_empty() {
        return failure;
    }
    for note in notes {
        failure.message.push_str(&format!("\nnote: {note}"));
    }
    // Which files there are is not in our own words.
    failure.quoting()
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, ToolFailure> + Send + 'static,
) -> Result<T, ToolFailure> {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        // What it said as it broke down may be anything.
        Err(error) => Err(broken("tool_crashed", format!("The tool failed: {error}."))),
    }
}

impl Bay {
    /// The limits of a program that may run `asked` seconds, or as long as is usual.
    pub(super) fn limits(&self, asked: Option<u64>) -> JobLimits {
        let wall = asked.map_or(self.given.program_time, Duration::from_secs);
        let wall = wall.min(EXEC_TIME_MOST);
        JobLimits {
            wall,
            cpu: wall,
            ..limits()
        }
    }
}

/// The usual limits.
fn limits() -> JobLimits {
    JobLimits {
        wall: EXEC_TIME,
        cpu: EXEC_CPU,
        memory_bytes: EXEC_MEMORY_BYTES,
        processes: EXEC_PROCESSES,
        file_bytes: EXEC_FILE_BYTES,
        open_files: EXEC_OPEN_FILES,
        output_bytes: EXEC_OUTPUT_BYTES,
    }
}

fn failure(refusal: Refusal) -> ToolFailure {
    match refusal {
        Refusal::Promise { .. } => broken(
            "sandbox_unavailable",
            of_call(format!(
                "Nothing was run: {refusal}. Programs run with every restriction or not at all; \
                 the user can see with `carl doctor` what this machine lacks."
            )),
        ),
        Refusal::BadJob(why) => mendable("bad_job", format!("Nothing was run: {why}.")),
        Refusal::NotStarted { .. } => {
            mendable("not_started", format!("Nothing was run: {refusal}."))
        }
        Refusal::Uncovered => broken(
            "uncovered",
            "The command was stopped, and its output is not shown: while it ran, another program of \
             the user's (an editor, git) replaced a protected file in a folder that it may reach, \
             and such a file cannot be kept from it any more. Run it again.",
        ),
        Refusal::Broken(_) => broken("sandbox_failed", format!("{refusal}.")),
    }
}

/// A stream as text, with a mark where its middle was dropped.
fn stream(captured: &Captured) -> String {
    let mut text = String::from_utf8_lossy(&captured.head).into_owned();
    if captured.dropped > 0 {
        text.push_str(&format!("\n[… {} bytes left out …]\n", captured.dropped));
        text.push_str(&String::from_utf8_lossy(&captured.tail));
    }
    text
}

/// The result of a program, for programs and for the model. `notes` come first.
fn output(origin: &str, finished: &Finished, notes: &[String]) -> Result<ToolOutput, ToolFailure> {
    let data = serde_json::to_value(record_of(finished, notes)).map_err(unwritable)?;
    Ok(ToolOutput {
        data,
        text: text_of(finished, notes),
        origin: format!("program:{origin}"),
        artifacts: Vec::new(),
        labels: Vec::new(),
    })
}

/// The notes, and what gives a program that was stopped more time.
pub(super) fn longer(finished: &Finished, mut notes: Vec<String>) -> Vec<String> {
    if finished.ended == Ended::TimedOut {
        notes.push(format!(
            "its time was up. For more, give timeout_secs (at most {}), or use start_job where you \
             have it; the user may raise `command_secs` under `[tools]`.",
            EXEC_TIME_MOST.as_secs()
        ));
    }
    notes
}

fn unwritable(error: serde_json::Error) -> ToolFailure {
    broken(
        "result_unwritable",
        format!("The result cannot be told: {error}."),
    )
}

fn text_of(finished: &Finished, notes: &[String]) -> String {
    let mut text = match finished.ended {
        Ended::Exited(code) => format!("exit code {code}\n"),
        Ended::Killed(signal) => format!("killed by signal {signal}\n"),
        Ended::TimedOut => format!(
            "stopped after {} s, with everything it had started\n",
            finished.took.as_secs()
        ),
        Ended::Stopped => "stopped on request, with everything it had started\n".to_owned(),
    };
    for note in notes {
        text.push_str(&format!("note: {note}\n"));
    }
    add_streams(&mut text, finished);
    text
}

fn add_streams(text: &mut String, finished: &Finished) {
    let streams = [("stdout", &finished.stdout), ("stderr", &finished.stderr)];
    for (name, captured) in streams {
        match stream(captured).trim_end() {
            "" => {}
            stream => text.push_str(&format!("{name}:\n{stream}\n")),
        }
    }
}

fn record_of(finished: &Finished, notes: &[String]) -> RunProgram {
    let names = |enforced: bool| {
        let all = finished.mechanisms.iter();
        all.filter(|m| (m.enforcement == Enforcement::Enforced) == enforced)
            .map(|m| m.name.clone())
            .collect()
    };
    let (exit_code, signal) = match finished.ended {
        Ended::Exited(code) => (Some(code), None),
        Ended::Killed(signal) => (None, Some(signal)),
        Ended::TimedOut | Ended::Stopped => (None, None),
    };
    RunProgram {
        exit_code,
        signal,
        timed_out: finished.ended == Ended::TimedOut,
        stdout: stream(&finished.stdout),
        stderr: stream(&finished.stderr),
        truncated: finished.stdout.dropped > 0 || finished.stderr.dropped > 0,
        took_ms: u64::try_from(finished.took.as_millis()).unwrap_or(u64::MAX),
        enforced: names(true),
        unavailable: names(false),
        notes: notes.to_vec(),
    }
}

/// An argument list as a person can read it back: what a shell would take for something else is
/// quoted.
fn shown_argv(argv: &[String]) -> String {
    let quoted: Vec<String> = argv
        .iter()
        .map(|argument| {
            let is_plain = !argument.is_empty()
                && argument
                    .chars()
                    .all(|c| c.is_ascii_alphanumeric() || "-_./=:@%+,".contains(c));
            match is_plain {
                true => argument.clone(),
                false => format!("'{}'", argument.replace('\'', "'\\''")),
            }
        })
        .collect();
    quoted.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_shown_apart() {
        let argv = ["echo", "a b", "", "it's", "$(x)"].map(str::to_owned);
        assert_eq!(shown_argv(&argv), r"echo 'a b' '' 'it'\''s' '$(x)'");
    }
}
