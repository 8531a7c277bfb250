//! The jobs of every session: what runs in the background, what came of it, and who has to be told.
//!
//! A job belongs to the session in which it began and ends with it. Its output is seen by calls that
//! may reach all that the job could reach, and by no others.

use crate::notes::{Note, Untold};
use crate::shown::Shown;
use crate::sight::{Sight, look_when_it_can};
use crate::turns::Turns;
use api::executor::ToolFailure;
use api::failure::mendable;
use api::sandbox::{Ended, Finished, Glance, Said};
use api::signals::{Error, Source};
use domain::drive::Signal;
use domain::fault::Fault;
use domain::id::SessionId;
use domain::limits::{DRIVE_SIGNALS, JOBS_AT_WORK, JOBS_KEPT, LIVE_SESSIONS};
use futures::stream::{self, BoxStream, StreamExt};
use std::collections::{BTreeMap, VecDeque};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::{Notify, oneshot, watch};
use tokio::task::JoinHandle;
use tokio_util::task::TaskTracker;

/// Longest the end of a session waits for its jobs to be gone, and the end of the process for what is
/// left to do after programs that calls waited for.
const END_WAIT: Duration = Duration::from_secs(15);
/// Sessions whose unheard endings are kept after they closed.
const CLOSED_SESSIONS: usize = LIVE_SESSIONS;

/// What came of a job, with what was done about protected places; or why it did not run.
pub(crate) type Outcome = Result<(Finished, Vec<Note>), ToolFailure>;

/// Why a job is stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Why {
    /// An agent asked for it.
    Asked,
    /// The user of the session did.
    User,
    /// The session is closed, or Housecarl ends.
    Closed,
}

/// What a call may reach; and what a job could.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Reach {
    pub(crate) read: Vec<PathBuf>,
    pub(crate) write: Vec<PathBuf>,
}

impl Reach {
    /// The same, where only what is read matters.
    pub(crate) fn for_reading(self) -> Self {
        Self {
            read: self.read.into_iter().chain(self.write).collect(),
            write: Vec::new(),
        }
    }

    /// Whether all of `other` lies within.
    fn covers(&self, other: &Self) -> bool {
        let within = |inner: &[PathBuf], outer: &[&PathBuf]| {
            let is_in = |path: &PathBuf| outer.iter().any(|root| path.starts_with(root));
            inner.iter().all(is_in)
        };
        let write: Vec<&PathBuf> = self.write.iter().collect();
        let read: Vec<&PathBuf> = self.read.iter().chain(&self.write).collect();
        within(&other.write, &write) && within(&other.read, &read)
    }
}

/// One job, as a call sees it.
#[derive(Clone)]
pub(crate) struct View {
    pub(crate) name: String,
    /// Program and arguments as a person reads them.
    pub(crate) command: String,
    pub(crate) began: Instant,
    pub(crate) outcome: watch::Receiver<Option<Arc<Outcome>>>,
    glance: Arc<Mutex<Option<Glance>>>,
    /// Whether its program was started.
    has_begun: watch::Receiver<bool>,
    /// Why it was told to stop, the first time.
    why: Arc<OnceLock<Why>>,
}

impl View {
    /// Why it was told to stop, if it was.
    pub(crate) fn why(&self) -> Option<Why> {
        self.why.get().copied()
    }

    /// What it has said so far.
    pub(crate) fn said(&self) -> Said {
        let glance = lock(&self.glance).clone();
        glance.map_or_else(Said::default, |look| look())
    }

    /// What came of it, as soon as that is known; `None` when it is not known in time.
    pub(crate) async fn outcome_within(&self, wait: Duration) -> Option<Arc<Outcome>> {
        let mut outcome = self.outcome.clone();
        let known = tokio::time::timeout(wait, outcome.wait_for(Option::is_some)).await;
        match known {
            Ok(Ok(outcome)) => outcome.clone(),
            // Whoever ran it is gone without a word: what is known is what stands here.
            Ok(Err(_)) | Err(_) => self.outcome.borrow().clone(),
        }
    }

