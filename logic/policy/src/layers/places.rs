//! Where a call may reach: the layers of paths and of hosts.

use crate::findings::{allow, closed_folder, finding};
use crate::paths::is_within;
use crate::view::{Target, View};
use domain::decision::{Finding, Layer, Verdict};
use domain::settings::Attendance;
use domain::tool::{EffectClass, TargetKind};
use protected::Protection;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use unicode_normalization::UnicodeNormalization;

/// What a model is told when a path is not for it: the same whether anything is there or not.
const PATH_MODEL_REASON: &str =
    "This path is not available to you. Use paths inside the working folder.";
/// What a model is told of a change in the working folder, where that is not open: no other path would
/// do, so it passes on what the user can type.
const CLOSED_MODEL_REASON: &str = "The working folder is not open for writing, so nothing was \
    changed, and no other path will do. Tell the user that nothing was written, and that \
    `--allow-write .` opens the folder.";

/// Whether every path is in a folder it may use, and the folder to open for writing, when that is
/// to be asked.
pub(super) fn paths(view: &View<'_>) -> (Finding, Option<PathBuf>) {
    let mut worst = allow(
        Layer::Path,
        "inside_roots",
        "Every path is in a folder it may use.",
    );
    let mut write_root = None;
    for target in &view.targets {
        let Some(path) = &target.path else { continue };
        let found = match path {
            Err(problem) => Some(finding(
                Layer::Path,
                Verdict::Deny,
                "bad_path",
                format!(
                    "The argument `{}` is not a usable path: {problem}.",
                    target.argument
                ),
                format!("`{}` is not a usable path: {problem}.", target.argument),
            )),
            Ok(path) => one_path(view, target, path),
        };
        if let Some(found) = found.filter(|f| f.verdict > worst.verdict) {
            worst = found;
        }
    }
    if worst.verdict == Verdict::Confirm {
        write_root = Some(view.question.settings.workspace.clone());
    }
    (worst, write_root)
}

/// What the protected places say to a path.
fn protected_path(view: &View<'_>, path: &Path, is_write: bool) -> Option<Finding> {
    let protection = if is_write {
        // The working folder is the one that the user may be asked to open.
        let mut roots = view.bound.write_roots.clone();
        roots.push(view.question.settings.workspace.clone());
        view.protected.refuses_write(path, &roots)
    } else {
        view.protected.refuses_read(path, &view.bound.read_roots)
    };
    let shown = path.display();
    Some(match protection? {
        Protection::Own => deny_path(
            "own_folder",
            format!(
                "{shown} holds Housecarl's own configuration, state or data, or is a folder above \
                 it: no tool may use it."
            ),
        ),
        Protection::Credentials => deny_path(
            "credentials",
            format!(
                "{shown} holds keys or passwords: no tool reads or changes them, and no model sees \
                 them."
            ),
        ),
        Protection::RunsLater => deny_path(
            "protected",
            format!(
                "{shown} is protected: other programs run or trust what is in it. Change it \
                 yourself if you mean to."
            ),
        ),
        Protection::Closed => {
            // What is above a name directly in the home would open the home, and not the name.
            let above = path
                .parent()
                .filter(|above| view.protected.is_below_dot(above));
            match is_write {
                true => closed_name(view, path, "--allow-write", above.unwrap_or(path)),
                false => closed_name(view, path, "--allow-read", path),
            }
        }
    })
}

/// A name with a dot in the home, which nobody opened, with the flag and the path that would.
fn closed_name(view: &View<'_>, path: &Path, flag: &str, to_open: &Path) -> Finding {
    let agent = view.agent();
    let how = format!("open it by its own name (`{flag} {}`)", typed(to_open));
    deny_path(
        "closed_name",
        format!(
            "{} lies beneath a name with a dot in your home, where programs keep settings, keys and \
             logins: such names are closed, also to an agent that may use the home. To let \
             `{agent}` use it: {how}.",
            path.display()
        ),
    )
}

