//! What a command in a project has of the user's toolchains: their programs and what those downloaded
//! before, to be read, and settings that keep them from looking for a network. Of the
//! user's settings only where cargo's packages come from; what may hold passwords is hidden.

use super::{Language, numbers, versions};
use disk::read::{Links, text};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Largest file of settings that is looked at, bytes.
const SETTINGS_BYTES: u64 = 64 << 10;
/// Folders above the one of the command that are looked through for the toolchain it names.
const FOLDERS_ABOVE: usize = 64;
/// Where cargo finds its home, in the scratch folder.
const CARGO_HOME: &str = "cargo";
/// What cargo downloaded before, in its home.
const CARGO_STORES: [&str; 2] = ["registry", "git"];
/// Where the Go toolchain unpacks itself by its own instructions.
const GO: &str = "/usr/local/go/bin";
/// Modules that Go downloaded before, in the home.
const GO_MODULES: &str = "go/pkg/mod";
/// Programs of one file that their installers put in the home.
const SINGLE: [&str; 3] = [".local/bin/uv", ".cargo/bin/uv", ".local/share/pnpm/pnpm"];
/// Settings beneath a toolchain that may hold passwords and tokens.
const SETTINGS: [&str; 8] = [
    "etc/npmrc",
    "lib/node_modules/npm/npmrc",
    ".npmrc",
    "pip.conf",
    "etc/pip.conf",
    ".condarc",
    "condarc",
    ".netrc",
];
/// Where versions of Python lie in the home, for environments of a project that are made from them.
const PYTHONS: [&str; 2] = [".pyenv/versions", ".local/share/uv/python"];
/// The interpreter of a project's own environment.
const VENV_PYTHON: &str = ".venv/bin/python";
/// What marks such an environment.
const VENV_MARK: &str = ".venv/pyvenv.cfg";

/// What a command is given of the toolchains of the machine.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Toolchains {
    /// Folders of programs, before the system's.
    pub(crate) programs: Vec<PathBuf>,
    /// What it may read besides.
    pub(crate) read: Vec<PathBuf>,
    /// Places beneath those that it may not see: settings that may hold passwords.
    pub(crate) hidden: Vec<PathBuf>,
    /// Its environment besides.
    pub(crate) environment: BTreeMap<String, String>,
    /// Files in its scratch folder.
    pub(crate) files: BTreeMap<PathBuf, Vec<u8>>,
    /// Links in its scratch folder.
    pub(crate) links: BTreeMap<PathBuf, PathBuf>,
}

impl Toolchains {
    /// Those of the user with this home, for a command in this folder.
    pub(crate) fn of(home: &Path, folder: &Path, scratch: &Path) -> Self {
        let mut all = Self::default();
        // As after its activation.
        let has_venv = folder.join(VENV_MARK).is_file();
        all.programs
            .extend(has_venv.then(|| folder.join(".venv/bin")));
        all.add_rust(home, folder, scratch);
        all.add_version(chosen_node(home));
        all.add_version(chosen_python(home, folder));
        all.add_python_of_project(home, folder);
        all.add_go(home, scratch);
        all.add_single_programs(home);
        all.set(&[
            // Reading a repository writes nothing to it, asks nothing and opens no pager.
            ("GIT_OPTIONAL_LOCKS", "0"),
            ("GIT_TERMINAL_PROMPT", "0"),
            ("GIT_PAGER", "cat"),
            ("PAGER", "cat"),
            ("NO_COLOR", "1"),
            ("PYTHONDONTWRITEBYTECODE", "1"),
            ("PIP_NO_INDEX", "1"),
            ("PIP_DISABLE_PIP_VERSION_CHECK", "1"),
            ("UV_OFFLINE", "1"),
            ("npm_config_offline", "true"),
            ("npm_config_update_notifier", "false"),
        ]);
        let settings = all.read.iter().flat_map(|root| {
            let places = SETTINGS.iter().map(|name| root.join(name));
            places.filter(|place| place.symlink_metadata().is_ok())
        });
        all.hidden = settings.collect();
        all
    }

