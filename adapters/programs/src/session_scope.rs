//! What a yes for the session to a command covers besides that very command: the same program with the
//! same subcommand in the same folder, for the tools that developers run again and again.
//!
//! The arguments may differ but for those that lead the program elsewhere. What such a program does is
//! told by files of the project beside its sources, its settings; a change of one of them ends the yes.
//! Nothing else is covered by more than itself: no script, no program by a path, and of lines for a shell
//! those of a few known forms alone.

mod line;

pub(crate) use line::Line;

use api::executor::SessionScope;
use disk::read::{Links, bytes};
use domain::hash::Digest;
use serde_json::json;
use std::collections::BTreeMap;
use std::path::Path;

/// Largest file of settings that a yes can stand for, bytes.
const SETTINGS_BYTES: u64 = 1 << 20;
/// Folders above that of the command whose settings count.
const FOLDERS_ABOVE: usize = 64;

/// A program that a yes for the session may cover with other arguments.
#[derive(Debug)]
struct Program {
    names: &'static [&'static str],
    /// The words after its name that say what it does; `*` stands for any one that is no option.
    subcommands: &'static [&'static [&'static str]],
    /// Options that do not lead it elsewhere, by themselves or with `=VALUE`.
    options: &'static [&'static str],
    /// Whether what comes after `--` goes to the project's own program, or names files of it.
    has_rest: bool,
    /// Files in the folder of the command and above it that say what it means; the best known first.
    settings: &'static [&'static str],
}

const PROGRAMS: [Program; 8] = [
    Program {
        names: &["cargo"],
        subcommands: &[&["test"], &["bench"], &["nextest", "run"]],
        options: CARGO_OPTIONS,
        has_rest: true,
        settings: CARGO_SETTINGS,
    },
    Program {
        names: &["cargo"],
        subcommands: &[
            &["build"],
            &["check"],
            &["clippy"],
            &["fmt"],
            &["doc"],
            &["tree"],
        ],
        options: CARGO_OPTIONS,
        // What comes there goes to the compiler.
        has_rest: false,
        settings: CARGO_SETTINGS,
    },
    Program {
        names: &["npm", "pnpm", "yarn"],
        subcommands: &[&["test"], &["run", "*"]],
        // Any other option of theirs may be a setting of theirs.
        options: &["--silent", "-s"],
        has_rest: true,
        settings: &[
            "package.json",
            ".npmrc",
            ".yarnrc",
            ".yarnrc.yml",
            "pnpm-workspace.yaml",
            ".pnpmfile.cjs",
        ],
    },
    Program {
        names: &["node"],
        subcommands: &[
            &["--test"],
            &["--experimental-strip-types", "--test"],
            &["--test", "--experimental-strip-types"],
        ],
        options: &["--test-name-pattern", "--test-only"],
        has_rest: false,
        settings: &["package.json"],
    },
    Program {
        names: &["pytest"],
        subcommands: &[&[]],
        options: PYTEST_OPTIONS,
        has_rest: false,
        settings: PYTEST_SETTINGS,
    },
    Program {
        names: &["python", "python3"],
        subcommands: &[&["-m", "pytest"], &["-m", "unittest"]],
        options: PYTEST_OPTIONS,
        has_rest: false,
        settings: PYTEST_SETTINGS,
    },
    Program {
        names: &["go"],
        subcommands: &[&["build"], &["test"], &["vet"]],
        options: &[
            "-v",
            "-run",
            "-count",
            "-race",
            "-short",
            "-timeout",
            "-bench",
            "-failfast",
        ],
        has_rest: false,
        settings: &["go.mod", "go.work"],
    },
    Program {
        names: &["git"],
        subcommands: &[&["status"], &["diff"], &["log"], &["show"]],
        options: &[
            "--short",
            "-s",
            "--stat",
            "--oneline",
            "-n",
            "-p",
            "--cached",
            "--staged",
            "--name-only",
            "--name-status",
        ],
        has_rest: true,
        settings: &[".git/config", ".gitattributes"],
    },
];

const CARGO_OPTIONS: &[&str] = &[
    "-q",
    "--quiet",
    "-v",
    "--verbose",
    "-p",
    "--package",
    "--workspace",
    "--all",
    "--exclude",
    "--lib",
    "--bin",
    "--bins",
    "--test",
    "--tests",
    "--bench",
    "--benches",
    "--example",
    "--examples",
    "--doc",
    "--all-targets",
    "-F",
    "--features",
    "--all-features",
    "--no-default-features",
    "-r",
    "--release",
    "--no-run",
    "--no-fail-fast",
    "--no-deps",
    "--keep-going",
    "--check",
    "-j",
    "--jobs",
    "--offline",
    "--locked",
    "--frozen",
    "--color",
    "--message-format",
];
const CARGO_SETTINGS: &[&str] = &[
    "Cargo.toml",
    ".cargo/config.toml",
    ".cargo/config",
    ".config/nextest.toml",
    "rust-toolchain.toml",
    "rust-toolchain",
    "build.rs",
];
const PYTEST_OPTIONS: &[&str] = &[
    "-q",
    "--quiet",
    "-v",
    "-vv",
    "--verbose",
    "-x",
    "--exitfirst",
    "-s",
    "-k",
    "-l",
    "-f",
    "-b",
    "--lf",
    "--ff",
    "--maxfail",
    "--tb",
    "--durations",
    "--collect-only",
];
const PYTEST_SETTINGS: &[&str] = &[
    "pytest.ini",
    ".pytest.ini",
    "pyproject.toml",
    "tox.ini",
    "setup.cfg",
    "conftest.py",
    ".python-version",
];
/// Where the environment of a Python project has its programs.
const VENV_PROGRAMS: &str = ".venv/bin/";
/// Programs that the environment of a Python project brings itself.
const OF_VENV: [&str; 3] = ["pytest", "python", "python3"];

