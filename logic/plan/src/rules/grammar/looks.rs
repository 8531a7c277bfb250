//! Rules for listing, showing, counting and measuring.

use super::rule::{Rule, rule};
use crate::quoted::{in_quotes, typed_path};
use crate::rules::building::{Built, MOST_LINES, Match};
use crate::rules::refusal::{Refusal, RefusalKind};
use crate::rules::words::{is_file, number, ordinal};
use domain::plan::Action;

/// What is counted by its words.
pub const COUNTS: &str = concat!(
    r"(?:please )?(?:(?:can|could) you )?(?:tell me )?(?:",
    r"count (?:how (?:often|many times) |(?:all )?(?:the )?(?:number of )?(?:occurrences|instances|mentions) of )(?:the (?:word|name|text|phrase|string) )?{text:x}(?: (?:occurs?|appears?|stands?|comes? up|is mentioned|is used))?",
    r"|count (?:the |each |every |all )?(?:word|name|text|phrase|string)s? {text:y}",
    r"|how (?:often|many times) (?:does|do|is|are) (?:the (?:word|name|text|phrase|string) )?{text:z}(?: (?:occur|appear|stand|come up|mentioned|used|there|found|written))?",
    r"|how many (?:occurrences|instances|mentions) of (?:the (?:word|name|text|phrase|string) )?{text:w}(?: are(?: there)?)?",
    r") (?:in|of|within) {file:p}",
);
/// What lists headings.
pub const HEADINGS: &str = concat!(
    r"(?:(?:list|show|print|give|tell|get|see)(?: me)? |what (?:are|is) |which are )?(?:all )?(?:of )?(?:the )?(?:headings|headlines|table of contents|section titles|chapter titles)(?: (?:are|is)(?: there)?)? (?:in|of|from) {file:p}",
    r"|(?:which|what|how many) headings (?:does|do|are in|are there in|has|have) {file:q}(?: have| contain)?",
);

/// What asks for a paragraph.
pub const PARAGRAPHS: &str = r"(?:(?:{show}|{what}) )?(?:the )?(?P<nth>first|second|third|fourth|fifth|last|opening|\d+(?:st|nd|rd|th)) paragraph (?:of|in|from) {file:p}";

/// What asks for the packages of a project.
pub const DEPENDENCIES: &str = concat!(
    r"(?:please )?(?:(?:can|could) you )?(?:(?:list|show|tell|give)(?: me| us)?|what are|which are) (?:all )?(?:of )?(?:the|our|my|its) (?:project )?(?:dependencies|packages)(?: of (?:the|this|our|my) project)?(?: here)?",
    r"|(?:which|what|how many) (?:dependencies|packages) (?:do|does) (?:we|i|it|this|(?:the|this|my|our) project) (?:use|have|need|depend on)",
);

/// What asks for the average or the sum of a column.
pub const SUMS: &str = concat!(
    r"(?:(?:can|could) you )?(?:please )?(?:(?:tell|show|give) me |calculate |compute |what is |what['’]s |what are )?",
    r"(?:the )?(?P<what>average|mean|total|sum)(?: of)?(?: the| all| all the)? (?P<column>[\w -]+?)(?: values?| column)?",
    r" (?:in|of|from) {file:p}",
);

/// What asks for the errors in a log that is not named.
pub const REPORTS: &str = r"(?:tell me )?(?:how many|count (?:all )?(?:the )?|(?:what is )?the number of) ?(?P<report>errors?|warnings?|exceptions?|failures?|timeouts?|panics?|crash(?:es)?)(?: (?:are|were|is|was))?(?: there)? in (?:the|my|our) log(?: file)?";

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

