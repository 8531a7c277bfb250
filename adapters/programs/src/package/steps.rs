//! What is run to install packages: fetching with the network, where nothing of the user's is, and
//! installing in the project, where no network is.

use super::index::{self, Address};
use super::request::{Manager, PackageInstall, VENV};
use crate::toolchain::{self, Language};
use api::executor::ToolFailure;
use api::sandbox::Network;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Certificates of the system, for indexes with an authority of the user's own.
const CERTIFICATES: &str = "/etc/ssl/certs/ca-certificates.crt";
/// What cargo adds to when there is no project yet.
const EMPTY_CRATE: &str =
    "[package]\nname = \"fetching\"\nversion = \"0.0.0\"\nedition = \"2021\"\n";
/// Runs pip so that it cannot start a program, and so builds nothing.
const SEALED_PIP: &str = include_str!("sealed_pip.py");
/// Where that lies in the scratch folder.
const SEALED_FILE: &str = "sealed_pip.py";
/// The system's pip, or where it has none one of its own in the scratch folder.
const PIP: &str = "py=$1; shift; \
    \"$py\" -I -m pip --version >/dev/null 2>&1 || \
    { \"$py\" -I -m venv \"$HOME/pip\" || exit; py=$HOME/pip/bin/python; }; \
    exec \"$py\" -I \"$HOME/sealed_pip.py\" '' \"$@\"";
/// Into an environment made by the system's python; into one that is there, by the same pip.
const PIP_INTO: &str = "venv=$1; py=$2; shift 2; \
    if [ ! -e \"$venv\" ]; then \"$py\" -I -m venv \"$venv\" || exit; \
    exec \"$venv/bin/python\" -I \"$HOME/sealed_pip.py\" '' \"$@\"; fi; \
    \"$py\" -I -m pip --version >/dev/null 2>&1 || \
    { \"$py\" -I -m venv \"$HOME/pip\" || exit; py=$HOME/pip/bin/python; }; \
    pip=$(\"$py\" -I -c 'import pip; print(pip.__path__[0])') || exit; \
    exec \"$venv/bin/python\" -I \"$HOME/sealed_pip.py\" \"$pip/__pip-runner__.py\" \"$@\"";

/// The folders of one installation.
#[derive(Debug, Clone)]
pub(super) struct Places {
    /// The project.
    pub(super) workspace: PathBuf,
    /// The user's home, where the address of an index may be named.
    pub(super) home: PathBuf,
    /// The scratch folder of each step.
    pub(super) scratch: [PathBuf; 2],
    /// What the first step leaves for the second.
    pub(super) store: PathBuf,
}

/// One program and what it is given.
#[derive(Debug)]
pub(super) struct Step {
    pub(super) argv: Vec<String>,
    pub(super) folder: PathBuf,
    pub(super) read: Vec<PathBuf>,
    pub(super) write: Vec<PathBuf>,
    /// Folders of programs before the system's.
    pub(super) programs: Vec<PathBuf>,
    pub(super) environment: Vec<(&'static str, String)>,
    /// Files in its scratch folder.
    pub(super) files: BTreeMap<PathBuf, Vec<u8>>,
    pub(super) network: Network,
}

/// Everything that is run, in order, and what is to be told about it.
#[derive(Debug)]
pub(super) struct Steps {
    pub(super) all: Vec<Step>,
    /// Where packages come from; `None` when nothing is fetched.
    pub(super) index: Option<Address>,
    /// Files in the store before the first step.
    pub(super) stored: BTreeMap<PathBuf, Vec<u8>>,
}

impl PackageInstall {
    pub(super) fn steps(&self, places: &Places) -> Result<Steps, ToolFailure> {
        match self.manager {
            Manager::Apt => Ok(self.apt()),
            Manager::Pip => self.pip(places),
            Manager::Cargo => self.cargo(places),
            Manager::Npm => self.npm(places),
        }
    }

    fn apt(&self) -> Steps {
        let read = [
            "/etc/apt",
            "/etc/dpkg",
            "/var/lib/apt",
            "/var/lib/dpkg",
            "/var/cache/apt",
        ];
        let fixed = ["apt-get", "--simulate", "--assume-yes", "install", "--"];
        Steps {
            all: vec![Step {
                argv: self.command(&fixed),
                folder: PathBuf::from("/var/lib/apt"),
                read: read.map(PathBuf::from).to_vec(),
                write: Vec::new(),
                programs: Vec::new(),
                environment: Vec::new(),
                files: BTreeMap::new(),
                network: Network::None,
            }],
            index: None,
            stored: BTreeMap::new(),
        }
    }

    /// Built packages only: building one runs its code, and pip can start nothing. Into an environment of the project's own,
    /// never the system's.
    fn pip(&self, places: &Places) -> Result<Steps, ToolFailure> {
        let address = index::pip(&places.home)?;
        let chain = toolchain::find(Language::Python, &places.home)?;
        let python = chain.program.to_string_lossy().into_owned();
        let wheels = text_of(&places.store.join("wheels"));
        let venv = text_of(&places.workspace.join(VENV));
        let plain = ["--isolated", "--no-input", "--disable-pip-version-check"];
        let mut fetch = vec!["/bin/sh", "-c", PIP, "sh", python.as_str()];
        fetch.extend(plain);
        if Path::new(CERTIFICATES).is_file() {
            fetch.extend(["--cert", CERTIFICATES]);
        }
        match self.dry_run {
            // A target, since a system that guards its own environment refuses even to try.
            true => fetch.extend(["install", "--dry-run", "--target", &wheels]),
            false => fetch.extend(["download", "--dest", &wheels]),
        }
        fetch.extend(["--no-cache-dir", "--only-binary", ":all:"]);
        if let Some(address) = &address.0 {
            fetch.extend(["--index-url", address]);
        }
        fetch.push("--");
        let mut install = vec!["/bin/sh", "-c", PIP_INTO, "sh", &venv, &python];
        install.extend(plain);
        install.extend(["install", "--no-cache-dir", "--no-index"]);
        install.extend(["--only-binary", ":all:", "--find-links", &wheels, "--"]);
        let environment = vec![("PIP_CONFIG_FILE", "/dev/null".to_owned())];
        let step = |argv: &[&str]| Given {
            argv: self.command(argv),
            programs: chain.programs.clone(),
            read: chain.read.clone(),
            environment: environment.clone(),
            files: BTreeMap::from([(PathBuf::from(SEALED_FILE), SEALED_PIP.as_bytes().to_vec())]),
        };
        let (fetch, install) = (step(&fetch), step(&install));
        Ok(self.two(places, address, fetch, install))
    }

