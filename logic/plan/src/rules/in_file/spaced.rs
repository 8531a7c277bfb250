//! Settings in other forms than `key = value`: `listen 80;` and `Port 22`, `key:` without a value, and those
//! that only a comment has, such as `# port = 80`.

use super::comments;
use super::lines::Lines;
use super::sections;
use super::value::{NewValue, Value, typed};
use super::written::{self, is_literal, is_number, is_version, name_of};
use crate::names;
use crate::quoted::in_quotes;
use crate::rules::plain;
use crate::rules::refusal::{Note, Offer, Refusal};
use crate::rules::words::pattern;
use regex::Regex;
use std::sync::LazyLock;

/// Most lines that a refusal shows, and characters of each.
const SHOWN_LINES: usize = 4;
const SHOWN_CHARS: usize = 60;

/// A line that sets a value by a sign, in a file in which then none is set by a space.
static BY_SIGN: LazyLock<Option<Regex>> = LazyLock::new(|| pattern(r"(?m)^[ \t]*[\w.-]+[ \t]*="));

/// Whether a file without an ending, or with one of texts, holds settings by its name: `sshd_config`,
/// `Makefile`, `.bashrc`.
fn is_named_as_settings(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path).to_lowercase();
    !name.contains('.') && (name.ends_with("config") || name.ends_with("file"))
        || name.ends_with("rc")
}

/// A line that has the name of a value, and sets none.
#[derive(Debug)]
pub(super) struct Mention {
    /// The line, counted from 1.
    pub(super) number: usize,
    pub(super) line: String,
    pub(super) name: String,
    /// Whether it is a comment; else it only lacks a value.
    pub(super) is_comment: bool,
    /// The line up to its value, as one that is no comment.
    before: String,
}