/// Whether a file has rows below the names of its columns.
fn is_table(path: &str) -> bool {
    let path = path.to_lowercase();
    path.ends_with(".csv") || path.ends_with(".tsv")
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

/// The ends of a file and trees.
pub static PARTS: [Rule; 36] = [
    rule(COUNTS, read_first),
    rule(HEADINGS, read_first),
    rule(PARAGRAPHS, read_first),
    rule(SUMS, read_first),
    rule(DEPENDENCIES, of_a_file_here),
    rule(REPORTS, of_a_file_here),
    rule(
        r"(?:tell me )?(?:how many|count (?:all )?(?:the )?) ?(?:\S+[ -]lines|lines (?:with|of) .+|(?:requests|calls|responses|entries) .+?)(?: (?:are|is|were|stand))?(?: there)? (?:in|of|from) (?:the|my|our) log(?: file)?",
        of_a_file_here,
    ),
    rule(
        r"(?:{show} |{what} )?(?:the |my )?(?:diffs?|differences?|changes) (?:of|in|to|for|between) {file:p}(?: now and (?:before|then|earlier)| (?:now )?(?:since|from|compared (?:to|with)) .+| before and (?:now|after)| so far| now)?",
        |found| {
            // Of changes in a text, such as those of a version, others tell.
            match is_file(&found.path("p")?) || found.captures[0].to_lowercase().contains("diff") {
                true => Err(what_changed()),
                false => Ok(None),
            }
        },
    ),
    rule(
        r"(?:what|where) (?:did|have|had|were|are) (?:we|i|you) (?:last )?(?:stop|stopped|leave off|left off|do|done|doing|finish|finished|work|worked|working)(?: (?:on|at|with|it))*(?: (?:last|yesterday|today|earlier|before|this|the|last time|previous).*)?|where were we(?: last time| yesterday| before)?",
        |_| {
            let why = "What earlier sessions did is listed by `carl session list`, and `carl session show last` shows the \
                       last; what requests changed in files is shown by `carl diff`.";
            Err(Refusal::unavailable(why, Vec::new()).for_no_model())
        },
    ),
    rule(
        r"(?:is|are) there (?:still )?(?:an?|any|some) (?:\w+ )?(?:typos?|mistakes?|misspellings?|(?:spelling|grammar|grammatical) (?:errors?|mistakes?|problems?)|bugs?|problems?|errors? of spelling) (?:left )?in {file:p}|(?:does|has) {file:q} (?:have |contain )?(?:an?|any) (?:\w+ )?(?:typos?|mistakes?|misspellings?|bugs?)|(?:check|proofread)(?: the)?(?: spelling| grammar)? (?:of|in) {file:r}",
        |found| {
            let place = ["p", "q", "r"].into_iter().find(|name| found.has(name));
            let path = found.path(place.unwrap_or("p"))?;
            let why =
                "Whether a text has mistakes I cannot tell without a larger model (`carl models`).";
            Err(
                Refusal::unavailable(why, vec![format!("show {}", typed_path(&path))])
                    .for_no_model(),
            )
        },
    ),
    rule(
        r"(?:where (?:is|are)|where['’]s) (?:the |my |our )?(?:{tok:x} (?:folder|directory|dir)|(?:folder|directory) (?:called |named )?{tok:y})",
        |found| {
            let place = if found.has("x") { "x" } else { "y" };
            let name = found.text(place)?;
            let why = format!(
                "Where a folder is, a tree of all shows: I look for `{name}` in no other way."
            );
            Err(Refusal::unavailable(&why, vec!["show the tree".to_owned()]).for_no_model())
        },
    ),
    rule(
        r"(?:how many|count {the}) ?{units}(?: (?:are|is) there| are here)?",
        |_| {
            let why = "This names no file, and I count in files that are named.";
            let advice = "Such as `how many words are in FILE`.";
            Err(Refusal::unavailable(why, Vec::new())
                .advised(advice)
                .for_no_model())
        },
    ),
    rule(
        r"(?:is|are|was) {word}{text:q} (?:used|mentioned|called|referenced|needed|defined|found|written) (?:anywhere|somewhere|at all|in any (?:files?|place)|elsewhere)",
        |found| {
            Ok(Some(Action::SearchText {
                query: found.sought("q")?,
                path: ".".to_owned(),
            }))
        },
    ),
    rule(
        r"outline (?:the )?(?:folder |directory )?{tok:p}",
        |found| {
            let path = found.path("p")?;
            if is_file(&path) {
                return Ok(None);
            }
            let why = "I outline one source file that is named.";
            let nearest = vec![format!("list the files in {}", typed_path(&path))];
            Err(Refusal::unavailable(why, nearest).for_no_model())
        },
    ),
    rule(
        r"(?:{show} |{what} )?(?:all )?(?:of )?(?:your |my |the )?(?:memory|memories)|what (?:do|did) (?:you|i) have in (?:your |my |the )?memory|what is (?:there )?in (?:your |my |the )?memory",
        |_| {
            let why = "What is remembered is listed by `carl memory list`; in a chat, `/memory X` shows what is about X.";
            Err(Refusal::unavailable(why, Vec::new()).for_no_model())
        },
    ),
    rule(
        r"(?:which|what) (?:files?|modules?) (?:defines?|declares?|implements?) (?:the )?(?:function |class |type |struct |method )?{tok:x}|where (?:is|are) (?:the )?(?:function |method )?{tok:y} (?:called|used)|(?:who|what|which (?:functions?|files?|methods?)) (?:calls?|uses?) (?:the )?(?:function |method )?{tok:z}",
        |found| {
            let place = ["x", "y", "z"].into_iter().find(|name| found.has(name));
            let name = found.text(place.unwrap_or("x"))?;
            if UNSAID.contains(&name.to_lowercase().as_str()) {
                let why = format!("What `{name}` stands for is not clear here.");
                let advice = "Name it, as in `search for \"NAME\"`.";
                return Err(Refusal::ambiguous(why, Vec::new())
                    .advised(advice)
                    .for_no_model());
            }
            let why = format!(
                "What defines or uses `{name}` I cannot tell without a larger model; which lines have it I can."
            );
            let nearest = vec![format!("search for {}", in_quotes(&name))];
            Err(Refusal::unavailable(&why, nearest).for_no_model())
        },
    ),
    rule(
        r"(?:(?:{show}|list|name|outline|count) {the}|(?:which|what|how many) )(?:functions|methods|classes|symbols|definitions|structs|types|enums|traits|interfaces|constants|tests|test functions|test cases)(?: (?:are |is )?(?:there |defined |declared )?{in} {file:p}| (?:does|do|did|has|have) .+? (?:have|define|contain|declare|export|hold)| are there(?: here)?| (?:do|does) (?:we|i|it|this project|the project) have)?",
        |found| {
            let (why, nearest) = match found.has("p") {
                true => {
                    let path = typed_path(&found.path("p")?);
                    let why = format!("{path} is no source file whose definitions I can tell.");
                    (why, vec![format!("show {path}")])
                }
                false => {
                    let why = "What a source file defines I tell of one file that is named.";
                    (why.to_owned(), Vec::new())
                }
            };
            let advice = "Such as `which functions does src/FILE.py define?`; `find files named *.py` shows which there are.";
            Err(Refusal::unavailable(&why, nearest)
                .advised(advice)
                .for_no_model())
        },
    ),
    rule(
        r"(?:{find} |{what} )?{the}(?:open )?(?P<w>todo|fixme)(?:s| (?:comments?|items?|notes?|marks?))(?: {in} {dir:p})?",
        |found| marks(found, ("w", "p")),
    ),
    rule(
        r"(?:(?:which|what) (?:open )?(?P<w>todo|fixme)s?(?: (?:comments?|items?|notes?|marks?))? (?:are there|are here|exist|are open|are left)|(?:are|is) there (?:still )?(?:any |some |an? )?(?:open )?(?P<v>todo|fixme)s?(?: (?:comments?|items?|notes?|marks?))?(?: left| open| here)?)(?: {in} {dir:p})?",
        |found| marks(found, (if found.has("w") { "w" } else { "v" }, "p")),
    ),
    rule(
        r"(?:{show} |{what} )?(?:the |my )?(?:diffs?|differences|last changes)(?: so far)?|what (?:has|have you|did you) changed?(?: so far)?",
        |_| Err(what_changed()),
    ),
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
        r"(?:what is|what's|whats|show me what is) at the (?:top|start|beginning|head) of {file:p}(?:[,.?;:]* (?:just )?(?:the )?(?:first|top) {num:n} lines?)?",
        |found| ends(found, End::Head),
    ),
    rule(
        r"(?:what is|what's|whats|show me what is) at the (?:end|bottom|tail) of {file:p}(?:[,.?;:]* (?:just )?(?:the )?(?:last|bottom) {num:n} lines?)?",
        |found| ends(found, End::Tail),
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
        r"(?:{show} |{what} (?:on |in )?|what (?:stands|is written|does it say) (?:on|in) )?(?:the )?(?:lines?|rows?) (?:number |no\.? ?|# ?)?{num:n}(?: ?(?:to|through|until|till|-|–|—) ?(?:line )?{num:m})? (?:of|in|from) {file:p}",
        excerpt,
    ),
    rule(
        r"(?:{show} )?from (?:the )?line {num:n} (?:to|through|until|till|-|–) (?:line )?{num:m} (?:of|in|from) {file:p}",
        excerpt,
    ),
    rule(
        r"{show} {file:p},? (?:from )?(?:the )?lines? {num:n}(?: ?(?:to|through|until|till|-|–|—) ?(?:line )?{num:m})?",
        excerpt,
    ),
    rule(
        r"in (?:the )?(?:file )?{tok:p},? {show} (?:the )?lines? {num:n}(?: ?(?:to|through|until|till|-|–|—) ?(?:line )?{num:m})?",
        excerpt,
    ),
    rule(
        r"what does (?:the )?line {num:n} (?:of|in) {file:p} say",
        excerpt,
    ),
    rule(
        r"(?:{show} |{what} )?the (?P<nth>second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|\d+(?:st|nd|rd|th)) line (?:of|in|from) {file:p}",
        |found| {
            let word = found.word("nth");
            let Some(at) = ordinal(&word).and_then(|at| u32::try_from(at).ok()) else {
                return Ok(None);
            };
            Ok(Some(Action::Excerpt {
                path: found.path("p")?,
                from_line: at,
                lines: 1,
            }))
        },
    ),
];

