//! Privileges, capabilities, descriptors and limits of the process itself.

use super::ledger::Ledger;
use crate::promise::name;
use crate::wire::Spec;
use rustix::io::Errno;
use rustix::process::{Resource, Rlimit};
use rustix::thread::{CapabilitySet, CapabilitySets};
use std::io;
use std::os::fd::RawFd;

/// The first kernel whose limit on process ids belongs to the process namespace. On older ones the
/// same file is the whole machine's.
const IDS_PER_NAMESPACE: (u32, u32) = (6, 14);
/// Process ids the kernel keeps for itself once numbers come round again.
const RESERVED_IDS: u32 = 300;
/// Address space in multiples of the memory a process may fill: runtimes reserve much more than
/// they use, and shared memory counts here only.
const SPACE: u64 = 16;

/// Closes every descriptor but the standard three.
pub(super) fn close_inherited() -> io::Result<()> {
    let mut numbers: Vec<RawFd> = Vec::new();
    for entry in std::fs::read_dir("/proc/self/fd")? {
        let number = entry?.file_name().to_string_lossy().parse();
        numbers.push(number.map_err(io::Error::other)?);
    }
    for number in numbers.into_iter().filter(|number| *number > 2) {
        match nix::unistd::close(number) {
            // The listing's own descriptor is closed already.
            Ok(()) | Err(nix::errno::Errno::EBADF) => {}
            Err(errno) => return Err(errno.into()),
        }
    }
    Ok(())
}

pub(super) fn no_new_privileges(ledger: &mut Ledger) {
    let done = rustix::thread::set_no_new_privs(true);
    ledger.note(name::NO_NEW_PRIVS, "set-id programs gain nothing", done);
}

/// Hands the capabilities held in the new namespaces on to the next program. Without this only the
/// super user keeps them across the start of another program.
pub(super) fn hand_on_capabilities() -> Result<(), Errno> {
    let mut held = rustix::thread::capabilities(None)?;
    held.inheritable = held.permitted;
    rustix::thread::set_capabilities(None, held)?;
    for one in (0..64).map(|bit| CapabilitySet::from_bits_retain(1 << bit)) {
        if held.permitted.contains(one) {
            rustix::thread::configure_capability_in_ambient_set(one, true)?;
        }
    }
    Ok(())
}

/// Drops every capability and the way back to them.
pub(super) fn drop_capabilities(ledger: &mut Ledger) {
    let none = CapabilitySets {
        effective: CapabilitySet::empty(),
        permitted: CapabilitySet::empty(),
        inheritable: CapabilitySet::empty(),
    };
    let drop_all = || -> Result<(), Errno> {
        let held = rustix::thread::capabilities(None)?;
        if held.permitted.is_empty() && !rustix::process::geteuid().is_root() {
            return Ok(());
        }
        for bit in 0..64 {
            let one = CapabilitySet::from_bits_retain(1 << bit);
            match rustix::thread::remove_capability_from_bounding_set(one) {
                Ok(()) => {}
                Err(Errno::INVAL) => break,
                Err(errno) => return Err(errno),
            }
        }
        rustix::thread::clear_ambient_capability_set()?;
        rustix::thread::set_capabilities(None, none)
    };
    ledger.note(
        name::CAPABILITIES,
        "none, also for the super user",
        drop_all(),
    );
}

/// Limits how many process ids the new namespace hands out.
pub(super) fn limit_ids(processes: u32) -> io::Result<()> {
    let release = rustix::system::uname()
        .release()
        .to_string_lossy()
        .into_owned();
    let mut numbers = release
        .split(['.', '-'])
        .map(|n| n.parse::<u32>().unwrap_or(0));
    let version = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
    if version < IDS_PER_NAMESPACE {
        let (major, minor) = IDS_PER_NAMESPACE;
        return Err(io::Error::other(format!("needs Linux {major}.{minor}")));
    }
    let most = RESERVED_IDS.saturating_add(processes);
    let written = std::fs::write("/proc/sys/kernel/pid_max", most.to_string());
    // From here on nothing in /proc can be written.
    super::view::close_proc()?;
    written
}

/// Takes what open files there are to be had: each place in the view is one while it is built.
pub(super) fn widen_open_files() -> Result<(), Errno> {
    let held = rustix::process::getrlimit(Resource::Nofile);
    let all = Rlimit {
        current: held.maximum,
        maximum: held.maximum,
    };
    rustix::process::setrlimit(Resource::Nofile, all)
}

/// The limits of each process.
pub(super) fn limits(spec: &Spec, ledger: &mut Ledger) {
    let space = spec.memory_bytes.saturating_mul(SPACE);
    let list = [
        (Resource::Core, 0, 0),
        (
            Resource::Cpu,
            spec.cpu_secs,
            spec.cpu_secs.saturating_add(1),
        ),
        (Resource::Data, spec.memory_bytes, spec.memory_bytes),
        (Resource::As, space, space),
        (Resource::Fsize, spec.file_bytes, spec.file_bytes),
        (
            Resource::Nofile,
            spec.open_files.into(),
            spec.open_files.into(),
        ),
    ];
    let set = list
        .into_iter()
        .try_for_each(|(resource, soft, hard)| lower(resource, soft, hard));
    ledger.note(
        name::RLIMITS,
        "processor time, memory, file size and open files of each process; no core files",
        set,
    );
    let processes = u64::from(spec.processes);
    let set = match rustix::process::geteuid().is_root() {
        true => Err("the super user is not held by it".to_owned()),
        false => lower(Resource::Nproc, processes, processes).map_err(|e| e.to_string()),
    };
    ledger.note(
        name::PROCESS_LIMIT,
        "a limit on processes of this user",
        set,
    );
}

/// Sets a limit, but never above the one that holds already.
fn lower(resource: Resource, soft: u64, hard: u64) -> Result<(), Errno> {
    let held = rustix::process::getrlimit(resource);
    let hard = held.maximum.map_or(hard, |held| held.min(hard));
    let limit = Rlimit {
        current: Some(soft.min(hard)),
        maximum: Some(hard),
    };
    rustix::process::setrlimit(resource, limit)
}
