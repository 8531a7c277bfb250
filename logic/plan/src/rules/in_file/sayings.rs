//! What people say when they order something of a text.

use super::asked::{Asked, Form, InFile, Meant};
use super::items;
use super::keys;
use super::lines::Lines;
use super::saying::{Build, Built, Saying, bare, is_list, new_value};
use super::written;
use super::{columns, list_sayings, member_sayings, nearly, placed, sorted, stated};
use crate::rules::building::Match;
use crate::rules::destination::{Destination, destination};
use crate::rules::grammar::expand;
use crate::rules::lazy_pattern::LazyPattern;
use crate::rules::plain;
use crate::rules::reasons;
use crate::rules::refusal::Refusal;
use crate::rules::words::{Request, Step, is_file};
use std::sync::LazyLock;

/// Most words of what names a value.
const KEY_WORDS: usize = 4;
/// Most words beside them that name its section: `in the database section`.
const SECTION_WORDS: usize = 6;

const FILE: &str = r"(?:the )?(?P<noun>file )?{tok:p}";
const INTO: &str = r"(?:a |the )?(?:new )?(?P<into_noun>file )?{called}{tok:into}";
const SETS: &str = r"(?P<sets>change|set|update|edit|switch|adjust|make|bump|upgrade|downgrade|raise|lower|increase|decrease|fix|correct|turn)";
const KEY: &str = r"(?P<article>the |its )?(?P<value>value of (?:the )?)?{text:key}";
const COPIES: &str = r"(?:copy|duplicate|clone|(?P<backup>back ?up)|(?:make|create) (?:a |an )?(?:copy|duplicate|(?P<backup2>backup)(?: copy)?) of)";
const COPY_INTO: &str = r",? (?:and )?(?:(?:call|name) (?:it|that|the copy)|(?:(?:save|put|store|keep) (?:it|that|the copy) )?(?:to|as|into|in|called|named)) (?:a |the )?(?:new )?(?P<into_noun>file |(?P<folder>folder |directory ))?{called}{tok:into}(?P<folder2> folder| directory)?";
const REMOVES: &str = r"(?:delete|remove|erase|drop|strike|cross out|take out|cut)";
const LINES: &str = r"(?:the |an? |all (?:of )?(?:the )?|every |any )*(?P<line>line|entry|row|item|bullet|lines|entries|rows|items|bullets) (?:about|with|containing|mentioning|saying|for|on|(?:that|which) (?:contains?|mentions?|says?|has|have|is about|are about)) (?:the (?:word |text )?)?{text:about}";
const FORM: &str = r"(?:an? )?(?:valid )?(?P<form>json|markdown|csv)(?: (?:file|list|array|table|document|format))?";

const SECTION: &str = r"(?P<section>(?:in|below|under|inside|within) (?:(?:the )?(?:section |table |block )?\[[^\[\]]+\](?: section| table| block)?|(?:the )?(?:section|table|block) \S+|(?:the )?\S+ (?:section|table|block)|(?:the )?top[- ]level))";

