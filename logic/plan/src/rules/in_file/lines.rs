//! Exact changes of lines: of a value where it is set, and of lines by what they say.

use crate::rules::refusal::Refusal;
use crate::rules::words::pattern;
use domain::limits::PLAN_ACTIONS;
use domain::plan::Action;
use std::ops::Range;

/// Most lines that a refusal shows, and of each as many characters.
const SHOWN_LINES: usize = 4;
const SHOWN_CHARS: usize = 60;

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
    let number = |text: &str| {
        let digits = |c: char| !c.is_ascii_digit() && c != '.' && c != ',';
        text.find(digits).unwrap_or(text.len())
    };
    let (old, new) = (number(is), number(to));
    let unit = &to[new..];
    let is_amount = old > 0 && new > 0 && is[old..].starts_with(unit);
    let rest = is.get(old + unit.len()..)?;
    (is_amount && !rest.is_empty() && rest.starts_with(' ')).then_some(old + unit.len())
}

impl Lines<'_> {
    /// The change that gives a key another value.
    pub(super) fn set(&self, key: &str, from: Option<&str>, to: &str) -> Result<Action, Refusal> {
        let value = self.only_value(key)?;
        let is = &self.text[value.place.clone()];
        let (place, to) = match from {
            None => match amount(is, to) {
                Some(length) => (value.place.start..value.place.start + length, to.to_owned()),
                None => (value.place.clone(), self.fit(&value, to)),
            },
            Some(from) => match is.find(from) {
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

    /// The value of a key.
    pub(super) fn value(&self, key: &str) -> Result<String, Refusal> {
        let value = self.only_value(key)?;
        Ok(self.text[value.place].trim().to_owned())
    }

    /// The changes that remove lines about something.
    pub(super) fn remove(&self, about: &str, is_many: bool) -> Result<Vec<Action>, Refusal> {
        let about = about.to_lowercase();
        let lines = self.lines();
        let mut found =
            lines.filter(|line| self.text[line.clone()].to_lowercase().contains(&about));
        let places: Vec<Range<usize>> = found.by_ref().collect();
        match (places.as_slice(), is_many) {
            ([], _) => Err(self.absent(&format!("no line with `{about}`"))),
            ([line], _) => Ok(vec![self.without(line)?]),
            (_, false) => Err(self.several(&places, &format!("`{about}`"))),
            (_, true) if places.len() > PLAN_ACTIONS => Err(Refusal::too_many_steps(places.len())),
            (_, true) => places.iter().map(|line| self.without(line)).collect(),
        }
    }

    /// The only place where a key is given a value.
    fn only_value(&self, key: &str) -> Result<Value, Refusal> {
        let mut values = self.values(key);
        // `the night temperature` where a line sets `night`.
        if values.is_empty() {
            values = key
                .split_whitespace()
                .flat_map(|word| self.values(word))
                .collect();
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
                r#"[ \t]*[,;]?(?:[ \t]+(?:#|//)[^\n]*)?\r?$"#,
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
    fn fit(&self, value: &Value, to: &str) -> String {
        if let Some(quote) = value.quote {
            return to.replace(quote, &format!("\\{quote}"));
        }
        let ending = self.path.rsplit_once('.').map_or("", |(_, ending)| ending);
        let wants_quotes = matches!(ending, "json" | "toml");
        let is_literal = serde_json::from_str::<serde_json::Value>(to).is_ok();
        match wants_quotes && !is_literal {
            true => format!("\"{}\"", to.replace('"', "\\\"")),
            false => to.to_owned(),
        }
    }

    /// The lines, without their ends.
    fn lines(&self) -> impl Iterator<Item = Range<usize>> {
        let mut at = 0;
        let lines = self.text.split_inclusive('\n');
        lines.map(move |line| {
            let start = at;
            at += line.len();
            start..start + line.trim_end_matches(['\n', '\r']).len()
        })
    }

    /// The change that removes a line with its end; of the last line, which may have none, with the
    /// end of the line before.
    fn without(&self, line: &Range<usize>) -> Result<Action, Refusal> {
        let end = self.text[line.end..].find('\n').map(|at| line.end + at + 1);
        let place = match end {
            Some(end) => line.start..end,
            None => self.text[..line.start].trim_end_matches(['\n', '\r']).len()..line.end,
        };
        self.replace(place, "")
    }

    /// The change of one place. What is replaced goes on to whole lines, and to the lines before, until
    /// it stands in the text once.
    fn replace(&self, place: Range<usize>, new: &str) -> Result<Action, Refusal> {
        let text = self.text;
        let mut start = place.start;
        let mut end = place.end;
        while text.matches(&text[start..end]).count() != 1 || start == end {
            let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
            let line_end = text[end..].find('\n').map_or(text.len(), |at| end + at);
            if (line_start, line_end) != (start, end) {
                (start, end) = (line_start, line_end);
            } else if start > 0 {
                start = text[..start - 1].rfind('\n').map_or(0, |at| at + 1);
            } else {
                break;
            }
        }
        let old = text[start..end].to_owned();
        let is_whole = !old.is_empty() && text.matches(&old).count() == 1;
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

    fn absent(&self, what: &str) -> Refusal {
        let nearest = vec![format!("show {}", self.path)];
        Refusal::ambiguous(format!("{} has {what}.", self.path), nearest)
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
