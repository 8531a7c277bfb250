//! The view of the file system: an empty root, in it those of the system's files that are listed here
//! and those that the job names, and nothing else.
//!
//! Every source is opened before anything is mounted, by its resolved name and without following
//! links, and what is mounted is that open object: a name swapped in between changes nothing.

use crate::wire::Spec;
use rustix::fd::{AsFd, OwnedFd};
use rustix::fs::{CWD, Mode, OFlags, ResolveFlags};
use rustix::io::Errno;
use rustix::mount::{
    MountFlags, MountPropagationFlags, MoveMountFlags, OpenTreeFlags, UnmountFlags,
};
use std::collections::HashMap;
use std::ffi::{CString, OsString};
use std::fs;
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

/// Where the new root is put together. What lies there before is out of the way, not gone: the
/// mount is this namespace's alone.
const BUILDING_SITES: [&str; 4] = ["/tmp", "/run", "/mnt", "/var"];
/// Most files in each folder that lies in memory.
const INODES: u32 = 100_000;
/// Programs and libraries.
const SYSTEM: [&str; 9] = [
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/nix/store",
    "/gnu/store",
];
/// What programs need of the machine's configuration, none of it secret.
const SETTINGS: [&str; 18] = [
    "/etc/alternatives",
    "/etc/ca-certificates",
    "/etc/ca-certificates.conf",
    "/etc/debian_version",
    "/etc/host.conf",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/locale.alias",
    "/etc/localtime",
    "/etc/mime.types",
    "/etc/nsswitch.conf",
    "/etc/os-release",
    "/etc/pki",
    "/etc/python3",
    "/etc/ssl/certs",
    "/etc/terminfo",
    "/etc/timezone",
];
/// Who uses the machine and what is near it: for programs that work on files of the user's, or with a
/// network. What code sees that has neither counts as made of its own text.
const SURROUNDINGS: [&str; 3] = ["/etc/group", "/etc/hosts", "/etc/passwd"];
/// What a program with a network needs besides.
const NETWORK_SETTINGS: [&str; 7] = [
    "/etc/apt",
    "/etc/gai.conf",
    "/etc/pip.conf",
    "/etc/protocols",
    "/etc/resolv.conf",
    "/etc/services",
    "/etc/ssl/openssl.cnf",
];
/// Devices without secrets.
const DEVICES: [&str; 5] = [
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
];
/// Links that programs expect beside them.
const DEVICE_LINKS: [(&str, &str); 4] = [
    ("dev/fd", "/proc/self/fd"),
    ("dev/stdin", "/proc/self/fd/0"),
    ("dev/stdout", "/proc/self/fd/1"),
    ("dev/stderr", "/proc/self/fd/2"),
];

/// What stays of /proc beside the processes. All else tells of the machine and its boot, or does
/// something to it, and another kernel has more of it: it is covered, whatever it is.
const KEPT: [&str; 14] = [
    "cgroups",
    "cpuinfo",
    "filesystems",
    "loadavg",
    "meminfo",
    "mounts",
    "net",
    "self",
    "stat",
    "sys",
    "sysvipc",
    "thread-self",
    "uptime",
    "version",
];

/// What tells of the machine and its boot in the settings that stay.
const MACHINE_SETTINGS: [&str; 7] = [
    "sys/debug",
    "sys/dev",
    "sys/kernel/bootloader_type",
    "sys/kernel/bootloader_version",
    "sys/kernel/firmware_config",
    "sys/kernel/random/boot_id",
    "sys/kernel/real-root-dev",
];

/// How a place may be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Use {
    Write,
    Read,
    Device,
}

/// An opened place and where it goes.
#[derive(Debug)]
struct Source {
    path: PathBuf,
    tree: OwnedFd,
    is_folder: bool,
    usage: Use,
}

/// What a program may read of the machine.
pub(super) fn system_paths(spec: &Spec) -> Vec<PathBuf> {
    let network: &[&str] = match spec.has_network {
        true => &NETWORK_SETTINGS,
        false => &[],
    };
    let surroundings: &[&str] = match spec.is_alone() {
        true => &[],
        false => &SURROUNDINGS,
    };
    SYSTEM
        .iter()
        .chain(&SETTINGS)
        .chain(surroundings)
        .chain(network)
        .map(PathBuf::from)
        .collect()
}

