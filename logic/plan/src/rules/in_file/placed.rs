//! What people say of lines by where they stand: `insert "x" at the top of a.txt`, `delete line 3 of
//! a.txt`, `replace the last line of a.txt with "x"`, `clear a.txt`.

use super::asked::{Asked, Place, Side, Wish};
use super::lines::Lines;
use super::saying::{Built, Saying};
use crate::quoted::{in_quotes, typed_path};
use crate::rules::building::Match;
use crate::rules::plain::{self, is_empty_line};
use crate::rules::refusal::Refusal;
use crate::rules::words::{is_file, number, ordinal, pattern};
use regex::Regex;
use std::sync::LazyLock;

const ADDS: &str = r"(?:insert|add|put|write|place|prepend|append)";
const TEXT: &str = r"{line}{text:c}";
const TOP: &str =
    r"(?:at|to|on|onto|as) (?:the )?(?:very )?(?P<top>top|start|beginning|head|front|first line)";
const LINE: &str = r"(?:the )?(?:lines? (?:number |no\.? ?|# ?)?(?P<n>\d+)(?: ?(?:to|through|until|-|–) ?(?P<m>\d+)|(?P<more>(?:(?:, ?(?:and )?| and )\d+)+))?|(?:very )?(?P<nth>first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|last|\d+(?:st|nd|rd|th)) (?:{num:count} )?lines?)";
const SIDE: &str = r"(?P<side>before|above|after|below|under|behind)";
const BESIDE: &str = r"(?:the |an? )*(?:line|entry|row|item|bullet) (?:(?:about|with|containing|mentioning|saying|for|that (?:contains|mentions|says|has|is about)) (?:the (?:word |text )?)?)?{text:about}";
const HEADING: &str = r"(?:the )?(?:heading|headline) {text:about}";
const KIND: &str = r"(?:an? |the )?(?:new )?(?P<kind>comment|heading|headline|title|bullet|bullet point|list item|task)";
const WHOLE: &str = r"(?:all|everything|all (?:of )?(?:the )?(?:text|contents?|lines)|the (?:whole |entire )?(?:text|contents?))";

/// The parts of the sayings by name.
pub(super) const PARTS: [(&str, &str); 9] = [
    ("{ADDS}", ADDS),
    ("{TEXT}", TEXT),
    ("{TOP}", TOP),
    ("{LINE}", LINE),
    ("{SIDE}", SIDE),
    ("{BESIDE}", BESIDE),
    ("{HEADING}", HEADING),
    ("{WHOLE}", WHOLE),
    ("{KIND}", KIND),
];