    /// What came of it, where its program has not begun before that; `None` as soon as it has, or
    /// when neither is known in time.
    pub(crate) async fn failure_to_begin(&self, wait: Duration) -> Option<ToolFailure> {
        let mut has_begun = self.has_begun.clone();
        let outcome = tokio::select! {
            biased;
            outcome = self.outcome_within(wait) => outcome?,
            Ok(_) = has_begun.wait_for(|begun| *begun) => return None,
        };
        outcome.as_ref().as_ref().err().cloned()
    }
}

/// A job's place at work, for the one who runs it.
pub(crate) struct Post {
    jobs: Jobs,
    session_id: SessionId,
    name: String,
    outcome: watch::Sender<Option<Arc<Outcome>>>,
    /// Resolves when the job is to stop.
    pub(crate) unwanted: Option<oneshot::Receiver<()>>,
    /// Where a way to look at the program goes.
    pub(crate) seen: Option<oneshot::Sender<Sight>>,
}

struct Entry {
    view: View,
    reach: Reach,
    stop: Option<oneshot::Sender<()>>,
    /// The call that began it still waits and tells itself what comes of it.
    is_starting: bool,
    /// It is the output of a command that its call waited for.
    is_output: bool,
}

impl Entry {
    fn is_at_work(&self) -> bool {
        self.view.outcome.borrow().is_none()
    }

    fn stop(&mut self, why: Why) {
        if self.is_at_work() {
            self.view.why.get_or_init(|| why);
        }
        // Gone, or told before: it ends already.
        let _told = self.stop.take().map(|stop| stop.send(()));
    }
}

#[derive(Default)]
struct Held {
    /// In the order in which they began.
    jobs: Vec<Entry>,
    /// Endings that nobody has heard of.
    untold: VecDeque<Signal>,
    /// Outputs that were kept so far.
    kept: usize,
}

impl Held {
    fn find(&mut self, name: &str) -> Option<&mut Entry> {
        self.jobs.iter_mut().find(|job| job.view.name == name)
    }

    /// Makes the ending of a job known, once, unless somebody knows it already.
    fn tell(&mut self, name: &str) {
        let entry = self.find(name);
        let signal = entry.and_then(|entry| ending(entry));
        self.untold.extend(signal);
        if self.untold.len() > DRIVE_SIGNALS {
            self.untold.pop_front();
        }
        self.forget_oldest();
    }

    /// Forgets the oldest of more ended jobs than are kept.
    fn forget_oldest(&mut self) {
        // Outputs take no place from jobs that nobody has looked at yet.
        for is_output in [false, true] {
            let is_ended = |job: &Entry| !job.is_at_work() && job.is_output == is_output;
            let ended = self.jobs.iter().filter(|job| is_ended(job)).count();
            let mut over = ended.saturating_sub(JOBS_KEPT);
            self.jobs.retain(|job| {
                let is_over = over > 0 && is_ended(job);
                over -= usize::from(is_over);
                !is_over
            });
        }
    }
}

/// The signal that a job has ended; `None` while it runs or starts, and when an agent ended it. In
/// our own words: who hears it may be shown nothing that a program says.
fn ending(entry: &Entry) -> Option<Signal> {
    let why = entry.view.why();
    if entry.is_starting || why == Some(Why::Asked) {
        return None;
    }
    let outcome = entry.view.outcome.borrow().clone()?;
    let (succeeded, mut summary) = match &*outcome {
        Ok((finished, _)) => (finished.ended == Ended::Exited(0), how(finished, why)),
        Err(failure) => (false, format!("it did not run ({})", failure.rule)),
    };
    let notes = outcome
        .as_ref()
        .as_ref()
        .map_or(&[][..], |(_, notes)| notes);
    let aside = notes
        .iter()
        .filter(|note| matches!(note, Note::SetAside { .. }));
    let aside = aside.count();
    if aside > 0 {
        summary.push_str(&format!(
            "; {aside} protected place(s) it made were set aside"
        ));
    }
    Some(Signal::JobFinished {
        name: entry.view.name.clone(),
        succeeded,
        summary,
    })
}