impl Lines<'_> {
    /// Values that stand behind the name and a space, in files such as those of nginx, ssh and Apache.
    pub(super) fn spaced_values_of(&self, key: &str) -> Vec<Value> {
        let ending = self.ending();
        let line = pattern(&format!(
            concat!(
                r#"(?im)(?P<lead>^[ \t]*|[;{{}}][ \t]+)(?P<key>{})[ \t]+"#,
                r#"(?:"(?P<d>[^"\n]*)"|'(?P<s>[^'\n]*)'|(?P<b>[^\s"'=:{{#;][^\n;{{}}]*?))"#,
                r#"[ \t]*(?:(?P<end>;)|(?:#[^\n]*)?\r?$)"#,
            ),
            // `password authentication` is `PasswordAuthentication`.
            key.replace(r"[\s_-]+", r"[\s_-]*")
        ));
        let Some(line) = line.filter(|_| ending == "conf") else {
            return Vec::new();
        };
        let has_signs = BY_SIGN.as_ref().is_some_and(|it| it.is_match(self.text));
        let mut values = Vec::new();
        let mut at = 0;
        while let Some(found) = line.captures_at(self.text, at) {
            let quoted = [("d", Some('"')), ("s", Some('\'')), ("b", None)];
            let value = quoted
                .into_iter()
                .find_map(|(name, quote)| Some((found.name(name)?, quote)));
            let Some((value, quote)) = value else { break };
            // The semicolon that ends it is before the next one on its line.
            at = value.end() + usize::from(quote.is_some());
            let is_ended = found.name("end").is_some();
            let is_pair = quote.is_none() && value.as_str().contains(" = ");
            let lead = found.name("lead").map_or("", |lead| lead.as_str());
            let is_first = lead.trim().is_empty();
            let line = &self.text[..found.get(0).map_or(0, |all| all.start())];
            let line = line.rsplit('\n').next().unwrap_or_default();
            let is_comment = !is_first && line.contains('#');
            if is_pair || is_comment || ((has_signs || !is_first) && !is_ended) {
                continue;
            }
            let mut path = sections::around(&ending, self.text, value.start());
            path.push(found["key"].to_owned());
            values.push(Value {
                place: value.range(),
                quote,
                path,
            });
        }
        values
    }

    /// The lines that have the name of a value and set none.
    pub(super) fn mentions(&self, key: &str) -> Vec<Mention> {
        self.mentions_of(&name_of(key))
    }

    /// The lines that have a name and set no value of it. `key`: a pattern.
    pub(super) fn mentions_of(&self, key: &str) -> Vec<Mention> {
        if plain::is_prose(self.path) && !is_named_as_settings(self.path) {
            return Vec::new();
        }
        let spaced = match self.ending().as_str() {
            "conf" => r"|[ \t]+[^\s=:]+[ \t]*;?[ \t]*$",
            _ => "",
        };
        let forms = [
            (
                true,
                format!(
                    r#"(?i)^(?P<in>[ \t]*)(?:#|//|;|--)[ \t]?(?P<rest>[ \t]*["']?(?P<key>{key})["']?(?:[ \t]*[:=][ \t]*(?:\S|$){spaced}))"#
                ),
            ),
            (
                false,
                format!(
                    r#"(?i)^(?P<in>[ \t]*)(?P<rest>["']?(?P<key>{key})["']?[ \t]*[:=][ \t]*)$"#
                ),
            ),
        ];
        let forms = forms.map(|(is_comment, form)| (is_comment, pattern(&form)));
        let lines: Vec<&str> = self.text.lines().collect();
        let depth = |line: &str| line.len() - line.trim_start().len();
        let mut found = Vec::new();
        for (at, line) in lines.iter().enumerate() {
            let line = line.trim_end();
            for (is_comment, form) in &forms {
                let Some(captures) = form.as_ref().and_then(|form| form.captures(line)) else {
                    continue;
                };
                let below = lines[at + 1..].iter().find(|line| !line.trim().is_empty());
                let opens = below.is_some_and(|below| {
                    depth(below) > depth(line) || below.trim_start().starts_with("- ")
                });
                if !is_comment && opens {
                    continue;
                }
                let (name, rest) = (&captures["key"], &captures["rest"]);
                let name_end = rest.find(name).unwrap_or_default() + name.len();
                let signs = |c: char| c.is_whitespace() || "\"':=".contains(c);
                let behind = &rest[name_end..];
                let gap = behind.len() - behind.trim_start_matches(signs).len();
                let gap = behind[..gap].trim_end_matches(['"', '\'']);
                found.push(Mention {
                    number: at + 1,
                    line: line.trim().to_owned(),
                    name: name.to_owned(),
                    is_comment: *is_comment,
                    before: format!("{}{}{gap}", &captures["in"], rest[..name_end].trim_start()),
                });
            }
        }
        found
    }

    /// The only value in settings that is named by the last of several words: `level` of `log level`.
    fn by_last_word(&self, key: &str) -> Option<Value> {
        let (_, last) = key.trim().rsplit_once(' ')?;
        let is_settings = sections::are_known(&self.ending());
        let mut values = self.values(last).into_iter().filter(|_| is_settings);
        values.next().filter(|_| values.next().is_none())
    }

    /// What is said where no line sets a value: which lines have its name all the same. `to`: what it is to
    /// be.
    pub(super) fn not_set(&self, key: &str, to: Option<NewValue<'_>>) -> Refusal {
        if let Some(refusal) = self.only_in_a_text(key) {
            return refusal;
        }
        let mentions = self.mentions(key);
        let path = self.path;
        let tagged = to.and_then(|(to, _)| self.tag_order(key, to));
        if let (Some(order), true) = (tagged, mentions.is_empty()) {
            let why =
                format!("{path} has no line that sets `{key}`, and has its version in a line.");
            return Refusal::absent(why, vec![order]);
        }
        let Some(first) = mentions.first() else {
            if let Some(near) = self.near_name(key) {
                let why = format!("{path} has no line that sets `{key}`. Did you mean `{near}`?");
                let values: Vec<Value> = self.values(&near);
                return self.offered(Refusal::absent(why, Vec::new()), &values, to);
            }
            if let Some(value) = self.by_last_word(key) {
                let is = value.dotted();
                let why = format!("{path} has no line that sets `{key}`. Did you mean `{is}`?");
                return self.offered(Refusal::absent(why, Vec::new()), &[value], to);
            }
            let absent = self.absent(&format!("no line that sets `{key}`"));
            let offer = self.within(&name_of(key), to.map(|(to, _)| to));
            return match offer.or_else(|| self.addition_offer(key, to?)) {
                Some(offer) => Refusal {
                    nearest: Vec::new(),
                    ..absent
                }
                .offering(vec![offer]),
                None => absent,
            };
        };
        let shown = mentions.iter().take(SHOWN_LINES).map(|mention| {
            let line: String = mention.line.chars().take(SHOWN_CHARS).collect();
            let what = match mention.is_comment {
                true => "a comment in line",
                false => "a line without a value, line",
            };
            format!("{what} {} (`{line}`)", mention.number)
        });
        let shown: Vec<String> = shown.collect();
        let why = format!(
            "{path} has no line that sets `{key}`; it has that name in {}.",
            shown.join(", and in ")
        );
        let only = to.filter(|_| mentions.len() == 1);
        match only.and_then(|to| self.offer_of(key, first, to)) {
            Some(offer) => Refusal::absent(why, Vec::new()).offering(vec![offer]),
            None => Refusal::absent(why, vec![format!("show {}", self.shown_path())]),
        }
    }

    /// The name of a value that one was misspelt for.
    fn near_name(&self, key: &str) -> Option<String> {
        if !sections::are_known(&self.ending()) {
            return None;
        }
        let values = self.values_of(r"[\w-]+").into_iter();
        let names: Vec<String> = values
            .filter_map(|value| value.path.last().cloned())
            .collect();
        names::nearest(names.iter().map(String::as_str), key).map(str::to_owned)
    }

    /// The order that sets a name in a line that only has it: as the line sets it once it is no comment.
    fn offer_of(&self, key: &str, mention: &Mention, to: NewValue<'_>) -> Option<Offer> {
        let line = self.lines().nth(mention.number - 1)?;
        let bare = match mention.is_comment {
            true => comments::without_mark(&self.text[line.clone()]),
            false => {
                let gap = match mention.before.ends_with([' ', '=', '\t']) {
                    true => "",
                    false => " ",
                };
                let to = written::bare(&self.ending(), to.0, to.1).ok()?;
                let text = format!("{}{gap}{to}", mention.before);
                return Some(self.rewrite_offer(mention.number, line, &text));
            }
        };
        let text = format!(
            "{}{bare}{}",
            &self.text[..line.start],
            &self.text[line.end..]
        );
        let lines = Lines {
            path: self.path,
            text: &text,
        };
        let is_there = |value: &Value| lines.number_of(value) == mention.number;
        let value = lines.values(key).into_iter().find(is_there)?;
        let (place, written) = lines.fit(&value, to).ok()?;
        let (before, after) = (
            text.get(line.start..place.start)?,
            bare.get(place.end - line.start..)?,
        );
        let mut offer =
            self.rewrite_offer(mention.number, line, &format!("{before}{written}{after}"));
        if bare.contains('\t') {
            let (path, to) = (self.shown_path(), typed(to.0, to.1));
            let order = format!("uncomment {key} in {path} then set {key} to {to} in {path}");
            offer.forms.insert(0, order);
        }
        Some(offer)
    }

    /// Refuses the replacement of words that name a value here, in a form that is not read, or that stand in
    /// a comment.
    pub(super) fn is_no_name(&self, words: &str, to: &str) -> Result<(), Refusal> {
        let name = regex::escape(words);
        let is_settings = !plain::is_prose(self.path) || is_named_as_settings(self.path);
        // In YAML a colon without a space behind it sets nothing.
        let mark = match self.ending().as_str() {
            "yaml" | "yml" => r"(?:[?:]?=|:(?:\s|$))",
            _ => "[?:]?[:=]",
        };
        let forms = [
            // `port: 80`, `"port" : 80`, `PORT ?= 80`, wherever they stand.
            format!(r#"(?im)(?:^|[\s{{,\["'`]){name}["'`]?[ \t]*{mark}"#),
            // `Port 22` and `listen 80;` in settings, and comments there.
            format!(r"(?im)^[ \t]*{name}[ \t]+\S"),
            format!(r"(?im)^[ \t]*(?:#|//|;).*{name}"),
        ];
        let is_named = forms.iter().filter_map(|form| pattern(form));
        if !is_settings || !is_named.into_iter().any(|form| form.is_match(self.text)) {
            let before_one = self.is_before_a_number(words, to).filter(|_| is_settings);
            return before_one.map_or(Ok(()), Err);
        }
        if !self.mentions(words).is_empty() {
            return Err(self.not_set(words, Some((to, false))));
        }
        let path = self.path;
        let why = format!(
            "`{words}` may name a value in {path} in a form that I do not read, or stand in a comment."
        );
        let advice = "Name its line by the number, or put the exact text to replace in quotes.";
        Err(Refusal::ambiguous(why, vec![format!("show {}", self.shown_path())]).advised(advice))
    }

    /// What is said of a text in quotes that stays one where a bare number, `true` or `false` takes its place.
    /// One of digits takes others without a word: so the file writes its numbers.
    pub(super) fn stays_a_text(&self, key: &str, to: &str) -> Option<Note> {
        let may_have_types = ["json", "toml", "yaml", "yml"].contains(&self.ending().as_str());
        let value = self.only_value(key, None, Some((to, false))).ok()?;
        let has_quotes = value.quote.is_some() && is_literal(to) && may_have_types;
        // A version is written so.
        let is = &self.text[value.place.clone()];
        let is_of_version = is_version(is) && !is_number(is);
        if !has_quotes
            || is_of_version
            || (is_number(&self.text[value.place.clone()]) && is_number(to))
        {
            return None;
        }
        let path = self.path;
        let message =
            format!("`{key}` stood in quotes in {path} and stays a text: `{to}` stands in them.");
        Some(Note {
            code: "plan.stays_text",
            message,
            before_offer: "Without quotes",
            offer: self.without_quotes(&value, to),
        })
    }

    /// The order that writes a value that stands in quotes without them.
    pub(super) fn without_quotes(&self, value: &Value, to: &str) -> Option<Offer> {
        let mut lines = self.lines();
        let line = lines.find(|line| line.contains(&value.place.start))?;
        let before = self.text.get(line.start..value.place.start - 1)?;
        let after = self.text.get(value.place.end + 1..line.end)?;
        let text = format!("{before}{to}{after}");
        Some(self.rewrite_offer(self.number_of(value), line, &text))
    }

    /// The order that sets a name that has its value within that of another: `Environment=PORT=3000`.
    fn within(&self, name: &str, to: Option<&str>) -> Option<Offer> {
        let form = pattern(&format!(
            r#"(?im)[\s"'=](?P<pair>(?P<name>{name})=[^\s"']+)["']?[ \t]*\r?$"#
        ))?;
        let mut found = form.captures_iter(self.text);
        let only = found.next().filter(|_| found.next().is_none())?;
        let (pair, name) = (&only["pair"], &only["name"]);
        let is_clear = self.text.matches(pair).count() == 1;
        let new = format!("{name}={}", to.filter(|_| is_clear)?);
        let path = self.shown_path();
        Some(Offer {
            forms: vec![format!(
                "replace {} with {} in {path}",
                in_quotes(pair),
                in_quotes(&new)
            )],
            after: self.text.replace(pair, &new),
            otherwise: format!("Change `{pair}` of {} in an editor.", self.path),
        })
    }
}
