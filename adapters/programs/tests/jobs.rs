//! Jobs in the background over a sandbox that runs nothing: their limits, who sees them, and how they
//! are told of.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test is allowed to fail loudly"
)]

use api::authority::{Authority, JudgedCall};
use api::executor::{Executor, ToolFailure};
use api::programs::{ProgramId, ProgramState, SeenProgram};
use api::sandbox::{
    Captured, Ended, Finished, Glance, Hold, Job, Pause, Refusal, Said, Sandbox, Started,
};
use api::signals::Source;
use async_trait::async_trait;
use domain::drive::Signal;
use domain::hash::Digest;
use domain::id::{CallId, SessionId};
use domain::label::Label;
use domain::limits::{EXEC_TIME, JOB_OUTPUT_BYTES, JOB_TIME, JOB_WAIT, JOBS_AT_WORK, JOBS_KEPT};
use domain::tool::{ToolName, ToolOutput};
use futures::future::BoxFuture;
use futures::{FutureExt, StreamExt};
use programs::{Config, ProgramTools};
use protected::Protected;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;
use uuid::Uuid;

/// Runs nothing: `waits` goes on until it is stopped, `exits N` ends at once, `missing` is not there.
#[derive(Default)]
struct Stage {
    jobs: Mutex<Vec<Job>>,
}

fn finished(ended: Ended) -> Finished {
    Finished {
        ended,
        stdout: captured("all of it"),
        stderr: Captured::default(),
        mechanisms: Vec::new(),
        took: Duration::from_secs(3),
    }
}

fn captured(text: &str) -> Captured {
    Captured {
        head: text.as_bytes().to_vec(),
        ..Captured::default()
    }
}

/// A program that does nothing stands still at once.
struct Stands;

#[async_trait]
impl Hold for Stands {
    async fn pause(&self) -> Result<Pause, Refusal> {
        Ok(Pause::Still)
    }

    fn start(&self) -> Result<(), Refusal> {
        Ok(())
    }

    async fn check(&self) -> Result<(), Refusal> {
        Ok(())
    }

    fn go_on(&self) {}
}

#[async_trait]
impl Sandbox for Stage {
    async fn run(&self, _: Job, _: BoxFuture<'static, ()>) -> Result<Finished, Refusal> {
        panic!("only jobs run here")
    }

    async fn run_seen(
        &self,
        job: Job,
        stop: BoxFuture<'static, ()>,
        started: oneshot::Sender<Started>,
    ) -> Result<Finished, Refusal> {
        let argv = job.argv.clone();
        self.jobs.lock().unwrap().push(job);
        let look: Glance = Arc::new(|| Said {
            stdout: captured("so far"),
            stderr: Captured::default(),
        });
        let (now, ready) = oneshot::channel();
        let _ready = now.send(());
        let hold = Arc::new(Stands);
        let (begin, began) = oneshot::channel();
        let _asked = started.send(Started {
            look,
            hold,
            ready,
            began,
        });
        if matches!(argv[0].as_str(), "waits" | "exits") {
            let _begun = begin.send(());
        }
        match argv[0].as_str() {
            "waits" => {
                stop.await;
                Ok(finished(Ended::Stopped))
            }
            "exits" => Ok(finished(Ended::Exited(argv[1].parse().unwrap()))),
            "missed-late" => {
                let long = Duration::from_secs(20);
                let _passed = tokio::time::timeout(long, std::future::pending::<()>()).await;
                Err(Refusal::NotStarted {
                    program: argv[0].clone(),
                    why: "not there".to_owned(),
                })
            }
            other => Err(Refusal::NotStarted {
                program: other.to_owned(),
                why: "not there".to_owned(),
            }),
        }
    }
}

struct Bench {
    folder: tempfile::TempDir,
    stage: Arc<Stage>,
    tools: ProgramTools,
    session: SessionId,
}

