//! Lines that become comments, and settings and statements that stop being one, each with the block that it
//! opens.

use super::lines::Lines;
use super::unset::unset;
use super::written;
use crate::names;
use crate::quoted::in_quotes;
use crate::rules::refusal::Refusal;
use crate::rules::words::pattern;
use domain::plan::Action;
use regex::Regex;
use std::ops::Range;
use std::sync::LazyLock;

/// What begins a comment of a line.
const MARKS: [&str; 4] = ["//", "--", "#", ";"];

/// Words that may stand before the name in a line.
static BEFORE_NAMES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r#"^(?:[-*+][ \t]+)?(?:(?:export|declare|let|const|var|val|pub(?:\([\w: ]+\))?|static|mut|final|readonly|private|public|protected|local|function|fn|def|class|func|async)[ \t]+)*["'`]?"#,
    )
});

/// A line that was a comment, without what made it one.
pub(super) fn without_mark(line: &str) -> String {
    let (indent, bare) = parted(line);
    format!("{indent}{}", bare.strip_prefix(' ').unwrap_or(bare))
}

/// The indentation of a comment, and what stands behind its mark.
fn parted(line: &str) -> (&str, &str) {
    let body = line.trim_start();
    let indent = &line[..line.len() - body.len()];
    let bare = MARKS.iter().find_map(|mark| body.strip_prefix(mark));
    (indent, bare.unwrap_or(body))
}

/// The lines of a block of comments without their marks. Whether a space belongs to the mark is seen at the
/// first line: in steps of two behind it, all of them are indentation.
pub(super) fn without_marks<'a>(lines: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let mut is_spaced = None;
    let bare = lines.into_iter().map(|line| {
        let (indent, bare) = parted(line);
        let gap = bare.len() - bare.trim_start_matches(' ').len();
        match *is_spaced.get_or_insert(gap % 2 == 1) {
            true => without_mark(line),
            false => format!("{indent}{bare}"),
        }
    });
    bare.collect()
}

fn is_comment(line: &str) -> bool {
    MARKS.iter().any(|mark| line.trim_start().starts_with(mark))
}

/// Whether a line begins with a name, or says nothing else.
fn begins_with(line: &str, name: &str) -> bool {
    let line = line.trim().to_lowercase();
    let name = name.trim().to_lowercase();
    if line == name {
        return true;
    }
    let is_name = |rest: &str| {
        let rest = rest.strip_prefix(name.as_str());
        let is_longer = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
        rest.is_some_and(|rest| !rest.starts_with(is_longer))
    };
    let behind = BEFORE_NAMES.as_ref().and_then(|before| before.find(&line));
    // The header of a section has its name.
    is_name(line.trim_start_matches('['))
        || behind.is_some_and(|before| is_name(&line[before.end()..]))
}