/// What a yes for the session to a command of `tool` in a folder covers besides the command.
pub(crate) fn of(tool: &str, line: &Line, folder: &Path) -> Option<SessionScope> {
    let [called_by, rest @ ..] = line.words.as_slice() else {
        return None;
    };
    // As its name alone does, since the environment of the folder comes first in the path.
    let name = &match called_by.strip_prefix(VENV_PROGRAMS) {
        Some(name) if line.folder.is_none() && OF_VENV.contains(&name) => name.to_owned(),
        _ => called_by.clone(),
    };
    // Where it really begins and works: a link may lead elsewhere the next time.
    let begins = paths::real_path(folder)?;
    let folder = match &line.folder {
        Some(below) => paths::real_path(&begins.join(below))?,
        None => begins.clone(),
    };
    let (known, (subcommand, arguments)) = PROGRAMS
        .iter()
        .filter(|program| program.names.contains(&name.as_str()))
        .find_map(|program| Some((program, program.split(rest)?)))?;
    // Programs of the folder in which it begins are in its path.
    let is_brought = [&begins, &folder]
        .iter()
        .any(|folder| is_brought(name, folder));
    if !known.stays(arguments) || is_brought {
        return None;
    }
    let variables = line.variables.iter().map(String::as_str);
    let called: Vec<&str> = variables
        .chain([called_by.as_str()])
        .chain(subcommand.iter().map(String::as_str))
        .collect();
    let settings = settings(known.settings, &folder)?;
    let places = [&begins, &folder].map(|folder| folder.to_string_lossy());
    let key = json!([tool, called, places, settings]);
    Some(SessionScope {
        key: Digest::of_json(&key),
        words: format!(
            "`{}` in {}, also with other arguments, until {} or another file of its settings changes",
            called.join(" "),
            text::escape::visible_line(&folder.to_string_lossy()),
            known.settings.first().unwrap_or(&""),
        ),
    })
}

/// Whether the project brings a program of that name, which would run in the place of the machine's.
fn is_brought(name: &str, folder: &Path) -> bool {
    let brought = folder.join(".venv/bin").join(name);
    !OF_VENV.contains(&name) && brought.symlink_metadata().is_ok()
}

impl Program {
    /// The words that say what it does, and those after them.
    fn split<'w>(&self, words: &'w [String]) -> Option<(&'w [String], &'w [String])> {
        let fits = |subcommand: &&&[&str]| {
            let is_it = |(wanted, word): (&&str, &String)| match *wanted {
                "*" => !word.starts_with('-') && !word.contains('='),
                wanted => wanted == word,
            };
            subcommand.len() <= words.len() && subcommand.iter().zip(words).all(is_it)
        };
        let subcommand = self.subcommands.iter().find(fits)?;
        Some(words.split_at(subcommand.len()))
    }

    /// Whether the arguments leave it where it is: known options, and words that name nothing outside
    /// the folder; after `--` only what goes to the project's own program.
    fn stays(&self, arguments: &[String]) -> bool {
        let end = arguments.iter().position(|word| word == "--");
        let own = &arguments[..end.unwrap_or(arguments.len())];
        (end.is_none() || self.has_rest) && own.iter().all(|word| self.allows(word))
    }

    fn allows(&self, word: &str) -> bool {
        if word.starts_with('-') {
            let option = word.split_once('=').map_or(word, |(option, _)| option);
            return self.options.contains(&option);
        }
        !line::leads_out(word) && !word.contains('=')
    }
}