    /// For the user, after what a command reads.
    pub(crate) fn told(&self) -> &'static str {
        match self.read.is_empty() {
            true => "",
            false => " and your toolchains",
        }
    }

    fn set(&mut self, variables: &[(&str, &str)]) {
        let owned = variables.iter().map(|(n, v)| ((*n).into(), (*v).into()));
        self.environment.extend(owned);
    }

    fn add_version(&mut self, version: Option<PathBuf>) {
        let Some(version) = version else {
            return;
        };
        self.programs.push(version.join("bin"));
        self.read.push(version);
    }

    fn add_rust(&mut self, home: &Path, folder: &Path, scratch: &Path) {
        self.add_version(chosen_rust(home, folder));
        let cargo = scratch.join(CARGO_HOME).to_string_lossy().into_owned();
        self.set(&[("CARGO_HOME", &cargo), ("CARGO_NET_OFFLINE", "true")]);
        self.set(&[("CARGO_TERM_COLOR", "never")]);
        for store in CARGO_STORES {
            let place = home.join(".cargo").join(store);
            if let Some(real) = paths::real_path(&place).filter(|real| real.is_dir()) {
                let name = Path::new(CARGO_HOME).join(store);
                self.links.insert(name, real.clone());
                self.read.push(real);
            }
        }
        let instead = home.join(".cargo/config.toml");
        let config = text(&instead, SETTINGS_BYTES, Links::Followed);
        if let Some(sources) = config.ok().flatten().as_deref().and_then(sources) {
            let name = Path::new(CARGO_HOME).join("config.toml");
            self.files.insert(name, sources.into_bytes());
        }
    }

    fn add_go(&mut self, home: &Path, scratch: &Path) {
        if Path::new(GO).is_dir() {
            self.programs.push(PathBuf::from(GO));
        }
        let modules = home.join(GO_MODULES);
        if let Some(real) = paths::real_path(&modules).filter(|real| real.is_dir()) {
            let shown = real.to_string_lossy().into_owned();
            self.set(&[("GOMODCACHE", &shown)]);
            self.read.push(real);
        }
        let cache = scratch.join("go-build").to_string_lossy().into_owned();
        self.set(&[
            ("GOCACHE", &cache),
            ("GOPROXY", "off"),
            ("GOTOOLCHAIN", "local"),
            ("GOTELEMETRY", "off"),
        ]);
    }

    fn add_single_programs(&mut self, home: &Path) {
        for program in SINGLE.map(|program| home.join(program)) {
            let is_plain = program.symlink_metadata().is_ok_and(|m| m.is_file());
            if let (true, Some(folder)) = (is_plain, program.parent()) {
                self.programs.push(folder.to_path_buf());
                self.read.push(program);
            }
        }
    }

    /// The Python that the project's own environment was made from, where it is one of those in the
    /// home: nothing that a project names opens anything else.
    fn add_python_of_project(&mut self, home: &Path, folder: &Path) {
        let Ok(real) = folder.join(VENV_PYTHON).canonicalize() else {
            return;
        };
        let places = PYTHONS.map(|place| home.join(place));
        let version = places.iter().filter_map(|place| paths::real_path(place));
        let version = version
            .filter_map(|place| Some(place.join(real.strip_prefix(&place).ok()?.iter().next()?)))
            .next();
        self.read.extend(version.filter(|version| version.is_dir()));
    }
}

/// The Rust that the project names in its own file, or else the user's default, or else the newest.
fn chosen_rust(home: &Path, folder: &Path) -> Option<PathBuf> {
    let place = home.join(".rustup/toolchains");
    let all: Vec<PathBuf> = versions(&place)
        .into_iter()
        .filter(|version| version.join("bin/cargo").is_file())
        .collect();
    let named = |name: &str| {
        let is_it = |version: &&PathBuf| {
            let known = version.file_name().unwrap_or_default().to_string_lossy();
            known == name || known.strip_prefix(name).is_some_and(|r| r.starts_with('-'))
        };
        all.iter().find(is_it).cloned()
    };
    let above = folder.ancestors().take(FOLDERS_ABOVE);
    let project = above.filter_map(rust_of_project).next();
    let settings = text(
        &home.join(".rustup/settings.toml"),
        SETTINGS_BYTES,
        Links::Followed,
    );
    let default = settings
        .ok()
        .flatten()
        .and_then(|text| text.parse::<toml::Table>().ok())
        .and_then(|table| Some(table.get("default_toolchain")?.as_str()?.to_owned()));
    let chosen = project
        .as_deref()
        .and_then(named)
        .or_else(|| default.as_deref().and_then(named))
        .or_else(|| all.iter().max_by_key(|version| numbers(version)).cloned())?;
    paths::real_path(&chosen)
}

/// What a folder's `rust-toolchain.toml` or `rust-toolchain` names.
fn rust_of_project(folder: &Path) -> Option<String> {
    ["rust-toolchain.toml", "rust-toolchain"]
        .iter()
        .find_map(|name| {
            let read = text(&folder.join(name), SETTINGS_BYTES, Links::Refused);
            let text = read.ok().flatten()?;
            let table = text.parse::<toml::Table>().ok();
            let channel = table
                .as_ref()
                .and_then(|table| table.get("toolchain")?.get("channel")?.as_str());
            let line = text.trim();
            let is_word = !line.is_empty() && !line.contains(char::is_whitespace);
            channel.or(is_word.then_some(line)).map(str::to_owned)
        })
}

/// The newest Node of the user's own, where there is one.
fn chosen_node(home: &Path) -> Option<PathBuf> {
    let places = Language::Javascript.versions().iter();
    let all = places.flat_map(|place| versions(&home.join(place)));
    let newest = all
        .filter(|version| version.join("bin/node").is_file())
        .max_by_key(|version| numbers(version))?;
    paths::real_path(&newest)
}

