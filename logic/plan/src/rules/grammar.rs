//! The rules: what people say for each action. Order matters; the first that fits is taken.
//!
//! A rule is a pattern over one whole step. `{file:p}`, `{dir:p}`, `{any:p}` are places for a path,
//! `{tok:q}` for one word or quoted text, `{text:q}` for a text, `{num:n}` for a number; the other
//! braces are word lists from [`LISTS`].

use super::building::{Built, Destination, Match, destination};
use super::refusal::Refusal;
use super::words::{Request, Step, is_file, is_wildcard, pattern};
use domain::plan::Action;
use regex::Regex;
use std::sync::LazyLock;

/// Every action kind that a rule makes.
pub const KINDS: [&str; 17] = [
    "list_files",
    "tree",
    "read_file",
    "head",
    "tail",
    "find_files",
    "search_text",
    "count_lines",
    "file_sizes",
    "compare_files",
    "create_file",
    "append_text",
    "replace_text",
    "make_dir",
    "move_file",
    "delete_file",
    "undo",
];

const MARK: &str = r"\x{E000}\d+\x{E001}";

/// Word lists. Later ones may use earlier ones.
const LISTS: [(&str, &str); 14] = [
    ("{in}", r"(?:in|inside|within|under|of|from|at|for|below)"),
    (
        "{things}",
        r"(?:files and folders|folders and files|files|file names|filenames|folders|directories|subfolders|contents?|listing|entries|everything|stuff|items|documents)",
    ),
    (
        "{the}",
        r"(?:all of the |all of my |all the |all my |all |the |my |every )?",
    ),
    (
        "{show}",
        r"(?:show|display|print|give|see|view|list|get|read|output|tell)(?: me| us)?",
    ),
    (
        "{what}",
        r"(?:what is|what's|whats|what are|which is|which are)",
    ),
    (
        "{find}",
        r"(?:find|locate|search for|look for|list|show|show me|get|give me|see)",
    ),
    (
        "{word}",
        r"(?:the |a |an )?(?:(?:exact )?(?:text|word|words|phrase|string|term) )?",
    ),
    (
        "{units}",
        r"(?:number of )?(?:lines|words|characters|chars|bytes|letters)(?:(?:,| and|, and) (?:the )?(?:lines|words|characters|bytes))*",
    ),
    (
        "{with}",
        r"(?:,? (?:with|containing|that says|saying|which says|that reads|reading|that contains|and write|and put)(?: in it| into it)?(?: the)?(?: (?:content|contents|text|words?|line))?(?: of)?:?|:)",
    ),
    ("{end}", r"(?:(?:the )?(?:very )?(?:end|bottom) (?:of )?)?"),
    (
        "{line}",
        r"(?:the |a |an |another |this )?(?:new )?(?:(?:text|line|words?|sentence|entry|item)(?: that says| saying| with)?:? )?",
    ),
    (
        "{new}",
        r"(?: a| an| the)?(?: new| empty| blank| text| markdown)*",
    ),
    (
        "{files}",
        r"(?:(?:all |every |any |the |my |these )*(?:files?|documents?)|everything|everywhere)",
    ),
    ("{called}", r"(?:called |named |with the name )?"),
];

struct Rule {
    says: &'static str,
    build: fn(&Match<'_>) -> Built,
}

const fn rule(says: &'static str, build: fn(&Match<'_>) -> Built) -> Rule {
    Rule { says, build }
}

/// Reads one step; `None` when no rule fits.
pub fn read(request: &Request, step: &Step, last: Option<&str>) -> Built {
    for (regex, build) in COMPILED.iter() {
        let Some(captures) = regex.captures(&step.text) else {
            continue;
        };
        let found = Match {
            request,
            captures: &captures,
            last,
        };
        if let Some(action) = build(&found)? {
            return Ok(Some(action));
        }
    }
    Ok(None)
}