/// Builds the view and makes it the root.
pub(super) fn build(spec: &Spec) -> io::Result<()> {
    rustix::mount::mount_change(
        "/",
        MountPropagationFlags::PRIVATE | MountPropagationFlags::REC,
    )?;
    let plan = Plan::of(spec)?;
    let site = BUILDING_SITES
        .iter()
        .find(|site| Path::new(site).is_dir())
        .ok_or_else(|| io::Error::other("no folder to build the view in"))?;
    let root = Path::new(site);
    let flags = MountFlags::NOSUID | MountFlags::NODEV;
    tmpfs(root, flags, "mode=0755,size=1m")?;
    let quarter = in_memory("1777", spec.memory_bytes / 4);
    for (name, options) in [
        ("tmp", quarter.as_str()),
        ("dev", ""),
        ("dev/shm", &quarter),
    ] {
        let folder = root.join(name);
        fs::create_dir_all(&folder)?;
        if !options.is_empty() {
            tmpfs(&folder, flags, options)?;
        }
    }
    for (name, to) in DEVICE_LINKS {
        std::os::unix::fs::symlink(to, root.join(name))?;
    }
    for (link, to) in &plan.links {
        let place = beneath(root, link);
        if let Some(above) = place.parent() {
            fs::create_dir_all(above)?;
        }
        if place.symlink_metadata().is_err() {
            std::os::unix::fs::symlink(to, place)?;
        }
    }
    for source in &plan.sources {
        place(root, source)?;
    }
    if let Some(folder) = &spec.scratch {
        let target = beneath(root, folder);
        fs::create_dir_all(&target)?;
        tmpfs(&target, flags, &in_memory("0700", spec.memory_bytes / 2))?;
    }
    for path in &spec.hidden {
        hide(&beneath(root, path))?;
    }
    processes(root)?;
    let own = [PathBuf::from("/tmp"), PathBuf::from("/dev/shm")];
    let own: Vec<PathBuf> = own.into_iter().chain(spec.scratch.clone()).collect();
    restrict(root, &plan.sources, &own)?;
    rustix::mount::mount_remount(root, flags | MountFlags::BIND | MountFlags::RDONLY, c"")?;
    enter(root)
}

/// What goes where.
#[derive(Debug)]
struct Plan {
    sources: Vec<Source>,
    links: Vec<(PathBuf, PathBuf)>,
}

impl Plan {
    fn of(spec: &Spec) -> io::Result<Self> {
        let mut plan = Self {
            sources: Vec::new(),
            links: spec.links.clone(),
        };
        for path in system_paths(spec) {
            plan.add(&path, Use::Read)?;
        }
        for device in DEVICES {
            plan.add(Path::new(device), Use::Device)?;
        }
        for path in &spec.read {
            plan.add_found(path, usage_of_readable(path, spec))?;
        }
        for path in &spec.write {
            plan.add_found(path, Use::Write)?;
        }
        // A place listed twice is as free as its freest listing; parents come before what is in
        // them, and frozen places last.
        for path in &spec.held {
            plan.add_found(path, Use::Write)?;
        }
        plan.sources
            .sort_by(|a, b| (&a.path, a.usage).cmp(&(&b.path, b.usage)));
        plan.sources.dedup_by(|b, a| a.path == b.path);
        for path in &spec.frozen {
            plan.add_found(path, Use::Read)?;
        }
        Ok(plan)
    }

    /// Opens a place of the user's by its real name; one that is gone is left out. A link in its stead
    /// leads somewhere that nobody opened.
    fn add_found(&mut self, path: &Path, usage: Use) -> io::Result<()> {
        match self.open(path, usage) {
            Err(Errno::NOENT) => Ok(()),
            done => done.map_err(|errno| named(path, errno)),
        }
    }

    /// Opens a place of the machine's by its resolved name; one that is not there is left out.
    fn add(&mut self, path: &Path, usage: Use) -> io::Result<()> {
        let real = match path.canonicalize() {
            Ok(real) => real,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(error),
        };
        if real != path {
            self.links.push((path.to_path_buf(), real.clone()));
        }
        Ok(self.open(&real, usage)?)
    }

    fn open(&mut self, real: &Path, usage: Use) -> Result<(), Errno> {
        let fd = rustix::fs::openat2(
            CWD,
            real,
            OFlags::PATH | OFlags::CLOEXEC,
            Mode::empty(),
            ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS,
        )?;
        let stat = rustix::fs::fstat(&fd)?;
        let tree = rustix::mount::open_tree(
            &fd,
            "",
            OpenTreeFlags::OPEN_TREE_CLONE
                | OpenTreeFlags::OPEN_TREE_CLOEXEC
                | OpenTreeFlags::AT_EMPTY_PATH
                | OpenTreeFlags::AT_RECURSIVE,
        )?;
        self.sources.push(Source {
            path: real.to_path_buf(),
            tree,
            is_folder: rustix::fs::FileType::from_raw_mode(stat.st_mode).is_dir(),
            usage,
        });
        Ok(())
    }
}

