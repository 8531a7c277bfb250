//! Orders that name no file: they are offered with each file that has what they name.

use super::refusal::Refusal;
use super::words::is_file;
use crate::quoted::{in_quotes, typed_path};
use crate::{kinds, named, orders};
use regex::{Captures, Regex};
use std::sync::LazyLock;

/// Most files that an order is tried on.
pub const TRIED_FILES: usize = 8;
/// Most orders that are offered where each is of one file.
const OFFERED: usize = 4;
/// Words that stand for something that was named before.
const BACK: [&str; 8] = [
    "it", "them", "this", "that", "these", "those", "both", "all",
];

/// What an order without a file wants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted {
    /// What a file has to have.
    word: String,
    /// The order up to the files.
    order: String,
    /// The word that leads to the files.
    lead: &'static str,
    /// Whether it is of all files at once.
    is_of_all: bool,
    /// The folders that it names.
    folders: Vec<String>,
    /// The files that it is of.
    kind: Kind,
}

/// Which files an order is of, by their names.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Kind {
    All,
    Ending(String),
    /// Those whose names begin so: `all chapters`.
    Called(String),
}

impl Kind {
    /// Of what stands behind the order: ` in all python files`. `None` where it says more than that.
    fn of(said: &str) -> Option<Self> {
        static SAYS: LazyLock<Option<Regex>> = LazyLock::new(|| {
            Regex::new(concat!(
                r"(?i)^ (?:everywhere|in (?:(?:all|every|each)(?: of)?(?: the| my| our)?)(?: (?:\.|\*\.)?(?P<kind>[\w]+)[ -]files?| (?:files?|of them|of these|places?)| (?P<name>[a-z]+?)s?)?",
                r"(?: here| of (?:the|this|my|our) (?:book|project|folder|code))?)[.! ]*$",
            ))
            .ok()
        });
        let found = SAYS.as_ref()?.captures(said)?;
        Some(match (found.name("kind"), found.name("name")) {
            (Some(kind), _) => {
                let kind = kind.as_str().to_lowercase();
                Self::Ending(kinds::ending(&kind).map_or(kind, str::to_owned))
            }
            (None, Some(name)) => Self::Called(name.as_str().to_lowercase()),
            (None, None) => Self::All,
        })
    }

    fn is_of(&self, path: &str) -> bool {
        let path = path.to_lowercase();
        let name = path.rsplit('/').next().unwrap_or(&path);
        match self {
            Self::All => true,
            Self::Ending(ending) => name.ends_with(&format!(".{ending}")),
            Self::Called(called) => name.starts_with(called.as_str()),
        }
    }
}

static RENAMES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?i)^(?:please )?rename (?:the )?(?:(?:function|variable|class|method|constant|struct|type|name|word|person) )?",
        r#""?(?P<a>\w+(?: (?-i:\p{Lu})\w*)?)"? to "?(?P<b>\w+(?: (?-i:\p{Lu})\w*)?)"?"#,
        r"(?:(?P<all> everywhere| in (?:all|every|each)\b.*)| in the (?:whole )?(?:project|book|folder|code)| in (?P<dirs>[\w/-]+(?:(?:,| and) [\w/-]+)*))?[.! ]*$",
    ))
    .ok()
});
static SETS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?i)^(?:(?:please|oops|ok|now|no|sorry),? )?(?P<verb>bump|set|change|raise|lower|increase|decrease|put|turn|switch|update|upgrade) ",
        r"(?:the )?(?P<a>[\w.-]+(?: [\w-]+){0,2}?)(?: back)? to (?P<b>[^\s,]+?)(?P<all> everywhere| in (?:all|every|each)\b.*)?[.! ]*$",
    ))
    .ok()
});
static REPLACES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r#"(?i)^(?:please )?replace (?P<a>"[^"]+"|[\w-]+) (?:with|by) (?P<b>"[^"]+"|[\w-]+)(?P<all> everywhere| in (?:all|every|each)\b.*)[.! ]*$"#,
    )
    .ok()
});
static TASKS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r#"(?i)^(?:please )?add (?:a |another )?(?:new )?(?:task|todo)(?: to)?:? (?P<a>[^:]+?)[. ]*$"#)
        .ok()
});

