//! The porter: takes every right away, in the order in which it can still be done, then starts the
//! program and waits for it.

use super::control::{Control, broken};
use super::covers::Covers;
use super::ledger::Ledger;
use super::still::{self, Stillness};
use super::{fence, filter, rights, view};
use crate::promise::{self, name};
use crate::wire::{self, CHECK, Event, GO_ON, PAUSE, START, Spec};
use api::sandbox::Refusal;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::MemfdFlags;
use rustix::io::Errno;
use rustix::process::{
    DumpableBehavior, Pid, PidfdFlags, Signal, WaitOptions, WaitStatus, pidfd_open, wait,
};
use std::fs::{self, File};
use std::io::{self, Read, Seek, Write};
use std::path::{Component, Path, PathBuf};
use std::process::{Child, Command, Stdio};

pub(super) fn run(number: &str) -> Result<i32, Refusal> {
    rustix::process::set_parent_process_death_signal(Some(Signal::KILL))
        .map_err(|e| broken("tying the porter to the warden", e))?;
    let (spec, input) = take_job(number).map_err(|e| broken("taking the job", e))?;
    let mut ledger = Ledger::of(&spec);
    let covers = Covers::watch().map_err(|e| broken("watching the mounts", e))?;
    restrict(&spec, &mut ledger)?;
    promise::check(&spec, &ledger.0)?;
    Event::Ready {
        mechanisms: ledger.0.clone(),
    }
    .send(Control)
    .map_err(|e| broken("reporting", e))?;
    if spec.argv.is_empty() || !is_to_start().map_err(|e| broken("hearing the outside", e))? {
        return Ok(0);
    }
    let covers = covers.filter(|_| ledger.has(name::MOUNT_VIEW));
    let covers = covers.map(|covers| covers.in_place(&spec.expendable));
    let ended = start(&spec, &input, covers)?;
    ended
        .send(Control)
        .map_err(|e| broken("reporting the end", e))?;
    Ok(0)
}

fn take_job(number: &str) -> io::Result<(Spec, Vec<u8>)> {
    let job = wire::read_job(File::open(format!("/proc/self/fd/{number}"))?);
    rights::close_inherited()?;
    job
}

fn restrict(spec: &Spec, ledger: &mut Ledger) -> Result<(), Refusal> {
    let has_namespaces = ledger.has(name::PID_NAMESPACE);
    if has_namespaces {
        rights::widen_open_files().map_err(|e| broken("opening many files", e))?;
        // Half a view is none, and cannot be taken back: nothing else could be promised after it.
        view::build(spec).map_err(|error| Refusal::Promise {
            promise: "files".to_owned(),
            why: format!("{}: {error}", name::MOUNT_VIEW),
        })?;
        let built: io::Result<()> = Ok(());
        ledger.note(
            name::MOUNT_VIEW,
            "a view of listed files only, with a /tmp of its own",
            built,
        );
        let done = rights::limit_ids(spec.processes);
        ledger.note(name::PID_MAX, "a limit on process ids", done);
    }
    fill(spec).map_err(|e| broken("filling the scratch folder", e))?;
    rustix::process::set_dumpable_behavior(DumpableBehavior::NotDumpable)
        .map_err(|e| broken("no core dumps", e))?;
    rights::no_new_privileges(ledger);
    rights::drop_capabilities(ledger);
    rights::limits(spec, ledger);
    fence::enter(spec, ledger);
    filter::install(spec, ledger);
    Ok(())
}

/// Puts the scratch folder's files and links in it.
fn fill(spec: &Spec) -> io::Result<()> {
    let Some(folder) = &spec.scratch else {
        return Ok(());
    };
    for (path, content) in &spec.files {
        fs::write(place_in(folder, path)?, content)?;
    }
    for (path, to) in &spec.scratch_links {
        std::os::unix::fs::symlink(to, place_in(folder, path)?)?;
    }
    Ok(())
}

/// Where something of the scratch folder goes; the folders above it are made.
fn place_in(folder: &Path, path: &Path) -> io::Result<PathBuf> {
    let is_plain = path.components().all(|c| matches!(c, Component::Normal(_)));
    if !is_plain {
        return Err(io::Error::other(format!(
            "{} leads out of it",
            path.display()
        )));
    }
    let whole = folder.join(path);
    if let Some(above) = whole.parent() {
        fs::create_dir_all(above)?;
    }
    Ok(whole)
}

/// Longest that what ends beside the program waits to be buried.
const BURIAL: Timespec = Timespec {
    tv_sec: 1,
    tv_nsec: 0,
};

