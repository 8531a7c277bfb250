//! Landlock: what may be read and written, which signals and sockets reach out.

use super::ledger::Ledger;
use super::view;
use crate::promise::name;
use crate::wire::Spec;
use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, LandlockStatus,
    PathBeneath, PathFd, RestrictionStatus, Ruleset, RulesetAttr, RulesetCreated,
    RulesetCreatedAttr, RulesetError, Scope,
};
use std::path::Path;

/// The newest interface whose rules are used.
const NEWEST: ABI = ABI::V7;
/// The oldest that keeps files from being changed by cutting them short.
const FILES: ABI = ABI::V3;
/// The oldest that knows network ports.
const NET: ABI = ABI::V4;
/// The oldest that keeps signals and abstract sockets inside.
const SCOPE: ABI = ABI::V6;
/// Devices that may be written.
const DEVICES: [&str; 5] = [
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
];
/// Folders in memory that the view makes for the program alone.
const IN_MEMORY: [&str; 2] = ["/tmp", "/dev/shm"];

pub(super) fn enter(spec: &Spec, ledger: &mut Ledger) {
    let has_view = ledger.has(name::MOUNT_VIEW);
    let entered = restrict(spec, has_view);
    let abi = match &entered {
        Ok(RestrictionStatus {
            landlock: LandlockStatus::Available { effective_abi, .. },
            ..
        }) => Ok(*effective_abi),
        Ok(_) => Err("Landlock is not enabled in this kernel".to_owned()),
        Err(error) => Err(error.to_string()),
    };
    let mut note = |name: &str, detail: &str, oldest: ABI| {
        let done = match &abi {
            Ok(abi) if *abi >= oldest => Ok(()),
            Ok(abi) => Err(format!(
                "needs Landlock {oldest:?}, this kernel has {abi:?}"
            )),
            Err(why) => Err(why.clone()),
        };
        let detail = match &abi {
            Ok(abi) => format!("{detail} (Landlock {abi:?})"),
            Err(_) => detail.to_owned(),
        };
        ledger.note(name, &detail, done);
    };
    note(name::LANDLOCK_FILES, "listed files only", FILES);
    note(
        name::LANDLOCK_SCOPE,
        "no signals and abstract sockets outwards",
        SCOPE,
    );
    if !spec.has_network {
        note(name::LANDLOCK_NET, "no TCP", NET);
    }
}

fn restrict(spec: &Spec, has_view: bool) -> Result<RestrictionStatus, RulesetError> {
    let ruleset = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(NEWEST))?
        .scope(Scope::from_all(NEWEST))?;
    let ruleset = match spec.has_network {
        true => ruleset,
        false => ruleset.handle_access(AccessNet::from_all(NEWEST))?,
    };
    let mut created = ruleset.create()?;
    let read = AccessFs::from_read(NEWEST);
    let all = AccessFs::from_all(NEWEST);
    if has_view {
        created = allow(created, Path::new("/"), read)?;
        for folder in IN_MEMORY {
            created = allow(created, Path::new(folder), all)?;
        }
    } else {
        let system = view::system_paths(spec).into_iter();
        for path in system.chain(spec.read.iter().cloned()) {
            created = allow(created, &path, read)?;
        }
    }
    for device in DEVICES {
        created = allow(created, Path::new(device), all & !AccessFs::Execute)?;
    }
    for path in spec.write.iter().chain(&spec.held).chain(&spec.scratch) {
        created = allow(created, path, all)?;
    }
    created.restrict_self()
}

/// Adds a rule for a path; one that is not there needs none.
fn allow(
    ruleset: RulesetCreated,
    path: &Path,
    access: BitFlags<AccessFs>,
) -> Result<RulesetCreated, RulesetError> {
    let Ok(fd) = PathFd::new(path) else {
        return Ok(ruleset);
    };
    let access = match path.is_dir() {
        true => access,
        false => access & AccessFs::from_file(NEWEST),
    };
    ruleset.add_rule(PathBeneath::new(fd, access))
}
