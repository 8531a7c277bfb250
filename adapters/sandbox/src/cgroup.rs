//! Control groups, where one can be made: a limit on processes and memory that holds for everything
//! in the sandbox together. Both versions of the kernel's interface are known.

use crate::promise::name;
use api::sandbox::{Enforcement, JobLimits, Mechanism};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use uuid::Uuid;

/// How the names of our groups begin; the number of the process that made one comes next.
const PREFIX: &str = "carl-";

/// The groups of one job. Dropping removes them; nothing may run in them any more by then.
#[derive(Debug)]
pub(crate) struct Groups {
    folders: Vec<PathBuf>,
    pub(crate) mechanisms: Vec<Mechanism>,
}

/// A limit that a group can hold.
struct Limit {
    name: &'static str,
    controller: &'static str,
    detail: &'static str,
    /// File names of version 2 and version 1.
    files: [&'static str; 2],
    value: u64,
}

impl Groups {
    /// Makes what groups can be made.
    pub(crate) fn make(limits: &JobLimits) -> Self {
        let mut groups = Self {
            folders: Vec::new(),
            mechanisms: Vec::new(),
        };
        let wanted = [
            Limit {
                name: name::CGROUP_PIDS,
                controller: "pids",
                detail: "a limit on processes and threads, all together",
                files: ["pids.max", "pids.max"],
                // The two processes of ours that stand around the program count too.
                value: u64::from(limits.processes).saturating_add(2),
            },
            Limit {
                name: name::CGROUP_MEMORY,
                controller: "memory",
                detail: "a limit on memory, all together",
                files: ["memory.max", "memory.limit_in_bytes"],
                value: limits.memory_bytes,
            },
        ];
        let label = format!("{PREFIX}{}-{}", std::process::id(), Uuid::now_v7());
        for limit in wanted {
            let made = groups.hold(&label, &limit);
            let enforcement = match made {
                Ok(()) => Enforcement::Enforced,
                Err(error) => Enforcement::Unavailable(error.to_string()),
            };
            groups.mechanisms.push(Mechanism {
                name: limit.name.to_owned(),
                detail: limit.detail.to_owned(),
                enforcement,
            });
        }
        groups
    }

    fn hold(&mut self, label: &str, limit: &Limit) -> io::Result<()> {
        let home = Home::of(limit.controller)?;
        let folder = home.folder.join(label);
        if !self.folders.contains(&folder) {
            sweep(&home.folder);
            fs::create_dir(&folder)?;
            self.folders.push(folder.clone());
        }
        let [two, one] = limit.files;
        let file = folder.join(if home.is_version_2 { two } else { one });
        if !file.exists() {
            let why = format!(
                "the `{}` controller is not handed down here",
                limit.controller
            );
            return Err(io::Error::other(why));
        }
        fs::write(file, limit.value.to_string())
    }

    /// Puts a process into the groups.
    pub(crate) fn take_in(&self, pid: u32) -> io::Result<()> {
        self.folders
            .iter()
            .try_for_each(|folder| fs::write(folder.join("cgroup.procs"), pid.to_string()))
    }
}

impl Drop for Groups {
    fn drop(&mut self) {
        for folder in &self.folders {
            if let Err(error) = fs::remove_dir(folder) {
                tracing::warn!(%error, folder = %folder.display(), "a control group stays behind");
            }
        }
    }
}

/// Removes the groups that processes which were killed left behind. The kernel removes none that
/// something still runs in.
fn sweep(home: &Path) {
    for entry in fs::read_dir(home).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let owner = name.to_str().and_then(owner);
        if owner.is_some_and(|pid| !Path::new("/proc").join(pid.to_string()).exists())
            && let Err(error) = fs::remove_dir(entry.path())
        {
            tracing::debug!(%error, folder = %entry.path().display(), "not removed");
        }
    }
}