/// Words that stand for something else.
const UNSAID: [&str; 6] = ["it", "that", "this", "them", "these", "those"];

/// What is said of changes that requests made.
pub(in crate::rules) fn what_changed() -> Refusal {
    let why = "What requests changed in files is shown by `carl diff`, and by `/diff` in a chat.";
    Refusal::unavailable(why, Vec::new()).for_no_model()
}

/// The lines that a mark of what is to do stands in.
fn marks(found: &Match<'_>, (mark, place): (&str, &str)) -> Built {
    Ok(Some(Action::SearchText {
        query: found.word(mark).to_uppercase(),
        path: found.folder(place)?,
    }))
}

/// What is counted or listed in a text: told once that is read.
fn read_first(found: &Match<'_>) -> Built {
    let step = found.request.shown(&found.captures[0]);
    let why = format!("`{step}` is of the text of one file, which is named by its whole name.");
    Err(Refusal::new(RefusalKind::Question, why, Vec::new()).for_no_model())
}

/// What one of the files here tells, where one can be meant.
fn of_a_file_here(found: &Match<'_>) -> Built {
    let step = found.request.shown(&found.captures[0]);
    let why =
        format!("`{step}` names no file, and there is none or more than one that it can mean.");
    Err(Refusal::new(RefusalKind::Question, why, Vec::new()).for_no_model())
}