static SAYINGS: [Saying; 25] = [
    (r"{COPIES} {FILE}(?:{COPY_INTO})?", copy),
    (
        r"(?:append|add|attach) (?P<text>(?:all of )?(?:the )?(?:whole |entire )?(?:contents?|text) (?:of|from|in) )?{FILE} (?:to|onto|at) (?:(?:the )?(?:very )?(?:end|bottom) of )?(?:the )?(?P<into_noun>file )?{tok:into}",
        add_file,
    ),
    (
        r"{SETS} {KEY} (?:in|of|inside) {FILE} (?:from {text:from} )?(?:to|into) {text:to}",
        set,
    ),
    (
        r"in {FILE},? {SETS} {KEY} (?:from {text:from} )?(?:to|into) {text:to}",
        set,
    ),
    (
        r"{SETS} {KEY} (?:from {text:from} )?to {text:to} in {FILE}",
        set,
    ),
    (
        r"{SETS} {KEY} (?:from {text:from} )?to {text:to} {IN_SECTION} (?:in|of) {FILE}",
        set,
    ),
    (
        r"(?P<sets>set) (?P<article>the )?(?P<key>[\w.-]+) ?= ?{text:to}(?: {IN_SECTION})? (?:in|of) {FILE}",
        set,
    ),
    (
        r"(?P<sets>set) (?P<article>the )?(?P<key>[\w.-]+) (?P<to>\S*\d\S*|true|false|yes|no|on|off)(?: {IN_SECTION})? (?:in|of) {FILE}",
        set,
    ),
    (
        r"comment out (?:the )?{text:about} (?P<words>line|entry|row|job) (?:in|of) {FILE}",
        comment_out,
    ),
    (
        r"comment out (?:the )?(?:(?:line|entry|row|setting|block|section) )?(?:(?P<words>about|with|containing|that has) )?(?:for )?(?:the )?{text:about} (?:in|of) {FILE}",
        comment_out,
    ),
    (
        r"uncomment (?:the )?(?:(?:line|entry|setting) )?(?:(?:about|with|containing|for) )?(?:the )?{text:key} (?:in|of) {FILE}",
        uncomment,
    ),
    (r"{REMOVES} {LINES} (?:from|in|of|out of) {FILE}", remove),
    (r"(?:in|from) {FILE},? {REMOVES} {LINES}", remove),
    (
        r"{REMOVES} (?:the |an? |all (?:of )?(?:the )?|every |any )*(?P<line>line|entry|row|item|bullet|lines|entries|rows|items|bullets) {text:about} (?:from|in|of|out of) {FILE}",
        remove_quoted,
    ),
    (
        r"{REMOVES} (?:the )?(?:exact )?(?:sentence|sentences|passage|paragraph) {text:about} (?:from|in|of|out of) {FILE}",
        remove_sentence,
    ),
    (
        r"{REMOVES} {text:about} (?:from|in|of|out of) {FILE}",
        remove_text,
    ),
    (r"(?:in|from) {FILE},? {REMOVES} {text:about}", remove_text),
    (
        r"(?:read|take|find|get|look up) {KEY} (?:in|from|of) {FILE},? and (?:write|save|put|store) (?:it|that|this|the value) (?:to|into|in) {INTO}",
        copy_value,
    ),
    (
        r"(?:write|save|put|store) {KEY} (?:in|from|of) {FILE} (?:to|into) {INTO}",
        copy_value,
    ),
    (
        r"(?:convert|turn|transform|export|rewrite) {FILE} (?:in)?to {FORM},? (?:and )?(?:(?:save|write|store|put) (?:it|that|this|the result) )?(?:as|in|into|to|called|named) {INTO}(?:[:,] (?:as )?an? (?:list|array) of (?:objects|records))?",
        convert,
    ),
    (
        r"(?:convert|turn|transform|export) {FILE} (?:in)?to {FORM}",
        convert_beside,
    ),
    (
        r"(?:make|create|write|save) {FORM} (?:from|of|out of) {FILE} (?:as|in|into|to|called|named) {INTO}",
        convert,
    ),
    (
        r"(?:convert|turn|transform|export) {FILE} (?:in)?to (?:(?:an? )?(?:table|list),? (?:as|in|into|to|called|named) )?{INTO}",
        convert_by_name,
    ),
    (
        r"(?:write|put|save) (?:the )?(?:contents?|text) (?:of|from|in) {FILE} in (?:all )?(?P<letters>capital|capitals|upper ?case|small|lower ?case)(?: letters)? (?:to|into|in) {INTO}",
        letters,
    ),
    (
        r"(?:write|put|save) (?:the )?(?:contents?|text) (?:of|from|in) {FILE} (?:to|into) {INTO} in (?:all )?(?P<letters>capital|capitals|upper ?case|small|lower ?case)(?: letters)?",
        letters,
    ),
];

