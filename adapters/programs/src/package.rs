//! `package_install`: a trial first, the real thing only when asked for. Names are checked against
//! each installer's own grammar, so that none is an option, a file, a path or an address.
//!
//! Two steps: packages are fetched with the network by the system's own installer in an empty
//! folder, where nothing of the user's can be read and nothing of the project's is run or asked; then
//! they are installed in the project, without a network.

mod index;
mod request;
mod steps;

use self::request::{Manager, PackageInstall, VENV};
use self::steps::{Places, Step, Steps};
use crate::command::{self, Ground};
use crate::notes::Note;
use crate::output::{command_lines, output};
use crate::runner::{Launch, Runner, limits};
use crate::scratch::ScratchFolder;
use api::authority::JudgedCall;
use api::executor::{ReportSink, ToolFailure};
use api::failure::{broken, mendable};
use api::sandbox::{Ended, Finished, Job, Network};
use domain::limits::INSTALL_TIME;
use domain::tool::ToolOutput;
use std::path::{Path, PathBuf};
use text::escape::quoted_argv;

/// Longest name with its version, bytes.
const NAME_BYTES: usize = 128;
/// Endings of what installers take for a file, in lower case.
const ARCHIVES: [&str; 14] = [
    ".whl", ".egg", ".zip", ".tar", ".gz", ".tgz", ".bz2", ".tbz", ".xz", ".txz", ".lzma", ".tlz",
    ".deb", ".crate",
];

/// Whether a name is one that the installer would take from its index.
fn is_name(manager: Manager, name: &str) -> bool {
    let starts_well = |text: &str| text.starts_with(|c: char| c.is_ascii_alphanumeric());
    let holds = |text: &str, more: &str| {
        !text.is_empty()
            && text
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || more.contains(c))
    };
    let with_version = |mark: &str, more: &str, version: &str| {
        let (package, rest) = match name.split_once(mark) {
            Some((package, rest)) => (package, Some(rest)),
            None => (name, None),
        };
        starts_well(package)
            && holds(package, more)
            && rest.is_none_or(|rest| starts_well(rest) && holds(rest, version))
    };
    let lower = name.to_lowercase();
    if name.len() > NAME_BYTES || ARCHIVES.iter().any(|ending| lower.ends_with(ending)) {
        return false;
    }
    match manager {
        // deb-control(7): lower case, digits, plus, minus, dot; `:arch` and `=version` may follow.
        Manager::Apt => {
            let is_lower = !name
                .split('=')
                .next()
                .unwrap_or(name)
                .contains(|c: char| c.is_ascii_uppercase());
            // A minus at the end means removal.
            is_lower && !name.ends_with(['-', '+']) && with_version("=", "+-.:", ".+:~-")
        }
        // PEP 508 without addresses and markers.
        Manager::Pip => with_version("==", "-_.", ".+!-_"),
        // Cargo's rule for names, with `@version`.
        Manager::Cargo => with_version("@", "-_", ".+-"),
        Manager::Npm => {
            let plain = |text: &str| {
                let (package, version) = match text.split_once('@') {
                    Some((package, version)) => (package, Some(version)),
                    None => (text, None),
                };
                starts_well(package)
                    && holds(package, "-_.")
                    && version.is_none_or(|v| starts_well(v) && holds(v, ".+-"))
            };
            match name.strip_prefix('@').and_then(|rest| rest.split_once('/')) {
                Some((scope, package)) => {
                    starts_well(scope) && holds(scope, "-_.") && plain(package)
                }
                None => plain(name),
            }
        }
    }
}

impl PackageInstall {
    fn checked(self) -> Result<Self, ToolFailure> {
        if self.names.is_empty() {
            return Err(mendable("no_names", "Name at least one package."));
        }
        match self.names.iter().find(|name| !is_name(self.manager, name)) {
            None => Ok(self),
            Some(name) => Err(mendable(
                "bad_package_name",
                format!(
                    "{name:?} is no plain package name. Options, addresses and paths are not taken; \
                     give the name, with a version if one is needed."
                ),
            )),
        }
    }

    /// Refuses what cannot be done here, before anything is run or asked.
    fn fits(
        &self,
        runner: &Runner,
        call: &JudgedCall,
        workspace: &Path,
    ) -> Result<(), ToolFailure> {
        // What the system's own installer would do is worked out from what it knows already.
        if runner.config.air_gap && self.manager != Manager::Apt {
            return Err(mendable(
                "air_gap",
                "Packages are fetched from the network, which the air gap forbids. Do without them, \
                 or ask the user to install them.",
            ));
        }
        if let Some(name) = self.names.iter().find(|n| workspace.join(n).is_file()) {
            return Err(mendable(
                "bad_package_name",
                format!("{name:?} is a file in the working folder, and files are not installed."),
            ));
        }
        if self.dry_run {
            return Ok(());
        }
        if self.manager == Manager::Apt {
            return Err(mendable(
                "needs_the_user",
                format!(
                    "Installing system packages changes the whole machine and runs their scripts as \
                     the super user, which the sandbox does not do. Ask the user to run: apt-get \
                     install {}",
                    self.names.join(" ")
                ),
            ));
        }
        let writable = &Ground::of(runner, call).write;
        match writable.iter().any(|root| workspace.starts_with(root)) {
            true => Ok(()),
            false => Err(mendable(
                "not_writable",
                format!(
                    "{} is not open for writing, and packages are installed there. Ask the user \
                     to start with `--allow-write .`.",
                    workspace.display()
                ),
            )),
        }
    }