pub(super) static SAYINGS: [Saying; 40] = [
    (r"{ADDS} {TEXT} {TOP} (?:of|in) {FILE}", at_the_top),
    (r"{ADDS} {TOP} of {FILE}:? {TEXT}", at_the_top),
    (r"(?:in|to) {FILE},? {ADDS} {TEXT} {TOP}", at_the_top),
    (r"prepend {TEXT} to {FILE}", at_the_top),
    (r"prepend to {FILE}:? {TEXT}", at_the_top),
    (
        r"{ADDS} {TEXT} {SIDE} {LINE} (?:of|in) {FILE}",
        beside_a_line,
    ),
    (r"in {FILE},? {ADDS} {TEXT} {SIDE} {LINE}", beside_a_line),
    (
        r"{ADDS} {SIDE} {LINE} (?:of|in) {FILE}: {TEXT}",
        beside_a_line,
    ),
    (
        r"{ADDS} {SIDE} {BESIDE} (?:of|in) {FILE}: {TEXT}",
        beside_a_text,
    ),
    (
        r"{ADDS} {TEXT} (?:as|at|on) {LINE} (?:of|in) {FILE}",
        as_a_line,
    ),
    (
        r"{ADDS} {TEXT} {SIDE} {BESIDE} (?:of|in) {FILE}",
        beside_a_text,
    ),
    (r"in {FILE},? {ADDS} {TEXT} {SIDE} {BESIDE}", beside_a_text),
    (
        r"{ADDS} {TEXT} {SIDE} {HEADING} (?:of|in) {FILE}",
        beside_a_heading,
    ),
    (
        r"in {FILE},? {ADDS} {TEXT} {SIDE} {HEADING}",
        beside_a_heading,
    ),
    (
        r"{ADDS} {SIDE} {HEADING} (?:of|in) {FILE}: {TEXT}",
        beside_a_heading,
    ),
    (
        r"{ADDS} {KIND} {text:c} {SIDE} {text:about} (?:of|in) {FILE}",
        of_a_kind,
    ),
    (
        r"in {FILE},? {ADDS} {KIND} {text:c} {SIDE} {text:about}",
        of_a_kind,
    ),
    (
        r"{ADDS} {TEXT} {SIDE} {text:about} (?:of|in) {FILE}",
        beside_words,
    ),
    (
        r"in {FILE},? {ADDS} {TEXT} {SIDE} {text:about}",
        beside_words,
    ),
    (r"{REMOVES} {LINE} (?:from|in|of|out of) {FILE}", remove),
    (r"(?:in|from) {FILE},? {REMOVES} {LINE}", remove),
    (
        r"(?:replace|change|overwrite|set|rewrite) {LINE} (?:in|of) {FILE} (?:with|by|to|into):? {text:c}",
        rewrite,
    ),
    (
        r"in {FILE},? (?:replace|change|overwrite|set|rewrite) {LINE} (?:with|by|to|into) {text:c}",
        rewrite,
    ),
    (
        r"(?:replace|change|overwrite|set|rewrite) {LINE} (?:with|by|to|into) {text:c} in {FILE}",
        rewrite,
    ),
    (
        r"(?:replace|change|overwrite|rewrite) {BESIDE} (?:in|of) {FILE} (?:with|by|to|into):? {text:c}",
        rewrite_about,
    ),
    (
        r"in {FILE},? (?:replace|change|overwrite|rewrite) {BESIDE} (?:with|by|to|into) {text:c}",
        rewrite_about,
    ),
    (
        r"(?:replace|change|overwrite|rewrite) {BESIDE} (?:with|by|to|into) {text:c} in {FILE}",
        rewrite_about,
    ),
    (
        r"(?:rename|change) {HEADING} (?:to|into) {text:c} in {FILE}",
        rewrite_heading,
    ),
    (
        r"(?:rename|change|retitle) (?:the )?{text:about} (?:section|heading|headline) (?:in)?to {text:c} in {FILE}",
        rewrite_heading,
    ),
    (
        r"(?:clear|empty|truncate|blank|wipe)(?: out)? (?:{WHOLE} (?:of|in|from) )?{FILE}",
        clear,
    ),
    (r"make {FILE} (?:empty|blank)", clear),
    (r"{REMOVES} {WHOLE} (?:from|in|of|out of) {FILE}", clear),
    (
        r"overwrite (?:{WHOLE} of )?{FILE} with:? {text:c}",
        overwrite,
    ),
    (
        r"(?:replace|set|change) {WHOLE} (?:of|in) {FILE} (?:with|by|to) {text:c}",
        overwrite,
    ),
    (
        r"(?:comment out|(?P<back>uncomment|comment in)) {LINE} (?:in|of) {FILE}",
        comment,
    ),
    (
        r"in {FILE},? (?:comment out|(?P<back>uncomment|comment in)) {LINE}",
        comment,
    ),
    (
        r"(?:make|turn) {LINE} (?:in|of) {FILE} (?:into )?(?:a )?comments?",
        comment,
    ),
    (
        r"(?:give|add to) {FILE} (?:an? )?(?:new )?(?:title|heading|headline)(?: {text:c})?",
        title,
    ),
    (
        r"(?:make|let) (?:the )?(?:title|headline) (?:of|in) {FILE} (?:to |be |say |read )?{text:c}",
        title,
    ),
    (
        r"(?P<does>comment out|uncomment) (?P<number>\d+) (?:in|of) {FILE}",
        comment_number,
    ),
];

fn at_the_top(found: &Match<'_>) -> Built {
    let path = found.target("p", "noun")?;
    insert(found, path, Side::Before, Place::Top)
}

fn beside_a_line(found: &Match<'_>) -> Built {
    insert(
        found,
        found.target("p", "noun")?,
        side(found),
        place(found)?,
    )
}

fn as_a_line(found: &Match<'_>) -> Built {
    let place = place(found)?;
    let side = match place {
        // The last line is behind the one that is last now.
        Place::Last { .. } => Side::After,
        _ => Side::Before,
    };
    insert(found, found.target("p", "noun")?, side, place)
}

fn beside_a_text(found: &Match<'_>) -> Built {
    let path = found.target("p", "noun")?;
    let place = Place::About(found.text("about")?);
    insert(found, path, side(found), place)
}

fn beside_a_heading(found: &Match<'_>) -> Built {
    let path = found.target("p", "noun")?;
    let place = Place::Heading(found.text("about")?);
    insert(found, path, side(found), place)
}