static PATTERNS: LazyLock<Vec<(LazyPattern, Build)>> = LazyLock::new(|| {
    let all = placed::SAYINGS.iter().chain(&list_sayings::SAYINGS);
    let all = all.chain(&member_sayings::SAYINGS);
    // `remove duplicate lines from a.txt` is of no line that says so.
    let all = all.chain(&sorted::SAYINGS).chain(&columns::SAYINGS);
    let all = all.chain(&SAYINGS).chain(&items::SAYINGS);
    // What is known goes before what is nearly known.
    let all = all.chain(&nearly::SAYINGS);
    all.map(|(says, build)| (LazyPattern::new(written_out(says)), *build))
        .collect()
});

fn written_out(says: &str) -> String {
    let mut says = says.to_owned();
    let parts = member_sayings::PARTS.into_iter().chain(placed::PARTS);
    let parts = parts.chain(items::PARTS).chain(list_sayings::PARTS);
    let parts = parts
        .chain(sorted::PARTS)
        .chain(columns::PARTS)
        .chain(nearly::PARTS);
    for (name, part) in parts.chain([
        ("{FILE}", FILE),
        ("{INTO}", INTO),
        ("{COPIES}", COPIES),
        ("{COPY_INTO}", COPY_INTO),
        ("{SETS}", SETS),
        ("{KEY}", KEY),
        ("{REMOVES}", REMOVES),
        ("{LINES}", LINES),
        ("{IN_SECTION}", SECTION),
        ("{FORM}", FORM),
    ]) {
        says = says.replace(name, part);
    }
    expand(&says)
}

/// The order of a step; `None` where no saying fits, or what it is about is not clear.
///
/// # Errors
/// Why an order of lines by where they stand is not clear.
pub(super) fn read(
    request: &Request,
    step: &Step,
    intent: String,
) -> Result<Option<InFile>, Refusal> {
    if reasons::before_rules(request, step).is_some() {
        return Ok(None);
    }
    for (at, (pattern, build)) in PATTERNS.iter().enumerate() {
        let Some(captures) = pattern.captures(&step.text) else {
            continue;
        };
        let found = Match {
            request,
            captures: &captures,
            last: None,
            is_order: |_, _| false,
        };
        match build(&found) {
            Ok(Some((path, asked))) => {
                return Ok(Some(InFile {
                    path,
                    may_be_literal: InFile::may_be_literal(&asked),
                    intent,
                    asked,
                }));
            }
            Err(refusal) if at < placed::SAYINGS.len() => return Err(refusal),
            Ok(None) | Err(_) => {}
        }
    }
    Ok(None)
}

fn set(found: &Match<'_>) -> Built {
    let from = match found.has("from") {
        true => Some(found.text("from")?),
        false => None,
    };
    let path = found.target("p", "noun")?;
    let says_value = found.word("sets") == "set" || found.has("value") || from.is_some();
    // `the age of "Smith, Jane"`.
    let key = found
        .text("key")
        .unwrap_or_else(|_| found.request.whole(found.written("key")));
    let section = found.written("section");
    let key = match section.to_lowercase().ends_with("top-level") {
        true => format!("top-level {key}"),
        false => format!("{key} {section}").trim_end().to_owned(),
    };
    let has_words = plain::is_prose(&path) && !is_of_names(&path);
    let meant = match has_words && from.is_none() {
        true if found.has("article") && stated::names_a_value(&key) => Meant::NamedValue {
            is_said: says_value,
        },
        true if !says_value => Meant::ValueOrWord,
        _ => Meant::Value,
    };
    let asked = Asked::Set {
        key: key.clone(),
        from,
        is_quoted: found.is_quoted("to"),
        to: new_value(found)?,
        meant,
    };
    // `change "name" to "title"` is of a text.
    let is_text = found.is_quoted("key") && !says_value;
    // `fix the spelling of recieve to receive` is of a word.
    // What `it` is in a file is nowhere said.
    let is_back = ["it", "that", "this", "them"].contains(&key.to_lowercase().as_str());
    let is_mending = ["fix", "correct", "turn"].contains(&found.word("sets").as_str());
    let is_named = matches!(meant, Meant::NamedValue { .. }) && !key.contains(char::is_whitespace);
    let is_clear = is_key(&key, &path) && is_one_value(found)? && !is_text;
    let is_clear = is_clear && (is_named || !is_mending) && !is_back;
    Ok(is_clear.then_some((path, asked)))
}

