//! `start_job`, `list_jobs`, `job_output` and `stop_job`: a command that goes on while the agent does
//! something else. It runs as `run_command` runs one: the same view, the same guard, no network.

use crate::command::{self, Command, reach};
use crate::jobs::{Jobs, Outcome, Post, View, Why, how};
use crate::long;
use crate::output::{add_streams, record_of, text_of, unwritable};
use crate::record::{JobOutput, JobState, ListJobs, ListedJob, StartJob, StopJob};
use crate::runner::{self, Guarding, Launch, Runner};
use api::authority::JudgedCall;
use api::executor::{SessionScope, ToolFailure};
use api::failure::{broken, mendable, of_call};
use api::sandbox::{Ended, Finished, JobLimits, Said};
use domain::id::SessionId;
use domain::limits::{JOB_OUTPUT_BYTES, JOB_TIME, JOB_WAIT};
use domain::tool::ToolOutput;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Longest that beginning a job waits for its program to run. It comes to that once its folders are
/// looked through.
const STARTING: Duration = Duration::from_secs(30);
/// How long stopping a job waits for it to be gone.
const STOPPING: Duration = Duration::from_secs(15);
/// Longest name of a job, characters.
pub(crate) const JOB_NAME_CHARS: usize = 40;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Begin {
    name: String,
    argv: Option<Vec<String>>,
    command: Option<String>,
    #[serde(default, rename = "cwd")]
    _cwd: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Nothing {}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Look {
    job: String,
    #[serde(default)]
    wait_seconds: u64,
    from_line: Option<u64>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Stop {
    job: String,
}

/// The name of a job is shown where nothing from outside is, so it is one plain word.
fn check_name(name: &str) -> Result<(), ToolFailure> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    if (1..=JOB_NAME_CHARS).contains(&name.len()) && name.chars().all(is_plain) {
        return Ok(());
    }
    Err(mendable(
        "bad_name",
        of_call(format!(
            "The name of a job is one word of at most {JOB_NAME_CHARS} letters, digits, `-`, `_` and `.`."
        )),
    ))
}

/// As for any program, but for the time.
fn limits() -> JobLimits {
    JobLimits {
        wall: JOB_TIME,
        cpu: JOB_TIME,
        output_bytes: JOB_OUTPUT_BYTES,
        ..runner::limits()
    }
}

pub(crate) async fn start(runner: &Runner, call: &JudgedCall) -> Result<ToolOutput, ToolFailure> {
    let asked: Begin = call.parse_arguments()?;
    check_name(&asked.name)?;
    let command = Command::of(asked.argv, asked.command)?;
    let line = command.line();
    let mut launch = command::launch(runner, call, command)?;
    launch.job.limits = limits();
    let named = (asked.name.as_str(), line);
    let (post, job) = runner
        .jobs
        .begin(call.session_id, named, reach(runner, call))?;
    let beginning = Beginning {
        runner,
        session_id: call.session_id,
        name: &asked.name,
        is_settled: false,
    };
    tokio::spawn(work(launch, runner.clone(), post));
    if let Some(failure) = job.failure_to_begin(STARTING).await {
        return Err(failure);
    }
    beginning.settle();
    let name = &asked.name;
    let minutes = JOB_TIME.as_secs() / 60;
    // The same words whether it has ended already or not: this answer is labelled as the call was,
    // and a program's end can tell what is in a file.
    let text = format!(
        "The job `{name}` was started, for {minutes} minutes at most. You are told when it ends if \
         the session goes on by itself; job_output tells how it stands and what it has printed.\n"
    );
    told(&StartJob { job: name.clone() }, text, name)
}

/// A job whose call has not answered. When nobody waits for the answer, or it failed, there is no job.
struct Beginning<'a> {
    runner: &'a Runner,
    session_id: SessionId,
    name: &'a str,
    is_settled: bool,
}

impl Beginning<'_> {
    fn settle(mut self) {
        self.is_settled = true;
        self.runner.jobs.started(self.session_id, self.name);
    }
}

impl Drop for Beginning<'_> {
    fn drop(&mut self) {
        if !self.is_settled {
            self.runner.jobs.forget(self.session_id, self.name);
        }
    }
}

/// Runs a job to its end, whatever becomes of whoever began it.
async fn work(launch: Launch, runner: Runner, mut post: Post) {
    let (Some(unwanted), Some(seen)) = (post.unwanted.take(), post.seen.take()) else {
        return;
    };
    let guarding = Guarding::of(&runner);
    let running = launch.run(runner.config.sandbox.clone(), guarding, unwanted, seen);
    let outcome: Outcome = match tokio::spawn(running).await {
        Ok(outcome) => outcome,
        Err(error) => Err(broken("tool_crashed", format!("The tool failed: {error}."))),
    };
    post.ended(outcome);
}

pub(crate) fn preview(runner: &Runner, call: &JudgedCall) -> Result<String, ToolFailure> {
    let asked: Begin = call.parse_arguments()?;
    check_name(&asked.name)?;
    let command = Command::of(asked.argv, asked.command)?;
    let command = command::preview_command(runner, call, (&command, false))?;
    Ok(format!(
        "{command}Goes on in the background as the job `{}`, for {} minutes at most and not beyond \
         the session.\n",
        asked.name,
        JOB_TIME.as_secs() / 60
    ))
}