/// Starts the program, waits for it, and buries everything else that ends meanwhile. Stops, and with
/// it everything in its process namespace, when a cover falls off.
fn start(spec: &Spec, input: &[u8], mut covers: Option<Covers>) -> Result<Event, Refusal> {
    let [program, arguments @ ..] = spec.argv.as_slice() else {
        return Err(Refusal::BadJob("no program is named".to_owned()));
    };
    let not_started = |why: String| Refusal::NotStarted {
        program: program.clone(),
        why,
    };
    let stdin = standard_input(input).map_err(|e| broken("the standard input", e))?;
    std::env::set_current_dir(&spec.folder)
        .map_err(|e| not_started(format!("{}: {e}", spec.folder.display())))?;
    if let Some(covers) = &covers {
        // What was mounted to build the view is no news.
        poll(&mut [covers.poll()], Some(&Timespec::default())).map_err(|e| broken("polling", e))?;
    }
    let child = Command::new(program)
        .args(arguments)
        .env_clear()
        .envs(&spec.environment)
        .stdin(stdin)
        .spawn()
        .map_err(|e| not_started(e.to_string()))?;
    let told = Event::Began.send(Control);
    told.map_err(|e| broken("telling the outside", e))?;
    wait_for(&child, covers.as_mut())
}

fn wait_for(child: &Child, mut covers: Option<&mut Covers>) -> Result<Event, Refusal> {
    let id = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    let id = id.ok_or_else(|| broken("waiting for the program", "it has no id"))?;
    let program = pidfd_open(id, PidfdFlags::empty());
    let program = program.map_err(|e| broken("waiting for the program", e))?;
    let (mut is_heard, mut standing) = (true, None);
    loop {
        let control = rustix::stdio::stdin();
        let mut waiting = vec![PollFd::new(&program, PollFlags::IN)];
        waiting.extend(covers.as_deref().map(Covers::poll));
        if is_heard {
            waiting.push(PollFd::from_borrowed_fd(control, PollFlags::IN));
        }
        match poll(&mut waiting, Some(&BURIAL)) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(errno) => return Err(broken("waiting for the program", errno)),
        }
        let has_news = |of: Option<&PollFd<'_>>| of.is_some_and(|of| !of.revents().is_empty());
        let is_changed = covers.is_some() && has_news(waiting.get(1));
        let is_spoken_to = is_heard && has_news(waiting.last());
        drop(waiting);
        let is_uncovered = |covers: &mut &mut Covers| is_changed && !covers.hold();
        if covers.as_mut().is_some_and(is_uncovered) {
            return Err(Refusal::Uncovered);
        }
        if is_spoken_to {
            is_heard = obey(&mut standing)?;
        }
        // Whoever is buried is missed by the check.
        if standing.is_some() {
            continue;
        }
        while let Ok(Some((ended, status))) = wait(WaitOptions::NOHANG) {
            if ended == id {
                return Ok(told(status));
            }
        }
    }
}

/// The next order of the outside; `None` once it says nothing more.
fn order() -> io::Result<Option<u8>> {
    let mut said = [0];
    Ok((Control.read(&mut said)? == 1).then_some(said[0]))
}

/// Waits until the outside wants the program started; `false` where it has gone.
fn is_to_start() -> io::Result<bool> {
    match order()? {
        None => Ok(false),
        Some(START) => Ok(true),
        Some(other) => Err(io::Error::other(format!("{other} came before the start"))),
    }
}

/// Does what the outside says; `false` once it says nothing more. A program that did not stand still
/// is ended.
fn obey(standing: &mut Option<Stillness>) -> Result<bool, Refusal> {
    let heard = order().map_err(|e| broken("hearing the outside", e))?;
    let tell = |done: bool| {
        let told = Event::Paused { done }.send(Control);
        told.map_err(|e| broken("answering the outside", e))
    };
    match heard {
        None => return Ok(false),
        Some(PAUSE) => {
            *standing = still::pause();
            tell(standing.is_some())?;
            if standing.is_none() {
                let why = "the program could not be made to stand still, and was ended";
                return Err(Refusal::Broken(why.to_owned()));
            }
        }
        Some(CHECK) => {
            let done = standing.as_ref().is_some_and(Stillness::holds);
            tell(done)?;
            if !done {
                let why = "the program went on while it was to stand still, and was ended";
                return Err(Refusal::Broken(why.to_owned()));
            }
        }
        Some(GO_ON) => {
            *standing = None;
            still::go_on();
        }
        Some(other) => {
            return Err(broken(
                "hearing the outside",
                format!("{other} is no order"),
            ));
        }
    }
    Ok(true)
}

fn told(status: WaitStatus) -> Event {
    Event::Ended {
        code: status.exit_status(),
        signal: status.terminating_signal(),
    }
}

/// A file without a name, so that nobody has to feed a pipe.
fn standard_input(input: &[u8]) -> io::Result<Stdio> {
    if input.is_empty() {
        return Ok(Stdio::null());
    }
    let mut file = File::from(rustix::fs::memfd_create("input", MemfdFlags::CLOEXEC)?);
    file.write_all(input)?;
    file.rewind()?;
    Ok(file.into())
}