/// What an order that names no file wants; `None` of any other request.
#[must_use]
pub fn wanted(request: &str) -> Option<Wanted> {
    let request = request.trim();
    if !named::files_of(request).is_empty() || !orders::acts(request) {
        return None;
    }
    renames(request)
        .or_else(|| sets(request))
        .or_else(|| replaces(request))
        .or_else(|| adds_a_task(request))
}

fn renames(request: &str) -> Option<Wanted> {
    let found = RENAMES.as_ref()?.captures(request)?;
    let (a, b) = (&found["a"], &found["b"]);
    let is_name = !a.contains(' ') && !b.contains(' ');
    let folders = found.name("dirs").map_or_else(Vec::new, |dirs| {
        let dirs = dirs.as_str().replace(" and ", ",");
        dirs.split(',')
            .map(|dir| dir.trim().trim_end_matches('/').to_owned())
            .collect()
    });
    let kind = kind_of(&found)?;
    (!BACK.contains(&a.to_lowercase().as_str())).then(|| Wanted {
        word: a.to_owned(),
        order: match is_name {
            true => format!("rename {a} to {b}"),
            false => format!("replace {} with {}", in_quotes(a), in_quotes(b)),
        },
        lead: "in",
        is_of_all: true,
        folders,
        kind,
    })
}

/// The files that an order is of, by what its pattern found behind it.
fn kind_of(found: &Captures<'_>) -> Option<Kind> {
    found
        .name("all")
        .map_or(Some(Kind::All), |all| Kind::of(all.as_str()))
}

fn sets(request: &str) -> Option<Wanted> {
    let found = SETS.as_ref()?.captures(request)?;
    let (a, b) = (&found["a"], &found["b"]);
    let kind = kind_of(&found)?;
    let mut words = a.split(' ');
    let is_clear = words.clone().all(|word| {
        !BACK.contains(&word) && !["in", "of", "from", "is", "and", "or"].contains(&word)
    });
    let verb = found["verb"].to_lowercase();
    // What is updated is what a file sets of the name, and never the name as a word.
    let verb = match verb.as_str() {
        "change" => "change",
        "update" | "upgrade" => "upgrade",
        _ => "set",
    };
    // `port 8080` is found by its number.
    let has_number = a.contains(' ') && a.contains(|c: char| c.is_ascii_digit());
    let is_telling = |word: &&str| match has_number {
        true => word.contains(|c: char| c.is_ascii_digit()),
        false => word.chars().count() > 2,
    };
    let word = words.find(is_telling).unwrap_or(a);
    (is_clear && !is_file(b)).then(|| Wanted {
        word: word.to_owned(),
        order: format!("{verb} {a} to {b}"),
        lead: "in",
        is_of_all: found.name("all").is_some(),
        folders: Vec::new(),
        kind,
    })
}

fn replaces(request: &str) -> Option<Wanted> {
    let found = REPLACES.as_ref()?.captures(request)?;
    Some(Wanted {
        word: found["a"].trim_matches('"').to_owned(),
        order: format!("replace {} with {}", &found["a"], &found["b"]),
        lead: "in",
        is_of_all: true,
        folders: Vec::new(),
        kind: kind_of(&found)?,
    })
}

fn adds_a_task(request: &str) -> Option<Wanted> {
    let found = TASKS.as_ref()?.captures(request)?;
    Some(Wanted {
        word: "- [ ]".to_owned(),
        order: format!("add a task {}", in_quotes(found["a"].trim_matches('"'))),
        lead: "to",
        is_of_all: false,
        folders: Vec::new(),
        kind: Kind::All,
    })
}

impl Wanted {
    /// What a file has to have, to be looked for.
    #[must_use]
    pub fn word(&self) -> &str {
        &self.word
    }

    /// Whether it is of all files at once, so that it is not offered for some of them.
    #[must_use]
    pub const fn is_of_all(&self) -> bool {
        self.is_of_all
    }

    /// Whether a file is of the kind and in one of the folders that the order names.
    #[must_use]
    pub fn may_be_in(&self, path: &str) -> bool {
        let is_in = |folder: &String| path.starts_with(&format!("{folder}/"));
        (self.folders.is_empty() || self.folders.iter().any(is_in)) && self.kind.is_of(path)
    }

    fn with(&self, files: &str) -> String {
        format!("{} {} {files}", self.order, self.lead)
    }

