//! What a yes for the session to a command covers besides that very command: the same program with the
//! same subcommand in the same folder, for the tools that developers run again and again.
//!
//! The arguments may differ but for those that lead the program elsewhere. What such a program does is
//! told by files of the project beside its sources, its settings; a change of one of them ends the yes.
//! Nothing else is covered by more than itself: no line for a shell, no script, no program by a path.

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

/// Which options may be given without leading the program elsewhere.
#[derive(Debug, Clone, Copy)]
enum Options {
    /// All but these and what begins with one of them.
    AllBut(&'static [&'static str]),
    /// These and what begins with one of them, before `--`.
    Only(&'static [&'static str]),
}

/// A program that a yes for the session may cover with other arguments.
#[derive(Debug)]
struct Program {
    names: &'static [&'static str],
    /// The words after its name that say what it does; `*` stands for any one that is no option.
    subcommands: &'static [&'static [&'static str]],
    options: Options,
    /// Files in the folder of the command and above it that say what it means; the best known first.
    settings: &'static [&'static str],
}

const PROGRAMS: [Program; 8] = [
    Program {
        names: &["cargo"],
        subcommands: &[
            &["build"],
            &["check"],
            &["test"],
            &["clippy"],
            &["fmt"],
            &["doc"],
            &["bench"],
            &["tree"],
            &["nextest", "run"],
        ],
        options: Options::AllBut(&[
            "--config",
            "--manifest-path",
            "--target-dir",
            "--lockfile-path",
            "--artifact-dir",
            "--tool-config-file",
            "-C",
            "-Z",
        ]),
        settings: &[
            "Cargo.toml",
            ".cargo/config.toml",
            ".cargo/config",
            ".config/nextest.toml",
            "rust-toolchain.toml",
            "rust-toolchain",
            "build.rs",
        ],
    },
    Program {
        names: &["npm", "pnpm", "yarn"],
        subcommands: &[&["test"], &["run", "*"]],
        // Any option of theirs may be a setting of theirs.
        options: Options::Only(&["--silent", "-s"]),
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
        options: Options::Only(&["--test-name-pattern", "--test-only"]),
        settings: &["package.json"],
    },
    Program {
        names: &["pytest"],
        subcommands: &[&[]],
        options: Options::AllBut(PYTEST_ELSEWHERE),
        settings: PYTEST_SETTINGS,
    },
    Program {
        names: &["python", "python3"],
        subcommands: &[&["-m", "pytest"], &["-m", "unittest"]],
        options: Options::AllBut(PYTEST_ELSEWHERE),
        settings: PYTEST_SETTINGS,
    },
    Program {
        names: &["go"],
        subcommands: &[&["build"], &["test"], &["vet"]],
        options: Options::Only(&[
            "-v", "-run", "-count", "-race", "-short", "-timeout", "-bench",
        ]),
        settings: &["go.mod", "go.work"],
    },
    Program {
        names: &["make"],
        subcommands: &[&["*"]],
        options: Options::Only(&["-j", "-k", "-s"]),
        settings: &["GNUmakefile", "makefile", "Makefile"],
    },
    Program {
        names: &["git"],
        subcommands: &[&["status"], &["diff"], &["log"], &["show"]],
        options: Options::AllBut(&["--ext-diff", "--textconv", "--output", "--no-index"]),
        settings: &[".git/config", ".gitattributes"],
    },
];

const PYTEST_ELSEWHERE: &[&str] = &[
    "--config-file",
    "--rootdir",
    "--override-ini",
    "--confcutdir",
    "--basetemp",
    "-c",
    "-o",
    "-p",
];
const PYTEST_SETTINGS: &[&str] = &[
    "pytest.ini",
    ".pytest.ini",
    "pyproject.toml",
    "tox.ini",
    "setup.cfg",
    "conftest.py",
];

/// The words of a line for the shell that a shell would take as they stand; `None` where one of its
/// characters means something to it.
pub(crate) fn plain_words(line: &str) -> Option<Vec<String>> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || " _-./:,@+".contains(c);
    let line = line.trim();
    (!line.is_empty() && line.chars().all(is_plain))
        .then(|| line.split_whitespace().map(str::to_owned).collect())
}

/// What a yes for the session to a command of `tool` in a folder covers besides the command.
pub(crate) fn of(tool: &str, argv: &[String], folder: &Path) -> Option<SessionScope> {
    let [name, rest @ ..] = argv else {
        return None;
    };
    let known = PROGRAMS
        .iter()
        .find(|program| program.names.contains(&name.as_str()))?;
    let (subcommand, arguments) = known.split(rest)?;
    if !arguments.iter().all(|word| known.options.allow(word)) && !known.is_closed(arguments) {
        return None;
    }
    let called: Vec<&str> = std::iter::once(name.as_str())
        .chain(subcommand.iter().map(String::as_str))
        .collect();
    let settings = settings(known.settings, folder)?;
    let key = json!([tool, called, folder.to_string_lossy(), settings]);
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

    /// Whether the options before `--` are allowed ones; what comes after it is the project's own
    /// program's.
    fn is_closed(&self, arguments: &[String]) -> bool {
        let end = arguments.iter().position(|word| word == "--");
        end.is_some_and(|end| arguments[..end].iter().all(|word| self.options.allow(word)))
    }
}

impl Options {
    fn allow(self, word: &str) -> bool {
        let begins = |list: &[&str]| list.iter().any(|option| word.starts_with(option));
        match self {
            Self::AllBut(_) | Self::Only(_) if !word.starts_with('-') => !word.contains('='),
            Self::AllBut(list) => !begins(list),
            Self::Only(list) => begins(list),
        }
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
        let words = plain_words(line)?;
        of("run_command", &words, folder).map(|scope| scope.key)
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
        for other in [
            "cargo check",
            "pytest",
            "make test",
            "npm test",
            "npm run test",
        ] {
            assert_ne!(key(other, here).unwrap(), test, "{other}");
        }
        assert_ne!(key("cargo test", &here.join("sub")).unwrap(), test);
        assert_ne!(key("make test", here), key("make clean", here));
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
        fs::write(here.join("src/lib.rs"), "// other").unwrap();
        assert_eq!(key("cargo test", &here).as_ref(), seen.last());
    }
}