/// Whether a file sets names to values, though it may look like one of words by its name.
fn is_of_names(path: &str) -> bool {
    let ending = Lines { path, text: "" }.ending();
    written::is_package_list(path) || ["mk", "conf", "dockerfile"].contains(&ending.as_str())
}

fn copy(found: &Match<'_>) -> Built {
    let path = found.target("p", "noun")?;
    let is_backup = found.has("backup") || found.has("backup2");
    let into = match found.has("into") {
        true => {
            let to = found.target("into", "into_noun")?;
            let is_folder = found.has("folder") || found.has("folder2");
            let how = match is_folder || found.word("into").ends_with('/') {
                true => Destination::Folder,
                false => Destination::Unsaid,
            };
            destination(&path, &to, how)
        }
        false if is_backup => format!("{path}.bak"),
        false => return Ok(None),
    };
    Ok((is_file(&path) && into != path).then_some((path, Asked::Copy { into })))
}

/// `append notes.txt to chapter2.md`: what the file says. In quotes it is a text, and what is added to a
/// list may be a name.
fn add_file(found: &Match<'_>) -> Built {
    let is_said = found.has("text") || found.has("noun");
    let is_appended = !found.is_quoted("p") && !found.captures[0].to_lowercase().starts_with("add");
    let path = found.path("p")?;
    let into = found.target("into", "into_noun")?;
    let is_clear = is_said || (is_appended && !into.ends_with("ignore"));
    let are_files = is_file(&path) && is_file(&into) && into != path;
    Ok((is_clear && are_files).then_some((path, Asked::AddTo { into })))
}

fn comment_out(found: &Match<'_>) -> Built {
    let about = bare(found, "about")?;
    let path = found.target("p", "noun")?;
    let is_by_words = found.has("words");
    let is_one = is_by_words && !about.contains(char::is_whitespace);
    let is_clear = found.is_quoted("about") || is_one || plain::is_replacement(&about);
    Ok(is_clear.then_some((path, Asked::CommentOut { about, is_by_words })))
}

fn uncomment(found: &Match<'_>) -> Built {
    let key = bare(found, "key")?;
    // A line of a crontab begins with its time.
    let is_line = key.starts_with(|c: char| c.is_ascii_digit() || c == '*');
    let is_name = is_key(&key, "") && plain::is_replacement(&key);
    let is_clear = found.is_quoted("key") || is_name || is_line;
    let path = found.target("p", "noun")?;
    Ok(is_clear.then_some((path, Asked::Uncomment { key })))
}

fn remove(found: &Match<'_>) -> Built {
    let line = found.word("line");
    let asked = Asked::RemoveLines {
        about: found.text("about")?,
        is_many: line.ends_with('s'),
    };
    Ok(Some((found.target("p", "noun")?, asked)))
}

/// `the line "Call Ann"`; bare words may say which line in another way.
fn remove_quoted(found: &Match<'_>) -> Built {
    match found.is_quoted("about") {
        true => remove(found),
        false => remove_item(found),
    }
}

/// What stands in quotes is a text for sure; bare words may describe more than they say.
fn remove_text(found: &Match<'_>) -> Built {
    let path = found.target("p", "noun")?;
    let text = found.text("about")?;
    match found.is_quoted("about") {
        true => Ok(is_file(&path).then_some((path, Asked::RemoveText { text }))),
        false => remove_item(found),
    }
}

/// `remove the sentence "Anna cried." from novel.md`; bare words may say which one in another way.
fn remove_sentence(found: &Match<'_>) -> Built {
    match found.is_quoted("about") {
        true => remove_text(found),
        false => Ok(None),
    }
}

/// `remove milk from list.txt`: the line that says this alone.
fn remove_item(found: &Match<'_>) -> Built {
    let path = found.target("p", "noun")?;
    let text = bare(found, "about")?;
    let text = text.strip_prefix("the ").unwrap_or(&text).to_owned();
    let is_setting =
        !plain::is_prose(&path) && !text.contains(char::is_whitespace) && plain::is_word(&text);
    let is_clear = is_file(&path) && (is_setting || plain::is_replacement(&text));
    Ok(is_clear.then_some((path, Asked::RemoveItem { text })))
}