/// How a job ended, in our own words.
pub(crate) fn how(finished: &Finished, why: Option<Why>) -> String {
    let seconds = finished.took.as_secs();
    match (finished.ended, why) {
        (Ended::Exited(code), _) => format!("exit code {code} after {seconds} s"),
        (Ended::Killed(signal), _) => format!("killed by signal {signal} after {seconds} s"),
        (Ended::TimedOut, _) => format!("stopped: its {seconds} s were up"),
        (Ended::Stopped, Some(Why::Closed)) => {
            format!("stopped after {seconds} s, because its session was closed")
        }
        (Ended::Stopped, Some(Why::User)) => format!("stopped by the user after {seconds} s"),
        (Ended::Stopped, _) => format!("stopped after {seconds} s"),
    }
}

/// The jobs of every session. Cheap to clone.
#[derive(Clone, Default)]
pub struct Jobs(Arc<Shared>);

#[derive(Default)]
struct Shared {
    sessions: Mutex<BTreeMap<SessionId, Held>>,
    news: Notify,
    /// Programs that calls wait for.
    awaited: TaskTracker,
    untold: Untold,
    turns: Turns,
    shown: Shown,
}

impl std::fmt::Debug for Jobs {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Jobs").finish_non_exhaustive()
    }
}

impl Jobs {
    /// Ends every job of every session. When this answers, none is left running, and what programs
    /// left in protected places is looked through, also where nobody waits for the program any more.
    pub async fn end_all(&self) {
        let sessions: Vec<SessionId> = lock(&self.0.sessions).keys().copied().collect();
        for session_id in sessions {
            self.end(session_id).await;
        }
        self.0.awaited.close();
        // One that takes longer is cut off with this process.
        let _in_time = tokio::time::timeout(END_WAIT, self.0.awaited.wait()).await;
        self.0.untold.log_all();
    }