    /// Whose code runs, for the user.
    fn code(&self, workspace: &Path) -> &'static str {
        match (self.manager, self.dry_run) {
            (Manager::Apt, _) => "No code of the packages is run by this.",
            (_, true) => "No code of the packages or of the project is run by this.",
            (Manager::Pip, false) if workspace.join(VENV).exists() => {
                "No code of the packages is run by this. The python of the project's .venv runs, \
                 without network."
            }
            (Manager::Pip, false) => "No code of the packages or of the project is run by this.",
            (Manager::Cargo | Manager::Npm, false) => {
                "No code of the packages is run by this. Programs that the project's own \
                 configuration names may run, without network."
            }
        }
    }
}

pub(crate) async fn run(
    runner: &Runner,
    call: &JudgedCall,
    progress: &ReportSink,
) -> Result<ToolOutput, ToolFailure> {
    let asked = call.parse_arguments::<PackageInstall>()?.checked()?;
    let workspace = command::workspace(call)?;
    asked.fits(runner, call, &workspace)?;
    let (store, scratches) = (
        ScratchFolder::new()?,
        [ScratchFolder::new()?, ScratchFolder::new()?],
    );
    let places = Places {
        scratch: [scratches[0].folder.clone(), scratches[1].folder.clone()],
        store: store.folder.clone(),
        home: runner.config.home.clone(),
        workspace,
    };
    let steps = asked.steps(&places)?;
    for (name, content) in &steps.stored {
        put(&store.folder.join(name), content)?;
    }
    let mut last = None;
    for (step, scratch) in steps.all.into_iter().zip(scratches) {
        let is_fetching = step.network == Network::Host;
        let (finished, mut notes) =
            run_step((runner, call), &places, step, scratch, progress).await?;
        let has_failed = finished.ended != Ended::Exited(0);
        if is_fetching && has_failed {
            notes.push(unfetched(asked.manager));
            return output("package_install", &finished, &notes);
        }
        last = Some((finished, notes));
    }
    let Some((finished, notes)) = last else {
        return Err(broken("no_step", "Nothing was run."));
    };
    output("package_install", &finished, &notes)
}

async fn run_step(
    (runner, call): (&Runner, &JudgedCall),
    places: &Places,
    step: Step,
    scratch: ScratchFolder,
    progress: &ReportSink,
) -> Result<(Finished, Vec<Note>), ToolFailure> {
    let mut environment = scratch.environment(&step.programs);
    let more = step.environment.into_iter();
    environment.extend(more.map(|(name, value)| (name.to_owned(), value)));
    let mut limits = limits();
    limits.wall = INSTALL_TIME;
    // The store is nobody's but this call's.
    let guarded = step.write.iter().filter(|path| **path != places.store);
    let launch = Launch {
        searched: step.read.clone(),
        guarded: guarded.cloned().collect(),
        session_id: Some(call.session_id),
        checkpoints: None,
        job: Job {
            argv: step.argv,
            folder: step.folder,
            read: step.read,
            write: step.write,
            scratch: scratch.with(step.files),
            links: Vec::new(),
            held: Vec::new(),
            frozen: Vec::new(),
            hidden: Vec::new(),
            expendable: Vec::new(),
            environment,
            input: Vec::new(),
            network: step.network,
            limits,
        },
        scratch,
    };
    let line = quoted_argv(&launch.job.argv);
    runner.finish_shown((call, line), launch, progress).await
}

/// Writes a file of the store.
fn put(file: &Path, content: &[u8]) -> Result<(), ToolFailure> {
    let written = match file.parent() {
        Some(folder) => std::fs::create_dir_all(folder),
        None => Ok(()),
    };
    written
        .and_then(|()| std::fs::write(file, content))
        .map_err(|error| {
            broken(
                "no_scratch",
                format!("No scratch file can be made: {error}."),
            )
        })
}

/// What else there is to say when nothing could be fetched.
fn unfetched(manager: Manager) -> Note {
    let why = match manager {
        Manager::Pip => {
            "nothing was installed; only packages that are built already are taken, since building \
             one runs its code: ask the user to install the others"
        }
        Manager::Apt | Manager::Cargo | Manager::Npm => "nothing was installed",
    };
    Note::Hint(why.to_owned())
}

