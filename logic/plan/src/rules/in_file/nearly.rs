//! Orders that are nearly known. None is done: each is asked back with the order that does it in its file.

use super::asked::{Asked, Goal, Side, Wish};
use super::lines::Lines;
use super::saying::{Built, Saying, bare};
use crate::orders;
use crate::quoted::{in_quotes, typed_path};
use crate::rules::building::Match;
use crate::rules::plain;
use crate::rules::refusal::Refusal;
use crate::rules::words::is_file;
use std::cmp::Ordering;

pub(super) static SAYINGS: [Saying; 16] = [
    (
        r"(?:change|rename|set) the (?:title|main heading|heading) of {FILE} (?:in)?to {text:c}",
        title,
    ),
    (
        r"add (?:the |a )?(?P<key>[\w-]+) (?P<to>\S+) to {FILE}",
        key,
    ),
    (
        r"add (?:the |a )?(?P<key>[\w-]+) to {FILE}: (?P<to>\S+)",
        key,
    ),
    (r"(?P<key>[A-Za-z][\w.-]*) (?P<to>\S+) in {FILE}", value),
    (
        r"(?:use|take|have|put|listen on|bind to|run on) (?P<new>\S+) instead of (?P<old>\S+)(?: (?:as|for) (?:the |its )?(?P<key>[\w.-]+(?: [\w.-]+){0,2}))? in {FILE}",
        instead,
    ),
    (
        r"(?:add|append) (?P<word>[\w.@-]+) to (?:the )?(?P<key>[\w.-]+)(?: (?:line|list|setting|value|directive))? (?:in|of) {FILE}",
        word,
    ),
    (
        r"(?:add|put|append) {text:about} (?:to|under|on|into) (?:the )?(?P<key>[\w-]+(?: [\w-]+){0,2}?)(?: (?:list|section|heading|part))? in {FILE}",
        listed,
    ),
    (
        r"move (?:the )?(?:line (?:about |with )?)?{text:about} (?P<side>below|under|after|behind|above|before) (?:the )?(?:line (?:about |with )?)?{text:beside} (?:in|of) {FILE}",
        move_beside,
    ),
    (
        r"move (?:the )?(?:line (?:about |with )?)?{text:about} to the (?P<end>top|beginning|start|end|bottom) (?:in|of) {FILE}",
        move_to_end,
    ),
    (
        r"in {FILE},? move (?:the )?(?:line (?:about |with )?)?{text:about} to the (?P<end>top|beginning|start|end|bottom)(?: of the (?:list|file))?",
        move_to_end,
    ),
    (
        r"move (?:the )?(?:(?:line|item|task|entry|point) (?:about |with )?)?{text:about} (?:in)?to (?:the )?(?:(?:section|heading|list) )?{text:beside}(?: (?:section|heading|list))? (?:in|of) {FILE}",
        move_under,
    ),
    (
        r"in {FILE},? move (?:the )?(?:(?:line|item|task|entry|point) (?:about |with )?)?{text:about} (?:in)?to (?:the )?(?:(?:section|heading|list) )?{text:beside}(?: (?:section|heading|list))?",
        move_under,
    ),
    (
        r"add (?:a |the |this )?comment (?P<side>above|before|over|on top of|below|under|after) (?:the )?(?:line (?:about |with )?)?{text:about} (?:in|of) {FILE}: {text:c}",
        comment,
    ),
    (
        r"(?:copy|write|put|save) (?:the )?(?:first (?P<count>\d+) lines|lines (?P<from>\d+) ?(?:to|-|–) ?(?P<last>\d+)) (?:of|from) {FILE} (?:in)?to {INTO}",
        first_lines,
    ),
    (
        r"(?:create|make) {INTO} (?:with|from|out of) (?:the )?(?:first (?P<count>\d+) lines|lines (?P<from>\d+) ?(?:to|-|–) ?(?P<last>\d+)) (?:of|from) {FILE}",
        first_lines,
    ),
    (
        r"(?:put|make|create) (?:{INTO} (?:from|out of) {FILE} and (?P<other>\S+)|{FILE2} and (?P<other2>\S+) together (?:in)?to (?P<into2>\S+))",
        both,
    ),
];

