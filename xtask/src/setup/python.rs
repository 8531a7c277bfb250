//! Fetches packages with pip, into folders of ours only.
//!
//! pip runs from a virtual environment under `.tools/`; where Python cannot make one, the system's
//! pip is used. Either way packages go to folders of their own, so nothing of the system changes.

use super::progress::say;
use super::shell;
use anyhow::{Context as _, Result, bail};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A package with the version that setup was written for.
#[derive(Debug, Clone, Copy)]
pub struct Package {
    /// Its name in the Python package index.
    pub name: &'static str,
    /// Its version.
    pub version: &'static str,
}

/// Python on this machine.
#[derive(Debug)]
pub struct Python {
    tools: PathBuf,
}

impl Python {
    /// Works in the folder `tools`.
    pub fn new(tools: &Path) -> Self {
        Self {
            tools: tools.to_owned(),
        }
    }

    /// Installs a package into `.tools/<name>-<version>` and returns that folder.
    ///
    /// # Errors
    /// When pip is missing or fails.
    pub fn install(&self, package: Package) -> Result<PathBuf> {
        let place = package.folder(&self.tools);
        if place.is_dir() {
            return Ok(place);
        }
        say(&format!(
            "      fetching {} {}",
            package.name, package.version
        ));
        let partial = self.fresh(&format!("{}.partial", package.name))?;
        let mut pip = self.pip()?;
        pip.args([
            "install",
            "--quiet",
            "--no-deps",
            "--only-binary=:all:",
            "--target",
        ]);
        pip.arg(&partial).arg(package.requirement());
        shell::output(&mut pip).with_context(|| package.advice())?;
        fs::rename(&partial, &place)
            .with_context(|| format!("cannot move {} to {}", partial.display(), place.display()))?;
        Ok(place)
    }

    /// Makes an environment `.tools/<name>` with the packages of these requirements, and no others.
    ///
    /// # Errors
    /// When Python cannot make one, or a package cannot be fetched.
    pub fn environment(&self, name: &str, requirements: &str) -> Result<()> {
        say(&format!("      making the Python environment {name}"));
        let place = self.tools.join(name);
        let list = self.tools.join(format!("{name}.txt"));
        fs::write(&list, requirements)
            .with_context(|| format!("cannot write {}", list.display()))?;
        shell::output(Command::new("python3").args(["-m", "venv"]).arg(&place))?;
        let mut pip = pip_of(&place.join("bin").join("python"));
        pip.args([
            "install",
            "--quiet",
            "--no-deps",
            "--only-binary=:all:",
            "-r",
        ]);
        shell::output(pip.arg(&list)).map(drop)
    }

    /// Downloads a package into a fresh folder under `.tools/` and returns the one file there.
    ///
    /// # Errors
    /// When pip is missing or fails.
    pub fn download(&self, package: Package, form: Form) -> Result<PathBuf> {
        say(&format!(
            "      fetching {} {}",
            package.name, package.version
        ));
        let folder = self.fresh(&format!("{}.download", package.name))?;
        let mut pip = self.pip()?;
        pip.args(["download", "--quiet", "--no-deps"]);
        match form {
            Form::Wheel => pip.arg("--only-binary=:all:"),
            Form::WheelOf { python, platform } => pip.args([
                "--only-binary=:all:",
                "--implementation=cp",
                "--python-version",
                python,
                "--platform",
                platform,
            ]),
            Form::Source => pip.args(["--no-binary", package.name]),
        };
        pip.arg("--dest").arg(&folder).arg(package.requirement());
        shell::output(&mut pip).with_context(|| package.advice())?;
        let mut files = fs::read_dir(&folder)?;
        let file = files.next().context("pip downloaded nothing")??;
        Ok(file.path())
    }