/// Words before a text that say that it is a line of its own.
static OF_A_LINE: LazyLock<Option<Regex>> =
    LazyLock::new(|| pattern(r"(?i)\b(?:the|an?|this|another|new) line:? *$"));

/// `insert "x" before Once in a.txt`: in the line, or above it?
fn beside_words(found: &Match<'_>) -> Built {
    let path = found.target("p", "noun")?;
    let (text, about) = (found.text("c")?, found.text("about")?);
    let is_line = OF_A_LINE
        .as_ref()
        .is_some_and(|said| said.is_match(&found.before("c")));
    if is_line || (!found.is_quoted("c") && is_empty_line(&text)) {
        // An empty line is one of its own.
        return insert(found, path, side(found), Place::About(about));
    }
    let why = format!("Whether `{text}` is to be a line of its own is not said.");
    Err(Refusal::ambiguous(
        why,
        vec![line_beside(found, &text, &about, &path)],
    ))
}

/// The order that inserts a line beside the only one that has some words.
fn line_beside(found: &Match<'_>, text: &str, about: &str, path: &str) -> String {
    let side = match side(found) {
        Side::Before => "before",
        Side::After => "after",
    };
    format!(
        "insert {} {side} the line about {} in {}",
        in_quotes(text),
        in_quotes(about),
        typed_path(path)
    )
}

/// `insert a heading "Part 1" above Chapter 1 in novel.md`: with which sign is for the user to say.
fn of_a_kind(found: &Match<'_>) -> Built {
    if !found.is_quoted("c") {
        return Ok(None);
    }
    let path = found.target("p", "noun")?;
    let (text, about) = (found.text("c")?, found.text("about")?);
    let kind = found.word("kind");
    let is_item = ["task", "bullet", "bullet point", "list item"].contains(&kind.as_str());
    let is_under = ["under", "below"].contains(&found.word("side").as_str());
    if is_item && is_under && plain::is_prose(&path) && is_file(&path) {
        let (item, list) = (text, about);
        return Ok(Some((path, Asked::Nearly(Wish::Listed { item, list }))));
    }
    let lines = Lines {
        path: &path,
        text: "",
    };
    let sign = match kind.as_str() {
        "comment" => match lines.comment_mark() {
            Some(mark) => format!("{mark} "),
            None => String::new(),
        },
        "heading" | "headline" | "title" => "# ".to_owned(),
        "task" => "- [ ] ".to_owned(),
        _ => "- ".to_owned(),
    };
    let about = about.strip_prefix("the ").unwrap_or(&about);
    let sign = match text.starts_with(sign.trim_end()) {
        true => String::new(),
        false => sign,
    };
    let why =
        format!("With which sign a {kind} is written I do not choose: the text is the whole line.");
    let nearest = line_beside(found, &format!("{sign}{text}"), about, &path);
    Err(Refusal::ambiguous(why, vec![nearest]))
}

fn insert(found: &Match<'_>, path: String, side: Side, place: Place) -> Built {
    if matches!(place, Place::Each(_)) {
        return Err(one_line(found));
    }
    let text = text(found, &path)?;
    Ok(Some((path, Asked::Insert { text, side, place })))
}

fn remove(found: &Match<'_>) -> Built {
    let place = place(found)?;
    Ok(Some((
        found.target("p", "noun")?,
        Asked::RemovePlace { place },
    )))
}

fn rewrite(found: &Match<'_>) -> Built {
    let place = place(found)?;
    if matches!(place, Place::Each(_)) {
        return Err(one_line(found));
    }
    rewritten(found, place)
}

fn rewrite_about(found: &Match<'_>) -> Built {
    rewritten(found, Place::About(found.text("about")?))
}

/// `change the heading "Plan" to "Plans" in a.md`: the heading, and not the words elsewhere.
fn rewrite_heading(found: &Match<'_>) -> Built {
    let path = found.target("p", "noun")?;
    // A section of settings is renamed elsewhere.
    if !plain::is_prose(&path) {
        return Ok(None);
    }
    let text = text(found, &path)?;
    let heading = found.text("about")?;
    Ok(Some((path, Asked::RenameHeading { heading, text })))
}

fn rewritten(found: &Match<'_>, place: Place) -> Built {
    let path = found.target("p", "noun")?;
    if is_nothing(found)? {
        return Ok(Some((path, Asked::RemovePlace { place })));
    }
    let text = text(found, &path)?;
    Ok(Some((path, Asked::Rewrite { text, place })))
}