type Compiled = Vec<(Regex, fn(&Match<'_>) -> Built)>;

static COMPILED: LazyLock<Compiled> = LazyLock::new(|| {
    all()
        .filter_map(|rule| Some((pattern(&expand(rule.says))?, rule.build)))
        .collect()
});

fn all() -> impl Iterator<Item = &'static Rule> {
    CHANGES
        .iter()
        .chain(&MOVES)
        .chain(&PARTS)
        .chain(&MEASURES)
        .chain(&LISTINGS)
        .chain(&SEARCHES)
        .chain(&READS)
}

/// Writes a rule's braces out.
fn expand(says: &str) -> String {
    let mut pattern = says.to_owned();
    for (name, words) in LISTS {
        pattern = pattern.replace(name, words);
    }
    let here = r"here|(?:this|current|working|my) (?:folder|directory|workspace)|workspace";
    for (kind, shape) in [
        (
            "file",
            format!(
                r"(?:the )?(?:(?:text |whole |entire )?file )?(?:called |named )?(?P<@>{MARK}|\S+)(?: file)?"
            ),
        ),
        (
            "dir",
            format!(
                r"(?:the )?(?:folder |directory )?(?:called |named )?(?P<@>{here}|{MARK}|[^\s,]+)(?: folder| directory| dir)?"
            ),
        ),
        ("tok", format!(r"(?P<@>{MARK}|[^\s,]+)")),
        ("text", format!(r"(?P<@>{MARK}|.+?)")),
        ("num", r"(?P<@>\d+|[a-z]+)".to_owned()),
    ] {
        while let Some((before, rest)) = pattern.split_once(&format!("{{{kind}:")) {
            let Some((name, after)) = rest.split_once('}') else {
                break;
            };
            pattern = format!("{before}{}{after}", shape.replace('@', name));
        }
    }
    format!("(?i)^(?:{pattern})[.!]*$")
}

fn path_of(found: &Match<'_>) -> Result<String, Refusal> {
    found.folder("p")
}

/// `show docs` lists and `show a.txt` reads.
fn read_or_list(found: &Match<'_>) -> Built {
    let path = path_of(found)?;
    Ok(Some(if is_file(&path) || found.is_quoted("p") {
        Action::ReadFile { path }
    } else {
        Action::ListFiles { path }
    }))
}

/// `how big is docs` lists sizes and `how big is a.txt` counts.
fn measure(found: &Match<'_>) -> Built {
    let path = path_of(found)?;
    Ok(Some(if is_file(&path) {
        Action::CountLines { path }
    } else {
        Action::FileSizes { path }
    }))
}

fn create(found: &Match<'_>) -> Built {
    let mut path = found.target("p", "noun")?;
    if found.has("d") {
        path = destination(&path, &found.target("d", "into")?, Destination::Folder);
    }
    let content = if found.has("c") {
        found.content("c")?
    } else {
        String::new()
    };
    Ok(Some(Action::CreateFile { path, content }))
}

fn append(found: &Match<'_>) -> Built {
    Ok(Some(Action::AppendText {
        path: found.target("p", "noun")?,
        content: found.content("c")?,
    }))
}

fn replace(found: &Match<'_>) -> Built {
    let (old, new) = (found.text("old")?, found.text("new")?);
    let joins = [" with ", " to ", " in ", " by ", " into "];
    let unclear = |name: &str, text: &str| {
        !found.is_quoted(name) && joins.iter().any(|join| format!(" {text} ").contains(join))
    };
    if unclear("old", &old) || unclear("new", &new) {
        let why = "I cannot tell where the old text ends and the new one begins.".to_owned();
        let nearest = vec!["replace \"old text\" with \"new text\" in notes.txt".to_owned()];
        return Err(Refusal::ambiguous(why, nearest));
    }
    Ok(Some(Action::ReplaceText {
        path: found.target("p", "noun")?,
        old,
        new,
    }))
}

fn erase_text(found: &Match<'_>) -> Built {
    let (old, new) = (found.text("old")?, String::new());
    Ok(Some(Action::ReplaceText {
        path: found.target("p", "noun")?,
        old,
        new,
    }))
}

fn make_dir(found: &Match<'_>) -> Built {
    let mut path = found.target("p", "noun")?;
    if found.has("d") {
        path = destination(&path, &found.target("d", "into")?, Destination::Folder);
    }
    Ok(Some(Action::MakeDir { path }))
}

fn relocate(found: &Match<'_>, how: Destination) -> Built {
    let from = found.target("p", "noun")?;
    let to = found.path("to")?;
    let ends_as_folder = found.word("to").ends_with('/') || found.has("folder");
    let how = if ends_as_folder {
        Destination::Folder
    } else {
        how
    };
    if is_wildcard(&to) {
        let why = format!("`{to}` is not one name.");
        return Err(Refusal::ambiguous(
            why,
            vec!["move a.txt to drafts/a.txt".to_owned()],
        ));
    }
    Ok(Some(Action::MoveFile {
        to: destination(&from, &to, how),
        from,
    }))
}

/// Making, writing and changing text.
static CHANGES: [Rule; 15] = [
    rule(
        r"(?:undo|revert|take back|reverse)(?: it| that| this| (?:the|my|your)? ?(?:last|latest|previous)? ?(?:change|edit|step|action|thing)s?)?|(?:take|put) (?:it|that) back",
        |_| Ok(Some(Action::Undo {})),
    ),
    rule(
        r"(?:make|create|add|new|start){new} (?P<noun>folder|directory|dir) {called}{tok:p}(?: (?P<into>in|inside|under) {dir:d})?|mkdir (?P<q>\S+)",
        |found| {
            if found.has("q") {
                return Ok(Some(Action::MakeDir {
                    path: found.target("q", "q")?,
                }));
            }
            make_dir(found)
        },
    ),
    rule(
        r"(?:make|create|add){new} {tok:p} (?P<noun>folder|directory)",
        make_dir,
    ),
    rule(
        r"(?:make|create|write|add|start|generate|save|new){new} (?P<noun>file) {called}{tok:p}(?: (?P<into>in|inside|under) {dir:d})?(?:{with} ?{text:c})?",
        create,
    ),
    rule(
        r"(?:make|create|write|start|touch|save){new} {tok:p}(?:{with} ?{text:c})?",
        create,
    ),
    rule(
        r"(?:append|add|write|put|insert) {line}{text:c} (?:to|at|on|onto|as) (?:the )?(?:very )?(?:end|bottom|last line) (?:of|in) (?:the )?(?P<noun>file )?{tok:p}",
        append,
    ),
    rule(
        r"(?:append|add) to {end}(?:the )?(?P<noun>file )?{tok:p}:?(?: {line}|:? ){text:c}",
        append,
    ),
    rule(
        r"(?:append|add) {line}{text:c} (?:to|onto|into) (?:the )?(?P<noun>file )?{tok:p}(?: file)?",
        append,
    ),
    rule(
        r"(?:write|save|store) {word}{text:c} (?:to|into|in|as) (?:a |the )?(?:new )?(?P<noun>file )?{called}{tok:p}",
        create,
    ),
    rule(
        r"(?:find and )?(?:replace|substitute) (?:all |every |each )?(?:(?:occurrences?|instances?) of )?{word}{text:old} (?:with|by) {word}{text:new} (?:in|inside|within|throughout) (?:the )?(?P<noun>file )?{tok:p}",
        replace,
    ),
    rule(
        r"(?:change|edit|update|rename|fix|turn|correct) (?:all |every |each )?(?:(?:occurrences?|instances?) of )?{word}{text:old} (?:to|into) {word}{text:new} (?:in|inside|within|throughout) (?:the )?(?P<noun>file )?{tok:p}",
        replace,
    ),
    rule(
        r"in (?:the )?(?P<noun>file )?{tok:p},? (?:find and )?(?:replace|substitute|change|turn) (?:all |every |each )?(?:(?:occurrences?|instances?) of )?{word}{text:old} (?:with|by|to|into) {word}{text:new}",
        replace,
    ),
    rule(
        r"(?:delete|remove|erase|take out|cut) (?:all |every |each )?(?:(?:occurrences?|instances?) of )?(?:the )?(?:text|words?|phrase|string) {text:old} (?:from|in|out of) (?:the )?(?P<noun>file )?{tok:p}",
        erase_text,
    ),
    rule(
        r"(?:put|insert|place|prepend|overwrite|set|clear|empty|truncate) .+",
        |found| {
            let step = found.request.shown(&found.captures[0]);
            let nearest = vec![
                "append \"…\" to a.txt".to_owned(),
                "replace \"…\" with \"…\" in a.txt".to_owned(),
            ];
            Err(Refusal::ambiguous(
                format!("`{step}` may mean several things: I create, append and replace."),
                nearest,
            ))
        },
    ),
    rule(
        r"(?:make|create|add|start) (?:a |an |the )?(?:new |empty )*(?:file|folder|directory)",
        |_| {
            let nearest = vec![
                "create notes.txt with \"hello\"".to_owned(),
                "make a folder drafts".to_owned(),
            ];
            Err(Refusal::ambiguous(
                "What should it be called?".to_owned(),
                nearest,
            ))
        },
    ),
];

/// Moving, deleting and comparing.
static MOVES: [Rule; 9] = [
    rule(
        r"(?:move|put|shift) (?:the )?(?P<noun>file |folder |directory )?{tok:p} (?:into|inside|in) (?:the )?(?P<folder>folder |directory )?{tok:to}(?: folder| directory)?",
        |found| relocate(found, Destination::Folder),
    ),
    rule(
        r"(?:move|shift) (?:the )?(?P<noun>file |folder |directory )?{tok:p} to (?:the )?(?:(?P<folder>folder |directory ){tok:to}|{tok:to2} (?P<folder2>folder|directory))",
        |found| {
            let (from, place) = (
                found.target("p", "noun")?,
                if found.has("to") { "to" } else { "to2" },
            );
            let to = found.path(place)?;
            Ok(Some(Action::MoveFile {
                to: destination(&from, &to, Destination::Folder),
                from,
            }))
        },
    ),
    rule(
        r"(?:move|shift) (?:the )?(?P<noun>file |folder |directory )?{tok:p} (?:to|as) {tok:to}",
        |found| relocate(found, Destination::Unsaid),
    ),
    rule(
        r"rename (?:the )?(?P<noun>file |folder |directory )?{tok:p} (?:to|into|as) {tok:to}",
        |found| relocate(found, Destination::NameBeside),
    ),
    rule(
        r"change the name of (?:the )?(?P<noun>file |folder |directory )?{tok:p} to {tok:to}",
        |found| relocate(found, Destination::NameBeside),
    ),
    rule(
        r"(?:delete|remove|erase|trash|get rid of|throw away|throw out|bin) (?:the |my )?(?:empty |old )?(?P<noun>file |folder |directory )?{called}{tok:p}",
        |found| {
            Ok(Some(Action::DeleteFile {
                path: found.target("p", "noun")?,
            }))
        },
    ),
    rule(
        r"(?:delete|remove|erase|trash|get rid of|throw away) (?:the |my )?{tok:p} (?P<noun>file|folder|directory)",
        |found| {
            Ok(Some(Action::DeleteFile {
                path: found.target("p", "noun")?,
            }))
        },
    ),
    rule(
        r"(?:{show} )?(?:compare|diff|(?:{what} )?(?:the )?differences? between|what (?:changed|is different|differs) between) (?:the )?(?:two )?(?:files? )?{tok:p},? (?:and|with|to|against|versus|vs\.?|&) (?:the )?(?:file )?{tok:to}",
        |found| {
            Ok(Some(Action::CompareFiles {
                left: found.path("p")?,
                right: found.path("to")?,
            }))
        },
    ),
    rule(
        r"how (?:does|do|is|are) {tok:p} (?:and {tok:to} (?:differ|different)|(?:differ|different) from {tok:to2})|(?:is|are) {tok:p3} (?:the same as|identical to|different from) {tok:to3}|diff {tok:p4} {tok:to4}",
        |found| {
            let first = |names: [&'static str; 3]| {
                names
                    .into_iter()
                    .find(|name| found.has(name))
                    .unwrap_or("p")
            };
            let right = if found.has("to") {
                "to"
            } else {
                first(["to2", "to3", "to4"])
            };
            Ok(Some(Action::CompareFiles {
                left: found.path(first(["p", "p3", "p4"]))?,
                right: found.path(right)?,
            }))
        },
    ),
];

/// The ends of a file and trees.
static PARTS: [Rule; 9] = [
    rule(
        r"(?:{show} |{what} )?(?:the )?(?:first|top|initial|opening) (?:{num:n} )?lines? (?:of|in|from) {file:p}",
        |found| ends(found, End::Head),
    ),
    rule(
        r"(?:{show} |{what} )?(?:the )?(?:last|final|bottom|closing) (?:{num:n} )?lines? (?:of|in|from) {file:p}",
        |found| ends(found, End::Tail),
    ),
    rule(
        r"{show} {num:n} lines from the (?:start|beginning|top) of {file:p}",
        |found| ends(found, End::Head),
    ),
    rule(
        r"{show} {num:n} lines from the (?:end|bottom) of {file:p}",
        |found| ends(found, End::Tail),
    ),
    rule(
        r"(?:{show} |peek at )?(?:the )?(?:head|top|beginning|start) (?:of |in ){file:p}|head {tok:q}|how does {tok:r} (?:start|begin)",
        |found| ends_by_default(found, End::Head),
    ),
    rule(
        r"(?:{show} )?(?:the )?(?:tail|bottom|end) (?:of |in ){file:p}|tail {tok:q}|how does {tok:r} end",
        |found| ends_by_default(found, End::Tail),
    ),
    rule(
        r"(?:{show} )?(?:the |a )?(?:full |whole |complete )?(?:file |folder |directory )*(?:tree|structure|hierarchy|layout)(?: view)?(?:(?: {in})? {dir:p})?(?:,? (?:(?:to |with |at |down to )?(?:a )?depth (?:of )?{num:n}|(?:down )?(?:to )?{num:m} levels?(?: deep| down)?))?",
        |found| {
            let place = if found.has("m") { "m" } else { "n" };
            Ok(Some(Action::Tree {
                path: path_of(found)?,
                depth: found.levels(place)?,
            }))
        },
    ),
    rule(
        r"(?:list|show|ls)(?: me)?(?: {the}{things})? recursively(?: {in} {dir:p})?|(?:list|show)(?: me)? {the}{things} (?:{in} )?{dir:q} (?:recursively|and (?:all )?(?:its |the )?sub-?(?:folders|directories)|including (?:all )?(?:its |the )?sub-?(?:folders|directories))|(?:list|show) {tok:r} recursively",
        |found| {
            let place = ["p", "q", "r"]
                .into_iter()
                .find(|name| found.has(name))
                .unwrap_or("p");
            Ok(Some(Action::Tree {
                path: found.folder(place)?,
                depth: found.levels("n")?,
            }))
        },
    ),
    rule(
        r"(?:{show} |{what} )?(?:the )?lines? {num:n}(?: ?(?:to|-|until|through) ?{num:m})? (?:of|in|from) {file:p}",
        |found| {
            let path = found.path("p")?;
            let nearest = vec![format!("show the first 20 lines of {path}")];
            Err(Refusal::unavailable(
                "I show lines from the beginning or the end of a file, not from the middle.",
                nearest,
            ))
        },
    ),
];

/// Which end of a file.
#[derive(Clone, Copy)]
enum End {
    Head,
    Tail,
}

/// Lines shown when no number is said.
const LINES: u32 = 10;

fn ends(found: &Match<'_>, end: End) -> Built {
    // `the first line` is one line, `the first lines` a few.
    let says_one = found.captures[0].to_lowercase().contains(" line ");
    let lines = match (found.has("n"), says_one) {
        (true, _) => found.lines("n")?,
        (false, true) => 1,
        (false, false) => LINES,
    };
    Ok(Some(end_of(end, found.path("p")?, lines)))
}

fn ends_by_default(found: &Match<'_>, end: End) -> Built {
    let place = ["p", "q", "r"]
        .into_iter()
        .find(|name| found.has(name))
        .unwrap_or("p");
    Ok(Some(end_of(end, found.path(place)?, LINES)))
}

fn end_of(end: End, path: String, lines: u32) -> Action {
    match end {
        End::Head => Action::Head { path, lines },
        End::Tail => Action::Tail { path, lines },
    }
}

/// Counting and sizes.
static MEASURES: [Rule; 9] = [
    rule(r"count {the}{units} {in} {file:p}|wc {tok:q}", count),
    rule(
        r"(?:tell me )?how many {units}(?: are| are there| is)?(?: there)? {in} {file:p}",
        count,
    ),
    rule(
        r"(?:tell me )?how many {units} (?:does|do|has|have|is) {file:p}(?: have| contain| long)?",
        count,
    ),
    rule(
        r"(?:{show} |{what} )?(?:the )?(?:(?:line|word|byte|character) (?:count|number)|{units}) (?:of|for|in) {file:p}|how long is {tok:q}",
        count,
    ),
    rule(
        r"how (?:big|large|heavy) (?:is|are) (?:the )?(?:file |folder )?{tok:p}|(?:{show} |{what} )?(?:the )?size of {dir:q}",
        |found| {
            if found.word("p") == "files" {
                return Ok(Some(Action::FileSizes {
                    path: ".".to_owned(),
                }));
            }
            let place = if found.has("p") { "p" } else { "q" };
            let path = found.folder(place)?;
            Ok(Some(if is_file(&path) {
                Action::CountLines { path }
            } else {
                Action::FileSizes { path }
            }))
        },
    ),
    rule(
        r"(?:{show} |{what} )?{the}(?:file )?sizes(?: (?:of|for) {the}files?)?(?: {in} {dir:p})?|(?:{show} )?(?:the )?disk usage(?: {in} {dir:q})?|du(?: {dir:r})?",
        sizes,
    ),
    rule(
        r"(?:{find} |{what} )?(?:the )?(?:top )?(?:{num:n} )?(?:largest|biggest|heaviest) (?:{num:m} )?files?(?: (?:{in} )?{dir:p})?|(?:which|what) files? (?:is|are|takes?)(?: up)?(?: the)? (?:largest|biggest|most space)(?: (?:{in} )?{dir:q})?",
        sizes,
    ),
    rule(
        r"(?:list|show)(?: me)? {the}files (?:{in} {dir:p} )?(?:sorted |ordered )?(?:by|with|and)(?: their)? sizes?(?: {in} {dir:q})?",
        sizes,
    ),
    rule(
        r"how much (?:disk )?space (?:does|do|is|are) {dir:p} (?:take up|take|use up|use|occupy|using|taking)",
        measure,
    ),
];

fn count(found: &Match<'_>) -> Built {
    let place = if found.has("p") { "p" } else { "q" };
    Ok(Some(Action::CountLines {
        path: found.path(place)?,
    }))
}

fn sizes(found: &Match<'_>) -> Built {
    let place = ["p", "q", "r"]
        .into_iter()
        .find(|name| found.has(name))
        .unwrap_or("p");
    Ok(Some(Action::FileSizes {
        path: found.folder(place)?,
    }))
}

fn list(found: &Match<'_>) -> Built {
    Ok(Some(Action::ListFiles {
        path: path_of(found)?,
    }))
}

/// Listing a folder.
static LISTINGS: [Rule; 7] = [
    rule(
        r"(?:list|ls|dir|look around)(?: {the}{things})?(?: there are)?",
        list,
    ),
    rule(
        r"(?:list|ls|dir){the} ?(?:{things} )?(?:{in} )?{dir:p}",
        |found| {
            let path = path_of(found)?;
            // `list *.md` and `list a.txt` are about files; other rules know them.
            if is_wildcard(&path) || is_file(&path) {
                Ok(None)
            } else {
                Ok(Some(Action::ListFiles { path }))
            }
        },
    ),
    rule(
        r"{show} {the}{things}(?: there are)?(?: that are)?(?: (?:{in} )?{dir:p})?",
        |found| {
            if found.has("p") && is_file(&path_of(found)?) {
                read_or_list(found)
            } else {
                list(found)
            }
        },
    ),
    rule(
        r"(?:{show} )?(?:what|which) {things}(?: are| exist| do i have| do we have| do you see| is)?(?: there)?(?: (?:{in} )?{dir:p})?",
        list,
    ),
    rule(
        r"(?:{show} )?(?:what is|what's|whats|what do i have|what do we have|what is there|what's there)(?: {in})? {dir:p}|look (?:in|into|inside|at) {dir:q}|(?:the )?contents? of {dir:r}",
        |found| {
            let place = ["p", "q", "r"]
                .into_iter()
                .find(|name| found.has(name))
                .unwrap_or("p");
            let says_in = !found.has("p")
                || found.captures[0].contains(" in ")
                || found.captures[0].contains(" inside ")
                || found.word("p") == "here";
            if !says_in {
                return Ok(None);
            }
            let path = found.folder(place)?;
            Ok(Some(if is_file(&path) {
                Action::ReadFile { path }
            } else {
                Action::ListFiles { path }
            }))
        },
    ),
    rule(
        r"(?:how many|count {the}|(?:{what} |{show} )?(?:the )?number of) ?{things}(?: are| do i have| exist)?(?: there)?(?: (?:{in} )?{dir:p})?",
        |found| {
            if found.has("p") && is_file(&path_of(found)?) {
                Ok(None)
            } else {
                list(found)
            }
        },
    ),
    rule(
        r"{show} (?:the )?(?:folder|directory) {tok:p}|{show} (?:the )?{tok:q} (?:folder|directory)",
        |found| {
            let place = if found.has("p") { "p" } else { "q" };
            Ok(Some(Action::ListFiles {
                path: found.folder(place)?,
            }))
        },
    ),
];

/// Endings by the name people give a kind of file.
const TYPES: [(&str, &str); 19] = [
    ("markdown", "md"),
    ("text", "txt"),
    ("txt", "txt"),
    ("python", "py"),
    ("rust", "rs"),
    ("javascript", "js"),
    ("typescript", "ts"),
    ("html", "html"),
    ("css", "css"),
    ("json", "json"),
    ("yaml", "yaml"),
    ("toml", "toml"),
    ("csv", "csv"),
    ("pdf", "pdf"),
    ("xml", "xml"),
    ("shell", "sh"),
    ("log", "log"),
    ("java", "java"),
    ("c", "c"),
];

fn ending(word: &str) -> Option<String> {
    if let Some((_, ending)) = TYPES.iter().find(|(name, _)| *name == word) {
        return Some(format!("*.{ending}"));
    }
    let plain = word.strip_prefix('*').unwrap_or(word);
    let known = plain.strip_prefix('.').unwrap_or(plain);
    let short = (1..=8).contains(&known.len()) && known.chars().all(|c| c.is_ascii_alphanumeric());
    let said = plain.starts_with('.') || TYPES.iter().any(|(_, ending)| *ending == known);
    (short && said).then(|| format!("*.{known}"))
}

fn named(found: &Match<'_>, shape: fn(&str) -> String) -> Built {
    let piece = found.text("q")?;
    let word = if found.is_quoted("q") {
        piece
    } else {
        super::words::trim_word(&piece).to_owned()
    };
    Ok(Some(Action::FindFiles {
        pattern: shape(&word),
        path: path_of(found)?,
    }))
}

fn search(found: &Match<'_>) -> Built {
    let path = if found.has("f") {
        ".".to_owned()
    } else {
        path_of(found)?
    };
    Ok(Some(Action::SearchText {
        query: found.content("q")?,
        path,
    }))
}

/// Finding names and texts.
static SEARCHES: [Rule; 15] = [
    rule(
        r"(?:{find} |{what} |which |what )?{the}(?:of the )?{tok:q} (?:files|documents|scripts)(?: (?:are )?(?:there )?{in} {dir:p}| are there| {dir:r})?",
        |found| {
            let place = if found.has("p") { "p" } else { "r" };
            let Some(pattern) = ending(&found.word("q")) else {
                return Ok(None);
            };
            Ok(Some(Action::FindFiles {
                pattern,
                path: found.folder(place)?,
            }))
        },
    ),
    rule(
        r"(?:{find} )?{the}(?:any )?files?(?: that are| which are)? (?:named|called|matching|with (?:the )?name|whose name is|like) {tok:q}(?: {in} {dir:p})?",
        |found| named(found, str::to_owned),
    ),
    rule(
        r"(?:{find} |which |what )?{the}(?:any )?files? (?:(?:whose names? |that |which |with names? )?(?:ends?|ending) (?:in|with|on)|with (?:the |an? )?(?:extension|suffix|ending)|of type) {tok:q}(?: {in} {dir:p})?",
        |found| {
            named(found, |word| {
                if word.contains('.') || word.len() > 4 {
                    format!("*{}", word.trim_start_matches('*'))
                } else {
                    format!("*.{word}")
                }
            })
        },
    ),
    rule(
        r"(?:{find} |which |what )?{the}(?:any )?files? (?:whose names? |that |which |with names? )?(?:starts?|starting|begins?|beginning) with {tok:q}(?: {in} {dir:p})?",
        |found| named(found, |word| format!("{word}*")),
    ),
    rule(
        r"(?:{find} |which |what )?{the}(?:any )?files? (?:with|having|that have|which have|containing) {tok:q} in (?:the|their|its) (?:file ?)?names?(?: {in} {dir:p})?|(?:{find} |which |what )?{the}files? (?:whose names? |with names? )(?:contains?|containing|has|have|includes?) {tok:r}(?: {in} {dir:s})?",
        |found| {
            let (word, place) = if found.has("q") {
                ("q", "p")
            } else {
                ("r", "s")
            };
            let pattern = format!("*{}*", found.text(word)?);
            Ok(Some(Action::FindFiles {
                pattern,
                path: found.folder(place)?,
            }))
        },
    ),
    rule(
        r"(?:find|locate|look for|search for|list|ls|show|where is|where's|where are|do i have) (?:me )?(?P<noun>(?:a |the |any |all )?(?:files? )(?:called |named )?)?(?:the )?{tok:q}(?: (?:files|anywhere|everywhere))?(?: {in} {dir:p})?",
        |found| {
            let word = found.text("q")?;
            let about_text = found.is_quoted("q") && !found.has("noun") && !is_wildcard(&word);
            let only_wildcards = ["list", "ls ", "show"]
                .iter()
                .any(|verb| found.captures[0].to_lowercase().starts_with(verb));
            let fits = is_wildcard(&word) || (is_file(&word) && !about_text && !only_wildcards);
            if fits {
                named(found, str::to_owned)
            } else {
                Ok(None)
            }
        },
    ),
    rule(
        r"(?:{find} |tell me )?(?:which|what|the|all|any|all the)? ?(?:of the )?files?(?: in {dir:p})? (?:(?:that |which )?(?:contains?|containing|mentions?|mentioning|includes?|including|talks? about|has|have)|with) {word}{text:q}(?: (?:{in} )(?:(?P<f>{files})|{dir:r}))?",
        |found| {
            let place = if found.has("p") { "p" } else { "r" };
            Ok(Some(Action::SearchText {
                query: found.content("q")?,
                path: found.folder(place)?,
            }))
        },
    ),
    rule(
        r"(?:search|grep|look|scan|check)(?: through| in| inside| into| at)? (?:(?P<f>{files}(?: {in} (?:here|this folder))?)|{dir:p}) for {word}{text:q}",
        search,
    ),
    rule(
        r"(?:find|list|show|show me|get|search for|look for) (?:all |the |every |all the )*(?:lines?|occurrences?|mentions?|uses?|places?|references?) (?:with|containing|that contains?|mentioning|that mentions?|of|to|where) {word}{text:q}(?: {in} (?:(?P<f>{files})|{dir:p}))?",
        search,
    ),
    rule(
        r"(?:search for|search|grep for|grep|look for|look up) {word}{text:q} {in} (?:(?P<f>{files})|{dir:p})",
        search,
    ),
    rule(
        r"(?:search for|search|grep for|grep|look for) {word}{text:q}",
        search,
    ),
    rule(
        r"find {word}{text:q} {in} (?:(?P<f>{files})|{dir:p})",
        search,
    ),
    rule(
        r"(?:where (?:is|does|do|are)) {word}{text:q} (?:mentioned|used|appear|written|found|occur|defined)(?: {in} (?:(?P<f>{files})|{dir:p}))?",
        search,
    ),
    rule(
        r"(?:does|do) (?:the )?(?:file )?{tok:p} (?:contain|mention|have|include|say) {word}{text:q}|is {word}{text:r} in {file:s}",
        |found| {
            if found.has("r") {
                if !found.is_quoted("r") {
                    return Ok(None);
                }
                return Ok(Some(Action::SearchText {
                    query: found.text("r")?,
                    path: found.path("s")?,
                }));
            }
            Ok(Some(Action::SearchText {
                query: found.content("q")?,
                path: found.path("p")?,
            }))
        },
    ),
    rule(r"find {word}{text:q}", |found| {
        let query = found.content("q")?;
        if found.is_quoted("q") || found.captures[0].to_lowercase().starts_with("find the ") {
            return Ok(Some(Action::SearchText {
                query,
                path: ".".to_owned(),
            }));
        }
        let nearest = vec![
            format!("search for \"{query}\""),
            format!("find files named {query}"),
        ];
        Err(Refusal::ambiguous(
            format!("`find {query}` may mean a file's name or a text."),
            nearest,
        ))
    }),
];

/// Showing a file.
static READS: [Rule; 4] = [
    rule(
        r"(?:read|cat|open|type|print|output)(?: me| out)?(?: the)?(?: whole| entire| full)?(?: contents?| text)?(?: of)? {file:p}",
        |found| {
            Ok(Some(Action::ReadFile {
                path: found.path("p")?,
            }))
        },
    ),
    rule(
        r"{show}(?: the)?(?: whole| entire| full)?(?: contents?| text)? (?:of |in |inside )?{file:p}",
        read_or_list,
    ),
    rule(
        r"(?:{show} )?(?:what is|what's|what does|what) (?:(?:written )?(?:in|inside) )?(?:the )?(?:file )?{tok:p}(?: says?| contains?| look like)?",
        |found| {
            if is_file(&found.path("p")?) {
                read_or_list(found)
            } else {
                Ok(None)
            }
        },
    ),
    rule(
        r"(?:have a )?(?:look|peek) at {file:p}|{show} (?:the )?file {tok:q}",
        |found| {
            let place = if found.has("p") { "p" } else { "q" };
            Ok(Some(Action::ReadFile {
                path: found.path(place)?,
            }))
        },
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_compiles() {
        for rule in all() {
            let written = expand(rule.says);
            assert!(
                !written.contains('{') || Regex::new(&written).is_ok(),
                "{written}"
            );
            if let Err(error) = Regex::new(&written) {
                panic!("{}: {error}", rule.says);
            }
        }
        assert_eq!(COMPILED.len(), all().count());
    }

    #[test]
    fn the_rules_make_every_action_but_answer() {
        let kinds: Vec<String> = crate::schema::actions()
            .into_iter()
            .map(|(kind, _)| kind)
            .collect();
        assert_eq!(kinds.len(), KINDS.len() + 1);
        for kind in kinds.iter().filter(|kind| *kind != "answer") {
            assert!(KINDS.contains(&kind.as_str()), "{kind}");
        }
    }
}