/// The Python that the project names in its own file, or the user for all projects.
fn chosen_python(home: &Path, folder: &Path) -> Option<PathBuf> {
    let place = home.join(".pyenv/versions");
    let above = folder.ancestors().take(FOLDERS_ABOVE);
    let files = above.map(|above| (above.join(".python-version"), Links::Refused));
    let files = files.chain([(home.join(".pyenv/version"), Links::Followed)]);
    let wanted = files
        .filter_map(|(file, links)| text(&file, SETTINGS_BYTES, links).ok().flatten())
        .find_map(|text| {
            let name = text.split_whitespace().next()?.to_owned();
            let version = versions(&place)
                .into_iter()
                .find(|version| version.file_name().is_some_and(|known| *known == *name));
            version.filter(|version| version.join("bin/python3").is_file())
        })?;
    paths::real_path(&wanted)
}

/// Where cargo's packages come from by the user's settings, without anything else of them: what was
/// downloaded from there is kept by that name. Nothing at all where an address may hold a secret.
fn sources(config: &str) -> Option<String> {
    let table: toml::Table = config.parse().ok()?;
    let mut kept = toml::Table::new();
    for name in ["source", "registries"] {
        let Some(toml::Value::Table(all)) = table.get(name) else {
            continue;
        };
        let mut plain = toml::Table::new();
        for (name, one) in all {
            let mut known = one.as_table()?.clone();
            known.retain(|key, _| SOURCE_KEYS.contains(&key));
            if !known
                .values()
                .all(|value| value.as_str().is_some_and(is_plain))
            {
                return None;
            }
            plain.insert(name.clone(), toml::Value::Table(known));
        }
        kept.insert(name.to_owned(), toml::Value::Table(plain));
    }
    (!kept.is_empty()).then(|| kept.to_string())
}

/// The keys of a source that say where it is.
const SOURCE_KEYS: [&str; 5] = [
    "replace-with",
    "registry",
    "index",
    "directory",
    "local-registry",
];
/// Longest part of an address that is no password, characters.
const PART_CHARS: usize = 24;

/// Whether a name or an address holds no password and no token.
fn is_plain(value: &str) -> bool {
    let parts = value.split(|c: char| !c.is_ascii_alphanumeric());
    !value.contains(['@', '?', '#']) && parts.into_iter().all(|part| part.len() <= PART_CHARS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn put(place: PathBuf, text: &str) {
        fs::create_dir_all(place.parent().unwrap()).unwrap();
        fs::write(place, text).unwrap();
    }

    #[test]
    fn the_toolchain_is_the_projects_else_the_default() {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().canonicalize().unwrap();
        for version in ["1.80.0-x86", "stable-x86", "nightly-x86"] {
            put(
                home.join(".rustup/toolchains")
                    .join(version)
                    .join("bin/cargo"),
                "",
            );
        }
        put(
            home.join(".rustup/settings.toml"),
            "default_toolchain = \"stable-x86\"\n",
        );
        let project = home.join("work/project/src");
        fs::create_dir_all(&project).unwrap();
        assert!(
            chosen_rust(&home, &project)
                .unwrap()
                .ends_with("stable-x86")
        );
        let named = home.join("work/project/rust-toolchain.toml");
        put(named.clone(), "[toolchain]\nchannel = \"1.80.0\"\n");
        assert!(
            chosen_rust(&home, &project)
                .unwrap()
                .ends_with("1.80.0-x86")
        );
        // A project names a toolchain, and no place.
        put(named, "[toolchain]\nchannel = \"../../..\"\n");
        assert!(
            chosen_rust(&home, &project)
                .unwrap()
                .ends_with("stable-x86")
        );
    }

    #[test]
    fn of_cargos_settings_only_the_sources_are_kept() {
        let config = "[source.crates-io]\nreplace-with = \"mirror\"\n\
                      [source.mirror]\nregistry = \"sparse+https://mirror.example/\"\n\
                      [registries.own]\nindex = \"sparse+https://own.example/\"\ntoken = \"hush\"\n\
                      [build]\nrustc-wrapper = \"/evil\"\n";
        let kept = sources(config).unwrap();
        assert!(kept.contains("mirror.example"), "{kept}");
        for word in ["hush", "evil", "rustc-wrapper"] {
            assert!(!kept.contains(word), "{kept}");
        }
        assert_eq!(sources("[build]\njobs = 2\n"), None);
        for secret in [
            "https://user:pass@mirror.example/",
            "https://mirror.example/0123456789abcdef0123456789abcdef/",
            "https://mirror.example/?token=a",
        ] {
            let source = format!("[source.mirror]\nregistry = \"{secret}\"\n");
            assert_eq!(sources(&source), None, "{secret}");
        }
    }

    #[test]
    fn an_environment_of_a_project_opens_nothing_but_a_python_of_the_home() {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().canonicalize().unwrap();
        let version = home.join(".local/share/uv/python/cpython-3.12");
        put(version.join("bin/python3.12"), "");
        put(home.join(".ssh/bin/python"), "");
        let project = home.join("project");
        let link = project.join(VENV_PYTHON);
        fs::create_dir_all(link.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(version.join("bin/python3.12"), &link).unwrap();
        let read = |project: &Path| Toolchains::of(&home, project, Path::new("/scratch")).read;
        assert_eq!(read(&project), [version]);
        fs::remove_file(&link).unwrap();
        std::os::unix::fs::symlink(home.join(".ssh/bin/python"), &link).unwrap();
        assert!(read(&project).is_empty());
    }
}
