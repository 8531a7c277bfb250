//! Values that a text sets: where each stands, which one is meant, and the change that gives it another.

use super::keys::{self, Reading, Within};
use super::lines::Lines;
use super::packages;
use super::sections;
use super::tree::{Node, Tree};
use super::types;
use super::unset::unset;
use super::value::{NewValue, Value};
use super::written;
use crate::names;
use crate::quoted::in_quotes;
use crate::rules::refusal::Refusal;
use crate::rules::words::pattern;
use domain::plan::Action;
use regex::Captures;
use std::ops::Range;

/// A name of a value, whichever.
pub(super) const NAMES: &str = r"[\w-]+";
/// Most values that a refusal shows, and characters of each line.
const SHOWN_VALUES: usize = 4;
const SHOWN_CHARS: usize = 60;

/// The length of the number with its unit that a new number takes the place of: of `42 Euro a year`
/// where it is to be `48` or `48 Euro`, what follows stays.
pub(super) fn amount(is: &str, to: &str) -> Option<usize> {
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

/// Whether a list is to give way to a list.
pub(super) fn are_lists(is: &str, (to, is_quoted): NewValue<'_>) -> bool {
    let is_list = |text: &str| text.starts_with('[') && text.ends_with(']');
    !is_quoted && is_list(is) && is_list(to)
}

/// Whether a bracket is open at the end of a text: `match x {` goes on below.
fn opens_more(text: &str) -> bool {
    let pairs = [('(', ')'), ('[', ']'), ('{', '}')];
    pairs
        .iter()
        .any(|(open, close)| text.matches(*open).count() != text.matches(*close).count())
}

/// Endings of languages in which a colon may stand before a type.
const TYPED: [&str; 10] = [
    "rs", "py", "pyi", "ts", "tsx", "mts", "cts", "kt", "swift", "scala",
];

/// Whether a line that looks like one that sets a value is one. A name that is in quotes has them on both
/// sides: `- "8080:80"` is a text as a whole. In YAML a colon that sets a value stands before a space or the
/// end of its line: `- 5432:5432` is a text as well. An address sets nothing: `http://localhost`.
fn sets_a_value(ending: &str, captures: &Captures<'_>) -> bool {
    // Between tags there are none of these.
    let part = |name| captures.name(name).map_or("", |part| part.as_str());
    let quotes = |name| part(name).matches(['"', '\'', '`']).count();
    let is_yaml = matches!(ending, "yaml" | "yml");
    let gap = match closes_marks(captures) {
        true => part("gap"),
        false => part("gap").trim_start_matches(['*', '_']),
    };
    let is_close = part("mark") == ":" && gap.is_empty();
    let is_text = is_yaml && quotes("open") == 0 && is_close;
    let is_address = is_close && part("b").starts_with("//");
    // `EMPTY=` in settings; `key:` may open what stands below it.
    let is_open =
        captures.name("e").is_some() && !(part("mark") == "=" && sections::are_known(ending));
    // `flask==2.3.2` sets a version where lines are of packages; `a <= b` sets nothing.
    let bound = ["==", "~=", "<=", ">="].contains(&part("mark"));
    let is_bound = bound && (ending != "txt" || part("b").contains(',') || !part("gap").is_empty());
    // `all: build` of a Makefile says what is made first.
    let is_target = ending == "mk" && part("mark") == ":";
    // `a: b == c` has no type.
    let compares = captures.name("typed").is_some() && part("b").starts_with(['=', '>']);
    // `limit: usize,` says of what type a field is.
    let is_field = part("mark") == ":" && quotes("open") == 0 && TYPED.contains(&ending);
    let is_type = is_field && types::is_one(part("b"));
    quotes("open") == quotes("close")
        && !is_text
        && !is_type
        && !is_target
        && !is_address
        && !is_open
        && !compares
        && !is_bound
}

/// Whether the marks before a value close those before its name: `**Port:** 80`. Others are of the value:
/// `OnCalendar=*-*-* 03:15:00`.
fn closes_marks(captures: &Captures<'_>) -> bool {
    let part = |name| captures.name(name).map_or("", |part| part.as_str());
    let marks = part("gap").trim_end();
    marks.is_empty() || (part("open").ends_with(marks) && part("close").is_empty())
}

impl Lines<'_> {
    /// The change that gives a key another value.
    pub(super) fn set(
        &self,
        key: &str,
        from: Option<&str>,
        (to, is_quoted): NewValue<'_>,
    ) -> Result<Action, Refusal> {
        if let Some(cell) = self.set_cell(key, from, (to, is_quoted)) {
            return cell;
        }
        let value = match self.only_value(key, from, Some((to, is_quoted))) {
            Ok(value) => value,
            Err(refusal) => {
                return match from {
                    Some(from) if refusal.is_absent => self.exchange(key, (from, to), refusal),
                    Some(_) => Err(refusal),
                    None => match self.set_tag(key, to) {
                        Some(tag) if refusal.is_absent => tag,
                        _ => self.set_inline(key, (to, is_quoted)).ok_or(refusal),
                    },
                };
            }
        };
        let is = &self.text[value.place.clone()];
        // All of it is to be another.
        let from = from.filter(|from| *from != is);
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
            let advice = format!("Put the value in quotes: {}.", in_quotes(to));
            return Err(Refusal::ambiguous(why, Vec::new()).advised(advice));
        }
        let (place, to) = match from {
            None => match amount(is, to).filter(|_| value.quote.is_none()) {
                Some(length) => (value.place.start..value.place.start + length, to.to_owned()),
                None => {
                    self.is_of_its_kind(key, &value, (to, is_quoted))?;
                    let ranged = packages::with_range(is, (to, is_quoted));
                    if ranged.is_none() && packages::are_bounds(is) && !packages::has_sign(to) {
                        return Err(self.has_bounds(key, is, to));
                    }
                    self.fit(&value, (ranged.as_deref().unwrap_or(to), is_quoted))?
                }
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
        if self.text[place.clone()] == to {
            return Err(self.is_so_already(key, &value, &to));
        }
        self.replace(place, &to)
    }

    /// The refusal of a version in the place of several bounds that it is not within.
    fn has_bounds(&self, key: &str, is: &str, to: &str) -> Refusal {
        let path = self.path;
        let why =
            format!("In {path} `{key}` is `{is}`, and `{to}` does not go within these bounds.");
        let advice = format!(
            "Give all of them: `set {key} to \">={to}\" in {}`.",
            self.shown_path()
        );
        Refusal::ambiguous(why, Vec::new()).advised(advice)
    }

    /// Refuses a change that leaves a value as it is.
    fn is_so_already(&self, key: &str, value: &Value, to: &str) -> Refusal {
        let path = self.path;
        let number = self.number_of(value);
        let why = format!("`{key}` is `{to}` in {path} already (line {number}).");
        let bare = self.without_quotes(value, to);
        let bare = bare.filter(|_| value.quote.is_some() && written::is_literal(to));
        match bare {
            Some(offer) => Refusal::ambiguous(why, Vec::new()).offering(vec![offer]),
            None => Refusal::ambiguous(why, vec![format!("show {}", self.shown_path())]),
        }
    }

    /// Refuses a change of a word in a text that may be meant as one of a value: `Mood: calm`. A value
    /// of several words would be lost for one, so that it is not meant.
    pub(super) fn is_no_value(&self, key: &str, to: &str) -> Result<(), Refusal> {
        let path = self.path;
        let values = self.values(key);
        let Some(value) = values.first() else {
            return Ok(());
        };
        if values.iter().all(|value| self.is_a_setting(value)) {
            return Ok(());
        }
        let value = self.text[value.place.clone()].trim();
        let why = format!(
            "In {path} `{key}` stands before `{value}`: which of them is to change is not clear."
        );
        let file = self.shown_path();
        let nearest = vec![
            format!("set {key} to {} in {file}", in_quotes(to)),
            format!(
                "replace {} with {} in {file}",
                in_quotes(key),
                in_quotes(to)
            ),
        ];
        let is_text = value.split_whitespace().count() > 1;
        Err(match is_text {
            true => Refusal::absent(why, nearest),
            false => Refusal::ambiguous(why, nearest),
        })
    }

    /// Whether a value of a text is set in a form that no sentence has: `MAILTO=ann@example.org`, or a line of the
    /// front matter of a document. Its name is never a word to be replaced.
    fn is_a_setting(&self, value: &Value) -> bool {
        let line = self.line_place(value);
        let before = &self.text[line.start..value.place.start.max(line.start)];
        let name = before.trim_end_matches(['"', '\'']);
        let is_assigned = name.strip_suffix('=').is_some_and(|name| {
            let name = name.strip_prefix("export ").unwrap_or(name);
            !name.is_empty()
                && name
                    .chars()
                    .all(|c| c.is_ascii_alphanumeric() || "_.-".contains(c))
        });
        let front = self.text.strip_prefix("---").and_then(|rest| {
            let rest = rest.trim_start_matches('\r').strip_prefix('\n')?;
            rest.find("\n---")
                .map(|at| self.text.len() - rest.len() + at)
        });
        is_assigned || front.is_some_and(|end| line.start < end)
    }

    /// The value of a key.
    pub(super) fn value(&self, key: &str) -> Result<String, Refusal> {
        let value = self.only_value(key, None, None)?;
        let text = self.text[value.place].trim();
        match value.quote {
            Some('"') if text.contains('\\') => serde_json::from_str(&format!("\"{text}\""))
                .map_err(|_error| self.absent(&format!("a value of `{key}` that I cannot read"))),
            _ => Ok(text.to_owned()),
        }
    }

    /// The only place where what an order calls so is given a value. `from` is what it is now, and `to`
    /// what it is to be, as far as the order says.
    pub(super) fn only_value(
        &self,
        key: &str,
        from: Option<&str>,
        to: Option<NewValue<'_>>,
    ) -> Result<Value, Refusal> {
        let readings = self.readings(key);
        let mut values = self.meant(&readings);
        if values.is_empty() {
            values = self.version_of(key);
        }
        if values.is_empty() {
            values = self.packages(key);
        }
        if to.is_some_and(|(to, _)| written::is_version(to)) {
            let tree = Tree::of(self);
            let own = |value: Value| {
                let inner = tree
                    .as_ref()
                    .and_then(|tree| tree.version_in(self.text, &value));
                inner.unwrap_or(value)
            };
            values = values.into_iter().map(own).collect();
        }
        self.are_plain(key, &values, to)?;
        let was = |value: &&Value| from == Some(&self.text[value.place.clone()]);
        if let (true, [only]) = (
            values.len() > 1,
            values.iter().filter(was).collect::<Vec<_>>().as_slice(),
        ) {
            return Ok((*only).clone());
        }
        match values.len() {
            0 => Err(self.elsewhere(key, &readings, to)),
            1 => Ok(values.remove(0)),
            count if from.is_some() => {
                let from = from.unwrap_or_default();
                let why = format!(
                    "{} has `{key}` in {count} lines, and in none of them it is `{from}`: {}.",
                    self.path,
                    self.told(&values)
                );
                Err(Refusal::ambiguous(
                    why,
                    vec![format!("show {}", self.shown_path())],
                ))
            }
            count => {
                let why = format!(
                    "{} has `{key}` in {count} lines: {}. Which of them is not clear.",
                    self.path,
                    self.told(&values)
                );
                Err(self.offered(Refusal::ambiguous(why, Vec::new()), &values, to))
            }
        }
    }

    /// The ways to read what names a value: sections are those of settings.
    fn readings(&self, key: &str) -> Vec<Reading> {
        let mut readings = keys::readings(key);
        if !sections::are_known(&self.ending()) {
            readings.truncate(1);
        }
        readings
    }

    /// The values that any of these ways means, in their order, each once. By one word of several a section is
    /// meant where nothing has all of them.
    fn meant(&self, readings: &[Reading]) -> Vec<Value> {
        let is_part = |reading: &&Reading| matches!(reading.within, Within::OneOf(_));
        let whole = self.meant_by(readings.iter().filter(|reading| !is_part(reading)));
        match whole.is_empty() {
            true => self.meant_by(readings.iter().filter(is_part)),
            false => whole,
        }
    }

    /// The values that words name, in a file in which lines set values.
    pub(super) fn keys_named(&self, key: &str) -> Vec<Value> {
        if !sections::are_known(&self.ending()) && !written::is_package_list(self.path) {
            return Vec::new();
        }
        let mut values = self.meant(&self.readings(key));
        let unset = unset(&self.ending(), self.text);
        values.retain(|value| !unset.iter().any(|part| part.contains(&value.place.start)));
        values
    }

    /// The only one of them.
    pub(super) fn key_named(&self, key: &str) -> Option<Value> {
        let mut values = self.keys_named(key);
        values.pop().filter(|_| values.is_empty())
    }

    fn meant_by<'a>(&self, readings: impl Iterator<Item = &'a Reading>) -> Vec<Value> {
        let mut found: Vec<Value> = Vec::new();
        for reading in readings {
            let values = self.values(&reading.name).into_iter();
            for value in values.filter(|value| reading.means(&value.path)) {
                if found.iter().all(|known| known.place != value.place) {
                    found.push(value);
                }
            }
        }
        found.sort_by_key(|value| value.place.start);
        found
    }

    /// The version of something that has no more than one: `the version of clap` where `clap = "4.4"`.
    fn version_of(&self, key: &str) -> Vec<Value> {
        let form = pattern(
            r"(?i)^(?:version (?:of|for) (?:the )?(?P<a>\S+)|(?P<b>\S+?)(?:['’]s)? version)$",
        );
        let owner = form.as_ref().and_then(|form| form.captures(key));
        let owner = owner.and_then(|owner| owner.name("a").or_else(|| owner.name("b")));
        let mut values = owner.map_or_else(Vec::new, |owner| self.values(owner.as_str()));
        values.retain(|value| written::is_version(&self.text[value.place.clone()]));
        values
    }

    /// Refuses values that are more than a plain one, or set nothing where they stand. A list may give way to a
    /// list.
    fn are_plain(
        &self,
        key: &str,
        values: &[Value],
        to: Option<NewValue<'_>>,
    ) -> Result<(), Refusal> {
        let ending = self.ending();
        let is_prose = matches!(ending.as_str(), "md" | "txt");
        // Of YAML some signs begin what is no plain value, and in code an expression; elsewhere they are a part
        // of it: `*-*-* 03:15:00`.
        let signs = match matches!(ending.as_str(), "yaml" | "yml") || written::is_code(&ending) {
            true => "[{|>&*!",
            false => "[{",
        };
        let is_plain = |value: &Value| {
            let text = &self.text[value.place.clone()];
            let is_first = |c: char| signs.contains(c);
            value.quote.is_some()
                || is_prose
                || ending == "conf"
                || to.is_some_and(|to| are_lists(text, to))
                || !(text.starts_with(is_first)
                    || text.starts_with("\"\"\"")
                    || text.starts_with("'''")
                    || text.contains(", ")
                    || opens_more(text))
        };
        let show = || vec![format!("show {}", self.shown_path())];
        let has_old_ends = self.text.replace("\r\n", "").contains('\r');
        if has_old_ends || values.iter().any(|value| !is_plain(value)) {
            let why = format!("What `{key}` is in {} is no plain value.", self.path);
            return Err(Refusal::ambiguous(why, show()));
        }
        let unset = unset(&ending, self.text);
        let is_unset = |value: &Value| unset.iter().any(|part| part.contains(&value.place.start));
        if values.iter().any(is_unset) {
            return Err(self.is_unset(key));
        }
        values.iter().try_for_each(|value| self.ends_here(value))
    }

    /// Refuses a value that goes on in the line below, behind a backslash: what stands there would be left.
    pub(super) fn ends_here(&self, value: &Value) -> Result<(), Refusal> {
        const WITHOUT: [&str; 9] = [
            "ini", "yaml", "yml", "json", "toml", "md", "txt", "csv", "tsv",
        ];
        let goes_on = self.line_of(value).trim_end().ends_with('\\');
        if !goes_on || WITHOUT.contains(&self.ending().as_str()) {
            return Ok(());
        }
        let (path, first) = (self.path, self.number_of(value));
        let below = self.text.lines().skip(first);
        let more = below.take_while(|line| line.trim_end().ends_with('\\'));
        let last = first + 1 + more.count();
        let why = format!(
            "What `{}` is in {path} goes on below its line (lines {first} to {last}).",
            value.dotted()
        );
        let advice = format!(
            "Change these lines in an editor, or by `replace line {first} of {path} with …`."
        );
        Err(Refusal::ambiguous(
            why,
            vec![format!(
                "show lines {first} to {last} of {}",
                self.shown_path()
            )],
        )
        .advised(advice))
    }

    /// Values by the numbers of their lines, each with its place.
    pub(super) fn told(&self, values: &[Value]) -> String {
        let shown = values.iter().take(SHOWN_VALUES).map(|value| {
            let line: String = self.line_of(value).chars().take(SHOWN_CHARS).collect();
            let below = match value.path.len() {
                0 | 1 => String::new(),
                _ => format!(", which is `{}`", value.dotted()),
            };
            format!("line {} (`{}`{below})", self.number_of(value), line.trim())
        });
        let mut shown: Vec<String> = shown.collect();
        let more = values.len().saturating_sub(SHOWN_VALUES);
        if more > 0 {
            shown.push(format!("and {more} more"));
        }
        shown.join(", ")
    }

    pub(super) fn number_of(&self, value: &Value) -> usize {
        self.text[..value.place.start].matches('\n').count() + 1
    }

    pub(super) fn line_of(&self, value: &Value) -> &str {
        &self.text[self.line_place(value)]
    }

    pub(super) fn line_place(&self, value: &Value) -> Range<usize> {
        let is_around = |line: &Range<usize>| {
            line.contains(&value.place.start) || line.end == value.place.start
        };
        let line = self.lines().find(is_around);
        line.unwrap_or_else(|| value.place.clone())
    }

    /// Values of a key in lines such as `key = value`, `"key": value,` and `- Key: value`, and between
    /// tags.
    pub(super) fn values(&self, key: &str) -> Vec<Value> {
        let key = written::name_of(key);
        let mut values = self.values_of(&key);
        values.extend(self.spaced_values_of(&key));
        values
    }

    /// Values of keys that a pattern means, but for those behind a space alone.
    pub(super) fn values_of(&self, key: &str) -> Vec<Value> {
        if let Some(tree) = Tree::of(self) {
            let name = pattern(&format!("(?i)^(?:{key})$"));
            let is_named = |node: &&Node| {
                let own = node.path.last().filter(|_| node.key.is_some());
                name.as_ref()
                    .zip(own)
                    .is_some_and(|(name, own)| name.is_match(own))
            };
            let named = tree.nodes.iter().filter(is_named);
            return named.map(|node| node.value(self.text)).collect();
        }
        self.line_values_of(key)
    }

    /// The refusal of a value that only a text of several lines has.
    pub(super) fn only_in_a_text(&self, key: &str) -> Option<Refusal> {
        let unset = unset(&self.ending(), self.text);
        let values = self.line_values_of(&written::name_of(key));
        let is_unset = |value: &Value| unset.iter().any(|part| part.contains(&value.place.start));
        values.iter().any(is_unset).then(|| self.is_unset(key))
    }

    fn is_unset(&self, key: &str) -> Refusal {
        let why = format!(
            "What `{key}` is in {} stands in a comment or in a text of several lines.",
            self.path
        );
        Refusal::ambiguous(why, vec![format!("show {}", self.shown_path())])
    }

    /// The values that lines set by their form alone.
    fn line_values_of(&self, key: &str) -> Vec<Value> {
        let ending = self.ending();
        if ending == "dockerfile" {
            return self.docker_values(key);
        }
        // `database.port = 1`, which is at the place of `port` below `[database]`.
        let dots = match sections::are_known(&ending) {
            true => r"(?P<dots>(?:[\w-]+\.)*)",
            false => "",
        };
        let line = pattern(&format!(
            concat!(
                r#"(?im)^[ \t]*(?:[-*+>][ \t]+|\d+[.)][ \t]+)?(?:(?:export|declare|let|const|var|val|pub(?:\([\w: ]+\))?|static|mut|final|readonly|private|public|protected|local|define)[ \t]+)*"#,
                r#"(?P<open>["'`*_]*){}(?P<key>{})(?P<close>["'`*_]*)"#,
                r#"(?:{}[ \t]*(?P<typed>=)|[ \t]*(?P<mark>=>|[:?+]=|[=~<>]=|=|:))(?P<gap>[*_]*[ \t]*)"#,
                r#"(?:"(?P<d>(?:[^"\\\n]|\\.)*)"|'(?P<s>[^'\n]*)'|(?P<b>[^\s"'][^\n]*?)|(?P<e>))"#,
                r#"[ \t]*[,;]?(?:[ \t]+(?:#|//|;)[^\n]*)?\r?$"#,
            ),
            dots,
            key,
            written::type_form(&ending),
        ));
        let element = pattern(&format!(
            r"(?i)<(?P<key>{key})(?:\s[^>]*)?>(?P<b>[^<]*)</{key}>"
        ));
        let mut values = Vec::new();
        for regex in [line, element].iter().flatten() {
            for captures in regex.captures_iter(self.text) {
                if !sets_a_value(&ending, &captures) {
                    continue;
                }
                let quoted = [
                    ("d", Some('"')),
                    ("s", Some('\'')),
                    ("b", None),
                    ("e", None),
                ];
                let value = quoted.into_iter().find_map(|(name, quote)| {
                    let mut place = captures.name(name)?.range();
                    let mut quote = quote;
                    // Marks that close nothing begin the value, with its quotes.
                    if let Some(gap) = captures.name("gap").filter(|_| !closes_marks(&captures)) {
                        place = gap.start()..place.end + usize::from(quote.is_some());
                        quote = None;
                    }
                    let mut path = sections::around(&ending, self.text, place.start);
                    let dots = captures.name("dots").map_or("", |dots| dots.as_str());
                    path.extend(dots.split_terminator('.').map(str::to_owned));
                    path.push(captures["key"].to_owned());
                    Some(Value { place, quote, path })
                });
                values.extend(value);
            }
        }
        values
    }
}
