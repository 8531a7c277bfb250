//! Lines by a condition on what they say: `lines with Failed and root in auth.log`, `the last error in app.log`, `how
//! many lines between 03:00 and 04:00`.
//!
//! A condition is never dropped: what has one that is not read here is refused.

use super::clock;
use super::line_words;
use super::lines::Lines;
use crate::names;
use crate::quoted::{mark, marked};
use crate::rules::grammar;
use crate::rules::words::{number, pattern};
use regex::{Captures, Regex};
use std::sync::LazyLock;

/// Most lines that an answer shows, and characters of each.
const SHOWN_LINES: usize = 20;
const SHOWN_CHARS: usize = 160;

/// How a request for lines begins, up to what says which.
static HEAD: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(concat!(
        r"(?i)^(?:please )?(?:(?:can|could) you )?(?:please )?(?P<verb>",
        r"(?:show|list|print|give|find|get|display|tell|see|read|output|grep)(?: me| us)?(?: how many)?|how many|count|which|what(?: is| are|['’]s)?|(?:were|was|are|is) there(?: any)?|the number of)?\s?",
        r"(?:all |each |every )?(?:of )?(?:the )?(?:(?P<end>first|last|latest) (?:(?P<n>\d+|two|three|four|five|six|seven|eight|nine|ten) )?)?(?P<rest>\S.*)$",
    ))
});
/// What stands for lines: the word itself, or what logs call some of theirs.
static SUBJECT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(concat!(
        r"^(?:(?i:(?P<lines>lines?|entries|messages|rows))|(?i:(?P<requests>requests|hits|calls))",
        r"|(?P<kinds>(?-i:[A-Z][A-Z0-9_]+)(?:(?:,? (?:and|or) |, )(?-i:[A-Z][A-Z0-9_]+))*)(?i: (?:lines?|entries|messages))?",
        r"|(?i:(?P<kind>errors?|warnings?|exceptions?|failures?|timeouts?)(?: (?:lines?|entries|messages))?))(?: |$)(?P<rest>.*)$",
    ))
});
/// What begins a condition.
static CONDITION: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(concat!(
        r"(?i)^(?:(?:that|which|and|but|where it|are|is|were|do|does|did|it) )*(?:",
        r"(?P<not>without|not (?:with|having|containing|have|has|contain|mention|say|including)|(?:do|does|did)(?: not|n['’]t) (?:have|contain|mention|say|include)",
        r"|don['’]t (?:have|contain|mention|say|include)|doesn['’]t (?:have|contain|mention|say|include)|except|excluding|but not|not)",
        r"|(?P<with>with|containing|contain|contains|have|has|having|mention|mentions|mentioning|say|says|saying|include|includes|including|about)",
        r"|(?P<time>between|from|after|since|before|until)",
        r")(?: (?:the|a|an|any))?(?: (?:word|text|name|phrase)s?)? (?P<rest>\S.*)$",
    ))
});
static TIMES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?i)^(?P<a>\d{1,2}:\d{2}(?::\d{2})?)(?: (?:and|to|until|till) (?P<b>\d{1,2}:\d{2}(?::\d{2})?))?(?: (?:and|but) (?P<more>\S.*)| (?P<next>(?:with|without|that|which)\b.*))?$",
    )
});
/// What a line has to say.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Condition {
    /// All of these.
    All(Vec<String>),
    /// One of these at least.
    AnyOf(Vec<String>),
    /// What all lines of a kind have in a log, in any letters and within words.
    Kind(String),
    None(Vec<String>),
    /// All of these, as one or as many, in any letters.
    Words(Vec<String>),
    /// A time of day from one on, and up to another.
    Times {
        from: Option<String>,
        to: Option<String>,
        is_with_from: bool,
    },
}

/// How many of the lines are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wanted {
    All,
    Count,
    First(usize),
    Last(usize),
}

/// A request for lines.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Asked {
    wanted: Wanted,
    conditions: Vec<Condition>,
}

/// What a request is, seen from here.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Reading {
    /// None for lines by a condition.
    Other,
    Lines(Asked),
    /// One with a condition that is not known.
    Unknown,
    /// One that says more of them, which other rules may know.
    Left,
}

/// The words that conditions name; `None` where it is not clear how they belong together.
fn terms(text: &str, quotes: &[String]) -> Option<(Vec<String>, bool)> {
    let has = |joint: &str| text.contains(joint);
    if has(" and ") && has(" or ") {
        return None;
    }
    let is_any = has(" or ");
    let joint = pattern(r",? (?:and|or) |, ?")?;
    let word = |term: &str| {
        let quoted = (0..quotes.len()).find(|at| term == mark(*at));
        match quoted {
            Some(at) => Some(quotes[at].clone()),
            None => {
                let is_one = !term.is_empty() && !term.contains(char::is_whitespace);
                is_one.then(|| term.trim_end_matches([',', '.']).to_owned())
            }
        }
    };
    let found: Option<Vec<String>> = joint.split(text).map(|term| word(term.trim())).collect();
    found.map(|found| (found, is_any))
}

