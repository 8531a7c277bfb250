//! The warden: makes the namespaces, starts the porter in them, and kills everything when the
//! outside goes away. It stays outside the new process namespace, so nothing inside can reach it.

use super::control::{Control, PORTER, broken};
use super::ledger::Ledger;
use crate::config::ENTRY;
use crate::promise::name;
use crate::wire::{self, Spec};
use api::sandbox::Refusal;
use nix::sched::CloneFlags;
use rustix::event::{PollFd, PollFlags};
use rustix::fd::{AsFd, AsRawFd, OwnedFd};
use rustix::fs::MemfdFlags;
use rustix::process::{Pid, PidfdFlags, Signal, WaitOptions};
use std::fs::File;
use std::io::{self, Seek, Write};
use std::process::{Child, Command};

/// Rounds of killing what is left over without a process namespace. Each round kills every child
/// there is; a program that starts faster than that has its process limit in the way.
const SWEEPS: usize = 10_000;

/// What the host is called in a namespace of hosts' names.
const HOST_NAME: &str = "/proc/sys/kernel/hostname";

pub(super) fn run() -> Result<i32, Refusal> {
    let (mut spec, input) = wire::read_job(Control).map_err(|e| broken("reading the job", e))?;
    let mut ledger = Ledger::of(&spec);
    let closed = super::rights::close_inherited();
    ledger.note(name::DESCRIPTORS, "no inherited descriptors", closed);
    rustix::process::setsid().map_err(|e| broken("a session of its own", e))?;
    let keyring = keyutils::Keyring::join_anonymous_session().map(drop);
    ledger.note(name::KEYRING, "a new, empty session keyring", keyring);
    // Whatever loses its parent becomes ours to bury.
    rustix::process::set_child_subreaper(Some(rustix::process::getpid()))
        .map_err(|e| broken("becoming the reaper", e))?;
    namespaces(&mut ledger, &spec)?;
    if ledger.has(name::USER_NAMESPACE) {
        super::rights::hand_on_capabilities().map_err(|e| broken("handing rights on", e))?;
    }
    // Without this, `/proc/PID/environ` and `/proc/PID/fd` of this process are open to its user.
    rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable)
        .map_err(|e| broken("no core dumps", e))?;
    spec.given = ledger.0;
    let mut porter = start_porter(&spec, &input)?;
    let ended = watch(&porter);
    // The end of the porter is the end of its process namespace.
    let _gone = porter.kill();
    let status = porter.wait();
    sweep();
    ended.map_err(|e| broken("watching the porter", e))?;
    Ok(status.ok().and_then(|s| s.code()).unwrap_or(1))
}

/// Enters new namespaces: with a user namespace where that is allowed, without where the rights
/// suffice anyway, and not at all where neither is.
fn namespaces(ledger: &mut Ledger, spec: &Spec) -> Result<(), Refusal> {
    let (uid, gid) = (rustix::process::geteuid(), rustix::process::getegid());
    let mut flags = CloneFlags::CLONE_NEWNS
        | CloneFlags::CLONE_NEWPID
        | CloneFlags::CLONE_NEWIPC
        | CloneFlags::CLONE_NEWUTS
        | CloneFlags::CLONE_NEWCGROUP;
    if !spec.has_network {
        flags |= CloneFlags::CLONE_NEWNET;
    }
    let with_user = nix::sched::unshare(flags | CloneFlags::CLONE_NEWUSER);
    let made = match with_user {
        Ok(()) => {
            map_users(uid.as_raw(), gid.as_raw()).map_err(|e| broken("mapping the user", e))?;
            Ok(())
        }
        Err(_) => nix::sched::unshare(flags),
    };
    ledger.note(
        name::USER_NAMESPACE,
        "no rights over the machine's own namespaces",
        with_user,
    );
    ledger.note(
        name::PID_NAMESPACE,
        "sees and ends with its own processes only",
        made,
    );
    ledger.note(
        name::IPC_NAMESPACE,
        "no shared memory or queues of others",
        made,
    );
    if made.is_ok() && spec.is_alone() {
        // The namespace is its own, so the machine keeps its name.
        std::fs::write(HOST_NAME, "localhost").map_err(|e| broken("naming the host", e))?;
    }
    if !spec.has_network {
        ledger.note(name::NET_NAMESPACE, "an empty network", made);
    }
    // The mount namespace counts once the view in it is built.
    if let Err(error) = made {
        ledger.note(name::MOUNT_VIEW, "a view of listed files only", Err(error));
    }
    Ok(())
}

fn map_users(uid: u32, gid: u32) -> io::Result<()> {
    std::fs::write("/proc/self/setgroups", "deny")?;
    std::fs::write("/proc/self/uid_map", format!("{uid} {uid} 1"))?;
    std::fs::write("/proc/self/gid_map", format!("{gid} {gid} 1"))
}

/// Starts the porter. Its job stands in a file without a name, whose descriptor it inherits.
fn start_porter(spec: &Spec, input: &[u8]) -> Result<Child, Refusal> {
    let packed = spec.packed()?;
    let hand_over = || -> io::Result<File> {
        let mut file = File::from(rustix::fs::memfd_create("job", MemfdFlags::empty())?);
        wire::write_job(&mut file, &packed, input)?;
        file.flush()?;
        file.rewind()?;
        Ok(file)
    };
    let file = hand_over().map_err(|e| broken("handing the job over", e))?;
    Command::new("/proc/self/exe")
        .arg(ENTRY)
        .arg(PORTER)
        .arg(file.as_raw_fd().to_string())
        .env_clear()
        .spawn()
        .map_err(|e| broken("starting the porter", e))
}

/// Waits until the porter has ended or the outside has gone.
fn watch(porter: &Child) -> io::Result<()> {
    let pid = i32::try_from(porter.id()).map_err(io::Error::other)?;
    let pid = Pid::from_raw(pid).ok_or_else(|| io::Error::other("the porter has no id"))?;
    let porter: OwnedFd = rustix::process::pidfd_open(pid, PidfdFlags::empty())?;
    let control = rustix::stdio::stdin();
    loop {
        let mut waiting = [
            PollFd::from_borrowed_fd(porter.as_fd(), PollFlags::IN),
            // What the outside says after the job is for the porter. Here counts that it goes.
            PollFd::from_borrowed_fd(control, PollFlags::RDHUP),
        ];
        match rustix::event::poll(&mut waiting, None) {
            Ok(_) => return Ok(()),
            Err(rustix::io::Errno::INTR) => {}
            Err(errno) => return Err(errno.into()),
        }
    }
}

/// Kills what is left, generation by generation. With a process namespace nothing is.
fn sweep() {
    for _ in 0..SWEEPS {
        for child in children() {
            // One that ended in this moment needs no killing.
            let _gone = rustix::process::kill_process(child, Signal::KILL);
        }
        // The next round waits until one more is buried; none left means done.
        if rustix::process::wait(WaitOptions::empty()).is_err() {
            return;
        }
    }
}

fn children() -> Vec<Pid> {
    let own = format!("/proc/self/task/{}/children", rustix::process::getpid());
    let list = std::fs::read_to_string(own).unwrap_or_default();
    list.split_whitespace()
        .filter_map(|number| number.parse().ok().and_then(Pid::from_raw))
        .collect()
}