    fn cargo(&self, places: &Places) -> Result<Steps, ToolFailure> {
        let address = index::cargo(&places.home)?;
        let (programs, read) = match toolchain::find(Language::Rust, &places.home) {
            Ok(chain) => (chain.programs, chain.read),
            Err(_) => (Vec::new(), Vec::new()),
        };
        let home = places.store.join("cargo");
        let mut environment = vec![("CARGO_HOME", text_of(&home))];
        if Path::new(CERTIFICATES).is_file() {
            environment.push(("CARGO_HTTP_CAINFO", CERTIFICATES.to_owned()));
        }
        let step = |argv: &[&str], files| Given {
            argv: self.command(argv),
            programs: programs.clone(),
            read: read.clone(),
            environment: environment.clone(),
            files,
        };
        let empty = BTreeMap::from([
            (PathBuf::from("Cargo.toml"), EMPTY_CRATE.as_bytes().to_vec()),
            (PathBuf::from("src/lib.rs"), Vec::new()),
        ]);
        let fetch = step(&["cargo", "add", "--"], empty);
        let install = step(&["cargo", "add", "--offline", "--"], BTreeMap::new());
        let config = address.0.as_ref().map(|address| {
            format!(
                "[source.crates-io]\nreplace-with = \"mirror\"\n[source.mirror]\nregistry = \
                 \"{address}\"\n"
            )
        });
        let mut steps = self.two(places, address, fetch, install);
        let config = config.unwrap_or_default().into_bytes();
        steps
            .stored
            .insert(PathBuf::from("cargo/config.toml"), config);
        Ok(steps)
    }

    /// Scripts that packages bring along are not run, and none is fetched by git.
    fn npm(&self, places: &Places) -> Result<Steps, ToolFailure> {
        let address = index::npm(&places.home)?;
        let trial: &[&str] = if self.dry_run { &["--dry-run"] } else { &[] };
        let fetch = ["npm", "install", "--ignore-scripts"];
        let fetch = [&fetch[..], trial, &["--"]].concat();
        let install = ["npm", "install", "--ignore-scripts", "--offline", "--"];
        let environment = |scratch: &Path| {
            let mut environment = vec![
                ("npm_config_cache", text_of(&places.store.join("npm"))),
                // Files that are not there: npm refuses one file as both.
                ("npm_config_userconfig", text_of(&scratch.join("no-user"))),
                (
                    "npm_config_globalconfig",
                    text_of(&scratch.join("no-global")),
                ),
                ("npm_config_git", "/bin/false".to_owned()),
                ("npm_config_audit", "false".to_owned()),
                ("npm_config_fund", "false".to_owned()),
                ("npm_config_update_notifier", "false".to_owned()),
            ];
            if Path::new(CERTIFICATES).is_file() {
                environment.push(("npm_config_cafile", CERTIFICATES.to_owned()));
            }
            let registry = address.0.clone();
            environment.extend(registry.map(|address| ("npm_config_registry", address)));
            environment
        };
        let step = |argv: &[&str], scratch: &Path| Given {
            argv: self.command(argv),
            programs: Vec::new(),
            read: Vec::new(),
            environment: environment(scratch),
            files: BTreeMap::new(),
        };
        let fetch = step(&fetch, &places.scratch[0]);
        let install = step(&install, &places.scratch[1]);
        Ok(self.two(places, address, fetch, install))
    }

    /// Fetching, and unless it is a trial, installing.
    fn two(&self, places: &Places, address: Address, fetch: Given, install: Given) -> Steps {
        let mut all = vec![Step {
            argv: fetch.argv,
            folder: places.scratch[0].clone(),
            read: fetch.read,
            write: vec![places.store.clone()],
            programs: fetch.programs,
            environment: fetch.environment,
            files: fetch.files,
            network: Network::Host,
        }];
        if !self.dry_run {
            all.push(Step {
                argv: install.argv,
                folder: places.workspace.clone(),
                read: install.read,
                write: vec![places.workspace.clone(), places.store.clone()],
                programs: install.programs,
                environment: install.environment,
                files: install.files,
                network: Network::None,
            });
        }
        Steps {
            all,
            index: Some(address),
            stored: BTreeMap::new(),
        }
    }

    fn command(&self, fixed: &[&str]) -> Vec<String> {
        let fixed = fixed.iter().map(|part| (*part).to_owned());
        fixed.chain(self.names.iter().cloned()).collect()
    }
}

/// What an installer needs for a step, wherever it runs.
struct Given {
    argv: Vec<String>,
    programs: Vec<PathBuf>,
    read: Vec<PathBuf>,
    environment: Vec<(&'static str, String)>,
    files: BTreeMap<PathBuf, Vec<u8>>,
}

fn text_of(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
