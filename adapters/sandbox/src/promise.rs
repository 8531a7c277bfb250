//! What the sandbox promises, and which mechanisms keep each promise. A promise that none keeps is
//! a refusal.

use crate::wire::{Spec, Told};
use api::sandbox::Refusal;

/// Names of the mechanisms.
pub(crate) mod name {
    pub(crate) const USER_NAMESPACE: &str = "user_namespace";
    pub(crate) const MOUNT_VIEW: &str = "mount_view";
    pub(crate) const PID_NAMESPACE: &str = "pid_namespace";
    pub(crate) const NET_NAMESPACE: &str = "net_namespace";
    pub(crate) const IPC_NAMESPACE: &str = "ipc_namespace";
    pub(crate) const LANDLOCK_FILES: &str = "landlock_files";
    pub(crate) const LANDLOCK_SCOPE: &str = "landlock_scope";
    pub(crate) const LANDLOCK_NET: &str = "landlock_net";
    pub(crate) const SECCOMP: &str = "seccomp";
    pub(crate) const SECCOMP_NET: &str = "seccomp_net";
    pub(crate) const NO_NEW_PRIVS: &str = "no_new_privs";
    pub(crate) const CAPABILITIES: &str = "capabilities";
    pub(crate) const KEYRING: &str = "session_keyring";
    pub(crate) const DESCRIPTORS: &str = "descriptors";
    pub(crate) const RLIMITS: &str = "rlimits";
    pub(crate) const CGROUP_PIDS: &str = "cgroup_pids";
    pub(crate) const CGROUP_MEMORY: &str = "cgroup_memory";
    pub(crate) const PID_MAX: &str = "pid_max";
    pub(crate) const PROCESS_LIMIT: &str = "rlimit_nproc";
}

use name as n;

/// Each promise, what it means, and the sets of mechanisms of which one must be in force whole.
const PROMISES: [(&str, &[&[&str]]); 8] = [
    ("files", &[&[n::MOUNT_VIEW], &[n::LANDLOCK_FILES]]),
    // Other processes cannot be seen, signalled or outlived.
    (
        "processes",
        &[
            &[n::PID_NAMESPACE, n::MOUNT_VIEW],
            &[n::LANDLOCK_SCOPE, n::LANDLOCK_FILES],
        ],
    ),
    ("system_calls", &[&[n::SECCOMP]]),
    ("privileges", &[&[n::NO_NEW_PRIVS, n::CAPABILITIES]]),
    ("keys", &[&[n::SECCOMP, n::KEYRING]]),
    ("descriptors", &[&[n::DESCRIPTORS]]),
    ("limits", &[&[n::RLIMITS]]),
    (
        "process_count",
        &[&[n::CGROUP_PIDS], &[n::PID_MAX], &[n::PROCESS_LIMIT]],
    ),
];

/// Checks every promise against what is in force.
pub(crate) fn check(spec: &Spec, told: &[Told]) -> Result<(), Refusal> {
    for (promise, ways) in PROMISES {
        kept(promise, ways, told)?;
    }
    if !spec.has_network {
        kept("network", &[&[n::SECCOMP_NET]], told)?;
    }
    // Landlock cannot take back a part of what it gives.
    if !(spec.frozen.is_empty() && spec.hidden.is_empty()) {
        kept("protected_places", &[&[n::MOUNT_VIEW]], told)?;
    }
    Ok(())
}

fn kept(promise: &str, ways: &[&[&str]], told: &[Told]) -> Result<(), Refusal> {
    let in_force = |name: &&str| told.iter().any(|t| t.name == *name && t.missing.is_none());
    if ways.iter().any(|way| way.iter().all(|name| in_force(name))) {
        return Ok(());
    }
    let mut reasons: Vec<String> = Vec::new();
    for name in ways.iter().flat_map(|way| way.iter()) {
        let found = told.iter().find(|t| t.name == *name);
        match found.and_then(|t| t.missing.as_ref()) {
            Some(why) => reasons.push(format!("{name}: {why}")),
            None if found.is_none() => reasons.push(format!("{name}: not tried")),
            None => {}
        }
    }
    reasons.dedup();
    Err(Refusal::Promise {
        promise: promise.to_owned(),
        why: reasons.join("; "),
    })
}
