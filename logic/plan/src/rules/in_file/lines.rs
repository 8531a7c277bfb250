//! Exact changes of lines: of a value where it is set, and of lines by what they say.

use super::unset::unset;
use crate::names;
use crate::rules::plain;
use crate::rules::refusal::Refusal;
use crate::rules::unsure;
use crate::rules::words::pattern;
use domain::limits::PLAN_ACTIONS;
use domain::plan::Action;
use std::ops::Range;

/// Most lines that a refusal shows, and of each as many characters.
const SHOWN_LINES: usize = 4;
const SHOWN_CHARS: usize = 60;

/// How many members, items and values data has in all.
fn members(data: &serde_json::Value) -> usize {
    1 + match data {
        serde_json::Value::Object(object) => object.values().map(members).sum(),
        serde_json::Value::Array(items) => items.iter().map(members).sum(),
        _ => 0,
    }
}

/// Whether a text stands in another at one place. Places that overlap are several: of `a\nb\na` in
/// `a\nb\na\nb\na` an edit takes the first.
pub(super) fn stands_once(text: &str, part: &str) -> bool {
    let Some(first) = text.find(part) else {
        return false;
    };
    let next = part.chars().next().map_or(1, char::len_utf8);
    !text[first + next..].contains(part)
}

/// A text after an edit.
fn applied(text: &str, action: &Action) -> String {
    match action {
        Action::ReplaceText { old, new, .. } => text.replace(old, new),
        Action::AppendText { content, .. } => format!("{text}{content}\n"),
        _ => text.to_owned(),
    }
}

/// Whether a file without an ending, or with one of texts, holds settings by its name: `sshd_config`,
/// `Makefile`, `.bashrc`.
fn is_named_as_settings(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path).to_lowercase();
    !name.contains('.') && (name.ends_with("config") || name.ends_with("file"))
        || name.ends_with("rc")
}

/// A text with its path.
pub(super) struct Lines<'a> {
    pub(super) path: &'a str,
    pub(super) text: &'a str,
}

/// A value in the text: where it stands, and whether in quotes.
struct Value {
    place: Range<usize>,
    quote: Option<char>,
}

/// The length of the number with its unit that a new number takes the place of: of `42 Euro a year`
/// where it is to be `48` or `48 Euro`, what follows stays.
fn amount(is: &str, to: &str) -> Option<usize> {
    let split = |text: &str| {
        let digits = |c: char| !c.is_ascii_digit() && c != '.';
        let end = text.find(digits).unwrap_or(text.len());
        text[..end].parse::<f64>().is_ok().then_some(end)
    };
    let (old, new) = (split(is)?, split(to)?);
    let unit = &to[new..];
    let rest = is[old..].strip_prefix(unit)?.strip_prefix(' ')?;
    rest.starts_with(char::is_alphabetic)
        .then_some(old + unit.len())
}