/// The parts of the sayings by name.
pub(super) const PARTS: [(&str, &str); 1] = [("{FILE2}", r"{tok:p2}")];

fn wished(path: String, wish: Wish) -> Built {
    Ok(is_file(&path).then_some((path, Asked::Nearly(wish))))
}

fn value(found: &Match<'_>) -> Built {
    let path = found.target("p", "noun")?;
    let (key, to) = (found.written("key").to_owned(), found.text("to")?);
    // `errors 500 in app.log` is of lines, and `lines 3 in a.toml` too.
    let is_name = !orders::is_verb(&key)
        && !key.ends_with(['s', ':', '?'])
        && plain::is_word(&key)
        && key.chars().count() > 2;
    let is_value = ["on", "off", "yes", "no", "true", "false"].contains(&to.as_str())
        || to.starts_with(|c: char| c.is_ascii_digit());
    match is_name && is_value && !plain::is_prose(&path) {
        true => wished(path, Wish::Value { key, to }),
        false => Ok(None),
    }
}

fn title(found: &Match<'_>) -> Built {
    let path = found.target("p", "noun")?;
    let said = bare(found, "c")?;
    // `in FILE` behind it is of the place, which may be named twice.
    let (to, place) = match said.rsplit_once(" in ").filter(|_| !found.is_quoted("c")) {
        Some((to, place)) if is_file(place) => (to.to_owned(), Some(place)),
        _ => (said.clone(), None),
    };
    let is_one = place.is_none_or(|place| place.trim_start_matches("./") == path);
    match path.ends_with(".md") && is_one {
        true => wished(path, Wish::Title { to }),
        false => Ok(None),
    }
}

fn key(found: &Match<'_>) -> Built {
    let path = found.target("p", "noun")?;
    let name = found.written("key").to_owned();
    match path.ends_with(".json") && found.is_quoted("to") {
        true => wished(
            path,
            Wish::Key {
                name,
                to: found.text("to")?,
            },
        ),
        false => Ok(None),
    }
}

fn instead(found: &Match<'_>) -> Built {
    let wish = Wish::Instead {
        new: found.text("new")?,
        old: found.text("old")?,
        key: found.has("key").then(|| found.written("key").to_owned()),
    };
    wished(found.target("p", "noun")?, wish)
}

fn word(found: &Match<'_>) -> Built {
    let path = found.target("p", "noun")?;
    let wish = Wish::Word {
        word: found.text("word")?,
        key: found.written("key").to_owned(),
    };
    match plain::is_prose(&path) {
        true => Ok(None),
        false => wished(path, wish),
    }
}

fn listed(found: &Match<'_>) -> Built {
    const PLACES: [&str; 9] = [
        "end",
        "top",
        "bottom",
        "beginning",
        "start",
        "table",
        "file",
        "line",
        "header",
    ];
    let path = found.target("p", "noun")?;
    let list = found.written("key").to_owned();
    let item = found.text("about")?;
    let is_text = found.is_quoted("about") || plain::is_replacement(&item);
    let mut words = list.split(' ');
    let is_place = words.any(|word| PLACES.contains(&word.to_lowercase().as_str()));
    let is_prose = path.contains('.') && plain::is_prose(&path) && !path.ends_with("ignore");
    match is_text && !is_place && is_prose {
        true => wished(path, Wish::Listed { item, list }),
        false => Ok(None),
    }
}

fn side(found: &Match<'_>) -> Side {
    match ["above", "before", "over", "on top of"].contains(&found.word("side").as_str()) {
        true => Side::Before,
        false => Side::After,
    }
}

fn move_beside(found: &Match<'_>) -> Built {
    let to = Goal::Beside(side(found), found.text("beside")?);
    let about = found.text("about")?;
    wished(found.target("p", "noun")?, Wish::Move { about, to })
}