/// How a place that may be read may be used: in a folder that may be written, and in no frozen one, as
/// everything else there.
fn usage_of_readable(path: &Path, spec: &Spec) -> Use {
    let is_in = |folders: &[PathBuf]| folders.iter().any(|folder| path.starts_with(folder));
    match is_in(&spec.write) && !is_in(&spec.frozen) {
        true => Use::Write,
        false => Use::Read,
    }
}

fn beneath(root: &Path, path: &Path) -> PathBuf {
    root.join(path.strip_prefix("/").unwrap_or(path))
}

fn tmpfs(at: &Path, flags: MountFlags, options: &str) -> io::Result<()> {
    let options = CString::new(options)?;
    rustix::mount::mount("tmpfs", at, "tmpfs", flags, options.as_c_str())?;
    Ok(())
}

/// Options of a folder in memory that holds at most so many bytes.
fn in_memory(mode: &str, bytes: u64) -> String {
    format!("mode={mode},size={},nr_inodes={INODES}", bytes.max(1 << 20))
}

/// Attaches an opened place. A folder to attach it to is made where none is; in a place that was
/// attached before, it is there.
fn place(root: &Path, source: &Source) -> io::Result<()> {
    let target = beneath(root, &source.path);
    if target.symlink_metadata().is_err() {
        if source.is_folder {
            fs::create_dir_all(&target)?;
        } else {
            if let Some(above) = target.parent() {
                fs::create_dir_all(above)?;
            }
            fs::write(&target, "")?;
        }
    }
    rustix::mount::move_mount(
        source.tree.as_fd(),
        "",
        CWD,
        &target,
        MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH,
    )
    .map_err(|e| named(&source.path, e))
}

