//! Rules for finding files by name and texts in files.

use super::rule::{Rule, rule};
use crate::kinds;
use crate::quoted::typed_path;
use crate::rules::building::{Built, Match};
use crate::rules::refusal::Refusal;
use crate::rules::words::{is_file, trim_word};
use domain::plan::Action;

fn ending(word: &str) -> Option<String> {
    if let Some(ending) = kinds::ending(word) {
        return Some(format!("*.{ending}"));
    }
    let plain = word.strip_prefix('*').unwrap_or(word);
    let known = plain.strip_prefix('.').unwrap_or(plain);
    let short = (1..=8).contains(&known.len()) && known.chars().all(|c| c.is_ascii_alphanumeric());
    let said = plain.starts_with('.') || kinds::is_ending(known);
    (short && said).then(|| format!("*.{known}"))
}

fn named(found: &Match<'_>, shape: fn(&str) -> String) -> Built {
    let piece = found.text("q")?;
    let word = if found.is_quoted("q") {
        piece
    } else {
        trim_word(&piece).to_owned()
    };
    Ok(Some(Action::FindFiles {
        pattern: shape(&word),
        path: found.folder("p")?,
    }))
}

fn search(found: &Match<'_>) -> Built {
    let path = if found.has("f") {
        ".".to_owned()
    } else {
        found.folder("p")?
    };
    let query = found.sought("q")?;
    let query = match found.is_quoted("q") {
        true => query,
        false => without_its_kind(query),
    };
    Ok(Some(Action::SearchText { query, path }))
}

/// A number without the word that says what it is: `version 0.4.2` stands as `0.4.2`.
fn without_its_kind(query: String) -> String {
    const KINDS: [&str; 10] = [
        "version", "release", "number", "port", "year", "date", "price", "id", "address", "ticket",
    ];
    let is_number = |word: &str| {
        word.contains(|c: char| c.is_ascii_digit()) && !word.contains(char::is_whitespace)
    };
    match query.split_once(' ') {
        Some((kind, number))
            if KINDS.contains(&kind.to_lowercase().as_str()) && is_number(number) =>
        {
            number.to_owned()
        }
        _ => query,
    }
}

/// Words that are looked for nowhere: they stand for something else.
const UNSAID: [&str; 10] = [
    "it",
    "that",
    "this",
    "them",
    "all",
    "everything",
    "anything",
    "something",
    "files",
    "out",
];

/// What all lines of a kind have in a log, by what such lines are called together.
pub fn reported(kind: &str) -> &str {
    match kind {
        "warnings" | "warning" => "warn",
        "failures" | "failure" => "fail",
        "crashes" => "crash",
        kind => kind.strip_suffix('s').unwrap_or(kind),
    }
}

/// Questions for the tasks that are open.
pub const OPEN_TASKS: &str = r"(?:tell me )?(?:(?:what|which) (?:(?:open|unfinished|remaining) )?(?:tasks|todos|to-dos|to-do items|items|things)(?: (?:are|have been|do (?:i|we) have))?(?: there)?(?: still)? (?:left|open|undone|unfinished|remaining|(?:still )?not (?:yet )?(?:done|finished|completed|ticked|checked)(?: off)?(?: yet)?|to do)(?: to do)?|what is (?:still )?(?:left|open|undone)? ?to do|what is left to be done|what is (?:still )?(?:open|undone|not (?:yet )?done(?: yet)?)|what(?: tasks| things)? do (?:i|we) (?:still )?have (?:left )?to do|what do (?:i|we) still need to do|(?:what are|{show}|list) {the}(?:open|unfinished|remaining|undone) (?:tasks|todos|to-dos|to-do items))(?: (?:here|today|now|{in} (?:(?P<f>{files})|{dir:p})))?";