impl Bench {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("work/sub")).unwrap();
        let stage = Arc::new(Stage::default());
        let tools = ProgramTools::new(Config {
            sandbox: stage.clone(),
            home: folder.path().to_owned(),
            reader: PathBuf::from("/bin/true"),
            program_time: EXEC_TIME,
            air_gap: false,
            protected: Protected::new(&[]).with_home(&folder.path().join("home")),
            checkpoints: None,
            own_folders: Vec::new(),
        });
        Self {
            folder,
            stage,
            tools,
            session: SessionId::from_uuid(Uuid::from_u128(1)),
        }
    }

    fn work(&self) -> PathBuf {
        self.folder.path().join("work").canonicalize().unwrap()
    }

    fn judged(&self, tool: &str, arguments: Value) -> JudgedCall {
        let table = self.tools.table().into_iter();
        let mut known = table.filter(|spec| spec.definition.name.as_str() == tool);
        JudgedCall {
            session_id: self.session,
            call_id: CallId::from_uuid(Uuid::now_v7()),
            tool: ToolName::new(tool).unwrap(),
            tool_version: known.next().unwrap().version,
            arguments,
            targets: Default::default(),
            read_roots: vec![self.work()],
            write_roots: vec![self.work()],
            rights: domain::rights::Rights::default(),
            label: Label::trusted("user"),
            is_typed: false,
            policy_revision: Digest::of(b"policy"),
        }
    }

    async fn run(&self, call: JudgedCall) -> Result<ToolOutput, ToolFailure> {
        let permission = Authority::establish().authorise(call, domain::Timestamp::now());
        let (progress, _reader) = mpsc::channel(1);
        self.tools.run(permission, progress).await
    }

    async fn ask(&self, tool: &str, arguments: Value) -> Result<ToolOutput, ToolFailure> {
        self.run(self.judged(tool, arguments)).await
    }

    async fn begin(&self, name: &str, argv: &[&str]) -> Result<ToolOutput, ToolFailure> {
        self.ask("start_job", json!({"name": name, "argv": argv}))
            .await
    }

    /// A job that exits with `code`, until it has.
    async fn begin_and_end(&self, name: &str, code: &str) {
        self.begin(name, &["exits", code]).await.unwrap();
        let until_it_ends = json!({"job": name, "wait_seconds": 60});
        self.ask("job_output", until_it_ends).await.unwrap();
    }

    async fn names(&self) -> Vec<String> {
        let listed = self.ask("list_jobs", json!({})).await.unwrap();
        let jobs = listed.data["jobs"].as_array().unwrap().clone();
        let names = jobs
            .iter()
            .map(|job| job["job"].as_str().unwrap().to_owned());
        names.collect()
    }

    /// The ends that nobody was told of.
    fn untold(&self) -> Vec<(String, bool, String)> {
        let mut ends = self.tools.jobs().signals(self.session);
        std::iter::from_fn(|| ends.next().now_or_never().flatten())
            .map(|signal| match signal.unwrap() {
                Signal::JobFinished {
                    name,
                    succeeded,
                    summary,
                } => (name, succeeded, summary),
                other => panic!("{other:?}"),
            })
            .collect()
    }
}

#[tokio::test(start_paused = true)]
async fn a_job_runs_as_a_command_does_with_limits_of_its_own() {
    let bench = Bench::new();
    let began = bench.begin("build", &["waits"]).await.unwrap();
    assert_eq!(began.data, json!({"job": "build"}));
    let job = bench.stage.jobs.lock().unwrap()[0].clone();
    assert_eq!(job.limits.wall, JOB_TIME);
    assert_eq!(job.limits.cpu, JOB_TIME);
    assert_eq!(job.limits.output_bytes, JOB_OUTPUT_BYTES);
    let shell = bench.judged("run_command", json!({"argv": ["waits"]}));
    let shown = bench.tools.preview(&shell).await.unwrap().unwrap();
    let call = bench.judged("start_job", json!({"name": "x", "argv": ["waits"]}));
    let preview = bench.tools.preview(&call).await.unwrap().unwrap();
    let more = preview.strip_prefix(&shown).unwrap();
    assert!(
        more.contains("in the background as the job `x`, for 60 minutes"),
        "{more}"
    );
    assert_eq!(
        (job.read, job.write),
        (vec![bench.work()], vec![bench.work()])
    );
    assert_eq!(job.network, api::sandbox::Network::None);
}