/// Covers a place with nothing.
fn hide(target: &Path) -> io::Result<()> {
    match fs::symlink_metadata(target) {
        Ok(found) if found.is_dir() => {
            let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::RDONLY;
            tmpfs(target, flags, "mode=0000,size=4k")
        }
        // A file of ours alone among files of others. It is the machine's own device.
        Ok(_) => {
            let flags = MountFlags::NOSUID
                | MountFlags::NODEV
                | MountFlags::NOEXEC
                | MountFlags::RDONLY
                | MountFlags::BIND;
            rustix::mount::mount_bind("/dev/null", target)
                .and_then(|()| rustix::mount::mount_remount(target, flags, c""))
                .map_err(|e| named(target, e))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        // What cannot be looked at cannot be covered, and may be seen all the same.
        Err(error) => Err(io::Error::other(format!("{}: {error}", target.display()))),
    }
}

/// The processes of this namespace. Where the kernel does not allow it, there is no /proc at all,
/// which shows less.
fn processes(root: &Path) -> io::Result<()> {
    let target = root.join("proc");
    fs::create_dir_all(&target)?;
    let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    match rustix::mount::mount("proc", &target, "proc", flags, None) {
        Ok(()) => {}
        Err(Errno::PERM | Errno::ACCESS) => return Ok(()),
        Err(errno) => return Err(named(&target, errno)),
    }
    for entry in fs::read_dir(&target)? {
        let name = entry?.file_name();
        let is_process = name.as_bytes().iter().all(u8::is_ascii_digit);
        if !is_process && !KEPT.iter().any(|kept| name == *kept) {
            mask(&target.join(name))?;
        }
    }
    let settings = MACHINE_SETTINGS.iter().map(|name| target.join(name));
    settings
        .filter(|setting| setting.exists())
        .try_for_each(|setting| mask(&setting))
}

/// Makes what is at a place in /proc empty. A link stays: what it leads to is covered, or not there.
fn mask(target: &Path) -> io::Result<()> {
    let kind = match fs::symlink_metadata(target) {
        Ok(found) => found.file_type(),
        // A driver that is unloaded takes its files along.
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    };
    if kind.is_symlink() {
        return Ok(());
    }
    if kind.is_dir() {
        let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::RDONLY;
        return tmpfs(target, flags, "mode=0555,size=4k");
    }
    rustix::mount::mount_bind("/dev/null", target).map_err(|e| named(target, e))
}

/// Makes /proc read-only: as the super user, some of its files change the whole machine.
pub(super) fn close_proc() -> io::Result<()> {
    let flags = MountFlags::NOSUID
        | MountFlags::NODEV
        | MountFlags::NOEXEC
        | MountFlags::RDONLY
        | MountFlags::BIND;
    match rustix::mount::mount_remount("/proc", flags, c"") {
        // Not a mount: there was none to be had.
        Ok(()) | Err(Errno::INVAL) => Ok(()),
        Err(errno) => Err(named(Path::new("/proc"), errno)),
    }
}

/// Sets how every mount in the view may be used, by the nearest listed place above it, keeping what
/// was forbidden before.
fn restrict(root: &Path, sources: &[Source], in_memory: &[PathBuf]) -> io::Result<()> {
    // Of two listings of one place the later one holds: frozen places come last.
    let listed: HashMap<&Path, Use> = sources
        .iter()
        .map(|s| (s.path.as_path(), s.usage))
        .collect();
    for Mounted { path, held, .. } in mounts()? {
        let Ok(inside) = path.strip_prefix(root) else {
            continue;
        };
        let inside = Path::new("/").join(inside);
        // Our own folders in memory are as they were made.
        if in_memory.contains(&inside) && !listed.contains_key(inside.as_path()) {
            continue;
        }
        let nearest = inside.ancestors().find_map(|above| listed.get(above));
        let is_mask = inside != Path::new("/proc") && inside.starts_with("/proc");
        let usage = match nearest {
            Some(usage) => *usage,
            None if is_mask => Use::Device,
            None => continue,
        };
        let extra = match usage {
            Use::Write => MountFlags::NOSUID | MountFlags::NODEV,
            Use::Read => MountFlags::NOSUID | MountFlags::NODEV | MountFlags::RDONLY,
            // A device is written to all the same; its rights and times are the machine's.
            Use::Device => MountFlags::NOSUID | MountFlags::NOEXEC | MountFlags::RDONLY,
        };
        let flags = held | extra | MountFlags::BIND;
        rustix::mount::mount_remount(&path, flags, c"").map_err(|e| named(&path, e))?;
    }
    Ok(())
}

/// A mount of this namespace.
#[derive(Debug)]
pub(super) struct Mounted {
    pub(super) number: Vec<u8>,
    pub(super) path: PathBuf,
    /// What it forbids.
    held: MountFlags,
}

/// Every mount, after proc_pid_mountinfo(5).
pub(super) fn mounts() -> io::Result<Vec<Mounted>> {
    let table = fs::read("/proc/self/mountinfo")?;
    let lines = table.split(|byte| *byte == b'\n');
    let mounts = lines.filter_map(|line| {
        let mut fields = line.split(|byte| *byte == b' ');
        let number = fields.next()?.to_vec();
        let mut fields = fields.skip(3);
        let place = unescaped(fields.next()?);
        let options = String::from_utf8_lossy(fields.next()?).into_owned();
        let mut flags = MountFlags::empty();
        for option in options.split(',') {
            flags |= match option {
                "ro" => MountFlags::RDONLY,
                "nosuid" => MountFlags::NOSUID,
                "nodev" => MountFlags::NODEV,
                "noexec" => MountFlags::NOEXEC,
                _ => MountFlags::empty(),
            };
        }
        Some(Mounted {
            number,
            path: PathBuf::from(OsString::from_vec(place)),
            held: flags,
        })
    });
    Ok(mounts.collect())
}

/// A name in which the kernel wrote awkward bytes as three octal digits.
fn unescaped(name: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rest = name;
    while let Some((first, after)) = rest.split_first() {
        let digits = after.get(..3).and_then(|d| std::str::from_utf8(d).ok());
        let byte = digits.and_then(|d| u8::from_str_radix(d, 8).ok());
        match (first, byte) {
            (b'\\', Some(byte)) => {
                out.push(byte);
                rest = &after[3..];
            }
            _ => {
                out.push(*first);
                rest = after;
            }
        }
    }
    out
}

/// Makes the view the root and lets go of the old one.
fn enter(root: &Path) -> io::Result<()> {
    std::env::set_current_dir(root)?;
    // The old root lands on top of the new one, and is then taken off.
    rustix::process::pivot_root(".", ".")?;
    rustix::mount::unmount(".", UnmountFlags::DETACH)?;
    std::env::set_current_dir("/")
}

fn named(path: &Path, errno: Errno) -> io::Error {
    io::Error::other(format!("{}: {errno}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn awkward_names_are_read_back() {
        assert_eq!(unescaped(b"/a\\040b\\134c"), b"/a b\\c");
        assert_eq!(unescaped(b"/a\\9"), b"/a\\9");
    }
}