/// The number of the process that made the group of this name, if it is one of ours.
fn owner(name: &str) -> Option<u32> {
    let (pid, id) = name.strip_prefix(PREFIX)?.split_once('-')?;
    Uuid::try_parse(id).ok()?;
    pid.parse().ok()
}

/// The group this process is in, for one controller.
struct Home {
    folder: PathBuf,
    is_version_2: bool,
}

impl Home {
    fn of(controller: &str) -> io::Result<Self> {
        let own = fs::read_to_string("/proc/self/cgroup")?;
        let mounts = fs::read_to_string("/proc/self/mountinfo")?;
        home(controller, &own, &mounts)
            .ok_or_else(|| io::Error::other(format!("no `{controller}` controller is mounted")))
    }
}

/// Finds the group in the texts of cgroups(7): version 1 where the controller has a mount of its
/// own, version 2 otherwise.
fn home(controller: &str, own: &str, mounts: &str) -> Option<Home> {
    let path_of = |wanted: &dyn Fn(&str) -> bool| {
        own.lines().find_map(|line| {
            let mut fields = line.splitn(3, ':').skip(1);
            let controllers = fields.next()?;
            let path = fields.next()?;
            wanted(controllers).then_some(path)
        })
    };
    let mount_of = |kind: &str, option: &str| {
        mounts.lines().find_map(|line| {
            let (front, back) = line.split_once(" - ")?;
            let mut back = back.split(' ');
            let fits = back.next()? == kind
                && (option.is_empty() || back.nth(1)?.split(',').any(|o| o == option));
            let mut front = front.split(' ').skip(3);
            let (root, place) = (front.next()?, front.next()?);
            fits.then_some((root, place))
        })
    };
    let in_version_1 = |list: &str| list.split(',').any(|c| c == controller);
    let (is_version_2, path, (root, place)) =
        match (path_of(&in_version_1), mount_of("cgroup", controller)) {
            (Some(path), Some(mount)) => (false, path, mount),
            _ => (true, path_of(&str::is_empty)?, mount_of("cgroup2", "")?),
        };
    // In a container the mount may show only a part of the tree.
    let below = Path::new(path).strip_prefix(root).unwrap_or(Path::new(""));
    Some(Home {
        folder: Path::new(place).join(below),
        is_version_2,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: &str = "36 25 0:30 / /sys/fs/cgroup/pids rw,relatime - cgroup cgroup rw,pids\n";
    const TWO: &str = "30 25 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw\n";

    fn found(controller: &str, own: &str, mounts: &str) -> Option<(String, bool)> {
        let home = home(controller, own, mounts)?;
        Some((home.folder.display().to_string(), home.is_version_2))
    }

    #[test]
    fn what_dead_processes_left_is_swept_and_nothing_else() {
        let home = tempfile::tempdir().unwrap();
        let id = Uuid::nil();
        // No process has the highest number there is: the kernel counts to 2^22 at most.
        let dead = format!("carl-{}-{id}", u32::MAX);
        let living = format!("carl-{}-{id}", std::process::id());
        let kept = [&living, "carl-9-notes", "other", &format!("carl-{id}")];
        for name in kept.iter().copied().chain([dead.as_str()]) {
            fs::create_dir(home.path().join(name)).unwrap();
        }
        sweep(home.path());
        assert!(!home.path().join(&dead).exists());
        for name in kept {
            assert!(home.path().join(name).exists(), "{name}");
        }
    }

    #[test]
    fn a_group_is_found_in_both_versions() {
        let own = "8:pids:/a/b\\n0::/user.slice\\n".replace("\\n", "\n");
        let place = found("pids", &own, ONE);
        assert_eq!(place, Some(("/sys/fs/cgroup/pids/a/b".to_owned(), false)));
        let place = found("pids", "0::/user.slice\n", TWO);
        assert_eq!(place, Some(("/sys/fs/cgroup/user.slice".to_owned(), true)));
        assert_eq!(found("memory", "0::/user.slice\n", ONE), None);
    }
}