/// The text of a line, which may be an empty one.
fn text(found: &Match<'_>, path: &str) -> Result<String, Refusal> {
    let is_empty = !found.is_quoted("c") && is_empty_line(&found.text("c")?);
    match is_empty {
        true => Ok(String::new()),
        false => found.added("c", path),
    }
}

fn is_nothing(found: &Match<'_>) -> Result<bool, Refusal> {
    Ok(!found.is_quoted("c") && found.text("c")?.eq_ignore_ascii_case("nothing"))
}

/// Several lines, where one is changed.
fn one_line(found: &Match<'_>) -> Refusal {
    let step = found.request.shown(&found.captures[0]);
    let why = format!("`{step}` names several lines, and this is done to one.");
    Refusal::ambiguous(why, Vec::new()).advised("Give one order for each line.")
}

fn clear(found: &Match<'_>) -> Built {
    let path = found.target("p", "noun")?;
    // `empty docs` is of a folder, and `clear my memory` of something else.
    let is_one = is_file(&path) || found.is_quoted("p") || found.has("noun");
    Ok(is_one.then_some((
        path,
        Asked::Clear {
            text: String::new(),
        },
    )))
}

fn comment(found: &Match<'_>) -> Built {
    let (place, is_out) = (place(found)?, !found.has("back"));
    let path = found.target("p", "noun")?;
    Ok(Some((path, Asked::CommentLines { place, is_out })))
}

/// `give a.md a title`: the order that makes one, or puts one in the place of another, is for the user to say.
fn title(found: &Match<'_>) -> Built {
    let path = found.target("p", "noun")?;
    let text = match found.has("c") {
        true => Some(found.text("c")?),
        false => None,
    };
    Ok(plain::is_prose(&path).then_some((path, Asked::Title { text })))
}

/// `comment out 4 in crontab`: the line of that number, or the one that says it?
fn comment_number(found: &Match<'_>) -> Built {
    let path = typed_path(&found.target("p", "noun")?);
    let (does, number) = (found.word("does"), found.word("number"));
    let why = format!("Whether `{number}` is the number of a line or a text is not said.");
    let nearest = vec![
        format!("{does} line {number} in {path}"),
        format!("{does} \"{number}\" in {path}"),
    ];
    Err(Refusal::ambiguous(why, nearest))
}

fn overwrite(found: &Match<'_>) -> Built {
    let path = found.target("p", "noun")?;
    let text = match is_nothing(found)? {
        true => String::new(),
        false => text(found, &path)?,
    };
    Ok(Some((path, Asked::Clear { text })))
}

fn side(found: &Match<'_>) -> Side {
    match found.word("side").as_str() {
        "before" | "above" => Side::Before,
        _ => Side::After,
    }
}

/// The lines that are meant by where they stand.
///
/// # Errors
/// Numbers that no lines have.
fn place(found: &Match<'_>) -> Result<Place, Refusal> {
    let counted = |name| number(&found.word(name)).and_then(|count| usize::try_from(count).ok());
    let (nth, count) = (
        found.word("nth"),
        match found.has("count") {
            true => counted("count"),
            false => Some(1),
        },
    );
    let listed = || {
        let more = found.text("more").unwrap_or_default();
        let numbers = more.split(|c: char| !c.is_ascii_digit());
        let numbers = numbers.filter_map(|number| number.parse().ok());
        let mut all: Vec<usize> = counted("n").into_iter().chain(numbers).collect();
        all.sort_unstable();
        all.dedup();
        Some(Place::Each(all))
    };
    let place = match (counted("n"), found.has("n"), found.has("m")) {
        _ if found.has("more") => listed(),
        (Some(from), true, false) => Some(Place::Lines { from, to: from }),
        (Some(from), true, true) => counted("m").map(|to| Place::Lines { from, to }),
        (None, true, _) => None,
        (_, false, _) => match (nth.as_str(), ordinal(&nth), count) {
            ("last", _, Some(count)) if count > 0 => Some(Place::Last { count }),
            ("first", _, Some(count)) => Some(Place::Lines { from: 1, to: count }),
            (_, Some(at), Some(1)) => Some(Place::Lines { from: at, to: at }),
            _ => None,
        },
    };
    let is_some_line = |place: &Place| match place {
        Place::Lines { from, to } => 1 <= *from && from <= to,
        Place::Each(lines) => lines.first().is_some_and(|first| *first > 0),
        _ => true,
    };
    place.filter(is_some_line).ok_or_else(|| {
        let step = found.request.shown(&found.captures[0]);
        let why =
            format!("`{step}` names no lines: the first is line 1, and `lines 2 to 4` go up.");
        Refusal::ambiguous(why, Vec::new())
    })
}