fn depth(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// Texts in quotes on a line. A single quote of Rust may begin a lifetime: there it holds one sign.
static QUOTED: LazyLock<Option<Regex>> =
    LazyLock::new(|| pattern(r#""(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`[^`]*`"#));
static QUOTED_IN_RUST: LazyLock<Option<Regex>> =
    LazyLock::new(|| pattern(r#""(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)'"#));
/// What makes a comment a statement rather than a sentence.
static STATEMENT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(r"[=({;]|^\s*(?:import|from|use|export|return|package|include|require)\b")
});

/// How many more brackets a line opens than it closes, but for those in quotes.
fn opened(line: &str, ending: &str) -> isize {
    let quoted = if ending == "rs" {
        &QUOTED_IN_RUST
    } else {
        &QUOTED
    };
    let line = match quoted.as_ref() {
        Some(quoted) => quoted.replace_all(line, ""),
        None => line.into(),
    };
    let count = |signs: [char; 3]| line.matches(signs).count() as isize;
    count(['(', '[', '{']) - count([')', ']', '}'])
}

/// The last line of the block that a line opens, which is itself where it opens none; `None` where the end is
/// not found.
pub(super) fn end_of_block(lines: &[&str], first: usize, ending: &str) -> Option<usize> {
    let line = *lines.get(first)?;
    if opened(line, ending) > 0 {
        let mut open = 0;
        return (first..lines.len()).find(|at| {
            open += opened(lines[*at], ending);
            open <= 0
        });
    }
    let is_header = |line: &str| line.trim_start().starts_with('[');
    let has_headers = matches!(
        ending,
        "toml" | "ini" | "cfg" | "cnf" | "conf" | "service" | "desktop" | "gitconfig"
    );
    let is_within: Box<dyn Fn(&str) -> bool> = match ending {
        _ if has_headers && is_header(line) => Box::new(move |next: &str| !is_header(next)),
        "yaml" | "yml" => Box::new(move |next: &str| {
            let is_list = line.trim_end().ends_with(':') && next.trim_start().starts_with("- ");
            depth(next) > depth(line) || (is_list && depth(next) == depth(line))
        }),
        "mk" => Box::new(move |next: &str| !line.starts_with('\t') && next.starts_with('\t')),
        "py" => {
            Box::new(move |next: &str| line.trim_end().ends_with(':') && depth(next) > depth(line))
        }
        _ => return Some(first),
    };
    let below = lines[first + 1..].iter().enumerate();
    let below = below.filter(|(_, next)| !next.trim().is_empty());
    let mut last = first;
    for (at, next) in below {
        if !is_within(next) {
            break;
        }
        last = first + 1 + at;
    }
    Some(last)
}

impl Lines<'_> {
    /// The change that makes the only line that begins with a name, or is about something, a comment, with the
    /// block that it opens.
    pub(super) fn comment_out(&self, about: &str, is_by_words: bool) -> Result<Action, Refusal> {
        let mark = self.comment_mark();
        let mark = mark.ok_or_else(|| self.no_comments())?;
        let line = match is_by_words {
            true => self.only_about(about)?,
            false => self.only_beginning_with(about)?,
        };
        self.may_become_a_comment(about, &line)?;
        let all: Vec<Range<usize>> = self.lines().collect();
        let first = all.iter().position(|one| *one == line).unwrap_or_default();
        let texts: Vec<&str> = all.iter().map(|line| &self.text[line.clone()]).collect();
        let last = end_of_block(&texts, first, &self.ending());
        let last = last.ok_or_else(|| self.no_end_of_block(first))?;
        let block = &texts[first..=last];
        let least = block
            .iter()
            .filter(|line| !line.trim().is_empty())
            .map(|line| depth(line))
            .min();
        let least = least.unwrap_or_default();
        let commented = block.iter().map(|line| match line.trim().is_empty() {
            true => (*line).to_owned(),
            false => format!("{}{mark} {}", &line[..least], &line[least..]),
        });
        let commented: Vec<String> = commented.collect();
        self.replace(line.start..all[last].end, &commented.join(self.line_end()))
    }

    /// Refuses a line that is a comment, stands within one, or has several directives.
    fn may_become_a_comment(&self, about: &str, line: &Range<usize>) -> Result<(), Refusal> {
        let path = self.path;
        let show = || vec![format!("show {}", self.shown_path())];
        if is_comment(&self.text[line.clone()]) {
            let why = format!("The line about `{about}` is a comment in {path} already.");
            return Err(Refusal::ambiguous(why, show()));
        }
        if self.has_several(line) {
            let why = format!("The line about `{about}` sets more than that in {path}.");
            return Err(Refusal::ambiguous(why, show()));
        }
        let unset = unset(&self.ending(), self.text);
        let is_within = |part: &Range<usize>| part.contains(&line.start) && part.start < line.start;
        if unset.iter().any(is_within) {
            let why = format!(
                "The line about `{about}` stands in a text of several lines or a comment in {path}."
            );
            return Err(Refusal::ambiguous(why, show()));
        }
        Ok(())
    }

    /// The only line that begins with a name and is no comment.
    fn only_beginning_with(&self, name: &str) -> Result<Range<usize>, Refusal> {
        let begins = |line: &Range<usize>| begins_with(&self.text[line.clone()], name);
        let found: Vec<Range<usize>> = self.lines().filter(begins).collect();
        match found.as_slice() {
            [line] => Ok(line.clone()),
            [] => {
                let is_comment = |line: &Range<usize>| {
                    let text = &self.text[line.clone()];
                    is_comment(text) && begins_with(&without_mark(text), name)
                };
                let comment = self.lines().find(is_comment);
                let none = || self.none_begins(name);
                comment.or_else(|| self.only_line_of(name)).ok_or_else(none)
            }
            many => {
                // `redis:` is the key, and `- redis` names it elsewhere.
                let is_yaml = matches!(self.ending().as_str(), "yaml" | "yml");
                let is_key = |line: &&Range<usize>| {
                    let line = self.text[(*line).clone()].trim().to_lowercase();
                    let rest = line.strip_prefix(&name.trim().to_lowercase());
                    rest.is_some_and(|rest| rest.starts_with(':'))
                };
                let mut keys = many.iter().filter(is_key).filter(|_| is_yaml);
                let only = keys.next().filter(|_| keys.next().is_none());
                only.cloned()
                    .ok_or_else(|| self.several(many, &format!("`{name}`")))
            }
        }
    }

    /// The refusal where no line begins with a name, with the order for the only line that has all words of it.
    fn none_begins(&self, name: &str) -> Refusal {
        let refusal = self.absent(&format!("no line that begins with `{name}`"));
        let has_all = |line: &Range<usize>| {
            let line = self.text[line.clone()].to_lowercase();
            let words = name.to_lowercase();
            !is_comment(&line) && words.split(' ').all(|word| names::has_words(&line, word))
        };
        let mut found = self.lines().filter(has_all);
        let Some(only) = found.next().filter(|_| found.next().is_none()) else {
            return refusal;
        };
        let begins = self.text[only].trim().trim_end_matches(['{', ' ', ';']);
        let order = format!("comment out {} in {}", in_quotes(begins), self.shown_path());
        Refusal {
            nearest: vec![order],
            ..refusal
        }
    }

    /// The only line with a word, of a file whose lines are no settings, so that no name begins them.
    fn only_line_of(&self, word: &str) -> Option<Range<usize>> {
        const LISTS: [&str; 5] = ["cron", "sh", "bash", "zsh", "gitignore"];
        let name = self.path.to_lowercase();
        let is_list = LISTS.contains(&self.ending().as_str()) || name.contains("crontab");
        let is_word = is_list && !word.contains(char::is_whitespace);
        self.only_about(word).ok().filter(|_| is_word)
    }

    /// The change that removes the only comment about something, where it is a line of its own: what stands
    /// before one is no part of it.
    pub(super) fn remove_comment(&self, about: &str) -> Result<Action, Refusal> {
        let line = self.only_about(about)?;
        let text = &self.text[line.clone()];
        if self.comment_mark().is_some() && is_comment(text) && !text.trim_start().starts_with("#!")
        {
            return self.without(&line);
        }
        let path = self.path;
        let number = self.text[..line.start].matches('\n').count() + 1;
        let why = format!(
            "Line {number} of {path} says more than that comment: `{}`.",
            text.trim()
        );
        let advice = format!(
            "To take out the comment alone: `replace \"# …\" with \"\" in {0}`, with its exact text. The whole line: \
             `delete line {number} of {0}`.",
            self.shown_path()
        );
        Err(Refusal::ambiguous(why, Vec::new()).advised(advice))
    }

    fn no_end_of_block(&self, first: usize) -> Refusal {
        let number = first + 1;
        let why = format!(
            "Where the block that line {number} of {} opens ends is not clear.",
            self.path
        );
        Refusal::ambiguous(why, vec![format!("show {}", self.shown_path())])
    }

    /// The change that sets what only a comment has: a setting, or a statement that begins with a name.
    pub(super) fn uncomment(&self, key: &str) -> Result<Action, Refusal> {
        let all: Vec<Range<usize>> = self.lines().collect();
        let text_of = |line: &Range<usize>| &self.text[line.clone()];
        let mentions = self.mentions(key).into_iter();
        let mut comments: Vec<usize> = mentions
            .filter(|mention| mention.is_comment)
            .map(|mention| mention.number - 1)
            .collect();
        if comments.is_empty() {
            let begins = |line: &str| {
                let bare = without_mark(line);
                let is_statement = STATEMENT.as_ref().is_some_and(|it| it.is_match(&bare));
                is_comment(line) && begins_with(&bare, key) && (is_statement || bare.trim() == key)
            };
            comments = (0..all.len())
                .filter(|at| begins(text_of(&all[*at])))
                .collect();
        }
        if comments.is_empty() {
            // In code a comment that begins with words may be a sentence; in settings it is what they name.
            let key = key.trim_start_matches(['#', ';', '/', '-', ' ']);
            let is_named = key.contains(' ') && !written::is_code(&self.ending());
            let begins = |line: &str| is_comment(line) && begins_with(&without_mark(line), key);
            comments = (0..all.len())
                .filter(|at| is_named && begins(text_of(&all[*at])))
                .collect();
        }
        if comments.is_empty() {
            // `the prune job` is the only line with that word.
            let kinds = [" line", " job", " entry", " row"];
            let word = kinds.iter().find_map(|kind| key.strip_suffix(kind));
            let line = word.and_then(|word| self.only_about(word).ok());
            let at = line.and_then(|line| all.iter().position(|one| *one == line));
            comments.extend(at.filter(|at| is_comment(text_of(&all[*at]))));
        }
        let [first] = comments.as_slice() else {
            return match comments.len() {
                0 => Err(self.absent(&format!("no comment that begins with `{key}`"))),
                _ => {
                    let places: Vec<Range<usize>> =
                        comments.iter().map(|at| all[*at].clone()).collect();
                    Err(self.several(&places, &format!("comments with `{key}`")))
                }
            };
        };
        // The comments below may be of the block that it opens.
        let below = all[*first..].iter().map(text_of);
        let bare = without_marks(below.take_while(|line| is_comment(line)));
        let texts: Vec<&str> = bare.iter().map(String::as_str).collect();
        let last = end_of_block(&texts, 0, &self.ending());
        let last = last.ok_or_else(|| self.no_end_of_block(*first))?;
        let place = all[*first].start..all[first + last].end;
        self.replace(place, &bare[..=last].join(self.line_end()))
    }

    /// Whether it lists packages for pip, by its name.
    fn is_of_packages(&self) -> bool {
        let name = self.path.rsplit('/').next().unwrap_or(self.path);
        ["requirements", "constraints"]
            .iter()
            .any(|known| name.to_lowercase().starts_with(known))
    }

    /// What begins a comment in this file: of `.ini` files as the file has it.
    pub(super) fn comment_mark(&self) -> Option<&'static str> {
        let has = |mark: &str| {
            self.text
                .lines()
                .any(|line| line.trim_start().starts_with(mark))
        };
        let name = self
            .path
            .rsplit('/')
            .next()
            .unwrap_or_default()
            .to_lowercase();
        if name == "fstab" || name.contains("crontab") {
            return Some("#");
        }
        match self.ending().as_str() {
            "ini" if !has("#") || has(";") => Some(";"),
            "cfg" | "cnf" if has(";") && !has("#") => Some(";"),
            "toml" | "yaml" | "yml" | "conf" | "cfg" | "cnf" | "env" | "service" | "timer"
            | "socket" | "properties" | "py" | "rb" | "sh" | "bash" | "zsh" | "ini"
            | "gitconfig" | "cron" | "mk" | "dockerfile" | "gitignore" | "dockerignore" => {
                Some("#")
            }
            // Packages of Python, one in each line.
            "txt" if self.is_of_packages() => Some("#"),
            "js" | "mjs" | "cjs" | "ts" | "jsx" | "tsx" | "rs" | "go" | "c" | "h" | "cc"
            | "cpp" | "hpp" | "cs" | "java" | "kt" | "swift" | "php" | "scss" => Some("//"),
            "sql" | "lua" | "hs" => Some("--"),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn new(action: Result<Action, Refusal>) -> String {
        match action.unwrap() {
            Action::ReplaceText { new, .. } => new,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_line_becomes_a_comment_and_a_setting_again() {
        let lines = |path: &'static str, text: &'static str| Lines { path, text };
        let conf = lines("a.conf", "a {\n    gzip on;\n    # cache off;\n}\n");
        assert_eq!(new(conf.comment_out("gzip", false)), "    # gzip on;");
        assert_eq!(new(conf.uncomment("cache")), "    cache off;");
        let code = lines("a.js", "const PORT = 1;\n// run(2);\n");
        assert_eq!(new(code.comment_out("PORT", false)), "// const PORT = 1;");
        assert_eq!(new(code.uncomment("run")), "run(2);");
        let yaml = "a:\n  #redis:\n  #  image: redis\nb:\n#  f: 2\n#   - x\n";
        let yaml = lines("a.yml", yaml);
        assert_eq!(new(yaml.uncomment("redis")), "  redis:\n    image: redis");
        assert!(new(yaml.uncomment("f")).starts_with("  f: 2"));
        let shell = lines("a.sh", "# export A=1\n");
        assert_eq!(new(shell.uncomment("A")), "export A=1");
        let make = lines("Makefile", "a: b\n\trun\n\nclean:\n\trm x\n");
        assert_eq!(new(make.comment_out("clean", true)), "# clean:\n# \trm x");
        let packages = lines("requirements.txt", "flask==2.3.2\npytest\n");
        assert_eq!(new(packages.comment_out("pytest", false)), "# pytest");
        let query = lines("a.sql", "drop table a;\n");
        assert_eq!(new(query.comment_out("drop", false)), "-- drop table a;");
        for refused in [
            conf.comment_out("cache", false),
            conf.comment_out("on", false),
            conf.uncomment("gzip"),
            lines("a.md", "x\n").comment_out("x", false),
        ] {
            refused.unwrap_err();
        }
        assert_eq!(new(conf.comment_out("on", true)), "    # gzip on;");
        let jobs = lines(
            "conf/crontab",
            "0 3 * * * /bin/backup\n5 * * * * /bin/poll\n",
        );
        assert_eq!(
            new(jobs.comment_out("poll", false)),
            "# 5 * * * * /bin/poll"
        );
    }

    #[test]
    fn the_sign_of_an_ini_file_is_its_own() {
        for (text, mark) in [("a=1\n", ";"), ("; x\na=1\n", ";"), ("# x\na=1\n", "#")] {
            let lines = Lines {
                path: "a.ini",
                text,
            };
            assert_eq!(new(lines.comment_out("a", false)), format!("{mark} a=1"));
        }
    }

    #[test]
    fn a_block_becomes_a_comment_as_a_whole() {
        for (path, text, about, commented) in [
            (
                "a.conf",
                "a {\n  b 1;\n}\nc 2;\n",
                "a",
                "# a {\n#   b 1;\n# }",
            ),
            ("a.yaml", "a:\n  b: 1\n\nc: 2\n", "a", "# a:\n#   b: 1"),
            ("a.yaml", "a:\n- 1\n- 2\nc: 2\n", "a", "# a:\n# - 1\n# - 2"),
            (
                "a.py",
                "def a():\n    return 1\n\nb = 2\n",
                "a",
                "# def a():\n#     return 1",
            ),
            (
                "a.rs",
                "fn a() {\n    b();\n}\n",
                "a",
                "// fn a() {\n//     b();\n// }",
            ),
            ("a.ini", "[a]\nb=1\n[c]\n", "[a]", "; [a]\n; b=1"),
        ] {
            let lines = Lines { path, text };
            assert_eq!(new(lines.comment_out(about, false)), commented, "{path}");
            let text = text.replacen(commented, "", 1);
            let back = Lines {
                path,
                text: &format!("{commented}\n{text}"),
            };
            assert!(back.uncomment(about).is_ok(), "{path}");
        }
        let quoted = Lines {
            path: "a.js",
            text: "say(\"(\");\nrun();\n// stop the car\n",
        };
        assert_eq!(new(quoted.comment_out("say", false)), "// say(\"(\");");
        quoted.uncomment("stop").unwrap_err();
        let open = Lines {
            path: "a.rs",
            text: "fn a() {\n",
        };
        open.comment_out("a", false).unwrap_err();
    }
}