fn copy_value(found: &Match<'_>) -> Built {
    let asked = Asked::CopyValue {
        key: found.text("key")?,
        into: found.target("into", "into_noun")?,
    };
    let key = found.text("key")?;
    let of_lines = ["line", "lines", "first", "last"];
    let is_of_lines = key
        .split(' ')
        .next()
        .is_some_and(|word| of_lines.contains(&word));
    let is_key = is_key(&key, "") && !is_of_lines;
    Ok(is_key.then_some((found.path("p")?, asked)))
}

fn convert(found: &Match<'_>) -> Built {
    into_form(found, form(found))
}

/// `convert team.csv to JSON`: to the file of that name with the other ending.
fn convert_beside(found: &Match<'_>) -> Built {
    let path = found.path("p")?;
    let form = form(found);
    let ending = match form {
        Form::Json => "json",
        Form::Markdown => "md",
        Form::Csv => "csv",
    };
    let stem = path
        .rsplit_once('.')
        .map_or(path.as_str(), |(stem, _)| stem);
    let into = format!("{stem}.{ending}");
    let is_clear = is_file(&path) && into != path;
    Ok(is_clear.then_some((path, Asked::Convert { form, into })))
}

fn form(found: &Match<'_>) -> Form {
    match found.word("form").as_str() {
        "json" => Form::Json,
        "markdown" => Form::Markdown,
        _ => Form::Csv,
    }
}

fn convert_by_name(found: &Match<'_>) -> Built {
    let into = found.target("into", "into_noun")?;
    let ending = into
        .rsplit_once('.')
        .map(|(_, ending)| ending.to_lowercase());
    match ending.as_deref() {
        Some("json") => into_form(found, Form::Json),
        Some("md" | "markdown") => into_form(found, Form::Markdown),
        Some("csv") => into_form(found, Form::Csv),
        _ => Ok(None),
    }
}

fn into_form(found: &Match<'_>, form: Form) -> Built {
    let into = found.target("into", "into_noun")?;
    Ok(Some((found.path("p")?, Asked::Convert { form, into })))
}

fn letters(found: &Match<'_>) -> Built {
    let says = found.word("letters");
    let asked = Asked::Letters {
        are_capital: says.starts_with("capital") || says.starts_with("upper"),
        into: found.target("into", "into_noun")?,
    };
    Ok(Some((found.path("p")?, asked)))
}

/// Whether what names a value is short enough to be a name.
fn is_key(key: &str, path: &str) -> bool {
    let is_of_one = match plain::is_prose(path) {
        true => key.contains(" row "),
        false => [" of ", " for ", " in "].iter().any(|of| key.contains(of)),
    };
    let most = match is_of_one || keys::names_a_section(key) {
        true => KEY_WORDS + SECTION_WORDS,
        false => KEY_WORDS,
    };
    (1..=most).contains(&key.split_whitespace().count())
}

/// Whether the new value is in quotes, one word, or words that are beyond doubt a value.
fn is_one_value(found: &Match<'_>) -> Result<bool, Refusal> {
    let text = new_value(found)?;
    if is_list(&text) {
        return Ok(true);
    }
    // In settings `no`, `on` and `off` are values like others.
    let is_switch = || ["no", "on", "off", "all"].contains(&text.to_lowercase().as_str());
    let is_setting = || found.path("p").is_ok_and(|path| !plain::is_prose(&path));
    let is_one = !text.contains(char::is_whitespace) && plain::is_word(&text)
        || (is_switch() && is_setting());
    Ok(found.is_quoted("to") || is_one || plain::is_replacement(&text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_saying_compiles() {
        assert!(PATTERNS.len() > 100);
        for (pattern, _) in PATTERNS.iter() {
            assert!(pattern.compiles(), "{pattern:?}");
        }
    }
}
