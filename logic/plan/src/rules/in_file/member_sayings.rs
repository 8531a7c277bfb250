//! What people say of keys, items and names: `add the script "lint": "eslint ." to package.json`, `remove "DOM"
//! from lib in tsconfig.json`, `rename hello to greet in main.rs`.

use super::asked::{Asked, InFile, Meant, Place};
use super::lines::Lines;
use super::members::Member;
use super::packages;
use super::saying::{Built, Saying, bare, is_list, new_value};
use super::sections;
use super::written;
use crate::rules::building::Match;
use crate::rules::plain;
use crate::rules::words::is_file;

/// A section as orders name it, behind a word such as `to`.
const SECTION: &str = r"(?:(?:the )?(?:section |table |block )?\[[^\[\]]+\](?: section| table| block)?|(?:the )?(?:section|table|block) \S+|(?:the )?\S+ (?:section|table|block))";

/// The parts of the sayings by name.
pub(super) const PARTS: [(&str, &str); 1] = [("{SECTION}", SECTION)];

pub(super) static SAYINGS: [Saying; 14] = [
    (
        r"(?:add|insert|create) (?:the |an? )?(?:new )?(?:(?P<kind>[\w-]+(?: [\w-]+)?) )?{text:key} ?(?:=|:|(?P<with>with(?: (?:the )?value)?|set to)) ?{text:to}(?: (?:to|in|into|below|under) (?P<section>{SECTION}))? (?:to|in|into|of) {FILE}",
        add_key,
    ),
    (
        r"(?:add|insert) {text:key} ?(?:=|:) ?{text:to} (?:to|in|into|below|under) (?:the )?(?P<section>\S+) (?:in|of) {FILE}",
        add_key,
    ),
    (
        r"(?:add|append) (?:the |an? )?(?:new )?{text:item} to (?:the )?(?:list (?:of )?)?{text:list} (?:in|of|inside) {FILE}",
        add_item,
    ),
    (
        r"(?:add|append) (?:the |an? )?(?:new )?(?P<kind>dependency|requirement) (?:on )?{text:item} (?:to|in) {FILE}",
        add_package,
    ),
    (
        r"{REMOVES} (?:the )?{text:item} (?:from|in|of|out of) (?:the )?(?:list (?:of )?)?{text:list} (?:in|of|from) {FILE}",
        remove_member,
    ),
    (
        r"{REMOVES} {text:item} (?P<section>(?:from|in|of) {SECTION}) (?:in|of|from) {FILE}",
        remove_member,
    ),
    (
        r"unset (?:the )?(?:(?:variable|key|setting|option) )?{text:key} (?:in|from|of) {FILE}",
        unset,
    ),
    (
        r"rename (?:the )?(?:(?P<kind>[\w-]+) )?{tok:key} (?:to|into|as) {tok:to} (?:in|inside|within|throughout) {FILE}",
        rename,
    ),
    (
        r"change the name of (?:the )?(?:(?P<kind>[\w-]+) )?{tok:key} to {tok:to} (?:in|inside|within|throughout) {FILE}",
        rename,
    ),
    (
        r"{SETS} (?:the )?{tok:key} (?:from )?{tok:from} (?:to|into) {tok:to} (?:in|of) {FILE}",
        set_word,
    ),
    (
        r"{SETS} (?:the )?{text:key} (?:from )?(?P<from>\d\S*) (?:to|into) {tok:to} (?:in|of) {FILE}",
        set_number,
    ),
    (
        r"(?:add|append|insert) (?:an? |the |another )?(?:new )?(?:row|record)(?: for| with| of| saying)?:? {text:cells} (?:to|in|into|at the end of) {FILE}",
        add_row,
    ),
    (
        r"(?:(?:turn|switch) )?(?P<state>on|off|enable|activate|disable|deactivate) (?:the )?{text:key} (?:in|of) {FILE}",
        switch,
    ),
    (
        r"(?:turn|switch) (?:the )?{text:key} (?P<state>on|off) (?:in|of) {FILE}",
        switch,
    ),
];

fn ending_of(path: &str) -> String {
    Lines { path, text: "" }.ending()
}

/// Whether a file sets values by names, each on a line of its own or within brackets.
fn is_of_settings(path: &str) -> bool {
    sections::are_known(&ending_of(path)) && is_file(path)
}

/// Kinds of keys that name no section.
const KEYS: [&str; 5] = ["key", "setting", "option", "variable", "value"];