fn one_path(view: &View<'_>, target: &Target<'_>, path: &Path) -> Option<Finding> {
    let is_write = target.kind == TargetKind::WritePath;
    let protected = protected_path(view, path, is_write);
    if protected.is_some() {
        return protected;
    }
    let (tool, agent) = (view.tool_name(), view.agent());
    if !is_write {
        let is_inside = is_within(path, &view.bound.read_roots);
        return (!is_inside).then(|| deny_path("outside_roots", format!(
            "{tool} would read {}, which is outside what `{agent}` may read ({}). To open it: \
             `--allow-read {}`, or for good `allowed_paths: fs_read` of `{agent}` in agents.yaml.",
            path.display(), list(&view.bound.read_roots), typed(path))));
    }
    if is_within(path, &view.bound.write_roots) {
        return None;
    }
    let settings = view.question.settings;
    let is_in_workspace = path.starts_with(&settings.workspace);
    if is_in_workspace && settings.attendance == Attendance::Attended {
        return Some(closed_folder(&settings.workspace));
    }
    let folder = if is_in_workspace {
        settings.workspace.as_path()
    } else {
        path.parent().unwrap_or(path)
    };
    // The folder alone would not do where nobody is there to confirm the change.
    let effect = view.tool.spec.effect;
    let is_asked = settings.attendance == Attendance::Attended;
    let and_yes = match is_asked || settings.auto_approve.contains(&effect) {
        true => String::new(),
        false => format!(
            ", and to approve the change in advance: `--yes {}`",
            effect.as_str()
        ),
    };
    let mut denied = deny_path(
        "outside_roots",
        format!(
            "{tool} would change {}, which is outside what `{agent}` may write ({}). To open the folder: \
         `--allow-write {}`{and_yes}.",
            path.display(),
            list(&view.bound.write_roots),
            typed(folder)
        ),
    );
    if is_in_workspace {
        denied.model_reason = CLOSED_MODEL_REASON.to_owned();
    }
    Some(denied)
}

/// A path as it is typed into a shell.
fn typed(path: &Path) -> String {
    let path = path.to_string_lossy();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:@%+,".contains(c);
    match path.chars().all(is_plain) {
        true => path.into_owned(),
        false => format!("'{}'", path.replace('\'', "'\\''")),
    }
}

fn deny_path(rule: &str, user_reason: String) -> Finding {
    finding(
        Layer::Path,
        Verdict::Deny,
        rule,
        PATH_MODEL_REASON,
        user_reason,
    )
}

/// The roots by name. One that is open in two Unicode forms reads the same, and is named once.
fn list(roots: &[PathBuf]) -> String {
    let mut named = BTreeSet::new();
    let mut names: Vec<String> = roots.iter().map(|r| r.display().to_string()).collect();
    names.retain(|name| named.insert(name.nfc().collect::<String>()));
    if names.is_empty() {
        "nothing".to_owned()
    } else {
        names.join(", ")
    }
}

/// Whether every address is on the user's list; for a call that only looks, whether the user or a
/// search named the page.
pub(super) fn egress(view: &View<'_>) -> Finding {
    let only_looks = view.tool.spec.effect == EffectClass::Read;
    let known = view.question.flow.provenance;
    let refused = view
        .targets
        .iter()
        .filter(|target| target.kind == TargetKind::Url)
        .filter(|target| !(only_looks && known.may_be_fetched(target.raw)))
        .find(|target| !is_listed(view, target.raw));
    match refused {
        Some(target) if only_looks => finding(
            Layer::Egress,
            Verdict::Deny,
            "page_not_named",
            "Only a page that web_search found, or that the user gave, may be read. Search for it \
             first, or ask the user for its address.",
            format!(
                "Neither you nor a search of this session named {:?}.",
                target.raw
            ),
        ),
        None => allow(
            Layer::Egress,
            "no_destination",
            "It names no host that is not on the list.",
        ),
        Some(target) => finding(
            Layer::Egress,
            Verdict::Deny,
            "host_not_listed",
            "This address is not available to you.",
            format!(
                "The host of {:?} is not on the list of allowed hosts.",
                target.raw
            ),
        ),
    }
}

/// Whether a URL is plain `https://HOST/…` with a listed host. Anything cleverer (user names, ports,
/// escapes, odd letters) is not taken apart but refused.
fn is_listed(view: &View<'_>, url: &str) -> bool {
    let Some(rest) = url.strip_prefix("https://") else {
        return false;
    };
    let host = rest.split(['/', '?', '#']).next().unwrap_or(rest);
    let is_plain = host
        .bytes()
        .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'.' || b == b'-');
    is_plain && view.egress_hosts.contains(host)
}
