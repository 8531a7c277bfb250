//! What a line for the shell runs, where it runs one program and the signs in it are of a few known forms:
//! `cd FOLDER &&` and variables before the program, `2>&1` and `| tail -20` behind it.

/// Variables that change how a program shows what it does, or say where the project's own sources are.
/// None names a program, a library or options.
const VARIABLES: [&str; 22] = [
    "CI",
    "COLUMNS",
    "DEBUG",
    "FORCE_COLOR",
    "GOMAXPROCS",
    "LANG",
    "LC_ALL",
    "NODE_ENV",
    "NO_COLOR",
    "PYTHONDONTWRITEBYTECODE",
    "PYTHONHASHSEED",
    "PYTHONPATH",
    "PYTHONUNBUFFERED",
    "PYTHONUTF8",
    "RUST_BACKTRACE",
    "RUST_LIB_BACKTRACE",
    "RUST_LOG",
    "RUST_TEST_THREADS",
    "TERM",
    "TEST",
    "TZ",
    "VERBOSE",
];
/// Programs that show a part of what another printed.
const ENDS: [&str; 2] = ["head", "tail"];

/// One program, as a line for the shell begins it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Line {
    /// The folder below that of the command, where the line goes there first.
    pub(crate) folder: Option<String>,
    /// `NAME=VALUE`, in their order.
    pub(crate) variables: Vec<String>,
    /// The program and its arguments.
    pub(crate) words: Vec<String>,
}

impl Line {
    /// A program with its arguments, which no shell reads.
    pub(crate) fn of_words(words: Vec<String>) -> Self {
        Self {
            words,
            ..Self::default()
        }
    }

    /// The one program of a line; `None` where a shell would do more than begin it.
    pub(crate) fn read(line: &str) -> Option<Self> {
        let words: Vec<&str> = line
            .trim()
            .split(' ')
            .filter(|word| !word.is_empty())
            .collect();
        let (folder, words) = match words.as_slice() {
            ["cd", folder, "&&", rest @ ..] if is_below(folder) => (Some(*folder), rest),
            all => (None, all),
        };
        let variables = words.iter().take_while(|word| is_variable(word)).count();
        let (variables, words) = words.split_at(variables);
        let words = without_end(words);
        let is_plain = !words.is_empty() && words.iter().all(|word| is_plain(word));
        let owned = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        is_plain.then(|| Self {
            folder: folder.map(str::to_owned),
            variables: owned(variables),
            words: owned(words),
        })
    }
}

/// The words before what only says how much is shown of what the program prints.
fn without_end<'w>(words: &'w [&'w str]) -> &'w [&'w str] {
    let is_count = |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
    let shown = match words {
        [rest @ .., "|", end] if ENDS.contains(end) => rest,
        [rest @ .., "|", end, "-n", count] if ENDS.contains(end) && is_count(count) => rest,
        [rest @ .., "|", end, count]
            if ENDS.contains(end) && count.strip_prefix('-').is_some_and(is_count) =>
        {
            rest
        }
        all => all,
    };
    shown.strip_suffix(&["2>&1"]).unwrap_or(shown)
}

/// Whether a shell takes the word as it stands.
fn is_plain(word: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-./:,@+".contains(c);
    word.chars().all(is_plain)
}

/// Whether it is a known variable with a value that leads nowhere else.
fn is_variable(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, value)| {
        let mut places = value.split(':');
        VARIABLES.contains(&name) && is_plain(value) && places.all(|place| !leads_out(place))
    })
}

/// Whether it names a folder below.
fn is_below(word: &str) -> bool {
    is_plain(word) && !leads_out(word) && !word.starts_with('-')
}

/// Whether a word names what lies outside the folder.
pub(super) fn leads_out(word: &str) -> bool {
    word.starts_with(['/', '~', '@']) || word.contains("..")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(folder: Option<&str>, variables: &[&str], words: &str) -> Option<Line> {
        Some(Line {
            folder: folder.map(str::to_owned),
            variables: variables.iter().map(|&one| one.to_owned()).collect(),
            words: words.split(' ').map(str::to_owned).collect(),
        })
    }

    #[test]
    fn known_forms_around_one_program_are_read() {
        for (text, read) in [
            ("cargo  test -q", line(None, &[], "cargo test -q")),
            (
                "PYTHONPATH=lib:. pytest",
                line(None, &["PYTHONPATH=lib:."], "pytest"),
            ),
            ("cargo test 2>&1", line(None, &[], "cargo test")),
            ("cargo test 2>&1 | tail -20", line(None, &[], "cargo test")),
            ("cargo test | head -n 5", line(None, &[], "cargo test")),
            ("cargo test | tail", line(None, &[], "cargo test")),
            (
                "cd web/app && CI=1 npm test",
                line(Some("web/app"), &["CI=1"], "npm test"),
            ),
        ] {
            assert_eq!(Line::read(text), read, "{text}");
        }
    }

    #[test]
    fn a_line_that_does_more_is_not_read() {
        for text in [
            "",
            " ",
            "CI=1",
            "cd sub && ",
            "cd .. && pytest",
            "cd /tmp && pytest",
            "cd ~ && pytest",
            "cd - && pytest",
            "cd a && cd b && pytest",
            "cd a ; pytest",
            "PYTHONPATH=/tmp/evil pytest",
            "PYTHONPATH=lib:../evil pytest",
            "PYTHONPATH=$HOME pytest",
            "PYTEST_ADDOPTS=-pevil pytest",
            "LD_PRELOAD=evil.so pytest",
            "RUSTC_WRAPPER=evil cargo test",
            "PATH=. pytest",
            "pytest | sh",
            "pytest | tail evil",
            "pytest | tail -f",
            "pytest | tail -n",
            "pytest | tail -20 > out",
            "pytest 2>&1 > out",
            "pytest 2> out",
            "pytest & id",
            "pytest\nid",
            "pytest\tid",
            "pytest `id`",
            "pytest *",
            "pytest 'a'",
        ] {
            assert_eq!(Line::read(text), None, "{text}");
        }
    }
}