#[tokio::test(start_paused = true)]
async fn what_it_printed_so_far_and_in_all_can_be_read_and_a_wait_has_an_end() {
    let bench = Bench::new();
    bench.begin("build", &["waits"]).await.unwrap();
    let look = json!({"job": "build", "wait_seconds": 100_000});
    let before = Instant::now();
    let so_far = bench.ask("job_output", look.clone()).await.unwrap();
    assert_eq!(before.elapsed().as_secs(), JOB_WAIT.as_secs());
    assert!(so_far.text.contains("so far"), "{}", so_far.text);
    assert_eq!(so_far.data["state"], "running");
    let (stopped, looked) = tokio::join!(
        bench.ask("stop_job", json!({"job": "build"})),
        bench.ask("job_output", look)
    );
    stopped.unwrap();
    let in_all = looked.unwrap();
    assert!(in_all.text.contains("all of it"), "{}", in_all.text);
    assert_eq!(in_all.data["state"], "ended");
    bench
        .ask("stop_job", json!({"job": "build"}))
        .await
        .unwrap();
    assert_eq!(bench.untold(), [], "the agent itself ended it");
}

#[tokio::test(start_paused = true)]
async fn as_many_run_as_may_and_names_are_their_own() {
    let bench = Bench::new();
    for number in 0..JOBS_AT_WORK {
        bench.begin(&number.to_string(), &["waits"]).await.unwrap();
    }
    let refused = async |name: &str| bench.begin(name, &["waits"]).await.unwrap_err().rule;
    assert_eq!(refused("more").await, "too_many_jobs");
    assert_eq!(refused("0").await, "name_taken");
    for wrong in ["", "two words", "a\nb", "ä", &"x".repeat(41)] {
        assert_eq!(refused(wrong).await, "bad_name");
    }
    bench.ask("stop_job", json!({"job": "0"})).await.unwrap();
    bench.begin("0", &["waits"]).await.unwrap();
    assert_eq!(bench.names().await.len(), JOBS_AT_WORK);
    // Another session has room, and sees none of them.
    let mut other = bench.judged("list_jobs", json!({}));
    other.session_id = SessionId::from_uuid(Uuid::from_u128(2));
    let listed = bench.run(other).await.unwrap();
    assert_eq!(listed.data["jobs"], json!([]));
}

#[tokio::test(start_paused = true)]
async fn the_output_of_the_oldest_that_ended_is_forgotten() {
    let bench = Bench::new();
    bench.begin("runs", &["waits"]).await.unwrap();
    for number in 0..=JOBS_KEPT {
        bench.begin_and_end(&format!("job{number}"), "0").await;
    }
    let names = bench.names().await;
    assert_eq!(names.len(), JOBS_KEPT + 1, "{names:?}");
    assert_eq!(&names[..2], ["runs", "job1"]);
    let gone = bench.ask("job_output", json!({"job": "job0"})).await;
    let gone = gone.unwrap_err();
    assert_eq!(gone.rule, "no_such_job");
    assert!(gone.message.contains("job1"), "{}", gone.message);
    // That it ended is told all the same.
    assert_eq!(bench.untold().len(), JOBS_KEPT + 1);
}

#[tokio::test(start_paused = true)]
async fn each_end_is_told_once_in_our_own_words() {
    let bench = Bench::new();
    bench.begin_and_end("good", "0").await;
    bench.begin_and_end("bad", "3").await;
    let failed = bench.begin("ugly", &["missing"]).await.unwrap_err();
    assert_eq!(failed.rule, "not_started");
    let told = bench.untold();
    let exit = |name: &str, succeeded, code: i32| {
        (
            name.to_owned(),
            succeeded,
            format!("exit code {code} after 3 s"),
        )
    };
    assert_eq!(told, [exit("good", true, 0), exit("bad", false, 3)]);
    assert_eq!(bench.untold(), []);
    assert_eq!(bench.names().await, ["good", "bad"]);
}

