//! Taking turns: while the folders of one program are looked through, and until what was found is
//! covered, no other program that may change something there acts.

use api::executor::ToolFailure;
use api::failure::{broken, of_call};
use api::sandbox::{Hold, Pause};
use protected::{AtWork, Entry};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::{Mutex as Turn, MutexGuard};
use tokio_util::sync::CancellationToken;

/// Longest that the end of a program which ends already is waited for.
const ENDING: Duration = Duration::from_secs(15);

/// How often is looked whether a folder is moved no more.
const MOVING: Duration = Duration::from_millis(5);

/// A program that runs.
struct Running {
    /// Whether it may change anything but its own scratch folder.
    may_change: bool,
    hold: Arc<dyn Hold>,
    gone: CancellationToken,
}

#[derive(Default)]
struct All {
    by_number: BTreeMap<u64, Arc<Running>>,
    next: u64,
}

/// The programs of this process that may change something.
#[derive(Default)]
pub(crate) struct Turns {
    turn: Turn<()>,
    all: Mutex<All>,
}

/// A time in which the programs that may change some folders stand still.
pub(crate) struct Quiet<'t> {
    still: Vec<Arc<Running>>,
    turn: Option<MutexGuard<'t, ()>>,
}

impl Quiet<'_> {
    /// Makes sure that everything has stood still until now.
    ///
    /// # Errors
    /// When a program had itself woken. It is ended.
    pub(crate) async fn check(&self) -> Result<(), ToolFailure> {
        for running in &self.still {
            let checked = running.hold.check().await;
            checked.map_err(|refusal| moving(&refusal.to_string()))?;
        }
        Ok(())
    }
}

impl Drop for Quiet<'_> {
    fn drop(&mut self) {
        self.still.iter().for_each(|running| running.hold.go_on());
    }
}

/// A program's place among those that run, until this is dropped.
pub(crate) struct Place<'t> {
    turns: &'t Turns,
    number: u64,
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        let ended = self.turns.change(|all| all.by_number.remove(&self.number));
        if let Some(ended) = ended {
            ended.gone.cancel();
        }
    }
}

impl Turns {
    /// Has every other program stand still that may change anything: by links and mounts a folder has
    /// more names than can be compared. `folders`: what is looked through; nothing is waited for where
    /// that is nothing.
    ///
    /// # Errors
    /// When one cannot be made to. Then all go on.
    pub(crate) async fn quiet(&self, folders: &[PathBuf]) -> Result<Quiet<'_>, ToolFailure> {
        let mut quiet = Quiet {
            still: Vec::new(),
            turn: None,
        };
        if folders.is_empty() {
            // Nothing that another program could change.
            return Ok(quiet);
        }
        quiet.turn = Some(self.turn.lock().await);
        for running in self.running() {
            // Also one of which it is not known that it stands still is let go on.
            quiet.still.push(Arc::clone(&running));
            let paused = running.hold.pause().await;
            if paused.map_err(|refusal| moving(&refusal.to_string()))? == Pause::Ending {
                quiet.still.pop();
                let gone = tokio::time::timeout(ENDING, running.gone.cancelled()).await;
                gone.map_err(|_late| moving("it has ended and is not gone"))?;
            }
        }
        Ok(quiet)
    }

    /// Counts a program among those that run. To be called while it is quiet.
    pub(crate) fn enter(&self, may_change: bool, hold: Arc<dyn Hold>) -> Place<'_> {
        let running = Arc::new(Running {
            may_change,
            hold,
            gone: CancellationToken::new(),
        });
        let number = self.change(|all| {
            all.next += 1;
            all.by_number.insert(all.next, running);
            all.next
        });
        Place {
            turns: self,
            number,
        }
    }

    fn running(&self) -> Vec<Arc<Running>> {
        let changes = |running: &&Arc<Running>| running.may_change;
        self.change(|all| all.by_number.values().filter(changes).cloned().collect())
    }

    fn change<T>(&self, change: impl FnOnce(&mut All) -> T) -> T {
        change(&mut self.all.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Counts a program among those beside which folders stay where they are, once none is moved any more.
///
/// # Errors
/// When one is moved for ever: the file system does not answer.
pub(crate) async fn enter(at_work: &AtWork, folders: &[PathBuf]) -> Result<Entry, ToolFailure> {
    let entered = async {
        loop {
            match at_work.enter(folders) {
                Some(entry) => return entry,
                None => tokio::time::sleep(MOVING).await,
            }
        }
    };
    let entered = tokio::time::timeout(ENDING, entered).await;
    entered.map_err(|_late| moving("a folder is being moved"))
}

fn moving(why: &str) -> ToolFailure {
    broken(
        "not_paused",
        of_call(format!(
            "Nothing was run: another program of this session works in the same folder and could \
             not be paused while the folder was looked through ({why}). Wait for it, or stop it."
        )),
    )
}