/// `move "Find an agent" to Later in todo.md`: under that heading.
fn move_under(found: &Match<'_>) -> Built {
    let heading = found.text("beside")?;
    let about = found.text("about")?;
    let are_texts = !is_file(&heading) && (found.is_quoted("about") || !is_file(&about));
    let to = Goal::Under(heading);
    match are_texts {
        true => wished(found.target("p", "noun")?, Wish::Move { about, to }),
        false => Ok(None),
    }
}

fn move_to_end(found: &Match<'_>) -> Built {
    let to = match ["end", "bottom"].contains(&found.word("end").as_str()) {
        true => Goal::End,
        false => Goal::Top,
    };
    let about = found.text("about")?;
    wished(found.target("p", "noun")?, Wish::Move { about, to })
}

fn comment(found: &Match<'_>) -> Built {
    let wish = Wish::Comment {
        text: bare(found, "c")?,
        side: side(found),
        about: found.text("about")?,
    };
    wished(found.target("p", "noun")?, wish)
}

fn first_lines(found: &Match<'_>) -> Built {
    let number = |name: &str| found.word(name).parse::<usize>().ok();
    let is_first = found.has("count") || number("from") == Some(1);
    let last = number("count").or_else(|| number("last"));
    let into = found.target("into", "into_noun")?;
    match last.filter(|_| is_first && is_file(&into)) {
        Some(to_line) => wished(found.path("p")?, Wish::FirstLines { to_line, into }),
        None => Ok(None),
    }
}

fn both(found: &Match<'_>) -> Built {
    let (path, other, into) = match found.has("p2") {
        true => ("p2", "other2", "into2"),
        false => ("p", "other", "into"),
    };
    let (path, other, into) = (found.path(path)?, found.path(other)?, found.path(into)?);
    match is_file(&other) && is_file(&into) {
        true => wished(path, Wish::Both { other, into }),
        false => Ok(None),
    }
}