#[tokio::test(start_paused = true)]
async fn a_program_that_is_not_there_is_told_however_slow_the_machine_is() {
    let bench = Bench::new();
    let failed = bench.begin("late", &["missed-late"]).await.unwrap_err();
    assert_eq!(failed.rule, "not_started");
    assert_eq!(bench.names().await, Vec::<String>::new());
    assert_eq!(bench.untold(), Vec::new());
    // One that runs is told of without waiting for anything.
    let before = Instant::now();
    bench.begin("runs", &["waits"]).await.unwrap();
    assert_eq!(before.elapsed(), Duration::ZERO);
}

#[tokio::test(start_paused = true)]
async fn one_who_listens_hears_what_comes() {
    let bench = Bench::new();
    let mut ends = bench.tools.jobs().signals(bench.session);
    assert!(ends.next().now_or_never().is_none());
    let (heard, begun) = tokio::join!(ends.next(), bench.begin("x", &["exits", "0"]));
    begun.unwrap();
    assert!(matches!(heard, Some(Ok(Signal::JobFinished { .. }))));
}

#[tokio::test(start_paused = true)]
async fn jobs_end_with_their_session_and_are_told_of() {
    let bench = Bench::new();
    bench.begin("serve", &["waits"]).await.unwrap();
    let other = SessionId::from_uuid(Uuid::from_u128(2));
    bench.tools.session_closed(other).await;
    assert_eq!(bench.names().await, ["serve"]);
    bench.tools.session_closed(bench.session).await;
    assert!(bench.names().await.is_empty());
    let told = bench.untold();
    assert_eq!(told.len(), 1);
    assert!(
        told[0].2.contains("because its session was closed"),
        "{told:?}"
    );
}

/// What a narrower agent of the session may not read, it does not read by way of a job.
#[tokio::test(start_paused = true)]
async fn a_call_that_reaches_less_than_the_job_does_not_see_it() {
    let bench = Bench::new();
    bench.begin("wide", &["waits"]).await.unwrap();
    let narrow = |tool: &str, arguments: Value| {
        let mut call = bench.judged(tool, arguments);
        call.read_roots = vec![bench.work().join("sub")];
        call.write_roots = vec![bench.work().join("sub")];
        call
    };
    for tool in ["job_output", "stop_job"] {
        let refused = bench.run(narrow(tool, json!({"job": "wide"}))).await;
        assert_eq!(refused.unwrap_err().rule, "no_such_job", "{tool}");
    }
    let own = json!({"name": "narrow", "argv": ["waits"]});
    bench.run(narrow("start_job", own)).await.unwrap();
    let listed = bench.run(narrow("list_jobs", json!({}))).await.unwrap();
    assert_eq!(listed.data["jobs"].as_array().unwrap().len(), 1);
    assert_eq!(bench.names().await, ["wide", "narrow"]);
    // One that may read all and write nothing cannot look either: it could not have done this.
    let mut reader = bench.judged("job_output", json!({"job": "wide"}));
    reader.write_roots.clear();
    assert_eq!(bench.run(reader).await.unwrap_err().rule, "no_such_job");
}

/// A call that nobody waits for any more leaves no job behind.
#[tokio::test(start_paused = true)]
async fn a_call_that_is_dropped_while_it_begins_a_job_leaves_none() {
    let bench = Bench::new();
    let begun = bench.begin("x", &["missed-late"]);
    let dropped = tokio::time::timeout(Duration::from_millis(10), begun).await;
    assert!(dropped.is_err());
    assert!(bench.names().await.is_empty());
    assert_eq!(bench.untold(), []);
}