    /// The refusal with the order for each of these files, none of which is proven yet.
    #[must_use]
    pub fn tried(&self, refusal: Refusal, files: &[String]) -> Refusal {
        let orders = files.iter().map(|path| self.with(&typed_path(path)));
        let orders: Vec<String> = orders.collect();
        match orders.is_empty() {
            true => refusal,
            false => Refusal {
                nearest: orders,
                ..refusal
            },
        }
    }

    /// The refusal with what is proven of them: one order for all files, or the first of those for one.
    #[must_use]
    pub fn offered(&self, mut refusal: Refusal, is_understood: impl Fn(&str) -> bool) -> Refusal {
        let before = self.with("");
        let files = refusal
            .nearest
            .iter()
            .filter_map(|order| order.strip_prefix(&before));
        let files: Vec<&str> = files.collect();
        let all = match files.as_slice() {
            [before @ .., last] if !before.is_empty() => {
                Some(self.with(&format!("{} and {last}", before.join(", "))))
            }
            _ => None,
        };
        let all = all.filter(|order| self.is_of_all && is_understood(order));
        match all {
            Some(order) => refusal.nearest = vec![order],
            None => refusal.nearest.truncate(OFFERED),
        }
        if !refusal.nearest.is_empty() {
            refusal.advice = None;
        }
        refusal
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_without_a_file_is_offered_with_those_that_have_it() {
        for (says, word, order) in [
            ("bump retries to 5", "retries", "set retries to 5 in a.json"),
            (
                "oops, put mail back to false",
                "mail",
                "set mail to false in a.json",
            ),
            (
                "update nextcloud to 29-apache",
                "nextcloud",
                "upgrade nextcloud to 29-apache in a.json",
            ),
            (
                "change port 80 to 81 everywhere",
                "80",
                "change port 80 to 81 in a.json",
            ),
            (
                "rename days_late to days_overdue",
                "days_late",
                "rename days_late to days_overdue in a.json",
            ),
            (
                "rename Elsa Brandt to Ilse Brandt everywhere",
                "Elsa Brandt",
                "replace \"Elsa Brandt\" with \"Ilse Brandt\" in a.json",
            ),
            (
                "replace Tom with Tim in all chapters",
                "Tom",
                "replace Tom with Tim in a.json",
            ),
            (
                "add a task: Ask Tom about it",
                "- [ ]",
                "add a task \"Ask Tom about it\" to a.json",
            ),
        ] {
            let wanted = wanted(says).unwrap_or_else(|| panic!("{says}"));
            assert_eq!(wanted.word(), word, "{says}");
            assert_eq!(wanted.with("a.json"), order, "{says}");
        }
        for says in [
            "set it to 120",
            "rename a.txt to b.txt",
            "set port to 80 in a.toml",
            "change the cap in the test to 2000",
            "rename this to that",
            "what is the port?",
        ] {
            assert_eq!(wanted(says), None, "{says}");
        }
    }

    #[test]
    fn one_order_is_of_all_files_that_hold() {
        let wanted = wanted("rename days_late to late in src and tests").unwrap();
        assert!(wanted.may_be_in("src/a.py") && !wanted.may_be_in("docs/a.py"));
        for (says, is, not) in [
            (
                "replace Tom with Tim in all chapters",
                "chapter1.md",
                "people.csv",
            ),
            ("rename fee to cost in all python files", "src/a.py", "a.md"),
            ("rename fee to cost in every rust file", "src/a.rs", "a.md"),
        ] {
            let wanted = super::wanted(says).unwrap_or_else(|| panic!("{says}"));
            assert!(wanted.may_be_in(is) && !wanted.may_be_in(not), "{says}");
        }
        // What says more than a kind is of no file that is known.
        assert_eq!(
            super::wanted("replace Tom with Tim in all chapters but the first"),
            None
        );
        let wanted = super::wanted("rename days_late to late in src and tests").unwrap();
        let refusal = Refusal::ambiguous("Which file?".to_owned(), Vec::new());
        let files = ["src/a.py", "src/b c.py"].map(str::to_owned);
        let offered = wanted.offered(wanted.tried(refusal, &files), |_| true);
        assert_eq!(
            offered.nearest,
            ["rename days_late to late in src/a.py and \"src/b c.py\""]
        );
    }
}