impl Lines<'_> {
    /// Why an order that is nearly known is not done, with the order that does it.
    pub(super) fn nearly(&self, wish: &Wish) -> Refusal {
        let path = self.shown_path();
        match wish {
            Wish::Value { key, to } => Refusal::ambiguous(
                format!("`{key} {to}` has no verb: it may ask or order."),
                vec![
                    format!("set {key} to {to} in {path}"),
                    format!("uncomment {key} in {path} then set {key} to {to} in {path}"),
                ],
            ),
            Wish::Instead { new, old, key } => {
                let set = key
                    .as_ref()
                    .map(|key| format!("set {key} to {new} in {path}"));
                let replace = format!("replace {old} with {new} in {path}");
                Refusal::ambiguous(
                    "Whether a value or words are meant is not said.".to_owned(),
                    set.into_iter().chain([replace]).collect(),
                )
            }
            Wish::Word { word, key } => self.with_one_more(word, key),
            Wish::Listed { item, list } => self.listed_under(item, list),
            Wish::Move { about, to } => self.moved(about, to).unwrap_or_else(|unclear| unclear),
            Wish::Comment { text, side, about } => self.commented(text, *side, about),
            Wish::FirstLines { to_line, into } => self.first_lines(*to_line, into),
            Wish::Title { to } => self.titled(to),
            Wish::Key { name, to } => {
                let why = format!("Where `{name}` is to stand in {} is not said.", self.path);
                let (name, to) = (in_quotes(name), in_quotes(to));
                Refusal::ambiguous(why, vec![format!("add {name}: {to} to {path}")])
            }
            Wish::Both { other, into } => {
                let (other, into) = (typed_path(other), typed_path(into));
                let order = format!("copy {path} to {into} then append {other} to {into}");
                Refusal::ambiguous(
                    "Two files do not become one in one step.".to_owned(),
                    vec![order],
                )
            }
        }
    }

    fn with_one_more(&self, word: &str, key: &str) -> Refusal {
        let path = self.shown_path();
        let Some(value) = self.key_named(key) else {
            return self.absent(&format!("no one line that sets `{key}`"));
        };
        let is = self.text[value.place.clone()].trim();
        let why = format!("`{key}` of {} is `{is}`, and no list.", self.path);
        Refusal::ambiguous(why, vec![format!("set {key} to {is} {word} in {path}")])
    }

    fn titled(&self, to: &str) -> Refusal {
        let mut titles = self.text.lines().filter_map(|line| line.strip_prefix("# "));
        let only = titles.next().filter(|_| titles.next().is_none());
        let Some(is) = only else {
            return self.absent("not one title (`# …`)");
        };
        let why = format!("The title of {} is its first heading.", self.path);
        let (is, to) = (in_quotes(is.trim()), in_quotes(to));
        let order = format!("change the heading {is} to {to} in {}", self.shown_path());
        Refusal::ambiguous(why, vec![order])
    }

    fn number_at(&self, at: usize) -> usize {
        self.text[..at].matches('\n').count() + 1
    }

    fn moved(&self, about: &str, to: &Goal) -> Result<Refusal, Refusal> {
        let line = self.only_about(about)?;
        let path = self.shown_path();
        let text = in_quotes(&self.text[line.clone()]);
        let remove = format!("remove line {} of {path}", self.number_at(line.start));
        let insert = match to {
            Goal::End => format!("append {text} to {path}"),
            Goal::Under(heading) => {
                self.only_heading(heading)?;
                let heading = in_quotes(heading);
                format!("add a line under the heading {heading} in {path}: {text}")
            }
            // A heading has its lines below it.
            Goal::Beside(Side::After, heading) if self.only_heading(heading).is_ok() => {
                let heading = in_quotes(heading);
                format!("add a line under the heading {heading} in {path}: {text}")
            }
            Goal::Beside(side, beside) => {
                self.only_about(beside)?;
                let side = match side {
                    Side::Before => "before",
                    Side::After => "after",
                };
                format!(
                    "insert {text} {side} the line about {} in {path}",
                    in_quotes(beside)
                )
            }
            Goal::Top => match self.first_like(&self.text[line]) {
                Some(first) => {
                    let first = in_quotes(first.trim_start_matches(BULLETS));
                    format!("insert {text} before the line about {first} in {path}")
                }
                None => format!("insert {text} at the top of {path}"),
            },
        };
        let why = format!("I move no line of {} in one step.", self.path);
        Ok(Refusal::ambiguous(
            why,
            vec![format!("{remove} then {insert}")],
        ))
    }

    /// The first item of a list, where a line is another; else the first line.
    fn first_like(&self, line: &str) -> Option<&str> {
        let sign = line.trim_start().chars().next();
        let sign = sign.filter(|sign| "-*+".contains(*sign));
        let mut lines = self.text.lines().filter(|other| !other.trim().is_empty());
        let is_like = |other: &&str| sign.is_none_or(|sign| other.trim_start().starts_with(sign));
        lines.find(is_like).filter(|other| *other != line)
    }

    fn commented(&self, text: &str, side: Side, about: &str) -> Refusal {
        let path = self.shown_path();
        let Some(mark) = self.comment_mark() else {
            return self.absent("no comments that I know");
        };
        let text = match text.starts_with(mark) {
            true => text.to_owned(),
            false => format!("{mark} {text}"),
        };
        let side = match side {
            Side::Before => "before",
            Side::After => "after",
        };
        let why =
            "With which sign a comment is written I do not choose: the text is the whole line.";
        let (text, about) = (in_quotes(&text), in_quotes(about));
        let order = format!("insert {text} {side} the line about {about} in {path}");
        Refusal::ambiguous(why.to_owned(), vec![order])
    }

    fn first_lines(&self, to_line: usize, into: &str) -> Refusal {
        let (path, into) = (self.shown_path(), typed_path(into));
        let last = self.lines().count();
        let why = format!("I make no file of a part of {}.", self.path);
        let first = to_line + 1;
        let copy = format!("copy {path} to {into}");
        let order = match first.cmp(&last) {
            Ordering::Less => format!("{copy} then remove lines {first} to {last} of {into}"),
            Ordering::Equal => format!("{copy} then remove line {last} of {into}"),
            Ordering::Greater => copy,
        };
        Refusal::ambiguous(why, vec![order])
    }
}

/// What an item of a list begins with.
const BULLETS: [char; 8] = ['-', '*', '+', ' ', '[', ']', 'x', 'X'];
