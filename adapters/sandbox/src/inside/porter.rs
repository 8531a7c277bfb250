//! The porter: takes every right away, in the order in which it can still be done, then starts the
//! program and waits for it.

use super::{Control, Ledger, broken, fence, filter, rights, view};
use crate::promise::{self, name};
use crate::wire::{self, Event, Spec};
use api::sandbox::Refusal;
use rustix::fs::MemfdFlags;
use rustix::process::{DumpableBehavior, Signal, WaitOptions, WaitStatus};
use std::fs::{self, File};
use std::io::{self, Seek, Write};
use std::path::Component;
use std::process::{Command, Stdio};

pub(super) fn run(number: &str) -> Result<i32, Refusal> {
    rustix::process::set_parent_process_death_signal(Some(Signal::KILL))
        .map_err(|e| broken("tying the porter to the warden", e))?;
    let (spec, input) = take_job(number).map_err(|e| broken("taking the job", e))?;
    let mut ledger = Ledger::of(&spec);
    restrict(&spec, &mut ledger)?;
    promise::check(&spec, &ledger.0)?;
    Event::Ready {
        mechanisms: ledger.0,
    }
    .send(Control)
    .map_err(|e| broken("reporting", e))?;
    if spec.argv.is_empty() {
        return Ok(0);
    }
    let ended = start(&spec, &input)?;
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

/// Writes the scratch folder's files.
fn fill(spec: &Spec) -> io::Result<()> {
    let Some(folder) = &spec.scratch else {
        return Ok(());
    };
    for (path, content) in &spec.files {
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
        fs::write(whole, content)?;
    }
    Ok(())
}

/// Starts the program, waits for it, and buries everything else that ends meanwhile.
fn start(spec: &Spec, input: &[u8]) -> Result<Event, Refusal> {
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
    let child = Command::new(program)
        .args(arguments)
        .env_clear()
        .envs(&spec.environment)
        .stdin(stdin)
        .spawn()
        .map_err(|e| not_started(e.to_string()))?;
    loop {
        match rustix::process::wait(WaitOptions::empty()) {
            Ok(Some((pid, status)))
                if u32::try_from(pid.as_raw_nonzero().get()) == Ok(child.id()) =>
            {
                return Ok(told(status));
            }
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(errno) => return Err(broken("waiting for the program", errno)),
        }
    }
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
