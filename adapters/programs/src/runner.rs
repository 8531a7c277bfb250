//! Running one program in the sandbox, with the folders that are guarded meanwhile.

use crate::conceal::conceal;
use crate::config::Config;
use crate::guard::{Watch, is_doubtful, real_places};
use crate::jobs::Jobs;
use crate::notes::{Note, notices};
use crate::output;
use crate::scratch::ScratchFolder;
use crate::sight::Sight;
use crate::turns::{Turns, enter};
use api::authority::JudgedCall;
use api::checkpoints::{Checkpoint, Checkpoints, ProgramChanges};
use api::executor::{Progress, Report, ReportSink, ToolFailure};
use api::failure::{broken, mendable, of_call};
use api::programs::still_runs;
use api::sandbox::{Finished, Job, JobLimits, Refusal, Sandbox, Started};
use domain::id::SessionId;
use domain::limits::{
    EXEC_CPU, EXEC_FILE_BYTES, EXEC_MEMORY_BYTES, EXEC_OPEN_FILES, EXEC_OUTPUT_BYTES,
    EXEC_PROCESSES, EXEC_TIME, EXEC_TIME_MOST,
};
use paths::real_path;
use protected::Protected;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::oneshot;

/// How often it is looked at what a program left, where another one does not stand still meanwhile.
const LOOKS: u32 = 4;
/// How often a running program is reported.
const TICK: Duration = Duration::from_secs(1);

/// Runs programs in the sandbox.
#[derive(Debug, Clone)]
pub(crate) struct Runner {
    pub(crate) config: Config,
    /// What runs in the background.
    pub(crate) jobs: Jobs,
}

/// What becomes of a program whose reports nobody reads any more.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Unheard {
    /// It is stopped, and what it did by then is still told.
    Stops,
    GoesOn,
}

/// Whether it is said that a program still runs: after 1, 2, 4 seconds and so on, and every minute.
const fn is_told(seconds: u64) -> bool {
    seconds.is_power_of_two() || seconds.is_multiple_of(60)
}

impl Runner {
    /// Runs a job that a call waits for to its end, where its user can look at it meanwhile; `command`:
    /// what it runs, in one line.
    pub(crate) async fn finish_shown(
        &self,
        (call, command): (&JudgedCall, String),
        launch: Launch,
        progress: &ReportSink,
    ) -> Result<(Finished, Vec<Note>), ToolFailure> {
        let mut place = self.jobs.shown().enter(call, command);
        let seen = place.seen.take();
        self.finish_seen(launch, (progress, Unheard::Stops), seen)
            .await
    }

    /// Runs a job to its end and says now and then that it still does. When nobody waits any more,
    /// the program is killed, and what is left to do after it is still done.
    pub(crate) async fn finish(
        &self,
        launch: Launch,
        progress: &ReportSink,
    ) -> Result<(Finished, Vec<Note>), ToolFailure> {
        let progress = (progress, Unheard::GoesOn);
        self.finish_seen(launch, progress, None).await
    }

    async fn finish_seen(
        &self,
        launch: Launch,
        (progress, unheard): (&ReportSink, Unheard),
        seen: Option<oneshot::Sender<Sight>>,
    ) -> Result<(Finished, Vec<Note>), ToolFailure> {
        let program = launch.job.argv.first().cloned().unwrap_or_default();
        let (wanted, unwanted) = oneshot::channel::<()>();
        let mut wanted = Some(wanted);
        let seen = seen.unwrap_or_else(|| oneshot::channel().0);
        let sandbox = self.config.sandbox.clone();
        let guard = Guarding::of(self);
        let run = launch.run(sandbox, guard, unwanted, seen);
        let mut task = self.jobs.spawn_awaited(run);
        let mut tick = tokio::time::interval(TICK);
        let mut seconds: u64 = 0;
        // The first tick comes at once.
        tick.tick().await;
        loop {
            tokio::select! {
                finished = &mut task => {
                    let crashed = |e| broken("tool_crashed", format!("The tool failed: {e}."));
                    return finished.map_err(crashed)?;
                }
                () = progress.closed(), if wanted.is_some() && unheard == Unheard::Stops => {
                    drop(wanted.take());
                }
                _ = tick.tick() => {
                    seconds += 1;
                    if !is_told(seconds) {
                        continue;
                    }
                    let report = Progress {
                        message: still_runs(&program, seconds),
                        percent: None,
                    };
                    // A full channel is no reason to stop.
                    let _told = progress.try_send(Report::Progress(report));
                }
            }
        }
    }

    /// The limits of a program that may run `asked` seconds, or as long as is usual.
    pub(crate) fn limits(&self, asked: Option<u64>) -> JobLimits {
        let wall = asked.map_or(self.config.program_time, Duration::from_secs);
        let wall = wall.min(EXEC_TIME_MOST);
        JobLimits {
            wall,
            cpu: wall,
            ..limits()
        }
    }
}