/// Finding names and texts.
pub static SEARCHES: [Rule; 29] = [
    // What a log calls so stands in its lines: `errors` are those with ERROR or error.
    rule(
        r"(?:tell me )?(?:(?:how many|count {the}|(?:{what} )?the number of) ?(?P<q>{reports})(?: (?:are|were|is|was))?(?: there)? {in} (?:(?P<f>{files})|{dir:p})|how many (?P<q2>{reports}) (?:does|do|did) {file:p2} (?:have|contain|show|report|list))",
        |found| {
            let (q, p) = match found.has("q") {
                true => ("q", "p"),
                false => ("q2", "p2"),
            };
            let path = match found.has("f") {
                true => ".".to_owned(),
                false => found.folder(p)?,
            };
            let query = reported(&found.word(q)).to_owned();
            Ok(Some(Action::SearchText { query, path }))
        },
    ),
    rule(
        r"(?:tell me )?(?:how many|count {the}|(?:{what} )?the number of) ?lines (?:(?:that |which )?(?:contain|mention|have|say|include)s?|with|containing|mentioning) {word}{text:q}(?: are)?(?: there)? {in} (?:(?P<f>{files})|{dir:p})",
        search,
    ),
    // The lines are shown, and how many: a number alone could not be checked.
    rule(
        r"(?:tell me |count )?how (?:many times|often) (?:does|do|did|is|are|was|were) {word}{text:q} (?:occurs?|appears?|stands?|used|mentioned|written|found|there|come up)(?: {in} (?:(?P<f>{files})|{dir:p}))?",
        search,
    ),
    rule(
        r"count {tok:q} {in} (?:(?P<f>{files})|{dir:p})",
        |found| match found.is_quoted("q") || found.text("q")?.starts_with(char::is_uppercase) {
            true => search(found),
            // Rows, files and the like are not looked for as words.
            false => Ok(None),
        },
    ),
    rule(
        r"count {the}(?:(?:occurrences?|mentions?|uses?) of ){word}{text:q}(?: {in} (?:(?P<f>{files})|{dir:p}))?",
        search,
    ),
    rule(
        r"(?:how many|count the|(?:{what} )?the number of) lines (?:in|of|from) (?:the )?(?:file )?{tok:p} (?:(?:that |which )?(?:contain|mention|have|say|include)s?|with|containing|mentioning) {word}{text:q}(?: in them)?|in how many lines of (?:the )?(?:file )?{tok:p2} (?:is|does) {text:q2}(?: stand| occur| appear)?",
        |found| {
            let (q, p) = match found.has("q") {
                true => ("q", "p"),
                false => ("q2", "p2"),
            };
            Ok(Some(Action::SearchText {
                query: found.sought(q)?,
                path: found.path(p)?,
            }))
        },
    ),
    rule(
        r"(?:is|are) there (?:a |an |any )?(?:files?|documents?|notes?) (?:about|on|called|named) {tok:q}(?: somewhere| anywhere)?(?: (?:in )?{dir:p})?",
        |found| named(found, |word| format!("*{word}*")),
    ),
    // Which of several texts: all files are looked through, and each is told with its lines.
    rule(
        r"(?:tell me )?(?:which|what) (?:of (?:the |my |our )?)?(?:chapters?|scenes?|parts?|notes?|letters?|drafts?|documents?|texts?|pages?|scripts?|logs?|configs?|recipes?|entries)(?: (?:in|of) {dir:p})? (?:mentions?|contains?|says?|includes?|refers? to|talks? about|speaks? (?:of|about)|is about|are about) {word}{text:q}(?: {in} (?:(?P<f>{files})|{dir:r}))?",
        |found| {
            let place = if found.has("p") { "p" } else { "r" };
            let path = match found.has("f") {
                true => ".".to_owned(),
                false => found.folder(place)?,
            };
            Ok(Some(Action::SearchText {
                query: found.sought("q")?,
                path,
            }))
        },
    ),
    rule(
        r"(?:tell me )?in (?:which|what) (?:of (?:the |my |our )?)?(?:files?|chapters?|scenes?|parts?|notes?|letters?|drafts?|documents?|texts?|pages?) (?:does|do|did|is|are|was|were) {word}{text:q} (?:appears?|occurs?|stands?|comes? up|mentioned|used|found|written|named|there)",
        search,
    ),
    rule(
        r"(?:does|do|did|is|are) {word}{text:q} (?:appear|occur|stand|come up|mentioned|used|found|named|there) in {file:p}",
        |found| {
            Ok(Some(Action::SearchText {
                query: found.sought("q")?,
                path: found.path("p")?,
            }))
        },
    ),
    // What is open has an empty box.
    rule(OPEN_TASKS, |found| {
        let path = match found.has("f") {
            true => ".".to_owned(),
            false => found.folder("p")?,
        };
        // In one file they are counted once that is read.
        let is_counted = is_file(&path) && found.captures[0].to_lowercase().starts_with("wh");
        let query = "- [ ]".to_owned();
        Ok((!is_counted).then_some(Action::SearchText { query, path }))
    }),
    // What is done has a box with a mark.
    rule(
        r"(?:tell me )?(?:(?:what|which|how many) (?:done |finished |completed )?(?:tasks|todos|to-dos|to-do items|items)(?: (?:are|is|have been|were))?(?: there)?(?: already)? (?:done|finished|completed|ticked(?: off)?|checked(?: off)?)|(?:what are|{show}|list) {the}(?:done|finished|completed|ticked|checked) (?:tasks|todos|to-dos|to-do items|items))(?: already)?(?: (?:here|today|now|{in} (?:(?P<f>{files})|{dir:p})))?",
        |found| {
            let path = match found.has("f") {
                true => ".".to_owned(),
                false => found.folder("p")?,
            };
            let first = found.captures[0].to_lowercase();
            let is_counted =
                is_file(&path) && (first.starts_with("wh") || first.starts_with("how"));
            let query = "- [x]".to_owned();
            Ok((!is_counted).then_some(Action::SearchText { query, path }))
        },
    ),
    // Words in capitals are marks in a text: TODO, FIXME.
    rule(
        r"(?:{find}|search for|look for)(?: me)? (?:all |every |any |all the |the )*(?P<q>(?-i:[A-Z]{3,}))s?(?: comments?| notes?| marks?)?(?: {in} (?:(?P<f>{files})|{dir:p}))?",
        search,
    ),
    rule(
        r"(?:{find} |{what} |which |what |(?:is|are) there |do (?:i|we|you) (?:have|see) )?{the}(?:of the |any )?{tok:q} (?:files?|documents?|scripts?)(?: (?:are )?(?:there )?{in} {dir:p}| are there| {dir:r})?",
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
        r"(?:(?:tell me )?how many|count {the}|(?:{what} |{show} )?(?:the )?number of) ?{tok:q} (?:source )?(?:files?|documents?|scripts?)(?: (?:are|exist|do i have|do we have))?(?: there)?(?: (?:{in} )?{dir:p})?",
        |found| {
            let Some(pattern) = ending(&found.word("q")) else {
                return Ok(None);
            };
            Ok(Some(Action::FindFiles {
                pattern,
                path: found.folder("p")?,
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
            let is_pattern = found.is_pattern("q");
            let about_text = found.is_quoted("q") && !found.has("noun") && !is_pattern;
            let only_wildcards = ["list", "ls ", "show"]
                .iter()
                .any(|verb| found.captures[0].to_lowercase().starts_with(verb));
            let fits = is_pattern || (is_file(&word) && !about_text && !only_wildcards);
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
                query: found.sought("q")?,
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
                query: found.sought("q")?,
                path: found.path("p")?,
            }))
        },
    ),
    rule(r"(?:find|locate) {word}{text:q}", |found| {
        let query = found.sought("q")?;
        let said = found.captures[0].to_lowercase();
        let is_word = said.starts_with("find ")
            && !query.contains(char::is_whitespace)
            && !UNSAID.contains(&query.to_lowercase().as_str());
        if found.is_quoted("q") || is_word || said.starts_with("find the ") {
            return Ok(Some(Action::SearchText {
                query: match found.is_quoted("q") {
                    true => query,
                    false => trim_word(&query).to_owned(),
                },
                path: ".".to_owned(),
            }));
        }
        let nearest = vec![
            format!("search for \"{query}\""),
            format!("find files named {}", typed_path(&format!("*{query}*"))),
        ];
        let shown = found.request.shown(&found.captures[0]);
        let why = format!("`{shown}` may mean a file's name or a text.");
        Err(Refusal::ambiguous(why, nearest).for_no_model())
    }),
];