/// The agent is told whose wish it was, and so is who hears of ends.
#[tokio::test(start_paused = true)]
async fn a_job_that_the_user_stopped_says_so() {
    let bench = Bench::new();
    for name in ["one", "two", "three"] {
        bench.begin(name, &["waits"]).await.unwrap();
    }
    bench.begin_and_end("ended", "0").await;
    let _heard = bench.untold();
    let stop = async |name| bench.tools.stop_jobs(bench.session, name).await;
    assert_eq!(stop(Some("two")).await, ["two"]);
    let ended = |name: &str| {
        let how = "stopped by the user after 3 s".to_owned();
        (name.to_owned(), false, how)
    };
    assert_eq!(bench.untold(), [ended("two")]);
    let looked = bench.ask("job_output", json!({"job": "two"})).await;
    let text = looked.unwrap().text;
    assert!(text.starts_with("The user stopped the job.\n"), "{text}");
    let listed = bench.ask("list_jobs", json!({})).await.unwrap().text;
    assert!(
        listed.contains("two: stopped by the user after 3 s"),
        "{listed}"
    );
    // One that has ended is left alone, and so is one of another session or of no such name.
    for name in ["two", "ended", "nobody"] {
        assert!(stop(Some(name)).await.is_empty(), "{name}");
    }
    let other = SessionId::from_uuid(Uuid::from_u128(2));
    assert!(bench.tools.stop_jobs(other, None).await.is_empty());
    assert_eq!(stop(None).await, ["one", "three"]);
    assert_eq!(bench.untold(), [ended("one"), ended("three")]);
    assert!(stop(None).await.is_empty());
}

/// What a program is called, what it has said and how it stands.
fn seen(programs: Vec<SeenProgram>) -> Vec<(ProgramId, String, ProgramState)> {
    let seen = programs.into_iter().map(|program| {
        let said = (program.look)().stdout.head;
        (program.id, String::from_utf8(said).unwrap(), program.state)
    });
    seen.collect()
}

#[tokio::test(start_paused = true)]
async fn the_user_of_a_session_sees_what_its_programs_say() {
    let bench = Bench::new();
    let programs = async |session| seen(bench.tools.programs(session).await);
    assert_eq!(programs(bench.session).await, []);
    bench.begin("watch", &["waits"]).await.unwrap();
    bench.begin_and_end("build", "1").await;
    let of_job = |name: &str, said: &str, state| {
        let id = ProgramId::Job(name.to_owned());
        (id, said.to_owned(), state)
    };
    let jobs = [
        of_job("watch", "so far", ProgramState::Running),
        of_job(
            "build",
            "all of it",
            ProgramState::Ended("exit code 1 after 3 s".to_owned()),
        ),
    ];
    assert_eq!(programs(bench.session).await, jobs);
    // A command that a call waits for, also where that call could reach less than the jobs.
    let mut call = bench.judged("run_command", json!({"argv": ["waits"]}));
    call.read_roots = vec![bench.work().join("sub")];
    let id = ProgramId::Call(call.call_id);
    let mut running = Box::pin(bench.run(call));
    let speaks = async {
        loop {
            let programs = programs(bench.session).await;
            if programs.last().is_some_and(|(_, said, _)| said == "so far") {
                return programs;
            }
            tokio::task::yield_now().await;
        }
    };
    let all = tokio::select! {
        ended = &mut running => panic!("{ended:?}"),
        programs = speaks => programs,
    };
    assert_eq!(all[..2], jobs);
    let command = (id, "so far".to_owned(), ProgramState::Running);
    assert_eq!(all[2], command);
    let other = SessionId::from_uuid(Uuid::from_u128(2));
    assert_eq!(programs(other).await, []);
    // Nobody waits for it any more.
    drop(running);
    assert_eq!(programs(bench.session).await, jobs);
    bench.tools.session_closed(bench.session).await;
    assert_eq!(programs(bench.session).await, []);
}

/// Where nobody reads its reports any more, its caller wants it stopped and still waits for what it did.
#[tokio::test(start_paused = true)]
async fn a_command_that_is_stopped_tells_what_it_said() {
    let bench = Bench::new();
    let call = bench.judged("run_command", json!({"argv": ["waits"]}));
    let permission = Authority::establish().authorise(call, domain::Timestamp::now());
    let (progress, reader) = mpsc::channel(1);
    let running = bench.tools.run(permission, progress);
    let stopping = async {
        while bench.stage.jobs.lock().unwrap().is_empty() {
            tokio::task::yield_now().await;
        }
        drop(reader);
    };
    let (ended, ()) = tokio::join!(running, stopping);
    let text = ended.unwrap().text;
    assert!(text.starts_with("stopped by the user"), "{text}");
    assert!(text.contains("all of it"), "{text}");
}
