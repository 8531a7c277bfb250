//! Where the programming languages of this machine are: among the system's programs, or in the
//! user's home where their own installers put them.

pub(crate) mod project;

use api::executor::ToolFailure;
use api::failure::{mendable, of_call};
use serde::Deserialize;
use std::fs;
use std::path::{Path, PathBuf};

/// Where the system's programs are.
const SYSTEM: [&str; 3] = ["/usr/local/bin", "/usr/bin", "/bin"];

/// A language that code may be in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Language {
    Python,
    Shell,
    Javascript,
    Rust,
}

impl Language {
    /// The file the code is put in.
    pub(crate) const fn file(self) -> &'static str {
        match self {
            Self::Python => "main.py",
            Self::Shell => "main.sh",
            Self::Javascript => "main.js",
            Self::Rust => "main.rs",
        }
    }

    const fn program(self) -> &'static str {
        match self {
            Self::Python => "python3",
            Self::Shell => "sh",
            Self::Javascript => "node",
            Self::Rust => "rustc",
        }
    }

    /// Where the language's own installers put its versions, beneath the home.
    const fn versions(self) -> &'static [&'static str] {
        match self {
            Self::Python => &[".pyenv/versions"],
            Self::Shell => &[],
            Self::Javascript => &[".nvm/versions/node", ".volta/tools/image/node"],
            Self::Rust => &[".rustup/toolchains"],
        }
    }
}

/// An installed language.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Toolchain {
    pub(crate) program: PathBuf,
    /// The folder of its programs, when it is not the system's.
    pub(crate) programs: Vec<PathBuf>,
    /// What it must be able to read besides the system.
    pub(crate) read: Vec<PathBuf>,
}

/// Finds a language.
pub(crate) fn find(language: Language, home: &Path) -> Result<Toolchain, ToolFailure> {
    let name = language.program();
    let system = SYSTEM.iter().map(|folder| Path::new(folder).join(name));
    if let Some(program) = system.into_iter().find(|program| program.is_file()) {
        return Ok(Toolchain {
            program,
            programs: Vec::new(),
            read: Vec::new(),
        });
    }
    let kept = language.versions().iter().map(|place| home.join(place));
    let newest = kept
        .flat_map(|place| versions(&place))
        .filter(|version| version.join("bin").join(name).is_file())
        .max_by_key(|version| numbers(version));
    let Some(version) = newest else {
        return Err(mendable(
            "no_language",
            of_call(format!(
                "{name} is not installed here. Use another language, or ask the user."
            )),
        ));
    };
    let programs = version.join("bin");
    Ok(Toolchain {
        program: programs.join(name),
        programs: vec![programs],
        read: vec![version],
    })
}

fn versions(place: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(place) else {
        return Vec::new();
    };
    entries.flatten().map(|entry| entry.path()).collect()
}

/// The numbers in a folder's name, so that 3.10 comes after 3.9.
fn numbers(version: &Path) -> Vec<u64> {
    let name = version.file_name().unwrap_or_default().to_string_lossy();
    name.split(|c: char| !c.is_ascii_digit())
        .filter_map(|number| number.parse().ok())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_version_in_the_home_is_taken_when_the_system_has_none() {
        let home = tempfile::tempdir().unwrap();
        for version in ["v9.1.0", "v22.3.0", "v23.0.0"] {
            let bin = home
                .path()
                .join(".nvm/versions/node")
                .join(version)
                .join("bin");
            fs::create_dir_all(&bin).unwrap();
            if version != "v23.0.0" {
                fs::write(bin.join("node"), "").unwrap();
            }
        }
        let newest = versions(&home.path().join(".nvm/versions/node"))
            .into_iter()
            .filter(|v| v.join("bin/node").is_file())
            .max_by_key(|v| numbers(v));
        assert!(newest.unwrap().ends_with("v22.3.0"));
        let shell = find(Language::Shell, home.path()).unwrap();
        assert!(shell.read.is_empty());
    }
}
