//! Folders and addresses that commands need besides the state folder: told of where one cannot be used.

use crate::setting::Setting;
use crate::wiring::House;
use terminal::doctor::{self, Check};

/// Parts of the state folder, each of which may have an owner or a disk of its own.
const PARTS: [(&str, &str); 4] = [
    ("sessions", "sessions"),
    ("undo history", "undo"),
    ("audit folder", "audit"),
    ("memory folder", "memory"),
];

/// Folders and files of the state folder with another owner, as a command with sudo leaves behind or a
/// backup that was put back by root: told of, since what may not be read looks like what is not there.
pub(super) fn foreign(setting: &Setting) -> Option<Check> {
    let state = &setting.paths.state;
    let owner = rustix::process::geteuid().as_raw();
    let (first, count) = doctor::foreign(state, owner)?;
    let others = match count {
        1 => String::new(),
        _ => format!(", and {} more in {}", count - 1, state.display()),
    };
    let hint = format!(
        "Have all of it belong to you: `sudo chown -R \"$USER\" {}`.",
        state.display()
    );
    let detail = format!("not yours: {}{others}", first.display());
    Some(Check::note("owner", detail, hint))
}

/// Folders that are there and cannot be written, and a runtime folder that cannot be used.
pub(super) fn folders(setting: &Setting) -> Vec<Check> {
    let mut checks: Vec<Check> = PARTS
        .iter()
        .map(|(name, part)| (*name, setting.paths.state.join(part)))
        // One that is not there yet is made in the state folder.
        .filter(|(_, folder)| folder.exists())
        .filter_map(|(name, folder)| {
            let otherwise = format!(
                "Have it and what is in it belong to you: `sudo chown -R \"$USER\" {0}` and \
                 `chmod u+rwx {0}`.",
                folder.display()
            );
            doctor::folder(name, &folder, &otherwise)
        })
        .collect();
    let runtime = &setting.paths.runtime;
    // Within the state folder it stands and falls with that.
    if !runtime.starts_with(&setting.paths.state) {
        let otherwise = "`carl serve` and what shares one house need it. Name a folder of yours in \
                         XDG_RUNTIME_DIR, or leave that variable out.";
        checks.extend(doctor::folder("runtime folder", runtime, otherwise));
    }
    checks
}

/// The inbox, where it cannot be opened.
pub(super) async fn inbox(house: &House) -> Option<Check> {
    let error = house.open_inbox().await.err()?;
    let mut check = Check::bad("inbox", &error);
    if check.hint.is_empty() {
        check.hint = "End what listens there, or write another `listen` under [inbox].".to_owned();
    }
    Some(check)
}