/// Lines by their numbers, counted from 1.
fn excerpt(found: &Match<'_>) -> Built {
    let counted = |name| number(&found.word(name));
    let Some(from_line) = counted("n") else {
        return Ok(None);
    };
    let last = match found.has("m") {
        true => counted("m"),
        false => Some(from_line),
    };
    let path = found.path("p")?;
    let lines = last
        .and_then(|last| last.checked_sub(from_line))
        .map(|more| more + 1);
    match lines.filter(|_| from_line > 0) {
        Some(lines) if lines <= MOST_LINES => Ok(Some(Action::Excerpt {
            path,
            from_line,
            lines,
        })),
        Some(_) => {
            let why = format!("I show at most {MOST_LINES} lines of a part.");
            let nearest = vec![format!("show {path}")];
            Err(Refusal::unavailable(&why, nearest).for_no_model())
        }
        None => {
            let step = found.request.shown(&found.captures[0]);
            let why =
                format!("`{step}` names no lines: the first is line 1, and `lines 2 to 4` go up.");
            let nearest = vec![format!("show lines 2 to 4 of {path}")];
            Err(Refusal::ambiguous(why, nearest).for_no_model())
        }
    }
}

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
pub static MEASURES: [Rule; 12] = [
    rule(
        r"(?:tell me )?(?:how many|count {the}) ?{units} of (?:\w+ )?(?:code|text|python|rust|javascript|typescript|java|go|c|html|css|markdown|shell)(?: (?:are|is) (?:there|here)| (?:do|does) (?:i|we|it|this(?: \w+)?) have)?(?: in all| altogether)?(?: {in} {dir:p})?",
        |_| {
            let why = "I count the lines of one file that is named.";
            let advice = "Such as `how many lines does FILE have`.";
            Err(Refusal::unavailable(why, Vec::new())
                .advised(advice)
                .for_no_model())
        },
    ),
    // The lines of a table are told with how many of them are rows.
    rule(
        r"(?:tell me )?(?:how many|count {the}) ?(?:data )?(?:rows|records)(?: are| is)?(?: there)? {in} {file:p}|(?:tell me )?how many (?:data )?(?:rows|records) (?:does|do|has|have) {file:q}(?: have| contain)?",
        |found| match count(found)? {
            Some(Action::CountLines { path }) if is_table(&path) => {
                Ok(Some(Action::CountLines { path }))
            }
            _ => Ok(None),
        },
    ),
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
        r"(?:{show} |{what} )?(?:the )?(?:(?:line|word|byte|character) (?:count|number)|{units}) (?:of|for|in) {file:p}",
        count,
    ),
    // What else is long lasts.
    rule(r"how long is (?:the file )?{tok:q}", |found| {
        match count(found)? {
            Some(Action::CountLines { path }) if is_file(&path) => {
                Ok(Some(Action::CountLines { path }))
            }
            _ => Ok(None),
        }
    }),
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
    let path = found.path(place)?;
    // `the chapters` are several files.
    let is_plural = path.ends_with('s') && path.chars().all(|c| c.is_ascii_lowercase());
    Ok((found.is_quoted(place) || !is_plural).then_some(Action::CountLines { path }))
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
pub static LISTINGS: [Rule; 8] = [
    rule(
        r"(?:{show} )?(?:an? |the )?(?:quick |short |brief )?(?:overview|survey|idea) of (?:(?:what(?: is| lives| sits| exists|'s)|(?:the )?(?:files|contents?)) (?:in|inside|here in) )?{dir:p}",
        |found| {
            if is_file(&path_of(found)?) {
                return Ok(None);
            }
            list(found)
        },
    ),
    rule(
        r"(?:list|ls|dir|look around)(?: {the}{things})?(?: there are)?",
        list,
    ),
    rule(
        r"(?:list|ls|dir){the} ?(?:{things} )?(?:{in} )?{dir:p}",
        |found| {
            let path = path_of(found)?;
            // `list *.md` and `list a.txt` are about files; other rules know them.
            if found.is_pattern("p") || is_file(&path) {
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

/// Showing a file.
pub static READS: [Rule; 4] = [
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