/// Words for a text or a place of a file, which are no sections.
const PLACES: [&str; 12] = [
    "line",
    "text",
    "entry",
    "row",
    "word",
    "comment",
    "end",
    "bottom",
    "top",
    "start",
    "beginning",
    "file",
];

/// The name of a section, without the words and brackets around it: of `the [server] section`.
fn section_named(said: &str) -> String {
    let is_name = |word: &&str| !["the", "section", "table", "block"].contains(word);
    let words: Vec<&str> = said.split_whitespace().filter(is_name).collect();
    words.join(" ").trim_matches(['[', ']']).to_owned()
}

/// `add the key port = 80 to [server] in a.toml`, `add the script "lint": "eslint ." to package.json`.
fn add_key(found: &Match<'_>) -> Built {
    let path = found.target("p", "noun")?;
    let (key, kind) = (found.text("key")?, found.word("kind"));
    let is_of_kind = !kind.is_empty() && !KEYS.contains(&kind.as_str());
    let section = match found.has("section") || !is_of_kind {
        true => section_named(found.written("section")),
        false => kind.replace(' ', "-"),
    };
    // `add milk with honey to a.toml` says of no kind what it is.
    let is_said = !found.has("with") || !kind.is_empty();
    let to = new_value(found)?;
    let is_value = found.is_quoted("to") || !to.contains(char::is_whitespace) || is_list(&to);
    let is_place = PLACES.contains(&kind.as_str()) || PLACES.contains(&section.as_str());
    let is_yaml = ["yaml", "yml"].contains(&ending_of(&path).as_str());
    // In YAML `8080:80` is one text, which a list may have.
    let is_one_text =
        is_yaml && kind.is_empty() && found.captures[0].contains(&format!("{key}:{to}"));
    let is_clear = is_of_settings(&path)
        && !is_place
        && is_said
        && !is_one_text
        && is_value
        && !key.contains(char::is_whitespace)
        // `rich>=13` is a package with its version.
        && !key.ends_with(['<', '>', '=', '~', '!'])
        && !to.starts_with('=')
        && !plain::joins(&key.to_lowercase());
    let asked = Asked::AddKey {
        key: match section.is_empty() {
            true => key,
            false => format!("{key} in [{section}]"),
        },
        is_quoted: found.is_quoted("to"),
        to,
        is_of_a_key: KEYS.contains(&kind.as_str()),
    };
    Ok(is_clear.then_some((path, asked)))
}

fn add_item(found: &Match<'_>) -> Built {
    let path = found.target("p", "noun")?;
    let raw = found.written("item");
    // `the feature "net"`.
    let (item, is_quoted) = match found.text("item") {
        Ok(item) => (item, found.is_quoted("item")),
        Err(mixed) => match raw.split_once(' ') {
            Some((kind, rest)) => match found.request.piece(rest) {
                Some(piece) => (format!("{kind} {}", piece.text), false),
                None => return Err(mixed),
            },
            None => return Err(mixed),
        },
    };
    let list = found.text("list")?;
    let has_data = ["json", "toml", "yaml", "yml"].contains(&ending_of(&path).as_str());
    let is_clear = has_data && list.split_whitespace().count() <= 5;
    let asked = Asked::AddItem {
        item,
        is_quoted,
        list,
    };
    Ok(is_clear.then_some((path, asked)))
}

/// `add the dependency rich>=13 to pyproject.toml`, whose list has that name.
fn add_package(found: &Match<'_>) -> Built {
    let path = found.target("p", "noun")?;
    let (item, is_quoted) = (found.text("item")?, found.is_quoted("item"));
    let item = packages::without_spaces(&item).unwrap_or(item);
    let is_one = is_quoted || !item.contains(char::is_whitespace);
    let asked = Asked::AddItem {
        item,
        is_quoted,
        list: found.word("kind"),
    };
    Ok((is_one && ["toml", "json"].contains(&ending_of(&path).as_str())).then_some((path, asked)))
}

fn remove_member(found: &Match<'_>) -> Built {
    let path = found.target("p", "noun")?;
    let of = match found.has("list") {
        true => found.text("list")?,
        false => {
            let said = found.written("section");
            said.split_once(' ').map_or("", |(_, of)| of).to_owned()
        }
    };
    let name = found.request.whole(found.written("item"));
    let name = name.replace('"', "");
    let places = ["line", "lines", "row", "entry", "text", "word"];
    let is_of_lines = name.split_whitespace().any(|word| places.contains(&word));
    let is_clear = is_of_settings(&path) && !is_of_lines && name.split_whitespace().count() <= 3;
    Ok(is_clear.then_some((path, Asked::RemoveMember(Member { name, of }))))
}