fn wanted(found: &Captures<'_>) -> Wanted {
    let part = |name| found.name(name).map(|part| part.as_str().to_lowercase());
    let count = part("n").and_then(|n| number(&n));
    let count = count.and_then(|n| usize::try_from(n).ok());
    let verb = part("verb").unwrap_or_default();
    match part("end").as_deref() {
        Some("first") => Wanted::First(count.unwrap_or(1)),
        Some(_) => Wanted::Last(count.unwrap_or(1)),
        None if ["count", "the number of"].contains(&verb.as_str())
            || verb.ends_with("how many") =>
        {
            Wanted::Count
        }
        None => Wanted::All,
    }
}

/// The conditions that a text states one after the other.
fn conditions(text: &str, quotes: &[String]) -> Option<Vec<Condition>> {
    let found = CONDITION.as_ref()?.captures(text)?;
    let rest = &found["rest"];
    if let Some(word) = found.name("time") {
        let times = TIMES.as_ref()?.captures(rest)?;
        let (first, second) = (times["a"].to_owned(), times.name("b"));
        let second = second.map(|time| time.as_str().to_owned());
        let word = word.as_str().to_lowercase();
        let (from, to) = match (word.as_str(), second) {
            ("between" | "from", Some(second)) => (Some(first), Some(second)),
            ("between", None) => return None,
            ("after" | "since" | "from", None) => (Some(first), None),
            ("before" | "until", None) => (None, Some(first)),
            _ => return None,
        };
        let mut all = vec![Condition::Times {
            from,
            to,
            is_with_from: word != "after",
        }];
        if let Some(more) = times.name("more").or_else(|| times.name("next")) {
            all.extend(conditions(more.as_str(), quotes)?);
        }
        return Some(all);
    }
    // `with ERROR and without x`, `with ERROR after 04:00`.
    let joint = pattern(
        r"(?i),? (?:and |but )?(?:without|not with|but not|except|between|after|since|before)\b",
    )?;
    let (own, more) = match joint.find(rest) {
        Some(at) => (
            &rest[..at.start()],
            Some(rest[at.start()..].trim_start_matches([',', ' '])),
        ),
        None => (rest, None),
    };
    let (words, is_any) = terms(own, quotes)?;
    let mut all = vec![match (found.name("not").is_some(), is_any) {
        (true, _) => Condition::None(words),
        (false, true) => Condition::AnyOf(words),
        (false, false) => Condition::All(words),
    }];
    if let Some(more) = more {
        all.extend(conditions(more, quotes)?);
    }
    Some(all)
}

/// A request without the name of its file or of the data that came along.
fn without_place(request: &str, file: Option<&str>) -> String {
    let mut said = request.to_owned();
    if let Some(file) = file {
        for before in [
            "in the file ",
            "of the file ",
            "from the file ",
            "in ",
            "of ",
            "from ",
            "does ",
            "",
        ] {
            said = said.replace(&format!(" {before}{file}"), " ");
        }
    }
    let given = pattern(
        r"(?i) (?:in|of|from) (?:it|this|that|here|the (?:data|input|log|text|file))(?P<end> |$)",
    );
    let said = given.map_or(said.clone(), |given| {
        given.replace(&said, "$end").into_owned()
    });
    said.split_whitespace().collect::<Vec<&str>>().join(" ")
}

/// A question for what happened at a time of day as one for the lines of then.
fn happened(said: &str) -> String {
    let form = pattern(
        r"(?i)^what (?:has )?(?:happened|happens|went on|was (?:logged|going on)) (?P<when>(?:between|from|after|since|before|until) \d)",
    );
    form.map_or(said.to_owned(), |form| {
        form.replace(said, "show the lines $when").into_owned()
    })
}