/// What is kept from a program, and what becomes of what it should not have made.
#[derive(Debug)]
pub(crate) struct Guarding {
    protected: Protected,
    own_folders: Vec<PathBuf>,
    jobs: Jobs,
}

impl Guarding {
    pub(crate) fn of(runner: &Runner) -> Self {
        Self {
            protected: runner.config.protected.clone(),
            own_folders: runner.config.own_folders.clone(),
            jobs: runner.jobs.clone(),
        }
    }

    /// Looks for what is kept from a job, and has it kept. Says what is left to know of it.
    async fn cover(
        &self,
        job: &mut Job,
        searched: Vec<PathBuf>,
        guarded: Vec<PathBuf>,
    ) -> Result<(Watch, Vec<Note>), ToolFailure> {
        let protected = self.protected.clone();
        let listed = [job.read.clone(), job.write.clone()];
        let (places, watch, concealed, new) = blocking(move || {
            let [read, write] = listed;
            let places = [real_places(read, &guarded), real_places(write, &guarded)];
            let searched = real_places(searched, &guarded).real;
            let guarded = real_places(guarded.clone(), &guarded).real;
            let watch = Watch::begin(&protected, &guarded)?;
            let concealed = conceal(&protected, &searched, &guarded)?;
            let hidden = concealed.hidden.iter();
            let new: Vec<PathBuf> = hidden.filter(|place| is_doubtful(place)).cloned().collect();
            Ok((places, watch, concealed, new))
        })
        .await?;
        let [read, write] = places;
        (job.read, job.write) = (read.real, write.real);
        job.links.extend(read.links.into_iter().chain(write.links));
        // What may be changed may be read, so the one list names all.
        let mut first = read.left_out;
        first.extend(concealed.note.map(Note::Hint));
        first.extend(watch.unread());
        job.held.extend_from_slice(&watch.held);
        job.frozen.extend_from_slice(&watch.frozen);
        job.hidden.extend_from_slice(&watch.hidden);
        job.hidden.extend(concealed.hidden);
        job.expendable.extend_from_slice(&watch.expendable);
        job.expendable.extend(new);
        job.hidden.extend_from_slice(&self.own_folders);
        Ok((watch, first))
    }
}

/// The folders by where they lie.
fn real(folders: &[PathBuf]) -> Vec<PathBuf> {
    let real = |folder: &PathBuf| real_path(folder).unwrap_or_else(|| folder.clone());
    folders.iter().map(real).collect()
}

/// A job with what belongs to it.
pub(crate) struct Launch {
    pub(crate) job: Job,
    /// Its scratch folder, which is removed when the program has ended.
    pub(crate) scratch: ScratchFolder,
    /// Folders it may read, which are looked through for keys and passwords before.
    pub(crate) searched: Vec<PathBuf>,
    /// Folders whose protected places are frozen while it runs, and looked through afterwards.
    pub(crate) guarded: Vec<PathBuf>,
    /// Whose user is told what it left in them.
    pub(crate) session_id: Option<SessionId>,
    /// Notes what it changes, for undo, with the call that it runs for.
    pub(crate) checkpoints: Option<(Arc<dyn Checkpoints>, JudgedCall)>,
}

impl Launch {
    /// Runs it; `unwanted` resolves when nobody waits any more, and `seen` gets a way to look at
    /// the program meanwhile.
    pub(crate) async fn run(
        self,
        sandbox: Arc<dyn Sandbox>,
        guarding: Guarding,
        unwanted: oneshot::Receiver<()>,
        seen: oneshot::Sender<Sight>,
    ) -> Result<(Finished, Vec<Note>), ToolFailure> {
        let Self {
            mut job,
            scratch,
            searched,
            guarded,
            session_id,
            checkpoints,
        } = self;
        let turns = guarding.jobs.turns();
        let quiet = turns.quiet(&[&searched[..], &guarded].concat()).await?;
        // Until what it left is looked through.
        let at_work = guarding.protected.at_work();
        let _at_work = enter(at_work, &real(&guarded)).await?;
        let (watch, first) = guarding.cover(&mut job, searched, guarded.clone()).await?;
        let checkpoint = begin(checkpoints.as_ref()).await;
        let (frozen, folder) = (watch.frozen.clone(), job.folder.clone());
        let (refuse, refused) = oneshot::channel::<()>();
        let stop = Box::pin(until(unwanted, refused));
        let (started, begun) = oneshot::channel();
        let run = sandbox.run_seen(job, stop, started);
        let entering = async {
            let now: Started = begun.await.ok()?;
            let hold = now.hold;
            // Nobody looks when nobody waits for this.
            let _unseen = seen.send(Sight::new(now.look, now.began));
            let place = turns.enter(!guarded.is_empty(), Arc::clone(&hold));
            // Until everything is covered, nobody else acts there.
            let checked = match now.ready.await {
                Ok(()) => quiet.check().await,
                // What it is not ready for, the run tells.
                Err(_) => Ok(()),
            };
            // It is told before anybody else may have it stand still. One that is gone by now says so.
            match &checked {
                Ok(()) => drop(hold.start()),
                Err(_) => drop(refuse.send(())),
            }
            drop(quiet);
            Some((place, checked))
        };
        let (finished, entered) = tokio::join!(run, entering);
        // Its place is free as soon as it has ended.
        let checked = entered.map_or(Ok(()), |(_place, checked)| checked);
        let protected = guarding.protected.clone();
        let mut found = look_after(turns, &guarded, watch, guarding.protected).await;
        found.extend(changed(checkpoint).await);
        if let Some(session_id) = session_id {
            guarding.jobs.untold().leave(session_id, notices(&found));
        }
        drop(scratch);
        checked.map_err(|failure| with_notes(failure, &found))?;
        match finished {
            Ok(finished) => {
                let refused = output::read_only(&finished, (&frozen, &protected), &folder);
                let last = refused.map(Note::Hint);
                let notes = first.into_iter().chain(found).chain(last);
                Ok((finished, notes.collect()))
            }
            Err(refusal) => Err(with_notes(failure(refusal), &found)),
        }
    }
}