/// What the files say that decide what a program does, by their places; `None` where one cannot be read.
fn settings(names: &[&str], folder: &Path) -> Option<BTreeMap<String, String>> {
    let mut all = BTreeMap::new();
    for above in folder.ancestors().take(FOLDERS_ABOVE) {
        for name in names {
            let place = above.join(name);
            // Where nothing can be looked at, the program sees nothing either.
            if let Some(content) = bytes(&place, SETTINGS_BYTES, Links::Followed).ok()? {
                let place = place.to_string_lossy().into_owned();
                all.insert(place, Digest::of(&content).to_string());
            }
        }
    }
    Some(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn key(line: &str, folder: &Path) -> Option<Digest> {
        let line = Line::read(line)?;
        of("run_command", &line, folder).map(|scope| scope.key)
    }

    #[test]
    fn other_arguments_are_covered_and_another_subcommand_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let here = folder.path();
        let test = key("cargo test", here).unwrap();
        for same in [
            "cargo test -q",
            "cargo test --lib parse",
            "cargo test -- a --nocapture",
        ] {
            assert_eq!(key(same, here), Some(test), "{same}");
        }
        for other in ["cargo check", "pytest", "npm test", "npm run test"] {
            assert_ne!(key(other, here).unwrap(), test, "{other}");
        }
        fs::create_dir(here.join("sub")).unwrap();
        assert_ne!(key("cargo test", &here.join("sub")).unwrap(), test);
        // What is shown of the output makes no other program; the folder that a line goes to does.
        assert_eq!(key("cargo test 2>&1 | tail -20", here), Some(test));
        let below = key("cd sub && cargo test", here).unwrap();
        assert_eq!(key("cd sub && cargo test -q", here), Some(below));
        assert_ne!(below, test);
        // A project's own Python is called by its path as well, and no other program is.
        let pytest = key(".venv/bin/python -m pytest -q", here);
        assert_eq!(key(".venv/bin/python -m pytest tests", here), pytest);
        assert!(pytest.is_some() && key(".venv/bin/pytest", here).is_some());
        assert_eq!(key(".venv/bin/cargo test", here), None);
        assert_eq!(key("./.venv/bin/pytest", here), None);
        assert_eq!(key("other/.venv/bin/pytest", here), None);
        // With another variable it is another program.
        let with = key("RUST_BACKTRACE=1 cargo test", here).unwrap();
        assert_ne!(with, test);
        assert_eq!(key("RUST_BACKTRACE=1 cargo test -q", here), Some(with));
        assert_ne!(key("RUST_BACKTRACE=0 cargo test", here), Some(with));
        // A link is where it leads.
        std::os::unix::fs::symlink(here, here.join("link")).unwrap();
        assert_eq!(key("cargo test", &here.join("link")), Some(test));
        assert_ne!(key("npm run a", here), key("npm run b", here));
    }

    #[test]
    fn what_leads_elsewhere_and_what_only_a_shell_understands_is_covered_by_nothing() {
        let folder = tempfile::tempdir().unwrap();
        for line in [
            "cargo run",
            "cargo evil",
            "cargo --config a test",
            "cargo test --config alias.x",
            "cargo test --manifest-path ../b/Cargo.toml",
            "cargo test -Zunstable",
            "cargo +nightly test",
            "./cargo test",
            "/usr/bin/cargo test",
            "cargo test; rm -r src",
            "cargo test && cargo run",
            "cargo test $(id)",
            "cargo test `id`",
            "cargo test > out",
            "cargo test\nrm a",
            "sh build.sh",
            "bash -c ls",
            "python3 -c pass",
            "python3 -m http.server",
            "pytest -p evil",
            "pytest -pevil",
            "pytest -c other.ini",
            "npm test --script-shell=./evil",
            "npm exec evil",
            "npm run",
            "node --test --import ./evil.js",
            "node --require ./evil.js --test",
            "go test -exec ./evil",
            "go run .",
            "make test",
            "npm test -script-shell ./evil",
            "go vet -vettool ./evil",
            "pytest -qc other.ini",
            "pytest @args.txt",
            "pytest ../other",
            "python3 -m unittest discover -s ../x",
            "cargo clippy -- -C linker",
            "cargo nextest run --archive-file x",
            "make -f other.mk test",
            "make SHELL=./evil test",
            "make test CC=./evil",
            "git diff --ext-diff",
            "git log --output=a",
            "git push",
            "git -c core.pager=evil log",
            "",
        ] {
            assert_eq!(key(line, folder.path()), None, "{line}");
        }
    }

    #[test]
    fn a_change_of_a_programs_settings_ends_what_is_covered() {
        let folder = tempfile::tempdir().unwrap();
        let here = folder.path().join("inner");
        fs::create_dir_all(here.join(".cargo")).unwrap();
        fs::create_dir_all(here.join("src")).unwrap();
        let mut seen = vec![key("cargo test", &here).unwrap()];
        for (file, text) in [
            ("inner/Cargo.toml", "[package]"),
            ("inner/.cargo/config.toml", "[alias]\ntest = \"run\""),
            ("inner/build.rs", "fn main() {}"),
            ("Cargo.toml", "[workspace]"),
        ] {
            fs::write(folder.path().join(file), text).unwrap();
            let now = key("cargo test", &here).unwrap();
            assert!(!seen.contains(&now), "{file}");
            seen.push(now);
        }
        fs::create_dir_all(here.join(".venv/bin")).unwrap();
        fs::write(here.join(".venv/bin/cargo"), "").unwrap();
        assert_eq!(key("cargo test", &here), None);
        fs::remove_file(here.join(".venv/bin/cargo")).unwrap();
        fs::write(here.join("src/lib.rs"), "// other").unwrap();
        assert_eq!(key("cargo test", &here).as_ref(), seen.last());
    }
}