pub(crate) fn preview(runner: &Runner, call: &JudgedCall) -> Result<String, ToolFailure> {
    let asked = call.parse_arguments::<PackageInstall>()?.checked()?;
    let places = Places {
        workspace: command::workspace(call)?,
        home: runner.config.home.clone(),
        scratch: ["/scratch", "/scratch"].map(PathBuf::from),
        store: PathBuf::from("/fetched"),
    };
    asked.fits(runner, call, &places.workspace)?;
    let steps = asked.steps(&places)?;
    Ok(shown(&asked, &steps, &places.workspace))
}

fn shown(asked: &PackageInstall, steps: &Steps, workspace: &Path) -> String {
    let mut text = String::new();
    for step in &steps.all {
        text.push_str(&command_lines(&step.argv));
        text.push_str(&match (&steps.index, step.network) {
            (Some(index), Network::Host) => format!(
                "{} from {}: {}, and the packages that {} on. In the sandbox, WITH this machine's \
                 network, including loopback and the local network; in an empty folder, where \
                 nothing of yours can be read.\n",
                if asked.dry_run { "Looks up" } else { "Fetches" },
                index
                    .shown()
                    .map_or_else(|| asked.manager.public_index(), str::to_owned),
                asked.names.join(", "),
                if asked.names.len() == 1 {
                    "it depends"
                } else {
                    "these depend"
                },
            ),
            (Some(_), Network::None) => format!(
                "Installs what was fetched in {0}, in the sandbox, without network; reads and \
                 changes {0}.\n",
                workspace.display()
            ),
            (None, _) => "Runs in the sandbox, without network.\n".to_owned(),
        });
    }
    if asked.dry_run {
        text.push_str("A trial: nothing is installed.\n");
    }
    text.push_str(&format!("{}\n", asked.code(workspace)));
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn places() -> Places {
        Places {
            workspace: PathBuf::from("/w"),
            home: PathBuf::from("/nowhere"),
            scratch: ["/s1", "/s2"].map(PathBuf::from),
            store: PathBuf::from("/store"),
        }
    }

    #[test]
    fn what_has_a_network_has_nothing_of_the_users() {
        for manager in ["pip", "cargo", "npm"] {
            for dry_run in [true, false] {
                let arguments = json!({"manager": manager, "names": ["x"], "dry_run": dry_run});
                let asked: PackageInstall = serde_json::from_value(arguments).unwrap();
                let asked = asked.checked().unwrap();
                let Ok(steps) = asked.steps(&places()) else {
                    // The language is not installed here.
                    continue;
                };
                assert_eq!(steps.all.len(), if dry_run { 1 } else { 2 });
                let fetch = &steps.all[0];
                assert_eq!(fetch.network, Network::Host);
                assert_eq!(fetch.folder, PathBuf::from("/s1"));
                assert_eq!(fetch.write, [PathBuf::from("/store")]);
                let touches = |step: &Step| {
                    let mut paths = step.read.iter().chain(&step.write).chain([&step.folder]);
                    paths.any(|path| path.starts_with("/w"))
                };
                assert!(!touches(fetch) && !fetch.argv.join(" ").contains("/w/"));
                let text = shown(&asked, &steps, Path::new("/w"));
                assert!(text.contains("including loopback"), "{text}");
                if let Some(install) = steps.all.get(1) {
                    assert_eq!(install.network, Network::None);
                    assert!(touches(install));
                    assert!(text.contains("without network"), "{text}");
                }
            }
        }
    }

    #[test]
    fn names_are_names_and_nothing_else() {
        let good = [
            (Manager::Apt, "libssl-dev"),
            (Manager::Apt, "g++-12"),
            (Manager::Apt, "curl=7.88.1-10+deb12u5"),
            (Manager::Pip, "requests"),
            (Manager::Pip, "zope.interface==6.0"),
            (Manager::Cargo, "serde_json@1.0.100"),
            (Manager::Npm, "left-pad"),
            (Manager::Npm, "@types/node@20.1.0"),
        ];
        for (manager, name) in good {
            assert!(is_name(manager, name), "{name}");
        }
        let bad = [
            "",
            "-y",
            "--index-url=http://evil",
            "git+https://evil/x",
            "https://evil/x.whl",
            "./local",
            "../up",
            "/abs",
            "a b",
            "a;b",
            "a$(b)",
            "a\nb",
            "a\0b",
            "@file",
            "name @ https://evil",
            "evil-1.0-py3-none-any.whl",
            "x.ZIP",
            "x.tar.gz",
            "x.tgz",
            "pаckage",
        ];
        for name in bad {
            for manager in [Manager::Apt, Manager::Pip, Manager::Cargo, Manager::Npm] {
                assert!(!is_name(manager, name), "{manager:?} {name:?}");
            }
        }
        assert!(!is_name(Manager::Apt, "openssh-server-"));
        let at_limit = "a".repeat(NAME_BYTES);
        assert!(is_name(Manager::Pip, &at_limit));
        assert!(!is_name(Manager::Pip, &format!("{at_limit}a")));
    }
}