/// Reads a request for lines of a file, or of data that came along.
pub(crate) fn read(request: &str, file: Option<&str>) -> Reading {
    let request = request.trim().trim_end_matches(['?', '.', '!', ' ']);
    let (marks, quotes) = marked(request);
    let said = without_place(&marks, file);
    let said = happened(&clock::by_hours(&said));
    let head = HEAD.as_ref().and_then(|head| head.captures(&said));
    let Some(head) = head else {
        return Reading::Other;
    };
    let subject = SUBJECT
        .as_ref()
        .and_then(|form| form.captures(&head["rest"]));
    let Some(subject) = subject else {
        return Reading::Other;
    };
    let wanted = wanted(&head);
    if is_elsewhere((&head, &subject), &said, wanted) {
        return Reading::Other;
    }
    let mut all = Vec::new();
    if let Some(kinds) = subject.name("kinds") {
        let Some((kinds, _)) = terms(kinds.as_str(), &quotes) else {
            return Reading::Unknown;
        };
        all.push(Condition::AnyOf(kinds));
    }
    if let Some(kind) = subject.name("kind") {
        let kind = kind.as_str().to_lowercase();
        all.push(Condition::Kind(grammar::reported(&kind).to_owned()));
    }
    let rest = subject["rest"].trim();
    let rest = pattern(
        r"(?i)^(?:(?:are|were|is|does|do|did|we|i|it|there|have|has|contain|contains|long|in total|altogether)(?: |$))+$",
    )
    .filter(|form| form.is_match(rest))
    .map_or(rest, |_| "");
    if rest.is_empty() {
        return match all.is_empty() {
            true => Reading::Other,
            false => Reading::Lines(Asked {
                wanted,
                conditions: all,
            }),
        };
    }
    let begins = CONDITION.as_ref().is_some_and(|form| form.is_match(rest));
    let found = conditions(rest, &quotes);
    // Of requests a word may be of any of their parts.
    let are_times = |all: &Vec<Condition>| all.iter().all(Condition::is_of_times);
    if subject.name("requests").is_some() && !found.as_ref().is_some_and(are_times) {
        return Reading::Other;
    }
    match found {
        Some(more) => {
            all.extend(more);
            Reading::Lines(Asked {
                wanted,
                conditions: all,
            })
        }
        None if begins => Reading::Unknown,
        None => left((&head, &subject), rest),
    }
}

/// Reads a request to show lines of a log by their words: `show failed passwords for root in auth.log`. It is for what
/// no other rule reads.
pub(crate) fn read_words(request: &str, file: &str) -> Reading {
    static SHOWS: LazyLock<Option<Regex>> = LazyLock::new(|| {
        pattern(r"(?i)^(?:show|list|print|give|find|get|display|see|grep)(?: me| us)?$")
    });
    static WHEN: LazyLock<Option<Regex>> = LazyLock::new(|| {
        pattern(r"(?i)^(?P<what>.*?) (?P<when>(?:between|from|after|since|before|until) \d.*)$")
    });
    let request = request.trim().trim_end_matches(['?', '.', '!', ' ']);
    let (marks, quotes) = marked(request);
    let said = clock::by_hours(&without_place(&marks, Some(file)));
    let head = HEAD.as_ref().and_then(|head| head.captures(&said));
    let shows = |head: &Captures<'_>| {
        let verb = head.name("verb")?.as_str().trim();
        SHOWS.as_ref().filter(|form| form.is_match(verb))
    };
    let is_log = file.to_lowercase().ends_with(".log");
    let Some(head) = head.filter(|head| is_log && shows(head).is_some()) else {
        return Reading::Other;
    };
    let rest = head["rest"].trim().to_owned();
    let when = WHEN.as_ref().and_then(|form| form.captures(&rest));
    let (what, when) = match &when {
        Some(found) => (&found["what"], conditions(&found["when"], &quotes)),
        None => (rest.as_str(), Some(Vec::new())),
    };
    match (line_words::terms(what, &quotes), when) {
        (Some(terms), Some(when)) => Reading::Lines(Asked {
            wanted: wanted(&head),
            conditions: [Condition::Words(terms)].into_iter().chain(when).collect(),
        }),
        _ => Reading::Unknown,
    }
}

/// What a request is that says more of lines than is read here.
fn left((head, subject): (&Captures<'_>, &Captures<'_>), rest: &str) -> Reading {
    let verb = head.name("verb").map_or("", |verb| verb.as_str());
    let is_value = verb.is_empty() || verb.to_lowercase().starts_with("what");
    let is_of_lines = subject.name("lines").is_some();
    let is_place = rest.starts_with(|c: char| c.is_ascii_digit() || c == '#')
        || ["of ", "number ", "no ", "from ", "long"]
            .iter()
            .any(|place| rest.starts_with(place));
    match (is_of_lines && is_place) || (!is_of_lines && is_value) {
        true => Reading::Other,
        false => Reading::Left,
    }
}