/// Notes what is there before a program changes it.
async fn begin(
    checkpoints: Option<&(Arc<dyn Checkpoints>, JudgedCall)>,
) -> Option<Box<dyn Checkpoint>> {
    let (checkpoints, call) = checkpoints?;
    Some(checkpoints.begin(call).await)
}

/// What a program changed, and why undo does not take back all of it.
async fn changed(checkpoint: Option<Box<dyn Checkpoint>>) -> Vec<Note> {
    let Some(checkpoint) = checkpoint else {
        return Vec::new();
    };
    let ProgramChanges { files, left_out } = checkpoint.end().await;
    let files = (!files.is_empty()).then_some(Note::Changed(files));
    let why = left_out
        .map(|why| Note::Hint(format!("undo does not take back all of what it did: {why}")));
    files.into_iter().chain(why).collect()
}

/// Resolves when nobody waits for a program any more, or it is refused. Whether the one who waits
/// speaks or goes away is the same; of a refusal only the word counts.
async fn until(unwanted: oneshot::Receiver<()>, refused: oneshot::Receiver<()>) {
    let refused = async {
        if refused.await.is_err() {
            std::future::pending::<()>().await;
        }
    };
    tokio::select! {
        _gone = unwanted => {}
        () = refused => {}
    }
}

/// Sets aside what a program left, and says so. What it did is told also when nobody could look.
async fn look_after(
    turns: &Turns,
    guarded: &[PathBuf],
    watch: Watch,
    protected: Protected,
) -> Vec<Note> {
    let incomplete = |why: String| Note::Incomplete { why };
    let (watch, mut notes) = (Arc::new(watch), Vec::new());
    for round in 1..=LOOKS {
        let quiet = turns.quiet(guarded).await;
        let (watch, protected) = (Arc::clone(&watch), protected.clone());
        let found = blocking(move || Ok(watch.end(&protected))).await;
        notes.extend(found.unwrap_or_else(|_| vec![incomplete("it broke off".to_owned())]));
        let checked = match quiet {
            Ok(quiet) => quiet.check().await,
            Err(failure) => Err(failure),
        };
        match checked {
            Ok(()) => break,
            // Whoever did not stand still is ended, so the next look finds it gone.
            Err(failure) if round == LOOKS => notes.push(incomplete(failure.message)),
            Err(_) => {}
        }
    }
    notes
}

/// A failure that also says what was set aside.
fn with_notes(mut failure: ToolFailure, notes: &[Note]) -> ToolFailure {
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

/// What the system says of a program that is not there.
const MISSING: &str = "No such file";

/// The usual limits.
pub(crate) fn limits() -> JobLimits {
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
        Refusal::NotStarted { ref why, .. } if why.contains(MISSING) => mendable(
            "not_started",
            format!(
                "Nothing was run: {refusal}. In the sandbox there are the programs of the system and \
                 none of the home (rustup, nvm, pyenv, ~/.local/bin); run_code finds those of Python, \
                 Node and Rust. The user can install it for the whole system."
            ),
        ),
        Refusal::NotStarted { .. } => {
            mendable("not_started", format!("Nothing was run: {refusal}."))
        }
        Refusal::Uncovered => broken(
            "uncovered",
            "The command was stopped, and its output is not shown: while it ran, another program, \
             most likely one of the user's (an editor, git), replaced a protected file in a folder \
             that it may reach, or removed it, and such a file cannot be kept from it any more. Run \
             it again.",
        ),
        Refusal::Broken(_) => broken("sandbox_failed", format!("{refusal}.")),
    }
}