/// What a yes for the session to beginning a job covers besides it.
pub(crate) fn scope(call: &JudgedCall) -> Option<SessionScope> {
    let asked: Begin = call.parse_arguments().ok()?;
    let command = Command::of(asked.argv, asked.command).ok()?;
    command::scope(call, &command)
}

pub(crate) fn list(runner: &Runner, call: &JudgedCall) -> Result<ToolOutput, ToolFailure> {
    let Nothing {} = call.parse_arguments()?;
    let jobs: Vec<ListedJob> = runner
        .jobs
        .all(call.session_id, &reach(runner, call))
        .into_iter()
        .map(|job| {
            let (state, about) = standing(&job);
            ListedJob {
                job: job.name,
                state,
                about,
                command: text::escape::visible_line(&job.command),
            }
        })
        .collect();
    let mut text = String::new();
    for job in &jobs {
        text.push_str(&format!("{}: {}: $ {}\n", job.job, job.about, job.command));
    }
    if jobs.is_empty() {
        text.push_str("There are no jobs.\n");
    }
    told(&ListJobs { jobs }, text, "list")
}

/// How a job stands, in our own words.
fn standing(job: &View) -> (JobState, String) {
    match job.outcome.borrow().as_deref() {
        None => {
            let seconds = job.began.elapsed().as_secs();
            (JobState::Running, format!("runs, {seconds} s"))
        }
        Some(Ok((finished, _))) => (JobState::Ended, how(finished, job.why())),
        Some(Err(failure)) => (JobState::NotRun, format!("did not run ({})", failure.rule)),
    }
}

pub(crate) async fn look(runner: &Runner, call: &JudgedCall) -> Result<ToolOutput, ToolFailure> {
    let asked: Look = call.parse_arguments()?;
    let job = runner
        .jobs
        .find(call.session_id, &reach(runner, call), &asked.job)?;
    let wait = Duration::from_secs(asked.wait_seconds).min(JOB_WAIT);
    match job.outcome_within(wait).await.as_deref() {
        Some(Ok((finished, notes))) => {
            let text = part(text_of(finished, notes), &job.name, asked.from_line)?;
            let how = match job.why() {
                Some(Why::User) => "The user stopped the job.",
                Some(Why::Asked | Why::Closed) | None => "The job has ended.",
            };
            let text = format!("{how}\n{text}");
            let record = JobOutput {
                job: job.name,
                state: JobState::Ended,
                program: record_of(finished, notes),
            };
            told(&record, text, &record.job)
        }
        Some(Err(failure)) => Err(failure.clone()),
        None => so_far(job, asked.from_line),
    }
}

/// What is shown of an output: the lines that are asked for, or as much as fits.
fn part(text: String, name: &str, from_line: Option<u64>) -> Result<String, ToolFailure> {
    match from_line {
        Some(line) => long::page(&text, line),
        None => Ok(long::shortened(&text, name).unwrap_or(text)),
    }
}

/// What a job has printed while it still runs.
fn so_far(job: View, from_line: Option<u64>) -> Result<ToolOutput, ToolFailure> {
    let Said { stdout, stderr } = job.said();
    let finished = Finished {
        ended: Ended::Stopped,
        stdout,
        stderr,
        mechanisms: Vec::new(),
        took: job.began.elapsed(),
    };
    let mut printed = String::new();
    add_streams(&mut printed, &finished);
    let seconds = finished.took.as_secs();
    let text = part(printed, &job.name, from_line)?;
    let text = format!("The job runs, {seconds} s.\n{text}");
    let record = JobOutput {
        program: record_of(&finished, &[]),
        job: job.name,
        state: JobState::Running,
    };
    told(&record, text, &record.job)
}

pub(crate) async fn stop(runner: &Runner, call: &JudgedCall) -> Result<ToolOutput, ToolFailure> {
    let asked: Stop = call.parse_arguments()?;
    let job = runner
        .jobs
        .find(call.session_id, &reach(runner, call), &asked.job)?;
    runner.jobs.stop(call.session_id, &job.name);
    if job.outcome_within(STOPPING).await.is_none() {
        return Err(broken(
            "not_gone",
            "The job was told to stop and is not gone yet. Look again with list_jobs.".to_owned(),
        ));
    }
    let name = job.name;
    // As in `start`: not whether it had ended by itself.
    let text = format!("The job `{name}` is over, with everything it had started.\n");
    told(&StopJob { job: name.clone() }, text, &name)
}

/// Stops jobs as the user of their session wants, the one of this name or all that run; their names.
pub(crate) async fn stop_for_user(
    jobs: &Jobs,
    session_id: SessionId,
    name: Option<&str>,
) -> Vec<String> {
    let stopped = jobs.stop_for_user(session_id, name);
    let gone = stopped.iter().map(|job| job.outcome_within(STOPPING));
    // One that is not gone by then is still listed as one that runs.
    let _gone = futures::future::join_all(gone).await;
    stopped.into_iter().map(|job| job.name).collect()
}

fn origin(name: &str) -> String {
    format!("job:{name}")
}

fn told(record: &impl Serialize, text: String, name: &str) -> Result<ToolOutput, ToolFailure> {
    let data = serde_json::to_value(record).map_err(unwritable)?;
    Ok(ToolOutput {
        data,
        text,
        origin: origin(name),
        artifacts: Vec::new(),
        labels: Vec::new(),
    })
}