    /// Starts the run of a program that a call waits for. It goes on to its end where the call is
    /// given up.
    pub(crate) fn spawn_awaited<T: Send + 'static>(
        &self,
        run: impl Future<Output = T> + Send + 'static,
    ) -> JoinHandle<T> {
        self.0.awaited.spawn(run)
    }

    /// Whose turn it is to look through folders.
    pub(crate) fn turns(&self) -> &Turns {
        &self.0.turns
    }

    /// The programs that calls wait for, as the user sees them.
    pub(crate) fn shown(&self) -> &Shown {
        &self.0.shown
    }

    /// What programs left that the user was not told of.
    pub(crate) fn untold(&self) -> &Untold {
        &self.0.untold
    }

    /// Ends every job of a session. That they ended can still be heard.
    pub(crate) async fn end(&self, session_id: SessionId) {
        let at_work: Vec<View> = {
            let mut sessions = lock(&self.0.sessions);
            let Some(held) = sessions.get_mut(&session_id) else {
                return;
            };
            held.jobs.iter_mut().for_each(|job| job.stop(Why::Closed));
            held.jobs.iter().map(|job| job.view.clone()).collect()
        };
        // One that is not gone by then dies with this process: the sandbox sees to that.
        let gone = at_work.iter().map(|job| job.outcome_within(END_WAIT));
        let _ended = futures::future::join_all(gone).await;
        self.0.untold.log(session_id);
        let mut sessions = lock(&self.0.sessions);
        if let Some(held) = sessions.get_mut(&session_id) {
            held.jobs.clear();
        }
        sessions.retain(|_, held| !(held.jobs.is_empty() && held.untold.is_empty()));
        // Where nobody listens, the endings of long closed sessions go; ids grow with time.
        let closed = |held: &Held| held.jobs.is_empty();
        while sessions.values().filter(|held| closed(held)).count() > CLOSED_SESSIONS {
            let oldest = sessions.iter().find(|(_, held)| closed(held));
            let Some(oldest) = oldest.map(|(id, _)| *id) else {
                break;
            };
            sessions.remove(&oldest);
        }
    }

    /// A place for one more job.
    ///
    /// # Errors
    /// When a job of this name runs, or as many as may.
    pub(crate) fn begin(
        &self,
        session_id: SessionId,
        (name, command): (&str, String),
        reach: Reach,
    ) -> Result<(Post, View), ToolFailure> {
        let mut sessions = lock(&self.0.sessions);
        let held = sessions.entry(session_id).or_default();
        let at_work = held.jobs.iter().filter(|job| job.is_at_work()).count();
        if held.find(name).is_some_and(|job| job.is_at_work()) {
            // Not in our own words: that it has not ended may tell what the program met.
            return Err(mendable(
                "name_taken",
                format!("A job `{name}` runs already. Give this one another name, or stop_job it."),
            ));
        }
        if at_work >= JOBS_AT_WORK {
            return Err(mendable(
                "too_many_jobs",
                format!(
                    "{JOBS_AT_WORK} jobs run already. Wait for one (job_output with wait_seconds) \
                     or stop one (stop_job)."
                ),
            ));
        }
        held.jobs.retain(|job| job.view.name != name);
        let (outcome, known) = watch::channel(None);
        let (stop, unwanted) = oneshot::channel();
        let (seen, looking) = oneshot::channel();
        let (begun, has_begun) = watch::channel(false);
        let view = View {
            name: name.to_owned(),
            command,
            began: Instant::now(),
            outcome: known,
            glance: Arc::default(),
            has_begun,
            why: Arc::default(),
        };
        look_when_it_can(looking, Arc::clone(&view.glance), begun);
        held.jobs.push(Entry {
            view: view.clone(),
            reach,
            stop: Some(stop),
            is_starting: true,
            is_output: false,
        });
        let post = Post {
            jobs: self.clone(),
            session_id,
            name: name.to_owned(),
            outcome,
            unwanted: Some(unwanted),
            seen: Some(seen),
        };
        Ok((post, view))
    }

    /// Keeps what came of a command that its call waited for, to be looked at as a job's is, and says
    /// under which name.
    pub(crate) fn keep(
        &self,
        session_id: SessionId,
        command: String,
        reach: Reach,
        outcome: Outcome,
    ) -> String {
        let mut sessions = lock(&self.0.sessions);
        let held = sessions.entry(session_id).or_default();
        // A job may have been given such a name.
        let name = loop {
            held.kept += 1;
            let name = format!("output-{}", held.kept);
            if held.find(&name).is_none() {
                break name;
            }
        };
        let (_, outcome) = watch::channel(Some(Arc::new(outcome)));
        let view = View {
            name: name.clone(),
            command,
            began: Instant::now(),
            outcome,
            glance: Arc::default(),
            has_begun: watch::channel(true).1,
            why: Arc::default(),
        };
        held.jobs.push(Entry {
            view,
            reach,
            stop: None,
            // Its end is known to the agent: it was told as the call's result.
            is_starting: true,
            is_output: true,
        });
        held.forget_oldest();
        name
    }

    /// The call that began a job has told that it runs: from now on its end is told as a signal.
    pub(crate) fn started(&self, session_id: SessionId, name: &str) {
        self.change(session_id, |held| {
            if let Some(entry) = held.find(name) {
                entry.is_starting = false;
            }
            held.tell(name);
        });
    }

    /// Takes back a job that did not start.
    pub(crate) fn forget(&self, session_id: SessionId, name: &str) {
        self.change(session_id, |held| {
            held.find(name)
                .into_iter()
                .for_each(|job| job.stop(Why::Asked));
            held.jobs.retain(|job| job.view.name != name);
        });
    }

    /// The jobs that a call may see, in the order in which they began.
    pub(crate) fn all(&self, session_id: SessionId, reach: &Reach) -> Vec<View> {
        let sessions = lock(&self.0.sessions);
        let held = sessions.get(&session_id);
        let jobs = held.into_iter().flat_map(|held| &held.jobs);
        let seen = jobs.filter(|job| reach.covers(&job.reach));
        seen.map(|job| job.view.clone()).collect()
    }

    /// Every job of a session, for its user, in the order in which they began.
    pub(crate) fn every(&self, session_id: SessionId) -> Vec<View> {
        let sessions = lock(&self.0.sessions);
        let held = sessions.get(&session_id);
        let jobs = held.into_iter().flat_map(|held| &held.jobs);
        jobs.map(|job| job.view.clone()).collect()
    }

    /// The job that a call names.
    ///
    /// # Errors
    /// When there is none that it may see.
    pub(crate) fn find(
        &self,
        session_id: SessionId,
        reach: &Reach,
        name: &str,
    ) -> Result<View, ToolFailure> {
        let mut seen = self.all(session_id, reach);
        let names: Vec<&str> = seen.iter().map(|job| job.name.as_str()).collect();
        let known = match names.is_empty() {
            true => "There are none".to_owned(),
            false => format!("There are: {}", names.join(", ")),
        };
        let index = seen.iter().position(|job| job.name == name);
        let index = index.ok_or_else(|| {
            let name = text::escape::visible_line(name);
            mendable(
                "no_such_job",
                format!("There is no job `{name}` here. {known}."),
            )
        })?;
        Ok(seen.swap_remove(index))
    }

    /// Has a job stopped.
    pub(crate) fn stop(&self, session_id: SessionId, name: &str) {
        self.change(session_id, |held| {
            held.find(name)
                .into_iter()
                .for_each(|job| job.stop(Why::Asked));
        });
    }

    /// Has the job of this name stopped, or all that run, for the user of their session; those that are.
    pub(crate) fn stop_for_user(&self, session_id: SessionId, name: Option<&str>) -> Vec<View> {
        let mut stopped = Vec::new();
        self.change(session_id, |held| {
            let meant = held
                .jobs
                .iter_mut()
                .filter(|job| job.is_at_work() && name.is_none_or(|name| name == job.view.name));
            for job in meant {
                job.stop(Why::User);
                stopped.push(job.view.clone());
            }
        });
        stopped
    }

    fn change(&self, session_id: SessionId, change: impl FnOnce(&mut Held)) {
        if let Some(held) = lock(&self.0.sessions).get_mut(&session_id) {
            change(held);
        }
        self.0.news.notify_waiters();
    }

    fn next_untold(&self, session_id: SessionId) -> Option<Signal> {
        let mut sessions = lock(&self.0.sessions);
        sessions.get_mut(&session_id)?.untold.pop_front()
    }
}

