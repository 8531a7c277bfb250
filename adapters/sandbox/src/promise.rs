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
    pub(crate) const SECCOMP_OUTSIDE: &str = "seccomp_outside";
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
    (
        "files",
        &[&[n::MOUNT_VIEW], &[n::LANDLOCK_FILES, n::SECCOMP_OUTSIDE]],
    ),
    // Other processes cannot be seen, signalled or outlived.
    (
        "processes",
        &[
            &[n::PID_NAMESPACE, n::MOUNT_VIEW],
            &[n::LANDLOCK_SCOPE, n::LANDLOCK_FILES, n::SECCOMP_OUTSIDE],
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
    if ways.iter().any(|way| way.iter().all(&in_force)) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;
    use std::path::PathBuf;

    fn spec(frozen: &[&str]) -> Spec {
        Spec {
            argv: Vec::new(),
            folder: PathBuf::from("/"),
            read: Vec::new(),
            write: Vec::new(),
            scratch: None,
            scratch_links: Vec::new(),
            files: BTreeMap::new(),
            links: Vec::new(),
            held: Vec::new(),
            frozen: frozen.iter().map(PathBuf::from).collect(),
            hidden: Vec::new(),
            expendable: Vec::new(),
            environment: BTreeMap::new(),
            has_network: false,
            cpu_secs: 1,
            memory_bytes: 1,
            processes: 1,
            file_bytes: 1,
            open_files: 1,
            given: Vec::new(),
        }
    }

    fn told(names: &[&str], missing: &[&str]) -> Vec<Told> {
        let told = |name: &&str, missing: Option<String>| Told {
            name: (*name).to_owned(),
            detail: String::new(),
            missing,
        };
        let present = names.iter().filter(|n| !missing.contains(n));
        let absent = missing.iter().map(|n| told(n, Some("not here".to_owned())));
        present.map(|n| told(n, None)).chain(absent).collect()
    }

    const ALWAYS: [&str; 7] = [
        n::SECCOMP,
        n::SECCOMP_NET,
        n::NO_NEW_PRIVS,
        n::CAPABILITIES,
        n::KEYRING,
        n::DESCRIPTORS,
        n::RLIMITS,
    ];
    const BY_NAMESPACES: [&str; 3] = [n::PID_NAMESPACE, n::MOUNT_VIEW, n::PID_MAX];
    const BY_LANDLOCK: [&str; 4] = [
        n::LANDLOCK_FILES,
        n::SECCOMP_OUTSIDE,
        n::LANDLOCK_SCOPE,
        n::PROCESS_LIMIT,
    ];

    #[test]
    fn either_way_of_keeping_a_promise_will_do() {
        for way in [&BY_NAMESPACES[..], &BY_LANDLOCK] {
            let names = [&ALWAYS[..], way].concat();
            assert_eq!(check(&spec(&[]), &told(&names, &[])), Ok(()), "{way:?}");
        }
    }

    #[test]
    fn without_any_one_mechanism_nothing_runs() {
        for way in [&BY_NAMESPACES[..], &BY_LANDLOCK] {
            let names = [&ALWAYS[..], way].concat();
            for gone in &names {
                let refused = check(&spec(&[]), &told(&names, &[gone]));
                let Err(Refusal::Promise { why, .. }) = refused else {
                    panic!("{gone} was missing from {way:?}, and it was called kept");
                };
                assert!(why.contains("not here"), "{gone}: {why}");
            }
        }
    }

    #[test]
    fn protected_places_need_a_view() {
        let names = [&ALWAYS[..], &BY_LANDLOCK].concat();
        let refused = check(&spec(&["/w/.git"]), &told(&names, &[]));
        assert!(
            matches!(refused, Err(Refusal::Promise { promise, .. }) if promise == "protected_places")
        );
    }
}