/// Whether words of logs are something else here: `the timeout`, `DB_NAME`, and what is counted by one word.
fn is_elsewhere(
    (head, subject): (&Captures<'_>, &Captures<'_>),
    said: &str,
    wanted: Wanted,
) -> bool {
    if subject.name("lines").is_some() || matches!(wanted, Wanted::First(_) | Wanted::Last(_)) {
        return false;
    }
    let verb = head.name("verb").map_or("", |verb| verb.as_str());
    let verb = verb.to_lowercase();
    let has_noun = [" line", " entr", " message"]
        .iter()
        .any(|noun| said.contains(noun));
    let is_value = (verb.is_empty() || verb.starts_with("what") || verb == "which") && !has_noun;
    let kinds = subject.name("kinds").map(|kinds| kinds.as_str());
    let are_several = kinds.is_some_and(|kinds| kinds.contains(' '));
    let is_a_name = kinds.is_some() && !has_noun;
    let condition = CONDITION.as_ref();
    let is_alone = condition.is_none_or(|form| !form.is_match(&subject["rest"]));
    is_alone && !are_several && (is_value || wanted == Wanted::Count || is_a_name)
}

/// Whether a line says a text: bare words as whole words, in any letters where they have no capital.
fn says(line: &str, term: &str) -> bool {
    let is_small = !term.chars().any(char::is_uppercase);
    let line = match is_small {
        true => line.to_lowercase(),
        false => line.to_owned(),
    };
    let mut places = line.match_indices(term);
    places.any(|(at, _)| names::is_words(&line, at..at + term.len()))
}

/// Whether a line has a text anywhere, in any letters: `DB_PASSWORD` is left out with `password`.
fn holds(line: &str, term: &str) -> bool {
    line.to_lowercase().contains(&term.to_lowercase())
}

impl Condition {
    /// Whether a line meets it; `None` where it has nothing that could be compared.
    fn is_met(&self, line: &str) -> Option<bool> {
        Some(match self {
            Self::All(terms) => terms.iter().all(|term| says(line, term)),
            Self::AnyOf(terms) => terms.iter().any(|term| says(line, term)),
            Self::Kind(word) => line.to_lowercase().contains(word),
            Self::None(terms) => !terms.iter().any(|term| holds(line, term)),
            Self::Words(terms) => line_words::has_all(line, terms),
            Self::Times {
                from,
                to,
                is_with_from,
            } => {
                let is = clock::of_line(line)?;
                clock::is_within(is, (from.as_deref(), *is_with_from), to.as_deref())
            }
        })
    }

    const fn is_of_times(&self) -> bool {
        matches!(self, Self::Times { .. })
    }

    fn told(&self) -> String {
        let quoted = |terms: &[String], joint: &str| {
            let terms: Vec<String> = terms.iter().map(|term| format!("`{term}`")).collect();
            terms.join(joint)
        };
        match self {
            Self::All(terms) => format!("with {}", quoted(terms, " and ")),
            Self::Words(terms) => {
                format!(
                    "with {}, as one or as many, in any letters",
                    quoted(terms, " and ")
                )
            }
            Self::AnyOf(terms) => format!("with {}", quoted(terms, " or ")),
            Self::Kind(word) => format!("with `{word}`, in capital or small letters"),
            Self::None(terms) => format!("without {}", quoted(terms, " and without ")),
            Self::Times {
                from: Some(from),
                to: Some(to),
                ..
            } => {
                format!("with a time from {from} to before {to}")
            }
            Self::Times {
                from: Some(from),
                is_with_from,
                ..
            } => match is_with_from {
                true => format!("with a time from {from} on"),
                false => format!("with a time after {from}"),
            },
            Self::Times { to, .. } => {
                format!("with a time before {}", to.as_deref().unwrap_or_default())
            }
        }
    }
}