impl Post {
    /// Makes known what came of the job.
    pub(crate) fn ended(self, outcome: Outcome) {
        let Self {
            jobs,
            session_id,
            name,
            outcome: known,
            ..
        } = self;
        jobs.change(session_id, |held| {
            // Under the lock, so that a job that has ended has been told of.
            known.send_replace(Some(Arc::new(outcome)));
            held.tell(&name);
        });
    }
}

/// The ends of jobs that nobody was told of. One that ended while nobody listened is told to whoever
/// listens next.
impl Source for Jobs {
    fn signals(&self, session_id: SessionId) -> BoxStream<'static, Result<Signal, Error>> {
        let next = move |jobs: Self| async move {
            loop {
                let news = jobs.0.news.notified();
                tokio::pin!(news);
                // Before looking, so that nothing comes in between unnoticed.
                news.as_mut().enable();
                if let Some(signal) = jobs.next_untold(session_id) {
                    return Some((Ok(signal), jobs.clone()));
                }
                news.await;
            }
        };
        stream::unfold(self.clone(), next).boxed()
    }

    fn notices(&self, session_id: SessionId) -> BoxStream<'static, Fault> {
        let next = move |jobs: Self| async move {
            let notices = jobs.untold().next(session_id).await;
            Some((stream::iter(notices), jobs))
        };
        stream::unfold(self.clone(), next).flatten().boxed()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