impl Lines<'_> {
    /// The change that gives a key another value.
    pub(super) fn set(
        &self,
        key: &str,
        from: Option<&str>,
        (to, is_quoted): (&str, bool),
    ) -> Result<Action, Refusal> {
        let value = self.only_value(key)?;
        let is = &self.text[value.place.clone()];
        // `9000 tomorrow` for a number says more than the value.
        let is_literal = matches!(
            serde_json::from_str(is),
            Ok(serde_json::Value::Number(_) | serde_json::Value::Bool(_))
        );
        let is_amount = amount(is, to).is_some();
        if to.contains(['\n', '\r'])
            || (is_literal && !is_quoted && !is_amount && to.contains(char::is_whitespace))
        {
            let why = format!("`{to}` may say more than the value.");
            return Err(Refusal::ambiguous(
                why,
                vec![format!("put the value in quotes: \"{to}\"")],
            ));
        }
        let (place, to) = match from {
            None => match amount(is, to).filter(|_| value.quote.is_none()) {
                Some(length) => (value.place.start..value.place.start + length, to.to_owned()),
                None => (value.place.clone(), self.fit(&value, to)?),
            },
            Some(from) => match names::whole(is, from) {
                Some(at) => {
                    let start = value.place.start + at;
                    (start..start + from.len(), to.to_owned())
                }
                None => {
                    let why = format!("In {} `{key}` is `{is}` and not `{from}`.", self.path);
                    return Err(Refusal::ambiguous(why, Vec::new()));
                }
            },
        };
        self.replace(place, &to)
    }

    /// Refuses a change of a word in a text that may be meant as one of a value: `Mood: calm`. A value
    /// of several words would be lost for one, so that it is not meant.
    pub(super) fn is_no_value(&self, key: &str, to: &str) -> Result<(), Refusal> {
        let path = self.path;
        let values = self.values(key);
        let Some(value) = values.first() else {
            return Ok(());
        };
        let value = self.text[value.place.clone()].trim();
        let why = format!(
            "In {path} `{key}` stands before `{value}`: which of them is to change is not clear."
        );
        let nearest = vec![
            format!("replace \"{key}\" with \"{to}\" in {path}"),
            format!("set {key} to \"{to}\" in {path}"),
        ];
        let is_text = value.split_whitespace().count() > 1;
        Err(match is_text {
            true => Refusal::absent(why, nearest),
            false => Refusal::ambiguous(why, nearest),
        })
    }

    /// Refuses the replacement of words that name a value here, in a form that is not read, or that stand in
    /// a comment.
    pub(super) fn is_no_name(&self, words: &str, to: &str) -> Result<(), Refusal> {
        let name = regex::escape(words);
        let is_settings = !plain::is_prose(self.path) || is_named_as_settings(self.path);
        let forms = [
            // `port: 80`, `"port" : 80`, `PORT ?= 80`, wherever they stand.
            format!(r#"(?i)(?:^|[\s{{,\["'`]){name}["'`]?[ \t]*[?:]?[:=]"#),
            // `Port 22` and `listen 80;` in settings, and comments there.
            format!(r"(?im)^[ \t]*{name}[ \t]+\S"),
            format!(r"(?im)^[ \t]*(?:#|//|;).*{name}"),
        ];
        let is_named = forms.iter().filter_map(|form| pattern(form));
        if !is_settings || !is_named.into_iter().any(|form| form.is_match(self.text)) {
            return Ok(());
        }
        let path = self.path;
        let why = format!(
            "`{words}` may name a value in {path} in a form that I do not read, or stand in a comment."
        );
        let nearest = vec![
            format!("show {path}"),
            format!(
                "replace \"{words} and its value as they stand\" with \"{words} {to}\" in {path}"
            ),
        ];
        Err(Refusal::ambiguous(why, nearest))
    }

    /// The value of a key.
    pub(super) fn value(&self, key: &str) -> Result<String, Refusal> {
        let value = self.only_value(key)?;
        let text = self.text[value.place].trim();
        match value.quote {
            Some('"') if text.contains('\\') => serde_json::from_str(&format!("\"{text}\""))
                .map_err(|_error| self.absent(&format!("a value of `{key}` that I cannot read"))),
            _ => Ok(text.to_owned()),
        }
    }

    /// The changes that remove lines about something.
    pub(super) fn remove(&self, about: &str, is_many: bool) -> Result<Vec<Action>, Refusal> {
        if !is_many {
            return Ok(vec![self.without(&self.only_about(about)?)?]);
        }
        let places = self.about(about);
        match places.len() {
            0 => self.only_about(about).map(|_| Vec::new()),
            many if many > PLAN_ACTIONS => Err(Refusal::too_many_steps(many)),
            _ => self.without_all(&places),
        }
    }

    /// The only line about something.
    pub(super) fn only_about(&self, about: &str) -> Result<Range<usize>, Refusal> {
        let mut places = self.about(about);
        match places.len() {
            0 => Err(self.absent(&format!("no line with `{}`", about.trim()))),
            1 => Ok(places.remove(0)),
            _ => Err(self.several(&places, &format!("`{}`", about.trim()))),
        }
    }

    /// The lines in which words stand as words, in letters of any case.
    fn about(&self, about: &str) -> Vec<Range<usize>> {
        let about = about.trim().to_lowercase();
        let is_about = |line: &Range<usize>| {
            let line = self.text[line.clone()].to_lowercase();
            !about.is_empty() && names::stands_as_words(&line, &about)
        };
        self.lines().filter(is_about).collect()
    }

    /// The change that removes the line that says this alone, whatever marks an item of a list.
    pub(super) fn remove_item(&self, text: &str) -> Result<Action, Refusal> {
        let is_item = |line: &Range<usize>| {
            let line = self.text[line.clone()].trim();
            let line = line.trim_start_matches(['-', '*', '+', ' ']);
            let boxes = ["[ ] ", "[x] ", "[X] "];
            let item = boxes.iter().find_map(|box_| line.strip_prefix(box_));
            item.unwrap_or(line).to_lowercase() == text.to_lowercase()
        };
        let places: Vec<Range<usize>> = self.lines().filter(is_item).collect();
        match places.as_slice() {
            [line] => self.without(line),
            [] => {
                let why = format!(
                    "No line of {} says `{text}` alone: which part of it is to go is not clear.",
                    self.path
                );
                Err(Refusal::ambiguous(why, unsure::removals(text, self.path)))
            }
            _ => Err(self.several(&places, &format!("`{text}`"))),
        }
    }

    /// The change that removes a text that stands here once, and the line that has nothing else.
    pub(super) fn remove_text(&self, text: &str) -> Result<Action, Refusal> {
        let path = self.path;
        let everywhere = format!("replace \"{text}\" with \"\" in {path}");
        let found = self.text.match_indices(text).filter(|_| !text.is_empty());
        let places: Vec<Range<usize>> = found.map(|(at, _)| at..at + text.len()).collect();
        let [place] = places.as_slice() else {
            let mut refusal = match places.is_empty() {
                true => self.absent(&format!("no `{text}`")),
                false => self.several(&places, &format!("`{text}`")),
            };
            if !places.is_empty() {
                refusal.nearest.push(everywhere);
            }
            return Err(refusal);
        };
        if !names::is_words(self.text, place.clone()) {
            let whole = names::word_around(self.text, place.clone());
            let why = format!("`{text}` stands in {path} as a part of `{whole}`.");
            return Err(Refusal::ambiguous(why, vec![everywhere]));
        }
        match self.lines().find(|line| line == place) {
            Some(line) => self.without(&line),
            None => self.replace(place.clone(), ""),
        }
    }

    /// The changes that remove lines one after the other: each is of what the one before it left.
    fn without_all(&self, places: &[Range<usize>]) -> Result<Vec<Action>, Refusal> {
        self.one_by_one(places, |lines, place| lines.without(place))
    }

    /// The changes that put a text in several places.
    pub(super) fn replace_all(
        &self,
        places: &[Range<usize>],
        new: &str,
    ) -> Result<Vec<Action>, Refusal> {
        self.one_by_one(places, |lines, place| lines.replace(place.clone(), new))
    }

    pub(super) fn one_by_one(
        &self,
        places: &[Range<usize>],
        change: impl Fn(&Lines<'_>, &Range<usize>) -> Result<Action, Refusal>,
    ) -> Result<Vec<Action>, Refusal> {
        let mut text = self.text.to_owned();
        let mut actions = Vec::new();
        // From the end, so that the places before it stay.
        for place in places.iter().rev() {
            let left = Lines {
                path: self.path,
                text: &text,
            };
            let action = change(&left, place)?;
            text = applied(&text, &action);
            actions.push(action);
        }
        Ok(actions)
    }

    /// Refuses changes after which a file of data is not sound any more, or has others than it had where
    /// none may come or go.
    pub(super) fn stays_valid(&self, actions: &[Action], may_add: bool) -> Result<(), Refusal> {
        let ending = self.ending();
        let ending = ending.as_str();
        let parsed: fn(&str) -> Option<usize> = match ending {
            "json" => |text| Some(members(&serde_json::from_str(text).ok()?)),
            "toml" => |text| {
                let table = text.parse::<toml::Table>().ok()?;
                Some(members(&serde_json::to_value(table).ok()?))
            },
            "csv" | "tsv" => |text| (text.matches('"').count() % 2 == 0).then_some(text.len()),
            _ => return Ok(()),
        };
        let mut after = self.text.to_owned();
        for action in actions {
            after = applied(&after, action);
        }
        let may_differ = may_add
            || actions.iter().any(|action| match action {
                Action::ReplaceText { new, .. } => new.is_empty(),
                Action::AppendText { .. } => true,
                _ => false,
            });
        let is_table = matches!(ending, "csv" | "tsv");
        let (was, is) = (parsed(self.text), parsed(&after));
        if was.is_none() || (is.is_some() && (is == was || may_differ || is_table)) {
            return Ok(());
        }
        let why = format!("{} would not be sound {ending} any more.", self.path);
        Err(Refusal::ambiguous(why, vec![format!("show {}", self.path)]))
    }

    /// The only place where a key is given a value.
    fn only_value(&self, key: &str) -> Result<Value, Refusal> {
        let mut values = self.values(key);
        let ending = self.ending();
        let is_prose = matches!(ending.as_str(), "md" | "txt");
        let is_plain = |value: &Value| {
            let text = &self.text[value.place.clone()];
            let is_first = |c: char| "[{|>&*!".contains(c);
            value.quote.is_some()
                || is_prose
                || !(text.starts_with(is_first) || text.contains(", "))
        };
        // `const PORT: u16 = 80;`: what stands behind the colon is more than the value.
        let is_typed = |value: &Value| {
            let text = &self.text[value.place.clone()];
            value.quote.is_none() && text.contains(" = ")
        };
        if values.iter().any(is_typed) {
            let why = format!("What `{key}` is in {} has a type before it.", self.path);
            let value = values.first().map(|value| &self.text[value.place.clone()]);
            let value = value.unwrap_or_default().trim_end_matches(';');
            let value = value.rsplit_once(" = ").map_or(value, |(_, value)| value);
            let nearest = format!("replace \"{value}\" with \"…\" in {}", self.path);
            return Err(Refusal::ambiguous(why, vec![nearest]));
        }
        let has_old_ends = self.text.replace("\r\n", "").contains('\r');
        if has_old_ends || values.iter().any(|value| !is_plain(value)) {
            let why = format!("What `{key}` is in {} is no plain value.", self.path);
            return Err(Refusal::ambiguous(why, vec![format!("show {}", self.path)]));
        }
        let unset = unset(&ending, self.text);
        let is_unset = |value: &Value| unset.iter().any(|part| part.contains(&value.place.start));
        if values.iter().any(is_unset) {
            let why = format!(
                "What `{key}` is in {} stands in a comment or in a text of several lines.",
                self.path
            );
            return Err(Refusal::ambiguous(why, vec![format!("show {}", self.path)]));
        }
        match values.len() {
            0 => Err(self.absent(&format!("no line that sets `{key}`"))),
            1 => Ok(values.remove(0)),
            _ => {
                let places: Vec<Range<usize>> =
                    values.into_iter().map(|value| value.place).collect();
                Err(self.several(&places, &format!("`{key}`")))
            }
        }
    }

    /// Values of a key in lines such as `key = value`, `"key": value,` and `- Key: value`, and between
    /// tags.
    fn values(&self, key: &str) -> Vec<Value> {
        let words: Vec<String> = key.split_whitespace().map(regex::escape).collect();
        let key = words.join(r"[\s_-]+");
        let line = pattern(&format!(
            concat!(
                r#"(?im)^[ \t]*(?:[-*+>][ \t]+|\d+[.)][ \t]+)?(?:(?:export|let|const|var|pub|static)[ \t]+)*"#,
                r#"["'`*_]*{}["'`*_]*[ \t]*(?:=>|:=|=|:)[*_]*[ \t]*"#,
                r#"(?:"(?P<d>(?:[^"\\\n]|\\.)*)"|'(?P<s>[^'\n]*)'|(?P<b>[^\s"'][^\n]*?))"#,
                r#"[ \t]*[,;]?(?:[ \t]+(?:#|//|;)[^\n]*)?\r?$"#,
            ),
            key
        ));
        let element = pattern(&format!(r"(?i)<{key}(?:\s[^>]*)?>(?P<b>[^<]*)</{key}>"));
        let mut values = Vec::new();
        for regex in [line, element].iter().flatten() {
            for captures in regex.captures_iter(self.text) {
                let quoted = [("d", Some('"')), ("s", Some('\'')), ("b", None)];
                let value = quoted.into_iter().find_map(|(name, quote)| {
                    let place = captures.name(name)?.range();
                    Some(Value { place, quote })
                });
                values.extend(value);
            }
        }
        values
    }

    /// A new value as the old one was written: in the same quotes, and in quotes where the file wants
    /// a text in some.
    fn fit(&self, value: &Value, to: &str) -> Result<String, Refusal> {
        let ending = self.ending();
        let is_known = matches!(ending.as_str(), "json" | "toml");
        let escaped = || serde_json::Value::from(to).to_string();
        match value.quote {
            Some('"') if is_known => Ok(escaped().trim_matches('"').to_owned()),
            Some(quote) if to.contains([quote, '\\']) => {
                let why = format!("`{to}` does not go between the quotes in {}.", self.path);
                Err(Refusal::ambiguous(why, Vec::new()))
            }
            Some(_) => Ok(to.to_owned()),
            None => {
                let is = &self.text[value.place.clone()];
                let literal = |text: &str| serde_json::from_str::<serde_json::Value>(text).is_ok();
                // A date in TOML is neither; that the file stays sound is looked at afterwards.
                let is_bare = !is_known || literal(to) || (ending == "toml" && !literal(is));
                Ok(if is_bare { to.to_owned() } else { escaped() })
            }
        }
    }

    /// The ending of the file's name, in small letters.
    fn ending(&self) -> String {
        let ending = self.path.rsplit_once('.');
        ending.map_or_else(String::new, |(_, ending)| ending.to_lowercase())
    }

    /// The lines, without their ends.
    pub(super) fn lines(&self) -> impl Iterator<Item = Range<usize>> {
        let mut at = 0;
        let lines = self.text.split_inclusive('\n');
        lines.map(move |line| {
            let start = at;
            at += line.len();
            let end = start + line.trim_end_matches(['\n', '\r']).len();
            // A byte order mark is of the file and of no line.
            let mark = match start {
                0 if line.starts_with('\u{feff}') => '\u{feff}'.len_utf8(),
                _ => 0,
            };
            (start + mark).min(end)..end
        })
    }

    /// The change that removes a line with its end; of the last line, which may have none, with the
    /// end of the line before.
    pub(super) fn without(&self, line: &Range<usize>) -> Result<Action, Refusal> {
        let end = self.text[line.end..].find('\n').map(|at| line.end + at + 1);
        let place = match end {
            Some(end) => line.start..end,
            None => self.text[..line.start].trim_end_matches(['\n', '\r']).len()..line.end,
        };
        self.replace(place, "")
    }

    /// The change of one place. What is replaced goes on to whole lines, and to the lines before, until
    /// it stands in the text once.
    pub(super) fn replace(&self, place: Range<usize>, new: &str) -> Result<Action, Refusal> {
        let text = self.text;
        let mut start = place.start;
        let mut end = place.end;
        while start == end || !stands_once(text, &text[start..end]) {
            let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
            let line_end = text[end..].find('\n').map_or(text.len(), |at| end + at);
            if (line_start, line_end) != (start, end) {
                (start, end) = (line_start, line_end);
            } else if start > 0 {
                start = text[..start - 1].rfind('\n').map_or(0, |at| at + 1);
            } else if end < text.len() {
                end = text[end + 1..]
                    .find('\n')
                    .map_or(text.len(), |at| end + 1 + at);
            } else {
                break;
            }
        }
        let old = text[start..end].to_owned();
        let is_whole = !old.is_empty() && stands_once(text, &old);
        if !is_whole || old.chars().count() > 1_000 {
            let why = format!("The place in {} is not clear.", self.path);
            return Err(Refusal::ambiguous(why, Vec::new()));
        }
        let before = &text[start..place.start];
        let after = &text[place.end..end];
        Ok(Action::ReplaceText {
            path: self.path.to_owned(),
            new: format!("{before}{new}{after}"),
            old,
        })
    }

    pub(super) fn absent(&self, what: &str) -> Refusal {
        let nearest = vec![format!("show {}", self.path)];
        Refusal::absent(format!("{} has {what}.", self.path), nearest)
    }

    fn several(&self, places: &[Range<usize>], what: &str) -> Refusal {
        let number = |at: usize| self.text[..at].matches('\n').count() + 1;
        let line = |at: usize| self.text.lines().nth(number(at) - 1).unwrap_or_default();
        let shown = places.iter().take(SHOWN_LINES).map(|place| {
            let line: String = line(place.start).chars().take(SHOWN_CHARS).collect();
            format!("line {} (`{}`)", number(place.start), line.trim())
        });
        let shown: Vec<String> = shown.collect();
        let count = places.len();
        let path = self.path;
        let why = format!(
            "{path} has {what} in {count} lines: {}. Which of them is not clear.",
            shown.join(", ")
        );
        Refusal::ambiguous(why, vec![format!("show {path}")])
    }
}