    /// Unpacks an archive into a fresh folder under `.tools/`.
    ///
    /// # Errors
    /// When the archive is damaged.
    pub fn unpack(&self, archive: &Path, name: &str) -> Result<PathBuf> {
        let folder = self.fresh(name)?;
        let module = if archive.extension().is_some_and(|it| it == "whl") {
            "zipfile"
        } else {
            "tarfile"
        };
        let mut python = Command::new("python3");
        python.args(["-m", module, "-e"]).arg(archive).arg(&folder);
        shell::output(&mut python)
            .with_context(|| format!("cannot unpack {}", archive.display()))?;
        Ok(folder)
    }

    /// The SHA-256 of a file, in lower-case hexadecimal digits.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn sha256(&self, file: &Path) -> Result<String> {
        // Python's hash uses the processor's instructions for it; a debug build of ours would take
        // some seconds for the weights, each time setup runs.
        const HASH: &str = "import hashlib, sys\nh = hashlib.sha256()\nwith open(sys.argv[1], 'rb') \
                            as f:\n  while b := f.read(1 << 20): h.update(b)\nprint(h.hexdigest())";
        shell::output(Command::new("python3").args(["-c", HASH]).arg(file))
    }

    /// An empty folder under `.tools/`; what an interrupted run left there is removed.
    fn fresh(&self, name: &str) -> Result<PathBuf> {
        let folder = self.tools.join(name);
        if folder.exists() {
            fs::remove_dir_all(&folder)
                .with_context(|| format!("cannot remove {}", folder.display()))?;
        }
        fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
        Ok(folder)
    }

    /// `python -m pip`, from the virtual environment where there can be one.
    fn pip(&self) -> Result<Command> {
        let environment = self.tools.join("venv");
        let python = environment.join("bin").join("python");
        let works = |python: &Path| {
            shell::output(Command::new(python).args(["-m", "pip", "--version"])).is_ok()
        };
        if !works(&python) {
            let mut make = Command::new("python3");
            make.args(["-m", "venv", "--clear"]).arg(&environment);
            let made = shell::output(&mut make);
            if let Err(error) = made {
                let system = Path::new("python3");
                if !works(system) {
                    return Err(error.context(
                        "Python has neither venv nor pip. Install one: `apt install python3-venv` \
                         on Debian and Ubuntu, `dnf install python3-pip` on Fedora",
                    ));
                }
                return Ok(pip_of(system));
            }
        }
        Ok(pip_of(&python))
    }
}

/// Which form of a package to download.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Ready to use.
    Wheel,
    /// Ready to use elsewhere: only its data are wanted, so any interpreter's will do.
    WheelOf {
        /// The interpreter's version.
        python: &'static str,
        /// The platform.
        platform: &'static str,
    },
    /// To build from.
    Source,
}

impl Package {
    /// The folder that [`Python::install`] puts it in.
    pub fn folder(self, tools: &Path) -> PathBuf {
        tools.join(format!("{}-{}", self.name, self.version))
    }

    fn requirement(self) -> String {
        format!("{}=={}", self.name, self.version)
    }

    fn advice(self) -> String {
        format!(
            "the package {} {} could not be fetched; check the network and pip's settings \
             (`python3 -m pip download --no-deps {}` shows the same), then run `cargo xtask setup` \
             again",
            self.name,
            self.version,
            self.requirement()
        )
    }
}

fn pip_of(python: &Path) -> Command {
    let mut pip = Command::new(python);
    pip.args(["-m", "pip", "--disable-pip-version-check", "--no-input"]);
    pip
}

/// Checks a file's size and hash.
///
/// # Errors
/// What differs.
pub fn verify(python: &Python, file: &Path, bytes: u64, sha256: &str) -> Result<()> {
    let found = fs::metadata(file)
        .with_context(|| format!("no file {}", file.display()))?
        .len();
    if found != bytes {
        bail!(
            "{} has {found} bytes, {bytes} were expected",
            file.display()
        );
    }
    let found = python.sha256(file)?;
    if found != sha256 {
        bail!(
            "{} has SHA-256 {found}, {sha256} was expected",
            file.display()
        );
    }
    Ok(())
}