impl Asked {
    /// What a text says to it. `place`: how the text is called.
    pub(crate) fn told(&self, place: &str, text: &str) -> String {
        let has_times = self.conditions.iter().any(Condition::is_of_times);
        let mut undated = 0;
        let mut found: Vec<(usize, &str)> = Vec::new();
        for (at, line) in text
            .lines()
            .enumerate()
            .filter(|(_, line)| !line.trim().is_empty())
        {
            let met: Option<Vec<bool>> =
                self.conditions.iter().map(|one| one.is_met(line)).collect();
            match met {
                Some(met) if met.iter().all(|is| *is) => found.push((at + 1, line)),
                Some(_) => {}
                None => undated += 1,
            }
        }
        let which: Vec<String> = self.conditions.iter().map(Condition::told).collect();
        let which = which.join(", ");
        let all = found.len();
        let count = match all {
            0 => "no line".to_owned(),
            1 => "1 line".to_owned(),
            all => format!("{all} lines"),
        };
        let mut told = format!("{place} has {count} {which} (by rules, no model).");
        if has_times && undated > 0 {
            told.push_str(&format!(
                " Of {undated} more I found no time at the beginning."
            ));
        }
        let most = match self.wanted {
            Wanted::First(count) | Wanted::Last(count) => count,
            Wanted::All | Wanted::Count => SHOWN_LINES,
        };
        let is_last = matches!(self.wanted, Wanted::Last(_));
        let start = if is_last { all.saturating_sub(most) } else { 0 };
        let shown = found.iter().skip(start).take(most);
        let shown: Vec<String> = shown
            .map(|(number, line)| {
                let line: String = line.trim().chars().take(SHOWN_CHARS).collect();
                format!("\n  {number}: {line}")
            })
            .collect();
        if !shown.is_empty() {
            told.push_str(&format!("\n\nFrom {place}:{}", shown.concat()));
        }
        let more = all - shown.len().min(all);
        if more > 0 && matches!(self.wanted, Wanted::All | Wanted::Count) {
            told.push_str(&format!("\n  … and {more} more lines"));
        }
        told
    }
}

/// What a file says to a request for some of its lines; `None` where it is another one.
pub(super) fn told(request: &str, lines: &Lines<'_>) -> Option<String> {
    match read(request, Some(lines.path)) {
        Reading::Lines(asked) => Some(asked.told(lines.path, lines.text)),
        Reading::Other => match read_words(request, lines.path) {
            Reading::Lines(asked) => Some(asked.told(lines.path, lines.text)),
            _ => None,
        },
        Reading::Unknown | Reading::Left => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOG: &str = "2026-05-01 03:00:00 INFO start\n2026-05-01 03:30:00 ERROR disk full\n2026-05-01 04:00:00 WARN slow\n2026-05-01 04:30:00 ERROR Failed for root\n\n";

    fn numbers(request: &str) -> Option<Vec<String>> {
        let Reading::Lines(asked) = read(request, Some("a.log")) else {
            return None;
        };
        let told = asked.told("a.log", LOG);
        let lines = told
            .lines()
            .skip(1)
            .filter_map(|line| line.trim().split_once(": "));
        Some(lines.map(|(number, _)| number.to_owned()).collect())
    }

    #[test]
    fn lines_are_those_that_meet_every_condition() {
        for (request, are) in [
            ("how many WARN and ERROR lines in a.log", "2 3 4"),
            ("how many lines between 03:00 and 04:00 in a.log", "1 2"),
            ("count lines without INFO in a.log", "2 3 4"),
            ("first error in a.log", "2"),
            ("show the last error in a.log", "4"),
            ("show the last line with ERROR in a.log", "4"),
            ("show the first 2 lines with ERROR in a.log", "2 4"),
            ("show me the errors in a.log", "2 4"),
            ("lines with ERROR in a.log", "2 4"),
            ("lines with Failed and root in a.log", "4"),
            ("lines with slow or start in a.log", "1 3"),
            ("show the lines after 04:00 in a.log", "4"),
            ("show lines in a.log that are not INFO", "2 3 4"),
            ("which lines in a.log mention root?", "4"),
            ("which lines mention root in a.log?", "4"),
            ("lines mentioning slow in a.log", "3"),
            ("lines with ERROR and without root in a.log", "2"),
            ("lines with ERROR after 04:00 in a.log", "4"),
            ("lines with \"disk full\" in a.log", "2"),
            ("lines without DIS in a.log", "1 3 4"),
            ("show the lines that are not info in a.log", "2 3 4"),
        ] {
            let are: Vec<String> = are.split(' ').map(str::to_owned).collect();
            assert_eq!(numbers(request), Some(are), "{request}");
        }
    }

    #[test]
    fn a_condition_that_is_not_known_is_not_dropped() {
        for request in [
            "lines with more than 5 words in a.log",
            "show lines with ERROR and root or disk in a.log",
            "how many lines between Monday and Friday in a.log",
        ] {
            assert_eq!(read(request, Some("a.log")), Reading::Unknown, "{request}");
        }
        for request in [
            "show the lines starting with ERROR in a.log",
            "list the errors of Monday in a.log",
        ] {
            assert_eq!(read(request, Some("a.log")), Reading::Left, "{request}");
        }
        for request in [
            "show lines 2 to 4 of a.log",
            "how many lines are in a.log?",
            "how many lines does a.log have?",
            "show the first 2 lines of a.log",
            "count the lines in a.log",
            "show a.log",
            "what is in a.log?",
        ] {
            assert_eq!(read(request, Some("a.log")), Reading::Other, "{request}");
        }
    }
}
