//! What must be on the machine before anything else: Rust, a C and C++ compiler, Python 3.

use super::python::Python;
use super::shell;
use anyhow::{Context as _, Result, bail};
use std::path::Path;
use std::process::{Command, Stdio};

/// The oldest Python that the model packages accept.
const PYTHON_MINIMUM: (u32, u32) = (3, 9);

/// Checks all prerequisites and returns the Python to use.
///
/// # Errors
/// Which one is missing and what to install.
pub fn check(tools: &Path) -> Result<(Python, String)> {
    let rust = shell::output(shell::cargo().arg("--version"))
        .context("cargo does not run: install Rust as rustup.rs says")?;
    let c = compiler("CC", "cc", "c", "#include <stdint.h>\n")?;
    compiler("CXX", "c++", "c++", "#include <vector>\n")?;
    let version = python_version()?;
    Ok((Python::new(tools), format!("{rust}, {c}, Python {version}")))
}

/// Whether the compiler runs and finds its standard headers. Returns its first line about itself.
fn compiler(variable: &str, default: &str, language: &str, program: &str) -> Result<String> {
    let name = std::env::var(variable).unwrap_or_else(|_unset| default.to_owned());
    let advice = || {
        format!(
            "the {} compiler `{name}` does not work. Install one: `apt install build-essential` on \
             Debian and Ubuntu, `dnf install gcc gcc-c++ make` on Fedora, `pacman -S base-devel` \
             on Arch, `xcode-select --install` on macOS; or name yours in {variable}",
            language.to_uppercase()
        )
    };
    let about = shell::output(Command::new(&name).arg("--version")).with_context(advice)?;
    let mut check = Command::new(&name);
    check.args(["-x", language, "-fsyntax-only", "-"]);
    check
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let mut child = check.spawn().with_context(advice)?;
    if let Some(mut input) = child.stdin.take() {
        std::io::Write::write_all(&mut input, program.as_bytes()).with_context(advice)?;
    }
    if !child.wait()?.success() {
        bail!("{} (it cannot compile `{}`)", advice(), program.trim());
    }
    Ok(about.lines().next().unwrap_or_default().to_owned())
}

fn python_version() -> Result<String> {
    const ASK: &str = "import sys; print('%d.%d' % sys.version_info[:2])";
    let advice = "Python 3.9 or newer is needed to fetch the build tools and models. Install it: \
                  `apt install python3 python3-venv python3-pip` on Debian and Ubuntu, `dnf \
                  install python3 python3-pip` on Fedora, `brew install python` on macOS";
    let version = shell::output(Command::new("python3").args(["-c", ASK])).context(advice)?;
    let parsed = version
        .split_once('.')
        .and_then(|(major, minor)| Some((major.parse().ok()?, minor.parse().ok()?)));
    match parsed {
        Some(found) if found >= PYTHON_MINIMUM => Ok(version),
        _ => bail!("{advice} (this one is {version})"),
    }
}