/// `unset DEBUG in app.env`: what sets it goes.
fn unset(found: &Match<'_>) -> Built {
    let (path, text) = (found.target("p", "noun")?, bare(found, "key")?);
    let is_clear = is_of_settings(&path) && !text.contains(char::is_whitespace);
    Ok(is_clear.then_some((path, Asked::RemoveItem { text })))
}

/// `rename hello to greet in main.rs`: a name in code, where one in quotes is a text, or a key of settings.
fn rename(found: &Match<'_>) -> Built {
    let path = found.target("p", "noun")?;
    let ending = ending_of(&path);
    let (name, to) = (found.text("key")?, bare(found, "to")?);
    let kind = found.word("kind");
    let name = match (kind.as_str(), written::is_code(&ending)) {
        ("" | "key" | "setting" | "variable" | "option", _) | (_, true) => name,
        (kind, false) => format!("{kind} {name}"),
    };
    let is_text = ["heading", "title", "word", "text", "file"].contains(&kind.as_str());
    let is_code = written::is_code(&ending) && !found.is_quoted("key");
    let is_clear = !is_text && (is_code || is_of_settings(&path));
    Ok(is_clear.then_some((path, Asked::Rename { name, to })))
}

/// `add a row for delta, 4, yes to table.md`. Of a text that has no table, a row is a line.
fn add_row(found: &Match<'_>) -> Built {
    let path = found.target("p", "noun")?;
    let cells = match found.is_quoted("cells") {
        true => found.text("cells")?,
        false => found.request.whole(found.written("cells")),
    };
    let is_table = ["csv", "tsv", "md", "markdown"].contains(&ending_of(&path).as_str());
    Ok(is_table.then_some((path, Asked::AddRow { cells })))
}

/// `change image nginx:1.25 to nginx:1.26 in compose.yml`. Without a sign in it a word may be of a text, or
/// the second one of a name.
fn set_word(found: &Match<'_>) -> Built {
    let (path, from) = (found.target("p", "noun")?, found.text("from")?);
    let has_sign =
        from.contains([':', '/', '.', '@', '^', '~']) && from.contains(char::is_alphabetic);
    let asked = Asked::Set {
        key: found.text("key")?,
        to: bare(found, "to")?,
        is_quoted: found.is_quoted("to"),
        from: Some(from),
        meant: Meant::Value,
    };
    Ok((has_sign && is_of_settings(&path)).then_some((path, asked)))
}

/// `turn strict on in tsconfig.json`, `disable DEBUG in app.env`.
fn switch(found: &Match<'_>) -> Built {
    let (path, key) = (found.target("p", "noun")?, bare(found, "key")?);
    let is_on = ["on", "enable", "activate"].contains(&found.word("state").as_str());
    let is_clear = key.split_whitespace().count() <= 6 && !plain::is_prose(&path);
    Ok(is_clear.then_some((path, Asked::Switch { key, is_on })))
}

/// `change port 8080 to 9090 in compose.yml`.
fn set_number(found: &Match<'_>) -> Built {
    let path = found.target("p", "noun")?;
    let key = found.text("key")?;
    let to = bare(found, "to")?;
    let is_number = to.starts_with(|c: char| c.is_ascii_digit());
    let is_name = !["line", "lines", "column", "columns", "row", "rows"]
        .contains(&key.to_lowercase().as_str());
    let is_clear = is_number && is_name && key.split_whitespace().count() <= 3;
    let asked = Asked::Set {
        key,
        from: Some(found.word("from")),
        to,
        is_quoted: false,
        meant: Meant::Value,
    };
    Ok(is_clear.then_some((path, asked)))
}

impl InFile {
    /// Whether a plan that needs no reading does as well, where the file does not have what this asks for.
    pub(super) fn may_be_literal(asked: &Asked) -> bool {
        let is_number = |text: &str| text.starts_with(|c: char| c.is_ascii_digit());
        match asked {
            Asked::Set { from, .. } => !from.as_deref().is_some_and(is_number),
            Asked::Rename { .. } | Asked::AddRow { .. } => true,
            Asked::Insert { place, .. } => {
                matches!(place, Place::Top | Place::Lines { from: 1, to: 1 })
            }
            _ => false,
        }
    }
}
