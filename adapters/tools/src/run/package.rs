//! `package_install`: a trial first, the real thing only when asked for. Names are checked against
//! each installer's own grammar, so that none is an option, a path or an address.

use super::scratch::Desk;
use super::shell::{self, Ground};
use super::{Bay, limits, shown_argv};
use crate::arguments;
use crate::failure::mendable;
use api::authority::JudgedCall;
use api::executor::{ProgressSink, ToolFailure};
use api::sandbox::{Job, Network};
use domain::limits::INSTALL_TIME;
use domain::tool::ToolOutput;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Longest name with its version, bytes.
const NAME_BYTES: usize = 128;
/// The folder pip installs into, in the working folder.
const VENV: &str = ".venv";

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Manager {
    Apt,
    Pip,
    Cargo,
    Npm,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct PackageInstall {
    manager: Manager,
    names: Vec<String>,
    #[serde(default = "yes")]
    dry_run: bool,
}

const fn yes() -> bool {
    true
}

/// What is run, and with which rights.
#[derive(Debug)]
struct Installation {
    argv: Vec<String>,
    folder: PathBuf,
    read: Vec<PathBuf>,
    write: Vec<PathBuf>,
    /// Folders of programs before the system's.
    programs: Vec<PathBuf>,
    environment: Vec<(&'static str, String)>,
    network: Network,
}

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
    if name.len() > NAME_BYTES {
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
    fn checked(arguments: &serde_json::Value) -> Result<Self, ToolFailure> {
        let asked: Self = arguments::parse(arguments)?;
        if asked.names.is_empty() {
            return Err(mendable("no_names", "Name at least one package."));
        }
        match asked
            .names
            .iter()
            .find(|name| !is_name(asked.manager, name))
        {
            None => Ok(asked),
            Some(name) => Err(mendable(
                "bad_package_name",
                format!(
                    "{name:?} is no plain package name. Options, addresses and paths are not taken; \
                     give the name, with a version if one is needed."
                ),
            )),
        }
    }

    fn installation(
        &self,
        bay: &Bay,
        call: &JudgedCall,
        desk: &Path,
    ) -> Result<Installation, ToolFailure> {
        let workspace = shell::workspace(call)?;
        let own = desk.to_string_lossy().into_owned();
        if !self.dry_run && self.manager != Manager::Apt {
            let writable = &Ground::of(bay, call).write;
            if !writable.iter().any(|root| workspace.starts_with(root)) {
                return Err(mendable(
                    "not_writable",
                    format!(
                        "{} is not open for writing, and packages are installed there. Ask the user \
                         to start with `--allow-write .`.",
                        workspace.display()
                    ),
                ));
            }
        }
        match self.manager {
            Manager::Apt => self.apt(workspace),
            Manager::Pip => Ok(self.pip(&workspace, &own)),
            Manager::Cargo => Ok(self.cargo(bay, &workspace, &own)),
            Manager::Npm => Ok(self.npm(&workspace, &own)),
        }
    }

    fn apt(&self, workspace: PathBuf) -> Result<Installation, ToolFailure> {
        if !self.dry_run {
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
        let fixed = ["apt-get", "--simulate", "--assume-yes", "install", "--"];
        Ok(Installation {
            argv: self.command(&fixed),
            folder: workspace.clone(),
            read: [
                "/etc/apt",
                "/etc/dpkg",
                "/var/lib/apt",
                "/var/lib/dpkg",
                "/var/cache/apt",
            ]
            .map(PathBuf::from)
            .into_iter()
            .chain([workspace])
            .collect(),
            write: Vec::new(),
            programs: Vec::new(),
            environment: Vec::new(),
            network: Network::None,
        })
    }

    /// Into an environment of the project's own, never the system's. A trial makes it in the
    /// scratch folder.
    fn pip(&self, workspace: &Path, desk: &str) -> Installation {
        // A fixed text; the folder and the names are its arguments.
        let script = "venv=$1; shift; trial=$1; shift; \
            [ -x \"$venv/bin/pip\" ] || python3 -m venv \"$venv\" || exit; \
            exec \"$venv/bin/pip\" --no-input --disable-pip-version-check install $trial -- \"$@\"";
        let (venv, trial) = match self.dry_run {
            true => (format!("{desk}/{VENV}"), "--dry-run"),
            false => (workspace.join(VENV).to_string_lossy().into_owned(), ""),
        };
        let folder = match self.dry_run {
            true => PathBuf::from(desk),
            false => workspace.to_path_buf(),
        };
        Installation {
            argv: self.command(&["/bin/sh", "-c", script, "sh", &venv, trial]),
            folder,
            read: Vec::new(),
            write: self.written(workspace),
            programs: Vec::new(),
            environment: Vec::new(),
            network: Network::Host,
        }
    }

    fn cargo(&self, bay: &Bay, workspace: &Path, desk: &str) -> Installation {
        let trial: &[&str] = if self.dry_run { &["--dry-run"] } else { &[] };
        let fixed: Vec<&str> = ["cargo", "add"].iter().chain(trial).copied().collect();
        let found = super::toolchain::find(super::toolchain::Language::Rust, &bay.given.home);
        let (programs, mut read) = match found {
            Ok(chain) => (chain.programs, chain.read),
            Err(_) => (Vec::new(), Vec::new()),
        };
        read.push(workspace.to_path_buf());
        Installation {
            argv: self.command(&[&fixed[..], &["--"]].concat()),
            folder: workspace.to_path_buf(),
            read,
            write: self.written(workspace),
            programs,
            environment: vec![("CARGO_HOME", format!("{desk}/cargo"))],
            network: Network::Host,
        }
    }

    /// Scripts that packages bring along are not run.
    fn npm(&self, workspace: &Path, desk: &str) -> Installation {
        let trial: &[&str] = if self.dry_run { &["--dry-run"] } else { &[] };
        let fixed = [
            "npm",
            "install",
            "--ignore-scripts",
            "--no-audit",
            "--no-fund",
        ];
        let fixed: Vec<&str> = fixed.iter().chain(trial).chain(&["--"]).copied().collect();
        Installation {
            argv: self.command(&fixed),
            folder: workspace.to_path_buf(),
            read: vec![workspace.to_path_buf()],
            write: self.written(workspace),
            programs: Vec::new(),
            environment: vec![("npm_config_cache", format!("{desk}/npm"))],
            network: Network::Host,
        }
    }

    /// Whether what the packages bring along runs already now.
    const fn foreign_code(&self) -> &'static str {
        match (self.manager, self.dry_run) {
            (Manager::Pip, false) => "Code of the packages may run while they are installed.",
            // To learn what a package needs, pip builds those that are not built yet.
            (Manager::Pip, true) => "Code of the packages may run during the trial too.",
            (Manager::Npm, _) => "Scripts of the packages are not run while they are installed.",
            (Manager::Cargo | Manager::Apt, _) => "No code of the packages is run by this.",
        }
    }

    fn written(&self, workspace: &Path) -> Vec<PathBuf> {
        match self.dry_run {
            true => Vec::new(),
            false => vec![workspace.to_path_buf()],
        }
    }

    fn command(&self, fixed: &[&str]) -> Vec<String> {
        let fixed = fixed.iter().map(|part| (*part).to_owned());
        fixed.chain(self.names.iter().cloned()).collect()
    }
}

pub(super) async fn run(
    bay: &Bay,
    call: &JudgedCall,
    progress: &ProgressSink,
) -> Result<ToolOutput, ToolFailure> {
    let asked = PackageInstall::checked(&call.arguments)?;
    let desk = Desk::new()?;
    let installation = asked.installation(bay, call, &desk.folder)?;
    let mut environment = desk.environment(&installation.programs);
    let more = installation.environment.into_iter();
    environment.extend(more.map(|(name, value)| (name.to_owned(), value)));
    let mut limits = limits();
    limits.wall = INSTALL_TIME;
    let seen: Vec<PathBuf> = [&installation.read, &installation.write]
        .into_iter()
        .flatten()
        .cloned()
        .collect();
    let job = Job {
        argv: installation.argv,
        folder: installation.folder,
        read: installation.read,
        write: installation.write,
        scratch: desk.with(BTreeMap::new()),
        frozen: Vec::new(),
        hidden: shell::hidden(bay, seen.iter().map(PathBuf::as_path)),
        environment,
        input: Vec::new(),
        network: installation.network,
        limits,
    };
    shell::guarded(bay, job, desk, progress, "package_install").await
}

pub(super) fn preview(bay: &Bay, call: &JudgedCall) -> Result<String, ToolFailure> {
    let asked = PackageInstall::checked(&call.arguments)?;
    let installation = asked.installation(bay, call, Path::new("/scratch"))?;
    let kind = match asked.dry_run {
        true => "A trial: nothing is installed.",
        false => "Installs for real.",
    };
    let network = match installation.network {
        Network::None => "no network",
        Network::Host => {
            "WITH the network of this machine, so that what it can read can be sent out"
        }
    };
    let list = |paths: &[PathBuf]| {
        let names: Vec<String> = paths.iter().map(|p| p.display().to_string()).collect();
        match names.is_empty() {
            true => "nothing".to_owned(),
            false => names.join(", "),
        }
    };
    Ok(format!(
        "$ {}\n{kind} Runs in the sandbox, in {}: {network}; reads {}; changes {}.\n{}\n",
        shown_argv(&installation.argv),
        installation.folder.display(),
        list(&readable(&installation)),
        list(&installation.write),
        asked.foreign_code(),
    ))
}

/// What it can read: what is writable is readable too.
fn readable(installation: &Installation) -> Vec<PathBuf> {
    let Installation { read, write, .. } = installation;
    let more = write.iter().filter(|path| !read.contains(path));
    read.iter().chain(more).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_is_asked_for_says_what_is_read_and_whose_code_runs() {
        let asked = |manager: &str, dry_run: bool| {
            let arguments = json!({"manager": manager, "names": ["x"], "dry_run": dry_run});
            PackageInstall::checked(&arguments).unwrap()
        };
        let workspace = Path::new("/w");
        let real = asked("pip", false);
        let shown = readable(&real.pip(workspace, "/scratch"));
        assert_eq!(shown, [workspace.to_path_buf()]);
        let shown = readable(&asked("npm", false).npm(workspace, "/scratch"));
        assert_eq!(shown, [workspace.to_path_buf()], "told once");
        assert!(real.foreign_code().contains("may run"));
        assert!(asked("pip", true).foreign_code().contains("may run"));
        assert!(asked("npm", false).foreign_code().contains("not run"));
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
